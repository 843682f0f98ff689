"""Coverage within strata of the predictions: by set size, by true class, by difficulty.

A promised coverage of 1 - alpha that holds over all rows may fail in a stratum.  Each measure here
sums up how far the strata are from the promise in one number; `coverage_report` shows the strata
one by one, with intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan, sqrt
from typing import Any, Literal, TypeAlias, overload

import numpy as np

from wager._tables import encode_labels
from wager._typing import Array, ArrayLike, Floats, Ints
from wager.predictions import as_real_matrix, columns_by_name, size_and_hit
from wager.rewards._class_tally import share_of_hits
from wager.rewards._count import CheckedRows, class_table, count_cells, read_rows, require_rows
from wager.rewards._estimate import Estimate, estimate_mean
from wager.rewards._registry import as_measure
from wager.rewards._tally import Tally

Strata: TypeAlias = int | Sequence[tuple[int, int]] | None

ANGELOPOULOS_2021 = "Angelopoulos, Bates, Malik & Jordan (2021)"
DIFFICULTIES = ((1, 1), (2, 3), (4, 6), (7, 10), (11, 100), (101, 1000))


def check_alpha(alpha: float) -> None:
    """Refuse a nominal share of misses outside [0, 1]."""
    if not 0 <= alpha <= 1:
        raise ValueError(f"alpha, the nominal share of misses, must lie in [0, 1], got {alpha!r}")


# -- by set size ---------------------------------------------------------------------------------


@as_measure(
    greater_is_better=False,
    meaning="How far the coverage of the worst set size is from the nominal coverage.",
    formula="largest |coverage - (1 - alpha)| over the strata of set sizes that occur",
    use="Adaptive sets are large where a row is difficult, and cover alike at every size. A "
    "stratum of few rows can be far off by chance: look at coverage_report as well.",
    source=f"{ANGELOPOULOS_2021}, Section 4",
    range="0 (best) to 1",
    aliases=("sscv", "size_stratified_coverage_violation"),
)
def size_stratified_violation(
    y_true: ArrayLike,
    y_pred: Any,
    alpha: float,
    *,
    strata: Strata = None,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
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

    Examples
    --------
    >>> y_true, y_pred = ["a", "b", "c", "c"], [["a"], ["a"], ["a", "b"], ["b", "c"]]
    >>> size_stratified_violation(y_true, y_pred, alpha=0.1)
    0.4
    >>> size_stratified_violation(y_true, y_pred, alpha=0.1, strata=[(0, 1), (2, 3)])
    0.4
    """
    check_alpha(alpha)
    found = _coverage_by_size(y_true, y_pred, strata, sample_weight, classes)
    return _largest_distance(found, alpha)


