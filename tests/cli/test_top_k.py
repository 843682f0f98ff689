"""``wager score`` and ``wager compare`` of files that list a few classes of each row."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.serial_engine import SerialEngine
from wager.cli import app
from wager.predictions import TopKProbabilities, scan_predictions, write_predictions
from wager.report import score_file
from wager.rewards import ProbabilityTally, evaluate_sets, get_utility

CLASSES = np.array([f"c{i}" for i in range(7)])


def wager(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


def scores(*arguments):
    result = wager("score", *arguments, "--format", "json")
    assert result.exit_code == 0, result.stderr
    return {
        (s["family"], s["group"], s["class"], s["measure"]): s["value"]
        for s in json.loads(result.stdout)[0]["scores"]
    }


@pytest.fixture(params=["csv", "parquet"])
def files(request, tmp_path):
    """The same probabilities, listed and as a matrix, with weights, groups and clusters."""
    return write_both(tmp_path, request.param)


def write_both(folder, ending):
    rng = np.random.default_rng(0)
    n = 120
    top = TopKProbabilities.from_proba(rng.dirichlet(np.ones(7) * 0.5, n), 3, CLASSES)
    truth = CLASSES[np.where(rng.random(n) < 0.6, top.most_probable(), rng.integers(0, 7, n))]
    beside = {
        "weight": rng.integers(1, 4, n) / 2,
        "group": np.array(["x", "y"])[rng.integers(0, 2, n)],
        "cluster": [f"k{i}" for i in rng.integers(0, 30, n)],
    }
    paths = []
    for name, proba in (("top", top), ("matrix", np.asarray(top))):
        paths.append(folder / f"{name}.{ending}")
        write_predictions(paths[-1], truth, proba=proba, classes=CLASSES, **beside)
    return paths


def assert_alike(found, expected):
    assert found.keys() == expected.keys()
    none = {key for key, value in expected.items() if value is None}  # NaN in JSON
    assert {key for key, value in found.items() if value is None} == none
    for key in expected.keys() - none:
        assert found[key] == pytest.approx(expected[key], rel=1e-9, abs=1e-11), key


@pytest.mark.parametrize(
    "options",
    [(), ("--by-class",), ("--by", "group"), ("--weight", "weight", "--by", "group")],
)
def test_scores_are_those_of_the_matrix(files, options):
    found, expected = (scores(path, "--classes", ",".join(CLASSES), *options) for path in files)
    assert ("probabilities", "", "", "information_reward") in found
    assert ("sets", "", "", "coverage") in found
    assert_alike(found, expected)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_that_lists_all_classes_is_like_one_with_a_column_per_class(tmp_path, ending):
    rng = np.random.default_rng(3)
    matrix, truth = rng.dirichlet(np.ones(7), 80), CLASSES[rng.integers(0, 7, 80)]
    listed, columns = tmp_path / f"listed.{ending}", tmp_path / f"columns.{ending}"
    top = TopKProbabilities.from_proba(matrix, 7, CLASSES)
    write_predictions(listed, truth, proba=top)
    write_predictions(columns, truth, proba=matrix, classes=CLASSES)
    assert_alike(scores(listed), scores(columns))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_gives_the_scores_of_the_same_probabilities_in_memory(tmp_path, ending):
    rng = np.random.default_rng(4)
    classes = np.array([f"k{i:04}" for i in range(2000)])
    codes = rng.integers(0, 400, (150, 5)) * 5 + np.arange(5)
    proba = 0.9 * rng.dirichlet(np.ones(5), 150)
    truth = np.where(rng.random(150) < 0.7, classes[codes[:, 0]], classes[rng.integers(0, 2000)])
    top = TopKProbabilities(classes[codes], proba, classes)
    path, names = tmp_path / f"top.{ending}", tmp_path / "classes.txt"
    write_predictions(path, truth, proba=top)
    names.write_text("\n".join(classes))
    found = scores(path, "--classes", f"@{names}")
    expected = ProbabilityTally.of(truth, top)
    for name in ("information_reward", "log_loss", "brier", "accuracy"):
        value = found["probabilities", "", "", name]
        assert value == pytest.approx(expected.score(name).value, rel=1e-12)
    sets = evaluate_sets(truth, classes[top.most_probable()], classes=classes)
    assert found["sets", "", "", "coverage"] == sets["coverage"]


def test_a_report_shows_the_most_probable_classes(files, tmp_path):
    page = tmp_path / "page.html"
    result = wager("report", *files, "--classes", ",".join(CLASSES), "-o", page)
    assert result.exit_code == 0, result.stderr
    found = re.search(r'id="wager-data">(.*?)</script>', page.read_text("utf-8"), re.S)
    listed, matrix = json.loads(found[1])["classifiers"]
    assert listed["kind"] == "probabilities"
    assert (listed["tally"], listed["by_class"]) == (matrix["tally"], matrix["by_class"])


def test_each_of_very_many_groups_is_scored(files, monkeypatch):
    import wager.report._groups as groups

    monkeypatch.setattr(groups, "ONE_BY_ONE", 1)
    found, expected = (
        scores(path, "--classes", ",".join(CLASSES), "--by", "group") for path in files
    )
    assert_alike(found, expected)


def test_costs_are_those_of_the_most_probable_class(files, tmp_path):
    rows = [",".join([a, *(str(abs(i - j)) for j in range(7))]) for i, a in enumerate(CLASSES)]
    costs = tmp_path / "costs.csv"
    costs.write_text("\n".join(["predicted," + ",".join(CLASSES), *rows]) + "\n")
    found, expected = (scores(path, "--costs", costs) for path in files)
    assert found["costs", "", "", "average_cost"] == expected["costs", "", "", "average_cost"]


def test_files_are_compared_by_their_probabilities(files, tmp_path):
    rng = np.random.default_rng(1)
    read = scan_predictions(files[0], CLASSES).read()
    other = TopKProbabilities.from_proba(
        0.5 * np.asarray(read.proba) + 0.5 * rng.dirichlet(np.ones(7), len(read)), 4, CLASSES
    )
    path = tmp_path / "other.jsonl"
    write_predictions(path, read.y_true, proba=other)
    found = [
        json.loads(wager("compare", one, path, "--classes", ",".join(CLASSES), "--format", "json")
                   .stdout) for one in files
    ]  # fmt: skip
    assert found[0]["kind"] == found[1]["kind"] == "probabilities"
    first, second = (one["pairs"][0]["differences"] for one in found)
    for score, difference in first.items():
        assert difference["mean"] == pytest.approx(second[score]["mean"], abs=1e-9)
    as_sets = wager("compare", files[0], path, "-u", "u65")
    assert as_sets.exit_code == 0, as_sets.stderr
    assert "by the most probable class" in " ".join(as_sets.stdout.split())


def test_classes_of_two_files_are_put_together(tmp_path):
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("y_true,class_1,p_1\n" + "a,a,0.5\nb,b,0.6\n" * 20)
    two.write_text("y_true,class_1,p_1\n" + "a,c,0.5\nb,b,0.7\n" * 20)
    result = wager("compare", one, two, "--format", "json")
    assert result.exit_code == 0, result.stderr
    # over three classes: shares of 0.25 and 0.2, 0.25 and 0.15
    brier = [0.5**2 + 2 * 0.25**2, 0.4**2 + 2 * 0.2**2]
    other = [0.75**2 + 0.5**2 + 0.25**2, 0.3**2 + 2 * 0.15**2]
    found = json.loads(result.stdout)["pairs"][0]["differences"]["brier"]["mean"]
    assert found == pytest.approx(np.mean(brier) - np.mean(other))


def test_parts_on_a_cluster_share_the_rest_over_all_classes(tmp_path):
    path, _ = write_both(tmp_path, "parquet")  # which has parts
    file = scan_predictions(path)
    utilities = [get_utility("u65")]
    whole = score_file(file, "top", utilities)
    parts = score_file(file, "top", utilities, engine=SerialEngine())
    values = {(s.family, s.measure): s.value for s in whole.scores}
    for s in parts.scores:
        assert s.value == pytest.approx(values[s.family, s.measure], rel=1e-9, nan_ok=True)


def test_many_classes_come_from_a_file(tmp_path):
    path, names = tmp_path / "top.csv", tmp_path / "classes.txt"
    path.write_text("y_true,class_1,p_1\na,a,0.5\nb,a,0.25\n")
    names.write_text("\n".join(["a", "b", *(f"other {i}" for i in range(998))]) + "\n")
    found = scores(path, "--classes", f"@{names}")
    p = np.array([0.5, 0.75 / 999])
    assert found["probabilities", "", "", "log_loss"] == pytest.approx(-np.log(p).mean())
    absent = wager("score", path, "--classes", "@absent.txt")
    assert absent.exit_code == 2
    assert absent.stderr.strip().endswith(
        "--classes @absent.txt: there is no such file: name one with a class per line"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("y_true,class_1,p_1,class_2,p_2\na,a,0.7,b,0.6\n", "p_1 to p_2 of row 1 sum to 1.3"),
        ("y_true,class_1,p_1,class_2,p_2\na,a,0.3,a,0.6\n", "class_1 and class_2 are both 'a'"),
        ("y_true,class_1,p_1,class_2,p_2\na,a,0.3,,0.6\n", "class_2 is missing in row 1"),
        ("y_true,class_1,p_1\na,x,0.3\n", "class_1 contains 'x' in row 1, which is not among"),
        ("y_true,class_1,p_1,p_2\na,a,0.3,1\n", "there is a column p_2 but no class_2"),
    ],
)
def test_a_wrong_file_is_refused_in_one_sentence(tmp_path, text, words):
    path = tmp_path / "top.csv"
    path.write_text(text)
    result = wager("score", path, "--classes", "a,b,c")
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr
