"""The risk profile as a picture: expected utility against risk attitude, one line a classifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from wager.compare import BreakEven, RiskProfile
from wager.plots._style import axes, colour, line, plain, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMED = {0.5: "u50", 0.65: "u65", 0.8: "u80"}
_TITLES = {
    "quadratic": "u(0.5): what a hit among two classes is worth",
    "exponential": "risk aversion a",
    "fbeta": "beta of F-beta",
    "p-discounted": "r: the reward for caution",
    "ha": "delta: the cost of each class beyond the first",
}


def plot_risk_profile(
    profile: RiskProfile,
    break_evens: Mapping[tuple[str, str], BreakEven] | None = None,
    ax: Axes | None = None,
    *,
    bands: bool | None = None,
) -> Axes:
    """Draw expected utility against risk attitude, with break-even points where they are given.

    Parameters
    ----------
    profile : RiskProfile
        What ``risk_profile`` returned.
    break_evens : mapping of (name, name) to BreakEven, optional
        Pairs whose crossing is marked, with the confidence interval as a bar at the foot.
    ax : Axes, optional
        Where to draw; a new figure by default.
    bands : bool, optional
        Shade plus and minus two standard errors; by default for up to two classifiers, since more
        bands hide each other (and say nothing about paired differences).
    """
    ax = axes(ax, (7.0, 4.5))
    shade = len(profile.names) <= 2 if bands is None else bands
    for i, name in enumerate(profile.names):
        utility, error = profile.expected[i], profile.standard_error[i]
        ax.plot(profile.grid, utility, line(i), color=colour(i), linewidth=2, label=written(name))
        if shade:
            low, high = utility - 2 * error, utility + 2 * error
            ax.fill_between(profile.grid, low, high, color=colour(i), alpha=0.10, linewidth=0)
    if profile.family == "quadratic":
        _name_the_usual(ax, profile)
    _mark_crossings(ax, profile, break_evens or {})
    ax.set_xlim(profile.grid[0], profile.grid[-1])
    ax.set_xlabel(_TITLES[profile.family])
    ax.set_ylabel("expected cost" if profile.lower_is_better else "expected utility")
    ax.legend(frameon=False)
    plain(ax)
    return ax


def _name_the_usual(ax: Axes, profile: RiskProfile) -> None:
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
    import numpy as np

    bottom, top = ax.get_ylim()
    for j, ((a, _), even) in enumerate(break_evens.items()):
        if even.value is None:
            continue
        i = profile.names.index(a)
        height = float(np.interp(even.value, profile.grid, profile.expected[i]))
        ax.plot(even.value, height, "o", color="white", markeredgecolor=colour(i), zorder=5)
        ax.annotate(
            f"{even.value:.2f}", (even.value, height), xytext=(0, 9 if j % 2 == 0 else -16),
            textcoords="offset points", ha="center", fontsize="small", color=colour(i),
        )  # fmt: skip
        if even.interval is not None:
            foot = bottom + (0.02 + 0.025 * j) * (top - bottom)
            ax.plot(even.interval, [foot, foot], color=colour(i), linewidth=3, alpha=0.7)
            ax.plot(even.value, foot, "|", color=colour(i), markersize=8)
