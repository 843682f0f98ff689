"""The store: what units gave, and every measure of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wager._typing import Floats
from wager.experiments._database import about, open_to_read, predictions_file
from wager.experiments._measured import averaged, evaluated, measured, measured_together
from wager.experiments._measures import Measure, check_measure
from wager.experiments._outcome import paired_tally
from wager.experiments._score_table import ScoreTable
from wager.rewards import PairedTally, ProbabilityEvaluation, Tally

__all__ = ["Failure", "Store"]

NAMES = ("dataset", "size", "repeat", "fold", "learner")


class Failure(NamedTuple):
    """A unit that failed: which, why, and the traceback."""

    dataset: str
    size: int | None
    repeat: int
    fold: int
    learner: str
    error: str
    trace: str


class Store:
    """A folder of results, read while a run goes on or after it.

    What it shows are the units of the plan that ran last; units of earlier plans stay in the
    database and serve again when a plan asks for them.

    Parameters
    ----------
    path : path
        The folder; ``run`` makes it.
    """

    def __init__(self, path: str | PathLike[str]):
        self.path = Path(path)

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r})"

    def counts(self) -> dict[str, int]:
        """How many units are planned, done and failed."""
        query = "SELECT count(*), count(tally), count(error) FROM results"
        planned, done, failed = self._read(query)[0]
        return {"planned": planned, "done": done, "failed": failed}

    def done(self) -> set[str]:
        """The keys of all units that went well, whatever plan asked for them."""
        return {key for (key,) in self._read("SELECT key FROM units WHERE tally NOT NULL")}

    @property
    def plan(self) -> dict[str, Any]:
        """The plan that ran last."""
        with open_to_read(self.path) as database:
            return about(database, "plan")

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that the plan asks for."""
        return tuple(self.plan["measures"])

    @property
    def datasets(self) -> tuple[str, ...]:
        """The data sets of the plan, in its order."""
        return self._distinct("dataset")

    @property
    def learners(self) -> tuple[str, ...]:
        """The learners of the plan, in its order."""
        return self._distinct("learner")

    def versions(self) -> list[dict[str, str]]:
        """With what the units were computed; more than one entry if not all with the same."""
        found = self._read(
            "SELECT DISTINCT v.what FROM results r JOIN versions v ON v.id = r.versions ORDER BY 1"
        )
        return [json.loads(what) for (what,) in found]

    def failures(self) -> list[Failure]:
        """The units that failed, in the order of the plan."""
        query = f"SELECT {', '.join(NAMES)}, error, trace FROM results WHERE error NOT NULL"
        return [Failure(*row) for row in self._read(query)]

    def columns(self, measures: Iterable[str] | None = None) -> dict[str, list[Any]]:
        """A row a unit that is done: its names, sizes, measures and times, as plain columns."""
        chosen = [check_measure(name) for name in (measures or self.measures)]
        plain = [*NAMES, "n_train", "n_test", "n_features", "fit_seconds", "predict_seconds"]
        rows = self._read(f"SELECT {', '.join(plain)} FROM results WHERE tally NOT NULL")
        table: dict[str, list[Any]] = {
            name: [row[j] for row in rows] for j, name in enumerate(plain)
        }
        if all(size is None for size in table["size"]):
            del table["size"]
        for measure in chosen:
            table[measure.name] = self._values(measure).tolist()
        return table

    def frame(self, measures: Iterable[str] | None = None, *, backend: str = "pandas") -> Any:
        """A tidy frame: a row a unit that is done, a column a measure.

        Parameters
        ----------
        measures : iterable of str, optional
            Utilities and scores, as a plan names them; by default those of the plan.
        backend : {"pandas", "polars"}, default="pandas"
        """
        columns = self.columns(measures)
        if backend == "polars":
            import polars

            return polars.DataFrame(columns)
        if backend != "pandas":
            raise ValueError(f"backend must be 'pandas' or 'polars', got {backend!r}")
        import pandas as pd

        return pd.DataFrame(columns)

    def scores(self, measure: str = "u65", *, pooled: bool = False) -> ScoreTable:
        """A measure of every learner (columns) on every data set (rows).

        Parameters
        ----------
        measure : str, default="u65"
        pooled : bool, default=False
            Score all test rows of a data set together; by default each fold is scored apart, and
            the mean over the folds is taken (over those in which the measure is defined).
        """
        wanted = check_measure(measure)
        names = self._read(f"SELECT {', '.join(NAMES)} FROM results WHERE tally NOT NULL")
        places = [(_row_name(dataset, size), learner) for dataset, size, _, _, learner in names]
        rows = tuple(
            _row_name(*row) for row in self._read("SELECT DISTINCT dataset, size FROM planned")
        )
        cell = self._pooled(wanted, places) if pooled else averaged(self._values(wanted), places)
        return self._table(wanted, rows, cell)

    def folds(self, dataset: str, measure: str = "u65", *, size: int | None = None) -> ScoreTable:
        """A measure of every learner (columns) on every split (rows) of one data set.

        These are the paired values that ``wager.compare.corrected_t`` and its like take.
        """
        wanted = check_measure(measure)
        names = self._read(f"SELECT {', '.join(NAMES)} FROM results WHERE tally NOT NULL")
        cell: dict[tuple[str, str], float] = {}
        for (found, at, repeat, fold, learner), value in zip(
            names, self._values(wanted), strict=True
        ):
            if found == dataset and at == size:
                cell[f"{repeat}.{fold}", learner] = float(value)
        if not cell:
            raise ValueError(f"nothing is done on {_row_name(dataset, size)!r} yet")
        return self._table(wanted, tuple(dict.fromkeys(row for row, _ in cell)), cell)

    def tally(self, dataset: str, learner: str, *, size: int | None = None) -> Tally:
        """The tally of all test rows of a data set."""
        return sum(self.tallies(dataset, learner, size=size))  # type: ignore[return-value]

    def tallies(self, dataset: str, learner: str, *, size: int | None = None) -> list[Tally]:
        """The tally of each split, in order."""
        return [Tally.from_json(text) for text in self._of("tally", dataset, learner, size)]

    def paired(self, dataset: str, a: str, b: str, *, size: int | None = None) -> PairedTally:
        """How two learners fared on the same test rows of a data set."""
        n_classes = self.tallies(dataset, a, size=size)[0].n_classes
        rows = [self._by_split("rows", dataset, learner, size) for learner in (a, b)]
        shared = [split for split in rows[0] if split in rows[1]]
        if not shared:
            raise ValueError(f"{a} and {b} have no split of {dataset} in common yet")
        parts = (paired_tally(rows[0][split], rows[1][split], n_classes) for split in shared)
        return sum(parts)  # type: ignore[return-value]

    def probabilities(
        self, dataset: str, learner: str, *, size: int | None = None
    ) -> ProbabilityEvaluation:
        """What a learner's probabilities earned on all test rows of a data set.

        Rewards are relative to the prior of each split's own training rows; the prior shown is
        their mean.
        """
        packed = self._of("probabilities", dataset, learner, size)
        if packed[0] is None:
            raise ValueError(
                f"no probabilities of {learner} were kept: it has none, or the plan says "
                "probabilities = false"
            )
        return evaluated(packed)

    def predictions(
        self, dataset: str, learner: str, *, kind: str = "sets", size: int | None = None
    ) -> list[Path]:
        """The files with every test row's prediction, one a split, if the plan asked for them.

        They are prediction files as ``wager.read_predictions`` and ``wager score`` take them;
        ``kind`` is "sets" or "probabilities".
        """
        keys = self._of("key", dataset, learner, size)
        files = [predictions_file(self.path, key, kind) for key in keys]
        return [file for file in files if file.is_file()]

    def _table(
        self, measure: Measure, rows: tuple[str, ...], cell: dict[tuple[str, str], float]
    ) -> ScoreTable:
        learners = self.learners
        values = [[cell.get((row, learner), np.nan) for learner in learners] for row in rows]
        return ScoreTable(measure.name, rows, learners, np.array(values), measure.greater_is_better)

    def _values(self, measure: Measure) -> Floats:
        """The measure of every unit that is done, in the order of the plan."""
        stored = [row[0] for row in self._read(
            f"SELECT {measure.column} FROM results WHERE tally NOT NULL"
        )]  # fmt: skip
        return measured(measure, stored)

    def _pooled(self, measure: Measure, places: Sequence[Any]) -> dict[Any, float]:
        stored = self._read(f"SELECT {measure.column} FROM results WHERE tally NOT NULL")
        groups: dict[Any, list[Any]] = {}
        for place, (value,) in zip(places, stored, strict=True):
            if value is not None:
                groups.setdefault(place, []).append(value)
        return {place: measured_together(measure, values) for place, values in groups.items()}

    def _of(self, column: str, dataset: str, learner: str, size: int | None) -> list[Any]:
        return list(self._by_split(column, dataset, learner, size).values())

    def _by_split(
        self, column: str, dataset: str, learner: str, size: int | None
    ) -> dict[tuple[int, int], Any]:
        found = self._read(
            f"SELECT repeat, fold, {column} FROM results "
            "WHERE tally NOT NULL AND dataset = ? AND learner = ? AND size IS ?",
            (dataset, learner, size),
        )
        if not found:
            at = "" if size is None else f" with size {size}"
            raise ValueError(
                f"nothing of {learner!r} on {dataset!r}{at} is done: the plan has the learners "
                f"{', '.join(self.learners)} and {len(self.datasets)} data sets"
            )
        return {(repeat, fold): value for repeat, fold, value in found}

    def _distinct(self, column: str) -> tuple[str, ...]:
        found = self._read(f"SELECT {column} FROM planned GROUP BY 1 ORDER BY min(position)")
        return tuple(name for (name,) in found)

    def _read(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with open_to_read(self.path) as database:
            return database.execute(query, values).fetchall()


def _row_name(dataset: str, size: int | None) -> str:
    return dataset if size is None else f"{dataset}, {size} rows"
