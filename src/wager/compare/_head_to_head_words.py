"""A comparison on the same rows as tables, sentences and plain data."""

from __future__ import annotations

from itertools import combinations
from math import isnan
from typing import TYPE_CHECKING, Any, TypeAlias

from wager._tables import (
    Table,
    View,
    format_number,
    signed_numbers,
    supported_digits,
)
from wager.compare._classifier_names import listed
from wager.compare._cost_comparison import COST
from wager.compare._outcome import plain_interval, plain_test
from wager.costs import format_amount
from wager.rewards import Estimate

if TYPE_CHECKING:
    from wager.compare._head_to_head import HeadToHead

__all__ = [
    "TextTable",
    "difference_table",
    "note",
    "score_table",
    "sentences",
    "title",
    "to_dict",
    "view",
]

TextTable: TypeAlias = tuple[list[str], list[list[str]]]  # header and rows


def title(found: HeadToHead) -> str:
    """The classifiers, and the number of rows and classes."""
    weighted = next(iter(found.pairs.values())).counts.dtype.kind == "f"
    rows = f"{found.n:.10g} row{'' if found.n == 1 else 's'}"
    known = "" if found.n_rows is None else f"{found.n_rows} "
    rows = f"{known}rows of total weight {found.n:.10g}" if weighted else rows
    classes = f"{found.n_classes} class{'' if found.n_classes == 1 else 'es'}"
    return f"{listed(found.names)} on the same {rows}, {classes}"


def note(found: HeadToHead) -> str:
    """The level of the intervals, the meaning of the star, and the adjustment."""
    level = f"{100 * found.confidence:g}%"
    pairs = "" if len(found.pairs) == 1 else f" all {len(found.pairs)} pairs,"
    return (
        f"{level} intervals of scores; * significant. Intervals of differences, p-values and "
        f"sentences are adjusted to hold together for{pairs} {_statements(found)}{_units(found)}"
    )


def score_table(found: HeadToHead) -> TextTable:
    """Header and rows: scores with their intervals."""
    rows = [
        [name, *(_scored(found.score(name, u), found.confidence) for u in found.utilities)]
        for name in found.names
    ]
    header = ["classifier", *(u.name for u in found.utilities)]
    if found.costs is not None:
        header.append(found.costs.title)
        for row in rows:
            row.append(_priced_at(found.cost(row[0]), found.confidence))
    return header, rows


def difference_table(found: HeadToHead) -> TextTable:
    """Header and rows: paired differences with intervals and p-values, * if significant."""
    rows = []
    for a, b in found.shown_pairs:
        tests = [(u.name, found.difference(a, b, u)) for u in found.utilities]
        if found.costs is not None:
            tests.append((found.costs.title, found.cost_difference(a, b)))
        for i, (criterion, test) in enumerate(tests):
            star = "*" if test.p < found.alpha else " "
            mean, low, high = signed_numbers(test.effect, *test.interval)
            rows.append(
                [
                    f"{a} - {b}" if i == 0 else "",
                    criterion,
                    mean,
                    "-" if isnan(test.interval[0]) else f"{low} to {high}",
                    f"{'<0.0001' if test.p < 1e-4 else f'{test.p:.4f}'}{star}",
                ]
            )
    return ["difference", "under", "mean", "interval", "p "], rows


def sentences(found: HeadToHead) -> list[str]:
    """Savings, break-even and dominance of the shown pairs, as sentences."""
    verdicts = []
    for a, b in found.shown_pairs:
        if found.utilities:
            verdicts += [found.break_even(a, b).verdict, found.dominance(a, b).verdict]
        if found.costs is not None:
            even = found.cost_break_even(a, b)
            verdicts.append(found.cost_difference(a, b).verdict)
            verdicts += [] if even is None or not _is_cautious(found, a, b) else [even.verdict]
    return verdicts


def to_dict(found: HeadToHead) -> dict[str, Any]:
    """The whole comparison as plain data."""
    return {
        "rows": found.n if found.n_rows is None else found.n_rows,
        "total_weight": found.n,
        "classes": found.n_classes,
        "confidence": found.confidence,
        **({} if found.costs is None else {"unit": found.costs.unit}),
        "scores": {name: _scores_to_dict(found, name) for name in found.names},
        "pairs": [_pair_to_dict(found, a, b) for a, b in combinations(found.names, 2)],
        "best": [r._asdict() for r in found.best_ranges] if found.utilities else [],
        "recommended": found.recommended,
        "recommendation": found.recommendation,
        "warnings": list(found.warnings),
    }


def view(found: HeadToHead) -> View:
    """The tables, the sentences and the recommendation."""
    return View(
        found.title,
        [Table(*score_table(found)), Table(*difference_table(found), "<<>>>")],
        [found.note],
        [f"recommendation: {found.recommendation}"],
        sentences(found),
    )


def _is_cautious(found: HeadToHead, a: str, b: str) -> bool:
    """Whether one of the two names several classes, so that r matters."""
    return any(found.tallies[name].table[2:].any() for name in (a, b))


def _statements(found: HeadToHead) -> str:
    """What the report makes statements about."""
    parts = ["these utilities and every u(0.5) from 0.5 to 1"] if found.utilities else []
    if found.costs is not None:
        along = " and every r from 0 to 1" if found.costs.has_curve else ""
        rule = "" if found.costs.costs is None else f" ({found.costs.costs.rule.name})"
        parts.append(f"these costs{rule}{along}")
    return ", ".join(parts)


def _units(found: HeadToHead) -> str:
    """What the standard errors allow for, if the rows have weights or clusters."""
    tally = next(iter(found.pairs.values()))
    if tally.sums.squares is None:
        return ""
    why = "weights" if tally.sums.squares.ndim == 1 else "dependence within clusters"
    return f"; errors allow for {why} ({tally.effective_n:,.0f} independent units)"


def _scores_to_dict(found: HeadToHead, name: str) -> dict[str, Any]:
    scores = {u.name: _plain(found.score(name, u), found.confidence) for u in found.utilities}
    if found.costs is not None:
        scores[COST] = _plain(found.cost(name), found.confidence)
    return scores


def _pair_to_dict(found: HeadToHead, a: str, b: str) -> dict[str, Any]:
    tests = {u.name: found.difference(a, b, u) for u in found.utilities}
    if found.costs is not None:
        tests[COST] = found.cost_difference(a, b)
    data: dict[str, Any] = {
        "first": a,
        "second": b,
        "differences": {name: plain_test(o) for name, o in tests.items()},
    }
    if found.utilities:
        dominates = found.dominance(a, b)
        data["break_even"] = found.break_even(a, b)._asdict()
        data["dominance"] = {
            "winner": {"a": a, "b": b}.get(dominates.details["winner"]),
            "p": dominates.p,
            "verdict": dominates.verdict,
        }
    if found.costs is not None:
        even = found.cost_break_even(a, b)
        data["cost_break_even"] = None if even is None else even._asdict()
    return data


def _scored(estimate: Estimate, level: float) -> str:
    low, high = estimate.interval(level)
    if low != low:  # one row has no interval
        return format_number(estimate.value)
    digits = supported_digits(high - low)
    return f"{estimate.value:.{digits}f} ({low:.{digits}f}-{high:.{digits}f})"


def _priced_at(estimate: Estimate, level: float) -> str:
    low, high = estimate.interval(level)
    shown = format_amount(estimate.value)
    return shown if low != low else f"{shown} ({format_amount(low)} to {format_amount(high)})"


def _plain(estimate: Estimate, level: float) -> dict[str, Any]:
    return {"mean": estimate.value, "interval": plain_interval(estimate.interval(level))}
