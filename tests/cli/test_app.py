"""The command line as a whole: it answers at once, completes what is typed, and knows its age."""

import os
import subprocess
import sys
from importlib.metadata import version

import pytest
from typer.testing import CliRunner

from wager.cli import app

HELP = "import sys; from wager.cli import main; sys.argv = ['wager', '--help']; main()"


def test_help_loads_nothing_that_takes_long():
    heavy = {"numpy", "scipy", "sklearn", "duckdb", "matplotlib", "pandas", "numba", "pydantic"}
    code = (
        "import atexit, sys; "
        f"atexit.register(lambda: print(sorted({heavy!r} & set(sys.modules)), file=sys.stderr)); "
        f"{HELP}"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"
    assert "score" in done.stdout


def test_version():
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"wager {version('wager')}\n")


@pytest.mark.parametrize("command", sorted(command.name for command in app.registered_commands))
def test_every_command_says_what_it_does(command):
    result = CliRunner().invoke(app, [command, "--help"])
    assert result.exit_code == 0
    assert result.stdout.splitlines()[2].strip()


def test_a_misspelt_command_gets_the_nearest():
    result = CliRunner().invoke(app, ["scroe"])
    assert result.exit_code == 2
    assert "Did you mean 'score'?" in result.stderr


@pytest.mark.parametrize(
    ("typed", "completed"), [("sc", "score"), ("explain mean_", "mean_set_size")]
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


def test_who_has_read_enough_is_not_told_of_a_broken_pipe(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("y_true,y_pred\n" + "".join(f"c{i},c{i}\n" for i in range(3000)))
    code = "import sys; from wager.cli import main; sys.argv[0] = 'wager'; main()"
    command = [sys.executable, "-c", code, "score", str(path), "--by-class", "--format", "csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


def test_rules_are_those_of_decide():
    from typing import get_args

    from wager.cli._options import Rule
    from wager.credal._decide import Rule as Rules

    assert [rule.value for rule in Rule] == list(get_args(Rules))
