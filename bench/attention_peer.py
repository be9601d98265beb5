#!/usr/bin/python3
"""The peer of bench/attention.c: PyTorch's scaled_dot_product_attention on the same problems.

Says its name and version on the first line, or nothing where PyTorch is missing. Then reads a row a
line (see peer.c) and answers with the best seconds of a call, or 0 where PyTorch refuses. Masks and
gradients of the output are made beforehand; only the call is timed.
"""
import sys
import time

try:
    import torch
    from torch.nn.functional import scaled_dot_product_attention as attention
except (ImportError, OSError):
    sys.exit(0)

BLOCK = 65521
RUNS_WANTED, PATIENCE, TOO_LONG = 5, 4, 10
# OpenMP's threads spin for a while after their work; let them sleep before others measure.
SPIN_SECONDS = 0.2


def tensor(dtype, *shape):
    """Random numbers in [-1, 1), a block of them repeated."""
    count = 1
    for size in shape:
        count *= size
    block = (2 * torch.rand(min(count, BLOCK)) - 1).to(dtype)
    return block.repeat(-(-count // BLOCK))[:count].reshape(1, *shape)


def window_mask(length, window):
    distance = torch.arange(length)[:, None] - torch.arange(length)[None, :]
    return (distance >= 0) & (distance < window)


def forward_calls(row):
    """The ways to write the row's call, each a function of a cache's number."""
    q = tensor(row.dtype, row.heads, row.queries, row.width)
    caches = [(tensor(row.dtype, row.kv_heads, row.keys, row.width),
               tensor(row.dtype, row.kv_heads, row.keys, row.width)) for _ in range(row.caches)]
    mask = None
    if row.form == "window":
        mask = window_mask(row.queries, row.window)
    elif row.form == "mask":
        mask = tensor(row.dtype, row.queries, row.keys)[0]
    if row.heads == row.kv_heads:
        causal = row.form == "causal"
        yield lambda i: attention(q, *caches[i], attn_mask=mask, is_causal=causal)
        return
    yield lambda i: attention(q, *caches[i], enable_gqa=True)
    # Without positions, query heads that share a key head may as well be rows of one head.
    stacked = q.reshape(1, row.kv_heads, -1, row.width)
    yield lambda i: attention(stacked, *caches[i])


def backward_calls(row):
    inputs = [tensor(row.dtype, row.heads, row.keys, row.width).requires_grad_() for _ in range(3)]
    gradient = tensor(row.dtype, row.heads, row.keys, row.width)
    output = attention(*inputs, is_causal=row.form == "causal")
    yield lambda i: torch.autograd.grad(output, inputs, gradient, retain_graph=True)


class Row:
    def __init__(self, line):
        words = line.split()
        self.family, self.form = words[0], words[2]
        self.dtype = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16,
                      "bf16": torch.bfloat16}[words[1]]
        (self.heads, self.kv_heads, self.queries, self.keys, self.width, self.window, self.caches,
         self.threads) = map(int, words[3:11])
        self.seconds = float(words[11])


def best_seconds(call, caches, threads, seconds):
    """As time_runs in timing.c: the first run warms up, unless it is very long."""
    clock = time.process_time if threads == 1 else time.perf_counter
    begin = clock()
    call(0)
    best, spent, runs, together = clock() - begin, 0.0, 0, 1
    if best >= TOO_LONG * seconds:
        return best
    while best * together < 100e-6:
        together *= 2
    best = float("inf")
    while spent < seconds or (runs < RUNS_WANTED and spent < PATIENCE * seconds):
        begin = clock()
        for i in range(together):
            call((runs * together + i + 1) % caches)
        taken = clock() - begin
        best, spent, runs = min(best, taken / together), spent + taken, runs + 1
    return best


def measure(row):
    torch.set_num_threads(row.threads)
    calls = backward_calls(row) if row.family == "backward" else forward_calls(row)
    with torch.set_grad_enabled(row.family == "backward"):
        best = min(best_seconds(call, row.caches, row.threads, row.seconds) for call in calls)
    if row.threads > 1:
        time.sleep(SPIN_SECONDS)
    return best


def main():
    torch.manual_seed(1)
    print("torch", torch.__version__, flush=True)
    for line in sys.stdin:
        try:
            print(f"{measure(Row(line)):.9g}", flush=True)
        except (RuntimeError, TypeError) as error:
            print(f"torch: {line.strip()}: {error}", file=sys.stderr)
            print("0", flush=True)


if __name__ == "__main__":
    main()
