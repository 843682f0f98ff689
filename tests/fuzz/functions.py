"""Hostile calls of every public function, method and estimator, found by listing the public names.

Arguments go by the names and annotations of the parameters, which mean the same everywhere.  Most
of a call is right, so that it gets past the first check; some of it is hostile.  What a call
returns is asked in turn: its properties are read and its methods called.  A new public name is
tried without being listed here; one that is not is in `LEFT_OUT`, with the reason.

A case is a number: the same number gives the same target and the same arguments.

    python -m tests.fuzz.functions NUMBER
"""

from __future__ import annotations

import importlib
import inspect
import itertools
import os
import random
import re
import sys
import tempfile
import traceback
import typing
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from tests.fuzz.values import HOSTILE_NUMBERS, TEXTS, Context, anything
from tests.fuzz.working import WORKING
from wager._visible import brief

ALLOWED = (ValueError, TypeError)
MODULES = [
    "wager", "wager.metrics", "wager.predictions", "wager.rewards", "wager.costs", "wager.credal",
    "wager.partitions", "wager.prepare", "wager.learners", "wager.compare", "wager.plots",
    "wager.experiments", "wager.experiments.generators", "wager.report", "wager.rewards.elicit",
]  # fmt: skip
LEFT_OUT = {
    "run": "runs experiments; tests/experiments",
    "probe": "runs experiments; tests/experiments",
    "run_demo": "runs experiments; tests/cli/test_demo.py",
    "log_to_mlflow": "talks to a server; tests/experiments/store/test_mlflow.py",
    "ExtendedCosts": "made by CostMatrix.extend, whose results are asked",
    "elicit": "a module",
    "studies": "a module",
    "generators": "a module",
    "Plan": "reads files; tests/fuzz/readers.py, as the next two",
    "Store": "a folder of results",
    "PredictionFile": "an open file",
    "register": "changes what all later calls do; tests/rewards, as the next one",
    "unregister": "tests/rewards",
    "StoreError": "an error, as the next one",
    "ContradictoryAnswersError": "an error",
    "DecisionRule": "a type alias, as the next one",
    "UtilityLike": "a type alias",
    "__version__": "a text",
}
# Classes that users make themselves; the others are results, which functions return.
MADE = {
    "Answer", "BayesianNetwork", "ChiSquareClasses", "ClassHierarchy", "CostMatrix",
    "CredalVertices",
    "Custom", "Dataset", "Exponential", "FBeta", "HumanUtility", "Linear", "Logarithmic", "Mixture",
    "PairedTally", "Power", "ProbabilityIntervals", "Quadratic", "SequentialState", "Session",
    "Tabulated", "Tally", "TopKProbabilities",
}  # fmt: skip
# Class methods whose arguments are values of private classes: users call others.
INTERNAL = {
    "outcome_rows",
    "of_sums",
    "of_cells",
    "of_codes",
    "of_rows",
    "of_outcomes",
    "of_rule",
    "of_counts",
    "of_clusters",
    "of_blocks",
    "block",
}
# Values that packages pass to each other; files and tallies make them from what was checked.
PARTS = {
    "FileCounts",
    "GroupCounts",
    "Predictions",
    "PartitionMeasures",
    "MeasuredPartition",
    "Bracket",
}
WRITING = {"write", "save", "report", "open", "serve"}  # methods that are not called on results
OPERATORS = (
    "__add__", "__eq__", "__getitem__", "__len__", "__sub__", "__iter__", "__hash__", "__array__",
    "_repr_html_",
)  # fmt: skip
LONGEST = 1000  # characters of a message
MOST = 3  # methods and properties that are asked of a result


class Target(NamedTuple):
    """A function, a class or a class method; or an estimator, which is trained and asked."""

    call: Callable[..., Any]
    is_estimator: bool = False
    reads: bool = False  # files: an OSError is an answer too


