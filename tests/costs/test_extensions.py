import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from tests.costs.strategies import OBSTACLES, TABLE_I, cost_matrices, predictions, rules
from tests.costs.test_generalized_mean import slow_mean
from wager.costs import CostMatrix, evaluate_costs
from wager.predictions import PredictionSets
from wager.rewards import Tabulated

H, B, N = OBSTACLES
costs = CostMatrix(TABLE_I, OBSTACLES)


def table_of(extended):
    return dict(zip(extended.subsets(), extended.matrix().round(12).tolist(), strict=True))


def subsets(k):
    return [s for size in range(1, k + 1) for s in combinations(range(k), size)]


# The paper's tables


def test_table_iii_is_one_minus_u65_with_8_15_for_three_classes():
    table = table_of(CostMatrix.zero_one(OBSTACLES).extend("utility", utility="u65"))
    assert table[(H,)] == [0, 1, 1]
    assert table[(H, B)] == pytest.approx([0.35, 0.35, 1])
    assert table[(B, N)] == pytest.approx([1, 0.35, 0.35])
    assert table[(H, B, N)] == pytest.approx([8 / 15] * 3)  # printed 0.54


def test_table_iv_is_one_minus_f1():
    table = table_of(CostMatrix.zero_one(OBSTACLES).extend("utility", utility="f1"))
    assert table[(H, N)] == pytest.approx([1 / 3, 1, 1 / 3])
    assert table[(H, B, N)] == pytest.approx([0.5] * 3)


def test_table_v_averages_the_members():
    table = table_of(costs.extend("discounted"))
    assert table[(H, B)] == [0.5, 0.5, 2]
    assert table[(B, N)] == [2.5, 2, 1]
    assert table[(H, N)] == [2, 2.5, 1]
    assert table[(H, B, N)] == pytest.approx([5 / 3, 5 / 3, 4 / 3])


def test_table_ix_charges_delta_for_each_further_class():
    eta, delta = {"a": 2.0, "b": 1.0, "c": 4.0}, 0.25
    extended = CostMatrix.ha(list(eta.values()), list(eta)).extend("ha", delta=delta)
    for labels, row in table_of(extended).items():
        missed = [0.0 if y in labels else loss for y, loss in eta.items()]
        assert row == pytest.approx([m + delta * (len(labels) - 1) for m in missed])


def test_table_x_is_p_discounted_with_r_one_half():
    table = table_of(costs.extend("p-discounted", r=0.5, mode="cautious"))
    assert table[(H, B)] == pytest.approx([0.25, 0.25, 2])
    assert table[(B, N)] == pytest.approx([2.25, 1, 0.5])
    assert table[(H, N)] == pytest.approx([1, 2.25, 0.5])
    assert table[(H, B, N)] == pytest.approx([1, 1, 8 / 9])


def test_example_5_makes_the_pair_possible_and_dearer_costs_do_not():
    uniform = [1 / 3] * 3
    cheap = costs.extend({(H, B): {H: 0.25, B: 0.25, N: 2}})
    assert cheap.expected([[H, B], [H], [B]], uniform) == pytest.approx([5 / 6, 1, 1])
    dear = costs.extend({(H, B): {H: 1, B: 1, N: 2}})
    rng = np.random.default_rng(1)
    proba = rng.dirichlet(np.ones(3), size=100)
    pair, one = dear.expected([[H, B]], proba), costs.expected(proba)[:, :2]
    assert (pair[:, None] >= one - 1e-12).all()


def test_example_6_is_cheaper_between_h_and_b_but_not_at_the_uniform():
    averse = costs.extend({(H, B): {H: 0.25, B: 0.25, N: 3}})
    assert averse.expected([[H, B]], [1 / 3] * 3) == pytest.approx(7 / 6)
    assert averse.expected([[H, B]], [0.5, 0.5, 0]) < costs.expected([0.5, 0.5, 0]).min()


# Laws


