"""Check the data of a plan before anything runs: files, targets, columns, and numbers of rows.

Every data set is loaded once and each fault becomes a sentence that names its key.  What is found
here would otherwise fail unit by unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from wager._tables import counted, nearest_name
from wager.experiments.plan._learners import first_column_of_numbers
from wager.experiments.plan._prepare import Preparation, PreparedTable
from wager.experiments.plan._schemes import Scheme
from wager.experiments.plan._sources import DataSource
from wager.prepare import Dataset, TargetError

__all__ = ["PlannedLearner", "SourceSize", "data_faults"]


@dataclass(frozen=True)
class SourceSize:
    """How large a data set is."""

    n_rows: int
    n_columns: int
    has_numbers: bool  # in some column
    classes: tuple[Any, ...] = ()


@dataclass(frozen=True)
class PlannedLearner:
    """A learner as it is used on one data set."""

    key: str  # such as learners.ncc
    name: str  # of its class
    learner: Any
    preparation: Preparation


def data_faults(
    sources: Iterable[tuple[str, DataSource, Scheme, list[PlannedLearner]]],
) -> tuple[dict[str, SourceSize], list[str]]:
    """The size of each data set by name, and a sentence for each fault.

    Parameters
    ----------
    sources : iterable of (key, source, scheme, learners)
        The data sets, each with its key in the plan, its scheme and the learners that are to learn
        from it.
    """
    sizes: dict[str, SourceSize] = {}
    faults: list[str] = []
    numeric: dict[tuple[str, str], list[str]] = {}
    for key, source, scheme, learners in sources:
        if not source.path:  # generated
            continue
        data = _loaded(key, source, faults)
        if data is None:
            continue
        sizes[source.name] = SourceSize(
            len(data), len(data.columns), not bool(data.nominal.all()), tuple(data.classes.tolist())
        )
        faults += _faults_of_rows(key, source, len(data), scheme)
        for place, column in _numeric_columns(data, learners):
            numeric.setdefault(place, []).append(f"{column!r} of {source.name}")
    return sizes, [*faults, *(_numbers(*place, found) for place, found in numeric.items())]


def _loaded(key: str, source: DataSource, faults: list[str]) -> Dataset | None:
    """The data set; None if it cannot be loaded, and then the list gets the reason."""
    try:
        data = source.load_all_columns()
        wrong = [
            f"{key}.drop names {column!r}, which is not a feature of {source.place}: "
            f"{_choices(column, data.columns)}"
            for column in source.what.get("drop", ())
            if column not in data.columns
        ]
        faults += wrong
        return None if wrong else source.without_dropped(data)
    except TargetError as problem:
        faults.append(_fault_of_target(key, problem))
    except ValueError as problem:
        faults.append(f"{key}: {problem}")
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        faults.append(f"{key}: cannot read {source.place}: {reason}")
    return None


def _fault_of_target(key: str, problem: TargetError) -> str:
    if problem.target is not None:
        return (
            f"{key}.target is {problem.target!r}, which is not a column of {problem.where}: "
            f"{problem.choices}"
        )
    return (
        f"{key}.target is missing: {problem.where} does not declare which column is the class, so "
        f"name it, as in {{ source = '{problem.where}', target = '{problem.columns[-1]}' }}; "
        f"{problem.choices}"
    )


def _choices(name: str, known: Sequence[str]) -> str:
    near = nearest_name(name, known)
    return f"did you mean {near!r}?" if near else f"it has {', '.join(known)}"


def _faults_of_rows(key: str, source: DataSource, n_rows: int, of: Scheme) -> Iterator[str]:
    scheme, largest = of.identity(), max(getattr(of, "sizes", None) or [0])
    if not n_rows:
        yield f"{key}: {source.place} has no row with a class"
    elif scheme["kind"] == "cross-validation" and scheme["n_folds"] > n_rows:
        yield (
            f"scheme.n_folds is {scheme['n_folds']}, but {source.place} has only "
            f"{counted(n_rows, 'row')}: use fewer folds"
        )
    elif scheme["kind"] == "holdout" and not 0 < round(n_rows * scheme["test_share"]) < n_rows:
        yield (
            f"scheme.test_share is {scheme['test_share']:g}, which leaves no training or no test "
            f"rows of the {n_rows} in {source.place}"
        )
    elif scheme["kind"] == "downsample" and largest >= n_rows:
        yield (
            f"scheme.sizes contains {largest}, but {source.place} has only "
            f"{counted(n_rows, 'row')}, and some must be left for testing"
        )


def _numeric_columns(
    data: Dataset, learners: list[PlannedLearner]
) -> Iterator[tuple[tuple[str, str], str]]:
    """The learners and steps that cannot take the numbers in the data, and a column of numbers."""
    if data.nominal.all():
        return
    rows = PreparedTable.of(data)
    first = data.columns[int((~data.nominal).argmax())]
    for planned in learners:
        preparation = planned.preparation
        if preparation.discretize != "none" or preparation.encode != "codes":
            continue
        if preparation.select == "cfs":
            yield ("prepare.select", "cfs"), first
        place = first_column_of_numbers(planned.learner, rows.X, rows.nominal)
        if place is not None:
            yield (planned.key, planned.name), data.columns[place]


def _numbers(key: str, name: str, columns: list[str]) -> str:
    distinct = list(dict.fromkeys(columns))
    n_more = len(distinct) - 1
    more = f" (and in {n_more} more data set{'s' * (n_more > 1)})" if n_more else ""
    return (
        f"{key}: {name} takes nominal features, but there are numbers in {distinct[0]}{more}: "
        "discretize them with prepare.discretize = 'mdl'"
    )
