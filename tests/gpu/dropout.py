"""Tests of dropout, and of gradients of what is added to scores, on a device: run.py runs them."""
import math

import reference
import torch
from common import BF16, BOUND, F16, F32, F64, distance, empty, inputs, random, report
from gpu_library import CpuLibrary, find_cpu_library
from gradient import check_gradient

CAUSAL = {"causal": True, "alignment": "bottom-right"}
SINKS, SLOPES = [0.5, -1.0, 2.0, -math.inf], [0.0, 0.5, 0.25, 0.1]
# Sums of many f32 numbers of both signs; outputs that were given in 16 bits are worth no more.
SINK_BOUND = {BF16: 4e-3, F16: 5e-4, F32: 2e-5, F64: 1e-12}
BIAS_BOUND = {BF16: 2e-5, F16: 2e-5, F32: 2e-5, F64: 1e-12}


def check(library, name, q, k, v, expected, truth=None, kernel=None, **named):
    """One call, against the definition and the factors of Philox; sums are those without dropout."""
    c, sums = empty(q, v), torch.full(q.shape[:3], math.nan, device="cuda", dtype=F32)
    chosen = library.attention(q, k, v, c, log_sum_exp=sums, **({"kernel": kernel} if kernel else {}), **named)
    wanted, total = truth or reference.attention(q, k, v, **named)
    error, seen = distance(c, wanted), torch.isfinite(total)
    good = chosen == expected and error <= 1.5 * BOUND[q.dtype]
    good &= (sums.double() - total)[seen].abs().max().item() < 2e-5 and bool((c[~seen] == 0).all())
    report(good, f"dropout, {name}: {chosen}, error {error:.2e}")
    return c


def test_dropout(library):
    torch.manual_seed(21)
    for dtype in (BF16, F16):
        for width, value_width, expected in ((64, 64, "hopper"), (128, 128, "hopper"), (256, 256, "tiled"),
                                             (192, 128, "tiled"), (40, 24, "tiled")):
            for dropout, seed in ((0.1, 0), (0.5, 2**63 + 12345)):
                name, drop = f"{str(dtype)[6:]} {width} {dropout}", {"dropout": dropout, "seed": seed}
                q, k, v = inputs(dtype, width, value_width, 2, 4, 2, 300, 500)
                check(library, name, q, k, v, expected, **drop)
                check(library, f"{name} causal, sinks", q, k, v, expected, sinks=SINKS, **CAUSAL, **drop)
                check(library, f"{name} window", q, k, v, expected, window=True, window_left=100, window_right=30,
                      alignment="top-left", **drop)
                check(library, f"{name} key lengths", q, k, v, expected, key_lengths=[499, 130], **drop)
                check(library, f"{name} softcap", q, k, v, "tiled", softcap=3.0, **drop)
                check(library, f"{name} ALiBi", q, k, v, "tiled", alibi_slopes=SLOPES, alignment="top-left", **drop)
                mask = torch.rand(300, 500, device="cuda") < 0.7
                check(library, f"{name} mask", q, k, v, "tiled", mask=mask, **drop)
                q, k, v = inputs(dtype, width, value_width, 2, 4, 2, 1, 333)
                check(library, f"{name} one query", q, k, v, expected, **drop)
                starts, ends = [0, 100, 100, 250, 300], [0, 50, 90, 300, 500]
                q, k, v = inputs(dtype, width, value_width, 1, 4, 2, 300, 500)
                parts = [reference.attention(q[:, :, a:b], k[:, :, x:y], v[:, :, x:y], sequence=i, **CAUSAL, **drop)
                         for i, (a, b, x, y) in enumerate(zip(starts, starts[1:], ends, ends[1:]))]
                check(library, f"{name} packed", q, k, v, expected, sequences=4, query_starts=starts, key_starts=ends,
                      truth=[torch.cat([part[i] for part in parts], 2) for i in range(2)], **CAUSAL, **drop)
    for width, keys, count in ((128, 1000, 300), (64, 1000, 300)):  # more tiles than multiprocessors
        q, k, v = inputs(BF16, width, width, 4, 16, 4, count, keys)
        drop = {"dropout": 0.25, "seed": 7}
        c = check(library, f"many tiles {width}", q, k, v, "hopper", **drop)
        check(library, f"many tiles {width} causal", q, k, v, "hopper", **CAUSAL, **drop)
        again, same = empty(q, v), True
        for _ in range(100):
            again.fill_(math.nan)
            library.attention(q, k, v, again, **drop)
            same &= torch.equal(c, again)
        report(same, f"dropout {width}: 100 reruns give the same bits")
        alone = empty(q[:1, :4], v)
        library.attention(q[:1, :4], k[:1, :1], v[:1, :1], alone, **drop)
        report(torch.equal(alone, c[:1, :4]), f"dropout {width}: the first heads alone have their bits")
        library.attention(q, k, v, again, dropout=1.0)
        report(bool((again == 0).all()), f"dropout {width}: of all weights leaves zeros")
        bad_k, bad_v = k.clone(), v.clone()
        bad_k[:, :, 900:], bad_v[:, :, 900:] = math.nan, math.inf
        library.attention(q, bad_k, bad_v, again, key_lengths=[900] * 4, **drop)
        library.attention(q, k, v, c, key_lengths=[900] * 4, **drop)
        report(torch.equal(c, again), f"dropout {width}: NaN past key_lengths changes no bit")
    for dtype in (F32, F64):
        q, k, v = inputs(dtype, 40, 300, 2, 4, 2, 37, 65)
        for drop in ({"dropout": 0.1, "seed": 3}, {"dropout": 0.5, "seed": 2**64 - 1}):
            name = f"{str(dtype)[6:]} {drop}"
            check(library, name, q, k, v, "portable", **drop)
            check(library, f"{name} causal", q, k, v, "portable", **CAUSAL, **drop)
            check(library, f"{name} ALiBi, lengths", q, k, v, "portable", alibi_slopes=SLOPES, alignment="top-left",
                  key_lengths=[65, 9], **drop)
    q, k, v = inputs(F32, 64, 64, 2, 4, 2, 300, 500)
    c, drop = empty(q, v), {"dropout": 0.3, "seed": 5}
    kernel = library.attention(q, k, v, c, kernel="tf32", **drop)
    error = distance(c, reference.attention(q, k, v, **drop)[0])
    report(kernel == "tf32" and error < 1e-3, f"dropout, tf32: error {error:.1e}")


