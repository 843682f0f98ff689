"""The tally of reported probabilities: sums from which all their measures are computed.

Rewards of probabilities are means over rows, so a test set of any length reduces to a few sums per
true class and to the bins of the reliability curve.  The tallies of two chunks, files or machines
add up to the tally of the whole, from which `evaluate_probabilities` computes its results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import nan
from typing import Any, Self

import numpy as np

from wager._tables import (
    Table,
    View,
    counted,
)
from wager._typing import Array, ArrayLike, Floats
from wager._visible import brief
from wager.predictions import TopKProbabilities
from wager.rewards._block_sums import bin_sums, moments_by_class
from wager.rewards._cluster_table import ClusterTable
from wager.rewards._count import require_rows
from wager.rewards._listed_bins import class_bins, cluster_moments
from wager.rewards._listed_block import ListedBlock
from wager.rewards._mean_estimate import MeanEstimate
from wager.rewards._partitions import by_partition
from wager.rewards._priors import check_prior
from wager.rewards._probability_block import ProbabilityBlock
from wager.rewards._probability_rows import ProbabilityRows
from wager.rewards._registry import MEASURES, register
from wager.rewards._reliability_bins import (
    FIRST,
    N_SUMS,
    ReliabilityBins,
    check_bins,
    gap_totals,
)
from wager.rewards._reward_sums import RewardSums, cluster_totals
from wager.rewards._summable import (
    Combine,
    SummableTally,
    check_same_classes,
    in_both,
    plain_data,
    plain_labels,
    plain_numbers,
    scores_of,
)
from wager.rewards.information import Block, ProbabilityReward, check_base, check_clip


def _log_score(block: Block, prior: Floats) -> Floats:
    return block.log_true


LOG_SCORE = register(
    ProbabilityReward(
        "log_loss",
        _log_score,
        takes_blocks=True,
        greater_is_better=False,
        in_bits=False,
        for_comparison=True,
        title="log loss (nats)",
        meaning="Minus the logarithm of the probability of the true class, in nats.",
        formula="mean of -log p of the true class",
        use="For comparison with other libraries; a proper score that punishes certain mistakes "
        "severely.",
        source="common usage",
        range="0 (best) to infinity",
        bounds=lambda prior: (-np.inf, 0.0),
    )
)


def _quadratic_score(block: Block, prior: Floats) -> Floats:
    return 2 * block.true_p - block.sum_of_squares - 1


QUADRATIC_SCORE = register(
    ProbabilityReward(
        "brier",
        _quadratic_score,
        takes_blocks=True,
        greater_is_better=False,
        in_bits=False,
        takes_logarithms=False,
        for_comparison=True,
        title="Brier score",
        meaning="The squared distance of the probabilities from the true class.",
        formula="mean over rows of sum over classes of (p - [class is true])^2",
        use="For comparison; it is bounded, so one mistake cannot dominate. It splits into "
        "reliability minus resolution plus uncertainty.",
        source="Brier (1950), Murphy (1973)",
        range="0 (best) to 2",
        bounds=lambda prior: (-2.0, 0.0),
        aliases=(
            "brier_score",
            "brier_decomposition",
            "brier_reliability",
            "brier_resolution",
            "brier_uncertainty",
        ),
    )
)


def _hit(block: Block, prior: Floats) -> Floats:
    return block.is_right.astype(np.float64)


HIT = register(
    ProbabilityReward(
        "accuracy",
        _hit,
        takes_blocks=True,
        in_bits=False,
        takes_logarithms=False,
        for_comparison=True,
        meaning="The share of rows whose most probable class is the true one.",
        formula="share of rows with argmax p = true class",
        use="For comparison; it does not depend on how large the probabilities are. Its interval "
        "is Wilson's.",
        source="common usage",
        bounds=lambda prior: (0.0, 1.0),
        is_proportion=True,
    )
)


def probability_rewards() -> list[ProbabilityReward]:
    """The registered measures that are means of a reward of each row."""
    return [measure for measure in MEASURES.values() if isinstance(measure, ProbabilityReward)]


@dataclass(frozen=True, eq=False, repr=False)
class ProbabilityTally(SummableTally):
    """Sums of every reward and the bins of the reliability curve; tallies of parts add up.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        The classes, in the order of the probabilities' columns.
    prior : ndarray of shape (n_classes,)
        The prior that the rewards are relative to.
    base : float
        Base of the logarithms.
    clip : float or None
        Probabilities were clipped to [clip, 1 - clip] before taking logarithms.
    sums : dict of str to RewardSums
        By the name of the reward, or of the loss that it is the negative of.
    by_class, top_label : ReliabilityBins
        Reported probability and observed frequency, for each class and for the predicted class.
    clusters : ClusterTable, optional
        The totals of each cluster, if they are kept for parts that divide clusters.

    Notes
    -----
    Sums of rewards depend on the order of the rows in their last digits, so the sum of the tallies
    of parts is rarely ``==`` to the tally of the whole, although their scores agree.

    Examples
    --------
    >>> first = ProbabilityTally.of(["a", "b"], [[0.5, 0.5], [0.25, 0.75]])
    >>> second = ProbabilityTally.of(["b", "a"], [[0.5, 0.5], [1.0, 0.0]])
    >>> whole = first + second
    >>> whole.n_rows, whole.score("accuracy").value
    (4, 0.75)
    >>> (whole - first).n_rows
    2
    """

    classes: Array
    prior: Floats
    base: float
    clip: float | None
    sums: dict[str, RewardSums]
    by_class: ReliabilityBins
    top_label: ReliabilityBins
    clusters: ClusterTable | None = None

    @classmethod
    @by_partition
    def of(
        cls,
        y_true: ArrayLike,
        proba: ArrayLike,
        prior: ArrayLike | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        counts: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        keep_clusters: bool = False,
        classes: ArrayLike | None = None,
        base: float = 2.0,
        clip: float | None = None,
        n_bins: int = 15,
    ) -> ProbabilityTally:
        """The tally of some rows; the arguments are those of `evaluate_probabilities`.

        With ``keep_clusters=True`` the totals of each cluster in `groups` are kept, so that parts
        that divide a cluster add up as well.
        """
        rows = ProbabilityRows.of(y_true, proba, classes, sample_weight, counts, groups)
        settings = (prior, check_base(base), check_clip(clip), check_bins(n_bins))
        if keep_clusters and groups is None:
            raise ValueError("keep_clusters=True needs the cluster of each row: pass groups=")
        return cls.of_rows(rows, *settings, keep_clusters=keep_clusters)

    @classmethod
    def of_rows(
        cls,
        rows: ProbabilityRows,
        prior: ArrayLike | None = None,
        base: float = 2.0,
        clip: float | None = None,
        n_bins: int = 15,
        *,
        keep_clusters: bool = False,
    ) -> ProbabilityTally:
        """The tally of rows that have been checked."""
        before = rows.prior(prior)
        if isinstance(rows.proba, TopKProbabilities) and keep_clusters:
            rows = rows._replace(proba=np.asarray(rows.proba))  # totals by cluster and class
        if isinstance(rows.proba, TopKProbabilities):
            return cls._of_listed(rows, rows.proba, before, base, clip, n_bins)
        if rows.units.is_plain:
            parts = _plain_sums(rows, before, base, clip, n_bins)
            return cls(rows.classes, before, base, clip, *parts)
        sums: dict[str, RewardSums] = {}
        values: dict[str, Floats] = {}
        bins: list[ReliabilityBins] = []
        clustered = rows.units.clusters is not None
        # the totals of clusters need all rows at once
        for block in ProbabilityBlock.split(rows, whole=clustered):
            assert isinstance(block, ProbabilityBlock)
            for reward in probability_rewards():
                found = reward.block_values(block, before, base, clip)
                part = RewardSums.of(found, block.truth, block.units, len(block.columns))
                sums[reward.name] = sums[reward.name] + part if reward.name in sums else part
                if clustered:
                    values[reward.name] = found
            here = [
                ReliabilityBins.by_class(block, n_bins),
                ReliabilityBins.top_label(block, n_bins),
            ]
            bins = [one + two for one, two in zip(bins, here, strict=True)] if bins else here
        by_class, top_label = bins
        if clustered:
            by_class = by_class.of_clusters(_class_gaps(rows, n_bins))
            top_label = top_label.of_clusters([_top_gaps(rows, n_bins)])
        kept = _cluster_table(rows, values, n_bins) if keep_clusters else None
        return cls(rows.classes, before, base, clip, sums, by_class, top_label, kept)

    @classmethod
    def _of_listed(
        cls,
        rows: ProbabilityRows,
        proba: TopKProbabilities,
        prior: Floats,
        base: float,
        clip: float | None,
        n_bins: int,
    ) -> ProbabilityTally:
        """The same for listed probabilities; of many classes, sums are added up once."""
        rewards, n_classes = probability_rewards(), len(rows.classes)
        values = {reward.name: np.empty(len(proba)) for reward in rewards}
        for block in ListedBlock.split(proba, rows.truth):
            for reward in rewards:
                found = reward.block_values(block, prior, base, clip)
                values[reward.name][block.listed.rows] = found
        sums = {
            name: RewardSums.of(values.pop(name), rows.truth, rows.units, n_classes)
            for name in list(values)
        }
        by_class, top_label = class_bins(rows, n_bins), ReliabilityBins.top_label(rows, n_bins)
        if rows.units.clusters is not None:
            moments = cluster_moments(proba, rows.truth, rows.units, n_bins)
            by_class = ReliabilityBins(by_class.sums, moments)
            top_label = top_label.of_clusters([_top_gaps(rows, n_bins)])
        return cls(rows.classes, prior, base, clip, sums, by_class, top_label)

    @property
    def n_rows(self) -> int:
        """Number of rows of positive weight; a row with a count is so many rows."""
        return int(self.sums[HIT.name].rows.sum())

    def _combined(self, other: Self, by: Combine) -> Self:
        found = replace(
            self,
            sums=in_both(self.sums, other.sums, by),
            by_class=by(self.by_class, other.by_class),
            top_label=by(self.top_label, other.top_label),
        )
        if self.clusters is None or other.clusters is None:
            return found
        return found._of_clusters(by(self.clusters, other.clusters))

    def _check_alike(self, other: Self, verb: str) -> None:
        check_same_classes(self.classes, other.classes, verb)
        settings = (self.base, self.clip) == (other.base, other.clip)
        if not (settings and np.array_equal(self.prior, other.prior)):
            raise ValueError(
                f"cannot {verb} tallies with different prior, base or clip: use the same for both "
                "parts"
            )
        if (self.clusters is None) != (other.clusters is None):
            raise ValueError(
                f"cannot {verb} a tally that keeps its clusters and one that does not: use groups= "
                "and keep_clusters=True for both parts"
            )

    def _of_clusters(self, table: ClusterTable) -> Self:
        """The same sums with the second moments of the clusters in a table."""
        totals = {name: np.moveaxis(part, 1, 0) for name, part in table.totals.items()}
        top_label = self.top_label.of_clusters([totals["top_label"]])
        by_class = self.by_class.of_clusters(np.moveaxis(totals["by_class"], 2, 0))
        sums = {name: one.of_clusters(totals[name]) for name, one in self.sums.items()}
        return replace(self, sums=sums, by_class=by_class, top_label=top_label, clusters=table)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ProbabilityTally):
            return NotImplemented
        return (
            np.array_equal(self.classes, other.classes)
            and np.array_equal(self.prior, other.prior)
            and (self.base, self.clip, self.sums) == (other.base, other.clip, other.sums)
            and (self.by_class, self.top_label) == (other.by_class, other.top_label)
            and self.clusters == other.clusters
        )

    __hash__ = None  # type: ignore[assignment]

    def _view(self) -> View:
        headers = ["measure", "value", "std. error", "95% from", "to"]
        rows = [
            [MEASURES[name].title, e.value, e.standard_error, *e.interval()]
            for name, e in (self.scores() if self.n_rows else {}).items()
        ]
        title = f"{counted(self.n_rows, 'prediction')} over {counted(len(self.classes), 'class')}"
        return View(title, [Table(headers, rows)])

    def score(self, name: str) -> MeanEstimate:
        """One measure of the probabilities with its standard error and interval.

        Parameters
        ----------
        name : str
            Such as "information_reward", "log_loss" or "top_label_calibration_error".
        """
        measure = MEASURES.get(name)
        if name in self.sums or measure is None or measure.of_tally is None:
            found = self.scores()
        else:
            self._require_rows()
            found = {name: MeanEstimate(measure(self), nan, float(self.n_rows))}
        if name not in found:
            bins = [n for n, m in MEASURES.items() if m.kind == "probabilities" and m.of_tally]
            known = ", ".join([*found, *bins])
            raise ValueError(
                f"there is no measure {brief(name)} of probabilities: choose from {known}"
            )
        return found[name]

    def scores(self) -> dict[str, MeanEstimate]:
        """Every measure that is a mean over rows, with its standard error and interval."""
        self._require_rows()
        found: dict[str, MeanEstimate] = scores_of(self)
        return found

    def _require_rows(self) -> None:
        require_rows(self.n_rows)

    def to_dict(self) -> dict[str, Any]:
        """The tally as plain data.

        Examples
        --------
        >>> tally = ProbabilityTally.of(["a", "b"], [[0.5, 0.5], [0.25, 0.75]])
        >>> ProbabilityTally.from_json(tally.to_json()) == tally
        True
        """
        data = {
            "classes": self.classes.tolist(),
            "prior": self.prior.tolist(),
            "base": self.base,
            "clip": self.clip,
            "sums": {name: sums.to_list() for name, sums in self.sums.items()},
        }
        for name, bins in (("by_class", self.by_class), ("top_label", self.top_label)):
            data[name] = _stored(_short(bins))
            if bins.clusters is not None:
                data[f"{name}_clusters"] = bins.clusters.tolist()
        return data if self.clusters is None else data | {"clusters": self.clusters.to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The tally that `to_dict` wrote."""
        with plain_data(cls, data, _KEYS, _OPTIONAL):
            classes = plain_labels(data["classes"])
            K = len(classes)
            prior = check_prior(plain_numbers(data["prior"], "prior", (K,)), K)
            base = check_base(plain_numbers(data["base"], "base", ()).item())
            clip = check_clip(data["clip"])
            sums = {name: RewardSums.from_list(one, K) for name, one in data["sums"].items()}
            if HIT.name not in sums:
                raise ValueError(f"sums has no {HIT.name!r}")
            plain = all(_of_plain_rows(one) for one in sums.values())
            by_class, top_label = (
                _read_bins(data[name], data.get(f"{name}_clusters"), plain, events)
                for name, events in (("by_class", K), ("top_label", 1))
            )
            kept = ClusterTable.from_dict(data["clusters"]) if "clusters" in data else None
            return cls(classes, prior, base, clip, sums, by_class, top_label, kept)