@settings(deadline=None)
@given(cost_matrices(high=4), rules)
def test_a_cell_alone_a_row_and_the_table_agree(matrix, rule):
    name, options = rule
    extended = matrix.extend(name, **options)
    table, sets = extended.matrix(), extended.subsets()
    masks = [sum(1 << k for k in labels) for labels in sets]
    np.testing.assert_allclose(extended.costs_of_masks(masks), table, rtol=1e-12)
    for labels, row in zip(sets, table, strict=True):
        cells = [extended.cost(labels, y) for y in range(len(matrix))]
        np.testing.assert_allclose(cells, row, rtol=1e-9, atol=1e-12)


@settings(deadline=None)
@given(cost_matrices(high=4), st.floats(-8, 8))
def test_p_discounted_cells_are_means_over_the_members(matrix, p):
    assume(abs(p) > 0.01)
    extended = matrix.extend("p-discounted", p=p)
    for labels in subsets(len(matrix)):
        for y in range(len(matrix)):
            mean = slow_mean([matrix.costs[i, y] for i in labels], p)
            assert extended.cost(labels, y) == pytest.approx(mean, rel=1e-9, abs=1e-12)


@settings(deadline=None)
@given(cost_matrices(), st.floats(-5, 5), st.floats(-5, 5))
def test_p_discounted_costs_grow_with_p(matrix, p, q):
    low, high = sorted((p, q))
    less = matrix.extend("p-discounted", p=low).matrix()
    more = matrix.extend("p-discounted", p=high).matrix()
    assert (less <= more * (1 + 1e-9) + 1e-12).all()


@settings(deadline=None)
@given(cost_matrices(), st.floats(0, 1))
def test_mistake_averse_costs_charge_misses_more_and_hits_the_same(matrix, r):
    cautious = matrix.extend("p-discounted", r=r)
    averse = matrix.extend("p-discounted", r=r, mode="mistake-averse")
    for labels, soft, hard in zip(
        cautious.subsets(), cautious.matrix(), averse.matrix(), strict=True
    ):
        inside = np.isin(np.arange(len(matrix)), labels)
        np.testing.assert_allclose(soft[inside], hard[inside])
        assert (soft[~inside] <= hard[~inside] * (1 + 1e-9)).all()


@settings(deadline=None)
@given(cost_matrices())
def test_r_0_is_discounted_and_r_1_geometric(matrix):
    none, most = matrix.extend("p-discounted", r=0), matrix.extend("p-discounted", r=1)
    np.testing.assert_allclose(none.matrix(), matrix.extend("discounted").matrix(), rtol=1e-12)
    np.testing.assert_array_equal(most.matrix(), matrix.extend("p-discounted", p=0).matrix())


@settings(deadline=None)
@given(cost_matrices(zero_diagonal=True), st.sampled_from(["cautious", "mistake-averse"]))
def test_with_r_1_a_set_that_contains_the_true_class_is_free(matrix, mode):
    extended = matrix.extend("p-discounted", r=1, mode=mode)
    for labels, row in zip(extended.subsets(), extended.matrix(), strict=True):
        assert (row[list(labels)] == 0).all()


@settings(deadline=None)
@given(cost_matrices(), st.floats(-40, 40))
def test_single_classes_keep_their_own_cost_to_the_last_bit(matrix, p):
    extended = matrix.extend("p-discounted", p=p)
    np.testing.assert_array_equal(extended.singles, matrix.costs)
    np.testing.assert_array_equal(extended.matrix()[: len(matrix)], matrix.costs)


@settings(deadline=None)
@given(cost_matrices(), st.floats(0.1, 3), st.floats(-3, 1))
def test_epsilon_is_added_to_every_determinate_cost_beforehand(matrix, epsilon, p):
    shifted = CostMatrix(matrix.costs + epsilon).extend("p-discounted", p=p).matrix()
    extended = matrix.extend("p-discounted", p=p, epsilon=epsilon)
    np.testing.assert_allclose(extended.matrix(), shifted)
    assert (extended.matrix() >= epsilon * (1 - 1e-9)).all()  # no zero is left


@settings(deadline=None)
@given(cost_matrices(cells=st.floats(0.01, 50)))
def test_abellan_masegosa_is_its_formula(matrix):
    extended = matrix.extend("abellan-masegosa")
    k = len(matrix)
    for labels in subsets(k):
        for y in range(k):
            miss = math.log(k) * (max(matrix.costs[i, y] for i in labels) / (k - 1) + 1)
            expected = math.log(len(labels)) if y in labels else miss
            assert extended.cost(labels, y) == pytest.approx(expected, abs=1e-12)


