"""What the answers say about the value of sets of one size."""

from __future__ import annotations

from dataclasses import dataclass

from wager._tables import ViewedFields
from wager._typing import Floats
from wager.rewards._staircase import Answered, interval, median


@dataclass(frozen=True, repr=False)
class Bracket(ViewedFields):
    """An interval for the value of a set.

    Attributes
    ----------
    size : int
        The number of classes in the set.
    low, high : float
        The ends of the interval: of the posterior distribution, after an interview.
    answers : tuple of (chance, answer)
        The questions and their answers, in order.
    contradiction : str
        Answers that contradict each other, in words; empty if there are none.
    estimate : float, optional
        The median of the posterior distribution.
    """

    size: int
    low: float
    high: float
    answers: Answered = ()
    contradiction: str = ""
    estimate: float | None = None

    @classmethod
    def of(cls, size: int, answers: Answered, worth: Floats, level: float) -> Bracket:
        """The bracket from the answers and the posterior distribution of the value."""
        low, high = interval(worth, level)
        return cls(size, low, high, answers, _contradiction(size, answers), median(worth))

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the interval."""
        return self.low, self.high

    @property
    def value(self) -> float:
        """The estimate; without one, the middle of the interval."""
        return (self.low + self.high) / 2 if self.estimate is None else self.estimate


def _contradiction(size: int, answers: Answered) -> str:
    """The two answers that contradict each other most: the same question, or wrong order."""
    if not answers:
        return ""
    last, now = answers[-1]
    before = dict(reversed(answers[:-1])).get(last)
    if {before, now} == {"set", "chance"}:
        return f"a set of {size} classes or a chance of {last:.0%}: first {before}, then {now}"
    taken = max((chance for chance, word in answers if word == "set"), default=0.0)
    refused = min((chance for chance, word in answers if word == "chance"), default=1.0)
    if taken > refused:
        return (
            f"you preferred a set of {size} classes to a chance of {taken:.0%}, but a chance of "
            f"{refused:.0%} to the set"
        )
    return ""
