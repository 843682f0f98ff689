"""The sequential comparison: laws of its bounds, and slow obvious versions of both methods."""

import json
from functools import partial

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq
from simulations.sequential import NULL, POWER, betting_stops, first_rows, mixture_decisions

from tests.fewer import fewer
from tests.replications import replications
from wager.compare import (
    SequentialState,
    combine_e_values,
    sequential,
    sequential_differences,
    stop_when_decided,
    utility_differences,
)
from wager.compare._betting import CAPITALS, FRACTIONS
from wager.compare._mixture_martingale import MixtureMartingale
from wager.compare._value_counts import MOST_VALUES
from wager.costs import CostMatrix
from wager.rewards import Tabulated, get_utility

Mixture = partial(SequentialState, method="mixture")
differences = st.lists(st.floats(-1, 1).map(lambda x: round(x, 2)), min_size=1, max_size=40)
methods = pytest.mark.parametrize("method", ["betting", "mixture"])


def slow_capital(d, m, low=-1.0, high=1.0):
    """What the bettors on a mean above m own after each row: products and a sum, literally."""
    factors = 1 + FRACTIONS[:, None] * (np.asarray(d) - m) / (m - low)
    with np.errstate(over="ignore"):
        return CAPITALS @ np.cumprod(factors, axis=1)


def hedged_capital(d, alpha=0.05, cap=0.5, grid=401):
    """Waudby-Smith & Ramdas (2024, Theorem 3): predictable plug-in bets on a grid of means.

    Returns the lowest and the highest mean not refuted after each row.
    """
    m = np.linspace(0, 1, grid)[1:-1]
    up, down = np.zeros(len(m)), np.zeros(len(m))  # logarithms of both capitals
    alive = np.ones(len(m), dtype=bool)
    mean, variance, total, squares = 0.5, 0.25, 0.5, 0.25
    ends = []
    for t, x in enumerate((np.asarray(d) + 1) / 2, start=1):
        bet = np.sqrt(2 * np.log(2 / alpha) / (variance * t * np.log(1 + t)))
        up += np.log1p(np.minimum(bet, cap / m) * (x - m))
        down += np.log1p(-np.minimum(bet, cap / (1 - m)) * (x - m))
        alive &= np.maximum(up, down) < np.log(2 / alpha)
        total += x
        mean = total / (t + 1)
        squares += (x - mean) ** 2
        variance = squares / (t + 1)
        left = 2 * m[alive] - 1
        ends.append((left.min(), left.max()) if len(left) else (np.nan, np.nan))
    return np.array(ends)


# the rows and the state


@given(differences, st.integers(0, 40))
@fewer(8)
def test_rows_may_come_in_any_chunks(d, cut):
    for start in (SequentialState(alpha=0.3), Mixture()):
        whole, parts = start.update(d), start.update(d[:cut]).update(d[cut:])
        assert parts.n == whole.n
        assert parts.interval == pytest.approx(whole.interval, abs=1e-9)
        assert parts.log_evidence == pytest.approx(whole.log_evidence, abs=1e-9)
        assert parts.decided_at == whole.decided_at


def test_rows_may_come_one_by_one_when_there_are_more_values_than_are_kept():
    d = np.clip(np.random.default_rng(0).normal(0.1, 0.3, 600), -1, 1)
    whole, state = SequentialState().update(d), SequentialState()
    for x in d:
        state = state.update(x)
    assert len(state.process.values) < MOST_VALUES + 100
    assert state.interval == pytest.approx(whole.interval, abs=1e-9)
    assert state.decided_at == whole.decided_at


@given(differences)
def test_variation_is_the_sum_of_squared_surprises(d):
    total = variation = 0.0
    for i, x in enumerate(d):
        variation += (x - (total / i if i else 0.0)) ** 2
        total += x
    assert Mixture().update(d).process.variation == pytest.approx(variation, abs=1e-9)


@methods
@given(d=differences)
@fewer(12)
def test_a_saved_state_goes_on_where_it_stopped(method, d):
    state = SequentialState(alpha=0.1, method=method).update(d)
    assert SequentialState.from_json(state.to_json()) == state


