"""Quadratic discrimination against many neural networks on the example of Sondhauss & Weihs (2001).

The paper compares quadratic discrimination with "some neural network" and says nothing else about
it.  Here sixteen networks are compared with quadratic discrimination on the same draws, to show
which of the paper's remarks depend on the network.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._typing import Floats
from wager.compare import holm
from wager.experiments import Plan
from wager.experiments.study import Claim, Findings, Study, StudyTable, open_until_done
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
        adjusted = np.asarray(holm(self.p))
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
    return {
        "figures": {"Networks against quadratic discrimination": partial(draw_leads, leads)},
        "tables": [_table(leads), _tidy(leads)],
        "claims": open_until_done(store, [_claim(m, leads[m]) for m in FIGURES]),
        "notes": NOTES,
    }
