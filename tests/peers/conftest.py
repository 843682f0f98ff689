"""Comparisons with other libraries: `make peers` runs them, in an environment that has the peers.

``make test`` does not collect them.  A peer that is not installed is skipped by name.
"""

from __future__ import annotations


def pytest_ignore_collect(collection_path, config):
    """Collect these tests only if their folder is named on the command line."""
    asked = any("peers" in str(argument) for argument in config.args)
    return None if asked else True
