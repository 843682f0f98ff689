"""Probability intervals: the laws of their credal sets, the paper's example, the errors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import linprog

from tests.credal.strategies import intervals, probabilities
from tests.fewer import fewer
from wager.predictions import ProbabilityIntervals
from wager.predictions._matching import same_columns

CLOSE = {"rtol": 0, "atol": 1e-9}


@pytest.fixture
def obstacle():
    """Yang, Destercke & Masson (2017), Example 3."""
    return ProbabilityIntervals([[0, 0.3, 0.4]], [[0.2, 0.4, 0.6]], classes=["h", "b", "n"])


def functions_of(k: int):
    return st.lists(st.integers(-8, 8), min_size=k, max_size=k)


@st.composite
def intervals_and_function(draw):
    credal = draw(intervals())
    return credal, np.array(draw(functions_of(len(credal.classes))), dtype=float)


def by_programme(credal: ProbabilityIntervals, f, row: int) -> float:
    """The least expectation in a row, from a linear programme."""
    bounds = np.column_stack([credal.lower[row], credal.upper[row]])
    return linprog(f, A_eq=np.ones((1, len(f))), b_eq=[1], bounds=bounds).fun


def test_example_3_has_the_four_vertices_of_the_paper(obstacle):
    printed = [[0, 0.4, 0.6], [0.2, 0.3, 0.5], [0.2, 0.4, 0.4], [0.1, 0.3, 0.6]]
    np.testing.assert_allclose(obstacle.vertices(0), sorted(printed), **CLOSE)
    assert obstacle.is_proper.all()
    assert obstacle.is_reachable.all()


def test_example_4_has_the_lower_differences_of_the_paper(obstacle):
    differences = [[3, 4, -2], [-1, 1, 0]]  # c_n - c_b and c_h - c_b
    np.testing.assert_allclose(obstacle.lower_expectation(differences), [[0.3, 0.1]], **CLOSE)


@given(intervals_and_function())
def test_a_lower_expectation_solves_its_linear_program(case):
    credal, f = case
    programmes = [by_programme(credal, f, row) for row in range(len(credal))]
    np.testing.assert_allclose(credal.lower_expectation(f), programmes, **CLOSE)


@given(intervals_and_function())
def test_expectations_are_those_of_the_vertices(case):
    credal, f = case
    for row in range(len(credal)):
        values = credal.vertices(row) @ f
        assert credal.lower_expectation(f)[row] == pytest.approx(values.min(), abs=1e-9)
        assert credal.upper_expectation(f)[row] == pytest.approx(values.max(), abs=1e-9)


def test_a_lower_expectation_of_one_row_has_the_bits_of_the_same_row_among_many():
    rng = np.random.default_rng(0)
    credal = ProbabilityIntervals.from_contamination(rng.dirichlet(np.ones(9), 300), 0.3)
    functions = np.vstack([rng.normal(size=(12, 9)), rng.integers(0, 3, (12, 9)), np.ones((1, 9))])
    alone = np.vstack([credal[row].lower_expectation(functions) for row in range(300)])
    np.testing.assert_array_equal(credal.lower_expectation(functions), alone)


@given(intervals())
def test_the_vertices_envelope_is_the_tightened_interval(credal):
    tight = credal.tighten()
    for row in range(len(credal)):
        vertices = credal.vertices(row)
        np.testing.assert_allclose(vertices.sum(axis=1), 1, **CLOSE)
        np.testing.assert_allclose(vertices.min(axis=0), tight.lower[row], **CLOSE)
        np.testing.assert_allclose(vertices.max(axis=0), tight.upper[row], **CLOSE)


@given(intervals(most_classes=5))
@fewer(12)
def test_no_vertex_is_a_mixture_of_the_others(credal):
    vertices = credal.vertices(0)
    for i, vertex in enumerate(vertices):
        others = np.delete(vertices, i, axis=0)
        if len(others):
            mixture = linprog(
                np.zeros(len(others)),
                A_eq=np.vstack([others.T, np.ones(len(others))]),
                b_eq=np.append(vertex, 1),
            )
            assert mixture.status == 2  # infeasible


@given(intervals())
def test_tightening_is_idempotent_and_ends_reachable(credal):
    once = credal.tighten()
    twice = once.tighten()
    assert once.is_reachable.all()
    np.testing.assert_allclose(twice.lower, once.lower, **CLOSE)
    np.testing.assert_allclose(twice.upper, once.upper, **CLOSE)


@given(intervals_and_function())
def test_tightening_changes_no_expectation(case):
    credal, f = case
    np.testing.assert_allclose(
        credal.tighten().lower_expectation(f), credal.lower_expectation(f), **CLOSE
    )


@given(intervals_and_function())
def test_a_function_for_each_row_agrees_with_one_for_all(case):
    credal, f = case
    each = np.tile(f, (len(credal), 1))
    np.testing.assert_allclose(
        credal.lower_expectation(each, per_row=True), credal.lower_expectation(f), **CLOSE
    )
    np.testing.assert_allclose(
        credal.upper_expectation(each, per_row=True), credal.upper_expectation(f), **CLOSE
    )


@given(intervals(n_classes=5), st.lists(st.booleans(), min_size=5, max_size=5))
def test_the_probability_of_an_event_is_the_expectation_of_its_indicator(credal, event):
    f = np.array(event, dtype=float)
    np.testing.assert_allclose(
        credal.lower_probability(event), credal.lower_expectation(f), **CLOSE
    )
    np.testing.assert_allclose(
        credal.upper_probability(event), credal.upper_expectation(f), **CLOSE
    )


@given(intervals(n_classes=4), st.lists(st.booleans(), min_size=4, max_size=4))
def test_lower_and_upper_probability_are_conjugate(credal, event):
    complement = [not inside for inside in event]
    np.testing.assert_allclose(
        credal.upper_probability(event), 1 - credal.lower_probability(complement), **CLOSE
    )


def test_an_event_may_be_named_by_its_classes(obstacle):
    np.testing.assert_array_equal(
        obstacle.upper_probability(["h", "n"]), obstacle.upper_probability([True, False, True])
    )
    assert obstacle.lower_probability([]).tolist() == [0]


def test_many_rows_are_processed_in_chunks():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), size=60_000)
    credal = ProbabilityIntervals.from_contamination(p, 0.25)
    f = np.array([[1.0, -2.0, 0.5], [0.0, 1.0, 3.0]])
    expected = 0.75 * p @ f.T + 0.25 * f.min(axis=1)  # linear-vacuous, in closed form
    np.testing.assert_allclose(credal.lower_expectation(f), expected, **CLOSE)


@given(st.lists(st.integers(0, 30), min_size=2, max_size=6), st.sampled_from([0.5, 1, 2]))
def test_idm_intervals_are_reachable_and_as_wide_as_s_says(counts, s):
    credal = ProbabilityIntervals.from_idm(counts, s)
    assert credal.is_reachable.all()
    np.testing.assert_allclose(credal.upper - credal.lower, s / (sum(counts) + s), **CLOSE)


@given(probabilities(), st.integers(0, 10).map(lambda i: i / 10))
def test_contaminated_intervals_are_reachable_and_contain_the_probability(p, epsilon):
    credal = ProbabilityIntervals.from_contamination(p, epsilon)
    assert credal.is_reachable.all()
    assert (credal.lower <= p + 1e-12).all()
    assert (credal.upper >= p - 1e-12).all()


def test_a_precise_probability_is_its_own_only_vertex():
    p = np.array([0.1, 0.2, 0.7])
    np.testing.assert_allclose(ProbabilityIntervals(p, p).vertices(0), [p], **CLOSE)


def test_a_vacuous_set_has_the_corners_as_vertices():
    vacuous = ProbabilityIntervals(np.zeros((1, 12)), np.ones((1, 12)))
    np.testing.assert_array_equal(vacuous.vertices(0), np.eye(12)[::-1])


def test_rows_are_chosen_by_index_slice_and_mask():
    credal = ProbabilityIntervals.from_idm([[1, 2], [3, 4], [5, 6]], classes=["a", "b"])
    np.testing.assert_array_equal(credal[1].lower, credal.lower[[1]])
    np.testing.assert_array_equal(credal[1:].upper, credal.upper[1:])
    np.testing.assert_array_equal(credal[[True, False, True]].upper, credal.upper[[0, 2]])
    assert len(credal[-1]) == 1
    assert credal[0].classes.tolist() == ["a", "b"]


def test_a_frame_names_bounds_as_prediction_files_do(obstacle):
    frame = obstacle.to_frame()
    names = ["lower:h", "lower:b", "lower:n", "upper:h", "upper:b", "upper:n"]
    assert list(frame.columns) == names
    assert frame.loc[0, "upper:b"] == 0.4


def test_sure_loss_is_detected_and_refused_with_its_row():
    credal = ProbabilityIntervals(
        [[0.1, 0.2], [0.7, 0.6], [0.0, 0.0]], [[0.9, 0.9], [0.8, 0.9], [0.3, 0.4]]
    )
    assert credal.is_proper.tolist() == [True, False, False]
    assert credal.is_reachable.tolist() == [False, False, False]
    with pytest.raises(ValueError, match=r"the bounds of row 1: its lower bounds sum to 1\.3"):
        credal.tighten()
    with pytest.raises(ValueError, match=r"the bounds of row 2: its upper bounds sum to 0\.7"):
        credal.vertices(2)
    with pytest.raises(ValueError, match=r"the bounds of row 0: its upper bounds sum to 0\.7"):
        credal[2:].lower_expectation([0, 1])
    with pytest.raises(ValueError, match="no probabilities satisfy the bounds"):
        credal.vertices(1)


@pytest.mark.parametrize(
    ("lower", "upper", "words"),
    [
        ([[0.1, 0.6]], [[0.5, 0.5]], r"lower must not exceed upper, got 0\.6 > 0\.5 in row 0, col"),
        ([[0.1, 0.2]], [[0.5, 1.5]], r"upper must lie in \[0, 1\], got 1\.5 in row 0, column 1"),
        ([[np.nan, 0.2]], [[0.5, 1]], r"lower must lie in \[0, 1\], got nan"),
        ([[0.1, 0.2]], [[0.5, 1, 1]], r"lower has the shape \(1, 2\) but upper \(1, 3\)"),
        ([[[0.1]]], [[[0.5]]], r"got an array of shape \(1, 1, 1\)"),
    ],
)
def test_wrong_bounds_are_refused(lower, upper, words):
    with pytest.raises(ValueError, match=words):
        ProbabilityIntervals(lower, upper)


def test_other_wrong_arguments_are_refused(obstacle):
    with pytest.raises(ValueError, match="3 columns but there are 2 classes"):
        ProbabilityIntervals(obstacle.lower, obstacle.upper, classes=["a", "b"])
    with pytest.raises(ValueError, match=r"got \(2,\): give one value per class"):
        obstacle.lower_expectation([1, 2])
    with pytest.raises(ValueError, match="must be finite"):
        obstacle.lower_expectation([1, 2, np.inf])
    with pytest.raises(ValueError, match="one boolean for each of the 3 classes"):
        obstacle.lower_probability([True, False])
    with pytest.raises(ValueError, match="event contains 'x' in row 0"):
        obstacle.lower_probability(["x"])
    with pytest.raises(ValueError, match="all counts of row 1 are 0 and s is 0"):
        ProbabilityIntervals.from_idm([[1, 1], [0, 0]], s=0)
    with pytest.raises(ValueError, match="s must be a finite number that is not negative"):
        ProbabilityIntervals.from_idm([[1, 1]], s=-1)
    with pytest.raises(ValueError, match="counts must be finite and not negative"):
        ProbabilityIntervals.from_idm([[1, -1]])
    with pytest.raises(ValueError, match=r"epsilon must lie in \[0, 1\], got 2"):
        ProbabilityIntervals.from_contamination([[0.5, 0.5]], 2)


def test_rounding_does_not_make_bounds_cross():
    p = np.full((1, 3), 1 / 3)
    credal = ProbabilityIntervals(p, p - 1e-16)
    assert (credal.lower <= credal.upper).all()
    assert credal.tighten().is_proper.all()


def test_columns_without_names_are_taken_to_be_sorted():
    named = pd.DataFrame({"b": [0.25], "a": [0.75]})
    for sides, names in (((named, [[0.3, 0.8]]), "pq"), (([[0.3, 0.8]], named), "qp")):
        with pytest.raises(ValueError, match=f"the columns of {names[0]}") as error:
            same_columns(*sides, ("p", "q"))
        assert str(error.value).startswith(f"{names[1]} ")
