"""Parts of files, which machines count one by one, are together the file."""

import numpy as np
import pytest

from tests.serial_engine import SerialEngine
from wager.predictions import scan_predictions, write_predictions
from wager.predictions.files import _parts
from wager.predictions.files._parts import aligned_parts, classes_of_parts, file_parts

N = 30
TRUTH = np.array(list("abc"))[np.arange(N) % 3]
SAID = np.array(list("abdc"))[np.arange(N) % 4]


@pytest.fixture
def file(tmp_path, monkeypatch):
    """A folder of two Parquet files of 12 and 18 rows, in groups of 6."""
    pyarrow = pytest.importorskip("pyarrow.parquet", reason="needs the extra frames")
    monkeypatch.setattr(_parts, "_ROWS", 6)
    for name, rows in (("1", slice(12)), ("2", slice(12, N))):
        path = tmp_path / f"{name}.parquet"
        write_predictions(path, TRUTH[rows], y_pred=SAID[rows])
        pyarrow.write_table(pyarrow.read_table(path), path, row_group_size=6)
    return tmp_path / "*.parquet"


def rows_of(part):
    found = part.open().read()
    return [*zip(found.y_true.tolist(), (x for (x,) in found.sets.to_lists()), strict=True)]


def test_every_row_is_in_one_part_in_order(file):
    parts = file_parts(scan_predictions(file, list("abcd")))
    assert [len(rows_of(part)) for part in parts] == [6] * 5
    assert [part.skipped for part in parts] == [0, 6, 12, 18, 24]
    assert [row for part in parts for row in rows_of(part)] == [
        *zip(TRUTH.tolist(), SAID.tolist(), strict=True)
    ]
    assert [[path.name for path in part.files] for part in parts] == [["1.parquet"]] * 2 + [
        ["2.parquet"]
    ] * 3


def test_a_part_may_be_of_two_files(file, monkeypatch):
    monkeypatch.setattr(_parts, "_ROWS", 18)
    parts = file_parts(scan_predictions(file, list("abcd")))
    assert [row for part in parts for row in rows_of(part)] == [
        *zip(TRUTH.tolist(), SAID.tolist(), strict=True)
    ]
    assert [path.name for path in parts[0].files] == ["1.parquet", "2.parquet"]


def test_parts_of_two_files_have_the_same_rows(file, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    write_predictions(other / "p.parquet", TRUTH, y_pred=TRUTH)
    files = [scan_predictions(path, list("abcd")) for path in (file, other / "p.parquet")]
    for one, two in aligned_parts(files):
        assert [y for y, _ in rows_of(one)] == [y for y, _ in rows_of(two)]
    write_predictions(other / "p.parquet", TRUTH[:-1], y_pred=TRUTH[:-1])
    files[1] = scan_predictions(other / "p.parquet", list("abcd"))
    assert len(aligned_parts(files)) == 1


def test_classes_that_only_rows_show_are_those_of_all_parts(file):
    undeclared, declared = scan_predictions(file), scan_predictions(file, list("abcdz"))
    assert classes_of_parts(SerialEngine(), undeclared).tolist() == list("abcd")
    engine = SerialEngine()
    assert classes_of_parts(engine, declared).tolist() == list("abcdz")
    assert engine.n_parts == []  # nothing had to be read
