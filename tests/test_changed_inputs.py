"""Results do not change with the arrays that they were made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wager
from wager import compare, report

Inputs = dict[str, Any]
N = 40


def _inputs() -> Inputs:
    rng = np.random.default_rng(3)
    sets, others = rng.random((2, N, 3)) < 0.5
    sets[np.arange(N), rng.integers(0, 3, N)] = True
    others[np.arange(N), rng.integers(0, 3, N)] = True
    lists = [[code for code in range(3) if row[code]] for row in sets]
    return {
        "codes": rng.integers(0, 3, N),
        "sets": sets,
        "others": others,
        "lists": lists,
        "proba": rng.dirichlet(np.ones(3), N),
        "weights": rng.uniform(0.5, 2, N),
        "counts": rng.integers(1, 4, N),
        "clusters": rng.integers(0, 10, N),
        "prior": np.array([0.2, 0.3, 0.5]),
        "squares": np.array([1.0, 2.0, 3.0]),
        "grid": np.array([0.5, 0.6, 0.8]),
        "table": rng.random((10, 3)),
        "classes": np.array([0, 1, 2]),
        "points": rng.dirichlet(np.ones(3), (N, 2)),
        "many": rng.integers(0, 150, N),
        "wide": np.eye(150, dtype=bool)[rng.integers(0, 150, N)],
    }


def _change(inputs: Inputs) -> None:
    for value in inputs.values():
        if isinstance(value, list):
            for row in value:
                row[:] = [0]
            value[0] = [0, 1, 2]
        elif value.dtype.kind == "f":
            value[...] = np.where(np.arange(value.size).reshape(value.shape) % 3, 0.25, 0.5)
        else:
            value[...] = value.ravel()[0]


def _pair(i: Inputs) -> Any:
    return {"A": i["sets"], "B": i["others"]}


def _page(i: Inputs, predictions: Any) -> Any:
    units = {"sample_weight": i["weights"], "counts": i["counts"], "groups": i["clusters"]}
    return wager.head_to_head(i["codes"], predictions, classes=i["classes"], **units)


def _standardized(i: Inputs) -> Any:
    units = {"sample_weight": i["weights"], "counts": i["counts"], "groups": i["clusters"]}
    return wager.standardize(i["codes"], i["proba"], **units)


def _new_objects(i: Inputs) -> Any:
    fitted = wager.standardize(i["codes"].copy(), i["proba"].copy())
    units = {"sample_weight": i["weights"], "counts": i["counts"], "groups": i["clusters"]}
    return fitted.transform(i["proba"], i["codes"], **units)


CASES: dict[str, tuple[Callable[[Inputs], Any], Callable[[Any], Any]]] = {
    "measures by class of clusters": (
        lambda i: wager.evaluate_sets(
            i["codes"], i["sets"], sample_weight=i["weights"], groups=i["clusters"]
        ),
        lambda found: found.by_class.to_numpy().tolist(),
    ),
    "measures by class of many classes": (
        lambda i: wager.evaluate_sets(i["many"], i["wide"], sample_weight=i["weights"]),
        lambda found: found.by_class["rows"].tolist(),
    ),
    "standardized partition": (_standardized, lambda found: found.to_dict()),
    "measured partition": (_new_objects, lambda found: found.to_dict()),
    "prior": (
        lambda i: wager.evaluate_probabilities(i["codes"], i["proba"], i["prior"]),
        lambda found: found.to_dict(),
    ),
    "prior of a tally": (
        lambda i: wager.ProbabilityTally.of(i["codes"], i["proba"], i["prior"]),
        lambda found: found.to_dict(),
    ),
    "prior of a comparison": (
        lambda i: compare.compare_probabilities(
            i["codes"], {"A": i["proba"], "B": i["proba"][::-1]}, prior=i["prior"]
        ),
        lambda found: found.to_dict(),
    ),
    "second moments": (
        lambda i: wager.Tally([[0, 0], [1, 2], [0, 3]], squares=i["squares"]),
        lambda found: found.to_dict(),
    ),
    "vertices": (
        lambda i: wager.CredalVertices(i["points"]),
        lambda found: found.envelope().upper.tolist(),
    ),
    "grid of a risk profile": (
        lambda i: wager.risk_profile({"A": wager.Tally.of(i["codes"], i["sets"])}, grid=i["grid"]),
        lambda found: found.to_frame().to_numpy().tolist(),
    ),
    "scores on data sets": (
        lambda i: compare.over_datasets({"u65": i["table"]}),
        lambda found: found.to_dict(),
    ),
    "page of a comparison": (
        lambda i: _page(i, _pair(i)),
        lambda found: report.report_data(found),
    ),
    "page of a comparison of lists": (
        lambda i: _page(i, {"A": i["lists"], "B": i["others"]}),
        lambda found: report.report_data(found),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_results_keep_their_numbers_if_inputs_change_later(name: str):
    make, read = CASES[name]
    inputs = _inputs()
    expected = repr(read(make(_inputs())))
    found = make(inputs)
    _change(inputs)
    assert repr(read(found)) == expected


ARRAYS: dict[str, Callable[[Inputs], Any]] = {
    "cells": lambda i: wager.Tally.of(i["codes"], i["sets"], sample_weight=i["weights"]).cells[2],
    "squares": lambda i: wager.Tally.of(i["codes"], i["sets"], sample_weight=i["weights"]).squares,
    "counts": lambda i: (
        wager.PairedTally.of(i["codes"], i["sets"], i["others"], sample_weight=i["weights"]).counts
    ),
    "counts of sets": lambda i: (
        wager.CostTally.of(i["codes"], i["sets"], sample_weight=i["weights"]).counts
    ),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_sums_of_tallies_are_read_only(name: str):
    given = ARRAYS[name](_inputs())
    with pytest.raises(ValueError, match="read-only"):
        given /= given.sum()
