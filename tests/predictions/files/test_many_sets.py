"""Sets of very many kinds are taken apart by the database, with the same result as in Python."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.fewer import fewer
from wager.compare import match_files
from wager.predictions import PredictionSets, read_predictions, scan_predictions, write_predictions
from wager.predictions._strings import join_labels
from wager.predictions.files import _count_members as count_members
from wager.predictions.files.forms import _set as set_form

NAMES = np.array(["a", "b c", "d/e", "é", "0"])
WAYS = [("_ALMOST_ALL", 0.0), ("_ALMOST_ALL", 2.0)]  # row by row, and equal rows joined first


@pytest.fixture(params=WAYS, ids=["rows", "pairs"])
def in_sql(request):
    """Take every file for one with very many kinds of sets."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(count_members, "_SAMPLE", 1)
        patch.setattr(count_members, *request.param)
        patch.setattr(set_form, "_MANY", 0)
        patch.setattr(set_form, "_SAMPLE", 0)
        yield


def counted(counts):
    keys = (counts.group, counts.truth, counts.size, counts.hit)
    rows = [*zip(*(column.tolist() for column in (*keys, counts.rows, counts.weight)), strict=True)]
    named = counts.classes[counts.predicted].tolist()
    return sorted(rows, key=str), counts.classes.tolist(), named


def write_csv(path: Path, rows: list[tuple[str, ...]], header: str = "y_true,set") -> Path:
    path.write_text("\n".join([header, *(",".join(row) for row in rows)]) + "\n", encoding="utf-8")
    return path


labels = st.sampled_from([*NAMES, *(f" {name}" for name in NAMES), "a\t"])
rows = st.lists(
    st.tuples(labels, st.lists(labels, max_size=4).map("|".join)), min_size=1, max_size=12
)


@given(rows=rows, declared=st.booleans(), repeats=st.booleans())
@pytest.mark.parametrize("way", WAYS, ids=["rows", "pairs"])
@fewer(8)
def test_sets_as_text_are_counted_as_in_python(way, rows, declared, repeats):
    # The first row has a name in both columns: names in one and numbers in the other are refused.
    classes = NAMES if declared else None
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        header = "y_true,set,weight,group" if repeats else "y_true,set"
        given_rows = [(*row, str((i + 1) % 3), "xy"[i % 2]) if repeats else row
                      for i, row in enumerate([("a", "a"), *rows])]  # fmt: skip
        path = write_csv(Path(folder) / "sets.csv", [*given_rows, *given_rows[:3]], header)
        plain = scan_predictions(path, classes).count(by_group=repeats)
        read = read_predictions(path, classes)
        patch.setattr(count_members, "_SAMPLE", 1)
        patch.setattr(count_members, *way)
        patch.setattr(set_form, "_MANY", 0)
        patch.setattr(set_form, "_SAMPLE", 0)
        assert counted(scan_predictions(path, classes).count(by_group=repeats)) == counted(plain)
        again = read_predictions(path, classes)
        assert again.sets == read.sets
        assert again.codes.tolist() == read.codes.tolist()


@pytest.mark.parametrize(
    ("ending", "form"),
    [("csv", "set"), *product(("jsonl", "parquet", "arrow"), ("set", "list"))],
)
def test_sets_in_every_format(tmp_path, in_sql, ending, form):
    lists = [["a", "é"], [], ["0"], ["b c", "d/e", "a"], ["a", "é"]]
    sets = PredictionSets.from_lists(lists, NAMES)
    path = tmp_path / f"sets.{ending}"
    write_predictions(path, NAMES[[0, 1, 2, 3, 4]], sets=sets, form=form)
    counts = scan_predictions(path).count()
    assert counts.classes.tolist() == sorted(NAMES)
    assert sorted(zip(counts.size.tolist(), counts.hit.tolist(), strict=True)) == [
        (0, 0), (1, 0), (2, 0), (2, 1), (3, 0)]  # fmt: skip
    assert read_predictions(path, NAMES).sets == sets


