from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import ttest_rel
from typer.testing import CliRunner

from tests.experiments.filled import fill
from tests.studies.quotations import not_in_the_paper
from wager.cli import app
from wager.experiments import MetaMetric, Plan, Store, studies
from wager.experiments.generators import random_aode, random_naive_bayes, random_tan
from wager.experiments.run._unit_data import unit_data
from wager.experiments.store._database import open_to_write
from wager.experiments.study import Verdict
from wager_studies.hope_korb import _metametric, _settings
from wager_studies.hope_korb._artificial import AS_CITED, SETTINGS, verdict_of
from wager_studies.hope_korb._artificial_claims import (
    COMPARED,
    FAMILIES,
    SIZES,
    ClaimCheck,
    Experiment,
    checks_of,
)
from wager_studies.hope_korb._rankings import METRICS, TRUTHS
from wager_studies.hope_korb._settings import EVERYONE, VARIANTS, checks_by_setting

pytestmark = pytest.mark.long

numbers = st.floats(-5, 5).map(lambda x: round(x, 2))


def tables_of(model):
    parts = getattr(model, "parts", (model,))
    return [table for part in parts for table in part.tables]


@given(
    st.sampled_from([random_naive_bayes, random_tan, random_aode]),
    st.sampled_from(["simplex", "normalised"]),
    st.integers(0, 50),
)
def test_probabilities_are_those_of_distributions_however_they_are_drawn(generator, draw, seed):
    for table in tables_of(generator(seed, draw=draw)):
        np.testing.assert_allclose(table.sum(axis=-1), 1)
        assert table.min() >= 0


def test_normalised_numbers_are_seldom_extreme():
    """The least of two uniform numbers, divided by their sum, is below 0.1 with chance 1/9."""
    pairs = {
        draw: np.concatenate([
            table.min(axis=-1).ravel()
            for seed in range(60)
            for table in tables_of(random_tan(seed, n_values=(2, 2), draw=draw))
        ])
        for draw in ("simplex", "normalised")
    }  # fmt: skip
    assert (pairs["normalised"] < 0.1).mean() == pytest.approx(1 / 9, abs=0.03)
    assert (pairs["simplex"] < 0.1).mean() == pytest.approx(1 / 5, abs=0.03)


def test_an_unknown_way_to_draw_is_refused():
    with pytest.raises(ValueError, match="draw must be 'simplex' or 'normalised', got 'beta'"):
        random_tan(0, draw="beta")


def generated(**scheme):
    return Plan(
        datasets=[{"generator": "random-tan"}],
        learners={"nbc": "naive-bayes"},
        scheme={"kind": "generate", "sizes": [20, 40], "test_rows": 30, **scheme},
    )


def test_training_sets_of_all_sizes_may_share_a_test_set():
    small, large = (unit_data(unit) for unit in generated(same_test=True, repeats=1).units())
    np.testing.assert_array_equal(small.test.X, large.test.X)
    np.testing.assert_array_equal(small.y_test, large.y_test)
    assert (len(small.y_train), len(large.y_train)) == (20, 40)
    first, second, again, _ = (unit_data(u) for u in generated(same_test=True, repeats=2).units())
    np.testing.assert_array_equal(first.test.X, again.test.X)
    assert (first.test.X != second.test.X).any()


def test_test_sets_of_their_own_are_what_they_were_before_there_was_a_choice():
    own, said = generated(), generated(same_test=False)
    assert [unit.key for unit in own.units()] == [unit.key for unit in said.units()]
    assert own.scheme.identity() == {"kind": "generate", "test_rows": 30}
    small, large = (unit_data(unit) for unit in own.units())
    assert (small.test.X != large.test.X).any()


@given(st.integers(0, 1000))
def test_the_worse_learners_are_those_of_paired_t_tests_with_bonferronis_level(seed):
    random = np.random.default_rng(seed)
    scores = random.normal(size=(12, 4, 3)) + random.normal(size=(4, 3))
    worse = Experiment(scores).worse_than(500)
    for a, b in combinations(range(4), 2):
        test = ttest_rel(scores[:, a, 1], scores[:, b, 1])
        significant = test.pvalue < 0.05 / 6
        assert (COMPARED[b] in worse[COMPARED[a]]) == (significant and test.statistic > 0)
        assert (COMPARED[a] in worse[COMPARED[b]]) == (significant and test.statistic < 0)


