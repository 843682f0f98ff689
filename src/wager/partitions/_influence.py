"""How much the measures of a partition vary from one test set to another.

A row of the test set has two effects on a measure: its own distance is one term of the mean, and it
moves the moments and the rate of its region, and so the scaled memberships of all rows of that
region.  The influence of a row is the sum of both (the infinitesimal jackknife, Efron 1982):

    own term - mean + sum over the region's parameters of
        (change of the region's mean per change of the parameter) * (influence on the parameter)

The changes of the means come from scaling again with slightly larger and smaller parameters, by the
same code that `standardize` uses.  The variance of a measure is the sum of the squared influences.

Without errors in a test set the influences are 0, but another test set may contain errors.  The
interval therefore uses the variance of a smoothed sample, in which one row in n could have any
label and one row in n could be at either end of the range.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wager._typing import Bools, Floats, Ints
from wager.partitions._beta_chain import scale_chain
from wager.partitions._beta_scaling import BetaScaling
from wager.partitions._estimate import PartitionEstimate
from wager.partitions._measures import distances_to_corners

MEASURES = ("accuracy", "separation", "correctness", "confidence")
PARAMETERS = ("mean", "variance", "p")
CHANGE = {"mean": 1e-3, "variance": 1e-3, "p": 1e-2}  # relative changes of the parameters
ROWS_SCALED_AGAIN = 10_000  # enough to know the slopes of the regions' means to about 1%


@dataclass(frozen=True, eq=False)
class PartitionRows:
    """The rows of a test set: memberships, true class, order of classes, region and weight."""

    points: Floats
    truth: Ints
    order: Ints
    region: Ints
    weights: Floats

    def take(self, rows: Ints) -> PartitionRows:
        """Some of the rows."""
        return PartitionRows(
            self.points[rows],
            self.truth[rows],
            self.order[rows],
            self.region[rows],
            self.weights[rows],
        )

    def scale(self, steps: Sequence[BetaScaling]) -> Floats:
        """The scaled memberships, or without steps the memberships themselves."""
        if not steps:
            return self.points
        return scale_chain(self.points, self.order, lambda j, x: steps[j].apply(x, self.region))

    def shares(self) -> list[Floats]:
        """The values that every step scales."""
        kept: list[Floats] = []

        def keep(_: int, share: Floats) -> Floats:
            kept.append(share)
            return share

        scale_chain(self.points, self.order, keep)
        return kept

    def terms(self, scaled: Floats) -> Floats:
        """The term of every row in every measure, for each class that could be its true class."""
        n, n_classes = scaled.shape
        rows, assigned = np.arange(n), self.order[:, 0]
        squares = np.einsum("ij,ij->i", scaled, scaled)[:, None]
        distance = np.sqrt(np.maximum(squares - 2 * scaled + 1, 0))
        for corner in (assigned, self.truth):  # without the rounding error close to a corner
            distance[rows, corner] = distances_to_corners(scaled, corner)
        closeness = 1 - distance / np.sqrt((n_classes - 1) / n_classes)
        terms = np.empty((len(MEASURES), n, n_classes))
        terms[0] = closeness
        terms[1] = closeness[rows, assigned, None]
        terms[2] = np.arange(n_classes) == assigned[:, None]
        terms[3] = scaled[rows, assigned, None]
        return terms


def estimate_measures(
    rows: PartitionRows, scaled: Floats, steps: Sequence[BetaScaling], values: Sequence[float]
) -> dict[str, PartitionEstimate]:
    """The measures with the influence of every row, also through the scaling."""
    counted = rows.weights > 0
    n, n_classes = int(counted.sum()), rows.points.shape[1]
    total = rows.weights.sum()
    pseudo = float((rows.weights**2).sum() / total**2)  # the weight of one row in n
    labels = np.eye(n_classes)[rows.truth]
    smooth_labels = (1 - pseudo) * labels + pseudo / n_classes
    smooth = _smoothed(rows, steps, smooth_labels)
    slopes, bias = _slopes(rows, smooth, smooth_labels) if steps else (np.zeros(0), np.zeros(4))
    _, plain = _variances(rows, scaled, steps, labels, slopes)
    means, variances = _variances(rows, rows.scale(smooth), smooth, smooth_labels, slopes)
    wrong_corners = 1 - float(np.sqrt(2 * n_classes / (n_classes - 1)))
    estimates = {}
    for k, name in enumerate(MEASURES):
        least = wrong_corners if name in ("accuracy", "separation") else 0.0
        share, spread = (1 - means[k]) / (1 - least), variances[k] / (1 - least) ** 2
        size = _effective_size(share, spread, pseudo)
        error = float(np.sqrt(plain[k] * n / (n - 1))) if n > 1 else float("nan")
        estimates[name] = PartitionEstimate(float(values[k]), error, n, size, float(bias[k]), least)
    return estimates


def _effective_size(share: float, variance: float, pseudo: float) -> float:
    """The number of independent trials with the same variance, with one row in n at either end."""
    mixed = (1 - pseudo) * share + pseudo / 2
    ends = ((1 - mixed) ** 2 + mixed**2) / 2
    moved = (share - mixed) ** 2
    spread = (1 - pseudo) * (variance + pseudo * moved) + pseudo**2 * ends
    return float(mixed * (1 - mixed) / spread)


def _smoothed(
    rows: PartitionRows, steps: Sequence[BetaScaling], labels: Floats
) -> tuple[BetaScaling, ...]:
    """The scaling with the rates of smoothed labels, which are never 0 or 1."""
    trials = _trials(rows.order, labels.shape[1]) if steps else []
    return tuple(
        step.with_rates(_rates(rows, tried, hit, labels, len(step.n))[0])
        for step, (tried, hit) in zip(steps, trials, strict=True)
    )


def _trials(order: Ints, n_classes: int) -> list[tuple[Bools, Bools]]:
    """For every step, whether each class that could be the true one is a trial, and a hit."""
    tried = np.ones((len(order), n_classes), dtype=bool)
    found = []
    for j in range(order.shape[1]):
        hit = np.arange(n_classes) == order[:, j, None]
        found.append((tried, hit))
        tried = tried & ~hit
    return found


def _rates(
    rows: PartitionRows, tried: Bools, hit: Bools, labels: Floats, n_regions: int
) -> tuple[Floats, Floats]:
    """The rate of hits among the trials of every region, and the number of trials."""
    trials, hits = (
        np.bincount(rows.region, rows.weights * (labels * chosen).sum(axis=1), n_regions)
        for chosen in (tried, hit)
    )
    with np.errstate(invalid="ignore"):
        return hits / trials, trials.astype(np.float64, copy=False)


def _slopes(
    rows: PartitionRows, steps: Sequence[BetaScaling], labels: Floats
) -> tuple[Floats, Floats]:
    """Change of the regions' means per change of a parameter, and the bias of the measures.

    The slopes have the shape (step, parameter, measure, region).  The bias is that of fitting and
    measuring with the same rows: a row moves the parameters in its own favour.
    """
    size = steps[0].n
    on = _on_parameters(rows, steps, labels)
    chosen = _some_of_every_region(rows.region, len(size))
    part, labels = rows.take(chosen), labels[chosen]
    region, weights = part.region, part.weights[:, None] * labels
    slopes = np.zeros((len(steps), len(PARAMETERS), len(MEASURES), len(size)))
    bias = np.zeros((len(MEASURES), len(size)))
    for j, step in enumerate(steps):
        for i, parameter in enumerate(PARAMETERS):
            at = getattr(step, parameter)
            extent = at if parameter == "variance" else np.minimum(at, 1 - at)
            change = np.fmax(CHANGE[parameter] * extent, 1e-6)
            ends = [step.with_parameter(parameter, at + sign * change) for sign in (1, -1)]
            more, less = (
                part.terms(part.scale([*steps[:j], end, *steps[j + 1 :]])) for end in ends
            )
            each = np.nan_to_num(more - less) / (2 * change[region])[:, None]
            own = each * part.weights[:, None] * on[j][i][chosen]
            for k in range(len(MEASURES)):
                slopes[j, i, k] = np.bincount(region, (weights * each[k]).sum(axis=1), len(size))
                bias[k] += np.bincount(region, (weights * own[k]).sum(axis=1), len(size))
    with np.errstate(invalid="ignore", divide="ignore"):
        per_row = 1 / np.bincount(region, part.weights, len(size))
        slopes = np.nan_to_num(slopes * per_row, posinf=0, neginf=0)
        return slopes, np.nan_to_num(bias * per_row).sum(axis=1) / rows.weights.sum()


def _some_of_every_region(region: Ints, n_regions: int) -> Ints:
    """All rows, or if there are many an equal number from every large region, at random."""
    if len(region) <= ROWS_SCALED_AGAIN:
        return np.arange(len(region))
    shuffled = np.random.default_rng(0).permutation(len(region))
    by_region = shuffled[np.argsort(region[shuffled], kind="stable")]
    counts = np.bincount(region, minlength=n_regions)
    rank = np.arange(len(region)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.sort(by_region[rank < max(ROWS_SCALED_AGAIN // n_regions, 100)])


def _variances(
    rows: PartitionRows,
    scaled: Floats,
    steps: Sequence[BetaScaling],
    labels: Floats,
    slopes: Floats,
) -> tuple[Floats, Floats]:
    """The means of the measures and their variances, from the influences of all rows."""
    total = rows.weights.sum()
    influence = rows.terms(scaled)
    means = np.einsum("kic,ic,i->k", influence, labels, rows.weights) / total
    influence -= means[:, None, None]
    for slope, on in zip(slopes, _on_parameters(rows, steps, labels), strict=True):
        for of_region, of_row in zip(slope, on, strict=True):
            influence += of_region[:, rows.region, None] * of_row
    squares = np.einsum("kic,kic,ic,i->k", influence, influence, labels, rows.weights**2)
    return means, squares / total**2


def _on_parameters(
    rows: PartitionRows, steps: Sequence[BetaScaling], labels: Floats
) -> list[tuple[Floats, Floats, Floats]]:
    """The influence of a row on mean, variance and p of its region, for each possible label."""
    found = []
    shares = rows.shares() if steps else []
    trials = _trials(rows.order, labels.shape[1]) if steps else []
    for step, share, (tried, hit) in zip(steps, shares, trials, strict=True):
        p, n_trials = _rates(rows, tried, hit, labels, len(step.n))
        away = share - step.mean[rows.region]
        with np.errstate(invalid="ignore", divide="ignore"):
            squares = away**2 * (step.n / (step.n - 1))[rows.region]
            per_trial = (step.n / n_trials)[rows.region, None]
            on = (
                away[:, None],
                (squares - step.variance[rows.region])[:, None],
                per_trial * tried * (hit - p[rows.region, None]),
            )
        mean, variance, rate = (np.nan_to_num(x, posinf=0, neginf=0) for x in on)
        found.append((mean, variance, rate))
    return found
