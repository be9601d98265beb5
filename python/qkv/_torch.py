"""Tensors of torch: scaled_dot_product_attention with PyTorch's signature and semantics, and calls
of attention whose tensors are differentiated, compiled or mapped.

torch is imported by those who hand its tensors in, never here.
"""
import math
import re
import sys
from importlib.abc import MetaPathFinder
from importlib.util import find_spec
from typing import Any, Optional

from . import _qkv, _torch_ops

NAMES = {"q": "query", "k": "key", "v": "value", "mask": "attn_mask"}  # here, by the operator's


def scaled_dot_product_attention(query: Any, key: Any, value: Any, attn_mask: Any = None,
                                 dropout_p: float = 0.0, is_causal: bool = False,
                                 scale: Optional[float] = None, enable_gqa: bool = False, *,
                                 threads: Optional[int] = None) -> Any:
    """What torch.nn.functional.scaled_dot_product_attention computes, for tensors of torch and for
    NumPy arrays: query (..., heads, queries, width), key and value (..., heads, keys, width).

    attn_mask: broadcast to (..., heads, queries, keys). bool: True takes part. Numbers are added.
    is_causal: query i looks at keys 0 to i, whatever their number; not together with attn_mask.
    scale: None: 1/sqrt(width).
    enable_gqa: key and value may have fewer heads, if their number divides that of query's.
    dropout_p: each weight is dropped with this probability, by a seed from torch's generator, and
    the others are divided by 1 - dropout_p.
    threads: None: as many as set_threads() says, or one per core. The bits do not depend on it.

    Tensors on a CUDA device are computed there, by libqkv_cuda, on the current stream. torch.compile,
    torch.export and torch.func take the call as one operator, qkv::attention.

    Where torch tensors require gradients, the result has them, for attn_mask too. Second derivatives
    and forward mode raise an error. A query that may look at no key gets zeros, and so do its
    gradients.

    >>> import numpy as np
    >>> x = np.array([[1.0, 0], [0, 1], [1, 1]])
    >>> scaled_dot_product_attention(x, x, x, is_causal=True)[0]
    array([1., 0.])
    """
    if is_causal and attn_mask is not None:
        raise ValueError("is_causal: got True together with attn_mask; expected one of the two")
    query, key, value, attn_mask = _cast(query, key, value, attn_mask)
    if dropout_p == 0.0 and _is_plain(query, key, value, attn_mask):  # nothing to broadcast: the shortest way
        causal = {"causal": True, "alignment": "top-left"} if is_causal else {}
        return _operator(query, key, value, mask=attn_mask, scale=scale, threads=threads, **causal)
    for name, array in (("query", query), ("key", key), ("value", value)):
        if not hasattr(array, "shape") or len(array.shape) < 2:
            raise ValueError(f"{name}: expected an array of two axes or more")
    if attn_mask is not None and not hasattr(attn_mask, "ndim"):
        raise ValueError(f"attn_mask: got {type(attn_mask).__name__}; expected an array")
    _check_kinds(query, key=key, value=value, attn_mask=attn_mask)
    _check_tracing()
    lead = _leading_axes(query, key, value, enable_gqa)
    heads = key.shape[-3] if enable_gqa and key.ndim > 2 else None
    q = _shape(query, lead)
    k = _shape(key, lead if heads is None else lead[:-1] + (heads,))
    v = _shape(value, lead if heads is None else lead[:-1] + (heads,))
    mask = None if attn_mask is None else _mask(attn_mask, lead, query.shape[-2], key.shape[-2])
    _check_numbers(scale=scale, dropout_p=dropout_p)
    options: dict[str, Any] = {"scale": scale, "threads": threads}
    if is_causal:
        options.update(causal=True, alignment="top-left")
    result = _run(q, k, v, mask, float(dropout_p), options)
    return result.reshape(lead + result.shape[-2:]) if result.shape[:-2] != lead else result


def _check_kinds(query: Any, **others: Any) -> None:
    """Tensors of torch go with tensors of torch: autograd sees no others."""
    torch = sys.modules.get("torch")
    for name, array in others.items():
        if torch is None or array is None:
            continue
        if isinstance(array, torch.Tensor) != isinstance(query, torch.Tensor):
            raise ValueError(f"{name}: is of type {type(array).__name__} and query of "
                             f"{type(query).__name__}; expected them alike")


