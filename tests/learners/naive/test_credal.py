"""The naive credal classifier: laws of dominance, slow versions, and scikit-learn's checks."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from wager._tables import Counts
from wager.costs import CostMatrix
from wager.credal import decide
from wager.learners import NaiveBayes, NaiveCredal
from wager.learners._base import TIE
from wager.learners.naive._ratio import Dominance
from wager.learners.naive._variants import Conservative, Contaminated
from wager.metrics import make_set_scorer, utility_discounted_accuracy
from wager.predictions import predict_set
from wager.prepare import MDLDiscretizer


@st.composite
def problems(draw, missing=True):
    """Counts of a small random training set, and rows to predict (gaps and unseen values too)."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_classes, m = draw(st.integers(2, 5)), draw(st.integers(0, 6))
    n = draw(st.integers(1, 60))
    least = -1 if missing else 0
    X, y = rng.integers(least, 3, (n, m)), rng.integers(0, n_classes, n)
    counts = Counts.of(X, y, np.full(m, 3), n_classes)
    return counts, rng.integers(least, 4 if missing else 3, (12, m))


strengths = st.sampled_from([0.0, 0.1, 0.5, 1.0, 2.0, 10.0, 1e6])


@given(problems(), strengths, st.sampled_from([0.0, 0.01, 0.2]))
def test_the_compiled_decision_is_the_sign_of_the_least_ratio(problem, s, floor):
    counts, rows = problem
    model = Dominance(counts, s, floor)
    least = model.log_infimum(rows)
    clear = ~(np.abs(least - TIE) < 1e-8).any(axis=(1, 2))
    expected = ~(least > TIE).any(axis=1)
    np.testing.assert_array_equal(model.undominated(rows)[clear], expected[clear])


@given(problems(), st.sampled_from([0.1, 1.0, 2.0]), st.sampled_from([0.0, 0.05]))
def test_the_least_ratio_is_that_of_a_fine_grid(problem, s, floor):
    counts, rows = problem
    model = Dominance(counts, s, floor)
    least = model.log_infimum(rows)
    from wager.learners.naive._ratio import _Rows

    gathered = _Rows.of(model, rows)
    low, high = model.range
    for x in np.linspace(low, high, 41)[1:-1]:
        for c1, c2 in product(range(len(counts.classes)), repeat=2):
            if c1 != c2:
                value = gathered.value(c1, c2, np.full(len(rows), x))
                assert (least[:, c1, c2] <= value + 1e-9).all()


@given(problems(), st.sampled_from([0.0, 0.01]))
def test_sets_are_nested_in_s(problem, floor):
    counts, rows = problem
    narrow = Dominance(counts, 0.5, floor).undominated(rows)
    wide = Dominance(counts, 2.0, floor).undominated(rows)
    if floor == 0:  # a floor of s * epsilon is a different set of priors for each s
        assert (narrow <= wide).all()
    assert narrow.any(axis=1).all()


@given(problems(), st.sampled_from([0.3, 1.0, 3.0]))
def test_global_sets_lie_in_local_sets_and_those_in_the_interval_ones(problem, s):
    counts, rows = problem
    exact = NaiveCredal(s).fit_counts(counts).predict_set(rows)
    local = NaiveCredal(s, idm="local").fit_counts(counts).predict_set(rows)
    intervals = NaiveCredal(s, idm="intervals").fit_counts(counts).predict_set(rows)
    assert (exact <= local).all()
    assert (exact <= intervals).all()


@given(problems(), st.sampled_from([0.3, 1.0, 3.0]))
def test_the_class_of_the_perks_prior_is_never_left_out(problem, s):
    counts, rows = problem
    sets = NaiveCredal(s).fit_counts(counts).predict_set(rows)
    best = NaiveBayes("perks", s, categorical_features="all").fit_counts(counts).predict_proba(rows)
    assert sets[np.arange(len(rows)), best.argmax(axis=1)].all()


@given(problems(missing=False))
def test_without_strength_it_is_maximum_likelihood_naive_bayes(problem):
    counts, rows = problem
    n = counts.values.astype(float)
    if len(counts.n_values) == 0 or (n == 0).any() or (counts.classes == 0).any():
        return
    sets = NaiveCredal(0.0).fit_counts(counts).predict_set(rows)
    offsets = counts.offsets
    logs = np.log(counts.classes) + sum(
        np.log(n[offsets[j] + rows[:, j]] / counts.observed[j]) for j in range(rows.shape[1])
    )
    np.testing.assert_array_equal(sets, logs >= logs.max(axis=1, keepdims=True) - 1e-9)


@pytest.mark.long
@given(problems(), st.sampled_from([0.5, 1.0]))
def test_contamination_without_a_share_is_the_exact_model(problem, s):
    counts, rows = problem
    exact = Dominance(counts, s).log_infimum(rows)
    contaminated = Contaminated(counts, s, 0.0).log_infimum(rows)
    finite = np.isfinite(exact)
    np.testing.assert_allclose(contaminated[finite], exact[finite], atol=1e-6)


