"""The area of ignorance: test rows on which the credal classifier names several classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from wager._typing import Floats
from wager.rewards import PairedTally, UtilityLike, rows_of_ignorance

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["OnIgnorance", "credal_and_precise", "draw_utilities"]


def credal_and_precise() -> dict[str, dict[str, Any]]:
    """The naive credal classifier with its exact dominance, and naive Bayes."""
    return {"NCC": {"learner": "naive-credal"}, "NBC": {"learner": "naive-bayes"}}


@dataclass(frozen=True)
class OnIgnorance:
    """How a precise classifier fared on another's area of ignorance.

    Attributes
    ----------
    paired : PairedTally
        Of the rows on which the credal one is indeterminate.
    n : float
        The number of all rows.
    """

    paired: PairedTally
    n: float

    @classmethod
    def of(cls, paired: Sequence[PairedTally]) -> Self:
        """From tallies of the credal and the precise classifier on the same rows."""
        whole: PairedTally = sum(paired)  # type: ignore[assignment]
        return cls(rows_of_ignorance(whole), whole.n)

    @property
    def share(self) -> float:
        """The part of all rows that the area has."""
        return self.paired.n / self.n

    @property
    def accuracy(self) -> float:
        """How often the precise classifier is right there; NaN where the area is empty."""
        return self.paired.b.expected_utility("u50") if self.paired.n else float("nan")

    def gain(self, utility: UtilityLike) -> float:
        """How much more, in relation, the credal one earns there; NaN where the other earns 0."""
        if not self.paired.n or self.accuracy == 0:
            return float("nan")
        earned = self.paired.a.expected_utility(utility)
        return earned / self.paired.b.expected_utility(utility) - 1


def draw_utilities(
    sizes: Sequence[int],
    u50: Sequence[Floats],
    u65: Sequence[Floats],
    title: str,
    more: Mapping[str, Floats] = {},
) -> Figure:
    """Discounted accuracy and utility of both classifiers against the training size.

    ``u50`` and ``u65`` hold the scores of naive Bayes and of the credal classifier, ``more`` those
    of other learners by name.
    """
    from wager.plots import axes_or_new, series_colour, series_line, series_marker, style_axes

    ax = axes_or_new(None, (6.4, 4.0))
    curves = (
        ("NBC, accuracy (and utility)", u50[0]),
        ("NCC, discounted accuracy", u50[1]),
        ("NCC, u65", u65[1]),
        *more.items(),
    )
    for i, (label, values) in enumerate(curves):
        ax.plot(sizes, values, series_line(i), color=series_colour(i), marker=series_marker(i), label=label)
    ax.set_xlabel("training rows")
    ax.set_ylabel("expected utility")
    ax.set_title(title)
    ax.legend(frameon=False)
    style_axes(ax)
    return ax.figure  # type: ignore[return-value]
