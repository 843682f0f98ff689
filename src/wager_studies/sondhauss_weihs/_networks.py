"""Quadratic discrimination against many neural networks on the example of Sondhauss & Weihs (2001).

The paper compares quadratic discrimination with "some neural network" and says nothing else about
it.  Here sixteen networks are compared with quadratic discrimination on the same draws, to show
which of the paper's remarks depend on the network.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._typing import Floats
from wager.compare import holm_adjust
from wager.experiments import Plan
from wager.experiments.study import (
    Claim,
    Finding,
    Findings,
    Study,
    StudyTable,
    Verdict,
    open_until_done,
)
from wager.partitions import StandardizedPartition
from wager_studies.sondhauss_weihs._partitions import partitions_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wager.experiments import Store

HOME = "wager_studies.sondhauss_weihs._rules"
DATA, SIZE, DRAWS = "chi-square", 27, 200
CLASSES = ("G1", "G2", "G3")
QDA = "Bayes-QDA"
LEVEL = 0.05
MEASURES = {
    "CR": "correctness",
    "Ac": "accuracy",
    "AS": "separation",
    "CF": "confidence",
}
FIGURES = {"Ac": "Figure 2", "AS": "Figure 3"}  # where the paper compares a measure


def _real(**params: Any) -> dict[str, Any]:
    return {"learner": f"{HOME}.RealNetwork", "params": params}


def _classes(**params: Any) -> dict[str, Any]:
    return {"learner": f"{HOME}.ClassNetwork", "params": params}


# One setting of the first network changed at a time, then some that differ in several.
NETWORKS: dict[str, dict[str, Any]] = {
    "4 tanh units, decay 0.1, softmax(5 x)": _real(),
    "other initial weights": _real(random_state=1),
    "2 units": _real(hidden=2),
    "8 units": _real(hidden=8),
    "logistic units": _real(activation="logistic"),
    "decay 0.001": _real(alpha=0.001, max_iter=500),
    "decay 0.01": _real(alpha=0.01, max_iter=500),
    "decay 1": _real(alpha=1.0),
    "softmax(x)": _real(sharpness=1.0),
    "softmax(20 x)": _real(sharpness=20.0),
    "outputs shifted, divided by their sum": _real(kind="shift"),
    "ranks of the outputs": _real(kind="rank"),
    "8 units, decay 0.01": _real(hidden=8, alpha=0.01, max_iter=500),
    "logistic units, no decay, 100 steps": _real(activation="logistic", alpha=0.0, max_iter=100),
    "4 tanh units, decay 0.1, maximum likelihood": _classes(
        hidden=4, activation="tanh", alpha=0.1, solver="lbfgs", max_iter=500
    ),
    "scikit-learn's MLPClassifier": _classes(),
}


def _plan(data: str | None, quick: bool) -> Plan:
    return Plan(
        name="sondhauss-weihs-networks",
        datasets=[{"generator": "random-chi-square", "name": DATA}],
        scheme={
            "kind": "generate",
            "sizes": [SIZE],
            "test_rows": SIZE,
            "repeats": 5 if quick else DRAWS,
        },
        learners={
            QDA: {"learner": "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis"},
            **NETWORKS,
        },
        measures=("u50",),
        probabilities=False,
        predictions=True,
    )


@dataclass(frozen=True, eq=False)
class Leads:
    """A measure of each network minus that of quadratic discrimination, draw by draw.

    Attributes
    ----------
    values : ndarray of shape (draws, networks)

    Examples
    --------
    >>> leads = Leads(np.array([[0.1, 0.0], [0.3, -0.1], [0.2, 0.1]]))
    >>> leads.mean.round(2).tolist(), leads.ahead.round(2).tolist()
    ([0.2, 0.0], [1.0, 0.33])
    """

    values: Floats

    @property
    def mean(self) -> Floats:
        """The mean over the draws."""
        return self.values.mean(axis=0)

    @property
    def error(self) -> Floats:
        """The standard error of the mean; draws are independent."""
        return self.values.std(axis=0, ddof=1) / np.sqrt(len(self.values))

    @property
    def interval(self) -> tuple[Floats, Floats]:
        """Student's 95% interval of the mean."""
        from scipy.stats import t

        reach = t.ppf(1 - LEVEL / 2, len(self.values) - 1) * self.error
        return self.mean - reach, self.mean + reach

    @property
    def p(self) -> Floats:
        """The two-sided p value of a mean of zero; 1 where all draws are ties."""
        from scipy.stats import t

        ratio = np.divide(self.mean, self.error, out=np.zeros_like(self.mean), where=self.error > 0)
        return 2 * t.sf(np.abs(ratio), len(self.values) - 1)

    @property
    def ahead(self) -> Floats:
        """The share of the draws in which the network is ahead."""
        return (self.values > 0).mean(axis=0)

    @property
    def signs(self) -> Floats:
        """1 where a network is significantly ahead, -1 where behind, adjusted over networks."""
        adjusted = holm_adjust(self.p)
        return np.where(adjusted < LEVEL, np.sign(self.mean), 0.0)


