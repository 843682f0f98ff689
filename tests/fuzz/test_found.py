"""What fuzzing found: each of these once ended with another error, a warning or a wrong answer."""

import datetime
import json
import sqlite3
from contextlib import closing
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse

import wager
from tests.fuzz import readers
from tests.fuzz.values import Arraylike
from wager import (
    Tally,
    compare,
    costs,
    metrics,
    partitions,
    plots,
    predictions,
    report,
    rewards,
)
from wager.experiments import Store, generators
from wager.experiments.store._checksums import checksum_of
from wager.experiments.store._database import UNITS
from wager.experiments.store._resampling import Resampling, SplitRows
from wager.experiments.study._overview import verdict_counts
from wager.experiments.study._runs import read_runs
from wager.report import LogMonitor

HUGE = 10**400
PROBABILITIES = wager.ProbabilityTally.of([0, 1, 1], np.eye(2)[[0, 1, 0]]).to_dict()
HUGE_BINS = np.full_like(PROBABILITIES["by_class"], np.inf).tolist()
TALLY = Tally([[0, 0], [1, 2], [0, 3]])
PAIR = wager.PairedTally.of([0, 1, 0], [[0], [1], [0, 1]], [0, 0, 0])
INTERVALS = wager.ProbabilityIntervals([[0.2, 0.3]], [[0.6, 0.7]])
NEcodesRK = generators.BayesianNetwork(
    ((), (0,)), (np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.2, 0.8]])), 0
)
MIXED = np.array(["a", 1], dtype=object)
COMPLEX = np.array([0.5 + 0j, 0.2, 0.3])  # NumPy drops imaginary parts with a warning
FRAME = pl.DataFrame({"a": [1.0]})
DATES = pl.Series("x", [datetime.date(2020, 1, 1)])
LISTS = pl.Series("x", [[[1.0]], [[0.5]]])
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
    ("n_points", lambda: plots.plot_reward_curves(n_points=5e-324)),
    ("process", lambda: compare.SequentialState(process=b"a")),
    ("estimator", lambda: wager.CredalIntervals([]).fit([[0.0], [1.0]], [0, 1])),
    ("columns", lambda: wager.Dataset.from_columns("d", [1, 2], "y")),
    ("row", lambda: INTERVALS.vertices([])),
    ("scores", lambda: compare.holm(np.array([[1, 2], [2, 1j]]))),
    ("lower", lambda: wager.ProbabilityIntervals([[0.5j, 0]], [[1, 1]])),
    ("the values", lambda: wager.CredalVertices([[[0.5, 0.5]]]).upper_expectation([1j, 0])),
    ("a part of a mixture", lambda: generators.Mixture(("a",))),
    ("the table of variable", lambda: generators.BayesianNetwork(((),), (0.5,), 0)),
    ("n", lambda: NEcodesRK.sample(np.float32(0.1))),
    ("a", lambda: compare.bayesian_hierarchical(COMPLEX[None], rho=0.1, rope=0.1)),
    ("values", lambda: wager.partitions.beta_moments(COMPLEX)),
    ("e-values", lambda: compare.combine_e_values(COMPLEX)),
    ("eta", lambda: wager.CostMatrix.ha(COMPLEX)),
    (
        "title",
        lambda: plots.plot_credal(
            wager.ProbabilityIntervals([[0.2] * 3], [[0.6] * 3]), title=[[0]]
        ),
    ),
    ("estimator", lambda: wager.VennAbers([]).fit([[0.0], [1.0]] * 4, [0, 1] * 4)),
    ("estimator", lambda: wager.Conformal([], cv=2).fit([[0.0], [1.0]] * 4, [0, 1] * 4)),
    ("a", lambda: wager.break_even(None, TALLY, family="fbeta")),
    ("concentration", lambda: generators.random_network(concentration=LISTS)),
    ("prior", lambda: compare.bayesian_signed_rank([0.1, 0.2], prior=LISTS)),
    ("alpha", lambda: compare.paired_t([0.1, 0.2], alpha=LISTS)),
    ("per_row", lambda: INTERVALS.lower_expectation([1, 0], per_row=2**63)),
    ("max_parents", lambda: generators.random_network(max_parents=np.array([[np.inf, np.nan]]))),
    ("m_max", lambda: plots.plot_random_vs_vacuous(m_max=1j)),
    ("n_classes", lambda: rewards.FBeta(1).is_increasing(np.array([1.0, np.nan], dtype=object))),
    ("control", lambda: compare.holm(np.eye(3), control=1e-300)),
    ("a must", lambda: rewards.mip(4, a=1j)),
    ("column 0 of values", lambda: wager.Dataset("d", "c", (3.0,), (None,), np.zeros(1), ["a"])),
    ("scores", lambda: compare.bonferroni_intervals(np.stack([COMPLEX, COMPLEX]))),
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
        "below 1e308",
    ),
    "such values": (lambda: wager.partitions.beta_moments([HUGE]), "below 1e308"),
    "such a utility": (lambda: wager.get_utility(HUGE), "must lie in"),
    "such costs": (lambda: wager.CostMatrix([[0, HUGE], [1, 0]], "ab"), "square matrix"),
    "such counts": (lambda: metrics.prior_from_counts([HUGE, 1]), "below 1e308"),
    "such scores": (lambda: compare.bayesian_correlated_t([1, HUGE], rho=0.1), "below 1e308"),
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
    "codes that are fractions": (lambda: NEcodesRK.joint([[0.5]]), "codes from 0 to 1 in column 0"),
    "a code that is missing": (lambda: NEcodesRK.joint([[2]]), "got .*2.* in row 0"),
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
        lambda: wager.pool_judges([np.eye(2)], method=FRAME),
        "method must be one of",
    ),
    "a frame as a criterion": (
        lambda: wager.MDLDiscretizer(criterion=FRAME).fit([[0.0], [1.0]], [0, 1]),
        "criterion must be 'fayyad-irani' or 'kononenko'",
    ),
    "a column of dates as a kind of value": (
        lambda: wager.ClassHierarchy({"a": "top", "b": "top"}).node_values(DATES),
        "by must be one of leaves, depth, information",
    ),
    "a frame as a family": (lambda: wager.risk_profile({"A": TALLY}, FRAME), "unknown family"),
    "masked bets": (
        lambda: rewards.random_vs_vacuous(np.ma.masked, 5),
        "the number of bets must be a whole number of at least 1",
    ),
    "masked strata": (
        lambda: metrics.size_stratified_violation(
            [0, 1], [0, 1], 0.1, strata=np.ma.array([[0, 1.0]], mask=[[True, False]])
        ),
        "strata must be pairs",
    ),
    "infinite strata": (
        lambda: metrics.size_stratified_violation([0, 1], [0, 1], 0.1, strata=[(0, np.inf)]),
        "strata must be pairs",
    ),
    "huge scores of folds": (
        lambda: compare.five_by_two_cv([[HUGE, 1]] * 5),
        "a must be numbers below 1e308",
    ),
    "scores of folds whose squares are too large": (
        lambda: compare.five_by_two_cv([[1e200, 1]] * 5),
        "whose square is too large",
    ),
    "huge losses": (lambda: wager.CostMatrix.ha([HUGE, 1]), "eta must be numbers below 1e308"),
    "huge values by size": (lambda: rewards.Tabulated([HUGE]), "must be numbers below 1e308"),
    "distances without bound": (
        lambda: wager.CostMatrix.ordinal(list("abc"), p=2e300),
        "the distance of 2 ranks to the power p=2e\\+300 is too large",
    ),
    "a prior whose reciprocal is infinite": (
        lambda: metrics.information_reward_2002([0, 1], np.eye(2), prior=[5e-324, 1 - 1e-16]),
        "and be at least 1e-300",
    ),
    "an inverse beyond all numbers": (
        lambda: rewards.Power(1e-300).inverse(1e200),
        "never takes the value",
    ),
    "a group that is missing": (
        lambda: rewards.evaluate_by([0, 1, 1], [0, 1, 0], [0, 1, 1]).take([0, 2]),
        "groups must be whole numbers from 0 to 1, got 2",
    ),
    "an infinite group": (
        lambda: rewards.evaluate_by([0, 1, 1], [0, 1, 0], [0, 1, 1]).take([np.inf]),
        "groups must be whole numbers from 0 to 1, got inf",
    ),
    "labels of folds of several kinds": (
        lambda: wager.experiments.fold_of_row([np.uint64(2**63), Fraction(1, 3)]),
        "y must contain strings or numbers",
    ),
    "a mode that the integers do not have": (
        lambda: wager.ModeMeanImputer().fit(np.array([[300]])).transform(np.array([[-1]], np.int8)),
        "column 0 is of type int8, which has no 300",
    ),
    "a column beyond the classes": (
        lambda: predictions.PredictionSets.from_indicator([[0, 2]], ["a"]),
        "an indicator must contain only 0 and 1, got 2 in row 0, column 1",
    ),
    "a huge accuracy of a person": (
        lambda: rewards.HumanUtility([1.0, HUGE]),
        "accuracy must be finite numbers by set size",
    ),
    "infinite classes of a file": (
        lambda: Tally.of_file("missing.parquet", classes=[np.inf, -0.0]),
        "missing.parquet",
    ),
    "huge sums in a damaged tally": (
        lambda: wager.ProbabilityTally.from_json(
            json.dumps(PROBABILITIES | {"by_class": HUGE_BINS}).replace("Infinity", "1e308")
        ),
        "this is not a ProbabilityTally: bins must be numbers up to 1e\\+250",
    ),
    "empty bins of a damaged tally, which would fill the memory": (
        lambda: wager.ProbabilityTally.from_dict(
            PROBABILITIES
            | {"by_class": {"shape": [2, 10**12, 5], "event": [], "bin": [], "sums": []}}
        ),
        "bins must have the shape",
    ),
    "a strength that vanishes": (
        lambda: wager.BayesianModelAveraging(s=5e-324).fit([[0], [1], [0]], [0, 1, 1]),
        "s must be positive, at least 1e-290",
    ),
    "a frame as a kind of memberships": (
        lambda: wager.to_memberships(np.eye(2), kind=FRAME),
        "kind must be 'softmax', 'shift' or 'rank'",
    ),
    "a huge exponent": (lambda: costs.generalized_mean([3, 3], HUGE), "numbers below 1e308"),
    "a huge answer": (lambda: costs.SetCost("ab", "a", HUGE), "cost must be numbers below 1e308"),
    "a report of nothing": (lambda: report.report_data({}), "no tally was given"),
    "rows of a data set that are missing": (
        lambda: wager.Dataset.from_columns("d", {"x": [1.0], "y": ["a"]}, "y").rows([1]),
        "the chosen rows must be whole numbers from 0 to 0, got 1",
    ),
    "weights of a damaged tally": (
        lambda: rewards.ClassTally.from_dict(
            {"classes": ["a"], "numbers": [3], "totals": [1e308], "squares": [1.0]}
        ),
        "the weights of a cell add up to more than 1e\\+200",
    ),
    "a frame as a way to encode": (
        lambda: wager.NominalEncoder(unseen=pl.DataFrame({"a": [1.0]})).fit([["u"]]),
        "unseen must be 'value', 'missing' or 'error'",
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
    assert rewards.FBeta(1.0).derivative3(-1.0) == np.inf  # a pole below all rewards
    assert rewards.Logarithmic()(-1.0) == -np.inf
    with pytest.raises(ValueError, match="never takes the value"):
        rewards.Logarithmic().inverse(1e200)


def test_costs_whose_squares_are_too_large_are_refused():
    """They once led to a difference that was called significant."""
    with pytest.raises(ValueError, match=r"at most 1e\+100, got 1e\+300 in row 0, column 1: write"):
        rewards.evaluate_sets([0, 1, 0], [0, 0, 1], costs=[[0, 1e300], [1, 0]])
    found = rewards.evaluate_sets([0, 1, 0], [0, 0, 1], costs=[[0, 1e100], [1, 0]])
    assert found.estimates["average_cost"].value == pytest.approx(1e100 / 3)
    assert np.isfinite(found.estimates["average_cost"].standard_error)


def test_ranks_of_huge_scores_are_those_of_their_order():
    assert compare.ranks([[1e300, -1.0, 1e301]]).tolist() == [[2, 3, 1]]


def test_features_of_the_smallest_numbers_have_probabilities():
    X = np.array([[0.0], [5e-324], [0.0], [5e-324]])
    found = wager.NaiveBayes(numeric="gaussian").fit(X, [0, 1, 0, 1]).predict_proba(X)
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_labels_that_no_file_can_hold_are_refused(tmp_path):
    """They were once written as the smallest integer."""
    with pytest.raises(ValueError, match=r"9.22337e\+18: labels in a file must be text"):
        predictions.write_predictions(tmp_path / "p.csv", [1.0, 2.0**63], y_pred=[1.0, 2.0**63])


def test_a_row_that_no_array_can_have_is_an_index_error():
    vertices = wager.CredalVertices([[[0.5, 0.5]]])
    sets = wager.PredictionSets.from_indicator(np.eye(2, dtype=bool))
    for rows in (vertices, INTERVALS, sets):
        with pytest.raises(IndexError, match=r"there is no row 18446744073709551616 among"):
            rows[2**64]
        with pytest.raises(IndexError, match=r"there is no row 9223372036854775808 among"):
            rows[np.uint64(2**63)]


def test_short_floats_are_utilities():
    assert wager.get_utility(np.float32(0.75)) == wager.get_utility(0.75)


def test_sizes_may_be_an_empty_list():
    assert rewards.Tabulated([1.0, 0.5]).of_size([]).tolist() == []


def test_anything_that_becomes_an_array_is_a_table():
    X, y = Arraylike(np.array([[0.0], [1.0], [0.0], [1.0]])), [0, 1, 0, 1]
    assert wager.C45().fit(X, y).n_features_in_ == 1
    with pytest.raises(ValueError, match="is expecting 1 features"):
        wager.ModeMeanImputer().fit(X).transform(np.zeros((2, 2)))


def test_a_bin_of_almost_no_weight_has_no_part_in_a_test_of_calibration():
    proba = [[5e-324, 0, 5e-324, 1]]
    weight = [5e-324, 1]
    found = wager.evaluate_probabilities([2, 3], proba * 2, sample_weight=weight, classes=range(4))
    assert "calibrat" in repr(found)


def test_levels_next_to_0_have_an_interval():
    found = wager.dominance(PAIR, order=2, alpha=1 - 1e-16)
    low, high = found.interval
    assert low <= found.effect <= high


def test_weights_whose_squares_vanish_give_the_widest_interval():
    found = wager.coverage_report(
        [0, 1, 1], [1, 1, 0], alpha=0.1, by_class=True, sample_weight=[0.3, 0, 1e-200],
        groups=[1, 1, 1],
    )  # fmt: skip
    assert all((part.low, part.high) == (0, 1) for part in found.parts)


def test_a_certain_region_with_huge_counts_is_scaled():
    memberships = [
        [0.4, 0.2, 0.4], [1.0, 5e-324, 5e-324], [2e-300, 1e-323, 1.0], [1 / 3, 1 / 3, 1 / 3],
        [0.44, 0.44, 0.12], [0.0, 2 / 3, 1 / 3], [1e-323, 1.0, 1e-323], [0.25, 0.5, 0.25],
    ]  # fmt: skip
    counts = [0, 3, 1, 3, 0, 3, 3, 10**15]
    found = wager.standardize([2, 1, 0, 1, 1, 1, 0, 0], memberships, counts=counts)
    assert "std. error" in repr(found)


def test_sparse_probabilities_with_classes_have_expected_costs():
    matrix = wager.CostMatrix.zero_one(range(3))
    found = matrix.expected(sparse.coo_array(np.eye(3)), classes=[0, 1, 2])
    np.testing.assert_array_equal(found, 1 - np.eye(3))


def test_the_largest_costs_have_a_difference():
    paired = compare.PairedCosts.of([0, 1, 1], [0, 0, 1], [1, 1, 0])
    found = paired.difference([[0, 1e100], [1, 0]])
    assert np.isfinite([found.mean, found.standard_error]).all()


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
    warned = data["facts"] | {"warnings": [[1]]}
    for changed in (
        data | {"title": 3}, data | {"classifiers": ["a"]}, data | {"facts": warned}
    ):  # fmt: skip
        path.write_text(json.dumps(changed), encoding="utf-8")
        with pytest.raises(ValueError, match=r"page\.json has data of a report that are damaged"):
            report.page(path)
    path.write_text(json.dumps(data), encoding="utf-8")
    assert report.page(path).html


BREAK = "a\nb"


def test_a_line_end_in_a_column_is_spelt_out(tmp_path):
    """So that every message is one line."""
    for text, words in {
        f'"{BREAK}",y_pred\n1,1\n': r"no column y_true among a\\nb, y_pred",
        f'y_true,"p:{BREAK}",p:c\nc,x,0.5\n': r"p:a\\nb is 'x' in row 1",
        f'y_true,"p:{BREAK}",p:c\nc,,0.5\n': r"has no p:a\\nb",
        f'y_true,"p:{BREAK}","p:{BREAK}"\nc,1,0\n': r"the column p:a\\nb occurs more than once",
        f'y_true,"{BREAK}"\nc,1\n': r"none of the columns y_true, a\\nb contains predictions",
    }.items():
        path = tmp_path / "p.csv"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=words) as caught:
            predictions.read_predictions(path)
        assert "\n" not in str(caught.value)


