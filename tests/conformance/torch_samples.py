#!/usr/bin/python3
"""PyTorch's own sample inputs of scaled_dot_product_attention (its OpInfo: sample and reference inputs),
in four types, forward and with gradients. Speaks TAP; without torch, or what its tests need, it is
skipped.

The truth is the definition in f64. With dropout it is that with the weights that qkv.dropout_mask
keeps. A result may be twice as far off as PyTorch's own math in the same type, or as many roundings as
the scores are large.
"""
import os
import sys
import warnings

# Where a virtual machine hides what AMX is made of, oneDNN, which PyTorch multiplies with, crashes.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE")
warnings.simplefilter("ignore")
try:
    import torch
    from torch.testing._internal.common_methods_invocations import op_db
except ImportError as missing:
    print(f"1..0 # SKIP {missing.name} is not installed")
    sys.exit(0)

import qkv

TYPES = [torch.float64, torch.float32, torch.bfloat16, torch.float16]


def definition(kept, query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, enable_gqa=False):
    """Step by step, in the type of the inputs."""
    if enable_gqa:
        key, value = (x.repeat_interleave(query.shape[-3] // x.shape[-3], -3) for x in (key, value))
    scores = query @ key.mT * query.shape[-1]**-0.5
    if is_causal:
        scores = scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), -torch.inf)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -torch.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
    weights = torch.softmax(scores, -1)
    if dropout_p:
        weights = weights * kept / (1 - dropout_p)
    return weights @ value


def leaves(sample, kind):
    """The sample's tensors, and its other words, in a type."""
    tensors = {"query": sample.input, "key": sample.args[0], "value": sample.args[1],
               **{name: x for name, x in sample.kwargs.items() if isinstance(x, torch.Tensor)}}
    words = {name: x for name, x in sample.kwargs.items() if not isinstance(x, torch.Tensor)}
    made = {name: x.detach().to(kind).requires_grad_() if x.is_floating_point() else x
            for name, x in tensors.items()}
    return made, words


def results(function, sample, kind, gradients):
    tensors, words = leaves(sample, kind)
    c = function(**tensors, **words)
    wanted = [x for x in tensors.values() if x.requires_grad]
    if not gradients:
        return [c.detach().double()]
    generator = torch.Generator().manual_seed(3)
    g = torch.randn(c.shape, dtype=torch.float64, generator=generator).to(kind)
    return [c.detach().double(), *(x.double() for x in torch.autograd.grad(c, wanted, g))]


def far(found, truth):
    return max(float((a - b).abs().max()) for a, b in zip(found, truth, strict=True))


def check(sample, kind, gradients):
    shape = torch.broadcast_shapes(sample.input.shape[:-2], sample.args[0].shape[:-2])
    torch.manual_seed(5)
    seed = int(torch.randint(0, 2**63 - 1, (), dtype=torch.int64))
    kept = torch.as_tensor(qkv.dropout_mask(shape + (sample.input.shape[-2], sample.args[0].shape[-2]),
                                            sample.kwargs["dropout_p"], seed))
    # What was rounded to the type is the input of all three.
    sample = sample.transform(lambda x: x.detach().to(kind) if torch.is_tensor(x) and x.is_floating_point() else x)
    truth = results(lambda **words: definition(kept, **words), sample, torch.float64, gradients)
    plain = far(results(lambda **words: definition(kept, **words), sample, kind, gradients), truth)
    torch.manual_seed(5)
    found = far(results(qkv.scaled_dot_product_attention, sample, kind, gradients), truth)
    scale = max(1.0, *(float(x.abs().max()) for x in truth))
    # A rounding of a score is as many of its exponential as the score is large.
    roundings = 4 + float(sample.input.norm(dim=-1).max() * sample.args[0].norm(dim=-1).max())
    allowed = max(2 * plain, roundings * torch.finfo(kind).eps * scale)
    return found <= allowed, f"{found:.2e}, PyTorch's math {plain:.2e}"


def main():
    info, = [op for op in op_db if op.name == "nn.functional.scaled_dot_product_attention"]
    number = failed = 0
    for kind in TYPES:
        for source in (info.sample_inputs, info.reference_inputs):
            for i, sample in enumerate(source("cpu", kind, requires_grad=True)):
                for gradients in (False, True):
                    try:
                        good, told = check(sample, kind, gradients)
                    except (ValueError, RuntimeError, NotImplementedError) as error:
                        good, told = False, str(error)
                    number += 1
                    failed += not good
                    name = f"{source.__name__} {i} in {kind}{' with gradients' if gradients else ''}"
                    print(f"{'' if good else 'not '}ok {number} - {name}: {told}", flush=True)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
