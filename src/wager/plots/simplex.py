"""Pictures of a partition: membership vectors in a segment, a triangle or a tetrahedron.

Solid borders separate the regions of different assigned classes, dashed ones those of different
second classes; the fill of a marker is the true class, its ring the assigned one (Sondhauss &
Weihs, 2001, Figures 1 to 3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from wager._typing import ArrayLike, Floats, Ints
from wager.partitions import PartitionMeasures, StandardizedPartition, standardize
from wager.plots._simplex_geometry import (
    corners,
    edges,
    region_borders,
    second_borders,
    simplex_coordinates,
)
from wager.plots._style import axes, colour, written
from wager.predictions import check_probabilities

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Lines = Literal["true", "assigned"]
MANY = 2000  # objects beyond which markers are drawn as pixels even in vector files


def plot_simplex(
    partition: StandardizedPartition | ArrayLike,
    ax: Axes | None = None,
    *,
    scaled: bool = True,
    lines: Lines | None = None,
    title: str | None = None,
    legend: bool = True,
) -> Axes:
    """Draw where a classifier puts the objects of a test set, between the corners of its classes.

    Parameters
    ----------
    partition : StandardizedPartition, or array-like of shape (n_rows, n_classes)
        What `standardize` returned, or bare memberships of objects whose class is unknown; two to
        four classes.
    ax : matplotlib Axes, optional
        Where to draw, a 3-D one for four classes; a new figure by default.
    scaled : bool, default=True
        Draw the scaled memberships, or those before scaling.
    lines : {"true", "assigned"}, optional
        Draw the distances to the corners of the true classes, which make the accuracy Ac, or to
        those of the assigned classes, which make the ability to separate AS; the value is printed.
    title : str, optional
        Title of the picture.
    legend : bool, default=True
        Say which colour is which class.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from wager.partitions import standardize
    >>> partition = standardize([0, 1, 2], [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.5, 0.1, 0.4]])
    >>> plot_simplex(partition, lines="true").get_title()
    'Ac = 0.65'
    """
    drawn = _drawn(partition, scaled)
    points, truth, assigned = drawn.points, drawn.truth, drawn.assigned
    n_classes = points.shape[1]
    ax = _axes(ax, n_classes)
    _frame(ax, n_classes, crowded=len(points) > MANY)
    places = _spread(points) if n_classes == 2 else simplex_coordinates(points)
    heading = [title] if title else []
    if lines is not None:
        if truth is None or drawn.measures is None or lines not in ("true", "assigned"):
            raise ValueError(
                f"lines must be 'true' or 'assigned', for a partition with true classes, got "
                f"{lines!r}: standardize(y_true, memberships) makes one"
            )
        _distances(ax, places, truth if lines == "true" else assigned, n_classes)
        ac, separated = drawn.measures.accuracy, drawn.measures.separation
        heading.append(f"Ac = {ac:.2f}" if lines == "true" else f"AS = {separated:.2f}")
    _objects(ax, places, truth, assigned)
    for code, (corner, rate) in enumerate(zip(corners(n_classes), drawn.rates, strict=True)):
        _name(ax, corner, n_classes, code, drawn.names[code], rate)
    ax.set_title("\n".join(heading), fontsize=11)
    if legend and truth is not None:
        _legend(ax, drawn.names)
    return ax


def plot_standardization(
    partition: StandardizedPartition,
    true_proba: ArrayLike | None = None,
    *,
    lines: Lines | None = None,
    figure: Any = None,
) -> list[Axes]:
    """Draw memberships before and after scaling side by side, beside the truth where it is known.

    Parameters
    ----------
    partition : StandardizedPartition
        What `standardize` returned; two to four classes.
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
    every = _row_of_axes(figure, len(panels), len(partition.classes))
    for i, (ax, (title, drawn, scaled)) in enumerate(zip(every, panels, strict=True)):
        plot_simplex(drawn, ax, scaled=scaled, lines=lines, title=title, legend=i == 0)
    return every


def simplex_axes(n_panels: int, n_classes: int, figure: Any = None) -> list[Axes]:
    """A row of Axes for several simplexes of the same classes, 3-D ones for four classes."""
    return _row_of_axes(figure, n_panels, n_classes)


