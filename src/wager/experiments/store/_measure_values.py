"""Measures of stored results: of each unit, averaged over folds, or pooled over rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from wager._typing import Array, Floats
from wager.experiments.plan import CERTAIN, StoredMeasure
from wager.experiments.store._unit_result import unpack_probabilities
from wager.rewards import (
    MEASURES,
    SET_SCORES,
    ProbabilityEvaluation,
    ProbabilityTally,
    SetScore,
    Tally,
    get_utility,
    utility_score,
)

__all__ = ["fold_means", "pooled_evaluation", "pooled_value", "set_values", "unit_values"]


def unit_values(measure: StoredMeasure, stored: Sequence[Any]) -> Floats:
    """The measure of each unit; NaN for units without the column that it needs."""
    values = np.full(len(stored), np.nan)
    if measure.column in ("tally", "true_tally"):
        for places, tables in _tables_by_n_classes(stored):
            values[places] = set_values(measure.of_tally, tables)
        return values
    for place, entry in enumerate(stored):
        if entry is not None:
            values[place] = _of_entry(measure, entry)
    return values


def fold_means(values: Floats, places: Sequence[Any]) -> dict[Any, float]:
    """The mean of the values of each place; undefined values are left out."""
    groups: dict[Any, list[float]] = {}
    for place, value in zip(places, values, strict=True):
        if not np.isnan(value):
            groups.setdefault(place, []).append(value)
    return {place: float(np.mean(group)) for place, group in groups.items()}


def pooled_value(measure: StoredMeasure, stored: Sequence[Any]) -> float:
    """The measure of all test rows of several units over the same classes."""
    if measure.column in ("tally", "true_tally"):
        ((_, tables),) = _tables_by_n_classes(stored)
        return float(set_values(measure.of_tally, tables.sum(axis=0)[None])[0])
    if measure.column == "probabilities":
        return float(MEASURES[measure.name](_pooled_tally(stored)))
    return float(np.mean(stored))


def pooled_evaluation(stored: Sequence[bytes]) -> ProbabilityEvaluation:
    """All measures of the probabilities of several units, each relative to its own prior."""
    return ProbabilityEvaluation(_pooled_tally(stored))


def set_values(name: str, tables: Array) -> Floats:
    """A measure of many tallies over the same classes at once.

    Parameters
    ----------
    name : str
        A utility, or a measure that is computed from tallies.
    tables : array of shape (n, K + 1, 2)
        The tables of the tallies.

    Examples
    --------
    >>> set_values("u65", np.array([[[0, 0], [1, 1], [0, 2]]])).round(3).tolist()
    [0.575]
    """
    if name.startswith(CERTAIN):
        utility = get_utility(name.removeprefix(CERTAIN))
        means = _means(utility_score(utility), tables)
        return np.array([float(utility.inverse(mean)) for mean in means])
    if name == "reward_variance":  # the same for all tallies at once
        reward = SET_SCORES["discounted_accuracy"]
        square = SetScore("square", lambda size, hit: reward.function(size, hit) ** 2)
        return _means(square, tables) - _means(reward, tables) ** 2
    measure = MEASURES.get(name) or utility_score(name)
    if isinstance(measure, SetScore):
        return _means(measure, tables)
    return np.array([measure(Tally(table)) for table in tables])


def _means(score: SetScore, tables: Array) -> Floats:
    """Means over the predictions that the score applies to; NaN if there are none."""
    n_classes = tables.shape[1] - 1
    size, hit = np.meshgrid(np.arange(n_classes + 1), np.arange(2), indexing="ij")
    with np.errstate(divide="ignore", invalid="ignore"):
        values = score.values(size, hit == 1, n_classes)
        counts = np.where(np.isnan(values), 0, tables)
        sums = np.where(counts > 0, counts * values, 0.0).sum(axis=(1, 2))
        return sums / counts.sum(axis=(1, 2))


def _of_entry(measure: StoredMeasure, entry: Any) -> float:
    if measure.column == "probabilities":
        return MEASURES[measure.name](unpack_probabilities(entry))
    return float(entry)


def _tables_by_n_classes(stored: Sequence[str | None]) -> Iterator[tuple[list[int], Array]]:
    """The tables of tallies and their places, grouped by the number of classes."""
    groups: dict[int, tuple[list[int], list[Any]]] = {}
    for place, text in enumerate(stored):
        if text is not None:
            table = json.loads(text)["table"]
            places, tables = groups.setdefault(len(table), ([], []))
            places.append(place)
            tables.append(table)
    for places, tables in groups.values():
        yield places, np.array(tables)


def _pooled_tally(stored: Sequence[bytes]) -> ProbabilityTally:
    """The sum of the tallies; its prior is the mean of their priors."""
    tallies = [unpack_probabilities(packed) for packed in stored]
    prior = np.mean([tally.prior for tally in tallies], axis=0)
    total = replace(tallies[0], prior=prior)
    for tally in tallies[1:]:
        total += replace(tally, prior=prior, clip=total.clip)
    return total