def as_the_paper_says():
    """Mean rewards that agree with every conclusion, by family: learners in rows, sizes along."""
    return {
        # NB, TAN, AODE, CaMML
        "naive Bayes": [
            [0.22, 0.28, 0.29], [0.20, 0.28, 0.29], [0.20, 0.28, 0.29], [0.1, 0.28, 0.29],
        ],
        "TAN": [
            [0.07, 0.15, 0.17], [0.05, 0.25, 0.31], [0.12, 0.22, 0.25], [0.04, 0.27, 0.31],
        ],
        "AODE": [
            [-0.08, 0.02, 0.03], [-0.27, 0.00, 0.05], [-0.04, 0.04, 0.06], [0.00, 0.01, 0.05],
        ],
    }  # fmt: skip


def experiments(means):
    """Forty models whose mean rewards are exactly these."""
    random = np.random.default_rng(0)
    noise = random.normal(0, 0.002, size=(len(means), 40, 4, 3))
    noise -= noise.mean(axis=1, keepdims=True)
    return {
        family: Experiment(np.array(rows) + each)
        for (family, rows), each in zip(means.items(), noise, strict=True)
    }


def test_every_conclusion_holds_where_the_rewards_are_as_the_paper_says():
    """But one: CaMML cannot be at least as good in the limit where AODE is ahead of it."""
    found = checks_of(experiments(as_the_paper_says()))
    failing = [check.says for check in found if not check.holds]
    assert failing == ["with enough data CaMML is at least as good as every other learner"]
    assert not_in_the_paper(found) == []


def test_a_simpler_learner_must_be_ahead_on_tan_models_too():
    means = as_the_paper_says()
    means["TAN"][1][0] = 0.0  # TAN, behind CaMML with 50 rows
    failing = {check.says for check in checks_of(experiments(means)) if not check.holds}
    assert "with few data the simplest learner that can represent the true model is best" in failing


def test_conclusions_fail_where_all_learners_are_alike():
    alike = {family: np.full((4, 3), 0.1) for family in as_the_paper_says()}
    found = {check.says: check.holds for check in checks_of(experiments(alike))}
    assert found["on naive Bayes models, NB, TAN and AODE perform similarly at each size"]
    worse = "on naive Bayes models with 50 rows CaMML is significantly worse than the others"
    assert not found[worse]
    assert not found["it can be better not to model the data at all, which earns zero"]
    assert not found["on TAN models with enough data TAN and CaMML outperform AODE"]


def check(holds, reading=""):
    return ClaimCheck("2004, 6", "so", "quoted", holds, "seen", reading)


@pytest.mark.parametrize(
    ("holding", "reading", "expected"),
    [
        (SETTINGS.values(), "", Verdict.REPRODUCED),
        (AS_CITED, "", Verdict.REPRODUCED),
        (AS_CITED, "as meant", Verdict.READING),
        (AS_CITED[:1], "", Verdict.READING),
        (AS_CITED[1:], "", Verdict.READING),
        (["uniform on the simplex, TAN smoothed"], "", Verdict.NOT_REPRODUCED),
        ([], "as meant", Verdict.NOT_REPRODUCED),
    ],
)
def test_a_claim_is_reproduced_if_it_holds_however_probabilities_are_drawn(
    holding, reading, expected
):
    checks = {words: check(words in list(holding), reading) for words in SETTINGS.values()}
    checks |= {"experiment 1": check(True), "experiment 2": check(False)}
    claim = verdict_of(checks, None)
    assert claim.verdict is expected
    assert "holds in 1 of 2 experiments" in claim.because
    if expected is Verdict.READING and not reading:
        assert "one of two ways tried, chosen for its fit" in claim.reading
        assert "fails with:" in claim.because
    if holding == ["uniform on the simplex, TAN smoothed"]:
        assert claim.because.endswith("holds with: uniform on the simplex, TAN smoothed")
    assert verdict_of(checks, "too few").verdict is None


