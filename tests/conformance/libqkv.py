"""Just enough of libqkv's C interface for NumPy arrays: views, options, the operator, the cache.

The structs mirror include/qkv/tensor.h and attention.h; the library's own struct_size says
whether they still do.
"""
import ctypes
from ctypes import c_bool, c_char, c_char_p, c_double, c_int, c_size_t, c_ssize_t, c_void_p

TYPES = {"float64": 1, "float32": 2, "float16": 3, "bfloat16": 4, "bool": 5, "int8": 6}
UNLIMITED = 2 ** (8 * ctypes.sizeof(c_size_t)) - 1
TOP_LEFT, BOTTOM_RIGHT, OFFSET = 1, 2, 3


class View(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("type", c_int), ("rank", c_int),
                ("shape", c_size_t * 4), ("stride", c_ssize_t * 4)]


class Options(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("scale", c_double), ("softcap", c_double),
                ("causal", c_bool), ("alignment", c_int), ("query_offset", c_ssize_t),
                ("window", c_bool), ("window_left", c_size_t), ("window_right", c_size_t),
                ("mask", View), ("key_lengths", ctypes.POINTER(c_size_t)),
                ("sequences", c_size_t), ("query_starts", c_void_p), ("key_starts", c_void_p),
                ("alibi_slopes", c_void_p), ("sinks", c_void_p),
                ("log_sum_exp", View), ("entropy", View), ("scores_raw", View),
                ("scores_capped", View), ("scores_masked", View), ("weights", View),
                ("kernel", c_char_p), ("threads", c_int),
                ("key_scales", View), ("value_scales", View)]


class Error(ctypes.Structure):
    _fields_ = [("status", c_int), ("message", c_char * 512)]


class Cache(ctypes.Structure):
    _fields_ = [("key", View), ("value", View), ("length", c_size_t),
                ("key_scales", View), ("value_scales", View)]


def view(array):
    """A view of a NumPy array, which must outlive it."""
    rank, size = array.ndim, array.itemsize
    return View(array.ctypes.data, TYPES[array.dtype.name], rank,
                (c_size_t * 4)(*array.shape),
                (c_ssize_t * 4)(*(stride // size for stride in array.strides)))


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        self.c.qkv_attention_default.restype = Options
        self.c.qkv_kernel_name.restype = c_char_p
        if self.options().struct_size != ctypes.sizeof(Options):
            raise RuntimeError("libqkv.py does not match the library's qkv_attention_options")

    def options(self):
        return self.c.qkv_attention_default()

    def kernels(self):
        return [self.c.qkv_kernel_name(c_size_t(i)).decode()
                for i in range(self.c.qkv_kernel_count())]

    def call(self, function, *arguments):
        """Calls with pointers to the structs and an error; raises its message."""
        error = Error()
        pointers = [ctypes.byref(argument) for argument in arguments]
        if getattr(self.c, function)(*pointers, ctypes.byref(error)) != 0:
            raise ValueError(error.message.decode())
