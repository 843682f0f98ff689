"""Every test can fail: it asserts, expects an error, or calls a function of the tests that does."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from tests.shared import PROJECT

EXPECTS = {"raises", "warns", "fail"}  # of pytest


class Function(NamedTuple):
    """A function of the tests: whether it asserts itself, and what it calls."""

    file: str
    name: str
    asserts: bool
    calls: set[str]


def functions(file: str, source: str) -> list[Function]:
    tree = ast.parse(source)
    bodies = [tree.body, *(node.body for node in tree.body if isinstance(node, ast.ClassDef))]
    return [
        _read(file, node) for body in bodies for node in body if isinstance(node, ast.FunctionDef)
    ]


def _read(file: str, function: ast.FunctionDef) -> Function:
    asserts, calls = False, set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            asserts = True
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            calls.add(node.func.id)
            asserts |= node.func.id.lstrip("_").startswith("assert_")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            asserts |= node.func.attr in EXPECTS or node.func.attr.startswith("assert_")
    asserts |= "check" in calls & {argument.arg for argument in function.args.args}
    return Function(file, function.name, asserts, calls)


def without_checks(sources: Mapping[str, str]) -> set[str]:
    """The names of all tests that assert nothing, neither themselves nor in what they call."""
    found = [one for file, source in sources.items() for one in functions(file, source)]
    own = {(one.file, one.name) for one in found}
    helpers = {(one.file, one.name) for one in found if one.asserts}

    def checks(one: Function) -> bool:
        """A name is that of the same file, else any function of this name: it was imported."""
        return one.asserts or any(
            (one.file, name) in helpers if (one.file, name) in own else name in names
            for name in one.calls
        )

    while True:
        names = {name for _, name in helpers}
        more = {(one.file, one.name) for one in found if checks(one)} - helpers
        if not more:
            return {name for _, name in own - helpers if name.startswith("test_")}
        helpers |= more


def test_every_test_checks_something():
    files = sorted((PROJECT / "tests").rglob("*.py"))
    found = without_checks({str(file): file.read_text(encoding="utf-8") for file in files})
    assert found == set()


def test_a_test_that_only_calls_is_found():
    bare = "def test_a():\n    solve()\n\ndef solve():\n    return 1\n"
    asserting = "def test_b():\n    agree()\n\ndef agree():\n    solve()\n"
    solving = "def solve():\n    assert 1\n\ndef test_c(estimator, check):\n    check(estimator)\n"
    assert without_checks({"a": bare, "b": asserting, "c": solving}) == {"test_a"}
