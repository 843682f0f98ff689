"""Elicitation: answers that follow a utility give it back, noisy ones widen its interval."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import binom

from tests.fewer import fewer
from tests.replications import replications
from wager.rewards import Exponential, FBeta, Logarithmic, Power, Quadratic, Tabulated, get_utility
from wager.rewards._bracket import _contradiction
from wager.rewards._utility_names import utility_from_dict
from wager.rewards.elicit import Bracket, Elicited, Question, Session, interview


def person(worth):
    """Answers by a utility given as a function of the set size."""

    def answer(question: Question) -> str:
        value = worth(question.size)
        return (
            "set" if question.chance < value - 1e-9
            else "chance" if question.chance > value + 1e-9
            else "same"
        )  # fmt: skip

    return answer


averse = st.one_of(
    st.floats(0.5, 1.0).map(Quadratic),
    st.floats(0.0, 4.0).map(FBeta),
    st.booleans().map(Logarithmic),
    st.floats(0.05, 6.0).map(Exponential),
    st.floats(0.1, 1.0).map(Power),
)


def normalized(u):
    return lambda k: float((u.of_size(k) - u(0.0)) / (u(1.0) - u(0.0)))


@fewer(8)
@given(averse, st.integers(2, 12), st.sampled_from([0.02, 0.05, 0.2]))
def test_the_interval_of_a_person_without_noise_contains_the_value(u, n_classes, resolution):
    worth = normalized(u)
    found = interview(person(worth), n_classes, resolution=resolution)
    for bracket in found.brackets:
        assert bracket.low - 1e-9 <= worth(bracket.size) <= bracket.high + 1e-9
        assert bracket.high - bracket.low <= max(resolution, 0.06)
        assert bracket.low <= bracket.value <= bracket.high
    assert found.contradictions == ()
    assert found.is_concave


@fewer(8)
@given(st.lists(st.integers(1, 99), min_size=3, max_size=3))
def test_any_values_are_found_even_unreasonable_ones(percent):
    """Presumed bounds are not imposed: values below 1/k, or growing with the size, are found."""
    values = dict(zip((2, 3, 4), (p / 100 for p in percent), strict=True))
    found = interview(person(values.get), 4, resolution=0.05)
    for bracket in found.brackets:
        assert bracket.low - 0.01 <= values[bracket.size] <= bracket.high + 0.01
    growing = values[3] > values[2] + 0.1 or values[4] > values[3] + 0.1
    assert not growing or found.contradictions


@fewer(8)
@given(averse, st.integers(2, 8))
def test_the_table_is_concave_and_passes_through_the_brackets(u, n_classes):
    found = interview(person(normalized(u)), n_classes)
    table = found.utility()
    assert isinstance(table, Tabulated)
    assert len(table.values) == n_classes
    assert table.is_concave(n_classes)
    for bracket in found.brackets:
        assert bracket.low - 1e-9 <= table.values[bracket.size - 1] <= bracket.high + 1e-9


@fewer(8)
@given(st.floats(0.5, 0.95), st.integers(2, 6))
def test_a_quadratic_person_is_found_by_the_quadratic_fit(u_half, n_classes):
    worth = normalized(Quadratic(u_half))
    fit = interview(person(worth), n_classes, resolution=0.02).fit("quadratic")
    assert fit.misses_by == 0
    assert fit.interval[0] - 1e-6 <= u_half <= fit.interval[1] + 1e-6
    assert fit.interval[0] - 1e-6 <= fit.utility.u_half <= fit.interval[1] + 1e-6
    assert fit.utility.u_half == pytest.approx(u_half, abs=0.02)


@fewer(8)
@given(st.floats(0.1, 4), st.integers(2, 6))
def test_an_exponential_person_is_found_by_the_exponential_fit(a, n_classes):
    worth = normalized(Exponential(a, normalized=True))
    fit = interview(person(worth), n_classes, resolution=0.02).fit("exponential")
    assert fit.misses_by == 0
    assert fit.interval[0] - 1e-6 <= a <= fit.interval[1] + 1e-6


def test_a_curve_that_cannot_fit_says_by_how_much():
    found = Elicited(4, (Bracket(2, 0.9, 0.92), Bracket(4, 0.26, 0.28)), 0)
    fit = found.fit("quadratic")
    assert fit.misses_by > 0.05
    off = fit.utility.of_size([2, 4]) - [0.91, 0.27]
    assert fit.misses_by == pytest.approx(np.abs(off).max() - 0.01, abs=1e-6)
    assert "is closest, but misses the interval of a set size by 0.17" in fit.verdict


def test_estimates_whose_hull_leaves_a_bracket_give_way_to_the_lower_ends():
    """A set of two at 0.8 would raise one of four to 0.4, above its bracket; at 0.6, to 0.3."""
    brackets = Bracket(2, 0.6, 0.9, estimate=0.8), Bracket(4, 0.3, 0.35, estimate=0.32)
    found = Elicited(4, brackets, 0)
    assert found.is_concave
    between = 0.3 + (0.6 - 0.3) * (1 / 3 - 1 / 4) / (1 / 2 - 1 / 4)
    assert found.utility().values == pytest.approx((1, 0.6, between, 0.3))


def test_the_last_two_answers_to_a_question_can_contradict_each_other():
    said = _contradiction(2, ((0.5, "set"), (0.5, "chance")))
    assert said == "a set of 2 classes or a chance of 50%: first set, then chance"
    assert not _contradiction(2, ((0.5, "set"), (0.5, "set")))


@pytest.mark.parametrize(("n_classes", "most"), [(2, 11), (3, 20), (5, 30), (10, 48)])
def test_few_questions_are_enough(n_classes, most):
    for u_half in (0.5, 0.6, 0.65, 0.8, 0.9):
        found = interview(person(normalized(Quadratic(u_half))), n_classes)
        assert found.n_questions <= most


def test_larger_sets_are_asked_about_in_steps_up_to_all_classes():
    assert Session(3).sizes == (2, 3)
    assert Session(20).sizes == (2, 3, 4, 6, 9, 13, 19, 20)


def noisy(worth, sd, rng):
    """Compares the chance with the value plus a normal error."""
    return lambda question: (
        "set" if question.chance < worth(question.size) + sd * rng.standard_normal() else "chance"
    )


@pytest.mark.parametrize("sd", [0.0, 0.01, 0.03, 0.05])
def test_the_interval_contains_the_value_of_a_noisy_person(sd):
    """The intervals are of level 0.95; interviews with a true 0.95 pass in 99.9%."""
    rng = np.random.default_rng(0)
    covered = []
    for value in (0.5, 0.58, 0.66, 0.74, 0.82, 0.9, 0.95, 0.98):
        for _ in range(replications(50)):
            found = interview(noisy(lambda k, value=value: value, sd, rng), 2)
            low, high = found.half_interval
            covered.append(low <= value <= high)
            assert found.n_questions <= 11
    assert sum(covered) >= binom.ppf(0.001, len(covered), 0.95)


@pytest.mark.parametrize("sd", [0.01, 0.05])
def test_the_intervals_of_larger_sets_contain_their_values_as_well(sd):
    rng = np.random.default_rng(1)
    worth = normalized(Quadratic(0.7))
    covered = []
    for _ in range(20):
        found = interview(noisy(worth, sd, rng), 4)
        covered += [b.low <= worth(b.size) <= b.high for b in found.brackets]
    assert np.mean(covered) >= 0.90


def test_noise_widens_the_interval():
    def mean_width(sd):
        rng = np.random.default_rng(2)
        found = [interview(noisy(lambda k: 0.7, sd, rng), 2).half_interval for _ in range(20)]
        return np.mean([high - low for low, high in found])

    assert mean_width(0.0) < 0.05 < mean_width(0.03) < mean_width(0.06)


@fewer(8)
@given(st.integers(40, 99), st.integers(2, 6))
def test_repeated_questions_come_last_and_are_close_to_the_value(percent, n_classes):
    session = Session(n_classes)
    ask = person(lambda k: percent / 100 * (2 / k) ** 0.5)
    asked = []
    while session.question is not None:
        asked.append(session.question)
        session = session.answer(ask(session.question))
    again = [q.again for q in asked]
    n_sizes = len(session.sizes)
    assert again == [False] * (len(asked) - n_sizes) + [True] * n_sizes
    values = {b.size: b.value for b in session.result().brackets}
    for question in asked[-n_sizes:]:
        before = [q.chance for q in asked[:-n_sizes] if q.size == question.size]
        assert question.chance in before[:-1]
        assert abs(question.chance - values[question.size]) <= 0.03
    first = asked[0]
    assert len({(q.size, q.chance) for q in asked if not q.again}) == len(asked) - n_sizes
    assert first.chance == 0.66


def waverer(question):
    """Values a pair at 0.8, but changes its mind when asked again."""
    taken = question.chance < 0.795
    return "set" if taken != question.again else "chance"


def test_an_answer_that_changes_is_reported_and_widens_the_interval():
    steady = interview(person(lambda k: 0.795), 2)
    found = interview(waverer, 2)
    assert len(found.contradictions) == 1
    assert found.contradictions[0].startswith("a set of 2 classes or a chance of ")
    (low, high), (inner_low, inner_high) = found.half_interval, steady.half_interval
    assert high - low > 1.3 * (inner_high - inner_low)
    assert "contradiction: a set of 2 classes" in repr(found)


def test_answers_at_random_leave_a_wide_interval_and_are_reported():
    rng = np.random.default_rng(4)
    found = [interview(lambda question: rng.choice(["set", "chance"]), 2) for _ in range(20)]
    steady = interview(person(lambda k: 0.7), 2).half_interval
    widths = [one.half_interval[1] - one.half_interval[0] for one in found]
    assert np.mean(widths) > 2 * (steady[1] - steady[0])
    assert sum(bool(one.contradictions) for one in found) >= 15
    assert any("but a chance of" in "".join(one.contradictions) for one in found)


def test_a_narrower_level_gives_a_narrower_interval():
    ask = person(lambda k: 0.7)
    wide, narrow = (interview(ask, 2, level=level).half_interval for level in (0.99, 0.8))
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


@fewer(8)
@given(averse, st.integers(3, 8), st.integers(0, 10**6))
def test_the_values_of_larger_sets_are_not_larger_unless_the_person_insists(u, n_classes, seed):
    rng = np.random.default_rng(seed)
    found = interview(noisy(normalized(u), 0.03, rng), n_classes)
    if found.is_concave:
        assert (np.diff(found.utility().values) <= 1e-9).all()


def test_risk_seeking_answers_are_reported():
    found = interview(person(lambda k: 0.3), 2)
    assert not found.is_concave
    assert "not consistent with risk aversion" in repr(found)
    assert found.utility().values[1] == pytest.approx(0.3, abs=0.03)


def test_a_session_can_be_resumed_and_does_not_change():
    ask = person(normalized(Quadratic(0.7)))
    session = Session(3)
    for _ in range(4):
        session = session.answer(ask(session.question))
    resumed = Session(3, answers=session.answers)
    assert resumed.question == session.question
    before = session.answers
    session.answer("set")
    assert session.answers == before


@pytest.mark.parametrize("kind", ["tabulated", "quadratic", "exponential"])
def test_what_is_written_is_what_scoring_reads(tmp_path, kind):
    found = interview(person(normalized(Quadratic(0.7))), 4)
    path = tmp_path / "mine.toml"
    found.write(path, kind)
    read = get_utility(path)
    assert read == found.utility(kind)
    assert read.half_interval == found.utility(kind).half_interval
    assert kind == "exponential" or read.half_interval[0] < 0.7 < read.half_interval[1]
    assert "# a set of 2 with the right class is worth 0.70, between 0." in path.read_text()
    assert [p.name for p in tmp_path.iterdir()] == ["mine.toml"]


@pytest.mark.parametrize("kind", ["tabulated", "quadratic", "exponential"])
def test_an_elicited_utility_survives_json(kind):
    utility = interview(person(normalized(Quadratic(0.7))), 3).utility(kind, label="mine")
    again = utility_from_dict(json.loads(json.dumps(utility.to_dict())))
    assert again == utility
    assert (again.name, again.label) == (utility.name, "mine")


def test_an_elicited_table_has_a_readable_name(tmp_path):
    found = interview(person(lambda k: 0.7), 2)
    assert found.utility().name == "elicited"
    found.write(tmp_path / "Anna's 2nd.toml")
    assert get_utility(tmp_path / "Anna's 2nd.toml").name == "elicited:Anna-s-2nd"


def test_a_file_of_the_first_release_is_still_read(tmp_path):
    path = tmp_path / "old.toml"
    path.write_text('# elicited by 5 questions\nkind = "tabulated"\nvalues = [1.0, 0.64]\n')
    assert get_utility(path) == Tabulated([1.0, 0.64])


def test_without_a_question_about_pairs_there_is_no_interval_of_u_half(tmp_path):
    found = interview(person(lambda k: 0.5), 3, sizes=[3])
    assert found.half_interval is found.utility().half_interval is None
    found.write(tmp_path / "mine.toml")
    assert get_utility(tmp_path / "mine.toml").half_interval is None
    assert found.to_dict()["half_interval"] is None


def test_the_interval_of_a_curve_uses_the_answers_about_all_sizes():
    rng = np.random.default_rng(3)
    pairs, curves = [], []
    for _ in range(10):
        found = interview(noisy(normalized(Quadratic(0.7)), 0.05, rng), 3)
        fit = found.fit("quadratic")
        assert fit.utility.half_interval == pytest.approx(fit.interval)
        pairs.append(np.diff(found.half_interval))
        curves.append(np.diff(fit.interval))
    assert np.mean(curves) < 0.9 * np.mean(pairs)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Session(1), "at least 2 classes, got 1"),
        (lambda: Session(3, sizes=[1, 2]), r"from 2 to n_classes \(3\)"),
        (lambda: Session(3, sizes=[]), r"from 2 to n_classes \(3\)"),
        (lambda: Session(3, resolution=0.001), "resolution must lie in"),
        (lambda: Session(3).answer("yes"), "'set', 'chance' or 'same', got 'yes'"),
        (lambda: Session(3).result(), "not over after 0 answers"),
        (lambda: Session(2, answers=("same",) * 12), "12 answers but only 7 questions"),
        (lambda: Session(3, level=1), r"level must lie in \[0.5, 1\), got 1"),
        (lambda: Elicited(2, (Bracket(2, 0.6, 0.7),), 1).fit("cubic"), "choose from tabulated"),
    ],
)
def test_invalid_input_is_reported(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_values_of_sizes_that_are_not_neighbours_can_contradict_each_other():
    vague = [Bracket(2, 0.4, 0.5), Bracket(3, 0.3, 0.9), Bracket(4, 0.6, 0.7)]
    assert Elicited(4, tuple(vague), 20).contradictions == (
        "a set of 4 classes is worth at least 0.60 to you, but one of 2 at most 0.50",
    )
    assert Elicited(4, tuple(vague[:2]), 20).contradictions == ()
