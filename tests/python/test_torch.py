"""With torch, where it is installed: kinds and types, its own function's semantics, gradients."""
import unittest
import warnings

import numpy as np
import qkv

try:
    import torch
    from torch.nn import functional
except ImportError:
    torch = None


@unittest.skipIf(torch is None, "torch is not installed")
class Tensors(unittest.TestCase):
    def test_kinds_and_types(self):
        for kind in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
            q, k, v = torch.randn(3, 2, 5, 8, dtype=torch.float64).to(kind)
            c, weights, sums = qkv.attention(q, k, v, return_weights=True, return_lse=True)
            self.assertIsInstance(c, torch.Tensor)
            self.assertEqual((c.dtype, weights.dtype), (kind, kind))
            self.assertEqual(sums.dtype, torch.float64 if kind == torch.float64 else torch.float32)
            exact = functional.scaled_dot_product_attention(q.double(), k.double(), v.double())
            self.assertLess((c.double() - exact).abs().max(), 40 * torch.finfo(kind).eps)

    def test_the_same_bits_as_numpy(self):
        q, k, v = torch.randn(3, 4, 6, 8)
        np.testing.assert_array_equal(qkv.attention(q, k, v).numpy(),
                                      qkv.attention(q.numpy(), k.numpy(), v.numpy()))

    def test_views_and_out(self):
        room = torch.randn(5, 3, 2, 8)
        q, k, v = room.unbind(1)
        q, k, v = (one.transpose(0, 1) for one in (q, k, v))
        out = torch.zeros(2, 5, 8)
        self.assertIs(qkv.attention(q, k, v, out=out), out)
        self.assertTrue(torch.equal(out, qkv.attention(q.contiguous(), k.contiguous(),
                                                       v.contiguous())))
        mask = torch.rand(5, 5) > 0.5
        mask[:, 0] = True
        torch.testing.assert_close(qkv.attention(q, k, v, mask=mask),
                                   functional.scaled_dot_product_attention(q, k, v, mask))

    def test_negated_views(self):
        z = torch.randn(4, 8, dtype=torch.complex128)
        negated = z.conj().imag
        self.assertTrue(negated.is_neg())
        plain = negated.clone()
        self.assertTrue(torch.equal(qkv.attention(negated, negated, negated),
                                    qkv.attention(plain, plain, plain)))

    def test_gradients_are_not_lost(self):
        q = torch.randn(2, 4, requires_grad=True)
        self.assertTrue(qkv.attention(q, q, q).requires_grad)
        with self.assertRaisesRegex(ValueError, "x: requires a gradient"):
            qkv.self_attention(q)
        for words in ({"return_weights": True}, {"return_lse": True}, {"scores": "raw"},
                      {"out": torch.zeros(2, 4)}):
            with self.assertRaisesRegex(ValueError, f"{[*words][0]}: is not offered"):
                qkv.attention(q, q, q, **words)
        with torch.no_grad():
            self.assertFalse(qkv.attention(q, q, q, return_weights=True)[0].requires_grad)

    def test_weights_to_look_at(self):
        """As transformers return them: a tuple of layers, with a batch and a gradient."""
        layers = tuple(torch.rand(1, 2, 4, 4, requires_grad=True) for _ in range(3))
        self.assertEqual(qkv.head_view(layers, "a b c d").shape, (3, 2, 4, 4))
        self.assertEqual(qkv.head_view(layers[0][0].bfloat16()).shape, (1, 2, 4, 4))
        self.assertEqual(qkv.plot.heat(layers[0][0]).svg,
                         qkv.plot.heat(layers[0][0].detach().numpy()).svg)

    def test_lists(self):
        """Lengths and starts may be tensors."""
        x = torch.rand(2, 1, 6, 4)
        self.assertTrue(torch.equal(qkv.attention(x, x, x, key_lengths=torch.tensor([3, 5])),
                                    qkv.attention(x, x, x, key_lengths=[3, 5])))
        starts, row = torch.tensor([0, 2, 6]), x[0, 0]
        self.assertTrue(torch.equal(qkv.attention(row, row, row, query_starts=starts, key_starts=starts),
                                    qkv.attention(row, row, row, query_starts=[0, 2, 6], key_starts=[0, 2, 6])))
        with self.assertRaisesRegex(ValueError, "^key_lengths: got tensor"):
            qkv.attention(x, x, x, key_lengths=torch.tensor([3.0, 5.0]))
        with self.assertRaisesRegex(TypeError, "^key_lengths: got 3; expected a list"):
            qkv.attention(x, x, x, key_lengths=3)

    def test_other_devices(self):
        q = torch.empty(2, 4, device="meta")
        with self.assertRaises(Exception):
            qkv.attention(q, q, q)


