"""Plot of utilities of discounted accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from wager.plots._inputs import refuse
from wager.plots._style import axes_or_new, series_colour, series_line, style_axes
from wager.rewards import Utility, UtilityLike, get_utility

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
        Anything `get_utility` takes.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    n_classes : int, default=4
        The largest set size that is marked.
    """
    listed: list[Any] = list(utilities) if isinstance(utilities, list | tuple) else [utilities]
    for one in listed:
        if not isinstance(one, str | float | int | PathLike | Utility) and not callable(one):
            raise refuse("plot_utilities", "utilities, such as 'u65'", one)
    ax = axes_or_new(ax, figsize=(5.2, 4.6))
    x = np.linspace(0, 1, 201)
    sizes = np.arange(1, n_classes + 1)
    ax.plot(x, x, color="0.6", linewidth=1, linestyle=(0, (4, 3)), label="discounted accuracy")
    for i, spec in enumerate(listed):
        utility = get_utility(spec)
        ax.plot(x, utility(x), series_line(i), color=series_colour(i), label=utility.name)
        ax.plot(1 / sizes, utility(1 / sizes), "o", color=series_colour(i), markersize=4)
    ax.set_xticks([0, *(1 / sizes[::-1])], ["0", *(f"1/{k}" for k in sizes[:0:-1]), "1"])
    ax.set(xlim=(0, 1.02), ylim=(0, None), xlabel="discounted accuracy of a hit, 1/|set|")
    ax.set(ylabel="utility", title="The utility of a hit by a set")
    style_axes(ax)
    ax.legend(frameon=False)
    return ax
