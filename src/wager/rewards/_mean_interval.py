"""Intervals and tests for the mean of a score whose smallest and largest possible value are known.

The rows fall into a few cells, and every cell has a value between `low` and `high`.  A mean m0 is
compared with the data through the distribution over the cells that has the mean m0 and is most
likely to give these data.  That distribution is p_j proportional to n_j / (x_j + s), where x_j is
the distance of the value from an end of the range, and s > 0 depends on m0.  A cell at that end of
the range, in which no row has been observed, takes part with a negligible count: it may receive
probability, so that agreeing rows do not have an interval of width zero and no interval leaves the
range.

Two statistics measure the distance of m0 from the data, both with the distribution under m0: the
score statistic (m - m0)^2 / Var0(m), which for a proportion is Wilson's and for a difference of
two paired proportions is Tango's (1998), and the likelihood ratio 2 log L.  Each of them rejects
too often in some situations where the other one does not, so m0 is rejected only if both reject.
Simulations of coverage are in the documentation, "Certainty".

Rows of different weights and clusters change only the variance under m0 (`CellSums`), and Student's
t with the effective number of units replaces the normal distribution.  With clusters the statistic
may fall again at farther means; the interval then has the farthest mean that is not rejected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import nan

import numpy as np

from wager._tables import ROUNDING
from wager._typing import Array, Bools, Floats
from wager.rewards._cell_sums import CellSums
from wager.rewards._level import check_level

UNOBSERVED = 1e-7  # rows in the unobserved cell: enough to receive probability, too few to count
STEADY_ROWS = 4.0  # rows of average weight that steady the mean squared weight of a small cell
_FIRST, _LAST = -60.0, 20.0  # log(s): all probability at the end of the range, and the sample's
_NEAR = 2.0  # half the width in log(s) of the first bracket around a guess
_SCAN = 0.5  # steps of log(s) in which the statistic of clusters is looked at for falling again
_HALVINGS = 40  # of such a step, which is then below _CLOSE
_BEYOND = 14.0  # the scan begins so far below the logarithm of the unobserved share
_STEPS = 80
_FEW = 4  # means whose steps are taken one by one: a step for an array takes as long as for so many
_CLOSE = 1e-12  # precision of the ends of intervals and of p-values, relative to their distance
_LEAST_LIMIT = 1e-32  # of a statistic: that of levels of 1e-16 and less is 0
_SAME = 1e-9  # of the range: a mean this close to the tested one does not differ from it


@dataclass(frozen=True, eq=False)
class MeanCells:
    """The cells behind means: the same cells for all of them, or separate ones for each.

    Parameters
    ----------
    totals : array of shape (m, J), or (1, J) if all means have the same cells
        Counts or total weights of the cells, which are positive.
    squares : None, or array of shape (m, J) or (m, J, J)
        The second moments of units, as in `CellSums`.
    n, units : array of shape (m,) or (1,)
        The number of rows, or their total weight, and the equivalent number of units.
    """

    totals: Floats
    squares: Floats | None
    n: Floats
    units: Floats

    @classmethod
    def of(cls, sums: CellSums) -> MeanCells:
        """The same cells for all means."""
        squares = None if sums.squares is None else sums.squares[None]
        n, units = np.array([float(sums.n)]), np.array([sums.n_units])
        return cls(sums.totals[None].astype(np.float64), squares, n, units)

    def for_both_ends(self) -> MeanCells:
        """The cells of the means, and once more."""
        if len(self.n) == 1:
            return self
        squares = None if self.squares is None else np.concatenate([self.squares] * 2)
        columns = (np.concatenate([part] * 2) for part in (self.totals, self.n, self.units))
        totals, n, units = columns
        return MeanCells(totals, squares, n, units)

    @property
    def shares(self) -> Floats:
        """The share of each cell in the rows."""
        return self.totals / self.n[:, None]


@dataclass(frozen=True)
class _ClusterSquares:
    """The squared sums of clusters of the values' distances from a mean, for one row per mean.

    They are least at `centre`, and at any mean they are ``least + size * (mean - centre)**2``.
    """

    centre: Floats
    least: Floats
    size: Floats

    @classmethod
    def of(cls, x: Floats, squares: Floats) -> _ClusterSquares:
        """From the values of the cells and their second moments, of each mean or of all."""
        of_cells = squares.sum(axis=2)
        size = of_cells.sum(axis=1)
        centre = np.divide(_dot(x, of_cells), size, out=np.zeros(len(x)), where=size > 0)
        distance = x - centre[:, None]
        products = distance @ squares[0] if len(squares) == 1 else distance[:, None] @ squares
        least = (products.reshape(distance.shape) * distance).sum(axis=1)
        return cls(centre, np.maximum(least, 0), size)

    def around(self, mean: Floats) -> Floats:
        """The squared sums of the distances from other means."""
        return self.least + self.size * (mean - self.centre) ** 2


@dataclass(frozen=True)
class _Tilted:
    """Scores of the cells, one row per mean, in units of the range and from one of its ends.

    The last column is the unobserved cell at the end of the range.  Arrays that describe the cells
    have one row per mean, or one row for all.
    """

    x: Floats  # (m, J + 1)
    share: Floats  # (m or 1, J + 1) observed shares
    mean: Floats  # (m,) observed means
    cells: MeanCells
    ratio: Floats  # (m or 1, J + 1) mean squared weight over mean weight, for different weights
    clusters: _ClusterSquares | None  # if the units are clusters of rows

    def under(self, log_s: Floats) -> tuple[Floats, Floats]:
        """The mean m0 under the tilted distribution with parameter s, and the smaller statistic."""
        weight = self.share / (self.x + np.exp(log_s)[:, None])
        p = weight / np.add.reduce(weight, axis=1, keepdims=True)
        mean = np.einsum("ij,ij->i", p, self.x)
        spread = p * np.square(self.x - mean[:, None])
        plain = np.add.reduce(spread, axis=1)
        variance = plain if self.cells.squares is None else self._variance(spread, mean)
        n = self.cells.n
        with np.errstate(divide="ignore", invalid="ignore"):
            score = n * np.square(self.mean - mean) / variance
            ratio = -2 * n * _dot(np.log(p / self.share), self.share) * (plain / variance)
        # fmin: the variance of a distribution in a single cell is 0, and 0/0 decides nothing
        return mean, np.fmin(score, ratio)

    def mean_and_slope(self, log_s: Floats) -> tuple[Floats, Floats]:
        """The mean under the tilted distribution, and its derivative with respect to log(s)."""
        s = np.exp(log_s)[:, None]
        inverse = 1 / (self.x + s)
        weight = self.share * inverse
        p = weight / np.add.reduce(weight, axis=1, keepdims=True)
        mean = np.add.reduce(p * self.x, axis=1)
        # of the logarithm of a weight the derivative is -s / (x + s)
        slope = -np.add.reduce(p * (self.x - mean[:, None]) * s * inverse, axis=1)
        return np.minimum(np.maximum(mean, 1e-300), 1 - 1e-16), slope

    def near(self, distance: Floats | float | None = None, z: Floats | float = 2.0) -> Floats:
        """Roughly the log(s) of a mean at some distance from the observed one.

        The distance is given, or z standard errors.
        """
        n = np.maximum(self.cells.n, 1e-100)  # the square of a smaller weight would be 0
        variance = np.maximum(_dot((self.x - self.mean[:, None]) ** 2, self.share), 1 / n**2)
        away = z * np.sqrt(variance / n) if distance is None else distance
        return np.clip(np.log(variance / np.maximum(away, 1e-30)), _FIRST, _LAST)

    def _variance(self, spread: Floats, mean: Floats) -> Floats:
        """The variance of one unit's contribution under m0, per row."""
        units = self.cells.units
        if self.clusters is None:
            return _dot(spread, self.ratio)
        # clusters: how much more the observed cells vary together than independent rows would
        together, unseen = self.clusters.around(mean), self.ratio[:, -1]
        apart = _dot((self.x[:, :-1] - mean[:, None]) ** 2, self.cells.totals)
        effect = np.divide(together, apart, out=np.full(len(apart), np.nan), where=apart > 0)
        several = units > 1
        correction = np.divide(units, units - 1, out=np.full(len(units), np.inf), where=several)
        effect = np.where(np.isnan(effect), unseen, effect * correction)
        return spread[:, :-1].sum(axis=1) * effect + spread[:, -1] * unseen


