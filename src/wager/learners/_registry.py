"""Learners by name, for plans and for the command line.

The name of a learner of this package is its class name in lower case: ``naive-credal`` for
``NaiveCredal``, ``tan`` for ``TAN``.  Any other class is named by its dotted path, such as
``sklearn.ensemble.RandomForestClassifier``.  Parameters are plain data; a parameter that is itself
an estimator is given as a name, or as a table with ``learner`` and ``params``.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

from wager._visible import brief

__all__ = [
    "find_learner",
    "is_learner_parameter",
    "learner_classes",
    "learner_names",
    "make_learner",
    "stable_name",
]

_LISTED = re.compile(r"^__all__\s*=\s*[\[(](.*?)[\])]", re.MULTILINE | re.DOTALL)


def learner_classes() -> dict[str, type]:
    """Every learner of the package, by the name of its class.

    Examples
    --------
    >>> learner_classes()["NaiveCredal"].__module__
    'wager.learners.naive._credal'
    """
    package = __name__.rpartition(".")[0]
    # listing the folders is cheap; they are searched again only if a module was added
    return _classes_in(tuple(_modules_below(package, nested=False)))


@cache
def _classes_in(modules: tuple[str, ...]) -> dict[str, type]:
    found: dict[str, type] = {}
    for name in modules:
        for listed in _listed_classes(name):
            candidate = getattr(import_module(name), listed)
            if hasattr(candidate, "fit") and not inspect.isabstract(candidate):
                found[listed] = candidate
    return found


def _modules_below(package: str, nested: bool = True) -> Iterator[str]:
    """The modules of the sub-packages of a package, with its own modules if it is nested."""
    for found in iter_modules(sys.modules[package].__path__, f"{package}."):
        if found.ispkg:
            import_module(found.name)
            yield from _modules_below(found.name)
        elif nested:
            yield found.name


def _listed_classes(module: str) -> list[str]:
    """The classes that a module defines and lists in ``__all__``, read from its source."""
    spec = find_spec(module)
    source = spec.loader.get_source(module) if spec and spec.loader else None  # type: ignore[attr-defined]
    listed = _LISTED.search(source or "")
    names = re.findall(r"\w+", listed[1]) if listed else []
    return [name for name in names if re.search(rf"^class {name}\b", source or "", re.MULTILINE)]


_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def learner_names() -> dict[str, str]:
    """The name of every learner of this package, and the name of its class.

    Examples
    --------
    >>> names = learner_names()
    >>> names["naive-credal"], names["tan"], names["k-random"]
    ('NaiveCredal', 'TAN', 'KRandom')
    """
    return {_HUMPS.sub("-", name).lower(): name for name in learner_classes()}


def find_learner(name: str) -> type:
    """The class with a name or a dotted path.

    Examples
    --------
    >>> find_learner("naive-bayes").__name__, find_learner("sklearn.svm.SVC").__name__
    ('NaiveBayes', 'SVC')
    """
    module, dot, attribute = name.rpartition(".")
    if not dot:
        return _find_by_name(name)
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as problem:
        raise ValueError(f"cannot import the learner {name!r} ({problem})") from None
    except Exception as problem:  # a module of the user may have a syntax error, for instance
        text = " ".join(str(problem).split())
        raise ValueError(
            f"cannot import the learner {name!r} ({type(problem).__name__}: {text})"
        ) from None
    if not (inspect.isclass(found) and hasattr(found, "fit")):
        raise ValueError(f"{brief(name)} is not a learner: it must be a class with the method fit")
    return found


@cache  # errors are not cached: a name that is unknown now may belong to a module added later
def _find_by_name(name: str) -> type:
    names = learner_names()
    if name not in names:
        near = get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"choose one of {', '.join(sorted(names))}"
        raise ValueError(f"unknown learner {brief(name)}: {hint}")
    return learner_classes()[names[name]]


def make_learner(name: str, params: Mapping[str, Any] | None = None) -> Any:
    """A learner, not yet fitted, from its name and parameters.

    Parameters
    ----------
    name : str
        A name or a dotted path, as for `find_learner`.
    params : mapping, optional
        Arguments of the class.  An argument called ``estimator``, ``base`` or ``*_estimator``, and
        any table with the key ``learner``, is made into a learner first.

    Examples
    --------
    >>> make_learner("naive-credal", {"s": 2.0})
    NaiveCredal(s=2.0)
    >>> make_learner("k-random", {"estimator": {"learner": "naive-credal", "params": {"s": 2.0}}})
    KRandom(estimator=NaiveCredal(s=2.0))
    """
    cls = find_learner(name)
    given = {key: _made(key, value) for key, value in (params or {}).items()}
    accepted = _parameters(cls)
    if any(p.kind is p.VAR_KEYWORD for p in accepted.values()):
        return cls(**given)
    for key in given:
        if key not in accepted:
            near = get_close_matches(key, accepted, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(accepted)}"
            raise ValueError(f"{name} has no parameter {brief(key)}: {hint}")
    for key, parameter in accepted.items():
        needed = (
            parameter.default is parameter.empty and parameter.kind is not parameter.VAR_POSITIONAL
        )
        if needed and key not in given:
            raise ValueError(f"{name} needs the parameter {key!r}")
    return cls(**given)


@cache
def _parameters(cls: type) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(cls).parameters


def _made(key: str, value: Any) -> Any:
    """The value of a parameter, with estimators made from their names."""
    if isinstance(value, Mapping) and "learner" in value:
        return make_learner(value["learner"], value.get("params"))
    if isinstance(value, str) and is_learner_parameter(key):
        return make_learner(value)
    return value


def is_learner_parameter(key: str) -> bool:
    """Whether the value of a parameter with this name is a learner."""
    return key in ("estimator", "base") or key.endswith("_estimator")


def stable_name(what: Any) -> Any:
    """The specification of a learner, with the modules of classes removed.

    Seeds are derived from this form, so a class that moves to another module draws the same random
    numbers.  The names of our learners and the public paths of scikit-learn are stable; of any
    other dotted path only the class name is kept.

    Examples
    --------
    >>> stable_name({"learner": "my_module.deep.Network", "params": {"hidden": 4}})
    {'learner': 'Network', 'params': {'hidden': 4}}
    >>> stable_name({"learner": "sklearn.svm.SVC", "params": {}})
    {'learner': 'sklearn.svm.SVC', 'params': {}}
    """
    if isinstance(what, Mapping):
        return {
            key: _stable_path(value)
            if isinstance(value, str) and (key == "learner" or is_learner_parameter(key))
            else stable_name(value)
            for key, value in what.items()
        }
    return [stable_name(each) for each in what] if isinstance(what, list | tuple) else what


def _stable_path(name: str) -> str:
    return name if name.startswith("sklearn.") else name.rpartition(".")[2]
