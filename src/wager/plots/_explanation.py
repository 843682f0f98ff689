"""Plot of an explanation: factors of a ratio of two classes, counts of classes, dichotomies."""

from __future__ import annotations

from math import isinf, isnan, log2
from typing import TYPE_CHECKING, Any

from wager._tables import require_whole
from wager.plots._inputs import refuse
from wager.plots._style import axes_or_new, series_colour, short_text, style_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_explanation"]

LINE = 0.34  # inches per feature
LONGEST = 28  # characters of a feature with its value
LIGHT = 0.35  # share of the colour in the light part of a bar
WIDEST = 6.0  # doublings; a longer bar is cut
THINNEST = 0.004  # of a bar that would be a point


def plot_explanation(explanation: Any, ax: Axes | None = None, *, max_features: int = 12) -> Axes:
    """Draw why a row has its predicted set: by feature, by class or by dichotomy.

    For naive credal classifiers and credal model averaging: by how much each feature multiplies the
    least ratio of the two classes that decide.  A bar to the right speaks for the first class, one
    to the left for the second; a step is a factor of two.  The lowest bar is their sum, the least
    ratio itself: the first class dominates only if it ends to the right of the line.  Small marks
    show the factors by relative frequencies, without a prior (for model averaging at inclusion
    probabilities of 1/2); a triangle is a factor beyond the scale, such as a ratio to a zero count.

    For credal trees, forests and neighbours: the probability of each class, dark as far as the rows
    support it, and light for what s more rows of unknown class could add.  Grey classes are ruled
    out: their bars do not pass the line where the longest dark bar ends.  For a forest that votes,
    bars are the share of trees that keep the class, and those that reach the line remain.

    For nested dichotomies: one line per dichotomy between two groups of classes, from the root of
    the tree on.  The bar goes from the lower to the upper probability of the right group, so it is
    near the group that is more probable.  Coloured ones are undecided: both groups have classes
    that remain.  A triangle marks the dichotomy where the classes of the pair part.  For a forest
    the dichotomies are those between the classes of the pair, with the number of their trees.

    Parameters
    ----------
    explanation : SetExplanation
        What ``explain_set`` of a learner returns.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of fitting size by default.
    max_features : int, default=12
        The features with the greatest effect, or the classes with the most evidence, are shown,
        the others as one bar; of dichotomies the undecided ones and those near the root.

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

    >>> from wager.learners import CredalTree
    >>> tree = CredalTree().fit(X, ["out", "out", "out", "in", "in", "in"])
    >>> ax = plot_explanation(tree.explain_set([["sunny"]]))
    >>> [label.get_text() for label in ax.get_yticklabels()]  # rows of the leaf
    ['in (0)', 'out (3)']
    """
    max_features = require_whole(max_features, "max_features", 1)
    if not any(hasattr(explanation, part) for part in ("factors", "evidence", "dichotomies")):
        raise refuse("plot_explanation", "a SetExplanation, as explain_set returns", explanation)
    if not explanation.pair:
        raise ValueError("plot_explanation compares two classes, and the model has only one")
    if hasattr(explanation, "evidence"):
        return _plot_evidence(explanation, ax, max_features)
    if hasattr(explanation, "dichotomies"):
        return _plot_dichotomies(explanation, ax, max_features)
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


def _plot_evidence(explanation: Any, ax: Axes | None, most: int) -> Axes:
    """Draw the bounds of all classes, and the line that a class has to reach."""
    from matplotlib.colors import to_rgb

    bars = _class_bars(explanation, most)
    ax = axes_or_new(ax, figsize=(6.4, 1.3 + LINE * len(bars)))
    votes = all(one.lower == one.upper for one in explanation.evidence)
    for line, (_, lower, upper, kept) in enumerate(bars):
        colour = series_colour(0) if kept else "0.6"
        ax.barh(line, lower, height=0.62, color=colour, linewidth=0)
        light = [1 - LIGHT * (1 - part) for part in to_rgb(colour)]
        ax.barh(line, upper - lower, left=lower, height=0.62, color=light, linewidth=0)
    reached = max(one.lower for one in explanation.evidence)
    ax.axvline(reached, color="black", linewidth=1.0, linestyle="--")
    ax.set_yticks(range(len(bars)), [name for name, *_ in bars])
    ax.set_ylim(len(bars) - 0.4, -0.6)
    ax.set_xlim(0, 1.02)
    ax.set_xlabel(
        "share of the trees that keep the class;\nclasses that reach the line remain"
        if votes
        else f"probability: dark by the rows, light what s = {explanation.s:g} more could add;\n"
        "grey classes do not pass the line, and are ruled out"
    )
    style_axes(ax)
    return ax


def _plot_dichotomies(explanation: Any, ax: Axes | None, most: int) -> Axes:
    """Draw the interval of every dichotomy between its two groups of classes."""
    every = list(explanation.dichotomies)
    first = sorted(every, key=lambda one: not explanation.is_undecided(one))[:most]
    shown = [one for one in every if one in first]
    ax = axes_or_new(ax, figsize=(6.4, 1.3 + LINE * len(shown)))
    ax.axvline(0.5, color="black", linewidth=0.8)
    decisive = explanation.decisive
    for line, one in enumerate(shown):
        colour = series_colour(0) if explanation.is_undecided(one) else "0.6"
        ends = 1 - one.upper, 1 - one.lower
        ax.barh(line, max(ends[1] - ends[0], THINNEST), left=ends[0], height=0.5, color=colour)
        if one is decisive:
            ax.plot(sum(ends) / 2, line - 0.42, "v", color="black", markersize=5)
    ax.set_yticks(range(len(shown)), [_group(one.left) for one in shown])
    ax.set_ylim(len(shown) - 0.4, -0.7)
    right = ax.secondary_yaxis("right")
    counted = [f" ({one.trees})" if explanation.trees > 1 else "" for one in shown]
    names = [_group(one.right) + times for one, times in zip(shown, counted, strict=True)]
    right.set_yticks(range(len(shown)), names)
    right.tick_params(length=0)
    right.spines["right"].set_visible(False)
    ax.set_xlim(0, 1)
    notes = ["probability of the right side; coloured where classes of both sides remain"]
    if explanation.trees > 1:
        notes.append("in brackets the number of trees")
    if len(shown) < len(every):
        notes.append(f"{len(every) - len(shown)} more are not shown")
    ax.set_xlabel(",\n".join(notes))
    style_axes(ax)
    return ax


def _group(labels: Any) -> str:
    """The classes of one side, shortened."""
    return short_text(", ".join(map(str, labels)), LONGEST - 8)


def _class_bars(explanation: Any, most: int) -> list[tuple[str, float, float, bool]]:
    """Name, bounds and whether it is kept, for each class; of many, those with the most."""
    kept = set(explanation.kept)
    bars = [
        (_counted(one), one.lower, one.upper, one.label in kept) for one in explanation.evidence
    ]
    if len(bars) <= most:
        return bars
    bars.sort(key=lambda bar: -bar[1])
    rest = bars[most - 1 :]
    largest = max(bar[1] for bar in rest), max(bar[2] for bar in rest)
    name = f"{len(rest)} others, at most"
    return [*bars[: most - 1], (name, *largest, any(bar[3] for bar in rest))]


def _counted(one: Any) -> str:
    name = short_text(one.label, LONGEST - 8)
    return name if isnan(one.count) else f"{name} ({one.count:g})"


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
