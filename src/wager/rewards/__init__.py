"""What a prediction earned: utilities, the tally, set-valued scores, information rewards, bets."""

from wager.rewards._utilities import (
    Custom,
    Exponential,
    FBeta,
    Linear,
    Logarithmic,
    Power,
    Quadratic,
    Tabulated,
    Utility,
)
from wager.rewards._utility_names import (
    UtilityLike,
    get_utility,
    read_utility,
    utility_from_dict,
    write_utility,
)

__all__ = [
    "Custom",
    "Exponential",
    "FBeta",
    "Linear",
    "Logarithmic",
    "Power",
    "Quadratic",
    "Tabulated",
    "Utility",
    "UtilityLike",
    "get_utility",
    "read_utility",
    "utility_from_dict",
    "write_utility",
]
