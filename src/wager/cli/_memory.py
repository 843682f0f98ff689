"""A bound on the memory of a block of code, for numbers that come from files of others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_STATUS = Path("/proc/self/status")


@contextmanager
def at_most_more_memory(n_bytes: int) -> Iterator[None]:
    """Raise `MemoryError` where the block needs more than this beyond what is in use now.

    Parameters
    ----------
    n_bytes : int
        The most that may be added.  It has no effect on systems other than Linux.

    Examples
    --------
    >>> with at_most_more_memory(1 << 30):
    ...     len(bytes(1 << 10))
    1024
    """
    used = _data_bytes()
    if used is None:
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    known = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min([used + n_bytes, *known]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _data_bytes() -> int | None:
    """The memory that this process can write to; None where that is unknown."""
    try:
        found = re.search(r"^VmData:\s+(\d+) kB$", _STATUS.read_text(), re.MULTILINE)
    except OSError:
        return None
    return None if found is None else 1024 * int(found[1])
