"""What a reward is worth to you: utilities of discounted accuracy.

A prediction of k classes that holds the true one earns 1/k, any other earns 0 (Zaffalon, Corani &
Mauá, 2012, Theorem 1).  A utility says what that reward is worth to a decision maker: linear to
one who is neutral to risk, concave to one who would rather be told "one of these two" than be
given a guess.  Here are the utilities of the field, each a small frozen value that can be called
on rewards, inverted (the certainty equivalent) and asked for its curvature.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from wager._typing import Array, ArrayLike, Floats, Ints

_SLACK = 1e-12  # rounding that is forgiven when slopes or values are compared
_MESH = np.linspace(0.0, 1.0, 2049)  # where a function without a closed form is looked at


def _require(condition: bool, wanted: str, got: object) -> None:
    if not condition:
        raise ValueError(f"{wanted}, got {got!r}")


def _points(n_classes: int | None) -> Floats:
    """The rewards 0, 1/n, ..., 1/2, 1; without a number of classes, a fine mesh of [0, 1]."""
    if n_classes is None:
        return _MESH
    _require(n_classes >= 1, "n_classes must be at least 1", n_classes)
    return np.concatenate(([0.0], 1.0 / np.arange(n_classes, 0, -1)))


class Utility(ABC):
    """A function of the reward x >= 0, with u(0) the worth of a miss and u(1) that of a sure hit.

    Subclasses say `name` and `_value`; a closed form of the inverse and of the second derivative
    replaces the numerical one where there is one.
    """

    kind: ClassVar[str]

    @property
    @abstractmethod
    def name(self) -> str:
        """A short name; `get_utility` understands those of the built-in utilities."""

    @abstractmethod
    def _value(self, x: Floats) -> Array: ...

    def __call__(self, x: ArrayLike) -> Any:
        """The utility of a reward, or of an array of rewards."""
        return self._value(np.asarray(x, dtype=np.float64))[()]

    def of_size(self, size: ArrayLike) -> Floats:
        """The utility of a hit by a set of `size` classes, u(1/size); of an empty set, u(0)."""
        size = np.asarray(size)
        return np.asarray(self(np.divide(1.0, size, out=np.zeros(size.shape), where=size > 0)))

    def inverse(self, v: ArrayLike) -> Any:
        """The least reward x with u(x) = v; 1 where v = u(1).

        The second half matters for utilities that pass u(1) twice, as quadratics with
        u(0.5) > 0.75 do.  A value that u does not take is a ``ValueError``.
        """
        v = np.asarray(v, dtype=np.float64)
        top = float(self(1.0))
        at_top = np.abs(v - top) <= 4 * np.spacing(max(abs(top), 1.0))
        with np.errstate(invalid="ignore", divide="ignore"):
            x = np.where(at_top, 1.0, self._inverse(np.where(at_top, top, v)))
        if not np.isfinite(x).all():
            bad = float(v[~np.isfinite(x)].flat[0])
            raise ValueError(f"{self.name} never takes the value {bad!r}: it has no inverse there")
        return np.maximum(x, 0.0)[()]

    def _inverse(self, v: Floats) -> Array:
        """First crossing on the mesh of [0, 1], then bisection; NaN where there is none."""
        flat = v.ravel()
        gap = np.asarray(self(_MESH))[:, None] - flat
        crossed = (gap[:-1] * gap[1:] <= 0) | (np.abs(gap[:-1]) <= _SLACK)
        first = crossed.argmax(axis=0)
        low, high = _MESH[first], _MESH[first + 1]
        start = np.take_along_axis(gap, first[None], axis=0)[0]
        high = np.where(np.abs(start) <= _SLACK, low, high)
        for _ in range(60):
            middle = (low + high) / 2
            same_side = (self(middle) - flat) * start > 0
            low, high = np.where(same_side, middle, low), np.where(same_side, high, middle)
        return np.where(crossed.any(axis=0), high, np.nan).reshape(v.shape)

    def derivative2(self, x: ArrayLike) -> Any:
        """The second derivative u''(x); the risk aversion in Eq. (2) of Zaffalon et al. (2012)."""
        return self._derivative2(np.asarray(x, dtype=np.float64))[()]

    def _derivative2(self, x: Floats) -> Array:
        step = 1e-3  # truncation and rounding balance near here for functions of order one
        x = np.maximum(x, step)  # stay on x >= 0
        return (self._value(x - step) - 2 * self._value(x) + self._value(x + step)) / step**2

    def derivative3(self, x: ArrayLike) -> Any:
        """The third derivative: how fast risk aversion fades as rewards add up."""
        return self._derivative3(np.asarray(x, dtype=np.float64))[()]

    def _derivative3(self, x: Floats) -> Array:
        step = 1e-3
        x = np.maximum(x, 2 * step)
        return (self._derivative2(x + step) - self._derivative2(x - step)) / (2 * step)

    def is_increasing(self, n_classes: int | None = None) -> bool:
        """Whether larger rewards are worth more: on {0, 1/n, ..., 1/2, 1}, or on all of [0, 1]."""
        return bool((np.diff(self(_points(n_classes))) > 0).all())

    def is_concave(self, n_classes: int | None = None) -> bool:
        """Whether you are averse (or neutral) to risk: on {0, 1/n, ..., 1}, or on all of [0, 1]."""
        x = _points(n_classes)
        slopes = np.diff(self(x)) / np.diff(x)
        return bool((np.diff(slopes) <= _SLACK * len(x) * max(1.0, np.abs(slopes).max())).all())

    @property
    def increasing_up_to(self) -> float:
        """The largest total reward up to which u never falls (infinite for most)."""
        return np.inf

    def to_dict(self) -> dict[str, Any]:
        """The utility as plain data, as a TOML file holds it."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        return {"kind": self.kind} | {
            name: list(v) if isinstance(v, tuple) else v for name, v in values.items()
        }


