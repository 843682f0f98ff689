"""Group the rows of a file inside the database, and sum up what they count for.

Rows of clusters are grouped by cluster first: the counts, and the totals of each cluster in every
entry of the counts, follow from this table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from wager.predictions.files._clusters import FileClusters
from wager.predictions.files._layout import Layout
from wager.predictions.files._source import FileSession, Progress

__all__ = ["CountQuery", "CountTask"]

_PAIRS = 100_000  # distinct pairs of true class and prediction that are fetched at a time


class CountQuery(NamedTuple):
    """How rows are grouped.

    Attributes
    ----------
    cells, keys : dict of str to str
        SQL for the cells of a row, and for the keys that are made of them.
    join : str
        A join of the rows to another table.
    union : str
        SQL for an aggregate over the rows of a group, an integer.
    joined : dict of str to str
        SQL for what follows from the join, which the keys may use.
    after : str
        A name for the result, and a join of it to another table.
    """

    cells: dict[str, str]
    keys: dict[str, str]
    join: str = ""
    union: str = "0"
    joined: dict[str, str] = {}  # noqa: RUF012  (never changed)
    after: str = ""


class CountTask(NamedTuple):
    """What to count: a session on the file, its columns, and whether to keep groups separate."""

    session: FileSession
    layout: Layout
    by_group: bool = False
    progress: Progress | None = None
    is_part: bool = False  # whether other rows may show other classes

    def entries(self, query: CountQuery) -> Iterator[list[tuple[Any, ...]]]:
        """Group the rows of the file: group, keys, union and sums of every entry.

        The last of the sums is the number of rows in which a weight, count or cluster is wrong.
        """
        names, rows = self._names(query), self.rows(query)
        if self.layout.cluster is None:
            yield from self.fetch(f"SELECT {self._chosen(query)} FROM {rows} GROUP BY {names}")
            return
        self.group_into("by_cluster", query)
        self._number_entries(list(query.keys))
        yield from self._parts("SELECT * EXCLUDE entry FROM entries ORDER BY entry")

    def group_into(self, table: str, query: CountQuery) -> None:
        """Create a temporary table of the entries; those of different clusters are kept apart."""
        names, rows, chosen = self._names(query), self.rows(query), self._chosen(query)
        if self.is_clustered:
            names, chosen = f"cl, {names}", f"cl, {chosen}"
        create = f"CREATE OR REPLACE TEMP TABLE {table} AS"
        self.run(f"{create} SELECT {chosen} FROM {rows} GROUP BY {names}")

    @property
    def is_clustered(self) -> bool:
        """Whether the rows are clustered."""
        return self.layout.cluster is not None

    def rows(self, query: CountQuery) -> str:
        """The rows of the file with the cells that the keys are made of."""
        cells = {**self.layout.count_cells(self.by_group), **query.cells}
        columns = ", ".join(f"{sql} AS {name}" for name, sql in cells.items())
        rows = f"(SELECT {columns} FROM {self.session.table}) {query.join}"
        if query.joined:
            replaced = ", ".join(f"{sql} AS {name}" for name, sql in query.joined.items())
            rows = f"(SELECT * REPLACE ({replaced}) FROM {rows})"
        return f"{rows} {query.after}"

    def _names(self, query: CountQuery) -> str:
        """The names of what rows are grouped by."""
        return f"{'g, ' * self.has_groups}{', '.join(query.keys)}"

    def _chosen(self, query: CountQuery) -> str:
        """What is selected of every entry."""
        group = "g" if self.has_groups else "CAST(NULL AS VARCHAR)"
        keys = ", ".join(f"{sql} AS {name}" for name, sql in query.keys.items())
        sums = ", ".join(f"{sql} AS {name}" for name, sql in self.sums().items())
        return f"{group} AS g, {keys}, {query.union} AS named, {sums}"

    @property
    def has_groups(self) -> bool:
        """Whether groups are kept separate."""
        return self.by_group and self.layout.group is not None

    def _number_entries(self, keys: list[str]) -> None:
        """Create the table ``entries`` of the entries, numbered, from ``by_cluster``."""
        sums = ", ".join(f"sum({name}) AS {name}" for name in self.sums())
        names = ", ".join(["g", *keys])
        self.session.con.execute(
            "CREATE OR REPLACE TEMP TABLE entries AS SELECT row_number() OVER () - 1 AS entry, * "
            f"FROM (SELECT {names}, bit_or(named) AS named, {sums} FROM by_cluster GROUP BY "
            f"{names})"
        )

    def clusters(self, keys: Iterable[str]) -> FileClusters | None:
        """The totals of each cluster by entry, after `entries` with the same keys was read."""
        if self.layout.cluster is None:
            return None
        con, total = self.session.con, "rows" if self.layout.weight is None else "weight"
        con.execute(
            "CREATE OR REPLACE TEMP TABLE clusters AS SELECT cl, row_number() OVER (ORDER BY cl) - "
            "1 AS number FROM (SELECT DISTINCT cl FROM by_cluster)"
        )
        same = " AND ".join(f"c.{key} = e.{key}" for key in keys)
        found = con.execute(
            f"SELECT number, entry, CAST(c.{total} AS DOUBLE) AS total FROM by_cluster AS c JOIN "
            f"entries AS e ON {same} AND c.g IS NOT DISTINCT FROM e.g JOIN clusters USING (cl)"
        ).fetchnumpy()
        labels = con.execute("SELECT cl FROM clusters ORDER BY number").fetchnumpy()["cl"]
        cluster, entry, totals = (np.asarray(column) for column in found.values())
        return FileClusters(np.ma.getdata(labels), cluster, entry, totals)

    def sums(self) -> dict[str, str]:
        """The sums of every entry by name; plain rows need only their number."""
        w, k, cl = (
            column is not None
            for column in (self.layout.weight, self.layout.count, self.layout.cluster)
        )
        sums = {"rows": "sum(k)" if k else "count(*)"}
        if w:
            sums = {"rows": "count_if(w > 0)", "weight": "sum(w)", "squares": "sum(w * w)"}
        if w and k:
            sums |= {"rows": "sum(CASE WHEN w > 0 THEN k ELSE 0 END)"}
            sums |= {"weight": "sum(k * w)", "squares": "sum(k * w * w)"}
        wrong = [f"{name} IS NULL" for name, given in (("w", w), ("k", k), ("cl", cl)) if given]
        return sums | {"wrong": f"count_if({' OR '.join(wrong)})" if wrong else "0"}

    def fetch(self, sql: str) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of an aggregate query on the file, some at a time."""
        self.run(sql)
        while rows := self.session.con.fetchmany(_PAIRS):
            yield rows

    def _parts(self, sql: str) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of a query on temporary tables, some at a time."""
        self.session.con.execute(sql)
        while rows := self.session.con.fetchmany(_PAIRS):
            yield rows

    def run(self, sql: str) -> None:
        """Run a query on the file and report its progress."""
        report = self.progress
        # DuckDB counts reading as half of the work and returning the groups as the other half.
        half = None if report is None else lambda done: report(min(2 * done, 1.0))
        self.session.ask_with_progress(sql, half)
