"""Conditional coverage as MAPIE computes it, with covmetrics behind it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from tests.peers.installed import peer
from wager import metrics
from wager.rewards._worst_slice import _search

covmetrics = peer("covmetrics")
theirs = peer("mapie.metrics.conditional", "mapie")
slabs = peer("covmetrics.slab_metrics")
pytestmark = pytest.mark.filterwarnings("ignore")
SEEDS = range(10)


def example(seed, n=300, K=4):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, 3)), rng.integers(K, size=n)
    sets = rng.random((n, K)) < 0.3 + 0.4 * (X[:, :1] > 0)
    sets[np.arange(n), y] |= rng.random(n) < 0.6
    return rng, X, y, sets


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_gap_over_groups(seed, weighted):
    rng, _, y, sets = example(seed)
    by = rng.integers(5, size=len(y))
    found = theirs.coverage_gap(y, by, 0.85, y_sets=sets, weighted=weighted)
    ours = metrics.coverage_gap(y, sets, 0.15, by=by, weighted=weighted)
    assert ours == pytest.approx(found, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_search_for_the_worst_slab(seed):
    # MAPIE reports the coverage of the search itself, without other rows to estimate it
    _, X, y, sets = example(seed)
    hit = sets[np.arange(len(y)), y]
    covmetrics.utils.seed_everything(seed)
    directions = slabs.sample_sphere_numpy(40, 3)
    each, _, _ = slabs.wsc_all_numpy(X, hit.astype(float), 0.15, directions)
    found, *_ = _search(X, hit, 0.15, directions)
    assert found == pytest.approx(each.min(), abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_excess_risk_of_the_target_coverage(seed):
    _, X, y, sets = example(seed)
    options = {"max_depth": 2, "random_state": 0}
    found = theirs.excess_risk_target_coverage(
        X, y, 0.83, y_sets=sets, model_cls=DecisionTreeClassifier, model_kwargs=options,
        random_state=seed,
    )  # fmt: skip
    ours = metrics.conditional_coverage_error(
        y, sets, X, 0.17, estimator=DecisionTreeClassifier(**options), random_state=seed
    )
    assert ours == pytest.approx(found, abs=1e-9)
