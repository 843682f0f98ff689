"""Every plot draws what users have at hand, or says in one sentence what it draws."""

from __future__ import annotations

import inspect
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from wager import plots
from wager.compare import (
    BreakEven,
    friedman,
    head_to_head,
    holm,
    nemenyi,
    risk_profile,
    sequential,
    wins_table,
)
from wager.costs import CostMatrix, CostTally
from wager.credal import CredalVertices
from wager.experiments import ScoreTable
from wager.learners import (
    AODE,
    C45,
    TAN,
    CausalMML,
    CredalTree,
    NaiveBayes,
    NaiveCredal,
    TunedCaution,
)
from wager.partitions import standardize
from wager.predictions import ProbabilityIntervals, as_sets
from wager.rewards import (
    PairedTally,
    ProbabilityTally,
    Tally,
    coverage_report,
    evaluate_probabilities,
    evaluate_selective,
    evaluate_sets,
    get_utility,
)

FEATURES, CODES = load_iris(return_X_y=True)
Y = np.array(["setosa", "versicolor", "virginica"])[CODES]
X = pd.DataFrame(FEATURES.astype(int), columns=["sepal l", "sepal w", "petal l", "petal w"])
PROBA = GaussianNB().fit(FEATURES, Y).predict_proba(FEATURES)
SETS = 0.1 * PROBA.max(axis=1, keepdims=True) < PROBA
LABELS = PROBA.argmax(axis=1)[:, None] == np.arange(3)
SCORES = pd.DataFrame(np.random.default_rng(0).random((8, 4)), columns=list("ABCD"))
TABLE = ScoreTable("u65", tuple("abcdefgh"), ("A", "B"), SCORES[["A", "B"]].to_numpy())
COSTS = CostMatrix([[0, 1, 2], [1, 0, 2], [4, 4, 0]], ["s", "v", "w"])
TWO = CostMatrix([[0, 1], [5, 0]], ["a", "b"])
RANKED = evaluate_selective(Y, LABELS, PROBA.max(axis=1))
TALLIES = {"sets": Tally.of(Y, SETS), "labels": Tally.of(Y, LABELS)}
TUNED = TunedCaution(NaiveCredal(), cv=3, strengths=[0, 1, 9], random_state=0).fit(X, Y)
FRAME = pd.DataFrame(PROBA, columns=["setosa", "versicolor", "virginica"])

INPUTS = {
    "nothing": None,
    "a text": "abc",
    "a number": 3,
    "an empty list": [],
    "a list": [0.2, 0.3, 0.5],
    "true labels": Y,
    "probabilities": PROBA,
    "a frame of probabilities": FRAME,
    "a square matrix": np.eye(3),
    "costs as lists": [[0, 1], [5, 0]],
    "a frame of scores": SCORES,
    "a score table": TABLE,
    "scores by name": {"a": [1, 2, 3], "b": [2, 3, 1], "c": [3, 1, 2]},
    "a mapping": {"a": 1},
    "an unfitted TAN": TAN(),
    "a TAN": TAN().fit(X, Y),
    "a naive Bayes classifier": NaiveBayes().fit(X, Y),
    "a naive credal classifier": NaiveCredal().fit(X, Y),
    "an AODE": AODE().fit(X, Y),
    "an unfitted CausalMML": CausalMML(),
    "an unfitted TunedCaution": TunedCaution(NaiveCredal()),
    "a TunedCaution": TUNED,
    "a curve of caution": TUNED.curve_,
    "a pipeline": make_pipeline(GaussianNB()).fit(FEATURES, Y),
    "a class": TAN,
    "an unfitted tree": C45(),
    "a tree": C45().fit(FEATURES, Y),
    "a credal tree": CredalTree().fit(X, Y),
    "a tree of scikit-learn": DecisionTreeClassifier(max_depth=1).fit(FEATURES, Y),
    "costs": COSTS,
    "costs of sets": COSTS.extend("discounted"),
    "costs of two classes": TWO,
    "costs of sets of two classes": TWO.extend("p-discounted", r=0.5),
    "a tally": TALLIES["sets"],
    "tallies by name": TALLIES,
    "tallies in a list": list(TALLIES.values()),
    "a tally for costs": CostTally.of(Y, SETS),
    "a paired tally": PairedTally.of(Y, SETS, LABELS),
    "a comparison": head_to_head(Y, {"a": SETS, "b": LABELS, "c": ~SETS | LABELS}, ["u65"]),
    "a risk profile": risk_profile(TALLIES),
    "Friedman's test": friedman(SCORES),
    "Nemenyi's test": nemenyi(SCORES),
    "Holm's test": holm(SCORES),
    "a sequential comparison": sequential(Y, SETS, LABELS, "u65"),
    "probability intervals": ProbabilityIntervals([[0, 0.3, 0.4]], [[0.2, 0.4, 0.6]]),
    "credal vertices": CredalVertices([[[0.2, 0.3, 0.5], [0.4, 0.3, 0.3]]], ["a", "b", "c"]),
    "an evaluation of sets": evaluate_sets(Y, SETS),
    "an evaluation of probabilities": evaluate_probabilities(Y, PROBA),
    "a selective evaluation": RANKED,
    "selective evaluations by name": {"a": RANKED, "b": RANKED},
    "a tally of probabilities": ProbabilityTally.of(Y, PROBA),
    "a partition": standardize(Y, PROBA),
    "a utility": get_utility("u65"),
    "an explanation": NaiveCredal().fit(X, Y).explain_set(X[:1]),
    "a coverage report": coverage_report(Y, SETS, alpha=0.1),
    "prediction sets": as_sets(SETS, ["s", "v", "w"]),
}

