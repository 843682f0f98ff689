"""How often metrics ranked learners as the truth does, problem by problem, with intervals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._tables import Table, View, Viewed, nearest_name
from wager._typing import Floats
from wager._visible import brief
from wager.compare import holm_adjust
from wager.rewards import MeanEstimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["MetaMetric"]


@dataclass(frozen=True, eq=False, repr=False)
class MetaMetric(Viewed):
    """How often each metric ranks two learners in the same order as the truth does.

    Attributes
    ----------
    metrics, truths : tuple of str
        The metrics that were tried, and what they were compared with.
    test_rows : tuple of int
        The sizes of the test sets.
    problems : tuple of (str, int)
        The model and the number of training rows of each problem.  Models are independent of each
        other, so standard errors are over models.
    share : ndarray of shape (n_problems, n_truths, n_sizes, n_metrics)
        The share of pairs of learners that the metric ranks as the truth does; a tie counts one
        half, pairs that are truly equal are left out.  NaN if all learners are equal.
    lost : ndarray of the same shape
        The mean loss of true quality if of two learners the one that the metric prefers is chosen.

    Examples
    --------
    >>> found = MetaMetric(("accuracy", "brier"), ("divergence",), (100,),
    ...     (("A", 50), ("B", 50), ("C", 50)),
    ...     np.array([[0.6, 0.8], [0.5, 0.9], [0.7, 0.8]])[:, None, None], np.zeros((3, 1, 1, 2)))
    >>> estimate = found.estimate("brier", "divergence", 100)
    >>> round(estimate.value, 3), round(estimate.standard_error, 3)
    (0.833, 0.033)
    >>> found.trusted("divergence", 100)
    ('brier', 'accuracy')
    """

    metrics: tuple[str, ...]
    truths: tuple[str, ...]
    test_rows: tuple[int, ...]
    problems: tuple[tuple[str, int], ...] = field(repr=False)
    share: Floats = field(repr=False)
    lost: Floats = field(repr=False)

    @property
    def models(self) -> list[str]:
        """The models, which are independent of each other."""
        return list(dict.fromkeys(model for model, _ in self.problems))

    @property
    def n_informative(self) -> int:
        """The number of models whose learners differ by every truth."""
        if not self.problems:
            return 0
        return int((~np.isnan(self.by_model(self.share))).all(axis=(1, 2, 3)).sum())

    def by_model(self, values: Floats) -> Floats:
        """Means over the problems with the same model, ignoring NaN.

        Parameters
        ----------
        values : ndarray
            `share` or `lost`, or another array with one entry per problem.
        """
        rows = np.array([model for model, _ in self.problems])
        return np.array([mean_of_known(values[rows == model]) for model in self.models])

    def shares_of(self, metric: str, truth: str) -> Floats:
        """The shares of a metric: one row per model, one column per test size.

        Parameters
        ----------
        metric, truth : str
            One of `metrics` and one of `truths`.
        """
        t, m = _place(truth, self.truths, "truth"), _place(metric, self.metrics, "metric")
        return self.by_model(self.share)[:, t, :, m]

    def estimate(self, metric: str, truth: str, test_rows: int) -> MeanEstimate:
        """The share of pairs ranked as by the truth, with its standard error and interval.

        Parameters
        ----------
        metric, truth : str
            One of `metrics` and one of `truths`.
        test_rows : int
            One of the sizes of the test sets.
        """
        return _mean(self._values(metric, truth, test_rows), 0.0)

    def difference(self, first: str, second: str, truth: str, test_rows: int) -> MeanEstimate:
        """How much more often the first metric agrees with the truth than the second.

        The models are the same for both, so the difference is known more precisely than the shares.

        Parameters
        ----------
        first, second, truth : str
            Two of `metrics` and one of `truths`.
        test_rows : int
            One of the sizes of the test sets.
        """
        values = (self._values(metric, truth, test_rows) for metric in (first, second))
        return _mean(next(values) - next(values), -1.0)

    def trusted(self, truth: str, test_rows: int, alpha: float = 0.05) -> tuple[str, ...]:
        """The metric with the largest share, and those that are not significantly worse.

        Each is compared with the best one over the models; p-values are adjusted by Holm's method.
        With few models little is significant, so the list is long.

        Parameters
        ----------
        truth : str
            One of `truths`.
        test_rows : int
            One of the sizes of the test sets.
        alpha : float, default=0.05
            The probability of leaving out a metric that is as good as the best one.
        """
        value = {m: self.estimate(m, truth, test_rows).value for m in self.metrics}
        best, *others = sorted(self.metrics, key=lambda m: -np.nan_to_num(value[m]))
        p = [self.difference(best, m, truth, test_rows).p_value() for m in others]
        worse = holm_adjust(p) < alpha
        return best, *(m for m, out in zip(others, worse, strict=True) if not out)

    def _values(self, metric: str, truth: str, test_rows: int) -> Floats:
        """The shares of the models, without those whose learners are all equal."""
        size = _place(test_rows, self.test_rows, "test size")
        values = self.shares_of(metric, truth)[:, size]
        return values[~np.isnan(values)]

    def plot(self) -> Figure:
        """Draw the shares by the number of test rows: one panel per truth, one line per metric.

        Returns
        -------
        matplotlib Figure
        """
        from wager.experiments._meta_metric_plot import draw_ranking_shares

        shares = {
            f"Truth: {truth}": 100
            * np.array([mean_of_known(self.shares_of(metric, truth)) for metric in self.metrics])
            for truth in self.truths
        }
        return draw_ranking_shares(self.test_rows, shares, self.metrics)

    def to_dict(self) -> dict[str, Any]:
        """All shares with their intervals, as plain data."""
        return {
            "models": len(self.models),
            "training_rows": sorted({rows for _, rows in self.problems}),
            "shares": self._rows(),
            "trusted": [
                {"truth": truth, "test_rows": size, "metrics": list(self.trusted(truth, size))}
                for truth in self.truths
                for size in self.test_rows
            ],
        }

    def to_frame(self) -> Any:
        """A pandas frame with one row per truth, metric and test size."""
        import pandas as pd

        return pd.DataFrame(self._rows())

    def _rows(self) -> list[dict[str, Any]]:
        lost = mean_of_known(self.by_model(self.lost))
        rows = []
        for t, truth in enumerate(self.truths):
            for m, metric in enumerate(self.metrics):
                for s, size in enumerate(self.test_rows):
                    estimate = self.estimate(metric, truth, size)
                    low, high = estimate.interval()
                    rows.append(
                        {
                            "truth": truth,
                            "metric": metric,
                            "test_rows": size,
                            "share": estimate.value,
                            "standard_error": estimate.standard_error,
                            "low": low,
                            "high": high,
                            "lost": float(lost[t, s, m]),
                        }
                    )
        return rows

    def _view(self) -> View:
        rows = []
        for truth in self.truths:
            for metric in self.metrics:
                found = [self.estimate(metric, truth, size) for size in self.test_rows]
                rows.append([truth, metric, *map(_percent, found)])
        sizes = [f"{size:,} test rows" for size in self.test_rows]
        training = sorted({rows for _, rows in self.problems})
        trained = " or ".join(f"{n:,}" for n in training)
        return View(
            f"Pairs of learners ranked as by the truth (%), {len(self.models)} models, {trained} "
            "training rows",
            [Table(["truth", "metric", *sizes], rows, "<<" + ">" * len(sizes))],
            ["In brackets: 95% confidence intervals over models."],
            verdict=[self._sentence(truth) for truth in self.truths],
        )

    def _sentence(self, truth: str) -> str:
        size = self.test_rows[-1]
        best, *others = self.trusted(truth, size)
        tail = f"; not significantly worse: {', '.join(others)}" if others else ""
        share = self.estimate(best, truth, size).value
        return (
            f"By {truth}, with {size:,} test rows, {best} ranks best ({100 * share:.1f}% of pairs)"
            f"{tail}."
        )


def mean_of_known(values: Floats) -> Floats:
    """Means over the first axis, ignoring NaN; NaN only where all values are NaN."""
    known = ~np.isnan(values)
    number = known.sum(axis=0)
    total = np.where(known, values, 0.0).sum(axis=0)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)


def _mean(values: Floats, lowest: float) -> MeanEstimate:
    n = len(values)
    value = float(values.mean()) if n else float("nan")
    error = float(values.std(ddof=1) / np.sqrt(n)) if n > 1 else float("nan")
    return MeanEstimate(value, error, n, lowest, 1.0, extremes=False, clustered=True)


def _place(wanted: Any, known: tuple[Any, ...], what: str) -> int:
    is_single = isinstance(wanted, str) or not hasattr(wanted, "__len__")
    if is_single and wanted in known:
        return known.index(wanted)
    near = nearest_name(wanted, list(known)) if isinstance(wanted, str) else None
    hint = f"did you mean {near!r}?" if near else f"choose one of {', '.join(map(str, known))}"
    raise ValueError(f"there is no {what} {brief(wanted)} here: {hint}")


def _percent(estimate: MeanEstimate) -> str:
    low, high = estimate.interval()
    return f"{100 * estimate.value:.1f} ({100 * low:.1f}-{100 * high:.1f})"
