"""Names of classifiers: given or numbered, and listed in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

T = TypeVar("T")


def by_name(things: Mapping[str, T] | Iterable[T]) -> dict[str, T]:
    """A mapping by name; the items of a sequence become "classifier 1", "classifier 2" and so on.

    Examples
    --------
    >>> by_name(["x", "y"])
    {'classifier 1': 'x', 'classifier 2': 'y'}
    """
    if isinstance(things, Mapping):
        return {str(name): thing for name, thing in things.items()}
    if not isinstance(things, Iterable):
        raise ValueError(
            f"pass one tally per classifier by name, got an object of type {type(things).__name__}"
        )
    return {f"classifier {i}": thing for i, thing in enumerate(things, start=1)}


def listed(names: Iterable[str]) -> str:
    """Names as a list in a sentence.

    Examples
    --------
    >>> listed(["ncc"]), listed(["ncc", "nbc"]), listed(["ncc", "nbc", "cdt"])
    ('ncc', 'ncc and nbc', 'ncc, nbc and cdt')
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
