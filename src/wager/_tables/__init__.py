"""Reading tables, columns and labels, and the counts and codes made of them.

Every other package uses these helpers, and only through this interface.

========================  ========================================================================
Topic                     Names
========================  ========================================================================
frames and arrays         ``is_frame``, ``is_list_column``, ``is_sparse``, ``in_memory``,
                          ``column_array``, ``column_names``, ``declared_categories``,
                          ``first_value``, ``frame_names``, ``frame_to_matrix``,
                          ``flatten_lists``, ``keep_values``, ``numbered_from``,
                          ``numbered_classes``
tables given to ``fit``   ``read_table``, ``read_class_labels``
one column of a table     ``column_kind``, ``column_levels``, ``encode_column``, ``numeric_column``,
                          ``raw_column``
codes                     ``MISSING_CODE``, ``Schema``, ``codes_of_numbers``,
                          ``nominal_columns``, ``nominal_names``
counts                    ``Counts``, ``PairCounts``, ``NamedCounts``, ``check_count_table_size``,
                          ``check_pair_table_size``, ``training_counts``, ``value_offsets``
data read from JSON       ``parse_json``, ``plain_data``, ``plain_integers``, ``plain_labels``,
                          ``plain_numbers``, ``refuse_huge_counts``
labels                    ``DistinctLabels``, ``distinct_labels``, ``check_classes``,
                          ``encode_labels``, ``kind_of_labels``, ``labels_for_fit``,
                          ``read_labels``, ``refuse_final_nul``, ``union_labels``
names that occur twice    ``repeated``, ``repeated_column``, ``refuse_repeated_names``
order of the classes      ``order_of``, ``require_sorted``
output in the same form   ``frame_like``, ``matrix_like``, ``categorical_column``,
                          ``select_columns``
weights and clusters      ``RowUnits``, ``check_counts``, ``check_weights``, ``LARGEST_WEIGHT``,
                          ``LEAST_WEIGHT``
row blocks                ``BLOCK``, ``row_blocks``, ``row_ranges``, ``row_sums``,
                          ``along_rows``
numbers                   ``ROUNDING``
rows with equal keys      ``joined``, ``first_of_each``
how results look          ``View``, ``Table``, ``Viewed``, ``ViewedFields``, ``fields_text``,
                          ``fields_html``, ``folded``
results that are equal    ``ComparedFields``
checks of arguments       ``require_kind``, ``require_whole``, ``real_number``, ``real_numbers``,
                          ``is_one_of``, ``look_up``, ``not_complex``, ``chosen_rows``,
                          ``positions``
text                      ``format_label``, ``format_labels``, ``in_braces``, ``format_number``,
                          ``format_table``, ``signed_numbers``, ``supported_digits``,
                          ``is_missing``, ``unmasked``, ``nearest_name``, ``number_lines``
text files                ``as_utf8``, ``bounded``, ``limited_text``, ``open_text``, ``open_bytes``,
                          ``reading``, ``wrong_encoding``, ``TextFile``, ``STANDARD_INPUT``,
                          ``duckdb_path``,
                          ``csv_dialect``, ``file_dialect``, ``CsvDialect``, ``MISSING_WORDS``,
                          ``duckdb_sentence``, ``first_line``, ``irregular_csv``,
                          ``COMPRESSED``, ``BLANKS``
========================  ========================================================================
"""

