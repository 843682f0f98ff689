"""The utility of handing sets to a person: values, intervals, files, and where it is taken."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import norm

from tests.replications import replications
from tests.rewards.strategies import tallies
from wager import evaluate_sets, get_utility, head_to_head, optimal_sets
from wager.rewards import (
    HumanUtility,
    PairedTally,
    Tabulated,
    Tally,
    human_score,
    human_utility,
    read_utility,
    utility_score,
    write_utility,
)

SETS = [["a"]] * 50 + [["a", "b"]] * 30 + [["b", "c"]] * 20
TRUTH = ["a"] * 100


def wilson(p, n, z):
    """Wilson's interval from the roots of the quadratic equation that defines it."""
    # (p - x)^2 = z^2 x (1 - x) / n
    return sorted(np.roots([1 + z**2 / n, -2 * p - z**2 / n, p**2]).real)


# -- values --


def test_accuracy_minus_cost_by_size():
    person = human_utility({2: 0.9, 3: 0.8}, n=50, cost=0.05)
    assert person.values == pytest.approx((1, 0.85, 0.75))
    assert person.of_size([0, 1, 2, 3]).tolist() == pytest.approx([0, 1, 0.85, 0.75])
    assert human_utility([0.95, 0.9], cost={1: 0.1, 2: 0.2}).values == pytest.approx((0.85, 0.7))
    assert human_utility({2: 0.9}, n=30).n == (0, 30)
    assert human_utility([0.97, 0.9], n=30).n == (30, 30)


@given(tallies(), st.data())
def test_a_known_accuracy_is_a_table_of_utilities(tally, draw):
    values = draw.draw(
        st.lists(st.integers(0, 20), min_size=tally.n_classes, max_size=tally.n_classes)
    )
    accuracy = [v / 20 for v in values]
    found, plain = (tally.estimate(u) for u in (human_utility(accuracy), Tabulated(accuracy)))
    assert (found.value, found.standard_error) == pytest.approx(
        (plain.value, plain.standard_error), nan_ok=True
    )
    assert found.interval() == pytest.approx(plain.interval(), nan_ok=True)


def test_the_standard_error_adds_that_of_the_person():
    """By hand: 50 + 30 hits of 100; the person was right in 90% of 40 cases."""
    person = human_utility({2: 0.9}, n=40)
    tally = Tally.of(TRUTH, SETS, classes=list("abc"))
    values = np.array([1.0] * 50 + [0.9] * 30 + [0.0] * 20)
    found = tally.estimate(person)
    rows = values.std(ddof=1) / 10
    own = 0.3 * np.sqrt(0.9 * 0.1 / 40)
    assert found.value == pytest.approx(values.mean())
    assert found.standard_error == pytest.approx(np.hypot(rows, own))


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_interval_is_that_of_zou_and_donner(level):
    person = human_utility({2: 0.9}, n=40)
    tally = Tally.of(TRUTH, SETS, classes=list("abc"))
    low, high = tally.estimate(Tabulated([1, 0.9])).interval(level)
    lower, upper = wilson(0.9, 40, norm.ppf((1 + level) / 2))
    mean = 0.77
    expected = (
        mean - np.hypot(mean - low, 0.3 * (0.9 - lower)),
        mean + np.hypot(high - mean, 0.3 * (upper - 0.9)),
    )
    assert tally.estimate(person).interval(level) == pytest.approx(expected)
    assert person.intervals(level)[1] == pytest.approx((lower, upper))


def test_in_a_difference_only_the_sets_that_differ_count():
    person = human_utility({2: 0.8}, n=25)
    same = PairedTally.of(TRUTH, SETS, SETS, classes=list("abc")).difference(person)
    assert (same.mean, same.standard_error, same.p) == (0, 0, 1)
    plain = ["a"] * 65 + ["b"] * 35
    paired = PairedTally.of(TRUTH, SETS, plain, classes=list("abc"))
    found, known = (paired.difference(u) for u in (person, Tabulated([1, 0.8])))
    own = 0.3 * np.sqrt(0.8 * 0.2 / 25)
    assert found.mean == known.mean
    assert found.standard_error == pytest.approx(np.hypot(known.standard_error, own))
    assert found.interval()[0] < known.interval()[0] < known.interval()[1] < found.interval()[1]


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99])
def test_the_p_value_is_the_level_at_which_the_interval_ends(confidence):
    person = human_utility({2: 0.8}, n=25)
    found = Tally.of(TRUTH, SETS, classes=list("abc")).estimate(person)
    for end in found.interval(confidence):
        assert found.p_value(end) == pytest.approx(1 - confidence, rel=1e-6)


