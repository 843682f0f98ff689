"""Robustness: at the strength found a prediction is single, and beyond it no longer."""

import copy
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

import wager
from tests.learners.strategies import declared, nominal_problems, rows_to_predict
from wager._tables import Counts
from wager.learners import (
    CredalForest,
    CredalModelAveraging,
    CredalTree,
    EnsembleCredal,
    LazyNaiveCredal,
    NaiveCredal,
    NestedDichotomies,
    NestedDichotomyForest,
    Nondeterministic,
    Rejecting,
    TunedCaution,
)
from wager.learners._single_up_to import first_root, largest_root
from wager.learners.naive._changes import SmallestChange
from wager.learners.naive._ratio import Dominance
from wager.learners.naive._row_counts import RowCountsByClass

COSTS = np.array([[0, 1, 2], [3, 0, 1], [1, 1.5, 0.0]])
GRID = np.geomspace(1e-6, 60, 41)


def rows_and_labels(seed=1, n=50, m=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = np.stack([(y + rng.integers(0, 3, n) * (rng.random(n) < 0.6)) % 3 for _ in range(m)], 1)
    test = rng.integers(-1, 3, (24, m))
    test[0] = -1
    return X, y, test


X, Y, TEST = rows_and_labels()


def refit(model, s):
    return copy.deepcopy(model).set_params(s=s).fit(X, Y)


def redecide(name):
    """What was learned stays; only the strength of the decision changes."""

    def at(model, strength):
        other = copy.copy(model)
        setattr(other, name, strength)
        return other

    return at


def resplit(model, s):
    other = copy.copy(model)
    other._split_models = replace(model._split_models, s=s)
    return other


def half_width(model, h):
    return CredalModelAveraging(t_min=max(0.5 - h, 0.0)).fit(X, Y)


FOREST = RandomForestClassifier(8, max_depth=3, random_state=0)
UNIT = np.linspace(1e-6, 1, 41)
CASES = {
    "global": (NaiveCredal(), refit, GRID),
    "local": (NaiveCredal(idm="local"), refit, GRID),
    "intervals": (NaiveCredal(idm="intervals"), refit, GRID),
    "floor": (NaiveCredal(epsilon=0.05), refit, GRID),
    "contaminated": (NaiveCredal(epsilon=0.05, epsilon_model="contamination"), refit, GRID[::4]),
    "local, contaminated": (
        NaiveCredal(idm="local", epsilon=0.05, epsilon_model="contamination"), refit, GRID,
    ),
    "conservative": (NaiveCredal(missing="conservative", nonmar=[0]), refit, GRID[::4]),
    "costs": (NaiveCredal(costs=COSTS), refit, GRID[::4]),
    "local costs": (NaiveCredal(idm="local", costs=COSTS), refit, GRID),
    "costs of intervals": (NaiveCredal(idm="intervals", costs=COSTS), refit, GRID),
    "reject": (NaiveCredal(reject=0.6), refit, GRID),
    "reject groups": (NaiveCredal(reject=0.6, reject_group=True), refit, GRID),
    "reject groups, costs": (
        NaiveCredal(idm="local", reject=0.3, reject_group=True, costs=COSTS), refit, GRID,
    ),
    "averaging": (CredalModelAveraging(), half_width, np.linspace(1e-6, 0.5, 41)),
    "tree": (CredalTree(s=0.5), redecide("s"), GRID),
    "tree, strict": (CredalTree(s=0.5, dominance="strict"), redecide("s"), GRID),
    "tree, fractional": (CredalTree(s=0.5, missing="fractional"), redecide("s"), GRID),
    "forest": (CredalForest(9, 0.5, random_state=0), redecide("s"), GRID),
    "forest, fractional": (
        CredalForest(9, 0.5, missing="fractional", random_state=0), redecide("s"), GRID,
    ),
    "mean of a forest": (
        CredalForest(9, 0.5, "average", missing="fractional", random_state=0), redecide("s"), GRID,
    ),
    "dichotomies": (NestedDichotomies(random_state=0), resplit, GRID),
    "dichotomies, costs": (NestedDichotomies(random_state=0, costs=COSTS), resplit, GRID),
    "cumulative": (NestedDichotomies(decomposition="cumulative"), resplit, GRID),
    "forest of dichotomies": (NestedDichotomyForest(7, random_state=0), resplit, GRID),
    "votes of dichotomies": (
        NestedDichotomyForest(7, combine="vote", random_state=0, costs=COSTS), resplit, GRID,
    ),
    "leaves": (EnsembleCredal(FOREST, "idm"), redecide("s"), GRID),
    "leaves, costs": (
        EnsembleCredal(FOREST, "idm", rule="e-admissibility", costs=COSTS), redecide("s"), GRID,
    ),
    "F measure": (Nondeterministic(GaussianNB()), redecide("beta"), GRID),
    "rejection": (Rejecting(GaussianNB(), 0.5), redecide("threshold"), UNIT),
    "credal rejection": (Rejecting(NaiveCredal(), 0.5), redecide("threshold"), UNIT),
    "credal rejection of groups, costs": (
        Rejecting(NaiveCredal(costs=COSTS), 0.5, group=True), redecide("threshold"), UNIT,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_predictions_are_single_up_to_the_robustness_and_not_beyond(case):
    """Brute force: every strength of a fine grid, and both sides of the value itself."""
    learner, at, grid = CASES[case]
    model = learner.fit(X, Y)
    found = model.robustness(TEST)
    start = at(model, 1e-9).predict_set(TEST)
    single = start.sum(axis=1) == 1
    np.testing.assert_array_equal(found > 0, single)
    for strength in grid:
        single &= (at(model, strength).predict_set(TEST) == start).all(axis=1)
        clear = np.abs(found / strength - 1) > 1e-7
        np.testing.assert_array_equal(single[clear], (found > strength)[clear], str(strength))
    for i in np.flatnonzero((found > 0) & np.isfinite(found))[:6]:
        below, beyond = (
            at(model, found[i] * factor).predict_set(TEST[[i]])[0]
            for factor in (1 - 1e-6, 1 + 1e-6)
        )
        np.testing.assert_array_equal(below, start[i])
        assert (beyond != start[i]).any()


@given(nominal_problems(), st.floats(0, 3), st.floats(0, 3), st.sampled_from(["global", "local"]))
def test_sets_grow_with_the_strength(problem, s, more, idm):
    codes, y, _, _ = problem
    rows = rows_to_predict(problem)
    small, large = (
        declared(NaiveCredal, problem, s=strength, idm=idm).fit(codes, y).predict_set(rows)
        for strength in (s, s + more)
    )
    assert (small <= large).all()


@given(nominal_problems(), st.sampled_from(["global", "local", "intervals"]))
def test_robustness_separates_single_predictions_from_sets(problem, idm):
    codes, y, _, _ = problem
    rows = rows_to_predict(problem)
    found = declared(NaiveCredal, problem, idm=idm).fit(codes, y).robustness(rows)
    for strength in (0.1, 0.7, 2.0, 9.0):
        model = declared(NaiveCredal, problem, s=strength, idm=idm).fit(codes, y)
        single = model.predict_set(rows).sum(axis=1) == 1
        clear = np.abs(found / strength - 1) > 1e-7
        np.testing.assert_array_equal(single[clear], (found > strength)[clear])


@given(nominal_problems(), st.floats(0.01, 5))
def test_ratios_of_rows_are_those_of_the_tables(problem, s):
    codes, y, n_values, n_classes = problem
    counts, rows = Counts.of(codes, y, n_values, n_classes), rows_to_predict(problem)
    wanted = Dominance(counts, s).log_infimum(rows)
    of_rows = RowCountsByClass.of(counts, rows)
    for c1, c2 in product(range(n_classes), repeat=2):
        if c1 != c2 and counts.classes[c1] > 0:
            every = np.arange(len(rows))
            pairs = of_rows.pair(every, np.full(len(rows), c1), np.full(len(rows), c2))
            found = pairs.log_infimum(np.full(len(rows), s))
            np.testing.assert_allclose(found, wanted[:, c1, c2], atol=1e-9)


def test_the_leaf_of_a_tree_gives_the_difference_of_its_two_largest_counts():
    tree = CredalTree().fit([["a"]] * 7 + [["b"]] * 3, [0] * 5 + [1] * 2 + [1] * 3)
    assert tree.robustness([["a"], ["b"], ["c"]]).tolist() == [3.0, 3.0, 0.0]


def test_lazy_robustness_keeps_the_neighbourhood():
    model = LazyNaiveCredal(s=0.5, k=12).fit(X, Y)
    found = model.robustness(TEST)
    codes = TEST
    ((_, near),) = model._neighbourhoods(codes)
    for i in range(len(codes)):
        # a naive credal classifier on rows with the same counts predicts the same
        one = RowCountsByClass(
            near.n_value[[i]].astype(float), near.n_known[[i]].astype(float),
            near.n_class[[i]].astype(float), codes[[i]] >= 0,
        )  # fmt: skip
        w = int(one.most_probable()[0])
        others = [c for c in range(3) if c != w]
        for s in GRID[::3]:
            pairs = one.pair(np.zeros(2, int), np.full(2, w), np.array(others))
            dominates = (pairs.log_infimum(np.full(2, s)) > 1e-9).all()
            if abs(found[i] / s - 1) > 1e-7:
                assert dominates == (found[i] > s)
    single = model.predict_set(TEST).sum(axis=1) == 1
    np.testing.assert_array_equal(found >= 0.5, single)


def test_one_class_is_robust_at_every_strength_and_a_tie_at_none():
    alone = NaiveCredal(classes=["a"]).fit([[0], [1]], ["a", "a"])
    assert alone.robustness([[0], [1]]).tolist() == [np.inf, np.inf]
    tied = NaiveCredal().fit([[0], [0]], ["a", "b"])
    assert tied.robustness([[0]]).tolist() == [0.0]


def test_the_first_root_counts_where_a_margin_rises_again():
    found = first_root(lambda rows, s: np.cos(s), lambda rows, s: s, 2)
    np.testing.assert_allclose(found, np.pi / 2, rtol=1e-9)
    never = first_root(lambda rows, s: 1 + 0 * s, lambda rows, s: 0 * s + 1e-3, 1)
    assert never.tolist() == [np.inf]


@given(st.lists(st.floats(1e-8, 1e8), min_size=1, max_size=6))
def test_roots_are_found_from_signs_alone_and_from_values(roots):
    wanted = np.array(roots)
    for size in (np.sign, np.tanh, lambda x: x):
        found = largest_root(lambda rows, s, f=size: f(np.log(wanted[rows] / s)), len(wanted))
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


# -- missing values and labels -------------------------------------------------------------------


@given(nominal_problems(gaps=False, least=4), st.floats(0.1, 2))
def test_fewest_missing_values_are_those_of_all_completions(problem, s):
    codes, y, n_values, _ = problem
    model = declared(NaiveCredal, problem, s=s).fit(codes, y)
    for row in rows_to_predict(problem)[:4]:
        x = np.where(row == n_values, -1, row)[None]
        before = model.predict_set(x)[0]
        found = model.robustness(x, of="missing")[0]
        if before.sum() > 1:
            assert found == 0
            continue
        wanted = fewest(model, x, before, n_values)
        assert found == wanted
        change = model.smallest_change(x)
        assert len(change.changes) == (0 if np.isinf(wanted) else wanted)
        assert (change.after != change.before) == np.isfinite(wanted)


def fewest(model, x, before, n_values):
    gaps = np.flatnonzero(x[0] < 0)
    for k in range(1, len(gaps) + 1):
        for chosen in combinations(gaps, k):
            for values in product(*(range(n_values[j]) for j in chosen)):
                filled = x.copy()
                filled[0, list(chosen)] = values
                if (model.predict_set(filled)[0] != before).any():
                    return k
    return np.inf


@pytest.mark.parametrize("seed", range(4))
def test_labels_to_change_lie_between_the_bounds(seed):
    """Every set of one or two labels is tried."""
    train, y, test = rows_and_labels(seed, n=10)
    settings = {"s": 0.5, "classes": np.arange(3), "n_values": [3, 3, 3]}
    model = NaiveCredal(**settings).fit(train, y)
    asked = test[model.predict_set(test).sum(axis=1) == 1][:3]
    for x in asked[:, None]:
        before = model.predict_set(x)[0]
        change = model.smallest_change(x, of="labels", training=(train, y))
        assert change.at_least == model.robustness(x, of="labels")[0] <= len(change.changes)
        labels = y.copy()
        for row, old, new in change.changes:
            assert labels[row] == old
            labels[row] = new
        after = NaiveCredal(**settings).fit(train, labels).predict_set(x)[0]
        assert tuple(np.flatnonzero(after)) == change.after != change.before
        for k in (1, 2):
            if k < change.at_least:
                assert not any(changes(settings, train, y, x, before, k))


def changes(settings, train, y, x, before, k):
    for rows in combinations(range(len(y)), k):
        for new in product(range(3), repeat=k):
            labels = y.copy()
            labels[list(rows)] = new
            yield (NaiveCredal(**settings).fit(train, labels).predict_set(x)[0] != before).any()


def test_a_change_is_told_in_words():
    model = NaiveCredal().fit([["sun"], ["sun"], ["sun"], ["rain"]], ["out", "out", "out", "in"])
    told = str(model.smallest_change([[None]]))
    assert told.startswith("1 missing value changes the prediction from 'out' to")
    assert "completions change it" in told
    labels = model.smallest_change([["sun"]], of="labels")
    assert str(labels) == "At least 1 training label has to be different to change 'out'."


# -- pipelines and errors ------------------------------------------------------------------------


def test_pipelines_pass_the_call_on():
    model = make_pipeline(NaiveCredal()).fit(X, Y)
    np.testing.assert_array_equal(wager.robustness(model, TEST), model[-1].robustness(TEST))
    assert wager.robustness(model, TEST, of="labels").shape == (24,)
    assert wager.explain_set(model, TEST[:1]) == model[-1].explain_set(TEST[:1])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: wager.robustness(GaussianNB().fit(X, Y), X),
            "GaussianNB has no method robustness",
        ),
        (lambda: NaiveCredal().fit(X, Y).robustness(X, of="gaps"), "of must be 'strength'"),
        (
            lambda: NaiveCredal(idm="local").fit(X, Y).robustness(X, of="labels"),
            "changes of missing values and labels need idm='global'",
        ),
        (lambda: EnsembleCredal(FOREST).fit(X, Y).robustness(X), "envelope='minmax' has none"),
        (
            lambda: EnsembleCredal(FOREST, "idm", rule="gamma-maximin").fit(X, Y).robustness(X),
            "'gamma-maximin' names one class at every s",
        ),
        (
            lambda: NestedDichotomies(base=EnsembleCredal(FOREST)).fit(X, Y).robustness(X),
            "robustness needs base=None",
        ),
        (lambda: NaiveCredal().fit(X, Y).explain_set(X), "a table with one row, got 50 rows"),
        (
            lambda: NaiveCredal(idm="intervals").fit(X, Y).explain_set(X[:1]),
            "explain_set needs ratios of two probabilities",
        ),
    ],
)
def test_the_error_names_the_way_out(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("model", ["npi", "npi-approx", "npi-ordinal"])
def test_a_tree_without_a_strength_has_neither_robustness_nor_anything_to_tune(model):
    tree = CredalTree(model=model, classes=[0, 1, 2]).fit(X, Y)
    with pytest.raises(ValueError, match=f"robustness needs a strength, and model='{model}' has"):
        tree.robustness(TEST)
    with pytest.raises(ValueError, match="no strength of CredalTree is known"):
        TunedCaution(CredalTree(model=model)).fit(X, Y)


def test_a_change_is_the_smallest_if_no_smaller_one_can_be_enough():
    def change(before, at_least, *changes):
        return SmallestChange("labels", before, ("b",), at_least, changes)

    assert change(("a",), 1, (0, "a", "b")).is_exact
    assert change(("a",), np.inf).is_exact  # there is none
    assert change(("a", "b"), 0).is_exact  # the prediction is no single class
    assert not change(("a",), 1, (0, "a", "b"), (1, "a", "b")).is_exact


@pytest.mark.parametrize("seed", [3, 5, 9])
def test_the_labels_that_change_a_prediction_most_are_found(seed):
    """On these rows the search by steps finds as few as the bound allows."""
    train, y, test = rows_and_labels(seed, n=40)
    model = NaiveCredal(s=0.5, classes=np.arange(3), n_values=[3, 3, 3]).fit(train, y)
    asked = test[model.predict_set(test).sum(axis=1) == 1][:3]
    assert len(asked)
    for x in asked[:, None]:
        assert model.smallest_change(x, of="labels", training=(train, y)).is_exact
