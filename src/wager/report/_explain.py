"""What each number means: the record of a measure, found by its name in any spelling."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

import wager.costs  # these packages register their measures when imported
import wager.partitions  # noqa: F401
from wager import rewards
from wager.rewards import Measure

# The measures of all packages; those that users register are included.
MEASURES: Mapping[str, Measure] = rewards.MEASURES


def explain(name: str) -> Measure:
    """The record of a measure: meaning, formula, when to use it and source.

    Parameters
    ----------
    name : str
        The name of a measure or an alias, in any spelling: ``"Mean set-size"``, ``"u65"``.

    Examples
    --------
    >>> explain("Mean set-size").formula
    'mean of k'
    >>> explain("u65").name
    'utility_discounted_accuracy'
    """
    key = name.strip().lower().replace("-", "_").replace(" ", "_").partition(":")[0]
    aliases = {alias: measure for measure in MEASURES.values() for alias in measure.aliases}
    found = MEASURES.get(key) or aliases.get(key)
    if found is not None:
        return found
    close = get_close_matches(key, [*MEASURES, *aliases], n=1, cutoff=0.5)
    hint = f"did you mean {close[0]}?" if close else "'wager explain' lists them"
    raise ValueError(f"no measure is called {name!r}: {hint}")
