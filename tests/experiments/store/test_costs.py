"""Costs of a run: given with the plan or afterwards, the same as those of the predictions."""

import json
import sqlite3
import zlib
from contextlib import closing

import numpy as np
import pytest

from tests.experiments.filled import fill
from wager.costs import CostMatrix, CostTally
from wager.experiments import Plan, Store, run
from wager.experiments.store._priced import pack_cost_tally
from wager.metrics import average_cost
from wager.predictions import PredictionSets, read_predictions

IRIS = ["setosa", "versicolor", "virginica"]
EUROS = CostMatrix([[0, 5, 9], [1, 0, 2], [1, 4, 0]], IRIS, unit="EUR")
FILE = f'unit = "EUR"\nclasses = {IRIS}\ncosts = {EUROS.costs.tolist()}\n'.replace("'", '"')
PLAN = {
    "datasets": ["iris"],
    "measures": ["u65"],
    "scheme": {"kind": "cross-validation", "n_folds": 3, "repeats": 1},
    "prepare": {"discretize": "mdl"},
    "learners": {"all": "vacuous", "nbc": "naive-bayes"},
    "predictions": True,
}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("costs")
    return fill(Plan(**PLAN | {"datasets": ["iris", "wine"]}), folder / "out")


@pytest.mark.parametrize("pooled", [False, True])
def test_the_average_cost_is_that_of_the_predictions(store, pooled):
    extended = EUROS.extend()
    table = store.costs(EUROS, pooled=pooled)
    for learner in ("all", "nbc"):
        files = [read_predictions(file) for file in store.predictions("iris", learner)]
        averages = [average_cost(rows.y_true, rows.sets, extended) for rows in files]
        sizes = [len(rows) for rows in files]
        expected = np.average(averages, weights=sizes if pooled else None)
        assert table.column(learner)[0] == pytest.approx(expected)
    assert not table.greater_is_better
    assert np.isnan(table.values[1]).all()  # the wines have other classes


def test_costs_that_fit_no_data_set_are_an_error(store):
    with pytest.raises(ValueError, match="the costs have no row and column for 'setosa'"):
        store.costs(CostMatrix.zero_one(["a", "b"]))
    with pytest.raises(ValueError, match="the plan of this run has no costs: give a cost file"):
        store.costs()
    with pytest.raises(ValueError, match="the plan of this run has no costs"):
        store.frame(["average_cost"])


def test_a_plan_names_its_costs(tmp_path):
    costs = tmp_path / "costs.toml"
    costs.write_text(FILE)
    plan = Plan(**PLAN, costs="costs.toml", folder=tmp_path)
    assert plan.keep.costs
    run(plan, tmp_path / "out", n_jobs=1)
    costs.unlink()  # the store has all it needs
    store = Store(tmp_path / "out")
    assert store.measures == ("u65", "average_cost")
    assert store.cost_unit == "EUR"
    table = store.scores("average_cost")
    np.testing.assert_array_equal(table.values, store.costs(EUROS).values)
    folds = store.folds("iris", "average_cost")
    assert folds.values.mean(axis=0) == pytest.approx(table.values[0])
    assert sorted(store.frame()["average_cost"]) == pytest.approx(sorted(folds.values.ravel()))


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"costs": "none.toml"}, "costs: .*none.toml: no such file"),
        ({"empty_cost": 1}, "empty_cost is the cost of an empty set: name a cost file with costs"),
        ({"measures": ["average_cost"]}, "average_cost needs costs: name a cost file with costs"),
        ({"empty_cost": -1}, "empty_cost"),
    ],
)
def test_faults_of_costs_in_a_plan(tmp_path, more, words):
    with pytest.raises(ValueError, match=words):
        Plan(**PLAN | more, folder=tmp_path)


def test_costs_of_other_classes_are_found_before_anything_runs(tmp_path):
    (tmp_path / "costs.csv").write_text("predicted,a,b\na,0,1\nb,1,0\n")
    plan = Plan(**PLAN, costs="costs.csv", folder=tmp_path)
    with pytest.raises(ValueError, match=r"costs\.csv has no costs for 'setosa'"):
        plan.check()


def test_a_store_of_an_earlier_version_cannot_be_priced(store, tmp_path):
    """Neither without the column nor with units that were done before it existed."""
    old = tmp_path / "old"
    old.mkdir()
    with (
        closing(sqlite3.connect(store.path / "results.sqlite")) as source,
        closing(sqlite3.connect(old / "results.sqlite")) as copy,
    ):
        source.backup(copy)
        copy.execute("UPDATE units SET cost_tally = NULL, kept = 'pr', checksum = NULL")
        copy.commit()
        with pytest.raises(ValueError, match="so they have no cost: run the plan again in a new"):
            Store(old).costs(EUROS)
        copy.execute("ALTER TABLE units DROP COLUMN cost_tally")
        copy.commit()
    with pytest.raises(ValueError, match="so they have no cost: run the plan again in a new"):
        Store(old).costs(EUROS)
    assert Store(old).scores("u65").values.shape == (2, 2)


def test_units_of_an_earlier_version_are_run_again_only_for_costs(store, tmp_path):
    plan = Plan(**PLAN)
    assert len(store.known(plan, plan.units()).ok) == 6
    (tmp_path / "costs.toml").write_text(FILE)
    priced = Plan(**PLAN, costs="costs.toml", folder=tmp_path)
    assert len(store.known(priced, priced.units()).ok) == 6  # counted by set already


@pytest.mark.parametrize("n_classes", [2, 5, 26, 70])
@pytest.mark.parametrize("named", [False, True])
def test_the_packed_counts_are_those_of_the_labels(n_classes, named):
    rng = np.random.default_rng(n_classes)
    truth, sets = rng.integers(n_classes, size=60), rng.random((60, n_classes)) < 0.3
    classes = np.array([f"c{k}" for k in range(n_classes)]) if named else np.arange(n_classes)
    counted = CostTally.of(classes[truth], PredictionSets.from_indicator(sets, classes))
    packed = zlib.decompress(pack_cost_tally(truth, sets, classes))
    assert json.loads(packed) == counted.to_dict()
