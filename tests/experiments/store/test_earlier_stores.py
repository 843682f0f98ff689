"""A store that version 0.1.0 wrote can be read, and its units are reused by the same version."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.experiments.filled import fill
from wager.experiments import Plan, Store, run
from wager.experiments.plan import versions

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


def change(store, sql, *values):
    with closing(sqlite3.connect(store.path / "results.sqlite")) as database, database:
        database.execute(sql, values)


def test_units_without_checksums_are_reused_if_the_same_versions_computed_them(plan, store):
    change(store, "UPDATE versions SET what = ?", versions())
    summary = run(plan, store)
    assert (summary.reused, summary.done, summary.again) == (6, 0, {})


def test_units_of_another_version_are_done_again_which_is_said(plan, store):
    before = json.loads(versions()) | {"wager": "0.0.9"}
    change(store, "UPDATE versions SET what = ?", json.dumps(before))
    summary = run(plan, store)
    assert (summary.reused, summary.done) == (0, 6)
    now = json.loads(versions())["wager"]
    assert f"6 units in the store could not be reused: wager is now {now}" in summary.text()
    assert (run(plan, store).reused, run(plan, store).again) == (6, {})


@pytest.mark.parametrize("column", ["tally", "rows", "probabilities", "what"])
def test_a_value_without_a_checksum_that_cannot_be_read_is_named(plan, store, column):
    key = plan.units()[1].key
    change(store, f"UPDATE units SET {column} = substr({column}, 1, 9) WHERE key = ?", key)
    words = "the result of ncc on iris, repeat 0, fold 0 is not as it was written"
    with pytest.raises(ValueError, match=words):
        store.scores("u65")
    assert store.repair().kept == 5


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
