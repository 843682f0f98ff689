"""Guessing against naming all classes, over the next m bets.

Zaffalon, Corani & Mauá (2011), Section 7, and (2012), Section 8: Figure 1, the turning points, and
the claim that the second-order formula is off by less than 1%.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from wager.experiments.study import Claim, Findings, Study, StudyTable
from wager.rewards import inversion_point, random_vs_vacuous

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLASSES = (2, 3, 5, 10)
UTILITIES = ("log", "exp:0.5", "exp:1", "exp:2", "exp:5")
BETS = 100
LATE = 50  # bets after which convergence is looked at


def _analyse(store: None) -> Findings:
    rows, worst = [], {}
    for utility in UTILITIES:
        for n in CLASSES:
            leads = [random_vs_vacuous(m, n, utility) for m in range(1, BETS + 1)]
            error = np.array([abs(d.random_second_order / d.random - 1) for d in leads])
            worst[utility, n] = error
            rows.append(
                (
                    utility,
                    n,
                    leads[0].turning_point,
                    inversion_point(n, utility),
                    100 * error.max(),
                    int(error.argmax()) + 1,
                    100 * float((error < 0.01).mean()),
                )
            )
    headers = (
        "utility",
        "classes",
        "turns at m, second order",
        "turns at m, exact",
        "largest error (%)",
        "at m",
        "share of m below 1% (%)",
    )
    tail = {u: [float(random_vs_vacuous(m, 5, u)) for m in (1, 10, LATE)] for u in UTILITIES}
    log = [[float(random_vs_vacuous(m, n, "log")) for m in range(1, 1001)] for n in CLASSES]
    exact = [inversion_point(n) for n in CLASSES]
    below = all((error < 0.01).all() for error in worst.values())
    bad = max(worst, key=lambda key: worst[key].max())
    rates = {u: tail[u][2] for u in UTILITIES[1:]}
    return {
        "tables": [
            StudyTable(
                "The second-order formula against the exact sums, m = 1 to 100", headers, rows
            ),
            StudyTable(
                "Vacuous minus random, five classes",
                ("utility", "m = 1", "m = 10", f"m = {LATE}"),
                [(u, *values) for u, values in tail.items()],
                digits=5,
            ),
        ],
        "claims": [
            Claim(
                "2012, 8",
                "the second-order formula is off by less than 1% throughout",
                below,
                f"largest error {100 * worst[bad].max():.0f}% ({bad[0]}, {bad[1]} classes); for "
                f"log {100 * max(worst['log', n].max() for n in CLASSES):.1f}%; it is small for "
                "many bets or little risk aversion",
            ),
            Claim(
                "2012, 8.1",
                "the vacuous classifier is ahead at every m, and the lead vanishes",
                bool(np.min(log) > 0 and max(lead[-1] for lead in log) < 0.01),
                "exact, log utility, m up to 1000: least lead "
                f"{np.min(log):.2g}, at m = 1000 at most {max(lead[-1] for lead in log):.2g}",
            ),
            Claim(
                "2012, 8.1",
                "for log the lead grows up to m = n and then falls",
                exact == list(CLASSES),
                "of the second-order formula; the exact lead turns at "
                + ", ".join(f"{m} (n = {n})" for m, n in zip(exact, CLASSES, strict=True)),
            ),
            Claim(
                "2012, 8.1",
                "more classes delay convergence",
                bool(np.all(np.diff([lead[-1] for lead in log]) > 0)),
                "lead at m = 1000: " + ", ".join(f"{lead[-1]:.2g}" for lead in log),
            ),
            Claim(
                "2012, 8.2",
                "higher risk aversion delays convergence",
                bool(np.all(np.diff(list(rates.values())) > 0)),
                f"it speeds it up: lead at m = {LATE}, five classes: "
                + ", ".join(f"{u} {v:.2g}" for u, v in rates.items()),
            ),
        ],
        "figures": {
            "Figure 1, second order": partial(_draw, False),
            "Figure 1, exact": partial(_draw, True),
        },
    }


def _draw(exact: bool) -> Figure:
    from wager.plots import plot_random_vs_vacuous

    return plot_random_vs_vacuous(CLASSES, "log", exact=exact).figure  # type: ignore[return-value]


STUDY = Study(
    "zaffalon-bets",
    "Zaffalon, Corani & Mauá (2011), Section 7, and (2012), Section 8",
    "What admitting ignorance is worth over many bets: Figure 1, and how good its formula is.",
    _analyse,
)
