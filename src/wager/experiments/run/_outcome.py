"""What one unit gave: a tally, sums for scores of probabilities, times, or an error.

Numbers are reduced where they arise, so that little travels and little is stored: of every test row
two numbers remain, the size of the predicted set and whether it hit.  They give the tally, and with
another learner's rows of the same split the paired tally.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._typing import Array, Bools, Floats, Ints
from wager.rewards import PairedTally, ProbabilityTally, Tally

__all__ = ["Outcome", "Predictions", "pack_rows", "paired_tally", "unpack_rows"]


@dataclass(frozen=True, eq=False)
class Predictions:
    """Every test row's prediction, as it goes into a file."""

    rows: Ints  # row numbers in the data set
    y_true: Array  # labels
    sets: Bools
    proba: Floats | None
    classes: Array


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of a unit, as it is stored.

    ``error`` is None where all went well; otherwise a sentence, and ``trace`` the traceback.
    """

    key: str
    n_train: int = 0
    n_test: int = 0
    n_features: int = 0
    tally: str | None = None  # JSON of a Tally
    rows: bytes | None = None  # size and hit of every test row
    probabilities: bytes | None = None  # packed JSON of a ProbabilityTally
    kl_divergence: float | None = None  # from the true probabilities, where they are known
    true_tally: str | None = None  # the tally that the true probabilities expect
    prepare_seconds: float = 0.0  # shared by the units of a task
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    random_state: int = 0
    chosen: str | None = None  # JSON of the parameters that tuning chose
    error: str | None = None
    trace: str | None = None
    predictions: Predictions | None = None


def pack_rows(size: Ints, hit: Bools) -> bytes:
    """Sizes and hits of the test rows, in a byte or two each, compressed.

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
    """Sizes and hits of the test rows."""
    kind: Any = np.dtype(np.uint8 if packed[:1] == b"B" else "<u2")
    both: Ints = np.frombuffer(zlib.decompress(packed[1:]), dtype=kind)
    return (both >> 1).astype(np.int64), (both & 1).astype(bool)


def paired_tally(rows_a: Sequence[bytes], rows_b: Sequence[bytes], n_classes: int) -> PairedTally:
    """How two learners fared on the same rows of some splits.

    Examples
    --------
    >>> a = pack_rows(np.array([2, 1]), np.array([True, True]))
    >>> b = pack_rows(np.array([1, 1]), np.array([True, False]))
    >>> paired_tally([a], [b], 2).difference("u65").mean.__round__(3)
    0.325
    """
    columns = []
    for packed in (rows_a, rows_b):
        size, hit = zip(*map(unpack_rows, packed), strict=True)
        columns += [np.concatenate(size), np.concatenate(hit)]
    return PairedTally.of_outcomes(n_classes, *columns)


def pack_probabilities(tally: ProbabilityTally) -> bytes:
    """The tally as compressed JSON."""
    return zlib.compress(json.dumps(tally.to_dict()).encode())


def unpack_probabilities(packed: bytes) -> ProbabilityTally:
    """The tally that was packed."""
    return ProbabilityTally.from_dict(json.loads(zlib.decompress(packed)))


def true_tally(sets: Bools, truth: Floats) -> Tally:
    """The tally that is expected when the classes follow the true probabilities.

    Examples
    --------
    >>> sure = np.array([[True, False]])
    >>> true_tally(sure, np.array([[0.75, 0.25]])).table.tolist()
    [[0.0, 0.0], [0.25, 0.75], [0.0, 0.0]]
    """
    table = np.zeros((sets.shape[1] + 1, 2))
    size, hit = sets.sum(axis=1), (sets * truth).sum(axis=1)
    hit[size == sets.shape[1]] = 1.0  # all classes cannot miss, whatever the rounding
    np.add.at(table[:, 1], size, hit)
    np.add.at(table[:, 0], size, 1 - hit)
    return Tally(table)


def plain(value: Any) -> Any:
    """Parameters as JSON can hold them."""
    return value.item() if isinstance(value, np.generic) else str(value)
