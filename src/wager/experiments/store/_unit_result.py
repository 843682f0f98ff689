"""The stored result of a unit: a tally, sums for probability scores, times, or an error.

Predictions are reduced in the worker, so that little is sent and little is stored.  Of every test
row three values remain: the size of the predicted set, whether it contains the true class, and the
number of the row in the data set.  They give the tally, the paired tally together with another
learner's rows of the same split, and the average over the splits that test the same row.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import RowUnits, along_rows
from wager._typing import Array, Bools, Floats, Ints
from wager.experiments.store._checksums import inflate
from wager.rewards import CellSums, PairedTally, ProbabilityTally, Tally, joint_number

__all__ = [
    "MOST_JSON",
    "UnitPredictions",
    "UnitResult",
    "expected_tally",
    "pack_numbers",
    "pack_probabilities",
    "pack_rows",
    "paired_tally",
    "unpack_cells",
    "unpack_numbers",
    "unpack_probabilities",
    "unpack_rows",
]

MOST_JSON = 1 << 26  # bytes of JSON after decompression: 64 MiB


@dataclass(frozen=True, eq=False)
class UnitPredictions:
    """The predictions of all test rows, as they are written to a file."""

    rows: Ints  # row numbers in the data set
    y_true: Array  # labels
    sets: Bools
    proba: Floats | None
    classes: Array


@dataclass(frozen=True, eq=False)
class UnitResult:
    """The result of a unit; its fields are columns of the database.

    ``error`` is None if the unit succeeded.  Otherwise it is a sentence, and ``trace`` is the
    traceback.
    """

    key: str
    n_train: int = 0
    n_test: int = 0
    n_features: int = 0
    tally: str | None = None  # JSON of a Tally
    rows: bytes | None = None  # size and hit of every test row
    row_numbers: bytes | None = None  # their numbers in the data set; not in stores of 0.1.0
    cost_tally: bytes | None = None  # compressed JSON of a CostTally; not in stores of 0.1.0
    probabilities: bytes | None = None  # compressed JSON of a ProbabilityTally
    kl_divergence: float | None = None  # from the true probabilities, if they are known
    true_tally: str | None = None  # the expected tally under the true probabilities
    prepare_seconds: float = 0.0  # shared by the units of a task
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    random_state: int = 0
    chosen: str | None = None  # JSON of the parameters that tuning chose
    error: str | None = None
    trace: str | None = None
    predictions: UnitPredictions | None = None


def pack_rows(size: Ints, hit: Bools) -> bytes:
    """The set size and hit of each test row in one or two bytes, compressed.

    Examples
    --------
    >>> size, hit = unpack_rows(pack_rows(np.array([1, 3]), np.array([True, False])))
    >>> size.tolist(), hit.tolist()
    ([1, 3], [True, False])
    """
    both = 2 * np.asarray(size) + np.asarray(hit)
    narrow = both.max(initial=0) < 256
    return b"BH"[not narrow : 1 + (not narrow)] + zlib.compress(
        both.astype(np.uint8 if narrow else "<u2").tobytes()
    )


def unpack_rows(packed: bytes) -> tuple[Ints, Bools]:
    """The set size and hit of each test row."""
    kind: Any = np.dtype(np.uint8 if packed[:1] == b"B" else "<u2")
    both: Ints = np.frombuffer(inflate(packed[1:]), dtype=kind)
    return (both >> 1).astype(np.int64), (both & 1).astype(bool)


def unpack_cells(packed: Sequence[bytes]) -> Ints:
    """Twice the set size, plus one for a hit, of the test rows of several splits."""
    size, hit = zip(*map(unpack_rows, packed), strict=True)
    return 2 * np.concatenate(size) + np.concatenate(hit)


def pack_numbers(numbers: Ints) -> bytes:
    """The row numbers of the test rows as steps from one to the next, compressed.

    Examples
    --------
    >>> unpack_numbers(pack_numbers(np.array([3, 4, 900, 2]))).tolist()
    [3, 4, 900, 2]
    """
    steps = np.diff(np.asarray(numbers, dtype=np.int64), prepend=0)
    narrow = bool(((steps >= 0) & (steps < 256)).all())
    kind: Any = np.dtype(np.uint8 if narrow else "<i8")
    return (b"B" if narrow else b"Q") + zlib.compress(steps.astype(kind).tobytes())


def unpack_numbers(packed: bytes) -> Ints:
    """The row numbers that `pack_numbers` packed."""
    kind: Any = np.dtype(np.uint8 if packed[:1] == b"B" else "<i8")
    steps: Ints = np.frombuffer(inflate(packed[1:]), dtype=kind)
    return steps.cumsum(dtype=np.int64)


def paired_tally(rows_a: Sequence[bytes], rows_b: Sequence[bytes], n_classes: int) -> PairedTally:
    """The paired tally of two learners on the test rows of the same splits.

    Examples
    --------
    >>> a = pack_rows(np.array([2, 1]), np.array([True, True]))
    >>> b = pack_rows(np.array([1, 1]), np.array([True, False]))
    >>> paired_tally([a], [b], 2).difference("u65").mean.__round__(3)
    0.325
    """
    number = joint_number(unpack_cells(rows_a), unpack_cells(rows_b), n_classes)
    return PairedTally.of_sums(n_classes, CellSums.of(number, RowUnits()))


def pack_probabilities(tally: ProbabilityTally) -> bytes:
    """A tally of probabilities as compressed JSON."""
    return zlib.compress(json.dumps(tally.to_dict()).encode())


def unpack_probabilities(packed: bytes) -> ProbabilityTally:
    """The tally of probabilities that `pack_probabilities` packed."""
    return ProbabilityTally.from_dict(json.loads(inflate(packed, MOST_JSON)))


def expected_tally(sets: Bools, truth: Floats) -> Tally:
    """The expected tally when the classes follow the true probabilities.

    Examples
    --------
    >>> sets = np.array([[True, False]])
    >>> expected_tally(sets, np.array([[0.75, 0.25]])).table.tolist()
    [[0.0, 0.0], [0.25, 0.75], [0.0, 0.0]]
    """
    table = np.zeros((sets.shape[1] + 1, 2))
    size, hit = sets.sum(axis=1), along_rows(np.add, sets * truth)[:, 0]
    hit[size == sets.shape[1]] = 1.0  # the set of all classes always hits: remove rounding errors
    table[:, 1] = np.bincount(size, hit, len(table))
    table[:, 0] = np.bincount(size, 1 - hit, len(table))
    return Tally(table)
