"""Weights, counts and clusters of a file give the same errors as the same columns in memory."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from wager.predictions import (
    FileCounts,
    Predictions,
    PredictionSets,
    read_predictions,
    scan_predictions,
    write_predictions,
)
from wager.rewards import Tally, file_sums

CLASSES = np.array(["a", "b", "c"])
N = 120
COLUMNS = ("weight", "count", "cluster")
CHOICES = [chosen for k in range(4) for chosen in combinations(COLUMNS, k)]
KINDS = [".csv set", ".csv mask", ".parquet set", ".parquet in", ".jsonl list", ".arrow mask"]
ARGUMENTS = {"weight": "sample_weight", "count": "counts", "cluster": "groups"}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y, sets = rng.integers(0, 3, N), rng.random((N, 3)) < 0.5
    units = {
        "weight": rng.choice([0.0, 1.0, 2.0, 5.0, 10.0], N),  # whole numbers, but weights
        "count": rng.integers(0, 4, N),
        "cluster": np.array([f"patient {i}" for i in rng.integers(0, 30, N)]),
    }
    return y, sets, units


def written(folder, kind, data, chosen, **beside):
    ending, form = kind.split()
    y, sets, units = data
    path = folder / f"rows{ending}"
    predicted = PredictionSets.from_indicator(sets, CLASSES)
    beside |= {name: units[name] for name in chosen}
    write_predictions(path, CLASSES[y], sets=predicted, form=form, **beside)
    return path


def tally_of_arrays(data, chosen, rows=slice(None)):
    y, sets, units = data
    return Tally.of(
        CLASSES[y[rows]],
        sets[rows],
        CLASSES,
        **{ARGUMENTS[name]: units[name][rows] for name in chosen},
    )


def assert_same(found, expected):
    np.testing.assert_allclose(found.table, expected.table, rtol=1e-12)
    assert found.table.dtype == expected.table.dtype
    assert (found.squares is None) == (expected.squares is None)
    if expected.squares is not None:
        np.testing.assert_allclose(found.squares, expected.squares, rtol=1e-12, atol=1e-12)
    one, other = found.estimate("u65"), expected.estimate("u65")
    assert one.standard_error == pytest.approx(other.standard_error, rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("chosen", CHOICES, ids="+".join)
def test_a_file_has_the_errors_of_its_arrays(data, tmp_path, kind, chosen):
    path = written(tmp_path, kind, data, chosen)
    assert_same(scan_tally(scan_predictions(path, CLASSES).count()), tally_of_arrays(data, chosen))


def scan_tally(counts):
    return Tally.of_sums(len(counts.classes), file_sums(counts).by_size)


@pytest.mark.parametrize("chosen", CHOICES, ids="+".join)
@pytest.mark.parametrize("whole_clusters", [False, True])
def test_chunks_have_the_errors_of_the_whole(data, tmp_path, chosen, whole_clusters):
    """With 30 clusters in random order, chunks of 7 rows divide all of them."""
    path = written(tmp_path, ".parquet set", data, chosen)
    chunks = scan_predictions(path, CLASSES).chunks(7, whole_clusters=whole_clusters)
    parts = [FileCounts.of(chunk, chunk.sets) for chunk in chunks]
    expected = tally_of_arrays(data, chosen)
    assert len(parts) > 10
    assert_same(scan_tally(FileCounts.total(parts)), expected)
    one_by_one = parts[0]
    for part in parts[1:]:
        one_by_one += part
    assert_same(scan_tally(one_by_one), expected)


@pytest.mark.parametrize("chosen", CHOICES, ids="+".join)
def test_groups_and_classes_have_errors_of_their_own(data, tmp_path, chosen):
    y = data[0]
    group = np.array(["x", "y"])[np.arange(N) % 2]
    path = written(tmp_path, ".csv set", data, chosen, group=group)
    counts = scan_predictions(path, CLASSES).count(by_group=True)
    for name in "xy":
        rows = group == name
        assert_same(scan_tally(counts.of_group(name)), tally_of_arrays(data, chosen, rows))
    assert_same(scan_tally(counts.of_class(1)), tally_of_arrays(data, chosen, y == 1))


def test_whole_weights_are_not_repeated_rows(tmp_path):
    """Ten times the weight is the same information; ten times the count is ten times as much."""
    rows = [f"{y},{p}" for y, p in (("a", "a"), ("a", "b"), ("b", "b"), ("b", "b"))] * 10
    errors = {}
    for name, column in {"plain": "", "weight": ",10", "count": ",10"}.items():
        path = tmp_path / f"{name}.csv"
        head = "y_true,y_pred" + (f",{name}" if column else "")
        path.write_text("\n".join([head, *(row + column for row in rows)]) + "\n")
        errors[name] = Tally.of_file(path).estimate("u50").standard_error
    assert errors["weight"] == pytest.approx(errors["plain"])
    assert errors["count"] == pytest.approx(errors["plain"] * np.sqrt(39 / 399), rel=1e-12)


def test_whole_clusters_are_never_divided(data, tmp_path):
    path = written(tmp_path, ".parquet set", data, COLUMNS, id=np.arange(N))
    file = scan_predictions(path, CLASSES)
    parts = list(file.chunks(20, whole_clusters=True))
    assert len(parts) > 3
    names = [set(part.cluster) for part in parts]
    assert not any(one & other for one, other in combinations(names, 2))
    back = np.argsort(np.concatenate([part.id.astype(int) for part in parts]))
    whole = read_predictions(path, CLASSES)
    for name in ("codes", "weight", "count", "cluster"):
        together = np.concatenate([getattr(part, name) for part in parts])[back]
        np.testing.assert_array_equal(together, getattr(whole, name))


def test_without_clusters_whole_clusters_are_the_rows_in_order(data, tmp_path):
    path = written(tmp_path, ".parquet set", data, ())
    parts = scan_predictions(path, CLASSES).chunks(7, whole_clusters=True)
    np.testing.assert_array_equal(np.concatenate([part.codes for part in parts]), data[0])


def test_errors_in_sorted_chunks_name_the_row_of_the_file(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("y_true,p:a,p:b,cluster\na,1,0,z\nb,0.5,0.5,y\na,0.9,0.9,x\n")
    with pytest.raises(ValueError, match=r"the p: columns of row 3 sum to 1\.8"):
        list(scan_predictions(path).chunks(2, whole_clusters=True))


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet", ".arrow"])
def test_counts_and_clusters_are_read_as_they_were_written(tmp_path, ending):
    path = tmp_path / f"rows{ending}"
    write_predictions(
        path, ["a", "b"], y_pred=["a", "a"], count=[0, 12], cluster=['x"', "1, 2"], classes=CLASSES
    )
    got = read_predictions(path)
    assert got.count.tolist() == [0, 12]
    assert got.count.dtype.kind == "i"
    assert got.cluster.tolist() == ['x"', "1, 2"]
    assert got.weight is None
    assert got.totals.tolist() == [0, 12]


def test_the_cluster_may_be_another_column(data, tmp_path):
    units = data[2]
    path = written(tmp_path, ".parquet set", data, (), group=units["cluster"])
    counts = scan_predictions(path, CLASSES, cluster="group").count()
    assert counts.n_clusters == 30
    assert_same(scan_tally(counts), tally_of_arrays(data, ["cluster"]))
    assert scan_predictions(path, CLASSES).count().n_clusters is None
    with pytest.raises(ValueError, match="there is no column ward among y_true, set, group"):
        scan_predictions(path, cluster="ward")


def test_clusters_of_weight_0_are_not_counted(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("y_true,y_pred,weight,cluster\na,a,1,x\nb,a,2,y\nb,b,0,z\n")
    assert scan_predictions(path).count().n_clusters == 2


BAD = {
    "a fraction": ("count\n1\n2\n1.5\n", "count is 1.5 in row 3: a count must be a whole number"),
    "a negative count": ("count\n1\n-1\n0\n", "count is -1 in row 2: a count must be a whole"),
    "a missing count": (
        "count\n1\n1\n\n",
        "1 of 3 rows has no count; the first is row 3: fill it in",
    ),
    "an infinite count": ("count\n1\ninf\n1\n", "count is inf in row 2: a count must be a whole"),
    "no count at all": ("count\n0\n0\n0\n", "count is 0 in every row: at least one row must count"),
    "nothing counts": ("count,weight\n0,1\n1,0\n0,0\n", "weight times count is 0 in every row"),
    "a missing cluster": (
        "cluster\nx\n\nx\n",
        "1 of 3 rows has no cluster; the first is row 2: fill it in",
    ),
}


@pytest.mark.parametrize("form", ["y_pred a", "set a", "mask 1", "in:a,in:b 1,0"])
@pytest.mark.parametrize(("text", "said"), BAD.values(), ids=BAD)
def test_wrong_counts_and_clusters_are_reported_with_their_row(tmp_path, form, text, said):
    head, cell = form.split()
    names, *rows = text.splitlines()
    lines = [f"y_true,{head},{names}", *(f"a,{cell},{row}" for row in rows)]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(ValueError, match=said) as error:
        scan_predictions(path, ["a", "b"]).count()
    assert str(error.value).startswith(f"{path}: ")
    if "every row:" not in said and "times" not in said:
        with pytest.raises(ValueError, match=said):
            read_predictions(path, ["a", "b"])


def test_counts_that_became_floats_are_whole_numbers(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("y_true,y_pred,count\na,a,2.0\nb,a,1.0\n")
    assert Tally.of_file(path).table.tolist() == [[0, 0], [1, 2], [0, 0]]


def test_wrong_counts_and_clusters_are_not_written(tmp_path):
    path = tmp_path / "rows.csv"
    with pytest.raises(ValueError, match=r"got 0\.5 in row 1"):
        write_predictions(path, ["a", "b"], y_pred=["a", "b"], count=[1, 0.5])
    with pytest.raises(ValueError, match="cluster has a missing label in row 0"):
        write_predictions(path, ["a", "b"], y_pred=["a", "b"], cluster=[None, "x"])
    assert not path.exists()


def test_counts_with_clusters_are_not_added_to_counts_without():
    sets = PredictionSets.from_lists([["a"], ["b"]])
    one = Predictions(sets.classes, np.array([0, 1]), "set", sets)
    other = Predictions(sets.classes, np.array([0, 1]), "set", sets, cluster=np.array(["x", "y"]))
    with pytest.raises(ValueError, match="cannot add counts with clusters to counts without"):
        _ = FileCounts.of(one, sets) + FileCounts.of(other, sets)


def test_many_clusters_are_kept_sparsely(tmp_path):
    """A dense table of 50,000 clusters and 400 entries would have 20 million numbers."""
    n, k = 50_000, 100
    rng = np.random.default_rng(1)
    y = rng.integers(0, k, n)
    path = tmp_path / "many.parquet"
    write_predictions(
        path, y, y_pred=rng.integers(0, k, n), cluster=np.arange(n), classes=np.arange(k)
    )
    counts = scan_predictions(path).count()
    assert counts.n_clusters == n
    assert len(counts.clusters.total) == n
    independent = file_sums(FileCounts(**{**vars(counts), "clusters": None})).by_size
    np.testing.assert_allclose(file_sums(counts).by_size.squares, np.diag(independent.totals))


def test_progress_of_sorted_chunks_grows_to_the_end(data, tmp_path):
    path = written(tmp_path, ".parquet set", data, COLUMNS)
    seen = []
    parts = scan_predictions(path, CLASSES).chunks(20, whole_clusters=True, progress=seen.append)
    n_parts = len(list(parts))
    second_half = seen[-n_parts:]
    assert seen == sorted(seen)
    assert 0.5 < second_half[0] < second_half[-1] == 1
