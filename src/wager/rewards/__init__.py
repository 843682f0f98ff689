"""What predictions earn: utilities, tallies, measures of sets and of probabilities, bets.

The measures as functions of ``(y_true, y_pred)`` are listed in `wager.metrics`.
"""

from wager.rewards import elicit
from wager.rewards._bets import (
    BetsUtility as BetsUtility,
    expected_utility_of_bets,
)
from wager.rewards._by_class import (
    BY_CLASS as BY_CLASS,
    class_estimates as class_estimates,
    class_tallies_of_file as class_tallies_of_file,
)
from wager.rewards._calibration import (
    brier_decomposition as brier_decomposition,
    classwise_calibration_error as classwise_calibration_error,
    classwise_calibration_error_debiased as classwise_calibration_error_debiased,
    classwise_calibration_error_if_calibrated as classwise_calibration_error_if_calibrated,
    top_label_calibration_error as top_label_calibration_error,
    top_label_calibration_error_debiased as top_label_calibration_error_debiased,
    top_label_calibration_error_if_calibrated as top_label_calibration_error_if_calibrated,
)
from wager.rewards._calibration_test import CalibrationTest, calibration_test
from wager.rewards._cell_sums import (
    CellSums as CellSums,
    ClusterTotals as ClusterTotals,
    distinct_numbers as distinct_numbers,
)
from wager.rewards._class_tally import ClassTally, tally_by
from wager.rewards._confusion import (
    SetConfusion,
    set_confusion as set_confusion,
)
from wager.rewards._count import (
    CheckedRows as CheckedRows,
    cell_of as cell_of,
    file_sums as file_sums,
    read_rows as read_rows,
)
from wager.rewards._coverage_error import (
    conditional_coverage_error as conditional_coverage_error,
)
from wager.rewards._coverage_report import (
    CoveragePart,
    CoverageReport,
    coverage_report,
)
from wager.rewards._custom_utilities import Custom, Tabulated
from wager.rewards._dominance import (
    first_order_dominates,
    same_law as same_law,
    second_order_dominates,
)
from wager.rewards._estimate import (
    Estimate,
    estimate_mean as estimate_mean,
    mean_and_error as mean_and_error,
    standard_error as standard_error,
)
from wager.rewards._evaluation import SetEvaluation, evaluate_sets
from wager.rewards._game import GameValue, game_value
from wager.rewards._group_caution import GroupCaution, GroupGap, caution_by_group
from wager.rewards._group_evaluation import GroupEvaluation, evaluate_by
from wager.rewards._group_intervals import group_intervals as group_intervals
from wager.rewards._group_rewards import (
    GroupReward as GroupReward,
    group_rewards as group_rewards,
)
from wager.rewards._group_sums import GroupSums as GroupSums
from wager.rewards._group_tally import (
    GroupTally,
    count_members as count_members,
)
from wager.rewards._human_utility import HumanUtility, human_utility
from wager.rewards._ignorance import (
    RandomVsVacuous as RandomVsVacuous,
    inversion_point,
    random_vs_vacuous,
)
from wager.rewards._information_scores import mic, mip
from wager.rewards._level import check_level as check_level
from wager.rewards._matrix import (
    all_sets as all_sets,
    extended_reward_matrix,
)
from wager.rewards._mean_estimate import MeanEstimate
from wager.rewards._mean_interval import (
    mean_interval as mean_interval,
    mean_p_values as mean_p_values,
)
from wager.rewards._measure import Measure
from wager.rewards._metrics import (
    area_of_ignorance as area_of_ignorance,
    certainty_equivalent as certainty_equivalent,
    class_coverage as class_coverage,
    coverage as coverage,
    coverage_gap as coverage_gap,
    determinacy as determinacy,
    discounted_accuracy as discounted_accuracy,
    empty_rate as empty_rate,
    indeterminate_set_size as indeterminate_set_size,
    mean_set_size as mean_set_size,
    reward_variance as reward_variance,
    rows_of_ignorance as rows_of_ignorance,
    set_accuracy as set_accuracy,
    single_accuracy as single_accuracy,
    size_stratified_coverage as size_stratified_coverage,
    utility_discounted_accuracy as utility_discounted_accuracy,
)
from wager.rewards._p_values import (
    PValueEfficiency,
    UniformityTest,
    pvalue_efficiency,
    pvalue_uniformity,
)
from wager.rewards._paired import (
    Difference,
    PairedTally,
    difference_of as difference_of,
    joint_number as joint_number,
    read_pair as read_pair,
    shared_classes as shared_classes,
)
from wager.rewards._partitions import by_partition as by_partition
from wager.rewards._priors import (
    check_prior as check_prior,
    prior_from_counts as prior_from_counts,
    prior_from_labels as prior_from_labels,
    prior_over as prior_over,
)
from wager.rewards._probability_evaluation import ProbabilityEvaluation, evaluate_probabilities
from wager.rewards._probability_rows import ProbabilityRows as ProbabilityRows
from wager.rewards._probability_tally import (
    HIT as HIT,
    LOG_SCORE as LOG_SCORE,
    QUADRATIC_SCORE as QUADRATIC_SCORE,
    ProbabilityTally,
    probability_rewards as probability_rewards,
)
from wager.rewards._registry import (
    MEASURES,
    SET_SCORES,
    as_measure as as_measure,
    load_measure as load_measure,
    measure_of as measure_of,
    register,
    unregister,
)
from wager.rewards._reliability_bins import (
    BrierSplit as BrierSplit,
    ReliabilityBins as ReliabilityBins,
)
from wager.rewards._reward_estimates import reward_estimates as reward_estimates
from wager.rewards._reward_sums import RewardSums as RewardSums
from wager.rewards._running import RunningMeasure
from wager.rewards._scorer import (
    SetScorer as SetScorer,
    make_set_scorer,
)
from wager.rewards._scores import SetScore, human_score, utility_score
from wager.rewards._selective import (
    SELECTIVE_TITLES as SELECTIVE_TITLES,
    Abstention,
    CoverageAtRisk,
    Influence as Influence,
    SelectiveEvaluation,
    evaluate_selective,
    influence_estimate as influence_estimate,
)
from wager.rewards._strata import (
    difficulty_violation as difficulty_violation,
    singleton_hit_ratio as singleton_hit_ratio,
    size_coverage_hsic as size_coverage_hsic,
    size_stratified_violation as size_stratified_violation,
    violated_classes as violated_classes,
    worst_size_coverage as worst_size_coverage,
)
from wager.rewards._summable import (
    Combine as Combine,
    SummableTally as SummableTally,
    check_same_classes as check_same_classes,
    difference as difference,
    in_both as in_both,
    plain_data as plain_data,
    plain_integers as plain_integers,
    plain_labels as plain_labels,
    plain_numbers as plain_numbers,
    plain_sets as plain_sets,
)
from wager.rewards._tally import (
    Decomposition as Decomposition,
    Moments as Moments,
    Tally,
    utility_of as utility_of,
)
from wager.rewards._tally_scores import distinct_utilities as distinct_utilities
from wager.rewards._titles import measure_titles as measure_titles
from wager.rewards._utilities import Exponential, FBeta, Linear, Logarithmic, Power, Quadratic
from wager.rewards._utility import (
    Utility,
    reward_points as reward_points,
    rewards_of as rewards_of,
)
from wager.rewards._utility_names import (
    UtilityLike,
    get_utility,
    read_utility,
    utility_from_dict as utility_from_dict,
    write_utility,
)
from wager.rewards._worst_slice import (
    WorstSlice,
    worst_slice,
    worst_slice_coverage as worst_slice_coverage,
)
from wager.rewards.information import (
    ProbabilityReward as ProbabilityReward,
    check_base as check_base,
    check_clip as check_clip,
    good_reward as good_reward,
    information_reward as information_reward,
    information_reward_2002 as information_reward_2002,
    information_reward_bound as information_reward_bound,
    kl_divergence as kl_divergence,
    kononenko_bratko as kononenko_bratko,
    optimal_report_2002 as optimal_report_2002,
)

