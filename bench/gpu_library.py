"""libqkv_cuda for Python programs that hold PyTorch tensors: the tests on a GPU and bench/gpu.py.

Only what they need: views of tensors, options by name, one call. Host arrays go in as lists.
"""
import ctypes
import importlib.util
import os

import torch

TYPES = {torch.float64: 1, torch.float32: 2, torch.float16: 3, torch.bfloat16: 4, torch.bool: 5, torch.int8: 6,
         torch.float8_e4m3fn: 7}
ALIGN = {"top-left": 1, "bottom-right": 2, "offset": 3}


def load_structs():
    """The package's structs, which a test compares with the header."""
    path = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "python", "qkv", "_cuda.py")
    spec = importlib.util.spec_from_file_location("qkv_structs", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module._View, module._Options, module._Error


View, Options, Error = load_structs()


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
        if name == "page_table":  # (batch, columns), int32, on the device
            kept.append(value)
            result.page_columns, value = value.shape[1], value.data_ptr()
        elif name in ("alibi_slopes_gradient", "sinks_gradient"):  # f64, one number per query head
            kept.append(value)
            value = value.data_ptr()
        elif isinstance(value, torch.Tensor):
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
    """Each call has a workspace of its own, filled with odd bytes; or all share one, which calls that follow each
    other on a stream may, and which then stays in the device's cache."""

    def __init__(self, path, shared=False):
        library, self.path = ctypes.CDLL(os.path.abspath(path)), path
        self.shared, self.room = shared, None
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

    def make_workspace(self, size, device):
        if self.shared and self.room is not None and self.room.numel() >= size:
            return self.room
        self.room = torch.full((size,), 0xA5, dtype=torch.uint8, device=device)
        return self.room

    def prepared_call(self, query, call, tensors, named):
        """A function that makes a call on the current stream, with all else made beforehand."""
        given, error, size, name = options(**named), Error(), ctypes.c_size_t(), ctypes.c_char_p()
        views = [view(x) for x in tensors]
        at = [None if x is None else ctypes.addressof(y) for x, y in zip(tensors, views)]
        self.check(query(*at, ctypes.addressof(given), ctypes.addressof(size), ctypes.addressof(name),
                         ctypes.addressof(error)), error)
        workspace = self.make_workspace(max(size.value, 64), tensors[0].device)
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


class CpuLibrary:
    """libqkv, for the same tensors in the CPU's memory."""

    def __init__(self, path):
        library, pointer = ctypes.CDLL(os.path.abspath(path)), ctypes.c_void_p
        self.call, self.gradient_call, self.mask = (library.qkv_attention, library.qkv_attention_gradient,
                                                    library.qkv_dropout_mask)
        self.call.argtypes, self.gradient_call.argtypes = [pointer] * 6, [pointer] * 9
        self.mask.argtypes = [ctypes.c_double, ctypes.c_uint64, pointer, pointer]

    def run(self, call, tensors, named):
        given, error, views = options(**named), Error(), [view(x) for x in tensors]
        at = [None if x is None else ctypes.addressof(y) for x, y in zip(tensors, views)]
        Library.check(call(*at, ctypes.addressof(given), ctypes.addressof(error)), error)

    def attention(self, *tensors, **named):
        self.run(self.call, tensors, named)

    def gradient(self, *tensors, **named):
        self.run(self.gradient_call, tensors, named)

    def dropout_mask(self, dropout, seed, *shape):
        mask, error = torch.zeros(shape, dtype=torch.bool), Error()
        made = view(mask)
        Library.check(self.mask(dropout, seed, ctypes.addressof(made), ctypes.addressof(error)), error)
        return mask


# ---- Samples of the lab -------------------------------------------------------------------------


class Noise(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("alpha", ctypes.c_double), ("stretch", ctypes.c_double),
                ("entries", ctypes.POINTER(ctypes.c_double))]


class Model(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("keys", ctypes.c_size_t), ("width", ctypes.c_size_t),
                ("means", ctypes.POINTER(ctypes.c_double)), ("noise", Noise),
                ("noises", ctypes.POINTER(Noise)), ("shared", ctypes.c_bool), ("heads", ctypes.c_size_t),
                ("queries", ctypes.POINTER(ctypes.c_double)),
                ("coefficients", ctypes.POINTER(ctypes.c_double)),
                ("values", ctypes.POINTER(ctypes.c_double)), ("value_width", ctypes.c_size_t)]


class Quantity(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("index", ctypes.c_size_t), ("head", ctypes.c_size_t),
                ("other", ctypes.c_size_t), ("numbers", ctypes.POINTER(ctypes.c_double)),
                ("bins", ctypes.c_size_t), ("low", ctypes.c_double), ("high", ctypes.c_double),
                ("quantiles", ctypes.c_bool)]


class LabOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("seed", ctypes.c_uint64), ("full_keys", ctypes.c_bool),
                ("quantity_count", ctypes.c_size_t), ("quantities", ctypes.POINTER(Quantity)),
                ("no_covariance", ctypes.c_bool), ("event_count", ctypes.c_size_t), ("events", ctypes.c_void_p),
                ("given", ctypes.c_void_p)]


