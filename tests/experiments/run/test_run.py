import errno
import os
import shutil
import sqlite3
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from tests.experiments.filled import HERE, fill, tables
from wager.experiments import Plan, Progress, Store, StoreError, probe, run
from wager.experiments.plan import SourceSize, versions
from wager.experiments.run import _limits, _probe, _process
from wager.experiments.run._probe import TimeEstimate, _spread_out
from wager.experiments.run._workload import Workload
from wager.experiments.store import UnitResult, _database
from wager.experiments.store._lock import sole_writer

SCHEME = {"n_folds": 3}


def test_a_faulty_learner_fails_only_its_own_units(tmp_path):
    learners = {
        "raises": "faulty.Raises",
        "good": "faulty.Majority",
        "dies": "faulty.Dies",
        "once": {"learner": "faulty.DiesOnce", "params": {"memory": str(tmp_path / "memory")}},
        "vacuous": "vacuous",
        "strange": "faulty.Strange",
    }
    plan = Plan(datasets=["iris"], learners=learners, scheme={"n_folds": 2}, folder=HERE)
    seen = []
    summary = run(plan, tmp_path / "out", n_jobs=2, progress=lambda p: seen.append(p.tried))
    store = Store(tmp_path / "out")
    failures = store.failures()
    n = len(failures)
    assert (summary.total, summary.done, len(summary.failures)) == (12, 12 - n, n)
    assert not summary.ok
    assert seen == list(range(13))
    failed = {f.learner for f in failures}
    assert failed == {"raises", "dies", "strange"}
    assert {f.error for f in failures if f.learner == "dies"} == {"its process died (SIGKILL)"}
    text = summary.text()
    assert f"12 units: {12 - n} done in {summary.seconds:.1f} s, 0 reused, {n} failed" in text
    assert "dies on iris, 2 units: its process died (SIGKILL)" in text
    assert (
        "strange on iris, 2 units: ValueError: predict returned 7 for test row 1, but the learner "
        "was trained on the classes 0 to 2: predict must return one of these" in text
    )

    # failed units are not tried again unless asked to
    again = run(plan, tmp_path / "out")
    assert (again.done, again.reused, again.failed_before) == (0, 12 - n, n)
    assert again.text().startswith(f"12 units: 0 done in {again.seconds:.1f} s, {12 - n} reused")
    assert f"{n} failed ({n} of them in an earlier run)" in again.text()
    fewer = Plan(
        datasets=["iris"],
        learners={name: learners[name] for name in ("raises", "good")},
        scheme={"n_folds": 2},
        folder=HERE,
    )
    retried = run(fewer, tmp_path / "out", retry=True)
    known = [f for f in store.failures() if (f.dataset, f.learner) == ("iris", "raises")]
    assert (retried.done, len(retried.failures), retried.failed_before) == (0, len(known), 0)


def test_a_unit_that_a_plan_has_under_several_names_counts_for_each(tmp_path):
    """It is done once; a run that had done all said that most was left."""
    learners = dict.fromkeys("ab", "vacuous") | dict.fromkeys("cd", "faulty.Raises")
    plan = Plan(datasets=["iris"], learners=learners, scheme={"n_folds": 2}, folder=HERE)
    seen = []
    summary = run(plan, tmp_path, progress=lambda p: seen.append((p.tried, p.left)))
    n = len(summary.failures)
    assert (summary.total, summary.done, n in (2, 4)) == (8, 8 - n, True)
    assert seen == [(0, 8), (2, 6), (4, 4), (6, 2), (8, 0)]
    assert Store(tmp_path).counts() == {"planned": 8, "done": 8 - n, "failed": n}


def test_a_file_that_breaks_after_the_check_fails_only_its_own_units(tmp_path):
    lines = ["x,c", *(f"{i % 3},{'ab'[i % 2]}" for i in range(20))]
    (tmp_path / "breaks.csv").write_text("\n".join(lines))
    plan = Plan(
        datasets=[{"source": "breaks.csv", "target": "c"}, "iris"],
        learners={"a": "vacuous"},
        scheme={"n_folds": 2},
        folder=tmp_path,
    )
    summary = run(plan, tmp_path / "out", progress=lambda _: (tmp_path / "breaks.csv").unlink(True))
    assert {unit.source.name for unit, _ in summary.failures} == {"breaks"}
    assert summary.done == 2


