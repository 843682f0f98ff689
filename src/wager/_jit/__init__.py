"""Loops that run as plain Python while there is little to do, and compiled when that pays.

A *kernel* is a function in the subset of Python that Numba compiles, written so that it gives the
same numbers to the last bit without Numba.  An *entry* is a kernel that the rest of the package
calls; it has a plain form, which is the same loop over lists or an equivalent in NumPy.  Compiling
takes seconds, so an entry does so only after its plain form has used up a good part of that time,
or when a single call would take that long.  Compiled code is kept on disk for later processes.

The environment variable ``WAGER_COMPILE`` is read at every decision: ``always`` compiles at the
first call, ``never`` uses the plain forms only, ``auto`` is the default.
"""

from wager._jit._entry import Entry, entry, entry_group
from wager._jit._kernels import checked_bounds, inlined_kernel, kernel, rebound
from wager._jit._lists import (
    as_lists,
    divided,
    flags,
    floats,
    integers,
    like,
    logarithm,
    notes,
    small_integers,
    widened,
)
from wager._jit._meter import spend

__all__ = [
    "Entry",
    "as_lists",
    "checked_bounds",
    "divided",
    "entry",
    "entry_group",
    "flags",
    "floats",
    "inlined_kernel",
    "integers",
    "kernel",
    "like",
    "logarithm",
    "notes",
    "rebound",
    "small_integers",
    "spend",
    "widened",
]
