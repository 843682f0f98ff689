"""Reference cases of the credal learners: golden ratios and intervals, a peer's sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.reference.compare import assert_close
from tests.reference.registry import Case, check
from wager.costs import CostMatrix
from wager.credal import decide
from wager.learners import NaiveCredal


def codes(rows: list[list[Any]]) -> np.ndarray:
    """Attribute values as codes, missing (null) as -1."""
    return np.array([[-1 if v is None else v for v in row] for row in rows], dtype=int)


def fitted(inputs: dict[str, Any], **arguments: Any) -> NaiveCredal:
    X = codes(inputs["train_X"])
    classes = np.arange(inputs["n_classes"])
    return NaiveCredal(s=inputs["s"], classes=classes, **arguments).fit(X, inputs["train_y"])


def members(sets: Any) -> list[list[int]]:
    return [np.flatnonzero(row).tolist() for row in np.asarray(sets)]


@check("golden/ncc_exact_idm")
def _exact(case: Case):
    inputs, expected = case.data["inputs"], case.data["expected"]
    model, row = fitted(inputs), codes([inputs["row"]])
    found = {
        "prediction": members(model.predict_set(row))[0],
        "inf_ratio": np.exp(model.log_dominance(row)[0]).tolist(),
    }
    assert expected.keys() <= found.keys()
    assert_close(found, expected, case.data["tolerance"])


@check("golden/ncc_local_idm")
def _intervals(case: Case):
    inputs, expected = case.data["inputs"], case.data["expected"]
    model, row = fitted(inputs, idm="intervals"), codes([inputs["row"]])
    credal = model.predict_credal(row)
    ordinal = CostMatrix.ordinal(model.classes_)
    found = {
        "lower": credal.lower[0],
        "upper": credal.upper[0],
        "maximal_01": members(model.predict_set(row))[0],
        "maximal_l1": members(fitted(inputs, idm="intervals", costs=ordinal).predict_set(row))[0],
        "interval_dominance_01": members(decide(credal, "interval-dominance"))[0],
        "gamma_minimax_01": members(decide(credal, "gamma-maximin"))[0],
        "e_admissible_01": members(decide(credal, "e-admissibility"))[0],
    }
    assert expected.keys() <= found.keys()
    assert_close(found, expected, case.data["tolerance"])


def peer_problem(case: Case) -> tuple[dict[str, Any], float, list[list[int]]]:
    """The problem, the strength s of the run, and the peer's sets."""
    strength = float(case.data["key"].rpartition("_s")[2])
    return case.data["problem"], strength, case.data["predicted"]["sets"]


def fit_on_peer(problem: dict[str, Any], learner: Any) -> list[list[int]]:
    """The learner's sets on the peer's test rows."""
    learner.set_params(
        classes=np.arange(len(problem["classes"])),
        n_values=[len(values) for values in problem["feature_values"]],
    )
    learner.fit(np.array(problem["train_X"]), problem["train_y"])
    return members(learner.predict_set(np.array(problem["test_X"])))


@check("ncc_peer/ncc_eps0", "ncc_peer/ncc_eps001")
def _peer_ncc(case: Case):
    problem, s, sets = peer_problem(case)
    floor = 0.01 if case.kind.endswith("001") else 0.0
    ours = fit_on_peer(problem, NaiveCredal(s=s, epsilon=floor))
    margins = case.data["predicted"].get("margin", [None] * len(sets))
    for row, (our, peer) in enumerate(zip(ours, sets, strict=True)):
        tie = margins[row] is not None and margins[row] < 1e-9
        # the peer leaves an exact tie to rounding, and evaluates one point only in these rows
        if not tie and row not in problem["half_missing_rows"]:
            assert our == peer, f"row {row}: {our}, the peer has {peer}"
