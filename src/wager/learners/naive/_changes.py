"""How many missing values, or training labels, would have to be different to change a prediction.

A prediction is the single class w as long as the least ratio of w to every other class c exceeds 1.
Its logarithm is the least value over x of a sum of parts that rise or fall with x (``_ratio``).  So
on an interval of x the sum is at least the rising parts at its left end plus the falling parts at
its right end, and halving intervals leads to the minimum (branch and bound).

*Missing values.*  For a given x each missing feature contributes the factor of its worst value, and
of several features the ones with the smallest factors are chosen.  This is exact.

*Training labels.*  Counts do not say which rows share values.  If at most r labels change, every
count changes by at most r; with the worst change of each count on its own the result is a certified
lower bound of the number of labels.  With the training rows at hand, a greedy search finds labels
that do change the prediction, which is an upper bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wager._tables import Counts, View, Viewed, format_label
from wager._typing import Floats, Ints
from wager.learners._base import TIE
from wager.learners.naive._row_counts import PairCountsOfRows, RowCountsByClass

__all__ = ["SmallestChange", "labels_to_change", "least_labels", "least_missing"]

_NARROW = 1e-9  # share of s: an interval that is not halved further

Bound = Callable[[Floats, Floats], Floats]  # a lower bound between two x, exact if they are equal


@dataclass(frozen=True, repr=False)
class SmallestChange(Viewed):
    """The smallest change of a row's missing values, or of training labels, that matters.

    Attributes
    ----------
    of : {"missing", "labels"}
        What is changed.
    before, after : tuple
        The predicted classes before the change and after it.
    at_least : float
        The prediction cannot change with fewer changes; infinity if no change is enough.
    changes : tuple
        Changes that are enough: pairs (feature, value), or triples (row, old class, new class) with
        row numbers from 0; empty if there are none, or if the prediction is not a single class.
    completions : tuple of int, optional
        With "missing": how many of all completions of the row change the prediction, and how many
        there are; None if there are too many to try.
    """

    of: str
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    at_least: float
    changes: tuple[tuple[Any, ...], ...]
    completions: tuple[int, int] | None = None

    @property
    def is_exact(self) -> bool:
        """Whether no smaller change is enough."""
        return bool(self.at_least == (len(self.changes) or np.inf)) or len(self.before) > 1

    def __str__(self) -> str:
        shown = ", ".join(map(format_label, self.before))
        if len(self.before) > 1:
            return f"The prediction is not a single class: {shown}."
        what = "missing value" if self.of == "missing" else "training label"
        if not self.changes:
            if np.isinf(self.at_least):
                return f"No {what} changes the prediction {shown}."
            have = f"{what} has" if self.at_least == 1 else f"{what}s have"
            return f"At least {self.at_least:g} {have} to be different to change {shown}."
        after = ", ".join(map(format_label, self.after))
        listed = "; ".join(_said(change) for change in self.changes[:5])
        more = f"; and {len(self.changes) - 5} more" if len(self.changes) > 5 else ""
        least = f"at least {self.at_least:g} are needed"
        if self.is_exact:
            least = "fewer are not enough"
        verb = f"{what} changes" if len(self.changes) == 1 else f"{what}s change"
        said = (
            f"{len(self.changes)} {verb} the prediction from {shown} to {after}: {listed}{more}; "
            f"{least}."
        )
        if self.completions is not None:
            said += " {:,} of {:,} completions change it.".format(*self.completions)
        return said

    def _view(self) -> View:
        return View("Smallest change", verdict=[str(self)])


def _said(change: tuple[Any, ...]) -> str:
    if len(change) == 2:
        return f"{change[0]} = {format_label(change[1])}"
    return f"row {change[0]} from {format_label(change[1])} to {format_label(change[2])}"


def _lowest(bound: Bound, s: float) -> float | None:
    """An x at which the sum is at most `TIE`; None if there is certainly none."""
    low, high = np.zeros(1), np.full(1, float(s))
    while len(low):
        middle = (low + high) / 2
        for x in (middle, low, high):
            value = bound(x, x)
            if (value <= TIE).any():
                return float(x[value.argmin()])
        left = np.flatnonzero(bound(low, high) <= TIE)
        if (high - low)[left].max(initial=0.0) <= _NARROW * s:
            return float(middle[left[0]]) if len(left) else None
        low, high, middle = low[left], high[left], middle[left]
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
    return None


def _parts(pair: PairCountsOfRows, s: float) -> Bound:
    """A bound of the log ratio of one pair of a row's classes."""
    seen = pair.seen[0]
    n1, total1 = pair.n1[0, seen], pair.total1[0, seen]
    n2, total2 = pair.n2[0, seen], pair.total2[0, seen]

    def bound(low: Floats, high: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            own = np.log(pair.class1 + s - high) - np.log(pair.class2 + high)
            rising = np.log(n1) - np.log(total1 + s - low[:, None])
            falling = _falling(n2, total2, high)
            return own + np.where(n1 > 0, rising + falling, -np.inf).sum(axis=1)

    return bound


def _falling(n: Floats, total: Floats, x: Floats) -> Floats:
    at = x[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(total > 0, np.log(total + at) - np.log(n + at), 0.0)


# -- missing values ------------------------------------------------------------------------------


def least_missing(counts: Counts, codes: Ints, winner: int, s: float) -> dict[int, int] | None:
    """The fewest values for a row's gaps, by feature, that end the dominance of the winner.

    None if no values do.
    """
    gaps = np.flatnonzero(codes[0] < 0).tolist()
    rows = RowCountsByClass.of(counts, codes)
    best: dict[int, int] | None = None
    for other in range(counts.n_classes):
        if other == winner:
            continue
        pair = rows.pair(np.zeros(1, int), np.array([winner]), np.array([other]))
        base = _parts(pair, s)
        features = [_gap_bound(counts, j, winner, other, s) for j in gaps]
        most = len(gaps) if best is None else len(best) - 1
        for k in range(1, most + 1):
            x = _lowest(_with_gaps(base, features, k), s)
            if x is not None:
                at = np.array([x])
                values = [one(at, at)[0] for one in features]
                order = np.argsort([value.min() for value in values], kind="stable")[:k]
                best = {gaps[i]: int(values[i].argmin()) for i in order}
                break
    return best


def _with_gaps(base: Bound, features: list[Bound], k: int) -> Bound:
    """A bound of the log ratio if the worst k of the missing values become known."""

    def bound(low: Floats, high: Floats) -> Floats:
        each = np.stack([one(low, high).min(axis=1) for one in features], axis=1)
        return base(low, high) + np.sort(np.minimum(each, 0.0), axis=1)[:, :k].sum(axis=1)

    return bound


def _gap_bound(counts: Counts, j: int, first: int, second: int, s: float) -> Bound:
    """The log factor of every value of a missing feature, (intervals, values)."""
    table = counts.of_feature(j).astype(float)
    n1, n2 = table[:, first], table[:, second]
    total1, total2 = (float(counts.observed[j, c]) for c in (first, second))

    def bound(low: Floats, high: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            rising = np.log(n1) - np.log(total1 + s - low[:, None])
            return np.where(n1 > 0, rising + _falling(n2, np.array(total2), high), -np.inf)

    return bound


# -- training labels -----------------------------------------------------------------------------


def least_labels(rows: RowCountsByClass, winner: int, s: float) -> float:
    """A certified lower bound of how many labels must change to end the winner's dominance."""
    K = rows.n_class.shape[1]
    least = np.inf
    for other in range(K):
        if other == winner:
            continue
        pair = rows.pair(np.zeros(1, int), np.array([winner]), np.array([other]))
        low, high = 0, int(pair.class1[0])  # without any row the winner cannot dominate
        high = int(min(high, least))
        while high - low > 1:
            middle = (low + high) // 2
            if _lowest(_after_flips(pair, s, middle), s) is None:
                low = middle
            else:
                high = middle
        least = min(least, high)
    return float(least)


def _after_flips(pair: PairCountsOfRows, s: float, r: int) -> Bound:
    """A bound of the log ratio if each count changes by at most r, for the worse.

    A label that leaves the first class takes one from the count of a value and from the total; one
    that joins it with another value adds one to the total.  Of a given number of both, the worst
    ratio is that of one kind alone, as it is monotone in their shares; likewise for the second.
    """
    seen = pair.seen[0]
    n1, total1 = pair.n1[0, seen], pair.total1[0, seen]
    n2, total2 = pair.n2[0, seen], pair.total2[0, seen]
    gone = n1 <= r
    fewer = np.maximum(total2 - r, n2)

    def bound(low: Floats, high: Floats) -> Floats:
        to = s - low[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            own = np.log(pair.class1 - r + s - high) - np.log(pair.class2 + r + high)
            leaving = np.log(n1 - r) - np.log(total1 - r + to)
            joining = np.log(n1) - np.log(total1 + r + to)
            rising = np.where(gone, -np.inf, np.minimum(leaving, joining))
            falling = np.minimum(_falling(n2 + r, total2 + r, high), _falling(n2, fewer, high))
            return own + np.where(gone, -np.inf, rising + falling).sum(axis=1)

    return bound


@dataclass(frozen=True)
class _Training:
    """Training rows compared with the row to predict."""

    match: Floats  # (n, m): 1 where a training row has the row's value
    known: Floats  # (n, m): 1 where its value is known
    y: Ints


def labels_to_change(
    rows: RowCountsByClass, codes: Ints, training: tuple[Ints, Ints], winner: int, s: float
) -> list[tuple[int, int]]:
    """Training rows with new classes that end the winner's dominance, by greedy steps.

    Every step changes the label that lowers the ratio most, at the prior where it is least.
    """
    table, y = training
    seen = rows.seen[0]
    match = (table[:, seen] == codes[0, seen]).astype(float)
    one = _Training(match, (table[:, seen] >= 0).astype(float), y)
    best: list[tuple[int, int]] | None = None
    for other in range(rows.n_class.shape[1]):
        if other != winner:
            most = np.inf if best is None else len(best)
            found = _greedy(rows, one, (winner, other), s, most)
            best = found if found is not None else best
    return best or []


def _greedy(
    rows: RowCountsByClass, training: _Training, pair: tuple[int, int], s: float, most: float
) -> list[tuple[int, int]] | None:
    """The changes for one other class; None if they are not fewer than ``most``."""
    first, second = pair
    seen = rows.seen[0]
    third = next((c for c in range(rows.n_class.shape[1]) if c not in pair), second)
    n = [rows.n_value[0, seen, c].astype(float) for c in pair]
    total = [rows.n_known[0, seen, c].astype(float) for c in pair]
    size = [float(rows.n_class[0, c]) for c in pair]
    y, changed = training.y.copy(), np.zeros(len(training.y), dtype=bool)
    done: list[tuple[int, int]] = []
    whole = np.ones((1, int(seen.sum())), dtype=bool)
    strength = np.array([float(s)])
    while len(done) + 1 < most:
        now = PairCountsOfRows(
            np.array(size[:1]), np.array(size[1:]), n[0][None], n[1][None], total[0][None],
            total[1][None], whole,
        )  # fmt: skip
        x = float(now.worst_prior(strength)[0])
        gains = []  # how much the log ratio changes: by each row that joins or leaves a class
        for side, (prior, sign) in enumerate(((s - x, 1.0), (x, -1.0))):
            for step in (1.0, -1.0):
                before = _log_joint(size[side], n[side], total[side], prior, side)
                after = _log_joint(
                    size[side] + step,
                    n[side] + step * training.match,
                    total[side] + step * training.known,
                    prior,
                    side,
                )
                with np.errstate(invalid="ignore"):
                    gains.append(np.nan_to_num(sign * (after - before), nan=0.0))
        join1, leave1, join2, leave2 = gains
        of_first, of_second = y == first, y == second
        to_first = np.where(of_first, np.inf, np.where(of_second, leave2, 0.0) + join1)
        to_second = np.where(of_second, np.inf, np.where(of_first, leave1, 0.0) + join2)
        moves = np.stack([to_first, to_second])
        if third != second:
            away = np.where(of_first, leave1, np.where(of_second, leave2, np.inf))
            moves = np.vstack([moves, away])
        moves[:, changed] = np.inf
        kind, i = np.unravel_index(int(moves.argmin()), moves.shape)
        if not np.isfinite(moves[kind, i]) and moves[kind, i] > 0:
            return None
        new = (first, second, third)[kind]
        for side, label in enumerate(pair):
            step = float(new == label) - float(y[i] == label)
            n[side] = n[side] + step * training.match[i]
            total[side] = total[side] + step * training.known[i]
            size[side] += step
        y[i], changed[i] = new, True
        done.append((int(i), int(new)))
        ended = replace(
            now, class1=np.array(size[:1]), class2=np.array(size[1:]), n1=n[0][None],
            n2=n[1][None], total1=total[0][None], total2=total[1][None],
        )  # fmt: skip
        if not ended.log_infimum(strength)[0] > TIE:
            return done
    return None


def _log_joint(size: Any, n: Floats, total: Floats, prior: float, side: int) -> Floats:
    """The log of (size + x) prod (n + x) / (total + x); the first class gets no x in its values."""
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.log(size + prior)
        values = np.log(n + (prior if side else 0.0)) - np.log(total + prior)
        if side:
            values = np.where(total > 0, values, 0.0)
        logs = own + values.sum(axis=-1)
    return np.nan_to_num(logs, nan=-np.inf, posinf=np.inf, neginf=-np.inf)
