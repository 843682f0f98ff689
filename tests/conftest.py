"""Property tests have no deadline and the same cases each run.

``pytest --hypothesis-profile thorough`` tries many more cases.
"""

from hypothesis import settings

settings.register_profile("wager", deadline=None, max_examples=25, derandomize=True)
settings.register_profile("thorough", deadline=None, max_examples=500)
settings.register_profile("few", deadline=None, max_examples=4, derandomize=True)
settings.load_profile("wager")
