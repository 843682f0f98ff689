"""Plot of the lead of the vacuous classifier over the random one, over many bets."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from wager._tables import real_number
from wager._visible import brief
from wager.plots._inputs import refuse
from wager.plots._labels import name_lines, set_title
from wager.plots._style import axes_or_new, plain_text, series_colour, series_line, style_axes
from wager.rewards import UtilityLike, get_utility, inversion_point, random_vs_vacuous

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POINTS = 160  # points per curve
_MOST_BETS = 1_000_000_000


def plot_random_vs_vacuous(
    n_classes: Sequence[int] | int = (2, 3, 5, 10),
    utility: UtilityLike = "log",
    m_max: int | None = None,
    ax: Axes | None = None,
    *,
    exact: bool = True,
) -> Axes:
    """Draw d(m), the vacuous classifier's lead over the random one, against the number of bets.

    One curve per number of classes, with a dot at its maximum (Zaffalon, Corani & Mauá, 2012,
    Fig. 1, which shows the second-order approximation: ``exact=False``).

    Parameters
    ----------
    n_classes : int or sequence of int, default=(2, 3, 5, 10)
        Numbers of classes, at least 2.
    utility : str, float, Utility, callable or path, default="log"
        A utility of the total reward.
    m_max : int, optional
        The largest number of bets; by default six times the largest number of classes.
    ax : Axes, optional
        Where to draw; a new figure by default.
    exact : bool, default=True
        Draw the exact difference rather than the approximation.
    """
    numbers = n_classes if isinstance(n_classes, Sequence | np.ndarray) else [n_classes]
    wrong = [n for n in numbers if not isinstance(n, int | np.integer) or n < 2]
    if not len(numbers) or isinstance(n_classes, str) or wrong:
        raise refuse(
            "plot_random_vs_vacuous", "one or more numbers of classes from 2 up", n_classes
        )
    n_classes = [int(n) for n in numbers]
    u = get_utility(utility)
    ax = axes_or_new(ax, (7.0, 4.2))
    last = 6 * max(n_classes) if m_max is None else real_number(m_max, "m_max")
    last = last or 6 * max(n_classes)
    if not 1 <= last <= _MOST_BETS:
        raise ValueError(f"m_max must lie between 1 and {_MOST_BETS:g}, got {brief(m_max)}")
    bets = np.unique(np.rint(np.linspace(1, last, _POINTS)).astype(int))
    lowest, labels, ends = 0.0, [], []
    for i, n in enumerate(n_classes):
        lead = [float(random_vs_vacuous(int(m), n, u, exact=exact)) for m in bets]
        turn = inversion_point(n, u) if exact else random_vs_vacuous(1, n, u).turning_point
        turns = not isnan(turn)
        lowest = min(lowest, *lead)
        labels.append(f"{n} classes" + (f", largest at m = {turn:.3g}" if turns else ""))
        ends.append(lead[-1])
        ax.plot(bets, lead, series_line(i), color=series_colour(i), linewidth=2, label=labels[-1])
        if turns and 1 <= turn <= last:
            top = float(random_vs_vacuous(max(round(turn), 1), n, u, exact=exact))
            ax.plot(turn, top, "o", color=series_colour(i), markersize=6)
    ax.set_xlim(0, last)
    ax.set_ylim(bottom=lowest)
    ax.set_xlabel("number of bets m")
    ax.set_ylabel("utility, vacuous minus random")
    kind = "exact" if exact else "second order"
    title = f"The value of admitting ignorance ({plain_text(u.name)}, {kind})"
    set_title(ax, title)
    style_axes(ax)
    name_lines(ax, labels, [last] * len(labels), ends)
    return ax
