"""Loops that Numba compiles when they are first needed, and that nobody waits for otherwise.

A kernel is a plain function over arrays.  ``compiled`` hands back its compiled form, or None where
Numba is absent or the work is too small to be worth loading it; the caller then takes the NumPy
twin that stands beside the kernel and gives the same numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

SMALL = 200_000  # elementary steps below which importing Numba costs more than it saves


def compiled(loop: Callable[..., Any], work: float = float("inf")) -> Callable[..., Any] | None:
    """The compiled form of ``loop``, or None where its NumPy twin should serve.

    Parameters
    ----------
    loop : function
        Written in the part of Python that Numba compiles; calls no other kernel.
    work : float
        About how many elementary steps lie ahead.  Little work is left to NumPy, unless Numba is
        loaded already.
    """
    if work < SMALL and "numba" not in sys.modules:
        return None
    return _compile(loop)


@cache
def _compile(loop: Callable[..., Any]) -> Callable[..., Any] | None:
    try:
        from numba import njit
    except ImportError:
        return None
    compiled: Callable[..., Any] = njit(cache=True, nogil=True)(loop)
    return compiled


def kernel(loop: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop that may call other kernels, where Numba is there to do it.

    A decorator, for modules that are themselves imported only when their loops are needed.  Without
    Numba the loops run as they stand, slowly and with the same result.
    """
    try:
        from numba import njit
    except ImportError:
        return loop
    compiled: Callable[..., Any] = njit(cache=True, nogil=True, error_model="numpy")(loop)
    return compiled
