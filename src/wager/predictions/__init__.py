"""What was said: sets, probabilities, intervals and memberships, and the files they come in."""

from wager.predictions._probabilities import check_probabilities

__all__ = ["check_probabilities"]
