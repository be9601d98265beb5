"""What all tests on a device share: TAP lines, random inputs and errors. Where there is no device, the
import says so and ends the program."""
import math
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "bench"), os.path.dirname(os.path.abspath(__file__))]


def absent(why):
    print(f"1..0 # SKIP {why}: nothing was tested on a GPU")
    sys.exit(0)


try:
    import torch
except ImportError:
    absent("this Python has no PyTorch")
if not torch.cuda.is_available():
    absent("no CUDA device was found")

BF16, F16, F32, F64 = torch.bfloat16, torch.float16, torch.float32, torch.float64
# What rounding the weights and the output to the type costs at most, relative to the whole.
BOUND = {BF16: 3e-3, F16: 4e-4, F32: 2e-6, F64: 1e-14}
cases = failures = 0
worst = {}  # (kernel, type): error relative to PyTorch's


def report(good, text):
    global cases, failures
    cases += 1
    failures += not good
    print(f"{'ok' if good else 'not ok'} {cases} - {text}", flush=True)


def random(dtype, *shape):
    return torch.randn(*shape, device="cuda", dtype=F32).to(dtype)


def inputs(dtype, width, value_width, batch, heads, groups, queries, keys):
    return (random(dtype, batch, heads, queries, width), random(dtype, batch, groups, keys, width),
            random(dtype, batch, groups, keys, value_width))


def empty(q, v, dtype=None):
    return torch.full((*q.shape[:3], v.shape[3]), math.nan, device="cuda", dtype=dtype or q.dtype)


def distance(x, truth):
    return ((x.double() - truth).norm() / truth.norm().clamp_min(1e-300)).item()
