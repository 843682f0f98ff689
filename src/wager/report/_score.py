"""What a prediction file is worth: every measure that applies to what the file states.

Labels and sets are counted inside the file's engine; probabilities and intervals are read in
chunks; memberships, whose scaling needs all of them, at once.  The result is a list of scores, each
with the file, the group and the class it belongs to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from wager.predictions import FileCounts, PredictionFile, Predictions, PredictionSets
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
    progress : callable, optional
        Told the share of the file that is done.
    """
    if by_group and file.layout.group is None:
        raise ValueError(f"{file.path}: there is no column group to score by: name one with --by")
    if file.holds_sets:
        parts = _sets_in_file(file, by_group, progress)
    elif file.form == "p":
        parts = _probabilities(file, by_group, prior)
    elif file.form == "interval":
        parts = _intervals(file, by_group)
    else:
        parts = _memberships(file, by_group)
    scores: list[Score] = []
    sentences: list[str] = []
    for group, evaluation in parts:
        read = _read_sets if isinstance(evaluation, FileCounts) else _read_other
        for family, of_class, measure, value, error in read(evaluation, utilities, by_class):
            scores.append(Score(name, family, group, of_class, measure, value, error))
        if isinstance(evaluation, FileCounts) and group == ALL:
            sentences.append(_evaluation(evaluation, utilities).sentence())
    return FileScores(name, tuple(scores), tuple(sentences))


Row = tuple[str, str, str, float, float]  # family, class, measure, value, standard error
Part = tuple[str, Any]  # group, and what was tallied of it


def _sets_in_file(
    file: PredictionFile, by_group: bool, progress: Progress | None
) -> Iterator[Part]:
    counts = file.count(by_group, progress)
    yield from _by_group(counts, by_group)


def _by_group(counts: FileCounts, by_group: bool) -> Iterator[Part]:
    yield ALL, counts
    if by_group:
        for group in counts.groups:
            yield _group_name(group), counts.of_group(group)


def _probabilities(file: PredictionFile, by_group: bool, prior: Any) -> Iterator[Part]:
    tallies: dict[str, ProbabilityTally] = {}
    named: FileCounts | None = None
    for chunk in file.chunks():
        assert chunk.proba is not None
        for group, rows in _rows_by_group(chunk, by_group):
            weight = None if chunk.weight is None else chunk.weight[rows]
            part = ProbabilityTally.of(
                chunk.y_true[rows], chunk.proba[rows], prior, sample_weight=weight,
                classes=chunk.classes,
            )  # fmt: skip
            tallies[group] = tallies[group] + part if group in tallies else part
        best = chunk.classes[chunk.proba.argmax(axis=1)]
        labels = PredictionSets.from_labels(best, chunk.classes)
        counts = FileCounts.of(chunk, labels, by_group)
        named = counts if named is None else named + counts
    for group, tally in tallies.items():
        yield group, ProbabilityEvaluation(tally)
    assert named is not None
    yield from _by_group(named, by_group)


def _intervals(file: PredictionFile, by_group: bool) -> Iterator[Part]:
    from wager.credal import decide

    total: FileCounts | None = None
    for chunk in file.chunks():
        assert chunk.intervals is not None
        counts = FileCounts.of(chunk, decide(chunk.intervals), by_group)
        total = counts if total is None else total + counts
    assert total is not None
    yield from _by_group(total, by_group)


def _rows_by_group(rows: Predictions, by_group: bool) -> Iterator[tuple[str, Any]]:
    """All rows, and, where asked for, those of each group."""
    yield ALL, slice(None)
    if by_group and rows.group is not None:
        names = np.array([_group_name(group) for group in rows.group], dtype=object)
        for name in sorted(set(names)):
            yield name, names == name


def _memberships(file: PredictionFile, by_group: bool) -> Iterator[Part]:
    from wager.partitions import standardize, to_memberships

    rows = file.read()
    assert rows.memberships is not None
    values = rows.memberships
    if not (np.all(values >= 0) and np.allclose(values.sum(axis=1), 1, atol=1e-6)):
        values = to_memberships(values, kind="softmax")
    for group, chosen in _rows_by_group(rows, by_group):
        yield group, standardize(rows.y_true[chosen], values[chosen], rows.classes)


def _group_name(group: Any) -> str:
    return "(no group)" if group is None else str(group)


# -- from what was tallied to rows of numbers ---------------------------------------------------


def _evaluation(counts: FileCounts, utilities: Sequence[Utility]) -> SetEvaluation:
    tally = Tally(counts.by_size(), counts.total_squares)
    return SetEvaluation(tally, counts.classes, counts.by_class(), tuple(utilities))


def _read_sets(counts: FileCounts, utilities: Sequence[Utility], by_class: bool) -> Iterator[Row]:
    yield from _rows_of(_evaluation(counts, utilities), ALL)
    if not by_class:
        return
    shown = (*BY_CLASS, *(u.name for u in utilities))
    for code in np.unique(counts.truth).tolist():
        rows = _rows_of(_evaluation(counts.of_class(code), utilities), str(counts.classes[code]))
        yield from (row for row in rows if row[2] in shown)


def _rows_of(evaluation: SetEvaluation, of_class: str) -> Iterator[Row]:
    yield "sets", of_class, "rows", evaluation.tally.n, nan
    for name, value in evaluation.values.items():
        estimate = evaluation.estimates.get(name)
        yield "sets", of_class, name, value, nan if estimate is None else estimate.standard_error


def _read_other(evaluation: Any, utilities: Sequence[Utility], by_class: bool) -> Iterator[Row]:
    found = evaluation.to_dict()
    family = "probabilities" if isinstance(evaluation, ProbabilityEvaluation) else "memberships"
    yield family, ALL, "rows", found["rows"], nan
    for name, entry in found.items():
        if isinstance(entry, dict) and "mean" in entry:
            yield family, ALL, name, entry["mean"], entry["standard_error"]
            if entry["infinite_rows"]:
                yield family, ALL, f"{name}: infinite rows", entry["infinite_rows"], nan
            if by_class:
                for label, value in entry["by_class"].items():
                    yield family, str(label), name, value, nan
        elif isinstance(entry, float) and not name.endswith(("base", "clip", "_standard_error")):
            error = found.get(f"{name}_standard_error", nan)
            yield family, ALL, _PARTITION.get(name, name), entry, error


_PARTITION = {"accuracy": "partition_accuracy", "correctness": "correctness_rate"}
