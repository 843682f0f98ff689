"""Costs of set-valued predictions: single cells on demand, the whole table only on request.

With K classes there are 2^K - 1 sets.  The extension rule computes only the cells that are needed:
the (set, true class) pairs of a data set, the rows of some sets, or, for a few classes, the whole
table that the papers print.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from wager._tables import Table, View, Viewed, encode_labels, row_blocks
from wager._typing import Array, ArrayLike, Bools, Floats, Ints
from wager.costs._can_be_optimal import Optimality, Rivals, optimality_of
from wager.costs._checks import check_lengths, check_proba, encode_truth, refuse_empty
from wager.costs._class_costs import ClassCosts
from wager.costs._subsets import members_of, show_set, subset_masks
from wager.costs.extensions import (
    EveryTruth,
    ExtensionRule,
    ListedMembers,
    OneTruth,
    TabulatedCosts,
)
from wager.predictions import PredictionSets, as_sets, sets_over

__all__ = ["ExtendedCosts", "view_by_set"]

_FEW_CLASSES = 16  # up to this number a table of all sets is small: at most 2^16 rows
_BITS = 64  # with more classes, only the members of a set are looked at
_MEMBERS = 8  # of a small set of many classes, about: so many rows are computed together
_PRINTED_CLASSES = 4  # up to this number the table of all sets is printed


@dataclass(frozen=True, eq=False, repr=False)
class ExtendedCosts(Viewed):
    """The cost of any set of classes, for every true class.

    Built by `CostMatrix.extend` or `complete`.

    Parameters
    ----------
    determinate : CostMatrix
        The costs of single classes.
    rule : ExtensionRule
        How they extend to sets.

    Examples
    --------
    >>> from wager.costs import CostMatrix
    >>> costs = CostMatrix([[0, 1, 2], [1, 0, 2], [4, 4, 0]], ["h", "b", "n"])
    >>> extended = costs.extend("p-discounted", r=0.5)
    >>> extended.cost({"h", "n"}, "b")
    2.25
    >>> extended.of([["h", "b"], ["b"]], ["b", "n"]).tolist()
    [0.25, 2.0]
    >>> extended  # Table X of Yang, Destercke & Masson (2017)
    p-discounted, r = 0.5
    predicted       h       b       n
    ---------------------------------
    {h}        0.0000  1.0000  2.0000
    {b}        1.0000  0.0000  2.0000
    {n}        4.0000  4.0000  0.0000
    {h, b}     0.2500  0.2500  2.0000
    {h, n}     1.0000  2.2500  0.5000
    {b, n}     2.2500  1.0000  0.5000
    {h, b, n}  1.0000  1.0000  0.8889
    """

    determinate: ClassCosts
    rule: ExtensionRule

    @property
    def classes(self) -> Array:
        """The classes, in the order of the columns."""
        return self.determinate.classes

    @property
    def unit(self) -> str | None:
        """What the costs are counted in, such as ``"EUR"``; None if it is not known."""
        return self.determinate.unit

    def with_unit(self, unit: str | None) -> ExtendedCosts:
        """The same costs in another unit; the numbers do not change."""
        return replace(self, determinate=self.determinate.with_unit(unit))

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.determinate.classes)

    @cached_property
    def singles(self) -> Floats:
        """The rows of the single classes, (K, K); Abellán and Masegosa's rule changes them."""
        return self._rows(np.eye(self.n_classes, dtype=bool))

    def cost(self, labels: Any, true: Any) -> float:
        """The cost of predicting this set when ``true`` is the true class.

        Parameters
        ----------
        labels : label, or collection of labels
            The predicted set, which must not be empty.
        true : label
            The true class.
        """
        members = members_of(labels, self.classes)
        truth, _ = encode_labels([true], self.classes, name="true")
        return float(self._pairs(members[None], truth)[0])

    def costs_of_masks(self, masks: ArrayLike) -> Floats:
        """The rows of some sets: costs by true class, of shape (n_masks, K).

        Parameters
        ----------
        masks : uint64 array of shape (n_masks,), or (n_masks, W) for more than 64 classes
            Sets as bits: bit i stands for class i.  No set may be empty.

        Examples
        --------
        >>> from wager.costs import CostMatrix
        >>> CostMatrix.zero_one(["a", "b"]).extend("discounted").costs_of_masks([1, 3]).tolist()
        [[0.0, 1.0], [0.5, 0.5]]
        """
        sets = PredictionSets.from_masks(masks, self.classes)
        refuse_empty(sets.sizes == 0)
        return self._rows_of(sets)

    def costs_of_members(self, members: Bools) -> Floats:
        """As `costs_of_masks`, for non-empty sets given as the rows of a boolean matrix."""
        return self._rows_of(PredictionSets.from_indicator(members, self.classes))

    def matrix(self) -> Floats:
        """The whole table, (2^K - 1, K): sets by size, then lexicographically (see `subsets`)."""
        return self.costs_of_masks(subset_masks(self.n_classes))

    def subsets(self) -> list[tuple[Any, ...]]:
        """The sets of the rows of `matrix`, as tuples of labels.

        Examples
        --------
        >>> from wager.costs import CostMatrix
        >>> CostMatrix.zero_one(["a", "b"]).extend("discounted").subsets()
        [('a',), ('b',), ('a', 'b')]
        """
        sets = PredictionSets.from_masks(subset_masks(self.n_classes), self.classes)
        return [tuple(row) for row in sets.to_lists()]

    def of(
        self,
        sets: Any,
        y_true: ArrayLike,
        *,
        empty_cost: float | None = None,
        classes: ArrayLike | None = None,
    ) -> Floats:
        """The cost of each prediction.

        Parameters
        ----------
        sets : PredictionSets, or anything `as_sets` takes
            The predictions, matched by name; a matrix without names has the sorted classes as its
            columns, which must then be the order of the costs, unless ``classes`` is given.
        y_true : array-like of shape (n,)
            The true classes.
        empty_cost : float, optional
            The cost of an empty set; without it an empty set is an error.
        classes : array-like of shape (K,), optional
            The classes of the columns of ``sets``.

        Returns
        -------
        ndarray of shape (n,)
        """
        predicted = sets_over(sets, self.classes, classes=classes, what="sets")
        truth = encode_truth(y_true, self.classes)
        check_lengths(len(predicted), len(truth))
        return self.at(predicted, truth, empty_cost)

    def at(self, sets: PredictionSets, codes: Ints, empty_cost: float | None = None) -> Floats:
        """As `of`, for sets over the same classes in the same order, and codes of true classes."""
        empty = sets.sizes == 0
        refuse_empty(empty, empty_cost)
        if self._table_pays(len(sets)):
            costs = self._by_mask[sets.words[:, 0], codes]
        elif self.n_classes > _BITS and not self.rule.needs_members:
            costs = np.empty(len(sets))
            some = np.flatnonzero(~empty) if empty.any() else None
            for part in row_blocks(len(sets) if some is None else len(some), _MEMBERS):
                rows = part if some is None else some[part]
                cells = ListedMembers(self.determinate.table, sets[rows], codes[rows])
                costs[rows] = self.rule.fill(cells)
        else:
            costs = np.empty(len(sets))
            for part in row_blocks(len(sets), self.n_classes):
                members = self._members(sets, part) | empty[part, None]  # overwritten below
                costs[part] = self._pairs(members, codes[part])
        if empty.any():
            costs[empty] = empty_cost
        return costs

    @cached_property
    def ranges(self) -> Floats:
        """The smallest and the largest cost of a set for each true class, of shape (K, 2).

        Every rule has its extremes at single classes, sets of all classes but one or the set of
        all classes; a table of costs may have them anywhere.
        """
        known = None
        if self.n_classes > _BITS or self.rule.knows_ranges:
            known = self.rule.ranges(self.determinate.table)
        if known is not None:
            return known
        single = np.eye(self.n_classes, dtype=bool)
        whole = np.ones((1, self.n_classes), dtype=bool)
        members = [single, ~single, whole]
        if isinstance(self.rule, TabulatedCosts):
            members.append(self.rule.sets.to_indicator())
        rows = self.costs_of_members(np.concatenate(members))
        return np.stack([rows.min(axis=0), rows.max(axis=0)], axis=1)

    def expected(
        self,
        sets: Any,
        proba: ArrayLike,
        *,
        empty_cost: float | None = None,
        classes: ArrayLike | None = None,
    ) -> Floats:
        """The expected cost of each set under its class probabilities.

        Parameters
        ----------
        sets : PredictionSets, or anything `as_sets` takes
            One set per row of ``proba``, or a single set for all rows.
        proba : array-like of shape (n, K), or (K,) for a single distribution
            Data frames are matched by name, as are sets with names.  The columns of other arrays
            have the order of the costs' own classes, unless ``classes`` is given.
        empty_cost : float, optional
            The cost of an empty set; without it an empty set is an error.
        classes : array-like of shape (K,), optional
            The classes of the columns of ``proba`` and ``sets``.

        Examples
        --------
        Example 5 of Yang, Destercke & Masson (2017): the set {h, b} costs less than h and than b.

        >>> from wager.costs import CostMatrix
        >>> costs = CostMatrix([[0, 1, 2], [1, 0, 2], [4, 4, 0]], ["h", "b", "n"])
        >>> own = costs.extend({("h", "b"): {"h": 0.25, "b": 0.25, "n": 2}})
        >>> own.expected([["h"], ["b"], ["h", "b"]], [1/3, 1/3, 1/3]).round(4).tolist()
        [1.0, 1.0, 0.8333]
        """
        named = sets if classes is None else as_sets(sets, classes)
        predicted = as_sets(named, self.classes)
        weights = np.atleast_2d(check_proba(proba, self.classes, classes))
        if len(predicted) != len(weights) and 1 not in (len(predicted), len(weights)):
            check_lengths(len(predicted), len(weights), "rows of proba")
        empty = predicted.sizes == 0
        refuse_empty(empty, empty_cost)
        rows = self._rows_of(predicted)
        if empty.any():
            rows[empty] = empty_cost
        rows, weights = np.broadcast_arrays(rows, weights)
        return np.einsum("nk,nk->n", rows, weights)

    def can_be_optimal(self, labels: Any, *, against: Rivals = "members") -> Optimality:
        """Whether this set is the best prediction under some class probabilities, with a proof.

        Yang, Destercke & Masson (2017, Def. 4): a set is possible if, under some probability, its
        expected cost is strictly less than that of each of its classes.

        Parameters
        ----------
        labels : collection of labels
            The set; a label that is given twice counts once.
        against : {"members", "classes", "sets"}, default="members"
            Compare the set with its own classes, as in the definition, with all single classes, or
            with every other set (up to 16 classes).  A single class is by default compared with
            the other classes.

        Returns
        -------
        Optimality
            True or false as a condition, with ``witness``, the probability that proves a yes, or
            ``certificate``, the mixture of other predictions that proves a no.

        Examples
        --------
        Example 5 of the paper:

        >>> from wager.costs import CostMatrix
        >>> costs = CostMatrix([[0, 1, 2], [1, 0, 2], [4, 4, 0]], ["h", "b", "n"])
        >>> dear = costs.extend({("h", "b"): {"h": 1, "b": 1, "n": 2}})
        >>> bool(dear.can_be_optimal({"h", "b"}))
        False
        >>> cheap = costs.extend({("h", "b"): {"h": 0.25, "b": 0.25, "n": 2}})
        >>> cheap.can_be_optimal({"h", "b"})
        {h, b} can be optimal: it costs 0.25 less than each of its classes at p(h) = 0.5, p(b) = 0.5
        >>> costs.extend("discounted").can_be_optimal({"h", "b"})  # never: Proposition 1
        {h, b} cannot be optimal: 0.5 {h} + 0.5 {b} costs at most as much for every true class
        >>> bool(costs.extend("discounted").can_be_optimal("h"))
        True
        """
        return optimality_of(members_of(labels, self.classes), self, against)

    def _rows(self, members: Bools) -> Floats:
        return self.rule.fill(EveryTruth(self.determinate.costs, members))

    def _pairs(self, members: Bools, truth: Ints) -> Floats:
        return self.rule.fill(OneTruth(self.determinate.costs, members, truth))

    def _rows_of(self, sets: PredictionSets) -> Floats:
        rows = np.empty((len(sets), self.n_classes))
        for part in row_blocks(len(sets), self.n_classes):
            members = self._members(sets, part)
            rows[part] = self._rows(members | ~members.any(axis=1, keepdims=True))
        return rows

    def _members(self, sets: PredictionSets, part: slice) -> Bools:
        return sets[part].to_indicator()

    def _table_pays(self, n: int) -> bool:
        return self.n_classes <= _FEW_CLASSES and 1 << self.n_classes <= max(n, 64)

    @cached_property
    def _by_mask(self) -> Floats:
        """The costs by bit mask and truth, (2^K, K); NaN for the empty set."""
        masks = np.arange(1, 1 << self.n_classes, dtype=np.uint64)
        return np.concatenate([np.full((1, self.n_classes), np.nan), self.costs_of_masks(masks)])

    def _view(self) -> View:
        return view_by_set(self, "costs")


def view_by_set(known: Any, what: str) -> View:
    """How costs or rewards look: a row for each set, or their rule where there are many sets."""
    title = known.rule.name if known.unit is None else f"{known.rule.name}, in {known.unit}"
    if known.n_classes > _PRINTED_CLASSES:
        return View(f"<{what} of sets of {known.n_classes} classes, {title}>")
    masks = PredictionSets.from_masks(subset_masks(known.n_classes), known.classes)
    names = [show_set(members, known.classes) for members in masks.to_indicator()]
    rows = list(zip(names, *known.matrix().T, strict=True))
    return View(title, [Table(["predicted", *map(str, known.classes)], rows, alike=True)])
