"""A set-valued measure is one function and one record: registered once, it is known everywhere."""

import json

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from typer.testing import CliRunner

import wager.metrics
from wager.cli import app
from wager.experiments import Plan, Store, run
from wager.report import explain, to_latex, to_markdown
from wager.rewards import (
    MEASURES,
    SET_SCORES,
    Measure,
    SetScore,
    Tally,
    evaluate_probabilities,
    evaluate_sets,
    make_set_scorer,
    register,
    unregister,
)

Y, SETS = ["a", "b", "b", "c"], [["a"], ["a", "b"], ["b", "c"], ["a", "b", "c"]]


def is_pair(size, hit):
    return (size == 2) * 1.0


PAIRS = SetScore(
    "share_of_pairs",
    is_pair,
    greater_is_better=False,
    meaning="The share of predictions with two classes.",
    formula="share of rows with k = 2",
    use="For tests.",
    source="a test",
    aliases=("duos",),
)


@pytest.fixture(params=["register", "SET_SCORES"])
def pairs(request):
    if request.param == "register":
        register(PAIRS)
    else:
        SET_SCORES["share_of_pairs"] = PAIRS
    yield "share_of_pairs"
    if request.param == "register":
        unregister("share_of_pairs")
    else:
        del SET_SCORES["share_of_pairs"]


class Pairs(ClassifierMixin, BaseEstimator):
    """Always predicts the first two classes."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_set(self, X):
        return np.tile(np.arange(len(self.classes_)) < 2, (len(X), 1))

    def predict(self, X):
        return np.repeat(self.classes_[:1], len(X))


def test_it_is_a_function_of_wager_metrics(pairs):
    metric = wager.metrics.share_of_pairs
    assert metric(Y, SETS) == 0.5
    assert metric(Y, SETS, sample_weight=[1, 0, 1, 0], classes=["a", "b", "c", "d"]) == 0.5
    assert metric is wager.metrics.share_of_pairs
    assert metric.__name__ == pairs
    assert "share of rows with k = 2" in metric.__doc__


def test_it_is_part_of_the_evaluation(pairs):
    evaluation = evaluate_sets(Y, SETS)
    assert evaluation[pairs] == evaluation.estimates[pairs].value == 0.5
    assert "share of pairs" in repr(evaluation)
    assert evaluation.to_frame().loc[pairs, "value"] == 0.5


def test_it_is_a_scorer(pairs):
    X, y = np.zeros((6, 1)), np.array(list("abcabc"))
    for metric in (pairs, wager.metrics.share_of_pairs, PAIRS):
        assert make_set_scorer(metric)(Pairs().fit(X, y), X, y) == -1


def test_it_is_a_measure_of_plans_and_stores(pairs, tmp_path):
    plan = Plan(
        datasets=["iris"],
        measures=[pairs, f"true:{pairs}"],
        scheme={"kind": "holdout", "repeats": 1},
        learners={"nbc": {"learner": "naive-bayes"}, "all": {"learner": "vacuous"}},
        prepare={"discretize": "mdl"},
    )
    run(plan, tmp_path / "out", n_jobs=1)
    store = Store(tmp_path / "out")
    for pooled in (False, True):
        scores = store.scores(pairs, pooled=pooled)
        assert scores.values.tolist() == [[0.0, 0.0]]
        assert not scores.greater_is_better
    assert store.columns()[pairs] == [0.0, 0.0]


def test_it_is_explained(pairs):
    for name in (pairs, "Share of pairs", "duos"):
        assert explain(name).meaning == PAIRS.meaning
    command = CliRunner()
    assert PAIRS.meaning in command.invoke(app, ["explain", pairs]).stdout
    assert pairs in command.invoke(app, ["explain"]).stdout


@pytest.mark.parametrize("output", ["text", "json", "csv", "markdown", "latex"])
def test_it_is_in_every_table_of_scores(pairs, output, tmp_path):
    path = tmp_path / "predictions.csv"
    path.write_text("y_true,set\na,a\nb,a|b\nb,b|c\nc,a|b|c\n")
    result = CliRunner().invoke(app, ["score", str(path), "--format", output])
    assert result.exit_code == 0, result.stderr
    if output == "json":
        (file,) = json.loads(result.stdout)
        (value,) = [s["value"] for s in file["scores"] if s["measure"] == pairs]
        assert value == 0.5
    else:
        (line,) = [line for line in result.stdout.splitlines() if "pairs" in line]
        assert "0.5" in line
    header, rows = ["measure", "value"], [[PAIRS.title, evaluate_sets(Y, SETS)[pairs]]]
    assert "share of pairs" in to_markdown(header, rows)
    assert "share of pairs" in to_latex(header, rows)


def test_removed_it_is_unknown_again():
    register(PAIRS)
    unregister("share_of_pairs")
    assert "share_of_pairs" not in MEASURES
    with pytest.raises(AttributeError, match="no attribute 'share_of_pairs'"):
        _ = wager.metrics.share_of_pairs
    with pytest.raises(ValueError, match="not a measure of sets"):
        make_set_scorer("share_of_pairs")
    with pytest.raises(ValueError, match="there is no topic"):
        explain("share_of_pairs")
    with pytest.raises(ValueError, match="there is no measure 'share_of_pairs' to remove"):
        unregister("share_of_pairs")


def test_a_name_is_given_once():
    with pytest.raises(ValueError, match="there is already a measure 'coverage'"):
        register(SetScore("coverage", is_pair))


def test_a_measure_of_the_whole_tally_is_part_of_the_evaluation():
    largest = Measure("largest_set", of_tally=lambda tally: float(tally.cells[0].max()))
    register(largest)
    try:
        assert evaluate_sets(Y, SETS)["largest_set"] == largest(Tally.of(Y, SETS)) == 3
    finally:
        unregister("largest_set")


def test_a_reward_of_probabilities_is_part_of_the_evaluation():
    from wager.rewards.information import ProbabilityReward

    reward = ProbabilityReward("truth", lambda p, truth, prior: p[np.arange(len(p)), truth])
    register(reward)
    try:
        found = evaluate_probabilities([0, 1], [[0.5, 0.5], [0.25, 0.75]], base=np.e)
        assert found.to_dict()["truth"]["mean"] == reward(found.tally) == 0.625
    finally:
        unregister("truth")


def test_every_measure_has_a_complete_record():
    for name, measure in MEASURES.items():
        assert measure.name == name
        assert measure.meaning.endswith(".")
        assert measure.formula
        assert measure.source
        assert measure.range


@pytest.mark.parametrize("name", ["coverage", "u65", "f1", "ir"])
def test_the_name_of_a_measure_a_utility_or_an_alias_is_taken(name):
    with pytest.raises(ValueError, match=f"there is already a measure '{name}'"):
        register(SetScore(name, is_pair))


def test_a_score_needs_a_function():
    with pytest.raises(TypeError, match="the score 'pairs' needs a function of sizes and hits"):
        SetScore("pairs", None)
