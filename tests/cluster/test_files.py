"""Files that the workers of a Dask cluster count have the scores of one machine."""

import json

import pytest

from tests.cluster.conftest import CLASSES, assert_close, predictions, units, write
from tests.serial_engine import SerialEngine
from wager._dask import DaskEngine
from wager.compare import match_files
from wager.predictions import scan_predictions
from wager.report import score_file
from wager.rewards import get_utility

pytestmark = pytest.mark.long  # a cluster takes long to start

SETS = ["label", "set", "mask", "in", "interval"]
COSTS = "predicted,a,b,c\na,0,2,5\nb,1,0,1\nc,3,1,0\n"
DECLARED = ("--classes", ",".join(CLASSES))


def scored(wager, engine, *arguments):
    return json.loads(wager("score", *arguments, "-f", "json", engine=engine))


@pytest.mark.parametrize(
    ("form", "also"), [*((form, ()) for form in SETS), ("set", ("count",))], ids=str
)
def test_counts_are_those_of_one_machine_bit_for_bit(wager, tmp_path, form, also):
    path = write(tmp_path / "rows.parquet", predictions(form) | units(*also))
    arguments = (path, *DECLARED, "--by-class")
    assert scored(wager, "dask", *arguments) == scored(wager, "local", *arguments)


@pytest.mark.parametrize("form", ["set", "p"])
@pytest.mark.parametrize("also", [("weight",), ("weight", "count", "cluster")], ids=["w", "wkc"])
def test_weighted_sums_are_those_of_one_machine(wager, tmp_path, form, also):
    path = write(tmp_path / "rows.parquet", predictions(form) | units(*also))
    arguments = (path, *DECLARED, "--level", "0.9")
    assert_close(scored(wager, "dask", *arguments), scored(wager, "local", *arguments), 1e-9)


def bits(scores):
    return [(s.measure, float(s.value).hex(), float(s.standard_error).hex()) for s in scores]


@pytest.mark.parametrize("form", ["set", "p"])
def test_the_same_parts_give_the_same_bits_on_any_number_of_workers(client, tmp_path, form):
    rows = predictions(form) | units("weight", "cluster", "user")
    path = write(tmp_path / "rows.parquet", rows, 60)  # more parts than one step adds up
    found = [
        score_file(
            scan_predictions(path, CLASSES, by="user"), "f", [get_utility("u65")], engine=engine,
        ).scores
        for engine in (DaskEngine(client), SerialEngine())
    ]  # fmt: skip
    assert bits(found[0]) == bits(found[1])


@pytest.mark.parametrize(
    ("form", "also"), [("set", ()), ("set", ("weight", "cluster")), ("p", ("weight",))], ids=str
)
def test_groups_are_those_of_one_machine(wager, tmp_path, form, also):
    path = write(tmp_path / "rows.parquet", predictions(form) | units("user", *also))
    arguments = (path, *DECLARED, "--by", "user", "--level", "0.9")
    mine, theirs = (scored(wager, engine, *arguments) for engine in ("dask", "local"))
    assert {s["group"] for s in mine[0]["scores"]} == {"", *map(str, range(8))}
    if form == "set" and not also:
        assert mine == theirs
    key = lambda score: (score["group"] or "", score["family"], score["measure"])  # noqa: E731
    for file in (*mine, *theirs):
        file["scores"].sort(key=key)
    assert_close(mine, theirs, 1e-9)


def test_the_groups_of_a_table_look_as_on_one_machine(wager, tmp_path):
    path = write(tmp_path / "rows.parquet", predictions("p") | units("user"))
    arguments = ("score", path, "--by", "user", "--sort", "rows", "--top", "3")
    assert wager(*arguments, engine="dask") == wager(*arguments)


@pytest.mark.parametrize("form", ["set", "p"])
def test_costs_are_those_of_one_machine(wager, tmp_path, form):
    path = write(tmp_path / "rows.parquet", predictions(form))
    (tmp_path / "costs.csv").write_text(COSTS)
    costs = ("--costs", tmp_path / "costs.csv", "--empty-cost", "4")
    arguments = (path, *DECLARED, *costs, "--by-class")
    mine, theirs = (scored(wager, engine, *arguments) for engine in ("dask", "local"))
    assert_close(mine, theirs)
    if form in SETS:
        assert mine == theirs


