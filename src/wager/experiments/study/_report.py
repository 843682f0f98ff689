"""The report of a study: plain data, its section in Markdown, and its files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from wager._atomic import replacing
from wager.experiments.study._claim import Claim
from wager.experiments.study._comparison import Comparison
from wager.experiments.study._table import StudyTable, slug

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["StudyReport", "replace_section"]


@dataclass(frozen=True, eq=False, repr=False)
class StudyReport:
    """The results of a study.

    Attributes
    ----------
    name, paper, shows : str
        The attributes of the study.
    tables : sequence of StudyTable
    comparisons : sequence of Comparison
    claims : sequence of Claim
    figures : mapping of str to function
        Functions that draw a figure, by title.
    notes : sequence of str
        Further paragraphs for the reader.
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
        """How well the published numbers and ours agree, one row per comparison."""
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
        """The conclusions of the paper with our verdicts, one row per claim."""
        rows = [(claim.where, claim.says, claim.verdict, claim.because) for claim in self.claims]
        return StudyTable("Conclusions", ("where", "it says", "ours", "why"), rows)

    def all_tables(self) -> Iterator[StudyTable]:
        """Comparisons, conclusions and the tables of the study, without empty ones."""
        for table in (self.comparison_table(), self.claims_table(), *self.tables):
            if len(table.rows):
                yield table

    def section(self, pictures: str | None = None, files: str | None = None) -> str:
        """The report as a section in Markdown.

        Parameters
        ----------
        pictures, files : str, optional
            The folders of the figures and of the tables, relative to the page; without them, the
            section has no figures or no links to tables.
        """
        parts = [f"## {self.name}", f"{self.paper}. {self.shows}", *self.notes]
        for table in self.all_tables():
            if table.shown:
                parts += [f"### {table.title}", table.markdown()]
        if pictures is not None:
            parts += [
                f"![{title}]({pictures}/{self._figure_file(title)})" for title in self.figures
            ]
        if files is not None:
            links = [f"[{table.title}]({files}/{table.file_name})" for table in self.all_tables()]
            parts.append(f"Tables as files: {', '.join(links)}.")
        return "\n\n".join(parts) + "\n"

    def write(self, docs: Path) -> None:
        """Write tables and figures below the folder ``docs``, and the section into its page."""
        from wager.plots import save

        results, pictures = docs / "results" / self.name, docs / "images" / "studies"
        results.mkdir(parents=True, exist_ok=True)
        pictures.mkdir(parents=True, exist_ok=True)
        for table in self.all_tables():
            table.write(results / table.file_name)
        for title, draw in self.figures.items():
            save(draw(), pictures / self._figure_file(title))
        section = self.section("images/studies", f"results/{self.name}")
        replace_section(docs / "reproduction.md", self.name, section)

    def _figure_file(self, title: str) -> str:
        return f"{self.name}-{slug(title)}.svg"


def replace_section(page: Path, name: str, section: str) -> None:
    """Replace the section between the marks of that name; append it if the page has no marks."""
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    text = page.read_text(encoding="utf-8") if page.is_file() else "# The papers' experiments\n"
    marked = f"{begin}\n{section}\n{end}"
    if begin in text:
        before, _, rest = text.partition(begin)
        if end not in rest:
            raise ValueError(
                f"{page} has {begin!r} but no {end!r} after it: add the missing mark first"
            )
        whole = before + marked + rest.partition(end)[2]
    else:
        whole = f"{text.rstrip()}\n\n{marked}\n"
    with replacing(page) as draft:
        draft.write_text(whole, encoding="utf-8")
