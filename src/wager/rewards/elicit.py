"""Find out what sets of classes are worth to a person, by a few questions.

Which would you rather have: a set of two classes that surely holds the right one, or the right
class alone with a chance of q?  Whoever does not care finds u(1/2) = q, since the right class is
worth 1 and a miss 0.  A session brackets that q by bisection, for one set size after another, and
asks a few questions twice: answers that disagree widen the bracket and are reported.

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
_ALL_UP_TO = 4  # larger sets are asked about in steps: their values lie close together
_FINEST = 0.02  # chances are whole percentages, so no bracket can be narrower


@dataclass(frozen=True)
class Question:
    """A choice between a set that holds the right class and a chance of that class alone.

    Attributes
    ----------
    size : int
        How many classes the set has.
    chance : float
        The chance of the right class alone, in whole percentages.
    again : bool
        Whether it has been asked before.

    Examples
    --------
    >>> print(Question(2, 0.75))
    a set of 2 classes that surely holds the right one, or the right class alone with a chance
    of 75%?
    """

    size: int
    chance: float
    again: bool = False

    def __str__(self) -> str:
        return (
            f"a set of {self.size} classes that surely holds the right one, or the right class "
            f"alone with a chance of {100 * self.chance:.0f}%?"
        )


@dataclass(frozen=True)
class Session:
    """An interview as far as it has come: what was answered, and so what to ask next.

    Parameters
    ----------
    n_classes : int
        The number of classes, at least 2.
    sizes : sequence of int, optional
        The set sizes to ask about: by default 2, 3, 4, then every size about half as large again,
        and all classes.
    resolution : float, default=0.05
        How narrow the bracket of a value must be before the next size is asked about.
    check : bool, default=True
        Whether to ask one question of each size again.
    answers : tuple of {"set", "chance", "same"}
        The answers so far; a session that was broken off goes on where it stopped.

    Examples
    --------
    >>> session = Session(n_classes=2)
    >>> while session.question is not None:  # a person to whom a set of two is worth 0.65
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
                f"sizes are whole numbers from 2 to the {self.n_classes} classes, got {sizes}"
            )
        object.__setattr__(self, "sizes", sizes)
        for word in self.answers:
            _check(word)
        self._replay()

    @property
    def question(self) -> Question | None:
        """What to ask next; None when all has been asked."""
        asked = self._replay()
        return asked if isinstance(asked, Question) else None

    def answer(self, word: str) -> Session:
        """The session after the answer "set", "chance" or "same" to its question."""
        return replace(self, answers=(*self.answers, _check(word)))

    def result(self) -> Elicited:
        """What the answers say, once all has been asked."""
        found = self._replay()
        if isinstance(found, Question):
            raise ValueError(
                f"the session is not over after {len(self.answers)} answers: answer its question"
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
                        f"there are {len(self.answers)} answers but only {place} questions: leave "
                        "out the rest"
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
    """Put every question to ``ask``, which returns "set", "chance" or "same".

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
    """The interview itself: it yields questions, is sent answers, and ends with the brackets."""
    brackets: list[Bracket] = []
    for size in sizes:
        # nobody who is averse to risk finds it worth less than 1/size, or than a larger set
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
    """Halve the presumed range; an end of it that no answer confirmed is asked about itself."""
    answers: list[tuple[float, str]] = []
    low_is_sure, high_is_sure = low == 0, high == 1
    while True:
        if high - low > resolution:
            chance = round((low + high) / 2, 2)
        elif not low_is_sure:
            chance = low
        elif not high_is_sure:
            chance = high
        else:
            return Bracket(size, low, high, tuple(answers))
        word = yield Question(size, chance)
        answers.append((chance, word))
        if word == "same":
            half = resolution / 2
            return Bracket(size, max(chance - half, 0), min(chance + half, 1), tuple(answers))
        if word == "set":
            high, high_is_sure = (1.0, True) if chance == high else (high, high_is_sure)
            low, low_is_sure = chance, True
        else:
            low, low_is_sure = (0.0, True) if chance == low else (low, low_is_sure)
            high, high_is_sure = chance, True


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
    raise ValueError(f"an answer is 'set', 'chance' or 'same', got {word!r}")
