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

from . import _qkv

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


class _Fields(ctypes.Structure):
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
                ("given_output", _View), ("given_log_sum_exp", _View),
                ("page_table", ctypes.c_void_p), ("page_columns", ctypes.c_size_t),
                ("dropout", ctypes.c_double), ("seed", ctypes.c_uint64), ("mask_gradient", _View),
                ("alibi_slopes_gradient", ctypes.c_void_p), ("sinks_gradient", ctypes.c_void_p)]


# As long as the header's struct: numbers behind those fields are set by their offsets.
_SIZE = max(_qkv.OPTIONS_SIZE, ctypes.sizeof(_Fields))


class _Options(_Fields):
    _fields_ = [("more", ctypes.c_byte * (_SIZE - ctypes.sizeof(_Fields)))]


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

    def open(self, name: str, array: Any, kinds: Any = None) -> Any:
        """The array as one of ours, on the device of the first, of one of those types if they are
        named."""
        if not self.native:
            space = self.arrays.torch if isinstance(self.arrays, _Torch) else self.arrays.cupy
            array = space.from_dlpack(array)
        array = self.arrays.open(name, array)
        if len(array.shape) < 1 or len(array.shape) > _LIMIT:
            raise ValueError(f"{name}: has {len(array.shape)} axes; expected 1 to {_LIMIT}")
        _, kind, place = self.arrays.describe(array)
        if kinds is not None and kind not in kinds:
            raise ValueError(f"{name}: has elements of type {kind}; expected {' or '.join(kinds)}")
        if kinds is None and kind not in _TYPES:
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

    def whole_numbers(self, name: str, values: Any) -> Any:
        """A list or an array of whole numbers, as the library reads them."""
        numbers = [_index(name, x) for x in _listed(name, values)]
        made = (ctypes.c_size_t * len(numbers))(*numbers)
        self.kept.append(made)
        return ctypes.cast(made, ctypes.POINTER(ctypes.c_size_t))

    def per_head(self, name: str, values: Any, heads: int) -> Any:
        """A number for each head of q, in the CPU's memory."""
        numbers = [float(x) for x in _listed(name, values)]
        if len(numbers) != heads:
            raise ValueError(f"{name}: got {len(numbers)} numbers; expected {heads}, one per head of q")
        made = (ctypes.c_double * heads)(*numbers)
        self.kept.append(made)
        return ctypes.cast(made, ctypes.POINTER(ctypes.c_double))

    def sums(self, name: str, array: Any, heads: int) -> int:
        """Where numbers for each head of q are to be written: f64 in a row, on the device."""
        array = self.open(name, array, ("float64",))
        if tuple(array.shape) != (heads,) or (heads > 1 and self.arrays.strides(array)[0] != 1):
            raise ValueError(f"{name}: expected {heads} numbers of f64 in a row, one per head")
        self.arrays.changed(array)
        return self.arrays.describe(array)[0]

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


def _listed(name: str, values: Any) -> list[Any]:
    """A list of numbers, or an array of one axis, wherever it lies."""
    try:
        return list(values.tolist() if hasattr(values, "tolist") else values)
    except TypeError:
        raise TypeError(f"{name}: got {values!r}; expected a list of numbers") from None


def _index(name: str, value: Any) -> int:
    """A whole number that is not negative."""
    try:
        number = value.__index__()
    except AttributeError:
        number = -1
    if number < 0:
        raise ValueError(f"{name}: got {value!r}; expected whole numbers from 0")
    return number


def _heads_of(view: _View) -> int:
    return view.shape[view.rank - 3] if view.rank > 2 else 1


def _read_positions(options: _Options, causal: Any, window: Any, alignment: Any, offset: Any) -> None:
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


