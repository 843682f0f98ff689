"""Frames, codes, counts, labels and text tables that every package shares."""

from wager._tables._blocks import BLOCK, row_blocks, row_sums
from wager._tables._classes import read_class_labels
from wager._tables._codes import MISSING_CODE, Schema, column_levels, encode_column, nominal_columns
from wager._tables._columns import (
    column_kind,
    is_frame,
    is_missing,
    numeric_column,
    raw_column,
    read_table,
)
from wager._tables._counts import Counts, PairCounts, check_pair_table_size, value_offsets
from wager._tables._distinct import DistinctLabels, distinct_labels, format_label, format_labels
from wager._tables._frames import (
    flatten_lists,
    frame_to_matrix,
    is_frame,
    is_list_column,
    is_sparse,
    library,
)
from wager._tables._labels import check_classes, encode_labels
from wager._tables._output import categorical_column, frame_like, matrix_like
from wager._tables._text import format_number, format_table
from wager._tables._weights import check_weights