from wager._tables._codes import (
    MISSING_CODE,
    Schema,
    codes_of_numbers,
    column_levels,
    encode_column,
    nominal_columns,
    nominal_names,
)
from wager._tables._column_order import (
    in_order_of,
    named_values,
    order_of,
    require_sorted,
    rows_of,
)
from wager._tables._columns import (
    categorical_column,
    column_kind,
    frame_like,
    matrix_like,
    numeric_column,
    raw_column,
    read_table,
    refuse_repeated_names,
    repeated_column,
    select_columns,
)
from wager._tables._compared import ComparedFields
from wager._tables._counts import (
    Counts,
    PairCounts,
    check_count_table_size,
    check_pair_table_size,
    training_counts,
    value_offsets,
)
from wager._tables._csv_dialect import BLANKS, MISSING_WORDS, CsvDialect, csv_dialect, file_dialect
from wager._tables._duckdb_errors import (
    duckdb_sentence,
    first_line,
    irregular_csv,
)
from wager._tables._frames import (
    column_array,
    column_names,
    declared_categories,
    first_value,
    flatten_lists,
    frame_names,
    frame_to_matrix,
    in_memory,
    is_frame,
    is_list_column,
    is_sparse,
    keep_values,
    numbered_from,
)
from wager._tables._joined_rows import first_of_each, joined
from wager._tables._joined_texts import (
    count_joined as count_joined,
    number_joined as number_joined,
)
from wager._tables._labels import (
    DistinctLabels,
    check_classes,
    distinct_labels,
    encode_labels,
    kind_of_labels,
    labels_for_fit,
    numbered_classes,
    read_class_labels,
    read_labels,
    refuse_final_nul,
    union_labels,
)
from wager._tables._named_counts import NamedCounts
from wager._tables._number_lines import number_lines
from wager._tables._plain_data import (
    parse_json,
    plain_data,
    plain_integers,
    plain_labels,
    plain_numbers,
    refuse_huge_counts,
)
from wager._tables._rows import (
    BLOCK,
    LARGEST_WEIGHT,
    LEAST_WEIGHT,
    along_rows,
    check_weights,
    row_blocks,
    row_ranges,
    row_sums,
)
from wager._tables._text import (
    counted,
    format_number,
    format_table,
    nearest_name,
    signed_numbers,
    supported_digits,
    there_are,
)
from wager._tables._text_files import (
    COMPRESSED,
    SHOWN_INPUT,
    STANDARD_INPUT,
    TextFile,
    as_utf8,
    bounded,
    duckdb_path,
    limited_text,
    open_bytes,
    open_text,
    reading,
    refuse_many_rows,
    wrong_encoding,
)
from wager._tables._units import RowUnits, check_counts
from wager._tables._values import (
    ROUNDING,
    chosen_rows,
    format_label,
    format_labels,
    in_braces,
    is_missing,
    is_number,
    is_one_of,
    look_up,
    not_complex,
    positions,
    real_number,
    real_numbers,
    repeated,
    require_kind,
    require_whole,
    unmasked,
)
from wager._tables._view import (
    Table,
    View,
    Viewed,
    ViewedFields,
    fields_html,
    fields_text,
    folded,
)

__all__ = [
    "BLANKS",
    "BLOCK",
    "COMPRESSED",
    "LARGEST_WEIGHT",
    "LEAST_WEIGHT",
    "MISSING_CODE",
    "MISSING_WORDS",
    "ROUNDING",
    "SHOWN_INPUT",
    "STANDARD_INPUT",
    "ComparedFields",
    "Counts",
    "CsvDialect",
    "DistinctLabels",
    "NamedCounts",
    "PairCounts",
    "RowUnits",
    "Schema",
    "Table",
    "TextFile",
    "View",
    "Viewed",
    "ViewedFields",
    "along_rows",
    "as_utf8",
    "bounded",
    "categorical_column",
    "check_classes",
    "check_count_table_size",
    "check_counts",
    "check_pair_table_size",
    "check_weights",
    "chosen_rows",
    "codes_of_numbers",
    "column_array",
    "column_kind",
    "column_levels",
    "column_names",
    "counted",
    "csv_dialect",
    "declared_categories",
    "distinct_labels",
    "duckdb_path",
    "duckdb_sentence",
    "encode_column",
    "encode_labels",
    "fields_html",
    "fields_text",
    "file_dialect",
    "first_line",
    "first_of_each",
    "first_value",
    "flatten_lists",
    "folded",
    "format_label",
    "format_labels",
    "format_number",
    "format_table",
    "frame_like",
    "frame_names",
    "frame_to_matrix",
    "in_braces",
    "in_memory",
    "irregular_csv",
    "is_frame",
    "is_list_column",
    "is_missing",
    "is_number",
    "is_one_of",
    "is_sparse",
    "joined",
    "keep_values",
    "kind_of_labels",
    "labels_for_fit",
    "limited_text",
    "look_up",
    "matrix_like",
    "nearest_name",
    "nominal_columns",
    "nominal_names",
    "not_complex",
    "number_lines",
    "numbered_classes",
    "numbered_from",
    "numeric_column",
    "open_bytes",
    "open_text",
    "order_of",
    "parse_json",
    "plain_data",
    "plain_integers",
    "plain_labels",
    "plain_numbers",
    "positions",
    "raw_column",
    "read_class_labels",
    "read_labels",
    "read_table",
    "reading",
    "real_number",
    "real_numbers",
    "refuse_final_nul",
    "refuse_huge_counts",
    "refuse_many_rows",
    "refuse_repeated_names",
    "repeated",
    "repeated_column",
    "require_kind",
    "require_sorted",
    "require_whole",
    "row_blocks",
    "row_ranges",
    "row_sums",
    "select_columns",
    "signed_numbers",
    "supported_digits",
    "there_are",
    "training_counts",
    "union_labels",
    "unmasked",
    "value_offsets",
    "wrong_encoding",
]
