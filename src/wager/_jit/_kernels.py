"""Kernels: loops that Numba can compile, and what plain Python runs in their place.

The decorators only mark a function.  Its name stays bound to what plain Python runs: the loop
itself, or an equivalent that is faster without Numba.  So kernels call each other as ordinary
functions, and importing them costs nothing.  For Numba every loop gets a copy that sees the
compiled forms of the kernels it calls.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

MARK = "_wager_kernel"
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}


class _Bounds:
    """Whether compiled code checks that every index lies within its array."""

    checked = False


def are_bounds_checked() -> bool:
    """Whether compiled code checks its indices now."""
    return _Bounds.checked


@contextmanager
def checked_bounds() -> Iterator[None]:
    """Let compiled code raise `IndexError` where an index lies outside of its array.

    Otherwise compiled code reads and writes whatever is there in memory.  For numbers that come
    from a file of somebody else: what it costs is some speed, and code compiled a second time.

    Examples
    --------
    >>> with checked_bounds():
    ...     are_bounds_checked()
    True
    """
    before, _Bounds.checked = _Bounds.checked, True
    try:
        yield
    finally:
        _Bounds.checked = before


def options(checked: bool) -> dict[str, Any]:
    """The options of Numba for every loop."""
    return {**_OPTIONS, "boundscheck": True} if checked else _OPTIONS


class Kernel(NamedTuple):
    """A loop to compile, and whether it becomes part of every kernel that calls it."""

    loop: Any  # a function; with that type it would be taken for a method
    inlined: bool = False


def kernel(loop: Any = None, *, plain: Callable[..., Any] | None = None) -> Any:
    """A loop that other kernels call; ``plain`` is what plain Python runs instead of it.

    Examples
    --------
    >>> @kernel
    ... def double(x):
    ...     return 2 * x
    >>> double(4)
    8
    """
    return _marked(loop, plain, inlined=False)


def inlined_kernel(loop: Any = None, *, plain: Callable[..., Any] | None = None) -> Any:
    """A kernel that becomes part of every kernel that calls it.

    For very short loops, and for loops that take other kernels as arguments: compiled separately,
    such a loop would refer to them by address, and could not be kept on disk.
    """
    return _marked(loop, plain, inlined=True)


def _marked(loop: Any, plain: Callable[..., Any] | None, *, inlined: bool) -> Any:
    if loop is None:
        return lambda loop: _marked(loop, plain, inlined=inlined)
    run = loop if plain is None else plain
    setattr(run, MARK, Kernel(loop, inlined))
    return run


def rebound(run: Any, **names: Any) -> Any:
    """A copy of a kernel in which some names stand for other kernels.

    Kernels that it calls are copied as well if they use one of the names, directly or not.  So a
    loop can be compiled for several rules, each of which costs only those who use it.  Plain Python
    runs the copied loops.

    Examples
    --------
    >>> @kernel
    ... def step(x):
    ...     return x + 1
    >>> @kernel
    ... def twice(x):
    ...     return step(step(x))
    >>> @kernel
    ... def step_back(x):
    ...     return x - 1
    >>> twice(5), rebound(twice, step=step_back)(5)
    (7, 3)
    """
    return _rebound(run, names, {})


def _rebound(run: Any, names: dict[str, Any], done: dict[Any, Any]) -> Any:
    wanted = found_kernel(run)
    assert wanted is not None
    loop = wanted.loop
    if loop in done:
        return done[loop]
    changed = {}
    for name, value in _globals_of(loop):
        if name in names:
            changed[name] = names[name]
        elif found_kernel(value) is not None:
            copy = _rebound(value, names, done)
            if copy is not value:
                changed[name] = copy
    if changed:
        copy = FunctionType(loop.__code__, {**loop.__globals__, **changed}, loop.__name__)
        copy.__module__, copy.__qualname__ = loop.__module__, loop.__qualname__
        copy.__doc__ = loop.__doc__
        done[loop] = _marked(copy, None, inlined=wanted.inlined)
    else:
        done[loop] = run
    return done[loop]


def found_kernel(value: Any) -> Kernel | None:
    """The kernel that a value stands for in compiled code, None if it is not a kernel."""
    return getattr(value, MARK, None)


@cache
def dispatcher(wanted: Kernel, checked: bool) -> Any:
    """A kernel as a Numba function that other Numba functions can call."""
    from numba import njit

    loop = with_compiled_kernels(wanted.loop, checked)
    if wanted.inlined:
        return njit(inline="always", **options(checked))(loop)
    # without an interface to Python, which takes long to compile for functions with many arrays
    inner = {**options(checked), "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return njit(**inner)(loop)


def with_compiled_kernels(loop: FunctionType, checked: bool) -> FunctionType:
    """A copy of a loop that calls the compiled forms of its kernels."""
    names = dict(_globals_of(loop))
    for name, value in names.items():
        called = found_kernel(value)
        if called is not None:
            names[name] = dispatcher(called, checked)
    copy = FunctionType(loop.__code__, names, loop.__name__)
    copy.__module__, copy.__qualname__ = loop.__module__, loop.__qualname__
    return copy


def _globals_of(loop: FunctionType) -> Iterator[tuple[str, Any]]:
    """The global names in a loop with their values, sorted."""
    for name in sorted(set(_names_in(loop.__code__))):
        if name in loop.__globals__:
            yield name, loop.__globals__[name]


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


def kernels_below(loop: FunctionType) -> list[FunctionType]:
    """A loop and all loops that it calls, directly or not."""
    found = [loop]
    for each in found:
        for _, value in _globals_of(each):
            called = found_kernel(value)
            if called is not None and called.loop not in found:
                found.append(called.loop)
    return found


def digest(loop: FunctionType) -> str:
    """A digest of all code and all constants that the compiled form of a loop depends on."""
    text = hashlib.sha256()
    for each in kernels_below(loop):
        text.update(
            f"{each.__module__}.{each.__qualname__}\n{_code_text(each.__code__)}\n".encode()
        )
        for name, value in _globals_of(each):
            text.update(f"{name}={_value_text(value)}\n".encode())
    return text.hexdigest()


def _code_text(code: CodeType) -> str:
    """What a function does, without its place in the file."""
    constants = [
        _code_text(each) if isinstance(each, CodeType) else repr(each) for each in code.co_consts
    ]
    return f"{code.co_code.hex()} {constants} {code.co_names} {code.co_varnames}"


def _value_text(value: Any) -> str:
    called = found_kernel(value)
    if called is not None:
        return f"kernel {called.loop.__module__}.{called.loop.__qualname__} {called.inlined}"
    if isinstance(value, ModuleType):
        return value.__name__
    if isinstance(value, type) or callable(value):
        # the fields of a NamedTuple decide where compiled code finds its arrays
        fields = getattr(value, "_fields", "")
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')} {fields}"
    return repr(value)
