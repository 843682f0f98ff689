"""How much the measures of a partition vary from one test set to another.

A row of the test set has two effects on a measure: its own distance is one term of the mean, and it
moves the moments and the rate of its region, and so the scaled memberships of all rows of that
region.  The influence of a row is the sum of both (the infinitesimal jackknife, Efron 1982):

    own term - mean + sum over the region's parameters of
        (change of the region's mean per change of the parameter) * (influence on the parameter)

The changes of the means come from scaling again with slightly larger and smaller parameters, by the
same code that `standardize` uses.  The variance of a measure is the sum of the squared influences;
those of rows of the same cluster are added before they are squared.

Without errors in a test set the influences are 0, but another test set may contain errors.  The
interval therefore uses the variance of a smoothed sample, in which one row in n (or one cluster in
n) could have any label and one row in n could be at either end of the range.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from wager._typing import Bools, Floats, Ints
from wager.partitions._beta_scaling import BetaScaling
from wager.partitions._estimate import PartitionEstimate
from wager.partitions._independent_units import (
    IndependentUnits,
    own_influence,
    products_of_units,
    some_of_every_region,
)
from wager.partitions._measures import PartitionMeasures, distances_to_corners
from wager.partitions._rows import PartitionRows

MEASURES = ("accuracy", "separation", "correctness", "confidence")
PARAMETERS = ("mean", "variance", "p")
CHANGE = {"mean": 1e-3, "variance": 1e-3, "p": 1e-2}  # relative changes of the parameters
ROWS_SCALED_AGAIN = 10_000  # enough to know the slopes of the regions' means to about 1%


def estimate_measures(
    rows: PartitionRows, steps: Sequence[BetaScaling], measures: PartitionMeasures
) -> dict[str, PartitionEstimate]:
    """The measures with the influence of every row, also through the scaling.

    Parameters
    ----------
    rows : PartitionRows
        The rows, in memory or on disk.
    steps : sequence of BetaScaling
        The fitted scaling; none for the measures of the memberships before scaling.
    measures : PartitionMeasures
        The measures of these rows with this scaling.
    """
    units = IndependentUnits.of(rows)
    values = np.array([getattr(measures, name) for name in MEASURES])
    observed = _Sample.of(rows, 0.0, steps)
    smooth = _Sample.of(rows, units.share, steps).with_its_rates()
    slopes, bias = _slopes(smooth, units.total) if steps else (np.zeros(0), np.zeros(4))
    _, plain = _variances(observed, units, slopes, values)
    means, variances = _variances(smooth, units, slopes, values)
    n_classes = rows.n_classes
    wrong_corners = 1 - float(np.sqrt(2 * n_classes / (n_classes - 1)))
    estimates, n = {}, units.n
    for k, name in enumerate(MEASURES):
        least = wrong_corners if name in ("accuracy", "separation") else 0.0
        share, spread = (1 - means[k]) / (1 - least), variances[k] / (1 - least) ** 2
        size = _effective_size(share, spread, units.share)
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


@dataclass(frozen=True, eq=False)
class _Sample:
    """The rows with labels that are known, or that may be any class with a small probability.

    Parameters
    ----------
    rows : PartitionRows
        The rows.
    pseudo : float
        The probability that a label may be any class.
    steps : tuple of BetaScaling
        The scaling.
    trials, rates : ndarray of shape (n_steps, n_regions)
        For every step, the weight of the rows that belong to none of the classes before it, and the
        share of those that belong to its class.
    """

    rows: PartitionRows
    pseudo: float
    steps: tuple[BetaScaling, ...]
    trials: Floats
    rates: Floats

    @classmethod
    def of(cls, rows: PartitionRows, pseudo: float, steps: Sequence[BetaScaling]) -> _Sample:
        """Count the trials and the hits of every region."""
        n_regions = len(steps[0].n) if steps else 0
        trials, hits = np.zeros((2, len(steps), n_regions))
        for block in rows.blocks() if steps else ():
            labels = _labels(block, pseudo)
            for j, chosen in enumerate(_trials(block.order, block.n_classes)):
                for total, which in zip((trials, hits), chosen, strict=True):
                    term = block.weights * (labels * which).sum(axis=1)
                    total[j] += np.bincount(block.region, term, n_regions)
        with np.errstate(invalid="ignore"):
            return cls(rows, pseudo, tuple(steps), trials, hits / trials)

    def with_its_rates(self) -> _Sample:
        """The same with the rates of its labels in the scaling, which are never 0 or 1."""
        pairs = zip(self.steps, self.rates, strict=True)
        return replace(self, steps=tuple(step.with_rates(rates) for step, rates in pairs))

    def labels(self, block: PartitionRows) -> Floats:
        """The probability of every class that could be the true one, for some rows."""
        return _labels(block, self.pseudo)

    def on_parameters(self, block: PartitionRows) -> list[tuple[Floats, Floats, Floats]]:
        """The influence of a row on mean, variance and p of its region, for each possible label."""
        found = []
        region = block.region
        shares = block.shares() if self.steps else []
        trials = _trials(block.order, block.n_classes) if self.steps else []
        for j, (step, share, (tried, hit)) in enumerate(
            zip(self.steps, shares, trials, strict=True)
        ):
            away = share - step.mean[region]
            with np.errstate(invalid="ignore", divide="ignore"):
                squares = away**2 * (step.n / (step.n - 1))[region]
                per_trial = (self.trials[0] / self.trials[j])[region, None]
                on = (
                    away[:, None],
                    (squares - step.variance[region])[:, None],
                    per_trial * tried * (hit - self.rates[j][region, None]),
                )
            mean, variance, rate = (np.nan_to_num(x, posinf=0, neginf=0) for x in on)
            found.append((mean, variance, rate))
        return found


def _labels(block: PartitionRows, pseudo: float) -> Floats:
    known = np.eye(block.n_classes)[block.truth]
    return (1 - pseudo) * known + pseudo / block.n_classes


def _terms(block: PartitionRows, scaled: Floats) -> Floats:
    """The term of every row in every measure, for each class that could be its true class."""
    n, n_classes = scaled.shape
    rows, assigned = np.arange(n), block.order[:, 0]
    squares = np.einsum("ij,ij->i", scaled, scaled)[:, None]
    distance = np.sqrt(np.maximum(squares - 2 * scaled + 1, 0))
    for corner in (assigned, block.truth):  # without the rounding error close to a corner
        distance[rows, corner] = distances_to_corners(scaled, corner)
    closeness = 1 - distance / np.sqrt((n_classes - 1) / n_classes)
    terms = np.empty((len(MEASURES), n, n_classes))
    terms[0] = closeness
    terms[1] = closeness[rows, assigned, None]
    terms[2] = np.arange(n_classes) == assigned[:, None]
    terms[3] = scaled[rows, assigned, None]
    return terms


def _trials(order: Ints, n_classes: int) -> list[tuple[Bools, Bools]]:
    """For every step, whether each class that could be the true one is a trial, and a hit."""
    tried = np.ones((len(order), n_classes), dtype=bool)
    found = []
    for j in range(order.shape[1]):
        hit = np.arange(n_classes) == order[:, j, None]
        found.append((tried, hit))
        tried = tried & ~hit
    return found


def _slopes(sample: _Sample, total: float) -> tuple[Floats, Floats]:
    """Change of the regions' means per change of a parameter, and the bias of the measures.

    The slopes have the shape (step, parameter, measure, region).  The bias is that of fitting and
    measuring with the same rows: a row moves the parameters in its own favour.
    """
    steps, n_regions = sample.steps, len(sample.steps[0].n)
    part = some_of_every_region(sample.rows, n_regions, ROWS_SCALED_AGAIN)
    region, labels = part.region, sample.labels(part)
    on, weights = sample.on_parameters(part), part.weights[:, None] * labels
    slopes = np.zeros((len(steps), len(PARAMETERS), len(MEASURES), n_regions))
    bias = np.zeros((len(MEASURES), n_regions))
    for j, step in enumerate(steps):
        for i, parameter in enumerate(PARAMETERS):
            at = getattr(step, parameter)
            extent = at if parameter == "variance" else np.minimum(at, 1 - at)
            change = np.fmax(CHANGE[parameter] * extent, 1e-6)
            ends = [step.with_parameter(parameter, at + sign * change) for sign in (1, -1)]
            more, less = (
                _terms(part, part.scale([*steps[:j], end, *steps[j + 1 :]])) for end in ends
            )
            each = np.nan_to_num(more - less) / (2 * change[region])[:, None]
            own = each * own_influence(part, on[j][i], labels)
            for k in range(len(MEASURES)):
                slopes[j, i, k] = np.bincount(region, (weights * each[k]).sum(axis=1), n_regions)
                bias[k] += np.bincount(region, (weights * own[k]).sum(axis=1), n_regions)
    with np.errstate(invalid="ignore", divide="ignore"):
        per_row = 1 / np.bincount(region, part.weights, n_regions)
        slopes = np.nan_to_num(slopes * per_row, posinf=0, neginf=0)
        return slopes, np.nan_to_num(bias * per_row).sum(axis=1) / total


def _variances(
    sample: _Sample, units: IndependentUnits, slopes: Floats, near: Floats
) -> tuple[Floats, Floats]:
    """The means of the measures and their variances, from the influences of all rows.

    The influences are added up relative to values near the means, which are known only afterwards.
    """
    gap, products = np.zeros(len(MEASURES)), np.zeros((2, len(MEASURES)))
    for block in sample.rows.cluster_blocks():
        labels = sample.labels(block)
        influence = _terms(block, block.scale(sample.steps)) - near[:, None, None]
        gap += np.einsum("kic,ic,i->k", influence, labels, block.weights)
        for slope, on in zip(slopes, sample.on_parameters(block), strict=True):
            for of_region, of_row in zip(slope, on, strict=True):
                influence += of_region[:, block.region, None] * of_row
        products += products_of_units(block, influence, labels, sample.pseudo)
    gap /= units.total
    squares = products[0] - 2 * gap * products[1] + gap**2 * units.squares
    return near + gap, np.maximum(squares, 0) / units.total**2
