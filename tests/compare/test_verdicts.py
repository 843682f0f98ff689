"""Text, stars and advice agree, and claim no more than the data support."""

import re
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.compare.strategies import two_classifiers
from tests.fewer import fewer
from tests.replications import replications
from wager.compare import HeadToHead, break_even, compare_probabilities, head_to_head, mcnemar
from wager.compare._curve_crossings import curve_facts
from wager.compare._lead_curves import utility_lead
from wager.compare._simultaneous import Adjustment
from wager.compare._utility_families import FAMILIES
from wager.costs import CostMatrix
from wager.rewards import PairedTally, Quadratic, Tabulated

SINGLE = [(1, 1, 1, 1), (1, 1, 1, 0), (1, 0, 1, 1)]  # both right, only the first, only the second
CREDAL = [(1, 1, 1, 1), (2, 1, 1, 1), (2, 1, 1, 0)]  # or the first keeps both classes


@st.composite
def tables(draw):
    """Joint counts of two classifiers over two classes, from clear to undecided."""
    cells = [*SINGLE, *CREDAL[1:], (1, 1, 2, 1), (1, 0, 2, 1)]
    counts = draw(st.lists(st.integers(0, 80), min_size=len(cells), max_size=len(cells)))
    counts[0] += 5
    return counted(cells, counts)


def counted(cells, counts):
    """The paired tally of the outcomes that occur."""
    present = np.asarray(counts) > 0
    return PairedTally(2, np.array(cells)[present], np.asarray(counts)[present])


def test_a_lead_that_is_not_significant_is_no_advice():
    """The report of finding A3: p = .07, and yet it said to take A."""
    y = np.zeros(200, int)
    a, b = y.copy(), y.copy()
    a[:20] = b[:20] = 1
    b[20:31] = 1
    a[31:35] = 1
    found = head_to_head(y, {"A": a, "B": b}, ["u65"], classes=[0, 1])
    outcome = found.dominance("A", "B")
    assert outcome.p == pytest.approx(found.difference("A", "B", "u65").p, abs=1e-6)
    assert 0.07 < outcome.p < 0.072  # two-sided; one-sided it was .035
    assert found.recommended is None
    assert found.recommendation.startswith("the data do not distinguish A from B")
    assert "take A" not in repr(found)
    assert "prefers A to B, but not significantly" in outcome.verdict


def claims(sentence, name):
    """Whether the sentence of a break-even point says that a classifier is better somewhere."""
    return f"{name} scores higher" in sentence or f", {name} below" in sentence


@given(tables(), st.lists(st.floats(0.5, 1), min_size=1, max_size=3, unique=True))
@fewer(8)
def test_stars_sentences_and_advice_agree(paired, attitudes):
    utilities = [Quadratic(q) for q in attitudes]
    found = HeadToHead(("A", "B"), {("A", "B"): paired}, utilities)
    starred = {
        q: np.sign(o.effect) if o.p < found.alpha else 0
        for q, o in zip(attitudes, (found.difference("A", "B", u) for u in utilities), strict=True)
    }
    even = found.break_even("A", "B")
    for q, star in starred.items():
        if even.interval is None or not even.interval[0] - 1e-9 <= q <= even.interval[1] + 1e-9:
            assert star != 0
        if star:
            name = "A" if star > 0 else "B"
            assert claims(even.verdict, name)
            for wrong in ("the same in every row", f"from A {name} between"):
                assert wrong not in even.verdict
    for name, side in (("A", 1), ("B", -1)):
        assert (found.recommended == name) == all(star == side for star in starred.values())
        if found.recommendation.startswith(f"take {name}:"):
            assert found.recommended == name
        if f"prefers it to {({'A', 'B'} - {name}).pop()}" in found.recommendation:
            assert found.dominance(name, ({"A", "B"} - {name}).pop()).p < found.alpha
    if found.recommended is None and found.recommendation.startswith("take "):
        assert " for u(0.5) " in found.recommendation or " for every u(0.5)" in found.recommendation


@given(tables(), st.floats(0.5, 1))
@fewer(12)
def test_a_star_is_outside_the_undecided_parts_exactly(paired, q):
    lead = utility_lead(paired, None, FAMILIES["quadratic"])
    adjustment = Adjustment(lead.length(np.array([0.5, 1.0])))
    facts = curve_facts(lead, (0.5, 1.0), adjustment.level(0.05))
    found = HeadToHead(("A", "B"), {("A", "B"): paired}, [Quadratic(q)])
    outcome = found.difference("A", "B", Quadratic(q))
    if any(abs(q - edge) < 1e-6 for piece in facts.decided for edge in piece[:2]):
        return  # at the edge, rounding decides
    sides = [sign for low, high, sign in facts.decided if low <= q <= high]
    assert sides == ([int(np.sign(outcome.effect))] if outcome.p < 0.05 else [])


