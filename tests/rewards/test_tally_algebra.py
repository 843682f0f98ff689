"""Tallies answer every score, subtract what was added, and go to JSON and back."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.fewer import fewer
from wager.compare import PairedCosts, PairedProbabilities
from wager.costs import CostMatrix, CostTally
from wager.rewards import (
    MEASURES,
    SET_SCORES,
    ClassTally,
    PairedTally,
    ProbabilityTally,
    SetScore,
    Tally,
    evaluate_probabilities,
    evaluate_sets,
    register,
    unregister,
)

CLASSES = ["a", "b", "c"]


def rows(n=60, seed=0):
    draw = np.random.default_rng(seed)
    y = draw.integers(3, size=n)
    sets = draw.random((n, 3)) < 0.5
    proba = draw.dirichlet(np.ones(3), size=n)
    groups = draw.integers(n // 3, size=n)
    return np.array(CLASSES)[y], sets, proba, groups


def paired(y, sets, **options):
    return PairedTally.of(y, sets, ~sets, CLASSES, **options)


def probabilities(y, sets, proba=None, **options):
    return ProbabilityTally.of(y, proba, classes=CLASSES, n_bins=4, **options)


KINDS = {
    "Tally": lambda y, sets, proba, **o: Tally.of(y, sets, CLASSES, **o),
    "ClassTally": lambda y, sets, proba, **o: ClassTally.of(y, sets, CLASSES, **o),
    "CostTally": lambda y, sets, proba, **o: CostTally.of(y, sets, CLASSES, **o),
    "PairedTally": lambda y, sets, proba, **o: paired(y, sets, **o),
    "PairedCosts": lambda y, sets, proba, **o: PairedCosts.of(y, sets, ~sets, CLASSES, **o),
    "ProbabilityTally": lambda y, sets, proba, **o: probabilities(y, sets, proba, **o),
}
CLASS_OF = {
    "PairedCosts": PairedCosts,
    "Tally": Tally,
    "ClassTally": ClassTally,
    "CostTally": CostTally,
    "PairedTally": PairedTally,
    "ProbabilityTally": ProbabilityTally,
}
EXACT = [kind for kind in KINDS if kind != "ProbabilityTally"]


@pytest.mark.parametrize("kind", EXACT)
@given(cut=st.integers(0, 60), seed=st.integers(0, 5))
@fewer(12)
def test_subtraction_undoes_addition_exactly(kind, cut, seed):
    y, sets, proba, _ = rows(seed=seed)
    count = KINDS[kind]
    old = count(y[:cut], sets[:cut], proba[:cut])
    new = count(y[cut:], sets[cut:], proba[cut:])
    whole = count(y, sets, proba)
    assert whole - old == new
    assert (whole - old).to_json() == new.to_json()
    assert old + (whole - old) == whole


@pytest.mark.parametrize("kind", ["Tally", "CostTally", "PairedTally"])
def test_weights_and_clusters_are_subtracted_too(kind):
    y, sets, proba, groups = rows()
    old, new = groups < 5, groups >= 5  # no cluster is divided
    count, weights = KINDS[kind], np.linspace(0.1, 3, 60)
    for options in ({"sample_weight": weights}, {"groups": groups}):
        part = {name: values[old] for name, values in options.items()}
        rest = {name: values[new] for name, values in options.items()}
        window = count(y, sets, proba, **options) - count(y[old], sets[old], proba[old], **part)
        expected = count(y[new], sets[new], proba[new], **rest)
        left, right = (getattr(one, "a", one) for one in (window, expected))
        assert left.score("u65").value == pytest.approx(right.score("u65").value)
        assert left.score("u65").standard_error == pytest.approx(right.score("u65").standard_error)


def test_parts_that_divide_clusters_are_subtracted_cluster_by_cluster():
    y, sets, _, groups = rows()
    kept = {"classes": CLASSES, "keep_clusters": True}
    whole = Tally.of(y, sets, groups=groups, **kept)
    old = Tally.of(y[:25], sets[:25], groups=groups[:25], **kept)
    new = Tally.of(y[25:], sets[25:], groups=groups[25:], **kept)
    assert whole - old == new
    assert (whole - old).score("u80") == new.score("u80")
    with pytest.raises(ValueError, match="keep their clusters"):
        whole - Tally.of(y[:25], sets[:25], CLASSES)


def test_probabilities_are_subtracted_up_to_rounding():
    y, sets, proba, groups = rows()
    old = groups < 5
    for options in ({}, {"groups": groups}):
        part = {name: values[old] for name, values in options.items()}
        rest = {name: values[~old] for name, values in options.items()}
        whole = probabilities(y, sets, proba, **options)
        window = whole - probabilities(y[old], None, proba[old], **part)
        expected = probabilities(y[~old], None, proba[~old], **rest)
        assert window.n_rows == expected.n_rows
        for name, estimate in expected.scores().items():
            found = window.score(name)
            assert found.value == pytest.approx(estimate.value, abs=1e-12)
            assert found.standard_error == pytest.approx(estimate.standard_error, abs=1e-9)
        np.testing.assert_allclose(window.by_class.sums, expected.by_class.sums, atol=1e-12)
        assert ProbabilityTally.from_json(window.to_json()) == window
    kept = {"keep_clusters": True}
    whole = probabilities(y, None, proba, groups=groups, **kept)
    window = whole - probabilities(y[:25], None, proba[:25], groups=groups[:25], **kept)
    expected = probabilities(y[25:], None, proba[25:], groups=groups[25:], **kept)
    error = expected.score("brier").standard_error
    assert window.score("brier").standard_error == pytest.approx(error, abs=1e-9)


def test_a_row_that_lost_everything_can_leave_the_window():
    bad = ProbabilityTally.of(["a"], [[0.0, 1.0]], classes=["a", "b"])
    good = ProbabilityTally.of(["a", "b"], [[0.5, 0.5], [0.1, 0.9]], classes=["a", "b"])
    assert (good + bad).score("log_loss").value == np.inf
    assert ((good + bad) - bad).score("log_loss").value == good.score("log_loss").value
    assert (good - good).n_rows == 0


@pytest.mark.parametrize("kind", KINDS)
def test_more_than_there_is_cannot_be_subtracted(kind):
    y, sets, proba, _ = rows()
    count = KINDS[kind]
    small, large = count(y[:5], sets[:5], proba[:5]), count(y, sets, proba)
    with pytest.raises(ValueError, match="cannot subtract more rows than there are: subtract a"):
        small - large
    with pytest.raises(TypeError):
        small - 1


def test_parts_over_other_classes_cannot_be_subtracted():
    three, two = Tally.empty(3), Tally.empty(2)
    with pytest.raises(ValueError, match="cannot subtract counts over 2 classes from counts over"):
        three - two
    with pytest.raises(ValueError, match="from counts over the classes 'a', 'b': both parts must"):
        ClassTally.of(["a", "b"], ["a", "b"]) - ClassTally.of(["a", "c"], ["a", "c"])
    with pytest.raises(ValueError, match="cannot subtract counts over the classes 'a', 'c' from"):
        CostTally.of(["a", "b"], ["a", "b"]) - CostTally.of(["a", "c"], ["a", "c"])
    law = Tally.from_distribution([(1, True, 1)], 2)
    with pytest.raises(ValueError, match="a known distribution has no rows"):
        law - two


@pytest.mark.parametrize("kind", KINDS)
def test_json_gives_back_an_equal_tally_that_prints_the_same(kind):
    y, sets, proba, groups = rows()
    for options in ({}, {"sample_weight": np.linspace(0.1, 2, 60)}, {"groups": groups}):
        tally = KINDS[kind](y, sets, proba, **options)
        back = CLASS_OF[kind].from_json(tally.to_json())
        assert back == tally
        assert back.to_json() == tally.to_json()
        assert repr(back) == repr(tally)
        if kind == "PairedCosts":
            continue  # one line
        lines = repr(tally).splitlines()
        assert "over 3 classes" in lines[0]
        assert any(set(line) == {"-"} for line in lines)


WRONG = ["{}", "[]", "null", "3", '"text"', "", "{", "[1, 2", "NaN", "[" * 100_000]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", WRONG, ids=lambda text: text[:5] or "empty")
def test_other_json_is_refused_in_one_sentence(kind, text):
    with pytest.raises(ValueError, match=rf"this is not (the JSON of )?a {kind}"):
        CLASS_OF[kind].from_json(text)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_the_json_of_another_tally_is_refused(kind, other):
    text = KINDS[other](*rows()[:3]).to_json()
    if kind == other:
        assert CLASS_OF[kind].from_json(text).to_json() == text
    else:
        with pytest.raises(ValueError, match=f"this is not a {kind}: '.*' is (missing|not one)"):
            CLASS_OF[kind].from_json(text)


WRONG_VALUES = [None, "x", -1, 0.5, float("nan"), [], {}, [[1]], [[1, 2], [3]], True, [None], ["x"]]


def faults(data, path=()):
    """Every place of plain data in which a wrong value can stand."""
    yield path
    children = data.items() if isinstance(data, dict) else enumerate(data[:2])
    for key, value in children:
        yield from faults(value, (*path, key)) if isinstance(value, dict | list) else [(*path, key)]


def fault_of(tally, text):
    """The words of a ValueError; None if the text is read.  Any other exception is a failure."""
    try:
        tally.from_json(text)
    except ValueError as problem:
        return str(problem)
    return None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", ["rows", "weights", "clusters"])
@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.long)])
def test_any_wrong_value_is_read_or_refused_in_one_sentence(kind, form, step):
    """Every third wrong value in each place, from place to place other ones; or all of them."""
    y, sets, proba, groups = rows(12)
    options = {"rows": {}, "weights": {"sample_weight": np.linspace(0.1, 2, 12)}}
    tally = KINDS[kind](y, sets, proba, **options.get(form, {"groups": groups}))
    text = tally.to_json()
    for i, path in enumerate(faults(json.loads(text))):
        for value in WRONG_VALUES[i % step :: step] if path else []:
            data = json.loads(text)
            place = data
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = value
            words = fault_of(CLASS_OF[kind], json.dumps(data))
            assert words is None or words.startswith(f"this is not a {kind}: ")
            assert words is None or "\n" not in words


REFUSED = {
    "negative": ({"table": [[0, 0], [-1, 2]]}, "table must be finite .* not negative, got -1"),
    "not a number": ({"table": [[0, 0], [float("nan"), 2]]}, "table must be finite .* got nan"),
    "text": ({"table": [["0", 0], [1, 2]]}, "table must be numbers in rows of equal length"),
    "ragged": ({"table": [[0, 0], [1]]}, "table must be numbers in rows of equal length"),
    "no table": ({"tabel": [[0, 0], [1, 2]]}, r"'table' is missing, read what Tally.to_json wrote"),
    "other keys": ({"table": [[0, 0], [0, 2]], "u65": 1}, "'u65' is not one of its keys"),
    "squares": ({"table": [[0, 0], [1.0, 2.0], [0, 0]], "squares": [1.0]}, "squares must have one"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_wrong_with_the_data_is_said(case):
    data, words = REFUSED[case]
    with pytest.raises(ValueError, match=words):
        Tally.from_dict(data)


def test_tallies_of_different_weights_are_not_equal():
    y, sets = ["a", "b"], [["a"], ["b"]]
    two = Tally.of(y, sets, sample_weight=[2.0, 2.0])
    assert two != Tally.of([*y, *y], [*sets, *sets], sample_weight=[1.0] * 4)
    assert two == Tally.of(y, sets, sample_weight=[2.0, 2.0])
    assert Tally.of(y, sets) == Tally.of(y, sets, counts=[1, 1])


def test_merged_tallies_answer_every_score_as_the_rows_do():
    y, sets, proba, _ = rows()
    whole = evaluate_sets(y, sets, classes=CLASSES)
    merged = sum(Tally.of(y[i::3], sets[i::3], CLASSES) for i in range(3))
    costs = sum(CostTally.of(y[i::3], sets[i::3], CLASSES) for i in range(3))
    for tally in (merged, costs, ClassTally.of(y, sets, CLASSES).total):
        scores = tally.scores()
        assert set(scores) == set(whole.values)
        assert {*SET_SCORES} < set(scores)
        for name, estimate in whole.estimates.items():
            assert scores[name] == estimate
            assert scores[name].interval() == estimate.interval()
        assert tally.score("reward_variance").value == whole["reward_variance"]
        assert tally.score(0.7).value == tally.score("u70").value
    assert costs.tally == merged
    assert costs.by_class == ClassTally.of(y, sets, CLASSES)
    by_class = ClassTally.of(y, sets, CLASSES)
    for label in CLASSES:
        part = Tally.of(y[y == label], sets[y == label], CLASSES)
        assert by_class.score("determinacy")[label] == part.score("determinacy")
        assert by_class.scores()[label]["u65"] == part.score("u65")
    evaluation = evaluate_probabilities(y, proba, classes=CLASSES)
    parts = sum(ProbabilityTally.of(y[i::2], proba[i::2], classes=CLASSES) for i in range(2))
    for name, estimate in evaluation.estimates.items():
        assert parts.score(name).value == pytest.approx(estimate.value)
    name = "classwise_calibration_error"
    assert parts.score(name).value == pytest.approx(MEASURES[name](evaluation.tally))


def test_a_registered_score_is_among_the_scores_of_a_tally():
    y, sets, _, _ = rows()
    register(SetScore("pairs", lambda size, hit: (size == 2) * 1.0))
    try:
        tally = Tally.of(y, sets, CLASSES)
        assert tally.scores()["pairs"].value == (sets.sum(axis=1) == 2).mean()
    finally:
        unregister("pairs")


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda t, p: t.score("accurracy"), r"there is no score 'accurracy' \(.*coverage"),
        (lambda t, p: t.score("log_loss"), "log_loss cannot be computed from counts by size and"),
        (lambda t, p: Tally.empty(3).score("coverage"), "no prediction"),
        (lambda t, p: p.score("coverage"), "no measure 'coverage' of probabilities: choose from"),
        (lambda t, p: p.score("nothing"), r"choose from .*log_loss.*top_label_calibration_error"),
        (lambda t, p: (p - p).scores(), "no prediction"),
    ],
)
def test_a_score_that_does_not_apply_is_refused_in_one_sentence(ask, words):
    y, sets, proba, _ = rows()
    with pytest.raises(ValueError, match=words):
        ask(Tally.of(y, sets, CLASSES), probabilities(y, sets, proba))


def test_costs_of_a_window_are_those_of_its_rows():
    y, sets, _, _ = rows()
    sets[~sets.any(axis=1), 0] = True
    costs = CostMatrix([[0, 1, 2], [1, 0, 2], [4, 4, 0]], CLASSES).extend("p-discounted", r=0.5)
    whole, old = (CostTally.of(y[:k], sets[:k], CLASSES) for k in (60, 20))
    new = CostTally.of(y[20:], sets[20:], CLASSES)
    assert (whole - old).average(costs) == new.average(costs)
    assert "..." not in repr(old)
    assert "other pairs" in repr(sum([whole] * 3)) or len(whole.counts) <= 20


def test_differences_of_probabilities_are_subtracted_and_checked_too():
    y, _, proba, _ = rows()
    whole, old, new = (
        PairedProbabilities.of(y[k], proba[k], proba[k][:, [1, 2, 0]], classes=CLASSES)
        for k in (slice(60), slice(20), slice(20, 60))
    )
    found, expected = (whole - old).to_dict(), new.to_dict()
    for name, sums in expected["differences"].items():
        np.testing.assert_allclose(found["differences"][name][2], sums[2], atol=1e-9)
    for text in WRONG:
        with pytest.raises(ValueError, match=r"not (the JSON of )?a PairedProbabilities"):
            PairedProbabilities.from_json(text)
    with pytest.raises(ValueError, match="cannot subtract more rows than there are"):
        old - whole


def test_counts_that_do_not_fit_into_integers_are_refused():
    large = Tally([[0, 0], [2**61, 2**61], [0, 0]])
    for tally in (large, PairedTally(2, [[1, 1, 1, 0]], [2**62])):
        with pytest.raises(ValueError, match=r"2\*\*63 rows or more"):
            tally + tally


def test_an_empty_tally_takes_a_whole_float_as_number_of_classes():
    assert Tally.empty(3.0) == Tally.empty(3)
    assert type(Tally.empty(3.0).n_classes) is int
