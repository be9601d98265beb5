"""What torch does with a function beside calling it: differentiate it (once, twice, forwards), map,
compile and export it. Each is right, or refused by name; gradients are held against differences."""
import unittest
import warnings

import qkv

try:
    import torch
    from torch.nn import functional
except ImportError:
    torch = None

sdpa = qkv.scaled_dot_product_attention


def draw(seed, *shapes, grad=True):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(*shape, dtype=torch.float64, generator=generator, requires_grad=grad)
            for shape in shapes]


@unittest.skipIf(torch is None, "torch is not installed")
class Gradients(unittest.TestCase):
    def check(self, function, *inputs):
        self.assertTrue(torch.autograd.gradcheck(function, inputs))

    def test_masks(self):
        q, k, v = draw(1, (2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 6))
        for shape in ((2, 3, 5, 7), (3, 1, 7), (5, 1), (1,)):
            self.check(sdpa, q, k, v, *draw(2, shape))

    def test_every_option(self):
        q, k, v, mask, sinks, slopes = draw(3, (2, 4, 5, 3), (2, 2, 7, 3), (2, 2, 7, 2), (5, 7), (4,), (4,))
        self.check(lambda *x: qkv.attention(*x[:3], mask=x[3], sinks=x[4], alibi_slopes=x[5], softcap=1.3,
                                            window=(4, 1), alignment="bottom-right", dropout=0.2, seed=3),
                   q, k, v, mask, sinks, slopes)
        self.check(lambda *x: qkv.attention(*x, key_lengths=[3, 7], causal="top-left", scale=0.3), q, k, v)
        self.check(lambda q, s: qkv.attention(q, k, v, sinks=s, softcap=0.7), q, sinks)

    def test_packed_sequences_and_heads(self):
        q, k, v = draw(4, (6, 4), (8, 2), (8, 2))
        self.check(lambda *x: qkv.attention(*x, heads=2, kv_heads=1, query_starts=[0, 2, 6],
                                            key_starts=[0, 3, 8], causal="bottom-right"), q, k, v)

    def test_types(self):
        q, k, v = draw(5, (2, 4, 8), (2, 4, 8), (2, 4, 8))
        for kind in (torch.float32, torch.bfloat16, torch.float16):
            given = [x.detach().to(kind).requires_grad_() for x in (q, k, v)]
            sink = torch.zeros(2, dtype=kind, requires_grad=True)
            c = qkv.attention(*given, sinks=sink)
            grads = torch.autograd.grad(c.sum(), (*given, sink))
            self.assertEqual([c.dtype, *(g.dtype for g in grads)], [kind] * 5)
            wide = [x.detach().double().requires_grad_() for x in (*given, sink)]
            exact = torch.autograd.grad(qkv.attention(*wide[:3], sinks=wide[3]).sum(), wide)
            for g, e in zip(grads, exact):
                torch.testing.assert_close(g.double(), e, atol=4 * torch.finfo(kind).eps, rtol=0)

    def test_dropout(self):
        """The gradient has the mask of the forward call, and its own mask can be seen."""
        q, k, v = draw(6, (2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 6))

        def once(function):
            torch.manual_seed(4)
            c = function(q, k, v, dropout_p=0.5)
            return (c, *torch.autograd.grad(c.square().sum(), (q, k, v)))

        for a, b in zip(once(sdpa), once(sdpa)):
            self.assertTrue(torch.equal(a, b))
        torch.manual_seed(4)
        kept = qkv.dropout_mask((2, 3, 5, 7), 0.5, int(torch.randint(0, 2**63 - 1, (), dtype=torch.int64)))
        weights = torch.softmax(q @ k.mT / 2, -1) * torch.as_tensor(kept) * 2
        c = weights @ v
        for a, b in zip(once(sdpa), (c, *torch.autograd.grad(c.square().sum(), (q, k, v)))):
            torch.testing.assert_close(a, b)
        torch.manual_seed(4)
        with torch.no_grad():
            plain = sdpa(q, k, v, dropout_p=0.5)
        self.assertTrue(torch.equal(plain, once(sdpa)[0]))

    def test_checkpoint(self):
        from torch.utils.checkpoint import checkpoint
        q, k, v = draw(7, (2, 5, 4), (2, 5, 4), (2, 5, 4))

        def function(*x):
            return sdpa(*x, dropout_p=0.5).square().sum()

        torch.manual_seed(1)
        plain = torch.autograd.grad(function(q, k, v), (q, k, v))
        torch.manual_seed(1)
        again = torch.autograd.grad(checkpoint(function, q, k, v, use_reentrant=False), (q, k, v))
        for a, b in zip(plain, again):
            self.assertTrue(torch.equal(a, b))

    def test_numbers_with_a_gradient_are_refused(self):
        """A tensor in place of a number would get none, whether the others have one or not."""
        number = torch.tensor(0.5, requires_grad=True)
        for grad in (False, True):
            x, = draw(9, (2, 3, 4), grad=grad)
            for name, call in (("scale", lambda: qkv.attention(x, x, x, scale=number)),
                               ("scale", lambda: sdpa(x, x, x, scale=number)),
                               ("scale", lambda: sdpa(x[None], x, x, scale=number)),
                               ("softcap", lambda: qkv.attention(x, x, x, softcap=number)),
                               ("sinks", lambda: qkv.attention(x, x, x, sinks=[number, 1.0])),
                               ("dropout_p", lambda: sdpa(x, x, x, dropout_p=number))):
                with self.assertRaisesRegex(ValueError, f"^{name}: requires a gradient"):
                    call()
            with torch.no_grad():
                torch.testing.assert_close(qkv.attention(x, x, x, scale=number, softcap=number, sinks=[number] * 2),
                                           qkv.attention(x, x, x, scale=0.5, softcap=0.5, sinks=[0.5] * 2))

    def test_second_derivatives_are_refused(self):
        q, k, v = draw(8, (5, 4), (5, 4), (5, 4))
        for function in (sdpa, qkv.attention):
            c = function(q, k, v)
            g, = torch.autograd.grad(c.sum(), q, create_graph=True)
            with self.assertRaisesRegex(RuntimeError, "second derivatives are not offered"):
                (c.sum() + g.square().sum()).backward()

    def test_forward_mode_is_refused(self):
        q, k, v = draw(9, (5, 4), (5, 4), (5, 4), grad=False)
        with torch.autograd.forward_ad.dual_level():
            dual = torch.autograd.forward_ad.make_dual(k, torch.ones_like(k))
            for function, name in ((sdpa, "key"), (qkv.attention, "k"), (qkv.attention, "k")):
                with self.assertRaisesRegex(NotImplementedError, f"^{name}: carries a tangent"):
                    function(q, dual, v)
            torch.testing.assert_close(sdpa(q, k, v), functional.scaled_dot_product_attention(q, k, v))


