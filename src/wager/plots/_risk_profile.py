"""Plot of a risk profile: expected utility against risk attitude, one line per classifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._tables import require_kind
from wager._visible import brief
from wager.compare import BreakEven, RiskProfile
from wager.costs import in_unit
from wager.plots._inputs import as_risk_profile
from wager.plots._labels import (
    height_of,
    label_lines,
    legend_above_lines,
    text_size,
    text_width,
    width_of,
)
from wager.plots._style import (
    MOST_IN_LEGEND,
    axes_or_new,
    plain_text,
    series_colour,
    series_line,
    short_text,
    style_axes,
    text_colour,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_BANDS = 4
_MOST_BARS = 6
_BAR = 0.27  # inches for a bar and its text
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
        Pairs whose crossing is marked.  A bar at the bottom shows where the data do not distinguish
        the two classifiers; six bars are drawn at most.
    ax : Axes, optional
        Where to draw; a new figure by default.
    bands : bool, optional
        Shade the 95% intervals; by default for up to four classifiers, since more bands hide each
        other.  They are intervals of each classifier alone: differences on the same rows are
        often more certain than overlapping bands suggest.
    """
    profile = as_risk_profile(profile, "plot_risk_profile")
    names = [short_text(name) for name in profile.names]
    beside = text_width(max(names, key=len), "small") + 0.3 if len(names) > MOST_IN_LEGEND else 0.0
    inches = 5.4 if ax is None else width_of(ax) - beside
    ax = axes_or_new(ax, (7.0 + beside, 4.5))
    shade = len(profile.names) <= _MOST_BANDS if bands is None else bands
    for i, name in enumerate(names):
        utility, error = profile.expected[i], profile.standard_error[i]
        ax.plot(
            profile.grid,
            utility,
            series_line(i),
            color=series_colour(i),
            linewidth=2,
            label=name,
        )
        if shade:
            low, high = utility - 2 * error, utility + 2 * error
            if profile.intervals is not None:
                low, high = profile.intervals[i]
            ink = series_colour(i)
            ax.fill_between(profile.grid, low, high, color=ink, alpha=0.08, linewidth=0)
            for edge in (low, high):
                ax.plot(profile.grid, edge, series_line(i), color=ink, linewidth=0.6, alpha=0.6)
    ax.set_xlim(profile.grid[0], profile.grid[-1])
    ax.set_xlabel(_TITLES[profile.family])
    cost = plain_text(in_unit("expected cost", profile.unit))
    ax.set_ylabel(cost if profile.lower_is_better else "expected utility")
    require_kind(break_evens, "break_evens", Mapping, type(None))
    for pair, even in (break_evens or {}).items():
        require_kind(even, "every value of break_evens", BreakEven)
        if not isinstance(pair, tuple) or len(pair) != 2 or not set(pair) <= set(profile.names):
            known = ", ".join(map(str, profile.names))
            raise ValueError(f"break_evens has the pair {brief(pair)}: name two of {known}")
    crossings = {pair: even for pair, even in (break_evens or {}).items() if even.value is not None}
    _mark_crossings(ax, profile, crossings, inches)
    if profile.family == "quadratic":
        _mark_usual_utilities(ax, profile)
    style_axes(ax)
    if len(names) > MOST_IN_LEGEND:
        label_lines(ax, names, np.full(len(names), profile.grid[-1]), profile.expected[:, -1])
    else:
        legend_above_lines(ax, names, inches)
    return ax


def _mark_usual_utilities(ax: Axes, profile: RiskProfile) -> None:
    """Name u50, u65 and u80 above the Axes, where they cover neither lines nor a legend."""
    usual = {q: name for q, name in _NAMED.items() if profile.grid[0] <= q <= profile.grid[-1]}
    for value in usual:
        ax.axvline(value, color="0.75", linewidth=0.8, zorder=0)
    above = ax.secondary_xaxis("top")
    above.set_xticks(list(usual), list(usual.values()), fontsize="small", color="0.35")
    above.tick_params(length=0, pad=1)
    for value, name in zip(usual, above.get_xticklabels(), strict=True):
        if value == profile.grid[0]:  # beside the highest number of the vertical axis, not over it
            name.set_horizontalalignment("left")
    above.spines["top"].set_visible(False)


def _mark_crossings(
    ax: Axes,
    profile: RiskProfile,
    crossings: Mapping[tuple[str, str], BreakEven],
    inches: float,
) -> None:
    """Mark where lines cross, and draw below them where the data do not distinguish the two."""
    shown = dict(list(crossings.items())[:_MOST_BARS])
    bottom, top = ax.get_ylim()
    share = min(0.6, _BAR * len(shown) / height_of(ax))
    step = (top - bottom) * share / (1 - share) / max(len(shown), 1)
    ax.set_ylim(bottom - step * len(shown), top)
    for j, ((a, b), even) in enumerate(crossings.items()):
        i, value = profile.names.index(a), float(even.value or 0.0)
        code = max(i, profile.names.index(b))
        at = float(np.interp(value, profile.grid, profile.expected[i]))
        ink = series_colour(code)
        ax.plot(value, at, "o", color=ink, markerfacecolor="white", zorder=5)
        if j >= _MOST_BARS:
            continue
        foot = bottom - step * (j + 0.8)
        ax.plot([value, value], [foot, at], ":", color=ink, linewidth=0.9, zorder=1)
        if even.interval is not None:
            ax.plot(even.interval, [foot, foot], color=ink, linewidth=3, alpha=0.7, zorder=5)
        ax.plot(value, foot, "|", color=ink, markersize=8, zorder=5)
        ax.annotate(
            _sentence(a, b, even, inches), (0, foot), xytext=(4, 3),
            xycoords=("axes fraction", "data"), textcoords="offset points", va="bottom",
            fontsize="small", color=text_colour(code), zorder=6,
            bbox={"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 0.5},
        )  # fmt: skip


def _sentence(a: str, b: str, even: BreakEven, inches: float) -> str:
    """What a bar shows, with names that are short enough for the width of the Axes."""
    said = f"equal at {even.value:.2f}"
    if even.interval is not None:
        low, high = even.interval
        said += f", no significant difference from {low:.2f} to {high:.2f}"
    for longest in range(24, 2, -3):
        text = f"{short_text(a, longest)}, {short_text(b, longest)}: {said}"
        if text_width(text, "small") + text_size("small") / 72 <= inches:
            break
    return text
