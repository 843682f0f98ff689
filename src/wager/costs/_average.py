"""The average cost of a classifier's predictions: overall, by class and by group.

The average is the empirical risk of Yang, Destercke & Masson (2017, Eq. 4), with sets in place of
classes: the mean over the rows of the cost of the predicted set for the true class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from wager._tables import (
    RowUnits,
    check_weights,
    format_labels,
    real_numbers,
    row_blocks,
)
from wager._typing import Array, ArrayLike, Floats, Ints
from wager.costs._checks import check_costs, check_lengths, encode_truth, refuse_empty
from wager.costs._error_costs import error_costs
from wager.costs._evaluation import CostEvaluation, cost_ranges, means_by_part, summarize
from wager.costs._extend import find_rule
from wager.costs._extended_costs import ExtendedCosts
from wager.costs._matrix import CostMatrix
from wager.costs._named_costs import named_costs, require_sorted_predictions
from wager.costs.extensions import ExtensionRule, OneTruth
from wager.predictions import PredictionSets, align, class_source, sets_over
from wager.rewards import as_measure

__all__ = ["average_cost", "evaluate_costs"]


def _evaluate_set_costs(y_true: ArrayLike, y_pred: Any, costs: Any, **rows: Any) -> CostEvaluation:
    """The costs for `evaluate_sets`: those of single classes are extended by the usual rule."""
    rule = None if isinstance(costs, ExtendedCosts) else "p-discounted"
    return evaluate_costs(y_true, y_pred, costs, rule=rule, **rows)


@as_measure(
    kind="costs",
    evaluation=_evaluate_set_costs,
    greater_is_better=False,
    meaning="The mean cost of a prediction, by your cost file.",
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
        The classes of the columns of ``y_pred``.  Labels and data frames are matched by name.
        Columns without names stand for the sorted classes, so costs that list their classes in
        another order need this.
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
    costs = named_costs(costs)
    codes, sets, _ = _read(y_true, y_pred, costs, classes)
    weights = check_weights(sample_weight, len(codes), squared=False)
    return float(
        np.average(_row_costs(codes, sets, costs, rule, options, empty_cost), weights=weights)
    )


def evaluate_costs(
    y_true: ArrayLike,
    y_pred: Any,
    costs: Any,
    *,
    by: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    empty_cost: float | None = None,
    rule: str | ExtensionRule | None = None,
    **options: Any,
) -> CostEvaluation:
    """The average cost overall, by true class and by part, with standard errors.

    Parameters
    ----------
    by : array-like of shape (n,), optional
        A label for each row; the average within each part of the rows is computed as well.
    sample_weight : array-like of shape (n,), optional
        An importance weight for each row; standard errors are robust to them.
    counts : array-like of shape (n,), optional
        How many rows each row stands for.
    groups : array-like of shape (n,), optional
        The cluster of each row, for rows that depend on each other, such as a patient's visits.
    y_true, y_pred, costs, classes, empty_cost, rule, **options
        As in `average_cost`.

    Examples
    --------
    >>> costs = CostMatrix([[0, 5], [1, 0]], ["ill", "well"])
    >>> evaluate_costs(["ill", "well", "well", "ill"], ["ill", "ill", "well", "well"], costs)
    average cost  n    mean  std. error  95% from      to
    -----------------------------------------------------
    all           4  1.5000      1.1902    0.2500  3.7106
    ill           2  0.5000      0.5000    0.0381  0.9619
    well          2  2.5000      2.5000    0.1904  4.8096
    """
    costs = named_costs(costs)
    codes, sets, known = _read(y_true, y_pred, costs, classes)
    units = RowUnits.of(len(codes), sample_weight, counts, groups)
    values = _row_costs(codes, sets, costs, rule, options, empty_cost)
    unit = None
    if np.ndim(costs) == 3 and not isinstance(costs, CostMatrix | ExtendedCosts):
        found = find_rule(rule or "discounted", **options)
        ranges, name = _instance_ranges(real_numbers(costs, "costs"), found), found.name
        if empty_cost is not None:
            np.maximum(ranges[:, 1], empty_cost, out=ranges[:, 1])
    else:
        extended = extended_for(costs, sets, rule, options)
        ranges, unit, name = cost_ranges(extended, empty_cost), extended.unit, extended.rule.name
    cells, by_part = means_by_part(values, codes, by, units, ranges)
    errors = error_costs(sets, codes, values, units.totals, unit)
    return summarize(cells, known, ranges, by_part, errors=errors, unit=unit, rule=name)


def _instance_ranges(matrices: Floats, rule: ExtensionRule) -> Floats:
    """Ranges by true class of costs that differ between rows: 0 to the largest cost of a set.

    Every rule grows with the costs of single classes, so that the largest ones decide.
    """
    largest = ExtendedCosts(CostMatrix(matrices.max(axis=0)), rule).ranges
    return np.stack([np.minimum(largest[:, 0], 0.0), largest[:, 1]], axis=1)


def extended_for(
    costs: Any,
    sets: PredictionSets,
    rule: str | ExtensionRule | None,
    options: Mapping[str, Any],
    counts: Array | None = None,
) -> ExtendedCosts:
    """Costs of sets for these predictions: as given, or extended by the rule.

    With ``counts`` the sets stand for that many rows each, and errors count the rows.
    """
    if isinstance(costs, ExtendedCosts):
        if rule is not None or options:
            raise ValueError(
                f"these costs are already extended ({costs.rule.name}): leave out rule="
            )
        return costs
    matrix = costs if isinstance(costs, CostMatrix) else CostMatrix(costs, sets.classes)
    _refuse_sets(sets, rule, options, counts)
    return matrix.extend(rule or "discounted", **options)


def _read(
    y_true: ArrayLike, y_pred: Any, costs: Any, classes: ArrayLike | None
) -> tuple[Ints, PredictionSets, Array]:
    """True classes and predictions over the classes of the costs."""
    if isinstance(costs, CostMatrix | ExtendedCosts):
        known = costs.classes
        codes, sets = encode_truth(y_true, known), sets_over(y_pred, known, classes=classes)
    else:
        codes, sets = _over_sorted(y_true, y_pred, costs, classes)
        known = sets.classes
    check_lengths(len(sets), len(codes))
    return codes, sets, known


def _over_sorted(
    y_true: ArrayLike, y_pred: Any, costs: Any, classes: ArrayLike | None
) -> tuple[Ints, PredictionSets]:
    """True classes and predictions over the sorted classes, which costs without names are for."""
    n_classes = check_costs(costs).shape[-1]
    source, _ = class_source(y_pred)
    if classes is None:
        require_sorted_predictions(y_pred)
    if classes is None and source == "labels":  # labels, which may be numbers of classes
        codes, sets = align(y_true, y_pred)
        if sets.classes.dtype.kind in "iu" and sets.classes.max(initial=0) < n_classes:
            classes = np.arange(n_classes)
    if classes is not None or source != "labels":
        codes, sets = align(y_true, y_pred, classes)
    if len(sets.classes) != n_classes:
        raise ValueError(
            f"costs is for {n_classes} classes but the classes are "
            f"{format_labels(sets.classes)}: pass classes= with the classes of the rows of costs"
        )
    return codes, sets


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


def row_costs(
    codes: Ints, sets: PredictionSets, costs: Any, *, empty_cost: float | None = None
) -> Floats:
    """The cost of each row, for true classes as codes of ``sets.classes``.

    Costs of single classes are extended to sets by the usual rule.
    """
    costs = named_costs(costs)
    rule = None if isinstance(costs, ExtendedCosts) else "p-discounted"
    return _row_costs(codes, sets, costs, rule, {}, empty_cost)


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
    sets: PredictionSets,
    rule: str | ExtensionRule | None,
    options: Mapping[str, Any],
    counts: Array | None = None,
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
        who = f"row {row} predicts {sets.sizes[row]} classes"
        if counts is not None:
            n = counts[several].sum()
            who = f"{n:,.10g} {'row predicts' if n == 1 else 'rows predict'} several classes"
        raise ValueError(
            f"{who} but the costs are for single classes: "
            "extend them with costs.extend('p-discounted', r=0.5), or pass rule='p-discounted'"
        )
