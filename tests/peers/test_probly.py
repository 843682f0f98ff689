"""Coverage, efficiency and calibration error as probly computes them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.peers.installed import bare
from wager import metrics

theirs = bare("probly.metrics")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("seed", range(10))
def test_sets(seed):
    rng = np.random.default_rng(seed)
    y, sets = rng.integers(5, size=200), rng.random((200, 5)) < 0.5
    assert metrics.coverage(y, sets) == pytest.approx(theirs.coverage(sets, y), abs=1e-9)
    # probly's efficiency is the share of classes that a set leaves out
    left_out = 1 - metrics.mean_set_size(sets) / 5
    assert left_out == pytest.approx(theirs.efficiency(sets), abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_the_expected_calibration_error(seed):
    rng = np.random.default_rng(seed)
    proba, y = rng.dirichlet(np.ones(3), 500), rng.integers(3, size=500)
    ours = metrics.top_label_calibration_error(y, proba, n_bins=10)
    found = theirs.expected_calibration_error(proba, y, num_bins=10)
    assert ours == pytest.approx(found, abs=1e-9)
