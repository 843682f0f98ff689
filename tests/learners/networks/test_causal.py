"""CausalMML: costs, moves and posterior against enumeration; recovery of known networks."""

from __future__ import annotations

import pickle
from importlib.util import find_spec
from itertools import combinations, permutations, product
from math import e, exp, lgamma, log, pi

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from wager._jit import as_lists
from wager.experiments.generators import random_network
from wager.learners import CausalMML
from wager.learners.networks.causal._chains import equivalence_key, total_variation
from wager.learners.networks.causal._cost import (
    MOST_PARENTS,
    NODE,
    WIDTH,
    Sample,
    cleaned,
    node_cost_by_arrays,
    node_cost_by_loop,
    toggled,
)
from wager.learners.networks.causal._moves import ENTRIES, class_key, score_of
from wager.learners.networks.causal._network import Network
from wager.learners.networks.causal._search import COMPILED, PLAIN, NetworkSearch
from wager.metrics import kl_divergence
from wager.prepare import MDLDiscretizer

NEEDS_NUMBA = pytest.mark.skipif(
    find_spec("numba") is None, reason="there is no compiled form without Numba"
)
LOOPS = [pytest.param(COMPILED, id="compiled", marks=NEEDS_NUMBA), pytest.param(PLAIN, id="plain")]


@parametrize_with_checks([CausalMML(search_factor=0.02)])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


# what a node costs ---------------------------------------------------------------------------


@st.composite
def coded_rows(draw, most_nodes=5):
    n_nodes = draw(st.integers(2, most_nodes))
    sizes = np.array(draw(st.lists(st.integers(1, 4), min_size=n_nodes, max_size=n_nodes)))
    n = draw(st.integers(1, 40))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return random.integers(0, sizes, size=(n, n_nodes)), sizes


def cost_by_hand(codes, sizes, node, parents):
    """The formula, over every configuration of the parents, with or without rows."""
    v, total = int(sizes[node]), 0.0
    for values in product(*(range(sizes[p]) for p in parents)):
        here = [
            row for row in codes if all(row[p] == x for p, x in zip(parents, values, strict=True))
        ]
        counts = [sum(row[node] == x for row in here) for x in range(v)]
        total += lgamma(len(here) + v) - lgamma(v) - sum(lgamma(n + 1) for n in counts)
        total += (v - 1) * 0.5 * log(pi * e / 6)
    return total


@given(coded_rows(), st.booleans())
def test_node_costs_follow_the_formula_counted_densely_or_by_hash(rows, by_hash):
    codes, sizes = rows
    sample = Sample.of(codes, sizes)
    if by_hash:
        sample = sample._replace(counts=np.zeros(0, dtype=np.int64))
    lists = as_lists(sample)
    for node in range(len(sizes)):
        others = [p for p in range(len(sizes)) if p != node]
        for parents in (others[:0], others[:1], others):
            ours = node_cost_by_loop(sample, node, parents, len(parents))
            assert ours == pytest.approx(cost_by_hand(codes, sizes, node, parents), abs=1e-8)
            assert ours == node_cost_by_arrays(lists, node, parents, len(parents))


def test_a_new_configuration_costs_the_constant_of_the_paper():
    # a parent that is never 1 doubles the configurations: one more constant, 0.17649 a value
    codes = np.array([[0, 0], [1, 0], [1, 0]])
    alone = node_cost_by_loop(Sample.of(codes, np.array([2, 2])), 0, [], 0)
    both = node_cost_by_loop(Sample.of(codes, np.array([2, 2])), 0, [1], 1)
    assert both - alone == pytest.approx(0.17649, abs=1e-5)


def test_more_than_seven_parents_are_never_costed():
    codes = np.random.default_rng(0).integers(0, 2, size=(30, 10))
    search = NetworkSearch.start(codes, np.full(10, 2), np.random.RandomState(0), PLAIN)
    entry = max(search.full_model().entry, key=search.cache.n_parents)
    node, parents = search.cache.table[entry * WIDTH + NODE], search.cache.parents(entry)
    assert len(parents) == MOST_PARENTS
    more = next(p for p in range(10) if p != node and p not in parents)
    assert search.cache.cost[toggled(search.cache, search.sample, entry, more, more)] == np.inf


# structures ------------------------------------------------------------------------------------


def every_dag(n):
    """Parent sets of every directed acyclic graph over n nodes."""
    pairs = list(combinations(range(n), 2))
    for kinds in product((0, 1, 2), repeat=len(pairs)):
        parents = [[] for _ in range(n)]
        for (a, b), kind in zip(pairs, kinds, strict=True):
            if kind:
                parents[(a, b)[kind - 1]].append((b, a)[kind - 1])
        left = set(range(n))
        while any(not left & set(parents[x]) for x in left):
            left -= {x for x in left if not left & set(parents[x])}
        if not left:
            yield parents


