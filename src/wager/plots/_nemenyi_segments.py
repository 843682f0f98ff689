"""Plot of mean ranks as segments as long as Nemenyi's critical difference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wager.compare import RankComparison
from wager.plots._inputs import as_rank_comparison
from wager.plots._style import axes_or_new, series_colour, short_text, style_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_nemenyi_segments"]


def plot_nemenyi_segments(comparison: RankComparison | Any, ax: Axes | None = None) -> Axes:
    """Draw each classifier's mean rank as a segment as long as the critical difference.

    Two classifiers differ where their segments do not overlap: Figure 6 of Zaffalon, Corani &
    Mauá (2012).

    Parameters
    ----------
    comparison : RankComparison, Outcome or table
        The result of ``nemenyi``, that of ``friedman``, or a table of scores by data set (rows)
        and classifier (columns).
    ax : Axes, optional
        Where to draw; a new figure by default.
    """
    comparison = as_rank_comparison(comparison, "plot_nemenyi_segments")
    if not np.isfinite(comparison.critical_difference):
        raise ValueError(f"{comparison.test} has no single critical difference: use nemenyi")
    ax = axes_or_new(ax, (6.4, 0.8 + 0.36 * len(comparison.names)))
    half = comparison.critical_difference / 2
    order = np.argsort(comparison.mean_ranks)[::-1]
    for height, i in enumerate(order):
        rank = float(comparison.mean_ranks[i])
        ax.plot([rank - half, rank + half], [height] * 2, color=series_colour(0), linewidth=2.5)
        ax.plot(rank, height, "o", color=series_colour(0))
    ax.set_yticks(range(len(order)), [short_text(comparison.names[i]) for i in order])
    ax.set_xlabel("mean rank (1 is best)")
    ax.set_ylim(-0.6, len(order) - 0.4)
    style_axes(ax)
    return ax
