"""Compiled code on disk, for later processes.

A file belongs to one loop, the types of its arguments, and one processor.  Its name contains a
digest of all code that the loop depends on and of the versions of Python, NumPy and Numba, so a
change of any of these leads to another file.  A file begins with a digest of its content: what is
cut off or damaged is never read further.  Nothing here raises an error: without a usable file the
loop is compiled again, and what cannot be stored is not stored.  Processes that need the same code
at the same time wait for the one that compiles it.

The files are pickles made by Numba, and executable code.  So they and their folder are only used if
they belong to the present user or to the administrator, and nobody else may write to them.  What is
made here can be entered and read only by its owner.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import FunctionType
from typing import Any

PACKAGES = ("numba", "llvmlite", "numpy")
SUFFIX = ".kernel"
POLL = 0.05  # seconds between two looks at a lock
SETTLED = 1e9  # nanoseconds after which a change of a folder has another time than the next one
_LISTED: dict[Path, tuple[int, list[str]]] = {}  # of one folder: when it changed, and its files


def cache_folder() -> Path | None:
    """The folder of compiled code; None if the user has no home.

    It is ``wager`` in the folder that the environment variable ``NUMBA_CACHE_DIR`` names, or in the
    user's folder for caches.
    """
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(given) / "wager"
    try:
        if sys.platform == "win32":
            base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
        elif sys.platform == "darwin":
            base = Path.home() / "Library" / "Caches"
        else:
            base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:  # no home
        return None
    return Path(base) / "wager"


def can_keep() -> bool:
    """Whether compiled code can be stored, as far as one can tell without doing it."""
    folder = cache_folder()
    if folder is None:
        return False
    place = next((each for each in (folder, *folder.parents) if each.exists()), folder)
    return place.is_dir() and os.access(place, os.W_OK)


def is_kept(loop: FunctionType, digest: str, kinds: str | None) -> bool:
    """Whether there is code for a loop, with arguments of these or, if None, of any types."""
    folder = cache_folder()
    if folder is None:
        return False
    stem = _stem(loop, digest, kinds)
    try:
        return _is_private_folder(folder) and any(
            name.startswith(stem) for name in _names_of_code(folder)
        )
    except OSError:
        return False


def _names_of_code(folder: Path) -> list[str]:
    """The files of compiled code in a folder, which is read again only after it has changed."""
    changed = folder.stat().st_mtime_ns
    known = _LISTED.get(folder)
    if known is not None and known[0] == changed:
        return known[1]
    names = [each.name for each in folder.iterdir() if each.suffix == SUFFIX]
    _LISTED.clear()
    if time.time_ns() - changed > SETTLED:
        _LISTED[folder] = changed, names
    return names


class DiskCache:
    """The cache of one Numba function with one signature, in the form that Numba asks for."""

    def __init__(self, loop: FunctionType, digest: str, kinds: str):
        self._stem = _stem(loop, digest, kinds)
        self._is_kept = is_kept(loop, digest, kinds)

    @property
    def cache_path(self) -> str:
        return str(cache_folder() or "")

    @contextmanager
    def turn(self, longest: float) -> Iterator[None]:
        """Wait, ``longest`` seconds at most, while another process compiles the same code."""
        folder = cache_folder()
        with ExitStack() as held:
            if folder is not None and not self._is_kept:
                with suppress(Exception):  # without a lock the code may be compiled twice, no more
                    _lock(folder / f"{self._stem[:-1]}.lock", longest, held)
            yield

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function, or None if there is none that can be used."""
        from numba.core.compiler import CompileResult

        with suppress(Exception):  # whatever is wrong with a file, compiling is the way out
            content = _read_checked(self._path(target_context))
            if content is not None:
                target_context.refresh()
                return CompileResult._rebuild(target_context, *_unpickled(content))
        return None

    def save_overload(self, sig: Any, result: Any) -> None:
        """Store a compiled function if that is possible."""
        from numba.core.serialize import dumps

        if result.objectmode or result.lifted or result.library.has_dynamic_globals:
            return
        with suppress(Exception):  # a full disk, a folder that is read only, ...
            _write_checked(self._path(result.target_context), dumps(result._reduce()))

    def enable(self) -> None:
        """Numba's interface; this cache is always in use."""

    def disable(self) -> None:
        """Numba's interface; see ``enable``."""

    def flush(self) -> None:
        """Numba's interface; files are never emptied."""

    def _path(self, target_context: Any) -> Path:
        processor = repr(target_context.codegen().magic_tuple())
        folder = cache_folder()
        if folder is None:
            raise FileNotFoundError("no folder for caches")
        return folder / f"{self._stem}{_short(processor)}{SUFFIX}"


