"""Small nominal tables for property tests."""

import numpy as np
from hypothesis import strategies as st


@st.composite
def nominal_problems(draw, gaps=True, least=1):
    """Codes (with gaps), classes, numbers of values and of classes; some values never occur."""
    m, n = draw(st.integers(1, 4)), draw(st.integers(least, 25))
    random = np.random.default_rng(draw(st.integers(0, 2**16)))
    n_values = random.integers(1, 4, size=m)
    n_classes = draw(st.integers(1, 3))
    codes = random.integers(0, n_values, size=(n, m))
    if gaps and draw(st.booleans()):
        codes[random.random((n, m)) < 0.25] = -1
    return codes, random.integers(0, n_classes, size=n), n_values, n_classes


def declared(learner, problem, **arguments):
    """A learner that knows the declared values and classes of the problem."""
    _, _, n_values, n_classes = problem
    return learner(classes=np.arange(n_classes), n_values=n_values, **arguments)


def rows_to_predict(problem, seed=0):
    """Rows with gaps and with values that training never saw."""
    _, _, n_values, _ = problem
    return np.random.default_rng(seed).integers(-1, n_values + 1, size=(20, len(n_values)))