def test_the_interval_covers_with_both_samples_drawn():
    """The 95% interval covers in 95% less 3.6 errors of the simulation to 98.5%."""
    rng, runs = np.random.default_rng(7), replications(2000)
    accuracy, shares = 0.85, [0.5, 0.3, 0.2]  # right alone, a set of two that hits, a miss
    mean, covered = 0.5 + 0.3 * accuracy, 0
    for single, pairs, misses in rng.multinomial(150, shares, size=runs):
        person = human_utility({2: rng.binomial(40, accuracy) / 40}, n=40)
        tally = Tally(np.array([[0, 0], [misses, single], [0, pairs], [0, 0]]))
        low, high = tally.estimate(person).interval()
        covered += low <= mean <= high
    assert 0.95 - 3.6 * np.sqrt(0.95 * 0.05 / runs) <= covered / runs <= 0.985


def test_a_known_distribution_leaves_the_uncertainty_of_the_person():
    law = Tally.from_distribution([(1, True, 0.5), (2, True, 0.5)])
    found = law.estimate(human_utility({2: 0.9}, n=40))
    lower, upper = wilson(0.9, 40, norm.ppf(0.975))
    assert found.interval() == pytest.approx((0.5 + 0.5 * lower, 0.5 + 0.5 * upper))


def test_intervals_end_where_the_mean_cannot_be():
    person = human_utility({2: 0.7}, n=30, cost=0.02)
    y, pairs, groups = ["a"] * 3, [["a", "b"]] * 3, ["one"] * 3
    assert Tally.of(y, pairs, groups=groups).estimate(person).interval() == (-0.02, 1)
    paired = PairedTally.of(y, pairs, [["b"]] * 3, ["a", "b"], groups=groups)
    assert paired.difference(person).interval()[1] == 1.02
    nearly = human_utility({2: 0.9}, n=10, cost=0.02)
    assert Tally.of(["a"] * 9, [["a"]] * 8 + [["a", "b"]]).estimate(nearly).interval()[1] <= 1


def test_the_certainty_equivalent_has_an_interval_where_a_hit_may_be_worth_less_than_a_miss():
    person = human_utility({2: 0.7}, n=30, cost=0.02)
    found = evaluate_sets(["a"] * 3, [["a", "b"]] * 3, person, groups=["one"] * 3)
    estimate = found.estimates[f"certainty_equivalent:{person.name}"]
    assert estimate.interval() == (0, 1)
    assert estimate.value == 0.5


def test_a_score_charges_the_sets_that_miss():
    person = human_utility({2: 0.9}, n=40, cost=0.1)
    tally = Tally.of(TRUTH, SETS, classes=list("abc"))
    assert tally.score(human_score(person)).value == pytest.approx((50 + 30 * 0.8 - 20 * 0.1) / 100)
    assert tally.estimate(person).value == pytest.approx((50 + 30 * 0.8) / 100)
    assert tally.score(human_score(person)).standard_error > 0.3 * np.sqrt(0.9 * 0.1 / 40)


def test_the_interval_of_a_score_that_charges_for_misses_contains_the_score():
    person = human_utility({2: 0.9}, n=10, cost=0.3, miss=-1)
    tally = Tally.of(["a"] * 40, [["a", "b"]] * 2 + [["b", "c"]] * 38, classes=list("abc"))
    found = human_score(person).estimate(tally)
    low, high = found.interval()
    assert -1.3 <= low < found.value < high


