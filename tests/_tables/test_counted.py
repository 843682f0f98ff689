"""Titles and messages count in plain English: 1 row, 2 rows."""

import numpy as np
import pytest

from wager.credal import optimal_sets
from wager.rewards import Tally


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (lambda: Tally.of(["a"], [["a"]], classes=["a", "b"]), "1 prediction over 2 classes"),
        (lambda: Tally.of([0, 0], np.ones((2, 1))), "2 predictions over 1 class"),
        (lambda: optimal_sets([[0.6, 0.4]], "u65"), "1 predicted set over 2 classes"),
    ],
)
def test_titles_count_in_plain_english(found, words):
    assert words in found()._repr_html_()


def test_counts_over_one_class_are_named_so():
    one, two = Tally.of([0], np.ones((1, 1))), Tally.of([0], np.ones((1, 2)))
    with pytest.raises(ValueError, match="cannot add counts over 1 class to counts over 2:"):
        one + two
