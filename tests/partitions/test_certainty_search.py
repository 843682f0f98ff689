"""The searched certainty against trying every number on whole matrices, and its laws."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import beta

from tests.fewer import fewer
from tests.partitions.strategies import partitions
from wager.partitions import PartitionMeasures, standardize
from wager.partitions._certainty_search import MOST_TRIED, candidates


def score_of(truth, memberships, code, step, certainty):
    """The number of right objects and the accuracy of a region that is scaled with a certainty."""
    a, b = step.mean * step.concentration, (1 - step.mean) * step.concentration
    own = memberships[:, code]
    scaled = beta.ppf(beta.cdf(own, a, b), certainty * step.p, certainty * (1 - step.p))
    others = np.delete(memberships, code, axis=1)
    rest = others.sum(axis=1, keepdims=True)
    others = np.where(rest > 0, others / np.where(rest > 0, rest, 1), 1 / others.shape[1])
    matrix = np.insert(others * (1 - scaled)[:, None], code, scaled, axis=1)
    found = np.where(matrix[:, code] >= matrix.max(axis=1), code, matrix.argmax(axis=1))
    assigned = np.full(len(truth), code)
    return (found == truth).sum() + PartitionMeasures.of(matrix, truth, assigned, None).accuracy


@given(partitions())
def test_no_other_whole_number_is_better(data):
    truth, memberships = data
    classes = np.arange(memberships.shape[1])
    partition = standardize(truth, memberships, classes=classes, certainty="searched")
    fitted = standardize(truth, memberships, classes=classes)
    for region, before in zip(partition.regions, fitted.regions, strict=True):
        step, code = region.steps[0], int(region.orders[0][0])
        if step.branch != "beta":
            assert step == before.steps[0] or np.isnan(step.certainty)
            continue
        rows = partition.assigned == code
        tried = candidates(region.n, step.concentration)
        assert tried[0] == before.steps[0].certainty
        scores = [score_of(truth[rows], memberships[rows], code, step, n) for n in tried]
        chosen = scores[tried.tolist().index(step.certainty)]
        assert chosen == pytest.approx(max(scores), abs=1e-6)


@given(partitions(), st.integers(2, 4))
@fewer(12)
def test_counts_are_repeated_rows_and_new_rows_are_scaled_alike(data, times):
    truth, memberships = data
    counted = standardize(truth, memberships, counts=[times] * len(truth), certainty="searched")
    repeated = standardize(
        np.repeat(truth, times), np.repeat(memberships, times, axis=0), certainty="searched"
    )
    for ours, theirs in zip(counted.regions, repeated.regions, strict=True):
        np.testing.assert_allclose(ours.steps[0].certainty, theirs.steps[0].certainty)
    np.testing.assert_allclose(counted.transform(memberships), counted.scaled, atol=1e-12)


def test_the_estimates_take_the_certainty_as_given():
    rng = np.random.default_rng(0)
    memberships = rng.dirichlet([2, 1, 1], 300)
    truth = np.array([rng.choice(3, p=(m + 0.2) / 1.6) for m in memberships])
    searched = standardize(truth, memberships, certainty="searched")
    fitted = standardize(truth, memberships)
    assert any(
        a.steps[0].certainty != b.steps[0].certainty
        for a, b in zip(searched.regions, fitted.regions, strict=True)
    )
    estimate = searched.estimates["accuracy"]
    assert estimate.value == searched.accuracy
    # the jackknife leaves out one row after another and keeps the certainty
    assert 0.5 < estimate.standard_error / fitted.estimates["accuracy"].standard_error < 2
    assert "scaled at depth 1" in str(searched)


def test_many_candidates_are_thinned():
    tried = candidates(1e6, 3.5)
    assert tried[0] == 3.5
    assert tried[-1] == 1e6
    assert len(tried) <= MOST_TRIED + 1
    assert (np.diff(tried) > 0).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"certainty": "best"}, "certainty must be 'fitted' or 'searched', got 'best'"),
        ({"certainty": "searched", "depth": 2}, "is defined at depth 1, got depth=2"),
    ],
)
def test_bad_arguments_raise_clear_errors(arguments, words):
    memberships = [[0.6, 0.3, 0.1], [0.1, 0.2, 0.7], [0.2, 0.7, 0.1]]
    with pytest.raises(ValueError, match=words):
        standardize([0, 2, 1], memberships, **arguments)