def test_a_changed_plan_does_only_what_is_new(tmp_path):
    base = {"datasets": ["iris"], "learners": {"a": "vacuous"}, "scheme": SCHEME}
    fill(Plan(**base), tmp_path)
    before = tables(tmp_path)["units"]
    more = Plan(**(base | {"learners": {"renamed": "vacuous", "b": "random-class"}}))
    summary = run(more, tmp_path)
    assert (summary.reused, summary.done) == (3, 3)
    assert set(before) < set(tables(tmp_path)["units"])
    assert Store(tmp_path).learners == ("renamed", "b")


def test_units_that_lack_what_is_now_to_be_kept_are_done_again(tmp_path):
    base = {"datasets": ["iris"], "learners": {"a": "vacuous"}, "scheme": SCHEME}
    store = fill(Plan(**base, probabilities=False), tmp_path)
    assert store.scores("log_loss").wins.tolist() == [0]
    summary = run(Plan(**base), tmp_path)
    assert summary.done == 3
    assert store.scores("log_loss").wins.tolist() == [1]
    assert run(Plan(**base, probabilities=False), tmp_path).done == 0


@pytest.mark.long
def test_workers_and_this_process_agree(tmp_path, new_processes):
    plan = Plan(
        datasets=["iris"],
        learners={"nbc": "naive-bayes", "ncc": "naive-credal", "draws": "faulty.Draws"},
        scheme=SCHEME,
        prepare={"discretize": "mdl", "select": "cfs"},
        predictions=True,
        folder=HERE,
    )
    fill(plan, tmp_path / "here")
    summary = run(plan, tmp_path / "there")
    assert summary.ok, summary.text()
    here, there = tables(tmp_path / "here"), tables(tmp_path / "there")
    assert here == there
    files = [
        sorted(p.name for p in (tmp_path / w / "predictions").iterdir()) for w in ("here", "there")
    ]
    assert files[0] == files[1]
    assert len(files[0]) == 9 + 6  # sets of all, probabilities of two
    assert Store(tmp_path / "there").versions()[0].keys() >= {"wager", "numpy", "python"}


def test_what_learners_print_and_read_does_not_disturb_their_worker(tmp_path):
    learners = {"talks": "faulty.Talks", "good": "faulty.Majority"}
    plan = Plan(datasets=["iris"], learners=learners, scheme=SCHEME, folder=HERE)
    summary = run(plan, tmp_path)
    assert (summary.done, summary.ok) == (6, True), summary.text()


@pytest.mark.long
def test_what_python_prints_at_its_start_does_not_disturb_a_worker(
    tmp_path, monkeypatch, new_processes
):
    (tmp_path / "sitecustomize.py").write_text("print('hello', end='', flush=True)\n")
    monkeypatch.syspath_prepend(tmp_path)
    plan = Plan(datasets=["iris"], learners={"a": "vacuous"}, scheme=SCHEME)
    assert run(plan, tmp_path / "out").done == 3


def test_a_worker_that_cannot_start_fails_its_units(tmp_path, monkeypatch, new_processes):
    (tmp_path / "sitecustomize.py").write_text("import os\nos._exit(7)\n")
    monkeypatch.syspath_prepend(tmp_path)
    plan = Plan(datasets=["iris"], learners={"a": "vacuous"}, scheme={"kind": "holdout"})
    ((_, reason),) = run(plan, tmp_path / "out").failures
    assert reason == "its process died (exit code 7)"


def test_a_memory_limit_that_the_system_cannot_enforce_is_a_warning(tmp_path, monkeypatch):
    plan = Plan(
        datasets=["iris"], learners={"a": "vacuous"}, scheme={"kind": "holdout"}, memory_limit=10**9
    )
    fill(plan, tmp_path)
    monkeypatch.setattr(_limits, "_mapped_bytes", lambda: None)
    with pytest.warns(UserWarning, match="memory_limit has no effect"):
        run(plan, tmp_path)


def test_time_limits_also_end_a_learner_that_blocks_signals(tmp_path, monkeypatch):
    monkeypatch.setattr(_process, "GRACE", 1.0)
    plan = Plan(
        datasets=["iris"],
        learners={"slow": "faulty.Sleeps", "deaf": "faulty.Hangs"},
        scheme={"kind": "holdout"},
        time_limit=0.5,
        folder=HERE,
    )
    summary = run(plan, tmp_path)
    reasons = {unit.label: reason for unit, reason in summary.failures}
    assert reasons == dict.fromkeys(
        ("slow", "deaf"), "took longer than the time limit of 0.5 seconds"
    )


