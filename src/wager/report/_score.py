"""Scores of a prediction file: every measure that applies to its kind of predictions.

Labels and sets are counted by the engine that reads the file, probabilities and intervals are read
in chunks, and memberships through temporary files, because their scaling needs all of them.  If a
file has no sets, the sets that follow from its predictions are scored as well: the most probable
class, or the maximal classes.  The result is a list of scores with file, group and class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import isnan, nan
from typing import Any

import numpy as np

from wager._dask import DaskEngine
from wager._tables import ComparedFields, Table, View, Viewed, ViewedFields, require_kind
from wager.costs import CostEvaluation, CostMatrix, ExtendedCosts
from wager.predictions import FileCounts, PredictionFile, Predictions, first_largest
from wager.report._costs import COST, cost_rows, price_file, tally_costs_of_parts
from wager.report._memberships import (
    MembershipChoice,
    Memberships,
    ScoredMemberships,
    stored_memberships,
)
from wager.report._row_tallies import (
    ALL,
    RowTallies,
    TallySettings,
    group_name,
    rows_by_group,
    tally_parts,
    tally_rows,
)
from wager.report._score_words import cluster_words, prior_words, probability_words, set_words
from wager.rewards import (
    MEASURES,
    ProbabilityEvaluation,
    SetEvaluation,
    Tally,
    Utility,
    class_estimates,
    class_tallies_of_file,
    file_sums,
)

Progress = Callable[[float], None]
_MOST_GROUPS = 1000  # whose classes are scored one by one
_MOST_CLASSES = 20_000  # that are scored one by one, over all groups: each takes about 80 kB
_PARTITION = {"accuracy": "partition_accuracy", "correctness": "correctness_rate"}

# family, class, measure, value, standard error, and the estimate if it has an interval
Row = tuple[str, str, str, float, float, Any]
Part = tuple[str, Any]  # a group and its tally


@dataclass(frozen=True, eq=False, repr=False)
class Score(ComparedFields, ViewedFields):
    """One measure of a file, of a group of its rows or of a true class, with standard error.

    Attributes
    ----------
    file : str
        The name of the file.
    family : str
        The kind of measure, such as "sets".
    group, of_class : str
        The group of rows and the true class, if the score is of a part of the file.
    measure : str
        The name of the measure.
    value, standard_error : float
        Its value and standard error.
    estimate : Estimate or MeanEstimate
        The estimate that gives intervals, if there is one.
    unit : str or None
        The unit of costs, such as "EUR".
    """

    file: str
    family: str
    group: str
    of_class: str
    measure: str
    value: float
    standard_error: float
    estimate: Any = field(default=None, repr=False, compare=False)
    unit: str | None = None

    @property
    def is_rare(self) -> bool:
        """Whether tables leave the measure out, unless all measures are asked for."""
        record = MEASURES.get(self.measure.partition(":")[0])
        if record is None:  # a utility, or a part of the Brier score
            return self.measure.startswith("brier_")
        return record.is_rare

    def interval(self, level: float = 0.95) -> tuple[float, float] | None:
        """The confidence interval of the measure; None if it has none."""
        if self.estimate is None:
            return None
        low, high = self.estimate.interval(level)
        return None if isnan(low) or isnan(high) else (low, high)


@dataclass(frozen=True, repr=False)
class FileScores(Viewed):
    """The scores of one file, and sentences that summarise them.

    Attributes
    ----------
    file : str
        The name of the file.
    scores : tuple of Score
        The scores.
    sentences : tuple of str
        The summary.
    clusters : int or None
        The number of clusters of dependent rows; None if rows are independent.
    memberships : Memberships or None
        How memberships were made; None if the file has none.
    costs : CostEvaluation or None
        The costs of all rows, if costs were given.
    prior : dict or None
        The prior of information rewards by class; None if the file has no probabilities.
    oddities : tuple of str
        What is odd about the rows of the file.
    """

    file: str
    scores: tuple[Score, ...]
    sentences: tuple[str, ...]
    clusters: int | None = None
    memberships: Memberships | None = None
    costs: CostEvaluation | None = None
    prior: dict[str, float] | None = None
    oddities: tuple[str, ...] = ()

    def _view(self) -> View:
        rows = []
        for score in self.scores:
            low, high = score.interval() or (nan, nan)
            part = " ".join(filter(None, (score.group, score.of_class)))
            title = score.measure.replace("_", " ")
            name = f"{title} of {part}" if part else title
            rows.append([name, score.value, score.standard_error, low, high])
        headers = ["measure", "value", "std. error", "95% from", "to"]
        return View(self.file, [Table(headers, rows)], self.warnings, self.sentences)

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
    engine: DaskEngine | None = None,
    na: str = "error",
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
    engine : DaskEngine, optional
        Counts the rows on a cluster.
    na : {"error", "drop"}, default="error"
        With `engine`, what workers do about rows with missing values.  On one machine the file is
        opened without them.
    """
    _check_arguments(file, name, utilities, by_class=by_class, by_group=by_group)
    settings = TallySettings(by_group, prior, rule)
    omissions, costly = file.omissions, None
    if engine is not None:
        tallies = tally_parts(engine, file, settings, drop=na == "drop", progress=progress)
        omissions = () if tallies.missing is None else (tallies.missing.left_out(),)
        parts = _tallied(tallies, by_group)
    elif file.kind == "memberships":
        parts = _memberships(file, by_group, memberships or MembershipChoice(), progress)
    else:
        parts = _tallied(tally_rows(file, settings, progress), by_group)
    if by_class:
        parts = _limited(parts, file, by_group)
    found = _scores_of_parts(name, parts, utilities, by_class=by_class, own_prior=prior is not None)
    found = replace(found, oddities=(*omissions, *found.oddities))
    if costs is None:
        return found
    if engine is not None:
        assert tallies.counts is not None
        costly = tally_costs_of_parts(
            engine, file, tallies.counts.classes, by_group=by_group, rule=rule, drop=na == "drop"
        )
    priced = price_file(
        file, costs, by_group=by_group, rule=rule, empty_cost=empty_cost, tallies=costly
    )
    more = [
        Score(name, "costs", group, of_class, COST, e.value, e.standard_error, e, evaluation.unit)
        for group, evaluation in priced.by_group.items()
        for of_class, e in cost_rows(evaluation, by_class)
    ]
    return replace(
        found,
        scores=(*found.scores, *more),
        sentences=(*found.sentences, *priced.sentences),
        costs=priced.by_group[ALL],
    )


