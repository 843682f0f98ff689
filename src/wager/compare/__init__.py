"""Who won, for whom, and how surely."""

from wager.compare._anova import Anova, Effect, bonferroni_intervals, repeated_measures_anova
from wager.compare._bayes import (
    bayesian_correlated_t,
    bayesian_hierarchical,
    bayesian_signed_rank,
)
from wager.compare._break_even import BreakEven, break_even, quadratic_line
from wager.compare._outcome import Outcome
from wager.compare._pairs import (
    corrected_t,
    five_by_two_cv,
    mcnemar,
    paired_t,
    sign_test,
    wilcoxon,
)
from wager.compare._ranks import (
    RankComparison,
    Record,
    bonferroni_dunn,
    friedman,
    holm,
    holm_adjust,
    nemenyi,
    nemenyi_distance,
    nemenyi_q,
    ranks,
    wins_ties_losses,
)
from wager.compare._risk import FAMILIES, Family, RiskProfile, risk_profile

__all__ = [
    "FAMILIES",
    "Anova",
    "BreakEven",
    "Effect",
    "Family",
    "Outcome",
    "RankComparison",
    "Record",
    "RiskProfile",
    "bayesian_correlated_t",
    "bayesian_hierarchical",
    "bayesian_signed_rank",
    "bonferroni_dunn",
    "bonferroni_intervals",
    "break_even",
    "corrected_t",
    "five_by_two_cv",
    "friedman",
    "holm",
    "holm_adjust",
    "mcnemar",
    "nemenyi",
    "nemenyi_distance",
    "nemenyi_q",
    "paired_t",
    "quadratic_line",
    "ranks",
    "repeated_measures_anova",
    "risk_profile",
    "sign_test",
    "wilcoxon",
    "wins_ties_losses",
]
