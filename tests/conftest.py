"""One profile for all property tests: no deadline, and the same cases each run."""

from hypothesis import settings

settings.register_profile("wager", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("wager")
