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


@st.composite
def listed_probabilities(draw, classes=None, min_rows=1, max_rows=6):
    """Labels and probabilities of some classes in each row, often equal, and all classes.

    The sum of a row is at most 1, and 1 if the row lists all classes.
    """
    n_classes = draw(st.integers(2, 8)) if classes is None else len(classes)
    names = [f"c{i}" for i in range(n_classes)] if classes is None else list(classes)
    labels, proba = [], []
    for _ in range(draw(st.integers(min_rows, max_rows))):
        row = draw(st.lists(st.sampled_from(names), unique=True, max_size=n_classes))
        weights = draw(st.lists(st.integers(0, 4), min_size=len(row), max_size=len(row)))
        others = draw(st.integers(0, 8)) if len(row) < n_classes else 0
        if sum(weights) + others == 0:
            others = 1 if len(row) < n_classes else 0
            weights = weights if others else [1] * len(row)
        labels.append(row)
        proba.append([weight / (sum(weights) + others) for weight in weights])
    return labels, proba, names
