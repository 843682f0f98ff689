"""The lazy naive credal classifier against a slow version, its laws, and scikit-learn's checks."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

from wager._tables import Counts
from wager.learners import LazyNaiveCredal, NaiveCredal
from wager.learners.naive._distances import ValueDifferences
from wager.learners.naive._ratio import Dominance


def by_sorting(X, y, row, n_values, n_classes, s, k, step, max_tries, published):
    """The classifier as its text says it: sort by distance, count, decide, take more."""
    n = len(X)
    distance = ((row != X) | (X < 0) | (row < 0)).sum(axis=1)
    order = np.argsort(distance, kind="stable")
    d = distance[order]
    last = n - 1 if published else n

    def over_ties(stop):
        while stop < last and d[stop] == d[stop - 1]:
            stop += 1
        return stop

    stop = over_ties(min(k, n))
    if d[stop - 1] == 0 and stop < n:
        stop = over_ties(stop + 1)
    for _ in range(max_tries):
        near = order[:stop]
        counts = Counts.of(X[near], y[near], n_values, n_classes)
        kept = Dominance(counts, s).undominated(row[None])[0]
        if kept.sum() == 1 or stop >= last:
            break
        stop = over_ties(stop + step) if stop + step < n else last
    return kept, counts


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, m, n_classes = draw(st.integers(1, 80)), draw(st.integers(1, 6)), draw(st.integers(2, 4))
    least = draw(st.sampled_from([-1, 0]))
    X, y = rng.integers(least, 3, (n, m)), rng.integers(0, n_classes, n)
    X[:, 0] = np.where(rng.random(n) < 0.7, y % 3, X[:, 0])  # something to learn
    return X, y, rng.integers(least, 4, (4, m)), n_classes


settings_of_it = st.fixed_dictionaries(
    {
        "s": st.sampled_from([0.0, 0.5, 1.0, 2.0, 1e6]),
        "k": st.sampled_from([1, 3, 10, 25, 100]),
        "step": st.sampled_from([1, 5, 20]),
        "max_tries": st.sampled_from([1, 2, 50]),
        "published": st.booleans(),
    }
)


@given(problems(), settings_of_it)
def test_neighbourhoods_grow_as_in_the_text(problem, arguments):
    X, y, rows, n_classes = problem
    n_values = np.full(X.shape[1], 3)
    model = LazyNaiveCredal(**arguments, classes=range(n_classes), n_values=n_values).fit(X, y)
    found = model.predict_set(rows)
    for i, row in enumerate(rows):
        expected, counts = by_sorting(X, y, row, n_values, n_classes, **arguments)
        np.testing.assert_array_equal(found[i], expected)
        around = NaiveCredal(arguments["s"]).fit_counts(counts)
        one = rows[i : i + 1]
        np.testing.assert_allclose(model.predict_proba(one), around.predict_proba(one), atol=1e-7)
        ours, theirs = model.predict_credal(one), around.predict_credal(one)
        np.testing.assert_allclose(ours.lower, theirs.lower, atol=1e-9)
        np.testing.assert_allclose(ours.upper, theirs.upper, atol=1e-9)


def value_difference(X, y, j, a, b):
    """The metric's definition for two values of a feature, None where a value has no rows."""
    rows = [y[X[:, j] == value] for value in (a, b)]
    if a < 0 or b < 0 or not all(map(len, rows)):
        return None
    classes = range(y.max() + 1)
    return sum(abs((rows[0] == c).mean() - (rows[1] == c).mean()) for c in classes)


def by_value_differences(X, y, row):
    """The modified value difference metric, pair by pair."""
    distance = np.zeros(len(X))
    for j in range(X.shape[1]):
        seen = np.unique(X[:, j][X[:, j] >= 0])
        pairs = [value_difference(X, y, j, a, b) for i, a in enumerate(seen) for b in seen[:i]]
        usual = np.mean(pairs) if pairs else 0.0
        found = [value_difference(X, y, j, a, row[j]) for a in X[:, j]]
        distance += [usual if d is None else d for d in found]
    return distance


def by_weights(X, y, row, n_values, n_classes, s, k, step, max_tries, published, metric, weights):
    """Neighbours by any distance, counted by weights, as the text says it."""
    n = len(X)
    if metric == "mvdm":
        distance = by_value_differences(X, y, row).round(9)
    else:
        distance = np.sqrt(((row != X) | (X < 0) | (row < 0)).sum(axis=1))
    order = np.argsort(distance, kind="stable")
    d = distance[order]
    last = n - 1 if published else n

    def over_ties(stop):
        while stop < last and abs(d[stop] - d[stop - 1]) < 1e-8:
            stop += 1
        return stop

    def weighed(stop):
        if weights == "uniform" or d[stop - 1] == 0:
            return np.ones(stop)
        w = 1.0001 - d[:stop] / d[stop - 1]
        return w * stop / w.sum()

    stop = over_ties(min(k, n))
    if d[stop - 1] == 0 and stop < n:
        stop = over_ties(stop + 1)
    for _ in range(max_tries):
        near, w = order[:stop], weighed(stop)
        counts = weighted_counts(X[near], y[near], w, n_values, n_classes)
        kept = Dominance(counts, s).undominated(row[None])[0]
        if kept.sum() == 1 or stop >= last:
            break
        stop = over_ties(stop + step) if stop + step < n else last
    return kept, counts