def _is_plain(query: Any, key: Any, value: Any, mask: Any) -> bool:
    """Whether the operator takes these tensors as they are, and all of them are torch's own. It hands
    those on itself that are differentiated or mapped."""
    torch = sys.modules.get("torch")
    if torch is None:
        return False
    tensor = torch.Tensor
    if type(query) is not tensor or type(key) is not tensor or type(value) is not tensor:
        return False
    if mask is not None and (type(mask) is not tensor or not 0 < mask.ndim <= 4):
        return False
    lead = query.shape[:-2]
    return (2 <= query.ndim <= 4 and key.shape[:-2] == lead and value.shape[:-2] == lead
            and key.ndim == value.ndim == query.ndim and not query.is_cuda
            and not torch.compiler.is_compiling() and not torch.jit.is_tracing())


def _cast(*arrays: Any) -> tuple[Any, ...]:
    """Under torch.autocast, tensors on the CPU in its type, but for those of f64 and bool, as torch casts
    them for its own function."""
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "get_autocast_dtype") or not torch.is_autocast_enabled("cpu"):
        return arrays  # PyTorch before 2.4 casts nothing here
    dtype = torch.get_autocast_dtype("cpu")
    return tuple(x.to(dtype) if isinstance(x, torch.Tensor) and x.is_floating_point()
                 and x.device.type == "cpu" and x.dtype != torch.float64 else x for x in arrays)


def _check_numbers(**numbers: Any) -> None:
    """A tensor in place of a number would silently get no gradient."""
    torch = sys.modules.get("torch")
    for name, number in numbers.items():
        if torch is not None and isinstance(number, torch.Tensor) and torch.is_grad_enabled() \
                and number.requires_grad:
            raise ValueError(f"{name}: requires a gradient, which is not offered; expected a number")


def _check_tracing() -> None:
    """torch.jit.trace records calls of torch's own functions alone."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.jit.is_tracing():
        raise NotImplementedError("torch.jit.trace: is not offered; expected torch.export")


# ---- Shapes -------------------------------------------------------------------------------------


def _leading_axes(query: Any, key: Any, value: Any, grouped: bool) -> tuple[int, ...]:
    """The axes before (length, width) that all of them are broadcast to."""
    shapes = [tuple(array.shape[:-2]) for array in (query, key, value)]
    if grouped and query.ndim > 2:
        heads = query.shape[-3]
        for name, array in (("key", key), ("value", value)):
            if array.ndim < 3 or array.shape[-3] == 0 or heads % array.shape[-3] != 0:
                raise ValueError(f"enable_gqa: {name} has {array.shape[-3] if array.ndim > 2 else 0}"
                                 f" heads; expected a divisor of query's {heads}")
        if key.shape[-3] != value.shape[-3]:
            raise ValueError(f"enable_gqa: key has {key.shape[-3]} heads and value "
                             f"{value.shape[-3]}; expected as many")
        shapes = [shape[:-1] + (heads,) for shape in shapes]
    lead: list[int] = []
    for place in range(1, max(map(len, shapes)) + 1):
        sizes = {shape[-place] for shape in shapes if len(shape) >= place} - {1}
        if len(sizes) > 1:
            raise ValueError(f"query, key and value: the axes before length and width are "
                             f"{shapes[0]}, {shapes[1]} and {shapes[2]}; expected them alike")
        lead.insert(0, sizes.pop() if sizes else 1)
    return tuple(lead)


def _expand(array: Any, shape: tuple[int, ...]) -> Any:
    if tuple(array.shape) == shape:
        return array
    if hasattr(array, "expand"):
        return array.expand(shape)
    import numpy
    return numpy.broadcast_to(array, shape)


def _shape(array: Any, lead: tuple[int, ...]) -> Any:
    """Broadcast, without a copy, and with at most one axis before that of heads."""
    array = _expand(array, lead + tuple(array.shape[-2:]))
    if len(lead) <= 2:
        return array
    return array.reshape((math.prod(lead[:-1]),) + tuple(array.shape[-3:]))


def _mask(mask: Any, lead: tuple[int, ...], queries: int, keys: int) -> Any:
    if len(lead) <= 2:
        return mask if mask.ndim > 0 else mask.reshape(1)
    return _shape(_expand(mask, lead + (queries, keys)), lead)


# ---- Forward and backward ----------------------------------------------------------------------


def _operator(*arrays: Any, **options: Any) -> Any:
    """The operator, whose errors name the arrays as the caller does."""
    try:
        return _qkv.attention(*arrays, **options)
    except (ValueError, TypeError, BufferError, RuntimeError) as error:
        told = re.sub("^(q|k|v|mask)(?=[: ])", lambda found: NAMES[found[1]], str(error))
        told = re.sub("^dropout(?=[: ])", "dropout_p", told)
        if told == str(error):
            raise
        raise type(error)(told) from None


def _run(q: Any, k: Any, v: Any, mask: Any, dropout: float, options: dict[str, Any]) -> Any:
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(q, torch.Tensor):
        return _operator(q, k, v, mask=mask, dropout=dropout, seed=_seed(None, dropout), **options)
    tensors = {"mask": mask, "seed": _seed(torch, dropout)}
    if torch.compiler.is_compiling() or q.is_cuda or is_in_graph((q, k, v, mask)):
        _check_forward_mode(torch, {"query": q, "key": k, "value": v, "attn_mask": mask})
        return _graph(torch, q, k, v, tensors, dict(options, dropout=dropout))
    seed = 0 if tensors["seed"] is None else int(tensors["seed"])
    return _operator(q, k, v, mask=mask, dropout=dropout, seed=seed, **options)


def _seed(torch: Any, dropout: float) -> Any:
    """A seed from the library's generator, where one is needed."""
    if dropout == 0.0:
        return 0 if torch is None else None
    if torch is None:
        import numpy
        return int(numpy.random.randint(0, 2**63 - 1, dtype=numpy.int64))
    return torch.randint(0, 2**63 - 1, (), dtype=torch.int64)


