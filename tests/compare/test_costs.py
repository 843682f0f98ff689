"""Comparisons by cost: the same money however rows are counted, and claims that data support."""

import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.costs.strategies import cost_matrices
from tests.fewer import fewer
from tests.replications import replications
from wager import PredictionSets
from wager.compare import PairedCosts, break_even, equivalence, head_to_head, sample_size
from wager.costs import CostMatrix, CostTally, row_costs
from wager.rewards import PairedTally

EUROS = CostMatrix([[0, 30], [4, 0]], ["ill", "well"], unit="EUR")


@st.composite
def priced_rows(draw, low=2, high=25):
    """Costs, true classes, the sets of two classifiers, counts and clusters."""
    matrix = draw(cost_matrices(high=4, zero_diagonal=True))
    k, n = len(matrix), draw(st.integers(low, high))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = rng.integers(0, k, n)
    sets = rng.random((2, n, k)) < 0.5
    sets[..., 0] |= ~sets.any(axis=2)
    return matrix, y, *sets, rng.integers(1, 4, n), rng.integers(0, 5, n)


@given(priced_rows())
@fewer(8)
def test_the_difference_is_that_of_the_rows(data):
    matrix, y, a, b, _, _ = data
    extended = matrix.extend("p-discounted", r=0.3)
    gaps = [
        extended.cost(np.flatnonzero(row_a), t) - extended.cost(np.flatnonzero(row_b), t)
        for row_a, row_b, t in zip(a, b, y, strict=True)
    ]
    paired = PairedCosts.of(y, a, b, classes=range(len(matrix)))
    found = paired.difference(extended)
    assert found.mean == pytest.approx(np.mean(gaps), abs=1e-9)
    assert found.variance == pytest.approx(np.var(gaps), abs=1e-9)
    error = np.std(gaps, ddof=1) / np.sqrt(len(gaps))
    assert found.standard_error == pytest.approx(error, abs=1e-9)
    low, high = found.interval()
    assert (found.p < 0.05) == (not low <= 0 <= high)
    assert paired.swap().difference(extended).mean == pytest.approx(-found.mean, abs=1e-12)


@given(priced_rows(), st.integers(0, 25))
@fewer(12)
def test_joint_counts_add_up_and_go_to_json_and_back(data, cut):
    matrix, y, a, b, _, groups = data
    classes = range(len(matrix))
    cut = min(max(cut, 1), len(y) - 1)

    def count(rows):
        return PairedCosts.of(
            y[rows], a[rows], b[rows], classes, groups=groups[rows], keep_clusters=True
        )

    whole, parts = count(slice(None)), count(slice(cut)) + count(slice(cut, None))
    assert parts == whole
    assert parts.difference(matrix).standard_error == pytest.approx(
        whole.difference(matrix).standard_error, nan_ok=True
    )
    assert PairedCosts.from_json(whole.to_json()) == whole
    for tally, sets in ((whole.a, a), (whole.b, b)):
        assert tally == CostTally.of(y, sets, classes)


@fewer(5)
@given(priced_rows())
def test_every_route_gives_the_same_money(data):
    """Counts or repeated rows, one matrix or one per row, arrays or named columns."""
    matrix, y, a, b, counts, _ = data
    k = len(matrix)
    predictions = {"a": a, "b": b}
    found = head_to_head(y, predictions, costs=matrix, counts=counts, classes=range(k))
    each = np.broadcast_to(matrix.costs, (len(y), k, k))
    order = np.random.default_rng(k).permutation(k)
    permuted = CostMatrix(matrix.costs[np.ix_(order, order)], order)
    named = {
        name: PredictionSets.from_indicator(sets[:, order], order)
        for name, sets in predictions.items()
    }
    rows = np.repeat(np.arange(len(y)), counts)
    others = [
        head_to_head(y, predictions, costs=matrix.costs, counts=counts, classes=range(k)),
        head_to_head(y, predictions, costs=each, counts=counts, classes=range(k)),
        head_to_head(y, named, costs=permuted, counts=counts, classes=order),
        head_to_head(y, predictions, costs=permuted, counts=counts, classes=range(k)),
        head_to_head(y[rows], {"a": a[rows], "b": b[rows]}, costs=matrix, classes=range(k)),
    ]
    for name in predictions:
        sets = PredictionSets.from_indicator(predictions[name], range(k))
        slow = np.average(row_costs(y, sets, matrix), weights=counts)
        for other in (found, *others):
            assert other.cost(name).value == pytest.approx(slow)
            assert other.cost(name).standard_error == pytest.approx(
                found.cost(name).standard_error, nan_ok=True, abs=1e-12
            )
    for other in others:
        assert other.cost_difference("a", "b").effect == pytest.approx(
            found.cost_difference("a", "b").effect, abs=1e-12
        )