RANKS = {"a frame of scores", "scores by name", "Friedman's test", "Nemenyi's test"}
MATRICES = {"probabilities", "a square matrix"}
DRAWN = {
    "plot_caution": {"a TunedCaution", "a curve of caution"},
    "plot_confidence_sequence": {"a sequential comparison"},
    "plot_costs": {
        "a square matrix",
        "costs",
        "costs as lists",
        "costs of sets",
        "costs of sets of two classes",
        "costs of two classes",
    },
    "plot_coverage": {"a coverage report"},
    "plot_credal": MATRICES
    | {"a frame of probabilities", "probability intervals", "credal vertices"},
    "plot_critical_difference": RANKS | MATRICES | {"a frame of probabilities", "Holm's test"},
    "plot_explanation": {"an explanation"},
    "plot_decision": {"costs as lists", "costs of two classes", "costs of sets of two classes"},
    "plot_nemenyi_segments": RANKS | MATRICES | {"a frame of probabilities"},
    "plot_network": {"a TAN", "a naive Bayes classifier", "a naive credal classifier"},
    "plot_random_vs_vacuous": {"a number"},
    "plot_reliability": {"an evaluation of probabilities", "a tally of probabilities"},
    "plot_reward_curves": {"a list"},
    "plot_risk_coverage": {"a selective evaluation", "selective evaluations by name"},
    "plot_risk_profile": {
        "a comparison",
        "a paired tally",
        "a risk profile",
        "a tally",
        "tallies by name",
        "tallies in a list",
    },
    "plot_scatter": {"a score table"},
    "plot_simplex": MATRICES | {"a frame of probabilities", "a partition"},
    "plot_standardization": {"a partition"},
    "plot_tree": {"a tree", "a credal tree"},
    "plot_utilities": {"an empty list", "a list", "a utility"},
    "simplex_html": {"a partition"},
}


def test_every_plot_function_is_tried():
    functions = {name for name in plots.__all__ if name.startswith("plot_")}
    assert functions | {"simplex_html"} == set(DRAWN)


def result_of(function, given):
    """What the plot returns, or the words of its error; any other exception is a failure."""
    try:
        return function(given)
    except (TypeError, ValueError) as problem:
        return str(problem)


@pytest.mark.parametrize("plot", DRAWN)
def test_a_plot_draws_its_input_or_refuses_it_in_one_sentence(plot):
    function, drawn = getattr(plots, plot), set()
    for name, given in INPUTS.items():
        result = result_of(function, given)
        if isinstance(result, str) and not result.startswith("<!"):
            assert "\n" not in result, name
            assert "object has no attribute" not in result, name
            assert "is not subscriptable" not in result, name
            assert "inhomogeneous" not in result, name
            assert "unexpected keyword" not in result, name
        else:
            axes = result if isinstance(result, list) else [result]
            assert plot == "simplex_html" or all(isinstance(ax, Axes) for ax in axes)
            drawn.add(name)
    assert drawn == DRAWN[plot]


@pytest.mark.parametrize(
    ("plot", "given", "words"),
    [
        ("plot_network", TAN(), "this TAN is not fitted: call fit"),
        ("plot_network", INPUTS["an AODE"], "draws a fitted CausalMML, TAN, NaiveBayes or Naive"),
        ("plot_network", INPUTS["a pipeline"], r"pass its last step, pipeline\[-1\]"),
        ("plot_tree", INPUTS["a tree of scikit-learn"], "draw it with sklearn.tree.plot_tree"),
        ("plot_tree", C45(), "this C45 is not fitted"),
        ("plot_tree", None, "plot_tree draws a fitted C45 or CredalTree, or a TreeNode, got None"),
        ("plot_credal", INPUTS["a naive credal classifier"], r"pass model.predict_credal\(X\)"),
        ("plot_simplex", INPUTS["credal vertices"], "draw credal sets with plot_credal"),
        ("plot_scatter", SCORES, "the table has the columns A, B, C, D: choose two of them with"),
        ("plot_reliability", Y[:2] == "a", "or true labels and probabilities, got an array of"),
        ("plot_costs", TAN, "got the class TAN: make one with CostMatrix"),
        ("simplex_html", PROBA, r"call standardize\(y_true, memberships\) first"),
    ],
)
def test_the_sentence_names_the_way_out(plot, given, words):
    with pytest.raises((TypeError, ValueError), match=words):
        getattr(plots, plot)(given)


