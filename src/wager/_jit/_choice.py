"""Whether a loop runs as plain Python or compiled, decided from the work done and ahead.

Compiling pays if it saves more than it costs.  Nobody knows how often a loop will be called, so a
loop stays plain until its calls have added up to a part of what compiling costs (`patience`), or a
single call would.  A pause of a second is accepted soon, a longer one only for long work.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import cached_property
from math import inf
from types import FunctionType
from typing import Any

from wager._jit._disk import is_kept
from wager._jit._kernels import digest, kernels_below
from wager._jit._meter import TooMuchWork, metered
from wager._jit._tell import tell_once

MODES = ("auto", "always", "never")
NEGLIGIBLE = 5e-3  # seconds of work for which not even the disk is looked at
IMPORT_NUMBA, START_NUMBA = 0.4, 0.6  # seconds, the second before the first function
LOAD = 0.03  # seconds to load one function from the disk
COMPILE = 1.5e-3  # seconds per instruction of Python's byte code
LEAST_PATIENCE, PATIENCE = 0.05, 3.0  # seconds
TELL = 0.5  # seconds of plain work from which on a line is printed


class CannotCompile(Exception):  # noqa: N818 - not an error: plain Python takes over
    """Numba is not installed, or it failed; the text is empty if it is not installed."""


def mode() -> str:
    """The value of ``WAGER_COMPILE``."""
    given = os.environ.get("WAGER_COMPILE", "auto")
    if given not in MODES:
        raise ValueError(
            f"the environment variable WAGER_COMPILE must be one of {', '.join(MODES)}, "
            f"got {given!r}"
        )
    # Numba's own switch would run the loops over arrays, which plain forms do much faster
    return "never" if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0" else given


def patience(price: float) -> float:
    """The seconds of plain work after which a price is paid.

    Examples
    --------
    >>> patience(0.1), patience(3.0), patience(6.0), patience(12.0)
    (0.05, 2.0, 3.0, 4.0)
    """
    return max(LEAST_PATIENCE, min(price - 1, PATIENCE), price / 3)


class Choice:
    """The history of one or more loops that are compiled together.

    Parameters
    ----------
    label : str
        What the loops are for, in messages.
    loops : sequence of function
    kinds : str, optional
        The types of the arguments; without them, compiled code for any types counts as found.
    """

    def __init__(self, label: str, loops: Sequence[FunctionType], kinds: str | None = None):
        self.label = label
        self.loops = loops
        self.kinds = kinds
        self.spent = 0.0
        self.compiled = False
        self.failed = False

    @cached_property
    def price(self) -> float:
        """The seconds that compiling takes, without loading and starting Numba."""
        below = {each for loop in self.loops for each in kernels_below(loop)}
        return COMPILE * sum(len(each.__code__.co_code) // 2 for each in below)

    def run(self, plain: Callable[[], Any], compiled: Callable[[], Any], work: float = inf) -> Any:
        """The result of the plain or of the compiled form, which are the same.

        A plain form that turns out to be too much work is given up, so it must not change its
        arguments before it is finished.
        """
        budget = self._budget(work)
        if budget > 0:
            done, result = self._try_plain(plain, work, budget)
            if done:
                return result
        try:
            result = compiled()
        except CannotCompile as reason:
            self.failed = True
            if str(reason):
                text = f"cannot compile {self.label}, which therefore take longer ({reason})"
                tell_once(f"cannot compile {self.label}", text)
            return plain()
        self.compiled = True
        return result

    def _budget(self, work: float) -> float:
        """The plain work that may follow; 0 if compiled code is to be used at once."""
        wanted = mode()
        if self.failed or wanted == "never":
            return inf
        if self.compiled or wanted == "always":
            return 0.0
        ahead = self.spent + work
        if ahead <= NEGLIGIBLE:
            return NEGLIGIBLE
        price = 0.0 if "numba" in sys.modules else IMPORT_NUMBA
        if all(is_kept(loop, digest_of(loop), self.kinds) for loop in self.loops):
            price += LOAD * len(self.loops)
            allowed = price / 4
        else:
            price += START_NUMBA + self.price
            allowed = patience(price)
            if work < inf and TELL < ahead <= allowed:
                self._tell_plain()
        return allowed - self.spent if ahead <= allowed else 0.0

    def _try_plain(self, plain: Callable[[], Any], work: float, budget: float) -> tuple[bool, Any]:
        with metered(budget, TELL - self.spent, self._tell_plain) as used:
            try:
                return True, plain()
            except TooMuchWork:
                return False, None
            finally:
                self.spent += used.work or min(work, budget)

    def _tell_plain(self) -> None:
        if mode() == "auto" and not self.failed:
            tell_once(
                f"plain {self.label}",
                f"{self.label} run in plain Python, since compiling them would take about "
                f"{self.price + IMPORT_NUMBA + START_NUMBA:.0f} s (WAGER_COMPILE=always compiles)",
            )


_DIGESTS: dict[FunctionType, str] = {}


def digest_of(loop: FunctionType) -> str:
    """The digest of a loop, computed once."""
    if loop not in _DIGESTS:
        _DIGESTS[loop] = digest(loop)
    return _DIGESTS[loop]
