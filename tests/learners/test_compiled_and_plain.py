"""Learners give the same numbers to the last bit, compiled and in plain Python."""

import inspect
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

from wager.learners import learner_classes

NUMERIC = ("C45", "CredalTree", "CredalForest")
OPTIONS = {
    "C45": [{}, {"prune": False}],
    "CredalNeighbors": [{"metric": "nan_euclidean"}],
    "CredalTree": [
        {},
        {"missing": "fractional", "prune": True},
        {"criterion": "iigr"},
        {"criterion": "range"},
        {"correction": "strobl", "candidates": "complete"},
        {"ties": "weka"},
        {"model": "npi", "criterion": "range"},
        {"model": "npi-approx", "correction": "strobl"},
        {"model": "npi-ordinal", "criterion": "range"},
    ],
    "CredalForest": [{"n_trees": 5}],
    "LazyNaiveCredal": [{}, {"weights": "linear"}, {"metric": "mvdm"}],
    "CausalMML": [
        {"search_factor": 0.05},
        {"search_factor": 0.05, "average": True, "merge": True},
    ],
}


def rows(seed, *, numeric, missing):
    """Rows whose values depend on the class, some of them equal, some missing."""
    rng = np.random.default_rng(seed)
    n_classes = 2 + seed % 3
    truth = rng.integers(0, n_classes, 90)
    if numeric:
        X = np.round(rng.normal(size=(90, 5)) + truth[:, None] / 2, seed % 2 + 1)
    else:
        noise = rng.integers(0, 4, (90, 5))
        X = np.where(rng.random((90, 5)) < 0.4, truth[:, None], noise).astype(float)
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, np.array(["a", "b", "c", "d"])[truth]


def answers(name, options, X, y, mode):
    """Everything that a learner says of some rows after training on the others."""
    make = learner_classes()[name]
    if "random_state" in inspect.signature(make).parameters:
        options = {"random_state": 1, **options}
    with pytest.MonkeyPatch.context() as context, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        context.setenv("WAGER_COMPILE", mode)
        model = make(**options).fit(X[:60], y[:60])
        found = [model.predict(X).astype(str)]
        if hasattr(model, "predict_proba"):
            found.append(model.predict_proba(X))
        if hasattr(model, "predict_set"):
            found.append(np.asarray(model.predict_set(X)))
    return found


# what wraps an estimator of others has no loops of its own
LEARNERS = [
    name
    for name, make in learner_classes().items()
    if "estimator" not in inspect.signature(make).parameters
]
# these have loops of their own, which take many seconds to compile
OWN_LOOPS = (
    [("LazyNaiveCredal", options) for options in OPTIONS["LazyNaiveCredal"][1:]]
    + [("CredalTree", options) for options in OPTIONS["CredalTree"]]
    + [("CredalForest", options) for options in OPTIONS["CredalForest"]]
)
CASES = [
    pytest.param(
        name, options, numeric, missing, marks=[pytest.mark.long] * ((name, options) in OWN_LOOPS)
    )
    for name in LEARNERS
    for options in OPTIONS.get(name, [{}])
    for numeric in ((False, True) if name in NUMERIC else (False,))
    for missing in (False, True)
]


@pytest.mark.parametrize(("name", "options", "numeric", "missing"), CASES)
def test_compiled_and_plain_loops_give_the_same_bits(name, options, numeric, missing):
    for seed in range(4):
        X, y = rows(seed, numeric=numeric, missing=missing)
        compiled = answers(name, options, X, y, "always")
        plain = answers(name, options, X, y, "never")
        for mine, other in zip(compiled, plain, strict=True):
            assert mine.tobytes() == other.tobytes()


@pytest.mark.long
def test_first_calls_on_few_rows_compile_nothing(tmp_path):
    code = f"""
import sys, warnings
import numpy as np
from wager.learners import learner_classes
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
y = rng.integers(0, 3, 300)
X = np.where(rng.random((300, 10)) < 0.4, y[:, None], rng.integers(0, 4, (300, 10)))
for name in {LEARNERS}:
    model = learner_classes()[name]().fit(X, y)
    model.predict(X)
    if hasattr(model, "predict_set"):
        model.predict_set(X)
    if "numba" in sys.modules:
        sys.exit(f"{{name}} has loaded Numba")
"""
    environment = {**os.environ, "WAGER_COMPILE": "auto", "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
