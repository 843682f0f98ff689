"""Caution tuned to a utility or to costs, against the usual strength.

This comparison is not from a paper; it follows the suggestion of Yang, Destercke & Masson (2017,
Section VII-C) to choose the strength by cross-validation.  On each training set, `TunedCaution`
chooses the s of the naive credal classifier and the beta of nondeterministic sets for u65, for u80
and for one cost matrix; the choice is judged on the test rows, beside s = 1 and beta = 1.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from wager._typing import Floats
from wager.compare import holm_adjust, wilcoxon
from wager.costs import CostMatrix, CostTally
from wager.experiments import Plan
from wager.experiments.study import Finding, Findings, Study, StudyTable, finished_scores
from wager.predictions import read_predictions
from wager_studies._data_sets import preset

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wager.experiments import Store

ENOUGH = 20  # finished data sets needed for an answer
LEVEL = 0.05
FEW = "Too few data sets are finished to answer the questions."
# of 100 to 1,500 rows, in the order of the credal study
NAMES = (
    "iris", "hayes-roth", "tae", "haberman", "hepatitis", "wine", "lymphography", "monks3",
    "monks1", "glass", "spect", "solar-flare-m", "hungarian-14-heart-diseases",
    "cleveland-14-heart-diseases", "wisconsin-breast-cancer", "pima-diabetes", "ecoli",
    "ionosphere", "german-credit", "cmc",
)  # fmt: skip
COSTS = "costs"
OBJECTIVES = ("u65", "u80", COSTS)
USUAL: dict[str, dict[str, Any]] = {
    "NCC": {"learner": "naive-credal", "params": {}},
    "NDC": {
        "learner": "nondeterministic",
        "params": {"estimator": {"learner": "naive-bayes", "params": {}}},
    },
}


def _tuned(usual: dict[str, Any], objective: str) -> dict[str, Any]:
    aim = {"costs": "ordinal"} if objective == COSTS else {"utility": objective}
    return {
        "learner": "tuned-caution",
        "params": {"estimator": usual, "random_state": 0, **aim},
    }


def _name(learner: str, objective: str) -> str:
    return f"{learner} for {objective}"


LEARNERS = USUAL | {
    _name(learner, objective): _tuned(usual, objective)
    for learner, usual in USUAL.items()
    for objective in OBJECTIVES
}


def _plan(data: str | None, quick: bool) -> Plan:
    shared = preset(data, quick, as_printed=False)
    kept = [entry for entry in shared["datasets"] if quick or entry["name"] in NAMES]
    once = shared["scheme"] | {"repeats": 1, "n_folds": 3 if quick else 5}
    return Plan(
        **shared | {"datasets": kept, "scheme": once, "predictions": True},
        name="tuned-caution",
        learners=LEARNERS,
        measures=("u65", "u80", "determinacy", "mean_set_size"),
    )


class Gains(NamedTuple):
    """What tuning gains on each data set: higher utility, or lower cost."""

    usual: Floats
    tuned: Floats
    sign: int  # -1 for costs

    @property
    def gain(self) -> Floats:
        """The difference in favour of tuning; rounding errors are not a difference."""
        return (self.sign * (self.tuned - self.usual)).round(12)

    @property
    def p(self) -> float:
        """The p value of Wilcoxon's signed-rank test of the gains."""
        return wilcoxon(self.gain).p if self.gain.any() else 1.0


def _analyse(store: Store) -> Findings:
    names = finished_scores(store, "u65").rows
    if len(names) < 2:
        return {"notes": [NOTE, "Fewer than two data sets are finished."]}
    enough = len(names) >= ENOUGH
    costs = {learner: _average_costs(store, names, learner) for learner in LEARNERS}
    gains: dict[tuple[str, str], Gains] = {}
    for learner in USUAL:
        for objective in OBJECTIVES:
            tuned = _name(learner, objective)
            both = (
                (costs[learner], costs[tuned])
                if objective == COSTS
                else _both(store, objective, names, learner, tuned)
            )
            gains[learner, objective] = Gains(*both, -1 if objective == COSTS else 1)
    return {
        "tables": [
            StudyTable(
                "Tuned against usual strength, out of sample",
                ("classifier", "objective", "usual", "tuned", "mean gain", "better", "equal",
                 "worse", "at least as good", "p"),
                [_row(key, found) for key, found in gains.items()],
                digits=4,
            ),
            StudyTable(
                "By data set",
                ("data set", *(f"{a}, {b}, {c}" for a, b in gains for c in ("usual", "tuned"))),
                [
                    (name, *(float(v[i]) for g in gains.values() for v in (g.usual, g.tuned)))
                    for i, name in enumerate(names)
                ],
                shown=False,
                digits=4,
            ),
        ],
        "findings": _answers(gains) if enough else [],
        "figures": {"Gains": partial(draw_gains, gains)},
        "notes": [NOTE] if enough else [FEW, NOTE],
    }  # fmt: skip