_MANY_SUMS = 1 << 20  # of bins: most bins of so many classes are empty
_MOST_IN_A_BIN = 1e250  # 2**63 squared weights of the largest size have less
_MOST_BINS = 10_000  # that the shape of empty bins may state
_KEYS = ("classes", "prior", "base", "clip", "sums", "by_class", "top_label")
_OPTIONAL = ("by_class_clusters", "top_label_clusters", "clusters")


def _plain_sums(
    rows: ProbabilityRows,
    prior: Floats,
    base: float,
    clip: float | None,
    n_bins: int,
) -> tuple[dict[str, RewardSums], ReliabilityBins, ReliabilityBins]:
    """The sums of rewards and the bins of rows of weight 1, added up as plain arrays."""
    rewards, K = probability_rewards(), len(prior)
    moments, infinite = np.zeros((len(rewards), 4, K)), np.zeros((len(rewards), K), dtype=np.int64)
    by_class, top_label = np.zeros((K, n_bins, FIRST)), np.zeros((1, n_bins, FIRST))
    for block in ProbabilityBlock.split(rows):
        assert isinstance(block, ProbabilityBlock)
        for i, reward in enumerate(rewards):
            found = reward.block_values(block, prior, base, clip)
            part, lost = moments_by_class(found, block.truth, K)
            moments[i] += part
            infinite[i] += lost
        by_class += bin_sums(block.columns, block.truth, n_bins)
        right = block.is_right.astype(np.intp) - 1  # 0 where the event happened
        top_label += bin_sums(block.largest[None], right, n_bins)
    sums = {
        reward.name: RewardSums.of_moments(moments[i], infinite[i])
        for i, reward in enumerate(rewards)
    }
    of_plain_rows = ReliabilityBins.of_plain_rows
    return sums, of_plain_rows(by_class), of_plain_rows(top_label)


