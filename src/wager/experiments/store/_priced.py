"""What the stored predictions cost: average costs by data set and learner, under any costs.

A store keeps, for each unit, how often each set was predicted for each true class.  So costs can be
given, or changed, after a run.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wager._typing import Array, Bools, Floats, Ints
from wager.costs import (
    CostMatrix,
    CostTally,
    ExtendedCosts,
    costs_for_classes,
    parse_costs,
    read_cost_text,
)
from wager.experiments.store._checksums import inflate
from wager.experiments.store._unit_result import MOST_JSON
from wager.predictions import PredictionSets
from wager.rewards import CellSums

__all__ = [
    "costs_to_text",
    "pack_cost_tally",
    "pooled_costs",
    "read_stored_costs",
    "unit_costs",
]

_OLD = (
    "the predictions of this run were not counted by set and true class, so they have no cost: run "
    "the plan again in a new folder"
)


def pack_cost_tally(truth: Ints, sets: Bools, classes: Array) -> bytes:
    """The counts of the predicted sets by true class, as compressed JSON.

    Examples
    --------
    >>> packed = pack_cost_tally(np.array([0, 1]), np.eye(2, dtype=bool), np.array(["a", "b"]))
    >>> unpack_cost_tally(packed).average(CostMatrix.zero_one(["a", "b"]))
    0.0
    """
    labels = np.array([_plain(label) for label in classes.tolist()])
    rows = CellSums(np.arange(len(truth)), np.ones(len(truth), dtype=np.int64))
    tally = CostTally.of_cells(PredictionSets.from_indicator(sets, labels), truth, rows)
    return zlib.compress(json.dumps(tally.to_dict()).encode())


def unpack_cost_tally(packed: bytes | None) -> CostTally:
    """The counts that `pack_cost_tally` packed."""
    if packed is None:
        raise ValueError(_OLD)
    return CostTally.from_dict(json.loads(inflate(packed, MOST_JSON)))


def _plain(label: Any) -> Any:
    return label if isinstance(label, int | str) and not isinstance(label, bool) else str(label)


def unit_costs(
    datasets: Sequence[str],
    stored: Sequence[bytes | None],
    costs: CostMatrix | ExtendedCosts,
    empty_cost: float | None = None,
) -> tuple[Floats, Floats]:
    """The average cost of each unit, and its number of rows.

    Parameters
    ----------
    datasets : sequence of str
        The data set of each unit.
    stored : sequence of bytes
        The packed counts of the units.
    costs : CostMatrix or ExtendedCosts
        The costs; units of data sets with other classes have none (NaN).
    empty_cost : float, optional
        The cost of an empty set.

    Raises
    ------
    ValueError
        If the costs fit none of the data sets, or the store has no counts by set.
    """
    fitting: dict[str, ExtendedCosts | ValueError] = {}
    averages, rows = np.full(len(stored), np.nan), np.zeros(len(stored))
    for unit, (dataset, packed) in enumerate(zip(datasets, stored, strict=True)):
        tally = unpack_cost_tally(packed)
        if dataset not in fitting:
            fitting[dataset] = _fitted(costs, tally, dataset)
        extended = fitting[dataset]
        if isinstance(extended, ExtendedCosts):
            averages[unit] = tally.average(extended, empty_cost=empty_cost)
            rows[unit] = tally.n
    errors = [error for error in fitting.values() if isinstance(error, ValueError)]
    if errors and len(errors) == len(fitting):
        raise errors[0]
    return averages, rows


def pooled_costs(
    averages: Floats, rows: Floats, cells: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], float]:
    """The average over all rows of each cell together."""
    groups: dict[tuple[str, str], list[int]] = {}
    for unit, cell in enumerate(cells):
        if rows[unit]:
            groups.setdefault(cell, []).append(unit)
    return {
        cell: float(np.average(averages[units], weights=rows[units]))
        for cell, units in groups.items()
    }


def _fitted(
    costs: CostMatrix | ExtendedCosts, tally: CostTally, dataset: str
) -> ExtendedCosts | ValueError:
    """The costs over the classes of a data set, or why they do not fit."""
    try:
        named = costs_for_classes(costs, tally.classes.tolist(), dataset)
    except ValueError as problem:
        return problem
    return named.extend() if isinstance(named, CostMatrix) else named


def costs_to_text(path: Path, empty_cost: float | None) -> str:
    """The content of a cost file as JSON, for the store of a plan that names it."""
    text, ending = read_cost_text(path)
    return json.dumps({"ending": ending, "text": text, "empty_cost": empty_cost})


def read_stored_costs(
    data: dict[str, Any] | None,
) -> tuple[CostMatrix | ExtendedCosts, float | None]:
    """The costs of the plan that a store was filled from."""
    if data is None:
        raise ValueError("the plan of this run has no costs: give a cost file")
    return parse_costs(data["text"], data["ending"]), data["empty_cost"]
