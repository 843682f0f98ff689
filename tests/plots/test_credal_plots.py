"""The picture of a credal set: what is drawn, where, and over which regions."""

from __future__ import annotations

import numpy as np
import pytest

from wager.costs import CostMatrix
from wager.credal import CredalVertices, decide
from wager.plots import plot_credal
from wager.plots._credal import _cheapest_region, _hull
from wager.plots._simplex_geometry import simplex_coordinates
from wager.predictions import ProbabilityIntervals

TABLE_I = CostMatrix([[0, 1, 2], [1, 0, 2], [4, 4, 0]], ["h", "b", "n"])


@pytest.fixture
def obstacle():
    """Yang, Destercke & Masson (2017), Example 3."""
    return ProbabilityIntervals([[0, 0.3, 0.4]], [[0.2, 0.4, 0.6]], classes=["h", "b", "n"])


def test_the_vertices_are_marked_and_the_prediction_is_named(obstacle):
    ax = plot_credal(obstacle, costs=TABLE_I)
    marked = np.column_stack(ax.lines[-1].get_data())
    drawn = simplex_coordinates(obstacle.vertices(0))
    np.testing.assert_allclose(sorted(marked.tolist()), sorted(drawn.tolist()), atol=1e-9)
    assert ax.get_title() == "maximality: {b}"
    assert [text.get_text() for text in ax.texts] == ["h", "b", "n"]


def test_a_rule_and_a_title_can_be_chosen(obstacle):
    assert plot_credal(obstacle, rule="gamma-maximin").get_title() == "gamma-maximin: {n}"
    assert plot_credal(obstacle, title="").get_title() == ""


def test_a_point_inside_the_hull_is_not_marked():
    ensemble = CredalVertices(
        [[[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8], [0.3, 0.3, 0.4]]]
    )
    ax = plot_credal(ensemble)
    assert len(ax.lines[-1].get_xdata()) == 3


@pytest.mark.parametrize("n_points", [1, 2])
def test_a_hull_may_be_a_point_or_a_segment(n_points):
    points = np.array([[0.0, 0.0], [1.0, 1.0]])[:n_points]
    np.testing.assert_array_equal(_hull(np.repeat(points, 2, axis=0)), points)


def test_a_region_contains_the_probabilities_for_which_its_class_is_cheapest():
    rng = np.random.default_rng(0)
    for code in range(3):
        region = _cheapest_region(TABLE_I.costs, code)
        inside = rng.dirichlet(np.ones(len(region)), 50) @ region
        expected = inside @ TABLE_I.costs.T
        assert (expected[:, code] <= expected.min(axis=1) + 1e-9).all()
        corner = ProbabilityIntervals(region[0], region[0])
        assert decide(corner, costs=TABLE_I.costs).to_indicator()[0, code]


def test_a_class_that_is_never_cheapest_has_no_region():
    assert len(_cheapest_region(np.array([[0, 0, 0], [1, 1, 1], [2, 2, 2.0]]), 2)) == 0


def test_other_numbers_of_classes_are_refused():
    with pytest.raises(ValueError, match="triangle of three classes, got 2"):
        plot_credal(ProbabilityIntervals([[0.2, 0.3]], [[0.7, 0.8]]))
