"""Pictures of trees and networks: all is there, nothing lies over another, arcs point down."""

from __future__ import annotations

from itertools import combinations, pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from matplotlib.figure import Figure
from sklearn.datasets import load_iris

from wager.learners import C45, NaiveBayes, TreeNode
from wager.plots import plot_network, plot_tree
from wager.plots._labels import non_decreasing
from wager.plots._network import layout


@pytest.fixture(scope="module")
def tree():
    data = load_iris(as_frame=True)
    return C45().fit(data.data, data.target_names[data.target])


def test_every_split_branch_and_leaf_is_labelled(tree):
    written = [text.get_text().strip() for text in plot_tree(tree).texts]
    node = tree.to_node()
    assert len(written) == node.n_nodes + (node.n_nodes - 1)  # a label each, an answer each but one
    assert "setosa (50.0)" in written
    assert written.count("<= 0.6") == 1


def test_leaves_are_on_separate_lines(tree):
    ax = plot_tree(tree)
    leaves = [
        text.get_position()[1]
        for text in ax.texts
        if text.get_text().split()[0] in tree.classes_.tolist()
    ]
    assert sorted(leaves) == list(range(tree.n_leaves_))


def test_a_large_tree_is_cut_at_a_depth(tree):
    ax = plot_tree(tree, max_leaves=3)
    cut = [text.get_text() for text in ax.texts if "…" in text.get_text()]
    assert cut == ["petal length (cm) … 3 leaves"]


def test_a_single_leaf_and_any_nested_nodes_can_be_drawn():
    ax = Figure().subplots()
    assert plot_tree(TreeNode("stay"), ax) is ax
    assert [text.get_text() for text in ax.texts] == ["stay"]
    two = TreeNode("wind", (("= low", TreeNode("sail")), ("= high", TreeNode("stay"))))
    assert len(plot_tree(two).texts) == 5


def test_features_of_an_array_can_be_named(tree):
    X, y = load_iris(return_X_y=True)
    names = load_iris().feature_names
    unnamed = C45().fit(X, tree.classes_[y])
    drawn = [[text.get_text() for text in plot_tree(tree).texts]]
    drawn.append([text.get_text() for text in plot_tree(unnamed, feature_names=names).texts])
    assert drawn[0] == drawn[1]
    model = NaiveBayes().fit(X.round(), y)
    boxes = [text.get_text() for text in plot_network(model, feature_names=names).texts]
    assert boxes == [*names, "class"]


def test_names_that_do_not_fit_are_refused(tree):
    with pytest.raises(ValueError, match="feature_names has 1 names for 4 features"):
        plot_tree(tree, feature_names=["a"])
    with pytest.raises(ValueError, match="the names of a TreeNode are fixed"):
        plot_tree(TreeNode("stay"), feature_names=["a"])
    model = NaiveBayes().fit([[0, 1], [1, 0]], [0, 1])
    with pytest.raises(ValueError, match="feature_names has 1 names for 2 features"):
        plot_network(model, feature_names=["a"])


@st.composite
def acyclic_arcs(draw):
    n = draw(st.integers(1, 9))
    return n, [pair for pair in combinations(range(n), 2) if draw(st.booleans())]


@given(acyclic_arcs())
def test_arcs_point_down_and_boxes_do_not_touch(graph):
    n, arcs = graph
    widths = [1.0 + k % 3 for k in range(n)]
    place = layout(range(n), arcs, widths)
    for a, b in arcs:
        assert place[a][1] < place[b][1]
        bends = [place[(a, b, layer)][1] for layer in range(place[a][1] + 1, place[b][1])]
        assert bends == list(range(place[a][1] + 1, place[b][1]))
    for layer in {at[1] for at in place.values()}:
        row = sorted(
            (x, widths[k] if k in range(n) else 0.6) for k, (x, y) in place.items() if y == layer
        )
        for (x0, w0), (x1, w1) in pairwise(row):
            assert x1 - x0 >= (w0 + w1) / 2 + 0.5 - 1e-9


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=20))
def test_the_non_decreasing_sequence_keeps_the_mean(values):
    rising = non_decreasing(values)
    assert (np.diff(rising) >= -1e-9).all()
    assert rising.mean() == pytest.approx(np.mean(values), abs=1e-9)


def test_a_network_shows_all_nodes_and_arcs_the_class_filled():
    sure = np.zeros((4, 4))
    sure[0, 3] = 0.9
    model = SimpleNamespace(
        node_names_=["rain", "noise", "sprinkler", "class"],
        edges_=[("rain", "class"), ("rain", "sprinkler"), ("sprinkler", "class")],
        edge_probabilities_=sure,
    )
    ax = plot_network(model)
    assert sorted(text.get_text() for text in ax.texts) == sorted(model.node_names_)
    arrows = [patch for patch in ax.patches if hasattr(patch, "get_arrowstyle")]
    assert len(arrows) == 3
    assert max(arrow.get_linewidth() for arrow in arrows) == pytest.approx(0.5 + 1.3 * 0.9)
    filled = [patch for patch in ax.patches if patch.get_facecolor()[:3] != (1, 1, 1)]
    assert len(filled) >= 1


def test_a_network_without_arcs_is_a_row_of_nodes():
    model = SimpleNamespace(
        node_names_=["a", "b", "class"], edges_=[], edge_probabilities_=np.zeros((3, 3))
    )
    ax = Figure().subplots()
    assert plot_network(model, ax) is ax
    assert len(ax.texts) == 3
