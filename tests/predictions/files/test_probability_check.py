"""Probabilities of long files are checked by a compiled loop, as strictly as by NumPy."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.fewer import fewer
from wager.predictions import read_predictions, write_predictions
from wager.predictions.files.forms._probability import COMPUTED, _all_fit


@given(
    st.integers(1, 9000),
    st.integers(1, 5),
    st.sampled_from([None, -1e-9, 1 + 1e-9, np.nan, np.inf, 0.5]),
)
@fewer(8)
def test_one_wrong_number_in_any_row_is_found(n, n_classes, wrong):
    pytest.importorskip("numba", reason="there is no compiled form without Numba")
    rng = np.random.default_rng(n)
    proba = np.ascontiguousarray(rng.dirichlet(np.ones(n_classes), n).T).T
    if wrong is not None:
        proba[rng.integers(n), rng.integers(n_classes)] = wrong
    sums = proba.sum(axis=1)
    fits = ((proba >= 0) & (proba <= 1)).all() and (np.abs(sums - 1) <= COMPUTED).all()
    assert _all_fit.compiled(proba, COMPUTED) == fits
    assert _all_fit.plain(proba, COMPUTED) == fits


@pytest.mark.parametrize("mode", ["always", "never"])
def test_a_wrong_row_is_named_with_and_without_numba(tmp_path, monkeypatch, mode):
    monkeypatch.setenv("WAGER_COMPILE", mode)
    path = tmp_path / "p.csv"
    write_predictions(path, ["a", "b"], proba=[[0.5, 0.5], [0.2, 0.8]])
    assert read_predictions(path).proba.tolist() == [[0.5, 0.5], [0.2, 0.8]]
    path.write_text("y_true,p:a,p:b\na,0.5,0.5\nb,0.5,0.7\n")
    with pytest.raises(ValueError, match=r"the p: columns of row 2 sum to 1\.2"):
        read_predictions(path)
    path.write_text("y_true,p:a,p:b\na,0.5,0.5\nb,-0.5,1.5\n")
    with pytest.raises(ValueError, match="row 2"):
        read_predictions(path)
    path.write_text("y_true,p:a,p:b,p:c\na,0.333,0.333,0.333\n")
    assert read_predictions(path).proba.sum() == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize(("last", "is_close"), [(0.38, True), (0.9, False)])
def test_a_sum_that_may_have_been_rounded_gets_a_note(tmp_path, last, is_close):
    path = tmp_path / "p.csv"
    path.write_text(f"y_true,p:a,p:b,p:c\na,0.3,0.3,{last}\n")
    with pytest.raises(ValueError, match="the p: columns of row 1 sum to") as error:
        read_predictions(path)
    note = ["if they were rounded, write more digits"]
    assert getattr(error.value, "__notes__", []) == note * is_close