def test_a_state_of_the_first_release_is_read():
    text = '{"n": 3, "total": 1.5, "variation": 0.75, "alpha": 0.1, "bound": 2.0}'
    state = SequentialState.from_json(text)
    assert (state.method, state.n, state.mean, state.bounds) == ("mixture", 3, 0.5, (-2.0, 2.0))
    assert SequentialState.from_json(state.to_json()) == state


# betting


@given(differences, st.floats(-0.9, 0.9))
@fewer(12)
def test_the_evidence_is_the_capital_of_bettors_with_fixed_fractions(d, m):
    state = SequentialState().update(d)
    a, b = np.exp(state.log_evidence)
    assert a == pytest.approx(slow_capital(d, 0.0)[-1], rel=1e-9)
    assert b == pytest.approx(slow_capital(-np.array(d), 0.0)[-1], rel=1e-9)
    assert state.e_value == pytest.approx((a + b) / 2, rel=1e-9)
    # the evidence against a smaller mean is never less
    assert slow_capital(d, m)[-1] >= slow_capital(d, m + 0.05)[-1] * (1 - 1e-9)


@pytest.mark.parametrize(("seed", "chances"), [(0, (0.1, 0.6, 0.3)), (1, (0.02, 0.9, 0.08))])
def test_the_interval_is_the_running_intersection_of_means_not_refuted(seed, chances):
    d = np.random.default_rng(seed).choice([-0.65, 0.0, 0.35], size=800, p=chances)
    shown = sequential_differences(d, points=None)
    grid, apart = np.linspace(-1, 1, 501)[1:-1], 0.004
    up = np.array([np.maximum.accumulate(slow_capital(d, m)) for m in grid]) >= 40
    down = np.array([np.maximum.accumulate(slow_capital(-d, -m)) for m in grid]) >= 40
    low = np.where(up.any(axis=0), grid[len(grid) - 1 - up[::-1].argmax(axis=0)], -1)
    high = np.where(down.any(axis=0), grid[down.argmax(axis=0)], 1)
    late = 0.011 * (shown.high - shown.low) + apart  # an end waits to move by 1% of the width
    assert (shown.low <= low + apart).all()
    assert (shown.low >= low - late).all()
    assert (shown.high >= high - apart).all()
    assert (shown.high <= high + late).all()
    excluded = (slow_capital(d, 0.0) >= 40) | (slow_capital(-d, 0.0) >= 40)
    assert shown.decided_at == (excluded.argmax() + 1 if excluded.any() else None)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("excess", [1e-6, 1e-4, 1e-3])
def test_an_end_that_passes_0_by_little_decides_in_that_row(excess, sign):
    rows = [0.6] * 10

    def missing(last):
        return slow_capital([*rows, last], 0.0)[-1] - 40 * (1 + excess)

    last = brentq(missing, 0, 1)
    state = SequentialState().update([sign * x for x in [*rows, last]])
    assert state.process.decided_at == 11


@given(differences)
@fewer(8)
def test_the_interval_only_shrinks_and_stays_within_the_range(d):
    shown = sequential_differences(d * 5, alpha=0.2, points=None)
    assert (np.diff(shown.low) >= 0).all()
    assert (np.diff(shown.high) <= 0).all()
    assert shown.low[0] >= -1
    assert shown.high[0] <= 1
    assert (shown.low < shown.high).all()


@given(differences, st.floats(0.01, 1000))
@fewer(8)
def test_other_units_and_exchanged_classifiers_change_nothing_else(d, unit):
    d = np.array(d * 3)
    state = SequentialState(alpha=0.2).update(d)
    scaled = SequentialState(alpha=0.2, bounds=(-unit, unit)).update(d * unit)
    assert np.array(scaled.interval) / unit == pytest.approx(np.array(state.interval), abs=1e-6)
    assert scaled.log_evidence == pytest.approx(state.log_evidence, abs=1e-6)
    swapped = SequentialState(alpha=0.2).update(-d)
    assert swapped.interval == pytest.approx((-state.interval[1], -state.interval[0]), abs=1e-6)
    assert swapped.log_evidence == pytest.approx(state.log_evidence[::-1], abs=1e-9)


def test_values_shared_between_neighbours_lose_little_and_never_gain():
    d = np.clip(np.random.default_rng(2).normal(0.05, 0.2, 4000), -1, 1)
    state = SequentialState().update(d)
    exact = np.log([slow_capital(d, 0.0)[-1], slow_capital(-d, 0.0)[-1]])
    assert (np.array(state.log_evidence) <= exact + 1e-9).all()
    assert state.log_evidence[0] >= exact[0] - 0.05
    assert state.mean == pytest.approx(d.mean(), abs=1e-9)


