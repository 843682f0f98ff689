"""Plot of utilities of discounted accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._tables import require_whole
from wager.plots._inputs import refuse
from wager.plots._labels import text_width, width_of
from wager.plots._style import (
    MOST_IN_LEGEND,
    axes_or_new,
    series_colour,
    series_line,
    short_text,
    style_axes,
)
from wager.rewards import HumanUtility, Utility, UtilityLike, get_utility

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_utilities"]


def plot_utilities(
    utilities: UtilityLike | Sequence[UtilityLike] = ("u50", "u65", "u80"),
    ax: Axes | None = None,
    *,
    n_classes: int = 4,
) -> Axes:
    """Draw utilities of discounted accuracy, with the straight line that does not reward caution.

    Figure 1 of Yang, Destercke & Masson (2017) is this plot for u65; the points are the values of
    a hit by a set of 1, 2, ... classes.

    Parameters
    ----------
    utilities : utility or sequence of utilities
        Anything `get_utility` takes; a `human_utility` is drawn with the 95% intervals of its
        values.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    n_classes : int, default=4
        The largest set size that is marked.
    """
    listed: list[Any] = list(utilities) if isinstance(utilities, list | tuple) else [utilities]
    for one in listed:
        if not isinstance(one, str | float | int | PathLike | Utility) and not callable(one):
            raise refuse("plot_utilities", "utilities, such as 'u65'", one)
    many = len(listed) > MOST_IN_LEGEND
    ax = axes_or_new(ax, figsize=(7.0 if many else 5.2, 4.6))
    halves = []
    x = np.linspace(0, 1, 201)
    sizes = np.arange(1, require_whole(n_classes, "n_classes", 1) + 1)
    ax.plot(x, x, color="0.6", linewidth=1, linestyle=(0, (4, 3)), label="discounted accuracy")
    for i, spec in enumerate(listed):
        utility = get_utility(spec)
        name = short_text(utility.name, 30)
        ax.plot(x, utility(x), series_line(i), color=series_colour(i), label=name)
        halves.append(float(utility(0.5)))
        ax.plot(1 / sizes, utility(1 / sizes), "o", color=series_colour(i), markersize=4)
        if isinstance(utility, HumanUtility):
            _add_intervals(ax, utility, series_colour(i))
    named = _room_for_names(sizes, width_of(ax))
    ax.set_xticks([0, *(1 / named[::-1])], ["0", *(f"1/{k}" for k in named[:0:-1]), "1"])
    ax.set(xlim=(0, 1.02), ylim=(0, None), xlabel="discounted accuracy of a hit, 1/|set|")
    ax.set(ylabel="utility", title="The utility of a hit by a set")
    style_axes(ax)
    if many:  # all lines meet at 1, so their names are listed in the order of the lines
        lines = [line for line in ax.lines if not str(line.get_label()).startswith("_")]
        order = [lines[0], *(lines[1 + i] for i in np.argsort(halves)[::-1])]
        ax.legend(handles=order, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    else:
        ax.legend(frameon=False)
    return ax


def _add_intervals(ax: Axes, person: HumanUtility, colour: Any) -> None:
    """Mark the 95% intervals of measured values."""
    below, above = person.reach(0.95)
    sampled = np.flatnonzero(below + above > 0)
    ends = np.stack([below, above])[:, sampled]
    values = np.array(person.values)[sampled]
    ax.errorbar(1 / (1.0 + sampled), values, ends, fmt="none", ecolor=colour, capsize=3)


def _room_for_names(sizes: Any, inches: float) -> Any:
    """The set sizes 1, 2, ... whose places 1/size are far enough apart to be named."""
    gap = 1.4 * text_width("1/10") / inches
    kept = [int(sizes[0])]
    for size in sizes[1:]:
        if 1 / size > gap and 1 / kept[-1] - 1 / size > gap:
            kept.append(int(size))
    return np.array(kept)
