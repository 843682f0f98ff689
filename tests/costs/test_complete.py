import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import minimize

from tests.costs.strategies import OBSTACLES, TABLE_I, cost_matrices
from tests.fewer import fewer
from wager.costs import (
    ContradictoryAnswersError,
    CostMatrix,
    CostRatio,
    ExpectedCost,
    SetCost,
    audit,
    complete,
)
from wager.costs._nearest_point import _shortest, nearest

costs = CostMatrix(TABLE_I, OBSTACLES)
two = CostMatrix([[0, 2], [4, 0]], ["h", "n"])
BOTH = ("h", "n")


def test_the_expert_of_example_7_gets_table_vii():
    expert = [CostRatio(BOTH, "n", "h", 3), ExpectedCost(BOTH, {"h": 0.5, "n": 0.5}, 0.5)]
    extended = complete(two, expert)
    assert extended.matrix()[-1] == pytest.approx([0.25, 0.75])
    assert audit(extended).holds[3]


def test_table_vi_follows_from_insensitivity_and_the_same_expectation():
    extended = complete(two, [ExpectedCost(BOTH, [0.5, 0.5], 0.5)], properties=(2, 3, 8))
    assert extended.matrix()[-1] == pytest.approx([0.5, 0.5])


def test_without_answers_the_p_discounted_costs_stay():
    extended = complete(costs, [], r=0.3)
    np.testing.assert_array_equal(extended.matrix(), costs.extend("p-discounted", r=0.3).matrix())


def test_an_answer_moves_only_what_it_must():
    extended = complete(costs, {("h", "b"): {"h": 0.4}}, properties=(3, 4))
    expected = costs.extend({("h", "b"): {"h": 0.4}})
    np.testing.assert_allclose(extended.matrix(), expected.matrix())


def test_permutation_invariance_carries_an_answer_over_to_the_twin_truth():
    extended = complete(costs, [SetCost(("h", "b"), "h", 0.4)])  # h and b are alike for {h, b}
    assert extended.cost(["h", "b"], "b") == pytest.approx(0.4)


def test_an_expectation_is_spread_as_evenly_as_it_can_be():
    extended = complete(costs, [ExpectedCost(OBSTACLES, [1 / 3] * 3, 1.1)], properties=(3, 4, 5))
    default = costs.extend("p-discounted").matrix()[-1]
    moved = extended.matrix()[-1] - default
    assert extended.expected([OBSTACLES], [1 / 3] * 3) == pytest.approx(1.1)
    assert moved == pytest.approx([moved[0]] * 3)


def test_ratios_may_compare_two_sets_or_a_set_and_a_class():
    extended = complete(
        costs,
        [
            CostRatio(("h", "n"), "b", "b", 2, than_set=("h", "b")),
            CostRatio(("b", "n"), "h", "h", 0.5, than_set=("n",)),
        ],
        properties=(),
    )
    assert extended.cost(["h", "n"], "b") == pytest.approx(2 * extended.cost(["h", "b"], "b"))
    assert extended.cost(["b", "n"], "h") == pytest.approx(2)


def test_bounds_are_kept_and_idle_bounds_change_nothing():
    idle = complete(costs, [SetCost(("h", "b"), "h", 0.45, relation="<=")])
    np.testing.assert_array_equal(idle.matrix(), costs.extend("p-discounted").matrix())
    tight = complete(costs, [SetCost(("h", "b"), "h", 0.45, relation=">=")])
    assert tight.cost(["h", "b"], "h") == pytest.approx(0.45)


def test_a_default_that_lacks_a_wanted_property_is_mended_everywhere():
    for wanted in ("filtering", "choice"):
        extended = complete(costs, {("h", "b"): {"n": 2}}, properties=wanted)
        report = audit(extended)
        verdict = report.verdicts[wanted]
        assert verdict.fits
        assert verdict.lacks_desirable == ()


def test_property_2_alone_picks_the_truth_that_moves_least():
    dear = {("h", "b"): {"h": 0.9, "b": 0.9}}
    extended = complete(costs, dear, properties=(2,))
    row = extended.costs_of_masks([3])[0]
    assert row[:2] == pytest.approx([0.9, 0.9])
    assert row[2] == pytest.approx(2, abs=1e-5)
    assert audit(extended).holds[2]


@given(st.data(), cost_matrices(low=3, high=3, cells=st.floats(0.5, 5), zero_diagonal=True))
@fewer(12)
def test_the_result_obeys_the_answers_and_the_properties(data, matrix):
    share = data.draw(st.floats(0.2, 0.9))
    mean = matrix.extend("discounted").cost([0, 1], 0)
    answer = SetCost((0, 1), 0, share * mean)
    wanted = (2, 3, 4, 6, 10)
    extended = complete(matrix, [answer], properties=wanted, r=0.5)
    holds = audit(extended).holds
    assert all(holds[number] for number in wanted)
    assert extended.cost([0, 1], 0) == pytest.approx(share * mean)


# Contradictions


