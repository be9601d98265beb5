"""The operator for arrays on CUDA devices, by libqkv_cuda.

The compiled module hands calls over whose q lies on a device. Work is queued on the current stream
of the library that the arrays come from, and nothing waits for it; memory comes from its allocator.
Arrays of PyTorch and CuPy are taken as they are; others (JAX) go through one of these by DLPack.
"""
import ctypes
import ctypes.util
import os
import sys
from typing import Any, Optional

_TYPES = {"float64": 1, "float32": 2, "float16": 3, "bfloat16": 4, "bool": 5, "int8": 6,
          "float8_e4m3fn": 7}
_ALIGNMENTS = {"top-left": 1, "bottom-right": 2}
_OFFSET = 3
_UNLIMITED = ctypes.c_size_t(-1).value
_SCALE_ZERO = 2.2250738585072014e-308
_NAMES = {"query": "q", "key": "k", "value": "v", "output": "out"}  # the library's, and ours
_LIMIT = 4  # axes

_library: Any = None


# ---- The library: cuda.h and attention.h --------------------------------------------------------


class _View(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("type", ctypes.c_int), ("rank", ctypes.c_int),
                ("shape", ctypes.c_size_t * _LIMIT), ("stride", ctypes.c_ssize_t * _LIMIT)]


class _Options(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("scale", ctypes.c_double),
                ("softcap", ctypes.c_double), ("causal", ctypes.c_bool), ("alignment", ctypes.c_int),
                ("query_offset", ctypes.c_ssize_t), ("window", ctypes.c_bool),
                ("window_left", ctypes.c_size_t), ("window_right", ctypes.c_size_t),
                ("mask", _View), ("key_lengths", ctypes.POINTER(ctypes.c_size_t)),
                ("sequences", ctypes.c_size_t), ("query_starts", ctypes.POINTER(ctypes.c_size_t)),
                ("key_starts", ctypes.POINTER(ctypes.c_size_t)),
                ("alibi_slopes", ctypes.POINTER(ctypes.c_double)),
                ("sinks", ctypes.POINTER(ctypes.c_double)), ("log_sum_exp", _View),
                ("entropy", _View), ("scores_raw", _View), ("scores_capped", _View),
                ("scores_masked", _View), ("weights", _View), ("kernel", ctypes.c_char_p),
                ("threads", ctypes.c_int), ("key_scales", _View), ("value_scales", _View),
                ("given_output", _View), ("given_log_sum_exp", _View)]


class _Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("message", ctypes.c_char * 512)]


def _load() -> Any:
    """libqkv_cuda: the file that QKV_CUDA_LIBRARY names, or where the system finds libraries."""
    global _library
    if _library is not None:
        return _library
    named = os.environ.get("QKV_CUDA_LIBRARY")
    path = named or ctypes.util.find_library("qkv_cuda") or "libqkv_cuda.so.0"
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ValueError("q: lies on a GPU, for which libqkv_cuda is needed; expected it to be "
                         f"installed, or its path in QKV_CUDA_LIBRARY ({error})") from None
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    library.qkv_cuda_attention_workspace.argtypes = [pointer] * 8
    library.qkv_cuda_attention.argtypes = [pointer] * 6 + [size] + [pointer] * 2
    library.qkv_cuda_attention_gradient_workspace.argtypes = [pointer] * 11
    library.qkv_cuda_attention_gradient.argtypes = [pointer] * 9 + [size] + [pointer] * 2
    _library = library
    return library


def _check(status: int, error: _Error) -> None:
    if status == 0:
        return
    told = error.message.decode("utf-8", "replace")
    first, _, rest = told.partition(" ")
    if first in _NAMES:
        told = f"{_NAMES[first]} {rest}"
    raise MemoryError(told) if status == 4 else RuntimeError(told) if status == 8 else ValueError(told)


# ---- Arrays -------------------------------------------------------------------------------------


