"""What code a unit depends on: the sources of its own learners, and the versions of packages.

A learner in the folder of a plan changes whenever its author saves the file, so its identity is the
digest of its source, together with the sources beside it that it imports and the versions of the
packages that it imports.  This digest is part of the unit's key.  The code of an installed package
changes with its version.  The versions of ``wager``, and of scikit-learn where it is used, are
recorded with each result and compared before it is reused, so that their keys, and the stores of
earlier versions, remain valid.
"""

from __future__ import annotations

import ast
import platform
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib import invalidate_caches
from importlib.machinery import PathFinder, all_suffixes
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import Any

from wager._visible import brief
from wager.experiments.plan._keys import canonical, digest_of_file, key_of
from wager.learners import find_learner, is_learner_parameter

__all__ = ["code_of", "exit_refused", "import_paths", "modules_in", "packages_of", "versions"]

_TRIES = 3  # to parse a file

PACKAGES = ("wager", "numpy", "scipy", "scikit-learn", "numba", "llvmlite", "duckdb", "mapie")
RECORDED = {"wager": "wager", "wager_studies": "wager", "sklearn": "scikit-learn"}
INSTALLED = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]


@cache
def versions() -> str:
    """The versions of Python, the machine and every package that results may depend on, as JSON."""
    found = {
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
    }
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return canonical(found)


def import_paths(what: Any, key: str = "learner") -> Iterator[str]:
    """The dotted paths of classes in the specification of a learner.

    Examples
    --------
    >>> inner = {"learner": "my_module.Network", "params": {"hidden": 4}}
    >>> list(import_paths({"learner": "k-random", "params": {"estimator": inner}}))
    ['my_module.Network']
    """
    if isinstance(what, Mapping):
        for name, value in what.items():
            yield from import_paths(value, str(name))
    elif isinstance(what, list | tuple):
        for value in what:
            yield from import_paths(value, key)
    elif isinstance(what, str) and "." in what and (key == "learner" or is_learner_parameter(key)):
        yield what


def packages_of(what: Mapping[str, Any]) -> tuple[str, ...]:
    """The packages whose recorded versions must be the same for a result to be reused.

    Examples
    --------
    >>> packages_of({"learner": "sklearn.svm.SVC", "params": {}})
    ('scikit-learn', 'wager')
    """
    found = {RECORDED.get(path.partition(".")[0], "wager") for path in import_paths(what)}
    return tuple(sorted({"wager", *found}))


def code_of(what: Mapping[str, Any], known: dict[str, str] | None = None) -> dict[str, str]:
    """The identity of all code that the learner's classes depend on, by their dotted paths.

    Classes of ``wager`` and scikit-learn are left out.  The classes are imported, so modules in the
    folder of the plan must be importable.  ``known`` remembers identities between calls.
    """
    known = {} if known is None else known
    paths = sorted({path for path in import_paths(what) if not _is_recorded(path)})
    for path in paths:
        if path not in known:
            known[path] = _code_of_class(path)
    return {path: known[path] for path in paths}


@contextmanager
def modules_in(folder: str) -> Iterator[None]:
    """A context in which modules in a folder can be imported.

    Installed modules come first, so a file called ``json.py`` in the folder harms nothing.
    Compiled files are not written: Python would take one for up to date if a source is changed
    twice within a second.
    """
    added = folder != "" and folder not in sys.path
    before = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    if added:
        sys.path.append(folder)
    try:
        yield
    finally:
        sys.dont_write_bytecode = before
        if added:
            sys.path.remove(folder)


@contextmanager
def exit_refused(learner: str) -> Iterator[None]:
    """A context in which a learner that ends Python raises a ValueError.

    Otherwise a run would end without a word, and with the status of its learner's choice.
    """
    try:
        yield
    except SystemExit:
        raise ValueError(
            f"{brief(learner)} calls sys.exit when it is imported or made: remove this call from "
            "its module"
        ) from None


def _is_recorded(path: str) -> bool:
    return path.partition(".")[0] in RECORDED


def _code_of_class(path: str) -> str:
    with exit_refused(path):
        find_learner(path)
    top = path.partition(".")[0]
    root = _folder_of(top)
    if root is None or _is_installed(root):
        return _version_of(top)
    files, packages = _sources(path.rpartition(".")[0])
    return key_of([{name: digest_of_file(file) for name, file in files.items()}, packages])


def _folder_of(top: str) -> Path | None:
    """The folder that a worker will import a module or package from.

    Another plan may have a module of the same name, which this process has imported already.
    """
    invalidate_caches()
    spec = PathFinder.find_spec(top) or getattr(sys.modules.get(top), "__spec__", None)
    if spec is None:
        return None
    if spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations))).parent
    return Path(spec.origin).parent if spec.has_location and spec.origin else None


def _is_installed(root: Path) -> bool:
    return any(root.is_relative_to(folder) for folder in INSTALLED if folder) or any(
        part in ("site-packages", "dist-packages") for part in root.parts
    )


def _sources(module: str) -> tuple[dict[str, Path], list[str]]:
    """The files that a module consists of and imports, unless installed; the installed packages."""
    files: dict[str, Path] = {}
    packages: set[str] = set()
    roots: dict[str, Path | None] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        top = name.partition(".")[0]
        if _is_recorded(top) or top in sys.stdlib_module_names:
            continue
        if top not in roots:
            roots[top] = _folder_of(top)
        root = roots[top]
        if root is None or _is_installed(root):
            packages.add(_version_of(top))
            continue
        for part, file in _files_of(name, root):
            if part not in files:
                files[part] = file
                waiting += _imported(file, part)
    return files, sorted(packages)


def _files_of(module: str, root: Path) -> Iterator[tuple[str, Path]]:
    """The files of a module and of the packages around it, as far as they are below a folder."""
    parts = module.split(".")
    for end in range(1, len(parts) + 1):
        base = root.joinpath(*parts[:end])
        candidates = [base / "__init__", base]
        for place in candidates:
            for suffix in all_suffixes():
                file = place.with_name(place.name + suffix)
                if file.is_file():
                    yield file.relative_to(root).as_posix(), file


def _imported(file: Path, place: str) -> list[str]:
    """The modules that a file imports, also inside its functions; names in them may be modules."""
    if file.suffix != ".py":
        return []
    try:
        tree = _parsed(file.read_bytes())
    except (SyntaxError, ValueError):
        return []
    parents = place.split("/")[:-1]
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = parents[: len(parents) - node.level + 1] if node.level else []
            module = [*start, *filter(None, [node.module])]
            found += [".".join([*module, each.name]) for each in node.names]
    return found


def _parsed(source: bytes) -> ast.AST:
    """The syntax tree of a file.

    Python 3.11 can lose count of its depth if another thread or a finalizer interrupts it; this is
    a SystemError, and the next try works.
    """
    for _ in range(_TRIES):
        try:
            return ast.parse(source)
        except SystemError:
            continue
    return ast.parse(source)


def _version_of(module: str) -> str:
    """The names and versions of the packages that a module belongs to."""
    return _joined(_distributions().get(module, ())) or module


def _joined(names: Sequence[str]) -> str:
    return ", ".join(f"{name} {version(name)}" for name in sorted(set(names)))


@cache
def _distributions() -> Mapping[str, list[str]]:
    return packages_distributions()
