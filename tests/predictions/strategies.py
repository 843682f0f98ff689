"""Classes, sets and truths for the tests of predictions."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

# Up to one word, one word and a bit, many words.
N_CLASSES = st.one_of(st.integers(1, 12), st.sampled_from([57, 59, 63, 64, 65, 70, 128, 130]))

_letters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
texts = st.text(_letters, min_size=1, max_size=5) | st.sampled_from(["a|b", "\\", "a\\", "|", " "])


@st.composite
def class_arrays(draw, n_classes=N_CLASSES):
    """Sorted classes: strings with separators and escapes among them, or integers."""
    size = draw(n_classes)
    if size > 12:
        names = [f"class_{i:03d}" for i in range(size)]
        return np.array(names) if draw(st.booleans()) else np.arange(size) * 3 - 5
    kind = draw(st.sampled_from([texts, st.integers(-(10**15), 10**15)]))
    return np.array(sorted(draw(st.lists(kind, min_size=size, max_size=size, unique=True))))


@st.composite
def matrices(draw, n_classes, max_rows=12):
    """A boolean matrix whose rows are of every size, the empty and the full one among them."""
    n = draw(st.integers(0, max_rows))
    seed, share = draw(st.integers(0, 2**32 - 1)), draw(st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0]))
    return np.random.default_rng(seed).random((n, n_classes)) < share


@st.composite
def named_matrices(draw, n_classes=N_CLASSES):
    classes = draw(class_arrays(n_classes))
    return draw(matrices(len(classes))), classes


@st.composite
def truths_and_matrices(draw):
    matrix, classes = draw(named_matrices())
    codes = draw(
        st.lists(st.integers(0, len(classes) - 1), min_size=len(matrix), max_size=len(matrix))
    )
    return np.array(codes, dtype=int), matrix, classes


def python_sets(matrix, classes):
    """The slow twin: one Python set per row."""
    return [
        {label for label, kept in zip(classes.tolist(), row, strict=True) if kept}
        for row in matrix.tolist()
    ]
