"""Counts as plain data for JSON, and back with checks, since they may come from another site.

The data are an object with the keys ``classes`` (labels), ``rows`` (by class), ``features`` (each
with ``name``, ``labels`` of its values or null for codes, ``n_values`` and ``counts`` by value and
class) and ``pairs`` (null, or for each pair of features its counts by both values and class).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from wager._tables._codes import Schema
from wager._tables._counts import Counts, PairCounts, check_pair_table_size
from wager._tables._plain_data import plain_integers, plain_labels
from wager._tables._values import format_label, is_missing
from wager._typing import Array, Ints
from wager._visible import brief

__all__ = ["KEYS", "read_counts", "read_schema", "write_counts", "write_labels"]

KEYS = ("classes", "rows", "features", "pairs")


def write_labels(labels: Array | None, owner: str) -> list[Any] | None:
    """Labels as strings and numbers; anything else is an error."""
    if labels is None:
        return None
    plain = labels.tolist()
    for label in plain:
        if not isinstance(label, str | bool | int | float):
            raise ValueError(
                f"{owner} has the label {format_label(label)}, which JSON cannot represent: make "
                "the labels strings or numbers"
            )
    return plain


def write_counts(
    table: Counts | PairCounts, schema: Schema, names: tuple[str | None, ...]
) -> dict[str, Any]:
    """The counts and the values of the features, without the labels of the classes."""
    single = table.single if isinstance(table, PairCounts) else table
    features = [
        {
            "name": names[j],
            "labels": write_labels(schema.levels[j], f"feature {names[j] or j}"),
            "n_values": int(schema.n_values[j]),
            "counts": single.of_feature(j).tolist(),
        }
        for j in range(len(names))
    ]
    pairs = None
    if isinstance(table, PairCounts):
        pairs = [table.of_features(j, k).tolist() for j, k in combinations(range(len(names)), 2)]
    return {"rows": single.classes.tolist(), "features": features, "pairs": pairs}


def read_schema(features: Any) -> tuple[Schema, tuple[str, ...] | None]:
    """The values of the features, and the names of the features if they have names."""
    n_values = np.array(
        [_size(feature["n_values"]) for feature in features], dtype=np.int64
    ).reshape(len(features))
    levels = tuple(_read_levels(feature) for feature in features)
    names = [feature["name"] for feature in features]
    if all(name is None for name in names):
        names = []
    elif not all(isinstance(name, str) for name in names):
        raise ValueError("either all features have names, or none has")
    schema = Schema(np.ones(len(levels), dtype=bool), levels, n_values)
    return schema, tuple(names) if names else None


def _size(n_values: Any) -> int:
    if not isinstance(n_values, int) or isinstance(n_values, bool) or n_values < 1:
        raise ValueError(f"n_values must be a number of values, 1 or more, got {brief(n_values)}")
    return n_values


def _read_levels(feature: Mapping[str, Any]) -> Array | None:
    labels = feature["labels"]
    if labels is None:
        return None
    if not isinstance(labels, list) or not all(
        isinstance(label, str | bool | int | float) and not is_missing(label) for label in labels
    ):
        raise ValueError(f"labels must be a list of strings and numbers, got {brief(labels)}")
    if len(set(labels)) < len(labels) or len(labels) > feature["n_values"]:
        raise ValueError(
            f"labels must be distinct, and at most n_values={feature['n_values']}, "
            f"got {brief(labels)}"
        )
    return np.fromiter(labels, dtype=object, count=len(labels))


def read_counts(data: Mapping[str, Any], schema: Schema) -> tuple[Counts | PairCounts, Array]:
    """The counts of these features, and the classes."""
    classes = plain_labels(data["classes"])
    K, n_values = len(classes), schema.n_values
    rows = _whole(data["rows"], "rows", (K,))
    blocks = [
        _whole(feature["counts"], f"counts of feature {j}", (int(n_values[j]), K))
        for j, feature in enumerate(data["features"])
    ]
    values = np.concatenate([np.zeros((0, K), dtype=np.int64), *blocks])
    single = Counts(values, rows, n_values)
    if (single.observed > rows).any():
        raise ValueError("a feature has more known values than its class has rows")
    if data["pairs"] is None:
        return single, classes
    return _read_pairs(data["pairs"], single), classes


def _whole(values: Any, name: str, shape: tuple[int, ...]) -> Ints:
    array = plain_integers(values, name, below=2**62)
    if array.shape != shape and (array.size or 0 not in shape):
        raise ValueError(f"{name} must have the shape {shape}, got {array.shape}")
    return array.reshape(shape).astype(np.int64)


def _read_pairs(pairs: Any, single: Counts) -> PairCounts:
    m, K = len(single.n_values), single.n_classes
    chosen = list(combinations(range(m), 2))
    if len(pairs) != len(chosen):
        raise ValueError(f"pairs must have {len(chosen)} entries, got {len(pairs)}")
    check_pair_table_size(single.n_values, K)
    total = len(single.values)
    cell = np.int32 if single.classes.sum() < 2**31 else np.int64
    counts = PairCounts(np.zeros((total, total, K), dtype=cell), single)
    for block, (j, k) in zip(pairs, chosen, strict=True):
        of_j, of_k = single.of_feature(j), single.of_feature(k)
        block = _whole(block, f"pairs of the features {j} and {k}", (len(of_j), len(of_k), K))
        if (block.sum(axis=1) > of_j).any() or (block.sum(axis=0) > of_k).any():
            raise ValueError(f"the features {j} and {k} have more pairs than single values")
        counts.of_features(j, k)[...] = block
        counts.of_features(k, j)[...] = block.transpose(1, 0, 2)
    every = np.arange(total)
    counts.table[every, every] = single.values
    return counts
