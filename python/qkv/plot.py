"""Pictures of attention and its laws: objects that a notebook shows, as SVG, PNG, PDF or text.

>>> figure = heat([[1, 0], [0.5, 0.5]], tokens=["the", "cat"])
>>> figure.svg[:4], figure.svg[-7:-1]
('<svg', '</svg>')
"""
import os
from collections.abc import Sequence
from typing import Any, Optional, Union

from . import _qkv
from ._arrays import as_array

Causal = Union[bool, str]


class Figure:
    """A picture. A notebook shows it; save() writes it to a file."""

    def __init__(self, handle: Any):
        self._handle = handle

    def __reduce__(self) -> Any:
        raise TypeError("a Figure cannot be pickled; expected its svg, png() or pdf()")

    @property
    def svg(self) -> str:
        """As SVG, without ids, so that several can stand in one page."""
        return _qkv.render(self._handle, "svg", 0.0).decode()

    def png(self, zoom: float = 2.0) -> bytes:
        """As PNG, with so many pixels for one of the figure. Needs a build with librsvg."""
        return _qkv.render(self._handle, "png", zoom)

    def pdf(self) -> bytes:
        """As PDF. Needs a build with librsvg."""
        return _qkv.render(self._handle, "pdf", 0.0)

    def save(self, path: Union[str, "os.PathLike[str]"], zoom: float = 2.0) -> None:
        """Writes the picture to a file whose name ends in .svg, .png, .pdf or .txt."""
        ending = os.path.splitext(os.fspath(path))[1].lower()
        formats: dict[str, Any] = {".svg": "svg", ".png": "png", ".pdf": "pdf", ".txt": "text"}
        if ending not in formats:
            raise ValueError(f"path: got {os.fspath(path)!r}; expected a name that ends in .svg, "
                             ".png, .pdf or .txt")
        data = _qkv.render(self._handle, formats[ending], zoom)
        with open(path, "wb") as file:
            file.write(data)

    def __str__(self) -> str:
        """For a terminal: blocks, shades and dots."""
        return _qkv.render(self._handle, "text", 0.0).decode()

    def _repr_svg_(self) -> str:
        return self.svg


def _several(numbers: Any) -> Any:
    """One number, or some, as a tuple."""
    if numbers is None or isinstance(numbers, tuple):
        return numbers
    return tuple(numbers) if hasattr(numbers, "__len__") else (numbers,)


def _names(names: Optional[Sequence[str]]) -> Optional[tuple[str, ...]]:
    if isinstance(names, str):
        return tuple(names.split())
    return None if names is None else tuple(str(name) for name in names)


def _draw(picture: str, **words: Any) -> Figure:
    return Figure(_qkv.plot(picture, words))


# ---- Keys of uncertain length ------------------------------------------------------------------


def key(*, noise: Optional[float] = None, seed: int = 0, dark: bool = False,
        width: Optional[float] = None, title: Optional[str] = None) -> Figure:
    """A key of uncertain length beside its mean, and the law of its length."""
    return _draw("key", noise=noise, seed=seed, dark=dark, width=width, title=title)


def weights(*, keys: Any = None, tolerance: Optional[float] = None, dark: bool = False,
            width: Optional[float] = None, title: Optional[str] = None) -> Figure:
    """Weights against beta for a copy, an average and a weighted subset, without noise."""
    return _draw("weights", keys=_several(keys), tolerance=tolerance, dark=dark, width=width,
                 title=title)


def law(*, keys: Any = None, beta: Any = None, noise: Optional[float] = None,
        samples: Optional[int] = None, seed: int = 0, dark: bool = False,
        width: Optional[float] = None, title: Optional[str] = None) -> Figure:
    """The density of the noisy key's weight, over a histogram of samples, a panel for each beta."""
    return _draw("law", keys=_several(keys), beta=_several(beta), noise=noise, samples=samples,
                 seed=seed, dark=dark, width=width, title=title)


def fall(*, keys: Any = None, beta: Any = None, noise: Optional[float] = None,
         tolerance: Optional[float] = None, samples: Optional[int] = None, seed: int = 0,
         dark: bool = False, width: Optional[float] = None,
         title: Optional[str] = None) -> Figure:
    """Where the output falls, for three designs side by side, and how often each fails."""
    return _draw("fall", keys=_several(keys), beta=_several(beta), noise=noise,
                 tolerance=tolerance, samples=samples, seed=seed, dark=dark, width=width,
                 title=title)


