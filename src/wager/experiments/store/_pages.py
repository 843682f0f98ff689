"""The records in the pages of a SQLite file, read without SQLite.

SQLite refuses a file whose first page or whose tree of pages is damaged, although most of its
records are whole.  Here every page is read separately: a page of records lists where each of them
starts, and a long record continues on other pages (https://www.sqlite.org/fileformat2.html).  What
is found may be damaged or out of date, so records need a checksum, which the caller compares.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["records_in"]

LEAF = 0x0D  # the first byte of a page that has records of a table
PAGE_SIZES = [2**power for power in range(9, 17)]
WAL_HEADER, FRAME_HEADER = 32, 24  # bytes in front of a write-ahead log, and of each page in it
INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}  # bytes of an integer, by its type

Record = tuple[int, list[Any]]  # the row number, and the values


def records_in(file: Path) -> Iterator[Record]:
    """All records that can be read in a database, and in the write-ahead log beside it."""
    database = file.read_bytes() if file.is_file() else b""
    size = _page_size(database)
    pages = {number: database[place : place + size] for number, place in _places(database, size)}
    yield from _records(pages, size)
    log = file.with_name(f"{file.name}-wal")
    frames = log.read_bytes() if log.is_file() else b""
    for start in range(WAL_HEADER, len(frames), FRAME_HEADER + size):
        head = frames[start : start + FRAME_HEADER]
        page = frames[start + FRAME_HEADER : start + FRAME_HEADER + size]
        if len(page) == size:
            pages[int.from_bytes(head[:4], "big")] = page
            yield from _records_of_page(page, 0, pages, size)
    if frames:
        yield from _records(pages, size)  # once more: a record may continue on a later frame


def _places(database: bytes, size: int) -> Iterator[tuple[int, int]]:
    return enumerate(range(0, len(database), size), 1)


def _page_size(database: bytes) -> int:
    size = int.from_bytes(database[16:18], "big")
    return 65536 if size == 1 else size if size in PAGE_SIZES else 4096


def _records(pages: dict[int, bytes], size: int) -> Iterator[Record]:
    for number, page in pages.items():
        yield from _records_of_page(page, 100 if number == 1 else 0, pages, size)


def _records_of_page(
    page: bytes, head: int, pages: dict[int, bytes], size: int
) -> Iterator[Record]:
    if page[head : head + 1] != bytes([LEAF]):
        return
    for place in range(int.from_bytes(page[head + 3 : head + 5], "big")):
        pointer = head + 8 + 2 * place
        start = int.from_bytes(page[pointer : pointer + 2], "big")
        try:
            length, at = _varint(page, start)
            row, at = _varint(page, at)
            yield row, _values(_payload(page, at, length, pages, size))
        except (IndexError, ValueError, struct.error):
            continue  # damaged


def _payload(page: bytes, at: int, length: int, pages: dict[int, bytes], size: int) -> bytes:
    """The bytes of a record; those that its page has no room for are on a chain of other pages."""
    if length > len(pages) * size:
        raise ValueError
    if length <= size - 35:
        return page[at : at + length]
    least = (size - 12) * 32 // 255 - 23
    here = least + (length - least) % (size - 4)
    here = here if here <= size - 35 else least
    parts, found = [page[at : at + here]], here
    following = int.from_bytes(page[at + here : at + here + 4], "big")
    while found < length:
        part = pages.get(following, b"")
        if not part:
            raise ValueError
        following = int.from_bytes(part[:4], "big")
        parts.append(part[4:size])
        found += size - 4
    return b"".join(parts)[:length]


def _values(record: bytes) -> list[Any]:
    end, at = _varint(record, 0)
    kinds = []
    while at < end:
        kind, at = _varint(record, at)
        kinds.append(kind)
    values: list[Any] = []
    for kind in kinds:
        value, at = _value(record, kind, at)
        values.append(value)
    return values


def _value(record: bytes, kind: int, at: int) -> tuple[Any, int]:
    if kind == 0:
        return None, at
    if kind in (8, 9):
        return kind - 8, at
    length = INTEGERS.get(kind, 8) if kind <= 7 else (kind - 12) // 2
    content = record[at : at + length]
    if length < 0 or len(content) != length:
        raise ValueError
    if kind in INTEGERS:
        return int.from_bytes(content, "big", signed=True), at + length
    if kind == 7:
        return struct.unpack(">d", content)[0], at + length
    return (content if kind % 2 == 0 else content.decode("utf-8")), at + length


def _varint(content: bytes, at: int) -> tuple[int, int]:
    """A whole number of one to nine bytes, and the place after it."""
    value = 0
    for step in range(8):
        byte = content[at + step]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + step + 1
    return value << 8 | content[at + 8], at + 9
