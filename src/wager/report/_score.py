"""Scores of a prediction file: every measure that applies to its kind of predictions.

Labels and sets are counted by the engine that reads the file, probabilities and intervals are read
in chunks, and memberships through temporary files, because their scaling needs all of them.  If a
file has no sets, the sets that follow from its predictions are scored as well: the most probable
class, or the maximal classes.  The result is a list of scores with file, group and class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import isnan, nan
from typing import Any

import numpy as np

from wager._typing import Array, Floats
from wager.costs import CostEvaluation, CostMatrix, ExtendedCosts
from wager.predictions import FileCounts, PredictionFile, Predictions, PredictionSets
from wager.report._costs import COST, cost_rows, price_file
from wager.report._memberships import (
    MembershipChoice,
    Memberships,
    ScoredMemberships,
    stored_memberships,
)
from wager.report._score_words import cluster_words, prior_words, probability_words, set_words
from wager.rewards import (
    ProbabilityEvaluation,
    ProbabilityTally,
    SetEvaluation,
    Tally,
    Utility,
    class_estimates,
    class_tallies_of_file,
    file_sums,
)

Progress = Callable[[float], None]
ALL = ""  # the group, or the class, of a score of all rows
_PARTITION = {"accuracy": "partition_accuracy", "correctness": "correctness_rate"}

# family, class, measure, value, standard error, and the estimate if it has an interval
Row = tuple[str, str, str, float, float, Any]
Part = tuple[str, Any]  # a group and its tally


@dataclass(frozen=True)
class Score:
    """One measure of a file, of a group of its rows or of a true class, with standard error."""

    file: str
    family: str
    group: str
    of_class: str
    measure: str
    value: float
    standard_error: float
    estimate: Any = field(default=None, repr=False, compare=False)
    unit: str | None = None

    def interval(self, level: float) -> tuple[float, float] | None:
        """The confidence interval of the measure; None if it has none."""
        if self.estimate is None:
            return None
        low, high = self.estimate.interval(level)
        return None if isnan(low) or isnan(high) else (low, high)


@dataclass(frozen=True)
class FileScores:
    """The scores of one file, and sentences that summarise them.

    `clusters` is the number of clusters of dependent rows; None if rows are independent.
    `memberships` says how memberships were made; None if the file has none.
    `costs` is the evaluation of the costs of all rows, if costs were given.
    `prior` is the prior of information rewards by class; None if the file has no probabilities.
    `oddities` says what is odd about the rows of the file.
    """

    file: str
    scores: tuple[Score, ...]
    sentences: tuple[str, ...]
    clusters: int | None = None
    memberships: Memberships | None = None
    costs: CostEvaluation | None = None
    prior: dict[str, float] | None = None
    oddities: tuple[str, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What may make the scores misleading."""
        found = None if self.memberships is None else self.memberships.warning()
        return self.oddities if found is None else (*self.oddities, found)


