from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from typer.testing import CliRunner

from tests.docs.figures import check_figures_of
from tests.experiments.filled import fill
from tests.shared import shared
from tests.studies.computed import report_of
from wager.cli import app
from wager.costs import CostMatrix, CostTally, audit, average_cost
from wager.experiments import Plan, Store, studies
from wager.experiments.plan import scorer_of
from wager.experiments.store._database import open_to_write
from wager.experiments.study import Verdict
from wager.learners import NaiveBayes, NaiveCredal, TunedCaution
from wager.predictions import read_predictions
from wager_studies._published import printed
from wager_studies.yang import (
    _betting as betting,
    _calibration as calibration,
    _comparison as comparison,
    _exact_costs as exact_costs,
    _tuned_costs as tuned_costs,
)
from wager_studies.yang._cost_curves import Curves, Gap, R
from wager_studies.yang._curve_claims import claims_of, tuning_claim
from wager_studies.yang._ordinal_data import CLASSES, Counted, counted_sets, p_discounted
from wager_studies.yang._readings import READINGS
from wager_studies.yang._tuned_learner import TunedForCosts

pytestmark = pytest.mark.long

NCC = {"learner": "naive-credal", "params": {"idm": "intervals", "costs": "ordinal"}}


def claims(report):
    return {claim.says: claim for claim in report.claims}


def verdicts(found):
    return {claim.says: claim.verdict for claim in found}


# The cost tables


@pytest.fixture(scope="module")
def tables():
    return report_of("yang-2017-tables")


def test_table_x_is_the_square_of_the_mean_root(tables):
    costs = {"h": [0, 1, 2], "b": [1, 0, 2], "n": [4, 4, 0]}
    cells = {row[1:3]: row[4] for row in tables.tables[-1].rows if row[0] == "X"}
    assert len(cells) == 21
    for (labels, truth), ours in cells.items():
        members = labels.strip("{}").split(", ")
        roots = [np.sqrt(costs[label]["hbn".index(truth)]) for label in members]
        assert ours == pytest.approx(np.mean(roots) ** 2)


def test_the_figures_of_the_tables_are_the_stored_ones(tables):
    check_figures_of(tables.name, tables.figures.items())


def test_every_printed_cost_but_the_misprint_agrees(tables):
    found = {c.what: (c.agree, c.n) for c in tables.comparisons}
    assert found.pop("Table III") == (18, 21)  # 0.54 for 8/15, three times
    assert found.pop("Table X") == (21, 21)
    assert all(agree == n > 0 for agree, n in found.values())
    misprint = claims(tables)["a set of all three classes costs 0.54"]
    assert misprint.verdict is Verdict.CONTRADICTION
    assert "Table III prints 0.54 three times, Eq. (8) gives 1 - g(1/3) = 8/15" in misprint.because


def test_definition_4_is_asked_of_the_set_of_the_example(tables):
    """A larger cost elsewhere makes {h, n} possible, which says nothing about {h, b}."""
    (claim,) = (c for c in tables.claims if c.where == "2017, IV-A, Example 5")
    assert claim.verdict is Verdict.REPRODUCED
    assert claim.because.startswith("{h, b} cannot be optimal: 1 {h}")
    (table,) = (t for t in tables.tables if t.title.startswith("Which sets of Table X"))
    assert [row[1] for row in table.rows] == ["yes"] * 4


def test_the_decision_of_example_7_changes_where_the_lines_cross(tables):
    """By hand: 2q = 0.5 and 4(1 - q) = 0.5; then 2q and 4(1 - q) = 0.25 + 0.5q."""
    (table,) = (t for t in tables.tables if t.title.startswith("Example 7"))
    assert [row[1:] for row in table.rows] == [
        pytest.approx((1 / 4, 7 / 8)),
        pytest.approx((1 / 6, 5 / 6)),
    ]


