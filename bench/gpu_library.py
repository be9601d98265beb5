"""libqkv_cuda for Python programs that hold PyTorch tensors: the tests on a GPU and bench/gpu.py.

Only what they need: views of tensors, options by name, one call. Host arrays go in as lists.
"""
import ctypes
import os

import torch

TYPES = {torch.float64: 1, torch.float32: 2, torch.float16: 3, torch.bfloat16: 4, torch.bool: 5, torch.int8: 6}
ALIGN = {"top-left": 1, "bottom-right": 2, "offset": 3}


class View(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("type", ctypes.c_int), ("rank", ctypes.c_int),
                ("shape", ctypes.c_size_t * 4), ("stride", ctypes.c_ssize_t * 4)]


class Options(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("scale", ctypes.c_double),
                ("softcap", ctypes.c_double), ("causal", ctypes.c_bool), ("alignment", ctypes.c_int),
                ("query_offset", ctypes.c_ssize_t), ("window", ctypes.c_bool),
                ("window_left", ctypes.c_size_t), ("window_right", ctypes.c_size_t), ("mask", View),
                ("key_lengths", ctypes.POINTER(ctypes.c_size_t)), ("sequences", ctypes.c_size_t),
                ("query_starts", ctypes.POINTER(ctypes.c_size_t)),
                ("key_starts", ctypes.POINTER(ctypes.c_size_t)),
                ("alibi_slopes", ctypes.POINTER(ctypes.c_double)),
                ("sinks", ctypes.POINTER(ctypes.c_double)), ("log_sum_exp", View), ("entropy", View),
                ("scores_raw", View), ("scores_capped", View), ("scores_masked", View),
                ("weights", View), ("kernel", ctypes.c_char_p), ("threads", ctypes.c_int),
                ("key_scales", View), ("value_scales", View), ("given_output", View),
                ("given_log_sum_exp", View)]


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("message", ctypes.c_char * 512)]


def view(tensor):
    """The tensor's memory as it lies; None gives an empty view."""
    result = View()
    if tensor is None:
        return result
    result.data, result.type, result.rank = tensor.data_ptr(), TYPES[tensor.dtype], tensor.dim()
    for axis in range(tensor.dim()):
        result.shape[axis], result.stride[axis] = tensor.shape[axis], tensor.stride(axis)
    return result


def options(**named):
    """An options struct; tensors become views and lists arrays, kept alive with it."""
    result, kept = Options(struct_size=ctypes.sizeof(Options)), []
    for name, value in named.items():
        kind = dict(Options._fields_)[name]
        if isinstance(value, torch.Tensor):
            kept.append(value)
            value = view(value)
        elif isinstance(value, (list, tuple)):
            value = (kind._type_ * len(value))(*value)
            kept.append(value)
            value = ctypes.cast(value, kind)
        elif name == "alignment":
            value = ALIGN[value]
        elif isinstance(value, str):
            value = value.encode()
        setattr(result, name, value)
    result.kept = kept
    return result


class Library:
    def __init__(self, path):
        library = ctypes.CDLL(os.path.abspath(path))
        self.call, self.query = library.qkv_cuda_attention, library.qkv_cuda_attention_workspace
        pointer = ctypes.c_void_p
        self.call.argtypes = [pointer] * 6 + [ctypes.c_size_t] + [pointer] * 2
        self.query.argtypes = [pointer] * 8
        self.gradient_call = library.qkv_cuda_attention_gradient
        self.gradient_query = library.qkv_cuda_attention_gradient_workspace
        self.gradient_call.argtypes = [pointer] * 9 + [ctypes.c_size_t] + [pointer] * 2
        self.gradient_query.argtypes = [pointer] * 11

    @staticmethod
    def check(status, error):
        if status != 0:
            raise RuntimeError(f"status {status}: {error.message.decode()}")

    def prepared_call(self, query, call, tensors, named):
        """A function that makes a call on the current stream, with all else made beforehand."""
        given, error, size, name = options(**named), Error(), ctypes.c_size_t(), ctypes.c_char_p()
        views = [view(x) for x in tensors]
        at = [None if x is None else ctypes.addressof(y) for x, y in zip(tensors, views)]
        self.check(query(*at, ctypes.addressof(given), ctypes.addressof(size), ctypes.addressof(name),
                         ctypes.addressof(error)), error)
        workspace = torch.full((max(size.value, 64),), 0xA5, dtype=torch.uint8, device=tensors[0].device)
        kept = (views, given, workspace, error, tensors)

        def run():
            self.check(call(*at, ctypes.addressof(given), workspace.data_ptr(), size.value,
                            torch.cuda.current_stream().cuda_stream, ctypes.addressof(error)), kept[3])
        run.kernel, run.bytes = name.value.decode(), size.value
        return run

    def prepared(self, q, k, v, c, **named):
        return self.prepared_call(self.query, self.call, (q, k, v, c), named)

    def prepared_gradient(self, q, k, v, g, dq, dk, dv, **named):
        return self.prepared_call(self.gradient_query, self.gradient_call, (q, k, v, g, dq, dk, dv), named)

    def attention(self, q, k, v, c, **named):
        run = self.prepared(q, k, v, c, **named)
        run()
        return run.kernel

    def gradient(self, *tensors, **named):
        """(q, k, v, g, dq, dk, dv), the last three written or None."""
        run = self.prepared_gradient(*tensors, **named)
        run()
        return run.kernel
