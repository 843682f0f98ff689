"""Pictures of ranks over data sets: Demšar's critical-difference diagram and Nemenyi's segments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wager.compare import RankComparison
from wager.plots._style import axes, colour, plain, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_critical_difference(comparison: RankComparison, ax: Axes | None = None) -> Axes:
    """Draw mean ranks, best at the left; a bar joins those not told apart (Demšar, 2006).

    Parameters
    ----------
    comparison : RankComparison
        What ``nemenyi`` (or ``bonferroni_dunn``, ``holm``) returned.
    ax : Axes, optional
        Where to draw; a new figure by default.
    """
    ranks, k = comparison.mean_ranks, len(comparison.names)
    left = (k + 1) // 2
    groups = _groups(comparison)
    height = 0.45 + 0.22 * len(groups)
    ax = axes(ax, (7.0, 1.1 + 0.28 * (left + len(groups))))
    low, high = 1.0, float(k)
    ax.hlines(0, low, high, color="black", linewidth=1)
    for tick in range(1, k + 1):
        ax.vlines(tick, 0, 0.1, color="black", linewidth=1)
        ax.annotate(str(tick), (tick, 0.15), ha="center", va="bottom", fontsize="small")
    order = np.argsort(ranks, kind="stable")
    for place, i in enumerate(order):
        on_left = place < left
        row = place if on_left else k - 1 - place
        depth, edge = -(height + 0.35 * row), low - 0.15 if on_left else high + 0.15
        ax.plot([ranks[i], ranks[i], edge], [0, depth, depth], color=colour(int(i)), linewidth=1.2)
        ax.annotate(
            f"{written(comparison.names[i])}  {ranks[i]:.2f}", (edge, depth), va="center",
            ha="right" if on_left else "left", xytext=(-4 if on_left else 4, 0),
            textcoords="offset points",
        )  # fmt: skip
    for j, (first, last) in enumerate(groups):
        ax.hlines(-0.2 - 0.2 * j, first - 0.03, last + 0.03, color="black", linewidth=3.5)
    if np.isfinite(comparison.critical_difference):
        _ruler(ax, low, comparison.critical_difference)
    ax.set_ylim(-(height + 0.35 * left), 1.15)
    ax.margins(x=0.25)
    ax.set_axis_off()
    return ax


def _groups(comparison: RankComparison) -> list[tuple[float, float]]:
    """First and last rank of each longest run of classifiers that are not told apart."""
    order = np.argsort(comparison.mean_ranks, kind="stable")
    apart = comparison.significant[np.ix_(order, order)]
    compared = ~np.isnan(comparison.p[np.ix_(order, order)])
    runs: list[tuple[int, int]] = []
    for i in range(len(order)):
        ends = [j for j in range(i + 1, len(order)) if compared[i, j] and not apart[i, j]]
        if ends and not any(first <= i and max(ends) <= last for first, last in runs):
            runs.append((i, max(ends)))
    ranks = comparison.mean_ranks[order]
    return [(float(ranks[i]), float(ranks[j])) for i, j in runs]


def _ruler(ax: Axes, start: float, length: float) -> None:
    height = 0.75
    ax.hlines(height, start, start + length, color="0.3", linewidth=1.5)
    ax.vlines([start, start + length], height - 0.07, height + 0.07, color="0.3", linewidth=1.5)
    ax.annotate(
        f"critical difference {length:.2f}", (start + length / 2, height + 0.1), ha="center",
        va="bottom", fontsize="small", color="0.3",
    )  # fmt: skip


def plot_nemenyi_segments(comparison: RankComparison, ax: Axes | None = None) -> Axes:
    """Draw each classifier's mean rank as a segment as long as the critical difference.

    Two classifiers differ where their segments do not overlap: Figure 6 of Zaffalon, Corani &
    Mauá (2012).
    """
    if not np.isfinite(comparison.critical_difference):
        raise ValueError(f"{comparison.test} has no one critical difference: use nemenyi")
    ax = axes(ax, (6.0, 0.8 + 0.45 * len(comparison.names)))
    half = comparison.critical_difference / 2
    order = np.argsort(comparison.mean_ranks)[::-1]
    for height, i in enumerate(order):
        rank = float(comparison.mean_ranks[i])
        ax.plot([rank - half, rank + half], [height, height], color=colour(int(i)), linewidth=2.5)
        ax.plot(rank, height, "o", color=colour(int(i)))
    ax.set_yticks(range(len(order)), [written(comparison.names[i]) for i in order])
    ax.set_xlabel("mean rank (1 is best)")
    ax.margins(y=0.15)
    plain(ax)
    return ax
