"""Probability intervals: for each instance, a lower and an upper probability of every class.

A row represents a credal set: all probability distributions that satisfy its bounds (de Campos,
Huete & Moral, 1994).  The lower probability of an event A is the larger of two sums: the lower
bounds of its classes, and what the upper bounds of the other classes leave over,
``max(sum_A lower, 1 - sum_notA upper)``.  This set function is 2-monotone, so a lower expectation
is a Choquet integral: it takes one sort of the function, the same for all rows, and no linear
program.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from operator import index
from typing import Any

import numpy as np

from wager._tables import (
    Table,
    View,
    Viewed,
    check_classes,
    chosen_rows,
    counted,
    encode_labels,
    in_order_of,
    named_values,
    real_number,
    real_numbers,
    require_kind,
    there_are,
    unmasked,
)
from wager._typing import Array, ArrayLike, Bools, Floats
from wager._visible import brief
from wager.predictions._matching import row_by_name, same_columns
from wager.predictions._probabilities import check_probabilities, columns_by_name

__all__ = ["TOLERANCE", "ProbabilityIntervals"]

TOLERANCE = 1e-9  # a smaller excess or difference is rounding
_CHUNK = 80_000  # numbers of one bound in a chunk of rows: both bounds stay in the cache
_SHOWN = 8  # rows and classes in a notebook
_FEW = 100  # rows below which whole arrays are faster than a loop over vectors


@dataclass(frozen=True, eq=False, init=False, repr=False)
class ProbabilityIntervals(Viewed):
    """Lower and upper class probabilities, one row per instance and one column per class.

    Parameters
    ----------
    lower, upper : array-like of shape (n_rows, n_classes)
        Bounds in [0, 1] with ``lower <= upper``; a single row may be one-dimensional.  Excesses
        below 1e-9 are treated as rounding errors and clipped.
    classes : array-like of shape (n_classes,), optional
        The classes of the columns.  By default those of data frames, which are matched by name, or
        0..K-1: columns without names stand for the sorted classes.

    Attributes
    ----------
    named : bool
        Whether the classes are names, and not just the numbers of the columns.

    Notes
    -----
    Bounds that no probability distribution satisfies (*sure loss*) are allowed here, so that
    ``is_proper`` can find them; all other methods raise an error that names the row.

    Examples
    --------
    The obstacle of Yang, Destercke & Masson (2017), Example 3: human, bicycle or nothing.

    >>> obstacle = ProbabilityIntervals([[0, 0.3, 0.4]], [[0.2, 0.4, 0.6]], classes=["h", "b", "n"])
    >>> obstacle.is_reachable.tolist()
    [True]
    >>> obstacle.vertices(0).round(3).tolist()
    [[0.0, 0.4, 0.6], [0.1, 0.3, 0.6], [0.2, 0.3, 0.5], [0.2, 0.4, 0.4]]
    >>> obstacle.lower_expectation([3, 4, -2]).round(3).tolist()
    [0.3]
    """

    lower: Floats
    upper: Floats
    classes: Array
    named: bool

    def __init__(self, lower: ArrayLike, upper: ArrayLike, classes: ArrayLike | None = None):
        names: ArrayLike | None
        lower, upper = row_by_name(lower, "lower"), row_by_name(upper, "upper")
        if classes is None:
            lower, upper, names = same_columns(lower, upper, ("lower", "upper"))
        else:
            (lower, names), (upper, _) = (columns_by_name(b, classes) for b in (lower, upper))
        low, high = _bounds(lower, "lower"), _bounds(upper, "upper")
        if low.shape != high.shape:
            raise ValueError(
                f"lower has the shape {low.shape} but upper {high.shape}: give both bounds of "
                "every class in every row"
            )
        _refuse_crossed(low, high)
        known = np.arange(low.shape[1]) if names is None else check_classes(names)
        if len(known) != low.shape[1]:
            raise ValueError(
                f"the bounds have {counted(low.shape[1], 'column')} but "
                f"{there_are(len(known), 'class')}: give one column per class"
            )
        self._set(low, np.maximum(low, high), known, names is not None)

    def _set(
        self, lower: Floats, upper: Floats, classes: Array, named: bool
    ) -> ProbabilityIntervals:
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "named", named)
        return self

    def _with(self, lower: Floats, upper: Floats) -> ProbabilityIntervals:
        """Intervals over the same classes whose bounds need no check."""
        return object.__new__(ProbabilityIntervals)._set(lower, upper, self.classes, self.named)

    @classmethod
    def from_idm(
        cls, counts: ArrayLike, s: float = 1.0, classes: ArrayLike | None = None
    ) -> ProbabilityIntervals:
        """Intervals from class counts by the imprecise Dirichlet model (Walley, 1996).

        They run from ``n_c / (N + s)`` to ``(n_c + s) / (N + s)`` and are always reachable.

        Examples
        --------
        >>> ProbabilityIntervals.from_idm([[3, 1]], s=1)
        1 row of probability intervals over 2 classes: 0, 1
        >>> ProbabilityIntervals.from_idm([[3, 1]], s=1).lower.tolist()
        [[0.6, 0.2]]
        """
        counts, classes = _with_classes(counts, classes, "counts")
        table = np.atleast_2d(real_numbers(counts, "counts"))
        if not (np.isfinite(table) & (table >= 0)).all():
            raise ValueError("counts must be finite and not negative: pass class frequencies")
        if not (np.isfinite(real_number(s, "s")) and s >= 0):
            raise ValueError(f"s must be a finite number that is not negative, got {brief(s)}")
        total = table.sum(axis=1, keepdims=True) + s
        if (total == 0).any():
            row = int((total == 0).argmax())
            raise ValueError(f"all counts of row {row} are 0 and s is 0: use a positive s")
        return cls(table / total, (table + s) / total, classes)

    @classmethod
    def from_contamination(
        cls, p: ArrayLike, epsilon: float, classes: ArrayLike | None = None
    ) -> ProbabilityIntervals:
        """Intervals around probabilities of which a fraction ``epsilon`` may be arbitrary.

        They run from ``(1 - epsilon) p`` to ``(1 - epsilon) p + epsilon``: the linear-vacuous
        mixture.

        Examples
        --------
        >>> ProbabilityIntervals.from_contamination([[0.25, 0.75]], 0.2).upper.round(3).tolist()
        [[0.4, 0.8]]
        """
        if not 0 <= real_number(epsilon, "epsilon") <= 1:
            raise ValueError(f"epsilon must lie in [0, 1], got {brief(epsilon)}")
        p, classes = _with_classes(p, classes, "p")
        lower = (1 - epsilon) * check_probabilities(
            np.atleast_2d(np.asarray(unmasked(p))), name="p"
        )
        return cls(lower, lower + epsilon, classes)

    @cached_property
    def is_proper(self) -> Bools:
        """Whether some probability distribution satisfies the bounds, for each row."""
        least, most = _row_sums(self.lower), _row_sums(self.upper)
        return (least <= 1 + TOLERANCE) & (most >= 1 - TOLERANCE)

    @cached_property
    def is_reachable(self) -> Bools:
        """Whether each bound is attained by some distribution of the set, for each row."""
        low, high = _tightened(self.lower, self.upper)
        loose = (low > self.lower + TOLERANCE) | (high < self.upper - TOLERANCE)
        return self.is_proper & ~loose.any(axis=1)

    def require_proper(self) -> None:
        """Raise a ValueError for the first row whose bounds no distribution satisfies, if any."""
        if not self.is_proper.all():
            self._refuse(int(np.argmin(self.is_proper)))

    def _refuse(self, row: int) -> None:
        low, high = self.lower[row].sum(), self.upper[row].sum()
        why = (
            f"its lower bounds sum to {low:.6g}, more than 1"
            if low > 1
            else f"its upper bounds sum to {high:.6g}, less than 1"
        )
        raise ValueError(
            f"no probabilities satisfy the bounds of row {row}: {why}, so widen its bounds, or "
            "remove the row"
        )

    def tighten(self) -> ProbabilityIntervals:
        """Tighten the bounds that no distribution attains; the credal set stays the same.

        Examples
        --------
        >>> loose = ProbabilityIntervals([[0.1, 0.1, 0.1]], [[0.9, 0.9, 0.9]])
        >>> loose.tighten().upper.round(3).tolist()
        [[0.8, 0.8, 0.8]]
        """
        self.require_proper()
        return self._with(*_tightened(self.lower, self.upper))

    def vertices(self, row: int) -> Floats:
        """The extreme points of the credal set of a row, sorted, one per row of the result.

        At an extreme point, all probabilities except at most one equal one of their bounds.  The
        probabilities are chosen class by class, and partial points that can no longer reach a sum
        of 1 are dropped at once.
        """
        one = self[self._number(row)]
        if not one.is_proper[0]:
            self._refuse(range(len(self))[row])
        one = one.tighten()
        return _extreme_points(one.lower[0], one.upper[0])

    def lower_expectation(self, f: ArrayLike, *, per_row: bool = False) -> Floats:
        """The least expectation of a function of the class (Yang et al., 2017, Eq. 5).

        Parameters
        ----------
        f : array-like of shape (n_classes,) or (m, n_classes)
            One function, or several.
        per_row : bool, default=False
            If true, ``f`` has shape (n_rows, n_classes): a separate function for each row.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, m)
        """
        f = in_order_of(self.classes.tolist(), f, "f", "classes")
        functions = check_functions(f, self.lower.shape, per_row)
        self.require_proper()
        if per_row:
            return _choquet_per_row(self.lower, self.upper, functions)
        values = np.empty((len(self), len(functions)))
        for part in self.chunks():
            values[part] = choquet(self.lower[part].T, self.upper[part].T, functions).T
        return values[:, 0] if np.ndim(f) == 1 else values

    def upper_expectation(self, f: ArrayLike, *, per_row: bool = False) -> Floats:
        """The greatest expectation of a function of the class; see `lower_expectation`."""
        f = in_order_of(self.classes.tolist(), f, "f", "classes")
        return -self.lower_expectation(-real_numbers(f, "f"), per_row=per_row)

    def lower_probability(self, event: ArrayLike) -> Floats:
        """The least probability of an event, for each row.

        Parameters
        ----------
        event : array-like
            Class labels, or one boolean per class.

        Examples
        --------
        >>> obstacle = ProbabilityIntervals([[0, 0.3, 0.4]], [[0.2, 0.4, 0.6]], list("hbn"))
        >>> obstacle.lower_probability(["h", "b"]).round(3).tolist()
        [0.4]
        """
        self.require_proper()
        inside = self._event(event)
        return np.maximum(self.lower[:, inside].sum(axis=1), 1 - self.upper[:, ~inside].sum(axis=1))

    def upper_probability(self, event: ArrayLike) -> Floats:
        """The greatest probability of an event, for each row; see `lower_probability`."""
        return 1 - self.lower_probability(~self._event(event))

    def chunks(self) -> Iterator[slice]:
        """Slices of rows that are small enough for the processor's cache."""
        step = max(64, _CHUNK // len(self.classes))
        for start in range(0, len(self), step):
            yield slice(start, start + step)

    def to_frame(self) -> Any:
        """A pandas DataFrame with columns ``lower:<class>`` and ``upper:<class>``."""
        import pandas as pd

        columns = {f"lower:{c}": self.lower[:, k] for k, c in enumerate(self.classes)}
        columns |= {f"upper:{c}": self.upper[:, k] for k, c in enumerate(self.classes)}
        return pd.DataFrame(columns)

    def _number(self, row: Any) -> int:
        """The number of a row that exists."""
        try:
            number = index(row)
        except TypeError:
            raise TypeError(f"row must be the number of a row, got {brief(row)}") from None
        if not -len(self) <= number < len(self):
            raise ValueError(f"row must be below the number of rows, {len(self)}, got {number}")
        return number

    def __len__(self) -> int:
        return len(self.lower)

    def __getitem__(self, rows: Any) -> ProbabilityIntervals:
        """The intervals of some rows."""
        chosen = chosen_rows(rows, len(self))
        return self._with(np.atleast_2d(self.lower[chosen]), np.atleast_2d(self.upper[chosen]))

    def __repr__(self) -> str:
        many, rows = len(self.classes), len(self)
        names = ", ".join(map(str, self.classes[:6])) + (", ..." if many > 6 else "")
        return (
            f"{rows} row{'s' * (rows != 1)} of probability intervals over {many} classes: {names}"
        )

    def _view(self) -> View:
        shown = list(zip(self.lower[:_SHOWN], self.upper[:_SHOWN], strict=True))
        rows = [
            [i, *(f"{a:.3f} to {b:.3f}" for a, b in zip(*pair, strict=True))][: _SHOWN + 1]
            for i, pair in enumerate(shown)
        ]
        more = len(self) - len(rows)
        heads = ["row", *map(str, self.classes[:_SHOWN])]
        return View(repr(self), [Table(heads, rows)], [f"{more:,} more rows"] if more > 0 else [])

    def _event(self, event: ArrayLike) -> Bools:
        given = np.asarray(event)
        if given.dtype != bool:
            inside = np.zeros(len(self.classes), dtype=bool)
            if given.size:
                inside[encode_labels(event, self.classes, name="event")[0]] = True
            return inside
        if given.shape != (len(self.classes),):
            raise ValueError(
                f"an event must have one boolean for each of the {len(self.classes)} classes, got "
                f"an array of shape {given.shape}"
            )
        return given


def choquet(lower: Floats, upper: Floats, functions: Floats) -> Floats:
    """Lower expectations (m, n) of functions (m, K) under columns of bounds (K, n).

    With the classes in ascending order of f, this is
    ``f_(1) + sum_i (f_(i) - f_(i-1)) P({(i), ..., (K)})``, where P is the lower probability: the
    sum of the lower bounds, or what the upper bounds of the other classes leave over.
    """
    lower, upper = np.ascontiguousarray(lower), np.ascontiguousarray(upper)
    if lower.shape[1] < _FEW:
        step = max(1, _CHUNK // lower.size)
        parts = [functions[i : i + step] for i in range(0, len(functions), step)]
        return np.concatenate([_choquet_of_few(lower, upper, part) for part in parts])
    total = lower.sum(axis=0)
    values = np.empty((len(functions), lower.shape[1]))
    by_lower, by_upper, gain = np.empty((3, lower.shape[1]))
    for f, value in zip(functions, values, strict=True):
        order = np.argsort(f, kind="stable")
        value[:] = f[order[0]]
        by_lower[:], by_upper[:] = total, 1.0
        for below, above in pairwise(order):
            by_lower -= lower[below]
            by_upper -= upper[below]
            if f[above] > f[below]:
                np.maximum(by_lower, by_upper, out=gain)
                gain *= f[above] - f[below]
                value += gain
    return values


def _choquet_of_few(lower: Floats, upper: Floats, functions: Floats) -> Floats:
    """The same bits for few rows, without a loop over the functions and the classes."""
    order = np.argsort(functions, axis=1, kind="stable")
    rising = np.take_along_axis(functions, order, axis=1)
    below = np.empty((2, *order.shape, lower.shape[1]))  # by bound, function, class and row
    below[0, :, 0], below[1, :, 0] = np.add.accumulate(lower)[-1], 1.0
    np.negative(lower[order[:, :-1]], out=below[0, :, 1:])
    np.negative(upper[order[:, :-1]], out=below[1, :, 1:])
    steps = np.add.accumulate(below, axis=2, out=below).max(axis=0)
    steps[:, 1:] *= np.diff(rising, axis=1)[:, :, None]
    steps[:, 0] = rising[:, :1]
    return np.asarray(np.add.accumulate(steps, axis=1, out=steps)[:, -1])


def check_functions(f: ArrayLike, shape: tuple[int, int], per_row: bool) -> Floats:
    """Functions of the class as a matrix (m, K); if ``per_row``, one for each predicted row."""
    functions = real_numbers(f, "the values of a function")
    require_kind(per_row, "per_row", bool, np.bool_)
    wanted = shape if per_row else shape[1:]
    if functions.ndim not in (1, 2) or functions.shape[-len(wanted) :] != wanted:
        raise ValueError(
            f"a function of {'the row and ' * per_row}the class must have the shape {wanted}, "
            f"got {functions.shape}: give one value per class"
        )
    if not np.isfinite(functions).all():
        raise ValueError("the values of a function must be finite")
    return functions if per_row else np.atleast_2d(functions)


def _choquet_per_row(lower: Floats, upper: Floats, functions: Floats) -> Floats:
    order = np.argsort(functions, axis=1, kind="stable")
    rising, low, high = (np.take_along_axis(a, order, axis=1) for a in (functions, lower, upper))
    by_lower = low[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
    by_upper = 1 - high.cumsum(axis=1)[:, :-1]
    steps = np.diff(rising, axis=1) * np.maximum(by_lower, by_upper)
    return rising[:, 0] + steps.sum(axis=1)


def _with_classes(
    values: Any, classes: ArrayLike | None, name: str
) -> tuple[ArrayLike, ArrayLike | None]:
    """A matrix, or the row of a mapping or Series, and its classes, which are matched by name."""
    named = named_values(values, name)
    if named is None:
        return columns_by_name(values, classes)
    known = check_classes(list(named) if classes is None else classes)
    return in_order_of(known.tolist(), values, name, "classes"), known


def _bounds(values: ArrayLike, name: str) -> Floats:
    table = np.atleast_2d(real_numbers(values, name))
    if table.ndim != 2 or table.shape[1] == 0:
        raise ValueError(
            f"{name} must have one row per instance and one column per class, got an array of "
            f"shape {np.shape(values)}"
        )
    wrong = ~((table >= -TOLERANCE) & (table <= 1 + TOLERANCE))  # also true for NaN
    if wrong.any():
        row, column = np.unravel_index(wrong.argmax(), table.shape)
        raise ValueError(
            f"{name} must lie in [0, 1], got {table[row, column]:g} in row {row}, column {column}: "
            "pass probabilities"
        )
    return np.clip(table, 0.0, 1.0)


def _refuse_crossed(lower: Floats, upper: Floats) -> None:
    crossed = lower > upper + TOLERANCE
    if crossed.any():
        row, column = np.unravel_index(crossed.argmax(), crossed.shape)
        raise ValueError(
            f"lower must not exceed upper, got {lower[row, column]:g} > {upper[row, column]:g} in "
            f"row {row}, column {column}: check whether the two are swapped"
        )


def _row_sums(table: Floats) -> Floats:
    return table @ np.ones(table.shape[1])  # several times faster than table.sum(axis=1)


def _tightened(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """The bounds that are attained; one pass is enough (de Campos, Huete & Moral, 1994)."""
    least, most = _row_sums(lower)[:, None], _row_sums(upper)[:, None]
    # rounding could cross the bounds of a precise row, or make them sum to more than 1
    low = np.maximum(lower, np.minimum(1 - (most - upper), upper))
    high = np.minimum(upper, 1 - (least - lower))
    return low, np.maximum(low, high)


def _extreme_points(lower: Floats, upper: Floats) -> Floats:
    """Extreme points of reachable bounds, in lexicographic order."""
    n_classes = len(lower)
    points = np.zeros((1, 0))
    free = np.array([-1])  # the class that receives the rest; -1 if none yet
    for k in range(n_classes):
        ends = (lower[k],) if upper[k] - lower[k] <= TOLERANCE else (lower[k], upper[k])
        grown = [(points, free, end) for end in ends]
        unbound = free < 0
        if len(ends) == 2 or k == n_classes - 1:
            grown.append((points[unbound], np.full(unbound.sum(), k), 0.0))
        points = np.vstack([np.column_stack([p, np.full(len(p), v)]) for p, _, v in grown])
        free = np.concatenate([f for _, f, _ in grown])
        bound = free >= 0
        placed = points.sum(axis=1)
        least = placed + lower[k + 1 :].sum() + np.where(bound, lower[free], 0.0)
        most = placed + upper[k + 1 :].sum() + np.where(bound, upper[free], 0.0)
        possible = (least <= 1 + TOLERANCE) & (most >= 1 - TOLERANCE)
        points, free = points[possible], free[possible]
    points, free = points[free >= 0], free[free >= 0]
    rest = 1 - points.sum(axis=1)
    for bound in (lower[free], upper[free]):  # rounding would give duplicate points
        rest = np.where(np.abs(rest - bound) <= TOLERANCE, bound, rest)
    points[np.arange(len(points)), free] = rest
    return np.unique(points, axis=0)
