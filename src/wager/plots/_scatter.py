"""Scatter plot of two classifiers over many data sets: one point per data set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wager._tables import column_names, in_memory, rows_of
from wager._typing import ArrayLike
from wager.compare import wins_ties_losses
from wager.plots._inputs import as_numbers, refuse
from wager.plots._labels import height_of, text_size, width_of, wrapped
from wager.plots._style import axes_or_new, series_colour, short_text, style_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DOT = 5.1  # points, the size of a marker


def plot_scatter(
    a: ArrayLike,
    b: ArrayLike | None = None,
    ax: Axes | None = None,
    *,
    names: tuple[str, str] | None = None,
    score: str | None = None,
    word: str | None = None,
) -> Axes:
    """Draw the scores of two classifiers against each other.

    Points above the diagonal are data sets on which the second has the larger score: Figures 5 and
    8 of Zaffalon, Corani & Mauá (2012).

    Parameters
    ----------
    a, b : array-like
        Scores of both on each data set; two Series are paired by their names.  Or a table alone,
        with one column per classifier.
    names : pair of str, optional
        The classifiers; of a table, the columns to draw, by default if there are two.
    score : str, optional
        The name of the score, for the axes.
    word : str, optional
        The word for a larger score, for the counts in the corners; by default "better", or "higher"
        if the table says that smaller scores are better.
    """
    if word is None:
        word = "better" if getattr(a, "greater_is_better", True) else "higher"
    if b is None:
        score = score or getattr(a, "measure", None)
        a, b, names = _two_columns(a, names)
    first, second = (short_text(name) for name in names or ("A", "B"))
    score = short_text(score or "score")
    x, y = as_numbers(a), as_numbers(rows_of(a, b))
    if x is None or y is None:
        raise refuse("plot_scatter", "the scores of two classifiers", b if y is None else a)
    if not x.size or not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("plot_scatter needs at least one data set, on which both have a score")
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"each data set needs both scores, got shapes {x.shape} and {y.shape}")
    ax = axes_or_new(ax, (4.8, 4.8))
    both = np.concatenate([x, y])
    inches = min(width_of(ax), height_of(ax))
    share = min(0.3, (2.2 * text_size("small") + _DOT) / 72 / inches)  # room for the counts
    margin = share / (1 - 2 * share) * (np.ptp(both) or 1.0)
    low, high = both.min() - margin, both.max() + margin
    ax.plot([low, high], [low, high], color="0.6", linewidth=1, zorder=1)
    side = np.where(y > x, 1, 0)
    for better in (0, 1):
        on = side == better
        ax.scatter(
            x[on], y[on], s=_DOT**2, color=series_colour(better), alpha=0.75, linewidths=0, zorder=2
        )
    record = wins_ties_losses(y, x)
    for text, place, align in (
        (f"{second} {word}: {record.wins}", (0.01, 0.99), ("left", "top")),
        (f"{first} {word}: {record.losses}", (0.99, 0.01), ("right", "bottom")),
    ):
        ax.annotate(
            text, place, xycoords="axes fraction", ha=align[0], va=align[1], fontsize="small"
        )
    ax.set(xlim=(low, high), ylim=(low, high), aspect="equal")
    ax.set_xlabel(wrapped(f"{score} of {first}", inches))
    ax.set_ylabel(wrapped(f"{score} of {second}", inches))
    style_axes(ax)
    return ax


def _two_columns(table: Any, names: Any) -> tuple[Any, Any, tuple[str, str]]:
    """The scores of two classifiers from a table with one column per classifier."""
    table = in_memory(table)
    known = column_names(table)
    if known is None:
        raise refuse("plot_scatter", "the scores of two classifiers, or a table of them", table)
    chosen = known if names is None and len(known) == 2 else list(names or [])
    if len(chosen) != 2 or not set(chosen) <= set(known):
        raise ValueError(
            f"the table has the columns {', '.join(known)}: choose two of them with names="
        )
    values = np.asarray(table)
    first, second = (values[:, known.index(name)] for name in chosen)
    return first, second, (chosen[0], chosen[1])
