"""The cost tables and examples of Yang, Destercke & Masson (2017), recomputed.

An obstacle is a human (h), a bicycle (b) or nothing (n).  Table I has the costs of predicting one
of them when another is true; the other tables extend the costs to sets, each by another rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from wager._typing import Floats, Ints
from wager.costs import (
    CostMatrix,
    CostRatio,
    ExpectedCost,
    ExtendedCosts,
    complete,
    decision_intervals,
    generalized_mean,
)
from wager.credal import decide
from wager.experiments.study import Claim, Comparison, Findings, Study, StudyTable, Verdict
from wager.learners import NaiveCredal
from wager.predictions import ProbabilityIntervals
from wager.rewards import get_utility
from wager_studies._draws import draws
from wager_studies._published import printed
from wager_studies.yang._properties import Search, draw_properties, property_tables, searches
from wager_studies.yang._property_claims import property_claims, property_findings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

H, B, N = "h", "b", "n"
OBSTACLES = CostMatrix([[0, 1, 2], [1, 0, 2], [4, 4, 0]], [H, B, N])
TWO = CostMatrix([[0, 2], [4, 0]], [H, N])
INTERVALS = ProbabilityIntervals([[0, 0.3, 0.4]], [[0.2, 0.4, 0.6]], [H, B, N])  # Example 3
VERTICES = [[0, 0.4, 0.6], [0.1, 0.3, 0.6], [0.2, 0.3, 0.5], [0.2, 0.4, 0.4]]
EVEN = {H: 0.5, N: 0.5}
SECTIONS = ("II", "III", "IV", "V", "VI", "VII")
UNIT = 0.01  # of the last printed digit

TABLES = (
    "Every cost table and example of the paper was recomputed. Printed fractions count as exact, "
    "decimals as rounded to the second digit. Table II is to be filled in, Table VIII is an "
    "opinion, Table IX has letters: they have no numbers to compare."
)
SEARCH = (
    "The paper states properties of each way to extend costs to sets, without proofs. Each "
    "statement was checked on matrices of two to five classes: the kinds that the paper names "
    "(0/1, ordinal, costs by true class, Table I), all matrices of two classes with costs 1 to 4, "
    "all of three classes with costs 1 and 2, and random ones; every set of every matrix. "
    "p-discounted costs take r = 0.1, 0.5 and 0.9 in turn. A statement that a property holds is "
    "reproduced if every matrix has it: a search can refute such a statement but not prove it. "
    "The simplest matrix without a property is kept. Three definitions are read as their use "
    "demands (Properties 2, 3 and 9, see the first claims about properties)."
)


def _tables() -> dict[str, ExtendedCosts]:
    """The costs of each table, by the number of the table."""
    zero_one = CostMatrix.zero_one([H, B, N])
    both = (H, N)
    even = ExpectedCost(both, EVEN, 0.5)
    return {
        "I": OBSTACLES.extend("discounted"),
        "III": zero_one.extend("utility", utility="u65"),
        "IV": zero_one.extend("utility", utility="f1"),
        "V": OBSTACLES.extend("discounted"),
        "VI": complete(TWO, [even], properties=(2, 3, 8)),
        "VII": complete(TWO, [even, CostRatio(both, N, H, 3)], properties=(2, 3)),
        "X": OBSTACLES.extend("p-discounted", r=0.5, mode="cautious"),
    }


def _analyse(seed: int | None) -> Findings:
    tables = _tables()
    rows, comparisons = [], []
    for number, costs in tables.items():
        paper = printed("yang2017_tables", number, "prediction", "truth")
        ours = {cell: round(costs.cost(cell[0].split(","), cell[1]), 9) for cell in paper}
        rows += [
            (number, "{" + ", ".join(labels.split(",")) + "}", truth, value, ours[labels, truth])
            for (labels, truth), value in paper.items()
        ]
        values = list(paper.values()), list(ours.values())
        comparisons.append(Comparison(f"Table {number}", *values, unit=UNIT))
    examples = list(_examples())
    comparisons.append(
        Comparison(
            "Examples 4 to 6", [e.paper for e in examples], [e.ours for e in examples], unit=1e-6
        )
    )
    found = searches(OBSTACLES, seed)
    headers = ("table", "prediction", "truth", "printed", "ours")
    counts, by_kind, counterexamples = property_tables(found)
    return {
        "tables": [
            counts,
            by_kind,
            counterexamples,
            _possible_sets(),
            StudyTable("Examples", ("example", "quantity", "printed", "ours"), examples, digits=4),
            _thresholds(tables),
            StudyTable("All cells", headers, rows, shown=False),
        ],
        "comparisons": comparisons,
        "claims": sorted([
            *_table_claims(rows),
            *_example_claims(tables),
            *_possibility_claims(found["discounted"]),
            *property_claims(found, tables, OBSTACLES),
            *_mean_claims(seed),
            _interval_claim(seed),
        ], key=_section),
        "findings": list(property_findings(found, OBSTACLES)),
        "figures": {
            "Properties found and claimed": partial(draw_properties, found),
            "Figure 1": _draw_utility,
            "Figure 2": partial(_draw_decisions, tables["VI"], tables["VII"]),
            "Table X": partial(_draw_costs, tables["X"]),
        },
        "notes": [TABLES, SEARCH],
    }  # fmt: skip


def _section(claim: Claim) -> int:
    """The number of the section, for claims in the order of the paper."""
    place = claim.where.removeprefix("2017, ")
    return SECTIONS.index(place.replace("-", " ").replace(",", " ").split()[0])


class Example(NamedTuple):
    """A number in an example of the paper."""

    number: str
    what: str
    paper: float
    ours: float


def _with(costs_of_pair: tuple[float, float, float], otherwise: str, **options: Any) -> Any:
    """Table II with costs for {h, b}; the other sets by a rule."""
    row = dict(zip([H, B, N], costs_of_pair, strict=True))
    return OBSTACLES.extend({(H, B): row}, otherwise=otherwise, **options)


def _examples() -> Iterator[Example]:
    h, b, n = OBSTACLES.costs
    least = INTERVALS.lower_expectation(np.array([n - b, h - b]))
    for what, a, ours in zip(("n and b", "h and b"), (0.3, 0.1), least.ravel(), strict=True):
        yield Example("4", f"lower expected difference of {what}", a, round(float(ours), 9))
    uniform = [1 / 3] * 3
    for number, row, a in (("5", (0.25, 0.25, 2), 5 / 6), ("6", (0.25, 0.25, 3), 7 / 6)):
        costs = _with(row, "discounted").expected([[H, B], [H], [B]], uniform)
        for what, wanted, ours in zip(("{h, b}", "h", "b"), (a, 1.0, 1.0), costs, strict=True):
            yield Example(
                number, f"expected cost of {what}, uniform", wanted, round(float(ours), 9)
            )


def _thresholds(tables: dict[str, ExtendedCosts]) -> StudyTable:
    rows = []
    for number in ("VI", "VII"):
        first, middle, _ = decision_intervals(tables[number])
        rows.append((f"Table {number}", first.stop, middle.stop))
    headers = ("costs", "p(n) from which {h, n} is predicted", "from which n")
    return StudyTable("Example 7: where the decision changes", headers, rows, digits=4)


def _table_claims(rows: list[Any]) -> Iterator[Claim]:
    def cells(number: str) -> str:
        each = [(paper, ours) for table, *_, paper, ours in rows if table == number]
        equal = sum(abs(paper - ours) <= UNIT / 2 for paper, ours in each)
        return f"{equal} of {len(each)} cells equal to half a unit of the second decimal"

    off = sorted(
        {(table, paper) for table, *_, paper, ours in rows if abs(ours - paper) > UNIT / 2}
    )
    for number, place, says, quote in (
        ("IV", "III-B", "Table IV has the costs 1 - F1",
         "Table IV provides the matrix that would be obtained in Example 1"),
        ("V", "IV-A", "Table V has the discounted costs of Table I", "Table V gives the completed "
         "matrix of Example 2 with the discounted costs"),
        ("X", "VI", "Table X has the p-discounted costs of Table I, r = 0.5, cautious",
         "Table X provides the costs obtained for Table II"),
    ):  # fmt: skip
        yield Claim.checked(
            f"2017, {place}, Table {number}",
            says,
            all(table != number for table, _ in off),
            cells(number),
            quote,
        )
    yield Claim(
        "2017, III-A, Table III",
        "a set of all three classes costs 0.54",
        Verdict.CONTRADICTION,
        f"Table III prints 0.54 three times, Eq. (8) gives 1 - g(1/3) = 8/15 = {8 / 15:.4f}, that "
        f"is 0.53; otherwise {cells('III')}",
        "the matrix obtained when Equation (8) is applied to Example 1",
    )
    yield Claim.checked(
        "2017, III, Tables III and IV",
        "Tables III and IV extend Example 1 to sets",
        True,
        "Tables III and IV have 1 for every error, where Table I of Example 1 has up to 4: they "
        "extend 0/1 costs",
        "Table III provides the matrix obtained when Equation (8) is applied",
        "the classes of Example 1 with 0/1 costs, which Section III is about",
    )


def _example_claims(tables: dict[str, ExtendedCosts]) -> Iterator[Claim]:
    found = sorted(INTERVALS.vertices(0).round(9).tolist())
    yield Claim.checked(
        "2017, II-C, Example 3",
        "the credal set has these four vertices",
        found == VERTICES,
        "ours: " + ", ".join(str(tuple(vertex)) for vertex in found),
        "defined by the convex hull of its four vertices",
    )
    maximal = decide(INTERVALS, "maximality", OBSTACLES).to_lists()[0]
    undominated = decide(INTERVALS, "interval-dominance", OBSTACLES).to_lists()[0]
    plain = decide(INTERVALS, "maximality").to_lists()[0]
    yield Claim.checked(
        "2017, II-C, Example 4",
        "maximality with the costs of Table I predicts {b}",
        maximal == [B],
        f"ours {_set(maximal)}; with 0/1 costs {_set(plain)}, by interval dominance "
        f"{_set(undominated)}",
        "b ends up being the only non-dominated class",
    )
    utility = get_utility("u65")
    yield Claim.checked(
        "2017, III-A, Eq. (8)",
        "g gives a pair that contains the true class 0.65, and every larger set more than 1/k",
        bool(abs(utility(0.5) - 0.65) < 1e-12)
        and all(utility(1 / k) > 1 / k for k in range(2, 101)),
        f"g(1/2) = {utility(0.5):.2f}; g(1/k) > 1/k for k = 2 to 100",
        "a small increase of the initial discounted accuracy",
    )
    (a, b, _), (c, d, _) = (decision_intervals(tables[t]) for t in ("VI", "VII"))
    yield Claim.checked(
        "2017, IV-C, Example 7, Fig. 2",
        "a more expensive false alarm moves both boundaries of {h, n} to the left",
        c.stop < a.stop and d.stop < b.stop,
        f"from p(n) = {a.stop:.4g} and {b.stop:.4g} to {c.stop:.4g} and {d.stop:.4g}; the figure "
        "itself has no numbers",
        "has also been shifted to the left",
    )


def _possibility_claims(discounted: Search) -> Iterator[Claim]:
    """Definition 4, asked of the very set that each example is about."""
    dear, cheap, averse = (
        _with(row, "p-discounted").can_be_optimal((H, B))
        for row in ((1, 1, 2), (0.25, 0.25, 2), (0.25, 0.25, 3))
    )
    yield Claim.checked(
        "2017, IV-A, Proposition 1",
        "with discounted costs no set is ever better than all of its classes",
        discounted.count(1) == 0,
        f"proved in the paper; in none of {discounted.n} matrices of two to five classes can any "
        "set be optimal",
        "do not make indeterminate predictions possible",
    )
    yield Claim.checked(
        "2017, IV-A, Example 5",
        "{h, b} is impossible at costs 1, 1, 2 and possible at 1/4, 1/4, 2",
        not dear and bool(cheap),
        f"{dear.sentence()}; at 1/4, 1/4, 2 {cheap.sentence()}; under uniform probabilities it "
        "costs 5/6 against 1, as printed",
        "becomes a possible prediction",
    )
    yield Claim.checked(
        "2017, IV-C, Example 6",
        "at costs 1/4, 1/4, 3 {h, b} is still possible",
        bool(averse),
        averse.sentence(),
        "is still a possible prediction",
    )
    yield Claim.checked(
        "2017, IV-C, Property 10",
        "Properties 4 and 10 together fix the cost of {h, b} at 2 when n is true",
        OBSTACLES.costs[0, 2] == OBSTACLES.costs[1, 2] == 2,
        "the smallest and the largest cost of h and b are both 2 when n is true",
        "For instance, in the matrix of Table II, this enforces",
    )


def _mean_claims(seed: int | None) -> Iterator[Claim]:
    """The two remarks after Eq. (12), checked."""
    little, much = (
        [generalized_mean(np.add(costs, shift), -1) for costs in ([0, 4], [0.5, 0.5])]
        for shift in (0.01, 1)
    )
    yield Claim.checked(
        "2017, VI, after Eq. (12)",
        "adding a constant to all costs does not change comparisons",
        (little[0] < little[1]) == (much[0] < much[1]),
        f"counterexample with p = -1: with 0.01 added the costs (0, 4) give {little[0]:.4g} and "
        f"(0.5, 0.5) give {little[1]:.4g}; with 1 added {much[0]:.4g} and {much[1]:.4g}, so the "
        "order depends on the constant",
        "it will not impact on their comparison",
    )
    rng = draws(12, seed)
    exponents = [-np.inf, -3, -1, 0, 0.1, 0.5, 0.9, 1, 1.5, 2, np.inf]
    rows = [rng.uniform(0.1, 4, k) for k in (2, 3, 4, 5) for _ in range(250)]
    positive = [np.diff([generalized_mean(row, p) for p in exponents]).min() for row in rows]
    with_zero = [
        np.diff([generalized_mean([0, *row], p) for p in exponents if p >= 0]).min() for row in rows
    ]
    yield Claim.checked(
        "2017, VI, after Eq. (12)",
        "the mean grows strictly with p unless all costs are equal",
        min(positive) > 0 and min(with_zero) > 0,
        f"no step down or equal in {len(rows)} random rows of two to five positive costs at "
        f"{len(exponents)} exponents, nor, with a zero among them, at exponents from 0; a zero "
        "makes the mean 0 for every p <= 0",
        "with the two being equal if and only if",
        "positive costs, or exponents from 0, where the paper defines the mean of a zero",
    )


def _interval_claim(seed: int | None) -> Claim:
    """Equations (23) and (24) against an enumeration of all local credal sets."""
    rng = draws(23, seed)
    gaps = []
    for _ in range(20):
        X, y = rng.integers(0, 2, (12, 2)), np.arange(12) % 3
        model = NaiveCredal(s=2, idm="intervals").fit(X, y)
        bounds = model.predict_credal([[0, 1]])
        low, high = _bounds_by_enumeration(X, y, (0, 1), 2.0)
        gaps.append(max(np.abs(bounds.lower[0] - low).max(), np.abs(bounds.upper[0] - high).max()))
    return Claim.checked(
        "2017, VII-B, Eqs (23) and (24)",
        "the bounds of the posterior probabilities are found at the vertices of the class "
        "probabilities alone",
        max(gaps) < 1e-9,
        f"largest difference from an enumeration of all combinations of local bounds in "
        f"{len(gaps)} random tables of 3 classes and 2 features: {max(gaps):.1g}",
        "It can be shown that the former problems are equivalent to",
        "the products with lost underlines are of lower probabilities; before intervals are "
        "tightened to each other",
    )


def _bounds_by_enumeration(X: Ints, y: Ints, x: tuple[int, int], s: float) -> tuple[Floats, Floats]:
    """The smallest and largest posterior probabilities over all vertices of the local models."""
    K = 3
    n = np.bincount(y, minlength=K)
    hits = np.array([[(X[y == c, i] == x[i]).sum() for i in (0, 1)] for c in range(K)])
    found = []
    for most in range(K):  # the class to which the prior gives all of s
        prior = (n + s * (np.arange(K) == most)) / (n.sum() + s)
        for tops in product((0, 1), repeat=2 * K):
            chosen = (hits + s * np.reshape(tops, (K, 2))) / (n[:, None] + s)
            joint = prior * chosen.prod(axis=1)
            if joint.sum() > 0:
                found.append(joint / joint.sum())
    return np.min(found, axis=0), np.max(found, axis=0)


def _possible_sets() -> StudyTable:
    """Which sets of Table X can be optimal, and by how much."""
    extended = OBSTACLES.extend("p-discounted", r=0.5)
    rows = []
    for labels in extended.subsets():
        answers = [extended.can_be_optimal(labels, against=a) for a in ("members", "sets")]
        if len(labels) > 1:
            rows.append((_set(list(labels)), *("yes" if a else "no" for a in answers),
                         *(a.margin for a in answers)))  # fmt: skip
    headers = ("set", "better than each of its classes", "better than every other set",
               "by at most, than its classes", "than other sets")  # fmt: skip
    return StudyTable("Which sets of Table X can be optimal", headers, rows, digits=4)


def _set(labels: list[Any]) -> str:
    return "{" + ", ".join(labels) + "}"


def _draw_utility() -> Figure:
    from wager.plots import plain_figure, plot_utilities

    figure = plain_figure((5.2, 4.6))
    plot_utilities("u65", figure.subplots(), n_classes=3)
    return figure


def _draw_decisions(*costs: ExtendedCosts) -> Figure:
    from wager.plots import plain_figure, plot_decision

    figure = plain_figure((6.4, 6.4))
    for ax, extended, number in zip(figure.subplots(2), costs, ("VI", "VII"), strict=True):
        plot_decision(extended, ax=ax)
        ax.set_title(f"Prediction of least cost, costs of Table {number}")
    return figure


def _draw_costs(costs: ExtendedCosts) -> Figure:
    from wager.plots import plain_figure, plot_costs

    figure = plain_figure((5.0, 3.7))
    plot_costs(costs, figure.subplots()).set_title("Table X: r = 0.5, cautious")
    return figure


STUDY = Study(
    "yang-2017-tables",
    "Sections II to VI of Yang, Destercke & Masson (2017)",
    "Every cost table and example of the paper, and which of the ten properties each extension "
    "to sets has, by a search over matrices.",
    _analyse,
    title="Cost tables, examples and properties of costs of sets",
    minutes=0.3,
    page="yang-2017",
)
