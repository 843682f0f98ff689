"""Plot of the cheapest prediction between two classes, by probability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wager.costs import ExtendedCosts, decision_intervals, in_unit
from wager.plots._inputs import as_extended_costs
from wager.plots._labels import text_width, width_of
from wager.plots._style import (
    axes_or_new,
    plain_text,
    series_colour,
    series_line,
    set_text,
    short_text,
    style_axes,
    text_colour,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_decision"]

_LONGEST = 18  # characters of a class
_TICK = 0.08  # of the axis: ticks that are closer would cover each other


def plot_decision(extended: ExtendedCosts | Any, ax: Axes | None = None) -> Axes:
    """Draw the expected cost of each prediction against the probability of the second class.

    Figure 2 of Yang, Destercke & Masson (2017): three lines, of which the lowest is predicted, and
    the probabilities at which the prediction changes.

    Parameters
    ----------
    extended : ExtendedCosts, CostMatrix or array-like of shape (2, 2)
        Costs of sets of two classes; costs of single classes are extended by the usual rule.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    extended = as_extended_costs(extended, "plot_decision")
    intervals = decision_intervals(extended)
    names = [_name(labels) for labels in extended.subsets()]
    beside = max(text_width(name) for name in names)
    ax = axes_or_new(ax, (5.0 + beside, 4.0))
    second = extended.classes[1]
    sets = extended.subsets()
    code = {labels: i for i, labels in enumerate(sets)}
    inches = width_of(ax) if len(ax.figure.axes) > 1 else width_of(ax) - beside - 0.4
    for i, (labels, (at_zero, at_one)) in enumerate(zip(sets, extended.matrix(), strict=True)):
        ax.plot(
            [0, 1], [at_zero, at_one], series_line(i), color=series_colour(i), label=_name(labels)
        )
    top = ax.get_ylim()[1] * 1.08
    for part in intervals:
        i = code[part.set]
        ax.axvspan(part.start, part.stop, color=series_colour(i), alpha=0.10, linewidth=0)
        if (part.stop - part.start) * inches < 1.1 * text_width(_name(part.set)):
            continue  # too narrow for its name, which the legend has
        middle = (part.start + part.stop) / 2
        ax.text(middle, top * 0.985, _name(part.set), ha="center", va="top", color=text_colour(i))
    changes = [part.start for part in intervals[1:]]
    for change in changes:
        ax.axvline(change, color="0.4", linewidth=0.9, linestyle=":")
    ax.set(
        xlim=(0, 1),
        ylim=(0, top),
        xlabel=f"p({short_text(second)} | x)",
        ylabel=plain_text(in_unit("expected cost", extended.unit)),
    )
    ticks: list[float] = []
    for tick in (*changes, 0.0, 1.0):  # changes matter more than the ends
        if all(abs(tick - other) > _TICK for other in ticks):
            ticks.append(tick)
    ticks.sort()
    ax.set_xticks(ticks, [f"{tick:.3g}" for tick in ticks])
    style_axes(ax)
    ax.legend(title="predict", frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    ax.set_title("The cheapest prediction")
    return ax


def _name(labels: Sequence[Any]) -> str:
    return set_text(labels, _LONGEST) if len(labels) > 1 else short_text(labels[0], _LONGEST)
