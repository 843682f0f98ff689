"""Naive Bayes and the naive credal classifier on data whose truth is naive.

Zaffalon, Corani & Mauá (2011), Section 8, and (2012), Section 9.1.1: 80 random models with two
classes and ten binary features, 50 training sets of each size, 10,000 test rows.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from wager._typing import Floats, Ints
from wager.experiments._plan import Plan
from wager.experiments.studies._ignorance import OnIgnorance, credal_and_precise, draw_utilities
from wager.experiments.studies._report import Claim, Comparison, StudyTable
from wager.experiments.studies._study import Findings, Study

if TYPE_CHECKING:
    from wager.experiments import Store

SIZES = [25, 50, 100]
MEASURES = ("determinacy", "u50", "u65", "log")
# What the text of Section 8 (2011) says; the figures have no numbers.
SAID_ACCURACY = {25: 64.0, 100: 54.0}
SAID_IGNORANCE = {25: 20.0, 100: 4.0}


def _plan(data: str | None, quick: bool) -> Plan:
    return Plan(
        name="zaffalon-2011-artificial",
        datasets=[{"generator": "random-binary-naive-bayes", "models": 8 if quick else 80}],
        scheme={
            "kind": "generate",
            "sizes": SIZES,
            "repeats": 5 if quick else 50,
            "test_rows": 2000 if quick else 10_000,
        },
        learners=credal_and_precise(),
        measures=MEASURES,
        probabilities=False,
    )


def _analyse(store: Store) -> Findings:
    table = store.columns(MEASURES)
    size, learner = np.array(table["size"]), np.array(table["learner"])
    medians = {
        (name, measure): _medians(np.array(table[measure]), size, learner == name)
        for name in ("NCC", "NBC")
        for measure in MEASURES
    }
    ignorance = [_pooled(store, s) for s in SIZES]
    accuracy = np.array([on.accuracy for on in ignorance])
    share = np.array([on.share for on in ignorance])
    rows = [
        (
            s,
            100 * medians["NCC", "determinacy"][i],
            100 * share[i],
            100 * accuracy[i],
            *(100 * medians[name, m][i] for m in ("u50", "u65", "log") for name in ("NBC", "NCC")),
        )
        for i, s in enumerate(SIZES)
    ]
    headers = (
        "training rows",
        "determinacy of NCC",
        "area of ignorance",
        "NBC on it",
        "u50 NBC",
        "u50 NCC",
        "u65 NBC",
        "u65 NCC",
        "log NBC",
        "log NCC",
    )
    u50, u65, log = ([medians[n, m] for n in ("NBC", "NCC")] for m in ("u50", "u65", "log"))
    gap = u65[1] - u65[0]
    told = [SIZES.index(s) for s in SAID_ACCURACY]
    return {
        "tables": [StudyTable("Medians over all experiments (per cent)", headers, rows)],
        "comparisons": [
            Comparison(
                "accuracy of NBC on the area of ignorance (%), s = 25 and 100",
                list(SAID_ACCURACY.values()),
                100 * accuracy[told],
                4.0,
            ),
            Comparison(
                "area of ignorance (%), s = 25 and 100",
                list(SAID_IGNORANCE.values()),
                100 * share[told],
                4.0,
            ),
        ],
        "claims": [
            Claim(
                "2012, 9.1.1",
                "NBC has the higher discounted accuracy",
                bool((u50[0] > u50[1]).all()),
                _differences("NBC minus NCC", u50[0] - u50[1]),
            ),
            Claim(
                "2012, 9.1.1",
                "NCC has the higher utility under u65 at each size",
                bool((gap > 0).all()),
                _differences("NCC minus NBC", gap),
            ),
            Claim(
                "2011, 8",
                "the same holds under logarithmic utility",
                bool((log[1] > log[0]).all()),
                _differences("NCC minus NBC, log(1 + x)", log[1] - log[0]),
            ),
            Claim(
                "2011, 8",
                "with more data the area of ignorance shrinks and NBC does worse on it",
                bool((np.diff(share) < 0).all() and (np.diff(accuracy) < 0).all()),
                "area " + _list(100 * share) + ", NBC on it " + _list(100 * accuracy),
            ),
            Claim(
                "2011, 8",
                "the gap of utility grows slightly with the size",
                bool((np.diff(gap) > 0).all()),
                _differences("NCC minus NBC", gap),
            ),
        ],
        "figures": {
            "Figure 3": partial(draw_utilities, SIZES, u50, u65, "artificial data, medians")
        },
    }


def _medians(values: Floats, size: Ints, chosen: Floats) -> Floats:
    return np.array([np.median(values[chosen & (size == s)]) for s in SIZES])


def _pooled(store: Store, size: int) -> OnIgnorance:
    """What happened on the area of ignorance, all models together."""
    return OnIgnorance.of([store.paired(name, "NCC", "NBC", size=size) for name in store.datasets])


def _list(values: Floats) -> str:
    return ", ".join(f"{value:.1f}" for value in values)


def _differences(what: str, values: Floats) -> str:
    shown = ", ".join(f"{100 * value:+.2f}" for value in values)
    return f"{what} in points, s = 25, 50, 100: {shown}"


STUDY = Study(
    "zaffalon-2011-artificial",
    "Zaffalon, Corani & Mauá (2011), Section 8, and (2012), Section 9.1.1",
    "Naive Bayes against the naive credal classifier on generated data: who earns more, and how "
    "well naive Bayes does where the credal classifier holds back.",
    _analyse,
    _plan,
)
