"""Several classifiers on the same rows: every number is the library's, every case has its words."""

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tests.compare.strategies import two_classifiers
from tests.fewer import fewer
from wager.compare import (
    break_even,
    friedman,
    head_to_head,
    nemenyi,
    over_datasets,
    wilcoxon,
)
from wager.compare._head_to_head_words import _scored
from wager.compare._recommendation import best_ranges
from wager.costs import CostMatrix
from wager.rewards import Estimate, FBeta, PairedTally, Quadratic, Tally


@st.composite
def classifiers(draw):
    """True classes, and the sets of two to five classifiers."""
    n, k, m = draw(st.integers(2, 40)), draw(st.integers(2, 4)), draw(st.integers(2, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = rng.integers(0, k, n)
    return y, {f"c{i}": rng.random((n, k)) < rng.uniform(0.2, 0.9) for i in range(m)}


@given(two_classifiers())
@fewer(8)
def test_numbers_are_those_of_the_paired_tally(data):
    y, a, b = data
    found = head_to_head(y, {"a": a, "b": b})
    paired = PairedTally.of(y, a, b)
    for u in ("u50", "u65", "u80"):
        difference = found.difference("a", "b", u)
        expected = paired.difference(u)
        assert difference.effect == expected.mean
        adjustment = found.adjustment("a", "b")
        assert difference.p == adjustment.p(expected.p) >= expected.p
        assert difference.interval == expected.interval(adjustment.level(found.alpha))
        assert found.score("a", u) == Tally.of(y, a).estimate(u)
        # the interval and the test agree
        low, high = difference.interval
        assert (difference.p < 0.05) == (not low <= 0 <= high)


def test_a_utility_that_the_report_lacks_can_be_asked_for():
    y, a, b = [0, 1, 1, 0, 1], [[0], [0, 1], [1], [1], [0]], [0, 1, 0, 0, 1]
    found = head_to_head(y, {"a": a, "b": b}, ["u65"])
    # a earns 1, u(1/2) = 2/3, 1, 0 and 0; b is right in 4 of 5 rows
    assert found.score("a", "f1").value == pytest.approx((2 + 2 / 3) / 5)
    assert found.difference("a", "b", "f1").effect == pytest.approx((2 + 2 / 3 - 4) / 5)


@fewer(6)
@given(classifiers())
def test_no_verdict_contains_nan(data):
    found = head_to_head(*data)
    said = repr(found)
    assert "nan" not in said.lower()
    assert found.recommendation.startswith(("take ", "the data do not distinguish"))
    assert found.to_dict()["recommendation"] == found.recommendation


@given(classifiers(), st.floats(0.5, 1))
def test_the_best_for_any_attitude_is_the_one_of_its_range(data, q):
    y, predictions = data
    tallies = {name: Tally.of(y, sets) for name, sets in predictions.items()}
    ranges = best_ranges(tallies)
    assert ranges[0].low == 0.5
    assert ranges[-1].high == pytest.approx(1.0)
    for before, here in pairwise(ranges):
        assert before.high == here.low
    best = next(r.name for r in ranges if r.low <= q <= r.high + 1e-9)
    worth = {name: tally.expected_utility(Quadratic(q)) for name, tally in tallies.items()}
    assert worth[best] == pytest.approx(max(worth.values()), abs=1e-9)


def test_many_classifiers_share_one_level():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    predictions = {f"c{i}": rng.random((300, 3)) < 0.5 for i in range(3)}
    three = head_to_head(y, predictions)
    two = head_to_head(y, {name: predictions[name] for name in ("c0", "c1")})
    wide, narrow = (f.difference("c0", "c1", "u65").interval for f in (three, two))
    assert wide[0] < narrow[0] < narrow[1] < wide[1]
    several, single = (f.difference("c0", "c1", "u65").p for f in (three, two))
    assert several == pytest.approx(min(1.0, 3 * single))
    assert "adjusted to hold together for all 3 pairs" in three.note


def test_all_pairs_of_many_classifiers_are_shown():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 100)
    predictions = {f"c{i}": rng.random((100, 3)) < 0.5 for i in range(5)}
    predictions["right"] = y
    found = head_to_head(y, predictions, classes=[0, 1, 2])
    assert found.shown_pairs == list(combinations(predictions, 2))
    assert len(found.to_dict()["pairs"]) == len(found.shown_pairs) == 15
    text = repr(found)
    assert all(f"{a} - {b}" in text for a, b in found.shown_pairs)
    assert found.recommended == "right"
    assert found.recommendation == (
        "take right: everyone averse or neutral to risk prefers it to c0, c1, c2, c3 and c4"
    )


def simulated(hard_accuracy, n=2000):
    """Two classes; the cautious one keeps both on 40% of the rows."""
    rng = np.random.default_rng(1)
    hard = rng.random(n) < 0.4
    plain = (rng.random(n) > np.where(hard, hard_accuracy, 0.95)).astype(int)
    cautious = np.zeros((n, 2), dtype=bool)
    cautious[np.arange(n), plain] = True
    cautious[hard] = True
    return np.zeros(n, dtype=int), {"ncc": cautious, "nbc": plain}


def test_a_break_even_makes_the_advice_conditional():
    found = head_to_head(*simulated(0.7), classes=[0, 1])
    even = found.break_even("ncc", "nbc")
    low, high = even.interval
    assert found.recommended is None
    assert found.recommendation == (
        f"take nbc for u(0.5) below {low:.2f}, ncc for u(0.5) above {high:.2f}; otherwise the data "
        "do not distinguish the best of them"
    )


def test_a_winner_for_everyone_is_advised_to_everyone():
    found = head_to_head(*simulated(0.4), classes=[0, 1])
    assert found.recommendation == (
        "take ncc: everyone averse or neutral to risk prefers it to nbc"
    )


def test_three_ranges_are_listed_in_order():
    """Right in 70% of hard rows, a set of two, and all four classes: each best for some."""
    n = 6000
    y = np.zeros(n, dtype=int)
    plain = (np.arange(n) % 10 >= 7).astype(int)
    pair = np.zeros((n, 4), dtype=bool)
    pair[:, [0, 1]] = True
    pair[np.arange(n) % 25 == 0] = [False, True, True, False]
    all_four = np.ones((n, 4), dtype=bool)
    found = head_to_head(y, {"one": plain, "two": pair, "all": all_four}, classes=range(4))
    names = [r.name for r in found.best_ranges]
    assert names == ["one", "two", "all"][: len(names)]
    assert names[:2] == ["one", "two"]
    low, high = found.break_even("one", "two").interval
    assert found.recommendation.startswith(
        f"take one for u(0.5) below {low:.2f}, two for u(0.5) above {high:.2f}"
    )


def test_identical_classifiers_are_reported_as_equal():
    y, predictions = simulated(0.7)
    found = head_to_head(y, {"a": predictions["ncc"], "b": predictions["ncc"]})
    assert found.recommended is None
    assert found.recommendation == "a and b earn the same in every row: take either"
    assert "a and b earn the same in every row, for every u(0.5)" in repr(found)


def test_one_row_is_never_significant():
    found = head_to_head([0], {"a": [[True, False]], "b": [[True, True]]})
    assert "on the same 1 row," in found.title
    assert found.difference("a", "b", "u65").p > 0.3
    assert found.recommended is None
    low, high = found.to_dict()["pairs"][0]["differences"]["u65"]["interval"]
    assert low < 0 < 0.35 < high


def test_a_constant_lead_is_significant_only_over_many_rows():
    """Two agreeing rows once had p = 0; now the unobserved opposite row counts."""
    p = []
    for n, winner in ((2, None), (9, None), (40, "a")):
        found = head_to_head([0] * n, {"a": [[True, False]] * n, "b": [[True, True]] * n})
        p.append(found.difference("a", "b", "u65").p)
        assert found.recommended == winner
        low, high = found.difference("a", "b", "u65").interval
        assert low < 0.35 < high
    assert p == sorted(p, reverse=True)
    assert found.recommendation == "take a: everyone averse or neutral to risk prefers it to b"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: head_to_head([0], {"a": [0]}), "at least 2 classifiers, got 1"),
        (lambda: head_to_head([0], {"a": [0], "b": [0, 1]}), "2"),
        (lambda: head_to_head([0], {"a": [0], "b": [0]}, []), "no utility was given"),
        (lambda: head_to_head([0], {"a": [0], "b": [0]}, confidence=95), "confidence must lie"),
        (lambda: head_to_head([0], {"a": [0], "b": [0]}, ["u"]), "no utility called 'u'"),
    ],
)
def test_bad_input_is_refused_with_a_clear_message(call, words):
    with pytest.raises(ValueError, match=words):
        call()


