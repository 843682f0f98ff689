"""Damage to files: changed bytes, and changed values in files that stay well formed.

Bytes that are changed at random reach the parsers; what stands behind them is reached by values of
other kinds in valid JSON, TOML, CSV, Arrow, Parquet and SQLite.  Everything follows from the random
numbers that are given.
"""

from __future__ import annotations

import copy
import csv
import io
import json
import random
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import date, datetime
from decimal import Decimal
from typing import Any

LETTERS = [b"a", b"b", b"c", b"NA", b"", b'"', b"|", b",", b";", b"\t", b"\n", b"\r", b"\0"]
WORDS = [
    *LETTERS, b"-1", b"0", b"1e308", b"-1e-308", b"1e400", b"nan", b"inf", b"0.5", b"[", b"]", b"{",
    b"}", b"[[answer]]", b"null", b"true", b"\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80",
    b"9" * 30, b"[" * 300, b"'", b"%", b"@data", b"\\", b"=", b"y_true", b"p:a", b"in:a", b"weight",
]  # fmt: skip
NUMBERS = [0, 1, 127, 128, 255, 2**15, 2**31 - 1, 2**31, 2**32, 2**40, 2**63 - 1, 2**64 - 1]
TEXTS = [
    "", " ", "a", "b", "c", "d", "a|b", "a|a", "|", "\\|", "[]", '["a"]', "['a', 'b']", "{a}", "NA",
    "nan", "null", "None", "inf", "1e999", "-0", "0x10", "1_000", "1,5", "é", "e\u0301", "日本",
    "\0", "a\0", "\ufeff", "\u202e", "\x1b[2J", "\ud800", "=1+1", "'", '"', "\n", "a\r\nb", "\t",
    "a" * 3000, "9" * 40, "1" + "0" * 400, "true", "2020-01-01", "y_true", "p:a", "weight", "u65",
]  # fmt: skip
VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2, 3, 7, 0.5, -0.5, 1.5, -0.0, 1e-320, 1e-200, 1e16, 1e200, 1e308,
    float("nan"), float("inf"), -float("inf"), 2**31, 2**53 + 1, 2**62, 2**63, 2**64, -(2**63) - 1,
    10**30, 10**400, [], {}, [[]], [None], [0], ["a"], [["a", "b"]], {"a": 1}, {"": None},
    {"a": {}},
]  # fmt: skip
DATES = [date(2020, 1, 1), datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59)]


def damaged_bytes(data: bytes, rng: random.Random) -> bytes:
    """The bytes with some changes: other bytes, words, numbers, parts left out or repeated."""
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8, 30])):
        at = rng.randrange(len(changed) + 1)
        way = rng.randrange(8)
        if way == 0 and at < len(changed):
            changed[at] ^= 1 << rng.randrange(8)
        elif way == 1 and at < len(changed):
            changed[at] = rng.randrange(256)
        elif way == 2:
            changed[at:at] = rng.choice(WORDS)
        elif way == 3:
            changed[at : at + rng.randrange(1, 9)] = rng.choice(WORDS)
        elif way == 4:
            size = rng.choice([4, 8])
            changed[at : at + size] = (rng.choice(NUMBERS) % 2 ** (8 * size)).to_bytes(
                size, "little"
            )
        elif way == 5:
            del changed[at : at + rng.choice([1, 2, 8, 40])]
        elif way == 6:
            part = changed[at : at + rng.choice([2, 8, 40])]
            changed[at:at] = part * rng.choice([1, 2, 20])
        elif rng.random() < 0.3:
            del changed[at:]
    return bytes(changed)


# -- trees: JSON and TOML --------------------------------------------------------------------------


def damaged_tree(tree: Any, rng: random.Random) -> Any:
    """Nested lists and dictionaries with some other values, keys and lengths."""
    tree = copy.deepcopy(tree)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        places = list(_places(tree))
        if not places:
            return _value(rng)
        inside, key = rng.choice(places)
        way = rng.randrange(9)
        if way <= 2:
            inside[key] = _value(rng)
        elif way == 3:
            inside[key] = _near(inside[key], rng)
        elif way == 4:
            del inside[key]
        elif way == 5:
            inside[key] = copy.deepcopy(_at(rng.choice(places)))
        elif way == 6 and isinstance(inside, dict):
            inside[str(_value(rng))[:50]] = inside.pop(key)
        elif way == 6:
            inside.insert(key, copy.deepcopy(inside[key]))
        elif way == 7:
            inside[key] = [inside[key]] * rng.choice([1, 2, 3, 100])
        elif isinstance(inside[key], list):
            rng.shuffle(inside[key])
        else:
            inside[key] = str(inside[key])
    return tree


