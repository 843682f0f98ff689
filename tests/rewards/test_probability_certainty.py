"""Means of probabilities: weights, counts, clusters, intervals, and tallies as plain data."""

import json

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import norm, t as student

from tests.fewer import fewer
from tests.replications import replications
from wager.rewards import (
    MeanEstimate,
    ProbabilityEvaluation,
    ProbabilityTally,
    evaluate_probabilities,
    probability_rewards,
)

LABELS = np.array(["a", "b", "c"])
PRIOR = np.array([0.2, 0.3, 0.5])
NAMES = [reward.name for reward in probability_rewards()]


def sample(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.ones(3), n_rows)
    lots = rng.random((n_rows, 1))
    return (proba.cumsum(axis=1) < lots).sum(axis=1).clip(max=2), proba, rng


def alike(one, other):
    assert one.keys() == other.keys()
    for name in other:
        assert json.dumps(one[name]) == json.dumps(other[name]) or np.allclose(
            _numbers(one[name]), _numbers(other[name]), rtol=1e-9, atol=1e-11, equal_nan=True
        ), name


def _numbers(value):
    if isinstance(value, dict):
        return [number for part in value.values() for number in _numbers(part)]
    if isinstance(value, list):
        return [number for part in value for number in _numbers(part)]
    return [np.nan if value is None else value]


# Units -----------------------------------------------------------------------------------------


@given(st.integers(2, 40), st.integers(0, 20))
@fewer(12)
def test_a_count_is_so_many_rows(n_rows, seed):
    truth, proba, rng = sample(n_rows, seed)
    counts, weights = rng.integers(0, 4, n_rows), rng.random(n_rows) + 0.1
    counts[0] = 2
    again = np.repeat(np.arange(n_rows), counts)
    for weight in (None, weights):
        counted = evaluate_probabilities(
            truth, proba, counts=counts, sample_weight=weight, classes=[0, 1, 2]
        )
        repeated = evaluate_probabilities(
            truth[again],
            proba[again],
            sample_weight=None if weight is None else weight[again],
            classes=[0, 1, 2],
        )
        alike(counted.to_dict(), repeated.to_dict())


def test_weights_that_are_whole_numbers_are_no_counts():
    truth, proba, _ = sample(60)
    errors = [
        evaluate_probabilities(truth, proba, sample_weight=[weight] * 60)
        .estimates["brier"]
        .standard_error
        for weight in (1, 2.5, 10)
    ]
    assert errors == pytest.approx([errors[0]] * 3)


def test_the_error_of_clusters_is_that_of_their_totals():
    truth, proba, rng = sample(90)
    groups, weights = rng.integers(0, 12, 90), rng.random(90)
    found = evaluate_probabilities(truth, proba, sample_weight=weights, groups=groups)
    rows = ((proba - np.eye(3)[truth]) ** 2).sum(axis=1)
    for rows_of, estimate in [
        (np.ones(90, dtype=bool), found.estimates["brier"]),
        *((truth == c, found.estimates_by_class["brier"][c]) for c in range(3)),
    ]:
        mean = np.average(rows[rows_of], weights=weights[rows_of])
        gap = weights * (rows - mean) * rows_of
        totals = np.array([gap[groups == g].sum() for g in range(12)])
        w = np.array([(weights * rows_of)[groups == g].sum() for g in range(12)])
        g = (w > 0).sum()
        expected = np.sqrt(g / (g - 1) * (totals**2).sum()) / w.sum()
        assert estimate.value == pytest.approx(mean)
        assert estimate.standard_error == pytest.approx(expected)
        assert estimate.n == pytest.approx(w.sum() ** 2 / (w**2).sum())
        third = (totals**3).sum() / (totals**2).sum() ** 1.5
        assert estimate.skewness == pytest.approx(third)


def test_clusters_of_one_row_are_rows():
    truth, proba, rng = sample(50)
    weights = rng.random(50)
    one = evaluate_probabilities(truth, proba, sample_weight=weights).to_dict()
    other = evaluate_probabilities(
        truth, proba, sample_weight=weights, groups=rng.permutation(50)
    ).to_dict()
    alike(other, one)


