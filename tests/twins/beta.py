"""The Beta distribution in 50 digits, and Student's, which follows from it.

Numbers x in [0, 1] come with 1 - x, and probabilities with those of the other side, so that the
smaller one of both has all digits.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from fractions import Fraction
from functools import wraps
from math import comb
from typing import Any

from tests.twins.exact import DIGITS, decimal

ZERO, ONE = Decimal(0), Decimal(1)
CLOSE = Decimal("1e-42")
FAR = 40  # from here on Stirling's series has more than 50 digits
HALF_LN_2_PI = Decimal("0.91893853320467274178032973640561763986139747363778341")


def in_all_digits(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compute in 50 digits, also outside of a run of cases."""

    @wraps(function)
    def inside(*numbers: Any) -> Any:
        with localcontext() as context:
            context.prec = DIGITS
            context.Emax, context.Emin = MAX_EMAX, MIN_EMIN  # quantiles may be very close to 0
            return function(*numbers)

    return inside


def bernoulli(most: int) -> list[Fraction]:
    """The Bernoulli numbers of 0 to `most`, by their recursion."""
    found = [Fraction(1)]
    for m in range(1, most + 1):
        found.append(-sum(comb(m + 1, k) * b for k, b in enumerate(found)) / (m + 1))
    return found


SERIES = [b / (k * (k - 1)) for k, b in enumerate(bernoulli(54)) if k >= 2 and k % 2 == 0]


def ln_gamma(z: Decimal) -> Decimal:
    """The logarithm of the Gamma function of a positive number."""
    product = ONE
    while z < FAR:
        product *= z
        z += 1
    total, power = (z - ONE / 2) * z.ln() - z + HALF_LN_2_PI, z
    for term in SERIES:
        total += decimal(term) / power
        power *= z * z
    return total - product.ln()


def ln_density(a: Decimal, b: Decimal, x: Decimal, y: Decimal) -> Decimal:
    """The logarithm of x^a y^b / B(a, b)."""
    return a * x.ln() + b * y.ln() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b)


def lower_tail(a: Decimal, b: Decimal, x: Decimal, y: Decimal) -> Decimal:
    """The probability below x, by the continued fraction 8.17.22 of the DLMF."""
    tiny = Decimal("1e-400")
    c, d = ONE, 1 - (a + b) * x / (a + 1)
    d = 1 / (d or tiny)
    fraction, m = d, 0
    while True:
        m += 1
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / ((1 + term * d) or tiny)
            c = (1 + term / c) or tiny
            fraction *= c * d
        if abs(c * d - 1) < CLOSE:
            return ln_density(a, b, x, y).exp() * fraction / a


@in_all_digits
def beta_tails(a: Decimal, b: Decimal, x: Decimal, y: Decimal) -> tuple[Decimal, Decimal]:
    """The probabilities below and above x = 1 - y."""
    if x == 0 or y == 0:
        return (ZERO, ONE) if x == 0 else (ONE, ZERO)
    if x < (a + 1) / (a + b + 2):  # where the fraction converges quickly
        below = lower_tail(a, b, x, y)
        return below, 1 - below
    above = lower_tail(b, a, y, x)
    return 1 - above, above


@in_all_digits
def beta_quantile(a: Decimal, b: Decimal, below: Decimal, above: Decimal) -> tuple[Any, Any]:
    """The x with these probabilities on both sides, and 1 - x.

    The logarithm of the lower tail is a concave function of t = ln(x / (1 - x)), so Newton's steps
    stay on one side of the solution after the first one, wherever they begin.
    """
    if above < below:
        other, x = beta_quantile(b, a, above, below)
        return x, other
    if below == 0:
        return ZERO, ONE
    goal, t = below.ln(), (a / b).ln()
    for _ in range(400):
        x, y = 1 / (1 + (-t).exp()), 1 / (1 + t.exp())
        found = beta_tails(a, b, x, y)[0]
        step = (found.ln() - goal) * found / ln_density(a, b, x, y).exp()
        t -= step
        if abs(step) < CLOSE.sqrt():  # the next step would be its square
            return 1 / (1 + (-t).exp()), 1 / (1 + t.exp())
    raise ArithmeticError(f"no quantile of Beta({a}, {b}) at {below}")


@in_all_digits
def student_quantile(tail: Any, degrees: Any) -> float:
    """The t beyond which Student's distribution has this probability."""
    nu, outside = decimal(degrees), 2 * decimal(tail)
    x, y = beta_quantile(nu / 2, ONE / 2, outside, 1 - outside)
    return float((nu * y / x).sqrt())


@in_all_digits
def student_tails(square: Any, degrees: Any) -> Decimal:
    """The probability of both sides beyond the root of `square`."""
    nu, t2 = decimal(degrees), decimal(square)
    return beta_tails(nu / 2, ONE / 2, nu / (nu + t2), t2 / (nu + t2))[0]
