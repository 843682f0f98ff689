"""Workers of all tests here are copies of this process, unless a test asks for new ones."""

import os

import pytest

from tests.experiments.forked import FORKING
from wager.experiments.run import _process


@pytest.fixture
def new_processes():
    """For tests of how a worker starts."""


@pytest.fixture(autouse=True)
def _copies(request, monkeypatch):
    if hasattr(os, "fork") and "new_processes" not in request.fixturenames:
        monkeypatch.setattr(_process, "subprocess", FORKING)
