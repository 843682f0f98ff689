"""Rows of a matrix: what is combined column by column is what NumPy combines row by row."""

import numpy as np
import pytest

from wager._tables import along_rows


@pytest.mark.parametrize("n_columns", range(1, 13))
@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_are_combined_to_the_last_bit_as_numpy_does(n_columns, order):
    rows = np.random.default_rng(n_columns).lognormal(0.0, 9.0, (500, n_columns))
    rows = np.asarray(rows, order=order)
    for combine in (np.add, np.maximum):
        expected = combine.reduce(rows, axis=1, keepdims=True)
        assert along_rows(combine, rows).tobytes() == expected.tobytes()


def test_rows_without_columns_sum_to_nothing():
    assert along_rows(np.add, np.empty((2, 0))).tolist() == [[0.0], [0.0]]
