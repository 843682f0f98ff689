"""Several judges joined into one credal set: against linear programs, and laws."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import linprog

from tests.credal.strategies import probabilities
from tests.fewer import fewer
from wager.credal import CredalVertices, decide, judge_conflict, pool_judges
from wager.predictions import ProbabilityIntervals

SHARES = st.integers(0, 10).map(lambda i: i / 10)


@st.composite
def panels(draw, most_judges=4):
    """Some judges of the same rows."""
    K = draw(st.integers(2, 5))
    n = draw(st.integers(1, 3))
    rows = [
        draw(probabilities(n_classes=K, most_rows=1))[0]
        for _ in range(n * draw(st.integers(1, most_judges)))
    ]
    return np.array(rows).reshape(-1, n, K)


def least_discount(lower, upper):
    """The least discount by a linear program in p and d, where (1 - d) t is linearised by t = p."""
    # variables: p (K), d;  (1 - d) l <= p <= (1 - d) u + d  for every judge
    n_judges, K = lower.shape
    rows, limits = [], []
    for judge in range(n_judges):
        for k in range(K):
            unit = np.eye(K)[k]
            rows.append([*(-unit), -lower[judge, k]])  # -p - d l <= -l
            limits.append(-lower[judge, k])
            rows.append([*unit, upper[judge, k] - 1])  # p + d (u - 1) <= u
            limits.append(upper[judge, k])
    found = linprog(
        [*np.zeros(K), 1], rows, limits, [[*np.ones(K), 0]], [1], bounds=[(0, 1)] * (K + 1)
    )
    return found.fun


@given(panels())
@fewer(12)
def test_the_conflict_is_the_least_discount(judges):
    slow = [least_discount(judges[:, i], judges[:, i]) for i in range(judges.shape[1])]
    np.testing.assert_allclose(judge_conflict(judges), slow, atol=1e-7)


@given(panels(), SHARES)
@fewer(12)
def test_the_conflict_of_bounds_is_the_least_discount(judges, doubt):
    bounds = [ProbabilityIntervals.from_contamination(judge, doubt / 2) for judge in judges]
    lower, upper = (np.stack([getattr(b, side) for b in bounds]) for side in ("lower", "upper"))
    slow = [least_discount(lower[:, i], upper[:, i]) for i in range(judges.shape[1])]
    np.testing.assert_allclose(judge_conflict(bounds), slow, atol=1e-7)


@given(panels())
@fewer(12)
def test_the_discounted_intersection_just_has_a_member(judges):
    found = pool_judges(judges, "intersection", if_empty="discount")
    assert found.is_proper.all()
    conflict = judge_conflict(judges)
    if (conflict > 1e-6).all():
        with pytest.raises(ValueError, match="no probability satisfies all"):
            pool_judges(judges, "intersection", discount=conflict.max() - 1e-6)
    assert pool_judges(judges, "intersection", discount=conflict.max() + 1e-9).is_proper.all()


@given(panels())
def test_the_pools_are_nested(judges):
    """The mean is in the hull, and the hull within its envelope."""
    mean, hull = pool_judges(judges, "linear"), pool_judges(judges)
    assert isinstance(hull, CredalVertices)
    np.testing.assert_allclose(mean.lower, judges.mean(axis=0))
    around = hull.envelope()
    assert (around.lower <= mean.lower + 1e-12).all()
    assert (mean.upper <= around.upper + 1e-12).all()
    np.testing.assert_allclose(around.lower, judges.min(axis=0))
    whole = pool_judges(judges, discount=1.0)
    assert (whole.lower == 0).all()
    assert (whole.upper == 1).all()


@given(panels(most_judges=1))
def test_one_judge_stays_as_it_is(judges):
    for method in ("linear", "intersection"):
        found = pool_judges(judges, method)
        np.testing.assert_allclose(found.lower, judges[0], atol=1e-12)
        np.testing.assert_allclose(found.upper, judges[0], atol=1e-12)
    assert (
        decide(pool_judges(judges)).to_lists()
        == decide(ProbabilityIntervals(judges[0], judges[0])).to_lists()
    )


def test_numbers_computed_by_hand():
    judges = {"x": [[0.8, 0.2]], "y": [[0.4, 0.6]]}
    weighted = pool_judges(judges, "linear", weights=[3, 1])
    assert weighted.lower[0].tolist() == pytest.approx([0.7, 0.3])
    # (1 - d) 0.8 <= (1 - d) 0.4 + d  gives d = 0.4 / 1.4
    assert judge_conflict(judges)[0] == pytest.approx(0.4 / 1.4)
    doubted = pool_judges(judges, discount=[0.5, 0])
    assert doubted.lower[0].tolist() == pytest.approx([0.4, 0.1])
    assert doubted.upper[0].tolist() == pytest.approx([0.9, 0.6])
    kept = pool_judges(judges, "intersection", if_empty="hull")
    assert kept.lower[0].tolist() == pytest.approx([0.4, 0.2])
    assert kept.upper[0].tolist() == pytest.approx([0.8, 0.6])


def test_columns_are_matched_by_name():
    first = pd.DataFrame({"b": [0.9], "a": [0.1]})
    second = pd.DataFrame({"a": [0.3], "b": [0.7]})
    found = pool_judges([first, second], "linear")
    assert dict(zip(found.classes.tolist(), found.lower[0].tolist(), strict=True)) == pytest.approx(
        {"b": 0.8, "a": 0.2}
    )
    bounds = ProbabilityIntervals([[0.3, 0.7]], [[0.3, 0.7]], classes=["a", "b"])
    assert pool_judges([first, bounds], "linear").lower[0].tolist() == pytest.approx([0.8, 0.2])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: pool_judges([]), "there is no judge"),
        (lambda: pool_judges([[[1, 0]]], "mean"), "method must be one of linear, hull"),
        (lambda: pool_judges([[[1, 0]]], if_empty="x"), "if_empty must be one of error, hull"),
        (lambda: pool_judges([[[1, 0]]], weights=[1]), "weights= are those of the linear pool"),
        (lambda: pool_judges([[[1, 0]]], discount=2), "discount must lie between 0 and 1"),
        (lambda: pool_judges([[[1, 0]]], discount=[0, 0]), "one for each of the 1 judges"),
        (lambda: pool_judges([[[1, 0]]], "linear", weights=[0]), "not be negative, nor all 0"),
        (lambda: pool_judges([[[1, 0]], [[1, 0, 0]]]), "the same rows and classes"),
        (lambda: pool_judges([[[1, 0]], [[2, 0]]]), "judge 1"),
        (
            lambda: pool_judges([[[1, 0]], [[0, 1]]], "intersection"),
            "all 2 judges in row 0: discount them by at least 0.5",
        ),
    ],
)
def test_wrong_arguments_are_explained(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def bounded(upper, lower=(0, 0, 0)):
    return ProbabilityIntervals([lower], [upper])


def test_each_kind_of_conflict_by_hand():
    # the lower bound 0.6 against the upper bound 0.2: (1 - d) 0.6 = (1 - d) 0.2 + d
    crossed = [bounded((1, 0.4, 0.4), (0.6, 0, 0)), bounded((0.2, 1, 1))]
    assert judge_conflict(crossed).tolist() == pytest.approx([0.4 / 1.4])
    # no class may have more than 0.1: (1 - d) 0.3 + 3 d = 1
    missing = [bounded((0.1, 0.9, 0.9)), bounded((0.9, 0.1, 0.9)), bounded((0.9, 0.9, 0.1))]
    assert judge_conflict(missing).tolist() == pytest.approx([0.7 / 2.7])
    # the lower bounds sum to 1.5: (1 - d) 1.5 = 1
    too_much = [bounded(tuple(0.5 + 0.5 * e), tuple(0.5 * e)) for e in np.eye(3)]
    assert judge_conflict(too_much).tolist() == pytest.approx([1 / 3])


def test_bounds_without_names_are_joined_without_names():
    judge = ProbabilityIntervals([[0.2, 0.4]], [[0.6, 0.8]])
    assert not pool_judges([judge, judge], "hull").named
    named = ProbabilityIntervals([[0.2, 0.4]], [[0.6, 0.8]], classes=["a", "b"])
    assert pool_judges([named, judge], "hull").classes.tolist() == ["a", "b"]
    other = ProbabilityIntervals([[0.2, 0.4]], [[0.6, 0.8]], classes=["b", "a"])
    with pytest.raises(ValueError, match="judge 1 has no class names"):
        pool_judges([other, judge], "hull")