def _dot(values: Floats, of_cells: Floats) -> Floats:
    """The product of each row with its cells, which may be the same for all rows."""
    if len(of_cells) == 1:
        return values @ of_cells[0]
    return np.einsum("ij,ij->i", values, of_cells)


def mean_interval(
    values: Floats, sums: CellSums, low: Array, high: Array, level: float = 0.95
) -> tuple[Floats, Floats]:
    """Confidence intervals of means, one per row of `values`.

    Parameters
    ----------
    values : array of shape (m, J)
        The score of each cell.
    sums : CellSums
        The totals of the J cells.
    low, high : array of shape (m,)
        The smallest and the largest possible score of a row.
    level : float
        The confidence level.

    Returns
    -------
    tuple of arrays of shape (m,)
        The lower and the upper ends; NaN for a known distribution.

    Examples
    --------
    >>> sums = CellSums(np.array([0]), np.array([40]))         # 40 rows without an error
    >>> ends = mean_interval(np.zeros((1, 1)), sums, np.array([0.0]), np.array([1.0]))
    >>> [round(float(end[0]), 3) for end in ends]
    [0.0, 0.088]
    """
    check_level(level)
    if sums.is_law or not sums.n > 0:
        return np.full(len(values), np.nan), np.full(len(values), np.nan)
    return mean_intervals(values, MeanCells.of(sums), low, high, level)