def _row_of_axes(figure: Any, n_panels: int, n_classes: int) -> list[Axes]:
    if figure is None:
        from matplotlib.figure import Figure

        height = 2.6 if n_classes == 2 else 4.9
        figure = Figure(figsize=(4.4 * n_panels, height), layout="constrained")
    options = {"subplot_kw": {"projection": "3d"}} if n_classes == 4 else {}
    return list(figure.subplots(1, n_panels, squeeze=False, **options)[0])


def _axes(ax: Axes | None, n_classes: int) -> Axes:
    corners(n_classes)  # refuses what cannot be drawn
    if ax is None:
        return _row_of_axes(None, 1, n_classes)[0] if n_classes > 2 else axes(None, (6.0, 2.6))
    if n_classes == 4 and ax.name != "3d":
        raise ValueError(
            "four classes need a 3-D Axes: make one with figure.add_subplot(projection='3d'), or "
            "leave ax out"
        )
    return ax


@dataclass(frozen=True)
class _Drawn:
    """What a picture shows: points, classes, correctness rates; truth and measures if known."""

    points: Floats
    assigned: Ints
    names: Sequence[Any]
    rates: Sequence[float | None]
    truth: Ints | None = None
    measures: PartitionMeasures | None = None


def _drawn(partition: StandardizedPartition | ArrayLike, scaled: bool) -> _Drawn:
    if not isinstance(partition, StandardizedPartition):
        points = check_probabilities(partition, name="memberships")
        n_classes = points.shape[1]
        return _Drawn(points, points.argmax(axis=1), range(n_classes), [None] * n_classes)
    return _Drawn(
        partition.scaled if scaled else partition.memberships,
        partition.assigned,
        partition.classes.tolist(),
        correctness_by_class(partition),
        partition.truth,
        partition.measures if scaled else partition.measures_before,
    )


def correctness_by_class(partition: StandardizedPartition) -> list[float | None]:
    """Correctness rate of the assignments to each class, None where there is none."""
    hit, weights = partition.truth == partition.assigned, partition.weights
    n_classes = len(partition.classes)
    number = np.bincount(partition.assigned, weights, n_classes)
    counted = None if weights is None else weights[hit]
    right = np.bincount(partition.assigned[hit], counted, n_classes)
    return [float(r / n) if n else None for r, n in zip(right, number, strict=True)]


def _frame(ax: Any, n_classes: int, crowded: bool) -> None:
    """The edges, the borders of the regions (over a crowd, under a few), and no axes around."""
    place = corners(n_classes)
    zorder = 4 if crowded else 1
    _segments(ax, edges(n_classes) @ place, color="0.25", linewidth=1.2, zorder=zorder)
    _segments(ax, region_borders(n_classes) @ place, color="0.35", linewidth=0.9, zorder=zorder)
    _segments(
        ax,
        second_borders(n_classes) @ place,
        color="0.55",
        linewidth=0.8,
        linestyle=(0, (4, 3)),
        zorder=zorder,
    )
    ax.set_axis_off()
    if n_classes == 2:
        ax.plot([0.5, 0.5], [-0.2, 0.2], color="0.25", linewidth=1.2, zorder=zorder)
        ax.set_xlim(-0.22, 1.22)
        ax.set_ylim(-0.4, 0.7)
    elif n_classes == 3:
        ax.set_aspect("equal")
        ax.set_xlim(-0.75, 0.75)
        ax.set_ylim(-0.5, 0.84)
    else:
        centre = place.mean(axis=0) + np.array([0.0, 0.0, 0.14])  # room for the name on top
        for set_limits, middle in zip((ax.set_xlim, ax.set_ylim, ax.set_zlim), centre, strict=True):
            set_limits(middle - 0.5, middle + 0.5)
        ax.set_box_aspect((1, 1, 1), zoom=1.05)
        ax.view_init(elev=18, azim=-78)
        ax.computed_zorder = False  # names stay on top


def _segments(ax: Any, segments: Floats, **style: Any) -> None:
    if segments.shape[-1] == 3:
        from mpl_toolkits.mplot3d.art3d import Line3DCollection

        ax.add_collection3d(Line3DCollection(segments, **style))
    else:
        from matplotlib.collections import LineCollection

        ax.add_collection(LineCollection(list(segments), **style), autolim=False)


