"""Colours, lines, markers and axes that all plots share, readable in print and if colour-blind."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wager._atomic import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# the palette of Okabe & Ito (2008) without yellow, which is hardly visible on white paper
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
LINES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def series_colour(i: int) -> str:
    """The colour of the i-th series; colours repeat after the last one."""
    return COLOURS[i % len(COLOURS)]


def series_line(i: int) -> str:
    """The line style of the i-th series; it changes with the colour, so lines differ in grey."""
    return LINES[i % len(LINES)]


def series_marker(i: int) -> str:
    """The marker of the i-th series."""
    return MARKERS[i % len(MARKERS)]


def axes_or_new(ax: Axes | None = None, figsize: tuple[float, float] = (6.0, 4.0)) -> Axes:
    """The Axes to draw on: the given one, or the Axes of a new figure."""
    if ax is not None:
        return ax
    from matplotlib.figure import Figure

    return Figure(figsize=figsize, layout="constrained").subplots()


def plain_text(name: Any) -> str:
    r"""A name as plain text: matplotlib would read text between dollar signs as a formula.

    Examples
    --------
    >>> print(plain_text("$5"))
    \$5
    """
    return str(name).replace("$", r"\$")


def set_text(labels: Sequence[Any]) -> str:
    """A set of classes as plain text: {a, b}.

    Examples
    --------
    >>> set_text(("a", "b"))
    '{a, b}'
    """
    return "{" + ", ".join(map(plain_text, labels)) + "}"


def style_axes(ax: Any) -> None:
    """Hide the top and right side of the frame, and draw a light grid behind the data."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(True, color="0.92", linewidth=0.8)
    ax.set_axisbelow(True)


def save(drawn: Any, path: str | PathLike[str], **options: Any) -> None:
    """Write a figure, or the figure of some Axes, in one step: no partial file is ever visible."""
    kind = Path(path).suffix.removeprefix(".") or "png"
    with replacing(path) as draft:
        drawn.figure.savefig(draft, **{"dpi": 160, "format": kind, **options})
