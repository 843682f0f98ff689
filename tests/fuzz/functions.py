"""Random arguments for every public function, found by listing the public names.

Arguments go by the names of the parameters, which mean the same everywhere.  Most of a call is
right, so that it gets past the first check; some of it is hostile.  A new public function is tried
without being listed here; one that cannot be is in `LEFT_OUT`, with the reason.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

ALLOWED = (ValueError, TypeError)
LEFT_OUT = {
    "run": "runs experiments; tests/experiments",
    "load_dataset": "reads files; tests/fuzz/readers.py",
    "read_predictions": "reads files; tests/fuzz/readers.py",
    "scan_predictions": "reads files; tests/fuzz/readers.py",
    "write_predictions": "writes files; tests/predictions/files",
    "elicit": "a module",
    "predict_set": "needs a fitted estimator, as the next three do",
    "robustness": "tests/learners",
    "explain_set": "tests/learners",
}
# Constructors whose arguments are values of private classes: users call others.
INTERNAL = {
    "CostTally", "ExtendedCosts", "PredictionSets", "ProbabilityTally", "SetRewards",
    "of_sums", "of_cells", "of_rows", "of_outcomes", "of_rule",
}  # fmt: skip

TEXTS = ["a", "b", "c", "é", "a|b", "", " ", "NA", "nan", "\0", "a\0", "\ud800", "日本", "1", "=1"]
HOSTILE_NUMBERS = [
    0, 1, -1, 2, 0.5, -0.0, 1e-300, 1e-200, 1e300, 5e-324, np.nan, np.inf, -np.inf,
    2**31, 2**53 + 1, 2**63, 2**64 + 1, -(2**63) - 1, True, Fraction(1, 3), np.float32(0.1),
    np.int8(-1), 1j,
]  # fmt: skip
ANYTHING = st.one_of(
    st.none(),
    st.sampled_from(HOSTILE_NUMBERS),
    st.sampled_from(TEXTS),
    st.sampled_from([[], {}, (), set(), b"a", object(), len, [[]], [None], np.array(3), range(3)]),
    st.lists(st.sampled_from(HOSTILE_NUMBERS), max_size=4),
    st.lists(st.sampled_from(TEXTS), max_size=4),
    st.lists(st.lists(st.sampled_from([0, 1, 0.5, float("nan"), "a"]), max_size=3), max_size=4),
)


def public_functions() -> dict[str, Callable[..., Any]]:
    """Every public function of wager and wager.metrics, and every way to make a public value."""
    import wager
    import wager.metrics

    found: dict[str, Callable[..., Any]] = {}
    for module in (wager, wager.metrics):
        for name in module.__all__:
            value = getattr(module, name)
            if name in LEFT_OUT:
                continue
            if inspect.isfunction(value):
                found[f"{module.__name__}.{name}"] = value
            elif inspect.isclass(value) and not hasattr(value, "fit"):
                found |= _makers(name, value)
    return found


def _makers(name: str, kind: type) -> dict[str, Callable[..., Any]]:
    """The class itself and its class methods, but for those that read files and runs."""
    if name in ("Plan", "Store", "Dataset"):
        return {}
    found: dict[str, Callable[..., Any]] = {} if name in INTERNAL else {name: kind}
    for method, value in inspect.getmembers(kind, inspect.ismethod):
        read = "file" in method or method.endswith("json")
        if not read and not method.startswith("_") and method not in INTERNAL:
            found[f"{name}.{method}"] = value
    return found


@st.composite
def calls(draw: Any, function: Callable[..., Any]) -> dict[str, Any]:
    """The keyword arguments of a call."""
    known = draw(contexts())
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    given = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in kinds:
            continue
        required = parameter.default is inspect.Parameter.empty
        if required or draw(st.integers(0, 3)) == 0:
            given[parameter.name] = (
                draw(known[parameter.name]) if parameter.name in known else draw(ANYTHING)
            )
    if given and draw(st.booleans()):
        given[draw(st.sampled_from(sorted(given)))] = draw(ANYTHING)
    return given


@st.composite
def contexts(draw: Any) -> dict[str, st.SearchStrategy[Any]]:
    """What parameters of each name may be, for some rows and classes."""
    import wager

    n, k = draw(st.integers(1, 6)), draw(st.integers(2, 4))
    labels = draw(
        st.sampled_from(
            [
                list("abcd"), [0, 1, 2, 3], [0.0, 1.5, 2.0, 3.0], [True, False],
                ["", "é", "\0b", " "], [2**63, 2**63 + 1, 1, 2], [-1, 2**53 + 1, 5, 7],
                [None, "a", "b", "c"], ["a", 1, 2.5, "b"],
            ]
        )
    )[:k]  # fmt: skip
    k = len(labels)
    label = st.sampled_from(labels)
    column = st.lists(label, min_size=n, max_size=n).flatmap(_forms)
    unit = st.floats(0, 1) | st.sampled_from([0.0, 1.0, 1e-300, 0.5])
    matrix = st.lists(st.lists(unit, min_size=k, max_size=k), min_size=n, max_size=n)
    proba = matrix.map(_normalised).flatmap(_forms)
    indicator = st.lists(st.lists(st.booleans(), min_size=k, max_size=k), min_size=n, max_size=n)
    sets = st.one_of(
        column,
        indicator.flatmap(_forms),
        st.lists(st.lists(label, unique=True, max_size=k), min_size=n, max_size=n),
    )
    positive = st.sampled_from([0, 1, 2.5, 1e-200, 1e200, 5e-324, 1e15])
    numbers = st.lists(positive, min_size=n, max_size=n).flatmap(_forms)
    counts = st.lists(st.sampled_from([0, 1, 3, 10**15]), min_size=n, max_size=n).flatmap(_forms)
    costs = st.sampled_from(
        [wager.CostMatrix.zero_one(range(3)), [[0, 1], [1, 0]], np.ones((k, k)) - np.eye(k)]
    )
    tally = st.sampled_from([wager.Tally([[0, 0], [1, 2], [0, 3]]), wager.Tally.empty(2)])
    fraction = st.floats(0, 1) | st.sampled_from([0, 1, 0.05, 0.95, 1e-300])
    small = st.integers(0, 5)
    return {
        **dict.fromkeys(["y_true", "y", "true_class", "truth"], column),
        **dict.fromkeys(["y_pred", "sets", "pred_a", "pred_b", "credal", "precise"], sets),
        **dict.fromkeys(["labels", "groups", "by", "strata", "group"], column),
        **dict.fromkeys(["proba", "true_proba", "memberships", "scores", "p_values"], proba),
        **dict.fromkeys(["X", "lower", "upper", "matrix"], proba),
        **dict.fromkeys(["sample_weight", "confidence", "weights"], numbers),
        **dict.fromkeys(["alpha", "level", "threshold", "delta", "share"], fraction),
        **dict.fromkeys(["n_bins", "depth", "n_classes", "seed", "random_state", "n"], small),
        **dict.fromkeys(["tally_a", "tally_b", "tally", "paired"], tally),
        "counts": counts,
        "classes": st.none() | st.just(labels) | st.just(np.array(labels)),
        "costs": costs,
        "utility": st.sampled_from(["u65", "u80", "log", "exp:2", 0.7, "f1", "u200", "x"]),
        "utilities": st.sampled_from([["u65"], ["u50", "u80"], "u65", []]),
        "prior": st.none() | st.lists(unit, min_size=k, max_size=k),
        "predictions": st.dictionaries(st.sampled_from(["A", "B", "C"]), sets, max_size=3),
        "n_directions": small,
        "path": st.just(""),
    }


def _normalised(rows: list[list[float]]) -> Any:
    table = np.array(rows)
    total = table.sum(axis=1, keepdims=True)
    return np.divide(table, total, out=np.full_like(table, 1 / table.shape[1]), where=total > 0)


def _forms(values: Any) -> st.SearchStrategy[Any]:
    """The same values as lists, arrays of several kinds, frames and sparse matrices."""

    def form(number: int) -> Any:
        array = np.array(values)
        if array.dtype.kind not in "biufU":
            return values
        if number == 1:
            return array
        if number == 2:
            array.flags.writeable = False
            return array
        if number == 3:
            return array.astype(array.dtype.newbyteorder(">"))
        if number == 4:
            return np.repeat(array, 2, axis=0)[::2]
        if number == 5:
            return np.asfortranarray(array)
        if number == 6:
            return np.ma.array(array, mask=np.zeros(array.shape, dtype=bool))
        if number == 7:
            return np.ma.array(array, mask=np.indices(array.shape).sum(axis=0) == 0)
        if number == 8:
            return array.astype(object)
        if number in (9, 10):
            return _as_frame(array, number == 9)
        if number == 11 and array.ndim == 2:
            from scipy.sparse import csr_array

            return csr_array(array)
        return values

    return st.integers(0, 12).map(form)


def _as_frame(array: Any, pandas: bool) -> Any:
    if pandas:
        import pandas as pd

        return pd.Series(array) if array.ndim == 1 else pd.DataFrame(array)
    import polars as pl

    try:
        return pl.Series(array) if array.ndim == 1 else pl.DataFrame(array)
    except Exception:  # not every array is a column of polars
        return array


def try_call(function: Callable[..., Any], given: dict[str, Any]) -> None:
    """Call; errors of the allowed kinds are answers.

    A RuntimeWarning is a fault, and so are settings of NumPy that stay changed.
    """
    before = np.geterr()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        with suppress(*ALLOWED):
            repr(function(**given))
    assert np.geterr() == before, f"np.geterr() is now {np.geterr()}"
