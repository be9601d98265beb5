"""What the other modules need to know of arrays. NumPy is used where it is, and never required."""
import sys
from operator import index
from typing import Any


def is_numpy(value: Any) -> bool:
    """Whether this is an array of NumPy's; without NumPy nothing is."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def whole(name: str, number: Any, least: int, most: int) -> int:
    """A whole number of any kind, NumPy's too, between two others."""
    try:
        found = index(number)
    except TypeError:
        raise TypeError(f"{name}: got {number!r}; expected a whole number") from None
    if not least <= found <= most:
        raise ValueError(f"{name}: got {found}; expected {least} to {most}")
    return found


def as_result(tensor: Any) -> Any:
    """A result in memory of our own, as a NumPy array if there is NumPy, or else a memoryview."""
    try:
        import numpy
    except ImportError:
        return memoryview(tensor)
    return numpy.asarray(tensor)


def each(function: Any, numbers: Any) -> Any:
    """A function of one number, of a number, a sequence (a list results) or a NumPy array."""
    if is_numpy(numbers):
        import numpy
        results = [function(float(x)) for x in numbers.ravel()]
        return numpy.array(results, dtype=float).reshape(numbers.shape)
    if hasattr(numbers, "__len__"):
        return [function(float(x)) for x in numbers]
    return function(float(numbers))


def as_array(weights: Any, name: str = "weights") -> Any:
    """What is looked at, as an array: nested lists of numbers in f64; tensors of torch without their
    gradients, and from wherever they are."""
    if hasattr(weights, "detach") and hasattr(weights, "cpu"):
        return weights.detach().cpu()
    if isinstance(weights, memoryview) or hasattr(weights, "__dlpack__") or is_numpy(weights):
        return weights
    try:
        return memoryview(weights)
    except TypeError:
        pass
    return _from_lists(weights, name)


def _from_lists(rows: Any, name: str) -> memoryview:
    from array import array
    shape, level = [], rows
    while isinstance(level, (list, tuple)):
        shape.append(len(level))
        if not level:
            break
        level = level[0]
    if not shape:
        raise TypeError(f"{name}: got {type(rows).__name__}; expected an array, or nested lists of "
                        "numbers")
    numbers = array("d", _flatten(rows, shape, name))
    if 0 in shape:
        raise ValueError(f"{name}: got nothing; expected rows of numbers")
    return memoryview(numbers).cast("B").cast("d", shape)


def _flatten(rows: Any, shape: list, name: str) -> list:
    if not shape:
        return [float(rows)]
    if not isinstance(rows, (list, tuple)) or len(rows) != shape[0]:
        raise ValueError(f"{name}: rows differ in length; expected {shape[0]} entries in each")
    return [number for row in rows for number in _flatten(row, shape[1:], name)]
