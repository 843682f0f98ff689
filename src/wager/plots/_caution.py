"""Plot of the value of a classifier against how cautious it is, with the chosen strength."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wager._typing import Floats
from wager.costs import in_unit
from wager.plots._inputs import refuse
from wager.plots._style import (
    axes_or_new,
    plain_text,
    series_colour,
    style_axes,
    text_colour,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from wager.learners import CautionCurve, TunedCaution

WIDE = 50.0  # a range of strengths by more than this factor is drawn on a logarithmic axis


def plot_caution(
    curve: CautionCurve | TunedCaution, ax: Axes | None = None, *, level: float = 0.95
) -> Axes:
    """Draw the mean utility or cost against the strength of caution, and mark the choice.

    The band contains the confidence interval of each value.  Thick points mark the strengths that
    may be the best one; there are often many, because neighbouring strengths predict nearly the
    same sets.

    Parameters
    ----------
    curve : CautionCurve or TunedCaution
        ``curve_`` of a fitted ``TunedCaution``, or the fitted estimator itself.
    ax : Axes, optional
        Where to draw; a new figure by default.
    level : float, default=0.95
        The level of the intervals and of the set of strengths that may be the best one.
    """
    from wager.learners import CautionCurve, TunedCaution

    if isinstance(curve, TunedCaution) and hasattr(curve, "curve_"):
        curve = curve.curve_
    if not isinstance(curve, CautionCurve):
        raise refuse("plot_caution", "the curve_ of a fitted TunedCaution", curve)
    ax = axes_or_new(ax, (7.0, 4.0))
    strength, value = curve.strength, curve.value
    low, high = curve.band(level)
    may_be_best = np.isin(strength, curve.plausible(level))
    colour = series_colour(0)
    ax.fill_between(strength, low, high, color=colour, alpha=0.18, linewidth=0)
    ax.plot(strength, value, color=colour, linewidth=1.8)
    ax.plot(
        strength[may_be_best],
        value[may_be_best],
        "o",
        color=colour,
        markersize=4.5,
        label=f"may be the best ({100 * level:g}% confidence)",
    )
    chosen = curve.chosen_strength
    ax.axvline(chosen, color=series_colour(1), linestyle="--", linewidth=1.2)
    ax.plot(chosen, value[curve.chosen], "D", color=series_colour(1), markersize=7, label="chosen")
    _set_scale(ax, strength)
    ax.set_xlabel(plain_text(f"{curve.parameter}, the strength of caution"))
    ax.set_ylabel(plain_text(in_unit(curve.objective, curve.unit)))
    ax.set_title(
        plain_text(f"{curve.parameter} = {chosen:.3g} is chosen on {curve.n:,} rows"),
        fontsize=11,
        color=text_colour(1),
    )
    ax.legend(frameon=False, fontsize="small", loc="best")
    style_axes(ax)
    return ax


def _set_scale(ax: Axes, strength: Floats) -> None:
    """A logarithmic axis for strengths of different orders of magnitude, with room for 0."""
    positive = strength[strength > 0]
    if not len(positive) or positive.max() <= WIDE * positive.min() or strength.min() < 0:
        return
    if (np.diff(positive).max() if len(positive) > 1 else 0) <= 1.5 * np.diff(positive).min():
        return  # evenly spaced
    if len(positive) == len(strength):
        ax.set_xscale("log")
    else:
        ax.set_xscale("symlog", linthresh=float(positive.min()), linscale=0.4)
