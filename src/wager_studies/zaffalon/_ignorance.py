"""The area of ignorance: the test rows on which a credal classifier returns several classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from wager._typing import Floats
from wager.rewards import PairedTally, UtilityLike, rows_of_ignorance
from wager_studies._figures import line_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["OnIgnorance", "credal_and_precise", "draw_utilities"]


def credal_and_precise() -> dict[str, dict[str, Any]]:
    """The naive credal classifier with exact dominance, and naive Bayes."""
    return {"NCC": {"learner": "naive-credal"}, "NBC": {"learner": "naive-bayes"}}


@dataclass(frozen=True)
class OnIgnorance:
    """A credal and a precise classifier on the area of ignorance of the credal one.

    Attributes
    ----------
    paired : PairedTally
        The rows on which the credal classifier is indeterminate.
    n : float
        The number of all rows.
    """

    paired: PairedTally
    n: float

    @classmethod
    def of(cls, paired: Sequence[PairedTally]) -> Self:
        """Build it from paired tallies of the credal and the precise classifier."""
        whole: PairedTally = sum(paired)  # type: ignore[assignment]
        return cls(rows_of_ignorance(whole), whole.n)

    @property
    def share(self) -> float:
        """The share of all rows in the area."""
        return self.paired.n / self.n

    @property
    def accuracy(self) -> float:
        """The accuracy of the precise classifier in the area; NaN if the area is empty."""
        return self.paired.b.expected_utility("u50") if self.paired.n else float("nan")

    def gain(self, utility: UtilityLike) -> float:
        """The relative gain of the credal classifier; NaN if the precise one earns nothing."""
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

    ``u50`` and ``u65`` are the scores of naive Bayes and of the credal classifier, ``more`` are
    those of other learners by label.
    """
    curves = {
        "NBC, accuracy (and utility)": u50[0],
        "NCC, discounted accuracy": u50[1],
        "NCC, u65": u65[1],
        **more,
    }
    return line_figure(sizes, curves, title=title)
