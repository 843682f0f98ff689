"""One grammar: options that commands share have the same names, meaning and errors everywhere."""

import csv
import io
import json
import re
import shlex
from itertools import cycle

import numpy as np
import pytest
import typer.main

from wager.cli import app

FORMATS = ("text", "json", "csv", "markdown", "latex")
LETTERS = "y_true,set\na,a\nb,a|b\nb,a\nc,c\n"
PLAIN = "y_true,y_pred\na,a\nb,b\nb,a\nc,c\n"
COSTS = "predicted,a,b\na,0,2\nb,1,0\n"
ANSWERS = '[[answer]]\nset = "a|b"\ntrue = "a"\ncost = 0.25\n'
QUOTED = 'y_true,"set"\n"b,c","b,c"\na,a\n"b,c",a\n'

# Every command that prints a table, with the names of files and folders that `files` makes.
TABLES = {
    "score": "score sets.csv plain.csv",
    "compare": "compare sets.csv plain.csv",
    "compare a run": "compare out",
    "results": "results out",
    "results pivot": "results out -m u65 --pivot",
    "results failures": "results out --failures",
    "costs audit": "costs audit costs.csv",
    "costs extend": "costs extend costs.csv",
    "costs complete": "costs complete costs.csv answers.toml",
    "study list": "study list",
    "explain": "explain",
    "explain a measure": "explain u65",
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "sets.csv": LETTERS, "plain.csv": PLAIN, "costs.csv": COSTS, "answers.toml": ANSWERS,
    }.items():  # fmt: skip
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def call(wager, files, request):
    def run(command, *options):
        if "out" in command.split():
            request.getfixturevalue("store")
        return wager(*shlex.split(command), *options)

    return run


# -- formats and files ----------------------------------------------------------------------------


def is_well_formed(text, output_format):
    if output_format == "json":
        return isinstance(json.loads(text), list | dict)
    if output_format == "csv":
        return len({len(row) for row in csv.reader(io.StringIO(text))}) == 1
    if output_format == "markdown":
        return bool(re.search(r"^\| :?--", text, re.MULTILINE))
    if output_format == "latex":
        return text.startswith("\\begin{tabular}")
    return bool(text.strip())


@pytest.mark.parametrize("command", TABLES.values(), ids=TABLES)
def test_every_command_that_prints_a_table_has_every_format(call, command):
    for output_format in FORMATS:
        result = call(command, "--format", output_format)
        assert result.exit_code == 0, (output_format, result.output)
        assert is_well_formed(result.stdout, output_format), output_format
    assert call(command, "-f", output_format).stdout == result.stdout


@pytest.mark.parametrize(
    ("command", "option"),
    list(zip(TABLES.values(), cycle(["-o", "--output", "--out"]), strict=False)),
    ids=TABLES,
)
def test_every_table_can_be_written_to_a_file(call, files, command, option):
    """Every command has all three spellings: see the test of spellings below."""
    shown = call(command, "--format", "csv").stdout
    before = {path.name for path in files.iterdir()} | {"guesses.toml", "out"}
    target = files / "table.txt"
    result = call(command, "--format", "csv", option, target)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(f"{target}: ")
    assert target.read_text() == shown
    assert {path.name for path in files.iterdir()} - before == {"table.txt"}


@pytest.mark.parametrize("command", TABLES.values(), ids=TABLES)
def test_a_folder_that_does_not_exist_is_refused(call, command):
    assert_one_sentence(call(command, "-o", "no/such/folder/out.csv"), "no/such/folder")


@pytest.mark.parametrize("command", TABLES.values(), ids=TABLES)
def test_an_unknown_format_lists_the_known_ones(call, command):
    result = call(command, "--format", "yaml")
    assert result.exit_code == 2
    assert "'yaml' is not one of text, json, csv, markdown, latex." in result.stderr


def test_table_is_an_older_name_of_text(call):
    for command in ("score sets.csv", "costs audit costs.csv"):
        assert call(command, "--format", "table").stdout == call(command).stdout


def test_formats_of_the_demonstration(wager, tmp_path, monkeypatch):
    from tests.cli.test_demo import FOUND

    monkeypatch.setattr("wager.experiments.run_demo", lambda: FOUND)
    for output_format in FORMATS:
        result = wager("demo", "--quiet", "-o", tmp_path / "out", "--format", output_format)
        assert result.exit_code == 0, result.output
        assert is_well_formed(result.stdout, output_format)


def test_an_interrupted_command_leaves_the_file_as_it_was(call, files):
    target = files / "scores.csv"
    target.write_text("as before")
    assert_one_sentence(call("score sets.csv missing.csv", "-o", target), "missing.csv")
    assert target.read_text() == "as before"


# -- tables as text -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    ["score sets.csv", "compare sets.csv plain.csv", "results out", "costs audit costs.csv"],
)
def test_tables_have_one_style(call, command):
    """A line of dashes under the header, and nothing else around the cells."""
    lines = call(command).stdout.splitlines()
    assert any(re.fullmatch("-{20,}", line) for line in lines)
    assert not any(set(line) & set("─━│┃") for line in lines)


