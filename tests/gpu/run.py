#!/usr/bin/python3
"""Tests of libqkv_cuda on a device: run.py LIBRARY. Speaks TAP.

Results are compared with the definition in double precision. Where PyTorch computes the same in
the same type, its error is the measure: ours may not be larger. Needs Python with PyTorch.
"""
import math
import sys

import common  # first: it says where there is no device
import dropout
import gradient
import reference
import torch
from common import BF16, BOUND, F16, F32, F64, distance, empty, inputs, random, report, worst
from gpu_library import Library, Sampler, Statistics, find_cpu_library, lab_model, lab_options

WIDTHS = ((64, 64), (128, 128), (192, 128), (256, 256))
EIGHT = torch.float8_e4m3fn


def torch_error(q, k, v, truth, may):
    """The error of PyTorch's own result in the same type, or None where it has none."""
    try:
        y = torch.nn.functional.scaled_dot_product_attention(
            q, k, v, attn_mask=None if may is None else may, enable_gqa=q.shape[1] != k.shape[1])
    except RuntimeError:
        return None
    return distance(torch.where(truth == 0, 0, y.double()), truth)


def check(library, name, q, k, v, kernel=None, compare=True, **named):
    """One call, against the definition."""
    c, lse = empty(q, v), torch.full(q.shape[:3], math.nan, device="cuda", dtype=F32)
    chosen = library.attention(q, k, v, c, log_sum_exp=lse,
                               **({"kernel": kernel} if kernel in ("portable", "tiled") else {}), **named)
    truth, total = reference.attention(q, k, v, **named)
    error = distance(c, truth)
    positions = {key: value for key, value in named.items()
                 if key in ("causal", "alignment", "query_offset", "window", "window_left", "window_right")}
    peer = None
    if compare and not set(named) - set(positions):
        may = reference.allowed(q.shape[2], k.shape[2], **positions) if positions else None
        peer = torch_error(q, k, v, truth, may)
    finite = torch.isfinite(total)
    lse_error = (lse.double() - total)[finite].abs().max().item() if finite.any() else 0.0
    good = error <= BOUND[q.dtype] and lse_error < 2e-5 and bool((lse[~finite] == -math.inf).all())
    good &= kernel is None or chosen == kernel
    if peer is not None:
        good &= error <= peer * 1.02 + 1e-6  # two roundings of the same numbers differ by chance
        worst[chosen, q.dtype] = max(worst.get((chosen, q.dtype), 0), error / max(peer, 1e-6))
    empty_rows = ~finite
    good &= bool((c[empty_rows] == 0).all())
    report(good, f"{name}: {chosen}, error {error:.2e}"
           + (f", PyTorch {peer:.2e}" if peer is not None else "") + f", log-sum-exp {lse_error:.1e}")
    return c


def test_grid(library):
    torch.manual_seed(1)
    for dtype in (BF16, F16):
        for width, value_width in WIDTHS:
            for queries, keys in ((1, 1), (128, 128), (200, 333), (333, 200), (1000, 1024), (64, 2049)):
                name, expected = f"{str(dtype)[6:]} {width} {queries}x{keys}", "hopper"
                if queries == 1:
                    expected = "decode"
                q, k, v = inputs(dtype, width, value_width, 2, 4, 2, queries, keys)
                check(library, name, q, k, v, expected)
                for alignment in ("top-left", "bottom-right"):
                    check(library, f"{name} causal {alignment}", q, k, v, expected, causal=True,
                          alignment=alignment)
                check(library, f"{name} window", q, k, v, expected, window=True, window_left=100,
                      window_right=30, alignment="bottom-right")
                check(library, f"{name} causal window", q, k, v, expected, causal=True, window=True,
                      window_left=70, alignment="top-left")


def test_options(library):
    torch.manual_seed(2)
    for dtype in (BF16, F16):
        for width, value_width in WIDTHS:
            name = f"{str(dtype)[6:]} {width}"
            q, k, v = inputs(dtype, width, value_width, 2, 4, 2, 257, 500)
            check(library, f"{name} softcap", q, k, v, "hopper", softcap=3.0)
            check(library, f"{name} scale", q, k, v, "hopper", scale=0.3, causal=True, alignment="bottom-right")
            check(library, f"{name} sinks", q, k, v, "hopper", sinks=[0.5, -math.inf, 30.0, -2.0])
            check(library, f"{name} sinks, rows that see nothing", q, k, v, "hopper", causal=True,
                  alignment="offset", query_offset=-99, softcap=20.0, sinks=[0.5, -1.0, 3.0, -2.0])
            check(library, f"{name} nothing seen", q, k, v, "hopper", causal=True, alignment="offset",
                  query_offset=-1000)
            check(library, f"{name} key lengths", q, k, v, "hopper", key_lengths=[300, 77])
            check(library, f"{name} key lengths, one empty", q, k, v, "hopper", key_lengths=[0, 500],
                  causal=True, alignment="bottom-right")


def test_joined(library):
    """More tiles than multiprocessors, so that tiles follow each other; keys end anywhere in a block."""
    torch.manual_seed(16)
    for width, value_width in WIDTHS:
        for keys in (176, 177, 240, 241, 319, 320, 321, 352, 1000):
            name = f"bf16 {width} many tiles, {keys} keys"
            q, k, v = inputs(BF16, width, value_width, 4, 16, 4, 300, keys)
            check(library, name, q, k, v, "hopper")
            check(library, f"{name}, causal", q, k, v, "hopper", causal=True, alignment="bottom-right")
        lengths = [1000, 65, 500, 0]
        check(library, f"{name}, key lengths", q, k, v, "hopper", key_lengths=lengths)
        check(library, f"{name}, softcap, key lengths", q, k, v, "hopper", softcap=4.0, key_lengths=lengths)
        clean, poisoned = empty(q, v), empty(q, v)
        library.attention(q, k, v, clean, key_lengths=lengths)
        for b, length in enumerate(lengths):
            k[b, :, length:], v[b, :, length:] = math.nan, math.inf
        library.attention(q, k, v, poisoned, key_lengths=lengths)
        report(torch.equal(clean, poisoned), f"{name}: NaN past key_lengths changes no bit")


