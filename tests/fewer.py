"""Fewer cases for properties whose cases take long."""

from __future__ import annotations

from hypothesis import settings

from tests.replications import THOROUGH


def fewer(examples: int) -> settings:
    """So many cases of a property, or all those of ``--hypothesis-profile thorough``."""
    return settings(max_examples=max(examples, settings().max_examples // THOROUGH * THOROUGH))
