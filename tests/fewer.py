"""Fewer cases for properties whose cases take long."""

from __future__ import annotations

from hypothesis import settings

from tests.replications import THOROUGH


def fewer(examples: int) -> settings:
    """At most so many cases of a property; ``--hypothesis-profile thorough`` tries all of its."""
    usual = settings().max_examples
    return settings(max_examples=usual if usual >= THOROUGH else min(examples, usual))
