"""qkv in JAX (0.5 or later), on the CPU: attention that jit, grad and vmap take, as foreign functions
of XLA, which calls them without Python.

    import qkv.jax
    c = jax.jit(qkv.jax.attention)(q, k, v)

Arrays are q, k, v, mask, sinks and alibi_slopes; the gradient is with respect to all of them that hold
numbers. The other options are constants. Second derivatives and forward mode raise an error, as JAX
says it of functions with a custom reverse rule.
"""
import functools
from typing import Any, Optional

import jax
import jax.numpy as jnp
import numpy as np

from . import _qkv
from ._torch import _agree, _window

_ALIGNMENTS = {None: 0, "top-left": 1, "bottom-right": 2}
_BY_OFFSET = 3
_ARRAYS = ("mask", "sinks", "alibi_slopes")

for _name, _target in _qkv.jax_targets().items():
    jax.ffi.register_ffi_target(_name, _target, platform="cpu")


def attention(q: Any, k: Any, v: Any, *, mask: Any = None, sinks: Any = None, alibi_slopes: Any = None,
              scale: Optional[float] = None, causal: Any = False, alignment: Optional[str] = None,
              window: Any = None, offset: Optional[int] = None,
              key_lengths: Any = None, query_starts: Any = None, key_starts: Any = None,
              dropout: float = 0.0, seed: int = 0, threads: Optional[int] = None, **numbers: float) -> Any:
    """attention() of JAX's arrays, with its options: (length, width), (heads, length, width) or (batch,
    heads, length, width).

    >>> import jax
    >>> x = jax.numpy.eye(2)
    >>> jax.jit(attention, static_argnames="scale")(x, x, x, scale=1.0).round(4).tolist()[0]
    [0.7310999631881714, 0.2689000070095062]
    """
    arrays = {"mask": mask, "sinks": sinks, "alibi_slopes": alibi_slopes}
    given = {name: jnp.asarray(x) for name, x in arrays.items() if x is not None}
    options = {"scale": scale, "causal": causal, "alignment": alignment, "window": window,
               "offset": offset, "key_lengths": key_lengths,
               "query_starts": query_starts, "key_starts": key_starts, "dropout": dropout, "seed": seed,
               "threads": threads, **numbers}
    for name in numbers:
        if name not in _qkv.NUMBERS:
            raise TypeError(f"attention() got an unexpected keyword argument '{name}'")
    for name, x in (("q", q), ("k", k), ("v", v)):
        if not 2 <= jnp.ndim(x) <= 4:
            raise ValueError(f"{name}: has {jnp.ndim(x)} axes; expected 2 to 4")
    return _attend(_constants(jnp.ndim(q), tuple(given), options), jnp.asarray(q),
                   jnp.asarray(k), jnp.asarray(v), *given.values())


# ---- Constants ----------------------------------------------------------------------------------


def _whole(name: str, given: Any) -> list[int]:
    numbers = [] if given is None else [int(x) for x in given]
    if any(x < 0 for x in numbers):
        raise ValueError(f"{name}: got {min(numbers)}; expected numbers from 0 on")
    return numbers


def _constants(rank: int, names: tuple[str, ...], options: dict[str, Any]) -> Any:
    """The options as the compiled functions read them (module/jax.c): numbers, and whole numbers."""
    causal, alignment, offset = options["causal"], options["alignment"], options["offset"]
    if isinstance(causal, str):
        alignment, causal = _agree("causal", causal, alignment), True
    sides, alignment = _window(options["window"], alignment)
    if alignment not in _ALIGNMENTS:
        raise ValueError(f'alignment: got {alignment!r}; expected "top-left" or "bottom-right"')
    if offset is not None and alignment is not None:
        raise ValueError("offset: got one beside an alignment; expected one of the two")
    lengths = _whole("key_lengths", options["key_lengths"])
    starts = [_whole(name, options[name]) for name in ("query_starts", "key_starts")]
    if len(starts[0]) != len(starts[1]):
        raise ValueError(f"query_starts and key_starts: have {len(starts[0])} and {len(starts[1])} "
                         "numbers; expected as many")
    seed = int(options["seed"] or 0)
    if not 0 <= seed < 2**64:
        raise ValueError(f"seed: got {seed}; expected a number from 0 to 2**64 - 1")
    places = [names.index(name) if name in names else -1 for name in _ARRAYS]
    window = [0, 0, 0] if sides is None else [1, *sides]  # -1: no end
    wholes = [int(bool(causal)), _ALIGNMENTS[alignment] if offset is None else _BY_OFFSET, int(offset or 0),
              *window, int(options["threads"] or 0), seed - 2**64 if seed >= 2**63 else seed, rank, *places,
              len(lengths), max(len(starts[0]) - 1, 0), *lengths, *starts[0], *starts[1]]
    scale = options["scale"]
    numbers = (np.nan if scale is None else float(scale), float(options["dropout"] or 0.0),
               *(float(options.get(name) or 0.0) for name in _qkv.NUMBERS))
    return numbers, tuple(wholes)


def _call(target: str, shapes: Any, constants: Any, *arrays: Any) -> Any:
    numbers, wholes = constants
    return jax.ffi.ffi_call(target, tuple(shapes), vmap_method="broadcast_all")(
        *arrays, numbers=np.array(numbers, np.float64), wholes=np.array(wholes, np.int64))


# ---- The calls ----------------------------------------------------------------------------------


def _forward(constants: Any, q: Any, k: Any, v: Any, *more: Any) -> Any:
    """The output and the log-sum-exp, which is in f32, or f64 for f64."""
    wide = jnp.float64 if q.dtype == jnp.float64 else jnp.float32
    shapes = (jax.ShapeDtypeStruct(q.shape[:-1] + v.shape[-1:], q.dtype),
              jax.ShapeDtypeStruct(q.shape[:-1], wide))
    return _call("qkv_attention", shapes, constants, q, k, v, *more)


def _backward(constants: Any, g: Any, c: Any, sums: Any, q: Any, k: Any, v: Any, *more: Any) -> Any:
    """The gradients of q, k, v and of those others that hold numbers."""
    held = [jnp.issubdtype(x.dtype, jnp.floating) for x in more]
    wanted = [q, k, v] + [x for x, holds in zip(more, held) if holds]
    shapes = tuple(jax.ShapeDtypeStruct(x.shape, x.dtype) for x in wanted)
    found = iter(_call("qkv_attention_gradient", shapes, constants, g, c, sums, q, k, v, *more))
    gradients = [next(found) for _ in range(3)]
    for x, holds in zip(more, held):
        gradients.append(next(found) if holds else np.zeros(x.shape, jax.dtypes.float0))
    return tuple(gradients)


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def _attend(constants: Any, *arrays: Any) -> Any:
    return _forward(constants, *arrays)[0]


def _attend_forward(constants: Any, *arrays: Any) -> Any:
    c, sums = _forward(constants, *arrays)
    return c, (c, sums, *arrays)


def _attend_backward(constants: Any, kept: Any, g: Any) -> Any:
    return _backward(constants, g, *kept)


_attend.defvjp(_attend_forward, _attend_backward)
