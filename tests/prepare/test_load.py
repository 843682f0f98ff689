"""Data sets by name, path or number, with everything their sources declare."""

from urllib.error import URLError

import duckdb
import numpy as np
import pandas as pd
import pytest

from tests.shared import dataset_path
from wager.prepare import Dataset, load_dataset

ARFF = (
    "@relation r\n@attribute x numeric\n@attribute g {u,v,w}\n@attribute class {q,p,never}\n@data\n"
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "small.arff").write_text(ARFF + "1,u,p\n2,?,q\n?,w,?\n", encoding="utf-8")
    (tmp_path / "table.csv").write_text("x,g,out\n1.5,u,yes\n,v,no\n3,?,yes\n", encoding="utf-8")
    return tmp_path


def test_declared_levels_and_classes_survive_though_they_never_occur(folder):
    data = load_dataset(folder / "small.arff")
    assert data.frame["g"].cat.categories.tolist() == ["u", "v", "w"]
    assert data.classes.tolist() == ["q", "p", "never"]
    assert data.target.cat.categories.tolist() == ["q", "p", "never"]
    assert data.y.tolist() == ["p", "q"]
    assert (data.nominal.tolist(), data.n_values.tolist()) == ([False, True], [0, 3])


def test_rows_without_a_class_are_dropped_unless_they_are_wanted(folder):
    assert len(load_dataset(folder / "small.arff")) == 2
    whole = load_dataset(folder / "small.arff", missing_class="keep")
    assert whole.target_codes.tolist() == [1, 0, -1]
    with pytest.raises(ValueError, match="no class in row 3"):
        _ = whole.y


def test_the_matrix_holds_codes_and_gaps(folder):
    data = load_dataset(folder / "small.arff")
    np.testing.assert_array_equal(data.matrix, [[1, 0], [2, np.nan]])


def test_a_name_is_found_in_the_data_folder(folder, monkeypatch):
    by_argument = load_dataset("small", data=folder)
    monkeypatch.setenv("WAGER_DATA", str(folder))
    assert load_dataset("small").name == by_argument.name == "small"


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
@pytest.mark.parametrize(("name", "other"), [("d[1]", "d1"), ("a?", "ab"), ("x*", "xy")])
def test_a_file_whose_name_looks_like_a_pattern_is_read_itself(tmp_path, name, other, ending):
    for file, classes in ((name, ["p", "q"]), (other, ["u", "v"])):
        table = pd.DataFrame({"x": [1.0, 2.0], "y": classes})
        path = tmp_path / f"{file}.{ending}"
        table.to_parquet(path) if ending == "parquet" else table.to_csv(path, index=False)
    assert load_dataset(tmp_path / f"{name}.{ending}", target="y").classes.tolist() == ["p", "q"]
    (tmp_path / f"{name}.{ending}").unlink()
    with pytest.raises(ValueError, match="no data set"):
        load_dataset(tmp_path / f"{name}.{ending}", target="y")


def test_another_target_may_be_named(folder):
    data = load_dataset(folder / "small.arff", target="g")
    assert (data.columns, data.classes.tolist()) == (("x", "class"), ["u", "v", "w"])


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_plain_tables_need_a_named_target(folder, ending):
    if ending == "parquet":
        with duckdb.connect() as connection:
            connection.sql(
                "copy (from (values (1.5, 'u', 'yes'), (null, 'v', 'no'), (3, null, 'yes')) "
                f"t(x, g, out)) to '{folder}/table.parquet'"
            )
    data = load_dataset(folder / f"table.{ending}", target="out")
    np.testing.assert_array_equal(data.values[0], [1.5, np.nan, 3])
    assert (data.levels[1], data.values[1].tolist()) == (("u", "v"), [0, 1, -1])
    assert data.classes.tolist() == ["no", "yes"]
    with pytest.raises(ValueError, match=r"name it with target= \(--target on the command line\)"):
        load_dataset(folder / f"table.{ending}")
    with pytest.raises(ValueError, match="no target column 'outcome'"):
        load_dataset(folder / f"table.{ending}", target="outcome")


@pytest.mark.parametrize(
    ("name", "rows"), [("iris", 150), ("breast_cancer", 569), ("digits", 1797)]
)
def test_bundled_sets_need_no_file(name, rows, monkeypatch):
    monkeypatch.delenv("WAGER_DATA", raising=False)
    data = load_dataset(name)
    assert len(data) == len(data.frame) == rows
    assert not data.nominal.any()


def test_openml_is_asked_by_name_or_number(monkeypatch):
    asked = []

    def fetch(**arguments):
        asked.append(arguments)
        frame = pd.DataFrame({"x": [1.0, 2.0], "g": pd.Categorical(["a", None], ["b", "a"])})
        frame["t"] = pd.Categorical(["n", "y"], ["y", "n"])

        class Bunch:
            target = frame["t"]

        Bunch.frame = frame
        return Bunch

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    for which in (61, "openml:61", "openml:toy"):
        data = load_dataset(which)
        assert data.levels == (None, ("b", "a"))
        assert data.classes.tolist() == ["y", "n"]
    assert [a.get("data_id") for a in asked] == [61, 61, None]
    assert asked[2]["name"] == "toy"


def test_without_a_network_openml_says_what_to_do(monkeypatch):
    def fetch(**arguments):
        raise URLError("no route to host")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    with pytest.raises(ValueError, match=r"cannot fetch 'iris' from OpenML .*check the network"):
        load_dataset("openml:iris")


def test_an_unknown_name_lists_the_places_searched(monkeypatch):
    monkeypatch.delenv("WAGER_DATA", raising=False)
    with pytest.raises(
        ValueError, match=r"no data set 'nonsense'.*breast_cancer.*'openml:nonsense'"
    ):
        load_dataset("nonsense")


def test_a_numeric_target_and_an_unknown_extension_are_refused(folder):
    with pytest.raises(ValueError, match="target x is numeric"):
        load_dataset(folder / "small.arff", target="x")
    with pytest.raises(ValueError, match="no target attribute 'zz'"):
        load_dataset(folder / "small.arff", target="zz")
    (folder / "small.xls").write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match=r"cannot read small\.xls"):
        load_dataset(folder / "small.xls")
    with pytest.raises(ValueError, match="missing_class must be"):
        load_dataset(folder / "small.arff", missing_class="maybe")


def test_rows_are_taken_with_what_was_declared():
    data = Dataset.from_columns(
        "toy", {"x": [1, 2, 3], "g": ["a", None, "b"], "c": ["n", "y", "n"]}, target="c"
    )
    part = data.rows(np.array([1]))
    assert (part.levels, part.classes.tolist()) == ((None, ("a", "b")), ["n", "y"])
    assert part.values[1].tolist() == [-1]


def test_a_large_public_set_is_read_whole():
    data = load_dataset(dataset_path("connect-4"))
    assert (len(data), len(data.columns), len(data.classes)) == (67557, 42, 3)
