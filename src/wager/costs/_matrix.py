"""What each class costs when another is true, and which class is cheapest to name.

``costs[i, j]`` is the cost of predicting class i when class j is true.  From such a matrix and
class probabilities follow the expected cost of every class and the one to predict; `extend` carries
the costs over to sets of classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._tables import listing, text_table
from wager._typing import Array, ArrayLike, Floats
from wager.predictions import check_classes, check_probabilities, encode_labels

if TYPE_CHECKING:
    from wager.costs._extended import ExtendedCosts
    from wager.costs._rules import Rule

__all__ = ["CostMatrix", "check_costs"]


@dataclass(frozen=True, eq=False, repr=False)
class CostMatrix:
    """Costs of naming one class when another is true.

    Parameters
    ----------
    costs : array-like of shape (K, K), or a data frame
        ``costs[predicted, true]``, finite and not negative.  A data frame brings its classes along:
        its columns are the true classes, its index the predicted ones.
    classes : array-like of shape (K,), optional
        The labels of rows and columns; 0..K-1 by default.

    Examples
    --------
    The obstacles of Yang, Destercke & Masson (2017), Table I: a human, a bicycle, nothing.

    >>> costs = CostMatrix([[0, 1, 2], [1, 0, 2], [4, 4, 0]], ["h", "b", "n"])
    >>> costs.expected([0.1, 0.3, 0.6]).round(6).tolist()
    [1.5, 1.3, 1.6]
    >>> str(costs.optimal_class([0.1, 0.3, 0.6]))
    'b'
    """

    costs: Floats
    classes: Array

    def __init__(self, costs: Any, classes: ArrayLike | None = None):
        if hasattr(costs, "columns"):
            costs, columns = _from_frame(costs)
            classes = columns if classes is None else classes
        values = check_costs(costs)
        if values.ndim != 2:
            raise ValueError(
                f"costs must be a square matrix, got the shape {values.shape}: pass one matrix a "
                "row to average_cost only"
            )
        known = np.arange(len(values)) if classes is None else check_classes(classes)
        if len(known) != len(values):
            raise ValueError(
                f"classes names {len(known)} classes but costs has {len(values)} rows: "
                "name each row once, in order"
            )
        values.setflags(write=False)
        object.__setattr__(self, "costs", values)
        object.__setattr__(self, "classes", known)

    @classmethod
    def zero_one(cls, classes: ArrayLike) -> CostMatrix:
        """Every error costs 1, and being right nothing.

        Examples
        --------
        >>> CostMatrix.zero_one(["a", "b"]).costs.tolist()
        [[0.0, 1.0], [1.0, 0.0]]
        """
        return cls(1.0 - np.eye(len(np.asarray(classes))), classes)

    @classmethod
    def ordinal(cls, classes: ArrayLike, p: float = 1.0) -> CostMatrix:
        """An error costs the distance between the ranks of ordered classes, to the power ``p``.

        Section VII-A of Yang, Destercke & Masson (2017) takes ``p = 1``.

        Parameters
        ----------
        classes : array-like of shape (K,)
            The classes in their order, from the lowest to the highest.
        p : float, default=1
            2 for squared distances.

        Examples
        --------
        >>> CostMatrix.ordinal(["bad", "fair", "good"], p=2).costs.tolist()
        [[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]]
        """
        if not 0 < p < np.inf:
            raise ValueError(f"the power of a distance must be positive and finite, got p={p!r}")
        rank = np.arange(len(np.asarray(classes)), dtype=np.float64)
        return cls(np.abs(rank[:, None] - rank) ** p, classes)

    @classmethod
    def ha(cls, eta: ArrayLike, classes: ArrayLike | None = None) -> CostMatrix:
        """Missing the class y costs ``eta(y)``, whatever was said instead (Ha, 1997).

        Parameters
        ----------
        eta : float or array-like of shape (K,)
            The cost of missing each class; one number is meant for all, and then needs ``classes``.
        classes : array-like of shape (K,), optional
            The labels; 0..K-1 by default.

        Examples
        --------
        >>> CostMatrix.ha([2, 1, 4]).costs.tolist()
        [[0.0, 1.0, 4.0], [2.0, 0.0, 4.0], [2.0, 1.0, 0.0]]
        """
        loss = np.asarray(eta, dtype=np.float64)
        if loss.ndim == 0:
            if classes is None:
                raise ValueError("one eta for all classes needs their names: pass classes=")
            loss = np.full(len(np.asarray(classes)), float(loss))
        if loss.ndim != 1:
            raise ValueError(
                f"eta must be one number, or one for each class, got the shape {loss.shape}"
            )
        right = np.eye(len(loss), dtype=bool)
        return cls(np.where(right, 0.0, loss), classes)

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> CostMatrix:
        """Read determinate costs from a CSV or TOML file (`read_costs` has the layouts)."""
        from wager.costs._files import read_costs

        costs = read_costs(path)
        if not isinstance(costs, cls):
            raise ValueError(
                f"{path}: this file holds costs of sets as well: read it with "
                "wager.costs.read_costs"
            )
        return costs

    def expected(self, proba: ArrayLike) -> Floats:
        """The expected cost of naming each class (Eq. 1).

        Parameters
        ----------
        proba : array-like of shape (n, K) or (K,)
            Class probabilities, columns in the order of ``classes``.

        Returns
        -------
        ndarray of the same shape
        """
        return check_proba(proba, len(self.classes)) @ self.costs.T

    def optimal_class(self, proba: ArrayLike) -> Array:
        """The class of least expected cost (Eq. 2); the first of equals.

        Examples
        --------
        >>> CostMatrix([[0, 5], [1, 0]], ["ill", "well"]).optimal_class([[0.8, 0.2], [0.9, 0.1]])
        array(['well', 'ill'], dtype='<U4')
        """
        expected = self.expected(proba)
        slack = 1e-12 * self.costs.max()  # rounding makes no difference between equals
        least = expected.min(axis=-1, keepdims=True)
        return self.classes[(expected <= least + slack).argmax(axis=-1)]

    def extend(
        self, rule: str | Mapping[Any, Any] | Rule = "p-discounted", **options: Any
    ) -> ExtendedCosts:
        """Carry the costs over to sets of classes.

        Parameters
        ----------
        rule : str or mapping
            - ``"discounted"``: the mean cost of the members (Def. 3), which never rewards caution;
            - ``"p-discounted"``: a generalized mean (Eqs 12-16) with ``r`` in [0, 1] (0.5) and
              ``mode="cautious"`` or ``"mistake-averse"``; or with its exponent ``p`` (any real
              number or an infinity) instead of r; ``epsilon`` is added to every cost beforehand,
              which leaves no zero but may turn comparisons round;
            - ``"ha"``: ``delta`` for every class beyond the first, for `CostMatrix.ha` costs;
            - ``"abellan-masegosa"``;
            - ``"utility"``: one minus a ``utility`` (``"u65"``), for 0/1 costs;
            - a mapping of sets to their costs by true class, ``{("h", "b"): {"h": 0.25}}``, as
              complete as you like; ``otherwise`` (``"p-discounted"``) and its options fill gaps.

        Returns
        -------
        ExtendedCosts

        Examples
        --------
        >>> costs = CostMatrix([[0, 1, 2], [1, 0, 2], [4, 4, 0]], ["h", "b", "n"])
        >>> costs.extend("p-discounted", r=0.5, mode="cautious").cost(["b", "n"], "h")
        2.25
        """
        from wager.costs._extension import extend

        return extend(self, rule, **options)

    def __len__(self) -> int:
        return len(self.classes)

    def __repr__(self) -> str:
        head = ["predicted", *map(str, self.classes)]
        rows = zip(map(str, self.classes), *self.costs.T, strict=True)
        return text_table(rows, head)


def check_costs(costs: Any, name: str = "costs") -> Floats:
    """Costs of shape (K, K), or (n, K, K) with one matrix a row: finite and not negative."""
    try:
        values = np.array(costs, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise ValueError(f"{name} must be a square matrix of numbers: {problem}") from None
    if values.ndim not in (2, 3) or values.shape[-1] != values.shape[-2] or values.shape[-1] < 2:
        raise ValueError(
            f"{name} must be a square matrix with a row and a column for each of at least two "
            f"classes, got the shape {values.shape}"
        )
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        *row, predicted, true = (int(i) for i in np.unravel_index(bad.argmax(), bad.shape))
        place = f"row {predicted}, column {true}" + (f" of matrix {row[0]}" if row else "")
        raise ValueError(
            f"{name} must be finite and not negative, got {values[bad][0]:g} in {place}: "
            "write a gain as a smaller cost, the best outcome of a true class as 0"
        )
    return values


def check_proba(proba: ArrayLike, n_classes: int) -> Floats:
    """Probabilities with a column for each class, as a matrix or as the one vector they came as."""
    given = np.asarray(proba)
    values = check_probabilities(given[None] if given.ndim == 1 else given)
    if values.shape[1] != n_classes:
        raise ValueError(
            f"proba has {values.shape[1]} columns but the costs have {n_classes} classes: "
            "give one column for each class, in the order of costs.classes"
        )
    return values[0] if given.ndim == 1 else values


def _from_frame(frame: Any) -> tuple[Any, Array]:
    """The values of a data frame with its rows in the order of its columns, and the columns."""
    columns = np.asarray(frame.columns)
    values = np.asarray(frame)
    if not hasattr(frame, "index"):  # polars has no index: a first column of labels serves
        if len(columns) != len(values) + 1:
            return values, columns
        names, columns, values = values[:, 0], columns[1:], values[:, 1:].astype(np.float64)
    else:
        names = np.asarray(frame.index)
        if len(names) == len(columns) and (names == np.arange(len(columns))).all():
            return values, columns  # an index nobody wrote
    return values[match_labels(names, columns)], columns


def match_labels(predicted: ArrayLike, true: ArrayLike) -> Array:
    """The row for each column's class, when rows and columns list the same classes."""
    rows, _ = encode_labels(np.asarray(predicted), np.asarray(true), name="the rows of costs")
    order = np.argsort(rows, kind="stable")
    if len(order) != len(np.asarray(true)) or (rows[order] != np.arange(len(order))).any():
        raise ValueError(
            f"costs has the rows {listing(np.asarray(predicted))} but the columns "
            f"{listing(np.asarray(true))}: "
            "give every class one row and one column"
        )
    return order
