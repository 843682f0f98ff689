"""Generators, plans, the runner, the store and the papers' studies."""

from wager._lazy import lazy_names

_HOMES = {
    "UTILITIES": "wager.experiments._demo",
    "Demo": "wager.experiments._demo",
    "Failure": "wager.experiments._store",
    "Plan": "wager.experiments._plan",
    "Progress": "wager.experiments._run",
    "RunSummary": "wager.experiments._run",
    "ScoreTable": "wager.experiments._score_table",
    "Store": "wager.experiments._store",
    "StoreError": "wager.experiments._lock",
    "fold_of_row": "wager.experiments._folds",
    "generators": "wager.experiments.generators",
    "log_to_mlflow": "wager.experiments._mlflow",
    "probe": "wager.experiments._probe",
    "run": "wager.experiments._run",
    "run_demo": "wager.experiments._demo",
    "studies": "wager.experiments.studies",
    "weka_folds": "wager.experiments._folds",
}

__all__ = sorted(_HOMES)
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
