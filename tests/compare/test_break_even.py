"""Break-even points and risk profiles: read off tallies, checked against the rows."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.compare.strategies import two_classifiers
from tests.fewer import fewer
from wager.compare import (
    FAMILIES,
    CurveFacts,
    CurveName,
    PairedCosts,
    break_even,
    break_even_sentence,
    quadratic_line,
    risk_profile,
)
from wager.compare._simultaneous import Adjustment
from wager.costs import CostMatrix, CostTally
from wager.rewards import FBeta, PairedTally, Quadratic, Tally


@given(two_classifiers(), st.floats(0.5, 1))
def test_expected_quadratic_utility_is_a_line_in_u_half(data, q):
    y, a, _ = data
    tally = Tally.of(y, a)
    intercept, slope = quadratic_line(tally)
    assert intercept + slope * q == pytest.approx(tally.expected_utility(Quadratic(q)), abs=1e-12)


@given(two_classifiers())
def test_at_the_break_even_point_both_earn_the_same(data):
    y, a, b = data
    even = break_even(PairedTally.of(y, a, b))
    if even.value is not None:
        u = Quadratic(even.value)
        assert Tally.of(y, a).expected_utility(u) == pytest.approx(
            Tally.of(y, b).expected_utility(u), abs=1e-8
        )
        assert even.interval is None or even.interval[0] <= even.value <= even.interval[1]


@given(two_classifiers())
@fewer(12)
def test_without_a_break_even_point_one_is_better_throughout(data):
    y, a, b = data
    if break_even(Tally.of(y, a), Tally.of(y, b)).value is None:
        profile = risk_profile([Tally.of(y, a), Tally.of(y, b)])
        difference = profile.expected[0] - profile.expected[1]
        assert (difference >= -1e-9).all() or (difference <= 1e-9).all()


@given(two_classifiers())
def test_the_verdict_never_mentions_nan(data):
    y, a, b = data
    for verdict in (break_even(PairedTally.of(y, a, b)), break_even(PairedTally.of(y, a, a))):
        assert "nan" not in verdict.verdict.lower()


def test_identical_classifiers_earn_the_same_for_everyone():
    y = [0, 1, 0]
    even = break_even(PairedTally.of(y, y, y), names=("ncc", "nbc"))
    assert even.value is None
    assert even.interval == (0.5, 1.0)
    assert even.verdict == "ncc and nbc earn the same in every row, for every u(0.5)"


def test_leads_that_merely_cancel_are_not_called_equal():
    """Each is right where the other is wrong, equally often: a draw in this sample only."""
    y = [0] * 40
    even = break_even(PairedTally.of(y, [0] * 20 + [1] * 20, [1] * 20 + [0] * 20))
    assert even.verdict == "the data do not distinguish A from B between u(0.5) = 0.5 and 1"


def test_when_the_cautious_one_is_vacuous_the_break_even_is_the_accuracy_on_its_rows():
    """Zaffalon, Corani & Mauá (2011, Section 9): NCC wins where u(0.5) > NBC's accuracy there."""
    y = np.zeros(1000, dtype=int)
    cautious = np.ones((1000, 2), dtype=bool)
    cautious[500:, 1] = False
    for wrong, expected in ((140, 0.72), (320, None)):  # accuracy 0.36: all prefer the cautious one
        plain = (np.arange(1000) < wrong).astype(int)
        even = break_even(PairedTally.of(y, cautious, plain, classes=[0, 1]))
        assert even.value == (None if expected is None else pytest.approx(expected))


def _simulate(rng, n):
    """Two classes; the cautious one keeps both on hard rows, where the plain one is right 70%."""
    hard = rng.random(n) < 0.4
    right = np.where(hard, rng.random(n) < 0.7, rng.random(n) < 0.95)
    y = np.zeros(n, dtype=int)
    plain = np.where(right, 0, 1)
    cautious = np.zeros((n, 2), dtype=bool)
    cautious[np.arange(n), plain] = True
    cautious[hard] = True
    return y, cautious, plain


