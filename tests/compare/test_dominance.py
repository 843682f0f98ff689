"""Verdicts for everybody: dominance with its test, least variance, the propositions, gains."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from tests.compare.strategies import two_classifiers
from tests.fewer import fewer
from tests.replications import replications
from tests.rewards.strategies import concave_utilities, tallies
from wager.compare import (
    dominance,
    indeterminate_gain,
    least_variance_winner,
    objective_winner,
    paired_t,
    proposition,
    variance_difference,
)
from wager.compare._dominance import _fact
from wager.rewards import (
    CellSums,
    Exponential,
    PairedTally,
    Quadratic,
    Tabulated,
    Tally,
    area_of_ignorance,
    first_order_dominates,
    mean_p_values,
)


def law(n_classes, *cells):
    return Tally.from_distribution(cells, n_classes)


# -- dominance ---------------------------------------------------------------------------------


@given(two_classifiers())
@fewer(12)
def test_the_winner_is_the_objective_winner_and_leads_everywhere(data):
    paired = PairedTally.of(*data)
    outcome = dominance(paired)
    winner = outcome.details["winner"]
    assert winner == objective_winner(paired.a, paired.b)
    assert (outcome.statistic >= -1e-12) or winner == "none"
    assert outcome.effect == pytest.approx(paired.difference("linear").mean)


@given(two_classifiers(), st.sampled_from([1, 2]))
@fewer(12)
def test_swapping_the_two_swaps_the_verdict_and_keeps_the_leads(data, order):
    paired = PairedTally.of(*data)
    there, back = (dominance(p, order=order) for p in (paired, paired.swap()))
    swapped = {"a": "b", "b": "a"}
    winner = there.details["winner"]
    assert back.details["winner"] == swapped.get(winner, winner)
    if winner in swapped:
        assert there.statistic == pytest.approx(back.statistic)
    assert there.p == pytest.approx(back.p, abs=1e-9)
    assert there.details["p_refuted_a"] == pytest.approx(back.details["p_refuted_b"], abs=1e-9)


@given(two_classifiers())
def test_first_order_dominance_is_the_stronger_claim(data):
    paired = PairedTally.of(*data)
    if dominance(paired, order=1).details["winner"] == "a":
        assert first_order_dominates(paired.a, paired.b)
        assert dominance(paired).details["winner"] == "a"


@given(two_classifiers(), st.sampled_from([1, 2]))
@fewer(12)
def test_p_is_that_of_the_least_significant_level_of_reward(data, order):
    """A slow version: one two-sided test of row differences for each level of reward."""
    y, a, b = data
    earned = [
        np.where(sets[np.arange(len(y)), y], 1 / np.maximum(sets.sum(axis=1), 1), 0.0)
        for sets in (a, b)
    ]
    found = []
    for level in np.unique(earned):
        if level > 0:
            one, two = (e >= level if order == 1 else np.minimum(e, level) for e in earned)
            gap = one.astype(float) - two
            values, counts = np.unique(gap, return_counts=True)
            sums = CellSums(np.arange(len(values)), counts)
            most = np.array([1.0 if order == 1 else level])
            found.append(mean_p_values(values[None], sums, -most, most).item() if gap.any() else 0)
    outcome = dominance(PairedTally.of(y, a, b), order=order)
    dominated = outcome.details["winner"] in ("a", "b")
    assert outcome.p == pytest.approx(max(found) if dominated else 1.0, abs=1e-7)


def test_a_clear_winner_is_significant_and_a_narrow_one_is_not():
    y = np.zeros(400, dtype=int)
    cautious = np.ones((400, 2), dtype=bool)
    cautious[200:, 1] = False
    for wrong, sure in ((120, True), (101, False)):  # guessing right in 80, or 99, of 200
        plain = (np.arange(400) < wrong).astype(int)
        paired = PairedTally.of(y, cautious, plain, classes=[0, 1])
        outcome = dominance(paired, names=("ncc", "nbc"))
        assert outcome.details["winner"] == "a"
        assert (outcome.p < 0.05) is sure
        assert ("not significantly" in outcome.verdict) is not sure


def test_tallies_of_different_rows_are_less_certain():
    """Paired rows that agree as often as possible are less uncertain than unpaired ones."""
    y = np.zeros(300, dtype=int)
    b = (np.arange(300) < 60).astype(int)
    a = (np.arange(300) < 40).astype(int)
    paired = PairedTally.of(y, a, b, classes=[0, 1])
    assert dominance(paired).p < dominance(paired.a, paired.b).p


def test_a_known_distribution_is_certain():
    better = law(2, (1, True, Fraction(2, 3)), (1, False, Fraction(1, 3)))
    worse = law(2, (1, True, Fraction(1, 2)), (1, False, Fraction(1, 2)))
    assert dominance(better, worse).p == 0.0
    assert dominance(worse, better).details["winner"] == "b"
    assert dominance(better, better).p == 1.0


def test_identical_classifiers_are_called_equal():
    paired = PairedTally.of([0, 1], [0, 0], [0, 0], classes=[0, 1])
    outcome = dominance(paired, names=("ncc", "nbc"))
    assert outcome.verdict == (
        "the rewards of ncc and nbc have the same distribution in this sample"
    )
    assert (outcome.p, outcome.details["p_refuted_a"]) == (1.0, 1.0)


def test_opinions_differ_significantly_where_both_dominances_are_refuted():
    y = np.zeros(1000, dtype=int)
    vacuous = np.ones((1000, 2), dtype=bool)
    plain = (np.arange(1000) < 300).astype(int)  # right in 70%: better on average, riskier
    outcome = dominance(PairedTally.of(y, vacuous, plain, classes=[0, 1]))
    assert outcome.details["winner"] == "none"
    assert outcome.verdict == "opinions differ significantly: neither A nor B is preferred by all"


@pytest.mark.slow
def test_dominance_is_claimed_wrongly_no_more_often_than_alpha():
    """Equal expected rewards are the edge: the precise one does not dominate, the credal one
    leads at the lower level and is level at the top."""
    rng, runs, n = np.random.default_rng(5), replications(600), 300
    # rows: both right, the plain one right or wrong where the cautious one keeps both classes
    joint = [(1, 1, 1, 1), (2, 1, 1, 1), (2, 1, 1, 0)]
    tables, times = np.unique(
        rng.multinomial(n, [0.5, 0.25, 0.25], runs), axis=0, return_counts=True
    )
    wrong = [dominance(PairedTally(2, joint, table)).p < 0.05 for table in tables]
    assert np.average(wrong, weights=times) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / runs)


# -- least variance, Eq. 3 and the propositions ------------------------------------------------

# Zaffalon, Corani & Mauá (2012), Section 7: equal means, and variance and utility disagree
F = law(3, (1, False, Fraction(3, 12)), (3, True, Fraction(1, 12)), (2, True, Fraction(6, 12)),
        (1, True, Fraction(2, 12)))  # fmt: skip
G = law(3, (1, False, Fraction(2, 12)), (3, True, Fraction(7, 12)), (1, True, Fraction(3, 12)))


def test_the_rule_decides_for_quadratic_utilities_only():
    assert least_variance_winner({"f": F, "g": G}, tolerance=0).winner == "f"
    for q in (0.55, 0.65, 0.8):
        assert F.expected_utility(Quadratic(q)) > G.expected_utility(Quadratic(q))
    strongly_averse = Exponential(3, normalized=True)
    assert F.expected_utility(strongly_averse) == pytest.approx(0.6309, abs=5e-5)
    assert G.expected_utility(strongly_averse) == pytest.approx(0.6381, abs=5e-5)
    assert objective_winner(F, G) == "none"


@given(tallies(n_classes=4), tallies(n_classes=4))
@fewer(12)
def test_equation_3_is_the_difference_of_variances(f, g):
    expected = g.moments().variance - f.moments().variance
    assert variance_difference(f, g) == pytest.approx(expected, abs=1e-12)


@given(st.lists(tallies(n_classes=3), min_size=2, max_size=5), st.floats(0, 1))
def test_the_winner_varies_least_among_the_best(found, tolerance):
    result = least_variance_winner(found, tolerance)
    best = max(m.mean for m in result.moments.values())
    for name, m in result.moments.items():
        if name not in result.equal:
            assert m.mean < best - tolerance
        elif result.winner is not None:
            assert m.variance >= result.moments[result.winner].variance


def test_the_theorem_is_claimed_only_for_equal_means():
    """Means of .800 and .795 are equal within the tolerance, yet u(0.5) = 0.52 prefers the first,
    so Proposition 2 does not apply."""
    precise = law(2, (1, True, 0.8), (1, False, 0.2))
    credal = law(2, (1, True, 0.7), (2, True, 0.19), (1, False, 0.11))
    result = least_variance_winner({"precise": precise, "credal": credal})
    assert credal.moments().mean == pytest.approx(0.795)
    assert precise.expected_utility(Quadratic(0.52)) > credal.expected_utility(Quadratic(0.52))
    assert (result.winner, result.proposition) == ("credal", None)
    assert "Proposition" not in result.verdict
    assert result.verdict.endswith("users close to risk neutral may prefer another one")
    assert proposition(precise, credal) is None


def test_the_rule_does_not_apply_to_different_means():
    good, bad = law(2, (1, True, 1)), law(2, (1, False, 1))
    result = least_variance_winner({"good": good, "bad": bad})
    assert result.winner is None
    assert result.verdict.startswith(
        "the rule does not apply: no other expected reward is within 0.01"
    )
    assert "have the same variance" in least_variance_winner([good, good]).verdict


@given(tallies(n_classes=3), concave_utilities())
def test_proposition_2_holds_for_every_concave_utility(credal, u):
    mean = credal.reward_law()[1] @ credal.reward_law()[0]
    precise = Tally(np.array([[0, 0], [1 - mean, mean], [0, 0], [0, 0]]))
    told = proposition(credal, precise)
    assume(told is not None)
    assert told.number == 2
    assert credal.expected_utility(u) >= precise.expected_utility(u) - 1e-9
    if told.winner == "equal":
        assert credal.expected_utility(u) == pytest.approx(precise.expected_utility(u), abs=1e-9)


@given(st.integers(2, 5), st.data())
def test_proposition_3_prefers_the_more_indeterminate(n, data):
    """Distributions on {one class, all classes}: right, wrong and vacuous shares of equal mean."""
    shares = []
    for _ in range(2):
        vacuous = data.draw(st.integers(1, 5)) * Fraction(1, 10)
        right = Fraction(1, 2) - vacuous / n  # expected reward 1/2 for both
        shares.append((right, 1 - right - vacuous, vacuous))
    f, g = (
        law(n, (1, True, right), (1, False, wrong), (n, True, vacuous))
        for right, wrong, vacuous in shares
    )
    told = proposition(f, g)
    assert told.number == 3
    expected = {0: "equal", 1: "a", -1: "b"}[
        (shares[0][2] > shares[1][2]) - (shares[0][2] < shares[1][2])
    ]
    assert told.winner == expected
    assert objective_winner(f, g) == expected


def test_the_verdict_mentions_the_propositions():
    precise = law(2, (1, True, Fraction(1, 2)), (1, False, Fraction(1, 2)))
    vacuous = law(2, (2, True, 1))
    result = least_variance_winner({"nbc": precise, "ncc": vacuous}, tolerance=0)
    assert result.verdict.endswith(
        "by Proposition 2 everyone who is averse to risk prefers the credal ncc to the precise nbc"
    )
    outcome = dominance(precise, vacuous, names=("nbc", "ncc"))
    assert outcome.details["proposition"] == 2
    assert outcome.verdict.endswith("prefers the credal ncc to the precise nbc")
    assert proposition(law(2, (1, True, 1)), precise) is None


# -- the gain where the credal one is indeterminate --------------------------------------------


@given(two_classifiers(), st.sampled_from(["u50", "u65", "u80", "f1"]))
@fewer(8)
def test_the_gain_is_the_ratio_of_mean_utilities_on_the_rows_of_ignorance(data, utility):
    y, credal, _ = data
    precise = np.random.default_rng(len(y)).integers(0, credal.shape[1], len(y))
    gain = indeterminate_gain(y, credal, precise, utility, classes=range(credal.shape[1]))
    rows = credal.sum(axis=1) > 1
    assert gain.n == rows.sum()
    accuracy = area_of_ignorance(y, credal, precise, classes=range(credal.shape[1]))
    if rows.any():
        earned = Tally.of(y[rows], credal[rows]).expected_utility(utility)
        assert (gain.credal, gain.precise) == pytest.approx((earned, accuracy))
        if accuracy > 0:
            assert gain.value == pytest.approx(earned / accuracy - 1)
            assert gain.interval[0] <= gain.value <= gain.interval[1]
    assert "nan" not in gain.verdict.lower()


def test_in_two_classes_the_gain_is_the_papers():
    """A vacuous set earns u(0.5): Table 1 of Zaffalon et al. (2011) has NBC right in 60% there."""
    y = np.zeros(1000, dtype=int)
    credal = np.ones((1000, 2), dtype=bool)
    precise = (np.arange(1000) < 400).astype(int)
    for u_half in (0.5, 0.65, 0.8):
        gain = indeterminate_gain(y, credal, precise, u_half)
        assert gain.value == pytest.approx(u_half / 0.6 - 1)


@pytest.mark.slow
def test_the_interval_of_the_gain_covers_as_often_as_it_says():
    rng, runs, n = np.random.default_rng(2), 1500, 200
    covered = 0
    wrong, times = np.unique(rng.binomial(n, 0.4, runs), return_counts=True)
    for k, repeated in zip(wrong, times, strict=True):
        low, high = indeterminate_gain([0] * n, [[0, 1]] * n, [1] * k + [0] * (n - k)).interval
        covered += repeated * (low <= 0.65 / 0.6 - 1 <= high)
    assert 0.93 <= covered / runs <= 0.97


@given(two_classifiers(), st.floats(-0.9, 3))
@fewer(8)
def test_the_interval_of_the_gain_is_what_the_score_test_does_not_reject(data, gain):
    y, credal, _ = data
    k = credal.shape[1]
    precise = np.random.default_rng(len(y)).integers(0, k, len(y))
    found = indeterminate_gain(y, credal, precise, classes=range(k))
    several = credal.sum(axis=1) > 1
    assume(several.any() and not np.isnan(found.value))
    u = Quadratic(0.65)
    size = credal.sum(axis=1)[several]
    earned = np.where(credal[np.arange(len(y)), y][several], u(1 / size), 0.0)
    value = earned - (1 + gain) * (precise == y)[several]
    values, counts = np.unique(value, return_counts=True)
    smallest = 0.65 if k == 2 else 0.0  # a set of all classes is never wrong
    low, high = np.array([smallest - 1 - gain]), np.array([0.65])
    sums = CellSums(np.arange(len(values)), counts)
    p = mean_p_values(values[None], sums, low, high).item()
    assume(abs(p - 0.05) > 1e-6)
    assert (p > 0.05) == (found.interval[0] <= gain <= found.interval[1])


def test_weights_and_clusters_count_in_the_interval_of_the_gain():
    y, credal, precise = [0] * 80, [[0, 1]] * 80, [0] * 50 + [1] * 30
    plain = indeterminate_gain(y, credal, precise)

    def width(**units):
        gain = indeterminate_gain(y, credal, precise, **units)
        assert gain.value == pytest.approx(plain.value)
        return gain.interval[1] - gain.interval[0]

    once = plain.interval[1] - plain.interval[0]
    assert width(sample_weight=[10.0] * 80) == pytest.approx(once, rel=0.05)
    assert width(counts=[10] * 80) < 0.5 * once
    # ten copies of each row in one cluster say no more than the row
    patient = np.repeat(np.arange(80), 10)
    gain = indeterminate_gain([0] * 800, [[0, 1]] * 800, np.repeat(precise, 10), groups=patient)
    assert gain.interval[1] - gain.interval[0] == pytest.approx(once, rel=0.1)


def test_the_mean_gain_over_data_sets_is_a_t_interval():
    gains = [
        indeterminate_gain([0] * 10, [[0, 1]] * 10, [0] * k + [1] * (10 - k), "u65")
        for k in (5, 6, 7)
    ]
    outcome = paired_t([float(gain) for gain in gains])
    assert outcome.effect == pytest.approx(np.mean([0.65 / x - 1 for x in (0.5, 0.6, 0.7)]))


@pytest.mark.parametrize(
    ("credal", "precise", "words"),
    [
        ([[0], [1]], [0, 1], "always predicts a single class"),
        ([[0, 1], [0, 1]], [1, 0], "it earns 0.650, the precise one nothing"),
        ([[0, 1], [0, 1]], [0, 1], "35.0% less utility"),
    ],
)
def test_edge_cases_of_the_gain_have_a_sentence(credal, precise, words):
    gain = indeterminate_gain([0, 1], credal, precise, "u65", classes=[0, 1])
    assert words in gain.verdict


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: dominance(F), "or two tallies"),
        (lambda: dominance(F, G, order=3), "order must be 1 or 2, got 3"),
        (lambda: dominance(F, G, alpha=0), "alpha must lie between 0 and 1"),
        (lambda: dominance(PairedTally.empty(2)), "no prediction to score"),
        (lambda: least_variance_winner([F]), "at least 2 classifiers, got 1"),
        (lambda: least_variance_winner([F, G], -1), "tolerance must not be negative"),
        (lambda: indeterminate_gain([0], [[0, 1]], [[0, 1]]), "must predict one class per row"),
        (lambda: indeterminate_gain([0], [[0, 1]], [0], confidence=1), "confidence must lie"),
        (lambda: indeterminate_gain([0], [[0, 1]], [0], confidence=0), "confidence must lie"),
        (
            lambda: indeterminate_gain([0], [[0, 1]], [1], lambda x: x - 1, classes=[0, 1]),
            "needs non-negative utilities",
        ),
    ],
)
def test_bad_input_is_refused_with_a_clear_message(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_the_better_of_two_is_named_first():
    y = [0] * 60
    right, wrong = [0] * 60, [0] * 20 + [1] * 40
    for a, b in ((right, wrong), (wrong, right)):
        better, worse = ("x", "y") if a is right else ("y", "x")
        words = dominance(PairedTally.of(y, a, b, [0, 1]), names=("x", "y")).verdict
        assert words.startswith(
            f"everyone who is averse or neutral to risk prefers {better} to {worse} ("
        )


def test_the_verdict_on_a_gain_takes_no_weight_for_a_number_of_rows():
    y, credal, precise = [0] * 4, [[0, 1]] * 3 + [[0]], [0, 1, 0, 0]
    gain = indeterminate_gain(y, credal, precise, sample_weight=[50, 10, 20, 5])
    assert gain.verdict.startswith("on the rows of total weight 80 where the credal classifier is")
    assert "total weight" in repr(gain)
    assert indeterminate_gain(y, credal, precise).verdict.startswith("on the 3 rows where")


def test_a_gain_needs_utilities_that_are_not_negative():
    with pytest.raises(ValueError, match="needs non-negative utilities, but"):
        indeterminate_gain([0, 0, 0], [[0, 1]] * 3, [0, 1, 0], lambda x: 2 * x - 1)


def test_no_proposition_is_about_two_precise_classifiers_or_different_classes():
    right, wrong = Tally.of([0, 1], [0, 0], [0, 1]), Tally.of([0, 1], [1, 1], [0, 1])
    assert proposition(right, wrong) is None
    two = Tally.of([0, 1], [[0, 1]] * 2, [0, 1])
    four = Tally.of([0, 1, 2, 3], [[0], [0], range(4), range(4)], range(4))
    assert two.moments().mean == pytest.approx(0.5)
    assert proposition(two, four) is None


def test_the_winner_by_variance_is_compared_with_the_others_alone():
    y = [0, 1] * 10
    vacuous, guess = Tally.of(y, [[0, 1]] * 20, [0, 1]), Tally.of(y, [0] * 20, [0, 1])
    words = least_variance_winner({"vacuous": vacuous, "guess": guess}).verdict
    assert "its expected reward equals that of guess, and" in words


def test_proposition_3_is_about_classifiers_that_predict_one_class_or_all():
    y = [0, 1, 2, 0]
    pairs = Tally.of(y, [[0, 1], [0, 1], [1, 2], [0, 2]], range(3))  # always right: 1/2
    mixed = Tally.of(y, [[0], range(3), range(3), range(3)], range(3))  # (1 + 3 / 3) / 4
    assert proposition(pairs, mixed) is None
    other = Tally.of(y, [[0], [1], [0], [1]], range(3))  # as often right, but precise
    assert proposition(mixed, other).number == 2


def test_first_order_dominance_is_a_lead_in_reaching_each_reward():
    cells = [(1, 1, 1, 1), (1, 1, 1, 0), (1, 0, 1, 1), (1, 1, 2, 1), (2, 1, 1, 0)]
    paired = PairedTally(2, np.array(cells), np.array([40, 15, 6, 30, 1]))
    half, whole = (paired.difference(Tabulated(values)) for values in ((1, 1), (1, 0)))
    assert whole.p < half.p < 1
    found = dominance(paired, order=1)
    assert found.details["winner"] == "a"
    assert found.p == pytest.approx(max(half.p, whole.p))
    assert found.statistic == pytest.approx(min(half.mean, whole.mean))


def test_rewards_of_either_classifier_are_levels_of_dominance():
    """Eight of ten are worth more than ten halves, but not to those who never take a risk."""
    y = [0] * 10
    precise, vacuous = Tally.of(y, [0] * 8 + [1] * 2, [0, 1]), Tally.of(y, [[0, 1]] * 10, [0, 1])
    for a, b in ((precise, vacuous), (vacuous, precise)):
        assert dominance(a, b).details["winner"] == "none"


def test_the_smallest_lead_may_be_at_a_reward_of_the_second_classifier():
    y = [0] * 10
    precise = Tally.of(y, [0] * 9 + [1], [0, 1])
    halves = Tally.of(y, [[0, 1]] * 4 + [[1]] * 6, [0, 1])
    # capped at 1/2: 0.45 and 0.2; capped at 1: 0.9 and 0.2
    assert dominance(precise, halves).statistic == pytest.approx(0.25)


def test_the_better_of_two_known_distributions_is_named_first():
    assert _fact("a", 2, ("x", "y")).endswith("prefers x to y")
    assert _fact("b", 2, ("x", "y")).endswith("prefers y to x")


def test_first_order_dominance_does_not_depend_on_the_size_of_a_reward():
    """Nine of ten reach some reward, or four of ten, be it a half or a whole."""
    y = [0] * 10
    precise = Tally.of(y, [0] * 9 + [1], [0, 1])
    halves = Tally.of(y, [[0, 1]] * 4 + [[1]] * 6, [0, 1])
    wholes = Tally.of(y, [0] * 4 + [1] * 6, [0, 1])
    p = dominance(precise, wholes, order=1).p
    assert 0.01 < p < 0.05
    assert dominance(precise, halves, order=1).p == pytest.approx(p)
