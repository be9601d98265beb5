"""The operator as torch sees it: qkv::attention and its gradient, which autograd, torch.compile,
torch.export and vmap know. Registered once, when torch is first met.

Both take the same options, in the order of OPTIONS. A tensor that is not there has no elements.
"""
from typing import Any, Optional

from . import _cuda, _qkv

NUMBERS = tuple(_qkv.NUMBERS)
# Name, type in the schema, and default.
OPTIONS: tuple[tuple[str, str, Any], ...] = (
    ("causal", "bool", False), ("alignment", "str?", None), ("offset", "int?", None),
    ("window", "int[]?", None), ("scale", "float?", None),
    *((name, "float", 0.0) for name in NUMBERS),
    ("key_lengths", "int[]?", None), ("query_starts", "int[]?", None), ("key_starts", "int[]?", None),
    ("dropout", "float", 0.0), ("threads", "int?", None), ("kernel", "str?", None))
TENSORS = ("mask", "sinks", "alibi_slopes", "seed")  # beside q, k and v
DIFFERENTIABLE = ("q", "k", "v", "mask", "sinks", "alibi_slopes")

_registered = False
_function: Any = None  # what torch.func differentiates


def _words(tensors: Any, options: Any) -> dict[str, Any]:
    """Keywords of the compiled operator: those that say something."""
    named: dict[str, Any] = {name: value for (name, _, default), value in zip(OPTIONS, options)
                             if value is not None and value != default}
    if "window" in named:
        named["window"] = tuple(None if side < 0 else side for side in named["window"])
    mask, sinks, slopes, seed = tensors
    if mask is not None:
        named["mask"] = mask.detach()
    for name, numbers in (("sinks", sinks), ("alibi_slopes", slopes)):
        if numbers is not None:
            named[name] = numbers.detach().cpu().tolist()
    if seed is not None and "dropout" in named:
        named["seed"] = int(seed)
    return named


def _on_device(function: Any, arrays: Any, named: dict[str, Any]) -> Any:
    """The same on a CUDA device, which does not offer everything."""
    try:
        return function(*arrays, **named)
    except TypeError as error:
        if "unexpected keyword argument" not in str(error):
            raise
        raise ValueError(f"{str(error).rpartition(' ')[2]}: is not offered on a CUDA device") from None


def _forward(torch: Any) -> Any:
    def forward(q: Any, k: Any, v: Any, *rest: Any) -> Any:
        """The output; the same in f32 where it is narrower, for the gradient; the log-sum-exp."""
        tensors, options = rest[:len(TENSORS)], rest[len(TENSORS):]
        named, plain = _words(tensors, options), [x.detach() for x in (q, k, v)]
        none = torch.empty(0, dtype=torch.float32, device=q.device)
        if q.is_cuda:
            output, sums = _on_device(_cuda.operator, plain, dict(named, return_lse=True))
            return output, none, sums
        wide = torch.float64 if q.dtype == torch.float64 else torch.float32
        kept = torch.empty(q.shape[:-1] + v.shape[-1:], dtype=wide)
        _, sums = _qkv.attention(*plain, out=kept, return_lse="f64", **named)
        return (kept, none, sums) if kept.dtype == q.dtype else (kept.to(q.dtype), kept, sums)
    return forward


def _forward_shapes(torch: Any) -> Any:
    def shapes(q: Any, k: Any, v: Any, *rest: Any) -> Any:
        del k, rest
        shape, wide = q.shape[:-1] + v.shape[-1:], q.dtype in (torch.float32, torch.float64)
        sums = torch.float32 if q.is_cuda and q.dtype != torch.float64 else torch.float64
        return (q.new_empty(shape),
                q.new_empty((0,) if wide or q.is_cuda else shape, dtype=torch.float32),
                q.new_empty(q.shape[:-1], dtype=sums))
    return shapes


def _is_dense(tensor: Any) -> bool:
    return tensor.stride(-1) == 1 and 0 not in tensor.stride()


