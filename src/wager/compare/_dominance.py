"""A winner without knowing the utility: who is preferred by every risk-averse decision maker."""

from __future__ import annotations

from typing import Literal

from wager.rewards import Tally, same_law, second_order_dominates

Verdict = Literal["a", "b", "equal", "none"]


def objective_winner(tally_a: Tally, tally_b: Tally) -> Verdict:
    """Which classifier everybody who is averse (or neutral) to risk prefers, if there is one.

    The criterion is second-order stochastic dominance of the rewards.  Zaffalon, Corani & Mauá
    (2012, Sec. 7) let equal means and the smaller variance decide, which holds for quadratic
    utilities only.

    Returns
    -------
    {"a", "b", "equal", "none"}
        ``"equal"`` if the rewards have the same law, ``"none"`` if opinions differ.

    Examples
    --------
    >>> vacuous = Tally.of([0, 1], [[True, True], [True, True]])
    >>> random = Tally.of([0, 1], [[True, False], [True, False]])
    >>> objective_winner(vacuous, random)
    'a'
    """
    if same_law(tally_a, tally_b):
        return "equal"
    if second_order_dominates(tally_a, tally_b):
        return "a"
    return "b" if second_order_dominates(tally_b, tally_a) else "none"
