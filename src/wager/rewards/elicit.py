"""Elicit a person's utility of sets of classes with a few questions.

Which do you prefer: a set of two classes that always contains the right one, or the right class
alone with a probability of q?  A person who is indifferent has u(1/2) = q, because the right class
is worth 1 and a miss 0.  A session finds that q by bisection, for one set size after another, and
repeats a few questions: contradictory answers widen the bracket and are reported.

    session = Session(n_classes=3)
    while session.question is not None:
        session = session.answer(input(f"{session.question} "))
    session.result().utility().name
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Literal, get_args

from wager.rewards._elicited import Bracket, Elicited, Fit

__all__ = ["Bracket", "Elicited", "Fit", "Question", "Session", "interview"]

Answer = Literal["set", "chance", "same"]
_ALL_UP_TO = 4  # larger sizes are skipped in part: their values are close together
_FINEST = 0.02  # chances are whole percentages, so brackets cannot be narrower


@dataclass(frozen=True)
class Question:
    """A choice between a set that contains the right class and a chance of that class alone.

    Attributes
    ----------
    size : int
        The number of classes in the set.
    chance : float
        The chance of the right class alone, in whole percentages.
    again : bool
        Whether it has been asked before.

    Examples
    --------
    >>> print(Question(2, 0.75))
    a set of 2 classes that always contains the right one, or the right class alone with a chance
    of 75%?
    """

    size: int
    chance: float
    again: bool = False

    def __str__(self) -> str:
        return (
            f"a set of {self.size} classes that always contains the right one, or the right class "
            f"alone with a chance of {100 * self.chance:.0f}%?"
        )


@dataclass(frozen=True)
class Session:
    """The state of an interview: the answers so far, which determine the next question.

    Parameters
    ----------
    n_classes : int
        The number of classes, at least 2.
    sizes : sequence of int, optional
        The set sizes to ask about: by default 2, 3, 4, then sizes that grow by about half, and
        all classes.
    resolution : float, default=0.05
        The width of the bracket of a value at which the session continues with the next size.
    check : bool, default=True
        Whether to repeat one question of each size.
    answers : tuple of {"set", "chance", "same"}
        The answers so far, to resume an interrupted session.

    Examples
    --------
    >>> session = Session(n_classes=2)
    >>> while session.question is not None:  # a person who values a set of two at 0.65
    ...     session = session.answer("set" if session.question.chance < 0.65 else "chance")
    >>> len(session.answers), session.result().brackets[0].low, session.result().brackets[0].high
    (5, 0.62, 0.66)
    """

    n_classes: int
    sizes: Sequence[int] | None = None
    resolution: float = 0.05
    check: bool = True
    answers: tuple[Answer, ...] = ()

    def __post_init__(self) -> None:
        if self.n_classes < 2:
            raise ValueError(f"a choice needs at least 2 classes, got {self.n_classes}")
        if not _FINEST <= self.resolution <= 0.5:
            raise ValueError(f"resolution must lie in [{_FINEST}, 0.5], got {self.resolution!r}")
        sizes = tuple(_sizes(self.n_classes) if self.sizes is None else sorted(set(self.sizes)))
        if not sizes or sizes[0] < 2 or sizes[-1] > self.n_classes:
            raise ValueError(
                f"sizes must be whole numbers from 2 to n_classes ({self.n_classes}), got {sizes}"
            )
        object.__setattr__(self, "sizes", sizes)
        for word in self.answers:
            _check(word)
        self._replay()

    @property
    def question(self) -> Question | None:
        """The next question; None at the end of the session."""
        asked = self._replay()
        return asked if isinstance(asked, Question) else None

    def answer(self, word: str) -> Session:
        """The session after the answer "set", "chance" or "same" to its question."""
        return replace(self, answers=(*self.answers, _check(word)))

    def result(self) -> Elicited:
        """The result of the session, after the last answer."""
        found = self._replay()
        if isinstance(found, Question):
            raise ValueError(
                f"the session is not over after {len(self.answers)} answers: answer the question"
            )
        return Elicited(self.n_classes, tuple(found), len(self.answers))

    def _replay(self) -> Question | list[Bracket]:
        """The next question, or the brackets at the end, from the answers so far."""
        assert self.sizes is not None
        asking = _questions(self.sizes, self.resolution, self.check)
        question = next(asking)
        for place, word in enumerate(self.answers, start=1):
            try:
                question = asking.send(word)
            except StopIteration as end:
                if place < len(self.answers):
                    raise ValueError(
                        f"there are {len(self.answers)} answers but only {place} questions: remove "
                        "the rest"
                    ) from None
                return end.value
        return question


def interview(
    ask: Callable[[Question], str],
    n_classes: int,
    *,
    sizes: Sequence[int] | None = None,
    resolution: float = 0.05,
    check: bool = True,
) -> Elicited:
    """Ask every question with the function ``ask``, which returns "set", "chance" or "same".

    Examples
    --------
    >>> found = interview(lambda question: "set" if question.chance < 0.65 else "chance", 2)
    >>> found.utility("quadratic").name
    'u64'
    """
    session = Session(n_classes, sizes, resolution, check)
    while (question := session.question) is not None:
        session = session.answer(ask(question))
    return session.result()


Asking = Generator[Question, Answer, Bracket]


def _questions(
    sizes: Sequence[int], resolution: float, check: bool
) -> Generator[Question, Answer, list[Bracket]]:
    """The interview: yields questions, receives answers, and returns the brackets at the end."""
    brackets: list[Bracket] = []
    for size in sizes:
        # for a risk-averse person it is worth at least 1/size, and at least as much as a larger set
        low, high = round(1 / size, 2), ceil(100 * brackets[-1].high) / 100 if brackets else 1.0
        found = yield from _search(size, low if low < high else 0.0, high, resolution)
        brackets.append(found)
    if not check:
        return brackets
    checked = []
    for bracket in brackets:
        chance, before = bracket.answers[0]
        now = yield Question(bracket.size, chance, again=True)
        checked.append(bracket if now == before else bracket.contradicted(chance, before, now))
    return checked


def _search(size: int, low: float, high: float, resolution: float) -> Asking:
    """Halve the assumed range; then ask about an end of it that no answer has confirmed."""
    answers: list[tuple[float, str]] = []
    low_is_confirmed, high_is_confirmed = low == 0, high == 1
    while True:
        if high - low > resolution:
            chance = round((low + high) / 2, 2)
        elif not low_is_confirmed:
            chance = low
        elif not high_is_confirmed:
            chance = high
        else:
            return Bracket(size, low, high, tuple(answers))
        word = yield Question(size, chance)
        answers.append((chance, word))
        if word == "same":
            half = resolution / 2
            return Bracket(size, max(chance - half, 0), min(chance + half, 1), tuple(answers))
        if word == "set":
            high, high_is_confirmed = (1.0, True) if chance == high else (high, high_is_confirmed)
            low, low_is_confirmed = chance, True
        else:
            low, low_is_confirmed = (0.0, True) if chance == low else (low, low_is_confirmed)
            high, high_is_confirmed = chance, True


def _sizes(n_classes: int) -> list[int]:
    sizes = [2]
    while sizes[-1] < n_classes:
        last = sizes[-1]
        sizes.append(min(last + 1 if last < _ALL_UP_TO else last + last // 2, n_classes))
    return sizes


def _check(word: str) -> Answer:
    for known in get_args(Answer):
        if word == known:
            return known
    raise ValueError(f"an answer must be 'set', 'chance' or 'same', got {word!r}")
