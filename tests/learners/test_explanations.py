"""Explanations by counts, votes and averages: their numbers by hand, and as predictions have them.

Those of the naive credal classifiers are tested in ``naive/test_explain.py``.
"""

import matplotlib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from tests.learners.strategies import declared, nominal_problems, rows_to_predict
from wager import plots
from wager.learners import (
    BayesianModelAveraging,
    CredalForest,
    CredalModelAveraging,
    CredalNeighbors,
    CredalTree,
    NaiveCredal,
    VoteExplanation,
)
from wager.learners._explain import ClassEvidence

matplotlib.use("Agg")

# a foggy day: 2 out and 1 in with little wind, 5 in with more
DAYS = pd.DataFrame(
    {
        "weather": ["sunny"] * 8 + ["foggy"] * 8,
        "wind": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 2.0, 2.0, 2.0, 5.0, 6.0, 7.0, 8.0, 9.0],
    }
)
PLACE = ["out"] * 8 + ["out", "out", "in"] + ["in"] * 5


def day(*values):
    return pd.DataFrame([values], columns=DAYS.columns)


def check_prediction(model, x):
    """What every explanation says, against the predictions of the model."""
    found = model.explain_set(x)
    kept = model.predict_set(x)[0]
    assert found.kept == tuple(model.classes_[kept].tolist())
    assert found.ruled_out == tuple(model.classes_[~kept].tolist())
    assert found.robustness == model.robustness(x)[0]
    if len(model.classes_) == 1:
        assert found.pair == ()
        assert "there is no other class" in str(found)
    else:
        first, second = found.pair
        assert first in found.kept
        assert (second in found.kept) == (kept.sum() > 1)
    return found


@settings(max_examples=25)
@given(
    nominal_problems(),
    st.sampled_from([0.0, 0.5, 1.0, 2.0]),
    st.sampled_from(["weak", "strict"]),
    st.sampled_from(["mode", "fractional"]),
)
def test_a_tree_is_explained_by_the_counts_of_the_leaf(problem, s, dominance, missing):
    codes, y, _, n_classes = problem
    model = declared(CredalTree, problem, s=s, dominance=dominance, missing=missing).fit(codes, y)
    for x in rows_to_predict(problem)[:4, None]:
        found, bounds = check_prediction(model, x), model.predict_credal(x)
        np.testing.assert_array_equal([one.lower for one in found.evidence], bounds.lower[0])
        np.testing.assert_array_equal([one.upper for one in found.evidence], bounds.upper[0])
        if n_classes > 1 and not np.isnan(found.lead):
            assert found.lead == pytest.approx(found.robustness, abs=1e-6)
            alone = found.lead >= s if dominance == "weak" else found.lead > s
            assert (len(found.kept) == 1) == (alone and found.lead > 0)
            if len(found.path) == 0:
                assert [one.count for one in found.evidence] == model.tree_.counts[0].tolist()


def test_the_sentences_of_a_tree_name_path_counts_and_lead():
    tree = CredalTree(s=2).fit(DAYS, PLACE)
    assert tree.to_text().splitlines()[:2] == ["weather = foggy", "|   wind <= 3: in|out (3): in "
        "[0.20, 0.60], out [0.40, 0.80]"]  # fmt: skip
    found = tree.explain_set(day("foggy", 1.5))
    assert found.path == ("weather = foggy", "wind <= 3")
    # 2 - 1 rows in the leaf; before its test 2 out and 6 in, a lead of 4
    assert (found.lead, found.robustness, found.undecided_by) == (1, 1, ("wind <= 3", "in"))
    assert str(found) == (
        "The classes 'in', 'out' remain, with s = 2. The leaf with weather = foggy and wind <= 3 "
        "has 3 training rows: 2 of class 'out', 1 of class 'in'. 'out' does not dominate 'in': it "
        "leads by 1 row, less than s = 2. Before the test wind <= 3, 'in' would be alone. Up to "
        "s = 1 a single class is predicted."
    )
    assert str(tree.explain_set(day("sunny", 3.0))) == (
        "The prediction is 'out' alone. The leaf with weather = sunny has 8 training rows: 8 of "
        "class 'out', 0 of class 'in'. 'out' leads the closest rival 'in' by 8 rows, more than "
        "s = 2. It stays a single class up to s = 8."
    )


