"""Hierarchies of classes: the forms of a tree, nodes of sets, rewards and measures."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.fewer import fewer
from tests.rewards.strategies import labelled_sets
from wager import ClassHierarchy, metrics
from wager.costs import evaluate_hierarchy, evaluate_rewards
from wager.rewards import get_utility

TREE = {"animal": ["dog", "cat"], "plant": {"tree": ["oak", "fir"], "moss": None}}
LEAVES = ["dog", "cat", "oak", "fir", "moss"]
FORMS = {
    "nested": TREE,
    "parents": {
        "dog": "animal", "cat": "animal", "oak": "tree", "fir": "tree", "tree": "plant",
        "moss": "plant",
    },
    "paths": ["animal/dog", "animal/cat", "plant/tree/oak", "plant/tree/fir", "plant/moss"],
}  # fmt: skip


def ancestors(tree, leaf):
    """The path from the root to a leaf, by climbing."""
    node = tree.nodes.tolist().index(leaf)
    path = [node]
    while tree.parents[path[-1]] >= 0:
        path.append(int(tree.parents[path[-1]]))
    return path[::-1]


def smallest_node(tree, labels):
    """The deepest node that is on the path of every member."""
    paths = [ancestors(tree, label) for label in labels]
    shared = [node for node in paths[0] if all(node in path for path in paths)]
    return shared[-1]


@st.composite
def trees(draw, classes):
    """A random tree over some classes, as nested lists."""
    if len(classes) <= 1 or draw(st.integers(0, 3)) == 0:
        return list(classes)
    cut = draw(st.integers(1, len(classes) - 1))
    return [draw(trees(classes[:cut])), draw(trees(classes[cut:]))]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_tree(form):
    tree = ClassHierarchy(FORMS[form], classes=LEAVES)
    assert sorted(tree.classes.tolist()) == sorted(LEAVES)
    found = {str(n): int(d) for n, d in zip(tree.nodes, tree.depths, strict=True)}
    assert found == {"(all)": 0, "animal": 1, "dog": 2, "cat": 2, "plant": 1, "tree": 2,
                     "oak": 3, "fir": 3, "moss": 2}  # fmt: skip
    assert tree.height == 3


def test_lists_and_numbers_of_parents_are_trees():
    lists = ClassHierarchy([["dog", "cat"], ["oak", "fir"]])
    assert lists.nodes.tolist() == ["(all)", "dog|cat", "dog", "cat", "oak|fir", "oak", "fir"]
    numbers = ClassHierarchy(np.array([-1, 0, 0, 1, 1]))
    assert numbers.nodes.tolist() == [0, 1, 3, 4, 2]
    assert numbers.classes.tolist() == [3, 4, 2]
    assert numbers.parents.tolist() == [-1, 0, 1, 1, 0]
    assert ClassHierarchy(["a:x", "b:x"], sep=":").classes.tolist() == ["a:x", "b:x"]
    alone = ClassHierarchy({"plant": {"tree": "oak"}, "animal": ["cat", "dog"]})
    assert alone.classes.tolist() == ["oak", "cat", "dog"]
    assert alone.parents.tolist() == [-1, 0, 1, 2, 0, 4, 4]


@given(labelled_sets(max_classes=7), st.data())
@fewer(8)
def test_the_node_of_a_set_is_the_deepest_one_around_it(data, draw):
    y, sets = data
    names = [f"c{i}" for i in range(sets.shape[1])]
    tree = ClassHierarchy(draw.draw(trees(names).filter(lambda t: isinstance(t, list))))
    lists = [[names[i] for i in np.flatnonzero(row)] for row in sets]
    codes, _ = tree.read(lists)
    slow = [smallest_node(tree, labels) if labels else -1 for labels in lists]
    whole = [set(tree.classes[tree.first[n] : tree.last[n]].tolist()) for n in slow]
    found = [set(tree.classes[tree.first[n] : tree.last[n]].tolist()) for n in codes]
    assert found == whole
    truth = [names[c] for c in y]
    wrong = [not labels or t not in w for labels, t, w in zip(lists, truth, whole, strict=True)]
    assert metrics.node_error(truth, lists, tree) == pytest.approx(np.mean(wrong))
    for depth in range(tree.height + 1):
        correct = []
        for labels, t, node in zip(lists, truth, slow, strict=True):
            path = ancestors(tree, t)
            wanted = path[min(depth, len(path) - 1)]
            inside = tree.first[wanted] <= tree.first[node] and tree.last[node] <= tree.last[wanted]
            correct.append(bool(labels) and inside)
        assert metrics.correct_at_depth(truth, lists, tree, depth) == pytest.approx(
            np.mean(correct)
        )


@given(labelled_sets(max_classes=6), st.sampled_from(["u65", "f1"]), st.data())
@fewer(12)
def test_rewards_are_those_of_the_smallest_node(data, utility, draw):
    y, sets = data
    names = [f"c{i}" for i in range(sets.shape[1])]
    tree = ClassHierarchy(draw.draw(trees(names)))
    u = get_utility(utility)
    lists = [[names[i] for i in np.flatnonzero(row)] for row in sets]
    slow = [
        float(u(1 / tree.n_leaves[smallest_node(tree, labels)])) if names[c] in labels else 0.0
        for labels, c in zip(lists, y, strict=True)
    ]
    truth = [names[c] for c in y]
    np.testing.assert_allclose(tree.rewards(utility).of(lists, truth), slow, atol=1e-12)
    assert metrics.hierarchical_utility(truth, lists, tree, utility) == pytest.approx(np.mean(slow))


def test_numbers_computed_by_hand():
    tree = ClassHierarchy(TREE)
    sets = tree.sets(["animal", "oak", "plant", "(all)", "moss"])
    truth = ["dog", "oak", "cat", "cat", "fir"]
    found = evaluate_hierarchy(truth, sets, tree, "u50")
    assert found["hierarchical_utility"] == pytest.approx((1 / 2 + 1 + 0 + 1 / 5 + 0) / 5)
    assert found["node_error"] == pytest.approx(2 / 5)
    assert found["mean_node_depth"] == pytest.approx((1 + 3 + 1 + 0 + 2) / 5)
    # depth 1: dog in animal, oak in plant, moss in plant with fir; not plant for cat, not the root
    assert found["correct_at_depth:1"] == pytest.approx(3 / 5)
    assert found["correct_at_depth:2"] == pytest.approx(1 / 5)
    assert found["correct_at_depth:3"] == pytest.approx(1 / 5)
    assert found["sets_that_are_nodes"] == 1
    error = np.std([0, 0, 1, 0, 1], ddof=1) / 5**0.5
    assert found.estimates["node_error"].standard_error == pytest.approx(error)
    assert tree.node_values("depth").round(4).tolist() == [
        0, 0.5, 1, 1, 0.3333, 0.6667, 1, 1, 1,
    ]  # fmt: skip
    gain = 1 - np.log(2) / np.log(5)
    assert tree.node_values("information")[1] == pytest.approx(gain)


def test_intervals_are_those_of_rewards_and_of_shares():
    tree = ClassHierarchy(TREE)
    truth = ["dog", "oak", "cat", "cat"]
    sets = [["dog"], ["oak", "dog"], ["moss"], ["fir", "dog"]]
    found = evaluate_hierarchy(truth, sets, tree)
    rewards = evaluate_rewards(truth, sets, tree.rewards("u65")).overall
    assert found.estimates["hierarchical_utility"].interval() == rewards.interval()
    # dog and moss are nodes, and the nodes of oak and dog, and of fir and dog, are the root
    assert found["sets_that_are_nodes"] == 0.5
    wrong = evaluate_hierarchy(truth, [["dog"], ["fir"], ["moss"], ["cat"]], tree)
    assert wrong["node_error"] == 0.5
    same = wrong.estimates["node_error"].interval()
    assert found.estimates["sets_that_are_nodes"].interval() == same
    assert found.sentence() == (
        "4 predictions: the nodes have depth 1.00 on average, and 25.0% of them do not contain the "
        "true class."
    )


def test_a_set_that_is_not_a_node_counts_as_the_node_around_it():
    tree = ClassHierarchy(TREE)
    found = evaluate_hierarchy(["dog", "moss"], [["dog", "oak"], ["oak", "fir"]], tree)
    assert tree.nodes_of([["dog", "oak"], ["oak", "fir"], []]).tolist() == ["(all)", "tree", None]
    assert found["sets_that_are_nodes"] == 0.5
    assert found["mean_node_depth"] == 1


def test_a_flat_tree_has_the_root_and_the_leaves():
    tree = ClassHierarchy(["a", "b", "c"])
    assert tree.nodes.tolist() == ["(all)", "a", "b", "c"]
    assert tree.rewards("u65").reward(["a", "b"], "a") == pytest.approx(
        float(get_utility("u65")(1 / 3))
    )


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        ({"a": "b", "b": "c", "c": "a"}, "the hierarchy has a cycle: a -> b -> c -> a, from child"),
        ({"x": None, "y": "x", "z": "x", "p": "q", "q": "p"}, "has a cycle: p -> q -> p"),
        ({"x": ["a", "b"], "y": ["b", "c"]}, "node 'b' occurs twice in the hierarchy, below 'x'"),
        ({"x": ["a", "b"], "y": "x"}, "do not mix both"),
        ({"x": ["a"]}, "the hierarchy has 1 class: it needs at least two leaves"),
        (["a//b", "c"], "the path 'a//b' has an empty part"),
        ([-1, 0, 9], "the parent of node 2 is 9, but nodes are numbered 0 to 2"),
        ([], "a hierarchy must be a dictionary"),
        ({}, "the hierarchy is empty"),
        ("animal/dog", "a hierarchy must be a dictionary"),
    ],
)
def test_trees_that_are_not_trees_are_explained(tree, words):
    with pytest.raises(ValueError, match=words):
        ClassHierarchy(tree)


@pytest.mark.parametrize(
    ("classes", "words"),
    [
        ([*LEAVES, "fish"], "the class 'fish' is missing in the hierarchy, whose leaves are 'dog'"),
        (LEAVES[1:], "the leaf 'dog' of the hierarchy is not among the classes"),
        ([*LEAVES, "animal"], "the class 'animal' is an inner node of the hierarchy"),
    ],
)
def test_classes_must_be_the_leaves(classes, words):
    with pytest.raises(ValueError, match=words):
        ClassHierarchy(TREE, classes=classes)


def test_wrong_arguments_are_explained():
    tree = ClassHierarchy(TREE)
    with pytest.raises(ValueError, match="there is no node 'fish' in the hierarchy"):
        tree.sets(["fish"])
    with pytest.raises(ValueError, match="depth must lie between 0 and 3, got 4"):
        metrics.correct_at_depth(["dog"], ["dog"], tree, 4)
    with pytest.raises(ValueError, match="by must be one of leaves, depth, information, got 'x'"):
        tree.rewards(by="x")
    with pytest.raises(ValueError, match="a hit by the node 'animal' must not be worth less"):
        tree.rewards(lambda x: x * (1 - x) * (x < 0.4) - x * (x >= 0.4))
    with pytest.raises(ValueError, match="'fish'"):
        metrics.node_error(["fish"], ["dog"], tree)


@pytest.mark.parametrize(("n", "note"), [(40, "1 other node"), (50, "11 other nodes")])
def test_a_large_tree_is_shown_in_part(n, note):
    shown = repr(ClassHierarchy({"all": [f"class {i}" for i in range(n)]}))
    assert shown.startswith(f"{n} classes in a tree of {n + 1} nodes")
    assert "class 38 " in shown  # the 40th node
    assert shown.endswith(f"\n\n... and {note}")
    whole = repr(ClassHierarchy({"all": [f"class {i}" for i in range(39)]}))
    assert "other node" not in whole
