"""``wager study``: messages about missing results and data, and an interrupted run."""

import pytest
from typer.testing import CliRunner

from wager.cli import app
from wager.experiments import studies


def study(*arguments):
    return CliRunner().invoke(app, ["study", *map(str, arguments)])


@pytest.mark.parametrize(
    ("options", "way"),
    [
        ([], "{0}: first run wager study run {0}"),
        (["--quick"], "{0}-quick: first run wager study run {0} --quick"),
        (["--out", "here"], "here: first run wager study run {0} --out here"),
    ],
)
def test_a_report_without_results_says_what_to_do_first(options, way, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = study("report", "zaffalon-2012-credal", *options)
    assert said.exit_code == 2
    wanted = way.format("zaffalon-2012-credal")
    assert said.stderr == f"wager: there are no results in {wanted}\n"
    assert not list(tmp_path.iterdir())


def test_a_missing_data_folder_is_named(tmp_path):
    missing = tmp_path / "data"
    out = tmp_path / "out"
    said = study("run", "zaffalon-2012-credal", "--data", missing, "--out", out)
    assert said.exit_code == 2
    assert (
        said.stderr
        == f"wager: --data {missing}: there is no such folder; name another one, or openml\n"
    )
    assert not out.exists()


def test_an_interrupted_run_says_how_to_resume(tmp_path, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(studies.Study, "run", stop)
    said = study("run", "zaffalon-2012-credal", "--quick", "--out", tmp_path)
    assert said.exit_code == 130
    assert said.stderr == f"wager: stopped; finished units are in {tmp_path}, run again to resume\n"


def test_the_list_fits_a_terminal():
    lines = study("list").stdout.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == list(studies.names())
    assert max(map(len, lines)) <= 100