def test_settings_are_varied_one_at_a_time():
    """A limit that makes AODE poor on its own models turns the claims that need AODE ahead."""
    rewards = {}
    for family, experiment in experiments(as_the_paper_says()).items():
        scores = experiment.scores
        more = [scores[:, COMPARED.index(learner)] for learner, _ in VARIANTS.values()]
        rewards[family] = np.concatenate([scores, np.stack(more, axis=1)], axis=1)
    same = checks_by_setting(rewards)
    assert all(checks == same["as in the study"] for checks in same.values())
    rewards["AODE"][:, EVERYONE.index("AODE, limit 100")] -= 1
    found = checks_by_setting(rewards)
    first, poor = (
        {check.says: check.holds for check in found[name]}
        for name in ("as in the study", "AODE, limit 100")
    )
    ahead = "on AODE models AODE is ahead of all others once data are enough"
    assert first[ahead]
    assert not poor[ahead]
    assert found["CaMML, seed 1"] == found["as in the study"]


def test_a_setting_changes_rewards_only_if_a_difference_is_significant():
    rng = np.random.default_rng(0)
    scores = rng.normal(0, 0.1, (40, len(EVERYONE), len(SIZES)))
    values = {"information_reward": dict.fromkeys(FAMILIES, scores)}
    assert _settings._answer(values, "CaMML") == "no significant difference"
    scores[:, EVERYONE.index("CaMML, seed 2"), 1] += 0.3
    assert _settings._answer(values, "CaMML") == "yes"
    assert _settings._answer(values, "AODE") == "no significant difference"


def test_the_varied_settings_are_tried_on_the_models_of_the_study():
    """Units of the learners that both studies have are the same."""
    whole, varied = (
        {unit.key: unit.label for unit in studies.get(name).plan(None, False).units()}
        for name in ("hope-korb-2004-artificial", "hope-korb-2004-settings")
    )
    common = [label for key, label in varied.items() if key in whole]
    assert len(common) == 40 * len(FAMILIES) * len(SIZES) * len(COMPARED)
    assert set(common) == set(COMPARED)


def test_the_settings_study_reports_what_is_done_and_answers_nothing_with_two_models(tmp_path):
    study = studies.get("hope-korb-2004-settings")
    plan = study.plan(None, True).model_dump()
    for name in plan["learners"]:  # as fast as possible: the report is what is tested
        if "CaMML" in name or name == "TAN":
            own = {"prior": "perks", "s": 1 + len(name) + name.count("2")}
            plan["learners"][name] = {"learner": "naive-bayes", "params": own}
    plan["scheme"] |= {"test_rows": 100}
    store = fill(Plan(**plan), tmp_path)
    report = study.report(store)
    checks, differences, rewards, accuracies = report.tables
    assert checks.headers[2:] == ("as in the study", *VARIANTS)
    assert len(differences.rows) == len(VARIANTS) * 9
    assert len(rewards.rows) == len(accuracies.rows) == 9
    assert not report.findings
    assert len(report.figures["AODE by its limit"]().axes) == 3


def run_quickly(name, folder):
    ran = CliRunner().invoke(app, ["study", "run", name, "--quick", "-o", str(folder)])
    assert ran.exit_code == 0, ran.output
    return studies.get(name).report(folder)


