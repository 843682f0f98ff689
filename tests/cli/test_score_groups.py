"""``wager score --by``: few of many groups in tables, all of them in CSV and JSON."""

import csv
import io
import json
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from wager.costs import CostMatrix, evaluate_costs
from wager.predictions import scan_predictions, write_predictions
from wager.report import _groups, score_groups
from wager.rewards import evaluate_by, evaluate_probabilities, evaluate_sets, get_utility

LABELS = np.array(["a", "b", "c"])
N_GROUPS = 24


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    n = 240
    proba = rng.dirichlet(np.ones(3), n)
    return pd.DataFrame(
        {
            "y_true": LABELS[rng.integers(0, 3, n)],
            "user": rng.integers(0, N_GROUPS, n),
            "weight": rng.choice([0.0, 0.5, 2.0], n),
            "count": rng.integers(1, 4, n),
            "cluster": rng.integers(0, 12, n),
            **{f"p:{label}": proba[:, i] for i, label in enumerate(LABELS)},
        }
    )


def sets_of(data):
    return data[[f"p:{label}" for label in LABELS]].to_numpy() > 0.25


def sets_file(data, folder, units=()):
    frame = data[["y_true", "user", *units]].copy()
    for i, label in enumerate(LABELS):
        frame[f"in:{label}"] = sets_of(data)[:, i].astype(int)
    frame.to_parquet(folder / "sets.parquet")
    return "sets.parquet"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def records(result):
    assert result.exit_code == 0, result.stderr
    return list(csv.DictReader(io.StringIO(result.stdout)))


@pytest.mark.parametrize(
    "units", [(), ("weight",), ("count",), ("cluster",), ("weight", "count", "cluster")]
)
def test_csv_has_one_row_per_group_with_values_errors_and_intervals(wager, data, here, units):
    name = sets_file(data, here, units)
    rows = records(wager("score", name, "--by", "user", "--level", "0.9", "-f", "csv", "-u", "u65"))
    given = {"weight": "sample_weight", "count": "counts", "cluster": "groups"}
    arguments = {given[unit]: data[unit].to_numpy() for unit in units}
    expected = evaluate_by(
        data["user"].to_numpy(), data["y_true"], sets_of(data), "u65", classes=LABELS, **arguments
    ).to_frame(0.9)
    assert [int(row["user"]) for row in rows] == expected.index.tolist()
    assert list(rows[0]) == ["file", "user", *expected.columns]
    found = pd.DataFrame(rows).drop(columns=["file", "user"]).astype(float)
    np.testing.assert_allclose(found.to_numpy(), expected.to_numpy(), rtol=1e-9, atol=1e-7)


@pytest.mark.parametrize("sort", ["u65", "-u65", "coverage"])
def test_groups_that_differ_by_rounding_stay_in_the_order_of_their_names(wager, here, sort):
    rng = np.random.default_rng(0)
    weight, hit = rng.integers(1, 9, 40) * 0.1, rng.random(40) < 0.6
    wide = rng.random(40) < 0.5
    rows = ["y_true,y_set,user,weight"]
    for user in range(9):
        order = rng.permutation(40)
        for w, right, both in zip(weight[order], hit[order], wide[order], strict=True):
            y_set = ("a|b" if both else "a") if right else ("b|c" if both else "b")
            rows.append(f"a,{y_set},{user},{w * (1 + user / 7)}")
    (here / "equal.csv").write_text("\n".join(rows))
    options = ["--by", "user", "--set", "y_set", "--sort", sort, "-f", "csv"]
    found = wager("score", "equal.csv", *options)
    assert [row["user"] for row in records(found)] == [str(user) for user in range(9)]


def test_sort_puts_the_worst_first_and_top_cuts(wager, data, here):
    name = sets_file(data, here)

    def sorted_by(measure, *options):
        rows = records(
            wager("score", name, "--by", "user", "--sort", measure, "-f", "csv", *options)
        )
        return [float(row[measure.strip("-")]) for row in rows]

    assert all(a <= b for a, b in pairwise(sorted_by("u65")))
    assert all(a >= b for a, b in pairwise(sorted_by("-u65")))
    assert all(a >= b for a, b in pairwise(sorted_by("mean_set_size")))  # smaller is better
    assert all(a >= b for a, b in pairwise(sorted_by("rows")))
    assert sorted_by("u65", "--top", "4") == sorted_by("u65")[:4]
    undefined = sorted_by("set_accuracy")
    assert undefined == sorted(undefined)


