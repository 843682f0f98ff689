"""The ordinal data sets of Yang, Destercke & Masson (2017), Section VII, and costs of predictions.

Employee rejection (ERA), employee selection (ESL) and lecturers' evaluation (LEV) have ordered
classes; an error costs the distance between the ranks.  Classifiers decide with these costs of
single classes; costs of sets are computed afterwards, so one run serves every r and both modes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from wager._typing import Floats
from wager.costs import CostMatrix, CostTally, ExtendedCosts
from wager.experiments.study import Claim, finished_scores, left_open
from wager.predictions import PredictionSets
from wager_studies._data_source import folder_of, source_of

if TYPE_CHECKING:
    from wager.experiments import Store

__all__ = [
    "CLASSES",
    "MODES",
    "Counted",
    "counted_sets",
    "open_if_partial",
    "p_discounted",
    "preset",
]

CLASSES = {"ERA": "123456789", "ESL": "123456789", "LEV": "01234"}  # in their order
BUNDLED = ("iris", "wine")  # for a quick run; their classes have no meaningful order
MODES = ("cautious", "mistake-averse")


def preset(data: str | None, quick: bool, repeats: int) -> dict[str, Any]:
    """The part of a plan that both studies share: data, folds and preparation.

    Features are cut once on the whole file into five bins of equal frequency; LEV is discrete.
    """
    whole = [{"source": source_of(data, name.lower()), "name": name} for name in CLASSES]
    return {
        "data": folder_of(data),
        "datasets": list(BUNDLED) if quick else whole,
        "prepare": {"discretize": "equal-frequency", "n_bins": 5, "discretize_in": "once"},
        "scheme": {"n_folds": 5} if quick else {"n_folds": 10, "repeats": repeats},
        "measures": ("determinacy", "mean_set_size", "coverage"),
        "probabilities": False,
        "predictions": True,
    }


def p_discounted(classes: Any, r: float, mode: str = "cautious") -> ExtendedCosts:
    """Distances between ranks, extended to sets (Eqs 14 to 16)."""
    return CostMatrix.ordinal(classes).extend("p-discounted", r=r, mode=mode)


class Counted(NamedTuple):
    """The predictions of a learner: counts of each set by true class, in each split."""

    splits: Sequence[CostTally]

    @property
    def whole(self) -> CostTally:
        """The counts of all splits together."""
        return sum(self.splits[1:], self.splits[0])

    def by_split(self, costs: ExtendedCosts) -> Floats:
        """The average cost in each split."""
        return np.array([split.average(costs) for split in self.splits])


def counted_sets(store: Store) -> dict[str, dict[str, Counted]]:
    """The counts of the stored predictions, by data set and learner.

    Data sets with missing fits are left out.
    """
    import duckdb

    query = (
        "SELECT filename, y_true, set, count(*) FROM read_parquet($files, filename = true) "
        "GROUP BY ALL ORDER BY ALL"
    )
    found: dict[str, dict[str, Counted]] = {}
    for dataset in finished_scores(store, "determinacy").rows:
        files = {
            learner: [str(file) for file in store.predictions(dataset, learner)]
            for learner in store.learners
        }
        cells: dict[str, list[Any]] = {file: [] for each in files.values() for file in each}
        with duckdb.connect() as database:
            for file, *cell in database.execute(query, {"files": list(cells)}).fetchall():
                cells[file].append(cell)
        classes = _classes(dataset, cells.values())
        found[dataset] = {
            learner: Counted([_tally(cells[file], classes) for file in each])
            for learner, each in files.items()
        }
    return found


def open_if_partial(claims: Iterable[Claim], datasets: Collection[str]) -> list[Claim]:
    """The claims, without a verdict unless all data sets of the paper are finished."""
    if set(datasets) == set(CLASSES):
        return list(claims)
    return left_open(claims, f"not on {', '.join(CLASSES)} but on {', '.join(datasets)}")


def _classes(dataset: str, cells: Iterable[Sequence[Any]]) -> Any:
    """The classes in their order: as listed above, or all that occur."""
    if dataset in CLASSES:
        return np.array(list(CLASSES[dataset]))
    occur = {label for each in cells for truth, labels, _ in each for label in (truth, *labels)}
    return np.array(sorted(occur))


def _tally(cells: Sequence[Any], classes: Any) -> CostTally:
    truth, sets, counts = zip(*cells, strict=True)
    predicted = PredictionSets.from_lists(sets, classes)
    return CostTally.of(truth, predicted, classes, sample_weight=counts)