@unittest.skipIf(torch is None or not hasattr(torch, "func"), "torch.func is not there")
class Functions(unittest.TestCase):
    def setUp(self):
        self.given = draw(11, (2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 6), grad=False)

    def same(self, transform, *inputs):
        torch.testing.assert_close(transform(sdpa)(*inputs),
                                   transform(functional.scaled_dot_product_attention)(*inputs))

    def test_grad(self):
        for i in range(3):
            self.same(lambda f: torch.func.grad(lambda *x: f(*x).square().sum(), i), *self.given)
        self.same(lambda f: torch.func.jacrev(lambda *x: f(*x)[0, 0]), *self.given)

    def test_vmap(self):
        vmap, one = torch.func.vmap, [x[:, 0] for x in self.given]
        self.same(vmap, *self.given)
        self.same(lambda f: vmap(vmap(f)), *self.given)
        self.same(lambda f: vmap(f, in_dims=(1, None, 1)), self.given[0], one[1], self.given[2])
        self.same(lambda f: vmap(f), *(torch.stack([x, x + 1]) for x in self.given))
        mask = torch.rand(2, 3, 5, 7, dtype=torch.float64)
        self.same(vmap, *self.given, mask)
        torch.testing.assert_close(vmap(qkv.attention)(*self.given), sdpa(*self.given))
        self.same(lambda f: vmap(torch.func.grad(lambda *x: f(*x).square().sum())), *self.given)
        torch.testing.assert_close(
            vmap(lambda q, k, v, s: qkv.attention(q, k, v, sinks=s))(*self.given, torch.zeros(2, 3)),
            torch.stack([qkv.attention(*(x[i] for x in self.given), sinks=[0] * 3) for i in range(2)]))

    def test_vmap_with_dropout(self):
        c = torch.func.vmap(lambda *x: sdpa(*x, dropout_p=0.5), randomness="different")(*self.given)
        self.assertEqual(c.shape, (2, 3, 5, 6))

    def test_what_is_refused(self):
        q, k, v = self.given
        for transform in (lambda f: torch.func.jvp(f, (q,), (q,)), lambda f: torch.func.hessian(f)(q)):
            with self.assertRaises((NotImplementedError, RuntimeError)):
                transform(lambda q: sdpa(q, k, v).sum())
            with self.assertRaises((NotImplementedError, RuntimeError)):
                transform(lambda q: qkv.attention(q, k, v).sum())
        grad = torch.func.grad
        with self.assertRaisesRegex(RuntimeError, "second derivatives"):
            grad(lambda q: grad(lambda q: sdpa(q, k, v).sum())(q).sum())(q)
        with self.assertRaisesRegex(NotImplementedError, "torch.jit.trace: is not offered"), \
                warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.jit.trace(lambda q: sdpa(q, k, v), (q,))


