"""Full binary trees over the classes: each split divides its classes into two sides.

A tree over K classes has K - 1 splits.  The node numbers below K are the classes, which are the
leaves; K + i is the i-th split.  Children are numbered before their parents, the root last.  The
left side of a split is the one with the lowest class, so that equal trees have equal numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import gammaln

from wager._typing import Array, Bools, Floats, Ints
from wager._visible import brief

__all__ = ["ClassTree", "sample_nominal", "sample_ordinal"]

Pairs = list[tuple[int, int]]  # the two sides of split K + i, in any order of splits


@dataclass(frozen=True, eq=False)
class ClassTree:
    """A full binary tree over classes 0..K-1.

    Parameters
    ----------
    sides : ndarray of int, shape (K - 1, 2)
        The two nodes below each split; children come before their parents.

    Examples
    --------
    >>> tree = ClassTree.from_nested((("c", "a"), "b"), np.array(["a", "b", "c"]))
    >>> tree.sides.tolist()
    [[0, 2], [3, 1]]
    >>> tree.to_nested(np.array(["a", "b", "c"]))
    (('a', 'c'), 'b')
    """

    sides: Ints

    @classmethod
    def from_nested(cls, nested: Any, classes: Array) -> ClassTree:
        """The tree given as nested pairs of labels."""
        place = {label: code for code, label in enumerate(classes.tolist())}
        pairs: Pairs = []
        met: list[int] = []

        def number(part: Any) -> int:
            if isinstance(part, tuple | list):
                if len(part) != 2:
                    raise ValueError(f"every split needs two sides, got {brief(part)}: nest pairs")
                pairs.append((number(part[0]), number(part[1])))
                return len(place) + len(pairs) - 1
            if part not in place:
                raise ValueError(
                    f"the tree contains {part!r}, which is not one of the classes "
                    f"{', '.join(map(str, place))}"
                )
            met.append(place[part])
            return place[part]

        root = number(nested)
        if sorted(met) != list(range(len(place))):
            wrong = next(c for c in place if met.count(place[c]) != 1)
            raise ValueError(
                f"the tree contains the class {wrong!r} {met.count(place[wrong])} times: every "
                "class must occur once"
            )
        return _in_order(pairs, root, len(place))

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.sides) + 1

    @cached_property
    def groups(self) -> Bools:
        """The classes below each node, (2K - 1, K)."""
        groups = np.zeros((2 * self.n_classes - 1, self.n_classes), dtype=bool)
        groups[: self.n_classes] = np.eye(self.n_classes, dtype=bool)
        for i, (left, right) in enumerate(self.sides):
            groups[self.n_classes + i] = groups[left] | groups[right]
        return groups

    def to_nested(self, classes: Array) -> Any:
        """The tree as nested pairs of labels."""
        parts = classes.tolist()
        for left, right in self.sides:
            parts.append((parts[left], parts[right]))
        return parts[-1]


def sample_nominal(n_classes: int, rng: Any) -> ClassTree:
    """A tree drawn uniformly from all (2K - 3)!! unordered trees.

    The classes are inserted one after the other, each at an edge drawn from the existing ones,
    including the one above the root: every tree arises in exactly one way.

    Examples
    --------
    >>> sample_nominal(2, np.random.RandomState(0)).sides.tolist()
    [[0, 1]]
    """
    pairs: Pairs = []
    above = {0: -1}  # the split above each node, by its position in pairs; -1 if none
    root = 0
    for new in range(1, n_classes):
        nodes = [*range(new), *range(n_classes, n_classes + len(pairs))]
        below = nodes[rng.randint(len(nodes))]
        split = len(pairs)
        pairs.append((below, new))
        if above[below] < 0:
            root = n_classes + split
        else:
            first, second = pairs[above[below]]
            other = second if first == below else first
            pairs[above[below]] = (n_classes + split, other)
        above[n_classes + split] = above[below]
        above[below] = above[new] = split
    return _in_order(pairs, root, n_classes)


def sample_ordinal(n_classes: int, rng: Any) -> ClassTree:
    """A tree drawn uniformly from those whose splits cut the order of the classes.

    There are Cat(K - 1) such trees (Catalan numbers); in Cat(i - 1) Cat(L - i - 1) of those over L
    classes the root has i classes on its left side.
    """
    pairs: Pairs = []
    waiting = [(0, n_classes, -1, 0)]  # first class, end; the split above, and its side
    while waiting:
        start, stop, above, side = waiting.pop()
        node = start if stop - start == 1 else n_classes + len(pairs)
        if above >= 0:
            both = list(pairs[above])
            both[side] = node
            pairs[above] = (both[0], both[1])
        if stop - start > 1:
            proba = _left_sizes(stop - start)
            cut = start + 1 + int(rng.choice(len(proba), p=proba))
            waiting += [(start, cut, len(pairs), 0), (cut, stop, len(pairs), 1)]
            pairs.append((-1, -1))
    return _in_order(pairs, n_classes if pairs else 0, n_classes)


def _left_sizes(leaves: int) -> Floats:
    """The probabilities of 1, 2, ... classes on the left side of a split of ``leaves`` classes.

    Examples
    --------
    >>> _left_sizes(4).round(12)  # 5 trees: 2 with one class on the left, 1 with two, 2 with three
    array([0.4, 0.2, 0.4])
    """
    left = np.arange(1, leaves)
    weights = _log_catalan(left - 1) + _log_catalan(leaves - left - 1)
    proba = np.exp(weights - weights.max())
    return proba / proba.sum()


def _log_catalan(n: Ints) -> Floats:
    return gammaln(2 * n + 1) - gammaln(n + 2) - gammaln(n + 1)


def _in_order(pairs: Pairs, root: int, n_classes: int) -> ClassTree:
    """Number the splits from the leaves up, with the lowest class of each on its left side."""
    lowest = dict(enumerate(range(n_classes)))
    from_above = [root] if root >= n_classes else []
    for node in from_above:
        from_above += [side for side in pairs[node - n_classes] if side >= n_classes]
    for node in reversed(from_above):
        lowest[node] = min(lowest[side] for side in pairs[node - n_classes])

    def sides(node: int) -> list[int]:
        return sorted(pairs[node - n_classes], key=lowest.__getitem__)

    order, waiting = [], [root] if root >= n_classes else []
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting += [side for side in sides(node) if side >= n_classes]
    order.reverse()
    number = dict(enumerate(range(n_classes))) | {
        node: n_classes + i for i, node in enumerate(order)
    }
    table = [[number[side] for side in sides(node)] for node in order]
    return ClassTree(np.array(table, dtype=np.intp).reshape(-1, 2))
