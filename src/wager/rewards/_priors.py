"""Priors: what a bettor knew before seeing the instance, against which information is counted."""

from __future__ import annotations

import numpy as np

from wager._typing import ArrayLike, Floats
from wager.predictions import encode_labels

SUM_TOLERANCE = 1e-6


def prior_from_counts(counts: ArrayLike, start: float = 0.5) -> Floats:
    """Turn class counts of the training set into a prior that no class is left out of.

    Every count begins at ``start`` (Hope & Korb, 2004, footnote 3), so that a class that was never
    seen keeps a positive prior: ``(count + start) / (N + start * K)``.

    Parameters
    ----------
    counts : array-like of shape (n_classes,)
        Rows of each class in the *training* set; test frequencies would leak the answer.
    start : float, default=0.5
        What each count begins with; 1 is Laplace's rule, which Weka's scores use.

    Examples
    --------
    >>> prior_from_counts([3, 7])
    array([0.31818182, 0.68181818])
    """
    number = np.asarray(counts, dtype=np.float64)
    if number.ndim != 1 or not number.size:
        raise ValueError(f"counts must hold one number a class, got the shape {number.shape}")
    bad = ~(np.isfinite(number) & (number >= 0))
    if bad.any():
        column = int(bad.argmax())
        raise ValueError(
            f"counts must be finite and not negative, got {number[column]:g} for class {column}"
        )
    if not (np.isfinite(start) and start >= 0):
        raise ValueError(f"start must be finite and not negative, got {start!r}")
    started = number + start
    if not started.any():
        raise ValueError("every count is 0: give counts of at least one row, or a positive start")
    return started / started.sum()


def prior_from_labels(y: ArrayLike, classes: ArrayLike | None = None, start: float = 0.5) -> Floats:
    """The prior that the labels of a training set suggest, counts started at ``start``.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels of the training set.
    classes : array-like of shape (n_classes,), optional
        All classes, in the order of the probabilities' columns; without it the sorted labels.
    start : float, default=0.5
        What each count begins with.

    Examples
    --------
    >>> prior_from_labels(["a", "b", "a"], classes=["a", "b", "c"]).round(3)
    array([0.556, 0.333, 0.111])
    """
    codes, known = encode_labels(y, classes, name="y")
    return prior_from_counts(np.bincount(codes, minlength=len(known)), start)


def check_prior(prior: ArrayLike | None, n_classes: int) -> Floats:
    """A prior strictly inside the simplex; None is the uniform one."""
    if n_classes < 2:
        raise ValueError("a reward for information needs at least two classes, got one column")
    if prior is None:
        return np.full(n_classes, 1 / n_classes)
    given = np.asarray(prior, dtype=np.float64)
    if given.shape != (n_classes,):
        raise ValueError(
            f"prior must hold one probability for each of the {n_classes} classes, got the shape "
            f"{given.shape}"
        )
    outside = ~((given > 0) & (given < 1))
    if outside.any():
        column = int(outside.argmax())
        raise ValueError(
            f"every prior must lie strictly between 0 and 1, got {given[column]:g} for class "
            f"{column}: count from a positive start, as prior_from_counts does"
        )
    if abs(given.sum() - 1) > SUM_TOLERANCE:
        raise ValueError(f"the prior must sum to 1, got the sum {given.sum():.10g}")
    return given
