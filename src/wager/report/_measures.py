"""What every number means: definition, formula, when to use it, and where it comes from.

One entry a measure; ``wager explain`` prints it, and tables take their titles from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

ZCM = "Zaffalon, Corani & Mauá (2012)"
YDM = "Yang, Destercke & Masson (2017)"
HK = "Hope & Korb (2004)"
SW = "Sondhauss & Weihs (2001)"


@dataclass(frozen=True)
class Measure:
    """One measure in words.

    Attributes
    ----------
    name : str
        As the Python function and the JSON output call it.
    means : str
        What it is, in one sentence.
    formula : str
        How it is computed; k is the size of a set, hit is 1 if it holds the truth and 0 otherwise.
    use : str
        When to look at it, and what it hides.
    source : str
        The paper, or the field's usage.
    range : str
        Worst to best.
    """

    name: str
    means: str
    formula: str
    use: str
    source: str
    range: str = "0 (worst) to 1 (best)"

    @property
    def title(self) -> str:
        """The name in words."""
        return self.name.replace("_", " ")


_ENTRIES = (
    Measure(
        "discounted_accuracy",
        "The mean reward of a bettor who spreads one coin over the classes of the set.",
        "mean of hit / k; a miss and the empty set earn 0",
        "The risk-neutral score (u50). It is the harshest fair one for sets: a set is worth no "
        "more than one of its classes drawn at random. Use u65 or u80 if caution has a value.",
        f"{ZCM}, Section 4",
    ),
    Measure(
        "utility_discounted_accuracy",
        "The mean utility of the reward: what predictions are worth to a given decision maker.",
        "mean of u(hit / k); u65 has u(1/2) = 0.65, u80 has u(1/2) = 0.80",
        "Compare cautious and plain classifiers on one scale. u65 rewards caution mildly, u80 "
        "strongly; break-even points say at which u(1/2) the preference turns.",
        f"{ZCM}, Section 6; u65 and u80 as corrected, Section 9",
    ),
    Measure(
        "certainty_equivalent",
        "The sure reward that is worth as much as these predictions.",
        "the least x with u(x) = mean utility",
        "Brings utilities of different shape back to the scale of accuracy.",
        f"{ZCM}, Section 6",
    ),
    Measure(
        "reward_variance",
        "How much the reward hit / k varies from row to row.",
        "mean of (hit / k)^2 minus the square of the mean of hit / k",
        "Of two classifiers with the same discounted accuracy, the one with less variance is "
        "better under every quadratic risk-averse utility.",
        f"{ZCM}, Section 7, Equation 2",
        "0 (steady) to 1/4",
    ),
    Measure(
        "k_random_variance",
        "The variance of the reward if one class were drawn at random from each set.",
        "a(1 - a), a being the discounted accuracy",
        "The baseline that naming the whole set avoids: same mean, more variance.",
        f"{ZCM}, Section 5",
        "0 to 1/4",
    ),
    Measure(
        "determinacy",
        "The share of predictions that name exactly one class.",
        "share of rows with k = 1",
        "How often the classifier commits itself. Says nothing about being right: read it with the "
        "single accuracy.",
        "usage of credal classification",
        "0 (never) to 1 (always)",
    ),
    Measure(
        "single_accuracy",
        "The accuracy where one class is named.",
        "share of hits among rows with k = 1; undefined if there is none",
        "Should exceed the plain classifier's accuracy: the easy rows are those answered singly.",
        "usage of credal classification",
    ),
    Measure(
        "set_accuracy",
        "How often a set of two or more classes holds the truth.",
        "share of hits among rows with k >= 2; undefined if there is none",
        "Should be near 1, or caution is wasted.",
        "usage of credal classification",
    ),
    Measure(
        "coverage",
        "How often the set holds the truth.",
        "share of hits",
        "What conformal predictors promise. Any coverage can be bought with large sets: read it "
        "with the mean set size.",
        "usage of conformal prediction",
    ),
    Measure(
        "class_coverage",
        "Coverage among the rows of each true class.",
        "share of hits, class by class; undefined for a class without rows",
        "Shows classes that are paid for by others.",
        "usage of conformal prediction",
    ),
    Measure(
        "size_stratified_coverage",
        "Coverage among the predictions of each set size.",
        "share of hits, by k = 0, 1, ..., K; undefined for sizes that do not occur",
        "Shows whether large sets are large for a reason.",
        "Angelopoulos & Bates (2021)",
    ),
    Measure(
        "coverage_gap",
        "How far the classes' coverages are from the nominal one, on average.",
        "mean over classes of |coverage - (1 - alpha)|",
        "Fairness of a conformal predictor over classes.",
        "Ding et al. (2023)",
        "0 (best) to 1",
    ),
    Measure(
        "mean_set_size",
        "The mean number of classes named.",
        "mean of k",
        "Efficiency of a set-valued predictor; smaller is better at equal coverage.",
        "usage of conformal prediction",
        "0 to K",
    ),
    Measure(
        "indeterminate_set_size",
        "The mean number of classes named where two or more are.",
        "mean of k over rows with k >= 2",
        "How much is left open when something is left open.",
        "usage of credal classification",
        "2 to K",
    ),
    Measure(
        "empty_rate",
        "The share of empty sets.",
        "share of rows with k = 0",
        "Conformal predictors emit them; they earn 0 and are always misses.",
        "usage of conformal prediction",
        "0 to 1",
    ),
    Measure(
        "mic",
        "Information that a hit conveys, with a penalty for a miss that balances guessing.",
        "mean of log(K/k) for a hit, -log(K)/(K-1) for a miss (natural logarithm)",
        "A uniform random guess earns 0 on average; the vacuous set earns 0 always.",
        "the Weka-IP program",
        "-log(K)/(K-1) to log K",
    ),
    Measure(
        "mip",
        "Information that a hit conveys, with a penalty of your choice for a miss.",
        "mean of log(K/k) for a hit, -(1 + A) log K for a miss (natural logarithm)",
        "A = -1 gives misses no penalty, larger A a stronger one.",
        "the Weka-IP program",
        "-(1 + A) log K to log K",
    ),
    Measure(
        "set_confusion",
        "True classes against what was named: each class alone, then sets by size, and rejections.",
        "counts of rows by true class and kind of prediction",
        "Shows which classes are left open, and which are confused where one is named.",
        "ours",
        "counts",
    ),
    Measure(
        "area_of_ignorance",
        "A plain classifier's accuracy on the rows where the cautious one names several classes.",
        "share of the precise classifier's hits among rows with k >= 2 of the other",
        "Where it is below u(1/2) of your utility (two classes), the caution pays.",
        "Zaffalon, Corani & Mauá (2011), Section 9",
    ),
    Measure(
        "average_cost",
        "The mean cost of set-valued predictions under a cost matrix and its extension to sets.",
        "mean of c(set, truth)",
        "When mistakes cost differently. Audit the extended costs first: wager costs audit.",
        f"{YDM}, Section VII",
        "0 (best) upwards",
    ),
    Measure(
        "information_reward",
        "Bits by which the reported probabilities improve on the prior, over all classes: IR_B.",
        "mean over rows of (1/K) [log(p_t/prior_t) + sum over i != t of log((1-p_i)/(1-prior_i))]",
        "Scores probabilities against what the class frequencies alone would earn (0). The true "
        "frequencies maximise it. Minus infinity for certain and wrong predictions.",
        f"{HK}, Section 4",
        "minus infinity to a bound set by the prior",
    ),
    Measure(
        "information_reward_2002",
        "The first form of the information reward, which the true probabilities do not maximise.",
        "1 - log p / log prior for the true class, likewise with 1 - p for the others; mean",
        "For comparison with published numbers only: use information_reward.",
        f"{HK}, Section 3",
        "minus infinity to 1",
    ),
    Measure(
        "kononenko_bratko",
        "Bits by which the true class's probability improves on its prior.",
        "log(p/prior) if p >= prior, else -(log(1-p) - log(1-prior)); true class only; mean",
        "The information score of Weka (whose prior is (n+1)/(N+K)). Looks at one class alone.",
        "Kononenko & Bratko (1991)",
        "down to log prior at worst",
    ),
    Measure(
        "good_reward",
        "Bits won by betting on the class of largest probability.",
        "1 + log2 p if that class is true, 1 + log2(1 - p) if not; mean",
        "Rewards confident right answers; ignores the prior, so repeating it can pay.",
        "Good (1952)",
        "minus infinity to 1",
    ),
    Measure(
        "kl_divergence",
        "Bits lost by reporting these probabilities instead of the true ones.",
        "mean over rows of sum over classes of p log(p/q)",
        "Where the truth is known, as in artificial data. 0 is best.",
        f"{HK}, Section 5",
        "0 (best) to infinity",
    ),
    Measure(
        "log_loss",
        "Minus the logarithm of the probability given to the truth, in nats.",
        "mean of -log p of the true class",
        "For comparison with other libraries; a proper score, harsh on certain mistakes.",
        "usage",
        "0 (best) to infinity",
    ),
    Measure(
        "brier",
        "Squared distance of the probabilities from the truth.",
        "mean over rows of sum over classes of (p - [class is true])^2",
        "For comparison; bounded, so one mistake cannot dominate. Splits into reliability minus "
        "resolution plus uncertainty.",
        "Brier (1950), Murphy (1973)",
        "0 (best) to 2",
    ),
    Measure(
        "top_label_calibration_error",
        "How far the probability of the named class is from how often it is right.",
        "mean over bins of |mean largest probability - accuracy|, weighted by rows",
        "Whether 80% sure means right in 80% of cases; depends on the bins.",
        "Guo et al. (2017)",
        "0 (best) to 1",
    ),
    Measure(
        "classwise_calibration_error",
        "The calibration error of every class's probability, averaged over classes.",
        "mean over classes of the binned |mean probability - frequency|",
        "Sees classes that top-label calibration does not.",
        "Kull et al. (2019)",
        "0 (best) to 1",
    ),
    Measure(
        "accuracy",
        "The share of rows whose most probable class is the true one.",
        "share of rows with argmax p = truth",
        "For comparison; says nothing about the probabilities.",
        "usage",
    ),
    Measure(
        "partition_accuracy",
        "Accuracy Ac: how near the standardized memberships are to the true class's corner.",
        "1 - mean distance to the true corner / sqrt((G-1)/G), after Beta scaling",
        "Compares classifiers of any kind (scores, votes, probabilities) on one scale.",
        f"{SW}, Section 5, normalisation corrected",
        "1 - sqrt(2G/(G-1)) to 1; 0 at the centre",
    ),
    Measure(
        "separation",
        "Ability to separate AS: how near the standardized memberships are to the assigned corner.",
        "1 - mean distance to the assigned corner / sqrt((G-1)/G), after Beta scaling",
        "How clearly the classes come apart, right or wrong.",
        f"{SW}, Section 5, normalisation corrected",
        "1 - sqrt(2G/(G-1)) to 1",
    ),
    Measure(
        "correctness_rate",
        "The share of objects assigned to their true class by the largest membership.",
        "share of rows with argmax membership = truth",
        "The usual accuracy, in the partition-space family.",
        f"{SW}, Section 3",
    ),
    Measure(
        "confidence",
        "Confidence CF: how much the standardized memberships favour the assigned class.",
        "mean scaled membership in the assigned class",
        "Read it against the correctness rate: after scaling the two should be close.",
        "the klaR program, for the partitions of " + SW,
    ),
    Measure(
        "precision",
        "How near memberships are to the true class probabilities.",
        "1 - mean distance to the true probabilities / sqrt((G-1)/G)",
        "Where the truth is known, as in artificial data.",
        f"Hand (1997), {SW}, Section 3",
        "1 - sqrt(2G/(G-1)) to 1",
    ),
    Measure(
        "separability",
        "How well the classes can be told apart at all, by the rule that knows the probabilities.",
        "the ability to separate of the true class probabilities",
        "The bound on any rule's ability to separate; a property of the data.",
        f"Hand (1997), {SW}, Section 3",
        "0 (not at all) to 1",
    ),
    Measure(
        "non_resemblance",
        "How different the true class probabilities remain, given what the rule said.",
        "mean over regions of the distance of the mean true probabilities from the centre, "
        "divided by that of a corner",
        "0 if the rule's answer leaves all classes equally likely, 1 if it leaves one.",
        f"Hand (1997), {SW}, Section 3; the formula is ours",
    ),
    Measure(
        "information_reward_bound",
        "The most that the information reward can be for a true class t, given the prior.",
        "(1/K) [-log prior_t - sum over i != t of log(1 - prior_i)]",
        "Divide a reward by it to compare problems with different priors.",
        f"{HK}, Section 4",
        "bits",
    ),
    Measure(
        "optimal_report_2002",
        "The report that earns most under the 2002 reward; it is not the true probability.",
        "f log(1-p) / (f log(1-p) + (1-f) log p), f the true frequency, p the prior",
        "Shows why the 2002 reward was replaced.",
        f"{HK}, Theorem 1",
        "0 to 1",
    ),
    Measure(
        "rows",
        "The number of predictions that were scored, or their total weight.",
        "count of rows, or sum of the weight column",
        "Read every other number in its light.",
        "usage",
        "1 upwards",
    ),
)

MEASURES: dict[str, Measure] = {entry.name: entry for entry in _ENTRIES}

_ALSO = {
    "u50": "utility_discounted_accuracy",
    "u65": "utility_discounted_accuracy",
    "u80": "utility_discounted_accuracy",
    "utility": "utility_discounted_accuracy",
    "f1": "utility_discounted_accuracy",
    "dacc": "discounted_accuracy",
    "ir": "information_reward",
    "ir_b": "information_reward",
    "information_reward_2004": "information_reward",
    "kb": "kononenko_bratko",
    "good": "good_reward",
    "brier_score": "brier",
    "brier_decomposition": "brier",
    "brier_reliability": "brier",
    "brier_resolution": "brier",
    "brier_uncertainty": "brier",
    "brier_within_bins": "brier",
    "ac": "partition_accuracy",
    "as": "separation",
    "cr": "correctness_rate",
    "size": "mean_set_size",
    "cost": "average_cost",
    "evaluate_costs": "average_cost",
}


def explain(name: str) -> Measure:
    """The entry of a measure, found by its name in any spelling.

    Examples
    --------
    >>> explain("Mean set-size").formula
    'mean of k'
    >>> explain("u65").name
    'utility_discounted_accuracy'
    """
    key = name.strip().lower().replace("-", "_").replace(" ", "_").partition(":")[0]
    key = _ALSO.get(key, key)
    if key in MEASURES:
        return MEASURES[key]
    near = get_close_matches(key, [*MEASURES, *_ALSO], n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else "'wager explain' lists them"
    raise ValueError(f"no measure is called {name!r}: {hint}")
