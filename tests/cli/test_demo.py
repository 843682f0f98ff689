"""``wager demo``: a table, a paragraph and a plot."""

import errno
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

import wager
from wager.cli import app
from wager.experiments import Demo
from wager.rewards import PairedTally, Tally

TRUTH, PLAIN, CAUTIOUS = [0, 1, 1, 2], [0, 1, 2, 0], [[0], [1], [1, 2], [0, 1, 2]]
FOUND = Demo(
    {"naive Bayes": Tally.of(TRUTH, PLAIN, range(3)), "sets": Tally.of(TRUTH, CAUTIOUS, range(3))},
    {"sets": PairedTally.of(TRUTH, CAUTIOUS, PLAIN, range(3))},
)


def test_the_demo_prints_a_table_and_a_paragraph_and_draws_a_plot(tmp_path):
    result = CliRunner().invoke(app, ["demo", "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert "naive credal" in result.output
    assert "u(0.5) below" in result.output
    assert "overlapping training sets" in result.output
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["risk-profile.png"]


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    null = Path(os.devnull)
    for folder, found in ((file, file), (file / "out", file), (null / "out", null)):
        result = CliRunner().invoke(app, ["demo", "--out", str(folder)])
        assert result.exit_code == 2
        said = f"wager: cannot write to {folder}: {found} is a file, not a folder"
        assert "".join(result.stderr.split()) == "".join(said.split())


@pytest.mark.parametrize("problem", [OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt()])
def test_a_demo_that_fails_leaves_no_empty_folder(problem, tmp_path, monkeypatch):
    def fails():
        raise problem

    monkeypatch.setattr(wager.experiments, "run_demo", fails)
    (tmp_path / "kept").mkdir()
    result = CliRunner().invoke(app, ["demo", "--out", str(tmp_path / "kept" / "new" / "out")])
    assert result.exit_code != 0
    assert list(tmp_path.iterdir()) == [tmp_path / "kept"]
    assert list((tmp_path / "kept").iterdir()) == []
