"""Every argument of every public function, method and estimator, wrong in every way, one by one.

`functions` draws calls at random; this program goes through them.  A call that works is made for
every target, and then again with one of its arguments replaced: by each of the values that nobody
expects, or by itself with one wrong cell or in another form.  So are the arguments of the methods
of what it returns, and of `fit` and the predictions of estimators.

A case is a number: the same number gives the same call.  Later rounds start from other calls.

    python -m tests.fuzz.one_by_one            # one round
    python -m tests.fuzz.one_by_one 2 costs    # the second round, where the name has a word
    python -m tests.fuzz.one_by_one step 151   # every 151st case
    python -m tests.fuzz.one_by_one case 12345
"""

from __future__ import annotations

import datetime
import inspect
import itertools
import json
import os
import random
import resource
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse

from tests.fuzz.children import Fault, in_copy, try_cases
from tests.fuzz.functions import (
    ALLOWED,
    AMOUNTS,
    INTERNAL,
    NOTHING,
    WRITING,
    Call,
    argument,
    arguments,
    is_much,
    is_own,
    is_private,
    parameters_of,
    read_aloud,
    targets,
    watched,
)
from tests.fuzz.values import HOSTILE_NUMBERS, TEXTS, Arraylike, Context, form
from tests.fuzz.working import WORKING

LONG = 4.0  # seconds for an argument
TRIES = 60  # calls that are tried until one works
ROUND = 10**7  # more cases than a round has
SKIP = object()
CELLS: list[Any] = [
    None, "", "a\nb", "x" * 2000, np.nan, np.inf, -np.inf, -1, 10**400, 2**64 + 1, 2**63, 1e300,
    1e-300, 5e-324, 1j, (), [1], b"a", {}, Decimal("NaN"), datetime.date(1, 1, 1), True, object(),
]  # fmt: skip
MAKERS: list[Callable[[], Any]] = [
    *(lambda value=value: value for value in [*HOSTILE_NUMBERS, *TEXTS]),  # type: ignore[misc]
    lambda: "a\nb", lambda: "x" * 5000, lambda: "u65", lambda: b"a", lambda: Path("x"),
    lambda: None, object, lambda: len, lambda: int, lambda: ..., lambda: slice(2), set,
    lambda: frozenset("ab"), lambda: Exception("x"), lambda: np.ma.masked, lambda: iter([1, 2]),
    lambda: (x for x in "ab"), lambda: range(3), lambda: memoryview(b"ab"),
    lambda: datetime.date(2020, 1, 1), lambda: np.datetime64("NaT"), lambda: pd.NA,
    list, dict, tuple, lambda: [[]], lambda: [None], lambda: [[1, 2], [3]], lambda: [[[1]]],
    lambda: {"a": 1}, lambda: {1: 2, "b": [0.5]}, lambda: {"a\nb": None}, lambda: {(): ()},
    lambda: ["a", 1], lambda: ["a\nb", "c"], lambda: ["a", "b"], lambda: ["a", "a"],
    lambda: [1j, 2], lambda: [np.nan, 1.0], lambda: [np.inf, 1.0], lambda: [10**400, 1],
    lambda: [2**64 + 1, 1], lambda: [-1, 0.5], lambda: [0.5, 0.5], lambda: [1e300, 1e300],
    lambda: [5e-324, 1], lambda: ["x" * 3000], lambda: [True, None], lambda: list(range(300)),
    lambda: np.array(3), lambda: np.array([]), lambda: np.empty((0, 3)), lambda: np.empty((3, 0)),
    lambda: np.zeros((2, 2, 2)), lambda: np.eye(2), lambda: np.eye(3, dtype=complex),
    lambda: np.array(["NaT"], dtype="M8[s]"), lambda: np.array([(1, 2.0)], dtype="i4,f8"),
    lambda: np.array(["a", 1], dtype=object), lambda: np.array([10**400], dtype=object),
    lambda: np.array([np.nan, np.inf]), lambda: np.array([1, 2], dtype="u8"),
    lambda: np.array([1, 2], dtype="f2"), lambda: np.array([1, 2], dtype="g"),
    lambda: np.array([b"a", b"b"]), lambda: np.array([1, 2], dtype=">f8"),
    lambda: np.array([1, 2], dtype="m8[s]"), lambda: np.ma.array([1, 2], mask=[True, False]),
    lambda: Arraylike(np.eye(2)), lambda: sparse.eye_array(3, format="csr"),
    lambda: sparse.csc_matrix(np.eye(2)),
    lambda: pd.Series(["a", "b"]), lambda: pd.Series([1, None], dtype="Int64"),
    lambda: pd.Series([0.5, 0.5], index=[7, 7]), lambda: pd.Series(["a", "b"], dtype="category"),
    lambda: pd.Series(pd.to_datetime(["2020-01-01", None])), lambda: pd.Index([1, 2]),
    lambda: pd.DataFrame({"a": [1, 2]}), lambda: pd.DataFrame([[1, "a"], [2, "b"]]),
    lambda: pd.DataFrame(np.eye(2), columns=["a", "a"]), lambda: pd.DataFrame(),
    lambda: pl.Series("x", [1, None]), lambda: pl.Series("x", ["a", "b"]),
    lambda: pl.Series("x", [[1], [2, 3]]), lambda: pl.Series("x", [datetime.date(2020, 1, 1)]),
    lambda: pl.DataFrame({"a": [1.0]}), lambda: pl.DataFrame({"a": ["x"], "b": [None]}),
    lambda: pl.LazyFrame({"a": [1.0]}),
    lambda: pa.array([1, None]), lambda: pa.array(["a", "b"]), lambda: pa.array([[1], []]),
    lambda: pa.chunked_array([[1.0], [2.0]]), lambda: pa.table({"a": [1.0]}),
    lambda: pa.scalar(1),
]  # fmt: skip
FORMS = 40
N_VALUES = len(MAKERS) + 2 * len(CELLS) + FORMS


