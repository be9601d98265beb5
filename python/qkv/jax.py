"""qkv in JAX, on the CPU: attention that jit, grad and vmap take.

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

_ARRAYS = ("mask", "sinks", "alibi_slopes")
_RANKS = {"sinks": 1, "alibi_slopes": 1}  # axes beside those of vmap; of a mask: as many as it has


def attention(q: Any, k: Any, v: Any, *, mask: Any = None, sinks: Any = None, alibi_slopes: Any = None,
              scale: Optional[float] = None, causal: Any = False, alignment: Optional[str] = None,
              window: Any = None, softcap: float = 0.0, offset: Optional[int] = None,
              key_lengths: Any = None, query_starts: Any = None, key_starts: Any = None,
              dropout: float = 0.0, seed: int = 0, threads: Optional[int] = None) -> Any:
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
               "softcap": softcap, "offset": offset, "key_lengths": key_lengths,
               "query_starts": query_starts, "key_starts": key_starts, "dropout": dropout, "seed": seed,
               "threads": threads}
    fixed = tuple((name, _fixed(value)) for name, value in options.items() if value is not None)
    for name, x in (("q", q), ("k", k), ("v", v)):
        if not 2 <= jnp.ndim(x) <= 4:
            raise ValueError(f"{name}: has {jnp.ndim(x)} axes; expected 2 to 4")
    return _attend(tuple(given), fixed, jnp.asarray(q), jnp.asarray(k), jnp.asarray(v), *given.values())


def _fixed(value: Any) -> Any:
    """A constant that can be compared: lists as tuples."""
    if isinstance(value, (list, np.ndarray)):
        return tuple(_fixed(x) for x in value)
    return value.item() if isinstance(value, np.generic) else value


# ---- The calls ----------------------------------------------------------------------------------


def _parts(arrays: Any, ranks: Any) -> Any:
    """Where vmap has put axes in front, all arrays have them: the index of each part."""
    lead = arrays[0].ndim - ranks[0]
    return arrays[0].shape[:lead]


def _each(function: Any, arrays: Any, ranks: Any, shapes: Any) -> Any:
    """The function of each part, and its results put together."""
    arrays = [np.asarray(x) for x in arrays]
    lead = _parts(arrays, ranks)
    if not lead:
        return function(*arrays)
    results = [np.empty(lead + shape.shape, shape.dtype) for shape in shapes]
    for index in np.ndindex(*lead):
        for result, part in zip(results, function(*(x[index] for x in arrays))):
            result[index] = part
    return tuple(results)


def _call(function: Any, shapes: Any, *arrays: Any) -> Any:
    ranks = [x.ndim for x in arrays]
    return jax.pure_callback(lambda *given: _each(function, given, ranks, shapes), tuple(shapes), *arrays,
                             vmap_method="broadcast_all")


def _forward(names: Any, fixed: Any, q: Any, k: Any, v: Any, *more: Any) -> Any:
    """The output and the log-sum-exp, which is in f32, or f64 for f64."""
    kind = q.dtype
    wide = jnp.float64 if kind == jnp.float64 else jnp.float32
    shapes = (jax.ShapeDtypeStruct(q.shape[:-1] + v.shape[-1:], kind),
              jax.ShapeDtypeStruct(q.shape[:-1], wide))

    def compute(q: Any, k: Any, v: Any, *more: Any) -> Any:
        return _qkv.attention(q, k, v, return_lse=True, **dict(zip(names, more)), **dict(fixed))

    return _call(compute, shapes, q, k, v, *more)


def _backward(names: Any, fixed: Any, g: Any, c: Any, sums: Any, q: Any, k: Any, v: Any,
              *more: Any) -> Any:
    """The gradients of q, k, v and of those others that hold numbers."""
    kept = [name for name, x in zip(names, more) if jnp.issubdtype(x.dtype, jnp.floating)]
    wanted = [q, k, v] + [x for name, x in zip(names, more) if name in kept]
    shapes = tuple(jax.ShapeDtypeStruct(x.shape, x.dtype) for x in wanted)

    def compute(g: Any, c: Any, sums: Any, q: Any, k: Any, v: Any, *more: Any) -> Any:
        results = [np.empty(shape.shape, shape.dtype) for shape in shapes]
        numbers = {name: np.empty(shape.shape, np.float64) if name != "mask" else result
                   for name, shape, result in zip(kept, shapes[3:], results[3:])}
        _qkv.attention_gradient(q, k, v, output_gradient=g, output=c, log_sum_exp=sums,
                                query_gradient=results[0], key_gradient=results[1],
                                value_gradient=results[2],
                                **{f"{name}_gradient": x for name, x in numbers.items()},
                                **dict(zip(names, more)), **dict(fixed))
        for name, result in zip(kept, results[3:]):
            result[...] = numbers[name]
        return tuple(results)

    found = iter(_call(compute, shapes, g, c, sums, q, k, v, *more))
    gradients = [next(found) for _ in range(3)]
    for name, x in zip(names, more):
        gradients.append(next(found) if name in kept else np.zeros(x.shape, jax.dtypes.float0))
    return tuple(gradients)


@functools.partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def _attend(names: Any, fixed: Any, *arrays: Any) -> Any:
    return _forward(names, fixed, *arrays)[0]


def _attend_forward(names: Any, fixed: Any, *arrays: Any) -> Any:
    c, sums = _forward(names, fixed, *arrays)
    return c, (c, sums, *arrays)


def _attend_backward(names: Any, fixed: Any, kept: Any, g: Any) -> Any:
    return _backward(names, fixed, g, *kept)


_attend.defvjp(_attend_forward, _attend_backward)
