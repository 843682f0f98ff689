from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from tests.fewer import fewer
from tests.rewards.strategies import labelled_sets, mean_reward, tallies, utilities
from wager.predictions import PredictionSets, write_predictions
from wager.rewards import (
    ClassTally,
    PairedTally,
    Quadratic,
    Tally,
    evaluate_sets,
    get_utility,
    tally_by,
)

weights_of = st.lists(st.floats(0.0, 5.0), min_size=30, max_size=30)


def rewards_by_hand(y, sets):
    return np.array(
        [row[c] / row.sum() if row.any() else 0.0 for c, row in zip(y, sets, strict=True)]
    )


@given(labelled_sets(), st.integers(0, 30))
def test_counts_of_two_parts_add_up_to_counts_of_the_whole(data, cut):
    y, sets = data
    parts = [Tally.of(y[:cut], sets[:cut]), Tally.of(y[cut:], sets[cut:])]
    assert sum(parts) == Tally.of(y, sets)
    assert parts[1] + parts[0] == Tally.of(y, sets)


@given(labelled_sets(), st.permutations(range(5)))
def test_chunks_in_any_order_give_the_same_scores(data, order):
    y, sets = data
    chunks = np.array_split(np.arange(len(y)), 5)
    total = Tally.empty(sets.shape[1])
    for chunk in order:
        total = total + Tally.of(y[chunks[chunk]], sets[chunks[chunk]])
    whole = Tally.of(y, sets)
    assert total.expected_utility("u80") == whole.expected_utility("u80")
    assert total.moments() == whole.moments()
    assert total.estimate("f1") == whole.estimate("f1")


@given(labelled_sets())
def test_the_table_counts_the_rows(data):
    y, sets = data
    table = np.zeros((sets.shape[1] + 1, 2), dtype=int)
    for code, row in zip(y, sets, strict=True):
        table[row.sum(), int(row[code])] += 1
    np.testing.assert_array_equal(Tally.of(y, sets).table, table)


@given(labelled_sets(), utilities())
def test_expected_utility_is_the_mean_over_the_rows(data, u):
    y, sets = data
    worth = u(rewards_by_hand(y, sets))
    assert Tally.of(y, sets).expected_utility(u) == pytest.approx(worth.mean(), abs=1e-12)


@given(labelled_sets())
def test_moments_are_those_of_the_rewards(data):
    y, sets = data
    rewards = rewards_by_hand(y, sets)
    found = Tally.of(y, sets).moments()
    assert found == pytest.approx((rewards.mean(), (rewards**2).mean(), rewards.var()), abs=1e-12)


@given(tallies())
def test_the_parts_of_the_reward_add_up(tally):
    parts, moments = tally.decompose(), tally.moments()
    assert parts.determinate + parts.indeterminate == pytest.approx(moments.mean)
    assert parts.determinate_square + parts.indeterminate_square == pytest.approx(
        moments.second_moment
    )
    assert parts.determinate_square == parts.determinate
    assert parts.indeterminate_square <= parts.indeterminate


@given(tallies(), st.floats(0, 1))
def test_mean_and_variance_determine_quadratic_utility(tally, q):
    expected = tally.expected_utility(Quadratic(q))
    assert tally.mean_variance_utility(q) == pytest.approx(expected, abs=1e-12)


@given(tallies(), utilities())
def test_the_certainty_equivalent_is_worth_as_much_as_the_predictions(tally, u):
    sure = tally.certainty_equivalent(u)
    assert u(sure) == pytest.approx(tally.expected_utility(u), abs=1e-9)


@given(tallies())
def test_the_random_baseline_earns_the_same_and_varies_more(tally):
    guess = tally.k_random()
    assert guess.n == pytest.approx(tally.n)
    assert guess.moments().mean == pytest.approx(float(mean_reward(tally)))
    assert guess.moments().variance >= tally.moments().variance - 1e-12


