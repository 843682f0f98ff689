"""What the first fit and predict of each learner cost on an empty cache, beyond a warm process.

Each is a fresh process on 300 rows of 10 attributes.  The warm one finds compiled code for every
loop on disk, and chooses whether to load it, as it would for a user.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.measure import Row, python

ALLOWED = 3.0  # seconds beyond a warm process
AUTO = {"WAGER_COMPILE": "auto"}
NUMERIC = ("C45", "CredalTree", "CredalForest")  # on numbers as well, which other loops handle

CODE = """
import warnings
import numpy as np
from wager.learners import learner_classes
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
truth = rng.integers(0, 3, 300)
if {numeric}:
    X = rng.normal(size=(300, 10)) + truth[:, None] / 2
else:
    X = np.where(rng.random((300, 10)) < 0.4, truth[:, None], rng.integers(0, 4, (300, 10)))
model = learner_classes()[{name!r}]().fit(X, np.array(["a", "b", "c"])[truth])
model.predict(X)
if hasattr(model, "predict_set"):
    model.predict_set(X)
"""


def rows() -> Iterator[Row]:
    from wager.learners import learner_classes

    for name, make in learner_classes().items():
        if "estimator" in inspect.signature(make).parameters:  # no loops of our own
            continue
        for numeric in (False, True) if name in NUMERIC else (False,):
            cold, warm = cold_and_warm(CODE.format(name=name, numeric=numeric))
            yield Row(
                f"first process with {name}" + (" on numbers" if numeric else ""),
                cold,
                warm + ALLOWED,
                f"a warm process, {warm:.1f} s, and {ALLOWED:g} s",
                at_most=1,
            )


def cold_and_warm(code: str) -> tuple[float, float]:
    """CPU seconds of a process on an empty cache, and with the code of all loops on disk."""
    with TemporaryDirectory() as folder:
        empty, full = Path(folder) / "empty", Path(folder) / "full"
        cold = min(
            python(code, AUTO | {"NUMBA_CACHE_DIR": str(empty / str(i))}).seconds for i in range(2)
        )
        python(code, {"NUMBA_CACHE_DIR": str(full), "WAGER_COMPILE": "always"})
        warm = python(code, AUTO | {"NUMBA_CACHE_DIR": str(full)}, repeat=2).seconds
    return cold, warm
