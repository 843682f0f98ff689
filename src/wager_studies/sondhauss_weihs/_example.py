"""The example of Sondhauss & Weihs (2001): three chi-square classes, three rules, three figures.

Objects of three classes have one predictor, chi-square with 2, 8 and 16 degrees of freedom.  From
27 training objects a quadratic discriminant rule and a small neural network are learnt; they are
compared on 27 test objects with the rule that uses the true class probabilities.  The paper has one
such draw; here there are many, to show what is due to chance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._typing import Floats
from wager.experiments import Plan
from wager.experiments.study import Claim, Findings, Study, StudyTable, open_until_done
from wager.partitions import (
    StandardizedPartition,
    partition_accuracy,
    precision,
    separability,
    separation,
)
from wager_studies.sondhauss_weihs._partitions import membership_table, partitions_of, simplexes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wager.experiments import Store

DATA, SIZE = "chi-square", 27
CLASSES = ("G1", "G2", "G3")
HOME = "wager_studies.sondhauss_weihs._rules"
TRUE, QDA, NN = "True-Bayes", "Bayes-QDA", "NN"
RULES: dict[str, dict[str, Any]] = {
    TRUE: {"learner": f"{HOME}.TrueBayes"},
    QDA: {"learner": "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis"},
    NN: {"learner": f"{HOME}.RealNetwork"},
}
FIGURES: dict[str, tuple[tuple[str, str], dict[str, Any]]] = {
    "Figure 1": ((TRUE, QDA), {"scaled": False}),
    "Figure 2": ((QDA, NN), {"lines": "true"}),
    "Figure 3": ((QDA, NN), {"lines": "assigned"}),
}

Draw = dict[str, StandardizedPartition]


def _plan(data: str | None, quick: bool) -> Plan:
    return Plan(
        name="sondhauss-weihs-2001",
        datasets=[{"generator": "random-chi-square", "name": DATA}],
        scheme={
            "kind": "generate",
            "sizes": [SIZE],
            "test_rows": SIZE,
            "repeats": 10 if quick else 200,
        },
        learners=RULES,
        measures=("u50",),
        probabilities=False,
        predictions=True,
    )


def figures_of(draw: Draw) -> dict[str, Callable[[], Figure]]:
    """The three figures of the paper for one draw: titles and functions that draw."""
    return {
        title: partial(simplexes, {rule: draw[rule] for rule in rules}, **options)
        for title, (rules, options) in FIGURES.items()
    }


def _analyse(store: Store) -> Findings:
    draws = partitions_of(store, DATA, RULES, CLASSES, SIZE)
    complete = len(draws)
    if complete < 2:
        return {"notes": ["Fewer than two draws are finished."]}
    table = np.array([[_measures(draw, rule) for rule in RULES] for draw in draws])
    like = np.flatnonzero([_as_described(draw) for draw in draws])
    shown = int(like[0]) if len(like) else 0
    headers = ("rule", "draws", *MEASURED, *(f"s.d. {name}" for name in ("CR", "Ac", "AS")))
    bound = np.array([separability(draw[TRUE].memberships) for draw in draws])
    return {
        "tables": [
            StudyTable(
                f"The draw of the figures (draw {shown + 1})",
                ("rule", *MEASURED),
                [(rule, *table[shown, i].tolist()) for i, rule in enumerate(RULES)],
                digits=3,
            ),
            membership_table({(DATA, rule): draws[shown][rule] for rule in RULES}),
            StudyTable(
                "Means over the draws",
                headers,
                [
                    (rule, complete, *np.nanmean(table[:, i], axis=0).tolist(),
                     *table[:, i, :3].std(axis=0, ddof=1).tolist())
                    for i, rule in enumerate(RULES)
                ],
                digits=3,
            ),
        ],
        "claims": open_until_done(store, _claims(draws, table)),
        "figures": figures_of(draws[shown]),
        "notes": [
            f"The paper's draw is not known: it prints no numbers, and they cannot be read from "
            f"its figures. {len(like)} of {complete} draws have all the features that it "
            f"describes; the figures show the first of these, draw {shown + 1}. CR: correctness "
            "rate, CR1 to CR3: the same for the objects assigned to a class, Ac: accuracy, AS: "
            "ability to separate, CF: mean scaled membership in the assigned class, precision: "
            "closeness of the unscaled memberships to the true probabilities. Ac and AS include "
            "the square root that is missing in print. The network has four hidden units and "
            "real-valued outputs, turned into memberships by a softmax; the paper does not "
            "describe its network.",
            f"Hand's (1997) separability, which no rule can exceed in the long run, is "
            f"{bound.mean():.3f} on average. On 27 objects scaling learns three frequencies and "
            "some spread from the same objects that are then measured, so AS and Ac vary strongly "
            "between draws.",
        ],
    }  # fmt: skip


MEASURED = ("CR", "Ac", "AS", "CF", "CR1", "CR2", "CR3", "precision")


def _measures(draw: Mapping[str, StandardizedPartition], rule: str) -> list[float]:
    found = draw[rule]
    return [
        found.correctness,
        found.accuracy,
        found.separation,
        found.confidence,
        *_correctness_by_class(found),
        precision(draw[TRUE].memberships, found.memberships),
    ]


def _correctness_by_class(found: StandardizedPartition) -> list[float]:
    """CR1, CR2, ...: for the objects assigned to a class; NaN where there are none."""
    by_class = {region.assigned[0]: region.correctness for region in found.regions if region.n}
    return [by_class.get(name, float("nan")) for name in found.classes.tolist()]


def _as_described(draw: Draw) -> bool:
    """Whether a draw has all the features that the paper describes."""
    true, qda = (np.array(_correctness_by_class(draw[rule])) for rule in (TRUE, QDA))
    return bool(
        (qda < true).all()
        and draw[NN].accuracy > draw[QDA].accuracy
        and draw[NN].separation > draw[QDA].separation
    )


def _claims(draws: list[Draw], table: Floats) -> list[Claim]:
    index = {name: j for j, name in enumerate(MEASURED)}
    by_class = table[:, :, [index["CR1"], index["CR2"], index["CR3"]]]
    true, qda = by_class[:, 0], by_class[:, 1]
    worse = (qda < true).all(axis=1)
    shift = {rule: _nearer(draws, rule) for rule in (TRUE, QDA)}
    centre = np.full((3, 3), 1 / 3)
    at_centre = [measure([0, 1, 2], centre) for measure in (partition_accuracy, separation)]
    moved = np.array([(d[NN].scaled.argmax(axis=1) != d[NN].assigned).mean() for d in draws])
    off = np.concatenate([_off_frequency(p) for draw in draws for p in draw.values()])
    return [
        Claim(
            "Fig. 1",
            "quadratic discrimination is less often right in each of its regions than the true "
            "rule",
            bool((np.nanmean(qda, axis=0) < np.nanmean(true, axis=0)).all()),
            f"mean CR1 to CR3 {_list(np.nanmean(qda, axis=0))} against "
            f"{_list(np.nanmean(true, axis=0))}; in all three at once in "
            f"{100 * worse.mean():.0f}% of the draws",
        ),
        Claim(
            "Fig. 1",
            "it places G2 closer to G1 than to G3, unlike the true rule",
            bool(shift[QDA][0] > 2 * shift[QDA][1] and shift[TRUE][0] <= 2 * shift[TRUE][1]),
            "mean membership of G2's objects in G1 minus that in G3: "
            + ", ".join(f"{rule} {m:+.3f} (s.e. {e:.3f})" for rule, (m, e) in shift.items()),
        ),
        _better("Fig. 2", "the network is slightly more accurate (Ac)", table[..., index["Ac"]]),
        _better("Fig. 3", "the network separates better (AS)", table[..., index["AS"]]),
        Claim(
            "5",
            "Ac and AS are 0 where all memberships lie in the centroid",
            bool(np.abs(at_centre).max() < 1e-12),
            f"at most {np.abs(at_centre).max():.3f} from it with the square root, "
            f"{1 - np.sqrt(1.5):.3f} as printed",
        ),
        Claim(
            "4",
            "scaled memberships average to about the frequency of the class in its region",
            bool(np.mean(off) < 0.05),
            f"they differ by {np.mean(off):.3f} on average, by {off.max():.3f} at most",
        ),
        Claim(
            "5",
            "for a poor rule, the scaled memberships may assign an object to another class",
            bool(moved.max() > 0),
            f"true for {100 * moved.mean():.1f}% of the objects under the network, in "
            f"{100 * (moved > 0).mean():.0f}% of the draws",
        ),
    ]


def _better(where: str, says: str, measure: Floats) -> Claim:
    gaps = measure[:, 2] - measure[:, 1]
    mean, error = gaps.mean(), gaps.std(ddof=1) / np.sqrt(len(gaps))
    return Claim(
        where,
        says,
        None if abs(mean) <= 2 * error else bool(mean > 0),
        f"network minus quadratic discrimination {mean:+.3f} (s.e. {error:.3f}) over "
        f"{len(gaps)} draws, ahead in {100 * (gaps > 0).mean():.0f}% of them",
    )


def _nearer(draws: list[Draw], rule: str) -> tuple[float, float]:
    """Membership of G2's objects in G1 minus that in G3: mean and standard error."""
    gaps = np.array([
        np.subtract(*draw[rule].memberships[draw[rule].truth == 1][:, [0, 2]].mean(axis=0))
        for draw in draws
    ])  # fmt: skip
    return float(gaps.mean()), float(gaps.std(ddof=1) / np.sqrt(len(gaps)))


def _off_frequency(found: StandardizedPartition) -> Floats:
    """Mean scaled membership in the assigned class minus its frequency, by region."""
    kept = found.scaled[np.arange(len(found.scaled)), found.assigned]
    hit = found.assigned == found.truth
    regions = [found.assigned == c for c in np.unique(found.assigned)]
    return np.array([abs(kept[r].mean() - hit[r].mean()) for r in regions])


def _list(values: Floats) -> str:
    return ", ".join(f"{value:.2f}" for value in values)


STUDY = Study(
    "sondhauss-weihs-2001",
    "Sondhauss & Weihs (2001)",
    "Accuracy and ability to separate of quadratic discrimination and a neural network on three "
    "chi-square classes, and of the rule with the true probabilities; Figures 1 to 3.",
    _analyse,
    _plan,
    title="Standardized partitions of three chi-square classes",
    minutes=0.4,
)