def test_the_random_baseline_needs_the_weights_of_rows_in_clusters():
    y, sets, groups = [0, 1, 0], np.ones((3, 2)), [0, 0, 1]
    weighted = Tally.of(y, sets, sample_weight=[7.0, 7.0, 7.0], groups=groups)
    with pytest.raises(ValueError, match=r"the weight of each row.*count the rows without groups="):
        weighted.k_random()
    counted = Tally.of(y, sets, counts=[2, 1, 1], groups=groups)
    assert counted.k_random().squares.tolist() == [[3.5, 1.5], [1.5, 3.5]]


@given(labelled_sets(), st.integers(1, 4))
def test_counts_are_repeated_rows(data, times):
    y, sets = data
    counted = evaluate_sets(y, sets, counts=np.full(len(y), times))
    repeated = evaluate_sets(np.repeat(y, times), np.repeat(sets, times, axis=0))
    assert counted.tally == repeated.tally
    np.testing.assert_equal(counted.to_dict(), repeated.to_dict())


@given(labelled_sets(min_rows=2), st.floats(0.1, 50))
@fewer(12)
def test_equal_weights_change_no_error_and_no_interval(data, weight):
    y, sets = data
    plain = evaluate_sets(y, sets)
    weighted = evaluate_sets(y, sets, sample_weight=np.full(len(y), weight))
    for name, estimate in plain.estimates.items():
        other = weighted.estimates[name]
        assert other.value == pytest.approx(estimate.value, nan_ok=True)
        assert other.standard_error == pytest.approx(estimate.standard_error, nan_ok=True, abs=1e-9)


@given(labelled_sets(), weights_of)
def test_weighted_means_are_weighted_means(data, weights):
    y, sets = data
    w = np.array(weights[: len(y)]) + 0.05
    tally = Tally.of(y, sets, sample_weight=w)
    rewards = rewards_by_hand(y, sets)
    assert tally.n == pytest.approx(w.sum())
    assert tally.effective_n == pytest.approx(w.sum() ** 2 / (w**2).sum())
    assert tally.expected_utility("u50") == pytest.approx(np.average(rewards, weights=w))


@given(labelled_sets(min_rows=2), weights_of, st.integers(1, 29))
def test_weighted_parts_add_up_to_the_weighted_whole(data, weights, cut):
    y, sets = data
    w = np.array(weights[: len(y)]) + 0.05
    cut = min(cut, len(y) - 1)
    parts = [Tally.of(y[s], sets[s], sample_weight=w[s]) for s in (slice(cut), slice(cut, None))]
    whole, total = Tally.of(y, sets, sample_weight=w), parts[0] + parts[1]
    np.testing.assert_allclose(total.table, whole.table)
    assert total.effective_n == pytest.approx(whole.effective_n)


@given(labelled_sets(min_rows=3))
@fewer(12)
def test_standard_errors_are_the_textbooks(data):
    y, sets = data
    rewards = rewards_by_hand(y, sets)
    estimate = Tally.of(y, sets).estimate("u50")
    assert estimate.standard_error == pytest.approx(stats.sem(rewards), abs=1e-12)


def test_one_row_has_a_mean_and_a_wide_interval_but_no_standard_error():
    estimate = Tally.of([0], [[True, True]]).estimate("u65")
    assert float(estimate) == 0.65
    assert np.isnan(estimate.standard_error)
    low, high = estimate.interval()
    assert 0 <= low < 0.2
    assert 0.8 < high <= 1


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_gives_the_tally_of_its_rows(tmp_path, ending):
    rng = np.random.default_rng(0)
    y, sets, weight = rng.integers(0, 3, 50), rng.random((50, 3)) < 0.5, rng.random(50)
    path = tmp_path / f"predictions.{ending}"
    write_predictions(path, y, sets=sets, classes=[0, 1, 2], weight=weight)
    found, expected = Tally.of_file(path), Tally.of(y, sets, sample_weight=weight)
    np.testing.assert_allclose(found.table, expected.table)
    assert found.effective_n == pytest.approx(expected.effective_n)


