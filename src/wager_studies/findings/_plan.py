"""The plan of the comparison: conformal, credal and other sets on the same folds."""

from __future__ import annotations

from typing import Any

from wager.experiments import Plan
from wager_studies._data_sets import preset

__all__ = ["ALPHAS", "BAYES", "FOREST", "MEASURES", "plan"]

ALPHAS = (0.05, 0.1, 0.2)
MEASURES = ("determinacy", "coverage", "mean_set_size", "u50", "u65", "u80")
# Two have as many rows as all the others together; MDL drops all features of one in half the folds.
LEFT_OUT = ("letter", "connect-4", "liver-disorders")
TREES = 30
SEED = 0  # all methods around a forest share the forest, conformal sets the calibration rows
MEMBERS = 25

NAIVE: dict[str, Any] = {"learner": "naive-bayes", "params": {}}
RANDOM_FOREST: dict[str, Any] = {
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


# Around naive Bayes; and the credal tree, which has no precise counterpart here.
BAYES: dict[str, dict[str, Any]] = {
    "NBC": NAIVE,
    "NCC": {"learner": "naive-credal", "params": {"epsilon": 0.01}},
    "CDT": {"learner": "credal-tree", "params": {"ties": "weka"}},  # as published
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

# One method of each kind around a random forest.
FOREST: dict[str, dict[str, Any]] = {
    "RF": RANDOM_FOREST,
    "RF IDM": _around(RANDOM_FOREST, "ensemble-credal", envelope="idm"),
    "RF NDC": _around(RANDOM_FOREST, "nondeterministic"),
    "RF LAC 10%": _conformal(RANDOM_FOREST, "lac", 0.1),
    "RF LAC+ 10%": _conformal(RANDOM_FOREST, "lac", 0.1, allow_empty=False),
    "RF APS 10%": _conformal(RANDOM_FOREST, "aps", 0.1),
    "RF REJ 65": _around(RANDOM_FOREST, "rejecting", threshold=0.65),
}


def plan(data: str | None, quick: bool) -> Plan:
    """52 data sets in ten folds; three data sets in three folds for a quick run."""
    shared = preset(data, quick, as_printed=False)
    kept = [entry for entry in shared["datasets"] if entry["name"] not in LEFT_OUT]
    once = shared["scheme"] | {"repeats": 1, "n_folds": 3 if quick else 10}
    return Plan(
        **shared | {"datasets": kept, "scheme": once},
        name="conformal-vs-credal",
        learners={**BAYES, **FOREST},
        measures=MEASURES,
    )
