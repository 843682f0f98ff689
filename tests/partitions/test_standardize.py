"""The standardized partition: ties, depth, scaling learnt here and applied there, its tables."""

import json

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.partitions.strategies import partitions
from wager.partitions import class_frequencies, standardize, to_memberships

TIED = np.array(
    [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.1, 0.2, 0.7]]
)


# Learnt here, applied there ----------------------------------------------------------------------


@given(partitions(), st.data(), st.sampled_from(["first", "join"]))
def test_the_objects_of_the_fit_are_transformed_alike(data, draw, ties):
    truth, memberships = data
    depth = draw.draw(st.integers(1, memberships.shape[1] - 1))
    partition = standardize(truth, memberships, depth=depth, ties=ties)
    np.testing.assert_allclose(partition.transform(memberships), partition.scaled, atol=1e-12)


def test_an_order_never_seen_keeps_its_memberships():
    partition = standardize([0, 1, 0], [[0.6, 0.3, 0.1], [0.7, 0.2, 0.1], [0.9, 0.1, 0.0]], depth=2)
    new = np.array([[0.1, 0.3, 0.6], [0.8, 0.15, 0.05]])
    moved = partition.transform(new)
    np.testing.assert_array_equal(moved[0], new[0])
    assert moved[1, 0] != new[1, 0]


def test_a_transformed_matrix_must_have_the_same_classes():
    with pytest.raises(
        ValueError, match="must have the 2 classes that the scaling was fitted on, got 3"
    ):
        standardize([0, 1], [[0.6, 0.4], [0.3, 0.7]]).transform([[0.2, 0.3, 0.5]])


# Ties ------------------------------------------------------------------------------------------


def test_of_tied_classes_the_first_is_assigned():
    assert standardize([0, 1, 0, 1, 2], TIED).assigned.tolist() == [0, 0, 0, 1, 2]


def test_ties_are_drawn_by_seed():
    memberships = np.full((400, 2), 0.5)
    truth = np.arange(400) % 2
    drawn = standardize(truth, memberships, ties="random", random_state=7)
    again = standardize(truth, memberships, ties="random", random_state=7)
    np.testing.assert_array_equal(drawn.assigned, again.assigned)
    assert 150 < drawn.assigned.sum() < 250
    clear = standardize([0, 1], [[0.6, 0.4], [0.1, 0.9]], ties="random", random_state=1)
    assert clear.assigned.tolist() == [0, 1]


def test_regions_that_share_a_tied_object_are_joined():
    partition = standardize([0, 1, 0, 0, 2], TIED, ties="join")
    assert [region.orders for region in partition.regions] == [((0,), (1,)), ((2,),)]
    joined = partition.regions[0]
    assert joined.n == 4
    assert joined.assigned == (0, 1)
    assert joined.correctness == 2 / 4  # two of the four were assigned to their class
    np.testing.assert_allclose(joined.frequencies, [0.75, 0.25, 0])


def test_without_ties_joining_changes_nothing():
    rng = np.random.default_rng(3)
    memberships, truth = rng.dirichlet(np.ones(4), 80), rng.integers(0, 4, 80)
    for depth in (1, 2, 3):
        plain = standardize(truth, memberships, depth=depth)
        joined = standardize(truth, memberships, depth=depth, ties="join")
        np.testing.assert_array_equal(joined.scaled, plain.scaled)


def test_deeper_ties_join_deeper_regions():
    memberships = [[0.8, 0.1, 0.1], [0.7, 0.2, 0.1], [0.7, 0.1, 0.2], [0.1, 0.8, 0.1]]
    orders = [
        r.orders for r in standardize([0, 1, 2, 1], memberships, depth=2, ties="join").regions
    ]
    assert orders == [((0, 1), (0, 2)), ((1, 0),)]


# Depth -----------------------------------------------------------------------------------------