def test_a_file_with_clusters_has_their_standard_errors(tmp_path):
    rng = np.random.default_rng(1)
    y, sets, cluster = rng.integers(0, 3, 60), rng.random((60, 3)) < 0.5, rng.integers(0, 8, 60)
    path = tmp_path / "predictions.csv"
    write_predictions(path, y, sets=sets, classes=[0, 1, 2], cluster=cluster)
    found, plain, expected = (
        tally.estimate("u65").standard_error
        for tally in (Tally.of_file(path), Tally.of(y, sets), Tally.of(y, sets, groups=cluster))
    )
    assert found == pytest.approx(expected)
    assert abs(plain / expected - 1) > 0.01  # clusters do make a difference


@given(tallies())
def test_json_gives_back_the_tally(tally):
    back = Tally.from_json(tally.to_json())
    assert back == tally
    assert back.table.dtype == tally.table.dtype
    assert back.estimate("u65") == tally.estimate("u65")
    by_hand = Tally.from_dict({"table": tally.table.tolist()})
    assert by_hand.estimate("u65") == tally.estimate("u65")


@given(tallies(), st.integers(2, 9))
def test_a_law_keeps_its_fractions(tally, scale):
    outcomes = [
        (int(k), bool(h), Fraction(int(c), int(tally.n)))
        for k, h, c in zip(*tally.cells, strict=True)
    ]
    law = Tally.from_distribution(outcomes, tally.n_classes)
    assert law.table.dtype == np.int64
    np.testing.assert_array_equal(law.table * int(tally.n), tally.table * int(law.n))
    assert law.expected_utility("u65") == pytest.approx(tally.expected_utility("u65"))
    assert np.isnan(law.estimate("u65").standard_error)
    assert np.isnan(Tally.from_json(law.to_json()).effective_n)
    floats = Tally.from_distribution([(k, h, float(p)) for k, h, p in outcomes], tally.n_classes)
    assert floats.moments() == pytest.approx(law.moments())


# by class, by group


@given(labelled_sets())
def test_the_tallies_of_the_classes_add_up_to_the_tally(data):
    y, sets = data
    by_class = ClassTally.of(y, sets)
    assert by_class.total == Tally.of(y, sets)
    for code in range(sets.shape[1]):
        assert by_class[code] == Tally.of(y[y == code], sets[y == code])
    assert ClassTally.from_json(by_class.to_json()) == by_class
    assert (by_class + by_class).total.n == 2 * len(y)
    assert list(by_class.tallies()) == list(range(sets.shape[1]))


@given(labelled_sets(), st.lists(st.sampled_from("xyz"), min_size=30, max_size=30), weights_of)
def test_the_tally_of_a_group_is_that_of_its_rows(data, letters, weights):
    y, sets = data
    groups = np.array(letters[: len(y)])
    w = np.array(weights[: len(y)]) + 0.05
    found = tally_by(groups, y, sets, sample_weight=w)
    assert sorted(found) == sorted(set(groups))
    for group, tally in found.items():
        rows = groups == group
        alone = Tally.of(y[rows], sets[rows], sample_weight=w[rows])
        np.testing.assert_allclose(tally.table, alone.table)
        np.testing.assert_allclose(tally.squares, alone.squares)


# paired


@given(labelled_sets(), labelled_sets(), utilities(), st.integers(0, 30))
def test_a_paired_tally_knows_the_row_differences(first, second, u, cut):
    n, k = min(len(first[0]), len(second[0])), min(first[1].shape[1], second[1].shape[1])
    y, a, b = first[0][:n] % k, first[1][:n, :k], second[1][:n, :k]
    paired = PairedTally.of(y, a, b)
    gaps = u(rewards_by_hand(y, a)) - u(rewards_by_hand(y, b))
    mean, variance, rows = paired.difference(u)
    assert (mean, variance, rows) == pytest.approx((gaps.mean(), gaps.var(), n), abs=1e-12)
    assert (paired.a, paired.b) == (Tally.of(y, a), Tally.of(y, b))
    assert paired.swap().difference(u).mean == pytest.approx(-mean)
    assert PairedTally.from_json(paired.to_json()) == paired
    parts = [PairedTally.of(y[s], a[s], b[s]) for s in (slice(cut), slice(cut, None))]
    assert sum(parts) == paired
    assert parts[1] + parts[0] == paired
    doubled = PairedTally.of(y, a, b, counts=np.full(n, 2))
    assert doubled == paired + paired
    if n > 1:
        assert paired.difference(u).standard_error == pytest.approx(stats.sem(gaps), abs=1e-9)


