"""The common result type of all tests, and checks that tests share."""

from __future__ import annotations

from collections.abc import KeysView, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from wager._tables import (
    LARGEST_WEIGHT,
    ROUNDING,
    ComparedFields,
    Table,
    View,
    Viewed,
    counted,
    format_number,
    real_number,
    real_numbers,
    rows_of,
)
from wager._typing import Floats
from wager._visible import brief
from wager.compare._pickled import Pickled

_LEAST_ALPHA = 1e-300


@dataclass(frozen=True, eq=False, repr=False)
class Outcome(Pickled, ComparedFields, Viewed):
    """The result of a test: statistic, p-value, effect with an interval, and a sentence.

    Attributes
    ----------
    test : str
        The name of the test.
    statistic, p : float
        The test statistic and its two-sided p-value.
    effect : float
        The difference that is tested, in the units of the scores; first minus second.
    interval : tuple of float
        Confidence (or credible) interval of the effect; NaN if the test has none.
    verdict : str
        The result as a sentence.
    details : mapping
        Further results of the test, by name.
    """

    test: str
    statistic: float
    p: float
    effect: float
    interval: tuple[float, float]
    verdict: str
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "details", MappingProxyType(dict(self.details)))

    def to_dict(self) -> dict[str, Any]:
        """All values as plain data, including the details."""
        own = {name: getattr(self, name) for name in _SHOWN}
        return {**own, "verdict": self.verdict, **self.details}

    def _view(self) -> View:
        low, high = self.interval
        rows: list[tuple[str, Any]] = []
        if "p_rope" in self.details:  # a Bayesian test has probabilities instead of a p-value
            for name, words in _PROBABILITIES.items():
                rows.append((words, format_number(self.details[name])))
        else:
            p = "<0.0001" if self.p < 1e-4 else format_number(self.p)
            rows += [("statistic", self.statistic), ("p", p)]
        if not np.isnan(self.effect):
            rows.append(("effect", self.effect))
        if not np.isnan(low):
            rows.append(("interval", f"{format_number(low)} to {format_number(high)}"))
        return View(self.test, [Table((), rows)], verdict=[self.verdict])


Names = tuple[str, str]  # the names of two classifiers
_SHOWN = ("test", "statistic", "p", "effect", "interval")
_PROBABILITIES = {
    "p_a": "P(first better)",
    "p_rope": "P(practically equal)",
    "p_b": "P(second better)",
}
NO_INTERVAL = (float("nan"), float("nan"))


def differences(a: Any, b: Any | None, test: str) -> Floats:
    """The paired differences a - b as a checked vector; with ``b=None``, ``a`` contains them."""
    first = _vector(a, "a", test)
    if b is None:
        return first
    second = _vector(rows_of(a, b), "b", test)
    if len(first) != len(second):
        raise ValueError(
            f"{test} compares pairs but a has {counted(len(first), 'value')} and b has "
            f"{len(second)}: give both scores for the same folds or data sets, in the same order"
        )
    return subtract(first, second)


def subtract(first: Floats, second: Floats) -> Floats:
    """The differences of scores, 0 if they differ only by rounding, as 0.1 + 0.2 and 0.3 do."""
    gap, size = first - second, np.maximum(np.abs(first), np.abs(second))
    return np.where((np.abs(gap) <= ROUNDING * size) & np.isfinite(size), 0.0, gap)


def score_unit(a: Any, b: Any | None = None) -> float:
    """The unit in which rounding errors of scores are judged, for tolerances that are absolute.

    It is the least power of ten that no score exceeds.  Where only differences up to 1 are known,
    it is 1, unless all are below 1e-8: those are not of scores of about 1.

    Examples
    --------
    >>> score_unit([0.9, 0.8], [0.7, 0.6]), score_unit([3e-9, 2e-9], [1e-9, 1e-9])
    (1.0, 1e-08)
    >>> score_unit([0.001, 0.002]), score_unit([2e-14, 1e-14])
    (1.0, 1e-05)
    """
    scores = [np.abs(real_numbers(one, "scores")) for one in (a, b) if one is not None]
    largest = max(float(one.max(initial=0.0)) for one in scores)
    if b is None:
        largest = max(largest, min(1.0, 1e8 * largest))
    return float(10.0 ** np.ceil(np.log10(max(largest, 1e-280)))) if largest else 1.0


