"""Merging of classes of networks: divergences by enumeration, gains by the formula, its effect."""

from itertools import product
from math import log

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

from wager.learners import CausalMML
from wager.learners.networks.causal import _merge
from wager.learners.networks.causal._merge import divergences, groups_to_merge
from wager.learners.networks.causal._network import Network

STRUCTURES = [
    [(), (), ()],
    [(), (0,), ()],
    [(), (0,), (1,)],
    [(2,), (0,), ()],
    [(), (0,), (0, 1)],
]


def some_networks(seed, n=60):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 4, 3)
    codes = rng.integers(0, sizes, (n, 3))
    codes[:, 1] = np.where(rng.random(n) < 0.7, codes[:, 0] % sizes[1], codes[:, 1])
    return codes, sizes, [Network.of(codes, sizes, parents) for parents in STRUCTURES]


def probability(network, row):
    """The product of the conditional probabilities of one row."""
    return np.prod(
        [network.tables[x][tuple(row[k] for k in network.family(x))] for x in range(len(row))]
    )


@pytest.mark.parametrize("seed", range(5))
def test_divergences_are_sums_over_all_combinations(seed):
    codes, sizes, networks = some_networks(seed)
    found = divergences(networks, len(codes), None)
    for j, p in enumerate(networks):
        for i, q in enumerate(networks):
            rows = list(product(*map(range, sizes)))
            of_p, of_q = ([probability(net, row) for row in rows] for net in (p, q))
            assert sum(of_p) == pytest.approx(1)
            expected = sum(a * log(a / b) for a, b in zip(of_p, of_q, strict=True))
            assert found[j, i] == pytest.approx(expected, abs=1e-12)
    assert (found >= -1e-12).all()


def test_sampled_divergences_are_close_to_the_exact_ones(monkeypatch):
    codes, _, networks = some_networks(1)
    exact = divergences(networks, len(codes), None)
    monkeypatch.setattr(_merge, "MOST_STATES", 0)
    monkeypatch.setattr(_merge, "SAMPLED", 40_000)
    sampled = divergences(networks, len(codes), np.random.RandomState(0))
    np.testing.assert_allclose(sampled, exact, atol=0.02)


def test_drawn_rows_have_the_probabilities_of_the_network():
    _, sizes, networks = some_networks(2)
    drawn = networks[4].sample(100_000, np.random.RandomState(0))
    for row in product(*map(range, sizes)):
        share = (drawn == row).all(axis=1).mean()
        assert share == pytest.approx(probability(networks[4], row), abs=0.006)


def by_the_book(priors, n_arcs, kl, n):
    """The pair with the largest gain is joined, written as lengths before and after."""
    p, groups = dict(enumerate(priors)), {i: [i] for i in range(len(priors))}
    while True:
        gains = {}
        for i, j in product(groups, groups):
            if i != j and n_arcs[i] <= n_arcs[j]:
                both = p[i] + p[j]
                before = -(p[i] * log(p[i]) + p[j] * log(p[j]))
                gains[i, j] = before + both * log(both) - p[j] * kl[j][i] * n
        if not gains or max(gains.values()) <= 1e-15:
            return sorted(sorted(group) for group in groups.values())
        i, j = max(gains, key=gains.get)
        groups[i] += groups.pop(j)
        p[i] += p[j]


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.sampled_from([1, 20, 500]))
def test_pairs_are_joined_while_the_message_gets_shorter(seed, k, n):
    rng = np.random.default_rng(seed)
    priors, n_arcs = rng.dirichlet(np.ones(k)), rng.integers(0, 4, k)
    kl = rng.exponential(0.02, (k, k))
    np.fill_diagonal(kl, 0)
    groups = groups_to_merge(np.log(priors) - 700, n_arcs, kl, n)
    assert sorted(sorted(group) for group in groups) == by_the_book(priors, n_arcs, kl, n)
    for group in groups:
        assert n_arcs[group[0]] == min(n_arcs[group])


def noisy_rows(n=120):
    """Four features that depend a little on the class, so that many networks are possible."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    return np.where(rng.random((n, 4)) < 0.4, y[:, None], rng.integers(0, 2, (n, 4))), y


def test_merging_keeps_the_posterior_and_leaves_fewer_classes():
    X, y = noisy_rows()
    options = {"search_factor": 0.1, "random_state": 0}
    apart = CausalMML(**options).fit(X, y)
    merged = CausalMML(merge=True, **options).fit(X, y)
    assert len(merged.models_) < len(apart.models_)
    assert sum(model.n_classes for model in merged.models_) == len(apart.models_)
    total = [sum(m.posterior for m in model.models_) for model in (apart, merged)]
    assert total[0] == pytest.approx(total[1])
    assert merged.models_[0].posterior > apart.models_[0].posterior
    posteriors = [model.posterior for model in merged.models_]
    assert posteriors == sorted(posteriors, reverse=True)
    np.testing.assert_array_equal(merged.edge_probabilities_, apart.edge_probabilities_)
    np.testing.assert_allclose(merged.predict_proba(X).sum(axis=1), 1)
    again = CausalMML(merge=True, **options).fit(X, y)
    assert [m.posterior for m in again.models_] == posteriors


def test_missing_values_and_many_combinations_are_no_obstacle():
    rng = np.random.default_rng(2)
    X = rng.integers(0, 3, (80, 11)).astype(float)  # 3^11 combinations and more: sampled
    X[rng.random(X.shape) < 0.05] = np.nan
    y = rng.integers(0, 2, 80)
    model = CausalMML(0.005, merge=True, average=True, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert all(model.n_classes >= 1 for model in model.models_)


@pytest.mark.long
@parametrize_with_checks([CausalMML(search_factor=0.02, merge=True)])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def test_classes_that_are_e_to_the_2000_less_probable_are_merged_alike():
    far = np.array([[0, 0.001, 2.0], [0.001, 0, 2.0], [2.0, 2.0, 0]])
    priors = np.array([-5000.0, -5000.5, -7000.0])
    groups = groups_to_merge(priors, [2, 1, 1], far, 100)
    assert sorted(map(sorted, groups)) == [[0, 1], [2]]