def test_the_simulation_stops_where_the_state_does():
    d = POWER["+1 in 10%, -1 in 5%"].draw(np.random.default_rng(5), 1000, 5)
    ours = [SequentialState().update(stream).decided_at or 1001 for stream in d.T]
    np.testing.assert_array_equal(betting_stops(d), ours)


@pytest.mark.parametrize("law", POWER)
def test_bets_decide_about_as_early_as_a_published_betting_sequence(law):
    """The hedged capital process; finding A13, where the mixture took up to 2.8 times as many."""
    d = POWER[law].draw(np.random.default_rng(5), 2500, 40)
    ours = np.median(betting_stops(d))
    assert ours <= 1.15 * np.median([first_rows(hedged_at_zero(row)[:, None]) for row in d.T])
    assert ours <= 0.85 * np.median(first_rows(mixture_decisions(d)))


def hedged_at_zero(d, alpha=0.05, cap=0.5):
    """After which rows `hedged_capital` refutes a mean of 0: its bets, at that mean alone."""
    x, t = (np.asarray(d) + 1) / 2, np.arange(1, len(d) + 1)
    mean = (0.5 + np.cumsum(x)) / (t + 1)
    variance = (0.25 + np.cumsum((x - mean) ** 2)) / (t + 1)
    before = np.concatenate(([0.25], variance[:-1]))
    bet = np.minimum(np.sqrt(2 * np.log(2 / alpha) / (before * t * np.log(1 + t))), 2 * cap)
    capital = np.cumsum(np.log1p(np.stack([bet, -bet]) * (x - 0.5)), axis=1)
    return (capital >= np.log(2 / alpha)).any(axis=0)


def test_the_reference_at_zero_is_the_reference_on_the_grid():
    d = np.random.default_rng(0).choice([-1.0, 0.0, 1.0], size=400, p=[0.1, 0.5, 0.4])
    low, high = hedged_capital(d).T
    at = first_rows(hedged_at_zero(d)[:, None])[0]
    assert at == first_rows(((low > 0) | (high < 0))[:, None])[0] <= 400


@pytest.mark.parametrize("law", [*NULL.values(), *POWER.values()])
def test_bounds_fail_no_more_often_than_alpha(law):
    """200 streams of 500 rows; the tolerance is 0.05 and two standard errors."""
    d = law.draw(np.random.default_rng(3), 500, 200)
    failed = betting_stops(d, law.mean) <= 500
    assert failed.mean() <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 200)


def test_a_mean_that_changes_is_noticed_and_gives_no_verdict():
    state = SequentialState().update(np.full(500, 0.5)).update(np.full(5000, -0.5))
    assert state.contradicted
    assert state.decided == ""
    assert "no constant mean difference fits" in state.verdict()
    low, high = state.interval
    assert -1 <= low < high <= 1
    assert Mixture().update(np.full(500, 0.5)).update(np.full(5000, -0.5)).decided == "b"


# the mixture


@pytest.mark.parametrize(
    ("s", "v"),
    [(0.0, 1.0), (3.0, 5.0), (12.0, 40.0), (-2.0, 8.0), (-5.0, 1.0), (-40.0, 2.0), (-500.0, 900.0)],
)
def test_the_mixture_is_the_integral_of_exponential_supermartingales(s, v):
    """m(s, v) averages exp(lambda s - psi(lambda) v), 1 - scale * lambda being Gamma."""
    c, rho = 2.0, 9.0
    mixture = MixtureMartingale(rho, c, 0.05)

    def law(lam):  # the mixing density on [0, 1/c), up to a constant
        return (1 - c * lam) ** (rho / c**2 - 1) * np.exp(rho * lam / c)

    def integrand(lam):
        return law(lam) * np.exp(lam * s - (-np.log1p(-c * lam) - c * lam) / c**2 * v)

    top, mass = quad(integrand, 0, 1 / c)[0], quad(law, 0, 1 / c)[0]
    assert np.exp(float(mixture.log_value(s, v))) == pytest.approx(top / mass, rel=1e-6)