def test_gradient_dropout(library):
    torch.manual_seed(22)
    for dtype in (BF16, F16):
        for width in (128, 64):
            for groups in (2, 4):
                for dropout, seed in ((0.1, 1), (0.6, 2**40 + 9)):
                    drop, name = {"dropout": dropout, "seed": seed}, f"gradient {str(dtype)[6:]} {width} 4:{groups} {dropout}"
                    q, k, v = inputs(dtype, width, width, 3, 4, groups, 257, 500)
                    check_gradient(library, name, q, k, v, "hopper", **drop)
                    check_gradient(library, f"{name} causal, sinks", q, k, v, "hopper", given=True, sinks=SINKS,
                                   **CAUSAL, **drop)
                    check_gradient(library, f"{name} key lengths", q, k, v, "hopper", key_lengths=[500, 0, 130], **drop)
                    check_gradient(library, f"{name} softcap", q, k, v, "portable", softcap=5.0, **drop)
                    query_starts, key_starts = [0, 100, 100, 612, 613, 700], [0, 50, 90, 700, 1000, 1100]
                    q, k, v = inputs(dtype, width, width, 1, 4, groups, 700, 1100)

                    def packed(g):
                        parts = [reference.gradients(q[:, :, a:b], k[:, :, x:y], v[:, :, x:y], g[:, :, a:b], sequence=i,
                                                     **drop)
                                 for i, (a, b, x, y) in enumerate(zip(query_starts, query_starts[1:], key_starts,
                                                                      key_starts[1:]))]
                        return [torch.cat([part[i] for part in parts], 2) for i in range(3)]
                    check_gradient(library, f"{name} packed", q, k, v, "hopper", sequences=5, query_starts=query_starts,
                                   key_starts=key_starts, truth=packed, **drop)
    for dtype in (F32, F64, BF16):
        q, k, v = inputs(dtype, 40, 72, 2, 4, 2, 37, 65)
        for given in (False, True) if dtype != BF16 else (False,):
            check_gradient(library, f"gradient {str(dtype)[6:]} dropout", q, k, v, "portable", given=given, dropout=0.3,
                           seed=11, softcap=4.0, **CAUSAL)
    q, k, v = inputs(BF16, 128, 128, 2, 8, 4, 500, 1000)
    g, first, again = random(BF16, *q.shape), *([torch.empty_like(x) for x in (q, k, v)] for _ in "ab")
    drop = {"dropout": 0.2, "seed": 4}
    library.gradient(q, k, v, g, *first, **CAUSAL, **drop)
    run, same = library.prepared_gradient(q, k, v, g, *again, **CAUSAL, **drop), True
    for _ in range(100):
        for x in again:
            x.fill_(math.nan)
        run()
        same &= all(torch.equal(a, b) for a, b in zip(first, again))
    report(same, "gradient with dropout: 100 reruns give the same bits")
    library.gradient(q, k, v, g, *again, dropout=1.0)
    report(all(bool((x == 0).all()) for x in again), "gradient with dropout of all weights: zeros")


