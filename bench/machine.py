"""What the times depend on: the processor, the system and the versions of what is timed."""

from __future__ import annotations

import os
import platform
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

LIBRARIES = (
    "numpy",
    "scipy",
    "scikit-learn",
    "duckdb",
    "numba",
    "pyarrow",
    "polars",
    "dask",
    "mapie",
    "pyagrum",
)


def facts() -> dict[str, object]:
    """The facts of this machine, without its name or any path."""
    return {
        "date": time.strftime("%Y-%m-%d"),
        "processor": _from_proc("/proc/cpuinfo", "model name") or platform.processor(),
        "cores": os.cpu_count(),
        "memory": _from_proc("/proc/meminfo", "MemTotal"),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "load before": round(os.getloadavg()[0], 1),
        "versions": {name: found for name in LIBRARIES if (found := _version(name))},
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _from_proc(path: str, key: str) -> str | None:
    if not Path(path).exists():
        return None
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == key:
            return value.strip()
    return None
