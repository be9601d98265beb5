#!/usr/bin/python3
"""Small calls of every kernel of libqkv_cuda, for compute-sanitizer: checked.py LIBRARY [WORD...], where words
choose among the groups forward, decode, others, gradient. Speaks TAP. Outputs are poisoned before, and must be finite.
"""
import math
import sys

import common  # first: it says where there is no device
import torch
from common import BF16, F16, F32, empty, inputs, random, report
from gpu_library import Library, Sampler, Statistics, find_cpu_library, lab_model, lab_options

EIGHT = torch.float8_e4m3fn
CAUSAL = {"causal": True, "alignment": "bottom-right"}
PACKED = {"sequences": 3, "query_starts": [0, 70, 71, 300], "key_starts": [0, 100, 140, 420]}


def check(library, name, q, k, v, expected, **named):
    c, lse = empty(q, v, q.dtype), torch.full(q.shape[:3], math.nan, device="cuda")
    chosen = library.attention(q, k, v, c, log_sum_exp=lse, **named)
    report(chosen == expected and bool(c.isfinite().all()) and not bool(lse.isnan().any()), f"{name}: {chosen}")


def group_forward(library):
    for dtype, width, value_width in ((BF16, 64, 64), (F16, 128, 128), (BF16, 192, 128), (BF16, 256, 256)):
        q, k, v = inputs(dtype, width, value_width, 2, 4, 2, 200, 420)
        for words, named in (("full", {}), ("causal", CAUSAL), ("a window, a soft cap", CAUSAL | {
                "window": True, "window_left": 60, "softcap": 9.0}), ("key lengths, sinks", {
                    "key_lengths": [420, 77], "sinks": [0.5, -1.0, 2.0, 0.0]})):
            check(library, f"forward {width}, {words}", q, k, v, "hopper", **named)
        q, k, v = inputs(dtype, width, value_width, 1, 4, 2, 300, 420)
        check(library, f"forward {width}, packed", q, k, v, "hopper", **PACKED, **CAUSAL)
    q, k, v = inputs(BF16, 128, 128, 2, 4, 2, 200, 420)
    check(library, "forward 128, dropout", q, k, v, "hopper", dropout=0.3, seed=5)
    check(library, "forward 128, fp8", q, k.float().to(EIGHT), v.float().to(EIGHT), "hopper")
    table = torch.randperm(2 * 20, device="cuda").int().view(2, 20)
    pools = [random(BF16, 40, 2, 21, 128) for _ in "kv"]
    check(library, "forward 128, pages", random(BF16, 2, 4, 260, 128), *pools, "hopper", page_table=table)


def group_decode(library):
    for dtype, stored, width, batch, keys, queries in (
            (BF16, BF16, 128, 1, 8192, 1), (BF16, BF16, 128, 2, 16000, 1), (F16, F16, 64, 3, 40000, 1),
            (BF16, BF16, 128, 70, 2100, 1), (BF16, EIGHT, 128, 2, 5000, 1), (BF16, BF16, 256, 2, 2100, 1),
            (BF16, BF16, 128, 2, 3000, 4), (F16, EIGHT, 64, 2, 5000, 3)):
        q = random(dtype, batch, 16, queries, width)
        k, v = (random(F32, batch, 4, keys, width).to(stored) for _ in "kv")
        name = f"decode {str(stored)[6:]} {width}, {batch} x {keys}, {queries} queries"
        check(library, name, q, k, v, "decode", **CAUSAL)
        check(library, f"{name}, key lengths", q, k, v, "decode",
              key_lengths=[1 + (977 * b + keys - 1) % keys for b in range(batch)])
    q, k, v = random(BF16, 2, 16, 1, 128), *(random(F32, 2, 4, 3000, 128).to(EIGHT) for _ in "kv")
    scales = torch.rand(2, 4, 3000, device="cuda")
    check(library, "decode, a scale per row", q, k, v, "decode", key_scales=scales, value_scales=scales)
    for page in (16, 128):
        table = torch.randperm(2 * 2048 // page, device="cuda").int().view(2, -1)
        pools = [random(BF16, 2 * 2048 // page, 4, page, 128) for _ in "kv"]
        check(library, f"decode, pages of {page}", q, *pools, "decode", page_table=table)


def group_others(library):
    for dtype, kernel in ((BF16, "tiled"), (F32, "tf32"), (F32, "portable")):
        q, k, v = inputs(dtype, 40, 24, 2, 4, 2, 70, 130)
        mask = torch.rand(70, 130, device="cuda") < 0.7
        mask[:, 0] = True
        for words, named in (("full", {}), ("a mask", {"mask": mask}), ("slopes, key lengths, dropout", {
                "alibi_slopes": [0.0, 0.5, 0.25, 0.1], "alignment": "top-left", "key_lengths": [130, 9],
                "dropout": 0.2})):
            check(library, f"{kernel}, {words}", q, k, v, kernel, kernel=kernel, **named)
    cpu = find_cpu_library(library.path)
    if cpu is None:
        print("# libqkv was not found: no samples")
        return
    model = lab_model(10, 64, 2, alpha=0.02, stretch=0.5)
    rows = Sampler(cpu, library.path, model, lab_options(seed=1)).draw(0, 1000)
    sums = Statistics(cpu, library.path, model, lab_options(seed=1, no_covariance=True)).sums(0, 3)
    report(bool(rows.isfinite().all()) and not bool(sums.isnan().any()), "random keys")


def group_gradient(library):
    for dtype, width in ((BF16, 128), (F16, 64)):
        for words, groups, kernel, named in (
                ("full", 4, "hopper", {}), ("causal", 4, "hopper", CAUSAL), ("grouped, causal", 2, "hopper", CAUSAL),
                ("key lengths", 2, "hopper", {"key_lengths": [420, 77]}), ("a soft cap", 4, "hopper", {"softcap": 9.0}),
                ("dropout", 4, "hopper", {"dropout": 0.3, "seed": 5}), ("packed", 2, "hopper", PACKED),
                ("portable", 2, "portable", {"alibi_slopes": [0.0, 0.5, 0.25, 0.1], "alignment": "top-left"})):
            shape = (1, 4, groups, 300, 420) if "sequences" in named else (2, 4, groups, 200, 420)
            q, k, v = inputs(dtype, width, width, *shape)
            results = [torch.full_like(x, math.nan) for x in (q, k, v)]
            chosen = library.gradient(q, k, v, random(dtype, *q.shape), *results, **named)
            report(chosen == kernel and all(bool(x.isfinite().all()) for x in results),
                   f"gradient {width}, {words}: {chosen}")


def main(path, *only):
    library = Library(path)
    torch.manual_seed(1)
    for name, group in list(globals().items()):
        if name.startswith("group_") and (not only or name[6:] in only):
            group(library)
            torch.cuda.synchronize()
    print(f"1..{common.cases}")
    return 1 if common.failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
