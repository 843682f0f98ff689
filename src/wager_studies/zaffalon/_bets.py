"""A random guess against returning all classes, over the next m bets.

Zaffalon, Corani & Mauá (2011), Section 7, and (2012), Section 8: Figure 1, the turning points, and
the claim that the error of the second-order formula is below 1%.  The worth of a set in a single
bet comes first.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from wager._typing import Floats
from wager.experiments.study import Claim, Findings, Study, StudyTable, Verdict
from wager.rewards import inversion_point, random_vs_vacuous
from wager_studies.zaffalon._utilities import claims_on_utilities, draw_utilities
from wager_studies.zaffalon._worth_of_sets import claims_on_sets

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLASSES = (2, 3, 5, 10)
UTILITIES = ("log", "exp:0.5", "exp:1", "exp:2", "exp:5")
BETS = 100
LATE = 50  # bets after which convergence is judged

Errors = dict[tuple[str, int], Floats]  # by utility and number of classes, for m = 1 to 100


def _analyse(seed: int | None) -> Findings:
    errors = {(utility, n): _relative_errors(utility, n) for utility in UTILITIES for n in CLASSES}
    leads = {u: [float(random_vs_vacuous(m, 5, u)) for m in (1, 10, LATE)] for u in UTILITIES}
    return {
        "tables": [
            _error_table(errors),
            StudyTable(
                "Vacuous minus random, five classes",
                ("utility", "m = 1", "m = 10", f"m = {LATE}"),
                [(u, *values) for u, values in leads.items()],
                digits=5,
            ),
        ],
        "claims": [
            *claims_on_sets(seed),
            _claim_on_errors(errors),
            *_claims_on_log(),
            *_claims_on_exponential(leads),
            *claims_on_utilities(),
        ],
        "figures": {
            "Figure 1, second order": partial(_draw, False),
            "Figure 1, exact": partial(_draw, True),
            "Figure 2": draw_utilities,
        },
    }


def _relative_errors(utility: str, n_classes: int) -> Floats:
    """The relative error of the second-order formula for m = 1, 2, ..."""
    bets = [random_vs_vacuous(m, n_classes, utility) for m in range(1, BETS + 1)]
    return np.array([abs(d.random_second_order / d.random - 1) for d in bets])


def _error_table(errors: Errors) -> StudyTable:
    rows = [
        (
            utility,
            n,
            random_vs_vacuous(1, n, utility).turning_point,
            inversion_point(n, utility),
            100 * error.max(),
            int(error.argmax()) + 1,
            100 * float((error < 0.01).mean()),
        )
        for (utility, n), error in errors.items()
    ]
    headers = (
        "utility",
        "classes",
        "turning point m, second order",
        "turning point m, exact",
        "largest error (%)",
        "at m",
        "share of m below 1% (%)",
    )
    return StudyTable("The second-order formula and the exact sums, m = 1 to 100", headers, rows)


def _claim_on_errors(errors: Errors) -> Claim:
    bad = max(errors, key=lambda key: errors[key].max())
    return Claim.checked(
        "2012, 8",
        "the error of the second-order formula is always below 1%",
        all(bool((error < 0.01).all()) for error in errors.values()),
        f"exact sums, m = 1 to {BETS}: largest error {100 * errors[bad].max():.0f}% ({bad[0]}, "
        f"{bad[1]} classes); for log {100 * max(errors['log', n].max() for n in CLASSES):.1f}%; it "
        "is below 1% for many bets or little risk aversion",
        quote="having relative absolute error consistently smaller than 1%",
    )


def _claims_on_log() -> list[Claim]:
    """The claims about logarithmic utility, checked with the exact sums."""
    leads = [[float(random_vs_vacuous(m, n, "log")) for m in range(1, 1001)] for n in CLASSES]
    last = [lead[-1] for lead in leads]
    exact = [inversion_point(n) for n in CLASSES]
    second = [random_vs_vacuous(1, n, "log").turning_point for n in CLASSES]
    return [
        Claim.checked(
            "2012, 8.1",
            "the vacuous classifier is ahead at every m, and the lead vanishes",
            bool(np.min(leads) > 0 and max(last) < 0.01),
            "exact sums, log utility, m up to 1000: smallest lead "
            f"{np.min(leads):.2g}, at m = 1000 at most {max(last):.2g}",
            quote="the expected utility produced by the two classifiers is the same",
        ),
        Claim.checked(
            "2012, 8.1",
            "for log the lead grows up to m = n and then falls",
            bool(np.allclose(second, CLASSES)),
            "the second-order formula turns at m = n; the exact lead is largest at "
            + ", ".join(f"{m} (n = {n})" for m, n in zip(exact, CLASSES, strict=True)),
            quote="will monotonically increase up to m < n (inversion point)",
            reading="of the second-order formula, which the paper calls d(m) and draws",
        ),
        Claim.checked(
            "2012, 8.1",
            "more classes delay convergence",
            bool(np.all(np.diff(last) > 0)),
            f"exact sums, lead at m = 1000 with n = {', '.join(map(str, CLASSES))}: "
            + ", ".join(f"{lead:.2g}" for lead in last),
            quote="increasing n delays the convergence of the expected utilities",
        ),
    ]


def _claims_on_exponential(leads: dict[str, list[float]]) -> list[Claim]:
    """The claims about exponential utility."""
    turns = {
        (u, n): (random_vs_vacuous(1, n, u).turning_point, n / float(u.removeprefix("exp:")))
        for u in UTILITIES[1:]
        for n in CLASSES
    }
    exact = {n: [inversion_point(n, u) for u in UTILITIES[1:]] for n in CLASSES}
    small = [leads[u][0] for u in UTILITIES[1:]]
    return [
        Claim.checked(
            "2012, 8.2",
            "with exponential utility the turning point is m = n / a",
            all(bool(np.isclose(found, wanted)) for found, wanted in turns.values()),
            "the second-order formula turns there; the exact lead is largest at "
            + "; ".join(f"{', '.join(map(str, exact[n]))} (n = {n})" for n in CLASSES)
            + " for a = 0.5, 1, 2, 5",
            quote="the inversion point is now located at",
            reading="of the second-order formula, which the paper calls d(m)",
        ),
        Claim(
            "2012, 8.2",
            "d(m) of exponential utility behaves as that of logarithmic utility",
            Verdict.CONTRADICTION,
            "Section 8.2 prints d(m) with a minus sign, and d'(m) as exp(-am/n)(am/n - 1): by "
            "these the vacuous classifier would be behind, most at m = n/a. By the definition of "
            "d(m) in Section 8.1 both signs are the opposite, and the behaviour is as said",
            quote="has qualitatively the same behavior of the logarithmic case",
        ),
        Claim(
            "2012, 8.2",
            "higher risk aversion delays convergence",
            Verdict.CONTRADICTION,
            "the formula for d(m) a few lines above has the factor exp(-am/n), which vanishes "
            f"faster for larger a; exact lead at m = {LATE}, five classes: "
            + ", ".join(f"{u} {leads[u][2]:.2g}" for u in UTILITIES[1:]),
            quote="higher risk aversion delays the convergence of the expected utilities",
        ),
        Claim.checked(
            "2012, 8.2",
            "higher risk aversion enlarges the lead of the vacuous classifier for small m",
            bool(np.all(np.diff(small) > 0)),
            "exact lead at m = 1, five classes: "
            + ", ".join(f"{u} {leads[u][0]:.3f}" for u in UTILITIES[1:]),
            quote="emphasizing the difference in favor of the vacuous on small m",
        ),
    ]


def _draw(exact: bool) -> Figure:
    from wager.plots import plain_figure, plot_random_vs_vacuous

    figure = plain_figure((7.0, 4.2))
    plot_random_vs_vacuous(CLASSES, "log", ax=figure.subplots(), exact=exact)
    return figure


STUDY = Study(
    "zaffalon-bets",
    "Zaffalon, Corani & Mauá (2011), Sections 4 to 7, and (2012), Sections 4 to 9",
    "What a set of classes is worth, and what admitting ignorance is worth over many bets: Theorem "
    "1, the propositions, Figure 1 and how accurate its formula is; the utilities of Figure 2.",
    _analyse,
    title="Utilities, and the value of admitting ignorance over many bets",
    minutes=0.02,
    page="zaffalon-2012",
)
