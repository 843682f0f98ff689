"""Measures of sets as scikit-learn scorers, for any estimator with ``predict_set``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from wager._typing import ArrayLike
from wager.predictions import predict_set
from wager.rewards._measure import Measure
from wager.rewards._metrics import utility_discounted_accuracy
from wager.rewards._registry import MEASURES, measure_of
from wager.rewards._scores import SetScore
from wager.rewards._utility_names import get_utility


@dataclass(frozen=True)
class SetScorer:
    """Called with ``(estimator, X, y)``: predicts sets and measures them; larger is better.

    Parameters
    ----------
    metric : SetScore or callable
        The measure of the sets.
    sign : {1, -1}, default=1
        -1 for measures of which smaller values are better.
    kwargs : mapping, optional
        Further arguments of the metric.
    needs_truth : bool, default=True
        Whether the metric takes the true classes.
    """

    metric: SetScore | Callable[..., float]
    sign: int = 1
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    needs_truth: bool = True

    def __call__(
        self, estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """The measure of the estimator's sets on (X, y), negated if smaller is better."""
        sets = predict_set(estimator, X)
        metric = self.metric.metric if isinstance(self.metric, SetScore) else self.metric
        given = (y, sets) if self.needs_truth else (sets,)
        options = dict(self.kwargs, classes=getattr(estimator, "classes_", None))
        if sample_weight is not None:
            options["sample_weight"] = sample_weight
        return self.sign * metric(*given, **options)

    def __repr__(self) -> str:
        function = self.metric
        name = function.name if isinstance(function, SetScore) else function.__name__
        options = "".join(f", {key}={value!r}" for key, value in self.kwargs.items())
        return f"make_set_scorer({name}{options})"


def make_set_scorer(
    metric: str | SetScore | Callable[..., float],
    *,
    greater_is_better: bool | None = None,
    **kwargs: Any,
) -> SetScorer:
    """A scorer for `cross_validate`, `cross_val_score` and `GridSearchCV`.

    Parameters
    ----------
    metric : str, callable or SetScore
        A measure of sets or its name (``"coverage"``), a utility (``"u65"``), a `SetScore`, or
        any function of ``(y_true, y_pred, *, classes)``.
    greater_is_better : bool, optional
        Whether larger values are better; by default as registered for the measure, and True for
        other functions.  If smaller values are better the score is negated, as in scikit-learn.
    **kwargs
        Further arguments of the measure, such as ``utility="u80"`` or ``alpha=0.1``.

    Examples
    --------
    >>> make_set_scorer("u80")
    make_set_scorer(utility_discounted_accuracy, utility='u80')
    >>> make_set_scorer("coverage_gap", alpha=0.1)
    make_set_scorer(coverage_gap, alpha=0.1)
    """
    if isinstance(metric, str):
        metric, kwargs = _by_name(metric, kwargs)
    record = metric if isinstance(metric, SetScore) else measure_of(metric)
    if isinstance(record, SetScore):
        metric = record
    if greater_is_better is None:
        greater_is_better = getattr(record or metric, "greater_is_better", None) is not False
    needs_truth = record is None or record.needs_truth
    return SetScorer(metric, 1 if greater_is_better else -1, kwargs, needs_truth)


def _by_name(
    name: str, kwargs: dict[str, Any]
) -> tuple[SetScore | Callable[..., float], dict[str, Any]]:
    """The measure of that name and its arguments; the name of a utility is an argument."""
    measure = MEASURES.get(name)
    if measure is not None and _can_score(measure):
        assert measure.function is not None
        return (measure if isinstance(measure, SetScore) else measure.function), kwargs
    try:
        get_utility(name)  # report an unknown name now instead of in a worker process
    except ValueError as problem:
        known = ", ".join(name for name, measure in MEASURES.items() if _can_score(measure))
        raise ValueError(f"{name!r} is not a measure of sets ({known}), and {problem}") from None
    return utility_discounted_accuracy, {"utility": name} | kwargs


def _can_score(measure: Measure) -> bool:
    """Whether it is a number, computed from sets, by which classifiers can be ranked."""
    is_computed = measure.kind == "sets" and measure.function is not None
    return is_computed and measure.greater_is_better is not None
