"""What a page shows of single rows: some of them, if they were asked for, and their course."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wager._typing import Array, Bools, Floats, Ints
from wager.compare import ConfidenceSequence, sequential
from wager.predictions import SUM_TOLERANCE, PredictionSets

MOST_ROWS = 5000  # in a page
_MOST_IN_SEQUENCE = 200_000
_MOST_POINTS = 2000  # of memberships
_DIGITS = 5


def row_section(
    codes: Ints, sets: Sequence[PredictionSets], ids: Array | None, most: int
) -> dict[str, Any] | None:
    """The section ``rows``: first the rows on which some classifiers are right and others wrong.

    Parameters
    ----------
    codes : array of shape (n,)
        The true classes.
    sets : sequence of PredictionSets
        The predictions of each classifier.
    ids : array of shape (n,), optional
        The names of the rows.
    most : int
        How many rows are shown at most.

    Examples
    --------
    >>> said = [PredictionSets.from_labels([0, 1, 1]), PredictionSets.from_labels([0, 0, 1])]
    >>> found = row_section(np.array([0, 1, 1]), said, None, 2)
    >>> found["id"], found["truth"], found["sets"], found["columns"]
    (['1', '2'], [0, 1], [[0], [1]], [[0, 1], [0, 0]])
    """
    if most <= 0:
        return None
    if most > MOST_ROWS:
        raise ValueError(f"a page shows up to {MOST_ROWS} rows, not {most}: ask for fewer rows")
    hits: Bools = np.stack([one.contains(one.classes[codes]) for one in sets])
    differs = hits.any(axis=0) & ~hits.all(axis=0)
    order = np.concatenate([np.flatnonzero(differs), np.flatnonzero(~differs)])
    kept = np.sort(order[:most])
    known: dict[tuple[int, ...], int] = {}
    columns = []
    for one in sets:
        chosen = one[kept].to_indicator()
        members = [tuple(np.flatnonzero(row).tolist()) for row in chosen]
        columns.append([known.setdefault(each, len(known)) for each in members])
    names = [str(i + 1) for i in kept]
    if ids is not None:
        names = [f"row {i + 1}" if ids[i] is None else str(ids[i]) for i in kept]
    return {
        "n": len(codes),
        "shown": len(kept),
        "id": names,
        "truth": codes[kept].tolist(),
        "sets": [list(each) for each in known],
        "columns": columns,
    }


def sequence_section(
    y_true: Array, sets: Sequence[PredictionSets], names: Sequence[str], level: float
) -> list[dict[str, Any]]:
    """The section ``sequences`` of two classifiers: the rows in their order, under u65."""
    if len(sets) != 2 or not 2 <= len(y_true) <= _MOST_IN_SEQUENCE:
        return []
    (first, second), (one, other) = names, sets
    course = sequential(y_true, one, other, "u65", alpha=1 - level, names=(first, second))
    return [sequence_to_dict(course, 0, 1)]


def sequence_to_dict(course: ConfidenceSequence, a: int, b: int) -> dict[str, Any]:
    """A confidence sequence of the classifiers in two places as plain data."""

    def rounded(values: Floats) -> list[float]:
        return np.round(values, _DIGITS).tolist()

    return {
        "a": a,
        "b": b,
        "score": course.score,
        "unit": course.unit,
        "n": course.n.tolist(),
        "mean": rounded(course.mean),
        "lower": rounded(course.low),
        "upper": rounded(course.high),
        "log_evidence_a": rounded(course.log_evidence_a),
        "log_evidence_b": rounded(course.log_evidence_b),
        "verdict": course.verdict,
    }


def membership_section(codes: Ints, memberships: Floats) -> dict[str, Any] | None:
    """The section ``memberships`` for two to four classes; at most 2000 points, evenly chosen."""
    from wager.partitions import standardize, to_memberships

    n, n_classes = memberships.shape
    if not 2 <= n_classes <= 4:
        return None
    sums = memberships.sum(axis=1)
    proper = (memberships >= 0).all() and (np.abs(sums - 1) <= SUM_TOLERANCE).all()
    found = memberships if proper else to_memberships(memberships, "softmax")
    part = standardize(codes, found, classes=np.arange(n_classes))
    kept = np.unique(np.linspace(0, n - 1, min(n, _MOST_POINTS)).round().astype(int))
    before = part.measures_before
    return {
        "points": np.round(part.memberships[kept], 4).tolist(),
        "truth": part.truth[kept].tolist(),
        "assigned": part.assigned[kept].tolist(),
        "n": n,
        "measures": {
            "accuracy": before.accuracy,
            "separation": before.separation,
            "correctness": before.correctness,
        },
    }
