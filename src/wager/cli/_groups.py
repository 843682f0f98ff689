"""The options ``--top`` and ``--sort``, and the scores of groups in every format.

A file may have a million groups: tables show a few of them, and CSV and JSON are written piece by
piece.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any

from wager._visible import safe_cell
from wager.cli._options import OutputFormat, option
from wager.cli._render import Grid, Printout, jsonable
from wager.cli._score_tables import CLASS_TITLE, value_cell

if TYPE_CHECKING:
    from wager._typing import Ints
    from wager.report import GroupScores

_QUOTED = re.compile('[",\\r\\n]')
SHOWN = 20  # groups in a table, unless --top asks for another number
NO_GROUP = "(no group)"  # in tables; CSV has an empty cell, and JSON null

Top = Annotated[
    int | None,
    option(
        "--top",
        "NUMBER",
        "With --by: show at most this many groups of each file.",
        default=f"all; {SHOWN} in tables",
        min=1,
    ),
]
Sort = Annotated[
    str | None,
    option(
        "--sort",
        "MEASURE",
        "With --by: sort groups by a measure (the worst first), by rows (the largest first) or by "
        "group (their names). A minus sign before it, as in -u65, reverses the order.",
        default="group; rows if only some are shown",
    ),
]


@dataclass(frozen=True)
class ChosenGroups:
    """The groups of a file that are shown, by their positions, in the order of the table."""

    scores: GroupScores
    groups: Ints

    @classmethod
    def of(cls, scores: GroupScores, top: int | None, sort: str | None) -> ChosenGroups:
        """The first groups by a measure; by default all of them by name."""
        is_part = top is not None and top < len(scores)
        order = scores.order(sort or ("rows" if is_part else "group"))
        return cls(scores, order[:top])

    @property
    def names(self) -> list[Any]:
        """The names of the groups; None for rows without a group."""
        return self.scores.names[self.groups].tolist()

    def left_out(self, sort: str | None) -> str | None:
        """That a table does not show all groups, and how to see more; None if it does."""
        total, shown = len(self.scores), len(self.groups)
        if shown == total:
            return None
        how = f"the first by {sort}" if sort else "the largest"
        return (
            f"{self.scores.file}: {shown:,} of {total:,} groups {'is' if shown == 1 else 'are'} "
            f"shown, {how}; --sort MEASURE puts the worst first, --top NUMBER shows more, and "
            "--format csv has all of them."
        )


def refuse_without_groups(by: str | None, by_class: bool, **options: object) -> None:
    """Raise a ValueError if an option about the table of groups is given without this table."""
    given = [name for name, value in options.items() if value is not None]
    if given and by is None:
        raise ValueError(f"--{given[0]} is for groups of rows: choose their column with --by")
    if given and by_class:
        raise ValueError(
            f"--{given[0]} is for a table with one row per group: leave out it or --by-class, with "
            "which every group is shown by class"
        )


def with_groups(
    printout: Printout,
    found: Sequence[GroupScores],
    top: int | None,
    sort: str | None,
    level: float | None,
) -> Printout:
    """The printout of the scores of files together with those of their groups.

    Parameters
    ----------
    printout : Printout
        The scores of all rows.
    found : sequence of GroupScores
        The groups of each file.
    top, sort
        The options.
    level : float or None
        The level of intervals, which groups have only if it is given.
    """
    listed = [ChosenGroups.of(scores, top, sort) for scores in found]
    few = [ChosenGroups.of(scores, top or SHOWN, sort) for scores in found]
    hint = ["Groups have more measures in CSV and JSON, and intervals with --level."]
    remarks = [words for chosen in few if (words := chosen.left_out(sort)) is not None]
    pieces: dict[OutputFormat, Callable[[], Iterator[str]]] = {
        OutputFormat.csv: lambda: csv_pieces(listed, level),
        OutputFormat.json: lambda: json_pieces(printout.data, listed, level),
    }
    return replace(
        printout,
        grids=[*printout.grids, group_grid(few, sort, level)],
        remarks=[*hint, *remarks, *printout.remarks],
        pieces=pieces,
    )


def group_grid(chosen: Sequence[ChosenGroups], sort: str | None, level: float | None) -> Grid:
    """One row per file and group, one column per measure."""
    from wager.rewards import measure_titles

    titles = measure_titles(m for part in chosen for m in part.scores.main_measures(sort))
    rows = []
    for part in chosen:
        scores = part.scores
        ends = scores.intervals(part.groups, level)
        columns = [_cells(scores.values.get(m), part.groups, ends.get(m)) for m in titles]
        names = [NO_GROUP if name is None else str(name) for name in part.names]
        rows += [[scores.file, *row] for row in zip(names, *columns, strict=True)]
    heads = ["file", chosen[0].scores.by]
    if len(chosen) == 1:  # the table above names the file
        heads, rows = heads[1:], [row[1:] for row in rows]
    folded = ["\n".join(wrap(t, CLASS_TITLE, break_long_words=False)) for t in titles.values()]
    return Grid([*heads, *folded], rows, "<" * len(heads) + ">" * len(folded))


def _cells(values: Any, groups: Ints, ends: Any) -> list[Any]:
    """The cells of a column of the table; ``-`` for measures that a file does not have."""
    if values is None:
        return ["-"] * len(groups)
    numbers = values[groups].tolist()
    if values.dtype.kind in "iu":
        return numbers
    return [
        value_cell(value, interval if interval is None or interval[0] == interval[0] else None, 3)
        for value, interval in zip(numbers, _pairs(ends, len(groups)), strict=True)
    ]


def _pairs(ends: Any, n: int) -> list[Any]:
    """The interval of each of n groups; None without one."""
    return [None] * n if ends is None else list(zip(*(end.tolist() for end in ends), strict=True))


def csv_pieces(chosen: Sequence[ChosenGroups], level: float | None) -> Iterator[str]:
    """One line per file and group, with values, standard errors and the ends of intervals."""
    from wager._tables import number_lines

    measures = list(dict.fromkeys(m for part in chosen for m in part.scores.values))
    errors = {m for part in chosen for m in part.scores.errors}
    ends = ("lower", "upper") if level is not None else ()
    header = ["file"]
    for m in measures:
        header += [m, *(f"{m}_{what}" for what in ("standard_error", *ends) if m in errors)]
    by = chosen[0].scores.by
    header.insert(1, by if by not in header else "group")
    yield ",".join(map(_csv_cell, header)) + "\n"
    for part in chosen:
        scores, file = part.scores, _csv_cell(part.scores.file)
        for groups, found in scores.parts(part.groups, level):
            columns = []
            for m in measures:
                columns.append(_some(scores.values.get(m), groups))
                if m in errors:
                    columns.append(_some(scores.errors.get(m), groups))
                    columns += found.get(m, (None,) * len(ends))
            names = map(_csv_cell, scores.names[groups].tolist())
            lines = zip(names, number_lines(columns), strict=True)
            yield "".join(f"{file},{name},{numbers}\n" for name, numbers in lines)


def _some(values: Any, groups: Ints) -> Any:
    return None if values is None else values[groups]


def _csv_cell(name: Any) -> str:
    """A name, in quotes where needed; empty if it is missing."""
    text = "" if name is None else safe_cell(str(name))
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


def json_pieces(
    data: Sequence[Mapping[str, Any]], chosen: Sequence[ChosenGroups], level: float | None
) -> Iterator[str]:
    """The data of each file, with the scores of its groups after those of all rows."""
    import json

    for place, (file, part) in enumerate(zip(data, chosen, strict=True)):
        yield "[\n{\n" if place == 0 else ",\n{\n"
        for key, value in file.items():
            if key != "scores":
                yield f"{json.dumps(key)}: {json.dumps(jsonable(value), ensure_ascii=False)},\n"
        lines = [json.dumps(jsonable(entry), ensure_ascii=False) for entry in file["scores"]]
        yield '"scores": [\n' + ",\n".join(lines)
        for entries in _group_entries(part, level):
            texts = (json.dumps(jsonable(entry), ensure_ascii=False) for entry in entries)
            yield "".join(f",\n{text}" for text in texts)
        yield "\n]\n}"
    yield "\n]\n"


def _group_entries(chosen: ChosenGroups, level: float | None) -> Iterator[list[dict[str, Any]]]:
    """The scores of some groups at a time, as plain data."""
    scores = chosen.scores
    for groups, ends in scores.parts(chosen.groups, level):
        names = [None if name is None else str(name) for name in scores.names[groups].tolist()]
        rows = range(len(groups))
        columns = []
        for m, values in scores.values.items():
            errors = scores.errors[m][groups].tolist() if m in scores.errors else [None] * len(rows)
            both = _pairs(ends.get(m), len(rows))
            columns.append((m, scores.families[m], values[groups].tolist(), errors, both))
        yield [
            {
                "family": family,
                "group": names[i],
                "class": "",
                "of_class": "",
                "measure": m,
                "value": values[i],
                "standard_error": errors[i],
                "interval": both[i],
            }
            for i in rows
            for m, family, values, errors, both in columns
        ]
