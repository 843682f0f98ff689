"""What is written to a prediction file is what is read from it, in every form and format."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.fewer import fewer
from wager._tables import BLANKS, MISSING_WORDS
from wager.predictions import (
    PredictionSets,
    ProbabilityIntervals,
    read_predictions,
    scan_predictions,
    write_predictions,
)

ENDINGS = [".csv", ".csv.gz", ".jsonl", ".parquet", ".arrow"]
AWKWARD = ["a", "b|c", "|", "\\", "a\\", "a\\|b", 'say "hi"', "x,y", "x;y", "two\nlines", "in:a"]
AWKWARD += [
    "é",
    "日本",
    "p:q",
    "'; DROP TABLE rows; --",
    "null",
    "NA",
    "NaN",
    "true",
    "1.0",
    "01",
]

any_text = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6
) | st.sampled_from(AWKWARD)
any_text = any_text.map(lambda text: text.strip(BLANKS)).filter(bool)  # as a file has them
texts = st.lists(any_text, min_size=2, max_size=6, unique_by=str.lower)
numbers = st.lists(st.integers(-(10**12), 10**12), min_size=2, max_size=6, unique=True)
labels = st.one_of(texts, numbers)
any_name = any_text.filter(lambda text: text not in MISSING_WORDS)


@st.composite
def labelled(draw):
    """Classes, and the true class of some rows."""
    classes = sorted(draw(labels))
    codes = draw(st.lists(st.integers(0, len(classes) - 1), min_size=1, max_size=12))
    return np.array(classes), np.array(codes)


@st.composite
def labelled_sets(draw):
    classes, codes = draw(labelled())
    shape = (len(codes), len(classes))
    row = st.lists(st.booleans(), min_size=shape[1], max_size=shape[1])
    matrix = draw(st.lists(row, min_size=shape[0], max_size=shape[0]))
    return classes, codes, np.array(matrix, dtype=bool)


def back(ending, classes, y_true, **written):
    """Write, and read back with the classes declared."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"predictions{ending}"
        write_predictions(path, y_true, classes=classes, **written)
        assert [entry.name for entry in Path(folder).iterdir()] == [path.name]
        return read_predictions(path, classes)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("form", ["set", "list", "mask", "in"])
@fewer(3)
@given(data=labelled_sets())
def test_sets(ending, form, data):
    if ending.startswith(".csv") and form == "list":
        form = "set"
    classes, codes, matrix = data
    sets = PredictionSets.from_indicator(matrix, classes)
    got = back(ending, classes, classes[codes], sets=sets, form=form)
    assert got.y_true.tolist() == classes[codes].tolist()
    assert got.sets.classes.tolist() == classes.tolist()
    np.testing.assert_array_equal(got.sets.to_indicator(), matrix)


@pytest.mark.parametrize("ending", ENDINGS)
@fewer(4)
@given(data=labelled(), seed=st.integers(0, 2**32 - 1))
def test_labels(ending, data, seed):
    classes, codes = data
    said = np.random.default_rng(seed).integers(len(classes), size=len(codes))
    got = back(ending, classes, classes[codes], y_pred=classes[said])
    assert got.y_true.tolist() == classes[codes].tolist()
    np.testing.assert_array_equal(got.sets.to_indicator().argmax(axis=1), said)
    assert (got.sets.sizes == 1).all()


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("kind", ["proba", "memberships"])
@fewer(4)
@given(data=labelled(), seed=st.integers(0, 2**32 - 1))
def test_numbers_are_read_back_to_the_last_bit(ending, kind, data, seed):
    classes, codes = data
    values = np.random.default_rng(seed).standard_normal((len(codes), len(classes)))
    if kind == "proba":
        values = np.exp(values) / np.exp(values).sum(axis=1, keepdims=True)
    got = back(ending, classes, classes[codes], **{kind: values})
    np.testing.assert_array_equal(getattr(got, kind), values)


@pytest.mark.parametrize("ending", ENDINGS)
@fewer(4)
@given(data=labelled(), seed=st.integers(0, 2**32 - 1), s=st.floats(0.1, 3))
def test_intervals(ending, data, seed, s):
    classes, codes = data
    counts = np.random.default_rng(seed).integers(0, 9, size=(len(codes), len(classes)))
    said = ProbabilityIntervals.from_idm(counts, s, classes)
    got = back(ending, classes, classes[codes], intervals=said)
    np.testing.assert_array_equal(got.intervals.lower, said.lower)
    np.testing.assert_array_equal(got.intervals.upper, said.upper)


