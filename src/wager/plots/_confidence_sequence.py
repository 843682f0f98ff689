"""Plot of a sequential comparison: the running mean difference and its bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wager.compare import ConfidenceSequence
from wager.costs import in_unit
from wager.plots._inputs import refuse
from wager.plots._labels import width_of, wrapped
from wager.plots._style import (
    axes_or_new,
    plain_text,
    series_colour,
    short_text,
    style_axes,
    text_colour,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_confidence_sequence(comparison: ConfidenceSequence, ax: Axes | None = None) -> Axes:
    """Draw the mean difference against the rows seen, with bounds valid at all times.

    Parameters
    ----------
    comparison : ConfidenceSequence
        The result of ``sequential``.
    ax : Axes, optional
        Where to draw; a new figure by default.
    """
    if not isinstance(comparison, ConfidenceSequence):
        raise refuse("plot_confidence_sequence", "the result of sequential", comparison)
    ax = axes_or_new(ax, (7.0, 4.0))
    a, b = (short_text(name) for name in comparison.names)
    n, mean = comparison.n, comparison.mean
    ax.fill_between(
        n, comparison.low, comparison.high, color=series_colour(0), alpha=0.18, linewidth=0
    )
    ax.plot(n, mean, color=series_colour(0), linewidth=1.8)
    ax.axhline(0, color="0.4", linewidth=1)
    ax.set_xscale("log")
    first, last = max(1, int(n[0])), int(n[-1])
    ax.set_xlim(first, max(last, first + 1))
    spread = comparison.high - comparison.low
    half = 1.1 * max(float(abs(mean).max()), float(spread[len(n) // 2]))
    ax.set_ylim(-half, half)
    _mark_decision(ax, comparison.decided_at)
    ax.set_xlabel("rows seen")
    value = f"from {comparison.low[-1]:+.3g} to {comparison.high[-1]:+.3g}"
    if comparison.score == "costs":
        ax.set_ylabel(plain_text(in_unit("mean saving per case", comparison.unit)))
        heading = f"what {a} saves compared with {b}"
    else:
        ax.set_ylabel("mean difference in utility")
        heading = f"{a} minus {b}"
    title = wrapped(f"{heading}\nafter {last:,} rows: {value}", width_of(ax), 11)
    ax.set_title(title, fontsize=11)
    style_axes(ax)
    return ax


def _mark_decision(ax: Axes, row: int | None) -> None:
    """Draw a line at the row of the decision, with its number on the side where there is room."""
    if row is None:
        return
    ax.axvline(row, color=series_colour(1), linestyle="--", linewidth=1.2)
    first, last = ax.get_xlim()
    right = row < (first * last) ** 0.5  # of the middle of a logarithmic axis
    ax.annotate(
        f"decided at row {row}", (row, 0.0), xycoords=("data", "axes fraction"),
        xytext=(6 if right else -6, 6), textcoords="offset points", va="bottom",
        ha="left" if right else "right", fontsize="small", color=text_colour(1),
    )  # fmt: skip
