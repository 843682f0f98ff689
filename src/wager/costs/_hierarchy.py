"""Hierarchies of classes: a prediction may name an inner node, such as "some animal".

The classes are the leaves of a tree, and a node stands for the set of the leaves below it.  The
leaves are numbered so that every node is a run of neighbouring leaves; then the probability of a
node is the difference of two cumulated sums, and the smallest node around a set is the lowest
common ancestor of its first and its last leaf.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from wager._tables import (
    Table,
    View,
    Viewed,
    check_classes,
    encode_labels,
    format_labels,
    is_one_of,
    require_whole,
    row_blocks,
)
from wager._typing import Array, ArrayLike, Bools, Floats, Ints
from wager._visible import brief
from wager.costs._node_rewards import NodeRewards
from wager.costs._ordered_rewards import ends_of
from wager.costs._set_rewards import SetRewards
from wager.costs._tree_forms import parents_of
from wager.predictions import PredictionSets, sets_over
from wager.rewards import UtilityLike, get_utility

__all__ = ["ClassHierarchy", "NodeValue"]

NodeValue: TypeAlias = Literal["leaves", "depth", "information"]
_ROOT = "(all)"  # the name of a root that the tree does not name
_SHOWN = 40  # nodes in the printed tree


@dataclass(frozen=True, eq=False, repr=False, init=False)
class ClassHierarchy(Viewed):
    """A tree whose leaves are the classes.

    Parameters
    ----------
    tree : mapping, sequence of paths, nested lists, or array of parents
        - ``{"animal": ["dog", "cat"], "plant": {"tree": ["oak", "fir"]}}``: nodes and children;
        - ``{"dog": "animal", "cat": "animal"}``: the parent of each node;
        - ``["animal/dog", "animal/cat", "plant/oak"]``: one path per class; a node is called by
          the last part of its path, or by the whole path if two nodes share their last part;
        - ``[["dog", "cat"], ["oak", "fir"]]``: nested lists; inner nodes are called by their
          leaves, ``"dog|cat"``;
        - ``[-1, 0, 0, 1, 1]``: the number of the parent of each node, -1 for the root.

        Several roots are joined below a new one, ``"(all)"``.
    classes : array-like of shape (K,), optional
        The classes that must be the leaves; any other leaf is an error.
    sep : str, default="/"
        What separates the parts of a path.

    Attributes
    ----------
    nodes : ndarray of shape (V,)
        The names of the nodes: each node before its children.
    parents : ndarray of shape (V,)
        The position of the parent of each node, -1 for the root.
    depths : ndarray of shape (V,)
        The depth of each node, 0 for the root.
    classes : ndarray of shape (K,)
        The leaves, in the order of the tree.
    first, last : ndarray of shape (V,)
        The leaves below a node are ``classes[first:last]``.

    Examples
    --------
    >>> tree = ClassHierarchy({"animal": ["dog", "cat"], "plant": ["oak", "fir"]})
    >>> tree.classes.tolist()
    ['dog', 'cat', 'oak', 'fir']
    >>> tree.sets(["animal", "oak"]).to_lists()
    [['dog', 'cat'], ['oak']]
    >>> tree.nodes_of([["dog", "cat"], ["oak"], ["dog", "oak"]]).tolist()
    ['animal', 'oak', '(all)']
    """

    nodes: Array
    parents: Ints
    depths: Ints
    classes: Array
    first: Ints
    last: Ints

    def __init__(self, tree: Any, classes: ArrayLike | None = None, *, sep: str = "/") -> None:
        if not isinstance(sep, str):
            raise TypeError(f"sep must be a text such as '/', got {brief(sep)}")
        names, parents = _sorted_tree(parents_of(tree, sep))
        n = len(names)
        depths = np.zeros(n, dtype=np.intp)
        for node in range(1, n):
            depths[node] = depths[parents[node]] + 1
        is_leaf = np.bincount(parents[1:], minlength=n) == 0
        first = np.cumsum(is_leaf) - is_leaf
        below = is_leaf.astype(np.intp)
        for node in range(n - 1, 0, -1):
            below[parents[node]] += below[node]
        leaves = [name for name, leaf in zip(names, is_leaf, strict=True) if leaf]
        if len(leaves) < 2:
            raise ValueError(f"the hierarchy has {len(leaves)} class: it needs at least two leaves")
        known = check_classes(leaves, "the leaves of the hierarchy")
        labels = np.empty(n, dtype=object)
        labels[:] = names
        for name, value in {
            "nodes": labels,
            "parents": parents,
            "depths": depths,
            "classes": known,
            "first": first,
            "last": first + below,
        }.items():
            object.__setattr__(self, name, value)
        if classes is not None:
            self.require(classes)

    def require(self, classes: ArrayLike) -> None:
        """Raise a ValueError unless these classes are the leaves."""
        wanted, leaves = check_classes(classes).tolist(), self.classes.tolist()
        inner = set(self.nodes.tolist()) - set(leaves)
        missing = [label for label in wanted if label not in set(leaves)]
        if missing and missing[0] in inner:
            raise ValueError(
                f"the class {brief(missing[0])} is an inner node of the hierarchy: classes must be "
                "leaves"
            )
        if missing:
            raise ValueError(
                f"the class {brief(missing[0])} is missing in the hierarchy, whose leaves are "
                f"{format_labels(self.classes)}: add it below a node"
            )
        extra = [label for label in leaves if label not in set(wanted)]
        if extra:
            raise ValueError(
                f"the leaf {extra[0]!r} of the hierarchy is not among the classes "
                f"{format_labels(np.asarray(wanted))}: remove it, or add it to the classes"
            )

    @property
    def n_leaves(self) -> Ints:
        """The number of leaves below each node."""
        return self.last - self.first

    @property
    def height(self) -> int:
        """The depth of the deepest leaf."""
        return int(self.depths.max())

    @cached_property
    def _ancestors(self) -> Ints:
        """The ancestor of each leaf at depth 0, 1, ...: (height + 1, K); a leaf repeats itself."""
        leaves = np.flatnonzero(self.n_leaves == 1)
        leaves = leaves[~np.isin(leaves, self.parents)]
        table = np.empty((self.height + 1, len(leaves)), dtype=np.intp)
        here = leaves.copy()
        for depth in range(self.height, -1, -1):
            table[depth] = here
            climbs = self.depths[here] >= max(depth, 1)
            here = np.where(climbs, self.parents[here], here)
        return table

    def codes_of(self, members: Bools) -> Ints:
        """The smallest node around each non-empty set, for sets over the leaves in order."""
        low, high = ends_of(members)
        same = self._ancestors[:, low] == self._ancestors[:, high]
        depth = same.sum(axis=0) - 1  # the root is always shared
        return self._ancestors[depth, low]

    def ancestors_at(self, depth: int) -> Ints:
        """The ancestor of each leaf at some depth; the leaf itself if it is not that deep."""
        depth = require_whole(depth, "depth")
        if depth > self.height:
            raise ValueError(f"depth must lie between 0 and {self.height}, got {brief(depth)}")
        return self._ancestors[depth]

    def sets(self, nodes: Any) -> PredictionSets:
        """The leaves below each node, as predictions that every measure takes.

        Parameters
        ----------
        nodes : sequence of names
            One node per row.
        """
        place = {name: node for node, name in enumerate(self.nodes.tolist())}
        rows = list(nodes)
        unknown = [name for name in rows if name not in place]
        if unknown:
            raise ValueError(
                f"there is no node {brief(unknown[0])} in the hierarchy: its nodes are "
                f"{format_labels(self.nodes[:_SHOWN])}"
            )
        codes = np.array([place[name] for name in rows], dtype=np.intp)
        leaf = np.arange(len(self.classes))
        members = (leaf >= self.first[codes, None]) & (leaf < self.last[codes, None])
        return PredictionSets.from_indicator(members, self.classes)

    def nodes_of(self, y_pred: Any, classes: ArrayLike | None = None) -> Array:
        """The name of the smallest node around each predicted set; None for the empty set.

        Parameters
        ----------
        y_pred : anything `wager.as_sets` takes
            The predicted sets.
        classes : array-like of shape (K,), optional
            The classes of the columns of ``y_pred``.
        """
        codes, _ = self.read(y_pred, classes)
        names = self.nodes[codes]
        names[codes < 0] = None
        return names

    def read(self, y_pred: Any, classes: ArrayLike | None = None) -> tuple[Ints, PredictionSets]:
        """The smallest node around each set, -1 for an empty one, and the sets over the leaves."""
        sets = sets_over(y_pred, self.classes, "the hierarchy", classes)
        codes = np.full(len(sets), -1, dtype=np.intp)
        for part in row_blocks(len(sets), len(self.classes)):
            some = np.arange(part.start, part.stop)[sets.sizes[part] > 0]
            if len(some):
                codes[some] = self.codes_of(sets[some].to_indicator())
        return codes, sets

    def truth(self, y_true: ArrayLike) -> Ints:
        """True classes as positions of leaves."""
        return encode_labels(y_true, self.classes)[0]

    def node_values(self, by: NodeValue = "leaves") -> Floats:
        """The reward of a hit by each node, before a utility is applied, from 0 to 1.

        Parameters
        ----------
        by : {"leaves", "depth", "information"}
            1 over the number of leaves; the depth relative to that of the deepest leaf below
            the node; or ``1 - log(leaves) / log(K)``, the share of the information that the class
            would give (Deng et al., 2012).

        Examples
        --------
        >>> tree = ClassHierarchy({"animal": ["dog", "cat"], "plant": ["oak", "fir"]})
        >>> tree.node_values("depth").tolist()
        [0.0, 0.5, 1.0, 1.0, 0.5, 1.0, 1.0]
        >>> tree.node_values("information").round(4).tolist()
        [0.0, 0.5, 1.0, 1.0, 0.5, 1.0, 1.0]
        """
        if not is_one_of(by, get_args(NodeValue)):
            raise ValueError(f"by must be one of {', '.join(get_args(NodeValue))}, got {brief(by)}")
        if by == "leaves":
            return 1.0 / self.n_leaves
        if by == "information":
            return 1.0 - np.log(self.n_leaves) / np.log(len(self.classes))
        deepest = self.depths.copy()
        for node in range(len(self.nodes) - 1, 0, -1):
            parent = self.parents[node]
            deepest[parent] = max(deepest[parent], deepest[node])
        return self.depths / deepest

    def rewards(
        self, utility: UtilityLike = "u65", by: NodeValue = "leaves", *, unit: str | None = None
    ) -> SetRewards:
        """The rewards of sets as nodes: u(value of the node) for a hit, u(0) for a miss.

        Parameters
        ----------
        utility : utility, default="u65"
            The utility of a reward from 0 to 1, as `wager.rewards.get_utility` takes it.
        by : {"leaves", "depth", "information"}, default="leaves"
            What the value of a node is, as in `node_values`.
        unit : str, optional
            What the rewards are counted in.

        Notes
        -----
        A set that is not a node has the value of the smallest node around it.  So the best of all
        sets is a node: taking the whole node changes no value and turns misses into hits.
        `wager.optimal_sets` finds it from the sums of probabilities below each node.

        Examples
        --------
        >>> import wager
        >>> tree = ClassHierarchy({"animal": ["dog", "cat"], "plant": ["oak", "fir"]})
        >>> rewards = tree.rewards("u80")
        >>> sets = wager.optimal_sets([[0.4, 0.4, 0.1, 0.1]], rewards=rewards, classes=tree.classes)
        >>> tree.nodes_of(sets).tolist()
        ['animal']
        """
        u = get_utility(utility)
        values = np.asarray(u(self.node_values(by)), dtype=np.float64)
        return SetRewards.of_rule(
            self.classes,
            NodeRewards.checked(self.codes_of, self.nodes, self.first, self.last, values,
                                float(u(0.0)), f"{u.name} by {by} of the node"),
            unit,
        )  # fmt: skip

    def _view(self) -> View:
        rows = [
            ["  " * int(depth) + str(name), int(depth), int(count)]
            for name, depth, count in zip(
                self.nodes[:_SHOWN], self.depths, self.n_leaves, strict=False
            )
        ]
        more = len(self.nodes) - len(rows)
        title = f"{len(self.classes)} classes in a tree of {len(self.nodes)} nodes"
        notes = [f"... and {more} other node{'' if more == 1 else 's'}"] if more else []
        return View(title, [Table(["node", "depth", "classes"], rows)], notes)


def _sorted_tree(parents: dict[Any, Any]) -> tuple[list[Any], Ints]:
    """The nodes, each before its children, and the positions of their parents."""
    children: dict[Any, list[Any]] = {}
    roots = []
    for node, parent in parents.items():
        if parent is None:
            roots.append(node)
        else:
            children.setdefault(parent, []).append(node)
    unknown = [parent for parent in children if parent not in parents]
    if unknown:
        raise ValueError(f"the node {unknown[0]!r} is a parent but not in the hierarchy: add it")
    names: list[Any] = []
    place: list[int] = []
    if len(roots) != 1:
        if _ROOT in parents:
            raise ValueError(
                f"the hierarchy has several roots ({format_labels(np.array(roots, dtype=object))}) "
                f"and a node {_ROOT!r}: put all of them below one root"
            )
        names, place = [_ROOT], [-1]
    todo = [(root, 0 if names else -1) for root in reversed(roots)]
    while todo:
        node, parent = todo.pop()
        names.append(node)
        place.append(parent)
        here = len(names) - 1
        todo += [(child, here) for child in reversed(children.get(node, []))]
    if len(names) - (len(roots) != 1) < len(parents):
        raise ValueError(f"the hierarchy has a cycle: {_cycle(parents, set(names))}")
    return names, np.array(place, dtype=np.intp)


def _cycle(parents: dict[Any, Any], reached: set[Any]) -> str:
    """The nodes of a cycle, from child to parent."""
    node = next(name for name in parents if name not in reached)
    path = [node]
    while parents[path[-1]] not in path:
        path.append(parents[path[-1]])
    start = path.index(parents[path[-1]])
    return " -> ".join(map(str, [*path[start:], path[start]])) + ", from child to parent"
