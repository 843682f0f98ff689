"""Tables that scikit-learn need not check are read as it would read them, and no others."""

from enum import Enum

import numpy as np
import pandas
import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from wager._tables import Schema, read_table
from wager.learners import C45, CredalNeighbors, NaiveBayes, NaiveCredal
from wager.prepare import MDLDiscretizer

CODES = np.array([[0, 1, -1], [2, 0, 1]])


@pytest.mark.parametrize("dtype", ["int32", "uint8", "int64", "float64", "float32", "bool", ">i4"])
def test_a_matrix_of_numbers_is_taken_as_it_is(dtype):
    X, ours, theirs = CODES.astype(dtype), BaseEstimator(), BaseEstimator()
    assert read_table(ours, X, reset=True) is X
    assert validate_data(theirs, X=X, reset=True, dtype=None, ensure_all_finite=False) is X
    assert vars(ours) == vars(theirs)
    assert read_table(ours, X[:1], reset=False).tolist() == X[:1].tolist()


@pytest.mark.parametrize("shape", [(0, 3), (2, 0), (3,), (2, 2, 2)])
def test_a_wrong_shape_is_refused_in_the_words_of_scikit_learn(shape):
    with pytest.raises(ValueError, match=r"0 sample|0 feature|2D array|dim"):
        read_table(BaseEstimator(), np.zeros(shape), reset=True)


def test_another_number_of_columns_is_refused():
    estimator = BaseEstimator()
    read_table(estimator, CODES, reset=True)
    with pytest.raises(ValueError, match="X has 2 features, but BaseEstimator is expecting 3"):
        read_table(estimator, CODES[:, :2], reset=False)


def test_names_of_columns_are_asked_for_and_forgotten():
    estimator = BaseEstimator()
    read_table(estimator, pandas.DataFrame(CODES, columns=list("abc")), reset=True)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        read_table(estimator, CODES, reset=False)
    read_table(estimator, CODES, reset=True)
    assert vars(estimator) == {"n_features_in_": 3}


class Answer(str, Enum):  # noqa: UP042, NumPy makes the text "Ans" of both
    YES = "yes"
    NO = "no"


def test_members_of_an_enum_of_text_are_their_text():
    rows = [[Answer.YES, Answer.NO], [Answer.NO, Answer.NO]]
    plain = [["yes", "no"], ["no", "no"]]
    assert read_table(BaseEstimator(), rows, reset=True).tolist() == plain
    frame = pandas.DataFrame(rows, dtype=object)
    assert [type(level) for level in Schema.of(frame).levels[0]] == [str, str]


ROWS = [(5.1, "red", True), (4.9, "blue", False), (np.nan, "red", True), (6.2, np.nan, False)]


def test_numbers_and_gaps_beside_text_in_lists_of_rows_are_no_text():
    """NumPy makes the text "5.1", "True" and "nan" of them."""
    y = ["a", "b", "a", "b"]
    columns = pandas.DataFrame(ROWS, columns=["x", "colour", "old"])
    for rows in (ROWS, [list(row) for row in ROWS]):
        tree, of_frame = C45().fit(rows, y), C45().fit(columns, y)
        assert tree.schema_.nominal.tolist() == of_frame.schema_.nominal.tolist()
        assert tree.schema_.levels[1].tolist() == ["blue", "red"]
        assert tree.schema_.levels[2].tolist() == [False, True]
        assert np.array_equal(tree.predict_proba(rows), of_frame.predict_proba(columns))


def test_a_nan_beside_text_in_a_row_to_predict_is_missing():
    model = NaiveCredal().fit([["sun", "a"], ["sun", "b"], ["rain", "b"]], [0, 0, 1])
    missing = model.predict_credal([["sun", None]])
    for rows in ([["sun", np.nan]], [["sun", float("nan")]], np.array([["sun", np.nan]], object)):
        assert np.array_equal(model.predict_credal(rows).lower, missing.lower)
        assert np.array_equal(model.predict_set(rows), model.predict_set([["sun", None]]))


def test_lists_of_rows_of_different_lengths_are_still_refused():
    with pytest.raises(ValueError, match="inhomogeneous"):
        NaiveBayes().fit([["a", 1], ["b"]], [0, 1])


@pytest.mark.parametrize("estimator", [NaiveBayes(), MDLDiscretizer(), CredalNeighbors(1)])
def test_columns_of_one_name_get_one_sentence(estimator):
    frame = pandas.DataFrame([[1.0, 2.0, 3.0], [1.0, 0.0, 3.0]] * 3, columns=["x", "z", "x"])
    said = "^the column 'x' occurs more than once: keep one$"
    with pytest.raises(ValueError, match=said):
        estimator.fit(frame, ["p", "q"] * 3)
    fitted = estimator.fit(frame.to_numpy(), ["p", "q"] * 3)
    with pytest.raises(ValueError, match=said):
        getattr(fitted, "predict", getattr(fitted, "transform", None))(frame)
