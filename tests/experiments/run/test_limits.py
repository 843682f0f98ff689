import time

import numpy as np
import pytest

from tests.experiments.filled import HERE
from wager.experiments import Plan
from wager.experiments.run._fit_unit import do_task
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
    slow, good = results(learners={"slow": "faulty.Sleeps", "m": "faulty.Majority"}, time_limit=0.3)
    assert slow.error == "took longer than the time limit of 0.3 seconds"
    assert "time.sleep(0.1)" in slow.trace
    assert good.error is None


def test_a_learner_past_its_memory_is_recorded():
    learners = {"big": "faulty.Eats", "m": "faulty.Majority"}
    big, good = results(learners=learners, memory_limit="200 MB")
    assert big.error == "needed more than the memory limit of 200 MB"
    assert "np.ones" in big.trace
    assert good.error is None
