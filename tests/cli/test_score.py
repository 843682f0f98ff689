"""``wager score``: the numbers of the library, every format, and one sentence for every mistake."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from wager.cli import app
from wager.metrics import evaluate_probabilities, evaluate_sets
from wager.partitions import standardize
from wager.predictions import ProbabilityIntervals, write_predictions

LABELS = np.array(["cat", "d|og", "<cow>"])


def score(*arguments):
    return CliRunner().invoke(app, ["score", *map(str, arguments)])


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(3), 60)
    y = LABELS[rng.integers(0, 3, 60)]
    return y, proba, proba > 0.25


@pytest.fixture
def sets_file(rows, tmp_path):
    y, _, sets = rows
    path = tmp_path / "sets.csv"
    write_predictions(path, y, sets=sets, classes=LABELS)
    return path


def as_records(result):
    return list(csv.DictReader(io.StringIO(result.stdout)))


def values(result, **where):
    return {
        r["measure"]: float(r["value"])
        for r in as_records(result)
        if all(r[key] == value for key, value in ({"class": "", "group": ""} | where).items())
    }


def test_sets_get_every_measure_of_the_library(rows, sets_file):
    y, _, sets = rows
    result = score(sets_file, "--format", "csv")
    assert result.exit_code == 0, result.stderr
    expected = evaluate_sets(y, sets, classes=LABELS)
    found = values(result, family="sets")
    for name, value in expected.values.items():
        assert found[name] == pytest.approx(value)
    errors = {r["measure"]: r["standard_error"] for r in as_records(result)}
    assert float(errors["u65"]) == pytest.approx(expected.estimates["u65"].standard_error)


def test_utilities_are_the_users_choice(sets_file):
    found = values(score(sets_file, "-u", "f1", "-u", "0.7", "--format", "csv"))
    assert "f1" in found
    assert "u65" not in found


def test_probabilities_get_information_rewards_and_their_best_label_the_set_measures(
    rows, tmp_path
):
    y, proba, _ = rows
    path = tmp_path / "p.parquet"
    write_predictions(path, y, proba=proba, classes=LABELS)
    result = score(path, "--format", "csv")
    expected = evaluate_probabilities(y, proba, classes=LABELS)
    found = values(result, family="probabilities")
    assert found["information_reward"] == pytest.approx(expected.information_reward)
    assert found["brier"] == pytest.approx(expected.brier)
    best = LABELS[proba.argmax(axis=1)]
    assert values(result, family="sets")["coverage"] == pytest.approx(np.mean(best == y))


def test_the_prior_of_information_rewards_can_be_given(rows, tmp_path):
    y, proba, _ = rows
    path = tmp_path / "p.csv"
    write_predictions(path, y, proba=proba, classes=LABELS)
    found = values(score(path, "--prior", "0.5,0.3,0.2", "--format", "csv"), family="probabilities")
    order = np.argsort(LABELS)
    expected = evaluate_probabilities(y, proba[:, order], [0.5, 0.3, 0.2], classes=LABELS[order])
    assert found["information_reward"] == pytest.approx(expected.information_reward, abs=1e-6)


def test_intervals_are_decided_by_maximality(rows, tmp_path):
    from wager.credal import decide

    y, proba, _ = rows
    intervals = ProbabilityIntervals(
        np.maximum(proba - 0.1, 0), np.minimum(proba + 0.1, 1), LABELS
    ).tighten()
    path = tmp_path / "bounds.parquet"
    write_predictions(path, y, intervals=intervals, classes=LABELS)
    expected = evaluate_sets(y, decide(intervals), classes=LABELS)
    assert values(score(path, "--format", "csv"))["u80"] == pytest.approx(expected["u80"])


def test_memberships_are_standardized(rows, tmp_path):
    y, proba, _ = rows
    path = tmp_path / "m.parquet"
    write_predictions(path, y, memberships=proba, classes=LABELS)
    expected = standardize(y, proba, LABELS)
    found = values(score(path, "--format", "csv"), family="memberships")
    assert found["partition_accuracy"] == pytest.approx(expected.accuracy)
    assert found["separation"] == pytest.approx(expected.separation)


def test_files_are_shown_side_by_side(rows, sets_file, tmp_path):
    y, proba, _ = rows
    other = tmp_path / "plain.jsonl"
    write_predictions(other, y, y_pred=LABELS[proba.argmax(axis=1)], classes=LABELS)
    result = score(sets_file, other)
    head = next(line for line in result.stdout.splitlines() if line.startswith("sets  "))
    assert head.split() == ["sets", "sets", "plain"]
    assert result.stdout.count("predictions over 3 classes") == 2


def test_scores_by_group_and_by_class(tmp_path):
    path = tmp_path / "grouped.csv"
    path.write_text("y_true,set,site\na,a,x\nb,a|b,x\nb,a,y\n")
    rows = as_records(score(path, "--by", "site", "--by-class", "--format", "csv"))
    coverage = {(row["group"], row["class"]): float(row["coverage"]) for row in rows}
    assert coverage == {
        ("", ""): 2 / 3, ("", "a"): 1.0, ("", "b"): 0.5, ("x", ""): 1.0, ("x", "a"): 1.0,
        ("x", "b"): 1.0, ("y", ""): 0.0, ("y", "b"): 0.0,
    }  # fmt: skip


def test_too_many_classes_are_not_scored_one_by_one(tmp_path, monkeypatch):
    monkeypatch.setattr("wager.report._score._MOST_CLASSES", 3)
    path = tmp_path / "many.csv"
    path.write_text("y_true,y_pred,site\na,a,x\nb,a,x\nc,a,y\n")
    assert score(path, "--by-class").exit_code == 0
    assert score(path, "--by", "site").exit_code == 0
    refused = score(path, "--by", "site", "--by-class")
    assert refused.exit_code == 2
    assert "more than 3 true classes in its groups, which are too many" in refused.output


def test_a_file_with_several_kinds_of_predictions_is_scored_by_each(rows, tmp_path):
    import pandas as pd

    y, proba, sets = rows
    frame = pd.DataFrame({"y_true": y, **{f"p:{c}": proba[:, i] for i, c in enumerate(LABELS)}})
    for i, label in enumerate(LABELS):
        frame[f"in:{label}"] = sets[:, i].astype(int)
    path = tmp_path / "both.parquet"
    frame.to_parquet(path)
    names = {r["file"] for r in as_records(score(path, "--format", "csv"))}
    assert names == {"both (in)", "both (p)"}
    assert {r["file"] for r in as_records(score(path, "--form", "in", "--format", "csv"))} == {
        "both"
    }


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "latex"])
def test_every_format_names_every_measure(sets_file, form):
    result = score(sets_file, "--format", form, "--by-class")
    assert result.exit_code == 0
    words = result.stdout.replace("_", " ").replace("\\ ", " ")
    for measure in ("u65", "coverage", "mean set size"):
        assert measure in words
    if form == "json":
        found = json.loads(result.stdout)
        assert found[0].keys() >= {"file", "words", "scores"}
        assert found[0]["scores"][0] == {
            "family": "sets", "group": "", "class": "", "of_class": "", "measure": "rows",
            "value": 60, "standard_error": None, "interval": None,
        }  # fmt: skip


def test_certain_and_wrong_is_minus_infinity_with_its_count(tmp_path):
    path = tmp_path / "sure.csv"
    path.write_text("y_true,p:a,p:b\na,0,1\nb,0.5,0.5\n")
    found = values(score(path, "--format", "csv"), family="probabilities")
    assert found["information_reward"] == -np.inf
    assert found["information_reward: infinite rows"] == 1


BAD = {
    "unknown label": ("y_true,set\na,a\nz,b\n", ["--classes", "a,b"], "'z'"),
    "ragged row": ("y_true,set\na,a\nb,b,extra,more\n", [], "wager:"),
    "negative weight": ("y_true,set,weight\na,a,1\nb,b,-2\n", [], "weight"),
    "unknown separator": ("y_true,set\na,a;b\nb,b\n", [], "';'"),
    "empty file": ("", [], "is empty"),
    "header alone": ("y_true,set\n", [], "row"),
    "no truth": ("truth,set\na,a\n", [], "no column y_true"),
    "no predictions": ("y_true,score\na,1\n", [], "contains predictions"),
    "duplicate class columns": ("y_true,p:a,p:a\na,0.5,0.5\n", [], "p:a"),
    "missing truth": ("y_true,set\na,a\n,b\n", [], "y_true"),
    "mask without classes": ("y_true,mask\na,1\n", [], "classes"),
    "mask beyond the classes": ("y_true,mask\na,8\n", ["--classes", "a,b"], "wager:"),
    "not a probability": ("y_true,p:a,p:b\na,0.5,nan\n", [], "row 1"),
    "sums to 1.2": ("y_true,p:a,p:b\na,0.6,0.6\n", [], "sum"),
    "crossed bounds": ("y_true,lower:a,lower:b,upper:a,upper:b\na,0.6,0.1,0.5,0.9\n", [], "row"),
    "class without a column": ("y_true,p:a,p:b\nc,0.5,0.5\n", [], "'c'"),
    "no such group": ("y_true,set\na,a\n", ["--by", "site"], "site"),
    "no such cluster": ("y_true,set\na,a\n", ["--cluster", "ward"], "no column ward among y_true"),
    "half a row": ("y_true,set,count\na,a,1\nb,b,0.5\n", [], "count is 0.5 in row 2"),
    "unknown utility": ("y_true,set\na,a\n", ["-u", "nonsense"], "nonsense"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_sentence_and_exit_code_2(case, tmp_path):
    text, arguments, words = BAD[case]
    path = tmp_path / "bad.csv"
    path.write_text(text)
    result = score(path, *arguments)
    assert result.exit_code == 2, result.stdout
    assert result.stdout == ""
    assert result.stderr.startswith("wager: ")
    assert result.stderr.count("\n") == 1
    assert words in result.stderr


def test_files_that_cannot_be_read_are_one_sentence(tmp_path, sets_file):
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(b"PAR1 and no end")
    for path in (tmp_path / "absent.csv", tmp_path, cut, tmp_path / "notes.txt"):
        result = score(path)
        assert result.exit_code == 2
        assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("n_classes", [70, 2000])
def test_many_classes_are_scored_as_well(n_classes, tmp_path):
    labels = [f"c{i:04d}" for i in range(n_classes)]
    path = tmp_path / "many.csv"
    lines = [f"{label},{label}|{labels[i - 1]}" for i, label in enumerate(labels)]
    path.write_text("y_true,set\n" + "\n".join(lines) + "\n")
    found = values(score(path, "--format", "csv"))
    assert (found["coverage"], found["mean_set_size"]) == (1.0, 2.0)


@pytest.fixture
def visits(rows, tmp_path):
    """Sets with a column that names patients."""
    y, _, sets = rows
    patient = np.array([f"patient {i // 4}" for i in range(60)])
    path = tmp_path / "visits.csv"
    write_predictions(path, y, sets=sets, classes=LABELS, cluster=patient)
    path.write_text(path.read_text().replace('"cluster"', '"patient"', 1))
    return path, patient


def test_clusters_change_the_errors_and_are_mentioned(rows, visits):
    y, _, sets = rows
    path, patient = visits
    expected = evaluate_sets(y, sets, classes=LABELS, groups=patient)
    found = as_records(score(path, "--cluster", "patient", "--format", "csv"))
    errors = {r["measure"]: r["standard_error"] for r in found}
    for name in ("u65", "coverage", "single_accuracy"):
        error = expected.estimates[name].standard_error
        assert float(errors[name]) == pytest.approx(error, rel=1e-10)
    text = " ".join(score(path, "--cluster", "patient").stdout.split())
    assert "allow for dependence between the rows of each of 15 clusters." in text
    assert "clusters" not in score(path).stdout
    data = json.loads(score(path, "--cluster", "patient", "--format", "json").stdout)[0]
    assert data["clusters"] == 15
    assert data["words"][-1].endswith("of 15 clusters.")
    assert json.loads(score(path, "--format", "json").stdout)[0]["clusters"] is None


def test_groups_have_the_errors_of_their_own_clusters(rows, visits):
    y, _, sets = rows
    path, patient = visits
    expected = evaluate_sets(y[:4], sets[:4], classes=LABELS)
    rows = as_records(score(path, "--by", "patient", "--cluster", "y_true", "--format", "csv"))
    (found,) = (row for row in rows if row["patient"] == "patient 0")
    assert float(found["coverage"]) == expected["coverage"]
    assert [row["patient"] for row in rows] == sorted(set(patient))


def test_intervals_have_the_level_that_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("y_true,set\n" + "a,a|b\n" * 30 + "b,c\n", encoding="utf-8")
    Path("p.csv").write_text(
        "y_true,p:a,p:b\n" + "a,0.8,0.2\nb,0.4,0.6\na,0.3,0.7\n" * 10, encoding="utf-8"
    )
    runner = CliRunner()
    text = runner.invoke(app, ["score", "a.csv", "--level", "0.8"]).stdout
    assert "In brackets: 80% confidence intervals." in text
    (line,) = [line for line in text.splitlines() if line.startswith("coverage")]
    estimate = evaluate_sets(["a"] * 30 + ["b"], ["a|b"] * 30 + ["c"]).estimates["coverage"]
    low, high = estimate.interval(0.8)
    assert line.split()[1:] == [f"{estimate.value:.3f}", f"({low:.3f}", "to", f"{high:.3f})"]
    data = json.loads(runner.invoke(app, ["score", "p.csv", "--level", "0.9", "-f", "json"]).stdout)
    scores = {entry["measure"]: entry for entry in data[0]["scores"] if not entry["of_class"]}
    assert scores["accuracy"]["interval"][0] < scores["accuracy"]["value"]
    table = runner.invoke(app, ["score", "p.csv", "--level", "0.9", "-f", "csv"]).stdout
    assert table.splitlines()[0].endswith("standard_error,lower,upper")
    wrong = runner.invoke(app, ["score", "a.csv", "--level", "2"])
    assert wrong.exit_code == 2
    assert "--level must lie between 0 and 1, got 2" in wrong.stderr


# How scores become memberships -------------------------------------------------------------------


@pytest.fixture
def decision_values(tmp_path):
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, 120)
    values = 1.5 * np.eye(3)[truth] + rng.normal(size=(120, 3))
    labels = np.array(["a", "b", "c"])
    for factor in (1, 10):
        path = tmp_path / f"x{factor}.csv"
        write_predictions(path, labels[truth], memberships=factor * values, classes=labels)
    return tmp_path / "x1.csv", tmp_path / "x10.csv"


def test_how_memberships_were_made_is_printed_and_in_json(decision_values):
    one, ten = decision_values
    text = score(one).stdout
    assert "x1: Memberships: softmax of the scores, sharpness 1; depth 1, ties first." in text
    assert "depends on the scale of the scores" in text
    options = ("--memberships", "softmax", "--sharpness", "2", "--depth", "2", "--ties", "join")
    (found,) = json.loads(score(one, *options, "--format", "json").stdout)
    by_scale = found["memberships"].pop("accuracy_by_scale")
    assert by_scale["1"] != pytest.approx(by_scale["10"], abs=1e-3)
    assert found["memberships"] == {
        "kind": "softmax", "sharpness": 2.0, "zero": None, "depth": 2, "ties": "join",
        "depends_on_scale": True,
    }  # fmt: skip
    assert "depends on the scale" in found["warnings"][0]
    (by_rank,) = json.loads(score(ten, "--memberships", "rank", "--format", "json").stdout)
    assert by_rank["warnings"] == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--memberships", "none"], "so the m: columns are not memberships: use --memberships"),
        (["--memberships", "rank", "--sharpness", "2"], "sharpness is for softmax, not for"),
        (["--depth", "3"], "depth must be a whole number from 1 to 2 for 3 classes, got 3"),
        (["--sharpness", "0"], "sharpness must be positive, got 0"),
    ],
)
def test_a_wrong_choice_of_memberships_is_one_sentence(decision_values, options, words):
    result = score(decision_values[0], *options)
    assert result.exit_code == 2
    assert result.stderr.startswith("wager: ")
    assert words in result.stderr


def test_memberships_are_for_files_that_have_them(tmp_path):
    path = tmp_path / "l.csv"
    path.write_text("y_true,y_pred\na,a\nb,a\n")
    result = score(path, "--ties", "join")
    assert result.exit_code == 2
    assert "--ties is for m: columns" in result.stderr


def test_rows_that_agree_are_shown_with_an_interval_not_as_certain(tmp_path):
    path = tmp_path / "five.csv"
    path.write_text("y_true,y_pred\na,a\nb,b\na,a\nb,b\na,a\n")
    (line,) = [x for x in score(path).stdout.splitlines() if x.startswith("coverage")]
    low, _ = evaluate_sets(list("ababa"), list("ababa")).estimates["coverage"].interval()
    assert line.split() == ["coverage", "1.00", f"({low:.2f}", "to", "1.00)"]
    entry = json.loads(score(path, "-f", "json").stdout)[0]
    assert entry["level"] == 0.95
    (found,) = [x for x in entry["scores"] if x["measure"] == "coverage"]
    assert found["interval"] == [pytest.approx(low), 1.0]
    assert found["standard_error"] == 0


def test_a_number_has_the_digits_that_its_interval_supports(tmp_path):
    for n, expected in ((4, "0.50 ("), (4000, "0.500 ("), (400_000, "0.5000 (")):
        path = tmp_path / f"rows{n}.csv"
        path.write_text(f"y_true,y_pred,count\na,a,{n // 2}\na,b,{n // 2}\n")
        (line,) = [x for x in score(path).stdout.splitlines() if x.startswith("coverage")]
        assert expected in line


def test_the_same_number_is_shown_once_and_keeps_both_names_in_json(sets_file):
    titles = [line.split("  ")[0] for line in score(sets_file).stdout.splitlines()]
    assert "u50 (discounted accuracy)" in titles
    assert not {"u50", "discounted accuracy", "certainty equivalent:u50"} & set(titles)
    alone = [line.split("  ")[0] for line in score(sets_file, "-u", "u65").stdout.splitlines()]
    assert "discounted accuracy" in alone
    found = {
        x["measure"]: x for x in json.loads(score(sets_file, "-f", "json").stdout)[0]["scores"]
    }
    assert found["u50"]["value"] == found["discounted_accuracy"]["value"]


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_classes_have_one_row_each(rows, sets_file, form):
    y, _, sets = rows
    lines = score(sets_file, "--by-class", "-f", form).stdout.splitlines()
    shown = {"text": "<cow>", "markdown": "&lt;cow>", "latex": r"\textless{}cow\textgreater{}"}[
        form
    ]
    (line,) = [line for line in lines if line.strip("| ").startswith(shown)]
    expected = evaluate_sets(y, sets, classes=LABELS).by_class.loc["<cow>"]
    numbers = [x for x in line.replace("|", " ").replace("&", " ").split() if x[0].isdigit()]
    assert [float(x) for x in numbers] == pytest.approx(expected.tolist(), abs=5e-4)
    assert len(lines) < 40


def test_classes_get_intervals_if_a_level_is_given(rows, sets_file):
    y, _, sets = rows
    text = score(sets_file, "--by-class", "--level", "0.9").stdout
    (line,) = [line for line in text.splitlines() if line.startswith("cat")]
    estimate = evaluate_sets(y, sets, classes=LABELS).by_class_frame(0.9).loc["cat"]
    assert f"({estimate['coverage_lower']:.2f} to {estimate['coverage_upper']:.2f})" in line


def test_a_prior_needs_probabilities(rows, tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("y_true,set\na,a|b\nb,b\n")
    result = score(path, "--prior", "0.5")
    assert result.exit_code == 2
    assert "--prior is for p: columns" in result.stderr


def test_the_prior_in_use_is_stated(rows, tmp_path):
    y, proba, _ = rows
    path = tmp_path / "p.csv"
    write_predictions(path, y, proba=proba, classes=LABELS)
    words = "p: Information rewards use the uniform prior, 1/3 for each class; --prior takes"
    assert words in score(path).stdout
    given = score(path, "--prior", "0.5,0.3,0.2")
    assert "use the prior <cow> 0.5, cat 0.3, d|og 0.2." in given.stdout
    data = json.loads(score(path, "--prior", "0.5,0.3,0.2", "-f", "json").stdout)
    assert data[0]["prior"] == {"<cow>": 0.5, "cat": 0.3, "d|og": 0.2}


def test_every_block_of_a_narrow_table_names_its_rows():
    from wager.cli._render import Grid, text_grid

    header = ["file", "class", "mean\nset size", "coverage", "determinacy"]
    grid = Grid(header, [["one", "a", 1.0, 0.5, 0.25], ["one", "b", 2.0, 1.0, 0.75]], "<<>>>")
    blocks = text_grid(grid, width=26).split("\n\n")
    assert len(blocks) == 3
    for block in blocks:
        assert max(map(len, block.split("\n"))) <= 26
        assert [line.split()[:2] for line in block.split("\n")[-2:]] == [["one", "a"], ["one", "b"]]
    assert blocks[0].split("\n")[1].split() == ["set", "size"]


def tables(result):
    """What is printed before the line that explains brackets."""
    assert result.exit_code == 0, result.stderr
    return result.stdout.split("In brackets")[0]


def test_sentences_come_before_the_table_and_rare_measures_behind_an_option(sets_file):
    short, full = tables(score(sets_file)), tables(score(sets_file, "--all"))
    assert short.startswith("sets: 60 predictions over 3 classes")
    for name in ("mic", "certainty equivalent:u65", "reward variance", "k random variance"):
        assert name not in short
        assert name in full
    for name in ("u65", "coverage", "single accuracy", "mean set size"):
        assert name in short
        assert name in full


@pytest.mark.parametrize("form", ["json", "csv"])
def test_data_formats_have_every_measure_without_an_option(sets_file, form):
    short, full = (score(sets_file, "--format", form, *more).stdout for more in ((), ("--all",)))
    assert short == full
    assert "k_random_variance" in short


def test_sets_that_repeat_the_accuracy_of_probabilities_are_shown_on_demand(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("y_true,p:a,p:b\na,0.9,0.1\nb,0.6,0.4\nb,0.2,0.8\n")
    assert "determinacy" not in tables(score(path))
    for option in ("--all", "--utility=u65"):
        result = score(path, option)
        assert "determinacy" in tables(result)
        assert "accuracy has Wilson's interval" in result.stdout  # two intervals of one number
    cautious = tmp_path / "s.csv"
    cautious.write_text("y_true,set\na,a|b\nb,b\nb,b\n")
    assert "determinacy" in tables(score(path, cautious))
