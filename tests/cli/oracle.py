"""What the cases share: attention written down a second time, with NumPy alone, and files in
formats that NumPy does not write. Shares no code with qkv."""

import json

import numpy as np


def random(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def save(dtype="<f8", **arrays):
    """save(q=...) writes q.npy."""
    for name, array in arrays.items():
        np.save(f"{name}.npy", np.asarray(array).astype(dtype))


def scores(query, key, scale=None, softcap=None):
    raw = query @ np.swapaxes(key, -1, -2) * (query.shape[-1] ** -0.5 if scale is None else scale)
    return raw if softcap is None else softcap * np.tanh(raw / softcap)


def softmax(masked):
    """Rows of weights; a row that is masked as a whole gets zeros."""
    with np.errstate(invalid="ignore", divide="ignore"):
        weights = np.exp(masked - masked.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
    return np.where(np.isneginf(masked).all(-1, keepdims=True), 0.0, weights)


def attend(query, key, value, mask=0.0, **options):
    """weights and output; a boolean mask allows, another is added."""
    mask = np.asarray(mask)
    if mask.dtype == bool:
        mask = np.where(mask, 0.0, -np.inf)
    weights = softmax(scores(query, key, **options) + mask)
    return weights, weights @ value


def positions(queries, keys, align):
    """Key position minus query position, (queries, keys)."""
    offset = {"top-left": 0, "bottom-right": keys - queries}[align]
    return np.arange(keys)[None, :] - (np.arange(queries)[:, None] + offset)


def split_heads(packed, heads):
    """(..., L, H*D) to (..., H, L, D)"""
    parts = packed.reshape(*packed.shape[:-1], heads, packed.shape[-1] // heads)
    return np.swapaxes(parts, -2, -3)


def pack_heads(split):
    """(..., H, L, D) to (..., L, H*D)"""
    parts = np.swapaxes(split, -2, -3)
    return parts.reshape(*parts.shape[:-2], -1)


def expect(path, wanted, rtol=1e-12, dtype=np.float64):
    """That an npy file holds these numbers, in this type and this shape."""
    got = np.load(path)
    assert got.dtype == dtype, f"{path}: {got.dtype}"
    assert got.shape == wanted.shape, f"{path}: {got.shape}, expected {wanted.shape}"
    np.testing.assert_allclose(got, wanted, rtol=rtol, atol=rtol * 1e-3)


# bfloat16 is the upper half of a binary32; NumPy has no type for it, so its bits are uint16.


def to_bf16(array):
    bits = np.asarray(array, dtype=np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)  # to nearest even


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "BOOL": "?", "I8": "|i1"}


def save_safetensors(path, **tensors):
    """Each tensor is an array of f8, f4, f2, i1 or bool, or of uint16 for the bits of bfloat16."""
    header, data = {}, b""
    for name, array in tensors.items():
        array = np.ascontiguousarray(array)
        kinds = [kind for kind, dtype in DTYPES.items() if np.dtype(dtype) == array.dtype]
        end = len(data) + array.nbytes
        header[name] = {
            "dtype": kinds[0],
            "shape": array.shape,
            "data_offsets": [len(data), end],
        }
        data += array.tobytes()
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + data)


def load_safetensors(path):
    """Names to (dtype, array)."""
    with open(path, "rb") as file:
        content = file.read()
    start = 8 + int.from_bytes(content[:8], "little")
    tensors = {}
    for name, entry in json.loads(content[8:start]).items():
        begin, end = entry["data_offsets"]
        array = np.frombuffer(content[start + begin : start + end], DTYPES[entry["dtype"]])
        tensors[name] = entry["dtype"], array.reshape(entry["shape"])
    return tensors
