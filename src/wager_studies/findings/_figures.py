"""Figures of the comparison of conformal and credal sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wager.compare import RankComparison, nemenyi
from wager_studies.findings._guarantee import CoverageCheck
from wager_studies.findings._recommendations import CONFORMAL, Scores
from wager_studies.findings._utility_lines import UtilityLines

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "draw_comparisons",
    "draw_coverage",
    "draw_profiles",
    "draw_ranks",
    "draw_tradeoff",
]


def draw_profiles(bayes: UtilityLines, forest: UtilityLines) -> Figure:
    """The gain of each method over the one that always returns a single class."""
    from wager.plots import label_lines, plain_figure, series_colour, series_line, style_axes

    figure = plain_figure((11.4, 4.4))
    gains = bayes.profile(less="NBC"), forest.profile(less="RF")
    sets = [name for name in bayes.names if name != "NBC"]
    panels = [
        ("naive Bayes: conformal sets", gains[0], [n for n in sets if n.startswith(CONFORMAL)]),
        ("naive Bayes: other sets", gains[0], [n for n in sets if not n.startswith(CONFORMAL)]),
        ("random forest", gains[1], [n for n in forest.names if n != "RF"]),
    ]
    for ax, (title, gain, names) in zip(figure.subplots(1, 3, sharey=True), panels, strict=True):
        for i, name in enumerate(names):
            values = 100 * gain.expected[gain.names.index(name)]
            ax.plot(gain.grid, values, series_line(i), color=series_colour(i), linewidth=1.4)
        ax.axhline(0, color="black", linewidth=0.8)
        for q in (0.65, 0.8):
            ax.axvline(q, color="0.75", linewidth=0.8, zorder=0)
        ax.set_title(title, fontsize="medium")
        ax.set(xlim=(0.5, 1), xlabel="u(0.5): utility of a correct set of two")
        style_axes(ax)
    for ax, (_, gain, names) in zip(figure.axes, panels, strict=True):  # the limits are shared
        last = [100 * gain.expected[gain.names.index(name)][-1] for name in names]
        label_lines(ax, names, np.ones(len(names)), last)
    figure.axes[0].set_ylabel("gain over the single class (percentage points)")
    return figure


def draw_tradeoff(scores: Scores) -> Figure:
    """Mean coverage against mean set size; the upper left is best."""
    from wager.plots import plain_figure, series_colour, series_marker, style_axes

    figure = plain_figure((8.4, 4.6))
    ax = figure.subplots()
    kinds: dict[str, list[str]] = {}
    for name in scores["coverage"]:
        kinds.setdefault(_kind(name), []).append(name)
    for i, (kind, names) in enumerate(kinds.items()):
        size = [float(scores["mean_set_size"][name].mean()) for name in names]
        cover = [100 * float(scores["coverage"][name].mean()) for name in names]
        ax.scatter(size, cover, s=42, color=series_colour(i), marker=series_marker(i), label=kind)
        for x, y, name in zip(size, cover, names, strict=True):
            _label(ax, name, x, y)
    ax.margins(x=0.12, y=0.08)
    ax.set_xlabel("mean set size")
    ax.set_ylabel("coverage (per cent)")
    ax.legend(frameon=False, fontsize="small", loc="lower right")
    style_axes(ax)
    return figure


def _label(ax: Any, name: str, x: float, y: float) -> None:
    """Write the name beside its point, placed so that names do not overlap."""
    left = name == "BAG" or (name.startswith("RF ") and name != "RF IDM")
    ax.annotate(
        name, (x, y), xytext=(-6 if left else 6, 4 if "+" in name else -5),
        textcoords="offset points", ha="right" if left else "left", fontsize=7,
    )  # fmt: skip


def _kind(name: str) -> str:
    if name in ("NBC", "RF"):
        return "one class"
    if name.removeprefix("RF ").startswith(CONFORMAL):
        return "conformal"
    if name in ("NCC", "CDT", "BAG", "RF IDM"):
        return "credal"
    return "rejection" if "REJ" in name else "best set under the probabilities"


def draw_coverage(checks: dict[str, CoverageCheck]) -> Figure:
    """Coverage minus the promise on each data set, by its number of rows."""
    from wager.plots import plain_figure, series_colour, series_marker, style_axes

    figure = plain_figure((8.4, 3.6))
    for ax, method in zip(figure.subplots(1, 2, sharey=True), ("LAC", "APS"), strict=True):
        chosen = [(name, check) for name, check in checks.items() if name.startswith(f"{method} ")]
        for i, (name, check) in enumerate(chosen):
            gap = 100 * (check.coverage - check.promised)
            ax.scatter(
                check.rows, gap, s=18, color=series_colour(i), marker=series_marker(i), alpha=0.8,
                label=f"{name}: promises {100 * check.promised:g}", linewidths=0,
            )  # fmt: skip
        widest = chosen[-1][1]
        order = np.argsort(widest.rows)
        for sign in (-1, 1):
            ax.plot(
                widest.rows[order], 200 * sign * widest.error[order], ":", color="0.4",
                label="two standard errors, 20%" if sign > 0 else None,
            )  # fmt: skip
        ax.axhline(0, color="black", linewidth=0.8)
        ax.set_xscale("log")
        ticks = [30, 100, 300, 1000, 3000, 10_000]
        ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        ax.minorticks_off()
        ax.set_xlim(0.8 * widest.rows.min(), 1.25 * widest.rows.max())
        ax.set(title=method, xlabel="rows of the data set")
        ax.legend(frameon=False, fontsize="small")
        style_axes(ax)
    figure.axes[0].set_ylabel("coverage minus promise (percentage points)")
    return figure


def draw_ranks(scores: Scores, names: Any) -> Figure:
    """Mean ranks under u65 and u80 with Nemenyi's critical difference."""
    chosen = list(names)
    values = {
        utility: np.column_stack([scores[utility][name] for name in chosen]).round(12)
        for utility in ("u65", "u80")
    }
    return draw_comparisons({u: nemenyi(table, names=chosen) for u, table in values.items()})


def draw_comparisons(comparisons: dict[str, RankComparison]) -> Figure:
    """A critical-difference diagram per utility, below each other."""
    from wager.plots import plain_figure, plot_critical_difference

    number = len(next(iter(comparisons.values())).names)
    figure = plain_figure((7.8, 2.2 + 0.5 * number))
    axes = figure.subplots(len(comparisons), 1)
    for ax, (utility, comparison) in zip(axes, comparisons.items(), strict=True):
        plot_critical_difference(comparison, ax)
        ax.set_title(f"{utility}, {comparison.n_datasets} data sets", fontsize="medium")
    return figure
