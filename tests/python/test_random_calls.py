"""Seeded calls with arguments of every kind, right and wrong: a result that is right, or an exception
that says why not; never anything else."""
import random
import unittest

import numpy as np
import qkv
from support import Packed, softmax_attention

CALLS = 6000
KINDS = [np.float64] * 4 + [np.float32, np.float16, np.int32, np.bool_, np.int8]
PLAIN = {"return_weights", "return_lse", "threads", "scale"}


class Caller:
    """Draws calls."""

    def __init__(self, seed):
        self.chance, self.numbers = random.Random(seed), np.random.default_rng(seed)

    def size(self):
        return self.chance.choice([0, 1, 1, 2, 3, 5, 8])

    def array(self, shape, kind):
        made = self.numbers.normal(size=shape).astype(kind)
        if self.chance.random() < 0.3 and made.ndim > 1:
            made = np.ascontiguousarray(made.swapaxes(-1, -2)).swapaxes(-1, -2)
        if self.chance.random() < 0.2:
            made = made[..., ::-1]
        if self.chance.random() < 0.1:
            made = np.broadcast_to(made[:1], made.shape) if made.shape[0] else made
        return made

    def arrays(self):
        lead = tuple(self.size() for _ in range(self.chance.choice([0, 0, 1, 2, 3])))
        queries, keys, width, wide = (self.size() for _ in range(4))
        kind = self.chance.choice(KINDS)
        other = kind if self.chance.random() < 0.9 else self.chance.choice(KINDS)
        q, k = self.array(lead + (queries, width), kind), self.array(lead + (keys, width), other)
        v = self.array(lead + (keys, wide), kind)
        if self.chance.random() < 0.1:
            k = self.array(tuple(self.size() for _ in range(self.chance.randint(1, 5))), kind)
        return q, k, v

    def words(self, q, k, v):
        queries, keys = (a.shape[-2] if a.ndim > 1 else 1 for a in (q, k))
        choices = {
            "mask": [self.numbers.random((queries, keys)) > 0.3, self.numbers.random(keys) > 0.5,
                     self.numbers.normal(size=(queries, keys)), True, np.zeros((3, 7))],
            "causal": [True, False, "top-left", "bottom-right", "x", None, 3],
            "window": [0, 2, (1, None), (None, 2, "top-left"), (1,), -1, "a", 10 ** 30, (1, 2, 3)],
            "scale": [0, 1.0, -2, float("nan"), "a", np.float32(0.5)],
            "heads": [1, 2, 3, 0, -1, 10 ** 20, "a"], "kv_heads": [1, 2, 0],
            "softcap": [0.0, 1.0, -1.0], "return_weights": [True], "return_lse": [True],
            "out": [np.zeros(q.shape[:-1] + v.shape[-1:], q.dtype), q, np.zeros(3), "x"],
            "threads": [1, 2, 10 ** 9, 0, -3],
        }
        return {name: self.chance.choice(values) for name, values in choices.items()
                if self.chance.random() < 0.12}

    def disguise(self, arrays):
        if self.chance.random() < 0.2:
            return [memoryview(a) for a in arrays]
        arrays = list(arrays)
        if self.chance.random() < 0.1:
            which = self.chance.randint(0, 2)
            arrays[which] = Packed(arrays[which], self.chance.choice(["float", "bool", "int"]))
        return arrays


class RandomCalls(unittest.TestCase):
    def test_right_or_refused(self):
        caller, right, refused = Caller(1), 0, 0
        for _ in range(CALLS):
            arrays = caller.arrays()
            words = caller.words(*arrays)
            given = caller.disguise(arrays)
            try:
                c = qkv.attention(*given, **words)
            except (ValueError, TypeError) as error:
                self.assertTrue(str(error))
                refused += 1
                continue
            right += 1
            c = c[0] if isinstance(c, tuple) else c
            q, k, v = arrays
            if set(words) <= PLAIN and all(a.dtype == np.float64 for a in arrays) and (
                    k.shape[:-2] == q.shape[:-2]) and not any(isinstance(a, Packed) for a in given):
                exact = self.exact(q, k, v, words.get("scale"))
                np.testing.assert_allclose(np.asarray(c), exact, atol=1e-12)
        self.assertGreater(right, CALLS // 5)
        self.assertGreater(refused, CALLS // 5)

    def exact(self, q, k, v, scale):
        if k.shape[-2] == 0:
            return np.zeros(q.shape[:-1] + v.shape[-1:])
        return softmax_attention(q, k, v, 1.0 if q.shape[-1] == 0 else scale)[0]


if __name__ == "__main__":
    unittest.main()
