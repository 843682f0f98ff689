"""Plot of a credal set in the triangle of three classes, over the regions of the cheapest class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wager._typing import ArrayLike, Floats
from wager._visible import brief
from wager.credal import CredalVertices, DecisionRule, decide, determinate_costs
from wager.plots._inputs import as_credal
from wager.plots._labels import set_title, width_of, wrapped
from wager.plots._simplex_geometry import corners, simplex_coordinates
from wager.plots._style import axes_or_new, series_colour, set_text, short_text, text_colour
from wager.predictions import ProbabilityIntervals

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_credal"]


def plot_credal(
    credal: ProbabilityIntervals | CredalVertices | ArrayLike,
    row: int = 0,
    ax: Axes | None = None,
    *,
    rule: DecisionRule = "maximality",
    costs: Any = None,
    title: str | None = None,
) -> Axes:
    """Draw the credal set of three classes, and the prediction that follows from it.

    The triangle contains all probabilities; a corner means certainty of one class.  It is tinted by
    the class of least expected cost; the credal set is drawn over it, with its vertices.  The
    classes whose regions it touches are E-admissible.

    Parameters
    ----------
    credal : ProbabilityIntervals, CredalVertices or array-like
        Over three classes; also precise probabilities of shape (n, 3).
    row : int, default=0
        Which row to draw.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    rule : str, default="maximality"
        The rule of `decide` whose prediction is shown in the title.
    costs : CostMatrix or array-like of shape (3, 3), optional
        Costs by predicted and true class; 0/1 by default.
    title : str, optional
        The title, instead of the prediction.

    Examples
    --------
    >>> obstacle = ProbabilityIntervals([[0, 0.3, 0.4]], [[0.2, 0.4, 0.6]], classes=["h", "b", "n"])
    >>> plot_credal(obstacle, costs=[[0, 1, 2], [1, 0, 2], [4, 4, 0]]).get_title()
    'maximality: {b}'
    """
    credal = as_credal(credal, "plot_credal")
    names = credal.classes.tolist()
    if len(names) != 3:
        raise ValueError(
            f"a credal set is drawn in the triangle of three classes, got {len(names)}: show the "
            "bounds of other numbers of classes as a table with to_frame()"
        )
    if not isinstance(row, int | np.integer) or not -len(credal) <= row < len(credal):
        raise ValueError(f"row must be one of the {len(credal)} rows, got {brief(row)}")
    one = credal[row]
    kept = decide(one, rule, costs).to_lists()[0]
    points = one.vertices(0) if isinstance(one, ProbabilityIntervals) else one.vertices[0]
    own = ax is None
    ax = axes_or_new(ax, figsize=(5.0, 4.6))
    given = determinate_costs(costs, credal.classes)
    matrix = 1.0 - np.eye(3) if given is None else given
    for code in range(3):
        region = _cheapest_region(matrix, code)
        if len(region):
            ax.fill(
                *simplex_coordinates(region).T, color=series_colour(code), alpha=0.18, linewidth=0
            )
            ax.plot(*_closed(region), color="0.55", linewidth=0.8)
    ax.plot(*_closed(np.eye(3)), color="0.2", linewidth=1.2)
    outline = _hull(simplex_coordinates(points))
    ax.fill(*outline.T, facecolor="0.25", alpha=0.45, edgecolor="black", linewidth=1.4)
    ax.plot(*outline.T, "o", color="black", markersize=4.5)
    _name_corners(ax, names, kept)
    heading = f"{rule}: {set_text(kept)}" if title is None else title
    set_title(ax, heading, pad=20)
    ax.set_aspect("equal")
    ax.margins(0.08)
    ax.set_axis_off()
    if own:  # the layout of Axes with a fixed shape settles only after a first drawing
        ax.figure.figure.draw_without_rendering()
    return ax


def _name_corners(ax: Axes, names: list[Any], kept: list[Any]) -> None:
    """Write the class at each corner, in bold if it is predicted."""
    for code, (x, y) in enumerate(corners(3)):
        above = y > 0
        ax.annotate(
            wrapped(short_text(names[code]), 0.45 * width_of(ax)),
            (x, y),
            (0, 6 if above else -6),
            textcoords="offset points",
            ha="center",
            va="bottom" if above else "top",
            color=text_colour(code),
            weight="bold" if names[code] in kept else "normal",
        )


def _cheapest_region(costs: Floats, code: int) -> Floats:
    """The probabilities for which a class is cheapest, as a polygon."""
    region = np.eye(3)
    for rival in costs:
        region = _cut(region, rival - costs[code])
    return region


def _cut(polygon: Floats, f: Floats) -> Floats:
    """The part of a convex polygon where a linear function is not negative."""
    kept = []
    for here, there in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        a, b = here @ f, there @ f
        if a >= 0:
            kept.append(here)
        if a * b < 0:
            kept.append(here + (there - here) * a / (a - b))
    return np.array(kept)


def _closed(polygon: Floats) -> Floats:
    return simplex_coordinates(np.vstack([polygon, polygon[:1]])).T


def _hull(points: Floats) -> Floats:
    """The corners of the convex hull of points in the plane, in order (Andrew's monotone chain)."""
    ordered = np.unique(points.round(12), axis=0)
    if len(ordered) < 3:
        return ordered
    return np.array(_chain(ordered)[:-1] + _chain(ordered[::-1])[:-1])


def _chain(points: Floats) -> list[Floats]:
    chain: list[Floats] = []
    for point in points:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 1e-12:
            chain.pop()
        chain.append(point)
    return chain


def _turn(a: Floats, b: Floats, c: Floats) -> float:
    """Positive if the path from a via b to c turns left."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
