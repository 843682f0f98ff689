"""One call of each public function, with the rows of a case.

Parameters that mean the same everywhere have their values in `ARGUMENTS`; what else a function
needs, and the results that it is given, are in `SPECIAL`.  A name with a bar is one more call of
the function before it.  Functions of no rows are in `WITHOUT_ROWS`, with the reason.
"""

from __future__ import annotations

import atexit
import itertools
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

import wager
from tests.fuzz.functions import parameters_of, targets
from tests.relations.cases import Case, drawn
from wager import costs, rewards

UNITS = ("sample_weight", "counts", "groups")
ROWS = drawn()
DEFAULT: Any = ...  # the parameter is left to its default

ARGUMENTS: dict[str, Callable[[Case], Any]] = {
    **dict.fromkeys(("y_true", "y", "true_class"), lambda c: c.named(ROWS.true, c.names)),
    **dict.fromkeys(("y_pred", "predictions", "pred_a", "credal"), lambda c: c.sets(ROWS.sets)),
    **dict.fromkeys(("pred_b", "precise"), lambda c: c.named(ROWS.single, c.names)),
    **dict.fromkeys(("proba", "proba_a", "memberships"), lambda c: c.table(ROWS.proba)),
    **dict.fromkeys(("proba_b", "true_proba", "p_values"), lambda c: c.table(ROWS.more_proba)),
    **dict.fromkeys(("confidence", "widths"), lambda c: c.vector(ROWS.width)),
    "by": lambda c: c.named(ROWS.site, c.sites),
    "X": lambda c: c.features(),
    "classes": lambda c: c.classes if c.declared else DEFAULT,
    "prior": lambda c: c.by_class([0.5, 0.2, 0.3]),
    "costs": Case.costs,
    "hierarchy": Case.tree,
    "class_order": Case.ordinal,
    "rewards": lambda c: wager.SetRewards.by_class("u65", c.by_class([1, 2, 5]), c.classes),
    "utility": lambda c: "u65",
    "utilities": lambda c: ["u65", "u80"],
    "alpha": lambda c: 0.2,
}


def units_of(name: str) -> tuple[str, ...]:
    """The units of rows that a call takes; results and files in its arguments take all."""
    if name in FROM_RESULTS:
        return UNITS
    own = parameters_of(targets()[function_of(name)].call)
    return tuple(unit for unit in UNITS if unit in own and name not in OTHER_COUNTS)


def function_of(name: str) -> str:
    """The name of the function of a call."""
    return name.partition(" | ")[0]


def arguments(name: str, case: Case) -> dict[str, Any]:
    """What a call needs, its units, and the classes, priors and groups that it can take."""
    given = dict(SPECIAL[name](case)) if name in SPECIAL else {}
    units = case.of_units()
    for key, parameter in parameters_of(targets()[function_of(name)].call).items():
        if key in given or parameter.kind is parameter.VAR_KEYWORD:
            continue
        if key in units:
            given[key] = units[key]
        elif parameter.default is parameter.empty or key in ("classes", "prior", "by"):
            given[key] = ARGUMENTS[key](case)
    return {key: value for key, value in given.items() if value is not DEFAULT}


def is_by_group(name: str) -> bool:
    """Whether a call has answers for each group."""
    has_by = "by" in parameters_of(targets()[function_of(name)].call)
    return has_by or name == "report.score_groups"


def call(name: str, case: Case) -> Any:
    """The answer of a function to a case."""
    return targets()[function_of(name)].call(**arguments(name, case))


# -- results and files -----------------------------------------------------------------------------


def _tallies(case: Case) -> dict[str, Any]:
    other = arguments("wager.Tally.of", case) | {"y_pred": case.sets(ROWS.more_sets)}
    return {"A": call("wager.Tally.of", case), "B": wager.Tally.of(**other)}


def _paired(case: Case) -> Any:
    return call("wager.PairedTally.of", case)


def _paired_costs(case: Case) -> Any:
    return call("compare.PairedCosts.of", case)


