"""Change one operator or constant of the code at a time, and see whether a test notices.

``python -m hardening.mutants credal --sample 300 --seed 1`` draws 300 of all possible small changes
(*mutants*) of a package and runs, for each, the tests that execute the changed line, fastest first,
until one fails.  A mutant that passes all of them *survives*: a test is missing, or the change
makes no difference.  A run can be stopped and started again; ``--again`` tries the survivors anew,
for example after new tests or with a larger ``--budget``.  Every seed has a table; a mutant that is
in the table of another seed is not drawn again, so that a further sample is of new mutants alone.

A process that has collected the tests replaces the code of functions in memory, so most mutants
take a tenth of a second.  Changes outside functions need a fresh import and take seconds.  Loops
run in their plain form (``WAGER_COMPILE=never``), except in tests that ask for the compiled one;
property tests do not shrink failures.  What tests print goes to the file, which must exist, that
the environment variable ``MUTANTS_LOG`` names.  Whole numbers from 16 are left alone: nearly all
are sizes of chunks, which change the speed alone.  So are the arguments of ``os.kill`` and
``os.killpg``: another number there is that of somebody else's processes.

Workers of ``experiments`` are copies of the process of the tests, as in ``make test``, and so have
the mutant.  The few tests that start new interpreters see it on their own side alone.
"""

from __future__ import annotations

import argparse
import ast
import copy
import csv
import ctypes
import functools
import gc
import hashlib
import importlib
import importlib.machinery
import json
import mmap
import os
import random
import re
import resource
import select
import signal
import sys
import threading
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
GOLDEN = {  # the packages, and the files of reference values for each
    "rewards": ("discounted_accuracy", "information_reward", "next_m_bets", "utility", "theorems"),
    "costs": ("cost_properties", "indeterminacy_costs"),
    "credal": ("credal_sets", "optimal_sets"),
    "partitions": ("partition",),
    "compare": ("statistical_tests", "stochastic_dominance", "published_tables"),
    "predictions": (),
    "prepare": (),
    "learners": ("ncc_exact", "ncc_local"),
    "experiments": (),
}
ELSEWHERE = {"experiments": ["tests/studies/test_studies.py"]}  # more tests of a package
VERDICTS = ("verdict", "recommended", "winner")  # a module of compare with such a word is tried
COLUMNS = (
    "file",
    "line",
    "column",
    "change",
    "code",
    "first",
    "after",
    "by",
    "seconds",
    "why",
)  # why: by hand
OPTIONS = "--hypothesis-profile=mutants -pno:cacheprovider --reference=tests --assert=plain -s"
LIBRARIES = "numpy scipy.stats scipy.optimize sklearn.base pytest hypothesis.extra.numpy"
WAIT = 30  # seconds of a mutant, and as many per second of its budget, until it counts as waiting
MEMORY = 4 << 30  # bytes that a copy may take: without limits, some mutants of checks fill it
COMPILING = 60  # seconds more for a test that may compile the mutant
LOOP = r"(entry|(inlined_)?kernel)\b"  # how the name of a decorator of compiled loops begins
EVENTS = 20_000  # of a function in one test: one that runs longer counts as executed whole

REPLACED = {  # the names of operators in the ast module
    "Lt": "LtE GtE", "LtE": "Lt Gt", "Gt": "GtE LtE", "GtE": "Gt Lt", "Eq": "NotEq", "NotEq": "Eq",
    "Is": "IsNot", "IsNot": "Is", "In": "NotIn", "NotIn": "In", "Add": "Sub", "Sub": "Add",
    "Mult": "Div", "Div": "Mult", "FloorDiv": "Mult", "Mod": "FloorDiv", "Pow": "Mult",
    "BitAnd": "BitOr", "BitOr": "BitAnd", "BitXor": "BitAnd", "LShift": "RShift",
    "RShift": "LShift", "And": "Or", "Or": "And",
}  # fmt: skip
_PAIRS = """min max, minimum maximum, argmin argmax, nanmin nanmax, fmin fmax, floor ceil, any all,
    zeros ones, logical_and logical_or"""
OPPOSITES = dict(pair.split() for pair in _PAIRS.split(","))
OPPOSITES |= {b: a for a, b in OPPOSITES.items()}

