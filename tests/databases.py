"""One DuckDB for all prediction files that the tests of a process read and write.

A new database takes 20 ms, ten times as long as the work on a small file, and the tests open many
thousand files.  Files that are opened beside each other share a database in use as well; each piece
of work has temporary tables of its own.  The fixture `new_databases` is for tests of how many
databases there are and of what they leave behind.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from wager.predictions.files._database import _Connection

OPEN = _Connection.open


def open_shared(connection: _Connection) -> Any:
    """In place of `_Connection.open`."""
    return OPEN(_of_process(os.getpid()))


@cache
def _of_process(process: int) -> _Connection:
    return _Connection()  # a copy of this process cannot use its parent's
