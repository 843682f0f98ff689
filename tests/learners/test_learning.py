"""Learners approach the true class probabilities, on artificial data where these are known.

Hope & Korb (2004), Section 5.1: models that match one learner each, 50, 500 and 5000 rows.
"""

from functools import cache

import numpy as np
import pytest
from scipy.stats import ttest_rel

from wager.experiments.generators import random_aode, random_naive_bayes, random_tan
from wager.learners import AODE, TAN, BayesianModelAveraging, NaiveBayes
from wager.metrics import kl_divergence

GENERATORS = {"naive Bayes": random_naive_bayes, "TAN": random_tan, "AODE": random_aode}
LEARNERS = {
    "naive Bayes": NaiveBayes(),
    "TAN": TAN(),
    "AODE": AODE(),
    "TAN by mutual information": TAN("cmi"),
    "TAN by SuperParent": TAN("superparent"),
    "model averaging": BayesianModelAveraging(),
}
MATCHING = ("naive Bayes", "TAN", "AODE")
SIZES = (50, 500, 5000)
MODELS = 16


@cache
def _divergences(generator):
    """Mean KL divergence from the truth: an array by learner, size and model."""
    result = np.zeros((len(LEARNERS), len(SIZES), MODELS))
    for k in range(MODELS):
        truth = GENERATORS[generator](k)
        X, y = truth.sample(SIZES[-1], random_state=1000 + k)
        rows, _ = truth.sample(1000, random_state=2000 + k)
        true = truth.class_probabilities(rows)
        for i, learner in enumerate(LEARNERS.values()):
            learner.set_params(classes=np.arange(truth.n_classes), n_values=truth.n_values)
            for j, n in enumerate(SIZES):
                said = learner.fit(X[:n], y[:n]).predict_proba(rows)
                result[i, j, k] = kl_divergence(true, said)
    return result


@pytest.mark.long
@pytest.mark.parametrize("generator", GENERATORS)
def test_every_learner_comes_nearer_to_the_truth_with_more_rows(generator):
    means = _divergences(generator).mean(axis=2)
    assert (np.diff(means, axis=1) < 0).all()


@pytest.mark.long
@pytest.mark.parametrize("generator", GENERATORS)
def test_with_many_rows_no_learner_beats_the_one_that_matches(generator):
    at_last = dict(zip(LEARNERS, _divergences(generator)[:, -1], strict=True))
    own = at_last[generator]
    for other in at_last.values():
        worse = own.mean() > other.mean() and ttest_rel(own, other).pvalue < 0.05
        assert not worse
