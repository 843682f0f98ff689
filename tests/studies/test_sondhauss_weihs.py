"""The example of Sondhauss & Weihs (2001) and real data: rules, partitions, claims, figures."""

import runpy

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import ttest_1samp
from sklearn.datasets import load_iris
from typer.testing import CliRunner

from tests.experiments.filled import fill
from tests.shared import PROJECT, shared
from tests.studies.quotations import not_in_the_paper
from wager.cli import app
from wager.experiments import Plan, Store, studies
from wager.experiments.generators import random_chi_square
from wager.experiments.study import Verdict
from wager.partitions import precision, separability, standardize
from wager.predictions import read_predictions
from wager_studies.sondhauss_weihs._data import _findings, _realism_claim
from wager_studies.sondhauss_weihs._example import (
    MEASURED,
    NN,
    RULES,
    TRUE,
    _as_described,
    _claim_on_bound,
    _correctness_by_class,
)
from wager_studies.sondhauss_weihs._networks import (
    NETWORKS,
    Leads,
    _claim,
    _finding,
    leads_of,
)
from wager_studies.sondhauss_weihs._partitions import partition_of, partitions_of
from wager_studies.sondhauss_weihs._rules import ClassNetwork, RealNetwork, TrueBayes

pytestmark = pytest.mark.long

CLASSES = ("G1", "G2", "G3")


def test_the_true_probabilities_are_those_of_chi_square_densities():
    """With 2, 8 and 16 degrees of freedom the densities are x^(v/2-1) exp(-x/2) / norm."""
    x = np.array([[1.0], [6.0], [20.0]])
    density = np.exp(-x / 2) * np.column_stack([x**0 / 2, x**3 / 96, x**7 / (256 * 5040)])
    expected = density / density.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(random_chi_square().class_probabilities(x), expected)
    np.testing.assert_allclose(TrueBayes().fit(x, [0, 1, 2]).predict_proba(x), expected)


@given(st.integers(3, 60), st.integers(0, 1000))
def test_draws_have_as_many_objects_of_each_class(n, seed):
    X, y = random_chi_square().sample(n, seed)
    assert X.shape == (n, 1)
    assert X.min() > 0
    assert np.ptp(np.bincount(y, minlength=3)) <= 1


def test_far_from_all_classes_the_probabilities_still_sum_to_one():
    proba = random_chi_square().class_probabilities([[5000.0], [1e-12]])
    np.testing.assert_allclose(proba.sum(axis=1), 1)


@pytest.mark.parametrize("degrees", [[3], [2, 0]])
def test_degrees_that_make_no_classes_are_refused(degrees):
    with pytest.raises(ValueError, match="degrees must be two or more positive numbers"):
        random_chi_square(degrees=degrees)


def test_in_the_long_run_no_rule_separates_better_than_possible():
    rng = np.random.default_rng(0)
    X, codes = random_chi_square().sample(12_000, rng)
    proba = random_chi_square().class_probabilities(X)
    bound = separability(proba)
    spoilt = 0.5 * proba + 0.5 * rng.dirichlet(np.ones(3), len(proba))
    for memberships in (proba, proba**3 / (proba**3).sum(axis=1, keepdims=True), spoilt):
        assert standardize(codes, memberships).separation < bound + 0.01
    assert standardize(codes, spoilt).separation < bound - 0.05


def test_the_network_keeps_the_order_of_its_outputs_and_learns():
    X, y = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    model = RealNetwork(random_state=0).fit(X, names)
    outputs = model.network_.predict((X - model.centre_) / model.spread_)
    np.testing.assert_array_equal(model.predict_proba(X).argmax(axis=1), outputs.argmax(axis=1))
    assert (model.predict(X) == names).mean() > 0.9
    again = RealNetwork(random_state=0).fit(X, names)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    store = tmp_path_factory.mktemp("example") / "store"
    study = studies.get("sondhauss-weihs-2001")
    assert study.run(store, quick=True).ok
    return Store(store), study.report(store)


def test_every_draw_has_27_test_objects_and_three_rules(example):
    store, _ = example
    draws = partitions_of(store, "chi-square", RULES, CLASSES, 27)
    assert len(draws) == 10
    for draw in draws:
        assert list(draw) == ["True-Bayes", "Bayes-QDA", "NN"]
        for partition in draw.values():
            assert partition.scaled.shape == (27, 3)
            assert np.bincount(partition.truth).tolist() == [9, 9, 9]
            assert partition.classes.tolist() == list(CLASSES)


