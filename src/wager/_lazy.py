"""Public names that are imported when they are first used, and typed as if they were imported.

A module lists what it offers once, as ordinary imports below ``if TYPE_CHECKING``::

    if TYPE_CHECKING:
        from wager.compare import break_even as break_even
    else:
        __getattr__, __dir__, __all__ = lazy_exports(__name__)

Type checkers and editors read these imports.  Python skips them: `lazy_exports` reads the same
lines from the module's source and imports each name on first access, so ``import wager`` loads
neither SciPy nor scikit-learn.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

__all__ = ["late", "lazy_exports"]


def lazy_exports(
    module: str, fallback: Callable[[str], Any] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` for a module that lists its names for checkers.

    Parameters
    ----------
    module : str
        The module's ``__name__``.
    fallback : function of a name, optional
        Finds further names at run time; raises AttributeError for a name that it does not know.

    Examples
    --------
    >>> import wager
    >>> wager.Tally.__module__.startswith("wager.rewards")
    True
    """
    homes = dict(_listed_imports(module))

    def __getattr__(name: str) -> Any:  # noqa: N807
        if name in homes:
            home = homes[name]
            value = import_module(home[:-1]) if home.endswith(":") else late(home, name)
            setattr(sys.modules[module], name, value)  # found at once the next time
            return value
        if fallback is not None and not name.startswith("__"):
            return fallback(name)
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    def __dir__() -> list[str]:  # noqa: N807
        held = vars(sys.modules[module])
        special = {name for name in held if name.startswith("__") and name.endswith("__")}
        return sorted(
            {*homes, *special, *held["__all__"]}
        )  # without what the module itself imports

    # Modules are attributes, but ``from wager import *`` should not load every package.
    names = sorted(name for name, home in homes.items() if not home.endswith(":"))
    return __getattr__, __dir__, names


def late(module: str, name: str) -> Any:
    """A name of a package further up, found when it is called.

    A result may offer to show itself, as ``HeadToHead.report`` does, although the package that
    shows it imports the result's package.  Use it only for public names, in methods that do
    nothing but hand the result over.

    Examples
    --------
    >>> late("wager.rewards", "get_utility")("u65").name
    'u65'
    """
    return getattr(import_module(module), name)


def _listed_imports(module: str) -> Iterator[tuple[str, str]]:
    """Each name listed below ``if TYPE_CHECKING``, and its module; "module:" if it is a module."""
    here = sys.modules[module]
    file = str(here.__file__)
    if file.endswith(".pyc"):
        raise ImportError(f"{module} needs its source file to list its names, but only has {file}")
    source = here.__loader__.get_data(file)  # type: ignore[union-attr]
    for statement in ast.parse(source).body:
        if not (isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING"):
            continue
        for line in statement.body:
            if isinstance(line, ast.ImportFrom) and line.module:
                for alias in line.names:
                    if alias.asname == alias.name:  # explicit re-exports only
                        is_module = line.module == module.partition(".")[0]
                        home = f"{line.module}.{alias.name}:" if is_module else line.module
                        yield alias.name, home
