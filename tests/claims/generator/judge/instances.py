"""An instance says what every free name is. Its numbers are rational throughout, so that premises can
be met exactly; a view is the instance in one arithmetic."""

from fractions import Fraction

import numpy

from .values import Family


class Instance:
    """The free names: sizes and indexes (int or str), parameters (Fraction), vectors (lists of
    Fractions), families (Family of such lists), matrices (lists of lists)."""

    def __init__(self, names, definitions):
        self.names, self.definitions = names, definitions
        self.views = {}

    def view(self, arithmetic):
        if arithmetic not in self.views:
            self.views[arithmetic] = View(self, arithmetic)
        return self.views[arithmetic]

    def changed(self, **names):
        return Instance({**self.names, **names}, self.definitions)

    def __str__(self):
        shown = {name: raw for name, raw in self.names.items() if not name.startswith("#")}
        return ", ".join(f"{name} = {written(raw)}" for name, raw in shown.items())


def written(raw):
    """A value of an instance, for a report."""
    if isinstance(raw, Family):
        return "{" + ", ".join(f"{i}: {written(raw.rows[i])}" for i in raw.indexes) + "}"
    if isinstance(raw, list):
        return "[" + ", ".join(map(written, raw)) + "]"
    return str(raw)


class View:
    """An instance in one arithmetic; definitions are computed once."""

    def __init__(self, instance, arithmetic):
        self.instance, self.arithmetic = instance, arithmetic
        self.raw = instance.names
        self.known = {}

    def convert(self, raw):
        number, kind = self.arithmetic.number, self.arithmetic.kind
        if isinstance(raw, (int, Fraction)):
            return number(raw)
        if isinstance(raw, Family):
            return Family(raw.indexes, [self.convert(raw.rows[i]) for i in raw.indexes])
        if isinstance(raw, list) and raw and isinstance(raw[0], list):
            return numpy.array([[number(x) for x in row] for row in raw], dtype=kind)
        if isinstance(raw, list):
            return numpy.array([number(x) for x in raw], dtype=kind)
        return raw

    def look_up(self, name):
        if name not in self.known:
            if name in self.raw:
                self.known[name] = self.convert(self.raw[name])
            else:
                self.known[name] = self.instance.definitions[name].value(self)
        return self.known[name]

    def bind(self, name, index):
        """The same view with a bound index; definitions do not depend on it."""
        inner = View.__new__(View)
        inner.instance, inner.arithmetic = self.instance, self.arithmetic
        inner.raw = {**self.raw, name: index}
        inner.known = Layered(self.known, name)
        return inner


class Layered(dict):
    """The known values of an outer view; the bound name stays inside."""

    def __init__(self, outer, hidden):
        super().__init__()
        self.outer, self.hidden = outer, hidden

    def __contains__(self, name):
        return dict.__contains__(self, name) or (name != self.hidden and name in self.outer)

    def __getitem__(self, name):
        if dict.__contains__(self, name):
            return dict.__getitem__(self, name)
        return self.outer[name]

    def __setitem__(self, name, value):
        if name == self.hidden:
            dict.__setitem__(self, name, value)
        else:
            self.outer[name] = value
