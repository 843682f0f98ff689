"""With which versions of everything a result was computed."""

from __future__ import annotations

import platform
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from wager.experiments.plan._keys import canonical

__all__ = ["versions"]

PACKAGES = ("wager", "numpy", "scipy", "scikit-learn", "numba", "llvmlite", "duckdb", "mapie")


@cache
def versions() -> str:
    """Python, the machine and every package that numbers may depend on, as JSON.

    Loads Numba, so that compiled kernels serve from the first unit on, however small: their twins
    in NumPy may differ in the last digit.
    """
    with suppress(ImportError):
        import numba  # noqa: F401
    found = {
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
    }
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return canonical(found)
