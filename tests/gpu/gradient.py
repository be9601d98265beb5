"""Tests of gradients on a device: run.py runs them."""
import math

import reference
import torch
from common import BF16, F16, F32, F64, distance, empty, inputs, random, report, worst


def torch_gradients(q, k, v, g, may):
    """PyTorch's own gradients in the same type, or None where it has none."""
    own = [x.detach().clone().requires_grad_() for x in (q, k, v)]
    try:
        y = torch.nn.functional.scaled_dot_product_attention(*own, attn_mask=may, enable_gqa=q.shape[1] != k.shape[1])
        return torch.autograd.grad(y, own, g)
    except RuntimeError:
        return None


# What rounding weights and their gradients to the type costs, relative to the whole.
GRADIENT_BOUND = {BF16: 8e-3, F16: 1e-3, F32: 5e-6, F64: 1e-13}


def check_gradient(library, name, q, k, v, kernel=None, given=False, truth=None, **named):
    """One gradient, against the definition. A gradient of zeros must be zeros."""
    g, got = random(q.dtype, *q.shape[:3], v.shape[3]), [torch.full_like(x, math.nan) for x in (q, k, v)]
    extra = {"kernel": kernel} if kernel == "portable" else {}
    if given:
        c, lse = empty(q, v), torch.empty(q.shape[:3], device="cuda", dtype=F64 if q.dtype == F64 else F32)
        library.attention(q, k, v, c, log_sum_exp=lse, **named)
        extra |= {"given_output": c, "given_log_sum_exp": lse}
    chosen = library.gradient(q, k, v, g, *got, **extra, **named)
    truth = truth(g) if truth else reference.gradients(q, k, v, g, **named)
    positions = {key: value for key, value in named.items()
                 if key in ("causal", "alignment", "query_offset", "window", "window_left", "window_right")}
    peer = None
    if q.dtype in (BF16, F16) and not set(named) - set(positions) and not truth[0].isnan().any():
        may = reference.allowed(q.shape[2], k.shape[2], **positions) if positions else None
        if may is None or may.any(1).all():
            peer = torch_gradients(q, k, v, g, may)
    good, text, lonely = kernel is None or chosen == kernel, [], None
    if positions:
        may = reference.allowed(q.shape[2], k.shape[2], **positions)
        lonely = ~may.any(1), ~may.any(0)
    for i, which in enumerate(("dq", "dk", "dv")):
        size = truth[i].norm().item()
        error = (got[i].double() - truth[i]).norm().item()
        if size <= 1e-9 * truth[2].norm().item():  # one key: dq and dk are 0, but for rounding
            good &= error <= GRADIENT_BOUND[q.dtype] * truth[2].norm().item()
            continue
        error /= size
        good &= error <= GRADIENT_BOUND[q.dtype]
        text.append(f"{which} {error:.2e}")
        if peer is not None:
            other = distance(peer[i], truth[i])
            good &= error <= 2 * other + 1e-6
            text[-1] += f" ({other:.2e})"
            worst[f"gradient {chosen}", q.dtype] = max(worst.get((f"gradient {chosen}", q.dtype), 0),
                                                       error / max(other, 1e-6))
        if lonely is not None:  # queries that look at nothing, keys that none looks at
            good &= bool((got[i][:, :, lonely[i > 0]] == 0).all())
    report(good, f"{name}: {chosen}, {', '.join(text)}")
    return got


def test_gradient_portable(library):
    torch.manual_seed(8)
    for dtype in (F64, F32, F16, BF16):
        name = f"gradient {str(dtype)[6:]}"
        q, k, v = inputs(dtype, 40, 300, 2, 4, 2, 37, 65)
        for given in (False, True) if dtype in (F32, F64) else (False,):
            check_gradient(library, f"{name}{' given' * given}", q, k, v, "portable", given)
            check_gradient(library, f"{name} causal softcap{' given' * given}", q, k, v, "portable", given,
                           causal=True, alignment="bottom-right", softcap=5.0)
        check_gradient(library, f"{name} window", q, k, v, "portable", window=True, window_left=7,
                       window_right=3, alignment="top-left")
        check_gradient(library, f"{name} nothing seen", q, k, v, "portable", causal=True, alignment="offset",
                       query_offset=-20)
        mask = torch.rand(37, 65, device="cuda") < 0.7
        mask[3] = False
        check_gradient(library, f"{name} mask", q, k, v, "portable", mask=mask)
        check_gradient(library, f"{name} ALiBi, sinks, lengths", q, k, v, "portable", sinks=[0.1, 2.0, -1.0, 0.0],
                       alibi_slopes=[0.0, 0.5, 0.25, 0.1], key_lengths=[65, 9], alignment="top-left")
        starts, ends = [0, 10, 10, 30, 37], [0, 5, 20, 25, 65]
        q, k, v = (x[:1] for x in (q, k, v))

        def packed(g):
            parts = [reference.gradients(q[:, :, a:b], k[:, :, x:y], v[:, :, x:y], g[:, :, a:b])
                     for a, b, x, y in zip(starts, starts[1:], ends, ends[1:])]
            return [torch.cat([part[i] for part in parts], 2) for i in range(3)]
        check_gradient(library, f"{name} packed", q, k, v, "portable", sequences=4, query_starts=starts,
                       key_starts=ends, truth=packed)
    q, k, v = inputs(F32, 16, 24, 2, 4, 2, 20, 30)
    g, clean, poisoned = random(F32, 2, 4, 20, 24), *([torch.empty_like(x) for x in (q, k, v)] for _ in "ab")
    library.gradient(q, k, v, g, *clean, key_lengths=[30, 12])
    bad_k, bad_v = k.clone(), v.clone()
    bad_k[1, :, 12:], bad_v[1, :, 12:] = math.nan, math.inf
    library.gradient(q, bad_k, bad_v, g, *poisoned, key_lengths=[30, 12])
    report(all(torch.equal(a, b) for a, b in zip(clean, poisoned)),
           "gradient: NaN past key_lengths changes no bit")
    alone = torch.full_like(k, math.nan)
    library.gradient(q, k, v, g, None, alone, None, key_lengths=[30, 12])
    report(torch.equal(alone, clean[1]), "gradient: dk alone has its bits")


