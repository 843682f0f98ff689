"""Paired comparison of confidence scores and of models that may abstain."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import binom

from tests.fewer import fewer
from tests.replications import replications
from wager import evaluate_selective
from wager.compare import compare_selective


def drawn(rng, n, noise):
    """Errors whose probability falls with z, and z with noise as a confidence, several times."""
    z = rng.random(n)
    wrong = rng.random(n) < 0.6 * (1 - z) ** 2
    return wrong.astype(int), [z + rng.normal(0, s, n) for s in noise]


def compared(rng, n, noise):
    wrong, scores = drawn(rng, n, noise)
    return compare_selective(*(evaluate_selective(np.zeros(n), wrong, s) for s in scores))


def test_the_difference_is_that_of_the_measures():
    found = compared(np.random.default_rng(0), 300, (0.1, 0.5))
    for name, gap in found.differences.items():
        assert gap.value == pytest.approx(found.a[name] - found.b[name])
    at = found.a.risk_at_coverage(0.6).value - found.b.risk_at_coverage(0.6).value
    assert found.at_coverage(0.6).value == pytest.approx(at)
    assert found.to_dict()["augrc"]["p"] == found.p("augrc")


def test_the_standard_error_is_that_of_a_paired_bootstrap():
    rng = np.random.default_rng(1)
    n = 400
    wrong, scores = drawn(rng, n, (0.1, 0.4))
    y = np.zeros(n)
    found = compare_selective(*(evaluate_selective(y, wrong, s) for s in scores))
    gaps = {name: [] for name in ("aurc", "e_aurc", "augrc")}
    for counts in rng.multinomial(n, np.full(n, 1 / n), size=300):
        a, b = (evaluate_selective(y, wrong, s, counts=counts) for s in scores)
        for name, values in gaps.items():
            values.append(a[name] - b[name])
    for name, values in gaps.items():
        assert np.std(values) == pytest.approx(found.differences[name].standard_error, rel=0.15)


def test_two_equally_good_scores_are_seldom_found_different():
    rng = np.random.default_rng(2)
    runs = replications(500)
    found = [compared(rng, 150, (0.3, 0.3)) for _ in range(runs)]
    for name in ("aurc", "e_aurc", "augrc"):
        # more rejections at the 5% level have a probability below 0.003
        assert sum(c.p(name) < 0.05 for c in found) <= binom.ppf(0.997, runs, 0.05)


def test_a_better_score_is_found_better():
    rng = np.random.default_rng(3)
    found = compared(rng, 800, (0.05, 1.0))
    assert found.verdict().startswith("A has a lower AUGRC than B (p ")
    assert found.verdict("e_aurc").startswith("A has a lower excess AURC than B")
    turned = compare_selective(found.b, found.a, names=("noisy", "sharp"))
    assert turned.verdict().startswith("sharp has a lower AUGRC than noisy")
    assert turned.p() == pytest.approx(found.p())
    same = compare_selective(found.a, found.a)
    assert same.verdict() == "no significant difference in AUGRC between A and B (p = 1.0000)"


@given(st.integers(0, 1000))
@fewer(12)
def test_row_order_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 30))
    wrong, scores = rng.integers(0, 2, n), rng.integers(0, 5, (2, n))
    units = {
        "sample_weight": rng.integers(0, 3, n) + (np.arange(n) == 0),
        "groups": rng.integers(0, 4, n),
    }
    order = rng.permutation(n)
    one = compare_selective(*(evaluate_selective(np.zeros(n), wrong, s, **units) for s in scores))
    moved = {name: values[order] for name, values in units.items()}
    other = compare_selective(
        *(evaluate_selective(np.zeros(n), wrong[order], s[order], **moved) for s in scores)
    )
    for name, gap in one.differences.items():
        theirs = other.differences[name]
        assert gap.value == pytest.approx(theirs.value, abs=1e-12)
        assert gap.standard_error == pytest.approx(theirs.standard_error, nan_ok=True, abs=1e-9)


@pytest.mark.parametrize("kind", ["sample_weight", "loss", "both with clusters"])
def test_the_same_predictions_have_the_same_risk_but_for_rounding(kind):
    rng = np.random.default_rng(5)
    for _ in range(20):
        n = 100
        wrong = (rng.random(n) < 0.3).astype(int)
        options = {"sample_weight": rng.random(n) + 0.01, "loss": 1000 * rng.random(n)}
        if kind in options:
            options = {kind: options[kind]}
        else:
            options["groups"] = rng.integers(0, 30, n)
        found = compare_selective(
            *(evaluate_selective(np.zeros(n), wrong, rng.random(n), **options) for _ in "ab")
        )
        for gap in (found.differences["risk"], found.at_coverage(1.0)):
            assert gap.value == gap.standard_error == 0
            assert gap.p_value() == 1


def test_two_models_with_different_predictions():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 3, 500)
    models = [np.where(rng.random(500) < p, y, (y + 1) % 3) for p in (0.9, 0.6)]
    a, b = (evaluate_selective(y, m, rng.random(500)) for m in models)
    assert compare_selective(a, b).verdict("risk").startswith("A has a lower risk than B")


def test_wrong_pairs_are_named():
    a = evaluate_selective([0, 1, 1], [0, 1, 0], [1, 2, 3])
    words = "must be of the same rows"
    with pytest.raises(ValueError, match=words):
        compare_selective(a, evaluate_selective([0, 1], [0, 1], [1, 2]))
    with pytest.raises(ValueError, match=words):
        compare_selective(a, evaluate_selective([0, 1, 1], [0, 1, 0], [1, 2, 3], counts=[1, 2, 1]))
    with pytest.raises(ValueError, match=r"the losses differ \(0/1 error and 1 - u65\)"):
        compare_selective(a, evaluate_selective([0, 1, 1], [0, 1, 0], [1, 2, 3], utility="u65"))
    with pytest.raises(TypeError, match="takes two results of evaluate_selective, got list"):
        compare_selective(a, [1, 2])
    with pytest.raises(ValueError, match="unknown measure 'auc': choose from risk, aurc"):
        compare_selective(a, a).p("auc")


def test_rankings_without_excess_are_equal_whatever_the_weights():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        y, weights = rng.integers(0, 2, 30), rng.random(30)
        predicted = np.where(rng.random(30) < 0.7, y, 1 - y)
        perfect = [2 * (y == predicted) + rng.random(30) for _ in range(2)]
        both = [evaluate_selective(y, predicted, c, sample_weight=weights) for c in perfect]
        assert [one["e_aurc"] for one in both] == [0, 0]
        assert compare_selective(*both).p("e_aurc") == 1
