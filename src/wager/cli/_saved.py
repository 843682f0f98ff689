"""Trained learners in files that cannot run code.

A file is a NumPy archive (``.npz``) of plain arrays and one text, which describes the objects:
their class, and what their attributes are.  Reading it makes each object without calling anything
of its class.  Only classes of wager that learners consist of can be named, and classifiers of
scikit-learn that predict with NumPy alone: those in C would read whatever memory the numbers of a
file point to.  Of functions only the steps that prepare rows can be named.  So a hostile file can
hold wrong numbers, but it cannot name a function of another package, import a module of another
package, replace a method, start processes, or unpickle.

What a file can take is bounded: see the constants below.
"""

from __future__ import annotations

import json
import lzma
import sys
import types
import zipfile
import zlib
from collections.abc import Mapping
from enum import Enum
from importlib import import_module
from importlib.metadata import version
from inspect import getattr_static
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from wager._atomic import replacing
from wager._visible import brief

__all__ = ["load_model", "save_model"]

_PLAIN = (bool, int, float, str, type(None))
_HOLDERS: dict[str, type] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
# Where classes may come from: modules, and packages with a dot at the end.
_OWN = ("wager.learners.", "wager.costs.", "wager.rewards.", "wager.credal.",
        "wager._tables._codes", "wager._tables._counts", "wager._tables._named_counts",
        "wager.prepare._dataset", "wager.prepare._discretize", "wager.prepare._impute",
        "wager.experiments.run._fit_predict")  # fmt: skip
_SKLEARN = ("sklearn.naive_bayes", "sklearn.linear_model.", "sklearn.discriminant_analysis",
            "sklearn.dummy", "sklearn.multiclass", "sklearn.neighbors._nearest_centroid",
            "sklearn.neural_network.", "sklearn.semi_supervised.", "sklearn.ensemble._bagging",
            "sklearn.ensemble._weight_boosting", "sklearn.preprocessing._label")  # fmt: skip
_STEPS = ("wager.experiments.plan._prepare", "wager.experiments.run._fit_file")
_METHODS = (types.FunctionType, classmethod, staticmethod)
_LARGEST, _RATIO = 1 << 26, 100  # bytes of all arrays, or so many times the size of the file
_LONGEST, _TEXT_RATIO = 1 << 24, 50  # the same for the text and its part of the file
_MOST = 10_000_000  # values, those that occur twice counted twice
_TEXT = "model"


def save_model(path: str | PathLike[str], model: Any) -> None:
    """Write a trained learner to a file that `load_model` reads."""
    arrays: dict[str, Any] = {}
    about = {"wager": version("wager"), "sklearn": version("scikit-learn")}
    text = json.dumps({"versions": about, "value": _Writer(arrays).plain(model)})
    with replacing(path) as draft, draft.open("wb") as file:
        arrays[_TEXT] = np.frombuffer(text.encode(), dtype=np.uint8)
        # what expands to much is refused when it is read, so much is not compressed
        is_large = sum(each.nbytes for each in arrays.values()) > _LARGEST // 2
        (np.savez if is_large else np.savez_compressed)(file, **arrays)


def load_model(path: str | PathLike[str], kind: type) -> Any:
    """The trained learner in a file; anything that is not one is a `ValueError`."""
    try:
        _require_small(path)
        with np.load(path, allow_pickle=False) as arrays:
            data = json.loads(arrays[_TEXT].tobytes())
            _require_versions(data["versions"])
            found = _Reader(arrays).value(data["value"])
    except FileNotFoundError:
        raise ValueError(f"{path}: no such file") from None
    except (
        ArithmeticError, AttributeError, EOFError, ImportError, LookupError, MemoryError, OSError,
        RuntimeError, TypeError, ValueError, lzma.LZMAError, zipfile.BadZipFile,
        zipfile.LargeZipFile, zlib.error,
    ) as problem:  # fmt: skip
        what = str(problem).split("\n")[0] or type(problem).__name__
        raise ValueError(
            f"{path} is not a saved learner ({what}): save it again with wager fit --save"
        ) from None
    if not isinstance(found, kind):
        raise ValueError(f"{path} is not a saved learner: save one with wager fit --save")
    return found


def _require_small(path: str | PathLike[str]) -> None:
    """Refuse an archive that expands to much more than its size, before anything is expanded.

    The size is that of the file: entries can overlap, so that their sizes add up to more.
    """
    on_disk = Path(path).stat().st_size
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
    size = sum(entry.file_size for entry in entries)
    if size > max(_LARGEST, _RATIO * on_disk):
        raise ValueError(f"it expands to {size / 1e9:.1f} GB")
    if len({entry.filename for entry in entries}) < len(entries):
        raise ValueError("two of its arrays have the same name")
    for entry in entries:
        packed = min(entry.compress_size, on_disk)
        is_text = entry.filename == f"{_TEXT}.npy"
        if is_text and entry.file_size > max(_LONGEST, _TEXT_RATIO * packed):
            raise ValueError(f"its text expands to {entry.file_size / 1e6:.0f} MB")


