"""Counting a file inside the database equals counting its rows one by one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.fewer import fewer
from wager.metrics import coverage
from wager.predictions import (
    FileCounts,
    PredictionSets,
    read_predictions,
    scan_predictions,
    write_predictions,
)

CLASSES = np.array(["a", "b|c", "d", 'e"'])
FORMS = [".csv set", ".csv mask", ".csv in", ".parquet set", ".parquet list", ".parquet mask"]
FORMS += [".parquet in", ".jsonl list", ".jsonl mask", ".jsonl in", ".arrow set", ".arrow mask"]


@st.composite
def rows(draw):
    """True codes, a boolean matrix, counts and groups of up to 20 rows."""
    row = st.tuples(
        st.integers(0, 3),
        st.lists(st.booleans(), min_size=4, max_size=4),
        st.integers(0, 3),
        st.sampled_from(["x", "y", None]),
    )
    codes, matrix, repeats, groups = zip(*draw(st.lists(row, min_size=1, max_size=20)), strict=True)
    return np.array(codes), np.array(matrix, dtype=bool), np.array(repeats), list(groups)


def count_in_a_loop(codes, matrix, groups, weights):
    """The counts as a dictionary, row by row."""
    total = Counter()
    for code, row, group, weight in zip(codes, matrix, groups, weights, strict=True):
        total[group, int(code), int(row.sum()), int(row[code])] += weight
    return {key: weight for key, weight in total.items() if weight}


def as_dictionary(counts: FileCounts):
    keys = zip(counts.group, counts.truth, counts.size, counts.hit, strict=True)
    return {
        (group, int(truth), int(size), int(hit)): weight
        for (group, truth, size, hit), weight in zip(keys, counts.weight, strict=True)
        if weight
    }


def written(folder, kind, codes, matrix, **beside):
    ending, form = kind.split()
    path = Path(folder) / f"predictions{ending}"
    sets = PredictionSets.from_indicator(matrix, CLASSES)
    write_predictions(path, CLASSES[codes], sets=sets, form=form, **beside)
    return path


@pytest.mark.parametrize("kind", FORMS)
@fewer(3)
@given(data=rows())
def test_the_database_counts_as_a_loop_over_the_rows(kind, data):
    codes, matrix, _, groups = data
    with TemporaryDirectory() as folder:
        path = written(folder, kind, codes, matrix, group=groups)
        counts = scan_predictions(path, CLASSES).count(by_group=True)
        together = scan_predictions(path, CLASSES).count()
    assert as_dictionary(counts) == count_in_a_loop(codes, matrix, groups, np.ones(len(codes)))
    no_groups = [None] * len(codes)
    assert as_dictionary(together) == count_in_a_loop(codes, matrix, no_groups, np.ones(len(codes)))
    assert counts.n_rows == len(codes)


@pytest.mark.parametrize("kind", [".csv set", ".parquet mask", ".jsonl in"])
@fewer(4)
@given(data=rows())
def test_a_count_is_that_many_rows(kind, data):
    codes, matrix, repeats, _ = data
    if not repeats.any():
        repeats[0] = 1
    with TemporaryDirectory() as folder:
        path = written(folder, kind, codes, matrix, count=repeats)
        counted = scan_predictions(path, CLASSES).count()
    with TemporaryDirectory() as folder:
        path = written(folder, kind, np.repeat(codes, repeats), np.repeat(matrix, repeats, axis=0))
        repeated = scan_predictions(path, CLASSES).count()
    assert not counted.weighted
    assert counted.n_rows == repeated.n_rows == repeats.sum()
    np.testing.assert_array_equal(counted.by_size(), repeated.by_size())
    np.testing.assert_array_equal(counted.by_class(), repeated.by_class())


@fewer(8)
@given(data=rows(), cut=st.integers(0, 20), seed=st.integers(0, 99))
def test_counts_of_two_parts_add_up_to_those_of_the_whole(data, cut, seed):
    codes, matrix, _, groups = data
    weights = np.random.default_rng(seed).random(len(codes))
    with TemporaryDirectory() as folder:
        path = written(folder, ".parquet in", codes, matrix, weight=weights, group=groups)
        whole = scan_predictions(path, CLASSES).count(by_group=True)
        parts = list(scan_predictions(path, CLASSES).chunks(max(1, cut)))
    total = FileCounts.of(parts[0], parts[0].sets, by_group=True)
    for part in parts[1:]:
        total += FileCounts.of(part, part.sets, by_group=True)
    expected, found = as_dictionary(whole), as_dictionary(total)
    assert expected.keys() == found.keys()
    assert found == pytest.approx(expected)
    assert total.squares_by_size().sum() == pytest.approx(float(weights @ weights))
    for name in whole.groups:
        np.testing.assert_allclose(whole.of_group(name).by_size(), total.of_group(name).by_size())


def test_counts_over_other_classes_are_not_added(tmp_path):
    (tmp_path / "one.csv").write_text("y_true,y_pred\na,a\nb,a\n")
    (tmp_path / "two.csv").write_text("y_true,y_pred\na,a\nc,a\n")
    one, two = (scan_predictions(tmp_path / f"{name}.csv").count() for name in ("one", "two"))
    with pytest.raises(ValueError, match="different classes"):
        _ = one + two


def test_progress_runs_from_0_to_1(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("y_true,mask\n" + "a,1\nb,3\n" * 200_000)
    reports = []
    counts = scan_predictions(path, ["a", "b"]).count(progress=reports.append)
    assert counts.by_size().tolist() == [[0, 0], [0, 200_000], [0, 200_000]]
    assert all(0 <= fraction <= 1 for fraction in reports)
    reports.clear()
    rows_read = sum(map(len, scan_predictions(path, ["a", "b"]).chunks(progress=reports.append)))
    assert rows_read == 400_000
    assert reports[-1] == 1.0
    assert reports == sorted(reports)


@pytest.mark.parametrize("name", ["a*.csv", "a[1].csv", "a?.csv", "it's.csv", "a b.csv", "ä.csv"])
def test_the_name_of_a_file_is_not_a_pattern(name, tmp_path):
    (tmp_path / "ab.csv").write_text("y_true,y_pred\nx,x\n")
    (tmp_path / "a1.csv").write_text("y_true,y_pred\nx,x\n")
    (tmp_path / name).write_text("y_true,y_pred\ny,y\n")
    assert scan_predictions(tmp_path / name).count().classes.tolist() == ["y"]
    assert [part.y_true.tolist() for part in scan_predictions(tmp_path / name).chunks()] == [["y"]]


def test_labels_that_look_like_sql_are_labels(tmp_path):
    classes = ["a'); DROP TABLE classes; --", 'b" FROM x', "c0", "?", "{}", "%s"]
    path = tmp_path / "sql.csv"
    write_predictions(path, classes, proba=np.eye(6), classes=classes)
    got = read_predictions(path)
    assert sorted(got.classes.tolist()) == sorted(classes)
    assert (got.proba.argmax(axis=1) == got.codes).all()


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_delimiters_line_ends_and_byte_order_marks(separator, line_end, tmp_path):
    lines = ["\ufeffy_true,set", "a,a|b", "b,", '"c","c"']
    text = line_end.join(line.replace(",", separator) for line in lines) + line_end
    path = tmp_path / "sheet.csv"
    path.write_text(text, encoding="utf-8", newline="")
    got = read_predictions(path)
    assert got.y_true.tolist() == ["a", "b", "c"]
    assert got.sets.to_lists() == [["a", "b"], [], ["c"]]


def test_whole_numbers_that_became_floats_are_whole_numbers(tmp_path):
    import pandas as pd

    path = tmp_path / "floats.parquet"
    pd.DataFrame({"y_true": [1.0, 2.0], "mask": [1.0, 3.0]}).to_parquet(path)
    got = read_predictions(path, [1, 2])
    assert got.y_true.tolist() == [1, 2]
    assert got.sets.to_lists() == [[1], [1, 2]]
    assert scan_predictions(path, [1, 2]).count().by_size().tolist() == [[0, 0], [0, 1], [0, 1]]


def test_printed_probabilities_are_divided_by_their_sum(tmp_path):
    path = tmp_path / "weka.csv"
    path.write_text("y_true,p:a,p:b,p:c\na,0.333,0.333,0.333\nb,1,0,0\n")
    np.testing.assert_allclose(read_predictions(path).proba, [[1 / 3] * 3, [1, 0, 0]], atol=1e-15)


LISTS = {
    "booleans": ([True, False, True], [[True], [True, False], [False]]),
    "floats": ([8.0, 9.0, 8.0], [[8.0], [8.0, 9.0], [9.0]]),
    "32-bit floats": ([8, 9, 8], [np.float32([8]), np.float32([8, 9]), np.float32([9])]),
}


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_members_of_lists_are_the_labels_of_other_columns(tmp_path, kind, ending):
    import pandas as pd

    truth, sets = LISTS[kind]
    path = tmp_path / f"sets.{ending}"
    frame = pd.DataFrame({"y_true": truth, "set": sets})
    if ending == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records", lines=True)
    names = {"booleans": ["False", "True"]}.get(kind, [8, 9])
    assert scan_predictions(path).count().classes.tolist() == names
    found = read_predictions(path)
    assert found.sets.to_lists()[1] == names
    assert coverage(found.y_true, found.sets) == pytest.approx(2 / 3)


def test_whole_floats_in_json_are_whole_labels_as_in_parquet(tmp_path):
    path = tmp_path / "labels.jsonl"
    path.write_text('{"y_true": 8.0, "y_pred": 8}\n{"y_true": 9, "y_pred": 1e1}\n')
    assert read_predictions(path).classes.tolist() == [8, 9, 10]


@pytest.mark.parametrize("number", ["0.5", "12345678901234567890123"])
def test_other_numbers_in_json_are_no_labels(tmp_path, number):
    path = tmp_path / "labels.jsonl"
    path.write_text(f'{{"y_true": {number}, "y_pred": 8}}\n')
    with pytest.raises(
        ValueError, match="in row 1: every row needs a class, as text or as a whole"
    ):
        read_predictions(path)


def test_whole_floats_after_whole_numbers_in_a_list_of_json_are_whole_labels_too(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text('{"y_true": 2, "set": [1, 2.0]}\n{"y_true": 1, "set": [2.0, 1]}\n')
    assert read_predictions(path).sets.to_lists() == [[1, 2], [1, 2]]


def test_categories_and_booleans_of_pandas(tmp_path):
    import pandas as pd

    path = tmp_path / "frame.parquet"
    frame = pd.DataFrame({"y_true": pd.Categorical(["u", "v"]), "in:u": [True, False]})
    frame["in:v"] = [True, True]
    frame.to_parquet(path)
    assert read_predictions(path).sets.to_lists() == [["u", "v"], ["v"]]
    import pyarrow.feather

    pyarrow.feather.write_feather(frame, str(tmp_path / "frame.feather"))
    assert read_predictions(tmp_path / "frame.feather").sets.to_lists() == [["u", "v"], ["v"]]


def test_declared_classes_need_no_column(tmp_path):
    path = tmp_path / "some.csv"
    path.write_text("y_true,in:a,in:b\na,1,0\nc,1,1\n")
    counts = scan_predictions(path, ["a", "b", "c"]).count()
    assert counts.by_class().tolist() == [[0, 1], [0, 0], [1, 0]]


def test_reading_works_without_pandas_and_pyarrow(tmp_path):
    import subprocess
    import sys

    write_predictions(tmp_path / "p.parquet", ["a", "b"], proba=[[0.5, 0.5], [0, 1]])
    code = f"""
import sys
for name in ("pandas", "pyarrow", "polars"):
    sys.modules[name] = None
from wager import read_predictions, scan_predictions, write_predictions
path = {str(tmp_path / "p.parquet")!r}
assert read_predictions(path).proba.tolist() == [[0.5, 0.5], [0, 1]]
assert [len(part) for part in scan_predictions(path).chunks(1)] == [1, 1]
write_predictions({str(tmp_path / "s.parquet")!r}, ["a", "b"], sets=[["a"], ["a", "b"]])
try:
    write_predictions({str(tmp_path / "s.arrow")!r}, ["a", "b"], sets=[["a"], ["a", "b"]])
except ValueError as error:
    assert "needs pyarrow" in str(error), error
else:
    raise AssertionError
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    assert read_predictions(tmp_path / "s.parquet").sets.to_lists() == [["a"], ["a", "b"]]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["p.parquet", "s.parquet"]
