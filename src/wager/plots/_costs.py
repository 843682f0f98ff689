"""Plot of the costs of all sets for all true classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wager._typing import Floats
from wager.costs import ExtendedCosts
from wager.plots._style import axes_or_new, plain_text, series_colour, set_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_costs"]

_MOST_CLASSES = 6  # 63 rows: more are not readable
_NUMBERED_ROWS = 31  # up to this number of rows every cell shows its cost


def plot_costs(extended: ExtendedCosts, ax: Axes | None = None) -> Axes:
    """Draw the cost of every set for every true class as a shaded table.

    Rows are the sets ordered by size, columns the true classes; a frame marks the cells whose set
    contains the true class.

    Parameters
    ----------
    extended : ExtendedCosts
        Costs of sets of at most six classes.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    if extended.n_classes > _MOST_CLASSES:
        raise ValueError(
            f"the costs of all sets can be drawn for at most {_MOST_CLASSES} classes, got "
            f"{extended.n_classes}: plot the costs of fewer classes"
        )
    costs, sets = extended.matrix(), extended.subsets()
    ax = axes_or_new(ax, figsize=(2.2 + 0.8 * extended.n_classes, 1.2 + 0.32 * len(sets)))
    image = ax.imshow(costs, cmap="Blues", aspect="auto", vmin=0.0)
    for row, labels in enumerate(sets):
        for column, label in enumerate(extended.classes.tolist()):
            _cell(ax, row, column, costs, label in labels, len(sets) <= _NUMBERED_ROWS)
    ax.set_xticks(range(extended.n_classes), [plain_text(label) for label in extended.classes])
    ax.set_yticks(range(len(sets)), [set_text(labels) for labels in sets])
    for above in np.cumsum(np.bincount([len(labels) for labels in sets])[1:-1]):
        ax.axhline(above - 0.5, color="white", linewidth=3)  # a gap between set sizes
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set(
        xlabel="true class", ylabel="predicted set", title=f"Costs of sets: {extended.rule.name}"
    )
    ax.figure.colorbar(image, ax=ax, label="cost", shrink=0.8)
    return ax


def _cell(ax: Axes, row: int, column: int, costs: Floats, hit: bool, numbered: bool) -> None:
    from matplotlib.patches import Rectangle

    if hit:
        frame = (column - 0.44, row - 0.4)
        ax.add_patch(
            Rectangle(frame, 0.88, 0.8, fill=False, edgecolor=series_colour(1), linewidth=1.3)
        )
    if numbered:
        dark = costs[row, column] > 0.6 * costs.max()
        shade = "white" if dark else "black"
        text = f"{costs[row, column]:.3g}"
        ax.text(column, row, text, ha="center", va="center", color=shade, fontsize=9)
