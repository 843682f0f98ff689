"""The reject option against the credal classifier, where there is nothing to learn.

Zaffalon, Corani & Mauá (2012), Section 9.4, as a simulation: two classes have probabilities 0.7 and
0.3, whatever the features.  Naive Bayes that rejects below t = 0.8 ends up returning both classes
always, for which u80 pays 0.8; the naive credal classifier learns that class 1 is more probable and
earns 0.7.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._typing import Floats
from wager.experiments import Plan
from wager.experiments.study import Claim, Finding, Findings, Study, StudyTable, open_until_done
from wager_studies._figures import line_figure
from wager_studies.zaffalon._evidence import mean_and_error

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wager.experiments import Store

CHANCE, THRESHOLD = 0.7, 0.8
SIZES = [10, 30, 100, 300, 1000, 3000, 10_000]
NBC: dict[str, Any] = {"learner": "naive-bayes"}
LEARNERS: dict[str, dict[str, Any]] = {
    "NBC": NBC,
    "NBC, rejecting": {
        "learner": "rejecting",
        "params": {"estimator": NBC, "threshold": THRESHOLD},
    },
    "NCC": {"learner": "naive-credal"},
    "NCC, rejecting": {"learner": "naive-credal", "params": {"reject": THRESHOLD}},
}
MEASURES = ("determinacy", "true:u50", "true:u65", "true:u80")


def _plan(data: str | None, quick: bool) -> Plan:
    params = {"chance": CHANCE, "n_features": 5}
    return Plan(
        name="zaffalon-2012-rejection",
        datasets=[
            {
                "generator": "random-irrelevant-features",
                "params": params,
                "models": 5 if quick else 20,
                "name": "irrelevant",
            }
        ],
        scheme={
            "kind": "generate",
            "sizes": SIZES,
            "repeats": 2 if quick else 10,
            "test_rows": 1000,
        },
        learners=LEARNERS,
        measures=MEASURES,
        probabilities=False,
    )


def _analyse(store: Store) -> Findings:
    table = store.columns(MEASURES)
    size, learner = np.array(table["size"]), np.array(table["learner"])
    done = {(name, s): (learner == name) & (size == s) for name in LEARNERS for s in SIZES}
    if not all(rows.any() for rows in done.values()):
        return {"notes": ["Some training sizes have no results yet."]}
    means = {
        (name, m): np.array([np.mean(np.array(table[m])[done[name, s]]) for s in SIZES])
        for name in LEARNERS
        for m in MEASURES
    }
    rows = [
        (name, s, *(means[name, m][i] for m in MEASURES))
        for name in LEARNERS
        for i, s in enumerate(SIZES)
    ]
    dataset = np.array(table["dataset"])
    last = {
        (name, m): _over_models(np.array(table[m])[rows], dataset[rows])
        for name in LEARNERS
        for m in MEASURES
        for rows in [done[name, SIZES[-1]]]
    }
    return {
        "tables": [
            StudyTable(
                "Determinacy and true expected utility",
                ("classifier", "training rows", "determinacy", "u50", "u65", "u80"),
                rows,
                digits=3,
            )
        ],
        "claims": open_until_done(store, _claims(last)),
        "findings": _findings(last),
        "figures": {
            "Utility under u80": partial(
                draw_utility, {name: means[name, "true:u80"] for name in LEARNERS}
            )
        },
    }


def _over_models(values: Floats, dataset: Any) -> tuple[float, float]:
    """The mean and its standard error over the models, whose splits belong together."""
    return mean_and_error([values[dataset == model].mean() for model in np.unique(dataset)])


Last = dict[tuple[str, str], tuple[float, float]]  # mean and standard error by learner, measure
AT = f"with {SIZES[-1]:,} training rows"


def _shown(last: Last, name: str, measure: str) -> str:
    mean, error = last[name, measure]
    return f"{mean:.3f} ± {error:.3f}"


def _claims(last: Last) -> list[Claim]:
    u80 = {name: last[name, "true:u80"][0] for name in LEARNERS}
    return [
        Claim.checked(
            "2012, 9.4",
            "with much data NCC is nearly indistinguishable from NBC, and earns 0.7",
            abs(u80["NCC"] - CHANCE) < 0.01 and abs(u80["NBC"] - CHANCE) < 0.01,
            f"{AT}, u80 of NCC {_shown(last, 'NCC', 'true:u80')}, of NBC "
            f"{_shown(last, 'NBC', 'true:u80')}",
            quote="the NCC will correctly predict 70% of the instances",
        ),
        Claim.checked(
            "2012, 9.4",
            "the rejecting NBC always returns both classes and earns 0.8 under u80",
            last["NBC, rejecting", "determinacy"][0] < 0.01
            and abs(u80["NBC, rejecting"] - THRESHOLD) < 0.01,
            f"{AT}, determinacy {_shown(last, 'NBC, rejecting', 'determinacy')}, "
            f"u80 {_shown(last, 'NBC, rejecting', 'true:u80')}",
            quote="will constantly output the vacuous prediction",
        ),
        Claim.checked(
            "2012, 9.4",
            "so under u80 the rejecting NBC beats NCC",
            u80["NBC, rejecting"] - u80["NCC"]
            > 2 * (last["NBC, rejecting", "true:u80"][1] + last["NCC", "true:u80"][1]),
            f"{AT}, u80 {_shown(last, 'NBC, rejecting', 'true:u80')} against "
            f"{_shown(last, 'NCC', 'true:u80')}",
            quote="The outcome of the comparison will then be in favor of",
        ),
    ]


def _findings(last: Last) -> list[Finding]:
    gap = last["NCC, rejecting", "true:u80"][0] - last["NBC, rejecting", "true:u80"][0]
    fair = "yes" if abs(gap) < 0.01 else "no"
    u65 = [last[name, "true:u65"][0] for name in ("NCC", "NBC, rejecting")]
    return [
        Finding(
            "Does NCC do as well as the rejecting NBC if it rejects on its lower probability, as "
            "Section 9.4 proposes?",
            fair,
            f"{AT}, u80 {_shown(last, 'NCC, rejecting', 'true:u80')} against "
            f"{_shown(last, 'NBC, rejecting', 'true:u80')}",
        ),
        Finding(
            "Does the rejecting NBC beat NCC under u65 too?",
            "yes" if u65[1] > u65[0] else "no, the order is reversed",
            f"{AT}, u65 of NCC {_shown(last, 'NCC', 'true:u65')}, of the rejecting NBC "
            f"{_shown(last, 'NBC, rejecting', 'true:u65')}",
        ),
    ]


def draw_utility(u80: dict[str, Floats]) -> Figure:
    """Expected u80 of each classifier against the training rows."""
    return line_figure(
        SIZES,
        u80,
        title="Nothing to learn but that one class has probability 0.7",
        y_label="expected u80",
        log_scale=True,
    )


STUDY = Study(
    "zaffalon-2012-rejection",
    "Zaffalon, Corani & Mauá (2012), Section 9.4",
    "A simulation of why a classifier that rejects can beat one that has learned everything.",
    _analyse,
    _plan,
    title="Why rejection can beat a fully trained classifier",
    minutes=0.3,
    page="zaffalon-2012",
)
