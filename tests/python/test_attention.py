"""qkv.attention: values against the definition, strides without a copy, kinds, errors, the GIL."""
import gc
import threading
import unittest
import warnings

import numpy as np
import qkv
from qkv import _qkv
from support import softmax_attention

# Of the operator beside the definition in f64: sums of some dozens of numbers near 1. Units in the
# last place of the type, times a few.
CLOSE = {np.float64: 2e-14, np.float32: 4e-6, np.float16: 4e-3}


def draw(seed, *shapes, kind=np.float64):
    generator = np.random.default_rng(seed)
    return [generator.normal(size=shape).astype(kind) for shape in shapes]


class Values(unittest.TestCase):
    def test_ranks_and_types(self):
        for lead in ((), (3,), (2, 3)):
            for kind, close in CLOSE.items():
                q, k, v = draw(1, (*lead, 5, 8), (*lead, 7, 8), (*lead, 7, 6), kind=kind)
                c = qkv.attention(q, k, v)
                self.assertIs(type(c), np.ndarray)
                self.assertEqual((c.dtype, c.shape), (np.dtype(kind), (*lead, 5, 6)))
                np.testing.assert_allclose(c, softmax_attention(q, k, v)[0], atol=close, rtol=close)

    def test_results(self):
        q, k, v = draw(2, (2, 3, 5, 8), (2, 3, 7, 8), (2, 3, 7, 4))
        c, weights, sums = qkv.attention(q, k, v, return_weights=True, return_lse=True)
        expected, exact = softmax_attention(q, k, v)
        np.testing.assert_allclose(weights, exact, atol=1e-14)
        np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-14)
        scores = q @ k.swapaxes(-1, -2) / np.sqrt(8)
        np.testing.assert_allclose(sums, np.log(np.exp(scores).sum(-1)), atol=1e-13)
        np.testing.assert_array_equal(c, qkv.attention(q, k, v))
        only, lse = qkv.attention(q.astype("f2"), k.astype("f2"), v.astype("f2"), return_lse=True)
        self.assertEqual((only.dtype, lse.dtype), (np.float16, np.float32))

    def test_scale(self):
        q, k, v = draw(3, (4, 8), (6, 8), (6, 2))
        np.testing.assert_allclose(qkv.attention(q, k, v, scale=1.0),
                                   softmax_attention(q, k, v, 1.0)[0], atol=1e-13)
        np.testing.assert_allclose(qkv.attention(q, k, v, scale=0), np.tile(v.mean(0), (4, 1)),
                                   atol=1e-14)

    def test_masks(self):
        q, k, v = draw(4, (2, 3, 6, 8), (2, 3, 6, 8), (2, 3, 6, 4))
        generator = np.random.default_rng(5)
        for shape in ((6, 6), (3, 6, 6), (2, 1, 6, 6), (6,), (2, 1, 1, 6)):
            allowed = generator.random(shape) > 0.5
            added = generator.normal(size=shape)
            for mask in (allowed, added, added.astype(np.float32)):
                np.testing.assert_allclose(qkv.attention(q, k, v, mask=mask),
                                           softmax_attention(q, k, v, mask=mask)[0], atol=1e-13)

    def test_nothing_to_look_at_is_zero(self):
        q, k, v = draw(6, (3, 4), (3, 4), (3, 4))
        mask = np.array([[True, True, True], [False] * 3, [True, False, True]])
        v[1] = np.nan
        c = qkv.attention(q, k, v, mask=mask & [True, False, True])
        np.testing.assert_array_equal(c[1], 0)
        self.assertTrue(np.isfinite(c).all(), "what lies in a masked value reaches nothing")

    def test_causal(self):
        q, k, v = draw(7, (5, 4), (5, 4), (5, 3))
        expected = softmax_attention(q, k, v, causal=True)[0]
        np.testing.assert_allclose(qkv.attention(q, k, v, causal=True), expected, atol=1e-14)
        few = qkv.attention(q[3:], k, v, causal="bottom-right")
        np.testing.assert_allclose(few, expected[3:], atol=1e-14)
        first = qkv.attention(q[:2], k, v, causal="top-left")
        np.testing.assert_allclose(first, expected[:2], atol=1e-14)
        with self.assertRaisesRegex(ValueError, "2 queries over 5 keys"):
            qkv.attention(q[:2], k, v, causal=True)

    def test_window(self):
        q, k, v = draw(8, (6, 4), (6, 4), (6, 3))
        distance = np.arange(6)[None, :] - np.arange(6)[:, None]
        for window, mask in ((1, abs(distance) <= 1), ((2, 0), (distance <= 0) & (distance >= -2)),
                             ((None, 1), distance <= 1), ([0, None], distance >= 0)):
            np.testing.assert_allclose(qkv.attention(q, k, v, window=window),
                                       softmax_attention(q, k, v, mask=mask)[0], atol=1e-14)
        late = qkv.attention(q[4:], k, v, window=(1, 0, "bottom-right"))
        mask = ((distance <= 0) & (distance >= -1))[4:]
        np.testing.assert_allclose(late, softmax_attention(q[4:], k, v, mask=mask)[0], atol=1e-14)

    def test_grouped_and_packed_heads(self):
        q, k, v = draw(9, (2, 6, 5, 8), (2, 2, 7, 8), (2, 2, 7, 4))
        wide = softmax_attention(q, k.repeat(3, 1), v.repeat(3, 1))[0]
        np.testing.assert_allclose(qkv.attention(q, k, v), wide, atol=1e-14)
        pack = [a.transpose(0, 2, 1, 3).reshape(2, a.shape[2], -1) for a in (q, k, v)]
        packed = qkv.attention(*pack, heads=6, kv_heads=2)
        self.assertEqual(packed.shape, (2, 5, 24))
        np.testing.assert_array_equal(packed.reshape(2, 5, 6, 4).transpose(0, 2, 1, 3),
                                      qkv.attention(q, k, v))
        one = qkv.attention(*(a[0] for a in pack), heads=6, kv_heads=2)
        np.testing.assert_array_equal(one, packed[0])

    def test_softcap(self):
        q, k, v = draw(10, (4, 8), (5, 8), (5, 2))
        scores = 2 * np.tanh(q @ k.T / np.sqrt(8) / 2)
        weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
        np.testing.assert_allclose(qkv.attention(q, k, v, softcap=2.0), weights @ v, atol=1e-14)

    def test_shift_and_permutation(self):
        """A number added to all scores of a row changes nothing; neither does the order of keys."""
        q, k, v = draw(11, (4, 8), (9, 8), (9, 3))
        order = np.random.default_rng(1).permutation(9)
        np.testing.assert_allclose(qkv.attention(q, k[order], v[order]), qkv.attention(q, k, v),
                                   atol=1e-14)
        np.testing.assert_allclose(qkv.attention(q, k + 3 * q.mean(0), v, scale=1.0, mask=(
            -3 * q @ q.mean(0))[:, None]), qkv.attention(q, k, v, scale=1.0), atol=1e-12)

    def test_empty(self):
        for queries, keys in ((0, 3), (3, 0), (0, 0)):
            c = qkv.attention(np.zeros((queries, 4)), np.zeros((keys, 4)), np.ones((keys, 2)))
            np.testing.assert_array_equal(c, np.zeros((queries, 2)))

    def test_bits_do_not_depend_on_threads(self):
        q, k, v = draw(12, (4, 65, 16), (4, 65, 16), (4, 65, 16), kind=np.float32)
        one = qkv.attention(q, k, v, threads=1)
        np.testing.assert_array_equal(one, qkv.attention(q, k, v, threads=3))
        np.testing.assert_array_equal(one, qkv.attention(q, k, v))

    def test_kernels_agree(self):
        q, k, v = draw(13, (3, 33, 16), (3, 40, 16), (3, 40, 8), kind=np.float32)
        exact = softmax_attention(q, k, v)[0]
        self.assertIn("reference", qkv.kernels())
        for kernel in qkv.kernels():
            if "bf16" not in kernel and "amx" not in kernel:
                np.testing.assert_allclose(qkv.attention(q, k, v, kernel=kernel), exact, atol=4e-6)
        with self.assertRaisesRegex(ValueError, "abacus"):
            qkv.attention(q, k, v, kernel="abacus")

    def test_more_of_the_operator(self):
        q, k, v = draw(14, (2, 1, 3, 4), (2, 1, 6, 4), (2, 1, 6, 2))
        c = qkv.attention(q, k, v, key_lengths=[4, 6])
        np.testing.assert_array_equal(c[0], qkv.attention(q[0], k[0, :, :4], v[0, :, :4]))
        c, scores = qkv.attention(q, k, v, scores="raw", causal=True, offset=3)
        np.testing.assert_allclose(scores, q @ k.swapaxes(-1, -2) / 2, atol=1e-14)
        np.testing.assert_array_equal(c, qkv.attention(q, k, v, causal="bottom-right"))


