"""Evidence for claims in words: means with standard errors, differences with p values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from wager._typing import ArrayLike, Floats
from wager.compare import holm_adjust, paired_t
from wager.experiments.study import Claim, left_open

__all__ = [
    "all_clear",
    "mean_and_error",
    "numbers",
    "open_if_small",
    "p_text",
    "p_values",
    "signed",
    "with_p",
]

LEVEL = 0.05  # of the papers' tests


def mean_and_error(values: ArrayLike) -> tuple[float, float]:
    """The mean over independent repetitions and its standard error; NaN are left out.

    Examples
    --------
    >>> mean_and_error([1.0, 3.0])
    (2.0, 1.0)
    """
    known = np.asarray(values, dtype=float)
    known = known[np.isfinite(known)]
    if len(known) < 2:
        return (float(known.mean()) if len(known) else float("nan")), float("nan")
    return float(known.mean()), float(known.std(ddof=1) / np.sqrt(len(known)))


def p_values(differences: Iterable[ArrayLike]) -> Floats:
    """The p values of t tests of several lists of differences, adjusted by Holm's method.

    Examples
    --------
    >>> p_values([[1.0, 1.1, 0.9, 1.0], [0.1, -0.1, 0.2, -0.2]]).round(4).tolist()
    [0.0003, 1.0]
    """
    return holm_adjust([_p(np.asarray(values, dtype=float)) for values in differences])


def _p(values: Floats) -> float:
    known = values[np.isfinite(values)]
    if len(known) < 2 or np.ptp(known) == 0:
        return 0.0 if len(known) > 1 and known[0] != 0 else 1.0
    return paired_t(known).p


def all_clear(differences: Sequence[ArrayLike], sign: int = 1) -> bool:
    """Whether every mean has this sign and differs from 0 after Holm's adjustment.

    Examples
    --------
    >>> all_clear([[1.0, 1.1, 0.9], [2.0, 2.1, 1.9]]), all_clear([[1.0, 1.1, 0.9]], sign=-1)
    (True, False)
    """
    means = np.array([mean_and_error(values)[0] for values in differences])
    return bool((sign * means > 0).all() and (p_values(differences) < LEVEL).all())


def open_if_small(claims: Iterable[Claim], found: int, wanted: int, what: str) -> list[Claim]:
    """The claims, without verdicts if a quick run has too few repetitions for the tests."""
    if found >= wanted:
        return list(claims)
    return left_open(claims, f"{found} of {wanted} {what} are too few for the tests")


def p_text(p: float) -> str:
    """A p value in words.

    Examples
    --------
    >>> p_text(0.00002), p_text(0.0312)
    ('p < 0.001', 'p = 0.031')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"


def with_p(differences: Sequence[ArrayLike], scale: float = 100, digits: int = 2) -> str:
    """Mean differences with adjusted p values, in one line.

    Examples
    --------
    >>> with_p([[0.01, 0.011, 0.009], [0.0, 0.02, -0.02]])
    '+1.00 (p = 0.0066), +0.00 (p = 1)'
    """
    means = [scale * mean_and_error(values)[0] for values in differences]
    ps = p_values(differences)
    return ", ".join(f"{mean:+.{digits}f} ({p_text(p)})" for mean, p in zip(means, ps, strict=True))


def signed(values: ArrayLike, digits: int = 2) -> str:
    """Numbers with their signs, in one line."""
    return ", ".join(f"{value:+.{digits}f}" for value in np.asarray(values).ravel())


def numbers(values: ArrayLike, digits: int = 1) -> str:
    """Numbers in one line."""
    return ", ".join(f"{value:.{digits}f}" for value in np.asarray(values).ravel())