def test_a_line_end_in_a_class_or_key_is_spelt_out(tmp_path):
    table = tmp_path / "c.csv"
    table.write_text(f'predicted,"{BREAK}",c\n"{BREAK}",,1\nc,1,0\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"for the true class a\\nb is expected: give a number$"):
        wager.costs.read_costs(table)
    answers = tmp_path / "a.toml"
    answers.write_text('[[answer]]\nset = "a|b"\n"a\\nb" = 1\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"answer 1 has keys set, a\\nb: give set"):
        wager.costs.read_answers(answers, np.array(["a", "b"]))
    data = tmp_path / "d.parquet"
    pl.DataFrame({BREAK: [[1]], "y": [0]}).write_parquet(data)
    with pytest.raises(ValueError, match=r"column a\\nb has lists or tables in its cells"):
        wager.load_dataset(data, target="y")


def test_values_of_another_kind_in_a_utility_are_named(tmp_path):
    path = tmp_path / "u.toml"
    path.write_text('kind = "elicited-exp"\na = 2.0\nlabel = ["a"]\n', encoding="utf-8")
    with pytest.raises(ValueError, match="the label of a utility must be a text"):
        wager.get_utility(path)
    path.write_text(f'kind = "tabulated"\nvalues = [{HUGE}]\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"u\.toml: a table by set size must be numbers below"):
        wager.get_utility(path)


def test_sums_of_a_damaged_tally_that_overflow_have_no_error():
    sums = {name: [*rows[:2], (np.array(rows[2]) * 1e300).tolist()]
            for name, rows in PROBABILITIES["sums"].items()}  # fmt: skip
    assert repr(wager.ProbabilityTally.from_dict(PROBABILITIES | {"sums": sums}))


def test_stores_with_impossible_numbers_are_refused(store):
    with pytest.raises(ValueError, match=r"a measure must be a name such as 'u65', got 0\.5"):
        store.scores(0.5)
    with pytest.raises(ValueError, match="the splits test -inf rows"):
        Resampling.of([SplitRows(0, 2, -np.inf)])


WIDE = np.arange(4000.0).reshape(1000, 4)
ARROW = pa.table({"nbc": [0.9, 0.8, 0.7], "ncc": [0.5, 0.6, 0.4], "cdt": [0.1, 0.2, 0.3]})


@pytest.mark.parametrize(
    "call",
    [
        lambda: rewards.mic(WIDE),
        lambda: wager.get_utility(WIDE),
        lambda: wager.pool_judges([[[0.5, 0.5]]], method=WIDE),
        lambda: wager.CostTally.from_json(np.eye(3)),
        lambda: wager.as_sets({"A": WIDE}),
        lambda: predictions.TopKProbabilities(pl.Series(["x" * 3000]), [[1.0]]),
    ],
)
def test_a_message_quotes_the_beginning_of_a_long_value_in_one_line(call):
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600


def test_the_columns_of_an_arrow_table_have_names():
    assert wager.nemenyi(ARROW).names == ("nbc", "ncc", "cdt")
    judges = [pa.table({"a": [0.2], "b": [0.8]}), pa.table({"b": [0.6], "a": [0.4]})]
    pooled = wager.pool_judges(judges, "hull")
    assert pooled.vertices.tolist() == [[[0.2, 0.8], [0.4, 0.6]]]
    drawn = plots.plot_scatter(ARROW, names=("ncc", "cdt"))
    assert "ncc" in drawn.get_xlabel()
    assert drawn.collections[0].get_offsets().data[:, 0].tolist() == [0.5, 0.6, 0.4]


def test_a_frame_is_not_a_saved_monitor():
    with pytest.raises(ValueError, match="it is of type DataFrame, not a dictionary"):
        compare.Monitor.from_dict(FRAME)


def test_a_frame_as_a_metric_is_refused():
    with pytest.raises(ValueError, match="'metric' parameter"):
        wager.CredalNeighbors(metric=FRAME).fit([[0.0], [1.0]], [0, 1])


def test_groups_of_tiny_weights_have_intervals():
    weight = [5e-324, 7.0, 7.0, 1.0, 1e-200]
    found = wager.caution_by_group(
        [1, 0, 2, 2, 0], [0, 0, 0, 2, 1], [1, 0, 2, 0, 1], utility="u65", sample_weight=weight
    )
    assert repr(found)


@pytest.mark.parametrize(
    ("words", "call"),
    [
        (
            "intervals must be ProbabilityIntervals, got a str",
            lambda: wager.write_predictions("x.csv", [0, 1], intervals="=1"),
        ),
        ("n_values must be", lambda: generators.random_tan(n_values=np.eye(3))),
        (
            "degrees must be two or more",
            lambda: generators.random_chi_square(degrees=np.full((2, 2), np.nan).astype(object)),
        ),
        (
            "counts must be real numbers",
            lambda: wager.standardize([0, 1], np.eye(2), counts=np.array([1j, 2])),
        ),
        (
            r"parameter must be a name such as 's', got \[\]",
            lambda: wager.TunedCaution(wager.NaiveCredal(), parameter=[]).fit([[0], [1]], [0, 1]),
        ),
        (
            "n_classes must be a number",
            lambda: rewards.elicit.Session(np.array([np.nan, 1.0], object)),
        ),
        ("sep must be a text", lambda: wager.ClassHierarchy("fir", sep=np.eye(2))),
        (
            "delta must be finite",
            lambda: wager.CostMatrix.zero_one(list("ab")).extend("ha", delta=HUGE),
        ),
        ("r must lie", lambda: wager.CostMatrix.zero_one(list("ab")).extend(r=HUGE)),
        (
            "cv gives no split",
            lambda: wager.Conformal(wager.NaiveBayes(), cv=[]).fit([[0], [1]] * 4, [0, 1] * 4),
        ),
        (
            "rope must be a number",
            lambda: compare.bayesian_hierarchical([[0.1, 0.2]] * 3, rho=0.1, rope=MIXED),
        ),
        ("n_test must be a number", lambda: compare.corrected_t([1, 2], n_train=4, n_test=MIXED)),
        ("is not the state", lambda: report.LogMonitor.from_json("nan", np.eye(2))),
        ("must be finite", lambda: Tally.from_distribution([(np.inf, True, 1)])),
        ("level must lie", lambda: wager.predict_set(wager.Vacuous(), [[0]], level=HUGE)),
        (
            r"n_values must be at most 1,000,000",
            lambda: wager.CredalModelAveraging(n_values=2**31).fit([[0], [1]], [0, 1]),
        ),
        ("layout must be", lambda: costs.cost_template(["a", "b"], layout=FRAME)),
        ("Arrow has no integers", lambda: wager.as_sets([2**64 + 1]).to_arrow()),
        (
            r"names must be two texts, got \[\]",
            lambda: compare.break_even_accuracy(PAIR, names=[]),
        ),
        (
            "proba must be numbers below 1e308",
            lambda: costs.ExpectedCost(("a", "b"), {"a": 0.5, "b": HUGE}, 1.0).terms(
                np.array(["a", "b"])
            ),
        ),
        ("sep must be one character", lambda: wager.as_sets([0, 1]).to_strings(sep=[np.inf])),
        (
            r"X has inf in row 0, which no class can have",
            lambda: generators.random_chi_square().class_probabilities([[np.inf], [1.0]]),
        ),
        (
            r"u\(0\.5\) must be a number",
            lambda: rewards.Exponential.through(np.array([np.nan, 1.0], object)),
        ),
        ("n_panels must be a whole number", lambda: plots.simplex_axes(pl.Series(["1"]), 2)),
        ("drawn for 2 to 4 classes", lambda: plots.simplex_axes(1, 7)),
        ("got object", lambda: wager.PairedTally(1, [[0, 0, 1, 1]], [2**64 + 1])),
        (
            "outcomes must be real numbers",
            lambda: wager.PairedTally(1, np.array([[0, 0, 1, 1j]]), [1]),
        ),
        (
            "a tally contains numbers",
            lambda: wager.PairedTally(1, [[0, 0, 1, 1]], np.ma.array([1], mask=[True])),
        ),
        (r"shape \(m, 4\), got \(2,\)", lambda: wager.PairedTally(1, [0, 0], [1])),
        ("n_classes must be a whole number", lambda: wager.PairedTally("", [[0, 0, 1, 1]], [1])),
        (
            r"the reward of {a\\nb} must be",
            lambda: costs.SetRewards({("a\nb",): {"a\nb": "x"}}, ["a\nb", "c"]),
        ),
    ],
)
def test_values_of_another_kind_are_refused_in_a_sentence(call, words):
    with pytest.raises((ValueError, TypeError), match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_miss_of_many_digits_is_a_number(tmp_path):
    path = tmp_path / "u.toml"
    path.write_text('kind = "tabulated"\nvalues = [1.0, 0.7]\nmiss = 1000000000000000000000000\n')
    assert wager.get_utility(path)(0.25) == pytest.approx(0.5e24)


def test_a_failed_fit_leaves_no_cuts_of_other_columns():
    found = wager.MDLDiscretizer().fit([[1.5, 0.5], [1.0, 0.1]], [0, 1])
    with pytest.raises(ValueError, match="y"):
        found.fit([[1.0, 2.0, 3.0], [2.0, 1.0, 0.0]], [0.0, np.inf])
    with pytest.raises(ValueError, match="not fitted"):
        found.get_feature_names_out()


def test_half_precision_codes_are_read():
    X = np.array([[1.0, 0.0], [0.0, 1.0]] * 4, dtype=np.float16)
    assert wager.NestedDichotomyForest(random_state=0).fit(X, [0, 1] * 4).predict(X).tolist()


def test_a_risk_aversion_without_a_sign_has_a_curve():
    assert rewards.Exponential(np.uint64(2**63)).is_concave()
    assert rewards.Exponential(np.uint64(2))(0.5) == rewards.Exponential(2)(0.5)


def test_a_huge_integer_is_not_a_cost(tmp_path):
    path = tmp_path / "c.toml"
    path.write_text(f'classes = ["a", "b"]\ncosts = [[0, {HUGE}], [1, 0]]\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"costs must be at most 1e\+100$"):
        costs.read_costs(path)


def test_line_ends_in_the_names_of_columns_are_spelt_out(tmp_path):
    path = tmp_path / "d.parquet"
    pq.write_table(pa.table({"x": [1, 2], "a\nb": [0, 1]}), path)
    with pytest.raises(ValueError, match=r"choose one of x, a\\nb$"):
        wager.load_dataset(path, target="y")


def test_the_least_probabilities_are_tested_for_calibration():
    proba = np.array([[1, 5e-324, 0]] + [[1.0, 0, 0]] * 4)  # the mean of the second class is 0
    found = wager.evaluate_probabilities([0] * 5, proba)
    assert found.calibration_test("classes").by_class == (1, 1, 1)


LISTS_OF_NUMBERS = pl.Series("x", [[1], [2, 3]])  # polars cannot compare it with a number
LONG = "x" * 3000
ROWS, CODES = [[0, 1], [1, 0], [2, 1]] * 4, [0, 1, 0] * 4
HIERARCHY = {"a": "ab", "b": "ab", "c": "top", "ab": "top"}
SCORES = {"u65": ([[0.9, 0.8], [0.5, 0.6]], [[0.7, 0.6], [0.6, 0.5]])}
COMPARED = compare.head_to_head([0, 1, 0], {"A": [0, 1, 1], "B": [0, 0, 0]})
GROUPED = rewards.GroupTally.of(["a", "b"], [0, 1], [0, 1])
ANOVA = compare.repeated_measures_anova(np.random.default_rng(0).random((5, 2, 3)))
FREQUENCIES = wager.partitions.class_frequencies(["r", "b"], [0, 1])

# each with a single number or word that is something else, or with one wrong cell
ONE_WRONG_ARGUMENT = {
    "a huge risk aversion": (lambda: rewards.Exponential(1e300), "must be at most 1e"),
    "costs in words": (lambda: metrics.average_cost([0], [0], LONG), "costs must be a matrix"),
    "weights in words": (lambda: wager.evaluate_sets([0], [0], sample_weight=[LONG]), "per row"),
    "a probability in words": (lambda: wager.evaluate_probabilities([0], [[LONG, 1]]), "proba"),
    "a prior in words": (lambda: metrics.information_reward([0], [[1, 0]], prior=LONG), "prior"),
    "complex counts": (lambda: wager.evaluate_sets([0, 1], [0, 1], counts=[1j, 1]), "counts"),
    "no number of trees": (
        lambda: wager.CredalForest(n_trees=None).fit(ROWS, CODES),
        "n_trees must be a whole number",
    ),
    "a masked number of trees": (
        lambda: wager.CredalForest(n_trees=np.ma.masked).fit(ROWS, CODES),
        "n_trees must be a whole number",
    ),
    "a list as cv": (
        lambda: metrics.conditional_coverage_error(
            [0, 1], [0, 1], np.eye(2), 0.1, cv=LISTS_OF_NUMBERS
        ),
        "cv must be a whole number",
    ),
    "a long text as measure": (
        lambda: metrics.make_set_scorer(LONG * 100),
        "not a measure of sets",
    ),
    "a frame as names of features": (
        lambda: wager.plots.plot_network(
            wager.TAN().fit(ROWS, CODES), feature_names=pd.DataFrame({"a": ROWS})
        ),
        "feature_names has 1 name",
    ),
    "a loss of 1e300": (
        lambda: wager.rewards.evaluate_selective([0, 1], [0, 1], [1, 2], loss=[1e300, 1.0]),
        r"loss must lie between -1e\+100 and 1e\+100, got 1e\+300 in row 0",
    ),
    "a table as the name of a utility": (
        lambda: rewards.Custom(np.sqrt, label=pa.table({"a": [1]})),
        "label must be",
    ),
    "a sum over 1e15 rows": (
        lambda: wager.rewards.evaluate_selective(
            [0, 1], [0, 0], [1, 2], counts=[10**15, 1]
        ).mean_risk_over_rows,
        "takes up to 10,000,000 rows",
    ),
    "probabilities of two classes beside three names": (
        lambda: wager.CostMatrix.ordinal(["1", "2", "10"]).optimal_class(
            np.full((2, 3, 2), 0.5), classes=["10", "2", "1"]
        ),
        "must have one column per class",
    ),
    "a share of misses of 1e-300": (
        lambda: wager.evaluate_ordered([0, 1], [[1], [1]], alpha=1e-300, sample_weight=[1, 1e15]),
        "alpha, the nominal share of misses, must lie between 1e-90 and 1",
    ),
    "a set as estimator": (
        lambda: metrics.conditional_coverage_error(
            ["a", "a", "b", "b"], ["a", "b"] * 2, np.eye(4), 0.1, estimator=set(), cv=2
        ),
        "estimator must be a classifier",
    ),
    "True as depth": (
        lambda: metrics.correct_at_depth(["a"], ["b"], HIERARCHY, depth=[True]),
        "depth must be a whole number",
    ),
    "an infinite cost of the empty set": (
        lambda: metrics.evaluate_costs([0, 1], [0, 1], np.eye(2), empty_cost=np.inf),
        "empty_cost must be finite",
    ),
    "the least alpha": (
        lambda: metrics.ordinal_interval_score([0, 1], [0, 1], alpha=5e-324),
        "between 1e-90 and 1",
    ),
    "a list as clip": (
        lambda: metrics.good_reward([0], [[1, 0]], clip=LISTS_OF_NUMBERS),
        "clip must be a number",
    ),
    "huge widths": (
        lambda: metrics.size_coverage_hsic([0, 1], [0, 1], widths=[HUGE, 1]),
        "widths must be numbers",
    ),
    "half a calibration row": (
        lambda: metrics.pvalue_uniformity([0], [[0.5, 0.5]], n_calibration=0.5),
        "n_calibration must be a whole number",
    ),
    "a list as a limit": (
        lambda: wager.AODE(frequency_limit=LISTS_OF_NUMBERS).fit(ROWS, CODES),
        "frequency_limit must be a number",
    ),
    "a huge code": (lambda: wager.AODE().fit(ROWS, CODES).predict([[HUGE, 0]]), "column 0"),
    "an infinite prior": (
        lambda: wager.BayesianModelAveraging(s=np.inf).fit(ROWS, CODES),
        "s must be ",
    ),
    "a prior of 1e300 rows": (
        lambda: wager.NaiveCredal(s=1e300).fit(ROWS, CODES).predict(ROWS),
        "s must be ",
    ),
    "a billion values": (lambda: wager.C45(n_values=2**31).fit(ROWS, CODES), "at most 1,000,000"),
    "a feature that is missing": (
        lambda: wager.NaiveCredal(missing="conservative", nonmar=2).fit(ROWS, CODES),
        "nonmar must be whole numbers from 0 to 1",
    ),
    "classes that are no list": (
        lambda: wager.ClassHierarchy(HIERARCHY, classes=[LONG]),
        "is missing in the hierarchy",
    ),
    "a path of two lines": (lambda: costs.read_costs("a\nb"), r"a\\nb: costs are read"),
    "a utility file of two lines": (lambda: rewards.read_utility("a\nb"), r"a\\nb: there is no"),
    "a list as u(0.5)": (lambda: rewards.Quadratic(LISTS_OF_NUMBERS), "must be a number"),
    "a list as an answer": (
        lambda: rewards.elicit.Session(3).answer(LISTS_OF_NUMBERS),
        "an answer must be 'set'",
    ),
    "a number as the name of a measure": (
        lambda: rewards.human_score(wager.human_utility([0.9, 0.8]), name=0),
        "name must be a str",
    ),
    "a masked number of classes": (
        lambda: rewards.inversion_point(np.ma.masked),
        "n_classes must be a whole number",
    ),
    "a number that is not a list": (lambda: wager.partitions.beta_moments(LONG), "values must"),
    "a huge least count": (lambda: FREQUENCIES.of(["r"], min_count=HUGE), "min_count"),
    "a seed in 8 bits": (
        lambda: wager.experiments.fold_of_row([0, 1, 0, 1], seed=LISTS_OF_NUMBERS),
        "seed must be a whole number",
    ),
    "codes that are no classes": (
        lambda: wager.Dataset("d", ("x",), (np.ones(2),), (None,), np.array([0, 2]), np.array([0])),
        "target_codes must be codes below 1",
    ),
    "a data set with too few columns": (
        lambda: wager.Dataset("d", (), (np.ones(1),), (None,), np.array([0]), np.array([0])),
        "levels for each column",
    ),
    "costs of another kind": (
        lambda: costs.costs_for_classes(0, ["a"]),
        "costs must be a CostMatrix or an ExtendedCosts",
    ),
    "a target of a monitor": (
        lambda: compare.Monitor.start(coverage=LISTS_OF_NUMBERS),
        "coverage must be a number",
    ),
    "huge bounds": (lambda: compare.SequentialState(bounds=[HUGE, 1]), "bounds must be numbers"),
    "an infinite prior weight": (
        lambda: compare.bayesian_signed_rank([0.1, 0.2], prior=np.inf),
        "prior must be a positive weight",
    ),
    "a classifier that was not compared": (
        lambda: COMPARED.score("C", "u65"),
        "unknown classifier 'C': choose one of 'A', 'B'",
    ),
    "names of one classifier": (
        lambda: compare.wins_table(SCORES, names="A"),
        "names must be two texts",
    ),
    "a number as factors": (
        lambda: compare.repeated_measures_anova(np.ones((5, 2, 3)), factors=np.float64(1)),
        "factors must be two texts",
    ),
    "a list as a level": (lambda: ANOVA.verdict(LISTS_OF_NUMBERS), "alpha must be a number"),
    "a list as a margin": (
        lambda: compare.equivalence(PAIR, margin=LISTS_OF_NUMBERS),
        "margin must be a number",
    ),
    "moments of another shape": (lambda: Tally([[0, 0], [0, 2]], squares=[1, 2, 3]), "squares"),
    "infinite moments": (lambda: Tally([[0, 0], [0, 2]], squares=[np.inf]), "at most 1e"),
    "clusters of another kind": (
        lambda: Tally([[0, 0], [0, 2]], clusters=0),
        "clusters must be a ClusterTotals",
    ),
    "masks below 0": (
        lambda: wager.CostMatrix.zero_one([0, 1]).extend("discounted").costs_of_masks([-1]),
        "the mask in row 0 is -1",
    ),
    "splits that do not exist": (
        lambda: wager.TunedCaution(wager.NaiveCredal(), cv=()).fit(ROWS, CODES),
        "cv gives no split",
    ),
    "splits without numbers": (
        lambda: wager.TunedCaution(wager.NaiveCredal(), cv=[([0.5], [1])]).fit(ROWS, CODES),
        "cv must give the numbers of rows",
    ),
    "no break-even": (
        lambda: plots.plot_risk_profile({"A": TALLY}, {("A", "A"): ()}),
        "every value of break_evens must be a BreakEven, got a tuple",
    ),
    "tiny squares": (lambda: Tally([[0, 0], [0, 2]], squares=[5e-324]), "at least 1e-300"),
    "a test that returns a number": (
        lambda: compare.wins_table(SCORES, test=lambda x, y: 0.5),
        "what test returns must be an Outcome, got a float",
    ),
    "masks with fractions": (
        lambda: wager.CostMatrix.zero_one([0, 1]).extend("discounted").costs_of_masks([1.5]),
        "masks must be unsigned integers",
    ),
    "the least level": (lambda: compare.SequentialState(5e-324), "at least 1e-300"),
    "answers without costs": (
        lambda: wager.complete(wager.CostMatrix.zero_one(["a", "b"]), {("a", "b"): 1}),
        r"the costs of {a, b} must be a Mapping",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ONE_WRONG_ARGUMENT)
def test_one_wrong_argument_is_answered_by_a_sentence(name):
    call, words = ONE_WRONG_ARGUMENT[name]
    with pytest.raises((ValueError, TypeError), match=words) as caught:
        call()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_a_tally_of_scores_that_overflow_is_refused():
    data = json.loads(json.dumps(PROBABILITIES))
    data["sums"]["brier"][2][1][0] = 1e308
    with pytest.raises(ValueError, match="sums must be those of scores up to 1e"):
        wager.ProbabilityTally.from_json(json.dumps(data))


def test_the_version_of_the_state_of_a_monitor_is_quoted_in_one_line():
    state = json.dumps({"format": "wager monitor", "version": "1\n2"})
    with pytest.raises(ValueError, match="state of a monitor") as caught:
        LogMonitor.from_json(state, "state.json")
    assert "\n" not in str(caught.value)


def test_a_name_that_no_file_can_have_is_refused_by_a_sentence():
    with pytest.raises(ValueError, match=r"cannot write .*: no file can have this name"):
        wager.write_predictions("\ud800.csv", [0], y_pred=[0])


def test_what_is_odd_but_right_has_an_answer():
    person = wager.human_utility([0.95, 0.8, 0.7], n=[50, 40, 30], cost=0.01)
    assert person.reach(1 - 1e-16)[0].tolist() == list(person.accuracy)
    selective = rewards.evaluate_selective([0, 1] * 2, [0, 1, 1, 1], [1, 2, 1, 2])
    assert selective.accuracy_at_coverage(1e-300).interval() == (0, 1)
    decimals = [[Decimal("NaN"), 0.0], [0.0, 1.0], [1.0, 0.0]]
    assert wager.CredalNeighbors(metric="nan_euclidean").fit(decimals, [0, 1, 0])
    assert wager.Conformal(wager.NaiveBayes(), alpha=Fraction(1, 3)).fit(ROWS * 3, CODES * 3)
    assert rewards.Exponential(5e-324, normalized=True).scale > 1e300
    assert np.isfinite(rewards.HumanUtility((0.9, 0.8), n=(10**300, 5)).intervals()[0]).all()
    with pytest.raises(KeyError, match="there is no group"):
        GROUPED[LISTS_OF_NUMBERS]


@pytest.mark.parametrize("kind", ["f2", "g"])
def test_labels_of_rare_precision_are_given_to_other_libraries_as_doubles(kind):
    sets = wager.as_sets(np.array([1.0, 2.0], dtype=kind))
    assert sets.to_frame().columns.tolist() == sets.to_arrow().flatten().to_pylist() == [1.0, 2.0]
    assert sets.to_polars().to_list() == [[1.0], [2.0]]
    assert sets.to_categorical().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("weight", [1e-160, 1e-300, 5e-324])
def test_weights_whose_squares_vanish_are_refused(weight):
    """The standard error was wrong in the fifth digit, then NaN, then a warning."""
    with pytest.raises(ValueError, match="multiply all weights by the same number"):
        wager.evaluate_sets([0, 1, 1], [0, 1, 0], sample_weight=[weight, weight, 0])
    wager.evaluate_sets([0, 1, 1], [0, 1, 0], sample_weight=[weight, 1, 0])


def test_a_prior_of_single_precision_is_no_warning():
    assert wager.BayesianModelAveraging(s=np.float32(0.5)).fit(ROWS, CODES).predict(ROWS).size


def test_negative_counts_by_class_are_refused():
    """They were "0 predictions"."""
    with pytest.raises(ValueError, match="finite and not negative"):
        rewards.ClassTally(-np.ones((2, 3, 2), dtype=int), [0, 1])
    with pytest.raises(ValueError, match="squares must be at least 0"):
        Tally([[0, 0], [0, 2]], squares=[-1.0])


def test_classes_of_a_data_set_are_an_array_that_pandas_can_hold():
    parts = {
        "name": "d",
        "columns": (),
        "values": (),
        "levels": (),
        "target_codes": np.array(CODES[:2]),
    }
    with pytest.raises(TypeError, match="classes must be an ndarray, got a Series"):
        wager.Dataset(**parts, classes=pd.Series([1.0, 2.0], index=[7, 7]))
    half = wager.Dataset(**parts, classes=np.array([1, 2], dtype="f2"))
    assert half.target.tolist() == half.y.tolist() == [1.0, 2.0]


def test_a_line_break_in_the_name_of_a_column_that_no_file_has_is_spelt_out(tmp_path):
    paths = [tmp_path / "p.csv", tmp_path / "q.csv"]
    for path in paths:
        path.write_text("y_true,p:a,p:b\na,1,0\nb,1,0\n")
    with pytest.raises(ValueError, match=r"there is no column a\\nb among"):
        compare.compare_probability_files(paths, cluster="a\nb")


def test_a_negative_zero_is_a_zero_among_scores():
    """Its p-value was computed from inf - inf, with a warning."""
    tally = Tally([[0, 0], [1, 2], [0, 3]], squares=[1.0, 2.0, 3.0])
    assert 0.05 < tally.score(0).p_value(0.1) < 1
    assert tally.score(0).p_value() < 1e-9


def test_a_tiny_promise_of_coverage_is_no_warning():
    monitor = compare.Monitor.start(coverage=1e-300, side="both")
    assert monitor.update([0] * 8, [0] * 8, classes=[0, 1]).alerts


def test_features_near_the_largest_double_are_no_warnings():
    X, y = np.array([[1e308], [-1e308], [5.0], [2.0]] * 5), [0, 1, 0, 1] * 5
    for learner in (wager.NaiveBayes(), wager.CredalNeighbors()):
        with pytest.raises(ValueError, match=r"cannot be computed|below 1e\+150"):
            learner.fit(X, y)
    assert wager.CredalTree().fit(X, y).predict(X).size
    holed = np.where(np.arange(20)[:, None] == 3, np.nan, np.abs(X))
    assert np.isfinite(wager.ModeMeanImputer().fit(holed).transform(holed)).all()


def test_a_frame_that_is_not_computed_yet_is_a_column_of_classes():
    truth = pl.LazyFrame({"y": [1.0, 2.0]})
    found = compare.head_to_head(truth, {"A": [1.0, 2.0], "B": [2.0, 2.0]})
    wanted = compare.head_to_head([1.0, 2.0], {"A": [1.0, 2.0], "B": [2.0, 2.0]})
    assert str(found) == str(wanted)


def test_points_below_1_are_refused_and_any_number_of_them_is_all():
    difference = [0.5, -0.5, 0.5]
    with pytest.raises(ValueError, match="points must be at least 1, got 0"):
        compare.sequential_differences(difference, points=0)
    assert len(compare.sequential_differences(difference, points=np.inf).n) == 3


def _masked(values):
    """The values, of which the first is masked."""
    values = np.array(values)
    return np.ma.array(values, mask=np.arange(values.size).reshape(values.shape) == 0)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: wager.metrics.information_reward_bound([0.2, 0.8], _masked([0, 1])),
        lambda: rewards.ClassTally(_masked(np.ones((2, 3, 2))), ["a", "b"]),
        lambda: rewards.ClassTally(np.ones((2, 3, 2)), _masked(["a", "b"])),
        lambda: rewards.ClassTally(np.ones((2, 3, 2)), ["a", "a"]),
        lambda: costs.SetRewards({(0,): _masked([1.0, 2.0])}, [0, 1], otherwise="u65"),
        lambda: costs.CostMatrix([[0, 1], [2, 0]]).expected(_masked([0.5, 0.5])),
        lambda: rewards.Tabulated(_masked([1.0, 0.6])),
        lambda: partitions.class_frequencies(_masked(["x", "y"]), [0, 1]),
        lambda: partitions.class_frequencies([[1.0], [np.nan], [np.nan]], [0, 1, 1]),
        lambda: partitions.class_frequencies([["x"], [None]], [0, 1]),
    ],
)
def test_what_is_under_a_mask_is_not_read(ask):
    with pytest.raises((ValueError, TypeError)) as caught:
        ask()
    assert "\n" not in str(caught.value)


def test_features_under_a_mask_are_missing():
    y, x = np.arange(200) % 2, np.arange(200.0)[:, None]
    missing = np.where(x < 50, np.nan, x)
    masked = np.ma.array(x, mask=x < 50)
    y_pred = np.where(x.ravel() < 30, 1 - y, y)
    found, expected = (
        wager.metrics.conditional_coverage_error(y, y_pred, features, 0.1)
        for features in (masked, missing)
    )
    assert found == expected
    np.testing.assert_array_equal(rewards.get_utility("u65")(_masked([0.5, 1.0])), [np.nan, 1.0])


@pytest.mark.parametrize("kind", ["text", "categories"])
def test_an_arrow_file_that_points_outside_of_its_buffers_is_refused_before_it_is_read(
    kind, tmp_path
):
    """Reading it once crashed the process: only a full check of the batch looks at the offsets."""
    path = tmp_path / "p.arrow"
    labels = pa.array(["aaaa", "bbbb", "cccc", "dddd"] * 4)
    if kind == "categories":
        labels = labels.dictionary_encode()
        right = np.tile(np.arange(4, dtype=np.int32), 4).tobytes()
    else:
        right = np.arange(0, 68, 4, dtype=np.int32).tobytes()
    table = pa.table({"y_true": labels, "y_pred": labels})
    with pa.ipc.new_file(path, table.schema) as file:
        file.write_table(table)
    whole = path.read_bytes()
    place = whole.index(right)
    path.write_bytes(whole[: place + 8] + b"\xff\xff\xff\x0f" + whole[place + 12 :])
    with pytest.raises(ValueError, match=r"p\.arrow is a damaged .* \(invalid record batch 1"):
        predictions.read_predictions(path)
