#!/usr/bin/python3
"""Tests the Python package on a GPU: package.py LIBRARY. Prints TAP.

Where the compiled module cannot be imported, a stand-in takes its place that hands every call on to
qkv._cuda, as the module does with arrays on a device.
"""
import importlib
import math
import os
import sys
import types

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX would take the whole device


def absent(why):
    print(f"1..0 # SKIP {why}: nothing was tested on a GPU")
    sys.exit(0)


try:
    import torch
except ImportError:
    absent("this Python has no PyTorch")
if not torch.cuda.is_available():
    absent("no CUDA device was found")

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SDPA = torch.nn.functional.scaled_dot_product_attention
BF16, F32 = torch.bfloat16, torch.float32
cases = failures = 0


def report(good, name):
    global cases, failures
    cases, failures = cases + 1, failures + (not good)
    print(f"{'ok' if good else 'not ok'} {cases} - {name}", flush=True)


def load():
    """The package, or the part of it that needs no compiled module."""
    try:
        package = importlib.import_module("qkv")
        return package.attention, package.scaled_dot_product_attention
    except ImportError:
        package, compiled = types.ModuleType("qkv"), types.ModuleType("qkv._qkv")
        package.__path__ = [os.path.join(ROOT, "python", "qkv")]
        sys.modules.update({"qkv": package, "qkv._qkv": compiled})
        package._qkv = compiled
        cuda = importlib.import_module("qkv._cuda")
        compiled.attention = cuda.attention
        print("# without the compiled module")
        return cuda.attention, importlib.import_module("qkv._torch").scaled_dot_product_attention


def distance(a, b):
    return ((a.double() - b.double()).norm() / b.double().norm()).item()


def draw(dtype, *shape):
    return torch.randn(*shape, device="cuda").to(dtype)


def exact(q, k, v, **named):
    return SDPA(q.double(), k.double(), v.double(), **named)


def test_attention(attention):
    torch.manual_seed(1)
    q, k, v = draw(BF16, 2, 4, 300, 128), draw(BF16, 2, 2, 300, 128), draw(BF16, 2, 2, 300, 128)
    c, sums = attention(q, k, v, causal=True, return_lse=True)
    report(distance(c, exact(q, k, v, is_causal=True, enable_gqa=True)) < 4e-3 and c.dtype == BF16
           and sums.dtype == F32 and sums.shape == (2, 4, 300), "bf16, causal, with sums")
    mask = torch.rand(300, 300, device="cuda") < 0.5
    report(distance(attention(q, k, v, mask=mask), exact(q, k, v, attn_mask=mask, enable_gqa=True)) < 4e-3,
           "a mask")
    q, k, v = (draw(F32, 2, 50, 4 * 24) for _ in "qkv")
    c, weights = attention(q, k, v, heads=4, return_weights=True)
    split = [x.unflatten(-1, (4, 24)).transpose(1, 2) for x in (q, k, v)]
    truth = exact(*split)
    report(distance(c, truth.transpose(1, 2).flatten(2)) < 1e-6 and weights.shape == (2, 4, 50, 50)
           and (weights.sum(-1) - 1).abs().max().item() < 1e-5, "heads in the width, with weights")
    out = torch.full_like(split[0].contiguous(), math.nan)
    report(attention(*split, out=out) is out and distance(out, truth) < 1e-6, "out, strided heads")
    report(distance(attention(*split, window=(7, 3)), windowed(*split, 7, 3)) < 1e-6, "a window")
    q, (k, v) = draw(BF16, 2, 8, 1, 128), (draw(F32, 2, 2, 900, 128).to(torch.float8_e4m3fn) for _ in "kv")
    truth = exact(q, *(x.float() for x in (k, v)), enable_gqa=True)
    report(distance(attention(q, k, v), truth) < 4e-3, "keys and values in fp8")


