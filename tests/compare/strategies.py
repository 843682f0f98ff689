"""Data that the laws of comparison are tried on."""

import numpy as np
from hypothesis import strategies as st


@st.composite
def two_classifiers(draw, max_rows=40):
    """Codes of the true classes, and the sets of two classifiers on the same rows."""
    n, k = draw(st.integers(2, max_rows)), draw(st.integers(2, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = rng.integers(0, k, n)
    a, b = rng.random((2, n, k)) < rng.uniform(0.2, 0.8)
    return y, a, b
