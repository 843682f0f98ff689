"""What a set is worth if a person chooses among its classes: a measured utility.

A set of k classes is handed to a person, who finds the true class, if the set contains it, with
accuracy a(k).  Then u(k) = a(k) minus the price of asking is no matter of taste: it was measured,
on a limited number of cases, and its uncertainty belongs to the value of the predictions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan, sqrt
from typing import Any, ClassVar

import numpy as np

from wager._tables import named_values, real_number
from wager._typing import Array, ArrayLike, Bools, Floats, Ints
from wager._visible import brief
from wager.rewards._custom_utilities import Tabulated, by_size
from wager.rewards._estimate import Estimate, MeanSample
from wager.rewards._level import check_level
from wager.rewards._utility import Utility

_STEPS = 40
_LONGEST = 32.0  # -log of the smallest p-value


@dataclass(frozen=True, eq=False)
class MeasuredSample(MeanSample):
    """The sample of a mean of values that were measured themselves.

    The interval is that of MOVER (Zou & Donner, 2008): the squared distances of the ends from the
    estimate add up, that of the rows and those of the measured values.  It ends where the mean
    cannot be, whatever the person's accuracies are.

    Parameters
    ----------
    values, sums, low, high
        As in `MeanSample`.
    shares : array of shape (m,)
        How much each measured value contributes to the mean.
    person : HumanUtility
        The measured values.
    is_difference : bool
        Whether it is the mean difference of two classifiers.
    """

    shares: Floats
    person: HumanUtility
    is_difference: bool

    def interval(self, level: float) -> tuple[float, float]:
        """The confidence interval of the mean, for the rows and the person together."""
        low, high = super().interval(level)
        mean = float(self.values @ self.sums.totals) / float(self.sums.n)
        below, above = self._reach(level)
        if self.sums.is_law:  # only the person was sampled
            low = high = mean
        least, most = self.person.possible_values
        if self.is_difference:
            least, most = least - most, most - least
        least, most = min(least, self.low), max(most, self.high)  # a score may charge for misses
        low, high = mean - sqrt((mean - low) ** 2 + below), mean + sqrt((high - mean) ** 2 + above)
        return max(low, least), min(high, most)

    def _reach(self, level: float) -> tuple[float, float]:
        """The squared distances below and above that the measured values add."""
        down, up = self.person.reach(level)
        down, up = down[: len(self.shares)], up[: len(self.shares)]
        less = np.where(self.shares > 0, down, up) * self.shares
        more = np.where(self.shares > 0, up, down) * self.shares
        return float((less**2).sum()), float((more**2).sum())

    def p_value(self, at: float) -> float:
        """The two-sided p-value of the hypothesis that the mean is `at`.

        It is 1 minus the level of the interval that ends there.
        """
        mean = float(self.values @ self.sums.totals) / float(self.sums.n)
        if abs(mean - at) <= 1e-9 * max(abs(self.low), abs(self.high), 1e-300):
            return 1.0
        inside, outside = 0.0, _LONGEST  # of -log(1 - level)
        for _ in range(_STEPS):
            middle = (inside + outside) / 2
            low, high = self.interval(float(-np.expm1(-middle)))
            if isnan(low):
                return float("nan")
            if low <= at <= high:
                outside = middle
            else:
                inside = middle
        return float(np.exp(-inside))


@dataclass(frozen=True, repr=False)
class HumanUtility(Utility):
    """The value of a set that is handed to a person: accuracy minus cost, by set size.

    Made by `human_utility`.

    Parameters
    ----------
    accuracy : sequence of float
        How often the person finds the true class in a set of 1, 2, ... classes that contains it.
    n : sequence of int, optional
        On how many cases each accuracy was measured; 0 for one that is known.
    standard_errors : sequence of float, optional
        The standard errors of the accuracies, instead of `n`.
    cost : float or sequence of float, default=0
        The price of asking the person, in units of a right answer: for every set of two or more
        classes, or by set size.
    miss : float, default=0
        The value of a set that does not contain the true class.
    """

    accuracy: tuple[float, ...]
    n: tuple[int, ...] | None = None
    standard_errors: tuple[float, ...] | None = None
    cost: float | tuple[float, ...] = 0.0
    miss: float = 0.0
    kind: ClassVar[str] = "human"

    def __post_init__(self) -> None:
        accuracy = _numbers(by_size(self.accuracy, "accuracy"), "accuracy")
        if not accuracy or min(accuracy) < 0 or max(accuracy) > 1:
            raise ValueError(
                f"accuracy must be numbers from 0 to 1, one per set size, "
                f"got {brief(self.accuracy)}"
            )
        object.__setattr__(self, "accuracy", accuracy)
        if self.n is not None and self.standard_errors is not None:
            raise ValueError("pass n or standard_errors, not both")
        for name in ("n", "standard_errors"):
            given = getattr(self, name)
            if given is None:
                continue
            numbers = _numbers(by_size(given, name), name)
            if len(numbers) != len(accuracy) or min(numbers) < 0:
                raise ValueError(
                    f"{name} must have one number, not negative, for each of the {len(accuracy)} "
                    f"set sizes, got {brief(given)}"
                )
            if name == "n":
                if any(number != int(number) for number in numbers):
                    raise ValueError(f"n must be whole numbers of cases, got {brief(given)}")
                numbers = tuple(int(number) for number in numbers)
            object.__setattr__(self, name, numbers)
        costs = by_size(self.cost, "cost")
        if isinstance(costs, Sequence | np.ndarray):
            cost = _numbers(costs, "cost")
            if len(cost) != len(accuracy):
                raise ValueError(
                    f"cost must be one number, or one for each of the {len(accuracy)} set sizes, "
                    f"got {brief(self.cost)}"
                )
            object.__setattr__(self, "cost", cost)
        if not np.isfinite([*np.atleast_1d(self.cost), self.miss]).all():
            raise ValueError(
                f"cost and miss must be finite, got {brief(self.cost)} and {brief(self.miss)}"
            )

    @property
    def spelling(self) -> str:
        """``"human:1,0.9,0.8"``: the accuracies by set size."""
        return "human:" + ",".join(f"{a:.6g}" for a in self.accuracy)

    @property
    def costs(self) -> Floats:
        """The price of asking about a set of 1, 2, ... classes."""
        if isinstance(self.cost, tuple):
            return np.array(self.cost)
        return np.where(np.arange(len(self.accuracy)) > 0, float(self.cost), 0.0)

    @cached_property
    def _table(self) -> Tabulated:
        return Tabulated(tuple((np.array(self.accuracy) - self.costs).tolist()), self.miss)

    @property
    def values(self) -> tuple[float, ...]:
        """The value of a hit by a set of 1, 2, ... classes: accuracy minus cost."""
        return self._table.values

    def of_size(self, size: ArrayLike) -> Floats:
        """The value of a hit by a set of `size` classes; that of a miss for the empty set."""
        return self._table.of_size(size)

    @property
    def largest_size(self) -> float:
        """The largest set size with a known accuracy."""
        return self._table.largest_size

    def _value(self, x: Floats) -> Array:
        return self._table._value(x)

    def _derivative2(self, x: Floats) -> Array:
        return self._table._derivative2(x)

    @property
    def increasing_up_to(self) -> float:
        """1 if the values never decrease, else 0."""
        return self._table.increasing_up_to

    @property
    def errors(self) -> Floats:
        """The standard errors of the accuracies."""
        accuracy = np.array(self.accuracy)
        if self.standard_errors is not None:
            return np.array(self.standard_errors)
        if self.n is None:
            return np.zeros(len(accuracy))
        n = np.array(self.n, dtype=np.float64)
        variance = accuracy * (1 - accuracy)
        return np.sqrt(np.divide(variance, n, out=np.zeros(len(n)), where=n > 0))

    @property
    def possible_values(self) -> tuple[float, float]:
        """The smallest and the largest value if measured accuracies may be 0 and 1."""
        measured = self.errors > 0
        if self.n is not None:
            measured |= np.array(self.n) > 0
        low, high = np.where(measured, [[0.0], [1.0]], self.accuracy) - self.costs
        return min(self.miss, float(low.min())), max(self.miss, float(high.max()))

    def intervals(self, level: float = 0.95) -> list[tuple[float, float]]:
        """Confidence intervals of the accuracies: Wilson's if the number of cases is known.

        Examples
        --------
        >>> person = human_utility({2: 0.9}, n=100)
        >>> [tuple(round(end, 3) for end in ends) for ends in person.intervals()]
        [(1.0, 1.0), (0.826, 0.945)]
        """
        down, up = self.reach(level)
        accuracy = np.array(self.accuracy)
        ends = np.stack([accuracy - down, accuracy + up], axis=1)
        return [(float(low), float(high)) for low, high in ends]

    def reach(self, level: float) -> tuple[Floats, Floats]:
        """How far the intervals of the accuracies reach below and above."""
        check_level(level)
        from scipy.special import ndtri

        z = min(float(ndtri((1 + level) / 2)), 1e100)  # a level next to 1 gives infinity
        accuracy = np.array(self.accuracy)
        if self.n is None:
            error = z * self.errors
            return np.minimum(error, accuracy), np.minimum(error, 1 - accuracy)
        known = np.array(self.n) == 0
        n = np.where(known, 1.0, np.array(self.n, dtype=np.float64))
        middle = (accuracy + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z / (1 + z**2 / n) * np.sqrt(accuracy * (1 - accuracy) / n + (z / (2 * n)) ** 2)
        down = np.where(known, 0.0, accuracy - np.maximum(middle - half, 0.0))
        up = np.where(known, 0.0, np.minimum(middle + half, 1.0) - accuracy)
        return np.maximum(down, 0.0), np.maximum(up, 0.0)

    def with_own_error(
        self, mean: Estimate, shares: Floats, *, is_difference: bool = False
    ) -> Estimate:
        """The mean with the uncertainty of the person's accuracies."""
        own = shares[1 : len(self.accuracy) + 1]
        error = float(np.sqrt(((own * self.errors[: len(own)]) ** 2).sum()))
        if mean.sample is None or not (self.n is not None or error > 0):
            return mean
        sample, rows = mean.sample, 0.0 if mean.sample.sums.is_law else mean.standard_error
        measured = MeasuredSample(
            sample.values, sample.sums, sample.low, sample.high, own, self, is_difference
        )
        return replace(mean, standard_error=sqrt(rows**2 + error**2), sample=measured)

    def of_size_and_hit(self, size: Ints, hit: Bools) -> Floats:
        """The value of sets that are handed over, if asking about a miss has its price as well."""
        size = np.asarray(size)
        if (size > len(self.accuracy)).any():
            self.of_size(size)  # says which size is missing
        paid = np.append(0.0, self.costs)[size]
        return np.where(hit, np.append(0.0, self.accuracy)[size], self.miss) - paid

    def to_dict(self) -> dict[str, Any]:
        """The utility as plain data, as in a TOML file, without what is not given."""
        return {key: value for key, value in super().to_dict().items() if value is not None}


