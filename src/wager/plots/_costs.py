"""Plot of the costs of all sets for all true classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._typing import ArrayLike, Floats
from wager.costs import CostMatrix, ExtendedCosts, in_unit, short_amount
from wager.plots._inputs import as_cost_matrix, as_extended_costs
from wager.plots._labels import (
    height_of,
    name_ticks,
    set_title,
    text_size,
    text_width,
    width_of,
    wrapped,
)
from wager.plots._style import axes_or_new, plain_text, series_colour, set_text, short_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_costs"]

_MOST_CLASSES = 6  # 63 rows: more are not readable
_WIDEST_SET = 3.0  # inches of the name of a set
_NUMBERED_ROWS = 31  # up to this number of rows every cell shows its cost


def plot_costs(extended: ExtendedCosts | CostMatrix | ArrayLike, ax: Axes | None = None) -> Axes:
    """Draw the cost of every set for every true class as a shaded table.

    Rows are the sets ordered by size, columns the true classes; a frame marks the cells whose set
    contains the true class.

    Parameters
    ----------
    extended : ExtendedCosts, CostMatrix or square array
        Costs of sets of at most six classes, or costs of single classes.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> from wager.costs import CostMatrix
    >>> plot_costs(CostMatrix([[0, 9], [1, 0]], ["ill", "well"])).get_title()
    'Costs'
    """
    single = as_cost_matrix(extended)
    if single is not None:
        names = [(label,) for label in single.classes.tolist()]
        return _shaded_table(single.costs, names, single.classes.tolist(), "Costs", ax, single.unit)
    extended = as_extended_costs(extended, "plot_costs")
    if extended.n_classes > _MOST_CLASSES:
        raise ValueError(
            f"the costs of all sets can be drawn for at most {_MOST_CLASSES} classes, got "
            f"{extended.n_classes}: plot the costs of fewer classes"
        )
    title = f"Costs of sets: {extended.rule.name}"
    return _shaded_table(
        extended.matrix(), extended.subsets(), extended.classes.tolist(), title, ax, extended.unit
    )


def _shaded_table(
    costs: Floats,
    sets: Sequence[tuple[Any, ...]],
    classes: list[Any],
    title: str,
    ax: Axes | None,
    unit: str | None,
) -> Axes:
    """A table of costs by predicted set and true class."""
    single = all(len(labels) == 1 for labels in sets)
    rows = [
        short_text(labels[0], 24) if single else wrapped(set_text(labels, 24), _WIDEST_SET)
        for labels in sets
    ]
    lines = max(row.count("\n") + 1 for row in rows)
    columns = [short_text(label, 24) for label in classes]
    left = max(text_width(row) for row in rows)
    cell = min(max(0.8, 0.15 + max(text_width(column) for column in columns)), 1.4)
    size = (2.1 + left + cell * len(classes), 1.4 + (0.16 + 0.16 * lines) * len(sets))
    inches = cell * len(classes) if ax is None else max(width_of(ax) - left, 0.3 * width_of(ax))
    ax = axes_or_new(ax, figsize=size)
    points = min(text_size(), 0.72 / lines * 72 * height_of(ax) / len(sets))
    image = ax.imshow(costs, cmap="Blues", aspect="auto", vmin=0.0)
    numbered = len(sets) <= _NUMBERED_ROWS
    for row, labels in enumerate(sets):
        for column, label in enumerate(classes):
            _cell(ax, row, column, costs, label in labels, min(points, 9) if numbered else 0)
    name_ticks(ax, columns, inches)
    ax.set_yticks(range(len(sets)), rows, size=points)
    for above in np.cumsum(np.bincount([len(labels) for labels in sets])[1:-1]):
        ax.axhline(above - 0.5, color="white", linewidth=3)  # a gap between set sizes
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    predicted = "predicted class" if single else "predicted set"
    ax.set(xlabel="true class", ylabel=predicted)
    set_title(ax, title)
    label = plain_text(in_unit("cost", unit))
    ax.figure.colorbar(image, ax=ax, label=label, aspect=max(10, 3 * len(sets)))
    return ax


def _cell(ax: Axes, row: int, column: int, costs: Floats, hit: bool, points: float) -> None:
    from matplotlib.patches import Rectangle

    if hit:
        frame = (column - 0.44, row - 0.4)
        ax.add_patch(
            Rectangle(frame, 0.88, 0.8, fill=False, edgecolor=series_colour(1), linewidth=1.3)
        )
    if points:
        dark = costs[row, column] > 0.6 * costs.max()
        shade = "white" if dark else "black"
        text = short_amount(costs[row, column], 3)
        ax.text(column, row, text, ha="center", va="center", color=shade, fontsize=points)
