"""``wager study``: messages about missing results and data, and an interrupted run."""

import json

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


def entries(text):
    """The entries of the list by the name of their study."""
    return {part.partition(":")[0]: part for part in text.split("\n\n")}


def test_the_list_fits_a_terminal_and_says_what_each_study_needs():
    said = study("list").stdout
    assert max(map(len, said.splitlines())) <= 100
    found = entries(said)
    assert list(found) == list(studies.names())
    for name, text in found.items():
        title = studies.get(name).title
        assert text.startswith(f"{name}: {title}\n")
        for label in ("Paper: ", "Time: ", "Data: "):
            assert f"\n    {label}" in text


def test_the_list_says_which_data_sets_are_at_hand(tmp_path, monkeypatch):
    monkeypatch.delenv("WAGER_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    name = "sondhauss-weihs-data"
    assert "1 of them not found (vehicle): name its folder" in entries(study("list").stdout)[name]
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "vehicle.arff").write_text("")
    found = entries(study("list", "--data", "data").stdout)[name]
    assert "3 data sets (iris, wine, vehicle), at hand." in found
    assert study("list", "--data", "nowhere").exit_code == 2


def test_the_list_as_data_names_all_data_sets(monkeypatch):
    monkeypatch.delenv("WAGER_DATA", raising=False)
    found = {entry["name"]: entry for entry in json.loads(study("list", "-f", "json").stdout)}
    assert len(found["zaffalon-2012-credal"]["data_sets"]) == 55
    assert found["zaffalon-2011-krkp"]["missing"] == ["kr-vs-kp"]
    assert found["zaffalon-2011-artificial"]["data_sets"] == []
    all_found = json.loads(study("list", "-f", "json", "--data", "openml").stdout)
    assert not any(entry["missing"] for entry in all_found)


def test_data_sets_with_another_content_are_named(tmp_path, monkeypatch):
    from wager.prepare import load_dataset

    iris, wine = load_dataset("iris"), load_dataset("wine")
    given = {"zaffalon-2012-credal": [iris, wine]}
    monkeypatch.setattr(studies.Study, "load_data", lambda self, data: given.get(self.name, []))
    stored = tmp_path / "data-sets.csv"
    said = study("data", "-f", "csv", "-o", stored)
    assert said.exit_code == 0, said.output
    rows = stored.read_text().splitlines()
    assert rows[1:] == [f"iris,150,4,3,{iris.checksum}", f"wine,178,13,3,{wine.checksum}"]
    assert study("data", "--against", stored).exit_code == 0
    given["zaffalon-2012-credal"] = [iris, wine.rows(range(177))]
    other = study("data", "--against", stored)
    assert other.exit_code == 1
    assert other.stderr == f"other content than in {stored}: wine\n"
    stored.write_text("a\n1\n")
    wrong = study("data", "--against", stored)
    assert wrong.exit_code == 2
    assert wrong.stderr == (
        f"wager: {stored} has no columns 'data set' and 'checksum': write such a file with "
        "wager study data -f csv -o FILE\n"
    )


def test_a_study_loads_the_data_sets_that_it_reads(monkeypatch):
    monkeypatch.delenv("WAGER_DATA", raising=False)
    assert list(studies.get("zaffalon-2011-artificial").load_data()) == []
    assert list(studies.get("zaffalon-bets").load_data()) == []
