import json
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import binom, t as student
from typer.testing import CliRunner

from tests.docs.figures import check_figures_of
from tests.experiments.filled import fill
from tests.shared import shared
from tests.studies.computed import report_of
from tests.studies.quotations import not_in_the_paper
from wager.cli import app
from wager.experiments import Plan, Store, run
from wager.experiments.study import Verdict
from wager.rewards import evaluate_probabilities, information_reward, prior_from_counts
from wager_studies._published import printed, text_entries
from wager_studies.hope_korb._appendix import (
    InUnitOfA1,
    Level,
    OneClassPrior,
    printed_scores,
    same_order,
    without_prior,
)
from wager_studies.hope_korb._five_by_two import Runs, in_layout
from wager_studies.hope_korb._rewards import best_report, expected, found_report
from wager_studies.hope_korb._uci import (
    DATA_SETS,
    LEARNERS,
    LIMITS,
    _analyse,
    _anneal,
    _limit_finding,
    _plan,
    _unit_fits,
)
from wager_studies.hope_korb._uci_claims import (
    ACCURACY,
    REWARD,
    Results,
    claims_of,
    findings_of,
)

pytestmark = pytest.mark.long

NAMES = tuple(LEARNERS)
chances = st.floats(0.01, 0.99)


REPRODUCED, READING, NOT_REPRODUCED = (
    Verdict.REPRODUCED,
    Verdict.READING,
    Verdict.NOT_REPRODUCED,
)


def verdicts(claims):
    return {claim.says: claim.verdict for claim in claims}


def runs_of(order, names=("sign",), noise=0.01, seed=0):
    """Runs in which the first learner of the order is best, by far more than the noise."""
    means = [len(order) - order.index(name) for name in NAMES]
    drawn = np.random.default_rng(seed).normal(0, noise, (len(names), 5, 2, len(NAMES)))
    return Runs(tuple(names), NAMES, means + drawn)


# ---------------------------------------------------------------------------- data and tables


def test_the_37_data_sets_are_those_of_the_paper_and_of_the_files():
    names = {name for (name,) in printed("hope_korb2004_appendixA2", "A.2", "dataset")}
    assert set(DATA_SETS) == names
    assert len(names) == 37
    manifest = json.loads(shared("datasets", "manifest.json").read_text(encoding="utf-8"))
    files = manifest["names_in_seeds"]["002"]
    assert {name: file or name for name, file in DATA_SETS.items()} == files


def test_short_names_of_the_appendix_are_found():
    for table in ("A.1", "A.2"):
        assert np.isfinite(printed_scores(table, tuple(DATA_SETS), NAMES)).all()
    first = printed_scores("A.1", ("horse-colic",), NAMES)
    assert first.tolist() == [[4.28402, 4.82144, 4.82625, 4.81158, 4.49184]]


def test_an_unknown_data_set_has_no_printed_score():
    assert np.isnan(printed_scores("A.2", ("breast-cancer",), NAMES)).all()


def test_readable_pairs_of_table_2():
    pairs = text_entries("hope_korb2004_table2", "dataset", "winner", "loser")
    assert len(pairs) == 53
    assert ("sign", "J48", "CaMML") in pairs


# ---------------------------------------------------------------------------- the 5x2cv test


@given(arrays(float, (1, 5, 2, 5), elements=st.integers(0, 40).map(float)))
def test_a_winner_is_who_dietterichs_test_says(values):
    runs = Runs(("set",), NAMES, values)
    found = runs.beats()["set"]
    for a in range(5):
        for b in range(a + 1, 5):
            d = values[0, :, :, a] - values[0, :, :, b]
            spread = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum(axis=1).mean()
            if spread == 0:
                t = math.copysign(math.inf, d[0, 0]) if d[0, 0] else 0.0
            else:
                t = d[0, 0] / math.sqrt(spread)
            sure = 2 * student.sf(abs(t), 5) < 0.05
            assert ((NAMES[a], NAMES[b]) in found) == (sure and t > 0)
            assert ((NAMES[b], NAMES[a]) in found) == (sure and t < 0)


def test_clear_differences_do_not_depend_on_the_fold_that_comes_first():
    assert runs_of(["TAN", "AODE", "CaMML", "J48", "NB"]).repeatable() == 1
    loud = runs_of(["TAN", "AODE", "CaMML", "J48", "NB"], noise=1.5)
    assert loud.repeatable() < 1


