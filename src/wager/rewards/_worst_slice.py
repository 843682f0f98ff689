"""The slice of the feature space that is covered least often.

A slice is the rows with a <= v'x <= b for a direction v in the space of the features (Cauchois,
Gupta & Duchi, 2021).  It is looked for in one part of the rows, over many random directions, and
its coverage is estimated from the others (Romano, Sesia & Candès, 2020): the worst of very many
slices looks bad by chance in the rows in which it was found.

In the order of v'x, a slice is a window of rows.  The window of at least m rows with the smallest
share of hits is found by Dinkelbach's method: for a share s, the window with the smallest sum of
(hit - s) has a smaller share if that sum is negative, and none has if it is 0.  Each step reads
the rows once, and a few steps are enough; all numbers are integers, so the result is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import (
    ComparedFields,
    Table,
    View,
    Viewed,
    counted,
    frame_to_matrix,
    is_frame,
    real_number,
)
from wager._typing import ArrayLike, Bools, Floats, Ints
from wager._visible import brief
from wager.predictions import as_real_matrix, size_and_hit
from wager.rewards._cell_sums import CellSums
from wager.rewards._count import CheckedRows, read_rows
from wager.rewards._estimate import Estimate, estimate_mean
from wager.rewards._registry import as_measure

_NUMBERS = 1 << 20  # of a block of directions and rows
_FAR = 1 << 60


@dataclass(frozen=True, eq=False, repr=False)
class WorstSlice(ComparedFields, Viewed):
    """A slice a <= v'x <= b of the feature space, and how often its rows are covered.

    Parameters
    ----------
    coverage : Estimate
        The coverage of the slice in the rows that did not take part in the search; NaN if the
        slice has none of them.
    found : float
        Its coverage in the rows of the search, which is too small by construction.
    share : float
        The share of the other rows that lie in the slice.
    direction : array of shape (n_features,)
        The direction v, of length 1.
    low, high : float
        The ends a and b of the slice.  They are the numbers v'x of two rows, so ask `contains`
        which rows lie in the slice: another way of adding up v'x may differ in the last digit.
    overall : Estimate
        The coverage of all rows that did not take part in the search.
    """

    coverage: Estimate
    found: float
    share: float
    direction: Floats
    low: float
    high: float
    overall: Estimate

    def contains(self, X: ArrayLike) -> Bools:
        """Whether each row lies in the slice."""
        z = _along(_features(X), self.direction[None])[:, 0]
        return (z >= self.low) & (z <= self.high)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Confidence interval of the coverage of the slice."""
        return self.coverage.interval(level)

    def _view(self) -> View:
        rows = []
        for name, part in (("this slice", self.coverage), ("all rows", self.overall)):
            rows.append([name, part.value, part.standard_error, *part.interval()])
        heaviest = np.argsort(-np.abs(self.direction))[:3]
        weights = ", ".join(f"{self.direction[j]:+.2f} (feature {j})" for j in heaviest)
        return View(
            "worst slice of the features",
            [Table(["coverage of", "value", "std. error", "95% from", "to"], rows)],
            [
                f"found with coverage {self.found:.4f} in the rows of the search; it has "
                f"{self.share:.1%} of the other rows, of which the table is",
                f"largest weights of the direction: {weights}",
            ],
        )


