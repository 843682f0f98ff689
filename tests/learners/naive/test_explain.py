"""Explanations of sets: the factors multiply to the least ratio, and the words say what is so."""

import matplotlib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from tests.learners.strategies import declared, nominal_problems, rows_to_predict
from wager import plots
from wager.learners import LazyNaiveCredal, NaiveCredal

matplotlib.use("Agg")

WEATHER = pd.DataFrame(
    {
        "weather": ["sunny"] * 4 + ["rainy"] * 3 + ["foggy"],
        "wind": ["low", "low", "high", "low", "high", "high", "low", "high"],
    }
)
PLACE = ["out"] * 4 + ["in"] * 4


def row(*values):
    return pd.DataFrame([values], columns=WEATHER.columns)


@given(nominal_problems(), st.floats(0.1, 3), st.sampled_from(["global", "local"]))
def test_factors_multiply_to_the_least_ratio_of_the_pair(problem, s, idm):
    codes, y, _, n_classes = problem
    model = declared(NaiveCredal, problem, s=s, idm=idm).fit(codes, y)
    for x in rows_to_predict(problem)[:3, None]:
        found = model.explain_set(x)
        assert found.kept == tuple(np.flatnonzero(model.predict_set(x)[0]))
        assert found.robustness == model.robustness(x)[0]
        if n_classes == 1:
            assert found.pair == ()
            continue
        a, b = found.pair
        product = np.prod([one.factor for one in found.factors])
        assert found.ratio == pytest.approx(np.exp(model.log_dominance(x)[0, a, b]), abs=1e-9)
        assert found.ratio == pytest.approx(product, rel=1e-9, abs=1e-12)
        assert (found.ratio > 1 + 1e-9) == (len(found.kept) == 1)


def test_a_zero_count_and_the_changes_that_decide_are_named():
    model = NaiveCredal().fit(WEATHER, PLACE)
    found = model.explain_set(row("foggy", "low"))
    assert found.kept == ("in", "out")
    assert found.pair == ("in", "out")
    assert str(found) == (
        "The classes 'in', 'out' remain, with s = 1. 'in' does not dominate 'out': the least ratio "
        "of their probabilities is 0.312, which does not exceed 1. wind = 'low' multiplies the "
        "ratio by 0.312, the strongest evidence against 'in'. 'out' does not dominate 'in' either: "
        "none of its rows has weather = 'foggy'. Leaving out weather would leave 'out' alone. "
        "Instead, weather = 'sunny' would leave 'out' alone; wind = 'high' would leave 'in' alone. "
        "Up to s = 0.325 a single class is predicted."
    )
    for name, value, label in found.changes:
        changed = row("foggy", "low").assign(**{name: value})
        assert model.classes_[model.predict_set(changed)[0]].tolist() == [label]


def test_a_value_that_was_never_seen_makes_the_ratio_0():
    found = NaiveCredal().fit(WEATHER, PLACE).explain_set(row("snow", "low"))
    assert found.ratio == 0
    assert found.zero_counts == ("weather",)
    assert "No training row of class 'out' has weather =" in str(found)
    assert "No strength s, however small" in str(found)


def test_a_single_class_is_explained_by_its_closest_rival():
    found = NaiveCredal().fit(WEATHER, PLACE).explain_set(row("sunny", "low"))
    assert found.kept == ("out",)
    assert found.pair == ("out", "in")
    assert found.ratio > 1
    assert "weather = 'sunny' speaks most for 'out'" in str(found)
    assert "It stays a single class up to s = 4.61." in str(found)


def test_a_lazy_classifier_explains_by_its_neighbours():
    found = LazyNaiveCredal(k=3).fit(WEATHER, PLACE).explain_set(row("sunny", "low"))
    assert found.kept == ("out",)
    assert found.factors[0].total < len(PLACE)


def test_names_are_text_in_html_and_in_plots():
    names = ["<b>weather</b>", "wind & $x$"]
    model = NaiveCredal().fit(WEATHER.set_axis(names, axis=1), [f"<i>{p}</i>" for p in PLACE])
    found = model.explain_set(row("foggy", "low").set_axis(names, axis=1))
    assert "<b>" not in found._repr_html_()
    assert "&lt;b&gt;weather" in found._repr_html_()
    ax = plots.plot_explanation(found)
    ax.figure.canvas.draw()
    shown = [label.get_text() for label in ax.get_yticklabels()]
    assert shown[0] == "class frequencies"
    assert shown[-1] == "least ratio"
    assert len(ax.patches) == len(found.factors) + 1


def test_many_features_are_drawn_as_one_bar():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (40, 20)), rng.integers(0, 2, 40)
    ax = plots.plot_explanation(NaiveCredal().fit(X, y).explain_set(X[:1]), max_features=5)
    assert [label.get_text() for label in ax.get_yticklabels()][-2] == "16 others"
    with pytest.raises((TypeError, ValueError), match="a SetExplanation, as explain_set returns"):
        plots.plot_explanation(X)
