"""Scores of files with memberships: how the numbers become memberships, and their partition.

The rows are read once and written to temporary files as numbers, because the scaling of a partition
needs all of them several times; memory does not grow with the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, get_args

import numpy as np

from wager._tables import (
    RowUnits,
    ViewedFields,
    encode_labels,
    row_blocks,
)
from wager._typing import Array, Floats
from wager._visible import brief
from wager.partitions import DiskStorage, standardize_rows, to_memberships
from wager.predictions import SUM_TOLERANCE, PredictionFile, Predictions

Progress = Callable[[float], None]
Kind = Literal["softmax", "shift", "rank", "none"]
Ties = Literal["first", "random", "join"]
ALL = ""  # the group of all rows
SEED = 0  # of ties that are drawn at random
SCALES = (0.1, 1.0, 10.0)  # factors of the scores, to show how much the result depends on them
ROWS_RESCALED = 100_000  # files with more rows are not scored again in other units
LARGEST_SHARPNESS = 1e100


@dataclass(frozen=True, repr=False)
class MembershipChoice(ViewedFields):
    """How the numbers of ``m:`` columns become memberships, and how they are standardized.

    Parameters
    ----------
    kind : {"softmax", "shift", "rank", "none"}, optional
        As in `to_memberships`; ``"none"`` takes the numbers as they are.  By default they are taken
        as they are if all of them are memberships, and turned into memberships by softmax if not.
    sharpness : float, optional
        The factor of the scores in softmax, 1 by default.
    depth : int, default=1
        As in `standardize`.
    ties : {"first", "random", "join"}, default="first"
        As in `standardize`; random ties are drawn with a fixed seed.

    Examples
    --------
    >>> MembershipChoice("rank", sharpness=2)
    Traceback (most recent call last):
    ...
    ValueError: sharpness is for softmax, not for memberships by rank: leave it out
    """

    kind: Kind | None = None
    sharpness: float | None = None
    depth: int = 1
    ties: Ties = "first"

    def __post_init__(self) -> None:
        if self.kind is not None and self.kind not in get_args(Kind):
            raise ValueError(
                f"memberships must be softmax, shift, rank or none, got {brief(self.kind)}"
            )
        if self.sharpness is None:
            return
        if self.kind not in (None, "softmax"):
            raise ValueError(
                f"sharpness is for softmax, not for memberships by {self.kind}: leave it out"
            )
        if not (np.isfinite(self.sharpness) and self.sharpness > 0):
            raise ValueError(f"sharpness must be positive, got {self.sharpness:g}")
        if not 1 / LARGEST_SHARPNESS <= self.sharpness <= LARGEST_SHARPNESS:
            raise ValueError(
                f"sharpness must lie between {1 / LARGEST_SHARPNESS:g} and {LARGEST_SHARPNESS:g}, "
                f"got {self.sharpness:g}"
            )

    def settle(self, facts: ScoreFacts, path: Path) -> Memberships:
        """The way that is used for a file; an error if its numbers are not memberships."""
        wanted = "softmax" if self.kind is None and self.sharpness is not None else self.kind
        if wanted == "none" and facts.first_fault is not None:
            raise ValueError(
                f"{path}: {facts.first_fault}, so the m: columns are not memberships: use "
                "--memberships softmax, shift or rank"
            )
        guessed = wanted is None and facts.first_fault is not None
        kind: Kind = wanted or ("softmax" if guessed else "none")
        sharpness = (self.sharpness or 1.0) if kind == "softmax" else None
        zero = facts.smallest if kind == "shift" else None
        return Memberships(kind, sharpness, zero, self.depth, self.ties, guessed)


@dataclass(frozen=True, repr=False)
class Memberships(ViewedFields):
    """How the numbers of a file became memberships, in full.

    Parameters
    ----------
    kind : {"softmax", "shift", "rank", "none"}
        The method; ``"none"`` if the numbers were memberships.
    sharpness, zero : float or None
        The factor of softmax; the zero point of shift.
    depth, ties
        As in `MembershipChoice`.
    guessed : bool
        Whether softmax was chosen because nothing was asked for.
    rescaled : tuple of float, optional
        The accuracy Ac if all scores were a tenth of what they are, as they are, and ten times as
        large; known for softmax of files that are not too long.
    """

    kind: Kind
    sharpness: float | None
    zero: float | None
    depth: int
    ties: Ties
    guessed: bool = False
    rescaled: tuple[float, float, float] | None = None

    def of(self, scores: Floats) -> Floats:
        """The memberships of some rows."""
        if self.kind == "none":
            return scores
        sharpness = 1.0 if self.sharpness is None else self.sharpness
        return to_memberships(scores, self.kind, sharpness=sharpness, zero=self.zero)

    @property
    def depends_on_scale(self) -> bool:
        """Whether scores in another unit would have other memberships."""
        return self.kind == "softmax"

    def to_dict(self) -> dict[str, Any]:
        """The choice as plain data."""
        names = ("kind", "sharpness", "zero", "depth", "ties")
        plain = {name: getattr(self, name) for name in names}
        scale = None if self.rescaled is None else dict(zip(SCALES, self.rescaled, strict=True))
        return {
            **plain,
            "depends_on_scale": self.depends_on_scale,
            "accuracy_by_scale": scale and {f"{factor:g}": Ac for factor, Ac in scale.items()},
        }

    def words(self) -> str:
        """The choice as a sentence.

        Examples
        --------
        >>> Memberships("rank", None, None, 1, "first").words()
        'Memberships: ranks of the scores in each row; depth 1, ties first.'
        """
        how = {
            "softmax": f"softmax of the scores, sharpness {self.sharpness or 0:g}",
            "shift": f"scores minus their smallest value in the file ({self.zero or 0:g}), "
            "divided by the sum of the row",
            "rank": "ranks of the scores in each row",
            "none": "the numbers of the file, which are not negative and sum to 1 in every row",
        }[self.kind]
        drawn = f" (seed {SEED})" if self.ties == "random" else ""
        return f"Memberships: {how}; depth {self.depth}, ties {self.ties}{drawn}."

    def warning(self) -> str | None:
        """What the result depends on beside the predictions; None if nothing."""
        if not self.depends_on_scale:
            return None
        chosen = (
            "The m: columns are not memberships, so softmax was used; it"
            if self.guessed
            else "Softmax"
        )
        how = ""
        if self.rescaled is not None:
            tenth, now, tenfold = self.rescaled
            how = (
                f": partition accuracy is {now:.3f} here, {tenfold:.3f} if all scores are 10 times "
                f"as large, and {tenth:.3f} if they are a tenth"
            )
        return (
            f"{chosen} depends on the scale of the scores{how}. --memberships rank does not depend "
            "on the scale, and shift only on the smallest score."
        )

    def with_scales(self, columns: MembershipColumns, classes: Array) -> Memberships:
        """The same, with the accuracy of scores in other units where it matters."""
        if not self.depends_on_scale or len(columns) > ROWS_RESCALED:
            return self
        factor = self.sharpness or 1.0
        found = (
            columns.standardized(replace(self, sharpness=factor * scale), classes).accuracy
            for scale in SCALES
        )
        tenth, now, tenfold = found
        return replace(self, rescaled=(tenth, now, tenfold))


@dataclass(frozen=True)
class ScoreFacts:
    """What must be known of all numbers before they become memberships.

    Parameters
    ----------
    smallest : float
        The smallest number.
    first_fault : str or None
        Why the first row that is not a row of memberships is none.
    """

    smallest: float = np.inf
    first_fault: str | None = None

    def and_of(self, scores: Floats, start: int | None) -> ScoreFacts:
        """The facts with more rows; `start` is the number of rows before, if they are in order."""
        smallest = min(self.smallest, float(scores.min()))
        if self.first_fault is not None:
            return ScoreFacts(smallest, self.first_fault)
        sums, lowest = scores.sum(axis=1), scores.min(axis=1)
        faulty = np.flatnonzero((lowest < 0) | ~(np.abs(sums - 1) <= SUM_TOLERANCE))
        if not len(faulty):
            return ScoreFacts(smallest)
        row = int(faulty[0])
        where = "a row" if start is None else f"row {start + row + 1}"
        if lowest[row] < 0:
            return ScoreFacts(smallest, f"{where} has the negative value {lowest[row]:g}")
        return ScoreFacts(smallest, f"{where} sums to {sums[row]:g} instead of 1")


class MembershipColumns:
    """The rows of one group of a file, as columns on disk.

    Parameters
    ----------
    storage : DiskStorage
        Where the columns are put.
    n_classes : int
        The number of classes.
    """

    def __init__(self, storage: DiskStorage, n_classes: int) -> None:
        self._storage, self._n_clusters = storage, 0
        self._units: dict[str, Any] = {}
        self._scores, self._truth = storage(np.float64, n_classes), storage(np.int32)

    def __len__(self) -> int:
        return len(self._truth)

    def append(self, chunk: Predictions, rows: Array) -> None:
        """Add some rows of a chunk; the rows of a cluster come next to each other."""
        assert chunk.memberships is not None
        self._scores.append(chunk.memberships[rows])
        self._truth.append(chunk.codes[rows])
        columns = {"weights": chunk.weight, "counts": chunk.count}
        given = {name: values[rows] for name, values in columns.items() if values is not None}
        if chunk.cluster is not None:
            given["clusters"] = self._numbers(chunk.cluster[rows])
        for name, values in given.items():
            if name not in self._units:
                self._units[name] = self._storage(values.dtype)
            self._units[name].append(values)

    def _numbers(self, clusters: Array) -> Array:
        """The clusters as ascending numbers."""
        codes, _ = encode_labels(clusters, name="cluster")
        steps = np.diff(codes, prepend=codes[:1]) != 0
        numbers = self._n_clusters + np.cumsum(steps)
        self._n_clusters = int(numbers[-1]) + 1
        return numbers

    def standardized(self, used: Memberships, classes: Array) -> Any:
        """The standardized partition of these rows."""
        points = self._scores
        if used.kind != "none":
            points = self._storage(np.float64, len(classes))
            for rows in row_blocks(len(self._scores), len(classes)):
                points.append(used.of(self._scores[rows]))
        return standardize_rows(
            points,
            self._truth,
            classes,
            RowUnits(**self._units),
            used.depth,
            used.ties,
            SEED,
            self._storage,
        )


@dataclass(frozen=True)
class ScoredMemberships:
    """The standardized partition of some rows, and how their memberships were made."""

    partition: Any
    used: Memberships


@contextmanager
def stored_memberships(
    file: PredictionFile,
    choice: MembershipChoice,
    each: Callable[[Predictions], Mapping[str, Array]],
    progress: Progress | None = None,
) -> Iterator[Iterator[tuple[str, ScoredMemberships]]]:
    """Read a file once, and standardize its memberships group by group.

    Parameters
    ----------
    file : PredictionFile
        A file with ``m:`` columns.
    choice : MembershipChoice
        How the numbers become memberships.
    each : callable
        Gives the rows of every group in a chunk, by the name of the group.
    progress : callable, optional
        Called with the share of the file that is done.

    Yields
    ------
    iterator of (str, ScoredMemberships)
        The groups, sorted; their rows are on disk as long as the context is open.
    """
    facts, start = ScoreFacts(), 0
    groups: dict[str, MembershipColumns] = {}
    with TemporaryDirectory(prefix="wager-") as folder:
        storage = DiskStorage(Path(folder))
        for chunk in file.chunks(progress=progress, whole_clusters=True):
            assert chunk.memberships is not None
            facts = facts.and_of(chunk.memberships, start if file.layout.cluster is None else None)
            start += len(chunk)
            for group, rows in each(chunk).items():
                if group not in groups:
                    groups[group] = MembershipColumns(storage, len(chunk.classes))
                groups[group].append(chunk, rows)
            classes = chunk.classes
        if len(classes) < 2:
            raise ValueError(f"{file.path}: memberships need at least two m: columns, got one")
        used = choice.settle(facts, file.path)
        if ALL in groups:
            used = used.with_scales(groups[ALL], classes)
        yield (
            (group, ScoredMemberships(groups[group].standardized(used, classes), used))
            for group in sorted(groups)
        )