def _backward(torch: Any) -> Any:
    def backward(g: Any, output: Any, sums: Any, wanted: Any, q: Any, k: Any, v: Any,
                 *rest: Any) -> Any:
        """The gradients of DIFFERENTIABLE that are wanted; no elements for the others."""
        tensors, options = rest[:len(TENSORS)], rest[len(TENSORS):]
        named, plain = _words(tensors, options), [x.detach() for x in (q, k, v)]
        given = (q, k, v, *tensors[:3])
        results = [torch.empty(x.shape, dtype=x.dtype, device=x.device) if x is not None and want
                   else torch.empty(0, dtype=q.dtype, device=q.device) for x, want in zip(given, wanted)]
        names = ("query_gradient", "key_gradient", "value_gradient", "mask_gradient")
        named |= {name: x for name, x, want in zip(names, results, wanted) if want}
        numbers = {}
        for name, want in zip(("sinks_gradient", "alibi_slopes_gradient"), wanted[4:]):
            if want:
                numbers[name] = torch.empty(q.shape[-3] if q.ndim > 2 else 1, dtype=torch.float64,
                                            device=q.device)
        named |= numbers | {"output": output, "log_sum_exp": sums}
        if q.is_cuda:
            _on_device(_cuda.attention_gradient, plain,
                       dict(named, output_gradient=g if _is_dense(g) else g.contiguous()))
        else:
            _qkv.attention_gradient(*plain, output_gradient=g, **named)
        for place, name in ((4, "sinks_gradient"), (5, "alibi_slopes_gradient")):
            if name in numbers:
                results[place].copy_(numbers[name])
        return tuple(results)
    return backward


def _backward_shapes(torch: Any) -> Any:
    def shapes(g: Any, output: Any, sums: Any, wanted: Any, q: Any, k: Any, v: Any, *rest: Any) -> Any:
        del g, output, sums
        return tuple(torch.empty(x.shape, dtype=x.dtype, device=x.device) if x is not None and want
                     else torch.empty(0, dtype=q.dtype, device=q.device)
                     for x, want in zip((q, k, v, *rest[:3]), wanted))
    return shapes


# ---- Autograd -----------------------------------------------------------------------------------


def _keep(ctx: Any, inputs: Any, output: Any) -> None:  # PyTorch names the arguments
    c, wide, sums = output
    ctx.save_for_backward(*inputs[:3 + len(TENSORS)], wide if wide.numel() else c, sums)
    ctx.options = inputs[3 + len(TENSORS):]
    ctx.mark_non_differentiable(wide, sums)
    ctx.set_materialize_grads(False)


def _differentiate(torch: Any, gradient: Any) -> Any:
    del torch

    def differentiate(ctx: Any, g: Any, *_: Any) -> Any:
        nothing = (None,) * (len(TENSORS) - 3 + len(OPTIONS))
        wanted = [bool(want) for want in ctx.needs_input_grad[:len(DIFFERENTIABLE)]]
        if g is None or not any(wanted):
            return (None,) * len(DIFFERENTIABLE) + nothing
        *given, output, sums = ctx.saved_tensors
        results = gradient(g, output, sums, wanted, *given, *ctx.options)
        return tuple(x if want else None for x, want in zip(results, wanted)) + nothing
    return differentiate


def _refuse_second(ctx: Any, *_: Any) -> Any:
    """What would follow is a gradient without the part that goes through the first one."""
    raise RuntimeError("attention: second derivatives are not offered")


def _functions(torch: Any) -> Any:
    """The two operators once more, as torch.func wants them: it does not look through operators of
    a library's own."""
    operators = torch.ops.qkv

    class Gradient(torch.autograd.Function):
        """Has no gradient of its own."""

        @staticmethod
        def forward(*inputs: Any) -> Any:
            return operators.attention_gradient(*inputs)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            pass

        backward = staticmethod(_refuse_second)

        @staticmethod
        def vmap(info: Any, in_dims: Any, *inputs: Any) -> Any:
            return _one_by_one(torch, Gradient.apply)(info, in_dims, *inputs)

    class Attention(torch.autograd.Function):
        """qkv::attention; lists stand in tuples."""
        setup_context = staticmethod(_keep)
        backward = staticmethod(_differentiate(torch, Gradient.apply))

        @staticmethod
        def forward(*inputs: Any) -> Any:
            return operators.attention(*inputs)

        @staticmethod
        def vmap(info: Any, in_dims: Any, *inputs: Any) -> Any:
            return _as_batch(torch, Attention.apply)(info, in_dims, *inputs)

    return Attention


# ---- vmap ---------------------------------------------------------------------------------------


