"""ARFF: what the header declares is kept, however the rows are written."""

import bz2
import gzip
import lzma

import numpy as np
import pytest
from scipy.io import arff as scipy_arff

from tests.shared import dataset_path
from wager.prepare import load_dataset
from wager.prepare._arff import read_arff

HEADER = """% a comment
@RELATION 'two words'

@attribute 'body temperature' REAL
@attribute colour {red, 'light blue', "it's", unused}
@attribute n integer
@Attribute class {a,b}
@data
"""


def _read(tmp_path, body, header=HEADER, name="set.arff"):
    file = tmp_path / name
    file.write_text(header + body, encoding="utf-8")
    return read_arff(file)


def test_names_levels_and_missing_values_are_kept(tmp_path):
    relation, columns = _read(
        tmp_path, "36.5,'light blue',1,a\n?,?,2,b\n% no row\n\n-1e3,\"it's\",?,?\n"
    )
    assert relation == "two words"
    assert [c.name for c in columns] == ["body temperature", "colour", "n", "class"]
    assert columns[1].levels == ("red", "light blue", "it's", "unused")
    np.testing.assert_array_equal(columns[0].column, [36.5, np.nan, -1000])
    assert columns[1].column.tolist() == [1, -1, 2]
    np.testing.assert_array_equal(columns[2].column, [1, 2, np.nan])
    assert columns[3].column.tolist() == [0, 1, -1]


def test_a_sparse_row_leaves_out_zeros_and_first_values(tmp_path):
    _, columns = _read(tmp_path, "{0 1.5, 3 b}\n{}\n{1 ?, 2 7}\n")
    np.testing.assert_array_equal(columns[0].column, [1.5, 0, 0])
    assert columns[1].column.tolist() == [0, 0, -1]
    assert columns[2].column.tolist() == [0, 0, 7]
    assert columns[3].column.tolist() == [1, 0, 0]


@pytest.mark.parametrize("separator", [",", " , ", ", ", "\t"])
def test_blanks_and_tabs_between_values_do_not_matter(tmp_path, separator):
    _, columns = _read(tmp_path, separator.join(["1", "red", "2", "b"]) + "\r\n")
    assert [c.column[0] for c in columns] == [1, 0, 2, 1]


def test_comments_may_follow_rows_and_attributes(tmp_path):
    header = """@RELATION r % a relation
@ATTRIBUTE\tx NUMERIC % in {metres}
@attribute  c  {a, '5 % b', c%}  % two values } and more
@DATA % rows
"""
    body = "1,a % the first\n% nothing\n2,'5 % b'%quoted\n  % nothing\n3,c%\n{0 4} % sparse\n"
    relation, (x, c) = _read(tmp_path, body, header)
    assert relation == "r"
    assert x.column.tolist() == [1, 2, 3, 4]
    assert c.levels == ("a", "5 % b", "c%")
    assert c.column.tolist() == [0, 1, 2, 0]


def test_words_for_missing_values_are_missing_unless_they_are_declared(tmp_path):
    header = "@relation r\n@attribute x real\n@attribute c {a,NA}\n@attribute d {a}\n@data\n"
    _, (x, c, d) = _read(tmp_path, "NA,NA,NA\nnull,a,a\n", header)
    assert np.isnan(x.column).all()
    assert (c.column.tolist(), d.column.tolist()) == ([1, 0], [-1, 0])


@pytest.mark.parametrize("ending", ["gz", "bz2", "xz", "plain"])
def test_other_encodings_and_compressions_are_read_or_named(tmp_path, ending):
    packed = {"gz": gzip, "bz2": bz2, "xz": lzma}
    pack = packed[ending].compress if ending in packed else bytes
    text = HEADER + "1,red,2,a\n"
    file = tmp_path / f"set.arff.{ending}"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        file.write_bytes(pack(text.encode(encoding)))
        assert read_arff(file)[0] == "two words"
    file.write_bytes(pack(text.replace("unused", "größe").encode("latin-1")))
    with pytest.raises(ValueError, match=r"looks like Latin-1, byte 0xF6 at line 5\): save it as"):
        read_arff(file)


def test_an_escaped_quote_is_part_of_the_value(tmp_path):
    header = "@relation r\n@attribute s string\n@attribute c {x,'d\\'e'}\n@data\n"
    _, (text, c) = _read(tmp_path, "'a b','d\\'e'\nplain,x\n", header)
    assert text.levels == ("a b", "plain")
    assert (c.levels, c.column.tolist()) == (("x", "d'e"), [1, 0])