@as_measure(
    meaning="The coverage of the set size that is covered least often.",
    formula="smallest coverage over the strata of set sizes that occur",
    use="A conformal predictor should reach 1 - alpha at every size. It needs no alpha, and sees "
    "only undercoverage; size_stratified_violation sees both.",
    source="Angelopoulos & Bates (2021), Section 4",
    aliases=("ssc_score", "ssc"),
)
def worst_size_coverage(
    y_true: ArrayLike,
    y_pred: Any,
    *,
    strata: Strata = None,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """The smallest coverage over strata of set sizes (the SSC score).

    Parameters
    ----------
    y_true, y_pred, sample_weight, classes
        As in `discounted_accuracy`.
    strata
        As in `size_stratified_violation`.

    Examples
    --------
    >>> worst_size_coverage(["a", "b", "c", "c"], [["a"], ["a"], ["a", "c"], ["b", "c"]])
    0.5
    """
    return float(np.nanmin(_coverage_by_size(y_true, y_pred, strata, sample_weight, classes)))


def _coverage_by_size(
    y_true: ArrayLike,
    y_pred: Any,
    strata: Strata,
    sample_weight: ArrayLike | None,
    classes: ArrayLike | None,
) -> Floats:
    """Coverage of each stratum of set sizes; NaN for one without rows."""
    tally = Tally.of(y_true, y_pred, classes, sample_weight)
    tally.require_rows()
    table = tally.table
    found = _read_strata(strata, len(table))
    if not any(table[low : high + 1].any() for low, high in found):
        raise ValueError(f"no set has a size in the strata {found}: pass strata that occur")
    return share_of_hits(np.array([table[low : high + 1].sum(axis=0) for low, high in found]))


def _read_strata(strata: Strata, n_sizes: int) -> list[tuple[int, int]]:
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
        found = sorted((int(low), int(high)) for low, high in strata)
    except (TypeError, ValueError):
        raise ValueError(
            f"strata must be pairs of a smallest and a largest value, such as [(0, 1), (2, 5)], "
            f"got {strata!r}"
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


def _largest_distance(coverage: Floats, alpha: float) -> float:
    return float(np.nanmax(np.abs(coverage - (1 - alpha))))


# -- by true class -------------------------------------------------------------------------------


@as_measure(
    greater_is_better=False,
    meaning="The share of classes whose coverage is below the nominal coverage.",
    formula="share of the classes that occur with coverage < 1 - alpha",
    use="Shows how widespread undercoverage is, not how large: coverage_gap shows that. By chance "
    "about half of the classes of a valid predictor are below: coverage_report says which are "
    "significantly below.",
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
) -> float:
    """The share of classes whose coverage is below 1 - alpha, among those that occur.

    Parameters
    ----------
    y_true, y_pred, sample_weight, classes
        As in `discounted_accuracy`.
    alpha : float
        The nominal share of misses, in [0, 1].

    Examples
    --------
    >>> violated_classes(["a", "b", "b"], [["a"], ["a"], ["a", "b"]], alpha=0.1)
    0.5
    """
    check_alpha(alpha)
    counts = count_cells(read_rows(y_true, y_pred, classes, sample_weight))
    require_rows(counts.by_class.n)
    found = share_of_hits(class_table(counts))
    return float((found[~np.isnan(found)] < 1 - alpha).mean())


# -- by difficulty -------------------------------------------------------------------------------


@as_measure(
    greater_is_better=False,
    meaning="How far coverage is from the nominal one on the worst rows by difficulty, the rank "
    "that the classifier gives the true class.",
    formula="largest |coverage - (1 - alpha)| over strata of the rank of the true class",
    use="Easy rows (rank 1) are nearly always covered, and hard ones rarely: no predictor has 0 "
    "here. It compares predictors made from the same scores.",
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
) -> float:
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
    weight = rows.units.totals
    each = np.ones(len(rank)) if weight is None else weight
    table = np.zeros((len(found), 2))
    for stratum, (low, high) in enumerate(found):
        here = (rank >= low) & (rank <= high)
        table[stratum] = each[here & ~hit].sum(), each[here & hit].sum()
    if not table.any():
        raise ValueError(f"no row has a rank in the strata {found}: pass strata that occur")
    return _largest_distance(share_of_hits(table), alpha)


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


@as_measure(
    greater_is_better=False,
    meaning="How strongly the size of a set and whether it contains the true class depend on each "
    "other.",
    formula="square root of trace(K H L H) / (n - 1)^2, with Gaussian kernels K of the sizes and "
    "L of the hits, and the centring matrix H",
    use="0 if size and coverage are independent, as for sets that cover every row with the same "
    "probability. The scale depends on the widths of the kernels: compare predictors, and read no "
    "meaning into one value.",
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
) -> float:
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

    Examples
    --------
    >>> round(size_coverage_hsic(["a", "b", "c"], [["a"], ["a", "b"], ["a", "b"]]), 6)
    0.210707
    >>> size_coverage_hsic(["a", "b", "c"], [["a"], ["b"], ["c"]])
    0.0
    """
    if len(widths) != 2 or not min(widths) > 0:
        raise ValueError(f"widths must be two positive numbers, got {widths!r}")
    tally = Tally.of(y_true, y_pred, classes, sample_weight)
    tally.require_rows()
    p = tally.table / tally.n
    size, hit = (_kernel(np.arange(m), s) for m, s in zip(p.shape, widths, strict=True))
    by_size, by_hit = p.sum(axis=1), p.sum(axis=0)
    together = np.einsum("ik,il,lj,jk->", p, size, p, hit)
    apart = (by_size @ size @ by_size) * (by_hit @ hit @ by_hit)
    crossed = (size @ by_size) @ p @ (hit @ by_hit)
    n = tally.sums.n_units
    if isnan(n) or n <= 1:
        return float("nan")
    # equal terms may leave a rounding error instead of 0
    centred = max(float(together + apart - 2 * crossed), 0.0)
    return sqrt(centred) * n / (n - 1) if centred > 1e-15 else 0.0


def _kernel(x: Array, width: float) -> Floats:
    return np.exp(-((x[:, None] - x[None, :]) ** 2) / width)


# -- groups other than the classes -----------------------------------------------------------------


def coverage_of_groups(by: ArrayLike, rows: CheckedRows) -> tuple[Floats, Floats]:
    """Coverage and total weight of each group of rows."""
    member, labels = encode_labels(by, name="by")
    if len(member) != len(rows.codes):
        raise ValueError(
            f"by has {len(member)} rows but y_true has {len(rows.codes)}: name the group of every "
            "row"
        )
    _, hit = size_and_hit(rows.codes, rows.sets)
    weight = rows.units.totals
    each = np.ones(len(member)) if weight is None else weight
    table = np.zeros((len(labels), 2))
    np.add.at(table, (member, hit.astype(np.intp)), each)
    return share_of_hits(table), table.sum(axis=1)
