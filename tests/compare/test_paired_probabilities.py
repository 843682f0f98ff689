"""Paired tests of two probability classifiers."""

import json

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import ttest_rel

from tests.fewer import fewer
from tests.replications import replications
from wager.compare import PairedProbabilities, paired_probabilities
from wager.predictions import TopKProbabilities
from wager.rewards import evaluate_probabilities, probability_rewards

NAMES = [reward.name for reward in probability_rewards()]
SCORES = ["log_loss", "brier", "information_reward", "information_reward_2002", "good_reward",
          "kononenko_bratko"]  # fmt: skip


def sample(n_rows, seed=0, noise=0.5):
    rng = np.random.default_rng(seed)
    q = rng.dirichlet(np.ones(3), n_rows)
    truth = (q.cumsum(axis=1) < rng.random((n_rows, 1))).sum(axis=1).clip(max=2)
    return truth, _noisy(q, noise, rng), _noisy(q, noise, rng), rng


def _noisy(q, noise, rng):
    p = q * np.exp(noise * rng.standard_normal(q.shape))
    return p / p.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("name", NAMES)
def test_the_difference_is_that_of_the_means(name):
    truth, a, b, _ = sample(80)
    found = PairedProbabilities.of(truth, a, b).difference(name)
    means = [evaluate_probabilities(truth, p).estimates[name].value for p in (a, b)]
    assert found.value == pytest.approx(means[0] - means[1])
    back = PairedProbabilities.of(truth, b, a).difference(name)
    assert (back.value, back.p) == pytest.approx((-found.value, found.p))
    assert found.interval() == pytest.approx([-end for end in back.interval()[::-1]])


def test_symmetric_differences_are_tested_as_by_student():
    truth, a, b, _ = sample(60)
    both = [np.concatenate([a, b]), np.concatenate([b, a])]  # every difference with both signs
    y = np.concatenate([truth, truth])
    weights = np.concatenate([np.full(60, 2.0), np.full(60, 1.0)])
    rows = [((p - np.eye(3)[truth]) ** 2).sum(axis=1) for p in (a, b)]
    plain = PairedProbabilities.of(truth, a, b).difference("brier")
    assert plain.standard_error == pytest.approx(np.std(rows[0] - rows[1], ddof=1) / np.sqrt(60))
    assert plain.p >= ttest_rel(*rows).pvalue - 1e-12  # never surer than Student's test
    assert PairedProbabilities.of(y, *both).difference("brier").p == pytest.approx(1.0)
    assert PairedProbabilities.of(y, *both, sample_weight=weights).difference("brier").n < 120


@given(st.integers(3, 40), st.integers(0, 20), st.integers(1, 39))
@fewer(8)
def test_differences_of_parts_add_up_and_survive_json(n_rows, seed, cut):
    truth, a, b, rng = sample(n_rows, seed)
    cut, groups = 1 + cut % (n_rows - 1), np.arange(n_rows)
    groups[1:] = rng.integers(1, n_rows, n_rows - 1)
    groups = np.where(np.arange(n_rows) < cut, groups, groups + n_rows)  # no cluster is divided
    options = {"classes": [0, 1, 2], "clip": 1e-6}
    for units in ({}, {"counts": rng.integers(1, 3, n_rows)}, {"groups": groups}):
        parts = [
            PairedProbabilities.of(
                truth[s], a[s], b[s], **{k: v[s] for k, v in units.items()}, **options
            )
            for s in (slice(0, cut), slice(cut, None))
        ]
        whole = PairedProbabilities.of(truth, a, b, **units, **options)
        total = sum(PairedProbabilities.from_json(part.to_json()) for part in parts)
        assert PairedProbabilities.from_json(whole.to_json()) == whole
        assert total.n_rows == whole.n_rows
        for name in NAMES:
            one, other = total.difference(name), whole.difference(name)
            assert one.value == pytest.approx(other.value, abs=1e-12)
            assert one.standard_error == pytest.approx(other.standard_error, nan_ok=True)
            assert one.p == pytest.approx(other.p, rel=1e-6, abs=1e-9, nan_ok=True)


