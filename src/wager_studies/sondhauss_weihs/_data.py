"""Standardized partitions of five classifiers on real data: iris, wine and vehicle silhouettes.

Sondhauss & Weihs (2001) use artificial data; here the same plots and measures are computed for real
data: probabilities of discriminant analysis, leaves of a tree and outputs of a network side by
side, before and after scaling.
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
from wager_studies.sondhauss_weihs._partitions import membership_table, partition_of, simplexes

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

SHOWN = ("QDA", "C4.5", "NN")  # in the figures

Partitions = dict[tuple[str, str], StandardizedPartition]


def _plan(data: str | None, quick: bool) -> Plan:
    names: tuple[str, ...] = DATA_SETS
    if quick and no_data_given(data):
        names = DATA_SETS[:2]  # vehicle is not included in scikit-learn
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
        return {"notes": ["No fold is finished yet."]}
    return {
        "tables": [
            StudyTable(
                "Measures after scaling (and before)",
                ("data set", "rule", "CR", "Ac", "s.e.", "AS", "s.e.", "CF", "Ac before",
                 "AS before", "CF before"),
                rows,
                digits=3,
            ),
            membership_table(
                {(name, rule): found[name, rule] for name, rule in found if rule in SHOWN}
            ),
        ],
        "claims": open_until_done(store, _claims(found)),
        "figures": dict(figures_of(found)),
        "notes": [NOTE],
    }  # fmt: skip


NOTE = (
    "Memberships of the test rows of one run of ten folds, all folds of a data set together; "
    "numeric features as they are. CR: correctness rate, Ac: accuracy, AS: ability to separate, "
    "CF: mean membership in the assigned class. NB is naive Bayes with Gaussians, NN the network "
    "of the example with eight hidden units. Standard errors allow for the fitted scaling. Before "
    "scaling, AS and CF reflect the rule's own confidence; after scaling, the correctness of its "
    "assignments."
)


def _row(partition: StandardizedPartition) -> tuple[float, ...]:
    before, estimates = partition.measures_before, partition.estimates
    return (
        partition.correctness,
        partition.accuracy,
        estimates["accuracy"].standard_error,
        partition.separation,
        estimates["separation"].standard_error,
        partition.confidence,
        before.accuracy,
        before.separation,
        before.confidence,
    )


def figures_of(found: Partitions) -> Any:
    """Before and after scaling, per data set: titles and functions that draw."""
    for name in dict.fromkeys(name for name, _ in found):
        partitions = {rule: found[name, rule] for rule in SHOWN if (name, rule) in found}
        yield f"{name.capitalize()}: before scaling", partial(simplexes, partitions, scaled=False)
        yield f"{name.capitalize()}: after scaling", partial(simplexes, partitions)


def _claims(found: Partitions) -> list[Claim]:
    names = list(dict.fromkeys(name for name, _ in found))
    pairs = [
        (name, a, b)
        for name in names
        for a, b in combinations([rule for rule in RULES if (name, rule) in found], 2)
    ]
    return [
        _overstatement_claim(found),
        _realism_claim(found),
        _other_respects_claim(found, pairs),
        _order_claim(found, pairs),
    ]


def _overstatement_claim(found: Partitions) -> Claim:
    falls = {key: p.measures_before.separation - p.separation for key, p in found.items()}
    over = [key for key, fall in falls.items() if fall > 0]
    worst = max(falls, key=lambda key: falls[key])
    return Claim(
        "2",
        "unscaled memberships show a rule from its own perspective only: they overstate how well "
        "it separates",
        len(over) > len(falls) / 2,
        f"AS falls by scaling in {len(over)} of {len(falls)} cases, most for "
        f"{worst[1]} on {worst[0]} ({falls[worst]:.3f})",
    )


def _realism_claim(found: Partitions) -> Claim:
    gaps = [
        (abs(p.measures_before.confidence - p.correctness), abs(p.confidence - p.correctness))
        for p in found.values()
    ]
    before, after = np.mean(gaps, axis=0)
    return Claim(
        "4",
        "scaled memberships give a realistic impression of the performance on the test set",
        bool(after < before),
        f"mean membership in the assigned class differs from the correctness rate by "
        f"{before:.3f} on average before scaling, by {after:.3f} after it",
    )


def _other_respects_claim(found: Partitions, pairs: list[tuple[str, str, str]]) -> Claim:
    similar = {
        pair: max(abs(_lead(found, *pair, measure)) for measure in ("accuracy", "separation"))
        for pair in pairs
        if abs(_lead(found, *pair, "correctness")) < 0.01
    }
    name, a, b = max(similar, key=lambda pair: similar[pair], default=("", "", ""))
    return Claim(
        "1",
        "rules that are equally often right can differ in other respects",
        max(similar.values(), default=0.0) > 0.05,
        f"of {len(similar)} pairs with correctness rates within one percentage point, {a} and {b} "
        f"on {name} differ most in Ac or AS, by {similar[name, a, b]:.3f}"
        if similar
        else "no two rules have correctness rates within one percentage point",
    )


def _order_claim(found: Partitions, pairs: list[tuple[str, str, str]]) -> Claim:
    opposite = [
        f"{a} and {b} on {name}"
        for name, a, b in pairs
        if _lead(found, name, a, b, "correctness") * _lead(found, name, a, b, "accuracy") < 0
    ]
    return Claim(
        "5",
        "Ac shows more than the correctness rate: it ranks rules in another order",
        bool(opposite),
        f"of {len(pairs)} pairs of rules on the same data, in the opposite order: "
        + (", ".join(opposite) or "none; Ac decides where the rates are equal"),
    )


def _lead(found: Partitions, name: str, a: str, b: str, measure: str) -> float:
    return getattr(found[name, a], measure) - getattr(found[name, b], measure)


STUDY = Study(
    "sondhauss-weihs-data",
    "Sondhauss & Weihs (2001)",
    "Standardized partitions of discriminant analysis, naive Bayes, a tree and a network on iris, "
    "wine and vehicle: accuracy, ability to separate, and what scaling changes.",
    _analyse,
    _plan,
    title="Standardized partitions of iris, wine and vehicle",
    minutes=5.0,
)
