#!/usr/bin/python3
"""The obvious program for random keys, in NumPy or PyTorch: what bench/sample.c compares with.

    sample_peer.py numpy|torch BATCH

Draws BATCH samples of keys at once, computes the weights of two heads, averages them, and takes the mean and the covariance.
Prints million samples a second of CPU time on one thread, or nothing where the library is missing.
"""
import os
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

KEYS, WIDTH, HEADS, BETA, ALPHA, STRETCH = 10, 64, 2, 10.0, 1e-4, 0.5
BATCH, SECONDS = int(sys.argv[2]), 3.0


def numpy_batch():
    import numpy
    generator = numpy.random.default_rng(1)
    means = numpy.eye(KEYS, WIDTH)
    queries = BETA * means[:HEADS]

    def batch():
        keys = means + ALPHA**0.5 * generator.standard_normal((BATCH, KEYS, WIDTH))
        keys[:, 0] += STRETCH**0.5 * generator.standard_normal((BATCH, 1)) * means[0]
        scores = keys @ queries.T
        weights = numpy.exp(scores - scores.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        output = weights.mean(axis=2)
        return output.mean(axis=0), numpy.cov(output.T)
    return batch


def torch_batch():
    import torch
    torch.set_num_threads(1)
    torch.manual_seed(1)
    means = torch.eye(KEYS, WIDTH)
    queries = BETA * means[:HEADS]

    def batch():
        keys = means + ALPHA**0.5 * torch.randn(BATCH, KEYS, WIDTH)
        keys[:, 0] += STRETCH**0.5 * torch.randn(BATCH, 1) * means[0]
        output = torch.softmax(keys @ queries.T, dim=1).mean(dim=2)
        return output.mean(dim=0), torch.cov(output.T)
    return batch


def main(library):
    try:
        batch = {"numpy": numpy_batch, "torch": torch_batch}[library]()
    except ImportError:
        return
    batch()
    begin, best = time.process_time(), float("inf")
    while time.process_time() - begin < SECONDS:
        start = time.process_time()
        batch()
        best = min(best, time.process_time() - start)
    print(f"{BATCH / best / 1e6:.6f}")


if __name__ == "__main__":
    main(sys.argv[1])