@pytest.mark.parametrize(
    ("one", "other", "more"),
    [
        ("set", "label", ()),
        ("mask", "in", ()),
        ("interval", "p", ()),
        ("set", "label", ("--costs", "--empty-cost")),
    ],
    ids=str,
)
def test_comparisons_of_sets_are_those_of_one_machine(wager, tmp_path, one, other, more):
    paths = [
        write(tmp_path / f"{x}.parquet", predictions(x, i)) for i, x in enumerate([one, other])
    ]
    (tmp_path / "costs.csv").write_text(COSTS)
    options = zip(more, (tmp_path / "costs.csv", 4), strict=False)
    given = [x for option in options for x in option]
    arguments = ("compare", *paths, *DECLARED, "-u", "u65", *given, "-f", "json")
    assert wager(*arguments, engine="dask") == wager(*arguments)


def test_comparisons_of_probabilities_are_those_of_one_machine(wager, tmp_path):
    paths = [write(tmp_path / f"{i}.parquet", predictions("p", i)) for i in (1, 2)]
    arguments = ("compare", *paths, "-f", "json")
    mine, theirs = (json.loads(wager(*arguments, engine=engine)) for engine in ("dask", "local"))
    assert_close(mine, theirs, 1e-10)


def test_comparisons_with_weights_and_clusters(client, tmp_path):
    given = units("weight", "count", "cluster")
    paths = [write(tmp_path / f"{i}.parquet", predictions("set", i) | given) for i in (1, 2)]
    whole = match_files(paths).pairs["1", "2"]
    dask, serial = (
        match_files(paths, engine=engine).pairs["1", "2"]
        for engine in (DaskEngine(client), SerialEngine())
    )
    assert dask == serial
    difference, expected = dask.difference("u65"), whole.difference("u65")
    assert difference.mean == pytest.approx(expected.mean, rel=1e-12)
    assert difference.standard_error == pytest.approx(expected.standard_error, rel=1e-9)


def test_folders_and_patterns_are_counted_file_by_file(wager, tmp_path):
    rows = predictions("set") | units("user")
    parts = {day: {name: column[day * 200 : day * 200 + 200] for name, column in rows.items()}
             for day in range(3)}  # fmt: skip
    for day, part in parts.items():
        write(tmp_path / "preds" / f"day={day}" / "p.parquet", part, 80)
    whole = write(tmp_path / "whole.parquet", rows)
    folder = tmp_path / "preds"
    one = scored(wager, "local", folder, "--by", "day")
    assert scored(wager, "dask", folder, "--by", "day") == one
    assert {s["group"] for s in one[0]["scores"]} == {"", "0", "1", "2"}
    pattern = folder / "*" / "p.parquet"
    assert scored(wager, "dask", pattern) == scored(wager, "local", pattern)
    arguments = ("compare", folder, whole, "-f", "json", "--names", "x,y")
    assert wager(*arguments, engine="dask") == wager(*arguments)


def test_each_of_several_text_files_is_a_part(wager, client, tmp_path):
    for i in range(3):
        (tmp_path / f"p{i}.csv").write_text("y_true,set\n" + "a,a|b\nb,\nc,a\n" * (i + 1))
    pattern = tmp_path / "p*.csv"
    assert scored(wager, "dask", pattern) == scored(wager, "local", pattern)
    serial = SerialEngine()
    score_file(scan_predictions(pattern), "f", [get_utility("u65")], engine=serial)
    assert serial.n_parts == [3]
    (tmp_path / "p1.csv").write_text("y_true,set\na,a\nb,a;b\n")
    with pytest.raises(ValueError, match=r"p1\.csv: .*row 2"):
        score_file(scan_predictions(pattern, CLASSES), "f", [], engine=DaskEngine(client))
