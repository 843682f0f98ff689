"""Caution tuned for the costs of sets, on the ordinal data of Yang, Destercke & Masson (2017).

Section VII-C of the paper suggests to choose the strength s by cross-validation.  Here it is chosen
for p-discounted costs in two ways, by a plain search over the range of Figure 3 and by
`TunedCaution`, and compared with fixed strengths.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._typing import Floats
from wager.compare import holm_adjust
from wager.experiments import Plan
from wager.experiments.study import Finding, Findings, Study, StudyTable, listed
from wager_studies.yang._cost_curves import STRENGTHS, Gap, gap_of
from wager_studies.yang._ordinal_data import CLASSES, counted_sets, p_discounted, preset

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wager.experiments import Store

R = (0.5, 0.9)
FIXED = (1.0, 2.0)
WIDE = [0.01, 0.0316, 0.1, 0.178, 0.316, 0.562, 1, 1.47, 2.15, 3.16, 4.64, 6.81, 10, 14.7, 21.5,
        31.6, 56.2, 100]  # fmt: skip
LEVEL = 0.05
NCC: dict[str, Any] = {
    "learner": "naive-credal",
    "params": {"idm": "intervals", "costs": "ordinal"},
}
TUNED, CAUTIOUS, PLAIN = "tuned", "one standard error", "Section VII"
METHOD = (
    "The naive credal classifier decides from intervals with ordinal costs. Its strength is s = 1, "
    "s = 2 (the paper's), or chosen on each training set for the p-discounted costs by which it is "
    "then judged: 'tuned' by TunedCaution among 18 values from 0.01 to 100; 'one standard error' "
    "by the same with the rule of that name, which takes the most cautious s whose cost is within "
    "one standard error of the least; 'Section VII' by a plain grid search among the 13 values of "
    "our rerun of the paper's Figure 3, up to 10. All inner searches use five folds. Ten runs "
    "of ten outer folds; differences by the corrected t test with Holm's adjustment over pairs and "
    "data sets for each r."
)


def _tuned(r: float, cautious: bool) -> dict[str, Any]:
    return {
        "learner": "wager_studies.yang._tuned_learner.TunedForCosts",
        "params": {"r": r, "costs": "ordinal", "strengths": WIDE, "one_standard_error": cautious},
    }


def _name(kind: str, r: float) -> str:
    return f"{kind}, r = {r}"


def _plan(data: str | None, quick: bool) -> Plan:
    learners: dict[str, dict[str, Any]] = {
        f"s = {s:g}": {**NCC, "params": NCC["params"] | {"s": s}} for s in FIXED
    }
    for r in R:
        learners[_name(TUNED, r)] = _tuned(r, cautious=False)
        learners[_name(CAUTIOUS, r)] = _tuned(r, cautious=True)
        learners[_name(PLAIN, r)] = {
            **NCC,
            "tune": {"s": STRENGTHS[::4] if quick else STRENGTHS[::2]},
            "tune_measure": f"cost:{r}",
        }
    shared = preset(data, quick, repeats=10)
    return Plan(**shared, name="caution-tuned-for-costs", learners=learners)


def _pairs(r: float) -> list[tuple[str, str]]:
    tuned = _name(TUNED, r)
    others = (*(f"s = {s:g}" for s in FIXED), _name(PLAIN, r))
    return [*((tuned, other) for other in others), (_name(CAUTIOUS, r), tuned)]


Costs = dict[tuple[str, float], dict[str, Floats]]  # in each fold, by data set, r and learner
Tests = dict[tuple[str, float, str, str], tuple[Gap, float]]  # with the p value after Holm


def _analyse(store: Store) -> Findings:
    counted = counted_sets(store)
    if not counted:
        return {"notes": ["No data set is finished yet.", METHOD]}
    costs: Costs = {}
    for name, learners in counted.items():
        classes = next(iter(learners.values())).whole.classes
        for r in R:
            extended = p_discounted(classes, r)
            costs[name, r] = {
                learner: each.by_split(extended)
                for learner, each in learners.items()
                if "r =" not in learner or learner.endswith(f"r = {r}")
            }
    tests = _tests(costs)
    sizes = store.scores("mean_set_size", pooled=True)
    rows = [
        (name, r, learner, float(each.mean()),
         float(sizes.values[sizes.rows.index(name), sizes.columns.index(learner)]))
        for (name, r), by in costs.items()
        for learner, each in by.items()
    ]  # fmt: skip
    return {
        "tables": [
            StudyTable(
                "Costs out of sample",
                ("data set", "r", "strength", "average cost", "mean set size"),
                rows,
                digits=3,
            ),
            StudyTable(
                "Differences in cost over the folds",
                ("data set", "r", "difference", "mean", "95% from", "to", "p after Holm"),
                [
                    (name, r, f"{a} minus {b}", *gap[:3], p)
                    for (name, r, a, b), (gap, p) in tests.items()
                ],
                digits=3,
            ),
        ],
        "findings": list(_findings(costs, tests)) if set(counted) == set(CLASSES) else [],
        "figures": {"Cost by strength": partial(draw, costs)},
        "notes": [METHOD],
    }


def _tests(costs: Costs) -> Tests:
    found: Tests = {}
    for r in R:
        keys = [(name, a, b) for name, each in costs if each == r for a, b in _pairs(r)]
        gaps = [gap_of(costs[name, r][a] - costs[name, r][b]) for name, a, b in keys]
        adjusted = holm_adjust([gap.p for gap in gaps])
        for (name, a, b), gap, p in zip(keys, gaps, adjusted, strict=True):
            found[name, r, a, b] = (gap, float(p))
    return found


def _findings(costs: Costs, tests: Tests) -> Iterator[Finding]:
    questions = {
        0: "Does tuned caution cost less than s = 1",
        1: "Does tuned caution cost less than the paper's s = 2",
        2: "Does TunedCaution cost less than the plain search of Section VII-C",
        3: "What does the rule of one standard error cost, beside the least cost",
    }
    names = list(dict.fromkeys(name for name, _ in costs))
    for place, question in questions.items():
        for r in R:
            a, b = _pairs(r)[place]
            found = {name: tests[name, r, a, b] for name in names}
            lower = [n for n, (gap, p) in found.items() if p < LEVEL and gap.mean < 0]
            higher = [n for n, (gap, p) in found.items() if p < LEVEL and gap.mean > 0]
            answer = (
                "no significant difference"
                if not lower and not higher
                else f"less on {listed(lower)}, more on {listed(higher)}"
            )
            yield Finding(
                f"{question} (r = {r})?",
                answer,
                f"{a} minus {b}: "
                + "; ".join(
                    f"{name} {gap}, {100 * gap.mean / costs[name, r][b].mean():+.1f}%, p = {p:.2g}"
                    for name, (gap, p) in found.items()
                ),
            )


def draw(costs: Costs) -> Figure:
    """The average cost of each way to choose the strength, one panel per r."""
    from wager.plots import plain_figure, series_colour, series_marker, style_axes

    figure = plain_figure((9.0, 3.8))
    names = list(dict.fromkeys(name for name, _ in costs))
    for ax, r in zip(figure.subplots(1, len(R)), R, strict=True):
        labels = [label.replace(f", r = {r}", "") for label in costs[names[0], r]]
        for i, name in enumerate(names):
            base = costs[name, r][f"s = {FIXED[-1]:g}"].mean()
            values = [100 * each.mean() / base for each in costs[name, r].values()]
            places = np.arange(len(values)) + 0.12 * (i - 1)
            ax.plot(places, values, series_marker(i), color=series_colour(i), label=name)
        ax.axhline(100, color="0.6", linewidth=0.8)
        ax.set_xticks(range(len(labels)), labels, fontsize=8, rotation=20)
        ax.set(title=f"r = {r:g}", ylim=(0, None))
        style_axes(ax)
    figure.axes[0].set_ylabel("average cost, % of that of s = 2")
    figure.axes[-1].legend(frameon=False)
    return figure


STUDY = Study(
    "caution-tuned-for-costs",
    "Beyond the papers, after Section VII-C of Yang, Destercke & Masson (2017)",
    "Whether a strength chosen for the costs of sets costs less than a fixed one, and than one "
    "chosen by the plain cross-validation that the paper suggests.",
    _analyse,
    _plan,
    title="Caution tuned for the costs of sets",
    minutes=8.0,
    page="findings",
)
