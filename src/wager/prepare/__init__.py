"""Prepare data for the learners: load data sets, discretize, select features, impute and encode."""

from wager.prepare._cfs import CfsSelector
from wager.prepare._chunks import (
    LARGE_FILE as LARGE_FILE,
    dataset_chunks as dataset_chunks,
    is_csv as is_csv,
    is_large_file as is_large_file,
)
from wager.prepare._coded_rows import CodedColumn as CodedColumn, count_pairs as count_pairs
from wager.prepare._count_values import count_values as count_values
from wager.prepare._counts_of_files import (
    count_file as count_file,
    open_rows as open_rows,
)
from wager.prepare._dataset import (
    Dataset,
    TargetError as TargetError,
)
from wager.prepare._discretize import EqualFrequencyDiscretizer, MDLDiscretizer
from wager.prepare._encode import NominalEncoder
from wager.prepare._impute import ModeMeanImputer
from wager.prepare._load import (
    BUNDLED as BUNDLED,
    ENDINGS as ENDINGS,
    load_dataset,
)
from wager.prepare._table_files import MISSING_TEXTS as MISSING_TEXTS
from wager.prepare._value_counts import ValueCounts as ValueCounts

__all__ = [
    "CfsSelector",
    "Dataset",
    "EqualFrequencyDiscretizer",
    "MDLDiscretizer",
    "ModeMeanImputer",
    "NominalEncoder",
    "load_dataset",
]