def test_the_true_rule_is_precise_and_separates_as_well_as_possible(example):
    store, _ = example
    for draw in partitions_of(store, "chi-square", RULES, CLASSES, 27):
        knowing, network = draw["True-Bayes"], draw["NN"]
        truth = knowing.memberships
        assert knowing.measures_before.separation == pytest.approx(separability(truth))
        assert precision(truth, network.memberships) < 1


def test_a_draw_that_one_rule_lacks_is_left_out_of_all(tmp_path):
    """The other draws are still matched between rules."""
    plan = studies.get("sondhauss-weihs-2001").plan(None, True)
    given_plan = plan.model_dump() | {"scheme": plan.scheme.model_dump() | {"repeats": 3}}
    store = fill(Plan(**given_plan), tmp_path)
    knowing = store.predictions_by_split("chi-square", "True-Bayes", kind="probabilities", size=27)
    store.predictions("chi-square", "NN", kind="probabilities", size=27)[0].unlink()
    draws = partitions_of(store, "chi-square", RULES, CLASSES, 27)
    shown = [draw["True-Bayes"].memberships for draw in draws]
    wanted = [read_predictions(knowing[repeat, 0]).proba for repeat in (1, 2)]
    np.testing.assert_allclose(shown, wanted)
    assert partitions_of(store, "chi-square", ["absent"], CLASSES, 27) == []


def test_the_report_shows_a_draw_as_the_paper_describes_it(example):
    _, report = example
    shown, memberships, means = report.tables
    by_rule = {row[0]: row for row in shown.rows}
    assert by_rule["True-Bayes"][-1] == pytest.approx(1)
    assert by_rule["NN"][2] > by_rule["Bayes-QDA"][2]
    assert by_rule["NN"][3] > by_rule["Bayes-QDA"][3]
    by_class = slice(5, 8)
    assert (np.array(by_rule["Bayes-QDA"][by_class]) < by_rule["True-Bayes"][by_class]).all()
    assert means.rows[0][1] == 10
    assert not memberships.shown
    assert list(report.figures) == ["Figure 1", "Figure 2", "Figure 3"]


def test_contradictions_do_not_depend_on_the_draws_and_remarks_on_figure_1_do(example):
    _, report = example
    said = {claim.says: claim for claim in report.claims}
    centre = next(claim for says, claim in said.items() if "centroid" in says)
    assert centre.verdict is Verdict.CONTRADICTION
    assert "give -0.225 for three classes" in centre.because
    about_figure_1 = [claim for claim in report.claims if "Figure 1" in claim.where]
    assert [claim.verdict for claim in about_figure_1] == [None] * 3
    assert not report.findings
    assert not_in_the_paper(report.claims) == []


def test_a_bound_that_holds_on_average_only_is_a_reading():
    over = np.zeros((6, 3, len(MEASURED)))
    over[:, :, MEASURED.index("AS")] = np.linspace(-0.2, 0.1, 6)[:, None]
    claim = _claim_on_bound(over, np.zeros(6), done=True)
    assert claim.verdict is Verdict.READING
    assert "positive in 33% of the draws" in claim.because
    assert _claim_on_bound(over + 0.3, np.zeros(6), done=True).verdict is Verdict.NOT_REPRODUCED
    assert _claim_on_bound(over, np.zeros(6), done=False).verdict is None
    assert not_in_the_paper([claim]) == []


def test_the_true_rule_attains_the_bound_and_is_not_tested_against_it():
    over = np.zeros((6, 3, len(MEASURED)))
    over[:, :, MEASURED.index("AS")] = np.linspace(-0.2, 0.1, 6)[:, None]
    over[:, list(RULES).index(TRUE)] += 0.3
    assert _claim_on_bound(over, np.zeros(6), done=True).verdict is Verdict.READING


def test_of_two_learnt_rules_one_above_the_bound_is_enough():
    over = np.zeros((6, 3, len(MEASURED)))
    over[:, :, MEASURED.index("AS")] = np.linspace(-0.2, 0.1, 6)[:, None]
    over[:, list(RULES).index(NN)] += 0.3
    assert _claim_on_bound(over, np.zeros(6), done=True).verdict is Verdict.NOT_REPRODUCED


