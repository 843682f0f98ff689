"""Plot of a risk profile: expected utility against risk attitude, one line per classifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from wager.compare import BreakEven, RiskProfile
from wager.costs import in_unit
from wager.plots._inputs import as_risk_profile
from wager.plots._style import axes_or_new, plain_text, series_colour, series_line, style_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMED = {0.5: "u50", 0.65: "u65", 0.8: "u80"}
_TITLES = {
    "quadratic": "u(0.5): utility of a hit with two classes",
    "exponential": "risk aversion a",
    "fbeta": "beta of F-beta",
    "p-discounted": "r: the reward for caution",
    "ha": "delta: the cost of each class beyond the first",
}


def plot_risk_profile(
    profile: RiskProfile | Any,
    break_evens: Mapping[tuple[str, str], BreakEven] | None = None,
    ax: Axes | None = None,
    *,
    bands: bool | None = None,
) -> Axes:
    """Draw expected utility against risk attitude, with break-even points if they are given.

    Parameters
    ----------
    profile : RiskProfile, mapping of name to Tally, PairedTally or HeadToHead
        The result of ``risk_profile``, or what it is computed from.
    break_evens : mapping of (name, name) to BreakEven, optional
        Pairs whose crossing is marked, with the confidence interval as a bar at the bottom.
    ax : Axes, optional
        Where to draw; a new figure by default.
    bands : bool, optional
        Shade the 95% intervals; by default for up to two classifiers, since more
        bands hide each other (and do not show paired differences).
    """
    profile = as_risk_profile(profile, "plot_risk_profile")
    ax = axes_or_new(ax, (7.0, 4.5))
    shade = len(profile.names) <= 2 if bands is None else bands
    for i, name in enumerate(profile.names):
        utility, error = profile.expected[i], profile.standard_error[i]
        ax.plot(
            profile.grid,
            utility,
            series_line(i),
            color=series_colour(i),
            linewidth=2,
            label=plain_text(name),
        )
        if shade:
            low, high = utility - 2 * error, utility + 2 * error
            if profile.intervals is not None:
                low, high = profile.intervals[i]
            ax.fill_between(
                profile.grid, low, high, color=series_colour(i), alpha=0.10, linewidth=0
            )
    if profile.family == "quadratic":
        _mark_usual_utilities(ax, profile)
    _mark_crossings(ax, profile, break_evens or {})
    ax.set_xlim(profile.grid[0], profile.grid[-1])
    ax.set_xlabel(_TITLES[profile.family])
    cost = plain_text(in_unit("expected cost", profile.unit))
    ax.set_ylabel(cost if profile.lower_is_better else "expected utility")
    ax.legend(frameon=False)
    style_axes(ax)
    return ax


def _mark_usual_utilities(ax: Axes, profile: RiskProfile) -> None:
    for value, name in _NAMED.items():
        if profile.grid[0] <= value <= profile.grid[-1]:
            ax.axvline(value, color="0.75", linewidth=0.8, zorder=0)
            ax.annotate(
                name, (value, 1.0), xycoords=("data", "axes fraction"), xytext=(3, -3),
                textcoords="offset points", va="top", fontsize="small", color="0.45",
            )  # fmt: skip


def _mark_crossings(
    ax: Axes, profile: RiskProfile, break_evens: Mapping[tuple[str, str], BreakEven]
) -> None:
    bottom, top = ax.get_ylim()
    for j, ((a, _), even) in enumerate(break_evens.items()):
        if even.value is None:
            continue
        i = profile.names.index(a)
        height = float(np.interp(even.value, profile.grid, profile.expected[i]))
        ax.plot(even.value, height, "o", color="white", markeredgecolor=series_colour(i), zorder=5)
        ax.annotate(
            f"{even.value:.2f}", (even.value, height), xytext=(0, 9 if j % 2 == 0 else -16),
            textcoords="offset points", ha="center", fontsize="small", color=series_colour(i),
        )  # fmt: skip
        if even.interval is not None:
            foot = bottom + (0.02 + 0.025 * j) * (top - bottom)
            ax.plot(even.interval, [foot, foot], color=series_colour(i), linewidth=3, alpha=0.7)
            ax.plot(even.value, foot, "|", color=series_colour(i), markersize=8)
