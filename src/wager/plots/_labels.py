"""Names in plots: measured, wrapped, and placed so that they do not cover each other."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._tables import require_kind
from wager._typing import ArrayLike, Floats
from wager.plots._style import MOST_IN_LEGEND, text_colour

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "height_of",
    "label_lines",
    "legend_above_lines",
    "name_lines",
    "name_ticks",
    "non_decreasing",
    "set_title",
    "text_size",
    "text_width",
    "width_of",
    "wrapped",
]

_LINE = 1.3  # height of a line of text, in its font size
_SMALLEST = 5.0  # points
_MOST_PER_INCH = 200  # letters of a line that is measured at all


def width_of(ax: Axes) -> float:
    """The width of the Axes in inches, before the layout of the figure makes room for labels."""
    return float(ax.get_window_extent().width / ax.figure.dpi)


def height_of(ax: Axes) -> float:
    """The height of the Axes in inches, before the layout of the figure makes room for labels."""
    return float(ax.get_window_extent().height / ax.figure.dpi)


def text_size(size: Any = None) -> float:
    """A font size, such as "small", in points; the usual one by default."""
    from matplotlib.font_manager import FontProperties

    return float(FontProperties(size=size).get_size_in_points())


def text_width(text: str, size: Any = None, weight: str = "normal") -> float:
    """The width of the longest line of a text, in inches."""
    points = text_size(size)
    return max(_points(line, weight) for line in text.split("\n")) * points / 10 / 72


@lru_cache(maxsize=4096)
def _points(line: str, weight: str) -> float:
    """The width of a line in points, at a font size of 10."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    if not line.strip():
        return 3.0 * len(line)
    # the outlines of letters have their points at the extremes: no curve goes beyond them
    outline = TextPath((0, 0), line, prop=FontProperties(size=10, weight=weight))
    return float(np.asarray(outline.vertices)[:, 0].max())


def wrapped(text: str, inches: float, size: Any = None, weight: str = "normal") -> str:
    """Break a text between words, and long words, into lines that are not wider than a limit.

    Examples
    --------
    >>> print(wrapped("a rather long title", 1.0))
    a rather long
    title
    """
    longest = int(_MOST_PER_INCH * (inches + 1))

    def fits(line: str) -> bool:
        return len(line) <= longest and text_width(line, size, weight) <= inches

    lines: list[str] = []
    for paragraph in text.split("\n"):
        lines.append("")
        for word in paragraph.split(" "):
            if fits(f"{lines[-1]} {word}".strip()):
                lines[-1] = f"{lines[-1]} {word}".strip()
                continue
            if lines[-1]:
                lines.append("")
            rest = word
            while not fits(rest) and len(rest) > 1:
                part = (
                    bisect(range(2, min(len(rest), longest)), 0, key=lambda n: not fits(rest[:n]))
                    + 1
                )
                lines[-1:] = [rest[:part], ""]
                rest = rest[part:]
            lines[-1] = rest
    return "\n".join(lines)


def set_title(ax: Axes, text: str, **options: Any) -> None:
    """Give the Axes a title, in lines that are not wider than the Axes."""
    from matplotlib import rcParams

    require_kind(text, "title", str)
    size = rcParams["axes.titlesize"]
    ax.set_title(wrapped(text, width_of(ax), size), fontsize=size, **options)


def name_ticks(ax: Axes, names: Sequence[str], inches: float) -> None:
    """Name the places 0, 1, ... of the x axis; names too wide to stand side by side are slanted."""
    points, space = text_size(), inches / len(names)
    style: dict[str, Any] = {}
    if max(text_width(name) for name in names) > 0.92 * space:
        steep = space * 72 < 1.8 * points
        style = {"rotation": 90 if steep else 35, "rotation_mode": "anchor", "ha": "right"}
        style["va"] = "center" if steep else "top"
    ax.set_xticks(range(len(names)), list(names), **style)


def name_lines(ax: Axes, names: Sequence[str], xs: ArrayLike, ys: ArrayLike) -> None:
    """Name the lines of a plot: in a legend, or where they end if there are more than five.

    The Axes must have its final limits.
    """
    if len(names) <= MOST_IN_LEGEND:
        ax.legend(frameon=False)
    else:
        label_lines(ax, names, xs, ys)


def legend_above_lines(ax: Axes, names: Sequence[str], inches: float) -> None:
    """A legend in one or two columns at the top of the Axes, where room is made for it.

    Parameters
    ----------
    ax : matplotlib Axes
        With its final limits, but for that room.
    names : sequence of str
        The labels of the lines.
    inches : float
        The width of the Axes.
    """
    points = text_size()
    columns = 2 if max(text_width(name) for name in names) + 6 * points / 72 < inches / 2 else 1
    rows = -(-len(names) // columns)
    share = min(0.5, points * (1.5 * rows + 0.8) / 72 / height_of(ax))
    bottom, top = ax.get_ylim()
    ax.set_ylim(bottom, top + (top - bottom) * share / (1 - share))
    ax.legend(frameon=False, loc="upper left", ncols=columns, borderaxespad=0.2)


def label_lines(
    ax: Axes,
    names: Sequence[str],
    xs: ArrayLike,
    ys: ArrayLike,
    *,
    size: Any = "small",
    colours: Sequence[str] | None = None,
) -> None:
    """Write the name of each line to the right of the Axes, joined to the point where it ends.

    Parameters
    ----------
    ax : matplotlib Axes
        With its final limits.
    names : sequence of str
        The i-th name has the colour of the i-th series.
    xs, ys : array-like of float
        Where the lines end.
    size : font size, default="small"
        Made smaller if there are too many names for the height of the Axes.
    colours : sequence of str, optional
        Other colours of the names.
    """
    height = height_of(ax) * 72
    points = max(_SMALLEST, min(text_size(size), height / len(names) / _LINE))
    ends = ax.transAxes.inverted().transform(ax.transData.transform(np.transpose([xs, ys])))
    heights = np.clip(ends[:, 1], 0, 1)
    for i, at in enumerate(_spread(heights, _LINE * points / height)):
        ink = text_colour(i) if colours is None else colours[i]
        ax.annotate(
            names[i], (ends[i, 0], heights[i]), (1.04, float(at)),
            xycoords="axes fraction", textcoords="axes fraction", annotation_clip=False,
            ha="left", va="center", fontsize=points, color=ink,
            arrowprops={"arrowstyle": "-", "color": ink, "linewidth": 0.7, "shrinkA": 2,
                        "shrinkB": 0, "relpos": (0, 0.5)},
        )  # fmt: skip


def _spread(wanted: Floats, gap: float) -> Floats:
    """Places near the wanted ones, in the same order, at least a gap apart and inside [0, 1]."""
    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(len(wanted))
    room = max(0.0, 1 - steps[-1])  # the lowest place may move by this
    places = np.empty(len(wanted))
    places[order] = np.clip(non_decreasing(wanted[order] - steps), 0, room) + steps
    return places


def non_decreasing(values: Any) -> Floats:
    """The nearest non-decreasing sequence: runs that would decrease get their mean.

    Examples
    --------
    >>> non_decreasing([1, 3, 2, 4]).tolist()
    [1.0, 2.5, 2.5, 4.0]
    """
    blocks: list[list[float]] = []  # mean, length
    for value in values:
        blocks.append([float(value), 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            mean, size = blocks.pop()
            before, more = blocks[-1]
            blocks[-1] = [(mean * size + before * more) / (size + more), size + more]
    return np.concatenate([np.full(int(size), mean) for mean, size in blocks])
