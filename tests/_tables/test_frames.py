"""Frames and columns of every library are read alike."""

from __future__ import annotations

import subprocess
import sys

import dask.array as da
import dask.dataframe as dd
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator

from wager._tables import (
    Schema,
    declared_categories,
    encode_labels,
    first_value,
    flatten_lists,
    frame_to_matrix,
    in_memory,
    is_frame,
    is_list_column,
    is_sparse,
    read_class_labels,
    read_table,
)
from wager.costs import CostMatrix
from wager.partitions import standardize
from wager.predictions import (
    align,
    align_probabilities,
    as_sets,
    read_predictions,
    write_predictions,
)
from wager.rewards import pvalue_efficiency


class OwnFrame(pd.DataFrame):
    """A subclass, as libraries for geography or genetics define them."""

    @property
    def _constructor(self):
        return OwnFrame


class OwnSeries(pd.Series):
    @property
    def _constructor(self):
        return OwnSeries


FRAMES = {
    "pandas": lambda frame: frame,
    "pandas subclass": OwnFrame,
    "polars": pl.from_pandas,
    "polars lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "pyarrow": pa.Table.from_pandas,
    "pyarrow batch": pa.RecordBatch.from_pandas,
    "dask": lambda frame: dd.from_pandas(frame, npartitions=2),
    "narwhals": nw.from_native,
}
COLUMNS = {
    "pandas": pd.Series,
    "pandas subclass": OwnSeries,
    "index": pd.Index,
    "categorical": pd.Categorical,
    "polars": pl.Series,
    "pyarrow": pa.array,
    "pyarrow chunks": lambda y: pa.chunked_array([y[:1], y[1:]]),
    "pyarrow scalars": lambda y: list(pa.array(y)),  # NumPy would make numbers of single letters
    "dask": lambda y: dd.from_pandas(pd.Series(y), npartitions=2),
    "narwhals": lambda y: nw.from_native(pl.Series(y), series_only=True),
}


@pytest.mark.parametrize("form", FRAMES)
def test_a_frame_of_any_library_is_a_matrix_with_names(form):
    frame = FRAMES[form](pd.DataFrame({"b": [0, 1, 1], "a": [1, 0, 1]}))
    assert is_frame(frame)
    matrix, names = frame_to_matrix(frame)
    assert matrix.tolist() == [[0, 1], [1, 0], [1, 1]]
    assert list(names) == ["b", "a"]


@pytest.mark.parametrize(
    "data", [np.zeros((2, 2)), [[1]], (1,), "a", {"a": [1]}, pd.Series([1]), 3]
)
def test_other_data_are_not_frames(data):
    assert not is_frame(data)


def test_numbered_columns_have_no_names():
    for kind in (pd.DataFrame, OwnFrame):
        assert frame_to_matrix(kind([[1, 2]]))[1] is None


@pytest.mark.parametrize(
    "turn", [lambda frame: frame[[2, 1, 0]], lambda frame: frame.iloc[:, ::-1]]
)
def test_turned_columns_keep_their_numbers_as_names(turn):  # pandas 3 makes a range of both
    turned = turn(pd.DataFrame([[0.5, 0.25, 0.25], [0.125, 0.375, 0.5]]))
    assert frame_to_matrix(turned)[1].tolist() == [2, 1, 0]
    _, table, classes = align_probabilities([0, 2], turned)
    assert (classes.tolist(), table[1].tolist()) == ([2, 1, 0], [0.5, 0.375, 0.125])
    assert as_sets(turned > 0.4).to_lists() == [[0], [2]]


def test_columns_beside_an_id_are_not_called_1_and_2():
    frame = pd.DataFrame([[7, 0.5, 0.5], [8, 0.125, 0.875]]).iloc[:, 1:]
    _, table, classes = align_probabilities([0, 1], frame)
    assert (classes.tolist(), table[1].tolist()) == ([0, 1], [0.125, 0.875])
    assert as_sets(frame > 0.4).to_lists() == [[0, 1], [1]]


def numbered(values, start=1):
    """A frame with the columns 1, 2, ..., which pandas 3 also makes of ``{1: ..., 2: ...}``."""
    columns = pd.RangeIndex(start, start + len(values[0]))
    return pd.DataFrame(values, columns=columns)


