"""An interactive report: what it shows, as one file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from os import PathLike
from typing import Any

from wager._atomic import replacing
from wager._tables import Table as ViewTable, View, Viewed
from wager._visible import visible
from wager.compare import HeadToHead
from wager.report.page._data import ReportOptions, report_data
from wager.report.page._empty import empty_data
from wager.report.page._inputs import FileOptions, file_data
from wager.report.page._render import render
from wager.report.page._rows import row_section
from wager.report.page._summary import Table, summary_tables

_LONG = 300  # characters of a title
# options of every page, of pages about files, and of pages about data in memory
_ABOUT_PAGE = {"title", "full", "limit", "reproduce"}
_ABOUT_FILES = _ABOUT_PAGE | {field.name for field in fields(FileOptions)}
_ABOUT_DATA = {field.name for field in fields(ReportOptions)} | {"rows"}
_LINES = {  # what makes a page of a result in memory
    "HeadToHead": [
        "found = wager.head_to_head(y_true, predictions)",
        "found.report('report.html')",
    ],
    "SetEvaluation": [
        "found = wager.evaluate_sets(y_true, y_pred)",
        "wager.report.page(found, 'report.html')",
    ],
}


@dataclass(frozen=True, repr=False)
class Page(Viewed):
    """An interactive report as one HTML page without other files.

    Attributes
    ----------
    data : mapping
        Everything that the page shows, as plain data: see `docs/how-to/report-format.md`.
    """

    data: Mapping[str, Any]

    @property
    def title(self) -> str:
        """The heading, with control characters spelt out."""
        return visible(str(self.data["title"]))[:_LONG]

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

    def _view(self) -> View:
        tables = [ViewTable(*table) for table in self.tables]
        return View(self.title, tables, ["save(path) writes the interactive page"])


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
        ``title`` is the heading, and ``rows`` the number of rows that the page shows at most.
        Otherwise as in `wager.report.report_data`; for files, the options of ``wager report``:
        names, utilities, classes, costs, empty_cost, confidence, by, form, columns, cluster, na,
        rule and prior.

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
    paths = _paths(source)
    known = _ABOUT_PAGE if source is None else _ABOUT_FILES if paths else _ABOUT_DATA
    for name in options:
        if name not in known:
            raise TypeError(f"{name} is not an option here: choose from {', '.join(sorted(known))}")
    if source is None:
        return empty_data(options.get("title"))
    if paths is None:
        return _in_memory(source, **options)
    about = {name: value for name, value in options.items() if name in _ABOUT_PAGE}
    others = {name: value for name, value in options.items() if name not in _ABOUT_PAGE}
    return file_data(paths, FileOptions(**others), ReportOptions(**about))


def _in_memory(source: Any, *, rows: int = 0, **options: Any) -> dict[str, Any]:
    """The dictionary of a result, with some of its rows if they are asked for."""
    options.setdefault("reproduce", {"python": _LINES.get(type(source).__name__, [])})
    data = report_data(source, **options)
    if rows and getattr(source, "rows", None) is None:
        raise ValueError(
            "rows= needs the predictions: report a comparison of predictions, or files"
        )
    if isinstance(source, HeadToHead) and source.rows is not None:
        checked = [source.rows.read(name) for name in source.names]
        data["rows"] = row_section(checked[0].codes, [one.sets for one in checked], None, rows)
    return data


def _paths(source: Any) -> list[Any] | None:
    """The files, if the source is a path or a list of paths."""
    if isinstance(source, str | PathLike):
        return [source]
    if not isinstance(source, list | tuple) or not source:
        return None
    return list(source) if all(isinstance(one, str | PathLike) for one in source) else None