def test_a_rule_is_as_described_only_if_all_remarks_hold():
    truth = ["G1", "G2", "G3"] * 2
    right = standardize(truth, np.tile(np.eye(3), (2, 1)) * 0.9 + 0.1 / 3, classes=CLASSES)
    wrong = np.tile(np.eye(3), (2, 1)) * 0.6 + 0.4 / 3
    wrong[3:] = np.roll(wrong[3:], 1, axis=1)
    half = standardize(truth, wrong, classes=CLASSES)
    assert _correctness_by_class(right) == [1, 1, 1]
    assert _correctness_by_class(half) == [0.5, 0.5, 0.5]
    assert _as_described({"True-Bayes": right, "Bayes-QDA": half, "NN": right})
    assert not _as_described({"True-Bayes": half, "Bayes-QDA": half, "NN": right})
    assert not _as_described({"True-Bayes": right, "Bayes-QDA": half, "NN": half})


def test_questions_about_real_data_count_pairs_and_regard_standard_errors():
    truth = [0, 0, 1, 1]
    sure = standardize(truth, [[0.9, 0.1], [0.9, 0.1], [0.1, 0.9], [0.1, 0.9]])
    overconfident = standardize(truth, [[0.9, 0.1], [0.1, 0.9], [0.1, 0.9], [0.9, 0.1]])
    found = {("d", "LDA"): sure, ("d", "QDA"): overconfident}
    overstated, others, order = _findings(found)
    assert "AS falls by scaling in 1 of 2 cases" in overstated.because
    assert "most for QDA on d" in overstated.because
    assert others.because == "no two rules have correctness rates within one percentage point"
    assert (order.answer, "opposite order: none" in order.because) == ("not beyond chance", True)
    assert _realism_claim(found, done=False).verdict is None
    assert _realism_claim({("d", "LDA"): sure}, done=True).verdict is Verdict.NOT_REPRODUCED
    claim = _realism_claim(found, done=True)
    assert claim.verdict is Verdict.READING
    assert "an aim" in claim.reading


def leads(*means, spread=0.05, n=200, seed=0):
    noise = np.random.default_rng(seed).normal(0, spread, (n, len(means)))
    return Leads(np.array(means) + noise)


def test_the_interval_of_a_lead_is_that_of_students_t():
    found = leads(0.0, 0.02, -0.03)
    for i in range(3):
        test = ttest_1samp(found.values[:, i], 0)
        low, high = test.confidence_interval(0.95)
        assert (found.interval[0][i], found.interval[1][i]) == pytest.approx((low, high))
        assert found.p[i] == pytest.approx(test.pvalue)
    assert found.signs.tolist() == [0, 1, -1]


def test_remarks_on_one_unpublished_draw_cannot_be_checked_whatever_the_networks_do():
    several = len(NETWORKS)
    ahead, mixed = leads(*[0.05] * several), leads(*[0.05] * (several - 1), -0.05)
    assert _claim("Ac", ahead, True).verdict is Verdict.UNCHECKABLE
    assert _claim("Ac", mixed, True).verdict is Verdict.UNCHECKABLE
    assert f"{several} of {several} networks are significantly ahead" in (
        _claim("Ac", ahead, True).because
    )
    assert _claim("AS", mixed, False).verdict is None
    assert _finding({"Ac": ahead, "AS": ahead}).answer == "yes, all networks agree in sign"
    assert _finding({"Ac": ahead, "AS": mixed}).answer == "no, it depends on the network"
    unclear = leads(*[0.05] * (several - 1), 0.0)
    assert "do not decide" in _finding({"Ac": ahead, "AS": unclear}).answer
    assert not_in_the_paper([_claim(m, mixed, True) for m in ("Ac", "AS")]) == []


