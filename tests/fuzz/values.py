"""Arguments for calls: labels, numbers, matrices and frames of all kinds, some of them hostile.

Everything is drawn from one source of random numbers, so that a number repeats a call.
"""

from __future__ import annotations

import datetime
import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

TEXTS = ["a", "b", "c", "é", "a|b", "", " ", "NA", "nan", "\0", "a\0", "\ud800", "日本", "1", "=1"]
HOSTILE_NUMBERS: list[Any] = [
    0, 1, -1, 2, 0.5, -0.0, 1e-300, 1e-200, 1e200, 1e300, 5e-324, np.nan, np.inf, -np.inf,
    2**31, 2**53 + 1, 2**63, 2**64 + 1, -(2**63) - 1, 10**400, True, Fraction(1, 3), Decimal("0.1"),
    np.float32(0.1), np.int8(-1), np.uint64(2**63), np.longdouble("0.1"), np.bool_(True), 1j,
]  # fmt: skip
LABELS: list[list[Any]] = [
    list("abcd"), ["", "é", "\0b", " "], ["a", "a\0", "A", "a "],
    ["é", "e\u0301", "日本", "\u202e"],
    [0, 1, 2, 3], [-1, 2**53 + 1, 5, 7], [2**63, 2**63 + 1, 1, 2], [-(2**63), 2**63 - 1, 0, 1],
    [0.0, 1.5, 2.0, 3.0], [-0.0, np.inf, 1e-300, 5e-324], [0.1, 0.2, 0.1 + 0.2, 0.3],
    [True, False], [None, "a", "b", "c"], [np.nan, "a", "b", "c"], ["a", 1, 2.5, "b"],
    [(0, 1), (1, 2), (), ("a",)], [b"a", b"b", b"\xff", b""],
    [Fraction(1, 3), Fraction(1, 2), 1, 2],
    [Decimal("0.1"), Decimal("0.2"), Decimal("1"), Decimal("NaN")],
    [np.datetime64("2020-01-01"), np.datetime64("2021-01-01"), np.datetime64("NaT"),
     np.datetime64("1970-01-01")],
    [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1), None, datetime.date(1, 1, 1)],
    ["1", "2", "10", "01"], ["\ud800", "\udfff", "a", "b"], ["x" * 500, "y" * 500, "x", "y"],
]  # fmt: skip
DTYPES = [
    "f2",
    "f4",
    "f8",
    "g",
    "i1",
    "i2",
    "i4",
    "i8",
    "u1",
    "u4",
    "u8",
    "?",
    "c16",
    "O",
    "S",
    "U",
]


def anything(rng: random.Random) -> Any:
    """A value that nobody expects."""
    way = rng.randrange(9)
    if way == 0:
        return None
    if way <= 2:
        return rng.choice(HOSTILE_NUMBERS)
    if way == 3:
        return rng.choice(TEXTS)
    if way == 4:
        return rng.choice(
            [
                [], {}, (), set(), b"a", object(), len, [[]], [None], np.array(3), range(3),
                np.array([]), np.empty((0, 3)), np.empty((3, 0)), np.zeros((2, 2, 2)), int, "u65",
                np.array(["NaT"], dtype="M8[s]"), np.array([(1, 2.0)], dtype="i4,f8"), {"a": 1},
                {1: 2, "b": [0.5]}, slice(2), Exception("x"), np.ma.masked, iter([1, 2]), ...,
                memoryview(b"ab"), frozenset("ab"),
            ]
        )  # fmt: skip
    if way == 5:
        return [rng.choice(HOSTILE_NUMBERS) for _ in range(rng.randrange(5))]
    if way == 6:
        return [rng.choice(TEXTS) for _ in range(rng.randrange(5))]
    if way == 7:
        cells = [0, 1, 0.5, float("nan"), "a", None, 1e300, -1]
        return [
            [rng.choice(cells) for _ in range(rng.randrange(4))] for _ in range(rng.randrange(5))
        ]
    shape = rng.choice([(3,), (3, 2), (1, 4), (2, 3, 2)])
    numbers = [rng.choice([0.0, 1.0, 0.5, np.nan, np.inf, -1.0, 1e300]) for _ in range(12)]
    return form(np.array(numbers)[: int(np.prod(shape))].reshape(shape), rng)


