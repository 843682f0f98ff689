"""The quick reader of stored probabilities agrees with the reader of any file."""

import numpy as np

from wager.experiments import Plan, run
from wager.predictions import read_predictions
from wager_studies._stored_predictions import StoredProbabilities, stored_probabilities
from wager_studies.sondhauss_weihs import _partitions


def test_stored_probabilities_are_those_of_the_general_reader(tmp_path):
    plan = Plan(
        name="ten",
        datasets=["iris"],
        scheme={"kind": "5x2"},
        learners={"NB": {"learner": "naive-bayes"}},
        measures=("u50",),
        predictions=True,
    )
    run(plan, tmp_path)
    files = sorted((tmp_path / "predictions").glob("*.probabilities.parquet"))
    assert len(files) == 10
    for file, found in zip(files, stored_probabilities(files), strict=True):
        wanted = read_predictions(file)
        assert found.classes.tolist() == [str(name) for name in wanted.classes]
        np.testing.assert_array_equal(found.codes, wanted.codes)
        np.testing.assert_array_equal(found.proba, np.asarray(wanted.proba))


def test_of_equal_memberships_the_first_class_in_sorted_order_counts(monkeypatch):
    """The order of the columns of a file counted for a while, and one object changed its class."""
    part = StoredProbabilities(
        np.array([0, 1, 1]),
        np.array([[0.5, 0.5], [0.2, 0.8], [0.5, 0.5]]),
        np.array(["van", "bus"]),
    )
    monkeypatch.setattr(_partitions, "_files", lambda *_: {0: None})
    monkeypatch.setattr(_partitions, "stored_probabilities", lambda _: [part])
    found = _partitions.partition_of(None, "vehicle", "C4.5")
    assert found.classes.tolist() == ["bus", "van"]
    assert found.correctness == 2 / 3  # both ties are assigned to the bus