def mean_intervals(
    values: Floats, cells: MeanCells, low: Array, high: Array, level: float
) -> tuple[Floats, Floats]:
    """Confidence intervals of means that may have separate cells; see `mean_interval`.

    Every mean needs rows.
    """
    limit = _critical_values(cells, 1 - level)
    span = np.asarray(high - low, dtype=np.float64)
    scale = np.where(span > 0, span, 1.0)
    x = np.clip((values - low[:, None]) / scale[:, None], 0.0, 1.0)
    both = _tilted(np.concatenate([x, 1 - x]), cells.for_both_ends())
    end = _end(both, limit if len(limit) == 1 else np.concatenate([limit, limit]))
    lower, upper = low + span * end[: len(values)], high - span * end[len(values) :]
    mean = _dot(values, cells.shares)  # rounding must not put the mean outside its interval
    return np.minimum(lower, mean), np.maximum(upper, mean)


def mean_p_values(
    values: Floats, sums: CellSums, low: Array, high: Array, at: float = 0.0
) -> Floats:
    """Two-sided p-values of the hypotheses that the means are `at`.

    A mean is rejected at level 1 - c exactly if it lies outside the interval of level c.

    Parameters
    ----------
    values, sums, low, high
        As in `mean_interval`.
    at : float, default=0
        The mean under the hypothesis, within the range.

    Examples
    --------
    >>> sums = CellSums(np.array([0, 1]), np.array([3, 12]))   # 12 of 15 differences favour a
    >>> ends = np.array([-1.0]), np.array([1.0])
    >>> round(float(mean_p_values(np.array([[-1.0, 1.0]]), sums, *ends)[0]), 3)
    0.02
    """
    if not sums.n > 0:
        return np.full(len(values), np.nan)
    mean = values @ (sums.totals / sums.n)
    largest = np.maximum(np.abs(low), np.abs(high))
    same = np.abs(mean - at) <= _SAME * largest
    if sums.is_law:
        return np.where(same, 1.0, 0.0)
    below = (mean >= at)[:, None]  # tilt towards the lower end to reach a smaller mean
    span = (high - low)[:, None]
    scale = np.where(span > 0, span, 1.0)
    x = np.where(below, values - low[:, None], high[:, None] - values) / scale
    goal = np.where(below[:, 0], at - low, high - at) / scale[:, 0]
    p = np.ones(len(values))
    if not same.all():
        tilted = _tilted(np.clip(x[~same], 0, 1), MeanCells.of(sums))
        p[~same] = _tail(_statistic(tilted, goal[~same]), sums)
    return p


def _critical_values(cells: MeanCells, alpha: float) -> Floats:
    """The statistics beyond which two-sided tests of level alpha reject."""
    if cells.squares is None:
        from scipy.special import ndtri

        return np.array([float(ndtri(1 - alpha / 2)) ** 2])
    from scipy.special import stdtrit

    several = cells.units > 1
    student = stdtrit(np.where(several, cells.units - 1, 1.0), 1 - alpha / 2)
    return np.where(several, student**2, np.inf)


def _tail(statistic: Floats, sums: CellSums) -> Floats:
    """The two-sided p-value of a statistic."""
    root = np.sqrt(np.maximum(statistic, 0))
    if sums.squares is None:
        from scipy.special import ndtr

        return 2 * ndtr(-root)
    from scipy.special import stdtr

    units = sums.n_units
    return 2 * stdtr(units - 1, -root) if units > 1 else np.ones(len(root))


