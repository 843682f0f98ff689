"""Exact decisions of the naive credal classifier with costs, against decisions from intervals.

Yang, Destercke & Masson (2017, Section VII-B) decide from intervals of the posterior probabilities
and leave the exact problem open: an interval combines priors that exclude each other, so sets may
be larger than need be.  Both kinds of decision are made here on the same folds of their data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from wager._typing import Floats
from wager.compare import holm_adjust
from wager.experiments import Plan
from wager.experiments.study import Claim, Finding, Findings, Study, StudyTable, listed
from wager_studies.yang._cost_curves import Gap, gap_of
from wager_studies.yang._ordinal_data import (
    CLASSES,
    Counted,
    counted_sets,
    open_if_partial,
    p_discounted,
    preset,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wager.experiments import Store

STRENGTHS = (1.0, 2.0, 5.0, 10.0)
QUICK = (2.0,)
KINDS = {"exact": "global", "intervals": "intervals"}
R = (0.1, 0.5, 0.9)
USUAL = 2.0  # the paper's s
LEVEL = 0.05
METHOD = (
    "A class is dropped if another one has a smaller expected cost for every prior of the set. "
    "From intervals, as in the paper, the expected cost is bounded over all probabilities within "
    "the bounds of each class; exactly, over the posteriors of the priors themselves (imprecise "
    "Dirichlet model, one prior for class and features of each class). Costs of single classes are "
    "distances between ranks, those of sets their p-discounted means, cautious mode. Folds and "
    "bins are made as in the paper's studies: ten runs of ten. Differences are tested by the "
    "corrected t test over the 100 folds with Holm's adjustment: over data sets, strengths and r "
    "in the table, over data sets and r in answers about s = 2."
)


def _plan(data: str | None, quick: bool) -> Plan:
    return Plan(
        **preset(data, quick, repeats=10),
        name="exact-credal-costs",
        learners={
            kind: {
                "learner": "naive-credal",
                "params": {"idm": idm, "costs": "ordinal"},
                "grid": {"s": list(QUICK if quick else STRENGTHS)},
            }
            for kind, idm in KINDS.items()
        },
    )


@dataclass(frozen=True)
class Both:
    """Exact and interval decisions on one data set with one strength.

    Attributes
    ----------
    sizes, coverage : tuple of float
        Mean set size and coverage, exact and from intervals.
    smaller, larger : float
        The share of rows whose exact set is a proper part of the other, and of those whose exact
        set is not contained in the other.
    splits : dict of float to pair of arrays
        The cost in each fold by r, exact and from intervals.
    """

    sizes: tuple[float, float]
    coverage: tuple[float, float]
    smaller: float
    larger: float
    splits: dict[float, tuple[Floats, Floats]]

    def cost(self, r: float) -> tuple[float, float]:
        """The mean costs over the folds, exact and from intervals."""
        exact, intervals = self.splits[r]
        return float(exact.mean()), float(intervals.mean())

    def gap(self, r: float) -> Gap:
        """Exact minus from intervals."""
        exact, intervals = self.splits[r]
        return gap_of(exact - intervals)


Results = dict[tuple[str, float], Both]


def _analyse(store: Store) -> Findings:
    counted = counted_sets(store)
    if not counted:
        return {"notes": ["No data set is finished yet.", METHOD]}
    strengths = [float(s) for s in store.plan["learners"]["exact"]["grid"]["s"]]
    found = {
        (name, s): _both(store, name, s, learners)
        for name, learners in counted.items()
        for s in strengths
    }
    adjusted = _adjusted(found)
    whole = set(counted) == set(CLASSES)
    rows = [
        (name, s, *both.sizes, *both.coverage, 100 * both.smaller, 100 * both.larger)
        for (name, s), both in found.items()
    ]
    costs = [
        (name, s, r, *both.cost(r), *both.gap(r)[:3], adjusted[name, s, r])
        for (name, s), both in found.items()
        for r in R
    ]
    return {
        "tables": [
            StudyTable(
                "Sets by exact decisions and from intervals",
                ("data set", "s", "size, exact", "size, intervals", "coverage, exact",
                 "coverage, intervals", "exact set smaller (%)", "not contained (%)"),
                rows,
            ),
            StudyTable(
                "Costs by exact decisions and from intervals",
                ("data set", "s", "r", "exact", "intervals", "difference", "95% from", "to",
                 "p after Holm"),
                costs,
                digits=3,
            ),
        ],
        "claims": open_if_partial([_footnote(found)], list(counted)),
        "findings": list(_findings(found)) if whole else [],
        "figures": {"Exact decisions and intervals": partial(draw, found)},
        "notes": [METHOD],
    }  # fmt: skip


def _both(store: Store, dataset: str, s: float, learners: dict[str, Counted]) -> Both:
    names = [f"{kind}[s={s}]" for kind in KINDS]
    scores = [store.scores(measure, pooled=True) for measure in ("mean_set_size", "coverage")]
    size, coverage = (
        tuple(
            float(table.values[table.rows.index(dataset), table.columns.index(name)])
            for name in names
        )
        for table in scores
    )
    classes = learners[names[0]].whole.classes
    splits = {}
    for r in R:
        extended = p_discounted(classes, r)
        exact, intervals = (learners[name].by_split(extended) for name in names)
        splits[r] = (exact, intervals)
    smaller, larger = _contained(store, dataset, *names)
    return Both((size[0], size[1]), (coverage[0], coverage[1]), smaller, larger, splits)


def _contained(store: Store, dataset: str, a: str, b: str) -> tuple[float, float]:
    """The share of rows where the first set is a proper part of the second, and is not a part."""
    import duckdb

    query = (
        "SELECT count(*), count(*) FILTER (len(a.set) < len(b.set)), "
        "count(*) FILTER (NOT list_has_all(b.set, a.set)) "
        "FROM read_parquet($first) a JOIN read_parquet($second) b USING (id)"
    )
    total = np.zeros(3)
    with duckdb.connect() as database:
        for first, second in zip(
            store.predictions(dataset, a), store.predictions(dataset, b), strict=True
        ):
            files = {"first": str(first), "second": str(second)}
            row = database.execute(query, files).fetchone()
            assert row is not None
            total += np.array(row, dtype=float)
    return float(total[1] / total[0]), float(total[2] / total[0])


def _adjusted(found: Results) -> dict[tuple[str, float, float], float]:
    """The p values of all differences in cost after Holm's adjustment."""
    keys = [(name, s, r) for name, s in found for r in R]
    p = holm_adjust([found[name, s].gap(r).p for name, s, r in keys])
    return dict(zip(keys, map(float, p), strict=True))


