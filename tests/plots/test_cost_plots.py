import numpy as np
import pytest
from matplotlib.figure import Figure

from tests.costs.strategies import OBSTACLES, TABLE_I
from wager.costs import CostMatrix
from wager.plots import plot_costs, plot_decision, plot_utilities
from wager.rewards import human_utility

costs = CostMatrix(TABLE_I, OBSTACLES)
table_vi = CostMatrix([[0, 2], [4, 0]], ["h", "n"]).extend({("h", "n"): [0.5, 0.5]})


def test_the_heat_map_shows_every_cell_and_frames_the_hits():
    ax = plot_costs(costs.extend("p-discounted", r=0.5))
    assert [tick.get_text() for tick in ax.get_xticklabels()] == OBSTACLES
    assert ax.get_yticklabels()[-1].get_text() == "{h, b, n}"
    assert "0.889" in {text.get_text() for text in ax.texts}
    assert len(ax.patches) == 12  # each class is in four of the seven sets


def test_large_costs_are_written_out():
    ax = plot_costs(CostMatrix([[0, 5000], [40, 0]], ["healthy", "ill"]).extend("discounted"))
    assert [text.get_text() for text in ax.texts] == ["0", "5,000", "40", "0", "20", "2,500"]


def test_many_rows_are_shaded_but_not_numbered():
    assert not plot_costs(CostMatrix.ordinal(range(6)).extend("discounted")).texts


def test_names_and_ticks_of_narrow_parts_of_a_decision_do_not_overlap():
    """The first part ends at 1/28, so the tick of 0 and its name would cover others."""
    narrow = CostMatrix([[0, 9], [1, 0]], ["low", "high"])
    ax = plot_decision(narrow)
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["0.0357", "0.25", "1"]
    assert [text.get_text() for text in ax.texts] == ["high"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "low",
        "high",
        "{low, high}",
    ]


def test_the_decision_marks_the_thresholds_of_figure_2():
    ax = plot_decision(table_vi)
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["0", "0.25", "0.875", "1"]
    assert [text.get_text() for text in ax.texts] == ["h", "{h, n}", "n"]
    assert len(ax.lines) == 3 + 2


def test_utilities_pass_through_the_value_of_each_size():
    ax = plot_utilities("u65", n_classes=3)
    marks = ax.lines[-1].get_xydata()
    assert marks[1].tolist() == pytest.approx([0.5, 0.65])
    assert len(plot_utilities(["u65", "f1"]).lines) == 1 + 2 * 2


def test_a_measured_utility_has_the_intervals_of_its_values():
    person = human_utility({2: 0.9, 3: 0.8}, n=60, cost=0.05)
    bars = plot_utilities([person]).collections[-1].get_segments()
    expected = [np.subtract(ends, 0.05) for ends in person.intervals()[1:]]
    np.testing.assert_allclose([bar[:, 1] for bar in bars], expected)
    np.testing.assert_allclose([bar[0, 0] for bar in bars], [1 / 2, 1 / 3])


def test_they_draw_on_the_axes_they_are_given():
    for draw, result in (
        (plot_costs, table_vi),
        (plot_decision, table_vi),
        (plot_utilities, "u80"),
    ):
        ax = Figure().subplots()
        assert draw(result, ax) is ax


def test_too_many_classes_for_a_plot_are_refused():
    with pytest.raises(ValueError, match="at most 6 classes, got 7"):
        plot_costs(CostMatrix.zero_one(range(7)).extend("discounted"))
    with pytest.raises(ValueError, match="two classes, got 3"):
        plot_decision(costs.extend("discounted"))