def score_file(
    file: PredictionFile,
    name: str,
    utilities: Sequence[Utility],
    *,
    by_class: bool = False,
    by_group: bool = False,
    prior: Any = None,
    rule: Any = "maximality",
    memberships: MembershipChoice | None = None,
    costs: CostMatrix | ExtendedCosts | None = None,
    empty_cost: float | None = None,
    progress: Progress | None = None,
) -> FileScores:
    """Score a file by every measure that applies to its kind of predictions.

    Parameters
    ----------
    file : PredictionFile
        A file opened by ``scan_predictions``.
    name : str
        The name of the file in the scores.
    utilities : sequence of Utility
        The utilities of sets.
    by_class, by_group : bool
        Whether to score each true class, and each group of rows, as well.
    prior : array-like, optional
        The prior of information rewards; uniform by default.
    rule : str, default="maximality"
        The rule of `wager.credal.decide` that turns probability intervals into sets.
    memberships : MembershipChoice, optional
        How the numbers of ``m:`` columns become memberships.
    costs : CostMatrix or ExtendedCosts, optional
        The costs of predictions, whose classes are matched by name.
    empty_cost : float, optional
        The cost of an empty set.
    progress : callable, optional
        Called with the share of the file that is done.
    """
    if by_group and file.layout.group is None:
        raise ValueError(f"{file.path}: there is no column group: choose a column with --by")
    if file.holds_sets:
        parts = _by_group(file.count(by_group, progress), by_group)
    elif file.kind == "proba":
        parts = _probabilities(file, by_group, prior, progress)
    elif file.kind == "intervals":
        parts = _intervals(file, by_group, rule, progress)
    else:
        parts = _memberships(file, by_group, memberships or MembershipChoice(), progress)
    scores: list[Score] = []
    sentences: list[str] = []
    clusters: int | None = None
    used: Memberships | None = None
    used_prior: dict[str, float] | None = None
    odd: tuple[str, ...] = file.omissions
    for group, tallied in parts:
        rows, words = _read(tallied, utilities, by_class)
        scores += [Score(name, row[0], group, *row[1:]) for row in rows]
        # one summary per file: of the predictions in it, not of sets that follow from them
        if group == ALL and words and not sentences:
            sentences.append(words)
        if group == ALL and isinstance(tallied, FileCounts):
            clusters = tallied.n_clusters
            odd += tallied.warnings
        if group == ALL and isinstance(tallied, ScoredMemberships):
            used = tallied.used
        if group == ALL and isinstance(tallied, ProbabilityEvaluation):
            used_prior = dict(zip(map(str, tallied.classes), tallied.prior.tolist(), strict=True))
            sentences.append(prior_words(used_prior, given=prior is not None))
    if clusters is not None:
        sentences.append(cluster_words(clusters))
    if used is not None:
        sentences += [words for words in (used.words(), used.warning()) if words]
    if costs is None:
        return FileScores(
            name, tuple(scores), tuple(sentences), clusters, used, prior=used_prior, oddities=odd
        )
    priced = price_file(file, costs, by_group=by_group, rule=rule, empty_cost=empty_cost)
    scores += [
        Score(name, "costs", group, of_class, COST, e.value, e.standard_error, e, evaluation.unit)
        for group, evaluation in priced.by_group.items()
        for of_class, e in cost_rows(evaluation, by_class)
    ]
    sentences += priced.sentences
    whole = priced.by_group[ALL]
    return FileScores(name, tuple(scores), tuple(sentences), clusters, used, whole, used_prior, odd)


# -- from rows to tallies -------------------------------------------------------------------------


def _by_group(counts: FileCounts, by_group: bool) -> Iterator[Part]:
    yield ALL, counts
    for name in counts.groups if by_group else ():
        group = counts.of_group(name)
        if group.weight.any():
            yield _group_name(name), group


def _probabilities(
    file: PredictionFile, by_group: bool, prior: Any, progress: Progress | None
) -> Iterator[Part]:
    tallies: dict[str, ProbabilityTally] = {}
    named: list[FileCounts] = []
    for chunk in file.chunks(progress=progress, whole_clusters=True):
        assert chunk.proba is not None
        named.append(FileCounts.of(chunk, _most(chunk.proba, chunk), by_group))
        for group, rows in _rows_by_group(chunk, by_group):
            part = ProbabilityTally.of(
                chunk.y_true[rows],
                chunk.proba[rows],
                prior,
                sample_weight=_some(chunk.weight, rows),
                counts=_some(chunk.count, rows),
                groups=_some(chunk.cluster, rows),
                classes=chunk.classes,
            )
            tallies[group] = tallies[group] + part if group in tallies else part
    counts = _sum(named, file)
    for group in sorted(tallies):  # all rows come first
        yield group, ProbabilityEvaluation(tallies[group])
    yield from _by_group(counts, by_group)


def _intervals(
    file: PredictionFile, by_group: bool, rule: Any, progress: Progress | None
) -> Iterator[Part]:
    from wager.credal import decide

    parts = []
    for chunk in file.chunks(progress=progress, whole_clusters=True):
        assert chunk.intervals is not None
        parts.append(FileCounts.of(chunk, decide(chunk.intervals, rule), by_group))
    yield from _by_group(_sum(parts, file), by_group)


def _memberships(
    file: PredictionFile, by_group: bool, choice: MembershipChoice, progress: Progress | None
) -> Iterator[Part]:
    named: list[FileCounts] = []

    def rows_by_group(chunk: Predictions) -> dict[str, Any]:
        assert chunk.memberships is not None
        named.append(FileCounts.of(chunk, _most(chunk.memberships, chunk), by_group))
        return dict(_rows_by_group(chunk, by_group))

    with stored_memberships(file, choice, rows_by_group, progress) as parts:
        counts = _sum(named, file)
        yield from parts
    yield from _by_group(counts, by_group)


def _some(column: Array | None, rows: Array) -> Array | None:
    return None if column is None else column[rows]


