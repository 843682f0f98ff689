"""What a prediction cost: cost matrices, their extension to sets, the audit and the elicitation."""

from wager.costs._answer_files import read_answers
from wager.costs._answers import Answer, CostRatio, ExpectedCost, SetCost
from wager.costs._audit import PropertyReport, PropertyResult, SettingVerdict, audit
from wager.costs._average import CostEvaluation, average_cost, effective_rows, evaluate_costs
from wager.costs._complete import Conflict, ContradictoryAnswersError, complete
from wager.costs._extended import ExtendedCosts
from wager.costs._files import costs_to_csv, read_costs
from wager.costs._matrix import CostMatrix
from wager.costs._means import generalized_mean
from wager.costs._properties import Witness
from wager.costs._rules import AbellanMasegosa, ClassSelective, Mean, Rule, Table, UtilityDiscounted
from wager.costs._subsets import subset_masks
from wager.costs._tally import CostTally
from wager.costs._thresholds import DecisionInterval, decision_intervals

__all__ = [
    "Answer",
    "Conflict",
    "ContradictoryAnswersError",
    "CostEvaluation",
    "CostMatrix",
    "CostRatio",
    "CostTally",
    "DecisionInterval",
    "ExpectedCost",
    "ExtendedCosts",
    "PropertyReport",
    "PropertyResult",
    "Rule",
    "SetCost",
    "SettingVerdict",
    "Witness",
    "audit",
    "average_cost",
    "complete",
    "costs_to_csv",
    "decision_intervals",
    "evaluate_costs",
    "generalized_mean",
    "read_answers",
    "read_costs",
]