@pytest.mark.long
@pytest.mark.slow
def test_the_interval_covers_the_true_break_even_as_often_as_it_says():
    """The statements about all u(0.5) hold together, so each alone covers more often."""
    rng, runs, n = np.random.default_rng(0), 2000, 150
    joint = [(1, 1, 1, 1), (1, 0, 1, 0), (2, 1, 1, 1), (2, 1, 1, 0)]
    law = [0.6 * 0.95, 0.6 * 0.05, 0.4 * 0.7, 0.4 * 0.3]
    merged = rng.multinomial(n, law, runs)
    merged[:, 0] += merged[:, 1]  # both right or both wrong: draws, whatever u(0.5) is
    tables, times = np.unique(merged[:, [0, 2, 3]], axis=0, return_counts=True)
    together = alone = 0
    for table, repeated in zip(tables, times, strict=True):
        paired = PairedTally(2, [joint[0], *joint[2:]], table)
        low, high = break_even(paired).interval
        together += repeated * (low <= 0.7 <= high)
        alone += repeated * (paired.difference(Quadratic(0.7)).p >= 0.05)
    assert 0.93 <= alone / runs <= 0.97
    assert 0.95 <= together / runs <= 0.99


def test_intervals_allow_for_the_whole_length_of_a_bent_curve():
    n = [31, 53, 41, 23, 18, 20]  # rows by the sizes of the two sets, of which empty ones miss
    sizes = np.repeat([[0, 12], [2, 2], [1, 2], [0, 3], [3, 12], [0, 6]], n, axis=0)
    reward = np.divide(1.0, sizes, where=sizes > 0, out=np.zeros(sizes.shape))
    earned = [FBeta(beta)(reward) for beta in np.linspace(0, 3, 200)]
    gaps = np.array([each[:, 0] - each[:, 1] for each in earned])
    turns = [np.arccos(np.corrcoef(*pair)[0, 1]) for pair in pairwise(gaps)]
    straight = np.arccos(np.corrcoef(gaps[0], gaps[-1])[0, 1])

    paired = PairedTally.of(
        np.zeros(len(sizes), dtype=int), *(np.arange(12) < k[:, None] for k in sizes.T)
    )
    found, whole, cut = (
        break_even(paired, family="fbeta", adjustment=adjustment).interval
        for adjustment in (None, Adjustment(sum(turns)), Adjustment(straight))
    )
    assert found == pytest.approx(whole, rel=1e-4)
    assert found[0] < 0.995 * cut[0]
    assert found[1] > 1.002 * cut[1]


def test_the_interval_is_that_of_the_bootstrap():
    rng = np.random.default_rng(3)
    y, cautious, plain = _simulate(rng, 800)
    paired = PairedTally.of(y, cautious, plain, classes=[0, 1])
    low, high = break_even(paired, adjustment=Adjustment()).interval  # each u(0.5) by itself
    wide = break_even(paired).interval
    assert wide[0] < low < high < wide[1]
    values = []
    for _ in range(500):
        rows = rng.integers(0, 800, 800)
        paired = PairedTally.of(y[rows], cautious[rows], plain[rows], classes=[0, 1])
        line_a, line_b = (np.array(quadratic_line(t)) for t in (paired.a, paired.b))
        intercept, slope = line_a - line_b
        values.append(-intercept / slope)
    assert (low, high) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])), abs=0.02)


@given(two_classifiers())
@pytest.mark.parametrize("family", sorted(FAMILIES))
@fewer(12)
def test_a_profile_is_the_expected_utility_at_each_parameter(family, data):
    y, a, _ = data
    tally = Tally.of(y, a)
    grid = FAMILIES[family].grid[::17]
    profile = risk_profile({"a": tally}, family, grid)
    for j, value in enumerate(grid):
        estimate = tally.estimate(FAMILIES[family].utility(value))
        assert profile.expected[0, j] == pytest.approx(estimate.value, abs=1e-12)
        assert profile.standard_error[0, j] == pytest.approx(estimate.standard_error, abs=1e-9)


