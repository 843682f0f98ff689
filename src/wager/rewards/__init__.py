"""What a prediction earned: utilities, the tally, set-valued scores, information rewards, bets."""

from wager.rewards import elicit
from wager.rewards._bets import BetsUtility, expected_utility_of_bets
from wager.rewards._calibration import (
    BrierSplit,
    ReliabilityBins,
    brier_decomposition,
    classwise_calibration_error,
    top_label_calibration_error,
)
from wager.rewards._class_tally import ClassTally, tally_by
from wager.rewards._confusion import SetConfusion, set_confusion
from wager.rewards._count import cell_of, read_rows, whole_if_whole
from wager.rewards._dominance import first_order_dominates, same_law, second_order_dominates
from wager.rewards._estimate import Estimate, estimate_mean
from wager.rewards._evaluation import SetEvaluation, evaluate_sets
from wager.rewards._ignorance import RandomVsVacuous, inversion_point, random_vs_vacuous
from wager.rewards._matrix import all_sets, extended_reward_matrix
from wager.rewards._metrics import (
    area_of_ignorance,
    certainty_equivalent,
    class_coverage,
    coverage,
    coverage_gap,
    determinacy,
    discounted_accuracy,
    empty_rate,
    indeterminate_set_size,
    mean_set_size,
    reward_variance,
    rows_of_ignorance,
    set_accuracy,
    single_accuracy,
    size_stratified_coverage,
    utility_discounted_accuracy,
)
from wager.rewards._own_utilities import Custom, Tabulated
from wager.rewards._paired import Difference, PairedTally, shared_classes
from wager.rewards._priors import prior_from_counts, prior_from_labels
from wager.rewards._probability_evaluation import ProbabilityEvaluation, evaluate_probabilities
from wager.rewards._probability_tally import HIT, LOG_SCORE, QUADRATIC_SCORE, ProbabilityTally
from wager.rewards._scorer import SetScorer, make_set_scorer
from wager.rewards._scores import SET_SCORES, SetScore, mic, mip, utility_score
from wager.rewards._tally import Decomposition, Moments, Tally, utility_of
from wager.rewards._utilities import Exponential, FBeta, Linear, Logarithmic, Power, Quadratic
from wager.rewards._utility import Utility, reward_points, rewards_of
from wager.rewards._utility_names import (
    UtilityLike,
    get_utility,
    read_utility,
    utility_from_dict,
    write_utility,
)
from wager.rewards.information import (
    good_reward,
    information_reward,
    information_reward_2002,
    information_reward_bound,
    kl_divergence,
    kononenko_bratko,
    optimal_report_2002,
)

__all__ = [
    "SET_SCORES",
    "BetsUtility",
    "BrierSplit",
    "ClassTally",
    "Custom",
    "Decomposition",
    "Difference",
    "Estimate",
    "Exponential",
    "FBeta",
    "Linear",
    "Logarithmic",
    "Moments",
    "PairedTally",
    "Power",
    "ProbabilityEvaluation",
    "ProbabilityTally",
    "Quadratic",
    "RandomVsVacuous",
    "ReliabilityBins",
    "SetConfusion",
    "SetEvaluation",
    "SetScore",
    "SetScorer",
    "Tabulated",
    "Tally",
    "Utility",
    "UtilityLike",
    "all_sets",
    "area_of_ignorance",
    "brier_decomposition",
    "certainty_equivalent",
    "class_coverage",
    "classwise_calibration_error",
    "coverage",
    "coverage_gap",
    "determinacy",
    "discounted_accuracy",
    "elicit",
    "empty_rate",
    "estimate_mean",
    "evaluate_probabilities",
    "evaluate_sets",
    "expected_utility_of_bets",
    "extended_reward_matrix",
    "first_order_dominates",
    "get_utility",
    "good_reward",
    "indeterminate_set_size",
    "information_reward",
    "information_reward_2002",
    "information_reward_bound",
    "inversion_point",
    "kl_divergence",
    "kononenko_bratko",
    "make_set_scorer",
    "mean_set_size",
    "mic",
    "mip",
    "optimal_report_2002",
    "prior_from_counts",
    "prior_from_labels",
    "random_vs_vacuous",
    "read_utility",
    "reward_variance",
    "rewards_of",
    "rows_of_ignorance",
    "same_law",
    "second_order_dominates",
    "set_accuracy",
    "set_confusion",
    "single_accuracy",
    "size_stratified_coverage",
    "tally_by",
    "top_label_calibration_error",
    "utility_discounted_accuracy",
    "utility_from_dict",
    "utility_of",
    "utility_score",
    "write_utility",
]