def test_a_table_that_is_too_wide_is_split_and_sentences_are_folded():
    from wager.cli._render import Grid, text_grid

    names = [f"learner{i}" for i in range(9)]
    wide = text_grid(Grid(["data set", *names], [["iris", *np.linspace(0, 1, 9)]]), 50)
    assert max(map(len, wide.splitlines())) <= 50
    assert [name for name in names if name in wide] == names
    sentences = Grid(["property", "because"], [["first", "word " * 30]], "<<", ends_in_text=True)
    folded = text_grid(sentences, 50)
    assert max(map(len, folded.splitlines())) <= 50
    assert folded.count("word") == 30


# -- classes --------------------------------------------------------------------------------------


def test_a_quoted_label_may_contain_a_comma_in_every_command(call, files):
    (files / "quoted.csv").write_text(QUOTED)
    (files / "other.csv").write_text(QUOTED)
    data = files / "data.csv"
    data.write_text('x,kind\n1,"b,c"\n2,a\n3,"b,c"\n1,a\n')
    classes = 'a, "b,c" ,d'
    scored = call("score quoted.csv --format json", "--classes", classes)
    assert "3 classes" in json.loads(scored.stdout)[0]["words"][0]
    compared = call("compare quoted.csv other.csv --format json", "--classes", classes)
    assert json.loads(compared.stdout)["classes"] == 3
    fitted = call(
        "fit vacuous data.csv data.csv --target kind -o predicted.jsonl", "--classes", classes
    )
    assert fitted.exit_code == 0, fitted.stderr
    said = json.loads((files / "predicted.jsonl").read_text().splitlines()[0])
    assert said["set"] == "a|b,c|d"


# -- progress -------------------------------------------------------------------------------------


def test_quiet_shows_no_progress(call, plan_file):
    assert "units" in call("run guesses.toml -o loud -j 1").stderr
    assert call("run guesses.toml -o silent -j 1 --quiet").stderr == ""


# -- errors ---------------------------------------------------------------------------------------


def assert_sentences(result, *words):
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr
    for line in result.stderr.splitlines():
        assert line.startswith("wager: ")
    for word in words:
        assert word in result.stderr


def assert_one_sentence(result, *words):
    assert_sentences(result, *words)
    assert result.stderr.count("\n") == 1


BAD = {
    "score": "score bad",
    "compare": "compare bad sets.csv",
    "fit": "fit naive-bayes bad sets.csv --target set -o out.csv",
    "run": "run bad",
    "results": "results bad",
    "costs audit": "costs audit bad",
    "costs extend": "costs extend bad",
    "costs complete": "costs complete bad answers.toml",
    "study run": "study run zaffalon-2012-credal --data bad",
    "study report": "study report zaffalon-2012-credal -o bad",
}


@pytest.mark.parametrize("command", BAD.values(), ids=BAD)
@pytest.mark.parametrize("content", [None, b"", b"a,b\n1,2\n"], ids=["missing", "empty", "wrong"])
def test_a_bad_file_is_one_sentence_and_exit_status_2(call, files, command, content):
    if content is not None:
        (files / "bad.csv").write_bytes(content)
    result = call(command.replace("bad", "bad.csv"))
    if command == "run bad" and content == b"":  # a plan has one sentence per problem
        assert_sentences(result, "datasets", "learners")
    else:
        assert_one_sentence(result)


@pytest.mark.parametrize(
    "command",
    [
        "elicit -k 3 -o sets.csv/utility.toml",
        "demo -o sets.csv/plots",
        "fit vacuous sets.csv sets.csv --target set -o sets.csv/out.csv",
        "score sets.csv -o sets.csv/scores.csv",
    ],
)
def test_a_place_that_cannot_be_written_is_one_sentence_and_exit_status_2(call, command):
    assert_one_sentence(call(command), "sets.csv")


def test_an_unknown_measure_is_one_sentence(call):
    assert_one_sentence(call("explain beauty"), "beauty")


# -- help -----------------------------------------------------------------------------------------


def commands(found=None, path=("wager",)):
    """Every command with the words that call it."""
    found = typer.main.get_command(app) if found is None else found
    for name, command in found.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


COMMANDS = dict(commands())


@pytest.mark.parametrize("name", COMMANDS)
def test_an_option_has_one_spelling_and_one_short_form(name):
    """Wherever an option of the shared grammar occurs, all its spellings do."""
    together = (
        {"--format", "-f"}, {"--output", "--out", "-o"}, {"--utility", "-u"}, {"--jobs", "-j"},
        {"--quiet", "-q"}, {"--level", "--confidence"}, {"--measure", "-m"},
    )  # fmt: skip
    known = {option for parameter in COMMANDS[name].params for option in parameter.opts}
    for spellings in together:
        assert known & spellings in (set(), spellings)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_starts_with_a_sentence_and_explains_every_parameter(name):
    command = COMMANDS[name]
    assert re.match(r"[A-Z].*\.(\n|$)", command.help)
    for parameter in command.params:
        assert getattr(parameter, "help", "x"), parameter.name
