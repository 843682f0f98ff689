"""Credal trees: agreement with a slow version, laws of intervals and entropies, edge cases."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.learners.trees import credal_tree_by_hand as by_hand
from wager._jit._kernels import found_kernel
from wager.credal import decide
from wager.learners import CredalTree
from wager.learners.trees._grow import partition_rows
from wager.learners.trees._upper_entropy import (
    entropy,
    entropy_terms,
    most_even,
    raise_smallest,
    upper_entropy,
)
from wager.metrics import make_set_scorer, utility_discounted_accuracy
from wager.prepare import MDLDiscretizer


@st.composite
def problems(draw, least=0):
    """Rows with some structure in them, and rows to predict."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, m = draw(st.integers(1, 120)), draw(st.integers(1, 5))
    n_classes, v = draw(st.integers(2, 4)), draw(st.integers(2, 4))
    X = rng.integers(least, v, (n, m))
    y = np.where(
        rng.random(n) < 0.6, (X[:, 0] + X[:, -1]) % n_classes, rng.integers(0, n_classes, n)
    )
    declared = {"classes": range(n_classes), "n_values": np.full(m, v)}
    return X, y, rng.integers(least, v, (20, m)), declared


strengths = st.sampled_from([0.0, 0.4, 1.0, 2.0, 5.5])


def listed(tree):
    """Feature and counts of every node, parents first."""
    nodes, found, waiting = tree.tree_, [], [0]
    while waiting:
        node = waiting.pop()
        found.append((int(nodes.feature[node]), nodes.counts[node].astype(int).tolist()))
        first, n_children = int(nodes.first[node]), int(nodes.n_children[node])
        waiting += reversed(range(first, first + n_children))
    return found


@given(problems(), strengths)
def test_the_tree_is_the_one_grown_by_hand(problem, s):
    X, y, rows, declared = problem
    sizes, n_classes = declared["n_values"].tolist(), len(declared["classes"])
    tree = CredalTree(s, **declared).fit(X, y)
    slow = by_hand.grow(X, y, sizes, n_classes, s)
    assert listed(tree) == slow.listed()
    sets = tree.predict_set(rows)
    for kept, row in zip(sets, rows, strict=True):
        assert np.flatnonzero(kept).tolist() == slow.leaf_of(row).kept(s)


@pytest.mark.parametrize("seed", [1437, 1482])
def test_rounding_does_not_choose_between_equal_splits(seed):
    rng = np.random.default_rng(seed)
    X, y, rows = rng.integers(0, 2, (24, 3)), rng.integers(0, 6, 24), rng.integers(0, 2, (8, 3))
    order = rng.permutation(6)
    tree = CredalTree(classes=np.arange(6), n_values=[2, 2, 2])
    sets = tree.fit(X, y).predict_set(rows)
    np.testing.assert_array_equal(tree.fit(X, order[y]).predict_set(rows)[:, order], sets)
    by_last_bit = tree.set_params(ties="weka")
    sets = by_last_bit.fit(X, y).predict_set(rows)
    assert (by_last_bit.fit(X, order[y]).predict_set(rows)[:, order] != sets).any()


@given(problems())
def test_without_strength_it_is_a_tree_by_plain_information_gain(problem):
    X, y, rows, declared = problem
    sizes, n_classes = declared["n_values"].tolist(), len(declared["classes"])
    tree = CredalTree(0.0, **declared).fit(X, y)
    slow = by_hand.grow(X, y, sizes, n_classes, 0.0, raised=lambda counts, s: counts)
    assert listed(tree) == slow.listed()
    for kept, row in zip(tree.predict_set(rows), rows, strict=True):
        n = np.array(slow.leaf_of(row).counts)
        np.testing.assert_array_equal(kept, n == n.max())  # ties are kept


