"""Plot of an explanation: what each feature adds to the least ratio of two classes."""

from __future__ import annotations

from math import isinf, log2
from typing import TYPE_CHECKING, Any

from wager.plots._inputs import refuse
from wager.plots._style import axes_or_new, series_colour, short_text, style_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_explanation"]

LINE = 0.34  # inches per feature
LONGEST = 28  # characters of a feature with its value
WIDEST = 6.0  # doublings; a longer bar is cut


def plot_explanation(explanation: Any, ax: Axes | None = None, *, max_features: int = 12) -> Axes:
    """Draw by how much each feature multiplies the least ratio of the two classes that decide.

    A bar to the right speaks for the first class, one to the left for the second; a step is a
    factor of two.  The lowest bar is their sum, the least ratio itself: the first class dominates
    only if it ends to the right of the line.  Small marks show the factors by relative frequencies,
    without a prior; a triangle is a factor beyond the scale, such as a ratio to a zero count.

    Parameters
    ----------
    explanation : SetExplanation
        What ``explain_set`` of a naive credal classifier returns.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of fitting size by default.
    max_features : int, default=12
        The features with the greatest effect are shown, the others as one bar.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from wager.learners import NaiveCredal
    >>> X = [["sunny"], ["sunny"], ["sunny"], ["rainy"], ["rainy"], ["foggy"]]
    >>> model = NaiveCredal().fit(X, ["out", "out", "out", "in", "in", "in"])
    >>> ax = plot_explanation(model.explain_set([["sunny"]]))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['class frequencies', 'x0 = sunny', 'least ratio']
    """
    if not hasattr(explanation, "factors"):
        raise refuse("plot_explanation", "a SetExplanation, as explain_set returns", explanation)
    if not explanation.pair:
        raise ValueError("plot_explanation compares two classes, and the model has only one")
    bars = _bars(explanation, max_features)
    ax = axes_or_new(ax, figsize=(6.4, 1.1 + LINE * len(bars)))
    first, second = (short_text(label, 16) for label in explanation.pair)
    ax.axvline(0, color="black", linewidth=0.8)
    for line, (_, log, plain) in enumerate(bars):
        last = line == len(bars) - 1
        colour = "0.35" if last else series_colour(0 if log > 0 else 1)
        ax.barh(line, _cut(log), height=0.62, color=colour, linewidth=0)
        if plain is not None and abs(plain) <= WIDEST:
            ax.plot([plain] * 2, [line - 0.36, line + 0.36], color="black", linewidth=1.2)
        elif plain is not None:  # beyond the scale, such as the ratio to a zero count
            ax.plot(_cut(plain), line, ">" if plain > 0 else "<", color="black", markersize=5)
    ax.set_yticks(range(len(bars)), [name for name, _, _ in bars])
    ax.set_ylim(len(bars) - 0.4, -0.6)
    ends = [abs(_cut(value)) for _, *both in bars for value in both if value is not None]
    ax.set_xlim(-1.1 * max(1.0, *ends), 1.1 * max(1.0, *ends))
    step = 2 if max(1.0, *ends) > 3 else 1
    ticks = range(-step * int(max(1.0, *ends) // step), int(max(1.0, *ends)) + 1, step)
    ax.set_xticks(list(ticks), [f"1/{2**-tick}" if tick < 0 else str(2**tick) for tick in ticks])
    ax.set_xlabel(f"factor of P({first}) / P({second}),\nleast over the priors")
    style_axes(ax)
    return ax


def _bars(explanation: Any, most: int) -> list[tuple[str, float, float | None]]:
    """Name, logarithm at the worst prior, and logarithm by frequencies, for each bar."""
    shown: list[tuple[str, float, float | None]] = [
        (_name(one), _log(one.factor), _log(one.frequency_factor)) for one in explanation.factors
    ]
    if len(shown) > most + 1:
        order = sorted(shown[1:], key=lambda bar: -abs(bar[1]))
        rest = float(sum(bar[1] for bar in order[most - 1 :]))
        shown = [shown[0], *order[: most - 1], (f"{len(order) - most + 1} others", rest, None)]
    return [*shown, ("least ratio", _log(explanation.ratio), None)]


def _name(one: Any) -> str:
    if one.value is None:
        return str(one.name)
    return short_text(f"{one.name} = {one.value}", LONGEST)


def _log(factor: float) -> float:
    if factor <= 0 or isinf(factor):
        return float("inf") if factor > 0 else float("-inf")
    return log2(factor)


def _cut(log: float) -> float:
    return max(-WIDEST, min(WIDEST, log))