def _stem(loop: FunctionType, digest: str, kinds: str | None) -> str:
    of_code = _short(f"{digest} {_versions()}", 20)
    return f"{loop.__name__}-{of_code}-" + ("" if kinds is None else f"{_short(kinds)}-")


def _short(text: str, length: int = 12) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:length]


@cache
def _versions() -> str:
    found = [sys.implementation.cache_tag or sys.version]
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found.append(f"{package} {version(package)}")
    return ", ".join(found)


def _unpickled(content: bytes) -> Any:
    import pickle  # nosec B403

    # only the content of a private file of ours: see _read_checked
    return pickle.loads(content)  # nosec B301


def _is_trusted(owner: int) -> bool:
    """Whether files of a user are read: those of the present user, and of the administrator."""
    return not hasattr(os, "getuid") or owner in (os.getuid(), 0)


def _is_private(found: os.stat_result) -> bool:
    """Whether a file or folder belongs to someone we trust, and only its owner may write to it."""
    is_shared = hasattr(os, "getuid") and found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return _is_trusted(found.st_uid) and not is_shared


def _is_private_folder(folder: Path) -> bool:
    """Whether only we, or the administrator, can have put files into a folder.

    A link is judged as well as the folder that it leads to: somebody else may have planted it.
    """
    return _is_trusted(folder.lstat().st_uid) and _is_private(folder.stat())


def _lock(path: Path, longest: float, held: ExitStack) -> None:
    """Lock a file for this process until ``held`` is left; copies of the process have no lock."""
    import fcntl  # not on Windows, where processes do not wait for each other

    if not _make_private(path.parent):
        return
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    held.callback(os.close, file)
    end = time.monotonic() + longest
    while time.monotonic() < end:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):  # another process has it
            time.sleep(POLL)
        else:
            held.callback(path.unlink, missing_ok=True)
            return


def _make_private(folder: Path) -> bool:
    """Make a folder for compiled code, or close one of ours; whether it is safe to use then."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    _close_to_others(folder)
    return _is_private_folder(folder)


def _close_to_others(folder: Path) -> None:
    """Make a folder that only its owner can enter, or close one of ours that others could."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if hasattr(os, "getuid") and found.st_uid == os.getuid() and stat.S_ISDIR(found.st_mode):
        folder.chmod(stat.S_IMODE(found.st_mode) & 0o700)


def _read_checked(path: Path) -> bytes | None:
    """The content of a file that was written completely, and by someone whom we trust."""
    if not _is_private_folder(path.parent):
        return None
    with path.open("rb") as file:
        if not _is_private(os.fstat(file.fileno())):
            return None
        expected, content = file.read(32), file.read()
    return content if hashlib.sha256(content).digest() == expected else None


def _write_checked(path: Path, content: bytes) -> None:
    folder = path.parent
    if not _make_private(folder):
        return
    # a file of this name is made anew, for its owner only: a link in its place is not followed
    descriptor, name = tempfile.mkstemp(prefix=f"{path.name}.", suffix=".part", dir=folder)
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(hashlib.sha256(content).digest() + content)
        draft.replace(path)
    finally:
        with suppress(OSError):
            draft.unlink()
