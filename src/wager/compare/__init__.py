"""Who won, for whom, and how surely."""

from wager.compare._anova import Anova, Effect, bonferroni_intervals, repeated_measures_anova
from wager.compare._bayes import (
    bayesian_correlated_t,
    bayesian_hierarchical,
    bayesian_signed_rank,
)
from wager.compare._break_even import BreakEven, break_even, quadratic_line
from wager.compare._break_even_words import sentence
from wager.compare._dominance import dominance, objective_winner
from wager.compare._fieller import fieller_set
from wager.compare._gain import IndeterminateGain, indeterminate_gain
from wager.compare._gaps import PairedCosts
from wager.compare._head_to_head import HeadToHead, compare_files, head_to_head
from wager.compare._matching import Matched, match_files
from wager.compare._outcome import Outcome
from wager.compare._over_datasets import OverDatasets, over_datasets
from wager.compare._pairs import (
    corrected_t,
    five_by_two_cv,
    mcnemar,
    paired_t,
    sign_test,
    wilcoxon,
)
from wager.compare._propositions import Proposition, proposition
from wager.compare._ranks import (
    RankComparison,
    bonferroni_dunn,
    friedman,
    holm,
    holm_adjust,
    nemenyi,
    nemenyi_distance,
    nemenyi_q,
    ranks,
)
from wager.compare._risk import FAMILIES, Family, RiskProfile, risk_profile
from wager.compare._sequential import (
    ConfidenceSequence,
    SequentialState,
    sequential,
    stop_when_decided,
    utility_differences,
)
from wager.compare._variance import LeastVariance, least_variance_winner, variance_difference
from wager.compare._wins import Record, WinsTable, wins_table, wins_ties_losses

__all__ = [
    "FAMILIES",
    "Anova",
    "BreakEven",
    "ConfidenceSequence",
    "Effect",
    "Family",
    "HeadToHead",
    "IndeterminateGain",
    "LeastVariance",
    "Matched",
    "Outcome",
    "OverDatasets",
    "PairedCosts",
    "Proposition",
    "RankComparison",
    "Record",
    "RiskProfile",
    "SequentialState",
    "WinsTable",
    "bayesian_correlated_t",
    "bayesian_hierarchical",
    "bayesian_signed_rank",
    "bonferroni_dunn",
    "bonferroni_intervals",
    "break_even",
    "compare_files",
    "corrected_t",
    "dominance",
    "five_by_two_cv",
    "friedman",
    "head_to_head",
    "holm",
    "holm_adjust",
    "indeterminate_gain",
    "least_variance_winner",
    "match_files",
    "mcnemar",
    "nemenyi",
    "nemenyi_distance",
    "nemenyi_q",
    "objective_winner",
    "over_datasets",
    "paired_t",
    "proposition",
    "quadratic_line",
    "ranks",
    "repeated_measures_anova",
    "risk_profile",
    "sequential",
    "sign_test",
    "stop_when_decided",
    "utility_differences",
    "variance_difference",
    "wilcoxon",
    "wins_table",
    "wins_ties_losses",
]