def test_gradient_hopper(library):
    torch.manual_seed(10)
    for dtype in (BF16, F16):
        for width in (128, 64):
            for queries, keys in ((128, 128), (1, 300), (200, 333), (333, 200), (1000, 1024), (64, 2049)):
                name = f"gradient {str(dtype)[6:]} {width} {queries}x{keys}"
                q, k, v = inputs(dtype, width, width, 2, 4, 2, queries, keys)
                check_gradient(library, name, q, k, v, "hopper", given=queries % 2 == 0)
                for alignment in ("top-left", "bottom-right"):
                    check_gradient(library, f"{name} causal {alignment}", q, k, v, "hopper", causal=True,
                                   alignment=alignment)
                check_gradient(library, f"{name} window", q, k, v, "hopper", window=True, window_left=100,
                               window_right=30, alignment="bottom-right")
            q, k, v = inputs(dtype, width, width, 2, 4, 4, 257, 500)
            name = f"gradient {str(dtype)[6:]} {width}"
            check_gradient(library, f"{name} scale", q, k, v, "hopper", scale=0.3, causal=True,
                           alignment="bottom-right")
            check_gradient(library, f"{name} sinks", q, k, v, "hopper", sinks=[0.5, -1.0, 3.0, -2.0])
            check_gradient(library, f"{name} nothing seen by some", q, k, v, "hopper", causal=True,
                           alignment="offset", query_offset=-99)
            check_gradient(library, f"{name} nothing seen", q, k, v, "hopper", causal=True,
                           alignment="offset", query_offset=-1000)


def packed_truth(q, k, v, query_starts, key_starts, **named):
    def truth(g):
        parts = [reference.gradients(q[:, :, a:b], k[:, :, x:y], v[:, :, x:y], g[:, :, a:b], **named)
                 for a, b, x, y in zip(query_starts, query_starts[1:], key_starts, key_starts[1:])]
        return [torch.cat([part[i] for part in parts], 2) for i in range(3)]
    return truth


