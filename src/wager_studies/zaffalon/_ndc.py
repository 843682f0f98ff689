"""The naive credal classifier against the nondeterministic one of del Coz & Bahamonde (2009).

Zaffalon, Corani & Mauá (2012), Section 9.3: Tables 10, 11, Figures 7, 8.  The nondeterministic
classifier (NDC) returns the set with the largest expected F under naive Bayes's probabilities.  The
naive Bayes classifier, beta and the test of Table 11 are varied to find the settings of the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._typing import Floats
from wager.compare import wilcoxon
from wager.experiments import Plan
from wager.experiments.study import (
    Claim,
    Comparison,
    Findings,
    Study,
    StudyTable,
    finished_scores,
    rank_correlation,
)
from wager.rewards import get_utility
from wager_studies._data_sets import (
    SELECTED,
    finished_note,
    is_nearly_complete,
    open_if_few,
    preset,
    with_selection,
)
from wager_studies._figures import line_figure
from wager_studies._published import printed
from wager_studies.zaffalon._evidence import p_text
from wager_studies.zaffalon._table_11 import (
    AS_DESCRIBED,
    HEADERS,
    UTILITIES,
    FoldUtilities,
    WinCounts,
    printed_counts,
    printed_row,
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
ONCE = ", cut once"  # for learners whose features were discretized once on the whole file
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
    "Table 11 sums to 53 of the 55 data sets; to match this, our counts leave out the two largest, "
    "letter and connect-4. The distance from the printed counts is the sum of the nine absolute "
    "differences. The paper describes the same folds, a paired t-test at 5% and beta = 1, and NCC "
    "in Tables 13 to 15 was discretized within the folds: a closer match with another setting "
    "suggests an error in that one comparison, but does not prove it. The closest combinations "
    "change more than one setting and, being the best of hundreds, are weak evidence. So Table 11 "
    "has no known cause; excluded are the prior of naive Bayes, beta, the version of NCC, feature "
    "selection, discretization once on the file, another base classifier, thresholds instead of F, "
    "and five other tests and levels."
)


def _plan(data: str | None, quick: bool) -> Plan:
    learners = {NCC: CREDAL[NCC], **VARIANTS}
    learners |= with_selection({name: learners[name] for name in (NCC, NDC, "NDC, Perks")})
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

    counts = {(c.ncc, c.ndc, c.test): c for c in FoldUtilities(store, names).every()}
    described = counts[NCC, NDC, AS_DESCRIBED]
    by_beta = list(_by_beta(column))
    claims = open_if_few(_claims(column, described, by_beta), names)
    complete = is_nearly_complete(names)
    points = {m: (column(m, NCC), column(m, NDC)) for m in MEASURES[:4]}
    return {
        "tables": [
            _table_10(),
            *_tables_of_counts(counts),
            StudyTable(
                "Mean F over the data sets by the beta of NDC",
                ("beta of NDC", "F0.5", "F1", "F2", "u65", "u80", "determinacy"),
                by_beta,
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
        "comparisons": [_compare_table_10()] + ([_compare_table_11(described)] if complete else []),
        "claims": [*claims, *_claims_on_utilities()],
        "figures": {"Figure 7": draw_utilities, "Figure 8": partial(draw_points, points)},
        "notes": [finished_note(names), NOTE, *([_search(counts)] if complete else [])],
    }


Counts = dict[tuple[str, str, str], WinCounts]  # by NCC, NDC and test


def _tables_of_counts(counts: Counts) -> list[StudyTable]:
    """Wins, ties and losses beside Table 11."""
    nearest = sorted(counts.values(), key=lambda found: found.distance)
    return [
        StudyTable(
            "NCC against NDC, one setting changed at a time (Table 11)",
            HEADERS,
            [printed_row(), *(found.row for found in _one_change(counts))],
            digits=3,
        ),
        StudyTable(
            "The ten combinations closest to Table 11",
            HEADERS,
            [found.row for found in nearest[:10]],
            digits=3,
        ),
        StudyTable("All combinations", HEADERS, [found.row for found in nearest], shown=False),
    ]


def _search(counts: Counts) -> str:
    """How close the settings that the paper describes come to its table, and one change to them."""
    described = counts[NCC, NDC, AS_DESCRIBED]
    changed = [found for found in _one_change(counts) if found is not described]
    nearest = min(changed, key=lambda found: found.distance)
    same = [f"{_settings(found)} ({found.distance})" for found in changed if found.only_u80]
    return (
        f"Done as described, the distance is {described.distance}. Of {len(changed)} changes of "
        f"one setting the closest is {_settings(nearest)} ({nearest.distance}). The paper's result "
        "of Wilcoxon's test, a significant difference only under u80, "
        f"{'reproduces' if described.only_u80 else 'does not reproduce'} as described; it "
        f"reproduces with these changes (and distances): {'; '.join(same) or 'none'}."
    )


def _settings(found: WinCounts) -> str:
    return f"{found.ncc} against {found.ndc} by {found.test}"


Column = Callable[[str, str], Floats]


def _one_change(counts: Counts) -> Iterator[WinCounts]:
    """As the paper describes it, then with another test, another NCC or another NDC."""
    for (ncc, ndc, test), found in counts.items():
        if [ncc == NCC, ndc == NDC, test == AS_DESCRIBED].count(False) <= 1:
            yield found
    for suffix in (SELECTED, ONCE):  # both classifiers prepared differently
        yield counts[NCC + suffix, NDC + suffix, AS_DESCRIBED]


def _by_beta(column: Column) -> Iterator[tuple[Any, ...]]:
    for beta in sorted((1.0, *BETAS)):
        name = NDC if beta == 1 else f"NDC, beta {beta:g}"
        measures = ("f0.5", "f1", "f2", "u65", "u80", "determinacy")
        yield (beta, *(float(column(m, name).mean()) for m in measures))


def _claims(column: Column, described: WinCounts, by_beta: list[Any]) -> Iterator[Claim]:
    determinacy = [column("determinacy", name) for name in (NCC, NDC)]
    correlation = rank_correlation(*determinacy)
    low, high = _interval(correlation, len(determinacy[0]))
    yield Claim.checked(
        "2012, 9.3, Fig. 8",
        "the scatter plot of determinacy is very spread",
        bool(high < 0.7),
        f"rank correlation {correlation:.2f}, 95% interval {low:.2f} to {high:.2f}",
        quote="The scatter plot of determinacy is very spread",
        reading="“very spread” as a rank correlation below 0.7, a limit of our own",
    )
    tests = ", ".join(f"{u}: {p_text(p)}" for u, p in zip(UTILITIES, described.p, strict=True))
    yield Claim.checked(
        "2012, 9.3",
        "over all data sets the two differ significantly only under u80, in favour of NDC",
        described.only_u80,
        f"Wilcoxon over the data sets: {tests}; NDC is ahead under all three",
        quote="is statistically different, in favor of NDC, only in the case of",
    )
    wins = dict(zip(UTILITIES, described.counts.tolist(), strict=True))
    signs = {u: _sign_test(row[0], row[2]) for u, row in wins.items()}
    yield Claim.checked(
        "2012, 9.3, Table 11",
        "under u65 and F1 the numbers of data sets that NCC and NDC win are balanced",
        min(signs["u65"], signs["f1"]) >= 0.05,
        "NCC wins, ties, NDC wins, and the sign test of the wins: "
        + "; ".join(f"{u} {w[0]}, {w[1]}, {w[2]} ({p_text(signs[u])})" for u, w in wins.items())
        + f"; the nine numbers differ from the printed ones by {described.distance} in all",
        quote="the performance of the two classifiers appears quite balanced",
    )
    tops = {
        m: by_beta[int(np.argmax([row[j] for row in by_beta]))][0]
        for j, m in ((1, "F0.5"), (2, "F1"), (3, "F2"))
    }
    test = wilcoxon(column("f2", f"{NDC}, beta 3"), column("f2", f"{NDC}, beta 2"))
    yield Claim.checked(
        "2012, 9.3",
        "the best beta for a given F-beta need not be that beta",
        tops != {"F0.5": 0.5, "F1": 1.0, "F2": 2.0} and test.p < 0.05,
        "largest mean over the data sets: "
        + ", ".join(f"{m} with beta {beta:g}" for m, beta in tops.items())
        + f"; F2 with beta 3 against beta 2 by Wilcoxon's test: {p_text(test.p)}",
        quote="not necessarily using",
    )


def _interval(correlation: float, n: int) -> tuple[float, float]:
    """A 95% interval of a rank correlation, by Fisher's transformation."""
    middle, half = np.arctanh(correlation), 1.96 * np.sqrt(1.06 / max(n - 3, 1))
    return float(np.tanh(middle - half)), float(np.tanh(middle + half))


