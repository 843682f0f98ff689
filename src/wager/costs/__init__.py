"""What a prediction cost: cost matrices, their extension to sets, the audit and the elicitation."""

from wager.costs._extended import ExtendedCosts
from wager.costs._files import costs_to_csv, read_costs
from wager.costs._matrix import CostMatrix
from wager.costs._means import generalized_mean
from wager.costs._rules import Rule

__all__ = [
    "CostMatrix",
    "ExtendedCosts",
    "Rule",
    "costs_to_csv",
    "generalized_mean",
    "read_costs",
]