def entries_of(search, parents):
    return search.model(np.arange(len(parents)), parents).entry


@pytest.mark.parametrize(("n", "n_dags", "n_classes"), [(2, 3, 2), (3, 25, 11), (4, 543, 185)])
def test_equivalence_classes_are_as_many_as_they_should_be(n, n_dags, n_classes):
    # Robinson (1973) for the graphs, Gillispie & Perlman (2002), Table 1, for the classes
    codes = np.random.default_rng(0).integers(0, 2, size=(20, n))
    random = np.random.RandomState(0)
    search = NetworkSearch.start(codes, np.full(n, 2), random, PLAIN)
    keys = random.randint(1, 2**31, size=n * n, dtype=np.int64).tolist()
    classes = [class_key(search.cache, entries_of(search, dag), keys) for dag in every_dag(n)]
    assert (len(classes), len(set(classes))) == (n_dags, n_classes)


@pytest.mark.parametrize("loops", LOOPS)
@pytest.mark.parametrize("seed", range(4))
def test_the_search_finds_the_best_of_all_networks(seed, loops):
    network = random_network(seed, n_variables=4, max_parents=3)
    X, y = network.sample(200, random_state=seed)
    codes = np.insert(X, network.target, y, axis=1)
    sizes = np.insert(network.n_values, network.target, network.n_classes)
    search = NetworkSearch.start(codes, sizes, np.random.RandomState(seed), loops)
    search.seek(0.2)
    scores = [score_of(search.cache, entries_of(search, dag), search.arc) for dag in every_dag(4)]
    assert search.best.cost[0] == pytest.approx(min(scores), abs=1e-6)


@pytest.mark.parametrize("loops", LOOPS)
def test_the_price_of_an_arc_and_the_arcs_worth_it_agree_after_annealing(loops):
    network = random_network(5, n_variables=6, max_parents=3)
    X, y = network.sample(100, random_state=5)
    codes, sizes = np.column_stack([X, y]), np.append(network.n_values, network.n_classes)
    search = NetworkSearch.start(codes, sizes, np.random.RandomState(5), loops)
    for _ in range(5):
        search.anneal(search.full_model(), 300)
        n_arcs = sum(map(search.cache.n_parents, search.best.entry))
        assert search.q == (n_arcs + 0.5) / (6 * 5 / 2 + 1)
        search.cache.forget_clean()
        again = [cleaned(search.cache, search.sample, x, search.arc) for x in search.best.entry]
        assert again == list(search.best.entry)


@NEEDS_NUMBA
def test_classes_are_visited_as_often_as_their_ordered_models_deserve():
    random = np.random.default_rng(3)
    first = random.integers(0, 2, 40)
    second = np.where(random.random(40) < 0.75, first, 1 - first)
    codes = np.column_stack([first, second, np.where(random.random(40) < 0.7, second, first)])
    search = NetworkSearch.start(codes, np.full(3, 2), np.random.RandomState(0), COMPILED)
    search.seek(0.1)
    classes, arcs = search.posterior(4.0)
    shares = classes.visits() / classes.visits().sum()
    keys = np.asarray(classes.table[:: ENTRIES + 3]).tolist()
    visits = dict(zip(keys[: len(shares)], shares, strict=True))
    plain = NetworkSearch.start(codes, np.full(3, 2), np.random.RandomState(0), PLAIN)
    plain.q = search.q
    pair_keys = np.asarray(classes.pair_keys).tolist()
    expected, expected_arcs = _posterior_by_hand(plain, pair_keys, 3)
    assert set(visits) <= set(expected)
    for key, share in expected.items():
        assert visits.get(key, 0.0) == pytest.approx(share, abs=0.01)
    np.testing.assert_allclose(arcs, expected_arcs, atol=0.01)


def _posterior_by_hand(search, pair_keys, n):
    """Every order with every set of arcs that agrees with it, cleaned and weighed by its cost."""
    shares, arcs = {}, np.zeros((n, n))
    for order in permutations(range(n)):
        pairs = list(combinations(order, 2))
        for present in product((False, True), repeat=len(pairs)):
            parents = [[] for _ in range(n)]
            for (a, b), here in zip(pairs, present, strict=True):
                if here:
                    parents[b].append(a)
            model = entries_of(search, [sorted(p) for p in parents])
            weight = exp(search.best.cost[0] - score_of(search.cache, model, search.arc))
            kept = [_cleaned_by_hand(search, entry) for entry in model]
            key = class_key(search.cache, kept, pair_keys)
            shares[key] = shares.get(key, 0.0) + weight
            for x, entry in enumerate(kept):
                arcs[search.cache.parents(entry), x] += weight
    total = sum(shares.values())
    return {key: share / total for key, share in shares.items()}, arcs / total


