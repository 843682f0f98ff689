"""The summaries in words agree with the numbers."""

import numpy as np
import pytest

from wager.metrics import evaluate_probabilities, evaluate_sets
from wager.predictions import scan_predictions, write_predictions
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


@pytest.mark.parametrize("unit", [0.001, 1.0, 1000.0])
def test_whether_a_class_is_named_does_not_depend_on_the_unit_of_weights(unit):
    y = np.repeat(["a", "b"], 100)
    said = np.where(np.arange(200) < 140, "a", "b")
    words = set_words(evaluate_sets(y, said, sample_weight=np.full(200, unit)))
    assert words.endswith("The class b has the lowest coverage: 60.0%.")
    few = ["a", "b", "b", "b", "b"]  # the miss of a may be chance
    said = ["b", "a", "b", "b", "b"]
    words = set_words(evaluate_sets(few, said, sample_weight=np.full(5, unit)))
    assert "lowest coverage" not in words


def test_all_classes_that_share_the_lowest_coverage_are_named():
    words = set_words(evaluate_sets(np.repeat(["a", "b", "c"], 30), ["c"] * 90))
    assert words.endswith("The classes a and b have the lowest coverage: 0.0%.")


def test_probabilities_are_summarised_in_bits_over_the_prior():
    words = probability_words(evaluate_probabilities(["a", "b"], [[0.5, 0.5], [0.0, 1.0]]))
    assert words.startswith("The probabilities of 2 rows contain 0.500 bits more information than")
    thirds = probability_words(evaluate_probabilities(["a", "b", "c"], [[0.1, 0.2, 0.7]] * 3))
    assert " bits less information than the prior; " in thirds
    lost = probability_words(evaluate_probabilities(["a", "b"], [[0.0, 1.0], [0.0, 1.0]]))
    assert lost.startswith("The predictions are certain and wrong in 1 of 2 rows,")


def test_the_best_file_is_named_for_each_utility(tmp_path):
    plain = scores(tmp_path / "plain.csv", "y_true,y_pred\na,a\nb,b\na,b\n")
    wide = scores(tmp_path / "wide.csv", "y_true,set\na,a|b\nb,a|b\na,a|b\n")
    names = [u.name for u in UTILITIES]
    assert comparison_words([plain, wide], names) == [
        "In this sample plain earns most under u50 (0.6667); wide earns most under u80 (0.8000); "
        "`wager compare` tests the differences."
    ]
    again = scores(tmp_path / "again.csv", "y_true,y_pred\na,a\nb,b\na,b\n")
    assert comparison_words([plain, again], names) == [
        "In this sample plain and again earn most under u50 (0.6667), u80 (0.6667); `wager "
        "compare` tests the differences."
    ]
    assert comparison_words([plain], names) == []


FORMS = {
    "y_pred": ("y_pred", ["a", "b", "a"]),
    "p": ("p:a,p:b", ["0.75,0.25", "0.5,0.5", "0.125,0.875"]),
    "m": ("m:a,m:b", ["0.75,0.25", "0.5,0.5", "0.125,0.875"]),
    "bounds": (
        "lower:a,upper:a,lower:b,upper:b",
        ["0.5,0.75,0.25,0.5", "0,1,0,1", "0,0.25,0.75,1"],
    ),
}
TRUTHS = ["a", "b", "b"]


def table(form, column="", values=("", "", ""), rows=range(3)):
    """A file with these rows in one of the forms, and one more column."""
    head, cells = FORMS[form]
    lines = [f"{TRUTHS[i]},{cells[i]},{values[i]}".rstrip(",") for i in rows]
    return "\n".join([f"y_true,{head},{column}".rstrip(","), *lines]) + "\n"


@pytest.mark.parametrize("form", FORMS)
def test_counts_of_2_are_rows_twice(form, tmp_path):
    counted = scores(tmp_path / "c.csv", table(form, "count", (2, 1, 0)))
    repeated = scores(tmp_path / "r.csv", table(form, rows=[0, 0, 1]))
    expected = {(s.family, s.measure): s for s in repeated.scores}
    assert ("sets", "coverage") in expected
    assert len(counted.scores) == len(expected)
    for found in counted.scores:
        same = expected[found.family, found.measure]
        assert found.value == pytest.approx(same.value, nan_ok=True), found.measure
        assert found.standard_error == pytest.approx(same.standard_error, nan_ok=True), found


