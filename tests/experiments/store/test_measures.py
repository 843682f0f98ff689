import numpy as np
import pytest
from hypothesis import given, strategies as st

from wager.experiments.plan import check_measure
from wager.experiments.store._measure_values import set_values
from wager.rewards import SET_SCORES, Tally, get_utility, mic

UTILITIES = ("u50", "u65", "u80", "f1", "log", "exp:2", "0.7")


@st.composite
def tallies(draw):
    n_classes = draw(st.integers(1, 4))
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        cells = draw(st.lists(st.integers(0, 5), min_size=2 * n_classes + 2))
        table = np.resize(np.array(cells), (n_classes + 1, 2))
        table[0, 1] = table[-1, 0] = 0
        table[1, 1] += 1
        parts.append(Tally(table))
    return parts


@given(tallies(), st.sampled_from([*SET_SCORES, "mic", *UTILITIES]))
def test_many_tallies_at_once_are_each_tally_alone(parts, name):
    at_once = set_values(name, np.array([tally.table for tally in parts]))
    for tally, value in zip(parts, at_once, strict=True):
        if name in UTILITIES:
            alone = tally.expected_utility(name)
        else:
            alone = (mic(tally.n_classes) if name == "mic" else SET_SCORES[name])(tally)
        assert value == pytest.approx(alone, nan_ok=True, abs=1e-12)


@given(tallies())
def test_variance_and_certainty_equivalent_are_those_of_the_tally(parts):
    tables = np.array([tally.table for tally in parts])
    variance = set_values("reward_variance", tables)
    certain = set_values("certainty_equivalent:u65", tables)
    for tally, v, c in zip(parts, variance, certain, strict=True):
        assert v == pytest.approx(tally.moments().variance, abs=1e-12)
        assert c == pytest.approx(tally.certainty_equivalent("u65"))


@pytest.mark.parametrize(
    ("name", "column", "greater"),
    [
        ("u65", "tally", True),
        ("mean_set_size", "tally", False),
        ("true:u80", "true_tally", True),
        ("true:empty_rate", "true_tally", False),
        ("log_loss", "probabilities", False),
        ("information_reward", "probabilities", True),
        ("kl_divergence", "kl_divergence", False),
        ("fit_seconds", "fit_seconds", False),
        ("reward_variance", "tally", False),
    ],
)
def test_a_measure_knows_its_column_and_its_direction(name, column, greater):
    measure = check_measure(name)
    assert (measure.column, measure.greater_is_better) == (column, greater)


def test_any_utility_is_a_measure_and_nonsense_is_not():
    assert check_measure("u73").name == get_utility("u73").name
    with pytest.raises(ValueError, match=r"there is no measure 'u_65': did you mean 'u65'\?"):
        check_measure("u_65")
    with pytest.raises(ValueError, match="there is no measure 'nonsense': choose a utility"):
        check_measure("nonsense")