@given(labelled_sets(min_rows=2), weights_of)
def test_weighted_pairs_are_weighted(data, weights):
    y, a = data
    w = np.array(weights[: len(y)]) + 0.05
    b = ~a
    gaps = rewards_by_hand(y, a) - rewards_by_hand(y, b)
    found = PairedTally.of(y, a, b, sample_weight=w).difference("u50")
    mean = np.average(gaps, weights=w)
    assert found.mean == pytest.approx(mean, abs=1e-12)
    assert found.variance == pytest.approx(np.average((gaps - mean) ** 2, weights=w), abs=1e-12)


def test_labels_beside_a_matrix_are_its_columns():
    y, matrix = [0, 2, 2], np.eye(3, dtype=bool)
    for a, b in (
        ([0, 1, 2], matrix),
        (matrix, [0, 1, 2]),
        (PredictionSets.from_labels(y, range(3)), matrix),
    ):
        assert PairedTally.of(y, a, b).n_classes == 3
    assert PairedTally.of(["a", "b"], ["a", "c"], ["b", "b"]).n_classes == 3


@pytest.mark.parametrize("n_classes", [2, 64, 65, 70, 300, 2000])
def test_any_number_of_classes_is_counted(n_classes):
    rng = np.random.default_rng(n_classes)
    y, sets = rng.integers(0, n_classes, 400), rng.random((400, n_classes)) < rng.random((400, 1))
    sets[0], sets[1] = False, True
    table = np.zeros((n_classes + 1, 2), dtype=int)
    np.add.at(table, (sets.sum(axis=1), sets[np.arange(400), y].astype(int)), 1)
    np.testing.assert_array_equal(Tally.of(y, sets).table, table)
    evaluation = evaluate_sets(y, sets)
    np.testing.assert_array_equal(
        evaluation.class_table.sum(axis=1), np.bincount(y, minlength=n_classes)
    )
    paired = PairedTally.of(y, sets, ~sets)
    assert (paired.a, paired.b) == (Tally.of(y, sets), Tally.of(y, ~sets))


