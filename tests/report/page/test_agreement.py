"""The page computes what Python computes, to 1e-9: many decision makers in each family.

`make long` tries 200 in each, and fifty classifiers.
"""

from itertools import combinations

import numpy as np
import pytest

from tests.report.page.agreement import (
    SHAPES,
    assert_same,
    comparison,
    decision_makers,
    estimate,
    of_page,
    run,
    some_sets,
    utility_of,
)
from wager.compare import FAMILIES, break_even, dominance, head_to_head, risk_profile
from wager.costs import CostMatrix
from wager.report.page import report_data
from wager.rewards import SET_SCORES, Tally

MOST = 200 // len(SHAPES)  # decision makers of each family, in each kind of comparison


@pytest.fixture(scope="module", params=SHAPES)
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def found(kind):
    return comparison(kind, seed=list(SHAPES).index(kind))


def pairs_of(found):
    return list(combinations(range(len(found.names)), 2))


@pytest.mark.parametrize("places", [5, pytest.param(MOST, marks=pytest.mark.long)])
def test_scores_and_differences_of_every_decision_maker(kind, found, engine, places):
    places = places // 4 if kind == "clusters" else places  # they take five times as long
    dms = decision_makers(np.random.default_rng(1), places)
    computed = run(
        engine,
        """return dms.map((dm) => ({
          scores: model.names.map((_, i) => model.score(i, dm)),
          differences: pairs.map(([i, j]) => model.difference(i, j, dm)),
          verdict: model.verdict(dm).sentence,
          recommended: model.verdict(dm).recommended,
        }));""",
        data=report_data(found),
        dms=dms,
        pairs=pairs_of(found),
    )
    assert len(computed) == 4 * places
    for dm, page in zip(dms, computed, strict=True):
        utility = utility_of(dm, found.n_classes)
        for name, score in zip(found.names, page["scores"], strict=True):
            assert_same(of_page(score), estimate(found.score(name, utility), found.confidence))
        for (i, j), difference in zip(pairs_of(found), page["differences"], strict=True):
            expected = found.difference(found.names[i], found.names[j], utility)
            ends = [difference[key] for key in ("mean", "lower", "upper", "p")]
            assert_same(ends, [expected.effect, *expected.interval, expected.p])
            assert difference["sentence"] == expected.verdict
            significant = expected.p < found.alpha
            assert difference["side"] == (np.sign(expected.effect) if significant else 0)
        verdict = found.verdict(utility)
        assert page["verdict"] == verdict
        best = None if page["recommended"] is None else found.names[page["recommended"]]
        assert (f"take {best}:" in verdict) == (best is not None)


@pytest.mark.parametrize("family", FAMILIES)
def test_break_even_points_and_their_sentences(found, family, engine):
    computed = run(
        engine,
        """return pairs.map(([i, j]) => [
          model.breakEven(i, j, family), model.breakEven(j, i, family).sentence,
        ]);""",
        data=report_data(found),
        pairs=pairs_of(found),
        family=family,
    )
    for (i, j), (page, turned) in zip(pairs_of(found), computed, strict=True):
        a, b = found.names[i], found.names[j]
        even = found.break_even(a, b, family)
        ends = [page["value"], page["lower"], page["upper"]]
        assert_same(ends, [even.value, *(even.interval or (None, None))])
        assert_same(page["decided"], [list(part) for part in even.decided])
        assert page["sentence"] == even.verdict
        assert turned == found.break_even(b, a, family).verdict


@pytest.mark.parametrize("unit", [1, 0.1, 1 / 7])
def test_neither_of_two_equal_classifiers_is_ahead(engine, unit):
    """Each predicts in one half of the rows what the other predicts in the other half."""
    rng = np.random.default_rng(0)
    truth, weight = np.tile(rng.integers(0, 3, 120), 2), np.tile(rng.integers(1, 6, 120), 2)
    first, second = (rng.random((120, 3)) < 0.6 for _ in range(2))
    sets = {"A": np.concatenate([first, second]), "B": np.concatenate([second, first])}
    order = rng.permutation(240)
    sets = {name: some[order] for name, some in sets.items()}
    found = head_to_head(truth[order], sets, sample_weight=weight[order] * unit)
    page = run(
        engine,
        """return [families.map((family) => model.breakEven(0, 1, family).sentence),
          dms.map((dm) => model.difference(0, 1, dm).mean), model.bestRanges()];""",
        data=report_data(found),
        families=list(FAMILIES),
        dms=decision_makers(rng, 2),
    )
    assert page[0] == [found.break_even("A", "B", family).verdict for family in FAMILIES]
    assert not any("ahead" in sentence for sentence in page[0])
    assert set(page[1]) == {0}
    assert [one["index"] for one in page[2]] == [0]