Change = Callable[[Any], Any]  # of a copy of a node


class Mutant(NamedTuple):
    """A place in a file and what is put there."""

    file: Path
    line: int
    column: int
    change: str
    code: str
    lines: range  # of the statement, without the statements in it
    in_function: bool
    parent: int  # the number of the parent node, in the order of ast.walk
    field: str
    index: int | None  # in the field, if that is a list
    replace: Change

    def compiled(self) -> CodeType:
        """The changed module."""
        tree = ast.parse(self.file.read_text(encoding="utf-8"))
        parent = next(islice(ast.walk(tree), self.parent, None))
        value = getattr(parent, self.field)
        old = value if self.index is None else value[self.index]
        new = ast.copy_location(self.replace(copy.copy(old)), old)
        if self.index is None:
            setattr(parent, self.field, new)
        else:
            value[self.index] = new
        return compile(ast.fix_missing_locations(tree), str(self.file), "exec")


def _changes(node: Any, parent: ast.AST) -> Iterator[tuple[str, Change]]:
    """What can be put in the place of a node."""
    match node:
        case ast.Compare(ops=ops):
            for i, op in enumerate(ops):
                for name, other in _others(op):
                    yield name, _with(ops=[*ops[:i], other, *ops[i + 1 :]])
        case ast.BinOp(op=op) | ast.AugAssign(op=op) | ast.BoolOp(op=op):
            parts = [getattr(node, name, None) for name in ("left", "right", "value")]
            if not any(map(_is_text, parts)):
                for name, other in _others(op):
                    yield name, _with(op=other)
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert() as op):
            yield f"no {type(op).__name__}", lambda node: node.operand
        case ast.Constant(value=bool() as value):
            yield f"{value} -> {not value}", _with(value=not value)
        case ast.Constant(value=int() | float() as value) if value < 16 or value % 1:
            is_axis = isinstance(parent, ast.keyword) and parent.arg == "axis"
            for other in {0: (1,), 1: (0,) if is_axis else (0, 2)}.get(value, (value + 1,)):
                if other != value:
                    yield f"{value} -> {other}", _with(value=type(value)(other))
        case ast.Return(value=ast.AST() as value) if ast.unparse(value) != "None":
            yield "return None", _with(value=ast.Constant(None))
        case ast.If() | ast.While():
            yield "condition -> False", _with(test=ast.Constant(False))
            if isinstance(node, ast.If):
                yield "condition -> True", _with(test=ast.Constant(True))
        case ast.IfExp():
            yield "always the first", lambda node: node.body
            yield "always the second", lambda node: node.orelse
        case ast.comprehension(ifs=[_, *_]):
            yield "no filter", _with(ifs=[])
        case ast.Break():
            yield "break -> continue", lambda _: ast.Continue()
        case ast.Continue():
            yield "continue -> break", lambda _: ast.Break()
        case ast.Expr(value=ast.Call()):
            yield "no call", lambda _: ast.Pass()
        case ast.Name(id=name) | ast.Attribute(attr=name) if getattr(parent, "func", None) is node:
            if name in OPPOSITES:
                field = "id" if isinstance(node, ast.Name) else "attr"
                yield f"{name} -> {OPPOSITES[name]}", _with(**{field: OPPOSITES[name]})


