"""What was said: sets, probabilities, intervals and memberships, and the files they come in."""

from wager._tables import check_classes, check_weights, encode_labels
from wager.predictions._dispatch import align, as_sets
from wager.predictions._estimators import predict_set
from wager.predictions._intervals import TOLERANCE, ProbabilityIntervals, check_functions
from wager.predictions._packing import n_words, pack, unpack
from wager.predictions._probabilities import (
    align_probabilities,
    as_real_matrix,
    check_probabilities,
    columns_by_name,
)
from wager.predictions._sets import PredictionSets, size_and_hit
from wager.predictions._strings import join_labels, split_labels
from wager.predictions.files._arrays import Predictions
from wager.predictions.files._entries import FileCounts
from wager.predictions.files._read import (
    PredictionFile,
    file_forms,
    read_predictions,
    scan_predictions,
)
from wager.predictions.files._source import file_format
from wager.predictions.files._write import write_predictions

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