def test_the_boundary_is_where_the_mixture_reaches_one_over_alpha():
    mixture = MixtureMartingale.tuned(scale=2.0, alpha=0.025)
    v = np.array([0.0, 1.0, 50.0, 1e4, 1e6])
    np.testing.assert_allclose(mixture.log_value(mixture.boundary(v), v), np.log(40), atol=1e-6)
    assert (np.diff(mixture.boundary(v)) > 0).all()


def test_many_boundaries_at_once_are_those_of_each():
    mixture = MixtureMartingale.tuned(scale=2.0, alpha=0.025)
    v = np.concatenate(([0.0, 1e-3], np.geomspace(0.01, 1e7, 2000)))
    each = np.concatenate([mixture.boundary(part) for part in np.array_split(v, 10)])
    np.testing.assert_allclose(mixture.boundary(v), each, rtol=1e-9)


@pytest.mark.filterwarnings("ignore:'where' used without 'out'")
def test_bounds_and_evidence_are_comparecasts():
    """Choe & Ramdas's own code; it takes variations below 1 for 1."""
    confseq = pytest.importorskip("comparecast.confseq")
    eprocess = pytest.importorskip("comparecast.eprocess")
    d = np.random.default_rng(0).choice([-0.65, 0.0, 0.35], size=1500, p=[0.1, 0.6, 0.3])
    theirs = confseq.confseq_eb(d, 0.05, -1, 1, v_opt=100.0)
    state, totals, variations = Mixture().process.follow(d)
    mixture, n = MixtureMartingale.tuned(scale=2.0, alpha=0.025), np.arange(1, 1501)
    radius = mixture.boundary(variations) / n
    later = variations >= 1
    np.testing.assert_allclose((totals / n - radius)[later], theirs.lcbs[later], atol=1e-9)
    np.testing.assert_allclose((totals / n + radius)[later], theirs.ucbs[later], atol=1e-9)
    evidence = eprocess.gamma_exponential_log_mixture(totals, variations, mixture.rho, 2.0)
    np.testing.assert_allclose(mixture.log_value(totals, variations), evidence, atol=1e-9)
    assert state.interval == pytest.approx((theirs.lcbs[-1], theirs.ucbs[-1]), abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("chances", [(0.1, 0.7, 0.2), (0.5, 0.0, 0.5), (0.01, 0.98, 0.01)])
def test_bounds_fail_at_any_time_no_more_often_than_alpha(chances):
    values = np.array([-0.65, 0.0, 0.35])
    mean, rng, rows = float(values @ chances), np.random.default_rng(1), 10_000
    runs = replications(1000)
    grid = np.geomspace(1e-4, rows, 3000)
    boundary = MixtureMartingale.tuned(scale=2.0, alpha=0.025).boundary(grid)
    n = np.arange(1, rows + 1)
    failed = 0
    for _ in range(runs):
        d = rng.choice(values, p=chances, size=rows)
        _, totals, variations = Mixture().process.follow(d)
        # straight lines between points of the concave boundary only make it stricter
        failed += bool((np.abs(totals - n * mean) > np.interp(variations, grid, boundary)).any())
    assert failed / runs <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / runs)


# both methods, and what they compare


@methods
def test_the_shown_bounds_are_those_of_the_state(method):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 500)
    a, b = rng.random((2, 500, 3)) < 0.6
    shown = sequential(y, a, b, "u65", method=method)
    assert (shown.low[-1], shown.high[-1]) == pytest.approx(shown.state.interval)
    assert shown.log_e_value[-1] == pytest.approx(shown.state.log_e_value)
    assert shown.log_evidence_a[-1] == pytest.approx(shown.state.log_evidence[0])
    assert shown.mean[-1] == pytest.approx(utility_differences(y, a, b, "u65").mean())
    assert list(shown.to_frame().columns[:4]) == ["n", "mean", "low", "high"]


