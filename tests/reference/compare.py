"""Compare a result with the expected part of a reference case."""

from __future__ import annotations

from typing import Any

import numpy as np

_INFINITIES = {"inf": np.inf, "-inf": -np.inf, "nan": np.nan}


def assert_close(actual: Any, expected: Any, tolerance: float, where: str = "result") -> None:
    """Check equality up to an absolute tolerance; null means NaN, and every key must be present."""
    if isinstance(expected, dict):
        for key, value in expected.items():
            assert key in actual, f"{where} has no {key!r}"
            assert_close(actual[key], value, tolerance, f"{where}.{key}")
    elif isinstance(expected, list):
        assert len(actual) == len(expected), f"{where}: {len(actual)} values, not {len(expected)}"
        for i, (a, e) in enumerate(zip(actual, expected, strict=True)):
            assert_close(a, e, tolerance, f"{where}[{i}]")
    elif expected is None:
        assert actual is None or np.isnan(actual), f"{where}: {actual}, not undefined"
    elif isinstance(expected, bool):
        assert bool(actual) is expected, f"{where}: {actual}, not {expected}"
    elif isinstance(expected, str) and expected not in _INFINITIES:
        assert actual == expected, f"{where}: {actual!r}, not {expected!r}"
    else:
        number = _INFINITIES.get(expected, expected)
        if np.isinf(number):
            assert actual == number, f"{where}: {actual}, not {number}"
        else:
            assert abs(actual - number) <= tolerance, f"{where}: {actual}, not {number}"
