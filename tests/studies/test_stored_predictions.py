"""The quick reader of stored probabilities agrees with the reader of any file."""

import numpy as np

from wager.experiments import Plan, run
from wager.predictions import read_predictions
from wager_studies._stored_predictions import stored_probabilities


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
