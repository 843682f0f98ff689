from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from typer.testing import CliRunner

from tests.experiments.filled import fill
from tests.shared import shared
from wager.cli import app
from wager.costs import CostMatrix, CostTally, average_cost
from wager.experiments import Plan, Store, studies
from wager.experiments.plan import scorer_of
from wager.experiments.store._database import open_to_write
from wager.learners import NaiveBayes, NaiveCredal
from wager.predictions import read_predictions
from wager_studies._published import printed
from wager_studies.yang import _calibration as calibration, _comparison as comparison
from wager_studies.yang._cost_curves import Curves, R, claims_of
from wager_studies.yang._ordinal_data import CLASSES, Counted, counted_sets, p_discounted

NCC = {"learner": "naive-credal", "params": {"idm": "intervals", "costs": "ordinal"}}


def claims(report):
    return {claim.says: claim for claim in report.claims}


def verdicts(found):
    return {claim.says: claim.holds for claim in found}


# The cost tables


@pytest.fixture(scope="module")
def tables():
    return studies.get("yang-2017-tables").report()


def test_table_x_is_the_square_of_the_mean_root(tables):
    costs = {"h": [0, 1, 2], "b": [1, 0, 2], "n": [4, 4, 0]}
    cells = {row[1:3]: row[4] for row in tables.tables[0].rows if row[0] == "X"}
    assert len(cells) == 21
    for (labels, truth), ours in cells.items():
        members = labels.strip("{}").split(", ")
        roots = [np.sqrt(costs[label]["hbn".index(truth)]) for label in members]
        assert ours == pytest.approx(np.mean(roots) ** 2)


def test_every_printed_cost_but_the_misprint_agrees(tables):
    found = {c.what: (c.agree, c.n) for c in tables.comparisons}
    assert found.pop("Table III") == (18, 21)  # 0.54 for 8/15, three times
    assert found.pop("Table X") == (21, 21)
    assert all(agree == n > 0 for agree, n in found.values())
    assert claims(tables)["costs with r = 0.5, cautious, equal in all digits"].holds
    assert "Table III prints 0.54 for 0.5333" in {claim.because for claim in tables.claims}


def test_the_decision_of_example_7_changes_where_the_lines_cross(tables):
    """By hand: 2q = 0.5 and 4(1 - q) = 0.5; then 2q and 4(1 - q) = 0.25 + 0.5q."""
    (table,) = (t for t in tables.tables if t.title.startswith("Example 7"))
    assert [row[1:] for row in table.rows] == [
        pytest.approx((1 / 4, 7 / 8)),
        pytest.approx((1 / 6, 5 / 6)),
    ]


def test_what_the_paper_says_of_properties_fails_where_the_errata_say(tables):
    wrong = [claim.says for claim in tables.claims if not claim.holds]
    assert [says.partition(":")[0] for says in wrong] == [
        "all printed costs of sets are correct",
        "Ha's costs, delta < eta/2",
        "the same, original costs of single classes",
        "p-discounted, r = 0",
        "p-discounted, r = 1",
        "adding a constant to all costs does not change comparisons",
        "the mean grows strictly with p unless all costs are equal",
    ]
    assert "0.8 when 0 is true, not less than the mean" in "".join(c.because for c in tables.claims)


def test_figures_of_the_tables_are_drawn(tables):
    assert list(tables.figures) == ["Figure 1", "Figure 2", "Table X"]
    assert [len(draw().axes) for draw in tables.figures.values()] == [1, 2, 2]


# Costs in plans


def test_tuning_minimizes_a_cost():
    X, y = [[0], [0], [1], [1], [2], [2]] * 4, [0, 0, 1, 2, 2, 1] * 4
    costs = CostMatrix.ordinal([0, 1, 2]).costs
    model = NaiveCredal(s=2, idm="intervals", costs=costs).fit(X, y)
    sets = model.predict_set(X)
    for r, mode in product((0.1, 0.9), ("cautious", "mistake-averse")):
        extended = CostMatrix(costs).extend("p-discounted", r=r, mode=mode)
        score = scorer_of(model, f"cost:{r}:{mode}")(model, X, y)
        assert score == pytest.approx(-extended.of(sets, y).mean())
    assert scorer_of(model, "cost:0.1")(model, X, y) == scorer_of(model, "cost:0.1:cautious")(
        model, X, y
    )


def test_a_cost_needs_costs_and_a_number():
    with pytest.raises(ValueError, match=r"'cost:0.5' needs costs: set the learner's parameter"):
        scorer_of(NaiveCredal(), "cost:0.5")
    with pytest.raises(ValueError, match=r"no measure 'cost:half': write 'cost:0.5'"):
        scorer_of(NaiveCredal(costs=[[0, 1], [1, 0]]), "cost:half")
    assert scorer_of(NaiveBayes(), "cost:0.5") == "accuracy"