@cache
def targets() -> dict[str, Target]:
    """Every public function, every way to make a public value, and every estimator."""
    found: dict[str, Target] = {}
    seen: set[int] = set()
    for module in MODULES:
        door = importlib.import_module(module)
        for name in door.__all__:
            value = getattr(door, name)
            if name in LEFT_OUT or id(value) in seen:
                continue
            seen.add(id(value))
            full = f"{module.removeprefix('wager.')}.{name}"
            if inspect.isfunction(value):
                found[full] = Target(value, reads=_reads(value))
            elif inspect.isclass(value) and hasattr(value, "fit") and name not in MADE:
                found[full] = Target(value, is_estimator=True)
            elif inspect.isclass(value) and name not in PARTS:
                found |= _makers(full, name, value)
    return found


def _reads(function: Callable[..., Any]) -> bool:
    return bool({"path", "paths", "log", "name_or_path"} & set(parameters_of(function)))


def _makers(full: str, name: str, kind: type) -> dict[str, Target]:
    """The class itself, if users make it, and its class methods."""
    found = {full: Target(kind)} if name in MADE else {}
    for method, value in inspect.getmembers(kind, inspect.ismethod):
        if not method.startswith("_") and method not in INTERNAL:
            found[f"{full}.{method}"] = Target(value, reads="file" in method)
    return found


def parameters_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    if inspect.ismethod(function):  # only the function is kept: the object may have threads
        return dict(list(_parameters_of(function.__func__).items())[1:])
    return _parameters_of(function)


@cache
def _parameters_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    try:
        return dict(inspect.signature(function).parameters)
    except (ValueError, TypeError):
        return {}


def _choices(function: Callable[..., Any]) -> dict[str, list[Any]]:
    """The words that parameters accept, from their types and from the documentation."""
    return _choices_of(getattr(function, "__func__", function))


