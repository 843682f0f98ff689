"""Read the same rows of several prediction files, some at a time, checked to match."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, closing
from itertools import zip_longest
from typing import Any

import numpy as np

from wager._tables import counted
from wager.compare._file_rows import disagreement
from wager.predictions import PredictionFile

Progress = Callable[[float], None]


class AnotherOrderError(Exception):
    """The files list their ids in different orders, so they must be joined."""


def side_by_side(
    files: Sequence[PredictionFile],
    by_id: bool,
    read: Callable[..., Any],
    progress: Progress | None,
) -> Generator[list[Any], None, None]:
    """The same rows of all files, some at a time, checked to match.

    `read` opens a file, given it and `progress`, and yields its rows in parts.
    """
    start = 0
    with ExitStack() as stack:
        # the files are read in turns, so the progress of the first one is that of all
        readers = [
            stack.enter_context(closing(read(file, progress if i == 0 else None)))
            for i, file in enumerate(files)
        ]
        for parts in zip_longest(*readers):
            if by_id and not _same_ids(parts):
                raise AnotherOrderError
            lengths = [0 if part is None else len(part) for part in parts]
            if len(set(lengths)) > 1:
                rest = [sum(map(len, reader)) for reader in readers]
                _refuse_lengths(files, [start + n + r for n, r in zip(lengths, rest, strict=True)])
            _check_alike(files, parts)
            yield list(parts)
            start += lengths[0]


def _same_ids(parts: Sequence[Any]) -> bool:
    """Whether these rows have the same ids in all files; False if a file has ended."""
    if any(part is None for part in parts):
        return False
    return all(np.array_equal(part.id, parts[0].id) for part in parts[1:])


def _refuse_lengths(files: Sequence[PredictionFile], totals: Sequence[int]) -> None:
    file, total = next((f, n) for f, n in zip(files, totals, strict=True) if n != totals[0])
    raise ValueError(
        f"{files[0].path} has {counted(totals[0], 'row')} but {file.path} has {total}: compare "
        "predictions of the same rows, or add an id column to every file to match them by"
    )


def _check_alike(files: Sequence[PredictionFile], parts: Sequence[Any]) -> None:
    """Raise a ValueError if the files differ in the true class of a row, or in what it counts."""
    classes = files[0].classes
    assert classes is not None
    first = parts[0]
    for file, part in zip(files[1:], parts[1:], strict=True):
        off = np.flatnonzero(part.truth != first.truth)
        if len(off):
            truths = [classes[rows.truth[off[0]]] for rows in (first, part)]
            raise disagreement(files[0], file, "y_true", truths, _where(first, off[0]))
    for column in ("weight", "count", "cluster"):
        every = ((file, getattr(part, column)) for file, part in zip(files, parts, strict=True))
        having = [(file, values) for file, values in every if values is not None]
        for file, values in having[1:]:
            one, known = having[0]
            off = np.flatnonzero(values != known)
            if len(off):
                both = [known[off[0]], values[off[0]]]
                raise disagreement(one, file, column, both, _where(first, off[0]))


def _where(part: Any, row: int) -> str:
    here = f"row {part.row[row]}"
    return here if part.id is None else f"{here} (id {part.id[row]})"