def _places(tree: Any) -> Any:
    items = enumerate(tree) if isinstance(tree, list) else getattr(tree, "items", list)()
    for key, value in list(items):
        yield tree, key
        if isinstance(value, list | dict):
            yield from _places(value)


def _at(place: tuple[Any, Any]) -> Any:
    return place[0][place[1]]


def _value(rng: random.Random) -> Any:
    return copy.deepcopy(rng.choice(TEXTS) if rng.random() < 0.4 else rng.choice(VALUES))


def _near(value: Any, rng: random.Random) -> Any:
    """A value that differs a little, or has another type."""
    if isinstance(value, bool) or value is None:
        return rng.choice([0, 1, "true", not value])
    if isinstance(value, int | float):
        with suppress(OverflowError):
            ways = [value + 1, -value, value * 2, value / 3, float(value), str(value), value - 1]
            return rng.choice([*ways, value * 1e300, value * 1e-300])
    if isinstance(value, str):
        at = rng.randrange(len(value) + 1)
        return value[:at] + rng.choice(TEXTS) + value[at + rng.randrange(2) :]
    return _value(rng)


def json_text(data: bytes, rng: random.Random) -> bytes:
    """Damage to JSON: half the time to its bytes, else to its values."""
    if rng.random() < 0.3:
        return damaged_bytes(data, rng)
    return _json(damaged_tree(json.loads(data), rng))


def _json(tree: Any) -> bytes:
    return json.dumps(tree, ensure_ascii=True, default=str).encode()


def json_lines(data: bytes, rng: random.Random) -> bytes:
    """Damage to JSON Lines."""
    if rng.random() < 0.3:
        return damaged_bytes(data, rng)
    rows = [json.loads(line) for line in data.splitlines()]
    if rng.random() < 0.5:
        return b"\n".join(_json(row) for row in damaged_tree(rows, rng))
    name = rng.choice(sorted(rows[0]))  # a column in which all values change
    for row in rows:
        row[name] = _near(row[name], rng) if rng.random() < 0.5 else _value(rng)
    return b"\n".join(map(_json, rows))


def toml_text(data: bytes, rng: random.Random) -> bytes:
    """Damage to TOML."""
    import tomllib

    if rng.random() < 0.3:
        return damaged_bytes(data, rng)
    tree = damaged_tree(tomllib.loads(data.decode()), rng)
    if not isinstance(tree, dict):
        tree = {"value": tree}
    lines = [f"{_key(name)} = {_toml(value, rng)}" for name, value in tree.items()]
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def _toml(value: Any, rng: random.Random) -> str:
    if isinstance(value, dict):
        inside = (f"{_key(name)} = {_toml(each, rng)}" for name, each in value.items())
        return "{ " + ", ".join(inside) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(each, rng) for each in value) + "]"
    if value is None:
        return str(rng.choice(DATES).isoformat())
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _key(name: str) -> str:
    return json.dumps(name)


# -- tables ----------------------------------------------------------------------------------------


def csv_text(data: bytes, rng: random.Random) -> bytes:
    """Damage to CSV: to bytes, or to cells, names and shape, with another dialect at times."""
    if rng.random() < 0.3:
        return damaged_bytes(data, rng)
    table = list(csv.reader(io.StringIO(data.decode(), newline="")))
    for _ in range(rng.choice([1, 1, 2, 3])):
        _damage_rows(table, rng)
    out = io.StringIO(newline="")
    writer = csv.writer(
        out,
        delimiter=rng.choice([",", ",", ",", ",", ";", "\t", "|"]),
        lineterminator=rng.choice(["\n", "\n", "\r\n", "\r"]),
        quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    )
    writer.writerows(table)
    encoding = rng.choice(["utf-8", "utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1"])
    errors = "surrogatepass" if encoding != "latin-1" else "replace"
    return out.getvalue().encode(encoding, errors)


def _damage_rows(table: list[list[str]], rng: random.Random) -> None:
    if not table or not table[0]:
        table.append([rng.choice(TEXTS)])
        return
    row = rng.choice(table)
    column = rng.randrange(len(table[0]))
    way = rng.randrange(10)
    if way <= 2 and row:
        row[rng.randrange(len(row))] = _cell(rng)
    elif way == 3:
        table[0][column] = rng.choice([*TEXTS, *table[0], "in:a", "m:a", "lower:a", "class_1"])
    elif way == 4:
        for each in table[1:]:
            each[column : column + 1] = [_cell(rng)]
    elif way == 5:
        for each in table:
            del each[column : column + 1]
    elif way == 6:
        row.append(_cell(rng)) if rng.random() < 0.5 else row and row.pop()
    elif way == 7:
        table.remove(row)
    elif way == 8:
        table[1:] = table[1:] * rng.choice([0, 2, 50])
    else:
        table.insert(rng.randrange(len(table)), list(row))