@unittest.skipIf(torch is None, "torch is not installed")
class Function(unittest.TestCase):
    def same(self, *tensors, **words):
        torch.testing.assert_close(qkv.scaled_dot_product_attention(*tensors, **words),
                                   functional.scaled_dot_product_attention(*tensors, **words))

    def test_ranks(self):
        for lead in ((), (3,), (2, 3), (2, 2, 3), (1, 2, 2, 3)):
            q, k, v = (torch.randn(*lead, length, 8, dtype=torch.float64) for length in (4, 6, 6))
            self.same(q, k, v)
            self.same(q, k, v, is_causal=True)
            self.same(q, k, v, scale=0.3)
            mask = torch.randn(*lead, 4, 6, dtype=torch.float64)
            self.same(q, k, v, mask)
            self.same(q, k, v, torch.rand(4, 6) > -1)

    def test_broadcasting(self):
        q, k, v = (torch.randn(*lead, 5, 4, dtype=torch.float64)
                   for lead in ((2, 3), (1, 3), (2, 1)))
        wide = [one.expand(2, 3, 5, 4) for one in (q, k, v)]
        torch.testing.assert_close(qkv.scaled_dot_product_attention(q, k, v),
                                   functional.scaled_dot_product_attention(*wide))

    def test_grouped_heads(self):
        q, k, v = (torch.randn(2, heads, 5, 4, dtype=torch.float64) for heads in (6, 2, 2))
        self.same(q, k, v, enable_gqa=True)
        self.same(q, k, v, enable_gqa=True, is_causal=True)
        with self.assertRaises(ValueError):
            qkv.scaled_dot_product_attention(q, k, v)
        with self.assertRaisesRegex(ValueError, "enable_gqa: key has 4 heads"):
            qkv.scaled_dot_product_attention(q, k.repeat(1, 2, 1, 1), v, enable_gqa=True)

    def test_a_row_without_keys_is_zero(self):
        q = torch.randn(3, 4, requires_grad=True)
        mask = torch.tensor([[True] * 3, [False] * 3, [True, False, True]])
        c = qkv.scaled_dot_product_attention(q, q, q, mask)
        c.sum().backward()
        self.assertTrue((c[1] == 0).all() and q.grad.isfinite().all())

    def test_what_is_refused(self):
        q = torch.randn(3, 4)
        for text, words in (("dropout_p is 1.5; expected 0 to 1", {"dropout_p": 1.5}),
                            ("is_causal", {"is_causal": True, "attn_mask": torch.ones(3, 3)})):
            with self.assertRaisesRegex(ValueError, text):
                qkv.scaled_dot_product_attention(q, q, q, **words)
        with self.assertRaisesRegex(ValueError, "query"):
            qkv.scaled_dot_product_attention(q[0], q, q)

    def test_gradients(self):
        generator = torch.Generator().manual_seed(1)
        for words in ({}, {"is_causal": True}, {"scale": 0.7}, {"enable_gqa": True},
                      {"attn_mask": torch.rand(4, 5, generator=generator) > 0.3}):
            heads = 1 if "enable_gqa" in words else 2
            inputs = [torch.randn(1, h, length, 3, dtype=torch.float64, generator=generator,
                                  requires_grad=True) for h, length in ((2, 4), (heads, 5),
                                                                        (heads, 5))]
            self.assertTrue(torch.autograd.gradcheck(
                lambda q, k, v: qkv.scaled_dot_product_attention(q, k, v, **words), inputs))

    def test_gradients_of_some(self):
        q, k, v = torch.randn(3, 5, 4, dtype=torch.float64)
        k.requires_grad_()
        g = torch.randn(5, 4, dtype=torch.float64)
        ours, = torch.autograd.grad(qkv.scaled_dot_product_attention(q, k, v), k, g)
        theirs, = torch.autograd.grad(functional.scaled_dot_product_attention(q, k, v), k, g)
        torch.testing.assert_close(ours, theirs)

    def test_a_step_of_training(self):
        layer = torch.nn.Linear(8, 24, dtype=torch.float64)
        x = torch.randn(2, 7, 8, dtype=torch.float64)

        def loss(function):
            layer.zero_grad()
            q, k, v = layer(x).reshape(2, 7, 3, 2, 4).permute(2, 0, 3, 1, 4)
            function(q, k, v, is_causal=True).square().mean().backward()
            return [parameter.grad.clone() for parameter in layer.parameters()]

        torch.testing.assert_close(loss(qkv.scaled_dot_product_attention),
                                   loss(functional.scaled_dot_product_attention))

    def test_what_changes_before_the_gradient(self):
        q, k, v = (torch.randn(4, 3, requires_grad=True) for _ in range(3))
        mask = torch.zeros(4, 4)
        c = qkv.scaled_dot_product_attention(q, k, v, mask)
        mask[:, 0] = -100
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            c.sum().backward()

    def test_out_is_a_change(self):
        x = torch.randn(4, 3, requires_grad=True)
        y = torch.randn(4, 3)
        product = (x * y).sum()
        qkv.attention(x.detach(), x.detach(), x.detach(), out=y)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            product.backward()

    def test_kinds_go_together(self):
        q = torch.randn(3, 4)
        for name, words in (("key", {"key": q.numpy()}), ("value", {"value": q.numpy()}),
                            ("attn_mask", {"attn_mask": np.zeros((3, 3))}),
                            ("key", {"query": q.numpy()})):
            with self.assertRaisesRegex(ValueError, f"^{name}: is of type "):
                qkv.scaled_dot_product_attention(**{"query": q, "key": q, "value": q, **words})

    def test_the_default_device(self):
        q = torch.randn(3, 4, requires_grad=True)
        torch.set_default_device("meta")
        try:
            qkv.scaled_dot_product_attention(q, q, q).sum().backward()
        finally:
            torch.set_default_device("cpu")
        self.assertEqual(q.grad.device.type, "cpu")

    def test_errors_name_the_argument(self):
        q = torch.randn(3, 4)
        for name, words in (("key", {"key": torch.randn(3, 5)}), ("query", {"query": q.to("meta")}),
                            ("value", {"value": torch.ones(3, 4, dtype=torch.int64)}),
                            ("attn_mask", {"attn_mask": torch.ones(3, 3, dtype=torch.int8)})):
            with self.assertRaisesRegex((ValueError, RuntimeError, BufferError, NotImplementedError),
                                        f"^{name}[: ]"):
                qkv.scaled_dot_product_attention(**{"query": q, "key": q, "value": q, **words})
        with self.assertRaisesRegex(ValueError, "k: has elements of type int64"):
            qkv.attention(q, q.long(), q)
        with self.assertRaisesRegex((RuntimeError, BufferError), "^v: "):
            qkv.attention(q, q, q.to_sparse())

    def test_twice_differentiated(self):
        q = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
        gradient, = torch.autograd.grad(qkv.scaled_dot_product_attention(q, q, q).sum(), q,
                                        create_graph=True)
        with self.assertRaises(RuntimeError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            gradient.sum().backward()


class Arrays(unittest.TestCase):
    """The same function, on NumPy's arrays, without torch."""

    def test_numpy(self):
        generator = np.random.default_rng(1)
        q, k, v = (generator.normal(size=(2, 2, 3, n, 4)) for n in (5, 6, 6))
        c = qkv.scaled_dot_product_attention(q, k, v, is_causal=True)
        self.assertIs(type(c), np.ndarray)
        for i in np.ndindex(2, 2):
            np.testing.assert_array_equal(c[i], qkv.attention(q[i], k[i], v[i], causal="top-left"))
        mask = generator.random((3, 5, 6)) > 0.2
        wide = qkv.scaled_dot_product_attention(q, k, v, mask)
        np.testing.assert_array_equal(wide[1, 0], qkv.attention(q[1, 0], k[1, 0], v[1, 0],
                                                                mask=mask))
        one = qkv.scaled_dot_product_attention(q[0, 0], k[0, 0, :1], v[0, 0, :1])
        np.testing.assert_array_equal(one, qkv.attention(q[0, 0], k[0, 0, :1], v[0, 0, :1]))


if __name__ == "__main__":
    unittest.main()
