"""Intervals of measures of coverage in strata, against slow searches over their regions."""

from __future__ import annotations

from itertools import product
from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import linprog
from scipy.stats import norm

from tests.fewer import fewer
from tests.rewards.strategies import labelled_sets
from wager import metrics
from wager.rewards import CellSums, mean_interval
from wager.rewards._strata_intervals import (
    Box,
    CovarianceRegion,
    Strata,
    largest_distance,
    mean_distance,
    mean_distance_by_rows,
    share_below,
    smallest_coverage,
)

MEASURES = {
    "coverage_gap": lambda y, sets, **options: metrics.coverage_gap(y, sets, 0.1, **options),
    "coverage_gap by rows": lambda y, sets, **options: metrics.coverage_gap(
        y, sets, 0.1, by=y % 2, weighted=True, **options
    ),
    "violated_classes": lambda y, sets, **o: metrics.violated_classes(y, sets, 0.1, **o),
    "size_stratified_violation": lambda y, sets, **options: metrics.size_stratified_violation(
        y, sets, 0.1, **options
    ),
    "worst_size_coverage": lambda y, sets, **options: metrics.worst_size_coverage(
        y, sets, strata=2, **options
    ),
    "difficulty_violation": lambda y, sets, **options: metrics.difficulty_violation(
        y, sets, np.arange(sets.size).reshape(sets.shape) % 7, 0.1, **options
    ),
    "size_coverage_hsic": lambda y, sets, **o: metrics.size_coverage_hsic(y, sets, **o),
}
each_measure = pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)


@each_measure
@given(data=labelled_sets(min_rows=2), weighted=st.booleans())
@fewer(10)
def test_an_interval_contains_the_value_and_grows_with_the_level(measure, data, weighted):
    y, sets = data
    options = {"sample_weight": 0.5 + np.arange(len(y)) % 3} if weighted else {}
    found = measure(y, sets, return_estimate=True, **options)
    assert found.value == measure(y, sets, **options)
    assert isnan(found.standard_error)
    assert isnan(found.p_value())
    ends = [found.interval(level) for level in (0.999, 0.95, 0.5)]
    lows, highs = zip(*ends, strict=True)
    ordered = [0, *lows, found.value, *highs[::-1], max(1, found.value)]
    assert np.diff(ordered).min() >= -1e-12


@each_measure
def test_the_unit_of_the_weights_does_not_matter(measure):
    rng = np.random.default_rng(0)
    y, sets, weight = rng.integers(4, size=60), rng.random((60, 4)) < 0.6, rng.random(60) + 0.1
    one, ten = (
        measure(y, sets, return_estimate=True, sample_weight=w) for w in (weight, 10 * weight)
    )
    assert one.interval() == pytest.approx(ten.interval(), rel=1e-9)
    assert one.n == pytest.approx(weight.sum() ** 2 / (weight**2).sum())


def test_forty_hits_in_each_of_two_strata_leave_the_coverages_above_wilsons_end():
    y, sets = ["a"] * 40 + ["b"] * 40, [["a"]] * 40 + [["a", "b"]] * 40
    known = {"classes": ["a", "b", "c"], "return_estimate": True}
    end = 40 / (40 + norm.ppf(1 - 0.05 / 4) ** 2)  # 0.888: two intervals that hold together
    for alpha, gap, below in [(0.1, (0, 0.1), (0, 1)), (0.2, (end - 0.8, 0.2), (0, 0))]:
        found = metrics.coverage_gap(y, sets, alpha, **known)
        assert found.value == pytest.approx(alpha)
        assert found.interval() == pytest.approx(gap)
        assert metrics.size_stratified_violation(y, sets, alpha, **known).interval() == (
            pytest.approx(gap)
        )
        assert metrics.violated_classes(y, sets, alpha, **known).interval() == below
    assert metrics.worst_size_coverage(y, sets, **known).interval() == pytest.approx((end, 1))


def test_intervals_of_the_classes_are_those_of_the_report():
    rng = np.random.default_rng(2)
    y = rng.choice(3, 90, p=[0.6, 0.3, 0.1])
    sets = (np.arange(3) == y[:, None]) & (rng.random((90, 1)) < 0.8)
    report = metrics.coverage_report(y, sets, alpha=0.1, level=1 - 0.05 / 3, adjust="none")
    ends = [(part.low, part.high) for part in report["class"]]
    near = [max(0.0, low - 0.9, 0.9 - high) for low, high in ends]
    far = [max(abs(low - 0.9), abs(high - 0.9)) for low, high in ends]
    found = metrics.coverage_gap(y, sets, 0.1, return_estimate=True)
    assert found.interval() == pytest.approx((np.mean(near), np.mean(far)))
    violated = metrics.violated_classes(y, sets, 0.1, return_estimate=True)
    expected = np.mean([high < 0.9 for _, high in ends]), np.mean([low < 0.9 for low, _ in ends])
    assert violated.interval() == expected


