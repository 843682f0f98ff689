"""Files that list the probabilities of a few classes in each row."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.sparse import csr_array

from tests.fewer import fewer
from tests.predictions.strategies import listed_probabilities
from wager.predictions import (
    TopKProbabilities,
    read_predictions,
    scan_predictions,
    write_predictions,
)
from wager.predictions.files import _read

CLASSES = ["a", "b c", "d", "é", "0"]
HEADER = "y_true,class_1,p_1,class_2,p_2"


def write(path: Path, *rows: str, header: str = HEADER) -> Path:
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def test_classes_not_listed_share_the_rest(tmp_path):
    path = write(tmp_path / "top.csv", "a,a,0.5,b,0.3", "b, c ,0.9,,", "d,b,0.4,c,0.6")
    found = read_predictions(path)
    assert found.form == "top-k"
    assert found.classes.tolist() == ["a", "b", "c", "d"]
    assert isinstance(found.proba, TopKProbabilities)
    np.testing.assert_allclose(
        np.asarray(found.proba),
        [[0.5, 0.3, 0.1, 0.1], [1 / 30, 1 / 30, 0.9, 1 / 30], [0, 0.4, 0.6, 0]],
    )
    more = read_predictions(path, [*"abcdef"])
    assert more.proba.shape == (3, 6)
    assert more.proba.shares.tolist() == pytest.approx([0.05, 0.02, 0.0])


@given(
    data=listed_probabilities(CLASSES),
    ending=st.sampled_from(["csv", "csv.gz", "jsonl", "parquet", "arrow"]),
    whole=st.booleans(),
)
@fewer(8)
def test_what_is_written_is_read_again(data, ending, whole):
    labels, proba, classes = data
    kept = [i for i, row in enumerate(labels) if row] or [0]
    if not any(labels):
        labels, proba = [["a"]] * len(labels), [[0.5]] * len(labels)
    top = TopKProbabilities([labels[i] for i in kept], [proba[i] for i in kept], classes)
    truth = np.array(classes)[np.arange(len(kept)) % 5]
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"top.{ending}"
        write_predictions(path, truth, proba=top, weight=np.ones(len(kept)))
        found = read_predictions(path, classes)
        np.testing.assert_allclose(np.asarray(found.proba), np.asarray(top), atol=1e-15)
        assert found.y_true.tolist() == truth.tolist()
        np.testing.assert_array_equal(found.proba.n_listed, top.n_listed)
        parts = list(scan_predictions(path, classes).chunks(rows=2))
        assert sum(map(len, parts)) == len(kept)
        together = np.concatenate([np.asarray(part.proba) for part in parts])
        np.testing.assert_array_equal(together, np.asarray(found.proba))


def test_numbers_as_classes_and_sparse_matrices(tmp_path):
    matrix = np.array([[0.25, 0.0, 0.75], [0.0, 1.0, 0.0]])
    for ending in ("csv", "parquet", "jsonl", "arrow"):
        path = tmp_path / f"top.{ending}"
        write_predictions(path, [2, 0], proba=csr_array(matrix), classes=[0, 1, 2])
        found = read_predictions(path, [0, 1, 2])
        assert found.classes.tolist() == [0, 1, 2]
        np.testing.assert_array_equal(np.asarray(found.proba), matrix)
    assert (tmp_path / "top.csv").read_text().splitlines() == [
        '"y_true","class_1","p_1","class_2","p_2"', '2,2,0.75,"0",0.25', '0,1,1.0,,',
    ]  # fmt: skip
    lines = (tmp_path / "top.jsonl").read_text().splitlines()
    assert json.loads(lines[1])["p_2"] is None
    write_predictions(tmp_path / "named.csv", ["x", "y"], proba=csr_array([[0.5, 0.5], [0, 1]]))
    assert read_predictions(tmp_path / "named.csv").classes.tolist() == ["x", "y"]


def test_sums_that_were_rounded_in_print_are_scaled(tmp_path):
    path = write(tmp_path / "top.csv", "a,a,0.667,b,0.3335", "b,a,0.333,b,0.6665")
    found = np.asarray(read_predictions(path).proba)
    sums = np.array([[1.0005], [0.9995]])
    np.testing.assert_allclose(found, np.array([[0.667, 0.3335], [0.333, 0.6665]]) / sums)
    more = read_predictions(path, ["a", "b", "c"])
    assert more.proba.shares.tolist() == pytest.approx([0, 0.0005])


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (["a,a,0.5,b,0.6"], "p_1 to p_2 of row 1 sum to 1.1: probabilities must not sum to more"),
        (["a,a,1,,", "b,a,0.5,a,0.3"], "class_1 and class_2 are both 'a' in row 2: list each"),
        (["a,a,0.5,,0.3"], "class_2 is missing in row 1: name the class that has the probability"),
        (["a,a,0.5,b,"], "p_2 is missing in row 1: give the probability of the class in class_2"),
        (["a,a,1.5,,"], "p_1 is 1.5 in row 1: a probability is a number from 0 to 1"),
        (["a,a,0.5,b,x"], "p_2 is 'x' in row 1: a probability is a number from 0 to 1"),
        (["a,a,-0.5,b,0.5"], "p_1 is -0.5 in row 1: a probability"),
        (["a,a,1,,", "a,,,b,1"], "1 of 2 rows has missing values (class_1: 1, p_1: 1); the first"),
        (["a,a,1,,", ",a,1,,"], "1 of 2 rows has no y_true; the first is row 2"),
        (["a,a,0.2,b,0.2"], "sum to 0.4: probabilities must sum to 1 in a row that lists all 2"),
        (["1,a,1,,"], "y_true and class_1 do not name the same classes"),
    ],
)
def test_wrong_rows_are_named(tmp_path, rows, words):
    path = write(tmp_path / "top.csv", *rows)
    with pytest.raises(ValueError) as found:
        read_predictions(path)
    assert words in str(found.value)
    assert str(path) in str(found.value)


@pytest.mark.parametrize("classes", [["a", "b"], ["a", "b", "NA"]])
def test_unknown_classes_are_named(tmp_path, classes):
    path = write(tmp_path / "top.csv", "a,a,0.5,,", "b,b,0.5,x,0.1")
    with pytest.raises(ValueError, match="class_2 contains 'x' in row 2, which is not among"):
        read_predictions(path, classes)
    with pytest.raises(ValueError, match="y_true contains 'b' in row 2, which is not among"):
        read_predictions(path, ["a", "x"])


def test_a_class_may_be_called_like_a_missing_value(tmp_path):
    path = write(tmp_path / "top.csv", "a,a,0.5,NA,0.25")
    with pytest.raises(ValueError, match="class_2 is 'NA' in row 1: name the class"):
        read_predictions(path)
    found = read_predictions(path, ["a", "b", "NA"])
    assert np.asarray(found.proba).tolist() == [[0.5, 0.25, 0.25]]


def test_rows_without_a_class_are_left_out(tmp_path):
    path = write(tmp_path / "top.csv", "a,a,0.5,,", "b,,,b,1", "b,b,,,", "b,b,1,,")
    found = read_predictions(path, na="drop")
    assert found.row.tolist() == [1, 4]
    assert found.warnings[0].startswith("2 of 4 rows are left out because they have missing values")


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("y_true,class_1,p_1,class_2", "there is a column class_2 but no p_2: every listed"),
        ("y_true,class_1,p_1,p_2", "there is a column p_2 but no class_2"),
        ("y_true,class_1,p_1,class_3,p_3", "there is a column class_3 but none with the number 2"),
        ("y_true,class_0,p_0,class_1,p_1", "class_0 is not numbered as 1, 2, 3, ...: number the"),
        ("y_true,class_1,p_1,class_02,p_02", "the column class_02 is not numbered as 1, 2, 3"),
        ("y_true,class_1,x", "none of the columns y_true, class_1, x contains predictions"),
    ],
)
def test_columns_come_in_pairs(tmp_path, header, words):
    path = write(tmp_path / "top.csv", "a," + ",".join("a" * header.count(",")), header=header)
    with pytest.raises(ValueError, match=words):
        read_predictions(path)


def test_columns_may_have_other_names(tmp_path):
    header = "y_true,label1,score1,label2,score2,label_other"
    path = write(tmp_path / "top.csv", "a,a,0.5,b,0.5,x", header=header)
    found = read_predictions(path, columns={"class_": "label", "p_": "score"})
    assert np.asarray(found.proba).tolist() == [[0.5, 0.5]]
    plain = write(tmp_path / "p.csv", "1,x,0.5,0.5", header="y_true,class_1,p_1,p_2")
    assert read_predictions(plain, columns={"p:": "p_"}).form == "p"


def test_several_forms_need_a_choice(tmp_path):
    path = write(tmp_path / "top.csv", "a,a,0.5,a", header="y_true,class_1,p_1,y_pred")
    with pytest.raises(ValueError, match=r"2 forms \(y_pred, class_1\): choose one with form="):
        read_predictions(path)
    assert read_predictions(path, ["a", "b"], form="top-k").proba.shape == (1, 2)


def test_arrow_files_and_types(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(
        {
            "y_true": pa.array([1, 2, 3], pa.int32()),
            "class_1": pa.array([1, 2, 2], pa.int64()),
            "p_1": pa.array([0.5, 0.75, 1.0], pa.float32()),
            "class_2": pa.array([2, None, 3], pa.int64()),
            "p_2": pa.array([0.25, None, 0.0], pa.float32()),
        }
    )
    pq.write_table(table, tmp_path / "top.parquet")
    found = read_predictions(tmp_path / "top.parquet")
    assert found.classes.tolist() == [1, 2, 3]
    np.testing.assert_array_equal(
        np.asarray(found.proba), [[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0, 1, 0]]
    )
    wrong = table.set_column(1, "class_1", pa.array([1.5, 2, 2]))
    pq.write_table(wrong, tmp_path / "wrong.parquet")
    with pytest.raises(ValueError, match=r"class_1 is 1.5 in row 1: every row needs a class"):
        read_predictions(tmp_path / "wrong.parquet")


def test_odd_rows_are_noticed(tmp_path):
    path = write(tmp_path / "top.csv", "a,a,0.5,b,0.3", "a,b,0.9,,")
    assert read_predictions(path, ["a", "b", "c"]).warnings == (
        "'b' is predicted but never occurs in y_true: check the spelling",
        "y_true is 'a' in every row: the scores say nothing about other classes",
    )


def test_chunks_grow_with_the_classes_up_to_a_limit(tmp_path):
    stated = scan_predictions(write(tmp_path / "top.csv", "a,a,0.5,,"), ["a", "b"]).stated
    assert stated.n_columns == 4
    assert stated.rows_at_once(1000, 3) == 250
    assert stated.rows_at_once(1000, 300) == 3000
    assert stated.rows_at_once(1000, 10**9) == 2_500_000


def test_many_classes_stay_few_numbers(tmp_path):
    n_classes = 30_000
    codes = (np.arange(50)[:, None] * 600 + np.arange(3)) % n_classes
    top = TopKProbabilities(codes, np.full((50, 3), 0.3), range(n_classes))
    path = tmp_path / "top.parquet"
    write_predictions(path, codes[:, 0], proba=top)
    found = read_predictions(path, range(n_classes))
    assert found.proba.shape == (50, n_classes)
    assert len(found.proba.values) == 150
    assert found.proba.shares[0] == pytest.approx(0.1 / (n_classes - 3))


def test_chunks_are_in_order_where_joins_change_it(tmp_path, monkeypatch):
    """As before DuckDB 2.0, where rows whose classes are all listed come first."""
    rows = [f"a,a,0.5,{'b,0.3' if i % 3 else ','}" for i in range(50)]
    path = write(tmp_path / "top.csv", *rows)
    monkeypatch.setattr(_read, "is_before_2", lambda: True)
    parts = list(scan_predictions(path, [*"abc"]).chunks(rows=7))
    assert [len(part) for part in parts] == [7] * 7 + [1]
    listed = np.concatenate([part.proba.n_listed for part in parts])
    assert listed.tolist() == [2 if i % 3 else 1 for i in range(50)]
