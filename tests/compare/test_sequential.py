"""The sequential comparison: merging, levels by simulation, and the boundary by its definition."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.integrate import quad

from wager.compare import SequentialState, sequential, stop_when_decided, utility_differences
from wager.compare._mixture_martingale import MixtureMartingale
from wager.rewards import Tabulated, get_utility

differences = st.lists(st.floats(-1, 1), min_size=1, max_size=40)


@given(differences, st.integers(0, 40))
def test_rows_may_come_in_any_chunks(d, cut):
    whole = SequentialState().update(d)
    parts = SequentialState().update(d[:cut]).update(d[cut:])
    assert parts.n == whole.n
    assert (parts.total, parts.variation) == pytest.approx((whole.total, whole.variation), abs=1e-9)


@given(differences)
def test_variation_is_the_sum_of_squared_surprises(d):
    total = variation = 0.0
    for i, x in enumerate(d):
        variation += (x - (total / i if i else 0.0)) ** 2
        total += x
    assert SequentialState().update(d).variation == pytest.approx(variation, abs=1e-9)


@given(differences)
def test_a_saved_state_goes_on_where_it_stopped(d):
    state = SequentialState(alpha=0.1).update(d)
    assert SequentialState.from_json(state.to_json()) == state


@pytest.mark.parametrize(("s", "v"), [(0.0, 1.0), (3.0, 5.0), (12.0, 40.0), (-2.0, 8.0)])
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
    state, totals, variations = SequentialState().follow(d)
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
    mean, rng, runs, rows = float(values @ chances), np.random.default_rng(1), 1000, 10_000
    grid = np.geomspace(1e-4, rows, 3000)
    boundary = MixtureMartingale.tuned(scale=2.0, alpha=0.025).boundary(grid)
    n = np.arange(1, rows + 1)
    failed = 0
    for _ in range(runs):
        d = rng.choice(values, p=chances, size=rows)
        _, totals, variations = SequentialState().follow(d)
        # straight lines between points of the concave boundary only make it stricter
        failed += bool((np.abs(totals - n * mean) > np.interp(variations, grid, boundary)).any())
    assert failed / runs <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / runs)


def test_the_shown_bounds_are_those_of_the_state():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 500)
    a, b = rng.random((2, 500, 3)) < 0.6
    shown = sequential(y, a, b, "u65")
    assert (shown.low[-1], shown.high[-1]) == pytest.approx(shown.state.interval)
    assert shown.mean[-1] == pytest.approx(utility_differences(y, a, b, "u65").mean())


@pytest.mark.parametrize("utility", ["log", "exp:2", "f2", Tabulated([2.0, 1.5, 1.0], miss=-1.0)])
def test_the_bound_is_what_the_utility_can_differ_by(utility):
    """A utility in other units gives the same comparison in those units."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 300)
    a, b = rng.random((2, 300, 3)) < 0.6
    u = get_utility(utility)
    unit = float(u(1.0) - u(0.0))
    normal = Tabulated([float((u.of_size(k) - u(0.0)) / unit) for k in (1, 2, 3)])
    found, expected = sequential(y, a, b, u), sequential(y, a, b, normal)
    assert found.state.bound == pytest.approx(unit)
    np.testing.assert_allclose(found.low, expected.low * unit, atol=1e-9)
    np.testing.assert_allclose(found.log_evidence_a, expected.log_evidence_a, atol=1e-6)


def test_a_clear_lead_is_found_and_a_tie_is_not():
    lead = stop_when_decided(np.full(50, 0.3) for _ in range(100))
    assert lead.decided == "a"
    assert max(lead.log_evidence) == lead.log_evidence[0] > np.log(20)
    tie = stop_when_decided((np.tile([0.3, -0.3], 25) for _ in range(1000)), most_rows=20_000)
    assert (tie.decided, tie.n) == ("", 20_000)


def test_identical_classifiers_are_undecided():
    state = sequential([0, 1, 1], [0, 1, 0], [0, 1, 0]).state
    assert state.verdict(("a", "b")).startswith("undecided: after 3 rows the mean difference is +0")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: SequentialState().update([0.1, 1.5]), "row 1: a difference of 1.5"),
        (lambda: SequentialState().update([np.nan]), "row 0: a difference of nan"),
        (lambda: SequentialState(alpha=0), "alpha must lie between 0 and 1"),
        (lambda: SequentialState.from_json("{}}"), "not a saved sequential comparison"),
        (lambda: SequentialState.from_json("[1]"), "not a saved sequential comparison"),
        (lambda: SequentialState.from_json('{"n": "x"}'), "not a saved sequential comparison"),
        (lambda: SequentialState.from_json('{"n": -1}'), "-1 rows cannot have the sum"),
        (lambda: sequential([0, 1], [0, 1], [0]), "rows"),
    ],
)
def test_bad_input_is_refused_with_a_clear_message(call, words):
    with pytest.raises(ValueError, match=words):
        call()