def test_a_table_shows_the_largest_of_many_groups_and_says_so(wager, data, here):
    name = sets_file(data, here)
    text = wager("score", name, "--by", "user").stdout
    table = text.split("\n\n")[2].splitlines()
    largest = data["user"].value_counts().sort_index().sort_values(ascending=False, kind="stable")
    assert [int(line.split()[0]) for line in table[3:]] == largest.index[:20].tolist()
    assert f"sets: 20 of {N_GROUPS} groups are shown, the largest; --sort MEASURE puts the" in text
    assert f"3 of {N_GROUPS} groups are shown, the first by coverage;" in (
        wager("score", name, "--by", "user", "--top", "3", "--sort", "coverage").stdout
    )
    few = wager("score", name, "--by", "y_true").stdout
    assert [line.split()[0] for line in few.split("\n\n")[2].splitlines()[3:]] == ["a", "b", "c"]
    assert "groups are shown" not in few


def test_json_has_the_scores_of_all_rows_and_of_each_group(wager, data, here):
    name = sets_file(data, here)
    (file,) = json.loads(
        wager("score", name, "--by", "user", "--level", "0.9", "-f", "json").stdout
    )
    chosen = data["user"] == 7
    one = evaluate_sets(data["y_true"][chosen], sets_of(data)[chosen], classes=LABELS)
    scores = {s["measure"]: s for s in file["scores"] if s["group"] == "7"}
    assert scores["rows"]["value"] == chosen.sum()
    u65 = one.estimates["u65"]
    assert scores["u65"]["value"] == pytest.approx(u65.value)
    assert scores["u65"]["standard_error"] == pytest.approx(u65.standard_error)
    assert scores["u65"]["interval"] == pytest.approx(u65.interval(0.9), abs=1e-7)
    assert {s["group"] for s in file["scores"]} == {"", *map(str, range(N_GROUPS))}
    short = json.loads(
        wager("score", name, "--by", "user", "--top", "2", "--sort", "u65", "-f", "json").stdout
    )
    assert len({s["group"] for s in short[0]["scores"]}) == 3


NAMES = ["x,y", 'say "hi"', "<b>*z*|_q_</b>", "5%_&", ""]


@pytest.mark.parametrize("form", ["csv", "markdown", "latex", "json", "text"])
def test_names_of_groups_are_data(wager, here, form):
    frame = pd.DataFrame({"y_true": "a", "set": ["a"] * 5, "site": NAMES})
    frame.to_csv("odd.csv", index=False)
    out = wager("score", "odd.csv", "--by", "site", "-f", form, "--classes", "a,b").stdout
    if form == "csv":
        found = [row["site"] for row in csv.DictReader(io.StringIO(out))]
        assert found == [*sorted(NAMES[:-1]), ""]
    elif form == "json":
        names = {s["group"] for s in json.loads(out)[0]["scores"]}
        assert names == {"", None, *NAMES[:-1]}
    elif form == "markdown":
        assert "&lt;b>\\*z\\*\\|\\_q\\_&lt;/b>" in out
    elif form == "latex":
        assert r"5\%\_\&" in out
    else:
        assert "(no group)" in out


def test_whole_numbers_are_sorted_as_numbers(wager, here):
    pd.DataFrame({"y_true": "a", "y_pred": "a", "k": [10, 9, 2]}).to_parquet("k.parquet")
    rows = records(wager("score", "k.parquet", "--by", "k", "-f", "csv"))
    assert [row["k"] for row in rows] == ["2", "9", "10"]


def test_a_file_that_is_written_is_what_is_printed(wager, data, here):
    name = sets_file(data, here)
    options = ("score", name, "--by", "user", "-f", "csv")
    assert wager(*options, "-o", "out.csv").exit_code == 0
    assert (here / "out.csv").read_text() == wager(*options).stdout


