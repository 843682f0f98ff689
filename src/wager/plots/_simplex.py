"""Plot of a partition: membership vectors in a segment, a triangle or a tetrahedron.

Solid borders separate the regions of different assigned classes, dashed ones those of different
second classes; the fill of a marker is the true class, its ring the assigned one (Sondhauss &
Weihs, 2001, Figures 1 to 3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from wager._tables import is_one_of, require_kind
from wager._typing import ArrayLike
from wager._visible import brief
from wager.partitions import MeasuredPartition, StandardizedPartition
from wager.plots._simplex_axes import one_simplex_axes
from wager.plots._simplex_content import simplex_content
from wager.plots._simplex_drawing import (
    MANY,
    draw_distances,
    draw_frame,
    draw_legend,
    draw_objects,
    name_corner,
    spread_on_segment,
)
from wager.plots._simplex_geometry import corners, simplex_coordinates

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Lines", "plot_simplex"]

Lines = Literal["true", "assigned"]


def plot_simplex(
    partition: StandardizedPartition | MeasuredPartition | ArrayLike,
    ax: Axes | None = None,
    *,
    scaled: bool = True,
    lines: Lines | None = None,
    title: str | None = None,
    legend: bool = True,
) -> Axes:
    """Draw the memberships of the objects of a test set between the corners of the classes.

    Parameters
    ----------
    partition : StandardizedPartition, MeasuredPartition, or array-like of shape (n_rows, n_classes)
        The result of `standardize`, new objects under its scaling
        (``partition.transform(memberships, y_true)``), or memberships of objects whose class is
        unknown; two to four classes.
    ax : matplotlib Axes, optional
        Where to draw, 3-D Axes for four classes; a new figure by default.
    scaled : bool, default=True
        Draw the scaled memberships, or those before scaling.
    lines : {"true", "assigned"}, optional
        Draw the distances to the corners of the true classes, which determine the accuracy Ac, or
        to those of the assigned classes, which determine the ability to separate AS; the title
        shows the value.
    title : str, optional
        Title of the plot.
    legend : bool, default=True
        Explain the colours of the markers.

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
    drawn = simplex_content(partition, scaled)
    points, truth, assigned = drawn.points, drawn.truth, drawn.assigned
    n_classes = points.shape[1]
    ax = one_simplex_axes(ax, n_classes)
    draw_frame(ax, n_classes, crowded=len(points) > MANY)
    places = spread_on_segment(points) if n_classes == 2 else simplex_coordinates(points)
    require_kind(title, "title", str, type(None))
    heading = [title] if title else []
    if lines is not None:
        if truth is None or drawn.measures is None or not is_one_of(lines, ("true", "assigned")):
            raise ValueError(
                f"lines must be 'true' or 'assigned' and needs true classes, got {brief(lines)}: "
                "pass the result of standardize(y_true, memberships)"
            )
        draw_distances(ax, places, truth if lines == "true" else assigned, n_classes)
        ac, separated = drawn.measures.accuracy, drawn.measures.separation
        heading.append(f"Ac = {ac:.2f}" if lines == "true" else f"AS = {separated:.2f}")
    draw_objects(ax, places, truth, assigned)
    for code, (corner, rate) in enumerate(zip(corners(n_classes), drawn.rates, strict=True)):
        name_corner(ax, corner, n_classes, code, drawn.names[code], rate)
    ax.set_title("\n".join(heading), fontsize=11)
    if legend and truth is not None:
        draw_legend(ax, drawn.names)
    if n_classes == 4:  # the layout of 3-D Axes settles only after a first drawing
        ax.figure.figure.draw_without_rendering()
    return ax
