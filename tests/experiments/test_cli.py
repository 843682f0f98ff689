"""``wager run`` and ``wager results``."""

import csv
import io
import json
import sqlite3

import pytest
from rich.console import Console
from rich.text import Text
from typer.testing import CliRunner

from tests.experiments.filled import HERE, fill
from wager.cli import app
from wager.cli.run import _bar
from wager.experiments import Plan, Progress, Store
from wager.experiments.store._lock import sole_writer

PLAN = """
datasets = ["iris", "wine"]
measures = ["u65", "determinacy"]
scheme = "5x2"
[learners]
all = "vacuous"
one = "random-class"
"""


@pytest.fixture
def plan_file(tmp_path):
    file = tmp_path / "guesses.toml"
    file.write_text(PLAN)
    return file


@pytest.fixture
def store(plan_file, tmp_path):
    return fill(Plan.load(plan_file), tmp_path / "out")


def wager(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_run_does_the_plan_and_says_so_in_plain_lines(plan_file, tmp_path):
    said = wager("run", plan_file, "--out", tmp_path / "new", "--jobs", 2)
    assert said.exit_code == 0, said.output
    assert said.stderr.startswith("0 of 40 units\n")
    assert "40 of 40 units" in said.stderr
    assert "40 units: 40 done" in said.stdout
    assert Store(tmp_path / "new").counts()["done"] == 40
    again = wager("run", plan_file, "--out", tmp_path / "new")
    assert "0 done" in again.stdout
    assert "40 reused, 0 failed" in again.stdout


def test_run_exits_with_1_and_a_summary_if_units_failed(tmp_path):
    (tmp_path / "p.toml").write_text(
        'datasets = ["iris"]\n[learners]\nbad = "faulty.Raises"\ngood = "faulty.Majority"\n'
    )
    (tmp_path / "faulty.py").write_text((HERE / "faulty.py").read_text())
    fill(Plan.load(tmp_path / "p.toml"), tmp_path / "p")
    said = wager("run", tmp_path / "p.toml", "--out", tmp_path / "p")
    assert said.exit_code == 1
    assert "bad on iris" in said.stdout
    assert "RuntimeError: cannot learn from" in said.stdout
    failures = wager("results", tmp_path / "p", "--failures")
    assert failures.exit_code == 0
    assert "Traceback" in failures.stdout
    assert "units failed" in failures.stdout
    table = wager("results", tmp_path / "p")
    assert "failed (see --failures)" in table.stdout


def test_run_exits_with_2_and_a_sentence_for_each_problem_of_the_plan(tmp_path):
    file = tmp_path / "p.toml"
    file.write_text('datasets = ["iris"]\nseeds = 3\n[learners]\na = "nbc"\n[prepare]\nselect = 1')
    said = wager("run", file)
    assert said.exit_code == 2
    assert said.stderr.splitlines() == [
        "wager: p.toml: prepare.select must be 'none' or 'cfs', got 1",
        "wager: p.toml: seeds is no key of a plan: did you mean seed?",
    ]


def test_run_exits_with_2_if_a_data_set_is_not_there(tmp_path):
    file = tmp_path / "p.toml"
    file.write_text('datasets = ["nowhere"]\n[learners]\na = "vacuous"\n')
    said = wager("run", file, "--out", tmp_path / "out")
    assert said.exit_code == 2
    assert "there is no data set 'nowhere'" in said.stderr
    assert not (tmp_path / "out").exists()


def test_run_exits_with_1_if_the_folder_cannot_be_written_to(plan_file, tmp_path):
    said = wager("run", plan_file, "--out", plan_file / "inside")
    assert said.exit_code == 1
    assert "cannot write to" in said.stderr


def test_run_refuses_a_store_that_another_run_writes_to(plan_file, store):
    with sole_writer(store.path):
        said = wager("run", plan_file, "--out", store.path)
    assert said.exit_code == 1
    assert "another run" in said.stderr


def test_dry_lists_the_units_and_estimates_the_time(plan_file, tmp_path):
    said = wager("run", plan_file, "--dry", "--out", tmp_path / "none", "-j", 1)
    assert said.exit_code == 0, said.output
    assert "40 units, 0 of them done already" in said.stdout
    assert "of 2 data sets tried" in said.stdout
    assert not (tmp_path / "none").exists()


def test_dry_tries_nothing_if_all_is_done(plan_file, store):
    said = wager("run", plan_file, "--dry", "--out", store.path)
    assert said.stdout == "40 units, 40 of them done already\n"


def test_results_sum_up_every_measure(store):
    said = wager("results", store.path)
    assert said.exit_code == 0, said.output
    lines = said.stdout.splitlines()
    assert lines[0].split() == ["measure", "learner", "mean", "median", "mean", "rank", "wins"]
    assert [line.split()[:2] for line in lines[2:6]] == [
        [measure, learner] for measure in ("u65", "determinacy") for learner in ("all", "one")
    ]
    assert lines[-1] == "40 of 40 units done"


def test_results_say_which_data_sets_are_left_out(store):
    with sqlite3.connect(store.path / "results.sqlite") as database:
        database.execute(
            "DELETE FROM units WHERE key IN "
            "(SELECT key FROM planned WHERE dataset = 'wine' AND learner = 'one')"
        )
    database.close()
    assert wager("results", store.path).stdout.splitlines()[-1] == (
        "30 of 40 units done; means, ranks and wins leave out 1 data set that lacks some learner"
    )


def test_results_pivot_and_csv_hold_the_scores(store):
    said = wager("results", store.path, "--measure", "u65", "--pivot", "--format", "csv")
    header, *rows = csv.reader(io.StringIO(said.stdout))
    assert header == ["u65", "all", "one"]
    scores = store.scores("u65")
    assert [row[0] for row in rows] == ["iris", "wine"]
    assert [[float(cell) for cell in row[1:]] for row in rows] == scores.values.tolist()


def test_results_as_json_know_no_nan(store):
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
def test_results_exit_with_2_and_a_sentence(store, tmp_path, arguments, sentence):
    said = wager("results", store.path if arguments else tmp_path / "none", *arguments)
    assert said.exit_code == 2
    assert sentence in said.stderr


def test_a_terminal_gets_a_bar_with_rate_time_left_and_failures():
    (unit, *_) = Plan(datasets=["iris"], learners={"all[s=1]": "vacuous"}).units()
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=200)
    with _bar(console) as report:
        report(Progress(total=10))
        report(Progress(total=10, done=5, failed=2, latest=unit, seconds=8.0))
    shown = Text.from_ansi(screen.getvalue()).plain
    assert "5 of 10 units" in shown
    for part in ("0.5 a second", "10.0 seconds left", "2 failed", "all[s=1] on iris"):
        assert part in shown