# ---- What torch differentiates, compiles and maps ----------------------------------------------


def is_in_graph(arrays: Any) -> bool:
    """Whether one of these is a tensor that torch differentiates or maps: then the call must be an
    operator of torch's, or the gradient is silently lost."""
    torch = sys.modules.get("torch")
    if torch is None:
        return False
    recorded, level = torch.is_grad_enabled(), torch.autograd.forward_ad._current_level
    mapped = torch._C._functorch.is_functorch_wrapped_tensor
    return any(isinstance(x, torch.Tensor) and (recorded and x.requires_grad or level >= 0 or mapped(x))
               for x in arrays)


def _check_forward_mode(torch: Any, named: dict[str, Any]) -> None:
    forward = torch.autograd.forward_ad
    if torch.compiler.is_compiling() or forward._current_level < 0:
        return
    for name, tensor in named.items():
        if isinstance(tensor, torch.Tensor) and forward.unpack_dual(tensor).tangent is not None:
            raise NotImplementedError(f"{name}: carries a tangent; forward-mode differentiation is not "
                                      "offered")


def _graph(torch: Any, q: Any, k: Any, v: Any, tensors: dict[str, Any], options: dict[str, Any]) -> Any:
    if not _torch_ops.is_offered(torch):
        raise ValueError(f"torch: is of version {torch.__version__}; expected 2.4 or later for "
                         "gradients")
    if not torch.compiler.is_compiling():
        _torch_ops.register(torch)
    return _torch_ops.call(torch, q, k, v, tensors, options)


def _numbers(torch: Any, name: str, given: Any, like: Any) -> Any:
    """Slopes or sinks as a tensor."""
    if given is None or isinstance(given, torch.Tensor):
        return given
    for number in given:
        _check_numbers(**{name: number})
    return torch.tensor([float(x) for x in given], dtype=torch.float64, device=like.device)


def _whole(given: Any) -> Any:
    return None if given is None else [int(x) for x in given]


def _window(window: Any, alignment: Optional[str]) -> tuple[Any, Optional[str]]:
    """The two sides, with -1 for no limit, and the alignment."""
    if window is None:
        return None, alignment
    sides = (window, window) if not isinstance(window, (tuple, list)) else tuple(window)
    if len(sides) == 3:
        alignment = _agree("window", sides[2], alignment)
    for side in sides[:2]:
        if side is not None and int(side) < 0:
            raise ValueError(f"window: got {side}; expected a number of keys from 0 on, or None")
    return [-1 if side is None else int(side) for side in sides[:2]], alignment