class Question(NamedTuple):
    """An argument of a target, or of a method of what it returns."""

    target: str
    method: str
    parameter: str


def value_of(place: int, given: Any) -> Any:
    """One of the values, made anew; SKIP if the argument has no cells to be changed."""
    if place < len(MAKERS):
        return MAKERS[place]()
    place -= len(MAKERS)
    try:
        table = np.array(given, dtype=object)
    except Exception:
        return SKIP
    if table.ndim not in (1, 2) or not table.size:
        return SKIP
    if place < 2 * len(CELLS):
        cell, all_cells = CELLS[place // 2], place % 2
        for at in itertools.islice(np.ndindex(table.shape), None if all_cells else 1):
            table[at] = cell
        return table.tolist()
    try:
        return form(given, random.Random(place))
    except Exception:  # not every value has every form
        return SKIP


# -- calls that work -------------------------------------------------------------------------------


class Base(NamedTuple):
    """A call that works: its arguments, what it returned, and how to make more arguments."""

    given: dict[str, Any]
    found: Any
    known: Context


def base_of(name: str, round_: int) -> Base | None:
    """A call of a target that works, made anew; None if none was found."""
    seed = _working_seed(name, round_)
    return None if seed is None else _made(name, seed)


@cache
def _working_seed(name: str, round_: int) -> int | None:
    for seed in range(1000 * round_, 1000 * round_ + TRIES):
        try:
            _made(name, seed)
        except Exception:
            continue
        return seed
    return None


def _made(name: str, seed: int) -> Base:
    rng = random.Random(seed)
    known, target = Context(rng), targets()[name]
    given = WORKING[name]() if name in WORKING else arguments(target.call, rng, known, hostile=0)
    found = target.call(**given)
    if target.is_estimator:
        _fit(found, known)
    repr(found)
    return Base(given, found, known)


def _fit(model: Any, known: Context) -> None:
    rng = random.Random(known.n)
    X = np.array([[rng.randrange(3) for _ in range(2)] for _ in range(12)])
    if type(model).__name__ in ("NominalEncoder",):
        X = X.astype(str)
    model.fit(X, np.arange(12) % 2)
    can_predict = hasattr(model, "predict") and getattr(model, "refit", True)
    repr(model.predict(X) if can_predict else model)


def questions(words: tuple[str, ...] = ()) -> list[Question]:
    """The arguments that can be changed, of targets whose name has one of the words."""
    every = _questions()
    return [each for each in every if not words or any(word in each.target for word in words)]


@cache
def _questions() -> list[Question]:
    """All questions.  A process with threads could not be copied, so a copy makes the calls."""
    return [Question(*each) for each in json.loads(in_copy(_written_questions))]


def _written_questions() -> bytes:
    """All questions as JSON; the calls may write files, which go to a folder that is removed."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        return json.dumps(_list_questions()).encode()


def _list_questions() -> list[Question]:
    """All arguments that can be changed; methods are those of two results of each type."""
    found: list[Question] = []
    asked: dict[type, int] = {}
    for name, target in sorted(targets().items()):
        found += [Question(name, "", each) for each in _changeable(target.call)]
        base = base_of(name, 0)
        kind = type(base.found) if base is not None else object
        if not kind.__module__.startswith("wager") or asked.get(kind, 0) == 2:
            continue
        asked[kind] = asked.get(kind, 0) + 1
        for method in _methods(kind):
            found += [Question(name, method, each) for each in _changeable(getattr(kind, method))]
    return found


def _changeable(function: Callable[..., Any]) -> list[str]:
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return [
        name
        for name, each in parameters_of(function).items()
        if each.kind not in kinds and name != "self" and name not in NOTHING
    ]


def _methods(kind: type) -> list[str]:
    return [
        name
        for name, value in inspect.getmembers_static(kind)
        if callable(value) and not isinstance(value, classmethod) and is_own(kind, name)
        and (not name.startswith("_") or name == "__getitem__")
        and not (set(name.split("_")) & (WRITING | {"file", "request", "params"}))
        and name not in WRITING | INTERNAL and not is_private(value)
        and not {"path", "con"} & set(parameters_of(value))
    ]  # fmt: skip


# -- cases -----------------------------------------------------------------------------------------


def attempt(number: int, folder: Path | None = None, words: tuple[str, ...] = ()) -> str | None:
    """Make the call of a case; returns the fault, if there is one."""
    round_, rest = divmod(number, ROUND)
    place, value = divmod(rest, N_VALUES)
    question = questions(words)[place]
    return watched(
        ".".join(filter(None, question)),
        folder,
        lambda history: _ask(question, round_, value, history),
    )


def _ask(question: Question, round_: int, place: int, history: list[Call]) -> None:
    name, method, parameter = question
    target, base = targets()[name], base_of(name, round_)
    if base is None:
        return
    call, given = target.call, base.given
    if method and not hasattr(base.found, method):
        return  # the call of this round returns another kind of answer
    if method:
        call = getattr(base.found, method)
        given = _good_arguments(call, target.is_estimator, base.known)
    about = parameters_of(call)[parameter]
    value = value_of(place, _usual(given, call, about, base.known))
    amount = parameter in AMOUNTS or (parameter == "n" and "sample" in (name + method))
    if value is SKIP or (amount and is_much(value)):
        return
    given = {**given, parameter: value}
    history.append(Call(f"{name}.{method}".removesuffix("."), given))
    allowed: tuple[type[Exception], ...] = ALLOWED
    if target.reads:
        allowed = (*ALLOWED, OSError)
    if method == "__getitem__":
        allowed = (*ALLOWED, IndexError, KeyError)
    try:
        if method == "__getitem__":
            repr(call(value))
            return
        found = call(**given)
        if target.is_estimator and not method:
            _fit(found, base.known)
        if hasattr(found, "__next__"):
            found = list(itertools.islice(found, 5))
        repr(found)
    except allowed as problem:
        read_aloud(problem)
        return
    if not target.is_estimator and type(found).__module__.startswith("wager"):
        _read(found, history)


def _good_arguments(method: Callable[..., Any], trained: bool, known: Context) -> dict[str, Any]:
    try:
        given = arguments(method, random.Random(7), known, hostile=0)
    except Exception:  # not every value has every form
        given = {}
    if trained:
        rows = {"X": np.zeros((3, 2)), "x": np.zeros(2), "y": np.array([0, 1, 0])}
        given |= {key: value for key, value in rows.items() if key in parameters_of(method)}
    return given


def _usual(
    given: dict[str, Any], call: Callable[..., Any], about: inspect.Parameter, known: Context
) -> Any:
    """An argument as it is, or as it could be where it is left out."""
    if given.get(about.name) is not None:
        return given[about.name]
    try:
        return argument(call, about, random.Random(7), known)
    except Exception:  # not every value has every form
        return None


def _read(found: Any, history: list[Call]) -> None:
    """Read the properties of a result, and call its methods that need no arguments."""
    for name, value in inspect.getmembers_static(type(found)):
        if name.startswith("_") or name in WRITING | INTERNAL or not is_own(type(found), name):
            continue
        needed = callable(value) and any(
            each.default is each.empty
            for key, each in parameters_of(value).items()
            if key != "self"
        )
        if needed or isinstance(value, classmethod):
            continue
        history.append(Call(name, {}))
        try:
            read = getattr(found, name)
            repr(read() if callable(read) else read)
        except ALLOWED as problem:
            read_aloud(problem)


def main(round_: int, words: tuple[str, ...], step: int = 1) -> int:
    """Go through a round, print every kind of fault when it is found, and return the exit status.

    Of the values for an argument of a slow function only some are tried.  With a step only every
    so-many-th case is made.
    """
    from tests.fuzz.__main__ import kind_of

    kinds: set[str] = set()

    def tell(fault: Fault) -> None:
        if kind_of(fault.text) not in kinds:
            kinds.add(kind_of(fault.text))
            again = " ".join(["python -m tests.fuzz.one_by_one case", str(fault.case), *words])
            print(f"{fault.text}\n    {again}\n", flush=True)

    asked = questions(words)
    first = round_ * ROUND
    pace = _Pace()
    stop, _ = try_cases(
        lambda place, folder: pace(first + step * place, folder, words),
        0,
        len(asked) * N_VALUES // step,
        told=lambda fault: tell(Fault(first + step * fault.case, fault.text)),
    )
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{stop} cases of {len(asked)} arguments, {len(kinds)} kinds of faults, "
        f"{(used.ru_utime + used.ru_stime) / 60:.1f} minutes of CPU time"
    )
    return int(bool(kinds))


class _Pace:
    """Tries fewer values where those before took long: at most some seconds for an argument."""

    def __init__(self) -> None:
        self.place, self.spent = -1, 0.0

    def __call__(self, case: int, folder: Path, words: tuple[str, ...]) -> str | None:
        place, value = divmod(case % ROUND, N_VALUES)
        if place != self.place:
            self.place, self.spent = place, 0.0
        if self.spent > LONG * (value + 1) / N_VALUES and value % 8:
            return None
        begun = time.process_time()
        fault = attempt(case, folder, words)
        self.spent += time.process_time() - begun
        return fault


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if sys.argv[1:2] == ["case"]:
            with tempfile.TemporaryDirectory() as where:
                print(attempt(int(sys.argv[2]), Path(where), tuple(sys.argv[3:])))
        elif sys.argv[1:2] == ["step"]:
            sys.exit(main(0, tuple(sys.argv[3:]), int(sys.argv[2])))
        else:
            sys.exit(main(int((sys.argv[1:] or ["1"])[0]) - 1, tuple(sys.argv[2:])))