def test_time_limits_do_not_count_the_start_of_a_worker(tmp_path, monkeypatch):
    """Nor imports and the loading of data: the worker says when they are done."""
    waited = []
    next_message = _process.Worker._next_message

    def noted(worker, seconds=None):
        message = next_message(worker, seconds)
        waited.append((message if isinstance(message, str) else type(message), seconds))
        return message

    monkeypatch.setattr(_process.Worker, "_next_message", noted)
    plan = Plan(
        datasets=["iris"], learners={"a": "vacuous"}, scheme={"kind": "holdout"}, time_limit=300
    )
    assert run(plan, tmp_path).done == 1
    limit = 2 * 300 + _process.GRACE
    assert waited == [
        (versions(), None),
        (_process.STARTED, None),
        (UnitResult, limit),
        (type(None), limit),
    ]


def test_a_second_run_on_the_same_store_is_refused(tmp_path):
    plan = Plan(datasets=["iris"], learners={"a": "vacuous"}, scheme=SCHEME)
    who = f"another run \\(process {os.getpid()}\\) is writing"
    with sole_writer(tmp_path), pytest.raises(StoreError, match=who):
        run(plan, tmp_path)
    assert not (tmp_path / "results.sqlite").exists()


def test_a_lock_left_by_a_dead_process_does_not_hold(tmp_path):
    (tmp_path / "run.lock").write_text("999999")
    entered = False
    with sole_writer(tmp_path):
        entered = True
        with pytest.raises(StoreError), sole_writer(tmp_path):  # a living one does
            pass
    assert entered


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("file/out", "there is a file of that name; choose another folder"),
        ("file", "there is a file of that name; choose another folder"),
        ("taken", "results stored before are safe"),
    ],
)
def test_a_folder_that_cannot_be_written_to_gives_a_clear_message(tmp_path, place, words):
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "taken" / "results.sqlite").mkdir(parents=True)
    plan = Plan(datasets=["iris"], learners={"a": "vacuous"}, scheme=SCHEME)
    with pytest.raises(StoreError, match=f"cannot write to .*: {words}"):
        run(plan, tmp_path / place)


def test_a_store_that_cannot_take_a_unit_ends_the_run_and_its_workers(tmp_path, monkeypatch):
    plan = Plan(datasets=["iris"], learners={"a": "vacuous"}, scheme=SCHEME)

    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(_database, "canonical", full)
        with pytest.raises(StoreError, match="database or disk is full"):
            run(plan, tmp_path)
    assert run(plan, tmp_path).done == 3


@pytest.mark.skipif(os.name != "posix", reason="an open file cannot be removed elsewhere")
@pytest.mark.parametrize("what", ["removed", "moved", "replaced"])
def test_a_store_that_is_moved_or_removed_during_a_run_ends_it(tmp_path, what):
    """The run went on, said that all was done, and named a folder that did not exist."""
    out = tmp_path / "out"
    plan = Plan(datasets=["iris"], learners={"all": "vacuous"}, scheme={"n_folds": 5})

    def disturb(progress):
        if progress.tried == 2:
            out.rename(tmp_path / "moved")
            if what == "removed":
                shutil.rmtree(tmp_path / "moved")
            if what == "replaced":
                shutil.copytree(tmp_path / "moved", out)

    with pytest.raises(StoreError, match="was moved or removed during the run"):
        run(plan, out, progress=disturb)
    if what == "moved":
        (tmp_path / "moved").rename(out)
        assert run(plan, out).reused == 2


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"engine": "spark"}, "engine must be 'local' or 'dask', got 'spark'"),
        ({"n_jobs": 0}, "n_jobs must be at least 1, got 0"),
        ({"address": "tcp://x:1"}, "address is only for engine='dask'"),
    ],
)
def test_wrong_arguments_are_refused(tmp_path, given, sentence):
    plan = Plan(datasets=["iris"], learners={"a": "vacuous"}, scheme=SCHEME)
    with pytest.raises(ValueError, match=sentence):
        run(plan, tmp_path, **given)


