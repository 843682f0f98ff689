"""Bayesian networks: TAN, AODE, and causal discovery by minimum message length."""

from wager.learners.networks._aode import AODE
from wager.learners.networks._tan import TAN
from wager.learners.networks.causal import (
    CausalMML,
    ChainComparison as ChainComparison,
)

__all__ = ["AODE", "TAN", "CausalMML"]
