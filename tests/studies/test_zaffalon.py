import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.experiments.filled import fill
from tests.shared import shared
from tests.studies.computed import report_of
from wager.experiments import Plan, ScoreTable, studies
from wager.experiments.generators import random_binary_naive_bayes, random_irrelevant_features
from wager.experiments.study import Verdict
from wager.rewards import PairedTally
from wager_studies._data_sets import DATA_SETS, order_of_rows
from wager_studies._published import flags, printed
from wager_studies.zaffalon import _zero_counts as zero_counts
from wager_studies.zaffalon._artificial import BAYES, _verdict
from wager_studies.zaffalon._credal import _printed_cells, _recomputed
from wager_studies.zaffalon._credal_claims import MEASURES, NAMES, claims_after_selection
from wager_studies.zaffalon._ignorance import OnIgnorance
from wager_studies.zaffalon._nbc_ncc import UTILITIES, _Matchup, _similarity
from wager_studies.zaffalon._runs import errors_over_runs
from wager_studies.zaffalon._table_11 import AS_DESCRIBED, FoldUtilities, WinCounts
from wager_studies.zaffalon._utilities import claims_on_utilities
from wager_studies.zaffalon._worth_of_sets import claims_on_sets
from wager_studies.zaffalon._zero_counts_learner import ZeroCounts

pytestmark = pytest.mark.long


def claims(report):
    return {claim.says: claim for claim in report.claims}


@given(st.floats(0.05, 0.95), st.integers(1, 6), st.integers(0, 100))
def test_irrelevant_features_do_not_change_the_class_probabilities(chance, n_features, seed):
    model = random_irrelevant_features(seed, chance=chance, n_features=n_features)
    X, y = model.sample(50, seed)
    np.testing.assert_allclose(model.class_probabilities(X), [[chance, 1 - chance]] * 50)
    assert set(y) <= {0, 1}


def test_a_chance_of_one_is_refused():
    with pytest.raises(ValueError, match="chance must lie between 0 and 1, got 1"):
        random_irrelevant_features(0, chance=1)


def test_the_area_of_ignorance_by_hand():
    y = [0, 1, 0, 1]
    credal = [[0], [0, 1], [0, 1], [0, 1]]
    area = OnIgnorance.of([PairedTally.of(y, credal, [0, 1, 1, 1])])
    assert area.share == 0.75
    assert area.accuracy == pytest.approx(2 / 3)
    assert area.gain("u80") == pytest.approx(0.8 / (2 / 3) - 1)


def test_no_area_of_ignorance_has_no_accuracy_and_no_gain():
    area = OnIgnorance.of([PairedTally.of([0, 1], [[0], [1]], [0, 1])])
    assert area.share == 0
    assert np.isnan([area.accuracy, area.gain("u65")]).all()


def test_the_55_data_sets_are_those_of_the_tables():
    from wager_studies._published import printed

    names = {name for (name,) in printed("zaffalon2012_tables12_19", "13", "dataset")}
    assert set(DATA_SETS) == names
    assert len(DATA_SETS) == 55


def test_errors_of_the_second_order_formula():
    """Largest errors as exact binomial sums give them: 1.5% (n = 2), 16% (n = 10) for log."""
    report = report_of("zaffalon-bets")
    errors = {row[:2]: row[4] for row in report.tables[0].rows}
    assert errors["log", 2] == pytest.approx(1.5, abs=0.05)
    assert errors["log", 10] == pytest.approx(16, abs=0.5)
    assert errors["exp:5", 10] == pytest.approx(391, abs=1)
    said = claims(report)
    assert said["more classes delay convergence"].verdict is Verdict.REPRODUCED
    assert said["higher risk aversion delays convergence"].verdict is Verdict.CONTRADICTION
    always = said["the error of the second-order formula is always below 1%"]
    assert always.verdict is Verdict.NOT_REPRODUCED