def test_progress_knows_its_rate():
    state = Progress(total=100, reused=20, done=30, seconds=14.5)
    assert (state.left, state.rate, state.seconds_left) == (50, 2.0, 25.0)


def test_the_time_left_grows_with_the_data_that_is_left():
    small_ones_done = Progress(total=4, done=3, seconds=2.0, work_done=20.0, work_left=100.0)
    assert small_ones_done.seconds_left == 10.0


def test_the_time_left_does_not_depend_on_where_data_come_from(tmp_path):
    """A bundled set once counted 1 and a file its bytes: 33 seconds were announced as 21 hours."""
    lines = ["a,b,c,d,y", *(f"{i},{i % 7},{i % 5},{i % 3},{'pqr'[i % 3]}" for i in range(150))]
    (tmp_path / "like_iris.csv").write_text("\n".join(lines))
    plan = Plan(
        datasets=["iris", {"source": str(tmp_path / "like_iris.csv"), "target": "y"}],
        learners={"a": "vacuous"},
        scheme={"n_folds": 2},
    )
    work = Workload(plan.units(), plan.check())
    state = Progress(total=4)
    for unit in plan.units()[:2]:
        work.add(unit, 1.0)
        state.add(unit, work, failed=False)
    assert (state.work_done, state.work_left) == (2.0, 2.0)


def test_a_run_reports_how_much_work_is_left(tmp_path):
    for name, rows in (("small", 20), ("large", 200)):
        lines = ["x,c", *(f"{i % 3},{'ab'[i % 2]}" for i in range(rows))]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines))
    plan = Plan(
        datasets=[
            {"source": str(tmp_path / f"{n}.csv"), "target": "c"} for n in ("small", "large")
        ],
        learners={"a": "vacuous"},
        scheme={"kind": "cross-validation", "n_folds": 2},
    )
    seen = []
    run(
        plan,
        tmp_path / "store",
        progress=lambda state: seen.append((state.work_done, state.work_left)),
    )
    done, left = seen[2]  # both folds of the small one
    assert left == pytest.approx(10**0.5 * done)  # of one size alone, growth is not known
    assert seen[-1][1] == 0


@given(
    st.floats(1e-3, 10),
    st.floats(1e-8, 1e-3),
    st.lists(st.integers(1, 8), min_size=2, max_size=6, unique=True),
)
def test_the_time_per_unit_and_per_cell_is_learnt_from_two_sizes(per_unit, per_cell, sizes):
    names = [f"{10**k}" for k in sizes]
    plan = Plan(datasets=["iris"], learners={"a": "vacuous"}, scheme={"n_folds": 2})
    unit = plan.units()[0]
    seen = [replace(unit, source=replace(unit.source, name=name)) for name in names]
    large = replace(unit, source=replace(unit.source, name="large"))
    rows = {n: SourceSize(int(n), 1, True) for n in names} | {"large": SourceSize(10**9, 1, True)}
    work = Workload([*seen, large], rows)
    for each in seen:
        work.add(each, per_unit + per_cell * float(each.source.name))
    assert work.left == pytest.approx(per_unit + per_cell * 1e9, rel=1e-3)
    work.add(large, 1.0)
    assert work.left == 0


def test_units_that_were_not_announced_change_no_estimate():
    unit = Plan(datasets=["iris"], learners={"a": "vacuous"}, scheme={"n_folds": 2}).units()[0]
    work = Workload()
    work.add(unit, None)
    assert (work.done, work.left) == (0.0, 0.0)


def test_a_fast_learner_on_small_data_does_not_announce_days():
    """Contact lenses took 2 ms, and connect-4, with 30,000 times the cells, 50 ms: not a minute."""
    plan = Plan(datasets=["iris", "wine"], learners={"a": "vacuous"}, scheme={"n_folds": 10})
    sizes = {"iris": SourceSize(24, 4, True), "wine": SourceSize(67_557, 42, True)}
    work = Workload(plan.units(), sizes)
    for unit in plan.units()[:10]:
        work.add(unit, 0.002)
    assert work.left < 10 * 0.5


def test_an_estimate_assumes_the_average_time_for_data_sets_that_were_not_tried():
    estimate = TimeEstimate({"a": 2.0, "b": 4.0}, {"a": 10, "b": 1, "c": 100}, cut_short=False)
    assert estimate.total == 2.0 * 10 + 4.0 * 1 + 3.0 * 100


