"""CausalMML: Bayesian networks found by minimum message length."""

from wager.learners.networks.causal._chains import ChainComparison as ChainComparison
from wager.learners.networks.causal._learner import CausalMML, NetworkModel
from wager.learners.networks.causal._network import Network

__all__ = ["CausalMML", "Network", "NetworkModel"]
