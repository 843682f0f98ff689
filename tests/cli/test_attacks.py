"""Hostile command lines: files without an end, names that no file can have, names with codes."""

import errno
import gzip
import io
import re
import signal
import sys
import time
import weakref
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from typer import Exit

from tests.hostile import HOSTILE
from wager.cli import main, score as score_command
from wager.cli._errors import one_sentence
from wager.cli._help import Command
from wager.cli._progress import late_bar, step_progress_on
from wager.cli._render import Grid, Printout, printing
from wager.predictions.files._database import Database

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
FULL = Path("/dev/full")
PREDICTIONS = "y_true,y_pred\na,a\nb,a\nb,b\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.csv").write_text(PREDICTIONS)
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "/dev/zero"],
        ["score", "p.csv", "--classes", "@/dev/zero"],
        ["monitor", "p.csv", "--coverage", "0.5", "--state", "/dev/zero"],
    ],
)
def test_a_device_without_an_end_is_not_read_for_ever(wager, folder, arguments, monkeypatch):
    for place in ("cli._options", "experiments.plan._plan", "report._monitor"):
        monkeypatch.setattr(f"wager.{place}._LARGEST", 1000)
    found = wager(*arguments)
    assert found.exit_code == 2
    assert re.fullmatch(r"wager: [^\n]*too large[^\n]*\n", found.stderr)


def test_a_tally_without_an_end_is_not_read_for_ever(wager, folder, monkeypatch):
    inputs = import_module("wager.report.page._inputs")
    monkeypatch.setattr(inputs, "_LARGEST_JSON", 1000)
    monkeypatch.setattr("wager.report._monitor._LARGEST", 1000)
    (folder / "zero.json").symlink_to("/dev/zero")
    found = wager("report", "zero.json")
    assert (found.exit_code, "too large" in found.stderr) == (2, True)
    found = wager("monitor", "p.csv", "--reference", "zero.json")
    assert (found.exit_code, "too large" in found.stderr) == (2, True)


def test_a_cost_file_that_expands_a_thousandfold_is_refused(wager, folder):
    (folder / "costs.csv.gz").write_bytes(gzip.compress(b"predicted,a,b\n" + b"a" * 34_000_000, 1))
    found = wager("score", "p.csv", "--costs", "costs.csv.gz")
    assert found.exit_code == 2
    assert "expands to more than 34 MB" in found.stderr


def test_a_long_list_of_classes_is_not_taken_for_a_file(wager, folder):
    classes = ",".join(["a", "b", *(f"class{i}" for i in range(50))])
    (folder / "out.txt").write_text("before")
    assert wager("score", "p.csv", "--classes", classes, "-o", "out.txt").exit_code == 0
    assert wager("score", "p.csv", "--classes", classes, "-o", "p.csv").exit_code == 2
    assert (folder / "p.csv").read_text() == PREDICTIONS


def test_a_name_that_is_too_long_is_a_sentence(wager, folder):
    for arguments in (["explain", "u65"], ["score", "p.csv"]):
        found = wager(*arguments, "-o", "x" * 300)
        assert found.exit_code == 2
        assert found.stderr == f"wager: {'x' * 300}: file name too long\n"


def test_the_end_of_a_line_in_a_name_is_spelt_out(wager, folder):
    found = wager("monitor", "a\nb.csv", "--coverage", "0.5")
    assert found.stderr == "wager: a\\nb.csv: no such file or directory\n"


@pytest.mark.parametrize("name", ["\x9b2J", "\udcff"])
def test_names_of_output_files_act_on_no_terminal(wager, folder, name):
    commands = [
        ["score", "p.csv", "-o", f"{name}.txt"],
        ["costs", "new", "a,b", "-o", f"{name}.toml"],
        ["score", "p.csv", "-o", f"{name}.txt", "--no-such-option", name],
    ]
    for arguments in commands:
        found = wager(*arguments)
        assert not CONTROL.search(found.output), arguments
        assert found.exit_code == (2 if "--no-such-option" in arguments else 0), found.output


@pytest.mark.parametrize("how", ["text", "json"])
def test_a_file_of_results_has_no_control_codes(folder, how):
    from wager.cli._options import OutputFormat

    names = list(HOSTILE.values())
    grid = Grid(["name", "n"], [[name, 1] for name in names], caption=names[9])
    with printing(OutputFormat(how), folder / "out.txt") as show:
        show(Printout("names", [grid], title=names[9], summary=names, remarks=names))
    assert not CONTROL.search((folder / "out.txt").read_text())


def test_commands_print_through_functions_that_spell_control_codes_out():
    modules = Path(import_module("wager.cli").__file__).parent.glob("*.py")
    printing = {path.name for path in modules if "typer.echo(" in path.read_text()}
    assert printing == {"_say.py", "_render.py"}


def test_names_in_bars_act_on_no_terminal(folder):
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, color_system=None, width=200)
    name = "[red]a[/red]\x1b]0;owned\x07\x9b2J"
    with late_bar(console, name, seconds=0) as report:
        report(0.5)
        time.sleep(0.05)
    with step_progress_on(console) as report:
        report(name)
        time.sleep(0.05)
    assert "\x1b]0" not in shown.getvalue()
    assert "\x9b" not in shown.getvalue()
    assert shown.getvalue().count(r"[red]a[/red]\x1b]0;owned\x07\x9b2J") >= 2


