"""Results in MLflow, by its file store."""

import pytest

from tests.experiments.filled import fill
from wager.experiments import Plan, log_to_mlflow

mlflow = pytest.importorskip("mlflow", reason="MLflow is an extra: install wager[mlflow]")


@pytest.fixture
def uri(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    return (tmp_path / "mlruns").as_uri()


def runs(uri, name):
    client = mlflow.MlflowClient(tracking_uri=uri)
    experiment = client.get_experiment_by_name(name)
    return client.search_runs([experiment.experiment_id])


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_run_for_each_learner_on_each_data_set_and_none_twice(uri, tmp_path):
    learners = {"all": "vacuous", "one": "random-class"}
    plan = Plan(name="guesses", datasets=["iris", "wine"], learners=learners, scheme="5x2")
    store = fill(plan, tmp_path / "store")
    for _ in range(2):
        assert log_to_mlflow(store, uri) == 4
        found = runs(uri, "guesses")
        assert len(found) == 4
    scores, pooled = store.scores("u65"), store.scores("u65", pooled=True)
    for run in found:
        where = (
            scores.rows.index(run.data.params["dataset"]),
            scores.columns.index(run.data.params["learner"]),
        )
        assert run.data.metrics["u65"] == scores.values[where]
        assert run.data.metrics["pooled_u65"] == pooled.values[where]
        assert run.info.status == "FINISHED"


def test_a_server_that_is_not_there_is_a_sentence(tmp_path):
    store = fill(Plan(datasets=["iris"], learners={"all": "vacuous"}), tmp_path)
    with pytest.raises(ValueError, match="MLflow at nonsense://x reports an error"):
        log_to_mlflow(store, "nonsense://x")