def test_ordinal_costs_fit_the_classes_of_each_data_set(tmp_path):
    """The engine's sets are those of a learner that is given the matrix."""
    written = {"learner": "naive-credal", "params": {"idm": "intervals", "costs": [[0, 1, 2],
               [1, 0, 1], [2, 1, 0]]}}  # fmt: skip
    plan = Plan(
        datasets=["iris"],
        learners={"named": NCC, "written": written, "0/1": {**NCC, "params": {"idm": "intervals"}}},
        prepare={"discretize": "equal-frequency", "n_bins": 3},
        scheme={"n_folds": 2},
        predictions=True,
    )
    store = fill(plan, tmp_path)
    counted = counted_sets(store)["iris"]
    assert counted["named"].splits == counted["written"].splits
    for learner, found in counted.items():
        parts = [read_predictions(file) for file in store.predictions("iris", learner)]
        costs = p_discounted(found.whole.classes, 0.5)
        each = [average_cost(p.classes[p.codes], p.sets, costs) for p in parts]
        np.testing.assert_allclose(found.by_split(costs), each)
        assert found.whole.n == 150


def test_a_store_tells_what_tuning_chose(tmp_path):
    tuned = {**NCC, "tune": {"s": [0.5, 8]}, "tune_measure": "cost:1"}
    plan = Plan(
        datasets=["iris"],
        learners={"tuned": tuned, "fixed": NCC},
        prepare={"discretize": "equal-frequency"},
        scheme={"n_folds": 2},
    )
    store = fill(plan, tmp_path)
    assert store.chosen("iris", "tuned") == [{"s": 8}] * 2  # with r = 1 caution costs nothing
    assert store.chosen("iris", "fixed") == []


# Calibration


def curves(best):
    """Curves over five strengths with the minimum of each (mode, r) where asked for."""
    s = np.array([0.01, 0.1, 1, 5, 10])
    cost = {
        mode: np.array([1 - 0.1 * i + 0.005 * np.abs(np.arange(5) - best[mode, r])
                        for i, r in enumerate(R)])
        for mode in calibration.MODES
    }  # fmt: skip
    return Curves(s, cost)


def test_the_papers_curves_are_recognized():
    both = {(mode, 0.0): 0 for mode in calibration.MODES} | {
        (mode, 1.0): 4 for mode in calibration.MODES
    }
    middle = {("cautious", 0.1): 1, ("cautious", 0.5): 2, ("cautious", 0.9): 3}
    averse = {("mistake-averse", 0.1): 1, ("mistake-averse", 0.5): 1, ("mistake-averse", 0.9): 2}
    era = curves(both | middle | averse)
    later = {key: min(place + 1, 4) for key, place in middle.items()}
    beyond = averse | {("mistake-averse", 0.9): 4}
    found = {"ERA": era, "ESL": era, "LEV": curves(both | later | beyond)}
    assert set(verdicts(claims_of(found)).values()) == {True}
    without = verdicts(claims_of({"ERA": era, "ESL": era, "LEV": era}))
    assert [says for says, holds in without.items() if not holds] == [
        "r = 0.9, cautious: the cost falls, then rises with s, on LEV beyond s = 10",
        "r = 0.9, mistake-averse: the cost falls, then rises with s, on LEV beyond s = 10",
        "for the same r the best s differs between data sets",
    ]


def test_a_gain_within_the_random_variation_of_a_curve_is_left_open():
    both = {(mode, r): 2 for mode in calibration.MODES for r in R}
    found = {claim.says: claim for claim in claims_of({"ERA": curves(both)})}
    assert found["r = 0.1: the minimum is present, but hardly visible"].holds
    varying = curves(both)
    varying.costs["cautious"][0] = [0.9, 0.95, 0.9, 1.0, 1.1]
    found = {claim.says: claim for claim in claims_of({"ERA": varying})}
    assert found["r = 0.1: the minimum is present, but hardly visible"].holds is None
    rising = found["r = 0: the curves are strictly increasing"]
    assert not rising.holds
    assert "at most 0.0500, the last one to s = 1" in rising.because
    assert not found["in the mistake-averse mode the best s is smaller"].holds


def test_calibration_runs_quickly_on_bundled_data(tmp_path, monkeypatch):
    monkeypatch.delenv("WAGER_DATA", raising=False)
    out, shell = str(tmp_path / "store"), CliRunner()
    name = "yang-2017-calibration"
    ran = shell.invoke(app, ["study", "run", name, "--quick", "-o", out])
    assert ran.exit_code == 0, ran.output
    assert Store(out).counts() == {"planned": 130, "done": 130, "failed": 0}
    shown = shell.invoke(app, ["study", "report", name, "-o", out])
    assert shown.exit_code == 0, shown.output
    assert "not on ERA, ESL, LEV but on iris, wine" in shown.output
    report = studies.get(name).report(out)
    assert {claim.verdict for claim in report.claims} == {"open"}
    tables = {table.title: table.rows for table in report.tables}
    counted = counted_sets(Store(out))
    for dataset, mode, r, s, least, first, last in tables["Strength of least cost"]:
        assert least <= min(first, last)
        assert s in calibration.STRENGTHS[::4]
        whole = counted[dataset][f"NCC[s={s}]"].whole
        assert whole.average(p_discounted(whole.classes, r, mode)) == pytest.approx(least)
    assert {row[3] for row in tables["Strength chosen by cross-validation"]} >= {10.0}
    assert len(report.figures["Figure 3"]().axes) == 2