@dataclass(frozen=True)
class Linear(Utility):
    """Neutral to risk: u(x) = x, discounted accuracy itself."""

    kind: ClassVar[str] = "linear"

    @property
    def name(self) -> str:
        """``"linear"``."""
        return "linear"

    def _value(self, x: Floats) -> Array:
        return x * 1.0

    def _inverse(self, v: Floats) -> Array:
        return np.where(v >= 0, v, np.nan)

    def _derivative2(self, x: Floats) -> Array:
        return np.zeros_like(x)

    def _derivative3(self, x: Floats) -> Array:
        return np.zeros_like(x)


@dataclass(frozen=True)
class Quadratic(Utility):
    """The parabola through u(0) = 0, u(0.5) = `u_half` and u(1) = 1.

    u65 and u80 are ``Quadratic(0.65)`` and ``Quadratic(0.8)`` (Zaffalon, Corani & Mauá, 2012,
    Sec. 9, where the two formulas are printed in each other's place).  Expected quadratic utility
    is a trade between mean and variance, exactly (Eq. 2).

    Parameters
    ----------
    u_half : float
        What a set of two classes that holds the true one is worth, in [0, 1]; above 0.5 you are
        averse to risk.  Beyond 0.75 the parabola peaks before 1, though never on a reward 1/k.

    Examples
    --------
    >>> u65 = Quadratic(0.65)
    >>> u65([0, 0.5, 1]).tolist()
    [0.0, 0.65, 1.0]
    >>> [round(c, 10) for c in u65.coefficients]
    [-0.6, 1.6]
    """

    u_half: float
    kind: ClassVar[str] = "quadratic"

    def __post_init__(self) -> None:
        _require(0 <= self.u_half <= 1, "u(0.5) must lie in [0, 1]", self.u_half)

    @property
    def name(self) -> str:
        """``"u65"`` for u(0.5) = 0.65."""
        return f"u{100 * self.u_half:.10g}"

    @property
    def coefficients(self) -> tuple[float, float]:
        """The pair (a, b) of u(x) = a x^2 + b x."""
        return 2 - 4 * self.u_half, 4 * self.u_half - 1

    def _value(self, x: Floats) -> Array:
        a, b = self.coefficients
        return (a * x + b) * x

    def _inverse(self, v: Floats) -> Array:
        a, b = self.coefficients
        if a == 0:
            return np.where(v >= 0, v, np.nan)
        # the peak itself may come out a rounding error too high
        square = b * b + 4 * a * v
        root = np.sqrt(np.where(np.abs(square) < 1e-15, 0.0, square))
        # both roots without cancellation, then the least one that is not negative
        q = -(b + (root if b >= 0 else -root)) / 2
        pair = np.stack([q / a, np.where(v == 0, 0.0, -v / q)])
        pair[~(pair >= 0)] = np.inf
        return pair.min(axis=0)

    def _derivative2(self, x: Floats) -> Array:
        return np.full_like(x, 2 * self.coefficients[0])

    def _derivative3(self, x: Floats) -> Array:
        return np.zeros_like(x)

    @property
    def increasing_up_to(self) -> float:
        """The peak of the parabola: 4/3 for u65, 11/12 for u80."""
        a, b = self.coefficients
        return 0.0 if b < 0 else -b / (2 * a) if a < 0 else np.inf


