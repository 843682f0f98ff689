"""Every measure of set-valued predictions at once, from one pass over the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wager._tables import (
    Table,
    View,
    Viewed,
    counted,
)
from wager._typing import Array, ArrayLike, Floats
from wager._visible import brief
from wager.rewards._by_class import class_counter, class_frame
from wager.rewards._cell_sums import CellSums
from wager.rewards._class_tally import share_of_hits
from wager.rewards._count import CellCounts, class_table, count_cells, read_rows, split_sums
from wager.rewards._estimate import Estimate, estimate_mean
from wager.rewards._registry import MEASURES, SET_SCORES
from wager.rewards._tally import Tally
from wager.rewards._tally_scores import distinct_utilities, mean_scores, other_measures
from wager.rewards._titles import measure_titles
from wager.rewards._utility import Utility
from wager.rewards._utility_names import UtilityLike

UTILITIES = ("u50", "u65", "u80")
COST = "average_cost"


@dataclass(frozen=True, eq=False, repr=False)
class SetEvaluation(Viewed):
    """What set-valued predictions are worth, by every measure.

    Printed, it is a table with standard errors and a sentence; ``evaluation["u65"]`` is one value.

    Attributes
    ----------
    tally : Tally
        Counts by set size and hit, from which all measures but those by class are computed.
    classes : array of shape (K,)
        The classes.
    class_sums : CellSums
        Misses and hits by true class, numbered by twice the code of the class, plus one for a hit.
    utilities : tuple of Utility
        The utilities of the evaluation.
    count_classes : callable
        Gives the tally of each true class; it is called when measures by class are asked for.
    costs : CostEvaluation, optional
        The average cost overall, by true class and by kind of error, if costs were given.
    n_rows : int, optional
        The number of rows, or the sum of their counts; by default that of the tally.
    """

    tally: Tally
    classes: Array
    class_sums: CellSums
    utilities: tuple[Utility, ...]
    count_classes: Callable[[], list[Tally]]
    costs: Any = None
    n_rows: int | None = None

    @property
    def rows(self) -> float:
        """The number of rows; a row that stands for several (``counts``) counts as often."""
        return self.tally.n if self.n_rows is None else self.n_rows

    @property
    def total_weight(self) -> float | None:
        """The total of the weights of the rows; None if they have none."""
        is_weighted = self.n_rows is not None and self.tally.sums.totals.dtype.kind == "f"
        return self.tally.n if is_weighted else None

    @cached_property
    def estimates(self) -> dict[str, Estimate]:
        """Every mean, with its standard error and confidence interval."""
        found = mean_scores(self.tally, self.utilities)
        return found | ({} if self.costs is None else {COST: self.costs.overall})

    @cached_property
    def values(self) -> dict[str, float]:
        """Every measure that is one number."""
        means = {name: estimate.value for name, estimate in self.estimates.items()}
        return means | {name: measure(self.tally) for name, measure in other_measures().items()}

    def __getitem__(self, name: str) -> float:
        if name not in self.values:
            raise KeyError(
                f"there is no measure {brief(name)}: choose from {', '.join(self.values)}"
            )
        return self.values[name]

    @property
    def class_coverage(self) -> Floats:
        """Coverage by true class; NaN for a class without rows."""
        return share_of_hits(self.class_table)

    @cached_property
    def class_estimates(self) -> dict[Any, Estimate]:
        """Coverage by true class, with its standard error and confidence interval."""
        squares = self.class_sums.squares
        if squares is not None and squares.ndim == 1:  # intervals of weights depend on the cells
            coverage = SET_SCORES["coverage"]
            return {label: coverage.estimate(part) for label, part in self.class_tallies.items()}
        parts = split_sums(self.class_sums, len(self.classes), 2)
        estimates = (estimate_mean(part.numbers.astype(float), part, 0.0, 1.0) for part in parts)
        return dict(zip(self.classes.tolist(), estimates, strict=True))

    @cached_property
    def class_table(self) -> Array:
        """Misses and hits by true class: an array of shape (K, 2)."""
        return class_table(CellCounts(self.tally.sums, self.class_sums, self.classes))

    @cached_property
    def class_tallies(self) -> dict[Any, Tally]:
        """The tally of each true class."""
        return dict(zip(self.classes.tolist(), self.count_classes(), strict=True))

    @property
    def by_class(self) -> Any:
        """A pandas frame with one row per true class: rows, coverage, utilities and others."""
        return self.by_class_frame(level=None)

    def by_class_frame(self, level: float | None = 0.95) -> Any:
        """The measures of each true class with confidence intervals, as a pandas DataFrame.

        Parameters
        ----------
        level : float or None, default=0.95
            The level of the intervals, whose ends are the columns ``coverage_lower``,
            ``coverage_upper``, ...; None for no intervals.

        Examples
        --------
        This example needs ``pip install 'wager[frames]'``.

        >>> evaluation = evaluate_sets(["a", "b", "b"], [["a"], ["a"], ["a", "b"]], "u65")
        >>> evaluation.by_class[["rows", "coverage", "u65"]]
               rows  coverage    u65
        class
        a         1       1.0  1.000
        b         2       0.5  0.325
        """
        return class_frame(self.classes, list(self.class_tallies.values()), self.utilities, level)

    @property
    def size_stratified_coverage(self) -> Floats:
        """Coverage by set size 0..K; NaN for a size that no prediction has."""
        return share_of_hits(self.tally.table)

    def to_dict(self) -> dict[str, Any]:
        """All measures as plain data; an undefined measure is NaN."""
        return {
            "n": self.tally.n,
            "rows": self.rows,
            **({} if self.total_weight is None else {"total_weight": self.total_weight}),
            "n_classes": self.tally.n_classes,
            **self.values,
            "standard_errors": {k: e.standard_error for k, e in self.estimates.items()},
            "classes": self.classes.tolist(),
            "class_coverage": self.class_coverage.tolist(),
            "size_stratified_coverage": self.size_stratified_coverage.tolist(),
            **({} if self.costs is None else {"costs": self.costs.to_dict()}),
        }

    def to_frame(self, level: float = 0.95) -> Any:
        """The measures as a pandas DataFrame: value, standard error, confidence interval, n."""
        import pandas as pd

        columns = ["value", "standard_error", "lower", "upper", "n"]
        return pd.DataFrame(self._rows(level), index=list(self.values), columns=columns)

    def _rows(self, level: float) -> list[list[float]]:
        nan = float("nan")
        rows = []
        for name, value in self.values.items():
            e = self.estimates.get(name)
            rest = [nan] * 4 if e is None else [e.standard_error, *e.interval(level), e.n]
            rows.append([value, *rest])
        return rows

    def _table(self) -> tuple[list[str], list[list[Any]]]:
        """Header and rows: each measure, its standard error and its interval."""
        rows = dict(zip(self.values, self._rows(0.95), strict=True))
        titles = measure_titles(rows)
        if self.costs is not None and self.costs.unit is not None:
            titles[COST] += f" ({self.costs.unit})"
        lines = [[title, *rows[name][:4]] for name, title in titles.items()]
        return ["measure", "value", "std. error", "95% from", "to"], lines

    def _view(self) -> View:
        return View(tables=[Table(*self._table())], verdict=[self.sentence()])

    def sentence(self) -> str:
        """The main results in one or two sentences."""
        v, total = self.values, self.total_weight
        weight = "" if total is None else f" of total weight {total:,.6g}"
        many = counted(self.tally.n_classes, "class")
        words = [f"{counted(self.rows, 'prediction', ',.10g')}{weight} over {many}:"]
        if v["determinacy"] > 0:
            share = _percent(v["determinacy"])
            words.append(f"{share} name one class and are right {_percent(v['single_accuracy'])}")
            words.append("of the time;" if v["determinacy"] < 1 else "of the time.")
        if v["indeterminate_set_size"] > 1:
            words.append(
                f"sets of two or more classes ({v['indeterminate_set_size']:.2f} on average) "
                f"contain the true class {_percent(v['set_accuracy'])} of the time."
            )
        if v["empty_rate"] > 0:
            words.append(f"{_percent(v['empty_rate'])} name no class.")
        if self.costs is not None:
            words.append(self.costs.sentence())
        return " ".join(words)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def evaluate_sets(
    y_true: ArrayLike,
    y_pred: Any,
    utilities: Iterable[UtilityLike] | UtilityLike = UTILITIES,
    *,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    costs: Any = None,
    empty_cost: float | None = None,
) -> SetEvaluation:
    """Every measure of set-valued predictions, with standard errors, in one pass.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The true classes.
    y_pred : array-like of shape (n, K) or anything `wager.as_sets` takes
        The predicted sets: a boolean matrix, lists of labels, single labels, ...
    utilities : utilities, default=("u50", "u65", "u80")
        One utility or several, each anything that `wager.rewards.get_utility` takes.
    sample_weight : array-like of shape (n,), optional
        An importance weight for each row; standard errors are robust to them.
    counts : array-like of shape (n,), optional
        How many rows each row stands for.
    groups : array-like of shape (n,), optional
        The cluster of each row, for rows that depend on each other, such as a patient's visits.
    classes : array-like of shape (K,), optional
        The classes, in the order of the columns of `y_pred`.
    costs : CostMatrix, ExtendedCosts, or array of shape (K, K) or (n, K, K), optional
        The costs of predictions: the evaluation then has the average cost as well.  Costs of
        single classes are extended to sets by ``costs.extend()``, the p-discounted rule with
        r = 0.5.  The classes of an array are the sorted classes of the predictions; with three
        dimensions it holds one matrix per row.
    empty_cost : float, optional
        The cost of an empty set; without it an empty set is an error if costs are given.

    Returns
    -------
    SetEvaluation
        Prints as a table; ``to_dict`` and ``to_frame`` for further use.

    Examples
    --------
    >>> evaluation = evaluate_sets(["a", "b", "b"], [["a"], ["a"], ["a", "b"]])
    >>> round(evaluation["u65"], 4), evaluation["coverage"]
    (0.55, 0.6666666666666666)
    >>> print(evaluation.sentence())
    3 predictions over 2 classes: 66.7% name one class and are right 50.0% of the time; sets of two
    or more classes (2.00 on average) contain the true class 100.0% of the time.
    """
    rows = read_rows(y_true, y_pred, classes, sample_weight, counts, groups)
    found = count_cells(rows)
    tally = Tally.of_sums(len(found.classes), found.by_size)
    tally.require_rows()
    chosen = distinct_utilities(utilities)
    priced = None
    if costs is not None:
        priced = _cost_evaluation()(
            y_true,
            y_pred,
            costs,
            empty_cost=empty_cost,
            sample_weight=sample_weight,
            counts=counts,
            groups=groups,
            classes=classes,
        )
    elif empty_cost is not None:
        raise ValueError("empty_cost= is the cost of an empty set: pass costs= as well")
    labels, count_classes = np.asarray(found.classes), class_counter(found, rows)
    n_rows = rows.units.observations(len(rows.codes))
    return SetEvaluation(tally, labels, found.by_class, chosen, count_classes, priced, n_rows)


def _cost_evaluation() -> Callable[..., Any]:
    """The evaluation of costs, which the package of costs registers."""
    evaluation = MEASURES[COST].evaluation if COST in MEASURES else None
    if evaluation is None:
        raise ValueError(
            "costs are evaluated by wager.costs: import it first, or call wager.evaluate_sets"
        )
    return evaluation
