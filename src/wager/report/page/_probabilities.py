"""Scores of probabilities and their reliability, as plain data."""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._typing import Floats
from wager.rewards import MeanEstimate, ProbabilityEvaluation, ReliabilityBins

_MOST_CLASSES = 12  # of which the page has a reliability curve each


def probability_section(evaluation: ProbabilityEvaluation, level: float) -> dict[str, Any]:
    """The section ``probabilities`` of a classifier.

    Parameters
    ----------
    evaluation : ProbabilityEvaluation
        The result of `evaluate_probabilities`.
    level : float
        The level of the intervals.
    """
    found = evaluation.to_dict(level)
    measures = {}
    for name, entry in found.items():
        if isinstance(entry, dict) and "mean" in entry:
            low, high = entry["interval"]
            measures[name] = _measure(entry["mean"], entry["standard_error"], low, high)
        elif isinstance(entry, float) and name not in ("base", "clip"):
            measures[name] = _measure(entry)
    top, by_class = evaluation.reliability_top_label, evaluation.reliability_by_class
    labels = [str(label) for label in evaluation.classes]
    curves = {}
    if len(labels) <= _MOST_CLASSES:
        curves = {label: _bins(by_class, i, level) for i, label in enumerate(labels)}
    return {
        "measures": measures,
        "reliability": {"top_label": _bins(top, 0, level), "by_class": curves},
        "prior": evaluation.prior.tolist(),
        "base": float(evaluation.tally.base),
    }


def _measure(value: float, error: Any = None, low: Any = None, high: Any = None) -> dict[str, Any]:
    return {"value": value, "standard_error": error, "lower": low, "upper": high}


def _bins(bins: ReliabilityBins, event: int, level: float) -> list[list[Any]]:
    """The bins that have rows: ends, rows, reported, observed, and the interval of observed."""
    parts: list[Floats] = [bins.weight, bins.reported, bins.observed, bins.effective_rows]
    weight, reported, observed, effective = (part[event] for part in parts)
    n = len(weight)
    found = []
    for i in np.flatnonzero(weight > 0).tolist():
        frequency = MeanEstimate(float(observed[i]), 0.0, float(effective[i]), is_proportion=True)
        low, high = frequency.interval(level) if effective[i] > 0 else (None, None)
        numbers = [float(part[i]) for part in (weight, reported, observed)]
        found.append([i / n, (i + 1) / n, *numbers, low, high])
    return found