@dataclass(frozen=True)
class FBeta(Utility):
    """The F measure of the information-retrieval view of a set: (1 + b²)x / (b²x + 1).

    A set of k classes that holds the true one has precision 1/k and recall 1; a miss scores 0.
    F1 lies between u65 and u80 for every k (Zaffalon, Corani & Mauá, 2012, Eq. 9).

    Examples
    --------
    >>> FBeta(1).of_size([1, 2, 3]).round(4).tolist()
    [1.0, 0.6667, 0.5]
    """

    beta: float = 1.0
    kind: ClassVar[str] = "fbeta"

    def __post_init__(self) -> None:
        _require(np.isfinite(self.beta) and self.beta >= 0, "beta must be at least 0", self.beta)

    @property
    def name(self) -> str:
        """``"f1"`` for beta = 1."""
        return f"f{self.beta:.10g}"

    def _value(self, x: Floats) -> Array:
        b2 = self.beta**2
        return (1 + b2) * x / (b2 * x + 1)

    def _inverse(self, v: Floats) -> Array:
        b2 = self.beta**2
        x = v / (1 + b2 - b2 * v)
        return np.where(x >= 0, x, np.nan)

    def _derivative2(self, x: Floats) -> Array:
        b2 = self.beta**2
        return -2 * b2 * (1 + b2) / (b2 * x + 1) ** 3

    def _derivative3(self, x: Floats) -> Array:
        b2 = self.beta**2
        return 6 * b2**2 * (1 + b2) / (b2 * x + 1) ** 4


@dataclass(frozen=True)
class Logarithmic(Utility):
    """u(x) = log(1 + x), natural; normalised, log2(1 + x), so that u(1) = 1."""

    normalized: bool = False
    kind: ClassVar[str] = "log"

    @property
    def name(self) -> str:
        """``"log"`` or ``"log-norm"``."""
        return "log-norm" if self.normalized else "log"

    @property
    def _unit(self) -> float:
        return float(np.log(2.0)) if self.normalized else 1.0

    def _value(self, x: Floats) -> Array:
        return np.log1p(x) / self._unit

    def _inverse(self, v: Floats) -> Array:
        return np.where(v >= 0, np.expm1(v * self._unit), np.nan)

    def _derivative2(self, x: Floats) -> Array:
        return -1 / ((1 + x) ** 2 * self._unit)

    def _derivative3(self, x: Floats) -> Array:
        return 2 / ((1 + x) ** 3 * self._unit)