class _Torch:
    """How arrays of PyTorch are looked at and made."""

    def __init__(self) -> None:
        import torch
        self.torch = torch

    def open(self, name: str, array: Any) -> Any:
        if not isinstance(array, self.torch.Tensor):
            raise ValueError(f"{name}: is of type {type(array).__name__} and q of Tensor; expected "
                             "them alike")
        if array.requires_grad and self.torch.is_grad_enabled():
            raise ValueError(f"{name}: requires a gradient, which is not kept here; expected "
                             f"{name}.detach(), or qkv.scaled_dot_product_attention")
        return array.resolve_neg() if array.is_neg() else array

    def describe(self, array: Any) -> tuple[int, str, int]:
        return array.data_ptr(), str(array.dtype).removeprefix("torch."), array.device.index

    def strides(self, array: Any) -> tuple[int, ...]:
        return array.stride()

    def empty(self, like: Any, shape: tuple[int, ...], kind: str) -> Any:
        return self.torch.empty(shape, dtype=getattr(self.torch, kind), device=like.device)

    def changed(self, array: Any) -> None:
        if hasattr(self.torch.autograd.graph, "increment_version"):
            self.torch.autograd.graph.increment_version(array)

    def stream(self, like: Any) -> int:
        return self.torch.cuda.current_stream(like.device).cuda_stream

    def device(self, like: Any) -> Any:
        return self.torch.cuda.device(like.device)