@cache
def _choices_of(function: Callable[..., Any]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    made = function.__init__ if inspect.isclass(function) else function  # type: ignore[misc]
    try:
        hints = typing.get_type_hints(made)
    except Exception:  # names that only checkers import
        hints = {}
    doc = (inspect.getdoc(function) or "") + "\n" + str(getattr(made, "__doc__", "") or "")
    for name in parameters_of(function):
        said = re.search(rf"^\s*(?:\w+, )*{re.escape(name)}(?:, \w+)* : (.*\n?.*)$", doc, re.M)
        words = re.findall(r'[{"\']([a-z][\w-]*)[\'"]', said.group(1)) if said else []
        words += [each for each in _literals(hints.get(name)) if each is not None]
        if words:
            found[name] = words
    return found


def _literals(hint: Any) -> Iterator[Any]:
    if typing.get_origin(hint) is typing.Literal:
        yield from typing.get_args(hint)
    else:
        for part in typing.get_args(hint):
            yield from _literals(part)


# -- arguments -------------------------------------------------------------------------------------

COLUMN = {
    "y_true",
    "y",
    "labels",
    "groups",
    "group",
    "strata",
    "true_class",
    "by",
    "cluster",
    "true",
}
SETS = {
    "y_pred",
    "sets",
    "pred_a",
    "pred_b",
    "credal",
    "precise",
    "event",
    "set",
    "lists",
    "strings",
}
PROBA = {
    "proba", "true_proba", "memberships", "scores", "p_values", "proba_a", "proba_b", "lower",
    "upper", "scaled", "matrix", "table",
}  # fmt: skip
NUMBERS = {
    "sample_weight", "confidence", "weights", "x", "v", "f", "values", "differences", "correct_a",
    "correct_b", "outcomes", "count", "loss", "weight", "grid", "strengths",
}  # fmt: skip
FRACTION = {
    "alpha", "level", "threshold", "delta", "share", "epsilon", "concentration", "power", "rope",
    "rho", "margin", "u_half", "r", "p", "s", "coverage", "test_size", "clip", "target", "beta",
    "at", "mean_utility", "start", "risk", "penalty", "resolution", "chance", "calibration_size",
    "eta",
}  # fmt: skip
SMALL = {
    "n_bins", "depth", "n_classes", "seed", "random_state", "n", "n_folds", "runs", "k", "m",
    "n_trees", "n_rows", "n_samples", "n_features", "n_models", "window", "n_points", "precision",
    "order",
    "size", "points", "n_resamples", "max_tries", "n_tried", "n_directions", "n_neighbors", "cv",
    "max_depth", "train_rows", "test_rows", "truth_rows", "n_test_sets", "n_chains", "step", "rows",
    "n_costs", "repeats", "n_questions", "draws", "n_draws", "min_rows", "n_train", "n_test",
    "max_features", "max_leaves", "n_panels", "m_max", "tune_folds", "digits", "frequency_limit",
}  # fmt: skip
# how much is asked for: a huge number is a long wait that the caller wanted
AMOUNTS = SMALL - {"size", "n", "seed", "random_state", "depth"} | {
    "n_variables",
    "sizes",
    "search_factor",
}
NOTHING = {"client", "address", "engine", "progress", "ax", "n_jobs", "figure", "con"}
PATHS = ["x.csv", "x.toml", "x.png", "x.json", "missing/x.csv", "", "a" * 300, "\0", "x.parquet"]


def arguments(
    function: Callable[..., Any], rng: random.Random, known: Context, hostile: float = 0.35
) -> dict[str, Any]:
    """The keyword arguments of a call, of which one is hostile with this probability."""
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    given = {}
    for name, parameter in parameters_of(function).items():
        if parameter.kind in kinds or name == "self":
            continue
        required = parameter.default is inspect.Parameter.empty
        if required or rng.random() < 0.3:
            given[name] = argument(function, parameter, rng, known)
    if given and rng.random() < hostile:
        name = rng.choice(sorted(given))
        given[name] = _hostile(name, rng, function)
    return given


def _arguments(function: Callable[..., Any], rng: random.Random, known: Context) -> dict[str, Any]:
    """The arguments of a method, or a ValueError if they cannot be made."""
    try:
        return arguments(function, rng, known)
    except Exception as problem:
        raise ValueError("no arguments") from problem


def _hostile(name: str, rng: random.Random, function: Callable[..., Any] = len) -> Any:
    if name in NOTHING:
        return None
    value = anything(rng)
    # the rows that `sample` draws take memory, as the caller wants it
    is_amount = name in AMOUNTS or (name == "n" and function.__name__ == "sample")
    while is_amount and is_much(value):
        value = anything(rng)
    return value


def is_much(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(is_much, value))
    try:
        return bool(abs(value) > 1000)
    except Exception:
        return False


def argument(
    function: Callable[..., Any], parameter: inspect.Parameter, rng: random.Random, known: Context
) -> Any:
    name, hint = parameter.name, str(parameter.annotation)
    if name in NOTHING:
        return None
    words = _choices(function).get(name)
    if words and rng.random() < 0.7:
        return rng.choice(words)
    for kind, make in OBJECTS.items():
        if re.search(rf"\b{kind}\b", hint):
            return make(known)
    if name in BY_NAME:
        return BY_NAME[name](known)
    if "bool" in hint:
        return rng.random() < 0.5
    if "int" in hint.lower() and "float" not in hint.lower():
        return rng.choice([0, 1, 2, 3, 5])
    if "float" in hint:
        return rng.choice([0.0, 0.5, 1.0, 2.0, 0.95])
    if "ArrayLike" in hint or "Floats" in hint:
        return known.numbers()
    if "Callable" in hint:
        return rng.choice([len, lambda *words, **settings: 0.5, lambda *words: np.asarray(*words)])
    if "str" in hint:
        return rng.choice(["u65", "coverage", *TEXTS])
    return _hostile(name, rng, function)


def _fraction(known: Context) -> Any:
    return known.rng.choice(
        [0.05, 0.5, 0.9, 0.95, 0, 1, 0.1, known.rng.random(), 1e-300, 1 - 1e-16]
    )


def _small(known: Context) -> Any:
    return known.rng.choice([0, 1, 2, 3, 4, 5])


def _prior(known: Context) -> Any:
    return known.rng.choice([None, [1 / known.k] * known.k, known.matrix()[0], [1.0, 0.0]])


def _classes(known: Context) -> Any:
    some = [None, known.labels, known.labels[::-1], known.labels[:1], np.arange(known.k)]
    return known.rng.choice(some)


def _utility(known: Context) -> Any:
    from wager.rewards import Quadratic

    some = ["u65", "u80", "log", "log-norm", "exp:2", "exp-norm:700", 0.7, "f1", "u200", "x"]
    return known.rng.choice([*some, Quadratic(0.8), lambda reward: reward / (1 + reward)])


def _costs(known: Context) -> Any:
    import wager

    size = known.k
    plain = wager.CostMatrix.zero_one(range(size))
    return known.rng.choice(
        [plain, np.ones((size, size)) - np.eye(size), plain.extend("discounted"),
         wager.CostMatrix.ordinal(known.labels if _unique(known.labels) else range(size)),
         [[0, 1e300], [5e-324, 0]], [[0, 1], [1, 0]]]
    )  # fmt: skip


def _unique(labels: list[Any]) -> bool:
    return all(isinstance(label, str) for label in labels)


def _tally(known: Context) -> Any:
    import wager

    codes = known.rng.choices(range(known.k), k=known.n)
    sets = known.indicator()
    weight = known.rng.choice([None, np.full(known.n, 0.3)])
    groups = known.rng.choice([None, np.arange(known.n) // 2])
    some = [wager.Tally([[0, 0], [1, 2], [0, 3]]), wager.Tally.empty(known.k)]
    made = wager.Tally.of(codes, sets, classes=range(known.k), sample_weight=weight, groups=groups)
    return known.rng.choice([made, made, *some])


def _paired(known: Context) -> Any:
    import wager

    codes = known.rng.choices(range(known.k), k=known.n)
    classes = range(known.k)
    return known.rng.choice(
        [
            wager.PairedTally.of(codes, known.indicator(), known.indicator(), classes=classes),
            wager.PairedTally.empty(known.k),
        ]
    )


def _probability_tally(known: Context) -> Any:
    import wager

    codes = known.rng.choices(range(known.k), k=known.n)
    return wager.ProbabilityTally.of(codes, known.matrix(), classes=range(known.k))


def _cost_tally(known: Context) -> Any:
    import wager

    codes = known.rng.choices(range(known.k), k=known.n)
    return wager.CostTally.of(codes, known.indicator(), classes=range(known.k))


def _intervals(known: Context) -> Any:
    import wager

    proba = known.matrix()
    return wager.ProbabilityIntervals(np.maximum(proba - 0.1, 0), np.minimum(proba + 0.1, 1))


def _hierarchy(known: Context) -> Any:
    import wager

    return wager.ClassHierarchy({"a": "ab", "b": "ab", "c": "top", "ab": "top"})


def _partition(known: Context) -> Any:
    import wager

    codes = known.rng.choices(range(known.k), k=known.n)
    return wager.standardize(codes, known.matrix(), classes=range(known.k))


def _vertices(known: Context) -> Any:
    return np.stack([known.matrix(), known.matrix()], axis=1)


def _estimator(known: Context) -> Any:
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    from wager import NaiveBayes, NaiveCredal, Vacuous

    return known.rng.choice(
        [GaussianNB(), DecisionTreeClassifier(max_depth=2), DummyClassifier(), NaiveBayes(),
         NaiveCredal(), Vacuous(), None, 3]
    )  # fmt: skip


def _named(make: Callable[[Context], Any]) -> Callable[[Context], Any]:
    return lambda known: {
        name: make(known) for name in known.rng.sample("ABC", known.rng.randrange(4))
    }


def _pairs(known: Context) -> Any:
    return {("A", "B"): _paired(known), ("A", "C"): _paired(known)}


def _score_table(known: Context) -> Any:
    return known.rng.choice([known.proba(), {"A": [0.1, 0.2, 0.9], "B": [0.3, 0.2, 0.5]}])


OBJECTS: dict[str, Callable[[Context], Any]] = {
    "Mapping\\[tuple\\[str, str\\], PairedTally\\]": _pairs,
    "Mapping\\[str, Tally\\]": _named(_tally),
    "PairedTally": _paired,
    "ProbabilityTally": _probability_tally,
    "CostTally": _cost_tally,
    "Tally": _tally,
    "ProbabilityIntervals": _intervals,
    "ExtendedCosts": lambda known: _costs(known),
    "ClassHierarchy": _hierarchy,
    "StandardizedPartition": _partition,
}
BY_NAME: dict[str, Callable[[Context], Any]] = {
    **dict.fromkeys(COLUMN, Context.column),
    **dict.fromkeys(SETS, Context.sets),
    **dict.fromkeys(PROBA, Context.proba),
    **dict.fromkeys(NUMBERS, Context.numbers),
    **dict.fromkeys(FRACTION, _fraction),
    **dict.fromkeys(SMALL, _small),
    "X": Context.features,
    "counts": Context.counts,
    "classes": _classes,
    "costs": _costs,
    "rewards": _costs,
    "extended": _costs,
    "utility": _utility,
    "criterion": _utility,
    "utilities": lambda known: known.rng.choice([["u65"], ["u50", "u80"], "u65", [], [0.7, "x"]]),
    "prior": _prior,
    "predictions": _named(Context.sets),
    "tallies": _named(_tally),
    "tally_a": _tally,
    "tally_b": _tally,
    "tally": _tally,
    "paired": _paired,
    "hierarchy": _hierarchy,
    "intervals": _intervals,
    "partition": _partition,
    "vertices": _vertices,
    "estimator": _estimator,
    "judges": lambda known: [known.matrix() for _ in range(known.rng.randrange(4))],
    "data": lambda known: known.rng.choice(
        [{}, {"table": [[1, 2]]}, {"kind": "tally"}, known.matrix()]
    ),
    "names": lambda known: known.rng.choice([("A", "B"), ["A", "B", "C"], None]),
    "a": lambda known: known.rng.choice(["A", "a", 0]),
    "b": lambda known: known.rng.choice(["B", "b", 1]),
    "path": lambda known: known.rng.choice(PATHS),
    "paths": lambda known: [known.rng.choice(PATHS) for _ in range(2)],
    "log": lambda known: known.rng.choice(PATHS),
    "name_or_path": lambda known: known.rng.choice([*PATHS, "iris", "no such"]),
    "base": lambda known: known.rng.choice([2, np.e, 10, 1, 0, -1]),
    "answers": lambda known: known.rng.choice([(), ("set", "chance"), [{"set": "a|b", "cost": 1}]]),
    "n_variables": lambda known: (1, 3),
    "truths": lambda known: ["A", "B"],
}


# -- calls -----------------------------------------------------------------------------------------


class Call(NamedTuple):
    """What was called, for a report of a fault."""

    name: str
    given: dict[str, Any]

    def __str__(self) -> str:
        with np.printoptions(threshold=50):
            return f"{self.name}({', '.join(f'{k}={brief(v)}' for k, v in self.given.items())})"


@cache
def _names() -> list[str]:
    return sorted(targets())


def target_of(number: int) -> str:
    """The name of the target of a case."""
    names = _names()
    return names[number % len(names)]


def calls(name: str) -> st.SearchStrategy[int]:
    """The cases of a target, for hypothesis."""
    names = _names()
    at = names.index(name)
    return st.integers(0, 2**40).map(lambda number: number * len(names) + at)


def attempt(number: int, folder: Path | None = None) -> str | None:
    """Make the calls of a case; returns the fault, if there is one."""
    name = target_of(number)
    return watched(
        name, folder, lambda history: _try(name, targets()[name], random.Random(number), history)
    )


def watched(name: str, folder: Path | None, work: Callable[[list[Call]], None]) -> str | None:
    """The fault in some calls, which `work` lists as it makes them; None if there is none.

    A RuntimeWarning is a fault, and so are settings of NumPy that stay changed.
    """
    history: list[Call] = []
    before, here = np.geterr(), Path.cwd()
    try:
        if folder is not None:
            os.chdir(folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)
            work(history)
    except Exception as problem:
        if _is_of_others(problem):
            return None
        told = " -> ".join(str(call)[:700] for call in history[:1] + history[-1:])
        place = _place(problem.__cause__ if isinstance(problem, ManyLinesError) else problem)
        return f"{name}: {type(problem).__name__}: {str(problem)[:200]} [{place}] {told}"[:1800]
    finally:
        os.chdir(here)
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")
        after = np.geterr()
        np.seterr(**before)
    return None if after == before else f"{name}: np.geterr() is now {after}"


def _place(problem: BaseException | None) -> str:
    """The last line of wager that a fault went through."""
    assert problem is not None
    frames = [f for f in traceback.extract_tb(problem.__traceback__) if "/src/wager" in f.filename]
    last = frames[-1] if frames else traceback.extract_tb(problem.__traceback__)[-1]
    return f"{last.filename.rpartition('/src/')[2]}:{last.lineno}"


def _is_of_others(problem: BaseException) -> bool:
    """Whether an error or a warning comes from an estimator that the caller gave."""
    frames = traceback.extract_tb(problem.__traceback__)
    return any(re.search(r"/sklearn/(?!utils|base)", frame.filename) for frame in frames)


def _try(name: str, target: Target, rng: random.Random, history: list[Call]) -> None:
    known = Context(rng)
    allowed = (*ALLOWED, OSError) if target.reads else ALLOWED
    try:
        given = _some_arguments(name, target.call, rng, known)
    except Exception:  # not every value has every form, nor every tally every weight
        return
    history.append(Call(name, given))
    try:
        found = target.call(**given)
        if not target.is_estimator:
            repr(found)
    except allowed as problem:
        read_aloud(problem)
        return
    if target.is_estimator:
        _train(found, rng, known, history)
    elif type(found).__module__.startswith("wager"):
        _ask(found, rng, known, history)


def _some_arguments(
    name: str, call: Callable[..., Any], rng: random.Random, known: Context
) -> dict[str, Any]:
    """Arguments of all kinds; for some functions mostly those of a call that works."""
    given = arguments(call, rng, known)
    if name in WORKING and rng.random() < 0.7:
        kept = rng.randrange(3)
        others = rng.sample(sorted(given), min(kept, len(given)))
        given = WORKING[name]() | {key: given[key] for key in others}
    return given


def _train(model: Any, rng: random.Random, known: Context, history: list[Call]) -> None:
    """Train an estimator and let it predict, with the same and with other rows."""
    try:
        X, y, others = known.features(), known.column(), known.features()
    except Exception:
        return
    train = getattr(model, rng.choice(["fit", "fit", "fit", "partial_fit"]), model.fit)
    more = {}
    for name in ("sample_weight", "classes"):
        if name in parameters_of(train) and rng.random() < 0.4:
            more[name] = BY_NAME[name](known)
    given = {"X": X, "y": y, **more}
    if rng.random() < 0.2:
        given[rng.choice(sorted(given))] = anything(rng)
    history.append(Call(train.__name__, given))
    try:
        train(**given)
    except ALLOWED as problem:
        read_aloud(problem)
        return
    other = others if rng.random() < 0.3 else given["X"]
    asked = [
        n for n in dir(type(model)) if not n.startswith("_") and n not in ("fit", "set_params")
    ]
    for name in rng.sample(asked, min(4, len(asked))):
        try:
            method = getattr(model, name)
            if not callable(method) or name in WRITING or "file" in name or "request" in name:
                continue
            given = _arguments(method, rng, known)
            given |= {key: other for key in ("X", "x") if key in given and rng.random() < 0.9}
            history.append(Call(name, given))
            repr(method(**given))
        except (*ALLOWED, AttributeError) as problem:
            if type(problem) is AttributeError and _is_fault(problem):
                raise
            read_aloud(problem)


class ManyLinesError(Exception):
    """A message of ours that a person would not read to its end."""


def read_aloud(problem: BaseException) -> None:
    """Raise an error if a message of wager is long, of several lines, or Python's.

    Other libraries cannot make columns of text that is not UTF-8, and say so.
    """
    last = traceback.extract_tb(problem.__traceback__)[-1]
    text = str(problem)
    if "/src/wager" in last.filename and ("\n" in text or len(text) > LONGEST):
        raise ManyLinesError(text) from problem
    if "/src/wager" in last.filename and isinstance(problem, UnicodeError):
        raise problem


def _is_fault(problem: AttributeError) -> bool:
    """Whether an AttributeError is more than a method that an estimator does not have."""
    return (
        "has no attribute" in str(problem)
        and len(
            [f for f in traceback.extract_tb(problem.__traceback__) if "/src/wager" in f.filename]
        )
        > 0
        and not re.search(r"has no attribute '(predict|transform|score|decision)", str(problem))
    )


def _ask(found: Any, rng: random.Random, known: Context, history: list[Call]) -> None:
    """Read properties of a result and call its methods."""
    names = [
        name
        for name, value in inspect.getmembers_static(type(found))
        if not name.startswith("_") and (callable(value) or isinstance(value, property))
        and name not in WRITING and name not in INTERNAL and not isinstance(value, classmethod)
        and is_own(type(found), name)
    ]  # fmt: skip
    operators = [each for each in OPERATORS if is_own(type(found), each)]
    for name in rng.sample(names + operators, min(MOST, len(names) + len(operators))):
        history.append(Call(name, {}))
        try:
            value = getattr(found, name)
            if callable(value):
                given = _arguments(value, rng, known)
                if "path" in given or is_private(value):
                    continue
                history[-1] = Call(name, given)
                value = (
                    value(**given) if name not in operators else _operate(name, value, rng, found)
                )
            if inspect.isgenerator(value) or hasattr(value, "__next__"):
                list(itertools.islice(value, 5))
            repr(value)
        except ALLOWED as problem:
            read_aloud(problem)
        except (IndexError, KeyError):
            if name != "__getitem__":
                raise


def is_own(kind: type, name: str) -> bool:
    """Whether a class has a method or property of its own, and not one of float, str or tuple."""
    return any(name in vars(each) for each in kind.__mro__ if each.__module__.startswith("wager"))


def is_private(method: Callable[..., Any]) -> bool:
    """Whether a method takes arrays that other packages have checked."""
    hints = (str(parameter.annotation) for parameter in parameters_of(method).values())
    return any(hint in ("Floats", "Ints", "Bools", "Array") for hint in hints)


def _operate(name: str, method: Callable[..., Any], rng: random.Random, found: Any) -> Any:
    if name in ("__len__", "__iter__", "_repr_html_", "__hash__", "__array__"):
        return method()
    return method(rng.choice([found, found, rng.choice(HOSTILE_NUMBERS), "a", None]))


if __name__ == "__main__":
    case = int(sys.argv[1])
    print(target_of(case))
    with tempfile.TemporaryDirectory() as where:
        print(attempt(case, Path(where)))