def test_gradient_listed(library):
    """Soft caps, key lengths and packed sequences."""
    torch.manual_seed(15)
    causal, query_starts = {"causal": True, "alignment": "bottom-right"}, [0, 100, 100, 612, 613, 700, 1500]
    key_starts = [0, 50, 90, 700, 1000, 1000, 1777]
    for dtype in (BF16, F16):
        for width in (128, 64):
            for groups in (2, 4):
                name = f"gradient {str(dtype)[6:]} {width} 4:{groups}"
                q, k, v = inputs(dtype, width, width, 3, 4, groups, 257, 500)
                for cap in (3.0, 30.0):
                    check_gradient(library, f"{name} softcap {cap}", q, k, v, "hopper", softcap=cap)
                    check_gradient(library, f"{name} softcap {cap} causal, sinks", q, k, v, "hopper", given=True,
                                   softcap=cap, sinks=[0.5, -1.0, 3.0, -2.0], **causal)
                check_gradient(library, f"{name} key lengths", q, k, v, "hopper", key_lengths=[500, 0, 130])
                check_gradient(library, f"{name} key lengths, causal, softcap", q, k, v, "hopper", given=True,
                               key_lengths=[128, 499, 1], softcap=10.0, **causal)
                check_gradient(library, f"{name} key lengths, window", q, k, v, "hopper", key_lengths=[300, 200, 500],
                               window=True, window_left=50, window_right=70, alignment="top-left")
                q, k, v = inputs(dtype, width, width, 1, 4, groups, 1500, 1777)
                packed = {"sequences": 6, "query_starts": query_starts, "key_starts": key_starts}
                for named in ({}, causal, {"softcap": 5.0}):
                    check_gradient(library, f"{name} packed {named}", q, k, v, "hopper",
                                   truth=packed_truth(q, k, v, query_starts, key_starts, **named), **packed, **named)
    q, k, v = inputs(BF16, 128, 128, 3, 8, 4, 300, 1000)
    g, lengths = random(BF16, *q.shape), [700, 0, 999]
    for options in ({"key_lengths": lengths}, {"key_lengths": lengths, "softcap": 4.0} | causal):
        first, again = ([torch.empty_like(x) for x in (q, k, v)] for _ in "ab")
        library.gradient(q, k, v, g, *first, **options)
        bad_k, bad_v = k.clone(), v.clone()
        for b, length in enumerate(lengths):
            bad_k[b, :, length:], bad_v[b, :, length:] = math.nan, math.inf
        library.gradient(q, bad_k, bad_v, g, *again, **options)
        report(all(torch.equal(a, b) for a, b in zip(first, again)) and bool((first[1][0, :, 700:] == 0).all()),
               "gradient: NaN past key_lengths changes no bit, and has zeros")
        same, run = True, library.prepared_gradient(q, k, v, g, *again, **options)
        for _ in range(100):
            for x in again:
                x.fill_(math.nan)
            run()
            same &= all(torch.equal(a, b) for a, b in zip(first, again))
        report(same, "gradient of a list: 100 reruns give the same bits")
    plain, listed = ([torch.empty_like(x) for x in (q, k, v)] for _ in "ab")
    library.gradient(q, k, v, g, *plain, **causal)
    library.gradient(q, k, v, g, *listed, key_lengths=[1000] * 3, **causal)
    report(all(torch.equal(a, b) for a, b in zip(plain, listed)), "gradient of a list: full lengths have the plain bits")
    packed = [x.transpose(0, 1).reshape(1, x.shape[1], -1, 128) for x in (q, k, v, g)]
    whole = [torch.empty_like(x) for x in packed[:3]]
    library.gradient(*packed, *whole, sequences=3, query_starts=[0, 300, 600, 900], key_starts=[0, 1000, 2000, 3000], **causal)
    report(all(torch.equal(a, b.view(b.shape[1], 3, -1, 128).transpose(0, 1)) for a, b in zip(plain, whole)),
           "gradient of a list: packed sequences have the bits of a batch")


def test_gradient_promises(library):
    """Bits of reruns, of heads alone, of strided rows, of results alone."""
    torch.manual_seed(11)
    for width in (128, 64):
        q, k, v = inputs(BF16, width, width, 3, 8, 4, 500, 3000)
        g = random(BF16, *q.shape)
        for options in ({}, {"causal": True, "alignment": "bottom-right"}):
            first, again = ([torch.empty_like(x) for x in (q, k, v)] for _ in "ab")
            kernel = library.gradient(q, k, v, g, *first, **options)
            same, run = True, library.prepared_gradient(q, k, v, g, *again, **options)
            for _ in range(250):
                for x in again:
                    x.fill_(math.nan)
                run()
                same &= all(torch.equal(a, b) for a, b in zip(first, again))
            report(same, f"gradient {width} {options}: {kernel}, 250 reruns give the same bits")
            some = [x[1:2, 2:4].contiguous() for x in (q, g)] + [x[1:2, 1:2].contiguous() for x in (k, v)]
            alone = [torch.empty_like(x) for x in (some[0], some[2], some[3])]
            library.gradient(some[0], some[2], some[3], some[1], *alone, **options)
            report(torch.equal(alone[0], first[0][1:2, 2:4]) and torch.equal(alone[1], first[1][1:2, 1:2])
                   and torch.equal(alone[2], first[2][1:2, 1:2]),
                   f"gradient {width} {options}: heads alone have their bits")
            strided = [x.transpose(1, 2).contiguous().transpose(1, 2) for x in (q, k, v, g)]
            other = [torch.empty_like(x) for x in strided[:3]]
            library.gradient(*strided, *other, **options)
            single = torch.empty_like(q)
            library.gradient(q, k, v, g, single, None, None, **options)
            report(all(torch.equal(a, b) for a, b in zip(first, other)) and torch.equal(single, first[0]),
                   f"gradient {width} {options}: strided heads and dq alone have their bits")
    for width in (128, 64):  # more blocks than the device holds, which wait for each other
        q, k, v, g = (random(BF16, 2, 16, 4096, width) for _ in "qkvg")
        first, again = ([torch.empty_like(x) for x in (q, k, v)] for _ in "ab")
        library.gradient(q, k, v, g, *first)
        same, run = True, library.prepared_gradient(q, k, v, g, *again)
        for _ in range(50):
            for x in again:
                x.fill_(math.nan)
            run()
            same &= all(torch.equal(a, b) for a, b in zip(first, again))
        alone = [torch.empty_like(q[1:, 5:6]) for _ in "qkv"]
        library.gradient(*(x[1:, 5:6] for x in (q, k, v, g)), *alone)
        report(same and all(torch.equal(a, b[1:, 5:6]) for a, b in zip(alone, first)),
               f"gradient {width}, many blocks: 50 reruns, and a head alone, give the same bits")
