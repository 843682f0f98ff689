"""A path may name one file, a pattern, a folder of partitioned Parquet, or a remote file."""

from __future__ import annotations

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wager.cli import app
from wager.predictions import (
    read_predictions,
    scan_predictions,
    write_predictions,
    writing_predictions,
)
from wager.prepare import load_dataset

TRUTH = [["a", "b", "b"], ["b", "a", "b"]]
SAID = [["a", "b", "a"], ["b", "b", "b"]]


def write_parts(folder, pattern="part{}.parquet"):
    paths = [folder / pattern.format(day) for day in (1, 2)]
    for path, truth, said in zip(paths, TRUTH, SAID, strict=True):
        path.parent.mkdir(exist_ok=True, parents=True)
        write_predictions(path, truth, y_pred=said)
    return paths


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "csv.gz"])
def test_a_pattern_stands_for_its_files_in_sorted_order(ending, tmp_path):
    write_parts(tmp_path, f"part{{}}.{ending}")
    found = read_predictions(tmp_path / f"part*.{ending}")
    assert found.y_true.tolist() == TRUTH[0] + TRUTH[1]
    assert [x for (x,) in found.sets.to_lists()] == SAID[0] + SAID[1]
    assert found.row.tolist() == [1, 2, 3, 4, 5, 6]


ENDINGS = ["csv", "csv.gz", "csv.zst", "jsonl", "parquet", "arrow"]


