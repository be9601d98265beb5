"""Arrays of every kind in and out: memoryviews, DLPack of both layouts, bf16, namespaces."""
import array
import ctypes
import gc
import os
import sys
import unittest
import unittest.mock

import numpy as np
import qkv
from support import Namespace, Packed, from_bf16, read_bf16, softmax_attention, to_bf16


def draw(seed, *shapes):
    generator = np.random.default_rng(seed)
    return [generator.normal(size=shape).astype(np.float32) for shape in shapes]


class Buffers(unittest.TestCase):
    def test_memoryviews(self):
        q, k, v = draw(1, (2, 4), (3, 4), (3, 5))
        c = qkv.attention(*(memoryview(a) for a in (q, k, v)))
        self.assertIs(type(c), memoryview)
        self.assertEqual((c.format, c.shape), ("f", (2, 5)))
        np.testing.assert_array_equal(c, qkv.attention(q, k, v))

    def test_arrays_of_the_standard_library(self):
        numbers = array.array("d", [1, 2, 3, 4, 5, 6])
        rows = memoryview(numbers).cast("B").cast("d", (3, 2))
        c = qkv.attention(rows, rows, rows)
        expected = softmax_attention(*[np.arange(1.0, 7).reshape(3, 2)] * 3)[0]
        np.testing.assert_allclose(c.tolist(), expected, atol=1e-14)

    def test_arrays_of_ctypes(self):
        """They have no strides: that is dense."""
        rows = ((ctypes.c_double * 2) * 3)((1, 2), (3, 4), (5, 6))
        expected = softmax_attention(*[np.arange(1.0, 7).reshape(3, 2)] * 3)[0]
        np.testing.assert_allclose(qkv.attention(rows, rows, rows).tolist(), expected, atol=1e-14)
        one = (ctypes.c_double * 4)()
        with self.assertRaisesRegex(ValueError, "q has rank 1"):
            qkv.attention(one, one, one)

    def test_results_outlive_their_inputs(self):
        q, k, v = draw(2, (2, 4), (3, 4), (3, 5))
        expected = qkv.attention(q, k, v)
        c = qkv.attention(memoryview(q), memoryview(k), memoryview(v))
        del q, k, v
        gc.collect()
        np.testing.assert_array_equal(c, expected)
        c[0, 0] = 9.0  # and are the caller's own
        self.assertEqual(c[0, 0], 9.0)

    def test_kinds_may_be_mixed(self):
        q, k, v = draw(3, (2, 4), (3, 4), (3, 5))
        c = qkv.attention(q, memoryview(k), Packed(v))
        self.assertIs(type(c), np.ndarray)
        np.testing.assert_array_equal(c, qkv.attention(q, k, v))


