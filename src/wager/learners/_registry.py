"""Learners by name, for plans and for the command line.

Every estimator of this room answers to its class name in small letters: ``NaiveCredal`` is
``naive-credal``, ``TAN`` is ``tan``.  A dotted path, such as
``sklearn.ensemble.RandomForestClassifier``, names any other class.  Parameters are plain data;
where one is itself an estimator it is again a name, or a table with ``learner`` and ``params``.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["find_learner", "is_learner_parameter", "learner_names", "make_learner", "stable_name"]

_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@cache
def learner_names() -> dict[str, str]:
    """Every learner of this room: its name, and the name of its class.

    Examples
    --------
    >>> names = learner_names()
    >>> names["naive-credal"], names["tan"], names["k-random"]
    ('NaiveCredal', 'TAN', 'KRandom')
    """
    room = import_module("wager.learners")
    classes = (name for name in room.__all__ if hasattr(getattr(room, name), "fit"))
    return {_HUMPS.sub("-", name).lower(): name for name in classes}


def find_learner(name: str) -> type:
    """The class that a name or a dotted path stands for.

    Examples
    --------
    >>> find_learner("naive-bayes").__name__, find_learner("sklearn.svm.SVC").__name__
    ('NaiveBayes', 'SVC')
    """
    names = learner_names()
    if name in names:
        return getattr(import_module("wager.learners"), names[name])
    module, dot, attribute = name.rpartition(".")
    if not dot:
        near = get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"choose one of {', '.join(sorted(names))}"
        raise ValueError(f"there is no learner {name!r}: {hint}")
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as problem:
        raise ValueError(f"cannot import the learner {name!r} ({problem})") from None
    if not (inspect.isclass(found) and hasattr(found, "fit")):
        raise ValueError(f"{name!r} is no learner: it must be a class with a method fit")
    return found


def make_learner(name: str, params: Mapping[str, Any] | None = None) -> Any:
    """A learner, not yet fitted, from its name and parameters.

    Parameters
    ----------
    name : str
        As `find_learner` takes it.
    params : mapping, optional
        Arguments of the class.  One called ``estimator`` or ``base`` or ending in ``_estimator``,
        and any table with the key ``learner``, is made into a learner first.

    Examples
    --------
    >>> make_learner("naive-credal", {"s": 2.0})
    NaiveCredal(s=2.0)
    >>> make_learner("k-random", {"estimator": {"learner": "naive-credal", "params": {"s": 2.0}}})
    KRandom(estimator=NaiveCredal(s=2.0))
    """
    cls = find_learner(name)
    given = {key: _made(key, value) for key, value in (params or {}).items()}
    wanted = inspect.signature(cls).parameters
    if any(p.kind is p.VAR_KEYWORD for p in wanted.values()):
        return cls(**given)
    for key in given:
        if key not in wanted:
            near = get_close_matches(key, wanted, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it takes {', '.join(wanted)}"
            raise ValueError(f"{name} has no parameter {key!r}: {hint}")
    for key, parameter in wanted.items():
        needed = (
            parameter.default is parameter.empty and parameter.kind is not parameter.VAR_POSITIONAL
        )
        if needed and key not in given:
            raise ValueError(f"{name} needs the parameter {key!r}")
    return cls(**given)


def _made(key: str, value: Any) -> Any:
    """A parameter's value, with estimators made from their names."""
    if isinstance(value, Mapping) and "learner" in value:
        return make_learner(value["learner"], value.get("params"))
    if isinstance(value, str) and is_learner_parameter(key):
        return make_learner(value)
    return value


def is_learner_parameter(key: str) -> bool:
    """Whether a parameter of this name holds a learner."""
    return key in ("estimator", "base") or key.endswith("_estimator")


def stable_name(what: Any) -> Any:
    """A learner, or parameters with learners in them, without the modules that classes lie in.

    A seed hangs on this form, so a class that moves to another module draws the same numbers.
    Our own names and the public paths of scikit-learn do not move; of any other dotted path the
    class name alone counts.

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