@given(problems(), st.sampled_from([0.05, 0.3]))
def test_contamination_only_narrows_the_sets(problem, epsilon):
    counts, rows = problem
    exact = NaiveCredal().fit_counts(counts).predict_set(rows)
    model = NaiveCredal(epsilon=epsilon, epsilon_model="contamination")
    assert (model.fit_counts(counts).predict_set(rows) <= exact).all()


@pytest.mark.long
@given(problems(), st.sampled_from([0.0, 0.5, 1.0, 3.0]), st.sampled_from([0.01, 0.2, 0.9]))
def test_contaminated_sets_are_those_of_a_search_of_every_pair(problem, s, epsilon):
    counts, rows = problem
    model = Contaminated(counts, s, epsilon)
    searched = model.log_infimum(rows)
    near = (np.abs(searched) < 1e-8).any(axis=(1, 2))  # a tie within the precision of the search
    slowly = ~(searched > TIE).any(axis=1)
    np.testing.assert_array_equal(model.undominated(rows)[~near], slowly[~near])


@pytest.mark.long
@given(problems(), st.sampled_from([0.5, 1.0]), st.sampled_from([0.01, 0.2]))
def test_bounds_of_the_contaminated_ratio_contain_its_least_value(problem, s, epsilon):
    counts, rows = problem
    model = Contaminated(counts, s, epsilon)
    least, most = model._tables.bounds(rows)
    searched = model.log_infimum(rows)
    other = ~np.eye(counts.n_classes, dtype=bool)
    assert (least <= searched + 1e-9)[:, other].all()
    assert (searched <= most + 1e-6)[:, other].all()


