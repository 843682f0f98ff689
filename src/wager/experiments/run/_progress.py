"""How far a run has come, and its summary at the end."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from time import perf_counter

from wager._tables import View, Viewed
from wager.experiments.plan import Unit
from wager.experiments.run._workload import Workload

__all__ = ["Progress", "RunSummary"]

SHOWN = 20  # failures in a summary


@dataclass(repr=False)
class Progress(Viewed):
    """How far a run has come.

    Attributes
    ----------
    total : int
        The units of the plan: reused, failed before, done, failed and left.
    reused, failed_before : int
        Units that earlier runs have done, and units that failed then and are not tried again.
    done, failed : int
        Units that this run has done, and units that it has tried in vain.
    latest : Unit, optional
        The unit that was tried last.
    seconds : float
        The time since the first unit was tried: the start of the workers is left out.
    work_done, work_left : float
        What the tried units took, and what the others will take, in seconds of one core.
    again : dict of str to int
        How many units must be done although the store has a result, for which reason.
    """

    total: int
    reused: int = 0
    failed_before: int = 0
    done: int = 0
    failed: int = 0
    latest: Unit | None = None
    seconds: float = 0.0
    work_done: float = 0.0
    work_left: float = 0.0
    again: dict[str, int] = field(default_factory=dict, repr=False)
    _first_at: float | None = field(default=None, init=False, repr=False)
    _first_work: float = field(default=0.0, init=False, repr=False)

    def _view(self) -> View:
        words = (
            f"{self.finished + self.failed + self.failed_before} of {_units(self.total)}: "
            f"{self.done} done, {self.reused} reused, {self.failed + self.failed_before} failed"
        )
        return View(verdict=[words])

    @property
    def finished(self) -> int:
        """The number of units that are done, now or in an earlier run."""
        return self.reused + self.done

    @property
    def left(self) -> int:
        """The number of units still to try."""
        return self.total - self.reused - self.failed_before - self.tried

    @property
    def tried(self) -> int:
        """The number of units that this run has tried."""
        return self.done + self.failed

    @property
    def rate(self) -> float:
        """Units per second; 0 while it is unknown."""
        return (self.tried - 1) / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float:
        """The time that the rest will take, from the work of its data sets and learners.

        Plans often have their large data sets last, so that an estimate from the number of units
        would be too short.
        """
        work = self.work_done - self._first_work
        if work > 0 and self.seconds > 0:
            return self.seconds * self.work_left / work
        return self.left / self.rate if self.rate else float("nan")

    def add(self, unit: Unit, work: Workload, *, failed: bool, names: int = 1) -> None:
        """Count a unit that was just tried, after the workload has counted it.

        It counts once for each of its names: a plan can have a learner or a file under several.
        """
        now = perf_counter()
        self.done += 0 if failed else names
        self.failed += names if failed else 0
        self.latest = unit
        self.work_done, self.work_left = work.done, work.left
        if self._first_at is None:
            self._first_at, self._first_work = now, work.done
        self.seconds = now - self._first_at


@dataclass(frozen=True, repr=False)
class RunSummary(Viewed):
    """What a run did.

    Attributes
    ----------
    total, reused, done : int
        Units of the plan; those that the store had already; those done now.
    failures : list of (unit, reason)
        Units of the plan that failed, now or in an earlier run; ``total`` is the sum of ``reused``,
        ``done`` and their number.
    seconds : float
    failed_before : int
        How many of the failures are of an earlier run and were not tried again.
    again : dict of str to int
        How many units were done although the store had a result, for which reason.
    """

    total: int
    reused: int
    done: int
    failures: list[tuple[Unit, str]] = field(repr=False)
    seconds: float
    failed_before: int = 0
    again: dict[str, int] = field(default_factory=dict)

    def _view(self) -> View:
        return View(verdict=self.text().splitlines())

    @property
    def ok(self) -> bool:
        """Whether all units of the plan succeeded."""
        return not self.failures

    def text(self) -> str:
        """The summary as text, with each reason for failure once."""
        earlier = f" ({self.failed_before} of them in an earlier run)" if self.failed_before else ""
        lines = [
            f"{_units(self.total)}: {self.done} done in {self.seconds:.1f} s, "
            f"{self.reused} reused, {len(self.failures)} failed{earlier}"
        ]
        lines += [
            f"  {_units(number)} in the store could not be reused: {reason}"
            for reason, number in self.again.items()
        ]
        reasons = Counter((u.source.name, u.label, reason) for u, reason in self.failures)
        for (dataset, learner, reason), times in reasons.most_common(SHOWN):
            first_line = reason.splitlines()[0] if reason else ""
            lines.append(f"  {learner} on {dataset}, {_units(times)}: {first_line}")
        if len(reasons) > SHOWN:
            lines.append(f"  and {len(reasons) - SHOWN} more reasons: see the store's failures")
        return "\n".join(lines)


def _units(number: int) -> str:
    return "1 unit" if number == 1 else f"{number} units"
