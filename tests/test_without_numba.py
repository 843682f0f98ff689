"""Numba is installed with wager, but all learners work where it is missing or broken."""

import json
import os
import subprocess
import sys

import pytest

from tests.shared import PROJECT

LEARN = """
import json, sys, warnings
if "missing" in sys.argv:
    sys.modules["numba"] = None  # import numba raises ModuleNotFoundError, find_spec finds nothing
warnings.simplefilter("ignore")
import numpy as np
import wager
from wager.learners import make_learner
from wager.learners._registry import learner_names
rng = np.random.default_rng(0)
X, y = rng.integers(0, 3, (40, 3)), rng.integers(0, 3, 40)
found = {}
for name in sorted(learner_names()):
    for params in ({}, {"estimator": "naive-bayes"}, {"estimator": "naive-credal"},
                   {"estimator": "naive-bayes", "threshold": 0.5}):
        try:
            learner = make_learner(name, params)
        except (TypeError, ValueError):
            continue  # it needs other parameters
        if "random_state" in learner.get_params():
            learner.set_params(random_state=0)
        if "n_estimators" in learner.get_params():
            learner.set_params(n_estimators=2)
        if "search_factor" in learner.get_params():
            learner.set_params(search_factor=0.05)
        try:
            learner.fit(X, y)
        except (TypeError, ValueError, ImportError) as problem:
            assert "numba" not in str(problem), problem
            continue  # an estimator of another kind is needed
        ask = "predict_set" if hasattr(learner, "predict_set") else "predict"
        found[name] = np.asarray(getattr(learner, ask)(X)).astype(int).tolist()
        break
print(json.dumps(found))
"""


def learnt(*words, **variables):
    """The predictions of every learner, by its name, in a new process."""
    done = subprocess.run(
        [sys.executable, "-c", LEARN, *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=PROJECT,
        env={**os.environ, **variables},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def plain():
    return learnt(WAGER_COMPILE="never")


@pytest.mark.long
def test_all_learners_work_where_numba_is_missing(plain):
    assert len(plain) >= 15
    assert learnt("missing", WAGER_COMPILE="always") == plain


@pytest.mark.long
def test_all_learners_work_where_numba_cannot_be_imported(plain, tmp_path):
    """As after an update of NumPy that the installed Numba does not know."""
    (tmp_path / "numba").mkdir()
    (tmp_path / "numba" / "__init__.py").write_text("raise ImportError('Numba needs NumPy 2.0')")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    assert learnt(WAGER_COMPILE="always", PYTHONPATH=path) == plain
