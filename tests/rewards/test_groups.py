"""Measures of many groups at once equal those of each group by itself."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.fewer import fewer
from wager._tables import RowUnits
from wager.rewards import (
    GroupSums,
    GroupTally,
    ProbabilityRows,
    Tally,
    evaluate_by,
    get_utility,
    group_rewards,
)
from wager.rewards._tally_scores import mean_scores, other_measures

UTILITIES = ("u50", "u65", "f1", "exp-norm:2")


@st.composite
def grouped_rows(draw):
    """Rows in groups, with or without weights, counts and clusters that cross the groups."""
    n, n_classes = draw(st.integers(1, 60)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    rows = {
        "by": rng.integers(0, draw(st.integers(1, 8)), n),
        "y_true": rng.integers(0, n_classes, n),
        "y_pred": rng.random((n, n_classes)) < draw(st.sampled_from([0.1, 0.5, 0.9])),
    }
    kinds = draw(st.sets(st.sampled_from(["sample_weight", "counts", "groups"])))
    if "sample_weight" in kinds:
        rows["sample_weight"] = rng.choice([0.0, 0.5, 1.0, 3.7], n)
        rows["sample_weight"][0] = 1.0
    if "counts" in kinds:
        rows["counts"] = rng.integers(0, 4, n)
        rows["counts"][0] = 1
    if "groups" in kinds:
        rows["groups"] = rng.integers(0, draw(st.integers(1, 12)), n)
    return rows


def one_by_one(rows):
    """The tally of each group by itself."""
    n_classes = rows["y_pred"].shape[1]
    for name in np.unique(rows["by"]).tolist():
        chosen = rows["by"] == name
        part = {key: value[chosen] for key, value in rows.items() if key != "by"}
        weights = part.get("sample_weight", np.ones(1)), part.get("counts", np.ones(1))
        if (weights[0] * weights[1]).any():
            yield name, Tally.of(classes=range(n_classes), **part)


@given(grouped_rows())
@fewer(8)
def test_values_and_standard_errors_are_those_of_each_group_by_itself(rows):
    found = evaluate_by(utilities=UTILITIES, classes=range(rows["y_pred"].shape[1]), **rows)
    slow = dict(one_by_one(rows))
    assert found.names.tolist() == list(slow)
    for place, tally in enumerate(slow.values()):
        means = mean_scores(tally, [get_utility(u) for u in UTILITIES])
        assert [*means, *other_measures()] == list(found.values)
        for name, expected in means.items():
            assert found.values[name][place] == pytest.approx(
                expected.value, abs=1e-12, nan_ok=True
            )
            assert found.standard_errors[name][place] == pytest.approx(
                expected.standard_error, rel=1e-9, abs=1e-12, nan_ok=True
            )
        for name, measure in other_measures().items():
            assert found.values[name][place] == pytest.approx(measure(tally), abs=1e-12)


@fewer(5)
@given(grouped_rows(), st.sampled_from([0.5, 0.95]))
def test_intervals_are_those_of_each_group_by_itself(rows, level):
    found = evaluate_by(utilities=UTILITIES, classes=range(rows["y_pred"].shape[1]), **rows)
    columns = dict(found.columns(level))
    for place, (_, tally) in enumerate(one_by_one(rows)):
        for name, expected in mean_scores(tally, [get_utility(u) for u in UTILITIES]).items():
            ends = [columns[f"{name}_{end}"][place] for end in ("lower", "upper")]
            assert ends == pytest.approx(list(expected.interval(level)), abs=1e-7, nan_ok=True)


@given(grouped_rows())
def test_the_tally_of_a_group_is_that_of_its_rows(rows):
    tally = GroupTally.of(classes=range(rows["y_pred"].shape[1]), **rows)
    slow = dict(one_by_one(rows))
    assert dict(zip(tally.names.tolist(), tally.tallies(), strict=True)).keys() == slow.keys()
    for name, expected in slow.items():
        np.testing.assert_allclose(tally[name].table, expected.table, rtol=1e-12)
        assert tally[name].effective_n == pytest.approx(expected.effective_n)


def test_parts_have_at_least_one_group_each(monkeypatch):
    """A group with more entries than a part may have is a part by itself."""
    monkeypatch.setattr("wager.rewards._group_tally._ENTRIES", 2)
    by = ["x"] * 3 + ["y", "y", "z"]
    tally = GroupTally.of(by, [0, 0, 0, 1, 1, 1], [[0], [1], [0, 1], [0], [1], [1]], classes=[0, 1])
    found = list(islice(tally.parts(), 4))
    assert [part for part, _ in found] == [slice(0, 1), slice(1, 2), slice(2, 3)]
    assert [part.names.tolist() for _, part in found] == [["x"], ["y"], ["z"]]


def test_a_row_without_weight_is_not_counted():
    found = evaluate_by(
        ["x", "x", "y"], [0, 1, 1], [[0], [0, 1], [1]], sample_weight=[1.0, 0.0, 2.0]
    )
    assert found.rows.tolist() == [1, 1]
    assert found.total_weight.tolist() == [1, 2]


def test_the_weighted_tally_of_a_group_has_the_error_of_its_rows():
    rng = np.random.default_rng(0)
    by, y, weight = rng.choice(["x", "y"], 40), rng.integers(0, 3, 40), rng.random(40) + 0.1
    sets = rng.random((40, 3)) < 0.6
    tally = GroupTally.of(by, y, sets, sample_weight=weight)
    for name in ("x", "y"):
        own = by == name
        alone = Tally.of(y[own], sets[own], sample_weight=weight[own])
        found, expected = tally[name].estimate("u65"), alone.estimate("u65")
        assert found.standard_error == pytest.approx(expected.standard_error)
        assert tally[name].effective_n == pytest.approx(alone.effective_n)


def test_sums_of_weighted_rows_keep_the_squares_of_their_weights():
    """Group 0 has the cell 3 twice, with the weights 1 and 2; group 1 the cell 5."""
    sums, cell = GroupSums.of_rows(
        np.array([0, 0, 1]), 2, np.array([3, 3, 5]), RowUnits(np.array([1.0, 2.0, 4.0]), None)
    )
    assert (cell.tolist(), sums.totals.tolist(), sums.squares.tolist()) == ([3, 5], [3, 4], [5, 16])
    assert sums.n_units.tolist() == [9 / 5, 1]


def test_a_cluster_without_weight_is_no_unit():
    """The last cluster weighs nothing: means and errors are those of the others."""
    truth, proba = [0, 0, 1, 0, 0], [[0.5, 0.5], [0.25, 0.75], [0.5, 0.5], [0.5, 0.5], [0.9, 0.1]]
    weight, clusters = [1.0, 2.0, 0.5, 1.0, 0.0], [0, 0, 1, 1, 2]
    found, expected = (
        group_rewards(
            ProbabilityRows.of(truth[:n], proba[:n], [0, 1], weight[:n], None, clusters[:n]),
            np.zeros(n, dtype=int),
            1,
            np.array([0.5, 0.5]),
        )
        for n in (5, 4)
    )
    for name, reward in expected.items():
        assert reward.standard_error[0] > 0
        assert found[name].value == pytest.approx(reward.value)
        assert found[name].standard_error == pytest.approx(reward.standard_error)
        assert found[name].n == pytest.approx(reward.n)