def leads_of(draws: list[dict[str, StandardizedPartition]], measure: str) -> Leads:
    """The leads of all networks by a measure of standardized partitions."""
    attribute = MEASURES[measure]
    table = [[getattr(draw[name], attribute) for name in (QDA, *NETWORKS)] for draw in draws]
    values = np.array(table, dtype=float)
    return Leads(values[:, 1:] - values[:, :1])


def _analyse(store: Store) -> Findings:
    draws = partitions_of(store, DATA, (QDA, *NETWORKS), CLASSES, SIZE)
    if len(draws) < 3:
        return {"notes": ["Fewer than three draws are finished."]}
    leads = {measure: leads_of(draws, measure) for measure in MEASURES}
    done = len(draws) == DRAWS
    return {
        "figures": {
            "Networks against quadratic discrimination": partial(
                draw_leads, {m: (leads[m].mean, *leads[m].interval) for m in FIGURES}
            )
        },
        "tables": [_table(leads), _tidy(leads)],
        "claims": open_until_done(store, [_claim(m, leads[m], done) for m in FIGURES]),
        "findings": [_finding(leads)] if done else [],
        "notes": NOTES,
    }


NOTES = (
    'The paper says of its network only that it is "some neural network (NN) classifier that '
    'originally used membership values in R". The first network has four hidden units, weight '
    "decay 0.1 and real-valued outputs that a softmax turns into memberships; these settings are "
    "ours. The next eleven change one of them, the last four several: logistic units without decay "
    "and 100 steps are the defaults of R's nnet, which has been in use since the time of the "
    "paper; subtracting the smallest value and dividing by the sum, and ranks, are the two ways to "
    "memberships that the paper names. All rules learn from the same 27 objects and are measured "
    "on the same 27 others in each draw, so the draws are pairs.",
    "The remarks on Figures 2 and 3 are about one draw and one network, and neither is published: "
    "they cannot be checked. Whether they hold on average, and for which networks, is a question "
    "of our own.",
)


def _table(leads: dict[str, Leads]) -> StudyTable:
    """Mean leads with intervals, one row per network."""
    rows = []
    for i, name in enumerate(NETWORKS):
        cells = [_with_interval(found, i) for found in leads.values()]
        rows.append((name, *cells, f"{100 * leads['Ac'].ahead[i]:.0f}%"))
    headers = ("network", *MEASURES, "draws in which it is ahead by Ac")
    return StudyTable("Network minus quadratic discrimination, with 95% intervals", headers, rows)


def _tidy(leads: dict[str, Leads]) -> StudyTable:
    rows = [
        (name, measure, len(found.values), found.mean[i], found.interval[0][i],
         found.interval[1][i], float(found.p[i]), float(holm_adjust(found.p)[i]), found.ahead[i])
        for measure, found in leads.items()
        for i, name in enumerate(NETWORKS)
    ]  # fmt: skip
    headers = ("network", "measure", "draws", "mean difference", "low", "high", "p",
               "p adjusted over the networks", "share of draws ahead")  # fmt: skip
    return StudyTable("Differences by network and measure", headers, rows, shown=False)