class Inequality(ctypes.Structure):
    _fields_ = [("coefficients", ctypes.POINTER(ctypes.c_double)), ("relation", ctypes.c_int), ("bound", ctypes.c_double)]


class Event(ctypes.Structure):
    _fields_ = [("count", ctypes.c_size_t), ("inequalities", ctypes.POINTER(Inequality))]


class Summary(ctypes.Structure):
    _fields_ = [("count", ctypes.c_uint64)] + [(name, ctypes.c_double) for name in (
        "mean", "variance", "least", "greatest", "low", "high", "range_low", "range_high")]


class Tables(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("seed", ctypes.c_uint64), ("keys", ctypes.c_size_t),
                ("heads", ctypes.c_size_t), ("outputs", ctypes.c_size_t), ("normals", ctypes.c_size_t),
                ("full_keys", ctypes.c_bool)] + [(name, ctypes.c_void_p) for name in (
                    "score_mean", "factor_start", "factor_normal", "factor_value", "values")] + [
                    ("quantities", ctypes.c_size_t), ("quantity", ctypes.c_void_p), ("sums", ctypes.c_size_t),
                    ("covariance", ctypes.c_bool), ("counted", ctypes.c_bool), ("origin", ctypes.c_void_p),
                    ("events", ctypes.c_size_t), ("event", ctypes.c_void_p), ("given", ctypes.c_void_p)]


def doubles(numbers):
    return (ctypes.c_double * len(numbers))(*numbers)


class Sampler:
    """A sampler of libqkv, and its samples by libqkv_cuda."""

    def __init__(self, cpu, cuda, model, options):
        self.cpu, self.cuda, self.error = ctypes.CDLL(os.path.abspath(cpu)), ctypes.CDLL(os.path.abspath(cuda)), Error()
        self.kept, self.handle = (model, options), ctypes.c_void_p()
        self.cpu.qkv_lab_sampler_tables.restype = Tables
        self.cpu.qkv_lab_sampler_quantities.restype = ctypes.c_size_t
        for function in (self.cpu.qkv_lab_sampler_tables, self.cpu.qkv_lab_sampler_quantities):
            function.argtypes = [ctypes.c_void_p]
        pointer, size = ctypes.c_void_p, ctypes.c_size_t
        self.cpu.qkv_lab_sampler_draw.argtypes = [pointer, ctypes.c_uint64, size, pointer, pointer]
        self.cuda.qkv_cuda_lab_draw_workspace.argtypes = [pointer] * 3
        self.cuda.qkv_cuda_lab_draw.argtypes = [pointer, ctypes.c_uint64, size, pointer, pointer, size,
                                                pointer, pointer]
        told = ctypes.addressof(self.error)
        Library.check(self.cpu.qkv_lab_sampler_create(ctypes.byref(model), ctypes.byref(options),
                                                      ctypes.byref(self.handle), ctypes.c_void_p(told)), self.error)
        self.tables, self.bytes = self.cpu.qkv_lab_sampler_tables(self.handle), ctypes.c_size_t()
        Library.check(self.cuda.qkv_cuda_lab_draw_workspace(
            ctypes.addressof(self.tables), ctypes.addressof(self.bytes), told), self.error)
        self.workspace = torch.full((max(self.bytes.value, 64),), 0xA5, dtype=torch.uint8, device="cuda")

    def draw_cpu(self, first, count):
        rows = torch.empty(count, self.cpu.qkv_lab_sampler_quantities(self.handle), dtype=torch.float64)
        Library.check(self.cpu.qkv_lab_sampler_draw(self.handle, first, count, rows.data_ptr(),
                                                    ctypes.addressof(self.error)), self.error)
        return rows

    def draw(self, first, count, rows=None):
        if rows is None:
            rows = torch.full((count, self.tables.quantities), float("nan"), dtype=torch.float64, device="cuda")
        Library.check(self.cuda.qkv_cuda_lab_draw(
            ctypes.addressof(self.tables), first, count, rows.data_ptr(), self.workspace.data_ptr(),
            self.bytes.value, torch.cuda.current_stream().cuda_stream, ctypes.addressof(self.error)), self.error)
        return rows