def test_packed(library):
    torch.manual_seed(3)
    query_starts, key_starts = [0, 100, 100, 612, 613, 1500], [0, 50, 90, 700, 1000, 1777]
    for dtype, (width, value_width) in ((BF16, WIDTHS[0]), (BF16, WIDTHS[1]), (F16, WIDTHS[1]),
                                        (BF16, WIDTHS[2]), (BF16, WIDTHS[3]), (F32, (40, 24))):
        for causal in (False, True):
            q, k, v = inputs(dtype, width, value_width, 1, 4, 2, 1500, 1777)
            c, lse = empty(q, v), torch.full(q.shape[:3], math.nan, device="cuda", dtype=F32)
            named = {"causal": True, "alignment": "bottom-right"} if causal else {}
            kernel = library.attention(q, k, v, c, log_sum_exp=lse, sequences=5,
                                       query_starts=query_starts, key_starts=key_starts, **named)
            pieces = [reference.attention(q[:, :, a:b], k[:, :, x:y], v[:, :, x:y], **named)
                      for a, b, x, y in zip(query_starts, query_starts[1:], key_starts, key_starts[1:])]
            error = distance(c, torch.cat([piece[0] for piece in pieces], 2))
            report(error <= BOUND[dtype], f"packed {width} {'causal' if causal else 'full'}: {kernel}, "
                   f"error {error:.2e}")


def test_strides(library):
    """(B, L, H, D) and packed heads give the bits of a dense copy."""
    torch.manual_seed(4)
    together = random(BF16, 2, 300, 3, 4, 128)  # q, k, v of four heads in one array
    q, k, v = (together[:, :, i].transpose(1, 2) for i in range(3))
    c = torch.full((2, 300, 4, 128), math.nan, device="cuda", dtype=BF16).transpose(1, 2)
    dense = torch.empty(2, 4, 300, 128, device="cuda", dtype=BF16)
    kernel = library.attention(q, k, v, c, causal=True)
    library.attention(q.contiguous(), k.contiguous(), v.contiguous(), dense, causal=True)
    report(kernel == "hopper" and torch.equal(c, dense), f"strided heads: {kernel}, the bits of a dense copy")
    odd = random(BF16, 4, 300, 129)[:, :, 1:]
    check(library, "rows that are not aligned", *(odd[None],) * 3, kernel="portable", compare=False)


def test_promises(library):
    torch.manual_seed(5)
    for width, value_width in WIDTHS:
        q, k, v = inputs(BF16, width, value_width, 3, 8, 4, 500, 700)
        named = {"causal": True, "alignment": "bottom-right"}
        for options in ({}, named):
            first = empty(q, v)
            library.attention(q, k, v, first, **options)
            same = True
            for _ in range(250):
                again = empty(q, v)
                library.attention(q, k, v, again, **options)
                same &= torch.equal(first, again)
            report(same, f"{width} {options}: 250 reruns give the same bits")
            alone = empty(q[1:2, 2:4], v)
            library.attention(q[1:2, 2:4], k[1:2, 1:2], v[1:2, 1:2], alone, **options)
            report(torch.equal(alone, first[1:2, 2:4]), f"{width} {options}: two heads alone have their bits")
        # What is masked may be anything.
        clean, poisoned = empty(q, v), empty(q, v)
        bad_k, bad_v = k.clone(), v.clone()
        lengths = [500, 333, 1]
        for b, length in enumerate(lengths):
            bad_k[b, :, length:], bad_v[b, :, length:] = math.nan, math.inf
        library.attention(q, k, v, clean, key_lengths=lengths)
        library.attention(q, bad_k, bad_v, poisoned, key_lengths=lengths)
        report(torch.equal(clean, poisoned), f"{width}: NaN past key_lengths changes no bit")
        bad_k, bad_v = k.clone(), v.clone()
        bad_k[:, :, 600], bad_v[:, :, 600] = math.nan, math.nan  # seen from query 400 on
        library.attention(q, k, v, clean, **named)
        library.attention(q, bad_k, bad_v, poisoned, **named)
        near = distance(poisoned[:, :, :400], clean[:, :, :400].double())
        report(near < 4e-3 and bool(torch.isnan(poisoned[:, :, 400:]).all()),
               f"{width}: a NaN key reaches the rows that look at it alone ({near:.1e})")


