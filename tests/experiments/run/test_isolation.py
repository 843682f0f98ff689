"""Workers cannot hurt each other, the run, or the process that started it."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.experiments.filled import HERE, n_stored
from wager.experiments import Plan, run
from wager.experiments.run import _clean_state, _process
from wager.experiments.run._fit_unit import ERROR_KEPT, plain_text
from wager.experiments.run._process import STDERR_KEPT, _Tail
from wager.experiments.store import Store

pytest.importorskip("resource", reason="process groups and limits need a POSIX system")

SCHEME = {"n_folds": 2}
COMMAND = "import sys; sys.argv[0] = 'wager'; from wager.cli import main; main()"


def done(learners, tmp_path, **more):
    plan = Plan(datasets=["iris"], learners=learners, scheme=SCHEME, folder=HERE, **more)
    return run(plan, tmp_path / "out")


def is_running(process):
    """Whether a process exists and has not ended; one without a parent may wait to be buried."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_settings_that_a_learner_changes_are_put_back(tmp_path):
    learners = {"untidy": "faulty.Untidy", "particular": "faulty.Particular"}
    summary = done(learners, tmp_path)
    assert (summary.done, summary.ok) == (4, True), Store(tmp_path / "out").failures()


@pytest.mark.parametrize("may_raise_it", [True, False])
def test_a_priority_is_put_back_or_ends_the_worker(tmp_path, monkeypatch, may_raise_it):
    if not may_raise_it:  # as for anybody but an administrator

        def refuse(*_):
            raise PermissionError

        monkeypatch.setattr(os, "setpriority", refuse)
    summary = done({"nice": "faulty.Nice"}, tmp_path)
    assert (summary.done, summary.ok) == (2, True), Store(tmp_path / "out").failures()


@pytest.mark.long
def test_a_limit_that_cannot_be_put_back_ends_the_worker_only(tmp_path):
    learners = {"lowers": "faulty.LowersLimits", "threads": "faulty.Threads", "good": "vacuous"}
    summary = done(learners, tmp_path)
    assert (summary.done, summary.ok) == (6, True), summary.text()


@pytest.mark.parametrize("session", [False, True])
def test_processes_that_a_learner_leaves_behind_are_ended(tmp_path, session):
    params = {"file": str(tmp_path / "children"), "session": session}
    learners = {"forks": {"learner": "faulty.Forks", "params": params}, "good": "vacuous"}
    plan = Plan(datasets=["iris"], learners=learners, scheme=SCHEME, folder=HERE)
    running = []  # when all units are done, while their worker still waits for others

    def look(progress):
        if progress.tried == 4:
            children = (tmp_path / "children").read_text().split()
            running.extend(map(is_running, children))

    summary = run(plan, tmp_path / "out", progress=look)
    assert (summary.done, summary.ok) == (4, True), summary.text()
    assert running == [False, False]


@pytest.mark.parametrize(
    ("learner", "reason"),
    [
        ("Surrogate", r"RuntimeError: half a character \udc80 and \x1b[31m"),
        ("Speechless", "SilentError: its message cannot be shown"),
        ("Exits", "SystemExit: 4"),
    ],
)
def test_an_odd_error_is_the_result_of_its_own_unit(tmp_path, learner, reason):
    summary = done({"odd": f"faulty.{learner}", "good": "vacuous"}, tmp_path)
    assert {why for _, why in summary.failures} == {reason}
    assert (summary.done, len(summary.failures)) == (2, 2)


def test_of_what_a_worker_writes_to_standard_error_the_end_is_kept(tmp_path):
    plan = Plan(
        datasets=["iris"],
        learners={"shouts": "faulty.Shouts"},
        scheme={"kind": "holdout"},
        folder=HERE,
    )
    run(plan, tmp_path)
    (failure,) = Store(tmp_path).failures()
    assert failure.error == "its process died (exit code 3)"
    assert failure.trace.endswith("much ado about nothing\nthe end")
    assert len(failure.trace) == STDERR_KEPT


def test_a_tail_never_holds_more_than_its_end():
    reading, writing = os.pipe()
    tail = _Tail(os.fdopen(reading, "rb"))
    sizes = []
    for _ in range(200):
        os.write(writing, bytes(30_000))
        sizes.append(len(tail._kept))
    os.close(writing)
    assert tail.text() == "\0" * STDERR_KEPT
    assert max(sizes) <= STDERR_KEPT


def test_long_errors_are_cut():
    assert len(plain_text("x" * 10_000)[:ERROR_KEPT]) == ERROR_KEPT
    assert plain_text("naïve 雪 \n\t") == "naïve 雪 \n\t"