def _tilted(x: Floats, cells: MeanCells) -> _Tilted:
    """The cells together with the unobserved one at x = 0."""
    x = x + 0.0  # a share of -0.0 of the range is 0.0
    n, totals, squares = cells.n, cells.totals, cells.squares
    average = np.ones(len(n))
    if squares is not None:
        average = squares.reshape(len(n), -1).sum(axis=1) / n
    share = np.column_stack([totals, UNOBSERVED * average])
    ratio = np.ones_like(share)
    if squares is not None:
        ratio *= average[:, None]
        if squares.ndim == 2:  # the few rows of a small cell say little about its weights
            steadied = squares + STEADY_ROWS * average[:, None] ** 2
            ratio[:, :-1] = steadied / (totals + STEADY_ROWS * average[:, None])
    share /= share.sum(axis=1, keepdims=True)
    with_end = np.concatenate([x, np.zeros((len(x), 1))], axis=1)
    clusters = None
    if squares is not None and squares.ndim == 3:
        clusters = _ClusterSquares.of(x, squares)
    return _Tilted(with_end, share, _dot(x, cells.shares), cells, ratio, clusters)


def _end(tilted: _Tilted, limit: Floats) -> Floats:
    """The smallest mean that is not rejected, in units of the range."""
    at_end = tilted.mean <= ROUNDING
    known = np.isfinite(limit)
    if not known.any():
        return np.zeros(len(at_end))
    bound = np.maximum(np.where(known, limit, 1.0), _LEAST_LIMIT)

    def excess(log_s: Floats) -> Floats:
        _, statistic = tilted.under(log_s)
        return np.log(np.maximum(statistic, 1e-300) / bound)

    log_s = _root(excess, tilted.near(z=np.sqrt(bound)))
    if tilted.clusters is not None:
        log_s = _farther(tilted, excess, log_s)
    found, _ = tilted.under(log_s)
    return np.where(at_end | ~known, 0.0, found)


def _farther(tilted: _Tilted, excess: Callable[[Floats], Floats], log_s: Floats) -> Floats:
    """The farthest mean that is not rejected, beyond the one where the statistic first crosses.

    The statistic of clusters may fall again.  Observed clusters that are alike vary little around
    their mean and more around others, and rows at the end of the range, of which none was observed,
    have the variance of average clusters.
    """
    first = np.full(len(log_s), np.nan)
    with np.errstate(divide="ignore"):  # far below the limit
        for at in _scan(tilted, log_s):
            first = np.where(np.isnan(first) & (at < log_s) & (excess(at) <= 0), at, first)
        falls = ~np.isnan(first)
        if not falls.any():
            return log_s
        low, high = np.where(falls, first - _SCAN, log_s), np.where(falls, first, log_s)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            rejected = excess(middle) > 0
            low, high = np.where(rejected, middle, low), np.where(rejected, high, middle)
    return np.where(falls, high, log_s)


def _scan(tilted: _Tilted, log_s: Floats) -> Iterator[Floats]:
    """The same steps of log(s) for all means, from close to the end of the range up to `log_s`."""
    start = max(_FIRST, float(np.floor(np.log(tilted.share[:, -1].min())) - _BEYOND))
    for at in np.arange(start, float(log_s.max()), _SCAN):
        yield np.full(len(log_s), at)


def _statistic(tilted: _Tilted, goal: Floats) -> Floats:
    """The statistic of the means `goal`, which are at most the observed ones."""
    reachable = (goal > 0) & (goal < 1)  # only rows at the end of the range agree with the end
    inner = np.where(reachable, goal, 0.5)
    log_s = _tilt_to(tilted, inner)
    _, statistic = tilted.under(log_s)
    if tilted.clusters is not None:  # a mean is inside the interval if a farther one is
        for at in _scan(tilted, log_s):
            statistic = np.where(at < log_s, np.fmin(statistic, tilted.under(at)[1]), statistic)
    return np.where(reachable, statistic, np.inf)


def _tilt_to(tilted: _Tilted, goal: Floats) -> Floats:
    """The log(s) at which the means are `goal`, by Newton's method within a bracket."""
    low, high = np.full(len(goal), _FIRST), np.full(len(goal), _LAST)
    target = np.log(goal) - np.log1p(-goal)
    log_s = tilted.near(tilted.mean - goal)
    with np.errstate(divide="ignore"):
        needed = 1 / goal - (tilted.share[:, :-1] / tilted.x[:, :-1]).sum(axis=1)
    # a mean that the observed cells cannot have needs the unobserved one: then s is close to this
    beyond = needed > 0
    if beyond.any():
        tiny = np.log(np.maximum(tilted.share[:, -1], 1e-300)) - np.log(
            np.where(beyond, needed, 1.0)
        )
        log_s = np.where(beyond, np.clip(tiny, _FIRST, _LAST), log_s)
    if len(goal) <= _FEW:
        return _tilt_few_to(tilted, target, log_s)
    for _ in range(_STEPS):
        mean, slope = tilted.mean_and_slope(log_s)
        short = target - (np.log(mean) - np.log1p(-mean))  # on this scale the mean is almost linear
        done = np.abs(short) < _CLOSE
        if done.all():
            break
        low, high = np.where(short > 0, log_s, low), np.where(short > 0, high, log_s)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = log_s + short * mean * (1 - mean) / slope
        inside = (step > low) & (step < high)
        log_s = np.where(done, log_s, np.where(inside, step, (low + high) / 2))
    return log_s


