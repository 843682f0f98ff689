"""Property tests have no deadline and the same cases each run.

``pytest --hypothesis-profile thorough`` tries many more cases.
"""

import sys
from functools import cache

import pytest
import typer.testing
from hypothesis import settings

from tests.databases import OPEN, open_shared
from tests.replications import THOROUGH
from wager.predictions.files._database import _Connection

settings.register_profile("wager", deadline=None, max_examples=25, derandomize=True)
settings.register_profile("thorough", deadline=None, max_examples=THOROUGH)
settings.register_profile("few", deadline=None, max_examples=4, derandomize=True)
settings.load_profile("wager")

# A call of the command line reads the signatures of all commands anew; a thousand calls need not.
typer.testing._get_command = cache(typer.testing._get_command)

_Connection.open = open_shared


@pytest.fixture
def new_databases(monkeypatch):
    """A database for each file, as in use."""
    monkeypatch.setattr(_Connection, "open", OPEN)


@pytest.fixture
def new_processes():
    """For tests of how a worker of a run starts."""


@pytest.fixture(autouse=True)
def _copies(request, monkeypatch):
    """Workers of runs are copies of this process, unless a test asks for new ones."""
    if "wager.experiments.run" in sys.modules and "new_processes" not in request.fixturenames:
        from tests.experiments.forked import copies

        copies(monkeypatch)
