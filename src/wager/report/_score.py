"""What a prediction file is worth: every measure that applies to what the file states.

Labels and sets are counted inside the file's engine; probabilities and intervals are read in
chunks; memberships, whose scaling needs all of them, at once.  Where a file states no sets, those
that follow from it are scored as well: the most probable class, the maximal classes.  The result is
a list of scores, each with the file, the group and the class it belongs to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from wager._typing import Floats
from wager.predictions import FileCounts, PredictionFile, Predictions, PredictionSets
from wager.report._score_words import probability_words, set_words
from wager.rewards import (
    ProbabilityEvaluation,
    ProbabilityTally,
    SetEvaluation,
    Tally,
    Utility,
)

Progress = Callable[[float], None]
# What is told of each true class; the rest would only repeat the whole.
BY_CLASS = ("rows", "coverage", "determinacy", "single_accuracy", "mean_set_size")
ALL = ""  # the group, or the class, of a score that is about all rows
_PARTITION = {"accuracy": "partition_accuracy", "correctness": "correctness_rate"}

Row = tuple[str, str, str, float, float]  # family, class, measure, value, standard error
Part = tuple[str, Any]  # group, and what was tallied of it


@dataclass(frozen=True)
class Score:
    """One number: of a file, a group of its rows, a true class; with its standard error."""

    file: str
    family: str
    group: str
    of_class: str
    measure: str
    value: float
    standard_error: float


@dataclass(frozen=True)
class FileScores:
    """The scores of one file, and what they say in words."""

    file: str
    scores: tuple[Score, ...]
    sentences: tuple[str, ...]


def score_file(
    file: PredictionFile,
    name: str,
    utilities: Sequence[Utility],
    *,
    by_class: bool = False,
    by_group: bool = False,
    prior: Any = None,
    rule: Any = "maximality",
    progress: Progress | None = None,
) -> FileScores:
    """Score a file by everything that applies to the form of its predictions.

    Parameters
    ----------
    file : PredictionFile
        As ``scan_predictions`` opened it.
    name : str
        What the scores call the file.
    utilities : sequence of Utility
        For sets.
    by_class, by_group : bool
        Whether to break the scores down.
    prior : array-like, optional
        For information rewards; uniform by default.
    rule : str, default="maximality"
        How `wager.credal.decide` makes sets of probability intervals.
    progress : callable, optional
        Told the share of the file that is done.
    """
    if by_group and file.layout.group is None:
        raise ValueError(f"{file.path}: there is no column group to score by: name one with --by")
    if file.holds_sets:
        parts = _by_group(file.count(by_group, progress), by_group)
    elif file.kind == "proba":
        parts = _probabilities(file, by_group, prior, progress)
    elif file.kind == "intervals":
        parts = _intervals(file, by_group, rule, progress)
    else:
        parts = _memberships(file, by_group)
    scores: list[Score] = []
    sentences: list[str] = []
    for group, tallied in parts:
        rows, words = _read(tallied, utilities, by_class)
        scores += [Score(name, row[0], group, *row[1:]) for row in rows]
        if group == ALL and words and not sentences:  # sets that follow from others need no words
            sentences.append(words)
    return FileScores(name, tuple(scores), tuple(sentences))


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
    for chunk in file.chunks(progress=progress):
        assert chunk.proba is not None
        named.append(FileCounts.of(chunk, _most(chunk.proba, chunk), by_group))
        for group, rows in _rows_by_group(chunk, by_group):
            weight = None if chunk.weight is None else chunk.weight[rows]
            part = ProbabilityTally.of(
                chunk.y_true[rows],
                chunk.proba[rows],
                prior,
                sample_weight=weight,
                classes=chunk.classes,
            )
            tallies[group] = tallies[group] + part if group in tallies else part
    counts = _sum(named, file)
    for group in sorted(tallies):  # that of all rows is the first
        yield group, ProbabilityEvaluation(tallies[group])
    yield from _by_group(counts, by_group)


def _intervals(
    file: PredictionFile, by_group: bool, rule: Any, progress: Progress | None
) -> Iterator[Part]:
    from wager.credal import decide

    parts = []
    for chunk in file.chunks(progress=progress):
        assert chunk.intervals is not None
        parts.append(FileCounts.of(chunk, decide(chunk.intervals, rule), by_group))
    yield from _by_group(_sum(parts, file), by_group)


def _memberships(file: PredictionFile, by_group: bool) -> Iterator[Part]:
    from wager.partitions import standardize, to_memberships

    rows = file.read()
    assert rows.memberships is not None
    values = rows.memberships
    if not (np.all(values >= 0) and np.allclose(values.sum(axis=1), 1, atol=1e-6)):
        values = to_memberships(values, kind="softmax")
    counts = _sum([FileCounts.of(rows, _most(values, rows), by_group)], file)
    for group, chosen in _rows_by_group(rows, by_group):
        weight = None if rows.weight is None else rows.weight[chosen]
        yield (
            group,
            standardize(rows.y_true[chosen], values[chosen], rows.classes, sample_weight=weight),
        )
    yield from _by_group(counts, by_group)


def _most(values: Floats, rows: Predictions) -> PredictionSets:
    """The class of the largest value, the first of equal ones, as the only one of its set."""
    best = values.argmax(axis=1)
    return PredictionSets.from_indicator(
        best[:, None] == np.arange(len(rows.classes)), rows.classes
    )


def _sum(parts: list[FileCounts], file: PredictionFile) -> FileCounts:
    total = parts[0]
    for part in parts[1:]:
        total += part
    if not total.weight.any():
        raise ValueError(f"{file.path}: weight is 0 in every row: at least one row must count")
    return total


def _rows_by_group(rows: Predictions, by_group: bool) -> Iterator[tuple[str, Any]]:
    """All rows, and, where asked for, those of each group; only where a row has weight."""
    masks: dict[str, Any] = {ALL: np.ones(len(rows), dtype=bool)}
    if by_group and rows.group is not None:
        names = np.array([_group_name(group) for group in rows.group], dtype=object)
        masks |= {name: names == name for name in sorted(set(names))}
    for name, mask in masks.items():
        if rows.weight is None or rows.weight[mask].any():
            yield name, mask


def _group_name(group: Any) -> str:
    return "(no group)" if group is None else str(group)


# -- from tallies to numbers ----------------------------------------------------------------------


def _read(
    tallied: Any, utilities: Sequence[Utility], by_class: bool
) -> tuple[Iterator[Row], str | None]:
    """The numbers of a tally, and its words."""
    if isinstance(tallied, FileCounts):
        evaluation = _evaluation(tallied, utilities)
        return _set_rows(tallied, evaluation, utilities, by_class), set_words(evaluation)
    if isinstance(tallied, ProbabilityEvaluation):
        return _probability_rows(tallied, by_class), probability_words(tallied)
    return _partition_rows(tallied), None


def _evaluation(counts: FileCounts, utilities: Sequence[Utility]) -> SetEvaluation:
    tally = Tally(counts.by_size(), counts.total_squares)
    return SetEvaluation(tally, counts.classes, counts.by_class(), tuple(utilities))


def _set_rows(
    counts: FileCounts, evaluation: SetEvaluation, utilities: Sequence[Utility], by_class: bool
) -> Iterator[Row]:
    yield from _rows_of(evaluation, ALL)
    shown = (*BY_CLASS, *(u.name for u in utilities))
    for code in np.unique(counts.truth).tolist() if by_class else ():
        part = counts.of_class(code)
        if part.weight.any():
            rows = _rows_of(_evaluation(part, utilities), str(counts.classes[code]))
            yield from (row for row in rows if row[2] in shown)


def _rows_of(evaluation: SetEvaluation, of_class: str) -> Iterator[Row]:
    yield "sets", of_class, "rows", evaluation.tally.n, nan
    for name, value in evaluation.values.items():
        estimate = evaluation.estimates.get(name)
        yield "sets", of_class, name, value, nan if estimate is None else estimate.standard_error


def _probability_rows(evaluation: ProbabilityEvaluation, by_class: bool) -> Iterator[Row]:
    found, family = evaluation.to_dict(), "probabilities"
    yield family, ALL, "rows", found["rows"], nan
    for name, entry in found.items():
        if isinstance(entry, dict) and "mean" in entry:
            yield family, ALL, name, entry["mean"], entry["standard_error"]
            if entry["infinite_rows"]:
                yield family, ALL, f"{name}: infinite rows", entry["infinite_rows"], nan
            if by_class:
                for label, value in entry["by_class"].items():
                    yield family, str(label), name, value, nan
        elif isinstance(entry, float) and name not in ("base", "clip"):
            yield family, ALL, name, entry, nan


def _partition_rows(partition: Any) -> Iterator[Row]:
    found, family = partition.to_dict(), "memberships"
    yield family, ALL, "rows", found["rows"], nan
    for name, value in found.items():
        if isinstance(value, float) and not name.endswith("_standard_error"):
            error = found[f"{name}_standard_error"]
            yield family, ALL, _PARTITION.get(name, name), value, error
