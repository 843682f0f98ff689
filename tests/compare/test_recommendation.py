"""What is recommended if some pairs of classifiers are decided and others are not."""

from types import SimpleNamespace

import pytest

from wager.compare import head_to_head
from wager.compare._recommendation import (
    PairwiseResults,
    Range,
    recommend,
    recommend_for,
    supported_ranges,
    verdict_by,
)


def results(beats=(), decided=None, dominates=(), **options):
    """Results of a, b and c: pairs of winner and loser, and where a pair is decided in u(0.5)."""

    def difference(first, second, criterion):
        sign = ((first, second) in beats) - ((second, first) in beats)
        return SimpleNamespace(p=0.001 if sign else 0.5, effect=sign or 0.1)

    def dominance(first, second):
        wins = (first, second) in dominates
        return SimpleNamespace(p=0.001 if wins else 0.5, details={"winner": "a"})

    return PairwiseResults(
        tallies=dict.fromkeys("abc"),
        utilities=["u65"],
        difference=difference,
        break_even=lambda *pair: SimpleNamespace(decided=(decided or {}).get(pair, ())),
        dominance=dominance,
        alpha=0.05,
        **options,
    )


EVERYWHERE = ((0.5, 1.0, 1),)


def test_a_lead_everywhere_is_one_range_whatever_the_others_do():
    decided = {
        ("a", "b"): EVERYWHERE,
        ("a", "c"): EVERYWHERE,
        ("b", "c"): ((0.5, 0.6, 1), (0.7, 0.8, -1)),
    }
    found = results(decided=decided)
    assert supported_ranges(found) == [Range("a", 0.5, 1.0)]
    assert recommend(found) == "take a for every u(0.5) from 0.5 to 1"


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (((0.5, 0.7, 1),), "take a for u(0.5) below 0.70; otherwise the data do not distinguish"),
        (((0.7, 1.0, 1),), "take a for u(0.5) above 0.70; otherwise the data do not distinguish"),
        (((0.6, 0.7, 1),), "take a for u(0.5) from 0.60 to 0.70; otherwise the data do not"),
    ],
)
def test_a_lead_for_some_users_is_advice_for_them(parts, words):
    found = results(decided={("a", "b"): parts, ("a", "c"): parts})
    assert recommend(found).startswith(words)


@pytest.mark.parametrize(
    ("part", "where"),
    [((0.504, 1.0, 1), "above 0.504"), ((0.5, 0.998, 1), "below 0.998")],
)
def test_an_end_of_a_lead_does_not_look_like_an_end_of_the_range(part, where):
    found = results(decided={("a", "b"): [part], ("a", "c"): [part]})
    assert recommend(found).startswith(f"take a for u(0.5) {where}; otherwise")


def test_everyone_is_mentioned_only_if_everyone_prefers_it_to_every_other():
    beats = {("a", "b"), ("a", "c")}
    both = recommend(results(beats, dominates=beats))
    assert both == "take a: everyone averse or neutral to risk prefers it to b and c"
    for dominates in ((), {("a", "b")}, {("a", "c")}):
        one = recommend(results(beats, dominates=dominates))
        assert one == "take a: it scores higher than b and c under u65"


def test_a_single_unbeaten_classifier_that_does_not_beat_all_is_not_advice():
    # a beats b and b beats c, but a and c are not distinguished
    words = verdict_by("u65", results({("a", "b"), ("b", "c")}))
    assert words == "under u65, the data do not show which of a, b and c is best"
    two = verdict_by("u65", results({("a", "b"), ("c", "b")}))
    assert two == "under u65, the data do not distinguish a from c"
    assert verdict_by("u65", results({("c", "a"), ("c", "b")})).startswith("under u65, take c:")


def test_costs_that_differ_significantly_are_not_said_to_be_indistinguishable():
    found = results({("a", "b"), ("b", "c")}, costs="u65")
    assert recommend(found).endswith(
        "by cost, the data do not show which of a, b and c costs least: collect more rows"
    )
    assert verdict_by("u65", found) == (
        "by cost, the data do not show which of a, b and c costs least"
    )
    neither = recommend(results(costs="average cost"))
    assert neither.endswith(
        "by cost, the data do not distinguish a from b and c: collect more rows"
    )


def test_classifiers_that_are_not_known_to_be_equal_need_more_rows():
    words = "the data do not distinguish a from b and c: collect more rows, or take any"
    assert recommend(results()) == words
    equal = recommend(results(is_draw=lambda first, second, criterion: True))
    assert equal == "a, b and c earn the same in every row: take any"


def test_classifiers_that_differ_somewhere_are_not_said_to_be_indistinguishable():
    words = "for no u(0.5) do the data show which of a, b and c is best: collect more rows"
    decided = {("a", "b"): ((0.5, 0.9, 1),)}
    assert recommend(results({("a", "b")}, decided=decided)) == words
    # under a utility that is not on the line of u(0.5)
    assert recommend(results({("a", "b")})) == words


def test_no_one_is_told_to_take_any_of_classifiers_that_differ_in_the_table_above():
    y = [0] * 200
    sharp, blunt = [0] * 180 + [1] * 20, [0] * 130 + [1] * 70
    near = [0] * 176 + [1] * 24
    # blunt returns both classes in some rows, which is as good as right only at u(0.5) = 1
    blunt = [[0]] * 130 + [[0, 1]] * 55 + [[1]] * 15
    found = head_to_head(y, {"sharp": sharp, "near": near, "blunt": blunt}, ["u50"], classes=[0, 1])
    assert found.difference("sharp", "blunt", "u50").p < 0.05
    assert "do not distinguish" not in found.recommendation
    assert "take any" not in found.recommendation


def test_advice_for_an_interval_of_attitudes_depends_on_that_interval_only():
    # c is worse than a for this user, though not for everyone
    decided = {("a", "c"): ((0.5, 0.8, 1),)}
    found = results(decided=decided)
    said = recommend_for(found, (0.6, 0.7), "mine")
    assert said == "for the user of mine (u(0.5) 0.60-0.70): the data do not distinguish a from b"
    partly = recommend_for(found, (0.7, 0.9), "mine")
    assert partly.endswith("the data do not show which of a, b and c is best")
    none = recommend_for(found, (0.85, 0.9), "mine")
    assert none.endswith("the data do not distinguish a from b and c")


def test_a_user_is_not_told_that_classifiers_are_alike_that_differ_under_the_own_utility():
    said = recommend_for(results({("a", "c")}), (0.6, 0.7), "u65")  # not on the line of u(0.5)
    assert said.endswith("the data do not show which of a, b and c is best")
