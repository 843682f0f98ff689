"""The store of results: a database of units, and every measure of them."""

from wager.experiments.store._database import (
    Writer as Writer,
    open_to_write as open_to_write,
)
from wager.experiments.store._lock import StoreError
from wager.experiments.store._mlflow import log_to_mlflow
from wager.experiments.store._pivot import PivotTable
from wager.experiments.store._priced import (
    costs_to_text as costs_to_text,
    pack_cost_tally as pack_cost_tally,
)
from wager.experiments.store._repair import Repair as Repair
from wager.experiments.store._resampling import (
    ResampledPairedTally as ResampledPairedTally,
    ResampledTally as ResampledTally,
    Resampling as Resampling,
    SplitRows as SplitRows,
)
from wager.experiments.store._scores import ScoreTable
from wager.experiments.store._store import (
    Failure,
    Store,
    require_learners as require_learners,
)
from wager.experiments.store._unit_result import (
    UnitPredictions as UnitPredictions,
    UnitResult as UnitResult,
    expected_tally as expected_tally,
    pack_numbers as pack_numbers,
    pack_probabilities as pack_probabilities,
    pack_rows as pack_rows,
)

__all__ = ["Failure", "PivotTable", "ScoreTable", "Store", "StoreError", "log_to_mlflow"]
