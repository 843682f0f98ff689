"""wager scores classifiers as bettors.

A classifier may name one class, a set of classes, a probability for each class, probability
intervals, or raw membership values; ``wager`` says what those predictions are worth, to whom,
and which of several classifiers to prefer.
"""

from __future__ import annotations

from importlib import import_module as _import_module

from wager._lazy import lazy_names

# One line a room: where each public name lives.
_ROOMS: dict[str, tuple[str, ...]] = {
    "wager.compare": (
        "break_even",
        "dominance",
        "friedman",
        "head_to_head",
        "indeterminate_gain",
        "least_variance_winner",
        "nemenyi",
        "objective_winner",
        "risk_profile",
        "sequential",
        "wilcoxon",
    ),
    "wager.costs": ("CostMatrix", "CostTally", "ExtendedCosts", "audit", "complete"),
    "wager.credal": (
        "CredalVertices",
        "class_selective_rejection",
        "decide",
        "optimal_sets",
        "reject",
        "reject_credal",
    ),
    "wager.experiments": ("Plan", "Store", "run", "weka_folds"),
    "wager.learners": (
        "AODE",
        "BayesianModelAveraging",
        "C45",
        "CausalMML",
        "Conformal",
        "CredalForest",
        "CredalIntervals",
        "CredalModelAveraging",
        "CredalTree",
        "EnsembleCredal",
        "KRandom",
        "LazyNaiveCredal",
        "NaiveBayes",
        "NaiveCredal",
        "NestedDichotomies",
        "NestedDichotomyForest",
        "Nondeterministic",
        "OptimalSets",
        "RandomClass",
        "Rejecting",
        "TAN",
        "Vacuous",
    ),
    "wager.prepare": (
        "CfsSelector",
        "Dataset",
        "EqualFrequencyDiscretizer",
        "MDLDiscretizer",
        "ModeMeanImputer",
        "NominalEncoder",
        "load_dataset",
    ),
    "wager.predictions": (
        "PredictionSets",
        "ProbabilityIntervals",
        "as_sets",
        "predict_set",
        "read_predictions",
        "scan_predictions",
        "write_predictions",
    ),
    "wager.rewards": (
        "PairedTally",
        "ProbabilityTally",
        "Tally",
        "elicit",
        "evaluate_probabilities",
        "evaluate_sets",
        "get_utility",
    ),
    "wager.partitions": ("standardize", "to_memberships"),
}
_HOMES = {name: room for room, names in _ROOMS.items() for name in names}

# Modules that are had as ``wager.metrics`` after ``import wager`` alone.
_MODULES = sorted({home.removeprefix("wager.") for home in _ROOMS} | {"metrics", "plots", "report"})

__all__ = sorted([*_HOMES, "__version__"])
_names, _ = lazy_names(__name__, _HOMES)


def __getattr__(name: str):
    if name == "__version__":
        from importlib.metadata import version  # takes as long to load as all the rest

        return version("wager")
    if name in _MODULES:
        return _import_module(f"wager.{name}")
    return _names(name)


def __dir__() -> list[str]:
    return sorted([*__all__, *_MODULES])