@given(problems(), st.sampled_from([0.5, 1.0, 2.0]))
def test_credal_c45_is_the_tree_by_gain_ratio(problem, s):
    X, y, _, declared = problem
    sizes, n_classes = declared["n_values"].tolist(), len(declared["classes"])
    whole = CredalTree(s, "iigr", prune=False, **declared).fit(X, y)
    slow = by_hand.grow(X, y, sizes, n_classes, s, choose=by_hand.by_gain_ratio)
    assert listed(whole) == slow.listed()
    pruned = CredalTree(s, "iigr", **declared).fit(X, y)
    assert pruned.n_nodes_ <= whole.n_nodes_
    assert pruned.tree_.counts[0].tolist() == whole.tree_.counts[0].tolist()


@given(st.lists(st.integers(0, 30), min_size=2, max_size=6), st.floats(0.01, 40))
def test_raising_the_smallest_counts_gives_the_largest_entropy(counts, s):
    best, total = raise_smallest(counts, s), sum(counts) + s
    assert best.sum() == pytest.approx(total)
    assert (best >= np.array(counts) - 1e-9).all()
    rng = np.random.default_rng(len(counts))
    for share in rng.dirichlet(np.ones(len(counts)), 50):
        assert entropy(np.array(counts) + s * share) <= entropy(best) + 1e-9
    bounds = np.array(counts) / total, (np.array(counts) + s) / total
    np.testing.assert_allclose(most_even(*bounds), best / total, atol=1e-9)


@given(problems(), st.sampled_from(["iig", "iigr", "range"]))
def test_more_strength_than_rows_leaves_every_class(problem, criterion):
    X, y, rows, declared = problem
    assert CredalTree(1e9, criterion, **declared).fit(X, y).predict_set(rows).all()


@given(problems(least=-1), strengths, st.sampled_from(["mode", "fractional"]))
def test_sets_intervals_and_probabilities_agree(problem, s, missing):
    X, y, rows, declared = problem
    model = CredalTree(s, missing=missing, **declared).fit(X, y)
    weak, credal, proba = (
        model.predict_set(rows),
        model.predict_credal(rows),
        model.predict_proba(rows),
    )
    strict = CredalTree(s, dominance="strict", missing=missing, **declared).fit(X, y)
    assert (weak <= strict.predict_set(rows)).all()
    np.testing.assert_array_equal(
        strict.predict_set(rows), np.asarray(decide(credal, "interval-dominance"))
    )
    assert weak.any(axis=1).all()
    assert credal.is_proper.all()
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert (credal.lower <= proba + 1e-9).all()
    assert (proba <= credal.upper + 1e-9).all()
    assert weak[np.arange(len(rows)), model.predict(rows)].all()


@given(st.lists(st.integers(0, 30), min_size=2, max_size=6), st.floats(0, 40), st.randoms())
def test_the_largest_entropy_does_not_depend_on_the_order_of_the_classes(counts, s, random):
    if not sum(counts) and not s:
        return
    turned = random.sample(counts, len(counts))
    terms = entropy_terms(sum(counts))
    for order in (counts, turned):
        found, n = upper_entropy(np.array(order), 0, len(order), s, terms)
        assert found == pytest.approx(entropy(raise_smallest(counts, s)), abs=1e-9)
        assert n == sum(counts)


@given(problems(), st.integers(0, 3), st.integers(1, 10))
def test_limits_are_kept(problem, max_depth, min_rows):
    X, y, _, declared = problem
    shallow = CredalTree(max_depth=max_depth, **declared).fit(X, y)
    assert shallow.depth_ <= max_depth
    filled = CredalTree(candidates="complete", min_rows=min_rows, **declared).fit(X, y).tree_
    assert (filled.weight[1:] >= min_rows).all()
    usual = CredalTree(min_rows=min_rows, **declared).fit(X, y).tree_
    for node in np.flatnonzero(usual.n_children):
        children = usual.weight[usual.first[node] :][: usual.n_children[node]]
        assert (children >= min_rows).sum() >= 2


