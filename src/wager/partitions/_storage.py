"""Columns that grow by rows, in memory or on disk, and are read in slices.

The scaling of a partition reads its rows several times.  Rows that do not fit into memory are
written to temporary files once and read from there in blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from wager._typing import Array

__all__ = ["DiskArray", "DiskStorage", "MemoryArray", "Storage"]


class MemoryArray:
    """A column in memory: an array that is put together from parts."""

    def __init__(self) -> None:
        self._parts: list[Array] = []

    def append(self, rows: Array) -> None:
        """Add rows at the end."""
        self._parts.append(rows)

    def finish(self) -> Array:
        """All rows."""
        return self._parts[0] if len(self._parts) == 1 else np.concatenate(self._parts)


class DiskArray:
    """A column on disk: an array of which only slices are in memory.

    Parameters
    ----------
    path : Path
        The file, which is written anew.
    dtype : dtype
        The type of its numbers.
    width : int, optional
        The number of columns of a matrix; None for a vector.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     column = DiskArray(Path(folder) / "codes", np.int32)
    ...     column.append(np.array([4, 5]))
    ...     column.append(np.array([6, 7]))
    ...     len(column), column[1:3].tolist()
    (4, [5, 6])
    """

    def __init__(self, path: Path, dtype: Any, width: int | None = None) -> None:
        self._path, self._width, self._length = path, width, 0
        self.dtype = np.dtype(dtype)
        path.write_bytes(b"")

    def append(self, rows: Array) -> None:
        """Add rows at the end."""
        with self._path.open("ab") as file:
            np.ascontiguousarray(rows, dtype=self.dtype).tofile(file)
        self._length += len(rows)

    def finish(self) -> DiskArray:
        """The column itself."""
        return self

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of rows and, of a matrix, of columns."""
        return (self._length,) if self._width is None else (self._length, self._width)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, rows: slice) -> Array:
        start, stop, _ = rows.indices(self._length)
        width = self._width or 1
        numbers = np.fromfile(
            self._path,
            self.dtype,
            count=(stop - start) * width,
            offset=start * width * self.dtype.itemsize,
        )
        return numbers if self._width is None else numbers.reshape(-1, width)


# Gives a new column, given the type of its numbers and the width of a matrix.
Storage: TypeAlias = Callable[[Any, int | None], Any]


def in_memory(dtype: Any, width: int | None = None) -> MemoryArray:
    """A new column in memory."""
    return MemoryArray()


class DiskStorage:
    """New columns in a folder.

    Parameters
    ----------
    folder : Path
        Where the files are written; the caller, who made it, deletes it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._made = folder, 0

    def __call__(self, dtype: Any, width: int | None = None) -> DiskArray:
        """A new column on disk."""
        self._made += 1
        return DiskArray(self._folder / f"column{self._made}", dtype, width)
