"""A simplex as one HTML page that can be rotated, without other files or network access."""

from __future__ import annotations

import html
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from wager._atomic import replacing
from wager._typing import Floats
from wager.partitions import StandardizedPartition
from wager.plots._simplex_content import check_partition, correctness_by_class
from wager.plots._simplex_geometry import (
    corners,
    edges,
    region_borders,
    second_borders,
    simplex_coordinates,
)
from wager.plots._style import series_colour


def simplex_html(
    partition: StandardizedPartition, path: str | Path | None = None, *, title: str = "Partition"
) -> str:
    """Write a page in which the simplex of a partition can be rotated.

    The page is self-contained.  It shows the memberships before and after scaling, the distances to
    the corners of the true or assigned classes, and the row under the pointer.

    Parameters
    ----------
    partition : StandardizedPartition
        The result of `standardize`, for three or four classes.
    path : path, optional
        Where to write the page.
    title : str
        The heading of the page.

    Returns
    -------
    str
        The page.

    Examples
    --------
    >>> from wager.partitions import standardize
    >>> partition = standardize([0, 1, 2, 3], np.eye(4) * 0.6 + 0.1)
    >>> "<canvas" in simplex_html(partition, title="four classes")
    True
    """
    check_partition(partition, "simplex_html")
    data = json.dumps(_content(partition), allow_nan=False)
    for character in "<>&\u2028\u2029":  # no class name may end the script element
        data = data.replace(character, f"\\u{ord(character):04x}")
    page = files("wager.plots").joinpath("_simplex.html").read_text(encoding="utf-8")
    filled = {"__TITLE__": html.escape(title), "__DATA__": data}
    page = re.sub("|".join(filled), lambda place: filled[place.group()], page)
    if path is not None:
        with replacing(path) as draft:
            draft.write_text(page, encoding="utf-8")
    return page


def _content(partition: StandardizedPartition) -> dict[str, Any]:
    n_classes = len(partition.classes)
    if n_classes not in (3, 4):
        raise ValueError(f"the simplex page needs 3 or 4 classes, got {n_classes}")
    place = corners(n_classes)
    memberships = {"scaled": partition.scaled, "before": partition.memberships}
    measures = {"scaled": partition.measures, "before": partition.measures_before}
    return {
        "classes": [str(label) for label in partition.classes],
        "colours": [series_colour(code) for code in range(n_classes)],
        "rates": correctness_by_class(partition),
        "centre": _in_space(place.mean(axis=0)[None])[0],
        "corners": _in_space(place),
        "edges": _in_space(edges(n_classes) @ place),
        "borders": _in_space(region_borders(n_classes) @ place),
        "seconds": _in_space(second_borders(n_classes) @ place),
        "places": {k: _in_space(simplex_coordinates(m)) for k, m in memberships.items()},
        "memberships": {k: m.round(4).tolist() for k, m in memberships.items()},
        "truth": partition.truth.tolist(),
        "assigned": partition.assigned.tolist(),
        "measures": {
            k: {
                "accuracy": m.accuracy,
                "separation": m.separation,
                "correctness": m.correctness,
            }
            for k, m in measures.items()
        },
    }


def _in_space(places: Floats) -> Any:
    """Rounded coordinates in three dimensions; a triangle stands upright."""
    if places.shape[-1] == 2:
        flat = np.zeros((*places.shape[:-1], 1))
        places = np.concatenate([places[..., :1], flat, places[..., 1:]], axis=-1)
    return places.round(4).tolist()
