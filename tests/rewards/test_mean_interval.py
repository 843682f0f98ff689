"""Intervals of means with a known range: slow twins, textbook cases, and invariants."""

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy import optimize, stats

from wager._tables import RowUnits
from wager.rewards import CellSums, PairedTally, Tally, mean_interval, mean_p_values
from wager.rewards._mean_interval import MeanCells, _tilt_to, _tilted

LIMIT = stats.chi2.ppf(0.95, 1)


def counted(*totals):
    return CellSums(np.arange(len(totals)), np.array(totals))


def interval_of(values, sums, low=0.0, high=1.0, level=0.95):
    ends = mean_interval(np.array([values], float), sums, np.array([low]), np.array([high]), level)
    return float(ends[0][0]), float(ends[1][0])


def p_of(values, sums, low=0.0, high=1.0, at=0.0):
    given = np.array([values], float), sums, np.array([low]), np.array([high])
    return float(mean_p_values(*given, at)[0])


cells = st.lists(
    st.tuples(st.floats(0, 1, allow_subnormal=False), st.integers(1, 40)), min_size=1, max_size=5
)


# The distribution under a hypothetical mean


def test_the_distribution_has_the_mean_that_is_tested():
    """Also close to the ends of the range, where Newton's steps have to be caught."""
    rng = np.random.default_rng(5)
    for _ in range(200):
        sums = counted(*rng.integers(1, rng.choice([3, 200]), rng.integers(1, 6)))
        x = rng.random((4, len(sums.totals)))
        x[1] = np.round(2 * x[1]) / 2  # with rows at the ends of the range
        tilted = _tilted(x, MeanCells.of(sums))
        goal = tilted.mean * [1e-6, 0.01, 0.85, 0.999]
        goal = np.where(goal > 0, goal, 0.3 * tilted.mean.max())
        found, _ = tilted.under(_tilt_to(tilted, goal))
        reachable = goal < tilted.mean
        np.testing.assert_allclose(found[reachable], goal[reachable], rtol=1e-9)


def test_small_cells_borrow_four_rows_of_average_weight():
    """One row of weight 4 and six of weight 1: on average, 22 / 10 = 2.2 by weight."""
    units = RowUnits.of(7, [4, 1, 1, 1, 1, 1, 1])
    sums = CellSums.of(np.array([0, 1, 1, 1, 1, 1, 1]), units)
    (ratio,) = _tilted(np.array([[0.2, 0.7]]), MeanCells.of(sums)).ratio
    few = (16 + 4 * 2.2**2) / (4 + 4 * 2.2)
    many = (6 + 4 * 2.2**2) / (6 + 4 * 2.2)
    assert ratio == pytest.approx([few, many, 2.2])


@pytest.mark.filterwarnings("ignore:Values in x were outside bounds")  # SciPy's search
@pytest.mark.parametrize("goal", [0.1, 0.25, 0.4])
def test_the_tilted_distribution_is_the_most_likely_one_with_its_mean(goal):
    x, n = np.array([0.2, 0.5, 1.0]), np.array([3, 10, 7])
    tilted = _tilted(x[None], MeanCells.of(counted(*n)))
    log_s = optimize.brentq(lambda s: tilted.under(np.array([s]))[0][0] - goal, -50, 15)
    weight = tilted.share[0] / (tilted.x[0] + np.exp(log_s))
    found = weight / weight.sum()

    def minus_log_likelihood(p):
        return -n @ np.log(p[:3])

    with_end = np.append(x, 0.0)
    slow = optimize.minimize(
        minus_log_likelihood,
        np.full(4, 0.25),
        method="SLSQP",
        bounds=[(1e-9, 1)] * 4,
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1},
            {"type": "eq", "fun": lambda p: p @ with_end - goal},
        ],
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert slow.success
    np.testing.assert_allclose(found, slow.x, atol=1e-4)
    assert minus_log_likelihood(found) <= slow.fun + 1e-6


# Textbook cases


@pytest.mark.parametrize(("hits", "n"), [(0, 40), (3, 30), (15, 30), (29, 30), (7, 1000)])
def test_the_interval_of_a_proportion_joins_wilsons_and_the_likelihood_interval(hits, n):
    sums = counted(hits, n - hits) if 0 < hits < n else counted(n)
    values = [1.0, 0.0] if 0 < hits < n else [0.0]
    wilson = stats.binomtest(hits, n).proportion_ci(method="wilson")

    def excess(p):
        parts = [(hits, hits / n, p), (n - hits, 1 - hits / n, 1 - p)]
        return 2 * sum(k * np.log(seen / q) for k, seen, q in parts if k) - LIMIT

    low = optimize.brentq(excess, 1e-12, hits / n) if hits else 0.0
    high = optimize.brentq(excess, hits / n + 1e-9 if hits else 1e-9, 1 - 1e-12)
    expected = min(low, wilson.low), max(high, wilson.high)
    assert interval_of(values, sums) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("b", "c", "same"), [(12, 3, 85), (5, 5, 40), (1, 6, 0), (30, 60, 900)])
