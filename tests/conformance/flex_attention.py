#!/usr/bin/python3
"""FlexAttention's score and mask functions that options of qkv.attention can say: the same results as
torch's flex_attention (eager), in f64 and f32. Speaks TAP; without torch it is skipped.

The truth is flex_attention in f64. It has no gradients on a CPU: those are held against autograd's, of
attention written out with the same two functions. In f64 itself the two differ by roundings of sums over the keys: at
most KEYS + WIDTH of them, of numbers no larger than the largest of the result times the number of terms
of its sums. In f32 qkv's error is at most twice that of flex_attention in f32, or some roundings.
"""
import sys
import warnings

try:
    import torch
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
except ImportError as missing:
    print(f"1..0 # SKIP {missing.name} is not installed")
    sys.exit(0)

import qkv

BATCH, HEADS, KEYS, WIDTH = 2, 4, 24, 16
SLOPES = torch.tensor([2.0**-(h + 1) for h in range(HEADS)], dtype=torch.float64)
BIAS = torch.randn(HEADS, 2 * KEYS, generator=torch.Generator().manual_seed(5), dtype=torch.float64)
LENGTHS = torch.tensor([KEYS, 7])
DOCUMENTS = torch.tensor([0] * 5 + [1] * 12 + [2] * 7)
STARTS = [0, 5, 17, 24]
PREFIX, WINDOW, CAP, OFFSET = 6, 4, 3.0, 10


def positions(queries=KEYS):
    return torch.arange(queries)[:, None], torch.arange(KEYS)[None, :]


def alibi(score, b, h, i, j):
    return score - SLOPES.to(score.dtype)[h] * (i - j).abs()


def cap(score, b, h, i, j):
    return CAP * torch.tanh(score / CAP)


def relative(score, b, h, i, j):
    return score + BIAS.to(score.dtype)[h, i - j + KEYS]


def causal(b, h, i, j):
    return i >= j


def window(b, h, i, j):
    return (i >= j) & (i - j <= WINDOW)


def prefix(b, h, i, j):
    return (i >= j) | (j < PREFIX)


def both(*masks):
    return lambda b, h, i, j: torch.stack([mask(b, h, i, j) for mask in masks]).all(0)


def bias_table(kind):
    i, j = positions()
    return BIAS.to(kind)[:, i - j + KEYS]


# Name; score function; mask function; qkv's options, as a function of the type; sizes that differ.
CASES = [
    ("nothing", None, None, lambda kind: {}, {}),
    ("scale", None, None, lambda kind: {"scale": 0.5}, {"scale": 0.5}),
    ("causal", None, causal, lambda kind: {"causal": True}, {}),
    ("sliding window", None, window, lambda kind: {"window": (WINDOW, 0)}, {}),
    ("window on both sides", None, lambda b, h, i, j: (i - j).abs() <= WINDOW,
     lambda kind: {"window": WINDOW}, {}),
    ("prefix", None, prefix, lambda kind: {"mask": prefix(0, 0, *positions())}, {}),
    ("documents", None, lambda b, h, i, j: DOCUMENTS[i] == DOCUMENTS[j],
     lambda kind: {"query_starts": STARTS, "key_starts": STARTS}, {"batch": 1}),
    ("documents, causal", None, both(causal, lambda b, h, i, j: DOCUMENTS[i] == DOCUMENTS[j]),
     lambda kind: {"query_starts": STARTS, "key_starts": STARTS, "causal": True}, {"batch": 1}),
    ("padding", None, lambda b, h, i, j: j < LENGTHS[b],
     lambda kind: {"key_lengths": LENGTHS.tolist()}, {}),
    ("heads that look differently", None, lambda b, h, i, j: (i - j) % (h + 1) == 0,
     lambda kind: {"mask": torch.stack([(lambda i, j: (i - j) % (h + 1) == 0)(*positions())
                                        for h in range(HEADS)])}, {}),
    ("queries behind an offset", None, lambda b, h, i, j: i + OFFSET >= j,
     lambda kind: {"causal": True, "offset": OFFSET}, {"queries": 5}),
    ("ALiBi", alibi, None, lambda kind: {"alibi_slopes": SLOPES.tolist()}, {}),
    ("ALiBi, causal", alibi, causal, lambda kind: {"alibi_slopes": SLOPES.tolist(), "causal": True}, {}),
    ("soft cap", cap, None, lambda kind: {"softcap": CAP}, {}),
    ("soft cap, sliding window", cap, window, lambda kind: {"softcap": CAP, "window": (WINDOW, 0)}, {}),
    ("soft cap, then ALiBi", lambda *given: alibi(cap(*given), *given[1:]), causal,
     lambda kind: {"softcap": CAP, "alibi_slopes": SLOPES.tolist(), "causal": True}, {}),
    ("relative bias", relative, None, lambda kind: {"mask": bias_table(kind)}, {}),
    ("relative bias, causal", relative, causal,
     lambda kind: {"mask": bias_table(kind), "causal": True}, {}),
    ("grouped heads, causal", None, causal, lambda kind: {"causal": True}, {"kv_heads": 2}),
]


