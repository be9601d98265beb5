"""Keys and values that grow token by token, and the mask of dropout."""
from typing import Any

from . import _qkv
from ._arrays import as_result, whole


class Cache:
    """Keys and values that grow token by token, in arrays of NumPy or torch with room for `capacity`
    tokens on the axis before the last.

    key, value                (..., capacity, width). Those of int8, which need scales, and of
                              float8_e4m3fn are converted when tokens are appended.
    key_scales, value_scales  (..., capacity), of a float type.

    >>> import numpy as np
    >>> cache = Cache(np.zeros((2, 8, 4)), np.zeros((2, 8, 4)))
    >>> x = np.ones((2, 3, 4))
    >>> cache.append(x, x)
    >>> len(cache), cache.attend(x, causal=True).shape
    (3, (2, 3, 4))
    """

    def __init__(self, key: Any, value: Any, *, key_scales: Any = None, value_scales: Any = None,
                 length: int = 0) -> None:
        for name, array in (("key", key), ("value", value)):
            if not hasattr(array, "shape") or len(array.shape) < 2:
                raise ValueError(f"{name}: expected an array of two axes or more")
        self.key, self.value = key, value
        self.key_scales, self.value_scales = key_scales, value_scales
        self._length = whole("length", length, 0, int(key.shape[-2]))

    @classmethod
    def like(cls, k: Any, v: Any, capacity: int) -> "Cache":
        """Room for so many tokens like these, none of them appended yet."""
        capacity = whole("capacity", capacity, 0, 2**62)

        def room(x: Any) -> Any:
            shape = tuple(x.shape[:-2]) + (capacity, x.shape[-1])
            if hasattr(x, "new_zeros"):
                return x.new_zeros(shape)
            import numpy
            return numpy.zeros(shape, dtype=x.dtype)
        return cls(room(k), room(v))

    @property
    def capacity(self) -> int:
        return int(self.key.shape[-2])

    def __len__(self) -> int:
        return self._length

    def __repr__(self) -> str:
        return f"<Cache: {len(self)} of {self.capacity} tokens>"

    def append(self, k: Any, v: Any) -> None:
        """Adds new keys and values. If there is no room, nothing is changed."""
        self._length = _qkv.cache_append(self.key, self.value, self.key_scales, self.value_scales,
                                         self._length, k, v)

    def truncate(self, length: int) -> None:
        """Forgets all but the first tokens."""
        self._length = whole("length", length, 0, self._length)

    def attend(self, q: Any, **options: Any) -> Any:
        """attention() over the tokens held, with its options. The queries are the newest tokens,
        unless an alignment or an offset says otherwise."""
        named = (options.get("alignment"), options.get("offset"), options.get("query_starts"))
        aligned = isinstance(options.get("causal"), str) or any(x is not None for x in named)
        window = options.get("window")
        if not aligned and not (isinstance(window, (tuple, list)) and len(window) == 3):
            options["alignment"] = "bottom-right"
        for name, scales in (("key_scales", self.key_scales), ("value_scales", self.value_scales)):
            if scales is not None:
                options[name] = scales[..., :self._length]
        return _qkv.attention(q, self.key[..., :self._length, :], self.value[..., :self._length, :],
                              **options)


def dropout_mask(shape: Any, dropout: float, seed: int = 0) -> Any:
    """Which weights a call of attention() with this dropout and seed keeps: an array of bool of the
    shape (queries, keys), (heads, queries, keys) or (batch, heads, queries, keys).

    >>> float(dropout_mask((1000, 1000), 0.25).mean().round(2))
    0.75
    """
    sizes = tuple(whole("shape", size, 0, 2**62) for size in shape)
    return as_result(_qkv.dropout_mask(float(dropout), whole("seed", seed, -2**63, 2**64 - 1) % 2**64,
                                       sizes))
