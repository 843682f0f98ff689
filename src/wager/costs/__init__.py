"""What a prediction cost: cost matrices, their extension to sets, the audit and the elicitation."""

from wager.costs._audit import PropertyReport, PropertyResult, SettingVerdict, audit
from wager.costs._average import CostEvaluation, average_cost, evaluate_costs
from wager.costs._extended import ExtendedCosts
from wager.costs._files import costs_to_csv, read_costs
from wager.costs._matrix import CostMatrix
from wager.costs._means import generalized_mean
from wager.costs._properties import Witness
from wager.costs._rules import Rule
from wager.costs._tally import CostTally

__all__ = [
    "CostEvaluation",
    "CostMatrix",
    "CostTally",
    "ExtendedCosts",
    "PropertyReport",
    "PropertyResult",
    "Rule",
    "SettingVerdict",
    "Witness",
    "audit",
    "average_cost",
    "costs_to_csv",
    "evaluate_costs",
    "generalized_mean",
    "read_costs",
]