def test_networks_of_all_kinds_learn_and_keep_the_order_of_their_outputs():
    X, y = random_chi_square().sample(60, 0)
    for kind in ("softmax", "shift", "rank"):
        proba = RealNetwork(kind=kind, random_state=0).fit(X, y).predict_proba(X)
        np.testing.assert_allclose(proba.sum(axis=1), 1)
        plain = RealNetwork(random_state=0).fit(X, y).predict_proba(X)
        np.testing.assert_array_equal(proba.argmax(axis=1), plain.argmax(axis=1))
    model = ClassNetwork(4, activation="tanh", alpha=0.1, solver="lbfgs", max_iter=500)
    assert (model.set_params(random_state=0).fit(X, y).predict(X) == y).mean() > 0.6


def test_networks_meet_the_same_draws_as_the_rules_of_the_example(tmp_path):
    """A unit has the same key in both studies, so its data and its random state are the same."""
    example, networks = (
        {unit.key for unit in studies.get(f"sondhauss-weihs-{name}").plan(None, False).units()}
        for name in ("2001", "networks")
    )
    assert len(example & networks) == 2 * 200  # quadratic discrimination and the first network


def test_leads_are_taken_draw_by_draw(tmp_path):
    plan = studies.get("sondhauss-weihs-networks").plan(None, True)
    fast = {name: spec.model_dump() for name, spec in plan.learners.items()}
    for i, name in enumerate(list(fast)[1:]):  # rules that learn in no time instead of networks
        fast[name] = fast["Bayes-QDA"] | {"params": {"reg_param": 1e-12 * i}}
    fast[list(fast)[1]] = {"learner": "wager_studies.sondhauss_weihs._rules.TrueBayes"}
    store = fill(Plan(**plan.model_dump() | {"learners": fast}), tmp_path)
    draws = partitions_of(store, "chi-square", ("Bayes-QDA", *NETWORKS), CLASSES, 27)
    found = leads_of(draws, "Ac")
    assert found.values.shape == (5, len(NETWORKS))
    np.testing.assert_allclose(found.values[:, 1:], 0, atol=1e-6)
    assert found.values[0, 0] == draws[0][next(iter(NETWORKS))].accuracy - (
        draws[0]["Bayes-QDA"].accuracy
    )
    report = studies.get("sondhauss-weihs-networks").report(store)
    assert [claim.verdict for claim in report.claims] == [None, None]  # five draws decide nothing
    table, tidy = report.tables
    assert len(table.rows) == len(NETWORKS)
    assert len(tidy.rows) == 4 * len(NETWORKS)
    (draw,) = report.figures.values()
    assert len(draw().axes) == 2


def test_folds_of_a_data_set_make_one_partition(tmp_path):
    """Four classes are drawn in a tetrahedron; a few rules of vehicle are enough to see it."""
    study = studies.get("sondhauss-weihs-data")
    whole = study.plan(str(shared("datasets")), False).model_dump()
    some = {name: whole["learners"][name] for name in ("LDA", "QDA")}
    chosen = {"datasets": whole["datasets"][2:], "learners": some}
    store = fill(Plan(**whole | chosen), tmp_path / "store")
    partition = partition_of(store, "vehicle", "LDA")
    assert partition.scaled.shape == (846, 4)
    assert partition.correctness == pytest.approx(
        store.tally("vehicle", "LDA").expected_utility("u50")
    )
    report = study.report(store)
    figure = report.figures["Vehicle: after scaling"]()
    assert figure.axes[0].name == "3d"


def test_a_quick_run_needs_no_data_folder(tmp_path, monkeypatch):
    monkeypatch.delenv("WAGER_DATA", raising=False)
    shell, out = CliRunner(), str(tmp_path / "store")
    ran = shell.invoke(app, ["study", "run", "sondhauss-weihs-data", "--quick", "-o", out])
    assert ran.exit_code == 0, ran.output
    shown = shell.invoke(app, ["study", "report", "sondhauss-weihs-data", "-o", out])
    assert shown.exit_code == 0, shown.output
    assert "| wine | C4.5 |" in shown.output
    assert "vehicle" not in shown.output.split("### Measures")[1]


def test_the_example_draws_the_three_figures(tmp_path, capsys):
    script = runpy.run_path(str(PROJECT / "examples" / "sondhauss_weihs_2001.py"))
    script["main"](str(tmp_path))
    assert "| 2001, 2, Figure 1 |" in capsys.readouterr().out
    for name in ("figure1.png", "figure2.png", "figure3.png"):
        assert (tmp_path / name).read_bytes()[:4] == b"\x89PNG"
