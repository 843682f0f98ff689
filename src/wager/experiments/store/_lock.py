"""A lock on the folder of a store, so that one process writes to it at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["StoreError", "sole_writer"]


class StoreError(OSError):
    """A store cannot be written to, or another process is writing; stored results are safe."""

    @classmethod
    def about(cls, folder: Path, problem: Exception) -> StoreError:
        """The error that says why a folder cannot be written to, and what to do."""
        reason = getattr(problem, "strerror", None) or str(problem)
        return cls(
            f"cannot write to {folder} ({reason}): results stored before are safe; run again to "
            "continue"
        )


@contextmanager
def sole_writer(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; raise a `StoreError` if another process holds it.

    The operating system releases the lock when the process ends, however it ends.
    """
    from filelock import FileLock, Timeout  # here, since workers do not need it

    # the id of the holder is in a separate file: on Windows no other process can read a locked file
    lock, holder = FileLock(folder / "run.lock", mode=0o644), folder / "run.pid"
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise StoreError(
            f"another run (process {_read(holder)}) is writing to {folder}: wait until it is done, "
            "or choose another folder"
        ) from None
    except (OSError, NotImplementedError) as problem:
        raise StoreError.about(folder, problem) from None
    try:
        try:
            holder.write_text(str(os.getpid()), encoding="ascii")
        except OSError as problem:
            raise StoreError.about(folder, problem) from None
        yield
    finally:
        with suppress(OSError):
            holder.unlink()
        lock.release()


def _read(holder: Path) -> str:
    with suppress(OSError):
        return holder.read_text(encoding="ascii", errors="replace").strip() or "unknown"
    return "unknown"
