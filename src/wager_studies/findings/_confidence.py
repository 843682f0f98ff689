"""Classifiers whose probabilities are a confidence score: the larger, the surer the prediction.

A score of any scale is turned into a probability of the predicted class by an increasing function,
and the other classes share the rest.  So the probabilities rank the rows as the score does.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier

from wager._typing import Array, Floats
from wager.learners import CredalTree, EnsembleCredal, NaiveCredal

__all__ = ["PAIRS", "SCORES", "RankedBy"]

TREES = 20

# The model and what ranks its predictions; "+" breaks ties by the probability of the class.
SCORES: dict[str, tuple[str, str]] = {
    "NBC probability": ("bayes", "probability"),
    "NBC lead": ("bayes", "lead"),
    "NCC robustness": ("bayes", "robustness"),
    "NCC robustness+": ("bayes", "robustness+"),
    "local robustness+": ("local", "robustness+"),
    "tree probability": ("tree", "probability"),
    "tree robustness+": ("tree", "robustness+"),
    "forest probability": ("forest", "probability"),
    "forest robustness+": ("forest", "robustness+"),
}
PAIRS = [
    ("NCC robustness", "NBC probability"),
    ("NCC robustness+", "NBC probability"),
    ("local robustness+", "NBC probability"),
    ("NBC lead", "NBC probability"),
    ("tree robustness+", "tree probability"),
    ("forest robustness+", "forest probability"),
]


class RankedBy(ClassifierMixin, BaseEstimator):
    """The most probable class of a model, with a confidence score in place of its probability.

    Parameters
    ----------
    model : {"bayes", "local", "tree", "forest"}
        Naive Bayes under the Perks prior with the robustness of the naive credal classifier
        (global or local), a credal tree, or a random forest with the intervals of its leaves.
    score : {"probability", "lead", "robustness", "robustness+"}
        The probability of the class, its lead over the second class, or its robustness;
        "robustness+" breaks ties by the probability.
    classes, n_values, random_state
        Passed on to the model.
    """

    def __init__(
        self,
        model: str = "bayes",
        score: str = "probability",
        classes: Any = None,
        n_values: Any = None,
        random_state: Any = 0,
    ):
        self.model = model
        self.score = score
        self.classes = classes
        self.n_values = n_values
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the model."""
        declared = {"classes": self.classes, "n_values": self.n_values}
        if self.model == "tree":
            self.model_: Any = CredalTree(**declared)
        elif self.model == "forest":
            forest = RandomForestClassifier(TREES, random_state=self.random_state)
            self.model_ = EnsembleCredal(forest, "idm")
        else:
            idm = "local" if self.model == "local" else "global"
            self.model_ = NaiveCredal(idm=idm, **declared)
        self.model_.fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X: Any) -> Floats:
        """The confidence in the most probable class, and the rest shared by the other classes."""
        proba = self.model_.predict_proba(X)
        ranked = np.sort(proba, axis=1)
        if self.score == "probability":
            score = ranked[:, -1]
        elif self.score == "lead":
            score = ranked[:, -1] - (ranked[:, -2] if proba.shape[1] > 1 else 0.0)
        else:
            robust = self.model_.robustness(X)
            score = np.where(np.isinf(robust), 1.0, robust / (1 + robust))
            if self.score == "robustness+":
                score = _ties_by(score, ranked[:, -1])
        return _spread(proba.argmax(axis=1), score, proba.shape[1])

    def predict(self, X: Any) -> Array:
        """The most probable class of the model."""
        return self.classes_[self.model_.predict_proba(X).argmax(axis=1)]


def _ties_by(score: Floats, other: Floats) -> Floats:
    """A score in [0, 1] whose ties are broken by another one in [0, 1].

    Scores that differ by less than a millionth are tied.
    """
    return (np.round(score, 6) + 1e-7 * other) / (1 + 1e-7)


def _spread(best: Any, score: Floats, n_classes: int) -> Floats:
    least = 1 / n_classes
    top = least + (1 - least) * (0.01 + 0.99 * score)  # the predicted class is ahead in any case
    rest = (1 - top) / max(n_classes - 1, 1)
    proba = np.repeat(rest[:, None], n_classes, axis=1)
    proba[np.arange(len(best)), best] = top
    return proba / proba.sum(axis=1, keepdims=True)
