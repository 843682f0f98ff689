"""Text files are opened as they come: compressed, in UTF-16, from standard input."""

from __future__ import annotations

import bz2
import gc
import gzip
import io
import lzma
import sys
import tempfile

import pyarrow
import pytest
from hypothesis import given, strategies as st

from wager._tables import as_utf8, csv_dialect, duckdb_path, open_text, reading

TEXT = "name;größe\na;1,5\n"
COMPRESSIONS = {
    "none": bytes,
    "gzip": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda data: pyarrow.compress(data, "zstd", asbytes=True),
}
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-32"]


def whole_text(file):
    with reading(file), open_text(file) as stream:
        return stream.read()


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_compression_and_encoding_are_recognised_whatever_the_name(compression, encoding, tmp_path):
    file = tmp_path / "table.csv"
    file.write_bytes(COMPRESSIONS[compression](TEXT.encode(encoding)))
    assert as_utf8(file).head(100) == TEXT
    assert whole_text(file) == TEXT


@pytest.mark.parametrize("compression", ["none", "gzip", "zstd"])
def test_what_duckdb_reads_is_not_copied(compression, tmp_path):
    file = tmp_path / "table.csv"
    file.write_bytes(COMPRESSIONS[compression](TEXT.encode()))
    found = as_utf8(file)
    assert (found.readable, found.compression) == (file, compression)


def test_a_copy_is_deleted_with_its_owner(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    file = tmp_path / "table.csv.bz2"
    file.write_bytes(bz2.compress(TEXT.encode()))
    found = as_utf8(file)
    assert found.readable.read_text() == TEXT
    del found
    gc.collect()
    assert [entry.name for entry in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_standard_input(compression, monkeypatch):
    data = COMPRESSIONS[compression](TEXT.encode("utf-16"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    found = as_utf8("-")
    assert found.head(100) == TEXT
    assert str(found.path) == "standard input"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            "a\nb\ncafé\n".encode("latin-1"),
            "FILE is not UTF-8 (it looks like Latin-1, byte 0xE9 at line 3): save it as UTF-8, or "
            "convert it with iconv -f LATIN1 -t UTF-8",
        ),
        (
            "a\r“b”\r".encode("cp1252"),
            "FILE is not UTF-8 (it looks like Windows-1252, byte 0x93 at line 2): save it as "
            "UTF-8, or convert it with iconv -f CP1252 -t UTF-8",
        ),
        (
            "a,é\n".encode("utf-16-le"),
            "FILE is not UTF-8 text (it looks like UTF-16 without a byte order mark, or like a "
            "binary file): save it as UTF-8",
        ),
        (
            gzip.compress(TEXT.encode() * 999, mtime=0)[:-30],
            "FILE cannot be read: the compressed file is truncated or damaged",
        ),
        (
            lzma.compress(TEXT.encode() * 999)[:-30],
            "FILE cannot be read: the compressed file is truncated or damaged",
        ),
        (
            bz2.compress(TEXT.encode() * 999)[:-10],
            "FILE cannot be read: the compressed file is truncated or damaged",
        ),
        (
            b"PK\x03\x04rest",
            "FILE is a ZIP archive or an Excel workbook: unpack it, or save the sheet as CSV",
        ),
    ],
)
def test_what_cannot_be_read_is_named_in_one_sentence(data, said, tmp_path):
    file = tmp_path / "table.csv"
    file.write_bytes(data)
    with pytest.raises(ValueError, match=" ") as caught:
        whole_text(file)
    assert str(caught.value).replace(str(file), "FILE") == said


@given(st.text("ab\n é", max_size=40), st.sampled_from("éäß"))
def test_the_line_of_a_wrong_byte_is_counted_from_1(text, wrong):
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        file.write(text.encode() + wrong.encode("latin-1") + b"x")
        file.flush()
        with pytest.raises(ValueError, match=f"at line {text.count(chr(10)) + 1}\\)"):
            whole_text(file.name)


@pytest.mark.parametrize(
    ("head", "delimiter", "names"),
    [
        ("a,b\n1,2\n", ",", ("a", "b")),
        ("a;b\n1,5;2\n", ";", ("a", "b")),
        ("a\tb,c\n", "\t", ("a", "b,c")),
        ('"a,x";b\n', ";", ("a,x", "b")),
        ("sep=\t\na\tb\n", "\t", ("a", "b")),
        ('"sep=;"\r\na;b\r\n', ";", ("a", "b")),
    ],
)
def test_delimiters(head, delimiter, names):
    found = csv_dialect(head, wanted=["a"])
    assert (found.delimiter, found.names) == (delimiter, names)
    assert found.decimal_comma == (delimiter != ",")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end):
    found = csv_dialect(f'"two\nlines",b{end}1,2{end}')
    assert found.line_end == end
    assert found.first == ("1", "2")


def test_a_name_is_not_a_pattern(tmp_path):
    import duckdb

    names = ("d[1].csv", "d1.csv", "a?.csv", "ab.csv", "x*.csv", "xy.csv")
    for name in names:
        (tmp_path / name).write_text(f"name\n{name}\n")
    for name in names:
        query = "SELECT name FROM read_csv(?, header = true)"
        with duckdb.connect() as con:
            assert con.execute(query, [duckdb_path(tmp_path / name)]).fetchall() == [(name,)]
