"""Every sentence of a comparison is supported by the numbers of the same comparison."""

from dataclasses import dataclass

import numpy as np
import pytest

from tests.compare import claims
from wager.compare import (
    Monitor,
    compare_probabilities,
    compare_selective,
    corrected_t,
    five_by_two_cv,
    head_to_head,
    indeterminate_gain,
    least_variance_winner,
    mcnemar,
    objective_winner,
    over_datasets,
    paired_t,
    sequential,
    sequential_differences,
    sign_test,
    wilcoxon,
)
from wager.compare._cost_comparison import COST
from wager.costs import CostMatrix
from wager.rewards import Tabulated, Tally, coverage_report, evaluate_selective, evaluate_sets

UTILITIES = ["u50", "u65", "u80", 0.55, 0.95, "log", "f1", "exp-norm:2", "linear"]


@dataclass(frozen=True)
class Elicited(Tabulated):
    """A utility that knows between which values of u(0.5) its user is."""

    half_interval: tuple[float, float] = (0.5, 1.0)
    name: str = "mine"


def kinds(rng, n, k, y):
    """Predictions of one classifier: sharp, cautious, rejecting, or random sets."""
    right = rng.random(n) < rng.uniform(0.3, 1)
    single = np.where(right, y, (y + rng.integers(1, k, n)) % k)
    matrix = np.eye(k, dtype=bool)[single]
    kind = rng.integers(5)
    if kind == 1:  # keeps a second class where it is often wrong
        unsure = ~right & (rng.random(n) < rng.uniform(0.3, 1)) | (rng.random(n) < 0.1)
        matrix[unsure, y[unsure]] = True
    elif kind == 2:  # keeps another class in some rows
        more = rng.random(n) < rng.uniform(0, 0.8)
        matrix[more, rng.integers(0, k, int(more.sum()))] = True
    elif kind == 3:  # rejects: all classes
        matrix[rng.random(n) < rng.uniform(0, 0.7)] = True
    elif kind == 4:
        matrix |= rng.random((n, k)) < rng.uniform(0, 0.6)
    return matrix


