"""The store: results and every measure of them."""

from wager.experiments.store._lock import StoreError
from wager.experiments.store._mlflow import log_to_mlflow
from wager.experiments.store._scores import ScoreTable
from wager.experiments.store._store import Failure, Store

__all__ = ["Failure", "ScoreTable", "Store", "StoreError", "log_to_mlflow"]