def test_an_estimate_goes_by_size_for_data_sets_that_were_not_tried():
    cells = {"small": 10.0, "between": 20.0, "middle": 40.0, "large": 400.0, "tiny": 5.0}
    estimate = TimeEstimate(
        {"small": 1.0, "middle": 2.0}, dict.fromkeys(cells, 1), cut_short=False, cells=cells
    )
    assert estimate.total == pytest.approx(1.0 + 4 / 3 + 2.0 + 20.0 + 0.5)
    assert estimate.wall(2) == pytest.approx(estimate.total / 2)


@pytest.mark.long
def test_an_estimate_leaves_compilation_out_and_says_what_fails(tmp_path):
    compiles = {"learner": "faulty.CompilesOnce", "params": {"cache": str(tmp_path / "cache")}}
    plan = Plan(
        datasets=["iris", "wine"],
        learners={"compiles": compiles, "odd": "faulty.Strange"},
        folder=HERE,
    )
    estimate = probe(plan, plan.units())
    assert estimate.tasks == {"iris": 10, "wine": 10}
    assert estimate.units == {"iris": 20, "wine": 20}
    assert estimate.total < 20 * 2.5 / 2  # each of 20 tasks would take 2.5 seconds
    assert {(unit.source.name, unit.label) for unit, _ in estimate.failures} == {
        ("iris", "odd"),
        ("wine", "odd"),
    }
    assert not estimate.cut_short


def test_any_beginning_of_a_probe_is_spread_over_the_plan():
    names = [str(i) for i in range(9)]
    order = _spread_out(names)
    assert sorted(order) == names
    assert order[:3] == ["0", "4", "8"]


def test_a_read_only_file_system_gives_a_clear_message(tmp_path, monkeypatch):
    def read_only(*_):
        raise OSError(errno.EROFS, "Read-only file system")

    plan = Plan(datasets=["iris"], learners={"a": "vacuous"}, scheme=SCHEME)
    monkeypatch.setattr(os, "open", read_only)
    with pytest.raises(StoreError, match=r"cannot write to .* \(Read-only file system\)"):
        run(plan, tmp_path)


def test_a_clock_that_jumps_changes_nothing(tmp_path, monkeypatch):
    plan = Plan(datasets=["iris"], learners={"a": "vacuous"}, scheme=SCHEME, time_limit=60)
    year = 365 * 86_400
    jumps = iter([0.0, -50.0 * year, 50.0 * year, 0.0])
    monkeypatch.setattr(_database, "time", lambda: 1.8e9 + next(jumps))
    seen = []
    summary = run(plan, tmp_path / "out", progress=lambda state: seen.append(state.seconds))
    assert (summary.done, summary.ok) == (3, True)
    assert sorted(seen) == seen
    assert summary.seconds < year
    fill(plan, tmp_path / "here", tasks=0)
    monkeypatch.undo()
    fill(plan, tmp_path / "here")
    assert tables(tmp_path / "out") == tables(tmp_path / "here")


def test_no_work_is_left_after_a_last_unit_that_fails():
    units = Plan(datasets=["iris"], learners={"a": "vacuous"}, scheme={"n_folds": 2}).units()
    work = Workload(units)
    work.add(units[0], 1.0)
    work.add(units[1], None)
    assert work.left == 0


def test_larger_training_samples_of_the_same_data_count_as_more_cells():
    scheme = {"kind": "downsample", "sizes": [10, 100]}
    units = Plan(datasets=["iris"], learners={"a": "vacuous"}, scheme=scheme).units()
    sizes = {"iris": SourceSize(150, 4, True)}
    cells = {unit.split.size: _probe._cells(unit, sizes) for unit in units}
    assert cells == {10: 150 * 4 + 10 * 4, 100: 150 * 4 + 100 * 4}


def test_units_that_were_reused_count_as_finished():
    state = Progress(total=9, reused=3, done=2, failed=1, failed_before=1)
    assert (state.finished, state.left) == (5, 2)
    assert "7 of 9 units: 2 done, 3 reused, 2 failed" in repr(state)


def test_a_worker_that_is_silent_for_a_while_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(_process, "LOOK", 1e-4)
    plan = Plan(datasets=["iris"], learners={"a": "c45"}, scheme=SCHEME, time_limit=600.0)
    assert run(plan, tmp_path / "out").done == 3
