"""The naive credal classifier against the nondeterministic one of del Coz & Bahamonde (2009).

Zaffalon, Corani & Mauá (2012), Section 9.3: Tables 10, 11, Figures 7, 8.  The nondeterministic
classifier (NDC) returns the set with the largest expected F under naive Bayes's probabilities.  Its
naive Bayes, its beta and the test behind Table 11 are varied, in search of what the paper printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._typing import Floats
from wager.experiments import Plan
from wager.experiments.study import (
    Claim,
    Comparison,
    Findings,
    Study,
    StudyTable,
    finished_scores,
    left_open,
    rank_correlation,
)
from wager.rewards import get_utility
from wager_studies._published import printed
from wager_studies.zaffalon._data import MOST, SELECT, TOO_FEW, preset
from wager_studies.zaffalon._table_11 import (
    AS_TOLD,
    HEADERS,
    UTILITIES,
    Folds,
    Record,
    print_row,
    printed_counts,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wager.experiments import Store


def _on_bayes(learner: str, prior: Mapping[str, Any] = {}, **params: Any) -> dict[str, Any]:
    estimator = {"learner": "naive-bayes", "params": dict(prior)}
    return {"learner": learner, "params": {"estimator": estimator, **params}}


_ndc = partial(_on_bayes, "nondeterministic", beta=1.0)
BETAS = (0.5, 0.75, 1.5, 2.0, 3.0)
NCC, NDC = "NCC", "NDC"
SELECTED, ONCE = " after CFS", ", cut once"
CREDAL: dict[str, dict[str, Any]] = {
    NCC: {"learner": "naive-credal", "params": {"epsilon": 0.01}},
    "NCC, exact": {"learner": "naive-credal"},
}
VARIANTS: dict[str, dict[str, Any]] = {
    NDC: _ndc(),
    "NDC, Perks": _ndc({"prior": "perks"}),
    "NDC, Perks, s 10": _ndc({"prior": "perks", "s": 10}),
    "NDC, Gaussian": {**_ndc(), "prepare": {"discretize": "none"}},
    "NDC, ten bins": {**_ndc(), "prepare": {"discretize": "equal-frequency", "n_bins": 10}},
    "NDC, AODE": {"learner": "nondeterministic", "params": {"estimator": "aode"}},
    **{f"NDC, beta {beta:g}": _ndc(beta=beta) for beta in BETAS},
    "sets best in u80": _on_bayes("optimal-sets", utility="u80"),
    "all classes if p < 2/3": _on_bayes("rejecting", threshold=2 / 3),
}
MEASURES = ("determinacy", *UTILITIES, "f0.5", "f2")
NOTE = (
    "Table 11 adds up to 53 of the 55 data sets; our counts leave out the two largest, letter and "
    "connect-4, to have as many. The distance of counts from the print is the sum of the nine "
    "differences. The paper describes the same folds, a paired t-test at 5% and beta = 1, and NCC "
    "in Tables 13 to 15 was discretized within the folds: what comes nearer with another setting "
    "is a guess at a slip in that one comparison, not a proof. The nearest combinations change "
    "more than one thing and, as the best of hundreds, say little."
)


def _plan(data: str | None, quick: bool) -> Plan:
    learners = {NCC: CREDAL[NCC], **VARIANTS}
    for name in (NCC, NDC, "NDC, Perks"):
        learners[name + SELECTED] = {**learners[name], "prepare": SELECT}
    for name in (NCC, NDC):
        learners[name + ONCE] = {**learners[name], "prepare": {"discretize_in": "once"}}
    learners["NCC, exact"] = CREDAL["NCC, exact"]
    return Plan(
        **preset(data, quick),
        name="zaffalon-2012-ndc",
        learners=learners,
        measures=MEASURES,
    )


def _analyse(store: Store) -> Findings:
    scores = {m: finished_scores(store, m) for m in MEASURES}
    names = scores["u65"].rows
    if len(names) < 2:
        return {"notes": ["Fewer than two data sets are finished."]}

    def column(measure: str, learner: str) -> Floats:
        return scores[measure].column(learner)

    every = {(r.ncc, r.ndc, r.test): r for r in Folds(store, names).every()}
    told = every[NCC, NDC, AS_TOLD]
    nearest = sorted(every.values(), key=lambda record: record.distance)
    best = list(_best_beta(column))
    claims = list(_claims(column, told, best))
    if len(names) < MOST:
        claims = left_open(claims, TOO_FEW)
    claims.append(_between())
    return {
        "tables": [
            _table_10(),
            StudyTable(
                "NCC against NDC, one thing changed at a time (Table 11)",
                HEADERS,
                [print_row(), *(record.row for record in _one_change(every))],
                digits=3,
            ),
            StudyTable(
                "The ten nearest to Table 11 of all combinations",
                HEADERS,
                [record.row for record in nearest[:10]],
                digits=3,
            ),
            StudyTable(
                "Every combination", HEADERS, [record.row for record in nearest], shown=False
            ),
            StudyTable(
                "Mean F over the data sets by the beta of NDC",
                ("beta of NDC", "F0.5", "F1", "F2", "u65", "u80", "determinacy"),
                best,
                digits=4,
            ),
            StudyTable(
                "By data set",
                ("data set", "measure", *store.learners),
                [
                    (name, m, *scores[m].values[i].tolist())
                    for i, name in enumerate(names)
                    for m in MEASURES
                ],
                shown=False,
            ),
        ],
        "comparisons": [_compare_table_10()]
        + ([_compare_table_11(told)] if len(names) >= MOST else []),
        "claims": claims,
        "figures": {
            "Figure 7": _draw_utilities,
            "Figure 8": partial(
                _draw_scatter,
                {m: (column(m, NCC), column(m, NDC)) for m in MEASURES[:4]},
            ),
        },
        "notes": [
            f"{len(names)} of 55 data sets are finished.",
            NOTE,
            *([_search(every)] if len(names) >= MOST else []),
        ],
    }


def _search(every: dict[tuple[str, str, str], Record]) -> str:
    """How near the paper's own description comes to its table, and what one change does to that."""
    told = every[NCC, NDC, AS_TOLD]
    changed = [record for record in _one_change(every) if record is not told]
    nearest = min(changed, key=lambda record: record.distance)
    same = [f"{_words(r)} ({r.distance})" for r in changed if r.only_u80]
    return (
        f"Done as described, the distance is {told.distance}. Of {len(changed)} changes of one "
        f"thing the nearest is {_words(nearest)} ({nearest.distance}). The paper's verdict of "
        "Wilcoxon's test, a difference under u80 alone, comes out "
        f"{'as described' if told.only_u80 else 'not as described'}, and with these changes (and "
        f"distances): {'; '.join(same) or 'none'}."
    )


