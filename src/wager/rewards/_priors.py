"""Priors: the class probabilities known before an instance is seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._tables import (
    encode_labels,
    format_labels,
    in_order_of,
    named_values,
    real_number,
    real_numbers,
    require_sorted,
)
from wager._typing import Array, ArrayLike, Floats
from wager._visible import brief
from wager.predictions import SUM_TOLERANCE

_LEAST = 1e-300  # of a prior, whose reciprocal is finite


def prior_from_counts(counts: ArrayLike, start: float = 0.5) -> Floats:
    """A prior from the class counts of a training set, positive for every class.

    Every count starts at ``start`` (Hope & Korb, 2004, footnote 3), so that a class that never
    occurs has a positive prior: ``(count + start) / (N + start * K)``.

    Parameters
    ----------
    counts : array-like of shape (n_classes,)
        Rows of each class in the *training* set; test frequencies would leak information.  Those of
        a mapping or a Series are taken in the sorted order of the classes.
    start : float, default=0.5
        The start of each count; 1 is Laplace's rule, which Weka uses.

    Examples
    --------
    >>> prior_from_counts([3, 7])
    array([0.31818182, 0.68181818])
    """
    named = named_values(counts, "counts")
    if named is not None:  # the prior has no names, so that it stands for the sorted classes
        counts = in_order_of(
            encode_labels(list(named), name="counts")[1].tolist(), counts, "counts", "classes"
        )
    number = real_numbers(counts, "counts")
    if number.ndim != 1 or not number.size:
        raise ValueError(f"counts must have one number per class, got the shape {number.shape}")
    bad = ~(np.isfinite(number) & (number >= 0))
    if bad.any():
        column = int(bad.argmax())
        raise ValueError(
            f"counts must be finite and not negative, got {number[column]:g} for class {column}"
        )
    if not (np.isfinite(real_number(start, "start")) and start >= 0):
        raise ValueError(f"start must be finite and not negative, got {brief(start)}")
    started = number + start
    if not started.any():
        raise ValueError("every count is 0: pass counts of at least one row, or a positive start")
    return started / started.sum()


def prior_from_labels(y: ArrayLike, classes: ArrayLike | None = None, start: float = 0.5) -> Floats:
    """A prior from the labels of a training set; each count starts at ``start``.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels of the training set.
    classes : array-like of shape (n_classes,), optional
        All classes, in the order of the columns of probabilities; by default the sorted labels.
    start : float, default=0.5
        The start of each count.

    Examples
    --------
    >>> prior_from_labels(["a", "b", "a"], classes=["a", "b", "c"]).round(3)
    array([0.556, 0.333, 0.111])
    """
    codes, known = encode_labels(y, classes, name="y")
    return prior_from_counts(np.bincount(codes, minlength=len(known)), start)


def prior_over(prior: Any, classes: Array, *, declared: bool) -> Floats:
    """The prior of each class, in their order; None is the uniform prior.

    Parameters
    ----------
    prior : array-like, mapping of class to probability, or pandas Series; optional
        A mapping or a Series is matched by name.  Numbers without names have the order of the
        classes.
    classes : array of shape (K,)
        The classes of the columns of probabilities.
    declared : bool
        Whether the user gave the classes in this order.  Otherwise numbers without names stand for
        the sorted classes, and another order is an error.

    Examples
    --------
    >>> prior_over({"a": 0.25, "b": 0.75}, np.array(["b", "a"]), declared=False).tolist()
    [0.75, 0.25]
    """
    named = named_values(prior, "prior")
    if named is not None:
        if named.keys() != set(classes.tolist()):
            raise ValueError(
                f"the prior is for the classes {format_labels(np.array(list(named)))} but the "
                f"probabilities are for {format_labels(classes)}: give both the same classes"
            )
        prior = [named[label] for label in classes.tolist()]
    elif prior is not None and not declared:
        require_sorted(classes, "prior", "the columns of proba")
    return check_prior(prior, len(classes))


def check_prior(prior: ArrayLike | None, n_classes: int) -> Floats:
    """The prior, if all its probabilities are positive and sum to 1; None is the uniform prior."""
    if n_classes < 2:
        raise ValueError("information rewards need at least two classes, got one column")
    if prior is None:
        return np.full(n_classes, 1 / n_classes)
    given = real_numbers(prior, "prior").copy()  # results keep it
    if given.shape != (n_classes,):
        raise ValueError(
            f"prior must have one probability for each of the {n_classes} classes, got the shape "
            f"{given.shape}"
        )
    outside = ~((given >= _LEAST) & (given < 1))
    if outside.any():
        column = int(outside.argmax())
        raise ValueError(
            f"every prior must lie strictly between 0 and 1, got {given[column]:g} for class "
            f"{column}, and be at least {_LEAST:g}: use prior_from_counts with a positive start"
        )
    if abs(given.sum() - 1) > SUM_TOLERANCE:
        raise ValueError(f"the prior must sum to 1, got the sum {given.sum():.10g}")
    return given
