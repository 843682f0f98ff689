"""Compare probability files of any size on the same rows.

The files are read side by side, some rows at a time, and only the rewards of each row are kept
until the rows are matched; see `_side_by_side`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from wager._dask import DaskEngine
from wager._typing import Array, ArrayLike
from wager.compare._file_rows import shared
from wager.compare._join_by_id import read_clustered, read_joined
from wager.compare._match_files import (
    FilePath,
    file_names,
    no_rows_count,
    one_after_another,
    open_together,
)
from wager.compare._matched_rows import MatchedRows, match_on_cluster, other_order
from wager.compare._probability_comparison import ProbabilityComparison, reward_settings
from wager.compare._probability_rows import (
    RewardSettings,
    RowRewards,
    Sums,
    add_up,
    added,
    units_of,
)
from wager.compare._side_by_side import AnotherOrderError, side_by_side
from wager.predictions import PredictionFile

_ROWS = 1 << 16  # rows of each file in memory at a time
Progress = Callable[[float], None]


def compare_probability_files(
    paths: Sequence[FilePath],
    prior: ArrayLike | None = None,
    *,
    names: Sequence[str] | None = None,
    classes: ArrayLike | None = None,
    clip: float | None = None,
    confidence: float = 0.95,
    form: str | None = None,
    cluster: str | None = None,
    columns: Mapping[str, str] | None = None,
    na: str = "error",
    progress: Progress | None = None,
    engine: DaskEngine | None = None,
) -> ProbabilityComparison:
    """Compare the probabilities of files on the same rows, matched by ``id`` or by order.

    As `compare_probabilities`, in one pass over the files.

    Use it for files of probabilities that do not fit into memory; `wager compare` calls it.

    Parameters
    ----------
    paths : sequence of path
        At least two files with ``p:`` columns.
    prior, clip, confidence
        As in `compare_probabilities`; a prior without names has the order of the
        classes.
    names, classes, form, cluster, columns, na, progress, engine
        As in `wager.compare.match_files`.

    References
    ----------
    Hope & Korb (2004).
    """
    labels = file_names(paths, names)
    files, left_out, by_id = open_together(
        paths, classes, labels, form=form, cluster=cluster, columns=columns, na=na, engine=engine
    )
    for file in files:
        if file.kind != "proba":
            raise ValueError(
                f"{file.path}: the predictions are not probabilities (p: columns): compare the "
                "files as sets with compare_files"
            )
    settled = files[0].classes
    assert settled is not None
    settings = reward_settings(settled, prior, clip=clip)
    if engine is None:
        sums = _sums(files, settings, progress)
    else:
        count = partial(_match_rewards, prior=prior, clip=clip)
        rows = match_on_cluster(engine, files, count, drop=na == "drop", progress=progress)
        left_out, sums = rows.left_out(labels, by_id), _by_places(rows)
    if not sums[0,][0].rows.any():
        raise no_rows_count(files)
    found = ProbabilityComparison.of_sums(labels, settings, sums, confidence)
    return replace(found, warnings=tuple(left_out))


def _sums(
    files: Sequence[PredictionFile], settings: RewardSettings, progress: Progress | None
) -> Sums:
    """Sums over all rows, which are counted as they come or joined by their ids."""
    read = partial(_rewards, settings=settings)
    by_id = all(file.layout.id is not None for file in files)
    clustered = any(file.layout.cluster is not None for file in files)
    n_rewards, n_classes = len(settings.rewards), len(settings.classes)
    try:
        with closing(side_by_side(files, by_id, read, progress)) as steps:
            if clustered:
                return _total(_unpacked(read_clustered(steps), len(files), n_rewards), n_classes)
            return _total(map(_matched, steps), n_classes)
    except AnotherOrderError:
        if files[0].is_part:
            raise other_order(files) from None
        in_turn = one_after_another(read, len(files), progress)
        joined = read_joined(files, in_turn, n_rewards)
        return _total(_unpacked(joined, len(files), n_rewards), n_classes)


def _match_rewards(
    files: Sequence[PredictionFile], prior: ArrayLike | None, clip: float | None
) -> MatchedRows:
    """The sums over a part of the rows, in a form that adds up."""
    if files[0].is_part and any(file.layout.cluster is not None for file in files):
        raise ValueError(
            f"{files[0].path}: probabilities of rows in clusters are compared on one machine only: "
            "leave out --engine dask"
        )
    classes = files[0].classes
    assert classes is not None
    sums = _sums(files, reward_settings(classes, prior, clip=clip), None)
    flat = {(places, s): one for places, every in sums.items() for s, one in enumerate(every)}
    return MatchedRows(flat, 0, ())


def _by_places(rows: MatchedRows) -> Sums:
    sums: Sums = {}
    for (places, _), one in rows.pairs.items():
        sums.setdefault(places, []).append(one)
    return sums


def _rewards(
    file: PredictionFile, progress: Progress | None = None, *, settings: RewardSettings
) -> Generator[RowRewards, None, None]:
    with closing(file.chunks(_ROWS, progress)) as chunks:  # deletes its temporary file at once
        for chunk in chunks:
            yield RowRewards.of(chunk, settings)


Rows = tuple[list[Any], Array, Any]  # rewards by file, true classes, and what the rows count for


def _matched(parts: Sequence[RowRewards]) -> Rows:
    """The same independent rows of all files."""
    units = units_of(shared(parts, "weight"), shared(parts, "count"), None)
    return [part.rewards for part in parts], parts[0].truth, units


def _unpacked(parts: Iterable[dict[str, Array]], n_files: int, n_rewards: int) -> Iterator[Rows]:
    """The same from columns of a database."""
    for columns in parts:
        rewards = [
            np.stack([columns[f"x{i}_{s}"] for s in range(n_rewards)], axis=1)
            for i in range(n_files)
        ]
        units = units_of(*(columns.get(name) for name in ("w", "k", "cl")))
        yield rewards, columns["truth"], units


def _total(parts: Iterable[Rows], n_classes: int) -> Sums:
    total: Sums | None = None
    for rewards, truth, units in parts:
        total = added(total, add_up(rewards, truth, units, n_classes))
    assert total is not None
    return total