def _class_gaps(rows: ProbabilityRows, n_bins: int) -> Iterator[Floats]:
    assert isinstance(rows.proba, np.ndarray)
    for code in range(rows.proba.shape[1]):
        yield gap_totals(rows.proba[:, code], rows.truth == code, rows, n_bins)


def _top_gaps(rows: ProbabilityRows, n_bins: int) -> Floats:
    blocks = [(block.largest, block.is_right) for block in ProbabilityBlock.split(rows, whole=True)]
    largest, is_right = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return gap_totals(largest, is_right, rows, n_bins)


def _cluster_table(rows: ProbabilityRows, values: dict[str, Floats], n_bins: int) -> ClusterTable:
    """The totals of each cluster: the first axis is that of the clusters."""
    n_classes = len(rows.classes)
    totals = {
        name: cluster_totals(rewards, rows.truth, rows.units, n_classes)
        for name, rewards in values.items()
    }
    totals["by_class"] = np.stack(list(_class_gaps(rows, n_bins)), axis=2)
    totals["top_label"] = _top_gaps(rows, n_bins)
    labels = rows.units.labels
    assert labels is not None
    return ClusterTable(labels, {name: np.moveaxis(part, 0, 1) for name, part in totals.items()})


def _short(bins: ReliabilityBins) -> Floats:
    """The sums of bins, without those that follow from the others or are not known."""
    if bins.clusters is not None:
        return bins.sums
    follow = np.array_equal(ReliabilityBins.of_plain_rows(bins.sums).sums, bins.sums)
    lost = bool(np.isnan(bins.sums[..., FIRST:]).all())
    return bins.sums[..., :FIRST] if follow or lost else bins.sums