# -- over data sets -----------------------------------------------------------------------------


def test_over_data_sets_the_ranks_decide():
    rng = np.random.default_rng(0)
    scores = rng.random((30, 3)) * 0.1 + np.array([0.7, 0.72, 0.9])
    found = over_datasets({"u50": scores, "u80": scores[:, ::-1]}, names=["a", "b", "c"])
    assert found.test("u50").p == friedman(scores).p
    assert found.n_datasets == 30
    assert ("c", "a") in found.beaten("u50")
    assert set(found.beaten("u50")) == set(nemenyi(scores, names=["a", "b", "c"]).pairs())
    assert found.recommendation.startswith("under u50 take c; under u80 take a")


def test_two_over_data_sets_are_compared_by_the_signed_rank_test():
    rng = np.random.default_rng(1)
    scores = rng.random((20, 2)) * 0.1 + np.array([0.7, 0.8])
    found = over_datasets({"u65": scores}, names=["ncc", "ndc"])
    assert found.test("u65").p == wilcoxon(*scores.T).p
    assert found.beaten("u65") == [("ndc", "ncc")]
    assert found.recommendation == "under u65 take ndc"


def test_all_ties_over_data_sets_leave_the_choice():
    found = over_datasets({"u50": np.full((5, 3), 0.8), "u65": np.full((5, 3), 0.9)})
    assert found.beaten("u65") == []
    assert found.recommendation == "under u50 and u65 take any"
    assert "nan" not in repr(found).lower()


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ({}, "no utility was given"),
        ({"u65": [[1, 2]]}, "at least 2 data sets, got 1"),
        ({"u65": [[1], [2]]}, "at least 2 classifiers, got 1"),
        (
            {"u65": [[1, 2], [2, 1]], "u80": [[1, 2, 3], [2, 1, 3]]},
            "the table of u80 has different",
        ),
        ({"u65": [[1, 2], [2, np.nan]]}, "score in row 1, column 1 is missing"),
    ],
)
def test_tables_that_do_not_fit_are_refused_with_a_clear_message(scores, words):
    with pytest.raises(ValueError, match=words):
        over_datasets(scores)


