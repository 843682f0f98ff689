"""Conformal, credal and other set-valued classifiers on the same folds.

This comparison is not from a paper.  Credal classifiers are cautious where data are few, conformal
sets promise coverage, and nondeterministic classifiers and rejection follow the probabilities of a
precise classifier.  Each is judged by what it earns, and under which utilities.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._typing import Floats
from wager.compare import friedman, nemenyi, ranks
from wager.experiments.study import Findings, Study, StudyTable, finished_scores
from wager_studies.findings._answers import answers
from wager_studies.findings._figures import (
    draw_coverage,
    draw_profiles,
    draw_ranks,
    draw_tradeoff,
)
from wager_studies.findings._guarantee import coverage_checks, guarantee_table, rows_table
from wager_studies.findings._pairs import FoldDifferences, pair_table
from wager_studies.findings._plan import BAYES, FOREST, MEASURES, plan
from wager_studies.findings._recommendations import (
    Scores,
    best_table,
    recommendations,
    short_answer,
)
from wager_studies.findings._utility_lines import UtilityLines

if TYPE_CHECKING:
    from wager.experiments import Store

ENOUGH = 30  # finished data sets needed for an answer
FEW = "Too few data sets are finished to answer the questions."
CREDAL = ("NCC", "CDT", "NDC", "BAG")
CONFORMAL = ("LAC+ 10%", "APS 10%")
HEAD_TO_HEAD = [(a, b) for a in CREDAL for b in CONFORMAL]
AROUND_FOREST = [
    *((name, "RF") for name in FOREST if name != "RF"),
    ("RF IDM", "RF LAC+ 10%"),
    ("RF IDM", "RF APS 10%"),
    ("RF NDC", "RF LAC+ 10%"),
]


def _analyse(store: Store) -> Findings:
    names = finished_scores(store, MEASURES[0]).rows
    if len(names) < 2:
        return {"notes": [METHODS, "Fewer than two data sets are finished."]}
    scores = {measure: _columns(store, measure, names) for measure in MEASURES}
    bayes, forest = (
        UtilityLines.of(list(kind), _stack(scores["u50"], kind), _stack(scores["u80"], kind))
        for kind in (BAYES, FOREST)
    )
    folds = FoldDifferences.of(store, names)
    checks = coverage_checks(store, scores["coverage"], names)
    against = [(name, "NBC") for name in BAYES if name != "NBC"]
    enough = len(names) >= ENOUGH
    return {
        "tables": [
            _summary("Around naive Bayes: means over the data sets (per cent)", scores, BAYES),
            _summary("Around a random forest: means over the data sets (per cent)", scores, FOREST),
            best_table(bayes, forest),
            _ranked(scores),
            pair_table("Against naive Bayes", bayes, folds, against),
            pair_table("Credal against conformal", bayes, folds, HEAD_TO_HEAD),
            pair_table("Around a random forest", forest, folds, AROUND_FOREST),
            guarantee_table(checks),
            rows_table(checks, tuple(names)),
            StudyTable(
                "Scores by data set (per cent)",
                ("data set", "measure", *store.learners),
                list(_by_data_set(names, scores, store.learners)),
                shown=False,
            ),
        ],
        "findings": answers(scores, checks, bayes, forest) if enough else [],
        "figures": {
            "Gain by utility": partial(draw_profiles, bayes, forest),
            "Coverage and size": partial(draw_tradeoff, scores),
            "Coverage and promise": partial(draw_coverage, checks),
            "Mean ranks": partial(draw_ranks, scores, BAYES),
            "Mean ranks around a random forest": partial(draw_ranks, scores, FOREST),
        },
        "notes": [
            short_answer(bayes, forest, scores, names) if enough else FEW,
            METHODS,
            *recommendations(bayes, forest),
            CAUTION,
        ],
    }


METHODS = (
    "Methods: NBC naive Bayes (always one class); NCC naive credal classifier (s = 1, a floor of "
    "0.01 as in Zaffalon, Corani & Mauá, 2012); CDT credal tree; NDC the set of greatest "
    "expected F1 under NBC; BAG the classes that are undominated under the probability intervals "
    "of 25 bagged naive Bayes classifiers; LAC and APS split conformal sets around naive Bayes "
    "that may miss the true class in 5, 10 or 20% of cases, calibrated on 30% of the training rows "
    "(LAC sets may be empty and then earn nothing; LAC+ puts the most probable class into an empty "
    "set; APS keeps the class that passes its threshold and so covers more than it promises); "
    "REJ 65 and REJ 80 all classes unless the best has probability 0.65 or 0.80, the level "
    "below which rejecting pays under u65 and u80 with two classes; BEST 65 and BEST 80 the set of "
    "greatest expected u65 or u80 under NBC. RF is a forest of 30 trees, RF IDM the mean "
    "intervals of its leaves under the imprecise Dirichlet model (s = 1). All use the same ten "
    "folds, prepared as in the credal study; letter and connect-4 are left out because of their "
    "size, liver-disorders because discretization removes all its features in half of the folds."
)
CAUTION = (
    "Limits: each data set has the same weight, and intervals and tests describe data sets of this "
    "kind: UCI data, most of them small, cross-validated once. p is from Wilcoxon's test with "
    "Holm's adjustment within a table; better / equal / worse are the probabilities by the "
    "hierarchical test that this is the most probable result on the next data set, where "
    "differences up to one percentage point count as equal. "
    "Means and medians differ where a method fails badly on a few data sets. The utilities suit "
    "users whose reward depends on the size of a correct set; users who need a stated coverage "
    "must use conformal sets, whatever these earn here. Parameters are the usual ones and not "
    "tuned: tuned to a utility (alpha, s, beta, thresholds) each method would come closer to its "
    "best."
)


def _columns(store: Store, measure: str, names: tuple[str, ...]) -> dict[str, Floats]:
    """A measure of each method on these data sets; a running study may have finished more."""
    table = finished_scores(store, measure)
    values = table.values[[table.rows.index(name) for name in names]]
    return dict(zip(table.columns, values.T, strict=True))


def _stack(columns: dict[str, Floats], names: Any) -> Floats:
    return np.column_stack([columns[name] for name in names])


def _summary(title: str, scores: Scores, names: Any) -> StudyTable:
    """Means of all measures, and mean ranks under u65 and u80."""
    # rounded, so that rounding errors do not break ties
    values = [_stack(scores[utility], names).round(12) for utility in ("u65", "u80")]
    ranked = [ranks(of_utility).mean(axis=0) for of_utility in values]
    rows = [
        (
            name,
            *(100 * scores[m][name].mean() for m in ("determinacy", "coverage")),
            scores["mean_set_size"][name].mean(),
            *(100 * scores[m][name].mean() for m in ("u50", "u65", "u80")),
            *(rank[j] for rank in ranked),
        )
        for j, name in enumerate(names)
    ]
    headers = (
        "method", "determinacy", "coverage", "mean set size", "u50", "u65", "u80", "rank u65",
        "rank u80",
    )  # fmt: skip
    return StudyTable(title, headers, rows, digits=2)


def _ranked(scores: Scores) -> StudyTable:
    """Friedman's test, and the methods that Nemenyi's does not distinguish from the best."""
    rows = []
    for base, names in (("naive Bayes", list(BAYES)), ("random forest", list(FOREST))):
        for utility in ("u50", "u65", "u80"):
            values = _stack(scores[utility], names).round(12)
            test = nemenyi(values, names=names)
            best = names[int(test.mean_ranks.argmin())]
            worse = {b for a, b in test.pairs() if a == best}
            level = ", ".join(name for name in names if name not in {*worse, best})
            p = friedman(values, names=names).p
            rows.append((base, utility, f"{p:.2g}", test.critical_difference, best, level))
    headers = (
        "around", "utility", "Friedman's p", "critical difference", "best mean rank",
        "not significantly different",
    )  # fmt: skip
    return StudyTable("Mean ranks: not significantly different from the best", headers, rows)


def _by_data_set(
    names: tuple[str, ...], scores: Scores, learners: Any
) -> Iterator[tuple[Any, ...]]:
    for i, name in enumerate(names):
        for measure in MEASURES:
            scale = 1 if measure == "mean_set_size" else 100
            found = (round(scale * float(scores[measure][learner][i]), 2) for learner in learners)
            yield (name, measure, *found)


STUDY = Study(
    "conformal-vs-credal",
    "Beyond the papers, with the utilities of Zaffalon, Corani & Mauá (2012)",
    "Credal, conformal, nondeterministic, ensemble and rejecting classifiers on the same folds: "
    "what they cover, what they earn, and which users each one suits.",
    _analyse,
    plan,
    title="Conformal, credal and other sets on the same folds",
    minutes=5.0,
    page="findings",
)
