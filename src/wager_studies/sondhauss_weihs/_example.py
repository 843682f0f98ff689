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
from wager.compare import holm_adjust
from wager.experiments import Plan
from wager.experiments.generators import random_chi_square
from wager.experiments.study import (
    Claim,
    Findings,
    Study,
    StudyTable,
    Verdict,
    open_until_done,
)
from wager.partitions import (
    StandardizedPartition,
    partition_accuracy,
    precision,
    separability,
    separation,
    standardize,
    to_memberships,
)
from wager_studies.sondhauss_weihs._partitions import membership_table, partitions_of, simplexes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wager.experiments import Store

DATA, SIZE, DRAWS = "chi-square", 27, 200
CLASSES = ("G1", "G2", "G3")
HOME = "wager_studies.sondhauss_weihs._rules"
TRUE, QDA, NN = "True-Bayes", "Bayes-QDA", "NN"
RULES: dict[str, dict[str, Any]] = {
    TRUE: {"learner": f"{HOME}.TrueBayes"},
    QDA: {"learner": "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis"},
    NN: {"learner": f"{HOME}.RealNetwork"},
}
LEARNT = (QDA, NN)
LEVEL = 0.05
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
            "repeats": 10 if quick else DRAWS,
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
    done = complete == DRAWS
    claims = [
        *_claims_on_draws(draws, table, done),
        _claim_on_bound(table, bound, done),
        *_claims_on_scaling(draws),
    ]
    return {
        "figures": figures_of(draws[shown]),
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
        "claims": open_until_done(store, [*_claims_on_definitions(), *claims]),
        "notes": [
            f"The paper shows one draw of 27 training and 27 test objects. It prints no numbers, "
            f"and they cannot be read from its figures; so its remarks on this draw cannot be "
            f"checked, and are not counted as reproduced or not. We say instead whether they hold "
            f"on average over {complete} draws, and how often they hold in a single one. "
            f"{len(like)} of {complete} draws have all the features that the paper describes; "
            f"Figures 1 to 3 show the first of these, draw {shown + 1}, and therefore illustrate "
            "the remarks and are no evidence for them.",
            "CR: correctness rate, CR1 to CR3: the same for the objects assigned to a class, Ac: "
            "accuracy, AS: ability to separate, CF: mean scaled membership in the assigned class, "
            "precision: closeness of the unscaled memberships to the true probabilities. Ac and AS "
            "include the square root that is missing in print. The network in the figures has four "
            "hidden units, weight decay 0.1 and real-valued outputs, turned into memberships by a "
            "softmax of five times the outputs; the paper does not describe its network. The "
            "remarks on Figures 2 and 3 are in the study sondhauss-weihs-networks, with "
            "many networks.",
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


def _claims_on_definitions() -> list[Claim]:
    """Places where a formula of the paper is at odds with its text."""
    centre = np.full((3, 3), 1 / 3)
    at_centre = [measure([0, 1, 2], centre) for measure in (partition_accuracy, separation)]
    ranks = to_memberships([[2.0, -1.0, 0.5]], kind="rank")[0]
    moments = 0.4 * 0.6 / 0.04  # of Beta(2, 3): mean 0.4, variance 0.04
    return [
        Claim(
            "2001, 5",
            "Ac and AS are 0 where all memberships lie in the centroid",
            Verdict.CONTRADICTION,
            f"the text wants zero there; the formulas below it divide by (G - 1)/G and give "
            f"{1 - np.sqrt(1.5):.3f} for three classes, since the distance to a corner is the "
            f"square root of (G - 1)/G. With the square root the measures are at most "
            f"{np.abs(at_centre).max():.3f} from zero; it is used everywhere here",
            "and zero if they all lie in the centroid of the simplex",
            "the square root",
        ),
        Claim(
            "2001, 4",
            "the parameters of the Beta distributions come from the method of moments",
            Verdict.CONTRADICTION,
            "the text names the method of moments; the formula for alpha + beta below it lacks a "
            f"-1. For mean 0.4 and variance 0.04, those of Beta(2, 3), it gives {moments:g} "
            "instead of 5. The -1 is used here, as in the authors' later program (klaR)",
            "using the method of moments",
            "with the -1",
        ),
        Claim(
            "2001, 2",
            "ranks divided by the number of classes are memberships",
            Verdict.CONTRADICTION,
            "Section 2 has memberships in a space whose vectors add up to one; at its end ranks "
            "are divided by G, so they add up to (G + 1)/2, 2 for three classes. Divided by "
            f"G(G + 1)/2 they are {_list(ranks)} and add up to {ranks.sum():g}",
            "divided by the number of classes",
            "divided by G(G + 1)/2",
        ),
    ]


def _claims_on_draws(draws: list[Draw], table: Floats, done: bool) -> list[Claim]:
    """Remarks on Figure 1, a single draw, checked on average."""
    by_class = table[:, :, [MEASURED.index(name) for name in ("CR1", "CR2", "CR3")]]
    gaps = by_class[:, 1] - by_class[:, 0]
    worse = (gaps < 0).all(axis=1)
    ends = [_interval(gap) for gap in gaps.T]
    nearer = {rule: _nearer(draws, rule) for rule in (TRUE, QDA)}
    shift = _interval(nearer[QDA] - nearer[TRUE])
    side = {rule: _interval(values) for rule, values in nearer.items()}
    unknown = f"the paper's draw is not published; over {len(draws)} draws, on average: "
    shown = "; ".join(f"{rule} {_shown(ends)}" for rule, ends in side.items())
    verdict = Verdict.UNCHECKABLE if done else None
    return [
        Claim(
            "2001, 2, Figure 1",
            "quadratic discrimination is less often right in each of its regions than the true "
            "rule",
            verdict,
            f"{unknown}CR1 to CR3 of quadratic discrimination minus those of the true rule: "
            + ", ".join(_shown(each) for each in ends)
            + f"; lower in all three at once in {worse.mean():.0%} of the draws",
            "performs worse in the assignment to any class",
        ),
        Claim(
            "2001, 2, Figure 1",
            "the memberships of quadratic discrimination are shifted towards G1",
            verdict,
            f"{unknown}membership of G2's objects in G1 minus that in G3, quadratic discrimination "
            f"minus true rule: {_shown(shift)}; positive in "
            f"{(nearer[QDA] > nearer[TRUE]).mean():.0%} of the draws",
            "appear to be shifted to the right",
        ),
        Claim(
            "2001, 2, Figure 1",
            "quadratic discrimination places G2 closer to G1 than to G3, the true rule does not",
            verdict,
            f"{unknown}membership of G2's objects in G1 minus that in G3: {shown}; positive in "
            f"{(nearer[QDA] > 0).mean():.0%} of the draws for quadratic discrimination",
            "closer in probability to",
        ),
    ]


def _claims_on_scaling(draws: list[Draw]) -> list[Claim]:
    """What the paper says about scaled memberships."""
    off = np.concatenate([_off_frequency(p) for draw in draws for p in draw.values()])
    moved = {
        rule: np.array([(d[rule].scaled.argmax(axis=1) != d[rule].assigned).mean() for d in draws])
        for rule in RULES
    }
    spreads = {n: _spread_with(n) for n in (27, 1000, 100_000)}
    return [
        Claim.checked(
            "2001, 4",
            "scaled memberships average to about the frequency of the class in its region",
            bool(np.mean(off) < 0.05),
            f"{len(off):,} regions: they differ by {np.mean(off):.4f} on average (s.e. "
            f"{off.std(ddof=1) / np.sqrt(len(off)):.4f}), by {off.max():.3f} at most",
            "their mean is approximately equal to the estimated conditional class probabilities",
            "about means within 0.05 on average, a limit of ours",
        ),
        Claim.checked(
            "2001, 4",
            "with the number of objects as the certainty, all scaled values approach one number",
            spreads[27] > 10 * spreads[100_000] and spreads[100_000] < 0.01,
            "standard deviation of scaled values with mean 0.7 if the certainty is the number of "
            "objects: " + ", ".join(f"{value:.4f} ({n:,})" for n, value in spreads.items()),
            "all scaled assignment values of objects in that region approach p",
        ),
        Claim.checked(
            "2001, 5",
            "the scaled memberships may assign an object to another class",
            any((values > 0).any() for values in moved.values()),
            "; ".join(
                f"{rule}: {_shown(_interval(values), per_cent=True)} of the objects, in "
                f"{(values > 0).mean():.0%} of the draws"
                for rule, values in moved.items()
            )
            + "; quadratic discrimination minus the true rule: "
            + _shown(_interval(moved[QDA] - moved[TRUE]), per_cent=True),
            "might be different from the assignment based on the original membership values",
        ),
    ]


def _claim_on_bound(table: Floats, bound: Floats, done: bool) -> Claim:
    """Whether the learnt rules separate more than the true probabilities do.

    The bound is what the true rule attains in the long run, so that rule is shown and not tested.
    """
    parts = MEASURED.index("AS")
    over = {rule: table[:, i, parts] - bound for i, rule in enumerate(RULES)}
    above = holm_adjust([_p_above_zero(over[rule]) for rule in LEARNT])
    large = random_chi_square()
    X, codes = large.sample(20_000, np.random.default_rng(0))
    proba = large.class_probabilities(X)
    return Claim.checked(
        "2001, 3",
        "separability bounds the ability to separate of every rule",
        bool((above >= LEVEL).all()) if done else None,
        "AS minus separability: "
        + "; ".join(
            f"{rule} {_shown(_interval(values))}, positive in {_share_above(values)} of the draws"
            for rule, values in over.items()
        )
        + "; p for a positive mean, after Holm: "
        + ", ".join(f"{rule} {p:.2g}" for rule, p in zip(LEARNT, above, strict=True))
        + f". With 20,000 objects the true rule has AS {standardize(codes, proba).separation:.3f} "
        f"and the separability is {separability(proba):.3f}. On 27 objects scaling learns three "
        "frequencies and some spread from the objects that are then measured, so that the true "
        "rule itself can exceed the bound a little",
        "Separability determines an upper bound for any rule's ability to separate",
        "on average, for the two learnt rules: separability is measured as AS of the true "
        "probabilities, since the paper has no formula, so the true rule attains it by definition",
    )


def _share_above(values: Floats) -> str:
    return f"{(values > 0).mean():.0%}"


def _p_above_zero(values: Floats) -> float:
    """The p-value of Student's t test that the mean over the draws is at most zero."""
    from scipy.stats import ttest_1samp

    return float(ttest_1samp(values[np.isfinite(values)], 0.0, alternative="greater").pvalue)


def _spread_with(certainty: int) -> float:
    """The standard deviation of Beta values with mean 0.7 and a given sum of the parameters."""
    return float(np.sqrt(0.7 * 0.3 / (certainty + 1)))


Ends = tuple[float, float, float]  # a mean, and the ends of its interval


def _interval(values: Floats) -> Ends:
    """The mean over the draws with Student's 95% interval; draws without a value are left out."""
    from scipy.stats import t

    known = values[np.isfinite(values)]
    reach = t.ppf(0.975, len(known) - 1) * known.std(ddof=1) / np.sqrt(len(known))
    return float(known.mean()), float(known.mean() - reach), float(known.mean() + reach)


def _shown(ends: Ends, per_cent: bool = False) -> str:
    if per_cent:
        return "{:.1f}% ({:.1f} to {:.1f})".format(*(100 * end for end in ends))
    return "{:+.3f} ({:+.3f} to {:+.3f})".format(*ends)


def _nearer(draws: list[Draw], rule: str) -> Floats:
    """Membership of G2's objects in G1 minus that in G3, by draw."""
    return np.array([
        np.subtract(*draw[rule].memberships[draw[rule].truth == 1][:, [0, 2]].mean(axis=0))
        for draw in draws
    ])  # fmt: skip


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
    page="sondhauss-weihs-2001",
)
