"""A topic of ``wager explain``: what a word in the output means, and where to read more."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wager._tables import Table, View, Viewed

# The groups of topics in the order of the list, each with its title and its page.
GROUPS: dict[str, tuple[str, str]] = {
    "sets": ("Scores of sets", "guide/set-measures.md"),
    "p-values": ("Criteria of conformal p-values", "guide/coverage.md"),
    "probabilities": ("Scores of probabilities", "guide/information-reward.md"),
    "memberships": ("Scores of memberships", "guide/partitions.md"),
    "costs": ("Costs", "guide/costs.md"),
    "extensions": ("Rules for costs of sets", "guide/costs-of-sets.md"),
    "properties": ("Properties of costs of sets", "guide/cost-properties.md"),
    "utilities": ("Utilities", "guide/utilities.md"),
    "comparisons": ("Comparisons", "guide/comparing-two.md"),
    "tests": ("Tests, and functions that compare", "choose-test.md"),
    "verdicts": ("Verdicts", "guide/comparing-two.md"),
    "rules": ("Decision rules", "guide/credal-sets.md"),
    "learners": ("Learners", "guide/learners.md"),
    "columns": ("Columns of prediction files", "how-to/prediction-files.md"),
    "runs": ("Runs and studies", "how-to/experiments.md"),
}
# The pages of topics that have another one than their group.
PAGES: dict[str, tuple[str, ...]] = {
    "guide/break-even.md": ("break_even", "risk_profile"),
    "guide/class-rewards.md": ("average_reward", "break_even_weight"),
    "guide/ordered-classes.md": ("contiguity_rate", "mean_width", "mean_distance_to_set",
                                 "ordinal_interval_score"),
    "guide/hierarchies.md": ("hierarchical_utility", "correct_at_depth", "mean_node_depth",
                             "node_error", "sets_that_are_nodes"),
    "guide/human.md": ("human utility", "break_even_accuracy"),
    "guide/coverage.md": ("size_stratified_violation", "worst_size_coverage", "violated_classes",
                          "difficulty_violation", "size_coverage_hsic", "worst_slice_coverage",
                          "conditional_coverage_error", "coverage_gap", "class_coverage",
                          "size_stratified_coverage", "coverage report", "caution by group"),
    "guide/dominance.md": ("dominance", "least_variance_winner"),
    "guide/planning.md": ("plan", "equivalence"),
    "how-to/monitor-production.md": ("drift",),
    "guide/selective.md": ("aurc", "e_aurc", "augrc", "risk_coverage", "compare_selective",
                           "abstention"),
    "guide/sequential.md": ("sequential", "sequential_differences", "combine_e_values", "decided"),
    "guide/cross-validation.md": ("corrected_t", "five_by_two_cv", "bayesian_correlated_t",
                                  "standard_deviation", "split"),
    "guide/many-datasets.md": ("friedman", "nemenyi", "holm", "bonferroni_dunn", "wilcoxon",
                               "sign_test", "bayesian_signed_rank", "bayesian_hierarchical",
                               "over_datasets", "wins_table", "win_tie_loss", "wins", "rank",
                               "mean", "median"),
    "guide/comparing-probabilities.md": ("compare_probabilities", "compare_probability_files",
                                         "paired_probabilities"),
    "guide/calibration.md": ("reliability diagram", "top_label_calibration_error",
                             "classwise_calibration_error",
                             "top_label_calibration_error_debiased",
                             "classwise_calibration_error_debiased",
                             "top_label_calibration_error_if_calibrated",
                             "classwise_calibration_error_if_calibrated"),
    "guide/naive-credal.md": ("naive-bayes", "naive-credal", "lazy-naive-credal",
                              "credal-model-averaging", "bayesian-model-averaging", "mvdm"),
    "guide/bayesian-networks.md": ("tan", "aode", "causal-mml"),
    "guide/credal-trees.md": ("c45", "credal-tree", "credal-forest", "npi", "idm"),
    "guide/conformal.md": ("conformal",),
    "guide/robustness.md": ("robustness", "explain_set"),
    "guide/tuning-caution.md": ("tuned-caution",),
    "guide/optimal-sets.md": ("optimal-sets", "nondeterministic", "rejecting"),
    "guide/wrappers.md": ("credal-intervals", "ensemble-credal", "credal-neighbors"),
    "guide/venn-abers.md": ("venn-abers",),
    "reproduction/index.md": ("published and ours",),
}  # fmt: skip
_PAGE_OF = {name: page for page, names in PAGES.items() for name in names}


@dataclass(frozen=True, repr=False)
class Topic(Viewed):
    """What there is to know about a word that an output mentions.

    Attributes
    ----------
    name : str
        The word.
    meaning : str
        What it is, in a sentence.
    formula : str
        How it is computed or decided.
    use : str
        When to look at it, and what it does not show.
    source : str
        The paper, or the field that uses it.
    group : str
        The key of its group in `GROUPS`.
    range : str, default=""
        The possible values, if they are numbers.
    aliases : tuple of str
        Other words for it.
    """

    name: str
    meaning: str
    formula: str
    use: str
    source: str
    group: str
    range: str = ""
    aliases: tuple[str, ...] = ()

    def _view(self) -> View:
        facts = {
            "meaning": self.meaning,
            "formula": self.formula,
            "range": self.range,
            "use": self.use,
            "source": self.source,
            "other names": ", ".join(self.aliases),
        }
        rows = [[name, words] for name, words in facts.items() if words]
        return View(self.name, [Table((), rows, "<<")])

    @property
    def page(self) -> str:
        """The page of the documentation that describes it, below ``docs/``."""
        return _PAGE_OF.get(self.name, GROUPS[self.group][1])

    @property
    def words(self) -> tuple[str, ...]:
        """The name and the other words for it."""
        return (self.name, *self.aliases)


def squeezed(name: str) -> str:
    """A name without what spellings differ in: case, blanks, hyphens, underscores and so on.

    Examples
    --------
    >>> squeezed("Break-even point"), squeezed("break_even_point")
    ('breakevenpoint', 'breakevenpoint')
    """
    return re.sub(r"[-_/\s'’`]+", "", name).lower()