def _require_versions(saved: Mapping[str, str]) -> None:
    for name, package in (("wager", "wager"), ("sklearn", "scikit-learn")):
        if saved[name] != version(package):
            raise ValueError(f"it was saved with {package} {saved[name]}, not {version(package)}")


class _Writer:
    """Objects as plain data; arrays are collected, and an object that occurs twice is kept once."""

    def __init__(self, arrays: dict[str, Any]) -> None:
        self.arrays = arrays
        self.seen: dict[int, int] = {}
        self.kept: list[Any] = []  # so that no number of an object is used again

    def plain(self, value: Any) -> Any:
        if isinstance(value, _PLAIN) and type(value) in _PLAIN:
            return value
        if id(value) in self.seen:
            return {"again": self.seen[id(value)]}
        self.seen[id(value)] = len(self.kept)
        self.kept.append(value)
        return self._described(value)

    def _described(self, value: Any) -> dict[str, Any]:
        if isinstance(value, np.ndarray) and value.dtype != object:
            name = f"a{len(self.arrays)}"
            self.arrays[name] = value
            return {"array": name}
        if isinstance(value, np.ndarray):
            return {"objects": [self.plain(v) for v in value.ravel()], "shape": value.shape}
        if isinstance(value, np.generic):
            name = f"a{len(self.arrays)}"
            self.arrays[name] = np.asarray(value)
            return {"number": name}
        if isinstance(value, Enum):
            return {"member": _place(type(value)), "name": value.name}
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return {"named": _place(type(value)), "items": [self.plain(v) for v in value]}
        if type(value) in _HOLDERS.values():
            return {type(value).__name__: [self.plain(v) for v in value]}
        if isinstance(value, dict | types.MappingProxyType):
            pairs = [[self.plain(k), self.plain(v)] for k, v in value.items()]
            return {"dict" if isinstance(value, dict) else "mapping": pairs}
        if isinstance(value, slice):
            return {"slice": [self.plain(v) for v in (value.start, value.stop, value.step)]}
        if isinstance(value, types.FunctionType):
            cells = [cell.cell_contents for cell in value.__closure__ or ()]
            _function(value.__module__, value.__qualname__)
            place = [value.__module__, value.__qualname__]
            return {"function": place, "cells": [self.plain(cell) for cell in cells]}
        state = dict(getattr(value, "__dict__", {}))
        for kind in type(value).__mro__:
            for name in getattr(kind, "__slots__", ()):
                if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                    state[name] = getattr(value, name)
        return {"object": _place(type(value)), "state": self.plain(state)}


