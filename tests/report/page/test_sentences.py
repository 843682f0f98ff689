"""Sentences of the page and of Python are the same, word for word, also where numbers are close."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from tests.report.page.agreement import run
from wager.compare import CurveFacts, CurveName, break_even_sentence
from wager.compare._cost_comparison import saving_sentence
from wager.compare._recommendation import (
    PairwiseResults,
    recommend,
    recommend_for,
    verdict_by,
)

NAMES = ("A", "B")


def facts(rng, low, high):
    """The lead curve of two classifiers, decided in some parts whose ends may be close."""
    width = (high - low) * 10 ** rng.uniform(-5, -0.4)
    start = float(rng.choice([low, rng.uniform(low, high - width), high - width]))
    end = start + width
    crossing = float(rng.uniform(start, end))
    first, last = (int(side) for side in rng.choice([-1, 0, 1], 2))
    first, last = first * (start > low), last * (end < high)
    decided = [(low, start, first), (end, high, last)]
    island = bool(rng.random() < 0.3)
    if island:
        third = width / 3
        decided.insert(1, (start + third, start + 2 * third, int(rng.choice([-1, 1]))))
    return CurveFacts(
        [crossing][: int(rng.integers(0, 2))],
        (low if first == 0 else start, high if last == 0 else end),
        first,
        last,
        int(rng.choice([-1, 0, 1])),
        [part for part in decided if part[2]],
    )


@pytest.mark.parametrize(("parameter", "low", "high"), [("u(0.5)", 0.5, 1), ("a", 0.0, 6.0)])
def test_break_even_sentences(engine, parameter, low, high):
    rng = np.random.default_rng(0)
    curve = CurveName(parameter, (low, high), NAMES, "earn", 0.95)
    some = [facts(rng, low, high) for _ in range(400)]
    found = run(
        engine,
        "return some.map((facts) => wager.verdict.breakEvenSentence(facts, curve));",
        some=[one._asdict() for one in some],
        curve=curve._asdict(),
    )
    assert found == [break_even_sentence(one, curve) for one in some]
    long = sum(len(number) > 4 for words in found for number in words.split() if "." in number)
    assert long > 20  # some numbers needed a third decimal


class Even:
    def __init__(self, decided):
        self.decided = decided


ADVICE = """return cases.map(({ decided, interval }) => {
  const never = () => false;
  const advice = new wager.verdict.Advice({
    names: ["A", "B"], utilities: ["u65"], costs: false, memo: {}, ranked: () => [0, 1],
    betterBy: never, dominates: never, isDraw: never, decided: () => decided,
  });
  return [advice.recommendation, advice.recommendFor(interval, "mine")];
});"""


def test_recommendations_by_utility(engine):
    rng = np.random.default_rng(1)
    cases = []
    for _ in range(300):
        low, high = np.sort(0.5 + 0.5 * rng.random(2)) if rng.random() < 0.5 else near(rng)
        parts = [(0.5, low, 1), (low, high, -1), (high, 1.0, 1)]
        decided = [part for part in parts if rng.random() < 0.6]
        interval = [float(low), float(high)]
        cases.append(
            {"decided": [[float(x) for x in one] for one in decided], "interval": interval}
        )
    expected = []
    for case in cases:
        even = Even([tuple(part) for part in case["decided"]])
        results = PairwiseResults(
            {"A": None, "B": None},
            ["u65"],
            lambda *_: Undecided,
            lambda *_, even=even: even,
            lambda *_: Undecided,
            0.05,
        )
        expected.append(
            [recommend(results), recommend_for(results, tuple(case["interval"]), "mine")]
        )
    assert run(engine, ADVICE, cases=cases) == expected
    for words, _ in expected:
        for part in words.split(" for u(0.5) from ")[1:]:
            start, end = part.split(";")[0].split(",")[0].split(" to ")
            assert start != end


ADVICE_ON_THREE = """return cases.map(({ decided, interval }) => {
  const never = () => false;
  const advice = new wager.verdict.Advice({
    names: ["A", "B", "C"], utilities: ["u65"], costs: false, memo: {}, ranked: () => [0, 1, 2],
    betterBy: never, dominates: never, isDraw: never, decided: (i, j) => decided[i + j - 1],
  });
  return [advice.recommendation, advice.recommendFor(interval, "mine")];
});"""


def test_advice_on_three_classifiers_of_which_some_differ(engine):
    rng = np.random.default_rng(2)
    cases = []
    for _ in range(200):
        ends = np.sort(rng.uniform(0.5, 1, (3, 2))).tolist()
        decided = [[[*part, int(rng.choice([-1, 1]))]] * int(rng.integers(2)) for part in ends]
        cases.append({"decided": decided, "interval": np.sort(rng.uniform(0.5, 1, 2)).tolist()})
    expected = []
    for case in cases:
        evens = dict(zip(["AB", "AC", "BC"], map(Even, case["decided"]), strict=True))
        results = PairwiseResults(
            dict.fromkeys("ABC"),
            ["u65"],
            lambda *_: Undecided,
            lambda a, b, evens=evens: evens[a + b],
            lambda *_: Undecided,
            0.05,
        )
        said = [recommend(results), recommend_for(results, tuple(case["interval"]), "mine")]
        expected.append(said)
    assert run(engine, ADVICE_ON_THREE, cases=cases) == expected
    whole, partly = zip(*expected, strict=True)
    assert any("for no u(0.5)" in words for words in whole)
    assert any("do not show which" in words for words in partly)
    assert any("do not distinguish" in words for words in partly)


def test_savings(engine):
    rng, cases = np.random.default_rng(3), []
    for _ in range(100):
        unit = 10 ** rng.uniform(-14, 6)
        low, mean, high = np.sort(rng.normal(0, unit, 3)).tolist()
        if low < 0 < high and rng.random() < 0.5:
            low, mean = (high / 3, high / 2)
        cases.append([mean, [low, high], 0.5 if low < 0 < high else 0.01])
    found = run(
        engine,
        """return cases.map(([mean, ends, p]) =>
          wager.verdict.savingSentence(mean, ends, p, ["A", "B"], 0.05, "EUR"));""",
        cases=cases,
    )
    assert found == [saving_sentence(*case, NAMES, 0.05, "EUR") for case in cases]
    assert not any("saves 0.00 " in words for words in found)


BY_ONE = """return cases.map((lead) => {
  const betterBy = (_, i, j) => (i < j ? lead[i + j - 1] > 0 : lead[i + j - 1] < 0);
  const wins = (i) => [0, 1, 2].filter((j) => j !== i && betterBy("", i, j)).length;
  const advice = new wager.verdict.Advice({
    names: ["A", "B", "C"], utilities: [], costs: true, memo: {}, betterBy,
    ranked: () => [0, 1, 2].sort((i, j) => wins(j) - wins(i)),
    dominates: () => false, isDraw: () => false, decided: () => [],
  });
  const words = [advice.recommendation, advice.verdictBy("average_cost"), advice.verdictBy("u65")];
  return advice.bestBy("u65") === null ? words : [];
});"""


def test_advice_by_one_criterion(engine):
    cases = [list(lead) for lead in product([-1, 0, 1], repeat=3)]
    expected = []
    for case in cases:
        lead = dict(zip(["AB", "AC", "BC"], case, strict=True))
        tests = {
            pair: SimpleNamespace(p=0.001 if side else 0.5, effect=side)
            for pair, side in lead.items()
        }
        results = PairwiseResults(
            dict.fromkeys("ABC"),
            [],
            lambda a, b, _, tests=tests: tests[a + b],
            lambda *_: Even([]),
            lambda *_: Undecided,
            0.05,
            "average_cost",
        )
        words = [recommend(results), verdict_by("average_cost", results)]
        words.append(verdict_by("u65", results))
        expected.append([] if ", take " in words[1] else words)
    assert run(engine, BY_ONE, cases=cases) == expected
    assert sum("do not show which" in words[0] for words in expected if words) == 8


class Undecided:
    p, effect = 1.0, 0.0


def near(rng):
    """Two numbers that are close, or close to the ends of the range."""
    start = rng.choice([0.5 + 10 ** rng.uniform(-5, -2), rng.uniform(0.6, 0.9)])
    return start, min(start + 10 ** rng.uniform(-5, -2), 0.99999)
