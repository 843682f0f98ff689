"""A study: an experiment of a paper, as a plan to run and an analysis of the results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from wager.experiments.plan import Plan, data_folders, is_found
from wager.experiments.run import Progress, RunSummary, run
from wager.experiments.store import ScoreTable, Store
from wager.experiments.study._claim import Claim, left_open, listed
from wager.experiments.study._report import StudyReport
from wager.prepare import Dataset, load_dataset

__all__ = ["Findings", "Study", "finished_scores", "open_until_done"]

Findings = dict[
    str, Any
]  # the tables, comparisons, claims, findings, figures and notes of a report


@dataclass(frozen=True, repr=False)
class Study:
    """An experiment of a paper that can be rerun by name.

    Attributes
    ----------
    name : str
    paper : str
        Authors and year.
    shows : str
        What the study shows, in one sentence.
    analyse : function of (Store) or of (seed)
        Computes the findings from a store, which may be incomplete.  For a study without a run,
        from another seed for what is random in it, or None for the usual one.
    plan : function of (data, quick), optional
        Makes the plan; None for a study without a run.
    title : str, default=""
        The subject in a few words.
    minutes : float, optional
        About how long fitting and predicting take on one core; for a study without a run, how
        long its report takes.  Reports state no time, so that two runs have the same report.
    page : str, default=""
        The page of `docs/reproduction` for its section; by default, one of its own.
    draws_as_paper : bool, default=False
        Whether all random numbers are those of the paper, such as Weka's folds with its seeds.
        ``wager study run --all --seed`` leaves such a study out.
    """

    name: str
    paper: str
    shows: str
    analyse: Callable[[Any], Findings]
    plan: Callable[[str | None, bool], Plan] | None = None
    title: str = ""
    minutes: float | None = None
    page: str = ""
    draws_as_paper: bool = False

    def __repr__(self) -> str:
        return f"Study({self.name}: {self.shows})"

    def data_sets(self) -> tuple[str, ...]:
        """The names of the data sets that a whole run reads from files; none if it generates them.

        Examples
        --------
        >>> from wager.experiments import studies
        >>> studies.get("sondhauss-weihs-data").data_sets()
        ('iris', 'wine', 'vehicle')
        """
        if self.plan is None:
            return ()
        named = self.plan("openml", False).datasets  # names alone, without a search for files
        sources = [str(spec.source) for spec in named if spec.source is not None]
        # a study may use the same data set several times, drawn in different ways
        return tuple(dict.fromkeys(source.removeprefix("openml:") for source in sources))

    def missing_data(self, data: str | None = None) -> tuple[str, ...]:
        """The data sets that are neither in the folder nor part of scikit-learn.

        Parameters
        ----------
        data : str, optional
            The folder of data sets, or ``"openml"``, which has all of them; by default the
            environment variable ``WAGER_DATA``.
        """
        if data == "openml":
            return ()
        folders = data_folders("", data)
        return tuple(name for name in self.data_sets() if not is_found(name, folders))

    def load_data(self, data: str | None = None) -> Iterator[Dataset]:
        """The data sets that a whole run reads, each with all its columns and rows.

        Parameters
        ----------
        data : str, optional
            The folder of data sets, or ``"openml"``; by default the environment variable
            ``WAGER_DATA``.
        """
        if self.plan is None:
            return
        sources = {unit.source.name: unit.source for unit in self.plan(data, False).units()}
        for source in sources.values():
            if source.path:  # a generator has none
                yield load_dataset(source.path, target=source.what.get("target"))

    def store(
        self, quick: bool = False, folder: str | PathLike[str] = "", *, seed: int | None = None
    ) -> Path:
        """The default folder for results."""
        name = f"{self.name}-quick" if quick else self.name
        return Path(folder, name if seed is None else f"{name}-seed-{seed}")

    def run(
        self,
        store: Store | str | PathLike[str],
        *,
        data: str | None = None,
        quick: bool = False,
        n_jobs: int = 1,
        retry: bool = False,
        seed: int | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> RunSummary | None:
        """Do the units that the store does not have yet; None for a study without a run.

        Parameters
        ----------
        store : Store or path
        data : str, optional
            The folder of data sets; by default the environment variable ``WAGER_DATA``.
        quick : bool, default=False
            Run a small version that takes less than two minutes.
        retry : bool, default=False
            Whether to try again units that failed in an earlier run.
        seed : int, optional
            Another seed for everything that is random; by default that of the study's plan.
        """
        if self.plan is None:
            return None
        plan = self.plan(data, quick)
        if seed is not None:
            plan = plan.model_copy(update={"seed": seed})
        return run(plan, store, n_jobs=n_jobs, retry=retry, progress=progress)

    def report(
        self, store: Store | str | PathLike[str] | None = None, *, seed: int | None = None
    ) -> StudyReport:
        """The results so far, with a note on how complete they are.

        Parameters
        ----------
        store : Store or path
            The results of a run; None for a study without a run.
        seed : int, optional
            Another seed for what is random in a study without a run.
        """
        found = StudyReport(self.name, self.paper, self.shows, self.title, self.page)
        if self.plan is None:
            return replace(found, **self.analyse(seed))
        if store is None:
            raise ValueError(f"{self.name} needs a folder with its results: run the study first")
        store = store if isinstance(store, Store) else Store(store)
        findings = self._findings(store)
        notes = [_state(store), *findings.get("notes", ())]
        return replace(found, **{**findings, "notes": notes})

    def _findings(self, store: Store) -> Findings:
        """The analysis of a store; a ValueError if the store was filled by another plan."""
        assert self.plan is not None
        if store.plan["name"] != self.name:
            raise ValueError(
                f"{store.path} has results of {store.plan['name']!r}, not of {self.name}: choose "
                "the folder of this study"
            )
        try:
            return self.analyse(store)
        except (KeyError, ValueError) as problem:
            planned = [
                {label for _, label, _ in self.plan(None, quick).variants()}
                for quick in (False, True)
            ]
            if set(store.learners) in planned:
                raise
            missing = min((names - set(store.learners) for names in planned), key=len)
            raise ValueError(
                f"{store.path} was filled by another plan than that of {self.name}, without "
                f"{listed(sorted(missing))}: run the study again to add the missing learners"
            ) from problem


def _state(store: Store) -> str:
    """How much of the plan is done."""
    counts = store.counts()
    done = "All" if counts["done"] == counts["planned"] else f"{counts['done']:,} of"
    failed = f", {counts['failed']:,} failed" if counts["failed"] else ""
    return (
        f"{done} {counts['planned']:,} fits are done{failed}: {_data_sets(store)}, "
        f"{len(store.learners)} learners."
    )


def _data_sets(store: Store) -> str:
    n = len(store.datasets)
    return f"{n} data set{'' if n == 1 else 's'}"


def open_until_done(store: Store, claims: Iterable[Claim]) -> list[Claim]:
    """The claims, without verdicts while the plan is not complete."""
    counts = store.counts()
    if counts["done"] == counts["planned"]:
        return list(claims)
    return left_open(claims, f"{counts['done']:,} of {counts['planned']:,} fits are done")


def finished_scores(store: Store, measure: str) -> ScoreTable:
    """A measure of the data sets on which all fits of the plan are done."""
    # counted before the scores are read, since a run may add units in between
    done = Counter(store.columns([])["dataset"])
    planned = store.counts()["planned"] / len(store.datasets)
    table = store.scores(measure)
    kept = [row for row, name in enumerate(table.rows) if done[name] == planned]
    rows = tuple(table.rows[row] for row in kept)
    return replace(table, rows=rows, values=table.values[kept])
