"""Where an example runs: after a core install, unless its text names an extra that it needs.

A page, a docstring, a notebook or a script of the gallery names one by this sentence::

    This page needs `pip install 'wager[conformal]'`.

(or "This example", "This notebook", "This script"; docstrings have double backticks).  `make test`
runs the examples that name none in ``.venv-core``, where no extra is installed, and all others in
``.venv``; ``pytest`` without options runs all of them where it is called.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

_NEEDS = re.compile(
    r"This (?:page|example|notebook|script) needs `{1,2}pip install 'wager\[(\w+)\]'`{1,2}"
)


def extra_of(text: str) -> str | None:
    """The extra that a text names, None if it runs after a core install."""
    found = _NEEDS.search(" ".join(text.split()))
    return found and found[1]


def examples(files: Iterable[Path], name: Callable[[Path], str]) -> list[Any]:
    """Parameters of a test that runs files; those that need no extra are marked ``core``."""
    return [
        pytest.param(
            file,
            id=name(file),
            marks=() if extra_of(file.read_text(encoding="utf-8")) else pytest.mark.core,
        )
        for file in files
    ]
