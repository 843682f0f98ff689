"""The two ways to run a kernel."""

import pytest


@pytest.fixture(params=["numba", "numpy"])
def engine(request, monkeypatch):
    """Run the test with the compiled kernels, and with their NumPy twins."""
    if request.param == "numpy":
        monkeypatch.setattr("wager._jit._compile", lambda loop: None)
    else:
        monkeypatch.setattr("wager._jit.SMALL", 0)
    return request.param