@settings(deadline=None)
@given(st.data(), cost_matrices(high=6), rules)
def test_costs_of_rows_are_cells_of_the_table(data, matrix, rule):
    truth, sets = data.draw(predictions(len(matrix), high=40))
    extended = matrix.extend(rule[0], **rule[1])
    slow = [extended.cost(np.flatnonzero(row), y) for row, y in zip(sets, truth, strict=True)]
    np.testing.assert_allclose(extended.of(sets, truth), slow, rtol=1e-9, atol=1e-12)


@settings(deadline=None)
@given(st.data(), cost_matrices(high=5), rules)
def test_expected_costs_weigh_the_truths(data, matrix, rule):
    _, sets = data.draw(predictions(len(matrix)))
    proba = np.random.default_rng(0).dirichlet(np.ones(len(matrix)), size=len(sets))
    extended = matrix.extend(rule[0], **rule[1])
    slow = [
        sum(p * extended.cost(np.flatnonzero(row), y) for y, p in enumerate(ps))
        for row, ps in zip(sets, proba, strict=True)
    ]
    np.testing.assert_allclose(extended.expected(sets, proba), slow, rtol=1e-9, atol=1e-12)


def test_many_rows_use_a_table_and_many_classes_do_not_and_both_agree():
    rng = np.random.default_rng(3)
    for k in (8, 20, 70):
        matrix = CostMatrix(rng.random((k, k)))
        extended = matrix.extend("p-discounted", r=0.4, mode="mistake-averse")
        sets = rng.random((600, k)) < 0.3
        truth = rng.integers(0, k, 600)
        sets[np.arange(600), truth] |= rng.random(600) < 0.7
        sets[:, 0] |= ~sets.any(axis=1)
        each = [extended.of(sets[i : i + 1], truth[i : i + 1])[0] for i in range(0, 600, 7)]
        np.testing.assert_allclose(extended.of(sets, truth)[::7], each, rtol=1e-12)


def test_labels_in_another_order_cost_the_same():
    extended = costs.extend("p-discounted")
    named = PredictionSets.from_lists([[N, H], [B]], classes=[N, B, H])
    np.testing.assert_allclose(extended.of(named, [H, N]), [extended.cost([H, N], H), 2])


def test_a_label_alone_is_a_set_of_one_and_any_collection_will_do():
    extended = costs.extend("p-discounted")
    assert extended.cost(H, N) == 2
    for labels in ((H, B), [B, H], {H, B}, frozenset({H, B}), np.array([H, B])):
        assert extended.cost(labels, N) == pytest.approx(2)


# A user's own table


def test_a_table_overrules_the_rule_cell_by_cell():
    own = costs.extend({(H, B): {H: 0.4}, (H, B, N): [1, 2, 3]}, r=0.5)
    default = costs.extend("p-discounted", r=0.5)
    assert own.cost([H, B], H) == 0.4
    assert own.cost([H, B], B) == pytest.approx(default.cost([H, B], B))
    assert table_of(own)[(H, B, N)] == [1, 2, 3]
    assert own.cost([B, N], H) == default.cost([B, N], H)


def test_a_table_can_be_completed_by_another_rule():
    own = costs.extend({(H, B): {H: 0.4}}, otherwise="discounted")
    assert own.cost([H, B], B) == 0.5
    assert own.cost([H, N], B) == 2.5


def test_a_table_works_beyond_64_classes():
    many = CostMatrix.zero_one(range(70)).extend({(0, 69): {69: 0.1}}, otherwise="discounted")
    assert many.of([[0, 69], [0, 68]], [69, 68]).tolist() == [0.1, 0.5]


