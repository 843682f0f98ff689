"""Axes for simplex plots: flat for two and three classes, 3-D for four."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wager._tables import require_whole
from wager.plots._simplex_geometry import corners
from wager.plots._style import axes_or_new, shown_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["one_simplex_axes", "simplex_axes"]


def simplex_axes(n_panels: int, n_classes: int, figure: Any = None) -> list[Axes]:
    """A row of Axes for several simplexes of the same classes; 3-D ones for four classes.

    Examples
    --------
    >>> [ax.name for ax in simplex_axes(2, n_classes=4)]
    ['3d', '3d']
    """
    n_panels = require_whole(n_panels, "n_panels", 1)
    corners(require_whole(n_classes, "n_classes"))
    if figure is None:
        figure = shown_figure((4.4 * n_panels, 2.6 if n_classes == 2 else 4.9))
    options = {"subplot_kw": {"projection": "3d"}} if n_classes == 4 else {}
    return list(figure.subplots(1, n_panels, squeeze=False, **options)[0])


def one_simplex_axes(ax: Axes | None, n_classes: int) -> Axes:
    """The Axes for one simplex: the given one, checked, or new ones."""
    corners(n_classes)  # raises a ValueError if the simplex cannot be drawn
    if ax is None:
        return simplex_axes(1, n_classes)[0] if n_classes > 2 else axes_or_new(None, (6.0, 2.6))
    if n_classes == 4 and ax.name != "3d":
        raise ValueError(
            "four classes need 3-D Axes: create them with figure.add_subplot(projection='3d'), or "
            "leave out ax"
        )
    return ax
