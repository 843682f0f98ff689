"""Metrics of predicted probabilities that rank learners: ours by name, and those of users."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias, cast

import numpy as np

from wager._tables import nearest_name, real_numbers, repeated
from wager._typing import Array, Floats, Ints
from wager._visible import brief
from wager.rewards import MEASURES, Measure, load_measure, measure_of
from wager.rewards.information import ProbabilityReward

__all__ = ["MetricLike", "RankingMetric", "auc", "read_metrics", "scores_of_test_sets"]

MetricLike: TypeAlias = str | Measure | Callable[[Array, Floats], float]
LOSSES = ("_loss", "_error")  # how the names of losses end in scikit-learn


@dataclass(frozen=True)
class RankingMetric:
    """A metric of which larger values are better.

    Parameters
    ----------
    name : str
    reward : ProbabilityReward, optional
        The reward of every row whose mean is the metric, or
    function : callable, optional
        the metric of a test set, from true classes as codes and probabilities.
    sign : int
        -1 if `function` is a loss.
    """

    name: str
    reward: ProbabilityReward | None = None
    function: Callable[[Ints, Floats], float] | None = None
    sign: int = 1

    def of_test_sets(
        self, y: Ints, proba: Floats, prior: Floats, sizes: Sequence[int], most: int
    ) -> list[Floats]:
        """The metric on consecutive, disjoint test sets of each size, at most so many of them."""
        number = [min(most, len(y) // size) for size in sizes]
        if self.reward is not None:
            by_row = self.reward.rows(proba, y, prior, 2.0, None)
            cut = zip(number, sizes, strict=True)
            return [by_row[: k * size].reshape(k, size).mean(axis=1) for k, size in cut]
        assert self.function is not None
        found = []
        for k, size in zip(number, sizes, strict=True):
            parts = [slice(j * size, (j + 1) * size) for j in range(k)]
            values = [self.sign * float(self.function(y[part], proba[part])) for part in parts]
            found.append(np.array(values))
        return found


def scores_of_test_sets(
    metrics: Sequence[RankingMetric],
    y: Ints,
    proba: Floats,
    prior: Floats,
    sizes: Sequence[int],
    most: int,
) -> list[Floats]:
    """Every metric on consecutive, disjoint test sets; larger is better.

    Parameters
    ----------
    metrics : sequence of RankingMetric
    y, proba, prior : ndarray
        True classes as codes, predicted probabilities, and the prior of the rewards.
    sizes : sequence of int
        The sizes of the test sets.
    most : int
        The largest number of test sets of each size; they do not overlap.

    Returns
    -------
    list of ndarray of shape (metrics, test sets), one per size

    Examples
    --------
    >>> y, proba = np.array([0, 1, 1, 0]), np.array([[0.8, 0.2]] * 4)
    >>> found = scores_of_test_sets(read_metrics(["accuracy"]), y, proba, np.ones(2) / 2, [2, 4], 3)
    >>> [part.tolist() for part in found]
    [[[0.5, 0.5]], [[0.5]]]
    """
    by_metric = [metric.of_test_sets(y, proba, prior, sizes, most) for metric in metrics]
    return [np.stack(same) for same in zip(*by_metric, strict=True)]


def auc(y_true: Ints, proba: Floats) -> float:
    """The area under the ROC curve; of several classes, the mean over pairs (Hand & Till, 2001).

    Of two classes it is how often a row of the first has a larger probability of it than a row of
    the second, a tie counting one half; averaged over both classes of the pair.  Pairs of which a
    class does not occur are left out; NaN if only one class occurs.

    Parameters
    ----------
    y_true : array-like of int, shape (n,)
        True classes, as the number of their column.
    proba : array-like of shape (n, K)
        Probabilities.

    Examples
    --------
    >>> auc([0, 0, 1], [[0.9, 0.1], [0.4, 0.6], [0.4, 0.6]])
    0.75
    """
    truth, table = np.asarray(y_true), real_numbers(proba, "proba")
    found = [
        (_above(table[truth == a, a], table[truth == b, a])
         + _above(table[truth == b, b], table[truth == a, b])) / 2
        for a, b in combinations(np.unique(truth).tolist(), 2)
    ]  # fmt: skip
    return float(np.mean(found)) if found else float("nan")


def _above(first: Floats, second: Floats) -> float:
    """How often a number of the first is larger than one of the second; a tie is one half."""
    ordered = np.sort(second)
    below, up_to = (np.searchsorted(ordered, first, side) for side in ("left", "right"))
    return float((below + up_to).sum() / (2 * len(first) * len(second)))


def read_metrics(
    metrics: Sequence[MetricLike] | Mapping[str, MetricLike],
) -> tuple[RankingMetric, ...]:
    """The metrics that a user named or gave.

    Examples
    --------
    >>> def hinge_loss(y, proba): return float(np.maximum(0, 1 - proba.max(axis=1)).mean())
    >>> [(metric.name, metric.sign) for metric in read_metrics(["brier", "auc", hinge_loss])]
    [('brier', 1), ('auc', 1), ('hinge_loss', -1)]
    """
    if isinstance(metrics, str | Measure) or callable(metrics):
        metrics = [metrics]
    given = metrics.items() if isinstance(metrics, Mapping) else ((None, m) for m in metrics)
    found = tuple(_read(metric, name) for name, metric in given)
    if not found:
        raise ValueError("metrics is empty: name at least one, such as 'information_reward'")
    if twice := repeated(metric.name for metric in found):
        raise ValueError(f"duplicate metric {twice[0]!r}: pass a dictionary with a name for each")
    return found


def _read(metric: MetricLike, name: str | None) -> RankingMetric:
    if isinstance(metric, str):
        return _named(metric, name or metric)
    if isinstance(metric, ProbabilityReward):
        return RankingMetric(name or metric.name, reward=metric)
    record = metric if isinstance(metric, Measure) else measure_of(metric)
    if record is not None:
        return _of_record(record, name or record.name)
    if not callable(metric):
        raise TypeError(f"a metric must be a name, a Measure or a function, got {brief(metric)}")
    own = str(getattr(metric, "__name__", type(metric).__name__))
    function = cast("Callable[[Ints, Floats], float]", metric)
    return RankingMetric(name or own, function=function, sign=-1 if own.endswith(LOSSES) else 1)


def _named(metric: str, name: str) -> RankingMetric:
    if metric == "auc":
        return RankingMetric(name, function=auc)
    record = load_measure(metric)
    if record is not None and record.kind in ("probabilities", "memberships"):
        return _of_record(record, name)
    known = ["auc", *(name for name, record in MEASURES.items() if _ranks(record))]
    near = nearest_name(metric, known)
    hint = f"did you mean {near!r}?" if near else f"choose one of {', '.join(known)}, or a function"
    raise ValueError(f"there is no metric {brief(metric)} of probabilities: {hint}")


def _of_record(record: Measure, name: str) -> RankingMetric:
    if isinstance(record, ProbabilityReward):
        return RankingMetric(name, reward=record)
    function, sign = record.function, -1 if record.greater_is_better is False else 1
    if function is None or record.greater_is_better is None:
        raise ValueError(f"{record.name} does not rank learners: choose another metric")
    if MEASURES.get(record.name) is not record:  # a record of the user's own
        return RankingMetric(name, function=function, sign=sign)
    if not _ranks(record):
        raise ValueError(
            f"{record.name} is not computed from true classes and probabilities: choose another "
            "metric"
        )

    def of_codes(y: Ints, proba: Floats) -> float:
        return float(function(y, proba, classes=np.arange(proba.shape[1])))

    return RankingMetric(name, function=of_codes, sign=sign)


def _ranks(record: Any) -> bool:
    """Whether a registered measure orders learners by true classes and probabilities alone."""
    if record.kind not in ("probabilities", "memberships") or record.greater_is_better is None:
        return False
    if isinstance(record, ProbabilityReward):
        return True
    parameters = inspect.signature(record.function).parameters if record.function else ()
    return "y_true" in parameters and "classes" in parameters
