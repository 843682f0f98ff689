"""Planning and equivalence: the planned rows have the promised power, verdicts keep their level."""

import json
from math import inf
from types import SimpleNamespace

import numpy as np
import pytest

from tests.replications import replications
from wager.compare import equivalence, head_to_head, sample_size
from wager.compare._planning import _sentence
from wager.compare._simultaneous import Adjustment
from wager.rewards import PairedTally

CELLS = [(1, 1, 1, 1), (1, 1, 1, 0), (1, 0, 1, 1), (2, 1, 1, 1), (2, 1, 1, 0)]


def counted(counts):
    """The paired tally of the outcomes that occur."""
    present = np.asarray(counts) > 0
    return PairedTally(2, np.array(CELLS)[present], np.asarray(counts)[present])


def rejections(law, n, runs, rng, test):
    """The share of samples that a test rejects; equal samples are tested once."""
    tables, times = np.unique(rng.multinomial(n, law, runs), axis=0, return_counts=True)
    return np.average([test(counted(t)) for t in tables], weights=times)


@pytest.mark.parametrize("law", [[0.7, 0.2, 0.1, 0, 0], [0.6, 0.0, 0.0, 0.2, 0.2]])
def test_the_planned_rows_have_the_promised_power(law):
    pilot = counted(np.round(np.array(law) * 2000).astype(int))
    n = int(sample_size(pilot, "u65").n)
    rng, runs = np.random.default_rng(4), replications(2000)
    power = rejections(law, n, runs, rng, lambda paired: paired.difference("u65").p < 0.05)
    assert abs(power - 0.8) <= 4 * np.sqrt(0.8 * 0.2 / runs)


def test_no_difference_cannot_be_decided():
    y = [0] * 40
    plan = sample_size(PairedTally.of(y, [0] * 20 + [1] * 20, [1] * 20 + [0] * 20))
    assert (plan.n, plan.more) == (inf, inf)
    assert "rows of this kind will not decide between them" in plan.verdict
    assert plan.to_dict()["rows"] is None
    json.dumps(plan.to_dict(), allow_nan=False)
    assert "no number" in repr(plan)


def pilot(**units):
    a, b = [0] * 88 + [1] * 12, [0] * 70 + [1] * 20 + [0] * 10
    return PairedTally.of([0] * 100, a, b, **units)


def test_clusters_multiply_the_rows_and_weights_do_not():
    alone = sample_size(pilot()).n
    repeated = PairedTally.of(
        [0] * 1000,
        np.repeat([0] * 88 + [1] * 12, 10),
        np.repeat([0] * 70 + [1] * 20 + [0] * 10, 10),
        groups=np.repeat(np.arange(100), 10),
    )
    assert sample_size(repeated).n == pytest.approx(10 * alone, rel=0.02)
    assert sample_size(pilot(sample_weight=[7.0] * 100)).n == pytest.approx(alone, rel=0.02)


def test_the_weight_of_clusters_is_not_taken_for_a_number_of_rows():
    groups = np.arange(100) // 5
    rows, weighted = (
        sample_size(pilot(groups=groups, sample_weight=weight)) for weight in (None, [7.0] * 100)
    )
    assert weighted.n == pytest.approx(7 * rows.n, rel=0.02)
    assert weighted.is_weighted
    assert weighted.to_dict()["is_weighted"]
    assert f"rows with a total weight of {weighted.n:,.0f} (" in weighted.verdict
    assert "total weight needed" in repr(weighted)
    assert not rows.is_weighted
    assert "weight" not in repr(rows)


def test_more_power_a_smaller_level_and_a_smaller_difference_need_more_rows():
    plan = sample_size(pilot())
    assert sample_size(pilot(), power=0.9).n > plan.n
    assert sample_size(pilot(), alpha=0.01).n > plan.n
    assert plan.between[0] <= plan.n <= plan.between[1]
    assert plan.more == max(plan.n - 100, 0)
    assert set(plan.by_u) >= {0.5, 0.65, 0.8, 1.0}


