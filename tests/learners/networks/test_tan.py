"""TAN: its trees by their definitions, its probabilities by the product along the tree."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import gammaln
from sklearn.metrics import mutual_info_score

from tests.learners.strategies import (
    declared,
    nominal_problems,
    rows_to_predict,
)
from wager._tables import Counts, PairCounts
from wager.learners import TAN
from wager.learners.networks._dependence_trees import (
    conditional_mutual_information,
    dirichlet_gains,
    mutual_information_tree,
)
from wager.learners.networks._leave_one_out import (
    LeaveOneOut,
    hill_climbing_tree,
    super_parent_tree,
)


def _dirichlet(columns, y, h, parents, n_values, n_classes):
    """The log marginal likelihood of column h given the class and the parents, row by row."""
    score = 0.0
    for c, *values in product(range(n_classes), *(range(n_values[p]) for p in parents)):
        rows = y == c
        for p, value in zip(parents, values, strict=True):
            rows = rows & (columns[:, p] == value)
        counts = np.bincount(columns[rows, h], minlength=n_values[h])
        score += gammaln(counts + 0.5).sum() - gammaln(rows.sum() + 0.5 * n_values[h])
        score += gammaln(0.5 * n_values[h]) - n_values[h] * gammaln(0.5)
    return score


def test_gains_are_differences_of_dirichlet_scores(engine):
    @given(nominal_problems(gaps=False))
    def check(problem):
        codes, y, n_values, K = problem
        gain = dirichlet_gains(PairCounts.of(*problem))
        for h, t in product(range(len(n_values)), repeat=2):
            if h != t:
                alone, given_t = (_dirichlet(codes, y, h, p, n_values, K) for p in ([], [t]))
                assert gain[h, t] == pytest.approx(given_t - alone, abs=1e-9)

    check()


@given(nominal_problems(gaps=False))
def test_both_engines_sum_gains_to_the_same_last_bit(problem):
    from unittest import mock

    counts = PairCounts.of(*problem)
    with mock.patch.dict("os.environ", WAGER_COMPILE="always"):
        compiled = dirichlet_gains(counts)
    with mock.patch.dict("os.environ", WAGER_COMPILE="never"):
        np.testing.assert_array_equal(dirichlet_gains(counts), compiled)


@given(nominal_problems(gaps=False))
def test_conditional_mutual_information_is_the_mean_over_the_classes(problem):
    codes, y, n_values, K = problem
    ours = conditional_mutual_information(PairCounts.of(*problem))
    for i, j in product(range(len(n_values)), repeat=2):
        if i != j:
            within = [
                (y == c).mean() * mutual_info_score(codes[y == c, i], codes[y == c, j])
                for c in range(K)
                if (y == c).any()
            ]
            assert ours[i, j] == pytest.approx(sum(within), abs=1e-9)


@given(nominal_problems())
def test_the_tree_of_mutual_information_has_the_largest_weight(problem):
    counts = PairCounts.of(*problem)
    weight, parents = conditional_mutual_information(counts), mutual_information_tree(counts)
    m = len(parents)
    assert parents[0] == -1
    ours = sum(weight[j, parents[j]] for j in range(1, m))
    best = -np.inf
    for tree in product(range(m), repeat=m - 1):  # every choice of parents of features 1..m-1
        if _is_tree(tree):
            best = max(best, sum(weight[j + 1, p] for j, p in enumerate(tree)))
    assert ours == pytest.approx(best, abs=1e-9)


def _is_tree(tree):
    for j in range(1, len(tree) + 1):
        seen = set()
        while j != 0:
            if j in seen:
                return False
            seen.add(j)
            j = tree[j - 1]
    return True


@given(nominal_problems(), st.sampled_from(["bayes", "cmi", "superparent", "hcs"]))
def test_parents_never_form_a_cycle(problem, search):
    parents = declared(TAN, problem, search=search).fit(*problem[:2]).parents_
    for j in range(len(parents)):
        steps = 0
        while j >= 0:
            j, steps = parents[j], steps + 1
            assert steps <= len(parents)
    if search in ("bayes", "cmi"):
        assert (parents < 0).sum() == 1


def _slow_proba(model, problem, rows, search):
    """The product along the learnt tree, with the search's own smoothing."""
    codes, y, n_values, K = problem
    bayes = search == "bayes"
    if bayes:
        modes = [np.bincount(col[col >= 0], minlength=1).argmax() for col in codes.T]
        codes, rows = (np.where(table < 0, modes, table) for table in (codes, rows))
    scores = np.zeros((len(rows), K))
    for i, c in np.ndindex(scores.shape):
        extra = 0.5 if bayes else 1 / K
        scores[i, c] = (sum(y == c) + extra) / (len(y) + K * extra)
        for j, v in enumerate(n_values):
            p = model.parents_[j]
            if rows[i, j] < 0:
                continue
            here = (y == c) & (codes[:, j] >= 0)
            if p >= 0 and rows[i, p] >= 0:
                here &= codes[:, p] == rows[i, p]
            extra = 0.5 if bayes else 1 / v
            scores[i, c] *= ((codes[here, j] == rows[i, j]).sum() + extra) / (
                here.sum() + v * extra
            )
    return scores / scores.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("search", ["bayes", "cmi", "superparent"])
