"""Generators, plans, the runner, the store and the papers' studies."""

from wager.experiments._folds import fold_of_row, weka_folds

__all__ = ["fold_of_row", "weka_folds"]