def test_values_that_a_tree_cannot_follow_are_named():
    tree = CredalTree(s=2).fit(DAYS, PLACE)
    new = str(tree.explain_set(day("snowy", 1.0)))
    assert "The leaf with weather = a new value has no training rows. So nothing rules" in new
    assert "No strength s, however small" in new
    gap = tree.explain_set(day(None, 1.0))  # the first of two equally frequent values
    assert gap.filled == ("weather",)
    assert "The row's weather is missing, so usual values count." in str(gap)
    spread = CredalTree(s=2, missing="fractional").fit(DAYS, PLACE).explain_set(day(None, 1.0))
    assert np.isnan(spread.lead)
    # half of 2 out and 1 in, half of 8 out: lower (2/5 + 8/10) / 2, and 0.1 + (2/5 + 2/10) / 2
    assert "Missing values lead to 2 leaves, whose intervals are averaged." in str(spread)
    assert "its lower probability 0.6 reaches the upper probability 0.4 of the other" in str(spread)


def test_bounds_of_one_number_are_said_once():
    X, y = np.arange(30.0)[:, None], ["a"] * 12 + ["b"] * 5 + ["a"] * 2 + ["c"] * 11
    found = CredalTree(s=0.2).fit(X, y).explain_set([[14.0]])
    assert len(found.path) > 2
    assert str(found).count("x0 <= ") + str(found).count("x0 > ") <= 2


@given(st.integers(0, 1000), st.integers(1, 9), st.sampled_from([0.0, 1.0, 2.0, 2.5]))
@settings(max_examples=25)
def test_neighbours_are_explained_by_their_votes(seed, k, s):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(20, 2)), rng.integers(0, 3, 20)
    model = CredalNeighbors(k, s).fit(X, y)
    for x in rng.normal(size=(3, 1, 2)):
        found = check_prediction(model, x)
        nearest = y[np.argsort(((X - x) ** 2).sum(axis=1))[:k]]
        votes = np.bincount(nearest, minlength=3)[model.classes_]
        assert [one.count for one in found.evidence] == votes.tolist()
        assert found.lead == found.robustness == np.sort(votes)[-1] - np.sort(votes)[-2]
        assert (len(found.kept) > 1) == (found.lead <= s)


def test_a_lead_of_s_rows_is_described_as_it_counts():
    X, y = [[0.0], [0.1], [0.2], [1.0], [1.1], [1.3]], ["a", "a", "a", "b", "b", "b"]
    tied = str(CredalNeighbors(3, s=1).fit(X, y).explain_set([[0.62]]))  # a tie at s keeps both
    assert tied == (
        "The classes 'a', 'b' remain, with s = 1. The 3 nearest neighbours have these classes: 2 "
        "of class 'b', 1 of class 'a'. 'b' does not dominate 'a': it leads by 1 row, no more than "
        "s = 1. Below s = 1 a single class is predicted."
    )
    tree = CredalTree(max_depth=0).fit([[0.0]] * 5, ["a", "a", "a", "b", "b"])  # and rules one out
    assert (
        "The tree is one leaf and has 5 training rows: 3 of class 'a', 2 of class 'b'. 'a'"
        in str(tree.explain_set([[0.0]]))
    )
    assert "by 1 row, as many as s = 1." in str(tree.explain_set([[0.0]]))


@pytest.mark.parametrize("combine", ["min-dominated", "average"])
def test_a_forest_is_explained_by_votes_or_mean_intervals(combine):
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 3, (40, 3)), rng.integers(0, 3, 40)
    model = CredalForest(9, s=2, combine=combine, random_state=0).fit(X, y)
    each = [CredalForest(1, s=2).fit(X, y) for _ in range(9)]
    for one, tree in zip(each, model.trees_, strict=True):
        one.trees_ = [tree]
    sizes = set()
    for x in rng.integers(0, 3, (12, 1, 3)):
        found = check_prediction(model, x)
        sizes.add(len(found.kept))
        assert str(found)
        if combine == "average":
            bounds = model.predict_credal(x)
            np.testing.assert_array_equal([one.lower for one in found.evidence], bounds.lower[0])
            continue
        votes = np.sum([one.predict_credal(x).upper[0] > one.predict_credal(x).lower.max() + 1e-9
                        for one in each], axis=0)  # fmt: skip
        assert [one.count for one in found.evidence] == votes.tolist()
        assert f"Of 9 trees, {votes.max()} keep" in str(found)
    assert len(sizes) > 1


