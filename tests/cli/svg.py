"""Reads figures back: panels of an SVG with their maps, and marks as numbers."""
import math
import re
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
NUMBER = r"-?\d+(?:\.\d+)?"


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
