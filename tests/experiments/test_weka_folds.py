"""Weka's folds: a partition, stratified, the same whichever engine shuffles."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, strategies as st

from wager.experiments import fold_of_row, weka_folds

labels = st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1, max_size=60).filter(
    lambda y: any(label is not None for label in y)
)


@given(labels, st.integers(1, 3), st.integers(1, 9), st.integers(2, 12))
def test_every_run_deals_each_labelled_row_once(y, runs, seed, n_folds):
    splits = list(weka_folds(np.array(y, dtype=object), runs, seed, n_folds=n_folds))
    known = [i for i, label in enumerate(y) if label is not None]
    per_run = min(n_folds, len(known))
    assert len(splits) == runs * per_run
    for run in range(runs):
        tests = [test for _, test in splits[run * per_run : (run + 1) * per_run]]
        assert sorted(np.concatenate(tests).tolist()) == known
        sizes = [len(test) for test in tests]
        assert max(sizes) - min(sizes) <= 1
    for train, test in splits:
        assert sorted([*train.tolist(), *test.tolist()]) == known


@given(labels, st.integers(2, 12))
def test_classes_are_spread_evenly_over_the_folds(y, n_folds):
    fold = fold_of_row(np.array(y, dtype=object), n_folds=n_folds)
    for label in {"a", "b", "c"} & set(y):
        per_fold = np.bincount(fold[[v == label for v in y]], minlength=fold.max() + 1)
        assert per_fold.max() - per_fold.min() <= 2


def test_masked_labels_are_in_no_fold():
    masked = np.ma.array([0, 1, 0, 1, 0, 1], mask=[0, 0, 1, 0, 0, 0])
    wanted = fold_of_row([0, 1, None, 1, 0, 1], n_folds=3)
    assert wanted[2] == -1
    np.testing.assert_array_equal(fold_of_row(masked, n_folds=3), wanted)
    np.testing.assert_array_equal(fold_of_row(list(masked), n_folds=3), wanted)
    np.testing.assert_array_equal(fold_of_row(np.ma.array([0, 1, 0, 1])), fold_of_row([0, 1, 0, 1]))


def test_compiled_and_plain_shuffles_agree():
    y = np.arange(3000) % 7
    with mock.patch.dict("os.environ", WAGER_COMPILE="always"):
        compiled = [train.tolist() for train, _ in weka_folds(y, 2, 5)]
    with mock.patch.dict("os.environ", WAGER_COMPILE="never"):
        assert [train.tolist() for train, _ in weka_folds(y, 2, 5)] == compiled


def test_run_r_uses_the_next_seed():
    y = np.arange(50) % 3
    second_run = list(weka_folds(y, runs=2, seed=4))[10:]
    for (train, test), (train_5, test_5) in zip(second_run, weka_folds(y, seed=5), strict=True):
        assert (train.tolist(), test.tolist()) == (train_5.tolist(), test_5.tolist())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([None, None],), "all labels in y are missing"),
        (([[0]],), "one label per row"),
        (([0, 1], 0), "runs must be at least 1"),
    ],
)
def test_what_cannot_be_folded_is_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        list(weka_folds(*arguments))
