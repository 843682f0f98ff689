"""What commands print besides measures: results of comparisons, of tests and of runs."""

from __future__ import annotations

from wager.report._topic import Topic

_ZAFFALON = "Zaffalon, Corani & Mauá (2012)"


def _quantity(
    name: str, meaning: str, formula: str, use: str, source: str, *aliases: str, range: str = ""
) -> Topic:
    return Topic(name, meaning, formula, use, source, "comparisons", range, aliases)


QUANTITIES: tuple[Topic, ...] = (
    _quantity(
        "difference",
        "How much more one classifier earns than another on the same rows.",
        "mean of u(first) - u(second) over the rows",
        "The interval is that of paired rows, adjusted so that all differences of a report "
        "hold together; the difference is significant if it excludes 0.",
        "common usage; docs/certainty.md tests the intervals",
        "differences", "mean_difference", "mean_differences", "effect", "scores_higher",
        "mean_difference_in_utility",
    ),
    _quantity(
        "break_even",
        "The value of a set of two classes, u(0.5), at which two classifiers earn the same.",
        "the u(0.5) in [0.5, 1] at which the expected quadratic utilities are equal; with "
        "costs, the r of the p-discounted costs",
        "Below it one classifier is better, above it the other. The interval is where the data "
        "do not distinguish them; no value means that one is better throughout.",
        f"{_ZAFFALON}, Section 9, turned into an interval",
        "break_even_point", "break_evens", "cost_break_even", "ahead", "in_this_sample",
        range="0.5 (neutral to risk) to 1 (a set of two is as good as one class)",
    ),
    _quantity(
        "dominance",
        "Whether everyone who is averse or neutral to risk prefers one of two classifiers.",
        "second-order stochastic dominance: the integral of the distribution function of the "
        "reward is nowhere larger",
        "If it holds and is significant, the choice needs no utility. A difference under one "
        "utility is much weaker.",
        f"{_ZAFFALON}, Section 7; Levy (2016)",
        "objective_winner", "prefers", "everyone_prefers", "averse_or_neutral_to_risk",
    ),
    _quantity(
        "risk_profile",
        "The expected utility of each classifier for every attitude to risk.",
        "expected quadratic utility as a function of u(0.5) from 0.5 to 1",
        "`wager compare --plot` draws it: where the lines cross is the break-even point.",
        f"{_ZAFFALON}, Section 9",
        "best", "best_ranges",
    ),
    _quantity(
        "recommended",
        "The classifier that is significantly better than every other one, if there is one.",
        "better than each other classifier under every utility of the report (or the costs), "
        "after adjustment for all statements",
        "Null in JSON if the data leave the choice open; `recommendation` says it in words.",
        "this library",
        "recommendation", "recommend", "take", "take_any", "take_either",
    ),
    _quantity(
        "level",
        "The level of the intervals of a comparison, and 1 minus that of its tests.",
        "the chance that all intervals of the report contain their true values is at least "
        "this",
        "Choose it with --level before looking at the results.",
        "common usage",
        "alpha",
        range="between 0 and 1",
    ),
    _quantity(
        "total_weight",
        "The sum of the weights of the rows, each as often as it counts.",
        "sum of weight times count",
        "Only the ratios of weights matter to a mean; the number of rows is shown beside it.",
        "common usage",
        range="above 0",
    ),
    _quantity(
        "standard_error",
        "The standard deviation that the value would have over repetitions of the test set.",
        "square root of the variance of the mean over independent units (rows, weighted rows "
        "or clusters)",
        "It is 0 where all rows agree, however few they are: read the interval instead.",
        "common usage",
    ),
    _quantity(
        "interval",
        "A confidence interval: values that the data do not contradict.",
        "for a mean of bounded scores, the values that a score test does not reject; exact for "
        "shares of few rows",
        "It stays valid for few rows and for rows that all agree, where a standard error is "
        "0.",
        "docs/certainty.md",
        "lower", "upper", "low", "high",
    ),
    _quantity(
        "p",
        "The p-value of a test: how often chance alone gives a result at least as far away.",
        "two-sided; adjusted for all statements of the report",
        "Significant below 1 minus the level, which tables mark by a star.",
        "common usage",
        "p_value",
        range="0 to 1",
    ),
    _quantity(
        "plan",
        "How many rows would decide between two classifiers with the wanted probability.",
        "rows at which the test of the paired difference has the power --power, if the true "
        "difference is the observed one",
        "From `wager compare --plan`. A pilot of few rows gives a wide range: see `between`.",
        "common usage",
        "rows_needed", "more_rows", "power", "by_u", "between", "sample_size", "collect_more_rows",
        "pilot",
        range="1 upwards",
    ),
    _quantity(
        "equivalence",
        "Whether two classifiers are within a margin of each other.",
        "two one-sided tests: the interval of the difference lies within the margin",
        "From `wager compare --margin`. No significant difference does not mean equivalent.",
        "Schuirmann (1987)",
        "equivalent", "margin", "p_equivalent", "not_shown", "within",
    ),
    _quantity(
        "prior",
        "The class probabilities that information rewards are relative to.",
        "uniform unless --prior gives the training frequencies",
        "A prediction is rewarded for what it adds to the prior, so state it with the result.",
        "Hope & Korb (2004)",
    ),
    _quantity(
        "mean",
        "The mean score of a learner over the data sets on which every learner has a score.",
        "for each data set the mean over its splits, then the mean over data sets",
        "Data sets differ in difficulty: read it together with the mean rank.",
        "common usage",
        "means",
    ),
    _quantity(
        "median",
        "The median score of a learner over the data sets on which every learner has a score.",
        "middle value of the scores by data set",
        "Less affected than the mean by one unusual data set.",
        "common usage",
    ),
    _quantity(
        "standard_deviation",
        "How much the score of a learner varies from split to split of one data set.",
        "standard deviation of the scores of the splits (folds of all repeats), with divisor "
        "number of splits - 1",
        "Shown as mean ± standard deviation by `wager results --pivot`. It is not a standard "
        "error: splits share their rows, and the corrected t-test allows for that.",
        "as in Weka's experimenter",
        "sd",
    ),
    _quantity(
        "rank",
        "The mean rank of a learner over data sets; 1 is the best.",
        "ranks on each data set, ties share their mean rank, then the mean over data sets",
        "What Friedman's and Nemenyi's tests compare.",
        "Demšar (2006)",
        "mean_rank", "mean_ranks", "ranks",
        range="1 (best) to the number of learners",
    ),
    _quantity(
        "wins",
        "The number of data sets on which no other learner has a better score.",
        "data sets where the learner has the best score, ties included",
        "Counts without a test; `wager results --pivot` counts significant ones.",
        "common usage",
    ),
    _quantity(
        "win_tie_loss",
        "On how many data sets a learner is significantly better than, not distinguished from, "
        "and significantly worse than the baseline.",
        "the corrected resampled t-test on the splits of each data set",
        "The last row of `wager results --pivot`; v or ∘ marks a win, * or • a loss. The marks "
        "are not adjusted for the number of data sets.",
        "Nadeau & Bengio (2003), as in Weka's experimenter",
        "win_loss", "mark", "marks",
    ),
)  # fmt: skip