def _cell(rng: random.Random) -> str:
    return rng.choice(TEXTS) if rng.random() < 0.6 else str(rng.choice(VALUES))


def columns(format_: str) -> Callable[[dict[str, list[Any]], random.Random], bytes]:
    """Damage to Parquet or Arrow: columns of other types and values, then to bytes at times."""

    def damage(table: dict[str, list[Any]], rng: random.Random) -> bytes:
        import pyarrow as pa

        whole = rng.random() < 0.35
        arrays = {name: _array(values, rng, whole) for name, values in table.items()}
        names = list(arrays)
        data = pa.table(list(arrays.values()), names=names)
        if not whole and rng.random() < 0.3:
            names[rng.randrange(len(names))] = rng.choice([*TEXTS[:-9], *names]).replace(
                "\ud800", ""
            )
            data = data.rename_columns(names)
        if not whole and rng.random() < 0.1:
            data = data.slice(0, rng.randrange(3))
        content = _written(data, format_, rng)
        return damaged_bytes(content, rng) if whole or rng.random() < 0.15 else content

    return damage


def _written(data: Any, format_: str, rng: random.Random) -> bytes:
    import pyarrow as pa
    import pyarrow.ipc
    import pyarrow.parquet

    out = io.BytesIO()
    if format_ == "parquet":
        pa.parquet.write_table(
            data,
            out,
            compression=rng.choice(["snappy", "gzip", "zstd", "none"]),
            use_dictionary=rng.random() < 0.5,
            row_group_size=rng.choice([None, 3]),
        )
        return out.getvalue()
    options = pa.ipc.IpcWriteOptions(compression=rng.choice([None, "lz4", "zstd"]))
    new = pa.ipc.new_stream if format_ == "arrow stream" else pa.ipc.new_file
    with new(out, data.schema, options=options) as file:
        file.write_table(data, max_chunksize=rng.choice([None, 3]))
    return out.getvalue()


def _array(values: list[Any], rng: random.Random, whole: bool) -> Any:
    import pyarrow as pa

    if whole or rng.random() < 0.6:
        return pa.array(values)
    if rng.random() < 0.5:  # some other values
        values = [
            rng.choice([*VALUES, *TEXTS]) if rng.random() < 0.3 else value for value in values
        ]
        kind = rng.choice([None, pa.float64(), pa.int64(), pa.string(), pa.list_(pa.string())])
    else:
        kind = rng.choice(
            [
                pa.float32(), pa.float16(), pa.int8(), pa.uint64(), pa.bool_(), pa.null(),
                pa.large_string(), pa.binary(), pa.string_view(), pa.date32(), pa.timestamp("ns"),
                pa.duration("s"), pa.time64("us"), pa.decimal128(38, 4), pa.decimal256(60, 2),
                pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.int32(), pa.float64()),
                pa.list_(pa.int64()), pa.large_list(pa.string()), pa.list_(pa.list_(pa.string())),
                pa.struct([("a", pa.string())]), pa.map_(pa.string(), pa.int64()),
                pa.list_(pa.string(), 2), pa.binary(3), pa.list_(pa.struct([("a", pa.int64())])),
            ]
        )  # fmt: skip
    with suppress(Exception):
        return pa.array(values, type=kind)
    with suppress(Exception):
        return pa.array([_as(kind, value) for value in values], type=kind)
    return pa.nulls(len(values), type=kind or pa.string())


def _as(kind: Any, value: Any) -> Any:
    """A value of an Arrow type that has something to do with the one that is given."""
    import pyarrow as pa

    kinds = pa.types
    if kind is None or kinds.is_string(kind) or kinds.is_large_string(kind):
        return str(value).encode("utf-8", "replace").decode()
    if kinds.is_dictionary(kind):
        return _as(kind.value_type, value)
    if kinds.is_binary(kind) or kinds.is_fixed_size_binary(kind):
        return str(value).encode("utf-8", "replace")[:3].ljust(3)
    if kinds.is_fixed_size_list(kind):
        return [_as(kind.value_type, value)] * 2
    if kinds.is_list(kind) or kinds.is_large_list(kind):
        return [_as(kind.value_type, each) for each in (value if type(value) is list else [value])]
    if kinds.is_struct(kind):
        return {"a": _as(kind.field(0).type, value)}
    if kinds.is_map(kind):
        return [(str(value), 1)]
    number = zlib.crc32(repr(value).encode("utf-8", "replace")) % 100
    if kinds.is_decimal(kind):
        return Decimal(number) / 4
    if kinds.is_date(kind) or kinds.is_timestamp(kind):
        return datetime(1970 + number, 1, 1)
    return pa.scalar(number).cast(kind).as_py()


