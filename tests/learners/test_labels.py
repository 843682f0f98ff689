"""Labels that learners cannot use raise errors that name the row."""

import numpy as np
import pandas as pd
import pytest

from wager.learners import NaiveBayes


@pytest.mark.parametrize(
    ("labels", "row"),
    [([0, 1, None], 2), (["a", None, "b"], 1), (pd.Series(["a", "b", None]), 2)],
)
def test_a_missing_label_is_named_by_its_row(labels, row):
    with pytest.raises(ValueError, match=f"in row {row}: drop the row or give it a label"):
        NaiveBayes().fit(np.array([[0], [1], [1]]), labels)


def test_continuous_targets_are_refused():
    with pytest.raises(ValueError, match="continuous"):
        NaiveBayes().fit(np.array([[0], [1], [1]]), [0.5, 1.2, 3.0])


@pytest.mark.parametrize("kind", ["Int64", "int64[pyarrow]"])
def test_large_integers_of_nullable_columns_stay_different_classes(kind):
    """As doubles they are equal."""
    y = pd.Series([2**53, 2**53 + 1, 2**53, 2**53 + 1], dtype=kind)
    model = NaiveBayes().fit(np.array([[0], [1], [0], [1]]), y)
    assert model.classes_.tolist() == [2**53, 2**53 + 1]
    assert model.predict(np.array([[1]])).tolist() == [2**53 + 1]


@pytest.mark.parametrize(
    ("kind", "labels"), [("boolean", [True, False]), ("Int64", [3, 1]), ("bool[pyarrow]", [0, 1])]
)
def test_classes_of_nullable_columns_have_the_type_of_the_column(kind, labels):
    y = pd.Series(labels, dtype=kind)
    model = NaiveBayes().fit(np.array([[0], [1]]), y)
    assert model.classes_.dtype == y.dtype.numpy_dtype
    with pytest.raises(ValueError, match="in row 2: drop the row or give it a label"):
        NaiveBayes().fit(np.array([[0], [1], [1]]), pd.Series([*labels, None], dtype=kind))