def test_columns_whose_numbers_are_the_classes_are_matched_by_name():
    frame = numbered([[0.5, 0.25, 0.25], [0.125, 0.375, 0.5]])
    for classes in ([1, 2, 3], [3, 1, 2]):
        _, table, known = align_probabilities([1, 2], frame, classes)
        assert dict(zip(known.tolist(), table[1].tolist(), strict=True)) == {
            1: 0.125,
            2: 0.375,
            3: 0.5,
        }
        assert as_sets(frame > 0.4, classes).to_lists() == [[1], [3]]
    rows = CostMatrix([[0, 1, 4], [1, 0, 4], [2, 2, 0]], [3, 1, 2]).extend().of(frame > 0.4, [1, 2])
    assert rows.tolist() == [0, 4]


def test_a_frame_without_names_has_its_columns_in_the_order_of_the_given_classes():
    frame = pd.DataFrame([[0.5, 0.25, 0.25], [0.125, 0.375, 0.5]])
    _, table, _ = align_probabilities([0, 2], frame, [2, 0, 1])
    assert table.tolist() == frame.to_numpy().tolist()
    assert as_sets(frame > 0.4, [2, 0, 1]).to_lists() == [[2], [1]]


def test_expected_costs_and_new_objects_are_matched_by_numbers_of_columns():
    frame = numbered([[0.5, 0.25, 0.25], [0.125, 0.375, 0.5]])
    named = frame.set_axis([1, 2, 3], axis=1)  # an index of whole numbers, which are names
    costs = CostMatrix([[0, 1, 4], [1, 0, 4], [2, 3, 0]], [3, 1, 2])
    assert costs.expected(frame).tolist() == costs.expected(named[[3, 1, 2]]).tolist()
    fitted = standardize([1, 3], frame, [3, 1, 2])
    assert fitted.transform(frame).tolist() == fitted.transform(named[[3, 1, 2]]).tolist()


def test_true_labels_say_whether_numbers_of_columns_are_classes_or_places():
    frame = numbered([[0.5, 0.25, 0.25], [0.125, 0.375, 0.5], [0.125, 0.375, 0.5]])
    for labels, known in (([1, 3, 3], [1, 2, 3]), ([0, 2, 1], [0, 1, 2])):
        assert align_probabilities(labels, frame)[2].tolist() == known
        assert align(labels, frame > 0.4)[1].classes.tolist() == known
    for y in ([1, 2, 2], pd.Series([2, 2, 1])):
        for read, table in ((align_probabilities, frame), (align, frame > 0.4)):
            with pytest.raises(ValueError, match=r"numbered 1 to 3.* labels 1, 2 can be either"):
                read(y, table)
    declared = pd.Categorical([1, 2, 2], categories=[1, 2, 3])
    assert align_probabilities(declared, frame)[2].tolist() == [1, 2, 3]


def test_costs_in_a_frame_with_the_rows_and_columns_1_2_3_are_for_these_classes():
    frame = numbered([[0, 1, 4], [1, 0, 4], [2, 3, 0]]).set_axis([2, 1, 3])
    for classes, known in ((None, [1, 2, 3]), ([3, 1, 2], [3, 1, 2])):
        costs = CostMatrix(frame, classes)
        assert costs.classes.tolist() == known
        assert costs.extend().of([[3], [1]], [2, 2]).tolist() == [3, 0]


@pytest.mark.parametrize("form", FRAMES)
def test_estimators_read_the_same_codes_from_a_frame_of_any_library(form):
    frame = pd.DataFrame({"g": ["u", None, "v", "u"], "n": [0, 2, 1, 1]})
    table = read_table(BaseEstimator(), FRAMES[form](frame), reset=True)
    schema = Schema.of(table)
    assert schema.n_values.tolist() == [2, 3]
    assert schema.codes(table).tolist() == [[0, 0], [-1, 2], [1, 1], [0, 1]]


@pytest.mark.parametrize("form", FRAMES)
def test_predictions_in_a_frame_of_any_library_are_the_same(form):
    y_true = ["a", "b", "b"]
    sets = pd.DataFrame({"b": [False, True, True], "a": [True, False, True]})
    assert as_sets(FRAMES[form](sets)).to_lists() == [["a"], ["b"], ["b", "a"]]
    assert as_sets(FRAMES[form](sets), classes=["a", "b"]).to_lists()[2] == ["a", "b"]
    proba = pd.DataFrame({"b": [0.25, 0.5, 1.0], "a": [0.75, 0.5, 0.0]})
    codes, matrix, classes = align_probabilities(y_true, FRAMES[form](proba), classes=["a", "b"])
    assert (codes.tolist(), list(classes)) == ([0, 1, 1], ["a", "b"])
    assert matrix[0].tolist() == [0.75, 0.25]