def test_what_the_paper_says_of_properties_fails_where_the_errata_say(tables):
    by = {verdict: [c for c in tables.claims if c.verdict is verdict] for verdict in Verdict}
    assert [claim.says for claim in by[Verdict.NOT_REPRODUCED]] == [
        "delta < eta(y)/2 is enough for Properties 2 and 3",
        "adding a constant to all costs does not change comparisons",
    ]
    assert [claim.where for claim in by[Verdict.CONTRADICTION]] == [
        "2017, III-A, Table III",
        "2017, IV-A, Property 2",
        "2017, IV-C, Property 9",
    ]
    assert [claim.where for claim in by[Verdict.UNCHECKABLE]] == ["2017, IV, Table VIII"]
    assert all(claim.verdict for claim in tables.claims)
    assert "(0 1 1; 1 0 1; 1 1 0), Ha, delta = 0.4: {a, b, c} costs 0.8 when a is true" in (
        by[Verdict.NOT_REPRODUCED][0].because
    )


def test_abellan_masegosa_suits_filtering_by_comparison_only(tables):
    (claim,) = (c for c in tables.claims if c.where == "2017, V c, Table VIII")
    assert claim.verdict is Verdict.READING
    assert "every property that filtering needs holds for 103 of 193 only" in claim.because
    (table,) = (t for t in tables.tables if t.title.startswith("Abellán"))
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["zero-one"] == (4, 3, 0, 0, 0, 0, 4)
    assert rows["the paper's Table I"] == (1,) * 7


@settings(max_examples=20)
@given(st.integers(2, 5), st.data())
def test_abellan_masegosa_reward_caution_if_errors_are_expensive(k, data):
    """The theorem of the study: sure if all errors cost more than 1, never if some mean is <= 1."""
    cells = st.floats(0.05, 4).filter(lambda c: abs(c - 1) > 1e-3)
    costs = np.array([[data.draw(cells) for _ in range(k)] for _ in range(k)])
    np.fill_diagonal(costs, 0)
    holds = audit(CostMatrix(costs).extend("abellan-masegosa")).holds[3]
    errors = costs[~np.eye(k, dtype=bool)]
    if errors.min() > 1:
        assert holds
    if (costs.sum(axis=0) / (k - 1)).min() < 1:
        assert not holds


@settings(max_examples=20)
@given(st.integers(2, 5), st.sampled_from([0.1, 0.5, 0.9]), st.booleans(), st.data())
def test_p_discounted_costs_have_property_9_unless_errors_cost_the_same(k, r, averse, data):
    costs = np.array([[data.draw(st.integers(1, 3)) for _ in range(k)] for _ in range(k)])
    np.fill_diagonal(costs, 0)
    mode = "mistake-averse" if averse else "cautious"
    holds = audit(CostMatrix(costs).extend("p-discounted", r=r, mode=mode)).holds
    assert holds[9] == (np.ptp(costs[~np.eye(k, dtype=bool)]) > 0)
    assert all(holds[number] for number in (1, 2, 3, 4, 5, 10, 6 if averse else 7))


def test_quotations_are_in_the_paper(tables):
    paper = " ".join(shared("seeds", "004_55ca8021a5d02be2.txt").read_text().split())
    made_up = {name: curves(LATE, seed=i) for i, name in enumerate(CLASSES)}
    cost = [1.0, 1.1, 1.2]
    others = [
        *claims_of(made_up),
        exact_costs._footnote({("ERA", 2.0): both(cost, cost)}),
        tuning_claim({("ERA", "cautious", 0.5): (Gap(0.1, 0.0, 0.2, 0.1), 1.0)}),
    ]
    for claim in (*tables.claims, *others):
        assert claim.quote in paper
        assert len(claim.quote.split()) < 15
        assert claim.quote or claim.verdict is Verdict.UNCHECKABLE


