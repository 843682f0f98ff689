"""Beta scaling: laws of the scaled memberships, a slow twin, and the degenerate regions."""

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy.special import betainc
from scipy.stats import beta

from tests.fewer import fewer
from tests.partitions.strategies import partitions
from wager.partitions import beta_moments, standardize
from wager.partitions._beta_scaling import BETA, BetaScaling, _beta_quantile

TIES = st.sampled_from(["first", "random", "join"])


# Laws ------------------------------------------------------------------------------------------


@given(partitions(), st.data(), TIES)
def test_scaled_memberships_lie_in_the_simplex(data, draw, ties):
    truth, memberships = data
    depth = draw.draw(st.integers(1, memberships.shape[1] - 1))
    partition = standardize(truth, memberships, depth=depth, ties=ties, random_state=0)
    assert (partition.scaled >= 0).all()
    np.testing.assert_allclose(partition.scaled.sum(axis=1), 1, atol=1e-9)


@given(partitions(min_classes=3))
def test_at_depth_one_the_other_classes_keep_their_ratios(data):
    truth, memberships = data
    partition = standardize(truth, memberships)
    for raw, scaled, assigned in zip(
        memberships, partition.scaled, partition.assigned, strict=True
    ):
        others = np.arange(len(raw)) != assigned
        if raw[others].any():
            np.testing.assert_allclose(
                scaled[others] * raw[others].sum(), raw[others] * scaled[others].sum(), atol=1e-12
            )
        else:
            np.testing.assert_allclose(scaled[others], scaled[others][0])


@given(partitions())
def test_in_a_region_the_order_of_the_assignment_values_stays(data):
    truth, memberships = data
    partition = standardize(truth, memberships)
    for code in set(partition.assigned.tolist()):
        rows = partition.assigned == code
        order = np.argsort(memberships[rows, code], kind="stable")
        assert (np.diff(partition.scaled[rows, code][order]) >= -1e-9).all()


@given(st.floats(0.6, 0.95), st.floats(3, 40), st.floats(0.2, 0.98), st.integers(0, 99))
def test_the_mean_of_a_region_becomes_its_correctness_rate(mean, concentration, rate, seed):
    """As nearly as the Beta distribution fits: here it does."""
    rng = np.random.default_rng(seed)
    value = rng.beta(mean * concentration, (1 - mean) * concentration, 2000).clip(0.501, 1)
    truth = np.where(rng.random(2000) < rate, 0, 1)
    partition = standardize(truth, np.column_stack([value, 1 - value]))
    assert partition.regions[0].correctness == pytest.approx((truth == 0).mean())
    assert partition.scaled[:, 0].mean() == pytest.approx((truth == 0).mean(), abs=0.03)


@given(st.integers(3, 5), st.integers(0, 30))
@fewer(12)
def test_at_every_depth_the_means_follow_the_frequencies_of_the_region(n_classes, seed):
    rng = np.random.default_rng(seed)
    memberships = rng.dirichlet(np.full(n_classes, 0.8), 3000)
    lots = rng.random((3000, 1))
    spread = memberships**0.6  # the rule is too sure of itself
    spread /= spread.sum(axis=1, keepdims=True)
    truth = (spread.cumsum(axis=1) < lots).sum(axis=1).clip(max=n_classes - 1)
    depth = 1 + seed % 2
    partition = standardize(truth, memberships, depth=depth)
    for region in partition.regions:
        order = list(region.orders[0])
        if region.n < 200:
            continue
        inside = (np.argsort(-memberships, axis=1)[:, :depth] == order).all(axis=1)
        means = partition.scaled[inside].mean(axis=0)
        np.testing.assert_allclose(means[order], region.frequencies[order], atol=0.06)


@given(partitions(), st.integers(0, 3))
@fewer(12)
def test_counts_are_repeated_objects(data, seed):
    truth, memberships = data
    counts = np.random.default_rng(seed).integers(0, 4, len(truth))
    assume(counts.any())
    again = np.repeat(np.arange(len(truth)), counts)
    counted = standardize(truth, memberships, counts=counts)
    repeated = standardize(truth[again], memberships[again])
    np.testing.assert_allclose(counted.scaled[again], repeated.scaled, atol=1e-9)
    assert counted.accuracy == pytest.approx(repeated.accuracy, abs=1e-9)
    assert counted.separation == pytest.approx(repeated.separation, abs=1e-9)
    assert counted.n_rows == repeated.n_rows
    for name, estimate in repeated.estimates.items():
        assert counted.estimates[name].n == estimate.n
        assert counted.estimates[name].effective_n == pytest.approx(estimate.effective_n)
        error = counted.estimates[name].standard_error
        assert error == pytest.approx(estimate.standard_error, abs=1e-9, nan_ok=True)


