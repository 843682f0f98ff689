"""An interactive report: what it shows, as one file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any

from wager._atomic import replacing
from wager._tables import format_table, html_block
from wager.report.page._data import ReportOptions, report_data
from wager.report.page._empty import empty_data
from wager.report.page._inputs import FileOptions, file_data
from wager.report.page._render import render
from wager.report.page._summary import Table, summary_tables

_LONG = 300  # characters of a title
_ABOUT_PAGE = {"title", "full", "limit", "reproduce"}  # options that are not about files


@dataclass(frozen=True, repr=False)
class Page:
    """An interactive report as one HTML page without other files.

    Attributes
    ----------
    data : mapping
        Everything that the page shows, as plain data: see `docs/report-format.md`.
    """

    data: Mapping[str, Any]

    @property
    def title(self) -> str:
        """The heading."""
        return str(self.data["title"])[:_LONG]

    @cached_property
    def html(self) -> str:
        """The page as text."""
        return render(self.data, title=self.title, summary=self.tables)

    @cached_property
    def tables(self) -> list[Table]:
        """Header and rows of the main scores."""
        return summary_tables(self.data)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a file, which appears whole or not at all."""
        with replacing(path) as draft:
            draft.write_text(self.html, encoding="utf-8", newline="\n")

    def __repr__(self) -> str:
        tables = [format_table(rows, header) for header, rows in self.tables]
        return "\n\n".join([self.title, *tables, "save(path) writes the interactive page"])

    def _repr_html_(self) -> str:
        """The main scores; the page itself is for a file."""
        note = "page.save('report.html') writes the interactive page."
        return html_block(self.title, self.tables, [note])


def page(source: Any = None, path: str | PathLike[str] | None = None, **options: Any) -> Page:
    """An interactive report: a page on which the reader decides what a half-right answer is worth.

    Parameters
    ----------
    source : HeadToHead, SetEvaluation, Tally, PairedTally, mapping of Tally, path or paths, None
        What is reported: a comparison, an evaluation, counts, one or more prediction files, or the
        folder of a run.  None is a page without data, on which files can be dropped.
    path : path, optional
        Where to write the page.
    **options
        As in `wager.report.report_data`; ``title`` is the heading.

    Returns
    -------
    Page
        The page; ``save`` writes it, and a notebook shows its main scores.

    Examples
    --------
    >>> from wager.compare import head_to_head
    >>> y = ["cat", "dog", "dog"]
    >>> found = head_to_head(y, {"sets": [["cat"], ["cat", "dog"], ["dog"]], "plain": ["cat"] * 3})
    >>> report = page(found, title="Cats and dogs")
    >>> report
    Cats and dogs
    <BLANKLINE>
    classifier     u50     u65     u80  coverage  mean size  determinacy
    --------------------------------------------------------------------
    sets        0.8333  0.8833  0.9333    1.0000     1.3333       0.6667
    plain       0.3333  0.3333  0.3333    0.3333     1.0000       1.0000
    <BLANKLINE>
    save(path) writes the interactive page
    """
    found = Page(_data(source, options))
    if path is not None:
        found.save(path)
    return found


def _data(source: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The dictionary of whatever is reported."""
    if source is None:
        return empty_data(options.get("title"))
    paths = _paths(source)
    if paths is None:
        return report_data(source, **options)
    about = {name: options.pop(name) for name in _ABOUT_PAGE & set(options)}
    return file_data(paths, FileOptions(**options), ReportOptions(**about))


def _paths(source: Any) -> list[Any] | None:
    """The files, if the source is a path or a list of paths."""
    if isinstance(source, str | PathLike):
        return [source]
    if not isinstance(source, list | tuple) or not source:
        return None
    return list(source) if all(isinstance(one, str | PathLike) for one in source) else None