@pytest.mark.long
@pytest.mark.parametrize("units", [(), ("weight", "count"), ("cluster",)])
def test_many_groups_of_probabilities_have_the_means_of_each_by_itself(
    data, here, units, monkeypatch
):
    """The rows of many groups are read sorted; those of few, group by group."""
    frame = data[["y_true", "user", *units, *(f"p:{label}" for label in LABELS)]]
    frame.to_parquet("p.parquet")
    costs = CostMatrix([[0, 1, 2], [3, 0, 1], [1, 1, 0]], LABELS)
    found = {}
    for limit in (0, 1000):
        monkeypatch.setattr(_groups, "ONE_BY_ONE", limit)
        file = scan_predictions("p.parquet", by="user")
        found[limit] = score_groups(file, "p", [get_utility("u65")], costs=costs)
    fast, slow = found[0], found[1000]
    order = np.argsort(np.array(slow.names).astype(int))
    assert list(map(str, fast.names)) == [slow.names[i] for i in order]
    places = np.arange(len(fast))
    ends = fast.intervals(places, 0.95), slow.intervals(order, 0.95)
    for name, errors in fast.errors.items():
        np.testing.assert_allclose(fast.values[name], slow.values[name][order], atol=1e-12)
        np.testing.assert_allclose(errors, slow.errors[name][order], rtol=1e-7, atol=1e-12)
        np.testing.assert_allclose(ends[0][name], ends[1][name], rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("limit", [0, 1000])
def test_the_sizes_of_groups_come_first_however_the_groups_are_read(data, here, limit, monkeypatch):
    data.drop(columns=["count", "cluster"]).to_parquet("p.parquet")
    monkeypatch.setattr(_groups, "ONE_BY_ONE", limit)
    found = score_groups(scan_predictions("p.parquet", by="user"), "p", [get_utility("u65")])
    assert list(found.values)[:3] == ["rows", "total_weight", "information_reward"]


def test_costs_of_groups_are_those_of_each_by_itself(wager, data, here):
    name = sets_file(data, here, ("weight",))
    (here / "costs.csv").write_text("predicted,a,b,c\na,0,1,2\nb,3,0,1\nc,1,1,0\n")
    rows = records(
        wager(
            "score", name, "--by", "user", "--costs", "costs.csv", "--empty-cost", "4", "-f", "csv"
        )
    )
    costs = CostMatrix([[0, 1, 2], [3, 0, 1], [1, 1, 0]], LABELS).extend()
    expected = evaluate_costs(
        data["y_true"], sets_of(data), costs, by=data["user"], sample_weight=data["weight"],
        classes=LABELS, empty_cost=4,
    ).by_group  # fmt: skip
    for row in rows:
        one = expected[int(row["user"])]
        assert float(row["average_cost"]) == pytest.approx(one.value, rel=1e-12)
        assert float(row["average_cost_standard_error"]) == pytest.approx(
            one.standard_error, rel=1e-9, nan_ok=True
        )


def test_memberships_are_scored_group_by_group(wager, data, here):
    frame = data.rename(columns={f"p:{label}": f"m:{label}" for label in LABELS})
    frame[["y_true", "user", *(f"m:{label}" for label in LABELS)]].to_parquet("m.parquet")
    rows = records(wager("score", "m.parquet", "--by", "user", "-f", "csv"))
    assert len(rows) == N_GROUPS
    assert {"separation", "separation_standard_error", "u65"} <= set(rows[0])


def test_rows_left_out_are_left_out_of_groups(wager, here):
    (here / "gaps.csv").write_text("y_true,set,site\na,a,x\n,a,x\nb,a,y\n")
    rows = records(wager("score", "gaps.csv", "--by", "site", "--na", "drop", "-f", "csv"))
    assert [(row["site"], row["rows"]) for row in rows] == [("x", "1"), ("y", "1")]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--top", "3"), "--top is for groups of rows: choose their column with --by"),
        (("--sort", "u65"), "--sort is for groups of rows: choose their column with --by"),
        (
            ("--by", "user", "--sort", "nonsense"),
            "there is no measure 'nonsense' to sort by: choose",
        ),
        (("--by", "nobody"), "there is no column nobody among"),
    ],
)
def test_wrong_options_are_one_sentence(wager, data, here, options, sentence):
    result = wager("score", sets_file(data, here), *options)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1


def test_classes_of_very_many_groups_are_refused(wager, here):
    n = 1001
    write_predictions("many.csv", ["a"] * n, y_pred=["a"] * n, group=[f"g{i}" for i in range(n)])
    result = wager("score", "many.csv", "--by", "group", "--by-class")
    assert result.exit_code == 2
    assert "many.csv: 1,001 groups are too many to score the classes of each" in result.stderr


def test_a_sample_of_probabilities_equals_the_library(data, here):
    frame = data[["y_true", "user", *(f"p:{label}" for label in LABELS)]]
    frame.to_parquet("p.parquet")
    found = score_groups(scan_predictions("p.parquet", by="user"), "p", [get_utility("u65")])
    chosen = data["user"] == int(found.names[0])
    proba = data.loc[chosen, [f"p:{label}" for label in LABELS]].to_numpy()
    one = evaluate_probabilities(data["y_true"][chosen], proba, classes=LABELS)
    assert found.values["log_loss"][0] == pytest.approx(one.log_loss)
