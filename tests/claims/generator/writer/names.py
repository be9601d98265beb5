"""The same document under other names: clashing ones (names that an engine may use itself, words of the
language, names of other things), plain long ones, or single letters."""

import re

from .problem import Altered

CLASHING = """
    slack1 axis noise_k others s e1 T d rest generic q k_a x t u w slack lambda score_1 s1
    k1 i j dim one alpha n m norm values law keys slack2 noise mean_a expect within proved least eps z w_a
    beta gap margin total mu g v k
    """.split()
PLAIN = [f"name_{number}" for number in range(40)]
LETTERS = list("abcdfghijklmnopqrstuvwxyz")

# A name that is declared nowhere is a parameter if it is a letter or the name of a Greek letter.
NUMBERS = {"n", "m", "d", "t", "s", "r", "beta", "gamma", "alpha", "zeta", "eta", "l", "i", "Delta"}
NAMES_FOR_NUMBERS = """
    s T d x t u w i j m n z g alpha beta mu eps q k v Delta lambda theta a r f c y
    """.split()

WORDS = set("""
    problem given assume keys values means vectors vector matrix scalar permutation pick distinct in claim
    find law of orthonormal orthogonal norm dimension as then for all at within expect proved refuted exists
    not and or implies with approx e pi I inf exp ln log sqrt abs cos tanh erf sum mean max min attend
    self_attend softmax hull dist normal file P E Var Cov causal scale bias mask sink window least such that iff forall
    ones zeros diag trace det inverse rank spectral sin sinh cosh relu sigmoid softplus entropy logsumexp
    """.split())
DECLARATIONS = """
    keys values means vectors vector matrix scalar permutation pick given assume claim: find
    """.split()
PARTS = ("weight", "score", "head", "output")


def names_of(lines):
    """The names in a document's lines: all words that are not words of the language."""
    text = "\n".join(line for line in lines if not line.startswith("problem"))
    return set(re.findall(r"(?<![.\w])[A-Za-z]\w*", text)) - WORDS


def new_names(text, names, rng, pool):
    """{old name: new name}; numbers keep to names that need no declaration, and no name that stays is taken."""
    bound = set(re.findall(r"for (?:all )?(\w) (?:in|!=|not in)", text))
    words = set(re.findall(r"[A-Za-z]\w*", text))
    old = (set(names) | bound) & words
    taken = words - old
    change = {}
    for name in sorted(old):
        allowed = NAMES_FOR_NUMBERS if name in NUMBERS and name not in bound else pool
        change[name] = rng.choice([new for new in allowed if new not in taken])
        taken.add(change[name])
    return change


def renamed_line(line, change):
    """One statement under other names; its first word, parts (.weight) and titles stay."""
    if line.startswith("problem"):
        return line
    first, blank, rest = line.partition(" ")
    if first in DECLARATIONS:
        return first + blank + renamed_words(rest, change)
    return renamed_words(line, change)


def renamed_words(text, change):
    def renamed(match):
        dot, word = match.groups()
        if dot and word in PARTS and word not in change:
            return match.group(0)
        return dot + change.get(word, word)

    return re.sub(r"(\.?)\b([A-Za-z]\w*)\b(?!\")", renamed, text)


class Renamed(Altered):
    """A problem under other names."""

    def __init__(self, problem, rng, pool=None, kind=None):
        self.change = new_names(problem.text(), problem.names, rng, pool or CLASHING)
        statements = [renamed_line(line, self.change) for line in problem.statements()]
        claim_lines = [renamed_line(line, self.change) for line in problem.claim_lines()]
        super().__init__(problem, statements, claim_lines)
        if kind:
            self.new_statements[0] = f'problem "{kind}"'

    def old_name(self, new):
        """The name in the first text of a name in this one."""
        return next((old for old, name in self.change.items() if name == new), new)