def sink_error(got, rows):
    """Relative to the sum of the rows' sizes: they have both signs."""
    return (got - rows.sum((0, 2))).norm().item() / rows.abs().sum((0, 2)).norm().item()


def sum_to(x, shape):
    """The sums over the axes along which a mask of that shape is broadcast."""
    shape = (1,) * (4 - len(shape)) + tuple(shape)
    axes = [axis for axis in range(4) if shape[axis] == 1]
    return (x.sum(axes, keepdim=True) if axes else x)


def test_gradient_bias(library):
    """Gradients of masks, slopes and sinks."""
    torch.manual_seed(23)
    for dtype in (F32, F64, BF16):
        q, k, v = inputs(dtype, 40, 24, 2, 4, 2, 37, 65)
        g = random(dtype, *q.shape[:3], 24)
        for shape in ((2, 4, 37, 65), (4, 37, 65), (37, 65), (65,), (37, 1), (2, 1, 1, 65), (4, 1, 1), (1, 1)):
            for named in ({}, {"dropout": 0.3, "seed": 9, **CAUSAL}, {"softcap": 3.0, "key_lengths": [65, 20]}):
                mask = random(dtype, *shape)
                if len(shape) == 2 and shape[1] == 65:
                    mask[:, 7] = -math.inf
                kind = F64 if dtype == F64 else F32
                got = torch.full(shape, math.nan, device="cuda", dtype=kind)
                slopes, sinks = (torch.full((4,), math.nan, device="cuda", dtype=F64) for _ in "ab")
                results = [torch.full_like(x, math.nan) for x in (q, k, v)] if len(shape) > 2 else [None] * 3
                named = {"alignment": "top-left"} | named
                both = {"mask": mask, "sinks": SINKS, "alibi_slopes": SLOPES}
                kernel = library.gradient(q, k, v, g, *results, mask_gradient=got, alibi_slopes_gradient=slopes,
                                          sinks_gradient=sinks, **both, **named)
                *plain, added, rows = reference.gradients(q, k, v, g, bias=True, **both, **named)
                offset = 65 - 37 if named["alignment"] == "bottom-right" else 0
                away = (torch.arange(37, device="cuda")[:, None] + offset - torch.arange(65, device="cuda")).abs()
                truth_slopes = -(added * away).sum((0, 2, 3))
                size = (added.abs() * away).sum((0, 2, 3)).norm().item()
                errors = [(got.double().view(sum_to(added, shape).shape) - sum_to(added, shape)).norm().item()
                          / added.norm().item(), (slopes - truth_slopes).norm().item() / size,
                          sink_error(sinks, rows)]
                good = kernel == "portable" and max(errors) <= BIAS_BOUND[dtype]
                for x, truth in zip(results, plain):
                    good &= x is None or distance(x, truth) < {F32: 5e-6, F64: 1e-13, BF16: 8e-3}[dtype]
                report(good, f"gradient of a mask {shape} {str(dtype)[6:]} {named}: mask {errors[0]:.1e}, "
                       f"slopes {errors[1]:.1e}, sinks {errors[2]:.1e}")
    starts, ends = [0, 10, 10, 30, 37], [0, 5, 20, 25, 65]  # a mask keeps its packed coordinates
    q, k, v = inputs(F32, 40, 24, 1, 4, 2, 37, 65)
    g, mask, got = random(F32, 1, 4, 37, 24), random(F32, 4, 37, 65), torch.full((4, 37, 65), math.nan, device="cuda")
    library.gradient(q, k, v, g, None, None, None, mask=mask, mask_gradient=got, sequences=4, query_starts=starts,
                     key_starts=ends)
    truth = torch.zeros(4, 37, 65, dtype=F64, device="cuda")
    for a, b, x, y in zip(starts, starts[1:], ends, ends[1:]):
        truth[:, a:b, x:y] = reference.gradients(q[:, :, a:b], k[:, :, x:y], v[:, :, x:y], g[:, :, a:b], bias=True,
                                                 mask=mask[:, a:b, x:y])[3][0]
    report(distance(got, truth) < 2e-5, f"gradient of a mask of packed sequences: error {distance(got, truth):.1e}")
    for dtype, width in ((BF16, 128), (F16, 64)):  # sinks alone stay with "hopper"
        q, k, v = inputs(dtype, width, width, 3, 4, 2, 257, 500)
        g = random(dtype, *q.shape)
        for named in ({}, CAUSAL, {"dropout": 0.4, "seed": 2}, {"softcap": 4.0}, {"key_lengths": [500, 0, 130]}):
            sinks, results = torch.full((4,), math.nan, device="cuda", dtype=F64), [torch.empty_like(x) for x in (q, k, v)]
            kernel = library.gradient(q, k, v, g, *results, sinks=SINKS, sinks_gradient=sinks, **named)
            error = sink_error(sinks, reference.gradients(q, k, v, g, bias=True, sinks=SINKS, **named)[4])
            report(kernel == "hopper" and error < SINK_BOUND[dtype] and sinks[3].item() == 0,
                   f"gradient of sinks {str(dtype)[6:]} {named}: {kernel}, error {error:.1e}")


