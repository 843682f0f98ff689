"""The tally: how often sets of each size missed or hit, which determines all rewards of a test set.

What a set-valued prediction earns depends only on its size and on whether it contains the true
class (Zaffalon, Corani & Mauá, 2012, Theorem 1).  A table of counts by (size, hit) therefore
replaces a test set of any length: the tables of two parts add up to the table of the whole, and
every utility, variance and certainty equivalent is computed from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import lcm, nan
from operator import index
from os import PathLike
from typing import Any, Generic, NamedTuple, Self, TypeVar

import numpy as np

from wager._tables import (
    Table,
    View,
    counted,
    fields_html,
    fields_text,
    not_complex,
    real_numbers,
    refuse_huge_counts,
    require_whole,
)
from wager._typing import Array, ArrayLike, Floats, Ints
from wager.rewards._cell_sums import MOST_ROWS, CellSums, ClusterTotals
from wager.rewards._count import count_cells, file_sums, read_rows, require_rows
from wager.rewards._estimate import Estimate, estimate_mean
from wager.rewards._group_sums import GroupSums
from wager.rewards._partitions import by_partition
from wager.rewards._summable import (
    Combine,
    SummableTally,
    check_same_number,
    plain_data,
    plain_integers,
    plain_numbers,
    score_of,
    scores_of,
)
from wager.rewards._utility import Utility, rewards_of, second_order
from wager.rewards._utility_names import UtilityLike, get_utility

_LONGEST_TABLE = 1000  # with more classes, plain data has only the sizes that occur
_MOST_CLASSES = 2**30
_LEAST_SQUARES, _MOST_SQUARES = 1e-300, 1e300
_LARGEST_DENOMINATOR = 2**62  # larger ones do not fit into the integers of a table


Number = TypeVar("Number", float, Floats)  # of all rows, or one for each of many groups


class Moments(NamedTuple, Generic[Number]):
    """Mean, second moment and (population) variance of the reward.

    Attributes
    ----------
    mean : float
        Mean reward, which is the discounted accuracy.
    second_moment : float
        Mean of the squared reward.
    variance : float
        Population variance of the reward.
    """

    mean: Number
    second_moment: Number
    variance: Number

    def __repr__(self: Any) -> str:  # mypy does not know the type of a generic named tuple here
        return fields_text(self)

    def _repr_html_(self: Any) -> str:
        return fields_html(self)


class Decomposition(NamedTuple):
    """The reward h = h_D + h_I, split into determinate and indeterminate predictions.

    The first and second moments of both parts; E[h_D²] = E[h_D] because a single class earns 0 or
    1 (Zaffalon, Corani & Mauá, 2012, Sec. 7).

    Attributes
    ----------
    determinate, indeterminate : float
        E[h_D] and E[h_I]: what sets of one class and larger sets add to the mean reward.
    determinate_square, indeterminate_square : float
        E[h_D²] and E[h_I²].
    """

    determinate: float
    indeterminate: float
    determinate_square: float
    indeterminate_square: float

    def __repr__(self) -> str:
        return fields_text(self)

    def _repr_html_(self) -> str:
        return fields_html(self)


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Tally(SummableTally):
    """Number of predictions by set size (rows 0..K) and miss or hit (columns).

    Parameters
    ----------
    table : array of shape (K + 1, 2)
        Counts, or total weights, of the misses and hits by sets of 0, 1, ..., K classes.
    squares : array, optional
        The second moments of what independent units add to the cells that are not empty, as in
        `CellSums`: sums of squared weights by cell, or a matrix for clusters.  By default every
        row is one unit of weight 1.
    clusters : ClusterTotals, optional
        The totals of each cluster, for parts that divide clusters.

    Notes
    -----
    Importance weights (``sample_weight``) say how much a row counts, and standard errors are
    robust to them; how many rows a row stands for is given as ``counts``.

    Examples
    --------
    >>> tally = Tally.of([0, 1], np.array([[1, 1, 0], [0, 0, 1]], dtype=bool))
    >>> tally
    2 predictions over 3 classes
    size  misses  hits
    ------------------
    1          1     0
    2          0     1
    >>> tally.table.tolist()
    [[0, 0], [1, 0], [0, 1], [0, 0]]
    >>> tally.expected_utility("u65")
    0.325
    >>> (tally + tally).n, (tally + tally) - tally == tally
    (4, True)
    >>> tally.score("coverage").value, tally.scores()["mean_set_size"].value
    (0.5, 1.5)
    """

    n_classes: int
    sums: CellSums

    def __init__(
        self,
        table: ArrayLike,
        squares: ArrayLike | None = None,
        clusters: ClusterTotals | None = None,
    ) -> None:
        counts = _checked_table(np.array(table))
        refuse_huge_counts(table, counts)
        numbers = np.flatnonzero(counts)
        moments = None if squares is None else checked_moments(squares)
        self._set(len(counts) - 1, CellSums(numbers, counts.ravel()[numbers], moments, clusters))

    def _set(self, n_classes: int, sums: CellSums) -> None:
        object.__setattr__(self, "n_classes", n_classes)
        object.__setattr__(self, "sums", sums)

    @classmethod
    def of_sums(cls, n_classes: int, sums: CellSums) -> Self:
        """The tally of cells numbered by twice the size, plus one for a hit."""
        tally = cls.__new__(cls)
        tally._set(n_classes, sums.occurring())
        return tally

    @classmethod
    @by_partition
    def of(
        cls,
        y_true: ArrayLike,
        y_pred: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        counts: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        keep_clusters: bool = False,
    ) -> Tally:
        """Count predictions by size and hit, in one pass.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            The true classes.
        y_pred : anything `wager.as_sets` takes
            The predicted sets.
        classes : array-like of shape (K,), optional
            The classes, in the order of the columns of `y_pred`.
        sample_weight : array-like of shape (n,), optional
            An importance weight for each row.
        counts : array-like of shape (n,), optional
            How many rows each row stands for.
        groups : array-like of shape (n,), optional
            The cluster of each row: rows of the same cluster, such as the visits of one patient,
            may depend on each other.
        keep_clusters : bool, default=False
            Keep the totals of each cluster, so that parts that divide clusters can be added.
        """
        rows = read_rows(y_true, y_pred, classes, sample_weight, counts, groups)
        found = count_cells(rows, keep_clusters=keep_clusters)
        return cls.of_sums(len(found.classes), found.by_size)

    @classmethod
    def of_file(
        cls,
        path: str | PathLike[str],
        classes: ArrayLike | None = None,
        *,
        cluster: str | None = None,
        columns: Mapping[str, str] | None = None,
        na: str = "error",
    ) -> Tally:
        """Count the labels or sets of a prediction file of any size, in one pass.

        Columns ``weight``, ``count`` and ``cluster`` of the file are used as `of` uses its
        arguments.

        Parameters
        ----------
        path : path
            A file that `wager.scan_predictions` can open.
        classes : array-like of shape (K,), optional
            All classes, if some of them never occur in the file.
        cluster : str, optional
            The column that names the cluster of each row, if it is not called ``cluster``.
        columns, na
            What the file calls its columns, and what to do about rows with missing values, as in
            `wager.read_predictions`.
        """
        from wager.predictions import scan_predictions

        file = scan_predictions(path, classes, cluster=cluster, columns=columns, na=na)
        counts = file.count()
        return cls.of_sums(len(counts.classes), file_sums(counts).by_size)

    @classmethod
    def empty(cls, n_classes: int) -> Tally:
        """The tally of no predictions, to which others are added."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls.of_sums(whole_classes(n_classes), CellSums(nothing, nothing))

    @classmethod
    def from_distribution(
        cls, outcomes: Iterable[Mapping[str, Any] | tuple[Any, ...]], n_classes: int | None = None
    ) -> Tally:
        """The tally of a known distribution of (size, hit), instead of a sample.

        Parameters
        ----------
        outcomes : iterable of (size, hit, probability) or of mappings
            Probabilities that sum to 1: fractions, integers or floats; mappings have the keys
            ``k``, ``hit``, and ``numerator`` and ``denominator``.
        n_classes : int, optional
            The number of classes; by default the largest size.

        Notes
        -----
        Fractions stay exact: the table contains numerators over the least common denominator.
        Because there is no sample, standard errors are NaN.

        Examples
        --------
        >>> law = Tally.from_distribution([(1, True, Fraction(1, 3)), (2, True, Fraction(2, 3))])
        >>> law.table.tolist(), round(law.expected_utility("u50"), 4)
        ([[0, 0], [0, 1], [0, 2]], 0.6667)
        """
        try:
            cells = [_outcome(entry) for entry in outcomes]
        except OverflowError:
            raise ValueError("the sizes of sets and their probabilities must be finite") from None
        if not cells:
            raise ValueError(
                "the distribution has no outcomes: give size, hit and probability of each"
            )
        n_classes = whole_classes(n_classes or max(size for size, _, _ in cells))
        denominator = _common_denominator([p for _, _, p in cells])
        table = np.zeros((n_classes + 1, 2), dtype=np.int64 if denominator else np.float64)
        for size, hit, p in cells:
            if not 0 <= size <= n_classes:
                raise ValueError(f"a set cannot have {size} of {counted(n_classes, 'class')}")
            table[size, int(hit)] += int(p * denominator) if denominator else float(p)
        return cls(table, np.full(np.count_nonzero(table), nan))

    def _check_alike(self, other: Self, verb: str) -> None:
        check_same_number(self.n_classes, other.n_classes, verb)

    def _combined(self, other: Self, by: Combine) -> Self:
        return self.of_sums(self.n_classes, by(self.sums, other.sums))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        return self.n_classes == other.n_classes and self.sums.same_as(other.sums)

    def _view(self) -> View:
        what = counted(self.n, "prediction", ".10g")
        if self.sums.is_law:
            what = f"{self.n:.10g} known distribution of predictions"
        title = f"{what} over {counted(self.n_classes, 'class')}"
        return View(title, [Table(["size", "misses", "hits"], self.rows())])

    def rows(self) -> list[list[Any]]:
        """The sizes that occur with their misses and hits: the rows of the printed table."""
        sizes, place = np.unique(self.sums.numbers // 2, return_inverse=True)
        counts = np.zeros((len(sizes), 2), dtype=self.sums.totals.dtype)
        counts[place, self.sums.numbers % 2] = self.sums.totals
        return [[size, *row] for size, row in zip(sizes.tolist(), counts.tolist(), strict=True)]

    @cached_property
    def table(self) -> Array:
        """Counts by set size 0..K and miss or hit, of shape (K + 1, 2)."""
        table = np.zeros(2 * self.n_classes + 2, dtype=self.sums.totals.dtype)
        table[self.sums.numbers] = self.sums.totals
        table.flags.writeable = False
        return table.reshape(-1, 2)

    @property
    def squares(self) -> Floats | None:
        """The second moments of the cells that are not empty, as in `CellSums`."""
        return self.sums.squares

    @property
    def clusters(self) -> ClusterTotals | None:
        """The totals of each cluster, if they are kept."""
        return self.sums.clusters

    @property
    def n(self) -> float:
        """The number of predictions, or their total weight."""
        return self.sums.n

    @property
    def effective_n(self) -> float:
        """The equivalent number of equally large independent units; NaN for a known distribution.

        Units are rows, or clusters if the rows have any.
        """
        return self.sums.n_units

    def require_rows(self) -> None:
        """Raise an error if the tally is empty: it has no mean."""
        require_rows(self.n)

    @cached_property
    def cells(self) -> tuple[Ints, Array, Array]:
        """Size, hit and count of every cell that is not empty."""
        size, hit = np.divmod(self.sums.numbers, 2)
        return size, hit.astype(bool), self.sums.totals

    def reward_law(self) -> tuple[Floats, Floats]:
        """The rewards that occur, ascending, and their probabilities."""
        self.require_rows()
        size, hit, count = self.cells
        values, place = np.unique(np.where(hit, size, 0), return_inverse=True)
        chance = np.bincount(place, weights=count) / self.n
        rewards = rewards_of(values, values > 0)
        order = np.argsort(rewards)
        return rewards[order], chance[order]

    def expected_utility(self, utility: UtilityLike) -> float:
        """Mean utility of the reward: utility-discounted accuracy (Zaffalon et al., 2012)."""
        return self.estimate(utility).value

    def estimate(self, utility: UtilityLike) -> Estimate:
        """Mean utility with its standard error and confidence interval."""
        self.require_rows()
        size, hit, _ = self.cells
        won = np.where(hit, size, 0)
        u = get_utility(utility)
        worth = worth_by_size(u, self.n_classes, int(won.max()))
        low, high = float(np.nanmin(worth)), float(np.nanmax(worth))
        mean = estimate_mean(worth[won], self.sums, low, high)
        return u.with_own_error(mean, self.hit_shares)

    @property
    def hit_shares(self) -> Floats:
        """The share of hits with 0, 1, ..., K classes in all predictions; 0 for the empty set."""
        self.require_rows()
        return self.table[:, 1].astype(np.float64) / float(self.n)

    def score(self, score: Any) -> Estimate:
        """One score with its standard error and interval, such as ``tally.score("coverage")``.

        Parameters
        ----------
        score : str, SetScore or utility
            The name of a measure of sets (built in or registered), a `SetScore`, or a utility.
        """
        found: Estimate = score_of(self, score)
        return found

    def scores(
        self, utilities: Iterable[UtilityLike] | UtilityLike = ("u50", "u65", "u80")
    ) -> dict[str, Estimate]:
        """Every score of sets by its name, with standard errors and intervals."""
        found: dict[str, Estimate] = scores_of(self, utilities)
        return found

    def certainty_equivalent(self, utility: UtilityLike) -> float:
        """The least certain reward that is worth as much as these predictions: u⁻¹(E[u])."""
        u = get_utility(utility)
        return float(u.inverse(self.expected_utility(u)))

    def moments(self) -> Moments[float]:
        """Mean, second moment and population variance of the reward."""
        self.require_rows()
        size, hit, _ = self.cells
        return Moments(*map(float, moments_of(rewards_of(size, hit), self.sums)))

    def decompose(self) -> Decomposition:
        """Split the reward into its determinate and its indeterminate part (h_D, h_I)."""
        self.require_rows()
        size, hit, count = self.cells
        reward, share = rewards_of(size, hit), count / self.n
        single, several = size == 1, size > 1
        first, second = share * reward, share * reward**2
        return Decomposition(
            *(float(part[rows].sum()) for part in (first, second) for rows in (single, several))
        )

    def mean_variance_utility(self, utility: UtilityLike) -> float:
        """The approximation u(E) + u''(E) Var / 2, exact for quadratic utilities (Eq. 2)."""
        moments = self.moments()
        return second_order(get_utility(utility), moments.mean, moments.variance)

    def k_random(self) -> Tally:
        """The expected tally if one class were drawn at random from each set.

        This is the K-random classifier of Zaffalon, Corani & Mauá (2012, Sec. 2), the baseline of
        discounted accuracy.  Empty sets stay empty.  Clusters whose rows have weights are an error:
        the sampling error depends on the weight of each row, which their tally does not keep.
        """
        size, hit, _ = self.cells
        chance = rewards_of(size, hit)  # of drawing the true class
        draws = np.stack([size == 0, (size > 0) - chance, chance]).astype(np.float64)
        return Tally.of_sums(self.n_classes, _mixed(self.sums, draws, np.array([0, 2, 3])))

    def to_dict(self) -> dict[str, Any]:
        """The tally as plain data.

        Examples
        --------
        >>> tally = Tally.of(["a", "b"], ["a", "a"])
        >>> Tally.from_json(tally.to_json()) == tally
        True
        """
        data: dict[str, Any] = {"table": self.table.tolist()}
        if self.n_classes > _LONGEST_TABLE:
            data = {"n_classes": self.n_classes, "cells": self.rows()}
        return data | ({"known": True} if self.sums.is_law else self.sums.moments_to_dict())

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The tally that `to_dict` wrote, or version 0.1.0 with one sum of squared weights."""
        keys = (
            ["n_classes", "cells"] if isinstance(data, Mapping) and "cells" in data else ["table"]
        )
        with plain_data(cls, data, keys, ["known", "squares", "clusters", "weight_squares"]):
            if "cells" in data:
                tally = cls._of_cells(data["n_classes"], data["cells"])
            else:
                tally = cls(plain_numbers(data["table"], "table"))
            sums, old = tally.sums, data.get("weight_squares", 0)
            if data.get("known") or old is None:
                return tally._with_squares(np.full(len(sums.numbers), nan))
            if old and sums.totals.dtype.kind == "f":
                return tally._with_squares(sums.totals * (old / tally.n))
            sums = CellSums.from_dict(sums.numbers, sums.totals, data)
            return cls.of_sums(tally.n_classes, sums)

    @classmethod
    def _of_cells(cls, n_classes: Any, cells: Any) -> Self:
        """The tally of rows (size, misses, hits) that were read from plain data."""
        K = index(plain_integers(n_classes, "n_classes"))
        size, *counts = plain_numbers(cells, "cells", (len(cells), 3)).T
        if (np.diff(size) <= 0).any() or (size > K).any() or (size != np.trunc(size)).any():
            raise ValueError(f"the sizes of cells must be ascending whole numbers up to {K}")
        # the same checks as of a table, in which the first and the last row are special
        table = np.array(counts).T
        none, full = (np.zeros((0 if end in size else 1, 2), table.dtype) for end in (0, K))
        _checked_table(np.vstack([none, table, full]))
        numbers = (2 * size.astype(np.intp)[:, None] + [0, 1]).ravel()
        return cls.of_sums(K, CellSums(numbers, table.ravel()))

    def _with_squares(self, squares: Floats) -> Self:
        return self.of_sums(self.n_classes, replace(self.sums, squares=squares))


def whole_classes(n_classes: Any) -> int:
    """A number of classes, checked: pairs of cells must have numbers below 2**63."""
    number = require_whole(n_classes, "n_classes", 1)
    if number > _MOST_CLASSES:
        raise ValueError(f"n_classes must be at most {_MOST_CLASSES}, got {number}")
    return number


def moments_of(rewards: Floats, sums: CellSums | GroupSums) -> Moments[Any]:
    """The moments of the rewards of cells, of all rows or of each of many groups."""
    mean, second = (sums.total(x) / sums.n for x in (rewards, rewards**2))
    return Moments(mean, second, sums.total((rewards - sums.each(mean)) ** 2) / sums.n)


def _mixed(sums: CellSums, draws: Floats, numbers: Ints) -> CellSums:
    """The expected sums if every row moves to cell `numbers[i]` with probability `draws[i, j]`.

    Rows that move at random are still independent, so the diagonal moves with them; what the rows
    of a cluster share moves as a whole.
    """
    totals = draws @ sums.totals
    squares = sums.squares
    if squares is not None and squares.ndim == 1:
        squares = draws @ squares
    elif squares is not None:
        if sums.totals.dtype.kind == "f":
            raise ValueError(
                "a tally of clusters does not keep the weight of each row, on which the sampling "
                "error of random choices depends: count the rows without groups="
            )
        within = np.diag(totals) - (draws * sums.totals) @ draws.T
        squares = draws @ squares @ draws.T + within
    return CellSums(numbers, totals, squares).occurring()


def utility_of(utility: Utility, size: Ints, hit: Array) -> Floats:
    """Utility of predictions by size and hit: u(1/size) for a hit, u(0) for a miss (Table 3)."""
    return utility.of_size(np.where(hit, size, 0))


def worth_by_size(utility: Utility, n_classes: int, largest: int) -> Floats:
    """Utilities of a miss and of hits with 1, ..., K classes.

    They are NaN beyond the end of a table of utilities, unless a hit with `largest` classes needs
    them, which is an error.
    """
    known = int(min(n_classes, max(utility.largest_size, largest)))
    worth = np.full(n_classes + 1, nan)
    worth[: known + 1] = utility.of_size(np.arange(known + 1))
    return worth


def _outcome(entry: Mapping[str, Any] | tuple[Any, ...]) -> tuple[int, bool, Fraction | float]:
    if isinstance(entry, Mapping):
        size, hit = entry["k"], entry["hit"]
        chance = Fraction(entry["numerator"], entry["denominator"])
        return int(size), bool(hit), chance
    size, hit, p = (not_complex(one, "an outcome") for one in entry)
    return int(size), bool(hit), Fraction(p) if isinstance(p, int | Fraction) else float(p)


def checked_moments(squares: ArrayLike) -> Floats:
    """Second moments, from 1e-300 to 1e300 or 0; NaN for a known distribution."""
    found = real_numbers(squares, "squares").copy()  # tallies keep it
    if ((found < 0) | (found > _MOST_SQUARES)).any():
        raise ValueError(f"squares must be at least 0 and at most {_MOST_SQUARES:g}")
    if 0 < found.max(initial=0.0) < _LEAST_SQUARES:
        raise ValueError(f"squares must be 0 or at least {_LEAST_SQUARES:g}: they lose digits")
    return found


def checked_counts(counts: Array) -> Array:
    """Counts or total weights as integers or floats, if they are finite and not negative."""
    if counts.dtype.kind not in "biuf":
        raise ValueError(f"a tally contains numbers, got {counts.dtype}")
    if counts.dtype.kind == "u" and (counts >= MOST_ROWS).any():
        raise ValueError("the counts add up to 2**63 rows or more, which is too many")
    counts = counts.astype(np.float64 if counts.dtype.kind == "f" else np.int64, copy=False)
    if not (np.isfinite(counts).all() and (counts >= 0).all()):
        raise ValueError("the counts of a tally must be finite and not negative")
    return counts


def _checked_table(table: Array) -> Array:
    """The table of a tally as integers or floats, if it is one."""
    if table.ndim != 2 or table.shape[1] != 2 or len(table) < 2:
        raise ValueError(
            "a tally has one row for each set size 0..K and the columns miss and hit, got the "
            f"shape {table.shape}"
        )
    table = checked_counts(table)
    if table[0, 1] > 0 or table[-1, 0] > 0:
        raise ValueError(
            f"the tally has {table[0, 1]:g} hits by the empty set and {table[-1, 0]:g} misses "
            "by the full set: an empty set cannot hit and a full set cannot miss"
        )
    return table


def _common_denominator(probabilities: list[Fraction | float]) -> int:
    """The least common denominator of exact probabilities; 0 if they are not all exact."""
    chances: list[Any] = probabilities
    total = sum(chances)
    if abs(total - 1) > 1e-9 or min(chances) < 0:
        shown = f"{float(total):g}" if abs(total) < 1e300 else "a huge number"
        raise ValueError(f"probabilities must be positive and sum to 1, got the sum {shown}")
    exact = [p for p in chances if isinstance(p, Fraction)]
    denominator = lcm(*(p.denominator for p in exact))
    is_exact = len(exact) == len(chances) and denominator < _LARGEST_DENOMINATOR and total == 1
    return denominator if is_exact else 0
