"""Sums of cells with the second moments of independent units."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from wager._tables import RowUnits
from wager.rewards import (
    CellSums,
    ClassTally,
    PairedTally,
    Tally,
    estimate_mean,
    evaluate_sets,
    tally_by,
)

rows = st.lists(
    st.tuples(
        st.integers(0, 5),  # cell
        st.floats(0.1, 9),  # weight
        st.integers(1, 4),  # count
        st.sampled_from("abcd"),  # cluster
    ),
    min_size=2,
    max_size=25,
)


def slow_squares(cell, each, cluster, numbers):
    """The sum over the clusters of the outer product of their cell totals."""
    square = np.zeros((len(numbers), len(numbers)))
    for name in set(cluster):
        totals = np.zeros(len(numbers))
        for c, w, g in zip(cell, each, cluster, strict=True):
            if g == name:
                totals[list(numbers).index(c)] += w
        square += np.outer(totals, totals)
    return square


@given(rows)
def test_clusters_have_the_second_moments_of_their_totals(rows):
    cell, weight, count, cluster = map(list, zip(*rows, strict=True))
    units = RowUnits.of(len(rows), weight, count, cluster)
    sums = CellSums.of(np.array(cell), units)
    slow = slow_squares(cell, np.multiply(weight, count), cluster, sums.numbers)
    np.testing.assert_allclose(sums.squares, slow)


@given(rows, st.integers(0, 25))
def test_parts_add_up_even_if_they_divide_clusters(rows, cut):
    cell, weight, count, cluster = (np.array(column) for column in zip(*rows, strict=True))

    def sums(part):
        units = RowUnits.of(len(cell[part]), weight[part], count[part], cluster[part])
        return CellSums.of(cell[part], units, keep_clusters=True)

    cut = min(max(cut, 1), len(rows) - 1)
    whole, total = sums(slice(None)), sums(slice(cut)) + sums(slice(cut, None))
    np.testing.assert_array_equal(total.numbers, whole.numbers)
    np.testing.assert_allclose(total.totals, whole.totals)
    np.testing.assert_allclose(total.squares, whole.squares)


@given(rows)
def test_larger_cells_have_the_sums_of_their_parts(rows):
    cell, weight, _, cluster = (np.array(column) for column in zip(*rows, strict=True))
    for units in (
        RowUnits(),
        RowUnits.of(len(rows), weight),
        RowUnits.of(len(rows), groups=cluster),
    ):
        fine = CellSums.of(cell, units)
        coarse, direct = fine.renumbered(fine.numbers // 2), CellSums.of(cell // 2, units)
        np.testing.assert_array_equal(coarse.numbers, direct.numbers)
        np.testing.assert_allclose(coarse.totals, direct.totals)
        assert coarse.n_units == pytest.approx(direct.n_units)
        if direct.squares is not None:
            np.testing.assert_allclose(coarse.squares, direct.squares)


@given(rows)
def test_the_standard_error_is_the_sandwich_of_the_units(rows):
    cell, weight, _, cluster = (np.array(column) for column in zip(*rows, strict=True))
    values = np.array([0.0, 1.0, 0.65, 0.3, 0.5, 0.8])
    mean = np.average(values[cell], weights=weight)
    for groups in (np.arange(len(rows)), cluster):
        sums = CellSums.of(cell, RowUnits.of(len(rows), weight, groups=groups))
        found = estimate_mean(values[sums.numbers], sums, 0, 1)
        names = sorted(set(groups.tolist()))
        scores = [float(np.sum((weight * (values[cell] - mean))[groups == name])) for name in names]
        sizes = np.array([weight[groups == name].sum() for name in names])
        units = sizes.sum() ** 2 / (sizes**2).sum()
        if units > 1 + 1e-9:
            slow = np.sqrt(np.sum(np.square(scores)) * units / (units - 1)) / weight.sum()
            assert found.standard_error == pytest.approx(slow, abs=1e-9)


def test_a_part_that_keeps_clusters_is_not_added_to_one_that_does_not():
    y, groups = [0, 1], ["a", "b"]
    kept = Tally.of(y, y, groups=groups, keep_clusters=True)
    plain = Tally.of(y, y, groups=groups)
    with pytest.raises(ValueError, match="keep their clusters"):
        kept + plain
    assert (Tally.empty(2) + kept).effective_n == 2


def test_every_tally_knows_its_clusters():
    rng = np.random.default_rng(3)
    n = 200
    y, a, b = (rng.integers(0, 3, n) for _ in range(3))
    groups = rng.integers(0, 20, n)
    tally = Tally.of(y, a, groups=groups)
    paired = PairedTally.of(y, a, b, groups=groups)
    by_class = ClassTally.of(y, a, groups=groups)
    assert paired.a.estimate("u65").standard_error == pytest.approx(
        tally.estimate("u65").standard_error
    )
    assert by_class.total.estimate("u65").standard_error == pytest.approx(
        tally.estimate("u65").standard_error
    )
    for label in (0, 1, 2):
        part = Tally.of(y[y == label], a[y == label], [0, 1, 2], groups=groups[y == label])
        assert by_class[label].estimate("u65").standard_error == pytest.approx(
            part.estimate("u65").standard_error
        )
    found = evaluate_sets(y, a, groups=groups)
    assert found.class_estimates[1].interval() == pytest.approx(
        by_class[1].estimate("u65").interval()
    )
    halves = tally_by(y > 1, y, a, [0, 1, 2], groups=groups)
    assert sum(t.n for t in halves.values()) == n
    for again in (Tally.from_json(tally.to_json()), Tally.of(y, a, groups=groups) + Tally.empty(3)):
        assert again.estimate("u80").interval() == pytest.approx(tally.estimate("u80").interval())
    again = PairedTally.from_json(paired.to_json())
    assert again.difference("u65").interval() == pytest.approx(paired.difference("u65").interval())


def test_weighted_sums_without_a_part_are_those_of_the_others():
    """The weights are powers of two, so that the sums of squares are exact."""
    cell, weight = np.array([1, 1, 3, 3]), np.array([1.0, 2.0, 0.5, 4.0])
    whole, part, rest = (
        CellSums.of(cell[rows], RowUnits.of(len(rows), sample_weight=weight[rows]))
        for rows in ([0, 1, 2, 3], [1, 2], [0, 3])
    )
    found = whole - part
    assert found.totals.tolist() == rest.totals.tolist() == [1, 4]
    assert found.squares.tolist() == rest.squares.tolist() == [1, 16]


def test_whole_number_weights_are_weights():
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, 200), rng.integers(0, 2, 200)
    errors = [
        evaluate_sets(y, p, sample_weight=np.full(200, w)).estimates["u65"].standard_error
        for w in (1.0, 10, 2.5)
    ]
    assert errors == pytest.approx([errors[0]] * 3)
    uneven = np.where(rng.random(200) < 0.05, 19, 1)
    whole, fraction = (
        evaluate_sets(y, p, sample_weight=uneven * scale).estimates["u65"].interval()
        for scale in (1, 1.0001)
    )
    assert whole == pytest.approx(fraction, abs=1e-6)


def test_clusters_of_other_cells_are_refused():
    tally = Tally.of([0, 1, 1, 0], [0, 1, 0, 0], groups=[0, 0, 1, 1], keep_clusters=True)
    data = tally.to_dict()
    assert Tally.from_dict(data) == tally
    for row in data["clusters"]["totals"]:
        row.append(0)
    words = "the totals of clusters must have one column for each of the 2 cells, got 3"
    with pytest.raises(ValueError, match=words):
        Tally.from_dict(data)


def test_coverage_by_class_has_one_interval():
    rng = np.random.default_rng(0)
    y, sets, weights = rng.integers(0, 3, 30), rng.random((30, 3)) < 0.6, rng.uniform(0.2, 3, 30)
    found = evaluate_sets(y, sets, sample_weight=weights)
    frame = found.by_class_frame()
    for label, estimate in found.class_estimates.items():
        ends = frame.loc[label, ["coverage_lower", "coverage_upper"]]
        assert estimate.interval() == pytest.approx(tuple(ends), abs=1e-12)
