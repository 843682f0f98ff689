"""Coverage of all rows, of each class, and of each part that features define, all at once.

One interval of level 0.95 misses in one case of twenty; of twenty intervals, one misses on
average.  Here each interval has the level 1 - (1 - level) / m for m intervals (Bonferroni), so that
with probability `level` none of them misses, however the parts overlap.  A part is called below or
above the promised coverage only if its interval excludes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np

from wager._tables import (
    Table,
    View,
    Viewed,
    ViewedFields,
    encode_labels,
    format_number,
    frame_names,
    in_memory,
    is_frame,
    is_missing,
    is_number,
    is_one_of,
    repeated,
    require_whole,
    unmasked,
)
from wager._typing import Array, ArrayLike, Floats, Ints
from wager._visible import brief, in_one_line
from wager.rewards._count import CheckedRows, read_rows, require_rows
from wager.rewards._estimate import mean_and_error
from wager.rewards._group_intervals import group_intervals
from wager.rewards._group_tally import GroupTally, count_members
from wager.rewards._level import check_level
from wager.rewards._registry import SET_SCORES
from wager.rewards._strata import check_alpha

Adjustment: TypeAlias = Literal["bonferroni", "sidak", "none"]
Verdict: TypeAlias = Literal["below", "not significantly different", "above"]

ALL_ROWS, CLASS = "all rows", "class"
_SHOWN = 20  # parts in the printed form
_NAMED = 3  # parts that the verdict names


@dataclass(frozen=True, repr=False)
class CoveragePart(ViewedFields):
    """The coverage of one part of the rows.

    Parameters
    ----------
    kind : str
        What defines the part: ``"all rows"``, ``"class"``, or the name of a feature.
    name : str
        The class, the value of the feature, or its range.
    n_rows : int
        The number of rows, or the sum of their counts.
    coverage, standard_error : float
        The share of hits with its standard error.
    low, high : float
        The ends of the simultaneous interval.
    verdict : {"below", "not significantly different", "above"}
        How the coverage compares with the promised one.
    """

    kind: str
    name: str
    n_rows: int
    coverage: float
    standard_error: float
    low: float
    high: float
    verdict: Verdict

    @property
    def title(self) -> str:
        """The part in words, such as ``"class a"``."""
        return ALL_ROWS if self.kind == ALL_ROWS else f"{self.kind} {self.name}"


@dataclass(frozen=True, repr=False)
class CoverageReport(Viewed):
    """The coverage of parts of the rows with simultaneous intervals.

    Parameters
    ----------
    parts : tuple of CoveragePart
        All rows first, then the classes, then the parts of each feature.
    alpha : float
        The nominal share of misses; the promised coverage is 1 - alpha.
    level : float
        The probability with which all intervals together contain the true coverages.
    adjust : {"bonferroni", "sidak", "none"}
        How the intervals are adjusted for their number.
    """

    parts: tuple[CoveragePart, ...]
    alpha: float
    level: float
    adjust: Adjustment

    def __len__(self) -> int:
        return len(self.parts)

    def __iter__(self) -> Iterator[CoveragePart]:
        return iter(self.parts)

    def __getitem__(self, kind: str) -> tuple[CoveragePart, ...]:
        """The parts of one kind, such as ``"class"`` or the name of a feature."""
        found = tuple(part for part in self.parts if is_one_of(kind, (part.kind,)))
        if not found:
            known = ", ".join(dict.fromkeys(part.kind for part in self.parts))
            raise KeyError(f"there are no parts by {brief(kind)}: choose from {known}")
        return found

    @property
    def promised(self) -> float:
        """The promised coverage, 1 - alpha."""
        return 1 - self.alpha

    @property
    def below(self) -> tuple[CoveragePart, ...]:
        """The parts whose coverage is significantly below the promised one."""
        return tuple(part for part in self.parts if part.verdict == "below")

    @property
    def above(self) -> tuple[CoveragePart, ...]:
        """The parts whose coverage is significantly above the promised one."""
        return tuple(part for part in self.parts if part.verdict == "above")

    def verdict(self) -> str:
        """The result as a sentence."""
        promised = f"the promised {self.promised:.4g}"
        if not self.below:
            more = f"; {len(self.above)} above it" if self.above else ""
            return f"no part is significantly below {promised}{more}"
        named = "; ".join(
            f"{part.title} ({part.coverage:.3f}, {part.low:.3f} to {part.high:.3f})"
            for part in sorted(self.below, key=lambda part: part.coverage)[:_NAMED]
        )
        more = f" and {len(self.below) - _NAMED} more" if len(self.below) > _NAMED else ""
        return f"significantly below {promised}: {named}{more}"

    def to_frame(self) -> Any:
        """A pandas frame with one row per part."""
        import pandas as pd

        return pd.DataFrame([vars(part) for part in self.parts])

    def _view(self) -> View:
        shown = self.parts[:_SHOWN]
        rows = [[p.kind, p.name, p.n_rows, p.coverage, p.low, p.high, p.verdict] for p in shown]
        left = len(self.parts) - len(shown)
        notes = [f"{left:,} more parts: see parts or to_frame()"] if left else []
        how = {"bonferroni": "Bonferroni", "sidak": "Šidák", "none": "no adjustment"}[self.adjust]
        together = "each" if self.adjust == "none" else "together"
        notes.append(
            f"{len(self.parts)} intervals that {together} have the level {self.level:g} ({how})"
        )
        header = ["part", "", "rows", "coverage", "from", "to", f"vs. {self.promised:.4g}"]
        title = f"coverage of {self.parts[0].n_rows:,} predictions"
        return View(title, [Table(header, rows, "<<>>>><")], notes, [self.verdict()])


def coverage_report(
    y_true: ArrayLike,
    y_pred: Any,
    by: Any = None,
    *,
    alpha: float,
    level: float = 0.95,
    n_bins: int = 5,
    adjust: Adjustment = "bonferroni",
    by_class: bool = True,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> CoverageReport:
    """Coverage of all rows, classes, groups and feature slices, with simultaneous intervals.

    Parameters
    ----------
    y_true, y_pred, sample_weight, counts, classes
        As in `evaluate_sets`.
    by : array-like, mapping or frame, optional
        The group of each row; or several features by name.  A feature of numbers with more than
        `n_bins` different values is cut into slices at its quantiles; another one has a part for
        each value.  Pass identifiers that are numbers as texts.
    alpha : float
        The nominal share of misses, in [0, 1]: the promised coverage is 1 - alpha.
    level : float, default=0.95
        The probability with which all intervals together are right.
    n_bins : int, default=5
        The number of slices of a numeric feature.
    adjust : {"bonferroni", "sidak", "none"}, default="bonferroni"
        How intervals are adjusted for their number: Bonferroni's adjustment holds for parts that
        overlap in any way; Šidák's, a little narrower, for independent parts.
    by_class : bool, default=True
        Whether the true classes are parts as well.
    groups : array-like of shape (n_rows,), optional
        Clusters of dependent rows, which widen the intervals; a cluster may have rows in several
        parts.

    Returns
    -------
    CoverageReport

    Notes
    -----
    The coverage is that of the predictor at hand.  A split conformal predictor promises 1 - alpha
    on average over calibration sets; with n calibration rows the coverage of one predictor varies
    around it with a standard deviation of about sqrt(alpha (1 - alpha) / n).

    Examples
    --------
    >>> y_true = ["a"] * 50 + ["b"] * 50
    >>> y_pred = ["a"] * 49 + ["b"] * 1 + ["b"] * 30 + ["a"] * 20
    >>> coverage_report(y_true, y_pred, alpha=0.1)
    coverage of 100 predictions
    <BLANKLINE>
    part         rows  coverage    from      to  vs. 0.9
    ------------------------------------------------------------------------
    all rows      100    0.7900  0.6782  0.8756  below
    class     a    50    0.9800  0.8639  0.9996  not significantly different
    class     b    50    0.6000  0.4313  0.7539  below
    <BLANKLINE>
    3 intervals that together have the level 0.95 (Bonferroni)
    <BLANKLINE>
    significantly below the promised 0.9: class b (0.600, 0.431 to 0.754); all rows (0.790,
    0.678 to 0.876)
    """
    check_alpha(alpha)
    check_level(level)
    n_bins = require_whole(n_bins, "n_bins", 2)
    if not is_one_of(adjust, ("bonferroni", "sidak", "none")):
        raise ValueError(f"adjust must be 'bonferroni', 'sidak' or 'none', got {brief(adjust)}")
    rows = read_rows(y_true, y_pred, classes, sample_weight, counts, groups)
    n = len(rows.codes)
    require_rows(n)
    kinds: list[tuple[str, Ints, Array]] = [(ALL_ROWS, np.zeros(n, dtype=np.intp), np.array([""]))]
    if by_class:
        kinds.append((CLASS, rows.codes.astype(np.intp), rows.sets.classes))
    repeats = rows.units.observed(n)
    kinds += [(name, *_slices(column, name, repeats, n_bins)) for name, column in _features(by)]
    tallies = [(kind, *_tally(member, names, rows)) for kind, member, names in kinds]
    each = _level_of_each(level, sum(len(tally) for _, tally, _ in tallies), adjust)
    parts = [
        part
        for kind, tally, n_rows in tallies
        for part in _parts(kind, tally, n_rows, each, 1 - alpha)
    ]
    return CoverageReport(tuple(parts), float(alpha), float(level), adjust)


def _level_of_each(level: float, n: int, adjust: Adjustment) -> float:
    """The level of each of n intervals that together have a level."""
    if adjust == "none":
        return level
    return level ** (1 / n) if adjust == "sidak" else 1 - (1 - level) / n


def _features(by: Any) -> Iterator[tuple[str, Any]]:
    """Names and columns of what defines the parts."""
    if by is None:
        return
    columns: list[tuple[str, Any]]
    if is_frame(by):
        frame = in_memory(by)
        names = frame_names(frame)
        if names is None:
            raise ValueError("the columns of by have no names: name them, or pass a mapping")
        columns = [(str(name), frame[name]) for name in names]
    elif isinstance(by, Mapping):
        columns = [(str(name), column) for name, column in by.items()]
    else:
        columns = [("group", by)]
    known = [name for name, _ in columns]
    for name in (ALL_ROWS, CLASS):
        if name in known:
            raise ValueError(f"a feature may not be called {name!r}: rename it in by=")
    if twice := repeated(known):
        raise ValueError(f"two features are called {brief(twice[0])}: rename one in by=")
    yield from columns


def _slices(column: Any, name: str, repeats: Ints, n_bins: int) -> tuple[Ints, Array]:
    """The part of each row by the value of a feature, and the names of the parts."""
    values = _numbers(np.asarray(unmasked(column)))
    if values.shape != repeats.shape:
        raise ValueError(
            f"{in_one_line(name)} in by= must have one value for each of the {len(repeats)} rows, "
            f"got the shape {values.shape}"
        )
    if values.dtype.kind in "iuf":
        numbers = values.astype(np.float64)
        missing = np.isnan(numbers)
        known = ~missing & (repeats > 0)
        if len(np.unique(numbers[known])) > n_bins:
            return _bins(numbers, _quantiles(numbers[known], repeats[known], n_bins))
        if missing.any():
            found, places = np.unique(numbers[~missing], return_inverse=True)
            of_row = np.full(len(numbers), len(found))
            of_row[~missing] = places
            return of_row.astype(np.intp), np.array([*map(_shown, found), "missing"])
    codes, names = encode_labels(values, name=name)
    return codes.astype(np.intp), names


def _numbers(values: Array) -> Array:
    """Objects that are all numbers or missing as an array of floats; other values unchanged."""
    if values.dtype != object or not all(is_number(v) or is_missing(v) for v in values.flat):
        return values
    known = [np.nan if is_missing(v) else v for v in values.flat]
    return np.array(known, dtype=np.float64).reshape(values.shape)


def _quantiles(numbers: Floats, repeats: Ints, n_bins: int) -> Floats:
    """Between any two slices, the quantile of numbers that occur as often as `repeats` says."""
    order = np.argsort(numbers, kind="stable")
    ends = np.cumsum(repeats[order])
    at = np.arange(1, n_bins) / n_bins * (ends[-1] - 1)
    below, above = (
        numbers[order][np.searchsorted(ends, end(at), side="right")] for end in (np.floor, np.ceil)
    )
    part = at - np.floor(at)
    with np.errstate(invalid="ignore"):
        gap = above - below
        inside = np.where(part < 0.5, below + gap * part, above - gap * (1 - part))
    cuts = np.unique(np.where(np.isfinite(gap), inside, below))
    return np.asarray(cuts[cuts > numbers.min()])


def _shown(number: float) -> str:
    """A number as text, in full if it is whole."""
    value = float(number)
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


def _bins(numbers: Floats, cuts: Floats) -> tuple[Ints, Array]:
    """Slices of about equally many rows, from one quantile to the next; missing ones last."""
    shown = [_shown(c) if float(c).is_integer() else format_number(float(c)) for c in cuts]
    names = [f"< {shown[0]}"] if shown else ["any"]
    names += [f"{low} to {high}" for low, high in pairwise(shown)]
    names += [f">= {shown[-1]}"] if shown else []
    missing = np.isnan(numbers)
    member = np.searchsorted(cuts, np.where(missing, 0.0, numbers), side="right")
    if missing.any():
        member[missing] = len(names)
        names.append("missing")
    return member.astype(np.intp), np.array(names)


def _tally(member: Ints, names: Array, rows: CheckedRows) -> tuple[GroupTally, Ints]:
    """The tallies of the parts that have rows, and the number of these rows."""
    counts = count_members(member, names, rows)
    tally = GroupTally.of_counts(counts)
    occurring = np.unique(tally.sums.group)
    return tally.take(occurring), counts.n_rows[occurring]


def _parts(
    kind: str, tally: GroupTally, n_rows: Ints, level: float, promised: float
) -> Iterator[CoveragePart]:
    """The coverage of each group of a tally."""
    score = SET_SCORES["coverage"]
    values = tally.values(score)
    mean, error = mean_and_error(values, tally.sums)
    ends = np.zeros(len(tally)), np.ones(len(tally))
    low, high = group_intervals(values, tally.sums, *ends, level)
    for i, name in enumerate(tally.names.tolist()):
        yield CoveragePart(
            kind, str(name), int(n_rows[i]), float(mean[i]), float(error[i]),
            float(low[i]), float(high[i]), _verdict(low[i], high[i], promised),
        )  # fmt: skip


def _verdict(low: float, high: float, promised: float) -> Verdict:
    if high < promised:
        return "below"
    return "above" if low > promised else "not significantly different"
