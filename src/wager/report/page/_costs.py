"""What classifiers cost on the same rows, as plain data from which the page prices any matrix."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import isfinite
from typing import Any

import numpy as np

from wager._tables import encode_labels
from wager._typing import Array, Floats, Ints
from wager.compare import ComparedRows, HeadToHead, JointOutcomes
from wager.costs import (
    ExtendedCosts,
    PDiscounted,
    TabulatedCosts,
    cost_ranges,
    set_keys,
)
from wager.predictions import PredictionSets, as_sets, concatenate_sets
from wager.report.page._joint import PairCells, joint_section
from wager.rewards import Estimate

_MOST_ENTRIES = 1 << 21
_MOST_LISTED = 200  # sets whose costs are shown


class _SetNumbers:
    """Numbers for the sets that occur, in the order of appearance."""

    def __init__(self, classes: Array):
        self.classes = classes
        self._numbers: dict[bytes, int] = {}
        self._new: list[PredictionSets] = []

    def outcomes(self, sets: PredictionSets, truth: Ints) -> Ints:
        """The number of each pair of set and true class."""
        known = as_sets(sets, self.classes)
        numbers = np.empty(len(known), dtype=np.int64)
        fresh = []
        for row, key in enumerate(set_keys(known)):
            if key not in self._numbers:
                self._numbers[key] = len(self._numbers)
                fresh.append(row)
            numbers[row] = self._numbers[key]
        self._new.append(known[fresh])
        order, _ = encode_labels(sets.classes, self.classes, name="the classes")
        return numbers * len(self.classes) + order[truth]

    @property
    def sets(self) -> PredictionSets:
        """All sets, in the order of their numbers."""
        return concatenate_sets(self._new)


def cost_section(found: HeadToHead) -> dict[str, Any] | None:
    """The section ``costs`` of the data of a comparison; None if it has no costs."""
    if found.costs is None:
        return None
    pairs = list(combinations(found.names, 2))
    if found.costs.costs is None:
        return _priced_rows(found, pairs)
    extended = found.costs.costs
    book = _SetNumbers(extended.classes)
    cells = []
    for pair in pairs:
        counts = found.costs.joint[pair]
        cells.append(
            PairCells(
                book.outcomes(counts.sets_a, counts.truth),
                book.outcomes(counts.sets_b, counts.truth),
                counts.sums,
            )
        )
    rows = None if found.rows is None else _set_rows(found.rows, book)
    joint = joint_section(len(found.names), cells, rows, join_misses=False)
    return _section(extended, found.costs.empty_cost, book, joint)


def fixed_costs(average: Estimate, unit: str | None, level: float) -> dict[str, Any]:
    """The section ``costs`` of one classifier of which only the average cost is known."""
    low, high = average.interval(level)
    known = {
        "value": average.value,
        "standard_error": average.standard_error,
        "lower": low,
        "upper": high,
        "n": average.n,
    }
    return _about(None, unit, None, {"name": "", "kind": "fixed"}) | {"estimates": [known]}


def _section(
    extended: ExtendedCosts,
    empty_cost: float | None,
    book: _SetNumbers,
    joint: dict[str, Any],
) -> dict[str, Any]:
    rule = extended.rule
    matrix = np.asarray(extended.determinate.costs)
    about: dict[str, Any] = {"name": rule.name, "kind": "fixed"}
    if isinstance(rule, PDiscounted):
        inside, outside = _exponent(rule.inside), _exponent(rule.outside)
        about |= {"kind": "p-discounted", "inside": inside, "outside": outside}
    if isinstance(rule, TabulatedCosts):
        about |= _listed(extended, rule)
    section = _about(matrix, extended.unit, empty_cost, about)
    section["classes"] = [str(label) for label in extended.classes]
    section["sets"] = book.sets.positions()
    section["joint"] = joint
    if not isinstance(rule, PDiscounted):
        section["values"] = _values(extended, empty_cost, book, joint["outcomes"])
        ranges = cost_ranges(extended, empty_cost)
        widest = float((ranges[:, 1] - ranges[:, 0]).max())
        section["range"] = [float(ranges[:, 0].min()), float(ranges[:, 1].max()), widest]
    return section


def _exponent(p: float) -> float | str:
    """An exponent as JSON, which has no infinite numbers."""
    return p if isfinite(p) else "Infinity" if p > 0 else "-Infinity"


def _listed(extended: ExtendedCosts, rule: TabulatedCosts) -> dict[str, Any]:
    """The sets of a table with their costs by true class, and the rule for the other sets."""
    several = rule.sets[np.flatnonzero(rule.sets.sizes > 1)]
    shown, n_classes = several[:_MOST_LISTED], len(extended.classes)
    place, truth = np.divmod(np.arange(len(shown) * n_classes), n_classes)
    costs = extended.at(shown[place], truth).reshape(len(shown), n_classes)
    return {
        "listed": [list(pair) for pair in zip(shown.positions(), costs.tolist(), strict=True)],
        "n_listed": len(several),
        "otherwise": None if rule.is_complete else rule.otherwise.name,
    }


def _about(
    matrix: Floats | None, unit: str | None, empty_cost: float | None, rule: dict[str, Any]
) -> dict[str, Any]:
    r, mode = None, None
    if rule["kind"] == "p-discounted":
        inside, outside = float(rule["inside"]), float(rule["outside"])
        mode = "cautious" if inside == outside else "mistake-averse"
        known = outside in (inside, 2 - inside) and 0 <= 1 - inside <= 1
        r = 1 - inside if known else None
    return {
        "classes": [],
        "matrix": None if matrix is None else matrix.tolist(),
        "unit": unit,
        "rule": rule,
        "r": r,
        "mode": mode,
        "empty_cost": empty_cost,
        "sets": [],
        "joint": None,
        "values": None,
        "range": None,
        "estimates": None,
    }


def _values(
    extended: ExtendedCosts,
    empty_cost: float | None,
    book: _SetNumbers,
    outcomes: Sequence[Sequence[int]],
) -> list[list[float]]:
    """What each outcome of each classifier costs."""
    sets, found = book.sets, []
    for numbers in outcomes:
        place, truth = np.divmod(np.asarray(numbers, dtype=np.int64), len(book.classes))
        found.append(extended.at(sets[place], truth, empty_cost).tolist())
    return found


def _set_rows(rows: ComparedRows, book: _SetNumbers) -> JointOutcomes | None:
    """The sets of all classifiers and the true class of each row, for rows in memory."""
    if rows.n_rows * len(rows.names) > _MOST_ENTRIES:
        return None
    outcomes = []
    for name in rows.names:
        read = rows.read(name)
        outcomes.append(book.outcomes(read.sets, read.codes))
    return JointOutcomes.of(outcomes, read.units)


def _priced_rows(found: HeadToHead, pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Costs that differ between rows: an outcome is a cost."""
    assert found.costs is not None
    amounts = [found.costs.of_pair(*pair) for pair in pairs]
    known = np.unique(np.concatenate([c for a in amounts for c in (a.cost_a, a.cost_b)]))
    cells = [
        PairCells(np.searchsorted(known, a.cost_a), np.searchsorted(known, a.cost_b), a.sums)
        for a in amounts
    ]
    section = _about(None, None, found.costs.empty_cost, {"name": "by row", "kind": "fixed"})
    joint = joint_section(len(found.names), cells, join_misses=False)
    section["joint"] = joint
    section["values"] = [known[numbers].tolist() for numbers in joint["outcomes"]]
    section["range"] = [amounts[0].low, amounts[0].high, amounts[0].largest]
    return section
