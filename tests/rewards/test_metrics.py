from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.metrics import accuracy_score, confusion_matrix, recall_score

from tests.fewer import fewer
from tests.rewards.strategies import labelled_sets, utilities
from wager import metrics
from wager.predictions import PredictionSets
from wager.rewards import SET_SCORES, SetScore, Tabulated, Tally, mic, mip, utility_score

WITH_TRUTH = ["discounted_accuracy", "single_accuracy", "set_accuracy", "coverage"]
WITHOUT_TRUTH = ["determinacy", "mean_set_size", "indeterminate_set_size", "empty_rate"]


def by_hand(y, sets):
    """Every measure in its own words, row by row."""
    size, hit = sets.sum(axis=1), sets[np.arange(len(y)), y]
    with np.errstate(invalid="ignore", divide="ignore"):

        def mean(values, rows=slice(None)):
            chosen = np.asarray(values, dtype=float)[rows]
            return chosen.mean() if len(chosen) else np.nan

        return {
            "discounted_accuracy": mean(
                [h / s if s else 0 for h, s in zip(hit, size, strict=True)]
            ),
            "coverage": mean(hit),
            "determinacy": mean(size == 1),
            "single_accuracy": mean(hit, size == 1),
            "set_accuracy": mean(hit, size > 1),
            "mean_set_size": mean(size),
            "indeterminate_set_size": mean(size, size > 1),
            "empty_rate": mean(size == 0),
        }


@given(labelled_sets())
def test_every_measure_is_its_definition(data):
    y, sets = data
    expected = by_hand(y, sets)
    for name in SET_SCORES:
        arguments = (sets,) if name in WITHOUT_TRUTH else (y, sets)
        found = getattr(metrics, name)(*arguments)
        np.testing.assert_allclose(found, expected[name], atol=1e-12)
    assert set(SET_SCORES) == {*WITH_TRUTH, *WITHOUT_TRUTH}


@given(labelled_sets(), st.lists(st.floats(0.1, 9), min_size=30, max_size=30))
def test_weights_enter_every_measure(data, weights):
    y, sets = data
    w = np.array(weights[: len(y)])
    for name, score in SET_SCORES.items():
        rows = score.per_row(y, sets)
        known = ~np.isnan(rows)
        expected = np.average(rows[known], weights=w[known]) if known.any() else np.nan
        arguments = (sets,) if name in WITHOUT_TRUTH else (y, sets)
        found = getattr(metrics, name)(*arguments, sample_weight=w)
        np.testing.assert_allclose(found, expected, atol=1e-12)


@given(labelled_sets(), utilities())
def test_one_formula_serves_table_and_row(data, u):
    y, sets = data
    score = utility_score(u)
    assert score.per_row(y, sets).mean() == pytest.approx(score(Tally.of(y, sets)), abs=1e-12)
    found = metrics.utility_discounted_accuracy(y, sets, u)
    assert found == pytest.approx(score(Tally.of(y, sets)), abs=1e-12)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1))
@fewer(12)
def test_on_single_classes_everything_is_accuracy(pairs):
    y, predicted = map(list, zip(*pairs, strict=True))
    accuracy = accuracy_score(y, predicted)
    for name in ("discounted_accuracy", "single_accuracy", "coverage"):
        assert getattr(metrics, name)(y, predicted) == pytest.approx(accuracy)
    for utility in ("u50", "u65", "u80", "f1", "log-norm"):
        found = metrics.utility_discounted_accuracy(y, predicted, utility)
        assert found == pytest.approx(accuracy)
    assert metrics.determinacy(predicted) == 1
    assert np.isnan(metrics.set_accuracy(y, predicted))
    labels = ["a", "b", "c"]
    counts = np.asarray(metrics.set_confusion(y, predicted, classes=labels))[:, :3]
    np.testing.assert_array_equal(counts, confusion_matrix(y, predicted, labels=labels))
    by_class = metrics.class_coverage(y, predicted, classes=labels)
    recall = recall_score(y, predicted, labels=labels, average=None, zero_division=np.nan)
    np.testing.assert_allclose(by_class, recall)


