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
from wager.experiments.study import (
    Claim,
    Finding,
    Findings,
    Study,
    StudyTable,
    open_until_done,
)
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
    done = len(found) == len(DATA_SETS) * len(RULES)
    counts = store.counts()
    whole = done and counts["done"] == counts["planned"]
    return {
        "figures": dict(figures_of(found)),
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
        "claims": open_until_done(store, [_realism_claim(found, done)]),
        "findings": _findings(found) if whole else [],
        "notes": [NOTE],
    }  # fmt: skip


NOTE = (
    "Memberships of the test rows of one run of ten folds, all folds of a data set together; "
    "numeric features as they are. CR: correctness rate, Ac: accuracy, AS: ability to separate, "
    "CF: mean membership in the assigned class. NB is naive Bayes with Gaussians, NN the network "
    "of the example with eight hidden units, weight decay 0.1 and memberships by a softmax of five "
    "times the outputs. Standard errors allow for the fitted scaling. Before scaling, AS and CF "
    "reflect the rule's own confidence; after scaling, the correctness of its assignments. The "
    "paper has no real data: except for the one claim, the questions here are ours."
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


def _pairs(found: Partitions) -> list[tuple[str, str, str]]:
    names = dict.fromkeys(name for name, _ in found)
    return [
        (name, a, b)
        for name in names
        for a, b in combinations([rule for rule in RULES if (name, rule) in found], 2)
    ]


def _realism_claim(found: Partitions, done: bool) -> Claim:
    gaps = np.array([
        (abs(p.measures_before.confidence - p.correctness), abs(p.confidence - p.correctness))
        for p in found.values()
    ])  # fmt: skip
    before, after = gaps.mean(axis=0)
    closer = int((gaps[:, 1] < gaps[:, 0]).sum())
    largest = max(p.estimates["correctness"].standard_error for p in found.values())
    return Claim.checked(
        "2001, 2",
        "scaled memberships give a realistic impression of the performance on the test set",
        bool(after < before and after < largest) if done else None,
        f"mean membership in the assigned class differs from the correctness rate by "
        f"{before:.3f} on average before scaling, by {after:.3f} after it (closer in {closer} of "
        f"{len(gaps)} cases; the rates have standard errors of up to {largest:.3f}). Scaling "
        "is built to do this for the test set that it is learnt from",
        "give a realistic impression of the rule's performance on the test set",
        "the paper states it as an aim; realistic means that the mean membership in the assigned "
        "class is close to the correctness rate",
    )


def _findings(found: Partitions) -> list[Finding]:
    pairs = _pairs(found)
    return [
        _overstatement(found),
        _other_respects(found, pairs),
        _order(found, pairs),
    ]


def _overstatement(found: Partitions) -> Finding:
    falls = {key: p.measures_before.separation - p.separation for key, p in found.items()}
    errors = {key: p.estimates["separation"].standard_error for key, p in found.items()}
    over = [key for key, fall in falls.items() if fall > 0]
    clear = [key for key in over if falls[key] > 2 * errors[key]]
    worst = max(falls, key=lambda key: falls[key])
    return Finding(
        "Do unscaled memberships overstate how well a rule separates?",
        "mostly yes" if len(over) > len(falls) / 2 else "mostly no",
        f"AS falls by scaling in {len(over)} of {len(falls)} cases, by more than two standard "
        f"errors of the scaled AS in {len(clear)}; most for {worst[1]} on {worst[0]} "
        f"({falls[worst]:.3f}, s.e. {errors[worst]:.3f})",
    )


def _other_respects(found: Partitions, pairs: list[tuple[str, str, str]]) -> Finding:
    similar = [pair for pair in pairs if abs(_lead(found, *pair, "correctness")) < 0.01]
    cases = [
        (abs(_lead(found, *pair, measure)), _error(found, *pair, measure), pair, measure)
        for pair in similar
        for measure in ("accuracy", "separation")
    ]
    question = "Do rules that are equally often right differ in other respects?"
    if not cases:
        return Finding(
            question,
            "no such rules",
            "no two rules have correctness rates within one percentage point",
        )
    clear = [case for case in cases if case[0] > 2 * case[1]]
    gap, error, (name, a, b), measure = max(cases, key=lambda case: case[0])
    return Finding(
        question,
        "yes" if clear else "not beyond chance",
        f"{len(similar)} pairs have correctness rates within one percentage point; of their "
        f"{len(cases)} differences in Ac or AS {len(clear)} exceed two standard errors; the "
        f"largest, in {SHORT[measure]}, is {gap:.3f} (s.e. {error:.3f}; {a} and {b} on {name})",
    )


def _order(found: Partitions, pairs: list[tuple[str, str, str]]) -> Finding:
    def clear(pair: tuple[str, str, str], measure: str) -> bool:
        return abs(_lead(found, *pair, measure)) > 2 * _error(found, *pair, measure)

    opposite = [
        pair
        for pair in pairs
        if _lead(found, *pair, "correctness") * _lead(found, *pair, "accuracy") < 0
    ]
    sure = [pair for pair in opposite if clear(pair, "correctness") and clear(pair, "accuracy")]
    listed_pairs = ", ".join(f"{a} and {b} on {name}" for name, a, b in opposite) or "none"
    return Finding(
        "Does Ac rank rules in another order than the correctness rate?",
        "yes" if sure else "not beyond chance",
        f"of {len(pairs)} pairs of rules on the same data, in the opposite order: {listed_pairs}; "
        f"with both differences beyond two standard errors: {len(sure)}. A single pair may turn "
        "with the initial weights of the network",
    )


SHORT = {"accuracy": "Ac", "separation": "AS"}


def _error(found: Partitions, name: str, a: str, b: str, measure: str) -> float:
    """A standard error of the lead, as if both rules had different test rows: rather too large."""
    first, second = (found[name, rule].estimates[measure].standard_error for rule in (a, b))
    return float(np.hypot(first, second))


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
    minutes=0.3,
    page="sondhauss-weihs-2001",
)
