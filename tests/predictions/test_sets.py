"""Prediction sets behave as Python's sets do, row by row, and come back from every form."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, strategies as st

from tests.predictions.strategies import (
    class_arrays,
    matrices,
    named_matrices,
    python_sets,
    truths_and_matrices,
)
from wager.predictions import PredictionSets, as_sets, sets_of_members, size_and_hit


@given(truths_and_matrices())
def test_sizes_and_hits_are_those_of_python_sets(data):
    codes, matrix, classes = data
    sets, twins = PredictionSets.from_indicator(matrix, classes), python_sets(matrix, classes)
    y = classes[codes]
    expected = [label in twin for label, twin in zip(y.tolist(), twins, strict=True)]
    assert sets.sizes.tolist() == [len(twin) for twin in twins]
    assert sets.contains(y).tolist() == expected
    size, hit = size_and_hit(codes, sets)
    assert size.tolist() == sets.sizes.tolist()
    assert hit.tolist() == expected


@given(named_matrices(), st.data())
def test_one_label_is_looked_for_in_every_row(data, pick):
    matrix, classes = data
    label = pick.draw(st.sampled_from(classes.tolist()))
    sets = PredictionSets.from_indicator(matrix, classes)
    assert sets.contains(label).tolist() == [label in s for s in python_sets(matrix, classes)]


def test_no_set_contains_a_label_that_is_never_predicted():
    assert as_sets(["a|b", "c"]).contains(["a", "z"]).tolist() == [True, False]
    assert as_sets(["a|b", "c"]).contains("z").tolist() == [False, False]
    assert as_sets([[], []]).contains(["a", "b"]).tolist() == [False, False]


@given(st.data())
def test_intersection_union_and_inclusion_are_those_of_python_sets(data):
    classes = data.draw(class_arrays())
    first, second = data.draw(matrices(len(classes))), data.draw(matrices(len(classes)))
    n = min(len(first), len(second))
    first, second = first[:n], second[:n]
    a = PredictionSets.from_indicator(first, classes)
    b = PredictionSets.from_indicator(second, classes)
    pairs = list(zip(python_sets(first, classes), python_sets(second, classes), strict=True))
    assert [set(row) for row in a & b] == [x & y for x, y in pairs]
    assert [set(row) for row in a | b] == [x | y for x, y in pairs]
    assert a.issubset(b).tolist() == [x <= y for x, y in pairs]
    assert (a & b).issubset(a).all()
    assert a.issubset(a | b).all()
    assert (a == b) == all(x == y for x, y in pairs)


def test_sets_over_different_labels_are_compared_over_all_labels():
    a, b = as_sets(["a|b", "c"]), as_sets(["b|d", "c"])
    assert (a & b).to_lists() == [["b"], ["c"]]
    assert (a | b).to_lists() == [["a", "b", "d"], ["c"]]
    assert a.issubset(b).tolist() == [False, True]


@given(named_matrices())
def test_every_form_gives_the_sets_back(data):
    matrix, classes = data
    sets = PredictionSets.from_indicator(matrix, classes)
    np.testing.assert_array_equal(sets.to_indicator(), matrix)
    np.testing.assert_array_equal(np.asarray(sets), matrix)
    np.testing.assert_array_equal(sets.to_sparse().toarray(), matrix)
    assert PredictionSets.from_lists(sets.to_lists(), classes) == sets
    assert PredictionSets.from_strings(sets.to_strings(), classes) == sets
    assert PredictionSets.from_strings(sets.to_strings(sep=";"), classes, sep=";") == sets
    assert PredictionSets.from_masks(sets.to_masks(), classes) == sets
    assert PredictionSets.from_masks(sets.words, classes) == sets
    forms = [sets.to_indicator(), sets.to_sparse(), sets.to_lists(), sets.to_strings()]
    forms += [sets.to_pandas(), sets.to_frame(), sets.to_polars(), sets.to_arrow(), sets]
    for form in forms:
        assert as_sets(form, classes) == sets


@given(st.data())
def test_determinate_sets_are_read_back_from_labels(data):
    classes = data.draw(class_arrays())
    codes = data.draw(st.lists(st.integers(0, len(classes) - 1), max_size=10))
    labels = classes[np.array(codes, dtype=int)]
    sets = PredictionSets.from_labels(labels, classes)
    assert sets.sizes.tolist() == [1] * len(labels)
    assert sets.to_labels().tolist() == labels.tolist()
    assert PredictionSets.from_labels(sets.to_labels(), classes) == sets
    assert as_sets(sets.to_categorical(), classes) == sets
    assert sets.to_categorical().categories.tolist() == classes.tolist()


@given(named_matrices())
def test_without_declared_classes_the_labels_that_occur_are_the_classes(data):
    matrix, classes = data
    twins = python_sets(matrix, classes)
    sets = PredictionSets.from_lists(twins)
    assert sets.classes.tolist() == sorted(set().union(*twins))
    assert [set(row) for row in sets] == twins


@given(st.data())
def test_classes_may_be_reordered_and_added_without_changing_a_set(data):
    matrix, classes = data.draw(named_matrices())
    more = data.draw(st.permutations([*classes.tolist()]))
    extra = ["~new~"] if classes.dtype.kind == "U" else [10**17]
    assume(extra[0] not in more)
    sets = PredictionSets.from_indicator(matrix, classes)
    wider = sets.with_classes([*more, *extra])
    assert [set(row) for row in wider] == python_sets(matrix, classes)
    assert wider.with_classes([*extra, *classes.tolist()]).to_lists() == sets.to_lists()


@pytest.mark.parametrize("n_classes", [70, 2000])
def test_many_classes_work_as_few_do(n_classes):
    matrix = np.random.default_rng(0).random((50, n_classes)) < 0.1
    sets = as_sets(matrix)
    y = np.arange(50) * 7 % n_classes
    assert sets.words.shape == (50, -(-n_classes // 64))
    np.testing.assert_array_equal(sets.sizes, matrix.sum(axis=1))
    np.testing.assert_array_equal(sets.contains(y), matrix[np.arange(50), y])
    assert as_sets(sets.to_strings(), np.arange(n_classes)) == sets.with_classes(sets.classes)


def test_sets_of_two_classes_have_no_class_one_or_both():
    sets = PredictionSets.from_strings(["", "no", "yes", "no|yes"])
    assert sets.sizes.tolist() == [0, 1, 1, 2]
    assert sets.contains("yes").tolist() == [False, False, True, True]
    assert sets.to_masks().tolist() == [0, 1, 2, 3]


def test_a_repeated_label_counts_once():
    assert PredictionSets.from_lists([["a", "a", "b"]]).sizes.tolist() == [2]
    assert PredictionSets.from_strings(["a|a"]).to_lists() == [["a"]]


def test_rows_are_picked_as_from_an_array():
    sets = PredictionSets.from_strings(["a|b", "", "c", "a"])
    assert sets[0] == ["a", "b"]
    assert sets[-1] == ["a"]
    assert sets[1:3].to_lists() == [[], ["c"]]
    assert sets[sets.sizes == 1].to_lists() == [["c"], ["a"]]
    assert sets[[2, 0]].to_lists() == [["c"], ["a", "b"]]
    assert list(sets) == sets.to_lists()
    assert len(sets[1:3]) == 2
    assert sets[:0].classes.tolist() == ["a", "b", "c"]


def test_equal_sets_are_one_key_and_survive_copying():
    sets = PredictionSets.from_strings(["a|b", "c"])
    again = PredictionSets.from_lists([["b", "a"], ["c"]], ["a", "b", "c"])
    assert sets == again
    assert hash(sets) == hash(again)
    assert sets != PredictionSets.from_strings(["a|b", "b|c"])
    assert sets != sets.with_classes(["c", "b", "a"])
    assert sets != "a|b"
    assert pickle.loads(pickle.dumps(sets)) == sets
    assert copy.deepcopy(sets) == sets


def test_neither_the_sets_nor_the_callers_array_can_be_changed_through_the_other():
    masks = np.array([1, 2], dtype=np.uint64)
    sets = PredictionSets.from_masks(masks, ["a", "b"])
    with pytest.raises(ValueError, match="read-only"):
        sets.words[0] = 3
    with pytest.raises(AttributeError):
        sets.words = masks
    assert masks.flags.writeable


def test_numpy_sees_the_matrix_in_any_type():
    sets = PredictionSets.from_strings(["a|b", "b"])
    assert np.asarray(sets).dtype == bool
    assert np.asarray(sets, dtype=float).tolist() == [[1.0, 1.0], [0.0, 1.0]]
    assert np.mean(sets, axis=0).tolist() == [0.5, 1.0]
    with pytest.raises(ValueError, match="always a copy"):
        np.asarray(sets, copy=False)


def test_text_of_numbers_is_matched_with_declared_numbers():
    sets = PredictionSets.from_strings(["1|3", "2"], classes=[1, 2, 3])
    assert sets.classes.tolist() == [1, 2, 3]
    assert sets.to_lists() == [[1, 3], [2]]
    frame = pd.DataFrame({"2": [1, 0], "1": [0, 1]})
    assert as_sets(frame, classes=[1, 2]).to_lists() == [[2], [1]]


def test_a_long_repr_is_cut():
    text = repr(as_sets(np.ones((1000, 80), dtype=bool)))
    assert text.startswith("PredictionSets(1000 rows over 0, 1, 2, 3, 4, 5, ... (80 in all): {0, 1")
    assert len(text) < 300
    assert repr(as_sets([["a"]])) == "PredictionSets(1 row over 'a': {a})"
    assert repr(as_sets([])) == "PredictionSets(0 rows over no class: )"


def test_a_repr_shows_five_rows_and_five_labels_of_each():
    sets = as_sets([list("abcdef"), ["a"], ["b"], ["c"], ["d"], ["e"]])
    shown = "{a, b, c, d, e, ...}, {a}, {b}, {c}, {d}"
    assert repr(sets).replace("\n", " ").endswith(f": {shown}, ...)")
    assert repr(sets[:5]).replace("\n", " ").endswith(f": {shown})")


@given(
    st.lists(st.sets(st.integers(0, 3)) | st.none(), min_size=1, max_size=6),
    st.sampled_from([4, 1000]),
)
def test_sets_that_contain_every_class_need_no_list(members, n_classes):
    listed = [sorted(row or ()) for row in members]
    sets = sets_of_members(
        np.array([code for row in listed for code in row], dtype=int),
        np.array([len(row) for row in listed]),
        np.arange(n_classes),
        np.array([row is None for row in members]),
    )
    expected = [range(n_classes) if row is None else sorted(row) for row in members]
    assert sets.to_lists() == [list(row) for row in expected]