def test_figures_of_the_tables_are_drawn(tables):
    assert list(tables.figures) == [
        "Properties found and claimed", "Figure 1", "Figure 2", "Table X",
    ]  # fmt: skip
    assert [len(draw().axes) for draw in tables.figures.values()] == [1, 1, 2, 2]


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


STRENGTHS = np.array([0.01, 0.1, 1, 5, 10, 50])


def curves(best, noise=0.0005, seed=0):
    """Curves over six strengths with the minimum of each (mode, r) where asked for, 20 folds."""
    rng = np.random.default_rng(seed)
    base = {
        mode: np.array([1 - 0.1 * i + 0.02 * np.abs(np.arange(6) - best[mode, r])
                        for i, r in enumerate(R)])
        for mode in calibration.MODES
    }  # fmt: skip
    splits = {
        mode: b[:, :, None] + rng.normal(0, noise, (*b.shape, 20)) for mode, b in base.items()
    }
    return Curves(STRENGTHS, {mode: each.mean(axis=2) for mode, each in splits.items()}, splits)


ENDS = {(mode, 0.0): 0 for mode in calibration.MODES} | {
    (mode, 1.0): 5 for mode in calibration.MODES
}
EARLY = ENDS | {
    ("cautious", 0.1): 1, ("cautious", 0.5): 2, ("cautious", 0.9): 3,
    ("mistake-averse", 0.1): 1, ("mistake-averse", 0.5): 1, ("mistake-averse", 0.9): 2,
}  # fmt: skip
LATE = EARLY | {("cautious", 0.5): 3, ("mistake-averse", 0.5): 2, ("cautious", 0.9): 5,
                ("mistake-averse", 0.9): 3}  # fmt: skip


def test_the_papers_curves_are_recognized():
    found = {"ERA": curves(EARLY), "ESL": curves(EARLY, seed=1), "LEV": curves(LATE, seed=2)}
    said = verdicts(claims_of(found))
    assert said.pop("the curves of Figure 3, point by point") is Verdict.UNCHECKABLE
    assert said.pop("the curves are concave, with an inflection point") is Verdict.CONTRADICTION
    assert set(said.values()) == {Verdict.REPRODUCED}
    without = verdicts(claims_of({name: curves(EARLY, seed=i) for i, name in enumerate(CLASSES)}))
    assert [says for says, verdict in without.items() if verdict is Verdict.NOT_REPRODUCED] == [
        "r = 0.9, cautious: on LEV the minimum is beyond s = 10",
        "for the same r the best s differs between data sets",
    ]


def test_a_minimum_that_may_be_beyond_the_range_is_a_reading():
    """The cost at s = 10 and at s = 50 differs by less than the noise."""
    late = curves(LATE, noise=0.0005)
    for each in (late.splits["cautious"], late.costs["cautious"]):
        each[R.index(0.9), 5] = each[R.index(0.9), 4] - 1e-5
    rng = np.random.default_rng(3)
    late.splits["cautious"][R.index(0.9), 5] += rng.normal(0, 0.001, 20)
    found = {"ERA": curves(EARLY), "ESL": curves(EARLY, seed=1), "LEV": late}
    claim = next(c for c in claims_of(found) if "beyond s = 10" in c.says)
    assert claim.verdict is Verdict.READING
    assert "not decided by these data" in claim.reading


def test_a_fall_within_the_noise_cannot_be_checked():
    flat = curves(EARLY, noise=0.05)
    found = {claim.says: claim for claim in claims_of(dict.fromkeys(CLASSES, flat))}
    shallow = found["r = 0.1, cautious: a minimum is present, though hardly visible"]
    assert shallow.verdict is Verdict.UNCHECKABLE


