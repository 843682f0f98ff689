"""Colours and marks that every picture shares: told apart in print and by colour-blind readers."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wager._atomic import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe & Ito's palette (2008), yellow left out: it is lost on white paper.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
LINES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def colour(i: int) -> str:
    """The i-th colour, starting over after the last."""
    return COLOURS[i % len(COLOURS)]


def line(i: int) -> str:
    """The i-th line style; it changes with every colour, so lines differ in grey as well."""
    return LINES[i % len(LINES)]


def marker(i: int) -> str:
    """The i-th marker."""
    return MARKERS[i % len(MARKERS)]


def axes(ax: Axes | None = None, figsize: tuple[float, float] = (6.0, 4.0)) -> Axes:
    """The Axes to draw on: the given one, or that of a new figure."""
    if ax is not None:
        return ax
    from matplotlib.figure import Figure

    return Figure(figsize=figsize, layout="constrained").subplots()


def written(name: Any) -> str:
    r"""A name as plain text: matplotlib would read what stands between dollar signs as formulas.

    Examples
    --------
    >>> print(written("$5"))
    \$5
    """
    return str(name).replace("$", r"\$")


def plain(ax: Any) -> None:
    """Leave out the frame's upper and right side, and put a light grid behind."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(True, color="0.92", linewidth=0.8)
    ax.set_axisbelow(True)


def save(drawn: Any, path: str | PathLike[str], **options: Any) -> None:
    """Write a figure, or the figure of axes, so that a reader never sees half of it."""
    kind = Path(path).suffix.removeprefix(".") or "png"
    with replacing(path) as draft:
        drawn.figure.savefig(draft, **{"dpi": 160, "format": kind, **options})