def _one_by_one(torch: Any, operator: Any) -> Any:
    """A rule for vmap: the operator for each part of the batch, and the results stacked."""
    def rule(info: Any, in_dims: Any, *arguments: Any) -> Any:
        def part(i: int) -> Any:
            return operator(*(x.select(dim, i) if isinstance(dim, int) else x
                              for x, dim in zip(arguments, in_dims)))
        parts = [part(i) for i in range(info.batch_size)]
        stacked = tuple(torch.stack(results) for results in zip(*parts))
        return stacked, (0,) * len(stacked)
    return rule


def _as_batch(torch: Any, operator: Any) -> Any:
    """The same, but where only q, k and v are mapped, without dropout, their new axis joins those in
    front: one call."""
    alone = _one_by_one(torch, operator)
    names = [name for name, _, _ in OPTIONS]

    def rule(info: Any, in_dims: Any, *arguments: Any) -> Any:
        options = dict(zip(names, arguments[3 + len(TENSORS):]))
        lists = any(options[name] is not None for name in ("key_lengths", "query_starts"))
        tensors = [x for x in arguments[3:3 + len(TENSORS)] if x is not None]
        if tensors or options["dropout"] != 0.0 or lists:
            return alone(info, in_dims, *arguments)
        mapped = [x.unsqueeze(0).expand(info.batch_size, *x.shape) if dim is None else x.movedim(dim, 0)
                  for x, dim in zip(arguments[:3], in_dims)]
        lead = mapped[0].shape[:-3] if mapped[0].ndim > 4 else None
        if lead is not None:
            mapped = [x.flatten(0, 1) for x in mapped]
        results = operator(*mapped, *arguments[3:])
        if lead is None:
            return (results[0], *(_per_part(x, info.batch_size) for x in results[1:])), (0, 0, 0)
        return tuple(_per_part(x, info.batch_size).unflatten(0, lead) if x.numel() or x.ndim > 2
                     else _per_part(x, info.batch_size) for x in results), (0, 0, 0)
    return rule


def _per_part(x: Any, parts: int) -> Any:
    """A result without elements, once for each part of the batch."""
    return x.new_empty((parts, 0)) if x.ndim == 1 and x.shape[0] == 0 else x


# ---- Registration -------------------------------------------------------------------------------


def is_offered(torch: Any) -> bool:
    """Whether this torch can have operators of its own: from PyTorch 2.4 on."""
    return hasattr(torch.library, "custom_op")


def register(torch: Any) -> None:
    """Makes torch.ops.qkv.attention and torch.ops.qkv.attention_gradient, once."""
    global _registered
    if _registered or not is_offered(torch):
        return
    _registered = True
    words = "".join(f", Tensor? {name}" for name in TENSORS)
    words += "".join(f", {kind} {name}" for name, kind, _ in OPTIONS)
    attend = torch.library.custom_op(
        "qkv::attention", _forward(torch), mutates_args=(),
        schema=f"(Tensor q, Tensor k, Tensor v{words}) -> (Tensor, Tensor, Tensor)")
    attend.register_fake(_forward_shapes(torch))
    gradient = torch.library.custom_op(
        "qkv::attention_gradient", _backward(torch), mutates_args=(),
        schema=f"(Tensor g, Tensor output, Tensor sums, bool[] wanted, Tensor q, Tensor k, Tensor v"
               f"{words}) -> (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)")
    gradient.register_fake(_backward_shapes(torch))

    attend.register_autograd(_differentiate(torch, torch.ops.qkv.attention_gradient), setup_context=_keep)
    gradient.register_autograd(_refuse_second)
    if hasattr(attend, "register_vmap"):  # PyTorch 2.5
        attend.register_vmap(_as_batch(torch, torch.ops.qkv.attention))
        gradient.register_vmap(_one_by_one(torch, torch.ops.qkv.attention_gradient))


def call(torch: Any, q: Any, k: Any, v: Any, tensors: dict[str, Any], options: dict[str, Any]) -> Any:
    """The output, by torch.ops.qkv.attention, for options in the words of the schema."""
    rest: list[Optional[Any]] = [tensors.get(name) for name in TENSORS]
    rest += [options.get(name, default) for name, _, default in OPTIONS]
    if not torch.compiler.is_compiling() and torch._C._functorch.peek_interpreter_stack() is not None:
        return _function_of(torch).apply(q, k, v, *rest)[0]
    return torch.ops.qkv.attention(q, k, v, *rest)[0]


def _function_of(torch: Any) -> Any:
    global _function
    if _function is None:
        _function = _functions(torch)
    return _function
