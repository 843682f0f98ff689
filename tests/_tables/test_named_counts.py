"""Named counts add up exactly, whatever the order, and refuse parts that do not belong together."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from wager._tables import Counts, NamedCounts, PairCounts, Schema

LABELS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=4, unique=True)


@st.composite
def named_counts(draw, pairs=True):
    """Counts of two features, one of labels and one of codes, with classes of a few names."""
    levels, classes = draw(LABELS), draw(LABELS)
    random = np.random.default_rng(draw(st.integers(0, 2**16)))
    n_values = np.array([len(levels) + draw(st.integers(0, 1)), draw(st.integers(1, 3))])
    n = draw(st.integers(0, 12))
    codes = random.integers(-1, [len(levels), n_values[1]], size=(n, 2))
    kind = PairCounts if pairs else Counts
    table = kind.of(codes, random.integers(0, len(classes), size=n), n_values, len(classes))
    schema = Schema(np.ones(2, dtype=bool), (np.array(levels, dtype=object), None), n_values)
    return NamedCounts(table, np.array(classes), schema, ("first", "second"))


@given(named_counts(), named_counts(), named_counts())
def test_the_order_of_addition_does_not_matter(a, b, c):
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a
    assert sum([a, b, c]) == a + b + c
    assert (a + b).n_rows == a.n_rows + b.n_rows


@given(named_counts(), named_counts())
def test_every_count_of_a_sum_is_the_sum_of_the_counts_of_its_names(a, b):
    def count(counts, label, code, name):
        levels, classes = counts.schema.levels[0].tolist(), counts.classes.tolist()
        if label not in levels or name not in classes or code >= counts.schema.n_values[1]:
            return 0
        pairs = counts.table.of_features(0, 1)
        return pairs[levels.index(label), code, classes.index(name)]

    both = a + b
    for label in both.schema.levels[0]:
        for code in range(both.schema.n_values[1]):
            for name in both.classes:
                parts = count(a, label, code, name) + count(b, label, code, name)
                assert count(both, label, code, name) == parts


@given(named_counts(), named_counts(pairs=False))
def test_pairs_are_lost_where_a_part_has_none(a, b):
    assert a + b == a.without_pairs() + b
    assert not (a + b).has_pairs


@given(named_counts())
def test_counts_return_from_json_unchanged(counts):
    again = NamedCounts.from_json(counts.to_json())
    assert again == counts
    assert again.table.table.dtype == counts.table.table.dtype


def test_equal_lists_keep_their_order_and_others_are_sorted():
    schema = Schema(np.ones(1, dtype=bool), (np.array(["lo", "hi"], dtype=object),), np.array([2]))
    counts = Counts.of(np.array([[0]]), np.array([1]), np.array([2]), 2)
    one = NamedCounts(counts, np.array(["yes", "no"]), schema)
    assert (one + one).classes.tolist() == ["yes", "no"]
    assert (one + one).schema.levels[0].tolist() == ["lo", "hi"]
    other = NamedCounts(counts, np.array(["maybe", "no"]), schema)
    assert (one + other).classes.tolist() == ["maybe", "no", "yes"]


def test_pairs_of_more_rows_than_32_bits_hold_are_added_in_64():
    codes, y = np.array([[0]]), np.array([0])
    one = PairCounts.of(codes, y, np.array([1]), 1)
    many = PairCounts(
        np.full_like(one.table, 2**30),
        Counts(np.full((1, 1), 2**30), np.array([2**30]), np.array([1])),
    )
    assert (many + many).table.item() == 2**31
    assert (one + one).table.dtype == np.int32


def _of(features=None, levels=None, classes=("a",)):
    m = len(features or "x")
    table = Counts.of(np.zeros((1, m), int), np.array([0]), np.ones(m, int), len(classes))
    levels = (None,) * m if levels is None else levels
    schema = Schema(np.ones(m, dtype=bool), levels, np.ones(m, int))
    return NamedCounts(table, np.array(classes), schema, features)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (_of(("x", "y")), "cannot add counts of 1 feature to counts of 2"),
        (_of(("y",)), "feature 0 is 'x' in one part and 'y' in the other"),
        (_of(("x",), classes=(1,)), "the classes are 'a' in one part and 1 in the other"),
        (_of(("x",), (np.array(["u"]),)), "feature 'x' contains codes in one part and labels in"),
    ],
)
def test_parts_that_do_not_belong_together_are_refused(other, words):
    with pytest.raises(ValueError, match=words):
        _of(("x",)) + other


TEXT = _of(("x",)).to_json()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "this is not the JSON of a NamedCounts"),
        ("[]", "it must be an object with the keys classes, rows, features, pairs"),
        (TEXT.replace('"rows"', '"row"'), "'rows' is missing"),
        (TEXT.replace('"rows": [1]', '"rows": [-1]'), "rows must be finite numbers that are not"),
        (TEXT.replace('"rows": [1]', '"rows": [1.5]'), "rows must be whole numbers, got 1.5"),
        (TEXT.replace('"rows": [1]', '"rows": [1, 2]'), r"rows must have the shape \(1,\)"),
        (TEXT.replace('"rows": [1]', '"rows": [0]'), "more known values than its class has rows"),
        (TEXT.replace('"rows": [1]', '"rows": [18446744073709551615]'), "rows must be numbers"),
        (TEXT.replace('["a"]', '["a", "a"]'), "duplicate class 'a'"),
        (TEXT.replace('"n_values": 1', '"n_values": 0'), "n_values must be a number of values"),
        (TEXT.replace("[[1]]", "[[1], [2]]"), "counts of feature 0 must have the shape"),
        (TEXT.replace('"labels": null', '"labels": ["u", "w"]'), "at most n_values=1"),
        (TEXT.replace('"labels": null', '"labels": [NaN]'), "labels must be a list of strings"),
        (TEXT.replace('"pairs": null', '"pairs": [1]'), "pairs must have 0 entries, got 1"),
        (TEXT.replace('"features": [', '"features": [3, '), "a value has the wrong type"),
    ],
)
def test_other_json_is_refused_in_words(text, words):
    with pytest.raises(ValueError, match=words):
        NamedCounts.from_json(text)


def test_labels_that_json_cannot_hold_are_named():
    dates = np.array([np.datetime64("2020-01-01")], dtype=object)
    with pytest.raises(ValueError, match=r"feature x has the label .* which JSON cannot represent"):
        _of(("x",), (dates,)).to_json()
