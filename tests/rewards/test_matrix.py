from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.rewards.strategies import utilities
from wager.rewards import all_sets, extended_reward_matrix, utility_score


def test_two_classes_give_the_published_tables():
    assert extended_reward_matrix(2).tolist() == [[1, 0], [0, 1], [0.5, 0.5]]  # Table 2
    assert extended_reward_matrix(2, "u80").tolist() == [[1, 0], [0, 1], [0.8, 0.8]]  # Table 3


@given(st.integers(1, 5), utilities())
def test_the_matrix_is_what_a_score_gives_cell_by_cell(n_classes, u):
    score, matrix = utility_score(u), extended_reward_matrix(n_classes, u)
    assert len(matrix) == len(all_sets(n_classes)) == 2**n_classes - 1
    for row, chosen in zip(matrix, all_sets(n_classes), strict=True):
        sets = np.zeros((n_classes, n_classes), dtype=bool)
        sets[:, list(chosen)] = True
        np.testing.assert_allclose(row, score.per_row(np.arange(n_classes), sets))


@pytest.mark.parametrize("n_classes", [0, 17])
def test_too_many_sets_are_not_listed(n_classes):
    with pytest.raises(ValueError, match=f"1 to 16 classes, got {n_classes}"):
        extended_reward_matrix(n_classes)


def test_a_number_of_classes_may_be_a_whole_float():
    assert extended_reward_matrix(3.0).tolist() == extended_reward_matrix(3).tolist()
    with pytest.raises(TypeError, match=r"n_classes must be a whole number, got 2\.5"):
        extended_reward_matrix(2.5)
