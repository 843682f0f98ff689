"""Running a plan, unit by unit."""

from wager.experiments.run._fit_predict import Fitted, declare_classes, fit_and_predict, like
from wager.experiments.run._fold import fold_of
from wager.experiments.run._probe import probe
from wager.experiments.run._run import Progress, RunSummary, run

__all__ = [
    "Fitted",
    "Progress",
    "RunSummary",
    "declare_classes",
    "fit_and_predict",
    "fold_of",
    "like",
    "probe",
    "run",
]
