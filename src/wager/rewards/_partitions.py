"""Tallies of Dask collections: one tally per partition, added up as a tree.

The rows of a Dask frame are never in memory together.  Each partition is counted where it is, with
the function that counts rows in memory, and only tallies travel.  Importing this module does not
import Dask.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import reduce, wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

import numpy as np

from wager._dask import FAN_IN, add_all
from wager._tables import check_classes, encode_labels, frame_names, is_frame, union_labels
from wager._typing import Array
from wager.predictions import as_sets, class_source

P = ParamSpec("P")
Found = TypeVar("Found")

_PREDICTIONS = ("y_pred", "pred_a", "pred_b", "proba")
_ROWS = ("y_true", *_PREDICTIONS, "sample_weight", "counts", "groups")  # one value per row


def by_partition(of: Callable[P, Found]) -> Callable[P, Found]:
    """Let the method ``of`` of a tally count Dask collections, partition by partition.

    All arguments with one value per row must then be Dask collections with the same partitions.
    Clusters (``groups``) may be divided between partitions.
    """

    @wraps(of)
    def counted(*args: P.args, **kwargs: P.kwargs) -> Found:
        if "dask" not in sys.modules or not any(map(_is_lazy, (*args, *kwargs.values()))):
            return of(*args, **kwargs)
        given = signature(of).bind(*args, **kwargs).arguments
        return _count(of, given)

    return counted


def _is_lazy(value: Any) -> bool:
    return type(value).__module__.split(".")[0].startswith("dask")


def _count(of: Callable[..., Found], given: Mapping[str, Any]) -> Found:
    import dask

    rows = {name: given[name] for name in _ROWS if given.get(name) is not None}
    fixed = {name: value for name, value in given.items() if name not in (*rows, "cls")}
    partitions = _aligned(rows)
    if fixed.get("classes") is None:
        fixed["classes"] = _classes(rows, partitions)
    if fixed["classes"] is None:  # there are no rows at all
        return _refuse_empty(of, given["cls"], partitions[0])
    if "groups" in rows:
        fixed["keep_clusters"] = True
    count, total = dask.delayed(_tally_of, pure=False), dask.delayed(_add_present, pure=False)
    tallies = [count(given["cls"], part, fixed, _where(i)) for i, part in enumerate(partitions)]
    found: Found | None = dask.compute(_tree(tallies, total))[0]
    return _refuse_empty(of, given["cls"], partitions[0]) if found is None else found


def _refuse_empty(of: Callable[..., Found], cls: Any, partition: Mapping[str, Any]) -> Found:
    """Let the function that counts rows in memory say what is wrong with none."""
    import dask

    return of(cls, **dask.compute(partition)[0])


def _where(partition: int) -> str:
    return f"partition {partition} (the first one is 0)"


def _aligned(rows: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The arguments of each partition, still lazy."""
    plain = [name for name, value in rows.items() if not _is_lazy(value)]
    if plain:
        lazy = next(name for name in rows if name not in plain)
        raise ValueError(
            f"{lazy} is a Dask collection but {plain[0]} is not: pass columns of the same Dask "
            "frame"
        )
    parts = {name: _partitions(value) for name, value in rows.items()}
    first, *others = parts
    for other in others:
        if len(parts[other]) != len(parts[first]):
            raise ValueError(
                f"{first} has {len(parts[first])} partitions but {other} has {len(parts[other])}: "
                "pass columns of the same Dask frame"
            )
    return [dict(zip(parts, same, strict=True)) for same in zip(*parts.values(), strict=True)]


def _partitions(value: Any) -> list[Any]:
    """The partitions of a frame or a column; of an array, the chunks of its rows."""
    if hasattr(value, "rechunk") and value.ndim == 2:
        value = value.rechunk({1: -1})
    found = value.to_delayed()
    return found.ravel().tolist() if isinstance(found, np.ndarray) else list(found)


def _tree(level: Sequence[Any], total: Callable[[Sequence[Any]], Any]) -> Any:
    """The sum of all, in steps of a few neighbours each."""
    while len(level) > 1:
        level = [total(level[i : i + FAN_IN]) for i in range(0, len(level), FAN_IN)]
    return level[0]


def _add_present(tallies: Sequence[Any]) -> Any:
    """The sum of tallies; None stands for that of no rows."""
    present = [tally for tally in tallies if tally is not None]
    return add_all(present) if present else None


def _tally_of(cls: Any, rows: Mapping[str, Any], fixed: Mapping[str, Any], where: str) -> Any:
    """The tally of one partition; None if it has no rows that count."""
    if not any(map(len, rows.values())):
        return None
    try:
        return None if _counts_for_nothing(rows) else cls.of(**rows, **fixed)
    except ValueError as problem:
        raise ValueError(f"{where}: {problem}") from None


def _counts_for_nothing(rows: Mapping[str, Any]) -> bool:
    """Whether the weight or the count of every row is 0, which all rows together may not be."""
    given = [np.asarray(rows[name]) for name in ("sample_weight", "counts") if name in rows]
    lengths = {len(column) for column in rows.values()}
    return bool(given) and len(lengths) == 1 and not np.multiply.reduce(given).any()


# -- classes that are not declared ----------------------------------------------------------------


def _classes(rows: Mapping[str, Any], partitions: Sequence[Mapping[str, Any]]) -> Array | None:
    """The classes that the columns of a frame name, or all labels, from a first pass.

    None if there are no rows.
    """
    import dask

    metas = [rows[name]._meta for name in _PREDICTIONS if name in rows]
    found = [frame_names(meta) for meta in metas if is_frame(meta)]
    declared = [names for names in found if names is not None]
    if declared:
        return check_classes(max(declared, key=len), "the columns")
    find, total = dask.delayed(_labels_of, pure=False), dask.delayed(_all_labels, pure=False)
    labels = [
        find({name: part[name] for name in ("y_true", *_PREDICTIONS) if name in part}, _where(i))
        for i, part in enumerate(partitions)
    ]
    every: Array | None = dask.compute(_tree([total([one]) for one in labels], total))[0]
    return every


def _labels_of(rows: Mapping[str, Any], where: str) -> Array | None:
    """The labels of one partition: in the truth, and in predictions that are not a matrix."""
    if not len(rows["y_true"]):
        return None
    try:
        found = [encode_labels(rows["y_true"], name="y_true")[1]]
        for name in _PREDICTIONS[:-1]:
            if name in rows and class_source(rows[name])[0] == "labels":
                found.append(as_sets(rows[name]).classes)
    except ValueError as problem:
        raise ValueError(f"{where}: {problem}") from None
    return _all_labels(found)


def _all_labels(found: Sequence[Array | None]) -> Array | None:
    labels = [one for one in found if one is not None and len(one)]
    return reduce(union_labels, labels) if labels else None
