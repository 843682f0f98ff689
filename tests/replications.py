"""How often a test of an error rate draws a sample.

`make simulate` measures these rates with thousands of samples.  The tests repeat a fraction of
what shows a rate that is far off; ``pytest --hypothesis-profile thorough`` repeats all of it.
The bounds are standard errors around the promised rate, so they follow the number of samples.
"""

from __future__ import annotations

from hypothesis import settings

THOROUGH = 500  # examples of the profile, see tests/conftest.py


def replications(thorough: int) -> int:
    """The number of samples: `thorough` with that profile, else a fifth of it."""
    return thorough if settings().max_examples >= THOROUGH else thorough // 5
