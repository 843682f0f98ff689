"""The formats of prediction files, and which of them the ending of a file's name declares."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

from wager._tables import COMPRESSED
from wager._visible import shortened

__all__ = ["Format", "content_format", "file_format"]

Format: TypeAlias = Literal["csv", "json", "parquet", "arrow"]

_FORMATS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
_ENDINGS = ".csv (or .csv.gz), .parquet, .jsonl, .arrow or .feather"
_FIRST_BYTES: dict[bytes, Format] = {b"PAR1": "parquet", b"ARROW1": "arrow"}


def file_format(path: Path) -> Format:
    """The format that the ending of a file's name declares.

    Examples
    --------
    >>> file_format(Path("out.csv.gz")), file_format(Path("out.feather"))
    ('csv', 'arrow')
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        compression = suffixes.pop()
        if suffixes and _FORMATS.get(suffixes[-1]) in ("parquet", "arrow"):
            raise ValueError(
                f"{shortened(path)}: {suffixes[-1]} files are already compressed: remove "
                f"{compression} from the name"
            )
    if not suffixes or suffixes[-1] not in _FORMATS:
        raise ValueError(
            f"{shortened(path)}: the name does not show the file format: it must end in {_ENDINGS}"
        )
    return _FORMATS[suffixes[-1]]


def content_format(head: bytes) -> Format:
    """The format that the first bytes of a file show; text is JSON Lines if it begins with {.

    Examples
    --------
    >>> content_format(b' {"y_true": "a"}'), content_format(b"y_true,set"), content_format(b"PAR1")
    ('json', 'csv', 'parquet')
    """
    for mark, kind in _FIRST_BYTES.items():
        if head.startswith(mark):
            return kind
    return "json" if head.lstrip(b" \t\r\n\xef\xbb\xbf").startswith(b"{") else "csv"