def test_a_part_that_is_subtracted_leaves_the_other():
    truth, a, b, _ = sample(50)
    options = {"classes": [0, 1, 2], "clip": 1e-6}
    first, second, whole = (
        PairedProbabilities.of(truth[rows], a[rows], b[rows], **options)
        for rows in (slice(20), slice(20, None), slice(None))
    )
    left = whole - first
    assert left.n_rows == 30
    for name in NAMES:
        found, expected = left.difference(name), second.difference(name)
        assert found.value == pytest.approx(expected.value)
        assert found.standard_error == pytest.approx(expected.standard_error)
    few = PairedProbabilities(
        first.classes, first.prior, first.base, first.clip, {"brier": first.sums["brier"]}
    )
    assert list((whole - few).sums) == ["brier"]  # the scores that both have


@pytest.mark.parametrize("score", [*SCORES, "accuracy", "ir"])
def test_the_verdict_agrees_with_the_interval(score):
    for seed in range(8):
        truth, a, b, _ = sample(60, seed, noise=1.0)
        b = (b + 0.15) / (b + 0.15).sum(axis=1, keepdims=True)
        found = paired_probabilities(truth, a, b, score, names=("nb", "tan"))
        low, high = found.interval
        assert (found.p < 0.05) == (not low <= 0 <= high)
        assert found.verdict.startswith("no significant") == (found.p >= 0.05)
        assert found.statistic == pytest.approx(found.effect / found.details["standard_error"])
        json.dumps(found.to_dict())


def test_the_better_one_is_named():
    truth, a, _, _ = sample(300, noise=0.1)
    b = np.full((300, 3), 1 / 3)
    for score in set(SCORES) - {"good_reward"}:  # which ignores the prior
        found = paired_probabilities(truth, a, b, score, names=("tree", "prior"))
        word = "lower" if score in ("log_loss", "brier") else "higher"
        assert f"tree has the {word} " in found.verdict
        assert "paired test of" in found.test
    back = paired_probabilities(truth, b, a, names=("prior", "tree"))
    assert "tree has the lower log loss" in back.verdict
    assert "over clusters" in paired_probabilities(truth, a, b, groups=np.arange(300) // 3).test


def test_rows_with_infinite_scores_are_named_and_clip_is_advised():
    truth, a, b, _ = sample(20)
    for row in (3, 5, 8, 13):
        a[row] = np.where(np.arange(3) == truth[row], 0, 0.5)
    b[7] = np.where(np.arange(3) == truth[7], 0, 0.5)
    found = paired_probabilities(truth, a, b)
    assert found.verdict == (
        "the log loss of A is infinite in rows 3, 5, 8 and 1 more and that of B is infinite in "
        "row 7, so that no difference is defined: pass clip=1e-6"
    )
    assert np.isnan([found.p, found.effect, *found.interval]).all()
    assert found.details["infinite_rows"] == 5
    assert np.isfinite(paired_probabilities(truth, a, b, clip=1e-6).p)
    assert np.isfinite(paired_probabilities(truth, a, b, "brier").p)
    assert PairedProbabilities.of(truth, a, b).infinite_rows("log_loss") == 5


def test_few_equal_rows_prove_nothing():
    certain, even = [[0.9, 0.1]] * 2, [[0.5, 0.5]] * 2
    for score in SCORES:
        found = paired_probabilities([0, 0], certain, even, score)
        assert found.p > 0.1
        assert found.verdict.startswith("no significant difference")
    same = paired_probabilities([0, 1], even, even)
    assert (same.p, same.effect) == (1.0, 0.0)
    low, high = paired_probabilities([0] * 20, certain * 10, even * 10, "brier").interval
    assert -2 <= low < -0.48 < high <= 2
    assert "too few" in paired_probabilities([0], [[0.9, 0.1]], [[0.5, 0.5]]).verdict


def test_columns_are_found_by_their_names():
    pd = pytest.importorskip("pandas")
    truth, a, b, _ = sample(30)
    labels = np.array(["x", "y", "z"])
    first, second = (pd.DataFrame(p, columns=labels) for p in (a, b))
    found = PairedProbabilities.of(labels[truth], first, second[["z", "x", "y"]])
    plain = PairedProbabilities.of(labels[truth], a, b, classes=labels)
    assert found.difference("brier").value == pytest.approx(plain.difference("brier").value)


def test_messages():
    truth, a, b, _ = sample(10)
    with pytest.raises(ValueError, match="there is no score 'auc' of probabilities: use one of"):
        paired_probabilities(truth, a, b, "auc")
    with pytest.raises(ValueError, match="alpha must lie between 0 and 1"):
        paired_probabilities(truth, a, b, alpha=5)
    with pytest.raises(ValueError, match="proba_b"):
        PairedProbabilities.of(truth, a, 2 * b)
    with pytest.raises(ValueError, match="different classes, prior, base or clip"):
        _ = PairedProbabilities.of(truth, a, b) + PairedProbabilities.of(truth, a, b, base=3)
    with pytest.raises(ValueError, match="not a PairedProbabilities"):
        PairedProbabilities.from_json("{}")
    nothing = {**PairedProbabilities.of(truth, a, b).to_dict(), "differences": {}}
    with pytest.raises(ValueError, match="it has no differences"):
        PairedProbabilities.from_dict(nothing)


# Type I error: bound chosen before the simulation was run ---------------------------------------


@pytest.mark.parametrize("noise", [0.5, 4.0])  # the second one has long tails
def test_equally_good_forecasters_are_rarely_told_apart(noise):
    n = replications(300)
    limit = 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / n)
    rejected = dict.fromkeys(SCORES, 0)
    for seed in range(n):
        truth, a, b, _ = sample(50, seed, noise)
        pair = PairedProbabilities.of(truth, a, b, classes=[0, 1, 2], clip=1e-12)
        for name in SCORES:
            rejected[name] += pair.difference(name).p < 0.05
    assert max(rejected.values()) / n <= limit, rejected


