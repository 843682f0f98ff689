from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

from tests.costs.strategies import OBSTACLES, TABLE_I, cost_matrices
from wager.costs import CostMatrix, costs_over


def probabilities(k):
    return st.lists(st.floats(0.01, 1), min_size=k, max_size=k).map(lambda p: np.array(p) / sum(p))


@settings(deadline=None)
@given(st.data(), cost_matrices())
def test_expected_costs_are_sums_over_the_truths(data, costs):
    p = data.draw(probabilities(len(costs)))
    slow = [sum(p[y] * costs.costs[i, y] for y in range(len(p))) for i in range(len(p))]
    np.testing.assert_allclose(costs.expected(p), slow, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(costs.expected([p, p]), [slow, slow], rtol=1e-12, atol=1e-12)
    assert slow[costs.optimal_class(p)] <= min(slow) + 1e-9


def test_the_precise_estimate_of_example_3_predicts_a_bicycle():
    costs = CostMatrix(TABLE_I, OBSTACLES)
    np.testing.assert_allclose(costs.expected([0.1, 0.3, 0.6]), [1.5, 1.3, 1.6])
    assert costs.optimal_class([0.1, 0.3, 0.6]) == "b"


def test_equal_expected_costs_go_to_the_first_class_whatever_the_rounding():
    costs = CostMatrix.zero_one(["a", "b", "c"])
    assert costs.optimal_class([[0.3, 0.3 + 1e-16, 0.4 - 1e-16]]).tolist() == ["c"]
    assert costs.optimal_class([0.1 + 0.2, 0.3, 0.4 - 1e-17]).item() == "c"
    assert costs.optimal_class([1 / 3, 1 / 3, 1 / 3]).item() == "a"


def test_zero_one_costs_choose_the_most_probable_class():
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(4), size=50)
    best = CostMatrix.zero_one(range(4)).optimal_class(proba)
    np.testing.assert_array_equal(best, proba.argmax(axis=1))


def test_ordinal_costs_are_powers_of_rank_distances():
    assert CostMatrix.ordinal(list("abcd")).costs[0].tolist() == [0, 1, 2, 3]
    assert CostMatrix.ordinal(list("abcd"), p=2).costs[3].tolist() == [9, 4, 1, 0]


def test_ha_costs_depend_on_the_class_that_is_missed():
    expected = [[0, 1, 4], [2, 0, 4], [2, 1, 0]]
    assert CostMatrix.ha([2, 1, 4]).costs.tolist() == expected
    same = CostMatrix.ha(1, ["a", "b"])
    assert same.costs.tolist() == CostMatrix.zero_one(["a", "b"]).costs.tolist()


def test_a_data_frame_brings_its_classes_and_their_order():
    frame = pd.DataFrame(TABLE_I, index=OBSTACLES, columns=OBSTACLES)
    shuffled = frame.loc[["n", "h", "b"]]
    for given_frame in (frame, shuffled):
        costs = CostMatrix(given_frame)
        assert costs.classes.tolist() == OBSTACLES
        assert costs.costs.tolist() == TABLE_I
    assert CostMatrix(pd.DataFrame(TABLE_I, columns=OBSTACLES)).costs.tolist() == TABLE_I


@pytest.mark.parametrize("columns", [[1, 0], ["1", "0"]])
@pytest.mark.parametrize("index", [[0, 1], [1, 0]])
def test_rows_of_a_frame_that_are_called_0_and_1_are_matched_by_name(index, columns):
    costs = {("0", "1"): 5, ("1", "0"): 1}  # predicted, true
    frame = pd.DataFrame(
        [[costs.get((str(row), str(column)), 0) for column in columns] for row in index],
        index=pd.Index(index),
        columns=columns,
    )
    found = CostMatrix(frame)
    assert found.classes.tolist() == columns
    assert found.costs.tolist() == [[0, 1], [5, 0]]
    if columns == [1, 0]:  # also if the index is the default one, which then names classes
        assert CostMatrix(pd.DataFrame([[5, 0], [0, 1]], columns=[1, 0])).costs.tolist() == [
            [0, 1],
            [5, 0],
        ]


def test_a_default_index_beside_other_names_has_no_labels():
    frame = pd.DataFrame([[0, 1], [5, 0]], columns=["b", "a"])
    assert CostMatrix(frame).costs.tolist() == [[0, 1], [5, 0]]


@pytest.mark.parametrize(("last", "step"), [(3, 1), (0, -1)])
@pytest.mark.parametrize("kind", [pd.RangeIndex, lambda *ends: pd.Index(list(range(*ends)))])
def test_rows_called_by_the_numbers_of_text_classes_are_matched_by_name(kind, last, step):
    rows = {1: [0, 5], 2: [3, 0]}
    index = kind(1 if step > 0 else 2, last, step)
    frame = pd.DataFrame([rows[name] for name in index], index=index, columns=["1", "2"])
    assert CostMatrix(frame).costs.tolist() == [[0, 5], [3, 0]]


