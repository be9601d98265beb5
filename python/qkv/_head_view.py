"""Attention weights to look into, in a notebook: one block of HTML that needs nothing else."""
import base64
import hashlib
import html
import json
import math
import os
from collections.abc import Sequence
from importlib import resources
from typing import Any, Optional, Union

from . import _qkv, plot
from ._arrays import as_array

TOP_KEYS = 4  # of each row, kept exactly where cells stand for blocks


class HeadView:
    """Heat maps of attention weights, by layer and head. A notebook shows it; save() writes a page.

    In the page: choose layer and head (or click one of the small maps), zoom with the wheel, drag,
    double-click for all of it; hover for the weight and the strongest keys of a query; 'SVG' saves
    what is seen.
    """

    def __init__(self, layers: list, tokens: Optional[tuple[str, ...]],
                 query_tokens: Optional[tuple[str, ...]], title: str, detail: int,
                 names: tuple[tuple[str, ...], tuple[str, ...]]):
        self._layers, self.title = layers, title
        self._block = _block(layers, detail)
        self._data: dict[str, Any] = {"title": title, "block": self._block, "top": 0, "layers": []}
        for layer in layers:
            heads, queries, keys, low, high, cells = _qkv.cells(layer, self._block)
            entry = {"heads": heads, "low": low, "high": high, "cells": _encode(cells)}
            if self._block > 1:
                self._data["top"] = min(TOP_KEYS, keys)
                entry["largest"] = _encode(_qkv.largest(layer, self._data["top"]))
            self._data["layers"].append(entry)
        self._data.update(queries=queries, keys=keys)
        _check_tokens(tokens, "tokens", keys)
        _check_tokens(query_tokens, "query_tokens", queries)
        self._data["keyTokens"] = tokens
        self._data["queryTokens"] = query_tokens or (tokens if queries == keys else None)
        self._data["layerNames"], self._data["headNames"] = names

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """(layers, heads of the first layer, queries, keys)."""
        return (len(self._layers), self._data["layers"][0]["heads"], self._data["queries"],
                self._data["keys"])

    def figure(self, layer: int = 0) -> plot.Figure:
        """The heads of a layer as a picture that does not move, for a paper."""
        return plot.heat(self._layers[layer], tokens=self._data["keyTokens"],
                         query_tokens=self._data["queryTokens"], title=self.title or None)

    @property
    def html(self) -> str:
        """A block for the middle of a page: a div, its style and its script."""
        folder = resources.files(__package__)
        style = (folder / "head_view.css").read_text(encoding="utf-8")
        script = (folder / "head_view.js").read_text(encoding="utf-8")
        data = _safe_json(self._data)
        name = "qkv-" + hashlib.sha256(data.encode()).hexdigest()[:12]
        return (f'<div class="qkv-head-view {name}"><style>{style}</style></div>\n'
                f"<script>(function () {{\n{script}\n"
                f'document.querySelectorAll(".{name}:not([data-ready])").forEach(function (place) {{'
                f" headView(place, {data}); }});\n}})();</script>")

    def frame(self, height: int = 640) -> str:
        """The same in a frame of its own, for pages whose styles or rules get in its way."""
        return (f'<iframe srcdoc="{html.escape(self.page())}" style="width:100%;border:0" '
                f'height="{int(height)}" sandbox="allow-scripts allow-downloads"></iframe>')

    def page(self) -> str:
        """A whole page."""
        return ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
                f"<title>{_safe_text(self.title or 'Attention weights')}</title></head>"
                f'<body style="margin:1em">\n{self.html}\n</body></html>\n')

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the page to a file, which can be opened offline."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.page())

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        layers, heads, queries, keys = self.shape
        return f"<HeadView: {layers} x {heads} heads, {queries} queries, {keys} keys>"


