"""Figures that several studies draw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from wager._typing import ArrayLike

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["line_figure"]


def line_figure(
    x: ArrayLike,
    curves: Mapping[str, ArrayLike],
    *,
    title: str,
    x_label: str = "training rows",
    y_label: str = "expected utility",
    log_scale: bool = False,
    marker_size: float | None = None,
) -> Figure:
    """One line with markers per curve, by its label, over the same values of x."""
    from wager.plots import plain_figure, series_colour, series_line, series_marker, style_axes

    figure = plain_figure((6.4, 4.0))
    ax = figure.subplots()
    for i, (label, values) in enumerate(curves.items()):
        ax.plot(
            x,
            values,
            series_line(i),
            color=series_colour(i),
            marker=series_marker(i),
            markersize=marker_size,
            label=label,
        )
    if log_scale:
        ax.set_xscale("log")
    ax.set(xlabel=x_label, ylabel=y_label, title=title)
    ax.legend(frameon=False)
    style_axes(ax)
    return figure
