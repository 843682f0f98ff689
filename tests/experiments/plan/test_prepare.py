import numpy as np
import pytest

from wager.experiments.plan._prepare import Preparation, PreparedTable, prepare_fold, prepare_once
from wager.prepare import (
    CfsSelector,
    Dataset,
    EqualFrequencyDiscretizer,
    MDLDiscretizer,
    ModeMeanImputer,
)

random = np.random.default_rng(0)
N = 200
y = np.repeat([0, 1, 2, 1], N // 4)
NOISE = random.random(N)
NUMBER = np.where(random.random(N) < 0.1, np.nan, y + random.normal(size=N) / 4)
CODES = np.where(random.random(N) < 0.1, -1, (y + random.integers(0, 2, N)) % 4)
DATA = Dataset(
    "mixed",
    ("noise", "code", "number"),
    (NOISE, CODES.astype(np.int32), NUMBER),
    (None, ("a", "b", "c", "d", "never"), None),
    y.astype(np.int32),
    np.array(["x", "y", "z"]),
)
TABLE = PreparedTable.of(DATA)
TRAIN, TEST = np.arange(0, N, 2), np.arange(1, N, 2)


def prepared(**how):
    what = Preparation(**how)
    whole = prepare_once(TABLE, y, what)
    return prepare_fold(whole.rows(TRAIN), y[TRAIN], whole.rows(TEST), what)


def test_without_steps_the_rows_are_as_they_were():
    train, test = prepared()
    np.testing.assert_array_equal(train.X, DATA.matrix[TRAIN])
    np.testing.assert_array_equal(test.X, DATA.matrix[TEST])
    assert test.nominal.tolist() == [False, True, False]
    assert test.n_values.tolist() == [0, 5, 0]


@pytest.mark.parametrize(("place", "rows"), [("fold", TRAIN), ("once", np.arange(N))])
def test_cuts_come_from_the_training_rows_or_once_from_all(place, rows):
    train, test = prepared(discretize="mdl", discretize_in=place)
    cutter = MDLDiscretizer(categorical_features="none").fit(NUMBER[rows, None], y[rows])
    np.testing.assert_array_equal(train.X[:, 2], cutter.transform(NUMBER[TRAIN, None])[:, 0])
    np.testing.assert_array_equal(test.X[:, 2], cutter.transform(NUMBER[TEST, None])[:, 0])
    np.testing.assert_array_equal(test.X[:, 1], CODES[TEST])
    assert test.n_values.tolist() == [1, 5, cutter.n_values_[0]]  # noise has no cut; levels stay


def test_a_feature_without_a_cut_can_be_dropped():
    train, test = prepared(discretize="mdl", single_bin="drop")
    kept, _ = prepared(discretize="mdl")
    np.testing.assert_array_equal(train.X, kept.X[:, 1:])
    assert test.nominal.tolist() == [True, True]


def test_equal_frequencies_take_their_number_of_bins():
    train, _ = prepared(discretize="equal-frequency", n_bins=3)
    cutter = EqualFrequencyDiscretizer(3, categorical_features="none").fit(NOISE[TRAIN, None])
    np.testing.assert_array_equal(train.X[:, 0], cutter.transform(NOISE[TRAIN, None])[:, 0])


@pytest.mark.parametrize(("place", "rows"), [("fold", TRAIN), ("once", np.arange(N))])
def test_gaps_are_filled_from_the_training_rows_or_once_from_all(place, rows):
    train, test = prepared(impute=place)
    filler = ModeMeanImputer(categorical_features=[1]).fit(DATA.matrix[rows])
    np.testing.assert_array_equal(train.X, filler.transform(DATA.matrix[TRAIN]))
    np.testing.assert_array_equal(test.X, filler.transform(DATA.matrix[TEST]))


def test_what_is_missing_after_discretization_gets_the_training_mode():
    train, test = prepared(discretize="mdl", fill="mode")
    before, gaps = prepared(discretize="mdl")
    assert (before.X == -1).any()
    mode = np.bincount(before.X[:, 2][before.X[:, 2] >= 0]).argmax()
    np.testing.assert_array_equal(test.X[:, 2], np.where(gaps.X[:, 2] < 0, mode, gaps.X[:, 2]))
    assert not (train.X == -1).any()


def test_selection_follows_discretization():
    train, test = prepared(discretize="mdl", select="cfs")
    whole, other = prepared(discretize="mdl")
    chosen = CfsSelector().fit(whole.X, y[TRAIN]).get_support()
    np.testing.assert_array_equal(train.X, whole.X[:, chosen])
    np.testing.assert_array_equal(test.X, other.X[:, chosen])
    np.testing.assert_array_equal(test.n_values, other.n_values[chosen])


def test_nothing_may_be_left():
    only_noise = PreparedTable.of(
        Dataset("noise", ("noise",), (NOISE,), (None,), y.astype(np.int32), np.arange(3))
    )
    how = Preparation(discretize="mdl", single_bin="drop", select="cfs", fill="mode")
    train, test = prepare_fold(only_noise.rows(TRAIN), y[TRAIN], only_noise.rows(TEST), how)
    assert train.X.shape == (N // 2, 0)
    assert test.X.shape == (N // 2, 0)


def test_one_hot_columns_add_up_to_one_where_the_value_is_known():
    train, test = prepared(encode="one-hot")
    assert test.X.shape[1] == 1 + 5 + 1
    np.testing.assert_array_equal(train.X[:, 1:6].sum(axis=1), CODES[TRAIN] >= 0)
    np.testing.assert_array_equal(train.X[:, 0], NOISE[TRAIN])
    assert not test.nominal.any()
    assert not test.n_values.any()  # they are numbers


def test_selection_refuses_numbers():
    with pytest.raises(
        ValueError, match="needs nominal features: discretize numeric features first"
    ):
        prepared(select="cfs")


def test_selection_once_after_cuts_in_the_fold_is_refused():
    with pytest.raises(ValueError, match="has a step for the whole data set"):
        Preparation(discretize="mdl", select="cfs", select_in="once")
