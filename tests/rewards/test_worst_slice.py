"""The worst slice against a search over all windows, and the coverage of its interval."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from wager import metrics
from wager.rewards import worst_slice
from wager.rewards._worst_slice import _along, _search


def slow_search(features, hit, least, directions):
    """Every window of every direction, in order; the first of the worst ones."""
    best = (1.0, None, None, None)
    for v in directions:
        z = _along(features, v[None])[:, 0]
        order = np.argsort(z, kind="stable")
        z, covered = z[order], hit[order]
        for a in range(len(z)):
            for b in range(a + least - 1, len(z)):
                divides = (a and z[a - 1] == z[a]) or (b + 1 < len(z) and z[b + 1] == z[b])
                share = covered[a : b + 1].mean()
                if not divides and share < best[0] - 1e-12:
                    best = (share, v, z[a], z[b])
    return best


@st.composite
def searches(draw):
    n, seed = draw(st.integers(4, 25)), draw(st.integers(0, 2**20))
    rng = np.random.default_rng(seed)
    rounded = draw(st.booleans())
    features = rng.integers(0, 4, (n, 2)) * 1.0 if rounded else rng.normal(size=(n, 2))
    directions = np.eye(2) if rounded else rng.normal(size=(4, 2))
    hit = rng.random(n) < draw(st.sampled_from([0.3, 0.8, 1.0]))
    return features, hit, draw(st.floats(0.05, 0.95)), directions


@given(searches())
def test_the_search_finds_the_worst_window(found):
    features, hit, share, directions = found
    least = max(int(np.ceil(share * len(hit) - 1e-9)), 1)
    coverage, v, low, high = _search(features, hit, share, directions)
    expected = slow_search(features, hit, least, directions)
    assert coverage == pytest.approx(expected[0])
    if expected[1] is not None:
        np.testing.assert_allclose((*v, low, high), (*expected[1], expected[2], expected[3]))
    z = _along(features, v[None])[:, 0]
    inside = (z >= low) & (z <= high)
    assert hit[inside].mean() == pytest.approx(coverage)
    assert inside.sum() >= least


def test_a_slice_never_divides_equal_rows():
    # a product of matrices gives equal rows numbers that differ in the last bit
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n, n_features = int(rng.integers(20, 60)), int(rng.integers(4, 12))
        kinds = rng.normal(size=(6, n_features))
        kind = rng.integers(0, 6, n)
        X, miss = kinds[kind], rng.random(n) < 0.3
        found = worst_slice(
            np.zeros(n, dtype=int), miss.astype(int), X, n_directions=3, random_state=seed
        )
        inside = found.contains(X)
        assert all(len(set(inside[kind == k])) <= 1 for k in range(6))
        searched, kept = train_test_split(np.arange(n), test_size=0.75, random_state=seed)
        assert found.found == pytest.approx(1 - miss[searched][inside[searched]].mean())
        assert found.share == pytest.approx(inside[kept].mean())


def test_a_slice_that_is_covered_whole_has_the_ends_of_the_first_direction():
    features = np.array([[0.0, -9.0], [1.0, 0.0], [2.0, 9.0]])
    found = _search(features, np.ones(3, dtype=bool), 0.5, np.eye(2))
    assert (found[0], found[1].tolist(), *found[2:]) == (1.0, [1.0, 0.0], 0.0, 2.0)


def test_a_hole_in_the_coverage_is_found_and_measured():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 3))
    bad = np.abs(X[:, 0] - 1) < 0.4
    y_pred = (rng.random(4000) < np.where(bad, 0.5, 0.05)).astype(int)  # 1 is a miss
    found = worst_slice(np.zeros(4000, dtype=int), y_pred, X, n_directions=300)
    low, high = found.interval()
    truth = np.where(bad, 0.5, 0.95)[found.contains(X)].mean()
    assert low <= truth <= high < found.overall.interval()[0]
    assert found.found < found.coverage.value
    assert abs(found.direction[0]) > 0.9
    assert found.contains(X).mean() == pytest.approx(found.share, abs=0.02)
    value = metrics.worst_slice_coverage(np.zeros(4000, dtype=int), y_pred, X, n_directions=300)
    assert value == found.coverage.value


def test_the_interval_covers_although_the_slice_was_chosen():
    covered = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        X, miss = rng.normal(size=(300, 2)), rng.random(300) < 0.1
        found = worst_slice(
            np.zeros(300, dtype=int), miss.astype(int), X, n_directions=5, random_state=seed
        )
        low, high = found.interval()
        covered += low <= 0.9 <= high
    assert covered >= 200 * 0.95 - 3 * np.sqrt(200 * 0.95 * 0.05)


def test_clusters_stay_on_one_side_and_widen_the_interval():
    rng = np.random.default_rng(1)
    cluster = np.repeat(np.arange(100), 8)
    X = rng.normal(size=(100, 2))[cluster]
    miss = (rng.random(100) < 0.2)[cluster]
    truth = np.zeros(800, dtype=int)
    plain = worst_slice(truth, miss.astype(int), X, n_directions=20)
    clustered = worst_slice(truth, miss.astype(int), X, n_directions=20, groups=cluster)
    assert clustered.overall.n == pytest.approx(75)
    assert clustered.overall.standard_error > 2 * plain.overall.standard_error


def test_the_conditional_error_is_the_number_that_mapie_documents():
    # the example in the documentation of MAPIE's excess_risk_target_coverage
    found = metrics.conditional_coverage_error(
        np.zeros(12, dtype=int), np.tile([0, 1], 6), np.arange(12.0)[:, None], 0.5,
        estimator=DummyClassifier(strategy="prior"), cv=2, random_state=42,
    )  # fmt: skip
    assert found == pytest.approx(-1 / 6)


def test_the_conditional_error_is_near_the_truth_if_the_classifier_knows_it():
    rng = np.random.default_rng(0)
    group = rng.integers(2, size=4000)
    miss = rng.random(4000) < np.where(group, 0.02, 0.18)  # 0.08 from 0.1 on both sides
    found = metrics.conditional_coverage_error(
        np.zeros(4000, dtype=int), miss.astype(int), group[:, None], 0.1,
        estimator=DecisionTreeClassifier(max_depth=1), return_estimate=True,
    )  # fmt: skip
    low, high = found.interval()
    assert low < 0.08 < high
    assert high - low < 0.03


def test_no_error_is_found_where_there_is_none():
    p_values = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, miss = rng.normal(size=(200, 2)), rng.random(200) < 0.1
        found = metrics.conditional_coverage_error(
            np.zeros(200, dtype=int), miss.astype(int), X, 0.1, return_estimate=True,
            estimator=DecisionTreeClassifier(max_depth=2, random_state=0),
        )  # fmt: skip
        p_values.append(found.value > 0 and found.p_value() < 0.05)
    assert sum(p_values) <= 5


TRUTH, PRED = np.zeros(20, dtype=int), np.tile([0, 1], 10)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: worst_slice(TRUTH, PRED, np.zeros((3, 2))), "X has 3 rows but y_true has 20"),
        (lambda: worst_slice(TRUTH, PRED, np.full((20, 1), np.nan)), "missing or infinite value"),
        (lambda: worst_slice(TRUTH, PRED, np.zeros((20, 1)), share=0), "share must lie strictly"),
        (lambda: worst_slice(TRUTH, PRED, np.zeros((20, 1)), n_directions=0), "at least 1, got 0"),
        (lambda: worst_slice(TRUTH, PRED, np.zeros((20, 1)), n_directions=[[0.0]]), "not all 0"),
        (lambda: worst_slice(TRUTH, PRED, np.zeros((20, 1)), test_size=1), "cannot be divided"),
        (lambda: metrics.conditional_coverage_error(TRUTH, PRED, np.zeros((3, 1)), 0.1),
         "give the features of every row"),
        (lambda: metrics.conditional_coverage_error(TRUTH, PRED, np.zeros((20, 1)), 0.1, cv=1),
         "cv must be between 2"),
        (lambda: metrics.conditional_coverage_error(TRUTH, PRED, np.zeros((20, 1)), 1.5),
         r"must lie in \[0, 1\], got 1.5"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_coverage_is_learnt_in_five_parts_unless_another_number_is_given():
    rng = np.random.default_rng(0)
    y, X = rng.integers(0, 2, 120), rng.normal(size=(120, 2))
    given = (y, np.zeros(120, dtype=int), X, 0.5)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    usual, five, six = (
        metrics.conditional_coverage_error(*given, estimator=tree, **more)
        for more in ({}, {"cv": 5}, {"cv": 6})
    )
    assert usual == five != six
