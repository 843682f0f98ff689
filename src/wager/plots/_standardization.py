"""Plots of memberships before and after scaling, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wager._typing import ArrayLike
from wager.partitions import StandardizedPartition, standardize
from wager.plots._simplex import Lines, plot_simplex
from wager.plots._simplex_axes import simplex_axes
from wager.plots._simplex_content import check_partition

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_standardization"]


def plot_standardization(
    partition: StandardizedPartition,
    true_proba: ArrayLike | None = None,
    *,
    lines: Lines | None = None,
    figure: Any = None,
) -> list[Axes]:
    """Draw memberships before and after scaling, and the true probabilities if they are known.

    Parameters
    ----------
    partition : StandardizedPartition
        The result of `standardize`, for two to four classes.
    true_proba : array-like of shape (n_rows, n_classes), optional
        The true class probabilities of the same objects.
    lines : {"true", "assigned"}, optional
        As in `plot_simplex`.
    figure : matplotlib Figure, optional
        Where to draw; a new figure by default.

    Returns
    -------
    list of matplotlib Axes

    Examples
    --------
    >>> from wager.partitions import standardize
    >>> partition = standardize([0, 1], [[0.8, 0.2], [0.4, 0.6]])
    >>> [ax.get_title() for ax in plot_standardization(partition)]
    ['before scaling', 'scaled']
    """
    check_partition(partition, "plot_standardization")
    panels: list[tuple[str, StandardizedPartition, bool]] = []
    if true_proba is not None:
        truth = standardize(
            partition.classes[partition.truth],
            true_proba,
            classes=partition.classes,
            sample_weight=partition.weights,
        )
        panels.append(("true probabilities", truth, False))
    panels += [("before scaling", partition, False), ("scaled", partition, True)]
    every = simplex_axes(len(panels), len(partition.classes), figure)
    for i, (ax, (title, drawn, scaled)) in enumerate(zip(every, panels, strict=True)):
        plot_simplex(drawn, ax, scaled=scaled, lines=lines, title=title, legend=i == 0)
    return every
