"""A simplex as one interactive HTML page, without other files or network access.

The page and the section of a report that shows memberships share one script, ``_simplex.js``.  A
Content-Security-Policy forbids every request and allows that script and the style by their hashes
alone, so that no name of a class can run as code.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from base64 import b64encode
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from wager._atomic import replacing
from wager._tables import require_kind
from wager._visible import visible
from wager.partitions import StandardizedPartition
from wager.plots._simplex_content import check_partition, correctness_by_class

_HEIGHT = 780  # pixels of the page in a notebook
_DIGITS = 4  # of memberships
_PLACE = re.compile("__(TITLE|POLICY|STYLE|DATA|SCRIPT)__")


class SimplexPage(str):
    """The text of a page, which notebooks show as the page itself.

    Examples
    --------
    >>> page = SimplexPage("<p>a</p>")
    >>> page.upper(), "srcdoc" in page._repr_html_()
    ('<P>A</P>', True)
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        """The page in a frame, in which its script can reach nothing of the notebook.

        One line: programs that indent or trim lines would change the script and so its hash.
        """
        line = html.escape(self).replace("\n", "&#10;").replace("\t", "&#9;")
        return (
            f'<iframe srcdoc="{line}" sandbox="allow-scripts" title="Simplex" '
            f'width="100%" height="{_HEIGHT}" frameborder="0"></iframe>'
        )


def simplex_html(
    partition: StandardizedPartition, path: str | Path | None = None, *, title: str = "Partition"
) -> SimplexPage:
    """Write an interactive page of the simplex of a partition.

    The page is self-contained.  It shows the memberships before and after scaling, the distances to
    the corners of the true or assigned classes, and the row under the pointer; four classes can be
    turned.  A notebook shows the result as the page itself.

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
    >>> import numpy as np
    >>> from wager.partitions import standardize
    >>> partition = standardize([0, 1, 2, 3], np.eye(4) * 0.6 + 0.1)
    >>> "<h1><bdi>four classes</bdi></h1>" in simplex_html(partition, title="four classes")
    True
    """
    check_partition(partition, "simplex_html")
    require_kind(title, "title", str)
    script, style = _script(), _read("_simplex.css")
    filled = {
        "TITLE": html.escape(visible(title)),
        "POLICY": (
            f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
            "base-uri 'none'; form-action 'none'"
        ),
        "STYLE": style,
        "DATA": _embedded(_content(partition)),
        "SCRIPT": script,
    }
    page = _PLACE.sub(lambda place: filled[place[1]], _read("_simplex.html"))
    if path is not None:
        with replacing(path) as draft:
            draft.write_text(page, encoding="utf-8")
    return SimplexPage(page)


def simplex_script() -> str:
    """The script that draws a simplex, which adds ``simplex`` to an object ``wager``."""
    return _read("_simplex.js")


@cache
def _script() -> str:
    """The script of the page: the drawing, and its start."""
    start = "globalThis.wager = wager;\nwager.simplex.start();"
    body = f"const wager = {{}};\n{simplex_script()}\n{start}"
    return f'(() => {{\n"use strict";\n{body}\n}})();\n'


def _content(partition: StandardizedPartition) -> dict[str, Any]:
    n_classes = len(partition.classes)
    if n_classes not in (3, 4):
        raise ValueError(f"the simplex page needs 3 or 4 classes, got {n_classes}")
    kinds = {
        "scaled": ("scaled", partition.scaled, partition.measures),
        "before": ("before scaling", partition.memberships, partition.measures_before),
    }
    return {
        "classes": [str(label) for label in partition.classes],
        "kinds": {
            key: {
                "title": title,
                "points": points.round(_DIGITS).tolist(),
                "measures": {
                    "accuracy": measures.accuracy,
                    "separation": measures.separation,
                    "correctness": measures.correctness,
                },
            }
            for key, (title, points, measures) in kinds.items()
        },
        "truth": partition.truth.tolist(),
        "assigned": partition.assigned.tolist(),
        "rates": correctness_by_class(partition),
        "n": len(partition.truth),
        "rows": None,
    }


def _embedded(data: Any) -> str:
    """Plain data as JSON in which no text can end the element around it."""
    text = json.dumps(data, allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _digest(text: str) -> str:
    """How a policy names a script or a style that may be used."""
    return "sha256-" + b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _read(name: str) -> str:
    return files("wager.plots").joinpath(name).read_text(encoding="utf-8")
