"""Numbers by hand at the edges: cuts of tables, limits of cases, rows without weight, blocks."""

import numpy as np
import pytest
import scipy.special
from scipy.stats import beta, binomtest

from tests.partitions.test_certainty_search import score_of
from wager.partitions import (
    PartitionEstimate,
    beta_moments,
    class_frequencies,
    standardize,
)
from wager.partitions._beta_scaling import BETA, SHIFT, BetaScaling, _beta_quantile
from wager.partitions._certainty_search import MOST_TRIED, _scores, candidates
from wager.partitions._independent_units import some_of_every_region
from wager.partitions._region_sums import RegionSums
from wager.partitions._storage import MemoryArray


def estimate_of(value, n):
    return PartitionEstimate(value, 0.1, n=n, effective_n=float(n), bias=0.0, least=0.0)


# Intervals ---------------------------------------------------------------------------------------


def test_two_rows_have_an_exact_interval():
    exact = binomtest(1, 2).proportion_ci()
    assert estimate_of(0.5, 2).interval() == pytest.approx((exact.low, exact.high))
    assert estimate_of(0.5, 1).interval() == (0, 1)


def test_rows_that_are_all_wrong_have_the_exact_interval():
    exact = binomtest(0, 10).proportion_ci()
    assert estimate_of(0.0, 10).interval() == pytest.approx((0, exact.high))


def test_clusters_without_weight_do_not_count():
    memberships = [[0.9, 0.1], [0.4, 0.6], [0.7, 0.3], [0.2, 0.8]]
    options = {"groups": ["x", "y", "z", "z"], "sample_weight": [1, 0, 1, 1]}
    assert standardize([0, 1, 1, 1], memberships, **options).estimates["accuracy"].n == 2


# The cases of the scaling ------------------------------------------------------------------------


@pytest.mark.parametrize(("deviations", "branch"), [(1e-4, BETA), (0.25, SHIFT), (9e-5, SHIFT)])
def test_the_least_variance_is_enough_and_no_certainty_is_not(deviations, branch):
    """Two values of mean 1/2 and variance 1/4 would need a Beta distribution with a = b = 0."""
    sums = RegionSums(*np.array([[2.0], [2.0], [1.0], [deviations], [2.0], [2.0], [1.0], [1.0]]))
    scaling = BetaScaling.of_sums(sums)
    assert scaling.variance == deviations
    assert scaling.branch == branch
    assert scaling.with_rates(np.array([0.3])).branch == branch


def test_moments_may_have_values_at_both_ends():
    moments = beta_moments([0, 1])
    assert (moments.mean, moments.variance, moments.concentration) == (0.5, 0.5, -0.5)


def test_the_tail_has_its_power_law_where_the_search_fails(monkeypatch):
    """F(x) = 3 x^2 - 2 x^3 for Beta(2, 2), so that x = (level / 3)^(1/2) for tiny levels."""
    monkeypatch.setattr(scipy.special, "betaincinv", lambda a, b, level: np.full(len(a), np.nan))
    two = np.full(1, 2.0)
    x = _beta_quantile(two, two, np.array([3e-120]))
    np.testing.assert_allclose(np.log10(x), -60, rtol=1e-12)


def test_a_chain_of_steps_shares_what_the_first_class_leaves():
    """In a constant region both steps are shifts: to 3/4, then to 2/3 of the rest."""
    truth = [0] * 9 + [1] * 2 + [2]
    partition = standardize(truth, [[0.5, 0.3, 0.2]] * 12, classes=[0, 1, 2], depth=2)
    np.testing.assert_allclose(partition.scaled, [[9 / 12, 2 / 12, 1 / 12]] * 12)
    assert [step.mean for step in partition.regions[0].steps] == pytest.approx([0.5, 0.6])


def test_the_others_share_equally_what_a_membership_of_one_gives_up():
    partition = standardize([0, 0, 0, 1], [[1.0, 0.0, 0.0]] * 4, classes=[0, 1, 2])
    np.testing.assert_allclose(partition.scaled, [[0.75, 0.125, 0.125]] * 4)


# The search --------------------------------------------------------------------------------------


def test_the_scores_of_the_search_are_those_of_whole_matrices():
    rng = np.random.default_rng(2)
    memberships = rng.dirichlet([3, 2, 1, 1], 60)
    truth = np.array([rng.choice(4, p=(m + 0.1) / 1.4) for m in memberships])
    partition = standardize(truth, memberships)
    step = partition._steps[0]
    tried = np.array([1.5, 3.0, 20.0])
    assert (step.branch == BETA).sum() >= 2
    for number, region in enumerate(partition.regions):
        code = region.orders[0][0]
        if step.branch[number] != BETA:
            continue
        part = partition._rows.take(np.flatnonzero(partition.assigned == code))
        known = [
            score_of(part.truth, part.points, code, region.steps[0], certainty)
            for certainty in tried
        ]
        np.testing.assert_allclose(_scores(part, step, number, tried) / region.n, known)