class DLPack(unittest.TestCase):
    def test_both_layouts(self):
        q, k, v = draw(4, (3, 2, 4), (3, 5, 4), (3, 5, 6))
        expected = qkv.attention(q, k, v)
        for versioned in (False, True):
            for read_only in (False, versioned):
                packs = [Packed(a, versioned=versioned, read_only=read_only) for a in (q, k, v)]
                np.testing.assert_array_equal(qkv.attention(*packs), expected)

    def test_strides_and_offsets(self):
        q, k, v = draw(5, (4, 3), (4, 5), (5, 6))
        q, k = q.T, k.T  # width first in memory
        np.testing.assert_array_equal(qkv.attention(Packed(q), Packed(k), Packed(v, dense=True)),
                                      qkv.attention(q, k, v))
        np.testing.assert_array_equal(qkv.attention(q, k, Packed(v, offset=12)),
                                      qkv.attention(q, k, v))

    def test_masks(self):
        q, k, v = draw(6, (2, 4), (3, 4), (3, 5))
        mask = np.array([[True, False, True], [False, True, True]])
        np.testing.assert_array_equal(qkv.attention(q, k, v, mask=Packed(mask, "bool")),
                                      qkv.attention(q, k, v, mask=mask))

    def test_output(self):
        q, k, v = draw(7, (2, 4), (3, 4), (3, 5))
        out = np.zeros((2, 5), np.float32)
        pack = Packed(out, versioned=True)
        self.assertIs(qkv.attention(q, k, v, out=pack), pack)
        np.testing.assert_array_equal(out, qkv.attention(q, k, v))
        with self.assertRaisesRegex(ValueError, "out: is read-only"):
            qkv.attention(q, k, v, out=Packed(out, versioned=True, read_only=True))

    def test_bfloat16(self):
        q, k, v = (to_bf16(a) for a in draw(8, (3, 16), (9, 16), (9, 8)))
        c = qkv.attention(*(Packed(a, "bfloat") for a in (q, k, v)))
        self.assertIs(type(c), qkv.Tensor)
        self.assertEqual((c.shape, c.type), ((3, 8), "bf16"))
        exact = softmax_attention(*(from_bf16(a) for a in (q, k, v)))[0]
        np.testing.assert_allclose(read_bf16(c), exact, rtol=2 ** -7, atol=2 ** -8)
        with self.assertRaisesRegex(BufferError, "__dlpack__"):
            memoryview(c)
        again = qkv.attention(c, Packed(k[:, :8].copy(), "bfloat"), Packed(v, "bfloat"))
        self.assertEqual(again.type, "bf16")  # our own arrays are arrays as well

    def test_other_devices_and_types(self):
        q, k, v = draw(9, (2, 4), (3, 4), (3, 5))
        with self.assertRaisesRegex(ValueError, r"k: lies on a GPU \(DLPack's device 2:0\)"):
            qkv.attention(q, Packed(k, device=2), v)
        with unittest.mock.patch.dict(os.environ, QKV_CUDA_LIBRARY="/nowhere/libqkv_cuda.so"):
            with self.assertRaisesRegex(ValueError, "q: lies on a GPU, for which libqkv_cuda is needed"):
                qkv.attention(*(Packed(a, device=2) for a in (q, k, v)))
        with self.assertRaisesRegex(ValueError, "v: has elements of type int32"):
            qkv.attention(q, k, Packed(v, "int"))

    def test_negative_sizes(self):
        arrays = dict(zip("qkv", draw(9, (2, 4), (3, 4), (3, 5))))
        given = {**arrays, "mask": np.ones((2, 3), bool), "out": np.zeros((2, 5), np.float32)}
        for name, array in given.items():
            for axis, size in ((0, -1), (1, -1), (0, -2**63)):
                for versioned, dense in ((False, False), (False, True), (True, False), (True, True)):
                    if name == "out" and not versioned:
                        continue  # refused already, since it may not be written to
                    sizes = [size if i == axis else n for i, n in enumerate(array.shape)]
                    bad = Packed(array, "bool" if name == "mask" else "float", versioned=versioned,
                                 dense=dense, shape=sizes)
                    with self.assertRaisesRegex(ValueError, f"^{name}: axis {axis} has a size of {size}; "
                                                            "expected 0 or more$"):
                        qkv.attention(**{**arrays, name: bad})
        self.assertFalse(given["out"].any())

    def test_capsules_are_let_go(self):
        q, k, v = draw(10, (2, 4), (3, 4), (3, 5))
        c = qkv.attention(memoryview(q), memoryview(k), memoryview(v))
        other = np.from_dlpack(c.obj)  # the array under the memoryview, a qkv.Tensor
        expected = other.copy()
        del c
        gc.collect()
        np.testing.assert_array_equal(other, expected)
        capsule = memoryview(qkv.attention(memoryview(q), memoryview(k), memoryview(v))).obj
        before = sys.getrefcount(capsule)
        for version in (None, (0, 8), (1, 0), (2, 0)):
            for _ in range(1000):  # made and dropped without being taken
                capsule.__dlpack__(max_version=version)
        self.assertEqual(sys.getrefcount(capsule), before)
        self.assertEqual(capsule.__dlpack_device__(), (1, 0))

    def test_exporters_that_fail(self):
        class Broken:
            def __dlpack__(self, **words):
                raise BufferError("no memory to show")

        class Strange:
            def __dlpack__(self, **words):
                return 7

        q, k, v = draw(11, (2, 4), (3, 4), (3, 5))
        with self.assertRaisesRegex(BufferError, "^k: no memory to show"):
            qkv.attention(q, Broken(), v)
        with self.assertRaisesRegex(ValueError, "k: __dlpack__ gave something else"):
            qkv.attention(q, Strange(), v)


class Kinds(unittest.TestCase):
    def test_namespaces(self):
        q, k, v = draw(12, (2, 4), (3, 4), (3, 5))
        c, weights = qkv.attention(*(Namespace(a) for a in (q, k, v)), return_weights=True)
        self.assertIs(type(c), Namespace)
        np.testing.assert_array_equal(c.array, qkv.attention(q, k, v))
        np.testing.assert_allclose(weights.array.sum(-1), 1, rtol=1e-6)

    def test_subclasses(self):
        class Mine(np.ndarray):
            pass

        q, k, v = (a.view(Mine) for a in draw(13, (2, 4), (3, 4), (3, 5)))
        self.assertIs(type(qkv.attention(q, k, v)), np.ndarray)

    def test_tensors_cannot_be_made(self):
        with self.assertRaises(TypeError):
            qkv.Tensor()


if __name__ == "__main__":
    unittest.main()