@given(problems())
def test_a_number_with_two_values_is_a_feature_with_two_values(problem):
    X, y, rows, declared = problem
    X, rows = X % 2, rows % 2
    sizes = {**declared, "n_values": np.full(X.shape[1], 2)}
    nominal = CredalTree(**sizes, candidates="complete").fit(X, y)
    numeric = CredalTree(classes=declared["classes"]).fit(X.astype(float), y)
    assert listed(nominal) == listed(numeric)
    np.testing.assert_array_equal(
        nominal.predict_set(rows), numeric.predict_set(rows.astype(float))
    )


@given(st.integers(0, 2**32 - 1), st.sampled_from(["iig", "iigr"]))
def test_a_number_is_cut_where_the_largest_entropy_falls_most(seed, criterion):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 15, 40).astype(float), rng.integers(0, 3, 40)
    y[x < 6] = 0
    tree = CredalTree(1.0, criterion, max_depth=1, min_rows=2, prune=False).fit(x[:, None], y)

    def left_over(cut):
        parts = [np.bincount(y[side], minlength=3) for side in (x <= cut, x > cut)]
        return sum(p.sum() / 40 * entropy(raise_smallest(p, 1.0)) for p in parts)

    cuts = [c for c in np.unique(x)[:-1] if 2 <= (x <= c).sum() <= 38]
    best = min(cuts, key=left_over)
    assert left_over(tree.tree_.threshold[0]) == pytest.approx(left_over(best), abs=1e-9)


@given(problems(least=-1), st.sampled_from(["iig", "iigr"]))
def test_a_row_with_missing_values_is_shared_among_the_branches(problem, criterion):
    X, y, rows, declared = problem
    model = CredalTree(1.0, criterion, missing="fractional", prune=False, **declared).fit(X, y)
    nodes = model.tree_
    for node in np.flatnonzero(nodes.n_children):
        children = slice(nodes.first[node], nodes.first[node] + nodes.n_children[node])
        np.testing.assert_allclose(
            nodes.counts[children].sum(axis=0), nodes.counts[node], atol=1e-4
        )
    lower, upper = model.predict_credal(rows).lower, model.predict_credal(rows).upper

    def mixed(node, row):
        """Lower and upper probabilities below a node, straight from the definition."""
        if nodes.n_children[node] == 0:
            n = nodes.counts[node]
            return n / (n.sum() + 1), (n + 1) / (n.sum() + 1)
        first, code = nodes.first[node], row[nodes.feature[node]]
        if code >= 0:
            return mixed(first + code, row)
        bags = nodes.bag[first : first + nodes.n_children[node]]
        parts = [mixed(first + b, row) for b in range(len(bags))]
        shares = bags / bags.sum()
        return tuple(np.tensordot(shares, np.array(parts), axes=1))

    for i, row in enumerate(rows):
        np.testing.assert_allclose((lower[i], upper[i]), mixed(0, row), atol=1e-9)


@given(problems(least=-1))
def test_filling_missing_values_beforehand_gives_the_same_tree(problem):
    X, y, rows, declared = problem
    known = [column[column >= 0] for column in X.T]
    usual = np.array([np.bincount(k, minlength=1).argmax() for k in known])
    filled, asked = (np.where(part < 0, usual, part) for part in (X, rows))
    natural, prepared = CredalTree(**declared).fit(X, y), CredalTree(**declared).fit(filled, y)
    assert listed(natural) == listed(prepared)
    np.testing.assert_array_equal(natural.predict_set(rows), prepared.predict_set(asked))


@given(problems())
def test_without_missing_values_both_treatments_are_the_same(problem):
    X, y, rows, declared = problem
    usual, parts = (CredalTree(missing=way, **declared).fit(X, y) for way in ("mode", "fractional"))
    assert listed(usual) == listed(parts)
    np.testing.assert_array_equal(usual.predict_set(rows), parts.predict_set(rows))


def test_a_value_without_training_rows_keeps_all_classes():
    X, y = [["a"]] * 5 + [["b"]] * 5, ["u"] * 5 + ["v"] * 5
    tree = CredalTree(0.0, n_values=[3]).fit(X, y)
    assert tree.predict_set([["a"], ["c"]]).tolist() == [[True, False], [True, True]]
    credal = tree.predict_credal([["c"]])
    assert (credal.lower.tolist(), credal.upper.tolist()) == ([[0, 0]], [[1, 1]])