def _most(values: Floats, rows: Predictions) -> PredictionSets:
    """The class with the largest value, the first of equal ones, as a set."""
    best = values.argmax(axis=1)
    return PredictionSets.from_indicator(
        best[:, None] == np.arange(len(rows.classes)), rows.classes
    )


def _sum(parts: list[FileCounts], file: PredictionFile) -> FileCounts:
    total = FileCounts.total(parts)
    if not total.weight.any():
        raise file.layout.no_rows_count(file.path)
    return total


def _rows_by_group(rows: Predictions, by_group: bool) -> Iterator[tuple[str, Any]]:
    """All rows, and the rows of each group if wanted; groups of weight 0 are left out."""
    masks: dict[str, Any] = {ALL: np.ones(len(rows), dtype=bool)}
    if by_group and rows.group is not None:
        names = np.array([_group_name(group) for group in rows.group], dtype=object)
        masks |= {name: names == name for name in sorted(set(names))}
    totals = rows.totals
    for name, mask in masks.items():
        if totals is None or totals[mask].any():
            yield name, mask


def _group_name(group: Any) -> str:
    return "(no group)" if group is None else str(group)


# -- from tallies to numbers ----------------------------------------------------------------------


def _read(
    tallied: Any, utilities: Sequence[Utility], by_class: bool
) -> tuple[Iterator[Row], str | None]:
    """The measures of a tally, and a summary in words."""
    if isinstance(tallied, FileCounts):
        evaluation = _evaluation(tallied, utilities)
        return _set_rows(tallied, evaluation, by_class), set_words(evaluation)
    if isinstance(tallied, ProbabilityEvaluation):
        return _probability_rows(tallied, by_class), probability_words(tallied)
    return _partition_rows(tallied.partition), None


def _evaluation(counts: FileCounts, utilities: Sequence[Utility]) -> SetEvaluation:
    found = file_sums(counts)
    tally = Tally.of_sums(len(counts.classes), found.by_size)
    by_class = partial(class_tallies_of_file, counts)
    return SetEvaluation(
        tally, counts.classes, found.by_class, tuple(utilities), by_class, n_rows=counts.n_rows
    )


def _set_rows(counts: FileCounts, evaluation: SetEvaluation, by_class: bool) -> Iterator[Row]:
    yield from _rows_of(evaluation, ALL)
    if not by_class:
        return
    rows = np.bincount(counts.truth, counts.rows, len(counts.classes)).astype(int).tolist()
    for n, (label, tally) in zip(rows, evaluation.class_tallies.items(), strict=True):
        if tally.n:
            yield "sets", str(label), "rows", n, nan, None
            for name, estimate in class_estimates(tally, evaluation.utilities).items():
                yield "sets", str(label), name, estimate.value, estimate.standard_error, estimate


def _rows_of(evaluation: SetEvaluation, of_class: str) -> Iterator[Row]:
    yield "sets", of_class, "rows", evaluation.rows, nan, None
    if evaluation.total_weight is not None:
        yield "sets", of_class, "total_weight", evaluation.total_weight, nan, None
    for name, value in evaluation.values.items():
        estimate = evaluation.estimates.get(name)
        error = nan if estimate is None else estimate.standard_error
        yield "sets", of_class, name, value, error, estimate


def _probability_rows(evaluation: ProbabilityEvaluation, by_class: bool) -> Iterator[Row]:
    found, family = evaluation.to_dict(), "probabilities"
    yield family, ALL, "rows", found["rows"], nan, None
    for name, entry in found.items():
        if isinstance(entry, dict) and "mean" in entry:
            estimate = evaluation.estimates[name]
            yield family, ALL, name, entry["mean"], entry["standard_error"], estimate
            if entry["infinite_rows"]:
                yield family, ALL, f"{name}: infinite rows", entry["infinite_rows"], nan, None
            if by_class:
                for label, value in entry["by_class"].items():
                    part = evaluation.estimates_by_class[name][label]
                    yield family, str(label), name, value, nan, part
        elif isinstance(entry, float) and name not in ("base", "clip"):
            yield family, ALL, name, entry, nan, None


def _partition_rows(partition: Any) -> Iterator[Row]:
    found, family = partition.to_dict(), "memberships"
    yield family, ALL, "rows", found["rows"], nan, None
    for name, value in found.items():
        if isinstance(value, float) and not name.endswith("_standard_error"):
            error = found[f"{name}_standard_error"]
            estimate = partition.estimates.get(name)
            yield family, ALL, _PARTITION.get(name, name), value, error, estimate