def _words(record: Record) -> str:
    return f"{record.ncc} against {record.ndc} by {record.test}"


Column = Callable[[str, str], Floats]


def _one_change(every: dict[tuple[str, str, str], Record]) -> Iterator[Record]:
    """As the paper describes it, then with another test, another NCC, another NDC."""
    for (ncc, ndc, test), record in every.items():
        if [ncc == NCC, ndc == NDC, test == AS_TOLD].count(False) <= 1:
            yield record
    for suffix in (SELECTED, ONCE):  # both prepared in another way
        yield every[NCC + suffix, NDC + suffix, AS_TOLD]


def _best_beta(column: Column) -> Iterator[tuple[Any, ...]]:
    for beta in sorted((1.0, *BETAS)):
        name = NDC if beta == 1 else f"NDC, beta {beta:g}"
        measures = ("f0.5", "f1", "f2", "u65", "u80", "determinacy")
        yield (beta, *(float(column(m, name).mean()) for m in measures))


def _claims(column: Column, told: Record, best: list[Any]) -> Iterator[Claim]:
    correlation = rank_correlation(column("determinacy", NCC), column("determinacy", NDC))
    yield Claim(
        "9.3, Fig. 8",
        "the scatter plot of determinacy is very spread",
        bool(correlation < 0.7),
        f"rank correlation {correlation:.2f}; we call it spread below 0.7",
    )
    yield Claim(
        "9.3",
        "over all data sets the two differ under u80 alone, in favour of NDC",
        told.only_u80,
        "Wilcoxon "
        + ", ".join(f"{u}: p = {p:.2g}" for u, p in zip(UTILITIES, told.p, strict=True)),
    )
    wins = dict(zip(UTILITIES, told.counts.tolist(), strict=True))
    yield Claim(
        "9.3, Table 11",
        "NCC and NDC are balanced under u65 and F1",
        all(abs(wins[u][0] - wins[u][2]) <= 5 for u in ("u65", "f1")),
        "NCC wins, ties, NDC wins: "
        + "; ".join(f"{u} {w[0]}, {w[1]}, {w[2]}" for u, w in wins.items()),
    )
    tops = {
        m: best[int(np.argmax([row[j] for row in best]))][0]
        for j, m in ((1, "F0.5"), (2, "F1"), (3, "F2"))
    }
    yield Claim(
        "9.3",
        "the best beta for a given F-beta need not be that beta",
        tops != {"F0.5": 0.5, "F1": 1.0, "F2": 2.0},
        "largest mean over the data sets: "
        + ", ".join(f"{m} with beta {beta:g}" for m, beta in tops.items()),
    )


