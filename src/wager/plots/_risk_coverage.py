"""Plot of risk-coverage curves: the loss of accepted predictions against the share accepted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import numpy as np

from wager._tables import is_one_of
from wager._typing import Floats
from wager._visible import brief
from wager.compare import SelectiveComparison
from wager.plots._inputs import refuse
from wager.plots._labels import label_lines, text_width
from wager.plots._style import (
    MOST_IN_LEGEND,
    axes_or_new,
    plain_text,
    series_colour,
    series_line,
    short_text,
    style_axes,
)
from wager.rewards import SelectiveEvaluation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_BANDS = 3
_POINTS = 40  # of a band
_MOST_POINTS = 1000  # of a line
_KINDS = ("selective", "generalized", "utility")


def plot_risk_coverage(
    evaluation: SelectiveEvaluation | SelectiveComparison | Mapping[str, SelectiveEvaluation],
    ax: Axes | None = None,
    *,
    of: Literal["selective", "generalized", "utility"] = "selective",
    level: float | None = 0.95,
) -> Axes:
    """Draw the loss of accepted predictions against coverage, the share of rows accepted.

    Parameters
    ----------
    evaluation : SelectiveEvaluation, SelectiveComparison or mapping of name to evaluation
        Results of ``evaluate_selective``, or of ``compare_selective``.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    of : {"selective", "generalized", "utility"}, default="selective"
        The mean loss of accepted rows, whose area is AURC; the loss of accepted rows as a share of
        all rows, whose area is AUGRC; or 1 minus the selective risk: accuracy or utility.
    level : float or None, default=0.95
        The level of the bands, which contain the curve at each coverage alone; None for no bands.
        Bands are drawn for up to three selective or utility curves.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from wager.rewards import evaluate_selective
    >>> found = evaluate_selective([0, 1, 1, 0], [0, 1, 0, 0], [0.9, 0.8, 0.3, 0.6])
    >>> plot_risk_coverage(found).get_xlabel()
    'coverage'
    """
    named = _named(evaluation)
    if not is_one_of(of, _KINDS):
        raise ValueError(f"of must be one of {', '.join(map(repr, _KINDS))}, got {brief(of)}")
    kinds = {found.what for found in named.values()}
    if len(kinds) > 1:
        raise ValueError(f"the losses differ ({' and '.join(sorted(kinds))}): draw one at a time")
    what = kinds.pop()
    if of == "utility" and what in ("cost", "loss"):
        raise ValueError(f"a {what} is not a utility: use of='selective'")
    labels = [short_text(name) for name in named]
    many = len(labels) > MOST_IN_LEGEND
    beside = text_width(max(labels, key=len), "small") + 0.3 if many else 0.0
    ax = axes_or_new(ax, figsize=(6.0 + beside, 4.0))
    ends = []
    shade = level is not None and of != "generalized" and len(named) <= _MOST_BANDS
    for i, (label, found) in enumerate(zip(labels, named.values(), strict=True)):
        coverage, risk = _line(found, of)
        ink = series_colour(i)
        ax.plot(coverage, risk, series_line(i), color=ink, linewidth=1.8, label=label)
        ends.append((coverage[-1], risk[-1]))
        if shade and level is not None:
            at, low, high = _band(found, of, level)
            ax.fill_between(at, low, high, color=ink, alpha=0.12, linewidth=0)
    ax.set_xlim(0, 1)
    ax.set_xlabel("coverage")
    if of == "utility":
        ax.set_ylabel("accuracy of accepted rows" if what == "0/1 error" else "mean utility")
    else:
        kind = "" if what == "loss" else f" ({what})"
        ax.set_ylabel(plain_text(f"{of} risk{kind}"))
    style_axes(ax)
    if many:
        label_lines(ax, labels, *zip(*ends, strict=True))
    elif len(labels) > 1:
        ax.legend(frameon=False, fontsize=9)
    return ax


def _named(evaluation: object) -> dict[str, SelectiveEvaluation]:
    if isinstance(evaluation, SelectiveEvaluation):
        return {"": evaluation}
    if isinstance(evaluation, SelectiveComparison):
        return dict(zip(evaluation.names, (evaluation.a, evaluation.b), strict=True))
    found = list(evaluation.values()) if isinstance(evaluation, Mapping) else []
    if isinstance(evaluation, Mapping) and all(isinstance(e, SelectiveEvaluation) for e in found):
        if not found:
            raise ValueError("there is no evaluation to draw: pass at least one")
        return dict(evaluation)
    raise refuse(
        "plot_risk_coverage", "results of evaluate_selective or compare_selective", evaluation
    )


def _line(found: SelectiveEvaluation, of: str) -> tuple[Floats, Floats]:
    """The curve at thresholds and, inside large ties, between them."""
    steps = np.append(0.0, found.curve.coverage)
    shown = np.union1d(steps, np.linspace(0, 1, 101)[1:])
    if len(steps) > _MOST_POINTS:
        shown = np.linspace(0, 1, _MOST_POINTS + 1)
    loss = np.interp(shown, steps, np.append(0.0, found.curve.generalized_risk))
    if of == "generalized":
        return shown, loss
    risk = loss[1:] / shown[1:]
    return shown[1:], 1 - risk if of == "utility" else risk


def _band(found: SelectiveEvaluation, of: str, level: float) -> tuple[Floats, Floats, Floats]:
    at = np.linspace(0, 1, _POINTS + 1)[1:]
    get = found.accuracy_at_coverage if of == "utility" else found.risk_at_coverage
    low, high = np.array([get(coverage).interval(level) for coverage in at]).T
    return at, low, high
