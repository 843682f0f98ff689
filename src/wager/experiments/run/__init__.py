"""Running a plan: each unit is fitted in a worker process, scored, and stored.

``wager.experiments.run`` is also the function `run`: the package ``wager.experiments`` binds the
function under this name, and modules import this package's contents by their full path.
"""

from wager.experiments.run._fit_file import (
    NumericColumnError as NumericColumnError,
    can_fit_file as can_fit_file,
    fit_learner_on_file as fit_learner_on_file,
)
from wager.experiments.run._fit_predict import (
    FittedLearner as FittedLearner,
    declare_classes as declare_classes,
    fit_learner as fit_learner,
)
from wager.experiments.run._fit_unit import (
    predict as predict,
    with_declared as with_declared,
)
from wager.experiments.run._probe import TimeEstimate, probe
from wager.experiments.run._progress import Progress, RunSummary
from wager.experiments.run._run import run
from wager.experiments.run._unit_data import (
    UnitData as UnitData,
    unit_data as unit_data,
)

__all__ = ["Progress", "RunSummary", "TimeEstimate", "probe", "run"]
