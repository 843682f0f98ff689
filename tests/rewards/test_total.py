"""The distribution of totals: a window around the mean, and a rounded grid, against exact ones."""

import numpy as np
import pytest
from scipy.stats import binom

from wager.rewards import _total
from wager.rewards._total import law_of_total, reach_of_total


def test_a_long_total_of_wins_is_binomial():
    """Of the 40,001 totals fewer than 2,000 matter; the others are left out."""
    m, p = 40_000, 0.3
    law = law_of_total(np.array([0, 1]), np.array([1 - p, p]), m)
    assert len(law.chance) < 2_000
    np.testing.assert_allclose(law.chance, binom.pmf(law.totals, m, p), atol=1e-13)
    assert law.chance.sum() == pytest.approx(1, abs=1e-12)


def test_the_window_reaches_equally_far_to_both_sides_of_the_mean():
    chance = np.array([0.2, 0.5, 0.3])
    law = law_of_total(np.array([0, 1, 2]), chance, 10_000)
    mean = 10_000 * (0.5 + 0.3 / 2)
    assert mean - law.totals[0] == pytest.approx(law.totals[-1] - mean, abs=2 * law.step)
    assert mean - law.totals[0] >= reach_of_total(chance, np.array([0, 1, 0.5]), 10_000) - law.step


def test_the_reach_is_bernsteins():
    """By hand: for variance v of the total, t^2 / (2 v + 2 t / 3) = 50 at the reach t."""
    reach = reach_of_total(np.array([0.5, 0.5]), np.array([0.0, 1.0]), 400)
    variance = 400 / 4
    assert reach**2 / (2 * variance + 2 * reach / 3) == pytest.approx(50)


def test_a_rounded_grid_keeps_the_mean_and_says_how_much_variance_it_adds(monkeypatch):
    monkeypatch.setattr(_total, "MOST_POINTS", 10)
    monkeypatch.setattr(_total, "ROUNDED_POINTS", 100)
    sizes, chance, m = np.array([0, 1, 2, 3]), np.array([0.1, 0.4, 0.3, 0.2]), 20
    law = law_of_total(sizes, chance, m)
    rewards = np.array([0, 1, 1 / 2, 1 / 3])
    mean = chance @ rewards
    variance = chance @ rewards**2 - mean**2
    found = law.chance @ law.totals
    assert found == pytest.approx(m * mean, rel=1e-12)
    assert law.added_variance > 0
    assert law.chance @ (law.totals - found) ** 2 == pytest.approx(
        m * variance + law.added_variance, rel=1e-9
    )
