#!/usr/bin/python3
"""What a call from Python costs: qkv.attention on arrays so small that the rest is nothing.

    python_overhead.py FOLDER [JSON]

FOLDER holds the package. For each row, the least time of a call in nanoseconds, all of it, beside
the 3 microseconds that its overhead may take and, where torch is installed, torch's own function on
tensors of the same size. Adds its rows to JSON.
"""
import json
import sys
import time

LIMIT = 3000.0  # ns


def least(function, calls=2000, repeats=60):
    """The least mean time of a call, in ns: what disturbs it only ever adds."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter_ns()
        for _ in range(calls):
            function()
        best = min(best, (time.perf_counter_ns() - start) / calls)
    return best


def numpy_rows(qkv):
    import numpy as np
    for length, width in ((1, 8), (4, 8), (8, 64)):
        q, k, v = (np.random.default_rng(i).normal(size=(length, width)).astype(np.float32)
                   for i in range(3))
        out = np.empty_like(q)
        name = f"python numpy f32 d{width} L{length}"
        yield name, least(lambda: qkv.attention(q, k, v)), None
        yield name + " out", least(lambda: qkv.attention(q, k, v, out=out)), None
        yield name + " causal scale", least(lambda: qkv.attention(q, k, v, causal=True,
                                                                  scale=1.0)), None


def torch_rows(qkv):
    try:
        import torch
    except ImportError:
        return
    for length, width in ((1, 8), (8, 64)):
        q, k, v = (torch.randn(1, 1, length, width) for _ in range(3))
        theirs = least(lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v), 500)
        yield (f"python torch f32 d{width} L{length}", least(lambda: qkv.attention(q, k, v), 500),
               theirs)


def main(folder, path=None):
    sys.path.insert(0, folder)
    import qkv
    rows = []
    print(f"{'call from Python':36}{'ns':>8}{'limit':>8}{'torch':>8}")
    for name, value, peer in [*numpy_rows(qkv), *torch_rows(qkv)]:
        limit = LIMIT if "numpy" in name else None
        print(f"{name:36}{value:8.0f}{'' if limit is None else f'{limit:.0f}':>8}"
              f"{'' if peer is None else f'{peer:.0f}':>8}")
        rows.append({"name": name, "value": value, "unit": "ns", "limit": limit,
                     "fraction": limit and limit / value, "peer": peer,
                     "ratio": peer and peer / value, "limit_by": limit and "3 microseconds",
                     "peer_by": peer and "torch", "kernel": None, "spread": None})
    if path:
        with open(path, encoding="utf-8") as file:
            known = json.load(file)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(known + rows, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
