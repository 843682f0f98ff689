"""Critical-difference diagram of mean ranks over data sets (Demšar, 2006)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wager.compare import RankComparison
from wager.plots._inputs import as_rank_comparison
from wager.plots._labels import height_of, text_size, text_width
from wager.plots._style import axes_or_new, short_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INK = "0.35"  # of the lines that lead to names: their colours would mean nothing


def plot_critical_difference(comparison: RankComparison | Any, ax: Axes | None = None) -> Axes:
    """Draw mean ranks, best on the left; bars join classifiers without a significant difference.

    Parameters
    ----------
    comparison : RankComparison, Outcome or table
        The result of ``nemenyi`` (or ``bonferroni_dunn``, ``holm``); that of ``friedman``, or a
        table of scores by data set (rows) and classifier (columns), for Nemenyi's test.
    ax : Axes, optional
        Where to draw; a new figure by default.
    """
    comparison = as_rank_comparison(comparison, "plot_critical_difference")
    ranks, k = comparison.mean_ranks, len(comparison.names)
    left = (k + 1) // 2
    groups = _groups(comparison)
    height = 0.45 + 0.22 * len(groups)
    labels = [
        f"{short_text(name)}  {rank:.2f}"
        for name, rank in zip(comparison.names, ranks, strict=True)
    ]
    longest = max(text_width(label) for label in labels)
    size = (4.6 + 2 * longest, 0.3 + 0.75 * (height + 0.35 * left + 1.15))
    ax = axes_or_new(ax, size)
    low, high = 1.0, float(k)
    depth_of_all = height + 0.35 * left + 1.15
    points = min(text_size(), 0.3 * 72 * height_of(ax) / depth_of_all)
    ax.hlines(0, low, high, color="black", linewidth=1)
    for tick in range(1, k + 1):
        ax.vlines(tick, 0, 0.1, color="black", linewidth=1)
        ax.annotate(str(tick), (tick, 0.15), ha="center", va="bottom", fontsize=0.83 * points)
    order = np.argsort(ranks, kind="stable")
    for place, i in enumerate(order):
        on_left = place < left
        row = place if on_left else k - 1 - place
        depth, edge = -(height + 0.35 * row), low if on_left else high
        ax.plot(
            [ranks[i], ranks[i], edge],
            [0, depth, depth],
            color=_INK,
            linewidth=1.0,
        )
        ax.annotate(
            labels[i], (edge, depth), va="center", ha="right" if on_left else "left",
            xytext=(-4 if on_left else 4, 0), textcoords="offset points", fontsize=points,
        )  # fmt: skip
    for j, (first, last) in enumerate(groups):
        ax.hlines(-0.2 - 0.2 * j, first - 0.03, last + 0.03, color="black", linewidth=3.5)
    if np.isfinite(comparison.critical_difference):
        _ruler(ax, low, comparison.critical_difference, 0.83 * points)
        high = max(high, low + comparison.critical_difference)
    ax.set_ylim(1.15 - depth_of_all, 1.15)
    ax.set_xlim(low - 0.02 * (high - low), high + 0.02 * (high - low))
    ax.set_axis_off()
    return ax


def _groups(comparison: RankComparison) -> list[tuple[float, float]]:
    """First and last rank of each longest run of classifiers without a significant difference."""
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


def _ruler(ax: Axes, start: float, length: float, points: float) -> None:
    height = 0.75
    ax.hlines(height, start, start + length, color="0.3", linewidth=1.5)
    ax.vlines([start, start + length], height - 0.07, height + 0.07, color="0.3", linewidth=1.5)
    ax.annotate(
        f"critical difference {length:.2f}", (start, height + 0.1), ha="left", va="bottom",
        fontsize=points, color="0.3",
    )  # fmt: skip
