import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.shared import shared
from wager.experiments import ScoreTable, studies
from wager.experiments.generators import random_binary_naive_bayes, random_irrelevant_features
from wager.rewards import PairedTally
from wager_studies._data_sets import DATA_SETS
from wager_studies.zaffalon._ignorance import OnIgnorance
from wager_studies.zaffalon._table_11 import AS_DESCRIBED, FoldUtilities, WinCounts


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
    report = studies.get("zaffalon-bets").report()
    errors = {row[:2]: row[4] for row in report.tables[0].rows}
    assert errors["log", 2] == pytest.approx(1.5, abs=0.05)
    assert errors["log", 10] == pytest.approx(16, abs=0.5)
    assert errors["exp:5", 10] == pytest.approx(391, abs=1)
    said = claims(report)
    assert said["more classes delay convergence"].holds
    assert not said["higher risk aversion delays convergence"].holds


def test_rejection_confirms_the_argument(tmp_path):
    study = studies.get("zaffalon-2012-rejection")
    assert study.run(tmp_path / "store", quick=True).ok
    report = study.report(tmp_path / "store")
    assert [claim.holds for claim in report.claims] == [True] * 4


def test_artificial_data_agree_with_the_numbers_of_the_text(tmp_path):
    """Zaffalon, Corani & Mauá (2011), Section 8: area of 20% and 4%, NBC right on 64%, 54%."""
    study = studies.get("zaffalon-2011-artificial")
    assert study.run(tmp_path / "store", quick=True).ok
    report = study.report(tmp_path / "store")
    inner = [claim for claim in report.claims if "0.9" in claim.where]
    assert inner[3].holds
    rows = [row for row in report.tables[0].rows if "0.9" in row[0]]
    assert [row[2] for row in rows][::2] == pytest.approx([20, 4], abs=8)
    assert [row[3] for row in rows][::2] == pytest.approx([64, 54], abs=8)
    assert [row[4] for row in rows][::2] == pytest.approx([64, 54], abs=8)


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


def test_chess_endings_agree_with_table_1(tmp_path):
    """Table 1 of Zaffalon, Corani & Mauá (2011), here with a tenth of the splits."""
    study = studies.get("zaffalon-2011-krkp")
    assert study.run(tmp_path / "store", data=str(shared("datasets")), quick=True).ok
    determinacy, accuracy = study.report(tmp_path / "store").comparisons
    assert determinacy.n == accuracy.n == 8
    assert determinacy.rank_correlation == 1
    assert determinacy.median_difference < 4
    assert accuracy.median_difference < 4


def test_without_chess_endings_a_quick_run_takes_another_data_set_and_concludes_nothing(
    tmp_path, monkeypatch
):
    monkeypatch.delenv("WAGER_DATA", raising=False)
    study = studies.get("zaffalon-2011-krkp")
    assert study.run(tmp_path / "store", quick=True).ok
    report = study.report(tmp_path / "store")
    assert not report.comparisons
    assert {claim.verdict for claim in report.claims} == {"open"}
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
    assert claims(report)["F1 lies between u65 and u80 for any number of classes"].holds


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
    said = claims(study.report(tmp_path / "store"))
    assert said["NCC becomes more determinate with the sample size"].holds
    assert said["this is not necessarily so for NDC"].holds
