"""Totals of all verdicts, from the tables that the reports of studies have written."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from wager.experiments.study._claim import UNFINISHED, Verdict
from wager.experiments.study._report import CLAIMS, badge, replace_section
from wager.experiments.study._runs import read_runs, runs_table, utf8_text
from wager.experiments.study._study import Study
from wager.experiments.study._table import slug

__all__ = ["matrix", "papers", "verdict_counts", "write_overview"]

TOTALS, LIST, RUNS = "totals", "studies", "runs"  # the marks of the generated parts of a page
INDEX = "index.md"


def papers(studies: Iterable[Study]) -> dict[str, str]:
    """The papers of the studies, by year.

    Examples
    --------
    >>> from wager.experiments import studies
    >>> papers(studies.get(name) for name in ["zaffalon-2011-krkp", "yang-2017-tables"])["2012"]
    'Zaffalon, Corani & Mauá (2012)'
    """
    found: dict[str, str] = {}
    for study in studies:
        authors = study.paper.partition(" (")[0].rpartition(" of ")[2]  # "Section 2 of Name (2012)"
        for year in re.findall(r"\((\d{4})\)", study.paper):
            found.setdefault(year, f"{authors} ({year})")
    return dict(sorted(found.items()))


def verdict_counts(results: Path, study: str) -> dict[str, Counter[str]]:
    """How often each verdict occurs in a study, by the year of the paper."""
    path = results / study / f"{slug(CLAIMS)}.csv"
    found: dict[str, Counter[str]] = {}
    if path.is_file():
        with io.StringIO(utf8_text(path), newline="") as file:
            for row in csv.DictReader(file):
                if not row.get("where") or not row.get("verdict"):
                    raise ValueError(f"{path} must have the columns where and verdict in every row")
                year = row["where"].partition(",")[0]
                found.setdefault(year, Counter())[row["verdict"]] += 1
    return found


def matrix(counts: Mapping[str, Counter[str]], corner: str) -> str:
    """A table in HTML of how often each verdict occurs, one row per label, with coloured cells.

    Parameters
    ----------
    counts : mapping of str to Counter
        The counts by the label of the row, which may contain HTML.
    corner : str
        The heading of the labels.
    """
    total: Counter[str] = sum(counts.values(), Counter())
    columns = [str(v) for v in Verdict] + ([UNFINISHED] if total[UNFINISHED] else [])
    lines = [_row("th", [escape(corner), *map(badge, columns), "all"])]
    for label, found in counts.items():
        lines.append(_row("td", [label, *(_count(found[v], v) for v in columns), found.total()]))
    if len(counts) > 1:
        cells = [f"<b>{n}</b>" for n in (*(total[v] for v in columns), total.total())]
        lines.append(_row("td", ["<b>all</b>", *cells]))
    return "\n".join(['<table class="verdicts" tabindex="0">', *lines, "</table>"])


def _row(kind: str, cells: Sequence[object]) -> str:
    return "<tr>" + "".join(
        cell if str(cell).startswith("<td") else f"<{kind}>{cell}</{kind}>"
        for cell in map(str, cells)
    ) + "</tr>"  # fmt: skip


def _count(n: int, verdict: str) -> str:
    return f'<td class="verdict {slug(verdict)}">{n}</td>' if n else "<td>0</td>"


def write_overview(docs: Path, studies: Sequence[Study]) -> None:
    """Write the totals and the list of studies into the pages of the folder ``docs``.

    The first page has the totals by paper; every other page has those of its studies.
    """
    results, pages = docs / "results", docs / "reproduction"
    counts = {study.name: verdict_counts(results, study.name) for study in studies}
    by_paper: dict[str, Counter[str]] = {}
    for year, label in papers(studies).items():
        found: Counter[str] = sum((c.get(year, Counter()) for c in counts.values()), Counter())
        if found:
            by_paper[escape(label)] = found
    replace_section(pages / INDEX, TOTALS, matrix(by_paper, "paper"))
    replace_section(pages / INDEX, LIST, _list(studies))
    runs = read_runs(results / "runs.csv")
    if runs:
        replace_section(pages / INDEX, RUNS, runs_table(runs, studies))
    for page in sorted({study.page for study in studies if study.page}):
        here = {
            f'<a href="#{study.name}">{escape(study.title)}</a>': sum(
                counts[study.name].values(), Counter()
            )
            for study in studies
            if study.page == page
        }
        here = {label: found for label, found in here.items() if found}
        if here:
            replace_section(pages / f"{page}.md", TOTALS, matrix(here, "study"))


def _list(studies: Sequence[Study]) -> str:
    """All studies with a link to their results, in Markdown."""
    lines = ["| study | its name | minutes on one core |", "| --- | --- | ---: |"]
    for study in studies:
        link = f"[{study.title}]({study.page or study.name}.md#{study.name})"
        minutes = "-" if study.minutes is None else f"{study.minutes:.1f}"
        lines.append(f"| {link} | `{study.name}` | {minutes} |")
    return "\n".join(lines)
