"""Random credal sets, probabilities and costs, on a grid so that ties are common."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from wager.predictions import ProbabilityIntervals

SHARES = st.integers(0, 20).map(lambda i: i / 20)


@st.composite
def probabilities(draw, n_classes: int | None = None, most_classes: int = 6, most_rows: int = 4):
    """A matrix of probabilities with small denominators."""
    k = n_classes or draw(st.integers(2, most_classes))
    row = st.lists(st.integers(0, 12), min_size=k, max_size=k).filter(any)
    weights = np.array(draw(st.lists(row, min_size=1, max_size=most_rows)), dtype=float)
    return weights / weights.sum(axis=1, keepdims=True)


@st.composite
def intervals(draw, n_classes: int | None = None, most_classes: int = 6, most_rows: int = 4):
    """Proper intervals, reachable or not: a probability and some margin below and above it."""
    p = draw(probabilities(n_classes, most_classes, most_rows))
    below, above = (
        np.array(draw(st.lists(SHARES, min_size=p.size, max_size=p.size))).reshape(p.shape)
        for _ in range(2)
    )
    return ProbabilityIntervals(p * (1 - below), p + (1 - p) * above)


def cost_matrices(n_classes: int):
    """Costs in quarters, 0 on the diagonal."""
    quarters = st.lists(st.integers(0, 20), min_size=n_classes**2, max_size=n_classes**2)
    return quarters.map(lambda values: _without_diagonal(values, n_classes))


def _without_diagonal(values: list[int], n_classes: int):
    matrix = np.array(values, dtype=float).reshape(n_classes, n_classes) / 4
    np.fill_diagonal(matrix, 0)
    return matrix