def test_weighted_rows_are_counted_as_rows_beside_their_total_weight():
    y, weights, counts = [0, 1, 1, 0], [0.5, 2.0, 0.0, 1.5], [1, 2, 3, 4]
    predictions = {"a": [0, 1, 0, 0], "b": [0, 0, 1, 1]}
    weighted = head_to_head(y, predictions, sample_weight=weights)
    assert weighted.title.startswith("a and b on the same 3 rows of total weight 4, ")
    assert (weighted.to_dict()["rows"], weighted.to_dict()["total_weight"]) == (3, 4.0)
    assert head_to_head(y, predictions, counts=counts).to_dict()["rows"] == 10


def test_a_utility_that_was_not_announced_is_adjusted_for_its_family():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    found = head_to_head(y, {name: rng.random((200, 3)) < 0.6 for name in "abc"}, ["u65", "f2"])
    report = found.adjustment("a", "b")
    assert report.n_single == 2  # f2 is not on the line of quadratic utilities
    assert found.adjustment("a", "b", "u73") == found.adjustment("a", "b", "f2") == report
    along = found.adjustment("a", "b", "f1")
    assert along == found.adjustment("a", "b", family="fbeta")
    assert (along.n_single, along.n_pairs) == (1, 3)
    assert along.length == found.adjustment("b", "a", FBeta(2.9)).length > 0
    other = found.adjustment("a", "b", "power:0.5")
    assert (other.n_single, other.length) == (3, report.length)


@pytest.mark.parametrize("family", ["exponential", "fbeta"])
def test_break_even_points_of_other_families_hold_for_all_pairs(family):
    rng = np.random.default_rng(1)
    y = np.zeros(300, dtype=int)
    plain, cautious = [0] * 258 + [1] * 42, [[0]] * 180 + [[0, 1]] * 120
    sets = {"a": cautious, "b": plain}
    two = head_to_head(y, sets)
    assert two.break_even("a", "b", family) == break_even(
        two.paired("a", "b"), family=family, names=("a", "b")
    )
    three = head_to_head(y, {**sets, "c": rng.integers(0, 2, 300)})
    wide, narrow = three.break_even("a", "b", family), two.break_even("a", "b", family)
    assert wide.value == pytest.approx(narrow.value)
    assert wide.interval[0] < narrow.interval[0] < narrow.interval[1] < wide.interval[1]


