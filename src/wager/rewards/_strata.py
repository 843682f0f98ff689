"""Coverage within strata of the predictions: by set size, by true class, by difficulty.

A promised coverage of 1 - alpha that holds over all rows may fail in a stratum.  Each measure here
sums up how far the strata are from the promise in one number; `coverage_report` shows the strata
one by one, with intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import isnan, nan, sqrt
from typing import Any, Literal, TypeAlias, overload

import numpy as np

from wager._tables import real_number, real_numbers
from wager._typing import Array, ArrayLike, Floats, Ints
from wager._visible import brief
from wager.predictions import as_real_matrix, columns_by_name, size_and_hit
from wager.rewards._cell_sums import CellSums
from wager.rewards._count import CheckedRows, count_cells, parts_of, read_rows, require_rows
from wager.rewards._estimate import Estimate, RegionEstimate, estimate_mean
from wager.rewards._registry import as_measure
from wager.rewards._strata_intervals import (
    CovarianceRegion,
    Strata,
    largest_distance,
    share_below,
    smallest_coverage,
)
from wager.rewards._tally import Tally

StrataLike: TypeAlias = int | Sequence[tuple[int, int]] | None

ANGELOPOULOS_2021 = "Angelopoulos, Bates, Malik & Jordan (2021)"
DIFFICULTIES = ((1, 1), (2, 3), (4, 6), (7, 10), (11, 100), (101, 1000))


def check_alpha(alpha: float) -> None:
    """Refuse a nominal share of misses outside [0, 1]."""
    if not 0 <= real_number(alpha, "alpha") <= 1:
        raise ValueError(
            f"alpha, the nominal share of misses, must lie in [0, 1], got {brief(alpha)}"
        )


# -- by set size ---------------------------------------------------------------------------------


@overload
def size_stratified_violation(
    y_true: ArrayLike, y_pred: Any, alpha: float, *, return_estimate: Literal[True],
    strata: StrataLike = ...,
    sample_weight: ArrayLike | None = ..., classes: ArrayLike | None = ...,
) -> Estimate: ...  # fmt: skip


@overload
def size_stratified_violation(
    y_true: ArrayLike, y_pred: Any, alpha: float, *, return_estimate: Literal[False] = ...,
    strata: StrataLike = ...,
    sample_weight: ArrayLike | None = ..., classes: ArrayLike | None = ...,
) -> float: ...  # fmt: skip


@as_measure(
    greater_is_better=False,
    meaning="How far the coverage of the worst set size is from the nominal coverage.",
    formula="largest |coverage - (1 - alpha)| over the strata of set sizes that occur",
    use="Adaptive sets are large where a row is difficult, and cover alike at every size. A "
    "stratum of few rows can be far off by chance: return_estimate=True gives an interval, and "
    "coverage_report shows the strata of features and classes.",
    source=f"{ANGELOPOULOS_2021}, Section 4",
    range="0 (best) to 1",
    aliases=("sscv", "size_stratified_coverage_violation"),
)
def size_stratified_violation(
    y_true: ArrayLike,
    y_pred: Any,
    alpha: float,
    *,
    strata: StrataLike = None,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    return_estimate: bool = False,
) -> float | Estimate:
    """The largest distance of the coverage from 1 - alpha over strata of set sizes (SSCV).

    Parameters
    ----------
    y_true, y_pred, sample_weight, classes
        As in `discounted_accuracy`.
    alpha : float
        The nominal share of misses, in [0, 1].
    strata : None, int or list of (int, int)
        Every size 0, 1, ..., K on its own; the sizes in that many consecutive parts of about
        equally many sizes; or the smallest and largest size of each stratum.
    return_estimate : bool, default=False
        Whether to return an `Estimate` with an interval.

    Notes
    -----
    The interval is about the strata that have rows.  It is the range of the measure over
    simultaneous intervals of their coverages, like those of `coverage_report`, so it is valid where
    strata are equally bad and where none is.  An estimate has no normal distribution there, and its
    standard error is NaN.  Empty sets never hit and sets of all classes always do: the coverage of
    these sizes is known.

    Examples
    --------
    >>> y_true, y_pred = ["a", "b", "c", "c"], [["a"], ["a"], ["a", "b"], ["b", "c"]]
    >>> size_stratified_violation(y_true, y_pred, alpha=0.1)
    0.4
    >>> size_stratified_violation(y_true, y_pred, alpha=0.1, strata=[(0, 1), (2, 3)])
    0.4
    >>> many = size_stratified_violation(y_true * 50, y_pred * 50, 0.1, return_estimate=True)
    >>> many
    RegionEstimate(value=0.4000, 95% interval 0.2893 to 0.5107, n=200)
    >>> tuple(round(end, 3) for end in many.interval())
    (0.289, 0.511)
    """
    check_alpha(alpha)
    found = _strata_of_sizes(y_true, y_pred, strata, sample_weight, classes)
    return _result(found.measure(partial(largest_distance, at=1 - alpha)), return_estimate)


@overload
def worst_size_coverage(
    y_true: ArrayLike, y_pred: Any, *, return_estimate: Literal[True],
    strata: StrataLike = ...,
    sample_weight: ArrayLike | None = ..., classes: ArrayLike | None = ...,
) -> Estimate: ...  # fmt: skip


@overload
def worst_size_coverage(
    y_true: ArrayLike, y_pred: Any, *, return_estimate: Literal[False] = ...,
    strata: StrataLike = ...,
    sample_weight: ArrayLike | None = ..., classes: ArrayLike | None = ...,
) -> float: ...  # fmt: skip


@as_measure(
    meaning="The coverage of the set size that is covered least often.",
    formula="smallest coverage over the strata of set sizes that occur",
    use="A conformal predictor should reach 1 - alpha at every size. It needs no alpha, and sees "
    "only undercoverage; size_stratified_violation sees both. return_estimate=True gives an "
    "interval.",
    source="Angelopoulos & Bates (2021), Section 4",
    aliases=("ssc_score", "ssc"),
)
def worst_size_coverage(
    y_true: ArrayLike,
    y_pred: Any,
    *,
    strata: StrataLike = None,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    return_estimate: bool = False,
) -> float | Estimate:
    """The smallest coverage over strata of set sizes (the SSC score).

    Parameters
    ----------
    y_true, y_pred, sample_weight, classes
        As in `discounted_accuracy`.
    strata, return_estimate
        As in `size_stratified_violation`.

    Examples
    --------
    >>> worst_size_coverage(["a", "b", "c", "c"], [["a"], ["a"], ["a", "c"], ["b", "c"]])
    0.5
    """
    found = _strata_of_sizes(y_true, y_pred, strata, sample_weight, classes)
    return _result(found.measure(smallest_coverage), return_estimate)


def _result(found: Estimate, return_estimate: bool) -> float | Estimate:
    return found if return_estimate else found.value


def _strata_of_sizes(
    y_true: ArrayLike,
    y_pred: Any,
    strata: StrataLike,
    sample_weight: ArrayLike | None,
    classes: ArrayLike | None,
) -> Strata:
    """Misses and hits of each stratum of set sizes."""
    tally = Tally.of(y_true, y_pred, classes, sample_weight)
    tally.require_rows()
    found = _read_strata(strata, tally.n_classes + 1)
    size, hit, _ = tally.cells
    place, inside = _places(size, found)
    if not inside.any():
        raise ValueError(f"no set has a size in the strata {found}: pass strata that occur")
    sums = tally.sums.where(inside)
    certain = [i for i, (low, high) in enumerate(found) if high == 0 or low >= tally.n_classes]
    return Strata.of(place[inside], hit[inside], sums.totals, sums.squares, certain)


def _places(values: Ints, ranges: list[tuple[int, int]]) -> tuple[Ints, Array]:
    """The range of each value, and whether it lies in one."""
    low, high = np.array(ranges).T
    place = np.searchsorted(low, values, side="right") - 1
    return place, (place >= 0) & (values <= high[place])


def _read_strata(strata: StrataLike, n_sizes: int) -> list[tuple[int, int]]:
    """The smallest and largest size of each stratum."""
    if strata is None:
        return [(size, size) for size in range(n_sizes)]
    if isinstance(strata, int | np.integer):
        if not 1 <= strata <= n_sizes:
            raise ValueError(
                f"strata must be between 1 and {n_sizes}, the number of possible sizes, got "
                f"{strata}"
            )
        parts = np.array_split(np.arange(n_sizes), strata)
        return [(int(part[0]), int(part[-1])) for part in parts]
    return _read_ranges(strata)


def _read_ranges(strata: Any) -> list[tuple[int, int]]:
    """Ranges given as pairs, which must not overlap."""
    try:
        pairs = [real_numbers(pair, "strata") for pair in strata]
        found = sorted((int(low), int(high)) for low, high in pairs)
    except (TypeError, ValueError, OverflowError):  # or infinite, or not a number
        raise ValueError(
            f"strata must be pairs of a smallest and a largest value, such as [(0, 1), (2, 5)], "
            f"got {brief(strata)}"
        ) from None
    last = -1
    for low, high in found:
        if not last < low <= high:
            raise ValueError(
                f"the stratum ({low}, {high}) overlaps another one, is negative or is empty: each "
                "value may lie in one stratum only"
            )
        last = high
    if not found:
        raise ValueError("strata is empty: pass at least one pair such as (0, 1)")
    return found


# -- by true class -------------------------------------------------------------------------------


@overload
def violated_classes(
    y_true: ArrayLike, y_pred: Any, alpha: float, *, return_estimate: Literal[True],
    sample_weight: ArrayLike | None = ..., classes: ArrayLike | None = ...,
) -> Estimate: ...  # fmt: skip


@overload
def violated_classes(
    y_true: ArrayLike, y_pred: Any, alpha: float, *, return_estimate: Literal[False] = ...,
    sample_weight: ArrayLike | None = ..., classes: ArrayLike | None = ...,
) -> float: ...  # fmt: skip


@as_measure(
    greater_is_better=False,
    meaning="The share of classes whose coverage is below the nominal coverage.",
    formula="share of the classes that occur with coverage < 1 - alpha",
    use="Shows how widespread undercoverage is, not how large: coverage_gap shows that. By chance "
    "about half of the classes of a valid predictor are below: return_estimate=True gives an "
    "interval, and coverage_report says which are significantly below.",
    source="Kasa & Taylor (2023)",
    range="0 (best) to 1",
    aliases=("vio_classes",),
)
def violated_classes(
    y_true: ArrayLike,
    y_pred: Any,
    alpha: float,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    return_estimate: bool = False,
) -> float | Estimate:
    """The share of classes whose coverage is below 1 - alpha, among those that occur.

    Parameters
    ----------
    y_true, y_pred, sample_weight, classes
        As in `discounted_accuracy`.
    alpha : float
        The nominal share of misses, in [0, 1].
    return_estimate : bool, default=False
        As in `size_stratified_violation`.  The interval is from the share of classes that are
        significantly below 1 - alpha to that of classes that are not shown to reach it, with
        intervals of the classes that hold together.

    Examples
    --------
    >>> violated_classes(["a", "b", "b"], [["a"], ["a"], ["a", "b"]], alpha=0.1)
    0.5
    """
    check_alpha(alpha)
    sums = count_cells(read_rows(y_true, y_pred, classes, sample_weight)).by_class
    require_rows(sums.n)
    found = _strata_of_cells(sums).measure(partial(share_below, at=1 - alpha))
    return _result(found, return_estimate)


def _strata_of_cells(sums: CellSums) -> Strata:
    """The strata of cells that are numbered by twice the stratum, plus one for a hit."""
    stratum, hit = np.divmod(sums.numbers, 2)
    return Strata.of(stratum, hit, sums.totals, sums.squares)


# -- by difficulty -------------------------------------------------------------------------------


@overload
def difficulty_violation(
    y_true: ArrayLike, y_pred: Any, scores: ArrayLike, alpha: float, *,
    return_estimate: Literal[True], strata: Sequence[tuple[int, int]] = ...,
    sample_weight: ArrayLike | None = ..., classes: ArrayLike | None = ...,
) -> Estimate: ...  # fmt: skip


@overload
def difficulty_violation(
    y_true: ArrayLike, y_pred: Any, scores: ArrayLike, alpha: float, *,
    return_estimate: Literal[False] = ..., strata: Sequence[tuple[int, int]] = ...,
    sample_weight: ArrayLike | None = ..., classes: ArrayLike | None = ...,
) -> float: ...  # fmt: skip


@as_measure(
    greater_is_better=False,
    meaning="How far coverage is from the nominal one on the worst rows by difficulty, the rank "
    "that the classifier gives the true class.",
    formula="largest |coverage - (1 - alpha)| over strata of the rank of the true class",
    use="Easy rows (rank 1) are nearly always covered, and hard ones rarely: no predictor has 0 "
    "here. It compares predictors made from the same scores. return_estimate=True gives an "
    "interval.",
    source=f"{ANGELOPOULOS_2021}, Section 4",
    range="0 (best) to 1",
    aliases=("diff_violation", "difficulty_stratified_violation"),
)
def difficulty_violation(
    y_true: ArrayLike,
    y_pred: Any,
    scores: ArrayLike,
    alpha: float,
    *,
    strata: Sequence[tuple[int, int]] = DIFFICULTIES,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    return_estimate: bool = False,
) -> float | Estimate:
    """The largest distance of the coverage from 1 - alpha over strata of difficulty.

    The difficulty of a row is the rank of its true class by the scores: 1 if no class has a larger
    score.

    Parameters
    ----------
    y_true, y_pred, sample_weight, classes
        As in `discounted_accuracy`.
    scores : array-like of shape (n_rows, n_classes)
        Probabilities or other scores of the classes; larger means more probable.
    alpha : float
        The nominal share of misses, in [0, 1].
    strata : list of (int, int)
        The smallest and largest rank of each stratum.
    return_estimate : bool, default=False
        As in `size_stratified_violation`.

    Examples
    --------
    >>> scores = [[0.6, 0.3, 0.1], [0.6, 0.3, 0.1], [0.2, 0.3, 0.5]]
    >>> sets = [["a"], ["a", "b"], ["c"]]
    >>> difficulty_violation(["a", "c", "c"], sets, scores, alpha=0.25)
    0.75
    """
    check_alpha(alpha)
    rows = read_rows(y_true, y_pred, classes, sample_weight)
    require_rows(len(rows.codes))
    rank = _ranks(rows, scores)
    _, hit = size_and_hit(rows.codes, rows.sets)
    found = _read_ranges(strata)
    place, inside = _places(rank, found)
    if not inside.any():
        raise ValueError(f"no row has a rank in the strata {found}: pass strata that occur")
    cell = 2 * place[inside] + hit[inside]
    sums = CellSums.of(cell, rows.units.take(np.flatnonzero(inside)))
    measure = partial(largest_distance, at=1 - alpha)
    return _result(_strata_of_cells(sums).measure(measure), return_estimate)


def _ranks(rows: CheckedRows, scores: ArrayLike) -> Ints:
    """The rank of the true class of each row by the scores; the best one of equal scores."""
    matrix, _ = columns_by_name(scores, rows.sets.classes)
    table, _ = as_real_matrix(matrix, "scores")
    expected = (len(rows.codes), len(rows.sets.classes))
    if table.shape != expected:
        raise ValueError(
            f"scores must have one row per row of y_true and one column per class, {expected}, "
            f"got {table.shape}"
        )
    if np.isnan(table).any():
        row = int(np.isnan(table).any(axis=1).argmax())
        raise ValueError(f"scores has a missing value in row {row}: give a score to every class")
    true = np.take_along_axis(table, rows.codes[:, None].astype(np.intp), axis=1)
    return 1 + (table > true).sum(axis=1)


# -- single classes ------------------------------------------------------------------------------


@overload
def singleton_hit_ratio(
    y_true: ArrayLike, y_pred: Any, *, sample_weight: ArrayLike | None = ...,
    classes: ArrayLike | None = ..., return_estimate: Literal[True],
) -> Estimate: ...  # fmt: skip


@overload
def singleton_hit_ratio(
    y_true: ArrayLike, y_pred: Any, *, sample_weight: ArrayLike | None = ...,
    classes: ArrayLike | None = ..., return_estimate: Literal[False] = ...,
) -> float: ...  # fmt: skip


@as_measure(
    meaning="The share of all rows for which exactly one class is predicted, and it is the true "
    "one.",
    formula="share of rows with k = 1 and a hit: determinacy times single accuracy",
    use="How often the classifier decides and is right. It gives nothing for larger sets: a "
    "utility gives them part of the reward.",
    source="Huang et al. (2023), and common in conformal prediction",
    aliases=("shr",),
)
def singleton_hit_ratio(
    y_true: ArrayLike,
    y_pred: Any,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    return_estimate: bool = False,
) -> float | Estimate:
    """The share of rows for which the true class is predicted alone.

    Parameters
    ----------
    y_true, y_pred, sample_weight, classes
        As in `discounted_accuracy`.
    return_estimate : bool, default=False
        Whether to return an `Estimate` with a standard error and an interval.

    Examples
    --------
    >>> singleton_hit_ratio(["a", "b", "b", "b"], [["a"], ["a"], ["a", "b"], ["b"]])
    0.5
    """
    tally = Tally.of(y_true, y_pred, classes, sample_weight)
    tally.require_rows()
    size, hit, _ = tally.cells
    found = estimate_mean(((size == 1) & hit).astype(float), tally.sums, 0.0, 1.0)
    return found if return_estimate else found.value


# -- dependence of coverage on size --------------------------------------------------------------


@overload
def size_coverage_hsic(
    y_true: ArrayLike, y_pred: Any, *, return_estimate: Literal[True],
    widths: tuple[float, float] = ...,
    sample_weight: ArrayLike | None = ..., classes: ArrayLike | None = ...,
) -> Estimate: ...  # fmt: skip


@overload
def size_coverage_hsic(
    y_true: ArrayLike, y_pred: Any, *, return_estimate: Literal[False] = ...,
    widths: tuple[float, float] = ...,
    sample_weight: ArrayLike | None = ..., classes: ArrayLike | None = ...,
) -> float: ...  # fmt: skip


@as_measure(
    greater_is_better=False,
    meaning="How strongly the size of a set and whether it contains the true class depend on each "
    "other.",
    formula="square root of trace(K H L H) / (n - 1)^2, with Gaussian kernels K of the sizes and "
    "L of the hits, and the centring matrix H",
    use="0 if size and coverage are independent, as for sets that cover every row with the same "
    "probability. The scale depends on the widths of the kernels: compare predictors, and read no "
    "meaning into one value. return_estimate=True gives an interval, which excludes 0 if they are "
    "significantly dependent.",
    source="Feldman, Bates & Romano (2021), Section 3",
    range="0 (independent) upwards",
    aliases=("hsic", "hilbert_schmidt_independence_criterion"),
    title="HSIC of size and coverage",
)
def size_coverage_hsic(
    y_true: ArrayLike,
    y_pred: Any,
    *,
    widths: tuple[float, float] = (1.0, 1.0),
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    return_estimate: bool = False,
) -> float | Estimate:
    """Root of the Hilbert-Schmidt independence criterion between set size and coverage.

    Sizes and hits have few values, so the sums over all pairs of rows follow from the tally, and
    a million rows take no longer than a hundred.

    Parameters
    ----------
    y_true, y_pred, sample_weight, classes
        As in `discounted_accuracy`.  With weights, n is the equivalent number of equally weighted
        rows.
    widths : (float, float), default=(1, 1)
        The widths w of the kernels exp(-d² / w) of sizes and of hits.
    return_estimate : bool, default=False
        Whether to return an `Estimate` with an interval.

    Notes
    -----
    With hits of two values the criterion is a norm of the covariances of sizes and hits.  It
    differs from that of the population by at most the norm of their errors; the interval adds and
    subtracts a quantile of this norm, so it is valid at independence as well, where the estimate is
    positive by chance alone.  The standard error is NaN, as for `size_stratified_violation`.

    Examples
    --------
    >>> round(size_coverage_hsic(["a", "b", "c"], [["a"], ["a", "b"], ["a", "b"]]), 6)
    0.210707
    >>> size_coverage_hsic(["a", "b", "c"], [["a"], ["b"], ["c"]])
    0.0
    """
    sides = real_numbers(widths, "widths")
    if sides.shape != (2,) or not (sides > 1e-300).all():
        raise ValueError(f"widths must be two positive numbers, got {brief(widths)}")
    tally = Tally.of(y_true, y_pred, classes, sample_weight)
    tally.require_rows()
    p = tally.table / tally.n
    size, hit = (_kernel(np.arange(m), s) for m, s in zip(p.shape, sides, strict=True))
    by_size, by_hit = p.sum(axis=1), p.sum(axis=0)
    together = np.einsum("ik,il,lj,jk->", p, size, p, hit)
    apart = (by_size @ size @ by_size) * (by_hit @ hit @ by_hit)
    crossed = (size @ by_size) @ p @ (hit @ by_hit)
    n = tally.sums.n_units
    if isnan(n) or n <= 1:
        return _result(Estimate(nan, nan, n), return_estimate)
    # equal terms may leave a rounding error instead of 0
    centred = max(float(together + apart - 2 * crossed), 0.0)
    value = sqrt(centred) * n / (n - 1) if centred > 1e-15 else 0.0
    if not return_estimate:
        return value
    occurs = np.flatnonzero(by_size)
    scale = 2 * (hit[0, 0] - hit[0, 1])  # the squared distance of a hit and a miss
    squares = _table(tally, tally.sums.totals if tally.sums.squares is None else tally.sums.squares)
    region = CovarianceRegion(
        value, scale * size[np.ix_(occurs, occurs)], tally.table[occurs], squares[occurs]
    )
    return RegionEstimate.of(value, n, region)


def _table(tally: Tally, of_cells: Array) -> Floats:
    """Numbers of the cells by set size, and miss or hit."""
    table = np.zeros(tally.table.size)
    table[tally.sums.numbers] = of_cells
    return table.reshape(-1, 2)


def _kernel(x: Array, width: float) -> Floats:
    return np.exp(-((x[:, None] - x[None, :]) ** 2) / width)


# -- groups other than the classes -----------------------------------------------------------------


def strata_of_groups(by: ArrayLike, rows: CheckedRows) -> Strata:
    """Misses and hits of each group of rows."""
    member, _ = parts_of(by, rows)
    _, hit = size_and_hit(rows.codes, rows.sets)
    return _strata_of_cells(CellSums.of(2 * member.astype(np.intp) + hit, rows.units))
