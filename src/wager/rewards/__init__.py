"""What a prediction earned: utilities, the tally, set-valued scores, information rewards, bets."""

from wager.rewards._calibration import (
    BrierSplit,
    ReliabilityBins,
    brier_decomposition,
    classwise_calibration_error,
    top_label_calibration_error,
)
from wager.rewards._estimate import Estimate
from wager.rewards._paired import Difference, PairedTally
from wager.rewards._priors import prior_from_counts, prior_from_labels
from wager.rewards._probability_evaluation import ProbabilityEvaluation, evaluate_probabilities
from wager.rewards._probability_tally import ProbabilityTally
from wager.rewards._tally import Decomposition, Moments, Tally
from wager.rewards._utilities import (
    Custom,
    Exponential,
    FBeta,
    Linear,
    Logarithmic,
    Power,
    Quadratic,
    Tabulated,
    Utility,
    rewards_of,
)
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
    "BrierSplit",
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
    "ReliabilityBins",
    "Tabulated",
    "Tally",
    "Utility",
    "UtilityLike",
    "brier_decomposition",
    "classwise_calibration_error",
    "evaluate_probabilities",
    "get_utility",
    "good_reward",
    "information_reward",
    "information_reward_2002",
    "information_reward_bound",
    "kl_divergence",
    "kononenko_bratko",
    "optimal_report_2002",
    "prior_from_counts",
    "prior_from_labels",
    "read_utility",
    "rewards_of",
    "top_label_calibration_error",
    "utility_from_dict",
    "write_utility",
]