def test_the_main_results_on_single_bets_hold_exactly_but_for_the_example():
    """Example 1: 1(1 - 2) + 2(-2 + 3) is 1 epsilon, where 4 is printed."""
    said = {claim.where: claim for claim in claims_on_sets()}
    for place in ("4, Theorem 1", "5, Proposition 1", "7, Proposition 2", "7, Proposition 3"):
        assert said[f"2012, {place}"].verdict is Verdict.REPRODUCED
    assert said["2012, 7"].verdict is Verdict.READING
    assert "1 - exp(-3x) gives the second more" in said["2012, 7"].because
    *_, moments, sizes = claims_on_sets()
    assert moments.verdict is Verdict.REPRODUCED
    assert "larger by 0.5 epsilon, its determinacy smaller by 1 epsilon" in moments.because
    assert sizes.verdict is Verdict.CONTRADICTION
    assert "the difference is 1 epsilon" in sizes.because


def test_the_exponential_utility_of_section_8_2_does_not_reach_1():
    *_, claim = claims_on_utilities()
    assert claim.verdict is Verdict.READING
    assert "takes 0.750, 0.878, 0.960 at 1" in claim.because  # 1 - (1 - u)² for u(0.5) = u


def test_the_test_after_selection_takes_cma_after_selection():
    """The printed columns of CMA are those without selection, and hide a difference."""
    rng = np.random.default_rng(0)
    scores = {m: 80 + rng.normal(0, 0.1, (55, 4)) for m in MEASURES}
    better = {m: (scores[m][:, 2], scores[m].max(axis=1) + 1) for m in MEASURES}
    same = {m: (scores[m][:, 2], scores[m][:, 2]) for m in MEASURES}
    verdicts = [next(claims_after_selection(scores, scores, cma)).verdict for cma in (same, better)]
    assert verdicts == [Verdict.REPRODUCED, Verdict.NOT_REPRODUCED]


def test_rejection_confirms_the_argument(tmp_path):
    study = studies.get("zaffalon-2012-rejection")
    assert study.run(tmp_path / "store", quick=True).ok
    report = study.report(tmp_path / "store")
    assert {claim.verdict for claim in report.claims} == {Verdict.REPRODUCED}
    assert [finding.answer for finding in report.findings] == ["yes", "no, the order is reversed"]


def test_artificial_data_agree_with_the_numbers_of_the_text(tmp_path):
    """Zaffalon, Corani & Mauá (2011), Section 8: area of 20% and 4%, NBC right on 64%, 54%."""
    study = studies.get("zaffalon-2011-artificial")
    assert study.run(tmp_path / "store", quick=True).ok
    report = study.report(tmp_path / "store")
    assert {claim.verdict for claim in report.claims} == {None}  # too few models for tests
    rows = [row for row in report.tables[0].rows if "0.9" in row[0]]
    assert [row[2] for row in rows][::2] == pytest.approx([20, 4], abs=8)
    assert [row[3] for row in rows][::2] == pytest.approx([64, 54], abs=8)
    assert [row[4] for row in rows][::2] == pytest.approx([64, 54], abs=8)


def test_all_claims_on_artificial_data_are_judged_by_one_setting():
    others = {(family, prior): True for family in ("inner", "whole") for prior in BAYES}
    assert _verdict(others, "so")[0]
    assert not _verdict(others | {("inner", "NBC"): False}, "so")[0]


def test_classifiers_are_more_similar_if_they_are_closer_on_the_data_sets():
    def matchup(distance):
        nbc = np.linspace(0.5, 0.9, 20)
        signs = np.resize([1, -1], 20)
        return _Matchup("", "NBC", nbc, nbc, dict.fromkeys(UTILITIES, nbc + signs * distance), [])

    near, far = matchup(0.01), matchup(0.05)
    claim = _similarity(far, near)
    assert claim.verdict is Verdict.REPRODUCED
    assert "u65 5.0 and 1.0 (p < 0.001)" in claim.because
    assert _similarity(near, far).verdict is Verdict.NOT_REPRODUCED


