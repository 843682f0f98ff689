"""A prediction file is opened once, and all that is read from it uses one database."""

from __future__ import annotations

import duckdb
import pytest
from typer.testing import CliRunner

from wager.cli import app
from wager.predictions import scan_all_predictions, scan_predictions, write_predictions
from wager.predictions.files import _headers, _read

pytestmark = pytest.mark.usefixtures("new_databases")
ENDINGS = [".csv", ".jsonl", ".parquet", ".arrow"]


@pytest.fixture
def opened(monkeypatch):
    """Which connections and files were opened, in their order."""
    events = []

    def counted(function, event):
        def call(*arguments, **options):
            events.append(event)
            return function(*arguments, **options)

        return call

    monkeypatch.setattr(duckdb, "connect", counted(duckdb.connect, "connection"))
    monkeypatch.setattr(_read, "open_source", counted(_read.open_source, "file"))
    headers = {kind: counted(read, "header") for kind, read in _headers.HEADERS.items()}
    for kind, read in headers.items():
        monkeypatch.setitem(_headers.HEADERS, kind, read)
    return events


def write_all_kinds(path, rows=1):
    write_predictions(
        path,
        ["a", "b"] * rows,
        y_pred=["a", "a"] * rows,
        sets=[["a"], ["a", "b"]] * rows,
        proba=[[1, 0], [0.5, 0.5]] * rows,
        memberships=[[1, 0], [0.5, 0.5]] * rows,
    )


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("form", ["label", "set", "p", "m"])
def test_score_opens_a_file_once(ending, form, tmp_path, opened):
    path = tmp_path / f"predictions{ending}"
    write_all_kinds(path)
    opened.clear()
    result = CliRunner().invoke(app, ["score", str(path), "--form", form])
    assert result.exit_code == 0, result.stderr
    assert sorted(opened) == ["connection", "file", "header"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_score_opens_a_file_once_for_all_its_forms(ending, tmp_path, opened):
    path = tmp_path / f"predictions{ending}"
    write_all_kinds(path)
    opened.clear()
    result = CliRunner().invoke(app, ["score", str(path), "--format", "csv"])
    assert result.exit_code == 0, result.stderr
    assert {line.split(",")[0] for line in result.stdout.splitlines()[1:] if line} == {
        f"predictions ({form})" for form in ("label", "set", "p", "m")
    }
    assert sorted(opened) == ["connection", "file", "header"]


@pytest.mark.parametrize("command", ["compare", "score"])
@pytest.mark.parametrize("form", ["label", "set", "p", "m"])
def test_two_files_are_opened_once_each_through_one_connection(form, command, tmp_path, opened):
    paths = [tmp_path / "one.csv", tmp_path / "two.parquet"]
    for path in paths:
        write_all_kinds(path, rows=10)
    opened.clear()
    result = CliRunner().invoke(app, [command, *map(str, paths), "--form", form])
    assert result.exit_code == 0, result.stderr
    assert sorted(opened) == ["connection", "file", "file", "header", "header"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_reading_and_counting_share_one_connection(ending, tmp_path, opened):
    path = tmp_path / f"predictions{ending}"
    write_all_kinds(path)
    opened.clear()
    file = scan_predictions(path, form="set")
    assert file.count().n_rows == len(file.read()) == sum(map(len, file.chunks(1))) == 2
    assert sorted(opened) == ["connection", "file", "header"]


def test_chunks_of_one_file_may_be_read_in_turns(tmp_path):
    path = tmp_path / "predictions.parquet"
    write_all_kinds(path, rows=3)
    file = scan_predictions(path, form="set")
    for one, other in zip(file.chunks(1), file.chunks(1), strict=True):
        assert one.sets == other.sets
        assert file.count().n_rows == 6


def test_the_scans_of_all_forms_share_their_source(tmp_path):
    path = tmp_path / "predictions.csv"
    write_all_kinds(path)
    files = scan_all_predictions(path)
    assert [file.form for file in files] == ["label", "set", "p", "m"]
    assert len({id(file.source) for file in files}) == 1


def test_temporary_files_are_deleted_with_the_last_reference(tmp_path, monkeypatch):
    path = tmp_path / "predictions.csv"
    write_all_kinds(path)
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setattr(_read, "has_pyarrow", lambda: False)  # rows go through a temporary file
    file = scan_predictions(path, form="set")
    file.count()
    next(chunks := file.chunks(1))
    assert len(list(folder.iterdir())) == 2
    chunks.close()
    assert len(list(folder.iterdir())) == 1
    del file, chunks
    assert list(folder.iterdir()) == []


def test_an_open_file_prints_its_path_and_form(tmp_path):
    file = tmp_path / "two.csv"
    file.write_text("y_true,y_pred\na,a\nb,a\n", encoding="utf-8")
    assert repr(scan_predictions(file)) == f"PredictionFile({str(file)!r}, form 'label')"