@given(partitions(), st.integers(0, 3), st.floats(0.01, 100))
@fewer(12)
def test_only_the_ratios_of_weights_matter(data, seed, factor):
    truth, memberships = data
    weights = np.random.default_rng(seed).choice([0.5, 1.0, 3.0], len(truth))
    one = standardize(truth, memberships, sample_weight=weights)
    other = standardize(truth, memberships, sample_weight=weights * factor)
    np.testing.assert_allclose(other.scaled, one.scaled, atol=1e-7)
    equal = standardize(truth, memberships, sample_weight=np.full(len(truth), factor))
    np.testing.assert_allclose(equal.scaled, standardize(truth, memberships).scaled, atol=1e-7)
    for name, estimate in one.estimates.items():
        error = other.estimates[name].standard_error
        assert error == pytest.approx(estimate.standard_error, abs=1e-7, nan_ok=True)


@given(partitions(), st.randoms(use_true_random=False))
def test_rows_may_come_in_any_order(data, random):
    truth, memberships = data
    order = list(range(len(truth)))
    random.shuffle(order)
    shuffled = standardize(truth[order], memberships[order])
    np.testing.assert_allclose(
        shuffled.scaled, standardize(truth, memberships).scaled[order], atol=1e-9
    )


# A slow twin, object by object -------------------------------------------------------------------


def twin(truth, memberships, depth):
    """The paper's rules (and ours beyond depth one), one object at a time."""
    n_rows, n_classes = memberships.shape
    order = [sorted(range(n_classes), key=lambda c, m=m: -m[c])[:depth] for m in memberships]
    scaled = np.zeros_like(memberships)
    for region in {tuple(o) for o in order}:
        rows = [i for i in range(n_rows) if tuple(order[i]) == region]
        left = dict.fromkeys(rows, 1.0)
        trials = rows
        for j, code in enumerate(region):
            later = [c for c in range(n_classes) if c not in region[:j]]
            share = {}
            for i in rows:
                rest = sum(memberships[i, c] for c in later)
                value = memberships[i, code]
                share[i] = value if j == 0 else (value / rest if rest else 1 / len(later))
            hits = [i for i in trials if truth[i] == code]
            moved = scale(share, len(hits), len(trials))
            for i in rows:
                scaled[i, code] = left[i] * moved[i]
                left[i] *= 1 - moved[i]
            trials = [i for i in trials if truth[i] != code]
        others = [c for c in range(n_classes) if c not in region]
        for i in rows:
            rest = sum(memberships[i, c] for c in others)
            for c in others:
                part = memberships[i, c] / rest if rest else 1 / len(others)
                scaled[i, c] = left[i] * part
    return scaled


def scale(share, hits, trials):
    if trials == 0:
        return share
    p, values = hits / trials, np.array(list(share.values()))
    if p in (0, 1):
        return dict.fromkeys(share, p)
    mean = values.mean()
    variance = values.var(ddof=1) if len(values) > 1 else 0.0
    total = mean * (1 - mean) / variance - 1 if variance > 0 else np.inf
    if variance < 1e-4 or total <= 0:
        return {i: min(1.0, max(0.0, v - mean + p)) for i, v in share.items()}
    certainty = min(trials, total)
    before = beta(total * mean, total * (1 - mean))
    after = beta(certainty * p, certainty * (1 - p))
    return {i: float(after.ppf(before.cdf(v))) for i, v in share.items()}


@given(partitions(max_rows=25), st.data())
def test_all_objects_at_once_are_scaled_as_one_by_one(data, draw):
    truth, memberships = data
    depth = draw.draw(st.integers(1, memberships.shape[1] - 1))
    ours = standardize(truth, memberships, depth=depth).scaled
    # SciPy's quantile function loses digits of values next to 1, the library's does not.
    np.testing.assert_allclose(ours, twin(truth, memberships, depth), atol=1e-6)


# Degenerate regions (the readings adopted for what the paper leaves open) ------------------------


def region_of(partition, label):
    return next(region for region in partition.regions if region.orders[0][0] == label)


def test_a_class_never_assigned_has_no_region():
    partition = standardize([0, 1, 2], [[0.6, 0.3, 0.1], [0.1, 0.8, 0.1], [0.5, 0.1, 0.4]])
    assert [region.assigned for region in partition.regions] == [(0,), (1,)]


@pytest.mark.parametrize(("truth", "value", "branch"), [([0, 0], 1, "one"), ([1, 1], 0, "zero")])
def test_always_right_or_wrong_moves_to_the_corner_or_the_opposite_face(truth, value, branch):
    partition = standardize(truth, [[0.6, 0.4], [0.9, 0.1]])
    assert region_of(partition, 0).steps[0].branch == branch
    np.testing.assert_array_equal(partition.scaled[:, 0], [value, value])