def test_given_standard_errors_reach_as_far_as_normal_ones_but_not_beyond_0_and_1():
    person = human_utility([0.99, 0.5, 0.01], standard_errors=[0.01, 0.1, 0.02])
    assert person.errors.tolist() == [0.01, 0.1, 0.02]
    z = norm.ppf(0.975)
    expected = [(0.99 - 0.01 * z, 1), (0.5 - 0.1 * z, 0.5 + 0.1 * z), (0, 0.01 + 0.02 * z)]
    assert np.array(person.intervals()) == pytest.approx(np.array(expected))
    tally = Tally.of(TRUTH, SETS, classes=list("abc"))
    rows = tally.estimate(Tabulated(person.values)).standard_error
    own = np.hypot(0.5 * 0.01, 0.3 * 0.1)  # of 50 single classes and 30 sets of two that hit
    assert tally.estimate(person).standard_error == pytest.approx(np.hypot(rows, own))


# -- where it is taken --


def test_evaluations_and_scores_use_the_same_interval():
    person = human_utility({2: 0.9, 3: 0.7}, n=40).named("nurse")
    tally = Tally.of(TRUTH, SETS, classes=list("abc"))
    own = tally.estimate(person)
    evaluated = evaluate_sets(TRUTH, SETS, person, classes=list("abc")).estimates["nurse"]
    scored = utility_score(person).estimate(tally)
    for found in (evaluated, scored, tally.score(person)):
        assert found.interval() == pytest.approx(own.interval())
        assert found.standard_error == pytest.approx(own.standard_error)


def test_a_comparison_takes_it():
    person = human_utility({2: 0.95, 3: 0.9}, n=200).named("nurse")
    plain = ["a"] * 65 + ["b"] * 35
    met = head_to_head(TRUTH, {"sets": SETS, "plain": plain}, person, classes=list("abc"))
    assert met.difference("sets", "plain", person).effect == pytest.approx(0.5 + 0.3 * 0.95 - 0.65)
    assert "nurse" in repr(met)
    assert get_utility(person) is person
    assert optimal_sets([[0.5, 0.4, 0.1]], person).to_lists() == [[0, 1, 2]]


def test_it_can_be_written_to_a_file(tmp_path):
    for person in (
        human_utility({2: 0.9}, n=40, cost=0.1),
        human_utility([0.99, 0.9], standard_errors=[0.01, 0.05], cost={2: 0.2}, miss=-1),
        human_utility({2: 0.9}),
    ):
        write_utility(person, tmp_path / "nurse.toml")
        found = read_utility(tmp_path / "nurse.toml")
        assert found == person
        assert found.name == "nurse"
        assert isinstance(found, HumanUtility)


# -- what is refused --


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: human_utility({2: 1.2}), "accuracy must be numbers from 0 to 1"),
        (lambda: human_utility({2: 0.9, 4: 0.8}), "no value for sets of 3 classes"),
        (lambda: human_utility({0: 0.9}), "has the set size 0: sizes are 1, 2"),
        (lambda: human_utility({2: 0.9}, n=[10]), "n must have one number, not negative, for each"),
        (lambda: human_utility({2: 0.9}, n=[0, 1.5]), "n must be whole numbers of cases"),
        (
            lambda: human_utility({2: 0.9}, n=10, standard_errors=[0, 0.1]),
            "pass n or standard_errors, not both",
        ),
        (lambda: HumanUtility((0.9,), cost=(0.1, 0.2)), "one for each of the 1 set sizes"),
        (lambda: human_utility({2: 0.9}, cost=np.inf), "cost and miss must be finite"),
        (lambda: human_utility({2: 0.9}).intervals(1.0), "confidence level must lie strictly"),
        (
            lambda: Tally.of(["a"], [["a", "b", "c"]]).estimate(human_utility({2: 0.9})),
            "values for sets of up to 2 classes",
        ),
        (
            lambda: human_score(human_utility({2: 0.9})).per_row(["a"], [["a", "b", "c"]]),
            "values for sets of up to 2 classes",
        ),
    ],
)
def test_wrong_arguments_are_explained(make, words):
    with pytest.raises(ValueError, match=words):
        make()
