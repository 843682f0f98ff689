"""Which sets can be optimal (Yang, Destercke & Masson, 2017, Def. 4), each with its proof."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.costs.strategies import OBSTACLES, TABLE_I, cost_matrices, rules
from tests.fewer import fewer
from wager.costs import CostMatrix, audit
from wager.credal import optimal_sets

costs = CostMatrix(TABLE_I, OBSTACLES)
coarse = st.integers(0, 16).map(lambda quarter: quarter / 4)


def grid_of_probabilities(n_classes, parts=12):
    cells = product(range(parts + 1), repeat=n_classes)
    return np.array([cell for cell in cells if sum(cell) == parts]) / parts


@st.composite
def questions(draw, high=4):
    matrix = draw(cost_matrices(high=high, cells=coarse))
    rule = draw(rules)
    everything = range(len(matrix))
    labels = draw(st.sets(st.sampled_from(everything), min_size=2))
    extended = matrix.extend(rule[0], **rule[1])
    if draw(st.booleans()):
        row = draw(st.lists(coarse, min_size=len(matrix), max_size=len(matrix)))
        extended = matrix.extend({tuple(sorted(labels)): row}, otherwise=rule[0], **rule[1])
    return extended, labels


def rivals_of(extended, labels, against):
    table = dict(zip(extended.subsets(), extended.matrix(), strict=True))
    own = table.pop(tuple(sorted(labels)))
    chosen = {
        "members": lambda rival: len(rival) == 1 and rival[0] in labels,
        "classes": lambda rival: len(rival) == 1,
        "sets": lambda rival: True,
    }[against]
    return own, {rival: row for rival, row in table.items() if chosen(rival)}


@given(questions(), st.sampled_from(["members", "classes", "sets"]))
@fewer(12)
def test_every_answer_comes_with_its_proof(question, against):
    extended, labels = question
    answer = extended.can_be_optimal(labels, against=against)
    own, rivals = rivals_of(extended, labels, against)
    rows = np.array(list(rivals.values()))
    unit = max(own.max(), rows.max())
    if answer:
        assert answer.certificate is None
        assert answer.witness.min() >= 0
        assert answer.witness.sum() == pytest.approx(1)
        advantage = (rows @ answer.witness).min() - own @ answer.witness
        assert advantage == pytest.approx(answer.margin, abs=1e-9 * unit)
        assert advantage > 0
    else:
        assert answer.witness is None
        assert sum(answer.certificate.values()) == pytest.approx(1)
        assert min(answer.certificate.values()) > 0
        mixture = sum(weight * rivals[rival] for rival, weight in answer.certificate.items())
        assert (mixture <= own + 2e-9 * unit).all()


@given(questions(), st.sampled_from(["members", "classes", "sets"]))
@fewer(12)
def test_no_probability_of_a_grid_favours_the_set_more(question, against):
    extended, labels = question
    answer = extended.can_be_optimal(labels, against=against)
    own, rivals = rivals_of(extended, labels, against)
    grid = grid_of_probabilities(extended.n_classes)
    reached = (grid @ np.array(list(rivals.values())).T).min(axis=1) - grid @ own
    assert reached.max() <= answer.margin + 1e-8 or (not answer and reached.max() <= 1e-8)


@given(questions(), st.sampled_from([1e-6, 1e7]))
@fewer(8)
def test_the_unit_of_the_costs_does_not_matter(question, unit):
    extended, labels = question
    table = dict(zip(extended.subsets(), extended.matrix() * unit, strict=True))
    scaled = CostMatrix(extended.singles * unit).extend(
        {rival: row for rival, row in table.items() if len(rival) > 1}
    )
    for against in ("members", "classes", "sets"):
        answer = extended.can_be_optimal(labels, against=against)
        assert bool(scaled.can_be_optimal(labels, against=against)) == bool(answer)


@given(cost_matrices(cells=coarse), st.data())
@fewer(12)
def test_proposition_1_discounted_costs_make_no_set_possible(matrix, data):
    labels = data.draw(st.sets(st.integers(0, len(matrix) - 1), min_size=2))
    answer = matrix.extend("discounted").can_be_optimal(labels)
    assert not answer
    assert answer.margin <= 0


@given(questions())
@fewer(8)
def test_more_rivals_never_help(question):
    extended, labels = question
    members, classes, sets = (
        bool(extended.can_be_optimal(labels, against=against))
        for against in ("members", "classes", "sets")
    )
    assert members >= classes >= sets


@given(questions())
@fewer(8)
def test_a_set_that_beats_every_other_set_is_what_optimal_sets_predicts(question):
    extended, labels = question
    answer = extended.can_be_optimal(labels, against="sets")
    if answer and answer.margin > 1e-6:
        predicted = optimal_sets([answer.witness], costs=extended, classes=extended.classes)
        assert predicted.to_lists() == [sorted(labels)]


def test_example_5_a_dear_set_is_impossible_though_the_costs_allow_another_set():
    dear = costs.extend({("h", "b"): {"h": 1, "b": 1, "n": 2}}, otherwise="p-discounted")
    assert audit(dear).holds[1]  # thanks to {h, n}
    assert not dear.can_be_optimal({"h", "b"})
    assert dear.can_be_optimal({"h", "n"})


def test_example_5_and_6_cheap_sets_are_possible():
    for miss in (2, 3):
        cheap = costs.extend({("h", "b"): {"h": 0.25, "b": 0.25, "n": miss}})
        answer = cheap.can_be_optimal({"h", "b"})
        assert answer.margin == pytest.approx(0.25)
        np.testing.assert_allclose(answer.witness, [0.5, 0.5, 0], atol=1e-12)


def test_tables_iv_and_x_make_every_set_possible_but_not_always_the_best():
    f1 = CostMatrix.zero_one(OBSTACLES).extend("utility", utility="f1")
    table_x = costs.extend("p-discounted", r=0.5)
    for extended in (f1, table_x):
        for labels in extended.subsets()[3:]:
            assert extended.can_be_optimal(labels)
    # with Table X the pair {h, b} costs 1/4 where each costs 1/2
    assert table_x.can_be_optimal(["h", "b"], against="sets").margin > 0.1


def test_the_full_set_under_f1_beats_pairs_by_less_than_it_beats_single_classes():
    f1 = CostMatrix.zero_one(OBSTACLES).extend("utility", utility="f1")
    against_pairs = f1.can_be_optimal(OBSTACLES, against="sets")
    # uniform: the full set costs 1/2, a pair 5/9, a single class 2/3
    assert against_pairs.margin == pytest.approx(5 / 9 - 1 / 2)
    assert f1.can_be_optimal(OBSTACLES).margin == pytest.approx(2 / 3 - 1 / 2)


def test_a_single_class_is_compared_with_other_predictions():
    extended = costs.extend("p-discounted", r=0.5)
    for label in OBSTACLES:
        answer = extended.can_be_optimal(label)  # it has no other members
        assert answer
        assert answer.against == "classes"
        assert "less than every other class" in repr(answer)
        assert extended.can_be_optimal([label], against="classes").margin == answer.margin
    assert extended.can_be_optimal("h", against="sets").witness.argmax() == 0
    never = CostMatrix([[0, 2, 2], [1, 1, 1], [2, 0, 2]], list("abc")).extend("discounted")
    answer = never.can_be_optimal(["b"], against="classes")
    assert bool(answer)  # best when c is true, where all others cost 2
    tie = CostMatrix([[1, 1], [1, 1]], ["a", "b"]).extend("discounted")
    assert not tie.can_be_optimal("a", against="classes")


def test_many_classes_need_only_a_few_of_all_rivals():
    extended = CostMatrix.ordinal(range(12)).extend("p-discounted", r=0.9)
    answer = extended.can_be_optimal([3, 4], against="sets")
    assert answer
    chosen = optimal_sets([answer.witness], costs=extended, classes=extended.classes)
    assert chosen.to_lists() == [[3, 4]]
    wide = CostMatrix.ordinal(range(40)).extend("p-discounted", r=0.9)
    assert wide.can_be_optimal(range(5), against="classes").witness.shape == (40,)


def test_the_answer_reads_as_a_sentence():
    cheap = costs.extend({("h", "b"): {"h": 0.25, "b": 0.25, "n": 2}})
    assert cheap.can_be_optimal(["h", "b", "h"]).sentence() == (
        "{h, b} can be optimal: it costs 0.25 less than each of its classes at "
        "p(h) = 0.5, p(b) = 0.5"
    )


@pytest.mark.parametrize(
    ("labels", "arguments", "words"),
    [
        (["h", "x"], {}, "'x'"),
        ([], {}, "the empty set has no cost: name at least one class"),
        (
            ["h", "b"],
            {"against": "all"},
            "against must be 'members', 'classes' or 'sets', got 'all'",
        ),
    ],
)
def test_wrong_questions_are_refused_in_one_sentence(labels, arguments, words):
    with pytest.raises(ValueError, match=words) as caught:
        costs.extend("discounted").can_be_optimal(labels, **arguments)
    assert "\n" not in str(caught.value)


def test_too_many_sets_are_refused_in_one_sentence():
    wide = CostMatrix.ordinal(range(17)).extend("discounted")
    with pytest.raises(ValueError, match=r"17 classes have 2\*\*17 - 1 sets, too many"):
        wide.can_be_optimal([0, 1], against="sets")


def test_an_impossible_set_says_what_it_lacks_at_best():
    # at p(a) = p(b) = 0.5 each class costs 0.5, and the set costs 1 whatever is true
    dear = CostMatrix.zero_one(["a", "b"]).extend({("a", "b"): [1, 1]})
    for against in ("members", "classes", "sets"):
        answer = dear.can_be_optimal(["a", "b"], against=against)
        assert not answer
        assert answer.margin == pytest.approx(-0.5)
