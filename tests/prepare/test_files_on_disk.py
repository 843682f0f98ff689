"""Files that stay on disk are read part by part, without a loss."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from wager.prepare import _chunks, _row_parts, load_dataset
from wager.prepare._chunks import dataset_chunks
from wager.prepare._coded_rows import CodedColumn, count_pairs
from wager.prepare._count_values import feature_names
from wager.prepare._counts_of_files import _by_code
from wager.prepare._discretize import _levels
from wager.prepare._disk_rows import rows_on_disk
from wager.prepare._row_parts import row_parts
from wager.prepare._table_files import _end_of_tree, open_table
from wager.prepare._value_counts import ColumnCounts

N = 50
X = np.arange(N) * 0.5
FRAME = pd.DataFrame({"x": X, "k": np.arange(N) % 4, "c": np.array(["p", "q"])[np.arange(N) % 2]})


@pytest.fixture(params=["csv", "parquet"])
def path(request, tmp_path):
    found: Path = tmp_path / f"rows.of.{request.param}"
    if request.param == "csv":
        FRAME.to_csv(found, index=False)
    else:
        FRAME.to_parquet(found, row_group_size=10)
    return found


def test_chunks_of_a_large_file_are_its_rows_and_have_its_name(path, monkeypatch):
    monkeypatch.setattr(_chunks, "LARGE_FILE", 1)
    chunks = list(dataset_chunks(path, "c", 7))
    assert [len(chunk) for chunk in chunks] == [7] * 7 + [1]
    assert {chunk.name for chunk in chunks} == {load_dataset(path, target="c").name} == {"rows"}
    assert np.concatenate([chunk.values[0] for chunk in chunks]).tolist() == X.tolist()


def test_pairs_of_a_file_are_counted_in_all_rows_and_all_classes(path):
    cuts = np.array([4.9, 20.0])
    columns = [CodedColumn(0, cuts=cuts), CodedColumn(1)]
    with rows_on_disk(open_table(path, ["c"])) as rows:
        found = count_pairs(rows, CodedColumn(2, ("p", "q")), columns, np.array([3, 4]))
    interval, k, c = np.searchsorted(cuts, X), np.arange(N) % 4, np.arange(N) % 2
    assert found.single.classes.tolist() == np.bincount(c).tolist() == [25, 25]
    expected = np.zeros((3, 4, 2), dtype=int)
    np.add.at(expected, (interval, k, c), 1)
    assert found.of_features(0, 1).tolist() == expected.tolist()


def test_a_file_is_divided_by_its_row_groups(path, monkeypatch):
    monkeypatch.setattr(_row_parts, "_NUMBERS", 3 * 20)  # of three columns and about 20 rows
    with rows_on_disk(open_table(path, ["c"])) as rows:
        spans = [part.span for part in row_parts(rows)]
    assert spans == ([(0, 30), (30, 50)] if path.suffix == ".parquet" else [])


def test_the_entries_of_the_first_of_several_files_end_where_its_tree_ends():
    one = [("schema", 2), ("a", 1), ("of a", None), ("b", None)]
    assert _end_of_tree(one) == _end_of_tree(one * 3) == 4


def test_a_column_of_codes_has_as_many_values_as_its_largest_code_says():
    none, counts = np.empty(0), np.array([[1, 2], [3, 4]])
    some = ColumnCounts(counts, None, np.array([0.0, 2.0]), np.array([0.0, 2.0]))
    assert _levels("k", some) == (3, None)
    assert _by_code(some, "k").tolist() == [[1, 2], [0, 0], [3, 4]]
    assert _by_code(ColumnCounts(np.zeros((0, 2), int), None, none, none), "k").tolist() == [[0, 0]]
    assert ColumnCounts(counts, ("u", "v")).low.size == 0


def test_the_class_is_not_among_the_features_to_choose_from():
    with pytest.raises(ValueError, match=r"has no feature 'z': choose columns= from x, k$"):
        feature_names(Path("rows.csv"), ["x", "c", "k"], "c", ["z"])
    assert feature_names(Path("rows.csv"), ["x", "c", "k"], "c", None) == ("x", "k")
