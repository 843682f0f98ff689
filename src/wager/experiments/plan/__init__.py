"""Plans: what an experiment is to do."""

from wager.experiments.plan._plan import Plan
from wager.experiments.plan._prepare import Preparation
from wager.experiments.plan._sources import find_generator

__all__ = ["Plan", "Preparation", "find_generator"]
