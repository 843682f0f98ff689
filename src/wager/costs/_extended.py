"""Costs of set-valued predictions: any cell on demand, the whole table only when asked for.

With K classes there are 2^K - 1 sets.  The rule that extends the costs fills the cells that are
wanted: the (set, truth) pairs of a data set, the rows of some sets under a probability, or, for a
few classes, the table that the papers print.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wager._tables import row_blocks, text_table
from wager._typing import Array, ArrayLike, Bools, Floats, Ints
from wager.costs._cells import EveryTruth, OneTruth
from wager.costs._matrix import CostMatrix, check_proba
from wager.costs._rules import Rule
from wager.costs._subsets import members_of, show_set, subset_masks
from wager.predictions import PredictionSets, as_sets, encode_labels

__all__ = ["ExtendedCosts"]

_SHORT = 16  # up to so many classes a table of all sets is small: at most 2^16 rows


@dataclass(frozen=True, eq=False, repr=False)
class ExtendedCosts:
    """What any set of classes costs when a class is true.

    Built by `CostMatrix.extend` or `complete`.

    Parameters
    ----------
    determinate : CostMatrix
        The costs of single classes that were extended.
    rule : Rule
        How they carry over to sets.

    Examples
    --------
    >>> costs = CostMatrix([[0, 1, 2], [1, 0, 2], [4, 4, 0]], ["h", "b", "n"])
    >>> extended = costs.extend("p-discounted", r=0.5)
    >>> extended.cost({"h", "n"}, "b")
    2.25
    >>> extended.of([["h", "b"], ["b"]], ["b", "n"]).tolist()
    [0.25, 2.0]
    >>> extended  # Table X of Yang, Destercke & Masson (2017)
    p-discounted, p = 0.5
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

    determinate: CostMatrix
    rule: Rule

    @property
    def classes(self) -> Array:
        """The classes, in the order of the columns."""
        return self.determinate.classes

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.determinate.classes)

    @cached_property
    def singles(self) -> Floats:
        """The rows of the single classes, (K, K); Abellán and Masegosa's differ from the matrix."""
        return self._rows(np.eye(self.n_classes, dtype=bool))

    def cost(self, labels: Any, true: Any) -> float:
        """What predicting this set costs when ``true`` is the class.

        Parameters
        ----------
        labels : label, or collection of labels
            The predicted set, not empty.
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
            Sets as bits: bit i stands for class i.  None of them empty.

        Examples
        --------
        >>> CostMatrix.zero_one(["a", "b"]).extend("discounted").costs_of_masks([1, 3]).tolist()
        [[0.0, 1.0], [0.5, 0.5]]
        """
        sets = PredictionSets.from_masks(np.asarray(masks, dtype=np.uint64), self.classes)
        refuse_empty(sets.sizes == 0)
        return self._rows_of(sets)

    def costs_of_members(self, members: Bools) -> Floats:
        """As `costs_of_masks`, for non-empty sets given as rows of a boolean matrix."""
        return self._rows_of(PredictionSets.from_indicator(members, self.classes))

    def matrix(self) -> Floats:
        """The whole table, (2^K - 1, K): sets by size, then lexicographically (see `subsets`)."""
        return self.costs_of_masks(subset_masks(self.n_classes))

    def subsets(self) -> list[tuple[Any, ...]]:
        """The sets of the rows of `matrix`, as tuples of labels.

        Examples
        --------
        >>> CostMatrix.zero_one(["a", "b"]).extend("discounted").subsets()
        [('a',), ('b',), ('a', 'b')]
        """
        sets = PredictionSets.from_masks(subset_masks(self.n_classes), self.classes)
        return [tuple(row) for row in sets.to_lists()]

    def of(self, sets: Any, y_true: ArrayLike, *, empty_cost: float | None = None) -> Floats:
        """What each of many predictions cost.

        Parameters
        ----------
        sets : PredictionSets, or anything `as_sets` takes
            The predictions, over these classes.
        y_true : array-like of shape (n,)
            The true classes.
        empty_cost : float, optional
            The cost of an empty set; without it an empty set is an error.

        Returns
        -------
        ndarray of shape (n,)
        """
        predicted = over_classes(sets, self.classes)
        truth, _ = encode_labels(y_true, self.classes)
        check_lengths(len(predicted), len(truth))
        return self.at(predicted, truth, empty_cost)

    def at(self, sets: PredictionSets, codes: Ints, empty_cost: float | None = None) -> Floats:
        """As `of`, for sets over these very classes and truths that are codes already."""
        empty = sets.sizes == 0
        refuse_empty(empty, empty_cost)
        if self._table_pays(len(sets)):
            costs = self._by_mask[sets.words[:, 0], codes]
        else:
            costs = np.empty(len(sets))
            for part in row_blocks(len(sets), self.n_classes):
                members = self._members(sets, part) | empty[part, None]  # filled in below
                costs[part] = self._pairs(members, codes[part])
        if empty.any():
            costs[empty] = empty_cost
        return costs

    def expected(self, sets: Any, proba: ArrayLike, *, empty_cost: float | None = None) -> Floats:
        """The expected cost of each set under its class probabilities.

        Parameters
        ----------
        sets : PredictionSets, or anything `as_sets` takes
            One set a row of ``proba``, or a single one for all of them.
        proba : array-like of shape (n, K), or (K,) for one distribution for all sets
        empty_cost : float, optional
            The cost of an empty set; without it an empty set is an error.

        Examples
        --------
        Example 5 of Yang, Destercke & Masson (2017): a cautious {h, b} beats h and b.

        >>> costs = CostMatrix([[0, 1, 2], [1, 0, 2], [4, 4, 0]], ["h", "b", "n"])
        >>> own = costs.extend({("h", "b"): {"h": 0.25, "b": 0.25, "n": 2}})
        >>> own.expected([["h"], ["b"], ["h", "b"]], [1/3, 1/3, 1/3]).round(4).tolist()
        [1.0, 1.0, 0.8333]
        """
        predicted = over_classes(sets, self.classes)
        weights = np.atleast_2d(check_proba(proba, self.n_classes))
        if len(predicted) != len(weights) and 1 not in (len(predicted), len(weights)):
            check_lengths(len(predicted), len(weights), "rows of proba")
        empty = predicted.sizes == 0
        refuse_empty(empty, empty_cost)
        rows = self._rows_of(predicted)
        if empty.any():
            rows[empty] = empty_cost
        rows, weights = np.broadcast_arrays(rows, weights)
        return np.einsum("nk,nk->n", rows, weights)

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
        return PredictionSets(sets.words[part], sets.classes).to_indicator()

    def _table_pays(self, n: int) -> bool:
        return self.n_classes <= _SHORT and 1 << self.n_classes <= max(n, 64)

    @cached_property
    def _by_mask(self) -> Floats:
        """The costs by bit mask and truth, (2^K, K); NaN for the empty set."""
        masks = np.arange(1, 1 << self.n_classes, dtype=np.uint64)
        return np.concatenate([np.full((1, self.n_classes), np.nan), self.costs_of_masks(masks)])

    def __repr__(self) -> str:
        if self.n_classes > 4:
            return f"<costs of sets of {self.n_classes} classes, {self.rule.name}>"
        masks = PredictionSets.from_masks(subset_masks(self.n_classes), self.classes)
        names = [show_set(members, self.classes) for members in masks.to_indicator()]
        rows = zip(names, *self.matrix().T, strict=True)
        return f"{self.rule.name}\n{text_table(rows, ['predicted', *map(str, self.classes)])}"


def over_classes(y_pred: Any, known: Array, classes: ArrayLike | None = None) -> PredictionSets:
    """Predictions as sets over the classes of the costs, in their order of bits."""
    return as_sets(y_pred if classes is None else as_sets(y_pred, classes), known)


def check_lengths(n_sets: int, n_others: int, others: str = "true classes") -> None:
    """Refuse predictions and truths that do not belong together, and no prediction at all."""
    if n_sets != n_others:
        raise ValueError(f"there are {n_sets} predictions but {n_others} {others}: give one each")
    if n_sets == 0:
        raise ValueError("there is no prediction to score: give at least one row")


def refuse_empty(empty: Bools, empty_cost: float | None = None) -> None:
    """Empty sets have no cost unless the user gives them one."""
    if not empty.any():
        return
    if empty_cost is None:
        raise ValueError(
            f"row {int(empty.argmax())} predicts the empty set, which has no cost of its own: "
            "pass empty_cost= to score it"
        )
    if not 0 <= empty_cost < np.inf:
        raise ValueError(f"empty_cost must be finite and not negative, got {empty_cost!r}")