@given(two_classifiers(), st.sampled_from(["cautious", "mistake-averse"]))
@fewer(8)
def test_a_profile_of_costs_is_the_average_cost_at_each_parameter(data, mode):
    y, a, _ = data
    a = a | ~a.any(axis=1, keepdims=True)  # an empty set has no cost
    k = a.shape[1]
    tally = CostTally.of(y, a, classes=range(k))
    ordinal, ha = CostMatrix.ordinal(range(k)), CostMatrix.ha([2.0] * k, range(k))
    by_r = risk_profile([tally, tally], "p-discounted", [0.0, 0.4, 1.0], costs=ordinal, mode=mode)
    for j, r in enumerate(by_r.grid):
        expected = tally.evaluate(ordinal, rule="p-discounted", r=r, mode=mode).overall
        found = by_r.expected[1, j], by_r.standard_error[1, j]
        assert found == pytest.approx((expected.value, expected.standard_error), abs=1e-9)
    by_delta = risk_profile({"a": tally}, "ha", costs=ha)
    assert by_delta.grid[-1] == 1.0  # half of what a mistake costs
    slope = (a.sum(axis=1) - 1).mean()
    np.testing.assert_allclose(np.diff(by_delta.expected[0]), slope * by_delta.grid[1])


def test_of_costs_the_least_is_best():
    y = [0, 1, 1, 0]
    sure = CostTally.of(y, [0, 1, 1, 1], classes=[0, 1])
    vacuous = CostTally.of(y, [[0, 1]] * 4, classes=[0, 1])
    ha = CostMatrix.ha([1.0, 1.0], [0, 1])
    profile = risk_profile({"sure": sure, "vacuous": vacuous}, "ha", [0.2, 0.3], costs=ha)
    assert profile.best() == ["vacuous", "sure"]


# -- other families ------------------------------------------------------------------------------


@given(two_classifiers(), st.sampled_from(["exponential", "fbeta"]))
@fewer(8)
def test_along_any_family_both_earn_the_same_at_the_crossing(data, family):
    y, a, b = data
    paired = PairedTally.of(y, a, b)
    even = break_even(paired, family=family)
    assert "nan" not in even.verdict.lower()
    if even.value is not None:
        u = FAMILIES[family].utility(even.value)
        assert paired.difference(u).mean == pytest.approx(0, abs=1e-6)
        assert even.interval[0] <= even.value <= even.interval[1]
    apart = break_even(paired.a, paired.b, family=family)
    assert apart.value == (None if even.value is None else pytest.approx(even.value, abs=1e-6))


@given(two_classifiers(), st.sampled_from(["exponential", "fbeta"]))
@fewer(8)
def test_the_undecided_range_is_where_the_interval_contains_zero(data, family):
    paired = PairedTally.of(*data)
    interval = break_even(paired, family=family, adjustment=Adjustment()).interval
    held = [
        value
        for value in FAMILIES[family].grid
        for low, high in [paired.difference(FAMILIES[family].utility(value)).interval()]
        if low <= 0 <= high
    ]
    if held:
        assert interval[0] <= held[0] + 1e-6
        assert interval[1] >= held[-1] - 1e-6
    elif interval is not None:  # it may still lie between two points of the coarse grid
        assert interval[1] - interval[0] < 0.11


def test_two_classes_have_one_break_even_whatever_the_family():
    """All that counts then is u(0.5): 0.7 is a = 2 log(0.7/0.3), and beta with (1+b²)/(b²+2)."""
    y, cautious, plain = np.zeros(1000, dtype=int), np.ones((1000, 2), bool), np.arange(1000) < 300
    paired = PairedTally.of(y, cautious, plain.astype(int), classes=[0, 1])
    assert break_even(paired).value == pytest.approx(0.7)
    assert break_even(paired, family="exponential").value == pytest.approx(2 * np.log(7 / 3))
    assert break_even(paired, family="fbeta").value == pytest.approx(np.sqrt(0.4 / 0.3))


