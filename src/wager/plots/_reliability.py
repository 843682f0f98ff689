"""Reliability diagram: observed frequency against reported probability."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from wager._tables import is_one_of
from wager._typing import ArrayLike
from wager._visible import brief
from wager.plots._inputs import as_evaluation
from wager.plots._labels import label_lines, text_width
from wager.plots._style import (
    MOST_IN_LEGEND,
    axes_or_new,
    series_colour,
    series_marker,
    short_text,
    style_axes,
)
from wager.rewards import ProbabilityEvaluation, ProbabilityTally

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_reliability(
    evaluation: ProbabilityEvaluation | ProbabilityTally | ArrayLike,
    proba: ArrayLike | Axes | None = None,
    ax: Axes | None = None,
    *,
    of: Literal["top-label", "classes"] = "top-label",
) -> Axes:
    """Draw the observed frequency of classes against their reported probability.

    On the diagonal probabilities are calibrated; below it they are overconfident.  The bars at the
    bottom show how many probabilities fall into each bin.

    Parameters
    ----------
    evaluation : ProbabilityEvaluation, ProbabilityTally or array-like of shape (n_rows,)
        The result of `evaluate_probabilities`, of which the ``n_bins`` bins are drawn; or the true
        labels.
    proba : array-like of shape (n_rows, n_classes), optional
        The probabilities, with true labels; otherwise left out, or the Axes.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    of : {"top-label", "classes"}, default="top-label"
        One curve for the class with the largest probability, or one per class.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from wager.rewards import evaluate_probabilities
    >>> evaluation = evaluate_probabilities([0, 1, 1], [[0.9, 0.1], [0.3, 0.7], [0.6, 0.4]])
    >>> plot_reliability(evaluation).get_xlabel()
    'reported probability of the predicted class'
    """
    if not is_one_of(of, ("top-label", "classes")):
        raise ValueError(f"of must be 'top-label' or 'classes', got {brief(of)}")
    if hasattr(proba, "get_figure"):  # plot_reliability(evaluation, ax)
        proba, ax = None, proba
    evaluation = as_evaluation(evaluation, proba, "plot_reliability")
    top = of == "top-label"
    bins = evaluation.reliability_top_label if top else evaluation.reliability_by_class
    names = ["predicted class"] if top else [short_text(label, 24) for label in evaluation.classes]
    many = len(names) > MOST_IN_LEGEND
    labels = [
        f"{name} (error {error:.3f})"
        for name, error in zip(names, bins.calibration_error, strict=True)
    ]
    beside = 0.7 + max(text_width(label, 8) for label in labels) if many else 0.0
    ax = axes_or_new(ax, figsize=(4.8 + beside, 4.8))
    ends = []
    ax.plot([0, 1], [0, 1], color="0.5", linewidth=1, linestyle="--", label="calibrated")
    n_bins = bins.weight.shape[1]
    width = 1 / n_bins / len(names)
    largest = bins.weight.max()
    for i in range(len(names)):
        weight, reported, observed = bins.weight[i], bins.reported[i], bins.observed[i]
        filled = weight > 0
        ends.append((reported[filled][-1], observed[filled][-1]) if filled.any() else (0.0, 0.0))
        ax.plot(
            reported[filled],
            observed[filled],
            color=series_colour(i),
            marker=series_marker(i),
            markersize=5,
            linewidth=1.4,
            label=labels[i],
        )
        left = np.arange(n_bins) / n_bins + i * width
        bar: dict[str, Any] = {
            "width": width,
            "align": "edge",
            "color": series_colour(i),
            "alpha": 0.3,
        }
        ax.bar(left, 0.16 * weight / largest, linewidth=0, **bar)
    what = "the predicted class" if top else "the class"
    ax.set(
        xlabel=f"reported probability of {what}",
        ylabel="observed frequency",
        xlim=(0, 1),
        ylim=(0, 1.02),
    )
    ax.set_aspect("equal")
    style_axes(ax)
    if many:
        label_lines(ax, labels, *zip(*ends, strict=True), size=8)
    else:
        ax.legend(frameon=False, loc="upper left", fontsize=9)
    return ax
