"""Measures of many groups at once equal those of each group by itself."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from wager.rewards import (
    GroupTally,
    Tally,
    evaluate_by,
    get_utility,
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
