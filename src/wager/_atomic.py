"""Write a file completely or not at all.

A draft is written in a folder of its own, which is beside the target, has a random name and can be
entered only by its owner.  So nobody can put a link in the place of the draft, and two threads or
programs that write the same path never mix: the last one to finish wins.  At the end the draft is
forced to the disk and renamed.

If the target is a symbolic link, the link is replaced and the file that it points to stays
unchanged.  A file that is replaced keeps its permissions.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path, and rename what is written there to ``path`` after success.

    Until then, and if anything fails, a file at ``path`` stays unchanged.  A device or a pipe, such
    as ``/dev/stdout``, cannot be replaced: the bytes are copied to it at the end.

    Examples
    --------
    >>> with TemporaryDirectory() as folder:
    ...     target = Path(folder) / "note.txt"
    ...     with replacing(target) as draft:
    ...         _ = draft.write_text("done")
    ...     target.read_text(), len(list(Path(folder).iterdir()))
    ('done', 1)
    """
    target = Path(path)
    mode = _mode(target)
    is_device = _is_device(mode)
    with _folder_of_draft(target, is_device) as name:
        draft = Path(name) / "draft"
        yield draft
        if is_device:
            with draft.open("rb") as source, target.open("wb") as out:
                shutil.copyfileobj(source, out)
            return
        if mode is not None:
            draft.chmod(stat.S_IMODE(mode) & 0o777)
        _force_to_disk(draft)
        draft.replace(target)
        with suppress(OSError):  # not every system can force the entries of a folder to the disk
            _force_to_disk(target.parent)


@contextmanager
def folder_for_output(folder: Path) -> Iterator[None]:
    """Make a folder and those that lead to it; if the block fails, the empty ones are removed."""
    new = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        _make(folder)
        yield
    except BaseException:
        for each in new:  # those with something in them stay
            with suppress(OSError):
                each.rmdir()
        raise


def _make(folder: Path) -> None:
    """Make a folder; a ValueError says why that cannot be done."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        there = (each for each in (folder, *folder.parents) if each.exists())
        file = next((each for each in there if not each.is_dir()), folder)
        raise ValueError(f"cannot write to {folder}: {file} is a file, not a folder") from None
    except OSError as problem:
        if problem.errno in (errno.ENOSPC, errno.EDQUOT):  # no fault of the path
            raise
        reason = (problem.strerror or str(problem)).lower()
        raise ValueError(f"cannot write to {folder}: {reason}; name another folder") from None


def require_writable(path: str | PathLike[str]) -> None:
    """Raise the error of `replacing` now, before work that would be lost."""
    target = Path(path)
    _folder_of_draft(target, _is_device(_mode(target))).cleanup()


def _folder_of_draft(target: Path, is_device: bool) -> TemporaryDirectory[str]:
    """A private folder beside the target, or among temporary files if the target is a device."""
    if target.is_dir():
        raise ValueError(f"cannot write {target}: it is a folder, name a file in it")
    if target.parent.exists() and not target.parent.is_dir():
        raise ValueError(f"cannot write {target}: {target.parent} is a file, not a folder")
    if not target.parent.is_dir():
        raise ValueError(f"cannot write {target}: make the folder {target.parent} first")
    try:
        beside = None if is_device else target.parent
        return TemporaryDirectory(prefix=".wager-", suffix=".part", dir=beside)
    except OSError as problem:
        if problem.errno in (errno.ENOSPC, errno.EDQUOT):  # no fault of the path
            raise OSError(problem.errno, problem.strerror, str(target)) from None
        raise ValueError(
            f"cannot write {target}: {(problem.strerror or str(problem)).lower()}"
        ) from None


def _is_device(mode: int | None) -> bool:
    return mode is not None and not stat.S_ISREG(mode)


def _mode(path: Path) -> int | None:
    """The kind and permissions of what is at a path, or at the end of a link; None if nothing."""
    try:
        return path.stat().st_mode
    except UnicodeError:
        raise ValueError(f"cannot write {str(path)!r}: no file can have this name") from None
    except OSError:  # nothing is there, or a link that leads nowhere
        return None


def _force_to_disk(path: Path) -> None:
    """Wait until a file, or the entries of a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
