"""``wager elicit``: answers on the terminal or from a file become a utility for scoring."""

import os
import signal
import subprocess
import sys
from time import monotonic, sleep

import pytest
from typer.testing import CliRunner

from tests.hostile import HOSTILE
from wager._visible import visible
from wager.cli import app
from wager.rewards import Quadratic, Tabulated, get_utility


def elicit(*arguments, answers=""):
    return CliRunner().invoke(app, ["elicit", *map(str, arguments)], input=answers)


# u(0.5) = 0.65: 66%, 48%, 57%, 62%, 68%, 64%, 65%, 63%, 67%, 61%, and 65% again
TWO_CLASSES = "c\ns\ns\ns\nc\ns\nc\ns\nc\ns\nc\n"


@pytest.mark.parametrize("name", ["clear screen", "title", "one byte csi", "right to left"])
def test_answers_and_names_of_files_act_on_no_terminal(name, tmp_path):
    """Questions have numbers only; what is repeated are answers and the name of the file."""
    hostile = HOSTILE[name]
    file = tmp_path / f"{hostile}.toml"
    found = elicit("-k", 3, "-o", file, answers=f"{hostile}\n" + "=\n" * 99)
    assert found.exit_code == 0, found.output
    assert visible(found.output) == found.output
    scored = tmp_path / "p.csv"
    scored.write_text("y_true,y_pred\na,a\nb,a\n")
    found = CliRunner().invoke(app, ["score", str(scored), "-u", str(file)])
    assert visible(found.output) == found.output


def test_answers_become_a_file_that_get_utility_reads(tmp_path):
    path = tmp_path / "mine.toml"
    result = elicit("--classes", 2, "-o", path, answers=TWO_CLASSES)
    assert result.exit_code == 0, result.stderr
    utility = get_utility(path)
    assert isinstance(utility, Tabulated)
    assert 0.64 <= utility.values[1] <= 0.66
    low, high = utility.half_interval
    assert 0.61 <= low <= 0.64
    assert 0.65 <= high <= 0.67
    assert utility.name == "elicited:mine"
    assert "95% interval" in result.stdout
    assert "a set of 2 classes that always contains the right one" in result.stdout
    assert "your answers are consistent with risk aversion" in result.stdout
    assert f"score with -u {path}" in result.stdout.replace("\n", "")


@pytest.mark.parametrize("name", ["mine.txt", "mine", "mine.csv"])
def test_a_file_that_no_command_would_read_is_refused_before_a_question(name, tmp_path):
    result = elicit("-k", 2, "-o", tmp_path / name, answers=TWO_CLASSES)
    assert result.exit_code == 2
    assert f"{name}: utilities are read from files that end in .toml" in result.stderr
    assert result.stdout == ""


def test_the_ending_of_a_utility_file_may_have_capital_letters(tmp_path):
    path = tmp_path / "mine.TOML"
    assert elicit("-k", 2, "-o", path, answers=TWO_CLASSES).exit_code == 0
    assert get_utility(str(path)) == get_utility(path)


def test_a_curve_can_be_fitted_to_the_answers(tmp_path):
    path = tmp_path / "mine.toml"
    result = elicit("-k", 2, "-o", path, "--kind", "quadratic", answers=TWO_CLASSES)
    utility = get_utility(path)
    assert isinstance(utility, Quadratic)
    assert utility.half_interval[0] < utility.u_half < utility.half_interval[1]
    assert "fits your answers about all set sizes: u(0.5) is between 0.6" in result.stdout


def test_an_unknown_answer_is_asked_again(tmp_path):
    path = tmp_path / "mine.toml"
    result = elicit("-k", 2, "-o", path, "--no-check", answers="what?\nSAME\n" + "=\n" * 9)
    assert result.exit_code == 0
    assert "answer s, c or =, not 'what?'" in result.stderr
    assert get_utility(path).values[1] == pytest.approx(0.66, abs=0.05)


def test_contradictions_are_shown(tmp_path):
    path = tmp_path / "mine.toml"
    result = elicit("-k", 2, "-o", path, answers=TWO_CLASSES[:-2] + "s\n")
    assert "contradiction: a set of 2 classes or a chance of 65%: first chance, then set" in (
        result.stdout
    )
    steady = tmp_path / "steady.toml"
    elicit("-k", 2, "-o", steady, answers=TWO_CLASSES)
    (low, high), (inner_low, inner_high) = (
        get_utility(file).half_interval for file in (path, steady)
    )
    assert high - low > 1.3 * (inner_high - inner_low)
    assert "# contradiction" in path.read_text()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-k", "1"], "at least 2 classes, got 1"),
        (
            ["-k", "3", "--sizes", "2;3"],
            "--sizes takes whole numbers separated by commas, such as 2,3,10, got '2;3'",
        ),
        (["-k", "3", "--sizes", "2,5"], "from 2 to n_classes (3)"),
        (["-k", "3", "--resolution", "2"], "resolution must lie in"),
        (["-k", "3", "--level", "95"], "level must lie in"),
        (["-k", "3", "-o", "no/such/folder/u.toml"], "make the folder no/such/folder"),
        (["-k", "3"], "the answers end before question 2, so nothing was written"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_status_2(tmp_path, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    result = elicit(*options, answers="s\n")
    assert result.exit_code == 2
    assert words in result.stderr
    assert "Traceback" not in result.output
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('kind = "linear"\n')
    command = [sys.executable, "-u", "-c", "from wager.cli import main; main()",
               "elicit", "-k", "3", "-o", str(path)]  # fmt: skip
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # may be ignored
    ) as process:  # fmt: skip
        process.stdin.write("s\n")
        process.stdin.flush()
        seen, deadline = "", monotonic() + 60
        while "2. a set" not in seen and monotonic() < deadline:
            seen += os.read(process.stdout.fileno(), 4096).decode()
        sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)  # before communicate closes the input, which ends it, too
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.strip().endswith("wager: stopped")
    assert [p.name for p in tmp_path.iterdir()] == ["mine.toml"]
    assert path.read_text() == 'kind = "linear"\n'
