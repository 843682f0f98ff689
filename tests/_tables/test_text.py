from __future__ import annotations

import numpy as np
import pytest

from wager._tables import format_number, format_table, signed_numbers


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.5, "0.5000"),
        (np.float64(-1.25), "-1.2500"),
        (np.int64(7), "7"),
        (3, "3"),
        (0.0, "0.0000"),
        (1.5e-7, "1.50e-07"),
        (float("nan"), "-"),
        (None, "-"),
        (float("inf"), "inf"),
        (True, "True"),
        ("text", "text"),
    ],
)
def test_numbers_are_short(value, shown):
    assert format_number(value) == shown


def test_columns_are_as_wide_as_their_widest_cell():
    lines = format_table(
        [["a", 1.0, "x"], ["longer", 22, "yy"]], ["name", "n", "w"], align="<><"
    ).split("\n")
    assert lines == [
        "name         n  w",
        "------------------",
        "a       1.0000  x",
        "longer      22  yy",
    ]


def test_nothing_is_an_empty_table():
    assert format_table([]) == ""
    assert format_table([[1, 2]], indent=2) == "  1  2"


@pytest.mark.parametrize("unit", [1.0, 1e-6, 1e-12])
def test_differences_on_one_side_of_0_do_not_look_like_0(unit):
    for sign in (1, -1):
        shown = signed_numbers(*(sign * unit * value for value in (2e-5, 1e-5, 0.03)))
        assert all(float(text) * sign > 0 for text in shown)
