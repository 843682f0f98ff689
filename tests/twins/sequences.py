"""Confidence sequences of `wager.compare`, row by row in 50 digits: of bets and of mixtures."""

from __future__ import annotations

import random
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from tests.twins.exact import Pair, decimal, ln
from wager.compare import SequentialState
from wager.compare._betting import CAPITALS, FRACTIONS
from wager.compare._mixture_martingale import MixtureMartingale

STAKES = [Decimal(float(f)) for f in FRACTIONS]
SHARES = [Decimal(float(c)) for c in CAPITALS]


def capital_course(rows: list[float], ends: tuple[int, int], m: Decimal, up: bool) -> list[Decimal]:
    """The capital after each row of someone who bets that the mean is above (below) m."""
    low, high = map(Decimal, ends)
    owned, course = list(SHARES), []
    for row in map(Decimal, rows):
        ratio = (row - low) / (m - low) if up else (high - row) / (high - m)
        owned = [c * (1 - f + f * ratio) for c, f in zip(owned, STAKES, strict=True)]
        course.append(sum(owned))
    return course


def random_rows(rng: random.Random) -> tuple[list[float], tuple[int, int]]:
    """Differences between two bounds: of few values, with a drift, or all different."""
    high = rng.choice([1, 1, 3, 100])
    n, kind = rng.randrange(1, 120), rng.randrange(3)
    if kind == 0:
        few = [high * rng.randrange(-8, 9) / 8 for _ in range(rng.randrange(1, 4))]
        return [rng.choice(few) for _ in range(n)], (-high, high)
    lean = rng.choice([-0.4, 0.0, 0.3])
    rows = [max(-1.0, min(1.0, lean + rng.uniform(-1, 1))) for _ in range(n)]
    return [high * (abs(row) if kind == 2 else row) for row in rows], (-high, high)


def betting_cases(rng: random.Random) -> Iterator[Pair]:
    """The evidence, the row of the decision, and both ends of the betting sequence."""
    rows, ends = random_rows(rng)
    alpha = rng.choice([0.5, 0.2, 0.05, 0.001])
    state = SequentialState(alpha, ends, "betting")
    for part in _parts(rng, rows):
        state = state.update(part)
    process, goal = state.process, decimal(2 / Fraction(alpha))
    courses = {up: capital_course(rows, ends, Decimal(0), up) for up in (True, False)}
    for up, found in zip((True, False), process.log_evidence, strict=True):
        yield Pair("evidence of bets", found, ln(courses[up][-1]), 1)
    if process.contradicted_at is None:
        refuted = [max(pair) >= goal for pair in zip(*courses.values(), strict=True)]
        first = refuted.index(True) + 1 if True in refuted else 0
        yield Pair("row of the decision", process.decided_at or 0, first)
    low, high = map(Decimal, process.interval)
    # an end moves by a hundredth of the width before the row or more
    before = SequentialState(alpha, ends, "betting").update(rows[:-1]).process.interval
    width = Decimal(before[1]) - Decimal(before[0])
    for up, end, inner in ((True, low, low + width / 99), (False, high, high - width / 99)):
        if end not in ends:
            best = max(capital_course(rows, ends, end, up))
            yield Pair("an end that moved is refuted", best >= goal * Decimal("0.999999"), 1)
        if process.contradicted_at is None:
            last = capital_course(rows, ends, inner, up)[-1]
            yield Pair("an end could not move by more", last < goal, 1)


def _parts(rng: random.Random, rows: list[float]) -> Iterator[list[float]]:
    """The rows in pieces of any length."""
    while rows:
        size = rng.randrange(1, len(rows) + 1)
        yield rows[:size]
        rows = rows[size:]


def below(power: Decimal, x: Decimal) -> Decimal:
    """The integral of u^(power - 1) exp(-x u) for u from 0 to 1, by a series of positive terms."""
    k, total, term = 0, Decimal(0), Decimal(1)
    if x < 0:  # the series of the exponential function, term by term
        while k < -x or term > total * Decimal("1e-45"):
            total += term / (power + k)
            k += 1
            term *= -x / k
        return total
    while k < x or term > total * Decimal("1e-45"):
        term *= (x if k else 1) / (power + k)
        total += term
        k += 1
    return total * (-x).exp()


def ln_mixture(mixture: MixtureMartingale, s: Decimal, v: Decimal) -> Decimal:
    """The mixture of exp(bet s - psi(bet) v), where c bet = 1 - u and u has a cut gamma law."""
    c, rho = Decimal(mixture.scale), Decimal(mixture.rho)
    a, b, x = rho / c**2, (v + rho) / c**2, s / c + (v + rho) / c**2
    return x - a + ln(below(b, x)) - ln(below(a, a))


def mixture_cases(rng: random.Random) -> Iterator[Pair]:
    """Sum, variation, evidence and both ends of the sequence of mixtures."""
    rows, ends = random_rows(rng)
    alpha = rng.choice([0.5, 0.2, 0.05, 0.001])
    state = SequentialState(alpha, ends, "mixture")
    for part in _parts(rng, rows):
        state = state.update(part)
    total, variation = Fraction(0), Fraction(0)
    for i, row in enumerate(map(Fraction, rows)):
        variation += (row - total / max(i, 1)) ** 2
        total += row
    process, n, bound = state.process, len(rows), ends[1]
    yield Pair("sum of rows", process.total, total, n * bound)
    yield Pair("variation of rows", process.variation, variation, n * bound**2)

    found, level = process._mixture, decimal(Fraction(alpha) / 2)
    s, v = decimal(total), decimal(variation)
    for sign, number in zip((1, -1), process.log_evidence, strict=True):
        yield Pair("evidence of mixtures", number, ln_mixture(found, sign * s, v), n)
    for sign, end in zip((-1, 1), process.interval, strict=True):
        radius = sign * (n * Decimal(end) - s)
        if abs(end) < bound:
            yield Pair("mixture at an end", float(ln_mixture(found, radius, v)), -ln(level), n)
        else:
            yield Pair("an end is at a bound", ln_mixture(found, radius, v) <= -ln(level), 1)


TOPICS = {"confidence sequences": betting_cases, "mixture sequences": mixture_cases}