def _check_arguments(
    file: Any, name: Any, utilities: Sequence[Any], *, by_class: bool, by_group: bool
) -> None:
    require_kind(file, "file", PredictionFile)
    require_kind(name, "name", str)
    for utility in utilities:
        require_kind(utility, "a utility of utilities", Utility)
    if by_group and file.layout.group is None:
        raise ValueError(f"{file.path}: there is no column group: choose a column with --by")
    if by_group and by_class and file.n_groups > _MOST_GROUPS:
        raise ValueError(
            f"{file.path}: {file.n_groups:,} groups are too many to score the classes of each, "
            f"which is for up to {_MOST_GROUPS:,}: leave out --by-class, or choose another column"
        )


def _limited(parts: Iterator[Part], file: PredictionFile, by_group: bool) -> Iterator[Part]:
    """The parts of a file, unless they have too many true classes to score each."""
    n_classes = 0
    for group, tallied in parts:
        if isinstance(tallied, FileCounts):
            n_classes += len(np.unique(tallied.truth))
            if n_classes > _MOST_CLASSES:
                raise ValueError(
                    f"{file.path} has more than {_MOST_CLASSES:,} true classes"
                    f"{' in its groups' if by_group else ''}, which are too many to score each: "
                    "leave out --by-class"
                )
        yield group, tallied