@settings(max_examples=20, deadline=None)
@given(classifiers(), st.floats(0.5, 1))
def test_the_verdict_under_a_utility_names_the_one_that_beats_all_others(data, u):
    found = head_to_head(*data)
    said = found.verdict(u)
    alone = head_to_head(*data, utilities=[u]).recommended
    assert said.startswith(f"under {Quadratic(u).name}, ")
    assert (alone is None) == ("do not distinguish" in said)
    assert alone is None or f"take {alone}: it scores higher than" in said


def test_a_short_verdict_does_not_list_many_names():
    y = [0] * 40
    names = [f"c{i}" for i in range(12)]
    found = head_to_head(y, {name: [0] * 40 if name == "c0" else [1] * 40 for name in names})
    assert found.verdict("u65") == (
        "under u65, take c0: it scores higher than c1, c2, c3, c4, c5 and 6 others"
    )


def test_costs_are_a_criterion_beside_the_utilities():
    y, costs = [0, 1] * 10, CostMatrix([[0, 2], [4, 0]], [0, 1])
    predictions = {"a": y, "b": [0] * 20}
    assert list(head_to_head(y, predictions).criteria) == ["u50", "u65", "u80"]
    assert list(head_to_head(y, predictions, ["u65"], costs=costs).criteria) == [
        "u65", "average_cost",
    ]  # fmt: skip


def test_the_reward_for_caution_matters_only_to_sets():
    y, costs = [0, 1] * 10, CostMatrix([[0, 2], [4, 0]], [0, 1])
    single = head_to_head(y, {"a": y, "b": [0] * 20}, costs=costs)
    assert len(single.sentences()) == 1
    sets = head_to_head(y, {"a": [[0, 1]] * 20, "b": [[0]] * 20}, costs=costs)
    assert " for r above 0." in sets.sentences()[1]


def test_the_note_says_what_errors_allow_for():
    y = [0, 1] * 10
    predictions = {"a": y, "b": [0] * 20}
    assert "errors allow" not in head_to_head(y, predictions).note
    weighted = head_to_head(y, predictions, sample_weight=[1, 2] * 10).note
    assert weighted.endswith("errors allow for weights (18 independent units)")  # 30**2 / 50
    clustered = head_to_head(y, predictions, groups=np.arange(20) // 2).note
    assert clustered.endswith("errors allow for dependence within clusters (10 independent units)")


def test_a_comparison_of_two_over_data_sets_names_no_pairs():
    scores = [[0.9, 0.5], [0.8, 0.6], [0.9, 0.5], [0.7, 0.5], [0.9, 0.4], [0.8, 0.7]]
    (two,) = over_datasets({"u65": scores}, names=["a", "b"]).sentences()
    assert " beats " not in two
    three = [[*row, 0.3] for row in scores]
    (words,) = over_datasets({"u65": three}, names=["a", "b", "c"]).sentences()
    assert words.endswith("; a beats c")
    with pytest.raises(ValueError, match="alpha"):
        over_datasets({"u65": scores}, alpha=2)


def test_the_note_says_what_holds_together():
    y, costs = [0, 1] * 10, CostMatrix([[0, 2], [4, 0]], [0, 1])
    predictions = {"a": y, "b": [0] * 20}
    utilities = "these utilities and every u(0.5) from 0.5 to 1"
    priced = "these costs (p-discounted, r = 0.5) and every r from 0 to 1"
    assert utilities in head_to_head(y, predictions).note
    alone = head_to_head(y, predictions, costs=costs).note
    assert priced in alone
    assert utilities not in alone
    assert f"{utilities}, {priced}" in head_to_head(y, predictions, ["u65"], costs=costs).note


def test_comparisons_of_the_same_counts_are_equal():
    y = [0, 1] * 5
    found = head_to_head(y, {"a": y, "b": [0] * 10})
    assert found.rows is not None
    assert found == replace(found, rows=None)
    assert found == head_to_head(y, {"a": y, "b": [1] * 10})  # other rows, but as many of each kind
    assert found != head_to_head(y, {"a": y, "b": y})


def test_a_score_without_an_interval_is_shown_alone():
    assert _scored(Estimate(0.25, float("nan"), 1.0), 0.95) == "0.2500"