@given(st.floats(0, 0.3), st.integers(0, 50))
def test_chances_keep_the_margin(margin, seed):
    model = random_binary_naive_bayes(seed, margin=margin)
    chances = np.concatenate([table.ravel() for table in model.tables])
    assert margin - 1e-12 <= chances.min() <= chances.max() <= 1 - margin + 1e-12


def test_a_margin_that_leaves_no_room_is_refused():
    with pytest.raises(ValueError, match=r"difference must lie in \[0, 0.1\), got 0.1"):
        random_binary_naive_bayes(0, margin=0.45)
    with pytest.raises(ValueError, match=r"margin must lie in \[0, 0.5\), got 0.5"):
        random_binary_naive_bayes(0, margin=0.5)


@pytest.mark.parametrize("splits", [2, pytest.param(4, marks=pytest.mark.long)])
def test_chess_endings_agree_with_table_1(tmp_path, splits):
    """Table 1 of Zaffalon, Corani & Mauá (2011), here with a few of 100 splits."""
    study = studies.get("zaffalon-2011-krkp")
    quick = study.plan(str(shared("datasets")), True).model_dump()
    few = {"scheme": quick["scheme"] | {"repeats": splits}}
    report = study.report(fill(Plan(**quick | few), tmp_path / "store"))
    assert {claim.verdict for claim in report.claims} == {None}  # too few splits for tests
    determinacy, accuracy = report.comparisons
    assert determinacy.n == accuracy.n == 8
    assert determinacy.rank_correlation == 1
    assert determinacy.median_difference < 4
    assert accuracy.median_difference < 4


def test_without_chess_endings_a_quick_run_takes_another_data_set_and_concludes_nothing(
    tmp_path, monkeypatch
):
    monkeypatch.delenv("WAGER_DATA", raising=False)
    study = studies.get("zaffalon-2011-krkp")
    quick = study.plan(None, True).model_dump()
    two = {"scheme": quick["scheme"] | {"repeats": 2}}  # a quick run has ten splits
    report = study.report(fill(Plan(**quick | two), tmp_path / "store"))
    assert not report.comparisons
    assert {claim.verdict for claim in report.claims} == {None}
    assert "breast-cancer is another data set" in report.claims[0].because


def test_naive_bayes_and_the_credal_classifier_are_compared_on_every_data_set(
    tmp_path, monkeypatch
):
    monkeypatch.delenv("WAGER_DATA", raising=False)
    study = studies.get("zaffalon-2012-nbc-ncc")
    assert study.run(tmp_path / "store", quick=True).ok
    report = study.report(tmp_path / "store")
    (ahead, gains, by_set) = report.tables
    assert {sum(row[4:7]) for row in ahead.rows} == {3}  # wins, ties and losses: all data sets
    assert len(by_set.rows) == 6
    assert all(row[3] <= row[5] for row in gains.rows if row[2])


def test_table_10_reproduces_exactly_and_all_counts_sum_to_the_data_sets(tmp_path, monkeypatch):
    monkeypatch.delenv("WAGER_DATA", raising=False)
    study = studies.get("zaffalon-2012-ndc")
    assert study.run(tmp_path / "store", quick=True).ok
    report = study.report(tmp_path / "store")
    (table_10,) = report.comparisons
    assert (table_10.n, table_10.agree) == (24, 24)
    paper, *records = report.tables[1].rows
    assert paper[3:6] == ("21 / 14 / 18", "20 / 16 / 17", "14 / 13 / 26")
    for row in records:
        assert {sum(map(int, counts.split(" / "))) for counts in row[3:6]} == {3}
    nearest = report.tables[3].rows
    assert [row[-1] for row in nearest] == sorted(row[-1] for row in nearest)
    assert {row[:3] for row in records} <= {row[:3] for row in nearest}
    said = claims(report)
    between = said["F1 lies between u65 and u80 for any number of classes"]
    assert between.verdict is Verdict.REPRODUCED
    closer = said["F1 is closer to both u65 and u80 than F2"]
    assert closer.verdict is Verdict.READING
    assert "to u80 for 98 of the sizes 2 to 100" in closer.because