def _distances(ax: Any, places: Floats, target: Ints, n_classes: int) -> None:
    ends = corners(n_classes)[target]
    if n_classes == 2:
        ends = np.column_stack([ends[:, 0], places[:, 1]])  # along the segment, at its own height
    lines = np.stack([places, ends], axis=1)
    shade = float(np.clip(40 / len(places), 0.03, 0.6))
    colours = [colour(code) for code in target]
    _segments(ax, lines, colors=colours, linewidth=0.8, alpha=shade, zorder=2)


def _objects(ax: Any, places: Floats, truth: Ints | None, assigned: Ints) -> None:
    """Fill by true class, ring by assigned class; misplaced objects on top, a crowd fainter."""
    n_rows = len(places)
    inside = assigned if truth is None else truth
    size = float(np.clip(7000 / n_rows, 9, 55))
    faint = float(np.clip(250 / n_rows, 0.25, 0.95))
    for rows, alpha in (
        (np.flatnonzero(inside == assigned), faint),
        (np.flatnonzero(inside != assigned), max(faint, 0.75)),
    ):
        style: dict[str, Any] = {"depthshade": False} if places.shape[1] == 3 else {}
        ax.scatter(
            *places[rows].T,
            s=size,
            c=[colour(code) for code in inside[rows]],
            edgecolors=[colour(code) for code in assigned[rows]],
            linewidths=0.24 * np.sqrt(size),
            alpha=alpha,
            zorder=3,
            rasterized=n_rows > MANY,
            **style,
        )


def _name(
    ax: Any, corner: Floats, n_classes: int, code: int, name: Any, rate: float | None
) -> None:
    """The class at its corner, with the correctness rate of the assignments to it."""
    text = written(name) if rate is None else f"{written(name)}\nCR {rate:.2f}"
    style: dict[str, Any] = {"color": colour(code), "fontsize": 10, "fontweight": "bold"}
    from matplotlib.patheffects import withStroke

    style["path_effects"] = [withStroke(linewidth=2.5, foreground="white")]
    style["zorder"] = 6
    centre = corners(n_classes).mean(axis=0)
    away = (corner - centre) / np.linalg.norm(corner - centre)
    if n_classes == 4:
        ax.text(*(corner + 0.12 * away), text, ha="center", va="center", **style)
    elif n_classes == 3:
        vertical = "bottom" if away[1] > 0 else "top"
        ax.text(*(corner + 0.03 * away), text, ha="center", va=vertical, **style)
    else:
        side = "right" if away[0] < 0 else "left"
        ax.text(corner[0] + 0.02 * away[0], 0, text, ha=side, va="center", **style)


def _legend(ax: Any, names: Sequence[Any]) -> None:
    """How to read a marker, where no name of a class stands."""
    from matplotlib.lines import Line2D

    example = Line2D(
        [],
        [],
        marker="o",
        linestyle="",
        markersize=7,
        markeredgewidth=1.8,
        markerfacecolor=colour(0),
        markeredgecolor=colour(1),
    )
    ax.legend(
        [example],
        [f"fill: true class ({written(names[0])}), ring: assigned class ({written(names[1])})"],
        loc="upper center" if len(names) == 3 else "upper left",
        bbox_to_anchor=(0.5, 0.0) if len(names) == 3 else None,  # below the corners' names
        frameon=False,
        fontsize=8,
        borderaxespad=0,
        handletextpad=0.3,
    )


def _spread(points: Floats) -> Floats:
    """Places on the segment of two classes, stacked up and down where many come together."""
    x = points[:, 1]
    column = np.round(x * 60).astype(np.intp)
    mixed = (np.arange(len(x)) * 0.6180339887) % 1  # else a column would lean like its values
    order = np.lexsort((mixed, column))
    rank = np.arange(len(x)) - np.searchsorted(column[order], column[order])
    height = np.empty(len(x))
    height[order] = np.where(rank % 2, 1, -1) * ((rank + 1) // 2)
    tallest = max(1.0, np.abs(height).max())
    return np.column_stack([x, height * min(0.05, 0.34 / tallest)])
