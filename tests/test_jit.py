"""Loops are compiled when that pays, and importing costs nothing otherwise."""

import subprocess
import sys

from wager import _jit


def _double(values):
    for i in range(len(values)):
        values[i] *= 2


def test_little_work_does_not_load_numba():
    code = (
        "import sys; from wager._jit import compiled; "
        "sys.exit(compiled(print, work=10) is not None or 'numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_much_work_is_compiled_once(monkeypatch):
    loop = _jit.compiled(_double)
    assert loop is _jit.compiled(_double)
    assert loop is not _double


def test_without_numba_the_caller_uses_numpy(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)  # importing it now fails
    _jit._compile.cache_clear()
    assert _jit.compiled(_double) is None
    _jit._compile.cache_clear()
