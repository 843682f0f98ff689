"""Experiments: plans, the runner, the store of results, generated data, and studies."""

from wager.experiments import generators, studies
from wager.experiments._demo import UTILITIES, Demo, run_demo
from wager.experiments._weka_folds import fold_of_row, weka_folds
from wager.experiments.plan import (
    Plan,
    Preparation,  # for other packages
    find_generator,  # for other packages
)
from wager.experiments.run import (
    Fitted,  # for other packages
    Progress,
    RunSummary,
    declare_classes,  # for other packages
    fit_and_predict,  # for other packages
    like,  # for other packages
    probe,
    run,  # the function, in place of the package of the same name
    unit_data,  # for other packages
)
from wager.experiments.store import Failure, ScoreTable, Store, StoreError, log_to_mlflow

__all__ = [
    "UTILITIES",
    "Demo",
    "Failure",
    "Plan",
    "Progress",
    "RunSummary",
    "ScoreTable",
    "Store",
    "StoreError",
    "fold_of_row",
    "generators",
    "log_to_mlflow",
    "probe",
    "run",
    "run_demo",
    "studies",
    "weka_folds",
]
