"""What a study found: tables, figures, the published numbers beside ours, and claims checked.

A report is plain data first; ``section`` turns it into Markdown and ``write`` into files.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._atomic import replacing
from wager._tables import format_number
from wager._typing import ArrayLike, Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "Claim",
    "Comparison",
    "StudyReport",
    "StudyTable",
    "left_open",
    "listed",
    "rank_correlation",
]


@dataclass(frozen=True, repr=False)
class StudyTable:
    """A table of a report; a long one is written to its file and not shown."""

    title: str
    headers: tuple[str, ...]
    rows: Sequence[Sequence[Any]]
    shown: bool = True
    digits: int = 2

    def __repr__(self) -> str:
        return f"StudyTable({self.title!r}, {len(self.rows)} rows of {', '.join(self.headers)})"

    def _repr_markdown_(self) -> str:
        return self.markdown()

    def markdown(self) -> str:
        """The table in Markdown, words flushed left and numbers right."""
        sides = ["---" if _is_text(self.rows, j) else "---:" for j in range(len(self.headers))]
        shown = [
            [format_number(cell, self.digits).replace("|", r"\|") for cell in row]
            for row in self.rows
        ]
        return "\n".join(f"| {' | '.join(cells)} |" for cells in [self.headers, sides, *shown])


def _is_text(rows: Sequence[Sequence[Any]], column: int) -> bool:
    return any(isinstance(row[column], str) for row in rows)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Published numbers beside ours, cell by cell.

    Cells that are not printed, or that we have not computed, are NaN and left out.

    Parameters
    ----------
    what : str
        What is compared, as "Table 12, NCC".
    published, ours : array-like
    tolerance : float
        Up to which difference a cell counts as the same.

    Examples
    --------
    >>> both = Comparison("Table 4", [0.75, 0.77, 0.81], [0.75, 0.78, 0.84], tolerance=0.011)
    >>> both.n, both.agree, round(both.median_difference, 3), both.rank_correlation
    (3, 2, 0.01, 1.0)
    """

    what: str
    published: Any
    ours: Any
    tolerance: float = 0.015

    @property
    def cells(self) -> tuple[Floats, Floats]:
        """The cells that both have: published, ours."""
        printed, found = (np.asarray(x, dtype=float).ravel() for x in (self.published, self.ours))
        both = np.isfinite(printed) & np.isfinite(found)
        return printed[both], found[both]

    @property
    def n(self) -> int:
        """How many cells both have."""
        return len(self.cells[0])

    @property
    def differences(self) -> Floats:
        """The absolute differences of these cells."""
        printed, found = self.cells
        return np.abs(found - printed)

    @property
    def agree(self) -> int:
        """How many cells differ by no more than the tolerance."""
        return int((self.differences <= self.tolerance + 1e-9).sum())

    @property
    def median_difference(self) -> float:
        """The median absolute difference."""
        return float(np.median(self.differences)) if self.n else float("nan")

    @property
    def largest_difference(self) -> float:
        """The largest absolute difference."""
        return float(self.differences.max()) if self.n else float("nan")

    @property
    def rank_correlation(self) -> float:
        """Spearman's correlation of the two columns; NaN where one of them does not vary."""
        return rank_correlation(*self.cells)


def rank_correlation(a: ArrayLike, b: ArrayLike) -> float:
    """Spearman's rank correlation; NaN for fewer than three pairs, or where one is constant.

    Examples
    --------
    >>> rank_correlation([1, 2, 3, 4], [10, 20, 40, 30])
    0.8
    """
    from scipy.stats import rankdata

    first, second = rankdata(np.asarray(a)), rankdata(np.asarray(b))
    if len(first) < 3 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return float("nan")
    return round(float(np.corrcoef(first, second)[0, 1]), 12)


@dataclass(frozen=True)
class Claim:
    """A conclusion of a paper, whether it holds in our numbers, and what these are.

    ``holds`` is None where our numbers cannot tell.
    """

    where: str
    says: str
    holds: bool | None
    because: str

    @property
    def verdict(self) -> str:
        """One word."""
        return {True: "holds", False: "does not hold", None: "open"}[self.holds]


def listed(words: Iterable[str]) -> str:
    """Words after one another; "none" if there are none.

    Examples
    --------
    >>> listed(["NBC", "NCC"]), listed([])
    ('NBC, NCC', 'none')
    """
    return ", ".join(words) or "none"


def left_open(claims: Iterable[Claim], why: str) -> list[Claim]:
    """The claims without a verdict, where a study has not gone far enough to have one."""
    return [
        replace(claim, holds=None, because=f"{why}; so far {claim.because}") for claim in claims
    ]


