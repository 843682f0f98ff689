"""Training on the workers of a cluster gives the model of one machine."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings, strategies as st
from typer.testing import CliRunner

from tests.learners.test_fit_file import LEARNERS, assert_same_model, tables
from tests.serial_engine import SerialEngine
from wager.cli import app
from wager.learners import AODE, NaiveCredal
from wager.prepare import EqualFrequencyDiscretizer, MDLDiscretizer, _count_values, load_dataset

pytestmark = pytest.mark.long


def write(path, seed=0, n=400):
    rng = np.random.default_rng(seed)
    y = rng.choice(["x", "y", "z"], n)
    columns = {
        "colour": rng.choice(["red", "green", None], n),
        "code": rng.integers(0, 4, n),
        "length": np.round(rng.normal(size=n) + (y == "x"), 2),
        "y": y,
    }
    pq.write_table(pa.table(columns), path, row_group_size=100)
    return path


@settings(max_examples=3)
@given(tables(), st.sampled_from(sorted(LEARNERS)), st.integers(1, 9))
def test_parts_of_a_file_give_the_model_of_the_whole(tmp_path_factory, frame, name, rows):
    from wager.prepare import count_file

    path = tmp_path_factory.mktemp("parts") / "train.parquet"
    frame.to_parquet(path, row_group_size=rows)
    learner, engine = LEARNERS[name], SerialEngine()
    parts = learner.__class__(**learner.get_params()).fit_counts(
        count_file(path, pairs=learner.needs_pairs, engine=engine)
    )
    assert engine.n_parts[0] == -(-len(frame) // rows)
    whole = learner.__class__(**learner.get_params()).fit_file(path)
    assert_same_model(parts, whole, load_dataset(path, target="y").frame)


@pytest.mark.parametrize("learner", [NaiveCredal, AODE])
def test_workers_count_for_learners(client, tmp_path, learner):
    path = write(tmp_path / "train.parquet")
    chosen = ["colour", "code"]
    found = learner().fit_file(path, columns=chosen, client=client)
    rows = load_dataset(path, target="y").frame[chosen]
    assert_same_model(found, learner().fit_file(path, columns=chosen), rows)


@pytest.mark.parametrize("kind", [MDLDiscretizer, EqualFrequencyDiscretizer])
@pytest.mark.parametrize("most", [100_000, 20], ids=["exact", "bins"])
def test_workers_count_for_discretizers(client, tmp_path, monkeypatch, kind, most):
    monkeypatch.setattr(_count_values, "MOST_VALUES", most)
    path = write(tmp_path / "train.parquet")
    found = kind().fit_file(path, columns=["length"], client=client)
    whole = kind().fit_file(path, columns=["length"])
    assert found.binned_.tolist() == whole.binned_.tolist() == [most == 20]
    np.testing.assert_array_equal(found.cuts_[0], whole.cuts_[0])


def fit(*arguments):
    return CliRunner().invoke(app, ["fit", *map(str, arguments), "-q"])


def test_the_command_trains_on_a_cluster(client, tmp_path):
    train, test = write(tmp_path / "train.parquet"), write(tmp_path / "test.parquet", 1, 50)
    given_options = ("aode", train, test, "--target", "y", "--discretize", "mdl", "-o")
    engine = ("--engine", "dask", "--dask-address", client.scheduler.address)
    done = fit(*given_options, tmp_path / "dask.csv", *engine)
    assert done.exit_code == 0, done.stderr
    fit(*given_options, tmp_path / "here.csv", "--rows", "disk")
    assert (tmp_path / "dask.csv").read_text() == (tmp_path / "here.csv").read_text()


def test_what_cannot_be_counted_on_a_cluster_is_one_sentence(tmp_path):
    train = write(tmp_path / "train.parquet")
    table = tmp_path / "train.csv"
    table.write_text("a,y\n1,x\n2,z\n")
    out = ("--target", "y", "-o", tmp_path / "out.csv", "--engine", "dask")
    for arguments, words in (
        (("c45", train, train, *out), "c45 with this preparation needs all rows in memory: leave"),
        (("aode", train, train, *out, "--rows", "memory"), "--engine dask counts rows on disk"),
        (("aode", table, train, *out), f"{table}: only a Parquet file can be divided"),
    ):
        done = fit(*arguments)
        assert done.exit_code == 2
        assert done.stderr.startswith(f"wager: {words}"), done.stderr
