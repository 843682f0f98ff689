"""Sets and p-values of crepes: its own evaluation and ours."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

from tests.peers.installed import peer
from wager import metrics

crepes = peer("crepes")
pytestmark = pytest.mark.filterwarnings("ignore")
SEEDS = range(5)


@pytest.mark.parametrize("smoothing", [True, False])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_evaluation_of_a_conformal_classifier(seed, smoothing):
    X, y = load_wine(return_X_y=True)
    X_train, X_rest, y_train, y_rest = train_test_split(X, y, test_size=0.7, random_state=seed)
    X_cal, X_test, y_cal, y_test = train_test_split(X_rest, y_rest, random_state=seed)
    model = crepes.WrapClassifier(KNeighborsClassifier(5))
    model.fit(X_train, y_train)
    model.calibrate(X_cal, y_cal)
    options = {"confidence": 0.9, "smoothing": smoothing, "seed": seed}
    theirs = model.evaluate(X_test, y_test, **options)
    sets = model.predict_set(X_test, labels=False, **options)
    p_values = model.predict_p(X_test, smoothing=smoothing, seed=seed)
    assert 1 - metrics.coverage(y_test, sets) == pytest.approx(theirs["error"], abs=1e-9)
    assert metrics.mean_set_size(sets) == pytest.approx(theirs["avg_c"], abs=1e-9)
    assert metrics.determinacy(sets) == pytest.approx(theirs["one_c"], abs=1e-9)
    assert metrics.empty_rate(sets) == pytest.approx(theirs["empty"], abs=1e-9)
    # crepes always tests both directions, with rows taken as independent
    found = metrics.pvalue_uniformity(y_test, p_values)
    assert found.p == pytest.approx(theirs["ks_test"], abs=1e-9)


def test_a_p_value_equal_to_the_level_is_in_the_set_of_crepes_but_not_in_that_of_vovk():
    p_values = np.array([[0.1, 0.5], [0.2, 0.1]])
    assert metrics.pvalue_efficiency([0, 1], p_values, alpha=0.1)["N"] == 1.0
    theirs = crepes.base.get_classification_results(
        (p_values >= 0.1).astype(int), p_values, np.array([0, 1]), np.array([0, 1]), ["avg_c"]
    )
    assert theirs["avg_c"] == 2.0
