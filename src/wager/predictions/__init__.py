"""What was said: sets, probabilities, intervals and memberships, and the files they come in."""

from wager.predictions._dispatch import align, as_sets
from wager.predictions._estimators import predict_set
from wager.predictions._files_arrays import Predictions
from wager.predictions._files_entries import FileCounts
from wager.predictions._files_read import (
    PredictionFile,
    file_forms,
    read_predictions,
    scan_predictions,
)
from wager.predictions._files_write import write_predictions
from wager.predictions._intervals import ProbabilityIntervals
from wager.predictions._labels import check_classes, encode_labels
from wager.predictions._packing import pack, unpack
from wager.predictions._probabilities import (
    align_probabilities,
    as_real_matrix,
    check_probabilities,
)
from wager.predictions._sets import PredictionSets, size_and_hit
from wager.predictions._weights import check_weights

__all__ = [
    "FileCounts",
    "PredictionFile",
    "PredictionSets",
    "Predictions",
    "ProbabilityIntervals",
    "align",
    "align_probabilities",
    "as_real_matrix",
    "as_sets",
    "check_classes",
    "check_probabilities",
    "check_weights",
    "encode_labels",
    "file_forms",
    "pack",
    "predict_set",
    "read_predictions",
    "scan_predictions",
    "size_and_hit",
    "unpack",
    "write_predictions",
]