def test_the_f_test_follows_the_mean_and_the_t_test_the_first_fold():
    values = np.full((1, 5, 2, 5), 0.5)
    values[0, :, :, 0] += [[-0.3, 0.3], [0.31, 0.3], [0.3, 0.31], [0.3, 0.31], [0.31, 0.3]]
    runs = Runs(("set",), NAMES, values)
    assert not runs.beats()["set"]
    values[0, 0, 0, 0] = 0.5 + 0.3
    assert ("NB", "TAN") in runs.beats("F")["set"] & runs.beats("t")["set"]
    values[0, 0, :, 0] = 0.5 - 0.3
    assert ("TAN", "NB") in runs.beats("t")["set"]
    assert ("NB", "TAN") in runs.beats("F")["set"]


def test_without_a_significant_pair_nothing_can_stay():
    flat = Runs(("set",), NAMES, np.ones((1, 5, 2, 5)))
    assert flat.beats() == {"set": set()}
    assert math.isnan(flat.repeatable())


def test_losers_stand_under_their_winners_and_printed_ones_have_a_star():
    beats = {"iris": {("NB", "J48"), ("NB", "TAN")}, "adult": set()}
    rows = in_layout(beats, {"iris": {("NB", "TAN")}}, NAMES)
    assert rows == [("adult", "", "", "", "", ""), ("iris", "J48, TAN*", "", "", "", "")]


# ---------------------------------------------------------------------------- the unit of A.1


@given(st.integers(2, 5), st.integers(0, 1000), st.integers(1, 200))
def test_scores_with_the_prior_of_one_class_are_a_bare_score_and_what_the_prior_adds(k, seed, n):
    random = np.random.default_rng(seed)
    proba, y = random.dirichlet(np.ones(k), 40), random.integers(k, size=40)
    found = evaluate_probabilities(y, proba, random.dirichlet(np.ones(k)), classes=range(k))
    right = proba[np.arange(40), y]
    wrong = np.log1p(-proba).sum(axis=1) - np.log1p(-right)
    bare = without_prior(found)
    assert bare == pytest.approx((np.log(right) + wrong).mean())
    share = np.bincount(y, minlength=k) / 40
    added = OneClassPrior.of(share, n).added
    for counted in range(k):
        prior = prior_from_counts(np.where(np.arange(k) == counted, n, 0))
        whole = k * information_reward(y, proba, prior, classes=range(k), base=math.e)
        assert whole == pytest.approx(bare + added[counted])


def test_the_share_of_folds_is_read_off_what_was_added():
    prior = OneClassPrior.of([0.8, 0.2], 100)
    for share in (0.0, 0.3, 1.0):
        added = share * prior.added[0] + (1 - share) * prior.added[1]
        assert prior.folds_with_first(added) == pytest.approx(share)


def test_letters_leave_nothing_to_fit():
    """A.1 prints 13.8 to 15.2 for 26 letters; Eq. 10 cannot exceed a quarter of a bit."""
    prior = OneClassPrior.of(np.full(26, 1 / 26), 10_000)
    assert np.ptp(prior.added) < 1e-9
    assert prior.expected == pytest.approx(15.95, abs=0.01)


def test_order_within_rows_is_counted_where_it_is_printed():
    ours, paper = np.array([[1.0, 2.0, 3.0]]), np.array([[1.0, 3.0, 2.0]])
    assert same_order(ours, paper) == (2, 3)
    assert same_order(ours, np.array([[1.0, np.nan, 2.0]])) == (1, 1)


# ---------------------------------------------------------------------------- claims


def made_results(reward, accuracy, most=-np.inf):
    runs = {REWARD: reward, ACCURACY: accuracy}
    n = len(reward.names)
    level = Level.of("made", OneClassPrior.of([0.5, 0.5], 100), 200, 5.0)
    shares = [("made", 0.5, 0.3), ("up", 0.5, 0.45)]
    unit = InUnitOfA1(reward.means, np.ones(n), shares, np.full(n, most), [level] * n, np.ones(n))
    return Results(
        runs,
        {measure: found.beats() for measure, found in runs.items()},
        {REWARD: {}, ACCURACY: {reward.names[0]: {("J48", "NB")}}},
        {measure: found.means for measure, found in runs.items()},
        unit,
    )


