"""Comparisons with other libraries: `make peers` runs them, in an environment that has the peers.

``make test`` does not collect them.  A peer that is not installed is skipped by name.
"""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent


def pytest_ignore_collect(collection_path, config):
    """Collect these tests only if their folder, or a file in it, is named on the command line."""
    named = (Path(str(argument).partition("::")[0]).resolve() for argument in config.args)
    asked = any(path == HERE or HERE in path.parents for path in named)
    return None if asked else True
