"""Tallies of many classes as plain data, and data that no tally can have written."""

import numpy as np
import pytest

from wager.rewards import ClassTally, Tally
from wager.rewards._cell_sums import CellSums

CELLS = [[0, 2, 0], [1, 1, 3], [7, 0, 4], [20_000, 0, 1]]


def test_a_tally_of_very_many_classes_is_written_as_the_cells_that_occur():
    numbers, totals = np.array([0, 2, 3, 15, 40_001]), np.array([2, 1, 3, 4, 1])
    tally = Tally.of_sums(20_000, CellSums(numbers, totals))
    assert tally.to_dict() == {"n_classes": 20_000, "cells": CELLS}
    back = Tally.from_dict(tally.to_dict())
    assert back == tally
    assert back.n == 11
    assert back.score("coverage").value == pytest.approx(8 / 11)


@pytest.mark.parametrize(
    "sizes",
    [[1, 0, 7, 9], [0, 1, 1, 9], [0, 1, 7, 20_001], [0, 1.5, 7, 9]],
    ids=["descending", "twice", "too large", "a half"],
)
def test_sizes_of_cells_that_are_not_ascending_whole_numbers_are_refused(sizes):
    cells = [[size, 0, 0] for size in sizes]
    with pytest.raises(ValueError, match="ascending whole numbers up to 20000"):
        Tally.from_dict({"n_classes": 20_000, "cells": cells})


@pytest.mark.parametrize("cell", [[0, 0, 1], [20_000, 1, 0]], ids=["empty", "full"])
def test_an_empty_set_that_hits_and_a_full_one_that_misses_are_refused(cell):
    with pytest.raises(ValueError, match="an empty set cannot hit and a full set cannot miss"):
        Tally.from_dict({"n_classes": 20_000, "cells": [cell]})


def test_cells_of_a_size_between_the_ends_may_hit_and_miss():
    tally = Tally.from_dict({"n_classes": 20_000, "cells": [[1, 5, 3], [19_999, 2, 1]]})
    assert tally.rows() == [[1, 5, 3], [19_999, 2, 1]]


def test_the_cells_of_many_classes_are_listed_once_each():
    classes = list(range(150))
    tally = ClassTally.of([0, 149], [[0, 1], [3]], classes=classes)
    data = tally.to_dict()
    assert ClassTally.from_dict(data) == tally
    again = data | {"numbers": [data["numbers"][0]] * 2}
    with pytest.raises(ValueError, match="numbers must be ascending"):
        ClassTally.from_dict(again)
