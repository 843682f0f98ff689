"""The average cost of a classifier's predictions: overall, by class and by group.

The average is the empirical risk of Yang, Destercke & Masson (2017, Eq. 4), with sets in place of
classes: the mean over the rows of the cost of the predicted set for the true class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wager._tables import check_weights, encode_labels, format_table, row_blocks
from wager._typing import Array, ArrayLike, Floats, Ints
from wager.costs._checks import check_costs, check_lengths, refuse_empty
from wager.costs._extend import find_rule
from wager.costs._extended_costs import ExtendedCosts, over_classes
from wager.costs._matrix import CostMatrix
from wager.costs.extensions import ExtensionRule, OneTruth
from wager.predictions import PredictionSets
from wager.rewards import Estimate, as_measure, estimate_mean, whole_if_whole

__all__ = ["CostEvaluation", "average_cost", "evaluate_costs"]


@as_measure(
    kind="costs",
    greater_is_better=False,
    meaning="The mean cost of set-valued predictions under a cost matrix extended to sets.",
    formula="mean of c(set, true class)",
    use="For mistakes with different costs. Audit the extended costs first: wager costs audit.",
    source="Yang, Destercke & Masson (2017), Section VII",
    range="0 (best) upwards",
    aliases=("cost", "evaluate_costs"),
)
def average_cost(
    y_true: ArrayLike,
    y_pred: Any,
    costs: Any,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    empty_cost: float | None = None,
    rule: str | ExtensionRule | None = None,
    **options: Any,
) -> float:
    """The average cost of the predictions (Yang, Destercke & Masson, 2017, Eq. 4).

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The true classes.
    y_pred : anything `wager.predictions.as_sets` takes
        The predicted classes or sets.
    costs : ExtendedCosts, CostMatrix, or array of shape (K, K) or (n, K, K)
        The costs of predictions; a three-dimensional array holds one matrix per row, for costs that
        depend on the instance.  Costs of single classes apply to single predictions, and to
        sets if ``rule`` says how to extend them.
    sample_weight : array-like of shape (n,), optional
        A weight for each row.
    classes : array-like of shape (K,), optional
        The classes of the columns of ``y_pred``; by default those of ``costs``.
    empty_cost : float, optional
        The cost of predicting the empty set; without it an empty set is an error.
    rule : str, optional
        How costs of single classes extend to sets, with its options (`CostMatrix.extend`).

    Examples
    --------
    >>> costs = CostMatrix([[0, 1, 2], [1, 0, 2], [4, 4, 0]], ["h", "b", "n"])
    >>> average_cost(["n", "h"], ["n", "b"], costs)
    0.5
    >>> average_cost(["n", "h"], [["h", "n"], ["b"]], costs.extend("p-discounted", r=0.5))
    0.75
    """
    codes, sets, _ = _read(y_true, y_pred, costs, classes)
    weights = check_weights(sample_weight, len(codes))
    return float(
        np.average(_row_costs(codes, sets, costs, rule, options, empty_cost), weights=weights)
    )


def evaluate_costs(
    y_true: ArrayLike,
    y_pred: Any,
    costs: Any,
    *,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    empty_cost: float | None = None,
    rule: str | ExtensionRule | None = None,
    **options: Any,
) -> CostEvaluation:
    """The average cost overall, by true class and by group, with standard errors.

    Parameters
    ----------
    groups : array-like of shape (n,), optional
        A label for each row; the average within each group is computed as well.
    y_true, y_pred, costs, sample_weight, classes, empty_cost, rule, **options
        As in `average_cost`.

    Examples
    --------
    >>> costs = CostMatrix([[0, 5], [1, 0]], ["ill", "well"])
    >>> evaluate_costs(["ill", "well", "well", "ill"], ["ill", "ill", "well", "well"], costs)
    average cost  n    mean  std. error
    -----------------------------------
    all           4  1.5000      1.1902
    ill           2  0.5000      0.5000
    well          2  2.5000      2.5000
    """
    codes, sets, known = _read(y_true, y_pred, costs, classes)
    weights = check_weights(sample_weight, len(codes))
    values = _row_costs(codes, sets, costs, rule, options, empty_cost)
    counts = np.ones(len(codes), dtype=np.int64) if weights is None else whole_if_whole(weights)
    squares = float(np.dot(counts, counts))
    by_group: dict[Any, Estimate] = {}
    if groups is not None:
        member, names = encode_labels(groups, name="groups")
        check_lengths(len(codes), len(member), "groups")
        by_group = _by_code(values, counts, member, names, squares)
    return summarize(values, counts, codes, known, squares, by_group)


@dataclass(frozen=True, repr=False)
class CostEvaluation:
    """Average costs with their standard errors.

    Parameters
    ----------
    overall : Estimate
        ``overall.value``, ``.standard_error``, ``.n`` and ``.interval()``.
    by_class : dict of label to Estimate
        By true class; NaN for a class that never occurs.
    by_group : dict of label to Estimate
        By group, if groups were given.
    """

    overall: Estimate
    by_class: Mapping[Any, Estimate]
    by_group: Mapping[Any, Estimate] = field(default_factory=dict)

    @property
    def mean(self) -> float:
        """The average cost."""
        return self.overall.value

    @property
    def standard_error(self) -> float:
        """The standard error of the average cost."""
        return self.overall.standard_error

    def to_dict(self) -> dict[str, Any]:
        """The evaluation as plain data."""
        return {
            "overall": _plain(self.overall),
            "by_class": {str(name): _plain(part) for name, part in self.by_class.items()},
            "by_group": {str(name): _plain(part) for name, part in self.by_group.items()},
        }

    def to_frame(self) -> Any:
        """The evaluation as a pandas data frame, one row per average."""
        import pandas as pd

        rows = [(part, name, *_plain(e).values()) for part, name, e in self._rows()]
        return pd.DataFrame(rows, columns=["part", "label", "n", "mean", "standard_error"])

    def _rows(self) -> list[tuple[str, Any, Estimate]]:
        rows: list[tuple[str, Any, Estimate]] = [("all", "all", self.overall)]
        rows += [("class", name, part) for name, part in self.by_class.items()]
        return rows + [("group", name, part) for name, part in self.by_group.items()]

    def __repr__(self) -> str:
        rows = [
            (f"group {name}" if part == "group" else str(name), *_plain(estimate).values())
            for part, name, estimate in self._rows()
        ]
        return format_table(rows, ["average cost", "n", "mean", "std. error"])


def summarize(
    values: Floats,
    counts: Array,
    codes: Ints,
    classes: Array,
    squares: float,
    by_group: Mapping[Any, Estimate] | None = None,
) -> CostEvaluation:
    """The evaluation of costs with their counts and true classes."""
    overall = estimate_mean(values, counts, effective_rows(counts, squares))
    by_class = _by_code(values, counts, codes, classes, squares)
    return CostEvaluation(overall, by_class, by_group or {})


def extended_for(
    costs: Any, sets: PredictionSets, rule: str | ExtensionRule | None, options: Mapping[str, Any]
) -> ExtendedCosts:
    """Costs of sets for these predictions: as given, or extended by the rule."""
    if isinstance(costs, ExtendedCosts):
        if rule is not None or options:
            raise ValueError(
                f"these costs are already extended ({costs.rule.name}): leave out rule="
            )
        return costs
    matrix = costs if isinstance(costs, CostMatrix) else CostMatrix(costs, sets.classes)
    _refuse_sets(sets, rule, options)
    return matrix.extend(rule or "discounted", **options)


def _read(
    y_true: ArrayLike, y_pred: Any, costs: Any, classes: ArrayLike | None
) -> tuple[Ints, PredictionSets, Array]:
    """True classes and predictions over the classes of the costs."""
    if isinstance(costs, CostMatrix | ExtendedCosts):
        codes, known = encode_labels(y_true, costs.classes)
    else:
        n_classes = np.shape(costs)[-1] if np.ndim(costs) else 0
        codes, known = encode_labels(y_true, classes, n_classes=n_classes)
    sets = over_classes(y_pred, known, classes)
    check_lengths(len(sets), len(codes))
    return codes, sets, known


def _row_costs(
    codes: Ints,
    sets: PredictionSets,
    costs: Any,
    rule: str | ExtensionRule | None,
    options: Mapping[str, Any],
    empty_cost: float | None,
) -> Floats:
    """The cost of each row."""
    if isinstance(costs, CostMatrix | ExtendedCosts) or np.ndim(costs) != 3:
        return extended_for(costs, sets, rule, options).at(sets, codes, empty_cost)
    matrices = check_costs(costs)
    if matrices.shape[:2] != (len(codes), len(sets.classes)):
        raise ValueError(
            f"costs with one matrix per row must have shape ({len(codes)}, {len(sets.classes)}, "
            f"{len(sets.classes)}), got {matrices.shape}"
        )
    _refuse_sets(sets, rule, options)
    found = find_rule(rule or "discounted", **options)
    found.require(matrices)
    return _instance_costs(codes, sets, matrices, found, empty_cost)


def _instance_costs(
    codes: Ints,
    sets: PredictionSets,
    matrices: Floats,
    rule: ExtensionRule,
    empty_cost: float | None,
) -> Floats:
    empty = sets.sizes == 0
    refuse_empty(empty, empty_cost)
    members = sets.to_indicator() | empty[:, None]
    costs = np.empty(len(codes))
    for part in row_blocks(len(codes), matrices.shape[1] ** 2):
        costs[part] = rule.fill(OneTruth(matrices[part], members[part], codes[part]))
    if empty.any():
        costs[empty] = empty_cost
    return costs


def _refuse_sets(
    sets: PredictionSets, rule: str | ExtensionRule | None, options: Mapping[str, Any]
) -> None:
    """Raise a ValueError for sets if only costs of single classes are given and no rule."""
    if rule is not None:
        return
    if options:
        raise ValueError(
            f"{next(iter(options))}= is an option of an extension rule: pass rule= as well"
        )
    several = sets.sizes > 1
    if several.any():
        row = int(several.argmax())
        raise ValueError(
            f"row {row} predicts {sets.sizes[row]} classes but the costs are for single classes: "
            "extend them with costs.extend('p-discounted', r=0.5), or pass rule='p-discounted'"
        )


def _by_code(
    values: Floats, counts: Array, codes: Ints, names: Array, squares: float
) -> dict[Any, Estimate]:
    """The mean over the rows of each code."""
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=len(names)))[:-1]
    worth = effective_rows(counts, squares) / counts.sum()
    return {
        name: estimate_mean(values[rows], counts[rows], float(worth * counts[rows].sum()))
        for name, rows in zip(names.tolist(), np.split(order, ends), strict=True)
    }


def effective_rows(counts: Array, squares: float) -> float:
    """The number of equally weighted rows that weigh as much; whole-number counts are rows."""
    total = float(counts.sum())
    return total if counts.dtype.kind != "f" else total**2 / squares


def _plain(estimate: Estimate) -> dict[str, float]:
    n = int(estimate.n) if float(estimate.n).is_integer() else estimate.n
    return {"n": n, "mean": estimate.value, "standard_error": estimate.standard_error}
