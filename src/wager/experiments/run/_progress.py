"""How far a run has come, and its summary at the end."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from time import perf_counter

from wager.experiments.plan import Unit

__all__ = ["Progress", "RunSummary"]

SHOWN = 20  # failures in a summary


@dataclass
class Progress:
    """How far a run has come."""

    total: int
    reused: int = 0
    done: int = 0
    failed: int = 0  # of those done now
    latest: Unit | None = None
    seconds: float = 0.0  # since the first unit was done: the start of the workers is left out
    bulk_done: float = 0.0  # the amount of data of the units done, without the first
    bulk_left: float = 0.0
    _first_done_at: float | None = field(default=None, init=False, repr=False)

    @property
    def left(self) -> int:
        """The number of units still to do."""
        return self.total - self.reused - self.done

    @property
    def rate(self) -> float:
        """Units per second; 0 while it is unknown."""
        return (self.done - 1) / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float:
        """The time that the rest will take, if time is proportional to the amount of data.

        Plans often have their large data sets last, so that an estimate from the number of units
        would be too short.
        """
        if self.bulk_done > 0 and self.seconds > 0:
            return self.seconds * self.bulk_left / self.bulk_done
        return self.left / self.rate if self.rate else float("nan")

    def add(self, unit: Unit, *, failed: bool) -> None:
        """Count a unit that was just done."""
        now = perf_counter()
        self.done += 1
        self.failed += failed
        self.latest = unit
        self.bulk_left -= unit.source.bulk
        if self._first_done_at is None:
            self._first_done_at = now
        else:
            self.bulk_done += unit.source.bulk
        self.seconds = now - self._first_done_at


@dataclass(frozen=True)
class RunSummary:
    """What a run did.

    Attributes
    ----------
    total, reused, done : int
        Units of the plan; those that the store had already; those done now.
    failures : list of (unit, reason)
        Units of the plan that failed, now or in an earlier run.
    seconds : float
    """

    total: int
    reused: int
    done: int
    failures: list[tuple[Unit, str]] = field(repr=False)
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether all units of the plan succeeded."""
        return not self.failures

    def text(self) -> str:
        """The summary as text, with each reason for failure once."""
        lines = [
            f"{self.total} units: {self.done} done in {self.seconds:.1f} s, {self.reused} reused, "
            f"{len(self.failures)} failed"
        ]
        reasons = Counter((u.source.name, u.label, reason) for u, reason in self.failures)
        for (dataset, learner, reason), times in reasons.most_common(SHOWN):
            first_line = reason.splitlines()[0] if reason else ""
            lines.append(f"  {learner} on {dataset}, {times} units: {first_line}")
        if len(reasons) > SHOWN:
            lines.append(f"  and {len(reasons) - SHOWN} more reasons: see the store's failures")
        return "\n".join(lines)