def test_options(attention):
    """Options that came later than the first ones."""
    torch.manual_seed(3)
    q, k, v = draw(F32, 2, 4, 30, 16), draw(F32, 2, 2, 50, 16), draw(F32, 2, 2, 50, 24)
    score = q.double() @ k.double().repeat_interleave(2, 1).transpose(2, 3) / 4
    value = v.double().repeat_interleave(2, 1)
    slopes, sinks = [0.1, 0.2, 0.0, 0.5], [0.5, -1.0, 2.0, 0.0]
    away = (torch.arange(30, device="cuda")[:, None] - torch.arange(50, device="cuda")).abs()
    biased = score - torch.tensor(slopes, device="cuda").double().view(4, 1, 1) * away
    sink = torch.tensor(sinks, device="cuda").double().view(1, 4, 1, 1).expand(2, 4, 30, 1)
    weight = torch.softmax(torch.cat([biased, sink], -1), -1)[..., :50]
    c, entropy = attention(q, k, v, alibi_slopes=slopes, sinks=torch.tensor(sinks), alignment="top-left",
                           return_entropy=True)
    report(distance(c, weight @ value) < 1e-6 and distance(entropy, -(weight * weight.log()).sum(-1)) < 1e-5,
           "slopes, sinks and the entropy")
    one, two = (attention(q, k, v, dropout=0.5, seed=seed) for seed in (1, 2))
    report(torch.equal(one, attention(q, k, v, dropout=0.5, seed=1)) and not torch.equal(one, two), "dropout and its seed")
    mean = sum(attention(q, k, v, dropout=0.5, seed=seed).double() for seed in range(400)) / 400
    report(distance(mean, torch.softmax(score, -1) @ value) < 0.1, "dropout, on average")
    starts, ends = [0, 10, 30], [0, 20, 50]
    parts = [exact(q[:1, :, a:b], k[:1, :, x:y], v[:1, :, x:y], enable_gqa=True)
             for a, b, x, y in zip(starts, starts[1:], ends, ends[1:])]
    c = attention(q[:1], k[:1], v[:1], query_starts=starts, key_starts=torch.tensor(ends))
    report(distance(c, torch.cat(parts, 2)) < 1e-6, "packed sequences")
    pages = [x.view(2, 2, 5, 10, x.shape[3]).transpose(1, 2).reshape(10, 2, 10, x.shape[3]) for x in (k, v)]
    table = torch.arange(10, device="cuda", dtype=torch.int32).view(2, 5)
    report(distance(attention(q, *pages, page_table=table), exact(q, k, v, enable_gqa=True)) < 1e-6, "pages")
    scale, byte = (torch.rand(2, 2, 50, device="cuda") / 50 for _ in "kv"), torch.randint(
        -127, 128, (2, 2, 50, 16), device="cuda", dtype=torch.int8)
    scale_k, scale_v = scale
    truth = exact(q, byte * scale_k[..., None], byte * scale_v[..., None], enable_gqa=True)
    report(distance(attention(q, byte, byte, key_scales=scale_k, value_scales=scale_v), truth) < 1e-6, "bytes with scales")
    for words, named in (("sinks: got 3 numbers", {"sinks": [1, 2, 3]}), ("key_starts: is given without", {"key_starts": [0, 1]}),
                         ("page_table: has elements of type int64", {"page_table": table.long()})):
        try:
            attention(q, k, v, **named)
            report(False, f"{words}: nothing was raised")
        except ValueError as error:
            report(words in str(error), f"refused: {error}")


def test_bias(sdpa):
    """Gradients of a mask that is added, of sinks and of slopes, and dropout's, by autograd."""
    try:
        package = importlib.import_module("qkv")
        attention = package.attention
    except (ImportError, AttributeError):
        print("# without the compiled module: no gradients of sinks and slopes")
        return
    torch.manual_seed(4)
    q, k, v, g = (draw(F32, 2, 4, 30, 16) for _ in "qkvg")
    mask, sinks = draw(F32, 4, 30, 30), torch.tensor([0.5, -1.0, 2.0, 0.0], device="cuda")
    slopes = torch.tensor([0.1, 0.2, 0.0, 0.5], device="cuda")

    def truth(q, k, v, mask, sinks, slopes):
        away = (torch.arange(30, device="cuda")[:, None] - torch.arange(30, device="cuda")).abs()
        score = q @ k.transpose(2, 3) / 4 + mask - slopes.view(4, 1, 1) * away
        return torch.softmax(torch.cat([score, sinks.view(1, 4, 1, 1).expand(2, 4, 30, 1)], -1), -1)[..., :30] @ v

    wanted = gradients(truth, [x.double() for x in (q, k, v, mask, sinks, slopes)], g.double())
    got = gradients(lambda q, k, v, mask, sinks, slopes: attention(q, k, v, mask=mask, sinks=sinks, alibi_slopes=slopes),
                    (q, k, v, mask, sinks, slopes), g)
    report(all(distance(a, b) < 2e-5 for a, b in zip(got, wanted)), "gradients of a mask, sinks and slopes: "
           + ", ".join(f"{distance(a, b):.0e}" for a, b in zip(got, wanted)))
    mask.requires_grad_()
    torch.autograd.grad(sdpa(q, k, v, attn_mask=mask, dropout_p=0.3), mask, g)
    report(True, "dropout in scaled_dot_product_attention, with a gradient")


def windowed(q, k, v, left, right):
    at = torch.arange(q.shape[2], device="cuda")
    away = at[None, :] - at[:, None]
    return exact(q, k, v, attn_mask=(away >= -left) & (away <= right))


