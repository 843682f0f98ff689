"""The changes that mutation testing makes."""

from __future__ import annotations

import gc
import json
import os
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from hardening import mutants
from hardening.mutants import mutants_of

from wager.partitions import to_memberships

pytestmark = pytest.mark.long  # they load a package again

SOURCE = '''
"""A module that is 1 long."""
__all__ = ["f"]
LIMIT = 0.5

def f(x: int = 0) -> "list[1]":
    """Give 1."""
    if x < LIMIT:
        raise ValueError(f"{x + 1} is too small")
    return min(x, -2) * 99
'''


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(SOURCE)
    return path


def test_texts_and_hints_are_left_alone(file):
    found = [(m.line, m.change) for m in mutants_of(file)]
    assert sorted(found) == [
        (4, "0.5 -> 1.5"),
        (6, "0 -> 1"),
        (8, "Lt -> GtE"),
        (8, "Lt -> LtE"),
        (8, "condition -> False"),
        (8, "condition -> True"),
        (10, "2 -> 3"),
        (10, "Mult -> Div"),
        (10, "min -> max"),
        (10, "no USub"),
        (10, "return None"),
    ]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("Mult -> Div", -2 / 99),
        ("min -> max", 99),
        ("no USub", 99),
        ("2 -> 3", -297),
        ("return None", None),
    ],
)
def test_one_thing_is_changed(file, change, expected):
    mutant = next(m for m in mutants_of(file) if m.change == change)
    names: dict = {}
    exec(mutant.compiled(), names)
    assert names["f"](1) == expected
    assert names["LIMIT"] == 0.5
    with pytest.raises(ValueError, match="1 is too small"):
        names["f"](0)


def test_changes_that_begin_in_one_place_have_different_names(tmp_path):
    path = tmp_path / "module.py"
    path.write_text("a = 1.5 + 2.5 + 4.5\n")
    values = {}
    for mutant in mutants_of(path):
        if mutant.column == 4 and mutant.change.startswith("Add"):
            names: dict = {}
            exec(mutant.compiled(), names)
            values[mutant.change] = names["a"]
    assert values == {"Add -> Sub": -0.5, "Add -> Sub #2": 3.5}


@pytest.fixture
def living():
    """Found although all objects are frozen, as after the hook of this project; so they stay."""
    gc.freeze()
    yield mutants.Living()
    gc.freeze()


def test_code_is_put_in_the_place_of_loaded_functions(living):
    old = to_memberships.__code__
    other = old.replace(co_consts=(*old.co_consts, "changed"))
    file = Path(old.co_filename)
    assert living.put(file, {(old.co_qualname, old.co_firstlineno): other})
    assert to_memberships.__code__ is other
    assert not living.put(file, {})
    assert to_memberships.__code__ is old


def test_a_function_that_is_not_loaded_is_not_said_to_be_changed(living, file):
    assert not living.put(file, mutants.by_place(mutants_of(file)[0].compiled()))


@pytest.fixture
def traced(tmp_path, monkeypatch):
    """The lines of partitions that some functions execute."""

    def lines(**items):
        monkeypatch.setattr(mutants.Tests, "start", lambda self, paths: self.job(self, items))
        monkeypatch.setattr(
            mutants.Tests, "run", lambda self, item, following=None: item() is None or True
        )
        before, in_threads = sys.gettrace(), threading.gettrace()
        try:
            mutants.trace("partitions", [], tmp_path / "lines.json")
        finally:
            sys.settrace(before)
            threading.settrace(in_threads)
        return json.loads((tmp_path / "lines.json").read_text())

    return lines


def convert():
    to_memberships([[1.0, 2.0]])


def test_a_test_that_ends_tracing_counts_for_all_lines(traced):
    found = traced(first=lambda: sys.settrace(None), second=convert)
    assert found.keys() == {"", "first", "second"}
    (_, first), (_, second) = found["first"], found["second"]
    assert "_memberships.py" in second
    assert all(set(lines) <= set(first[file]) for file, lines in second.items())
    assert len(first) > len(second)


def test_a_function_that_runs_long_counts_as_executed_whole(traced, monkeypatch):
    lines = traced(convert=convert)["convert"][1]["_memberships.py"]
    monkeypatch.setattr(mutants, "EVENTS", 2)
    cut = traced(convert=convert)["convert"][1]["_memberships.py"]
    assert set(lines) < set(cut)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be copied here")
def test_lines_that_a_copy_of_the_process_executes_count(traced):
    def convert_in_copy():
        if (copy := os.fork()) == 0:
            try:
                convert()
            finally:
                os._exit(0)
        os.waitpid(copy, 0)

    assert "_memberships.py" in traced(copy=convert_in_copy)["copy"][1]


def test_the_processes_that_are_ended_stay_the_same(tmp_path):
    path = tmp_path / "module.py"
    path.write_text("import os\n\n\ndef f(x):\n    os.killpg(0, x - 1)\n    os.kill(1 + x, 9)\n")
    assert [m.change for m in mutants_of(path)] == ["no call", "no call"]


@pytest.mark.skipif(not Path("/proc/thread-self/children").exists(), reason="Linux lists them")
def test_a_mutant_that_waits_is_ended_with_the_processes_that_it_started():
    def work(say):
        if (other := os.fork()) == 0:
            os.setsid()
            time.sleep(600)
        say(("started", other))
        time.sleep(600)

    (_, other), answer = mutants.forked(work, wait=1)
    assert answer == ("timeout", 0.0)
    with pytest.raises(ProcessLookupError):
        os.kill(other, 0)


def test_an_example_of_a_docstring_keeps_its_names_for_the_next_run():
    def run(item, nextitem):
        item.dtest.globs.clear()  # as doctest does

    names = {"x": 1}
    hook = SimpleNamespace(pytest_runtest_protocol=run)
    item = SimpleNamespace(
        dtest=SimpleNamespace(globs=names), config=SimpleNamespace(hook=hook), nodeid="x"
    )
    assert mutants.Tests("costs", lambda tests, items: None).run(item)
    assert names == {"x": 1}


def test_modules_are_loaded_by_the_tests_and_not_by_pytest():
    named = ["src/wager/costs/_audit.py::wager.costs._audit.audit", "tests/costs/test_b.py::test_x"]
    found = mutants.files_in_order([*named, "tests/costs/test_a.py::test_y", named[1]])
    tests = ["tests/costs/test_a.py", "tests/costs/test_b.py"]
    assert found == [*tests, "src/wager/costs/_audit.py"]


def test_a_mutant_that_moved_keeps_its_row(tmp_path):
    file = mutants.files_of("partitions")[1]
    mutant = mutants_of(file)[0]
    found = mutants.Campaign.__new__(mutants.Campaign)
    found.package, found.table, found.rows = "partitions", tmp_path / "partitions-1.csv", {}
    found.note(mutant, "survived", 1)
    (row,) = mutants.read(found.table)
    row["line"] = str(mutant.line + 3)
    found.rows = {("its", "place", "was", "another"): row}
    moved = found.moved(row, mutants_of(file))
    found.note(moved, "killed", 1)
    ((key, row),) = found.rows.items()
    assert key == found.key(mutant)
    assert (row["first"], row["after"], row["line"]) == ("survived", "killed", str(mutant.line))


def test_every_recorded_survivor_has_a_reason():
    tables = sorted((mutants.ROOT / "docs/results/mutants").glob("*-*.csv"))
    assert {table.stem.split("-")[0] for table in tables} == mutants.GOLDEN.keys()
    for table in tables:
        for row in mutants.read(table):
            assert row["why"] or row["after"] in ("killed", "timeout"), (table.stem, row)
