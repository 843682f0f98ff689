"""The store: what units gave, and every measure of it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wager.experiments._measures import Measure, check_measure
from wager.experiments.run._outcome import paired_tally
from wager.experiments.store._database import about, open_to_read, predictions_file
from wager.experiments.store._measured import averaged, evaluated, measured, measured_together
from wager.experiments.store._scores import ScoreTable
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
        chosen = [check_measure(m) for m in (self.measures if measures is None else measures)]
        plain = [*NAMES, "n_train", "n_test", "n_features", "fit_seconds", "predict_seconds"]
        kept = list(dict.fromkeys([*plain, *(measure.column for measure in chosen)]))
        with open_to_read(self.path) as database:
            (sizes,) = database.execute("SELECT count(size) FROM planned").fetchone()
            rows = database.execute(
                f"SELECT {', '.join(kept)} FROM results WHERE tally NOT NULL"
            ).fetchall()
        found = {name: [row[j] for row in rows] for j, name in enumerate(kept)}
        table = {name: found[name] for name in plain}
        if not sizes:
            del table["size"]
        for measure in chosen:
            table[measure.name] = measured(measure, found[measure.column]).tolist()
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
        """A measure of every learner (columns) on every data set (rows), in the plan's order.

        Parameters
        ----------
        measure : str, default="u65"
        pooled : bool, default=False
            Score all test rows of a data set together; by default each fold is scored apart, and
            the mean over the folds is taken (over those in which the measure is defined).
        """
        wanted = check_measure(measure)
        with open_to_read(self.path) as database:
            planned = database.execute(
                "SELECT dataset, size FROM planned GROUP BY 1, 2 ORDER BY min(position)"
            ).fetchall()
            learners = _distinct(database, "learner")
            found = database.execute(
                f"SELECT dataset, size, learner, {wanted.column} FROM results WHERE tally NOT NULL"
            ).fetchall()
        places = [(_row_name(dataset, size), learner) for dataset, size, learner, _ in found]
        stored = [row[-1] for row in found]
        cell = (
            _pooled(wanted, places, stored)
            if pooled
            else averaged(measured(wanted, stored), places)
        )
        return _table(wanted, tuple(_row_name(*row) for row in planned), learners, cell)

    def folds(self, dataset: str, measure: str = "u65", *, size: int | None = None) -> ScoreTable:
        """A measure of every learner (columns) on every split (rows) of one data set.

        These are the paired values that ``wager.compare.corrected_t`` and its like take.
        """
        wanted = check_measure(measure)
        with open_to_read(self.path) as database:
            learners = _distinct(database, "learner")
            found = database.execute(
                f"SELECT repeat, fold, learner, {wanted.column} FROM results "
                "WHERE tally NOT NULL AND dataset = ? AND size IS ?",
                (dataset, size),
            ).fetchall()
        if not found:
            raise ValueError(f"nothing is done on {_row_name(dataset, size)!r} yet")
        places = [(f"{repeat}.{fold}", learner) for repeat, fold, learner, _ in found]
        values = measured(wanted, [row[-1] for row in found]).tolist()
        rows = tuple(dict.fromkeys(row for row, _ in places))
        return _table(wanted, rows, learners, dict(zip(places, values, strict=True)))

    def tally(self, dataset: str, learner: str, *, size: int | None = None) -> Tally:
        """The tally of all test rows of a data set."""
        return sum(self.tallies(dataset, learner, size=size))  # type: ignore[return-value]

    def tallies(self, dataset: str, learner: str, *, size: int | None = None) -> list[Tally]:
        """The tally of each split, in order."""
        return [Tally.from_json(text) for text in self._of("tally", dataset, learner, size)]

    def paired(self, dataset: str, a: str, b: str, *, size: int | None = None) -> PairedTally:
        """How two learners fared on the same test rows of a data set."""
        return paired_tally(*self._rows_of_both(dataset, a, b, size))

    def pairs(self, dataset: str, a: str, b: str, *, size: int | None = None) -> list[PairedTally]:
        """How two learners fared on the test rows of each split that both have done, in order."""
        first, second, n_classes = self._rows_of_both(dataset, a, b, size)
        return [
            paired_tally([one], [other], n_classes)
            for one, other in zip(first, second, strict=True)
        ]

    def chosen(
        self, dataset: str, learner: str, *, size: int | None = None
    ) -> list[dict[str, Any]]:
        """The parameters that tuning chose in each split, in order; empty for what is not tuned."""
        found = self._of("chosen", dataset, learner, size)
        return [json.loads(text) for text in found if text is not None]

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
        return list(self.predictions_by_split(dataset, learner, kind=kind, size=size).values())

    def predictions_by_split(
        self, dataset: str, learner: str, *, kind: str = "sets", size: int | None = None
    ) -> dict[tuple[int, int], Path]:
        """The same files by repeat and fold, to find those of several learners on one split."""
        with open_to_read(self.path) as database:
            keys = _by_split(database, "key", dataset, learner, size)
        files = {split: predictions_file(self.path, key, kind) for split, key in keys.items()}
        return {split: file for split, file in files.items() if file.is_file()}

    def _rows_of_both(
        self, dataset: str, a: str, b: str, size: int | None
    ) -> tuple[list[bytes], list[bytes], int]:
        """What two learners gave on the splits that both have done, and the number of classes."""
        with open_to_read(self.path) as database:
            first, second = (
                _by_split(database, "rows", dataset, learner, size) for learner in (a, b)
            )
            tally = next(iter(_by_split(database, "tally", dataset, a, size, most=1).values()))
        shared = [split for split in first if split in second]
        if not shared:
            raise ValueError(f"{a} and {b} have no split of {dataset} in common yet")
        n_classes = Tally.from_json(tally).n_classes
        return [first[split] for split in shared], [second[split] for split in shared], n_classes

    def _of(self, column: str, dataset: str, learner: str, size: int | None) -> list[Any]:
        with open_to_read(self.path) as database:
            return list(_by_split(database, column, dataset, learner, size).values())

    def _distinct(self, column: str) -> tuple[str, ...]:
        with open_to_read(self.path) as database:
            return _distinct(database, column)

    def _read(self, query: str) -> list[Any]:
        with open_to_read(self.path) as database:
            return database.execute(query).fetchall()


def _by_split(
    database: sqlite3.Connection,
    column: str,
    dataset: str,
    learner: str,
    size: int | None,
    most: int = -1,
) -> dict[tuple[int, int], Any]:
    """A column of the splits of a data set that are done, or of the first of them."""
    found = database.execute(
        f"SELECT repeat, fold, {column} FROM results "
        "WHERE tally NOT NULL AND dataset = ? AND learner = ? AND size IS ? LIMIT ?",
        (dataset, learner, size, most),
    ).fetchall()
    if not found:
        at = "" if size is None else f" with size {size}"
        learners, datasets = (_distinct(database, name) for name in ("learner", "dataset"))
        raise ValueError(
            f"nothing of {learner!r} on {dataset!r}{at} is done: the plan has the learners "
            f"{', '.join(learners)} and {len(datasets)} data sets"
        )
    return {(repeat, fold): value for repeat, fold, value in found}


def _distinct(database: sqlite3.Connection, column: str) -> tuple[str, ...]:
    """The names of the plan, in its order."""
    found = database.execute(f"SELECT {column} FROM planned GROUP BY 1 ORDER BY min(position)")
    return tuple(name for (name,) in found)


def _pooled(measure: Measure, places: Sequence[Any], stored: Sequence[Any]) -> dict[Any, float]:
    """The measure of all test rows of each place together."""
    groups: dict[Any, list[Any]] = {}
    for place, value in zip(places, stored, strict=True):
        if value is not None:
            groups.setdefault(place, []).append(value)
    return {place: measured_together(measure, values) for place, values in groups.items()}


def _table(
    measure: Measure,
    rows: tuple[str, ...],
    learners: tuple[str, ...],
    cell: dict[tuple[str, str], float],
) -> ScoreTable:
    values = [[cell.get((row, learner), np.nan) for learner in learners] for row in rows]
    return ScoreTable(measure.name, rows, learners, np.array(values), measure.greater_is_better)


def _row_name(dataset: str, size: int | None) -> str:
    return dataset if size is None else f"{dataset}, {size} rows"
