"""``wager results``: the scores of a run in every format."""

import csv
import io
import json
import sqlite3

import numpy as np
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
        "30 of 40 units done, 10 not run yet; means, ranks and wins leave out 1 data set that "
        "lacks some learner"
    )


def test_scores_of_different_splits_are_said_to_be_so(wager, store, tmp_path):
    """One learner lacks a split; the learners were ranked without a word about it."""
    with sqlite3.connect(store.path / "results.sqlite") as database:
        database.execute(
            "DELETE FROM units WHERE key IN (SELECT key FROM planned WHERE dataset = 'wine' "
            "AND learner = 'one' AND fold = 1 AND repeat = 0)"
        )
    database.close()
    sentence = (
        "on wine learners have finished different splits, so that their scores are means over "
        "different rows"
    )
    assert wager("results", store.path).stdout.splitlines()[-1] == sentence
    assert wager("results", store.path, "--pivot").stdout.splitlines()[-1] == sentence
    page = wager("report", store.path, "-o", tmp_path / "page.html")
    for said in (page, wager("compare", store.path)):
        assert (said.exit_code, said.stderr.strip()) == (0, f"wager: warning: {sentence}")
    assert store.uneven() == sentence
    assert store.uneven(["all"]) is None


def test_results_say_which_scores_are_infinite(wager, tmp_path):
    (tmp_path / "plan.toml").write_text(
        'datasets = ["iris"]\nmeasures = ["u65", "log_loss"]\n'
        'scheme = { kind = "cross-validation", n_folds = 2 }\n'
        '[learners]\nnearest = "sklearn.neighbors.KNeighborsClassifier"\n'
    )
    assert wager("run", tmp_path / "plan.toml", "-o", tmp_path / "out", "-q").exit_code == 0
    assert wager("results", tmp_path / "out").stdout.splitlines()[-2:] == [
        "2 of 2 units done",
        "log_loss: means, ranks and wins leave out 1 data set of infinite score",
    ]


def test_pivot_and_csv_have_the_scores(wager, store):
    said = wager("results", store.path, "--measure", "u65", "--pivot", "--format", "csv")
    header, *rows = csv.reader(io.StringIO(said.stdout))
    assert header == ["u65", "all", "one", "all sd", "one sd", "one mark"]
    scores = store.scores("u65")
    assert [row[0] for row in rows] == ["iris", "wine"]
    assert [[float(cell) for cell in row[1:3]] for row in rows] == scores.values.tolist()
    for row in rows:
        for place, learner in enumerate(("all", "one")):
            spread = np.std(store.folds(row[0], "u65").column(learner), ddof=1)
            assert float(row[3 + place]) == pytest.approx(spread)


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


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_pivot_marks_wins_and_losses_and_counts_them(wager, store, form):
    said = wager("results", store.path, "-m", "u65", "--pivot", "--baseline", "one", "-f", form)
    assert said.exit_code == 0, said.stderr
    table = store.pivot("u65", baseline="one")
    mark = {1: {"text": "v", "markdown": "v", "latex": r"$\circ$"}[form], 0: ""}
    mark[-1] = {"text": "*", "markdown": r"\*", "latex": r"$\bullet$"}[form]
    sign = r"$\pm$" if form == "latex" else "±"
    lines = said.stdout.splitlines()
    for i, dataset in enumerate(("iris", "wine")):
        (line,) = [line for line in lines if line.strip("| ").startswith(dataset)]
        mean, spread = table.scores.values[i, 0], table.deviations[i, 0]
        cell = f"{mean:.{table.digits}f} {sign} {spread:.{table.digits}f}"
        assert f"{cell} {mark[int(table.outcomes[i, 0])]}".strip() in line
    (last,) = [line for line in lines if line.strip("| ").startswith("win/tie/loss")]
    assert "/".join(map(str, table.wins_ties_losses("all"))) in last
    assert "corrected t-test of Nadeau" in said.stdout


def test_pivot_in_json_has_deviations_marks_and_p_values(wager, store):
    found = json.loads(wager("results", store.path, "-m", "u65", "--pivot", "-f", "json").stdout)
    table = store.pivot("u65")
    assert found[1]["standard_deviation"]["one"] == pytest.approx(table.deviations[1, 1])
    assert found[1]["p"] == {"one": pytest.approx(table.p[1, 1])}
    assert found[1]["marks"] == {"one": {1: "win", 0: "tie", -1: "loss"}[int(table.outcomes[1, 1])]}
    assert found[1]["baseline"] == "all"


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_two_learners_are_drawn_against_each_other(wager, store, tmp_path, ending):
    picture = tmp_path / f"two.{ending}"
    said = wager("results", store.path, "-m", "u65", "--scatter", "one,all", "--plot", picture)
    assert said.exit_code == 0, said.stderr
    assert f"picture: {picture}" in said.stdout
    assert picture.stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--scatter", "one,all"], "--scatter draws a picture: name its file with --plot"),
        (["--plot", "x.gif"], "x.gif: a picture is a PNG, SVG or PDF file"),
        (["--scatter", "one", "--plot", "x.png"], "--scatter takes two learners"),
        (["--scatter", "one,two", "--plot", "x.png"], "no learner 'two': choose from 'all', 'one'"),
        (["--pivot", "--baseline", "two"], "no learner 'two' to compare with: choose from 'all'"),
        (["--level", "95"], "--level must lie between 0 and 1, got 95"),
    ],
)
def test_mistakes_about_pictures_and_baselines_are_sentences(wager, store, arguments, sentence):
    said = wager("results", store.path, *arguments)
    assert said.exit_code == 2
    assert sentence in said.stderr
    assert said.stderr.count("\n") == 1