def test_a_branch_without_rows_has_the_probabilities_of_its_parent():
    tree = CredalTree(n_values=[3]).fit([[0]] * 5 + [[1]] * 4, [0] * 5 + [1] * 4)
    assert tree.n_leaves_ == 3
    assert tree.predict_set([[2]]).tolist() == [[True, True]]
    np.testing.assert_allclose(tree.predict_proba([[2]]), [[5.5 / 10, 4.5 / 10]])
    assert tree.predict([[2]]).tolist() == [0]


def test_extreme_training_sets_grow_a_leaf():
    for s in (0.0, 1.0, 1e6):
        lone = CredalTree(s).fit([["a", "b"]], ["u"])
        assert lone.predict_set([["a", "b"], ["x", None]]).tolist() == [[True], [True]]
        gaps = CredalTree(s, missing="fractional").fit(np.full((4, 2), -1), [0, 1, 1, 1])
        assert gaps.n_nodes_ == 1
        assert gaps.predict_set(np.full((1, 2), -1)).any()
    X, y = np.random.default_rng(0).integers(0, 2, (60, 500)), np.arange(60) % 3
    wide = CredalTree(classes=range(5)).fit(X, y)
    assert wide.predict_set(np.full((1, 500), -1)).any()
    one_of_a_class = CredalTree().fit([[0], [0], [0], [1]], [0, 0, 0, 1])
    assert one_of_a_class.predict_set([[1]]).tolist() == [[False, True]]


def test_it_prints_its_intervals():
    data = pd.DataFrame({"sky": ["sun", "sun", "rain", "rain", "rain"], "t": [1.0, 2, 3, 4, 5]})
    tree = CredalTree(0.5).fit(data, ["out", "out", "in", "in", "in"])
    assert tree.to_text().splitlines() == [
        "sky = rain: in (3): in [0.86, 1.00], out [0.00, 0.14]",
        "sky = sun: out (2): in [0.00, 0.20], out [0.80, 1.00]",
    ]
    number = CredalTree(0.5, categorical_features=["sky"]).fit(data[["t", "sky"]], list("ooiii"))
    assert number.to_text().splitlines()[0].startswith("t <= 2: o (2)")
    many = CredalTree(classes=list("abc")).fit([["p"]] * 4, list("aaab"))
    assert many.to_text() == ": a (4): a [0.60, 0.80], b [0.20, 0.40], others [0.00, 0.20]"


def test_it_draws_its_intervals():
    import matplotlib as mpl

    mpl.use("Agg")
    from wager.plots import plot_tree

    tree = CredalTree().fit([["p"]] * 3 + [["q"]] * 3, list("aaabbb"))
    labels = {text.get_text().strip() for text in plot_tree(tree).texts}
    assert labels == {
        "x0",
        "= p",
        "= q",
        "a (3): a [0.75, 1.00], b [0.00, 0.25]",
        "b (3): a [0.00, 0.25], b [0.75, 1.00]",
    }


def test_it_works_in_searches_cross_validation_and_pipelines():
    X, y = load_iris(return_X_y=True)
    scorer = make_set_scorer(utility_discounted_accuracy, utility="u65")
    pipe = make_pipeline(MDLDiscretizer(), CredalTree())
    grid = {"credaltree__criterion": ["iig", "iigr"]}
    assert GridSearchCV(pipe, grid, scoring=scorer, cv=3).fit(X, y).best_score_ > 0.9
    assert (cross_validate(pipe, X, y, scoring=scorer, cv=3)["test_score"] > 0.85).all()


