"""A run that is killed, runs out of disk space or loses a worker ends with the same results."""

import os
import signal
from contextlib import ExitStack, nullcontext
from types import SimpleNamespace

import pytest
from distributed.comm import CommClosedError
from distributed.core import Status
from typer.testing import CliRunner

import dask
from tests.experiments.filled import fill, tables
from tests.experiments.forked import in_copy
from tests.experiments.run.killing import kill_repeatedly
from wager import _dask
from wager.cli import app
from wager.experiments import Plan, run
from wager.experiments.run import _engines

resource = pytest.importorskip("resource", reason="kills and limits need a POSIX system")

PLAN = """
datasets = ["iris"]
[scheme]
repeats = 2
[prepare]
discretize = "mdl"
[learners]
nbc = "naive-bayes"
ncc = "naive-credal"
guess = "random-class"
"""


@pytest.fixture(autouse=True)
def _patience(monkeypatch):
    """The schedulers of these tests are there, and may be slow to answer on a busy machine."""
    monkeypatch.setattr(_dask, "_SECONDS", 60.0)


@pytest.fixture(scope="module")
def plan_file(tmp_path_factory):
    file = tmp_path_factory.mktemp("plan") / "small.toml"
    file.write_text(PLAN)
    return file


@pytest.fixture(scope="module")
def uninterrupted(plan_file, tmp_path_factory):
    """The tables of a run in two processes that nothing disturbed."""
    folder = tmp_path_factory.mktemp("uninterrupted")
    summary = run(plan_file, folder, n_jobs=2)
    assert (summary.total, summary.done, summary.ok) == (60, 60, True)
    return tables(folder)


@pytest.mark.parametrize("times", [4, pytest.param(10, marks=pytest.mark.long)])
def test_a_run_that_is_killed_repeatedly_ends_with_the_same_tables(
    plan_file, uninterrupted, tmp_path, times
):
    killed = in_copy(lambda: kill_repeatedly(plan_file, tmp_path, times))
    assert killed == f"killed {times} times"
    summary = run(plan_file, tmp_path)
    assert 0 < summary.done < 60
    assert summary.reused == 60 - summary.done
    assert tables(tmp_path) == uninterrupted


def test_one_process_gives_the_same_tables_as_two(plan_file, uninterrupted, tmp_path):
    run(plan_file, tmp_path, n_jobs=1)
    assert tables(tmp_path) == uninterrupted


def test_dask_gives_the_same_tables_though_a_worker_is_lost(plan_file, uninterrupted, tmp_path):
    with cluster_in_this_process(2) as cluster:
        victim = cluster.workers[0]

        def lose_one(progress):
            if progress.done == 15:
                assert victim.state.executing_count
                cluster.sync(victim.close, executor_wait=False)

        summary = run(
            plan_file,
            tmp_path,
            engine="dask",
            address=cluster.scheduler_address,
            progress=lose_one,
        )
        assert victim.status is Status.closed
    assert (summary.done, summary.ok) == (60, True)
    assert tables(tmp_path) == uninterrupted


@pytest.mark.long
def test_dask_gives_the_same_tables_though_a_worker_is_killed(plan_file, uninterrupted, tmp_path):
    from distributed import LocalCluster

    # its workers are new interpreters: a copy of this process would wait for threads of Dask that
    # only this one has
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        victim = cluster.workers[0].pid

        def kill_one(progress):
            if progress.done == 15:
                os.kill(victim, signal.SIGKILL)

        summary = run(
            plan_file,
            tmp_path,
            engine="dask",
            address=cluster.scheduler_address,
            progress=kill_one,
        )
        assert cluster.workers[0].pid != victim
    assert (summary.done, summary.ok) == (60, True)
    assert tables(tmp_path) == uninterrupted


def cluster_in_this_process(n_workers):
    from distributed import LocalCluster

    return LocalCluster(
        processes=False,
        n_workers=n_workers,
        threads_per_worker=1,
        protocol="tcp",
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs="CRITICAL",
    )


def test_without_an_address_dask_runs_on_a_cluster_that_is_started_here(tmp_path, monkeypatch):
    monkeypatch.setattr(_dask, "_local_cluster", cluster_in_this_process)
    plan = Plan(datasets=["iris"], learners={"all": "vacuous"}, scheme={"n_folds": 4})
    assert run(plan, tmp_path / "dask", engine="dask").done == 4
    fill(plan, tmp_path / "here")
    assert tables(tmp_path / "dask") == tables(tmp_path / "here")


def test_a_lost_scheduler_ends_the_run_with_a_sentence(plan_file, uninterrupted, tmp_path):
    with ExitStack() as settings, cluster_in_this_process(1) as cluster:

        def lose(progress):
            if progress.done == 10:
                cluster.sync(cluster.scheduler.close)
                # by default the cluster looks for its scheduler for half a minute before it ends
                soon = {"distributed.comm.timeouts.connect": "0.5s"}
                settings.enter_context(dask.config.set(soon))

        with pytest.raises(ConnectionError, match="the connection to the Dask scheduler was lost"):
            run(
                plan_file,
                tmp_path,
                engine="dask",
                address=cluster.scheduler_address,
                progress=lose,
            )
    summary = run(plan_file, tmp_path)
    assert summary.reused >= 10
    assert tables(tmp_path) == uninterrupted


def test_a_scheduler_that_is_lost_while_a_result_is_on_its_way_is_named(monkeypatch):
    def cut_off(client, tasks, n_jobs):
        raise CommClosedError("in ConnectionPool.gather: Connection reset by peer")
        yield

    client = nullcontext(SimpleNamespace(status="closed"))
    monkeypatch.setattr(_engines, "dask_client", lambda *given: client)
    monkeypatch.setattr(_engines, "_submit_all", cut_off)
    with pytest.raises(ConnectionError, match="the connection to the Dask scheduler was lost"):
        list(_engines.dask_engine([None], 1))


def test_a_full_disk_stops_the_run_and_leaves_what_was_stored(tmp_path):
    plan_file = tmp_path / "guesses.toml"
    plan_file.write_text(
        'datasets = ["iris"]\nprobabilities = false\n[scheme]\nrepeats = 10\n'
        '[learners]\nall = "vacuous"\none = "random-class"\n'
    )
    out = tmp_path / "out"

    def on_a_full_disk():
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))
        said = CliRunner().invoke(app, ["run", str(plan_file), "--out", str(out), "-j", "1"])
        return f"{said.exit_code} {said.stderr}"

    said = in_copy(on_a_full_disk)
    assert said.startswith("1 "), said
    assert f"wager: cannot write to {out}" in said
    assert "run again to continue" in said
    assert "Traceback" not in said
    kept = len(tables(out)["units"])
    assert 0 < kept < 200
    summary = run(plan_file, out)
    assert (summary.reused, summary.done) == (kept, 200 - kept)
    run(plan_file, tmp_path / "other")
    assert tables(out) == tables(tmp_path / "other")
