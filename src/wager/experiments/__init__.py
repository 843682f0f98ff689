"""Generators, plans, the runner, the store and the papers' studies."""

from wager.experiments._demo import UTILITIES, Demo, run_demo
from wager.experiments._folds import fold_of_row, weka_folds

__all__ = ["UTILITIES", "Demo", "fold_of_row", "run_demo", "weka_folds"]