def clash(answers, properties=(2, 3, 4, 5), matrix=costs):
    with pytest.raises(ContradictoryAnswersError) as caught:
        complete(matrix, answers, properties=properties)
    assert isinstance(caught.value, ValueError)
    return caught.value


def test_an_answer_at_the_mean_contradicts_the_reward_of_caution():
    error = clash([SetCost(BOTH, "n", 1)], matrix=two)
    (conflict,) = error.conflicts
    assert conflict.properties == (3,)
    assert [str(answer) for answer in conflict.answers] == ["{h, n} costs 1 when n is true"]
    assert "'{h, n} costs 1 when n is true' contradicts property 3" in str(error)


def test_every_property_that_an_answer_contradicts_is_named():
    error = clash([SetCost(("h", "b"), "n", 3)], properties=(3, 4, 7, 10))
    assert [conflict.properties for conflict in error.conflicts] == [(7,), (10,)]


def test_only_the_answers_that_contradict_each_other_are_named():
    error = clash(
        [
            SetCost(("h", "b"), "h", 0.4),
            SetCost(("b", "n"), "h", 2),
            SetCost(("h", "b"), "h", 0.3),
        ]
    )
    (conflict,) = error.conflicts
    assert [answer.cost for answer in conflict.answers] == [0.4, 0.3]
    assert conflict.properties == ()
    assert "contradict each other" in str(error)


def test_two_answers_may_contradict_a_property_together():
    pair = ("h", "b")
    error = clash([SetCost(pair, "h", 0.2), SetCost(pair, "b", 0.4)], properties=(5, 10))
    (conflict,) = error.conflicts
    assert conflict.properties == (5,)
    assert len(conflict.answers) == 2


def test_properties_may_contradict_only_together():
    error = clash([ExpectedCost(("h", "b"), [0, 0, 1], 2.5)], properties=(6, 7))
    assert error.conflicts[0].properties == (7,)
    flat = CostMatrix([[1, 1], [1, 1]])
    error = clash([], properties=(3, 4), matrix=flat)
    assert error.conflicts[0].properties == (3, 4)
    assert "the costs of the classes in {0, 1} contradict" in str(error)


def test_an_answer_about_single_classes_is_true_or_refused():
    fine = complete(costs, [SetCost("h", "n", 2)])
    np.testing.assert_array_equal(fine.matrix(), costs.extend("p-discounted").matrix())
    assert "'{h} costs 3 when n is true' is impossible" in str(clash([SetCost("h", "n", 3)]))


def test_property_2_is_contradicted_only_if_every_true_class_costs_too_much():
    row = {"h": 0.5, "b": 0.5, "n": 2}
    error = clash({("h", "b"): row}, properties=(2,))
    assert error.conflicts[0].properties == (2,)
    assert len(error.conflicts[0].answers) == 3


def test_8_and_9_exclude_each_other():
    error = clash([], properties=(8, 9))
    assert "lack property 9" in str(error)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: complete(costs, [], properties=(0, 3)), "numbered 1 to 10, got 0"),
        (lambda: complete(costs, [], properties="all"), "filtering, choice, got 'all'"),
        (lambda: complete(costs, ["h"]), "answer 0 must be a SetCost"),
        (lambda: complete(costs, [SetCost(("h", "x"), "h", 1)]), "'x'"),
        (
            lambda: complete(costs, [SetCost(("h", "b"), "x", 1)]),
            "an answer names 'x', which is not among the classes",
        ),
        (lambda: complete(costs, [ExpectedCost(("h", "b"), {"h": 0.6}, 1)]), "sums to 0.6"),
        (lambda: SetCost(("h", "b"), "h", -1), "cost must be finite and not negative, got -1"),
        (lambda: CostRatio(("h", "b"), "h", "b", -1), "times must be finite"),
        (lambda: SetCost(("h", "b"), "h", 1, relation="<"), "relation must be"),
        (lambda: complete(CostMatrix.zero_one(range(12)), []), "at most 11 classes, got 12"),
        (lambda: complete(costs, [], r=2), r"r must lie in \[0, 1\]"),
    ],
)
def test_error_messages_are_clear(call, words):
    with pytest.raises(ValueError, match=words):
        call()


# The solver


