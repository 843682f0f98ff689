"""How often each (true class, set size, hit) occurs in a file, without holding the file.

What a set-valued prediction earns depends on its size and on whether it hit, so DuckDB reduces the
file in one pass.  Masks and ``in:`` columns become (class, size, hit) inside the database; labels
and written sets are grouped by what is written, and each distinct pair of truth and prediction is
taken apart once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from wager._typing import Array
from wager.predictions._strings import separator_in, split_labels
from wager.predictions.files._classes import (
    BITS,
    class_texts,
    find_classes,
    refuse_mixed_kinds,
)
from wager.predictions.files._columns import (
    flag_sql,
    is_whole,
    label_sql,
    mask_sql,
    may_exceed_one,
    members_sql,
    text_sql,
    weight_sql,
)
from wager.predictions.files._entries import FileCounts
from wager.predictions.files._faults import no_rows, refuse_file, refuse_unknown
from wager.predictions.files._layout import Layout
from wager.predictions.files._source import Source, ask, connect

__all__ = ["Progress", "count_file", "make_class_table", "run_watched"]

Progress = Callable[[float], None]
_TICK = 0.1  # seconds between two reports of progress
_PAIRS = 100_000  # distinct pairs of truth and prediction that are fetched at a time
_MAY_SEPARATE = re.compile(r"[;,/+&\s]")


def count_file(
    source: Source,
    layout: Layout,
    declared: Array | None,
    by_group: bool = False,
    progress: Progress | None = None,
) -> FileCounts:
    """Reduce a file of labels or sets to its counts, in one pass.

    Parameters
    ----------
    source, layout
        The file, and what its columns say.
    declared : ndarray or None
        The classes, as far as they are known beforehand.
    by_group : bool
        Whether to keep the groups apart.
    progress : callable, optional
        Is told the share of the file that has been read, now and then.
    """
    extras = {}
    if by_group and layout.group is not None:
        extras["g"] = text_sql(source, layout.group)
    if layout.weight is not None:
        extras["w"] = weight_sql(source, layout.weight)
    with connect(source) as con:
        count = _count_written if layout.form in ("label", "set") else _count_packed
        counts = count(con, source, layout, declared, extras, progress)
    if not counts.weight.any():
        raise ValueError(f"{source.path}: weight is 0 in every row: at least one row must count")
    return counts


def make_class_table(
    con: Any, classes: Array, label: str = "VARCHAR", code: str = "BIGINT"
) -> None:
    """The table ``classes`` in which a label is looked up, by its type in the file."""
    texts = class_texts(classes)
    con.execute(
        f"CREATE TEMP TABLE classes AS SELECT TRY_CAST(label AS {label}) AS label, "
        f"CAST(code AS {code}) AS code FROM (SELECT unnest(CAST(? AS VARCHAR[])) AS label, "
        "unnest(range(?)) AS code)",
        [texts, len(texts)],
    )


def _count_packed(
    con: Any,
    source: Source,
    layout: Layout,
    classes: Array | None,
    extras: dict[str, str],
    progress: Progress | None,
) -> FileCounts:
    """Masks and ``in:`` columns: the database finds class, size and hit."""
    assert classes is not None
    whole = is_whole(source, layout.truth)
    truth = f"c{layout.truth}" if whole else label_sql(source, layout.truth)
    key = source.types[layout.truth] if whole else "VARCHAR"
    if len(classes) <= BITS:
        make_class_table(con, classes, key, "UTINYINT")
        said = _mask(source, layout, classes)
        size, hit, top = "bit_count(said)", "(said >> code) & 1", "max(said)"
    else:
        make_class_table(con, classes, key)
        said = f"CAST([{', '.join(_flags(source, layout, classes))}] AS UTINYINT[])"
        right = f"list_aggregate(said, 'count') = {len(classes)} AND list_max(said) <= 1"
        size, hit, top = f"CASE WHEN {right} THEN list_sum(said) END", "said[code + 1]", "0"
    sql = (
        f"SELECT {_group(extras)} AS g, code, {size} AS size, {hit} AS hit, {top}, "
        f"{_totals(layout)} FROM (SELECT {_listed({'y': truth, 'said': said, **extras})} "
        f"FROM {source.table}) LEFT JOIN classes ON y = label "
        f"GROUP BY {'g, ' * ('g' in extras)}code, size, hit"
    )
    entries = [row for part in _fetch(con, source, sql, progress) for row in part]
    if not entries:
        raise no_rows(source)
    for _, code, size, _, top, *n in entries:
        if code is None or size is None or top >> len(classes) or n[0] != n[-1]:
            refuse_file(con, source, layout, classes)
    return _gather(classes, layout, [(*row[:4], *row[5:]) for row in entries])


def _mask(source: Source, layout: Layout, classes: Array) -> str:
    """The set of a row as one integer."""
    if layout.form == "mask":
        return mask_sql(source, layout.columns[0])
    flags = _flags(source, layout, classes)
    mask = " + ".join(f"CAST({flag} AS UBIGINT) * {1 << i}" for i, flag in enumerate(flags))
    unsure = [flag_sql(source, i) for i in layout.columns if may_exceed_one(source, i)]
    if not unsure:
        return mask
    return f"CASE WHEN greatest(0, {', '.join(unsure)}) <= 1 THEN {mask} END"


def _flags(source: Source, layout: Layout, classes: Array) -> list[str]:
    """The 0/1 columns of a row in the order of the classes; 0 for a class without a column."""
    flags = {
        label: flag_sql(source, place)
        for label, place in zip(layout.labels, layout.columns, strict=True)
    }
    return [flags.get(text, "0") for text in class_texts(classes)]


def _count_written(
    con: Any,
    source: Source,
    layout: Layout,
    declared: Array | None,
    extras: dict[str, str],
    progress: Progress | None,
) -> FileCounts:
    """Labels and written sets: the database finds the distinct pairs, we take them apart."""
    place = layout.columns[0]
    truth = label_sql(source, layout.truth)
    said = (label_sql if layout.form == "label" else members_sql)(source, place)
    sql = (
        f"SELECT {_group(extras)} AS g, y, said, {_totals(layout)} FROM "
        f"(SELECT {_listed({'y': truth, 'said': said, **extras})} FROM {source.table}) "
        f"GROUP BY {'g, ' * ('g' in extras)}y, said"
    )
    sums: dict[tuple[Any, ...], list[Any]] = {}
    truths: dict[str, Any] = {}  # each label, and a cell that holds it
    members: dict[str, Any] = {}
    faulty = False
    for part in _fetch(con, source, sql, progress):
        for group, y, cell, *n in part:
            if y is None or cell is None or n[0] != n[-1]:
                faulty = True
                continue
            labels = {cell} if layout.form == "label" else _labels_of(cell)
            truths[y] = y
            for label in labels:
                members.setdefault(label, tuple(cell) if isinstance(cell, list) else cell)
            key = (group, y, len(labels), y in labels)
            have = sums.get(key)
            sums[key] = n if have is None else [a + b for a, b in zip(have, n, strict=True)]
    if faulty:
        refuse_file(con, source, layout, None)
    if not sums:
        raise no_rows(source)
    if declared is None:
        _refuse_separators(con, source, place, said, truths, members)
        classes = find_classes(source, layout, truths, members)
    else:
        refuse_mixed_kinds(source, layout, truths, members)
        classes = declared
    codes = {text: code for code, text in enumerate(class_texts(classes))}
    for where, column, known in ((layout.truth, truth, truths), (place, said, members)):
        unknown = {cell: label for label, cell in known.items() if label not in codes}
        if unknown:
            refuse_unknown(con, source, where, column, unknown, classes)
    entries = [(g, codes[y], size, hit, *n) for (g, y, size, hit), n in sums.items()]
    return _gather(classes, layout, entries)


def _labels_of(cell: str | list[str]) -> set[str]:
    return set(split_labels(cell) if isinstance(cell, str) else cell)


def _refuse_separators(
    con: Any,
    source: Source,
    place: int,
    said: str,
    truths: Mapping[str, Any],
    members: Mapping[str, Any],
) -> None:
    """Sets like ``a;b`` are read as one label each: refuse them where a and b are labels."""
    simple = {*truths, *(x for x in members if not _MAY_SEPARATE.search(x))}
    odd = {cell: x for x, cell in members.items() if separator_in(x, simple)}
    if odd:
        refuse_unknown(con, source, place, said, odd, np.array(sorted(simple)))


def _listed(columns: Mapping[str, str]) -> str:
    return ", ".join(f"{sql} AS {name}" for name, sql in columns.items())


def _group(extras: Mapping[str, str]) -> str:
    return "g" if "g" in extras else "CAST(NULL AS VARCHAR)"


def _totals(layout: Layout) -> str:
    """What is added up in every entry; the last number is the first unless a weight is wrong."""
    if layout.weight is None:
        return "count(*)"
    return "count(*), sum(w), sum(w * w), count_if(w <> trunc(w)), count(w)"


def _gather(classes: Array, layout: Layout, entries: list[tuple[Any, ...]]) -> FileCounts:
    """Entries (group, code, size, hit, totals) as columns."""
    truth, size, hit, rows = np.array([row[1:5] for row in entries], dtype=np.int64).T
    group = np.array([row[0] for row in entries], dtype=object)
    if layout.weight is None:
        ones = rows.astype(np.float64)
        return FileCounts(classes, group, truth, size, hit, rows, ones, ones, whole=True)
    weight, squares, fractions, _ = np.array([row[5:] for row in entries], dtype=np.float64).T
    whole = not fractions.any()
    return FileCounts(classes, group, truth, size, hit, rows, weight, squares, whole)


def _fetch(
    con: Any, source: Source, sql: str, progress: Progress | None
) -> Iterator[list[tuple[Any, ...]]]:
    """The rows of an aggregate, some at a time."""
    # DuckDB counts reading as one half of the work and handing out the groups as the other.
    run_watched(con, source, sql, progress and (lambda share: progress(min(2 * share, 1.0))))
    while rows := con.fetchmany(_PAIRS):
        yield rows


def run_watched(con: Any, source: Source, sql: str, progress: Progress | None) -> None:
    """Put a question to the file; while DuckDB works, say how far it is."""
    if progress is None:
        ask(con, source, sql)
        return
    from concurrent.futures import ThreadPoolExecutor, wait

    with ThreadPoolExecutor(1) as pool:
        task = pool.submit(ask, con, source, sql)
        try:
            while not wait([task], timeout=_TICK).done:
                progress(max(con.query_progress(), 0.0) / 100)
        except KeyboardInterrupt:
            con.interrupt()
            raise
        task.result()
