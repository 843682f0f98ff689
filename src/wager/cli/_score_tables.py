"""The scores of prediction files as tables: all rows side by side, and one row per true class.

A number is shown with its confidence interval and as many digits as the interval supports.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, isnan, nan
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from wager.cli._render import Grid, Printout

if TYPE_CHECKING:
    from wager.report import FileScores, Score

LEVEL = 0.95  # of the intervals, unless the user asks for another one
CLASS_TITLE = 11  # characters of a title in the table of classes before it is folded
ALL_CLASSES = "(all)"

Interval = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of all files, with their intervals.

    Attributes
    ----------
    found : sequence of Score
    ends : mapping of int to interval or None
        The interval of each score, by the ``id`` of the score.
    """

    found: Sequence[Score]
    ends: Mapping[int, Interval | None]

    @classmethod
    def of(cls, scores: Iterable[Score], level: float | None) -> Scores:
        """The scores with their intervals; those of classes have some only for a given level."""
        found = list(scores)
        shown = LEVEL if level is None else level
        return cls(
            found,
            {
                id(s): None if s.of_class and level is None else s.interval(shown)  # it takes time
                for s in found
            },
        )

    def main(self, *, of_labels: bool) -> Scores:
        """The scores without rare measures and without measures that have no value anywhere.

        The measures of sets are all equal to the accuracy if the sets are the most probable
        classes: then they are left out unless `of_labels` is true.
        """
        known = {s.measure for s in self.found if not isnan(s.value)}
        others = {s.file for s in self.found if s.family != "sets"}
        sets = [s for s in self.found if s.family == "sets" and not s.of_class]
        repeated = not of_labels and all(
            s.file in others and (s.measure != "determinacy" or s.value == 1) for s in sets
        )
        kept = [
            s
            for s in self.found
            if s.measure in known and not s.is_rare and not (repeated and s.family == "sets")
        ]
        return Scores(kept, self.ends)

    def where(self, **wanted: str) -> Scores:
        """The scores whose attributes have these values."""
        kept = [s for s in self.found if all(getattr(s, k) == v for k, v in wanted.items())]
        return Scores(kept, self.ends)


def score_printout(
    files: Sequence[FileScores],
    comparison: Sequence[str],
    level: float | None,
    *,
    rare: bool = True,
    of_labels: bool = True,
) -> Printout:
    """The scores of files, for every format; CSV and JSON have all of them.

    Parameters
    ----------
    files : sequence of FileScores
        The scores of each file.
    comparison : sequence of str
        Sentences that compare the files.
    level : float or None
        The level of the intervals that the user asked for; the tables of classes have intervals
        only if there is one.
    rare : bool, default=True
        Whether the tables show rare measures, and measures without a value.
    of_labels : bool, default=True
        Whether the tables show what the most probable classes earn as sets of one class.
    """
    scores = Scores.of((score for file in files for score in file.scores), level)
    shown = scores if rare else scores.main(of_labels=of_labels)
    grids = []
    for family in dict.fromkeys(score.family for score in shown.found):
        part = shown.where(family=family)
        grids.append(_side_by_side(part.where(of_class="")))
        if any(score.of_class for score in part.found):
            grids.append(_one_row_per_class(part))
    grids += _error_grids(files)
    by_class = any(score.of_class for score in scores.found)
    shown_level = LEVEL if level is None else level
    hint = "With --level, the classes have intervals as well."
    hints = [hint] if by_class and level is None else []
    return Printout(
        about=f"scores of {', '.join(file.file for file in files)}",
        grids=grids,
        summary=[*(f"{f.file}: {words}" for f in files for words in f.sentences), *comparison],
        legend=f"In brackets: {100 * shown_level:g}% confidence intervals.",
        remarks=[*hints, *_two_intervals(shown), *_left_out(scores, shown)],
        records=_wide_records(scores) if by_class else _records(scores),
        data=[_plain(file, scores, shown_level) for file in files],
    )


# -- tables for readers ---------------------------------------------------------------------------


def _two_intervals(shown: Scores) -> list[str]:
    """Why the accuracy of the same rows has two intervals, where both are shown."""
    ends: dict[str, set[Interval | None]] = {}
    for s in shown.found:
        if s.measure in ("accuracy", "single_accuracy") and not (s.group or s.of_class):
            ends.setdefault(s.file, set()).add(shown.ends[id(s)])
    if all(len(found) < 2 for found in ends.values()):
        return []
    return [
        "accuracy has Wilson's interval; an interval of sets may be slightly wider, because it "
        "also contains what a likelihood-ratio test does not reject."
    ]


def _left_out(scores: Scores, shown: Scores) -> list[str]:
    """How many measures with values the tables do not show, and how to see them."""
    from wager.rewards import measure_titles

    known = measure_titles(s.measure for s in scores.found if not isnan(s.value))
    left = len(known.keys() - {s.measure for s in shown.found})
    more = "1 more measure" if left == 1 else f"{left} more measures"
    return [f"With --all, the tables have {more}."] if left else []


def _side_by_side(scores: Scores) -> Grid:
    """One row per measure, one column per file and group."""
    from wager.rewards import measure_titles

    columns = list(dict.fromkeys((s.file, s.group) for s in scores.found))
    cells = {(s.file, s.group, s.measure): s for s in scores.found}
    rows = []
    for measure, title in measure_titles(s.measure for s in scores.found).items():
        found = [cells.get((f, g, measure)) for f, g in columns]
        rows.append([title, *_cells(found, scores.ends)])
    heads = [file if not group else f"{file} [{group}]" for file, group in columns]
    unit = scores.found[0].unit
    family = scores.found[0].family if unit is None else f"costs in {unit}"
    return Grid([family, *heads], rows)


