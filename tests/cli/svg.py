"""Reads figures back: panels of an SVG with their maps, and marks as numbers."""
import math
import re
import struct
import xml.etree.ElementTree as tree
import zlib

SVG = "{http://www.w3.org/2000/svg}"
NUMBER = r"-?\d+(?:\.\d+)?"
DATA = ("line", "points", "band", "bars", "arrow")


class Axis:
    """What a panel's data-x or data-y says: kind, low, high and their coordinates."""

    def __init__(self, text):
        kind, *numbers = text.split()
        self.kind = kind
        self.low, self.high, self.begin, self.end = map(float, numbers)

    def number(self, place):
        part = (place - self.begin) / (self.end - self.begin)
        if self.kind == "log":
            return self.low * math.exp(part * math.log(self.high / self.low))
        return self.low + part * (self.high - self.low)


class Panel:
    def __init__(self, element):
        self.element = element
        self.x, self.y = Axis(element.get("data-x")), Axis(element.get("data-y"))

    def texts(self):
        return ["".join(text.itertext()) for text in self.element.iter(SVG + "text")]

    def marks(self, kind):
        """Each mark of a class as a list of (x, y), in the panel's numbers."""
        for path in self.element.iter(SVG + "path"):
            if path.get("class") == kind:
                places = re.findall(f"[ML]({NUMBER}) ({NUMBER})", path.get("d"))
                yield [(self.x.number(float(x)), self.y.number(float(y))) for x, y in places]


    def frame(self):
        """Left, top, right and bottom of the area between the axes."""
        return (min(self.x.begin, self.x.end), min(self.y.begin, self.y.end),
                max(self.x.begin, self.x.end), max(self.y.begin, self.y.end))

    def is_blank(self):
        """Whether nothing that stands for data lies between the axes: grid, axes and rules do not."""
        left, top, right, bottom = self.frame()
        for element in self.element.iter():
            kind = element.get("class")
            if kind in ("heat", "box"):
                return False
            if kind not in DATA:
                continue
            path = element.get("d")
            places = [(float(x), float(y)) for x, y in
                      re.findall(f"[ML]({NUMBER}) ({NUMBER})", path)]
            inside = [(x, y) for x, y in places
                      if left - 1 <= x <= right + 1 and top - 1 <= y <= bottom + 1]
            wide = re.search("[HVZhvza]", path) or len(set(inside)) > 1
            if inside and (wide or kind == "points"):
                return False
        return True


def read(path):
    """The root, checked for what every figure has; raises where it is not well-formed."""
    root = tree.parse(path).getroot()
    assert root.tag == SVG + "svg" and root.get("viewBox"), "no SVG with a viewBox"
    assert root.find(SVG + "title") is not None and root.find(SVG + "desc") is not None
    assert not [e for e in root.iter() if e.get("id")], "an element has an id"
    return root


def panels(root):
    return [Panel(e) for e in root.iter(SVG + "g") if e.get("class") == "panel"]


def inside(root):
    """Whether every text begins on the canvas."""
    _, _, width, height = map(float, root.get("viewBox").split())
    return all(0 <= float(t.get("x")) <= width and 0 <= float(t.get("y")) <= height
               for t in root.iter(SVG + "text"))


def pixels(path):
    """Width, height and the rows of a PNG of 8 bits per channel, each a list of pixels."""
    data = open(path, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", path
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colours = struct.unpack(">IIBB", body[:10])
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    assert depth == 8 and colours in (2, 6), (depth, colours)
    size = {2: 3, 6: 4}[colours]
    plain, above, rows = zlib.decompress(packed), bytes(width * size), []
    for y in range(height):
        start = y * (width * size + 1)
        above = unfilter(plain[start], plain[start + 1:start + 1 + width * size], above, size)
        rows.append([tuple(above[x:x + 3]) for x in range(0, width * size, size)])
    return width, height, rows


def unfilter(kind, line, above, size):
    """A row of bytes as the PNG specification restores it from the one above."""
    row = bytearray(line)
    for i, byte in enumerate(row):
        left = row[i - size] if i >= size else 0
        corner = above[i - size] if i >= size else 0
        if kind == 1:
            row[i] = byte + left & 255
        elif kind == 2:
            row[i] = byte + above[i] & 255
        elif kind == 3:
            row[i] = byte + (left + above[i]) // 2 & 255
        elif kind == 4:
            guess = left + above[i] - corner
            nearest = min((left, above[i], corner), key=lambda near: abs(guess - near))
            row[i] = byte + nearest & 255
    return bytes(row)
