"""Nonparametric predictive inference in credal trees: entropies, intervals, growth."""

from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import linprog, minimize
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.learners.trees import credal_tree_by_hand, npi_by_hand as by_hand
from tests.learners.trees.test_credal_tree import listed, problems
from wager.learners import CredalTree
from wager.learners.trees._leaf_intervals import bounds_of
from wager.learners.trees._npi_entropy import (
    corrected_by_size,
    lower_entropy_in_order,
    lower_entropy_of_slices,
    most_even_counts,
    upper_entropy_in_order,
    upper_entropy_of_slices,
)
from wager.learners.trees._upper_entropy import STROBL, entropy, entropy_terms, most_even

PREDICTIVE = ("npi", "npi-approx", "npi-ordinal")
LOGS = entropy_terms(1000).tolist()

tables = st.lists(st.integers(0, 12), min_size=2, max_size=8).filter(any)
small_tables = st.lists(st.integers(0, 5), min_size=2, max_size=5).filter(any)


def upper(counts, model):
    if model == "npi-ordinal":
        return upper_entropy_in_order(counts, 0, len(counts))
    return upper_entropy_of_slices(counts, 0, len(counts), model == "npi", LOGS)


@given(small_tables)
def test_the_largest_entropy_is_that_of_the_most_even_wheel(counts):
    best = by_hand.most_even_wheel(counts)
    even = most_even_counts(counts, "npi")
    assert by_hand.entropy_of(even) == pytest.approx(by_hand.entropy_of(best), abs=1e-9)
    assert upper(counts, "npi")[0] == pytest.approx(by_hand.entropy_of(best), abs=1e-9)


@pytest.mark.parametrize(
    "counts",
    [
        [0, 0, 2, 2, 2, 2],  # two pairs share a slice each, where one group of three would get more
        [0, 0, 0, 3, 3, 3],
        [0, 1, 1, 0, 0, 4, 4],
        [1, 1, 1, 1, 3, 3],
        [0, 0, 1, 1, 0, 3, 2],
    ],
)
def test_groups_of_neighbours_share_as_equally_as_whole_slices_allow(counts):
    best = by_hand.most_even_wheel(counts)
    assert upper(counts, "npi")[0] == pytest.approx(by_hand.entropy_of(best), abs=1e-9)


def test_one_group_is_not_always_possible():
    """imptree shares five slices equally among three classes, which no wheel allows."""
    counts = [1, 1, 1, 3, 3]
    np.testing.assert_array_equal(most_even_counts(counts, "npi"), [1.5, 1.5, 2, 2, 2])
    np.testing.assert_allclose(most_even_counts(counts, "npi-approx"), [5 / 3] * 3 + [2, 2])
    assert upper(counts, "npi")[0] < upper(counts, "npi-approx")[0]


@given(tables)
def test_the_approximate_model_is_the_most_even_distribution_of_its_intervals(counts):
    low, high = bounds_of(np.array([counts], dtype=float), 1.0, "npi-approx")
    even = most_even(low[0], high[0])
    np.testing.assert_allclose(most_even_counts(counts, "npi-approx") / sum(counts), even)
    found, n = upper(counts, "npi-approx")
    assert n == sum(counts)
    assert found == pytest.approx(entropy(even), abs=1e-9)
    assert upper(counts, "npi")[0] <= found + 1e-9


@given(small_tables)
def test_ordered_classes_share_the_gaps_between_them(counts):
    even = by_hand.most_even_of(by_hand.line(counts), len(counts))
    np.testing.assert_allclose(
        most_even_counts(counts, "npi-ordinal"), [float(x) for x in even], atol=1e-12
    )
    found, n = upper(counts, "npi-ordinal")
    assert n == sum(counts)
    assert found == pytest.approx(by_hand.entropy_of(even), abs=1e-9)


def p_box(counts):
    """Constraints A p <= b of ordered classes: partial sums between N(k) and N(k)+1 of n+1."""
    below = np.cumsum(counts)[:-1]
    partial = np.tri(len(counts) - 1, len(counts))
    n = sum(counts) + 1
    return np.vstack([partial, -partial]), np.concatenate([(below + 1) / n, -below / n])


@given(tables)
def test_bounds_of_ordered_classes_are_those_of_the_p_box(counts):
    A, b = p_box(counts)
    low, high = bounds_of(np.array([counts], dtype=float), 1.0, "npi-ordinal")
    ones = np.ones((1, len(counts)))
    for c, one in enumerate(np.eye(len(counts))):
        least, most = (
            linprog(sign * one, A, b, ones, [1.0], bounds=(0, 1)).fun for sign in (1, -1)
        )
        np.testing.assert_allclose([low[0, c], high[0, c]], [least, -most], atol=1e-9)