def test_the_plan_of_a_report_is_at_its_adjusted_level():
    y = [0] * 1000
    found = head_to_head(y, {"ncc": [[0]] * 600 + [[0, 1]] * 400, "nbc": [0] * 860 + [1] * 140})
    plan = found.plan("ncc", "nbc", "u80", power=0.9)
    alpha = 1 - found.adjustment("ncc", "nbc").level(0.05)
    assert plan.alpha == alpha < 0.05
    assert plan.n == sample_size(found.paired("ncc", "nbc"), "u80", power=0.9, alpha=alpha).n


# -- equivalence --------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("n", [200, 1000])
def test_equivalence_at_the_margin_keeps_its_level(n):
    """A true difference of exactly the margin is called equivalent in at most 5% of samples."""
    rng, runs, margin = np.random.default_rng(5), 2000, 0.05
    law = [0.85, 0.10, 0.05, 0, 0]
    called = rejections(
        law, n, runs, rng, lambda paired: equivalence(paired, margin=margin).p < 0.05
    )
    assert called <= 0.06


def test_a_margin_beyond_all_possible_differences_needs_no_data():
    paired = PairedTally.of([0, 1, 0], [0, 0, 0], [1, 1, 0], groups=["one"] * 3)
    assert equivalence(paired, margin=1.5).p == 0
    assert equivalence(paired, margin=1.0).p == 0.5


def test_equivalence_is_shown_or_not():
    y = [0] * 3000
    close = PairedTally.of(y, [0] * 2700 + [1] * 300, [0] * 2690 + [1] * 310)
    shown = equivalence(close, margin=0.02, names=("old", "new"))
    assert shown.p < 0.001
    assert shown.verdict.startswith("old and new are within 0.02 of each other under u65 (p")
    far = PairedTally.of(y, [0] * 2700 + [1] * 300, [0] * 2000 + [1] * 1000)
    not_shown = equivalence(far, margin=0.02, names=("old", "new"))
    assert not_shown.p > 0.99
    assert not_shown.verdict.startswith("the data do not show that old and new are within 0.02")


@pytest.mark.parametrize("adjustment", [None, Adjustment(length=0.5, n_pairs=3)])
@pytest.mark.parametrize("margin", [0.005, 0.01, 0.012, 0.015, 0.02, 0.05])
def test_equivalence_and_its_interval_agree(margin, adjustment):
    y = [0] * 1000
    paired = PairedTally.of(y, [0] * 900 + [1] * 100, [0] * 890 + [1] * 100 + [0] * 10)
    outcome = equivalence(paired, margin=margin, adjustment=adjustment)
    low, high = outcome.interval
    assert (outcome.p < 0.05) == (-margin < low and high < margin)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sample_size(pilot(), power=1), "power must lie between 0 and 1, got 1"),
        (lambda: sample_size(pilot(), alpha=2), "alpha must lie between 0 and 1"),
        (lambda: equivalence(pilot(), margin=0), "margin must be positive, got 0"),
        (lambda: equivalence(pilot(), alpha=0.5), "alpha must lie between 0 and 0.5, got 0.5"),
    ],
)
def test_bad_input_is_refused_with_a_clear_message(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_the_sentence_says_how_many_rows_are_missing():
    y = [0] * 100
    plan = sample_size(PairedTally.of(y, [0] * 88 + [1] * 12, [0] * 78 + [1] * 22))
    n, (least, most) = plan.n, plan.between
    assert plan.more == max(n - 100, 0)
    assert plan.to_dict()["rows"] == n
    assert f"; from {least:,.0f} to {most:,.0f} rows, as it may be" in plan.verdict
    assert least < n < most < inf


def test_a_difference_that_may_be_0_may_need_any_number_of_rows():
    y, a = [0] * 20, [0] * 12 + [1] * 8
    plan = sample_size(PairedTally.of(y, a, [0] * 10 + [1] * 10))
    assert plan.between[1] == inf
    assert " to any number of rows, as it may be" in plan.verdict


@pytest.mark.parametrize(
    ("more", "words"), [(0, "no more than the pilot has"), (1, "1 more than the pilot")]
)
def test_one_missing_row_is_one_more(more, words):
    found = SimpleNamespace(mean=0.1)
    said = _sentence(found, (0.05, 0.15), 101, more, (50, 400), "under u65", 0.8, ("A", "B"))
    assert said.startswith(f"101 rows ({words}) decide between A and B under u65 with")
