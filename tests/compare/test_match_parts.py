"""Files that are compared part by part, on a cluster, give what the whole files give."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.fewer import fewer
from tests.report.test_row_tallies import LABELS, SETS, write
from tests.serial_engine import SerialEngine
from wager.compare import compare_probability_files, match_files
from wager.predictions.files import _parts


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch):
    monkeypatch.setattr(_parts, "_ROWS", 1)  # every row group is a part


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pairs")


@st.composite
def two_files(draw):
    n = draw(st.integers(4, 25))
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    shared = {"y_true": [*LABELS, *rng.choice(LABELS, n - 3)]}
    for name, values in (
        ("weight", rng.random(n)),
        ("count", rng.integers(1, 4, n)),
        ("cluster", rng.choice(["x", "y", "z"], n)),
        ("id", [f"r{i}" for i in range(n)]),
    ):
        if draw(st.booleans()):
            shared[name] = values
    sets = [[SETS[-1], *rng.choice(SETS, n - 1)] for _ in range(2)]
    truth = shared["y_true"]
    if draw(st.booleans()):  # a gap in one file leaves the row out of both
        gaps = rng.random(n) < 0.3
        gaps[:3] = False
        truth = [None if gap else y for gap, y in zip(gaps, truth, strict=True)]
    return {**shared, "set": sets[0]}, {**shared, "y_true": truth, "set": sets[1]}


groups = st.lists(st.integers(1, 7), max_size=5)


@fewer(3)
@given(two_files(), groups, groups, st.booleans())
def test_parts_have_the_joint_counts_of_the_whole(folder, files, first, second, by_set):
    paths = [
        write(folder / f"{name}.parquet", columns, sizes)
        for name, columns, sizes in zip("ab", files, (first, second), strict=True)
    ]
    whole = match_files(paths, by_set=by_set, na="drop")
    parts = match_files(paths, by_set=by_set, na="drop", engine=SerialEngine())
    assert (parts.n_rows, parts.warnings, parts.by_id) == (
        whole.n_rows, whole.warnings, whole.by_id,
    )  # fmt: skip
    assert parts.joint.keys() == whole.joint.keys()
    mine, theirs = parts.pairs["a", "b"], whole.pairs["a", "b"]
    np.testing.assert_array_equal(mine.outcomes, theirs.outcomes)
    if "weight" not in files[0]:
        np.testing.assert_array_equal(mine.counts, theirs.counts)
    np.testing.assert_allclose(mine.counts, theirs.counts, rtol=1e-12)
    for utility in ("u50", "u80"):
        one, other = mine.difference(utility), theirs.difference(utility)
        np.testing.assert_allclose(
            [one.mean, one.standard_error], [other.mean, other.standard_error], rtol=1e-12,
            atol=1e-14,
        )  # fmt: skip


def proba_rows(seed, **more):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.ones(3), 12)
    columns = {f"p:{label}": proba[:, i] for i, label in enumerate(LABELS)}
    return {"y_true": LABELS * 4, **columns, **more}


def test_probabilities_are_compared_part_by_part(tmp_path):
    paths = [write(tmp_path / f"{x}.parquet", proba_rows(x), [5, 4]) for x in (1, 2)]
    whole = compare_probability_files(paths, clip=1e-6)
    parts = compare_probability_files(paths, clip=1e-6, engine=SerialEngine())
    numbers = [np.array(_numbers(found.to_dict())) for found in (parts, whole)]
    np.testing.assert_allclose(*numbers, rtol=1e-10)


def _numbers(data):
    if isinstance(data, dict):
        return [x for key in data for x in _numbers(data[key])]
    if isinstance(data, list | tuple):
        return [x for value in data for x in _numbers(value)]
    return [float(data)] if isinstance(data, int | float) else []


def test_what_only_one_machine_can_match_says_so(tmp_path):
    rows = {"y_true": ["a", "b"] * 2, "set": ["a", "b", "a|b", "b"], "id": [1, 2, 3, 4]}
    moved = {name: values[::-1] for name, values in rows.items()}
    one = write(tmp_path / "one.parquet", rows, [2])
    other = write(tmp_path / "other.parquet", moved, [2])
    with pytest.raises(ValueError, match="only one machine can match: sort both by id, or leave"):
        match_files([one, other], engine=SerialEngine())
    paths = [
        write(tmp_path / f"{x}.parquet", proba_rows(x, cluster=["u"] * 12), [5]) for x in (1, 2)
    ]
    with pytest.raises(ValueError, match="are compared on one machine only: leave out --engine"):
        compare_probability_files(paths, engine=SerialEngine())


def test_files_that_cannot_be_divided_alike_are_one_part(tmp_path):
    rows = {"y_true": ["a", "b", "c"], "set": ["a", "b", "a|b"]}
    one = write(tmp_path / "one.parquet", rows, [1, 1])
    other = tmp_path / "other.csv"
    other.write_text("y_true,y_pred\na,a\nb,a\nc,b\n")
    engine = SerialEngine()
    whole = match_files([one, other])
    assert match_files([one, other], engine=engine).pairs == whole.pairs
    assert engine.n_parts == [3, 1, 1]  # the labels of both files, and the files together
    shorter = write(tmp_path / "shorter.parquet", {x: y[:2] for x, y in rows.items()}, [1])
    with pytest.raises(ValueError, match=r"has 3 rows but .* has 2"):
        match_files([one, shorter], classes=LABELS, engine=SerialEngine())


def test_rows_that_disagree_are_named_by_their_number_in_the_file(tmp_path):
    rows = {"y_true": ["a", "b", "c", "a"], "set": ["a", "b", "a|b", "c"]}
    one = write(tmp_path / "one.parquet", rows, [1, 1, 1])
    other = write(tmp_path / "other.parquet", rows | {"y_true": ["a", "b", "c", "b"]}, [2])
    with pytest.raises(ValueError, match=r"y_true is 'a' in .*, row 4: compare predictions"):
        match_files([one, other], engine=SerialEngine())