def _error_grids(files: Sequence[FileScores]) -> list[Grid]:
    """What each kind of error costs, one table per file with costs."""
    from wager.report import error_table

    grids = []
    for file in files:
        if file.costs is not None and file.costs.errors:
            header, rows = error_table(file.costs)
            name = f"{file.file}: {header[0]}" if len(files) > 1 else header[0]
            grids.append(Grid([name, *header[1:]], rows, "<<>>>>"))
    return grids


def _one_row_per_class(scores: Scores) -> Grid:
    """One row per file, group and class, one column per measure; the last row is all classes."""
    measures = list(dict.fromkeys(s.measure for s in scores.found if s.of_class))
    with_intervals = any(s.of_class and scores.ends[id(s)] is not None for s in scores.found)
    ends = scores.ends if with_intervals else {}  # also for the row of all classes
    cells = {(s.file, s.group, s.of_class, s.measure): s for s in scores.found}
    parts = dict.fromkeys((s.file, s.group) for s in scores.found)
    rows = []
    for file, group in parts:
        of_part = [s for s in scores.found if (s.file, s.group) == (file, group)]
        classes = dict.fromkeys(s.of_class for s in of_part if s.of_class)
        names = [file, *([group or "(all)"] if _has_groups(parts) else [])]
        for label in (*classes, ""):
            found = [cells.get((file, group, label, measure)) for measure in measures]
            shown = [_cells([score], ends, digits=3)[0] for score in found]
            rows.append([*names, label or ALL_CLASSES, *shown])
    heads = ["file", *(["group"] if _has_groups(parts) else []), "class"]
    titles = ["\n".join(wrap(name.replace("_", " "), CLASS_TITLE)) for name in measures]
    if len(parts) == 1:  # the table above names the file
        heads, rows = heads[1:], [row[1:] for row in rows]
    return Grid([*heads, *titles], rows, "<" * len(heads) + ">" * len(titles))


def _has_groups(parts: Iterable[tuple[str, str]]) -> bool:
    return any(group for _, group in parts)


def _cells(
    scores: Sequence[Score | None], ends: Mapping[int, Interval | None], digits: int = 4
) -> list[str]:
    """The values of one measure, with their intervals, all with the same number of digits."""
    from wager._tables import supported_digits

    intervals = [None if score is None else ends.get(id(score)) for score in scores]
    widths = [high - low for low, high in filter(None, intervals) if isfinite(high - low)]
    digits = supported_digits(min(widths), digits) if widths else digits
    return [
        "-" if score is None else value_cell(score.value, interval, digits)
        for score, interval in zip(scores, intervals, strict=True)
    ]


def value_cell(value: float, interval: Interval | None, digits: int) -> str:
    """A value with its interval in brackets, if it has one."""
    if interval is None or interval[0] == interval[1]:  # a single point would look certain
        return _number(value, digits)
    low, high = (_number(end, digits) for end in interval)
    return f"{_number(value, digits)} ({low} to {high})"


def _number(value: float, digits: int) -> str:
    from wager._tables import ROUNDING, format_number

    if abs(value) <= ROUNDING:
        value = 0.0
    shown = format_number(value, digits)
    # a bound far below the last digit is 0 to these digits
    return f"{0.0:.{digits}f}" if "e" in shown and abs(value) < 1 else shown


# -- data -----------------------------------------------------------------------------------------


def _records(scores: Scores) -> Grid:
    """One row per score, for CSV."""
    header = [
        "file", "family", "group", "class", "measure", "value", "standard_error", "lower", "upper",
    ]  # fmt: skip
    rows = [
        [
            s.file, s.family, s.group, s.of_class, s.measure, s.value, s.standard_error,
            *(scores.ends[id(s)] or (nan, nan)),
        ]
        for s in scores.found
    ]  # fmt: skip
    return Grid(header, rows)


def _wide_records(scores: Scores) -> Grid:
    """One row per class, one column per measure and for the ends of its interval, for CSV.

    The class of scores of all rows is empty.
    """
    measures = list(dict.fromkeys(s.measure for s in scores.found))
    bounded = {s.measure for s in scores.found if scores.ends[id(s)] is not None}
    header = ["file", "family", "group", "class"]
    for name in measures:
        header += [name, f"{name}_lower", f"{name}_upper"] if name in bounded else [name]
    by_row: dict[tuple[str, ...], dict[str, Score]] = {}
    for s in scores.found:
        by_row.setdefault((s.file, s.family, s.group, s.of_class), {})[s.measure] = s
    rows = []
    for key, found in by_row.items():
        row: list[Any] = list(key)
        for name in measures:
            score = found.get(name)
            ends = None if score is None else scores.ends[id(score)]
            row.append("" if score is None else score.value)
            row += (ends or ("", "")) if name in bounded else ()
        rows.append(row)
    return Grid(header, rows)


def _plain(file: FileScores, scores: Scores, level: float) -> dict[str, Any]:
    """The scores of a file as plain data, for JSON."""
    entries = [
        {
            "family": s.family,
            "group": s.group,
            "class": s.of_class,
            "of_class": s.of_class,  # the older name
            "measure": s.measure,
            "value": s.value,
            "standard_error": s.standard_error,
            "interval": scores.ends[id(s)],
        }
        for s in file.scores
    ]
    data: dict[str, Any] = {
        "file": file.file,
        "words": list(file.sentences),
        "warnings": list(file.warnings),
        "clusters": file.clusters,
        "level": level,
        "prior": file.prior,
    }
    if file.memberships is not None:
        data["memberships"] = file.memberships.to_dict()
    if file.costs is not None:
        data["costs"] = file.costs.to_dict()
    return data | {"scores": entries}
