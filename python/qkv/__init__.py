"""qkv: an attention workbench.

Attention of arrays that are read where they lie (NumPy, PyTorch, anything with the buffer protocol
or ``__dlpack__``), in the type they have, with the bits that the C library promises:

>>> import numpy as np, qkv
>>> q = np.array([[5.0, 5.0, 0.0]])
>>> qkv.attention(q, np.eye(3), np.array([[1.0, 0], [0, 1], [9, 9]]), scale=1.0).round(5)
array([[0.52854, 0.52854]])

Claims about attention, decided for every number of keys at once where that is possible:

>>> report = qkv.check('''
... given  n >= 3
... keys   k[1..n] orthonormal
... values v[1..n]
... pick   a, b distinct in 1..n
... c = attend(beta*(k[a] + k[b]), k, v)
... claim: c.weight[a] = e^beta/(n - 2 + 2 e^beta)
... ''')
>>> report[0].verdict
'proved'

========================================  =====================================================
:func:`attention`                         softmax(scale*q k')v and its family
:func:`self_attention`, :class:`Cache`    with projections; with keys and values that grow
:func:`scaled_dot_product_attention`      the same with PyTorch's signature, and its gradient
:func:`check`, :func:`explain`            verdicts on the claims of a document, derivations
:func:`law`, :func:`design`               keys of uncertain length: what happens, what to do
:func:`sample`                            a document's random problem, sampled
:mod:`qkv.plot`                           pictures, as SVG, PNG, PDF or text
:func:`head_view`                         attention weights to look into, in a notebook
========================================  =====================================================
"""
from . import plot
from ._cache import Cache, dropout_mask
from ._documents import ClaimError, Complaint, Report, Verdict, check, explain
from ._head_view import HeadView, head_view
from ._laws import LogitNormal, design, law
from ._qkv import Tensor, attention, get_threads, kernels, self_attention, set_threads
from ._qkv import version as __version__
from ._samples import Samples, sample
from ._torch import scaled_dot_product_attention

__all__ = [
    "Cache", "ClaimError", "Complaint", "HeadView", "LogitNormal", "Report", "Samples", "Tensor", "Verdict",
    "attention", "check", "design", "dropout_mask", "explain", "get_threads", "head_view", "kernels", "law", "plot",
    "sample", "scaled_dot_product_attention", "self_attention", "set_threads",
]
