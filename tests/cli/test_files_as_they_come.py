"""Commands take files as they come: other column names, missing values, standard input."""

from __future__ import annotations

import gzip
import json
import os

import pytest

ROWS = "truth,label,w\na,a,2.5\nb,a,1\nb, b ,4\nNA,a,1\n"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "d[1].csv"
    path.write_text(ROWS)
    return path


COLUMNS = ("--truth", "truth", "--pred", "label", "--weight", "w")


def test_rows_and_their_total_weight_are_shown_apart(wager, file):
    result = wager("score", file, *COLUMNS, "--na", "drop", "--format", "json")
    (found,) = json.loads(result.stdout)
    values = {score["measure"]: score["value"] for score in found["scores"]}
    assert (values["rows"], values["total_weight"]) == (3, 7.5)
    assert values["coverage"] == pytest.approx(6.5 / 7.5)
    assert found["warnings"] == ["1 of 4 rows is left out because it has no truth"]
    assert result.stderr == f"wager: warning: d[1]: {found['warnings'][0]}\n"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input(wager, file, pack):
    data = pack(ROWS.encode())
    result = wager("score", "-", *COLUMNS, "--na", "drop", "--format", "json", input=data)
    (found,) = json.loads(result.stdout)
    assert found["file"] == "stdin"
    assert found["warnings"] == ["1 of 4 rows is left out because it has no truth"]
    refused = wager("score", "-", input=b"y_true,answer\na,a\n")
    assert refused.stderr.startswith("wager: standard input: none of the columns y_true, answer")
    twice = wager("score", "-", "-", input=data)
    said = "wager: standard input (-) can be read only once: name it once\n"
    assert (twice.exit_code, twice.stderr) == (2, said)
    assert wager("compare", "-", "-", input=data).stderr == said


def test_json_lines_on_standard_input(wager):
    lines = b'{"y_true": "a", "set": ["a"]}\n{"y_true": "b", "set": ["a", "b"]}\n'
    (found,) = json.loads(wager("score", "-", "--format", "json", input=lines).stdout)
    assert {s["measure"]: s["value"] for s in found["scores"]}["coverage"] == 1


def test_several_kinds_of_predictions_are_announced_once(wager, tmp_path):
    path = tmp_path / "both.csv"
    path.write_text("y_true,y_pred,p:a,p:b\na,a,0.9,0.1\nb,b,0.2,0.8\n")
    said = " ".join(wager("score", path).stdout.split())
    assert said.count("has 2 kinds of predictions (y_pred, p:), which are scored side by side") == 1


ONE = "id,y_true,y_pred\n1,a,a\n2,NA,a\n3,b,b\n4,b,a\n5,a,b\n"
OTHER = {
    "order": "y_true,set\na,a\nb,a\nb,\nb,NA\na,a|b\n",
    "id": "id,y_true,set\n5,a,a|b\n4,b,NA\n3,b,\n2,b,a\n1,a,a\n",
}


