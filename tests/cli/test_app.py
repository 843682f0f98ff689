"""The command line as a whole: fast help, version, completion, and a quiet end of a pipe."""

import os
import subprocess
import sys
from importlib.metadata import version

import pytest
from typer.testing import CliRunner

from wager.cli import app

HEAVY = {"numpy", "scipy", "sklearn", "duckdb", "matplotlib", "pandas", "numba", "rich"}
ALL_HELP = """
import sys
from wager.cli import app
for words in {calls!r}:
    try:
        app([*words.split(), "--help"], prog_name="wager")
    except SystemExit as end:
        assert not end.code
    heavy = {heavy!r} if words else {heavy!r} | {{"pydantic"}}  # typer parses options with it
    print(*(heavy & set(sys.modules)), end="", file=sys.stderr)
"""


def test_help_loads_nothing_that_takes_long():
    groups = {"costs": ("audit", "extend", "complete"), "study": ("list", "run", "report")}
    calls = ["", *(command.callback.__name__ for command in app.registered_commands), *groups]
    calls += [f"{group} {name}" for group, names in groups.items() for name in names]
    code = ALL_HELP.format(calls=calls, heavy=HEAVY)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert done.stdout.count("Usage: wager") == len(calls)


def test_version():
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"wager {version('wager')}\n")


def test_the_package_can_be_run_as_a_module():
    command = [sys.executable, "-m", "wager", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"wager {version('wager')}\n"


def test_a_misspelt_command_suggests_the_nearest():
    result = CliRunner().invoke(app, ["scroe"])
    assert result.exit_code == 2
    assert "Did you mean 'score'?" in result.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    ("typed", "completed"), [("sc", "score"), ("explain mean_set", "mean_set_size")]
)
def test_the_shell_completes_commands_and_measures(typed, completed):
    words = f"wager {typed}"
    environment = os.environ | {
        "_WAGER_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    code = "import sys; from wager.cli import main; sys.argv = ['wager']; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False
    )
    assert done.stdout.split() == [completed]


def test_a_closed_pipe_is_not_an_error(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("y_true,y_pred\n" + "".join(f"c{i},c{i}\n" for i in range(500)))
    code = "import sys; from wager.cli import main; sys.argv[0] = 'wager'; main()"
    command = [sys.executable, "-c", code, "score", str(path), "--by-class", "--format", "csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


def test_decision_rules_are_those_of_decide():
    from typing import get_args

    from wager.cli._options import RuleName
    from wager.credal import DecisionRule

    choices, _ = get_args(RuleName)
    rules, _ = get_args(choices)  # or None
    assert get_args(rules) == get_args(DecisionRule)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (["score"], "missing argument 'FILE'. See wager score --help"),
        (["--nope"], "no such option: --nope. See wager --help"),
        (
            ["fit", "--load", "m.npz"],
            "no such option: --load: a learner that was saved predicts with wager predict. "
            "See wager fit --help",
        ),
        (["scor"], "no such command 'scor'. Did you mean 'score'? See wager --help"),
        (
            ["score", "a.csv", "--na", "skip"],
            "invalid value for '--na': 'skip' is not one of 'error', 'drop'. See wager score "
            "--help",
        ),
        (
            ["run", "plan.toml", "--jobs", "0"],
            "invalid value for '--jobs' / '-j': it must be greater than or equal to 1. See wager "
            "run --help",
        ),
        (
            ["compare", "a.csv", "b.csv", "--clip", "small"],
            "invalid value for '--clip': it must be a valid number. See wager compare --help",
        ),
        (["costs", "new"], "missing argument 'CLASSES'. See wager costs new --help"),
    ],
)
def test_a_wrong_option_is_one_sentence(call, sentence):
    done = CliRunner().invoke(app, call)
    assert (done.exit_code, done.output) == (2, f"wager: {sentence}\n")


def test_a_command_without_arguments_still_shows_its_help():
    assert "Commands:" in CliRunner().invoke(app, ["costs"]).output