AHEAD = {"a": 0.1, "b": -0.1, "c": 0.0, "letter": 0.1}


class HandMade:
    """Utilities on ten folds: NCC ahead on "a", behind on "b", level on "c"; "letter" left out."""

    def folds(self, name, utility):
        noise = np.resize([0.01, 0.01, -0.01, -0.01], 10)
        ndc = np.resize([0.3, 0.7], 10)
        values = np.column_stack([ndc + AHEAD[name] + noise, ndc, 2 * ndc - 0.5])
        rows = tuple(f"0.{fold}" for fold in range(10))
        return ScoreTable(utility, rows, ("NCC", "NDC", "NDC, other"), values)


def test_counts_of_table_11_by_hand():
    folds = FoldUtilities(HandMade(), list(AHEAD))
    described = folds.record("NCC", "NDC")
    assert described.counts.tolist() == [[1, 1, 1]] * 3
    paper = [[21, 14, 18], [20, 16, 17], [14, 13, 26]]
    assert described.distance == sum(abs(cell - 1) for row in paper for cell in row)
    # with unmatched folds the spread between folds hides the constant difference
    assert folds.record("NCC", "NDC", "t, folds not matched").counts.tolist() == [[0, 3, 0]] * 3
    assert {record.ndc for record in folds.every()} == {"NDC", "NDC, other"}
    assert "t over runs" not in folds.tests


def test_the_paper_finds_a_difference_only_under_u80_in_table_11():
    counts = np.array([[1, 1, 1], [1, 1, 1], [0, 1, 2]])
    assert not WinCounts(
        "NCC", "NDC", AS_DESCRIBED, counts[:, ::-1], (0.2, 0.1, 0.01)
    ).only_u80  # for NCC
    assert WinCounts("NCC", "NDC", AS_DESCRIBED, counts, (0.2, 0.1, 0.01)).only_u80
    assert not WinCounts("NCC", "NDC", AS_DESCRIBED, counts, (0.2, 0.01, 0.01)).only_u80
    assert not WinCounts("NCC", "NDC", AS_DESCRIBED, counts, (0.2, 0.1, 0.1)).only_u80


def test_determinacy_grows_with_rows_for_one_and_with_features_for_the_other(tmp_path):
    study = studies.get("zaffalon-2012-ndc-size")
    assert study.run(tmp_path / "store", quick=True).ok
    report = study.report(tmp_path / "store")
    assert {claim.verdict for claim in report.claims} == {None}  # too few models for tests
    rows = {row[:2]: np.array(row[2:]) for row in report.tables[0].rows}
    assert all(rows["NCC", n][-1] > rows["NCC", n][0] for n in (4, 8, 16, 32))
    assert (rows["NDC", 32] > rows["NDC", 4]).all()


@pytest.mark.parametrize("first", [12, 16])
def test_published_cells_are_as_printed_and_those_that_are_not_have_marks(first):
    """No cell is completed from our own number: the cells are read without it."""
    suffix = "" if first == 12 else " after CFS"
    cells, marks = _printed_cells(suffix, DATA_SETS)
    for i, _ in enumerate(MEASURES):
        keys = ("zaffalon2012_tables12_19", str(first + i), "dataset", "classifier")
        table, doubts = printed(*keys), flags(*keys)
        for j, name in enumerate(DATA_SETS):
            for k, learner in enumerate(NAMES):
                assert marks[i, j, k] == doubts.get((name, learner), "")
                if np.isfinite(cells[i, j, k]):
                    assert cells[i, j, k] == table[name, learner]
    truncated = cells[0, DATA_SETS.index("solar-flare-m"), NAMES.index("CDT")]
    assert first == 16 or truncated == 98.9