@pytest.mark.parametrize("by", OTHER)
def test_a_row_that_one_file_lacks_is_left_out_of_all(wager, tmp_path, by):
    for name, text in (("one", ONE), ("other", OTHER[by])):
        (tmp_path / f"{name}.csv").write_text(text)
    paths = tmp_path / "one.csv", tmp_path / "other.csv"
    assert "1 of 5 rows has no y_true; the first is row 2" in wager("compare", *paths).stderr
    result = wager("compare", *paths, "--na", "drop", "--format", "json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["rows"] == 3
    assert found["scores"]["one"]["u50"]["mean"] == pytest.approx(2 / 3)
    assert found["scores"]["other"]["u50"]["mean"] == pytest.approx(1.5 / 3)
    assert found["warnings"] == [
        "one: 1 of 5 rows is left out because it has no y_true",
        "other: 1 of 5 rows is left out because it has no set",
        f"2 rows, matched by {by}, are left out of all files because one of them lacks a value",
    ]
    assert result.stderr == "".join(f"wager: warning: {said}\n" for said in found["warnings"])


def test_compare_names_columns_and_reads_one_file_from_standard_input(wager, tmp_path):
    path = tmp_path / "other.csv"
    path.write_text("y_true,y_pred\na,a\nb,a\n")
    text = b"truth;prob_a;prob_b\na;0,75;0,25\nb;0,5;0,5\n"
    options = ("--truth", "truth", "--proba-prefix", "prob_", "--format", "json")
    result = wager("compare", "-", path, *options, input=text)
    assert result.exit_code == 0, result.stderr
    assert list(json.loads(result.stdout)["scores"]) == ["stdin", "other"]
    absent = wager("compare", path, path.with_name("other.csv"), "--names", "a,b", "--truth", "x")
    assert absent.stderr.endswith(
        "there is no column x among y_true, y_pred, nor in the other files\n"
    )


def test_a_row_without_an_id_is_left_out_or_missed_by_the_other_file(wager, tmp_path):
    one, two, all_ids = tmp_path / "one.csv", tmp_path / "two.csv", tmp_path / "all.csv"
    one.write_text("id,y_true,y_pred\n1,a,a\nNA,b,b\n2,b,a\n")
    two.write_text("id,y_true,y_pred\n1,a,a\n2,b,b\n,b,b\n")
    all_ids.write_text("id,y_true,y_pred\n1,a,a\n2,b,b\n3,b,b\n")
    refused = wager("compare", one, two).stderr
    assert "has no id; the first is row 2, which is 'NA'" in refused
    assert "--classes" not in refused  # an id is not a class
    found = wager("compare", one, two, "--na", "drop", "--format", "json")
    assert json.loads(found.stdout)["rows"] == 2
    missed = wager("compare", one, all_ids, "--na", "drop")
    assert (missed.exit_code, missed.stderr) == (
        2,
        f"wager: {all_ids} has the id 3 (row 3) but {one} does not: compare predictions of the "
        "same rows\n",
    )


@pytest.mark.parametrize("text", ["\n", '[{"y_true": "a", "y_pred": "a"}]\n'])
def test_a_file_without_names_of_columns(wager, tmp_path, text):
    path = tmp_path / ("rows.json" if "[" in text else "rows.csv")
    path.write_text(text)
    refused = wager("score", path)
    assert refused.exit_code == 2
    assert refused.stderr == (
        f"wager: {path}: there is no column y_true, nor any other with a name: write CSV with a "
        "header, or one JSON object per line\n"
    )


def test_a_broken_line_of_json_is_named_by_its_number(wager, tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"y_true": "a", "y_pred": "a"}\n\nbroken\n')
    said = f"{path} is not JSON Lines (line 3 is not valid JSON): write one JSON object per line"
    assert wager("score", path).stderr == f"wager: {said}\n"


def test_a_named_pipe_is_refused_instead_of_waited_for(wager, tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    said = (
        f"{pipe} is not a regular file: send its content to standard input, and name - as the file"
    )
    assert wager("score", pipe).stderr == f"wager: {said}\n"


@pytest.mark.parametrize("columns", ["in:NA,in:b", "p:NA,p:b", "m:null,m:b"])
def test_a_column_of_a_class_that_means_missing_asks_for_the_classes(wager, tmp_path, columns):
    """Its rows were counted by some commands, and left out or refused by others."""
    word = columns.split(",")[0].split(":")[1]
    file, page = tmp_path / "word.csv", tmp_path / "page.html"
    file.write_text(f"y_true,{columns}\n{word},1,0\nb,0,1\n{word},0,1\nb,0,1\n")
    for command in (("score", file), ("score", file, "--na", "drop"), ("report", file, "-o", page)):
        refused = wager(*command)
        assert refused.exit_code == 2
        assert f"names the class {word!r}" in refused.stderr
        known = wager(*command, "--classes", f"b,{word}")
        assert known.exit_code == 0, known.stderr
        assert "left out" not in known.stderr


def test_a_column_of_predictions_that_is_named_comes_before_sets(wager, tmp_path):
    """`--pred` was ignored for files that also have sets."""
    both, plain, page = (tmp_path / name for name in ("both.csv", "plain.csv", "page.html"))
    both.write_text("y_true,set,guess\na,a|b,b\nb,b,a\nb,a|b,a\n")
    plain.write_text("y_true,guess\na,b\nb,a\nb,a\n")
    compared = wager("compare", both, plain, "--pred", "guess", "-f", "json")
    scores = json.loads(compared.stdout)["scores"]
    assert scores["both"]["u65"]["mean"] == scores["plain"]["u65"]["mean"] == 0
    sets = wager("compare", both, plain, "--pred", "guess", "--set", "set", "-f", "json")
    assert json.loads(sets.stdout)["scores"]["both"]["u65"]["mean"] > 0
    assert wager("report", both, "--pred", "guess", "-o", page).exit_code == 0
    assert '"kind":"labels"' in page.read_text()
