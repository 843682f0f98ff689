"""Costs in the page are those of Python, to 1e-9: for any r and any matrix."""

from itertools import combinations

import numpy as np
import pytest

from tests.report.page.agreement import assert_same, estimate, of_page, run, some_sets
from wager.compare import head_to_head
from wager.costs import CostMatrix
from wager.report.page import report_data

MATRIX = [[0, 1, 5.5, 2], [2, 0, 0.25, 1], [4, 4, 0, 3], [1, 0, 2, 0]]
OTHER = [[0, 2, 2, 2], [1, 0, 1, 1], [3, 3, 0, 3], [0.5, 9, 0.5, 0]]
CLASSES = ["a", "b", "c", "d"]


def rows(seed, empty=0.0, n=300):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 4, n)
    sets = {f"c{i}": some_sets(rng, codes, 4, 0.4 + 0.4 * i, 1.8, empty) for i in range(3)}
    units = {
        "plain": {},
        "weights": {"sample_weight": rng.exponential(1.0, n)},
        "counts": {"counts": rng.integers(1, 4, n)},
        "clusters": {"groups": rng.integers(0, n // 6, n)},
    }
    return np.array(CLASSES)[codes], sets, units


def priced(y, sets, matrix, r, mode, **options):
    costs = CostMatrix(matrix, CLASSES, unit="EUR").extend("p-discounted", r=r, mode=mode)
    return head_to_head(y, sets, costs=costs, classes=CLASSES, **options)


RESULTS = """return dms.map((dm) => ({
  scores: model.names.map((_, i) => model.score(i, dm)),
  differences: pairs.map(([i, j]) => model.difference(i, j, dm)),
  even: pairs.map(([i, j]) => model.costs.isCurve && model.breakEven(i, j, "p-discounted", dm)),
  verdict: model.verdict(dm).sentence,
  recommendation: model.verdict(dm).recommendation,
}));"""


@pytest.mark.long
@pytest.mark.parametrize("kind", ["plain", "weights", "counts", "clusters"])
@pytest.mark.parametrize("mode", ["cautious", "mistake-averse"])
def test_any_r_and_any_matrix(kind, mode, engine):
    y, sets, units = rows(1, empty=0.1)
    options = {"empty_cost": 2.5, **units[kind]}
    data = report_data(priced(y, sets, MATRIX, 0.4, mode, **options))
    places = [1.0, 1 - 5e-4, float(np.random.default_rng(2).uniform(0, 1))]
    dms = [{"family": "cost", "r": r} for r in places]
    dms += [{"family": "cost", "r": 0.2, "matrix": OTHER, "mode": mode}]
    pairs = list(combinations(range(3), 2))
    computed = run(engine, RESULTS, data=data, dms=dms, pairs=pairs)
    break_evens = {}  # along r, so the same for every r
    for dm, page in zip(dms, computed, strict=True):
        found = priced(y, sets, dm.get("matrix", MATRIX), dm["r"], mode, **options)
        for name, score in zip(found.names, page["scores"], strict=True):
            assert_same(of_page(score), estimate(found.cost(name), 0.95))
        for (i, j), difference, even in zip(pairs, page["differences"], page["even"], strict=True):
            a, b = found.names[i], found.names[j]
            expected = found.cost_difference(a, b)
            ends = [difference[key] for key in ("mean", "lower", "upper", "p")]
            assert_same(ends, [expected.effect, *expected.interval, expected.p])
            assert difference["sentence"] == expected.verdict
            key = ("matrix" in dm, a, b)
            if key not in break_evens:
                break_evens[key] = found.cost_break_even(a, b)
            along = break_evens[key]
            assert_same(even["value"], along.value)
            assert_same([even["lower"], even["upper"]], list(along.interval or (None, None)))
            assert even["sentence"] == along.verdict
        assert page["verdict"] == found.verdict("average_cost")
        assert page["recommendation"] == found.recommendation


def test_costs_and_utilities_together_are_adjusted_together(engine):
    y, sets, _ = rows(3)
    costs = CostMatrix(MATRIX, CLASSES).extend(r=0.5)
    found = head_to_head(y, sets, ["u65", "f2"], costs=costs, classes=CLASSES)
    computed = run(
        engine,
        """return [
          model.difference(0, 2, {family: "quadratic", u_half: 0.65}), model.report.recommendation,
          model.breakEven(0, 2).sentence, model.difference(0, 2, {family: "cost", r: 0.5}),
          model.difference(0, 2, {family: "named", name: "f2"}),
        ];""",
        data=report_data(found),
    )
    utility, recommendation, sentence, cost, named = computed
    tests = [
        (utility, found.difference("c0", "c2", "u65")),
        (cost, found.cost_difference("c0", "c2")),
        (named, found.difference("c0", "c2", "f2")),
    ]
    for page, expected in tests:
        assert_same([page["lower"], page["p"]], [expected.interval[0], expected.p])
    assert recommendation == found.recommendation
    assert sentence == found.break_even("c0", "c2").verdict


@pytest.mark.parametrize("kind", ["rule", "rows"])
def test_costs_that_the_page_cannot_change(kind, engine):
    y, sets, _ = rows(4)
    costs = CostMatrix(MATRIX, CLASSES).extend("abellan-masegosa")
    if kind == "rows":
        costs = np.random.default_rng(5).uniform(0, 3, (len(y), 4, 4))
    found = head_to_head(y, sets, costs=costs, classes=CLASSES)
    pairs = list(combinations(range(3), 2))
    data = report_data(found)
    assert data["costs"]["rule"]["kind"] == "fixed"
    [page] = run(engine, RESULTS, data=data, dms=[{"family": "cost"}], pairs=pairs)
    for name, score in zip(found.names, page["scores"], strict=True):
        assert_same(of_page(score), estimate(found.cost(name), 0.95))
    for (i, j), difference in zip(pairs, page["differences"], strict=True):
        expected = found.cost_difference(found.names[i], found.names[j])
        assert_same([difference["lower"], difference["p"]], [expected.interval[0], expected.p])
        assert difference["sentence"] == expected.verdict
    assert page["verdict"] == found.verdict("average_cost")
