"""``wager compare --costs``: the comparison of the library, from files of any order."""

import json

import numpy as np
import pytest

from wager.compare import head_to_head
from wager.costs import read_costs
from wager.predictions import PredictionSets, write_predictions

CLASSES = ["flu", "ill", "well"]
COSTS = "predicted,well,ill,flu\nwell,0,50,9\nill,8,0,3\nflu,2,30,0\n"


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 400)
    sets = rng.random((400, 3)) < 0.3
    sets[np.arange(400), y] |= rng.random(400) < 0.9
    sets[~sets.any(axis=1)] = True
    plain = np.where(rng.random(400) < 0.6, y, rng.integers(0, 3, 400))
    labels = np.array(CLASSES)
    return labels[y], PredictionSets.from_indicator(sets, CLASSES), labels[plain]


@pytest.fixture
def here(rows, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y, sets, plain = rows
    ids = np.arange(len(y))
    write_predictions("sets.csv", y, sets=sets, classes=CLASSES, id=ids)
    back = ids[::-1]
    for name, order in (("plain.csv", back), ("same.csv", ids)):
        lines = [f"{y[i]},{plain[i]},{i}" for i in order]
        (tmp_path / name).write_text("\n".join(["y_true,y_pred,id", *lines]))
    (tmp_path / "costs.csv").write_text(COSTS)
    return tmp_path


@pytest.mark.parametrize("other", ["plain.csv", "same.csv"])
def test_numbers_are_those_of_the_library(wager, here, rows, other):
    y, sets, plain = rows
    name = other.removesuffix(".csv")
    result = wager("compare", "sets.csv", other, "--costs", "costs.csv", "-f", "json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    expected = head_to_head(y, {"sets": sets, name: plain}, costs=read_costs("costs.csv"))
    wanted = json.loads(json.dumps(expected.to_dict()))
    entry, own = (d["pairs"][0]["differences"]["average_cost"] for d in (found, wanted))
    assert entry["mean"] == pytest.approx(own["mean"])
    assert entry["interval"] == pytest.approx(own["interval"])
    assert found["recommended"] == wanted["recommended"]
    assert found["scores"]["sets"].keys() == {"average_cost"}


def test_clusters_and_utilities_beside_the_costs(wager, here, rows):
    y, sets, plain = rows
    groups = np.arange(len(y)) // 4
    for name in ("sets", "same"):
        text = (here / f"{name}.csv").read_text().splitlines()
        body = [f"{line},c{g}" for line, g in zip(text[1:], groups, strict=True)]
        (here / f"{name}2.csv").write_text("\n".join([f"{text[0]},cluster", *body]))
    result = wager(
        "compare", "sets2.csv", "same2.csv", "--costs", "costs.csv", "-u", "u65", "-f", "json"
    )
    expected = head_to_head(
        y, {"sets2": sets, "same2": plain}, "u65", costs=read_costs("costs.csv"), groups=groups
    )
    (pair,) = json.loads(result.stdout)["pairs"]
    for name, test in {
        "u65": expected.difference("sets2", "same2", "u65"),
        "average_cost": expected.cost_difference("sets2", "same2"),
    }.items():
        assert pair["differences"][name]["interval"] == pytest.approx(list(test.interval))


def test_the_text_says_who_saves_how_much(wager, here):
    result = wager("compare", "sets.csv", "same.csv", "--costs", "costs.csv", "--unit", "EUR")
    assert "average cost (EUR)" in result.stdout
    assert " EUR per case" in result.stdout
    assert "u65" not in result.stdout
    more = wager(
        "compare", "sets.csv", "same.csv", "--costs", "costs.csv", "--plan", "--margin", "1"
    )
    assert "by average cost with" in " ".join(more.stdout.split())
    assert "are within 1 of each other by average cost" in " ".join(more.stdout.split())


def test_classes_without_costs_are_named(wager, here):
    (here / "two.csv").write_text("predicted,well,ill\nwell,0,50\nill,8,0\n")
    result = wager("compare", "sets.csv", "same.csv", "--costs", "two.csv")
    assert result.exit_code == 2
    assert result.stderr == (
        "wager: two.csv has no costs for 'flu', a class of the files (it has 'well', 'ill'): "
        "correct the spelling, or add a row and a column\n"
    )
