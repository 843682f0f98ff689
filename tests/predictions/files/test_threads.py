"""Threads that read a file: their number changes no count, and they need nothing of Python."""

import sys
from fractions import Fraction

import numpy as np
import pytest

from wager import Tally
from wager.predictions.files import _database
from wager.predictions.files._headers import _arrow_stream

ROWS = 60_000


@pytest.fixture
def threads(monkeypatch):
    """Sets the number of threads of DuckDB."""
    opened = _database._Connection.open

    def use(number):
        def limited(connection):
            con = opened(connection)
            con.execute(f"SET threads = {number}")
            return con

        monkeypatch.setattr(_database._Connection, "open", limited)

    return use


def test_threads_change_no_count_and_weights_within_the_stated_bound(tmp_path, threads):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    rng = np.random.default_rng(0)
    y, named = rng.integers(0, 3, (2, ROWS))
    weight = rng.random(ROWS) * 10 ** rng.uniform(-6, 6, ROWS)
    columns = {"y_true": y, "y_pred": named}
    counted, weighted = tmp_path / "counted.parquet", tmp_path / "weighted.parquet"
    parquet.write_table(pyarrow.table(columns), counted, row_group_size=5000)
    parquet.write_table(pyarrow.table(columns | {"weight": weight}), weighted, row_group_size=5000)
    exact = [sum(map(Fraction, weight[(named == y) == hit].tolist())) for hit in (False, True)]
    tallies = []
    for number in (1, 2, 4):
        threads(number)
        tallies.append(Tally.of_file(counted))
        for found, total in zip(Tally.of_file(weighted).table[1].tolist(), exact, strict=True):
            assert abs(Fraction(found) - total) <= (ROWS - 1) * Fraction(1, 2**53) * total
    assert tallies[0] == tallies[1] == tallies[2]


def test_the_rows_of_an_arrow_file_are_read_without_python(tmp_path):
    """A thread of DuckDB that waits for Python hangs if DuckDB waits for it and keeps the lock."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import feather

    path, rows = tmp_path / "p.arrow", np.arange(9000)
    feather.write_feather(pyarrow.table({"y_true": rows}), str(path), chunksize=1000)
    _, stream = _arrow_stream(path, path)
    for _ in range(2):  # each query reads the file anew
        reader, parts, called = stream(), [], []
        sys.setprofile(lambda frame, event, _, called=called: called.append((event, frame.f_code)))
        try:
            while True:
                parts.append(reader.read_next_batch())
        except StopIteration:
            pass
        finally:
            sys.setprofile(None)
        assert [code for event, code in called if event == "call"] == []
        assert np.concatenate([part["y_true"] for part in parts]).tolist() == rows.tolist()


def test_names_of_columns_that_arrow_cannot_read_are_refused(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import feather

    path, column = tmp_path / "p.arrow", pyarrow.array(["a", "b"])
    for names, words in (
        (
            ["y_true", "y_pred", "__filename"],
            "name of the column __filename itself: rename or drop",
        ),
        (["y_true", "y_pred", "y_pred"], "the column y_pred occurs more than once: keep one"),
    ):
        feather.write_feather(pyarrow.table([column] * 3, names), str(path))
        with pytest.raises(ValueError, match=words):
            Tally.of_file(path)