def _extended(case: Case) -> Any:
    return case.costs().extend("p-discounted", r=0.5)


def _bounds(case: Case) -> dict[str, Any]:
    low, high = np.maximum(ROWS.proba - 0.1, 0), np.minimum(ROWS.proba + 0.1, 1)
    return {"lower": case.table(low), "upper": case.table(high), "classes": case.classes}


def _intervals(case: Case) -> Any:
    return wager.ProbabilityIntervals(**_bounds(case))


def _selective(case: Case, confidence: Any) -> Any:
    given = arguments("wager.evaluate_selective", case) | {"confidence": case.vector(confidence)}
    return wager.evaluate_selective(**given)


def _judges(case: Case) -> dict[str, Any]:
    return {"x": case.table(ROWS.proba), "y": case.table(ROWS.more_proba)}


def _scores(case: Case) -> dict[str, Any]:
    """Classifiers have the names of the classes, and data sets are rows."""
    return {"scores": case.table(np.round(ROWS.proba, 1)), "names": case.classes}


def _two(case: Case) -> dict[str, Any]:
    return {name: case.vector(np.round(ROWS.proba[:, j], 1)) for j, name in enumerate("ab")}


def _model(case: Case) -> Any:
    return wager.NaiveCredal().fit(case.features(), ARGUMENTS["y"](case))


def _written(case: Case, form: str = "set", more: bool = False) -> Path:
    """A file with the rows, their units and their groups; with ids if they are distinct."""
    path, plain = _folder() / f"{next(_NUMBERS)}.csv", replace(case, form="array")
    given = {
        "sets": plain.sets(ROWS.more_sets if more else ROWS.sets),
        "proba": plain.table(ROWS.more_proba if more else ROWS.proba),
    }
    column = "sets" if form == "set" else "proba"
    units = plain.of_units()
    distinct = len(set(case.rows)) == len(case.rows)
    wager.write_predictions(
        path,
        ARGUMENTS["y"](plain),
        classes=case.classes,
        form=form,
        weight=units.get("sample_weight"),
        count=units.get("counts"),
        cluster=units.get("groups"),
        group=ARGUMENTS["by"](plain),
        id=[f"r{row}" for row in case.rows] if distinct else None,
        **{column: given[column]},
    )
    return path


def _cluster(case: Case) -> str | None:
    return "cluster" if "groups" in case.units else None


def _scanned(case: Case, form: str = "set") -> dict[str, Any]:
    options = {"classes": case.classes, "cluster": _cluster(case), "by": "group"}
    file = wager.scan_predictions(_written(case, form), **options)
    return {"file": file, "name": "p", "utilities": [rewards.get_utility("u65")]}


def _two_files(case: Case, form: str) -> dict[str, Any]:
    paths = [_written(case, form), _written(case, form, more=True)]
    return {"paths": paths, "names": ["A", "B"], "cluster": _cluster(case)}


_NUMBERS = itertools.count()


@cache
def _folder() -> Path:
    made = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def _labels_of(case: Case, row: Any) -> list[str]:
    return [case.names[code] for code in np.flatnonzero(row)]


def _top(case: Case) -> dict[str, Any]:
    first = np.argsort(-ROWS.proba, axis=1)[:, :2]
    return {
        "labels": [[case.names[code] for code in first[row]] for row in case.rows],
        "proba": [ROWS.proba[row, first[row]].tolist() for row in case.rows],
    }


def _masks(case: Case) -> Any:
    bits = [sum(1 << case.order.index(c) for c in np.flatnonzero(row)) for row in ROWS.sets]
    return case.vector(bits)


def _stored(name: str) -> dict[str, Callable[[Case], dict[str, Any]]]:
    return {
        f"{name}.from_dict": lambda c: {"data": call(f"{name}.of", c).to_dict()},
        f"{name}.from_json": lambda c: {"text": call(f"{name}.of", c).to_json()},
    }