def _cleaned_by_hand(search, entry):
    store = search.cache
    for parent in store.parents(entry):
        fewer = toggled(store, search.sample, entry, parent, parent)
        if store.cost[fewer] <= store.cost[entry] + search.arc:
            return _cleaned_by_hand(search, fewer)
    return entry


# chains -----------------------------------------------------------------------------------------


def parity():
    """The class is the parity of three features, with noise: chains mix slowly."""
    random = np.random.default_rng(1)
    X = random.integers(0, 2, (100, 3))
    y = X.sum(axis=1) % 2
    return X, np.where(random.random(100) < 0.1, 1 - y, y)


def test_chains_that_are_too_short_are_far_apart():
    X, y = parity()
    short = [CausalMML(0.05, n_chains=2, random_state=seed).fit(X, y).chains_ for seed in range(5)]
    search = NetworkSearch.start(
        np.column_stack([X, y]), np.full(4, 2), np.random.RandomState(0), PLAIN
    )
    search.seek(0.05)
    keys = np.random.RandomState(1).randint(1, 2**31, size=16, dtype=np.int64).tolist()
    exact = max(_posterior_by_hand(search, keys, 4)[0].values())
    sampled = np.array([chains.posteriors for chains in short])
    assert sampled.min() < exact < sampled.max()
    assert np.abs(sampled - exact).max() > 0.1  # a single chain may be far off
    assert np.mean([chains.model_distance for chains in short]) > 0.1  # and two show it
    assert "the chains differ; increase" in repr(short[0])
    for chains in short:  # no probability differs by more than the distance
        gap = abs(chains.posteriors[0] - chains.posteriors[1])
        assert gap <= chains.model_distance + 1e-12
        assert chains.arc_distance <= chains.model_distance + 1e-12


def test_longer_chains_agree_better():
    X, y = parity()
    distance = [
        CausalMML(factor, n_chains=2, random_state=0).fit(X, y).chains_.model_distance
        for factor in (0.05, 1.0)
    ]
    assert distance[1] < distance[0]


def test_further_chains_change_nothing_but_the_comparison():
    X, y = parity()
    alone, both = (
        CausalMML(0.05, n_chains=n, merge=True, random_state=3).fit(X, y) for n in (1, 2)
    )
    assert alone.chains_ is None
    assert both.chains_.posteriors.shape == (2,)
    np.testing.assert_array_equal(alone.predict_proba(X), both.predict_proba(X))
    np.testing.assert_array_equal(alone.edge_probabilities_, both.edge_probabilities_)
    assert [m.posterior for m in alone.models_] == [m.posterior for m in both.models_]


@pytest.mark.parametrize("n", [3, 4])
def test_keys_of_networks_are_equal_where_they_are_equivalent(n):
    codes = np.random.default_rng(0).integers(0, 2, size=(20, n))
    search = NetworkSearch.start(codes, np.full(n, 2), np.random.RandomState(0), PLAIN)
    keys = np.random.RandomState(1).randint(1, 2**31, size=n * n, dtype=np.int64).tolist()
    pairs = {
        (equivalence_key(dag), class_key(search.cache, entries_of(search, dag), keys))
        for dag in every_dag(n)
    }
    assert len(pairs) == len({ours for ours, _ in pairs}) == len({key for _, key in pairs})


counts_of_three = st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any)


@given(counts_of_three, counts_of_three)
def test_the_distance_is_the_largest_difference_of_any_set(first, second):
    one, other = (np.array(counts) / sum(counts) for counts in (first, second))
    sets = [list(kept) for size in range(4) for kept in combinations(range(3), size)]
    largest = max(abs(one[kept].sum() - other[kept].sum()) for kept in sets)
    found = total_variation(*({k: p for k, p in enumerate(x) if p > 0} for x in (one, other)))
    assert found == pytest.approx(largest, abs=1e-12)


@pytest.mark.parametrize("n_chains", [0, 1.5, "two"])
def test_a_number_of_chains_is_needed(n_chains):
    with pytest.raises(ValueError, match="n_chains must be a whole number of at least 1, got"):
        CausalMML(0.02, n_chains=n_chains).fit([[0], [1]], [0, 1])