@methods
@pytest.mark.parametrize("utility", ["log", "exp:2", "f2", Tabulated([2.0, 1.5, 1.0], miss=-1.0)])
def test_the_bound_is_what_the_utility_can_differ_by(utility, method):
    """A utility in other units gives the same comparison in those units."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 300)
    a, b = rng.random((2, 300, 3)) < 0.6
    u = get_utility(utility)
    unit = float(u(1.0) - u(0.0))
    normal = Tabulated([float((u.of_size(k) - u(0.0)) / unit) for k in (1, 2, 3)])
    found = sequential(y, a, b, u, method=method)
    expected = sequential(y, a, b, normal, method=method)
    assert found.state.bound == pytest.approx(unit)
    np.testing.assert_allclose(found.low, expected.low * unit, atol=1e-9)
    np.testing.assert_allclose(found.log_evidence_a, expected.log_evidence_a, atol=1e-6)


@methods
def test_costs_are_compared_by_what_the_first_classifier_saves(method):
    rng = np.random.default_rng(0)
    costs = CostMatrix([[0, 1, 2], [1, 0, 2], [4, 4, 0]], ["h", "b", "n"]).extend("p-discounted")
    y = rng.choice(["h", "b", "n"], 400)
    good = [[t] if s else ["h", "b", "n"] for t, s in zip(y, rng.random(400) < 0.7, strict=True)]
    poor = rng.choice(["h", "b", "n"], 400)
    race = sequential(y, good, poor, costs=costs, method=method, names=("good", "poor"))
    assert race.state.bounds == (-4.0, 4.0)
    saved = costs.of(poor, y).mean() - costs.of(good, y).mean()
    assert race.state.mean == pytest.approx(saved)
    assert race.verdict.startswith("good costs less than poor: after ")
    back = sequential(y, poor, good, costs=costs, method=method)
    assert back.state.decided == "b"


def test_a_cost_matrix_compares_single_classes():
    costs = CostMatrix([[0, 9], [1, 0]], classes=["low", "high"])
    y = ["high", "low"] * 100
    race = sequential(y, y, ["low"] * 200, costs=costs)
    assert race.state.bounds == (-9.0, 9.0)
    assert (race.state.mean, race.state.decided) == (4.5, "a")


def test_a_cost_matrix_is_extended_for_sets_of_several_classes():
    costs = CostMatrix([[0, 9], [1, 0]], classes=["low", "high"])
    y = ["high", "low"] * 100
    sets = [["low", "high"]] * 200
    race, same = (sequential(y, y, sets, costs=c) for c in (costs, costs.extend()))
    assert race.mean.tolist() == same.mean.tolist()
    assert race.state.bounds == same.state.bounds


def test_a_clear_lead_is_found_and_a_tie_is_not():
    for state in (SequentialState(), Mixture()):
        lead = stop_when_decided((np.full(50, 0.3) for _ in range(100)), state=state)
        assert lead.decided == "a"
        assert max(lead.log_evidence) == lead.log_evidence[0] > np.log(20)
        chunks = (np.tile([0.3, -0.3], 25) for _ in range(1000))
        tie = stop_when_decided(chunks, state=state, most_rows=5000)
        assert (tie.decided, tie.n) == ("", 5000)


def test_verdicts_say_what_the_sequence_supports():
    same = sequential([0, 1, 1], [0, 1, 0], [0, 1, 0])
    assert same.verdict.startswith("no difference established after 3 rows: the 95% confidence")
    y = [0, 1] * 50
    race = sequential(y, [[0, 1]] * 100, y, names=("half", "sure"))
    assert race.verdict.startswith(
        f"sure scores higher than half under u65: after {race.decided_at} rows the 95% confidence "
        "sequence excludes 0; after 100 rows it is -0."
    )
    assert SequentialState().verdict() == "no rows yet"


# combined evidence


@given(st.lists(st.floats(0, 1e100), min_size=1, max_size=10))
def test_independent_e_values_multiply_and_dependent_ones_average(values):
    assert combine_e_values(values, dependent=True) == pytest.approx(np.mean(values))
    logs = np.sum(np.log(values)) if min(values) > 0 else -np.inf
    with np.errstate(over="ignore"):
        assert combine_e_values(values) == pytest.approx(np.exp(logs), rel=1e-6)


def test_the_evidence_of_two_halves_is_combined():
    d = np.random.default_rng(0).choice([-1.0, 0.0, 1.0], size=600, p=[0.05, 0.75, 0.2])
    halves = [sequential_differences(part).e_value for part in np.split(d, 2)]
    assert combine_e_values(halves) > max(halves) > 1
    assert combine_e_values([1e200, 1e200, 1e-300]) == pytest.approx(1e100)
    assert combine_e_values([1e300, 1e300]) == np.inf
    assert SequentialState().update(np.ones(3000)).e_value == np.inf


SAVED = json.loads(SequentialState().update([0.5, -0.5]).to_json())


def saved(**changes):
    return lambda: SequentialState.from_json(json.dumps(SAVED | changes))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: SequentialState().update([0.1, 1.5]), "row 1: a difference of 1.5"),
        (lambda: SequentialState().update([np.nan]), "row 0: a difference of nan"),
        (lambda: SequentialState().update([[0.1]]), "must be a list"),
        (lambda: SequentialState(alpha=0), "alpha must lie between 0 and 1"),
        (lambda: SequentialState(method="bets"), "unknown method 'bets': use betting or mixture"),
        (lambda: SequentialState(bounds=(0, 1)), "with 0 between them"),
        (lambda: SequentialState.from_json("{}}"), "not a saved sequential comparison"),
        (lambda: SequentialState.from_json("[1]"), "not a saved sequential comparison"),
        (lambda: SequentialState.from_json('{"n": 1}'), "it has no known method"),
        (lambda: SequentialState.from_json('{"n": 1, "bound": 1}'), "alpha is missing"),
        (saved(n="x"), "n must be a whole number, got 'x'"),
        (saved(n=-1), "n cannot be -1"),
        (saved(n=7), "do not describe 7 rows"),
        (saved(values=[0.5, -0.5]), "do not describe 2 rows"),
        (saved(counts=[1, "a"]), "must be a number"),
        (saved(bounds=[-1]), "bounds must be two numbers"),
        (saved(low=2), "do not describe 2 rows"),
        (saved(colour="red"), "colour does not belong to it"),
        (saved(method="other"), "not a saved sequential comparison"),
        (lambda: sequential([0, 1], [0, 1], [0]), "rows"),
        (lambda: sequential_differences([]), "pass at least one row"),
        (lambda: combine_e_values([]), "at least one e-value"),
        (lambda: combine_e_values([1, -2]), "number 2 is -2.0"),
    ],
)
def test_bad_input_is_refused_with_a_clear_message(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_costs_in_an_array_or_one_matrix_per_row_are_compared_in_their_unit():
    rng = np.random.default_rng(3)
    labels = np.array(["ill", "well"])
    y = labels[rng.integers(0, 2, 400)]
    good, poor = y, np.where(rng.random(400) < 0.7, y, labels[rng.integers(0, 2, 400)])
    euros = CostMatrix([[0, 9], [4, 0]], labels, unit="EUR")
    named = sequential(y, good, poor, costs=euros, names=("good", "poor"))
    assert named.verdict.endswith(" EUR per case")
    each = np.broadcast_to(euros.costs, (400, 2, 2))
    for costs in (euros.costs, euros.costs.tolist(), each):
        race = sequential(y, good, poor, costs=costs)
        np.testing.assert_allclose(race.mean, named.mean)
        assert race.decided_at == named.decided_at
    sets = [["ill", "well"]] * 400
    half = sequential(y, good, sets, costs=each)
    assert half.mean[-1] == pytest.approx(euros.extend().of(sets, y).mean())


@pytest.mark.parametrize("sign", [1, -1])
def test_the_mixture_decides_where_its_bounds_first_exclude_0(sign):
    d = sign * np.tile([1.0, 0.0, 1.0], 60)
    shown = sequential_differences(d, method="mixture", points=None)
    slow = next(
        n
        for n, low, high in zip(shown.n, shown.low, shown.high, strict=True)
        if low > 0 or high < 0
    )
    assert 1 < slow < len(d)
    assert shown.decided_at == slow
    undecided = sequential_differences(d[: slow - 1], method="mixture", points=None)
    assert undecided.decided_at is None


@methods
def test_a_few_points_are_those_of_the_whole_course(method):
    d = np.tile([1.0, 0.0, 0.5, -1.0], 10)
    whole = sequential_differences(d, method=method, points=None)
    assert whole.n.tolist() == list(range(1, 41))
    few = sequential_differences(d, method=method, points=6)
    assert len(few.n) == 6
    assert (few.n[0], few.n[-1]) == (1, 40)
    for name in ("mean", "low", "high"):
        np.testing.assert_allclose(getattr(few, name), getattr(whole, name)[few.n - 1])
    assert len(sequential_differences(d, method=method, points=99).n) == 40
