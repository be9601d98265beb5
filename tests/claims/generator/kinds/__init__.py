"""The kinds of problems: a function that writes one, and its share of the claims."""

from writer.names import Renamed
from writer.trees import calibrate

from .attention import heads, listed_keys, nested, orthonormal, sizes, two_families
from .existence import exists
from .functions import derivatives, functions
from .known import known_claims, limits_with_premises, without_value
from .limits import limits
from .made import made_families, moving_attention, running_attention
from .matrices import matrices
from .premises import contradictory, parameters, premises, values
from .questions import find_least
from .random_keys import random_keys
from .self_attention import tokens
from .tables import tables
from .vectors import frames, gram, norms


def clashing(rng):
    """A problem of another kind under names that clash."""
    kinds = [nested, orthonormal, two_families, listed_keys, premises, norms, gram, parameters]
    problem = rng.choice(kinds)(rng)
    calibrate(problem, rng)
    return Renamed(problem, rng, kind="names that clash")


KINDS = {
    "nested": (nested, 2.5),
    "two families": (two_families, 2),
    "orthonormal": (orthonormal, 1.6),
    "listed keys": (listed_keys, 3),
    "clashing": (clashing, 1.2),
    "parameters": (parameters, 5),
    "premises": (premises, 0.6),
    "contradictory": (contradictory, 1.5),
    "gram": (gram, 0.2),
    "norms": (norms, 8),
    "frames": (frames, 1),
    "values": (values, 0.2),
    "sizes": (sizes, 0.8),
    "no value": (without_value, 2.5),
    "matrices": (matrices, 4.5),
    "self attention": (tokens, 3.5),
    "heads": (heads, 0.3),
    "exists": (exists, 7),
    "limits": (limits, 4),
    "limits with premises": (limits_with_premises, 7),
    "random keys": (random_keys, 7),
    "find least": (find_least, 7),
    "known claims": (known_claims, 1.3),
    "tables": (tables, 1.2),
    "functions": (functions, 4),
    "derivatives": (derivatives, 2),
    "made families": (made_families, 3),
    "running attention": (running_attention, 1),
    "moving attention": (moving_attention, 0.4),
}