def error(*, keys: Any = None, noise: Optional[float] = None, dark: bool = False,
          width: Optional[float] = None, title: Optional[str] = None) -> Figure:
    """Mean squared errors against beta, bias and variance stacked."""
    return _draw("error", keys=_several(keys), noise=noise, dark=dark, width=width, title=title)


# ---- Any attention ------------------------------------------------------------------------------


def _arrays(**arrays: Any) -> dict[str, Any]:
    return {name: None if array is None else as_array(array, name) for name, array in arrays.items()}


def _causal(causal: Causal) -> Causal:
    if isinstance(causal, str) and causal not in ("top-left", "bottom-right"):
        raise ValueError(f'causal: got {causal!r}; expected True, "top-left" or "bottom-right"')
    return causal


def heat(weights: Any = None, *, query: Any = None, key: Any = None,
         scale: Optional[float] = None, causal: Causal = False,
         tokens: Optional[Sequence[str]] = None, query_tokens: Optional[Sequence[str]] = None,
         dark: bool = False, width: Optional[float] = None, title: Optional[str] = None) -> Figure:
    """Weights as a heat map, one panel per head: (queries, keys) or (heads, queries, keys), given, or
    those of a query and a key. A cell of many stands for a block, and shows its largest weight.

    tokens: names of the keys, a sequence or words with blanks between.
    """
    if weights is None and (query is None or key is None):
        raise ValueError("heat: got no attention; expected weights, or query and key")
    return _draw("heat", **_arrays(weights=weights, query=query, key=key), scale=scale,
                 causal=_causal(causal), tokens=_names(tokens), query_names=_names(query_tokens),
                 dark=dark, width=width, title=title)


def diagram(weights: Any = None, *, query: Any = None, key: Any = None, value: Any = None,
            scale: Optional[float] = None, causal: Causal = False,
            tokens: Optional[Sequence[str]] = None, query_tokens: Optional[Sequence[str]] = None,
            axes: Optional[Sequence[str]] = None, beta: Any = None, dark: bool = False,
            width: Optional[float] = None, title: Optional[str] = None) -> Figure:
    """Who looks at whom, and what arrives, for up to 12 queries and keys. Without arrays it is the
    assignment's example of K, Q and V made by hand, with tokens of the norm beta."""
    return _draw("diagram", **_arrays(weights=weights, query=query, key=key, value=value),
                 scale=scale, causal=_causal(causal), tokens=_names(tokens),
                 query_names=_names(query_tokens), axes=_names(axes), beta=_several(beta),
                 dark=dark, width=width, title=title)


def permutation(*, query: Any = None, key: Any = None, order: Optional[Sequence[int]] = None,
                scale: Optional[float] = None, causal: Causal = False,
                tokens: Optional[Sequence[str]] = None, dark: bool = False,
                width: Optional[float] = None, title: Optional[str] = None) -> Figure:
    """The same tokens in another order: weights before and after, each computed by itself. order
    counts from 0, as Python does; None: backwards. Without arrays: six words of a sentence."""
    places = None if order is None else tuple(order)
    if places is not None and sorted(places) != list(range(len(places))):
        raise ValueError(f"order: got {list(places)}; expected each number from 0 to "
                         f"{len(places) - 1} once")
    return _draw("permutation", **_arrays(query=query, key=key), order=places, scale=scale,
                 causal=_causal(causal), tokens=_names(tokens), dark=dark, width=width,
                 title=title)


# ---- Claims --------------------------------------------------------------------------------------


def claim(text_or_path: Union[str, "os.PathLike[str]"], which: Union[int, str, None] = None, *,
          dark: bool = False, width: Optional[float] = None, title: Optional[str] = None) -> Figure:
    """What a claim of a document speaks of: the one of a line, or with a label, or the first.

    >>> text = "keys k[1..2] orthonormal\\nvalues v[1..2]\\nc = attend(beta*k[1], k, v)\\n"
    >>> claim(text + "claim: c ~ v[1] as beta -> inf").svg[:4]
    '<svg'
    """
    from ._documents import raise_mistakes, read, selection
    name, text = read(text_or_path)
    words = {"dark": dark, "width": width, "title": title}
    try:
        return Figure(_qkv.plot_claim(name, text, *selection(which), words))
    except ValueError:
        raise_mistakes(name, text)
        raise
