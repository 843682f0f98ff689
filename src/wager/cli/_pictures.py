"""Pictures that commands draw to files: the critical-difference diagram, and a scatter plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wager._typing import Floats

ENDINGS = (".png", ".svg", ".pdf")


def check_picture(path: Path | None) -> None:
    """Raise an error before the work begins if a picture cannot have this name."""
    if path is not None and path.suffix.lower() not in ENDINGS:
        raise ValueError(
            f"{path}: a picture is a PNG, SVG or PDF file: end its name in {', '.join(ENDINGS)}"
        )


def draw_critical_differences(
    scores: Mapping[str, Floats],
    learners: Sequence[str],
    path: Path,
    *,
    alpha: float = 0.05,
    lower_is_better: Sequence[str] = (),
) -> None:
    """Draw a critical-difference diagram for each measure, below each other.

    Parameters
    ----------
    scores : mapping of measure to array of shape (n_datasets, n_learners)
        The scores of data sets on which every learner has one.
    learners : sequence of str
        The columns; two of them are drawn as a scatter plot, because they have no such diagram.
    path : Path
        A PNG, SVG or PDF file.
    alpha : float, default=0.05
        The level of Nemenyi's test.
    lower_is_better : sequence of str
        The measures of which smaller values are better.
    """
    from wager.compare import nemenyi
    from wager.plots import plot_critical_difference, save

    if len(learners) == 2:
        first, second = learners
        draw_scatter(scores, (first, second), path, lower_is_better=lower_is_better)
        return
    found = {
        measure: nemenyi(
            values,
            names=learners,
            alpha=alpha,
            higher_is_better=measure not in lower_is_better,
        )
        for measure, values in scores.items()
    }
    figure, axes = _figure(len(found), (7.0, 1.6 + 0.2 * len(learners)))
    for ax, (measure, comparison) in zip(axes, found.items(), strict=True):
        plot_critical_difference(comparison, ax)
        ax.set_title(_plain(f"mean ranks by {measure} on {comparison.n_datasets} data sets"))
    save(figure, path)


def draw_scatter(
    scores: Mapping[str, Floats],
    learners: tuple[str, str],
    path: Path,
    *,
    lower_is_better: Sequence[str] = (),
) -> None:
    """Draw the scores of two learners against each other, one point per data set.

    Parameters are those of `draw_critical_differences`, with two columns.
    """
    from wager.plots import plot_scatter, save

    figure, axes = _figure(len(scores), (4.8, 4.8))
    for ax, (measure, values) in zip(axes, scores.items(), strict=True):
        word = "higher" if measure in lower_is_better else "better"
        first, second = values.T
        plot_scatter(first, second, ax, names=learners, score=_plain(measure), word=word)
    save(figure, path)


def _figure(number: int, size: tuple[float, float]) -> tuple[Any, Any]:
    """A figure and its Axes, one below another."""
    from wager.plots import plain_figure

    width, height = size
    figure = plain_figure((width, height * number))
    return figure, figure.subplots(number, 1, squeeze=False)[:, 0]


def _plain(text: str) -> str:
    """Text that matplotlib does not read as a formula."""
    return text.replace("$", r"\$")