class Statistics(Sampler):
    """A sampler whose statistics libqkv_cuda computes."""

    def __init__(self, cpu, cuda, model, options):
        super().__init__(cpu, cuda, model, options)
        pointer, size, told = ctypes.c_void_p, ctypes.c_size_t, ctypes.addressof(self.error)
        self.cuda.qkv_cuda_lab_sums_workspace.argtypes = [pointer] * 3
        self.cuda.qkv_cuda_lab_sums.argtypes = [pointer, ctypes.c_uint64, size, pointer, pointer, size, pointer, pointer]
        self.cpu.qkv_lab_sampler_add_sums.argtypes = [pointer, ctypes.c_uint64, pointer, pointer]
        self.cpu.qkv_lab_sampler_run.argtypes = [pointer, ctypes.c_uint64, pointer]
        self.cpu.qkv_lab_sampler_summary.argtypes = self.cpu.qkv_lab_sampler_event.argtypes = [pointer, size]
        self.cpu.qkv_lab_sampler_summary.restype = Summary
        self.cpu.qkv_lab_sampler_event.restype = ctypes.c_uint64
        self.cpu.qkv_lab_sampler_covariance.argtypes = [pointer, size, size]
        self.cpu.qkv_lab_sampler_covariance.restype = ctypes.c_double
        Library.check(self.cuda.qkv_cuda_lab_sums_workspace(
            ctypes.addressof(self.tables), ctypes.addressof(self.bytes), told), self.error)
        self.workspace = torch.full((max(self.bytes.value, 64),), 0xA5, dtype=torch.uint8, device="cuda")

    def sums(self, first, chunks, to=None):
        if to is None:
            to = torch.full((chunks, self.tables.sums), float("nan"), dtype=torch.float64, device="cuda")
        Library.check(self.cuda.qkv_cuda_lab_sums(
            ctypes.addressof(self.tables), first, chunks, to.data_ptr(), self.workspace.data_ptr(), self.bytes.value,
            torch.cuda.current_stream().cuda_stream, ctypes.addressof(self.error)), self.error)
        return to

    def add(self, sums):
        kept = sums.cpu()
        Library.check(self.cpu.qkv_lab_sampler_add_sums(self.handle, kept.shape[0], kept.data_ptr(),
                                                        ctypes.addressof(self.error)), self.error)

    def run(self, count):
        Library.check(self.cpu.qkv_lab_sampler_run(self.handle, count, ctypes.addressof(self.error)), self.error)

    def results(self):
        """All statistics, as bytes."""
        count = self.tables.quantities
        found = [bytes(self.cpu.qkv_lab_sampler_summary(self.handle, q)) for q in range(count)]
        found += [self.cpu.qkv_lab_sampler_event(self.handle, e) for e in range(self.tables.events)]
        return found + [str(self.cpu.qkv_lab_sampler_covariance(self.handle, j, k)) for j in range(count) for k in range(j)]


def find_cpu_library(cuda):
    """libqkv: what QKV_LIBRARY names, or the one of the same build. None where it does not load."""
    path = os.environ.get("QKV_LIBRARY") or os.path.join(os.path.dirname(os.path.abspath(cuda)), "..", "..",
                                                         "libqkv.so")
    try:
        ctypes.CDLL(path)
    except OSError:
        return None
    return path


def lab_model(keys, width, heads, alpha=0.0, stretch=0.0, beta=10.0, shared=False, values=None):
    """Orthonormal means; head h asks for key h with beta; noise of the first key alone has a stretch."""
    model = Model(struct_size=ctypes.sizeof(Model), keys=keys, width=width, heads=heads, shared=shared)
    noises = (Noise * keys)(*(Noise(alpha=alpha, stretch=stretch if i == 0 else 0.0) for i in range(keys)))
    coefficients = doubles([beta if i == h else 0.0 for h in range(heads) for i in range(keys)])
    model.noises, model.coefficients = noises, coefficients
    model.kept = [noises, coefficients]
    if values is not None:
        model.kept.append(doubles(values))
        model.values, model.value_width = model.kept[-1], len(values) // keys
    return model


def lab_event(inequalities):
    """Of tuples (coefficients, relation, bound)."""
    made = (Inequality * max(len(inequalities), 1))()
    kept = [doubles(coefficients) for coefficients, _, _ in inequalities]
    for to, numbers, (_, relation, bound) in zip(made, kept, inequalities):
        to.coefficients, to.relation, to.bound = numbers, relation, bound
    return Event(count=len(inequalities), inequalities=made), (made, kept)


def lab_options(seed=0, quantities=(), events=(), given=None, no_covariance=False):
    """quantities: tuples (kind, index, head, other, numbers); events, given: see lab_event."""
    options, kept = LabOptions(struct_size=ctypes.sizeof(LabOptions), seed=seed), []
    made = (Quantity * len(quantities))()
    for to, (kind, index, head, other, numbers) in zip(made, quantities):
        to.kind, to.index, to.head, to.other = kind, index, head, other
        if numbers is not None:
            kept.append(doubles(numbers))
            to.numbers = kept[-1]
    if quantities:
        options.quantity_count, options.quantities = len(quantities), made
    options.no_covariance, built = no_covariance, [lab_event(event) for event in [*events, given or []]]
    array = (Event * len(built))(*(event for event, _ in built))
    options.event_count, options.events = len(events), ctypes.addressof(array)
    if given is not None:
        options.given = ctypes.addressof(array) + len(events) * ctypes.sizeof(Event)
    options.kept = [made, kept, built, array]
    return options