# prediction ---------------------------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1), st.integers(0, 4), st.sampled_from([0.0, 0.3, 0.8]))
def test_unknown_values_are_summed_out_exactly(seed, target, gaps):
    random = np.random.default_rng(seed)
    truth = random_network(seed, n_variables=5, n_values=(1, 3))
    sizes = np.insert(truth.n_values, truth.target, truth.n_classes)
    codes = random.integers(0, sizes, size=(30, 5))
    network = Network.of(codes, sizes, truth.parents)
    rows = codes[:8].copy()
    rows[random.random(rows.shape) < gaps] = -1
    expected = [_by_enumeration(network, row, target) for row in rows]
    np.testing.assert_allclose(network.class_proba(rows, target), expected, atol=1e-12)


def _by_enumeration(network, row, target):
    total = np.zeros(network.sizes[target])
    choices = [
        range(network.sizes[x]) if x == target or row[x] < 0 else [row[x]] for x in range(len(row))
    ]
    for state in product(*choices):
        total[state[target]] += np.prod(
            [network.tables[x][tuple(state[k] for k in network.family(x))] for x in range(len(row))]
        )
    return total / total.sum()


def test_too_many_states_are_sampled(monkeypatch):
    truth = random_network(5, n_variables=6, target=0)
    X, y = truth.sample(500, random_state=0)
    codes = np.column_stack([y, X])
    network = Network.of(codes, codes.max(axis=0) + 1, truth.parents)
    rows = codes[:6].copy()
    rows[:, 1:4] = -1
    exact = network.class_proba(rows, 0)
    monkeypatch.setattr("wager.learners.networks.causal._network.MOST_STATES", 0)
    sampled = network.class_proba(rows, 0, np.random.RandomState(1))
    np.testing.assert_allclose(sampled, exact, atol=0.05)


def test_the_probabilities_are_smoothed_by_a_half():
    network = Network.of(np.array([[0], [0], [1]]), np.array([3]), [()])
    assert network.tables[0][:3].tolist() == pytest.approx([2.5 / 4.5, 1.5 / 4.5, 0.5 / 4.5])


def test_the_blanket_is_parents_children_and_their_parents():
    network = Network.of(
        np.zeros((1, 6), dtype=int), np.full(6, 2), [(), (0,), (1, 3), (), (2,), ()]
    )
    assert network.blanket(1) == {0, 2, 3}


# learning ---------------------------------------------------------------------------------------


def _fit(network, n, seed, **arguments):
    X, y = network.sample(n, random_state=seed)
    model = CausalMML(
        random_state=seed, n_values=network.n_values, classes=range(network.n_classes), **arguments
    )
    return model.fit(X, y)


def _skeleton_f1(network, model):
    variables = [v for v in range(len(network.parents)) if v != network.target]
    variables.append(network.target)
    found = {frozenset((variables[a], variables[b])) for a, b in model.network_.edges}
    true = {frozenset(edge) for edge in network.edges}
    return 2 * len(found & true) / (len(found) + len(true)) if found or true else 1.0


@pytest.mark.long
def test_skeletons_of_six_variables_are_recovered_from_5000_rows():
    networks = [random_network(seed) for seed in range(100, 115)]
    scores = [_skeleton_f1(net, _fit(net, 5000, seed)) for seed, net in enumerate(networks)]
    assert np.mean(scores) >= 0.85


@pytest.mark.long
def test_more_rows_bring_the_probabilities_nearer_to_the_truth():
    networks = [random_network(seed) for seed in range(200, 208)]
    divergence = []
    for n in (50, 500, 5000):
        by_network = []
        for seed, network in enumerate(networks):
            X, _ = network.sample(1000, random_state=1000 + seed)
            proba = _fit(network, n, seed, search_factor=0.2).predict_proba(X)
            by_network.append(np.mean(kl_divergence(network.class_probabilities(X), proba)))
        divergence.append(np.mean(by_network))
    assert divergence[0] > divergence[1] > divergence[2]
    assert divergence[2] < 0.01


def test_independent_nodes_are_not_linked():
    random = np.random.RandomState(0)
    model = CausalMML(random_state=0).fit(
        random.randint(3, size=(400, 4)), random.randint(2, size=400)
    )
    assert model.edges_ == []
    np.testing.assert_allclose(model.predict_proba([[0, 1, 2, 0], [2, 2, 2, 2]])[0], 0.5, atol=0.1)


@pytest.fixture(scope="module")
def votes():
    random = np.random.RandomState(7)
    party = random.randint(2, size=1000)
    frame = pd.DataFrame(
        {
            name: np.where(random.rand(1000) < 0.9, party, 1 - party)
            for name in ("tax", "arms", "bank")
        }
    ).astype("category")
    frame.loc[::9, "tax"] = None
    return frame, np.array(["left", "right"])[party]


