"""``wager results``: the scores of a run in every format."""

import csv
import io
import json
import sqlite3

import pytest


def test_results_summarize_every_measure(wager, store):
    said = wager("results", store.path)
    assert said.exit_code == 0, said.output
    lines = said.stdout.splitlines()
    assert lines[0].split() == ["measure", "learner", "mean", "median", "mean", "rank", "wins"]
    assert [line.split()[:2] for line in lines[2:6]] == [
        [measure, learner] for measure in ("u65", "determinacy") for learner in ("all", "one")
    ]
    assert lines[-1] == "40 of 40 units done"


def test_results_say_which_data_sets_are_left_out(wager, store):
    with sqlite3.connect(store.path / "results.sqlite") as database:
        database.execute(
            "DELETE FROM units WHERE key IN "
            "(SELECT key FROM planned WHERE dataset = 'wine' AND learner = 'one')"
        )
    database.close()
    assert wager("results", store.path).stdout.splitlines()[-1] == (
        "30 of 40 units done; means, ranks and wins leave out 1 data set that lacks some learner"
    )


def test_pivot_and_csv_have_the_scores(wager, store):
    said = wager("results", store.path, "--measure", "u65", "--pivot", "--format", "csv")
    header, *rows = csv.reader(io.StringIO(said.stdout))
    assert header == ["u65", "all", "one"]
    scores = store.scores("u65")
    assert [row[0] for row in rows] == ["iris", "wine"]
    assert [[float(cell) for cell in row[1:]] for row in rows] == scores.values.tolist()


def test_json_has_null_for_nan(wager, store):
    said = wager("results", store.path, "-m", "single_accuracy", "-m", "u80", "--format", "json")
    entries = json.loads(said.stdout)
    assert {entry["measure"] for entry in entries} == {"single_accuracy", "u80"}
    assert entries[0]["mean"] is None
    pooled = wager("results", store.path, "-m", "u80", "--pivot", "--pooled", "--format", "json")
    assert json.loads(pooled.stdout)[0]["all"] == pytest.approx(
        store.tally("iris", "all").expected_utility("u80")
    )
    assert json.loads(pooled.stdout)[0].items() >= {"data set": "iris", "measure": "u80"}.items()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [(["-m", "beauty"], "there is no measure 'beauty'"), ([], "there are no results in")],
)
def test_results_exit_with_2_and_a_sentence(wager, store, tmp_path, arguments, sentence):
    said = wager("results", store.path if arguments else tmp_path / "none", *arguments)
    assert said.exit_code == 2
    assert sentence in said.stderr


def test_costs_are_shown_beside_the_measures(wager, store, tmp_path):
    costs = tmp_path / "costs.csv"
    costs.write_text(
        "predicted,setosa,versicolor,virginica\nsetosa,0,1,1\nversicolor,1,0,1\nvirginica,1,1,0\n"
    )
    result = wager(
        "results", store.path, "--costs", costs, "--unit", "EUR", "--pivot", "-f", "json"
    )
    assert result.exit_code == 0, result.stderr
    found = {(r["data set"], r["measure"]): r["all"] for r in json.loads(result.stdout)}
    # a set of all three classes costs (0 + 1 + 1) ** 2 / 9: p-discounted with r = 0.5
    assert found["iris", "average_cost"] == pytest.approx(4 / 9)
    assert found["wine", "average_cost"] is None
    text = wager("results", store.path, "--costs", costs, "--unit", "EUR").stdout
    assert "average costs are in EUR, and smaller is better" in text
    assert "no cost of wine: the costs are for other classes" in text
    compared = wager("compare", store.path, "--costs", costs)
    assert compared.exit_code == 2
    assert "--costs compares prediction files" in compared.stderr