def test_the_network_of_a_tan_has_its_arcs_and_those_of_the_class():
    model = INPUTS["a TAN"]
    ax = plots.plot_network(model)
    names = [text.get_text() for text in ax.texts]
    assert names == [*X.columns, "class"]
    arcs = [patch for patch in ax.patches if type(patch).__name__ == "FancyArrowPatch"]
    assert len(arcs) == 4 + (model.parents_ >= 0).sum()


def test_costs_of_single_classes_have_one_row_per_class():
    ax = plots.plot_costs(COSTS)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["s", "v", "w"]
    assert [text.get_text() for text in ax.texts] == ["0", "1", "2", "1", "0", "2", "4", "4", "0"]


def test_a_frame_of_costs_is_drawn_with_its_labels():
    frame = pd.DataFrame(COSTS.costs, index=COSTS.classes, columns=COSTS.classes)
    by_frame, by_matrix = plots.plot_costs(frame), plots.plot_costs(COSTS)
    for ax in (by_frame, by_matrix):
        assert [label.get_text() for label in ax.get_yticklabels()] == ["s", "v", "w"]


def test_a_comparison_by_costs_alone_is_drawn_along_r():
    y, a = ["s", "v", "w"] * 4, ["s", "v", "v"] * 4
    both = head_to_head(y, {"a": a, "all": [["s", "v", "w"]] * 12}, costs=COSTS)
    ax = plots.plot_risk_profile(both)
    expected = plots.plot_risk_profile(both.costs.profile())
    assert ax.get_ylabel() == expected.get_ylabel()
    assert "cost" in ax.get_ylabel()
    with pytest.raises(TypeError, match=r"for costs pass risk_profile\(tallies, costs=...\)"):
        plots.plot_risk_profile({"a": CostTally.of(y, a)})


def test_friedmans_result_is_drawn_as_nemenyis_test_of_the_same_scores():
    pictures = [plots.plot_critical_difference(one) for one in (friedman(SCORES), nemenyi(SCORES))]
    first, second = ([text.get_text() for text in ax.texts] for ax in pictures)
    assert first == second


def test_true_labels_and_probabilities_are_drawn_as_their_evaluation():
    by_hand = plots.plot_reliability(evaluate_probabilities(Y, PROBA))
    for ax in (plots.plot_reliability(Y, PROBA), plots.plot_reliability(Y, FRAME)):
        for line, expected in zip(ax.get_lines(), by_hand.get_lines(), strict=True):
            np.testing.assert_array_equal(line.get_xydata(), expected.get_xydata())
    again = plots.plot_reliability(evaluate_probabilities(Y, PROBA), by_hand)
    assert again is by_hand


def test_two_columns_of_a_table_are_scattered_by_name():
    ax = plots.plot_scatter(SCORES, names=("C", "A"))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("score of C", "score of A")
    assert plots.plot_scatter(TABLE).get_xlabel() == "u65 of A"


def test_a_larger_cost_is_not_called_better():
    values = np.array([[0.2, 0.5], [0.1, 0.3], [0.4, 0.3]])
    costs = ScoreTable("average_cost", ("x", "y", "z"), ("A", "B"), values, greater_is_better=False)
    texts = [text.get_text() for text in plots.plot_scatter(costs).texts]
    assert texts == ["B higher: 2", "A higher: 1"]
    gains = replace(costs, greater_is_better=True)
    texts = [text.get_text() for text in plots.plot_scatter(gains).texts]
    assert texts == ["B better: 2", "A better: 1"]


def test_a_profile_of_tallies_is_that_of_risk_profile():
    ax, expected = plots.plot_risk_profile(TALLIES), plots.plot_risk_profile(risk_profile(TALLIES))
    for line, other in zip(ax.get_lines(), expected.get_lines(), strict=True):
        np.testing.assert_array_equal(line.get_xydata(), other.get_xydata())
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["sets", "labels"]


def test_a_score_table_has_no_folds_to_count_wins_of():
    with pytest.raises(TypeError, match=r"got a ScoreTable: count wins .* with wins_ties_losses"):
        wins_table(TABLE)
    with pytest.raises(ValueError, match="u65: give the scores of two classifiers, got 3"):
        wins_table({"u65": 3})


def test_every_plot_takes_axes():
    for name in DRAWN:
        parameters = inspect.signature(getattr(plots, name)).parameters
        assert {"ax", "figure", "path"} & set(parameters), name


@pytest.mark.parametrize("pair", [("a", "zzz"), ("a",), "ab", 5])
def test_break_even_points_of_unknown_classifiers_are_refused_by_name(pair):
    even = BreakEven(0.7, (0.6, 0.8), "")
    with pytest.raises(ValueError, match=r"break_evens has the pair .*: name two of "):
        plots.plot_risk_profile(TALLIES, {pair: even})
