"""Labels of a long text are numbered as a dictionary would do it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from wager._tables import _joined_texts as joined_texts, count_joined, number_joined
from wager.predictions import PredictionSets, _reading as reading

LABELS = st.text(st.characters(exclude_characters="|\0"), max_size=12)


@given(st.lists(LABELS, min_size=1, max_size=50))
def test_codes_and_labels_are_those_of_a_dictionary(labels):
    found = number_joined("|".join(labels), "|")
    assert found is not None
    codes, distinct = found
    assert distinct == list(dict.fromkeys(labels))
    assert [distinct[code] for code in codes] == labels


@given(st.lists(st.integers(0, 30), min_size=1, max_size=60))
def test_labels_that_share_every_slot_are_distinguished(numbers):
    hashes = np.array(numbers, dtype=np.uint64)  # the bits that choose the slot are all 0
    first = joined_texts._first_equal(hashes)
    assert first.tolist() == [numbers.index(number) for number in numbers]


def test_equal_hashes_of_different_labels_are_noticed(monkeypatch):
    monkeypatch.setattr(
        joined_texts, "_hashes", lambda data, starts, ends: np.zeros(len(starts), dtype=np.uint64)
    )
    assert number_joined("a|b", "|") is None


@given(st.lists(st.lists(st.sampled_from(["a", "bc", "é", "d e"]), max_size=3), max_size=30))
def test_sets_that_are_split_together_are_those_that_are_split_one_by_one(lists):
    texts = ["|".join(labels) for labels in lists]
    one_by_one = PredictionSets.from_strings(texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_MANY_STRINGS", 0)
        patch.setattr(reading, "_SAMPLE", 0)
        assert PredictionSets.from_strings(texts) == one_by_one
        assert PredictionSets.from_strings(np.array(texts, dtype=object)) == one_by_one
        if any(texts):
            assert reading._read_many_strings(texts, "|") is not None


@given(st.lists(st.lists(LABELS.filter(bool), max_size=3).map("|".join), max_size=20))
def test_labels_of_each_text_are_counted(texts):
    counts = count_joined(texts, "|")
    assert counts.tolist() == [text.count("|") + bool(text) for text in texts]
