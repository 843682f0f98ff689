"""Prediction files: reading, counting and writing them."""

from wager.predictions.files._append_log import AppendedRows, LogPlace, read_appended
from wager.predictions.files._classes import joint_classes
from wager.predictions.files._count import make_class_table, text_code_sql
from wager.predictions.files._counts import FileCounts
from wager.predictions.files._formats import file_format
from wager.predictions.files._group_counts import GroupCounts
from wager.predictions.files._missing import MissingRows
from wager.predictions.files._outcomes import OutcomeRows, RowKey, SetOutcome
from wager.predictions.files._parts import (
    FilePart,
    PartCounts,
    aligned_parts,
    classes_of_parts,
    file_parts,
    groups_of_parts,
    refuse_labels,
    total_of_parts,
)
from wager.predictions.files._places import parquet_files
from wager.predictions.files._predictions import Predictions
from wager.predictions.files._read import (
    PredictionFile,
    preferred_form,
    read_predictions,
    refuse_without,
    scan_all_predictions,
    scan_predictions,
    scan_sets,
)
from wager.predictions.files._source import run_with_progress
from wager.predictions.files._warnings import RowOddities, oddities
from wager.predictions.files._write import write_predictions, writing_predictions

__all__ = [
    "AppendedRows",
    "FileCounts",
    "FilePart",
    "GroupCounts",
    "LogPlace",
    "MissingRows",
    "OutcomeRows",
    "PartCounts",
    "PredictionFile",
    "Predictions",
    "RowKey",
    "RowOddities",
    "SetOutcome",
    "aligned_parts",
    "classes_of_parts",
    "file_format",
    "file_parts",
    "groups_of_parts",
    "joint_classes",
    "make_class_table",
    "oddities",
    "parquet_files",
    "preferred_form",
    "read_appended",
    "read_predictions",
    "refuse_labels",
    "refuse_without",
    "run_with_progress",
    "scan_all_predictions",
    "scan_predictions",
    "scan_sets",
    "text_code_sql",
    "total_of_parts",
    "write_predictions",
    "writing_predictions",
]