def test_a_pickled_model_predicts_the_same():
    X, y = load_iris(return_X_y=True)
    model = CredalTree(2.0).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_set(X), model.predict_set(X))
    assert again.to_text() == model.to_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"s": -1}, "s must be a number of rows"),
        ({"criterion": "gini"}, "criterion must be 'iig', 'iigr' or 'range', got 'gini'"),
        ({"dominance": "none"}, "dominance must be 'weak' or 'strict'"),
        ({"missing": "drop"}, "missing must be 'mode' or 'fractional'"),
        ({"candidates": "some"}, "candidates must be 'all' or 'complete'"),
        ({"correction": "other"}, "correction must be None, 'strobl' or 'abellan'"),
        ({"min_rows": -1}, "min_rows must not be negative"),
        ({"max_depth": -1}, "max_depth must not be negative"),
        ({"gamma": 2}, "gamma must be in"),
        ({"confidence": 0}, "confidence must be in"),
    ],
)
def test_error_messages_name_the_wrong_argument(arguments, words):
    with pytest.raises(ValueError, match=words):
        CredalTree(**arguments).fit([[0], [1]], [0, 1])


@parametrize_with_checks(
    [
        CredalTree(),
        CredalTree(criterion="iigr", missing="fractional"),
        CredalTree(criterion="range"),
    ]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def test_trees_grow_without_features_in_the_plain_form_too(tmp_path, monkeypatch):
    """A discretizer may drop all features of a fold; the tree is then a single leaf."""
    from wager.experiments import Plan, Store, run

    monkeypatch.setenv("WAGER_COMPILE", "never")
    noise = np.random.default_rng(0).random(40)
    rows = "\n".join(f"{x:.3f},{'ab'[i % 3 == 0]}" for i, x in enumerate(noise))
    header = "@relation noise\n@attribute x numeric\n@attribute class {a,b}\n@data\n"
    (tmp_path / "noise.arff").write_text(header + rows + "\n")
    plan = Plan(
        data=str(tmp_path),
        datasets=["noise"],
        prepare={"discretize": "mdl", "single_bin": "drop"},
        scheme={"folds": "stratified", "n_folds": 2},
        learners={"cdt": {"learner": "credal-tree"}, "c45": {"learner": "c45"}},
        measures=["determinacy"],
    )
    assert run(plan, tmp_path / "store").ok
    assert Store(tmp_path / "store").scores("determinacy").values.tolist() == [[1.0, 1.0]]


@pytest.mark.parametrize("missing", [{}, {"missing": "fractional"}])
def test_a_value_without_rows_makes_a_split_incomplete_also_if_any_leaf_may_be_empty(missing):
    X, y = np.repeat([[0], [1]], 8, axis=0), np.repeat([0, 1], 8)
    sizes = {}
    for n_values in (2, 3):
        declared = {"classes": [0, 1], "n_values": [n_values], "min_rows": 0.0, **missing}
        tree = CredalTree(candidates="complete", **declared).fit(X, y)
        sizes[n_values] = len(listed(tree))
    assert sizes[2] > sizes[3] == 1


@pytest.mark.parametrize("ties", ["first", "weka"])
def test_of_cuts_with_the_same_gain_the_first_is_taken(ties):
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]).repeat(8, axis=0), np.repeat([0, 1, 1, 0], 8)
    first = listed(CredalTree(ties=ties, classes=[0, 1]).fit(X, y))[:3]
    assert first == [(0, [16, 16]), (-1, [8, 0]), (0, [8, 16])]


@pytest.mark.parametrize("plain", [False, True])
def test_rows_with_a_missing_value_go_to_the_children_that_are_needed(plain):
    """The first of two children is not needed; rows 0 and 1 have no value."""
    lines, weights = np.array([0, 1, 2, 3]), np.array([1.0, 2.0, 1.0, 1.0])
    branch_of_row, starts, shares = np.array([-1, -1, 1, 1]), np.array([-1, 0]), np.full(2, 0.5)
    if plain:
        lines, weights = lines.tolist(), weights.tolist()
    partition = partition_rows if plain else found_kernel(partition_rows).loop
    partition(lines, 4, 1, weights, 0, 4, 4, branch_of_row, starts, shares)
    assert (list(lines), list(weights)) == ([0, 1, 2, 3], [0.5, 1.0, 1.0, 1.0])
