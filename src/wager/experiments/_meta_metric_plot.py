"""A plot of how often metrics rank learners as the truth does, by the number of test rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from wager._typing import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_ranking_shares"]


def draw_ranking_shares(
    sizes: Sequence[int], shares: Mapping[str, Floats], metrics: Sequence[str]
) -> Figure:
    """One panel per truth, one line per metric.

    Parameters
    ----------
    sizes : sequence of int
        The sizes of the test sets.
    shares : dict of ndarray of shape (n_metrics, n_sizes)
        The per cent of pairs ranked as by the truth, by the title of the panel.
    metrics : sequence of str
        The names of the metrics.
    """
    from wager.plots import (
        label_lines,
        plain_figure,
        series_colour,
        series_line,
        series_marker,
        style_axes,
    )

    figure = plain_figure((3.8 * len(shares), 4.4))
    panels = figure.subplots(1, len(shares), sharey=True, squeeze=False)[0]
    for ax, (title, of_truth) in zip(panels, shares.items(), strict=True):
        for m in range(len(metrics)):
            style = {"color": series_colour(m), "marker": series_marker(m), "markersize": 4.5}
            ax.plot(sizes, of_truth[m], series_line(m), **style)
        ax.set_xscale("log")
        ax.set_xticks(sizes, [f"{size:,}" for size in sizes], fontsize=8)
        ax.minorticks_off()
        ax.set_xlabel("test rows")
        ax.set_title(title, fontsize=10)
        style_axes(ax)
    panels[0].set_ylabel("pairs ranked as by the truth (%)")
    for ax, of_truth in zip(panels, shares.values(), strict=True):  # the limits are shared
        label_lines(ax, metrics, [sizes[-1]] * len(metrics), of_truth[:, -1])
    return figure
