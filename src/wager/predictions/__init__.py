"""Predictions: sets, probabilities, intervals and memberships, and the files that contain them."""

# For other packages, and not in __all__: alignment with true labels, the classes of estimators,
# checks of probabilities, functions on packed sets, the spelling of sets as text, and other ways to
# open prediction files.
from wager.predictions._dispatch import (
    align as align,
    as_sets,
)
from wager.predictions._estimators import (
    classes_of as classes_of,
    explain_set,
    knows_some as knows_some,
    predict_set,
    robustness,
)
from wager.predictions._intervals import (
    TOLERANCE as TOLERANCE,
    ProbabilityIntervals,
    check_functions as check_functions,
)
from wager.predictions._matching import (
    class_source as class_source,
    columns_over as columns_over,
    row_by_name as row_by_name,
    same_columns as same_columns,
    sets_over as sets_over,
)
from wager.predictions._packing import (
    n_words as n_words,
    pack as pack,
    unpack as unpack,
)
from wager.predictions._probabilities import (
    SUM_TOLERANCE as SUM_TOLERANCE,
    align_probabilities as align_probabilities,
    as_real_matrix as as_real_matrix,
    check_probabilities as check_probabilities,
    columns_by_name as columns_by_name,
    first_largest as first_largest,
)
from wager.predictions._set_rows import (
    check_memory as check_memory,
)
from wager.predictions._sets import (
    PredictionSets,
    concatenate_sets as concatenate_sets,
    sets_of_members as sets_of_members,
    size_and_hit as size_and_hit,
)
from wager.predictions._strings import (
    join_labels as join_labels,
    split_labels as split_labels,
)
from wager.predictions._top_k import (
    TopKBlock as TopKBlock,
    TopKProbabilities,
    align_top_k as align_top_k,
    as_top_k as as_top_k,
    most_probable as most_probable,
)
from wager.predictions.files import (
    AppendedRows as AppendedRows,
    FileCounts,
    FilePart as FilePart,
    GroupCounts,
    LogPlace as LogPlace,
    MissingRows as MissingRows,
    OutcomeRows as OutcomeRows,
    PartCounts as PartCounts,
    PredictionFile,
    Predictions,
    RowKey as RowKey,
    RowOddities as RowOddities,
    SetOutcome as SetOutcome,
    aligned_parts as aligned_parts,
    classes_of_parts as classes_of_parts,
    file_format as file_format,
    file_parts as file_parts,
    groups_of_parts as groups_of_parts,
    joint_classes as joint_classes,
    make_class_table as make_class_table,
    oddities as oddities,
    parquet_files as parquet_files,
    preferred_form as preferred_form,
    read_appended as read_appended,
    read_predictions,
    refuse_labels as refuse_labels,
    refuse_without as refuse_without,
    run_with_progress as run_with_progress,
    scan_all_predictions as scan_all_predictions,
    scan_predictions,
    scan_sets as scan_sets,
    text_code_sql as text_code_sql,
    total_of_parts as total_of_parts,
    write_predictions,
    writing_predictions as writing_predictions,
)

__all__ = [
    "FileCounts",
    "GroupCounts",
    "PredictionFile",
    "PredictionSets",
    "Predictions",
    "ProbabilityIntervals",
    "TopKProbabilities",
    "as_sets",
    "explain_set",
    "predict_set",
    "read_predictions",
    "robustness",
    "scan_predictions",
    "write_predictions",
]
