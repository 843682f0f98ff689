"""What a comparison leaves open: how many rows would decide, and which classifiers are equivalent.

These are the options ``--plan`` and ``--margin`` of ``wager compare``: further tables and sentences
below those of the comparison, further columns in CSV, and the keys ``plan`` and ``equivalence`` in
JSON.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from textwrap import fill
from typing import TYPE_CHECKING, Any

from wager.cli._render import TEXT_WIDTH, Grid, Printout, text_grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wager.compare import HeadToHead


@dataclass(frozen=True)
class _Part:
    """One addition to a printout.

    Attributes
    ----------
    key : str
        Its key in JSON.
    entries : sequence of dict
        One per pair and utility, for JSON.
    caption : str
        What the table shows.
    grid : Grid
        The table.
    sentences : sequence of str
        The verdicts below the table.
    column : tuple of str
        The title of its column in CSV, and the key of that column's value in an entry.
    """

    key: str
    entries: Sequence[dict[str, Any]]
    caption: str
    grid: Grid
    sentences: Sequence[str]
    column: tuple[str, str]


def with_outlook(
    printout: Printout, found: HeadToHead, power: float | None, margin: float | None
) -> Printout:
    """The printout of a comparison with a plan of the given power, and tests of equivalence."""
    parts = [] if power is None else [_plan(found, power)]
    if margin is not None:
        parts.append(_equivalence(found, margin))
    for part in parts:
        printout = _with(printout, part)
    return printout


def _plan(found: HeadToHead, power: float) -> _Part:
    plans = {
        (a, b, name): found.plan(a, b, criterion, power)
        for a, b in found.shown_pairs
        for name, criterion in found.criteria.items()
    }
    first = next(iter(found.criteria))
    plan = next(iter(plans.values()))
    attitudes = plan.by_u  # none, if costs alone decide
    needed = "total weight" if plan.is_weighted else "rows"
    rows = [
        [
            f"{a}, {b}",
            *(_whole(n) for n in plans[a, b, first].by_u.values() or [plans[a, b, first].n]),
        ]
        for a, b in found.shown_pairs
    ]
    return _Part(
        "plan",
        [{"first": a, "second": b, **plan.to_dict()} for (a, b, _), plan in plans.items()],
        f"{needed} needed to decide with probability {100 * power:g}%"
        f"{', by u(0.5)' if attitudes else ''}",
        Grid(["pair", *([f"{u:g}" for u in attitudes] or [needed])], rows),
        [plan.verdict for plan in plans.values()],
        ("rows_needed", "rows"),
    )


def _whole(n: float) -> str:
    return f"{n:,.0f}" if n < float("inf") else "-"


def _equivalence(found: HeadToHead, margin: float) -> _Part:
    tests = {
        (a, b, name): found.equivalence(a, b, criterion, margin)
        for a, b in found.shown_pairs
        for name, criterion in found.criteria.items()
    }
    rows = [
        [
            f"{a}, {b}",
            utility,
            f"{test.interval[0]:+.4f} to {test.interval[1]:+.4f}",
            f"{test.p:.4f}",
            "yes" if test.p < found.alpha else "not shown",
        ]
        for (a, b, utility), test in tests.items()
    ]
    entries = [
        {
            "first": a,
            "second": b,
            "utility": utility,
            "margin": margin,
            "interval": list(test.interval),
            "p": test.p,
            "equivalent": test.p < found.alpha,
            "verdict": test.verdict,
        }
        for (a, b, utility), test in tests.items()
    ]
    return _Part(
        "equivalence",
        entries,
        f"equivalence: are the two within {margin:g} of each other?",
        Grid(["pair", "under", "interval", "p", "equivalent"], rows, "<<>>>"),
        [test.verdict for test in tests.values()],
        ("p_equivalent", "p"),
    )


def _with(printout: Printout, part: _Part) -> Printout:
    before, records = printout.text, printout.records
    assert before is not None
    assert records is not None
    title, key = part.column
    by_difference = {
        (entry["first"], entry["second"], entry["utility"]): entry[key] for entry in part.entries
    }
    rows = [[*row, by_difference.get((row[0], row[1], row[2]), "")] for row in records.rows]

    def text() -> str:
        sentences = "\n".join(
            fill(sentence, TEXT_WIDTH, break_on_hyphens=False) for sentence in part.sentences
        )
        return "\n\n".join([before(), part.caption, text_grid(part.grid), sentences])

    return replace(
        printout,
        grids=[*printout.grids, replace(part.grid, caption=part.caption)],
        remarks=[*printout.remarks, *part.sentences],
        text=text,
        records=Grid([*records.header, title], rows),
        data={**printout.data, part.key: list(part.entries)},
    )
