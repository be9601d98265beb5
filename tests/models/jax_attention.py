#!/usr/bin/python3
"""qkv.jax.attention under jit, grad and vmap, against attention written in JAX. Speaks TAP; without JAX
it is skipped."""
import os
import sys
import unittest

try:
    import jax
    import jax.numpy as jnp
except ImportError as missing:
    print(f"1..0 # SKIP {missing.name} is not installed")
    sys.exit(0)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))

import numpy as np
import qkv.jax
from run import Tap

jax.config.update("jax_enable_x64", True)


def draw(seed, *shapes):
    generator = np.random.default_rng(seed)
    return [jnp.asarray(generator.normal(size=shape)) for shape in shapes]


def definition(q, k, v, mask=None, sinks=None, alibi_slopes=None, causal=False, softcap=0.0):
    k, v = (jnp.repeat(x, q.shape[-3] // x.shape[-3], -3) for x in (k, v))
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    scores = softcap * jnp.tanh(scores / softcap) if softcap else scores
    if alibi_slopes is not None:
        distance = jnp.abs(jnp.arange(q.shape[-2])[:, None] - jnp.arange(k.shape[-2]))
        scores = scores - alibi_slopes[:, None, None] * distance
    if mask is not None:
        scores = jnp.where(mask, scores, -jnp.inf) if mask.dtype == bool else scores + mask
    if causal:
        scores = jnp.where(jnp.tri(*scores.shape[-2:], dtype=bool), scores, -jnp.inf)
    weights = jnp.exp(scores)
    total = weights.sum(-1, keepdims=True)
    if sinks is not None:
        total = total + jnp.exp(sinks)[:, None, None]
    return weights / total @ v


class Attention(unittest.TestCase):
    def setUp(self):
        self.q, self.k, self.v, self.mask, self.sinks, self.slopes = draw(
            1, (2, 4, 5, 3), (2, 2, 5, 3), (2, 2, 5, 6), (4, 5, 5), (4,), (4,))

    def same(self, a, b):
        for x, y in zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True):
            np.testing.assert_allclose(x, y, atol=1e-12)

    def test_forward(self):
        words = {"causal": True, "softcap": 1.5}
        expected = definition(self.q, self.k, self.v, self.mask, self.sinks, self.slopes, **words)
        def function(q, k, v, mask, sinks, slopes):
            return qkv.jax.attention(q, k, v, mask=mask, sinks=sinks, alibi_slopes=slopes, **words)
        given = (self.q, self.k, self.v, self.mask, self.sinks, self.slopes)
        self.same(function(*given), expected)
        self.same(jax.jit(function)(*given), expected)

    def test_types(self):
        for kind in (jnp.float32, jnp.bfloat16, jnp.float16):
            given = [x.astype(kind) for x in (self.q, self.k, self.v)]
            c = jax.jit(qkv.jax.attention)(*given)
            self.assertEqual(c.dtype, kind)
            exact = definition(*(x.astype(jnp.float64) for x in given))
            self.assertLess(float(jnp.abs(c - exact).max()), 4 * float(jnp.finfo(kind).eps))

    def test_grad(self):
        def loss(function):
            return lambda q, k, v, mask, sinks, slopes: (function(
                q, k, v, mask=mask, sinks=sinks, alibi_slopes=slopes, softcap=1.5, causal=True)**2).sum()
        given = (self.q, self.k, self.v, self.mask, self.sinks, self.slopes)
        expected = jax.grad(loss(definition), range(6))(*given)
        self.same(jax.grad(loss(qkv.jax.attention), range(6))(*given), expected)
        self.same(jax.jit(jax.grad(loss(qkv.jax.attention), range(6)))(*given), expected)

    def test_a_boolean_mask(self):
        mask = self.mask > -0.5
        def loss(function):
            return lambda q: (function(q, self.k, self.v, mask=mask)**2).sum()
        self.same(jax.grad(loss(qkv.jax.attention))(self.q), jax.grad(loss(definition))(self.q))

    def test_vmap(self):
        given = draw(2, (3, 4, 5, 3), (3, 2, 5, 3), (3, 2, 5, 6))
        self.same(jax.vmap(qkv.jax.attention)(*given), definition(*given))
        self.same(jax.vmap(qkv.jax.attention, (0, None, 0))(given[0], given[1][0], given[2]),
                  jax.vmap(definition, (0, None, 0))(given[0], given[1][0], given[2]))
        wide = [jnp.stack([x, 2 * x]) for x in (self.q, self.k, self.v)]
        self.same(jax.jit(jax.vmap(jax.vmap(qkv.jax.attention)))(*wide), definition(*wide))
        def slope(function):
            return jax.vmap(jax.grad(lambda q, k, v: (function(q, k, v)**2).sum()))
        self.same(slope(qkv.jax.attention)(*given), slope(definition)(*given))

    def test_options(self):
        q, k, v = (np.asarray(x) for x in (self.q, self.k, self.v))
        for words in ({"scale": 0.0}, {"scale": 0.3, "softcap": 2.0}, {"causal": "bottom-right"},
                      {"window": 1}, {"window": (None, 2)}, {"window": (2, 0, "top-left")},
                      {"causal": True, "offset": -1}, {"key_lengths": [2, 5]}, {"causal": True, "offset": 3},
                      {"dropout": 0.4, "seed": 2**64 - 3}, {"threads": 2, "causal": True}):
            with self.subTest(**words):
                np.testing.assert_array_equal(qkv.jax.attention(self.q, self.k, self.v, **words),
                                              qkv.attention(q, k, v, **words))
        packed = {"query_starts": [0, 2, 5], "key_starts": [0, 1, 5], "causal": "bottom-right"}
        np.testing.assert_array_equal(qkv.jax.attention(self.q[:1], self.k[:1], self.v[:1], **packed),
                                      qkv.attention(q[:1], k[:1], v[:1], **packed))

    def test_gradients_under_vmap(self):
        def loss(function):
            return lambda q, k, v, mask, sinks: (function(q, k, v, mask=mask, sinks=sinks)**2).sum()
        masks, sinks = draw(3, (2, 4, 5, 5), (2, 4))
        slopes = [jax.jit(jax.vmap(jax.grad(loss(function), range(5)), (0, 0, 0, 0, 0)))(
            self.q, self.k, self.v, masks, sinks) for function in (qkv.jax.attention, definition)]
        self.same(*slopes)

    def test_no_callback(self):
        made = str(jax.make_jaxpr(jax.grad(lambda q: qkv.jax.attention(q, self.k, self.v).sum()))(self.q))
        self.assertIn("ffi_call", made)
        self.assertNotIn("callback", made)

    def test_errors_name_the_argument(self):
        for words, told in (({"window": (-1, 0)}, "window: got -1"), ({"key_lengths": [-1, 2]}, "key_lengths"),
                            ({"causal": "left"}, "alignment"), ({"seed": -1}, "seed"),
                            ({"offset": 1, "causal": "top-left"}, "offset"), ({"query_starts": [0, 5]}, "key_starts"),
                            ({"sinks": jnp.zeros(3)}, "one number per head"), ({"softcap": -1.0}, "softcap"),
                            ({"key_lengths": [9, 9]}, "key_lengths"),
                            ({"key_lengths": [2]}, "got 1; expected 2"), ({"mask": jnp.zeros((4, 4))}, "mask")):
            with self.subTest(**words), self.assertRaisesRegex(Exception, told):
                jax.block_until_ready(qkv.jax.attention(self.q, self.k, self.v, **words))

    def test_what_is_refused(self):
        with self.assertRaises(TypeError):
            jax.jvp(lambda q: qkv.jax.attention(q, self.k, self.v), (self.q,), (self.q,))
        with self.assertRaises(Exception):
            jax.hessian(lambda q: qkv.jax.attention(q, self.k, self.v).sum())(self.q)
        with self.assertRaisesRegex(ValueError, "q: has 1 axes"):
            qkv.jax.attention(self.q[0, 0, 0], self.k, self.v)

    def test_arrays_that_never_change(self):
        a = jnp.zeros((2, 4, 5, 6))
        with self.assertRaisesRegex(ValueError, "out: is read-only"):
            qkv.attention(self.q, self.k, self.v, out=a)
        self.assertEqual(float(a.sum()), 0)


if __name__ == "__main__":
    result = Tap()
    unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]).run(result)
    print(f"1..{result.number}")
    sys.exit(0 if result.wasSuccessful() else 1)