@pytest.mark.parametrize("ending", ENDINGS)
@fewer(4)
@given(
    rows=st.lists(
        st.tuples(st.floats(0, 1e6), st.one_of(st.none(), any_name), any_name),
        min_size=1,
        max_size=8,
    )
)
def test_weights_groups_and_ids(ending, rows):
    weight, group, name = zip(*rows, strict=True)
    if max(weight) < 1e-150:  # which a reader refuses
        weight = (1.0, *weight[1:])
    y = ["a"] * len(rows)
    got = back(ending, ["a", "b"], y, y_pred=y, weight=weight, group=group, id=name)
    assert got.weight.tolist() == list(weight)
    assert got.group.tolist() == list(group)
    assert got.id.tolist() == list(name)


@pytest.mark.parametrize("ending", ENDINGS)
@fewer(3)
@given(data=labelled_sets(), rows=st.integers(1, 5))
def test_chunks_add_up_to_the_file(ending, data, rows):
    classes, codes, matrix = data
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"predictions{ending}"
        write_predictions(path, classes[codes], sets=PredictionSets.from_indicator(matrix, classes))
        parts = list(scan_predictions(path, classes).chunks(rows))
    assert all(len(part) <= rows for part in parts)
    np.testing.assert_array_equal(np.concatenate([part.codes for part in parts]), codes)
    together = np.concatenate([part.sets.to_indicator() for part in parts])
    np.testing.assert_array_equal(together, matrix)


@pytest.mark.parametrize("ending", ENDINGS)
@fewer(3)
@given(data=labelled_sets())
def test_undeclared_classes_are_the_labels_that_occur(ending, data):
    classes, codes, matrix = data
    separators = set(";,/+&\t ")
    if classes.dtype.kind == "U" and any(separators & set(name) for name in classes):
        return  # such labels may look like several others joined: declared classes settle it
    if any(name in MISSING_WORDS for name in classes.tolist()):
        return  # such labels are missing values unless they are declared
    occur = np.union1d(codes, np.flatnonzero(matrix.any(axis=0)))
    numbers = [isinstance(name, int) or name.lstrip("-").isdigit() for name in classes.tolist()]
    if len({numbers[code] for code in occur}) > 1:
        return  # numbers beside names may be refused
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"predictions{ending}"
        write_predictions(path, classes[codes], sets=PredictionSets.from_indicator(matrix, classes))
        got = read_predictions(path)
    assert [str(name) for name in got.classes] == [str(name) for name in classes[occur]] or (
        ending.startswith(".csv")  # a CSV has no types: labels that are numbers sort as numbers
        and sorted(map(str, got.classes)) == sorted(map(str, classes[occur]))
    )
    np.testing.assert_array_equal(got.sets.sizes, matrix.sum(axis=1))


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".arrow"])
def test_classes_that_differ_only_in_case_stay_different(ending):
    proba = np.array([[0.25, 0.75], [0.5, 0.5]])
    got = back(ending, ["A", "a"], ["a", "A"], proba=proba)
    assert got.y_true.tolist() == ["a", "A"]
    np.testing.assert_array_equal(got.proba, proba)


def test_parquet_refuses_classes_that_differ_only_in_case(tmp_path):
    with pytest.raises(ValueError, match="upper and lower case alone"):
        write_predictions(tmp_path / "p.parquet", ["a"], proba=[[1.0, 0.0]], classes=["A", "a"])
    assert list(tmp_path.iterdir()) == []


def test_whole_numbers_and_booleans_are_labels():
    assert back(".csv", None, [2, 10], y_pred=[10, 2]).classes.tolist() == [2, 10]
    assert back(".csv", None, [2.0, 10.0], y_pred=[10.0, 2.0]).classes.tolist() == [2, 10]
    got = back(".parquet", None, [True, False], y_pred=[True, True])
    assert got.y_true.tolist() == ["True", "False"]


@pytest.mark.parametrize("n_classes", [2, 64, 70, 300, pytest.param(2000, marks=pytest.mark.long)])
@pytest.mark.parametrize("ending", [".csv", ".parquet", ".jsonl"])
def test_many_classes(ending, n_classes):
    rng = np.random.default_rng(0)
    classes = np.array([f"c{i:04}" for i in range(n_classes)])
    codes, matrix = rng.integers(n_classes, size=5), rng.random((5, n_classes)) < 0.5
    sets = PredictionSets.from_indicator(matrix, classes)
    for form in ("set", "in"):
        got = back(ending, classes, classes[codes], sets=sets, form=form)
        np.testing.assert_array_equal(got.sets.to_indicator(), matrix)
        np.testing.assert_array_equal(got.codes, codes)