def _scores_of_parts(
    name: str,
    parts: Iterator[Part],
    utilities: Sequence[Utility],
    *,
    by_class: bool,
    own_prior: bool,
) -> FileScores:
    """The scores of a file from the tallies of its groups, and what is known of all its rows."""
    scores: list[Score] = []
    sentences: list[str] = []
    clusters: int | None = None
    used: Memberships | None = None
    prior: dict[str, float] | None = None
    odd: tuple[str, ...] = ()
    for group, tallied in parts:
        rows, words = _read(tallied, utilities, by_class)
        scores += [Score(name, row[0], group, *row[1:]) for row in rows]
        if group != ALL:
            continue
        # one summary per file: of the predictions in it, not of sets that follow from them
        if words and not sentences:
            sentences.append(words)
        if isinstance(tallied, FileCounts):
            clusters = tallied.n_clusters
            odd += tallied.warnings
        if isinstance(tallied, ScoredMemberships):
            used = tallied.used
        if isinstance(tallied, ProbabilityEvaluation):
            prior = dict(zip(map(str, tallied.classes), tallied.prior.tolist(), strict=True))
            sentences.append(prior_words(prior, given=own_prior))
    if clusters is not None:
        sentences.append(cluster_words(clusters))
    if used is not None:
        sentences += [words for words in (used.words(), used.warning()) if words]
    return FileScores(
        name, tuple(scores), tuple(sentences), clusters, used, prior=prior, oddities=odd
    )


# -- from rows to tallies -------------------------------------------------------------------------


def _by_group(counts: FileCounts, by_group: bool) -> Iterator[Part]:
    yield ALL, counts
    for name in counts.groups if by_group else ():
        group = counts.of_group(name)
        if group.weight.any():
            yield group_name(name), group


def _tallied(tallies: RowTallies, by_group: bool) -> Iterator[Part]:
    for group in sorted(tallies.probabilities):  # all rows come first
        yield group, ProbabilityEvaluation(tallies.probabilities[group])
    assert tallies.counts is not None
    yield from _by_group(tallies.counts, by_group)


def _memberships(
    file: PredictionFile, by_group: bool, choice: MembershipChoice, progress: Progress | None
) -> Iterator[Part]:
    named: list[FileCounts] = []

    def by_name(chunk: Predictions) -> dict[str, Any]:
        assert chunk.memberships is not None
        named.append(FileCounts.of_labels(chunk, first_largest(chunk.memberships), by_group))
        return dict(rows_by_group(chunk, by_group))

    with stored_memberships(file, choice, by_name, progress) as parts:
        counts = _sum(named, file)
        yield from parts
    yield from _by_group(counts, by_group)


def _sum(parts: list[FileCounts], file: PredictionFile) -> FileCounts:
    total = FileCounts.total(parts)
    if not total.weight.any():
        raise file.layout.no_rows_count(file.path)
    return total


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
    family, infinite = "probabilities", evaluation.infinite_rows
    yield family, ALL, "rows", evaluation.n_rows, nan, None
    for name, estimate in evaluation.estimates.items():
        yield family, ALL, name, estimate.value, estimate.standard_error, estimate
        if infinite[name]:
            yield family, ALL, f"{name}: infinite rows", infinite[name], nan, None
        if by_class:
            for label, part in evaluation.estimates_by_class[name].items():
                yield family, str(label), name, part.value, nan, part
    for name, value in evaluation.from_bins.items():
        yield family, ALL, name, value, nan, None


def _partition_rows(partition: Any) -> Iterator[Row]:
    found, family = partition.to_dict(), "memberships"
    yield family, ALL, "rows", found["rows"], nan, None
    for name, value in found.items():
        if isinstance(value, float) and not name.endswith("_standard_error"):
            error = found[f"{name}_standard_error"]
            estimate = partition.estimates.get(name)
            yield family, ALL, _PARTITION.get(name, name), value, error, estimate
