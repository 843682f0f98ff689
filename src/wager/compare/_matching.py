"""Prediction files on the same rows, brought together: joint counts of every two of them.

Files are read side by side, some rows at a time.  Rows belong together by their ``id``, where every
file has one, and else by their order.  Files in the same order, which most are, are counted on the
way; where the ids come in another order, the outcomes of the rows are joined in a database on
disk.  Memory stays flat either way.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import zip_longest
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from wager._tables import format_labels
from wager._typing import Array, ArrayLike
from wager.compare._joining import count_joined
from wager.compare._row_outcomes import (
    RowOutcomes,
    disagreement,
    joint_counts,
    outcomes_of,
)
from wager.predictions import PredictionFile, file_forms, scan_predictions
from wager.rewards import PairedTally

_ROWS = 1 << 16  # rows of each file that are held at a time
Progress = Callable[[float], None]


@dataclass(frozen=True)
class Matched:
    """Joint counts of every two files, and how their rows were matched.

    Attributes
    ----------
    names : tuple of str
        What the files are called.
    pairs : mapping of (name, name) to PairedTally
        In the order of the names.
    classes : array
        The classes that any of the files speaks of.
    by_id : bool
        Whether rows were matched by ``id``, rather than by their order.
    """

    names: tuple[str, ...]
    pairs: Mapping[tuple[str, str], PairedTally]
    classes: Array
    by_id: bool


def match_files(
    paths: Sequence[str | PathLike[str]],
    names: Sequence[str] | None = None,
    classes: ArrayLike | None = None,
    *,
    form: str | None = None,
    rule: str = "maximality",
    progress: Progress | None = None,
) -> Matched:
    """Read prediction files on the same rows and count the outcomes of every two jointly.

    Parameters
    ----------
    paths : sequence of path
        At least two prediction files.
    names : sequence of str, optional
        What to call them; by default their names without folder and ending.
    classes : array-like, optional
        The classes, also those that never occur.
    form : str, optional
        Which predictions to read where a file states several.
    rule : str, default="maximality"
        How sets follow from probability intervals; from probabilities and memberships it is the
        class of the largest.
    progress : callable, optional
        Is told the share of the work that is done, now and then.
    """
    called = file_names(paths, names)
    files = _over_the_same_classes(paths, classes, form)
    settled = files[0].classes
    assert settled is not None
    by_id = all(file.layout.id is not None for file in files)
    pairs: dict[tuple[int, int], PairedTally] = {}
    try:
        with closing(_side_by_side(files, by_id, rule, progress)) as steps:
            for parts in steps:
                for pair, counted in joint_counts(parts, len(settled)).items():
                    pairs[pair] = pairs[pair] + counted if pair in pairs else counted
    except _AnotherOrderError:
        pairs = count_joined(files, lambda file: _outcomes(file, rule))
    if not any(tally.n for tally in pairs.values()):
        raise ValueError(f"{files[0].path}: weight is 0 in every row: at least one row must count")
    by_name = {(called[i], called[j]): tally for (i, j), tally in pairs.items()}
    return Matched(called, by_name, settled, by_id)


def file_names(
    paths: Sequence[str | PathLike[str]], names: Sequence[str] | None = None
) -> tuple[str, ...]:
    """Names for the files: those given, or the file names as far as they stay apart."""
    if len(paths) < 2:
        raise ValueError(f"a comparison needs at least 2 prediction files, got {len(paths)}")
    if names is None:
        stems = [Path(path).name.split(".")[0] for path in paths]
        names = stems if len(set(stems)) == len(stems) else [str(path) for path in paths]
        if len(set(names)) < len(names):
            raise ValueError(f"{_twice(names)} is given more than once: compare different files")
    if len(names) != len(paths):
        raise ValueError(f"{len(names)} names were given for {len(paths)} files: give one each")
    if len(set(names)) < len(names):
        raise ValueError(f"the name {_twice(names)!r} is given twice: name each file differently")
    return tuple(names)


def _twice(names: Sequence[str]) -> str:
    return next(name for name in names if list(names).count(name) > 1)


def _sets_if_several(path: str | PathLike[str]) -> str | None:
    """The sets of a file that states probabilities as well, as ``wager fit`` writes it."""
    forms = file_forms(path)
    return next((form for form in forms if form in ("set", "mask", "in")), forms[0])


def _over_the_same_classes(
    paths: Sequence[str | PathLike[str]], classes: ArrayLike | None, form: str | None
) -> list[PredictionFile]:
    """The files, opened over all classes that any of them speaks of."""
    forms = [form or _sets_if_several(path) for path in paths]
    files = [
        scan_predictions(path, classes, form=kind) for path, kind in zip(paths, forms, strict=True)
    ]
    if classes is not None:
        return files
    known = [file.count().classes if file.classes is None else file.classes for file in files]
    if not all(labels.dtype.kind in "iu" for labels in known):
        known = [labels.astype(str) for labels in known]
    for file, labels in zip(files[1:], known[1:], strict=True):
        if not np.isin(labels, known[0]).any():
            raise ValueError(
                f"{files[0].path} speaks of the classes {format_labels(known[0])} and {file.path} of "
                f"{format_labels(labels)}: spell them alike, or list all with classes= (--classes)"
            )
    together = np.unique(np.concatenate(known))
    return [
        scan_predictions(path, together, form=kind) for path, kind in zip(paths, forms, strict=True)
    ]


class _AnotherOrderError(Exception):
    """The files list their ids in different orders: they must be joined."""


def _outcomes(
    file: PredictionFile, rule: str, progress: Progress | None = None
) -> Generator[RowOutcomes, None, None]:
    with closing(file.chunks(_ROWS, progress)) as chunks:  # its scratch file goes at once
        for chunk in chunks:
            yield outcomes_of(chunk, rule)


def _side_by_side(
    files: Sequence[PredictionFile], by_id: bool, rule: str, progress: Progress | None
) -> Generator[list[RowOutcomes], None, None]:
    """The same rows of all files, some at a time, checked to belong together."""
    start = 0
    with ExitStack() as stack:
        # the files take turns: how far the first one is, is how far all are
        readers = [
            stack.enter_context(closing(_outcomes(file, rule, progress if i == 0 else None)))
            for i, file in enumerate(files)
        ]
        for parts in zip_longest(*readers):
            if by_id and not _same_ids(parts):
                raise _AnotherOrderError
            lengths = [0 if part is None else len(part) for part in parts]
            if len(set(lengths)) > 1:
                rest = [sum(map(len, reader)) for reader in readers]
                _refuse_lengths(files, [start + n + r for n, r in zip(lengths, rest, strict=True)])
            _check_alike(files, parts, start)
            yield list(parts)
            start += lengths[0]


def _same_ids(parts: Sequence[Any]) -> bool:
    """Whether some rows of all files carry the same ids; not so where a file has ended."""
    if any(part is None for part in parts):
        return False
    return all(np.array_equal(part.id, parts[0].id) for part in parts[1:])


def _refuse_lengths(files: Sequence[PredictionFile], totals: Sequence[int]) -> None:
    file, total = next((f, n) for f, n in zip(files, totals, strict=True) if n != totals[0])
    raise ValueError(
        f"{files[0].path} has {totals[0]} rows but {file.path} has {total}: compare predictions of "
        "the same rows, or give every file an id column to match them by"
    )


def _check_alike(files: Sequence[PredictionFile], parts: Sequence[RowOutcomes], start: int) -> None:
    """Refuse rows that do not agree on the true class or on the weight."""
    classes = files[0].classes
    assert classes is not None
    first = parts[0]
    for file, part in zip(files[1:], parts[1:], strict=True):
        off = np.flatnonzero(part.truth != first.truth)
        if len(off):
            truths = [classes[rows.truth[off[0]]] for rows in (first, part)]
            raise disagreement(files[0], file, "y_true", truths, _where(first, off[0], start))
    weighted = [(f, p) for f, p in zip(files, parts, strict=True) if p.weight is not None]
    for file, part in weighted[1:]:
        off = np.flatnonzero(part.weight != weighted[0][1].weight)
        if len(off):
            weights = [p.weight[off[0]] for p in (weighted[0][1], part) if p.weight is not None]
            raise disagreement(
                weighted[0][0], file, "weight", weights, _where(first, off[0], start)
            )


def _where(part: RowOutcomes, row: int, start: int) -> str:
    here = f"row {start + row + 1}"
    return here if part.id is None else f"{here} (id {part.id[row]})"