def test_stream(attention):
    """Queued behind slow work of the current stream, and not on the default one."""
    q, k, v = (draw(BF16, 1, 8, 2048, 64) for _ in "qkv")
    truth, side = exact(q, k, v), torch.cuda.Stream()
    with torch.cuda.stream(side):
        c = attention(torch.zeros_like(q), k, v)
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        del c  # its memory is the stream's now: to ask the driver for more would wait
        late = torch.zeros_like(q)
        torch.cuda._sleep(1_000_000_000)  # half a second
        late.copy_(q)
        c = attention(late, k, v)
        queued = not side.query()
    side.synchronize()
    report(queued and distance(c, truth) < 4e-3, "the current stream, without waiting")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured = attention(q, k, v)
    captured.zero_()
    graph.replay()
    report(distance(captured, truth) < 4e-3, "in a CUDA graph")


def test_errors(attention):
    q = draw(F32, 4, 8)
    for words, call in (
            ("k: lies in the CPU's memory", lambda: attention(q, q.cpu(), q)),
            ("v: has elements of type int64", lambda: attention(q, q, q.long())),
            ("k: is of type ndarray", lambda: attention(q, q.cpu().numpy(), q)),
            ("window: got a side of -1", lambda: attention(q, q, q, window=-1)),
            ("k has", lambda: attention(q, q[:, :4], q))):
        try:
            call()
            report(False, f"{words}: nothing was raised")
        except ValueError as error:
            report(words in str(error), f"refused: {error}")


def gradients(function, tensors, g):
    own = [x.detach().clone().requires_grad_() for x in tensors]
    return torch.autograd.grad(function(*own), own, g)


def test_autograd(sdpa):
    torch.manual_seed(2)
    q, k, v = draw(BF16, 2, 4, 200, 128), draw(BF16, 2, 2, 200, 128), draw(BF16, 2, 2, 200, 128)
    g = draw(BF16, 2, 4, 200, 128)
    named = {"is_causal": True, "enable_gqa": True}
    truth = gradients(lambda *x: SDPA(*x, **named), [x.double() for x in (q, k, v)], g.double())
    got = gradients(lambda *x: sdpa(*x, **named), (q, k, v), g)
    report(all(distance(a, b) < 8e-3 for a, b in zip(got, truth)), "gradients")
    own = [x.double().requires_grad_() for x in (q, k, v)]
    SDPA(*own, enable_gqa=True).sum().backward()
    ours = [x.clone().requires_grad_() for x in (q, k, v)]
    sdpa(*ours, enable_gqa=True).sum().backward()
    report(distance(ours[2].grad, own[2].grad) < 8e-3, "the gradient of a sum, which has no strides")
    single = [x.float()[0, 0] for x in (q, k, v)]
    report(distance(sdpa(*single), exact(*single)) < 1e-6, "two axes, f32")

    def layer(q, k, v):
        return sdpa(q * 2, k, v, **named).relu()
    compiled = torch.compile(layer, backend="aot_eager", fullgraph=True)
    report(torch.equal(compiled(q, k, v), layer(q, k, v)), "torch.compile, one graph")
    report(all(torch.equal(a, b) for a, b in zip(gradients(compiled, (q, k, v), g),
                                                 gradients(layer, (q, k, v), g))),
           "torch.compile, gradients")
    ops = importlib.import_module("qkv._torch_ops")
    torch.library.opcheck(torch.ops.qkv.attention.default,
                          (*(x.clone().requires_grad_() for x in (q, k, v)), *(None,) * len(ops.TENSORS),
                           *(default for _, _, default in ops.OPTIONS)))
    report(True, "torch.library.opcheck")


def test_others(attention):
    """CuPy and JAX, where they are installed."""
    q, k, v = (draw(F32, 2, 30, 16) for _ in "qkv")
    truth = exact(q, k, v)
    for name in ("cupy", "jax.numpy"):
        try:
            space = importlib.import_module(name)
        except ImportError:
            print(f"# {name} is not installed")
            continue
        own = [space.from_dlpack(x) for x in (q, k, v)]
        c = attention(*own)
        report(type(c) is type(own[0]) and distance(torch.from_dlpack(c), truth) < 1e-6, name)


def main(path):
    os.environ["QKV_CUDA_LIBRARY"] = os.path.abspath(path)
    attention, sdpa = load()
    print(f"# {torch.cuda.get_device_name()}, PyTorch {torch.__version__}")
    test_attention(attention)
    test_options(attention)
    test_bias(sdpa)
    test_stream(attention)
    test_errors(attention)
    test_autograd(sdpa)
    test_others(attention)
    print(f"1..{cases}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