@dataclass(frozen=True)
class Exponential(Utility):
    """u(x) = 1 - exp(-ax), constant risk aversion a; normalised, divided by u(1).

    Parameters
    ----------
    a : float
        Risk aversion, positive.  Normalised, 0 is the linear limit and a negative value seeks risk.
    normalized : bool, default=False
        Divide by 1 - exp(-a), so that u(1) = 1.

    Examples
    --------
    >>> u = Exponential.through(0.65)
    >>> round(u.a, 5), round(float(u(0.5)), 10)
    (1.23808, 0.65)
    """

    a: float
    normalized: bool = False
    kind: ClassVar[str] = "exp"

    def __post_init__(self) -> None:
        _require(np.isfinite(self.a), "the risk aversion a must be finite", self.a)
        _require(self.a > -700, "exp(-a) must stay within the floats, a above -700", self.a)
        _require(self.normalized or self.a > 0, "the risk aversion a must be positive", self.a)

    @classmethod
    def through(cls, u_half: float) -> Exponential:
        """The normalised exponential with u(0.5) = `u_half`: a = 2 log(u / (1 - u))."""
        _require(0 < u_half < 1, "u(0.5) must lie strictly between 0 and 1", u_half)
        return cls(float(2 * np.log(u_half / (1 - u_half))), normalized=True)

    @property
    def name(self) -> str:
        """``"exp:2"`` or ``"exp-norm:2"`` for a = 2."""
        return f"exp{'-norm' if self.normalized else ''}:{self.a:.10g}"

    @property
    def scale(self) -> float:
        """The factor in front of 1 - exp(-ax): 1, or 1 / (1 - exp(-a)) when normalised."""
        return float(-1 / np.expm1(-self.a)) if self.normalized else 1.0

    @property
    def is_linear(self) -> bool:
        """Whether it is so close to the linear limit that nobody could tell."""
        return self.normalized and abs(self.a) < 1e-12

    def _value(self, x: Floats) -> Array:
        return x * 1.0 if self.is_linear else -self.scale * np.expm1(-self.a * x)

    def _inverse(self, v: Floats) -> Array:
        x = v if self.is_linear else -np.log1p(-v / self.scale) / self.a
        return np.where(x >= 0, x, np.nan)

    def _derivative2(self, x: Floats) -> Array:
        if self.is_linear:
            return np.zeros_like(x)
        return -self.scale * self.a**2 * np.exp(-self.a * x)

    def _derivative3(self, x: Floats) -> Array:
        return -self.a * self._derivative2(x)


@dataclass(frozen=True)
class Power(Utility):
    """u(x) = x^p: averse to risk for p < 1, neutral for p = 1, seeking it beyond."""

    exponent: float
    kind: ClassVar[str] = "power"

    def __post_init__(self) -> None:
        positive = np.isfinite(self.exponent) and self.exponent > 0
        _require(positive, "the exponent must be positive", self.exponent)

    @property
    def name(self) -> str:
        """``"power:0.5"`` for the square root."""
        return f"power:{self.exponent:.10g}"

    def _value(self, x: Floats) -> Array:
        return x**self.exponent

    def _inverse(self, v: Floats) -> Array:
        return v ** (1 / self.exponent)

    def _derivative2(self, x: Floats) -> Array:
        p = self.exponent
        if p in (1.0, 2.0):
            return np.full_like(x, p * (p - 1))
        with np.errstate(divide="ignore"):  # minus infinity at 0 for p < 2
            return p * (p - 1) * x ** (p - 2)

    def _derivative3(self, x: Floats) -> Array:
        p = self.exponent
        if p in (1.0, 2.0):
            return np.zeros_like(x)
        with np.errstate(divide="ignore"):
            return p * (p - 1) * (p - 2) * x ** (p - 3)


