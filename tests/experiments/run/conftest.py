"""Clusters of these tests answer late where the machine is busy."""

import pytest

from wager import _dask


@pytest.fixture(autouse=True)
def _patience(monkeypatch):
    """The scheduler of these tests is there, and may be slow to answer on a busy machine."""
    monkeypatch.setattr(_dask, "_SECONDS", 60.0)