def test_a_prediction_that_changes_at_a_smaller_strength_is_not_said_to_stay():
    votes = (ClassEvidence("a", 3.0, 0.6, 0.6), ClassEvidence("b", 2.0, 0.4, 0.4))
    found = VoteExplanation(("a",), ("b",), ("a", "b"), 2.0, 0.5, "Of 5 trees", votes)
    assert str(found) == (
        "The prediction is 'a' alone: more trees keep it than any other class. Of 5 trees, 3 keep "
        "class 'a', 2 keep class 'b'. The closest rival is 'b', 1 tree behind. With "
        "some smaller s the prediction is another one."
    )
    assert [label.get_text() for label in plots.plot_explanation(found).get_yticklabels()] == [
        "a (3)", "b (2)",
    ]  # fmt: skip


@settings(max_examples=25)
@given(nominal_problems(), st.sampled_from([0.0, 0.1, 0.4, 0.5]))
def test_factors_of_model_averaging_multiply_to_the_least_ratio(problem, t_min):
    codes, y, _, n_classes = problem
    model = declared(CredalModelAveraging, problem, t_min=t_min).fit(codes, y)
    for x in rows_to_predict(problem)[:3, None]:
        found = check_prediction(model, x)
        if n_classes > 1:
            product = np.prod([one.factor for one in found.factors])
            assert found.ratio == pytest.approx(product, rel=1e-9)
            assert (found.ratio > 1 + 1e-9) == (len(found.kept) == 1)
            plain = np.prod([one.frequency_factor for one in found.factors])
            a, b = found.pair
            middle = model.predict_proba(x)[0]
            assert plain == pytest.approx(middle[a] / middle[b], rel=1e-6)


def test_the_least_ratio_of_one_feature_is_that_of_an_extreme_model_average():
    X, y = [["p"]] * 6 + [["q"]] * 5, ["a"] * 4 + ["b"] * 4 + ["a"] * 3
    found = CredalModelAveraging(t_min=0.1).fit(X, y).explain_set([["p"]])
    assert found.pair == ("a", "b")
    ends = [BayesianModelAveraging(inclusion=t).fit(X, y).predict_proba([["p"]])[0]
            for t in (0.1, 0.9)]  # fmt: skip
    assert found.ratio == pytest.approx(min(a / b for a, b in ends), rel=1e-9)
    assert found.s == pytest.approx(0.4)
    assert "inclusion probabilities between 0.1 and 0.9" in str(found)


def test_a_tie_of_model_averages_is_said():
    X, y = [["p"], ["q"]] * 4, ["a", "b", "b", "a"] * 2
    found = CredalModelAveraging().fit(X, y).explain_set([[None]])
    assert "Even with all inclusion probabilities equal to 0.5, several classes" in str(found)


def test_the_limit_is_below_s_where_the_prediction_at_s_is_not_single():
    X = [["sunny"], ["sunny"], ["sunny"], ["rainy"], ["rainy"], ["foggy"]]
    model = NaiveCredal().fit(X, ["out", "out", "out", "in", "in", "in"])
    assert str(model.explain_set([["foggy"]])).endswith("Below s = 1 a single class is predicted.")


def test_many_classes_are_drawn_and_listed_in_part():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 1)), np.arange(80) % 20
    found = CredalNeighbors(60).fit(X, y).explain_set(X[:1])
    assert "each of the 16 others." in str(found)
    shown = [label.get_text() for label in plots.plot_explanation(found).get_yticklabels()]
    assert len(shown) == 12
    assert shown[-1] == "9 others, at most"


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (CredalTree(), "x must be a table with one row, got 16 rows"),
        (CredalForest(2, random_state=0), "x must be a table with one row, got 16 rows"),
        (CredalTree(model="npi"), "explain_set needs a strength, and model='npi' has none"),
    ],
)
def test_the_error_names_the_way_out(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(DAYS, PLACE).explain_set(DAYS)


def test_neighbours_of_several_rows_are_refused():
    with pytest.raises(ValueError, match="x must be a table with one row, got 2 rows"):
        CredalNeighbors(1).fit([[0.0], [1.0]], ["a", "b"]).explain_set([[0.0], [1.0]])