class _CuPy:
    """The same for CuPy."""

    def __init__(self) -> None:
        import cupy
        self.cupy = cupy

    def open(self, name: str, array: Any) -> Any:
        if not isinstance(array, self.cupy.ndarray):
            raise ValueError(f"{name}: is of type {type(array).__name__} and q of ndarray; expected "
                             "them alike")
        return array

    def describe(self, array: Any) -> tuple[int, str, int]:
        return array.data.ptr, array.dtype.name, array.device.id

    def strides(self, array: Any) -> tuple[int, ...]:
        return tuple(stride // array.itemsize for stride in array.strides)

    def empty(self, like: Any, shape: tuple[int, ...], kind: str) -> Any:
        return self.cupy.empty(shape, like.dtype if kind == like.dtype.name else kind)

    def changed(self, array: Any) -> None:
        pass

    def stream(self, like: Any) -> int:
        return self.cupy.cuda.get_current_stream().ptr

    def device(self, like: Any) -> Any:
        return like.device


def _is_of(array: Any, module: str, name: str) -> bool:
    found = sys.modules.get(module)
    return found is not None and isinstance(array, getattr(found, name))


def _arrays_of(q: Any) -> tuple[Any, bool]:
    """Whose arrays to work with, and whether q is one of them already."""
    if _is_of(q, "torch", "Tensor"):
        return _Torch(), True
    if _is_of(q, "cupy", "ndarray"):
        return _CuPy(), True
    for kind in (_Torch, _CuPy):
        try:
            return kind(), False
        except ImportError:
            continue
    raise ValueError(f"q: is of type {type(q).__name__} on a GPU; expected PyTorch or CuPy to be "
                     "there, which its results are made with")


class _Call:
    """Views and options of a call, and what they point to."""

    def __init__(self, q: Any) -> None:
        self.arrays, self.native = _arrays_of(q)
        self.options = _Options(struct_size=ctypes.sizeof(_Options))
        self.kept: list[Any] = []
        self.place: Optional[int] = None
        self.model = q
        self.first: Any = None

    def open(self, name: str, array: Any) -> Any:
        """The array as one of ours, on the device of the first."""
        if not self.native:
            space = self.arrays.torch if isinstance(self.arrays, _Torch) else self.arrays.cupy
            array = space.from_dlpack(array)
        array = self.arrays.open(name, array)
        if len(array.shape) < 1 or len(array.shape) > _LIMIT:
            raise ValueError(f"{name}: has {len(array.shape)} axes; expected 1 to {_LIMIT}")
        _, kind, place = self.arrays.describe(array)
        if kind not in _TYPES:
            raise ValueError(f"{name}: has elements of type {kind}; expected f64, f32, f16 or bf16, "
                             "or bool for a mask")
        if self.first is None:
            self.first, self.place = array, place
        if place != self.place:
            where = "in the CPU's memory" if place is None else f"on device {place}"
            raise ValueError(f"{name}: lies {where} and q on device {self.place}; expected one device")
        self.kept.append(array)
        return array

    def view(self, array: Any, heads: Optional[int] = None) -> _View:
        """Where it lies; heads in the width become an axis of their own."""
        pointer, kind, _ = self.arrays.describe(array)
        shape, stride = list(array.shape), list(self.arrays.strides(array))
        if heads is not None:
            width = shape[-1] // heads
            shape = shape[:-2] + [heads, shape[-2], width]
            stride = stride[:-2] + [width * stride[-1], stride[-2], stride[-1]]
        result = _View(data=pointer, type=_TYPES[kind], rank=len(shape))
        result.shape[:len(shape)], result.stride[:len(shape)] = shape, stride
        return result

    def create(self, shape: Any, kind: Optional[str] = None) -> Any:
        kind = kind or self.arrays.describe(self.first)[1]
        if kind not in ("float64", "float32", "float16", "bfloat16"):
            raise ValueError(f"q: has elements of type {kind}; expected f64, f32, f16 or bf16")
        return self.arrays.empty(self.first, tuple(shape), kind)

    def finish(self, array: Any) -> Any:
        """A result as the caller's kind of array."""
        if self.native:
            return array
        return self.model.__array_namespace__().from_dlpack(array)

    def run(self, query: Any, call: Any, views: list[Optional[_View]]) -> None:
        """Asks for the workspace, and queues the work on the current stream."""
        error, size = _Error(), ctypes.c_size_t()
        at = [None if view is None else ctypes.addressof(view) for view in views]
        options, told = ctypes.addressof(self.options), ctypes.addressof(error)
        with self.arrays.device(self.first):
            _check(query(*at, options, ctypes.addressof(size), None, told), error)
            space = self.arrays.empty(self.first, (size.value,), "int8") if size.value else None
            pointer = None if space is None else self.arrays.describe(space)[0]
            _check(call(*at, options, pointer, size.value, self.arrays.stream(self.first), told), error)


# ---- Options ------------------------------------------------------------------------------------


def _alignment(name: str, value: Any) -> int:
    if value not in _ALIGNMENTS:
        raise ValueError(f'{name}: got {value!r}; expected "top-left" or "bottom-right"')
    return _ALIGNMENTS[value]


def _align(options: _Options, name: str, alignment: int) -> None:
    """One alignment holds for all that compares positions."""
    if options.alignment not in (0, alignment):
        raise ValueError(f"{name}: got another alignment than before; expected one for all")
    options.alignment = alignment


def _side(value: Any) -> int:
    if value is None:
        return _UNLIMITED
    if value < 0:
        raise ValueError(f"window: got a side of {value}; expected 0 or more, or None")
    return int(value)


def _read_window(options: _Options, window: Any) -> None:
    options.window = True
    if isinstance(window, (tuple, list)):
        if len(window) not in (2, 3):
            raise ValueError(f"window: got {window!r}; expected a number of keys, (left, right), or "
                             "(left, right, alignment)")
        options.window_left, options.window_right = _side(window[0]), _side(window[1])
        if len(window) == 3:
            _align(options, "window", _alignment("window", window[2]))
    else:
        options.window_left = options.window_right = _side(window)


def _read_options(call: _Call, scale: Any, causal: Any, window: Any, mask: Any, softcap: float,
                  alignment: Any, offset: Any, key_lengths: Any, kernel: Any) -> None:
    options = call.options
    if scale is not None:
        options.scale = float(scale) or _SCALE_ZERO
    options.softcap = softcap
    options.causal = bool(causal)
    if isinstance(causal, str):
        _align(options, "causal", _alignment("causal", causal))
    if window is not None:
        _read_window(options, window)
    if alignment is not None:
        _align(options, "alignment", _alignment("alignment", alignment))
    if offset is not None:
        _align(options, "offset", _OFFSET)
        options.query_offset = int(offset)
    if kernel is not None:
        options.kernel = kernel.encode()
    if key_lengths is not None:
        batch = call.first.shape[0] if len(call.first.shape) == 4 else 1
        if len(key_lengths) != batch:
            raise ValueError(f"key_lengths: got {len(key_lengths)} numbers; expected {batch}, one a "
                             "batch")
        lengths = (ctypes.c_size_t * batch)(*map(int, key_lengths))
        call.kept.append(lengths)
        options.key_lengths = ctypes.cast(lengths, ctypes.POINTER(ctypes.c_size_t))
    if mask is not None:
        mask = call.open("mask", mask)
        if call.arrays.describe(mask)[1] == "int8":
            raise ValueError("mask: has elements of type int8; expected bool for who takes part, or "
                             "f64, f32, f16 or bf16 to be added")
        options.mask = call.view(mask)


def _split(name: str, array: Any, heads: Optional[int]) -> Optional[int]:
    if heads is None:
        return None
    if heads < 1 or not 2 <= len(array.shape) <= 3 or array.shape[-1] % heads != 0:
        raise ValueError(f"{name}: has the shape {tuple(array.shape)}; expected (length, heads*width) "
                         f"or (batch, length, heads*width) for {heads} heads")
    return heads


# ---- The operator -------------------------------------------------------------------------------


def operator(q: Any, k: Any, v: Any, *, scale: Optional[float] = None, causal: Any = False,
             window: Any = None, mask: Any = None, heads: Optional[int] = None,
             kv_heads: Optional[int] = None, softcap: Optional[float] = 0.0, return_weights: bool = False,
             return_lse: Any = False, out: Any = None, threads: Optional[int] = None,
             alignment: Optional[str] = None, offset: Optional[int] = None, key_lengths: Any = None,
             kernel: Optional[str] = None, scores: Optional[str] = None) -> Any:
    """As the compiled operator. threads says nothing here."""
    del threads
    library, call = _load(), _Call(q)
    q, k, v = call.open("q", q), call.open("k", k), call.open("v", v)
    if len(q.shape) < 2 or len(k.shape) < 2 or len(v.shape) < 2:
        raise ValueError("q, k and v: expected two axes or more")
    own, shared = _split("q", q, heads), kv_heads or heads
    views = [call.view(q, own), call.view(k, _split("k", k, shared)), call.view(v, _split("v", v, shared))]
    _read_options(call, scale, causal, window, mask, softcap or 0.0, alignment, offset, key_lengths,
                  kernel)
    wide = "float64" if call.arrays.describe(q)[1] == "float64" or return_lse == "f64" else "float32"
    rows = tuple(views[0].shape[:views[0].rank - 1])
    matrix = rows + (views[1].shape[views[1].rank - 2],)
    if out is None:
        width = views[2].shape[views[2].rank - 1] * (own or 1)
        output = call.create(tuple(q.shape[:-1]) + (width,))
    elif not call.native:
        raise ValueError(f"out: got an array beside a q of type {type(call.model).__name__}; expected "
                         "None")
    else:
        output = call.open("out", out)
        call.arrays.changed(output)
    results = [output]
    if return_weights:
        results.append(call.create(matrix))
        call.options.weights = call.view(results[-1])
    if return_lse:
        results.append(call.create(rows, wide))
        call.options.log_sum_exp = call.view(results[-1])
    if scores is not None:
        stages = {"raw": "scores_raw", "capped": "scores_capped", "masked": "scores_masked",
                  "weights": "weights"}
        if scores not in stages:
            raise ValueError(f'scores: got {scores!r}; expected "raw", "capped", "masked" or "weights"')
        results.append(call.create(matrix))
        setattr(call.options, stages[scores], call.view(results[-1]))
    views.append(call.view(output, own))
    call.run(library.qkv_cuda_attention_workspace, library.qkv_cuda_attention, views)
    given = [out if out is not None and i == 0 else call.finish(array) for i, array in enumerate(results)]
    return given[0] if len(given) == 1 else tuple(given)


def attention(q: Any, k: Any, v: Any, **named: Any) -> Any:
    """As the compiled attention."""
    return operator(q, k, v, **named)


def attention_gradient(q: Any, k: Any, v: Any, *, output_gradient: Any, query_gradient: Any = None,
                       key_gradient: Any = None, value_gradient: Any = None, output: Any = None,
                       log_sum_exp: Any = None, scale: Optional[float] = None, causal: Any = False,
                       window: Any = None, mask: Any = None, softcap: Optional[float] = 0.0,
                       threads: Optional[int] = None, alignment: Optional[str] = None,
                       offset: Optional[int] = None, key_lengths: Any = None,
                       kernel: Optional[str] = None) -> None:
    """As the compiled attention_gradient: writes into the arrays given."""
    del threads
    library, call = _load(), _Call(q)
    if not call.native:
        raise ValueError(f"q: is of type {type(q).__name__}; expected an array of PyTorch or CuPy, "
                         "which gradients can be written to")
    views: list[Optional[_View]] = [call.view(call.open(name, array)) for name, array in (
        ("q", q), ("k", k), ("v", v), ("output_gradient", output_gradient))]
    for name, array in (("query_gradient", query_gradient), ("key_gradient", key_gradient),
                        ("value_gradient", value_gradient)):
        views.append(None if array is None else call.view(call.open(name, array)))
        if array is not None:
            call.arrays.changed(array)
    _read_options(call, scale, causal, window, mask, softcap or 0.0, alignment, offset, key_lengths,
                  kernel)
    if output is not None:
        call.options.given_output = call.view(call.open("output", output))
    if log_sum_exp is not None:
        call.options.given_log_sum_exp = call.view(call.open("log_sum_exp", log_sum_exp))
    call.run(library.qkv_cuda_attention_gradient_workspace, library.qkv_cuda_attention_gradient, views)
