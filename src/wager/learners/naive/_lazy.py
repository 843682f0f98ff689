"""The lazy naive credal classifier: naive credal dominance among a row's neighbours.

Corani & Zaffalon (2009).  Close to the row to classify the features are nearly independent given
the class, as the model assumes; so only the nearest training rows are counted, and as many of them
as it takes to settle on one class.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._typing import ArrayLike, Bools, Floats, Ints
from wager.learners._base import CategoricalClassifier, normalise_logs
from wager.learners._set_valued import SetValuedMixin
from wager.learners._threads import in_threads, number_of_threads
from wager.learners.naive._intervals import posterior_intervals
from wager.predictions import ProbabilityIntervals

__all__ = ["LazyNaiveCredal"]

LEAST_STRENGTH = 1e-9  # stands for s = 0 where a distribution is asked for
BLOCK = 1 << 20  # counts that the neighbourhoods of a block of rows may take


class LazyNaiveCredal(SetValuedMixin, CategoricalClassifier):
    """Ask the naive credal classifier about the nearest rows, and about more until it is sure.

    Parameters
    ----------
    s : float, default=1.0
        Strength of the imprecise Dirichlet model: how many rows the prior is worth.
    k : int, default=25
        Size of the first neighbourhood; rows as far as its last one join it.
    step : int, default=20
        How many rows more are taken, with those as far as the last, while several classes remain.
    max_tries : int, default=50
        Number of neighbourhoods after which the set stays as it is.
    published : bool, default=False
        Leave the farthest training row out of every neighbourhood that reaches so far, as the
        program behind the published tables does (Zaffalon, Corani & Mauá, 2012).
    n_jobs : int, optional
        Number of threads; one by default, -1 for all processors.
    classes, n_values, empty_classes
        What is declared, as for ``NaiveBayes``.

    Attributes
    ----------
    classes_ : ndarray
        The columns of ``predict_set``, in order.

    Notes
    -----
    The distance of two rows is the number of features in which they differ; a value that is missing
    in either counts as different.  ``predict_proba`` is the posterior under the Perks prior within
    the last neighbourhood, ``predict_credal`` bounds the posterior there, and ``predict`` names the
    most probable class of the set.

    References
    ----------
    Corani, G. & Zaffalon, M. (2009). Lazy naive credal classifier. KDD Workshop on Knowledge
    Discovery from Uncertain Data.

    Examples
    --------
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]] * 3, [0, 1, 1, 0] * 3
    >>> model = LazyNaiveCredal(k=2).fit(X, y)  # naive Bayes cannot learn this
    >>> model.predict_set([[0, 0], [0, 1]]).tolist()
    [[True, False], [False, True]]
    """

    def __init__(
        self,
        s: float = 1.0,
        k: int = 25,
        step: int = 20,
        max_tries: int = 50,
        *,
        published: bool = False,
        n_jobs: int | None = None,
        classes: ArrayLike | None = None,
        n_values: ArrayLike | None = None,
        empty_classes: str = "keep",
    ):
        self.s = s
        self.k = k
        self.step = step
        self.max_tries = max_tries
        self.published = published
        self.n_jobs = n_jobs
        self.classes = classes
        self.n_values = n_values
        self.empty_classes = empty_classes

    def _learn(self, codes: Ints, y: Ints) -> None:
        self._check_arguments()
        # one code more than there are values, and one for missing
        kind = np.min_scalar_type(int(self.n_values_.max(initial=1)) + 1)
        self._missing = int(np.iinfo(kind).max)
        self._rows = np.where(codes < 0, self._missing, codes).astype(kind)
        self._y = y.astype(np.int32)

    def predict_set(self, X: Any) -> Bools:
        """The classes left in the last neighbourhood of each row, columns as ``classes_``."""
        codes = self._codes(X)
        kept = np.empty((len(codes), len(self.classes_)), dtype=bool)
        for block, found in self._neighbourhoods(codes):
            kept[block] = found.kept
        return kept

    def predict_credal(self, X: Any) -> ProbabilityIntervals:
        """Posterior probability intervals within the last neighbourhood, an outer bound."""
        codes = self._codes(X)
        lower, upper = np.empty((2, len(codes), len(self.classes_)))
        for block, found in self._neighbourhoods(codes):
            lower[block], upper[block] = found.intervals(codes[block] >= 0, float(self.s))
        return ProbabilityIntervals(lower, upper, self.classes_).tighten()

    def predict_proba(self, X: Any) -> Floats:
        """The posterior under the Perks prior within the last neighbourhood."""
        codes = self._codes(X)
        proba = np.empty((len(codes), len(self.classes_)))
        for block, found in self._neighbourhoods(codes):
            s = max(float(self.s), LEAST_STRENGTH)
            proba[block] = found.centre(codes[block] >= 0, s, self.n_values_)
        return proba

    def _neighbourhoods(self, codes: Ints) -> Iterator[tuple[slice, Neighbourhoods]]:
        """The last neighbourhood of each row, block by block, several at a time."""
        n, m = codes.shape
        room = max(1, BLOCK // (max(1, m) * len(self.classes_)))
        step = max(1, min(room, -(-n // number_of_threads(self.n_jobs))))
        blocks = [slice(at, min(at + step, n)) for at in range(0, n, step)]
        columns = np.ascontiguousarray(self._rows.T)
        found = in_threads(lambda at: self._look_around(codes[at], columns), blocks, self.n_jobs)
        yield from zip(blocks, found, strict=True)

    def _look_around(self, codes: Ints, columns: Ints) -> Neighbourhoods:
        from wager.learners.naive._lazy_kernel import classify

        (n, m), K = codes.shape, len(self.classes_)
        found = Neighbourhoods(
            np.empty((n, K), np.bool_),
            np.empty(n, np.int64),
            np.zeros((n, m, K), np.int32),
            np.zeros((n, m, K), np.int32),
            np.zeros((n, K), np.int32),
        )
        known = codes >= 0
        classify(
            self._rows, columns, self._y, np.where(known, codes, 0).astype(self._rows.dtype), known,
            self._missing, float(self.s), int(self.k), int(self.step), int(self.max_tries),
            bool(self.published), np.empty(len(self._rows), np.min_scalar_type(m)),
            found.kept, found.sizes, found.n_value, found.n_known, found.n_class,
        )  # fmt: skip
        return found

    def _check_arguments(self) -> None:
        if not 0 <= self.s < np.inf:
            raise ValueError(f"s must be a number of rows, 0 or more, got {self.s!r}")
        for name in ("k", "step", "max_tries"):
            value = getattr(self, name)
            if not (value == int(value) and value >= 1):
                raise ValueError(f"{name} must be a whole number, 1 or more, got {value!r}")


@dataclass(frozen=True)
class Neighbourhoods:
    """What the last neighbourhood of each row holds."""

    kept: Bools  # (rows, K): the undominated classes
    sizes: Ints  # (rows,)
    n_value: Ints  # (rows, m, K): training rows of class c with the value of the row in feature j
    n_known: Ints  # (rows, m, K): those in which feature j is not missing
    n_class: Ints  # (rows, K)

    def centre(self, known: Bools, s: float, n_values: Ints) -> Floats:
        """The posterior under the Perks prior of weight s."""
        K = self.kept.shape[1]
        share = s / (K * n_values[:, None])
        terms = np.log((self.n_value + share) / (self.n_known + s / K))
        logs = np.log(self.n_class + s / K) + np.where(known[:, :, None], terms, 0.0).sum(axis=1)
        return normalise_logs(logs)

    def intervals(self, known: Bools, s: float) -> tuple[Floats, Floats]:
        """Lower and upper posterior probabilities, each conditional with a model of its own."""
        total = np.maximum(self.n_known + s, np.finfo(float).tiny)
        empty = self.n_known + s <= 0  # without a row and without strength nothing is known
        with np.errstate(divide="ignore"):
            low = np.log(self.n_value / total)
            high = np.log(np.where(empty, 1.0, (self.n_value + s) / total))
        low, high = (np.where(known[:, :, None], logs, 0.0).sum(axis=1) for logs in (low, high))
        return posterior_intervals(low, high, self.n_class.astype(float), s)
