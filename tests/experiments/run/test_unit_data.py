import numpy as np
import pytest
from hypothesis import given, strategies as st

from wager.experiments import Plan, weka_folds
from wager.experiments.run._unit_data import cross_validation_rows, sample_rows, unit_data

labels = st.lists(st.integers(0, 3), min_size=4, max_size=60).map(np.array)


@given(labels, st.sampled_from(["stratified", "weka"]), st.integers(2, 4), st.integers(0, 3))
def test_every_row_is_tested_once_and_trained_on_otherwise(y, folds, n_folds, repeat):
    if folds == "stratified" and np.bincount(y).max() < n_folds:
        return  # scikit-learn refuses that
    scheme = {"folds": folds, "n_folds": n_folds}
    splits = cross_validation_rows(y, scheme, repeat, 1, "data")
    assert len(splits) == n_folds
    np.testing.assert_array_equal(
        np.sort(np.concatenate([t for _, t in splits])), np.arange(len(y))
    )
    for train, test in splits:
        np.testing.assert_array_equal(np.sort(np.r_[train, test]), np.arange(len(y)))


def test_weka_folds_are_those_of_the_run():
    y = np.repeat([0, 1, 2], [20, 15, 10])
    ours = cross_validation_rows(y, {"folds": "weka", "n_folds": 10}, 2, 1, "data")
    theirs = list(weka_folds(y, runs=3, seed=1))[20:]
    for (a, b), (c, d) in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(a, c)
        np.testing.assert_array_equal(b, d)


def test_repeats_and_data_sets_get_folds_of_their_own():
    y = np.repeat([0, 1], 30)
    scheme = {"folds": "stratified", "n_folds": 3}
    firsts = [
        tuple(cross_validation_rows(y, scheme, repeat, seed, what)[0][1])
        for repeat, seed, what in [(0, 1, "a"), (1, 1, "a"), (0, 2, "a"), (0, 1, "b")]
    ]
    assert len(set(firsts)) == 4
    assert tuple(cross_validation_rows(y, scheme, 0, 1, "a")[0][1]) == firsts[0]


@given(labels, st.data())
def test_a_stratified_sample_gives_each_class_its_share(y, data):
    n_train = data.draw(st.integers(1, len(y) - 1))
    train, test = sample_rows(y, n_train, True, 0)
    assert len(train) == n_train
    np.testing.assert_array_equal(np.sort(np.r_[train, test]), np.arange(len(y)))
    share = np.bincount(y) * n_train / len(y)
    assert (np.abs(np.bincount(y[train], minlength=len(share)) - share) < 1).all()


def test_a_plain_sample_need_not_keep_the_shares():
    y = np.repeat([0, 1], 50)
    numbers = {np.bincount(y[sample_rows(y, 10, False, s)[0]], minlength=2)[0] for s in range(30)}
    assert len(numbers) > 1


@given(labels, st.data(), st.booleans())
def test_rows_that_are_never_drawn_are_tested(y, data, stratified):
    n_train = data.draw(st.integers(1, len(y) - 1))
    train, test = sample_rows(y, n_train, stratified, 0, replacement=True)
    assert len(train) == n_train
    np.testing.assert_array_equal(np.union1d(train, test), np.arange(len(y)))
    assert not set(train) & set(test)
    if stratified:
        share = np.bincount(y) * n_train / len(y)
        assert (np.abs(np.bincount(y[train], minlength=len(share)) - share) < 1).all()


def test_a_sample_with_replacement_has_as_many_different_rows_as_chance_gives():
    y = np.repeat([0, 1], 50)
    drawn = [sample_rows(y, 50, False, state, True)[0] for state in range(400)]
    different = np.array([len(set(train)) for train in drawn])
    expected = 100 * (1 - 0.99**50)
    assert abs(different.mean() - expected) < 4 * different.std() / 20


def test_the_training_rows_of_a_unit_are_counted_once():
    scheme = {"kind": "downsample", "sizes": [100], "replacement": True}
    plan = Plan(datasets=["iris"], learners={"a": "vacuous"}, scheme=scheme)
    data = unit_data(plan.units()[0])
    assert len(data.y_train) == 100
    assert data.n_train < 100
    assert data.n_train + len(data.y_test) == 150


def test_too_many_folds_or_training_rows_are_refused():
    y = np.array([0, 1, 0, 1])
    with pytest.raises(ValueError, match="cannot make 5 folds of 4 rows"):
        cross_validation_rows(y, {"folds": "weka", "n_folds": 5}, 0, 1, "data")
    with pytest.raises(ValueError, match="cannot take 4 of 4 rows for training"):
        sample_rows(y, 4, True, 0)
