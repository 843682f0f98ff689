"""Coverage of classes, groups and slices, with simultaneous intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wager.plots._labels import text_width
from wager.plots._style import axes_or_new, series_colour, short_text, style_axes
from wager.rewards import CoverageReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST = 40  # parts that are drawn
_STYLES = {  # colour and marker of each verdict
    "below": (series_colour(1), "v"),
    "not significantly different": (series_colour(0), "o"),
    "above": (series_colour(2), "^"),
}


def plot_coverage(report: CoverageReport, ax: Axes | None = None) -> Axes:
    """Draw the coverage of each part with its interval, and the promised coverage as a line.

    The intervals are simultaneous: a part is significantly below or above the promised coverage
    if its interval does not touch the line.  Of more than 40 parts, those with the smallest
    coverage are drawn.

    Parameters
    ----------
    report : CoverageReport
        The result of `coverage_report`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from wager.metrics import coverage_report
    >>> report = coverage_report(["a", "b", "b"] * 20, ["a", "b", "a"] * 20, alpha=0.1)
    >>> [text.get_text() for text in plot_coverage(report).get_yticklabels()]
    ['all rows', 'class a', 'class b']
    """
    if not isinstance(report, CoverageReport):
        raise TypeError(
            "plot_coverage draws the result of coverage_report(y_true, y_pred, alpha=...), got "
            f"{type(report).__name__}"
        )
    parts = list(report)
    if len(parts) > _MOST:
        kept = sorted(range(len(parts)), key=lambda i: parts[i].coverage)[:_MOST]
        parts = [parts[i] for i in sorted(kept)]
    names = [short_text(part.title) for part in parts]
    if ax is None:
        wide = 4.5 + max(text_width(name, 9) for name in names)
        ax = axes_or_new(None, figsize=(wide, 1.4 + 0.28 * len(parts)))
    for verdict, (colour, marker) in _STYLES.items():
        here = [i for i, part in enumerate(parts) if part.verdict == verdict]
        if not here:
            continue
        style: dict[str, Any] = {"color": colour, "marker": marker, "linestyle": "none"}
        values = [parts[i].coverage for i in here]
        ends = [[p.coverage - p.low for p in parts if p.verdict == verdict],
                [p.high - p.coverage for p in parts if p.verdict == verdict]]  # fmt: skip
        ax.errorbar(values, here, xerr=ends, capsize=3, markersize=6, label=verdict, **style)
    ax.axvline(
        report.promised,
        color="0.3",
        linestyle="--",
        linewidth=1,
        label=f"promised {report.promised:.4g}",
    )
    ax.set_yticks(range(len(parts)), names, fontsize=9)
    ax.set_ylim(len(parts) - 0.5, -0.5)
    ax.set_xlabel("coverage")
    style_axes(ax)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False, fontsize=9)
    return ax
