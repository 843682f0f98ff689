"""Helpers for classifiers that wrap another one: its classes, its tags, and the table it is given.

The wrapped estimator checks its input itself.  The wrapper takes over its classes and features, so
that it can replace it in pipelines and searches.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import get_tags

from wager._visible import brief

__all__ = ["adopt", "inner_tags", "innermost", "input_of_innermost", "new_copy", "routed"]


def new_copy(estimator: Any) -> Any:
    """A clone of the estimator, to be fitted; anything else than a classifier is refused."""
    if not hasattr(estimator, "fit"):
        raise TypeError(f"estimator must be a classifier, got {brief(estimator)}")
    return clone(estimator)


def adopt(wrapper: Any, fitted: Any) -> None:
    """Take over the classes and the features of the fitted estimator."""
    if isinstance(fitted.classes_, list):
        raise ValueError(
            f"{type(wrapper).__name__} predicts one set of classes per row, but y has "
            f"{len(fitted.classes_)} columns: fit one wrapper for each of them"
        )
    wrapper.classes_ = np.asarray(fitted.classes_)
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(fitted, name):
            setattr(wrapper, name, getattr(fitted, name))


def innermost(estimator: Any) -> Any:
    """The estimator that predicts: the last step of a pipeline, the best of a search, ...

    The containers of scikit-learn pass on the methods that they know; ``predict_set`` and
    ``predict_credal`` are not among them.
    """
    return _layers(estimator)[1]


def input_of_innermost(estimator: Any, X: Any) -> Any:
    """The table that the innermost estimator gets, transformed by the steps of a pipeline."""
    for step in _layers(estimator)[0]:
        X = step.transform(X)
    return X


def _layers(estimator: Any) -> tuple[list[Any], Any]:
    """The transformers in order, and the estimator behind them."""
    if isinstance(estimator, FrozenEstimator):
        return _layers(estimator.estimator)
    if hasattr(estimator, "best_estimator_"):
        return _layers(estimator.best_estimator_)
    if not hasattr(estimator, "steps"):
        return [], estimator
    front = [step for _, step in estimator.steps[:-1] if step not in (None, "passthrough")]
    behind, last = _layers(estimator.steps[-1][1])
    return front + behind, last


def inner_tags(tags: Any, estimator: Any) -> Any:
    """The tags of a wrapper: it accepts the same input as the estimator, and is as accurate."""
    inner = get_tags(estimator)
    tags.input_tags = inner.input_tags
    tags.non_deterministic = inner.non_deterministic
    if inner.classifier_tags is not None:
        tags.classifier_tags = inner.classifier_tags
        tags.classifier_tags.multi_label = False
    return tags


def routed(wrapper: Any) -> Any:
    """What the wrapper and its estimator ask for, as scikit-learn's ``MetadataRouter``."""
    from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

    to_fit = MethodMapping().add(caller="fit", callee="fit")
    own = MetadataRouter(owner=wrapper).add_self_request(wrapper)
    return own.add(estimator=wrapper.estimator, method_mapping=to_fit)
