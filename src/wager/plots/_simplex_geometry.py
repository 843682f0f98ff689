"""Coordinates of membership vectors in a segment, a triangle or a tetrahedron.

Corners are placed as in R's klaR, so that its plots and ours can be overlaid: class 1 lower left,
class 2 at the top, class 3 lower right.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from wager._tables import require_sorted
from wager._typing import ArrayLike, Floats
from wager.predictions import check_probabilities, columns_by_name

MOST_CLASSES = 4

_CORNERS = {
    2: np.array([[0.0, 0.0], [1.0, 0.0]]),
    3: np.array([[-1.0, -1 / np.sqrt(3)], [0.0, 2 / np.sqrt(3)], [1.0, -1 / np.sqrt(3)]])
    / np.sqrt(3),
    4: np.array(
        [
            [1.0, 0.0, 0.0],
            [0.5, np.sqrt(3) / 2, 0.0],
            [0.5, np.sqrt(3) / 6, np.sqrt(2 / 3)],
            [0.0, 0.0, 0.0],
        ]
    ),
}


def corners(n_classes: int) -> Floats:
    """The corners of the simplex of two to four classes, one per row."""
    if n_classes not in _CORNERS:
        raise ValueError(
            f"a simplex can be drawn for 2 to {MOST_CLASSES} classes, got {n_classes}: choose some "
            "classes and rescale their memberships"
        )
    return _CORNERS[n_classes]


def simplex_coordinates(memberships: ArrayLike) -> Floats:
    """The coordinates of membership vectors in the segment, triangle or tetrahedron.

    Parameters
    ----------
    memberships : array-like of shape (n_rows, n_classes)
        Rows summing to 1, for two to four classes.

    Returns
    -------
    ndarray of shape (n_rows, 2), or (n_rows, 3) for four classes

    Examples
    --------
    >>> simplex_coordinates([[0.25, 0.75]])
    array([[0.75, 0.  ]])
    """
    memberships, names = columns_by_name(memberships)
    if names is not None:
        require_sorted(
            np.asarray(names), "the array that is returned", "the columns of memberships",
            "sort the columns of memberships",
        )  # fmt: skip
    points = check_probabilities(memberships, name="memberships")
    return points @ corners(points.shape[1])


def region_borders(n_classes: int) -> Floats:
    """Segments, in memberships, between the regions of different assigned classes.

    From the centroid to the middle of every edge, where two classes are equally likely and the
    others less likely.  Shape (n_segments, 2, n_classes).

    Examples
    --------
    >>> region_borders(3).shape
    (3, 2, 3)
    """
    centre = np.full(n_classes, 1 / n_classes)
    middles = [np.eye(n_classes)[[i, j]].mean(axis=0) for i, j in combinations(range(n_classes), 2)]
    return np.array([[centre, middle] for middle in middles])


def second_borders(n_classes: int) -> Floats:
    """Segments, in memberships, between objects that differ only in the second class.

    From the centroid to every corner, where the assigned class is fixed and the others are equally
    likely.  Shape (n_segments, 2, n_classes).
    """
    centre = np.full(n_classes, 1 / n_classes)
    return np.array([[centre, corner] for corner in np.eye(n_classes)])


def simplex_grid(step: float = 0.1) -> Floats:
    """Lines of equal membership in a triangle, in memberships: shape (n_lines, 2, 3).

    Examples
    --------
    >>> simplex_grid(0.5)[0].tolist()
    [[0.5, 0.0, 0.5], [0.5, 0.5, 0.0]]
    """
    lines = []
    for fixed in range(3):
        first, second = (i for i in range(3) if i != fixed)
        for value in np.arange(1, round(1 / step)) * step:
            ends = np.zeros((2, 3))
            ends[:, fixed] = value
            ends[0, second] = ends[1, first] = 1 - value
            lines.append(ends)
    return np.array(lines)


def edges(n_classes: int) -> Floats:
    """The edges of the simplex, in memberships: shape (n_edges, 2, n_classes)."""
    eye = np.eye(n_classes)
    return np.array([[eye[i], eye[j]] for i, j in combinations(range(n_classes), 2)])
