"""Units: the fits of a plan, each with a key that identifies it.

A unit is one learner on one split of one data set.  Units that share a split form a task, so that
their data is loaded, split and prepared only once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from wager.experiments.plan._keys import key_of, random_state_of
from wager.experiments.plan._prepare import Preparation
from wager.experiments.plan._schemes import Split
from wager.experiments.plan._sources import DataSource
from wager.learners import stable_name

__all__ = ["Keep", "Limits", "Task", "Unit"]

FORMAT = 1  # part of every key: a new number makes all stored units obsolete


@dataclass(frozen=True)
class Unit:
    """One learner on one split of one data set.

    Attributes
    ----------
    source : DataSource
        The data set.
    scheme : mapping
        The identity of the scheme.
    split : Split
        The repeat, the fold and, for some schemes, the training size.
    label : str
        The name of the learner in the plan.
    learner : mapping
        The name of the learner's class, and its parameters.
    preparation : Preparation
    seed : int
        The seed of the plan.
    clip : float or "unseen", optional
        Probabilities are moved into [clip, 1 - clip] before their logarithms are taken.
    code : mapping
        The identity of the learner's own code, by the dotted paths of its classes; empty for
        classes of ``wager`` and scikit-learn.
    packages : tuple of str
        The packages whose versions must be those that a stored result was computed with.
    """

    source: DataSource
    scheme: Mapping[str, Any]
    split: Split
    label: str
    learner: Mapping[str, Any]
    preparation: Preparation
    seed: int
    clip: float | str | None = None
    code: Mapping[str, str] = field(default_factory=dict)
    packages: tuple[str, ...] = ("wager",)

    @property
    def what(self) -> dict[str, Any]:
        """What is to be computed, as plain data without names and paths.

        Seeds depend on this alone, so that another version of the code draws the same numbers.
        """
        clip = {} if self.clip is None else {"clip": self.clip}
        return {
            "format": FORMAT,
            "data": dict(self.source.what),
            "scheme": dict(self.scheme),
            "split": [part for part in self.split if part is not None],
            "learner": dict(self.learner),
            "prepare": self.preparation.identity(),
            "seed": self.seed,
            **clip,
        }

    @cached_property
    def key(self) -> str:
        """The unit's key in a store: what is to be computed, and by which code."""
        return key_of({**self.what, "code": dict(self.code)} if self.code else self.what)

    @cached_property
    def random_state(self) -> int:
        """The random state of the learner; it does not change when the class is moved."""
        return random_state_of({**self.what, "learner": stable_name(dict(self.learner))})


@dataclass(frozen=True)
class Limits:
    """The time and memory that a unit may use; None means no limit."""

    seconds: float | None = None
    memory: int | None = None  # bytes


@dataclass(frozen=True)
class Keep:
    """What is stored of a unit besides its tally."""

    probabilities: bool = True
    predictions: bool = False
    costs: bool = False  # counts by set and true class, which earlier versions did not keep


@dataclass(frozen=True)
class Task:
    """Units that share a split and therefore their data."""

    units: tuple[Unit, ...]
    limits: Limits = Limits()
    keep: Keep = Keep()
    folder: str = ""  # modules with further learners are imported from here

    def only(self, units: Iterable[Unit]) -> Task:
        """The same task with some of its units."""
        return replace(self, units=tuple(units))
