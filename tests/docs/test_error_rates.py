"""Error rates that pages mention are those of the stored simulations."""

import csv
import re
from functools import cache
from math import ceil, floor
from typing import NamedTuple

import pytest

from tests.docs.pages import DOCS


class Claim(NamedTuple):
    """A phrase of some pages, and the simulations whose lowest and highest rate it states."""

    phrase: str
    pages: tuple[str, ...]
    topic: str
    what: str  # a pattern for the beginning of the column "what"
    setting: str = ""
    digits: int = 1


CHOOSE, TWO, EVEN = "choose-test.md", "guide/comparing-two.md", "guide/break-even.md"
DOMINANCE, FOLDS = "guide/dominance.md", "guide/cross-validation.md"
MONITOR = "how-to/monitor-production.md"
SEQUENTIAL, PLANNING = "guide/sequential.md", "guide/planning.md"

CLAIMS = [
    Claim("chosen in advance? | {low}% to {high}% |", (CHOOSE,), "verdicts", "paired difference"),
    Claim("{low}% to {high}% (any star)", (CHOOSE,), "verdicts", "a star under any"),
    Claim("{low}% to {high}% of the reports", (TWO,), "verdicts", "a star under any"),
    Claim("for which B? | {low}% to {high}% |", (CHOOSE,), "verdicts", '"X scores higher"'),
    Claim("a wrong side in at most {high}%", (EVEN,), "verdicts", '"X scores higher"'),
    Claim("averse to risk? | {low}% to {high}% |", (CHOOSE,), "verdicts", '"everyone prefers X"'),
    Claim("claimed in at most {high}%", (DOMINANCE,), "verdicts", '"everyone prefers X"'),
    Claim("Plain labels only | {low}% to {high}% |", (CHOOSE,), "verdicts", "McNemar"),
    Claim("false alarms {low}% to {high}% |", (CHOOSE,), "verdicts", "equivalence"),
    Claim("claimed in at most {high}%", (PLANNING,), "verdicts", "equivalence"),
    Claim(
        "or information reward? | {low}% to {high}% |", (CHOOSE,), "probabilities", "type I.*pair"
    ),
    Claim("calibrated? | {low}% to {high}% |", (CHOOSE,), "probabilities", "type I.*calibration"),
    Claim("dominance | {low}% to {high}% |", (CHOOSE,), "cross_validation", "type I.*(u..|even)$"),
    Claim(
        "in {low}% to {high}% of the data sets |",
        (FOLDS,),
        "cross_validation",
        "type I.*(u..|even)$",
    ),
    Claim("{low}% to {high}%", (CHOOSE, FOLDS), "cross_validation", ".*as rows", "10 x 10", 0),
    Claim("{low}% to {high}%", (FOLDS,), "cross_validation", ".*as rows", "1 x 10", 0),
    Claim("over time | {low}% to {high}% |", (CHOOSE,), "sequential", "type I error, betting"),
    Claim(
        "needs more rows | {low}% to {high}% |", (CHOOSE,), "sequential", "type I error, mixture"
    ),
    Claim("a winner in {low}% to {high}%", (SEQUENTIAL,), "sequential", "type I error, betting"),
    Claim("target, {low}% to {high}% of", (MONITOR,), "monitor", "type I error, known"),
    Claim("the mixture in {low}% to {high}%", (SEQUENTIAL,), "sequential", "type I error, mixture"),
    Claim(
        "covered {low}% to {high}% with 30 clusters", (CHOOSE,), "intervals", "", "30 clusters", 0
    ),
    Claim("`weight` | {low}% to {high}% |", (CHOOSE,), "intervals", "", "weighted", 0),
    Claim("intervals covered {low}% to {high}% |", (CHOOSE,), "paired", ".*break-even", "", 0),
    Claim("point in {low}% to {high}% of", (EVEN,), "paired", ".*break-even", "", 0),
]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: f"{claim.phrase} {claim.pages[0]}")
def test_a_page_states_the_simulated_rates(claim):
    rates = [
        100 * float(row["value"])
        for row in _rows(claim.topic)
        if re.match(claim.what, row["what"])
        and claim.setting in (row.get("setting") or row.get("rows are") or "")
    ]
    low, high = _outwards(min(rates), max(rates), claim.digits)
    for page in claim.pages:
        text = " ".join((DOCS / page).read_text(encoding="utf-8").split())
        assert claim.phrase.format(low=low, high=high) in text


def test_rates_are_rounded_outwards():
    assert _outwards(0.04, 5.25, 1) == ("0", "5.3")
    assert _outwards(45.6, 61.6, 0) == ("45", "62")


def _outwards(low: float, high: float, digits: int) -> tuple[str, str]:
    """The rates with so many digits, and no narrower than they are."""
    scale = 10**digits
    ends = floor(low * scale + 1e-9) / scale, ceil(high * scale - 1e-9) / scale
    return f"{ends[0]:g}", f"{ends[1]:g}"


@cache
def _rows(topic: str) -> list[dict[str, str]]:
    with (DOCS / "results" / "certainty" / f"{topic}.csv").open(
        newline="", encoding="utf-8"
    ) as file:
        return list(csv.DictReader(file))