def comparison(rng, most=3000):
    """Two to five classifiers on the same rows, with twins, near twins, weights and costs."""
    k, m = int(rng.integers(2, 5)), int(rng.integers(2, 6))
    sizes = [1, 2, 5, 20, 60, 200, 600, 3000]
    n = min(int(rng.choice(sizes, p=[0.02, 0.03, 0.05, 0.15, 0.2, 0.25, 0.2, 0.1])), most)
    y = rng.integers(0, k, n)
    y[: min(k, n)] = np.arange(k)[: min(k, n)]
    said = {}
    for name in "ABCDE"[:m]:
        origin = rng.integers(8)
        if said and origin < 2:
            matrix = list(said.values())[-1].copy()
            if origin:  # all but a few rows
                changed = rng.random(n) < rng.choice([1 / n, 0.02, 0.05])
                matrix[changed] = np.eye(k, dtype=bool)[rng.integers(0, k, int(changed.sum()))]
        else:
            matrix = kinds(rng, n, k, y)
        said[name] = matrix
    options = {"classes": list(range(k)), "confidence": float(rng.choice([0.95, 0.95, 0.8, 0.999]))}
    unit = float(rng.choice([1, 1, 1e-3, 1e-12, 1e6, 1e9]))
    units = rng.integers(6)
    if units == 1:
        options["sample_weight"] = rng.random(n) * unit
    elif units == 2:
        options["counts"] = rng.integers(1, 5, n)
    elif units == 3:
        options["groups"] = rng.integers(0, max(2, n // 4), n)
    elif units == 4:
        options["groups"] = rng.integers(0, max(2, n // 4), n)
        options["sample_weight"] = rng.random(n)
    utilities = [UTILITIES[i] for i in rng.permutation(len(UTILITIES))[: rng.integers(1, 4)]]
    if rng.random() < 0.2:
        low, high = np.sort(rng.uniform(0.5, 1, 2)).round(3)
        worth = [1.0, float((low + high) / 2), *np.sort(rng.uniform(0, 0.5, 2))[::-1].tolist()]
        utilities.append(Elicited(worth[: max(k, 2)], half_interval=(float(low), float(high))))
    if rng.random() < 0.4:
        price = np.where(np.eye(k, dtype=bool), 0, rng.choice([1, 2, 5, 10], (k, k)))
        scale = float(rng.choice([1, 1, 1e-4, 1e-9, 1e7]))
        matrix = CostMatrix(price * scale, list(range(k)), unit=rng.choice([None, "EUR"]))
        options["costs"] = [
            matrix,
            matrix.extend("p-discounted", r=0.8),
            matrix.extend("discounted"),
        ][rng.integers(3)]
        options["empty_cost"] = float(price.max() * scale)
        if rng.random() < 0.4:
            utilities = []
    return y, said, utilities, options


def check_advice(rng):
    y, said, utilities, options = comparison(rng, most=200)
    found = head_to_head(y, said, utilities, **options)
    claims.check_recommendation(found)
    for criterion in found.criteria.values():
        claims.check_criterion(found, criterion)


def check_comparisons(rng):
    y, said, utilities, options = comparison(rng)
    found = head_to_head(y, said, utilities, **options)
    claims.check_recommendation(found)
    for criterion in found.criteria.values():
        claims.check_criterion(found, criterion)
    for i, (a, b) in enumerate(found.shown_pairs):
        claims.check_pair(found, a, b, claims.FAMILIES if i == 0 else ("quadratic",))
    claims.check_table(found)


def probabilities(rng):
    """Two to four classifiers that state probabilities, with twins and infinite losses."""
    k, m = int(rng.integers(2, 5)), int(rng.integers(2, 5))
    n = int(rng.choice([1, 2, 6, 30, 100, 400, 2000]))
    y = rng.integers(0, k, n)
    said = {}
    for name in "ABCD"[:m]:
        noise = rng.exponential(1, (n, k)) ** rng.uniform(0.3, 2)
        noise[np.arange(n), y] *= rng.uniform(0.5, 8)
        proba = noise / noise.sum(axis=1, keepdims=True)
        kind = rng.integers(7)
        if said and kind < 2:
            proba = list(said.values())[-1].copy()
            if kind == 1:
                rows = rng.random(n) < 0.05
                proba[rows] = 1 / k
            elif (
                n > 1 and rng.random() < 0.5
            ):  # the same in another order, where the class is equal
                proba = proba[:, ::-1].copy()
        elif kind == 2:
            proba = np.full((n, k), 1 / k)
        elif kind == 3:
            proba = np.eye(k)[np.where(rng.random(n) < 0.9, y, rng.integers(0, k, n))]
        said[name] = proba
    options = {"classes": list(range(k)), "confidence": float(rng.choice([0.95, 0.8, 0.999]))}
    units = rng.integers(5)
    if units == 1:
        options["sample_weight"] = rng.random(n) * float(rng.choice([1, 1e-9, 1e6]))
    elif units == 2:
        options["counts"] = rng.integers(1, 5, n)
    elif units == 3:
        options["groups"] = rng.integers(0, max(2, n // 4), n)
    if rng.random() < 0.5:
        options["clip"] = float(rng.choice([1e-6, 1e-2]))
    return y, said, options


def check_probabilities(rng):
    y, said, options = probabilities(rng)
    found = compare_probabilities(y, said, **options)
    weight = np.asarray(options.get("sample_weight", np.ones(len(y)))) > 0

    def draws(a, b):
        return np.allclose(said[a][weight], said[b][weight], rtol=0, atol=1e-9)

    claims.check_probabilities(found, draws)


def scores(rng, m):
    """Scores over data sets, with ties, twins, differences of rounding, and other units."""
    n = int(rng.choice([2, 3, 5, 8, 15, 30, 60]))
    base = rng.random((n, 1)) + rng.normal(0, rng.choice([0.01, 0.1, 1]), (n, m))
    base += rng.choice([0, 0.02, 0.2]) * rng.random(m)
    if rng.random() < 0.4:
        base = base.round(int(rng.integers(0, 3)))
    if rng.random() < 0.3:
        base[:, -1] = base[:, 0] + rng.choice([0, 1e-17, 1e-16])
    return base * float(rng.choice([1, 1, 1e-14, 1e9, 1e-3]))


def check_ranks(rng):
    m = int(rng.integers(2, 6))
    alpha = float(rng.choice([0.05, 0.05, 0.3, 0.001]))
    tables = {u: scores(rng, m) for u in ("u50", "u65")}
    n = min(map(len, tables.values()))
    found = over_datasets({u: t[:n] for u, t in tables.items()}, names="ABCDE"[:m], alpha=alpha)
    claims.check_over_datasets(found)


def check_two_lists(rng):
    table, alpha = scores(rng, 2), float(rng.choice([0.05, 0.05, 0.3, 0.001]))
    a, b = table.T
    names, n = ("A", "B"), len(a)
    for found in (
        paired_t(a, b, alpha=alpha, names=names),
        corrected_t(a, b, n_train=90, n_test=10, alpha=alpha, names=names),
        wilcoxon(a, b, alpha=alpha, names=names),
        wilcoxon(a, b, zeros="split", alpha=alpha, names=names),
    ):
        claims.check_test(found, names, alpha)
    signs = sign_test(a, b, alpha=alpha, names=names)
    claims.check_test(signs, names, alpha, "wins more often, and so scores")
    right = rng.random((2, n)) < rng.random((2, 1))
    found = mcnemar(*right, alpha=alpha, names=names)
    claims.check_test(found, names, alpha, "is right more often, and so scores")
    if n >= 5:
        for statistic in "tF":
            d = (np.resize(a, (5, 2)), np.resize(b, (5, 2)))
            found = five_by_two_cv(*d, statistic=statistic, alpha=alpha, names=names)
            claims.check_test(found, names, alpha)


def check_sequences(rng):
    n = int(rng.choice([1, 3, 20, 200, 1000]))
    method = str(rng.choice(["betting", "mixture"]))
    alpha, scale = float(rng.choice([0.05, 0.3])), float(rng.choice([1, 1e-9, 1e6]))
    lead = rng.choice([0, 0.02, -0.1, 0.4])
    d = np.clip(rng.choice([-1, -0.35, 0, 0, 0, 0.35, 1], n) * rng.random() + lead, -1, 1)
    if rng.random() < 0.3:
        d[n // 2 :] *= -1
    if rng.random() < 0.1:
        d[:] = rng.choice([0, 1])
    found = sequential_differences(
        d * scale, (-scale, scale), alpha, method=method, names=("A", "B")
    )
    claims.check_sequence(found)
    y, said, _, options = comparison(rng)
    if options.get("costs") is None:
        return
    given = {key: options[key] for key in ("costs", "empty_cost", "classes")}
    race = sequential(y, said["A"], said["B"], method=method, names=("A", "B"), **given)
    claims.check_sequence(race, "costs")


def check_plans(rng):
    y, said, utilities, options = comparison(rng)
    found = head_to_head(y, said, utilities, **options)
    a, b = found.shown_pairs[0]
    for name, criterion in found.criteria.items():
        test = found.cost_difference(a, b) if name == COST else found.difference(a, b, criterion)
        claims.check_plan(
            found.plan(a, b, criterion, float(rng.choice([0.5, 0.8, 0.95]))), a, b, found.n
        )
        margin = float(rng.choice([0.3, 1.5, 5.0])) * max(np.abs(test.interval).max() / 3, 1e-12)
        alpha = found.alpha
        if alpha < 0.5:
            claims.check_equivalence(
                found.equivalence(a, b, criterion, margin), margin, alpha, a, b
            )


def check_single(rng):
    y, said, _, options = comparison(rng)
    given = {k: v for k, v in options.items() if k not in ("confidence",)}
    for matrix in said.values():
        claims.check_summary(evaluate_sets(y, matrix, **given))
    units = {k: v for k, v in given.items() if k not in ("costs", "empty_cost")}
    by = rng.integers(0, 4, len(y))
    alpha = float(rng.choice([0.0 + 1e-3, 0.1, 0.5]))
    claims.check_coverage(coverage_report(y, said["A"], by, alpha=alpha, **units))
    tolerance = float(rng.choice([0, 0.01, 0.2]))
    tallies = {name: Tally.of(y, matrix, **units) for name, matrix in said.items()}
    claims.check_least_variance(least_variance_winner(tallies, tolerance), tolerance)
    precise = np.eye(said["B"].shape[1], dtype=bool)[said["B"].argmax(axis=1)]
    utility = str(rng.choice(["u50", "u65", "u80"]))
    gain = indeterminate_gain(y, said["A"], precise, utility, names=("A", "B"), **units)
    claims.check_gain(gain, "A", "B")
    winner = objective_winner(tallies["A"], tallies["B"])
    means = np.array(
        [
            [t.expected_utility(u) for u in (0.5, 0.7, 1.0, "log", "exp-norm:3")]
            for t in (tallies["A"], tallies["B"])
        ]
    )
    lead = means[0] - means[1]
    assert {
        "a": (lead > -1e-9).all(),
        "b": (lead < 1e-9).all(),
        "equal": np.abs(lead).max() < 1e-9,
        "none": True,
    }[winner]
    monitor = Monitor.start(
        coverage=float(rng.uniform(0.2, 0.99)),
        mean_utility=0.6,
        side=str(rng.choice(["drop", "both"])),
    )
    claims.check_alerts(monitor.update(y, said["A"], given["classes"]))


def check_selectives(rng):
    n = int(rng.choice([3, 10, 60, 400]))
    y = rng.integers(0, 2, n)
    said = np.where(rng.random(n) < rng.uniform(0.3, 1), y, 1 - y)
    scores = [(y == said) * rng.choice([0, 0.3, 1]) + rng.random(n) for _ in range(2)]
    if rng.random() < 0.3:
        scores = [s.round(1) for s in scores]
    if rng.random() < 0.2:
        scores[1] = 7 * scores[0]
    units = {}
    if rng.random() < 0.3:
        units["sample_weight"] = rng.random(n)
    elif rng.random() < 0.4:
        units["groups"] = rng.integers(0, max(2, n // 3), n)
    both = [evaluate_selective(y, said, s, **units) for s in scores]
    found = compare_selective(*both, names=("A", "B"))
    for measure in found.differences:
        claims.check_selective(found, measure, float(rng.choice([0.05, 0.4])))


CHECKS = {
    check_advice: 25,
    check_comparisons: 8,
    check_probabilities: 40,
    check_ranks: 40,
    check_two_lists: 60,
    check_sequences: 40,
    check_plans: 20,
    check_single: 12,
    check_selectives: 150,
}


def named(check):
    return check.__name__.removeprefix("check_")


@pytest.mark.parametrize("check", CHECKS, ids=named)
def test_sentences_claim_what_the_numbers_support(check):
    for seed in range(CHECKS[check]):
        check(np.random.default_rng(seed))


@pytest.mark.long
@pytest.mark.parametrize("check", CHECKS, ids=named)
def test_sentences_of_many_results_claim_what_the_numbers_support(check):
    for seed in range(10_000, 10_000 + 20 * CHECKS[check]):
        check(np.random.default_rng(seed))
