"""An adaptive staircase: which chance to offer next, and what the answers say about a value.

A person to whom a set is worth v compares the chance q that is offered with v plus a normal error
of unknown standard deviation s, and now and then answers at random (a lapse):

    P(set | v, s, q) = lapse / 2 + (1 - lapse) Phi((v - q) / s)

The posterior distribution of v and s is kept on a grid.  The next chance is the one after whose
answer the entropy of v is expected to be least, whatever s is: the method of Kontsevich & Tyler
(1999) with the noise as a nuisance parameter, as Prins (2013) proposes.  No chance is offered twice
before the end, so that answers around the value show how noisy they are.

What is known of one set size helps with the next one.  The noise is the same.  A larger set is
worth at most as much, and for a risk-averse person j/k times as much or more, if the sizes are j
and k.  That is presumed and not imposed: answers can refute it.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TypeAlias

import numpy as np

from wager._tables import ROUNDING
from wager._typing import Floats

Answered: TypeAlias = tuple[tuple[float, str], ...]  # chances and the answers to them
History: TypeAlias = tuple[tuple[int, Answered], ...]  # set sizes, ascending, with their answers

_CELLS = 200
_EDGES = np.linspace(0.0, 1.0, _CELLS + 1)
VALUES = (_EDGES[:-1] + _EDGES[1:]) / 2
NOISES = np.geomspace(0.005, 0.12, 8)
CHANCES = np.arange(1, 100) / 100
_LAPSE = 0.02
_INDIFFERENT = 0.025  # "same" means that the chance and the noisy value differ by at most this
_FIRST, _LATER = (6, 10), (4, 8)  # the least and the largest number of questions about a size
_UNUSUAL = 0.2  # the density of values below 1/size, relative to those above
_SLACK = 0.1  # "below" begins this much lower, so that 1/size itself is not near an edge
_REFUTED, _MARGIN = 0.1, 0.03  # how often a presumption fails, and by how much it is widened


def likelihood(values: Floats, chance: float, word: str) -> Floats:
    """The probability of an answer for each value (rows) and each noise (columns)."""
    above = (values[:, None] - chance) / NOISES
    if word == "same":
        width = _INDIFFERENT / NOISES
        given = _normal_cdf(above + width) - _normal_cdf(above - width)
    else:
        given = _normal_cdf(above if word == "set" else -above)
    return _LAPSE / 2 + (1 - _LAPSE) * given


def posteriors(history: History) -> list[Floats]:
    """The joint distributions of value (rows) and noise (columns), one for each set size."""
    evidence: list[Floats] = []
    noise = np.ones(len(NOISES))
    worth = None
    for place, (size, answered) in enumerate(history):
        prior = _first(size) if worth is None else _after(worth, history[place - 1][0] / size)
        joint = prior[:, None] * np.ones(len(NOISES))
        for chance, word in answered:
            joint *= _on_grid(chance, word)
        worth = joint @ noise
        noise = noise * joint.sum(axis=0)
        noise /= noise.sum()
        evidence.append(joint)
    found = [joint * (noise / joint.sum(axis=0)) for joint in evidence]  # the noise of all sizes
    return [joint / joint.sum() for joint in found]


def posterior_of_half(worths: Floats, history: History) -> Floats:
    """The distribution of u(0.5) on the grid if a curve gives sets these values.

    ``worths`` has a row for each u(0.5) of the grid and a column for each set size.
    """
    joint = _first(2)[:, None] * np.ones(len(NOISES))
    for values, (_, answered) in zip(worths.T, history, strict=True):
        for chance, word in answered:
            joint *= likelihood(values, chance, word)
        joint /= joint.sum()
    return joint.sum(axis=1)


def interval(worth: Floats, level: float) -> tuple[float, float]:
    """The shortest interval with a probability of ``level``."""
    below = np.concatenate(([0.0], np.cumsum(worth / worth.sum())))
    below[-1] = 1.0
    ends = np.concatenate((_EDGES, np.interp(below - level, below, _EDGES)))  # one end at an edge
    lows = ends[np.interp(ends, _EDGES, below) <= 1 - level + ROUNDING]
    highs = np.interp(np.interp(lows, _EDGES, below) + level, below, _EDGES)
    shortest = int(np.argmin(np.round(highs - lows, 9)))
    return round(float(lows[shortest]), 4), round(float(highs[shortest]), 4)


def median(worth: Floats) -> float:
    """The median of a distribution on the grid."""
    below = np.concatenate(([0.0], np.cumsum(worth / worth.sum())))
    return round(float(np.interp(0.5, below, _EDGES)), 4)


@lru_cache(maxsize=2**13)  # a session asks again for every question from the first one on
def next_chance(history: History, resolution: float, level: float) -> float | None:
    """The chance to offer next for the last size of the history; None if nothing is to ask."""
    _, answered = history[-1]
    least, most = _FIRST if len(history) == 1 else _LATER
    joint = posteriors(history)[-1]
    if len(answered) >= least:
        low, high = interval(joint.sum(axis=1), level)
        narrow = high - low <= resolution and _is_confirmed(answered, low, high)
        if narrow or len(answered) >= most:
            return None
    entropy = _expected_entropy(joint)
    entropy[np.isin(CHANCES, [chance for chance, _ in answered])] = np.inf
    return float(CHANCES[np.argmin(np.round(entropy, 9))])


def chance_to_repeat(answered: Answered, value: float) -> float:
    """The chance nearest to the value among those offered, except the last one."""
    offered = [chance for chance, _ in answered[:-1]]
    return min(offered, key=lambda chance: (round(abs(chance - value), 9), chance))


def _is_confirmed(answered: Answered, low: float, high: float) -> bool:
    """Whether answers, and not only presumptions, bound the value on both sides."""
    words = {word for _, word in answered}
    from_below = low == 0 or bool(words & {"set", "same"})
    from_above = high == 1 or bool(words & {"chance", "same"})
    return from_below and from_above


def _expected_entropy(joint: Floats) -> Floats:
    """The entropy of the value that is expected after the answer to each chance."""
    after_set = np.einsum("qvs,vs->qv", _set_probabilities(), joint)
    entropy = np.zeros(len(CHANCES))
    for part in (after_set, joint.sum(axis=1) - after_set):
        total = part.sum(axis=1)
        share = np.maximum(part / total[:, None], 1e-300)
        entropy -= total * (share * np.log(share)).sum(axis=1)
    return entropy


def _first(size: int) -> Floats:
    """The prior of the first size: a risk-averse person gives it at least 1/size."""
    density = np.where(1 / size - _SLACK < VALUES, 1.0, _UNUSUAL)
    return density / density.sum()


def _after(worth: Floats, ratio: float) -> Floats:
    """The prior of a size, given the distribution of a smaller one and the ratio of the sizes."""
    low, high = ratio * VALUES - _MARGIN, VALUES + _MARGIN
    between = (low[:, None] <= VALUES) & (high[:, None] >= VALUES)
    presumed = (worth / worth.sum()) @ (between / between.sum(axis=1, keepdims=True))
    return (1 - _REFUTED) * presumed + _REFUTED / _CELLS


@cache
def _on_grid(chance: float, word: str) -> Floats:
    return likelihood(VALUES, chance, word)


@cache
def _set_probabilities() -> Floats:
    """The probability of "set" for each chance, value and noise."""
    return np.stack([_on_grid(float(chance), "set") for chance in CHANCES])


def _normal_cdf(x: Floats) -> Floats:
    from scipy.special import ndtr

    return np.asarray(ndtr(x))
