"""Membership matrices with true classes, for property tests."""

import numpy as np
from hypothesis import strategies as st


@st.composite
def partitions(draw, min_classes=2, max_classes=5, max_rows=40):
    """True codes and memberships; some on an edge or in a corner, some alike, some tied."""
    n_classes = draw(st.integers(min_classes, max_classes))
    n_rows = draw(st.integers(1, max_rows))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    memberships = rng.dirichlet(np.full(n_classes, draw(st.sampled_from([0.2, 1.0, 5.0]))), n_rows)
    digits = draw(st.sampled_from([1, 2, None]))
    if digits is not None:
        memberships = memberships.round(digits)
        memberships[memberships.sum(axis=1) == 0] = 1
        memberships /= memberships.sum(axis=1, keepdims=True)
    truth = memberships.argmax(axis=1)
    wrong = rng.random(n_rows) < draw(st.sampled_from([0.0, 0.3, 1.0]))
    truth = np.where(wrong, rng.integers(0, n_classes, n_rows), truth)
    return truth, memberships
