"""A file that is counted in parts has the scores, words and errors of the whole file."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings, strategies as st

from tests.serial_engine import SerialEngine
from wager.costs import CostMatrix
from wager.predictions import scan_predictions
from wager.predictions.files import _parts
from wager.report import score_file
from wager.rewards import get_utility

UTILITIES = [get_utility("u50"), get_utility("u65")]
LABELS, SETS = ["a", "b", "c"], ["a", "b", "a|b", "b|c", "", "a|b|c"]
COSTS = CostMatrix([[0, 2, 5], [1, 0, 1], [3, 1, 0]], LABELS)


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch):
    monkeypatch.setattr(_parts, "_ROWS", 1)  # every row group is a part


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("parts")


def write(path, columns, groups):
    """A Parquet file whose row groups have these numbers of rows."""
    table = pa.table(columns)
    with pq.ParquetWriter(path, table.schema) as writer:
        start = 0
        for n in [*groups, len(table)]:
            if n and start < len(table):
                writer.write_table(table.slice(start, n))
                start += n
    return path


@st.composite
def columns(draw):
    n = draw(st.integers(4, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    found = {"y_true": [*LABELS, *rng.choice(LABELS, n - 3)]}
    if draw(st.booleans()):
        found["set"] = [*SETS[-1:], *rng.choice(SETS, n - 1)]
    else:
        proba = rng.dirichlet(np.ones(3), n)
        found |= {f"p:{label}": proba[:, i] for i, label in enumerate(LABELS)}
    for name, values in (
        ("weight", rng.random(n)),
        ("count", rng.integers(1, 4, n)),
        ("cluster", rng.choice(["x", "y", "z", "u"], n)),
        ("group", rng.choice(["g", "h"], n)),
    ):
        if draw(st.booleans()):
            found[name] = values
    if draw(st.booleans()):  # the first rows show all classes
        gaps = rng.random(n) < 0.3
        gaps[:3] = False
        found["y_true"] = [None if gap else y for gap, y in zip(gaps, found["y_true"], strict=True)]
    return found


@settings(max_examples=5)
@given(columns(), st.lists(st.integers(1, 7), max_size=6), st.integers(0, 99))
def test_parts_have_the_scores_of_the_whole(folder, rows, groups, seed):
    path = write(folder / "rows.parquet", rows, groups)
    engine, by_group = SerialEngine(seed), "group" in rows
    options = {"by_group": by_group, "by_class": True, "costs": COSTS, "empty_cost": 1.0}
    whole = score_file(scan_predictions(path, na="drop"), "f", UTILITIES, **options)
    parts = score_file(scan_predictions(path), "f", UTILITIES, engine=engine, na="drop", **options)
    assert min(engine.n_parts) == max(engine.n_parts) >= min(len(groups), 2)
    assert parts.sentences == whole.sentences
    assert parts.oddities == whole.oddities
    assert parts.clusters == whole.clusters
    exact = not {"weight", "p:a", "cluster"} & rows.keys()
    for mine, theirs in zip(parts.scores, whole.scores, strict=True):
        assert (mine.family, mine.group, mine.of_class, mine.measure) == (
            theirs.family, theirs.group, theirs.of_class, theirs.measure,
        )  # fmt: skip
        both = [mine.value, mine.standard_error], [theirs.value, theirs.standard_error]
        tolerance = 0.0 if exact else 1e-9 if mine.family == "probabilities" else 1e-12
        np.testing.assert_allclose(*both, rtol=tolerance, atol=tolerance)


@settings(max_examples=4, deadline=None)
@given(columns(), st.lists(st.integers(1, 7), min_size=2, max_size=6))
def test_the_order_in_which_workers_finish_changes_no_bit(folder, rows, groups):
    path = write(folder / "bits.parquet", rows, groups)
    found = [
        score_file(scan_predictions(path), "f", UTILITIES, engine=SerialEngine(seed), na="drop")
        for seed in (1, 2)
    ]
    bits = [[(s.measure, repr(s.value), repr(s.standard_error)) for s in f.scores] for f in found]
    assert bits[0] == bits[1]


def error(file, engine=None, na="error"):
    with pytest.raises(ValueError) as raised:
        score_file(file, "f", UTILITIES, engine=engine, na=na)
    return str(raised.value)


@pytest.mark.parametrize(
    "rows",
    [
        {"y_true": ["a", None, "b", "NA"], "set": ["a", "b", "b", "a"]},
        {"y_true": ["a", "b", "b", "a"], "set": ["a", "b", "a;b", "a"]},
        {"y_true": ["1", "2", "1", "2"], "set": ["a", "b", "b", "a"]},
        {"y_true": ["a", "b", "b", "a"], "set": ["a"] * 4, "weight": [1.0, 2.0, -1.0, 1.0]},
        {"y_true": ["a", "b", "b", "a"], "set": ["a"] * 4, "weight": [0.0] * 4},
        {"y_true": ["a", "b"] * 2, "p:a": [0.5, 0.5, 0.7, 0.5], "p:b": [0.5, 0.5, 0.7, 0.5]},
        {"y_true": ["a", "b"] * 2, "in:a": [1, 1, 2, 0], "in:b": [1, 0, 1, 0]},
    ],
    ids=["missing", "separator", "kinds", "weight", "no weight", "sum", "flag"],
)
def test_a_wrong_file_has_the_same_error(tmp_path, rows):
    path = write(tmp_path / "wrong.parquet", rows, [1, 1, 1])
    engine = SerialEngine()
    assert error(scan_predictions(path), engine) == error(scan_predictions(path))
    assert engine.n_parts[0] == 4


def test_a_file_without_a_complete_row_has_the_same_error(tmp_path):
    path = write(tmp_path / "gaps.parquet", {"y_true": [None, "NA"], "set": ["a", "b"]}, [1])
    whole = error_of_scan(path)
    assert error(scan_predictions(path), SerialEngine(), na="drop") == whole


def error_of_scan(path):
    with pytest.raises(ValueError, match="no row is left") as raised:
        scan_predictions(path, na="drop")
    return str(raised.value)


def test_labels_that_only_other_parts_show_are_classes(tmp_path):
    rows = {"y_true": ["1", "2", "b", "1"], "set": ["1", "b", "a", "2|b"]}
    path = write(tmp_path / "labels.parquet", rows, [1, 1, 1])
    whole = score_file(scan_predictions(path), "f", UTILITIES)
    parts = score_file(scan_predictions(path), "f", UTILITIES, engine=SerialEngine())
    assert [repr(s) for s in parts.scores] == [repr(s) for s in whole.scores]
    assert parts.oddities == whole.oddities == (
        "'a' is predicted but never occurs in y_true: check the spelling",
    )  # fmt: skip


def test_a_text_file_is_one_part_and_memberships_need_one_machine(tmp_path):
    path = tmp_path / "f.csv"
    path.write_text("y_true,set\na,a\nb,a|b\n")
    engine = SerialEngine()
    parts = score_file(scan_predictions(path), "f", UTILITIES, engine=engine)
    assert engine.n_parts == [1]
    assert parts.scores == score_file(scan_predictions(path), "f", UTILITIES).scores
    path.write_text("y_true,m:a,m:b\na,3,1\nb,1,2\n")
    assert error(scan_predictions(path), engine) == (
        f"{path}: memberships (m: columns) are scored on one machine only, because their scale "
        "depends on all rows: leave out --engine dask"
    )