def _read_lists(call: _Call, query: _View, key_lengths: Any, query_starts: Any, key_starts: Any,
                alibi_slopes: Any, sinks: Any) -> None:
    options = call.options
    if key_lengths is not None:
        batch = query.shape[0] if query.rank == 4 else 1
        if len(key_lengths) != batch:
            raise ValueError(f"key_lengths: got {len(key_lengths)} numbers; expected {batch}, one per "
                             "batch")
        options.key_lengths = call.whole_numbers("key_lengths", key_lengths)
    if (query_starts is None) != (key_starts is None):
        given, other = ("key", "query") if query_starts is None else ("query", "key")
        raise ValueError(f"{given}_starts: is given without {other}_starts; expected both")
    if query_starts is not None:
        if len(query_starts) != len(key_starts) or len(key_starts) < 2:
            raise ValueError(f"key_starts: got {len(key_starts)} numbers beside {len(query_starts)} of "
                             "query_starts; expected as many, two or more")
        options.sequences = len(query_starts) - 1
        options.query_starts = call.whole_numbers("query_starts", query_starts)
        options.key_starts = call.whole_numbers("key_starts", key_starts)
    if alibi_slopes is not None:
        options.alibi_slopes = call.per_head("alibi_slopes", alibi_slopes, _heads_of(query))
    if sinks is not None:
        options.sinks = call.per_head("sinks", sinks, _heads_of(query))


def _read_options(call: _Call, query: _View, *, scale: Any = None, causal: Any = False,
                  window: Any = None, mask: Any = None, alignment: Any = None,
                  offset: Any = None, key_lengths: Any = None, query_starts: Any = None,
                  key_starts: Any = None, alibi_slopes: Any = None, sinks: Any = None,
                  dropout: Any = 0.0, seed: Any = 0, kernel: Any = None, threads: Any = None,
                  **numbers: Any) -> None:
    """What the operator and its gradient both take. threads says nothing here."""
    del threads
    options = call.options
    if scale is not None:
        options.scale = float(scale) or _SCALE_ZERO
    for name, number in numbers.items():
        if name not in _qkv.NUMBERS:
            raise TypeError(f"attention() got an unexpected keyword argument '{name}'")
        ctypes.c_double.from_buffer(options, _qkv.NUMBERS[name]).value = number or 0.0
    options.dropout = dropout or 0.0
    options.seed = int(seed or 0) % 2**64
    if kernel is not None:
        options.kernel = kernel.encode()
    _read_positions(options, causal, window, alignment, offset)
    _read_lists(call, query, key_lengths, query_starts, key_starts, alibi_slopes, sinks)
    if mask is not None:
        mask = call.open("mask", mask)
        if call.arrays.describe(mask)[1] == "int8":
            raise ValueError("mask: has elements of type int8; expected bool for who takes part, or "
                             "f64, f32, f16 or bf16 to be added")
        options.mask = call.view(mask)


def _read_stored(call: _Call, key_scales: Any, value_scales: Any, page_table: Any) -> None:
    """How keys and values are stored. The table of pages lies on the device, as they do."""
    for name, scales in (("key_scales", key_scales), ("value_scales", value_scales)):
        if scales is not None:
            setattr(call.options, name, call.view(call.open(name, scales)))
    if page_table is None:
        return
    table = call.open("page_table", page_table, ("int32",))
    if len(table.shape) != 2 or tuple(call.arrays.strides(table)) != (table.shape[1], 1):
        raise ValueError(f"page_table: has the shape {tuple(table.shape)}; expected (batch, columns), "
                         "without gaps")
    call.options.page_table, call.options.page_columns = call.arrays.describe(table)[0], table.shape[1]


def _split(name: str, array: Any, heads: Optional[int]) -> Optional[int]:
    if heads is None:
        return None
    if heads < 1 or not 2 <= len(array.shape) <= 3 or array.shape[-1] % heads != 0:
        raise ValueError(f"{name}: has the shape {tuple(array.shape)}; expected (length, heads*width) "
                         f"or (batch, length, heads*width) for {heads} heads")
    return heads


