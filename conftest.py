"""Options of the test run, and where the examples of docstrings run."""

import atexit
import gc
import os
import sys
from pathlib import Path

import pytest
from tests.examples import extra_of

os.environ.setdefault("MPLBACKEND", "agg")  # plots open no window
# One thread of linear algebra per process, set before NumPy is loaded: `make test` runs one process
# per core, and threads that wait for each other take more than half of the time of small problems.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")


@pytest.fixture(autouse=True)
def _close_figures():
    """Close the figures that a test leaves open: plots make them through pyplot."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def pytest_addoption(parser):
    """Let the reference values come from another folder, and the examples run apart."""
    parser.addoption(
        "--reference",
        type=Path,
        default=None,
        metavar="DIR",
        help="folder of reference values laid out as golden/, klar/, weka/, ncc_peer/, imptree/ "
        "(default: tests/golden, and ../shared/reference where it is present)",
    )
    parser.addoption(
        "--examples",
        choices=("all", "core", "extras"),
        default="all",
        help="core: only the examples of pages, docstrings, notebooks and the gallery that run "
        "after a core install; extras: everything else (default: all)",
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Look for no garbage here, nor later among what is loaded here: it stays until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        # the interpreter cleans up as usual; pytest, which looks for garbage ten times before that,
        # does without
        atexit.register(gc.unfreeze)


def pytest_itemcollected(item):
    """Mark the docstrings whose examples run after a core install."""
    if isinstance(item, pytest.DoctestItem) and extra_of(item.dtest.docstring) is None:
        item.add_marker("core")


def pytest_collection_modifyitems(config, items):
    """Keep the examples that ``--examples`` asks for."""
    chosen = config.getoption("--examples")
    if chosen == "all":
        return
    kept, others = [], []
    for item in items:
        is_core = item.get_closest_marker("core") is not None
        (kept if is_core == (chosen == "core") else others).append(item)
    config.hook.pytest_deselected(items=others)
    items[:] = kept
