"""Data sets in; discretizers, selection, encoding; the one count kernel."""

from wager.prepare._dataset import Dataset
from wager.prepare._discretize import EqualFrequencyDiscretizer, MDLDiscretizer
from wager.prepare._load import load_dataset

__all__ = ["Dataset", "EqualFrequencyDiscretizer", "MDLDiscretizer", "load_dataset"]