@given(st.integers(4, 40), st.integers(0, 20), st.booleans())
def test_tallies_of_whole_clusters_add_up(n_rows, seed, weighted):
    truth, proba, rng = sample(n_rows, seed)
    groups = np.sort(rng.integers(0, 6, n_rows))
    weights = rng.random(n_rows) + 0.1 if weighted else np.ones(n_rows)
    cut = groups == groups[0]
    if cut.all():
        return
    parts = [
        ProbabilityTally.of(
            truth[rows],
            proba[rows],
            PRIOR,
            sample_weight=weights[rows],
            groups=groups[rows],
            classes=[0, 1, 2],
        )
        for rows in (cut, ~cut)
    ]
    whole = evaluate_probabilities(
        truth, proba, PRIOR, sample_weight=weights, groups=groups, classes=[0, 1, 2]
    )
    alike(ProbabilityEvaluation(sum(parts)).to_dict(), whole.to_dict())


@given(st.integers(4, 40), st.integers(0, 20), st.integers(1, 39))
@fewer(12)
def test_kept_clusters_may_be_divided(n_rows, seed, cut):
    truth, proba, rng = sample(n_rows, seed)
    groups, cut = rng.integers(0, 4, n_rows), 1 + cut % (n_rows - 1)
    parts = [
        ProbabilityTally.of(
            truth[rows], proba[rows], groups=groups[rows], keep_clusters=True, classes=[0, 1, 2]
        )
        for rows in (slice(0, cut), slice(cut, None))
    ]
    total = ProbabilityTally.from_json(parts[0].to_json()) + parts[1]
    whole = evaluate_probabilities(truth, proba, groups=groups, classes=[0, 1, 2])
    alike(ProbabilityEvaluation(total).to_dict(), whole.to_dict())
    assert ProbabilityEvaluation(total).calibration_test("classes").p == pytest.approx(
        whole.calibration_test("classes").p, abs=0.002
    )


def test_messages_about_clusters():
    truth, proba, _ = sample(10)
    with pytest.raises(ValueError, match="pass groups="):
        ProbabilityTally.of(truth, proba, keep_clusters=True)
    kept = ProbabilityTally.of(truth, proba, groups=truth, keep_clusters=True)
    with pytest.raises(ValueError, match="use groups= and keep_clusters=True for both parts"):
        _ = kept + ProbabilityTally.of(truth, proba, groups=truth)
    with pytest.raises(ValueError, match="counts must be whole numbers"):
        evaluate_probabilities(truth, proba, counts=[0.5] * 10)


# Plain data ------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("options", [{}, {"groups": True}, {"groups": True, "keep_clusters": True}])
def test_a_tally_survives_json_and_equals_itself(weighted, options):
    truth, proba, rng = sample(40)
    proba[0] = [0, 0.5, 0.5]
    options = dict(options)
    if options.pop("groups", False):
        options["groups"] = rng.integers(0, 5, 40)
    if weighted:
        options["sample_weight"] = rng.random(40)
    tally = ProbabilityTally.of(LABELS[truth], proba, PRIOR, classes=LABELS, clip=1e-6, **options)
    again = ProbabilityTally.from_json(tally.to_json())
    assert again == tally
    assert ProbabilityEvaluation(again).to_dict() == ProbabilityEvaluation(tally).to_dict()
    assert tally == ProbabilityTally.of(
        LABELS[truth], proba, PRIOR, classes=LABELS, clip=1e-6, **options
    )
    assert tally != ProbabilityTally.of(LABELS[truth], proba, PRIOR, classes=LABELS, clip=1e-5)
    assert tally != 0


@pytest.mark.parametrize("weighted", [False, True])
def test_a_tally_of_version_0_1_0_can_be_read(weighted):
    truth, proba, rng = sample(40)
    weights = rng.random(40) if weighted else None
    tally = ProbabilityTally.of(truth, proba, sample_weight=weights)
    data = tally.to_dict()
    data["sums"] = {name: [*part[:2], part[2][:5]] for name, part in data["sums"].items()}
    for name in ("by_class", "top_label"):
        data[name] = np.array(data[name])[..., :5].tolist()
    old = ProbabilityEvaluation(ProbabilityTally.from_dict(data))
    new = ProbabilityEvaluation(tally)
    assert old.brier == new.brier
    assert old.estimates["brier"].standard_error == new.estimates["brier"].standard_error
    assert np.isfinite(old.estimates["brier"].interval()).all()
    debiased = old.to_dict()["top_label_calibration_error_debiased"]
    assert (
        np.isnan(debiased)
        if weighted
        else debiased == pytest.approx(new.to_dict()["top_label_calibration_error_debiased"])
    )
    assert np.isnan(old.calibration_test().p) == weighted
    assert "-" in repr(old)


