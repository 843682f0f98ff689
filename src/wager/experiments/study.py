"""A study: an experiment of a paper as a plan for the engine and a page of analysis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wager.experiments._study_report import (
    Claim,
    Comparison,
    StudyReport,
    StudyTable,
    left_open,
    listed,
    rank_correlation,
)

if TYPE_CHECKING:
    from wager.experiments.plan._plan import Plan
    from wager.experiments.run._run import Progress, RunSummary
    from wager.experiments.store._scores import ScoreTable
    from wager.experiments.store._store import Store

__all__ = [
    "Claim",
    "Comparison",
    "Findings",
    "Study",
    "StudyReport",
    "StudyTable",
    "finished_scores",
    "left_open",
    "listed",
    "open_until_done",
    "rank_correlation",
]

Findings = dict[str, Any]  # tables, comparisons, claims, figures, notes of a StudyReport


@dataclass(frozen=True, repr=False)
class Study:
    """An experiment of a paper that can be rerun by name.

    Attributes
    ----------
    name : str
    paper : str
        Authors and year.
    shows : str
        What it shows, in a sentence.
    analyse : function of (Store or None)
        What was found, from a store that may still lack units.
    plan : function of (data, quick), optional
        The plan; None for a study that only computes.
    """

    name: str
    paper: str
    shows: str
    analyse: Callable[[Any], Findings]
    plan: Callable[[str | None, bool], Plan] | None = None

    def __repr__(self) -> str:
        return f"Study({self.name}: {self.shows})"

    def store(self, quick: bool = False, folder: str | PathLike[str] = "") -> Path:
        """Where results go unless told otherwise."""
        return Path(folder, f"{self.name}-quick" if quick else self.name)

    def run(
        self,
        store: Store | str | PathLike[str],
        *,
        data: str | None = None,
        quick: bool = False,
        n_jobs: int = 1,
        progress: Callable[[Progress], None] | None = None,
    ) -> RunSummary | None:
        """Do what the store does not hold yet; None if there is nothing to run.

        Parameters
        ----------
        store : Store or path
        data : str, optional
            The folder of data sets; by default that of the environment variable ``WAGER_DATA``.
        quick : bool, default=False
            A small version that takes less than two minutes.
        """
        from wager.experiments import run

        if self.plan is None:
            return None
        return run(self.plan(data, quick), store, n_jobs=n_jobs, progress=progress)

    def report(self, store: Store | str | PathLike[str] | None = None) -> StudyReport:
        """What was found so far, and how much of the study that is."""
        from wager.experiments import Store

        found = StudyReport(self.name, self.paper, self.shows)
        if self.plan is None:
            return replace(found, **self.analyse(None))
        if store is None:
            raise ValueError(f"{self.name} needs the folder of its results: run it first")
        held = store if isinstance(store, Store) else Store(store)
        findings = self._findings(held)
        notes = [_state(held), *findings.get("notes", ())]
        return replace(found, **{**findings, "notes": notes})

    def _findings(self, store: Store) -> Findings:
        """The analysis; of a store that another plan has filled, in one sentence what is wrong."""
        assert self.plan is not None
        if store.plan["name"] != self.name:
            raise ValueError(
                f"{store.path} holds results of {store.plan['name']!r}, not of {self.name}: name "
                "the folder of its own"
            )
        try:
            return self.analyse(store)
        except (KeyError, ValueError) as problem:
            asked = [
                {label for _, label, _ in self.plan(None, quick).variants()}
                for quick in (False, True)
            ]
            if set(store.learners) in asked:
                raise
            missing = min((names - set(store.learners) for names in asked), key=len)
            raise ValueError(
                f"{store.path} was filled by another plan than that of {self.name}, without "
                f"{listed(sorted(missing))}: run the study again to add what is missing"
            ) from problem


def _state(store: Store) -> str:
    """How much of the plan is done, and how long the computer worked on it."""
    counts = store.counts()
    times = store.columns([])
    minutes = (sum(times["fit_seconds"]) + sum(times["predict_seconds"])) / 60
    done = "All" if counts["done"] == counts["planned"] else f"{counts['done']:,} of"
    failed = f", {counts['failed']:,} failed" if counts["failed"] else ""
    return (
        f"{done} {counts['planned']:,} fits are done{failed}: {_data_sets(store)}, "
        f"{len(store.learners)} learners; fitting and predicting took {minutes:.1f} minutes."
    )


def _data_sets(store: Store) -> str:
    n = len(store.datasets)
    return f"{n} data set{'' if n == 1 else 's'}"


def open_until_done(store: Store, claims: Iterable[Claim]) -> list[Claim]:
    """The claims, without a verdict as long as the plan is not done."""
    counts = store.counts()
    if counts["done"] == counts["planned"]:
        return list(claims)
    return left_open(claims, f"{counts['done']:,} of {counts['planned']:,} fits are done")


def finished_scores(store: Store, measure: str) -> ScoreTable:
    """A measure of the data sets on which every fit of the plan is done."""
    # counted first: what was done then is in the scores, even while a run goes on
    done = Counter(store.columns([])["dataset"])
    planned = store.counts()["planned"] / len(store.datasets)
    table = store.scores(measure)
    kept = [row for row, name in enumerate(table.rows) if done[name] == planned]
    rows = tuple(table.rows[row] for row in kept)
    return replace(table, rows=rows, values=table.values[kept])
