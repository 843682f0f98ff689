"""Conclusions of Zaffalon, Corani & Mauá (2012), Section 9, recomputed from their tables.

Tables 12 to 15 are the raw data, 16 to 19 after feature selection: determinacy, then expected
utility under u50, u65 and u80, of four credal classifiers on 55 data sets.
"""

import csv

import numpy as np
import pytest

from tests.published import CLASSIFIERS, published_scores
from tests.shared import shared
from wager.compare import Record, friedman, nemenyi, nemenyi_distance, sign_test, wilcoxon

NCC, LNCC, CMA, CDT = range(4)


def scores(table):
    return published_scores(shared("reference", "published", "zaffalon2012_tables12_19.csv"), table)


def summary(table, utility=""):
    """A row of one of Tables 4 to 11, by classifier."""
    file = shared("reference", "published", "zaffalon2012_tables4_11.csv")
    place = f"all|{utility}" if utility else "all"
    with file.open(encoding="utf-8", newline="") as lines:
        rows = [r for r in csv.DictReader(lines) if (r["table"], r["dataset"]) == (table, place)]
    return {row["classifier"] or row["measure"]: float(row["value"]) for row in rows}


def dataset(table, name):
    file = shared("reference", "published", "zaffalon2012_tables12_19.csv")
    with file.open(encoding="utf-8", newline="") as lines:
        found = {
            row["classifier"]: float(row["value"])
            for row in csv.DictReader(lines)
            if (row["table"], row["dataset"]) == (str(table), name)
        }
    return [found[classifier] for classifier in CLASSIFIERS]


# -- 9.1.3: NCC and how determinate it is ------------------------------------------------------


def test_on_33_of_55_data_sets_ncc_is_determinate_in_more_than_90_percent():
    assert (scores(12)[:, NCC] > 90).sum() == 33
    # after selection 37 of the rows that are left; wine, whose row is lost, would be the 38th
    assert (scores(16)[:, NCC] > 90).sum() == 37


def test_the_medians_of_ncc_grow_with_risk_aversion():
    medians = [np.median(scores(table)[:, NCC]) for table in (13, 14, 15)]
    assert [round(m) for m in medians] == [75, 78, 81]
    assert np.median(scores(12)[:, NCC]) == pytest.approx(95.03)


# -- 9.2: the four credal classifiers ----------------------------------------------------------


@pytest.mark.parametrize(
    ("printed", "table", "utility"),
    [("6", 13, "u50"), ("6", 14, "u65"), ("6", 15, "u80"),
     ("9", 17, "u50"), ("9", 18, "u65"), ("9", 19, "u80")],
)  # fmt: skip
def test_mean_ranks_are_those_of_tables_6_and_9(printed, table, utility):
    found = friedman(scores(table)).details["mean_ranks"]
    expected = [summary(printed, utility)[name] for name in CLASSIFIERS]
    assert found == pytest.approx(expected, abs=0.0151)


def test_under_discounted_accuracy_ncc_is_beaten_by_cma_and_cdt_alone():
    found = nemenyi(scores(13), names=CLASSIFIERS)
    assert friedman(scores(13)).p < 0.05
    assert set(found.pairs()) == {("CMA", "NCC"), ("CDT", "NCC")}


def test_the_segments_of_figure_6_are_0_632_long():
    found = nemenyi(scores(13), names=CLASSIFIERS)
    assert found.critical_difference == pytest.approx(0.632, abs=5e-4)
    assert found.critical_difference == nemenyi_distance(4, 55)
    gaps = found.mean_ranks[NCC] - found.mean_ranks
    assert gaps[[CMA, CDT, LNCC]] == pytest.approx([0.77, 0.87, 0.57], abs=0.01)


@pytest.mark.parametrize("table", [14, 15])
def test_under_u65_and_u80_no_classifier_is_significantly_better(table):
    assert friedman(scores(table)).p > 0.05


@pytest.mark.parametrize("table", [17, 18, 19])
def test_after_feature_selection_none_outperforms_another_whatever_the_utility(table):
    outcome = friedman(scores(table), names=CLASSIFIERS)
    assert outcome.p > 0.05
    assert outcome.verdict.startswith("no significant difference among the 4 classifiers")


def test_ncc_profits_most_from_risk_aversion():
    gain = scores(15) - scores(13)
    assert gain.mean(axis=0).argmax() == NCC
    assert gain.mean(axis=0).argmin() == CDT
    ranks = [friedman(scores(table)).details["mean_ranks"][NCC] for table in (13, 14, 15)]
    assert ranks == sorted(ranks, reverse=True)


def test_after_selection_cdt_is_not_more_determinate_than_the_others():
    """The text says it is; Table 16 has CMA, LNCC, CDT, NCC in this order of mean ranks."""
    whole = scores(16)[~np.isnan(scores(16)).any(axis=1)]
    found = nemenyi(whole, names=CLASSIFIERS)
    assert found.mean_ranks == pytest.approx([3.32, 2.20, 2.13, 2.36], abs=0.01)
    assert {winner for winner, _ in found.pairs()} <= {"CMA", "LNCC", "CDT"}
    assert {loser for _, loser in found.pairs()} == {"NCC"}


def test_on_squash_stored_risk_aversion_reverses_the_order():
    assert dataset(12, "squash-stored")[NCC] == pytest.approx(42.4, abs=0.05)
    neutral, averse = np.array(dataset(13, "squash-stored")), np.array(dataset(15, "squash-stored"))
    assert (neutral.argmax(), neutral.argmin()) == (CDT, LNCC)
    assert np.argsort(-averse)[:2].tolist() == [NCC, LNCC]
    assert (neutral[NCC], averse[NCC]) == pytest.approx((57.19, 72.6), abs=0.05)


def test_pairs_over_the_collection_agree_with_the_ranks():
    """The signed-rank test that Section 9.1.3 uses finds what the Nemenyi test finds."""
    table = scores(13)
    for other in (CMA, CDT):
        assert wilcoxon(table[:, other], table[:, NCC]).p < 0.05
        assert wilcoxon(table[:, other], table[:, NCC]).effect > 0


# -- 9.3: NCC and the non-deterministic classifier ---------------------------------------------


@pytest.mark.parametrize("utility", ["u65", "F1", "u80"])
def test_records_of_table_11_are_balanced_but_under_u80(utility):
    row = summary("11", utility)
    record = Record(int(row["NCC"]), int(row["ties"]), int(row["NDC"]))
    assert record.wins + record.ties + record.losses == 53  # of the 55 data sets
    outcome = sign_test([1] * record.wins + [0] * record.ties + [-1] * record.losses)
    assert outcome.p > 0.05  # who wins is never significant; under u80 by how much was
    leader = "NDC" if utility == "u80" else "NCC"
    assert (outcome.effect < 0) == (leader == "NDC")
