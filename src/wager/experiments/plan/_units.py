"""Units: the fits that a plan asks for, each with a key that says what it is.

A unit is one learner on one split of one data set.  Units that share a split make a task: its data
is loaded, split and prepared once for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

from wager.experiments.plan._keys import key_of, random_state_of
from wager.experiments.plan._prepare import Preparation
from wager.experiments.plan._schemes import Split
from wager.experiments.plan._sources import Source, sources_of

if TYPE_CHECKING:
    from wager.experiments.plan._plan import Plan

__all__ = ["Keep", "Limits", "Task", "Unit", "tasks_of", "units_of"]

FORMAT = 1  # of what a unit is; a new number makes every unit new


@dataclass(frozen=True)
class Unit:
    """One learner on one split of one data set.

    Attributes
    ----------
    source : Source
        The data set.
    scheme : mapping
        What identifies the scheme.
    split : Split
        Which repeat, fold and size of it.
    label : str
        What the learner is called.
    learner : mapping
        Its name and parameters.
    preparation : Preparation
    seed : int
        The plan's.
    clip : float or "unseen", optional
        Probabilities are moved into [clip, 1 - clip] before their logarithms are taken.
    """

    source: Source
    scheme: Mapping[str, Any]
    split: Split
    label: str
    learner: Mapping[str, Any]
    preparation: Preparation
    seed: int
    clip: float | str | None = None

    @cached_property
    def what(self) -> dict[str, Any]:
        """All that the unit's result depends on, as plain data: no names, no places."""
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
        """The unit's key in a store."""
        return key_of(self.what)

    @cached_property
    def random_state(self) -> int:
        """Where the learner's own randomness begins: the same when its class moves elsewhere."""
        from wager.learners import stable_name

        return random_state_of({**self.what, "learner": stable_name(self.what["learner"])})


@dataclass(frozen=True)
class Limits:
    """What a unit may use; None is without limit."""

    seconds: float | None = None
    memory: int | None = None  # bytes


@dataclass(frozen=True)
class Keep:
    """What is kept of a unit besides its tally."""

    probabilities: bool = True
    predictions: bool = False


@dataclass(frozen=True)
class Task:
    """Units that share a split, and so their data."""

    units: tuple[Unit, ...]
    limits: Limits = Limits()
    keep: Keep = Keep()
    folder: str = ""  # where modules with further learners may lie

    def only(self, units: Iterable[Unit]) -> Task:
        """The same with some of the units."""
        return replace(self, units=tuple(units))


def units_of(plan: Plan) -> list[Unit]:
    """Every unit of a plan: data set by data set, split by split, learner by learner."""
    scheme = plan.scheme.identity()
    splits = list(plan.scheme.splits())
    units = []
    for spec, source in sources_of(plan):
        learners = [
            (label, what, plan.preparation(spec, learner))
            for learner, label, what in plan.variants()
        ]
        units += [
            Unit(source, scheme, split, label, what, how, plan.seed, plan.clip)
            for split in splits
            for label, what, how in learners
        ]
    return units


def tasks_of(plan: Plan, units: Iterable[Unit]) -> list[Task]:
    """The units in tasks; units of one split stand together in a plan."""
    limits = Limits(plan.time_limit, plan.memory_limit)
    keep = Keep(plan.probabilities, plan.predictions)
    apart = groupby(units, key=lambda unit: (unit.source.name, unit.split))
    return [Task(tuple(shared), limits, keep, plan.folder) for _, shared in apart]