def test_along_costs_the_break_even_is_that_of_the_profile():
    """0/1 costs: a set of two with the true class costs delta, a mistake (30% here) costs 1."""
    y, cautious, plain = np.zeros(1000, dtype=int), np.ones((1000, 2), bool), np.arange(1000) < 300
    paired = PairedCosts.of(y, cautious, plain.astype(int), classes=[0, 1])
    ha = CostMatrix.ha([1.0, 1.0], [0, 1])
    even = break_even(paired, family="ha", costs=ha, names=("cautious", "plain"))
    assert even.value == pytest.approx(0.3, abs=1e-6)
    low, high = even.interval
    # delta against 1 in 30% of the rows: the curve of standardised leads has no length, and the
    # interval is Wilson's for the rate of mistakes
    z = 1.959964
    centre, half = 300 + z**2 / 2, z * np.sqrt(1000 * 0.3 * 0.7 + z**2 / 4)
    wilson = (np.array([centre - half, centre + half])) / (1000 + z**2)
    assert even.interval == pytest.approx(wilson, abs=2e-3)
    assert even.verdict == (
        f"plain costs less than cautious for delta above {high:.2f}, cautious below {low:.2f}; in "
        "between, the data do not distinguish them (break-even at 0.30, 95% interval "
        f"{low:.2f}-{high:.2f})"
    )
    zero_one = CostMatrix.zero_one([0, 1])
    r = break_even(paired, family="p-discounted", costs=zero_one).value
    # the mean of (0, 1) with exponent 1 - r is (1/2)^(1/(1-r))
    assert 0.5 ** (1 / (1 - r)) == pytest.approx(0.3, abs=1e-6)


CURVE = CurveName("a", (0.0, 5.0), ("A", "B"), "earn", 0.95)


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (
            CurveFacts([], None, -1, -1),
            "B scores higher than A for every a from 0 to 5 (95% confidence)",
        ),
        (
            CurveFacts([2.0], (1.0, 3.0), -1, 1, 1, [(0, 1, -1), (3, 5, 1)]),
            "A scores higher than B for a above 3.00, B below 1.00; in between, the data do not "
            "distinguish them (break-even at 2.00, 95% interval 1.00-3.00)",
        ),
        (
            CurveFacts([2.0], (0.0, 3.0), 0, 1, 1, [(3, 5, 1)]),
            "A scores higher than B for a above 3.00; below that, the data do not distinguish them "
            "(break-even at 2.00, 95% interval 0.00-3.00)",
        ),
        (
            CurveFacts([4.0], (3.0, 5.0), 1, 0, 1, [(0, 3, 1)]),
            "A scores higher than B for a below 3.00; above that, the data do not distinguish them "
            "(break-even at 4.00, 95% interval 3.00-5.00)",
        ),
        (
            CurveFacts([1.0, 2.0, 3.0], (0.9, 3.1), -1, 1, 1, [(0, 0.9, -1), (3.1, 5, 1)]),
            "A scores higher than B for a above 3.10, B below 0.90; in between, the data do not "
            "distinguish them",
        ),
        (
            CurveFacts([2.0], (2.0, 2.0), -1, 1, 1, [(0, 2, -1), (2, 5, 1)]),
            "A scores higher than B for a above 2.00, B below 2.00",
        ),
        (
            CurveFacts([2.0], (0.0, 5 - 1e-9), 0, 1, 1, [(5 - 1e-9, 5, 1)]),
            "the data do not distinguish A from B between a = 0 and 5; in this sample both earn "
            "the same at 2.00",
        ),
        (
            CurveFacts([2.0], (1e-9, 3.0), -1, 1, 1, [(0, 1e-9, -1), (3, 5, 1)]),
            "A scores higher than B for a above 3.00; below that, the data do not distinguish them "
            "(break-even at 2.00, 95% interval 0.00-3.00)",
        ),
        (
            CurveFacts([], (3.0, 5.0), 1, 0, 1, [(0, 3, 1)]),
            "A scores higher than B for a below 3.00; above that, the data do not distinguish them",
        ),
        (
            CurveFacts([], (0.0, 5.0), 0, 0, 1),
            "the data do not distinguish A from B between a = 0 and 5; in this sample A is ahead",
        ),
        (
            CurveFacts([1.0, 2.0], (0.9, 2.1), 1, 1, 1, [(0, 0.9, 1), (2.1, 5, 1)]),
            "A scores higher than B for a below 0.90 and above 2.10; between them, the data do not "
            "distinguish the two",
        ),
        (
            CurveFacts([], (0.0, 5.0), 0, 0, 1, [(1, 2, 1)]),
            "A scores higher than B for a from 1.00 to 2.00; elsewhere the data do not distinguish "
            "them",
        ),
        (
            CurveFacts([1, 3], (0.5, 3.5), 1, 1, -1, [(0, 0.5, 1), (1.5, 2.5, -1), (3.5, 5, 1)]),
            "A scores higher than B for a from 0.00 to 0.50 and from 3.50 to 5.00, B scores higher "
            "than A for a from 1.50 to 2.50; elsewhere the data do not distinguish them",
        ),
        (
            CurveFacts([2.001], (1.9991, 2.0034), -1, 1, 0, [(0, 1.9991, -1), (2.0034, 5, 1)]),
            "A scores higher than B for a above 2.003, B below 1.999; in between, the data do not "
            "distinguish them (break-even at 2.001, 95% interval 1.999-2.003)",
        ),
        (
            CurveFacts([], (0.0, 5.0), 0, 0, 1, [(1.0012, 1.0031, 1)]),
            "A scores higher than B for a from 1.001 to 1.003; elsewhere the data do not "
            "distinguish them",
        ),
        (
            CurveFacts([], (0.0, 4.9983), 0, 1, 1, [(4.9983, 5, 1)]),
            "A scores higher than B for a above 4.998; below that, the data do not distinguish "
            "them",
        ),
    ],
)
def test_the_sentence_names_the_sides_that_are_decided(facts, words):
    assert break_even_sentence(facts, CURVE) == words


