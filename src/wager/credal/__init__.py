"""Credal sets and what to decide with them; optimal sets and rejection for one distribution."""

from wager.credal._costs import determinate_costs
from wager.credal._decide import Rule, decide
from wager.credal._optimal import OptimalInfo, Search, optimal_sets
from wager.credal._rejection import class_selective_rejection, reject, reject_credal
from wager.credal._vertices import CredalVertices

__all__ = [
    "CredalVertices",
    "OptimalInfo",
    "Rule",
    "class_selective_rejection",
    "decide",
    "optimal_sets",
    "reject",
    "reject_credal",
]
