"""The base class of utilities: what a reward is worth to a decision maker.

A prediction of k classes that contains the true one earns 1/k, any other earns 0 (Zaffalon, Corani
& Mauá, 2012, Theorem 1).  A utility is a function of that reward: linear for a risk-neutral
decision maker, concave for one who prefers "one of these two" to a guess.  A utility object can be
called on rewards, inverted (for the certainty equivalent) and differentiated.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from wager._tables import ROUNDING, ViewedFields, real_number, real_numbers, unmasked
from wager._typing import Array, ArrayLike, Floats, Ints
from wager._visible import brief

if TYPE_CHECKING:
    from wager.rewards._estimate import Estimate

MESH = np.linspace(0.0, 1.0, 2049)  # where functions without a closed form are evaluated


def require(condition: bool, wanted: str, got: object) -> None:
    """Raise an error unless a parameter has the wanted property."""
    if not condition:
        raise ValueError(f"{wanted}, got {brief(got)}")


def second_order(u: Utility, mean: float, variance: float) -> float:
    """The expected utility by mean and variance: u(E) + u''(E) Var / 2 (Eq. 2).

    Without variance it is u(E), also where u'' is infinite, such as that of a root at 0.
    """
    curved = u.derivative2(mean) * variance / 2 if variance > 0 else 0.0
    return float(u(mean) + curved)


def reward_points(n_classes: int | None) -> Floats:
    """The rewards 0, 1/n, ..., 1/2, 1; without a number of classes, a fine mesh of [0, 1]."""
    if n_classes is None:
        return MESH
    require(real_number(n_classes, "n_classes") >= 1, "n_classes must be at least 1", n_classes)
    return np.concatenate(([0.0], 1.0 / np.arange(n_classes, 0, -1)))


class Utility(ViewedFields, ABC):
    """A function of the reward x >= 0; u(0) is the value of a miss, u(1) of a hit by one class.

    Subclasses define `spelling` and `_value`, and closed forms of the inverse and of the
    derivatives if there are any; otherwise these are computed numerically.
    """

    kind: ClassVar[str]
    label = ""  # the name that a user gave to this utility

    @property
    def name(self) -> str:
        """The name in tables: the label if there is one, otherwise the spelling."""
        return self.label or self.spelling

    @property
    def spelling(self) -> str:
        """What specifies the utility in short; `get_utility` reads those of the built-in ones."""
        return self.kind

    def named(self, label: str) -> Self:
        """The same utility under another name.

        Examples
        --------
        >>> from wager.rewards import Quadratic
        >>> Quadratic(0.7).name, Quadratic(0.7).named("clinic").name
        ('u70', 'clinic')
        """
        twin = copy(self)
        object.__setattr__(twin, "label", label)  # utilities are frozen
        return twin

    @abstractmethod
    def _value(self, x: Floats) -> Array: ...

    def __call__(self, x: ArrayLike) -> Any:
        """The utility of a reward, or of an array of rewards."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # where it is infinite
            return self._value(_numbers(x))[()]

    def of_size(self, size: ArrayLike) -> Floats:
        """The utility of a hit by a set of `size` classes, u(1/size); of an empty set, u(0)."""
        size = set_sizes(size)
        return np.asarray(self(np.divide(1.0, size, out=np.zeros(size.shape), where=size > 0)))

    def inverse(self, v: ArrayLike) -> Any:
        """The least reward x with u(x) = v; 1 where v = u(1).

        Some utilities have the value u(1) twice, such as quadratic ones with u(0.5) > 0.75; then
        the inverse of u(1) is 1.  A value that u never takes raises a ``ValueError``.
        """
        v = _numbers(v)
        top = float(self(1.0))
        at_top = np.abs(v - top) <= 4 * np.spacing(max(abs(top), 1.0))
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            x = np.where(at_top, 1.0, self._inverse(np.where(at_top, top, v)))
        if not np.isfinite(x).all():
            bad = float(v[~np.isfinite(x)].flat[0])
            raise ValueError(
                f"{self.name} never takes the value {brief(bad)}: it has no inverse there"
            )
        return np.maximum(x, 0.0)[()]

    def _inverse(self, v: Floats) -> Array:
        """First crossing on the mesh of [0, 1], then bisection; NaN if there is none."""
        flat = v.ravel()
        gap = np.asarray(self(MESH))[:, None] - flat
        side = np.sign(gap)  # products of gaps could overflow
        crossed = (side[:-1] * side[1:] <= 0) | (np.abs(gap[:-1]) <= ROUNDING)
        first = crossed.argmax(axis=0)
        low, high = MESH[first], MESH[first + 1]
        start = np.take_along_axis(gap, first[None], axis=0)[0]
        high = np.where(np.abs(start) <= ROUNDING, low, high)
        for _ in range(60):
            middle = (low + high) / 2
            same_side = np.sign(self(middle) - flat) * np.sign(start) > 0
            low, high = np.where(same_side, middle, low), np.where(same_side, high, middle)
        return np.where(crossed.any(axis=0), high, np.nan).reshape(v.shape)

    def derivative2(self, x: ArrayLike) -> Any:
        """The second derivative u''(x), the risk aversion in Eq. (2) of Zaffalon et al. (2012)."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return self._derivative2(_numbers(x))[()]

    def _derivative2(self, x: Floats) -> Array:
        step = 1e-3  # balances truncation and rounding errors for functions of order one
        x = np.maximum(x, step)  # stay on x >= 0
        return (self._value(x - step) - 2 * self._value(x) + self._value(x + step)) / step**2

    def derivative3(self, x: ArrayLike) -> Any:
        """The third derivative: how fast risk aversion decreases as rewards add up."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return self._derivative3(_numbers(x))[()]

    def _derivative3(self, x: Floats) -> Array:
        step = 1e-3
        x = np.maximum(x, 2 * step)
        return (self._derivative2(x + step) - self._derivative2(x - step)) / (2 * step)

    def is_increasing(self, n_classes: int | None = None) -> bool:
        """Whether it increases on {0, 1/n, ..., 1/2, 1}, or on all of [0, 1]."""
        return bool((np.diff(self(reward_points(n_classes))) > 0).all())

    def is_concave(self, n_classes: int | None = None) -> bool:
        """Whether it is risk-averse or neutral on {0, 1/n, ..., 1}, or on all of [0, 1]."""
        x = reward_points(n_classes)
        slopes = np.diff(self(x)) / np.diff(x)
        return bool((np.diff(slopes) <= ROUNDING * len(x) * max(1.0, np.abs(slopes).max())).all())

    @property
    def largest_size(self) -> float:
        """The size of the largest set that it has a value for (infinite for most)."""
        return np.inf

    @property
    def increasing_up_to(self) -> float:
        """The largest total reward up to which u never decreases (infinite for most)."""
        return np.inf

    def with_own_error(
        self, mean: Estimate, shares: Floats, *, is_difference: bool = False
    ) -> Estimate:
        """The mean utility with the uncertainty of the utility itself, if it was measured.

        Parameters
        ----------
        mean : Estimate
            The mean, with the uncertainty of the rows.
        shares : array of shape (K + 1,)
            How much the values of hits with 0, 1, ..., K classes contribute to the mean.
        is_difference : bool, default=False
            Whether it is the mean difference of two classifiers.
        """
        return mean

    def to_dict(self) -> dict[str, Any]:
        """The utility as plain data, as in a TOML file."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        named = {"name": self.label} if self.label and "label" not in values else {}
        return (
            {"kind": self.kind}
            | named
            | {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}
        )


def rewards_of(size: Ints, hit: ArrayLike) -> Floats:
    """Discounted accuracy of predictions: 1/size for a hit, 0 for a miss (Theorem 1, Eq. 1)."""
    return np.asarray(hit) / np.maximum(size, 1)  # an empty set never hits: 0, not 0/0


def set_sizes(size: ArrayLike) -> Ints:
    """The sizes of sets as integers."""
    sizes = real_numbers(size, "the size of a set")
    if not (np.isfinite(sizes) & (sizes == np.floor(sizes)) & (np.abs(sizes) < 2**53)).all():
        raise ValueError("the size of a set must be a whole number of classes")
    return sizes.astype(np.int64)


def _numbers(values: ArrayLike) -> Floats:
    given = np.asarray(unmasked(values))
    if given.dtype.kind == "c":
        raise ValueError("a utility needs real numbers, got complex ones")
    return real_numbers(given, "rewards and utilities")
