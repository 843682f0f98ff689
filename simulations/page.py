"""The summary tables of ``docs/certainty.md``, from the CSV files of the simulations.

The page keeps its text; each table stands between two comments that name its topic.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from pathlib import Path

_TABLE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
_GROUPED_BY = {"intervals": ("rows are", "n")}  # other topics: what is measured, and the rows


def fill(page: Path, results: Path) -> None:
    """Write the tables of all topics into the page."""
    text = page.read_text(encoding="utf-8")

    def table(found: re.Match[str]) -> str:
        source = results / f"{found[2]}.csv"
        return f"{found[1]}\n{summary(source)}\n\n{found[3]}" if source.exists() else found[0]

    page.write_text(_TABLE.sub(table, text), encoding="utf-8")


def summary(source: Path) -> str:
    """One line per group of settings: lowest, mean and highest value, and the bound."""
    with source.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    keys = _GROUPED_BY.get(source.stem, ("what", "n"))
    groups: dict[tuple[str, ...], list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        groups[tuple(row.get(key, "") for key in keys)].append(row)
    heads = [*keys, "settings", "lowest", "mean", "highest", "required"]
    lines = [f"| {' | '.join(heads)} |", f"| {' | '.join('---' for _ in heads)} |"]
    for group, members in groups.items():
        values = [float(row["value"]) for row in members]
        bounds = sorted({row["bound"] for row in members if row["bound"]})
        numbers = [min(values), sum(values) / len(values), max(values)]
        shown = [f"{value:.3f}" if max(values) < 10 else f"{value:,.0f}" for value in numbers]
        required = bounds[0] if len(bounds) == 1 else "by setting" if bounds else "-"
        required = required.replace(">=", "at least").replace("<=", "at most")
        lines.append(f"| {' | '.join([*group, str(len(values)), *shown, required])} |")
    return "\n".join(lines)
