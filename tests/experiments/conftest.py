"""Workers of all tests here are copies of this process, unless a test asks for new ones."""

import pytest

from tests.experiments.forked import copies


@pytest.fixture
def new_processes():
    """For tests of how a worker starts."""


@pytest.fixture(autouse=True)
def _copies(request, monkeypatch):
    if "new_processes" not in request.fixturenames:
        copies(monkeypatch)
