"""Ranks over many data sets as autorank computes them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.peers.installed import peer
from wager.compare import friedman, nemenyi

autorank = peer("autorank")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("seed", range(5))
def test_mean_ranks_and_the_critical_difference(seed):
    rng = np.random.default_rng(seed)
    table = rng.random((25, 5)) + 0.1 * np.arange(5)
    frame = pd.DataFrame(table, columns=list("abcde"))
    theirs = autorank.autorank(
        frame, alpha=0.05, verbose=False, order="descending", force_mode="nonparametric"
    )
    ours = nemenyi(table, names=list("abcde"))
    ranks = theirs.rankdf["meanrank"].loc[list("abcde")]
    np.testing.assert_allclose(ours.mean_ranks, ranks, atol=1e-9)
    assert ours.critical_difference == pytest.approx(theirs.cd, abs=1e-3)
    from scipy.stats import friedmanchisquare

    assert friedman(table).statistic == pytest.approx(friedmanchisquare(*table.T).statistic)