def _stored(sums: Floats) -> Any:
    """The sums of bins as plain data; of very many classes only those of bins with rows."""
    if sums.size < _MANY_SUMS:
        return sums.tolist()
    event, place = np.nonzero(sums[..., 0])
    return {"shape": list(sums.shape), "event": event.tolist(), "bin": place.tolist(),
            "sums": sums[event, place].tolist()}  # fmt: skip


def _table(stored: Any, events: int) -> Any:
    """The sums of all bins that `_stored` wrote."""
    if not isinstance(stored, Mapping):
        return stored
    shape = plain_numbers(stored["shape"], "shape", (3,)).astype(int).tolist()
    if shape[0] != events or shape[1] > _MOST_BINS or shape[2] not in (FIRST, N_SUMS):
        raise ValueError(f"bins must have the shape ({events}, bins, {N_SUMS}), got {shape}")
    event, place = (plain_numbers(stored[name], name).astype(int) for name in ("event", "bin"))
    table = np.zeros(shape)
    table[event, place] = plain_numbers(stored["sums"], "sums", signed=True)
    return table


def _read_bins(sums: Any, clusters: Any, plain: bool, events: int) -> ReliabilityBins:
    table = plain_numbers(_table(sums, events), "bins", signed=True).astype(np.float64)
    if table.size and np.abs(table).max() > _MOST_IN_A_BIN:
        raise ValueError(f"bins must be numbers up to {_MOST_IN_A_BIN:g}")
    if table.ndim != 3 or len(table) != events or table.shape[2] not in (FIRST, N_SUMS):
        raise ValueError(f"bins must have the shape ({events}, bins, {N_SUMS}), got {table.shape}")
    if plain and clusters is None and table.shape[-1] == FIRST:
        return ReliabilityBins.of_plain_rows(table)
    shape = (events, table.shape[1], table.shape[1] + 1)
    kept = None if clusters is None else plain_numbers(clusters, "clusters", shape, signed=True)
    return ReliabilityBins(table, None if kept is None else kept.astype(np.float64))


def _of_plain_rows(sums: RewardSums) -> bool:
    """Whether every row has weight 1: then weights and squared weights add up to the rows."""
    finite = sums.rows - sums.infinite
    return np.array_equal(sums.sums[0], finite) and np.array_equal(sums.sums[2], finite)
