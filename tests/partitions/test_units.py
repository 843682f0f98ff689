"""Clusters of dependent rows, and rows on disk: the same partition, in little memory."""

import tempfile
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from tests.fewer import fewer
from tests.partitions.strategies import partitions
from wager._tables import RowUnits
from wager.partitions import (
    DiskStorage,
    _independent_units as units_module,
    standardize,
    standardize_rows,
)

MEASURES = ("accuracy", "separation", "correctness", "confidence")


def errors(partition):
    return [partition.estimates[name].standard_error for name in MEASURES]


# Clusters ----------------------------------------------------------------------------------------


@given(partitions(), st.integers(1, 4), st.randoms(use_true_random=False))
@fewer(12)
def test_repeated_rows_of_a_cluster_add_no_information(data, times, random):
    truth, memberships = data
    order = [i for i in range(len(truth)) for _ in range(times)]
    random.shuffle(order)
    clustered = standardize(truth[order], memberships[order], groups=np.array(order))
    alone = standardize(truth, memberships)
    for name in MEASURES:
        found, expected = clustered.estimates_before[name], alone.estimates_before[name]
        assert found.n == expected.n == len(truth)
        assert found.value == pytest.approx(expected.value)
        assert found.effective_n == pytest.approx(expected.effective_n)
        error = pytest.approx(expected.standard_error, abs=1e-9, nan_ok=True)
        assert found.standard_error == error
    if times == 1:  # every row is a cluster
        np.testing.assert_allclose(errors(clustered), errors(alone), atol=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_counts_in_clusters_are_rows_written_several_times(weighted):
    rng = np.random.default_rng(0)
    truth, memberships = rng.integers(3, size=30), rng.dirichlet([1, 1, 1], 30)
    counts, groups = np.arange(30) % 4, np.arange(30) % 7
    units = {"groups": groups} | ({"sample_weight": rng.random(30)} if weighted else {})
    found = standardize(truth, memberships, counts=counts, **units).estimates
    written = {name: np.repeat(values, counts) for name, values in units.items()}
    expected = standardize(
        truth.repeat(counts), memberships.repeat(counts, axis=0), **written
    ).estimates
    for name in MEASURES:
        assert found[name].bias == pytest.approx(expected[name].bias)
        assert found[name].interval() == pytest.approx(expected[name].interval())


def test_the_errors_of_clusters_are_the_spread_over_test_sets():
    rng = np.random.default_rng(3)

    def draw(n_clusters):
        label = rng.integers(0, 3, n_clusters)
        feature = np.eye(3)[label] + 0.7 * rng.normal(size=(n_clusters, 3))
        truth = np.repeat(label, 4)
        scores = np.repeat(feature, 4, axis=0) + 0.5 * rng.normal(size=(4 * n_clusters, 3))
        memberships = np.exp(2 * scores)
        groups = np.repeat(np.arange(n_clusters), 4)
        return standardize(
            truth, memberships / memberships.sum(axis=1, keepdims=True), groups=groups
        )

    population = draw(5_000)
    draws = [draw(60) for _ in range(60)]
    for name in MEASURES:
        found = [one.estimates[name] for one in draws]
        spread = np.std([estimate.value for estimate in found], ddof=1)
        ratio = np.mean([estimate.standard_error for estimate in found]) / spread
        assert 0.8 < ratio < 1.25, name
        target = getattr(population, name)
        covered = [low <= target <= high for low, high in (e.interval() for e in found)]
        assert np.mean(covered) > 0.85, name


def test_one_cluster_has_no_error_and_the_whole_range():
    memberships = [[0.9, 0.1], [0.4, 0.6], [0.7, 0.3]]
    estimates = standardize([0, 1, 1], memberships, groups=["x"] * 3).estimates
    assert np.isnan([estimates[name].standard_error for name in MEASURES]).all()
    assert estimates["correctness"].interval() == (0, 1)
    assert estimates["accuracy"].interval() == pytest.approx((-1, 1))


@given(partitions(), st.integers(2, 6), st.integers(0, 5))
@fewer(12)
def test_sorted_clusters_are_added_block_by_block(data, n_clusters, seed):
    truth, memberships = data
    groups = np.random.default_rng(seed).integers(0, n_clusters, len(truth))
    unsorted = standardize(truth, memberships, groups=groups)
    order = np.argsort(groups, kind="stable")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wager._tables._rows.BLOCK", 3 * memberships.shape[1])  # three rows each
        blocks = standardize(truth[order], memberships[order], groups=groups[order])
        assert blocks.accuracy == pytest.approx(unsorted.accuracy, abs=1e-12)
        np.testing.assert_allclose(errors(blocks), errors(unsorted), atol=1e-9)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"groups": ["x"]}, "groups must name the cluster of each of the 2 rows, got 1"),
        ({"counts": [1, 0.5]}, "counts must be whole numbers from 0 up, got 0.5 in row 1"),
        ({"sample_weight": [0, 0]}, "sample_weight is 0 in every row"),
    ],
)
def test_wrong_units_are_named(options, words):
    with pytest.raises(ValueError, match=words):
        standardize([0, 1], [[0.6, 0.4], [0.3, 0.7]], **options)


