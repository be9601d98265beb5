#!/usr/bin/python3
"""Times libqkv_cuda beside PyTorch on one GPU: gpu.py LIBRARY [--json FILE] [--only TEXT] [--rounds N].

Calls of all sides take turns, since a card's clock follows its power: in each round each side runs
for a few milliseconds over three sets of random inputs, and the median round counts. Each round begins
with another side, so that none always follows one that let the card cool. The ratio is to
the fastest of cuDNN and FlashAttention as PyTorch offers them; LIBRARY may be several files with
commas between, which are then compared with each other too.
"""
import argparse
import json
import math
import sys

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from gpu_library import Library, Sampler, Statistics, find_cpu_library, lab_model, lab_options

SDPA = torch.nn.functional.scaled_dot_product_attention
TOKENS, HIDDEN, SETS = 16384, 2048, 3
PEERS = {"cuDNN": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}


def elapsed(function, count):
    """Seconds of a call; a peer's backend is chosen once, not in every call."""
    backend = getattr(function, "backend", None)
    if backend is not None:
        with sdpa_kernel(backend):
            return elapsed_plain(function, count)
    return elapsed_plain(function, count)


def elapsed_plain(function, count):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for i in range(count):
        function(i)
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 1e3 / count


def median(values):
    return sorted(values)[len(values) // 2]


class Row:
    """One shape: functions of all sides, and what is counted."""

    def __init__(self, name, work, unit, sides):
        self.name, self.work, self.unit, self.sides = name, work, unit, sides

    def measure(self, rounds, seconds):
        counts, times = {}, {side: [] for side in self.sides}
        for side, function in list(self.sides.items()):
            elapsed(function, 2)
            counts[side] = max(2, int(seconds / max(elapsed(function, 2), 1e-6)))
        sides = list(self.sides)
        for number in range(rounds):
            for i in range(len(sides)):
                side = sides[(number + i) % len(sides)]
                times[side].append(elapsed(self.sides[side], counts[side]))
        return {side: median(values) for side, values in times.items()}

    def drop_slow(self):
        """Leaves out a peer that another beats by a third: it would only let the card rest."""
        seconds = {side: min(elapsed(self.sides[side], 2) for _ in range(2))
                   for side in PEERS if side in self.sides}
        for side, time in seconds.items():
            if time > 1.33 * min(seconds.values()):
                del self.sides[side]


def tensors(heads, length, width, dtype=torch.bfloat16):
    return torch.randn(1, heads, length, width, device="cuda", dtype=torch.float32).to(dtype)


def peer_call(backend, sets, **named):
    def call(i):
        return SDPA(*sets[i % SETS], **named)
    call.backend = backend
    return call


def works(function):
    try:
        with sdpa_kernel(function.backend):
            function(0)
        torch.cuda.synchronize()
        return True
    except RuntimeError:
        return False


def flash_calls(sets, starts=None, window=None, causal=False):
    """PyTorch's FlashAttention as its own operator, which takes windows and packed sequences: (B, H, L, D) tensors,
    packed ones with a batch of 1. Returns the call, or None, and its inputs."""
    ordered = [tuple(x[0].transpose(0, 1).contiguous() if starts else x.transpose(1, 2) for x in inputs)
               for inputs in sets]
    at = torch.tensor(starts, device="cuda", dtype=torch.int32) if starts else None
    longest = max(b - a for a, b in zip(starts, starts[1:])) if starts else sets[0][0].shape[2]
    sides = {"window_size_left": window - 1, "window_size_right": 0} if window else {}

    def call(*inputs):
        return torch.ops.aten._flash_attention_forward(*inputs, at, at, longest, longest, 0.0, causal, False,
                                                       **sides)[0]
    try:
        call(*ordered[0])
        torch.cuda.synchronize()
        return call, ordered
    except RuntimeError:
        return None, ordered


def same(ours, theirs, name):
    """A peer that computes something else is no peer."""
    distance = ((ours.float() - theirs.float()).norm() / ours.float().norm()).item()
    if distance > 1e-2:
        sys.exit(f"gpu.py: {name}: the results differ by {distance:.1e}")


def forward(libraries, name, width, length, causal=False, value_width=None, groups=None, window=None,
            dtype=torch.bfloat16, batch=None, dropout=0.0):
    value_width, heads = value_width or width, HIDDEN // width if width != 192 else 16
    batch = batch or TOKENS // length
    groups = groups or heads
    sets = []
    for _ in range(SETS):
        q, k, v = (torch.randn(batch, h, length, w, device="cuda", dtype=torch.float32).to(dtype)
                   for h, w in ((heads, width), (groups, width), (groups, value_width)))
        sets.append((q, k, v))
    output = torch.empty(batch, heads, length, value_width, device="cuda", dtype=dtype)
    named = {"causal": True} if causal else {}
    if dropout:
        named |= {"dropout": dropout}
    pairs = length * length / (2 if causal else 1)
    if window:
        named |= {"window": True, "window_left": window - 1}
        pairs = window * length - window * (window - 1) / 2
    sides = {}
    for label, library in libraries.items():
        calls = [library.prepared(*inputs, output, **named) for inputs in sets]
        sides[label] = lambda i, calls=calls: calls[i % SETS]()
    extra = {"is_causal": causal, "dropout_p": dropout} if not window else {}
    if groups != heads:
        extra["enable_gqa"] = True
    if window:  # in scaled_dot_product_attention a window is a mask, which neither peer takes
        call, ordered = flash_calls(sets, window=window, causal=True)
        if call:
            next(iter(sides.values()))(0)
            same(output, call(*ordered[0]).transpose(1, 2), name)
            sides["flash"] = lambda i: call(*ordered[i % SETS])
    else:
        for label, backend in PEERS.items():
            call = peer_call(backend, sets, **extra)
            if works(call):
                sides[label] = call
    return Row(name, 2 * batch * heads * pairs * (width + value_width), "TFLOP/s", sides)


def forward_stored(libraries, name, stored, page):
    """Causal prefill, 32 heads over 8, of a sequence whose keys are in fp8 or in pages; PyTorch has neither: its sides
    read the same keys in bf16 and in order."""
    length, sets, kept, sides = 8192, [], [], {}
    for _ in range(SETS):
        sets.append(tuple(torch.randn(2, heads, length, 128, device="cuda").bfloat16() for heads in (32, 8, 8)))
        key, value = (x.view(2, 8, -1, page, 128).transpose(1, 2).reshape(-1, 8, page, 128) if page else x
                      for x in sets[-1][1:])
        kept.append((sets[-1][0], key.to(stored), value.to(stored)))
    named = {"page_table": torch.arange(2 * length // page, device="cuda").int().view(2, -1)} if page else {}
    output = torch.empty_like(sets[0][0])
    for label, library in libraries.items():
        calls = [library.prepared(*inputs, output, causal=True, **named) for inputs in kept]
        sides[label] = lambda i, calls=calls: calls[i % SETS]()
    for label, backend in PEERS.items():
        call = peer_call(backend, sets, is_causal=True, enable_gqa=True)
        if works(call):
            sides[label] = call
    return Row(name, 2 * 2 * 32 * length * length * 128, "TFLOP/s", sides)


def forward_masked(libraries, name, width, length):
    """A boolean mask of the caller's, by the kernel "tiled"; PyTorch's efficient backend takes masks."""
    heads, batch, sets = HIDDEN // width, TOKENS // length, []
    for _ in range(SETS):
        sets.append(tuple(torch.randn(batch, heads, length, width, device="cuda").bfloat16() for _ in "qkv"))
    mask, output, sides = torch.rand(length, length, device="cuda") < 0.9, torch.empty_like(sets[0][0]), {}
    for label, library in libraries.items():
        calls = [library.prepared(*inputs, output, mask=mask) for inputs in sets]
        sides[label] = lambda i, calls=calls: calls[i % SETS]()
    for label, backend in (("cuDNN", SDPBackend.CUDNN_ATTENTION), ("efficient", SDPBackend.EFFICIENT_ATTENTION)):
        call = peer_call(backend, sets, attn_mask=mask)
        if works(call):
            sides[label] = call
    return Row(name, 4 * batch * heads * width * length * length, "TFLOP/s", sides)


def forward_single(libraries, name, width, length):
    """f32: the kernel "tf32", beside what PyTorch takes f32 with (its efficient kernel, in f32)."""
    heads, batch = HIDDEN // width, TOKENS // length
    sets = [tuple(torch.randn(batch, heads, length, width, device="cuda") for _ in "qkv") for _ in range(SETS)]
    output, sides = torch.empty_like(sets[0][0]), {}
    for label, library in libraries.items():
        calls = [library.prepared(*inputs, output, kernel="tf32") for inputs in sets]
        sides[label] = lambda i, calls=calls: calls[i % SETS]()
    call = peer_call(SDPBackend.EFFICIENT_ATTENTION, sets)
    if works(call):
        sides["efficient"] = call
    return Row(name, 4 * batch * heads * width * length * length, "TFLOP/s", sides)


def backward(libraries, name, width, length, causal=False, groups=None, dtype=torch.bfloat16, softcap=None,
             dropout=0.0):
    """Gradients of query, key and value, from the forward call's output and log-sum-exp. PyTorch has no soft
    cap: its sides go without."""
    named = {"causal": causal} | ({"softcap": softcap} if softcap else {}) | ({"dropout": dropout} if dropout else {})
    heads, batch = HIDDEN // width, TOKENS // length
    groups, sets, peers = groups or heads, [], {label: [] for label in PEERS}
    for _ in range(SETS):
        q, k, v, g = (torch.randn(batch, h, length, width, device="cuda", dtype=torch.float32).to(dtype)
                      for h in (heads, groups, groups, heads))
        c, lse = torch.empty_like(q), torch.empty(batch, heads, length, device="cuda")
        next(iter(libraries.values())).attention(q, k, v, c, log_sum_exp=lse, **named)
        sets.append((q, k, v, g, c, lse))
    results = [torch.empty_like(x) for x in sets[0][:3]]
    sides = {}
    for label, library in libraries.items():
        calls = [library.prepared_gradient(*inputs[:4], *results, given_output=inputs[4],
                                           given_log_sum_exp=inputs[5], **named) for inputs in sets]
        sides[label] = lambda i, calls=calls: calls[i % SETS]()
    for label, backend in PEERS.items():
        try:
            with sdpa_kernel(backend):
                for inputs in sets:
                    own = [x.detach().clone().requires_grad_() for x in inputs[:3]]
                    out = SDPA(*own, is_causal=causal, enable_gqa=groups != heads, dropout_p=dropout)
                    torch.autograd.grad(out, own, inputs[3], retain_graph=True)
                    peers[label].append((out, own, inputs[3]))
            torch.cuda.synchronize()
        except RuntimeError:
            continue
        sides[label] = lambda i, known=peers[label]: torch.autograd.grad(*known[i % SETS], retain_graph=True)
    return Row(name, 10 * batch * heads * width * length * length / (2 if causal else 1), "TFLOP/s", sides)


def backward_packed(libraries, name, width, lengths, causal):
    """Gradients of packed sequences; FlashAttention takes them as they are, cuDNN as a nested tensor."""
    heads, starts = HIDDEN // width, [0]
    for length in lengths:
        starts.append(starts[-1] + length)
    sides, sets = {}, []
    named = {"sequences": len(lengths), "query_starts": starts, "key_starts": starts, "causal": causal}
    for _ in range(SETS):
        q, k, v, g = (tensors(heads, starts[-1], width) for _ in range(4))
        c, lse = torch.empty_like(q), torch.empty(1, heads, starts[-1], device="cuda")
        next(iter(libraries.values())).attention(q, k, v, c, log_sum_exp=lse, **named)
        sets.append((q, k, v, g, c, lse))
    results = [torch.empty_like(x) for x in sets[0][:3]]
    for label, library in libraries.items():
        calls = [library.prepared_gradient(*inputs[:4], *results, given_output=inputs[4], given_log_sum_exp=inputs[5],
                                           **named) for inputs in sets]
        sides[label] = lambda i, calls=calls: calls[i % SETS]()
    offsets = torch.tensor(starts, device="cuda")
    for label, backend in PEERS.items():
        try:
            known = []
            with sdpa_kernel(backend):
                for inputs in sets:
                    own = [torch.nested.nested_tensor_from_jagged(
                        x[0].transpose(0, 1).contiguous(), offsets, min_seqlen=min(lengths),
                        max_seqlen=max(lengths)).detach().requires_grad_() for x in inputs[:3]]
                    out = SDPA(*(x.transpose(1, 2) for x in own), is_causal=causal)
                    known.append((out, own, out.detach().clone()))
                    torch.autograd.grad(*known[-1], retain_graph=True)
            torch.cuda.synchronize()
            sides[label] = lambda i, known=known: torch.autograd.grad(*known[i % SETS], retain_graph=True)
        except (RuntimeError, NotImplementedError):
            continue
    call, ordered = flash_calls([inputs[:3] for inputs in sets], starts, causal=causal)
    if call:
        known = []
        for own, inputs in zip(ordered, sets):
            own = [x.detach().requires_grad_() for x in own]
            known.append((call(*own), own, inputs[3][0].transpose(0, 1).contiguous()))
        next(iter(sides.values()))(0)
        for ours, theirs in zip(results, torch.autograd.grad(*known[0], retain_graph=True)):
            same(ours[0], theirs.transpose(0, 1), name)
        sides["flash"] = lambda i: torch.autograd.grad(*known[i % SETS], retain_graph=True)
    pairs = sum(length * length for length in lengths) / (2 if causal else 1)
    return Row(name, 10 * heads * pairs * width, "TFLOP/s", sides)


def packed(libraries, name, width, lengths, causal):
    """Sequences one after the other; FlashAttention takes them as they are, cuDNN as a nested tensor."""
    heads, starts = HIDDEN // width, [0]
    for length in lengths:
        starts.append(starts[-1] + length)
    sets = [tuple(tensors(heads, starts[-1], width) for _ in range(3)) for _ in range(SETS)]
    output = torch.empty_like(sets[0][0])
    named = {"sequences": len(lengths), "query_starts": starts, "key_starts": starts, "causal": causal}
    sides = {}
    for label, library in libraries.items():
        calls = [library.prepared(*inputs, output, **named) for inputs in sets]
        sides[label] = lambda i, calls=calls: calls[i % SETS]()
    nested = []
    for inputs in sets:
        offsets = torch.tensor(starts, device="cuda")
        nested.append(tuple(
            torch.nested.nested_tensor_from_jagged(x[0].transpose(0, 1).contiguous(), offsets,
                                                   min_seqlen=min(lengths), max_seqlen=max(lengths))
            .transpose(1, 2) for x in inputs))
    for label, backend in PEERS.items():
        call = peer_call(backend, nested, is_causal=causal)
        if works(call):
            sides[label] = call
    call, ordered = flash_calls(sets, starts, causal=causal)
    if call:  # without what a nested tensor costs
        next(iter(sides.values()))(0)
        same(output[0], call(*ordered[0]).transpose(0, 1), name)
        sides["flash"] = lambda i: call(*ordered[i % SETS])
    pairs = sum(length * length for length in lengths) / (2 if causal else 1)
    return Row(name, 4 * heads * pairs * width, "TFLOP/s", sides)


def replayed(function, count):
    """The same calls as a CUDA graph, to be replayed."""
    backend = getattr(function, "backend", None)
    if backend is not None:
        plain = lambda i: function(i)  # noqa: E731
        with sdpa_kernel(backend):
            return replayed(plain, count)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for i in range(count):
            function(i)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(count):
            function(i)
    return lambda i: graph.replay()


def decode(libraries, name, batch, keys, graphs, queries=1, stored=torch.bfloat16, page=None, scaled=False):
    """Few queries, 32 heads over 8, width 128; caches together larger than the card's cache. PyTorch has
    neither fp8 nor pages: its sides read the same keys in bf16 and in order. Scaled: one number in f32 per
    row of fp8, whose bytes are not counted."""
    each = batch * 8 * keys * 128 * 2 * stored.itemsize
    count = max(2, min(8, int(3e9 / each)))
    caches = [tuple(torch.randn(batch, 8, keys, 128, device="cuda", dtype=torch.bfloat16) for _ in "kv")
              for _ in range(count)]
    q = torch.randn(batch, 32, queries, 128, device="cuda", dtype=torch.bfloat16)
    output, sides, pieces = torch.empty_like(q), {}, [(cache, {}) for cache in caches]
    if page:  # in a random order, the same for all caches
        table = torch.randperm(batch * keys // page, device="cuda").int().view(batch, -1)
        pieces = [([x.view(batch, 8, -1, page, 128).transpose(1, 2).reshape(-1, 8, page, 128) for x in cache],
                   {"page_table": table}) for cache in caches]
    pieces = [([x.to(stored) for x in kept], named) for kept, named in pieces]
    if scaled:
        pieces = [(kept, named | {f"{which}_scales": torch.rand(kept[0].shape[:3], device="cuda") + 0.5
                                  for which in ("key", "value")}) for kept, named in pieces]
    for label, library in libraries.items():
        calls = [library.prepared(q, *kept, output, **named) for kept, named in pieces]
        sides[label] = lambda i, calls=calls: calls[i % count]()
    for label, backend in PEERS.items():
        def call(i):
            return SDPA(q, *caches[i % count], enable_gqa=True)
        call.backend = backend
        if works(call):
            sides[label] = call
    if graphs:
        sides = {label: replayed(function, 2 * count) for label, function in sides.items()}
    return Row(name, each * (2 * count if graphs else 1), "TB/s", sides)


def random_keys(libraries, name, keys, width, statistics=False):
    """Weights of random keys, beside the obvious program: all keys drawn, in f32. Ours are f64. Statistics: means,
    variances, extremes and confidence intervals, with what the host has to do; the obvious program's are means and
    variances."""
    batch, beta, alpha, sides = 1 << 18, 10.0, 1e-2, {}
    means = torch.eye(keys, width, device="cuda")

    def obvious(i):
        drawn = means + alpha**0.5 * torch.randn(batch, keys, width, device="cuda")
        weights = torch.softmax(drawn @ (beta * means[0]), dim=1)
        return torch.var_mean(weights, dim=0) if statistics else weights

    many = 1 << 24
    to = torch.empty(many, keys, dtype=torch.float64, device="cuda")
    for label, library in libraries.items():
        cpu = find_cpu_library(library.path)
        if cpu is None:
            raise FileNotFoundError("libqkv was not found beside libqkv_cuda; QKV_LIBRARY may name it")
        model = lab_model(keys, width, 1, alpha=alpha, beta=beta)
        if statistics:
            sampler = Statistics(cpu, library.path, model, lab_options(seed=1, no_covariance=True))
            sums = torch.empty(many // 1024, sampler.tables.sums, dtype=torch.float64, device="cuda")
            sides[label] = lambda i, sampler=sampler, sums=sums: sampler.add(
                sampler.sums(i * many // 1024, many // 1024, sums))
            continue
        sampler = Sampler(cpu, library.path, model, lab_options(seed=1))
        sides[label] = lambda i, sampler=sampler: sampler.draw(i * many, many, to)
    sides["torch"] = lambda i: [obvious(i) for _ in range(many // batch)]
    return Row(name, 1e3 * many, "G samples/s", sides)


def rows():
    """(name, maker) of every row of the table."""
    yield "random keys n10 d64", lambda l, n: random_keys(l, n, 10, 64)
    yield "random keys n10 d64 statistics", lambda l, n: random_keys(l, n, 10, 64, statistics=True)
    for graphs in (True, False):
        for batch, keys in ((1, 8192), (1, 16384), (1, 131072), (16, 8192), (64, 8192)):
            yield (f"decode bf16 d128 32:8 {batch}x{keys}" + (" graph" if graphs else ""),
                   lambda l, n, batch=batch, keys=keys, graphs=graphs: decode(l, n, batch, keys, graphs))
    yield "decode bf16 d128 32:8 16x8192 4 queries graph", lambda l, n: decode(l, n, 16, 8192, True, 4)
    for batch, keys in ((1, 131072), (16, 8192), (64, 8192)):
        for stored, page in ((torch.bfloat16, 16), (torch.float8_e4m3fn, None), (torch.float8_e4m3fn, 16)):
            words = ("bf16" if stored == torch.bfloat16 else "e4m3") + f" d128 32:8 {batch}x{keys}"
            yield (f"decode {words}" + (f" pages of {page}" if page else "") + " graph",
                   lambda l, n, batch=batch, keys=keys, stored=stored, page=page: decode(
                       l, n, batch, keys, True, stored=stored, page=page))
    for batch, keys in ((1, 131072), (16, 8192)):
        yield (f"decode e4m3 d128 32:8 {batch}x{keys} scales per row graph",
               lambda l, n, batch=batch, keys=keys: decode(l, n, batch, keys, True, stored=torch.float8_e4m3fn,
                                                           scaled=True))
    for length in (16384, 4096, 2048, 1024):
        yield f"forward bf16 d128 L{length}", lambda l, n, length=length: forward(l, n, 128, length)
    for length in (16384, 2048):
        yield f"forward bf16 d128 L{length} causal", lambda l, n, length=length: forward(
            l, n, 128, length, causal=True)
    for width in (64, 256):
        for causal in (False, True):
            yield (f"forward bf16 d{width} L16384" + " causal" * causal,
                   lambda l, n, width=width, causal=causal: forward(l, n, width, 16384, causal=causal))
    for causal in (False, True):
        yield ("forward bf16 d192/128 L4096" + " causal" * causal,
               lambda l, n, causal=causal: forward(l, n, 192, 4096, causal=causal, value_width=128))
    yield "forward f16 d128 L4096", lambda l, n: forward(l, n, 128, 4096, dtype=torch.float16)
    yield "forward bf16 d128 L16384 window 1024", lambda l, n: forward(
        l, n, 128, 16384, causal=True, window=1024)
    yield "forward bf16 d64 L8192 GQA 32:4 causal", lambda l, n: forward(
        l, n, 64, 8192, causal=True, groups=4)
    for stored, page in ((torch.bfloat16, None), (torch.bfloat16, 16), (torch.float8_e4m3fn, None),
                         (torch.float8_e4m3fn, 16)):
        words = "bf16" if stored == torch.bfloat16 else "e4m3"
        yield (f"forward {words} d128 L8192 GQA 32:8 causal" + (f" pages of {page}" if page else ""),
               lambda l, n, stored=stored, page=page: forward_stored(l, n, stored, page))
    for width in (64, 128):
        yield f"forward f32 d{width} L4096 tf32", lambda l, n, width=width: forward_single(l, n, width, 4096)
    yield "forward bf16 d128 L4096 mask", lambda l, n: forward_masked(l, n, 128, 4096)
    for length in (16384, 8192, 2048):
        for causal in (False, True):
            yield (f"backward bf16 d128 L{length}" + " causal" * causal,
                   lambda l, n, length=length, causal=causal: backward(l, n, 128, length, causal))
    for causal in (False, True):
        yield ("backward bf16 d64 L8192" + " causal" * causal,
               lambda l, n, causal=causal: backward(l, n, 64, 8192, causal))
    yield "backward bf16 d128 L8192 GQA 16:4 causal", lambda l, n: backward(l, n, 128, 8192, True, groups=4)
    lengths = [100, 3900, 700, 2300, 1500, 400, 4000, 900, 1700, 884]
    for causal in (False, True):
        yield ("forward bf16 d128 packed 100 to 4000" + " causal" * causal,
               lambda l, n, causal=causal: packed(l, n, 128, lengths, causal))
        yield ("backward bf16 d128 packed 100 to 4000" + " causal" * causal,
               lambda l, n, causal=causal: backward_packed(l, n, 128, lengths, causal))
    for causal in (False, True):  # ours with 32 random bits per weight, flash with 8
        yield ("forward bf16 d128 L4096 dropout" + " causal" * causal,
               lambda l, n, causal=causal: forward(l, n, 128, 4096, causal=causal, dropout=0.1))
        yield ("backward bf16 d128 L4096 dropout" + " causal" * causal,
               lambda l, n, causal=causal: backward(l, n, 128, 4096, causal, dropout=0.1))
    yield "backward bf16 d128 L8192 softcap causal", lambda l, n: backward(l, n, 128, 8192, True, softcap=30.0)


def limits():
    """The fastest matrix product and copy of this run."""
    a, b = (torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16) for _ in "ab")
    product = median([elapsed(lambda i: a @ b, 10) for _ in range(5)])
    x = torch.empty(1 << 30, device="cuda", dtype=torch.uint8)
    y = torch.empty_like(x)
    copy = median([elapsed(lambda i: y.copy_(x), 5) for _ in range(5)])
    return 2 * 8192**3 / product / 1e12, 2 * x.numel() / copy / 1e12


def describe(row, times, ours, libraries, product, copy):
    value, limit = row.work / times[ours] / 1e12, {"TFLOP/s": product, "TB/s": copy}.get(row.unit)
    peers = {side: seconds for side, seconds in times.items() if side not in libraries}
    best = min(peers, key=peers.get) if peers else None
    return {"name": row.name, "value": value, "unit": row.unit, "limit": limit,
            "fraction": value / limit if limit else None, "peer": row.work / peers[best] / 1e12 if best else None,
            "ratio": peers[best] / times[ours] if best else None, "limit_by": {"TFLOP/s": "bf16 matrix product", "TB/s": "copy"}.get(row.unit),
            "peer_by": f"{best}, torch {torch.__version__}" if best else None, "kernel": ours,
            "spread": None}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--json")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=0.03)
    chosen = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("gpu.py: no CUDA device was found; nothing was timed")
    paths = chosen.library.split(",")
    libraries = {"qkv" if len(paths) == 1 else path.split("/")[-1][:-3]: Library(path, shared=True)
                 for path in paths}
    product, copy = limits()
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}; matrix product {product:.0f} "
          f"TFLOP/s, copy {copy:.2f} TB/s", flush=True)
    results = [{"name": f"limit {name}", "value": value, "unit": unit, "limit": None, "fraction": None,
                "peer": None, "ratio": None}
               for name, value, unit in (("bf16 matrix product gpu", product, "TFLOP/s"),
                                         ("copy gpu", copy, "TB/s"))]
    for name, make in rows():
        if not any(word in name for word in chosen.only.split("|")):
            continue
        row = make(libraries, name)
        row.drop_slow()
        times = row.measure(chosen.rounds, chosen.seconds)
        for label in libraries:
            results.append(describe(row, times, label, libraries, product, copy))
        best = min((times[side] for side in times if side not in libraries), default=math.nan)
        print(f"{name:44}" + " ".join(
            f"{side} {row.work / seconds / 1e12:.{0 if row.unit == 'TFLOP/s' else 2}f}" + (f" ({best / seconds:.3f})" if side in libraries else "")
            for side, seconds in times.items()), flush=True)
        del row
        torch.cuda.empty_cache()
    if chosen.json:
        with open(chosen.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
