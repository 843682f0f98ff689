"""Loops run as plain Python while there is little to do, and compiled when that pays."""

import subprocess
import sys

import numpy as np
import pytest

from tests._jit import loops
from wager._jit import _choice, _tell, checked_bounds, spend
from wager._jit._choice import CannotCompile, Choice


@pytest.fixture(autouse=True)
def undecided(monkeypatch, tmp_path):
    """The usual mode, an empty cache, and nothing printed yet."""
    monkeypatch.delenv("WAGER_COMPILE", raising=False)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(_tell, "_TOLD", set())


def choice_of(price):
    choice = Choice("loops of the test", [loops.scaled])
    choice.price = price
    return choice


def runs(choice, *works):
    """Which form was used for calls with so much work."""
    return [choice.run(lambda: "plain", lambda: "compiled", work) for work in works]


def test_small_calls_stay_plain_until_they_add_up(monkeypatch):
    monkeypatch.setattr(_choice, "patience", lambda price: 1.0)
    assert runs(choice_of(10.0), 0.4, 0.4, 0.4, 0.0) == ["plain", "plain", "compiled", "compiled"]


def test_a_large_call_is_compiled_at_once():
    assert runs(choice_of(10.0), 1e4) == ["compiled"]


def test_code_on_disk_is_worth_less_patience(monkeypatch):
    job = 0.5
    assert runs(choice_of(10.0), job) == ["plain"]
    monkeypatch.setattr(_choice, "is_kept", lambda *_: True)
    assert runs(choice_of(10.0), job) == ["compiled"]


def test_longer_pauses_need_more_work():
    prices = [0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0]
    patience = [_choice.patience(price) for price in prices]
    assert patience == sorted(patience)
    assert all(0 < p < max(price, 0.1) for p, price in zip(patience, prices, strict=True))


@pytest.mark.parametrize(("mode", "form"), [("always", "compiled"), ("never", "plain")])
def test_the_mode_overrules_the_amount_of_work(monkeypatch, mode, form):
    monkeypatch.setenv("WAGER_COMPILE", mode)
    assert runs(choice_of(10.0), 0.0, 1e9) == [form, form]


def test_an_unknown_mode_is_an_error(monkeypatch):
    monkeypatch.setenv("WAGER_COMPILE", "sometimes")
    with pytest.raises(ValueError, match="must be one of auto, always, never, got 'sometimes'"):
        runs(choice_of(1.0), 0.0)


def test_plain_work_beyond_the_budget_is_given_up_and_changes_nothing(monkeypatch):
    values = np.arange(100.0)
    loops.double(values, work=0.0)  # each of the hundred seconds is counted only on the way
    np.testing.assert_array_equal(values, 2 * np.arange(100.0))
    (form,) = loops.double._forms.values()
    assert form.function is not None
    loops.double._forms.clear()
    monkeypatch.setenv("WAGER_COMPILE", "never")
    loops.double(values, work=0.0)
    np.testing.assert_array_equal(values, 4 * np.arange(100.0))


def test_what_cannot_be_compiled_runs_as_plain_python(monkeypatch, capsys):
    monkeypatch.setenv("WAGER_COMPILE", "always")
    for _ in range(2):
        assert loops.not_for_numba(np.array([3, 1, 2]), work=1.0) == "1, 2, 3"
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("wager: cannot compile words of the test, which therefore take longer (")


def test_without_numba_everything_is_plain_and_nothing_is_printed(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "numba", None)  # importing it now fails
    monkeypatch.setenv("WAGER_COMPILE", "always")
    monkeypatch.setattr(loops.add_up, "_forms", {})
    assert loops.add_up(np.arange(4.0), work=1e9) == 18.0
    assert capsys.readouterr().err == ""


def test_an_error_in_a_plain_form_is_not_hidden():
    def fail():
        raise ZeroDivisionError("of the loop")

    with pytest.raises(ZeroDivisionError, match="of the loop"):
        choice_of(10.0).run(fail, lambda: pytest.fail("compiled after an error"), 0.0)


def test_arrays_and_lists_grow_alike(monkeypatch):
    expected = np.arange(40.0) ** 2
    for mode in ("always", "never"):
        monkeypatch.setenv("WAGER_COMPILE", mode)
        found = loops.squares_up_to(40, work=0.0)
        np.testing.assert_array_equal(np.array(found)[:40], expected)


def test_little_work_does_not_load_numba():
    code = (
        "import sys, numpy; from tests._jit.loops import add_up; "
        "assert add_up(numpy.arange(3.0), work=1e-6) == 9; sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# one line on standard error ------------------------------------------------------------------


def test_a_line_says_that_much_plain_work_is_ahead(capsys):
    choice = choice_of(12.0)
    runs(choice, 0.1)
    assert capsys.readouterr().err == ""
    runs(choice, 1.0, 1.0)
    assert capsys.readouterr().err == (
        "wager: loops of the test run in plain Python, since compiling them would take about 13 s "
        "(WAGER_COMPILE=always compiles)\n"
    )


def test_a_line_says_so_when_work_turns_out_long(capsys):
    def long():
        for _ in range(20):
            spend(0.1)
        return "plain"

    assert choice_of(12.0).run(long, lambda: "compiled", 0.01) == "plain"
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_line_says_that_something_is_compiled(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(_tell, "PAUSE", 0.0)  # as if the second were over
    monkeypatch.setattr(loops.add_up, "_forms", {})
    monkeypatch.setenv("WAGER_COMPILE", "always")
    loops.add_up(np.arange(3.0), work=0.0)
    loops.add_up(np.arange(3), work=0.0)  # another type
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("wager: compiling sums of the test, about 1 s")
    assert f"to be kept in {tmp_path}" in line


def test_the_line_does_not_promise_to_keep_what_cannot_be_stored(monkeypatch, tmp_path):
    form = loops.add_up._form_for((np.arange(3.0),))
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    assert form._line().endswith(", which cannot be kept")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "new" / "folder"))
    assert form._line().endswith(f"to be kept in {tmp_path / 'new' / 'folder' / 'wager'}")


def test_nothing_is_printed_where_there_is_no_standard_error(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert runs(choice_of(12.0), 1e4) == ["compiled"]


def test_a_failure_is_told_once(capsys):
    def fail():
        raise CannotCompile("no space left")

    choice = choice_of(10.0)
    assert [choice.run(lambda: "plain", fail, 1e9) for _ in range(3)] == ["plain"] * 3
    assert capsys.readouterr().err == (
        "wager: cannot compile loops of the test, which therefore take longer (no space left)\n"
    )


def test_checked_code_refuses_an_index_outside_of_its_array(monkeypatch, tmp_path):
    monkeypatch.setenv("WAGER_COMPILE", "always")
    values, places = np.arange(4.0), np.array([1, 10**9])
    with checked_bounds():
        assert loops.picked(values, places[:1], work=0.0) == 1.0
        with pytest.raises(IndexError):
            loops.picked(values, places, work=0.0)
    assert loops.picked(values, places[:1], work=0.0) == 1.0
    assert len(list((tmp_path / "wager").iterdir())) == 2  # with and without checks
