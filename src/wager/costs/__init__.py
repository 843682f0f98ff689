"""Cost matrices, their extension to sets of classes, average costs, audit and elicitation."""

from wager.costs._answer_files import read_answers
from wager.costs._answers import Answer, CostRatio, ExpectedCost, SetCost
from wager.costs._audit import PropertyReport, PropertyResult, SettingVerdict, audit
from wager.costs._average import (
    average_cost,
    evaluate_costs,
    row_costs as row_costs,
)
from wager.costs._can_be_optimal import Optimality
from wager.costs._checks import (
    refuse_empty as refuse_empty,
)
from wager.costs._complete import Conflict, ContradictoryAnswersError, complete
from wager.costs._cost_files import (
    costs_to_csv,
    read_cost_text as read_cost_text,
)
from wager.costs._cost_unit import (
    format_amount as format_amount,
    in_unit as in_unit,
    short_amount as short_amount,
)
from wager.costs._decision_intervals import DecisionInterval, decision_intervals
from wager.costs._error_costs import ErrorCost, ErrorCosts
from wager.costs._evaluation import (
    CostEvaluation,
    cost_ranges as cost_ranges,
)
from wager.costs._extended_costs import ExtendedCosts
from wager.costs._for_classes import (
    costs_for_classes as costs_for_classes,
    other_classes as other_classes,
)
from wager.costs._generalized_mean import generalized_mean
from wager.costs._hierarchy import ClassHierarchy
from wager.costs._hierarchy_measures import (
    HierarchyEvaluation,
    correct_at_depth,
    evaluate_hierarchy,
    hierarchical_utility,
    mean_node_depth,
    node_error,
)
from wager.costs._matrix import CostMatrix
from wager.costs._named_costs import (
    costs_over as costs_over,
    named_costs as named_costs,
    require_sorted_predictions as require_sorted_predictions,
)
from wager.costs._node_rewards import (
    NodeRewards as NodeRewards,
)
from wager.costs._ordered_measures import (
    OrderedEvaluation,
    contiguity_rate,
    evaluate_ordered,
    mean_distance_to_set,
    mean_width,
    ordinal_interval_score,
)
from wager.costs._ordered_rewards import (
    OrderedRewards as OrderedRewards,
    ends_of as ends_of,
    nearest_distance as nearest_distance,
)
from wager.costs._pairs import (
    distinct_pairs as distinct_pairs,
    set_keys as set_keys,
)
from wager.costs._properties import PROPERTIES as PROPERTIES, Witness
from wager.costs._read_costs import (
    parse_costs as parse_costs,
    read_costs,
)
from wager.costs._reward_evaluation import (
    RewardEvaluation,
    average_reward,
    cell_rewards as cell_rewards,
    difference_of_cells as difference_of_cells,
    evaluate_rewards,
    reward_difference,
)
from wager.costs._reward_rules import (
    ClassUtilities as ClassUtilities,
    RewardRule as RewardRule,
)
from wager.costs._set_rewards import SetRewards, require_rewards as require_rewards
from wager.costs._subsets import (
    subset_masks as subset_masks,
)
from wager.costs._tally import CostTally
from wager.costs._template import cost_template
from wager.costs.extensions import (
    AbellanMasegosa as AbellanMasegosa,
    ClassSelective as ClassSelective,
    ExtensionRule,
    PDiscounted as PDiscounted,
    TabulatedCosts as TabulatedCosts,
    UtilityDiscounted as UtilityDiscounted,
)
from wager.rewards import (
    evaluate_sets as evaluate_sets,  # the front door takes it from here: it needs these costs
)

# for other packages, not in __all__: the rules, and what is listed above as `name as name`
__all__ = [
    "Answer",
    "ClassHierarchy",
    "Conflict",
    "ContradictoryAnswersError",
    "CostEvaluation",
    "CostMatrix",
    "CostRatio",
    "CostTally",
    "DecisionInterval",
    "ErrorCost",
    "ErrorCosts",
    "ExpectedCost",
    "ExtendedCosts",
    "ExtensionRule",
    "HierarchyEvaluation",
    "Optimality",
    "OrderedEvaluation",
    "PropertyReport",
    "PropertyResult",
    "RewardEvaluation",
    "SetCost",
    "SetRewards",
    "SettingVerdict",
    "Witness",
    "audit",
    "average_cost",
    "average_reward",
    "complete",
    "contiguity_rate",
    "correct_at_depth",
    "cost_template",
    "costs_to_csv",
    "decision_intervals",
    "evaluate_costs",
    "evaluate_hierarchy",
    "evaluate_ordered",
    "evaluate_rewards",
    "generalized_mean",
    "hierarchical_utility",
    "mean_distance_to_set",
    "mean_node_depth",
    "mean_width",
    "node_error",
    "ordinal_interval_score",
    "read_answers",
    "read_costs",
    "reward_difference",
]
