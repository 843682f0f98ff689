"""Set-valued measures as scikit-learn scorers, for any estimator with ``predict_set``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from wager._typing import ArrayLike
from wager.predictions import predict_set
from wager.rewards import _metrics
from wager.rewards._scores import SET_SCORES, SetScore
from wager.rewards._tally import Tally
from wager.rewards._utility_names import get_utility

_MEASURES: dict[str, Callable[..., float]] = {
    name: function
    for name, function in vars(_metrics).items()
    if getattr(function, "__module__", "") == _metrics.__name__ and not name.startswith("_")
}
_LOWER_IS_BETTER = ("reward_variance", "coverage_gap")  # measures that are no mean of a SetScore
_WITHOUT_TRUTH = ("determinacy", "mean_set_size", "indeterminate_set_size", "empty_rate")


@dataclass(frozen=True)
class SetScorer:
    """Called with ``(estimator, X, y)``: predict sets, measure them, larger is better."""

    metric: Callable[..., float]
    sign: int = 1
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    def __call__(
        self, estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """The measure of the estimator's sets on (X, y), negated where smaller is better."""
        sets = predict_set(estimator, X)
        classes = getattr(estimator, "classes_", None)
        if isinstance(self.metric, SetScore):
            return self.sign * self.metric(Tally.of(y, sets, classes, sample_weight))
        given = (sets,) if self._name in _WITHOUT_TRUTH else (y, sets)
        weight = {} if sample_weight is None else {"sample_weight": sample_weight}
        return self.sign * self.metric(*given, classes=classes, **weight, **self.kwargs)

    @property
    def _name(self) -> str:
        return getattr(self.metric, "__name__", "")

    def __repr__(self) -> str:
        name = self.metric.name if isinstance(self.metric, SetScore) else self._name
        options = "".join(f", {key}={value!r}" for key, value in self.kwargs.items())
        return f"make_set_scorer({name}{options})"


def make_set_scorer(
    metric: str | Callable[..., float], *, greater_is_better: bool | None = None, **kwargs: Any
) -> SetScorer:
    """A scorer for `cross_validate`, `cross_val_score` and `GridSearchCV`.

    Parameters
    ----------
    metric : str, callable or SetScore
        A measure of `wager.metrics` or its name (``"coverage"``), a utility (``"u65"``), a
        `SetScore`, or any function of ``(y_true, y_pred, *, classes)``.
    greater_is_better : bool, optional
        Whether larger values are better; known for the measures of `wager.metrics`, otherwise
        assumed.  Scores of which smaller values are better are negated, as scikit-learn does.
    **kwargs
        Passed on to the measure, as ``utility="u80"`` or ``alpha=0.1``.

    Examples
    --------
    >>> make_set_scorer("u80")
    make_set_scorer(utility_discounted_accuracy, utility='u80')
    >>> make_set_scorer("coverage_gap", alpha=0.1)
    make_set_scorer(coverage_gap, alpha=0.1)
    """
    if isinstance(metric, str):
        if metric in _MEASURES:
            metric = _MEASURES[metric]
        else:
            _require_utility(metric)  # refuse an unknown name now, not in a worker
            metric, kwargs = _metrics.utility_discounted_accuracy, {"utility": metric} | kwargs
    if greater_is_better is None:
        greater_is_better = _greater_is_better(metric)
    return SetScorer(metric, 1 if greater_is_better else -1, kwargs)


def _require_utility(name: str) -> None:
    try:
        get_utility(name)
    except ValueError as problem:
        raise ValueError(
            f"{name!r} is no measure of sets ({', '.join(_MEASURES)}), and {problem}"
        ) from None


def _greater_is_better(metric: Callable[..., float]) -> bool:
    if isinstance(metric, SetScore):
        return metric.greater_is_better
    if metric not in _MEASURES.values():
        return bool(getattr(metric, "greater_is_better", True))
    name = metric.__name__
    score = SET_SCORES.get(name)
    return name not in _LOWER_IS_BETTER if score is None else score.greater_is_better
