"""What fuzzing found: each of these once ended with another error, a warning or a wrong answer."""

import json
import sqlite3
from contextlib import closing

import numpy as np
import polars as pl
import pytest

import wager
from tests.fuzz import readers
from wager import Tally, compare, costs, metrics, plots, predictions, report, rewards
from wager.experiments import Store, generators
from wager.experiments.store._checksums import checksum_of
from wager.experiments.store._database import UNITS
from wager.experiments.study._overview import verdict_counts
from wager.experiments.study._runs import read_runs

HUGE = 10**400
TALLY = Tally([[0, 0], [1, 2], [0, 3]])
PAIR = wager.PairedTally.of([0, 1, 0], [[0], [1], [0, 1]], [0, 0, 0])
INTERVALS = wager.ProbabilityIntervals([[0.2, 0.3]], [[0.6, 0.7]])
NETWORK = generators.BayesianNetwork(
    ((), (0,)), (np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.2, 0.8]])), 0
)
MIXED = np.array(["a", 1], dtype=object)
FAR = np.array([[0.0], [1e300], [1.0], [2.0]])

WRONG_KINDS = [
    ("costs", lambda: costs.costs_to_csv([[0, 1], [1, 0]])),
    ("extended", lambda: costs.decision_intervals([[0, 1]])),
    ("sets", lambda: wager.SetRewards.ordered(list("ab")).at(np.eye(2), np.array([0, 1]))),
    ("drawn", lambda: plots.save(np.ones(3), "x.png")),
    ("title", lambda: plots.simplex_html(wager.standardize([0, 1, 2], np.eye(3)), title=None)),
    ("matrix", lambda: predictions.TopKProbabilities.from_sparse("a")),
    ("found", lambda: report.comparison_words(["a"], ["u65"])),
    ("file", lambda: report.score_file("a.csv", "a", [])),
    ("file", lambda: report.score_groups("a.csv", "a", [])),
    ("text", lambda: report.markdown_text(None)),
    ("sentence", lambda: report.latex_note([1])),
    ("bins", lambda: rewards.calibration_test(set())),
    ("person", lambda: rewards.human_score([1])),
    ("tally", lambda: rewards.utility_score("u65").estimate(None)),
    ("tally", lambda: rewards.expected_utility_of_bets("a", 1)),
    ("a", lambda: rewards.first_order_dominates(None, TALLY)),
    ("counts", lambda: wager.EqualFrequencyDiscretizer().fit_counts(np.ones(3))),
    ("other", lambda: wager.reject([[0.5, 0.5]], 0.1).issubset("a")),
    ("scores", lambda: compare.over_datasets(3)),
    ("probabilities", lambda: compare.compare_probabilities([0, 1], np.ones(2))),
    ("reference", lambda: compare.Monitor.start(coverage=0.9, reference=np.ones(3))),
    ("adjustment", lambda: wager.dominance(PAIR, adjustment="a")),
    ("adjustment", lambda: wager.break_even(PAIR, adjustment="a")),
    ("adjustment", lambda: compare.equivalence(PAIR, adjustment="a")),
    ("costs", lambda: wager.complete([1, 0], ())),
    ("rewards", lambda: wager.CostTally.of([0, 1], [1, 1]).evaluate_rewards([[0, 1], [1, 0]])),
    ("n_classes", lambda: rewards.extended_reward_matrix(np.array([[1.0]], dtype=object))),
    ("score", lambda: rewards.GroupTally.of([0, 1], [0, 1], [0, 1]).values(np.ones(3))),
    ("process", lambda: compare.SequentialState(process=b"a")),
    ("estimator", lambda: wager.CredalIntervals([]).fit([[0.0], [1.0]], [0, 1])),
    ("columns", lambda: wager.Dataset.from_columns("d", [1, 2], "y")),
    ("row", lambda: INTERVALS.vertices([])),
    ("scores", lambda: compare.holm(np.array([[1, 2], [2, 1j]]))),
    ("lower", lambda: wager.ProbabilityIntervals([[0.5j, 0]], [[1, 1]])),
    ("the values", lambda: wager.CredalVertices([[[0.5, 0.5]]]).upper_expectation([1j, 0])),
    ("a part of a mixture", lambda: generators.Mixture(("a",))),
    ("the table of variable", lambda: generators.BayesianNetwork(((),), (0.5,), 0)),
]


@pytest.mark.parametrize(("argument", "call"), WRONG_KINDS)
def test_an_argument_of_the_wrong_kind_is_named(argument, call):
    with pytest.raises(TypeError, match=rf"^{argument}"):
        call()


