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


def attention(q, k, v, **named):
    """(output, log_sum_exp) of (B, H, L, D) tensors, in float64."""
    q, k, v = q.double(), k.double(), v.double()
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    weight, total, _, may = weigh(q, k, **named)
    seen = may.any(1) if may.shape[1] > 1 else may[:, 0]
    v = torch.where(seen.any(1)[:, None, :, None], v, torch.zeros_like(v)) # never looked at
    return weight @ v, total


def gradients(q, k, v, g, **named):
    """(dq, dk, dv) of (B, H, L, D) tensors, in float64, for the gradient g of the output."""
    q, k, v, g = q.double(), k.double(), v.double(), g.double()
    groups, scale = k.shape[1], named.get("scale") or 1 / math.sqrt(q.shape[3])
    k, v = (x.repeat_interleave(q.shape[1] // groups, 1) for x in (k, v))
    weight, _, slope, _ = weigh(q, k, **named)
    product = g @ v.transpose(2, 3)
    change = weight * (product - (weight * product).sum(-1, keepdim=True)) * slope * scale
    return (change @ k, *((x.transpose(2, 3) @ y).unflatten(1, (groups, -1)).sum(2)
                          for x, y in ((change, q), (weight, g))))