def _others(op: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    name = type(op).__name__
    for other in REPLACED.get(name, "").split():
        yield f"{name} -> {other}", getattr(ast, other)()


def _with(**values: Any) -> Change:
    def replace(node: Any) -> Any:
        for name, value in values.items():
            setattr(node, name, value)
        return node

    return replace


def _is_text(node: Any) -> bool:
    is_str = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return is_str or isinstance(node, ast.JoinedStr)


def _left_out(node: ast.AST, field: str) -> bool:
    """Type hints, error texts, assertions, decorators, imports for type checkers, ``__all__``.

    And what ends processes: ``os.killpg(1, ...)`` ends all of this user.
    """
    return (
        field in ("annotation", "returns", "decorator_list")
        or isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr)
        or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
        or (isinstance(node, ast.Call) and ast.unparse(node.func) in ("os.kill", "os.killpg"))
        or (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")
    )


def mutants_of(file: Path) -> list[Mutant]:
    """All mutants of a file."""
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    source = text.splitlines()
    numbers = {id(node): number for number, node in enumerate(ast.walk(tree))}
    found = []
    times: Counter[Any] = Counter()  # the sums of a + b + c begin in one place

    def visit(node: ast.AST, statement: Any, in_function: bool) -> None:
        for field, value in ast.iter_fields(node):
            inside = in_function or (
                field == "body" and isinstance(node, ast.FunctionDef | ast.Lambda)
            )
            for index, child in enumerate(value if isinstance(value, list) else [value]):
                if not isinstance(child, ast.AST) or _left_out(child, field):
                    continue
                around: Any = child if isinstance(child, ast.stmt) else statement
                for change, replace in _changes(child, node):
                    body = getattr(around, "body", None)
                    end = max(body[0].lineno, around.lineno + 1) if body else around.end_lineno + 1
                    line, column = (getattr(child, name, None) for name in ("lineno", "col_offset"))
                    line = line or around.lineno
                    times[line, column, change] += 1
                    if (number := times[line, column, change]) > 1:
                        change = f"{change} #{number}"
                    place = file, line, column or 0, change, " ".join(source[line - 1].split())
                    where = numbers[id(node)], field, index if isinstance(value, list) else None
                    lines = range(around.lineno, end)
                    found.append(Mutant(*place, lines, inside, *where, replace))
                visit(child, around, inside)

    visit(tree, None, False)
    return found


def files_of(package: str) -> list[Path]:
    """The modules of a package; of compare, those that reach a verdict."""
    files = sorted((ROOT / "src/wager" / package).rglob("*.py"))
    if package != "compare":
        return files
    return [file for file in files if any(word in file.read_text("utf-8") for word in VERDICTS)]


def files_in_order(tests: list[str]) -> list[str]:
    """The files of some tests, modules of the package last.

    A module that pytest loads before any test imports it is loaded twice, and a test that patches
    it patches one of the two.
    """
    return sorted(
        {test.split("::")[0] for test in tests}, key=lambda file: (file.startswith("src/"), file)
    )


class Tests:
    """Pytest with a loop of our own over the tests that it collects."""

    def __init__(self, package: str, job: Callable[[Tests, dict[str, Any]], None]):
        self.package = package
        self.job = job
        self.failed = ""

    def pytest_runtestloop(self, session: Any) -> bool:
        """Do the job with the tests of the package and its reference values."""
        golden = [f"golden-{name}-" for name in GOLDEN[self.package]]
        items = {item.nodeid: item for item in session.items}
        others = [
            name for name in items
            if "test_reference" in name and not any(part in name for part in golden)
        ]  # fmt: skip
        for name in others:
            del items[name]
        self.job(self, items)
        return True

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Remember a test that fails or is skipped."""
        if report.failed or report.skipped:
            self.failed = report.nodeid

    def run(self, item: Any, following: Any = None, limit: float = 600) -> bool:
        """Whether a test passes; past its limit of processor time the process ends."""
        self.failed = ""
        names = item.dtest.globs if hasattr(item, "dtest") else {}
        kept = dict(names)  # an example of a docstring clears its names, and may run again
        signal.setitimer(signal.ITIMER_PROF, limit)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        signal.setitimer(signal.ITIMER_PROF, 0)
        names.update(kept)
        return not self.failed

    def start(self, paths: list[str]) -> None:
        """Collect the tests and do the job."""
        import pytest

        chosen, marks = os.environ["MUTANTS_TESTS"], os.environ["MUTANTS_MARKS"]
        pytest.main([*paths, *OPTIONS.split(), "--tb=native", f"-m{marks}", "-k", chosen], [self])


def forked(
    work: Callable[[Callable[[Any], None]], None], wait: float | None = None
) -> Iterator[tuple[str, float]]:
    """What a function says, piece by piece, in a copy of this process.

    A copy that ends early is answered for: "timeout" after a time limit, "crash" otherwise.  One
    that says nothing for ``wait`` seconds is ended.  So are the processes that it leaves behind.
    """
    adopt_orphans()
    others = children()
    reader, writer = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.setsid()  # signals to its group reach nobody else
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        os.close(reader)
        log = os.open(os.environ.get("MUTANTS_LOG", os.devnull), os.O_WRONLY | os.O_APPEND)
        for stream in (1, 2):
            os.dup2(log, stream)
        status = 1
        try:
            work(lambda said: os.write(writer, (json.dumps(said) + "\n").encode()))
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader, "rb", buffering=0) as answers:
        while select.select([answers], [], [], wait)[0]:
            if not (line := answers.readline()):
                break
            yield tuple(json.loads(line))
        else:
            os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    while left := children() - others:  # whose own children then become those of this process
        for process in left:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
    if status:
        yield ("timeout" if os.WIFSIGNALED(status) else "crash"), 0.0


def adopt_orphans() -> None:
    """Become the parent of processes whose parent ends, where the system can do that."""
    with suppress(Exception):
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def children() -> set[int]:
    """The processes that this one has started or adopted, where the system lists them."""
    with suppress(OSError):
        return set(map(int, Path("/proc/thread-self/children").read_text().split()))
    return set()


class Lines:
    """A trace function that notes which lines of a package are executed.

    Copies of this process note theirs in the same memory.
    """

    def __init__(self, package: str):
        self.prefix = str(ROOT / "src/wager" / package) + os.sep
        self.places: dict[str, range] = {}  # of the lines of each module in the memory
        end = 0
        for file in sorted(Path(self.prefix).rglob("*.py")):
            start, end = end, end + len(file.read_bytes().splitlines()) + 1
            self.places[str(file)] = range(start, end)
        self.seen = mmap.mmap(-1, end)
        self.local: dict[CodeType, Any] = {}

    def __call__(self, frame: Any, event: str, arg: object) -> Any:
        """Trace the functions of the package alone."""
        code = frame.f_code
        if not code.co_filename.startswith(self.prefix):
            return None
        if code not in self.local:
            seen, start, left = self.seen, self.places[code.co_filename].start, EVENTS

            def local(frame: Any, event: str, arg: object) -> Any:
                nonlocal left
                left -= 1
                seen[start + (frame.f_lineno or 0)] = 1
                if left > 0:
                    return local
                frame.f_trace_lines = False
                for line in lines_of(code):
                    seen[start + line] = 1
                self.local[code] = None
                return None

            self.local[code] = local
            seen[start + frame.f_lineno] = 1
        return self.local[code]

    def take(self) -> dict[str, list[int]]:
        """The lines by module since the last call."""
        seen = self.seen[:]
        self.seen[:] = bytes(len(seen))
        self.local.clear()
        return {
            file[len(self.prefix) :]: [line for line, is_seen in enumerate(marks) if is_seen]
            for file, place in self.places.items()
            if any(marks := seen[place.start : place.stop])
        }


def lines_of(code: CodeType) -> set[int]:
    """The lines of a function, with those of the functions in it."""
    own = {line for _, _, line in code.co_lines() if line}
    return own.union(*(lines_of(each) for each in code.co_consts if isinstance(each, CodeType)))


def trace(package: str, paths: list[str], to: Path) -> None:
    """Write the time and the lines of every test that passes; "" stands for the imports.

    An error in deep recursion ends tracing: such a test counts as executing the whole package.
    """
    lines = Lines(package)
    whole = {
        file.relative_to(lines.prefix).as_posix(): sorted(
            lines_of(compile(file.read_bytes(), file, "exec"))
        )
        for file in sorted(Path(lines.prefix).rglob("*.py"))
    }
    found: dict[str, tuple[float, dict[str, list[int]]]] = {}

    def job(tests: Tests, items: dict[str, Any]) -> None:
        found[""] = (0.0, lines.take())
        for name, following in zip(items, [*list(items)[1:], None], strict=True):
            start = computed()
            sys.settrace(lines)
            passed = tests.run(items[name], items.get(following))
            own = lines.take()
            if sys.gettrace() is not lines:
                print("tracing ended in", name)
                own = whole
            if own and passed:
                found[name] = (computed() - start, own)

    threading.settrace(lines)
    sys.settrace(lines)
    Tests(package, job).start(paths)
    sys.settrace(None)
    to.write_text(json.dumps(found), encoding="utf-8")


def computed() -> float:
    """The seconds that this process and those that it has started have computed."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def read(table: Path) -> list[dict[str, str]]:
    """The rows of a table of results, if it is there."""
    if not table.exists():
        return []
    with table.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class Campaign:
    """The mutants of a package, the tests that may notice them, and the results so far."""

    def __init__(self, package: str, folder: Path, budget: float, seed: int = 1):
        self.package = package
        self.budget = budget
        self.wait = WAIT * (1 + budget)
        self.table = folder / f"{package}-{seed}.csv"
        self.rows: dict[Any, dict[str, Any]] = {
            tuple(row[column] for column in COLUMNS[:4]): row for row in read(self.table)
        }
        others = sorted({*folder.glob(f"{package}-*.csv")} - {self.table})
        self.elsewhere = [row for table in others for row in read(table)]  # of other seeds
        self.paths = [f"tests/{package}", f"src/wager/{package}"]
        self.paths += ["tests/reference"] if GOLDEN[package] else []
        self.paths += ELSEWHERE.get(package, [])
        tests = os.environ["MUTANTS_TESTS"] + os.environ["MUTANTS_MARKS"]
        digest = hashlib.sha256(tests.encode())
        for path in self.paths:
            place = ROOT / path
            for module in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
                digest.update(module.read_bytes())
        executed = folder / f"{package}-{digest.hexdigest()[:12]}.json"
        if not executed.exists():
            list(forked(lambda _: trace(package, self.paths, executed)))
        self.tests = json.loads(executed.read_text(encoding="utf-8"))
        self.imports = self.tests.pop("")[1]
        self.by_line: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
        for test, (_, files) in self.tests.items():
            for name, lines in files.items():
                for line in lines:
                    self.by_line[name][line].append(test)

    def name(self, mutant: Mutant) -> str:
        """The file of a mutant in its package."""
        return mutant.file.relative_to(ROOT / "src/wager" / self.package).as_posix()

    def key(self, mutant: Mutant) -> tuple[str, ...]:
        """The first columns of the table."""
        return (self.name(mutant), str(mutant.line), str(mutant.column), mutant.change)

    def of_row(self, row: dict[str, str], everything: list[Mutant]) -> Mutant | None:
        """The mutant of a row of the table, which may have moved to another line."""
        same = [
            mutant for mutant in everything
            if (self.name(mutant), mutant.change, mutant.code, str(mutant.column))
            == (row["file"], row["change"], row["code"], row["column"])
        ]  # fmt: skip
        return min(same, key=lambda mutant: abs(mutant.line - int(row["line"])), default=None)

    def moved(self, row: dict[str, str], everything: list[Mutant]) -> Mutant | None:
        """The mutant of a row, which gets its present place in the table; None if it is gone."""
        if mutant := self.of_row(row, everything):
            rows, place = self.rows.items(), self.key(mutant)
            self.rows = {place if each is row else key: each for key, each in rows}
        return mutant

    def executing(self, mutant: Mutant) -> set[str]:
        """The tests that run a line of the statement in plain Python."""
        by_line = self.by_line[self.name(mutant)]
        return {test for line in mutant.lines for test in by_line[line]}

    def tests_of(self, mutant: Mutant) -> list[str]:
        """The tests that run the line, fastest first, as many as the budget allows.

        For a line that is run by an import, or that is compiled: the tests of the module.  Of
        compiled code, those that are named for it come first.
        """
        found, compiled = self.executing(mutant), _is_compiled(mutant)
        if not found or not mutant.in_function:
            if not self.at_import(mutant) and not compiled:
                return []
            found = {test for tests in self.by_line[self.name(mutant)].values() for test in tests}
        chosen, seconds = [], 0.0
        for test in sorted(
            found, key=lambda test: (compiled and "compiled" not in test, self.tests[test][0])
        ):
            seconds += self.tests[test][0]
            if chosen and seconds > self.budget:
                break
            chosen.append(test)
        return chosen

    def at_import(self, mutant: Mutant) -> bool:
        """Whether importing the module runs the line."""
        return not set(self.imports.get(self.name(mutant), ())).isdisjoint(mutant.lines)

    def in_memory(self, mutant: Mutant) -> bool:
        """Whether it is enough to replace the code of living functions."""
        in_function = mutant.in_function and not self.at_import(mutant)
        unclear = self.rows.get(self.key(mutant), {}).get("after") == "unclear"
        return in_function and not unclear and bool(self.executing(mutant))

    def killer(
        self, tests: Tests, items: dict[str, Any], chosen: list[str], more: float = 0
    ) -> str:
        """The test that notices the mutant in this process, or "survived"."""
        for test, following in zip(chosen, [*chosen[1:], None], strict=True):
            limit = 2 + 4 * self.tests[test][0] + more
            if not tests.run(items[test], items.get(following), limit):
                return tests.failed
        return "survived"

    def run_fresh(self, mutant: Mutant, say: Callable[[Any], None]) -> None:
        """In a fresh import of everything, of which one module is changed."""
        code, chosen, found = mutant.compiled(), self.tests_of(mutant), []
        loader: Any = importlib.machinery.SourceFileLoader
        original = loader.get_code
        loader.get_code = lambda self, name: (
            code if self.path == str(mutant.file) else original(self, name)
        )

        def job(tests: Tests, items: dict[str, Any]) -> None:
            more = COMPILING if _is_compiled(mutant) else 0
            found.append(self.killer(tests, items, chosen, more))

        Tests(self.package, job).start(files_in_order(chosen))
        say((found[0] if found else "an import fails", time.process_time()))

    def run_in_memory(self, mutants: list[Mutant]) -> None:
        """One after the other in a copy of a process that has collected all tests.

        Where the copy ends, by a time limit or a crash, the next mutant gets a new one.  So does a
        mutant whose test fails without it, too: in a copy of its own, the mutant is the cause.
        """

        def job(tests: Tests, items: dict[str, Any]) -> None:
            living = Living()

            def work(say: Callable[[Any], None], left: list[Mutant]) -> None:
                for number, mutant in enumerate(left):
                    start = time.process_time()
                    try:
                        is_there = living.put(mutant.file, by_place(mutant.compiled()))
                        chosen = self.tests_of(mutant)
                        killer = self.killer(tests, items, chosen) if is_there else "unclear"
                    except (TypeError, ValueError):  # two functions in one place, other closure
                        killer = "unclear"
                    living.put(mutant.file, {})
                    seconds = time.process_time() - start
                    fails = killer in items and not tests.run(items[killer])
                    if not fails or number == 0:
                        say((killer, seconds))
                    if fails:
                        return  # something left traces: go on in a new copy

            gc.freeze()
            while mutants:
                answers = forked(functools.partial(work, left=mutants.copy()), self.wait)
                for killer, seconds in answers:
                    self.note(mutants.pop(0), killer, seconds)

        Tests(self.package, job).start(self.paths)

    def note(self, mutant: Mutant, killer: str, seconds: float) -> None:
        """Write the result of a mutant, and the whole table with it."""
        others = ("survived", "no test", "timeout", "crash", "unclear")
        result = killer if killer in others else "killed"
        row = self.rows.setdefault(self.key(mutant), {"first": result, "code": mutant.code})
        if row["first"] == "unclear":
            row["first"] = result
        row |= zip(COLUMNS[:4], self.key(mutant), strict=True)
        row |= {"after": result, "by": killer if result == "killed" else ""}
        row["seconds"] = f"{seconds:.1f}"
        with self.table.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(self.rows.values())
        if result != "killed":
            print(*self.key(mutant), mutant.code, result, sep=" | ", flush=True)

    def run(self, mutants: list[Mutant]) -> None:
        """Try mutants."""
        later = []
        for mutant in mutants:
            if not self.tests_of(mutant):
                self.note(mutant, "no test", 0)
            elif self.in_memory(mutant):
                later.append(mutant)
            else:
                for answer in forked(functools.partial(self.run_fresh, mutant), self.wait):
                    self.note(mutant, *answer)
        if later:
            self.run_in_memory(later)


class Living:
    """The functions that are loaded, and what they remember of earlier calls."""

    def __init__(self) -> None:
        gc.unfreeze()  # pytest may have frozen all: what is frozen is not listed
        self.functions: dict[str, list[tuple[Any, CodeType]]] = defaultdict(list)
        self.caches = []
        for each in gc.get_objects():
            kind = type(each)  # and not isinstance, which fails for a proxy of what is gone
            if issubclass(kind, FunctionType):
                self.functions[each.__code__.co_filename].append((each, each.__code__))
            elif issubclass(kind, functools._lru_cache_wrapper):
                self.caches.append(each)

    def put(self, file: Path, codes: dict[tuple[str, int], CodeType | None]) -> bool:
        """Put code in the place of functions of a file; say whether any is now another."""
        is_there = False
        for function, old in self.functions[str(file)]:
            function.__code__ = codes.get((old.co_qualname, old.co_firstlineno), old)
            is_there |= function.__code__ != old
        for cache in self.caches:  # what was remembered is of the code before
            if str(cache.__module__).startswith("wager"):
                cache.cache_clear()
        return is_there


def _is_compiled(mutant: Mutant) -> bool:
    """Whether a mutant is in a loop that can be compiled."""
    text = mutant.file.read_text(encoding="utf-8")
    return any(
        isinstance(node, ast.FunctionDef)
        and node.lineno <= mutant.line <= (node.end_lineno or 0)
        and any(re.match(LOOP, ast.unparse(each)) for each in node.decorator_list)
        for node in ast.walk(ast.parse(text))
    )


def by_place(code: CodeType) -> dict[tuple[str, int], CodeType | None]:
    """The functions in compiled code by name and line; None where two have the same."""
    found: dict[tuple[str, int], CodeType | None] = {}
    for each in code.co_consts:
        if isinstance(each, CodeType):
            place = (each.co_qualname, each.co_firstlineno)
            if not place[0].endswith(("comp>", "<genexpr>")):
                found[place] = None if place in found else each
            found |= by_place(each)
    return found


def main() -> None:
    """Draw mutants of a package and try them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("package", choices=GOLDEN)
    parser.add_argument("--sample", type=int, default=300, help="number of mutants")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--budget", type=float, default=20, help="seconds of tests per mutant")
    parser.add_argument("--examples", type=int, default=10, help="cases of a property test")
    parser.add_argument("--again", action="store_true", help="only those that survived before")
    parser.add_argument("-k", default="", help="only some tests, as in pytest")
    parser.add_argument("-m", default="not slow", help="only tests with some marks, as in pytest")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/mutants", help="for results")
    options = parser.parse_args()
    os.chdir(ROOT)
    os.environ.update(WAGER_COMPILE="never", MPLBACKEND="agg", OMP_NUM_THREADS="1")
    os.environ.update(MUTANTS_TESTS=options.k, MUTANTS_MARKS=options.m)
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in LIBRARIES.split():  # what most tests need, but not wager
        importlib.import_module(name)
    from hypothesis import HealthCheck, Phase, settings

    settings.register_profile(
        "mutants",
        deadline=None,
        max_examples=options.examples,
        derandomize=True,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    everything = [mutant for file in files_of(options.package) for mutant in mutants_of(file)]
    campaign = Campaign(options.package, options.folder.resolve(), options.budget, options.seed)
    if options.again:
        left = [row for row in campaign.rows.values() if row["after"] in ("survived", "no test")]
        chosen = [mutant for row in left if (mutant := campaign.moved(row, everything))]
    else:
        tried = {campaign.of_row(row, everything) for row in campaign.elsewhere}
        new = [mutant for mutant in everything if mutant not in tried]
        chosen = random.Random(options.seed).sample(new, min(options.sample, len(new)))
        unclear = {key for key, row in campaign.rows.items() if row["after"] == "unclear"}
        known = campaign.rows.keys() - unclear
        chosen = [mutant for mutant in chosen if campaign.key(mutant) not in known]
    campaign.run(chosen)
    results = dict(Counter(row["after"] for row in campaign.rows.values()))
    print(f"{options.package}: {len(everything)} possible mutants, of those tried: {results}")


if __name__ == "__main__":
    main()