def test_labels_are_counted_like_sets(tmp_path, in_sql):
    path = write_csv(
        tmp_path / "labels.csv", [("a", "a "), ("b", "a"), ("b", "c")], "y_true,y_pred"
    )
    counts = scan_predictions(path).count()
    assert counts.classes.tolist() == ["a", "b", "c"]
    assert counts.predicted.tolist() == [True, False, True]
    assert counted(counts)[0] == [
        (None, 0, 1, 1, 1, 1.0), (None, 1, 1, 0, 2, 2.0)]  # fmt: skip


@pytest.mark.parametrize(
    ("cells", "classes"),
    [
        (["a|b", "a|"], None),
        (["a|b", "NA"], None),
        (["a|b", "a|NaN"], None),
        (["a|b", "a|x"], ["a", "b"]),
        (["a|b", "a;b"], None),
        (["1|2", "1"], None),
        (["a|b", r"a\|b"], ["a", "b"]),
    ],
)
@pytest.mark.parametrize("way", WAYS, ids=["rows", "pairs"])
def test_wrong_sets_are_refused_in_the_same_words(tmp_path, cells, classes, way, monkeypatch):
    path = write_csv(tmp_path / "sets.csv", [("a", cells[0]), ("b", cells[1])])
    with pytest.raises(ValueError) as plain:
        scan_predictions(path, classes).count()
    monkeypatch.setattr(count_members, "_SAMPLE", 1)
    monkeypatch.setattr(count_members, *way)
    with pytest.raises(ValueError) as found:
        scan_predictions(path, classes).count()
    assert str(found.value) == str(plain.value)


def test_escaped_separators_are_left_to_python(tmp_path, in_sql):
    path = write_csv(tmp_path / "sets.csv", [("a", r"a\|b"), ("a|b", r"a|a\|b")])
    counts = scan_predictions(path).count()
    assert counts.classes.tolist() == ["a", "a|b"]
    assert sorted(counts.size.tolist()) == [1, 2]
    assert read_predictions(path).sets.to_lists() == [["a|b"], ["a", "a|b"]]


def test_comparisons_and_groups_take_sets_apart_in_sql(tmp_path, in_sql, monkeypatch):
    monkeypatch.setattr(
        "wager.predictions.files._outcomes._store", lambda *_: pytest.fail("pairs were stored")
    )
    rows = [("a", "a|b", "x"), ("b", "a", "y"), (" b", "b| a", "x")]
    one = write_csv(tmp_path / "one.csv", rows, "y_true,set,group")
    two = write_csv(tmp_path / "two.csv", [(y, "b", g) for y, _, g in rows], "y_true,set,group")
    groups = scan_predictions(one).count_groups()
    assert groups.names.tolist() == ["x", "y"]
    assert groups.cell.tolist() == [5, 2]
    assert groups.rows.tolist() == [2, 1]
    pair = match_files([one, two]).pairs["one", "two"]
    assert pair.a.table.tolist() == [[0, 0], [1, 0], [0, 2]]
    assert pair.b.table.tolist() == [[0, 0], [1, 2], [0, 0]]


@given(st.lists(st.lists(st.text("ab|\\$ ", max_size=4), max_size=4), min_size=1, max_size=8))
@fewer(8)
def test_lists_are_joined_by_sql_as_in_python(lists):
    sql = set_form._joined_sql("x")
    query = f"SELECT {sql} FROM (SELECT unnest(CAST(? AS VARCHAR[][])) AS x)"
    found = duckdb.connect().execute(query, [lists]).fetchall()
    assert [text for (text,) in found] == [join_labels(row) for row in lists]


def test_most_rows_must_be_different(tmp_path, monkeypatch):
    monkeypatch.setattr(count_members, "_SAMPLE", 4)
    taken = []
    whole = count_members._members
    monkeypatch.setattr(count_members, "_members", lambda *given: taken.append(1) or whole(*given))
    few = write_csv(tmp_path / "few.csv", [("a", "a|b")] * 6)
    scan_predictions(few).count()
    assert not taken
    many = write_csv(tmp_path / "many.csv", [("a", f"a|b{i}") for i in range(6)])
    scan_predictions(many).count()
    assert taken
