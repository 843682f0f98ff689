"""The plan of the comparison of conformal and credal sets: one of each kind, on the same folds."""

from __future__ import annotations

from typing import Any

from wager.experiments import Plan
from wager_studies.zaffalon._data import preset

__all__ = ["ALPHAS", "BAYES", "FOREST", "MEASURES", "plan"]

ALPHAS = (0.05, 0.1, 0.2)
MEASURES = ("determinacy", "coverage", "mean_set_size", "u50", "u65", "u80")
# Two with as many rows as all the others together; one whose features MDL drops in half the folds.
LEFT_OUT = ("letter", "connect-4", "liver-disorders")
TREES = 30
SEED = 0  # so that the methods around a forest share it, and conformal sets their calibration rows
MEMBERS = 25

NAIVE: dict[str, Any] = {"learner": "naive-bayes", "params": {}}
TREES_OF: dict[str, Any] = {
    "learner": "sklearn.ensemble.RandomForestClassifier",
    "params": {"n_estimators": TREES, "random_state": SEED},
}
BAGGED: dict[str, Any] = {
    "learner": "sklearn.ensemble.BaggingClassifier",
    "params": {
        "n_estimators": MEMBERS,
        # a resample may miss a class
        "estimator": {"learner": "naive-bayes", "params": {"empty_classes": "drop"}},
    },
}


def _around(base: dict[str, Any], learner: str, **params: Any) -> dict[str, Any]:
    return {"learner": learner, "params": {"estimator": base, **params}}


def _conformal(base: dict[str, Any], method: str, alpha: float, **more: Any) -> dict[str, Any]:
    return _around(base, "conformal", method=method, alpha=alpha, random_state=SEED, **more)


def _level(alpha: float) -> str:
    return f"{100 * alpha:g}%"


# Around naive Bayes, and the credal tree, which has no precise twin among them.
BAYES: dict[str, dict[str, Any]] = {
    "NBC": NAIVE,
    "NCC": {"learner": "naive-credal", "params": {"epsilon": 0.01}},
    "CDT": {"learner": "credal-tree"},
    "NDC": _around(NAIVE, "nondeterministic"),
    "BAG": _around(BAGGED, "ensemble-credal"),
    **{f"LAC {_level(alpha)}": _conformal(NAIVE, "lac", alpha) for alpha in ALPHAS},
    **{
        f"LAC+ {_level(alpha)}": _conformal(NAIVE, "lac", alpha, allow_empty=False)
        for alpha in ALPHAS
    },
    **{f"APS {_level(alpha)}": _conformal(NAIVE, "aps", alpha) for alpha in ALPHAS},
    "REJ 65": _around(NAIVE, "rejecting", threshold=0.65),
    "REJ 80": _around(NAIVE, "rejecting", threshold=0.8),
    "BEST 65": _around(NAIVE, "optimal-sets", utility="u65"),
    "BEST 80": _around(NAIVE, "optimal-sets", utility="u80"),
}

# The same around a random forest, one of each kind.
FOREST: dict[str, dict[str, Any]] = {
    "RF": TREES_OF,
    "RF IDM": _around(TREES_OF, "ensemble-credal", envelope="idm"),
    "RF NDC": _around(TREES_OF, "nondeterministic"),
    "RF LAC 10%": _conformal(TREES_OF, "lac", 0.1),
    "RF LAC+ 10%": _conformal(TREES_OF, "lac", 0.1, allow_empty=False),
    "RF APS 10%": _conformal(TREES_OF, "aps", 0.1),
    "RF REJ 65": _around(TREES_OF, "rejecting", threshold=0.65),
}


def plan(data: str | None, quick: bool) -> Plan:
    """52 data sets in ten folds; for a quick run three, in three folds."""
    shared = preset(data, quick)
    kept = [entry for entry in shared["datasets"] if entry["name"] not in LEFT_OUT]
    once = shared["scheme"] | {"repeats": 1, "n_folds": 3 if quick else 10}
    return Plan(
        **shared | {"datasets": kept, "scheme": once},
        name="conformal-vs-credal",
        learners={**BAYES, **FOREST},
        measures=MEASURES,
    )