# Refusals


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: costs.extend("p-discounted", r=1.5), r"r must lie in \[0, 1\], got 1.5"),
        (lambda: costs.extend("p-discounted", r=-0.1), r"r must lie in \[0, 1\], got -0.1"),
        (lambda: costs.extend("p-discounted", r=0.5, p=0), "either r or the exponent"),
        (lambda: costs.extend("p-discounted", p=math.nan), "real number or infinite"),
        (lambda: costs.extend("p-discounted", mode="bold"), "cautious, mistake-averse, got 'bold'"),
        (lambda: costs.extend("p-discounted", delta=1), "takes r, mode, p, not delta"),
        (lambda: costs.extend("discounted", r=1), "takes no options, not r"),
        (lambda: costs.extend("mean"), "unknown extension rule 'mean': choose from discounted"),
        (lambda: costs.extend("discounted", epsilon=-1), "epsilon must be finite"),
        (lambda: costs.extend("ha", delta=0.1), "true class, got 1 in row 0, column 1"),
        (lambda: CostMatrix.ha([1, 1]).extend("ha"), "needs delta"),
        (lambda: CostMatrix.ha([1, 1]).extend("ha", delta=-1), "delta must be finite"),
        (lambda: costs.extend("utility"), "for 0/1 costs only, got 2 in row 0, column 2"),
        (
            lambda: CostMatrix.zero_one(OBSTACLES).extend("utility", utility="log"),
            r"u\(1\) = 0.693147: use its normalized form",
        ),
        (lambda: costs.extend({}), "table of set costs is empty"),
        (lambda: costs.extend({(H, "x"): [1, 2, 3]}), "'x'"),
        (lambda: costs.extend({(H, B): [1, 2]}), "one cost for each of the 3 classes, got 2"),
        (lambda: costs.extend({(H, B): {H: -1}}), r"got -1 for \{h, b\} when the true class is h"),
        (lambda: costs.extend({(H, B): {H: 1}, (B, H): {H: 2}}), r"\{h, b\} more than once"),
        (lambda: costs.extend({(H,): {H: 1}}), "leave single classes out of the table"),
        (lambda: costs.extend({(): {H: 1}}), "empty set has no cost"),
        (lambda: costs.extend("discounted").cost([], H), "empty set has no cost"),
        (lambda: costs.extend("discounted").cost([H], "x"), "'x'"),
        (lambda: costs.extend("discounted").of([[H], []], [H, H]), "row 1 predicts the empty set"),
        (lambda: costs.extend("discounted").of([[H]], [H, B]), "1 prediction but 2 true classes"),
        (lambda: costs.extend("discounted").of([], []), "no prediction to score"),
        (
            lambda: costs.extend("discounted").expected([[H], [B]], [[0.5, 0.5, 0]] * 3),
            "2 predictions but 3 rows of proba",
        ),
        (lambda: CostMatrix.zero_one(range(21)).extend("discounted").matrix(), "too many to list"),
        (
            lambda: costs.extend("discounted").of([["x"]], [H]),
            "'x'",
        ),
        (
            lambda: costs.extend("discounted").of(np.eye(2, dtype=bool), [H, B]),
            "2 columns",
        ),
    ],
)
def test_error_messages_are_clear(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_expected_costs_take_the_columns_of_sets_and_probabilities_by_name():
    # columns n, b, h; with p(h) = 0.5, p(n) = 0.3, p(b) = 0.2 the class h costs 0.2 + 2 * 0.3
    sets, proba = [[False, False, True], [True, False, False]], [0.3, 0.2, 0.5]
    found = costs.extend("discounted").expected(sets, proba, classes=[N, B, H])
    assert found == pytest.approx([0.8, 4 * 0.7])


def test_an_empty_set_costs_what_the_user_says():
    extended = costs.extend("discounted")
    assert extended.of([[], [H]], [H, N], empty_cost=7).tolist() == [7, 2]
    assert extended.expected([[], [H]], [0.5, 0.5, 0], empty_cost=7) == pytest.approx([7, 0.5])
    with pytest.raises(ValueError, match="empty_cost must be finite"):
        extended.of([[]], [H], empty_cost=-1)


def test_it_prints_as_a_table_of_few_and_a_line_for_many_classes():
    assert "{h, b, n}" in repr(costs.extend("discounted"))
    assert "9 classes" in repr(CostMatrix.zero_one(range(9)).extend("discounted"))


# The range of the costs


@settings(deadline=None)
@given(cost_matrices(), rules)
def test_the_range_of_the_costs_contains_every_set(matrix, rule):
    extended = matrix.extend(rule[0], **rule[1])
    rows = extended.matrix()
    np.testing.assert_allclose(extended.ranges[:, 1], rows.max(axis=0), atol=1e-9)
    assert (extended.ranges[:, 0] <= rows.min(axis=0) + 1e-9).all()


def test_the_range_of_the_costs_contains_every_set_of_a_table_and_of_other_rules():
    own = costs.extend({("h", "b"): {"h": 0.25, "b": 9, "n": 2}})
    for extended in (
        own,
        CostMatrix.zero_one(OBSTACLES).extend("utility", utility="u65"),
        CostMatrix.ha([2.0, 1.0, 4.0], OBSTACLES).extend("ha", delta=0.25),
        CostMatrix.ha([2.0, 1.0, 4.0], OBSTACLES).extend("ha", delta=3.0),  # all classes: 6
    ):
        rows = extended.matrix()
        np.testing.assert_allclose(extended.ranges[:, 0], rows.min(axis=0))
        np.testing.assert_allclose(extended.ranges[:, 1], rows.max(axis=0))
    assert own.ranges[1, 1] == 9


@pytest.mark.parametrize(
    ("rule", "options", "words"),
    [
        ("p-discounted", {"r": "x"}, r"r must lie in \[0, 1\], got 'x'"),
        ("p-discounted", {"p": "x"}, "p must be a real number or infinite, got 'x'"),
        ("ha", {"delta": "x"}, "delta must be finite and not negative, got 'x'"),
    ],
)
def test_options_that_are_not_numbers_are_refused_in_one_sentence(rule, options, words):
    with pytest.raises(ValueError, match=words):
        CostMatrix.ha([1, 2, 3]).extend(rule, **options)


def test_a_rule_beside_a_table_has_its_own_requirements():
    with pytest.raises(ValueError, match="the rule 'utility' is for 0/1 costs only, got 2"):
        CostMatrix([[0, 2], [4, 0]]).extend({(0, 1): [1, 1]}, otherwise="utility")


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"r": 0.3, "mode": "mistake-averse"}, "p-discounted, r = 0.3, mistake-averse"),
        ({"r": 1, "mode": "mistake-averse"}, "p-discounted, r = 1, mistake-averse"),
        ({"p": -0.5}, "p-discounted, p = -0.5"),
        (
            {"p": -0.5, "mode": "mistake-averse"},
            "p-discounted, p = -0.5 inside and 2.5 outside the set",
        ),
    ],
)
def test_exponents_outside_the_paper_are_named_as_such(options, name):
    assert CostMatrix.zero_one(["a", "b"]).extend("p-discounted", **options).rule.name == name


