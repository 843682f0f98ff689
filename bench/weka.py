"""What the benches against Weka share: its scale, the public sets, and synthetic rows."""

from __future__ import annotations

import os
import time
from functools import cache
from pathlib import Path

import numpy as np

LOOP = 0.78  # seconds of ten million additions in CPython where Weka was timed


@cache
def scale() -> float:
    """How slow this machine is, by the loop that was timed beside Weka (at module level)."""
    loop = compile("s = 0\nfor i in range(10_000_000):\n    s += i", "loop", "exec")
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        exec(loop, {})
        best = min(best, time.process_time() - start)
    return best / LOOP


def scaled(seconds: float) -> float:
    """Weka's CPU seconds as they would be on this machine."""
    return seconds * scale()


def public_set(name: str) -> Path | None:
    """The ARFF file of a public set, or None where it is not on this machine."""
    beside = Path(__file__).resolve().parent.parent.parent / "shared" / "datasets"
    for folder in (Path(os.environ.get("WAGER_DATA", beside)), beside):
        for ending in (".arff", ".arff.gz"):
            if (folder / f"{name}{ending}").exists():
                return folder / f"{name}{ending}"
    return None


@cache
def nominal_rows(n: int = 100_000, m: int = 20, v: int = 4, k: int = 4):
    """Codes that lean on the class, and classes."""
    random = np.random.default_rng(0)
    y = random.integers(0, k, size=n)
    X = random.integers(0, v, size=(n, m))
    lean = random.random((n, m)) < 0.3
    return np.where(lean, (y[:, None] + np.arange(m)) % v, X), y


@cache
def numeric_rows(n: int = 100_000, m: int = 20, k: int = 4):
    """Numbers whose means depend on the class, and classes."""
    random = np.random.default_rng(0)
    y = random.integers(0, k, size=n)
    means = random.normal(size=(k, m))
    return random.normal(size=(n, m)) + means[y], y