@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(1, 6), st.integers(0, 2))
def test_the_nearest_point_is_the_one_a_general_solver_finds(seed, n, n_bounds, n_equal):
    rng = np.random.default_rng(seed)
    inside = rng.normal(size=n)  # some point obeys everything
    A, E = rng.normal(size=(n_bounds, n)), rng.normal(size=(min(n_equal, n - 1), n))
    b, f = A @ inside + rng.random(n_bounds) * rng.integers(0, 2, n_bounds), E @ inside
    target = rng.normal(size=n) * 3
    found = nearest(target, (A, b), (E, f))
    assert (A @ found <= b + 1e-8).all()
    np.testing.assert_allclose(E @ found, f, atol=1e-8)
    peer = minimize(
        lambda x: ((x - target) ** 2).sum(),
        inside,
        jac=lambda x: 2 * (x - target),
        method="SLSQP",
        constraints=[
            {"type": "ineq", "fun": lambda x: b - A @ x, "jac": lambda x: -A},
            *([{"type": "eq", "fun": lambda x: E @ x - f, "jac": lambda x: E}] if len(E) else []),
        ],
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert ((found - target) ** 2).sum() <= peer.fun + 1e-6 * max(1, peer.fun)


def test_no_point_obeys_contradictory_constraints():
    box = np.array([[1.0], [-1.0]]), np.array([0.0, -1.0])
    assert nearest(np.zeros(1), box, (np.empty((0, 1)), np.empty(0))) is None


def test_a_ratio_between_costs_that_must_be_equal_leaves_them_zero():
    symmetric = CostMatrix([[0, 2, 4], [1, 0, 2], [4, 3, 0]], ["h", "b", "n"])
    result = complete(symmetric, [CostRatio(("h", "n"), "n", "h", 2)])
    assert result.cost(("h", "n"), "h") == result.cost(("h", "n"), "n") == 0.0


def test_a_conflict_names_only_the_answers_that_contradict_each_other():
    innocent = [SetCost(("h", "b"), "n", 2), ExpectedCost(("h", "b"), [0, 1, 0], 0.4)]
    first, second = SetCost(("h", "b"), "h", 0.3), SetCost(("h", "b"), "h", 0.4)
    with pytest.raises(ContradictoryAnswersError) as caught:
        complete(costs, [innocent[0], first, innocent[1], second], properties=())
    (conflict,) = caught.value.conflicts
    assert conflict.answers == (first, second)


def test_a_point_on_the_wrong_side_of_zero_does_not_satisfy_an_equation():
    none = np.empty((0, 1)), np.empty(0)
    assert nearest(np.array([-1.0]), none, (np.eye(1), np.ones(1))) == pytest.approx([1])


def test_a_property_that_needs_an_example_is_required_of_the_result():
    dear = [SetCost(BOTH, "h", 4), SetCost(BOTH, "n", 4)]  # never less than 2 at p(h) = 2/3
    assert not audit(complete(two, dear, properties=())).holds[1]
    with pytest.raises(ContradictoryAnswersError, match="the nearest costs lack property 1"):
        complete(two, dear, properties=(1,))
    assert audit(complete(two, [], properties=(1,))).holds[1]


@pytest.mark.parametrize("times", [0.15, 0.35, 2.2])
def test_a_bound_that_repeats_an_equation_changes_nothing(times):
    half = ExpectedCost(BOTH, {"h": 0.5, "n": 0.5}, 0.2, relation="<=")
    same = [CostRatio(BOTH, "n", "h", times, relation=relation) for relation in ("=", "<=", ">=")]
    h = 0.4 / (1 + times)  # the largest cost that the expectation allows
    for answers in ([same[0], half], [*same, half]):
        assert complete(two, answers, ()).matrix()[-1] == pytest.approx([h, times * h])


@pytest.mark.parametrize("times", [1e-9, 1e5, 1e6, 1e9])
def test_a_cost_and_a_ratio_of_any_size_give_the_other_cost(times):
    answers = [SetCost(BOTH, "h", 1.0), CostRatio(BOTH, "n", "h", times)]
    assert complete(two, answers, ()).matrix()[-1] == pytest.approx([1, times], rel=1e-6)


def test_tiny_limits_can_both_hold():
    answers = [
        ExpectedCost(BOTH, {"h": 0.9785, "n": 0.0215}, 6.65e-08, relation="<="),
        SetCost(BOTH, "h", 9.15e-08, relation="<="),
    ]
    found = complete(two, answers, ()).matrix()[-1]
    assert found @ [0.9785, 0.0215] <= 6.66e-08


def test_the_shortest_step_to_a_half_plane_and_a_bound():
    # x + y <= -2 alone is nearest in (-1, -1); with x <= -1.5 as well, in (-1.5, -0.5)
    step, active = _shortest(np.array([[1.0, 1.0], [1.0, 0.0]]), np.array([-2.0, 0.0]))
    assert step == pytest.approx([-1, -1])
    assert active.tolist() == [True, False]
    step, active = _shortest(np.array([[1.0, 1.0], [1.0, 0.0]]), np.array([-2.0, -1.5]))
    assert step == pytest.approx([-1.5, -0.5])
    assert active.all()


def test_right_answers_about_known_costs_are_possible_whatever_rounding_leaves():
    three = CostMatrix([[0, 0.1, 0.3], [1, 0, 2], [4, 4, 0]], OBSTACLES)
    right = [
        SetCost("h", "n", 0.1 + 0.2),
        CostRatio("h", "n", "b", 3),
        CostRatio("h", "n", "b", 3, relation=">="),
        ExpectedCost("h", {"h": 0.1, "b": 0.2, "n": 0.7}, 0.23),
    ]
    assert complete(three, right).matrix()[0].tolist() == [0, 0.1, 0.3]
    with pytest.raises(ContradictoryAnswersError, match="is impossible"):
        complete(three, [SetCost("h", "n", 0.3 + 1e-9)])
