"""Baselines that know nothing, and the rewards of their predictions."""

import numpy as np
import pytest

from wager.learners import KRandom, RandomClass, Vacuous
from wager.metrics import discounted_accuracy

X, Y = np.zeros((4000, 1), dtype=int), np.arange(4000) % 4


def test_the_vacuous_classifier_predicts_all_classes_and_bounds_nothing():
    model = Vacuous(classes=[0, 1, 2, 3, 4]).fit(X, Y)
    assert model.predict_set(X[:2]).tolist() == [[True] * 5] * 2
    assert model.predict_proba(X[:1]).tolist() == [[0.2] * 5]
    credal = model.predict_credal(X[:1])
    assert (credal.lower.tolist(), credal.upper.tolist()) == ([[0.0] * 5], [[1.0] * 5])


@pytest.mark.parametrize("model", [RandomClass(random_state=0), KRandom(Vacuous(), random_state=0)])
def test_random_guesses_earn_what_the_vacuous_classifier_earns(model):
    """Zaffalon, Corani & Mauá (2012), Proposition 1: the same expected reward, 1/n."""
    model.fit(X, Y)
    vacuous = discounted_accuracy(Y, Vacuous().fit(X, Y).predict_set(X))
    assert vacuous == pytest.approx(0.25)
    guesses = model.predict_set(X)
    assert discounted_accuracy(Y, guesses) == pytest.approx(0.25, abs=0.03)
    assert (guesses.sum(axis=1) == 1).all()
    np.testing.assert_array_equal(guesses.argmax(axis=1), model.predict(X))


class Sets(Vacuous):
    """Returns the sets it finds in the table."""

    def predict_set(self, X):
        return np.asarray(X, dtype=bool)


def test_the_k_random_classifier_picks_evenly_from_the_set_and_anything_from_none():
    sets = np.repeat([[1, 0, 1], [0, 1, 0], [0, 0, 0]], 3000, axis=0)
    model = KRandom(Sets(), random_state=1).fit(sets, np.arange(9000) % 3)
    drawn = model.predict(sets)
    shares = np.array([[(part == c).mean() for c in range(3)] for part in np.split(drawn, 3)])
    np.testing.assert_allclose(shares, [[0.5, 0, 0.5], [0, 1, 0], [1 / 3] * 3], atol=0.05)
