"""Prediction files brought together: whatever their form, format and order, the counts agree."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from wager.compare import compare_files, head_to_head, match_files
from wager.costs import CostMatrix
from wager.predictions import ProbabilityIntervals, write_predictions
from wager.rewards import PairedTally

LABELS = np.array(["cat", "dog", "owl"])


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    sets = rng.random((200, 3)) < 0.5
    plain = np.where(rng.random(200) < 0.6, y, rng.integers(0, 3, 200))
    return y, sets, plain


def written(folder, name, y, **said):
    path = folder / name
    write_predictions(path, LABELS[y], classes=LABELS, **said)
    return path


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("form", ["set", "in"])
def test_counts_are_those_of_the_arrays(rows, tmp_path, ending, form):
    y, sets, plain = rows
    a = written(tmp_path, f"a{ending}", y, sets=sets, form=form)
    b = written(tmp_path, "b.csv", y, y_pred=LABELS[plain])
    found = match_files([a, b])
    assert found.names == ("a", "b")
    assert found.classes.tolist() == LABELS.tolist()
    assert not found.by_id
    assert found.pairs["a", "b"] == PairedTally.of(LABELS[y], sets, LABELS[plain], LABELS)


def test_rows_in_another_order_are_matched_by_id(rows, tmp_path):
    y, sets, plain = rows
    rng = np.random.default_rng(1)
    names, order = np.array([f"row {i}" for i in range(200)]), rng.permutation(200)
    weight = rng.integers(0, 4, 200)
    a = written(tmp_path, "a.parquet", y, sets=sets, id=names, weight=weight)
    b = written(tmp_path, "b.csv", y[order], y_pred=LABELS[plain[order]], id=names[order])
    c = written(tmp_path, "c.csv", y, y_pred=LABELS[plain], id=names)
    expected = PairedTally.of(LABELS[y], sets, LABELS[plain], LABELS, weight)
    found = match_files([a, b, c])
    assert found.by_id
    for name in ("b", "c"):
        assert found.pairs["a", name] == expected
    assert match_files([a, c]).pairs["a", "c"] == expected


@pytest.mark.parametrize("shuffled", [False, True])
def test_fractional_weights_keep_their_effective_number_of_rows(rows, tmp_path, shuffled):
    y, sets, plain = rows
    weight = np.random.default_rng(2).random(200)
    order = np.random.default_rng(3).permutation(200) if shuffled else np.arange(200)
    a = written(tmp_path, "a.csv", y, sets=sets, weight=weight, id=range(200))
    b = written(tmp_path, "b.csv", y[order], y_pred=LABELS[plain[order]], id=order)
    found = match_files([a, b]).pairs["a", "b"]
    expected = PairedTally.of(LABELS[y], sets, LABELS[plain], LABELS, weight)
    assert found.n == pytest.approx(expected.n)
    assert found.effective_n == pytest.approx(expected.effective_n)
    assert tuple(found.difference("u65")) == pytest.approx(tuple(expected.difference("u65")))


@given(st.integers(2, 60), st.integers(0, 2**32 - 1))
@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_number_of_rows_is_read_in_any_chunks(monkeypatch, tmp_path, n, seed):
    from wager.compare import _match_files

    rng = np.random.default_rng(seed)
    y, sets = rng.integers(0, 3, n), rng.random((n, 3)) < 0.5
    plain = rng.integers(0, 3, n)
    a = written(tmp_path, "a.parquet", y, sets=sets, form="in")
    b = written(tmp_path, "b.parquet", y, y_pred=LABELS[plain])
    monkeypatch.setattr(_match_files, "_ROWS", int(rng.integers(1 + n // 6, n + 2)))
    found = match_files([a, b]).pairs["a", "b"]
    assert found == PairedTally.of(LABELS[y], sets, LABELS[plain], LABELS)


def test_sets_follow_from_probabilities_intervals_and_memberships(tmp_path):
    rng = np.random.default_rng(4)
    y, proba = rng.integers(0, 3, 50), rng.dirichlet(np.ones(3), 50)
    intervals = ProbabilityIntervals(0.8 * proba, 0.8 * proba + 0.2, LABELS)
    plain = written(tmp_path, "plain.csv", y, y_pred=LABELS[proba.argmax(axis=1)])
    p = written(tmp_path, "p.csv", y, proba=proba)
    m = written(tmp_path, "m.csv", y, memberships=10 * proba)
    i = written(tmp_path, "i.csv", y, intervals=intervals)
    found = compare_files([plain, p, m, i])
    assert found.tallies["p"] == found.tallies["plain"] == found.tallies["m"]
    assert found.tallies["i"].decompose().indeterminate > 0


def test_classes_of_all_files_count(tmp_path):
    """One file never mentions the owl, but it is still one of three classes."""
    y = np.array([0, 1, 0, 1])
    a = tmp_path / "a.csv"
    a.write_text("y_true,y_pred\ncat,cat\ndog,dog\ncat,dog\ndog,dog\n")
    b = written(tmp_path, "b.csv", y, sets=np.ones((4, 3), dtype=bool))
    found = match_files([a, b])
    assert found.classes.tolist() == LABELS.tolist()
    assert found.pairs["a", "b"].b.table[3, 1] == 4


def test_numbers_and_the_same_numbers_as_text_are_one_set_of_classes(tmp_path):
    a, b = tmp_path / "a.csv", tmp_path / "b.jsonl"
    a.write_text("y_true,y_pred\n1,1\n2,1\n")
    b.write_text('{"y_true": "1", "y_pred": "1"}\n{"y_true": "2", "y_pred": "2"}\n')
    assert match_files([a, b]).pairs["a", "b"].difference("u50").mean == -0.5


def test_files_and_arrays_compare_alike(rows, tmp_path):
    y, sets, plain = rows
    a = written(tmp_path, "ncc.csv", y, sets=sets)
    b = written(tmp_path, "nbc.csv", y, y_pred=LABELS[plain])
    files = compare_files([a, b], ["u65", "f1"])
    arrays = head_to_head(
        LABELS[y], {"ncc": sets, "nbc": LABELS[plain]}, ["u65", "f1"], classes=LABELS
    )
    assert files.to_dict() == arrays.to_dict()


# -- files that do not belong together ----------------------------------------------------------


def refused(paths, **options):
    with pytest.raises(ValueError) as error:
        match_files(paths, **options)
    return str(error.value)


def test_unequal_numbers_of_rows_are_reported(rows, tmp_path):
    y, sets, plain = rows
    a = written(tmp_path, "a.csv", y, sets=sets)
    b = written(tmp_path, "b.csv", y[:150], y_pred=LABELS[plain[:150]])
    said = refused([a, b])
    assert f"{a} has 200 rows but {b} has 150" in said
    assert "id column" in said


@pytest.mark.parametrize("shuffled", [False, True])
def test_different_true_classes_are_reported_with_their_row(rows, tmp_path, shuffled):
    y, sets, plain = rows
    other = y.copy()
    other[17] = (y[17] + 1) % 3
    order = np.random.default_rng(5).permutation(200) if shuffled else np.arange(200)
    a = written(tmp_path, "a.csv", y, sets=sets, id=range(100, 300))
    b = written(tmp_path, "b.csv", other[order], y_pred=LABELS[plain[order]], id=100 + order)
    said = refused([a, b])
    assert f"y_true is '{LABELS[y[17]]}' in {a} but '{LABELS[other[17]]}' in {b}" in said
    assert "row 18 (id 117)" in said


def test_without_ids_the_row_alone_is_named(tmp_path):
    a, b = tmp_path / "a.csv", tmp_path / "b.csv"
    a.write_text("y_true,y_pred\ncat,cat\ncat,dog\n")
    b.write_text("y_true,y_pred\ncat,cat\ndog,dog\n")
    assert "'cat' in" in refused([a, b])
    assert ", row 2: compare predictions of the same rows" in refused([a, b])


def test_ids_that_cannot_match_are_reported(rows, tmp_path):
    y, sets, plain = rows
    a = written(tmp_path, "a.csv", y, sets=sets, id=range(200))
    b = written(tmp_path, "b.csv", y, y_pred=LABELS[plain], id=[*range(199), 500])
    assert "has the id 199 (row 200) but" in refused([a, b])
    c = written(tmp_path, "c.csv", y, y_pred=LABELS[plain], id=[*range(199), 3])
    assert "duplicate id 3 in rows 4 and 200" in refused([a, c])
    d = tmp_path / "d.jsonl"
    d.write_text(
        '{"y_true": "cat", "y_pred": "cat", "id": 1}\n{"y_true": "cat", "y_pred": "dog"}\n'
    )
    e = tmp_path / "e.jsonl"
    e.write_text('{"y_true": "cat", "y_pred": "cat", "id": 1}\n'
                 '{"y_true": "cat", "y_pred": "dog", "id": 2}\n')  # fmt: skip
    assert "1 of 2 rows has no id; the first is row 2" in refused([d, e])


@pytest.mark.parametrize("shuffled", [False, True])
def test_different_weights_are_reported(rows, tmp_path, shuffled):
    y, sets, plain = rows
    order = np.arange(200)[::-1] if shuffled else np.arange(200)
    weight = np.ones(200)
    a = written(tmp_path, "a.csv", y, sets=sets, weight=weight, id=range(200))
    weight[3] = 2.5
    b = written(
        tmp_path, "b.csv", y[order], y_pred=LABELS[plain[order]], weight=weight[order], id=order
    )
    assert "weight is 1 in" in refused([a, b])
    assert "row 4 (id 3)" in refused([a, b])


def test_files_without_common_classes_are_reported(rows, tmp_path):
    y, sets, plain = rows
    a = written(tmp_path, "a.csv", y, sets=sets)
    b = tmp_path / "b.csv"
    write_predictions(b, y, y_pred=plain)
    assert f"{a} has the classes 'cat', 'dog', 'owl' but {b} has '0', '1'" in refused([a, b])


def test_one_file_or_the_same_file_twice_is_refused(rows, tmp_path):
    y, sets, _ = rows
    a = written(tmp_path, "a.csv", y, sets=sets)
    assert refused([a]) == (
        "a comparison needs at least 2 prediction files, got 1: wager score is for a single file"
    )
    assert "is given more than once" in refused([a, a])
    assert match_files([a, a], names=["one", "two"]).pairs["one", "two"].difference("u65").mean == 0
    assert "1 name was given for 2 files" in refused([a, a], names=["one"])
    assert "duplicate name 'one'" in refused([a, a], names=["one", "one"])


# -- weights, counts and clusters -----------------------------------------------------------------

UNITS = {"weight": "sample_weight", "count": "counts", "cluster": "groups"}
CHOICES = [chosen for k in (1, 2, 3) for chosen in combinations(UNITS, k)]


@pytest.fixture
def units():
    rng = np.random.default_rng(6)
    return {
        "weight": rng.choice([0, 1, 2, 5, 10], 200),
        "count": rng.integers(0, 3, 200),
        "cluster": np.array([f"patient {i}" for i in rng.integers(0, 20, 200)]),
    }


@pytest.mark.parametrize("order", ["in order", "shuffled", "without ids"])
@pytest.mark.parametrize("chosen", CHOICES, ids="+".join)
def test_the_errors_are_those_of_the_arrays(rows, units, tmp_path, monkeypatch, chosen, order):
    from wager.compare import _match_files

    y, sets, plain = rows
    monkeypatch.setattr(_match_files, "_ROWS", 70)  # clusters are divided between chunks
    other = np.random.default_rng(7).permutation(200) if order == "shuffled" else np.arange(200)
    names = {} if order == "without ids" else {"id": np.arange(200)}
    first = names | {name: units[name] for name in chosen}
    second = {name: values[other] for name, values in (names | first).items()}
    del second[chosen[0]]  # one file is enough
    a = written(tmp_path, "a.csv", y, sets=sets, **first)
    b = written(tmp_path, "b.parquet", y[other], y_pred=LABELS[plain[other]], **second)
    matched = match_files([a, b])
    found = matched.pairs["a", "b"]
    given = {UNITS[name]: units[name] for name in chosen}
    expected = PairedTally.of(LABELS[y], sets, LABELS[plain], LABELS, **given)
    assert matched.has_clusters == ("cluster" in chosen)
    np.testing.assert_array_equal(found.outcomes, expected.outcomes)
    np.testing.assert_allclose(found.counts, expected.counts, rtol=1e-12)
    assert found.counts.dtype == expected.counts.dtype
    assert found.effective_n == pytest.approx(expected.effective_n, rel=1e-12)
    one, two = found.difference("u65"), expected.difference("u65")
    assert one.standard_error == pytest.approx(two.standard_error, rel=1e-12)


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("column", ["count", "cluster"])
def test_different_counts_and_clusters_are_reported(rows, units, tmp_path, column, shuffled):
    y, sets, plain = rows
    order = np.arange(200)[::-1] if shuffled else np.arange(200)
    values = units[column]
    a = written(tmp_path, "a.csv", y, sets=sets, id=range(200), **{column: values})
    changed = values.copy()
    changed[3] = {"count": 9, "cluster": "no one"}[column]
    b = written(
        tmp_path, "b.csv", y[order], y_pred=LABELS[plain[order]], id=order,
        **{column: changed[order]},
    )  # fmt: skip
    said = refused([a, b])
    value = {"count": f"{values[3]}", "cluster": f"'{values[3]}'"}[column]
    assert f"{column} is {value} in {a}" in said
    assert "row 4 (id 3)" in said


def test_the_cluster_may_be_another_column_of_one_file(rows, units, tmp_path):
    y, sets, plain = rows
    a = written(tmp_path, "a.csv", y, sets=sets, group=units["cluster"])
    b = written(tmp_path, "b.csv", y, y_pred=LABELS[plain])
    found = match_files([a, b], cluster="group").pairs["a", "b"]
    expected = PairedTally.of(LABELS[y], sets, LABELS[plain], LABELS, groups=units["cluster"])
    assert found.effective_n == pytest.approx(expected.effective_n)
    assert match_files([a, b]).pairs["a", "b"].effective_n == 200
    said = refused([a, b], cluster="ward")
    assert said == f"{a}: there is no column ward among y_true, set, group, nor in the other files"


@pytest.mark.parametrize(
    ("role", "name", "close"),
    [("y_pred", "pred", "y_pred"), ("weight", "w", ""), ("cluster", "patient", "patient_id"),
     ("y_true", "y_tru", "y_true"), ("id", "pati", "")],
)  # fmt: skip
def test_the_beginning_of_a_name_is_not_a_column(role, name, close, tmp_path):
    for file in ("a.csv", "b.csv"):
        (tmp_path / file).write_text("y_true,y_pred,weights,patient_id\nx,x,2,1\nz,x,1,1\n")
    said = refused([tmp_path / "a.csv", tmp_path / "b.csv"], columns={role: name})
    assert f"there is no column {name} among" in said
    assert said.endswith(f"did you mean {close}?" if close else "nor in the other files")


def test_counts_of_0_in_every_row_are_refused(tmp_path):
    a, b = tmp_path / "a.csv", tmp_path / "b.csv"
    a.write_text("y_true,y_pred\ncat,cat\ncat,dog\n")
    b.write_text("y_true,y_pred,count\ncat,cat,0\ncat,dog,0\n")
    assert refused([a, b]) == f"{b}: count is 0 in every row: at least one row must count"


def test_the_progress_of_files_that_are_joined_is_that_of_all_files():
    from wager.compare._match_files import one_after_another

    shares = []
    opened = one_after_another(lambda file, progress: progress(0.5), 2, shares.append)
    opened("a")
    opened("b")
    assert shares == [0.25, 0.75]
    silent = one_after_another(lambda file, progress: progress, 2, None)
    assert silent("a") is None


def test_files_and_arrays_cost_the_same(rows, tmp_path):
    y, sets, plain = rows
    costs = CostMatrix.ordinal(LABELS)
    a = written(tmp_path, "ncc.csv", y, sets=sets)
    b = written(tmp_path, "nbc.csv", y, y_pred=LABELS[plain])
    files = compare_files([a, b], costs=costs, empty_cost=2)
    arrays = head_to_head(
        LABELS[y], {"ncc": sets, "nbc": LABELS[plain]}, costs=costs, empty_cost=2, classes=LABELS
    )
    assert files.to_dict() == arrays.to_dict()