def worst_slice(
    y_true: ArrayLike,
    y_pred: Any,
    X: ArrayLike,
    *,
    share: float = 0.1,
    n_directions: int | ArrayLike = 1000,
    test_size: float = 0.75,
    random_state: int | None = 0,
    groups: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> WorstSlice:
    """The slice of the feature space with the smallest coverage, by a search over directions.

    Parameters
    ----------
    y_true, y_pred, classes
        As in `discounted_accuracy`.
    X : array-like of shape (n_rows, n_features)
        Numeric features; directions are random, so features of different scales should be
        standardized.
    share : float, default=0.1
        The smallest share of the rows of the search that a slice may have.
    n_directions : int or array-like of shape (n_directions, n_features), default=1000
        The number of random directions, or the directions.
    test_size : float, default=0.75
        The share of the rows that are kept out of the search, and estimate the coverage.
    random_state : int or None, default=0
        Seed of the split and of the directions.
    groups : array-like of shape (n_rows,), optional
        Clusters of dependent rows; a cluster is never divided by the split.

    Returns
    -------
    WorstSlice

    Examples
    --------
    >>> X = np.linspace(-1, 1, 400)[:, None]
    >>> y_true = np.zeros(400, dtype=int)
    >>> y_pred = np.where(np.abs(X[:, 0] - 0.5) < 0.2, 1, 0)    # wrong between 0.3 and 0.7
    >>> found = worst_slice(y_true, y_pred, X, n_directions=5)
    >>> found.coverage.value, round(found.overall.value, 2)
    (0.0, 0.8)
    """
    features, rows = _features(X), read_rows(y_true, y_pred, classes, None, None, groups)
    if len(features) != len(rows.codes):
        raise ValueError(
            f"X has {counted(len(features), 'row')} but y_true has {len(rows.codes)}: give the "
            "features of every row"
        )
    if not 0 < real_number(share, "share") < 1:
        raise ValueError(f"share must lie strictly between 0 and 1, got {brief(share)}")
    _, hit = size_and_hit(rows.codes, rows.sets)
    searched, kept = _split(rows, test_size, random_state)
    directions = _directions(n_directions, features.shape[1], random_state)
    found, v, low, high = _search(features[searched], hit[searched], share, directions)
    z = _along(features[kept], v[None])[:, 0]
    inside = kept[(z >= low) & (z <= high)]
    return WorstSlice(
        _coverage(hit, inside, rows),
        found,
        len(inside) / len(kept),
        v,
        low,
        high,
        _coverage(hit, kept, rows),
    )


@as_measure(
    meaning="The coverage of the slice of the feature space that is covered least often.",
    formula="coverage of the rows with a <= v'x <= b, for the v, a and b with the smallest "
    "coverage in another part of the rows",
    use="Coverage by class or by known groups misses regions that nobody thought of; this looks "
    "for one. It should be near 1 - alpha; `worst_slice` has its interval and where it is.",
    source="Cauchois, Gupta & Duchi (2021), Section 4; Romano, Sesia & Candès (2020), Section 3",
    aliases=("wsc", "worst_slab_coverage"),
)
def worst_slice_coverage(
    y_true: ArrayLike,
    y_pred: Any,
    X: ArrayLike,
    *,
    share: float = 0.1,
    n_directions: int | ArrayLike = 1000,
    test_size: float = 0.75,
    random_state: int | None = 0,
    classes: ArrayLike | None = None,
) -> float:
    """The coverage of the worst slice a <= v'x <= b of the feature space (WSC).

    The slice is found in a part of the rows, and its coverage computed from the others.

    Parameters
    ----------
    y_true, y_pred, X, share, n_directions, test_size, random_state, classes
        As in `worst_slice`, which returns the slice as well.

    Examples
    --------
    >>> X = np.linspace(-1, 1, 400)[:, None]
    >>> y_pred = np.where(np.abs(X[:, 0] - 0.5) < 0.2, 1, 0)
    >>> worst_slice_coverage(np.zeros(400, dtype=int), y_pred, X, n_directions=5)
    0.0
    """
    return worst_slice(
        y_true,
        y_pred,
        X,
        share=share,
        n_directions=n_directions,
        test_size=test_size,
        random_state=random_state,
        classes=classes,
    ).coverage.value


# -- input -----------------------------------------------------------------------------------------


def _features(X: ArrayLike) -> Floats:
    """Features as a matrix of finite numbers."""
    table, _ = as_real_matrix(frame_to_matrix(X)[0] if is_frame(X) else X, "X")
    if not np.isfinite(table).all():
        row = int((~np.isfinite(table)).any(axis=1).argmax())
        raise ValueError(
            f"X has a missing or infinite value in row {row}: impute it, or leave the row out"
        )
    return table


def _split(rows: CheckedRows, test_size: float, random_state: int | None) -> tuple[Ints, Ints]:
    """The rows of the search and the others; no cluster is on both sides."""
    from sklearn.model_selection import GroupShuffleSplit, train_test_split

    n, clusters = len(rows.codes), rows.units.clusters
    if n < 4 or not 0 < real_number(test_size, "test_size") < 1:
        raise ValueError(
            f"{n} rows cannot be divided with test_size={test_size}: pass at least 4 rows, and a "
            "share strictly between 0 and 1"
        )
    if clusters is None:
        parts = train_test_split(np.arange(n), test_size=test_size, random_state=random_state)
        return np.asarray(parts[0]), np.asarray(parts[1])
    splitter = GroupShuffleSplit(1, test_size=test_size, random_state=random_state)
    searched, kept = next(splitter.split(np.arange(n), groups=clusters))
    return searched, kept


def _directions(given: int | ArrayLike, n_features: int, random_state: int | None) -> Floats:
    """Directions of length 1, one per row."""
    if isinstance(given, int | np.integer):
        if given < 1:
            raise ValueError(f"n_directions must be at least 1, got {given}")
        drawn = np.random.default_rng(random_state).normal(size=(n_features, int(given)))
        return np.asarray((drawn / np.linalg.norm(drawn, axis=0)).T)
    table, _ = as_real_matrix(given, "n_directions")
    length = np.linalg.norm(table, axis=1, keepdims=True)
    if table.shape[1] != n_features or not (length > 0).all():
        raise ValueError(
            f"n_directions must have {n_features} numbers per direction, one per feature and not "
            f"all 0, got the shape {table.shape}"
        )
    return table / length


def _coverage(hit: Bools, chosen: Ints, rows: CheckedRows) -> Estimate:
    sums = CellSums.of(hit[chosen].astype(np.intp), rows.units.take(chosen))
    return estimate_mean(sums.numbers.astype(np.float64), sums, 0, 1)


# -- search ----------------------------------------------------------------------------------------


def _search(
    features: Floats, hit: Bools, share: float, directions: Floats
) -> tuple[float, Floats, float, float]:
    """Smallest coverage, direction and ends; the first of equally bad slices."""
    n = len(hit)
    least = max(int(np.ceil(share * n - 1e-9)), 1)
    hits, rows = 1, 1
    best = None
    step = max(1, _NUMBERS // n)
    for start in range(0, len(directions), step):
        z = _along(features, directions[start : start + step])
        order = np.argsort(z, axis=0, kind="stable")
        z = np.take_along_axis(z, order, axis=0)
        found = _smallest_shares(hit[order], z, least)
        for j in range(found.shape[1]):
            if found[0, j] * rows < hits * found[1, j]:
                hits, rows = int(found[0, j]), int(found[1, j])
                best = start + j
    if best is None:  # every slice is covered completely
        z = _along(features, directions[:1])
        return 1.0, directions[0], float(z.min()), float(z.max())
    v = directions[best]
    z = _along(features, directions[best : best + 1])
    order = np.argsort(z, axis=0, kind="stable")
    z = np.take_along_axis(z, order, axis=0)
    first, last = _first_window(hit[order], z, least, hits, rows)
    return hits / rows, v, float(z[first, 0]), float(z[last, 0])


def _along(features: Floats, directions: Floats) -> Floats:
    """The numbers v'x of all rows and directions; equal rows have the same to the last bit.

    A product of matrices does not promise that: its order of adding depends on the place of a row
    and on the number of rows, so that a slice would divide equal rows at its ends.
    """
    z = np.zeros((len(features), len(directions)))
    for x, weight in zip(features.T, directions.T, strict=True):
        z += x[:, None] * weight
    return z


def _prefix(hit: Bools) -> Ints:
    return np.vstack(
        [np.zeros((1, hit.shape[1]), np.int64), np.cumsum(hit, axis=0, dtype=np.int64)]
    )


def _may_start_and_end(z: Floats) -> tuple[Bools, Bools]:
    """Before which and after which rows a slice may begin and end: it never divides equal z."""
    new = np.vstack([np.ones((1, z.shape[1]), bool), z[1:] != z[:-1]])
    return new, np.vstack([new[1:], np.ones((1, z.shape[1]), bool)])


def _smallest_shares(hit: Bools, z: Floats, least: int) -> Ints:
    """Hits and rows of the window with the smallest share of hits, one column per direction."""
    n = len(hit)
    prefix, place = _prefix(hit), np.arange(n + 1)[:, None]
    starts, ends = _may_start_and_end(z)
    hits, rows = prefix[-1].copy(), np.full(hit.shape[1], n)
    while True:
        # of a window from a to b the sum of (hit - hits / rows), times rows
        q = prefix * rows - hits * place
        before = np.where(starts[: n - least + 1], q[: n - least + 1], -_FAR)
        highest = np.maximum.accumulate(before, axis=0)
        sums = np.where(ends[least - 1 :], q[least:] - highest, _FAR)
        last = sums.argmin(axis=0)
        columns = np.arange(hit.shape[1])
        better = sums[last, columns] < 0
        if not better.any():
            return np.vstack([hits, rows])
        first = _place_of_highest(before, highest, last)
        b = last + least
        fewer = prefix[b, columns] - prefix[first, columns]
        hits, rows = np.where(better, fewer, hits), np.where(better, b - first, rows)


def _place_of_highest(before: Ints, highest: Ints, last: Ints) -> Ints:
    """Where the running maximum up to `last` was reached first."""
    columns = np.arange(before.shape[1])
    return (before == highest[last, columns]).argmax(axis=0)


def _first_window(hit: Bools, z: Floats, least: int, hits: int, rows: int) -> tuple[int, int]:
    """First and last row of the first window with that share of hits, of one direction."""
    n = len(hit)
    q = (_prefix(hit) * rows - hits * np.arange(n + 1)[:, None])[:, 0]
    starts, ends = (part[:, 0] for part in _may_start_and_end(z))
    closing = np.where(ends, q[1:], _FAR)
    lowest = np.minimum.accumulate(closing[::-1])[::-1]  # from each row on
    may = np.flatnonzero(starts[: n - least + 1])
    first = int(may[np.flatnonzero(lowest[may + least - 1] == q[may])[0]])
    last = first + least - 1 + int((closing[first + least - 1 :] == q[first]).argmax())
    return first, last