def test_the_posterior_is_the_product_along_the_tree(engine, search):
    @given(nominal_problems())
    def check(problem):
        model = declared(TAN, problem, search=search).fit(*problem[:2])
        rows = rows_to_predict(problem)
        expected = _slow_proba(model, problem, rows, search)
        np.testing.assert_allclose(model.predict_proba(rows), expected, atol=1e-12)

    check()


def _accuracy_without(problem, parents):
    """Leave-one-out hits: each row predicted by a model refitted without it."""
    codes, y, n_values, K = problem
    hits = 0
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        model = type("Tree", (), {"parents_": parents})
        proba = _slow_proba(model, (codes[rest], y[rest], n_values, K), codes[[i]], "superparent")
        tied = np.isclose(proba[0], proba[0].max(), rtol=0, atol=1e-12)
        hits += int(np.flatnonzero(tied)[0] == y[i]) if tied.sum() == 1 else np.nan
    return hits


@given(nominal_problems(least=4))
@settings(max_examples=20)
def test_leave_one_out_by_subtraction_is_leave_one_out_by_refitting(problem):
    codes, y, _, _ = problem
    if len(y) < 4 or codes.shape[1] < 2:
        return
    search = LeaveOneOut(codes, y, PairCounts.of(*problem))
    parents = np.full(codes.shape[1], -1)
    expected = _accuracy_without(problem, parents)
    assert np.isnan(expected) or search.current == expected
    parents[1] = 0
    expected = _accuracy_without(problem, parents)
    assert np.isnan(expected) or search.accuracy(0, [1]) == expected


def test_searches_for_accuracy_find_the_arc_that_matters():
    random = np.random.default_rng(7)
    X = random.integers(0, 2, size=(400, 4))
    y = X[:, 1] ^ X[:, 3]  # neither feature says anything alone
    counts = PairCounts.of(X, y, np.full(4, 2), 2)
    for find in (super_parent_tree, hill_climbing_tree):
        parents = find(X, y, counts)
        assert (parents[1], parents[3]) in ((3, -1), (-1, 1))
    assert (TAN("superparent").fit(X, y).predict(X) == y).all()


def test_friedman_smoothing_mixes_with_the_marginal_frequency():
    X = np.array([[0, 0], [0, 1], [1, 1], [1, 0], [0, 0]])
    y = np.array([0, 1, 1, 0, 0])
    model = TAN("cmi", smoothing="friedman").fit(X, y)
    assert model.parents_.tolist() == [-1, 0]
    scores = np.zeros(2)
    for c in (0, 1):
        scores[c] = ((y == c).sum() + 0.5) / 6
        scores[c] *= ((X[y == c, 0] == 0).sum() + 5 * 0.6) / ((y == c).sum() + 5)
        here = (y == c) & (X[:, 0] == 0)
        scores[c] *= ((X[here, 1] == 1).sum() + 5 * 0.4) / (here.sum() + 5)
    np.testing.assert_allclose(model.predict_proba([[0, 1]])[0], scores / scores.sum(), atol=1e-12)
    np.testing.assert_allclose(
        model.predict_proba([[0, 9]]), model.predict_proba([[0, -1]]), atol=1e-12
    )


@given(nominal_problems())
def test_a_model_of_counts_is_the_model_of_their_rows(problem):
    codes, y, n_values, K = problem
    rows = rows_to_predict(problem)
    for search in ("bayes", "cmi"):
        fitted = declared(TAN, problem, search=search).fit(codes, y)
        counted = TAN(search).fit_counts(PairCounts.of(codes, y, n_values, K))
        np.testing.assert_array_equal(fitted.predict_proba(rows), counted.predict_proba(rows))


def test_counts_that_do_not_suffice_are_refused():
    pairs = PairCounts.of(np.array([[-1], [0]]), np.array([0, 1]), np.array([1]), 2)
    with pytest.raises(ValueError, match="needs the counts of pairs of values"):
        TAN().fit_counts(pairs.single)
    with pytest.raises(ValueError, match="needs the rows, not only counts"):
        TAN("hcs").fit_counts(pairs)


def test_counts_of_any_size_give_the_gains_without_a_table_of_all_terms(monkeypatch):
    random = np.random.default_rng(3)
    counts = PairCounts.of(
        random.integers(0, 3, size=(50, 4)), random.integers(0, 2, size=50), np.full(4, 3), 2
    )
    expected = dirichlet_gains(counts)
    monkeypatch.setattr("wager.learners.networks._dependence_trees.MOST_TERMS", 0)
    np.testing.assert_array_equal(dirichlet_gains(counts), expected)
    many = PairCounts(
        counts.table.astype(np.int64) * 10**9,
        Counts(counts.single.values * 10**9, counts.single.classes * 10**9, np.full(4, 3)),
    )
    assert sorted(TAN().fit_counts(many).parents_.tolist())[0] == -1