@given(two_classifiers())
def test_the_break_even_never_names_an_undecided_side(data):
    paired = PairedTally.of(*data)
    even = break_even(paired)
    lead = [paired.difference(Quadratic(q)) for q in (0.5, 1.0)]
    for name, side in (("A", 1), ("B", -1)):
        if claims(even.verdict, name):
            grid = [paired.difference(Quadratic(q)) for q in np.linspace(0.5, 1, 26)]
            assert min(d.p for d in grid if np.sign(d.mean) == side) < 0.05
    if all(d.p > 0.05 for d in lead) and even.interval == (0.5, 1.0):
        assert "above" not in even.verdict
        assert "below" not in even.verdict


@given(tables())
def test_the_break_even_claims_no_more_than_the_parts_that_are_decided(paired):
    even = break_even(paired)
    for start, end, name in said(even.verdict):
        side = 1 if name == "A" else -1
        parts = [(low, high) for low, high, ahead in even.decided if ahead == side]
        assert (start, end) in [pytest.approx(part, abs=0.0051) for part in parts]  # two decimals


def said(sentence):
    """The parts of [0.5, 1] that a sentence about A and B gives to one of them."""
    claim, *_ = sentence.split(";")
    for name, side, number in re.findall(r"(?:^|, )([AB])[^,]*? (above|below) ([\d.]+)", claim):
        yield (float(number), 1.0, name) if side == "above" else (0.5, float(number), name)
    for name, number in re.findall(r"^([AB]) .* and above ([\d.]+)", claim):
        yield float(number), 1.0, name


@pytest.mark.parametrize(
    ("cells", "law"),
    [(SINGLE, [0.8, 0.1, 0.1]), (CREDAL, [0.7, 0.3 * 0.65, 0.3 * 0.35])],
    ids=["single classes", "break-even at u65"],
)
def test_under_the_null_reports_name_a_winner_no_more_often_than_the_level(cells, law):
    rng, runs, n = np.random.default_rng(7), replications(400), 300
    found, times = np.unique(rng.multinomial(n, law, runs), axis=0, return_counts=True)
    wrong = 0
    for table, repeated in zip(found, times, strict=True):
        paired = counted(cells, table)
        report = HeadToHead(("A", "B"), {("A", "B"): paired}, ["u65"])
        claims = report.recommended is not None
        if cells is SINGLE:  # a draw for everyone: any named side is wrong
            claims |= report.dominance("A", "B").p < 0.05
            claims |= "scores higher" in report.break_even("A", "B").verdict
        wrong += repeated * claims
    assert wrong / runs <= 0.06 + 2 * np.sqrt(0.06 * 0.94 / runs)


def test_p_star_and_interval_are_adjusted_alike_over_all_21_pairs():
    """Finding A12: stars and intervals were adjusted and p was not; 6 of 21 pairs were shown."""
    rng = np.random.default_rng(3)
    n = 400
    y = np.zeros(n, int)
    accuracy = np.linspace(0.7, 0.9, 7)
    shared = rng.random(n)
    predictions = {
        f"c{i}": (np.where(rng.random(n) < 0.5, shared, rng.random(n)) > right).astype(int)
        for i, right in enumerate(accuracy)
    }
    found = head_to_head(y, predictions, classes=[0, 1])
    rows = found.difference_table()[1]
    assert len(found.shown_pairs) == 21
    assert len(rows) == 63
    starred = {}
    for i, (a, b) in enumerate(combinations(predictions, 2)):
        outcome = found.difference(a, b, "u65")
        low, high = outcome.interval
        assert rows[3 * i][0] == f"{a} - {b}"
        starred[outcome.p] = rows[3 * i + 1][-1].endswith("*")
        assert starred[outcome.p] == (outcome.p < 0.05) == (not low <= 0 <= high)
        assert outcome.p == pytest.approx(min(1, 21 * outcome.details["unadjusted_p"]), rel=1e-9)
    assert set(starred.values()) == {True, False}  # and no starred p above an unstarred one
    assert max(p for p, s in starred.items() if s) < min(p for p, s in starred.items() if not s)


