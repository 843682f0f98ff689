"""Arguments of calls that work, for functions whose arguments random values rarely fit."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

import wager
from wager import compare, costs, report, rewards
from wager.experiments import generators
from wager.rewards import elicit

Y = ["a", "b", "c", "a", "b", "c", "a", "b"]
CLASSES = ["a", "b", "c"]
SETS = [["a"], ["a", "b"], ["c"], ["b"], ["b", "c"], ["a", "b", "c"], ["a"], ["c"]]
POINTS = ["a", "b", "b", "a", "b", "c", "c", "b"]
PROBA = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6], [0.5, 0.4, 0.1]] * 2)
PRIOR = [0.4, 0.3, 0.3]
A = [0.81, 0.78, 0.9, 0.7, 0.66, 0.84, 0.79, 0.73, 0.6, 0.88]
B = [0.8, 0.75, 0.91, 0.65, 0.6, 0.8, 0.77, 0.7, 0.61, 0.83]
TABLE = np.column_stack([A, B, np.array(A) - 0.03])
X = np.array([[0, 1], [1, 1], [2, 0], [0, 0], [1, 2], [2, 2], [0, 2], [1, 0]])
LINES = "y_true,set\n" + "".join(f"{y},{'|'.join(s)}\n" for y, s in zip(Y, SETS, strict=True))
OTHER = "y_true,y_pred\n" + "".join(f"{y},{p}\n" for y, p in zip(Y, POINTS, strict=True))
NUMBERS = "y_true,p:a,p:b,p:c\n" + "".join(
    f"{y},{','.join(map(str, row))}\n" for y, row in zip(Y, PROBA.tolist(), strict=True)
)
COSTS = 'classes = ["a", "b"]\ncosts = [[0, 1], [2, 0]]\n'
ANSWERS = '[[answer]]\nset = ["a", "b"]\ntrue = "a"\ncost = 0.3\n'
UTILITY = 'kind = "tabulated"\nvalues = [1.0, 0.7, 0.5]\n'


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _file(name: str, text: str) -> str:
    path = _folder() / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def _tally() -> wager.Tally:
    return wager.Tally.of(Y, SETS, classes=CLASSES)


def _pair() -> wager.PairedTally:
    return wager.PairedTally.of(Y, SETS, POINTS, classes=CLASSES)


def _cost_matrix() -> wager.CostMatrix:
    return wager.CostMatrix([[0, 1, 2], [2, 0, 1], [3, 1, 0]], CLASSES)


def _rewards() -> wager.SetRewards:
    return wager.SetRewards.by_class({"a": "u65", "b": "u80", "c": "log"}, classes=CLASSES)


def _paired_costs() -> Any:
    return compare.PairedCosts.of(Y, SETS, POINTS, classes=CLASSES)


def _selective(confidence: Any = None) -> Any:
    weight = np.linspace(0.5, 0.9, len(Y)) if confidence is None else confidence
    return wager.evaluate_selective(Y, POINTS, weight)


def _network() -> generators.BayesianNetwork:
    tables = (np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.2, 0.8]]))
    return generators.BayesianNetwork(((), (0,)), tables, 0)


def _monitor() -> Any:
    return compare.Monitor((compare.DriftTest("coverage", 0.8),)).update(Y, SETS, CLASSES)


def _model() -> Any:
    return wager.NaiveCredal().fit(X, Y)


HIERARCHY = {"a": "ab", "b": "ab", "c": "top", "ab": "top"}
RANKS = {"scores": TABLE, "names": ["A", "B", "C"]}
TWO = {"a": A, "b": B}
MEASURED = {"header": ["name", "u65"], "rows": [["A", 0.5], ["B", None]], "align": "lr"}

WORKING: dict[str, Callable[[], dict[str, Any]]] = {
    "wager.CostMatrix.from_file": lambda: {"path": _file("c.toml", COSTS)},
    "wager.CostTally.from_dict": lambda: {
        "data": wager.CostTally.of(Y, SETS, classes=CLASSES).to_dict()
    },
    "wager.CostTally.from_json": lambda: {
        "text": wager.CostTally.of(Y, SETS, classes=CLASSES).to_json()
    },
    "wager.Dataset": lambda: {
        "name": "d", "columns": ("x", "z"), "values": (np.array([0.5, 1.5]), np.array([0, 1])),
        "levels": (None, ("u", "v")), "target_codes": np.array([0, 1]),
        "classes": np.array(["a", "b"]),
    },
    "wager.Dataset.from_columns": lambda: {
        "name": "d", "columns": {"x": [1, 2, 3], "y": ["a", "b", "a"]}, "target": "y"
    },
    "wager.PairedTally": lambda: {
        "n_classes": 3, "outcomes": [[1, 1, 2, 1], [1, 0, 1, 1]], "counts": [3, 4],
        "squares": [3.0, 4.0],
    },
    "wager.PairedTally.from_dict": lambda: {"data": _pair().to_dict()},
    "wager.PairedTally.from_json": lambda: {"text": _pair().to_json()},
    "wager.ProbabilityTally.from_dict": lambda: {
        "data": wager.ProbabilityTally.of(Y, PROBA, classes=CLASSES).to_dict()
    },
    "wager.ProbabilityTally.from_json": lambda: {
        "text": wager.ProbabilityTally.of(Y, PROBA, classes=CLASSES).to_json()
    },
    "wager.Tally": lambda: {"table": [[0, 0], [1, 2], [0, 3]], "squares": [1.0, 2.0, 3.0]},
    "wager.Tally.from_dict": lambda: {"data": _tally().to_dict()},
    "wager.Tally.from_distribution": lambda: {
        "outcomes": [(1, True, 0.5), (2, True, 0.25), (1, False, 0.25)], "n_classes": 3
    },
    "wager.Tally.from_json": lambda: {"text": _tally().to_json()},
    "wager.Tally.of_file": lambda: {"path": _file("p.csv", LINES), "classes": CLASSES},
    "wager.as_sets": lambda: {"predictions": SETS, "classes": CLASSES},
    "wager.break_even_weight": lambda: {
        "paired": _paired_costs(), "rewards": _rewards(), "label": "a"
    },
    "wager.complete": lambda: {
        "costs": _cost_matrix(), "answers": [costs.SetCost(("a", "b"), "a", 0.4)]
    },
    "wager.decide": lambda: {
        "credal": wager.ProbabilityIntervals(
            np.maximum(PROBA - 0.1, 0), np.minimum(PROBA + 0.1, 1), CLASSES
        ),
        "rule": "maximality", "costs": _cost_matrix(),
    },
    "wager.evaluate_hierarchy": lambda: {"y_true": Y, "y_pred": SETS, "hierarchy": HIERARCHY},
    "wager.evaluate_rewards": lambda: {"y_true": Y, "y_pred": SETS, "rewards": _rewards()},
    "wager.explain_set": lambda: {"estimator": _model(), "x": X[:1]},
    "wager.human_utility": lambda: {
        "accuracy_by_size": [0.95, 0.8, 0.7], "n": [50, 40, 30], "cost": 0.01
    },
    "wager.least_variance_winner": lambda: {"tallies": {"A": _tally(), "B": _tally()}},
    "wager.meta_metric": lambda: {
        "metrics": ["accuracy"], "learners": {"A": GaussianNB(), "B": DummyClassifier()},
        "generators": [generators.random_chi_square()],
        "train_rows": 30, "test_rows": 20, "n_models": 2, "n_test_sets": 2, "truth_rows": 50,
    },
    "wager.predict_set": lambda: {"estimator": _model(), "X": X},
    "wager.read_predictions": lambda: {"path": _file("p.csv", LINES), "classes": CLASSES},
    "wager.reward_difference": lambda: {
        "y_true": Y, "pred_a": SETS, "pred_b": POINTS, "rewards": _rewards()
    },
    "wager.risk_profile": lambda: {"tallies": {"A": _tally(), "B": _tally()}, "grid": [0.5, 0.8]},
    "wager.robustness": lambda: {"estimator": _model(), "X": X},
    "wager.scan_predictions": lambda: {"path": _file("p.csv", LINES), "classes": CLASSES},
    "wager.wilcoxon": lambda: {**TWO, "names": ("A", "B")},
    "metrics.average_reward": lambda: {"y_true": Y, "y_pred": SETS, "rewards": _rewards()},
    "metrics.correct_at_depth": lambda: {"y_true": Y, "y_pred": SETS, "hierarchy": HIERARCHY},
    "metrics.hierarchical_utility": lambda: {"y_true": Y, "y_pred": SETS, "hierarchy": HIERARCHY},
    "rewards.ClassTally.from_dict": lambda: {
        "data": rewards.ClassTally.of(Y, SETS, classes=CLASSES).to_dict()
    },
    "rewards.ClassTally.from_json": lambda: {
        "text": rewards.ClassTally.of(Y, SETS, classes=CLASSES).to_json()
    },
    "rewards.HumanUtility": lambda: {"accuracy": (0.95, 0.8, 0.7), "n": (50, 40, 30)},
    "rewards.calibration_test": lambda: {
        "bins": wager.evaluate_probabilities(Y, PROBA, classes=CLASSES).reliability_top_label
    },
    "rewards.human_score": lambda: {"person": wager.human_utility([0.95, 0.8, 0.7])},
    "rewards.read_utility": lambda: {"path": _file("u.toml", UTILITY)},
    "costs.read_answers": lambda: {
        "path": _file("a.toml", ANSWERS), "classes": np.array(["a", "b"])
    },
    "costs.read_costs": lambda: {"path": _file("c.toml", COSTS)},
    "compare.DriftTest.from_dict": lambda: {"data": compare.DriftTest("coverage", 0.8).to_dict()},
    "compare.Monitor.from_dict": lambda: {"data": _monitor().to_dict()},
    "compare.Monitor.from_json": lambda: {"text": _monitor().to_json()},
    "compare.PairedCosts.from_dict": lambda: {"data": _paired_costs().to_dict()},
    "compare.PairedCosts.from_json": lambda: {"text": _paired_costs().to_json()},
    "compare.PairedProbabilities.from_dict": lambda: {
        "data": compare.PairedProbabilities.of(Y, PROBA, PROBA[::-1], classes=CLASSES).to_dict()
    },
    "compare.PairedProbabilities.from_json": lambda: {
        "text": compare.PairedProbabilities.of(Y, PROBA, PROBA[::-1], classes=CLASSES).to_json()
    },
    "compare.SequentialState.from_json": lambda: {"text": compare.SequentialState().to_json()},
    "compare.bayesian_correlated_t": lambda: {**TWO, "rho": 0.1, "rope": 0.01},
    "compare.bayesian_signed_rank": lambda: {**TWO, "rope": 0.01, "n_samples": 200},
    "compare.compare_files": lambda: {
        "paths": [_file("p.csv", LINES), _file("q.csv", OTHER)], "classes": CLASSES
    },
    "compare.compare_probabilities": lambda: {
        "y_true": Y, "probabilities": {"A": PROBA, "B": PROBA[::-1]}, "prior": PRIOR,
        "classes": CLASSES,
    },
    "compare.compare_probability_files": lambda: {
        "paths": [_file("r.csv", NUMBERS), _file("s.csv", NUMBERS)], "prior": PRIOR,
        "classes": CLASSES,
    },
    "compare.compare_selective": lambda: {
        "a": _selective(), "b": _selective(np.linspace(0.9, 0.2, len(Y)))
    },
    "compare.corrected_t": lambda: {**TWO, "n_train": 90, "n_test": 10},
    "compare.five_by_two_cv": lambda: {
        "a": np.reshape(A, (5, 2)), "b": np.reshape(B, (5, 2)), "statistic": "F"
    },
    "compare.mcnemar": lambda: {
        "correct_a": [True, False] * 5, "correct_b": [True, True, False, True, False] * 2
    },
    "compare.over_datasets": lambda: {"scores": {"u65": TABLE}, "names": ["A", "B", "C"]},
    "compare.paired_t": lambda: dict(TWO),
    "compare.repeated_measures_anova": lambda: {
        "scores": np.random.default_rng(0).random((5, 2, 3)), "factors": ("A", "B")
    },
    "compare.sign_test": lambda: dict(TWO),
    "compare.wins_table": lambda: {"scores": {"u65": ([A[:5], A[5:]], [B[:5], B[5:]])}},
    "plots.plot_caution": lambda: {"curve": _caution()},
    "plots.plot_confidence_sequence": lambda: {
        "comparison": compare.sequential(Y, SETS, POINTS, classes=CLASSES)
    },
    "plots.plot_coverage": lambda: {
        "report": wager.coverage_report(Y, SETS, alpha=0.2, classes=CLASSES)
    },
    "plots.plot_critical_difference": lambda: {"comparison": wager.nemenyi(**RANKS)},
    "plots.plot_explanation": lambda: {"explanation": wager.explain_set(_model(), X[:1])},
    "plots.plot_nemenyi_segments": lambda: {"comparison": wager.nemenyi(**RANKS)},
    "plots.plot_network": lambda: {"model": wager.TAN().fit(X, Y)},
    "plots.plot_risk_coverage": lambda: {"evaluation": {"A": _selective()}},
    "plots.plot_risk_profile": lambda: {"profile": wager.risk_profile({"A": _tally()})},
    "plots.plot_scatter": lambda: dict(TWO),
    "plots.plot_tree": lambda: {"tree": wager.CredalTree().fit(X, Y)},
    "plots.save": lambda: {"drawn": _drawn(), "path": str(_folder() / "x.png")},
    "experiments.generators.BayesianNetwork": lambda: {
        "parents": ((), (0,)), "tables": _network().tables, "target": 0
    },
    "experiments.generators.ChiSquareClasses": lambda: {"degrees": (1.0, 3.0)},
    "experiments.generators.Mixture": lambda: {"parts": (_network(), _network())},
    "report.LogMonitor.from_json": lambda: {"text": _log_state(), "name": "state"},
    "report.monitor_log": lambda: {
        "log": _file("p.csv", LINES), "state": str(_folder() / "s.json"), "coverage": 0.8,
        "classes": CLASSES,
    },
    "report.report_data": lambda: {"source": wager.evaluate_sets(Y, SETS, classes=CLASSES)},
    "report.score_file": lambda: {
        "file": wager.scan_predictions(_file("p.csv", LINES), classes=CLASSES), "name": "p",
        "utilities": [rewards.get_utility("u65")],
    },
    "report.score_groups": lambda: {
        "file": wager.scan_predictions(_file("p.csv", LINES), classes=CLASSES, by="y_true"),
        "name": "p", "utilities": [rewards.get_utility("u65")],
    },
    "report.to_csv": lambda: {key: MEASURED[key] for key in ("header", "rows")},
    "report.to_latex": lambda: dict(MEASURED),
    "report.to_markdown": lambda: dict(MEASURED),
    "rewards.elicit.Elicited": lambda: {
        "n_classes": 3, "brackets": _elicited().brackets, "n_questions": 4
    },
    "rewards.elicit.interview": lambda: {"ask": lambda question: "set", "n_classes": 3},
}  # fmt: skip


def _caution() -> Any:
    return wager.TunedCaution(wager.NaiveCredal(), cv=2).fit(np.tile(X, (3, 1)), Y * 3)


def _elicited() -> Any:
    return elicit.interview(lambda question: "set", 3)


def _log_state() -> str:
    state = _folder() / "log.json"
    if not state.exists():
        report.monitor_log(_file("p.csv", LINES), state, coverage=0.8, classes=CLASSES)
    return state.read_text(encoding="utf-8")


def _drawn() -> Any:
    from wager import plots

    return plots.plot_scatter(A, B)