def weighted_counts(X, y, w, n_values, n_classes):
    """Sums of weights in the place of counts."""
    empty = Counts.of(X[:0], y[:0], n_values, n_classes)
    values = np.zeros(empty.values.shape)
    for row, c, weight in zip(X, y, w, strict=True):
        for j in np.flatnonzero(row >= 0):
            values[empty.offsets[j] + row[j], c] += weight
    return replace(empty, values=values, classes=np.bincount(y, w, n_classes))


@given(
    problems(),
    settings_of_it,
    st.sampled_from([("overlap", "linear"), ("mvdm", "uniform"), ("mvdm", "linear")]),
)
def test_other_metrics_and_weights_follow_the_text(problem, arguments, variant):
    X, y, rows, n_classes = problem
    n_values = np.full(X.shape[1], 3)
    options = dict(zip(("metric", "weights"), variant, strict=True))
    declared = {"classes": range(n_classes), "n_values": n_values}
    model = LazyNaiveCredal(**arguments, **options, **declared).fit(X, y)
    sets, proba, credal = (
        ask(rows) for ask in (model.predict_set, model.predict_proba, model.predict_credal)
    )
    for i, row in enumerate(rows):
        expected, counts = by_weights(X, y, row, n_values, n_classes, **arguments, **options)
        np.testing.assert_array_equal(sets[i], expected)
        around = NaiveCredal(arguments["s"]).fit_counts(counts)
        one = rows[i : i + 1]
        np.testing.assert_allclose(proba[i], around.predict_proba(one)[0], atol=1e-6)
        np.testing.assert_allclose(credal.lower[i], around.predict_credal(one).lower[0], atol=1e-6)
    assert sets[np.arange(len(rows)), model.predict(rows)].all()


@given(problems(), settings_of_it)
def test_the_ranked_loops_agree_with_the_levels(problem, arguments):
    """Two programs for the same rule: neighbours by sorting, and by levels of distance."""
    X, y, rows, n_classes = problem
    model = LazyNaiveCredal(**arguments, classes=range(n_classes)).fit(X, y)
    codes = model.schema_.codes(rows)
    columns = np.ascontiguousarray(model._rows.T)
    for ours, other in zip(
        model._search(codes, columns), model._search_ranked(codes, columns), strict=True
    ):
        np.testing.assert_array_equal(ours, other)


def test_weights_and_metric_by_hand():
    # of three neighbours at distance 0, 1 and 1 of two features, the near one has most weight
    X, y = np.array([[0, 0], [0, 1], [1, 0]]), np.array([0, 1, 1])
    model = LazyNaiveCredal(k=3, weights="linear").fit(X, y)
    w = np.array([1.0001, 0.0001, 0.0001]) * 3 / 1.0003
    share = (w[0] + 0.5) / 4, (w[1] + w[2] + 0.5) / 4
    first = share[0] * ((w[0] + 0.25) / (w[0] + 0.5)) ** 2
    second = share[1] * ((w[1] + 0.25) / (w[1] + w[2] + 0.5)) ** 2
    proba = model.predict_proba([[0, 0]])[0]
    np.testing.assert_allclose(proba, np.array([first, second]) / (first + second))
    # the values 0 and 1 of the first feature go with the same classes, so they are the same to MVDM
    X, y = np.array([[0, 0], [1, 0], [0, 1], [1, 1]] * 5), np.array([0, 0, 1, 1] * 5)
    nearest = LazyNaiveCredal(k=1, metric="mvdm").fit(X, y)._neighbourhoods(np.array([[0, 0]]))
    ((_, found),) = nearest
    assert found.sizes.tolist() == [20]  # all ten at distance 0, then the next level


def test_a_value_without_rows_is_as_far_as_two_values_are_on_average():
    codes, y = np.array([[0], [1], [2], [-1]]), np.array([0, 1, 1, 0])
    metric = ValueDifferences.of(codes, y, np.array([4]), 2)
    usual = (2 + 2 + 0) / 3  # of the pairs of values that have rows
    for unknown, known in ((3, True), (4, True), (0, False)):
        far = metric.radius(metric.between(np.array([unknown]), np.array([known])))
        np.testing.assert_allclose(far, [usual] * 4)
    far = metric.radius(metric.between(np.array([1]), np.array([True])))
    np.testing.assert_allclose(far, [2, 0, 0, usual])


@given(problems(), st.sampled_from([0.5, 1.0, 3.0]))
def test_with_all_rows_as_neighbours_it_is_the_naive_credal_classifier(problem, s):
    X, y, rows, n_classes = problem
    declared = {"classes": range(n_classes), "n_values": np.full(X.shape[1], 3)}
    lazy = LazyNaiveCredal(s, k=len(X), **declared).fit(X, y)
    plain = NaiveCredal(s, **declared).fit(X, y)
    np.testing.assert_array_equal(lazy.predict_set(rows), plain.predict_set(rows))


