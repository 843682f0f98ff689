from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from tests.rewards.strategies import concave_utilities, utilities
from wager.rewards import (
    Custom,
    Exponential,
    FBeta,
    Linear,
    Logarithmic,
    Power,
    Quadratic,
    Tabulated,
    Utility,
    get_utility,
    utility_from_dict,
    write_utility,
)

NAMES = ["u50", "u65", "u80", "u72.5", "f1", "f2", "f0.5", "linear", "log", "log-norm"]
NAMES += ["exp:2", "exp-norm:2", "exp-norm:-1", "power:0.5"]


@pytest.mark.parametrize(("size", "expected"), [(1, 1.0), (2, 0.65), (4, 0.3625)])
def test_u65_of_a_hit_follows_the_published_quadratic(size, expected):
    assert get_utility("u65").of_size(size) == pytest.approx(expected)


def test_u65_and_u80_have_the_coefficients_that_the_paper_interchanges():
    assert Quadratic(0.65).coefficients == pytest.approx((-0.6, 1.6))
    assert Quadratic(0.80).coefficients == pytest.approx((-1.2, 2.2))


@pytest.mark.parametrize("u_half", [0, 1])
def test_the_worth_of_a_pair_may_be_that_of_a_miss_or_of_a_hit(u_half):
    assert Quadratic(u_half)([0, 0.5, 1]).tolist() == [0, u_half, 1]
    for beyond in (u_half - 1.5, u_half + 1.5):
        with pytest.raises(ValueError, match="must lie in"):
            Quadratic(beyond)


def test_u80_peaks_above_one_at_eleven_twelfths_but_never_on_a_reward():
    u80 = Quadratic(0.8)
    assert u80(11 / 12) == pytest.approx(1.0 + 1 / 120)
    assert u80.increasing_up_to == pytest.approx(11 / 12)
    assert not u80.is_increasing()
    assert u80.is_increasing(100)


def test_a_parabola_that_falls_at_once_increases_nowhere():
    assert Quadratic(0.1).increasing_up_to == 0  # u(x) = 1.6 x^2 - 0.6 x
    assert Quadratic(0.25).increasing_up_to == np.inf  # u(x) = x^2


@pytest.mark.parametrize("u_half", [0.3, 0.45, 0.65, 0.9])
@pytest.mark.parametrize("worth", [1e-15, 1e-9])
def test_the_inverse_of_tiny_utilities_is_exact(u_half, worth):
    """Close to 0, u(x) = a x^2 + b x has the inverse v / b - a v^2 / b^3."""
    a, b = 2 - 4 * u_half, 4 * u_half - 1
    expected = worth / b * (1 - a * worth / b**2)
    assert Quadratic(u_half).inverse(worth) == pytest.approx(expected, rel=1e-9, abs=0)


@pytest.mark.parametrize(("u_half", "a"), [(0.65, 1.23808), (0.80, 2.77259), (0.5, 0.0)])
def test_the_normalised_exponential_passes_through_any_value_of_a_pair(u_half, a):
    u = Exponential.through(u_half)
    assert u.a == pytest.approx(a, abs=1e-5)
    assert u(0.5) == pytest.approx(u_half)


@pytest.mark.parametrize("k", range(1, 30))
def test_f1_lies_between_u65_and_u80_for_every_set_size(k):
    low, middle, high = (get_utility(name).of_size(k) for name in ("u65", "f1", "u80"))
    assert low - 1e-12 <= middle <= high + 1e-12


@given(utilities(), st.floats(0, 1))
def test_the_inverse_gives_the_least_reward_of_that_worth(u, x):
    v = u(x)
    least = u.inverse(v)
    assert u(least) == pytest.approx(v, abs=1e-9)
    assert least <= x + 1e-6 or abs(v - u(1.0)) < 1e-12


@given(st.floats(0.2, 1.0), st.floats(0, 1))
def test_the_numerical_inverse_agrees_with_the_formula(q, x):
    u = Quadratic(q)
    assert Custom(u).inverse(u(x)) == pytest.approx(u.inverse(u(x)), abs=1e-5)


def test_the_certain_hit_is_worth_one_although_u80_takes_that_value_twice():
    assert Quadratic(0.8).inverse(1.0) == 1.0
    assert Quadratic(0.8).inverse(0.96) == pytest.approx(0.7159734236867947)


@given(utilities(), st.floats(0.05, 2.0))
def test_derivatives_agree_with_differences(u, x):
    h = 1e-3
    second = (u(x + h) - 2 * u(x) + u(x - h)) / h**2
    third = (u.derivative2(x + h) - u.derivative2(x - h)) / (2 * h)
    assert u.derivative2(x) == pytest.approx(second, rel=2e-2, abs=1e-3)
    assert u.derivative3(x) == pytest.approx(third, rel=2e-2, abs=1e-3)


