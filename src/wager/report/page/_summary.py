"""The scores of a page as a plain table, for notebooks and for browsers without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from wager.rewards import Tally, get_utility

_UTILITIES = ("u50", "u65", "u80")
Table = tuple[list[str], list[list[Any]]]  # header and rows


def summary_tables(data: Mapping[str, Any]) -> list[Table]:
    """One table: the usual utilities, coverage, size and determinacy of each classifier.

    Parameters
    ----------
    data : mapping
        The dictionary of a page.
    """
    if data.get("store") is not None:
        return [_of_learners(data["store"])]
    if not data.get("classifiers"):
        return []
    header = ["classifier", *_UTILITIES, "coverage", "mean size", "determinacy"]
    rows = []
    for classifier in data["classifiers"]:
        tally = tally_of(classifier["tally"], data["facts"]["n_classes"])
        scores = [tally.estimate(name).value for name in _UTILITIES]
        measures = ("coverage", "mean_set_size", "determinacy")
        rows.append([classifier["name"], *scores, *(tally.score(name).value for name in measures)])
    return [(header, rows)]


def tally_of(counts: Mapping[str, Any], n_classes: int) -> Tally:
    """The tally whose totals a page holds; standard errors need the page itself.

    Examples
    --------
    >>> tally_of({"cells": [[1, 1, 3], [2, 1, 1]]}, 2).expected_utility("u50")
    0.875
    """
    whole = all(isinstance(total, int) for _, _, total in counts["cells"])
    table = np.zeros((n_classes + 1, 2), dtype=np.int64 if whole else np.float64)
    for size, hit, total in counts["cells"]:
        table[size, hit] = total
    return Tally(table)


def _of_learners(store: Mapping[str, Any]) -> Table:
    """The mean scores of learners over the data sets on which all of them have one."""
    complete = [row for row in store["shares"] if all(cells is not None for cells in row)]
    rows: list[list[Any]] = []
    for place, name in enumerate(store["learners"]):
        means = [
            float(np.mean([_score(row[place], utility) for row in complete]))
            if complete
            else float("nan")
            for utility in _UTILITIES
        ]
        rows.append([name, *means])
    return ["learner", *_UTILITIES], rows


def _score(shares: Any, utility: str) -> float:
    sizes = np.array([size if hit else 0 for size, hit, _ in shares])
    weights = np.array([share for _, _, share in shares], dtype=float)
    return float(get_utility(utility).of_size(sizes) @ weights)