@pytest.mark.parametrize("form", COLUMNS)
def test_predictions_in_a_column_of_any_library_are_the_same(form):
    assert as_sets(COLUMNS[form](["b", "a", "b"])).to_lists() == [["b"], ["a"], ["b"]]


@pytest.mark.parametrize("form", COLUMNS)
def test_labels_of_any_library_give_the_same_codes(form):
    codes, classes = encode_labels(COLUMNS[form](["b", "a", "b"]))
    assert (codes.tolist(), classes.tolist()) == ([1, 0, 1], ["a", "b"])
    codes, classes = read_class_labels(BaseEstimator(), COLUMNS[form](["b", "a", "b"]), 3)
    assert (codes.tolist(), classes.tolist()) == ([1, 0, 1], ["a", "b"])


@pytest.mark.parametrize("form", ["pandas", "polars", "pyarrow", "dask"])
def test_numbers_between_integers_are_not_classes_in_any_library(form):
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        read_class_labels(BaseEstimator(), COLUMNS[form]([0.25, 0.5]), 2)


@pytest.mark.parametrize("kind", [pd.Series, OwnSeries, pd.Index, pd.Categorical])
def test_pandas_columns_declare_their_categories(kind):
    column = kind(pd.Categorical(["b"], categories=["c", "b"]))
    assert declared_categories(column).tolist() == ["c", "b"]
    assert encode_labels(column)[1].tolist() == ["b", "c"]


@pytest.mark.parametrize("column", [["b"], np.array(["b"]), pl.Series(["b"]), pd.Series(["b"])])
def test_other_columns_declare_no_categories(column):
    assert declared_categories(column) is None


def test_dask_categories_are_kept():
    column = pd.Series(pd.Categorical(["b", "a"], categories=["c", "b", "a"]))
    assert encode_labels(dd.from_pandas(column, npartitions=2))[1].tolist() == ["a", "b", "c"]


def test_dask_arrays_are_computed():
    matrix = da.from_array(np.eye(3), chunks=2)
    assert isinstance(in_memory(matrix), np.ndarray)
    table = read_table(BaseEstimator(), matrix, reset=True)
    assert table.tolist() == np.eye(3).tolist()


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([["a", "b"], [], ["c"]]),
        pa.array([["a", "b"], [], ["c"]]),
        pa.chunked_array([[["a", "b"]], [[], ["c"]]]),
        pa.array([["a", "b"], [], ["c"]], pa.large_list(pa.string())),
        pa.ListViewArray.from_arrays([1, 0, 0], [2, 0, 1], pa.array(["c", "a", "b"])),
    ],
)
def test_columns_of_lists_are_flattened(column):
    assert is_list_column(column)
    labels, lengths = flatten_lists(column)
    assert list(np.asarray(labels)) == ["a", "b", "c"]
    assert lengths.tolist() == [2, 0, 1]
    assert as_sets(column).to_lists() == [["a", "b"], [], ["c"]]


@pytest.mark.parametrize("column", [pl.Series(["a"]), pa.array(["a"]), [["a"]], pd.Series([["a"]])])
def test_other_columns_are_not_columns_of_lists(column):
    assert not is_list_column(column)


@pytest.mark.parametrize("form", COLUMNS)
def test_the_first_value_is_a_plain_one(form):
    assert first_value(in_memory(COLUMNS[form](["b", "a"]))) == "b"


def test_sparse_matrices_are_recognised():
    assert is_sparse(sparse.csr_array(np.eye(2)))
    assert is_sparse(sparse.coo_matrix(np.eye(2)))
    assert not is_sparse(np.eye(2))


def test_lists_and_arrays_load_no_frame_library():
    code = """
import sys
from wager._tables import encode_labels, flatten_lists, is_frame
encode_labels(["a", "b"]); is_frame([[1]]); flatten_lists([["a"]])
loaded = {"narwhals", "pandas", "polars", "pyarrow", "sklearn", "scipy"} & set(sys.modules)
sys.exit(", ".join(loaded) or 0)
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr


def test_files_and_p_values_have_the_classes_that_numbers_of_columns_mean(tmp_path):
    frame = numbered([[0.5, 0.25, 0.25], [0.125, 0.375, 0.5], [0.125, 0.375, 0.5]])
    for given in ({"proba": frame}, {"sets": frame > 0.4, "form": "in"}):
        write_predictions(tmp_path / "p.csv", [1, 3, 3], **given)
        assert read_predictions(tmp_path / "p.csv").classes.tolist() == [1, 2, 3]
    assert pvalue_efficiency([1, 3, 3], frame)["OF"] == 0.5