@given(labelled_sets())
@fewer(12)
def test_coverage_and_width_are_mapies(data):
    from mapie.metrics.classification import (
        classification_coverage_score,
        classification_mean_width_score,
    )

    y, sets = data
    theirs = classification_coverage_score(y, sets[:, :, None])
    assert metrics.coverage(y, sets[:, :, None]) == pytest.approx(float(theirs[0]))
    widths = classification_mean_width_score(sets[:, :, None])
    assert metrics.mean_set_size(sets) == pytest.approx(float(widths[0]))


@given(labelled_sets(), st.floats(0, 1))
def test_coverage_by_class_and_by_size(data, alpha):
    y, sets = data
    size, hit = sets.sum(axis=1), sets[np.arange(len(y)), y]
    by_class, by_size = metrics.class_coverage(y, sets), metrics.size_stratified_coverage(y, sets)
    assert len(by_size) == len(by_class) + 1 == sets.shape[1] + 1
    for code, found in enumerate(by_class):
        rows = y == code
        assert np.isnan(found) if not rows.any() else found == pytest.approx(hit[rows].mean())
    for k, found in enumerate(by_size):
        rows = size == k
        assert np.isnan(found) if not rows.any() else found == pytest.approx(hit[rows].mean())
    gaps = [abs(hit[y == c].mean() - (1 - alpha)) for c in np.unique(y)]
    assert metrics.coverage_gap(y, sets, alpha) == pytest.approx(np.mean(gaps))


@given(labelled_sets(), st.integers(0, 3))
def test_the_confusion_table_has_a_place_for_every_prediction(data, weight):
    y, sets = data
    n_classes = sets.shape[1]
    confusion = metrics.set_confusion(y, sets, sample_weight=np.full(len(y), weight + 1))
    expected = np.zeros((n_classes, 2 * n_classes), dtype=int)
    for code, row in zip(y, sets, strict=True):
        size = row.sum()
        column = {0: 2 * n_classes - 1, 1: int(row.argmax())}.get(size, n_classes + size - 2)
        expected[code, column] += weight + 1
    np.testing.assert_array_equal(np.asarray(confusion), expected)
    assert confusion.columns[n_classes - 1 :][-2:] == ("all", "none")
    assert confusion.to_frame().shape == expected.shape


def test_the_confusion_table_reads_well():
    y = ["a", "b", "c", "c"]
    confusion = metrics.set_confusion(y, [["a"], ["a", "b"], ["a", "b", "c"], []])
    assert repr(confusion).splitlines() == [
        "true class  a  b  c  2 classes  all  none",
        "-----------------------------------------",
        "a           1  0  0          0    0     0",
        "b           0  0  0          1    0     0",
        "c           0  0  0          0    1     1",
    ]


@given(labelled_sets(), st.integers(0, 5))
def test_the_area_of_ignorance_is_the_others_accuracy_where_several_classes_are_named(data, shift):
    y, sets = data
    precise = (y + shift * (np.arange(len(y)) % 2)) % sets.shape[1]
    rows = sets.sum(axis=1) > 1
    found = metrics.area_of_ignorance(y, sets, precise)
    expected = (precise == y)[rows].mean() if rows.any() else np.nan
    np.testing.assert_allclose(found, expected)
    single = np.eye(sets.shape[1], dtype=bool)[precise]
    np.testing.assert_allclose(metrics.area_of_ignorance(y, sets, single), expected)


@given(labelled_sets(), st.floats(-1, 1))
def test_information_scores_reward_small_sets_that_hit(data, a):
    y, sets = data
    n_classes = sets.shape[1]
    size, hit = sets.sum(axis=1), sets[np.arange(len(y)), y]
    gain = np.log(n_classes / np.maximum(size, 1))
    tally = Tally.of(y, sets)
    expected = np.where(hit, gain, -np.log(n_classes) / (n_classes - 1)).mean()
    assert mic(n_classes)(tally) == pytest.approx(expected, abs=1e-12)
    expected = np.where(hit, gain, -(1 + a) * np.log(n_classes)).mean()
    assert mip(n_classes, a)(tally) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_a_guess_earns_no_information_on_average(n_classes):
    """One of K classes at random hits with 1/K, and pays log K / (K - 1) otherwise."""
    hit, miss = mic(n_classes).function(np.array([1, 1]), np.array([True, False]))
    assert hit == pytest.approx(np.log(n_classes))
    assert hit / n_classes + miss * (n_classes - 1) / n_classes == pytest.approx(0)
    assert mic(1).function(np.array([0]), np.array([False])).tolist() == [0]