def made_claims(reward, accuracy, most=-np.inf):
    return claims_of(made_results(reward, accuracy, most))


MANY = ("sign", *(f"set {i}" for i in range(9)))


def test_claims_hold_where_the_runs_are_as_the_paper_says():
    reward = runs_of(["AODE", "CaMML", "TAN", "NB", "J48"], MANY)
    accuracy = runs_of(["J48", "AODE", "CaMML", "TAN", "NB"], MANY)
    claims = made_claims(reward, accuracy)
    said = verdicts(claims)
    for says in (
        "naive Bayes is clearly inferior to the other Bayesian learners",
        "of TAN, AODE and CaMML, AODE is ahead surprisingly often",
        "TAN never beats AODE",
        "on sign J48 is better than any other by accuracy",
        "on sign J48 is worse than TAN, AODE and CaMML by reward",
        "on sign naive Bayes is worse than all others by accuracy",
        "results can be reversed",
        "the listed learners are significantly inferior by accuracy (legible pairs)",
    ):
        assert said[says] is (READING if says.startswith("on ") else REPRODUCED), says
    assert said["accuracy and information reward commonly differ"] is READING
    unit = next(claim for claim in claims if claim.where == "2004, A.1")
    assert unit.verdict is Verdict.CONTRADICTION
    assert "100 of 100 pairs" in unit.because
    assert not_in_the_paper(claims) == []


def test_a_claim_that_names_no_measure_and_holds_by_one_is_a_reading():
    reward = runs_of(["AODE", "CaMML", "TAN", "NB", "J48"], MANY)
    accuracy = runs_of(["NB", "CaMML", "TAN", "AODE", "J48"], MANY)
    claim = made_claims(reward, accuracy)[0]
    assert claim.verdict is READING
    assert claim.reading == (
        "measured by information reward, chosen after the results; by accuracy it does not hold"
    )
    assert "CaMML above NB on 10 of 10 (p = 0.0059), significantly on 10" in claim.because


def test_a_table_is_reproduced_only_if_every_pair_is_significant_again():
    order = ["NB", "TAN", "AODE", "CaMML", "J48"]
    results = made_results(runs_of(order, MANY), runs_of(order, MANY, seed=1))
    says = "the listed learners are significantly inferior by accuracy (legible pairs)"
    claim = next(claim for claim in claims_of(results) if claim.says == says)
    assert claim.verdict is NOT_REPRODUCED
    assert "significant in the opposite direction: sign" in claim.because
    direction, stability = findings_of(results)
    assert "Table 2: 0 of 1; not: sign (J48 above NB)" in direction.because
    assert direction.answer == "not all"
    assert stability.answer == "about 0% of it"


def test_a1_is_an_information_reward_unless_it_exceeds_the_most_that_one_can_be():
    order = ["NB", "TAN", "AODE", "CaMML", "J48"]
    reward, says = runs_of(order), "the raw scores are information rewards"
    most = reward.means.max()
    assert verdicts(made_claims(reward, reward, most))[says] is REPRODUCED
    assert verdicts(made_claims(reward, reward, most - 1e-9))[says] is Verdict.CONTRADICTION


def test_the_errors_of_the_means_are_those_over_the_runs():
    runs = runs_of(["TAN", "AODE", "CaMML", "J48", "NB"], MANY, noise=0.5)
    by_run = runs.values.mean(axis=2)
    np.testing.assert_allclose(runs.errors, by_run.std(axis=1, ddof=1) / 5**0.5)
    assert runs.p("sign", "TAN", "NB") == runs.p("sign", "NB", "TAN")


def test_the_level_of_a1_says_how_many_folds_counted_the_largest_class():
    prior = OneClassPrior.of([0.1, 0.7, 0.2], 300)
    other = np.average(prior.added[[0, 2]], weights=[0.1, 0.2])
    implied = 0.4 * prior.added[1] + 0.6 * other
    level = Level.of("set", prior, 600, implied)
    assert level.folds == pytest.approx(0.4)
    drawn = np.random.default_rng(0).choice(prior.added, size=(4000, 10), p=[0.1, 0.7, 0.2])
    assert level.error == pytest.approx(drawn.mean(axis=1).std(), rel=0.05)
    assert level.off == pytest.approx((implied - drawn.mean()) / level.error, abs=0.1)


