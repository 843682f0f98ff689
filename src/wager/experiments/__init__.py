"""Generators, plans, the runner, the store and the papers' studies."""

from wager.experiments import generators, studies
from wager.experiments._demo import UTILITIES, Demo, run_demo
from wager.experiments._weka_folds import fold_of_row, weka_folds
from wager.experiments.plan import Plan, Preparation, find_generator
from wager.experiments.run import (
    Fitted,
    Progress,
    RunSummary,
    declare_classes,
    fit_and_predict,
    fold_of,
    like,
    probe,
    run,  # the function: `wager.experiments.run` is the runner, its package stands behind it
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
