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