@unittest.skipIf(torch is None or not hasattr(torch.library, "custom_op"), "torch is older than 2.4")
class Autocast(unittest.TestCase):
    """torch.autocast casts here what it casts for torch's own function."""

    def test_types(self):
        compiled = torch.compile(sdpa, fullgraph=True, backend="eager")
        for dtype in (torch.bfloat16, torch.float16):
            for kind in (torch.float32, torch.float64):
                x, mask = (t.detach().to(kind).requires_grad_() for t in draw(8, (2, 5, 4), (5, 5)))
                with torch.autocast("cpu", dtype=dtype):
                    for function in (sdpa, compiled):
                        c, d = function(x, x, x, mask), functional.scaled_dot_product_attention(x, x, x, mask)
                        self.assertEqual(c.dtype, d.dtype)
                        torch.testing.assert_close(c, d)
                    grad, = torch.autograd.grad(c.sum(), x)
                self.assertEqual(grad.dtype, kind)
        self.assertEqual(compiled(x.float(), x.float(), x.float()).dtype, torch.float32)


@unittest.skipIf(torch is None or not hasattr(torch.library, "custom_op"), "torch is older than 2.4")
class Graphs(unittest.TestCase):
    def setUp(self):
        self.given = draw(12, (2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 6))

    def compiled(self, function):
        return torch.compile(function, fullgraph=True, backend="aot_eager")

    def same(self, function):
        found, expected = self.compiled(function)(*self.given), function(*self.given)
        self.assertTrue(torch.equal(found, expected))
        for a, b in zip(torch.autograd.grad(found.square().sum(), self.given),
                        torch.autograd.grad(expected.square().sum(), self.given)):
            self.assertTrue(torch.equal(a, b))

    def test_compile(self):
        self.same(sdpa)
        self.same(lambda *x: sdpa(*x, is_causal=True, scale=0.3))
        self.same(lambda *x: qkv.attention(*x, softcap=1.0, window=(2, 0), causal="bottom-right",
                                           sinks=[0.0, 1.0, 2.0]))
        narrow = [x.detach().bfloat16() for x in self.given]
        torch.testing.assert_close(self.compiled(sdpa)(*narrow), sdpa(*narrow), atol=2**-6, rtol=0)
        self.compiled(lambda *x: sdpa(*x, dropout_p=0.5))(*self.given).sum().backward()

    def test_export(self):
        class Layer(torch.nn.Module):
            def forward(self, q, k, v):
                return sdpa(q, k, v, is_causal=True)

        given = tuple(x.detach() for x in self.given)
        program = torch.export.export(Layer(), given)
        self.assertIn("qkv.attention", str(program.graph))
        self.assertTrue(torch.equal(program.module()(*given), sdpa(*given, is_causal=True)))

    def test_what_torch_checks_of_operators(self):
        q, k, v = self.given
        mask, sinks = draw(13, (5, 7), (3,))
        options = (True, "top-left", None, [3, -1], 0.4, 1.5, [6, 7], None, None, 0.0, None, None)
        torch.library.opcheck(torch.ops.qkv.attention.default,
                              (q, k, v, mask, sinks, None, None, *options))
        torch.library.opcheck(torch.ops.qkv.attention.default,
                              tuple(x.detach().bfloat16() for x in (q, k, v)) + (None,) * 4 + options)


if __name__ == "__main__":
    unittest.main()
