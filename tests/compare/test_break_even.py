"""Break-even points and risk profiles: read off tallies, checked against the rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.compare.strategies import two_classifiers
from wager.compare import FAMILIES, break_even, quadratic_line, risk_profile
from wager.rewards import PairedTally, Quadratic, Tally


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
def test_without_a_break_even_point_one_is_better_throughout(data):
    y, a, b = data
    if break_even(Tally.of(y, a), Tally.of(y, b)).value is None:
        profile = risk_profile([Tally.of(y, a), Tally.of(y, b)])
        difference = profile.utility[0] - profile.utility[1]
        assert (difference >= -1e-9).all() or (difference <= 1e-9).all()


@given(two_classifiers())
def test_the_verdict_never_speaks_of_nan(data):
    y, a, b = data
    for verdict in (break_even(PairedTally.of(y, a, b)), break_even(PairedTally.of(y, a, a))):
        assert "nan" not in verdict.verdict.lower()


def test_identical_classifiers_earn_the_same_for_everyone():
    y = [0, 1, 0]
    even = break_even(PairedTally.of(y, y, y), names=("ncc", "nbc"))
    assert even.value is None
    assert even.verdict == "ncc and nbc earn the same whatever u(0.5) is"


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


@pytest.mark.slow
def test_the_interval_covers_the_true_break_even_as_often_as_it_says():
    rng = np.random.default_rng(0)
    runs = 2000
    covered = 0
    for _ in range(runs):
        y, cautious, plain = _simulate(rng, 500)
        low, high = break_even(PairedTally.of(y, cautious, plain, classes=[0, 1])).interval
        covered += low <= 0.7 <= high
    assert 0.93 <= covered / runs <= 0.97


def test_the_interval_is_that_of_the_bootstrap():
    rng = np.random.default_rng(3)
    y, cautious, plain = _simulate(rng, 800)
    low, high = break_even(PairedTally.of(y, cautious, plain, classes=[0, 1])).interval
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
def test_a_profile_is_the_expected_utility_at_each_parameter(family, data):
    y, a, _ = data
    tally = Tally.of(y, a)
    grid = FAMILIES[family].grid[::17]
    profile = risk_profile({"a": tally}, family, grid)
    for j, value in enumerate(grid):
        estimate = tally.estimate(FAMILIES[family].utility(value))
        assert profile.utility[0, j] == pytest.approx(estimate.value, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: risk_profile({}), "no tally was given"),
        (lambda: risk_profile([Tally.empty(2)]), "has no rows"),
        (lambda: risk_profile([Tally.empty(2)], "cubic"), "choose from quadratic"),
        (lambda: break_even(Tally.of([0], [0], classes=[0, 1])), "second tally is missing"),
        (lambda: break_even(PairedTally.empty(2)), "no prediction to score"),
    ],
)
def test_bad_input_is_refused_in_words(call, words):
    with pytest.raises(ValueError, match=words):
        call()
