"""Finding the learners: every module of the sub-packages is searched for learner classes.

A learner is a concrete class with the method ``fit`` that its module lists in ``__all__``.  So a
new learner needs only a new file in a sub-package; no list has to be edited.  Abstract base classes
are not learners, and modules that list no class in ``__all__``, such as those with compiled loops,
are not imported.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

__all__ = ["learner_classes"]

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