@pytest.mark.parametrize("counts", [[3, 1], [0, 4, 0, 1, 2], [9, 0, 0, 0, 1], [2, 2, 7, 1]])
def test_a_convex_optimiser_finds_the_same_largest_entropy(counts):
    K = len(counts)
    A, b = p_box(counts)
    start = most_even_counts(np.ones(K, int), "npi-ordinal") / (K + 1)
    found = minimize(
        lambda p: (p * np.log2(np.maximum(p, 1e-300))).sum(),
        start,
        method="SLSQP",
        bounds=[(0, 1)] * K,
        constraints=[
            {"type": "ineq", "fun": lambda p: b - A @ p},
            {"type": "eq", "fun": lambda p: p.sum() - 1},
        ],
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert upper(counts, "npi-ordinal")[0] == pytest.approx(-found.fun, abs=1e-6)


def vertices_of_line(counts):
    """All distributions of ordered classes whose partial sums are whole."""
    below = np.cumsum(counts)[:-1]
    for ends in np.ndindex(*[2] * len(below)):
        sums = np.concatenate([[0], below + ends, [sum(counts) + 1]])
        if (np.diff(sums) >= 0).all():
            yield np.diff(sums)


@given(small_tables)
def test_the_smallest_entropy_is_at_a_vertex(counts):
    K = len(counts)
    least = min(map(by_hand.entropy_of, vertices_of_line(counts)))
    assert lower_entropy_in_order(counts, 0, K, LOGS) == pytest.approx(least, abs=1e-9)
    # of a wheel every slice goes to one of the classes that may have it
    found = lower_entropy_of_slices(counts, 0, K, LOGS)
    assert found == pytest.approx(min(map(smallest_of, by_hand.wheels(counts))), abs=1e-9)


def smallest_of(masses):
    """The smallest entropy of some masses, which is that of a vertex: a greedy order of classes."""
    n_classes = 1 + max(max(among) for _, among in masses)
    best = np.inf
    for order in permutations(range(n_classes)):
        p = np.zeros(n_classes)
        for mass, among in masses:
            p[min(among, key=order.index)] += mass
        best = min(best, by_hand.entropy_of(p))
    return best


@given(tables, st.randoms())
def test_only_ordinal_entropies_depend_on_the_order_of_the_classes(counts, random):
    shuffled = random.sample(counts, len(counts))
    for model in ("npi", "npi-approx"):
        assert upper(counts, model)[0] == pytest.approx(upper(shuffled, model)[0], abs=1e-9)
    assert upper(counts, "npi-ordinal")[0] == pytest.approx(
        upper(counts[::-1], "npi-ordinal")[0], abs=1e-9
    )


@given(problems(), st.sampled_from(PREDICTIVE))
def test_the_tree_is_the_one_grown_by_hand(problem, model):
    X, y, rows, declared = problem
    sizes, n_classes = declared["n_values"].tolist(), len(declared["classes"])
    tree = CredalTree(model=model, **declared).fit(X, y)
    slow = credal_tree_by_hand.grow(
        X, y, sizes, n_classes, 1.0, lambda counts, s: most_even_counts(counts, model).tolist()
    )
    assert listed(tree) == slow.listed()
    for row, credal in zip(rows, tree.predict_credal(rows).lower, strict=True):
        counts = slow.leaf_of(row).counts
        low, n = np.maximum(np.array(counts) - 1, 0), max(1, sum(counts))
        if model == "npi-ordinal":
            low[[0, -1]] = np.array(counts)[[0, -1]]
            n += sum(counts) > 0
        np.testing.assert_allclose(credal, low / n)


@given(problems(), st.sampled_from(PREDICTIVE), st.sampled_from(["iig", "iigr", "range"]))
def test_sets_intervals_and_probabilities_agree(problem, model, criterion):
    X, y, rows, declared = problem
    tree = CredalTree(model=model, criterion=criterion, **declared).fit(X, y)
    sets, proba, credal = (
        ask(rows) for ask in (tree.predict_set, tree.predict_proba, tree.predict_credal)
    )
    assert sets.any(axis=1).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    reached = credal.tighten()
    np.testing.assert_allclose(reached.lower, credal.lower, atol=1e-12)
    np.testing.assert_allclose(reached.upper, credal.upper, atol=1e-12)
    nodes = tree.tree_
    if not nodes.empty.any():  # a leaf without rows has the probabilities of its parent
        assert (credal.lower <= proba + 1e-12).all()
        assert (proba <= credal.upper + 1e-12).all()
    assert sets[np.arange(len(rows)), tree.predict(rows)].all()


@given(problems())
def test_probabilities_of_ordered_classes_lie_in_the_p_box(problem):
    X, y, _, declared = problem
    stump = CredalTree(model="npi-ordinal", max_depth=0, **declared).fit(X, y)
    A, b = p_box(stump.tree_.counts[0].astype(int).tolist())
    assert (A @ stump.predict_proba(X[:1])[0] <= b + 1e-12).all()


def test_one_row_rules_nothing_out_and_two_equal_rows_rule_out_the_rest():
    one = CredalTree(model="npi", classes=["a", "b"]).fit([[0]], ["a"])
    assert one.predict_set([[0]]).tolist() == [[True, True]]
    assert one.predict([[0]]).tolist() == ["a"]
    two = CredalTree(model="npi", classes=["a", "b"]).fit([[0], [0]], ["a", "a"])
    assert two.predict_set([[0]]).tolist() == [[True, False]]
    assert two.predict_credal([[0]]).upper.tolist() == [[1.0, 0.5]]
    alone = CredalTree(model="npi").fit([[0], [1]], ["a", "a"])
    assert alone.predict_credal([[0]]).lower.tolist() == [[1.0]]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"model": "dirichlet"}, "model must be 'idm', 'npi', 'npi-approx' or 'npi-ordinal'"),
        ({"model": "npi", "missing": "fractional"}, "cannot be used with missing='fractional'"),
        ({"model": "npi", "correction": "abellan"}, "is for the imprecise Dirichlet model"),
    ],
)
def test_error_messages_name_the_wrong_argument(arguments, words):
    with pytest.raises(ValueError, match=words):
        CredalTree(**arguments).fit([[0], [1]], [0, 1])


@pytest.mark.long
@parametrize_with_checks([CredalTree(model=model) for model in ("npi", "npi-ordinal")])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def test_the_correction_of_an_entropy_is_half_the_other_classes_per_row():
    """Strobl's correction (K-1)/(2n)."""
    rule = SimpleNamespace(correction=STROBL)
    assert corrected_by_size(4.0, 3, rule) == 2 / 8
    assert corrected_by_size(0.0, 3, rule) == np.inf
    assert corrected_by_size(4.0, 3, SimpleNamespace(correction=STROBL + 1)) == 0
