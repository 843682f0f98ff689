"""A learner is one file: its class is found by name without being listed anywhere."""

import importlib
import subprocess
import sys

import pytest

import wager.learners
from wager.experiments import Plan
from wager.learners import find_learner, make_learner
from wager.learners._registry import _find_by_name, learner_classes, learner_names

NEW_LEARNER = '''
"""A learner that always predicts the first class."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

__all__ = ["AlwaysFirst", "helper"]


class AlwaysFirst(ClassifierMixin, BaseEstimator):
    def __init__(self, shade="plain"):
        self.shade = shade

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[0], len(X))


class NotListed(AlwaysFirst):
    pass


def helper():
    pass
'''

PLAN = """
datasets = ["iris"]

[learners.first]
learner = "always-first"
params.shade = "dark"
"""


@pytest.fixture
def new_learner(tmp_path, monkeypatch):
    """A module in a folder that extends the sub-package of wrappers."""
    (tmp_path / "_always_first.py").write_text(NEW_LEARNER)
    package = importlib.import_module("wager.learners.wrappers")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    importlib.invalidate_caches()
    yield "wager.learners.wrappers._always_first"
    sys.modules.pop("wager.learners.wrappers._always_first", None)
    _find_by_name.cache_clear()


def test_the_listed_learners_are_those_that_are_found():
    assert sorted(learner_classes()) == sorted(wager.learners.__all__)
    for name, found in learner_classes().items():
        assert getattr(wager.learners, name) is found


def test_a_new_file_is_a_learner_with_a_name(new_learner):
    found = find_learner("always-first")
    assert found.__module__ == new_learner
    assert wager.learners.AlwaysFirst is found
    assert make_learner("always-first", {"shade": "dark"}).shade == "dark"
    assert "not-listed" not in learner_names()
    assert not hasattr(wager.learners, "NotListed")


def test_a_new_learner_can_be_used_in_a_plan(new_learner, tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    plan = Plan.load(path)
    assert {unit.label for unit in plan.units()} == {"first"}


def test_a_name_without_a_file_is_unknown():
    with pytest.raises(ValueError, match="unknown learner 'always-first': choose one of aode, "):
        find_learner("always-first")
    with pytest.raises(AttributeError, match=r"'wager.learners' has no attribute 'AlwaysFirst'"):
        wager.learners.AlwaysFirst  # noqa: B018


@pytest.mark.long
def test_finding_the_learners_does_not_load_numba():
    code = (
        "import sys; from wager.learners._registry import learner_names; "
        "print('naive-credal' in learner_names(), 'numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "True False\n"


def test_a_learner_that_takes_any_parameter_gets_them_all(tmp_path, monkeypatch):
    (tmp_path / "takes_any.py").write_text(
        "class Any:\n    def __init__(self, **given):\n        self.given = given\n"
        "    def fit(self, X, y):\n        return self\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert make_learner("takes_any.Any", {"depth": 3}).given == {"depth": 3}