NOTE = (
    "NCC is the naive credal classifier, with s = 1 or a tuned s; NDC predicts the sets of "
    "greatest expected F measure under naive Bayes, with beta = 1 or a tuned beta. The strength "
    "is chosen among 50 by five folds of the training rows, in each of five folds. Costs are the "
    "distances between the positions of two classes, in the order in which the data set lists "
    "them, extended to sets by their p-discounted means (r = 0.5); with two classes that is a "
    "reward of 0.75 for a correct pair. Numeric features are cut by MDL on all training rows, so "
    "the inner folds are slightly optimistic for every strength alike. p is from Wilcoxon's test."
)


def _both(store: Store, measure: str, names: Any, usual: str, tuned: str) -> tuple[Floats, Floats]:
    table = finished_scores(store, measure)
    values = table.values[[table.rows.index(name) for name in names]]
    return values[:, table.columns.index(usual)], values[:, table.columns.index(tuned)]


def _average_costs(store: Store, names: Any, learner: str) -> Floats:
    """The average cost on each data set, over all folds."""
    return np.array([_average_cost(store, name, learner) for name in names])


def _average_cost(store: Store, name: str, learner: str) -> float:
    # columns of probabilities are in the order of the data set, to which the costs refer
    first = store.predictions(name, learner, kind="probabilities")[0]
    classes = read_predictions(first).classes
    parts = [read_predictions(file, classes=classes) for file in store.predictions(name, learner)]
    tallies = [CostTally.of(part.classes[part.codes], part.sets, classes) for part in parts]
    costs = CostMatrix.ordinal(classes).extend("p-discounted", r=0.5)
    return float(sum(tallies[1:], tallies[0]).average(costs))


def _row(key: tuple[str, str], found: Gains) -> tuple[Any, ...]:
    gain = found.gain
    return (
        *key,
        float(found.usual.mean()),
        float(found.tuned.mean()),
        float(gain.mean()),
        int((gain > 0).sum()),
        int((gain == 0).sum()),
        int((gain < 0).sum()),
        int((gain >= 0).sum()),
        found.p,
    )


def _answers(gains: dict[tuple[str, str], Gains]) -> list[Finding]:
    """Whether tuning pays, for each classifier and objective; p values adjusted over all."""
    adjusted = holm_adjust([found.p for found in gains.values()])
    answers = []
    for ((learner, objective), found), p in zip(gains.items(), adjusted, strict=True):
        gain = found.gain
        better, worse = int((gain > 0).sum()), int((gain < 0).sum())
        answer = "no significant difference"
        if p < LEVEL:
            answer = "yes" if np.median(gain) >= 0 and better > worse else "no, it costs"
        answers.append(
            Finding(
                f"Does a strength of {learner} tuned for {objective} beat the usual one?",
                answer,
                f"better on {better}, equal on {int((gain == 0).sum())}, worse on {worse} of "
                f"{len(gain)} data sets; mean gain {gain.mean():+.4f} from {found.usual.mean():.4f}"
                f", p = {p:.2g} after Holm",
            )
        )
    return answers


def draw_gains(gains: dict[tuple[str, str], Gains]) -> Figure:
    """What tuning gains on each data set, one column of points per classifier and objective."""
    from wager.plots import plain_figure, series_colour, series_marker, style_axes

    figure = plain_figure((7.0, 4.0))
    ax = figure.subplots()
    for i, (key, found) in enumerate(gains.items()):
        gain = np.sort(found.gain / np.maximum(np.abs(found.usual), 1e-9))
        colour = list(USUAL).index(key[0])
        across = i + np.linspace(-0.3, 0.3, len(gain))
        ax.plot(across, 100 * gain, series_marker(colour), color=series_colour(colour), ms=4)
    ax.axhline(0, color="0.4", linewidth=1)
    ax.set_xticks(range(len(gains)), [f"{a}\n{b}" for a, b in gains])
    ax.set(ylabel="gain by tuning, % of the usual value")
    ax.set_title("Tuned against usual strength: each point is a data set", fontsize=11)
    style_axes(ax)
    return figure


STUDY = Study(
    "tuned-caution",
    "Beyond the papers, after Section VII-C of Yang, Destercke & Masson (2017)",
    "What it gains to choose the strength of caution for u65, u80 or costs by cross-validation.",
    _analyse,
    _plan,
    title="Is tuned caution better than the usual strength?",
    minutes=0.6,
    page="findings",
)