def test_something_else_is_not_a_tally():
    with pytest.raises(ValueError, match="not a ProbabilityTally: 'classes' is missing"):
        ProbabilityTally.from_json('{"n": 1}')


# Intervals -------------------------------------------------------------------------------------


def test_every_mean_has_an_interval_in_its_range():
    truth, proba, _ = sample(12)
    found = evaluate_probabilities(LABELS[truth], proba, PRIOR, classes=LABELS)
    plain, frame = found.to_dict(), found.to_frame()
    for name in NAMES:
        estimate = found.estimates[name]
        low, high = estimate.interval()
        assert estimate.lowest <= low < estimate.value < high <= estimate.largest
        assert plain[name]["interval"] == [low, high] == frame.loc[name, ["low", "high"]].tolist()
        for label, one in found.estimates_by_class[name].items():
            assert plain[name]["interval_by_class"][label] == list(one.interval())
            assert frame.loc[name, f"low of {label}"] == one.interval()[0]
    low, high = found.estimates["brier"].interval()
    assert f"{low:.4f} to {high:.4f}" in repr(found)
    assert found.to_dict(level=0.5)["brier"]["interval"][0] > low


def test_the_interval_is_students_if_nothing_else_is_known():
    estimate = MeanEstimate(1.5, 0.25, n=20)
    low, high = estimate.interval(0.9)
    reach = student.ppf(0.95, 19) * 0.25
    assert (low, high) == pytest.approx((1.5 - reach, 1.5 + reach))
    assert estimate.p_value(1.0) == pytest.approx(2 * student.sf(2, 19))


def test_accuracy_has_wilsons_interval():
    truth, proba, _ = sample(40)
    found = evaluate_probabilities(truth, proba).estimates["accuracy"]
    p, z, n = found.value, norm.ppf(0.975), 40
    centre, reach = p + z**2 / (2 * n), z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n * n))
    expected = ((centre - reach) / (1 + z**2 / n), (centre + reach) / (1 + z**2 / n))
    assert found.interval() == pytest.approx(expected)


def test_rows_that_agree_do_not_make_the_interval_vanish():
    found = evaluate_probabilities([0] * 30, [[0.9, 0.1]] * 30).estimates
    low, high = found["brier"].interval()
    assert found["brier"].standard_error == 0
    assert low < 0.02 < 0.1 < high < 0.2
    assert found["accuracy"].interval()[0] == pytest.approx(30 / (30 + norm.ppf(0.975) ** 2))
    assert np.isnan(found["log_loss"].interval()).all()  # its range is not known


def test_an_infinite_mean_has_no_interval():
    found = evaluate_probabilities([0, 1, 1], [[1.0, 0.0], [1.0, 0.0], [0.4, 0.6]])
    assert np.isnan(found.estimates["log_loss"].interval()).all()
    assert np.isnan(found.estimates["log_loss"].p_value(0.0))
    assert np.isfinite(found.estimates["brier"].interval()).all()
    assert np.isnan(found.to_dict()["log_loss"]["interval"]).all()


def test_a_confidence_level_is_between_0_and_1():
    with pytest.raises(ValueError, match="strictly between 0 and 1, got 95"):
        MeanEstimate(0.5, 0.1, 10).interval(95)


@given(
    st.floats(0.01, 1.99),
    st.one_of(st.just(0.0), st.floats(1e-4, 0.5)),
    st.integers(2, 200),
    st.floats(-2, 2),
    st.sampled_from([0.5, 0.9, 0.99]),
    st.booleans(),
)
def test_the_p_value_of_an_end_is_that_of_the_level(value, error, n, skewness, level, extremes):
    estimate = MeanEstimate(value, error, n, 0.0, 2.0, skewness=skewness, extremes=extremes)
    low, high = estimate.interval(level)
    assert 0 <= low < value < high <= 2
    for end in (low, high):
        if 0 < end < 2:
            assert estimate.p_value(end) == pytest.approx(1 - level, abs=1e-6)
    assert estimate.interval(0.995)[0] <= low
    scaled = MeanEstimate(
        3 * value, 3 * error, n, 0.0, 6.0, skewness=skewness, extremes=extremes
    ).interval(level)
    assert scaled == pytest.approx((3 * low, 3 * high))


