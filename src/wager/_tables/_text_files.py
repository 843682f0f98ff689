"""Open text files as other programs leave them: compressed, in UTF-16, from standard input.

What a file is compressed with, and how its text is encoded, is read from its first bytes; the
ending of its name does not matter.  Text in UTF-8, and in UTF-16 with a byte order mark, is read.
Any other encoding is named in one sentence, with the line where it shows.

Everything is streamed, so memory does not grow with the file.  DuckDB reads plain, gzip and
Zstandard files in UTF-8; `as_utf8` gives it others as a temporary copy.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import re
import shutil
import sys
import weakref
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from tempfile import mkdtemp
from typing import IO, Any, AnyStr, Literal, TypeAlias, cast

__all__ = [
    "SHOWN_INPUT",
    "STANDARD_INPUT",
    "TextFile",
    "as_utf8",
    "bounded",
    "duckdb_path",
    "limited_text",
    "open_bytes",
    "open_text",
    "reading",
    "refuse_many_rows",
    "wrong_encoding",
]

Compression: TypeAlias = Literal["none", "gzip", "zstd", "bz2", "xz"]

COMPRESSED = (".gz", ".zst", ".bz2", ".xz")  # endings of compressed text files
STANDARD_INPUT = Path("-")  # the name that stands for standard input
SHOWN_INPUT = Path("standard input")  # how messages call it
_HEAD = 4096  # bytes from which compression and encoding are recognised
_BLOCK = 1 << 20  # bytes that are copied or checked at a time
_LEAST, _RATIO = 1 << 30, 1000  # bytes that any file, and times its size that it may expand to
_CELL = 24  # bytes that a cell of a table takes in memory, about
_DUCKDB_READS = ("none", "gzip", "zstd")
_COMPRESSIONS: dict[bytes, Compression] = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bz2",
    b"\xfd7zXZ\x00": "xz",
}
_MARKS = {  # byte order marks; that of UTF-32 begins like that of UTF-16
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_OTHER_KINDS = {
    b"PK\x03\x04": "a ZIP archive or an Excel workbook: unpack it, or save the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel or Word file: save the sheet as CSV",
    b"%PDF": "a PDF document: save the table as CSV",
}


@dataclass(frozen=True, eq=False)
class TextFile:
    """A text file that DuckDB and Python can read.

    Parameters
    ----------
    path : Path
        What messages call the file.
    readable : Path
        A file in UTF-8, perhaps with a byte order mark, that is compressed as `compression` says.
        It is a temporary copy where the file itself is something else, and is deleted with this
        object.
    compression : {"none", "gzip", "zstd"}
        How `readable` is compressed, as DuckDB calls it.
    copies : tuple
        The temporary copies that exist as long as this object.
    more : tuple of TextFile
        Further files with the same columns, which are read after this one.
    own : Path, optional
        The file itself, if messages call it by the pattern or folder that it is found by.
    """

    path: Path
    readable: Path
    compression: Compression
    copies: tuple[Any, ...] = ()
    more: tuple[TextFile, ...] = ()
    own: Path | None = None

    def open(self) -> IO[str]:
        """The text from its beginning, without a byte order mark, its line ends as they are."""
        return io.TextIOWrapper(self.open_bytes(), "utf-8-sig", newline="")

    def open_bytes(self) -> IO[bytes]:
        """The bytes of the text from its beginning."""
        return _decompressed(self.readable, self.compression)

    def head(self, most: int) -> str:
        """The first characters, at most so many."""
        with reading(self.readable, self.path), self.open() as stream:
            text = stream.read(most)
        if "\0" in text[:_HEAD]:
            raise self.wrong_encoding()
        return text

    def wrong_encoding(self) -> ValueError:
        """The error for text that is not UTF-8."""
        return wrong_encoding(self.readable, self.path)


def as_utf8(path: str | PathLike[str]) -> TextFile:
    r"""A file that DuckDB can read as UTF-8 text: the file itself, or a temporary copy.

    Parameters
    ----------
    path : path
        The file; ``-`` is standard input, which is copied.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "table.csv"
    ...     _ = file.write_bytes(bz2.compress("a;é\n".encode("utf-16")))
    ...     as_utf8(file).head(10)
    'a;é\n'
    """
    file = Path(path)
    if file == STANDARD_INPUT:
        copy = _copy_of_standard_input()
        found = as_utf8(copy.path)
        copies = (copy, *found.copies)
        return TextFile(SHOWN_INPUT, found.readable, found.compression, copies)
    with reading(file):
        compression, encoding = _compression(file), _encoding(file)
        if compression in _DUCKDB_READS and encoding == "utf-8-sig":
            return TextFile(file, file, compression)
        copy = _Copy(_as_utf8_bytes(file, encoding))
    return TextFile(file, copy.path, "none", (copy,))


def open_bytes(path: str | PathLike[str]) -> IO[bytes]:
    """The bytes of a file, uncompressed if its first bytes show a compression."""
    file = Path(path)
    return _decompressed(file, _compression(file))


def open_text(path: str | PathLike[str]) -> IO[str]:
    r"""The text of a file, whatever it is compressed with, from UTF-8 or marked UTF-16.

    Line ends become ``\n``.  Read it inside `reading`, which says what is wrong with other files.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "notes.txt"
    ...     _ = file.write_bytes("é\r\n".encode("utf-16"))
    ...     with reading(file), open_text(file) as stream:
    ...         print(repr(stream.read()))
    'é\n'
    """
    file = Path(path)
    if file == STANDARD_INPUT:
        return as_utf8(file).open()
    encoding = _encoding(file)
    return io.TextIOWrapper(open_bytes(file), encoding)


def bounded(
    blocks: Iterable[AnyStr], path: Path, least: int = _LEAST, ratio: int = _RATIO
) -> Iterator[AnyStr]:
    """The blocks of a file that is perhaps compressed, unless they expand to far too much.

    Parameters
    ----------
    blocks : iterable of bytes or str
        The content, part by part.
    path : Path
        The file.
    least : int
        Bytes or characters that are accepted from any file.
    ratio : int
        More than that is accepted up to so many times the size of the file.
    """
    most, total = max(least, ratio * path.stat().st_size), 0
    for block in blocks:
        total += len(block)
        if total > most:
            raise ValueError(
                f"{path} expands to more than {most / 1e6:.0f} MB, over {ratio} times its size: "
                "unpack it first if you trust it"
            )
        yield block


def refuse_many_rows(n_rows: int, n_columns: int, file: TextFile | Path, instead: str) -> None:
    """Refuse a table that takes gigabytes in memory, and a thousand times the size of its file.

    A few hundred bytes of Parquet can be a billion equal rows.

    Parameters
    ----------
    n_rows, n_columns : int
        The size of the table.
    file : TextFile or Path
        Where it is read from.
    instead : str
        What the user can do.
    """
    parts = (file, *file.more) if isinstance(file, TextFile) else (file,)
    most = max(_LEAST, _RATIO * sum(map(_size, parts)))
    needed = _CELL * n_rows * (n_columns + 1)
    if needed > most:
        path = file.path if isinstance(file, TextFile) else file
        raise ValueError(
            f"{path}: its {n_rows:,} rows take about {needed / 1e9:.1f} GB in memory, over "
            f"{_RATIO} times the size of the file: {instead}"
        )


def _size(file: TextFile | Path) -> int:
    """Bytes of the file itself, or of the local copy of standard input or of a remote file."""
    if isinstance(file, TextFile):
        own = file.own or file.path
        file = own if own.is_file() else file.readable
    return file.stat().st_size


def limited_text(path: Path, most: int, encoding: str = "utf-8") -> str:
    """The text of a file that is small by its nature; a device without an end is refused."""
    with path.open(encoding=encoding) as stream:
        text = stream.read(most + 1)
    if len(text) > most:
        raise ValueError(f"{path} is too large: it has more than {most / 1e6:.0f} MB")
    return text


@contextmanager
def reading(path: str | PathLike[str], shown: Path | None = None) -> Iterator[None]:
    """Turn the errors of reading a text file into a `ValueError` of one sentence.

    Parameters
    ----------
    path : path
        The file.
    shown : Path, optional
        What messages call it, if that is something else.
    """
    name = shown or path
    try:
        yield
    except UnicodeDecodeError:
        raise wrong_encoding(path, shown) from None
    except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile):
        raise ValueError(
            f"{name} cannot be read: the compressed file is truncated or damaged"
        ) from None
    except OSError as problem:
        raise ValueError(f"{name} cannot be read: {problem.strerror or problem}") from None


def wrong_encoding(path: str | PathLike[str], shown: Path | None = None) -> ValueError:
    """The error for a file that is not UTF-8: which encoding it looks like, and where.

    The parameters are those of `reading`.
    """
    name = shown or path
    try:
        with open_bytes(path) as stream:
            head = stream.read(_HEAD)
        if b"\0" in head:
            return ValueError(
                f"{name} is not UTF-8 text (it looks like UTF-16 without a byte order mark, or "
                "like a binary file): save it as UTF-8"
            )
        found = _first_wrong_byte(path)
    except (EOFError, lzma.LZMAError, zlib.error, OSError):
        return ValueError(f"{name} cannot be read: the compressed file is truncated or damaged")
    if found is None:
        return ValueError(f"{name} is not UTF-8 text: save it as UTF-8")
    byte, line = found
    kind, codec = ("Windows-1252", "CP1252") if 0x80 <= byte < 0xA0 else ("Latin-1", "LATIN1")
    return ValueError(
        f"{name} is not UTF-8 (it looks like {kind}, byte 0x{byte:02X} at line {line}): save it as "
        f"UTF-8, or convert it with iconv -f {codec} -t UTF-8"
    )


def duckdb_path(path: Path) -> str:
    """The path with the characters escaped that DuckDB would read as a pattern.

    DuckDB would also replace a ``~`` at its beginning by the home folder, even in ``./~``, so such
    a path becomes absolute.

    Examples
    --------
    >>> duckdb_path(Path("d[1].csv"))
    'd[[]1].csv'
    """
    if str(path).startswith("~"):
        path = path.absolute()
    return re.sub(r"([*?\[])", r"[\1]", str(path))


# -- bytes ----------------------------------------------------------------------------------------


def _compression(path: Path) -> Compression:
    with path.open("rb") as stream:
        head = stream.read(8)
    return next((kind for mark, kind in _COMPRESSIONS.items() if head.startswith(mark)), "none")


def _decompressed(path: Path, compression: Compression) -> IO[bytes]:
    if compression == "zstd":
        return _open_zstd(path)
    openers: dict[str, Any] = {"gzip": gzip.open, "bz2": bz2.open, "xz": lzma.open}
    return cast("IO[bytes]", openers.get(compression, open)(path, "rb"))


def _open_zstd(path: Path) -> IO[bytes]:
    """Zstandard by the standard library (Python 3.14) or by pyarrow."""
    try:
        from compression import zstd  # type: ignore[import-not-found]

        return cast("IO[bytes]", zstd.open(path, "rb"))
    except ImportError:
        pass
    try:
        import pyarrow

        source = pyarrow.CompressedInputStream(pyarrow.OSFile(str(path)), "zstd")
        return io.BufferedReader(cast("io.RawIOBase", source), _BLOCK)
    except ImportError:
        raise ValueError(
            f"{path}: reading Zstandard files needs pyarrow: install wager[frames], or unpack the "
            "file with zstd -d"
        ) from None


def _copy_of_standard_input() -> _Copy:
    """A copy of standard input, which can be read only once: the same one for all readers."""
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise ValueError("standard input cannot be read: name a file")
    if stream not in _INPUTS:
        _INPUTS[stream] = _Copy(iter(lambda: stream.read(_BLOCK), b""))
    return _INPUTS[stream]


class _Copy:
    """A file with the given bytes in a temporary folder, which is deleted with this object."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        folder = mkdtemp(prefix="wager-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.path = Path(folder) / "copy"
        with self.path.open("wb") as out:
            for block in blocks:
                out.write(block)


