"""Standardized partitions of five classifiers on real data: iris, wine and vehicle silhouettes.

What Sondhauss & Weihs (2001) show on artificial data: probabilities of discriminant analysis,
leaves of a tree and outputs of a network side by side, before and after scaling.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from wager.experiments import Plan
from wager.experiments.study import Claim, Findings, Study, StudyTable, open_until_done
from wager.partitions import StandardizedPartition
from wager_studies._data_source import folder_of, no_data_given, source_of
from wager_studies.sondhauss_weihs._partitions import partition_of, simplexes

if TYPE_CHECKING:
    from wager.experiments import Store

DATA_SETS = ("iris", "wine", "vehicle")
RULES: dict[str, dict[str, Any]] = {
    "LDA": {"learner": "sklearn.discriminant_analysis.LinearDiscriminantAnalysis"},
    "QDA": {"learner": "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis"},
    "NB": {"learner": "naive-bayes"},
    "C4.5": {"learner": "c45"},
    "NN": {
        "learner": "wager_studies.sondhauss_weihs._rules.RealNetwork",
        "params": {"hidden": 8},
    },
}

Partitions = dict[tuple[str, str], StandardizedPartition]


def _plan(data: str | None, quick: bool) -> Plan:
    names: tuple[str, ...] = DATA_SETS
    if quick and no_data_given(data):
        names = DATA_SETS[:2]  # vehicle comes with no library
    return Plan(
        name="sondhauss-weihs-data",
        data=folder_of(data),
        datasets=[{"source": source_of(data, name), "name": name} for name in names],
        scheme={"folds": "weka", "n_folds": 3 if quick else 10},
        learners=RULES,
        measures=("u50",),
        predictions=True,
        probabilities=False,
    )


def _analyse(store: Store) -> Findings:
    found: Partitions = {}
    for name in store.datasets:
        for rule in RULES:
            partition = partition_of(store, name, rule)
            if partition is not None:
                found[name, rule] = partition
    rows = [(name, rule, *_row(partition)) for (name, rule), partition in found.items()]
    if not found:
        return {"notes": ["No fold is done yet."]}
    return {
        "tables": [
            StudyTable(
                "Measures after scaling (and before)",
                ("data set", "rule", "CR", "Ac", "s.e.", "AS", "s.e.", "CF", "Ac before",
                 "AS before", "CF before"),
                rows,
                digits=3,
            )
        ],
        "claims": open_until_done(store, _claims(found)),
        "figures": dict(_figures(found)),
        "notes": [NOTE],
    }  # fmt: skip


NOTE = (
    "Memberships of the test rows of one run of ten folds, all folds of a data set together; "
    "numeric features as they are. CR: correctness rate, Ac: accuracy, AS: ability to separate, "
    "CF: mean membership in the assigned class. NB is naive Bayes with Gaussians, NN the network "
    "of the example with eight hidden units. Standard errors take the scaling as given. Before "
    "scaling, AS and CF are what a rule believes of itself; after it, what its assignments bear "
    "out."
)


def _row(partition: StandardizedPartition) -> tuple[float, ...]:
    after, before = partition.measures, partition.measures_before
    return (
        after.correctness,
        after.accuracy,
        after.accuracy_standard_error,
        after.separation,
        after.separation_standard_error,
        after.confidence,
        before.accuracy,
        before.separation,
        before.confidence,
    )


def _figures(found: Partitions) -> Any:
    for name in dict.fromkeys(name for name, _ in found):
        chosen = [rule for rule in ("QDA", "C4.5", "NN") if (name, rule) in found]
        partitions = {rule: found[name, rule] for rule in chosen}
        yield f"{name.capitalize()}: before scaling", partial(simplexes, partitions, scaled=False)
        yield f"{name.capitalize()}: after scaling", partial(simplexes, partitions)


def _claims(found: Partitions) -> list[Claim]:
    names = list(dict.fromkeys(name for name, _ in found))
    boast = {key: p.measures_before.separation - p.separation for key, p in found.items()}
    over = [key for key, gap in boast.items() if gap > 0]
    worst = max(boast, key=lambda key: boast[key])
    gaps = {
        key: (abs(p.measures_before.confidence - p.correctness), abs(p.confidence - p.correctness))
        for key, p in found.items()
    }
    pairs = [
        (name, a, b)
        for name in names
        for a, b in combinations([rule for rule in RULES if (name, rule) in found], 2)
    ]
    alike = {
        (name, a, b): max(
            abs(found[name, a].accuracy - found[name, b].accuracy),
            abs(found[name, a].separation - found[name, b].separation),
        )
        for name, a, b in pairs
        if abs(_lead(found, name, a, b, "correctness")) < 0.01
    }
    apart = max(alike, key=lambda pair: alike[pair], default=("", "", ""))
    against = [
        f"{a} and {b} on {name}"
        for name, a, b in pairs
        if _lead(found, name, a, b, "correctness") * _lead(found, name, a, b, "accuracy") < 0
    ]
    before, after = (float(np.mean([gap[i] for gap in gaps.values()])) for i in (0, 1))
    return [
        Claim(
            "2",
            "memberships as they are show a rule from its own perspective only: they overstate "
            "how well it separates",
            len(over) > len(boast) / 2,
            f"AS falls by scaling in {len(over)} of {len(boast)} cases, most for "
            f"{worst[1]} on {worst[0]} ({boast[worst]:.3f})",
        ),
        Claim(
            "4",
            "scaled memberships give a realistic impression of the performance on the test set",
            after < before,
            f"mean membership in the assigned class differs from the correctness rate by "
            f"{before:.3f} on average before scaling, by {after:.3f} after it",
        ),
        Claim(
            "1",
            "rules that are equally often right can differ in other respects",
            max(alike.values(), default=0.0) > 0.05,
            "no two rules have correctness rates within a point"
            if not alike
            else f"of {len(alike)} pairs within a point of correctness, {apart[1]} and {apart[2]} "
            f"on {apart[0]} differ most in Ac or AS, by {alike[apart]:.3f}",
        ),
        Claim(
            "5",
            "Ac says more than the correctness rate: it puts rules in another order",
            bool(against),
            f"of {len(pairs)} pairs of rules on the same data, in the opposite order: "
            + (", ".join(against) or "none; Ac decides where the rates are equal"),
        ),
    ]


def _lead(found: Partitions, name: str, a: str, b: str, measure: str) -> float:
    return getattr(found[name, a], measure) - getattr(found[name, b], measure)


STUDY = Study(
    "sondhauss-weihs-data",
    "Sondhauss & Weihs (2001)",
    "Standardized partitions of discriminant analysis, naive Bayes, a tree and a network on iris, "
    "wine and vehicle: accuracy, ability to separate, and what scaling changes.",
    _analyse,
    _plan,
)