def test_regions_of_depth_two_are_pairs_of_classes():
    partition = standardize(
        ["a", "b", "c"], [[0.6, 0.3, 0.1], [0.5, 0.1, 0.4], [0.1, 0.2, 0.7]],
        classes=["a", "b", "c"], depth=2,
    )  # fmt: skip
    assert [region.orders[0] for region in partition.regions] == [
        ("a", "b"),
        ("a", "c"),
        ("c", "b"),
    ]
    assert all(len(region.steps) == 2 for region in partition.regions)


def test_where_objects_limit_the_certainty_the_steps_form_one_dirichlet():
    """The parameters of step j are those of the observed class counts, as for successive Betas."""
    rng = np.random.default_rng(0)
    memberships = np.array([0.6, 0.3, 0.1]) + 0.02 * rng.uniform(-1, 1, (30, 3))
    memberships /= memberships.sum(axis=1, keepdims=True)
    truth = np.array([0] * 15 + [1] * 9 + [2] * 6)
    first, second = standardize(truth, memberships, depth=2).regions[0].steps
    if first.branch == second.branch == "beta":
        counts = (first.alpha_scaled, second.alpha_scaled, second.beta_scaled)
        assert counts == pytest.approx((15, 9, 6))
    assert first.p == 15 / 30
    assert second.p == 9 / 15


@pytest.mark.parametrize("depth", [0, 3, 1.5, "2"])
def test_depth_runs_from_one_to_one_less_than_the_classes(depth):
    with pytest.raises(ValueError, match="from 1 to 2 for 3 classes"):
        standardize([0, 1], [[0.6, 0.3, 0.1], [0.1, 0.8, 0.1]], depth=depth)


# What it is ------------------------------------------------------------------------------------


def test_the_table_the_frame_and_the_dictionary_agree():
    labels = np.array(["low", "high"])
    rng = np.random.default_rng(5)
    memberships, truth = rng.dirichlet([1, 1], 30), rng.integers(0, 2, 30)
    partition = standardize(labels[truth], memberships, classes=labels)
    plain, frame = partition.to_dict(), partition.to_frame()
    json.dumps(plain)
    assert plain["accuracy"] == partition.accuracy
    assert plain["before_scaling"]["accuracy"] == partition.measures_before.accuracy
    assert frame["region"].tolist() == ["low", "high"]
    assert frame["n"].sum() == 30
    shown = repr(partition)
    assert "30 objects, 2 classes, scaled at depth 1" in shown
    assert f"{partition.separation:.4f}" in shown


def test_a_table_of_many_regions_is_cut_and_says_so():
    rng = np.random.default_rng(2)
    partition = standardize(rng.integers(0, 5, 300), rng.dirichlet(np.ones(5), 300), depth=2)
    assert "more rows: see to_frame()" in repr(partition)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: standardize([0], [[0.5, 0.6]]), "every row of memberships must sum to 1"),
        (lambda: standardize([0], [[1.0]]), "at least two classes"),
        (lambda: standardize([2], [[0.5, 0.5]]), "y_true runs from 2 to 2"),
        (lambda: standardize([0], [[0.5, 0.5]], ties="last"), "'first', 'random' or 'join'"),
    ],
)
def test_error_messages_are_clear(call, words):
    with pytest.raises(ValueError, match=words):
        call()


# Memberships from scores, and frequencies by value -----------------------------------------------


@given(partitions(), st.sampled_from(["softmax", "shift", "rank"]), st.integers(0, 99))
def test_scores_become_memberships_in_the_same_order(data, kind, seed):
    scores = np.random.default_rng(seed).normal(size=data[1].shape).round(1)
    memberships = to_memberships(scores, kind=kind)
    np.testing.assert_allclose(memberships.sum(axis=1), 1)
    assert (memberships >= 0).all()
    for raw, moved in zip(scores, memberships, strict=True):
        gaps = np.sign(raw[:, None] - raw) * (moved[:, None] - moved)
        assert (gaps >= -1e-15).all()
        assert (np.abs(moved[:, None] - moved)[raw[:, None] == raw] < 1e-12).all()