class _Reader:
    """The objects that plain data describe."""

    def __init__(self, arrays: Any) -> None:
        self.arrays = arrays
        self.unread = set(arrays.files) - {_TEXT}
        self.made: list[Any] = []
        self.sizes: list[int] = []  # the number of values in each of them
        self.count = 0

    def value(self, data: Any) -> Any:
        self._add(1)
        if not isinstance(data, dict):
            if not isinstance(data, _PLAIN):
                raise ValueError("it contains a list without a kind")
            return data
        if "again" in data:
            place = data["again"]
            if type(place) is not int or place < 0:
                raise ValueError(f"{brief(place)} is not the number of an object")
            self._add(self.sizes[place])
            return self.made[place]
        place, before = len(self.made), self.count
        self.made.append(None)
        self.sizes.append(0)
        self.made[place] = found = self._made(data, place)
        is_object = "object" in data  # nothing goes through all values of an object
        self.sizes[place] = 0 if is_object else self.count - before
        return found

    def _add(self, number: int) -> None:
        self.count += number
        if self.count > _MOST:
            raise ValueError(f"it has more than {_MOST:,} values")

    def array(self, name: Any) -> Any:
        """An array, which only one object may have: a file cannot expand it many times."""
        if name not in self.unread:
            raise ValueError(f"the array {name!r} is missing or occurs twice")
        self.unread.remove(name)
        found = self.arrays[name]
        if not isinstance(found, np.ndarray) or (found.size and not found.nbytes):
            raise ValueError(f"{brief(name)} is not an array")
        return found

    def _made(self, data: dict[str, Any], place: int) -> Any:
        if "array" in data:
            return self.array(data["array"])
        if "objects" in data:
            items = [self.value(v) for v in data["objects"]]
            return np.fromiter(items, dtype=object, count=len(items)).reshape(data["shape"])
        if "number" in data:
            return self.array(data["number"])[()]
        if "member" in data:
            return _class(data["member"], Enum)[data["name"]]  # type: ignore[index]
        if "named" in data:
            kind = _class(data["named"], tuple)
            items = [self.value(v) for v in data["items"]]
            if len(items) != len(kind._fields):  # type: ignore[attr-defined]
                raise ValueError(f"{kind.__name__} has another number of items")
            return _checked(tuple.__new__(kind, items))
        for name, holder in _HOLDERS.items():
            if name in data:
                return holder(self.value(v) for v in data[name])
        if "dict" in data or "mapping" in data:
            pairs = data["dict"] if "dict" in data else data["mapping"]
            found = {self.value(k): self.value(v) for k, v in pairs}
            return found if "dict" in data else types.MappingProxyType(found)
        if "slice" in data:
            return slice(*(self.value(v) for v in data["slice"]))
        if "function" in data:
            module, name = data["function"]
            return _function(module, name, [self.value(v) for v in data["cells"]])
        kind = _class(data["object"])
        if kind.__new__ is not object.__new__:  # type: ignore[comparison-overlap]
            raise ValueError(f"{kind.__name__} cannot be saved")
        self.made[place] = found = object.__new__(kind)
        slots = {name for base in kind.__mro__ for name in getattr(base, "__slots__", ())}
        for name, value in self.value(data["state"]).items():
            _require_attribute(kind, name)
            if name == "n_jobs":
                value = None  # a file does not decide how many processes are started
            if name in slots:
                object.__setattr__(found, name, value)
            else:
                vars(found)[name] = value  # runs no code of the class
        return _checked(found)


def _checked(found: Any) -> Any:
    """An object whose numbers its class accepts, if it has a rule for numbers from files."""
    rule = getattr(type(found), "check_saved", None)
    if rule is not None:
        rule(found)
    return found


def _require_attribute(kind: type, name: Any) -> None:
    """Refuse an attribute that would take the place of a method."""
    is_plain = isinstance(name, str) and not name.startswith("__")
    if not is_plain or isinstance(getattr_static(kind, name, None), _METHODS):
        raise ValueError(f"{name!r} cannot be an attribute of {kind.__name__}")


def _place(kind: type) -> list[str]:
    place = [kind.__module__, kind.__qualname__]
    _class(place)
    return place


def _class(place: list[str], base: type = object) -> type:
    """A class that learners consist of, or a classifier of scikit-learn."""
    module, name = place
    is_own = _is_in(module, _OWN)
    if not is_own and not _is_in(module, _SKLEARN):
        raise ValueError(f"objects of {module}.{name} cannot be saved")
    found = _attribute(module, name)
    if not isinstance(found, type) or not issubclass(found, base) or found.__module__ != module:
        raise ValueError(f"{module}.{name} is not a class that can be saved")
    if not is_own:
        from sklearn.base import ClassifierMixin
        from sklearn.preprocessing import LabelBinarizer, LabelEncoder

        if not issubclass(found, ClassifierMixin | LabelEncoder | LabelBinarizer):
            raise ValueError(f"objects of {module}.{name} cannot be saved")
    return found


def _is_in(module: str, allowed: tuple[str, ...]) -> bool:
    return any(module == each or (each[-1] == "." and module.startswith(each)) for each in allowed)


def _function(module: str, name: str, cells: list[Any] | None = None) -> Any:
    """A function of wager that prepares rows; one inside another gets the values it refers to."""
    outer, _, inner = name.partition(".<locals>.")
    if module not in _STEPS or not (inner or outer == "_unchanged"):
        raise ValueError(f"the function {module}.{name} cannot be saved")
    found = _attribute(module, outer)
    if not isinstance(found, types.FunctionType) or found.__module__ != module:
        raise ValueError(f"{module}.{name} is not a function that can be saved")
    if not inner:
        return found
    codes = [c for c in found.__code__.co_consts if isinstance(c, types.CodeType)]
    (code,) = (c for c in codes if c.co_qualname == name)
    if cells is None:
        return code
    if len(cells) != len(code.co_freevars):
        raise ValueError(f"{name} needs {len(code.co_freevars)} values, got {len(cells)}")
    closure = tuple(map(types.CellType, cells))
    return types.FunctionType(code, vars(sys.modules[module]), code.co_name, None, closure)


def _attribute(module: str, name: str) -> Any:
    found: Any = import_module(module)
    for part in name.split("."):
        found = vars(found)[part]
    return found