def test_a_constant_region_moves_to_its_correctness_rate():
    partition = standardize([0, 0, 1], [[0.7, 0.2, 0.1]] * 3)
    assert region_of(partition, 0).steps[0].branch == "shift"
    np.testing.assert_allclose(partition.scaled[:, 0], 2 / 3)
    np.testing.assert_allclose(partition.scaled[:, 1] / partition.scaled[:, 2], 2)


def test_a_shift_is_cut_off_at_the_edge():
    memberships = np.array([[0.995, 0.005], [0.999, 0.001]] * 50)
    truth = [0] * 99 + [1]
    partition = standardize(truth, memberships)
    assert region_of(partition, 0).steps[0].branch == "shift"
    assert partition.scaled.max() <= 1
    np.testing.assert_allclose(partition.scaled[:2, 0], [0.988, 0.992])


def test_values_spread_wider_than_any_beta_are_shifted():
    memberships = [[1.0, 0, 0, 0], [0.26, 0.25, 0.245, 0.245]]
    partition = standardize([0, 1], memberships)
    step = region_of(partition, 0).steps[0]
    assert step.concentration <= 0
    assert step.branch == "shift"
    np.testing.assert_allclose(partition.scaled[:, 0], [0.87, 0.13])


def test_a_membership_of_one_splits_the_rest_equally():
    memberships = [[1.0, 0.0, 0.0], [0.8, 0.15, 0.05], [0.6, 0.1, 0.3]]
    partition = standardize([0, 0, 1], memberships)
    assert region_of(partition, 0).steps[0].branch == "beta"
    assert partition.scaled[0, 0] == 1
    np.testing.assert_array_equal(partition.scaled[0, 1:], [0, 0])


def test_certainty_is_that_of_the_values_but_at_most_the_number_of_objects():
    tight = [[0.70, 0.30], [0.74, 0.26], [0.66, 0.34], [0.72, 0.28]]
    step = standardize([0, 0, 0, 1], tight).regions[0].steps[0]
    assert step.concentration > 4
    assert step.certainty == 4
    loose = [[0.55, 0.45], [0.99, 0.01], [0.60, 0.40], [0.97, 0.03]]
    step = standardize([0, 0, 0, 1], loose).regions[0].steps[0]
    assert step.certainty == step.concentration < 4
    assert step.alpha_scaled == pytest.approx(step.certainty * 0.75)


def test_the_upper_tail_is_scaled_without_loss():
    """With alpha = 1 both Betas have the closed form F(x) = 1 - (1 - x)^b."""
    mean, p = 0.5, 0.25
    b, b_scaled = (1 - mean) / mean, (1 - p) / p
    one = np.ones(1)
    scaling = BetaScaling(
        n=one, trials=one, p=p * one, mean=mean * one, variance=one,
        concentration=one / mean, certainty=one / p, branch=np.array([BETA]),
    )  # fmt: skip
    gap = np.array([0.4, 1e-3, 1e-6, 1e-9, 1e-12])
    scaled = scaling.apply(1 - gap, np.zeros(5, dtype=int))
    np.testing.assert_allclose(1 - scaled, gap ** (b / b_scaled), rtol=1e-3)


@given(st.floats(0.2, 60), st.floats(0.2, 60), st.floats(-700, -1))
def test_the_quantile_is_found_in_the_farthest_tail(a, b, log_level):
    level = np.exp(log_level)
    x = _beta_quantile(np.array([a]), np.array([b]), np.array([level]))
    assert 0 <= x[0] <= 1
    if x[0] > 1e-8:  # below, it is 0 for all that matters here
        assert np.log(betainc(a, b, x[0])) == pytest.approx(log_level, rel=1e-6)


def test_a_value_far_outside_its_region_goes_to_the_edge():
    """Level 1e-133, for which SciPy's quantile function gives NaN."""
    memberships = [[0.7172, 0.2828], [0.70, 0.30], [0.69, 0.31], [0.91, 0.09]]
    partition = standardize([0, 1, 0, 0], memberships, sample_weight=[2, 3, 1, 0])
    assert partition.regions[0].steps[0].branch == "beta"
    np.testing.assert_allclose(partition.scaled[3], [1, 0], atol=1e-12)


def test_moments_of_one_value_have_no_variance():
    moments = beta_moments([0.4])
    assert moments.mean == 0.4
    assert np.isnan(moments.variance)


@pytest.mark.parametrize("values", [[], [0.5, 1.5], [[0.5]], [np.nan]])
def test_moments_are_of_numbers_between_zero_and_one(values):
    with pytest.raises(ValueError, match=r"numbers in \[0, 1\]"):
        beta_moments(values)