@given(st.integers(0, 2**32 - 1))
def test_conservative_sets_contain_those_of_every_completion(seed):
    """NCC2 by enumeration: complete training and test rows in all ways, take the union of sets."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 2, (9, 2)), rng.integers(0, 2, 9)
    gaps = [(i, rng.integers(0, 2)) for i in rng.choice(9, 2, replace=False)]
    row = rng.integers(0, 2, (1, 2))
    test_gap = rng.random() < 0.5
    union = np.zeros(2, dtype=bool)
    for values in product(range(2), repeat=len(gaps) + test_gap):
        completed, filled = X.copy(), row.copy()
        for (i, j), value in zip(gaps, values, strict=False):
            completed[i, j] = value
        if test_gap:
            filled[0, 0] = values[-1]
        counts = Counts.of(completed, y, np.full(2, 2), 2)
        union |= Dominance(counts, 1.0).undominated(filled)[0]
    holed, asked = X.copy(), row.copy()
    for i, j in gaps:
        holed[i, j] = -1
    if test_gap:
        asked[0, 0] = -1
    counts = Counts.of(holed, y, np.full(2, 2), 2)
    sets = Conservative(counts, 1.0, np.ones(2, dtype=bool)).undominated(asked)[0]
    assert (union <= sets).all()
    model = NaiveCredal(missing="conservative").fit_counts(counts)
    np.testing.assert_array_equal(model.predict_set(asked)[0], sets)


@pytest.mark.long
@given(problems(missing=False))
def test_conservative_without_gaps_is_the_exact_model(problem):
    counts, rows = problem
    unknown = np.ones(len(counts.n_values), dtype=bool)
    conservative = Conservative(counts, 1.0, unknown).log_infimum(rows)
    exact = Dominance(counts, 1.0).log_infimum(rows)
    finite = np.isfinite(exact)
    np.testing.assert_allclose(conservative[finite], exact[finite], atol=1e-7)


def test_classes_with_equal_counts_share_their_pairs():
    X = np.array([[0, 1], [0, 1], [1, -1], [1, -1], [0, 0]])
    counts = Counts.of(X, np.array([1, 3, 1, 3, 4]), np.full(2, 2), 6)  # 0, 2 and 5 never occur
    model, rows = Conservative(counts, 1.0, np.ones(2, dtype=bool)), np.array([[0, 1], [1, -1]])
    found = model.log_infimum(rows)
    n = model._padded.values[model._padded.starts + rows]
    for c1, c2 in permutations(range(6), 2):
        np.testing.assert_array_equal(found[:, c1, c2], model._least(rows, n, c1, c2))
    assert np.isnan(found[:, range(6), range(6)]).all()
    np.testing.assert_array_equal(model.undominated(rows), ~(found > TIE).any(axis=1))


@given(problems())
def test_rejection_keeps_the_set_or_predicts_every_class(problem):
    counts, rows = problem
    plain = NaiveCredal().fit_counts(counts)
    rejecting = NaiveCredal(reject=0.6).fit_counts(counts)
    sure = plain.predict_credal(rows).lower.max(axis=1) > 0.6 + 1e-9
    sets = rejecting.predict_set(rows)
    np.testing.assert_array_equal(sets[sure], plain.predict_set(rows)[sure])
    assert sets[~sure].all()


def test_zero_counts_everywhere_and_500_features_do_not_overflow():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (40, 500)), rng.integers(0, 3, 40)
    for s in (0.0, 1.0, 1e6):
        model = NaiveCredal(s, classes=range(4), n_values=np.full(500, 3)).fit(X, y)
        sets = model.predict_set(np.full((2, 500), 2))  # values that no training row has
        assert sets.all()
        credal = model.predict_credal(X[:5])
        assert np.isfinite(credal.lower).all()
        assert credal.is_proper.all()
        assert np.isfinite(model.predict_proba(X[:5])).all()


def test_a_row_without_any_value_is_decided_by_the_class_counts():
    X, y = np.zeros((10, 1), dtype=int), np.array([0] * 8 + [1] * 2)
    missing = np.array([[-1]])
    assert NaiveCredal(1.0).fit(X, y).predict_set(missing).tolist() == [[True, False]]
    assert NaiveCredal(7.0).fit(X, y).predict_set(missing).tolist() == [[True, True]]


def test_a_declared_class_without_rows_is_kept_as_a_real_one():
    X, y = [["a"], ["a"], ["b"]], ["u", "u", "v"]
    model = NaiveCredal(classes=["u", "v", "w"]).fit(X, y)
    assert model.predict_set([["b"]])[0, 2]
    dropped = NaiveCredal(classes=["u", "v", "w"], empty_classes="drop").fit(X, y)
    assert dropped.classes_.tolist() == ["u", "v"]


@given(problems())
def test_costs_decide_what_maximality_keeps(problem):
    counts, rows = problem
    labels = np.arange(len(counts.classes))
    plain = NaiveCredal(2, idm="intervals").fit_counts(counts)
    zero_one = NaiveCredal(2, idm="intervals", costs=CostMatrix.zero_one(labels))
    ordinal = NaiveCredal(2, idm="intervals", costs=CostMatrix.ordinal(labels)).fit_counts(counts)
    expected = decide(plain.predict_credal(rows), costs=CostMatrix.ordinal(labels))
    np.testing.assert_array_equal(ordinal.predict_set(rows), np.asarray(expected))
    np.testing.assert_array_equal(
        zero_one.fit_counts(counts).predict_set(rows), plain.predict_set(rows)
    )


def test_it_is_tuned_scored_and_piped_like_any_estimator():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    scorer = make_set_scorer(utility_discounted_accuracy, utility="u65")
    pipe = make_pipeline(MDLDiscretizer(), NaiveCredal())
    search = GridSearchCV(pipe, {"naivecredal__s": [0.5, 1.0, 4.0]}, scoring=scorer, cv=3)
    assert search.fit(X, y).best_score_ > 0.9
    assert (cross_validate(pipe, X, y, scoring=scorer, cv=3)["test_score"] > 0.85).all()
    sets = predict_set(search, X)
    named = search.predict(X)
    assert sets[np.arange(len(X)), np.searchsorted(search.classes_, named)].all()


def test_a_pickled_model_predicts_the_same():
    import pickle

    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 3, (50, 4)), rng.integers(0, 3, 50)
    model = NaiveCredal().fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_set(X), model.predict_set(X))
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"s": -1}, "s must be a number of rows"),
        ({"idm": "other"}, "idm must be 'global', 'local' or 'intervals', got 'other'"),
        ({"epsilon": 1.5}, "epsilon must be at least 0 and below 1"),
        ({"epsilon": [0.1, 0.1]}, "an epsilon per feature needs epsilon_model='contamination'"),
        ({"costs": [[0, 2], [1, 0]], "epsilon": 0.1}, "or set idm='intervals'"),
        ({"missing": "conservative", "idm": "local"}, "needs idm='global' and epsilon=0"),
    ],
)
def test_bad_arguments_raise_clear_errors(arguments, words):
    with pytest.raises(ValueError, match=words):
        NaiveCredal(**arguments).fit([[0], [1]], [0, 1])


def test_an_unseen_value_is_a_zero_count_or_left_out_or_refused():
    X, y = [["a"], ["a"], ["a"], ["b"]], [0, 0, 0, 1]
    assert NaiveCredal().fit(X, y).predict_set([["c"]]).tolist() == [[True, True]]
    skipped = NaiveCredal(unseen="missing").fit(X, y).predict_set([["c"]])
    assert skipped.tolist() == NaiveCredal().fit(X, y).predict_set([[None]]).tolist()
    with pytest.raises(ValueError, match="row 0 has a value in column 0"):
        NaiveCredal(unseen="error").fit(X, y).predict_set([["c"]])


@parametrize_with_checks([NaiveCredal(), NaiveCredal(idm="intervals")])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)