@pytest.mark.parametrize(
    ("dip", "verdict"), [(0.0001, Verdict.READING), (0.05, Verdict.NOT_REPRODUCED)]
)
def test_a_step_against_a_rising_curve_counts_if_it_is_significant(dip, verdict):
    found = {}
    for seed, name in enumerate(CLASSES):
        each = curves(EARLY, noise=0.002, seed=seed)
        lower = each.splits["cautious"][0, 1] - dip
        rng = np.random.default_rng(seed)
        each.splits["cautious"][0, 2] = lower + rng.normal(0, 0.002, 20)
        each.costs["cautious"][0] = each.splits["cautious"][0].mean(axis=1)
        each.costs["cautious"][0, 2] = each.costs["cautious"][0, 1] - dip
        found[name] = each
    said = verdicts(claims_of(found))
    assert said["r = 0: the curves are strictly increasing"] is verdict


def test_the_best_strength_of_a_fold_is_chosen_on_the_others():
    """By hand: in each fold another s is cheap, so that the choice of the others never pays."""
    splits = np.ones((len(R), 3, 3))
    splits[:, [0, 1, 2], [0, 1, 2]] = 0.4
    curve = Curves(np.array([1.0, 2.0, 3.0]), {}, {"cautious": splits})
    fall, _ = curve.fall_and_rise("cautious", 0.5)
    assert fall.mean == pytest.approx(np.mean([0.4, 1, 1]) - 1)


def test_tuning_fails_if_it_is_significantly_worse_somewhere():
    good = {("ERA", "cautious", r): (Gap(0.001, -0.01, 0.01, 0.8), 0.1) for r in (0.1, 0.5)}
    assert tuning_claim(good).verdict is Verdict.READING
    bad = good | {("LEV", "cautious", 0.5): (Gap(0.1, 0.08, 0.12, 1e-6), 8.0)}
    claim = tuning_claim(bad)
    assert claim.verdict is Verdict.NOT_REPRODUCED
    assert "LEV, r = 0.5, cautious: +0.1000 (+0.0800 to +0.1200), 8.0%" in claim.because


def test_calibration_runs_quickly_on_bundled_data(tmp_path, monkeypatch):
    monkeypatch.delenv("WAGER_DATA", raising=False)
    out, name = str(tmp_path / "store"), "yang-2017-calibration"
    ran = CliRunner().invoke(app, ["study", "run", name, "--quick", "-o", out])
    assert ran.exit_code == 0, ran.output
    assert Store(out).counts() == {"planned": 130, "done": 130, "failed": 0}
    report = studies.get(name).report(out)
    assert "not on ERA, ESL, LEV but on iris, wine" in report.section()
    assert {claim.verdict for claim in report.claims} == {None}
    tables = {table.title: table.rows for table in report.tables}
    counted = counted_sets(Store(out))
    for dataset, mode, r, s, low, high, least, first, _, last in tables["Strength of least cost"]:
        assert low <= s <= high
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
    found = {name: read(tally(rows)) for name, read in READINGS.items()}
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
    by_hand["sum of squared distances"] = [np.sum(np.square(c)) for c in costs]
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
    pairs = comparison.Pairs.of(found)
    first, second, *others = comparison._claims(found, paper, pairs)
    assert first.verdict is Verdict.CONTRADICTION
    assert "NCC on LEV is 3.43, but no predictions can cost more than 2.72 there" in first.because
    assert second.because.startswith("0 of 9 cells within half a unit")
    assert {c.verdict for c in others} == {Verdict.NOT_REPRODUCED}  # they are the same here
    constant, *_ = comparison._findings(found, paper, pairs, {"as defined": paper})
    assert constant.answer == "no, in 7 of 9 cells"
    eleven = calibration._data_sets(store, counted)
    assert [row[1:] for row in eleven.rows] == [
        (1000, 1000, 5, 4, 9, 9),
        (488, 488, 5, 4, 9, 9),
        (1000, 1000, 5, 4, 5, 5),
    ]