TALLIES = (
    "wager.Tally", "wager.PairedTally", "wager.CostTally", "wager.ProbabilityTally",
    "rewards.ClassTally", "compare.PairedCosts", "compare.PairedProbabilities",
)  # fmt: skip
ORDERED = (
    "metrics.mean_distance_to_set", "metrics.mean_width", "metrics.ordinal_interval_score",
    "metrics.contiguity_rate", "wager.evaluate_ordered",
)  # fmt: skip
SPECIAL: dict[str, Callable[[Case], dict[str, Any]]] = {
    **{name: given for tally in TALLIES for name, given in _stored(tally).items()},
    **dict.fromkeys(ORDERED, lambda c: {"class_order": c.ordinal()}),
    **dict.fromkeys(("wager.friedman", "wager.nemenyi"), _scores),
    **dict.fromkeys(("wager.wilcoxon", "compare.sign_test", "compare.paired_t"), _two),
    # classes, costs and utilities
    "wager.ClassHierarchy": lambda c: {"tree": c.tree()},
    "wager.CostMatrix": lambda c: {"costs": c.costs().costs, "classes": c.classes},
    "wager.CostMatrix.ha": lambda c: {"eta": c.by_class([1, 2, 5])},
    "wager.CostMatrix.ordinal": lambda c: {"classes": c.ordinal()},
    "wager.CostMatrix.zero_one": lambda c: {"classes": c.classes},
    "wager.SetRewards.ordered": lambda c: {"classes": c.ordinal()},
    "wager.SetRewards.by_class": lambda c: {
        "weights": c.by_class([1, 2, 5]), "classes": c.classes
    },
    "wager.audit": lambda c: {"extended": _extended(c)},
    "wager.complete": lambda c: {
        "answers": [costs.SetCost((c.names[0], c.names[1]), c.names[0], 0.4)]
    },
    "costs.cost_template": lambda c: {"classes": c.classes},
    "costs.decision_intervals": lambda c: {
        "extended": wager.CostMatrix([[0, 7], [3, 0]], c.names[:2]).extend()
    },
    "rewards.game_value": lambda c: {"rewards": ARGUMENTS["rewards"](c).matrix()},
    "metrics.make_set_scorer": lambda c: {"metric": "average_cost", "costs": c.costs()},
    "metrics.optimal_report_2002": lambda c: {
        "frequency": pd.Series(c.by_class([0.2, 0.5, 0.3])),
        "prior": pd.Series(c.by_class([0.5, 0.2, 0.3])),
    },
    "metrics.prior_from_counts": lambda c: {"counts": c.by_class([7, 2, 5])},
    # predictions
    "wager.Dataset.from_columns": lambda c: {
        "name": "trees",
        "columns": {
            "width": c.vector(ROWS.width), "site": ARGUMENTS["by"](c), "tree": ARGUMENTS["y"](c)
        },
        "target": "tree",
    },
    "wager.CredalVertices": lambda c: {
        "vertices": np.stack([ROWS.proba, ROWS.more_proba], 1)[list(c.rows)][:, :, list(c.order)],
        "classes": c.classes,
    },
    "wager.CredalVertices.from_intervals": lambda c: {"intervals": _intervals(c)},
    "wager.PredictionSets.from_indicator": lambda c: {"matrix": c.table(ROWS.sets)},
    "wager.PredictionSets.from_labels": lambda c: {"labels": ARGUMENTS["pred_b"](c)},
    "wager.PredictionSets.from_lists": lambda c: {
        "lists": [_labels_of(c, ROWS.sets[row]) for row in c.rows]
    },
    "wager.PredictionSets.from_strings": lambda c: {
        "strings": c.vector(["|".join(_labels_of(c, row)) for row in ROWS.sets])
    },
    "wager.PredictionSets.from_masks": lambda c: {"masks": _masks(c), "classes": c.classes},
    "wager.ProbabilityIntervals": _bounds,
    "wager.ProbabilityIntervals.from_contamination": lambda c: {
        "p": c.table(ROWS.proba), "epsilon": 0.2
    },
    "wager.ProbabilityIntervals.from_idm": lambda c: {"counts": c.table(np.round(9 * ROWS.proba))},
    "predictions.TopKProbabilities": _top,
    "predictions.TopKProbabilities.from_proba": lambda c: {"k": 2},
    "predictions.TopKProbabilities.from_sparse": lambda c: {
        "matrix": sparse.csr_array(ROWS.proba[list(c.rows)][:, list(c.order)]),
        "classes": c.classes,
    },
    "wager.to_memberships": lambda c: {"scores": c.table(ROWS.more_proba)},
    # decisions
    "wager.class_selective_rejection": lambda c: {"delta": 0.1, "eta": c.by_class([1, 2, 5])},
    "wager.decide": lambda c: {"credal": _intervals(c), "rule": "maximality", "costs": c.costs()},
    "wager.decide | e-admissibility": lambda c: {
        "credal": _intervals(c), "rule": "e-admissibility", "costs": c.costs()
    },
    "wager.optimal_sets": lambda c: {"utility": DEFAULT, "costs": _extended(c)},
    "wager.optimal_sets | utility": lambda c: {"utility": "u80", "costs": DEFAULT},
    "wager.optimal_sets | rewards": lambda c: {
        "utility": DEFAULT, "rewards": ARGUMENTS["rewards"](c)
    },
    "wager.pool_judges": lambda c: {
        "judges": _judges(c), "method": "linear", "weights": {"y": 0.3, "x": 0.7}
    },
    "wager.pool_judges | hull": lambda c: {
        "judges": _judges(c), "method": "hull", "discount": {"y": 0.3, "x": 0.1}
    },
    "credal.judge_conflict": lambda c: {"judges": _judges(c)},
    "wager.reject": lambda c: {"threshold": 0.6},
    "wager.reject_credal": lambda c: {
        "intervals": _intervals(c), "threshold": 0.4,
        "sets": wager.as_sets(ARGUMENTS["y_pred"](c), c.classes),
    },
    "wager.explain_set": lambda c: {"estimator": _model(c), "x": [[1, 2]]},
    "wager.predict_set": lambda c: {"estimator": _model(c), "classes": c.classes},
    "wager.robustness": lambda c: {"estimator": _model(c)},
    # measures
    "wager.coverage_report | by class": lambda c: {
        "by": {"site": ARGUMENTS["by"](c), "width": c.vector(ROWS.width)},
        "by_class": True, "n_bins": 3,
    },
    "wager.evaluate_hierarchy": lambda c: {"by": DEFAULT},
    "wager.evaluate_selective": lambda c: {"utility": "u65"},
    "wager.evaluate_selective | costs": lambda c: {"costs": _extended(c)},
    "wager.evaluate_sets": lambda c: {"costs": c.costs()},
    "wager.standardize | depth 2": lambda c: {"depth": 2},
    "metrics.average_cost": lambda c: {"costs": _extended(c)},
    "metrics.difficulty_violation": lambda c: {"scores": c.table(ROWS.more_proba)},
    "metrics.evaluate_costs": lambda c: {"costs": _extended(c)},
    "metrics.hierarchical_utility": lambda c: {"by": DEFAULT},
    "costs.generalized_mean": lambda c: {"values": c.vector(ROWS.width), "p": 2},
    "partitions.beta_moments": lambda c: {"values": c.vector(ROWS.width)},
    "rewards.calibration_test": lambda c: {
        "bins": call("wager.evaluate_probabilities", c).reliability_top_label, "n_resamples": 99
    },
    # comparisons
    "wager.break_even": lambda c: {"a": _paired(c)},
    "wager.break_even | costs": lambda c: {"a": _paired_costs(c), "costs": c.costs()},
    "wager.break_even_accuracy": lambda c: {"paired": _paired(c), "cost": 0.1},
    "wager.break_even_weight": lambda c: {
        "paired": _paired_costs(c), "rewards": ARGUMENTS["rewards"](c), "label": c.names[0]
    },
    "wager.dominance": lambda c: {"a": _paired(c)},
    "wager.head_to_head": lambda c: {
        "predictions": {
            "A": c.sets(ROWS.sets), "B": c.named(ROWS.single, c.names), "C": c.sets(ROWS.more_sets)
        },
        "costs": c.costs(),
    },
    "wager.least_variance_winner": lambda c: {"tallies": _tallies(c)},
    "wager.objective_winner": lambda c: dict(
        zip(("tally_a", "tally_b"), _tallies(c).values(), strict=True)
    ),
    "wager.risk_profile": lambda c: {"tallies": _tallies(c)},
    "rewards.expected_utility_of_bets": lambda c: {"tally": call("wager.Tally.of", c), "m": 3},
    "rewards.first_order_dominates": lambda c: dict(zip("ab", _tallies(c).values(), strict=True)),
    "rewards.second_order_dominates": lambda c: dict(zip("ab", _tallies(c).values(), strict=True)),
    "compare.bayesian_correlated_t": lambda c: _two(c) | {"rope": 0.01, "rho": 0.1},
    "compare.bonferroni_dunn": lambda c: _scores(c) | {"control": c.names[0]},
    "compare.combine_e_values": lambda c: {"values": c.vector(ROWS.width)},
    "compare.compare_probabilities": lambda c: {
        "probabilities": {"A": c.table(ROWS.proba), "B": c.table(ROWS.more_proba)}
    },
    "compare.compare_selective": lambda c: {
        "a": _selective(c, ROWS.width), "b": _selective(c, ROWS.proba.max(axis=1))
    },
    "compare.corrected_t": lambda c: _two(c) | {"n_train": 90, "n_test": 10},
    "compare.equivalence": lambda c: {"paired": _paired(c), "utility": "u65", "margin": 0.2},
    "compare.holm": lambda c: _scores(c) | {"control": c.names[0]},
    "compare.mcnemar": lambda c: {
        "correct_a": c.vector(ROWS.sets[:, 0]), "correct_b": c.vector(ROWS.sets[:, 1])
    },
    "compare.over_datasets": lambda c: {
        "scores": {"u65": _scores(c)["scores"]}, "names": c.classes
    },
    "compare.sample_size": lambda c: {"pilot": _paired(c)},
    "compare.wins_table": lambda c: {"scores": {"u65": ([_two(c)["a"]], [_two(c)["b"]])}},
    # files and reports
    "wager.Tally.of_file": lambda c: {"path": _written(c), "cluster": _cluster(c)},
    "wager.read_predictions": lambda c: {"path": _written(c)},
    "wager.write_predictions": lambda c: {"path": _written(c), "sets": ARGUMENTS["y_pred"](c)},
    "compare.compare_files": lambda c: _two_files(c, "set"),
    "compare.compare_probability_files": lambda c: _two_files(c, "proba"),
    "report.comparison_words": lambda c: {
        "found": [call("report.score_file", c)] * 2, "utilities": [rewards.get_utility("u65")]
    },
    "report.report_data": lambda c: {"source": call("wager.evaluate_sets", c)},
    "report.score_file": lambda c: _scanned(c) | {"by_class": True, "costs": c.costs()},
    "report.score_file | probabilities": lambda c: _scanned(c, "proba") | {
        "prior": c.by_class([0.5, 0.2, 0.3])
    },
    "report.score_groups": _scanned,
}  # fmt: skip

