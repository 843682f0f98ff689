"""The summaries in words agree with the numbers."""

import numpy as np
import pytest

from wager.metrics import evaluate_probabilities, evaluate_sets
from wager.predictions import scan_predictions
from wager.report import comparison_words, score_file
from wager.report._score_words import probability_words, set_words
from wager.rewards import get_utility

UTILITIES = [get_utility(name) for name in ("u50", "u80")]


def scores(path, text, **options):
    path.write_text(text)
    return score_file(scan_predictions(path), path.stem, UTILITIES, **options)


def test_a_class_with_low_coverage_is_named():
    y = np.repeat(["a", "b"], 100)
    said = np.where(np.arange(200) < 140, "a", "b")  # 40 of the 100 rows of b are called a
    assert set_words(evaluate_sets(y, said)).endswith("The class b has the lowest coverage: 60.0%.")


def test_a_class_that_lags_by_chance_is_not():
    assert "lowest coverage" not in set_words(evaluate_sets(["a", "a", "b"], ["a", "a", "a"]))


def test_probabilities_are_summarised_in_bits_over_the_prior():
    words = probability_words(evaluate_probabilities(["a", "b"], [[0.5, 0.5], [0.0, 1.0]]))
    assert words.startswith("The probabilities of 2 rows contain 0.500 bits more information than")
    lost = probability_words(evaluate_probabilities(["a", "b"], [[0.0, 1.0], [0.0, 1.0]]))
    assert lost.startswith("The predictions are certain and wrong in 1 of 2 rows,")


def test_the_best_file_is_named_for_each_utility(tmp_path):
    plain = scores(tmp_path / "plain.csv", "y_true,y_pred\na,a\nb,b\na,b\n")
    wide = scores(tmp_path / "wide.csv", "y_true,set\na,a|b\nb,a|b\na,a|b\n")
    names = [u.name for u in UTILITIES]
    assert comparison_words([plain, wide], names) == [
        "plain earns most under u50 (0.6667); wide earns most under u80 (0.8000)."
    ]
    again = scores(tmp_path / "again.csv", "y_true,y_pred\na,a\nb,b\na,b\n")
    assert comparison_words([plain, again], names) == [
        "plain and again earn most under u50 (0.6667), u80 (0.6667)."
    ]
    assert comparison_words([plain], names) == []


@pytest.mark.parametrize("form", ["y_pred", "p", "m", "bounds"])
def test_weights_of_2_are_rows_twice(form, tmp_path):
    head = {
        "y_pred": "y_pred",
        "p": "p:a,p:b",
        "m": "m:a,m:b",
        "bounds": "lower:a,upper:a,lower:b,upper:b",
    }[form]
    rows = {
        "y_pred": ["a", "b", "a"],
        "p": ["0.75,0.25", "0.5,0.5", "0.125,0.875"],
        "m": ["0.75,0.25", "0.5,0.5", "0.125,0.875"],
        "bounds": ["0.5,0.75,0.25,0.5", "0,1,0,1", "0,0.25,0.75,1"],
    }[form]
    truths, weights = ["a", "b", "b"], [2, 1, 0]
    lines = [f"{y},{row},{w}" for y, row, w in zip(truths, rows, weights, strict=True)]
    weighted = scores(tmp_path / "w.csv", "\n".join([f"y_true,{head},weight", *lines]) + "\n")
    lines = [
        f"{y},{row},1" for y, row, w in zip(truths, rows, weights, strict=True) for _ in range(w)
    ]
    repeated = scores(tmp_path / "r.csv", "\n".join([f"y_true,{head},weight", *lines]) + "\n")
    expected = {s.measure: s.value for s in repeated.scores}
    found = {s.measure: s.value for s in weighted.scores if s.measure != "rows"}
    assert {"coverage", "u80"} <= found.keys()
    for measure, value in found.items():
        assert value == pytest.approx(expected[measure], nan_ok=True), measure


def test_groups_without_weight_are_left_out(tmp_path):
    for head, row in (("y_pred", "a"), ("p:a,p:b", "1,0"), ("m:a,m:b", "1,0")):
        text = f"y_true,{head},weight,group\na,{row},1,x\nb,{row},1,x\nb,{row},0,y\n"
        found = scores(tmp_path / "g.csv", text, by_group=True)
        assert {score.group for score in found.scores} == {"", "x"}
