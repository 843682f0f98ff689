import signal
import sys
import time
from contextlib import contextmanager

import numpy as np
import pytest

from tests.experiments.filled import HERE
from wager.experiments import Plan
from wager.experiments.plan import _sources
from wager.experiments.run import _fit_unit
from wager.experiments.run._fit_unit import do_task, get_ready
from wager.experiments.run._limits import TimeUp, limited

pytest.importorskip("resource", reason="limits inside a process need a POSIX system")


def results(**given):
    plan = Plan(datasets=["iris"], scheme={"n_folds": 2}, folder=HERE, **given)
    with plan.modules():
        return list(do_task(plan.tasks(plan.units())[0]))


def test_time_up_interrupts_and_is_over_afterwards():
    with pytest.raises(TimeUp), limited(0.05, None):
        time.sleep(60)
    time.sleep(0.1)  # no alarm is left behind


def test_a_block_within_its_limits_is_left_alone():
    with limited(60, 10**9):
        assert np.ones(10).sum() == 10


def test_memory_beyond_the_limit_raises_and_is_there_again_afterwards():
    with pytest.raises(MemoryError), limited(None, 50_000_000):
        np.ones(25_000_000)
    assert np.ones(25_000_000).sum() == 25_000_000


def test_a_learner_past_its_time_is_recorded_with_where_it_was():
    (slow,) = results(learners={"slow": "faulty.Sleeps"}, time_limit=1.0)
    assert slow.error == "took longer than the time limit of 1 seconds"
    assert "time.sleep(0.1)" in slow.trace


def test_imports_and_the_loading_of_data_are_not_limited(tmp_path, monkeypatch):
    """They would take the time of the first unit, and more of it on a busy machine."""
    counting = []

    @contextmanager
    def noted(*_):
        counting.append(True)
        yield
        counting.clear()

    monkeypatch.setattr(_fit_unit, "limited", noted)
    monkeypatch.setattr(sys, "counting", counting, raising=False)
    (tmp_path / "slow_import.py").write_text(
        "import sys\nfrom tests.experiments.faulty import Majority\n\n"
        "class Learner(Majority):\n    imported_in_time = list(sys.counting)\n"
    )
    (tmp_path / "data.csv").write_text("x,c\n" + "1,a\n2,b\n" * 9)
    load = _sources.load_dataset
    loaded = []
    monkeypatch.setattr(
        _sources, "load_dataset", lambda *a, **k: (loaded.append(list(counting)), load(*a, **k))[1]
    )
    plan = Plan(
        datasets=[{"source": "data.csv", "target": "c"}],
        learners={"slow": "slow_import.Learner"},
        scheme={"kind": "holdout"},
        folder=tmp_path,
    )
    (task,) = plan.tasks(plan.units())
    sys.modules.pop("slow_import")
    get_ready(task)
    (result,) = do_task(task)
    assert result.error is None
    assert sys.modules.pop("slow_import").Learner.imported_in_time == []
    assert loaded == [[]]


def test_a_learner_past_its_memory_is_recorded():
    learners = {"big": "faulty.Eats", "m": "faulty.Majority"}
    big, good = results(learners=learners, memory_limit="200 MB")
    assert big.error == "needed more than the memory limit of 200 MB"
    assert "np.ones" in big.trace
    assert good.error is None


def test_no_alarm_rings_after_a_block_that_ended_in_time():
    with limited(60, None):
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
