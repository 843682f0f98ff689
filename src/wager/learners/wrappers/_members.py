"""The members of a fitted scikit-learn ensemble, and the predictions of each of them.

Ensembles differ in what they pass to their members: bagging gives each of them its own columns;
forests and bagging number the classes 0, 1, ..., voting and boosting may not; and a member that was
not trained on a class has no column for it.  Here every prediction has one column per class of the
ensemble.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_array

from wager._typing import Array, Floats, Ints

__all__ = ["Members"]


@dataclass(frozen=True)
class Members:
    """Fitted classifiers for the same classes, or for some of them.

    Parameters
    ----------
    estimators : tuple
        The fitted members.
    columns : tuple
        The features that each of them uses; None for all.
    places : tuple of ndarray
        The positions of each member's classes among those of the ensemble.
    n_classes : int
        The number of classes of the ensemble.
    """

    estimators: tuple[Any, ...]
    columns: tuple[Ints | None, ...]
    places: tuple[Ints, ...]
    n_classes: int

    @classmethod
    def of(cls, ensemble: Any) -> Members:
        """The members of a fitted ensemble; an error if it has none that know all classes."""
        from sklearn.ensemble import BaggingClassifier
        from sklearn.ensemble._forest import ForestClassifier
        from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier

        name = type(ensemble).__name__
        found = getattr(ensemble, "estimators_", getattr(ensemble, "calibrated_classifiers_", None))
        if hasattr(ensemble, "tree_"):  # a single tree is a forest of one
            found = [ensemble]
        in_parts = OneVsRestClassifier | OneVsOneClassifier | OutputCodeClassifier
        if found is None or not len(found) or isinstance(ensemble, in_parts):
            raise ValueError(
                f"{name} has no members that each distinguish all classes: use an ensemble such as "
                "BaggingClassifier, RandomForestClassifier or VotingClassifier"
            )
        estimators = tuple(np.ravel(np.array(found, dtype=object)))
        for member in estimators:
            if not hasattr(member, "predict_proba"):
                raise ValueError(
                    f"{type(member).__name__}, a member of {name}, has no predict_proba: use "
                    "members that give probabilities"
                )
        features = getattr(ensemble, "estimators_features_", [None] * len(estimators))
        numbered = isinstance(ensemble, BaggingClassifier | ForestClassifier)
        classes = np.asarray(ensemble.classes_)
        places = tuple(_places(_classes_of(member), classes, numbered) for member in estimators)
        return cls(estimators, tuple(features), places, len(classes))

    def __len__(self) -> int:
        return len(self.estimators)

    def read(self, X: Any) -> Any:
        """The table for the members: unchanged if they know its columns by name, else an array."""
        if any(hasattr(member, "feature_names_in_") for member in self.estimators):
            return X
        return check_array(X, accept_sparse="csr", dtype=None, ensure_all_finite=False)

    def proba(self, table: Any) -> Iterator[Floats]:
        """The probabilities of each member, (n, K); 0 for a class that it was not trained on."""
        for i, member in enumerate(self.estimators):
            yield self._spread(member.predict_proba(self._input_of(table, i)), i)

    def leaf_counts(self, table: Any) -> Iterator[Floats]:
        """For trees: the (weighted) number of training rows per class in the leaf of each row."""
        for i, member in enumerate(self.estimators):
            if not hasattr(member, "tree_"):
                raise ValueError(
                    "envelope='idm' counts training rows in the leaves of trees, but a member is "
                    f"a {type(member).__name__}: choose another envelope, or use a forest"
                )
            share, rows = member.tree_.value[:, 0, :], member.tree_.weighted_n_node_samples
            counts = share / share.sum(axis=1, keepdims=True) * rows[:, None]
            yield self._spread(counts[member.apply(self._input_of(table, i))], i)

    def _input_of(self, table: Any, i: int) -> Any:
        columns = self.columns[i]
        return table if columns is None else table[:, columns]

    def _spread(self, values: Floats, i: int) -> Floats:
        if len(self.places[i]) == self.n_classes and (np.diff(self.places[i]) == 1).all():
            return values
        full = np.zeros((len(values), self.n_classes))
        full[:, self.places[i]] = values
        return full


def _classes_of(member: Any) -> Array:
    return np.asarray(member.classes_ if hasattr(member, "classes_") else member.classes)


def _places(own: Array, classes: Array, numbered: bool) -> Ints:
    """The positions of a member's classes, which are labels or the numbers 0, 1, ... of labels."""
    if not numbered and np.isin(own, classes).all():
        return np.searchsorted(classes, own)
    return own.astype(np.intp)
