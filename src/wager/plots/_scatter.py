"""Scatter plot of two classifiers over many data sets: one point per data set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wager._typing import ArrayLike
from wager.compare import wins_ties_losses
from wager.plots._style import axes_or_new, plain_text, series_colour, style_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_scatter(
    a: ArrayLike,
    b: ArrayLike,
    ax: Axes | None = None,
    *,
    names: tuple[str, str] = ("A", "B"),
    score: str = "score",
    word: str = "better",
) -> Axes:
    """Draw the scores of two classifiers against each other.

    Points above the diagonal are data sets on which the second is better: Figures 5 and 8 of
    Zaffalon, Corani & Mauá (2012).

    Parameters
    ----------
    a, b : array-like
        Scores of both on each data set.
    names : pair of str
        The classifiers.
    score : str
        The name of the score, for the axes.
    word : str, default="better"
        The word for a larger score, for the counts in the corners.
    """
    first, second = (plain_text(name) for name in names)
    x, y = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"each data set needs both scores, got shapes {x.shape} and {y.shape}")
    ax = axes_or_new(ax, (4.8, 4.8))
    both = np.concatenate([x, y])
    margin = 0.04 * (np.ptp(both) or 1.0)
    low, high = both.min() - margin, both.max() + margin
    ax.plot([low, high], [low, high], color="0.6", linewidth=1, zorder=1)
    side = np.where(y > x, 1, 0)
    for better in (0, 1):
        on = side == better
        ax.scatter(
            x[on], y[on], s=26, color=series_colour(better), alpha=0.75, linewidths=0, zorder=2
        )
    record = wins_ties_losses(y, x)
    for text, place, align in (
        (f"{second} {word}: {record.wins}", (0.03, 0.97), ("left", "top")),
        (f"{first} {word}: {record.losses}", (0.97, 0.03), ("right", "bottom")),
    ):
        ax.annotate(
            text, place, xycoords="axes fraction", ha=align[0], va=align[1], fontsize="small"
        )
    ax.set(xlim=(low, high), ylim=(low, high), aspect="equal")
    ax.set_xlabel(f"{score} of {first}")
    ax.set_ylabel(f"{score} of {second}")
    style_axes(ax)
    return ax