class Memory(unittest.TestCase):
    def test_strides_need_no_copy(self):
        generator = np.random.default_rng(20)
        room = generator.normal(size=(2, 9, 3, 3, 8))  # batch, length, which, head, width
        q, k, v = (room[:, :, i].transpose(0, 2, 1, 3) for i in range(3))
        dense = [np.ascontiguousarray(a) for a in (q, k, v)]
        np.testing.assert_array_equal(qkv.attention(q, k, v), qkv.attention(*dense))
        back = [a[:, :, ::-1] for a in (k, v)]
        np.testing.assert_allclose(qkv.attention(q, *back), qkv.attention(q, k, v), atol=1e-14)
        one = np.broadcast_to(k[:1], k.shape)
        np.testing.assert_array_equal(qkv.attention(q, one, v), qkv.attention(q, one.copy(), v))

    def test_nothing_is_copied(self):
        """A view of far more than there is memory: one row, a million times a million."""
        row = np.ones((1, 1))
        large = np.broadcast_to(row, (10 ** 12, 1))
        c = qkv.attention(row, row, row, out=np.empty((1, 1)))
        self.assertEqual(c[0, 0], 1)
        with self.assertRaises(ValueError):  # opened and looked at, without touching its memory
            qkv.attention(row, large, np.broadcast_to(row, (10 ** 11, 1)))

    def test_read_only_inputs(self):
        q, k, v = draw(21, (2, 4), (3, 4), (3, 4))
        expected = qkv.attention(q, k, v)
        for a in (q, k, v):
            a.flags.writeable = False
        np.testing.assert_array_equal(qkv.attention(q, k, v), expected)
        with self.assertRaises(ValueError):
            qkv.attention(q, k, v, out=q)

    def test_out(self):
        q, k, v = draw(22, (3, 5, 8), (3, 7, 8), (3, 7, 4))
        out = np.full((5, 3, 4), 7.0)
        view = out.transpose(1, 0, 2)
        self.assertIs(qkv.attention(q, k, v, out=view), view)
        np.testing.assert_array_equal(view, qkv.attention(q, k, v))
        result = qkv.attention(q, k, v, out=view, return_lse=True)
        self.assertIs(result[0], view)
        with self.assertRaisesRegex(ValueError, "^out has width"):
            qkv.attention(q, k, v, out=np.empty((3, 5, 5)))

    def test_out_that_is_an_input(self):
        q, k, v = draw(23, (4, 4), (4, 4), (4, 4))
        before = q.copy()
        for out, name in ((q, "q"), (k, "k"), (v, "v")):
            with self.assertRaisesRegex(ValueError, f"out: shares memory with {name}"):
                qkv.attention(q, k, v, out=out)
        np.testing.assert_array_equal(q, before)
        room = np.zeros((4, 2, 4))  # beside each other in one array: no memory is shared
        room[:, 0] = q
        qkv.attention(room[:, 0], k, v, out=room[:, 1])
        np.testing.assert_array_equal(room[:, 1], qkv.attention(q, k, v))

    def test_out_between_the_inputs(self):
        """Slices of one array that share no byte, and such that do, by NumPy's own solver."""
        generator = np.random.default_rng(25)
        room = generator.normal(size=(8, 192))
        q = room[:, :64]
        expected = qkv.attention(q, q, q)
        np.testing.assert_array_equal(qkv.attention(q, q, q, out=room[:, 64:128]), expected)
        for out in (room[:, 32:96], room[:, 63:127], room[::-1, 1:65], room[:, ::3]):
            with self.assertRaisesRegex(ValueError, "out: shares memory with q"):
                qkv.attention(q, q, q, out=out)
        k = np.zeros((4, 3))
        met = apart = 0
        for _ in range(2000):
            flat = np.zeros(120)
            views = []
            for width in (3, 4):
                step = generator.integers(1, 3)
                start = generator.integers(0, 40)
                row = generator.integers(1, 20) * generator.choice((-1, 1))
                base = start + (60 if row < 0 else 0)
                views.append(np.lib.stride_tricks.as_strided(
                    flat[base:], (4, width), (8 * row, 8 * step)))
            if abs(views[1].strides[0]) <= 3 * views[1].strides[1]:
                continue  # an output whose own rows meet is refused for that
            if np.shares_memory(*views):
                met += 1
                with self.assertRaisesRegex(ValueError, "out: shares memory with q"):
                    qkv.attention(views[0], k, np.zeros((4, 4)), out=views[1])
            else:
                apart += 1
                qkv.attention(views[0], k, np.zeros((4, 4)), out=views[1])
        self.assertGreater(min(met, apart), 100)

    def test_references(self):
        """What is taken is given back, in success and in failure."""
        import sys
        q, k, v, out = draw(24, (2, 4), (3, 4), (3, 4), (2, 4))
        calls = [lambda: qkv.attention(q, k, v), lambda: qkv.attention(q, k, v, out=out),
                 lambda: qkv.attention(q, k, v, return_weights=True, return_lse=True),
                 lambda: qkv.attention(q, k, v[:2]), lambda: qkv.attention(q, k, [1]),
                 lambda: qkv.attention(q, k, v, mask=k), lambda: qkv.attention(q, k, v, out=k),
                 lambda: qkv.attention(q, k, v, scale="x")]
        for call in calls:
            for _ in range(3):
                try:
                    call()
                except (ValueError, TypeError):
                    pass
            gc.collect()
            before = [sys.getrefcount(a) for a in (q, k, v, out)]
            for _ in range(100):
                try:
                    call()
                except (ValueError, TypeError):
                    pass
            self.assertEqual([sys.getrefcount(a) for a in (q, k, v, out)], before)
        out.resize((2, 2), refcheck=False)  # no buffer is left open


