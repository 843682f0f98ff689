"""Theorems by which one classifier is better for every risk-averse decision maker.

Propositions 2 and 3 of Zaffalon, Corani & Mauá (2012) are about classifiers of equal expected
reward.  Both hold exactly, for every concave utility: the rewards of the winner are a
mean-preserving contraction of those of the other.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from wager._tables import ROUNDING
from wager.compare._outcome import check_names
from wager.rewards import Tally


class Proposition(NamedTuple):
    """The proposition that applies, the classifier it prefers, and its claim as a sentence."""

    number: int
    winner: Literal["a", "b", "equal"]
    words: str


def proposition(
    tally_a: Tally,
    tally_b: Tally,
    *,
    names: tuple[str, str] = ("A", "B"),
) -> Proposition | None:
    """Proposition 2 or 3 of Zaffalon, Corani & Mauá (2012), if it applies to two classifiers.

    Parameters
    ----------
    tally_a, tally_b : Tally
        The tallies of the two classifiers.
    names : pair of str
        The names of the two classifiers in the sentence.

    Returns
    -------
    Proposition or None
        Number 2: a credal classifier beats a precise one of equal expected reward; strictly, if
        its sets of several classes ever contain the true class.  Number 3: of two classifiers
        that predict either one class or all, the one that predicts all more often wins.

    Examples
    --------
    >>> precise = Tally.of([0, 1], [0, 0], classes=[0, 1])
    >>> vacuous = Tally.of([0, 1], [[0, 1], [0, 1]], classes=[0, 1])
    >>> proposition(vacuous, precise).words
    'by Proposition 2 everyone who is averse to risk prefers the credal A to the precise B'
    """
    names = check_names(names)
    gap = tally_a.moments().mean - tally_b.moments().mean
    if abs(gap) > ROUNDING:
        return None
    precise = _predicts_one(tally_a), _predicts_one(tally_b)
    if precise[0] != precise[1]:
        credal, other = (0, 1) if precise[1] else (1, 0)
        strict = (tally_a, tally_b)[credal].decompose().indeterminate > 0
        return _proposition(2, credal if strict else None, names, f"the credal {names[credal]}",
                     f"the precise {names[other]}")  # fmt: skip
    if precise[0] or tally_a.n_classes != tally_b.n_classes:
        return None
    if not (_predicts_one_or_all(tally_a) and _predicts_one_or_all(tally_b)):
        return None
    determinacy = [t.table[1].sum() / t.n for t in (tally_a, tally_b)]
    if abs(determinacy[0] - determinacy[1]) <= ROUNDING:
        return _proposition(3, None, names, *names)
    cautious, other = (0, 1) if determinacy[0] < determinacy[1] else (1, 0)
    return _proposition(3, cautious, names, f"{names[cautious]}, more often vacuous,", names[other])


def _proposition(
    number: int, winner: int | None, names: tuple[str, str], better: str, worse: str
) -> Proposition:
    if winner is None:
        words = f"by Proposition {number} {names[0]} and {names[1]} are worth the same to everyone"
        return Proposition(number, "equal", words)
    words = f"by Proposition {number} everyone who is averse to risk prefers {better} to {worse}"
    return Proposition(number, "a" if winner == 0 else "b", words)


def _predicts_one(tally: Tally) -> bool:
    return bool(tally.table[1].sum() == tally.table.sum())


def _predicts_one_or_all(tally: Tally) -> bool:
    return bool(tally.table[[1, -1]].sum() == tally.table.sum()) and tally.n_classes > 1