def test_one_pair_of_another_family_agrees_with_the_function_of_its_own(engine):
    found = comparison("empty sets", seed=5)
    two = report_data(found.paired("c0", "c1"))
    computed = run(engine, 'return model.breakEven(0, 1, "fbeta");', data=two)
    even = break_even(found.paired("c0", "c1"), family="fbeta", names=("A", "B"))
    assert even.interval is not None
    assert computed["sentence"] == even.verdict
    ends = [computed["value"], computed["lower"], computed["upper"]]
    assert_same(ends, [even.value, *even.interval])


def test_measures_classes_and_advice(found, engine):
    computed = run(
        engine,
        """const dm = {family: "quadratic", u_half: 0.65};
        return {
          measures: model.names.map((_, i) => model.measures(i)),
          classes: model.names.map((_, i) => model.byClass(i, dm)),
          certain: model.names.map((_, i) => model.certaintyEquivalent(i, dm)),
          dominance: pairs.map(([i, j]) => [model.dominance(i, j), model.dominance(j, i)]),
          recommended: model.report.recommended,
          recommendation: model.report.recommendation,
          sentences: model.verdict(dm).sentences(),
          best: model.bestRanges(),
        };""",
        data=report_data(found),
        pairs=pairs_of(found),
    )
    level = found.confidence
    for i, name in enumerate(found.names):
        tally = found.tallies[name]
        for measure, page in computed["measures"][i].items():
            assert_same(of_page(page), estimate(tally.score(measure), level))
        assert_same(computed["certain"][i]["value"], tally.certainty_equivalent("u65"))
        rows = found.rows.read(name)
        for code, page in enumerate(computed["classes"][i]):
            here = rows.codes == code
            part = _tally(found, name, here)
            assert_same(page["n"], part.n)
            for measure in ("coverage", "mean_set_size", "determinacy") if part.n else ():
                expected = SET_SCORES[measure].estimate(part)
                assert_same(of_page(page[measure]), estimate(expected, level))
            if part.n:
                assert_same(of_page(page["utility"]), estimate(part.estimate("u65"), level))
    for (i, j), both in zip(pairs_of(found), computed["dominance"], strict=True):
        names = found.names[i], found.names[j]
        for page, (a, b) in zip(both, (names, names[::-1]), strict=True):
            expected = found.dominance(a, b)
            assert page["winner"] == expected.details["winner"]
            assert page["sentence"] == expected.verdict
            assert_same(page["p"], expected.p)
    best = computed["recommended"]
    assert (None if best is None else found.names[best]) == found.recommended
    assert computed["recommendation"] == found.recommendation
    assert [found.names[part["index"]] for part in computed["best"]] == [
        part.name for part in found.best_ranges
    ]
    assert computed["sentences"] == found.sentences()


def _tally(found, name, here):
    rows = found.rows
    units = [
        None if column is None else np.asarray(column)[here]
        for column in (rows.sample_weight, rows.counts, rows.groups)
    ]
    if not here.any():
        return Tally.empty(found.n_classes)
    y, sets = np.asarray(rows.y_true)[here], np.asarray(rows.predictions[name])[here]
    weight, counts, groups = units
    return Tally.of(y, sets, rows.classes, weight, counts=counts, groups=groups)


@pytest.mark.parametrize("family", FAMILIES)
def test_risk_profile_and_differences_from_a_baseline(family, engine):
    found = comparison("plain", seed=3)
    points = np.linspace(*FAMILIES[family].ends, 9).tolist()
    computed = run(
        engine,
        """return [
          model.riskProfile(family, points), model.differenceProfile(1, family, points),
        ];""",
        data=report_data(found),
        family=family,
        points=points,
    )
    profile = risk_profile(found.tallies, family, points)
    assert computed[0]["parameter"] == profile.parameter
    for i, line in enumerate(computed[0]["lines"]):
        expected = [profile.expected[i], *profile.intervals[i]]
        assert_same([line["value"], line["lower"], line["upper"]], [e.tolist() for e in expected])
    for line in computed[1]["lines"]:
        name = found.names[line["index"]]
        utilities = [FAMILIES[family].utility(point) for point in points]
        tests = [found.difference(name, found.names[1], u) for u in utilities]
        assert_same(line["value"], [t.effect for t in tests])
        assert_same(line["lower"], [t.interval[0] for t in tests])
        assert_same(line["upper"], [t.interval[1] for t in tests])


