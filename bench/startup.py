"""How fast the library is imported and its command line answers: CPU time of whole processes."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator

from bench.measure import Row

HELP = "import sys; from wager.cli import main; sys.argv = ['wager', {words}'--help']; main()"


def seconds(code: str, repeat: int = 15) -> float:
    """Smallest CPU time of a Python process that runs the code, with compiled byte code."""
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
    for command in ("", "score "):
        answer = HELP.format(words=f"{command.strip()!r}, " if command else "")
        yield Row(f"wager {command}--help", seconds(answer), numpy, "import numpy", at_most=3)
