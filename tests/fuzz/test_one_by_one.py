"""Some of the calls with one wrong argument; ``python -m tests.fuzz.one_by_one`` makes them all."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz import functions
from tests.fuzz.working import WORKING

ROOT = Path(__file__).parents[2]
STEP = 151  # which is not a divisor of the number of values


def test_listed_calls_work_and_are_of_public_functions():
    for name in ("wager.decide", "compare.wins_table", "plots.plot_scatter"):
        assert repr(functions.targets()[name].call(**WORKING[name]()))
    assert set(WORKING) <= set(functions.targets())


@pytest.mark.long
def test_one_wrong_argument_is_an_error_that_is_promised():
    """In a new process: one that has run other tests has threads, and cannot be copied."""
    command = [sys.executable, "-m", "tests.fuzz.one_by_one", "step", str(STEP)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert " 0 kinds of faults" in done.stdout