def _with_interval(found: Leads, i: int) -> str:
    low, high = (end[i] for end in found.interval)
    return f"{found.mean[i]:+.3f} ({low:+.3f} to {high:+.3f})"


def _claim(measure: str, found: Leads, done: bool) -> Claim:
    """The paper's remark on a figure, with what many draws and networks give."""
    says, quote = {
        "Ac": (
            "the network is slightly more accurate than quadratic discrimination (Ac)",
            "the NN-classifier is slightly better",
        ),
        "AS": (
            "the network separates better than quadratic discrimination (AS)",
            "the NN classifier is superior to the Bayes-QDA classifier",
        ),
    }[measure]
    return Claim(
        f"2001, 5, {FIGURES[measure]}",
        says,
        Verdict.UNCHECKABLE if done else None,
        f"the paper shows one draw of 27 objects and does not describe the network; over "
        f"{len(found.values)} draws {_counts(found)}. In single draws the networks are ahead in "
        f"{100 * found.ahead.min():.0f}% to {100 * found.ahead.max():.0f}% of the cases, so one "
        "draw as in the paper is compatible with any of them",
        quote,
    )


def _counts(found: Leads) -> str:
    """How many networks are ahead and behind, with the extreme means."""
    best, worst = int(found.mean.argmax()), int(found.mean.argmin())
    ahead, behind = int((found.signs > 0).sum()), int((found.signs < 0).sum())
    return (
        f"{ahead} of {len(found.signs)} networks are significantly ahead and {behind} behind "
        f"(Holm's adjustment), from {_with_interval(found, worst)} ({_name(worst)}) to "
        f"{_with_interval(found, best)} ({_name(best)}); that with our first settings "
        f"{_with_interval(found, 0)}"
    )


def _name(i: int) -> str:
    return list(NETWORKS)[i]


def _finding(leads: dict[str, Leads]) -> Finding:
    signs = np.array([leads[measure].signs for measure in FIGURES])
    both = (signs > 0).any() and (signs < 0).any()
    answer = "no, it depends on the network" if both else "yes, all networks agree in sign"
    if not both and (signs == 0).any():
        answer = "the data do not decide it for every network"
    return Finding(
        "Does a network separate and fit better than quadratic discrimination on the chi-square "
        "classes, whatever its settings?",
        answer,
        "; ".join(f"{measure}: {_counts(leads[measure])}" for measure in FIGURES),
    )


def draw_leads(leads: Mapping[str, tuple[Floats, Floats, Floats]]) -> Figure:
    """Mean differences and the ends of their intervals by measure, one row per network."""
    from wager.plots import plain_figure, series_colour, style_axes

    figure = plain_figure((9.2, 5.0))
    place = np.arange(len(NETWORKS))[::-1]
    for ax, (measure, title) in zip(
        figure.subplots(1, 2, sharey=True), FIGURES.items(), strict=True
    ):
        mean, low, high = leads[measure]
        ax.axvline(0, color="0.6", linewidth=1)
        ax.errorbar(mean, place, xerr=[mean - low, high - mean], fmt="o",
                    markersize=4, capsize=2, color=series_colour(0))  # fmt: skip
        ax.set(xlabel=f"{measure}: network minus QDA, 95% interval", title=f"As in {title}")
        ax.locator_params(axis="x", nbins=5)  # labels that do not touch
        style_axes(ax)
    figure.axes[0].set_yticks(place, NETWORKS)
    return figure


STUDY = Study(
    "sondhauss-weihs-networks",
    "Sondhauss & Weihs (2001), Section 5",
    f"{len(NETWORKS)} neural networks against quadratic discrimination on the same draws of three "
    "chi-square classes, since the paper does not describe its network.",
    _analyse,
    _plan,
    title="Is the network better? It depends on the network",
    minutes=4.0,
    page="sondhauss-weihs-2001",
)
