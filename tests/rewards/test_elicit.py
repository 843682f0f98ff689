"""Elicitation: answers that follow a utility give it back, and contradictions are reported."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from wager.rewards import Exponential, FBeta, Logarithmic, Power, Quadratic, Tabulated, get_utility
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


@given(averse, st.integers(2, 12), st.sampled_from([0.02, 0.05, 0.2]))
def test_every_bracket_contains_the_value_and_is_narrow_enough(u, n_classes, resolution):
    worth = normalized(u)
    found = interview(person(worth), n_classes, resolution=resolution)
    for bracket in found.brackets:
        assert bracket.low - 1e-9 <= worth(bracket.size) <= bracket.high + 1e-9
        assert bracket.high - bracket.low <= resolution + 1e-9
    assert found.contradictions == ()
    assert found.is_concave


@given(st.lists(st.integers(1, 99), min_size=3, max_size=3))
def test_any_values_are_found_even_unreasonable_ones(percent):
    """Presumed bounds are not imposed: values below 1/k, or growing with the size, are found."""
    values = dict(zip((2, 3, 4), (p / 100 for p in percent), strict=True))
    found = interview(person(values.get), 4, resolution=0.05)
    for bracket in found.brackets:
        assert bracket.low - 1e-9 <= values[bracket.size] <= bracket.high + 1e-9
    growing = values[3] > values[2] + 0.1 or values[4] > values[3] + 0.1
    assert not growing or found.contradictions


@given(averse, st.integers(2, 8))
def test_the_table_is_concave_and_passes_through_the_brackets(u, n_classes):
    found = interview(person(normalized(u)), n_classes)
    table = found.utility()
    assert isinstance(table, Tabulated)
    assert len(table.values) == n_classes
    assert table.is_concave(n_classes)
    for bracket in found.brackets:
        assert bracket.low - 1e-9 <= table.values[bracket.size - 1] <= bracket.high + 1e-9


@given(st.floats(0.5, 0.95), st.integers(2, 6))
def test_a_quadratic_person_is_found_by_the_quadratic_fit(u_half, n_classes):
    worth = normalized(Quadratic(u_half))
    fit = interview(person(worth), n_classes, resolution=0.02).fit("quadratic")
    assert fit.misses_by == 0
    assert fit.interval[0] - 1e-6 <= u_half <= fit.interval[1] + 1e-6
    assert fit.interval[0] - 1e-6 <= fit.utility.u_half <= fit.interval[1] + 1e-6
    assert fit.utility.u_half == pytest.approx(u_half, abs=0.02)


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
    assert "is closest, but misses by up to" in fit.verdict


@pytest.mark.parametrize(("n_classes", "most"), [(2, 6), (3, 11), (5, 20), (10, 30)])
def test_few_questions_are_enough(n_classes, most):
    for u_half in (0.5, 0.6, 0.65, 0.8, 0.9):
        found = interview(person(normalized(Quadratic(u_half))), n_classes)
        assert found.n_questions <= most


def test_larger_sets_are_asked_about_in_steps_up_to_all_classes():
    assert Session(3).sizes == (2, 3)
    assert Session(20).sizes == (2, 3, 4, 6, 9, 13, 19, 20)


def test_an_answer_that_changes_is_reported_and_widens_the_bracket():
    def waverer(question):
        if question.again:
            return "chance"
        return "set" if question.chance < 0.8 else "chance"

    steady = interview(person(lambda k: 0.8), 2)
    found = interview(waverer, 2)
    assert found.contradictions == (
        "a set of 2 classes or a chance of 75%: first set, then chance",
    )
    assert found.brackets[0].low == 0.75 < steady.brackets[0].low
    assert "contradiction: a set of 2 classes" in repr(found)


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
    assert get_utility(path) == found.utility(kind)
    assert "# a set of 2 with the right class is worth 0." in path.read_text()
    assert [p.name for p in tmp_path.iterdir()] == ["mine.toml"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Session(1), "at least 2 classes, got 1"),
        (lambda: Session(3, sizes=[1, 2]), r"from 2 to n_classes \(3\)"),
        (lambda: Session(3, sizes=[]), r"from 2 to n_classes \(3\)"),
        (lambda: Session(3, resolution=0.001), "resolution must lie in"),
        (lambda: Session(3).answer("yes"), "'set', 'chance' or 'same', got 'yes'"),
        (lambda: Session(3).result(), "not over after 0 answers"),
        (lambda: Session(2, answers=("same",) * 3), "3 answers but only 2 questions"),
        (lambda: Elicited(2, (Bracket(2, 0.6, 0.7),), 1).fit("cubic"), "choose from tabulated"),
    ],
)
def test_invalid_input_is_reported(call, words):
    with pytest.raises(ValueError, match=words):
        call()