def head_view(weights: Any, tokens: Optional[Sequence[str]] = None, *,
              query_tokens: Optional[Sequence[str]] = None, title: str = "",
              detail: int = 1_000_000, layer_names: Optional[Sequence[str]] = None,
              head_names: Optional[Sequence[str]] = None) -> HeadView:
    """The interactive heat map of attention weights: self-contained, without any network.

    weights: (queries, keys), (heads, queries, keys) or (layers, heads, queries, keys), an array or
        nested lists; or a list of arrays, one a layer, each (heads, queries, keys) or with a batch
        of 1 before it, as transformers return their attentions.
    tokens: the keys' names, a sequence, or words with blanks between; query_tokens: the queries',
        where they are others.
    detail: how many weights may go into the page. Of more, a cell shows the largest of a block,
        and the strongest keys of each query are kept as they are.

    >>> view = head_view([[1, 0], [0.5, 0.5]], "the cat")
    >>> view
    <HeadView: 1 x 1 heads, 2 queries, 2 keys>
    >>> "http" in view.html.replace("http://www.w3.org/2000/svg", "")
    False
    """
    layers = _split_layers(weights)
    for layer in layers:
        if len(layer.shape) not in (2, 3):
            raise ValueError(f"weights: has {len(layer.shape)} axes; expected (queries, keys), "
                             "(heads, queries, keys) or (layers, heads, queries, keys)")
    shapes = {tuple(layer.shape[-2:]) for layer in layers}
    if len(shapes) > 1:
        raise ValueError(f"weights: layers have the sizes {sorted(shapes)}; expected one of all")
    if not layers or 0 in shapes.pop() or any(layer.shape[0] == 0 for layer in layers):
        raise ValueError("weights: an axis has no entries; expected heads, queries and keys")
    if detail < 1:
        raise ValueError(f"detail: got {detail}; expected 1 or more")
    names = (_words(layer_names) or (), _words(head_names) or ())
    heads = max(layer.shape[0] if len(layer.shape) == 3 else 1 for layer in layers)
    _check_tokens(names[0] or None, "layer_names", len(layers))
    _check_tokens(names[1] or None, "head_names", heads)
    return HeadView(layers, _words(tokens), _words(query_tokens), title, detail, names)


def _words(names: Union[str, Sequence[str], None]) -> Optional[tuple[str, ...]]:
    if isinstance(names, str):
        return tuple(names.split())
    return None if names is None else tuple(str(name) for name in names)


def _check_tokens(tokens: Optional[tuple[str, ...]], name: str, expected: int) -> None:
    if tokens is not None and len(tokens) != expected:
        raise ValueError(f"{name}: got {len(tokens)} names; expected {expected}")


def _split_layers(weights: Any) -> list:
    """A list of (heads, queries, keys)."""
    if isinstance(weights, (list, tuple)) and weights and hasattr(weights[0], "shape"):
        return [_without_batch(as_array(layer)) for layer in weights]
    array = as_array(weights)
    if isinstance(array, memoryview) and array.ndim == 4 and array.shape is not None:
        size = math.prod(array.shape[1:])
        flat = array.cast("B").cast(array.format)
        return [flat[i * size:(i + 1) * size].cast("B").cast(array.format, list(array.shape[1:]))
                for i in range(array.shape[0])]
    if len(array.shape) == 4:
        if array.shape[0] == 0:
            return []
        return [array[i] for i in range(array.shape[0])]
    return [array]


def _without_batch(layer: Any) -> Any:
    if len(layer.shape) != 4:
        return layer
    if layer.shape[0] != 1:
        raise ValueError(f"weights: a layer has a batch of {layer.shape[0]}; expected one of 1: "
                         "choose one with [layer[i] for layer in weights]")
    return layer[0]


def _block(layers: list, detail: int) -> int:
    """The side of the blocks that cells stand for, so that at most `detail` cells are kept."""
    queries, keys = layers[0].shape[-2:]
    heads = sum(layer.shape[0] if len(layer.shape) == 3 else 1 for layer in layers)
    block = 1
    while heads * math.ceil(queries / block) * math.ceil(keys / block) > detail and (
            block < max(queries, keys)):
        block += 1
    return block


def _encode(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _safe_text(text: str) -> str:
    """For HTML; what is no character, as half of a pair, becomes a reference to nothing."""
    return html.escape(text).encode("ascii", "xmlcharrefreplace").decode("ascii")


def _safe_json(data: Any) -> str:
    """JSON that cannot end the script it stands in."""
    text = json.dumps(data, ensure_ascii=True, sort_keys=True)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