WRONG_VALUES = {
    "an integer no float can hold": (lambda: rewards.game_value([[1, HUGE]]), "matrix of numbers"),
    "such a reward": (lambda: rewards.Quadratic(0.7)([HUGE]), "numbers below 1e308"),
    "such a prior": (
        lambda: rewards.evaluate_probabilities([0, 1], np.eye(2), prior=[HUGE, 1]),
        "above 1e308",
    ),
    "such values": (lambda: wager.partitions.beta_moments([HUGE]), r"numbers in \[0, 1\]"),
    "such a utility": (lambda: wager.get_utility(HUGE), "must lie in"),
    "such costs": (lambda: wager.CostMatrix([[0, HUGE], [1, 0]], "ab"), "square matrix"),
    "such counts": (lambda: metrics.prior_from_counts([HUGE, 1]), "below 1e308"),
    "such scores": (lambda: compare.bayesian_correlated_t([1, HUGE], rho=0.1), "is inf"),
    "scores whose squares are too large": (
        lambda: compare.bayesian_correlated_t([1, 1e200], rho=0.1),
        "rescale the scores",
    ),
    "complex weights": (
        lambda: metrics.empty_rate([[0], [1]], sample_weight=[1j, 1]),
        "complex numbers are not allowed",
    ),
    "complex rewards": (lambda: rewards.Quadratic(0.7)([1j]), "real numbers"),
    "complex values": (lambda: rewards.Tabulated([1j]), "real numbers"),
    "no classes": (lambda: rewards.mic(0), "n_classes must be at least 1, got 0"),
    "no samples": (
        lambda: compare.bayesian_signed_rank([0.1, 0.2], n_samples=0),
        "n_samples must be at least 1",
    ),
    "a power without bound": (
        lambda: wager.SetRewards.ordered(list("abc"), penalty=1, power=2**64),
        "has no finite value",
    ),
    "a test without bounds": (lambda: compare.DriftTest.from_dict({}), "has no measure"),
    "unknown classifiers": (
        lambda: wager.head_to_head([0, 1], {"A": [0, 1], "B": [0, 0]}).paired("A", "C"),
        "not two of the classifiers",
    ),
    "a row that is missing": (lambda: INTERVALS.vertices(3), "below the number of rows, 1"),
    "fractions as outcomes": (lambda: wager.PairedTally(2, [[0.3, 0, 0, 0]], [1]), "whole numbers"),
    "codes that are fractions": (lambda: NETWORK.joint([[0.5]]), "codes from 0 to 1 in column 0"),
    "a code that is missing": (lambda: NETWORK.joint([[2]]), "got .*2.* in row 0"),
    "no density": (
        lambda: generators.ChiSquareClasses((2, 8)).class_probabilities([[-1.0]]),
        "no class can have",
    ),
    "no pair": (lambda: generators.random_aode(n_values=3), "n_values must be"),
    "codes of a feature": (
        lambda: wager.NominalEncoder().fit([["a"], ["b"]]).inverse_transform([[0.5]]),
        "whole numbers",
    ),
    "columns by fractions": (
        lambda: wager.C45(categorical_features=[0.5]).fit([[0.0], [1.0]], [0, 1]),
        "column numbers, names or a mask",
    ),
    "numbers too far apart": (lambda: wager.NaiveBayes().fit(FAR, [0, 1, 0, 1]), "rescale it"),
    "the hits of no rows": (lambda: Tally.empty(2).hit_shares, "no "),
    "a frequency beyond all numbers": (
        lambda: metrics.optimal_report_2002([HUGE], 0.5),
        "frequency must be numbers below 1e308",
    ),
    "a part of a class": (lambda: rewards.FBeta(1).of_size(5e-324), "whole number of classes"),
    "fewer classes than columns": (
        lambda: predictions.TopKProbabilities.from_proba(np.eye(3), 2, ["a"]),
        "3 columns but classes has 1 label: give one label per column",
    ),
    "a frame as a method": (
        lambda: wager.pool_judges([np.eye(2)], method=pl.DataFrame({"a": [1.0]})),
        "method must be one of",
    ),
    "labels without an order": (
        lambda: wager.Dataset.from_columns("d", {"x": MIXED, "y": ["a", "b"]}, "y"),
        "d: column 'x' must have labels of one kind",
    ),
    "costs of a number": (
        lambda: wager.CostMatrix.zero_one(["a", "b"]).expected(0.5, classes=["a", "b"]),
        "must have one column per class",
    ),
}


