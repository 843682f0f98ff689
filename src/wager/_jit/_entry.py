"""Entries: loops that the rest of the package calls, each with a plain form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from threading import RLock
from types import FunctionType
from typing import Any

import numpy as np

from wager._jit._choice import CannotCompile, Choice, digest_of, mode
from wager._jit._disk import DiskCache, cache_folder, can_keep
from wager._jit._kernels import (
    MARK,
    Kernel,
    are_bounds_checked,
    options,
    with_compiled_kernels,
)
from wager._jit._tell import told_if_long

WAIT = 5.0  # seconds to wait for another process, beside three times what compiling should take
_LOCK = RLock()


class Entry:
    """A loop that is called with arrays, and its plain form, which gives the same results.

    Both change the arrays that they are given to fill in, and return the same values.  ``work`` is
    how long the plain form is expected to take, in seconds on an ordinary machine; where that
    depends on the data, kernels also count their work with ``spend``.
    """

    def __init__(self, loop: FunctionType, plain: Callable[..., Any], label: str):
        self.loop = loop
        self.plain = plain
        self.label = label
        self.__doc__ = loop.__doc__
        setattr(self, MARK, Kernel(loop))  # kernels may call the loop as well
        self._forms: dict[Any, _Form] = {}

    def __call__(self, *args: Any, work: float) -> Any:
        form = self._form_for(args)
        if form.function is not None and mode() != "never":
            return form.function(*args)
        return form.choice.run(
            lambda: self.plain(*args), lambda: form.compiled_for(args)(*args), work
        )

    def compiled(self, *args: Any) -> Any:
        """Call the compiled form, however little work there is; raises `CannotCompile`."""
        return self._form_for(args).compiled_for(args)(*args)

    def _form_for(self, args: tuple[Any, ...]) -> _Form:
        checked = are_bounds_checked()
        kinds = (*map(_kind_of, args), *["checked bounds"] * checked)
        form = self._forms.get(kinds)
        if form is None:
            form = self._forms[kinds] = _Form(self, str(kinds), checked)
        return form


class _Form:
    """An entry with arguments of certain types."""

    def __init__(self, of: Entry, kinds: str, checked: bool):
        self.loop = of.loop
        self.kinds = kinds
        self.checked = checked
        self.choice = Choice(of.label, [of.loop], kinds)
        self.function: Any = None

    def compiled_for(self, args: tuple[Any, ...]) -> Any:
        """The Numba function, compiled or loaded if this was not done before."""
        with _LOCK:
            if self.function is None:
                self.function = self._compiled(args)
        return self.function

    def _compiled(self, args: tuple[Any, ...]) -> Any:
        if find_spec("numba") is None:
            raise CannotCompile
        try:
            from numba import njit, typeof

            loop = with_compiled_kernels(self.loop, self.checked)
            # without an interface to C, which nobody calls and which takes long to compile
            chosen = {**options(self.checked), "no_cfunc_wrapper": True}
            function = njit(**chosen)(loop)
            function._cache = disk = DiskCache(self.loop, digest_of(self.loop), self.kinds)
            told = told_if_long(f"compiling {self.choice.label}", self._line)
            with told, disk.turn(longest=WAIT + 3 * self.choice.price):
                function.compile(tuple(typeof(arg) for arg in args))
        except Exception as problem:
            first = (str(problem).splitlines() or [""])[0]
            raise CannotCompile(f"{type(problem).__name__}: {first}") from problem
        return function

    def _line(self) -> str:
        seconds = f"about {self.choice.price + 1:.0f} s"
        kept = f"to be kept in {cache_folder()}" if can_keep() else "which cannot be kept"
        return f"compiling {self.choice.label}, {seconds}, {kept}"


def entry(
    loop: Any = None, *, plain: Callable[..., Any] | None = None, label: str = "loops"
) -> Any:
    """Make an entry of a loop; the plain form is the loop itself unless another one is given.

    Examples
    --------
    >>> @entry
    ... def add_one(values):
    ...     for i in range(len(values)):
    ...         values[i] += 1
    >>> values = np.array([1, 2])
    >>> add_one(values, work=1e-6)
    >>> values.tolist()
    [2, 3]
    """
    if loop is None:
        return lambda loop: Entry(loop, loop if plain is None else plain, label)
    return Entry(loop, loop if plain is None else plain, label)


def entry_group(entries: Sequence[Entry], label: str) -> Choice:
    """Entries that are compiled together, because they work on the same data for a long time."""
    return Choice(label, [each.loop for each in entries])


def _kind_of(value: Any) -> Any:
    """What decides about the type that Numba gives a value."""
    if isinstance(value, np.ndarray):
        shape = "C" if value.flags.c_contiguous else "F" if value.flags.f_contiguous else "A"
        return value.dtype.str, value.ndim, shape, value.flags.writeable
    if isinstance(value, tuple):
        return type(value).__name__, *map(_kind_of, value)
    return type(value).__name__