def _agree(name: str, alignment: Any, before: Optional[str]) -> Any:
    if before is not None and alignment != before:
        raise ValueError(f'{name}: got "{alignment}" beside "{before}"; expected one alignment for all')
    return alignment


def attention(q: Any, k: Any, v: Any, *, mask: Any = None, heads: Optional[int] = None,
              kv_heads: Optional[int] = None, scale: Optional[float] = None, causal: Any = False,
              alignment: Optional[str] = None, window: Any = None, offset: Optional[int] = None, key_lengths: Any = None, query_starts: Any = None,
              key_starts: Any = None, alibi_slopes: Any = None, sinks: Any = None,
              dropout: Optional[float] = 0.0, seed: Optional[int] = 0, threads: Optional[int] = None,
              kernel: Optional[str] = None, **more: Any) -> Any:
    """As the compiled attention, which hands calls over whose tensors are differentiated, compiled
    or mapped."""
    numbers = {name: more.get(name, 0.0) for name in _torch_ops.NUMBERS}
    for name, value in more.items():
        if name not in numbers and value is not None and value is not False:
            raise ValueError(f"{name}: is not offered for tensors that torch differentiates, compiles or "
                             "maps; expected them detached")
    torch = sys.modules["torch"]
    _check_forward_mode(torch, {"q": q, "k": k, "v": v, "mask": mask, "sinks": sinks,
                                "alibi_slopes": alibi_slopes})
    _check_numbers(scale=scale, dropout=dropout, **numbers)
    for name, x in (("q", q), ("k", k), ("v", v)):
        if not isinstance(x, torch.Tensor):
            raise ValueError(f"{name}: is of type {type(x).__name__}; expected a tensor of torch")
    if isinstance(causal, str):
        alignment, causal = _agree("causal", causal, alignment), True
    sides, alignment = _window(window, alignment)
    if heads is not None:
        q, k, v = (x.unflatten(-1, (count, -1)).transpose(-2, -3)
                   for x, count in ((q, heads), (k, kv_heads or heads), (v, kv_heads or heads)))
    tensors = {"mask": mask, "sinks": _numbers(torch, "sinks", sinks, q),
               "alibi_slopes": _numbers(torch, "alibi_slopes", alibi_slopes, q)}
    if dropout:
        tensors["seed"] = seed if isinstance(seed, torch.Tensor) else torch.tensor(seed or 0)
    options = {"causal": bool(causal), "alignment": alignment, "offset": offset, "window": sides,
               "scale": scale, **{name: float(x or 0.0) for name, x in numbers.items()}, "key_lengths": _whole(key_lengths),
               "query_starts": _whole(query_starts), "key_starts": _whole(key_starts),
               "dropout": float(dropout or 0.0), "threads": threads, "kernel": kernel}
    c = _graph(torch, q, k, v, tensors, options)
    return c if heads is None else c.transpose(-2, -3).flatten(-2)


def meet(torch: Any) -> None:
    """Tells torch of the operators: torch.compile may meet them before they were called once."""
    if not _torch_ops.is_offered(torch):
        return
    _torch_ops.register(torch)
    substitute = getattr(torch.compiler, "substitute_in_graph", None)
    if substitute is not None:  # PyTorch 2.6: in a compiled graph, the compiled function is this one
        try:
            substitute(_qkv.attention, skip_signature_check=True)(attention)
        except (ValueError, TypeError, RuntimeError):  # known already, or not taken: then it breaks a graph
            pass


class _Awaited(MetaPathFinder):
    """Meets torch if it is imported after this package: torch.compile asks no one before it traces
    a call."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is None or spec.loader is None:
            return None
        load = spec.loader.exec_module

        def load_and_meet(module: Any) -> None:
            load(module)
            meet(module)

        spec.loader.exec_module = load_and_meet  # type: ignore[method-assign]
        return spec


if "torch" not in sys.modules:
    sys.meta_path.insert(0, _Awaited())
elif hasattr(sys.modules["torch"], "library"):
    meet(sys.modules["torch"])