# ---- The operator -------------------------------------------------------------------------------


def _matrix(call: _Call, query: _View, key: _View) -> tuple[int, ...]:
    """The shape of a matrix of scores."""
    keys = key.shape[key.rank - 2] * (call.options.page_columns or 1)
    return tuple(query.shape[:query.rank - 1]) + (keys,)


def operator(q: Any, k: Any, v: Any, *, heads: Optional[int] = None, kv_heads: Optional[int] = None,
             return_weights: bool = False, return_lse: Any = False, return_entropy: bool = False,
             out: Any = None, scores: Optional[str] = None, key_scales: Any = None,
             value_scales: Any = None, page_table: Any = None, **named: Any) -> Any:
    """As the compiled operator, and with its keywords."""
    library, call = _load(), _Call(q)
    q, k, v = call.open("q", q), call.open("k", k), call.open("v", v)
    if len(q.shape) < 2 or len(k.shape) < 2 or len(v.shape) < 2:
        raise ValueError("q, k and v: expected two axes or more")
    own, shared = _split("q", q, heads), kv_heads or heads
    views = [call.view(q, own), call.view(k, _split("k", k, shared)), call.view(v, _split("v", v, shared))]
    _read_options(call, views[0], **named)
    _read_stored(call, key_scales, value_scales, page_table)
    wide = "float64" if call.arrays.describe(q)[1] == "float64" or return_lse == "f64" else "float32"
    rows, matrix = tuple(views[0].shape[:views[0].rank - 1]), _matrix(call, views[0], views[1])
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

    def add(field: str, shape: Any, kind: Optional[str] = None) -> None:
        results.append(call.create(shape, kind))
        setattr(call.options, field, call.view(results[-1]))

    if return_weights:
        add("weights", matrix)
    if return_lse:
        add("log_sum_exp", rows, wide)
    if return_entropy:
        add("entropy", rows)
    if scores is not None:
        stages = {"raw": "scores_raw", "capped": "scores_capped", "masked": "scores_masked",
                  "weights": "weights"}
        if scores not in stages:
            raise ValueError(f'scores: got {scores!r}; expected "raw", "capped", "masked" or "weights"')
        add(stages[scores], matrix)
    views.append(call.view(output, own))
    call.run(library.qkv_cuda_attention_workspace, library.qkv_cuda_attention, views)
    given = [out if out is not None and i == 0 else call.finish(array) for i, array in enumerate(results)]
    return given[0] if len(given) == 1 else tuple(given)


def attention(q: Any, k: Any, v: Any, **named: Any) -> Any:
    """As the compiled attention."""
    return operator(q, k, v, **named)


def attention_gradient(q: Any, k: Any, v: Any, *, output_gradient: Any, query_gradient: Any = None,
                       key_gradient: Any = None, value_gradient: Any = None, output: Any = None,
                       log_sum_exp: Any = None, mask_gradient: Any = None,
                       alibi_slopes_gradient: Any = None, sinks_gradient: Any = None,
                       **named: Any) -> None:
    """As the compiled attention_gradient, and with its keywords: writes into the arrays given, all of
    them on the device."""
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
    query = views[0]
    assert query is not None
    _read_options(call, query, **named)
    for field, name, array in (("given_output", "output", output),
                               ("given_log_sum_exp", "log_sum_exp", log_sum_exp),
                               ("mask_gradient", "mask_gradient", mask_gradient)):
        if array is not None:
            setattr(call.options, field, call.view(call.open(name, array)))
    if mask_gradient is not None:
        call.arrays.changed(mask_gradient)
    for name, array in (("alibi_slopes_gradient", alibi_slopes_gradient), ("sinks_gradient", sinks_gradient)):
        if array is not None:
            setattr(call.options, name, call.sums(name, array, _heads_of(query)))
    call.run(library.qkv_cuda_attention_gradient_workspace, library.qkv_cuda_attention_gradient, views)
