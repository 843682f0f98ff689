"""How imprecise should a classifier be?  Its cost as the strength s of the prior grows.

Yang, Destercke & Masson (2017), Section VII-C and Figure 3: the naive credal classifier by
posterior intervals on ERA, ESL and LEV, s from 0.001 to 10; p-discounted costs for several r, in
both modes; and s chosen by cross-validation within each training set, as the section suggests.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from operator import gt, lt
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._typing import Floats
from wager.experiments._plan import Plan
from wager.experiments.studies._published import printed
from wager.experiments.studies._report import Claim, Comparison, StudyTable
from wager.experiments.studies._study import Findings, Study
from wager.experiments.studies.yang._data import (
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

STRENGTHS = [float(f"{s:.3g}") for s in np.geomspace(0.001, 10, 25)]
R = (0.0, 0.1, 0.5, 0.9, 1.0)
NEAR = 3  # per cent: how close to the best a chosen s should come
TUNED = R[1:-1]  # with r = 0 the smallest s is best, with r = 1 the largest
NCC: dict[str, Any] = {
    "learner": "naive-credal",
    "params": {"idm": "intervals", "costs": "ordinal"},
}


NOTE = (
    "The paper prints Figure 3 without numbers, so only its statements are compared. Curves that "
    "go down and then up are convex, not concave, and have a minimum, not an inflection point. "
    "Table XI counts the class among the five features. Bins are cut once on the whole file; the "
    "paper does not name its folds: two runs of ten are used here. The tuned s is chosen among "
    "every second value of the curve, by five folds of each training set."
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
            ("data set", "mode", "r", "median s", "from", "to", "cost", "best fixed s", "cost then",
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
    claims = [*_claims(curves), _tuning_claim(chosen, curves)]
    return {
        "tables": tables,
        "comparisons": comparisons,
        "claims": open_if_partial(claims, list(counted)),
        "figures": {
            "Figure 3" if mode == MODES[0] else f"Figure 3, {mode}": partial(_draw, curves, mode)
            for mode in MODES
        },
        "notes": [NOTE],
    }


@dataclass(frozen=True)
class Curves:
    """The average cost on one data set by mode, r (rows) and s (columns)."""

    strengths: Floats
    costs: dict[str, Floats]

    def best(self, mode: str, r: float) -> int:
        """The position of the cheapest s."""
        return int(self.costs[mode][R.index(r)].argmin())

    def inside(self, mode: str, r: float) -> bool:
        """Whether the cost falls first and rises in the end."""
        return 0 < self.best(mode, r) < len(self.strengths) - 1


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
    """For each r and mode: the s that training sets chose, and what that costs.

    It is held against the one s, of those to choose from, that is best for the whole data set.
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
    headers = ("data set", "mode", "r", "best s", "cost there", "smallest s", "largest s")
    return StudyTable("The cheapest strength", headers, rows, digits=3)


def _imprecision_table(store: Store, fixed: dict[str, float], datasets: list[str]) -> StudyTable:
    """How imprecise the classifier is, whatever errors cost."""
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
    """Table XI beside the files."""
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


def _claims(curves: dict[str, Curves]) -> Iterator[Claim]:
    """The conclusions of Section VII-C."""
    cautious, averse = MODES
    yield _order_claim(curves)
    for r in TUNED[1:]:
        for mode in MODES:
            outside = [name for name, curve in curves.items() if not curve.inside(mode, r)]
            exception = ", on LEV beyond s = 10" if r == 0.9 else ""
            remark = "; the paper does not say whether LEV is an exception in this mode as well"
            yield Claim(
                "VII-C, Fig. 3",
                f"r = {r}, {mode}: the cost falls, then rises with s{exception}",
                outside == (["LEV"] if exception else []),
                _best_words(curves, mode, r) + (remark if exception and mode == averse else ""),
            )
    yield _shallow_claim(curves)
    pairs = [(c.best(averse, r), c.best(cautious, r)) for c in curves.values() for r in TUNED]
    smaller, larger = (sum(map(compare, *zip(*pairs, strict=True))) for compare in (lt, gt))
    yield Claim(
        "VII-C",
        "in the mistake-averse mode the best s is smaller",
        2 * smaller > len(pairs) and not larger,
        f"smaller in {smaller} of {len(pairs)} cases, larger in {larger}, in the others the same "
        f"point of the grid, whose steps are a factor of {STRENGTHS[1] / STRENGTHS[0]:.2f}; "
        + "; ".join(_best_words(curves, averse, r) for r in TUNED),
    )
    yield _monotone_claim(curves, 0.0, "increasing")
    yield _monotone_claim(curves, 1.0, "decreasing")
    bests = {r: {curve.best(cautious, r) for curve in curves.values()} for r in TUNED}
    yield Claim(
        "VII-C",
        "for the same r the best s differs between data sets",
        all(len(found) > 1 for found in bests.values()),
        "; ".join(_best_words(curves, cautious, r) for r in TUNED),
    )