_INPUTS: weakref.WeakKeyDictionary[Any, _Copy] = weakref.WeakKeyDictionary()


# -- encodings ------------------------------------------------------------------------------------


def _encoding(path: Path) -> str:
    """The encoding that the first bytes of the text declare; UTF-8 if they declare none."""
    with open_bytes(path) as stream:
        head = stream.read(8)
    for mark, what in _OTHER_KINDS.items():
        if head.startswith(mark):
            raise ValueError(f"{path} is {what}")
    return next((codec for mark, codec in _MARKS.items() if head.startswith(mark)), "utf-8-sig")


def _as_utf8_bytes(path: Path, encoding: str) -> Iterator[bytes]:
    with open_bytes(path) as stream:
        if encoding == "utf-8-sig":
            yield from bounded(iter(lambda: stream.read(_BLOCK), b""), path)
            return
        text = io.TextIOWrapper(stream, encoding, newline="")
        for part in bounded(iter(lambda: text.read(_BLOCK), ""), path):
            yield part.encode()


def _first_wrong_byte(path: str | PathLike[str]) -> tuple[int, int] | None:
    """The first byte that is not UTF-8, and its line, counted from 1."""
    line = 1
    decoder = codecs.getincrementaldecoder("utf-8")()
    with open_bytes(path) as stream:
        while block := stream.read(_BLOCK):
            try:
                decoder.decode(block)
            except UnicodeDecodeError as problem:
                data = problem.object
                before = data[: problem.start]
                return data[problem.start], line + _line_ends(before)
            line += _line_ends(block)
    return None


def _line_ends(data: bytes) -> int:
    """Line feeds, or carriage returns in a file that has no line feeds."""
    return data.count(b"\n") or data.count(b"\r")
