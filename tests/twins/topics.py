"""All topics of the twins by name, and the measures that have no twin here, with the reason."""

from __future__ import annotations

from tests.twins import (
    costs,
    intervals,
    partitions,
    probability_measures,
    rules,
    set_measures,
)

TOPICS = (
    set_measures.TOPICS
    | probability_measures.TOPICS
    | costs.TOPICS
    | partitions.TOPICS
    | rules.TOPICS
    | intervals.TOPICS
)
SLOW = set(intervals.TOPICS)  # a tenth of the cases
LEFT_OUT = {
    "conditional_coverage_error": "trains a classifier; tests/rewards/test_worst_slice.py",
    "worst_slice_coverage": "divides rows at random; tests/rewards/test_worst_slice.py",
}
