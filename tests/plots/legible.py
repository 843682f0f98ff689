"""Find what cannot be read on a figure: texts that overlap, leave the figure or cover points.

Only what is really drawn counts: the texts are those that matplotlib draws, in the boxes where it
draws them, turned as they are.
"""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.text import Text

TOLERANCE = 1.0  # pixels at 100 dots per inch: boxes are a little larger than the letters in them


def faults(figure, *, points: bool = True) -> list[str]:
    """What is wrong with a figure, one sentence per fault."""
    figure.set_dpi(100)
    with _drawn_texts() as texts:
        FigureCanvasAgg(figure).draw()
    boxes = list(texts.values())
    width, height = figure.bbox.width, figure.bbox.height
    found = []
    for words, box in boxes:
        (left, bottom), (right, top) = box.min(axis=0), box.max(axis=0)
        if min(left, bottom, width - right, height - top) < -TOLERANCE:
            found.append(f"{words!r} is not inside the figure")
    corners = [box for _, box in boxes]
    for i, near in enumerate(_near(corners, corners)):
        found += [
            f"{boxes[i][0]!r} overlaps {boxes[j][0]!r}"
            for j in near[near > i]
            if _overlap(corners[i], corners[j])
        ]
    if points:
        places = _points(figure)
        for (words, box), near in zip(boxes, _near(corners, places), strict=True):
            covered = sum(_overlap(box, places[j]) for j in near)
            if covered:
                found.append(f"{words!r} covers {covered} points")
    return found


@contextmanager
def _drawn_texts():
    """The texts that are drawn in this block and their boxes, by the identity of the text.

    The box is that at the time of drawing: 3-D texts have their place only then.
    """
    drawn: dict[int, tuple[str, np.ndarray]] = {}
    draw = Text.draw

    def record(text, renderer, *args, **kwargs):
        if text.get_visible() and text.get_text().strip():
            drawn[id(text)] = (text.get_text(), _box(text, renderer))
        return draw(text, renderer, *args, **kwargs)

    Text.draw = record
    try:
        yield drawn
    finally:
        Text.draw = draw


def _box(text, renderer):
    """The corners of the rectangle around a text, turned as the text is."""
    turned = Text.get_window_extent(text, renderer)
    angle = text.get_rotation()
    flat = turned
    if angle:
        text.set_rotation(0)
        flat = Text.get_window_extent(text, renderer)
        text.set_rotation(angle)
    if text.get_bbox_patch() is not None:
        pad = text.get_bbox_patch().get_window_extent(renderer)
        if pad.width > flat.width:
            flat = turned = pad
    half = np.array([flat.width, flat.height]) / 2
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    turn = np.deg2rad(angle)
    matrix = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    centre = np.array([(turned.x0 + turned.x1) / 2, (turned.y0 + turned.y1) / 2])
    return corners @ matrix + centre


def _near(boxes, others):
    """For each box, which of the others may overlap it: their upright frames do."""
    if not boxes or not others:
        return [np.array([], dtype=int)] * len(boxes)
    others = np.array(others)
    low, high = others.min(axis=1), others.max(axis=1)
    return [
        np.flatnonzero(((low < box.max(axis=0)) & (high > box.min(axis=0))).all(axis=1))
        for box in boxes
    ]


def _overlap(a, b):
    """Whether two convex quadrilaterals overlap: no side of either separates them."""
    for box in (a, b):
        for side in np.roll(box, -1, axis=0) - box:
            normal = np.array([-side[1], side[0]])
            length = np.linalg.norm(normal)
            if length == 0:
                continue
            first, second = a @ normal / length, b @ normal / length
            if min(first.max(), second.max()) - max(first.min(), second.min()) <= TOLERANCE:
                return False
    return True


def _points(figure):
    """The small squares inside the markers of all scatter plots, as polygons in pixels."""
    squares = []
    for ax in figure.get_axes():
        for group in ax.collections:
            if isinstance(group, PathCollection) and group.get_visible():
                places = ax.transData.transform(_flat(ax, group))
                radius = 0.35 * np.sqrt(group.get_sizes().max()) * figure.dpi / 72
                corner = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * radius
                squares += [place + corner for place in places]
    return squares


def _flat(ax, group):
    """The places of the markers in the plane of the figure, also of 3-D Axes."""
    if ax.name != "3d":
        return np.asarray(group.get_offsets())
    from mpl_toolkits.mplot3d.proj3d import proj_transform

    x, y, _ = proj_transform(*group._offsets3d, ax.get_proj())
    return np.column_stack([x, y])
