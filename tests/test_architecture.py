"""The structure of the source: interfaces between packages, import cycles, class names."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.shared import PROJECT

SOURCE = PROJECT / "src"
STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)
SHARED = {
    "_atomic",
    "_dask",
    "_doc_links",
    "_jit",
    "_lazy",
    "_tables",
    "_toml",
    "_typing",
    "_visible",
}  # of wager, open to all packages


class Module(NamedTuple):
    """A module of the source and its syntax tree."""

    name: str
    is_package: bool
    tree: ast.Module


class Import(NamedTuple):
    """An import statement, at module level or inside a function: who imports what."""

    importer: str
    imported: str  # a module, or a name in a module
    line: int


def _read_module(file: Path) -> Module:
    parts = file.relative_to(SOURCE).with_suffix("").parts
    is_package = parts[-1] == "__init__"
    name = ".".join(parts[:-1] if is_package else parts)
    return Module(name, is_package, ast.parse(file.read_text(encoding="utf-8")))


@cache  # read when a test asks: each process that collects tests would do it again
def modules() -> dict[str, Module]:
    """Every module of the source by its name."""
    files = sorted(SOURCE.glob("wager*/**/*.py"))
    return {module.name: module for module in map(_read_module, files)}


@cache
def imports() -> list[Import]:
    """Every import of the source."""
    return [found for module in modules().values() for found in _imports(module)]


def _imports(module: Module) -> Iterator[Import]:
    """All imports of our modules, except those that only type checkers see."""
    for node in _nodes_at_run_time(module.tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module.name}, line {node.lineno}: a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            if name.split(".")[0] in ("wager", "wager_studies"):
                yield Import(module.name, name, node.lineno)


def _nodes_at_run_time(tree: ast.Module) -> Iterator[ast.AST]:
    """The statements; an expression has no import in it."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        for child in ast.iter_child_nodes(waiting.pop()):
            if not isinstance(child, STATEMENTS) or _is_for_checkers(child):
                continue
            yield child
            waiting.append(child)


def _is_for_checkers(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
    )


def _package_of(name: str) -> str:
    """The package whose interface other packages must use: ``wager.rewards``, ``wager_studies``."""
    parts = name.split(".")
    return ".".join(parts[:2]) if parts[0] == "wager" else parts[0]


def _is_private(imported: str) -> bool:
    _, *parts = imported.split(".")
    if parts and parts[0] in SHARED:
        parts = parts[1:]
    return any(part.startswith("_") and not part.startswith("__") for part in parts)


def _module_of(imported: str) -> str:
    """The module that an import loads: the name itself, or the module that defines the name."""
    return imported if imported in modules() else imported.rpartition(".")[0]


def test_no_package_uses_private_parts_of_another_package():
    wrong = [
        f"{found.importer}, line {found.line}: {found.imported}"
        for found in imports()
        if _is_private(found.imported)
        and _package_of(found.importer) != _package_of(_module_of(found.imported))
    ]
    assert not wrong, "import these through the interface of their package:\n" + "\n".join(wrong)


def test_no_modules_import_each_other_in_a_circle():
    """Imports inside functions count: they only hide a circle."""
    graph: dict[str, set[str]] = defaultdict(set)
    for found in imports():
        graph[found.importer].add(_module_of(found.imported))
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


def test_every_class_has_a_name_that_no_other_class_has():
    places = defaultdict(list)
    for module in modules().values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(module.name)
    doubled = [f"{name}: {', '.join(where)}" for name, where in places.items() if len(where) > 1]
    assert not doubled, "rename all but one of these classes:\n" + "\n".join(doubled)


def test_the_architecture_page_names_files_that_exist():
    page = (PROJECT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[a-z_]+/)+_?[a-z_]+\.py)`", page))
    assert len(named) > 30
    missing = [name for name in named if not (PROJECT / "src" / "wager" / name).exists()]
    assert not [name for name in missing if not (PROJECT / "src" / name).exists()]