@dataclass(frozen=True, eq=False, repr=False)
class StudyReport:
    """What a study found.

    Attributes
    ----------
    name, paper, shows : str
        Of the study.
    tables : sequence of StudyTable
    comparisons : sequence of Comparison
    claims : sequence of Claim
    figures : mapping of str to function
        Each draws a figure when called.
    notes : sequence of str
        What else a reader should know, a paragraph each.
    """

    name: str
    paper: str
    shows: str
    tables: Sequence[StudyTable] = ()
    comparisons: Sequence[Comparison] = ()
    claims: Sequence[Claim] = ()
    figures: Mapping[str, Callable[[], Figure]] = field(default_factory=dict)
    notes: Sequence[str] = ()

    def __repr__(self) -> str:
        parts = {"tables": self.tables, "claims": self.claims, "figures": self.figures}
        return f"StudyReport({self.name}: {', '.join(f'{len(v)} {k}' for k, v in parts.items())})"

    def _repr_markdown_(self) -> str:
        return self.section()

    def comparison_table(self) -> StudyTable:
        """How far the published numbers and ours agree."""
        rows = [
            (
                c.what,
                c.n,
                c.agree,
                c.tolerance,
                c.median_difference,
                c.largest_difference,
                c.rank_correlation,
            )
            for c in self.comparisons
        ]
        headers = (
            "published",
            "cells",
            "agree",
            "within",
            "median difference",
            "largest",
            "rank correlation",
        )
        return StudyTable("Published and ours", headers, rows, digits=3)

    def claims_table(self) -> StudyTable:
        """The paper's conclusions, checked."""
        rows = [(claim.where, claim.says, claim.verdict, claim.because) for claim in self.claims]
        return StudyTable("Conclusions", ("where", "it says", "ours", "why"), rows)

    def all_tables(self) -> Iterator[StudyTable]:
        """Comparison, conclusions and the study's own tables; those without a row are left out."""
        for table in (self.comparison_table(), self.claims_table(), *self.tables):
            if len(table.rows):
                yield table

    def section(self, pictures: str | None = None, files: str | None = None) -> str:
        """The report as a section in Markdown.

        Parameters
        ----------
        pictures, files : str, optional
            Where the figures and the tables lie, as seen from the page; named if given.
        """
        parts = [f"## {self.name}", f"{self.paper}. {self.shows}", *self.notes]
        for table in self.all_tables():
            if table.shown:
                parts += [f"### {table.title}", table.markdown()]
        if pictures is not None:
            parts += [f"![{title}]({pictures}/{self._file(title)}.png)" for title in self.figures]
        if files is not None:
            links = [f"[{t.title}]({files}/{_slug(t.title)}.csv)" for t in self.all_tables()]
            parts.append(f"Tables as files: {', '.join(links)}.")
        return "\n\n".join(parts) + "\n"

    def write(self, docs: Path) -> None:
        """Write tables and figures below a folder of pages, and the section into its page."""
        results, pictures = docs / "results" / self.name, docs / "images" / "studies"
        results.mkdir(parents=True, exist_ok=True)
        pictures.mkdir(parents=True, exist_ok=True)
        for table in self.all_tables():
            _write_csv(table, results / f"{_slug(table.title)}.csv")
        for title, draw in self.figures.items():
            _save_small(draw(), pictures / f"{self._file(title)}.png")
        section = self.section("images/studies", f"results/{self.name}")
        replace_section(docs / "reproduction.md", self.name, section)

    def _file(self, title: str) -> str:
        return f"{self.name}-{_slug(title)}"


def replace_section(page: Path, name: str, section: str) -> None:
    """Put a section between the page's marks for that name; at its end if it has none yet."""
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    text = page.read_text(encoding="utf-8") if page.is_file() else "# The papers' experiments\n"
    marked = f"{begin}\n{section}\n{end}"
    if begin in text:
        before, _, rest = text.partition(begin)
        if end not in rest:
            raise ValueError(f"{page} has {begin!r} but no {end!r} after it: put it back first")
        whole = before + marked + rest.partition(end)[2]
    else:
        whole = f"{text.rstrip()}\n\n{marked}\n"
    with replacing(page) as draft:
        draft.write_text(whole, encoding="utf-8")


def _save_small(figure: Figure, path: Path) -> None:
    """Write a figure in a few colours, which takes a third of the room."""
    from io import BytesIO

    from PIL import Image

    drawn = BytesIO()
    figure.savefig(drawn, format="png", dpi=110)
    few = Image.open(drawn).convert("RGB").quantize(96, dither=Image.Dither.NONE)
    with replacing(path) as draft:
        few.save(draft, format="png", optimize=True)


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _write_csv(table: StudyTable, path: Path) -> None:
    with replacing(path) as draft, draft.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table.headers)
        writer.writerows([[_cell(cell) for cell in row] for row in table.rows])


def _cell(value: Any) -> Any:
    """A number with enough digits to read and no more; empty where there is none."""
    if isinstance(value, float | np.floating):
        return "" if isnan(value) else f"{float(value):.6g}"
    return value