def test_the_coverage_of_empty_and_of_full_sets_is_known():
    y, sets = ["a", "b", "a"], [[], ["a", "b"], ["a"]]
    assert metrics.worst_size_coverage(y, sets, return_estimate=True).interval() == (0, 0)
    full = metrics.size_stratified_violation(
        ["a", "b"], [["a", "b"]] * 2, 0.1, return_estimate=True
    )
    assert full.interval() == pytest.approx((0.1, 0.1))
    mixed = metrics.worst_size_coverage(y[:2], sets[:2], strata=[(0, 2)], return_estimate=True)
    assert mixed.interval()[1] > 0.5


# -- ranges over a box, by trying its points -------------------------------------------------------

AT = 0.9


@st.composite
def boxes(draw):
    """Bounds of two or three coverages, and of shares that can add up to 1."""
    m = draw(st.integers(2, 3))
    unit = st.floats(0, 1).map(lambda x: round(x, 3))
    ends = np.sort(draw(st.lists(st.tuples(unit, unit), min_size=m, max_size=m)), axis=1)
    share = np.array(draw(st.lists(st.integers(1, 9), min_size=m, max_size=m)), dtype=float)
    share /= share.sum()
    slack = np.array(draw(st.lists(st.tuples(unit, unit), min_size=m, max_size=m)))
    return Box(*ends.T, share * slack[:, 0], share + (1 - share) * slack[:, 1])


@given(boxes())
@fewer(20)
def test_ranges_over_a_box_are_those_of_its_points(box):
    # the measures are monotone between the ends and the promise; just below it counts as below
    tried = [
        sorted({low, high, *(x for x in (AT, AT - 1e-9) if low <= x <= high)})
        for low, high in zip(box.low, box.high, strict=True)
    ]
    points = np.array(list(product(*tried)))
    gap = np.abs(points - AT)
    for found, values in [
        (smallest_coverage(box), points.min(axis=1)),
        (largest_distance(box, AT), gap.max(axis=1)),
        (mean_distance(box, AT), gap.mean(axis=1)),
        (share_below(box, AT), (points < AT).mean(axis=1)),
    ]:
        assert found == pytest.approx((values.min(), values.max()))
    shares = {"A_eq": np.ones((1, len(box.low))), "b_eq": [1.0],
              "bounds": np.column_stack([box.least, box.most])}  # fmt: skip
    low, high = mean_distance_by_rows(box, AT)
    assert low == pytest.approx(min(linprog(row, **shares).fun for row in gap), abs=1e-7)
    assert high == pytest.approx(max(-linprog(-row, **shares).fun for row in gap), abs=1e-7)


# -- the criterion of size and coverage ------------------------------------------------------------


def region_of(size, hit, widths=(1.0, 1.0)):
    """The region of rows with these sizes, from 1 on, of six classes; and the estimate."""
    first = np.where(hit, 0, 1)[:, None]
    sets = (np.arange(6) >= first) & (np.arange(6) < first + size[:, None])
    found = metrics.size_coverage_hsic(
        np.zeros(len(size), dtype=int), sets, widths=widths, classes=range(6), return_estimate=True
    )
    return found.region, found


def test_the_criterion_is_a_norm_of_covariances():
    rng = np.random.default_rng(1)
    size = rng.integers(1, 5, 80)
    hit = rng.random(80) < 0.5 + 0.1 * size
    region, found = region_of(size, hit, (1.5, 0.7))
    covariances = [np.cov(size == k, hit)[0, 1] for k in range(1, 5)]  # with n - 1
    assert found.value == pytest.approx(sqrt(covariances @ region.kernel @ covariances))


def test_the_errors_of_the_covariances_are_those_of_the_rows():
    rng = np.random.default_rng(5)
    size = rng.choice([1, 2, 4], 50)
    hit = rng.random(50) < 0.8
    region, _ = region_of(size, hit)
    # two hits and two misses at each size that occurs
    size = np.concatenate([size, np.repeat([1, 2, 4], 4)])
    hit = np.concatenate([hit, np.tile([0, 0, 1, 1], 3)])
    is_size = (size[:, None] == [1, 2, 4]) * 1.0
    each = (is_size - is_size.mean(axis=0)) * (hit - hit.mean())[:, None]
    np.testing.assert_allclose(region._covariance(), np.cov(each.T) / len(size))


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_the_quantile_of_the_error_is_that_of_drawn_errors(level):
    region, _ = region_of(np.repeat([1, 2, 3, 4], [30, 20, 10, 5]), np.arange(65) % 5 > 0)
    rng = np.random.default_rng(0)
    errors = rng.multivariate_normal(np.zeros(4), region._covariance(), 200_000)
    norms = np.sqrt(np.einsum("ij,jk,ik->i", errors, region.kernel, errors))
    assert region.largest_error(level) == pytest.approx(np.quantile(norms, level), rel=0.02)


