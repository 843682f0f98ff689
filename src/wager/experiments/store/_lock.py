"""One run at a time: a lock on a file that ends with the process that holds it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["StoreError", "sole_writer"]


class StoreError(OSError):
    """A store cannot be written to, or not by us; what it holds is safe."""

    @classmethod
    def about(cls, folder: Path, problem: Exception) -> StoreError:
        """The error that says what went wrong with a folder, and the way out."""
        reason = getattr(problem, "strerror", None) or str(problem)
        return cls(
            f"cannot write to {folder} ({reason}): what was stored before is safe; run again to "
            "go on"
        )


@contextmanager
def sole_writer(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; refuse if another process does.

    The operating system releases the lock when the process ends, however it ends.
    """
    import fcntl

    try:
        handle = os.open(folder / "run.lock", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as problem:
        raise StoreError.about(folder, problem) from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(handle, 20).decode(errors="replace").strip() or "unknown"
            raise StoreError(
                f"another run (process {holder}) is writing to {folder}: wait until it is done, or "
                "choose another folder"
            ) from None
        os.ftruncate(handle, 0)
        os.write(handle, str(os.getpid()).encode())
        yield
    finally:
        os.close(handle)