def test_labels_of_both_classifiers_are_classes():
    """c is listed only by the second one, d is only true."""
    a = TopKProbabilities([["a"], ["b"]], [[0.7], [0.6]])
    b = TopKProbabilities([["c"], ["a"]], [[0.7], [0.6]])
    pair = PairedProbabilities.of(["d", "a"], a, b)
    # of four classes, those not listed share 0.3 and 0.4: the true ones get 0.1, 0.4/3; 0.1, 0.6
    expected = np.mean([np.log(0.1) - np.log(0.1), np.log(0.6) - np.log(0.4 / 3)])
    assert pair.difference("log_loss").value == pytest.approx(expected)


def test_a_test_says_whether_rows_or_clusters_are_independent():
    truth, a, b, _ = sample(20)
    assert paired_probabilities(truth, a, b).test.endswith(", over rows")
    clustered = paired_probabilities(truth, a, b, groups=np.arange(20) // 2)
    assert clustered.test.endswith(", over clusters")


def test_a_difference_of_infinite_scores_is_anything_within_reach():
    found = PairedProbabilities.of([0, 1], [[0, 1], [0.5, 0.5]], [[0.5, 0.5]] * 2)
    undefined = found.difference("log_loss")
    assert np.isnan(undefined.value)
    assert undefined.lowest == -undefined.largest == -np.inf


def test_clipped_scores_differ_by_at_most_one_logarithm():
    truth, a, b, _ = sample(20)
    pair = PairedProbabilities.of(truth, a, b, clip=0.01)
    assert pair.difference("log_loss").largest == pytest.approx(np.log(99))
    assert pair.difference("information_reward").largest == pytest.approx(np.log2(99))
