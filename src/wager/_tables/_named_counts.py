"""Counts that carry the names of their classes, features and values, so that parts can be merged.

`Counts` and `PairCounts` know codes only.  Two sites, files or chunks may number their classes and
values differently, since each numbers what it saw.  `NamedCounts` adds the names: its sum first
gives both parts the same numbering and then adds integers, so that it equals the counts of all rows
together, exactly, whatever the order in which the parts are added.

Classes and values are merged as `fit` would have found them in all rows: the same lists stay as
they are (declared orders included), different lists become their sorted union.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables._codes import Schema, sorted_levels
from wager._tables._counts import Counts, PairCounts, value_offsets
from wager._tables._counts_json import (
    KEYS,
    read_counts,
    read_schema,
    write_counts,
    write_labels,
)
from wager._tables._labels import check_classes, kind_of_labels, union_labels
from wager._tables._plain_data import parse_json, plain_data
from wager._tables._text import counted
from wager._tables._values import format_label, format_labels
from wager._typing import Array, ArrayLike, Bools, Ints

__all__ = ["NamedCounts"]


@dataclass(frozen=True, eq=False)
class NamedCounts:
    """All that a learner needs to know of its training rows, if it learns from counts.

    Counts of rows that were counted apart are added with ``+`` or ``sum``; the result is exactly
    what counting all rows together gives.  No row can be read off them beyond what the counts of
    single values (or of pairs of values) say.

    Parameters
    ----------
    table : Counts or PairCounts
        The counts by code: of values and classes, or of pairs of values and classes.
    classes : ndarray of shape (K,)
        The labels of the classes, in the order of their codes.
    schema : Schema
        Which features are nominal (only those are counted), and the labels of their values.
    features : tuple of str, optional
        The names of the features; None if they are only numbered.

    Examples
    --------
    >>> from wager.learners import NaiveBayes
    >>> north = NaiveBayes().fit([["sun"], ["rain"]], ["out", "in"]).counts_
    >>> south = NaiveBayes().fit([["fog"], ["sun"]], ["in", "shop"]).counts_
    >>> both = north + south
    >>> both
    counts of values of 1 feature in 4 rows with the classes 'in', 'out', 'shop'
    >>> both.classes.tolist(), both.schema.levels[0].tolist()
    (['in', 'out', 'shop'], ['fog', 'rain', 'sun'])
    >>> both.single.values.tolist()
    [[1, 0, 0], [1, 0, 0], [0, 1, 1]]
    """

    table: Counts | PairCounts
    classes: Array
    schema: Schema
    features: tuple[str, ...] | None = None

    @classmethod
    def of_codes(cls, table: Counts | PairCounts, classes: Array | None = None) -> NamedCounts:
        """Counts whose features hold codes; the classes are 0..K-1 if they are not given."""
        single = table.single if isinstance(table, PairCounts) else table
        known = np.arange(len(single.classes)) if classes is None else np.asarray(classes)
        if known.shape != single.classes.shape:
            raise ValueError(
                f"the counts have {len(single.classes)} classes, but classes names {known.size}"
            )
        return cls(table, known, Schema.of_codes(single.n_values))

    @property
    def single(self) -> Counts:
        """The counts of values and classes."""
        return self.table.single if isinstance(self.table, PairCounts) else self.table

    @property
    def has_pairs(self) -> bool:
        """Whether pairs of values were counted, as AODE and TAN need."""
        return isinstance(self.table, PairCounts)

    @property
    def n_rows(self) -> int:
        """The number of rows that were counted."""
        return int(self.single.classes.sum())

    def __add__(self, other: NamedCounts) -> NamedCounts:
        if not isinstance(other, NamedCounts):
            return NotImplemented
        _require_same_features(self, other)
        classes = _merged_classes(self.classes, other.classes)
        schema = _merged_schema(self, other)
        first, second = self.recoded(classes, schema), other.recoded(classes, schema)
        if self.has_pairs and other.has_pairs:
            table: Counts | PairCounts = first.table + second.table  # type: ignore[operator]
        else:
            table = first.single + second.single
        return NamedCounts(table, classes, schema, self.features or other.features)

    def __radd__(self, other: object) -> NamedCounts:
        return self if other == 0 else NotImplemented  # sum(parts) starts with 0

    def __repr__(self) -> str:
        of = "pairs of values" if self.has_pairs else "values"
        m = len(self.schema.nominal)
        return (
            f"counts of {of} of {m} feature{'s' * (m != 1)} in {self.n_rows} rows with the classes "
            f"{format_labels(self.classes)}"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NamedCounts):
            return NotImplemented
        return (
            self.features == other.features
            and self.classes.tolist() == other.classes.tolist()
            and self.schema == other.schema
            and self.table == other.table
        )

    def recoded(self, classes: Array, schema: Schema) -> NamedCounts:
        """The same counts with the numbering of these classes and values, which include all own."""
        same_classes = _same(self.classes, classes)
        if same_classes and self.schema == schema:
            return self
        place_of = {label: place for place, label in enumerate(classes.tolist())}
        of_class = np.array([place_of[label] for label in self.classes.tolist()], dtype=np.intp)
        kept, of_value = _value_places(self.schema, schema)
        shape = schema.n_values[schema.nominal], len(classes)
        table = self.table.moved(kept, of_value, of_class, *shape)
        return NamedCounts(table, classes, schema, self.features)

    def declared(self, classes: ArrayLike | None, n_values: ArrayLike | None) -> NamedCounts:
        """The same counts with these classes and numbers of values, where they are given."""
        schema = self.schema.with_n_values(n_values, self.features)
        if classes is None:
            return self.recoded(self.classes, schema)
        known = check_classes(classes)
        among = set(known.tolist())
        unknown = np.array([label not in among for label in self.classes.tolist()], dtype=bool)
        if self.single.classes[unknown].any():
            label = self.classes[unknown & (self.single.classes > 0)][0]
            raise ValueError(
                f"{format_label(label)} was counted, but is not among the classes "
                f"{format_labels(known)}: add it to classes="
            )
        table = self.table.of_classes(~unknown)
        part = NamedCounts(table, self.classes[~unknown], self.schema, self.features)
        return part.recoded(known, schema)

    def without_empty_classes(self) -> NamedCounts:
        """The same counts without the classes that no row has."""
        some = self.single.classes > 0
        if some.all():
            return self
        table = self.table.of_classes(some)
        return NamedCounts(table, self.classes[some], self.schema, self.features)

    def to_json(self) -> str:
        """The counts as one line of JSON; `from_json` reads it."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_json(cls, text: str | bytes) -> NamedCounts:
        """The counts that `to_json` wrote; anything else is a ValueError."""
        return cls.from_dict(parse_json(cls, text))

    def to_dict(self) -> dict[str, Any]:
        """The counts as plain data: lists, strings and numbers."""
        if not self.schema.all_nominal:
            j = int(np.argmin(self.schema.nominal))
            raise ValueError(
                f"{_feature(self, j)} is numeric and was not counted: discretize it first"
            )
        names = self.features or (None,) * len(self.schema.nominal)
        labels = {"classes": write_labels(self.classes, "y")}
        return labels | write_counts(self.table, self.schema, names)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> NamedCounts:
        """The counts that `to_dict` wrote; anything else is a ValueError."""
        with plain_data(cls, data, KEYS):
            schema, features = read_schema(data["features"])
            table, classes = read_counts(data, schema)
            return cls(table, classes, schema, features)

    def without_pairs(self) -> NamedCounts:
        """The counts of single values only."""
        return NamedCounts(self.single, self.classes, self.schema, self.features)


