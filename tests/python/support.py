"""What the tests of the Python package share: the definition in NumPy, and tensors that are handed
over by DLPack alone, made here from the standard's structs."""
import ctypes
import sys

import numpy as np


def softmax_attention(q, k, v, scale=None, mask=None, causal=False):
    """The definition, in f64; (..., length, width). A row that looks at nothing is zero."""
    q, k, v = (np.asarray(array, dtype=np.float64) for array in (q, k, v))
    scale = 1 / np.sqrt(q.shape[-1]) if scale is None else scale
    scores = scale * q @ np.swapaxes(k, -1, -2)
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    highest = np.max(scores, axis=-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isfinite(highest), highest, 0))
    total = weights.sum(axis=-1, keepdims=True)
    weights = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    return weights @ v, weights


def to_bf16(array):
    """f32 numbers as the bits of bfloat16, rounded to nearest even."""
    bits = np.asarray(array, dtype=np.float32).view(np.uint32)
    return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (np.asarray(bits, dtype=np.uint32) << 16).view(np.float32)


# ---- DLPack ------------------------------------------------------------------------------------


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_index", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("kind", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("release", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                ("context", ctypes.c_void_p), ("release", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", Tensor)]


_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_get = ctypes.pythonapi.PyCapsule_GetPointer
_get.restype, _get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]

KINDS = {"float": 2, "bfloat": 4, "bool": 6, "int": 0}


class Packed:
    """A NumPy array behind __dlpack__ alone; kind: what its bits are to be taken for. Its capsules
    own nothing: the object keeps the memory, and must live as long as they do. shape: what they say
    of its sizes, if that is not true."""

    def __init__(self, array, kind="float", device=1, versioned=False, read_only=False,
                 dense=False, offset=0, shape=None):
        self.array, self.kind, self.device = array, KINDS[kind], device
        self.versioned, self.read_only = versioned, read_only
        self.dense, self.offset, self.kept = dense, offset, []
        self.shape_told = array.shape if shape is None else shape

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self, **words):
        if not self.versioned and words:
            raise TypeError("from before max_version")
        a = self.array
        sizes = (ctypes.c_int64 * a.ndim)(*self.shape_told)
        strides = (ctypes.c_int64 * a.ndim)(*(s // a.itemsize for s in a.strides))
        tensor = Tensor(a.ctypes.data - self.offset, self.device, 0, a.ndim, self.kind,
                        8 * a.itemsize, 1, sizes, None if self.dense else strides, self.offset)
        managed = Versioned(1, 0, None, None, int(self.read_only), tensor) if self.versioned else (
            Managed(tensor, None, None))
        name = b"dltensor_versioned" if self.versioned else b"dltensor"
        self.kept += [sizes, strides, managed, name]
        return _new(ctypes.addressof(managed), name, None)


def read_bf16(tensor):
    """A bf16 result, qkv.Tensor, as f32, read through its own capsule."""
    capsule = tensor.__dlpack__()
    t = Managed.from_address(_get(capsule, b"dltensor")).tensor
    assert (t.kind, t.bits, t.device_type) == (KINDS["bfloat"], 16, 1)
    shape = [t.shape[i] for i in range(t.rank)]
    count = int(np.prod(shape))
    bits = np.ctypeslib.as_array((ctypes.c_uint16 * count).from_address(t.data)).reshape(shape)
    return from_bf16(bits.copy())


class Namespace:
    """An array that belongs to a namespace of the array standard, which is not NumPy's."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **words):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __array_namespace__(self):
        return Namespace

    @staticmethod
    def from_dlpack(other):
        return Namespace(np.from_dlpack(other))


def references(*objects):
    return [sys.getrefcount(one) for one in objects]
