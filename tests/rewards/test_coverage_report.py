"""Reports of coverage and caution: values by hand, error rates together, words."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, strategies as st

from tests.fewer import fewer
from tests.replications import replications
from tests.rewards.strategies import labelled_sets
from wager.plots import plot_coverage
from wager.rewards import Tally, caution_by_group, coverage_report, evaluate_by


@given(labelled_sets(), st.integers(2, 4))
@fewer(12)
def test_parts_are_tallies_of_their_rows(data, n_bins):
    y, sets = data
    x = np.arange(len(y)) * 1.5
    known = range(sets.shape[1])
    report = coverage_report(y, sets, {"x": x}, alpha=0.1, n_bins=n_bins, classes=known)
    each = 1 - 0.05 / len(report)
    hit = sets[np.arange(len(y)), y]
    assert report["all rows"][0].coverage == pytest.approx(hit.mean())
    for part in report["class"]:
        here = y == int(part.name)
        tally = Tally.of(y[here], sets[here], classes=known)
        estimate = tally.score("coverage")
        assert part.n_rows == here.sum()
        assert part.coverage == pytest.approx(estimate.value)
        np.testing.assert_allclose((part.low, part.high), estimate.interval(each), atol=1e-9)
    slices = report["x"]
    assert sum(part.n_rows for part in slices) == len(y)
    total = sum(part.coverage * part.n_rows for part in slices)
    assert total == pytest.approx(hit.sum())
    assert len(slices) == min(n_bins, len(y))


def test_counts_and_weights_of_rows_are_those_of_repeated_and_dropped_rows():
    y, y_pred, x = np.arange(40) % 2, np.arange(40) % 3 > 0, np.sin(np.arange(40.0))
    counts, weights = np.arange(40) % 5, np.arange(40) % 4 / 100
    options = {"alpha": 0.1, "n_bins": 3}

    def taken(rows, **units):
        report = coverage_report(y[rows], y_pred[rows], {"x": x[rows]}, **options, **units)
        return [(p.title, p.n_rows, round(p.coverage, 9), round(p.low, 9)) for p in report]

    assert taken(np.arange(40), counts=counts) == taken(np.repeat(np.arange(40), counts))
    some = np.flatnonzero(weights)
    found = taken(np.arange(40), sample_weight=weights)
    assert found == taken(some, sample_weight=weights[some])
    assert found[0][1] == len(some)


def test_values_beside_missing_ones_stay_apart_and_masked_ones_are_missing():
    x = np.array([1234567, 1234568, np.nan] * 8)
    report = coverage_report([0] * 24, [0] * 24, {"x": x}, alpha=0.1)
    assert [(p.name, p.n_rows) for p in report["x"]] == [
        ("1234567", 8), ("1234568", 8), ("missing", 8)
    ]  # fmt: skip
    masked = np.ma.array([1, 2, 3] * 8, mask=[0, 0, 1] * 8)
    report = coverage_report([0] * 24, [0] * 24, {"x": masked}, alpha=0.1)
    assert [(p.name, p.n_rows) for p in report["x"]] == [("1", 8), ("2", 8), ("missing", 8)]


def test_slices_of_infinite_and_large_values_are_named_in_full():
    x = np.concatenate([np.repeat([-np.inf, np.inf], 10), 10.0**6 + 7 * np.arange(10)])
    report = coverage_report([0] * 30, [0] * 30, {"x": x}, alpha=0.1, n_bins=2)
    assert [(p.name, p.n_rows) for p in report["x"]] == [("< 1000032", 15), (">= 1000032", 15)]
    report = coverage_report([0] * 30, [0] * 30, {"x": x[20:].repeat(3)}, alpha=0.1, n_bins=3)
    assert report["x"][0].name == "< 1000021"


def test_verdicts_follow_from_the_intervals():
    y = np.repeat([0, 1, 2], 200)
    y_pred = np.where(np.arange(600) % 200 < np.repeat([200, 180, 120], 200), y, (y + 1) % 3)
    report = coverage_report(y, y_pred, alpha=0.1)
    verdicts = {part.title: part.verdict for part in report}
    assert verdicts == {
        "all rows": "below", "class 0": "above", "class 1": "not significantly different",
        "class 2": "below",
    }  # fmt: skip
    assert [part.name for part in report.below] == ["", "2"]
    assert [part.name for part in report.above] == ["0"]
    assert report.verdict().startswith("significantly below the promised 0.9: class 2 (0.600, ")
    fine = coverage_report(y, y, alpha=0.1)
    assert fine.verdict() == "no part is significantly below the promised 0.9; 4 above it"
    colours = {c.get_label() for c in plot_coverage(report).containers}
    assert colours == {"below", "above", "not significantly different"}


def test_features_are_cut_at_quantiles_and_values_are_groups():
    rng = np.random.default_rng(0)
    age = rng.uniform(20, 80, 100)
    age[:5] = np.nan
    ward = np.array(["north", "south"])[rng.integers(2, size=100)]
    y = rng.integers(2, size=100)
    features = {"age": age, "ward": ward}
    found = [
        coverage_report(y, y, by, alpha=0.1)
        for by in (features, pd.DataFrame(features), pl.DataFrame(features))
    ]
    for report in found:
        names = [part.name for part in report["age"]]
        assert names[0].startswith("< ")
        assert names[-2].startswith(">= ")
        assert names[-1] == "missing"
        assert [part.n_rows for part in report["age"]] == [19, 19, 19, 19, 19, 5]
        assert [part.name for part in report["ward"]] == ["north", "south"]
    assert len(coverage_report(y, y, ward, alpha=0.1)["group"]) == 2
    frame = found[0].to_frame()
    assert list(frame["kind"].unique()) == ["all rows", "class", "age", "ward"]


def test_few_different_numbers_are_groups_and_not_ranges():
    y, beds = np.zeros(8, dtype=int), np.array([4, 1, 2, 1, 4, 4, 1, 1])
    found = coverage_report(y, y, {"beds": beds}, alpha=0.1)["beds"]
    assert [(part.name, part.n_rows) for part in found] == [("1", 4), ("2", 1), ("4", 3)]
    some = np.where(np.arange(8) < 6, beds, np.nan)
    found = coverage_report(y, y, {"beds": some}, alpha=0.1)["beds"]
    assert {part.name: part.n_rows for part in found} == {"1": 2, "2": 1, "4": 3, "missing": 2}


@pytest.mark.long
def test_all_intervals_together_miss_rarely():
    wrong, n = {"bonferroni": 0, "sidak": 0, "none": 0}, replications(400)
    rng = np.random.default_rng(0)
    for _ in range(n):
        y = rng.integers(4, size=400)
        y_pred = np.where(rng.random(400) < 0.9, y, (y + 1) % 4)
        x = {"x": rng.normal(size=400), "z": rng.integers(3, size=400)}
        for adjust in wrong:
            report = coverage_report(y, y_pred, x, alpha=0.1, adjust=adjust)
            wrong[adjust] += bool(report.below or report.above)
    assert wrong["bonferroni"] <= wrong["sidak"] <= n * 0.05 + 3 * np.sqrt(n * 0.05 * 0.95)
    assert wrong["none"] > 0.15 * n


def test_clusters_widen_the_intervals():
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(60), 10)
    y = np.zeros(600, dtype=int)
    y_pred = (rng.random(60) < 0.2)[cluster].astype(int)
    plain = coverage_report(y, y_pred, alpha=0.1).parts[0]
    clustered = coverage_report(y, y_pred, alpha=0.1, groups=cluster).parts[0]
    assert clustered.high - clustered.low > 2 * (plain.high - plain.low)
    assert plain.verdict == "below"
    assert clustered.verdict == "not significantly different"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"alpha": 2}, "must lie in"),
        ({"level": 1}, "strictly between 0 and 1"),
        ({"n_bins": 1}, "n_bins must be at least 2"),
        ({"adjust": "holm"}, "adjust must be"),
        ({"by": {"class": [0, 1]}}, "a feature may not be called 'class'"),
        ({"by": {1: [0, 1], "1": [1, 0]}}, "two features are called '1'"),
        ({"by": {"x": [0]}}, "x in by= must have one value for each of the 2 rows"),
        ({"by": pd.DataFrame([[0], [1]])}, "have no names"),
    ],
)
def test_wrong_arguments_of_reports_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        coverage_report(["a", "b"], ["a", "b"], **({"alpha": 0.1} | options))
    with pytest.raises(KeyError, match="choose from all rows, class"):
        coverage_report(["a", "b"], ["a", "b"], alpha=0.1)["age"]


# -- caution -------------------------------------------------------------------------------------


def cautious(rng, n, share):
    """Rows of two classes: the set of both with a probability, and a class that is mostly right."""
    y = rng.integers(2, size=n)
    both = rng.random(n) < share
    one = np.where(rng.random(n) < 0.9, y, 1 - y)
    sets = np.eye(2, dtype=bool)[one]
    sets[both] = True
    return y, sets


def test_groups_have_the_values_of_their_evaluation():
    rng = np.random.default_rng(0)
    y, sets = cautious(rng, 300, 0.4)
    by = rng.integers(3, size=300)
    found, plain = caution_by_group(by, y, sets, "u80"), evaluate_by(by, y, sets, "u80")
    each = 1 - 0.05 / 12
    for name in found.measures:
        np.testing.assert_allclose(found.evaluation.values[name], plain.values[name])
        np.testing.assert_allclose(found.ends[name], plain.intervals(name, each))
        values, gap = plain.values[name], found[name]
        place = {str(label): i for i, label in enumerate(plain.names)}
        difference = values[place[gap.most]] - values[place[gap.least]]
        assert gap.gap == pytest.approx(difference)
        assert gap.low <= gap.gap <= gap.high
    assert list(found.to_frame().index) == [0, 1, 2]


def test_the_group_with_larger_sets_is_named():
    rng = np.random.default_rng(0)
    y, sets = zip(cautious(rng, 400, 0.1), cautious(rng, 400, 0.6), strict=True)
    by = np.repeat(["young", "old"], 400)
    found = caution_by_group(by, np.concatenate(y), np.concatenate(sets))
    gap = found["mean_set_size"]
    assert (gap.most, gap.least, gap.n_significant) == ("old", "young", 1)
    assert gap.low < 0.5 < gap.high
    assert found["determinacy"].most == "young"
    assert found.verdict().startswith("group old gets larger sets than group young, by 0.")


@pytest.mark.long
def test_equal_groups_are_rarely_told_apart():
    rng, wrong, n = np.random.default_rng(0), 0, replications(400)
    for _ in range(n):
        y, sets = cautious(rng, 240, 0.3)
        found = caution_by_group(np.arange(240) % 4, y, sets)
        wrong += any(gap.is_significant for gap in found.gaps)
    assert wrong <= n * 0.05 + 3 * np.sqrt(n * 0.05 * 0.95)


def test_intervals_of_the_true_differences_hold_together():
    rng, wrong, n = np.random.default_rng(1), 0, replications(300)
    by = np.repeat([0, 1], 120)
    for _ in range(n):
        (y0, s0), (y1, s1) = cautious(rng, 120, 0.1), cautious(rng, 120, 0.5)
        found = caution_by_group(by, np.concatenate([y0, y1]), np.concatenate([s0, s1]), "u50")
        truth = {"mean_set_size": 0.4, "determinacy": -0.4, "coverage": 0.04, "u50": -0.16}
        for name, difference in truth.items():
            gap = found[name]
            signed = difference if gap.most == "1" else -difference
            wrong += not gap.low <= signed <= gap.high
    assert wrong <= n * 0.05 + 3 * np.sqrt(n * 0.05 * 0.95)


def test_groups_whose_rows_all_agree_are_no_reason_for_a_verdict():
    found = caution_by_group([0, 0, 1, 1], ["a"] * 4, [["a"], ["a"], ["a", "b"], ["a", "b"]])
    assert found.verdict() == "no significant difference between groups"
    equal = caution_by_group([0, 0, 1, 1], ["a"] * 4, [["a"]] * 4, classes=["a", "b"])
    assert equal["coverage"].gap == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"by": [0, 0]}, "by names 1 group of rows: pass between 2 and 1000"),
        ({"level": 0}, "strictly between 0 and 1"),
    ],
)
def test_wrong_arguments_of_caution_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        caution_by_group(**({"by": [0, 1], "y_true": [0, 1], "y_pred": [0, 1]} | options))
    with pytest.raises(KeyError, match="choose from mean_set_size"):
        caution_by_group([0, 1], [0, 1], [0, 1])["mic"]