def test_the_test_of_a_paired_difference_is_mcnemars_where_that_is_the_smaller_statistic(
    b, c, same
):
    values, totals = [1.0, -1.0, 0.0], [b, c, same]
    kept = [i for i in range(3) if totals[i]]
    sums = counted(*(totals[i] for i in kept))
    mcnemar = (b - c) ** 2 / (b + c)
    half = (b + c) / 2
    likelihood = 2 * (b * np.log(b / half) + c * np.log(c / half))
    found = p_of([values[i] for i in kept], sums, -1.0, 1.0)
    assert found == pytest.approx(stats.chi2.sf(min(mcnemar, likelihood), 1), rel=1e-4)


def test_two_rows_decide_nothing():
    paired = PairedTally.of([0, 0], [0, 0], [1, 1], classes=[0, 1])
    found = paired.difference("u65")
    assert found.mean == 1
    assert found.p > 0.05
    assert found.interval()[0] < 0


def test_agreeing_rows_have_an_interval_of_positive_width_within_the_range():
    low, high = Tally.of([0] * 30, [[0, 1]] * 30, classes=[0, 1, 2]).estimate("u65").interval()
    assert low < 0.65 < high <= 1


# Invariants


@given(cells, st.floats(0.5, 0.999))
def test_the_interval_contains_the_mean_and_stays_in_the_range(cells, level):
    values, counts = np.array([v for v, _ in cells]), [n for _, n in cells]
    low, high = interval_of(values, counted(*counts), level=level)
    mean = float(np.average(values, weights=counts))
    assert 0 <= low <= mean <= high <= 1
    assert high - low > 0


@given(cells, st.floats(0.01, 1000), st.floats(-5, 5))
def test_the_interval_moves_and_grows_with_the_scale(cells, scale, shift):
    values, counts = np.array([v for v, _ in cells]), [n for _, n in cells]
    plain = interval_of(values, counted(*counts))
    moved = interval_of(shift + scale * values, counted(*counts), shift, shift + scale)
    assert moved == pytest.approx([shift + scale * end for end in plain], abs=1e-6 * scale)


@given(cells, st.floats(0.01, 0.99))
def test_a_mean_is_rejected_exactly_outside_the_interval(cells, at):
    values, counts = np.array([v for v, _ in cells]), [n for _, n in cells]
    low, high = interval_of(values, counted(*counts))
    assume(min(abs(at - low), abs(at - high)) > 1e-4)
    assert (p_of(values, counted(*counts), at=at) < 0.05) == (not low < at < high)


@given(cells)
def test_a_higher_level_gives_a_wider_interval(cells):
    values, sums = np.array([v for v, _ in cells]), counted(*(n for _, n in cells))
    inner, outer = (interval_of(values, sums, level=level) for level in (0.8, 0.99))
    assert outer[0] <= inner[0] + 1e-9
    assert outer[1] >= inner[1] - 1e-9


@given(cells)
def test_many_means_at_once_are_the_same_as_one_at_a_time(cells):
    values, sums = np.array([v for v, _ in cells]), counted(*(n for _, n in cells))
    table = np.stack([values, 1 - values, values**2])
    together = mean_interval(table, sums, np.zeros(3), np.ones(3))
    for i, row in enumerate(table):
        assert (together[0][i], together[1][i]) == pytest.approx(interval_of(row, sums), abs=1e-6)


# Weights and clusters


def test_equal_weights_and_clusters_of_one_row_give_the_interval_of_student():
    rng = np.random.default_rng(0)
    cell = rng.integers(0, 3, 60)
    values = [0.0, 0.65, 1.0]
    plain = interval_of(values, CellSums.of(cell, RowUnits()))
    for units in (
        RowUnits.of(60, sample_weight=np.full(60, 3.0)),
        RowUnits.of(60, groups=np.arange(60)),
    ):
        low, high = interval_of(values, CellSums.of(cell, units))
        assert low == pytest.approx(plain[0], abs=0.004)  # t and 59/58 instead of the normal
        assert high == pytest.approx(plain[1], abs=0.004)
        assert low <= plain[0] < plain[1] <= high


