"""Compile loops with Numba when they are first needed, so that importing costs nothing.

A kernel is a plain function over arrays.  ``compiled`` returns its compiled form, or None if Numba
is not installed or the work is too small to be worth loading it; the caller then uses the NumPy
version of the kernel, which gives the same numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

SMALL = 200_000  # elementary steps below which importing Numba costs more than it saves


def compiled(loop: Callable[..., Any], work: float = float("inf")) -> Callable[..., Any] | None:
    """The compiled form of ``loop``, or None if its NumPy version should be used.

    Parameters
    ----------
    loop : function
        A function in the subset of Python that Numba compiles; it must not call other kernels.
    work : float
        The approximate number of elementary steps.  NumPy does little work, unless Numba is loaded
        already.
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
    """Compile a loop that may call other kernels, if Numba is installed.

    A decorator for modules that are themselves imported only when their loops are needed.  Without
    Numba the loops run as plain Python, slowly but with the same result.
    """
    return _kernel(loop)


def inner_kernel(loop: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that only other kernels call.

    Numba then builds no interface to Python, which takes long for functions with many arrays.
    """
    return _kernel(loop, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def inlined_kernel(loop: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that becomes part of every kernel that calls it.

    For parts of a long loop that have only one caller, and for loops that take other kernels as
    arguments: compiled separately, such a loop would refer to them by address, and Numba could not
    keep it on disk.
    """
    return _kernel(loop, inline="always")


def _kernel(loop: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    try:
        from numba import njit
    except ImportError:
        return loop
    decorate = njit(cache=True, nogil=True, error_model="numpy", **options)
    compiled: Callable[..., Any] = decorate(loop)
    return compiled