def test_cpu(library):
    """Dropout and gradients of what is added are those of the CPU."""
    path = find_cpu_library(library.path)
    if path is None:
        print("# libqkv was not found: dropout is not compared with the CPU's")
        return
    torch.manual_seed(24)
    cpu = CpuLibrary(path)
    for dropout, seed in ((0.1, 0), (0.5, 2**64 - 1), (0.9999, 77), (1e-4, 2**33), (1.0, 1)):
        ours = reference.dropout_mask(2, 3, 33, 70, dropout, seed) != 0
        report(torch.equal(ours.cpu(), cpu.dropout_mask(dropout, seed, 2, 3, 33, 70)) or dropout == 1.0,
               f"the factors of dropout {dropout}, seed {seed}: the CPU's")
        for dtype, width in ((F32, 40), (F64, 24), (BF16, 128), (F16, 96)):
            q, k, v = inputs(dtype, width, width, 2, 4, 2, 33, 70)
            named = {"dropout": dropout, "seed": seed, "sinks": SINKS, "alibi_slopes": SLOPES} | CAUSAL
            if width == 128:
                del named["alibi_slopes"]
            g, there = random(dtype, *q.shape), [x.cpu() for x in (q, k, v)]
            c, expected = empty(q, v), torch.empty(q.shape, dtype=F64 if dtype == F64 else F32)
            kernel = library.attention(q, k, v, c, **named)
            cpu.attention(*there, expected, kernel="reference", **named)
            error = distance(c.cpu(), expected.double())
            good = error <= 1.5 * BOUND[dtype] if dropout < 1.0 else bool((c == 0).all())
            report(good, f"dropout {dropout} {str(dtype)[6:]}: {kernel}, error against the CPU {error:.1e}")
            wide, results = F64 if dtype == F64 else F32, [torch.full_like(x, math.nan) for x in (q, k, v)]
            wanted = [torch.empty(x.shape, dtype=wide) for x in there]
            sums, host = ({name: torch.full((4,), math.nan, device=where, dtype=F64) for name in (
                "sinks_gradient", "alibi_slopes_gradient") if name[:-9] in named} for where in ("cuda", "cpu"))
            kernel = library.gradient(q, k, v, g, *results, **named, **sums)
            cpu.gradient(*there, g.cpu(), *wanted, kernel="reference", **named, **host)
            bound = {F32: 5e-6, F64: 1e-13, F16: 1e-3, BF16: 8e-3}[dtype]
            errors = [(x.cpu().double() - y.double()).norm().item() / max(y.double().norm().item(), 1e-9)
                      for x, y in zip([*results, *sums.values()], [*wanted, *host.values()])]
            if dropout < 1.0:  # sums of both signs
                rows = reference.gradients(q, k, v, g, bias=True, **named)[4].abs().sum((0, 2)).norm().item()
                errors[3] = (sums["sinks_gradient"].cpu() - host["sinks_gradient"]).norm().item() / rows
            good = all(e <= bound for e in errors[:3]) and errors[3] <= SINK_BOUND[dtype] and max(errors[4:], default=0) < 1e-4
            report(good, f"gradient, dropout {dropout} {str(dtype)[6:]}: {kernel}, errors against the CPU "
                   + ", ".join(f"{e:.1e}" for e in errors))
