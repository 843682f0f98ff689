"""Write a file completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path beside ``path``, and rename it to ``path`` after success.

    Until then, and if anything fails, a file at ``path`` stays unchanged.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     target = Path(folder) / "note.txt"
    ...     with replacing(target) as draft:
    ...         _ = draft.write_text("done")
    ...     target.read_text(), len(list(Path(folder).iterdir()))
    ('done', 1)
    """
    target = Path(path)
    if target.is_dir():
        raise ValueError(f"cannot write {target}: it is a folder, name a file in it")
    if not target.parent.is_dir():
        raise ValueError(f"cannot write {target}: make the folder {target.parent} first")
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        yield draft
        draft.replace(target)
    finally:
        with suppress(FileNotFoundError):
            draft.unlink()
