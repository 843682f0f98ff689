from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from wager.plots import plot_random_vs_vacuous
from wager.rewards import random_vs_vacuous


@pytest.mark.parametrize("exact", [True, False])
def test_the_curves_are_the_differences_and_the_dots_their_peaks(exact):
    ax = Figure().subplots()
    assert plot_random_vs_vacuous((2, 5), "log", 30, ax, exact=exact) is ax
    curves, dots = ax.lines[0::2], ax.lines[1::2]
    for n, curve, dot in zip((2, 5), curves, dots, strict=True):
        bets, lead = curve.get_data()
        expected = [float(random_vs_vacuous(int(m), n, "log", exact=exact)) for m in bets]
        np.testing.assert_allclose(lead, expected)
        assert dot.get_ydata()[0] == pytest.approx(max(lead), rel=1e-3)
    assert len(ax.get_legend().get_texts()) == 2


def test_without_risk_aversion_no_curve_turns():
    ax = plot_random_vs_vacuous((2, 3), "linear", 10)
    assert len(ax.lines) == 2
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["2 classes", "3 classes"]