def test_decode(library):
    """One query over a cache, or a few: splits of keys, added up in order."""
    torch.manual_seed(7)
    for dtype in (BF16, F16):
        for width in (64, 128):
            for batch, heads, groups, keys in ((1, 32, 8, 8192), (3, 8, 8, 511), (2, 8, 1, 1025), (5, 12, 4, 3000)):
                name = f"decode {str(dtype)[6:]} {width} {batch}x{keys} {heads}:{groups}"
                q, k, v = inputs(dtype, width, width, batch, heads, groups, 1, keys)
                check(library, name, q, k, v, "decode")
                check(library, f"{name} window", q, k, v, "decode", window=True, window_left=700,
                      causal=True, alignment="bottom-right")
                check(library, f"{name} lengths, cap, sinks", q, k, v, "decode", softcap=9.0,
                      key_lengths=[keys * b // batch for b in range(batch)],
                      sinks=[0.3 * h - 1 for h in range(heads)])
            for batch, heads, groups, keys, queries in (
                    (2, 8, 2, 2000, 4), (1, 32, 8, 8192, 2), (3, 16, 1, 700, 1), (2, 3, 3, 1500, 13), (2, 4, 2, 3, 8)):
                name = f"decode {str(dtype)[6:]} {width} {batch}x{keys} {heads}:{groups}, {queries} queries"
                q, k, v = inputs(dtype, width, width, batch, heads, groups, queries, keys)
                check(library, name, q, k, v, "decode")
                for alignment in ("top-left", "bottom-right"):
                    check(library, f"{name} causal {alignment}", q, k, v, "decode", causal=True,
                          alignment=alignment)
                check(library, f"{name} window", q, k, v, "decode", window=True, window_left=5,
                      window_right=600, alignment="bottom-right")
                check(library, f"{name} lengths, cap, sinks", q, k, v, "decode", softcap=9.0, causal=True,
                      key_lengths=[keys * b // batch for b in range(batch)], alignment="bottom-right",
                      sinks=[0.3 * h - 1 for h in range(heads)])
    for dtype in (BF16, F16):
        for width, batch, heads, groups, keys, queries in (
                (256, 1, 32, 8, 8192, 1), (256, 3, 8, 8, 511, 1), (256, 4, 16, 4, 3000, 4), (256, 2, 16, 1, 1500, 1),
                (64, 4, 32, 8, 40000, 1), (128, 2, 32, 4, 40000, 1)):
            name = f"decode {str(dtype)[6:]} {width} {batch}x{keys} {heads}:{groups}, {queries} queries"
            q, k, v = inputs(dtype, width, width, batch, heads, groups, queries, keys)
            check(library, name, q, k, v, "decode")
            check(library, f"{name} causal", q, k, v, "decode", causal=True, alignment="bottom-right")
            check(library, f"{name} window", q, k, v, "decode", window=True, window_left=300,
                  window_right=600, alignment="bottom-right")
            check(library, f"{name} lengths, cap, sinks", q, k, v, "decode", softcap=9.0,
                  key_lengths=[keys * b // batch for b in range(batch)], sinks=[0.3 * h - 1 for h in range(heads)])
    q, k, v = inputs(BF16, 128, 128, 2, 8, 2, 4, 3000)
    c, bad, lse = empty(q, v), empty(q, v), torch.empty(q.shape[:3], device="cuda")
    named = {"causal": True, "alignment": "bottom-right", "log_sum_exp": lse}
    library.attention(q, k, v, c, **named)
    for hidden in (1, 2, 3):  # keys that only the last queries look at
        bad_v = v.clone()
        bad_v[:, :, -hidden] = math.nan
        library.attention(q, k, bad_v, bad, **named)
        seen = 4 - hidden
        report(torch.equal(bad[:, :, :seen], c[:, :, :seen]) and bool(bad[:, :, seen:].isnan().all()),
               f"decode: NaN that {hidden} of 4 queries look at changes no bit of the others")
    for b in range(2):
        one = empty(q[b:b + 1], v)
        library.attention(q[b:b + 1], k[b:b + 1], v[b:b + 1], one, **(named | {"log_sum_exp": lse[b:b + 1].clone()}))
        report(torch.equal(one, c[b:b + 1]), "decode: a batch of 4 queries alone has its bits")
    q, k, v = inputs(BF16, 128, 128, 4, 32, 8, 1, 5000)
    first, again, alone = empty(q, v), empty(q, v), empty(q[2:3], v)
    library.attention(q, k, v, first)
    run = library.prepared(q, k, v, again)
    run()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    same = True
    for _ in range(250):
        again.fill_(math.nan)
        graph.replay()
        same &= torch.equal(first, again)
    report(same, "decode: 250 replays of a graph give the same bits")
    library.attention(q[2:3, 8:16], k[2:3, 2:4], v[2:3, 2:4], alone[:, 8:16])
    report(torch.equal(alone[:, 8:16], first[2:3, 8:16]), "decode: two key heads alone have their bits")
    lengths, clean = [5000, 4097, 1, 0], empty(q, v)
    bad_k, bad_v = k.clone(), v.clone()
    for b, length in enumerate(lengths):
        bad_k[b, :, length:], bad_v[b, :, length:] = math.nan, math.inf
    library.attention(q, k, v, clean, key_lengths=lengths)
    library.attention(q, bad_k, bad_v, again, key_lengths=lengths)
    report(torch.equal(clean, again) and bool((again[3] == 0).all()), "decode: NaN past key_lengths changes no bit")


def test_decode_blocks(library):
    """Splits of a head are added up by a cluster, by a second kernel or by one block: always the same bits."""
    torch.manual_seed(17)
    for dtype, stored, width, value_width, queries in (
            (BF16, BF16, 128, 128, 1), (F16, F16, 64, 64, 1), (BF16, BF16, 192, 128, 1), (F16, F16, 128, 128, 2),
            (BF16, EIGHT, 128, 128, 1), (BF16, EIGHT, 64, 64, 2)):
        batch, groups, keys = 144, 4, 2500 if stored == dtype else 5000
        name = f"decode {str(dtype)[6:]} {str(stored)[6:]} {width}, {queries} queries, {batch} sequences"
        q = random(dtype, batch, 4 * groups, queries, width)
        k, v = (random(F32, batch, groups, keys, x).to(stored) for x in (width, value_width))
        for named in ({}, {"key_lengths": [(b * 977 + 1) % (keys + 1) for b in range(batch)], "causal": True,
                           "alignment": "bottom-right", "sinks": [0.2 * h - 1 for h in range(4 * groups)]}):
            all_of_them, lse = empty(q, v, dtype), torch.full(q.shape[:3], math.nan, device="cuda")
            chosen = library.attention(q, k, v, all_of_them, log_sum_exp=lse, **named)
            good, error = chosen == "decode", 0.0
            for count, first in ((1, 0), (1, 71), (1, 143), (9, 0), (9, 130), (2, 65)):
                at = slice(first, first + count)
                few = {key: value[at] if key == "key_lengths" else value for key, value in named.items()}
                c, own = empty(q[at], v, dtype), torch.full((count, *q.shape[1:3]), math.nan, device="cuda")
                library.attention(q[at], k[at], v[at], c, log_sum_exp=own, **few)
                good &= torch.equal(c, all_of_them[at]) and torch.equal(own, lse[at])
                truth, _ = reference.attention(q[at], *(x[at].float() if stored == EIGHT else x[at] for x in (k, v)),
                                               **few)
                error = max(error, distance(c, truth))
            again = empty(q, v, dtype)
            for _ in range(20):
                again.fill_(math.nan)
                library.attention(q, k, v, again, log_sum_exp=lse, **named)
                good &= torch.equal(again, all_of_them)
            report(good and error <= BOUND[dtype],
                   f"{name}{', lengths' if named else ''}: error {error:.2e}, the bits of few sequences")


def make_pages(k, v, page, lengths):
    """Pools and a table for keys and values in order; what no sequence has is NaN, or no page at all."""
    batch, groups, keys, _ = k.shape
    columns = -(-keys // page)
    order = torch.randperm(batch * columns + 3)
    table = torch.full((batch, columns), 2**31 - 1, dtype=torch.int32)
    pools = [torch.full((batch * columns + 3, groups, page, x.shape[3]), math.nan, device="cuda").to(x.dtype)
             for x in (k, v)]
    for b in range(batch):
        for i in range(-(-lengths[b] // page)):
            number, rows = int(order[b * columns + i]), min(page, lengths[b] - i * page)
            table[b, i] = number
            for pool, x in zip(pools, (k, v)):
                pool.view(torch.uint8)[number, :, :rows] = x.view(torch.uint8)[b, :, i * page:i * page + rows]
    return *pools, table.cuda()


def test_pages(library):
    """Keys and values in pages: the bits of the same keys in order, where a kernel takes both."""
    torch.manual_seed(13)
    for dtype, stored, (width, value_width), kernel, queries, page in (
            *((dtype, stored, (width, width), "decode", 1, page) for dtype in (BF16, F16)
              for stored in (dtype, EIGHT) for width in (64, 128, 256) for page in (8, 16, 32, 64, 128, 384)),
            (BF16, BF16, (192, 128), "decode", 1, 16), (BF16, BF16, (128, 128), "decode", 4, 16),
            (BF16, EIGHT, (64, 64), "decode", 3, 32), (F16, F16, (128, 128), "decode", 4, 256),
            (BF16, BF16, (128, 128), "tiled", 1, 24), (BF16, BF16, (256, 256), "decode", 4, 16),
            (BF16, BF16, (128, 128), "tiled", 100, 16), (F16, F16, (72, 40), "tiled", 70, 5),
            (F32, F32, (40, 24), "portable", 3, 7), (F64, EIGHT, (40, 24), "portable", 3, 16),
            (BF16, EIGHT, (128, 128), "hopper", 40, 16), (F16, EIGHT, (64, 64), "hopper", 300, 7),
            *((BF16, BF16, widths, "hopper", 260, 24) for widths in WIDTHS), (BF16, EIGHT, (256, 256), "hopper", 70, 16),
            (BF16, EIGHT, (72, 40), "portable", 40, 16)):
        name = f"pages of {page}, {str(dtype)[6:]} {str(stored)[6:]} {width}, {queries} queries"
        q = random(dtype, 3, 8, queries, width)
        k, v = (random(F32, 3, 2, page * (3000 // page), x).to(stored) for x in (width, value_width))
        lengths = [0, k.shape[2] - 1, 1100]
        key_pool, value_pool, table = make_pages(k, v, page, lengths)
        named = {"causal": True, "alignment": "bottom-right", "softcap": 20.0, "key_lengths": lengths}
        ordered, c = empty(q, v, dtype), empty(q, v, dtype)
        chosen = library.attention(q, key_pool, value_pool, c, page_table=table, **named)
        library.attention(q, k, v, ordered, kernel=chosen, **named)
        truth, _ = reference.attention(q, *(x.float() if stored == EIGHT else x for x in (k, v)), **named)
        error = distance(c, truth)
        report(chosen == kernel and torch.equal(c, ordered) and error <= BOUND[dtype] and bool((c[0] == 0).all()),
               f"{name}: {chosen}, error {error:.2e}, the bits of keys in order")


def test_eight(library):
    """Keys and values in fp8, with scales and without."""
    torch.manual_seed(14)
    for dtype in (BF16, F16):
        for width in (64, 128, 256):
            for batch, heads, groups, keys, queries in ((1, 32, 8, 8192, 1), (3, 8, 8, 511, 1), (2, 8, 1, 1025, 1),
                                                        (2, 8, 2, 2000, 4), (2, 3, 3, 1500, 13), (2, 4, 2, 3, 8)):
                q = random(dtype, batch, heads, queries, width)
                k, v = (random(F32, batch, groups, keys, width).to(EIGHT) for _ in "kv")
                for scaled in (False, True):
                    named = {"causal": True, "alignment": "bottom-right"}
                    key_scale, value_scale = torch.ones((), device="cuda"), torch.ones((), device="cuda")
                    extra = {}
                    if scaled:  # of a head; of everything, in another type
                        key_scale, value_scale = torch.rand(1, groups, 1, device="cuda") + 0.5, torch.full((), 0.3)
                        value_scale = value_scale.to(device="cuda", dtype=BF16)
                        extra = {"key_scales": key_scale.expand(batch, groups, keys),
                                 "value_scales": value_scale.expand(batch, groups, keys)}
                        named |= {"softcap": 8.0, "sinks": [0.3 * h - 1 for h in range(heads)]}
                    c = empty(q, v, dtype)
                    chosen = library.attention(q, k, v, c, **extra, **named)
                    scale = key_scale.double()[..., None] if scaled else 1.0
                    truth, _ = reference.attention(q, k.float().double() * scale, v.float().double() * value_scale.double(),
                                                   **named)
                    error = distance(c, truth)
                    report(chosen == "decode" and error <= BOUND[dtype],
                           f"fp8 {str(dtype)[6:]} {width} {batch}x{keys} {heads}:{groups}, {queries} queries"
                           f"{', scales' * scaled}: {chosen}, error {error:.2e}")
    q, k, v = random(BF16, 2, 8, 1, 128), *(random(F32, 2, 2, 3000, 128).to(EIGHT) for _ in "kv")
    clean, bad, lengths = empty(q, v, BF16), empty(q, v, BF16), [3000, 1700]
    library.attention(q, k, v, clean, key_lengths=lengths)
    bad_k, bad_v = k.clone(), v.clone()
    for x in (bad_k, bad_v):
        x.view(torch.uint8)[1, :, 1700:] = 0x7f  # NaN
    library.attention(q, bad_k, bad_v, bad, key_lengths=lengths)
    report(torch.equal(clean, bad), "fp8: NaN past key_lengths changes no bit")
    bad_v.view(torch.uint8)[0, 1, 77, 5] = 0xff
    library.attention(q, bad_k, bad_v, bad, key_lengths=lengths)
    report(bool(bad[0, 4:, :, 5].isnan().all()) and int(bad.isnan().sum()) == 4, "fp8: a NaN that is looked at shows")


def test_row_scales(library):
    """fp8 with one scale per row: of any size, of any type, in pages too."""
    torch.manual_seed(17)
    for dtype in (BF16, F16):
        for width in (64, 128, 256):
            for heads, groups, keys, queries, page in ((8, 2, 3000, 1, 0), (32, 8, 70000, 1, 0), (3, 3, 1500, 13, 0),
                                                       (8, 2, 2000, 4, 0), (8, 2, 2048, 1, 16), (4, 2, 1024, 8, 256)):
                q = random(dtype, 2, heads, queries, width)
                k, v = (random(F32, 2, groups, keys, width).to(EIGHT) for _ in "kv")
                for spread in (0.5, 20.0):  # of the scales, in powers of 2
                    named = {"causal": True, "alignment": "bottom-right", "softcap": 20.0 if width == 64 else 0.0}
                    scales = [torch.rand(2, groups, keys, device="cuda").mul(spread).exp2() for _ in "kv"]
                    scales[0] = scales[0].clamp_max(4.0).to(BF16)
                    scales[1] = scales[1] * 2**-spread * torch.randn_like(scales[1]).sign()
                    scales[1][:, :, 3::7] = 0.0
                    truth, _ = reference.attention(q, *(x.double() * s.double()[..., None] for x, s in
                                                        zip((k.float(), v.float()), scales)), **named)
                    kept, extra = [k, v, *scales], {}
                    if page:  # in a random order
                        order = torch.randperm(2 * keys // page, device="cuda")
                        extra = {"page_table": order.argsort().int().view(2, -1)}
                        kept = [x.view(torch.uint8) if x.dtype == EIGHT else x for x in kept]
                        kept = [x.unflatten(2, (-1, page)).transpose(1, 2).flatten(0, 1)[order].contiguous() for x in kept]
                        kept[:2] = [x.view(EIGHT) for x in kept[:2]]
                    c = empty(q, v, dtype)
                    chosen = library.attention(q, *kept[:2], c, key_scales=kept[2], value_scales=kept[3], **extra, **named)
                    error = distance(c, truth)
                    report(chosen == "decode" and error <= BOUND[dtype],
                           f"fp8 {str(dtype)[6:]} {width} {keys} {heads}:{groups}, {queries} queries"
                           f"{f', pages of {page}' if page else ''}, scales over 2^{spread:g}: {chosen}, error {error:.2e}")
    q, k, v = random(BF16, 2, 8, 1, 128), *(random(F32, 2, 2, 3000, 128).to(EIGHT) for _ in "kv")
    clean, bad, lengths = empty(q, v, BF16), empty(q, v, BF16), [3000, 1700]
    scales = torch.rand(2, 2, 3000, device="cuda") + 0.1
    library.attention(q, k, v, clean, key_scales=scales, value_scales=scales, key_lengths=lengths)
    same = True
    for _ in range(50):
        library.attention(q, k, v, bad, key_scales=scales, value_scales=scales, key_lengths=lengths)
        same &= torch.equal(clean, bad)
    scales[1, :, 1700:] = math.nan
    library.attention(q, k, v, bad, key_scales=scales, value_scales=scales, key_lengths=lengths)
    report(same and torch.equal(clean, bad), "fp8: scales of NaN past key_lengths change no bit, nor do reruns")
    alone = empty(q[1:], v[1:], BF16)
    library.attention(q[1:], k[1:], v[1:], alone, key_scales=scales[1:], value_scales=scales[1:], key_lengths=[1700])
    report(torch.equal(alone, clean[1:]), "fp8: with scales per row a sequence alone has its bits")


def test_ordered(library):
    """Many queries over bytes: copies of keys and values in 16 bits are exact, or, with scales, rounded as PyTorch's."""
    for dtype, width, queries, named in (
            (BF16, 128, 500, {}), (F16, 64, 333, {"window": True, "window_left": 200, "alignment": "bottom-right"}),
            (BF16, 256, 200, {"softcap": 8.0, "sinks": [0.3 * h - 1 for h in range(4)], "key_lengths": [700, 650]})):
        for stored, scaled in ((EIGHT, False), (EIGHT, True), (torch.int8, True)):
            q, factor = random(dtype, 2, 4, queries, width), 1 if stored == EIGHT else 40
            k, v = ((random(F32, 2, 2, 700, width) * factor).to(stored) for _ in "kv")
            scales = (torch.rand(2, 2, 700, device="cuda") + 0.5) / factor if scaled else torch.ones(2, 2, 700, device="cuda")
            c, extra = empty(q, v, dtype), {"key_scales": scales, "value_scales": scales} if scaled else {}
            chosen = library.attention(q, k, v, c, **extra, **named)
            k, v = (x.float() * scales[..., None] for x in (k, v))
            truth, _ = reference.attention(q, k, v, **named)
            bound, error = BOUND[dtype], distance(c, truth)
            if scaled and not set(named) - {"window", "window_left", "alignment"}:
                may = reference.allowed(queries, 700, **named) if named else None
                bound = 1.02 * torch_error(q, k.to(dtype), v.to(dtype), truth, may)
            elif scaled:  # the same copies, given by the caller
                rounded = empty(q, v, dtype)
                library.attention(q, k.to(dtype), v.to(dtype), rounded, **named)
                bound = distance(rounded, truth)
            report(chosen == "hopper" and error <= bound,
                   f"{str(stored)[6:]} {str(dtype)[6:]} {width}, {queries} queries{', a scale per row' * scaled}: {chosen}, "
                   f"error {error:.2e}, at most {bound:.2e}")


def test_tiled(library):
    """Tiles on the matrix unit of any device: every option."""
    torch.manual_seed(12)
    for dtype in (BF16, F16):
        for width, value_width in (*WIDTHS, (72, 40), (8, 136)):
            for queries, keys in ((1, 1), (200, 333), (333, 200), (64, 1025)):
                name = f"tiled {str(dtype)[6:]} {width} {queries}x{keys}"
                q, k, v = inputs(dtype, width, value_width, 2, 4, 2, queries, keys)
                check(library, name, q, k, v, "tiled")
                for alignment in ("top-left", "bottom-right"):
                    check(library, f"{name} causal {alignment}", q, k, v, "tiled", causal=True, alignment=alignment)
                check(library, f"{name} window", q, k, v, "tiled", window=True, window_left=100,
                      window_right=30, alignment="bottom-right")
            name = f"tiled {str(dtype)[6:]} {width}"
            q, k, v = inputs(dtype, width, value_width, 2, 4, 2, 150, 300)
            mask = torch.rand(150, 300, device="cuda") < 0.5
            mask[3] = False
            check(library, f"{name} mask", q, k, v, "tiled", mask=mask)
            several = torch.rand(2, 4, 150, 300, device="cuda") < 0.5
            check(library, f"{name} a mask a head", q, k, v, "tiled", mask=several)
            bias = torch.where(mask, torch.randn(150, 300, device="cuda"), -math.inf)
            check(library, f"{name} added mask", q, k, v, "tiled", mask=bias)
            check(library, f"{name} added mask, f64, finite", q, k, v, "tiled",
                  mask=mask[:1].double() * 1e300 - 1e300)
            check(library, f"{name} softcap, negative scale", q, k, v, "tiled", softcap=3.0, scale=-0.3,
                  compare=False)
            check(library, f"{name} ALiBi, sinks, lengths", q, k, v, "tiled", sinks=[0.1, 2.0, -1.0, 0.0],
                  alibi_slopes=[0.0, 0.5, 0.25, 0.1], key_lengths=[300, 9], alignment="top-left")
            check(library, f"{name} nothing seen by some", q, k, v, "tiled", causal=True, alignment="offset",
                  query_offset=-99)
    query_starts, key_starts = [0, 100, 100, 612, 613, 1500], [0, 50, 90, 700, 1000, 1777]
    q, k, v = inputs(BF16, 128, 128, 1, 4, 2, 1500, 1777)
    c, named = empty(q, v), {"causal": True, "alignment": "bottom-right"}
    library.attention(q, k, v, c, sequences=5, query_starts=query_starts, key_starts=key_starts, kernel="tiled", **named)
    pieces = [reference.attention(q[:, :, a:b], k[:, :, x:y], v[:, :, x:y], **named)[0]
              for a, b, x, y in zip(query_starts, query_starts[1:], key_starts, key_starts[1:])]
    report(distance(c, torch.cat(pieces, 2)) <= BOUND[BF16], "tiled: packed sequences")
    q, k, v = inputs(BF16, 128, 128, 3, 8, 4, 500, 700)
    mask = torch.rand(500, 700, device="cuda") < 0.8
    mask[:, 650] = torch.arange(500, device="cuda") >= 400
    for options in ({"mask": mask, "kernel": "tiled"}, named | {"kernel": "tiled"}):
        first, again = empty(q, v), empty(q, v)
        library.attention(q, k, v, first, **options)
        same = True
        for _ in range(250):
            again.fill_(math.nan)
            library.attention(q, k, v, again, **options)
            same &= torch.equal(first, again)
        report(same, "tiled: 250 reruns give the same bits")
        alone = empty(q[1:2, 2:4], v)
        library.attention(q[1:2, 2:4], k[1:2, 1:2], v[1:2, 1:2], alone, **options)
        report(torch.equal(alone, first[1:2, 2:4]), "tiled: two heads alone have their bits")
        for bad in (math.nan, math.inf):
            bad_k, bad_v, which = k.clone(), v.clone(), 650 if "mask" in options else 600
            bad_k[:, :, which], bad_v[:, :, which] = math.nan, bad  # seen from query 400 on
            library.attention(q, bad_k, bad_v, again, **options)
            report(torch.equal(again[:, :, :400], first[:, :, :400]) and bool(again[:, :, 400:].isnan().all()),
                   f"tiled: {bad} reaches the rows that look at it alone, and changes no bit of others")
    chosen = library.attention(q, k, v, first, mask=mask)
    report(chosen == "tiled", f"a mask is taken by {chosen}")


def check_tf32(library, name, q, k, v, compare=False, **named):
    """f32 with products in tf32, against the definition and, where asked, PyTorch with products in tf32."""
    c, lse = empty(q, v), torch.full(q.shape[:3], math.nan, device="cuda")
    chosen = library.attention(q, k, v, c, log_sum_exp=lse, kernel="tf32", **named)
    truth, total = reference.attention(q, k, v, **named)
    error, finite = distance(c, truth), torch.isfinite(total)
    lse_error = (lse.double() - total)[finite].abs().max().item() if finite.any() else 0.0
    good = chosen == "tf32" and error <= TF32_BOUND and lse_error < 4e-3 and bool((c[~finite] == 0).all())
    good &= bool((lse[~finite] == -math.inf).all())
    if compare:
        score = torch.softmax(q @ k.repeat_interleave(q.shape[1] // k.shape[1], 1).transpose(2, 3) / math.sqrt(q.shape[3]), -1)
        peer = distance(score @ v.repeat_interleave(q.shape[1] // v.shape[1], 1), truth)
        good &= error <= 1.02 * peer
        worst[chosen, F32] = max(worst.get((chosen, F32), 0), error / peer)
    report(good, f"{name}: {chosen}, error {error:.2e}" + (f", PyTorch {peer:.2e}" if compare else "")
           + f", log-sum-exp {lse_error:.1e}")
    return c


TF32_BOUND = 1e-3  # queries, keys, weights and values keep 10 bits of fraction


def test_tf32(library):
    torch.manual_seed(16)
    torch.backends.cuda.matmul.allow_tf32 = True
    causal = {"causal": True, "alignment": "bottom-right"}
    for width, value_width in ((64, 64), (128, 128), (40, 24), (4, 100)):
        for queries, keys in ((1, 1), (200, 333), (333, 200), (64, 1025), (128, 512)):
            name = f"tf32 {width} {queries}x{keys}"
            q, k, v = inputs(F32, width, value_width, 2, 4, 2, queries, keys)
            # Where rows are not at multiples of 16 bytes PyTorch may stay in f32.
            check_tf32(library, name, q, k, v, compare=width >= 64 and keys % 8 == 0)
            check_tf32(library, f"{name} causal", q, k, v, **causal)
            check_tf32(library, f"{name} window", q, k, v, window=True, window_left=100, window_right=30,
                       alignment="bottom-right")
        name = f"tf32 {width}"
        q, k, v = inputs(F32, width, value_width, 2, 4, 2, 150, 300)
        mask = torch.rand(150, 300, device="cuda") < 0.5
        mask[3] = False
        check_tf32(library, f"{name} mask", q, k, v, mask=mask)
        check_tf32(library, f"{name} softcap, negative scale", q, k, v, softcap=3.0, scale=-0.3)
        check_tf32(library, f"{name} ALiBi, sinks, lengths", q, k, v, sinks=[0.1, 2.0, -1.0, 0.0],
                   alibi_slopes=[0.0, 0.5, 0.25, 0.1], key_lengths=[300, 9], alignment="top-left")
    torch.backends.cuda.matmul.allow_tf32 = False
    q, k, v = inputs(F32, 128, 128, 3, 8, 4, 500, 700)
    first, again = empty(q, v), empty(q, v)
    library.attention(q, k, v, first, kernel="tf32", **causal)
    for bad in (math.nan, math.inf):
        bad_k, bad_v = k.clone(), v.clone()
        bad_k[:, :, 600], bad_v[:, :, 600] = math.nan, bad  # seen from query 400 on
        library.attention(q, bad_k, bad_v, again, kernel="tf32", **causal)
        report(torch.equal(again[:, :, :400], first[:, :, :400]) and bool(again[:, :, 400:].isnan().all()),
               f"tf32: {bad} reaches the rows that look at it alone, and changes no bit of others")
    report(library.attention(q, k, v, again) == "portable", "tf32 must be named: f32 is taken by portable")


def test_portable(library):
    torch.manual_seed(6)
    for dtype in (F64, F32, F16, BF16):
        name = str(dtype)[6:]
        q, k, v = inputs(dtype, 40, 300, 2, 4, 2, 37, 65)
        check(library, name, q, k, v, "portable", compare=False)
        check(library, f"{name} causal softcap", q, k, v, "portable", causal=True,
              alignment="bottom-right", softcap=5.0)
        mask = torch.rand(37, 65, device="cuda") < 0.7
        mask[3] = False
        check(library, f"{name} mask", q, k, v, "portable", mask=mask)
        bias = torch.where(mask, torch.randn(37, 65, device="cuda"), -math.inf)
        check(library, f"{name} added mask", q, k, v, "portable", mask=bias)
        check(library, f"{name} ALiBi, sinks, lengths", q, k, v, "portable", sinks=[0.1, 2.0, -1.0, 0.0],
              alibi_slopes=[0.0, 0.5, 0.25, 0.1], key_lengths=[65, 9], alignment="top-left")
    q, k, v = inputs(F32, 16, 16, 1, 2, 2, 20, 30)
    weights, entropy, raw = (torch.empty(*shape, device="cuda") for shape in
                             ((1, 2, 20, 30), (1, 2, 20), (1, 2, 20, 30)))
    c = empty(q, v)
    library.attention(q, k, v, c, weights=weights, entropy=entropy, scores_raw=raw)
    score = (q.double() @ k.double().transpose(2, 3)) / 4
    truth = torch.softmax(score, -1)
    report(distance(weights, truth) < 1e-6 and distance(raw, score) < 1e-6
           and distance(entropy, -(truth * truth.log()).sum(-1)) < 1e-6, "weights, scores and entropy")
    scale_k, scale_v = torch.rand(1, 2, 30, device="cuda") / 50, torch.rand(1, 2, 30, device="cuda") / 50
    byte_k, byte_v = (torch.randint(-127, 128, (1, 2, 30, 16), device="cuda", dtype=torch.int8) for _ in "kv")
    library.attention(q, byte_k, byte_v, c, key_scales=scale_k, value_scales=scale_v)
    truth, _ = reference.attention(q, byte_k * scale_k[..., None], byte_v * scale_v[..., None])
    report(distance(c, truth) < 1e-6, f"bytes with scales: error {distance(c, truth):.1e}")


ALL_HEADS = 2**64 - 1
QUANTITIES = [(0, 1, 0, 0, None), (1, 0, 1, 0, None), (1, 2, ALL_HEADS, 0, None), (2, 1, 1, 0, None),
              (3, 0, 0, 0, [0.5, 0.25, -1.0]), (5, 0, 0, 3, None), (4, 0, 0, 0, [1.0, -2.0, 0.5, 0.0, 3.0, 1.0])]


def test_lab(library):
    """Samples and statistics of the lab: the CPU's bits."""
    cpu = find_cpu_library(library.path)
    if cpu is None:
        print("# libqkv was not found: samples are not compared with the CPU's")
        return
    values = [math.sin(i) for i in range(15)]
    for name, model, options in (
            ("10 keys", lab_model(10, 64, 1, alpha=1e-4, stretch=0.5), lab_options(seed=1)),
            ("2 heads", lab_model(10, 64, 2, alpha=0.02, stretch=0.5), lab_options(seed=2**63 + 5)),
            ("values and quantities", lab_model(5, 7, 2, alpha=0.3, values=values),
             lab_options(seed=7, quantities=QUANTITIES)),
            ("one shared vector", lab_model(5, 7, 3, alpha=0.3, shared=True), lab_options(seed=9)),
            ("no noise", lab_model(3, 3, 1), lab_options()),
            ("300 keys", lab_model(300, 300, 1, alpha=1.0), lab_options(seed=3))):
        sampler = Sampler(cpu, library.path, model, options)
        good = True
        for first, count in ((0, 5000), (2**40 + 17, 1001), (3, 1)):
            good &= torch.equal(sampler.draw(first, count).cpu(), sampler.draw_cpu(first, count))
        report(good, f"samples, {name}: the CPU's bits")
    below = [([1.0] + [0.0] * 4, 0, 0.9), ([0.0, 1.0, -1.0, 0.0, 0.0], 3, 0.0)]
    for name, model, options in (
            ("10 keys", lab_model(10, 64, 1, alpha=1e-4, stretch=0.5), lab_options(seed=1)),
            ("2 heads, variances alone", lab_model(10, 64, 2, alpha=0.02, stretch=0.5),
             lab_options(seed=2**63 + 5, no_covariance=True)),
            ("events", lab_model(5, 7, 2, alpha=0.3), lab_options(seed=7, events=[below, [], below[:1]])),
            ("a condition", lab_model(5, 7, 1, alpha=0.3), lab_options(seed=7, events=[below[1:]], given=below[:1])),
            ("values and quantities", lab_model(5, 7, 2, alpha=0.3, values=values),
             lab_options(seed=7, quantities=QUANTITIES)),
            ("100 keys", lab_model(100, 100, 1, alpha=1.0), lab_options(seed=3, no_covariance=True))):
        ours, theirs = (Statistics(cpu, library.path, model, options) for _ in "ab")
        ours.add(ours.sums(0, 5))
        ours.add(ours.sums(5, 40))
        theirs.run(45 * 1024)
        for sampler in (ours, theirs):
            sampler.run(100)  # a chunk that is not full is the CPU's
        report(ours.results() == theirs.results(), f"statistics, {name}: the CPU's bits")
    try:
        Sampler(cpu, library.path, lab_model(1000, 1000, 1, alpha=1.0), lab_options())
        report(False, "a sample that is too large is refused")
    except RuntimeError as error:
        report("more than" in str(error), f"refused: {error}")


def test_errors(library):
    q, k, v = inputs(BF16, 64, 64, 1, 1, 1, 8, 8)
    for words, named in (("needs", {"kernel": "hopper", "alibi_slopes": [1.0]}),
                         ("kernel is", {"kernel": "amx"}), ("key_lengths", {"key_lengths": [9]})):
        try:
            library.attention(q, k, v, empty(q, v), **named)
            report(False, f"{named} is refused")
        except RuntimeError as error:
            report(words in str(error), f"refused: {error}")


def main(path, *only):
    library = Library(path)
    print(f"# {torch.cuda.get_device_name()}, PyTorch {torch.__version__}")
    for name, test in (globals() | vars(gradient) | vars(dropout)).items():
        if name.startswith("test_") and (not only or name[5:] in only):
            test(library)
            torch.cuda.synchronize()
    for (kernel, dtype), ratio in worst.items():
        print(f"# {kernel} {str(dtype)[6:]}: error at most {ratio:.3f} of PyTorch's")
    print(f"1..{common.cases}")
    return 1 if common.failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
