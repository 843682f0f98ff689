"""Data files as other programs leave them: each is read, or refused in one sentence."""

import bz2
import gzip
import io
import lzma
import sys
from contextlib import suppress
from importlib.util import find_spec

import duckdb
import numpy as np
import pytest

from wager._tables import MISSING_WORDS
from wager.prepare import load_dataset

PLAIN = "x,g,class\n1.5,u,yes\n2,v,no\n"


def write(folder, content, name="data.csv"):
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def columns(data):
    return {
        name: values.tolist() if levels is None else [levels[c] if c >= 0 else None for c in values]
        for name, values, levels in zip(data.columns, data.values, data.levels, strict=True)
    }


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (PLAIN.replace(",", ";").replace("1.5", "1,5"), "data.csv"),
        (PLAIN.replace(",", "\t").replace("1.5", "1,5"), "data.tsv"),
        (PLAIN.replace(",", "\t"), "data.csv"),
        (PLAIN.replace("\n", "\r\n"), "data.csv"),
        (PLAIN.replace("\n", "\r"), "data.csv"),
        (" x , g ,class\n 1.5 , u , yes \n2,\tv,no \n", "data.csv"),
        ("sep=;\r\n" + PLAIN.replace(",", ";").replace("\n", "\r\n"), "data.csv"),
        ('"x","g","class"\n"1.5","u","yes"\n"2","v","no"\n', "data.csv"),
        (b"\xef\xbb\xbf" + PLAIN.encode(), "data.csv"),
        (PLAIN.encode("utf-16"), "data.csv"),
        (gzip.compress(PLAIN.encode(), mtime=0), "data.csv.gz"),
        (gzip.compress(PLAIN.encode(), mtime=0), "data.csv"),
        (bz2.compress(PLAIN.encode()), "data.csv.bz2"),
        (lzma.compress(PLAIN.encode()), "data.csv.xz"),
        (PLAIN, "DATA.CSV"),
        (PLAIN, "d[1].csv"),
        (PLAIN, "a?.csv"),
        (gzip.compress(PLAIN.encode(), mtime=0), "a?.csv.gz"),
        (PLAIN, "all*.csv"),
    ],
)
def test_a_csv_file_is_read_however_it_was_written(tmp_path, content, name):
    for decoy in ("d1.csv", "ab.csv", "ab.csv.gz", "all.csv", "all1.csv"):
        write(tmp_path, "x,g,class\n9,w,no\n", decoy)
    data = load_dataset(write(tmp_path, content, name), target="class")
    assert columns(data) == {"x": [1.5, 2.0], "g": ["u", "v"]}
    assert data.y.tolist() == ["yes", "no"]


@pytest.mark.parametrize("word", ["", "?", *MISSING_WORDS, " NA "])
def test_missing_values_are_missing_in_numbers_labels_and_classes(tmp_path, word):
    text = f"x,g,class\n1.5,u,yes\n{word},{word},no\n3,v,{word}\n"
    data = load_dataset(write(tmp_path, text), target="class", missing_class="keep")
    np.testing.assert_array_equal(data.values[0], [1.5, np.nan, 3])
    assert (data.levels[1], data.values[1].tolist()) == (("u", "v"), [0, -1, 1])
    assert (data.classes.tolist(), data.target_codes.tolist()) == (["no", "yes"], [1, 0, -1])


@pytest.mark.parametrize("word", ["na", "Nan", "Null", "none", "N/A", "-"])
def test_other_words_are_labels(tmp_path, word):
    data = load_dataset(write(tmp_path, f"g,class\n{word},a\nu,b\n"), target="class")
    assert word in data.levels[0]


def test_a_column_is_numeric_only_if_all_its_values_are_numbers(tmp_path):
    rows = "".join(f"{i},{i}.5,{i},{'ab'[i % 2]}\n" for i in range(30_000))
    text = "whole,half,late,class\n" + rows + "1,2,many,a\n"
    data = load_dataset(write(tmp_path, text), target="class")
    assert [levels is None for levels in data.levels] == [True, True, False]
    assert data.levels[2][-1] == "many"


@pytest.mark.parametrize("text", ["1e3", "+2", "-.5", "5.", "1E-2", "inf"])
def test_every_way_to_write_a_number_is_a_number(tmp_path, text):
    data = load_dataset(write(tmp_path, f"x,class\n{text},a\n1,b\n"), target="class")
    assert data.values[0].tolist() == [float(text), 1.0]


@pytest.mark.parametrize("text", ["0x1A", "1_000", "1,5", "1/2", "12:30", "2020-01-01", "1 2"])
def test_what_is_not_a_number_is_a_label(tmp_path, text):
    data = load_dataset(write(tmp_path, f'x,class\n"{text}",a\n1,b\n'), target="class")
    assert data.levels[0] == tuple(sorted(["1", text]))


def test_the_row_names_of_r_are_a_column(tmp_path):
    text = '"x" "class"\n'.replace(" ", ",") + '"1",1.5,"a"\n"2",2,"b"\n'
    data = load_dataset(write(tmp_path, text), target="class")
    assert data.columns == ("column 1", "x")
    assert data.values[1].tolist() == [1.5, 2.0]


