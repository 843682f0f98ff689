"""A small file cannot take gigabytes: it is read in little memory, or refused in one sentence."""

import bz2
import gzip
import resource
import subprocess
import sys

import duckdb
import numpy as np
import pytest

from tests.shared import PROJECT
from wager import Tally
from wager._tables import _text_files
from wager.learners import NaiveCredal
from wager.predictions import read_predictions
from wager.prepare import load_dataset

LIMIT = 3 << 30  # bytes of address space, of which the libraries take the larger part


def in_little_memory(code):
    """Run Python in a process that cannot take much memory; what it prints."""

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))

    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        preexec_fn=limit,
        cwd=PROJECT,
        env={"PYTHONPATH": "src", "OPENBLAS_NUM_THREADS": "1", "HOME": "/tmp"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_long_label_beside_many_classes_is_refused_by_name(tmp_path):
    path = tmp_path / "long.csv"
    rows = "".join(f"c{i},c{i}\n" for i in range(1500))
    path.write_text(f"y_true,y_pred\n{'L' * 1_000_000},a\n{rows}")
    with pytest.raises(ValueError, match=r"label of 1000000 characters .* would take 6\.0 GB"):
        read_predictions(path)


def test_a_long_label_does_not_widen_the_labels_of_all_rows(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text(f"y_true,y_pred\n{'L' * 50_000},a\n" + "a,a\n" * 2000)
    y_true = read_predictions(path).y_true
    assert y_true.dtype == object
    assert len(y_true[0]) == 50_000


def test_a_header_that_is_too_long_is_not_cut_in_silence(tmp_path):
    path = tmp_path / "wide.csv"
    names = [f"p:class number {i}" for i in range(250_000)]
    path.write_text("y_true," + ",".join(names) + "\n0," + ",".join("0" * len(names)) + "\n")
    with pytest.raises(ValueError, match="the header is longer than 4 million characters"):
        read_predictions(path)
    with pytest.raises(ValueError, match="the header is longer than 4 million characters"):
        load_dataset(path, target="y_true")


def test_too_many_columns_are_refused_before_the_work(tmp_path):
    path = tmp_path / "wide.csv"
    names = [f"in:{i}" for i in range(40_000)]
    path.write_text("y_true," + ",".join(names) + "\n0," + ",".join("1" * len(names)) + "\n")
    with pytest.raises(ValueError, match=r"has 40001 columns, but at most 20000 .* a column set"):
        read_predictions(path)


def equal_rows(path, rows):
    """A file of so many equal rows, of which a few hundred bytes are enough."""
    if path.suffix == ".parquet":
        source = f"SELECT 'a' AS y_true, 'a' AS y_pred FROM range({rows})"
        duckdb.sql(f"COPY ({source}) TO '{path}' (ROW_GROUP_SIZE {rows})")
        return path
    header, row = ("", '{"y_true":"a","y_pred":"a"}\n')
    if ".csv" in path.name:
        header, row = "y_true,y_pred\n", "a,a\n"
    opened = bz2.open if path.suffix == ".bz2" else gzip.open
    with opened(path, "wb") as file:
        file.write(header.encode())
        for _ in range(10):
            file.write(row.encode() * (rows // 10))
    return path


@pytest.mark.parametrize("ending", [".parquet", ".csv.gz", ".csv.bz2", ".jsonl.gz"])
def test_billions_of_equal_rows_are_refused_before_they_take_memory(tmp_path, ending, monkeypatch):
    monkeypatch.setattr(_text_files, "_LEAST", 1 << 24)  # 1 GB takes a minute to write as text
    path = equal_rows(tmp_path / f"equal{ending}", 300_000)
    words = r"equal\S+: its 300,000 rows take about 0\.0 GB in memory, over 1000 times the size"
    with pytest.raises(ValueError, match=words):
        read_predictions(path)
    assert Tally.of_file(path).n == 300_000
    if ".jsonl" not in ending:
        with pytest.raises(ValueError, match=rf"{words}.*wager fit --rows disk"):
            load_dataset(path, target="y_true")


def test_a_kilobyte_of_parquet_does_not_take_gigabytes(tmp_path):
    path = equal_rows(tmp_path / "equal.parquet", 20_000_000)
    assert path.stat().st_size < 10_000
    with pytest.raises(ValueError, match=r"its 20,000,000 rows take about 1\.4 GB in memory"):
        read_predictions(path)
    with pytest.raises(ValueError, match=r"its 20,000,000 rows take about 1\.4 GB in memory"):
        load_dataset(path, target="y_true")


def test_equal_rows_of_a_plain_file_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(_text_files, "_LEAST", 1)
    path = tmp_path / "equal.csv"
    path.write_text("y_true,y_pred\n" + "a,a\n" * 50_000)
    assert len(read_predictions(path)) == len(load_dataset(path, target="y_true")) == 50_000


def test_a_table_of_thousands_of_values_and_classes_is_refused_before_it_is_made(tmp_path):
    rows = [(f"v{i}", f"c{i}") for i in range(8000)] * 3
    path = tmp_path / "names.csv"
    path.write_text("a,y\n" + "".join(f"{a},{y}\n" for a, y in rows))
    words = r"8,000 values in 8,000 classes takes 0\.5 GiB, more than 0\.1 for 24,000 cells"
    with pytest.raises(ValueError, match=words):
        NaiveCredal().fit_file(path)
    X, y = zip(*rows, strict=True)
    with pytest.raises(ValueError, match=words):
        NaiveCredal().fit(np.array(X)[:, None], y)


@pytest.mark.long
def test_an_arff_file_that_expands_a_thousandfold_is_refused_in_little_memory(tmp_path):
    path = tmp_path / "bomb.arff.gz"
    with gzip.open(path, "wb") as out:
        out.write(b"@relation r\n@attribute x numeric\n@attribute c {a,b}\n@data\n")
        for _ in range(80):
            out.write(b"1,a\n" * (1 << 17))
    assert path.stat().st_size < 60_000
    said = in_little_memory(
        "from wager.prepare import load_dataset\n"
        f"try: load_dataset({str(path)!r})\n"
        "except ValueError as problem: print(problem)"
    )
    assert "expands to more than 34 MB, over 100 times its size" in said


def test_a_copy_of_a_compressed_file_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr("wager._tables._text_files.bounded.__defaults__", (1 << 16, 10))
    path = tmp_path / "bomb.csv.bz2"
    path.write_bytes(bz2.compress(b"y_true,y_pred\n" + b"a,a\n" * 200_000))
    with pytest.raises(ValueError, match="over 10 times its size: unpack it first"):
        read_predictions(path)


def test_a_compressed_file_of_ordinary_rows_is_read(tmp_path):
    path = tmp_path / "fine.csv.bz2"
    path.write_bytes(bz2.compress(b"y_true,y_pred\n" + b"a,a\nb,a\n" * 2000))
    assert np.unique(read_predictions(path).y_true).tolist() == ["a", "b"]


def arrow_file(path, n, compression, chunk):
    """An Arrow file of n rows, of which all classes are 0."""
    import pyarrow
    from pyarrow import ipc

    zeros = pyarrow.array(np.zeros(n, dtype=np.int64))
    table = pyarrow.table({"y_true": zeros, "y_pred": zeros})
    options = ipc.IpcWriteOptions(compression=compression)
    with ipc.new_file(str(path), table.schema, options=options) as file:
        file.write_table(table, max_chunksize=chunk)
    return path


@pytest.mark.parametrize("compression", ["zstd", "lz4"])
def test_a_batch_of_arrow_that_expands_to_gigabytes_is_refused(tmp_path, compression):
    n = 20_000_000 if compression == "zstd" else 50_000
    path = arrow_file(tmp_path / "bomb.arrow", n, compression, n)
    if compression == "lz4":  # which packs at most 255 times: the bomb only says it is one
        data = bytearray(path.read_bytes())
        size = (8 * n).to_bytes(8, "little")
        for _ in range(2):
            at = data.index(size)
            data[at : at + 8] = (1 << 40).to_bytes(8, "little")
        path.write_bytes(data)
    assert path.stat().st_size < 20_000
    size = "320" if compression == "zstd" else "2199023"
    with pytest.raises(ValueError, match=f"batch expands to {size} MB, over 100 times the size"):
        read_predictions(path)


def test_batches_of_arrow_are_bounded_one_by_one(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "wager.predictions.files._headers._require_bounded_batches.__defaults__", (1 << 16, 10)
    )
    for compression in ("zstd", None):
        path = arrow_file(tmp_path / "p.arrow", 200_000, compression, 4000)
        assert len(read_predictions(path).y_true) == 200_000
    path = arrow_file(tmp_path / "p.arrow", 200_000, "zstd", 8000)
    with pytest.raises(ValueError, match="write it in smaller batches, or without compression"):
        read_predictions(path)


@pytest.mark.parametrize("compression", ["zstd", "lz4", None])
def test_declared_sizes_are_those_of_pyarrow(tmp_path, compression):
    import pyarrow
    from pyarrow import ipc

    from wager.predictions.files._arrow_sizes import unpacked_sizes

    words = pyarrow.array(["one", "two", None, "four"] * 500).dictionary_encode()
    table = pyarrow.table({"y_true": words, "p": np.linspace(0, 1, 2000)})
    path = tmp_path / "p.arrow"
    options = ipc.IpcWriteOptions(compression=compression)
    with ipc.new_file(str(path), table.schema, options=options) as file:
        file.write_table(table, max_chunksize=700)
    dictionaries, sizes = unpacked_sizes(path)
    batches = [ipc.open_file(str(path)).get_batch(i) for i in range(3)]
    if compression is None:
        assert (dictionaries, sizes) == (0, [0, 0, 0])
        return
    text = sum(b.size for b in words.dictionary.buffers() if b is not None)
    assert abs(dictionaries - text) < 64
    for size, batch in zip(sizes, batches, strict=True):
        kept = [b.size for c in batch.columns for b in c.buffers() if b is not None]
        assert abs(size - sum(kept)) <= 64 * len(kept)  # parts of a buffer are padded