def _footnote(found: Results) -> Claim:
    contained = all(both.larger == 0 for both in found.values())
    smaller = [100 * both.smaller for both in found.values()]
    return Claim.checked(
        "2017, VII-B, footnote 2",
        "decisions from intervals are more conservative than exact ones, if they differ",
        contained and max(smaller) > 0,
        f"every exact set is contained in the set from intervals, in all rows; it is smaller in "
        f"{min(smaller):.0f} to {max(smaller):.0f}% of the rows by data set and s; at s = 2 mean "
        "sizes are "
        + ", ".join(
            f"{name} {both.sizes[0]:.2f} and {both.sizes[1]:.2f}"
            for (name, s), both in found.items()
            if s == USUAL
        )
        if contained
        else "some exact sets are not contained in those from intervals",
        "it may give more conservative predictions than solving the exact problem",
    )


def _findings(found: Results) -> Iterator[Finding]:
    names = list(dict.fromkeys(name for name, _ in found))
    adjusted = _adjusted({(name, s): both for (name, s), both in found.items() if s == USUAL})
    for r in R:
        gaps = {name: found[name, USUAL].gap(r) for name in names}
        # which of them are significant depends on the folds, even with 100 of them
        lower, higher = ([n for n in names if sign * gaps[n].mean > 0] for sign in (-1, 1))
        yield Finding(
            f"Is the mean cost of exact decisions lower than from intervals (r = {r}, s = 2)?",
            f"lower on {listed(lower)}, higher on {listed(higher)}",
            "exact minus intervals: "
            + "; ".join(
                f"{name} {gaps[name]}, p = {adjusted[name, USUAL, r]:.2g}" for name in names
            ),
        )
    yield _best_strengths(found, names)


def _best_strengths(found: Results, names: list[str]) -> Finding:
    """Both kinds of decision with the strength that costs least, chosen in hindsight for both."""
    words, gaps, at_end = [], [], []
    largest = max(s for _, s in found)
    for name in names:
        for r in R:
            least = []
            for kind in (0, 1):
                folds = {s: both.splits[r][kind] for (n, s), both in found.items() if n == name}
                s = min(folds, key=lambda each: folds[each].mean())
                least.append((folds[s], s))
            (a, s), (b, t) = least
            gaps.append(gap_of(a - b))
            words.append(
                f"{name}, r = {r}: {a.mean():.3f} (s = {s:g}) and {b.mean():.3f} (s = {t:g})"
            )
            at_end += [f"{name}, r = {r}"] * (s == largest)
    p = holm_adjust([gap.p for gap in gaps])
    words = [f"{told}, p = {each:.2g}" for told, each in zip(words, p, strict=True)]
    sure = [gap.mean for gap, each in zip(gaps, p, strict=True) if each < LEVEL]
    return Finding(
        "And if each kind has the best of the four strengths?",
        f"exact decisions cost less in {sum(mean < 0 for mean in sure)} and more in "
        f"{sum(mean > 0 for mean in sure)} of {len(gaps)} cases",
        f"least cost, exact and from intervals: {'; '.join(words)} (after Holm's adjustment over "
        "these cases); the strengths are chosen in hindsight for both; the largest strength is the "
        "best for exact decisions, which might profit from a still larger one: "
        f"{listed(at_end)}",
    )


def draw(found: Results) -> Figure:
    """The cost by mean set size for both kinds of decision, one panel per data set."""
    from wager.plots import plain_figure, series_colour, series_line, series_marker, style_axes

    names = list(dict.fromkeys(name for name, _ in found))
    figure = plain_figure((3.4 * len(names), 3.6))
    panels = figure.subplots(1, len(names), squeeze=False)[0]
    for ax, name in zip(panels, names, strict=True):
        here = [both for (each, _), both in found.items() if each == name]
        for i, r in enumerate(R[1:]):
            for kind, label in enumerate(KINDS):
                ax.plot(
                    [both.sizes[kind] for both in here],
                    [both.cost(r)[kind] for both in here],
                    series_line(kind), color=series_colour(i), marker=series_marker(kind),
                    label=f"{label}, r = {r:g}",
                )  # fmt: skip
        ax.set(xlabel="mean set size (s grows to the right)", title=name, ylim=(0, None))
        style_axes(ax)
    panels[0].set_ylabel("average cost")
    panels[-1].legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


STUDY = Study(
    "exact-credal-costs",
    "Beyond the papers, after footnote 2 of Yang, Destercke & Masson (2017)",
    "What the exact decisions of a naive credal classifier with costs gain over decisions from "
    "intervals of the posterior probabilities.",
    _analyse,
    _plan,
    title="Exact decisions with costs, against decisions from intervals",
    minutes=1.5,
    page="findings",
)
