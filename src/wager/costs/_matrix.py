"""Cost matrices: the usual ones ready made, reading from files, and the extension to sets."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

from wager._tables import check_classes, in_order_of, named_values
from wager._typing import ArrayLike
from wager.costs._class_costs import ClassCosts
from wager.costs._cost_files import parse_cost_file
from wager.costs._extend import extend
from wager.costs._extended_costs import ExtendedCosts
from wager.costs._file_errors import errors_name
from wager.costs._standard_costs import ha_costs, ordinal_costs, zero_one_costs
from wager.costs.extensions import ExtensionRule

__all__ = ["CostMatrix"]


class CostMatrix(ClassCosts):
    """Costs of predicting one class when another is true.

    Parameters
    ----------
    costs : array-like or sparse of shape (K, K), or a data frame
        ``costs[predicted, true]``, finite and not negative.  A data frame provides its classes:
        its columns are the true classes, its index the predicted ones.  A sparse matrix of SciPy
        stores the costs that differ from ``default``; its diagonal is 0 where nothing is stored.
    classes : array-like of shape (K,), optional
        The labels of rows and columns; 0..K-1 by default.  The labels of a data frame are matched
        with them by name.
    unit : str, optional
        What the costs are counted in, such as ``"EUR"`` or ``"minutes"``: extended costs, tables,
        sentences and plots show it.
    default : float, optional
        The cost of the errors that a sparse matrix leaves out; required for one.

    Notes
    -----
    `zero_one`, `ha`, `ordinal` and sparse matrices take memory for the costs that they store, so
    predictions over 100,000 classes can be scored; the matrix is made when ``.costs`` is read.

    Examples
    --------
    The obstacles of Yang, Destercke & Masson (2017), Table I: a human, a bicycle, nothing.

    >>> costs = CostMatrix([[0, 1, 2], [1, 0, 2], [4, 4, 0]], ["h", "b", "n"])
    >>> costs.expected([0.1, 0.3, 0.6]).round(6).tolist()
    [1.5, 1.3, 1.6]
    >>> str(costs.optimal_class([0.1, 0.3, 0.6]))
    'b'
    """

    @classmethod
    def zero_one(cls, classes: ArrayLike) -> CostMatrix:
        """Every error costs 1, and a correct prediction nothing.

        Examples
        --------
        >>> CostMatrix.zero_one(["a", "b"]).costs.tolist()
        [[0.0, 1.0], [1.0, 0.0]]
        """
        return cls(zero_one_costs(len(check_classes(classes))), classes)

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
        return cls(ordinal_costs(len(check_classes(classes)), p), classes)

    @classmethod
    def ha(cls, eta: ArrayLike, classes: ArrayLike | None = None) -> CostMatrix:
        """Missing the class y costs ``eta(y)``, whatever is predicted instead (Ha, 1997).

        Parameters
        ----------
        eta : float or array-like of shape (K,)
            The cost of missing each class; a mapping or a Series is matched by name.  A single
            number applies to all classes and then needs ``classes``.
        classes : array-like of shape (K,), optional
            The labels; 0..K-1 by default.

        Examples
        --------
        >>> CostMatrix.ha([2, 1, 4]).costs.tolist()
        [[0.0, 1.0, 4.0], [2.0, 0.0, 4.0], [2.0, 1.0, 0.0]]
        """
        named = named_values(eta, "eta")
        if named is not None:
            classes = list(named) if classes is None else classes
            eta = in_order_of(check_classes(classes).tolist(), eta, "eta", "classes")
        return cls(ha_costs(eta, None if classes is None else len(check_classes(classes))), classes)

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> CostMatrix:
        """Read costs of single classes from a CSV or TOML file (see `read_costs` for layouts)."""
        with errors_name(path):
            content = parse_cost_file(path)
            if content.has_sets:
                raise ValueError(
                    "this file contains costs of sets as well, but only those of single classes "
                    "are wanted here: remove the sets and [extension]; in Python, "
                    "wager.costs.read_costs reads both"
                )
            return cls(content.costs, content.classes, content.unit)

    def extend(
        self, rule: str | Mapping[Any, Any] | ExtensionRule = "p-discounted", **options: Any
    ) -> ExtendedCosts:
        """Extend the costs to sets of classes.

        Parameters
        ----------
        rule : str or mapping
            - ``"discounted"``: the mean cost of the members (Def. 3), which never rewards caution;
            - ``"p-discounted"``: a generalized mean (Eqs 12-16) with ``r`` in [0, 1] (0.5) and
              ``mode="cautious"`` or ``"mistake-averse"``; or with the exponent ``p`` (any real
              number or an infinity) instead of r; ``epsilon`` is added to every cost beforehand,
              which removes zeros but can reverse comparisons;
            - ``"ha"``: ``delta`` for every class beyond the first, for `CostMatrix.ha` costs;
            - ``"abellan-masegosa"``;
            - ``"utility"``: one minus a ``utility`` (``"u65"``), for 0/1 costs;
            - a mapping of sets to their costs by true class, ``{("h", "b"): {"h": 0.25}}``, which
              may be incomplete; the rule ``otherwise`` (``"p-discounted"``) and its options fill
              the gaps.

        Returns
        -------
        ExtendedCosts

        Examples
        --------
        >>> costs = CostMatrix([[0, 1, 2], [1, 0, 2], [4, 4, 0]], ["h", "b", "n"])
        >>> costs.extend("p-discounted", r=0.5, mode="cautious").cost(["b", "n"], "h")
        2.25
        """
        return extend(self, rule, **options)
