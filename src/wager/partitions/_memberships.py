"""Membership values from scores of any kind: not negative, summing to 1, in the same order."""

from __future__ import annotations

from typing import Literal

import numpy as np

from wager._tables import is_one_of, real_number, require_sorted
from wager._typing import ArrayLike, Floats
from wager._visible import brief
from wager.predictions import as_real_matrix, columns_by_name

Kind = Literal["softmax", "shift", "rank"]
_LARGE = 2.0**960  # scores from which sums are taken of smaller numbers
_SMALLER = 2.0**-64
_ROUNDING = 2.0**-50  # relative: scores that differ by less have the same rank


def to_memberships(
    scores: ArrayLike,
    kind: Kind = "softmax",
    *,
    sharpness: float = 1.0,
    zero: float | None = None,
) -> Floats:
    """Turn scores that are not probabilities into membership values.

    The three methods keep the order of the classes in every row, which is all that the regions of
    a standardized partition depend on (Sondhauss & Weihs, 2001, end of Sec. 2).

    Parameters
    ----------
    scores : array-like of shape (n_rows, n_classes)
        Higher means more of that class: decision values, votes, log-likelihoods.
    kind : {"softmax", "shift", "rank"}, default="softmax"
        ``"softmax"``: exp(sharpness * score), divided by the sum of the row.
        ``"shift"``: score minus the zero point, divided by the sum of the row; for scores with a
        lowest possible value.  A row of zeros becomes a row of equal values.
        ``"rank"``: ranks within the row (1 = lowest, ties averaged) divided by G(G+1)/2; for scores
        whose differences have no meaning.
    sharpness : float, default=1
        Positive factor of the scores in ``"softmax"``.
    zero : float, optional
        The zero point of ``"shift"``; by default the smallest score of the matrix.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)

    Examples
    --------
    >>> to_memberships([[2.0, -1.0, 0.5]], kind="rank").round(3)
    array([[0.5  , 0.167, 0.333]])
    >>> to_memberships([[3.0, 1.0], [1.0, 2.0]], kind="shift")
    array([[1., 0.],
           [0., 1.]])
    """
    scores, names = columns_by_name(scores)
    table, _ = as_real_matrix(scores, "scores")
    if names is not None:
        require_sorted(
            np.asarray(names), "the matrix that is returned", "the columns of scores",
            "sort the columns of scores",
        )  # fmt: skip
    finite = np.isfinite(table)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        raise ValueError(
            f"scores must be finite, got {table[row, column]:g} in row {row}, column {column}"
        )
    if not is_one_of(kind, ("softmax", "shift", "rank")):
        raise ValueError(f"kind must be 'softmax', 'shift' or 'rank', got {brief(kind)}")
    if kind == "softmax":
        return _softmax(table, sharpness)
    if kind == "shift":
        return _shift(table, zero)
    return _rank(table)


def _softmax(scores: Floats, sharpness: float) -> Floats:
    if not (np.isfinite(real_number(sharpness, "sharpness")) and sharpness > 0):
        raise ValueError(f"sharpness must be positive, got {brief(sharpness)}")
    with np.errstate(over="ignore"):  # a difference beyond the largest number: its power is 0
        powers = np.exp(sharpness * (scores - scores.max(axis=1, keepdims=True)))
    return powers / powers.sum(axis=1, keepdims=True)


def _shift(scores: Floats, zero: float | None) -> Floats:
    lowest = float(scores.min())
    if zero is not None and not zero <= lowest:
        raise ValueError(
            f"zero must not be larger than a score, got zero={brief(zero)} and a score of "
            f"{lowest:g}: "
            "lower it, or leave it out to use the smallest score"
        )
    start = lowest if zero is None else zero
    if max(abs(start), float(np.abs(scores).max())) > _LARGE:  # the ratios stay the same
        scores, start = scores * _SMALLER, start * _SMALLER
    shifted = scores - start
    sums = shifted.sum(axis=1, keepdims=True)
    equal = np.full_like(shifted, 1 / shifted.shape[1])
    return np.divide(shifted, sums, out=equal, where=sums > 0)


def _rank(scores: Floats) -> Floats:
    from scipy.stats import rankdata

    n_classes = scores.shape[1]
    order = np.argsort(scores, axis=1, kind="stable")
    rising = np.take_along_axis(scores, order, axis=1)
    largest = np.maximum(np.abs(rising[:, 1:]), np.abs(rising[:, :-1]))
    levels = np.zeros(scores.shape)  # scores that differ only by rounding are tied
    with np.errstate(over="ignore"):
        steps = np.diff(rising, axis=1) > _ROUNDING * largest
    np.put_along_axis(levels, order[:, 1:], np.cumsum(steps, axis=1).astype(np.float64), axis=1)
    return rankdata(levels, axis=1) / (n_classes * (n_classes + 1) / 2)
