"""The option ``--utility``, which several commands share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wager.rewards import Utility


def chosen_utilities(given: Sequence[str] | None, usual: Sequence[str]) -> list[Utility]:
    """The utilities that the user gave, or the usual ones, each of them once.

    Examples
    --------
    >>> [u.name for u in chosen_utilities(["u65", "0.65", "f1"], ["u50"])]
    ['u65', 'f1']
    """
    from wager.rewards import get_utility

    found: dict[str, Utility] = {}
    for text in given or usual:
        utility = get_utility(text)
        known = found.setdefault(utility.name, utility)
        if known != utility:
            raise ValueError(
                f"{text}: two utilities are called {utility.name!r}: give one of the files "
                "another name, or the key name"
            )
    return list(found.values())
