"""The parts of a simplex plot: frame, objects, distances to corners, names and legend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wager._typing import Floats, Ints
from wager.plots._labels import height_of, text_width, width_of, wrapped
from wager.plots._simplex_geometry import corners, edges, region_borders, second_borders
from wager.plots._style import series_colour, short_text, text_colour

__all__ = [
    "MANY",
    "draw_distances",
    "draw_frame",
    "draw_legend",
    "draw_objects",
    "name_corner",
    "spread_on_segment",
]

_CLEAR = 7.0  # points between a corner and its name, room for the markers there
MANY = 500  # with more objects markers are drawn as pixels even in vector files


def draw_frame(ax: Any, n_classes: int, crowded: bool) -> None:
    """Draw edges and region borders, above many objects but below few, and hide the axes."""
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
        centre = place.mean(axis=0) + np.array([0.0, 0.0, 0.14])  # space for the name at the top
        for set_limits, middle in zip((ax.set_xlim, ax.set_ylim, ax.set_zlim), centre, strict=True):
            set_limits(middle - 0.5, middle + 0.5)
        ax.set_box_aspect((1, 1, 1), zoom=0.95)
        ax.view_init(elev=24, azim=-40)  # from here no corner lies behind the others
        ax.computed_zorder = False  # draw names on top


def _segments(ax: Any, segments: Floats, **style: Any) -> None:
    if segments.shape[-1] == 3:
        from mpl_toolkits.mplot3d.art3d import Line3DCollection

        ax.add_collection3d(Line3DCollection(segments, **style))
    else:
        from matplotlib.collections import LineCollection

        ax.add_collection(LineCollection(list(segments), **style), autolim=False)


def draw_distances(ax: Any, places: Floats, target: Ints, n_classes: int) -> None:
    """Draw lines from the objects to the corners of their target classes."""
    ends = corners(n_classes)[target]
    if n_classes == 2:
        ends = np.column_stack(
            [ends[:, 0], places[:, 1]]
        )  # along the segment, at the height of the object
    lines = np.stack([places, ends], axis=1)
    shade = float(np.clip(40 / len(places), 0.03, 0.6))
    colours = [series_colour(code) for code in target]
    _segments(ax, lines, colors=colours, linewidth=0.8, alpha=shade, zorder=2)


def draw_objects(ax: Any, places: Floats, truth: Ints | None, assigned: Ints) -> None:
    """Draw the objects: fill by true class, ring by assigned class, errors on top."""
    n_rows = len(places)
    inside = assigned if truth is None else truth
    size = float(np.clip(7000 / n_rows, 9, 55))
    faint = float(np.clip(250 / n_rows, 0.25, 0.95))
    style: dict[str, Any] = {"depthshade": False} if places.shape[1] == 3 else {}
    # one group per pair of colours, which keeps vector files small
    pairs = sorted(set(zip(inside.tolist(), assigned.tolist(), strict=True)), key=_errors_last)
    for fill, ring in pairs:
        rows = np.flatnonzero((inside == fill) & (assigned == ring))
        ax.scatter(
            *places[rows].T,
            s=size,
            facecolor=series_colour(fill),
            edgecolor=series_colour(ring),
            linewidth=0.24 * np.sqrt(size),
            alpha=faint if fill == ring else max(faint, 0.75),
            zorder=3,
            rasterized=n_rows > MANY,
            **style,
        )


def _errors_last(pair: tuple[int, int]) -> tuple[bool, tuple[int, int]]:
    return pair[0] != pair[1], pair


def name_corner(
    ax: Any, corner: Floats, n_classes: int, code: int, name: Any, rate: float | None
) -> None:
    """Write the class at its corner, with the correctness rate of the assignments to it."""
    inches = {2: 0.22, 3: 0.44, 4: 0.26}[n_classes] * width_of(ax)
    words = short_text(name).split(" ")
    points = max(6.5, 10 * min(1.0, inches / max(text_width(w, 10, "bold") for w in words)))
    style: dict[str, Any] = {"color": text_colour(code), "fontsize": points, "fontweight": "bold"}
    style["zorder"] = 6
    text = wrapped(" ".join(words), 1.01 * inches, points, "bold")
    if rate is not None:
        text += f"\nCR {rate:.2f}"
    centre = corners(n_classes).mean(axis=0)
    away = (corner - centre) / np.linalg.norm(corner - centre)
    if n_classes == 4:
        from mpl_toolkits.mplot3d.proj3d import proj_transform

        (x, y), (x0, y0) = (proj_transform(*place, ax.get_proj())[:2] for place in (corner, centre))
        sideways = abs(x - x0) > abs(y - y0)
        side = ("left" if x > x0 else "right") if sideways else "center"
        height = "center" if sideways else "bottom" if y > y0 else "top"
        ax.text(*(corner + 0.07 * away), text, ha=side, va=height, **style)
    elif n_classes == 3:
        up = away[1] > 0
        _make_room(ax, up, (_CLEAR + 1.3 * points * (text.count("\n") + 1)) / 72)
        ax.annotate(
            text, corner, (0, _CLEAR if up else -_CLEAR), textcoords="offset points", ha="center",
            va="bottom" if up else "top", **style,
        )  # fmt: skip
    else:
        left = away[0] < 0
        ax.annotate(
            text, corner, (-_CLEAR if left else _CLEAR, 0), textcoords="offset points",
            ha="right" if left else "left", va="center", **style,
        )  # fmt: skip


def _make_room(ax: Any, up: bool, inches: float) -> None:
    """Let the limits of a triangle leave room for a name above or below it."""
    bottom, top = ax.get_ylim()
    low, high = corners(3)[:, 1].min(), corners(3)[:, 1].max()
    room = inches * (high - low) / max(0.5 * height_of(ax), height_of(ax) - 2 * inches)
    ax.set_ylim(bottom if up else min(bottom, low - room), max(top, high + room) if up else top)


def draw_legend(ax: Any, names: Sequence[Any]) -> None:
    """Explain fill and ring of a marker, away from the names of the corners."""
    from matplotlib.lines import Line2D

    example = Line2D(
        [],
        [],
        marker="o",
        linestyle="",
        markersize=7,
        markeredgewidth=1.8,
        markerfacecolor=series_colour(0),
        markeredgecolor=series_colour(1),
    )
    first, second = (short_text(name, 24) for name in names[:2])
    text = f"fill: true class ({first}), ring: assigned class ({second})"
    ax.legend(
        [example],
        [wrapped(text, 0.9 * width_of(ax), 8)],
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),  # below the names of the corners
        frameon=False,
        fontsize=8,
        borderaxespad=0,
        handletextpad=0.3,
    )


def spread_on_segment(points: Floats) -> Floats:
    """Places on the segment of two classes, stacked up and down where many coincide."""
    x = points[:, 1]
    column = np.round(x * 60).astype(np.intp)
    mixed = (
        np.arange(len(x)) * 0.6180339887
    ) % 1  # shuffled, else each column would slant like its values
    order = np.lexsort((mixed, column))
    rank = np.arange(len(x)) - np.searchsorted(column[order], column[order])
    height = np.empty(len(x))
    height[order] = np.where(rank % 2, 1, -1) * ((rank + 1) // 2)
    tallest = max(1.0, np.abs(height).max())
    return np.column_stack([x, height * min(0.05, 0.34 / tallest)])