def test_one_row_distinguishes_nothing():
    even = break_even(PairedTally.of([0], [[True, True]], [[True, False]]), names=("ncc", "nbc"))
    assert even.interval == (0.5, 1.0)
    assert even.verdict == (
        "the data do not distinguish ncc from nbc between u(0.5) = 0.5 and 1; in this sample nbc "
        "is ahead"
    )


def test_a_tie_at_the_end_of_the_range_leaves_that_end_undecided():
    y = [0, 1] * 20
    even = break_even(PairedTally.of(y, [[True, True]] * 40, y))
    assert (even.value, even.interval[1]) == (1.0, 1.0)
    assert even.verdict == (
        f"B scores higher than A for u(0.5) below {even.interval[0]:.2f}; above that, the data do "
        "not distinguish them"
    )


def test_known_distributions_have_exact_break_even_points():
    cautious = Tally.from_distribution([(2, True, 1)], 2)
    plain = Tally.from_distribution([(1, True, 0.7), (1, False, 0.3)], 2)
    for family in FAMILIES:
        even = break_even(cautious, plain, family=family)
        assert even.interval == pytest.approx((even.value, even.value), abs=1e-3)
    assert break_even(cautious, plain).value == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: risk_profile({}), "no tally was given"),
        (lambda: risk_profile([Tally.empty(2)]), "has no rows"),
        (lambda: risk_profile([Tally.empty(2)], "cubic"), "choose from quadratic"),
        (lambda: break_even(Tally.of([0], [0], classes=[0, 1])), "second tally is missing"),
        (lambda: break_even(PairedTally.empty(2)), "no prediction to score"),
        (lambda: break_even(PairedTally.empty(2), family="cubic"), "choose from quadratic"),
        (lambda: break_even(PairedTally.empty(2), family="ha"), "needs PairedCosts.of"),
        (lambda: break_even(PairedTally.empty(2), mode="cautious"), "is a family of utilities"),
        (lambda: break_even(PairedTally.empty(2), Tally.empty(2)), "not both"),
        (lambda: break_even(PairedTally.empty(2), confidence=95), "confidence must lie"),
        (lambda: risk_profile([Tally.empty(2)], "ha"), "needs a CostTally"),
        (
            lambda: risk_profile([CostTally.of([0], [0], [0, 1])], "ha"),
            "needs a cost matrix: pass costs=",
        ),
        (lambda: risk_profile([Tally.of([0], [0], [0, 1])], mode="cautious"), "leave out costs"),
    ],
)
def test_bad_input_is_refused_with_a_clear_message(call, words):
    with pytest.raises(ValueError, match=words):
        call()