@given(problems())
def test_the_forced_choice_lies_in_the_set_and_the_centre_in_the_intervals(problem):
    X, y, rows, n_classes = problem
    model = LazyNaiveCredal(classes=range(n_classes)).fit(X, y)
    sets, proba, credal = (ask(rows) for ask in (
        model.predict_set, model.predict_proba, model.predict_credal
    ))  # fmt: skip
    assert sets[np.arange(len(rows)), model.predict(rows)].all()
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert (credal.lower <= proba + 1e-9).all()
    assert (proba <= credal.upper + 1e-9).all()


def test_threads_change_nothing():
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 3, (200, 5)), rng.integers(0, 3, 200)
    one, two = (LazyNaiveCredal(n_jobs=jobs).fit(X, y) for jobs in (None, 2))
    np.testing.assert_array_equal(one.predict_set(X), two.predict_set(X))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


@pytest.mark.parametrize("values", [pytest.param(3, marks=pytest.mark.long), 300, 70_000])
def test_many_values_and_many_features_fit_their_codes(values):
    rng = np.random.default_rng(values)
    X, y = rng.integers(0, 3, (30, 300)), rng.integers(0, 2, 30)
    X[:, 0] = values - 1 - X[:, 0]
    model = LazyNaiveCredal(k=1, step=1).fit(X, y)
    # a row is its own nearest neighbour, and the next one joins it because the distance is 0
    row, expected = X[:1], by_sorting(
        X, y, X[0], X.max(axis=0) + 1, 2, s=1.0, k=1, step=1, max_tries=50, published=False
    )[0]  # fmt: skip
    np.testing.assert_array_equal(model.predict_set(row)[0], expected)


def test_extreme_rows_get_an_answer():
    X, y = np.zeros((12, 500), dtype=int), np.array([0] * 11 + [1])
    model = LazyNaiveCredal(classes=[0, 1, 2], n_values=np.full(500, 2)).fit(X, y)
    missing, unseen = np.full((1, 500), -1), np.ones((1, 500), dtype=int)
    assert model.predict_set(missing).tolist() == [[True, False, False]]  # 11 > 1 + s
    assert model.predict_set(unseen).all()
    assert np.isfinite(model.predict_proba(np.vstack([missing, unseen]))).all()
    # with the weight of a million rows even 500 equal values are not enough
    assert LazyNaiveCredal(1e6).fit(X, y).predict_set(X[:1]).all()
    single = LazyNaiveCredal().fit([["a"]], ["u"])
    assert single.predict_set([["a"], ["b"], [None]]).tolist() == [[True]] * 3


def test_a_pickled_model_predicts_the_same():
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 3, (50, 4)), rng.integers(0, 3, 50)
    model = LazyNaiveCredal().fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_set(X), model.predict_set(X))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"s": -1}, "s must be a number of rows"),
        ({"k": 0}, "k must be a whole number, 1 or more, got 0"),
        ({"step": 1.5}, "step must be a whole number"),
        ({"max_tries": 0}, "max_tries must be a whole number"),
        ({"weights": "distance"}, "weights must be 'uniform' or 'linear', got 'distance'"),
        ({"metric": "hamming"}, "metric must be 'overlap' or 'mvdm', got 'hamming'"),
    ],
)
def test_bad_arguments_raise_clear_errors(arguments, words):
    with pytest.raises(ValueError, match=words):
        LazyNaiveCredal(**arguments).fit([[0], [1]], [0, 1])


@parametrize_with_checks([LazyNaiveCredal(), LazyNaiveCredal(weights="linear", metric="mvdm")])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@pytest.mark.parametrize("variant", [{}, {"weights": "linear"}, {"metric": "mvdm"}])
def test_equal_rows_get_the_neighbours_of_a_search_for_each(variant, monkeypatch):
    rng = np.random.default_rng(3)
    X, y = rng.integers(-1, 3, (80, 3)), rng.integers(3, size=80)
    model = LazyNaiveCredal(k=5, **variant).fit(X, y)
    rows = np.vstack([X, X[::-1], [[3, 9, -1]] * 2])  # with values that training did not see
    methods = (model.predict_set, model.predict_proba, model.robustness)
    found = [method(rows).tobytes() for method in methods]
    each = slice(None), slice(None)
    monkeypatch.setattr(LazyNaiveCredal, "_distinct", lambda *_: each)
    assert found == [method(rows).tobytes() for method in methods]


def test_codes_beyond_255_are_not_taken_for_smaller_ones():
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.choice([0, 1, 256, 257], 60), rng.integers(0, 2, 60)])
    y, n_values = (X[:, 0] > 255).astype(int), np.array([300, 2])
    model = LazyNaiveCredal(k=5, classes=[0, 1], n_values=n_values).fit(X, y)
    rows = np.array([[0, 0], [1, 1], [256, 0], [257, 1]])
    assert model.predict_set(rows).tolist() == [[True, False]] * 2 + [[False, True]] * 2
