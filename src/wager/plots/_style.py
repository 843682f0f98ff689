"""Colours, lines, markers and figures that all plots share, readable in print and if colour-blind.

A plot without ``ax`` makes its figure through pyplot, so that notebooks show it; what is drawn only
to be saved is drawn on a plain figure, which needs no closing.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wager._atomic import replacing
from wager._visible import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The palette of Okabe & Ito (2008) without yellow, which is hardly visible on white paper, and five
# colours as far from those and from each other as they are, also to colour-blind readers.
COLOURS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000"),
    *("#8000FF", "#661A00", "#B3B366", "#1A0080", "#4D1A4D"),
)
LINES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
MOST_IN_LEGEND = 5  # lines that a legend explains; more are named where they end
CONTRAST = 4.5  # of text on white, the least that the accessibility guidelines allow
LONGEST_NAME = 36  # characters


def series_colour(i: int) -> str:
    """The colour of the i-th series; colours repeat after the twelfth."""
    return COLOURS[i % len(COLOURS)]


def series_line(i: int) -> str:
    """The line style of the i-th series; it changes with the colour, so lines differ in grey."""
    return LINES[(i + i // len(COLOURS)) % len(LINES)]


def series_marker(i: int) -> str:
    """The marker of the i-th series."""
    return MARKERS[i % len(MARKERS)]


def text_colour(i: int) -> str:
    """The colour of text about the i-th series, darkened where it would be too pale to read.

    Examples
    --------
    >>> text_colour(0), text_colour(4)
    ('#0072b2', '#3b7ca1')
    """
    from matplotlib.colors import to_hex, to_rgb

    red, green, blue = to_rgb(series_colour(i))
    share = 1.0
    while 1.05 / (_luminance((share * red, share * green, share * blue)) + 0.05) < CONTRAST:
        share -= 0.01
    return to_hex((share * red, share * green, share * blue))


def _luminance(rgb: Sequence[float]) -> float:
    """Relative luminance, as the Web Content Accessibility Guidelines define it."""
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def shown_figure(figsize: tuple[float, float]) -> Figure:
    """A new figure that notebooks and ``plt.show()`` show."""
    from matplotlib import pyplot as plt

    return plt.figure(figsize=figsize, layout="constrained")


def plain_figure(figsize: tuple[float, float]) -> Figure:
    """A new figure to be saved, which pyplot does not know: nothing shows it or must close it."""
    from matplotlib.figure import Figure

    return Figure(figsize=figsize, layout="constrained")


def axes_or_new(ax: Axes | None = None, figsize: tuple[float, float] = (6.0, 4.0)) -> Axes:
    """The Axes to draw on: the given one, or the Axes of a new figure that notebooks show."""
    return shown_figure(figsize).subplots() if ax is None else ax


def plain_text(name: Any) -> str:
    r"""A name as plain text: matplotlib would read text between dollar signs as a formula.

    Control characters, which no font has, are spelt out.

    Examples
    --------
    >>> print(plain_text("$5"))
    \$5
    """
    return visible(str(name)).replace("$", r"\$")


def short_text(name: Any, longest: int = LONGEST_NAME) -> str:
    """A name as plain text that is not too long for a plot: its start and its end.

    Examples
    --------
    >>> short_text("histogram gradient boosting", 16)
    'histogra…oosting'
    """
    text = " ".join(str(name).split())
    if len(text) > longest:
        end = (longest - 1) // 2
        text = f"{text[: longest - 1 - end]}…{text[-end:]}"
    return plain_text(text)


def set_text(labels: Sequence[Any], longest: int = LONGEST_NAME) -> str:
    """A set of classes as plain text: {a, b}.

    Examples
    --------
    >>> set_text(("a", "b"))
    '{a, b}'
    """
    return "{" + ", ".join(short_text(label, longest) for label in labels) + "}"


def style_axes(ax: Any) -> None:
    """Hide the top and right side of the frame, and draw a light grid behind the data."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(True, color="0.92", linewidth=0.8)
    ax.set_axisbelow(True)


def save(drawn: Any, path: str | PathLike[str], **options: Any) -> None:
    """Write a figure, or the figure of some Axes, in one step: no partial file is ever visible.

    The text of an SVG file stays text, and the same figure gives the same file.

    Parameters
    ----------
    drawn : matplotlib Figure or Axes
        What to write.
    path : path
        A PNG, SVG or PDF file.
    **options
        Passed to ``savefig``; 160 dots per inch by default.
    """
    from matplotlib import rc_context

    if not hasattr(getattr(drawn, "figure", None), "savefig"):
        raise TypeError(
            "drawn must be the Axes that a plot returned, or a Figure, got a "
            f"{type(drawn).__name__}"
        )
    kind = Path(path).suffix.removeprefix(".").lower() or "png"
    undated: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind, {})
    settings: dict[str, Any] = {"dpi": 160, "format": kind, "metadata": undated, **options}
    with replacing(path) as draft, rc_context({"svg.fonttype": "none", "svg.hashsalt": "wager"}):
        drawn.figure.savefig(draft, **settings)