def test_a_list_of_values_may_span_several_lines(tmp_path):
    header = "@relation r\n@attribute x numeric\n@attribute c {one,\n  two,\n  three}\n@data\n"
    assert _read(tmp_path, "1,three\n", header)[1][1].levels == ("one", "two", "three")


def test_gzipped_and_plain_files_give_the_same(tmp_path):
    text = HEADER + "1,red,2,a\n"
    (tmp_path / "set.arff").write_text(text, encoding="utf-8")
    (tmp_path / "set.arff.gz").write_bytes(gzip.compress(text.encode()))
    plain, packed = (read_arff(tmp_path / f"set.arff{end}")[1] for end in ("", ".gz"))
    for one, other in zip(plain, packed, strict=True):
        assert (one.name, one.levels, one.column.tolist()) == (
            other.name,
            other.levels,
            other.column.tolist(),
        )


@pytest.mark.parametrize(
    ("body", "header", "words"),
    [
        ("1,green,2,a\n", HEADER, "colour contains 'green' in row 1"),
        ("1,red,2,a\nx,red,2,a\n", HEADER, "body temperature contains 'x' in row 2"),
        ("1,red,2\n", HEADER, "row 1 has 3 values but 4 attributes"),
        ("{9 1}\n", HEADER, "row 1 has a value for attribute 9"),
        ("1\n", "@relation r\n@attribute d date\n@data\n", "has the type 'date'"),
        ("1\n", "@relation r\n@attribute b relational\n@data\n", "has the type 'relational'"),
        ("{0 1.5, 3 b\n", HEADER, "row 1 is not a sparse row such as {0 1.5, 3 high}"),
        ("{0 1.5 3 b}\n", HEADER, "row 1 is not a sparse row"),
        ("1\n", "@relation r\n@attribute c {a,b\n@data\n", "attribute c are not closed by a }"),
        ("1\n", "@relation r\n@attribute c {a,b,a}\n@data\n", "declares 'a' more than once"),
        ("1\n", "@attribute c {a}\n@attribute c {a}\n@data\n", "attribute c more than once"),
        ("1\n", "@relation r\n", "no @data line"),
        ("1\n", "@relation r\n@data\n", "declares no attribute"),
    ],
)
def test_a_bad_file_is_named_with_its_fault(tmp_path, body, header, words):
    with pytest.raises(ValueError) as caught:
        _read(tmp_path, body, header)
    assert words in str(caught.value)
    assert str(caught.value).startswith("set.arff")


@pytest.mark.parametrize("name", ["iris", "labor", "zoo", "soybean"])
def test_public_sets_agree_with_scipy(name):
    path = dataset_path(name)
    table, meta = scipy_arff.loadarff(path)
    _, columns = read_arff(path)
    assert [c.name for c in columns] == meta.names()
    for attribute in columns:
        theirs = table[attribute.name]
        if attribute.levels is None:
            np.testing.assert_array_equal(attribute.column, theirs)
        else:
            labels = [*attribute.levels, "?"]
            assert [labels[code] for code in attribute.column] == [v.decode() for v in theirs]


def test_many_declared_values_and_attributes_are_read_in_linear_time(tmp_path):
    """The quadratic way takes minutes."""
    values = ",".join(f"v{i}" for i in range(100_000))
    blank = "\n" * 100_000
    header = f"@relation r\n{blank}@attribute c {{{values}}}\n"
    header += "".join(f"@attribute a{i} numeric\n" for i in range(20_000)) + "@data\n"
    _, columns = _read(tmp_path, "", header)
    assert (len(columns), len(columns[0].levels)) == (20_001, 100_000)
    with pytest.raises(ValueError, match="attribute c declares 'v7' more than once"):
        _read(tmp_path, "", header.replace("v99999}", "v9,v7}"))
    with pytest.raises(ValueError, match="declares attribute a5 more than once"):
        _read(tmp_path, "", header.replace("a19999 ", "a5 "))


@pytest.mark.parametrize("blank", [" ", "\xa0", "\f", "\u3000"])
@pytest.mark.parametrize("other", ["q,b", "q, b", "'q',b"])
def test_blanks_around_a_value_are_no_part_of_it_whatever_is_in_other_rows(tmp_path, blank, other):
    path = tmp_path / "blanks.arff"
    head = "@relation r\n@attribute x string\n@attribute c {a,b}\n@data\n"
    path.write_text(f"{head}p{blank},{blank}a\n{other}\n", encoding="utf-8")
    data = load_dataset(path, target="c")
    assert data.levels == (("p", "q"),)
    assert data.y.tolist() == ["a", "b"]