def compressed(
    damage: Callable[[Any, random.Random], bytes], pack: Callable[[bytes], bytes]
) -> Callable[[Any, random.Random], bytes]:
    """Damage before compression, or, half the time, after it."""

    def work(seed: Any, rng: random.Random) -> bytes:
        if isinstance(seed, bytes) and rng.random() < 0.5:
            return damaged_bytes(pack(seed), rng)
        return pack(damage(seed, rng))

    return work


# -- stores ----------------------------------------------------------------------------------------


def store(data: bytes, rng: random.Random) -> bytes:
    """Damage to a store: to bytes, or to records whose checksums are then computed anew."""
    from wager.experiments.store._checksums import checksum_of
    from wager.experiments.store._database import ABOUT, PLANNED, UNITS

    way = rng.random()
    if way < 0.3:
        return damaged_bytes(data, rng)
    if way < 0.45:  # a page, or a part of one
        at = rng.randrange(0, len(data), 512)
        length = rng.choice([16, 512, 4096])
        return data[:at] + rng.randbytes(length)[: len(data) - at] + data[at + length :]
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(data[:18] + b"\x01\x01" + data[20:])  # else it wants a log
        covered = {"units": UNITS, "planned": PLANNED, "about": ABOUT}
        sums = {"units": "checksum", "planned": "plan_checksum", "about": "checksum"}
        for _ in range(rng.choice([1, 1, 2, 5])):
            table = rng.choice(["units", "units", "units", "planned", "about", "versions"])
            rows = [row for (row,) in database.execute(f"SELECT rowid FROM {table}")]
            named = [name for _, name, *_ in database.execute(f"PRAGMA table_info({table})")]
            if not rows:
                continue
            row, name = rng.choice(rows), rng.choice(named)
            query = f"SELECT {name} FROM {table} WHERE rowid = ?"
            (value,) = database.execute(query, (row,)).fetchone()
            with suppress(sqlite3.Error, OverflowError, UnicodeError):
                changed = f"UPDATE {table} SET {name} = ? WHERE rowid = ?"
                database.execute(changed, (_stored(value, rng), row))
            known = table in sums and sums[table] in named  # version 0.1.0 has no checksums
            if known and name != sums[table] and rng.random() < 0.9:
                names = covered[table]
                found = database.execute(
                    f"SELECT {', '.join(names)} FROM {table} WHERE rowid = ?", (row,)
                ).fetchone()
                if found is not None:
                    database.execute(
                        f"UPDATE {table} SET {sums[table]} = ? WHERE rowid = ?",
                        (checksum_of(names, found), row),
                    )
        if rng.random() < 0.05:
            with suppress(sqlite3.Error):
                database.execute(f"PRAGMA user_version = {rng.choice([0, 1, 3, 99])}")
        if rng.random() < 0.05:
            with suppress(sqlite3.Error):
                database.execute(rng.choice(["DROP TABLE about", "DROP VIEW results"]))
        database.commit()
        changed = database.serialize()
        return changed[:18] + data[18:20] + changed[20:]


def _stored(value: Any, rng: random.Random) -> Any:
    """Another value of a record; JSON stays JSON, and compressed values can be expanded."""
    if rng.random() < 0.25:
        other = rng.choice([*VALUES, *TEXTS])
        return other if not isinstance(other, list | dict) else json.dumps(other)
    if isinstance(value, bytes):
        with suppress(zlib.error):
            inside = zlib.decompress(value)
            return zlib.compress(json_text(inside, rng) if inside[:1] == b"{" else inside[1:])
        with suppress(zlib.error):  # a letter for the kind, then the values
            inside = zlib.decompress(value[1:])
            letter = rng.choice([value[:1], value[:1], b"I", b"B", b"H", b"Q", b"x", b""])
            return letter + zlib.compress(damaged_bytes(inside, rng))
        return damaged_bytes(value, rng)
    if isinstance(value, str):
        with suppress(ValueError):
            return json.dumps(damaged_tree(json.loads(value), rng))
    return _near(value, rng)