def test_anneal_is_explained_by_the_classes_that_were_counted():
    """898 rows, of which 684 are of the largest class; 4 of 10 folds or fewer: 0.016."""
    share = np.array([8, 99, 684, 0, 67, 40]) / 898
    prior = OneClassPrior.of(share, 449)
    level = Level.of("anneal", prior, 898, prior.expected + 3.171)
    unit = InUnitOfA1(np.ones((1, 5)), np.ones(1), [("made", 0.5, 0.3)], np.ones(1), [level],
                      np.ones(1))  # fmt: skip
    found = _anneal(unit, np.array([[4.1, 4.2, 4.175, 4.2, 4.3]]))
    assert "4 of 10 folds counted the largest class, which has 76% of the rows" in found.because
    assert f"So few have probability {binom.cdf(4, 10, 684 / 898):.3f}" in found.because
    assert "by +3.17 nats (+2.9 standard errors)" in found.because
    assert "by +3.10 to +3.30 nats" in found.because
    fits = _unit_fits(unit, np.ones((1, 5)))
    assert "within 0.01 of a tenth on 1 of 1" in fits.because


def test_limits_of_aode_are_compared_with_30():
    labels = ("AODE", *LIMITS)
    values = np.full((2, 5, 2, 4), 0.5)
    values[1, ..., labels.index("AODE, limit 100")] -= 0.1
    limits = {measure: Runs(("a", "b"), labels, values) for measure in (REWARD, ACCURACY)}
    found = _limit_finding(limits, np.full((2, 5), 0.5))
    assert found.answer == "by 0.05 bits on average at most"
    assert found.because.endswith("by at most 0.02 bits on 1 of 2")
    assert "limit 100: reward -0.050 bits on average (s.e. 0.050" in found.because
    assert "most on b, -0.100), accuracy -5.00 points" in found.because


def test_no_score_of_eq_10_exceeds_the_most_that_is_told(tmp_path):
    """And A.1, on iris and wine, does."""
    plan = _plan(None, True).model_dump()
    chosen = [{"source": name, "name": name} for name in ("iris", "wine")]
    learners = {name: plan["learners"][name] for name in ("NB", "J48")}
    store = fill(Plan(**plan | {"datasets": chosen, "learners": learners}), tmp_path)
    runs = Runs.of(store, (REWARD,))[REWARD]
    most = InUnitOfA1.of(store, runs.names, runs.learners).most
    assert (runs.means < most[:, None]).all()
    assert (printed_scores("A.1", runs.names, runs.learners) > most[:, None]).all()


def test_claims_fail_where_the_runs_say_otherwise():
    order = ["NB", "TAN", "AODE", "CaMML", "J48"]
    said = verdicts(made_claims(runs_of(order, MANY), runs_of(order, MANY, seed=1)))
    for says in (
        "naive Bayes is clearly inferior to the other Bayesian learners",
        "TAN never beats AODE",
        "TAN beats CaMML on ptn only",
        "results can be reversed",
        "accuracy and information reward commonly differ",
    ):
        assert said[says] is NOT_REPRODUCED, says


# ---------------------------------------------------------------------------- whole studies


def test_published_accuracies_and_the_unit_of_a1_on_four_data_sets(tmp_path):
    """A.1 and A.2 of Hope & Korb (2004), all runs, without CaMML."""
    whole = _plan(str(shared("datasets")), False)
    names = ("balance-scale", "new-thyroid", "led", "bcw")
    given_plan = whole.model_dump() | {
        "datasets": [d.model_dump() for d in whole.datasets if d.name in names],
        "learners": {
            k: v.model_dump() for k, v in whole.learners.items() if k not in ("CaMML", *LIMITS)
        },
    }
    store = fill(Plan(**given_plan), tmp_path)
    learners = store.learners
    runs = Runs.of(store, (REWARD, ACCURACY))
    print_ = printed_scores("A.2", runs[ACCURACY].names, learners)
    assert np.median(np.abs(runs[ACCURACY].means - print_)) < 0.02
    a1 = printed_scores("A.1", runs[REWARD].names, learners)
    off = a1 - InUnitOfA1.of(store, runs[REWARD].names, learners).scores
    assert np.abs(off - np.median(off, axis=1, keepdims=True)).max() < 0.15


