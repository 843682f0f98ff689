import numpy as np

from wager.experiments.store import ScoreTable


def test_numbers_that_a_table_gives_away_are_copies():
    table = ScoreTable("u65", ("iris",), ("nbc", "ncc"), np.array([[0.9, 0.8]]))
    for given in (table.column("nbc"), np.asarray(table)):
        given[...] = 0.0
    assert table.values.tolist() == [[0.9, 0.8]]
