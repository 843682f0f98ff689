"""Cost matrices, sets and labelled predictions for the laws."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from wager.costs import CostMatrix

TABLE_I = [[0, 1, 2], [1, 0, 2], [4, 4, 0]]  # Yang, Destercke & Masson (2017)
OBSTACLES = ["h", "b", "n"]

amounts = st.one_of(st.just(0.0), st.floats(0.01, 50))


@st.composite
def cost_matrices(draw, low=2, high=5, cells=amounts, zero_diagonal=False):
    k = draw(st.integers(low, high))
    values = np.array(draw(st.lists(cells, min_size=k * k, max_size=k * k))).reshape(k, k)
    if zero_diagonal:
        np.fill_diagonal(values, 0.0)
    return CostMatrix(values)


@st.composite
def predictions(draw, n_classes, low=1, high=12, empty=False):
    """True classes and sets over 0..K-1, as an indicator."""
    n = draw(st.integers(low, high))
    truth = draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n))
    least = 0 if empty else 1
    masks = st.integers(least, (1 << n_classes) - 1)
    chosen = np.array(draw(st.lists(masks, min_size=n, max_size=n)))
    return np.array(truth), (chosen[:, None] >> np.arange(n_classes) & 1).astype(bool)


rules = st.sampled_from(
    [
        ("discounted", {}),
        ("p-discounted", {"r": 0.3}),
        ("p-discounted", {"r": 1}),
        ("p-discounted", {"r": 0.7, "mode": "mistake-averse"}),
        ("p-discounted", {"p": -2.0}),
        ("p-discounted", {"p": float("inf")}),
        ("abellan-masegosa", {}),
    ]
)
