"""What a function answered, as plain values that can be compared whatever the names and orders.

Names are read back to those of the first case, values of rows are kept by the numbers of the rows,
and axes of classes are put in the order of the first case.  Results are read in full: their fields
and properties, and their methods that need no arguments.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from tests.fuzz.functions import INTERNAL, MODULES, WRITING, is_own, is_private, parameters_of
from tests.relations.cases import CLASSES, SCALE, SITES, Case
from wager._typing import Array
from wager.predictions import PredictionSets

DEPTH = 1  # of results in results
# What follows the order of rows on purpose, names files, or makes large results again.
UNREAD = {
    "influences", "plot", "to_file", "tighten", "curve", "rows", "row", "path", "units", "index",
    "blocks", "checksum",
}  # fmt: skip
UNREAD_OF = {
    "SelectiveEvaluation": {"to_dict", "to_frame"},  # its curve has about as many steps as rows
    "TopKProbabilities": {"codes", "values"},  # of all rows in turn
    "StandardizedPartition": {"weights"},  # of lines
    "SetConfusion": {"table"},  # its frame has names
    "Witness": {"repr"},  # which is cut off
}
# Codes, and values by cell or by vertex, in the order in which they are stored.
STORED = {
    "to_dict", "to_json", "truth", "counts", "sets", "codes", "cell", "cells", "squares",
    "vertices", "values", "assigned", "most_probable", "largest_sizes", "outcomes", "tallies",
    "subsets", "matrix", "details", "target_codes",
}  # fmt: skip
CLOSE = {"rtol": 1e-7, "atol": 1e-9, "equal_nan": True}


@dataclass
class ByRow:
    """Values of rows, by the numbers of the rows."""

    rows: list[int]
    values: Any


@dataclass
class Reader:
    """Reads answers about a case, perhaps with one value per group."""

    case: Case
    by_group: bool = False

    def __post_init__(self) -> None:
        case = self.case
        self.names = dict(zip(case.names + case.sites, CLASSES + SITES, strict=True))
        self.word = re.compile(rf"\b({'|'.join(self.names)})\b")
        self.sites = np.argsort([SITES.index(self.names[site]) for site in sorted(case.sites)])
        self.rows, self.first = np.unique(np.array(case.rows), return_index=True)

    def text(self, value: str) -> str:
        """The text with the names of the first case, and without addresses in memory."""
        plain = re.sub(r" object at 0x\w+|/[\w/]+\.csv", "", value)
        return self.word.sub(lambda found: self.names[found[0]], plain)

    def plain(self, value: Any, classes: list[str] | None = None, depth: int = 0) -> Any:
        """The value as numbers, texts, lists, arrays and dictionaries."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, PredictionSets):
            return self.by_row([sorted(map(self.text, row)) for row in value.to_lists()])
        if isinstance(value, pd.Series):
            value = value.to_numpy()
        if isinstance(value, pd.DataFrame):
            columns = [name for name in value if name != "row"]
            return self.by_row([self.plain(row) for row in value[columns].to_dict("records")])
        if isinstance(value, np.ndarray):
            return self.array(value, classes)
        if isinstance(value, Mapping):
            return {self.key(k): self.plain(v, classes, depth) for k, v in value.items()}
        if hasattr(value, "_asdict"):
            return {k: self.plain(v, classes, depth) for k, v in value._asdict().items()}
        if type(value).__module__.startswith("wager"):
            return self.result(value, classes, depth)
        if isinstance(value, set | frozenset):
            return sorted(str(self.plain(each)) for each in value)
        if isinstance(value, list | tuple) or hasattr(value, "__next__"):
            values = list(value)
            if values and all(type(each) in (int, float) for each in values):
                return self.array(np.array(values), classes)
            return self.by_row([self.plain(each, classes, depth) for each in values])
        return type(value).__name__

    def by_row(self, values: list[Any]) -> Any:
        """The values by the number of the row, if there is one for each row."""
        if len(values) != len(self.case.rows):
            return values
        return ByRow(self.rows.tolist(), [values[i] for i in self.first])

    def key(self, value: Any) -> str:
        """A key of a dictionary."""
        return str(self.plain(sorted(value) if isinstance(value, frozenset) else value))

    def array(self, value: Array, classes: list[str] | None) -> Any:
        """An array with its classes in the order of the first case."""
        if value.dtype.kind not in "biuf" or value.ndim == 0:
            return self.plain(value.tolist(), classes)
        value = value.astype(float)
        is_by_row = len(value) == len(self.case.rows)
        if is_by_row:
            value = value[self.first]
        order = np.argsort([CLASSES.index(name) for name in classes or ()])
        for axis, length in enumerate(value.shape):
            if length == len(order):
                value = np.take(value, order, axis=axis)
            elif length == len(self.sites) and self.by_group:
                value = np.take(value, self.sites, axis=axis)
        return ByRow(self.rows.tolist(), value) if is_by_row else value

    def result(self, value: Any, classes: list[str] | None, depth: int) -> Any:
        """A result by the names of its parts; only the name of one that users cannot name."""
        kind = type(value)
        if kind not in _public():
            return kind.__name__
        found: dict[str, Any] = {"": kind.__name__}
        if "repr" not in UNREAD_OF.get(kind.__name__, set()):
            found["repr"] = self.text(repr(value))
        if depth > DEPTH:
            return found
        classes = self._classes_of(value) or classes
        for name in _parts(kind):
            try:
                part = getattr(value, name)
                if inspect.ismethod(part):
                    if depth:
                        continue
                    part = part()
            except (ValueError, TypeError, IndexError, KeyError) as problem:
                found[name] = f"{type(problem).__name__}: {self.text(str(problem))}"
                continue
            part = json.loads(part) if name == "to_json" else part
            found[name] = self.plain(part, classes, depth + 1)
        return found

    def _classes_of(self, value: Any) -> list[str] | None:
        """The classes of a result, in its order; classifiers can have their names."""
        for name in ("classes", "names"):
            labels = getattr(value, name, None)
            read = [] if labels is None else [self.text(str(each)) for each in labels]
            if sorted(read) == sorted(CLASSES):
                return read
        return None