# Calls of results or files that are made of rows with units.
FROM_RESULTS = {
    *(name for tally in TALLIES for name in _stored(tally)),
    "rewards.calibration_test", "wager.break_even", "wager.break_even | costs",
    "wager.break_even_accuracy", "wager.break_even_weight", "wager.dominance",
    "wager.least_variance_winner", "wager.objective_winner", "wager.risk_profile",
    "rewards.expected_utility_of_bets", "rewards.first_order_dominates",
    "rewards.second_order_dominates", "compare.compare_selective", "compare.equivalence",
    "compare.sample_size", "wager.Tally.of_file", "wager.read_predictions",
    "compare.compare_files", "compare.compare_probability_files", "report.comparison_words",
    "report.report_data", "report.score_file", "report.score_file | probabilities",
    "report.score_groups",
}  # fmt: skip
OTHER_COUNTS = {"wager.ProbabilityIntervals.from_idm", "metrics.prior_from_counts"}  # of classes

_UTILITY = "a utility: of set sizes alone"
_DRAWN = "a random problem, or its parts"
_TEXT = "of words, a table or a picture of a result that other calls read"
WITHOUT_ROWS = {
    **dict.fromkeys(
        ("wager.get_utility", "wager.human_utility", "rewards.Custom", "rewards.Exponential",
         "rewards.Exponential.through", "rewards.FBeta", "rewards.HumanUtility", "rewards.Linear",
         "rewards.Logarithmic", "rewards.Power", "rewards.Quadratic", "rewards.Tabulated",
         "rewards.extended_reward_matrix", "rewards.human_score", "rewards.inversion_point",
         "rewards.mic", "rewards.mip", "rewards.random_vs_vacuous", "rewards.read_utility",
         "rewards.utility_score", "rewards.write_utility", "rewards.elicit.Session",
         "rewards.elicit.interview"), _UTILITY),
    **{name: _DRAWN for name in targets() if name.startswith("experiments.generators.")},
    **{name: _TEXT for name in targets() if name.startswith("plots.")},
    **dict.fromkeys(
        ("report.explain", "report.latex_note", "report.markdown_text", "report.page",
         "report.search_topics", "report.to_csv", "report.to_latex", "report.to_markdown",
         "report.topics"), _TEXT),
    **dict.fromkeys(
        ("wager.PairedTally", "wager.PairedTally.empty", "wager.Tally", "wager.Tally.empty",
         "wager.Tally.from_distribution", "wager.Dataset"),
        "of counts or columns that users rarely have; `of` and `from_columns` make the same"),
    **dict.fromkeys(
        ("wager.CostMatrix.from_file", "costs.read_answers", "costs.read_costs", "costs.Answer",
         "costs.costs_to_csv"), "costs in files, or an abstract class: tests/test_named_costs.py"),
    **dict.fromkeys(
        ("compare.DriftTest.from_dict", "compare.Monitor.from_dict", "compare.Monitor.from_json",
         "compare.Monitor.start", "compare.SequentialState", "compare.SequentialState.from_json",
         "compare.sequential_differences", "wager.sequential", "report.LogMonitor.from_json",
         "report.monitor_log"), "follows the order of the rows on purpose"),
    **dict.fromkeys(
        ("wager.weka_folds", "experiments.fold_of_row", "wager.load_dataset", "wager.meta_metric"),
        "of data sets and their random parts"),
    **dict.fromkeys(
        ("compare.bayesian_hierarchical", "compare.bayesian_signed_rank"),
        "draws random numbers for each data set in turn"),
    "wager.scan_predictions": "an open file, which report.score_file reads",
    "compare.five_by_two_cv": "of ten numbers, which have their places",
    "compare.repeated_measures_anova": "of numbers that have their places",
}  # fmt: skip

# Of numbers that have other orders than that of the classes.
ORDERS = {
    "metrics.prior_from_counts": lambda c: sorted(c.names),
    "metrics.optimal_report_2002": lambda c: c.classes[::-1],
    "wager.predict_set": lambda c: c.classes,  # which the call passes in any case
    "metrics.class_coverage": lambda c: c.classes if c.declared else c.classes[1:] + c.classes[:1],
}


def order_of(name: str, case: Case) -> list[str]:
    """The classes in the order of numbers that an answer gives without their names."""
    if name in ORDERS:
        return ORDERS[name](case)
    return case.classes if case.declared else sorted(case.names)


def calls() -> list[str]:
    """The names of all calls."""
    plain = [name for name, target in targets().items() if not target.is_estimator]
    named = [name for name in SPECIAL if name not in plain]
    return sorted({*plain, *named} - WITHOUT_ROWS.keys())
