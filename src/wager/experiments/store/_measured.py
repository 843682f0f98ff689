"""Measures of what a store holds: unit by unit, averaged over folds, or pooled over rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from wager._typing import Array, Floats
from wager.experiments._measures import Measure, set_values
from wager.experiments.run._outcome import unpack_probabilities
from wager.rewards import ProbabilityEvaluation

__all__ = ["averaged", "evaluated", "measured", "measured_together"]


def averaged(values: Floats, places: Sequence[Any]) -> dict[Any, float]:
    """The mean of each place's values, undefined ones left out."""
    groups: dict[Any, list[float]] = {}
    for place, value in zip(places, values, strict=True):
        if not np.isnan(value):
            groups.setdefault(place, []).append(value)
    return {place: float(np.mean(group)) for place, group in groups.items()}


def measured(measure: Measure, stored: Sequence[Any]) -> Floats:
    """A measure of each of many units; NaN where a unit has not what it needs."""
    values = np.full(len(stored), np.nan)
    if measure.column in ("tally", "true_tally"):
        for places, tables in _by_classes(stored):
            values[places] = set_values(measure.of_tally, tables)
        return values
    score = _score_of_probabilities(measure) if measure.column == "probabilities" else float
    for place, entry in enumerate(stored):
        if entry is not None:
            values[place] = score(entry)
    return values


def measured_together(measure: Measure, stored: Sequence[Any]) -> float:
    """A measure of all test rows of many units over the same classes."""
    if measure.column in ("tally", "true_tally"):
        ((_, tables),) = _by_classes(stored)
        return float(set_values(measure.of_tally, tables.sum(axis=0)[None])[0])
    if measure.column == "probabilities":
        return float(getattr(evaluated(stored), measure.name))
    return float(np.mean(stored))


def _score_of_probabilities(measure: Measure) -> Callable[[bytes], float]:
    return lambda packed: getattr(ProbabilityEvaluation(unpack_probabilities(packed)), measure.name)


def _by_classes(stored: Sequence[str | None]) -> Iterator[tuple[list[int], Array]]:
    """Tables of tallies, those over equally many classes together, and their places."""
    groups: dict[int, tuple[list[int], list[Any]]] = {}
    for place, text in enumerate(stored):
        if text is not None:
            table = json.loads(text)["table"]
            places, tables = groups.setdefault(len(table), ([], []))
            places.append(place)
            tables.append(table)
    for places, tables in groups.values():
        yield places, np.array(tables)


def evaluated(stored: Sequence[bytes]) -> ProbabilityEvaluation:
    """What probabilities earned in many units, each relative to a prior (and clip) of its own."""
    tallies = [unpack_probabilities(packed) for packed in stored]
    prior = np.mean([tally.prior for tally in tallies], axis=0)
    total = replace(tallies[0], prior=prior)
    for tally in tallies[1:]:
        total += replace(tally, prior=prior, clip=total.clip)
    return ProbabilityEvaluation(total)