def test_the_report_as_data_has_the_recommended_one():
    y = [0] * 60
    found = head_to_head(y, {"good": y, "bad": [0] * 20 + [1] * 40}, classes=[0, 1])
    assert found.to_dict()["recommended"] == found.recommended == "good"
    again = head_to_head(y, {"good": y, "same": y}, classes=[0, 1])
    assert again.to_dict()["recommended"] is None


def test_repeated_rows_of_a_cluster_do_not_shrink_the_interval():
    rng = np.random.default_rng(1)
    y = np.zeros(60, int)
    a, b = (rng.random((2, 60)) < np.array([[0.2], [0.3]])).astype(int)
    once = head_to_head(y, {"a": a, "b": b}, classes=[0, 1])
    ten = {"a": np.repeat(a, 10), "b": np.repeat(b, 10)}
    patient = np.repeat(np.arange(60), 10)

    def width(found):
        low, high = found.difference("a", "b", "u65").interval
        return high - low

    truth = np.repeat(y, 10)
    assert width(head_to_head(truth, ten, classes=[0, 1])) < 0.5 * width(once)
    clustered = head_to_head(truth, ten, classes=[0, 1], groups=patient)
    assert width(clustered) >= 0.97 * width(once)
    counted = head_to_head(y, {"a": a, "b": b}, classes=[0, 1], counts=[10] * 60)
    assert width(counted) == pytest.approx(width(head_to_head(truth, ten, classes=[0, 1])))


@dataclass(frozen=True)
class Elicited(Tabulated):
    """A utility that knows between which values of u(0.5) its user is."""

    half_interval: tuple[float, float] = (0.5, 1.0)


@pytest.mark.parametrize(
    ("interval", "words"),
    [
        ((0.80, 0.95), "(u(0.5) 0.80-0.95): take ncc"),
        ((0.50, 0.55), "(u(0.5) 0.50-0.55): take nbc"),
        ((0.55, 0.90), "(u(0.5) 0.55-0.90): the data do not show which of ncc and nbc is best"),
    ],
)
def test_an_elicited_interval_gets_its_own_advice(interval, words):
    y = [0] * 1000
    predictions = {"ncc": [[0]] * 600 + [[0, 1]] * 400, "nbc": [0] * 860 + [1] * 140}
    mine = Elicited([1.0, 0.7], half_interval=interval)
    found = head_to_head(y, predictions, ["u65", mine])
    assert words in found.recommendation
    assert found.recommendation.count("for the user of") == 1


def test_mcnemars_interval_covers_where_few_rows_differ():
    """n = 50, 4% discordant: the old interval covered .77 (finding A6)."""
    rng, runs, n = np.random.default_rng(11), 1000, 50
    for law in ([0.96, 0.02, 0.02], [0.96, 0.03, 0.01], [0.96, 0.04, 0.0]):
        truth, covered = law[1] - law[2], 0
        tables, times = np.unique(rng.multinomial(n, law, runs), axis=0, return_counts=True)
        for (same, only_a, only_b), repeated in zip(tables, times, strict=True):
            a = [True] * (same + only_a) + [False] * only_b
            b = [True] * same + [False] * only_a + [True] * only_b
            low, high = mcnemar(a, b).interval
            covered += repeated * (low <= truth <= high)
        assert covered / runs >= 0.92


def test_more_rows_are_not_advised_where_every_row_is_the_same():
    y = [0, 1, 1, 0, 2]
    sets = [[0], [0, 1], [1], [0, 1], [0]]
    costs = CostMatrix([[0, 2, 3], [1, 0, 2], [4, 4, 0]], [0, 1, 2])
    two = {"x": sets, "y": sets}
    assert head_to_head(y, two).recommendation == "x and y earn the same in every row: take either"
    priced = head_to_head(y, two, (), costs=costs)
    assert priced.recommendation == "x and y cost the same in every row: take either"
    three = head_to_head(y, {**two, "z": sets})
    assert three.recommendation == "x, y and z earn the same in every row: take any"
    misses = {"x": [0, 1, 1, 0, 0], "y": [0, 1, 1, 0, 1]}  # another wrong class costs less
    other = head_to_head(y, misses, (), costs=costs).recommendation
    assert other == "the data do not distinguish x from y: collect more rows"
    proba = [[0.5, 0.3, 0.2]] * 5
    same = compare_probabilities(y, {"x": proba, "y": proba})
    assert same.recommendation == "x and y score the same in every row: take either"
