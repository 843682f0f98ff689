"""Every measure by its name: built-in ones, those of other packages, and those that users add.

Scores of sets are kept in `SET_SCORES`, a plain dictionary; `MEASURES` shows them together with
all other measures.  A measure that is registered here can be used everywhere: in `wager.metrics`,
evaluations, scorers, plans, tables and ``wager explain``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from itertools import chain
from typing import Any, TypeVar

from wager._visible import brief
from wager.rewards._measure import Measure
from wager.rewards._scores import SetScore
from wager.rewards._utility_names import get_utility

M = TypeVar("M", bound=Measure)
F = TypeVar("F", bound=Callable[..., Any])

# Scores that depend on size and hit alone, by the name of their function in `wager.metrics`.
SET_SCORES: dict[str, SetScore] = {}

_OTHERS: dict[str, Measure] = {}


class Measures(Mapping[str, Measure]):
    """All registered measures by name, scores of sets first; `register` adds to it."""

    def __getitem__(self, name: str) -> Measure:
        return SET_SCORES[name] if name in SET_SCORES else _OTHERS[name]

    def __iter__(self) -> Iterator[str]:
        return chain(SET_SCORES, (name for name in _OTHERS if name not in SET_SCORES))

    def __len__(self) -> int:
        return len(SET_SCORES.keys() | _OTHERS.keys())

    def __repr__(self) -> str:
        return f"<{len(self)} measures: {', '.join(self)}>"


MEASURES = Measures()


def register(measure: M) -> M:
    """Add a measure, so that every part of the package knows it; returns the measure.

    Parameters
    ----------
    measure : Measure
        A `SetScore` of size and hit alone is kept in `SET_SCORES`: ``SET_SCORES[name] = score``
        has the same effect.

    Examples
    --------
    >>> import wager.metrics
    >>> pairs = SetScore("pairs", lambda size, hit: size == 2, meaning="The share of pairs.")
    >>> _ = register(pairs)
    >>> wager.metrics.pairs(["a", "b"], [["a"], ["a", "b"]])
    0.5
    >>> unregister("pairs")
    """
    name = measure.name.replace(" ", "_")
    taken = {alias for known in MEASURES.values() for alias in known.aliases}
    if name in MEASURES or name in taken or _is_utility(name):
        raise ValueError(f"there is already a measure {name!r}: choose another name")
    if not _is_built_in(measure) and name in public_functions().__all__:
        raise ValueError(f"wager.metrics already has a function {name!r}: choose another name")
    if isinstance(measure, SetScore) and not measure.needs_n_classes:
        SET_SCORES[name] = measure
    else:
        _OTHERS[name] = measure
    return measure


def _is_built_in(measure: Measure) -> bool:
    module = getattr(measure.function, "__module__", None) or "wager"
    return module.split(".")[0] == "wager"


def public_functions() -> Any:
    """The module `wager.metrics`, which lists all functions and loads each on first access."""
    return import_module("wager.metrics")


def load_measure(name: str) -> Measure | None:
    """The measure of that name, from a package that need not be loaded; None if there is none."""
    if name not in MEASURES and name in public_functions().__all__:
        getattr(public_functions(), name)  # its package registers it
    return MEASURES.get(name)


def _is_utility(name: str) -> bool:
    """Whether a name, such as "u65", is the expected utility of that name."""
    try:
        get_utility(name)
    except ValueError:
        return False
    return True


def unregister(name: str) -> None:
    """Remove a measure that was registered."""
    if name not in MEASURES:
        raise ValueError(f"there is no measure {brief(name)} to remove")
    SET_SCORES.pop(name, None)
    _OTHERS.pop(name, None)


def as_measure(**record: Any) -> Callable[[F], F]:
    """A decorator that registers a function as a measure; keywords as in `Measure`."""

    def decorate(function: F) -> F:
        register(Measure(function.__name__, function, **record))
        return function

    return decorate


def measure_of(function: Callable[..., Any]) -> Measure | None:
    """The record of a measure's function; None for other functions."""
    score = getattr(function, "score", None)
    if isinstance(score, SetScore):
        return score
    found = MEASURES.get(getattr(function, "__name__", ""))
    return found if found is not None and found.function is function else None


register(
    Measure(
        "rows",
        greater_is_better=None,
        meaning="The number of predictions that were scored, or their total weight.",
        formula="number of rows, or sum of the weight column",
        use="All other numbers depend on it: few rows mean large standard errors.",
        source="common usage",
        range="1 upwards",
        kind="rows",
        aliases=("n", "number_of_rows"),
    )
)
