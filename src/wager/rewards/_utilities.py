"""Utilities with a formula: linear, quadratic, F measure, logarithmic, exponential and power."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wager._tables import real_number
from wager._typing import Array, Floats
from wager.rewards._utility import Utility, require


@dataclass(frozen=True, repr=False)
class Linear(Utility):
    """Risk-neutral: u(x) = x, which gives discounted accuracy."""

    kind: ClassVar[str] = "linear"

    @property
    def spelling(self) -> str:
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


@dataclass(frozen=True, repr=False)
class Quadratic(Utility):
    """The parabola through u(0) = 0, u(0.5) = `u_half` and u(1) = 1.

    u65 and u80 are ``Quadratic(0.65)`` and ``Quadratic(0.8)`` (Zaffalon, Corani & Mauá, 2012,
    Sec. 9, where the two formulas are interchanged).  Expected quadratic utility depends on the
    mean and the variance of the reward only (Eq. 2).

    Parameters
    ----------
    u_half : float
        The value of a set of two classes that contains the true one, in [0, 1]; above 0.5 it
        expresses risk aversion.  Above 0.75 the parabola has its maximum below 1, between two
        rewards 1/k.

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
        require(
            0 <= real_number(self.u_half, "u(0.5)") <= 1, "u(0.5) must lie in [0, 1]", self.u_half
        )

    @property
    def spelling(self) -> str:
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
        # the maximum itself may be too high by a rounding error
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
        """The maximum of the parabola: 4/3 for u65, 11/12 for u80."""
        a, b = self.coefficients
        return 0.0 if b < 0 else -b / (2 * a) if a < 0 else np.inf


@dataclass(frozen=True, repr=False)
class FBeta(Utility):
    """The F measure of a set as in information retrieval: (1 + b²)x / (b²x + 1).

    A set of k classes that contains the true one has precision 1/k and recall 1; a miss scores 0.
    F1 lies between u65 and u80 for every k (Zaffalon, Corani & Mauá, 2012, Eq. 9).

    Parameters
    ----------
    beta : float, default=1.0
        Weight of recall relative to precision.

    Examples
    --------
    >>> FBeta(1).of_size([1, 2, 3]).round(4).tolist()
    [1.0, 0.6667, 0.5]
    """

    beta: float = 1.0
    kind: ClassVar[str] = "fbeta"

    def __post_init__(self) -> None:
        require(np.isfinite(self.beta) and self.beta >= 0, "beta must be at least 0", self.beta)
        # powers of beta up to the eighth occur in derivatives
        require(self.beta <= 1e30, "beta must be at most 1e30", self.beta)

    @property
    def spelling(self) -> str:
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


@dataclass(frozen=True, repr=False)
class Logarithmic(Utility):
    """u(x) = log(1 + x), natural logarithm; if normalised, log2(1 + x), so that u(1) = 1.

    Parameters
    ----------
    normalized : bool, default=False
        Divide by log(2), so that a correct single class is worth 1.
    """

    normalized: bool = False
    kind: ClassVar[str] = "log"

    @property
    def spelling(self) -> str:
        """``"log"`` or ``"log-norm"``."""
        return "log-norm" if self.normalized else "log"

    @property
    def _unit(self) -> float:
        return float(np.log(2.0)) if self.normalized else 1.0

    def _value(self, x: Floats) -> Array:
        return np.log1p(x) / self._unit

    def _inverse(self, v: Floats) -> Array:
        with np.errstate(over="ignore"):  # no finite reward has so large a utility
            return np.where(v >= 0, np.expm1(v * self._unit), np.nan)

    def _derivative2(self, x: Floats) -> Array:
        return -1 / ((1 + x) ** 2 * self._unit)

    def _derivative3(self, x: Floats) -> Array:
        return 2 / ((1 + x) ** 3 * self._unit)


@dataclass(frozen=True, repr=False)
class Exponential(Utility):
    """u(x) = 1 - exp(-ax), with constant risk aversion a; divided by u(1) if normalised.

    Parameters
    ----------
    a : float
        Risk aversion, positive.  If normalised, 0 is the linear limit and negative values are
        risk-seeking.
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
        if isinstance(self.a, np.integer):  # of which some have no negative numbers
            object.__setattr__(self, "a", float(self.a))
        require(np.isfinite(self.a), "the risk aversion a must be finite", self.a)
        require(self.a <= 1e100, "the risk aversion a must be at most 1e100", self.a)
        require(
            self.a > -700,
            "the risk aversion a must be above -700, so that exp(-a) is finite",
            self.a,
        )
        require(self.normalized or self.a > 0, "the risk aversion a must be positive", self.a)

    @classmethod
    def through(cls, u_half: float) -> Exponential:
        """The normalised exponential with u(0.5) = `u_half`: a = 2 log(u / (1 - u))."""
        require(
            0 < real_number(u_half, "u(0.5)") < 1,
            "u(0.5) must lie strictly between 0 and 1",
            u_half,
        )
        return cls(float(2 * np.log(u_half / (1 - u_half))), normalized=True)

    @property
    def spelling(self) -> str:
        """``"exp:2"`` or ``"exp-norm:2"`` for a = 2."""
        return f"exp{'-norm' if self.normalized else ''}:{self.a:.10g}"

    @property
    def scale(self) -> float:
        """The factor of 1 - exp(-ax): 1, or 1 / (1 - exp(-a)) if normalised."""
        if not self.normalized:
            return 1.0
        with np.errstate(over="ignore"):
            return float(-1 / np.expm1(-self.a)) if self.a else np.inf

    @property
    def is_linear(self) -> bool:
        """Whether it cannot be distinguished from the linear limit."""
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


@dataclass(frozen=True, repr=False)
class Power(Utility):
    """u(x) = x^p: risk-averse for p < 1, neutral for p = 1, risk-seeking for p > 1.

    Parameters
    ----------
    exponent : float
        The exponent p, greater than 0.
    """

    exponent: float
    kind: ClassVar[str] = "power"

    def __post_init__(self) -> None:
        positive = np.isfinite(self.exponent) and self.exponent > 0
        require(positive, "the exponent must be positive", self.exponent)

    @property
    def spelling(self) -> str:
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
