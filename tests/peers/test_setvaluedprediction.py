"""Sets of greatest expected utility as setvaluedprediction finds them (Mortier et al., 2021).

Its classifier around scikit-learn's estimators is plain Python, but its module imports torch, an
extension that is compiled against torch, and a function that scikit-learn has moved.  None of them
is used here, so they are replaced.
"""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest
import sklearn.utils
from sklearn.base import BaseEstimator, ClassifierMixin

from tests.peers.installed import bare
from wager.credal import optimal_sets
from wager.rewards import get_utility

CLASSES = 6


def peer_module():
    torch = types.ModuleType("torch")
    torch.nn = types.SimpleNamespace(Module=object)
    extension, loader = types.ModuleType("svp_cpp"), types.ModuleType("svp._utils")
    extension.SVP = loader._C = None
    with pytest.MonkeyPatch.context() as patch:
        for module in (torch, extension, loader):
            patch.setitem(sys.modules, module.__name__, module)
        patch.setattr(sklearn.utils, "_message_with_time", None, raising=False)
        return bare("svp.multiclass")


theirs = peer_module()
pytestmark = pytest.mark.filterwarnings("ignore")


class Stated(ClassifierMixin, BaseEstimator):
    """The rows are the probabilities."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return X


def sets_of_peer(proba, **how):
    model = theirs.SVPClassifier(Stated()).fit(np.zeros((CLASSES, 1)), np.arange(CLASSES))
    found = model.predict_set(proba, {"c": CLASSES, **how})
    return [sorted(int(label) for label in row) for row in found]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    ("utility", "how"),
    [
        ("f1", {"svptype": "fb", "beta": 1}),
        ("f2", {"svptype": "fb", "beta": 2}),
        ("u65", {"svptype": "dg", "delta": 1.6, "gamma": 0.6}),
        ("u80", {"svptype": "dg", "delta": 2.2, "gamma": 1.2}),
    ],
)
def test_sets_of_greatest_expected_utility(utility, how, seed):
    """The peer adds classes until the utility falls: in a second hill it may miss a better set."""
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.full(CLASSES, 0.5), 200)
    ours = optimal_sets(proba, utility)
    peer = sets_of_peer(proba, **how)
    worth = get_utility(utility).of_size(np.arange(CLASSES + 1))

    def value(row, members):
        return worth[len(members)] * proba[row, members].sum()

    for row, (mine, other) in enumerate(zip(ours.to_lists(), peer, strict=True)):
        if sorted(mine) != other:
            assert value(row, sorted(mine)) > value(row, other) + 1e-9
    same = [sorted(mine) == other for mine, other in zip(ours.to_lists(), peer, strict=True)]
    assert np.mean(same) > 0.9


@pytest.mark.parametrize("size", [1, 3])
def test_the_most_probable_classes_of_a_given_number(size):
    proba = np.random.default_rng(size).dirichlet(np.ones(CLASSES), 100)
    ours = optimal_sets(proba, lambda x: x > 1 / (size + 0.5))  # larger sets are worth nothing
    assert [sorted(row) for row in ours.to_lists()] == sets_of_peer(
        proba, svptype="sizectrl", size=size
    )