def test_a_store_without_a_finished_data_set_says_so(tmp_path):
    for study in (calibration, comparison):
        plan = study._plan(None, True)
        with open_to_write(tmp_path / plan.name) as writer:
            writer.begin(plan.model_dump_json(), plan.units())
        report = study.STUDY.report(tmp_path / plan.name)
        assert report.notes[-1] == "No data set is finished yet."
        assert not report.claims


# Comparison


def tally(rows, classes="abc"):
    truth, sets = zip(*rows, strict=True)
    return CostTally.of(truth, [list(labels) for labels in sets], list(classes))


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sets(st.sampled_from("abc"), min_size=1)),
                min_size=1, max_size=20))  # fmt: skip
def test_readings_of_the_cost_by_hand(rows):
    found = {name: read(tally(rows)) for name, read in comparison.READINGS.items()}
    costs = [[abs("abc".index(a) - "abc".index(y)) for a in labels] for y, labels in rows]
    by_hand = {
        "as defined": [np.mean(np.sqrt(c)) ** 2 for c in costs],
        "plain mean": [np.mean(c) for c in costs],
        "largest cost in the set": [max(c) for c in costs],
        "sum of the costs": [sum(c) for c in costs],
        "sum of roots, squared": [np.sum(np.sqrt(c)) ** 2 for c in costs],
        "every cost plus 1": [np.mean(np.sqrt(np.add(c, 1))) ** 2 for c in costs],
        "squared distances": [np.mean(c) ** 2 for c in costs],
    }
    for name, each in by_hand.items():
        assert found[name] == pytest.approx(np.mean(each)), name


def test_predictions_that_look_at_nothing_by_hand():
    learners = {"NCC": Counted([tally([("a", "a"), ("b", "ab")]), tally([("c", "a"), ("b", "b")])])}
    found = comparison.OnDataSet.of(learners)
    np.testing.assert_allclose(found.splits["NCC"], [0.125, 1.0])
    assert found.costs["NCC"] == pytest.approx((0 + 0.25 + 2 + 0) / 4)
    assert found.worst == pytest.approx((2 + 1 + 2 + 1) / 4)
    assert found.constant == pytest.approx((1 + 0 + 1 + 0) / 4)
    ends, middle = ((0 + 1 + np.sqrt(2)) / 3) ** 2, (2 / 3) ** 2
    assert found.everything == pytest.approx((ends + middle) / 2)


def test_the_papers_classifiers_on_the_papers_data(tmp_path):
    """The largest costs and those of NCC as an independent program found them; Table XI."""
    whole = comparison._plan(str(shared("datasets")), False).model_dump()
    one = {"learners": {"NCC": whole["learners"]["NCC"]}, "scheme": {"n_folds": 10}}
    store = fill(Plan(**whole | one), tmp_path)
    counted = counted_sets(store)
    labels = {name for pair in comparison.PAIRS for name in pair}
    found = {
        name: comparison.OnDataSet.of(dict.fromkeys(labels, learners["NCC"]))
        for name, learners in counted.items()
    }
    assert [each.worst for each in found.values()] == pytest.approx([5.79, 5.13, 2.72], abs=0.005)
    costs = [each.costs["NCC"] for each in found.values()]
    assert costs == pytest.approx([1.23, 0.51, 0.42], abs=0.03)
    table = printed("yang2017_tableXII", "XII", "dataset", "classifier")
    paper = np.array([[table[name, c] for c in comparison.PRINTED] for name in CLASSES])
    said = {claim.says: claim for claim in comparison._claims(found, paper)}
    possible = said["the printed costs are possible"]
    assert not possible.holds
    assert possible.because.startswith("NCC on LEV: 3.43 > 2.72")
    assert said["the forest outperforms the tree"].holds is False  # they are the same here
    assert "higher in 7 of 9 cells" in "".join(claim.because for claim in said.values())
    eleven = calibration._data_sets(store, counted)
    assert [row[1:] for row in eleven.rows] == [
        (1000, 1000, 5, 4, 9, 9),
        (488, 488, 5, 4, 9, 9),
        (1000, 1000, 5, 4, 5, 5),
    ]


def test_comparison_runs_quickly_on_bundled_data(tmp_path):
    study = studies.get("yang-2017-comparison")
    assert study.run(tmp_path / "store", quick=True).ok
    report = study.report(tmp_path / "store")
    assert {claim.verdict for claim in report.claims} == {"open"}
    assert all(comparison.n == 0 for comparison in report.comparisons)
    assert len(report.tables[1].rows) == 9
    assert len(report.figures["Table XII"]().axes) == 2
