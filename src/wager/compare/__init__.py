"""Comparison of classifiers: tests, dominance, break-even points, sequential comparison."""

from wager.compare._anova import (
    Anova as Anova,
    Effect as Effect,
    bonferroni_intervals as bonferroni_intervals,
    repeated_measures_anova,
)
from wager.compare._bayesian import (
    bayesian_correlated_t,
    bayesian_hierarchical,
    bayesian_signed_rank,
)
from wager.compare._break_even import BreakEven, break_even
from wager.compare._break_even_sentence import (
    CurveName as CurveName,
    break_even_sentence as break_even_sentence,
)
from wager.compare._classifier_names import (
    listed as listed,
)
from wager.compare._curve_crossings import (
    CurveFacts as CurveFacts,
)
from wager.compare._dominance import dominance, objective_winner
from wager.compare._drift import DriftTest
from wager.compare._e_values import combine_e_values
from wager.compare._fieller import (
    fieller_set as fieller_set,
)
from wager.compare._file_rows import (
    sets_of as sets_of,
)
from wager.compare._friedman import friedman
from wager.compare._head_to_head import HeadToHead, compare_files, head_to_head
from wager.compare._indeterminate_gain import (
    IndeterminateGain as IndeterminateGain,
    indeterminate_gain,
)
from wager.compare._joint_outcomes import (
    ComparedRows as ComparedRows,
    JointOutcomes as JointOutcomes,
)
from wager.compare._least_variance import (
    LeastVariance as LeastVariance,
    least_variance_winner,
    variance_difference as variance_difference,
)
from wager.compare._match_files import (
    Matched as Matched,
    given_names as given_names,
    match_files as match_files,
)
from wager.compare._monitor import Monitor, Window
from wager.compare._outcome import Outcome, levels as levels
from wager.compare._over_datasets import OverDatasets, over_datasets
from wager.compare._paired_costs import PairedCosts
from wager.compare._paired_probabilities import (
    MeanDifference as MeanDifference,
    PairedProbabilities,
    paired_probabilities,
)
from wager.compare._planning import SamplePlan, equivalence, sample_size
from wager.compare._post_hoc_tests import (
    RankComparison,
    bonferroni_dunn,
    holm,
    holm_adjust as holm_adjust,
    nemenyi,
    nemenyi_distance as nemenyi_distance,
    nemenyi_of_ranks as nemenyi_of_ranks,
    nemenyi_q as nemenyi_q,
)
from wager.compare._probability_comparison import ProbabilityComparison, compare_probabilities
from wager.compare._probability_files import compare_probability_files
from wager.compare._propositions import (
    Proposition as Proposition,
    proposition as proposition,
)
from wager.compare._quadratic_line import (
    quadratic_line as quadratic_line,
)
from wager.compare._rank_table import (
    ranks as ranks,
)
from wager.compare._ratio_break_even import break_even_accuracy, break_even_weight
from wager.compare._risk_profile import RiskProfile, risk_profile
from wager.compare._selective import SelectiveComparison, compare_selective
from wager.compare._sequential import (
    ConfidenceSequence,
    sequential,
    sequential_differences,
    utility_differences,
)
from wager.compare._sequential_state import (
    SequentialState,
    stop_when_decided as stop_when_decided,
)
from wager.compare._sign_tests import mcnemar, sign_test
from wager.compare._t_tests import corrected_t, five_by_two_cv, paired_t
from wager.compare._utility_families import (
    FAMILIES as FAMILIES,
    Family as Family,
    family_of as family_of,
)
from wager.compare._wilcoxon import wilcoxon
from wager.compare._wins import (
    Record as Record,
    WinsTable as WinsTable,
    wins_table,
    wins_ties_losses as wins_ties_losses,
)

# What users need; the other names above are helpers for other packages and result types.
__all__ = [
    "BreakEven",
    "ConfidenceSequence",
    "DriftTest",
    "HeadToHead",
    "Monitor",
    "Outcome",
    "OverDatasets",
    "PairedCosts",
    "PairedProbabilities",
    "ProbabilityComparison",
    "RankComparison",
    "RiskProfile",
    "SamplePlan",
    "SelectiveComparison",
    "SequentialState",
    "bayesian_correlated_t",
    "bayesian_hierarchical",
    "bayesian_signed_rank",
    "bonferroni_dunn",
    "break_even",
    "break_even_accuracy",
    "break_even_weight",
    "combine_e_values",
    "compare_files",
    "compare_probabilities",
    "compare_probability_files",
    "compare_selective",
    "corrected_t",
    "dominance",
    "equivalence",
    "five_by_two_cv",
    "friedman",
    "head_to_head",
    "holm",
    "indeterminate_gain",
    "least_variance_winner",
    "mcnemar",
    "nemenyi",
    "objective_winner",
    "over_datasets",
    "paired_probabilities",
    "paired_t",
    "repeated_measures_anova",
    "risk_profile",
    "sample_size",
    "sequential",
    "sequential_differences",
    "sign_test",
    "utility_differences",
    "wilcoxon",
    "wins_table",
]
