"""The store: a folder with the results of units, from which every measure is read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from wager._tables import Table, View, Viewed, fields_html, fields_text
from wager._typing import Floats
from wager._visible import brief
from wager.costs import CostMatrix, ExtendedCosts
from wager.experiments.plan import (
    AVERAGE_COST,
    Plan,
    StoredMeasure,
    Unit,
    check_measure,
    versions,
)
from wager.experiments.store._database import (
    DATABASE,
    DamagedStoreError,
    KnownUnits,
    StoredRows,
    about,
    known_units,
    names_in_plan,
    open_to_read,
    predictions_file,
    read_results,
    rows_by_split,
    values_by_split,
    versions_by_number,
)
from wager.experiments.store._measure_values import (
    fold_means,
    pooled_evaluation,
    pooled_value,
    unit_values,
)
from wager.experiments.store._pivot import PivotTable, SplitScore, pivot_table
from wager.experiments.store._priced import pooled_costs, read_stored_costs, unit_costs
from wager.experiments.store._repair import Repair, repair
from wager.experiments.store._resampling import (
    ResampledPairedTally,
    ResampledTally,
    Resampling,
    SplitRows,
)
from wager.experiments.store._scores import ScoreTable
from wager.experiments.store._unit_result import paired_tally, unpack_cells, unpack_numbers
from wager.rewards import PairedTally, ProbabilityEvaluation, Tally, joint_number

__all__ = ["Failure", "Store", "require_learners"]

_Read = TypeVar("_Read", bound=Callable[..., Any])
Splits = dict[tuple[int, int], StoredRows]  # by repeat and fold
NAMES = ("dataset", "size", "repeat", "fold", "learner")


def _decoding(read: _Read) -> _Read:
    """Report a record whose values have another form than a store writes as damage.

    Checksums find accidents; this is for values that were changed together with their checksums.
    """

    @wraps(read)
    def checked(store: Store, *given: Any, **options: Any) -> Any:
        try:
            return read(store, *given, **options)
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError) as problem:
            if not all(isinstance(each, str | bool | None) for each in (*given, *options.values())):
                raise  # perhaps an argument is wrong, and not the store
            kind = f"{type(problem).__name__}: {problem}"
            raise DamagedStoreError(
                store.path, f"a value cannot be read, {' '.join(kind.split())}"
            ) from problem

    return cast("_Read", checked)


class Failure(NamedTuple):
    """A unit that failed, with its error and the traceback.

    Attributes
    ----------
    dataset, learner : str
        The data set and the learner.
    size : int or None
        The size of the training set, if the plan varies it.
    repeat, fold : int
        The split.
    error, trace : str
        The message of the error, and the traceback.
    """

    dataset: str
    size: int | None
    repeat: int
    fold: int
    learner: str
    error: str
    trace: str

    def __repr__(self) -> str:
        return fields_text(self)

    def _repr_html_(self) -> str:
        return fields_html(self)


def require_learners(names: Iterable[str], known: Sequence[str]) -> None:
    """Raise if one of these learners is not among those of a run.

    Examples
    --------
    >>> require_learners(["nbc", "tan"], ["nbc", "ncc"])
    Traceback (most recent call last):
    ...
    ValueError: the run has no learner 'tan': choose from 'nbc', 'ncc'
    """
    for name in names:
        if name not in known:
            among = ", ".join(map(repr, known))
            raise ValueError(f"the run has no learner {brief(name)}: choose from {among}")


class Store(Viewed):
    """A folder of results; it can be read during a run and afterwards.

    A store shows the units of the plan that was run last.  Units of earlier plans stay in the
    database and are reused when a plan needs them.

    Parameters
    ----------
    path : path
        The folder; ``run`` creates it.
    """

    def __init__(self, path: str | PathLike[str]):
        self.path = Path(path)

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r})"

    def _view(self) -> View:
        if not (self.path / DATABASE).is_file():
            return View(f"{self!r}: nothing is stored yet")
        counts = self.counts()
        rows = [
            ["data sets", ", ".join(self.datasets)],
            ["learners", ", ".join(self.learners)],
            ["measures", ", ".join(self.measures)],
        ]
        units = ", ".join(f"{number} {state}" for state, number in counts.items())
        return View(f"Store({self.path.name!r})", [Table((), rows, "<<")], [f"units: {units}"])

    @_decoding
    def counts(self) -> dict[str, int]:
        """The number of units that are planned, done and failed."""
        query = "SELECT count(*), count(tally), count(error) FROM results"
        planned, done, failed = self._read(query)[0]
        return {"planned": planned, "done": done, "failed": failed}

    @_decoding
    def done(self) -> set[str]:
        """The keys of all units that succeeded, also those of earlier plans."""
        return {key for (key,) in self._read("SELECT key FROM units WHERE tally NOT NULL")}

    def known(self, plan: Plan, units: Sequence[Unit], retry: bool = False) -> KnownUnits:
        """The units of a plan that need not be run again.

        Units without what is now to be kept are not among them, nor those that other versions of
        packages computed; with ``retry``, nor are units that failed.  A store that does not exist
        yet has none.
        """
        if not (self.path / DATABASE).is_file():
            return KnownUnits()
        with open_to_read(self.path) as database:
            return known_units(database, self.path, units, plan.keep, retry, versions())

    def repair(self) -> Repair:
        """Write the store anew with every intact result; the damaged files are kept beside it."""
        return repair(self.path)

    @property
    def plan(self) -> dict[str, Any]:
        """The plan that was run last."""
        with open_to_read(self.path) as database:
            found = about(database, "plan")
        if not isinstance(found, dict):
            raise ValueError(
                f"the plan of the results in {self.path} cannot be read: run it again to show them"
            )
        return found

    @property
    @_decoding
    def measures(self) -> tuple[str, ...]:
        """The measures of the plan, and the average cost if the plan has costs."""
        measures = tuple(self.plan["measures"])
        if not all(isinstance(name, str) for name in measures):
            raise TypeError(f"the measures must be names, got {brief(measures)}")
        priced = self._about("costs") is not None and AVERAGE_COST not in measures
        return (*measures, AVERAGE_COST) if priced else measures

    @property
    @_decoding
    def datasets(self) -> tuple[str, ...]:
        """The data sets of the plan, in its order."""
        return self._names("dataset")

    @property
    @_decoding
    def learners(self) -> tuple[str, ...]:
        """The learners of the plan, in its order."""
        return self._names("learner")

    @_decoding
    def versions(self) -> list[dict[str, str]]:
        """The software versions that computed the units; usually a single entry."""
        with open_to_read(self.path) as database:
            known = versions_by_number(database)
            used = database.execute("SELECT DISTINCT versions FROM results WHERE versions NOT NULL")
            found = [known.get(number, {}) for (number,) in used]
        return sorted(found, key=json.dumps)

    @_decoding
    def uneven(self, learners: Sequence[str] | None = None) -> str | None:
        """What to say if learners have finished different splits of a data set, None if not.

        Their scores are then means over different rows: the splits on which one learner failed may
        be the hard ones.  A data set that lacks a learner altogether has no part in comparisons.
        """
        with open_to_read(self.path) as database:
            found = read_results(database, ["dataset", "size", "learner", "repeat", "fold"])
        splits: dict[str, dict[str, set[tuple[int, int]]]] = {}
        for dataset, size, learner, *split in found:
            if learners is None or learner in learners:
                of_learners = splits.setdefault(_row_name(dataset, size), {})
                of_learners.setdefault(learner, set()).add(tuple(split))
        names = [
            name
            for name, of_learners in splits.items()
            if any(each != next(iter(of_learners.values())) for each in of_learners.values())
        ]
        if not names:
            return None
        which = names[0] if len(names) == 1 else f"{len(names)} data sets such as {names[0]}"
        return (
            f"on {which} learners have finished different splits, so that their scores are means "
            "over different rows"
        )

    @_decoding
    def failures(self) -> list[Failure]:
        """The units that failed, in the order of the plan."""
        with open_to_read(self.path) as database:
            found = read_results(database, [*NAMES, "error", "trace"], failed=True)
        return [Failure(*row) for row in found]

    @_decoding
    def columns(self, measures: Iterable[str] | None = None) -> dict[str, list[Any]]:
        """Names, sizes, measures and times as plain columns with one row per finished unit."""
        chosen = [check_measure(m) for m in (self.measures if measures is None else measures)]
        plain = [*NAMES, "n_train", "n_test", "n_features", "fit_seconds", "predict_seconds"]
        if any(measure.name == AVERAGE_COST for measure in chosen):
            read_stored_costs(self._about("costs"))  # raises an error if there are none
        kept = list(dict.fromkeys([*plain, *(measure.column for measure in chosen)]))
        with open_to_read(self.path) as database:
            (sizes,) = database.execute("SELECT count(size) FROM planned").fetchone()
            rows = read_results(database, kept)
        found = {name: [row[j] for row in rows] for j, name in enumerate(kept)}
        table = {name: found[name] for name in plain}
        if not sizes:
            del table["size"]
        for measure in chosen:
            stored = found[measure.column]
            values = self._unit_values(measure, found["dataset"], stored)
            table[measure.name] = values.tolist()
        return table

    @_decoding
    def frame(self, measures: Iterable[str] | None = None, *, backend: str = "pandas") -> Any:
        """A tidy data frame with one row per finished unit and one column per measure.

        Parameters
        ----------
        measures : iterable of str, optional
            Utilities and scores, named as in a plan; by default those of the plan.
        backend : {"pandas", "polars"}, default="pandas"
        """
        columns = self.columns(measures)
        if backend == "polars":
            import polars

            return polars.DataFrame(columns)
        if backend != "pandas":
            raise ValueError(f"backend must be 'pandas' or 'polars', got {brief(backend)}")
        import pandas as pd

        return pd.DataFrame(columns)

    @_decoding
    def scores(self, measure: str = "u65", *, pooled: bool = False) -> ScoreTable:
        """A measure by data set (rows) and learner (columns), in the order of the plan.

        Parameters
        ----------
        measure : str, default="u65"
        pooled : bool, default=False
            Score all test rows of a data set together.  By default each fold is scored separately
            and the scores are averaged over the folds in which the measure is defined.
        """
        if measure == AVERAGE_COST:
            return self.costs(pooled=pooled)
        wanted = check_measure(measure)
        planned, learners, cells, stored = self._column(wanted.column)
        scores = (
            _pooled(wanted, cells, stored)
            if pooled
            else fold_means(unit_values(wanted, stored), cells)
        )
        return _table(wanted, planned, learners, scores)

    @_decoding
    def costs(
        self,
        costs: CostMatrix | ExtendedCosts | None = None,
        *,
        pooled: bool = False,
        empty_cost: float | None = None,
    ) -> ScoreTable:
        """The average cost by data set (rows) and learner (columns); smaller is better.

        Parameters
        ----------
        costs : CostMatrix or ExtendedCosts, optional
            Any costs, by default those of the plan.  Classes are matched by name; a data set with
            other classes has no cost (NaN).
        pooled : bool, default=False
            As in `scores`.
        empty_cost : float, optional
            The cost of an empty set, by default that of the plan; without it an empty set is an
            error.
        """
        planned, learners, averages, rows, cells = self._unit_costs(costs, empty_cost)
        found = pooled_costs(averages, rows, cells) if pooled else fold_means(averages, cells)
        return _table(check_measure(AVERAGE_COST), planned, learners, found)

    def _unit_costs(
        self, costs: CostMatrix | ExtendedCosts | None, empty_cost: float | None
    ) -> tuple[tuple[str, ...], tuple[str, ...], Floats, Floats, list[tuple[str, str]]]:
        """Data sets, learners; the average cost of each unit, its rows, data set and learner."""
        if costs is None:
            costs, own = read_stored_costs(self._about("costs"))
            empty_cost = own if empty_cost is None else empty_cost
        planned, learners, cells, stored = self._column("cost_tally")
        averages, rows = unit_costs([name for name, _ in cells], stored, costs, empty_cost)
        return planned, learners, averages, rows, cells

    @property
    def cost_unit(self) -> str | None:
        """What the costs of the plan are counted in; None if that is not known."""
        data = self._about("costs")
        return None if data is None else read_stored_costs(data)[0].unit

    def _column(
        self, column: str
    ) -> tuple[tuple[str, ...], tuple[str, ...], list[tuple[str, str]], list[Any]]:
        """Data sets and learners of the plan; data set, learner and a column of finished units."""
        with open_to_read(self.path) as database:
            planned = database.execute(
                "SELECT dataset, size FROM planned GROUP BY 1, 2 ORDER BY min(position)"
            ).fetchall()
            learners = names_in_plan(database, "learner")
            found = read_results(database, ["dataset", "size", "learner", column])
        cells = [(_row_name(dataset, size), learner) for dataset, size, learner, _ in found]
        rows = tuple(_row_name(*row) for row in planned)
        return rows, learners, cells, [row[-1] for row in found]

    @_decoding
    def pivot(
        self,
        measure: str = "u65",
        *,
        baseline: str | None = None,
        alpha: float = 0.05,
        pooled: bool = False,
        costs: CostMatrix | ExtendedCosts | None = None,
        empty_cost: float | None = None,
    ) -> PivotTable:
        """The table of `scores` with standard deviations over splits, compared with a baseline.

        Parameters
        ----------
        measure : str, default="u65"
        baseline : str, optional
            The learner that the others are compared with, on the splits of each data set by the
            corrected t-test of Nadeau & Bengio (2003); by default the first one.
        alpha : float, default=0.05
            The level of each test.
        pooled : bool, default=False
            As in `scores`; deviations and tests are those of the splits in any case.
        costs, empty_cost : optional
            As in `costs`, for the measure ``"average_cost"``.
        """
        wanted = check_measure(measure)
        if wanted.name == AVERAGE_COST:
            table = self.costs(costs, pooled=pooled, empty_cost=empty_cost)
            values = self._unit_costs(costs, empty_cost)[2]
        else:
            table = self.scores(measure, pooled=pooled)
            values = unit_values(wanted, self._column(wanted.column)[3])
        return pivot_table(table, self._by_split(values), baseline, alpha)

    def _by_split(self, values: Floats) -> dict[tuple[str, str], dict[tuple[int, int], SplitScore]]:
        """The values of all finished units, by data set and learner, and by split."""
        with open_to_read(self.path) as database:
            found = read_results(
                database,
                ["dataset", "size", "learner", "repeat", "fold", "n_train", "n_test", "what"],
            )
        splits: dict[tuple[str, str], dict[tuple[int, int], SplitScore]] = {}
        for unit, value in zip(found, values.tolist(), strict=True):
            dataset, size, learner, repeat, fold, n_train, n_test, what = unit
            score = SplitScore(value, np.inf if _is_drawn(what) else n_train, n_test)
            splits.setdefault((_row_name(dataset, size), learner), {})[repeat, fold] = score
        return splits

    @_decoding
    def folds(self, dataset: str, measure: str = "u65", *, size: int | None = None) -> ScoreTable:
        """A measure by split (rows) and learner (columns) on one data set.

        These are the paired values that tests such as ``wager.compare.corrected_t`` take.
        """
        wanted = check_measure(measure)
        with open_to_read(self.path) as database:
            learners = names_in_plan(database, "learner")
            found = read_results(
                database,
                ["repeat", "fold", "learner", wanted.column],
                "dataset = ? AND size IS ?",
                (dataset, size),
            )
        if not found:
            raise ValueError(
                f"there is no result on {_row_name(dataset, size)!r} yet: run the plan first"
            )
        cells = [(f"{repeat}.{fold}", learner) for repeat, fold, learner, _ in found]
        stored = [row[-1] for row in found]
        values = self._unit_values(wanted, [dataset] * len(found), stored).tolist()
        rows = tuple(dict.fromkeys(row for row, _ in cells))
        return _table(wanted, rows, learners, dict(zip(cells, values, strict=True)))

    @_decoding
    def tally(self, dataset: str, learner: str, *, size: int | None = None) -> ResampledTally:
        """The tally of a learner on the rows of a data set.

        The unit is a row of the data set: its outcome is the average over the splits that test it,
        so ``n`` is the number of rows.  Standard errors are enlarged because the training sets of
        the splits overlap, in the spirit of Nadeau & Bengio (2003); ``assumption`` says so in
        words.  They are about the learner on such data, not about one fitted classifier.  The sum
        of the tallies of several data sets is the tally of all their rows.
        """
        splits = self._splits(dataset, learner, size)
        resampling = _resampling(splits)
        cell = unpack_cells([split.rows for split in splits.values()])
        return ResampledTally.over(resampling, _n_classes(splits), cell)

    @_decoding
    def tallies(self, dataset: str, learner: str, *, size: int | None = None) -> list[Tally]:
        """The tally of each split, in order, with its test rows as units.

        Their sum counts a row once for each repeat: use `tally` for standard errors.
        """
        return [Tally.from_json(text) for text in self._values("tally", dataset, learner, size)]

    @_decoding
    def outcome_shares(self) -> dict[tuple[str, str], Floats]:
        """How often each outcome occurred, averaged over the splits, by data set and learner.

        The rows of an array are set sizes 0, 1, ..., K, its columns misses and hits.  The expected
        utility of the shares is the score of `scores`, for every utility.
        """
        _, _, cells, stored = self._column("tally")
        found: dict[tuple[str, str], list[Floats]] = {}
        for cell, text in zip(cells, stored, strict=True):
            tally = Tally.from_json(text)
            if tally.n:
                found.setdefault(cell, []).append(tally.table / tally.n)
        return {cell: np.mean(shares, axis=0) for cell, shares in found.items()}

    @_decoding
    def paired(
        self, dataset: str, a: str, b: str, *, size: int | None = None
    ) -> ResampledPairedTally:
        """The paired tally of two learners on the rows of a data set.

        Units, standard errors and ``assumption`` are those of `tally`; intervals, tests and
        break-even points follow from them.
        """
        first, second = self._splits_of_both(dataset, a, b, size)
        resampling, n_classes = _resampling(first), _n_classes(first)
        cell_a, cell_b = (unpack_cells([s.rows for s in side.values()]) for side in (first, second))
        cell = joint_number(cell_a, cell_b, n_classes)
        return ResampledPairedTally.over(resampling, n_classes, cell)

    @_decoding
    def pairs(self, dataset: str, a: str, b: str, *, size: int | None = None) -> list[PairedTally]:
        """The paired tally of two learners for each split that both have finished, in order.

        The units are the test rows of the split: use `paired` for standard errors over splits.
        """
        first, second = self._splits_of_both(dataset, a, b, size)
        n_classes = _n_classes(first)
        return [
            paired_tally([first[split].rows], [second[split].rows], n_classes) for split in first
        ]

    @_decoding
    def chosen(
        self, dataset: str, learner: str, *, size: int | None = None
    ) -> list[dict[str, Any]]:
        """The parameters chosen by tuning in each split, in order; empty without tuning."""
        found = self._values("chosen", dataset, learner, size)
        return [json.loads(text) for text in found if text is not None]

    @_decoding
    def probabilities(
        self, dataset: str, learner: str, *, size: int | None = None
    ) -> ProbabilityEvaluation:
        """The scores of a learner's probabilities on all test rows of a data set.

        Rewards are relative to the prior of the training rows of each split; the prior in the
        result is the mean of these priors.  Every prediction counts as one independent row: unlike
        those of `tally`, standard errors do not allow for repeats and overlapping training sets.
        """
        packed = self._values("probabilities", dataset, learner, size)
        if packed[0] is None:
            raise ValueError(
                f"no probabilities of {learner} are stored: the learner has none, or the plan has "
                "probabilities = false"
            )
        return pooled_evaluation(packed)

    @_decoding
    def predictions(
        self, dataset: str, learner: str, *, kind: str = "sets", size: int | None = None
    ) -> list[Path]:
        """The files with the predictions of all test rows, one per split, if the plan keeps them.

        ``wager.read_predictions`` and ``wager score`` read these files; ``kind`` is "sets" or
        "probabilities".
        """
        files = self._predictions_kept(dataset, learner, kind, size)
        found = {split: file for split, file in files.items() if file.is_file()}
        if len(found) < len(files) and (found or kind == "sets"):  # others have no probabilities
            raise ValueError(
                f"{len(files) - len(found)} of {len(files)} files of predictions of {learner} on "
                f"{dataset!r} are missing in {self.path}: run the plan again to write them"
            )
        return list(found.values())

    @_decoding
    def predictions_by_split(
        self, dataset: str, learner: str, *, kind: str = "sets", size: int | None = None
    ) -> dict[tuple[int, int], Path]:
        """The same files by repeat and fold, to match those of several learners.

        Splits whose files are missing are left out.
        """
        files = self._predictions_kept(dataset, learner, kind, size)
        return {split: file for split, file in files.items() if file.is_file()}

    def _predictions_kept(
        self, dataset: str, learner: str, kind: str, size: int | None
    ) -> dict[tuple[int, int], Path]:
        """The files of the splits whose results were computed together with such files.

        Other files may be left from an earlier version, with predictions that do not belong to the
        results.
        """
        with open_to_read(self.path) as database:
            keys, kept = (
                values_by_split(database, column, dataset, learner, size)
                for column in ("key", "kept")
            )
        return {
            split: predictions_file(self.path, key, kind)
            for split, key in keys.items()
            if "r" in kept[split]
        }

    def _splits(self, dataset: str, learner: str, size: int | None) -> Splits:
        with open_to_read(self.path) as database:
            return rows_by_split(database, dataset, learner, size)

    def _splits_of_both(
        self, dataset: str, a: str, b: str, size: int | None
    ) -> tuple[Splits, Splits]:
        """The rows of two learners on the splits that both have finished."""
        with open_to_read(self.path) as database:
            first, second = (rows_by_split(database, dataset, name, size) for name in (a, b))
        shared = [split for split in first if split in second]
        if not shared:
            raise ValueError(
                f"{a} and {b} have no finished split of {dataset} in common: run the plan to its "
                "end"
            )
        return {split: first[split] for split in shared}, {split: second[split] for split in shared}

    def _unit_values(
        self, measure: StoredMeasure, datasets: Sequence[str], stored: Sequence[Any]
    ) -> Floats:
        """The measure of each unit, given its data set and the column of the measure."""
        if measure.name != AVERAGE_COST:
            return unit_values(measure, stored)
        costs, empty_cost = read_stored_costs(self._about("costs"))
        return unit_costs(datasets, stored, costs, empty_cost)[0]

    def _about(self, name: str) -> Any:
        with open_to_read(self.path) as database:
            return about(database, name)

    def _values(self, column: str, dataset: str, learner: str, size: int | None) -> list[Any]:
        with open_to_read(self.path) as database:
            return list(values_by_split(database, column, dataset, learner, size).values())

    def _names(self, column: str) -> tuple[str, ...]:
        with open_to_read(self.path) as database:
            return names_in_plan(database, column)

    def _read(self, query: str) -> list[Any]:
        with open_to_read(self.path) as database:
            return database.execute(query).fetchall()


def _resampling(splits: Splits) -> Resampling:
    """Which rows of the data set the splits test."""
    tested = [
        SplitRows(
            repeat,
            stored.n_train,
            stored.n_test,
            None if stored.row_numbers is None else unpack_numbers(stored.row_numbers),
        )
        for (repeat, _), stored in splits.items()
    ]
    (some, *_) = splits.values()
    return Resampling.of(tested, drawn=_is_drawn(some.what))


def _is_drawn(what: str) -> bool:
    """Whether the unit that this describes has separate rows, drawn from a model."""
    return bool(json.loads(what)["scheme"]["kind"] == "generate")


def _n_classes(splits: Splits) -> int:
    (some, *_) = splits.values()
    return Tally.from_json(some.tally).n_classes


def _pooled(
    measure: StoredMeasure, cells: Sequence[Any], stored: Sequence[Any]
) -> dict[Any, float]:
    """The measure of all test rows of each cell together."""
    groups: dict[Any, list[Any]] = {}
    for cell, value in zip(cells, stored, strict=True):
        if value is not None:
            groups.setdefault(cell, []).append(value)
    return {cell: pooled_value(measure, values) for cell, values in groups.items()}


def _table(
    measure: StoredMeasure,
    rows: tuple[str, ...],
    learners: tuple[str, ...],
    scores: dict[tuple[str, str], float],
) -> ScoreTable:
    values = [[scores.get((row, learner), np.nan) for learner in learners] for row in rows]
    return ScoreTable(measure.name, rows, learners, np.array(values), measure.greater_is_better)


def _row_name(dataset: str, size: int | None) -> str:
    return dataset if size is None else f"{dataset}, {size} rows"