@dataclass(frozen=True)
class Tabulated(Utility):
    """Your own values for hits by sets of 1, 2, 3, ... classes; straight lines in between.

    Parameters
    ----------
    values : sequence of float
        The utility of a hit by a set of 1, 2, ..., n classes.  Larger sets are refused.
    miss : float, default=0
        The utility of a miss.

    Examples
    --------
    >>> u = Tabulated([1.0, 0.7, 0.4])
    >>> u.of_size([1, 2, 3]).tolist()
    [1.0, 0.7, 0.4]
    """

    values: tuple[float, ...]
    miss: float = 0.0
    kind: ClassVar[str] = "tabulated"

    def __post_init__(self) -> None:
        values = tuple(float(v) for v in np.atleast_1d(np.asarray(self.values, dtype=np.float64)))
        finite = len(values) > 0 and np.isfinite([*values, self.miss]).all()
        _require(bool(finite), "a table by set size wants a finite utility for each size", values)
        object.__setattr__(self, "values", values)

    @property
    def name(self) -> str:
        """``"tabulated:1,0.7,0.4"``: the values by set size."""
        return "tabulated:" + ",".join(f"{v:.6g}" for v in self.values)

    @property
    def _knots(self) -> tuple[Floats, Floats]:
        return _points(len(self.values)), np.array([self.miss, *reversed(self.values)])

    def of_size(self, size: ArrayLike) -> Floats:
        """The tabulated value of a hit by a set of `size` classes; of an empty set, a miss's."""
        size = np.asarray(size)
        if (size > len(self.values)).any():
            raise ValueError(
                f"the utility lists sets of up to {len(self.values)} classes but a prediction has "
                f"{size.max()}: add the values of larger sets"
            )
        return np.array([self.miss, *self.values])[size]

    def _value(self, x: Floats) -> Array:
        if (x > 1 + _SLACK).any():
            raise ValueError(
                f"a table by set size says nothing about a reward of {float(x.max()):g}: "
                "rewards above 1 (totals of several bets) need a utility given by a formula"
            )
        return np.interp(x, *self._knots)

    def _derivative2(self, x: Floats) -> Array:
        """The curvature of the parabola through the three nearest knots."""
        knots, u = self._knots
        if len(knots) < 3:
            return np.zeros_like(x)
        middle = np.clip(np.abs(x[..., None] - knots).argmin(axis=-1), 1, len(knots) - 2)
        slopes = np.diff(u) / np.diff(knots)
        return 2 * (slopes[middle] - slopes[middle - 1]) / (knots[middle + 1] - knots[middle - 1])

    @property
    def increasing_up_to(self) -> float:
        """1 if the table never falls, else 0."""
        return 1.0 if (np.diff(self._knots[1]) >= 0).all() else 0.0


@dataclass(frozen=True)
class Custom(Utility):
    """Any function of the reward, of an array or of one number at a time.

    Inverse and second derivative are numerical: the inverse is looked for on [0, 1].
    """

    function: Callable[[Any], Any]
    label: str = field(default="")
    kind: ClassVar[str] = "custom"

    @property
    def name(self) -> str:
        """The label, or what the function calls itself."""
        return self.label or getattr(self.function, "__name__", type(self.function).__name__)

    def _value(self, x: Floats) -> Array:
        try:
            values = np.broadcast_to(np.asarray(self.function(x), dtype=np.float64), x.shape)
        except (TypeError, ValueError):  # written for one number, as with math.sqrt or an if
            values = np.array([self.function(float(one)) for one in x.flat], dtype=np.float64)
            values = values.reshape(x.shape)
        if not np.isfinite(values).all():
            bad = float(x[~np.isfinite(values)].flat[0])
            raise ValueError(f"{self.name} gives {self.function(bad)} for the reward {bad:g}")
        return values

    @property
    def increasing_up_to(self) -> float:
        """Infinite if it never falls on [0, 1]: further out it is taken at its word."""
        return np.inf if (np.diff(self(_MESH)) >= -_SLACK).all() else 0.0

    def to_dict(self) -> dict[str, Any]:
        """A function cannot be written down."""
        raise ValueError(f"{self.name} is a Python function and cannot be written to a file")


def rewards_of(size: Ints, hit: ArrayLike) -> Floats:
    """Discounted accuracy of predictions: 1/size for a hit, 0 for a miss (Theorem 1, Eq. 1)."""
    return np.asarray(hit) / np.maximum(size, 1)  # an empty set never hits: 0, not 0/0