def _order_claim(curves: dict[str, Curves]) -> Claim:
    """With r the cautious costs fall, by Eq. (12); mistake-averse ones need not."""
    rises = [
        max(float(np.diff(curve.costs[mode], axis=0).max()) for curve in curves.values())
        for mode in MODES
    ]
    averse = "too" if rises[1] <= 1e-12 else f"a miss grows dearer: up to {rises[1]:.3f} more"
    return Claim(
        "VII-C",
        "the higher r, the lower the cost at any s",
        rises[0] <= 1e-12,
        "in the cautious mode always, as a mean falls with its exponent; in the mistake-averse "
        f"mode {averse}",
    )


def _wrong_way(curve: Curves, r: float, sign: int) -> Floats:
    """How far each step of a cautious curve goes against the direction that is said."""
    return np.maximum(0.0, -sign * np.diff(curve.costs[MODES[0]][R.index(r)]))


def _shallow_claim(curves: dict[str, Curves]) -> Claim:
    """For r = 0.1; a gain within the wiggle of the curve for r = 0 tells nothing."""
    costs = {name: curve.costs[MODES[0]][R.index(0.1)] for name, curve in curves.items()}
    gains = {name: float(each[0] - each.min()) for name, each in costs.items()}
    noise = {name: float(_wrong_way(curve, 0.0, 1).max()) for name, curve in curves.items()}
    seen = all(gains[name] > noise[name] for name in curves)
    found = all(curve.inside(MODES[0], 0.1) for curve in curves.values())
    listed = ", ".join(f"{name} {gains[name]:.4f} ({noise[name]:.4f})" for name in curves)
    return Claim(
        "VII-C, Fig. 3",
        "r = 0.1: the minimum is present, but hardly to be seen",
        found if seen else None,
        f"{_best_words(curves, MODES[0], 0.1)}; gain over the smallest s, and in brackets the "
        f"largest chance step of the curve for r = 0: {listed}",
    )


def _monotone_claim(curves: dict[str, Curves], r: float, word: str) -> Claim:
    sign = 1 if word == "increasing" else -1
    words, strict = [], True
    for name, curve in curves.items():
        steps = np.diff(curve.costs[MODES[0]][R.index(r)])
        strict &= bool((sign * steps > 0).all())
        against = _wrong_way(curve, r, sign)
        wrong = np.flatnonzero(against > 1e-12)
        found = f"{name} {steps.sum():+.2f} in all, "
        if len(wrong):
            last = curve.strengths[wrong[-1] + 1]
            found += f"steps against it at most {against.max():.4f}, the last one to s = {last:g}"
        else:
            found += f"no step against it, {int((steps == 0).sum())} level"
        words.append(found)
    return Claim("VII-C", f"r = {r:g}: the curves are strictly {word}", strict, "; ".join(words))


def _tuning_claim(chosen: dict[str, list[tuple[Any, ...]]], curves: dict[str, Curves]) -> Claim:
    rows = [row for each in chosen.values() for row in each]
    excess = [row[-1] for row in rows]
    least = (curves[d].costs[mode][R.index(r)].min() for d, mode, r, *_ in rows)
    of_all = max(100 * (row[6] / best - 1) for row, best in zip(rows, least, strict=True))
    return Claim(
        "VII-C",
        "cross-validation can determine the best s",
        max(excess) < NEAR,
        f"s chosen within each training set costs {np.median(excess):.1f}% more in the median of "
        f"{len(rows)} cases, and at most {max(excess):.1f}%, than the best of the values offered "
        f"({of_all:.1f}% than the best of the whole curve), where we asked for {NEAR}%; the sets "
        "on which it chooses are a fifth smaller, so the same s is more imprecise there, which may "
        "be why",
    )


def _best_words(curves: dict[str, Curves], mode: str, r: float) -> str:
    found = (f"{n} {curve.strengths[curve.best(mode, r)]:g}" for n, curve in curves.items())
    return f"best s for r = {r}: {', '.join(found)}"


def _draw(curves: dict[str, Curves], mode: str) -> Figure:
    from matplotlib.figure import Figure

    from wager.plots._style import colour, line, plain

    figure = Figure(figsize=(3.4 * len(curves), 3.6), layout="constrained")
    panels = figure.subplots(1, len(curves), squeeze=False)[0]
    for ax, (name, curve) in zip(panels, curves.items(), strict=True):
        for i, (r, costs) in enumerate(zip(R, curve.costs[mode], strict=True)):
            ax.plot(curve.strengths, costs, line(i), color=colour(i), label=f"r = {r:g}")
            best = int(costs.argmin())
            ax.plot(curve.strengths[best], costs[best], "o", color=colour(i), markersize=5)
        ax.set(xscale="log", ylim=(0, None), xlabel="strength s of the prior", title=name)
        plain(ax)
    panels[0].set_ylabel("average cost")
    panels[-1].legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.suptitle(f"p-discounted cost, {mode}; dots: the cheapest s")
    return figure


STUDY = Study(
    "yang-2017-calibration",
    "Section VII-C of Yang, Destercke & Masson (2017)",
    "What the sets of a naive credal classifier cost on ordinal data as it grows more imprecise, "
    "and whether cross-validation finds the right imprecision.",
    _analyse,
    _plan,
)