@pytest.mark.long
def test_a_module_in_the_current_folder_is_not_imported(tmp_path):
    """Nor one in the folder of the plan that has the name of an installed one."""
    for name in ("json", "sqlite3", "numpy", "scipy"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong module')\n")
    (tmp_path / "own.py").write_text((HERE / "faulty.py").read_text())
    (tmp_path / "plan.toml").write_text(
        'datasets = ["iris"]\nscheme.n_folds = 2\nlearners.own = "own.Majority"\n'
    )
    said = subprocess.run(
        [sys.executable, "-P", "-c", COMMAND, "run", "plan.toml", "-q", "-j", "1", "-o", "out"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "2 done" in said.stdout, said.stderr


@pytest.mark.long
def test_one_interrupt_ends_a_run_whatever_its_learners_do(tmp_path):
    params = f'{{ file = "{tmp_path / "children"}", session = true }}'
    (tmp_path / "plan.toml").write_text(
        'datasets = ["iris"]\nscheme.kind = "holdout"\n'
        f'[learners.forks]\nlearner = "faulty.Forks"\nparams = {params}\n'
        '[learners.threads]\nlearner = "faulty.Threads"\n'
        '[learners.sleeps]\nlearner = "faulty.Hangs"\n'
    )
    (tmp_path / "faulty.py").write_text((HERE / "faulty.py").read_text())
    out = tmp_path / "out"
    run_ = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "run", str(tmp_path / "plan.toml"), "-q", "-o", str(out)],
        stderr=subprocess.PIPE,
        text=True,
        # a shell starts its background jobs with interrupts ignored, and they inherit that
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        while n_stored(out) < 2 and run_.poll() is None:
            time.sleep(0.05)
        run_.send_signal(signal.SIGINT)
        _, said = run_.communicate()  # if this does not end, one interrupt is not enough
    finally:
        run_.kill()
    assert "stopped" in said
    assert run_.returncode == 130
    assert not any(map(is_running, (tmp_path / "children").read_text().split()))


def test_a_worker_that_keeps_starting_processes_is_ended_with_all_of_them(tmp_path):
    file = tmp_path / "children"
    code = (
        "import os, time\n"
        "while True:\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        f"        with open({str(file)!r}, 'a') as file:\n"
        "            file.write(f'{os.getpid()}\\n')\n"
        "        time.sleep(1000)\n"
        "    time.sleep(0.001)\n"
    )
    forks = subprocess.Popen([sys.executable, "-I", "-S", "-c", code], start_new_session=True)
    while not file.exists():
        time.sleep(0.01)
    assert _process._end(forks) == -signal.SIGKILL
    time.sleep(0.1)
    assert not any(map(is_running, file.read_text().split()))


@pytest.mark.long
def test_a_worker_whose_error_output_is_held_open_is_known_to_be_dead(tmp_path, monkeypatch):
    """By a process outside its group, which is not found."""
    monkeypatch.setattr(_process, "end_processes_of", lambda parent: None)
    (tmp_path / "holds.py").write_text(
        "import os, subprocess, sys\nfrom faulty import Majority\n\n\n"
        "class Holds(Majority):\n    def fit(self, X, y):\n"
        "        subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(20)'],\n"
        "                         close_fds=False, start_new_session=True)\n"
        "        os._exit(9)\n"
    )
    (tmp_path / "faulty.py").write_text((HERE / "faulty.py").read_text())
    plan = Plan(
        datasets=["iris"],
        learners={"holds": "holds.Holds"},
        scheme={"kind": "holdout"},
        folder=tmp_path,
    )
    ((_, reason),) = run(plan, tmp_path / "out").failures
    assert reason == "its process died (exit code 9)"


def test_a_process_that_cannot_be_started_is_named_as_the_reason(tmp_path, monkeypatch):
    def refuse(*given, **options):
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))

    monkeypatch.setattr(_process, "subprocess", SimpleNamespace(Popen=refuse, PIPE=subprocess.PIPE))
    reasons = {reason for _, reason in done({"all": "vacuous"}, tmp_path).failures}
    assert reasons == {"its process could not be started ([Errno 12] Cannot allocate memory)"}
    monkeypatch.undo()
    plan = Plan(datasets=["iris"], learners={"all": "vacuous"}, scheme=SCHEME)
    again = run(plan, tmp_path / "out", retry=True)  # the store was taken for damaged
    assert (again.done, again.failures, again.again) == (again.total, [], {})


def test_workers_compute_with_kernels_that_other_processors_have(monkeypatch):
    """The kernels of the processor at hand gave other networks than those that are stored."""
    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)
    chosen = _process._environment()
    if "OPENBLAS_CORETYPE" not in chosen:
        pytest.skip("this is not an x86 processor with AVX2, or this NumPy does not say so")
    code = "import numpy, threadpoolctl as t; print(t.threadpool_info()[0]['architecture'])"
    said = subprocess.run(
        [sys.executable, "-c", code], env=chosen, capture_output=True, text=True, check=True
    )
    assert said.stdout == "Haswell\n"
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Sandybridge")
    assert _process._environment()["OPENBLAS_CORETYPE"] == "Sandybridge"


STOPPING = """
import os, signal, sys, time
from wager.experiments.run._process import Worker
worker = Worker()
worker.start()
os.kill(worker._process.pid, signal.SIGSTOP)  # as the run does before it ends a worker
print(worker._process.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone tells a process of its parent")
def test_a_worker_that_was_stopped_ends_if_its_run_is_killed():
    command = [sys.executable, "-c", STOPPING]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        worker = int(process.stdout.readline())
        assert is_running(worker)
        process.kill()
    end = time.monotonic() + 60
    while is_running(worker) and time.monotonic() < end:
        time.sleep(0.02)
    assert not is_running(worker)


def test_open_files_count_as_none_where_the_system_does_not_list_them(monkeypatch):
    def unlisted(place):
        raise OSError(errno.ENOENT, "no such folder", place)

    monkeypatch.setattr(_clean_state.os, "listdir", unlisted)
    assert _clean_state._n_open_files() == 0
