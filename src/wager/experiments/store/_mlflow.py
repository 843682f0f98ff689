"""Export of results to MLflow: one run per learner and data set."""

from __future__ import annotations

from math import isfinite
from typing import Any

from wager.experiments.store._store import Store

__all__ = ["log_to_mlflow"]


def log_to_mlflow(store: Store, uri: str) -> int:
    """Log one run per learner and data set to an MLflow tracking server; returns their number.

    The experiment has the name of the plan.  Each run has the means over folds of the plan's
    measures, the same measures of all test rows pooled (``pooled_u65``), and the times.  Logging
    again updates the runs.

    Parameters
    ----------
    store : Store
    uri : str
        The tracking server or folder, in MLflow's notation.
    """
    try:
        from mlflow import MlflowClient
        from mlflow.exceptions import MlflowException
    except ImportError:
        raise ValueError("MLflow is not installed: install wager[mlflow]") from None
    try:
        client = MlflowClient(tracking_uri=uri)
        name = store.plan["name"]
        found = client.get_experiment_by_name(name)
        experiment = found.experiment_id if found else client.create_experiment(name)
        known = _known(client, experiment)
        metrics = _metrics(store)
        for (dataset, learner), values in metrics.items():
            run = known.get((dataset, learner)) or _new(client, experiment, dataset, learner)
            for metric, value in values.items():
                client.log_metric(run, metric, value)
            client.set_terminated(run)
    except MlflowException as problem:
        raise ValueError(f"MLflow at {uri} reports an error: {problem}") from None
    return len(metrics)


def _known(client: Any, experiment: str) -> dict[tuple[str, str], str]:
    runs = client.search_runs([experiment], max_results=50_000)
    return {
        (run.data.params["dataset"], run.data.params["learner"]): run.info.run_id for run in runs
    }


def _new(client: Any, experiment: str, dataset: str, learner: str) -> str:
    run = client.create_run(experiment, run_name=f"{learner} on {dataset}").info.run_id
    client.log_param(run, "dataset", dataset)
    client.log_param(run, "learner", learner)
    return run


def _metrics(store: Store) -> dict[tuple[str, str], dict[str, float]]:
    """The finite values of all measures, by data set and learner."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for measure in (*store.measures, "fit_seconds", "predict_seconds"):
        for pooled in (False, True):
            table = store.scores(measure, pooled=pooled)
            metric = ("pooled_" if pooled else "") + measure.replace(":", "_")
            for row, dataset in enumerate(table.rows):
                for column, learner in enumerate(table.columns):
                    value = float(table.values[row, column])
                    if isfinite(value):
                        found.setdefault((dataset, learner), {})[metric] = value
    return found
