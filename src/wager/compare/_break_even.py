"""The break-even point: the risk attitude for which two classifiers earn the same.

It shows which users each classifier suits.  Along the quadratic utilities of Zaffalon, Corani &
Mauá (2012) the expected utility is linear in u(0.5), so there is at most one break-even point.
Along other families of utilities and of costs the curves are followed numerically.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from wager._tables import Table, View, Viewed, is_one_of, real_number, require_kind
from wager._typing import ArrayLike
from wager._visible import brief
from wager.compare._break_even_sentence import CurveName, break_even_sentence
from wager.compare._cost_families import COST_FAMILIES, cost_grid, single_costs
from wager.compare._curve_crossings import curve_facts
from wager.compare._lead_curves import LeadCurve, cost_lead, utility_lead
from wager.compare._outcome import check_names
from wager.compare._paired_costs import PairedCosts
from wager.compare._simultaneous import Adjustment
from wager.compare._utility_families import FAMILIES
from wager.costs import CostMatrix
from wager.rewards import PairedTally, Tally

QUADRATIC = FAMILIES["quadratic"]
BENDS = 21  # points that follow the bends of a curve that is not a straight line


class _Triple(NamedTuple):
    value: float | None
    interval: tuple[float, float] | None
    verdict: str


class BreakEven(Viewed, _Triple):
    """Where two classifiers earn the same, with a confidence interval and a sentence.

    It unpacks as ``value, interval, verdict``.

    Attributes
    ----------
    value : float or None
        The u(0.5) in [0.5, 1] at which both earn the same; None if one is better throughout.
        Along other families there may be several such points; this is the first one.
    interval : tuple of float or None
        The part of [0.5, 1] in which the data do not distinguish the two: its hull if it has
        several pieces, None if they are distinguished everywhere.
    verdict : str
        The result as a sentence.
    decided : sequence of (float, float, int)
        The parts of the range in which the data distinguish the two, each with the side that is
        better: 1 for the first, -1 for the second.
    is_draw : bool
        Whether both earn the same in every row.
    """

    decided: Sequence[tuple[float, float, int]] = ()
    is_draw: bool = False

    def _view(self) -> View:
        value = "none" if self.value is None else f"{self.value:.3f}"
        ends = "-" if self.interval is None else "{:.3f} to {:.3f}".format(*self.interval)
        rows = [["break-even", value], ["not decided in", ends]]
        return View(tables=[Table((), rows)], verdict=[self.verdict])


def break_even(
    a: PairedTally | Tally | PairedCosts,
    b: Tally | None = None,
    *,
    family: str = "quadratic",
    costs: CostMatrix | ArrayLike | None = None,
    names: tuple[str, str] = ("A", "B"),
    confidence: float = 0.95,
    adjustment: Adjustment | None = None,
    **options: Any,
) -> BreakEven:
    """The risk attitude for which two classifiers earn the same, with its confidence interval.

    Parameters
    ----------
    a : PairedTally, Tally of the first classifier, or PairedCosts
        A paired tally of both on the same rows gives the shorter interval.  A family of costs
        needs `PairedCosts`.
    b : Tally, optional
        The second classifier, if ``a`` is a plain tally; the two are then treated as scored on
        different rows.
    family : {"quadratic", "exponential", "fbeta", "p-discounted", "ha"}, default="quadratic"
        The family of decision makers, as in `risk_profile`: by default along u(0.5), and with
        `PairedCosts` along r, the reward for caution of p-discounted costs.
    costs : CostMatrix or array of shape (K, K), optional
        The costs of single classes, for a family of costs; ``options`` are those of `risk_profile`
        (``empty_cost``, ``mode``).
    names : pair of str
        The names of the two classifiers in the sentence.
    confidence : float, default=0.95
        Level of the interval: the attitudes at which a test of equal utility does not reject.  The
        tests at all attitudes hold together at this level, so that the sentence names a side only
        if the data support it.
    adjustment : Adjustment, optional
        The adjustment of the tests, if they are part of a larger report.

    Examples
    --------
    >>> y = [0] * 1000
    >>> plain = [0] * 860 + [1] * 140                 # right in 260 of the last 400 rows
    >>> cautious = [[0]] * 600 + [[0, 1]] * 400       # keeps both classes there
    >>> even = break_even(PairedTally.of(y, cautious, plain), names=("cautious", "plain"))
    >>> even.verdict
    'cautious scores higher than plain for u(0.5) above 0.70, plain below 0.60; in between, the data
    do not distinguish them (break-even at 0.65, 95% interval 0.60-0.70)'
    """
    if not 0 < real_number(confidence, "confidence") < 1:
        raise ValueError(f"confidence must lie between 0 and 1, got {brief(confidence)}")
    names = check_names(names)
    require_kind(family, "family", str)
    if family == "quadratic" and isinstance(a, PairedCosts):
        family = "p-discounted"
    if family in COST_FAMILIES:
        return _along_costs(a, family, costs, options, names, confidence, adjustment)
    if not is_one_of(family, FAMILIES):
        known = ", ".join([*FAMILIES, *COST_FAMILIES])
        raise ValueError(f"unknown family {brief(family)}: choose from {known}")
    if isinstance(a, PairedCosts) or costs is not None or options:
        raise ValueError(
            f"the {family} family is a family of utilities: pass a PairedTally and no costs"
        )
    if isinstance(a, PairedTally) == (b is not None):
        missing = "a second tally is missing: pass break_even(tally_a, tally_b)"
        raise ValueError(
            missing if b is None else "pass one paired tally, or two tallies, not both"
        )
    for given in (a, b):
        if not isinstance(given, PairedTally | Tally | None):
            raise ValueError(
                "break_even needs a PairedTally, two tallies, or PairedCosts with costs=, got an "
                f"object of type {type(given).__name__}: count predictions with PairedTally.of"
            )
    require_kind(adjustment, "adjustment", Adjustment, type(None))
    chosen = FAMILIES[family]
    curve = CurveName(chosen.parameter, chosen.ends, names, "earn", confidence)
    bends = 2 if chosen.is_linear else BENDS
    return _along_curve(utility_lead(a, b, chosen), curve, bends, adjustment)


def _along_curve(
    lead: LeadCurve, curve: CurveName, bends: int, adjustment: Adjustment | None = None
) -> BreakEven:
    points = np.linspace(*curve.within, bends)
    if lead.is_zero(points):
        a, b = curve.names
        words = f"{a} and {b} {curve.verb} the same in every row, for every {curve.parameter}"
        draw = BreakEven(None, curve.within, words)
        draw.is_draw = True
        return draw
    if adjustment is None:
        adjustment = Adjustment(lead.length(points))
    facts = curve_facts(lead, curve.within, adjustment.level(1 - curve.confidence))
    value = facts.crossings[0] if facts.crossings else None
    found = BreakEven(value, facts.undecided, break_even_sentence(facts, curve))
    found.decided = facts.decided
    return found


def _along_costs(
    paired: Any,
    family: str,
    costs: Any,
    options: dict[str, Any],
    names: tuple[str, str],
    confidence: float,
    adjustment: Adjustment | None,
) -> BreakEven:
    if costs is None or not isinstance(paired, PairedCosts):
        raise ValueError(
            f"the {family} family needs PairedCosts.of(y_true, pred_a, pred_b) and costs="
        )
    costs = single_costs(costs, paired.classes)
    low, high = (float(end) for end in cost_grid(family, costs)[[0, -1]])
    curve = CurveName(COST_FAMILIES[family], (low, high), names, "cost", confidence)
    return _along_curve(cost_lead(paired, family, costs, options), curve, BENDS, adjustment)
