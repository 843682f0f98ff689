"""Credal sets by their vertices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.credal.strategies import intervals
from wager.credal import CredalVertices
from wager.predictions import ProbabilityIntervals


@given(intervals(n_classes=4), st.lists(st.integers(-5, 5), min_size=4, max_size=4))
def test_the_vertices_of_intervals_have_their_expectations(credal, f):
    hull = CredalVertices.from_intervals(credal)
    for mine, theirs in (
        (hull.lower_expectation(f), credal.lower_expectation(f)),
        (hull.upper_expectation(f), credal.upper_expectation(f)),
        (hull.lower_expectation([f] * len(hull), per_row=True), credal.lower_expectation(f)),
    ):
        np.testing.assert_allclose(mine, theirs, atol=1e-9)


@given(intervals())
def test_the_envelope_of_the_vertices_is_the_tightened_interval(credal):
    envelope, tight = CredalVertices.from_intervals(credal).envelope(), credal.tighten()
    np.testing.assert_allclose(envelope.lower, tight.lower, atol=1e-9)
    np.testing.assert_allclose(envelope.upper, tight.upper, atol=1e-9)


def test_several_functions_give_a_column_each():
    hull = CredalVertices([[[0.7, 0.3], [0.4, 0.6]], [[0.5, 0.5], [0.5, 0.5]]])
    np.testing.assert_allclose(hull.lower_expectation([[1, 0], [0, 2]]), [[0.4, 0.6], [0.5, 1.0]])
    assert len(hull) == 2
    np.testing.assert_array_equal(hull[1].vertices, hull.vertices[[1]])


def test_wrong_vertices_are_refused():
    with pytest.raises(ValueError, match=r"shape \(rows, vertices, classes\), got \(1, 2\)"):
        CredalVertices([[0.5, 0.5]])
    with pytest.raises(ValueError, match=r"row 1 sums to 1\.1"):
        CredalVertices([[[0.5, 0.5], [0.5, 0.6]]])
    with pytest.raises(ValueError, match=r"got \(3,\): give one value per class"):
        CredalVertices([[[0.5, 0.5]]]).lower_expectation([1, 2, 3])
    with pytest.raises(ValueError, match="2 columns but there are 3 classes"):
        CredalVertices([[[0.5, 0.5]]], classes=["a", "b", "c"])
    with pytest.raises(ValueError, match="no probabilities satisfy the bounds of row 0"):
        CredalVertices.from_intervals(ProbabilityIntervals([[0.6, 0.6]], [[0.9, 0.9]]))
    with pytest.raises(TypeError, match="intervals"):
        CredalVertices.from_intervals([[0.5, 0.5]])
