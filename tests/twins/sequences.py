"""Confidence sequences: the bets of `wager.compare`, row by row in 50 digits."""

from __future__ import annotations

import random
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from tests.twins.exact import Pair, decimal, ln
from wager.compare import SequentialState
from wager.compare._betting import CAPITALS, FRACTIONS

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
    width = high - low
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


TOPICS = {"confidence sequences": betting_cases}
