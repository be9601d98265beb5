"""scaled_dot_product_attention: PyTorch's signature and semantics, and its gradient.

torch is imported by those who hand its tensors in, never here.
"""
import math
import re
import sys
from typing import Any, Optional

from . import _cuda, _qkv

NAMES = {"q": "query", "k": "key", "v": "value", "mask": "attn_mask"}  # here, by the operator's

_function: Any = None  # the torch.autograd.Function, made when it is first needed


def scaled_dot_product_attention(query: Any, key: Any, value: Any, attn_mask: Any = None,
                                 dropout_p: float = 0.0, is_causal: bool = False,
                                 scale: Optional[float] = None, enable_gqa: bool = False) -> Any:
    """What torch.nn.functional.scaled_dot_product_attention computes, for tensors of torch and for
    NumPy arrays: query (..., heads, queries, width), key and value (..., heads, keys, width).

    attn_mask: broadcast to (..., heads, queries, keys). bool: True takes part. Numbers are added.
    is_causal: query i looks at keys 0 to i, whatever their number; not together with attn_mask.
    scale: None: 1/sqrt(width).
    enable_gqa: key and value may have fewer heads, if their number divides that of query's.
    dropout_p: 0; attention here is a function of its inputs.

    Tensors on a CUDA device are computed there, by libqkv_cuda, on the current stream; torch.compile
    takes the call as one operator, qkv::attention.

    Where torch tensors require gradients, the result has them. A query that may look at no key
    gets zeros, and so do its gradients.

    >>> import numpy as np
    >>> x = np.array([[1.0, 0], [0, 1], [1, 1]])
    >>> scaled_dot_product_attention(x, x, x, is_causal=True)[0]
    array([1., 0.])
    """
    if dropout_p != 0.0:
        raise ValueError(f"dropout_p: got {dropout_p}; expected 0, for a result that does not "
                         "depend on chance")
    if is_causal and attn_mask is not None:
        raise ValueError("is_causal: got True together with attn_mask; expected one of the two")
    for name, array in (("query", query), ("key", key), ("value", value)):
        if not hasattr(array, "shape") or len(array.shape) < 2:
            raise ValueError(f"{name}: expected an array of two axes or more")
    if attn_mask is not None and not hasattr(attn_mask, "ndim"):
        raise ValueError(f"attn_mask: got {type(attn_mask).__name__}; expected an array")
    _check_kinds(query, key=key, value=value, attn_mask=attn_mask)
    lead = _leading_axes(query, key, value, enable_gqa)
    heads = key.shape[-3] if enable_gqa and key.ndim > 2 else None
    q = _shape(query, lead)
    k = _shape(key, lead if heads is None else lead[:-1] + (heads,))
    v = _shape(value, lead if heads is None else lead[:-1] + (heads,))
    mask = None if attn_mask is None else _mask(attn_mask, lead, query.shape[-2], key.shape[-2])
    options: dict[str, Any] = {"scale": scale}
    if is_causal:
        options.update(causal=True, alignment="top-left")
    result = _run(q, k, v, mask, options)
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
        return _qkv.operator(*arrays, **options)
    except (ValueError, TypeError, BufferError, RuntimeError) as error:
        told = re.sub("^(q|k|v|mask)(?=[: ])", lambda found: NAMES[found[1]], str(error))
        if told == str(error):
            raise
        raise type(error)(told) from None


def _run(q: Any, k: Any, v: Any, mask: Any, options: dict[str, Any]) -> Any:
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(q, torch.Tensor):
        return _operator(q, k, v, mask=mask, **options)
    if torch.is_grad_enabled():
        if mask is not None and mask.requires_grad:
            raise ValueError("attn_mask: requires a gradient, which is not offered; expected "
                             "attn_mask.detach()")
        if not q.is_cuda and any(tensor.requires_grad for tensor in (q, k, v)):
            return _autograd(torch).apply(q, k, v, mask, options)
    if q.is_cuda:
        _cuda.torch_register(torch)
        return torch.ops.qkv.attention(q, k, v, mask, options.get("causal", False), options["scale"])[0]
    return _operator(q, k, v, mask=mask, **options)


def _autograd(torch: Any) -> Any:
    """The operator as a node of autograd's graph."""
    global _function
    if _function is not None:
        return _function

    class Attention(torch.autograd.Function):
        """Keeps the output and, in f64, the log_sum_exp: they save the gradient a forward pass.
        Arrays are kept by torch, which tells when one is changed before its gradient is asked for."""

        @staticmethod
        def forward(context: Any, q: Any, k: Any, v: Any, mask: Any,
                    options: dict[str, Any]) -> Any:
            plain = [tensor.detach() for tensor in (q, k, v)]
            wide = torch.float64 if q.dtype == torch.float64 else torch.float32
            kept = torch.empty(q.shape[:-1] + v.shape[-1:], dtype=wide, device=q.device)
            _, sums = _operator(*plain, out=kept, return_lse="f64", mask=mask, **options)
            context.save_for_backward(q, k, v, kept, sums, mask)
            context.options = options
            return kept if kept.dtype == q.dtype else kept.to(q.dtype)

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(context: Any, gradient: Any) -> Any:
            *saved, mask = context.saved_tensors
            q, k, v, output, sums = (tensor.detach() for tensor in saved)
            wanted = context.needs_input_grad[:3]
            results = [torch.empty(tensor.shape, dtype=tensor.dtype, device=tensor.device)
                       if want else None for tensor, want in zip((q, k, v), wanted)]
            _qkv.attention_gradient(
                q, k, v, output_gradient=gradient, output=output, log_sum_exp=sums,
                query_gradient=results[0], key_gradient=results[1], value_gradient=results[2],
                mask=mask, **context.options)
            return (*results, None, None)

    _function = Attention
    return _function


# torch.compile may meet the operator before it was called once: it should be known by then.
if "torch" in sys.modules and hasattr(sys.modules["torch"], "library"):
    _cuda.torch_register(sys.modules["torch"])