def test_a_thousand_whole_numbers_are_all_tried():
    assert len(candidates(0.5, MOST_TRIED)) == MOST_TRIED + 1
    assert len(candidates(0.5, MOST_TRIED + 1)) <= MOST_TRIED + 1


def test_shrunken_rates_keep_the_certainty_that_was_searched():
    rng = np.random.default_rng(3)
    memberships = rng.dirichlet([2, 2], 60)
    truth = np.array([rng.choice(2, p=m) for m in memberships])
    partition = standardize(truth, memberships, certainty="searched")
    step = partition.regions[0].steps[0]
    assert step.certainty != min(partition.regions[0].n, step.concentration)
    p = (partition.regions[0].n * step.p + 0.5) / (partition.regions[0].n + 1)
    level = beta.cdf(0.8, step.alpha, step.beta)
    expected = beta.ppf(level, step.certainty * p, step.certainty * (1 - p))
    assert partition.transform([[0.8, 0.2]], rate="jeffreys")[0, 0] == pytest.approx(expected)


# Rows and blocks ---------------------------------------------------------------------------------


@pytest.mark.parametrize("parts", [1, 2, 3])
def test_a_column_in_memory_has_all_its_parts(parts):
    column = MemoryArray()
    for part in range(parts):
        column.append(np.array([part, part]))
    assert column.finish().tolist() == [part for part in range(parts) for _ in range(2)]


def test_sorted_clusters_are_read_in_blocks_that_divide_none(monkeypatch):
    monkeypatch.setattr("wager._tables._rows.BLOCK", 6)  # three rows of two classes
    groups = [0, 0, 1, 1, 1, 2, 2, 3]
    rows = standardize([0, 1] * 4, [[0.7, 0.3]] * 8, groups=groups)._rows
    blocks = [block.units.clusters.tolist() for block in rows.cluster_blocks()]
    assert blocks == [[0, 0, 1, 1, 1], [2, 2], [3]]


def test_few_rows_are_all_scaled_again():
    memberships = [[0.8, 0.2]] * 250 + [[0.3, 0.7]] * 50
    rows = standardize([0, 1] * 150, memberships)._rows
    assert len(some_of_every_region(rows, 2, 300)) == 300
    assert len(some_of_every_region(rows, 2, 299)) == 149 + 50


def test_weights_are_what_a_row_adds_to_a_total():
    memberships = [[0.6, 0.4], [0.3, 0.7]]
    both = standardize([0, 1], memberships, sample_weight=[0.5, 2], counts=[3, 1])
    assert both.weights.tolist() == [1.5, 2]
    assert standardize([0, 1], memberships).weights is None


# Tables ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 12, 13])
def test_tables_show_twelve_regions_and_say_how_many_more(n):
    memberships = 0.5 * np.eye(max(n, 2)) + 0.5 / max(n, 2)
    truth = np.arange(n)
    fitted = standardize(truth, memberships[:n], classes=np.arange(max(n, 2)))
    for partition in (fitted, fitted.transform(memberships[:n], truth)):
        text = repr(partition)
        assert ("more rows" in text) == ("(1 more rows: see to_frame())" in text) == (n == 13)
        shown = [line.split()[0] for line in text.splitlines() if line.split()[:1]]
        assert [str(number) in shown for number in range(n)] == [row < 12 for row in range(n)]


def test_whole_numbers_of_objects_are_shown_as_such():
    memberships, weights = [[0.6, 0.4], [0.7, 0.3], [0.3, 0.7]], [1, 2, 0.5]
    fitted = standardize([0, 1, 1], memberships, sample_weight=weights)
    for partition in (fitted, fitted.transform(memberships, [0, 1, 1], sample_weight=weights)):
        numbers = [row["n"] for row in partition.to_dict()["regions"]]
        assert numbers == [3, 0.5]
        assert [type(number) for number in numbers] == [int, float]


def test_the_confidence_of_a_region_is_a_weighted_mean():
    fitted = standardize([0, 1], [[0.6, 0.4], [0.7, 0.3]])  # a constant region of rate 1/2
    weights = [3, 1]
    region = fitted.transform([[0.6, 0.4], [0.7, 0.3]], [0, 0], sample_weight=weights).regions[0]
    confidences = fitted.transform([[0.6, 0.4], [0.7, 0.3]])[:, 0]
    assert region.confidence == pytest.approx((3 * confidences[0] + confidences[1]) / 4)
    assert (region.n, region.correctness) == (4, 1)


def test_frames_of_frequencies_have_plain_values_of_one_predictor():
    assert class_frequencies(["x", "y"], [0, 1]).to_frame().index.tolist() == ["x", "y"]
    pairs = class_frequencies([["x", 1], ["y", 2]], [0, 1]).to_frame().index.tolist()
    assert pairs == [("x", "1"), ("y", "2")]