# On disk -----------------------------------------------------------------------------------------


def on_disk(folder, truth, memberships, classes, units=None, **options):
    """The partition of rows that were written to disk in parts."""
    storage = DiskStorage(folder)
    columns = {"points": memberships, "truth": truth, **(units or {})}
    stored = {}
    for name, values in columns.items():
        stored[name] = storage(values.dtype, values.shape[1] if values.ndim == 2 else None)
        for part in np.array_split(values, 3):
            stored[name].append(part)
    points, truth = stored.pop("points"), stored.pop("truth")
    return standardize_rows(points, truth, classes, RowUnits(**stored), storage=storage, **options)


@fewer(6)
@given(partitions(), st.sampled_from(["first", "random", "join"]), st.booleans(), st.integers(0, 3))
def test_rows_on_disk_have_the_partition_of_rows_in_memory(data, ties, weighted, seed):
    truth, memberships = data
    assume(len(truth) > 1)
    depth = memberships.shape[1] - 1
    rng = np.random.default_rng(seed)
    units, given_units = {}, {}
    if weighted:
        units = {"weights": rng.random(len(truth)) + 0.1, "counts": rng.integers(1, 4, len(truth))}
        given_units = {"sample_weight": units["weights"], "counts": units["counts"]}
    options = {"depth": depth, "ties": ties, "random_state": 5}
    expected = standardize(truth, memberships, **given_units, **options)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("wager._tables._rows.BLOCK", 4 * memberships.shape[1])  # four rows each
        found = on_disk(Path(folder), truth, memberships, expected.classes, units, **options)
        np.testing.assert_allclose(found.scaled[0 : len(truth)], expected.scaled, atol=1e-12)
        plain, known = found.to_dict(), expected.to_dict()
        for name in ("rows", "classes", "depth"):
            assert plain[name] == known[name]
        for name in MEASURES:
            assert plain[name] == pytest.approx(known[name], abs=1e-12)
            error = f"{name}_standard_error"
            assert plain[error] == pytest.approx(known[error], abs=1e-9, nan_ok=True)
        assert repr(found) == repr(expected)


def test_memory_does_not_grow_with_rows_on_disk(tmp_path):
    rng = np.random.default_rng(0)
    peaks = []
    for n in (100, 12_000, 48_000):  # the first imports what is needed
        storage = DiskStorage(tmp_path)
        points, truth = storage(np.float64, 4), storage(np.int32, None)
        points.append(rng.dirichlet(np.ones(4), n))
        truth.append(rng.integers(0, 4, n))
        tracemalloc.start()
        partition = standardize_rows(points, truth, np.arange(4), RowUnits(), storage=storage)
        assert 0 < partition.estimates["accuracy"].standard_error < 0.1
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < 1.5 * peaks[1]


def test_the_rows_that_are_scaled_again_are_some_of_every_region():
    rng = np.random.default_rng(1)
    memberships = rng.dirichlet([8, 3, 1], 15_000)
    partition = standardize(memberships.argmax(axis=1), memberships)
    some = units_module.some_of_every_region(partition._rows, 3, 9_000)
    number = np.bincount(partition.assigned)
    assert np.bincount(some.region).tolist() == np.minimum(number, 3_000).tolist()
