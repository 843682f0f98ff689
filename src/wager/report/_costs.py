"""What the predictions of a file cost: overall, by true class, by group and by kind of error.

The cost of a prediction depends on its set and on the true class, so the rows are read once more
and counted by these two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from wager._dask import DaskEngine
from wager._tables import format_labels
from wager._typing import Array
from wager.compare import sets_of
from wager.costs import (
    CostEvaluation,
    CostMatrix,
    CostTally,
    ExtendedCosts,
    TabulatedCosts,
    costs_for_classes,
    other_classes,
)
from wager.predictions import (
    FilePart,
    PredictionFile,
    Predictions,
    PredictionSets,
    file_parts,
    total_of_parts,
)
from wager.report._row_tallies import ALL, added
from wager.rewards import Estimate

COST = "average_cost"  # the name of the measure
_MOST_ERRORS = 12  # kinds of error in a table


@dataclass(frozen=True)
class FileCosts:
    """The costs of the predictions of a file, of all rows and of groups of rows.

    Parameters
    ----------
    by_group : dict of str to CostEvaluation
        The group ``""`` has all rows.
    sentences : tuple of str
        What to tell the reader.
    """

    by_group: dict[str, CostEvaluation]
    sentences: tuple[str, ...]


def price_file(
    file: PredictionFile,
    costs: CostMatrix | ExtendedCosts,
    *,
    by_group: bool = False,
    rule: str = "maximality",
    empty_cost: float | None = None,
    tallies: Mapping[str, CostTally] | None = None,
) -> FileCosts:
    """The costs of the predictions in a file.

    Parameters
    ----------
    file : PredictionFile
        A file opened by ``scan_predictions``.
    costs : CostMatrix or ExtendedCosts
        The costs; those of single classes are extended to sets by ``costs.extend()``.
    by_group : bool, default=False
        Whether to evaluate each group of rows as well.
    rule : str, default="maximality"
        The rule of `wager.credal.decide` that turns probability intervals into sets.
    empty_cost : float, optional
        The cost of an empty set; without it an empty set is an error.
    tallies : mapping of str to CostTally, optional
        What `tally_costs` or `tally_costs_of_parts` returned; by default the file is read.
    """
    if tallies is None:
        tallies = tally_costs(file, by_group=by_group, rule=rule)
    whole = tallies[ALL]
    _refuse_empty(file, whole, empty_cost)
    named = costs_for_classes(costs, whole.classes.tolist(), str(file.path))
    extended = named if isinstance(named, ExtendedCosts) else named.extend()
    found = {
        group: tally.evaluate(extended, empty_cost=empty_cost) for group, tally in tallies.items()
    }
    return FileCosts(found, tuple(_words(found[ALL], whole, named)))


def tally_costs(
    file: PredictionFile,
    *,
    by_group: bool = False,
    rule: str = "maximality",
) -> dict[str, CostTally]:
    """Count the rows of a file, or of a part of one, by set and true class, for each group."""
    tallies: dict[str, CostTally] = {}
    if file.has_no_rows:
        return tallies
    for chunk in file.chunks(whole_clusters=True):
        sets = sets_of(chunk, rule)
        parts = {
            group: _tally(chunk, sets, kept, keep_clusters=file.is_part)
            for group, kept in _rows_by_group(chunk, by_group)
        }
        tallies = added(tallies, parts)
    return tallies


def tally_costs_of_parts(
    engine: DaskEngine,
    file: PredictionFile,
    classes: Array,
    *,
    by_group: bool = False,
    rule: str = "maximality",
    drop: bool = False,
) -> dict[str, CostTally]:
    """The same on a cluster, where the classes are known already."""
    parts = [(part,) for part in file_parts(file, drop=drop, classes=classes)]
    count = partial(_tally_part, by_group=by_group, rule=rule)
    return total_of_parts(engine, count, parts).tallies


@dataclass(frozen=True)
class GroupCosts:
    """Counts by set and true class, for each group of the rows of a part of a file."""

    tallies: dict[str, CostTally]

    def __add__(self, other: GroupCosts) -> GroupCosts:
        return GroupCosts(added(self.tallies, other.tallies))


def _tally_part(parts: tuple[FilePart, ...], by_group: bool, rule: str) -> GroupCosts:
    (part,) = parts
    return GroupCosts(tally_costs(part.open_kept(), by_group=by_group, rule=rule))


def _tally(
    rows: Predictions, sets: PredictionSets, kept: Array, *, keep_clusters: bool
) -> CostTally:
    def some(column: Array | None) -> Array | None:
        return None if column is None else column[kept]

    return CostTally.of(
        rows.y_true[kept],
        PredictionSets(sets.rows.take(kept), sets.classes),
        sample_weight=some(rows.weight),
        counts=some(rows.count),
        groups=some(rows.cluster),
        keep_clusters=keep_clusters and rows.cluster is not None,
    )


def _rows_by_group(rows: Predictions, by_group: bool) -> Iterator[tuple[str, Array]]:
    """All rows, and those of each group if wanted; groups without any weight are left out."""
    yield ALL, np.arange(len(rows))
    if not by_group or rows.group is None:
        return
    names = np.array(["(no group)" if g is None else str(g) for g in rows.group], dtype=object)
    for name in sorted(set(names)):
        kept = np.flatnonzero(names == name)
        if rows.totals is None or rows.totals[kept].any():
            yield name, kept


def _refuse_empty(file: PredictionFile, tally: CostTally, empty_cost: float | None) -> None:
    """Raise a ValueError if there are empty sets and no cost for them."""
    empty = tally.sets.sizes == 0
    if empty_cost is None and empty.any():
        n = tally.counts[empty].sum()
        rows = "1 row has" if n == 1 else f"{n:,.10g} rows have"
        raise ValueError(
            f"{file.path}: {rows} an empty set, which has no cost: give one with --empty-cost"
        )


def _words(
    found: CostEvaluation, tally: CostTally, costs: CostMatrix | ExtendedCosts
) -> Iterator[str]:
    yield found.sentence()
    has_sets = (tally.sets.sizes > 1).any()
    if isinstance(costs, CostMatrix):
        if has_sets:
            yield (
                "The costs are for single classes; sets cost their p-discounted mean with r = 0.5 "
                "(wager costs extend shows them)."
            )
    elif has_sets and isinstance(costs.rule, TabulatedCosts) and not costs.rule.is_complete:
        yield f"Costs of sets: {costs.rule.name} (wager costs extend shows them)."
    unused = other_classes(costs, tally.classes)
    if unused:
        one = len(unused) == 1
        which, do = ("the class", "does") if one else ("the classes", "do")
        yield f"The costs list {which} {format_labels(np.array(unused))}, which {do} not occur."


def cost_rows(evaluation: CostEvaluation, by_class: bool) -> Iterator[tuple[str, Estimate]]:
    """The class of each average (``""`` for all rows) with its estimate."""
    yield ALL, evaluation.overall
    for label, estimate in evaluation.by_class.items() if by_class else ():
        if estimate.n:
            yield str(label), estimate


def error_table(evaluation: CostEvaluation) -> tuple[list[str], list[list[Any]]]:
    """Header and rows: what each kind of error costs."""
    assert evaluation.errors is not None
    return evaluation.errors.header, evaluation.errors.table(_MOST_ERRORS)
