"""Plot of information rewards against the probability given to the true class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wager._tables import require_whole
from wager._typing import ArrayLike, Floats
from wager._visible import brief
from wager.plots._inputs import as_numbers, refuse
from wager.plots._labels import set_title
from wager.plots._style import axes_or_new, series_colour, series_line, style_axes
from wager.rewards import (
    check_prior,
    information_reward,
    information_reward_2002,
    kononenko_bratko,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_reward_curves(
    prior: ArrayLike = (1 / 3, 1 / 3, 1 / 3),
    true_class: int = 0,
    ax: Axes | None = None,
    *,
    base: float = 2.0,
    n_points: int = 400,
) -> Axes:
    """Draw the rewards as the probability of the true class grows from 0 to 1.

    The other classes have equal probabilities.  With the uniform prior of three classes this
    is Figure 1a of Hope & Korb (2004), with the prior (0.1, 0.45, 0.45) Figure 1b.

    Parameters
    ----------
    prior : array-like of shape (n_classes,)
        Prior probabilities, all strictly between 0 and 1.
    true_class : int, default=0
        Code of the true class.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    base : float, default=2
        Base of the logarithms.
    n_points : int, default=400
        Points per curve.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> ax = plot_reward_curves([0.1, 0.45, 0.45])
    >>> [line.get_label() for line in ax.get_lines()][:2]
    ['information reward 2004', 'information reward 2002']
    """
    before = as_numbers(prior)
    if before is None or before.ndim != 1 or len(before) < 2:
        raise refuse("plot_reward_curves", "a prior with one probability per class", prior)
    before = check_prior(before, len(before))
    if not isinstance(true_class, int | np.integer) or not 0 <= true_class < len(before):
        raise ValueError(
            f"true_class must be a code from 0 to {len(before) - 1}, got {brief(true_class)}"
        )
    n_points = require_whole(n_points, "n_points", 1)
    confidence = (np.arange(n_points) + 0.5) / n_points
    proba = _reports(confidence, len(before), true_class)
    truth = np.full(n_points, true_class)
    ax = axes_or_new(ax, figsize=(5.2, 3.9))
    curves: list[tuple[str, Any]] = [
        (
            "information reward 2004",
            information_reward(truth, proba, before, base=base, per_row=True),
        ),
        ("information reward 2002", information_reward_2002(truth, proba, before, per_row=True)),
        ("Kononenko-Bratko", kononenko_bratko(truth, proba, before, base=base, per_row=True)),
    ]
    for i, (name, rewards) in enumerate(curves):
        ax.plot(
            confidence,
            rewards,
            color=series_colour(i),
            linestyle=series_line(i),
            label=name,
            linewidth=1.8,
        )
    ax.axhline(0, color="0.6", linewidth=0.8)
    ax.axvline(before[true_class], color="0.6", linewidth=0.8, linestyle=":", label="prior")
    lowest = min(float(np.quantile(rewards, 0.05)) for _, rewards in curves)
    highest = max(float(rewards.max()) for _, rewards in curves)
    ax.set_ylim(lowest - 0.1, highest + 0.1)
    ax.set_xlim(0, 1)
    unit = {2.0: "bits", np.e: "nats"}.get(base, f"logarithms to base {base:g}")
    shown = ", ".join(f"{p:.3g}" for p in before)
    ax.set(
        xlabel="reported probability of the true class",
        ylabel=f"reward ({unit})",
    )
    set_title(ax, f"prior ({shown})")
    style_axes(ax)
    ax.legend(loc="best", fontsize=9, framealpha=0.9, edgecolor="none")
    return ax


def _reports(confidence: Floats, n_classes: int, true_class: int) -> Floats:
    """Probabilities: a given one for a class, and equal shares of the rest for the others."""
    proba = np.repeat((1 - confidence[:, None]) / (n_classes - 1), n_classes, axis=1)
    proba[:, true_class] = confidence
    return proba
