"""The three quadratic utilities of Zaffalon, Corani & Mauá (2012), Section 9 and Figure 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wager.experiments.study import Claim, Verdict
from wager.rewards import Exponential, get_utility
from wager_studies._figures import line_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["claims_on_utilities", "draw_utilities"]

NAMES = ("u50", "u65", "u80")
PRINTED = {"u65": (-1.2, 2.2), "u80": (-0.6, 1.6)}  # the factors of x² and x


def claims_on_utilities() -> list[Claim]:
    """The formulas of the two utilities, where u80 exceeds 1, and exponential ones."""
    at_half = {name: a / 4 + b / 2 for name, (a, b) in PRINTED.items()}
    x = np.linspace(0.0, 1.0, 12001)
    above = x[np.asarray(get_utility("u80")(x)) > 1 + 1e-12]
    top = float(np.max(get_utility("u80")(x)))
    rewards = 1 / np.arange(1, 101)
    used = np.asarray(get_utility("u80")(rewards))
    at_one = {q: 1 - (1 - q) ** 2 for q in (0.5, 0.65, 0.8)}  # of 1 - exp(-ax) that is q at 0.5
    fitted = {q: Exponential.through(q) for q in (0.65, 0.8)}
    return [
        Claim(
            "2012, 9, Fig. 2",
            "u65 is -1.2x² + 2.2x, and u80 is -0.6x² + 1.6x",
            Verdict.CONTRADICTION,
            "the sentence before them says that they pass through u(0.5) = 0.65 and 0.80; as "
            f"printed they take {at_half['u65']:.2f} and {at_half['u80']:.2f}, so the two are "
            "exchanged, as Table 10 shows as well",
            quote="which passes through u(0) = 0, u(1) = 1, and u(0.5) = 0.65 or",
        ),
        Claim.checked(
            "2012, 9, Fig. 2",
            "u80 exceeds 1 a little between 0.5 and 1, where it is never used",
            bool(above.min() > 0.5 and above.max() < 1 and used.max() <= 1 + 1e-12),
            f"it exceeds 1 from {above.min():.3f} to 1, by at most {top - 1:.4f}; rewards are 1/k, "
            "so none lies between 0.5 and 1",
            quote="is slightly greater than 1 for some x between 0.5 and 1",
            reading="with the two formulas exchanged",
        ),
        Claim.checked(
            "2012, 9",
            "an exponential utility cannot fit the three values of u(0.5)",
            all(value < 0.99 for value in at_one.values()),
            "1 - exp(-ax) that takes 0.5, 0.65 and 0.80 at 0.5 takes "
            + ", ".join(f"{value:.3f}" for value in at_one.values())
            + " at 1, where Section 9 asks for 1. Divided by its value at 1 it takes 0.65 with "
            + " and 0.80 with ".join(f"a = {utility.a:.3f}" for utility in fitted.values())
            + ", and 0.5 in the limit a = 0 only, where it is a straight line",
            quote="it could not satisfactorily fit all the three values",
            reading="the exponential utility of Section 8.2, not divided by its value at 1",
        ),
    ]


def draw_utilities() -> Figure:
    """The three utilities against discounted accuracy (Figure 2)."""
    x = np.linspace(0.0, 1.0, 21)
    return line_figure(
        x,
        {name: np.asarray(get_utility(name)(x)) for name in NAMES},
        title="Three quadratic utilities",
        x_label="discounted accuracy",
        y_label="utility",
        marker_size=3,
    )
