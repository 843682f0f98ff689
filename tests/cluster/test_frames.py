"""Tallies of Dask frames equal those of the same rows in memory, partition by partition."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import dask
from tests.cluster.conftest import CLASSES
from wager._dask import FAN_IN, add_all
from wager.costs import CostTally
from wager.rewards import PairedTally, ProbabilityTally, Tally

pytestmark = pytest.mark.long

dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")

SETS = ["a", "b", "a|b", "b|c", "", "a|b|c"]


def frame(n=200, seed=0):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.ones(3), n)
    columns = {
        "y": rng.choice(CLASSES, n),
        "one": rng.choice(CLASSES, n),
        "other": rng.choice(SETS, n),
        "weight": rng.choice([0.25, 1.0, 0.1, 3.7], n),
        "count": rng.integers(0, 4, n),
        "patient": rng.integers(0, 12, n),
    }
    return pd.DataFrame(columns | {c: proba[:, i] for i, c in enumerate(CLASSES)})


def tallies(rows, keep_clusters=None, **units):
    """Every kind of tally that adds up, of the rows of a frame."""
    given_units = {name: rows[column] for name, column in units.items()}
    if keep_clusters:
        given_units["keep_clusters"] = True
    return {
        "sets": Tally.of(rows["y"], rows["other"], classes=CLASSES, **given_units),
        "labels": Tally.of(rows["y"], rows["one"], classes=CLASSES, **given_units),
        "pairs": PairedTally.of(rows["y"], rows["one"], rows["other"], **given_units),
        "probabilities": ProbabilityTally.of(rows["y"], rows[CLASSES], **given_units),
        "costs": CostTally.of(rows["y"], rows["other"], **given_units),
    }


UNITS = {
    "rows": {},
    "counts": {"counts": "count"},
    "weights": {"sample_weight": "weight"},
    "clusters": {"groups": "patient"},
    "all": {"sample_weight": "weight", "counts": "count", "groups": "patient"},
}


@pytest.mark.parametrize("units", UNITS.values(), ids=UNITS)
def test_partitions_are_counted_on_a_cluster(client, units):
    rows = frame()
    with client.as_current():
        found = tallies(dd.from_pandas(rows, npartitions=3), **units)
    parts = np.array_split(np.arange(len(rows)), 3)
    assert [len(part) for part in parts] == [67, 67, 66]
    keep = {"keep_clusters": True} if "groups" in units else {}
    counted = [tallies(rows.iloc[part], **units, **keep) for part in parts]
    for kind, tally in found.items():
        assert tally == add_all([each[kind] for each in counted]), kind


@settings(max_examples=4, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(2, 40), st.integers(1, 10), st.sampled_from(sorted(UNITS)))
def test_partitions_add_up_to_the_rows_in_memory(n, n_partitions, name):
    rows, units = frame(n, n), UNITS[name]
    rows.loc[0, "count"] = 1
    with dask.config.set(scheduler="synchronous"):
        found = tallies(dd.from_pandas(rows, npartitions=n_partitions), **units)
    expected = tallies(rows, **units)
    assert found.keys() == expected.keys()
    for kind in ("sets", "labels"):
        mine, theirs = found[kind], expected[kind]
        if name in ("rows", "counts"):
            assert mine == theirs
        np.testing.assert_allclose(mine.table, theirs.table, rtol=1e-12)
        one, other = (tally.scores()["u65"] for tally in (mine, theirs))
        assert one.value == pytest.approx(other.value, rel=1e-12)
        assert one.standard_error == pytest.approx(other.standard_error, rel=1e-9, nan_ok=True)
    if name in ("rows", "counts"):
        assert found["pairs"] == expected["pairs"]
        assert found["costs"].counts.tolist() == expected["costs"].counts.tolist()
    one, other = (kinds["pairs"].difference("u65") for kinds in (found, expected))
    assert one.mean == pytest.approx(other.mean, rel=1e-12, abs=1e-14)
    assert one.standard_error == pytest.approx(other.standard_error, rel=1e-9, nan_ok=True)
    one, other = (kinds["probabilities"].score("log_loss") for kinds in (found, expected))
    assert one.value == pytest.approx(other.value, rel=1e-12)
    assert one.standard_error == pytest.approx(other.standard_error, rel=1e-9, nan_ok=True)


def test_weighted_sums_have_the_bits_of_the_same_partitions_on_one_machine():
    rows = frame(500)
    lazy = dd.from_pandas(rows, npartitions=11)
    with dask.config.set(scheduler="synchronous"):
        parts = [lazy.partitions[i].compute() for i in range(11)]
        found = tallies(lazy, sample_weight="weight")
    counted = [tallies(part, sample_weight="weight") for part in parts]
    for kind, tally in found.items():
        level = [each[kind] for each in counted]
        while len(level) > 1:
            level = [add_all(level[i : i + FAN_IN]) for i in range(0, len(level), FAN_IN)]
        assert tally == level[0], kind


def test_arrays_and_frames_of_indicators_are_counted():
    rng = np.random.default_rng(1)
    truth, sets = rng.integers(0, 3, 100), rng.random((100, 3)) < 0.5
    with dask.config.set(scheduler="synchronous"):
        lazy = da.from_array(truth, chunks=30), da.from_array(sets, chunks=(30, 2))
        assert Tally.of(*lazy) == Tally.of(truth, sets)
        labels = pd.Series(np.array(CLASSES)[truth])
        named = pd.DataFrame(sets, columns=CLASSES)
        found = Tally.of(
            dd.from_pandas(labels, npartitions=4), dd.from_pandas(named, npartitions=4)
        )
    assert found == Tally.of(labels, named)


def test_labels_of_any_partition_are_classes_and_empty_partitions_are_nothing():
    rows = frame(60)
    rows["y"], rows["one"] = ["a"] * 59 + ["c"], ["b"] + ["a"] * 59
    with dask.config.set(scheduler="synchronous"):
        lazy = dd.from_pandas(rows, npartitions=6)
        assert Tally.of(lazy.y, lazy.one) == Tally.of(rows.y, rows.one)
        some = lazy[lazy.weight > 3]
        few = rows[rows.weight > 3]
        assert Tally.of(some.y, some.one) == Tally.of(few.y, few.one)
        none = lazy[lazy.weight > 9]
        with pytest.raises(ValueError, match="there is no prediction to score"):
            Tally.of(none.y, none.one)
        with pytest.raises(ValueError, match="there is no prediction to score"):
            Tally.of(none.y, none.one, classes=CLASSES).expected_utility("u65")


def test_what_does_not_fit_together_is_one_sentence():
    rows = frame(60)
    with dask.config.set(scheduler="synchronous"):
        lazy = dd.from_pandas(rows, npartitions=6)
        with pytest.raises(ValueError, match="y_true is a Dask collection but y_pred is not: pass"):
            Tally.of(lazy.y, rows.one)
        other = dd.from_pandas(rows, npartitions=4)
        with pytest.raises(ValueError, match="y_true has 6 partitions but y_pred has 4: pass col"):
            Tally.of(lazy.y, other.one)
        with pytest.raises(ValueError, match=r"^partition \d \(the first one is 0\): y_pred con"):
            Tally.of(lazy.y, lazy.one, classes=["a", "b"])
        with pytest.raises(ValueError, match=r"^partition \d .*: y_true has a missing label"):
            Tally.of(lazy.y.where(lazy.weight > 1), lazy.one)
        with pytest.raises(ValueError, match=r"^partition \d .*: sample_weight must be finite"):
            Tally.of(lazy.y, lazy.one, sample_weight=-lazy.weight)