class Threads(unittest.TestCase):
    def test_the_lock_is_free_while_it_computes(self):
        q, k, v = draw(30, (2000, 64), (20000, 64), (20000, 64), kind=np.float32)
        done = threading.Event()

        def work():
            qkv.attention(q, k, v, threads=1)
            done.set()

        worker = threading.Thread(target=work)
        worker.start()
        count = 0
        while not done.wait(0.001):  # each time the interpreter's lock is taken anew
            count += 1
        worker.join()
        self.assertGreater(count, 3)

    def test_calls_at_the_same_time(self):
        q, k, v = draw(31, (3, 50, 16), (3, 60, 16), (3, 60, 16))
        expected, results = qkv.attention(q, k, v), []
        workers = [threading.Thread(target=lambda: results.append(qkv.attention(q, k, v)))
                   for _ in range(8)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(len(results), 8)
        for result in results:
            np.testing.assert_array_equal(result, expected)


class Errors(unittest.TestCase):
    def expect(self, kind, text, *arrays, **words):
        with self.assertRaisesRegex(kind, text):
            qkv.attention(*arrays, **words)

    def test_messages_name_what_was_wrong(self):
        q, k, v = draw(40, (2, 4), (3, 4), (3, 4))
        self.expect(ValueError, "^k has width", q, k[:, :3], v)
        self.expect(ValueError, "^v has length", q, k, v[:2])
        self.expect(ValueError, "scale", q, k, v, scale=float("nan"))
        self.expect(ValueError, "softcap", q, k, v, softcap=-1.0)
        self.expect(ValueError, "mask", q, k, v, mask=np.ones((5, 5), bool))
        self.expect(ValueError, "window: got a side of -1", q, k, v, window=(-1, 2))
        self.expect(ValueError, "window: got", q, k, v, window="wide")
        self.expect(ValueError, 'causal: got .upside-down.', q, k, v, causal="upside-down")
        self.expect(ValueError, "threads: got 0", q, k, v, threads=0)
        self.expect(ValueError, "heads: got -1", q, k, v, heads=-1)
        self.expect(ValueError, "kv_heads: is given without heads", q, k, v, kv_heads=2)
        self.expect(ValueError, "heads", q, k, v, heads=3)
        self.expect(ValueError, "f32|f64", q.astype("f4"), k, v)

    def test_types_that_are_no_numbers_of_ours(self):
        q, k, v = draw(41, (2, 4), (3, 4), (3, 4))
        self.expect(ValueError, "q: has elements of the format 'l'", q.astype(int), k, v)
        for kind in (bool, np.int8):
            self.expect(ValueError, "q: has elements of type (bool|i8)", q.astype(kind), k, v)
            self.expect(ValueError, "key|value|i8|bool", q, k.astype(kind), v.astype(kind))
        self.expect(ValueError, "k: has elements of the format 'Zd'", q, k.astype(complex), v)
        self.expect(ValueError, "v: has elements", q, k, v.astype(">f8"))
        self.expect(TypeError, "q: is of type list; expected an array", [[1.0]], k, v)
        self.expect(TypeError, "v: is of type NoneType", q, k, None)
        self.expect(ValueError, "q: has 5 axes", np.zeros((1, 1, 1, 2, 4)), k, v)
        self.expect(ValueError, "q: has 0 axes", np.array(1.0), k, v)

    def test_exporters_errors_name_the_argument(self):
        q, k, v = draw(43, (2, 4), (3, 4), (3, 4))
        fixed = np.zeros((2, 4))
        fixed.flags.writeable = False
        self.expect(ValueError, "out: is read-only", q, k, v, out=fixed)
        self.expect(ValueError, "out: is read-only", q, k, v, out=b"12345678")
        self.expect(ValueError, "v: cannot include dtype", q, k, v.astype("M8[s]"))
        self.expect(ValueError, "k: is a masked array", q, np.ma.array(k), v)
        self.expect(ValueError, "mask: has elements of type int8", q, k, v,
                    mask=np.ones((2, 3), np.int8))
        self.expect(ValueError, "^k has width 3", q, k[:, :3], v)
        self.expect(ValueError, "^v has ", q, k, v[:2])

    def test_memory_that_is_not_aligned(self):
        q, k, v = draw(42, (2, 4), (3, 4), (3, 4))
        odd = np.frombuffer(bytes(1 + q.nbytes), dtype=np.uint8)[1:].view(np.float64).reshape(2, 4)
        self.expect(ValueError, "q: does not begin at a multiple of 8 bytes", odd, k, v)
        fields = np.zeros((3, 4), dtype=[("x", "f8"), ("y", "i1")])["x"]
        self.expect(ValueError, "k: axis 0 has a stride of 36 bytes", q, fields, v)

    def test_arguments(self):
        q, k, v = draw(43, (2, 4), (3, 4), (3, 4))
        self.expect(TypeError, "missing the argument 'v'", q, k)
        self.expect(TypeError, "3 positional", q, k, v, v)
        self.expect(TypeError, "unexpected keyword argument 'colour'", q, k, v, colour=1)
        self.expect(TypeError, "unexpected keyword argument 'kernels'", q, k, v, kernels="avx2")
        self.expect(TypeError, "twice", q, k, v, q=q)
        np.testing.assert_array_equal(qkv.attention(v=v, q=q, k=k), qkv.attention(q, k, v))

    def test_arguments_of_other_types(self):
        q, k, v = draw(45, (2, 4), (3, 4), (3, 4))
        self.expect(TypeError, "scale: got 'wide'; expected a number", q, k, v, scale="wide")
        self.expect(TypeError, "heads: got 2.5; expected a whole number", q, k, v, heads=2.5)
        self.expect(TypeError, "window: got 'a'", q, k, v, window=("a", 1))
        self.expect(TypeError, "mask: is of type bool", q, k, v, mask=True)
        np.testing.assert_array_equal(qkv.attention(q, q, q, window=10 ** 30),
                                      qkv.attention(q, q, q))

    def test_results_are_whole_or_nothing(self):
        q, k, v = draw(44, (2, 4), (3, 4), (3, 4))
        out = np.full((2, 4), 3.0)
        with self.assertRaises(ValueError):
            qkv.attention(q, k, v, out=out, scale=float("inf"))
        np.testing.assert_array_equal(out, 3.0)


class Gradients(unittest.TestCase):
    def test_against_differences(self):
        q, k, v, g = draw(50, (2, 3, 4), (2, 5, 4), (2, 5, 3), (2, 3, 3))
        results = [np.empty_like(a) for a in (q, k, v)]
        c, sums = qkv.attention(q, k, v, return_lse=True)
        for given in ({}, {"output": c, "log_sum_exp": sums}):
            _qkv.attention_gradient(q, k, v, output_gradient=g, query_gradient=results[0],
                                    key_gradient=results[1], value_gradient=results[2], **given)
            step, generator = 1e-5, np.random.default_rng(51)
            for which, result in enumerate(results):
                direction = generator.normal(size=result.shape)
                ends = []
                for sign in (1, -1):
                    moved = [q, k, v]
                    moved[which] = moved[which] + sign * step * direction
                    ends.append((g * qkv.attention(*moved)).sum())
                slope = (ends[0] - ends[1]) / (2 * step)
                self.assertAlmostEqual((direction * result).sum(), slope, delta=1e-8)

    def test_errors(self):
        q, k, v = draw(52, (3, 4), (5, 4), (5, 3))
        with self.assertRaisesRegex(TypeError, "output_gradient"):
            _qkv.attention_gradient(q, k, v)
        with self.assertRaisesRegex(ValueError, "output_gradient"):
            _qkv.attention_gradient(q, k, v, output_gradient=np.zeros((2, 2)),
                                    query_gradient=np.empty_like(q))


warnings.simplefilter("error")

if __name__ == "__main__":
    unittest.main()
