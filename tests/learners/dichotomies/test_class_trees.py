"""Trees over the classes: how they are written, numbered and drawn."""

from collections import Counter
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import chisquare

from wager.learners.dichotomies._class_trees import ClassTree, sample_nominal, sample_ordinal
from wager.learners.dichotomies._split_models import Splits

SAMPLERS = pytest.mark.parametrize("sample", [sample_nominal, sample_ordinal])


@SAMPLERS
@pytest.mark.parametrize("K", [1, 2, 3, 7, 40])
def test_a_drawn_tree_splits_all_classes_down_to_single_ones(sample, K):
    tree = sample(K, np.random.RandomState(K))
    assert tree.n_classes == K
    assert tree.groups[-1].all()
    for i, (left, right) in enumerate(tree.sides):
        assert left < K + i and right < K + i  # noqa: PT018 - splits come after those below them
        assert not (tree.groups[left] & tree.groups[right]).any()
        assert tree.groups[left].argmax() < tree.groups[right].argmax()
    nested = tree.to_nested(np.arange(K))
    again = ClassTree.from_nested(nested, np.arange(K))
    np.testing.assert_array_equal(again.sides, tree.sides)


@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
def test_ordinal_splits_cut_the_order_of_the_classes(K, seed):
    tree = sample_ordinal(K, np.random.RandomState(seed))
    for left, right in tree.sides:
        first, second = np.flatnonzero(tree.groups[left]), np.flatnonzero(tree.groups[right])
        assert (np.diff(np.concatenate([first, second])) == 1).all()


@pytest.mark.parametrize(
    ("sample", "K", "number"),
    [
        (sample_nominal, 4, prod(range(2 * 4 - 3, 0, -2))),  # (2K - 3)!! = 15
        (sample_nominal, 3, 3),
        (sample_ordinal, 5, comb(8, 4) // 5),  # the Catalan number of K - 1: 14
        (sample_ordinal, 4, 5),
    ],
)
def test_every_tree_is_drawn_equally_often(sample, K, number):
    rng = np.random.RandomState(0)
    times = Counter(sample(K, rng).to_nested(np.arange(K)) for _ in range(200 * number))
    assert len(times) == number
    assert chisquare(list(times.values())).pvalue > 0.001


def test_equal_trees_are_numbered_alike():
    labels = np.array(["a", "b", "c", "d"])
    one = ClassTree.from_nested((("d", "a"), ("b", "c")), labels)
    other = ClassTree.from_nested([["c", "b"], ["a", "d"]], labels)
    np.testing.assert_array_equal(one.sides, other.sides)
    assert one.to_nested(labels) == (("a", "d"), ("b", "c"))


@pytest.mark.parametrize(
    ("nested", "words"),
    [
        (("a", "b", "c"), "every split needs two sides"),
        (("a", ("b", "x")), "the tree contains 'x', which is not one of the classes a, b, c"),
        (("a", ("b", "b")), "contains the class 'b' 2 times"),
        (("a", "b"), "contains the class 'c' 0 times"),
    ],
)
def test_an_invalid_tree_raises_a_clear_error(nested, words):
    with pytest.raises(ValueError, match=words):
        ClassTree.from_nested(nested, np.array(["a", "b", "c"]))


def test_splits_that_trees_share_are_learned_once():
    labels = np.arange(4)
    trees = [ClassTree.from_nested(t, labels) for t in (((0, 1), (2, 3)), (((0, 1), 2), 3))]
    splits, numbers = Splits.of_trees(trees)
    assert len(splits) == 5  # {0}|{1} is in both
    for tree, chosen in zip(trees, numbers, strict=True):
        np.testing.assert_array_equal(splits.left[chosen], tree.groups[tree.sides[:, 0]])
        np.testing.assert_array_equal(splits.right[chosen], tree.groups[tree.sides[:, 1]])
