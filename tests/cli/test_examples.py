"""The examples at the end of every help text: they are there, legible, and work as written."""

import re
import shlex
from itertools import pairwise

import numpy as np
import pytest
import typer.main
from typer.testing import CliRunner

from tests.cli.test_grammar import COMMANDS
from tests.experiments.filled import fill
from wager.cli import app
from wager.experiments import Plan

GROUPS = {
    f"wager {name}": command
    for name, command in typer.main.get_command(app).commands.items()
    if hasattr(command, "commands")
}
ALL = {"wager": typer.main.get_command(app), **GROUPS, **COMMANDS}
# Only parsed: they take long, or need a cluster.
NOT_RUN = (
    "wager demo", "wager run plan.toml --jobs", "wager run plan.toml --engine dask",
    "wager study run", "wager study report zaffalon-2012", "wager study data",
)  # fmt: skip

PLAN = """
datasets = ["iris", "wine", "breast-cancer"]
measures = ["u65", "determinacy"]
scheme = "5x2"
[learners]
nbc = "random-class"
ncc = "vacuous"
tan = "random-class"
"""
ANSWERS = '[[answer]]\nset = "a|b"\ntrue = "a"\ncost = 0.25\n'


def calls_of(name):
    """The examples of a command: each call, on one line."""
    text = ALL[name].epilog.replace("\\\n", " ")
    return [" ".join(call.split()) for call in re.findall(r"^ +(wager .*)", text, re.MULTILINE)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files that the examples name."""
    path = tmp_path_factory.mktemp("examples")
    rng = np.random.default_rng(0)
    truth = rng.choice(["healthy", "flu", "pneumonia"], 60)
    guess = np.where(rng.random(60) < 0.7, truth, rng.choice(["healthy", "flu"], 60))
    rows = list(zip(truth, guess, rng.choice(["north", "south"], 60), strict=True))
    plain = "".join(f"{y},{g},{h}\n" for y, g, h in rows)
    sets = "".join(f"{y},{'|'.join(sorted({g, 'flu'}))},{h}\n" for y, g, h in rows)
    for name in ("predictions", "cautious"):
        (path / f"{name}.csv").write_text(f"y_true,set,hospital\n{sets}")
    (path / "plain.csv").write_text(f"y_true,y_pred,hospital\n{plain}")
    right = "".join(f"{y},{y}\n" for y in truth)
    (path / "log.csv").write_text(f"y_true,set\n{right}")
    data = "".join(
        f"{x:.3f},{z:.3f},{y}\n" for x, z, y in zip(*rng.random((2, 60)), guess, strict=True)
    )
    for name in ("train", "test", "more"):
        (path / f"{name}.csv").write_text(f"x,z,kind\n{data}")
        header = "@relation r\n@attribute x numeric\n@attribute z numeric\n"
        header += "@attribute kind {healthy,flu,pneumonia}\n@data\n"
        (path / f"{name}.arff").write_text(header + data)
    (path / "costs.csv").write_text("predicted,a,b\na,0,2\nb,1,0\n")
    (path / "extended.csv").write_text("predicted,a,b\na,0,2\nb,1,0\na|b,0.25,0.5\n")
    (path / "answers.toml").write_text(ANSWERS)
    (path / "mine.toml").write_text('kind = "tabulated"\nvalues = [1.0, 0.7, 0.4]\n')
    (path / "plan.toml").write_text(PLAN)
    (path / "datasets").mkdir()
    fill(Plan.load(path / "plan.toml"), path / "results")
    return path


@pytest.fixture
def place(folder, monkeypatch):
    import duckdb

    monkeypatch.chdir(folder)
    duckdb.sql("copy (from 'predictions.csv') to 'predictions.parquet'")
    run("wager costs new healthy,flu,pneumonia --unit EUR -o costs.toml --force")
    if not (folder / "tan.npz").exists():
        run("wager fit tan train.arff test.arff --discretize mdl -o tan.csv --save tan.npz")
    return folder


def run(call):
    """Run a call; answers are given to those that ask."""
    words, _, target = call.partition(" > ")
    answers = "s\nc\n" * 200 if words.startswith("wager elicit") else None
    done = CliRunner().invoke(app, shlex.split(words)[1:], input=answers, catch_exceptions=False)
    assert done.exit_code == 0, (call, done.output)
    assert done.stdout.strip()
    return target, done.stdout


@pytest.mark.parametrize("name", ALL)
def test_there_are_two_to_four_examples_each_with_a_phrase(name):
    lines = ALL[name].epilog.splitlines()
    start = lines.index("Examples:")
    assert 2 <= len(calls_of(name)) <= 4
    before = {line: above for above, line in pairwise(lines)}
    for line in lines[start:]:
        if line.startswith("  wager "):
            assert before[line].startswith(("  # ", "  wager "))


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("width", [80, 100])
def test_help_fits_the_terminal(name, width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERMINAL_WIDTH", str(width))
    said = CliRunner().invoke(app, [*name.split()[1:], "--help"], terminal_width=width)
    assert said.exit_code == 0
    assert max(map(len, said.stdout.splitlines())) <= width
    for line in ALL[name].epilog.splitlines()[2:]:
        if line.startswith("  "):  # the examples are not folded into a paragraph
            assert line in said.stdout.splitlines()
    assert not re.search(r"<list|<path>|\{[A-Z]+\}|\[default: \(", said.stdout)


@pytest.mark.parametrize("call", sorted({call for name in ALL for call in calls_of(name)}))
def test_every_example_works(call, place):
    if not call.startswith(NOT_RUN):
        target, said = run(
            call.replace(
                "costs new healthy,flu,pneumonia --unit EUR -o",
                "costs new healthy,flu,pneumonia --unit EUR --force -o",
            )
        )
        if target:
            assert said.startswith("#")  # a plan, which is left as it is
        return
    command, words = typer.main.get_command(app), shlex.split(call)[1:]
    while words and hasattr(command, "commands"):
        command, words = command.commands[words[0]], words[1:]
    command.make_context(command.name, words)  # parses the options, and runs nothing


def test_a_misspelt_command_or_option_gets_a_suggestion():
    for call, wanted in {
        "costs adit x.csv": "no such command 'adit'. Did you mean 'audit'?",
        "study lst": "no such command 'lst'. Did you mean 'list'?",
        "score --utilty u65 x.csv": "no such option: --utilty",
    }.items():
        done = CliRunner().invoke(app, call.split())
        assert done.exit_code == 2
        assert wanted in done.stderr


def test_the_main_help_says_where_to_start_and_what_exit_statuses_mean():
    said = " ".join(CliRunner().invoke(app, ["--help"]).stdout.split())
    assert "Start with `wager demo`" in said
    assert "Exit status: 0 if all went well, 1 if a part of the work failed or there is no" in said
    for title in ("Predictions:", "Training and experiments:", "Getting to know wager:"):
        assert title in said
