"""What all twins share: pairs of numbers, their error, and functions in 50 digits."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, NamedTuple

DIGITS = 50
SUM = 1e-12  # the largest relative error of a mean or a total
ROOT = 1e-9  # of a standard error, in which differences are squared
# Of a standard error that comes from sums of squares, relative to the largest score: the root of a
# few rounding errors of 2 ** -53.
FROM_SUMS = 1e-7
END = 1e-9  # of the end of an interval, relative to the range of the score


class Pair(NamedTuple):
    """What wager says and what the twin says; None if it is not defined.

    The error is relative to the exact number, or to `scale` if that is larger: the size of the
    terms of which a small number is the difference.
    """

    name: str
    found: Any
    exact: Any
    scale: Any = 0
    most: float = SUM


def error_of(pair: Pair) -> float:
    """The relative error of a pair; infinite if only one of both is defined."""
    found = float(pair.found)
    if pair.exact is None or math.isnan(found):
        return 0.0 if pair.exact is None and math.isnan(found) else math.inf
    exact = decimal(pair.exact)
    if math.isinf(found) or exact.is_infinite():
        return 0.0 if found == float(exact) else math.inf
    size = max(abs(exact), abs(decimal(pair.scale)))
    gap = abs(Decimal(found) - exact)
    return float(gap / size) if size else (0.0 if gap == 0 else math.inf)


def run(
    cases: Callable[[random.Random], Iterable[Pair]], n: int, first: int = 0
) -> dict[str, tuple[int, float]]:
    """How often each name was compared in n cases, and the largest error; too large a one raises.

    The number of a case is its seed, so that it can be repeated.
    """
    found: dict[str, tuple[int, float]] = {}
    with localcontext() as context:
        context.prec = DIGITS
        for seed in range(first, first + n):
            for pair in cases(random.Random(seed)):
                error = error_of(pair)
                assert error <= pair.most, (
                    f"case {seed}, {pair.name}: {pair.found} instead of {decimal(pair.exact)}, "
                    f"a relative error of {error:.3g}"
                )
                count, largest = found.get(pair.name, (0, 0.0))
                found[pair.name] = count + 1, max(largest, error)
    return found


# -- numbers ---------------------------------------------------------------------------------------


def decimal(x: Any) -> Decimal:
    """A whole number, fraction, float or decimal number in 50 digits."""
    if x is None:
        return Decimal("nan")
    if isinstance(x, Fraction):
        return Decimal(x.numerator) / Decimal(x.denominator)
    return Decimal(x)


def ln(x: Any) -> Decimal:
    """The natural logarithm; minus infinity of 0."""
    return decimal(x).ln() if x > 0 else Decimal("-inf")


def log2(x: Any) -> Decimal:
    """The binary logarithm."""
    return ln(x) / Decimal(2).ln()


def root(x: Any) -> Decimal:
    """The square root."""
    return decimal(x).sqrt()


def average(values: Iterable[Any], weights: Iterable[Any]) -> Any:
    """The weighted mean; None without weight."""
    pairs = list(zip(values, weights, strict=True))
    total = sum(w for _, w in pairs)
    if not total:
        return None
    if any(isinstance(v, Decimal) for v, _ in pairs):
        return sum(decimal(v) * decimal(w) for v, w in pairs) / decimal(total)
    return sum(Fraction(v) * w for v, w in pairs) / total


def bisect(f: Callable[[Decimal], Any], low: Any, high: Any, digits: int = 20) -> Decimal:
    """Where an increasing function is 0, to so many digits of the range."""
    a, b = decimal(low), decimal(high)
    close = (b - a) * Decimal(10) ** -digits
    while b - a > close:
        middle = (a + b) / 2
        a, b = (a, middle) if f(middle) > 0 else (middle, b)
    return (a + b) / 2


# -- random inputs ---------------------------------------------------------------------------------


def weights(rng: random.Random, n: int) -> list[float] | None:
    """Weights of n rows: none, whole ones, or of very different sizes."""
    kind = rng.randrange(4)
    if kind < 2:
        return None
    if kind == 2:
        return [float(rng.randrange(1, 5)) for _ in range(n)]
    return [math.ldexp(rng.randrange(1, 2**20), rng.randrange(-40, 40)) for _ in range(n)]


def as_fractions(given: list[float] | None, n: int) -> list[Fraction]:
    """Weights as fractions, 1 for rows without one."""
    return [Fraction(1)] * n if given is None else [Fraction(w) for w in given]


def sets(rng: random.Random, n: int, k: int, *, empty: bool = True) -> list[list[bool]]:
    """Sets of classes as rows of a matrix."""
    chance = rng.random()
    found = [[rng.random() < chance for _ in range(k)] for _ in range(n)]
    if not empty:
        for row in found:
            row[rng.randrange(k)] = True
    return found


def simplex(rng: random.Random, k: int, bits: int = 10, *, positive: bool = False) -> list[float]:
    """Probabilities whose sum is exactly 1: multiples of 2 ** -bits."""
    total = 2**bits
    cuts = sorted(rng.randrange(total + 1) for _ in range(k - 1))
    parts = [b - a for a, b in zip([0, *cuts], [*cuts, total], strict=True)]
    if positive:
        while 0 in parts:
            parts[parts.index(0)] += 1
            parts[parts.index(max(parts))] -= 1
    return [part / total for part in parts]


def subsets(k: int) -> Iterator[tuple[int, ...]]:
    """All non-empty sets of k classes."""
    for mask in range(1, 2**k):
        yield tuple(i for i in range(k) if mask >> i & 1)