def test_long_data_is_counted_in_chunks_without_loss():
    rng = np.random.default_rng(0)
    y, sets = rng.integers(0, 4, 100_000), rng.random((100_000, 4)) < 0.5
    w = rng.random(100_000)
    table = np.zeros((5, 2))
    np.add.at(table, (sets.sum(axis=1), sets[np.arange(100_000), y].astype(int)), w)
    np.testing.assert_allclose(Tally.of(y, sets, sample_weight=w).table, table)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Tally.empty(3) + Tally.empty(4), "counts over 3 classes to counts over 4"),
        (lambda: PairedTally.empty(3) + PairedTally.empty(4), "over 3 classes to counts over 4"),
        (lambda: Tally.empty(3).expected_utility("u65"), "no prediction to score"),
        (lambda: Tally.empty(3).moments(), "no prediction to score"),
        (lambda: PairedTally.empty(3).difference("u65"), "no rows to compare"),
        (lambda: Tally.empty(0), "at least 1, got 0"),
        (lambda: Tally(np.zeros((3, 3))), r"columns miss and hit, got the shape \(3, 3\)"),
        (lambda: Tally(np.array([["a", "b"], ["c", "d"]])), "contains numbers"),
        (lambda: Tally(np.array([[0, 1], [0, 0]])), "an empty set cannot hit"),
        (lambda: Tally(np.array([[0, 0], [1, 0]])), "a full set cannot miss"),
        (lambda: Tally(np.array([[0, 0], [-1, 0], [0, 0]])), "not negative"),
        (lambda: Tally.from_distribution([]), "has no outcomes"),
        (lambda: Tally.from_distribution([(1, True, 0.5)]), "sum to 1, got the sum 0.5"),
        (lambda: Tally.from_distribution([(3, True, 1)], 2), "a set cannot have 3 of 2 classes"),
        (lambda: Tally.of([0, 1], [[True, False]]), "row"),
        (lambda: Tally.of([0, 2], [[True, False]] * 2), "2"),
        (lambda: Tally.of([0], [[True, False]], sample_weight=[-1]), "negative"),
        (lambda: tally_by(["x"], [0, 1], [0, 1]), "by has 1 row but y_true has 2"),
        (lambda: PairedTally(2, [[3, 0, 1, 0]], [1]), r"sizes 0\.\.2 and hits 0 or 1"),
        (lambda: PairedTally(2, [[1, 0, 1, 0]], [-1]), "finite and not negative"),
        (lambda: ClassTally(np.zeros((2, 2, 2)), ["a", "b"]), r"shape \(2, 3, 2\)"),
        (
            lambda: (
                ClassTally.of(["a"], ["a"], ["a", "b"]) + ClassTally.of(["a"], ["a"], ["a", "c"])
            ),
            "the same classes",
        ),
        (lambda: ClassTally.of(["a"], ["a"])["z"], "'z'"),
        (lambda: Tally.of([0], [0]).estimate("u50").interval(1), "strictly between 0 and 1"),
    ],
)
def test_invalid_input_is_reported(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_adding_something_else_is_a_type_error():
    for nothing in (Tally.empty(2), PairedTally.empty(2), ClassTally.of(["a"], ["a"])):
        with pytest.raises(TypeError):
            nothing + 1
        with pytest.raises(TypeError):
            1 + nothing
        assert nothing != 1


@given(tallies(), utilities())
def test_the_law_of_rewards_gives_the_expected_utility(tally, u):
    rewards, chance = tally.reward_law()
    assert (np.diff(rewards) > 0).all()
    assert chance.sum() == pytest.approx(1)
    assert chance @ np.asarray(get_utility(u)(rewards)) == pytest.approx(tally.expected_utility(u))


def test_tallies_that_version_0_1_0_wrote_are_read():
    plain = {"table": [[0, 0], [2, 1], [0, 3]], "weight_squares": 6.0}
    assert Tally.from_dict(plain).effective_n == 6
    assert np.isnan(Tally.from_dict(plain | {"weight_squares": None}).effective_n)
    weighted = {"table": [[0, 0], [2.5, 1], [0, 3]], "weight_squares": 13.0}
    assert Tally.from_dict(weighted).effective_n == pytest.approx(6.5**2 / 13)
    paired = {"n_classes": 2, "outcomes": [[1, 0, 1, 1]], "counts": [4], "weight_squares": None}
    assert PairedTally.from_dict(paired).effective_n == 4
    paired |= {"counts": [4.5], "weight_squares": 9.0}
    assert PairedTally.from_dict(paired).effective_n == pytest.approx(4.5**2 / 9)
    table = [[[0, 0], [0, 1.5], [0, 0]], [[0, 0], [1, 1.25], [0, 0]]]
    by_class = {"table": table, "classes": ["a", "b"], "weight_squares": [2.25, 3.0]}
    assert ClassTally.from_dict(by_class)["b"].effective_n == pytest.approx(2.25**2 / 3)


@pytest.mark.parametrize("tally", [Tally.empty(2), PairedTally.empty(2), ClassTally.of([0], [0])])
def test_tallies_add_up_and_cannot_be_hashed(tally):
    assert sum([tally, tally]) == tally + tally
    with pytest.raises(TypeError, match="unhashable"):
        hash(tally)


def test_a_difference_shows_its_three_numbers():
    paired = PairedTally.of([0, 1, 0], [[0], [1], [0, 1]], [0, 0, 0])
    assert repr(paired.difference("u65")) == "Difference(mean=0.2167, variance=0.3272, n=3)"
