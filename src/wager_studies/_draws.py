"""Random numbers of the studies that draw in their analysis and need no run."""

from __future__ import annotations

import numpy as np

__all__ = ["draws"]


def draws(stream: int, seed: int | None) -> np.random.Generator:
    """The random numbers of one claim: those of the stored tables, or others with a seed.

    Examples
    --------
    >>> draws(2012, None).integers(1000), draws(2012, 2).integers(1000)
    (np.int64(864), np.int64(436))
    """
    return np.random.default_rng(stream if seed is None else [stream, seed])