@given(concave_utilities(), st.integers(2, 6))
def test_concave_utilities_are_known_as_such_on_the_rewards(u, n_classes):
    assert u.is_concave(n_classes)


def test_risk_seeking_utilities_are_not_concave():
    assert not Quadratic(0.4).is_concave()
    assert not Power(2).is_concave(3)
    assert not Exponential(-1, normalized=True).is_concave(3)
    assert Linear().is_concave()


def test_a_table_may_be_concave_for_few_classes_and_not_for_many():
    u = Tabulated([1.0, 0.7, 0.1])
    assert u.is_concave(2)
    assert not u.is_concave(3)


@given(utilities())
def test_normalised_and_plain_forms_differ_by_a_factor(u):
    for plain, norm in ((Logarithmic(), Logarithmic(True)), (Exponential(2), Exponential(2, True))):
        x = np.linspace(0, 1, 11)
        np.testing.assert_allclose(norm(x), plain(x) / plain(1.0))


@pytest.mark.parametrize("name", NAMES)
def test_names_are_read_back(name):
    u = get_utility(name)
    assert u.name == name
    assert get_utility(u.name) == u
    assert get_utility(u) is u


@pytest.mark.parametrize("spec", [0.7, "0.7", "u70", np.float64(0.7)])
def test_a_number_is_the_worth_of_a_pair(spec):
    assert get_utility(spec) == Quadratic(0.7)


def test_a_share_written_as_a_percentage_is_refused():
    with pytest.raises(ValueError, match=r"u\(0.5\) = 0.0065: write u65 or 0.65"):
        get_utility("u0.65")


@given(utilities())
def test_files_give_back_what_was_written(tmp_path_factory, u):
    path = tmp_path_factory.mktemp("utility") / "mine.toml"
    write_utility(u, path)
    assert get_utility(path) == u
    assert get_utility(str(path)) == u
    assert utility_from_dict(u.to_dict()) == u


def test_a_table_by_size_goes_to_a_file_and_back(tmp_path):
    u = Tabulated([1.0, 0.75, 0.3], miss=-0.5)
    write_utility(u, tmp_path / "mine.toml")
    assert get_utility(tmp_path / "mine.toml") == u
    assert u.of_size([0, 1, 2, 3]).tolist() == [-0.5, 1.0, 0.75, 0.3]


def test_a_table_through_a_pair_curves_like_the_quadratic():
    assert Tabulated([1.0, 0.65]).derivative2(0.4) == pytest.approx(
        Quadratic(0.65).derivative2(0.4)
    )
    assert Tabulated([1.0]).derivative2(0.4) == 0.0


def test_functions_of_one_number_work_like_functions_of_arrays():
    root = get_utility(math.sqrt)
    np.testing.assert_allclose(root([0.25, 1.0]), [0.5, 1.0])
    assert root.name == "sqrt"
    stair = get_utility(lambda x: 1.0 if x >= 0.5 else 0.0)
    assert stair.of_size([1, 2, 3]).tolist() == [1.0, 1.0, 0.0]
    constant = get_utility(lambda x: 0.5)
    assert constant([0.1, 0.2]).tolist() == [0.5, 0.5]