def test_rows_that_are_repeated_within_a_cluster_add_nothing():
    rng = np.random.default_rng(1)
    cell = rng.integers(0, 3, 40)
    once = CellSums.of(cell, RowUnits.of(40, groups=np.arange(40)))
    repeated = CellSums.of(np.repeat(cell, 7), RowUnits.of(280, groups=np.repeat(np.arange(40), 7)))
    assert repeated.n_units == pytest.approx(40)
    values = [0.0, 0.65, 1.0]
    assert interval_of(values, repeated) == pytest.approx(interval_of(values, once), abs=1e-6)


def test_one_cluster_says_nothing_about_the_mean():
    sums = CellSums.of(np.array([0, 1, 1]), RowUnits.of(3, groups=["a", "a", "a"]))
    assert interval_of([0.0, 1.0], sums) == (0.0, 1.0)
    assert p_of([0.0, 1.0], sums, at=0.1) == 1.0


def test_two_clusters_have_the_interval_of_a_search_over_all_means():
    """Two clusters of ten rows with 8 and 4 hits: Student's t has one degree of freedom.

    Under the mean m0 the rows vary by m0 (1 - m0), times how much more the totals of the clusters
    vary around m0 than independent rows would, times 2 / (2 - 1).
    """
    sums = CellSums.of(
        np.array([1] * 8 + [0] * 2 + [1] * 4 + [0] * 6),
        RowUnits.of(20, groups=np.repeat([0, 1], 10)),
    )
    m0 = np.linspace(0, 1, 100_001)[1:-1]
    together = (8 - 10 * m0) ** 2 + (4 - 10 * m0) ** 2
    effect = 2 * together / (8 * m0**2 + 12 * (1 - m0) ** 2)
    score = 20 * (0.6 - m0) ** 2 / (m0 * (1 - m0) * effect)
    ratio = 40 * (0.6 * np.log(0.6 / m0) + 0.4 * np.log(0.4 / (1 - m0))) / effect
    kept = m0[np.minimum(score, ratio) <= stats.t.ppf(0.75, 1) ** 2]
    found = interval_of([0, 1], sums, level=0.5)
    assert found == pytest.approx((kept.min(), kept.max()), abs=2e-5)
    assert 0.2 < found[0] < 0.6 < found[1] < 0.9


def test_a_known_distribution_has_no_interval():
    law = Tally.from_distribution([(1, True, 0.75), (1, False, 0.25)], 2).estimate("u65")
    assert np.isnan(law.interval()).all()


# Coverage, as a guard: the full tables are simulated with `make simulate`


@pytest.mark.parametrize("n", [30, 100])
@pytest.mark.parametrize(
    ("chances", "values"),
    [
        ([0.75, 0.15, 0.07, 0.03], [1.0, 0.0, 0.65, 0.3]),
        ([0.1, 0.05, 0.85], [1.0, 0.0, 0.65]),
        ([0.99, 0.01], [1.0, 0.0]),
    ],
)
def test_the_interval_covers_the_mean(n, chances, values):
    rng = np.random.default_rng(7)
    truth = float(np.dot(chances, values))
    samples = rng.multinomial(n, chances, size=1500)
    distinct, times = np.unique(samples, axis=0, return_counts=True)
    covered = 0
    for row, repeats in zip(distinct, times, strict=True):
        seen = row > 0
        low, high = interval_of(np.array(values)[seen], counted(*row[seen]))
        covered += repeats * (low - 1e-12 <= truth <= high + 1e-12)
    assert covered / 1500 >= (0.9 if n == 30 else 0.92)


def test_the_interval_of_clusters_has_every_mean_that_is_not_rejected():
    # near 0.452 the statistic is above the limit, farther away below it again, up to 0.554
    cell = [
        1,
        1,
        1,
        1,
        1,
        0,
        2,
        1,
        0,
        1,
        1,
        0,
        1,
        1,
        2,
        1,
        2,
        1,
        1,
        1,
        1,
        1,
        1,
        1,
        1,
        0,
        1,
        0,
        1,
        1,
    ]
    groups = [5, 0, 5, 0, 11, 7, 11, 5, 6, 1, 5, 9, 6, 9, 11,
              3, 6, 7, 1, 8, 0, 4, 1, 11, 11, 11, 4, 5, 7, 2]  # fmt: skip
    sums = CellSums.of(np.array(cell), RowUnits.of(30, groups=groups))
    values = [0.0, 7 / 15, 0.65]
    high = interval_of(values, sums, level=0.9)[1]
    assert high == pytest.approx(0.55365522990797, abs=1e-9)
    inside, outside = (p_of(values, sums, at=at) for at in (0.452, 0.554))
    assert inside > 0.1 > outside