@cache
def _public() -> set[type]:
    doors = [importlib.import_module(module) for module in MODULES]
    found = [getattr(door, name) for door in doors for name in door.__all__]
    return {each for each in found if inspect.isclass(each)}


@cache
def _parts(kind: type) -> list[str]:
    """The fields and properties of a class, and its methods that need no arguments."""
    named = [field.name for field in fields(kind)] if is_dataclass(kind) else []
    for name, value in inspect.getmembers_static(kind):
        if name in named or name in WRITING | INTERNAL or not is_own(kind, name):
            continue
        is_method = inspect.isfunction(value) and not is_private(value) and not _needs(value)
        if is_method or isinstance(value, property) or type(value).__name__ == "cached_property":
            named.append(name)
    unread = UNREAD | UNREAD_OF.get(kind.__name__, set())
    return [name for name in named if not name.startswith("_") and name not in unread]


def _needs(method: Any) -> bool:
    """Whether a method needs arguments."""
    given = list(parameters_of(method).values())[1:]
    open_ended = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return any(one.default is one.empty and one.kind not in open_ended for one in given)


# -- comparison ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Allowed:
    """What may differ between two answers."""

    orders: bool = False  # of names, and of what is listed by name
    rows: bool = False  # some are in one case only
    scale: bool = False  # of weights, and of sums of their powers


def differences(a: Any, b: Any, allowed: Allowed, where: str = "") -> Iterator[str]:
    """Where two answers differ."""
    if isinstance(a, ByRow) and isinstance(b, ByRow):
        both = set(a.rows) & set(b.rows)
        if not both or (a.rows != b.rows and not allowed.rows):
            yield f"{where}: rows {a.rows} and {b.rows}"
        of_a, of_b = (dict(zip(each.rows, each.values, strict=True)) for each in (a, b))
        for row in sorted(both):
            yield from differences(of_a[row], of_b[row], allowed, f"{where}[{row}]")
    elif isinstance(a, dict) and isinstance(b, dict):
        if a.keys() != b.keys():
            yield f"{where}: {sorted(a.keys() ^ b.keys())}"
        unread = STORED if allowed.orders and "" in a else set()
        for key in a.keys() & b.keys() - unread:
            yield from differences(a[key], b[key], allowed, f"{where}.{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        if allowed.orders and sorted(map(_spelt, a)) == sorted(map(_spelt, b)):
            return
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            yield from differences(x, y, allowed, f"{where}[{i}]")
    elif not _same(a, b, allowed):
        yield f"{where}: {a!r:.300} and {b!r:.300}"


def _same(a: Any, b: Any, allowed: Allowed) -> bool:
    if isinstance(a, str) and isinstance(b, str):
        if allowed.scale:
            a, b = (re.sub(r"[\s\d.,-]+", " ", text) for text in (a, b))
        return a == b or (allowed.orders and _words(a) == _words(b))
    if any(each is None or isinstance(each, str | bool | list | dict | ByRow) for each in (a, b)):
        return type(a) is type(b) and not isinstance(a, list | dict | ByRow) and bool(a == b)
    x, y = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    powers = SCALE ** np.arange(5.0) if allowed.scale else [1.0]
    close = [np.isclose(x * by, y, **CLOSE) for by in powers] if x.shape == y.shape else [False]
    return bool(np.logical_or.reduce(close).all())


def _words(text: str) -> list[str]:
    return sorted(re.findall(r"\w+(?:\.\w+)*", text))


def _spelt(value: Any) -> str:
    """A value as a text that is the same for equal values, up to the order of words."""
    if isinstance(value, str):
        return repr(_words(value))
    if isinstance(value, dict):
        return repr(sorted((key, _spelt(each)) for key, each in value.items()))
    if isinstance(value, list):
        return repr([_spelt(each) for each in value])
    if isinstance(value, float | np.ndarray):
        return repr((np.round(value, 6) + 0.0).tolist())
    return repr(value)