def test_with_many_rows_the_quantile_is_that_of_a_bootstrap_of_the_kernel_matrices():
    rng = np.random.default_rng(0)
    size = rng.choice([1, 2, 3], 4000, p=[0.5, 0.3, 0.2])
    hit = rng.random(4000) < np.array([0.95, 0.9, 0.7])[size - 1]
    region, _ = region_of(size, hit)
    kernels = [np.exp(-(np.subtract.outer(x, x) ** 2.0)) for x in (np.arange(1, 4), np.arange(2))]

    def operator(table):  # the cross-covariance operator, in the basis of the features
        p = table / table.sum()
        return p - np.outer(p.sum(axis=1), p.sum(axis=0))

    table = np.array([[((size == k) & (hit == h)).sum() for h in (0, 1)] for k in (1, 2, 3)])
    known = operator(table)
    norms = []
    for drawn in rng.multinomial(4000, table.ravel() / 4000, 4000):
        error = operator(drawn.reshape(3, 2)) - known
        norms.append(sqrt(max(np.trace(kernels[0] @ error @ kernels[1] @ error.T), 0)))
    assert region.largest_error(0.95) == pytest.approx(np.quantile(norms, 0.95), rel=0.04)


@given(labelled_sets(min_rows=2, max_rows=6))
def test_no_interval_of_the_criterion_leaves_its_range(data):
    y, sets = data
    found = metrics.size_coverage_hsic(y, sets, return_estimate=True)
    # half of the rows are small sets that miss, the others large ones that hit
    far = sets.shape[1]
    largest = sqrt((2 - 2 * np.exp(-1)) * (2 - 2 * np.exp(-(far**2)))) / 4
    assert found.interval()[1] <= max(largest, found.value) + 1e-12


def test_sets_of_one_size_have_a_criterion_of_zero():
    _, found = region_of(np.full(30, 2), np.arange(30) % 4 > 0)
    assert found.interval() == (0, 0)
    assert isinstance(found.region, CovarianceRegion)


def test_one_row_has_no_interval():
    found = metrics.size_coverage_hsic(["a"], [["a"]], classes=["a", "b"], return_estimate=True)
    assert [isnan(end) for end in (found.value, *found.interval())] == [True] * 3


@pytest.mark.parametrize("level", [0, 1, 95])
def test_a_level_is_a_probability(level):
    found = metrics.worst_size_coverage(["a"], [["a"]], classes=["a", "b"], return_estimate=True)
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        found.interval(level)


def test_wide_kernels_scale_the_interval_and_do_not_close_it():
    """The limit for sets of one size was absolute, and wide kernels make all numbers small."""
    random = np.random.default_rng(0)
    y = random.integers(0, 3, 2000)
    sets = random.random((2000, 3)) < 0.5
    ends = []
    for width in (1e4, 1e6):
        found = metrics.size_coverage_hsic(y, sets, widths=(width, width), return_estimate=True)
        ends.append(np.array(found.interval()) * width)
    assert ends[0][0] < ends[0][1]
    np.testing.assert_allclose(ends[0], ends[1], rtol=1e-2)


def test_the_box_has_the_intervals_of_the_shares_of_the_rows():
    """Strata of 30 and of 10 rows: with those of two coverages, four intervals at 95%."""
    counts = np.array([6, 24, 1, 9])  # misses and hits of both
    strata = Strata.of(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), counts, None)
    box = strata.box(0.95, by_rows=True)
    ends = np.array([0.0]), np.array([1.0])
    level = 1 - 0.05 / 4
    for place, rows in enumerate((30, 10)):
        share = CellSums(np.array([0, 1]), np.array([40 - rows, rows]))
        low, high = mean_interval(np.array([[0.0, 1.0]]), share, *ends, level)
        assert (box.least[place], box.most[place]) == pytest.approx((low[0], high[0]))
        assert box.least[place] < rows / 40 < box.most[place]
        own = CellSums(np.array([0, 1]), counts[2 * place : 2 * place + 2])
        low, high = mean_interval(np.array([[0.0, 1.0]]), own, *ends, level)
        assert (box.low[place], box.high[place]) == pytest.approx((low[0], high[0]))
    plain = strata.box(0.95, by_rows=False)
    assert plain.least.tolist() == plain.most.tolist() == [0.75, 0.25]
