"""``wager score --costs``: the money of the library, by class and by kind of error."""

import json

import pytest

from wager.costs import CostMatrix, CostTally, read_costs
from wager.metrics import evaluate_sets

TRUTH = ["ill", "ill", "well", "well", "well", "ill", "well"]
SETS = ["ill|well", "well", "ill", "well", "well", "ill", "ill|well"]
COSTS = "predicted,well,ill\nwell,0,50\nill,8,0\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(
        f"{y},{s},{'AB'[i % 2]}\n" for i, (y, s) in enumerate(zip(TRUTH, SETS, strict=True))
    )
    (tmp_path / "p.csv").write_text("y_true,set,group\n" + rows)
    (tmp_path / "costs.csv").write_text(COSTS)
    return tmp_path


def averages(result):
    (file,) = json.loads(result.stdout)
    return {
        (s["group"], s["of_class"]): s for s in file["scores"] if s["measure"] == "average_cost"
    }


def test_the_average_cost_is_a_measure_with_its_interval(wager, here):
    result = wager("score", "p.csv", "--costs", "costs.csv", "--level", "0.9", "-f", "json")
    found = averages(result)["", ""]
    expected = evaluate_sets(TRUTH, [s.split("|") for s in SETS], costs=read_costs("costs.csv"))
    cost = expected.estimates["average_cost"]
    assert found["value"] == pytest.approx(cost.value)
    assert found["standard_error"] == pytest.approx(cost.standard_error)
    assert found["interval"] == pytest.approx(list(cost.interval(0.9)))


def test_by_class_and_by_group(wager, here):
    result = wager(
        "score", "p.csv", "--costs", "costs.csv", "--by-class", "--by", "group", "-f", "json"
    )
    found = averages(result)
    assert {key for key in found if not key[0]} == {("", ""), ("", "ill"), ("", "well")}
    costs = read_costs("costs.csv").extend()
    for group in "AB":
        rows = [i for i in range(len(TRUTH)) if "AB"[i % 2] == group]
        tally = CostTally.of([TRUTH[i] for i in rows], [SETS[i].split("|") for i in rows])
        assert found[group, ""]["value"] == pytest.approx(tally.average(costs))


def test_the_errors_are_listed_with_their_share(wager, here):
    result = wager("score", "p.csv", "--costs", "costs.csv", "--unit", "EUR")
    assert "costs in EUR" in result.stdout
    assert "ill         {well}           1          50.00             50.00  69.0%" in result.stdout
    assert "A prediction costs 10.36 EUR on average" in result.stdout
    assert "sets cost their p-discounted mean with r = 0.5" in result.stdout
    (file,) = json.loads(wager("score", "p.csv", "--costs", "costs.csv", "-f", "json").stdout)
    errors = file["costs"]["errors"]
    assert [e["total"] for e in errors] == pytest.approx([50.0, 12.5, 8.0, 2.0])


ONE_SET = "ill|well,4,20,9\n"
ALL_SETS = ONE_SET + "ill|odd,4,2,9\nodd|well,4,2,9\nill|odd|well,4,2,9\n"


@pytest.mark.parametrize("sets", [ONE_SET, ALL_SETS])
def test_it_is_said_which_rule_the_sets_have_that_a_cost_file_leaves_out(wager, here, sets):
    costs = "predicted,well,ill,odd\nwell,0,50,9\nill,8,0,9\nodd,1,1,0\n"
    (here / "some.csv").write_text(costs + sets)
    text = wager("score", "p.csv", "--costs", "some.csv").stdout
    said = "Costs of sets: 1 set with costs of its own, the rest p-discounted, r = 0.5"
    assert (said in " ".join(text.split())) is (sets == ONE_SET)


def test_rows_of_clusters_and_weights_are_counted_as_elsewhere(wager, here):
    lines = (here / "p.csv").read_text().splitlines()
    units = [f"{1 + i % 3},c{i // 3}" for i in range(len(TRUTH))]
    body = [f"{line},{unit}" for line, unit in zip(lines[1:], units, strict=True)]
    (here / "w.csv").write_text("\n".join([f"{lines[0]},weight,cluster", *body]))
    found = averages(wager("score", "w.csv", "--costs", "costs.csv", "-f", "json"))["", ""]
    expected = evaluate_sets(
        TRUTH,
        [s.split("|") for s in SETS],
        costs=CostMatrix([[0, 50], [8, 0]], ["well", "ill"]),
        sample_weight=[1.0 + i % 3 for i in range(len(TRUTH))],
        groups=[i // 3 for i in range(len(TRUTH))],
    ).estimates["average_cost"]
    assert found["value"] == pytest.approx(expected.value)
    assert found["standard_error"] == pytest.approx(expected.standard_error)


@pytest.mark.parametrize(
    ("rows", "options", "words"),
    [
        ("ill,ill\nflu,well", (), "costs.csv has no costs for 'flu', a class of q.csv (it has"),
        ("ill,\nwell,well", (), "q.csv: 1 row has an empty set, which has no cost: give one with"),
        ("ill,ill\nwell,well", ("--unit", ""), "unit must be a short text"),
    ],
)
def test_a_mistake_is_one_sentence(wager, here, rows, options, words):
    (here / "q.csv").write_text(f"y_true,set\n{rows}\n")
    result = wager("score", "q.csv", "--costs", "costs.csv", *options)
    assert result.exit_code == 2
    assert result.stderr.startswith("wager: ")
    assert words in result.stderr
    assert result.stderr.count("\n") == 1


def test_options_of_costs_need_costs(wager, here):
    for option in (("--unit", "EUR"), ("--empty-cost", "1")):
        result = wager("score", "p.csv", *option)
        assert result.exit_code == 2
        assert f"wager: {option[0]} needs costs: name their file with --costs" in result.stderr


def test_empty_sets_and_unused_classes(wager, here):
    (here / "q.csv").write_text("y_true,set\nill,\nwell,well\n")
    (here / "c.csv").write_text("predicted,well,ill,x\nwell,0,50,1\nill,8,0,1\nx,1,1,0\n")
    result = wager("score", "q.csv", "--costs", "c.csv", "--empty-cost", "3", "-f", "json")
    assert averages(result)["", ""]["value"] == 1.5
    assert "The costs list the class 'x', which does not occur." in result.stdout


def test_large_costs_are_not_shown_as_0(wager, here):
    (here / "costs.csv").write_text("predicted,well,ill\nwell,0,5e15\nill,8,0\n")
    shown = wager("score", "p.csv", "--costs", "costs.csv").stdout
    found = averages(wager("score", "p.csv", "--costs", "costs.csv", "-f", "json"))["", ""]
    low, high = found["interval"]
    assert f"average cost  {found['value']:.6g} ({low:.6g} to {high:.6g})" in shown


def test_costs_whose_squares_would_overflow_are_refused(wager, here):
    (here / "costs.csv").write_text("predicted,well,ill\nwell,0,1e200\nill,8,0\n")
    result = wager("score", "p.csv", "--costs", "costs.csv")
    assert result.exit_code == 2
    assert "is 1e+200: costs must be at most 1e+100" in result.stderr
