"""All that the scores of a prediction file need of its rows, counted on one machine or on many.

`tally_rows` counts an open file, or a part of one.  What it returns for two parts adds up, so
`tally_parts` lets the workers of a cluster count the parts of a file with the same function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from wager._dask import DaskEngine
from wager._tables import RowUnits, encode_labels
from wager._typing import Array
from wager.predictions import (
    FileCounts,
    FilePart,
    MissingRows,
    PartCounts,
    PredictionFile,
    Predictions,
    classes_of_parts,
    file_parts,
    most_probable,
    refuse_labels,
    total_of_parts,
)
from wager.rewards import ProbabilityRows, ProbabilityTally, SummableTally

ALL = ""  # the group of all rows
Progress = Callable[[float], None]
AnyTally = TypeVar("AnyTally", bound=SummableTally)


@dataclass(frozen=True)
class TallySettings:
    """How the rows of a file are tallied.

    Parameters
    ----------
    by_group : bool
        Whether each group of rows is tallied as well.
    prior : array-like or None
        The prior of information rewards.
    rule : str
        The rule that turns probability intervals into sets.
    """

    by_group: bool = False
    prior: Any = None
    rule: Any = "maximality"


@dataclass(frozen=True)
class RowTallies:
    """Tallies of the rows of a file, or of a part of it.

    Parameters
    ----------
    counts : FileCounts or None
        The sets that are stated, or that follow from the predictions; None if there are no rows.
    probabilities : dict of str to ProbabilityTally
        By group; the group ``""`` has all rows.
    missing : MissingRows, optional
        The rows that are left out because they lack a value.
    """

    counts: FileCounts | None
    probabilities: dict[str, ProbabilityTally] = field(default_factory=dict)
    missing: MissingRows | None = None

    def __add__(self, other: RowTallies) -> RowTallies:
        return RowTallies(
            (PartCounts(self.counts) + PartCounts(other.counts)).counts,
            added(self.probabilities, other.probabilities),
            _either(self.missing, other.missing),
        )


def added(first: Mapping[str, AnyTally], second: Mapping[str, AnyTally]) -> dict[str, AnyTally]:
    """The tallies of two parts by group; a group may be in one of them only."""
    groups = sorted({*first, *second})  # all rows come first
    return {group: _either(first.get(group), second.get(group)) for group in groups}


def _either(first: Any, second: Any) -> Any:
    """The sum of two, or the one that there is."""
    if first is None or second is None:
        return second if first is None else first
    return first + second


def tally_rows(
    file: PredictionFile, settings: TallySettings, progress: Progress | None = None
) -> RowTallies:
    """Tally labels, sets, probabilities or probability intervals of an open file."""
    if file.has_no_rows:
        return RowTallies(None, missing=file.missing)
    if file.holds_sets:
        return RowTallies(file.count(settings.by_group, progress), missing=file.missing)
    named: list[FileCounts] = []
    tallies: dict[str, ProbabilityTally] = {}
    for chunk in file.chunks(progress=progress, whole_clusters=True):
        named.append(_count(chunk, settings))
        if chunk.proba is not None:
            found = _probabilities(chunk, settings, keep_clusters=file.is_part)
            tallies = added(tallies, found)
    counts = FileCounts.total(named)
    if not file.is_part and not counts.weight.any():
        raise file.layout.no_rows_count(file.path)
    return RowTallies(counts, tallies, file.missing)


def _count(rows: Predictions, settings: TallySettings) -> FileCounts:
    """Count the sets that follow from intervals, or the most probable classes."""
    from wager.credal import decide

    if rows.intervals is not None:
        return FileCounts.of(rows, decide(rows.intervals, settings.rule), settings.by_group)
    assert rows.proba is not None
    return FileCounts.of_labels(rows, most_probable(rows.proba), settings.by_group)


def _probabilities(
    rows: Predictions, settings: TallySettings, *, keep_clusters: bool
) -> dict[str, ProbabilityTally]:
    assert rows.proba is not None
    units = RowUnits(rows.weight, rows.count)
    if rows.cluster is not None:
        codes, clusters = encode_labels(rows.cluster, name="cluster")
        units = RowUnits(rows.weight, rows.count, codes, clusters)
    every = ProbabilityRows(rows.codes, rows.proba, rows.classes, units)
    return {
        group: ProbabilityTally.of_rows(
            every if group == ALL else every.take(chosen),
            settings.prior,
            keep_clusters=keep_clusters and rows.cluster is not None,
        )
        for group, chosen in rows_by_group(rows, settings.by_group)
    }


def rows_by_group(rows: Predictions, by_group: bool) -> Iterator[tuple[str, Any]]:
    """All rows, and the rows of each group if wanted; groups of weight 0 are left out."""
    masks: dict[str, Any] = {ALL: np.ones(len(rows), dtype=bool)}
    if by_group and rows.group is not None:
        names = np.array([group_name(group) for group in rows.group], dtype=object)
        masks |= {name: names == name for name in sorted(set(names))}
    totals = rows.totals
    for name, mask in masks.items():
        if totals is None or totals[mask].any():
            yield name, mask


def group_name(group: Any) -> str:
    """The name of a group in tables."""
    return "(no group)" if group is None else str(group)


# -- on a cluster ---------------------------------------------------------------------------------


def tally_parts(
    engine: DaskEngine,
    file: PredictionFile,
    settings: TallySettings,
    *,
    drop: bool = False,
    progress: Progress | None = None,
) -> RowTallies:
    """Tally an open file on a cluster.

    Parameters
    ----------
    engine : DaskEngine
        The cluster.
    file : PredictionFile
        The file, opened without leaving out rows.
    settings : TallySettings
        How its rows are tallied.
    drop : bool, default=False
        Whether rows that lack a value are left out.
    progress : callable, optional
        Called with the share of the file that is done.
    """
    if file.kind == "memberships":
        raise ValueError(
            f"{file.path}: memberships (m: columns) are scored on one machine only, because their "
            "scale depends on all rows: leave out --engine dask"
        )

    def count(classes: Array | None, progress: Progress | None = None) -> RowTallies:
        parts = [(part,) for part in file_parts(file, drop=drop, classes=classes)]
        return total_of_parts(engine, partial(_tally_part, settings=settings), parts, progress)

    # what classes share that a row does not list depends on their number
    known = classes_of_parts(engine, file, drop=drop) if file.kind == "proba" else None
    found = count(known, progress)
    missing = found.missing
    if found.counts is None and missing is not None:
        raise ValueError(f"{file.path}: no row is left: {missing.left_out()}")
    assert found.counts is not None
    if file.classes is None and known is None:
        refuse_labels(file, found.counts, count)
    if not found.counts.weight.any():
        raise file.layout.no_rows_count(file.path)
    return replace(found, missing=missing if missing is not None and missing.n else None)


def _tally_part(parts: tuple[FilePart, ...], settings: TallySettings) -> RowTallies:
    (part,) = parts
    return tally_rows(part.open_kept(), settings)
