"""The two ways to run a kernel."""

import pytest


@pytest.fixture(params=["numba", "numpy"])
def engine(request, monkeypatch):
    """Run the test with the compiled kernels, and with their plain forms."""
    monkeypatch.setenv("WAGER_COMPILE", "never" if request.param == "numpy" else "always")
    return request.param
