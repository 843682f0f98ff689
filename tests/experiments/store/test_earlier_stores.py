"""A store that version 0.1.0 wrote can be read, and its units are reused."""

import sqlite3
from pathlib import Path

import pytest

from tests.experiments.filled import fill
from wager.experiments import Plan, Store, run

SQL = Path(__file__).with_name("store_0_1_0.sql")


@pytest.fixture
def plan():
    return Plan(
        name="old",
        datasets=["iris"],
        learners={"nbc": "naive-bayes", "ncc": "naive-credal", "guess": "random-class"},
        scheme={"n_folds": 2},
        prepare={"discretize": "mdl"},
        measures=["u65", "determinacy", "log_loss"],
    )


@pytest.fixture
def store(tmp_path):
    database = sqlite3.connect(tmp_path / "results.sqlite")
    database.executescript(SQL.read_text(encoding="utf-8") + "PRAGMA user_version = 1;")
    database.close()
    return Store(tmp_path)


def test_units_of_an_earlier_version_are_reused(plan, store):
    summary = run(plan, store)
    assert (summary.reused, summary.done) == (6, 0)


def test_results_are_those_of_the_earlier_version(plan, store, tmp_path):
    new = fill(plan, tmp_path / "new")
    assert new.plan == store.plan
    for learner in plan.learners:
        assert new.tallies("iris", learner) == store.tallies("iris", learner)
        assert new.pairs("iris", learner, "nbc") == store.pairs("iris", learner, "nbc")
    for measure in plan.measures:
        assert new.scores(measure).values == pytest.approx(
            store.scores(measure).values, nan_ok=True
        )
    states = "SELECT key, what, random_state FROM units ORDER BY key"
    assert new._read(states) == store._read(states)