def form(values: Any, rng: random.Random) -> Any:
    """The same values as lists, arrays of several kinds, frames or sparse matrices."""
    number = rng.randrange(24)
    if number < 4:
        return values
    array = _array(values)
    if number < 6 or array.dtype.kind not in "biufUMO":
        return array
    if number == 6:
        array = array.copy()
        array.flags.writeable = False
        return array
    if number == 7 and array.dtype.kind != "O":
        return array.astype(array.dtype.newbyteorder(">"))
    if number == 8:
        return np.repeat(array, 2, axis=0)[::2]
    if number == 9:
        return np.asfortranarray(array)[::-1]
    if number == 10:
        return np.ma.array(array, mask=np.zeros(array.shape, dtype=bool))
    if number == 11:
        return np.ma.array(array, mask=np.indices(array.shape).sum(axis=0) == 0)
    if number == 12:
        return array.astype(object)
    if number in (13, 14, 15):
        return _pandas(array, rng)
    if number in (16, 17):
        return _polars(array, rng)
    if number == 18:
        return _arrow(array)
    if number == 19 and array.ndim == 2 and array.dtype.kind in "biuf":
        return _sparse(array, rng)
    if number == 20:
        return tuple(map(tuple, array.tolist())) if array.ndim == 2 else tuple(array.tolist())
    if number == 21:
        try:
            with np.errstate(all="ignore"):
                return array.astype(rng.choice(DTYPES))
        except (ValueError, TypeError, OverflowError):
            return array
    if number == 22:
        return Arraylike(array)
    return array[:, None] if rng.random() < 0.3 else array


def _array(values: Any) -> Any:
    if isinstance(values, np.ndarray):
        return values
    try:
        array = np.array(values)
    except (ValueError, OverflowError):
        array = np.empty(len(values), dtype=object)
        array[:] = values
    return array


class Arraylike:
    """Something that NumPy can turn into an array."""

    def __init__(self, array: Any):
        self.array = array

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.array, dtype=dtype)

    def __len__(self) -> int:
        return len(self.array)


def _pandas(array: Any, rng: random.Random) -> Any:
    import pandas as pd

    if array.ndim == 2:
        frame = pd.DataFrame(array)
        if rng.random() < 0.3:
            frame.columns = rng.choice([list("abcdefgh"), list("aabbccdd")])[: frame.shape[1]]
        if rng.random() < 0.3:
            frame.index = [7] * len(frame)
        return frame
    if array.ndim != 1:
        return array
    series = pd.Series(
        array, index=rng.choice([None, [3] * len(array), list(range(len(array)))[::-1]])
    )
    kind = rng.choice(["", "", "category", "string", "Int64", "boolean", "Float64", "unused"])
    try:
        if kind == "unused":
            categorical = pd.Categorical(array)
            return pd.Series(categorical.add_categories(["unused"]).as_ordered())
        with np.errstate(all="ignore"):
            return series.astype(kind) if kind else series
    except (ValueError, TypeError, OverflowError):
        return series


def _polars(array: Any, rng: random.Random) -> Any:
    import polars as pl

    try:
        if array.ndim == 2:
            return pl.DataFrame(array)
        series = pl.Series("x", array.tolist())
        kind = rng.choice([None, None, pl.Categorical, pl.Float32, pl.String, pl.UInt8])
        return series if kind is None else series.cast(kind)
    except BaseException:  # not every array is a column of polars, which may panic
        return array


