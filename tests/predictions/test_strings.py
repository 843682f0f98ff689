"""Sets written as text are read back, whatever the labels are made of."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from wager.predictions._strings import join_labels, separator_in, split_labels

labels = st.lists(st.text("ab|\\,; ", min_size=1, max_size=6), max_size=5)


@given(labels, st.sampled_from("|,;"))
def test_splitting_undoes_joining(row, sep):
    assert split_labels(join_labels(row, sep), sep) == row


@given(st.text("ab\\ ", min_size=1))
def test_text_without_a_separator_is_one_label(text):
    assert split_labels(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("a", ["a"]),
        ("a|b", ["a", "b"]),
        (r"a\|b", ["a|b"]),
        (r"a\\|b", ["a\\", "b"]),
        (r"a\\\|b", ["a\\|b"]),
        (r"a\b|c", ["a\\b", "c"]),
        ("a\\", ["a\\"]),
    ],
)
def test_a_backslash_counts_only_before_a_separator(text, expected):
    assert split_labels(text) == expected


@pytest.mark.parametrize("sep", [";", ",", "/", "+", "&", "\t", " "])
def test_another_separator_is_recognized_by_the_classes_it_joins(sep):
    assert separator_in(f"a{sep}b", {"a", "b"}) == sep
    assert separator_in(f"a{sep}b", {f"a{sep}b", "a", "b"}) is None
    assert separator_in(f"a{sep}z", {"a", "b"}) is None


def test_python_and_r_spellings_of_a_set_are_recognized():
    assert separator_in("['a', 'b']", {"a", "b"}) == ","
    assert separator_in("{a, b}", {"a", "b"}) == ","