@pytest.mark.parametrize("n", [12, pytest.param(50, marks=pytest.mark.long)])
def test_many_classifiers(engine, n):
    found = many(n)
    dms = [{"family": "quadratic", "u_half": u} for u in (0.5, 0.62, 0.9)]
    chosen = [(0, 1), (n // 9, n // 3), (n // 3, n - 2), (n // 4, n // 4 + 1), (n - 4, n - 1)]
    computed = run(
        engine,
        """return {
          scores: dms.map((dm) => model.names.map((_, i) => model.score(i, dm))),
          differences: dms.map((dm) => pairs.map(([i, j]) => model.difference(i, j, dm))),
          even: pairs.map(([i, j]) => model.breakEven(i, j)),
          verdict: model.verdict(dms[1]).sentence,
        };""",
        data=report_data(found),
        dms=dms,
        pairs=chosen,
    )
    for place, dm in enumerate(dms):
        utility = utility_of(dm, found.n_classes)
        for name, page in zip(found.names, computed["scores"][place], strict=True):
            assert_same(of_page(page), estimate(found.score(name, utility), found.confidence))
        for (i, j), page in zip(chosen, computed["differences"][place], strict=True):
            expected = found.difference(found.names[i], found.names[j], utility)
            assert_same([page["lower"], page["p"]], [expected.interval[0], expected.p])
    assert computed["verdict"] == found.verdict(utility_of(dms[1], found.n_classes))
    for (i, j), page in zip(chosen, computed["even"], strict=True):
        assert page["sentence"] == found.break_even(found.names[i], found.names[j]).verdict


def many(n):
    rng = np.random.default_rng(8)
    y = rng.integers(0, 5, 300)
    predictions = {f"c{i}": some_sets(rng, y, 5, 0.3 + 1.5 * i / n, 1.6) for i in range(n)}
    return head_to_head(y, predictions)


@pytest.mark.parametrize("names", ["ab", "bc", "ac"])
def test_tallies_of_different_rows(names, engine):
    tallies = {name: separate_tallies()[name] for name in names}
    first, second = tallies.values()
    computed = run(
        engine,
        """return {
          even: model.breakEven(0, 1), dominance: model.dominance(0, 1),
          scores: model.names.map((_, i) => model.score(i, {family: "fbeta", beta: 1})),
        };""",
        data=report_data(tallies),
    )
    even = break_even(first, second, names=tuple(names))
    assert computed["even"]["sentence"] == even.verdict
    assert_same(computed["even"]["value"], even.value)
    ends = [computed["even"]["lower"], computed["even"]["upper"]]
    assert_same(ends, list(even.interval or (None, None)))
    # the page adjusts dominance, as comparisons do, for every u(0.5)
    assert computed["dominance"]["winner"] == dominance(first, second).details["winner"]
    for tally, page in zip(tallies.values(), computed["scores"], strict=True):
        assert_same(of_page(page), estimate(tally.estimate("f1"), 0.95))


def separate_tallies():
    rng = np.random.default_rng(4)
    units = {
        "a": {},
        "b": {"sample_weight": rng.exponential(1, 150)},
        "c": {"groups": rng.integers(0, 30, 150)},
    }
    tallies = {}
    for name, given in units.items():
        y = rng.integers(0, 3, 150)
        sets = rng.random((150, 3)) < 0.4
        sets[np.arange(150), y] |= rng.random(150) < 0.5
        tallies[name] = Tally.of(y, sets, [0, 1, 2], **given)
    return tallies


def test_pairs_whose_counts_are_left_out_keep_their_results_along_u_half(engine):
    found = comparison("plain", seed=2)
    data = report_data(found, limit=100, pair_limit=0)
    places = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    assert any("joint counts" in words for words in data["left_out"])
    computed = run(
        engine,
        """return pairs.map(([i, j]) => ({
          even: model.breakEven(i, j), dominance: model.dominance(i, j),
          sides: places.map((u) => model.difference(i, j, {family: "quadratic", u_half: u}).side),
        })).concat([model.report.recommendation]);""",
        data=data,
        pairs=pairs_of(found),
        places=places,
    )
    for (i, j), page in zip(pairs_of(found), computed[:-1], strict=True):
        a, b = found.names[i], found.names[j]
        assert page["even"]["sentence"] == found.break_even(a, b).verdict
        assert page["dominance"]["sentence"] == found.dominance(a, b).verdict
        for u, side in zip(places, page["sides"], strict=True):
            expected = found.difference(a, b, u)
            assert side == (np.sign(expected.effect) if expected.p < found.alpha else 0)
    assert computed[-1] == found.recommendation


def test_costs_that_never_occur_do_not_make_others_a_rounding_error(engine):
    costs = CostMatrix([[0, 5, 5], [1, 0, 5], [1e15, 1e15, 0]], ["a", "b", "c"])
    y = ["a"] * 500 + ["b"] * 500
    predictions = {name: ["a"] * n + ["b"] * (1000 - n) for name, n in (("A", 480), ("B", 300))}
    found = head_to_head(y, predictions, costs=costs, classes=["a", "b", "c"])
    body = """const dm = { family: "cost", r: 0.5 };
    return [model.difference(0, 1, dm).mean, model.report.recommendation,
            model.breakEven(0, 1, "p-discounted", dm).sentence];"""
    mean, advice, even = run(engine, body, data=report_data(found))
    assert mean == pytest.approx(-0.18)
    assert [advice, even] == [found.recommendation, found.cost_break_even("A", "B").verdict]