def levels(values: Floats) -> Floats:
    """The number of each value among the distinct ones of its row, in rising order.

    Values that differ by at most 1e-12 have the same number.  Rounding them to so many digits would
    part equal ones in the middle between two rounded numbers, as 1/8192 is.

    Examples
    --------
    >>> levels(np.array([[0.3, 0.1 + 0.2, 0.1], [1 / 8192, 1 / 8192 - 1e-17, 0.0]])).tolist()
    [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0]]
    """
    order = np.argsort(values, axis=-1, kind="stable")
    rising = np.take_along_axis(values, order, axis=-1)
    with np.errstate(invalid="ignore", over="ignore"):  # infinite values, NaN
        steps = np.diff(rising, axis=-1, prepend=rising[..., :1]) > ROUNDING
    found = np.empty(values.shape)
    np.put_along_axis(found, order, np.cumsum(steps, axis=-1).astype(np.float64), axis=-1)
    return np.where(np.isnan(values), np.nan, found)


def _vector(values: Any, name: str, test: str) -> Floats:
    vector = real_numbers(values, name)
    if vector.ndim != 1:
        raise ValueError(f"{test} takes a list of scores, but {name} has shape {vector.shape}")
    bad = np.flatnonzero(~np.isfinite(vector))
    if len(bad):
        raise ValueError(
            f"{name}[{bad[0]}] is {vector[bad[0]]}: leave out pairs with missing scores first"
        )
    require_squares(vector, name)
    return vector


def require_squares(scores: Floats, name: str) -> None:
    """Raise a ValueError if squares of the scores, which variances need, could overflow."""
    if scores.size and np.abs(scores).max() > LARGEST_WEIGHT:
        raise ValueError(
            f"{name} has a score of {scores.flat[np.abs(scores).argmax()]:g}, whose square is too "
            "large: rescale the scores"
        )


def require_pairs(n: int, least: int, test: str) -> None:
    """Raise a ValueError if there are fewer pairs than a test needs."""
    if n < least:
        plural = "pair" if least == 1 else "pairs"
        raise ValueError(f"{test} needs at least {least} {plural}, got {n}")


def check_names(names: Any, name: str = "names") -> tuple[str, str]:
    """Two names, or a ValueError if these are not two texts or numbers."""
    if isinstance(names, KeysView):  # of a dictionary of scores
        names = list(names)
    is_listed = not isinstance(names, str | bytes) and np.ndim(names) == 1
    listed = list(names) if is_listed else []
    if len(listed) != 2 or not all(
        isinstance(one, str | int | float | np.generic) for one in listed
    ):
        raise ValueError(f"{name} must be two texts, got {brief(names)}")
    return str(listed[0]), str(listed[1])


def plain_interval(interval: tuple[float, float]) -> list[float] | None:
    """An interval as plain data; None if it is undefined."""
    return None if interval[0] != interval[0] else list(interval)


def plain_test(found: Outcome) -> dict[str, Any]:
    """The difference that a test is of, as plain data."""
    interval = plain_interval(found.interval)
    return {"mean": found.effect, "interval": interval, "p": found.p, "verdict": found.verdict}


def check_alpha(alpha: float) -> None:
    """Raise a ValueError if the level is not between 0 and 1, or is too small to compute with."""
    if not 0 < real_number(alpha, "alpha") < 1:
        raise ValueError(f"alpha must lie between 0 and 1, got {brief(alpha)}")
    if alpha < _LEAST_ALPHA:
        raise ValueError(f"alpha must be at least {_LEAST_ALPHA:g}, got {brief(alpha)}")


def two_sided(
    p: float, effect: float, names: tuple[str, str], alpha: float, what: str = "scores"
) -> str:
    """The verdict of a two-sided test of one difference."""
    a, b = check_names(names)
    if effect == 0 or p >= alpha:
        return f"no significant difference between {a} and {b} ({show_p(p)})"
    better, worse = (a, b) if effect > 0 else (b, a)
    return f"{better} {what} higher than {worse} ({show_p(p)})"


def show_p(p: float) -> str:
    """A p-value in a sentence."""
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.4f}"