@pytest.mark.usefixtures("short_searches")
def test_the_artificial_study_runs_and_leaves_its_conclusions_open(tmp_path):
    report = run_quickly("hope-korb-2004-artificial", tmp_path)
    counts = Store(tmp_path).counts()
    assert counts["done"] == counts["planned"] == 2 * 3 * 2 * len(SIZES) * 5
    assert {claim.verdict for claim in report.claims} == {None}
    assert "2 models of each family are done; so far" in report.claims[0].because
    settings_, rewards, divergences, _, intervals, losers, effects, pairs = report.tables
    assert settings_.headers[2:] == tuple(SETTINGS.values())
    assert len(rewards.rows) == len(divergences.rows) == 18
    assert len(losers.rows) == 9
    assert [row[1] for row in effects.rows] == ["learner", "rows", "learner:rows"] * 3
    assert [row[3:5] for row in effects.rows[:3]] == [(3, 3), (2, 2), (6, 6)]
    assert len(pairs.rows) == 54
    assert len(intervals.rows) == 2 * len(rewards.rows)
    assert not intervals.shown
    shell = CliRunner()
    shown = shell.invoke(app, ["study", "report", report.name, "-o", str(tmp_path)])
    assert "Analysis of variance of the reward" in shown.output
    by_rows = np.array([row[3:] for row in divergences.rows]).reshape(6, 3, 5)
    assert (by_rows[:, 0] > by_rows[:, 2]).all()  # more rows bring everyone nearer to the truth
    figure = report.figures["Figure 4: AODE models"]()
    drawn = [text.get_text() for part in figure.subfigs for ax in part.axes for text in ax.texts]
    assert drawn.count("class") == 3  # the example mixes three networks


@pytest.mark.usefixtures("short_searches")
def test_the_meta_metric_is_published_for_every_truth_and_test_size(tmp_path):
    report = run_quickly("hope-korb-metametric", tmp_path)
    table, tidy, parts = report.tables
    assert len(table.rows) == 3 * len(METRICS)
    assert table.headers[2:] == ("25 rows", "50 rows", "100 rows", "250 rows", "1,000 rows")
    shares = {row[:3]: row[3] for row in tidy.rows}
    assert all(0 <= share <= 100 for share in shares.values())
    for metric in ("log loss", "IR_B", "Brier"):  # a thousand rows rank better than 25
        assert shares["divergence", metric, 1000] > shares["divergence", metric, 25] > 50
    assert len(parts.rows) == 7 * 3 * len(METRICS)
    assert not report.claims  # the paper announces a meta-metric and has no result of it
    assert not report.findings  # eight models are too few
    words = "Judged by the true cost of decisions, with 25 to 100 test rows trust"
    assert words in report.section()
    panels = report.figures["Pairs ranked as by the truth"]().axes
    assert [len(ax.lines) for ax in panels] == [len(METRICS)] * 3


def test_verdicts_of_the_meta_metric_follow_from_the_shares():
    """IR_B is ahead of all other metrics by divergence and cost, but AUC by accuracy."""
    rng = np.random.default_rng(0)
    share = np.full((80, 3, 3, len(METRICS)), 0.6) + 0.02 * rng.normal(size=(80, 3, 3, 1))
    for truth, metric in ((0, "IR_B"), (1, "AUC"), (2, "IR_B")):
        share[:, truth, :, METRICS.index(metric)] += rng.normal(0.1, 0.02, (80, 3))
    problems = tuple((f"m-{k}", 50) for k in range(80))
    rankings = MetaMetric(METRICS, TRUTHS, (25, 50, 100), problems, share, 0 * share)
    assert [finding.answer for finding in _metametric._findings(rankings)] == [
        "yes",
        "yes",
        "yes",
        "no",
        "IR_B",
        "by divergence from the truth and true cost of decisions only",
    ]


def test_the_meta_metric_of_a_run_that_is_not_over_answers_nothing(tmp_path):
    study = studies.get("hope-korb-metametric")
    whole = study.plan(None, True)
    changed = {
        "datasets": [{"generator": "random-naive-bayes", "name": "naive Bayes", "models": 3}],
        "learners": {**whole.model_dump()["learners"], "CaMML": {"learner": "naive-bayes"}},
        "scheme": {"kind": "generate", "sizes": [50], "test_rows": 200},
    }
    more = Plan(**whole.model_dump() | changed)
    changed["datasets"] = [{**changed["datasets"][0], "models": 2}]
    store = fill(Plan(**whole.model_dump() | changed), tmp_path)
    with open_to_write(tmp_path) as writer:
        writer.begin(more.model_dump_json(), more.units())
    assert store.counts() == {"planned": 15, "done": 10, "failed": 0}
    report = study.report(tmp_path)
    assert not report.findings
    assert report.tables[0].headers[2:] == ("25 rows", "50 rows", "100 rows")
