"""README's lines, run by another Python than this one."""

from __future__ import annotations

import doctest
import os
import shlex
import subprocess
from pathlib import Path

from tests.docs.pages import PROJECT, blocks

README = PROJECT / "README.md"
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def run_readme(python: Path, folder: Path) -> None:
    """Run every block of README with a Python and its ``wager``, and compare what they print."""
    for block in blocks(README):
        where = f"README.md, line {block.line}"
        if block.file is not None:
            (folder / block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            _compare(block.expected, _run([python, "-c", block.text], folder), where)
        for step in block.steps:
            said = ""
            for call in step.commands:
                words = shlex.split(call, comments=True)[1:]
                said += _run([python.with_name("wager"), *words], folder)
            _compare(step.expected, said, where)


def _run(command: list[str | Path], folder: Path) -> str:
    surroundings = {**os.environ, "COLUMNS": "100"}
    surroundings.pop("PYTHONPATH", None)
    done = subprocess.run(
        command, cwd=folder, env=surroundings, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


def _compare(expected: str | None, said: str, where: str) -> None:
    if expected is not None and not doctest.OutputChecker().check_output(expected, said, FLAGS):
        raise SystemExit(f"{where} shows\n{expected}\nbut this is printed:\n{said}")
