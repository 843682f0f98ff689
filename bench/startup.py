"""How soon the library and its command line answer: CPU time of whole processes."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator

from bench.measure import Row

ANSWER = "import sys; from wager.cli import main; sys.argv = ['wager', '--help']; main()"


def seconds(code: str, repeat: int = 15) -> float:
    """The least CPU time of a Python process that runs the code, byte-code cache warm."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    best = float("inf")
    for _ in range(repeat):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, env=environment
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = min(best, spent)
    return best


def rows() -> Iterator[Row]:
    numpy = seconds("import numpy")
    yield Row("import wager", seconds("import wager"), numpy, "import numpy", at_most=1.3)
    yield Row("wager --help", seconds(ANSWER), numpy, "import numpy", at_most=3)