@given(st.floats(0.1, 0.9))
def test_a_functions_curvature_is_found_numerically(x):
    u = Logarithmic()
    own = Custom(lambda v: np.log1p(v), "mine")
    assert own.name == "mine"
    assert own.derivative2(x) == pytest.approx(u.derivative2(x), rel=1e-4)
    assert own.derivative3(x) == pytest.approx(u.derivative3(x), rel=1e-2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: get_utility("u"), r"no utility called 'u'.*u65.*log-norm.*\.toml"),
        (lambda: get_utility("cubic"), "no utility called 'cubic'"),
        (lambda: get_utility(True), "True is not a utility"),
        (lambda: get_utility(None), "None is not a utility"),
        (lambda: get_utility("u120"), r"u\(0.5\) must lie in \[0, 1\], got 1.2"),
        (lambda: get_utility(1.5), r"u\(0.5\) must lie in \[0, 1\]"),
        (lambda: Exponential(0), "must be positive, got 0"),
        (lambda: Exponential(math.inf, True), "must be finite"),
        (lambda: Exponential.through(1), "strictly between 0 and 1"),
        (lambda: FBeta(-1), "beta must be at least 0"),
        (lambda: FBeta(1e200), "beta must be at most 1e30"),
        (lambda: Power(0), "exponent must be positive"),
        (lambda: Tabulated([]), "finite utility for each size"),
        (lambda: Tabulated([1.0, 0.5]).of_size(3), "sets of up to 2 classes .* has 3"),
        (lambda: Tabulated([1.0, 0.5])(1.5), "no value for a reward of 1.5"),
        (lambda: Quadratic(0.65).inverse(1.2), "u65 never takes the value 1.2"),
        (lambda: Logarithmic().inverse(-1), "log never takes the value -1.0"),
        (lambda: Custom(lambda x: x).inverse(7.0), "never takes the value 7.0"),
        (lambda: get_utility(lambda x: math.inf)(0.5), "is inf for the reward 0.5"),
        (lambda: Custom(math.sqrt).to_dict(), "sqrt is a Python function"),
        (lambda: Linear().is_concave(0), "n_classes must be at least 1"),
        (lambda: get_utility("nowhere.toml"), "nowhere.toml: there is no such file"),
        (lambda: utility_from_dict({"kind": "cubic"}), "one of linear, .*-exp, got 'cubic'"),
        (lambda: utility_from_dict({}), "one of linear, .*, got None"),
        (lambda: utility_from_dict({"kind": "quadratic"}), "a quadratic utility needs u_half"),
        (lambda: utility_from_dict({"kind": "power", "p": 2}), "no parameter 'p'.*exponent"),
        (lambda: utility_from_dict({"kind": "power", "exponent": "x"}), "must be numbers"),
    ],
)
def test_invalid_input_is_reported(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kind = ", r"mine\.toml: not valid TOML"),
        ('kind = "quadratic"\nu_half = 3', r"mine\.toml: u\(0.5\) must lie"),
    ],
)
def test_a_broken_file_is_named(tmp_path, text, words):
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(ValueError, match=words):
        get_utility(tmp_path / "mine.toml")


@given(utilities(), st.integers(1, 8))
def test_the_utility_of_a_size_is_that_of_its_reward(u, size):
    assume(isinstance(u, Utility))
    assert u.of_size(size) == u(1 / size)
    assert u.of_size(0) == u(0.0)


def test_a_utility_is_written_whole_or_refused(tmp_path):
    write_utility("u65", tmp_path / "mine.toml")
    assert [file.name for file in tmp_path.iterdir()] == ["mine.toml"]
    with pytest.raises(ValueError, match="make the folder"):
        write_utility("u65", tmp_path / "nowhere" / "mine.toml")


def test_a_utility_keeps_the_name_that_its_file_gives(tmp_path):
    file = tmp_path / "clinic.toml"
    file.write_text('kind = "tabulated"\nvalues = [1, 0.9]\n')
    assert get_utility(file).name == "clinic"
    file.write_text('kind = "quadratic"\nu_half = 0.7\nname = "our patients"\n')
    named = get_utility(file)
    assert named.name == "our patients"
    assert named == Quadratic(0.7)
    write_utility(named, file)
    assert get_utility(file).name == "our patients"
    file.write_text('kind = "quadratic"\nu_half = 0.7\n')
    assert get_utility(file).name == "u70"


@pytest.mark.parametrize(
    ("name", "words"),
    [('"u65"', "'u65' is the name of another utility"), ("3", "must be a text, got 3")],
)
def test_a_name_that_misleads_is_refused(tmp_path, name, words):
    file = tmp_path / "clinic.toml"
    file.write_text(f'kind = "quadratic"\nu_half = 0.7\nname = {name}\n')
    with pytest.raises(ValueError, match=words):
        get_utility(file)


def test_a_percentage_above_100_is_reported_in_the_words_of_the_user():
    words = r"u200 is not between u0 and u100: u\(0.5\) must lie in \[0, 1\], got 2$"
    with pytest.raises(ValueError, match=words):
        get_utility("u200")


@pytest.mark.parametrize("name", ["f" + "9" * 5000, "u1e999", "exp:-1e400", "power:1e400", "1e309"])
def test_a_number_beyond_all_floats_is_called_too_large(name):
    with pytest.raises(ValueError, match=r"the number in the utility .* is too large"):
        get_utility(name)


def test_a_name_of_many_digits_is_read_once():
    with pytest.raises(ValueError, match="there is no utility called"):
        get_utility("f" + "9" * 100_000 + "x")


@pytest.mark.parametrize("text", ["x = " + "[" * 3000, "a." * 3000 + "b = 1"])
def test_a_file_that_is_nested_too_deeply_is_a_sentence(tmp_path, text):
    file = tmp_path / "u.toml"
    file.write_text(text)
    with pytest.raises(ValueError, match=r"u\.toml: its tables or lists are nested too deeply"):
        get_utility(file)