def _between() -> Claim:
    k = np.arange(1, 101)
    f1, u65, u80 = (get_utility(name)(1 / k) for name in ("f1", "u65", "u80"))
    return Claim(
        "9.3, Fig. 7",
        "F1 lies between u65 and u80 for any number of classes",
        bool((u65 <= f1 + 1e-12).all() and (f1 <= u80 + 1e-12).all()),
        "checked for sets of 1 to 100 classes",
    )


SETS = {"{1}": (1, True), "{1,2}": (2, True), "{1,2,3}": (3, True), "{2,3,4}": (3, False)}
SCORES = ("precision", "recall", "F1", "F2", "u65", "u80")


def _scores_of(size: int, hit: bool) -> list[float]:
    share = hit / size
    utilities = [float(get_utility(name.lower())(share)) for name in SCORES[2:]]
    return [share, float(hit), *utilities]


def _table_10() -> StudyTable:
    rows = [(name, *_scores_of(*what)) for name, what in SETS.items()]
    return StudyTable(
        "Scores of predictions if class 1 is true (Table 10)", ("prediction", *SCORES), rows
    )


def _compare_table_10() -> Comparison:
    table = printed("zaffalon2012_tables4_11", "10", "dataset", "measure")
    paper = [[table.get((name, score), np.nan) for score in SCORES] for name in SETS]
    return Comparison("Table 10", paper, [_scores_of(*what) for what in SETS.values()], 0.0051)


def _compare_table_11(told: Record) -> Comparison:
    return Comparison("Table 11", printed_counts(), told.counts, 1.0)


def _draw_utilities() -> Figure:
    from wager.plots import axes_or_new, series_colour, series_line, series_marker, style_axes

    ax = axes_or_new(None, (6.4, 4.0))
    k = np.arange(1, 11)
    for i, name in enumerate(("u65", "f1", "u80", "f2")):
        values = get_utility(name)(1 / k)
        label = name.replace("f", "F")
        ax.plot(k, values, series_line(i), color=series_colour(i), marker=series_marker(i), markersize=4, label=label)
    ax.set_title("What a set that holds the true class is worth")
    ax.set_xlabel("classes in the set")
    ax.set_ylabel("utility")
    ax.legend(frameon=False)
    style_axes(ax)
    return ax.figure  # type: ignore[return-value]


def _draw_scatter(points: dict[str, tuple[Floats, Floats]]) -> Figure:
    from matplotlib.figure import Figure

    from wager.plots import plot_scatter

    figure = Figure(figsize=(8.4, 8.4), layout="constrained")
    for ax, (measure, (ncc, ndc)) in zip(
        figure.subplots(2, 2).ravel(), points.items(), strict=True
    ):
        word = "higher" if measure == "determinacy" else "better"
        score = measure.replace("f1", "F1")
        plot_scatter(ncc, ndc, ax, names=(NCC, NDC), score=score, word=word)
    figure.suptitle(f"NCC and NDC on {len(ncc)} data sets")
    return figure


STUDY = Study(
    "zaffalon-2012-ndc",
    "Zaffalon, Corani & Mauá (2012), Section 9.3",
    "The naive credal classifier against the nondeterministic one on 55 data sets, and F measures "
    "as utilities.",
    _analyse,
    _plan,
)
