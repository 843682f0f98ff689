"""Elicit a person's utility of sets of classes with a few questions.

Which do you prefer: a set of two classes that always contains the right one, or the right class
alone with a probability of q?  A person who is indifferent has u(1/2) = q, because the right class
is worth 1 and a miss 0.  Answers close to that q are noisy, so a session estimates the value and
the noise together: each question is the one that is expected to say most about the value, and the
result is an interval that contains the value with a stated probability.  At the end, one question
per set size is repeated, close to the value: contradictory answers widen the interval and are
reported.

    session = Session(n_classes=3)
    while session.question is not None:
        session = session.answer(input(f"{session.question} "))
    session.result().utility().half_interval
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from wager._tables import ViewedFields, counted, is_one_of, real_number, there_are
from wager._visible import brief
from wager.rewards._bracket import Bracket
from wager.rewards._curve_fit import Fit
from wager.rewards._elicited import Elicited
from wager.rewards._staircase import (
    Answered,
    History,
    chance_to_repeat,
    median,
    next_chance,
    posteriors,
)

__all__ = ["Bracket", "Elicited", "Fit", "Question", "Session", "interview"]

Answer = Literal["set", "chance", "same"]
_ALL_UP_TO = 4  # larger sizes are skipped in part: their values are close together
_FINEST = 0.02  # chances are whole percentages, so intervals cannot be narrower


@dataclass(frozen=True, repr=False)
class Question(ViewedFields):
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


@dataclass(frozen=True, repr=False)
class Session(ViewedFields):
    """The state of an interview: the answers so far, which determine the next question.

    Parameters
    ----------
    n_classes : int
        The number of classes, at least 2.
    sizes : sequence of int, optional
        The set sizes to ask about: by default 2, 3, 4, then sizes that grow by about half, and
        all classes.
    resolution : float, default=0.05
        The width of the interval of a value at which the session continues with the next size; it
        also continues after 10 questions about the first size, or 8 about another one.
    check : bool, default=True
        Whether to repeat one question of each size at the end, close to the value.
    answers : tuple of {"set", "chance", "same"}
        The answers so far, to resume an interrupted session.
    level : float, default=0.95
        The probability with which an interval contains the value.

    Examples
    --------
    >>> session = Session(n_classes=2)
    >>> while session.question is not None:  # a person who values a set of two at 0.65
    ...     session = session.answer("set" if session.question.chance < 0.65 else "chance")
    >>> len(session.answers), session.result().half_interval
    (11, (0.6193, 0.665))
    """

    n_classes: int
    sizes: Sequence[int] | None = None
    resolution: float = 0.05
    check: bool = True
    answers: tuple[Answer, ...] = ()
    level: float = 0.95

    def __post_init__(self) -> None:
        if real_number(self.n_classes, "n_classes") < 2:
            raise ValueError(f"a choice needs at least 2 classes, got {self.n_classes}")
        if not _FINEST <= real_number(self.resolution, "resolution") <= 0.5:
            raise ValueError(
                f"resolution must lie in [{_FINEST}, 0.5], got {brief(self.resolution)}"
            )
        if not 0.5 <= real_number(self.level, "level") < 1:
            raise ValueError(f"level must lie in [0.5, 1), got {brief(self.level)}")
        sizes = tuple(_sizes(self.n_classes) if self.sizes is None else sorted(set(self.sizes)))
        if not sizes or sizes[0] < 2 or sizes[-1] > self.n_classes:
            raise ValueError(
                f"sizes must be whole numbers from 2 to n_classes ({self.n_classes}), got "
                f"{brief(sizes)}"
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
        return Elicited(self.n_classes, tuple(found), len(self.answers), self.level)

    def _replay(self) -> Question | list[Bracket]:
        """The next question, or the brackets at the end, from the answers so far."""
        assert self.sizes is not None
        asking = _questions(tuple(self.sizes), self.resolution, self.check, self.level)
        question = next(asking)
        for place, word in enumerate(self.answers, start=1):
            try:
                question = asking.send(word)
            except StopIteration as end:
                if place < len(self.answers):
                    raise ValueError(
                        f"{there_are(len(self.answers), 'answer')} but only "
                        f"{counted(place, 'question')}: remove the rest"
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
    level: float = 0.95,
) -> Elicited:
    """Ask every question with the function ``ask``, which returns "set", "chance" or "same".

    Examples
    --------
    >>> found = interview(lambda question: "set" if question.chance < 0.65 else "chance", 2)
    >>> found.utility("quadratic").name
    'u64.3'
    """
    session = Session(n_classes, sizes, resolution, check, level=level)
    while (question := session.question) is not None:
        session = session.answer(ask(question))
    return session.result()


def _questions(
    sizes: Sequence[int], resolution: float, check: bool, level: float
) -> Generator[Question, Answer, list[Bracket]]:
    """The interview: yields questions, receives answers, and returns the brackets at the end."""
    history: History = ()
    for size in sizes:
        answers: Answered = ()
        while (chance := next_chance((*history, (size, answers)), resolution, level)) is not None:
            answers = (*answers, (chance, (yield Question(size, chance))))
        history = (*history, (size, answers))
    if check:
        values = [median(joint.sum(axis=1)) for joint in posteriors(history)]
        repeated = []
        for value, (size, answers) in zip(values, history, strict=True):
            chance = chance_to_repeat(answers, value)
            word = yield Question(size, chance, again=True)
            repeated.append((size, (*answers, (chance, word))))
        history = tuple(repeated)
    return [
        Bracket.of(size, answers, joint.sum(axis=1), level)
        for joint, (size, answers) in zip(posteriors(history), history, strict=True)
    ]


def _sizes(n_classes: int) -> list[int]:
    sizes = [2]
    while sizes[-1] < n_classes:
        last = sizes[-1]
        sizes.append(min(last + 1 if last < _ALL_UP_TO else last + last // 2, n_classes))
    return sizes


def _check(word: str) -> Answer:
    for known in get_args(Answer):
        if is_one_of(word, (known,)):
            return known
    raise ValueError(f"an answer must be 'set', 'chance' or 'same', got {brief(word)}")
