"""Standardized partitions of stored predictions, and their plots side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._typing import ArrayLike
from wager.experiments.study import StudyTable
from wager.partitions import StandardizedPartition, standardize
from wager_studies._stored_predictions import stored_probabilities

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wager.experiments import Store

__all__ = ["membership_table", "partition_of", "partitions_of", "simplexes"]


def partitions_of(
    store: Store, dataset: str, rules: Iterable[str], classes: ArrayLike, size: int
) -> list[dict[str, StandardizedPartition]]:
    """The partitions of all rules on each split, in order; only splits finished for all rules."""
    names = np.asarray(classes)
    files = {rule: _files(store, dataset, rule, size) for rule in rules}
    every = list(files.values())
    splits = [split for split in every[0] if all(split in of_rule for of_rule in every)]
    parts = stored_probabilities(of_rule[split] for split in splits for of_rule in every)
    found = []
    for _ in splits:
        draw = {}
        for rule in files:
            part = next(parts)
            draw[rule] = standardize(names[part.codes], part.proba, classes=names)
        found.append(draw)
    return found


def partition_of(store: Store, dataset: str, rule: str) -> StandardizedPartition | None:
    """The partition of all test rows of a data set together; None without results."""
    parts = list(stored_probabilities(_files(store, dataset, rule, None).values()))
    if not parts:
        return None
    names = parts[0].classes
    codes, proba = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    order = np.argsort(names)  # of equal memberships the first counts: sorted, as everywhere
    return standardize(names[codes], proba[:, order], classes=names[order])


def _files(store: Store, dataset: str, rule: str, size: int | None) -> dict[Any, Path]:
    try:
        return store.predictions_by_split(dataset, rule, kind="probabilities", size=size)
    except ValueError:  # no results of the rule yet
        return {}


def simplexes(partitions: Mapping[str, StandardizedPartition], **options: Any) -> Figure:
    """A row of simplexes, one per rule; options are passed to `plot_simplex`."""
    from wager.plots import plain_figure, plot_simplex, simplex_axes

    figure = plain_figure((4.2 * len(partitions), 4.4))
    every = simplex_axes(len(partitions), len(next(iter(partitions.values())).classes), figure)
    for ax, (rule, found) in zip(every, partitions.items(), strict=True):
        plot_simplex(found, ax, title=rule, legend=ax is every[0], **options)
    return figure


def membership_table(partitions: Mapping[tuple[str, str], StandardizedPartition]) -> StudyTable:
    """The memberships before scaling of what figures show, by group of partitions and rule."""
    most = max(len(found.classes) for found in partitions.values())
    rows = [
        (group, rule, found.classes[truth], *(round(float(m), 4) for m in values),
         *[""] * (most - len(values)))
        for (group, rule), found in partitions.items()
        for truth, values in zip(found.truth, found.memberships, strict=True)
    ]  # fmt: skip
    headers = ("shown", "rule", "true class", *(f"membership {i + 1}" for i in range(most)))
    return StudyTable("Memberships", headers, rows, shown=False)
