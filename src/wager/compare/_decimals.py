"""How many decimals a sentence needs so that different numbers look different."""

from __future__ import annotations

_MOST = 6


def decimals(*pairs: tuple[float, float], least: int = 2) -> int:
    """The smallest number of decimals at which the two numbers of each pair look different.

    Numbers that are equal, or differ only after six decimals, ask for nothing.

    Examples
    --------
    >>> decimals((0.63, 0.79)), decimals((0.812, 0.814)), decimals((0.5, 0.5))
    (2, 3, 2)
    """
    found = least
    for a, b in pairs:
        if f"{a:.{_MOST}f}" == f"{b:.{_MOST}f}":
            continue
        while f"{a:.{found}f}" == f"{b:.{found}f}":
            found += 1
    return found
