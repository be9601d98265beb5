"""The judge: the meaning of documents of the claim language, in numbers. It is written from the manual
('What a claim means') and shares nothing with the checker.

An expression or a proposition is a tree that prints itself and has a value at an instance; an instance
says what every free name is."""

from .arithmetic import FALSE, TRUE, UNSURE, Exact, Floats, Inexact, NoValue
from .attention import Attend, Entropy, Head, Joined, Made, Mean, SelfAttend, Tokens, TokenWeight, With
from .decisions import decide, decide_closely, decide_finely, holds, quick, truth_in_limit
from .derivative import Derivative
from .expressions import (
    AllBut,
    Applied,
    Call,
    Closed,
    Exp,
    Letter,
    Listed,
    Name,
    Number,
    Over,
    Range,
    Size,
    Softmax,
    Transposed,
    node,
)
from .instances import Instance
from .propositions import And, Compare, ForAll, Implies, Known, Not, Or, comparisons
from .values import Family
