"""Strategies that generate data for the tests of rewards."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from wager.rewards import (
    Exponential,
    FBeta,
    Linear,
    Logarithmic,
    Power,
    Quadratic,
    Tabulated,
    Tally,
)


@st.composite
def labelled_sets(draw, max_rows=30, max_classes=6, min_rows=1):
    """Codes of the truth, and sets as a boolean matrix: empty and full ones included."""
    n_classes = draw(st.integers(2, max_classes))
    n = draw(st.integers(min_rows, max_rows))
    rows = st.lists(st.booleans(), min_size=n_classes, max_size=n_classes)
    sets = draw(st.lists(rows, min_size=n, max_size=n))
    y = draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n))
    return np.array(y, dtype=int), np.array(sets, dtype=bool).reshape(n, n_classes)


@st.composite
def tallies(draw, n_classes=None, max_count=9):
    """Any tally with at least one row."""
    n_classes = n_classes or draw(st.integers(2, 6))
    cells = [(0, 0), *((k, h) for k in range(1, n_classes) for h in (0, 1)), (n_classes, 1)]
    counts = draw(
        st.lists(st.integers(0, max_count), min_size=len(cells), max_size=len(cells)).filter(any)
    )
    table = np.zeros((n_classes + 1, 2), dtype=int)
    for (size, hit), count in zip(cells, counts, strict=True):
        table[size, hit] = count
    return Tally(table)


def utilities():
    """Every kind of utility with a formula."""
    return st.one_of(
        st.just(Linear()),
        st.floats(0.0, 1.0).map(Quadratic),
        st.floats(0.0, 4.0).map(FBeta),
        st.booleans().map(Logarithmic),
        st.floats(0.05, 6.0).map(Exponential),
        st.floats(-4.0, 6.0).map(lambda a: Exponential(a, normalized=True)),
        st.floats(0.1, 3.0).map(Power),
    )


def concave_utilities():
    """Increasing on the rewards 1/k, and averse or neutral to risk."""
    return st.one_of(
        st.floats(0.5, 0.75).map(Quadratic),
        st.floats(0.1, 4.0).map(FBeta),
        st.booleans().map(Logarithmic),
        st.floats(0.1, 6.0).map(Exponential),
        st.floats(0.1, 1.0).map(Power),
        concave_tables(),
    )


@st.composite
def concave_tables(draw, n_classes=6):
    """Utilities by set size whose slope falls from reward to reward."""
    slopes = sorted(draw(st.lists(st.floats(0, 3), min_size=n_classes, max_size=n_classes)))
    points = np.concatenate(([0.0], 1 / np.arange(n_classes, 0, -1)))
    return Tabulated(np.cumsum(np.diff(points) * slopes[::-1])[::-1])


def mean_reward(tally: Tally) -> Fraction:
    """The mean reward, exactly."""
    hits = sum(Fraction(int(tally.table[k, 1]), k) for k in range(1, len(tally.table)))
    return hits / int(tally.n)
