#!/usr/bin/python3
"""Short sequences: qkv.scaled_dot_product_attention beside PyTorch's, on torch's tensors.

    short_sequences.py FOLDER [--cpu avx2] [--threads N] [--seconds S] [NAME ...]

FOLDER holds the package. --cpu holds both to an instruction set. Each row is measured in turns, one of
ours and one of theirs; its times are the least of a call, in microseconds, and the ratio is theirs to
ours: above 1, ours is faster. A NAME ("bf16", "L32", ...) selects the rows that contain it.
"""
import argparse
import os
import sys
import time

LENGTHS = (16, 32, 64, 128)
TYPES = ("bf16", "f16", "f32")
SHAPES = ((1, 8, 64), (8, 12, 64), (1, 8, 128))  # batch, heads, width
TOGETHER_SECONDS = 2e-3
# What each library calls an instruction set. QKV_CPU is qkv's; the others are PyTorch's, oneDNN's and MKL's.
LIMITS = {"avx2": {"QKV_CPU": "avx2", "ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2",
                   "MKL_ENABLE_INSTRUCTIONS": "AVX2"}}


def timed(function, calls, clock):
    begin = clock()
    for _ in range(calls):
        function()
    return (clock() - begin) / calls


def least(functions, seconds, clock):
    """The least time of a call of each, measured in turns."""
    best = [timed(function, 3, clock) for function in functions]
    counts = [max(1, int(TOGETHER_SECONDS / max(time, 1e-7))) for time in best]
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        best = [min(before, timed(function, count, clock))
                for before, function, count in zip(best, functions, counts)]
    return best


def rows(torch):
    types = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}
    for kind in TYPES:
        for batch, heads, width in SHAPES:
            for length in LENGTHS:
                for causal in (False, True):
                    name = f"{kind} B{batch} H{heads} d{width} L{length}{' causal' if causal else ''}"
                    shape = (batch, heads, length, width)
                    yield name, causal, [torch.randn(shape).to(types[kind]) for _ in range(3)]


def parse(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--cpu", choices=LIMITS)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("names", nargs="*")
    return parser.parse_intermixed_args(arguments)


def main(arguments):
    words = parse(arguments)
    os.environ.update(LIMITS.get(words.cpu, {}))  # before the libraries read it
    sys.path.insert(0, words.folder)
    import torch
    import qkv
    torch.manual_seed(1)
    torch.set_num_threads(words.threads)
    qkv.set_threads(words.threads)
    theirs = torch.nn.functional.scaled_dot_product_attention
    ours = qkv.scaled_dot_product_attention
    clock = time.process_time if words.threads == 1 else time.perf_counter
    ratios = []
    print(f"torch {torch.__version__} ({torch.backends.cpu.get_cpu_capability()}), "
          f"qkv {qkv.__version__} ({qkv.kernels()[0]}), {words.threads} thread(s)")
    print(f"{'call':34}{'ours, us':>10}{'theirs':>10}{'ratio':>8}")
    for name, causal, tensors in rows(torch):
        if not all(part in name.split() for part in words.names):
            continue
        mine, peer = least([lambda: ours(*tensors, is_causal=causal),
                            lambda: theirs(*tensors, is_causal=causal)], words.seconds, clock)
        ratios.append(peer / mine)
        print(f"{name:34}{1e6 * mine:10.1f}{1e6 * peer:10.1f}{peer / mine:8.2f}", flush=True)
    print(f"least ratio {min(ratios):.2f}, median {sorted(ratios)[len(ratios) // 2]:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
