"""Titles of measures in tables, where what is the same number twice is shown once."""

from __future__ import annotations

from collections.abc import Iterable

RISK_NEUTRAL = ("u50", "linear")  # utilities whose mean is the discounted accuracy


def measure_titles(names: Iterable[str]) -> dict[str, str]:
    """The title of each measure that a table shows.

    The discounted accuracy is the expected utility u50, and its own certainty equivalent: they
    share one row.

    Examples
    --------
    >>> measure_titles(["discounted_accuracy", "u50", "certainty_equivalent:u50", "empty_rate"])
    {'u50': 'u50 (discounted accuracy)', 'empty_rate': 'empty rate'}
    >>> measure_titles(["discounted_accuracy", "u65"])
    {'discounted_accuracy': 'discounted accuracy', 'u65': 'u65'}
    """
    titles = {name: name.replace("_", " ") for name in names}
    neutral = next((name for name in RISK_NEUTRAL if name in titles), None)
    if neutral is not None and "discounted_accuracy" in titles:
        del titles["discounted_accuracy"]
        titles.pop(f"certainty_equivalent:{neutral}", None)
        titles[neutral] += " (discounted accuracy)"
    return titles