@pytest.mark.parametrize("name", WRONG_VALUES)
def test_a_wrong_value_is_answered_by_a_sentence(name):
    call, words = WRONG_VALUES[name]
    with pytest.raises(ValueError, match=words):
        call()


def test_large_integers_beside_numpy_scalars_are_labels():
    y = [2**64 + 1, np.True_, np.float32(0.5)]
    assert metrics.coverage(y, y) == 1
    assert metrics.coverage(y, y[::-1]) == pytest.approx(1 / 3)


def test_utilities_of_any_size_have_an_inverse():
    table = rewards.Tabulated([1.0, 0.7, 5e299])
    assert 0 <= table.inverse(0.5) <= 1e-15  # the utility reaches 5e299 at a third
    assert rewards.Exponential.through(0.5).scale == np.inf


def test_rows_of_chi_square_classes_are_drawn_from_any_sequence():
    rows, classes = generators.ChiSquareClasses(b"a").sample(3, random_state=0)
    assert rows.shape == (3, 1)
    assert classes.tolist() == [0, 0, 0]


def test_far_rewards_have_the_derivatives_of_a_straight_line():
    assert rewards.FBeta(1.0).derivative3(1e200) == 0
    with pytest.raises(ValueError, match="never takes the value"):
        rewards.Logarithmic().inverse(1e200)


def test_costs_whose_squares_are_too_large_have_no_finite_error():
    found = rewards.evaluate_sets([0, 1, 0], [0, 0, 1], costs=[[0, 1e300], [1, 0]])
    assert found.estimates["average_cost"].value == pytest.approx(1e300 / 3)


def test_labels_that_no_file_can_hold_are_refused(tmp_path):
    """They were once written as the smallest integer."""
    with pytest.raises(ValueError, match=r"9.22337e\+18: labels in a file must be text"):
        predictions.write_predictions(tmp_path / "p.csv", [1.0, 2.0**63], y_pred=[1.0, 2.0**63])


# -- files -----------------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path):
    (tmp_path / "results.sqlite").write_bytes(readers.seeds().stores[0])
    return Store(tmp_path)


def change(store, sql, *values):
    with closing(sqlite3.connect(store.path / "results.sqlite")) as database, database:
        database.execute(sql, values)


def test_a_store_without_a_plan_says_so(store):
    """As after a repair that could not read the plan."""
    change(store, "DELETE FROM about")
    with pytest.raises(ValueError, match=r"the plan of the results in .* run it again"):
        store.measures  # noqa: B018
    readers.command("results", store.path)  # without a traceback


def test_a_store_without_units_has_nothing_to_compare(store):
    change(store, "DELETE FROM planned")
    with pytest.raises(ValueError, match="no results to compare"):
        store.pivot("u65")


def test_a_forged_record_is_damage(store):
    """Its checksum is right, and only its values say that it is none."""
    change(store, "UPDATE units SET tally = '{}'")
    with closing(sqlite3.connect(store.path / "results.sqlite")) as database, database:
        for row, *values in database.execute(f"SELECT rowid, {', '.join(UNITS)} FROM units"):
            values = (checksum_of(UNITS, values), row)
            database.execute("UPDATE units SET checksum = ? WHERE rowid = ?", values)
    with pytest.raises(ValueError, match=r"the database is damaged \(a value cannot be read"):
        store.scores("u65")


def test_records_that_are_not_text_are_named(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_bytes(b"\xff")
    with pytest.raises(ValueError, match=r"runs\.csv is not UTF-8 text"):
        read_runs(path)
    page = tmp_path / "t.json"
    page.write_bytes(b"\xff")
    with pytest.raises(ValueError, match=r"t\.json is not UTF-8 text"):
        report.page(page)


def test_conclusions_without_verdicts_are_refused(tmp_path):
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "conclusions-of-the-paper.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(ValueError, match="must have the columns where and verdict"):
        verdict_counts(tmp_path, "s")


def test_data_of_a_page_that_were_edited_are_refused(tmp_path):
    data = json.loads(readers.seeds().page)
    path = tmp_path / "page.json"
    for changed in (data | {"title": 3}, data | {"classifiers": ["a"]}):
        path.write_text(json.dumps(changed), encoding="utf-8")
        with pytest.raises(ValueError, match=r"page\.json has data of a report that are damaged"):
            report.page(path)
    path.write_text(json.dumps(data), encoding="utf-8")
    assert report.page(path).html
