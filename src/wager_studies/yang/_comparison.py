"""Trees of nested dichotomies against the naive credal classifier, judged by costs of sets.

Yang, Destercke & Masson (2017), Section VII-D and Table XII: the classifier itself, the best of 50
trees of two-class classifiers (2Tr) and a forest of 50 (Fo), all with s = 2, on ERA, ESL and LEV.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._typing import Floats
from wager.compare import corrected_t
from wager.costs import CostMatrix, CostTally
from wager.experiments import Plan
from wager.experiments.study import Claim, Comparison, Findings, Study, StudyTable, listed
from wager_studies._published import printed
from wager_studies.yang._ordinal_data import (
    Counted,
    counted_sets,
    open_if_partial,
    p_discounted,
    preset,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wager.experiments import Store

R = 0.5
S = 2.0
PRINTED = ("NCC", "2Tr", "Fo")
TREE, FOREST = "nested-dichotomies", "nested-dichotomy-forest"
ROUNDING = 0.005  # the accuracy of two printed decimals

NOTE = (
    "No column of Table XII reproduces. Its NCC on LEV, 3.43, is more than the largest mean cost "
    "that any predictions can have there, and a generalized mean never exceeds the largest cost in "
    "the set; so it is not the cost that the section defines. The printed NCC costs more on all "
    "three data sets than always returning every class, and the printed trees cost more on ERA and "
    "LEV than always returning the same single class. Other readings of the cost and of the "
    "classifiers do not give the printed numbers either; the sum of the costs over the set comes "
    "close, but only on ESL. So only the order is compared, not the values. The paper does not say "
    "whether the 50 trees, drawn among all decompositions, keep the order of the classes: 2Tr and "
    "Fo are drawn among all trees, and the ordered ones are shown beside them. Three runs of ten "
    "folds are used where the paper has one."
)


def _learners() -> dict[str, dict[str, Any]]:
    """The three classifiers and variants: trees that keep the order, votes, 0/1 costs."""
    found: dict[str, dict[str, Any]] = {
        "NCC": {"learner": "naive-credal", "params": {"idm": "intervals", "costs": "ordinal"}},
        "2Tr": {"learner": TREE, "params": {"costs": "ordinal"}},
        "Fo": {"learner": FOREST, "params": {"costs": "ordinal"}},
        "2Tr, ordered": {"learner": TREE, "params": {"costs": "ordinal", "ordinal": True}},
        "Fo, ordered": {"learner": FOREST, "params": {"costs": "ordinal", "ordinal": True}},
        "Fo, votes": {"learner": FOREST, "params": {"costs": "ordinal", "combine": "vote"}},
        "NCC, 0/1": {"learner": "naive-credal", "params": {"idm": "intervals"}},
        "2Tr, 0/1": {"learner": TREE, "params": {}},
        "Fo, 0/1": {"learner": FOREST, "params": {}},
    }
    for learner in found.values():
        learner["params"]["s"] = S
    return found


def _plan(data: str | None, quick: bool) -> Plan:
    return Plan(**preset(data, quick, repeats=3), name="yang-2017-comparison", learners=_learners())


def _analyse(store: Store) -> Findings:
    counted = counted_sets(store)
    if not counted:
        return {"notes": ["No data set is finished yet."]}
    found = {name: OnDataSet.of(learners) for name, learners in counted.items()}
    table = printed("yang2017_tableXII", "XII", "dataset", "classifier")
    paper = np.array([[table.get((name, c), np.nan) for c in PRINTED] for name in found])
    ours = np.array([[each.costs[c] for c in PRINTED] for each in found.values()])
    readings = {
        name: np.array(
            [[read(learners[c].whole) for c in PRINTED] for learners in counted.values()]
        )
        for name, read in READINGS.items()
    }
    return {
        "tables": [
            _table_twelve(found, paper),
            _other_learners(store, found),
            StudyTable(
                "Other readings of the cost",
                ("reading", *(f"{d}, {c}" for d in found for c in PRINTED)),
                [("printed", *paper.ravel()), *((n, *v.ravel()) for n, v in readings.items())],
            ),
            _pairs(found),
        ],
        "comparisons": [
            Comparison(f"Table XII, {c}", paper[:, j], ours[:, j], ROUNDING)
            for j, c in enumerate(PRINTED)
        ],
        "claims": open_if_partial(_claims(found, paper), list(found)),
        "figures": {"Table XII": partial(draw_costs, found, paper)},
        "notes": [NOTE],
    }


@dataclass(frozen=True)
class OnDataSet:
    """Mean costs of predictions on one data set: ours, and some without a classifier.

    ``worst`` is the largest possible mean cost, ``everything`` the cost of always returning all
    classes, ``constant`` that of always returning the best single class.
    """

    splits: dict[str, Floats]
    costs: dict[str, float]
    worst: float
    everything: float
    constant: float

    @classmethod
    def of(cls, learners: dict[str, Counted]) -> OnDataSet:
        """Compute it from the counted predictions."""
        wholes = {name: counted.whole for name, counted in learners.items()}
        first = next(iter(wholes.values()))
        extended = p_discounted(first.classes, R)
        K = len(first.classes)
        truth = np.bincount(first.truth, weights=first.counts, minlength=K) / first.n
        named = extended.determinate.costs @ truth
        return cls(
            {name: counted.by_split(extended) for name, counted in learners.items()},
            {name: whole.average(extended) for name, whole in wholes.items()},
            float(extended.determinate.costs.max(axis=0) @ truth),
            float(extended.costs_of_members(np.ones((1, K), dtype=bool))[0] @ truth),
            float(named.min()),
        )


def _sum_of(costs: CostMatrix, tally: CostTally, p: float) -> float:
    """The mean of (sum of c^p)^(1/p), without the division by the size of the set."""
    sizes = tally.sets.sizes
    each = costs.extend("p-discounted", p=p).at(tally.sets, tally.truth) * sizes ** (1 / p)
    return float(np.average(each, weights=tally.counts))


def _ordinal(tally: CostTally, power: float = 1.0) -> CostMatrix:
    return CostMatrix.ordinal(tally.classes, p=power)


READINGS: dict[str, Callable[[CostTally], float]] = {
    "as defined": lambda t: t.average(p_discounted(t.classes, R)),
    "mistake-averse": lambda t: t.average(p_discounted(t.classes, R, "mistake-averse")),
    "plain mean": lambda t: t.average(p_discounted(t.classes, 0)),
    "largest cost in the set": lambda t: t.average(_ordinal(t), rule="p-discounted", p=np.inf),
    "sum of the costs": lambda t: _sum_of(_ordinal(t), t, 1),
    "sum of roots, squared": lambda t: _sum_of(_ordinal(t), t, 0.5),
    "every cost plus 1": lambda t: t.average(_ordinal(t), rule="p-discounted", r=R, epsilon=1),
    "squared distances": lambda t: t.average(_ordinal(t, 2), rule="p-discounted", r=R),
}


def _table_twelve(found: dict[str, OnDataSet], paper: Floats) -> StudyTable:
    rows = [
        (name, *(cell for c, p in zip(PRINTED, print_, strict=True) for cell in (p, each.costs[c])),
         each.constant, each.everything, each.worst)
        for (name, each), print_ in zip(found.items(), paper, strict=True)
    ]  # fmt: skip
    headers = [cell for c in PRINTED for cell in (f"{c} printed", "ours")]
    return StudyTable(
        "Table XII and reference costs",
        ("data set", *headers, "always one class", "always all classes", "largest possible"),
        rows,
    )


def _other_learners(store: Store, found: dict[str, OnDataSet]) -> StudyTable:
    """Cost, mean set size and coverage of every classifier."""
    scores = {m: store.scores(m, pooled=True) for m in ("mean_set_size", "coverage")}
    rows = []
    for learner in store.learners:
        cells: list[float] = []
        for name, each in found.items():
            cells.append(each.costs[learner])
            for table in scores.values():
                place = table.rows.index(name), table.columns.index(learner)
                cells.append(float(table.values[place]))
        rows.append((learner, *cells))
    headers = [f"{name} {what}" for name in found for what in ("cost", "set size", "coverage")]
    return StudyTable("Classifiers and variants", ("classifier", *headers), rows)


PAIRS = (("2Tr", "NCC"), ("Fo", "NCC"), ("Fo", "2Tr"), ("2Tr, ordered", "NCC"),
         ("Fo, ordered", "NCC"), ("Fo, ordered", "2Tr, ordered"))  # fmt: skip


def _pairs(found: dict[str, OnDataSet]) -> StudyTable:
    rows = []
    for name, each in found.items():
        for a, b in PAIRS:
            test = corrected_t(each.splits[a], each.splits[b], n_train=9, n_test=1, names=(a, b))
            rows.append((name, f"{a} minus {b}", test.effect, *test.interval, test.p))
    headers = ("data set", "difference", "mean", "95% from", "to", "p")
    return StudyTable("Differences in cost over the folds", headers, rows, digits=3)


def _claims(found: dict[str, OnDataSet], paper: Floats) -> Iterator[Claim]:
    """The conclusions of Section VII-D, and whether its table is possible."""
    impossible = [
        f"{c} on {name}: {value:g} > {each.worst:.2f}"
        for name, each, c, value in _printed_costs(found, paper)
        if value > each.worst
    ]
    yield Claim(
        "VII-D, Table XII",
        "the printed costs are possible",
        not impossible,
        "; ".join(impossible) + " is the largest possible mean cost there"
        if impossible
        else "all below the largest possible cost",
    )
    higher = [
        f"{c} on {name} ({value:g} > {each.constant:.2f})"
        for name, each, c, value in _printed_costs(found, paper)
        if value > each.constant
    ]
    yield Claim(
        "VII-D, Table XII",
        "the printed costs are lower than that of always returning one class",
        not higher,
        f"higher in {len(higher)} of {np.isfinite(paper).sum()} cells: {'; '.join(higher)}"
        if higher
        else "all lower",
    )
    for kind in ("", ", ordered"):
        word = ", trees that keep the order" if kind else ""
        yield _beats(found, f"the best single tree outperforms NCC{word}", f"2Tr{kind}", "NCC")
        yield _beats(found, f"the forest outperforms NCC{word}", f"Fo{kind}", "NCC")
        yield _beats(found, f"the forest outperforms the tree{word}", f"Fo{kind}", f"2Tr{kind}")


def _printed_costs(
    found: dict[str, OnDataSet], paper: Floats
) -> Iterator[tuple[str, OnDataSet, str, float]]:
    """The cells of Table XII: data set, our costs on it, classifier, printed cost."""
    for (name, each), row in zip(found.items(), paper, strict=True):
        for classifier, value in zip(PRINTED, row, strict=True):
            yield name, each, classifier, float(value)


def _beats(found: dict[str, OnDataSet], says: str, a: str, b: str) -> Claim:
    """Whether one costs less than another on every data set."""
    costs, lower, significant = [], [], []
    for name, each in found.items():
        test = corrected_t(each.splits[a], each.splits[b], n_train=9, n_test=1, names=(a, b))
        costs.append(f"{name} {each.costs[a]:.3f} against {each.costs[b]:.3f} (p = {test.p:.2g})")
        lower += [name] * (each.costs[a] < each.costs[b])
        significant += [name] * (test.p < 0.05 and test.effect < 0)
    because = f"{'; '.join(costs)}; significant on {listed(significant)}"
    return Claim("VII-D", says, len(lower) == len(found), because)


def draw_costs(found: dict[str, OnDataSet], paper: Floats) -> Figure:
    """Published costs and ours, one panel per data set."""
    from wager.plots import plain_figure, series_colour, series_marker, style_axes

    figure = plain_figure((3.0 * len(found), 3.8))
    panels = figure.subplots(1, len(found), squeeze=False)[0]
    places = np.arange(len(PRINTED))
    for ax, (name, each), row in zip(panels, found.items(), paper, strict=True):
        ours = [each.costs[c] for c in PRINTED]
        ax.plot(
            places, row, series_marker(1), color=series_colour(1), markersize=8, label="printed"
        )
        ax.plot(places, ours, series_marker(0), color=series_colour(0), markersize=8, label="ours")
        for i, (what, level) in enumerate(
            (("largest possible", each.worst), ("always all classes", each.everything),
             ("always one class", each.constant))
        ):  # fmt: skip
            style = ("-", "--", ":")[i]
            ax.axhline(level, color="0.45", linestyle=style, linewidth=1.2, label=what)
        ax.set_xticks(places, PRINTED)
        ax.set(xlim=(-0.5, len(PRINTED) - 0.5), ylim=(0, None), title=name)
        style_axes(ax)
    panels[0].set_ylabel("average cost, r = 0.5")
    panels[-1].legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


STUDY = Study(
    "yang-2017-comparison",
    "Section VII-D of Yang, Destercke & Masson (2017)",
    "Whether trees of two-class classifiers cost less than the naive credal classifier on ordinal "
    "data.",
    _analyse,
    _plan,
    title="Trees of two-class classifiers on ordinal data, by cost",
    minutes=0.9,
)