def _sign_test(wins: int, losses: int) -> float:
    from scipy.stats import binomtest

    return float(binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0


def _claims_on_utilities() -> list[Claim]:
    """The claims about the functions of Figure 7 and Table 10."""
    k = np.arange(1, 101)
    f1, f2, u65, u80 = (get_utility(name)(1 / k) for name in ("f1", "f2", "u65", "u80"))
    nearer = [int((abs(f1 - u)[1:] < abs(f2 - u)[1:]).sum()) for u in (u65, u80)]
    return [
        Claim.checked(
            "2012, 9.3, Fig. 7",
            "F1 lies between u65 and u80 for any number of classes",
            bool((u65 <= f1 + 1e-12).all() and (f1 <= u80 + 1e-12).all()),
            "exact for sets of 1 to 100 classes, and 0.4k² - k + 0.6 and 0.2k² + k - 1.2 are not "
            "negative for k of 1 or more",
            quote="is comprised, for any value of k, between",
        ),
        Claim.checked(
            "2012, 9.3, Fig. 7",
            "F2 rewards sets of several classes much more than u65, F1 and u80",
            bool((f2[1:] > np.maximum(u80, f1)[1:]).all()),
            f"more for all sets of 2 to 100 classes, exactly; with 2 classes {f2[1]:.3f} against "
            f"{u80[1]:.3f} of u80, with 3 {f2[2]:.3f} against {u80[2]:.3f}, with 10 {f2[9]:.3f} "
            f"against {u80[9]:.3f}",
            quote="rewards the indeterminate classifications much more than the other functions",
            reading="“much” of three classes and more",
        ),
        Claim.checked(
            "2012, 9.3",
            "F1 is closer to both u65 and u80 than F2",
            nearer[0] == 99 and nearer[1] >= 98,
            f"F1 is closer to u65 for {nearer[0]} and to u80 for {nearer[1]} of the sizes 2 to "
            "100; not to u80 for two classes, where F1 is 0.67, F2 0.83 and u80 0.80 (Table 10)",
            quote="is closer to both",
            reading="apart from u80 for sets of two classes",
        ),
    ]


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
    ours = [_scores_of(*what) for what in SETS.values()]
    return Comparison("Table 10", paper, ours, unit=0.01)


def _compare_table_11(described: WinCounts) -> Comparison:
    return Comparison("Table 11", printed_counts(), described.counts, unit=1.0, wider=1.0)


def draw_utilities() -> Figure:
    """The utility of a correct set against its size (Figure 7)."""
    k = np.arange(1, 11)
    return line_figure(
        k,
        {name.replace("f", "F"): get_utility(name)(1 / k) for name in ("u65", "f1", "u80", "f2")},
        title="Utility of a set that contains the true class",
        x_label="classes in the set",
        y_label="utility",
        marker_size=4,
    )


def draw_points(points: dict[str, tuple[Floats, Floats]]) -> Figure:
    """Both classifiers on every data set, by measure (Figure 8)."""
    from wager.plots import plain_figure, plot_scatter

    figure = plain_figure((8.4, 8.4))
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
    title="Credal and nondeterministic classifiers on 55 data sets",
    minutes=11.0,
    page="zaffalon-2012",
    draws_as_paper=True,
)
