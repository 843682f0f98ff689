"""Probability intervals of a file: every row must leave some probabilities."""

import pytest

from wager.predictions import read_predictions


def test_one_row_of_several_whose_bounds_nothing_satisfies_is_named(tmp_path):
    path = tmp_path / "rows.csv"
    head = "y_true,lower:a,lower:b,upper:a,upper:b\n"
    path.write_text(head + "a,0.2,0.3,0.7,0.8\nb,0.6,0.5,0.7,0.6\na,0.2,0.3,0.7,0.8\n")
    with pytest.raises(ValueError, match="no probabilities satisfy the bounds of row 2: the lower"):
        read_predictions(path)
    path.write_text(head + "a,0.2,0.3,0.7,0.8\na,0.2,0.3,0.7,0.8\n")
    assert read_predictions(path).y_true.tolist() == ["a", "a"]
