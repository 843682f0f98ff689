"""Every number that is printed can be explained."""

import pytest
from typer.testing import CliRunner

from wager import metrics
from wager.cli import app
from wager.report import MEASURES, explain
from wager.rewards import evaluate_sets

NOT_MEASURES = {  # functions of wager.metrics that are no score of predictions
    "evaluate_sets", "evaluate_probabilities", "make_set_scorer", "prior_from_counts",
    "prior_from_labels",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(set(metrics.__all__) - NOT_MEASURES))
def test_every_metric_is_explained(name):
    assert explain(name).formula


def test_everything_the_evaluation_prints_is_explained():
    found = evaluate_sets([0, 1], [[0], [0, 1]]).to_dict()
    for name in found:
        if name not in ("n", "n_classes", "classes", "standard_errors"):
            assert explain(name).meaning


def test_an_unknown_measure_gets_the_nearest_name():
    with pytest.raises(ValueError, match=r"did you mean coverage or "):
        explain("covrage")


@pytest.mark.parametrize("name", sorted(MEASURES))
def test_the_command_prints_definition_formula_and_source(name):
    result = CliRunner().invoke(app, ["explain", name])
    assert result.exit_code == 0
    flat = " ".join(result.output.split())
    for text in (MEASURES[name].meaning, MEASURES[name].source):
        assert text.split()[0] in flat


def test_the_command_lists_all_and_reports_an_unknown_name():
    listed = CliRunner().invoke(app, ["explain"]).output
    assert all(name in listed for name in MEASURES)
    wrong = CliRunner().invoke(app, ["explain", "nonsense-measure"])
    assert wrong.exit_code == 2
    assert wrong.stderr == (
        "wager: there is no topic 'nonsense-measure': `wager explain` lists all topics, and `wager "
        "explain --search WORD` looks for a word\n"
    )


def test_a_straight_line_except_for_rounding_is_neutral_to_risk():
    meaning = explain("u49.99999999999999").meaning
    assert "neutral to risk" in meaning
    assert "discounted accuracy" in meaning
