"""The unit of costs is kept by everything that is made of them, and changes no number."""

import pytest

from tests.costs.strategies import OBSTACLES, TABLE_I
from wager.costs import CostMatrix, read_costs
from wager.costs._cost_unit import format_amount

EUROS = CostMatrix(TABLE_I, OBSTACLES, unit=" EUR ")


def test_extended_costs_keep_the_unit():
    assert EUROS.unit == "EUR"
    for extended in (
        EUROS.extend(),
        EUROS.extend(epsilon=0.1),
        EUROS.extend({("h", "b"): [1] * 3}),
    ):
        assert extended.unit == "EUR"
    assert CostMatrix(TABLE_I).extend().unit is None


def test_printed_costs_name_the_unit():
    assert repr(EUROS).startswith("costs in EUR\n")
    assert repr(EUROS.extend()).startswith("p-discounted, r = 0.5, in EUR\n")
    assert "in EUR" in repr(CostMatrix.zero_one(range(9)).with_unit("EUR").extend())


def test_another_unit_changes_no_number():
    minutes = EUROS.with_unit("minutes")
    assert minutes.unit == "minutes"
    assert (minutes.costs == EUROS.costs).all()
    assert (EUROS.extend().with_unit(None).matrix() == EUROS.extend().matrix()).all()


@pytest.mark.parametrize("unit", ["", "  ", "EUR\nUSD", 3])
def test_a_unit_is_a_short_text(unit):
    with pytest.raises(ValueError, match="unit must be a short text such as 'EUR', got"):
        CostMatrix(TABLE_I, unit=unit)


def test_a_file_can_name_the_unit(tmp_path):
    file = tmp_path / "costs.toml"
    text = 'unit = "EUR"\nclasses = ["a", "b"]\ncosts = [[0, 5], [1, 0]]\n'
    file.write_text(text)
    assert read_costs(file).unit == CostMatrix.from_file(file).unit == "EUR"
    file.write_text(f'{text}[extension]\nrule = "discounted"\n')
    assert read_costs(file).unit == "EUR"
    file.write_text(text.replace('"EUR"', "5"))
    with pytest.raises(ValueError, match=r"costs\.toml: unit must be a short text"):
        read_costs(file)


@pytest.mark.parametrize(
    ("amount", "text"),
    [(0.4163, "0.42"), (1234.5, "1,234.50"), (-0.034, "-0.034"), (0, "0.00"), (1e-17, "0.00")],
)
def test_amounts_have_two_digits_or_more_if_they_are_small(amount, text):
    assert format_amount(amount) == text
    assert format_amount(amount, "EUR") == f"{text} EUR"
