"""Credal sets, the decision rules for them, optimal sets and rejection."""

from wager.credal._class_costs import (
    determinate_costs as determinate_costs,
)
from wager.credal._decide import DecisionRule, decide
from wager.credal._optimal_sets import (
    OptimalInfo,
    Search as Search,
    optimal_sets,
)
from wager.credal._pool import judge_conflict, pool_judges
from wager.credal._rejection import class_selective_rejection, reject, reject_credal
from wager.credal._vertices import CredalVertices

# for other packages, not in __all__: Search, determinate_costs
__all__ = [
    "CredalVertices",
    "DecisionRule",
    "OptimalInfo",
    "class_selective_rejection",
    "decide",
    "judge_conflict",
    "optimal_sets",
    "pool_judges",
    "reject",
    "reject_credal",
]