def _tilt_few_to(tilted: _Tilted, target: Floats, log_s: Floats) -> Floats:
    """`_tilt_to` for few means: the same steps in Python's numbers, which are faster then."""
    low, high, at = [_FIRST] * len(target), [_LAST] * len(target), log_s.tolist()
    for _ in range(_STEPS):
        means, slopes = tilted.mean_and_slope(np.array(at))
        shorts = (target - (np.log(means) - np.log1p(-means))).tolist()
        if all(abs(short) < _CLOSE for short in shorts):
            break
        rows = zip(means.tolist(), slopes.tolist(), shorts, strict=True)
        for i, (mean, slope, short) in enumerate(rows):
            if short > 0:
                low[i] = at[i]
            else:
                high[i] = at[i]
            if not abs(short) < _CLOSE:
                step = at[i] + short * mean * (1 - mean) / slope if slope else nan
                at[i] = step if low[i] < step < high[i] else (low[i] + high[i]) / 2
    return np.array(at)


def _root(decreasing: Callable[[Floats], Floats], guess: Floats) -> Floats:
    """Where functions of log(s) that decrease through 0 are 0, all at once.

    Regula falsi in its Illinois form, from a bracket around the guess; every fourth step is a
    bisection, so that no function takes long.
    """
    a, b = np.maximum(guess - _NEAR, _FIRST), np.minimum(guess + _NEAR, _LAST)
    at_a, at_b = decreasing(a), decreasing(b)
    outside = ~((at_a > 0) & (at_b <= 0))
    if outside.any():
        a, b = np.where(at_a <= 0, _FIRST, a), np.where(at_b > 0, _LAST, b)
        at_a, at_b = decreasing(a), decreasing(b)
    if len(a) <= _FEW:
        return _root_of_few(decreasing, a.tolist(), b.tolist(), at_a.tolist(), at_b.tolist())
    c, side = a, np.zeros(len(a))
    for step in range(_STEPS):
        c = _next_point(a, b, at_a, at_b, bisect=step % 4 == 3)
        value = decreasing(c)
        up: Bools = value > 0
        at_b = np.where(up & (side == 1), at_b / 2, at_b)
        at_a = np.where(~up & (side == -1), at_a / 2, at_a)
        a, at_a = np.where(up, c, a), np.where(up, value, at_a)
        b, at_b = np.where(up, b, c), np.where(up, at_b, value)
        side = np.where(up, 1, -1)
        if ((np.abs(value) < _CLOSE) | (b - a < _CLOSE)).all():
            break
    return c


def _next_point(a: Floats, b: Floats, at_a: Floats, at_b: Floats, *, bisect: bool) -> Floats:
    middle = (a + b) / 2
    if bisect:
        return middle
    with np.errstate(divide="ignore", invalid="ignore"):
        c = (a * at_b - b * at_a) / (at_b - at_a)
    return np.where((c > a) & (c < b), c, middle)


def _root_of_few(
    decreasing: Callable[[Floats], Floats],
    a: list[float],
    b: list[float],
    at_a: list[float],
    at_b: list[float],
) -> Floats:
    """`_root` for few functions: the same steps in Python's numbers, which are faster then."""
    points, side = np.array(a), [0] * len(a)
    for step in range(_STEPS):
        c = [(low + high) / 2 for low, high in zip(a, b, strict=True)]
        if step % 4 < 3:
            for i, middle in enumerate(c):
                fall = at_b[i] - at_a[i]
                secant = (a[i] * at_b[i] - b[i] * at_a[i]) / fall if fall else nan
                c[i] = secant if a[i] < secant < b[i] else middle
        points = np.array(c)
        values, is_close = decreasing(points).tolist(), True
        for i, value in enumerate(values):
            if value > 0:
                if side[i] == 1:
                    at_b[i] /= 2
                a[i], at_a[i], side[i] = c[i], value, 1
            else:
                if side[i] == -1:
                    at_a[i] /= 2
                b[i], at_b[i], side[i] = c[i], value, -1
            is_close &= abs(value) < _CLOSE or b[i] - a[i] < _CLOSE
        if is_close:
            break
    return points
