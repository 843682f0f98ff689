"""The measures that a plan can ask for, and the column of the store that each is computed from.

=============================  ===============================================================
name                           computed from
=============================  ===============================================================
``u65``, ``f1``, ``log``, ...  the tally: any utility that ``get_utility`` knows
``coverage``, ...              the tally: any registered measure of sets
``certainty_equivalent:u65``   the tally
``true:u65``                   the tally expected under the true probabilities of generated data
``information_reward``, ...    the tally of probabilities
``average_cost``               the counts of predicted sets by true class, and the plan's costs
``kl_divergence``              the true probabilities of generated data
``fit_seconds``, ...           the measured times
=============================  ===============================================================
"""

from __future__ import annotations

from dataclasses import dataclass

from wager._tables import nearest_name
from wager._visible import brief
from wager.rewards import MEASURES, Measure, get_utility

__all__ = ["AVERAGE_COST", "CERTAIN", "StoredMeasure", "check_measure"]

TIMES = ("prepare_seconds", "fit_seconds", "predict_seconds")
DIVERGENCE = "kl_divergence"
AVERAGE_COST = "average_cost"
CERTAIN = "certainty_equivalent:"
TRUE = "true:"
UTILITIES = ("u50", "u65", "u80", "f1", "f2", "log", "log-norm")  # to suggest


@dataclass(frozen=True)
class StoredMeasure:
    """A measure of stored units.

    Attributes
    ----------
    name : str
        As the plan calls it.
    column : str
        The column of the store that it is computed from.
    greater_is_better : bool
        Whether larger values are better.
    """

    name: str
    column: str
    greater_is_better: bool = True

    @property
    def of_tally(self) -> str:
        """The name without the prefix for generated data."""
        return self.name.removeprefix(TRUE)


def check_measure(name: str) -> StoredMeasure:
    """The measure of that name, if there is one.

    Examples
    --------
    >>> check_measure("u65").column, check_measure("log_loss").greater_is_better
    ('tally', False)
    """
    if not isinstance(name, str):
        raise ValueError(f"a measure must be a name such as 'u65', got {brief(name)}")
    if name in TIMES or name == DIVERGENCE:  # columns of the store
        return StoredMeasure(name, name, greater_is_better=False)
    if name == AVERAGE_COST:
        return StoredMeasure(name, "cost_tally", greater_is_better=False)
    measure = MEASURES.get(name)
    if measure is not None and _is_of_probabilities(measure):
        return StoredMeasure(name, "probabilities", measure.greater_is_better is not False)
    column, plain = ("true_tally" if name.startswith(TRUE) else "tally"), name.removeprefix(TRUE)
    measure = MEASURES.get(plain)
    if measure is not None and _is_of_sets(measure):
        return StoredMeasure(name, column, measure.greater_is_better is not False)
    try:
        get_utility(plain.removeprefix(CERTAIN))
    except ValueError:
        known = [n for n, m in MEASURES.items() if _is_of_sets(m) or _is_of_probabilities(m)]
        known += [DIVERGENCE, *TIMES]
        near = nearest_name(name, [*UTILITIES, *known])
        hint = (
            f"did you mean {near!r}?"
            if near
            else f"choose a utility such as 'u65' or 'f1', or one of {', '.join(known)}"
        )
        raise ValueError(f"there is no measure {brief(name)}: {hint}") from None
    return StoredMeasure(name, column)


def _is_of_sets(measure: Measure) -> bool:
    return measure.kind == "sets" and measure.is_read_off_tallies


def _is_of_probabilities(measure: Measure) -> bool:
    return measure.kind == "probabilities" and measure.is_read_off_tallies
