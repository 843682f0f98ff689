"""Every measure, decision rule and interval agrees with its twin on a few cases of each topic."""

import math
from decimal import Decimal

import pytest

import wager.metrics
from tests.twins.beta import beta_quantile, beta_tails, student_quantile
from tests.twins.exact import Pair, error_of, run
from tests.twins.topics import SLOW, TOPICS
from wager.rewards import MEASURES

CASES = 6


@pytest.mark.parametrize("topic", TOPICS)
def test_wager_says_what_its_twin_says(topic):
    found = run(TOPICS[topic], 2 if topic in SLOW else CASES)
    assert found


def test_every_measure_of_the_register_has_a_twin():
    for name in wager.metrics.__all__:  # loads the packages that register measures
        getattr(wager.metrics, name)
    built_in = {
        name
        for name, measure in MEASURES.items()
        if getattr(measure.function, "__module__", "wager").startswith("wager")
    }
    names = set()
    for topic in set(TOPICS) - SLOW:
        names |= {name.split(",")[0] for name in run(TOPICS[topic], 3, first=CASES)}
    assert built_in <= names


def test_a_wrong_number_is_found():
    def cases(rng):
        yield Pair("third", 1 / 3, Decimal(1) / 3)
        yield Pair("half", 0.5 + 1e-11, Decimal("0.5"))

    with pytest.raises(AssertionError, match=r"case 7, half: 0\.50000000001 instead of 0\.5,"):
        run(cases, 1, first=7)
    assert error_of(Pair("undefined", math.nan, None)) == 0
    assert error_of(Pair("undefined", 0.0, None)) == math.inf
    assert error_of(Pair("undefined", math.nan, 0)) == math.inf
    assert error_of(Pair("small", 1e-13, 0, 1)) == pytest.approx(1e-13)


@pytest.mark.parametrize(
    ("tail", "degrees", "t"),
    [(0.025, 1, 12.7062047362), (0.025, 10, 2.2281388520), (0.05, 5, 2.0150483733)],
)
def test_the_quantiles_of_student_are_those_of_tables(tail, degrees, t):
    assert student_quantile(tail, degrees) == pytest.approx(t, rel=1e-10)


@pytest.mark.parametrize(("a", "b", "x"), [(2, 3, "0.3"), (5, 1, "0.9"), (1, 7, "0.001")])
def test_the_beta_distribution_of_whole_numbers_is_a_binomial_tail(a, b, x):
    n, x = a + b - 1, Decimal(x)
    tail = sum(math.comb(n, i) * x**i * (1 - x) ** (n - i) for i in range(a, n + 1))
    below, above = beta_tails(Decimal(a), Decimal(b), x, 1 - x)
    assert abs(below - tail) < Decimal("1e-25")
    assert abs(above - (1 - tail)) < Decimal("1e-25")
    assert abs(beta_quantile(Decimal(a), Decimal(b), below, above)[0] - x) < Decimal("1e-25")


def test_the_beta_distribution_is_known_far_out_and_for_small_parameters():
    half, tiny = Decimal("0.5"), Decimal("1e-80")
    arcsine = beta_tails(half, half, Decimal("0.25"), Decimal("0.75"))[0]  # 2/pi asin(1/2)
    assert abs(arcsine - Decimal("0." + "3" * 50)) < Decimal("1e-40")
    power = beta_tails(half, Decimal(1), tiny, 1 - tiny)[0]  # sqrt(x)
    assert abs(power / Decimal("1e-40") - 1) < Decimal("1e-35")
    assert abs(beta_quantile(half, Decimal(1), power, 1 - power)[0] / tiny - 1) < Decimal("1e-35")
