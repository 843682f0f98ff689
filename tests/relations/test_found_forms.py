"""Faults in single functions that `test_forms` has shown."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import wager
from wager import metrics

RNG = np.random.default_rng(0)
X = RNG.integers(0, 3, (30, 2))
Y = X[:, 0] + 1


def test_numbers_among_objects_are_cut_into_parts_as_plain_numbers_are():
    sets, width = RNG.random((30, 3)) > 0.4, RNG.random(30)
    width[5] = np.nan

    def parts(column):
        found = wager.coverage_report(Y - 1, sets, alpha=0.1, by={"width": column})
        return found.to_frame()["name"].tolist()

    listed = [None if np.isnan(value) else value for value in width]
    for column in [width.astype(object), listed, np.ma.masked_invalid(width)]:
        assert parts(column) == parts(width)


def test_folds_have_all_classes_however_labels_are_written():
    def tuned(labels):
        model = wager.TunedCaution(wager.NaiveCredal(), strengths=[0.5, 1, 2], cv=3)
        return model.fit(X, labels).curve_.value.tolist()

    assert tuned([pa.scalar(int(label)) for label in Y]) == tuned(Y)


def test_neighbours_are_found_in_lazy_frames_and_batches():
    plain = wager.CredalNeighbors(3).fit(X, Y).predict_set(X)
    frame = pl.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    for rows in [frame.lazy(), frame.to_arrow().to_batches()[0]]:
        found = wager.CredalNeighbors(3).fit(rows, Y).predict_set(rows)
        np.testing.assert_array_equal(found, plain)


def test_true_probabilities_may_be_lazy():
    frame = pl.DataFrame({"a": [0.3, 0.9], "b": [0.7, 0.1]})
    assert metrics.separability(frame.lazy()) == metrics.separability(frame)


def test_empty_text_among_categories_is_the_empty_set():
    column = pd.Series(["a", "", "b"])
    assert wager.as_sets(column.astype("category")) == wager.as_sets(column)
    assert wager.as_sets(column.astype("category")).sizes.tolist() == [1, 0, 1]
