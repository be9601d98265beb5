"""Attention in double precision with PyTorch, straight from the definition in attention.h."""
import math

import torch


def allowed(queries, keys, causal=False, alignment=None, query_offset=0, window=False, window_left=0,
            window_right=0, device="cuda"):
    """Which keys a query may look at by position, as a boolean (queries, keys)."""
    offset = {None: 0, "top-left": 0, "bottom-right": keys - queries, "offset": query_offset}[alignment]
    position = torch.arange(queries, device=device)[:, None] + offset
    key = torch.arange(keys, device=device)[None, :]
    result = torch.ones(queries, keys, dtype=torch.bool, device=device)
    if causal:
        result &= key <= position
    if window:
        result &= (key >= position - window_left) & (key <= position + (0 if causal else window_right))
    return result


def dropout_mask(batch, heads, queries, keys, dropout, seed, device="cuda"):
    """The factors of weights by dropout, (batch, heads, queries, keys) in f64: Philox4x32-10 of the counter
    (key / 4, query, head, batch)."""
    def split(x):
        return x >> 32, x & 0xFFFFFFFF

    def multiply(constant, x):  # of 32 bits each, in 64 that have a sign
        high, low = split((constant >> 16) * x)
        upper, lower = split((constant & 0xFFFF) * x + ((low & 0xFFFF) << 16))
        return high * 65536 + (low >> 16) + upper, lower
    axes = torch.meshgrid(*(torch.arange(n, device=device) for n in (batch, heads, queries, (keys + 3) // 4)), indexing="ij")
    x, low, high = [axes[3], axes[2], axes[1], axes[0]], seed & 0xFFFFFFFF, seed >> 32
    for _ in range(10):
        (high_0, low_0), (high_1, low_1) = multiply(0xD2511F53, x[0]), multiply(0xCD9E8D57, x[2])
        x = [high_1 ^ x[1] ^ low, low_1, high_0 ^ x[3] ^ high, low_0]
        low, high = (low + 0x9E3779B9) & 0xFFFFFFFF, (high + 0xBB67AE85) & 0xFFFFFFFF
    words = torch.stack(x, -1).flatten(-2)[..., :keys]
    if dropout >= 1:
        return torch.zeros(words.shape, dtype=torch.float64, device=device)
    return (words >= int(dropout * 2**32)).double() / (1 - dropout)


def weigh(q, k, scale=0.0, softcap=0.0, mask=None, key_lengths=None, alibi_slopes=None, sinks=None,
          **positions):
    """(weights, log_sum_exp, slope of the cap, who may look) of doubles with as many heads each."""
    may = torch.stack([
        torch.nn.functional.pad(
            allowed(q.shape[2], length, device=q.device, **positions), (0, k.shape[2] - length))
        for length in (key_lengths or [k.shape[2]] * q.shape[0])])[:, None]
    raw = (q @ k.transpose(2, 3)) * (scale or 1 / math.sqrt(q.shape[3]))
    tanh = torch.tanh(raw / softcap) if softcap else torch.zeros_like(raw)
    score = softcap * tanh if softcap else raw
    if alibi_slopes is not None:
        offset = {None: 0, "top-left": 0, "bottom-right": k.shape[2] - q.shape[2],
                  "offset": positions.get("query_offset", 0)}[positions.get("alignment")]
        distance = (torch.arange(q.shape[2], device=q.device)[:, None] + offset
                    - torch.arange(k.shape[2], device=q.device)[None, :]).abs()
        score = score - torch.tensor(alibi_slopes, dtype=torch.float64, device=q.device).view(1, -1, 1, 1) * distance
    if mask is not None and mask.dtype == torch.bool:
        may = may & mask
    elif mask is not None:
        score = score + mask.double()
    score = torch.where(may, score, torch.full((), -math.inf, dtype=torch.float64, device=q.device))
    total = torch.logsumexp(score, -1)
    if sinks is not None:
        sink = torch.tensor(sinks, dtype=torch.float64, device=q.device).view(1, -1, 1).expand_as(total)
        total = torch.logaddexp(total, sink)
    weight = torch.where(score == -math.inf, torch.zeros_like(score),
                         torch.exp(score - total.nan_to_num(neginf=0.0)[..., None]))
    return weight, total, 1 - tanh * tanh, may


def drop(weight, dropout=0.0, seed=0, sequence=0):
    """The factors of dropout, or 1; `sequence` is the number of the first batch."""
    if not dropout:
        return 1.0
    batch, heads, queries, keys = weight.shape
    return dropout_mask(sequence + batch, heads, queries, keys, dropout, seed, weight.device)[sequence:]


def attention(q, k, v, dropout=0.0, seed=0, sequence=0, **named):
    """(output, log_sum_exp) of (B, H, L, D) tensors, in float64."""
    q, k, v = q.double(), k.double(), v.double()
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    weight, total, _, may = weigh(q, k, **named)
    seen = may.any(1) if may.shape[1] > 1 else may[:, 0]
    v = torch.where(seen.any(1)[:, None, :, None], v, torch.zeros_like(v)) # never looked at
    return (weight * drop(weight, dropout, seed, sequence)) @ v, total


def gradients(q, k, v, g, dropout=0.0, seed=0, sequence=0, bias=False, **named):
    """(dq, dk, dv) of (B, H, L, D) tensors, in float64, for the gradient g of the output; with `bias` also
    those of the masked scores, (B, H, L, L), and of the sinks, row by row, (B, H, L)."""
    q, k, v, g = q.double(), k.double(), v.double(), g.double()
    groups, scale = k.shape[1], named.get("scale") or 1 / math.sqrt(q.shape[3])
    k, v = (x.repeat_interleave(q.shape[1] // groups, 1) for x in (k, v))
    weight, total, slope, _ = weigh(q, k, **named)
    factor = drop(weight, dropout, seed, sequence)
    product = factor * (g @ v.transpose(2, 3))
    mean = (weight * product).sum(-1, keepdim=True)
    added = weight * (product - mean)
    change = added * slope * scale
    results = (change @ k, *((x.transpose(2, 3) @ y).unflatten(1, (groups, -1)).sum(2)
                             for x, y in ((change, q), (weight * factor, g))))
    if not bias:
        return results
    sink = torch.tensor(named.get("sinks") or [-math.inf] * q.shape[1], dtype=torch.float64, device=q.device)
    share = torch.exp(sink.view(1, -1, 1) - total.nan_to_num(neginf=0.0))
    return *results, added, -share * mean[..., 0]