@pytest.mark.parametrize("name", ["~/p", "~p", "~root/p", "d/~/p"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_tilde_is_no_home_folder(ending, name, tmp_path, monkeypatch):
    """Names are text: the file in the home folder is another one."""
    home, here = tmp_path / "home", tmp_path / "here"
    for folder in (home, here / "~", here / "~root", here / "d/~"):
        folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(here)
    path = Path(f"{name}.{ending}")
    if ending == "csv.zst":
        text = b'"y_true","y_pred"\n"a","a"\n"b","b"\n'
        path.write_bytes(pytest.importorskip("pyarrow").compress(text, "zstd", asbytes=True))
    else:
        with writing_predictions(path) as write:
            for label in "ab":
                write([label], y_pred=[label])
    assert [*home.iterdir(), *tmp_path.glob("home*")] == [home]
    (home / f"p.{ending}").write_bytes(b"another file")
    assert read_predictions(path).y_true.tolist() == ["a", "b"]
    assert scan_predictions(path).count().n_rows == 2
    found = CliRunner().invoke(app, ["score", str(path), "--format", "json"])
    assert found.exit_code == 0, found.output
    if ending not in ("jsonl", "arrow"):
        assert load_dataset(path, target="y_true").y.tolist() == ["a", "b"]


def test_a_folder_of_partitioned_parquet_has_a_column_for_its_folders(tmp_path):
    write_parts(tmp_path, "day={}/part.parquet")
    file = scan_predictions(tmp_path, by="day")
    counts = file.count(by_group=True)
    assert counts.groups == ["1", "2"]
    assert [counts.of_group(day).n_rows for day in counts.groups] == [3, 3]


def test_a_folder_is_compared_with_a_pattern(tmp_path):
    write_parts(tmp_path / "a", "day={}/part.parquet")
    write_parts(tmp_path / "b", "b{}.csv")
    result = CliRunner().invoke(
        app, ["compare", str(tmp_path / "a"), str(tmp_path / "b" / "*.csv")]
    )
    assert result.exit_code == 0, result.stderr
    assert "on the same 6 rows" in result.stdout


def refused(path):
    with pytest.raises(ValueError) as error:
        scan_predictions(path)
    return str(error.value)


def test_a_pattern_without_files_is_one_sentence(tmp_path):
    assert refused(tmp_path / "x*.csv") == f"{tmp_path}/x*.csv: no file matches this pattern"
    assert "is a folder without Parquet files" in refused(tmp_path)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_part_with_other_columns_is_named(ending, tmp_path):
    first, second = write_parts(tmp_path, f"part{{}}.{ending}")
    write_predictions(second, TRUTH[1], sets=[[x] for x in SAID[1]])
    pattern = tmp_path / f"*.{ending}"
    assert refused(pattern) == (
        f"{pattern}: {second} has no column y_pred: give all files the same columns"
    )
    write_predictions(second, TRUTH[1], y_pred=SAID[1], weight=[1, 1, 2])
    assert f"{second} has a column weight that the first file lacks" in refused(pattern)
    assert first.exists()


def test_files_of_different_formats_are_refused(tmp_path):
    first, _ = write_parts(tmp_path)
    write_predictions(tmp_path / "part3.csv", TRUTH[0], y_pred=SAID[0])
    assert f"{tmp_path / 'part3.csv'} is not in the format of {first}" in refused(
        tmp_path / "part*"
    )


def test_a_file_whose_name_looks_like_a_pattern_is_read_itself(tmp_path):
    for name, n in (("a[1].csv", 3), ("a1.csv", 1), ("b?.csv", 2), ("bb.csv", 1)):
        write_predictions(tmp_path / name, TRUTH[0][:n], y_pred=SAID[0][:n])
    assert len(read_predictions(tmp_path / "a[1].csv")) == 3
    assert len(read_predictions(tmp_path / "b?.csv")) == 2


@pytest.fixture
def in_memory(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    for path in write_parts(tmp_path):
        system.pipe_file(f"/wager-test/{path.name}", path.read_bytes())
    yield "memory://wager-test"
    system.rm("/wager-test", recursive=True)


@pytest.mark.parametrize(("name", "n"), [("part1.parquet", 3), ("part*.parquet", 6)])
def test_remote_files_are_read_by_fsspec(in_memory, name, n):
    file = scan_predictions(f"{in_memory}/{name}")
    assert str(file.path) == f"{in_memory}/{name}"
    assert file.count().n_rows == len(file.read()) == n


def test_remote_files_that_do_not_exist_are_one_sentence(in_memory):
    assert refused(f"{in_memory}/none.csv") == f"{in_memory}/none.csv: no such file"
    assert refused(f"{in_memory}/x*.csv").endswith("no file matches this pattern")
    result = CliRunner().invoke(app, ["score", f"{in_memory}/none.csv"])
    assert (result.exit_code, result.stderr) == (2, f"wager: {in_memory}/none.csv: no such file\n")


def test_a_missing_library_is_one_sentence(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "fsspec.core", None)
    assert refused("s3://bucket/x.csv") == (
        "s3://bucket/x.csv: reading remote files needs fsspec and its library for s3: install "
        "them, or download the file"
    )


class Quiet(SimpleHTTPRequestHandler):
    timeout = 5

    def log_message(self, *arguments):
        pass


def test_files_of_a_server_are_read_without_a_library(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "fsspec.core", None)
    write_parts(tmp_path, "part{}.csv")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        address = f"http://127.0.0.1:{server.server_port}"
        try:
            assert read_predictions(f"{address}/part1.csv").y_true.tolist() == TRUTH[0]
            assert refused(f"{address}/none.csv") == f"{address}/none.csv: no such file"
        finally:
            server.shutdown()
    thread.join(5)


def test_folders_around_the_named_one_are_no_columns(tmp_path):
    inside = tmp_path / "year=2026"
    write_parts(inside, "day={}/part.parquet")
    file = scan_predictions(inside, by="day")
    assert file.count(by_group=True).groups == ["1", "2"]
    with pytest.raises(ValueError, match="there is no column year among y_true, y_pred, day"):
        scan_predictions(inside, by="year")
    found = read_predictions(inside / "day=2")
    assert found.y_true.tolist() == TRUTH[1]
    assert [x for (x,) in found.sets.to_lists()] == SAID[1]
