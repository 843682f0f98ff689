"""The members of a fitted scikit-learn ensemble, asked one by one for what they think.

Ensembles differ in what they hand to their members: bagging gives each its own columns, forests
and bagging number the classes 0, 1, ..., voting and boosting may not, and a member that never met a
class has no column for it.  Here every answer has one column a class of the ensemble.
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
    """Fitted classifiers over (some of) the same classes.

    Parameters
    ----------
    estimators : tuple
        The fitted members.
    columns : tuple
        The features that each of them sees; None for all.
    places : tuple of ndarray
        Where the classes of each member stand among those of the ensemble.
    n_classes : int
        The number of classes of the ensemble.
    """

    estimators: tuple[Any, ...]
    columns: tuple[Ints | None, ...]
    places: tuple[Ints, ...]
    n_classes: int

    @classmethod
    def of(cls, ensemble: Any) -> Members:
        """The members of a fitted ensemble; one sentence where it has none that vote."""
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
                f"{name} has no members that each tell all the classes apart: use an ensemble as "
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
        """The table as the members take it: as it is where they know its columns by name."""
        if any(hasattr(member, "feature_names_in_") for member in self.estimators):
            return X
        return check_array(X, accept_sparse="csr", dtype=None, ensure_all_finite=False)

    def proba(self, table: Any) -> Iterator[Floats]:
        """What each member says, (n, K); 0 for a class that it never met."""
        for i, member in enumerate(self.estimators):
            yield self._spread(member.predict_proba(self._seen(table, i)), i)

    def leaf_counts(self, table: Any) -> Iterator[Floats]:
        """For members that are trees: the (weighted) rows of each class in the leaf of each row."""
        for i, member in enumerate(self.estimators):
            if not hasattr(member, "tree_"):
                raise ValueError(
                    f"envelope='idm' counts rows in the leaves of trees, but a member is a "
                    f"{type(member).__name__}: take another envelope, or a forest"
                )
            share, rows = member.tree_.value[:, 0, :], member.tree_.weighted_n_node_samples
            counts = share / share.sum(axis=1, keepdims=True) * rows[:, None]
            yield self._spread(counts[member.apply(self._seen(table, i))], i)

    def _seen(self, table: Any, i: int) -> Any:
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
    """Where a member's classes stand: they are labels, or numbers 0, 1, ... of labels."""
    if not numbered and np.isin(own, classes).all():
        return np.searchsorted(classes, own)
    return own.astype(np.intp)
