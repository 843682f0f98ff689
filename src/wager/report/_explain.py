"""What each number means: the record of a measure, found by its name in any spelling."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

import wager.costs  # these packages register their measures when imported
import wager.partitions  # noqa: F401
from wager import rewards
from wager.report._explain_utilities import explain_utility
from wager.report._quantities import QUANTITIES
from wager.rewards import Measure

# The measures of all packages; those that users register are included.
MEASURES: Mapping[str, Measure] = rewards.MEASURES


def explain(name: str) -> Measure:
    """The record of a measure: meaning, formula, when to use it and source.

    Parameters
    ----------
    name : str
        The name of a measure, of a utility or of another quantity that a command prints, or an
        alias, in any spelling: ``"Mean set-size"``, ``"u65"``, ``"break-even"``.

    Examples
    --------
    >>> explain("Mean set-size").formula
    'mean of k'
    >>> explain("f1").formula
    'mean of u(hit / k) with u(x) = 2 x / (x + 1)'
    """
    key = name.strip().lower().replace("-", "_").replace(" ", "_")
    records = {**QUANTITIES, **MEASURES}  # a measure comes before a quantity of the same name
    for spelled in (key, key.partition(":")[0].strip("_")):  # certainty_equivalent:u65
        if spelled in records:
            return records[spelled]
        utility = explain_utility(name) if spelled == key else None
        if utility is not None:
            return utility
        for record in records.values():
            if spelled in record.aliases:
                return record
    known = [*records, *(alias for record in records.values() for alias in record.aliases)]
    close = get_close_matches(key, known, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]}?" if close else "'wager explain' lists them"
    raise ValueError(f"no measure is called {name!r}: {hint}")
