"""The report of a study: plain data, its section in Markdown, and its files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from wager._atomic import replacing
from wager.experiments.study._claim import UNFINISHED, Claim, Finding
from wager.experiments.study._comparison import Comparison
from wager.experiments.study._table import StudyTable, folded, markdown_rows, plain, slug

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["CLAIMS", "CLAIM_COLUMNS", "StudyReport", "badge", "replace_section"]

CLAIMS = "Conclusions of the paper"
CLAIM_COLUMNS = ("where", "the paper says", "quotation", "verdict", "evidence", "reading")
FINDINGS = "Questions of our own"
COMPARISONS = "Published and ours"


def badge(verdict: str) -> str:
    """A verdict as a coloured label; the colour is that of the matrix of all verdicts.

    Examples
    --------
    >>> badge("cannot be checked")
    '<span class="verdict cannot-be-checked">cannot be checked</span>'
    """
    return f'<span class="verdict {slug(verdict)}">{verdict}</span>'


@dataclass(frozen=True, eq=False, repr=False)
class StudyReport:
    """The results of a study.

    Attributes
    ----------
    name, paper, shows, title, page : str
        The attributes of the study.
    tables : sequence of StudyTable
    comparisons : sequence of Comparison
    claims : sequence of Claim
        Conclusions of a paper.
    findings : sequence of Finding
        Answers to questions of our own.
    figures : mapping of str to function
        Functions that draw a figure, by title; the first one opens the section.
    notes : sequence of str
        Further paragraphs for the reader, such as the readings.
    """

    name: str
    paper: str
    shows: str
    title: str = ""
    page: str = ""
    tables: Sequence[StudyTable] = ()
    comparisons: Sequence[Comparison] = ()
    claims: Sequence[Claim] = ()
    findings: Sequence[Finding] = ()
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
                "-" if c.wider is None else f"{c.agree_wider} (±{c.wider:g})",
                f"{c.agree_marked} of {c.n_marked}" if c.n_marked else "-",
                c.mean_difference,
                c.largest_difference,
                c.mean_standardized,
                c.largest_standardized,
                c.rank_correlation,
            )
            for c in self.comparisons
        ]
        headers = (
            "published",
            "cells",
            "agree",
            "agree, wider",
            "marked cells",
            "mean difference",
            "largest",
            "mean z",
            "largest z",
            "rank correlation",
        )
        return StudyTable(COMPARISONS, headers, rows, digits=3)

    def claims_table(self) -> StudyTable:
        """The conclusions of the paper with our verdicts, one row per claim."""
        rows = [
            (c.where, c.says, c.quote, str(c.verdict or UNFINISHED), c.because, c.reading)
            for c in self.claims
        ]
        return StudyTable(CLAIMS, CLAIM_COLUMNS, rows)

    def findings_table(self) -> StudyTable:
        """The answers to questions of our own, one row per question."""
        rows = [(f.question, f.answer, f.because) for f in self.findings]
        return StudyTable(FINDINGS, ("question", "answer", "evidence"), rows)

    def all_tables(self) -> Iterator[StudyTable]:
        """Conclusions, comparisons and the tables of the study, without empty ones."""
        ours = (self.claims_table(), self.findings_table(), self.comparison_table())
        for table in (*ours, *self.tables):
            if len(table.rows):
                yield table

    def section(self, pictures: str | None = None, files: str | None = None) -> str:
        """The report as a section in Markdown: a figure, the readings, conclusions, tables.

        Parameters
        ----------
        pictures, files : str, optional
            The folders of the figures and of the tables, relative to the page; without them, the
            section has no figures or no links to tables.
        """
        shown = [] if pictures is None else [
            f"![{title}]({pictures}/{self._figure_file(title)})" for title in self.figures
        ]  # fmt: skip
        # A page links to the section by the name of the study.
        mark = [] if files is None else [f"({self.name})="]
        heading = [*mark, f"## {self.title or self.name}"]
        about = f"`{self.name}` · {self.paper}. {self.shows}"
        parts = ["\n".join(heading), about, *shown[:1], *self.notes]
        if self.claims:
            parts += [f"### {CLAIMS}", self._claims_markdown(fold=files is not None)]
        for table in self.all_tables():
            if table.shown and table.title != CLAIMS:
                parts.append(table.section(collapse=files is not None))
        parts += shown[1:]
        if files is not None:
            links = [
                f"[{plain(table.title)}]({files}/{table.file_name})" for table in self.all_tables()
            ]
            parts.append(f"Tables as files: {', '.join(links)}.")
        return "\n\n".join(parts) + "\n"

    def _claims_markdown(self, fold: bool) -> str:
        """The claims with the paper's words below ours, and the reading below the evidence.

        With ``fold`` the end of long evidence is folded away; a reading is always shown.
        """
        rows = []
        for c in self.claims:
            says = plain(f"{c.says}: “{c.quote}”" if c.quote else c.says)
            why = folded(plain(c.because)) if fold else plain(c.because)
            why += f" *Reading:* {plain(c.reading)}" if c.reading else ""
            rows.append([plain(c.where), says, badge(str(c.verdict or UNFINISHED)), why])
        header = ["where", "the paper says", "verdict", "evidence"]
        return markdown_rows([header, ["---"] * len(header), *rows])

    def write(self, docs: Path) -> None:
        """Write tables and figures below the folder ``docs``, and the section into its page."""
        from wager.plots import save

        results, pictures = docs / "results" / self.name, docs / "images" / "studies"
        pages = docs / "reproduction"
        for folder in (results, pictures, pages):
            folder.mkdir(parents=True, exist_ok=True)
        tables = list(self.all_tables())
        for table in tables:
            table.write(results / table.file_name)
        for old in set(results.glob("*.csv")) - {results / table.file_name for table in tables}:
            old.unlink()  # a table that the study does not have any more
        for title, draw in self.figures.items():
            save(draw(), pictures / self._figure_file(title))
        section = self.section("../images/studies", f"../results/{self.name}")
        replace_section(pages / f"{self.page or self.name}.md", self.name, section)

    def _figure_file(self, title: str) -> str:
        return f"{self.name}-{slug(title)}.svg"


def replace_section(page: Path, name: str, section: str) -> None:
    """Replace the section between the marks of that name; append it if the page has no marks."""
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    text = page.read_text(encoding="utf-8") if page.is_file() else f"# {page.stem}\n"
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
