"""What files on the same rows have in common, counted on one machine or part by part on many.

A part of a comparison is the same rows of all files.  Rows that lack a value in one of the files
are left out of all of them, before they are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from wager._dask import DaskEngine, add_all
from wager.predictions import (
    FilePart,
    MissingRows,
    PredictionFile,
    RowOddities,
    aligned_parts,
    total_of_parts,
)

Progress = Callable[[float], None]


@dataclass(frozen=True)
class MatchedRows:
    """Joint counts of files, or of parts of them that have the same rows; those of parts add up.

    Attributes
    ----------
    pairs : dict of (int, int) to PairedTally or PairedCosts
        The joint counts of every two files, by their positions, or other sums; empty if there are
        no rows.
    n_rows : int
        The number of rows, or the sum of their counts.
    odd : tuple of RowOddities
        What is odd about each file; empty if there are no rows.
    missing : tuple of MissingRows
        For each file, the rows that lack a value and are left out.
    n_left_out : int
        The number of rows that are left out of all files.
    """

    pairs: dict[Any, Any]
    n_rows: int
    odd: tuple[RowOddities, ...]
    missing: tuple[MissingRows, ...] = ()
    n_left_out: int = 0

    def __add__(self, other: MatchedRows) -> MatchedRows:
        full = [one for one in (self, other) if one.pairs] or [self]
        return MatchedRows(
            {pair: add_all([one.pairs[pair] for one in full]) for pair in full[0].pairs},
            self.n_rows + other.n_rows,
            tuple(map(add_all, zip(*(one.odd for one in full), strict=True))),
            tuple(map(add_all, zip(self.missing, other.missing, strict=True))),
            self.n_left_out + other.n_left_out,
        )

    def left_out(self, names: Sequence[str], by_id: bool) -> list[str]:
        """Sentences about the rows that are left out."""
        lacking = zip(names, self.missing, strict=False)
        found = [f"{name}: {missing.left_out()}" for name, missing in lacking if missing.n]
        return found + left_out_of_all(self.n_left_out, by_id)


def match_on_cluster(
    engine: DaskEngine,
    files: Sequence[PredictionFile],
    count: Callable[[Sequence[PredictionFile]], MatchedRows],
    *,
    drop: bool = False,
    progress: Progress | None = None,
) -> MatchedRows:
    """Count files on the same rows on a cluster, part by part.

    Parameters
    ----------
    engine : DaskEngine
        The cluster.
    files : sequence of PredictionFile
        The files, opened with all their rows.
    count : callable
        Counts the same rows of all files; it is sent to the workers.
    drop : bool, default=False
        Whether rows that lack a value are left out.
    progress : callable, optional
        Called with the share of the parts that is counted.
    """
    parts = aligned_parts(files, drop=drop)
    return total_of_parts(engine, partial(_match_part, count=count), parts, progress)


def _match_part(
    parts: tuple[FilePart, ...], count: Callable[[Sequence[PredictionFile]], MatchedRows]
) -> MatchedRows:
    files: list[PredictionFile] = []
    for part in parts:
        files.append(part.open(files[0] if files else None))
    if not parts[0].drop:
        return count(files)
    kept, n_left_out = without_missing(files)
    missing = tuple(file.missing for file in kept if file.missing is not None)
    if files[0].is_part and n_left_out == missing[0].n_rows:
        return MatchedRows({}, 0, (), missing, n_left_out)
    return replace(count(kept), missing=missing, n_left_out=n_left_out)


def without_missing(files: Sequence[PredictionFile]) -> tuple[list[PredictionFile], int]:
    """The files without the rows that lack a value in any of them, and the number of these."""
    kept = [file.without_missing() for file in files]
    if not any(file.missing is not None and file.missing.n for file in kept):
        return kept, 0
    by_id = all(file.layout.id is not None for file in files)
    found = [key for key in (file.missing_keys(by_id) for file in files) if len(key)]
    if not found:  # the rows that lack a value lack their id as well
        return kept, 0
    together = np.unique(np.concatenate(found))
    return [file.without_keys(together, by_id) for file in kept], len(together)


def left_out_of_all(n: int, by_id: bool) -> list[str]:
    """A sentence about rows that are left out of all files, if there are any."""
    if not n:
        return []
    return [
        f"{n:,} row{'s' if n > 1 else ''}, matched by {'id' if by_id else 'order'}, "
        f"{'are' if n > 1 else 'is'} left out of all files because one of them lacks a value"
    ]


def other_order(files: Sequence[PredictionFile]) -> ValueError:
    """The error for parts of files whose rows may match those of other parts."""
    return ValueError(
        f"{files[0].path} and {files[1].path} list their ids in different orders, which only one "
        "machine can match: sort both by id, or leave out --engine dask"
    )