@given(st.floats(0.01, 1.99), st.floats(0.0, 0.5), st.integers(2, 100))
def test_the_ends_are_the_farthest_means_that_a_share_of_unseen_rows_can_reach(value, error, n):
    critical = student.ppf(0.975, n - 1)
    angle = np.linspace(0, np.pi / 2, 20_001)
    share = -np.expm1(-((critical * np.sin(angle)) ** 2) / (2 * n))
    reached = (1 - share) * (value + critical * np.cos(angle) * error) + share * 2
    high = MeanEstimate(value, error, n, 0.0, 2.0).interval()[1]
    assert high == pytest.approx(min(reached.max(), 2.0), abs=1e-6)


# Coverage: bounds chosen before the simulation was run ------------------------------------------


@pytest.mark.parametrize("kind", ["rows", "weights", "clusters"])
def test_intervals_cover_the_expected_score(kind):
    rng = np.random.default_rng(7)
    sizes = {"rows": 30, "weights": 60, "clusters": 100}
    n, runs = sizes[kind], replications(500)
    hits = dict.fromkeys(("brier", "log_loss", "accuracy", "information_reward"), 0)
    for _ in range(runs):
        q = rng.dirichlet(np.ones(3), n)
        lots = rng.random(n)
        groups = weights = None
        if kind == "clusters":
            groups = np.arange(n) // 5
            q, lots = q[groups * 5], lots[groups * 5]
        if kind == "weights":
            weights = rng.choice([1.0, 19.0], n)
        truth = (q.cumsum(axis=1) < lots[:, None]).sum(axis=1).clip(max=2)
        found = evaluate_probabilities(
            truth, q, classes=[0, 1, 2], sample_weight=weights, groups=groups
        )
        for name in hits:
            low, high = found.estimates[name].interval()
            hits[name] += low <= EXPECTED[name] <= high
    least = 0.95 - 3.6 * np.sqrt(0.95 * 0.05 / runs)
    assert all(count / runs >= least for count in hits.values()), hits


def _expected():
    """The expected scores of honest Dirichlet(1, 1, 1) reports, from 200,000 of them."""
    q = np.random.default_rng(1).dirichlet(np.ones(3), 200_000)
    found = {"accuracy": q.max(axis=1).mean(), "brier": (1 - (q**2).sum(axis=1)).mean()}
    found["log_loss"] = -(q * np.log(q)).sum(axis=1).mean()
    others = np.log1p(-q)
    bits = (q * (np.log(q) + others.sum(axis=1, keepdims=True) - others)).sum(axis=1).mean()
    bound = (np.log(3) - 2 * np.log(2 / 3)) / 3
    found["information_reward"] = (bound + bits / 3) / np.log(2)
    return found


EXPECTED = _expected()


def test_one_cluster_leaves_the_whole_range():
    proba = [[0.7, 0.3], [0.6, 0.4], [0.2, 0.8], [0.9, 0.1]]
    found = evaluate_probabilities([0, 0, 1, 1], proba, groups=["x"] * 4).estimates
    assert found["accuracy"].interval() == (0, 1)
    assert found["brier"].interval() == (0, 2)
    assert np.isnan(found["log_loss"].interval()).all()
    alone = evaluate_probabilities([0], [[0.7, 0.3]]).estimates["accuracy"].interval()
    assert 0 < alone[0] < alone[1] == 1  # one independent row says something


def test_a_loss_of_0_is_not_minus_0():
    found = evaluate_probabilities([0, 0], [[1.0, 0.0]] * 2, classes=[0, 1])
    for name in ("brier", "log_loss"):
        assert str(found.estimates[name].value) == "0.0"


def test_the_end_of_a_range_at_0_is_not_minus_0():
    low, high = MeanEstimate(0.5, 0.4, n=2, lowest=-0.0, largest=1.0).interval()
    assert (str(low), high) == ("0.0", 1.0)
