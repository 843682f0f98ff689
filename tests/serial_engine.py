"""An engine like that of Dask, without a cluster: it sends everything through pickle."""

import pickle
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from wager._dask import FAN_IN, add_all


class SerialEngine:
    """Counts parts one after another, in a random order, and adds them up as `DaskEngine` does."""

    def __init__(self, seed: int = 0):
        self._random = Random(seed)
        self.n_parts: list[int] = []

    def total(self, count: Callable[[Any], Any], parts: Sequence[Any], progress: Any = None) -> Any:
        self.n_parts.append(len(parts))
        order = self._random.sample(range(len(parts)), len(parts))
        results: dict[int, Any] = {}
        for place in order:
            try:
                results[place] = _sent(_sent(count)(_sent(parts[place])))
            except ValueError as problem:
                results[place] = problem
        level = [results[place] for place in range(len(parts))]
        for result in level:
            if isinstance(result, ValueError):
                raise result
        while len(level) > 1:
            level = [_sent(add_all(level[i : i + FAN_IN])) for i in range(0, len(level), FAN_IN)]
        return level[0]


def _sent(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))
