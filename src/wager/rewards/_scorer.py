"""Measures of sets as scikit-learn scorers, for every estimator that `predict_set` reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from inspect import Parameter, signature
from typing import Any

import numpy as np

from wager._tables import View, Viewed, check_classes, is_frame, order_of
from wager._typing import ArrayLike
from wager._visible import brief, reason
from wager.predictions import classes_of, knows_some, predict_set
from wager.rewards._measure import Measure
from wager.rewards._metrics import utility_discounted_accuracy
from wager.rewards._registry import MEASURES, load_measure, measure_of
from wager.rewards._scores import SetScore
from wager.rewards._utility_names import get_utility


def _probabilities(estimator: Any, X: Any, classes: ArrayLike | None) -> Any:
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"{type(estimator).__name__} has no predict_proba, which this measure needs: pass an "
            "estimator that has it"
        )
    proba, own = estimator.predict_proba(X), classes_of(estimator)
    known = None if classes is None else check_classes(classes)
    if own is None or known is None or not knows_some(own, known) or is_frame(proba):
        return proba
    return np.asarray(proba)[:, order_of(own, known, "the probabilities", "scorer")]


# Arguments of measures that the scorer itself takes from the rows that it scores.
FROM_ROWS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "X": lambda _, X, __: X,
    "scores": _probabilities,
}


@dataclass(frozen=True, repr=False)
class SetScorer(Viewed):
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
    level : float, optional
        The confidence level of the sets, as in `predict_set`.
    from_rows : tuple of str, optional
        Arguments of the metric that depend on the rows: ``"X"``, and ``"scores"``, the estimator's
        probabilities.
    weight_request : bool or str, optional
        What `set_score_request` says about ``sample_weight``, if scikit-learn routes metadata.
    """

    metric: SetScore | Callable[..., float]
    sign: int = 1
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    needs_truth: bool = True
    level: float | None = None
    from_rows: tuple[str, ...] = ()
    weight_request: bool | str | None = None

    def __call__(
        self, estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """The measure of the estimator's sets on (X, y), negated if smaller is better."""
        classes = self.kwargs.get("classes")
        sets = predict_set(estimator, X, level=self.level, classes=classes)
        metric = self.metric.metric if isinstance(self.metric, SetScore) else self.metric
        given = (y, sets) if self.needs_truth else (sets,)
        options = dict(self.kwargs) | {
            name: FROM_ROWS[name](estimator, X, classes) for name in self.from_rows
        }
        if classes is None:
            options["classes"] = classes_of(estimator)
        if sample_weight is not None:
            options["sample_weight"] = sample_weight
        return self.sign * metric(*given, **options)

    def set_score_request(self, *, sample_weight: bool | str | None) -> SetScorer:
        """A scorer that asks for weights, where scikit-learn routes metadata.

        Parameters
        ----------
        sample_weight : bool, str or None
            True if the scores are weighted, False if they are not, or the name by which the weights
            are passed; with None, weights that are passed are an error.

        Examples
        --------
        >>> make_set_scorer("u65").set_score_request(sample_weight=True).weight_request
        True
        """
        return replace(self, weight_request=sample_weight)

    def get_metadata_routing(self) -> Any:
        """What the scorer asks for, as scikit-learn's ``MetadataRequest``."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        if self._accept_sample_weight():
            request.score.add_request(param="sample_weight", alias=self.weight_request)
        return request

    def _accept_sample_weight(self) -> bool:
        """Whether the measure can be weighted; scikit-learn asks scorers by this name."""
        function = self.metric.metric if isinstance(self.metric, SetScore) else self.metric
        taken = signature(function).parameters
        open_ended = any(p.kind is Parameter.VAR_KEYWORD for p in taken.values())
        return open_ended or "sample_weight" in taken

    def _view(self) -> View:
        function = self.metric
        name = (
            function.name
            if isinstance(function, SetScore)
            else getattr(function, "__name__", function)
        )
        given = self.kwargs if self.level is None else {**self.kwargs, "level": self.level}
        options = "".join(f", {key}={value!r}" for key, value in given.items())
        return View(verdict=[f"make_set_scorer({name}{options})"])


def make_set_scorer(
    metric: str | SetScore | Callable[..., float],
    *,
    greater_is_better: bool | None = None,
    level: float | None = None,
    **kwargs: Any,
) -> SetScorer:
    """A scorer for `cross_validate`, `cross_val_score` and `GridSearchCV`.

    It scores every estimator that `predict_set` reads: set-valued ones of wager, MAPIE, crepes and
    others, plain classifiers, and pipelines and searches around them.

    Parameters
    ----------
    metric : str, callable or SetScore
        A measure of sets or its name (``"coverage"``, or ``"average_cost"`` with ``costs=``, which
        are extended to sets by the p-discounted rule if they are costs of single classes), a
        utility (``"u65"``), a `SetScore`, or any function of ``(y_true, y_pred, *, classes)``.
    greater_is_better : bool, optional
        Whether larger values are better; by default as registered for the measure, and True for
        other functions.  If smaller values are better the score is negated, as in scikit-learn.
    level : float, optional
        The confidence level of the sets, for estimators that offer several or return p-values.
    **kwargs
        Further arguments of the measure, such as ``utility="u80"`` or ``alpha=0.1``.  Features
        (``X``) and probabilities (``scores``) of measures that need them are those of the rows that
        are scored.

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
    from_rows: tuple[str, ...] = ()
    if record is not None and not isinstance(record, SetScore):
        from_rows = _check_arguments(record, kwargs)
        if record.kind == "costs" and not hasattr(kwargs["costs"], "rule"):
            kwargs = {"rule": "p-discounted", **kwargs}  # sets need costs as well
    sign = 1 if greater_is_better else -1
    return SetScorer(metric, sign, kwargs, needs_truth, level, from_rows)


def _check_arguments(record: Measure, kwargs: Mapping[str, Any]) -> tuple[str, ...]:
    """Refuse missing and unknown arguments of a measure now instead of in a worker process.

    Returned are the arguments that the scorer takes from the rows.
    """
    assert record.function is not None
    taken = dict(signature(record.function).parameters)
    for name in list(taken)[: 2 if record.needs_truth else 1]:
        del taken[name]  # the predictions
    from_rows = tuple(name for name in taken if name in FROM_ROWS and name not in kwargs)
    open_ended = any(p.kind is Parameter.VAR_KEYWORD for p in taken.values())
    for name, parameter in taken.items():
        needed = parameter.default is Parameter.empty
        given = name in kwargs or name in from_rows
        if needed and parameter.kind is not Parameter.VAR_KEYWORD and not given:
            raise ValueError(
                f"{record.name} needs {name}=: pass make_set_scorer({record.name!r}, {name}=...)"
            )
    for name in kwargs:
        if name not in taken and not open_ended:
            raise ValueError(
                f"{record.name} has no argument {brief(name)}: it takes {', '.join(taken)}"
            )
    return from_rows


def _by_name(
    name: str, kwargs: dict[str, Any]
) -> tuple[SetScore | Callable[..., float], dict[str, Any]]:
    """The measure of that name and its arguments; the name of a utility is an argument."""
    measure = load_measure(name)
    if measure is not None and _can_score(measure):
        assert measure.function is not None
        return (measure if isinstance(measure, SetScore) else measure.function), kwargs
    try:
        get_utility(name)  # report an unknown name now instead of in a worker process
    except ValueError as problem:
        known = ", ".join(n for n, m in MEASURES.items() if _can_score(m) and m.kind == "sets")
        raise ValueError(
            f"metric is not a measure of sets ({known}, average_cost), and {reason(problem)}"
        ) from None
    return utility_discounted_accuracy, {"utility": name} | kwargs


def _can_score(measure: Measure) -> bool:
    """Whether it is a number, computed from sets, by which classifiers can be ranked."""
    is_computed = measure.kind in ("sets", "costs") and measure.function is not None
    return is_computed and measure.greater_is_better is not None
