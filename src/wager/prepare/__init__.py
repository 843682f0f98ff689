"""Data sets in; discretizers, selection, encoding; the one count kernel."""

from wager.prepare._dataset import Dataset
from wager.prepare._load import load_dataset

__all__ = ["Dataset", "load_dataset"]