def test_a_user_defined_score_is_a_function_and_a_line():
    score = SetScore("at most two", lambda size, hit: hit & (size <= 2), greater_is_better=True)
    y, sets = [0, 1, 2], np.tri(3, 4, 1, dtype=bool)
    assert score.per_row(y, sets).tolist() == [1.0, 0.0, 0.0]
    assert score(Tally.of(y, sets)) == pytest.approx(1 / 3)
    constant = SetScore("one", lambda size, hit: 1.0)
    assert constant(Tally.of(y, sets)) == 1
    assert constant.per_row(y, sets).tolist() == [1.0, 1.0, 1.0]


def test_a_table_of_utilities_need_not_list_sizes_that_only_miss():
    y, sets = [0, 0], [[True, True, False], [False, True, True]]
    assert metrics.utility_discounted_accuracy(y, sets, Tabulated([1.0, 0.7])) == pytest.approx(
        0.35
    )


def test_variance_and_certainty_equivalent_by_hand():
    y, sets = ["a", "b"], [["a"], ["a", "b"]]
    assert metrics.reward_variance(y, sets) == pytest.approx(0.0625)
    assert metrics.certainty_equivalent(y, sets, "u50") == pytest.approx(0.75)
    u = metrics.utility_discounted_accuracy(y, sets, "u65")
    sure = metrics.certainty_equivalent(y, sets, "u65")
    assert -0.6 * sure**2 + 1.6 * sure == pytest.approx(u)


@pytest.mark.parametrize(
    "form",
    [
        lambda sets: sets,
        lambda sets: sets.astype(int),
        lambda sets: PredictionSets.from_indicator(sets, ["a", "b", "c"]),
        lambda sets: [[c for c, kept in zip("abc", row, strict=True) if kept] for row in sets],
        lambda sets: [
            "|".join(c for c, kept in zip("abc", row, strict=True) if kept) for row in sets
        ],
    ],
)
def test_every_form_of_the_predictions_scores_the_same(form):
    sets = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1], [1, 1, 1]], dtype=bool)
    y = np.array(["a", "b", "a", "c"])
    found = metrics.evaluate_sets(y, form(sets), classes=["a", "b", "c"]).to_dict()
    expected = metrics.evaluate_sets([0, 1, 0, 2], sets).to_dict()
    assert found.pop("classes") == ["a", "b", "c"]
    assert expected.pop("classes") == [0, 1, 2]
    np.testing.assert_equal(found, expected)


@pytest.mark.parametrize("name", [*WITH_TRUTH, "class_coverage", "size_stratified_coverage"])
def test_an_empty_test_set_is_an_error(name):
    with pytest.raises(ValueError, match="no prediction to score"):
        getattr(metrics, name)([], np.zeros((0, 3), dtype=bool))


@pytest.mark.parametrize("name", WITHOUT_TRUTH)
def test_no_predictions_are_an_error(name):
    with pytest.raises(ValueError, match="no prediction to score"):
        getattr(metrics, name)(np.zeros((0, 3), dtype=bool))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: metrics.coverage([], []), "no prediction to score"),
        (lambda: metrics.coverage_gap([0], [[True, True]], 1.5), r"alpha.*in \[0, 1\], got 1.5"),
        (
            lambda: metrics.area_of_ignorance([0], [[True, True]], [[True, True]]),
            "precise must predict one class per row, but a prediction of 2 classes occurs",
        ),
        (lambda: metrics.coverage([0, 1], [[True, False]]), "1"),
        (lambda: metrics.coverage(["z"], [["a"]], classes=["a", "b"]), "'z'"),
        (lambda: metrics.set_confusion([], np.zeros((0, 3), dtype=bool)), "no prediction to score"),
    ],
)
def test_invalid_input_is_reported(call, words):
    with pytest.raises(ValueError, match=words):
        call()
