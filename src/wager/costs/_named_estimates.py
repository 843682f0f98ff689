"""Several measures of the same predictions with their uncertainty, as one result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import RowUnits, Table, View, Viewed
from wager._typing import ArrayLike, Floats
from wager._visible import brief
from wager.rewards import CellSums, Estimate, estimate_mean

__all__ = ["NamedEstimates", "estimate_rows", "mean_of_rows"]


def estimate_rows(values: Floats, units: RowUnits, low: float, high: float) -> Estimate:
    """The mean of a score of rows, within its known range; rows where it is NaN are left out.

    Examples
    --------
    >>> found = estimate_rows(np.array([0.0, 1.0, 1.0, np.nan]), RowUnits(), 0, 1)
    >>> round(found.value, 4), found.n
    (0.6667, 3.0)
    """
    distinct, code = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True)
    sums = CellSums.of(code.ravel(), units)
    return estimate_mean(distinct[sums.numbers], sums, float(low), float(high))


def mean_of_rows(values: Floats, sample_weight: ArrayLike | None) -> float:
    """The value of `estimate_rows` alone, which takes no sort; NaN where no row counts."""
    units = RowUnits.of(len(values), sample_weight)
    known = ~np.isnan(values)
    weights = None if units.weights is None else units.weights[known]
    if not known.any() or (weights is not None and not weights.any()):
        return float("nan")
    return float(np.average(values[known], weights=weights))


@dataclass(frozen=True, repr=False)
class NamedEstimates(Viewed):
    """Measures by name, each with its standard error and interval.

    Parameters
    ----------
    estimates : mapping of name to Estimate
        The measures.
    n_rows : int
        The number of predictions.
    """

    estimates: Mapping[str, Estimate]
    n_rows: int

    def __getitem__(self, name: str) -> float:
        if name not in self.estimates:
            known = ", ".join(self.estimates)
            raise KeyError(f"there is no measure {brief(name)}: choose from {known}")
        return self.estimates[name].value

    @property
    def values(self) -> dict[str, float]:
        """The measures as plain numbers."""
        return {name: estimate.value for name, estimate in self.estimates.items()}

    def sentence(self) -> str:
        """The main results in a sentence."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """The measures as plain data; an undefined measure is NaN."""
        errors = {name: estimate.standard_error for name, estimate in self.estimates.items()}
        return {"rows": self.n_rows, **self.values, "standard_errors": errors}

    def to_frame(self, level: float = 0.95) -> Any:
        """The measures as a pandas DataFrame: value, standard error, confidence interval, n."""
        import pandas as pd

        rows = [
            [e.value, e.standard_error, *e.interval(level), e.n] for e in self.estimates.values()
        ]
        columns = ["value", "standard_error", "lower", "upper", "n"]
        return pd.DataFrame(rows, index=list(self.estimates), columns=columns)

    def _view(self) -> View:
        rows = [
            [name.replace("_", " "), e.value, e.standard_error, *e.interval()]
            for name, e in self.estimates.items()
        ]
        heads = ["measure", "value", "std. error", "95% from", "to"]
        return View(tables=[Table(heads, rows)], verdict=[self.sentence()])