@pytest.mark.parametrize("classes", [["b", "a"], [0, 1]])
def test_a_part_of_a_frame_without_names_takes_the_given_classes_in_their_order(classes):
    part = pd.DataFrame([[9, 9, 9], [9, 0, 1], [9, 5, 0]]).iloc[1:, 1:]
    costs = CostMatrix(part, classes)
    assert costs.classes.tolist() == classes
    assert costs.costs.tolist() == [[0, 1], [5, 0]]


def test_a_polars_frame_names_its_rows_in_the_first_column():
    frame = pl.DataFrame(
        {"predicted": ["n", "h", "b"], "h": [4, 0, 1], "b": [4, 1, 0], "n": [0, 2, 2]}
    )
    assert CostMatrix(frame).costs.tolist() == TABLE_I
    assert CostMatrix(frame.drop("predicted")[[1, 2, 0]]).costs.tolist() == TABLE_I


def test_costs_cannot_be_changed():
    for costs in (CostMatrix(TABLE_I, OBSTACLES), CostMatrix.ordinal(OBSTACLES)):
        with pytest.raises(ValueError, match="read-only"):
            costs.costs[0, 1] = 9


def test_it_prints_as_a_table():
    assert "predicted" in repr(CostMatrix(TABLE_I, OBSTACLES))
    assert "4.0000" in repr(CostMatrix(TABLE_I, OBSTACLES))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: CostMatrix([[0, 1], [-2, 0]]), "not negative, got -2 in row 1, column 0"),
        (lambda: CostMatrix([[0, np.nan], [2, 0]]), "got nan in row 0, column 1"),
        (lambda: CostMatrix([[0, 1, 2], [1, 0, 2]]), r"square matrix .* got shape \(2, 3\)"),
        (lambda: CostMatrix([[0]]), "at least two"),
        (lambda: CostMatrix([["a", "b"], ["c", "d"]]), "square matrix of numbers"),
        (lambda: CostMatrix(np.zeros((4, 2, 2))), "only average_cost takes"),
        (lambda: CostMatrix([[0, 1], [1, 0]], ["a"]), "lists 1 class but costs has 2 rows"),
        (lambda: CostMatrix([[0, 1], [1, 0]], ["a", "a"]), "duplicate class 'a'"),
        (lambda: CostMatrix.ordinal(list("abc"), p=0), "must be positive and finite, got p=0"),
        (lambda: CostMatrix.ha(1), "pass classes="),
        (lambda: CostMatrix.ha([[1, 2]]), "one per class"),
        (lambda: CostMatrix.ha([1, -2]), "eta must be finite and not negative, got -2 for class 1"),
        (lambda: CostMatrix.ha([np.inf, 2]), "got inf for class 0"),
        (
            lambda: costs_over(np.ones((3, 3)), ["a", "b"]),
            "costs has 3 rows but there are 2 classes",
        ),
        (
            lambda: CostMatrix.zero_one(["a", "b"]).expected([0.5, 0.25, 0.25]),
            "3 columns .* 2 classes",
        ),
        (lambda: CostMatrix.zero_one(["a", "b"]).expected([0.5, 0.6]), "sums to 1.1"),
        (
            lambda: CostMatrix(
                pd.DataFrame([[0, 1], [1, 0]], index=["a", "x"], columns=["a", "b"])
            ),
            "'x'",
        ),
        (
            lambda: CostMatrix(pd.DataFrame([[0, 1]], index=["a"], columns=["a", "b"])),
            "one row and one column",
        ),
    ],
)
def test_error_messages_are_clear(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_an_error_shows_whose_classes_are_whose():
    costs = CostMatrix(TABLE_I, OBSTACLES)
    words = "the costs are for the classes 'h', 'b', 'n' but the proba has 'x', 'y', 'z'"
    with pytest.raises(ValueError, match=words):
        costs.expected([0.2, 0.3, 0.5], classes=["x", "y", "z"])


@pytest.mark.parametrize(
    "make", [CostMatrix.zero_one, CostMatrix.ordinal, partial(CostMatrix.ha, 2)]
)
@pytest.mark.parametrize(("classes", "wrong"), [("ab", "got 'ab'"), (5, "got 5"), ([], "is empty")])
def test_classes_that_are_no_list_are_refused_in_one_sentence(make, classes, wrong):
    with pytest.raises(ValueError, match=f"classes .*{wrong}"):
        make(classes)