def test_medians_and_ranks_of_the_printed_scores_are_those_of_tables_4_to_6():
    """Ranks of scores with two decimals, ties averaged: 12 of 12 numbers of Table 6."""
    found = _recomputed("", list(DATA_SETS))
    file = "zaffalon2012_tables4_11"
    for u in MEASURES[1:]:
        for table, kind in (("4", "median"), ("6", "rank")):
            paper = printed(file, table, "dataset", "classifier")
            wanted = [paper[f"all|{u}", name] for name in NAMES]
            assert found[f"{kind} {u}"] == pytest.approx(wanted, abs=0.0056)


def test_a_quick_run_is_compared_with_the_same_data_sets_or_not_at_all(tmp_path):
    study = studies.get("zaffalon-2012-credal")
    plan = study.plan(str(shared("datasets")), True)
    names = [spec.name for spec in plan.datasets]
    assert study.run(tmp_path / "store", data=str(shared("datasets")), quick=True).ok
    report = study.report(tmp_path / "store")
    assert {claim.verdict for claim in report.claims} == {None}
    assert all("the same 8 data sets" in both.what for both in report.comparisons)
    medians = _recomputed("", names)
    np.testing.assert_allclose(
        report.comparisons[0].published, [medians[f"median {u}"] for u in MEASURES[1:]]
    )


@pytest.mark.parametrize(
    ("name", "n"), [("liver-disorders", 345), ("spect", 267), ("monks-2", 601), ("monks3", 554)]
)
def test_reordered_rows_are_all_rows_once(name, n):
    assert sorted(order_of_rows(name)) == list(range(n))
    assert order_of_rows(name) != tuple(range(n))


class TwoRuns:
    """Two runs of two folds: run means of 0.2 and 0.4 for one learner, constant for the other."""

    learners = ("a", "b")

    def columns(self, measures):
        values = {"a": [0.1, 0.3, 0.4, 0.4], "b": [0.5] * 4}
        rows = [(name, r, f) for name in self.learners for r in range(2) for f in range(2)]
        return {
            "dataset": ["iris"] * 8,
            "learner": [name for name, _, _ in rows],
            "repeat": [r for _, r, _ in rows],
            **{m: [values[name][2 * r + f] for name, r, f in rows] for m in measures},
        }


def test_standard_errors_are_those_of_the_runs_means():
    (errors,) = errors_over_runs(TwoRuns(), ["iris"], ["u65"]).values()
    np.testing.assert_allclose(errors, [[0.1, 0.0]], atol=1e-12)


def test_zero_counts_are_values_that_never_occurred_with_a_class():
    model = ZeroCounts().fit([[0, 1], [0, 0], [1, 1], [1, 0]], ["a", "a", "b", "b"])
    several = model.predict_set([[0, 0], [-1, 1], [-1, 2]]).sum(axis=1) > 1
    assert several.tolist() == [True, False, True]  # missing values have no count


def test_kinds_of_restrictions_are_compared_by_the_best_strength_of_each():
    values = {
        (name, u): np.full(5, 50.0) for name in zero_counts.LEARNERS for u in zero_counts.UTILITIES
    }
    values[zero_counts._floor(0.2), "u50"] += 5
    values[zero_counts._contaminated(0.4), "u65"] += 3
    values[zero_counts._floor(0.01), "u65"] += 2
    values[zero_counts.EXACT, "u80"] += 1
    found = zero_counts._best_restriction(values)
    assert found.answer == "u50: a floor, u65: contamination, u80: none"
    assert "u65 exact 50.0, floor 0.01 52.0, contaminated 0.4 53.0, NBC 50.0" in found.because


@pytest.mark.parametrize(("name", "number"), [("zero-counts", 4), ("lower-probability-sets", 3)])
def test_questions_that_the_paper_left_open_have_answers(tmp_path, monkeypatch, name, number):
    monkeypatch.delenv("WAGER_DATA", raising=False)
    study = studies.get(name)
    assert study.run(tmp_path / "store", quick=True).ok
    report = study.report(tmp_path / "store")
    assert len(report.findings) == number
    assert all(finding.answer and finding.because for finding in report.findings)
    assert {claim.verdict for claim in report.claims} <= {None}
