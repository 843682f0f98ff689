"""The one way to what lies beside the project; a machine without it skips, and says so."""

from __future__ import annotations

from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
SHARED = PROJECT.parent / "shared"


def shared(*parts: str) -> Path:
    """A file or folder of ``../shared``; the calling test is skipped where it is missing."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"../shared/{'/'.join(parts)} is not on this machine")
    return path


def dataset_path(name: str) -> Path:
    """The ARFF file of one of the public data sets, plain or gzipped."""
    folder = shared("datasets")
    for ending in (".arff", ".arff.gz"):
        if (folder / f"{name}{ending}").exists():
            return folder / f"{name}{ending}"
    pytest.skip(f"no data set {name} in ../shared/datasets")