@pytest.mark.parametrize("form", ["y_pred", "p", "bounds"])
def test_weights_of_2_change_the_means_as_rows_twice_but_not_the_information(form, tmp_path):
    weighted = scores(tmp_path / "w.csv", table(form, "weight", (2, 1, 0)))
    repeated = scores(tmp_path / "r.csv", table(form, rows=[0, 0, 1]))
    halved = scores(tmp_path / "h.csv", table(form, "weight", (1, 0.5, 0)))
    expected = {s.measure: s.value for s in repeated.scores}
    errors = {(s.family, s.measure): s.standard_error for s in halved.scores}
    # these depend on the amount of information, or on the weights themselves
    by_chance = ("rows", "total_weight", "debiased", "if_calibrated")
    for found in weighted.scores:
        if not found.measure.endswith(by_chance):
            assert found.value == pytest.approx(expected[found.measure], nan_ok=True), found
        error = errors[found.family, found.measure]
        assert found.standard_error == pytest.approx(error, nan_ok=True), found


@pytest.mark.parametrize("form", ["y_pred", "p", "bounds"])
def test_duplicated_rows_of_a_cluster_add_no_information(form, tmp_path):
    """Three clusters of four equal rows are as good as three rows, in chunks of any size."""
    rows = [0, 1, 2, 2, 1, 0, 1, 0, 2, 0, 1, 2]
    clustered = scores(tmp_path / "c.csv", table(form, "cluster", "xyz", rows))
    alone = scores(tmp_path / "a.csv", table(form, "weight", (4, 4, 4)))
    errors = {(s.family, s.measure): s.standard_error for s in alone.scores}
    for found in clustered.scores:
        error = errors[found.family, found.measure]
        assert found.standard_error == pytest.approx(error, nan_ok=True), found
    assert clustered.clusters == 3
    assert clustered.sentences[-1] == (
        "Intervals and standard errors allow for dependence between the rows of each of 3 clusters."
    )
    assert alone.clusters is None


def test_one_cluster_has_no_standard_error(tmp_path):
    found = scores(tmp_path / "one.csv", table("y_pred", "cluster", "xxx"))
    assert found.clusters == 1
    assert found.sentences[-1] == (
        "All rows belong to one cluster, so intervals and standard errors are not known."
    )
    assert np.isnan([s.standard_error for s in found.scores]).all()


def test_probabilities_of_clusters_have_the_errors_of_the_arrays(tmp_path, monkeypatch):
    from wager.predictions.files import _read

    rng = np.random.default_rng(0)
    y, proba = rng.choice(["a", "b"], 90), rng.dirichlet([2, 2], 90)
    units = {"weight": rng.random(90), "count": rng.integers(1, 4, 90)}
    cluster = np.array([f"c{i}" for i in rng.integers(0, 12, 90)])
    path = tmp_path / "p.parquet"
    write_predictions(path, y, proba=proba, classes=["a", "b"], cluster=cluster, **units)
    monkeypatch.setattr(_read, "_CHUNK", 20)  # ten rows at a time
    found = score_file(scan_predictions(path), "p", UTILITIES)
    expected = evaluate_probabilities(
        y, proba, sample_weight=units["weight"], counts=units["count"], groups=cluster
    ).to_dict()
    errors = {s.measure: s.standard_error for s in found.scores if s.family == "probabilities"}
    for name in ("information_reward", "log_loss", "brier"):
        assert errors[name] == pytest.approx(expected[name]["standard_error"], rel=1e-10)


def test_groups_without_weight_are_left_out(tmp_path):
    for head, row in (("y_pred", "a"), ("p:a,p:b", "1,0"), ("m:a,m:b", "1,0")):
        text = f"y_true,{head},weight,group\na,{row},1,x\nb,{row},1,x\nb,{row},0,y\n"
        found = scores(tmp_path / "g.csv", text, by_group=True)
        assert {score.group for score in found.scores} == {"", "x"}


def test_files_that_earn_the_same_but_for_rounding_share_the_lead(tmp_path):
    weights = np.random.default_rng(0).random(500).round(2)
    rows = [f"{'ab'[i % 3 == 0]},0.75,0.25,{weight}" for i, weight in enumerate(weights)]
    header = "y_true,p:a,p:b,weight\n"
    found = [
        scores(tmp_path / name, header + "\n".join(lines) + "\n")
        for name, lines in [("first.csv", rows), ("turned.csv", rows[::-1])]
    ]
    one, other = (next(s.value for s in f.scores if s.measure == "u50") for f in found)
    assert one != other
    assert comparison_words(found, ["u50"])[0].startswith(
        f"In this sample first and turned earn most under u50 ({one:.4f});"
    )


@pytest.mark.parametrize("seed", range(5))
def test_probabilities_of_the_prior_contain_as_much_information(seed):
    order = np.random.default_rng(seed).permutation(900)
    prior = np.array([0.1, 0.2, 0.7])
    once_more = prior * 3 / (prior * 3).sum()
    truth, weight = np.repeat(["a", "b", "c"], 300)[order], np.full(900, 0.1 + seed)
    found = evaluate_probabilities(truth, [once_more] * 900, prior, sample_weight=weight)
    assert "contain as much information as the prior; the most probable" in probability_words(found)