# Names that are not listed are functions of wager.metrics and helpers for other packages.
__all__ = [
    "MEASURES",
    "SET_SCORES",
    "Abstention",
    "CalibrationTest",
    "ClassTally",
    "CoverageAtRisk",
    "CoveragePart",
    "CoverageReport",
    "Custom",
    "Difference",
    "Estimate",
    "Exponential",
    "FBeta",
    "GameValue",
    "GroupCaution",
    "GroupEvaluation",
    "GroupGap",
    "GroupTally",
    "HumanUtility",
    "Linear",
    "Logarithmic",
    "MeanEstimate",
    "Measure",
    "PValueEfficiency",
    "PairedTally",
    "Power",
    "ProbabilityEvaluation",
    "ProbabilityTally",
    "Quadratic",
    "RunningMeasure",
    "SelectiveEvaluation",
    "SetConfusion",
    "SetEvaluation",
    "SetScore",
    "Tabulated",
    "Tally",
    "UniformityTest",
    "Utility",
    "UtilityLike",
    "WorstSlice",
    "calibration_test",
    "caution_by_group",
    "coverage_report",
    "elicit",
    "evaluate_by",
    "evaluate_probabilities",
    "evaluate_selective",
    "evaluate_sets",
    "expected_utility_of_bets",
    "extended_reward_matrix",
    "first_order_dominates",
    "game_value",
    "get_utility",
    "human_score",
    "human_utility",
    "inversion_point",
    "make_set_scorer",
    "mic",
    "mip",
    "pvalue_efficiency",
    "pvalue_uniformity",
    "random_vs_vacuous",
    "read_utility",
    "register",
    "second_order_dominates",
    "tally_by",
    "unregister",
    "utility_score",
    "worst_slice",
    "write_utility",
]
