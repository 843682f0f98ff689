"""Names of classifiers: given or numbered, and listed in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from wager._tables import repeated
from wager._visible import brief

T = TypeVar("T")
_MOST = 6  # names that a short sentence lists


def by_name(things: Mapping[str, T] | Iterable[T]) -> dict[str, T]:
    """A mapping by name; the items of a sequence become "classifier 1", "classifier 2" and so on.

    Examples
    --------
    >>> by_name(["x", "y"])
    {'classifier 1': 'x', 'classifier 2': 'y'}
    """
    if isinstance(things, Mapping):
        return dict(zip(distinct_names(things), things.values(), strict=True))
    if not isinstance(things, Iterable):
        raise ValueError(
            f"pass one tally per classifier by name, got an object of type {type(things).__name__}"
        )
    return {f"classifier {i}": thing for i, thing in enumerate(things, start=1)}


def distinct_names(names: Iterable[object]) -> list[str]:
    """Names as texts; two classifiers with the same one are an error.

    Examples
    --------
    >>> distinct_names([1, "a"])
    ['1', 'a']
    >>> distinct_names([1, "1"])
    Traceback (most recent call last):
    ...
    ValueError: two classifiers are called '1': give each a different name
    """
    found = [str(name) for name in names]
    if twice := repeated(found):
        raise ValueError(
            f"two classifiers are called {brief(twice[0])}: give each a different name"
        )
    return found


def listed(names: Iterable[str]) -> str:
    """Names as a list in a sentence.

    Examples
    --------
    >>> listed(["ncc"]), listed(["ncc", "nbc"]), listed(["ncc", "nbc", "cdt"])
    ('ncc', 'ncc and nbc', 'ncc, nbc and cdt')
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def listed_in_part(names: Sequence[str]) -> str:
    """Names as a list in a sentence; of many, only the first ones and the number of the others.

    Examples
    --------
    >>> listed_in_part(["a", "b"]), listed_in_part(list("abcdefgh"))
    ('a and b', 'a, b, c, d, e and 3 others')
    """
    if len(names) <= _MOST:
        return listed(names)
    shown = names[: _MOST - 1]
    return f"{', '.join(shown)} and {len(names) - len(shown)} others"