def simulated(n, seed=0, gap=0.06):
    """Ill or well; the careful one errs more often, but keeps both where it is unsure."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    hard = rng.random(n) < 0.4
    plain = np.where(hard & (rng.random(n) < 0.5), ~y, y)
    careful = np.stack([y, ~y], axis=1)
    careful[hard] = True
    wrong = ~hard & (rng.random(n) < gap)
    careful[wrong] = ~careful[wrong]
    labels = np.array(["well", "ill"])
    sets = PredictionSets.from_indicator(careful, ["ill", "well"])
    return labels[y.astype(int)], {"careful": sets, "plain": labels[plain.astype(int)]}


def test_the_saving_is_said_in_the_unit_with_its_interval():
    y, predictions = simulated(3000)
    found = head_to_head(y, predictions, costs=EUROS)
    test = found.cost_difference("careful", "plain")
    low, high = test.interval
    assert test.effect < 0 > high
    assert test.verdict == (
        f"careful saves {-test.effect:.2f} EUR per case compared with plain "
        f"({-high:.2f} to {-low:.2f})"
    )
    assert found.cost_difference("plain", "careful").verdict == test.verdict
    assert found.recommended == "careful"
    assert found.recommendation == "take careful: it costs less than plain"
    assert "average cost (EUR)" in repr(found)
    assert test.verdict in repr(found).replace("\n", " ")


def test_without_a_significant_difference_nothing_is_claimed():
    y, predictions = simulated(20)
    found = head_to_head(y, predictions, costs=EUROS)
    test = found.cost_difference("careful", "plain")
    assert test.interval[0] < 0 < test.interval[1]
    assert test.verdict.startswith("no significant difference in cost between careful and plain (")
    assert test.verdict.endswith(f"EUR per case, p = {test.p:.4f})")
    assert found.recommended is None
    assert found.recommendation.startswith("the data do not distinguish careful from plain")


def test_utilities_and_costs_must_agree_if_both_are_given():
    y, predictions = simulated(3000)
    by_utility = head_to_head(y, predictions, "u50")
    by_costs = head_to_head(y, predictions, costs=EUROS)
    both = head_to_head(y, predictions, "u50", costs=EUROS)
    assert by_utility.recommended == "plain"
    assert by_costs.recommended == "careful"
    assert both.recommended is None
    assert "by cost, take careful: it costs less than plain" in both.recommendation
    agree = head_to_head(y, predictions, 0.95, costs=EUROS)
    assert agree.recommended == "careful"
    assert agree.recommendation.endswith("costs less")


def test_statements_about_costs_share_the_level_with_those_about_utilities():
    y, predictions = simulated(300)
    alone = head_to_head(y, predictions, costs=EUROS)
    beside = head_to_head(y, predictions, ["u65", "f1"], costs=EUROS)
    narrow, wide = (f.cost_difference("careful", "plain").interval for f in (alone, beside))
    assert wide[0] < narrow[0] < narrow[1] < wide[1]
    fixed = EUROS.extend({("ill", "well"): [1, 1]})  # no r: one statement
    single = head_to_head(y, predictions, costs=fixed).adjustment("careful", "plain")
    assert (single.length, single.n_single) == (0.0, 1)
    assert alone.adjustment("careful", "plain").n_single == 1
    outside = EUROS.extend("p-discounted", p=-1)  # beside the curve along r
    assert head_to_head(y, predictions, costs=outside).adjustment("careful", "plain").n_single == 2


def test_the_break_even_follows_r():
    y, predictions = simulated(3000)
    found = head_to_head(y, predictions, costs=EUROS)
    even = found.cost_break_even("careful", "plain")
    low, high = even.interval
    assert low < even.value < high
    assert "careful costs less than plain for r above" in even.verdict
    paired = PairedCosts.of(y, predictions["careful"], predictions["plain"])
    cheaper = [
        paired.difference(EUROS.extend(r=r)).mean < 0
        for r in (even.value - 0.01, even.value + 0.01)
    ]
    assert cheaper == [False, True]
    alone = break_even(paired, family="p-discounted", costs=EUROS)
    assert alone.value == pytest.approx(even.value)
    tabulated = head_to_head(y, predictions, costs=EUROS.extend({("ill", "well"): [1, 1]}))
    assert tabulated.cost_break_even("careful", "plain") is None
    written = [each.to_dict()["pairs"][0]["cost_break_even"] for each in (found, tabulated)]
    assert written == [even._asdict(), None]


def test_three_classifiers_as_data():
    y, predictions = simulated(500)
    predictions["perfect"] = y
    found = head_to_head(y, predictions, costs=EUROS)
    data = json.loads(json.dumps(found.to_dict()))
    assert data["unit"] == "EUR"
    assert data["recommended"] == "perfect"
    pairs = [(pair["first"], pair["second"]) for pair in data["pairs"]]
    assert pairs == list(combinations(predictions, 2))
    for pair in data["pairs"]:
        entry = pair["differences"]["average_cost"]
        test = found.cost_difference(pair["first"], pair["second"])
        assert entry["mean"] == test.effect
        assert entry["verdict"] == test.verdict
    assert data["scores"]["perfect"]["average_cost"]["mean"] == 0


def test_plans_and_equivalence_by_cost():
    y, predictions = simulated(60)
    paired = PairedCosts.of(y, predictions["careful"], predictions["plain"])
    plan = sample_size(paired, costs=EUROS, names=("careful", "plain"))
    assert "by average cost (EUR)" in plan.verdict
    assert plan.by_u == {}
    found = head_to_head(y, predictions, costs=EUROS)
    adjusted = found.plan("careful", "plain", "average_cost")
    assert adjusted.n > plan.n
    same = equivalence(paired, costs=EUROS, margin=50, names=("careful", "plain"))
    assert same.verdict.startswith("careful and plain are within 50 EUR of each other by average")
    with pytest.raises(ValueError, match="PairedCosts are compared by costs: pass costs="):
        sample_size(paired)
    with pytest.raises(ValueError, match="costs need PairedCosts"):
        sample_size(PairedTally.of(y, *predictions.values()), costs=EUROS)


def test_an_empty_set_far_down_is_counted_and_not_called_row_0():
    y = ["ill", "well"] * 150
    sets = [["ill"]] * 300
    sets[223] = []
    paired = PairedCosts.of(y, sets, ["ill"] * 300)
    words = "1 row predicts the empty set, which has no cost: pass empty_cost= to score it"
    with pytest.raises(ValueError, match=words):
        break_even(paired, family="p-discounted", costs=EUROS)
    with pytest.raises(ValueError, match=words):
        paired.difference(EUROS)
    with pytest.raises(ValueError, match=words):
        CostTally.of(y, sets).average(EUROS.extend())
    found = head_to_head(y, {"a": sets, "b": ["ill"] * 300}, costs=EUROS, empty_cost=7)
    assert found.cost("a").value == pytest.approx((149 * 30 + 7) / 300)


def test_costs_cannot_be_asked_for_without_costs():
    y, predictions = simulated(20)
    with pytest.raises(ValueError, match="compared without costs: pass costs="):
        head_to_head(y, predictions).cost("plain")
    with pytest.raises(ValueError, match="pass costs= as well"):
        head_to_head(y, predictions, empty_cost=1)


def test_the_interval_of_a_saving_covers_it_as_often_as_it_says():
    """Samples of 150 rows cover at most two errors of the simulation less often than 95%."""
    y, predictions = simulated(200_000, seed=5)
    truth = PairedCosts.of(y, *predictions.values()).difference(EUROS).mean
    rng = np.random.default_rng(6)
    covered, runs = 0, replications(500)
    for _ in range(runs):
        rows = rng.integers(0, len(y), 150)
        sets = PredictionSets(predictions["careful"].words[rows], predictions["careful"].classes)
        part = PairedCosts.of(y[rows], sets, predictions["plain"][rows])
        low, high = part.difference(EUROS).interval()
        covered += low <= truth <= high
    assert covered / runs >= 0.95 - 2 * np.sqrt(0.95 * 0.05 / runs)


def test_columns_without_names_are_refused_if_the_costs_list_another_order():
    costs = CostMatrix([[0, 9], [1, 0]], classes=["low", "high"])
    y = ["high", "low", "low"]
    right = np.array([[1, 0], [0, 1], [0, 1]], bool)  # columns in sorted order
    predictions = {"right": right, "low": ["low"] * 3}
    with pytest.raises(ValueError, match="right has no class names, so it is read in the sorted"):
        head_to_head(y, predictions, costs=costs)
    named = head_to_head(y, predictions, costs=costs, classes=["high", "low"])
    assert named.cost("right").value == 0
    assert named.cost("low").value == 3
    sets = {"right": PredictionSets.from_indicator(right, ["high", "low"]), "low": ["low"] * 3}
    assert head_to_head(y, sets, costs=costs).cost("right").value == 0
    assert PairedCosts.of(y, right, ["low"] * 3).difference(costs).mean == -3


def test_a_significant_saving_is_never_shown_as_0():
    y, costs = [0, 1] * 200, CostMatrix(1e-10 * (1 - np.eye(2)), [0, 1])
    found = head_to_head(y, {"sure": y, "blind": [0] * 400}, (), costs=costs)
    said = found.cost_difference("sure", "blind").verdict
    assert said.startswith("sure saves 5e-11 per case compared with blind (4.")