def draw(sizes):
    generator = torch.Generator().manual_seed(11)
    batch, queries, kv = sizes.get("batch", BATCH), sizes.get("queries", KEYS), sizes.get("kv_heads", HEADS)
    shapes = [(batch, HEADS, queries, WIDTH), (batch, kv, KEYS, WIDTH), (batch, kv, KEYS, WIDTH),
              (batch, HEADS, queries, WIDTH)]
    return [2 * torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes]


def flex(q, k, v, score, mask, sizes):
    block = None if mask is None else create_block_mask(mask, q.shape[0], HEADS, q.shape[2], KEYS,
                                                        device="cpu")
    return flex_attention(q, k, v, score_mod=score, block_mask=block, scale=sizes.get("scale"),
                          enable_gqa="kv_heads" in sizes)


def written_out(q, k, v, score, mask, sizes):
    k, v = (x.repeat_interleave(HEADS // x.shape[1], 1) for x in (k, v))
    places = torch.meshgrid(*(torch.arange(n) for n in (*q.shape[:3], KEYS)), indexing="ij")
    scores = sizes.get("scale", WIDTH**-0.5) * q @ k.mT
    scores = scores if score is None else score(scores, *places)
    scores = scores if mask is None else scores.masked_fill(~mask(*places), -torch.inf)
    return torch.softmax(scores, -1) @ v


def results(function, tensors, kind, gradients=True):
    """[output, dq, dk, dv], or the output alone, in f64."""
    q, k, v = (x.detach().to(kind).requires_grad_(gradients) for x in tensors[:3])
    c = function(q, k, v)
    found = [c, *(torch.autograd.grad(c, (q, k, v), tensors[3].to(kind)) if gradients else ())]
    return [x.detach().double() for x in found]


def check(score, mask, options, sizes):
    """(good, what was found)"""
    # f32 numbers are exact in f64: all start from the same ones.
    tensors = [x.float().double() for x in draw(sizes)]

    def peer(function, kind, gradients):
        return results(lambda q, k, v: function(q, k, v, score, mask, sizes), tensors, kind, gradients)

    def both_peers(kind):
        return peer(flex, kind, False) + peer(written_out, kind, True)[1:]

    truth, told = both_peers(torch.float64), []
    for kind in (torch.float64, torch.float32):
        ours = results(lambda q, k, v, kind=kind: qkv.attention(q, k, v, **options(kind)), tensors, kind)
        for name, x, y, exact in zip(("output", "dq", "dk", "dv"), ours, both_peers(kind), truth):
            largest = float(exact.abs().max())
            found = float((x - exact).abs().max()) / largest
            allowed = max(2 * float((y - exact).abs().max()) / largest, (KEYS + WIDTH) * torch.finfo(kind).eps)
            told.append(found / torch.finfo(kind).eps)
            if not found <= allowed:
                return False, f"{kind} {name}: {found:.2e} off, allowed {allowed:.2e}"
    return True, f"at most {max(told):.1f} units in the last place of the largest number"


def main():
    warnings.simplefilter("ignore")
    failed = 0
    for number, (name, score, mask, options, sizes) in enumerate(CASES, 1):
        try:
            good, told = check(score, mask, options, sizes)
        except Exception as error:  # told, and the next one is tried
            good, told = False, f"{type(error).__name__}: {str(error).splitlines()[0][:200]}"
        failed += not good
        print(f"{'' if good else 'not '}ok {number} - flex_attention, {name}: {told}", flush=True)
    print(f"1..{len(CASES)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
