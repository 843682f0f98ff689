"""Frames, codes, counts, labels and text tables that every package shares."""

from wager._tables._blocks import BLOCK, row_blocks, row_sums
from wager._tables._classes import read_classes
from wager._tables._codes import MISSING, Schema, learn_levels, look_up, nominal_columns
from wager._tables._columns import (
    column_kind,
    is_data_frame,
    missing,
    numbers,
    raw_column,
    read_table,
)
from wager._tables._counts import Counts, PairCounts, offsets_of, require_room_for_pairs
from wager._tables._distinct import Distinct, distinct_labels, listing, show
from wager._tables._frames import (
    frame_parts,
    is_frame,
    is_list_column,
    is_sparse,
    library,
    list_parts,
)
from wager._tables._labels import check_classes, encode_labels
from wager._tables._output import categories, frame_like, matrix_like
from wager._tables._text import number, text_table
from wager._tables._weights import check_weights
