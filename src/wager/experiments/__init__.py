"""Experiments: plans, the runner, the store of results, generated data, and studies."""

from wager.experiments import generators, studies
from wager.experiments._demo import UTILITIES, Demo, run_demo
from wager.experiments._meta_metric import RankingTask as RankingTask, meta_metric
from wager.experiments._meta_metric_plot import draw_ranking_shares as draw_ranking_shares
from wager.experiments._metric_agreement import (
    TRUTHS as TRUTHS,
    random_costs as random_costs,
)
from wager.experiments._ranking_metrics import read_metrics as read_metrics
from wager.experiments._rankings import MetaMetric, mean_of_known as mean_of_known
from wager.experiments._weka_folds import fold_of_row, weka_folds
from wager.experiments.plan import (
    Plan,
    Preparation as Preparation,
    find_generator as find_generator,
)
from wager.experiments.run import (
    FittedLearner as FittedLearner,
    NumericColumnError as NumericColumnError,
    Progress,
    RunSummary,
    TimeEstimate as TimeEstimate,
    can_fit_file as can_fit_file,
    declare_classes as declare_classes,
    fit_learner as fit_learner,
    fit_learner_on_file as fit_learner_on_file,
    probe,
    run,  # the function, in place of the package of the same name
    unit_data as unit_data,
)
from wager.experiments.store import (
    Failure,
    PivotTable,
    Repair as Repair,
    ScoreTable,
    Store,
    StoreError,
    log_to_mlflow,
    require_learners as require_learners,
)

__all__ = [
    "UTILITIES",
    "Demo",
    "Failure",
    "MetaMetric",
    "PivotTable",
    "Plan",
    "Progress",
    "RunSummary",
    "ScoreTable",
    "Store",
    "StoreError",
    "fold_of_row",
    "generators",
    "log_to_mlflow",
    "meta_metric",
    "probe",
    "run",
    "run_demo",
    "studies",
    "weka_folds",
]
