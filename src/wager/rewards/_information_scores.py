"""Information that a set conveys: the scores MIC and MIP of the Weka-IP program.

A hit by a set of k of K classes conveys log(K / k), in nats; a miss is charged a fixed amount.
The formulas need the number of classes, which a tally knows.
"""

from __future__ import annotations

import numpy as np

from wager._tables import real_number, require_whole
from wager._typing import Bools, Floats, Ints
from wager._visible import brief
from wager.rewards._measure import Measure
from wager.rewards._registry import register
from wager.rewards._scores import SetScore

_SOURCE = "the Weka-IP program"


def _information(size: Ints, hit: Bools, n_classes: int, loss: float) -> Floats:
    return np.where(hit, np.log(n_classes / np.maximum(size, 1)), -loss)


def _mic(size: Ints, hit: Bools, n_classes: int) -> Floats:
    return _information(size, hit, n_classes, np.log(n_classes) / max(n_classes - 1, 1))


register(
    SetScore(
        "mic",
        _mic,
        meaning="The information that a hit conveys, with a charge for a miss that balances "
        "guessing.",
        formula="mean of log(K/k) for a hit, -log(K)/(K-1) for a miss (natural logarithm)",
        use="A uniform random guess earns 0 on average; the set of all classes always earns 0.",
        source=_SOURCE,
        range="-log(K)/(K-1) to log K",
        needs_n_classes=True,
        is_rare=True,
    )
)

register(
    Measure(
        "mip",
        meaning="The information that a hit conveys, with a charge of your choice for a miss.",
        formula="mean of log(K/k) for a hit, -(1 + A) log K for a miss (natural logarithm)",
        use="A = -1 charges nothing for a miss; a larger A charges more.",
        source=_SOURCE,
        range="-(1 + A) log K to log K",
    )
)


def mic(n_classes: int) -> SetScore:
    """Mean information of a prediction: log(K/size) for a hit, -log(K)/(K - 1) for a miss.

    Examples
    --------
    >>> mic(3).function(np.array([1, 2]), np.array([True, True])).round(4).tolist()
    [1.0986, 0.4055]
    """
    require_whole(n_classes, "n_classes", 1)
    return SetScore("MIC", lambda size, hit: _mic(size, hit, n_classes))


def mip(n_classes: int, a: float = 0.0) -> SetScore:
    """Like MIC, but a miss is charged (1 + a) log K: nothing for a = -1, log K for a = 0.

    Examples
    --------
    >>> mip(3, a=-0.5).function(np.array([1, 2]), np.array([False, True])).round(4).tolist()
    [-0.5493, 0.4055]
    """
    require_whole(n_classes, "n_classes", 1)
    if not np.isfinite(real_number(a, "a")):
        raise ValueError(f"a must be a finite number, got {brief(a)}")
    loss = (1 + a) * np.log(n_classes)
    return SetScore(f"MIP({a:g})", lambda size, hit: _information(size, hit, n_classes, loss))
