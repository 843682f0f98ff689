"""What a page shows of each classifier: its tally, classes, groups and confusion, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import RowUnits, counted, encode_labels, there_are
from wager._typing import Array, ArrayLike, Ints
from wager.predictions import PredictionSets, size_and_hit
from wager.report.page._packed import squares, steps, totals
from wager.rewards import CellSums, CheckedRows, Tally, cell_of

_ROWS = 1 << 16  # whose sets are unpacked at a time


@dataclass(frozen=True)
class Parts:
    """Tallies of parts of the rows, such as true classes or groups.

    Parameters
    ----------
    labels : sequence of str
        The names of the parts.
    tallies : sequence of Tally
        Their tallies, over the same classes; a part without rows has an empty one.
    name : str
        What the parts are: the name of a column.
    """

    labels: Sequence[str]
    tallies: Sequence[Tally]
    name: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Cells numbered by part, size and hit; with clusters, one triangle of squares per part."""
        width = 2 * self.tallies[0].n_classes + 2
        full = [(place, t.sums) for place, t in enumerate(self.tallies) if len(t.sums.numbers)]
        moments = [sums.squares for _, sums in full]
        found: Any = None
        if moments and moments[0] is not None:
            if moments[0].ndim == 2:
                found = [squares(one) for one in moments]
            else:
                found = np.concatenate([one for one in moments if one is not None]).tolist()
        none = np.zeros(0, dtype=np.int64)
        return {
            "cells": steps(np.concatenate([none, *(i * width + s.numbers for i, s in full)])),
            "totals": totals(np.concatenate([s.totals for _, s in full]) if full else none),
            "squares": found,
        }


@dataclass(frozen=True)
class Classifier:
    """What is known of a classifier.

    Parameters
    ----------
    name : str
        Its name.
    tally : Tally
        Counts by set size and hit.
    kind : str, optional
        What it predicts: labels, sets, probabilities, intervals or memberships.
    by_class, groups : Parts, optional
        The tallies of the true classes, and of groups of rows.
    confusion : array of shape (K, 2 K), optional
        Counts by true class (rows) and by kind of prediction: the classes predicted alone, sets of
        2, ..., K classes, and the empty set.
    probabilities, memberships : dict, optional
        Further sections, as plain data.
    """

    name: str
    tally: Tally
    kind: str | None = None
    by_class: Parts | None = None
    groups: Parts | None = None
    confusion: Array | None = None
    probabilities: dict[str, Any] | None = None
    memberships: dict[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The classifier as plain data."""
        groups = None
        if self.groups is not None:
            about = {"name": self.groups.name, "labels": list(self.groups.labels)}
            groups = about | self.groups.to_dict()
        return {
            "name": self.name,
            "kind": self.kind,
            "tally": tally_to_dict(self.tally),
            "by_class": None if self.by_class is None else self.by_class.to_dict(),
            "confusion": None if self.confusion is None else _confusion_to_dict(self.confusion),
            "groups": groups,
            "probabilities": self.probabilities,
            "memberships": self.memberships,
        }


def tally_to_dict(tally: Tally) -> dict[str, Any]:
    """The cells of a tally that are not empty: size, hit and total, and the second moments."""
    size, hit, total = tally.cells
    rows = zip(size.tolist(), hit.astype(int).tolist(), total.tolist(), strict=True)
    return {
        "cells": [list(row) for row in rows],
        "squares": None if tally.sums.is_law else squares(tally.sums.squares),
        "units": units_of(tally.sums),
    }


def units_of(sums: CellSums) -> str:
    """What is independent: rows, weighted rows, clusters, or nothing if a distribution is known."""
    if sums.squares is None:
        return "rows"
    if sums.is_law:
        return "known"
    return "weights" if sums.squares.ndim == 1 else "clusters"


def _confusion_to_dict(table: Array) -> dict[str, Any]:
    flat = table.ravel()
    numbers = np.flatnonzero(flat)
    return {"cells": steps(numbers), "totals": totals(flat[numbers])}


def classifier_of_rows(
    name: str,
    rows: CheckedRows,
    tally: Tally,
    *,
    kind: str | None = None,
    by: ArrayLike | None = None,
    by_name: str = "group",
) -> Classifier:
    """What a page shows of the predictions of a classifier in memory.

    Parameters
    ----------
    name : str
        The classifier.
    rows : CheckedRows
        True classes as codes, predicted sets, and what each row counts for.
    tally : Tally
        The tally of the rows.
    kind : str, optional
        What it predicts.
    by : array-like of shape (n,), optional
        The group of each row.
    by_name : str
        What the groups are.
    """
    K = len(rows.sets.classes)
    size, hit = size_and_hit(rows.codes, rows.sets)
    cell = cell_of(size.astype(np.int64), hit)
    labels = [str(label) for label in rows.sets.classes]
    by_class = Parts(labels, tallies_by(rows.codes, K, cell, K, rows.units))
    groups = None
    if by is not None:
        member, names = encode_labels(by, name="by")
        if len(member) != len(cell):
            raise ValueError(
                f"by has {counted(len(member), 'row')} but {there_are(len(cell), 'prediction')}: "
                "name the group of every row"
            )
        parts = tallies_by(member, len(names), cell, K, rows.units)
        groups = Parts([str(label) for label in names], parts, by_name)
    return Classifier(
        name, tally, kind, by_class, groups, confusion_of(rows.codes, rows.sets, rows.units)
    )


def tallies_by(
    member: Ints, n_parts: int, cell: Ints, n_classes: int, units: RowUnits
) -> list[Tally]:
    """The tally of each part of the rows."""
    order = np.argsort(member, kind="stable")
    parts = np.split(order, np.searchsorted(member[order], np.arange(1, n_parts)))
    return [
        Tally.of_sums(n_classes, CellSums.of(cell[here], units.take(here)))
        if len(here)
        else Tally.empty(n_classes)
        for here in parts
    ]


def confusion_of(codes: Ints, sets: PredictionSets, units: RowUnits) -> Array:
    """Counts by true class and by kind of prediction, as in `Classifier`.

    Examples
    --------
    >>> sets = PredictionSets.from_lists([["a"], ["a", "b"], []], classes=["a", "b"])
    >>> confusion_of(np.array([0, 1, 1]), sets, RowUnits()).tolist()
    [[1, 0, 0, 0], [0, 0, 1, 1]]
    """
    K = len(sets.classes)
    column = np.empty(len(codes), dtype=np.int64)
    for start in range(0, len(codes), _ROWS):
        part = slice(start, start + _ROWS)
        size = sets.sizes[part].astype(np.int64)
        column[part] = np.where(size == 0, 2 * K - 1, K + size - 2)
        single = np.flatnonzero(size == 1)
        if len(single):
            chosen = sets[part][single].to_indicator().argmax(axis=1)
            column[part][single] = chosen
    each = units.totals
    counts = np.bincount(codes.astype(np.int64) * 2 * K + column, each, 2 * K * K)
    dtype = np.int64 if each is None else each.dtype
    return counts.astype(dtype).reshape(K, 2 * K)