def test_standard_input_is_read(monkeypatch):
    class Stdin:
        buffer = io.BytesIO(PLAIN.encode())

    monkeypatch.setattr(sys, "stdin", Stdin)
    assert len(load_dataset("-", target="class")) == 2


def test_zstandard_is_read(tmp_path):
    duckdb.sql("select 1.5 as x, 'u' as g, 'yes' as class").write_csv(
        str(tmp_path / "data.csv.zst"), compression="zstd"
    )
    if not any(map(find_spec, ("compression", "pyarrow"))):  # a core install
        with pytest.raises(ValueError, match="reading Zstandard files needs pyarrow: install"):
            load_dataset(tmp_path / "data.csv.zst", target="class")
        return
    data = load_dataset(tmp_path / "data.csv.zst", target="class")
    assert columns(data) == {"x": [1.5], "g": ["u"]}


def parquet(folder, query, name="data.parquet"):
    with duckdb.connect() as connection:
        connection.sql(f"copy ({query}) to '{folder / name}' (format parquet)")
    return folder / name


@pytest.mark.parametrize(
    ("content", "name", "sentence"),
    [
        (b"", "d.csv", "d.csv has no header: the first line must name the columns"),
        ("x,x,class\n1,2,a\n", "d.csv", "d.csv: the column x occurs more than once: keep one"),
        ("x,class\n1,a\n2\n", "d.csv", "d.csv: line 3 has 1 fields but the header has 2"),
        ("x,class\n1,a\n2,a,3\n", "d.csv", "d.csv: line 3 has 3 fields but the header has 2"),
        ('x,class\n"1,a\n', "d.csv", "d.csv: the quote that opens in line 2 is never closed"),
        ("x,class\r\n1,a\n2,b\r\n", "d.csv", "d.csv is not regular CSV: write quotes inside text"),
        ("sep=;\r\nx;class\n1;a\n2;b\n", "d.csv", "and end all lines in the same way"),
        (
            "x,class\n1,Käse\n".encode("latin-1"),
            "d.csv",
            "d.csv is not UTF-8 (it looks like Latin-1, byte 0xE4 at line 2): save it as UTF-8",
        ),
        (
            gzip.compress(PLAIN.encode() * 99, mtime=0)[:60],
            "d.csv.gz",
            "the compressed file is truncated",
        ),
        (lzma.compress(PLAIN.encode() * 99)[:60], "d.csv.xz", "the compressed file is truncated"),
        (b"PAR1 this is not Parquet", "d.parquet", "d.parquet is not a complete Parquet file"),
        (b"PK\x03\x04 a workbook", "d.csv", "a ZIP archive or an Excel workbook"),
        (PLAIN, "d.xlsx", "cannot read d.xlsx: the extension must be .arff, .csv, .tsv"),
        (
            PLAIN,
            "d.csv",
            "d.csv has no target column 'clas': did you mean 'class'? choose one of x, g, class",
        ),
    ],
)
def test_a_bad_file_gets_one_sentence(tmp_path, content, name, sentence):
    with pytest.raises(ValueError) as caught:
        load_dataset(write(tmp_path, content, name), target="clas")
    assert sentence in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    assert not any(word in str(caught.value) for word in ("duckdb", "sample_size", "ignore_errors"))


def test_damaged_parquet_and_gzip_files_never_raise_anything_else(tmp_path):
    whole = {
        "d.parquet": parquet(tmp_path, "from (values (1.5,'u'),(2,'v')) t(x, class)").read_bytes(),
        "d.csv.gz": gzip.compress(PLAIN.encode() * 50, mtime=0),
    }
    random = np.random.default_rng(0)
    for name, content in whole.items():
        for _ in range(25):
            damaged = bytearray(content)
            for place in random.integers(0, len(content), 4):
                damaged[place] = random.integers(0, 256)
            file = write(tmp_path, bytes(damaged[: random.integers(1, len(content) + 1)]), name)
            with suppress(ValueError):
                load_dataset(file, target="class")
                continue
            with pytest.raises(ValueError) as caught:
                load_dataset(file, target="class")
            assert len(str(caught.value).splitlines()) == 1


def test_lists_in_a_parquet_file_are_refused_and_its_types_are_read(tmp_path):
    file = parquet(tmp_path, "select [1, 2] as bad, 'a' as class")
    with pytest.raises(ValueError, match="column bad has lists or tables in its cells"):
        load_dataset(file, target="class")
    query = "select 1.50::decimal(9,2) as d, true as b, date '2020-01-02' as t, 3 as class"
    data = load_dataset(parquet(tmp_path, query), target="class")
    assert data.values[0].tolist() == [1.5]
    assert data.classes.tolist() == [3]


def test_a_target_that_is_not_named_is_asked_for_with_the_columns(tmp_path):
    with pytest.raises(ValueError, match=r"--target on the command line\), choose one of x, g, cl"):
        load_dataset(write(tmp_path, PLAIN))


def test_a_folder_is_not_a_data_set(tmp_path):
    with pytest.raises(ValueError, match="is a folder: name a data file in it"):
        load_dataset(tmp_path)
