"""Pictures of costs: an extended matrix, the decision between two classes, a utility of size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wager.costs import ExtendedCosts, decision_intervals
from wager.plots._style import axes, colour, line, plain, written
from wager.rewards import UtilityLike, get_utility

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_costs", "plot_decision", "plot_utilities"]

_MOST_CLASSES = 6  # 63 rows: more cannot be read
_WRITTEN = 31  # rows up to which every cell carries its number


def plot_costs(extended: ExtendedCosts, ax: Axes | None = None) -> Axes:
    """Draw what every set costs at every truth, as a table of shades.

    Rows are sets by size, columns the true classes; a frame marks the cells whose set holds the
    truth.

    Parameters
    ----------
    extended : ExtendedCosts
        Costs of sets of at most six classes.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    if extended.n_classes > _MOST_CLASSES:
        raise ValueError(
            f"a picture of all sets is for at most {_MOST_CLASSES} classes, got "
            f"{extended.n_classes}: plot the costs of fewer classes"
        )
    costs, sets = extended.matrix(), extended.subsets()
    ax = axes(ax, figsize=(2.2 + 0.8 * extended.n_classes, 1.2 + 0.32 * len(sets)))
    image = ax.imshow(costs, cmap="Blues", aspect="auto", vmin=0.0)
    for row, labels in enumerate(sets):
        for column, label in enumerate(extended.classes.tolist()):
            _cell(ax, row, column, costs, label in labels, len(sets) <= _WRITTEN)
    ax.set_xticks(range(extended.n_classes), [written(label) for label in extended.classes])
    ax.set_yticks(
        range(len(sets)), ["{" + ", ".join(map(written, labels)) + "}" for labels in sets]
    )
    for above in np.cumsum(np.bincount([len(labels) for labels in sets])[1:-1]):
        ax.axhline(above - 0.5, color="white", linewidth=3)  # a gap between set sizes
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set(
        xlabel="true class", ylabel="predicted set", title=f"Costs of sets: {extended.rule.name}"
    )
    ax.figure.colorbar(image, ax=ax, label="cost", shrink=0.8)
    return ax


def _cell(ax: Axes, row: int, column: int, costs: Any, hit: bool, written: bool) -> None:
    from matplotlib.patches import Rectangle

    if hit:
        frame = (column - 0.44, row - 0.4)
        ax.add_patch(Rectangle(frame, 0.88, 0.8, fill=False, edgecolor=colour(1), linewidth=1.3))
    if written:
        dark = costs[row, column] > 0.6 * costs.max()
        shade = "white" if dark else "black"
        text = f"{costs[row, column]:.3g}"
        ax.text(column, row, text, ha="center", va="center", color=shade, fontsize=9)


def plot_decision(extended: ExtendedCosts, ax: Axes | None = None) -> Axes:
    """Draw the expected cost of each prediction as the second class grows likelier.

    Figure 2 of Yang, Destercke & Masson (2017): three lines, the lowest of which is predicted, and
    the probabilities at which the prediction changes.

    Parameters
    ----------
    extended : ExtendedCosts
        Costs of sets of two classes.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    intervals = decision_intervals(extended)
    ax = axes(ax)
    second = extended.classes[1]
    sets = extended.subsets()
    shades = {labels: colour(i) for i, labels in enumerate(sets)}
    for i, (labels, (at_zero, at_one)) in enumerate(zip(sets, extended.matrix(), strict=True)):
        ax.plot([0, 1], [at_zero, at_one], line(i), color=shades[labels], label=_name(labels))
    top = ax.get_ylim()[1] * 1.08
    for part in intervals:
        ax.axvspan(part.start, part.stop, color=shades[part.set], alpha=0.10, linewidth=0)
        middle = (part.start + part.stop) / 2
        ax.text(middle, top * 0.985, _name(part.set), ha="center", va="top", color=shades[part.set])
    changes = [part.start for part in intervals[1:]]
    for change in changes:
        ax.axvline(change, color="0.4", linewidth=0.9, linestyle=":")
    ax.set(xlim=(0, 1), ylim=(0, top), xlabel=f"p({written(second)} | x)", ylabel="expected cost")
    ax.set_xticks([0, *changes, 1], [f"{tick:.3g}" for tick in (0, *changes, 1)])
    plain(ax)
    ax.legend(title="predict", frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    ax.set_title("The cheapest prediction")
    return ax


def plot_utilities(
    utilities: UtilityLike | Sequence[UtilityLike] = ("u50", "u65", "u80"),
    ax: Axes | None = None,
    *,
    n_classes: int = 4,
) -> Axes:
    """Draw utilities of discounted accuracy against the straight line that gives caution nothing.

    Figure 1 of Yang, Destercke & Masson (2017) is this picture of u65; the points are what a hit by
    a set of 1, 2, ... classes is worth.

    Parameters
    ----------
    utilities : utility or sequence of utilities
        Anything `get_utility` takes.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    n_classes : int, default=4
        The largest set to mark.
    """
    listed: list[Any] = list(utilities) if isinstance(utilities, list | tuple) else [utilities]
    ax = axes(ax, figsize=(5.2, 4.6))
    x = np.linspace(0, 1, 201)
    sizes = np.arange(1, n_classes + 1)
    ax.plot(x, x, color="0.6", linewidth=1, linestyle=(0, (4, 3)), label="discounted accuracy")
    for i, spec in enumerate(listed):
        utility = get_utility(spec)
        ax.plot(x, utility(x), line(i), color=colour(i), label=utility.name)
        ax.plot(1 / sizes, utility(1 / sizes), "o", color=colour(i), markersize=4)
    ax.set_xticks([0, *(1 / sizes[::-1])], ["0", *(f"1/{k}" for k in sizes[:0:-1]), "1"])
    ax.set(xlim=(0, 1.02), ylim=(0, None), xlabel="discounted accuracy of a hit, 1/|set|")
    ax.set(ylabel="worth", title="What a hit by a set is worth")
    plain(ax)
    ax.legend(frameon=False)
    return ax


def _name(labels: Sequence[Any]) -> str:
    return "{" + ", ".join(map(written, labels)) + "}" if len(labels) > 1 else written(labels[0])