def test_the_attributes_describe_the_network(votes):
    model = CausalMML(random_state=0).fit(*votes)
    assert model.node_names_ == ["tax", "arms", "bank", "class"]
    assert {frozenset(edge) for edge in model.edges_} == {
        frozenset((name, "class")) for name in ("tax", "arms", "bank")
    }
    both = model.edge_probabilities_ + model.edge_probabilities_.T
    assert (both[:3, 3] > 0.9).all()
    assert (both <= 1 + 1e-12).all()
    assert model.models_[0].posterior == max(m.posterior for m in model.models_)
    assert sum(m.posterior for m in model.models_) == pytest.approx(1)
    assert model.n_parent_sets_ == 4 * 2**3  # every parent set of every node
    assert model.search_factor_ == 1
    assert model.score(*votes) > 0.9


def test_the_message_length_is_that_of_the_network(votes):
    X, y = votes
    X = X.assign(tax=X["tax"].fillna(X["tax"].mode()[0]))
    model = CausalMML(random_state=0).fit(X, y)
    codes = np.column_stack([X.apply(lambda c: c.cat.codes), np.unique(y, return_inverse=True)[1]])
    nodes = sum(
        cost_by_hand(codes, np.full(4, 2), x, parents)
        for x, parents in enumerate(model.network_.parents)
    )
    arcs = len(model.edges_)
    q = (arcs + 0.5) / (6 + 1)
    structure = -(arcs * log(q) + (6 - arcs) * log(1 - q))
    assert model.message_length_ == pytest.approx(nodes + structure)


def test_the_same_seed_gives_the_same_model(votes):
    first, second = (CausalMML(0.05, random_state=3).fit(*votes) for _ in range(2))
    assert first.edges_ == second.edges_
    np.testing.assert_array_equal(first.edge_probabilities_, second.edge_probabilities_)


def test_averaging_mixes_the_networks_by_their_posterior():
    random = np.random.RandomState(1)
    X = random.randint(2, size=(30, 4))
    y = np.where(random.rand(30) < 0.5, X[:, 0], X[:, 1])
    best = CausalMML(random_state=0).fit(X, y)
    mean = CausalMML(random_state=0, average=True).fit(X, y)
    assert len(mean.models_) > 1
    by_hand = sum(
        model.posterior * model.network.class_proba(np.insert(X, 4, -1, axis=1), 4)
        for model in mean._averaged()
    ) / sum(model.posterior for model in mean._averaged())
    np.testing.assert_allclose(mean.predict_proba(X), by_hand)
    assert np.abs(mean.predict_proba(X) - best.predict_proba(X)).max() > 1e-3


@pytest.mark.long
def test_many_features_shorten_the_search_and_the_result_says_so():
    random = np.random.RandomState(0)
    model = CausalMML(random_state=0).fit(
        random.randint(2, size=(50, 29)), random.randint(2, size=50)
    )
    assert model.search_factor_ == pytest.approx((21 / 30) ** 2)


def test_ten_thousand_columns_raise_a_clear_error():
    with pytest.raises(ValueError, match=r"at most 200 features, got 10000: select some first"):
        CausalMML().fit(np.zeros((4, 10_000), dtype=int), [0, 1, 0, 1])


@pytest.mark.parametrize("factor", [0, -1.0, "fast"])
def test_a_wrong_search_factor_raises_a_clear_error(factor):
    with pytest.raises(ValueError, match="search_factor must be 'auto' or positive, got"):
        CausalMML(factor).fit([[0], [1]], [0, 1])


def test_the_edges_of_the_input():
    fast = CausalMML(0.01, random_state=0)
    assert fast.fit([[0]], ["only"]).predict([[1]]).tolist() == ["only"]
    constant = fast.fit([[0, -1]] * 6, [0, 1] * 3)  # one value, and one column all missing
    np.testing.assert_allclose(constant.predict_proba([[0, -1], [5, 0]]), 0.5)
    assert fast.fit([[0], [1]] * 3, ["a"] * 6).predict_proba([[0]]).tolist() == [[1.0]]


def test_it_works_in_pipelines_searches_and_pickles():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(MDLDiscretizer(), CausalMML(0.02, random_state=0))
    search = GridSearchCV(pipeline, {"causalmml__average": [False, True]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    again = pickle.loads(pickle.dumps(clone(pipeline).fit(X, y)))
    np.testing.assert_array_equal(
        again.predict_proba(X), clone(pipeline).fit(X, y).predict_proba(X)
    )
