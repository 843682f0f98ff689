"""Rows are predicted block by block: the same answers, in bounded memory."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from wager.learners import (
    AODE,
    TAN,
    BayesianModelAveraging,
    CredalModelAveraging,
    LazyNaiveCredal,
    NaiveBayes,
    NaiveCredal,
)
from wager.learners.naive import _tangents

LEARNERS = [
    NaiveBayes(),
    NaiveCredal(),
    NaiveCredal(idm="local", costs=[[0, 1, 1], [2, 0, 1], [3, 1, 0]]),
    NaiveCredal(idm="intervals"),
    NaiveCredal(reject=0.4),
    LazyNaiveCredal(),
    BayesianModelAveraging(),
    CredalModelAveraging(),
    AODE(),
    TAN(),
]
each_learner = pytest.mark.parametrize("learner", LEARNERS, ids=map(repr, LEARNERS))


def nominal_data(n, seed=0):
    random = np.random.default_rng(seed)
    return random.integers(-1, 4, size=(n, 5)), random.integers(0, 3, size=n)


@pytest.fixture
def short_blocks(monkeypatch):
    monkeypatch.setattr("wager.learners._base.BLOCK_SIZE", 35)
    monkeypatch.setattr("wager.learners._base.LEAST_ROWS", 1)


@each_learner
@pytest.mark.parametrize("frame", [False, True])
def test_blocks_give_the_answers_of_all_rows_at_once(learner, frame, monkeypatch):
    X, y = nominal_data(60)
    rows, _ = nominal_data(31, seed=1)
    if frame:
        X, rows = (
            pd.DataFrame(np.array(list("abcd?"))[a], columns=list("vwxyz")) for a in (X, rows)
        )
    model = clone(learner).fit(X, y)

    def answers():
        found = {"proba": model.predict_proba(rows), "label": model.predict(rows)}
        if hasattr(model, "predict_set"):
            intervals = model.predict_credal(rows)
            found |= {"set": model.predict_set(rows), "low": intervals.lower, "up": intervals.upper}
        return found

    whole = answers()
    monkeypatch.setattr("wager.learners._base.BLOCK_SIZE", 35)
    monkeypatch.setattr("wager.learners._base.LEAST_ROWS", 1)
    assert len(list(model._table_blocks(rows)[1])) == 5
    for name, found in answers().items():
        np.testing.assert_array_equal(found, whole[name], err_msg=name)


@pytest.mark.usefixtures("short_blocks")
def test_a_value_that_is_refused_is_named_by_its_row_among_all_rows():
    X, y = nominal_data(60)
    rows, _ = nominal_data(31, seed=1)
    rows[25, 2] = 9
    model = NaiveCredal(unseen="error").fit(X, y)
    with pytest.raises(ValueError, match="row 25 has a value in column 2 that training did not"):
        model.predict_set(rows)


@pytest.mark.usefixtures("short_blocks")
def test_wrong_values_are_named_by_their_row_among_all_rows():
    X, y = nominal_data(60)
    rows, _ = nominal_data(31, seed=1)
    rows[25, 2] = -7
    with pytest.raises(ValueError, match="column 2 contains -7 in row 25"):
        TAN().fit(X, y).predict(rows)
    with pytest.raises(ValueError, match="column 2 contains -7 in row 25"):
        TAN().fit(rows, y[:31])
    infinite = np.where(rows < -1, np.inf, rows + 0.5)
    with pytest.raises(ValueError, match=r"column 2 contains inf \(infinity\) in row 25"):
        NaiveBayes().fit(X + 0.5, y).predict_proba(infinite)
    frame = pd.DataFrame(rows)
    with pytest.raises(ValueError, match="column 2 contains -7 in row 25"):
        AODE().fit(pd.DataFrame(X), y).predict_proba(frame)


@each_learner
@pytest.mark.usefixtures("short_blocks")
def test_training_rows_counted_in_blocks_give_the_same_model(learner, monkeypatch):
    X, y = nominal_data(60)
    expected = clone(learner).fit(X, y)
    monkeypatch.setattr("wager.learners._base.LEAST_ROWS", 1000)
    whole = clone(learner).fit(X, y)
    np.testing.assert_array_equal(whole.predict_proba(X), expected.predict_proba(X))


@pytest.mark.parametrize(
    "learner", [NaiveBayes(), NaiveCredal(), NaiveCredal(idm="intervals"), AODE(), TAN()], ids=repr
)
def test_memory_is_the_answer_and_a_bounded_part(learner):
    model = clone(learner).fit(*nominal_data(500))
    rows = np.random.default_rng(1).integers(0, 4, size=(1_000_000, 5)).astype(np.int8)
    predict = getattr(model, "predict_set", model.predict_proba)
    predict(rows[:20_000])  # compiles, and makes the tables
    tracemalloc.start()
    try:
        answer = predict(rows)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # the codes of all rows alone would take 20 MB more, products of classes or intervals 48 MB
    assert peak < answer.nbytes + 40e6


@pytest.mark.parametrize("block", [1, 7, 20, 1 << 16])
def test_pairs_of_classes_in_blocks_give_the_sets_of_the_loop(block, monkeypatch):
    X, _ = nominal_data(200)
    y = np.random.default_rng(2).integers(0, 5, size=200)
    model = NaiveCredal(s=3.0).fit(X, y)
    expected = np.empty((len(X), 5), dtype=bool)
    _tangents.mark_by_loop(X, model._model.tables, expected)
    assert 0 < expected.mean() < 1
    monkeypatch.setattr("wager._tables._rows.BLOCK", block)
    found = np.empty_like(expected)
    _tangents.mark_by_arrays(X, model._model.tables, found)
    np.testing.assert_array_equal(found, expected)


def test_memory_does_not_grow_with_the_pairs_of_classes(monkeypatch):
    monkeypatch.setenv("WAGER_COMPILE", "never")
    K = 2000
    X = np.array([[0, 1], [1, 0], [0, 0], [1, 1]])
    model = NaiveCredal(classes=np.arange(K)).fit(X, [0, 1, 2, 3])
    model.predict_set(X[:1])  # makes the tables
    tracemalloc.start()
    try:
        assert model.predict_set(X[:2]).shape == (2, K)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 30e6  # a number for each pair of classes takes 32 MB