def test_a_significant_difference_survives_holm_on_every_data_set_or_the_claim_fails():
    """One pair of six differs clearly; the others are noise of the same size."""
    rng = np.random.default_rng(0)
    names = {name for pair in comparison.PAIRS for name in pair}
    found = {}
    for name in ("ERA", "ESL"):
        splits = {label: 1 + rng.normal(0, 0.01, 30) for label in names}
        if name == "ESL":
            splits["2Tr"] = splits["2Tr"] - 0.2
        costs = {label: float(each.mean()) for label, each in splits.items()}
        errors = {label: comparison._error_of_a_run(each) for label, each in splits.items()}
        found[name] = comparison.OnDataSet(splits, costs, errors, 4.0, 3.0, 2.0)
    pairs = comparison.Pairs.of(found)
    assert pairs.lower("2Tr", "NCC") == ["ESL"]
    assert pairs.lower("Fo", "NCC") == []
    pair = pairs.by["ESL", "2Tr", "NCC"]
    assert pair.p <= pair.adjusted <= 1
    claims_ = list(comparison._claims(found, np.ones((2, 3)), pairs))
    assert claims_[0].verdict is None  # every printed cost is possible
    tree = next(c for c in claims_ if c.says.startswith("the best single tree"))
    assert tree.verdict is Verdict.NOT_REPRODUCED
    assert tree.because.startswith("significantly on ESL: ")
    each = found["ERA"].splits["NCC"].reshape(3, 10).mean(axis=1)
    assert found["ERA"].errors["NCC"] == pytest.approx(each.std(ddof=1) * np.sqrt(4 / 3))


def test_comparison_runs_quickly_on_bundled_data(tmp_path):
    study = studies.get("yang-2017-comparison")
    assert study.run(tmp_path / "store", quick=True).ok
    report = study.report(tmp_path / "store")
    assert {claim.verdict for claim in report.claims} == {None}
    assert not report.findings
    assert all(comparison.n == 0 for comparison in report.comparisons)
    assert len(report.tables[-1].rows) == 9
    assert len(report.figures["Table XII"]().axes) == 2


# Questions that the paper leaves open


def both(exact, intervals, larger=0.0):
    splits = {r: (np.array(exact), np.array(intervals)) for r in exact_costs.R}
    return exact_costs.Both((1.5, 2.0), (0.7, 0.8), 0.4, larger, splits)


def test_footnote_2_needs_every_exact_set_inside_the_other():
    cost = [1.0, 1.1, 1.2]
    found = {("ERA", 2.0): both(cost, cost)}
    claim = exact_costs._footnote(found)
    assert claim.verdict is Verdict.REPRODUCED
    assert "ERA 1.50 and 2.00" in claim.because
    broken = exact_costs._footnote(found | {("ESL", 2.0): both(cost, cost, larger=0.01)})
    assert broken.verdict is Verdict.NOT_REPRODUCED


def test_exact_decisions_are_compared_at_the_same_and_at_the_best_strength():
    rng = np.random.default_rng(0)
    base = 1 + rng.normal(0, 0.01, 20)
    found = {
        ("ERA", 2.0): both(base - 0.2 + rng.normal(0, 0.001, 20), base),
        ("ERA", 5.0): both(base, base - 0.5 + rng.normal(0, 0.001, 20)),
    }
    *by_r, best = exact_costs._findings(found)
    assert {each.answer for each in by_r} == {"lower on ERA, higher on none"}
    assert best.answer == "exact decisions cost less in 0 and more in 3 of 3 cases"
    alike = both(base, base + rng.normal(0, 0.05, 20))
    undecided = exact_costs._best_strengths({("ERA", 2.0): alike}, ["ERA"])
    assert undecided.answer == "exact decisions cost less in 0 and more in 0 of 3 cases"