def _arrow(array: Any) -> Any:
    import pyarrow as pa

    try:
        if array.ndim == 1:
            return pa.array(array.tolist())
        return pa.table({f"c{i}": array[:, i].tolist() for i in range(array.shape[1])})
    except Exception:  # not every array is a column of Arrow
        return array


def _sparse(array: Any, rng: random.Random) -> Any:
    from scipy import sparse

    kinds = [sparse.csr_array, sparse.csc_matrix, sparse.coo_array, sparse.lil_array]
    return rng.choice(kinds)(array)


class Context:
    """Arguments that fit together: some rows, some classes, and what parameters may be."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.n = rng.choice([1, 2, 3, 5, 8, 12])
        self.labels = rng.choice(LABELS)[: rng.choice([2, 2, 3, 4])]
        self.k = len(self.labels)

    def column(self) -> Any:
        """True classes, groups and the like."""
        n = self.n if self.rng.random() < 0.93 else self.rng.choice([0, 1, self.n + 1])
        return form([self.rng.choice(self.labels) for _ in range(n)], self.rng)

    def sets(self) -> Any:
        """Labels, sets of labels, an indicator matrix, masks or texts."""
        rng = self.rng
        way = rng.randrange(7)
        if way <= 1:
            return self.column()
        rows = [[label for label in self.labels if rng.random() < 0.5] for _ in range(self.n)]
        if way == 2:
            return rows
        if way == 3:
            return ["|".join(map(str, row)) for row in rows]
        if way == 4:
            from wager import PredictionSets

            return PredictionSets.from_indicator(self.indicator(), classes=range(self.k))
        return form(self.indicator(), rng)

    def indicator(self) -> Any:
        """A boolean matrix."""
        return np.array(
            [[self.rng.random() < 0.5 for _ in range(self.k)] for _ in range(self.n)], dtype=bool
        ).reshape(self.n, self.k)

    def proba(self) -> Any:
        """Probabilities, memberships or features."""
        return form(self.matrix(), self.rng)

    def matrix(self) -> Any:
        """Rows of probabilities, some of which are extreme."""
        numbers = [0.0, 1.0, 1e-300, 0.5, self.rng.random(), self.rng.random(), 5e-324]
        table = np.array(
            [[self.rng.choice(numbers) for _ in range(self.k)] for _ in range(self.n)]
        ).reshape(self.n, self.k)
        total = table.sum(axis=1, keepdims=True)
        return np.divide(table, total, out=np.full_like(table, 1 / self.k), where=total > 1e-290)

    def numbers(self, among: Any = (0, 1, 2.5, 1e-200, 1e200, 5e-324, 1e15, 0.3, 7, 3)) -> Any:
        """Weights and other numbers, one per row."""
        usual = [1, 2, 0.5, 3]
        among = usual if self.rng.random() < 0.5 else [*among]
        return form([self.rng.choice(among) for _ in range(self.n)], self.rng)

    def counts(self) -> Any:
        """Counts, one per row."""
        return form([self.rng.choice([0, 1, 3, 10**15, 2**62]) for _ in range(self.n)], self.rng)

    def features(self) -> Any:
        """Features of learners: numbers, codes, texts, missing values."""
        rng = self.rng
        d = rng.choice([1, 2, 3])
        way = rng.randrange(5)
        if way == 0:
            cells: list[Any] = [0, 1, 2]
        elif way == 1:
            cells = [0.5, 1.5, -2.0, np.nan]
        elif way == 2:
            cells = ["u", "v", "w"]
        elif way == 3:
            cells = [0, 1e300, -1e300, 5e-324, 1]
        else:
            cells = [-1, 0, 1, 2]
        rows = [[rng.choice(cells) for _ in range(d)] for _ in range(self.n)]
        if way == 2:
            import pandas as pd

            frame = pd.DataFrame(rows)
            return frame.astype("category") if rng.random() < 0.5 else frame
        return form(np.array(rows, dtype=float if way else np.int64).reshape(self.n, d), rng)
