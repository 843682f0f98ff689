import re

import numpy as np
import pytest

from wager.experiments import Plan
from wager.experiments.plan._sources import DataSource, find_generator

ARFF = """@relation {name}
@attribute x {{a,b,c}}
@attribute z numeric
@attribute class {{p,q,r}}
@data
{rows}
"""
ROWS = "\n".join(f"{'abc'[i % 3]},{i % 7},{'pq'[(i // 2) % 2]}" for i in range(40))


def arff(folder, name, rows=ROWS):
    folder.mkdir(exist_ok=True, parents=True)
    file = folder / f"{name}.arff"
    file.write_text(ARFF.format(name=name, rows=rows))
    return file


def units(folder, *datasets, **more):
    return Plan(datasets=datasets, learners={"all": "vacuous"}, folder=folder, **more).units()


def names(folder, *datasets, **more):
    return list(dict.fromkeys(unit.source.name for unit in units(folder, *datasets, **more)))


def test_a_folder_a_pattern_a_file_and_a_name_are_found_beside_the_plan(tmp_path):
    arff(tmp_path / "data", "one")
    arff(tmp_path / "data", "two")
    (tmp_path / "data" / "notes.txt").write_text("no data set")
    assert names(tmp_path, "data") == ["one", "two"]
    assert names(tmp_path, "data/t*.arff") == ["two"]
    assert names(tmp_path, "data/one.arff") == ["one"]
    assert names(tmp_path, "data/one") == ["one"]
    assert names(tmp_path, "one", "iris", data="data") == ["one", "iris"]
    assert names(tmp_path, "openml:61", 40) == ["61", "40"]


def test_the_environment_names_the_data_folder(tmp_path, monkeypatch):
    arff(tmp_path / "elsewhere", "one")
    monkeypatch.setenv("WAGER_DATA", str(tmp_path / "elsewhere"))
    assert names(tmp_path, "one") == ["one"]


def test_the_data_folder_comes_before_the_plans_own_and_the_environments_after(
    tmp_path, monkeypatch
):
    mine, named, elsewhere = (arff(tmp_path / part, "one") for part in ("", "data", "elsewhere"))

    def found(**more):
        return units(tmp_path, "one", **more)[0].source.path

    monkeypatch.setenv("WAGER_DATA", str(elsewhere.parent))
    assert found(data="data") == str(named)
    assert found() == str(mine)
    mine.unlink()
    assert found() == str(elsewhere)
    arff(tmp_path, "two")
    assert names(tmp_path, "two", data="data") == ["two"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("random-ten", "did you mean 'random-tan'?"),
        ("coins", "choose one of random-"),
    ],
)
def test_a_generator_that_there_is_not_is_told_with_those_that_are(name, hint):
    with pytest.raises(ValueError, match=re.escape(f"there is no generator {name!r}: {hint}")):
        find_generator(name, {})


def test_a_unit_is_known_by_what_the_file_holds_not_by_its_name(tmp_path):
    first, second = arff(tmp_path, "first"), arff(tmp_path, "second")
    second.write_bytes(first.read_bytes())
    (a, *_), (b, *_) = units(tmp_path, "first"), units(tmp_path, {"source": "second", "name": "x"})
    assert (a.key, b.source.name) == (b.key, "x")
    second.write_text(first.read_text() + "a,3,p\n")
    (changed, *_) = units(tmp_path, "second")
    assert changed.key != a.key


def test_dropped_columns_are_gone_and_declared_classes_stay(tmp_path):
    arff(tmp_path, "one")
    (unit, *_) = units(tmp_path, {"source": "one", "drop": ["z"]})
    data = unit.source.load()
    assert data.columns == ("x",)
    assert data.classes.tolist() == ["p", "q", "r"]


def test_another_target_can_be_named(tmp_path):
    arff(tmp_path, "one")
    (unit, *_) = units(tmp_path, {"source": "one", "target": "x"})
    assert unit.source.load().classes.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("dataset", "sentence"),
    [
        ("nothing", "there is no data set 'nothing'"),
        ({}, "must have either a source or a generator"),
        ({"source": "iris", "generator": "random-tan"}, "must have either a source or"),
    ],
)
def test_what_cannot_be_found_is_said(tmp_path, dataset, sentence):
    with pytest.raises(ValueError, match=sentence):
        units(tmp_path, dataset)


def test_two_data_sets_of_one_name_are_refused(tmp_path):
    arff(tmp_path / "a", "one")
    arff(tmp_path / "b", "one")
    with pytest.raises(ValueError, match="two data sets are called 'one'"):
        units(tmp_path, "a/one", "b/one")


def test_a_column_that_is_not_there_cannot_be_dropped(tmp_path):
    arff(tmp_path, "one")
    (unit, *_) = units(tmp_path, {"source": "one", "drop": ["w"]})
    with pytest.raises(ValueError, match="one has no column 'w' to drop: it has x, z"):
        unit.source.load()


def test_rows_are_taken_in_the_order_that_the_plan_names(tmp_path):
    arff(tmp_path, "one")
    (whole, *_), (turned, *_) = (
        units(tmp_path, {"source": "one", **more}) for more in ({}, {"rows": [2, 0, 1]})
    )
    rows = whole.source.load().y.tolist()
    assert turned.source.load().y.tolist() == [rows[2], rows[0], rows[1]]
    assert turned.key != whole.key  # folds depend on the order


def test_a_row_that_is_not_there_cannot_be_taken(tmp_path):
    arff(tmp_path, "one")
    n = len(units(tmp_path, "one")[0].source.load())
    (unit, *_) = units(tmp_path, {"source": "one", "rows": [0, n]})
    with pytest.raises(ValueError, match=f"one has {n} rows, numbered from 0, so rows cannot"):
        unit.source.load()


def test_models_are_numbered_and_differ_but_each_is_always_the_same(tmp_path):
    scheme = {"kind": "generate", "sizes": [10]}
    spec = {"generator": "random-tan", "models": 3, "name": "tan"}
    made = units(tmp_path, spec, scheme=scheme)
    assert [unit.source.name for unit in made] == ["tan-0", "tan-1", "tan-2"]
    X = [unit.source.model(seed=1).sample(20, random_state=0)[1] for unit in made]
    again = made[0].source.model(seed=1).sample(20, random_state=0)[1]
    np.testing.assert_array_equal(X[0], again)
    assert len({tuple(x) for x in X}) == 3


@pytest.mark.parametrize(
    ("what", "path", "place"),
    [
        ({"file": "ab12"}, "/data/zoo.csv", "zoo.csv"),
        ({"public": "iris"}, "iris", "iris"),
        ({"generator": "random_tan"}, "", "mine"),
    ],
)
def test_messages_name_the_file_the_data_set_or_the_model(what, path, place):
    assert DataSource("mine", what, path).place == place