def _require_same_features(first: NamedCounts, second: NamedCounts) -> None:
    m, other = len(first.schema.nominal), len(second.schema.nominal)
    if m != other:
        raise ValueError(
            f"cannot add counts of {counted(m, 'feature')} to counts of {other}: both parts must "
            "have the same features"
        )
    if first.features is not None and second.features is not None:
        for j, (name, others) in enumerate(zip(first.features, second.features, strict=True)):
            if name != others:
                raise ValueError(
                    f"cannot add counts of different features: feature {j} is {name!r} in one part "
                    f"and {others!r} in the other"
                )
    differ = first.schema.nominal != second.schema.nominal
    if differ.any():
        raise ValueError(
            f"cannot add counts: {_feature(first, int(differ.argmax()))} is nominal in one part "
            "and numeric in the other"
        )


def _feature(counts: NamedCounts, j: int) -> str:
    return f"feature {j}" if counts.features is None else f"feature {counts.features[j]!r}"


def _same(first: Array, second: Array) -> bool:
    return first is second or first.tolist() == second.tolist()


def _merged_classes(first: Array, second: Array) -> Array:
    """The classes of both parts: in their order if it is the same, else sorted."""
    if _same(first, second):
        return first
    if kind_of_labels(first) != kind_of_labels(second):
        raise ValueError(
            f"cannot add counts: the classes are {format_labels(first)} in one part and "
            f"{format_labels(second)} in the other, make them all strings or all numbers"
        )
    return union_labels(first, second)


def _merged_schema(first: NamedCounts, second: NamedCounts) -> Schema:
    """The values of both parts of every feature; without a value in common they are all new."""
    mine, other = first.schema, second.schema
    if mine == other:
        return mine
    levels: list[Array | None] = []
    for j, nominal in enumerate(mine.nominal):
        levels.append(_merged_levels(first, second, j) if nominal else None)
    found = [0 if at is None else len(at) for at in levels]
    n_values = np.maximum.reduce([mine.n_values, other.n_values, np.array(found, dtype=np.int64)])
    return Schema(mine.nominal, tuple(levels), n_values)


def _merged_levels(first: NamedCounts, second: NamedCounts, j: int) -> Array | None:
    mine, other = first.schema.levels[j], second.schema.levels[j]
    if mine is None and other is None:
        return None
    if mine is None or other is None:
        codes, labels = (first, other) if mine is None else (second, mine)
        if codes.single.of_feature(_place(codes.schema, j)).any():
            raise ValueError(
                f"cannot add counts: {_feature(codes, j)} contains codes in one part and labels in "
                "the other, pass labels in both"
            )
        return labels  # a column without any value may have been read as numbers
    if _same(mine, other):
        return mine
    return sorted_levels([*mine.tolist(), *other.tolist()])


def _place(schema: Schema, j: int) -> int:
    """The number of a nominal feature among the nominal ones, which are counted."""
    return int(schema.nominal[:j].sum())


def _value_places(old: Schema, new: Schema) -> tuple[Bools, Ints]:
    """Which values of the old flat list have a label, and their places in the new one.

    A value without a label was declared by its number alone (or stands for an empty column), and
    has no rows.
    """
    columns = np.flatnonzero(old.nominal)
    starts = value_offsets(new.n_values[columns])
    kept: list[bool] = []
    places: list[int] = []
    for start, j in zip(starts.tolist(), columns.tolist(), strict=True):
        labels, among, v = old.levels[j], new.levels[j], int(old.n_values[j])
        codes: Sequence[int] = range(v)
        if among is not None:
            code_of = {label: code for code, label in enumerate(among.tolist())}
            codes = [] if labels is None else [code_of[label] for label in labels.tolist()]
        kept += [True] * len(codes) + [False] * (v - len(codes))
        places += [start + code for code in codes]
    return np.array(kept, dtype=bool), np.array(places, dtype=np.intp)
