"""Prediction files: reading, counting and writing them."""

from wager.predictions.files._counts import FileCounts
from wager.predictions.files._formats import file_format
from wager.predictions.files._predictions import Predictions
from wager.predictions.files._read import (
    PredictionFile,
    read_predictions,
    scan_all_predictions,
    scan_predictions,
    scan_sets,
)
from wager.predictions.files._warnings import RowOddities
from wager.predictions.files._write import write_predictions

__all__ = [
    "FileCounts",
    "PredictionFile",
    "Predictions",
    "RowOddities",
    "file_format",
    "read_predictions",
    "scan_all_predictions",
    "scan_predictions",
    "scan_sets",
    "write_predictions",
]
