"""Class names, column names and paths are text: they act on nothing that reads or shows them."""

import csv
import io
import json
import re

import pytest

from tests.hostile import HOSTILE
from wager import evaluate_sets
from wager.costs import CostMatrix, costs_to_csv, read_costs
from wager.predictions import read_predictions, write_predictions

NAMES = [name for name in HOSTILE.values() if "\t" not in name]
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def predictions(tmp_path):
    """A file whose classes are the hostile names; each is predicted once, with its neighbour."""
    path = tmp_path / "hostile.jsonl"
    pairs = [[a, b] for a, b in zip(NAMES, [*NAMES[1:], NAMES[0]], strict=True)]
    write_predictions(path, NAMES, sets=pairs)
    return path


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "jsonl", "parquet", "arrow"])
def test_prediction_files_keep_hostile_labels_as_they_are(tmp_path, ending):
    path = tmp_path / f"p.{ending}"
    pairs = [[a, b] for a, b in zip(NAMES, [*NAMES[1:], NAMES[0]], strict=True)]
    write_predictions(path, NAMES, sets=pairs, form="set")
    found = read_predictions(path)
    assert found.y_true.tolist() == NAMES
    assert [set(row) for row in found.sets.to_lists()] == [set(pair) for pair in pairs]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "arrow"])
def test_prediction_files_keep_hostile_column_names_as_they_are(tmp_path, ending):
    path = tmp_path / f"p.{ending}"
    proba = [[1 / len(NAMES)] * len(NAMES)] * 2
    write_predictions(path, NAMES[:2], proba=proba, classes=NAMES)
    assert read_predictions(path).classes.tolist() == sorted(NAMES)


@pytest.mark.parametrize("how", ["text", "markdown", "latex", "json", "csv"])
def test_no_control_code_of_a_class_reaches_the_terminal(wager, predictions, how, monkeypatch):
    monkeypatch.setattr("wager.cli._render._terminal_width", lambda: 120)
    found = wager("score", predictions, "--by-class", "--format", how)
    assert found.exit_code == 0, found.stderr
    assert not CONTROL.search(found.stdout)
    assert "2J" in found.stdout


def test_no_control_code_reaches_the_terminal_in_an_error(wager, predictions):
    found = wager("score", predictions, "--classes", "a,b")
    assert found.exit_code == 2
    assert not CONTROL.search(found.stderr)
    assert not CONTROL.search(wager("score", "\x1b[2J.csv").stderr)


def test_no_control_code_is_in_the_printed_form_of_a_result():
    y = ["\x1b[2J", "b", "b"]
    assert not CONTROL.search(repr(evaluate_sets(y, y)))
    assert not CONTROL.search(str(CostMatrix.zero_one(["\x1b[2J", "b"]).extend("discounted")))


def test_no_cell_of_a_result_is_a_formula_of_a_spreadsheet(wager, predictions):
    found = wager("score", predictions, "--by-class", "--format", "csv")
    cells = [cell for row in csv.reader(io.StringIO(found.stdout)) for cell in row]
    assert "'=cmd|'/C calc'!A0" in cells
    for cell in cells:
        assert cell[:1] not in "=+@-" or re.fullmatch(r"-?[\d.e-]*", cell), cell


def test_a_csv_that_is_passed_on_has_the_names_of_one_that_is_written(wager, predictions, tmp_path):
    file = tmp_path / "out.csv"
    assert wager("score", predictions, "--by-class", "-o", file, "--format", "csv").exit_code == 0
    found = wager("score", predictions, "--by-class", "--format", "csv").stdout_bytes
    assert found == file.read_bytes()
    assert HOSTILE["clear screen"].encode() in found


def test_groups_in_csv_are_no_formulas(wager, tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("y_true,y_pred,group\na,a,=1+1\nb,a,-3\n")
    found = wager("score", path, "--by", "group", "--format", "csv")
    names = [row[1] for row in csv.reader(io.StringIO(found.stdout))]
    assert set(names[1:]) >= {"'=1+1", "-3"}


def test_results_as_json_keep_the_names(wager, predictions):
    found = json.loads(wager("score", predictions, "--by-class", "--format", "json").stdout)
    shown = {entry["class"] for entry in found[0]["scores"]}
    assert set(NAMES) <= shown


def test_latex_and_markdown_run_nothing(wager, predictions):
    latex = wager("score", predictions, "--by-class", "--format", "latex").stdout
    assert "\\input{" not in latex
    assert r"\textbackslash{}input\{" in latex
    assert not re.search(r"(?<!\\)[%#$]", latex.replace("$-$", ""))
    markdown = wager("score", predictions, "--by-class", "--format", "markdown").stdout
    assert "<script" not in markdown
    assert "[a](javascript" not in markdown


def test_cost_files_keep_hostile_labels(tmp_path, wager):
    costs = CostMatrix.zero_one([name for name in NAMES if "|" not in name][:4])
    path = tmp_path / "c.csv"
    path.write_text(costs_to_csv(costs))
    assert read_costs(path).classes.tolist() == costs.classes.tolist()
    small = CostMatrix.zero_one(["=1+1", "@a"])
    path.write_text(costs_to_csv(small))
    extended = tmp_path / "e.csv"
    assert wager("costs", "extend", path, "-o", extended).exit_code == 0
    assert read_costs(extended).classes.tolist() == ["=1+1", "@a"]


@pytest.mark.parametrize("name", [n for n in HOSTILE.values() if "/" not in n and "\0" not in n])
def test_hostile_file_names_are_names(wager, tmp_path, name, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / f"{name}.csv"
    path.write_text("y_true,y_pred\na,a\n")
    found = wager("score", path, "--format", "json")
    assert found.exit_code == 0, found.stderr
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
