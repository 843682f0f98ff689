"""Plot of a sequential comparison: the running mean difference inside its bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wager.compare import ConfidenceSequence
from wager.costs import in_unit
from wager.plots._inputs import refuse
from wager.plots._style import axes_or_new, plain_text, series_colour, style_axes

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
    a, b = comparison.names
    n = comparison.n
    ax.fill_between(
        n, comparison.low, comparison.high, color=series_colour(0), alpha=0.18, linewidth=0
    )
    ax.plot(n, comparison.mean, color=series_colour(0), linewidth=1.8)
    ax.axhline(0, color="0.4", linewidth=1)
    if comparison.decided_at is not None:
        ax.axvline(comparison.decided_at, color=series_colour(1), linestyle="--", linewidth=1.2)
        ax.annotate(
            f"decided at row {comparison.decided_at}", (comparison.decided_at, 0.0),
            xycoords=("data", "axes fraction"), xytext=(-6, 6), textcoords="offset points",
            ha="right", va="bottom", fontsize="small", color=series_colour(1),
        )  # fmt: skip
    ax.set_xscale("log")
    ax.set_xlim(max(1, n[0]), n[-1])
    spread = comparison.high - comparison.low
    half = max(abs(comparison.mean[len(n) // 3 :]).max(), float(spread[len(n) // 2])) * 1.1
    ax.set_ylim(-half, half)
    ax.set_xlabel("rows seen")
    if comparison.score == "costs":
        ax.set_ylabel(plain_text(in_unit("mean saving per case", comparison.unit)))
        ax.set_title(f"what {plain_text(a)} saves compared with {plain_text(b)}", fontsize=11)
    else:
        ax.set_ylabel("mean difference in utility")
        ax.set_title(f"{plain_text(a)} minus {plain_text(b)}", fontsize=11)
    style_axes(ax)
    return ax
