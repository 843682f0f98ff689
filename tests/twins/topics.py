"""All topics of the twins by name."""

from __future__ import annotations

from tests.twins import (
    costs,
    intervals,
    partitions,
    probability_measures,
    rules,
    scaling,
    sequences,
    set_measures,
    slices,
    unit_intervals,
)

# a tenth of the cases
SLOW_TOPICS = (
    intervals.TOPICS | unit_intervals.TOPICS | slices.INTERVALS | scaling.TOPICS | sequences.TOPICS
)
TOPICS = (
    set_measures.TOPICS
    | probability_measures.TOPICS
    | costs.TOPICS
    | partitions.TOPICS
    | rules.TOPICS
    | slices.TOPICS
    | SLOW_TOPICS
)
SLOW = set(SLOW_TOPICS)
