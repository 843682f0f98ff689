"""The files that a path names: one, those that match a pattern, a folder of Parquet, a remote one.

A pattern such as ``preds/*.parquet`` and a folder of partitioned Parquet stand for their files in
sorted order.  A remote file is copied to a temporary one, by fsspec and the library for its
protocol, or for http by Python itself; nothing is installed or downloaded for that.
"""

from __future__ import annotations

import re
import shutil
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from glob import glob, has_magic
from pathlib import Path, PurePosixPath
from tempfile import mkdtemp
from typing import Any, NamedTuple

from wager._tables import STANDARD_INPUT, first_line

__all__ = ["Places", "find_places", "is_remote", "parquet_files"]

_REMOTE = re.compile(r"(?P<protocol>[a-z][a-z0-9+]+):/+(?P<rest>.+)", re.DOTALL)
_SECONDS = 30  # to wait for a server
_PARQUET = (".parquet", ".pq")


class Places(NamedTuple):
    """The files that a path names.

    Attributes
    ----------
    shown : Path
        What messages call them.
    files : list of Path
        The files, at least one.
    kept : object
        Temporary copies exist as long as this.
    """

    shown: Path
    files: list[Path]
    kept: Any = None


class _Address(type(Path())):  # type: ignore[misc]
    """An address, whose double slash a plain path would lose."""

    def __str__(self) -> str:
        found = _REMOTE.fullmatch(super().__str__())
        assert found is not None
        return f"{found['protocol']}://{found['rest']}"


def is_remote(path: Path) -> bool:
    """Whether a path is the address of a remote file.

    Examples
    --------
    >>> is_remote(Path("s3://bucket/a.csv")), is_remote(Path("C:/a.csv")), is_remote(Path("a.csv"))
    (True, False, False)
    """
    return _REMOTE.fullmatch(str(path)) is not None and not path.exists()


def parquet_files(folder: Path) -> list[Path]:
    """The Parquet files in a folder and in the folders below it, sorted."""
    inside = (one for ending in _PARQUET for one in folder.rglob(f"*{ending}"))
    return sorted(one for one in inside if one.is_file())


def find_places(path: Path) -> Places:
    """The files that a path names; a path that names none is returned as it is."""
    if path == STANDARD_INPUT or path.is_file():
        return Places(path, [path])
    if is_remote(path):
        return _copied(_Address(path))
    if path.is_dir():
        files = parquet_files(path)
        if not files:
            raise ValueError(
                f"{path} is a folder without Parquet files: name a prediction file in it, or a "
                "pattern such as folder/*.csv"
            )
        return Places(path, files)
    if has_magic(str(path)):
        found = map(Path, glob(str(path), recursive=True))  # noqa: PTH207  (may be absolute)
        files = sorted(one for one in found if one.is_file())
        if not files:
            raise ValueError(f"{path}: no file matches this pattern")
        return Places(path, files)
    return Places(path, [path])


def _copied(address: _Address) -> Places:
    """Copies of remote files in a temporary folder, which is deleted with the result."""
    copies = _Copies()
    with _one_sentence(address):
        files = [copies.add(name, stream) for name, stream in _opened(str(address))]
    if not files:
        raise ValueError(f"{address}: no file matches this pattern")
    return Places(address, files, copies)


class _Copies:
    """A temporary folder of copies, which is deleted with this object."""

    def __init__(self) -> None:
        self.folder = Path(mkdtemp(prefix="wager-"))
        self._n = 0
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    def add(self, name: str, stream: Any) -> Path:
        """Copy a stream; the copy has the name of the file, because its ending says the format."""
        self._n += 1
        path = self.folder / str(self._n) / PurePosixPath(name).name
        path.parent.mkdir()
        with path.open("wb") as out, stream as opened:
            shutil.copyfileobj(opened, out)
        return path


def _opened(address: str) -> Iterator[tuple[str, Any]]:
    """The names of remote files and the streams of their bytes."""
    protocol = address.split("://")[0]
    try:
        from fsspec.core import url_to_fs

        system, place = url_to_fs(address)
    except ImportError as problem:
        if protocol not in ("http", "https"):
            raise ValueError(_missing_library(address, protocol, problem)) from None
        from urllib.request import urlopen

        # the address is one that the user gives, and begins with http: see above
        yield address.split("?")[0], urlopen(address, timeout=_SECONDS)  # nosec B310
        return
    names = sorted(system.glob(place)) if has_magic(place) else [place]
    for name in names:
        yield name, system.open(name, "rb")


def _missing_library(address: str, protocol: str, problem: ImportError) -> str:
    if problem.name is not None and problem.name.split(".")[0] == "fsspec":
        return (
            f"{address}: reading remote files needs fsspec and its library for {protocol}: install "
            "them, or download the file"
        )
    return f"{address}: a library for {protocol} is not installed: {first_line(problem)}"


@contextmanager
def _one_sentence(address: _Address) -> Iterator[None]:
    """Turn the errors of a remote file into a `ValueError` of one sentence."""
    try:
        yield
    except FileNotFoundError:
        raise ValueError(f"{address}: no such file") from None
    except OSError as problem:  # includes the errors of urllib, which keep a connection open
        getattr(problem, "close", lambda: None)()
        if getattr(problem, "code", None) == 404:
            raise ValueError(f"{address}: no such file") from None
        reason = getattr(problem, "reason", None) or problem.strerror or problem
        raise ValueError(f"{address} cannot be read: {first_line(reason)}") from None
    except ValueError as problem:
        known = str(problem).startswith(str(address))
        text = str(problem) if known else f"{address} cannot be read: {first_line(problem)}"
        raise ValueError(text) from None