@pytest.mark.parametrize("closed", ["stdin", "stdout", "stderr"])
def test_closed_streams_are_the_null_device(folder, closed, monkeypatch):
    monkeypatch.setattr(sys, closed, None)
    monkeypatch.setattr(sys, "argv", ["wager", "score", "-" if closed == "stdin" else "p.csv"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == (2 if closed == "stdin" else 0)
    getattr(sys, closed).close()


def test_a_full_device_is_named(capsys):
    with pytest.raises(Exit) as end, one_sentence():
        raise OSError(errno.ENOSPC, "No space left on device")
    assert end.value.exit_code == 1
    assert capsys.readouterr().err == "wager: cannot write the output: no space left on device\n"


class FullStream(io.StringIO):
    """Standard output that is sent to a full device."""

    def write(self, text):
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "p.csv", "-o", "/dev/full"],
        ["score", "p.csv"],
        ["costs", "new", "a,b"],
        ["run", "--example"],
        ["--help"],
        ["--version"],
    ],
)
def test_no_space_for_the_output_is_status_1(folder, arguments, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["wager", *arguments])
    monkeypatch.setattr(sys, "stdout", FullStream())
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 1
    assert capsys.readouterr().err == "wager: cannot write the output: no space left on device\n"
    assert [path.name for path in folder.iterdir()] == ["p.csv"]


def test_no_space_for_a_draft_is_status_1(wager, folder, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("wager._atomic.TemporaryDirectory", full)
    found = wager("score", "p.csv", "-o", "out.txt")
    assert (found.exit_code, found.stderr) == (1, "wager: out.txt: no space left on device\n")


def test_no_space_for_a_file_of_the_database_is_status_1(capsys):
    import duckdb

    with pytest.raises(Exit) as end, one_sentence(), Database().cursor():
        raise duckdb.IOException('Could not write file "0.parquet": No space left on device')
    assert end.value.exit_code == 1
    assert capsys.readouterr().err == "wager: cannot write the output: no space left on device\n"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("Query interrupted")])
def test_an_interrupt_is_a_sentence_also_while_the_database_works(capsys, error):
    with pytest.raises(Exit) as end, one_sentence():
        raise error
    assert (end.value.exit_code, capsys.readouterr().err) == (130, "wager: stopped\n")
    with pytest.raises(RuntimeError, match="another"), one_sentence():
        raise RuntimeError("another")
    with pytest.raises(Exit), one_sentence():
        raise RuntimeError("in an import") from KeyboardInterrupt()
    with pytest.raises(SystemExit, match="143"), one_sentence():
        raise RuntimeError("in an import") from SystemExit(143)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_command_that_is_ended_leaves_no_draft(folder, name, monkeypatch):
    number = getattr(signal, name)

    def end_me(*_):
        assert any(path.name.startswith(".wager-") for path in folder.iterdir())
        assert signal.getsignal(number) is not signal.SIG_DFL  # which would end the tests
        signal.raise_signal(number)

    before = signal.getsignal(number)
    monkeypatch.setattr("wager.cli._render._pieces", end_me)
    monkeypatch.setattr(sys, "argv", ["wager", "explain", "u65", "-o", "out.txt"])
    signal.signal(number, signal.SIG_DFL)
    try:
        with pytest.raises(SystemExit) as end:
            main()
    finally:
        signal.signal(number, before)
    assert end.value.code == 128 + number
    assert [path.name for path in folder.iterdir()] == ["p.csv"]


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (MemoryError(), ""),
        (
            MemoryError("Unable to allocate 8 GiB for an\narray"),
            ": unable to allocate 8 GiB for an array",
        ),
    ],
)
def test_too_little_memory_is_a_sentence(folder, error, cause, monkeypatch, capsys):
    def fail(*_, **__):
        raise error

    sentence = f"wager: this needs more memory than there is{cause}; try fewer rows, columns "
    sentence += "or classes\n"
    # inside and outside of what reads the input
    for module, name in ((score_command, "_short_names"), (Command, "invoke")):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, fail)
            patch.setattr(sys, "argv", ["wager", "score", "p.csv", "-o", "out.txt"])
            with pytest.raises(SystemExit) as end:
                main()
        assert (end.value.code, capsys.readouterr().err) == (2, sentence)
        assert [path.name for path in folder.iterdir()] == ["p.csv"]


def test_the_sentence_about_memory_has_the_memory_of_the_command(capsys):
    seen = []

    def fill():
        large = np.zeros(10)
        seen.append(weakref.ref(large))
        raise MemoryError

    with pytest.raises(Exit), one_sentence():
        fill()
    assert seen[0]() is None


def test_so_many_bins_are_refused(wager, folder):
    (folder / "t.csv").write_text("x,y\n1.5,a\n2.5,b\n3.5,a\n")
    fit = ["fit", "naive-bayes", "t.csv", "t.csv", "--target", "y", "-o", "out.csv"]
    found = wager(*fit, "--discretize", "equal-frequency", "--bins", 10**12)
    assert found.exit_code == 2
    assert found.stderr.splitlines()[-1].startswith(
        "wager: n_bins must be at most 65,536, got 1000000000000"
    )
    assert not (folder / "out.csv").exists()


def test_a_setting_that_is_nested_too_deeply_is_a_sentence(wager, folder):
    for value in ("[" * 3000, "{" + "a." * 3000 + "b=1}"):
        setting = f"priors={value}"
        found = wager(
            "fit",
            "sklearn.naive_bayes.GaussianNB",
            "p.csv",
            "p.csv",
            "--set",
            setting,
            "-o",
            "o.csv",
        )
        assert found.exit_code == 2
        assert re.fullmatch(r"wager: the value [^\n]* is nested too deeply\n", found.stderr)