def test_a_known_zero_point_is_used():
    np.testing.assert_allclose(
        to_memberships([[1, 3], [2, 2]], "shift", zero=0), [[0.25, 0.75], [0.5, 0.5]]
    )
    np.testing.assert_allclose(to_memberships([[1, 3]], "shift", zero=1), [[0, 1]])
    np.testing.assert_allclose(to_memberships([[4, 4]], "shift"), [[0.5, 0.5]])


@pytest.mark.parametrize("kind", ["softmax", "shift"])
def test_scores_near_the_largest_number_do_not_overflow(kind):
    found = to_memberships([[1.5e308, -1.5e308, 1.5e308], [0.0, -1.5e308, 0.0]], kind)
    np.testing.assert_allclose(found, [[0.5, 0, 0.5], [0.5, 0, 0.5]])


def test_softmax_does_not_overflow_and_can_be_sharpened():
    np.testing.assert_allclose(to_memberships([[1000.0, 0.0]]), [[1, 0]], atol=1e-12)
    sharp = to_memberships([[1.0, 0.0]], sharpness=3)
    assert sharp[0, 0] == pytest.approx(1 / (1 + np.exp(-3)))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: to_memberships([[1.0, np.nan]]), "must be finite, got nan in row 0, column 1"),
        (lambda: to_memberships([[1.0, 2.0]], kind="logit"), "'softmax', 'shift' or 'rank'"),
        (
            lambda: to_memberships([[1.0, 2.0]], kind="shift", zero=1.5),
            "zero=1.5 and a score of 1",
        ),
        (lambda: to_memberships([[1.0, 2.0]], sharpness=0), "sharpness must be positive"),
        (lambda: to_memberships([1.0, 2.0]), "one row per instance"),
        (lambda: class_frequencies(["a"], [0, 1]), "X has 1 row but y_true has 2"),
        (lambda: class_frequencies([], []), "nothing to count"),
        (lambda: class_frequencies(np.zeros((1, 1, 1)), [0]), "one or two dimensions"),
    ],
)
def test_scores_and_values_are_checked(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_classes_are_counted_by_distinct_value():
    X = [["red", 1], ["red", 1], ["blue", 2], ["red", 2]]
    found = class_frequencies(X, ["a", "b", "b", "b"], classes=["a", "b", "c"])
    assert found.values == (("blue", "2"), ("red", "1"), ("red", "2"))
    np.testing.assert_array_equal(found.counts, [1, 2, 1])
    np.testing.assert_allclose(found.frequencies, [[0, 1, 0], [0.5, 0.5, 0], [0, 1, 0]])
    np.testing.assert_allclose(found.of([["red", 1]]), [[0.5, 0.5, 0]])
    with pytest.raises(ValueError, match="occurred 1 times, less than min_count=2"):
        found.of([["blue", 2]], min_count=2)
    with pytest.raises(ValueError, match=r"\('green', '1'\) in row 0 occurred 0 times"):
        found.of([["green", 1]])
    assert "blue, 2" in repr(found)
    assert found.to_frame().loc[[("red", "1")], "a"].tolist() == [0.5]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30))
def test_frequencies_by_value_are_those_of_a_loop(pairs):
    X, y = zip(*pairs, strict=True)
    found = class_frequencies(X, y, classes=[0, 1, 2])
    for value, row in zip(found.values, found.frequencies, strict=True):
        mine = [label for x, label in pairs if (x,) == value]
        np.testing.assert_allclose(row, [mine.count(c) / len(mine) for c in range(3)])


@pytest.mark.parametrize("unit", [1, -1, 1 / 3, 1e-300, 1e300])
def test_scores_that_differ_only_by_rounding_share_their_rank(unit):
    scores = np.array([[0.3, 0.1 + 0.2, 0.4, 0.5], [0.1 + 0.2, 0.3, 0.3, 0.3 + 1e-12]]) * unit
    expected = [[1.5, 1.5, 3, 4], [2, 2, 2, 4]] if unit > 0 else [[3.5, 3.5, 2, 1], [3, 3, 3, 1]]
    np.testing.assert_array_equal(to_memberships(scores, "rank"), np.array(expected) / 10)