def test_exact_costs_run_quickly_and_compare_the_same_rows(tmp_path):
    study = studies.get("exact-credal-costs")
    assert study.run(tmp_path, quick=True).ok
    report = study.report(tmp_path)
    assert [claim.verdict for claim in report.claims] == [None]
    assert "not on ERA, ESL, LEV but on iris, wine" in report.claims[0].because
    sets, costs = report.tables
    for _, _, exact, intervals, *_, smaller, not_contained in sets.rows:
        assert exact <= intervals
        assert not_contained == 0
        assert (smaller > 0) == (exact < intervals)
    assert len(costs.rows) == 6
    assert len(report.figures["Exact decisions and intervals"]().axes) == 2


def test_tuned_costs_are_compared_within_each_r():
    rng = np.random.default_rng(0)
    base = 1 + rng.normal(0, 0.01, 10)
    near, far, farther = (base + d + rng.normal(0, 0.001, 10) for d in (0, 0.1, 0.3))
    costs = {
        ("ERA", r): {
            "s = 1": base,
            "s = 2": farther,
            f"tuned, r = {r}": near,
            f"one standard error, r = {r}": far,
            f"Section VII, r = {r}": base,
        }
        for r in tuned_costs.R
    }
    tests = tuned_costs._tests(costs)
    answers = {f.question: f.answer for f in tuned_costs._findings(costs, tests)}
    assert answers["Does tuned caution cost less than the paper's s = 2 (r = 0.9)?"] == (
        "less on ERA, more on none"
    )
    assert answers["Does tuned caution cost less than s = 1 (r = 0.5)?"] == (
        "no significant difference"
    )
    rule = "What does the rule of one standard error cost, beside the least cost (r = 0.5)?"
    assert answers[rule] == "less on none, more on ERA"


def test_tuned_learner_is_tuned_caution_for_the_costs_of_sets():
    X = [["sun"], ["rain"], ["fog"]] * 18
    y = [0, 1, 2, 0, 1, 1, 0, 2, 0] * 6
    costs = CostMatrix.ordinal([0, 1, 2])
    ours = TunedForCosts(r=0.9, costs=costs.costs, strengths=[1, 8, 30]).fit(X, y)
    theirs = TunedCaution(
        NaiveCredal(idm="intervals", costs=costs.costs),
        costs=costs.extend("p-discounted", r=0.9),
        strengths=[1, 8, 30],
    ).fit(X, y)
    assert ours.model_.best_strength_ == theirs.best_strength_
    np.testing.assert_array_equal(ours.predict_set(X), theirs.predict_set(X))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@settings(max_examples=20)
@given(st.integers(2, 4), st.data())
def test_what_the_game_secures_is_at_most_what_the_uniform_bet_secures(k, data):
    """And at least what the best class costs under uniform chances; then no set is possible."""
    cells = st.integers(1, 9)
    costs = np.array([[float(data.draw(cells)) for _ in range(k)] for _ in range(k)])
    np.fill_diagonal(costs, 0)
    kind = betting.Kind("random", CostMatrix(costs))
    for bet in betting._bets(kind):
        inside = costs[np.ix_(bet.members, bet.members)]
        assert inside.mean(axis=1).min() - 1e-9 <= bet.value <= bet.uniform + 1e-9
    whole = betting._bets(kind)[-1]
    assert len(whole.members) == k
    expected = whole.mixture @ costs
    assert (whole.row() >= expected - 1e-9).all()


def test_betting_on_a_pair_by_hand():
    """Costs 2 and 4: the bettor puts 2/3 on the class whose error is cheap, and pays 4/3."""
    (bet,) = betting._bets(betting.Kind("pair", CostMatrix([[0, 2], [4, 0]])))
    np.testing.assert_allclose(bet.mixture, [2 / 3, 1 / 3])
    assert bet.value == pytest.approx(4 / 3)
    assert bet.uniform == 2.0
    pair = betting._extend(CostMatrix([[0, 1], [1, 0]]), betting._bets(
        betting.Kind("zero-one", CostMatrix([[0, 1], [1, 0]]))), "u65")  # fmt: skip
    assert pair.cost([0, 1], 0) == pytest.approx(0.35)
