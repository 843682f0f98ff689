"""Partitions from a store that keeps predictions, and their simplexes side by side."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._typing import ArrayLike, Floats, Ints
from wager.partitions import StandardizedPartition, standardize
from wager.predictions import read_predictions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wager.experiments import Store

__all__ = ["partition_of", "partitions_of", "simplexes"]


def partitions_of(
    store: Store, dataset: str, rule: str, classes: ArrayLike, size: int | None = None
) -> list[StandardizedPartition]:
    """One partition a split, in order; none if nothing is done."""
    names = np.asarray(classes)
    return [
        standardize(names[codes], proba, classes=names)
        for codes, proba, _ in map(_read, _files(store, dataset, rule, size))
    ]


def partition_of(store: Store, dataset: str, rule: str) -> StandardizedPartition | None:
    """The partition of all test rows of a data set together; None if nothing is done."""
    parts = [_read(file) for file in _files(store, dataset, rule, None)]
    if not parts:
        return None
    names = parts[0][2]
    codes, proba = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    return standardize(names[codes], proba, classes=names)


def _files(store: Store, dataset: str, rule: str, size: int | None) -> list[Path]:
    try:
        return store.predictions(dataset, rule, kind="probabilities", size=size)
    except ValueError:  # nothing of the rule is done yet
        return []


def _read(file: Path) -> tuple[Ints, Floats, Any]:
    found = read_predictions(file)
    assert found.proba is not None
    return found.codes, found.proba, found.classes


def simplexes(partitions: Mapping[str, StandardizedPartition], **options: Any) -> Figure:
    """A row of simplexes, one a rule; options as `plot_simplex` takes them."""
    from wager.plots import plot_simplex, simplex_axes

    every = simplex_axes(len(partitions), len(next(iter(partitions.values())).classes))
    for ax, (rule, found) in zip(every, partitions.items(), strict=True):
        plot_simplex(found, ax, title=rule, legend=ax is every[0], **options)
    return every[0].figure  # type: ignore[return-value]