@pytest.mark.usefixtures("short_searches")
def test_a_quick_run_needs_no_data(tmp_path, monkeypatch):
    monkeypatch.delenv("WAGER_DATA", raising=False)
    out, shell = str(tmp_path / "store"), CliRunner()
    ran = shell.invoke(app, ["study", "run", "hope-korb-2004-uci", "--quick", "-o", out])
    assert ran.exit_code == 0, ran.output
    assert Store(out).counts() == {"planned": 160, "done": 160, "failed": 0}
    docs = tmp_path / "docs"
    command = ["study", "report", "hope-korb-2004-uci", "-o", out, "--docs", str(docs)]
    shown = shell.invoke(app, command)
    assert shown.exit_code == 0, shown.output
    assert "| A.2, NB (accuracy) | 2 |" in shown.output
    assert "| data set | NB | J48 | CaMML | AODE | TAN |" in shown.output
    assert "| data set | reward (bits), limit 1 |" in shown.output
    for verdict in Verdict:  # two data sets decide nothing
        assert f">{verdict}<" not in shown.output
    assert len(list((docs / "images" / "studies").iterdir())) == 2
    assert (docs / "results" / "hope-korb-2004-uci" / "a-2-accuracy.csv").is_file()


def test_a_study_that_has_not_begun_says_so(tmp_path):
    plan = _plan(str(shared("datasets")), True)
    only = plan.model_dump() | {"datasets": [plan.datasets[0].model_dump()], "time_limit": 1e-9}
    run(Plan(**only), tmp_path)
    assert _analyse(Store(tmp_path)) == {"notes": ["No data set is finished."]}


# ---------------------------------------------------------------------------- the rewards


@given(chances, chances, chances)
def test_no_report_earns_more_by_ir_than_that_of_equation_9(f, prior, other):
    best, truth, before = best_report(f, prior), (f, 1 - f), (prior, 1 - prior)
    assert expected("IR", (best, 1 - best), truth, before) >= (
        expected("IR", (other, 1 - other), truth, before) - 1e-9
    )


@settings(max_examples=10)
@given(st.integers(0, 100))
def test_the_search_for_the_best_report_ends_at_the_truth_for_ir_b(seed):
    truth, prior = np.random.default_rng(seed).dirichlet([2, 2, 2], 2)
    np.testing.assert_allclose(found_report("IR_B", truth, prior), truth, atol=1e-5)


@pytest.fixture(scope="module")
def rewards():
    return report_of("hope-korb-rewards")


def test_what_the_paper_says_of_the_rewards(rewards):
    """0.531 of Section 3.3; 0.00506 and 0.727 solve Eq. (8) for f = p = 0.1."""
    said = verdicts(rewards.claims)
    assert Verdict.CONTRADICTION not in said.values()
    assert {says for says, verdict in said.items() if verdict is READING} == {
        "Good's reward is always below 1",
        "with the prior (0.1, 0.45, 0.45) IR is far from the others",
        "under KB a certain hit and a certain miss cancel exactly",
        "with the uniform prior IR and IR_B are nearly indistinguishable",
    }
    assert NOT_REPRODUCED not in said.values()
    assert not_in_the_paper(rewards.claims) == []
    earns, hedging = rewards.tables
    at_half = {row[0]: row[2:] for row in earns.rows if row[1] == 0.5}
    assert at_half["1a"][1:] == pytest.approx([0.317, 0.308], abs=5e-4)
    assert hedging.rows[0][2:5] == pytest.approx([0.00506, 0.727, 0], abs=5e-4)
    assert all(row[5] == pytest.approx(row[0], abs=1e-4) for row in hedging.rows)


def test_the_figures_of_the_rewards_are_the_stored_ones(rewards):
    check_figures_of(rewards.name, rewards.figures.items())


def test_figure_1_has_a_panel_for_each_prior(rewards):
    figures = rewards.figures
    first, second = figures["Figure 1"]().axes
    assert first.get_legend() is not None
    assert second.get_title() == "(b) prior (0.1, 0.45, 0.45)"
    assert len(figures["Best report under IR"]().axes[0].get_lines()) == 4
