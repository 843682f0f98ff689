"""How imprecise a classifier should be: its cost as the strength s of the prior grows.

Yang, Destercke & Masson (2017), Section VII-C and Figure 3: the naive credal classifier by
posterior intervals on ERA, ESL and LEV, s from 0.001 to 10; p-discounted costs for several r, in
both modes; and s chosen by cross-validation within each training set, as the section suggests.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from wager.experiments import Plan
from wager.experiments.study import Comparison, Findings, Study, StudyTable
from wager_studies._published import printed
from wager_studies.yang._cost_curves import (
    STRENGTHS,
    TUNED,
    Curves,
    R,
    claims_of,
    tuning_claim,
)
from wager_studies.yang._ordinal_data import (
    CLASSES,
    MODES,
    Counted,
    counted_sets,
    open_if_partial,
    p_discounted,
    preset,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wager.experiments import Store

NCC: dict[str, Any] = {
    "learner": "naive-credal",
    "params": {"idm": "intervals", "costs": "ordinal"},
}
NOTE = (
    "The paper prints Figure 3 without numbers, so only its statements are compared. Curves that "
    "fall and then rise are convex, not concave, and have a minimum, not an inflection point. "
    "Table XI counts the class among the five features. Bins are cut once on the whole file; the "
    "paper does not describe its folds: two runs of ten are used here. The tuned s is chosen among "
    "every second value of the curve, with five folds of each training set."
)


def _tuned_name(r: float, mode: str) -> str:
    return f"tuned, r = {r}, {mode}"


def _plan(data: str | None, quick: bool) -> Plan:
    strengths = STRENGTHS[::4] if quick else STRENGTHS
    tuned = {
        _tuned_name(r, mode): {
            **NCC,
            "tune": {"s": strengths[::2]},
            "tune_measure": f"cost:{r}:{mode}",
        }
        for mode in MODES
        for r in TUNED
    }
    return Plan(
        **preset(data, quick, repeats=2),
        name="yang-2017-calibration",
        learners={"NCC": {**NCC, "grid": {"s": strengths}}, **tuned},
    )


def _analyse(store: Store) -> Findings:
    counted = counted_sets(store)
    if not counted:
        return {"notes": ["No data set is finished yet."]}
    fixed = _fixed_strengths(store)
    curves = {name: _curves(learners, fixed) for name, learners in counted.items()}
    chosen = {name: _chosen(store, name, counted[name], curves[name]) for name in counted}
    tables = [
        _best_table(curves),
        StudyTable(
            "Strength chosen by cross-validation",
            ("data set", "mode", "r", "median s", "from", "to", "cost", "best fixed s", "its cost",
             "excess (%)"),
            [row for rows in chosen.values() for row in rows],
            digits=3,
        ),
        StudyTable(
            "Curves",
            ("data set", "mode", "r", *(f"s = {s:g}" for s in fixed.values())),
            [
                (name, mode, r, *curve.costs[mode][i].round(4).tolist())
                for name, curve in curves.items()
                for mode in MODES
                for i, r in enumerate(R)
            ],
            shown=False,
        ),
        _imprecision_table(store, fixed, list(counted)),
    ]  # fmt: skip
    comparisons = []
    if set(counted) == set(CLASSES):
        eleven = _data_sets(store, counted)
        tables.append(eleven)
        columns = np.array([row[1:] for row in eleven.rows], dtype=float)
        comparisons.append(Comparison("Table XI", columns[:, ::2], columns[:, 1::2], 0))
    claims = [*claims_of(curves), tuning_claim(chosen, curves)]
    return {
        "tables": tables,
        "comparisons": comparisons,
        "claims": open_if_partial(claims, list(counted)),
        "figures": {
            "Figure 3" if mode == MODES[0] else f"Figure 3, {mode}": partial(
                draw_curves, curves, mode
            )
            for mode in MODES
        },
        "notes": [NOTE],
    }


def _fixed_strengths(store: Store) -> dict[str, float]:
    """The learners with a fixed s, in the order of s."""
    grid = store.plan["learners"]["NCC"]["grid"]["s"]
    return {f"NCC[s={s}]": float(s) for s in grid}


def _curves(learners: dict[str, Counted], fixed: dict[str, float]) -> Curves:
    wholes = [learners[name].whole for name in fixed]
    costs = {
        mode: np.array([
            [whole.average(p_discounted(whole.classes, r, mode)) for whole in wholes] for r in R
        ])
        for mode in MODES
    }  # fmt: skip
    return Curves(np.array(list(fixed.values())), costs)


def _chosen(
    store: Store, dataset: str, learners: dict[str, Counted], curves: Curves
) -> list[tuple[Any, ...]]:
    """For each r and mode: the s chosen on the training sets, and its cost.

    It is compared with the fixed s, among those offered, that is best for the whole data set.
    """
    rows = []
    for mode in MODES:
        for r in TUNED:
            name = _tuned_name(r, mode)
            s = [choice["s"] for choice in store.chosen(dataset, name)]
            whole = learners[name].whole
            cost = whole.average(p_discounted(whole.classes, r, mode))
            offered = np.isin(curves.strengths, store.plan["learners"][name]["tune"]["s"])
            fixed = np.where(offered, curves.costs[mode][R.index(r)], np.inf)
            best, least = int(fixed.argmin()), float(fixed.min())
            rows.append((
                dataset, mode, r, float(np.median(s)), min(s), max(s), cost,
                float(curves.strengths[best]), least, 100 * (cost / least - 1),
            ))  # fmt: skip
    return rows


def _best_table(curves: dict[str, Curves]) -> StudyTable:
    rows = []
    for name, curve in curves.items():
        for mode in MODES:
            for r, costs in zip(R, curve.costs[mode], strict=True):
                best = int(costs.argmin())
                s = float(curve.strengths[best])
                rows.append((name, mode, r, s, costs[best], costs[0], costs[-1]))
    headers = ("data set", "mode", "r", "best s", "its cost", "smallest s", "largest s")
    return StudyTable("Strength of least cost", headers, rows, digits=3)


def _imprecision_table(store: Store, fixed: dict[str, float], datasets: list[str]) -> StudyTable:
    """How imprecise the classifier is, independent of costs."""
    measures = ("determinacy", "mean_set_size", "coverage")
    scores = [store.scores(measure, pooled=True) for measure in measures]
    rows = [
        (dataset, s, *(float(table.values[table.rows.index(dataset), table.columns.index(name)])
                       for table in scores))
        for dataset in datasets
        for name, s in fixed.items()
    ]  # fmt: skip
    headers = ("data set", "s", "determinacy", "mean set size", "coverage")
    return StudyTable("Imprecision", headers, rows, shown=False)


def _data_sets(store: Store, counted: dict[str, dict[str, Counted]]) -> StudyTable:
    """Table XI beside the numbers of the files."""
    features = dict(zip(*(store.columns()[key] for key in ("dataset", "n_features")), strict=True))
    repeats = store.plan["scheme"]["repeats"]
    rows = []
    for name, learners in counted.items():
        whole = next(iter(learners.values())).whole
        ours = (whole.n // repeats, features[name], len(np.unique(whole.truth)))
        paper = [
            int(printed("yang2017_tableXI", "XI", "dataset", value=what)[name,])
            for what in ("instances", "features", "classes")
        ]
        rows.append((name, *(cell for both in zip(paper, ours, strict=True) for cell in both)))
    headers = ("data set", "instances printed", "ours", "features printed", "inputs, ours",
               "classes printed", "with rows, ours")  # fmt: skip
    return StudyTable("Table XI", headers, rows)


def draw_curves(curves: dict[str, Curves], mode: str) -> Figure:
    """The cost against the strength of the prior, one panel per data set."""
    from wager.plots import plain_figure, series_colour, series_line, style_axes

    figure = plain_figure((3.4 * len(curves), 3.6))
    panels = figure.subplots(1, len(curves), squeeze=False)[0]
    for ax, (name, curve) in zip(panels, curves.items(), strict=True):
        for i, (r, costs) in enumerate(zip(R, curve.costs[mode], strict=True)):
            ax.plot(
                curve.strengths, costs, series_line(i), color=series_colour(i), label=f"r = {r:g}"
            )
            best = int(costs.argmin())
            ax.plot(curve.strengths[best], costs[best], "o", color=series_colour(i), markersize=5)
        ax.set(xscale="log", ylim=(0, None), xlabel="strength s of the prior", title=name)
        style_axes(ax)
    panels[0].set_ylabel("average cost")
    panels[-1].legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.suptitle(f"p-discounted cost, {mode}; dots: the best s")
    return figure


STUDY = Study(
    "yang-2017-calibration",
    "Section VII-C of Yang, Destercke & Masson (2017)",
    "What the sets of a naive credal classifier cost on ordinal data as it becomes more imprecise, "
    "and whether cross-validation finds the best imprecision.",
    _analyse,
    _plan,
    title="How imprecise a credal classifier should be, by cost",
    minutes=14.1,
)
