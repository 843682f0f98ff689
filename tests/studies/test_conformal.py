"""Conformal against credal sets: utility lines, pairs, coverage, sentences, and a quick run."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from typer.testing import CliRunner

from tests.experiments.filled import fill
from tests.shared import shared
from wager.cli import app
from wager.compare import break_even, paired_t, quadratic_line
from wager.experiments import Plan, Store, run, studies
from wager.rewards import PairedTally, Tally
from wager_studies.findings._answers import answers
from wager_studies.findings._guarantee import CoverageCheck, guarantee_table
from wager_studies.findings._pairs import FoldDifferences, pair_table
from wager_studies.findings._plan import BAGGED, BAYES, FOREST, RANDOM_FOREST, plan
from wager_studies.findings._recommendations import (
    best_table,
    range_where_better,
    recommendations,
    short_answer,
)
from wager_studies.findings._utility_lines import UtilityLines

pytestmark = pytest.mark.long

unit = st.floats(0, 1)


@given(
    arrays(float, (4, 3), elements=unit), arrays(float, (4, 3), elements=unit), st.floats(0.5, 1)
)
def test_two_utilities_fix_what_is_earned_under_all(u50, u80, q):
    lines = UtilityLines.of("abc", u50, u80)
    np.testing.assert_allclose(lines.at(0.5), u50, atol=1e-12)
    np.testing.assert_allclose(lines.at(0.8), u80, atol=1e-12)
    share = (q - 0.5) / 0.3
    np.testing.assert_allclose(lines.at(q), (1 - share) * u50 + share * u80, atol=1e-12)


def test_lines_are_those_of_the_tallies():
    tally = Tally.of([0, 1, 2, 2], [[0], [0, 1], [0, 1, 2], [1]], classes=[0, 1, 2])
    u50, u80 = ([[tally.expected_utility(u)]] for u in ("u50", "u80"))
    np.testing.assert_allclose(UtilityLines.of(["a"], u50, u80).lines[0, 0], quadratic_line(tally))


def test_data_sets_of_one_row_each_break_even_where_the_rows_do():
    """With one row per data set, the point is that of the rows, and a t-test over the data sets is
    exactly significant at the inner end of the interval."""
    y, sure = [0] * 40, [0] * 26 + [1] * 14
    vague = [[0]] * 20 + [[0, 1]] * 20
    rows = PairedTally.of(y, vague, sure)
    u = {name: np.array([[Tally.of([0], [s], classes=[0, 1]).expected_utility(name) for s in pair]
                         for pair in zip(vague, [[c] for c in sure], strict=True)])
         for name in ("u50", "u80")}  # fmt: skip
    ours = UtilityLines.of(["vague", "sure"], u["u50"], u["u80"]).break_even("vague", "sure")
    wanted = break_even(rows, names=("vague", "sure"))
    assert ours.value == pytest.approx(wanted.value)
    low, high = ours.interval
    at_end = u["u50"] + (high - 0.5) / 0.3 * (u["u80"] - u["u50"])
    assert low == 0.5
    assert paired_t(*at_end.T).p == pytest.approx(0.05)
    for verdict in (ours.verdict, wanted.verdict):
        assert verdict.startswith("vague scores higher than sure for u(0.5) above")


def two(n=12, gain=0.1):
    """One that returns a single class, and one that on average gains for u(0.5) above 0.65."""
    rng = np.random.default_rng(0)
    sure = rng.uniform(0.6, 0.7, n)
    sure += 0.65 - sure.mean()
    return UtilityLines.of(
        ["NBC", "vague"],
        np.column_stack([sure, np.full(n, 0.5)]),
        np.column_stack([sure, np.full(n, 0.8)]),
    )


def test_the_best_method_changes_where_both_earn_the_same():
    lines = two()
    first, second = lines.best()
    assert (first[2], second[2]) == ("NBC", "vague")
    assert first[1] == pytest.approx(0.65, abs=0.002)
    assert first[1] == second[0]
    low, high = range_where_better(lines, "vague", "NBC")
    assert 0.65 < low < 0.7
    assert high == 1.0
    assert range_where_better(lines, "NBC", "vague")[0] == 0.5
    gains = lines.profile(less="NBC")
    assert gains.expected[0].tolist() == [0.0] * 51
    assert gains.expected[1][0] == pytest.approx(-0.15)


def test_a_paragraph_names_the_best_and_those_significantly_better():
    text = recommendations(
        two(), UtilityLines.of(["RF", "RF IDM"], [[0.5, 0.6]] * 3, [[0.5, 0.6]] * 3)
    )
    assert "NBC from 0.50 to 0.65, vague from 0.65 to 1.00" in text[0]
    assert "better than NBC: vague (u(0.5) above 0.6" in text[0]
    assert "RF IDM (for every u(0.5))" in text[1]


def test_the_best_method_is_listed_with_those_not_significantly_worse():
    rows = best_table(
        two(), UtilityLines.of(["RF", "RF IDM"], [[0.5, 0.6]] * 3, [[0.5, 0.6]] * 3)
    ).rows
    by = {row[:2]: row[2:] for row in rows}
    assert by["naive Bayes", "0.5"][0] == "NBC"
    assert by["naive Bayes", "0.8"][0] == "vague"
    assert by["naive Bayes", "0.8"][1] == pytest.approx(15)
    assert by["naive Bayes", "0.8"][3] == "none"
    assert by["naive Bayes", "0.65"][3] in ("NBC", "vague")
    assert by["random forest", "0.95"] == ("RF IDM", pytest.approx(10), "10.0 to 10.0", "none")


def test_coverage_significantly_below_the_promise_is_counted():
    error = np.array([0.01, 0.05])
    kept = CoverageCheck(
        0.9, np.array([0.87, 0.87]), error, np.array([900, 36]), np.array([810, 32])
    )
    assert kept.n_below == 1
    (row,) = guarantee_table({"LAC 10%": kept}).rows
    assert row[4:] == (2, 1, 2)


def made_up():
    """Scores of all methods on 12 data sets: one class, or sets of two that always hit."""
    rng = np.random.default_rng(1)
    names = [*BAYES, *FOREST]
    sure = dict(zip(names, rng.uniform(0.6, 0.9, (len(names), 12)), strict=True))
    scores = dict.fromkeys(("u50", "u65", "u80"), sure)
    return scores | {
        "coverage": {name: values + 0.05 for name, values in sure.items()},
        "mean_set_size": {name: values + 1 for name, values in sure.items()},
        "determinacy": sure,
    }


def test_answers_follow_the_scores():
    scores = made_up()
    scores["mean_set_size"] |= {f"LAC {a}%": np.full(12, 1.0) for a in (5, 10, 20)}
    scores["u50"] = {**scores["u50"], "NCC": scores["u50"]["NBC"] - 0.1}
    for u in ("u65", "u80"):
        scores[u] = {**scores[u], "NCC": scores[u]["NBC"] + 0.01 * np.array([1, -1] * 6)}
    good = CoverageCheck(
        0.9, np.full(12, 0.91), np.full(12, 0.01), np.full(12, 100), np.full(12, 90)
    )
    bad = CoverageCheck(0.9, np.full(12, 0.8), np.full(12, 0.01), np.full(12, 100), np.full(12, 90))
    families = [
        UtilityLines.of(
            list(kind), *(np.column_stack([scores[u][n] for n in kind]) for u in ("u50", "u80"))
        )
        for kind in (BAYES, FOREST)
    ]
    said = {each.question: each.answer for each in answers(scores, {"LAC 10%": good}, *families)}
    assert next(a for q, a in said.items() if q.startswith("Do conformal sets")) == "yes"
    assert next(a for q, a in said.items() if q.startswith("Does LAC")) == "yes"
    assert next(a for q, a in said.items() if q.startswith("Does NCC earn more than NBC")) == (
        "u50: less; u65: no significant difference; u80: no significant difference"
    )
    words = short_answer(*families, scores, [f"d{i}" for i in range(12)])
    assert "NCC is ahead of NBC on 6 data sets under u80 and behind on 6" in words
    lost = scores["u80"]["NCC"] - scores["u80"]["NBC"]
    assert f"the greatest losses on d{lost.argmin()} -1," in words
    gains = {n: 100 * (scores["u50"][n] - scores["u50"]["NBC"]).mean() for n in BAYES}
    best = max(gains, key=gains.get)  # the same under u50 and u80, so under u65
    assert f"At 0.65 {best} ({gains[best]:+.1f})" in words
    broken = answers(scores, {"LAC 10%": bad}, *families)[0]
    assert broken.answer == "no"
    assert "12 of 12 cases" in broken.because


def test_a_pair_counts_data_sets_and_uses_all_folds():
    rng = np.random.default_rng(0)
    names = tuple(f"d{i}" for i in range(6))
    values = {(u, m, d): rng.normal(0.7 + 0.05 * (m == "a"), 0.01, 10)
              for u in ("u65", "u80") for m in "ab" for d in names}  # fmt: skip
    folds = FoldDifferences(values, names)
    means = {m: [values["u65", m, d].mean() for d in names] for m in "ab"}
    lines = UtilityLines.of("ab", *[np.column_stack([means["a"], means["b"]])] * 2)
    (row,) = pair_table("Pairs", lines, folds, [("a", "b")]).rows
    assert row[:2] == ("a", "b")
    assert row[2] == pytest.approx(5, abs=1)
    assert row[5] == "6-0"
    assert row[6] == "0.031"  # 2 / 2^6: all six differences on one side
    assert row[7].startswith(("1.00", "0.9"))
    assert row[-2:] == ("never", "significant")


def test_the_plan_has_52_data_sets_and_every_method_on_the_same_folds():
    whole = plan(str(shared("datasets")), False)
    assert len(whole.datasets) == 52
    units = whole.units()
    assert len(units) == 52 * 10 * len([*BAYES, *FOREST])
    assert {u.split for u in units if u.label == "NCC"} == {
        u.split for u in units if u.label == "RF"
    }


@pytest.fixture
def small_forests(monkeypatch):
    """Forests of three trees and eight resamples: the study spends most time on thirty."""
    monkeypatch.setitem(RANDOM_FOREST["params"], "n_estimators", 3)
    monkeypatch.setitem(BAGGED["params"], "n_estimators", 8)


@pytest.mark.usefixtures("small_forests")
def test_data_sets_with_classes_missing_from_folds_work(tmp_path):
    """white-clover has a class of a single row."""
    whole = plan(str(shared("datasets")), False)
    chosen = [
        d.model_dump() for d in whole.datasets if d.name in ("contact-lenses", "white-clover")
    ]
    learners = {
        n: s.model_dump()
        for n, s in whole.learners.items()
        if n in ("NBC", "BAG", "APS 10%", "RF IDM")
    }
    given_plan = whole.model_dump() | {"datasets": chosen, "learners": learners}
    summary = run(Plan(**given_plan), tmp_path / "store")
    assert summary.ok
    coverage = Store(tmp_path / "store").scores("coverage")
    by = dict(zip(coverage.columns, coverage.values.T, strict=True))
    assert (by["BAG"] >= by["NBC"] - 0.1).all()
    assert (by["APS 10%"] > 0.8).all()


@pytest.mark.usefixtures("small_forests")
def test_a_quick_run_reports_all_parts(tmp_path, monkeypatch):
    monkeypatch.delenv("WAGER_DATA", raising=False)
    monkeypatch.setattr("wager_studies.findings._pairs.SAMPLES", 20)  # for 68 pairs of methods
    out, docs = tmp_path / "store", tmp_path / "docs"
    shell = CliRunner()
    ran = shell.invoke(app, ["study", "run", "conformal-vs-credal", "--quick", "-o", str(out)])
    assert ran.exit_code == 0, ran.output
    assert Store(out).counts() == {"planned": 225, "done": 225, "failed": 0}
    command = ["study", "report", "conformal-vs-credal", "-o", str(out), "--docs", str(docs)]
    shown = shell.invoke(app, command)
    assert shown.exit_code == 0, shown.output
    assert "Recommendations around naive Bayes: by the mean over 3 data sets" in shown.output
    assert "| NCC | APS 10% |" in shown.output
    assert "Too few data sets are finished" in shown.output
    assert len(list((docs / "images" / "studies").glob("*.svg"))) == 5


def test_a_store_with_nothing_finished_says_so(tmp_path):
    study = studies.get("conformal-vs-credal")
    whole = study.plan(None, True).model_dump()
    some = {"NBC": whole["learners"]["NBC"], "NCC": whole["learners"]["NCC"]}
    first = whole | {"datasets": whole["datasets"][:1], "learners": some}
    fill(Plan(**first), tmp_path / "store")
    report = study.report(tmp_path / "store")
    assert not report.tables
    assert "Fewer than two data sets" in report.notes[-1]