def human_utility(
    accuracy_by_size: Mapping[int, float] | Sequence[float],
    n: Mapping[int, int] | Sequence[int] | int | None = None,
    *,
    standard_errors: Mapping[int, float] | Sequence[float] | None = None,
    cost: float | Mapping[int, float] = 0.0,
    miss: float = 0.0,
) -> HumanUtility:
    """The utility of handing sets to a person with a measured accuracy.

    A set of k classes that contains the true one is worth ``a(k) - cost``: the person finds the
    true class with accuracy a(k).

    Parameters
    ----------
    accuracy_by_size : mapping of size to accuracy, or sequence for sizes 1, 2, ...
        How often the person is right, given a set of that size that contains the true class.  A
        mapping without size 1 means that single classes are not handed over: they are worth 1.
    n : int, or mapping or sequence as `accuracy_by_size`, optional
        On how many cases the accuracies were measured; one number for all sizes.  Without `n` and
        `standard_errors` the accuracies count as known.
    standard_errors : mapping or sequence, optional
        The standard errors of the accuracies, instead of `n`.
    cost : float or mapping of size to float, default=0
        The price of asking, in units of a right answer; one number is for sets of two or more.
    miss : float, default=0
        The value of a set that does not contain the true class.

    Returns
    -------
    HumanUtility
        A utility for `get_utility`, `evaluate_sets`, `head_to_head`, `optimal_sets` and TOML files
        (``kind = "human"``).  Intervals of means and of paired differences account for the cases
        on which the person was measured.

    Notes
    -----
    As a utility, a miss has one value, so that the cost of asking about sets that miss is not
    charged; `human_score` charges it.

    Examples
    --------
    >>> person = human_utility({2: 0.9, 3: 0.8}, n=50, cost=0.05)
    >>> [round(float(v), 4) for v in person.values]
    [1.0, 0.85, 0.75]
    >>> from wager.rewards import Tally
    >>> tally = Tally.of(["a"] * 40, [["a"]] * 20 + [["a", "b"]] * 20, classes=["a", "b"])
    >>> found = tally.estimate(person)
    >>> round(found.value, 4), round(found.standard_error, 4)
    (0.925, 0.0244)
    """
    accuracy = _by_size(accuracy_by_size, "accuracy_by_size", 1.0)
    sizes = named_values(accuracy_by_size, "accuracy_by_size")
    starts_at_one = sizes is None or 1 in sizes
    if isinstance(n, int | np.integer):
        cases: Any = [n if starts_at_one else 0, *([n] * (len(accuracy) - 1))]
    else:
        cases = None if n is None else _by_size(n, "n", 0)
    errors = None
    if standard_errors is not None:
        errors = tuple(_by_size(standard_errors, "standard_errors", 0.0))
    has_sizes = named_values(cost, "cost") is not None
    price: Any = tuple(_by_size(cost, "cost", 0.0)) if has_sizes else cost
    return HumanUtility(
        tuple(accuracy), None if cases is None else tuple(cases), errors, price, miss
    )


def _by_size(given: Any, name: str, of_one: float) -> list[Any]:
    """Values for sizes 1, 2, ...; a mapping or a Series may leave out size 1."""
    named = named_values(given, name)
    if named is None:
        return list(given)
    table = {int(size): value for size, value in named.items()}
    if len(table) < len(named) or any(float(size) != int(size) for size in named):
        raise ValueError(f"{name} needs whole set sizes, each once, got {brief(list(named))}")
    if any(size < 1 for size in table):
        raise ValueError(f"{name} has the set size {min(table)}: sizes are 1, 2, ...")
    table.setdefault(1, of_one)
    missing = [size for size in range(1, max(table) + 1) if size not in table]
    if missing:
        raise ValueError(
            f"{name} has no value for sets of {missing[0]} classes: give one for every size up to "
            f"{max(table)}"
        )
    return [table[size] for size in sorted(table)]


def _numbers(given: Any, name: str) -> tuple[float, ...]:
    try:
        numbers = tuple(real_number(value, name) for value in given)
    except (TypeError, ValueError):
        numbers = (np.nan,)
    if not np.isfinite(numbers).all():
        raise ValueError(f"{name} must be finite numbers by set size, got {brief(given)}")
    return numbers
