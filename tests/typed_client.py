"""A small program as users write it: `test_front_door.py` lets mypy check its types."""

# mypy: disallow-untyped-defs, disallow-untyped-calls, warn-return-any, no-implicit-reexport

from typing import assert_type

import wager
from wager import Tally, break_even, evaluate_sets, get_utility, metrics
from wager.compare import BreakEven
from wager.learners import NaiveCredal
from wager.predictions import PredictionSets
from wager.rewards import SetEvaluation, Utility

truth = ["a", "b", "b"]
sets = PredictionSets.from_strings(["a", "a|b", "b"])
single = PredictionSets.from_labels(["a", "a", "b"])

assert_type(evaluate_sets(truth, sets), SetEvaluation)
assert_type(metrics.coverage(truth, sets), float)
assert_type(metrics.utility_discounted_accuracy(truth, sets, "u65"), float)
assert_type(wager.metrics.determinacy(sets), float)
assert_type(Tally.of(truth, sets), Tally)
assert_type(Tally.of(truth, sets).expected_utility("u80"), float)
assert_type(get_utility("u65"), Utility)
assert_type(break_even(Tally.of(truth, sets), Tally.of(truth, single)), BreakEven)
assert_type(NaiveCredal(s=2.0), wager.NaiveCredal)
assert_type(wager.__version__, str)