def test_a_table_is_called_by_its_sets_of_several_classes():
    rows = {("a",): [0, 1, 1], ("a", "b"): [0.5, 0.5, 1]}  # a single class as in the matrix
    extended = CostMatrix.zero_one(["a", "b", "c"]).extend(rows, otherwise="discounted")
    assert extended.rule.name == "1 set with costs of its own, the rest discounted"


@pytest.mark.parametrize("values", [[1, 1.3, 0.9, 0.2], [1, -0.5, 0.8, 0.7], [1, 0.2, 0.9, 0.4]])
def test_the_range_of_one_minus_a_utility_contains_all_sizes(values):
    extended = CostMatrix.zero_one(list("abcd")).extend("utility", utility=Tabulated(values))
    cells = extended.matrix()
    assert extended.ranges[:, 0] == pytest.approx(cells.min(axis=0))
    assert extended.ranges[:, 1] == pytest.approx(cells.max(axis=0))
    found = evaluate_costs(["a", "b", "a"], [["a", "b"], ["a", "b"], ["c"]], extended)
    low, high = found.overall.interval()
    assert cells.min() <= low <= found.mean <= high <= cells.max()
    first = evaluate_costs(["b", "b"], [["a", "b"], ["b"]], extended).by_class["b"]
    assert first.interval()[0] <= first.value
