"""Files as other programs write them: the page reads them, or says what is wrong, as Python does.

Python's answer is computed here, from the same bytes: no sentence is written down twice.
"""

import gzip
import random

import pytest

from tests.report.page.dropped import read, with_scripts
from wager._tables import BLANKS
from wager.compare import match_files
from wager.predictions import first_largest, scan_sets

# -- one file --------------------------------------------------------------------------------------

READABLE = {
    "labels": "y_true,y_pred\na,a\nb,a\n",
    "blank lines": "y_true,y_pred\na,a\n\nb,a\n\n\n",
    "no final line end": "y_true,y_pred\na,a\nb,a",
    "CRLF": "y_true,y_pred\r\na,a\r\n\r\nb,a\r\n",
    "CR": "y_true,y_pred\ra,a\rb,a\r",
    "quotes": 'y_true,y_pred\n"a","a"\n"b,c","a""q"\n',
    "a quote inside text": 'y_true,y_pred\na,a"b\nb,a\n',
    "spaces around quotes": 'y_true,y_pred\na, "a"\nb,"a" \n',
    "lines in quotes": 'y_true,y_pred\na,"a\nx"\nb,"a\r\ny"\n',
    "blanks around labels": "y_true,y_pred\n a , a\t\nb,\u00a0a\n",
    "row names of R": "y_true,y_pred\n1,a,a\n2,b,a\n",
    "delimiters at the ends": "y_true,y_pred\na,a,\nb,a,\n",
    "delimiters at the end of a row": "y_true,y_pred\na,a\nb,a,\nb,b,,\na,b,",
    "empty sets": 'y_true,set\na,""\nb,\nc,  \n',
    "header with spaces": " y_true , y_pred \na,a\nb,a\n",
    "header with a line": '"y_true","y_pred","x\ny"\na,a,1\nb,a,2\n',
    "byte order mark": b"\xef\xbb\xbfy_true,y_pred\na,a\nb,a\n",
    "UTF-16": "y_true,y_pred\na,a\nb,é\n".encode("utf-16"),
    "semicolons": "y_true;p:a;p:b\na;0,5;0,5\nb;0.25;0,75\n",
    "tabs": "y_true\tset\na\ta|b\nb\tb\n",
    "sep=": "sep=\t\ny_true\tset\na\ta|b\nb\tb\n",
    "excel": b"\xef\xbb\xbfy_true;set;weight\r\na;a|b;0,5\r\nb;b;1,5\r\n",
    "whole numbers": "y_true,y_pred\n1,1\n10,2\n2,2\n",
    "leading zeros": "y_true,y_pred\n01,1\n10,2\n2,2\n",
    "decimals": "y_true,y_pred\n1.0,1\n10,2\n2,2\n",
    "large numbers": "y_true,y_pred\n9007199254740993,9007199254740992\n9007199254740992,5\n5,5\n",
    "escaped separators": 'y_true,set\na,"a|b\\|c"\nb,"b\\\\|a"\n',
    "blanks in sets": "y_true,set\na, a | b \nb,b\n",
    "a label twice in a set": "y_true,set\na,a|a\nb,b\n",
    "flags in words": "y_true,in:a,in:b\na,yes,no\nb,TRUE,FALSE\nb, 1 ,f\n",
    "columns in another order": "y_true,p:b,p:a\na,0.5,0.5\nb,0.5,0.5\n",
    "printed probabilities": "y_true,p:a,p:b,p:c\na,0.333,0.333,0.333\nb,0.3334,0.3333,0.3334\n",
    "numbers in many ways": "y_true,p:1,p:2\n"
    + "".join(f"1,{x},0\n" for x in ["1", "1_0e-1", "1e0", "+1", " 1 ", "1\t", "1.", "100e-2"]),
    "other columns": "x,y_true,z,y_pred\n1,a,2,a\n1,b,2,a\n",
    "two forms": "y_true,y_pred,set\na,a,a|b\nb,b,b\n",
    "a label and probabilities": "y_true,y_pred,p:a,p:b\na,b,0.9,0.1\nb,b,0.2,0.8\n",
    "odd characters": 'y_true,set\na,a|x\u200by\nb,\u00e9|a\nq,"a\tz|a"\n\U0001f600,a\n\uffee,b\n',
    "weights and counts": "y_true,y_pred,weight,count\na,a,1,0\nb,b,0.5,3\n",
    "clusters and groups": "y_true,y_pred,cluster,group\na,a,1,x\nb,b, 2,NA \n",
}
WRONG = {
    "a blank cluster": "y_true,y_pred,cluster\na,a,1\nb,b, \n",
    "a short row": "y_true,y_pred\na,a\nb\n",
    "a short row after a quoted line": 'y_true,y_pred\na,"a\nx"\nb\n',
    "a short row after empty lines": "y_true,y_pred\na,a\n\n\nb\n",
    "a short row after sep=": "sep=;\ny_true;y_pred\na;a\nb\n",
    "a byte order mark alone": b"\xef\xbb\xbf",
    "a blank after the last delimiter": "y_true,y_pred\na,a\nb,a, \n",
    "quotes after the last delimiter": 'y_true,y_pred\na,a\nb,a,""\n',
    "a value after empty ones": "y_true,y_pred\na,a\nb,a,,x\n",
    "a long row": "y_true,y_pred\na,a\nb,a,c,d\n",
    "a line of blanks": "y_true,y_pred\na,a\n  \nb,a\n",
    "row names, then a short row": "y_true,y_pred\n1,a,a\n2,b\n",
    "LF, then CRLF": "y_true,y_pred\na,a\r\nb,a\n",
    "CRLF, then LF": "y_true,y_pred\r\na,a\r\nb,a\n",
    "CR in a cell": "y_true,y_pred\na\rx,a\nb,a\n",
    "a quote that is not closed": 'y_true,y_pred\na,a\nb,"a\nb,a\n',
    "text after a quote": 'y_true,y_pred\na,a\na,"a" b\nb,a\n',
    "half an escaped quote": 'y_true,y_pred\na,a\na,"a""\nb,a\n',
    "Latin-1": b"y_true,y_pred\na,a\nb,\xe9a\n",
    "Windows-1252": b"y_true,y_pred\na,a\nb,\x80a\n",
    "a cut character": b"y_true,y_pred\na,a\nb,\xe2\x82",
    "NUL": "y_true,y_pred\na,a\0b\nb,a\n",
    "an empty file": "",
    "a header only": "y_true,y_pred\n",
    "a workbook": b"PK\x03\x04aaaaa",
    "a PDF": b"%PDF-1.7\n",
    "JSON": '{"y_true": 1}\n',
    "an empty first line": "\ny_true,y_pred\na,a\n",
    "Weka's text": "=== Predictions on test data ===\n\n inst#     actual  predicted error\n",
    "another name of the truth": "truth,pred\na,1\n",
    "another name of labels": "y_true,pred\na,1\n",
    "another name of sets": "y_true,Prediction set\na,1\n",
    "another prefix": "y_true,prob_a,prob_b\na,1,0\n",
    "no predictions": "y_true,zzz\na,1\n",
    "many columns": "a,b,c,d,e,f,g,h,i\n1,2,3,4,5,6,7,8,9\n",
    "a column twice": "y_true,y_pred,y_pred\na,a,a\n",
    "a class twice": "y_true,p:a,p: a\na,1,3\nb,2,1\n",
    "a mask": "y_true,mask\na,1\n",
    "a label and a mask": "y_true,y_pred,mask\na,a,1\n",
    "missing values": "y_true,y_pred\na,a\n,\nb,a\n",
    "many missing values": "y_true,y_pred\n" + "a,\n" * 1500 + "b,b\n",
    "a missing word": 'y_true,y_pred\na,"NA"\nb,a\n',
    "a missing set": "y_true,set\na, null \nb,b\n",
    "a missing truth": "y_true,set\nNone,a\nb,b\n",
    "a missing weight": "y_true,y_pred,weight\na,a,NA\nb,b,1\n",
    "a missing cluster": "y_true,y_pred,cluster\na,a,\nb,b,1\n",
    "missing probabilities": "y_true,p:a,p:b\na,0.5,\nb,,0.2\n",
    "a missing flag": "y_true,in:a,in:b\na,1,\nb,0,1\n",
    "missing cells of many columns": "y_true,"
    + ",".join(f"in:{i}" for i in range(60))
    + "\n1,"
    + ",".join(["0"] * 59)
    + ",\n",
    "a set with a missing label": "y_true,set\na,a|NA\nb,b\n",
    "a set with an empty label": "y_true,set\na,a||b\nb,b\n",
    "a separator alone": "y_true,set\na,|\nb,b\n",
    "two missing labels": "y_true,set\na,a|null|NA\nb,b\n",
    "a negative weight": "y_true,y_pred,weight\na,a,1\nb,b,-1\n",
    "an infinite weight": "y_true,y_pred,weight\na,a,inf\nb,b,2\n",
    "a weight in words": "y_true,y_pred,weight\na,a,1\nb,b,it's\n",
    "weights of 0": "y_true,y_pred,weight\na,a,0\nb,b,0\n",
    "weights times counts of 0": "y_true,y_pred,weight,count\na,a,1,0\nb,b,0,1\n",
    "counts of 0": "y_true,y_pred,count\na,a,0\nb,b,0\n",
    "half a count": "y_true,y_pred,count\na,a,1\nb,b,1.5\n",
    "a probability above 1": "y_true,p:a,p:b\na,0.5,0.5\nb,1.2,-0.2\n",
    "a probability in words": "y_true,p:a,p:b\na,0.5,0.5\nb,x,0.2\n",
    "an infinite probability": "y_true,p:a,p:b\na,0.5,0.5\nb,inf,0.2\n",
    "a sum below 1": "y_true,p:a,p:b\na,0.5,0.5\nb,0.7,0.2\n",
    "a sum of nearly 1": "y_true,p:a,p:b\na,0.5,0.5\nb,0.123456789,0.2\n",
    "a truth without a column": "y_true,p:a,p:b\na,0.5,0.5\nc,0.8,0.2\n",
    "a truth without a flag": "y_true,in:a,in:b,in:c,in:d,in:e,in:f,in:g\nz,1,0,0,0,0,0,0\n",
    "a truth outside numbers": "y_true,p:1,p:2\n3,0.5,0.5\n",
    "a flag of 2": "y_true,in:a,in:b\na,1,0\nb,2,1\n",
    "a wrong flag and a wrong truth": "y_true,in:a,in:b\na,1,x\nc,1,1\n",
    "numbers and names": "y_true,y_pred\n1,a\n2,b\n",
    "names and numbers": "y_true,set\na,1|2\nb,2\n",
    "sets joined by semicolons": "y_true,set\na,a;b\nb,b\n",
    "sets like lists of Python": "y_true,set\na,\"['a', 'b']\"\nb,b\n",
    "sets joined by tabs": 'y_true\ty_pred\na\t"a\tb"\nb\ta\n',
    "a mistake after a wrong sum": "y_true,p:a,p:b\na,0.9,0.2\nb,x,0.2\n",
}


@pytest.fixture(scope="module")
def reader(browser):
    context = browser.new_context()
    yield with_scripts(context.new_page())
    context.close()


def bytes_of(text):
    return text.encode() if isinstance(text, str) else text


def in_python(folder, text):
    """Classes, true classes and predicted sets as codes, or Python's sentence."""
    path = folder / "f.csv"
    path.write_bytes(bytes_of(text))
    try:
        found = scan_sets(path).read()
    except ValueError as problem:
        return str(problem).replace(f"{folder}/", "")
    sets = found.sets
    if sets is None:
        named = [[code] for code in first_largest(found.proba).tolist()]
    else:
        code = {label: i for i, label in enumerate(found.classes.tolist())}
        named = [[code[label] for label in labels] for labels in sets.to_lists()]
    return [str(label) for label in found.classes], found.codes.tolist(), named


def in_page(tab, text, name="f.csv"):
    """The same from the page's scripts."""
    found = tab.evaluate(
        """async ([name, bytes]) => {
            const file = new File([Uint8Array.from(bytes)], name);
            try {
                const opened = await wager.csvFile.open(file);
                const named = wager.csvFile.namedClasses(opened);
                const reader = wager.csvFile.reader(opened, { classes: named });
                await reader.read();
                const classes = named || reader.classes;
                if (reader.settle) reader.settle(classes);
                const codes = new Map(classes.labels.map((label, code) => [label, code]));
                const sets = reader.setsOver(codes);
                return [classes.labels,
                        Array.from(reader.truth.values, (t) => codes.get(reader.truths.list[t])),
                        Array.from(reader.set.values, (s) => sets[s])];
            } catch (problem) {
                if (!(problem instanceof wager.csv.Fault)) throw problem;
                return problem.message;
            }
        }""",
        [name, list(bytes_of(text))],
    )
    return found if isinstance(found, str) else tuple(found)


@pytest.mark.parametrize("case", READABLE)
def test_a_file_is_read_as_in_python(reader, tmp_path, case):
    expected = in_python(tmp_path, READABLE[case])
    assert isinstance(expected, tuple), expected
    assert in_page(reader, READABLE[case]) == expected


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_file_gets_the_sentence_of_python(reader, tmp_path, case):
    expected = in_python(tmp_path, WRONG[case])
    assert isinstance(expected, str), expected
    assert in_page(reader, WRONG[case]) == expected


def test_a_gzip_file_is_unpacked_and_a_damaged_one_is_refused(reader, tmp_path):
    whole = gzip.compress(READABLE["labels"].encode())
    assert in_page(reader, whole, "f.csv.gz") == in_python(tmp_path, READABLE["labels"])
    assert in_page(reader, whole[:-9]) == (
        "f.csv cannot be read: the compressed file is truncated or damaged"
    )


@pytest.mark.parametrize("columns", ["m:a,m:b", "lower:a,upper:a"])
def test_forms_that_only_python_reads_are_named(reader, columns):
    assert "run wager report on the file" in in_page(reader, f"y_true,{columns}\na,0.2,0.8\n")


def test_any_division_into_pieces_gives_the_same_records(reader):
    """A record may end anywhere in a piece of text, also inside quotes or between CR and LF."""
    text = 'y_true,set\r\n"a ""x""\r\n|b",b\r\n c,"d" \r\n\r\ne,f'
    found = reader.evaluate(
        """(text) => {
            const all = [];
            for (let first = 0; first <= text.length; first++) {
                for (let second = first; second <= text.length; second++) {
                    const records = [];
                    const parser = new wager.csv.Records({ delimiter: "," }, (fields) => {
                        records.push(fields);
                    });
                    parser.push(text.slice(0, first));
                    parser.push(text.slice(first, second));
                    parser.push(text.slice(second));
                    parser.finish();
                    all.push(JSON.stringify(records));
                }
            }
            return [...new Set(all)];
        }""",
        text,
    )
    assert len(found) == 1
    assert found[0] == '[["y_true","set"],["a \\"x\\"\\r\\n|b","b"],[" c","d"],null,["e","f"]]'


def test_numbers_are_those_of_duckdb(reader):
    import duckdb

    rng = random.Random(1)
    texts = [
        "".join(rng.choices("0123456789.eE+-_ \tinfa", k=rng.randint(1, 7))) for _ in range(4000)
    ]
    texts += [repr(rng.random()) for _ in range(500)] + [f"{rng.random():.6f}" for _ in range(500)]
    texts += [
        "-NaN",
        "inf",
        "+Infinity",
        "1e400",
        "1e-400",
        "00012",
        "\u00a01",
        "１",
        "0x10",
    ]
    with duckdb.connect() as con:
        cast = "SELECT TRY_CAST(text AS DOUBLE) FROM (SELECT unnest(?) AS text)"
        expected = [row[0] for row in con.execute(cast, [texts]).fetchall()]
    found = reader.evaluate(
        "(texts) => texts.map((text) => String(wager.csvWords.numberIn(text, false)))", texts
    )
    shown = [None if text == "null" else float(text.replace("Infinity", "inf")) for text in found]
    wrong = [
        (text, one, two)
        for text, one, two in zip(texts, shown, expected, strict=True)
        if one != two and not (one != one and two != two)
    ]
    assert wrong == []


def test_flags_and_names_are_those_of_duckdb(reader):
    import duckdb

    texts = ["1", "0", "true", "FALSE", "t", "F", "yes", "No", "y", "N", "on", "2", "1.0", "", "01"]
    texts = [f"{before}{text}{after}" for text in texts for before in ["", " ", "\t", "\u2003"]
             for after in ["", "  ", "\u00a0", "\n"]]  # fmt: skip
    with duckdb.connect() as con:
        flags = [
            con.execute("SELECT TRY_CAST(trim(?) AS BOOLEAN)", [text]).fetchone()[0]
            for text in texts
        ]
        names = [con.execute("SELECT trim(?)", [text]).fetchone()[0] for text in texts]
    found = reader.evaluate(
        "(all) => all.map((text) => [wager.csvWords.flagIn(text), wager.csvWords.nameIn(text)])",
        texts,
    )
    assert [flag for flag, _ in found] == [None if x is None else int(x) for x in flags]
    assert [name for _, name in found] == [
        name if text.strip(BLANKS) else None for text, name in zip(texts, names, strict=True)
    ]


def test_texts_are_shown_sorted_and_stripped_as_in_python(reader):
    rng = random.Random(2)
    letters = "ab'\"\\\n\t\x00\x7f\x85\u00a0\u00ad\u2028\u202e\u200b\u3000é\ue000\uffee "
    letters += "\U0001f600\U0001f9ff"
    texts = ["".join(rng.choices(letters, k=rng.randint(0, 5))) for _ in range(2000)]
    shown, order, stripped = reader.evaluate(
        """(texts) => [texts.map(wager.csvWords.repr),
                       [...texts].sort(wager.csvWords.compareTexts),
                       texts.map(wager.csv.strip)]""",
        texts,
    )
    assert shown == [repr(text) for text in texts]
    assert order == sorted(texts)
    assert stripped == [text.strip(BLANKS) for text in texts]


# -- several files ---------------------------------------------------------------------------------

PAIRS_WRONG = {
    "other lengths": ("y_true,y_pred\na,a\nb,b\n", "y_true,y_pred\na,a\n"),
    "another truth": ("y_true,y_pred\na,a\nb,b\n", "y_true,y_pred\na,a\na,b\n"),
    "another truth by id": ("id,y_true,y_pred\n1,a,a\n2,b,b\n", "id,y_true,y_pred\n2,a,b\n1,a,a\n"),
    "an id twice": ("id,y_true,y_pred\n1,a,a\n1,b,b\n", "id,y_true,y_pred\n2,b,b\n1,a,a\n"),
    "a lonely id": ("id,y_true,y_pred\n1,a,a\n2,b,b\n", "id,y_true,y_pred\n2,b,b\n3,a,a\n"),
    "a lonely id in the second": (
        "id,y_true,y_pred\n1,a,a\n2,b,b\n",
        "id,y_true,y_pred\n2,b,b\n1,a,a\n7,a,a\n",
    ),
    "a missing id": ("id,y_true,y_pred\n1,a,a\n,b,b\n", "id,y_true,y_pred\n1,b,b\n2,a,a\n"),
    "other classes": ("y_true,y_pred\na,a\nb,b\n", "y_true,y_pred\nc,c\nd,d\n"),
    "numbers and other numbers": ("y_true,y_pred\n1,1\n10,2\n", "y_true,y_pred\n3,3\n4,4\n"),
    "numbers and names": ("y_true,y_pred\n1,1\n10,2\n", "y_true,y_pred\nc,c\nd,d\n"),
    "other weights": (
        "y_true,y_pred,weight\na,a,1\nb,b,2\n",
        "y_true,y_pred,weight\na,a,1\nb,b,2.5\n",
    ),
    "other counts": ("y_true,y_pred,count\na,a,1\nb,b,2\n", "y_true,y_pred,count\na,a,1\nb,b,3\n"),
    "other clusters": (
        "y_true,y_pred,cluster\na,a,x\nb,b,y\n",
        "y_true,y_pred,cluster\na,a,x\nb,b,z\n",
    ),
    "a mistake in the second": ("y_true,y_pred\na,a\nb,b\n", "y_true,p:a,p:b\na,0.5,0.5\nb,2,0\n"),
    "a truth that no file names": (
        "y_true,in:a,in:b\na,1,0\nc,0,1\n",
        "y_true,p:a,p:b\na,1,0\nc,0,1\n",
    ),
}


@pytest.mark.parametrize("case", PAIRS_WRONG)
def test_files_that_do_not_fit_get_the_sentence_of_python(reader, tmp_path, case):
    paths = [tmp_path / name for name in ("one.csv", "two.csv")]
    for path, text in zip(paths, PAIRS_WRONG[case], strict=True):
        path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError) as problem:
        match_files(paths)
    expected = str(problem.value).replace(f"{tmp_path}/", "")
    found = read(reader, {path.name: path.read_bytes() for path in paths})
    assert found == {"fault": expected}


def test_a_truth_that_another_file_names_is_a_class(reader, tmp_path):
    texts = {"one.csv": "y_true,in:a,in:b\na,1,0\nc,0,1\n", "two.csv": "y_true,y_pred\na,a\nc,c\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    expected = match_files([tmp_path / name for name in texts])
    assert read(reader, texts)["data"]["classes"] == expected.classes.tolist() == ["a", "b", "c"]


def test_names_of_files_that_are_not_distinct(reader):
    text = READABLE["labels"]
    found = read(reader, {"a.csv": text, "a.txt": text})["data"]
    assert [one["name"] for one in found["classifiers"]] == ["a.csv", "a.txt"]


def test_rows_with_missing_values_can_be_left_out(reader, tmp_path):
    texts = {
        "one.csv": "y_true,y_pred\na,a\nb,\nb,b\na,b\n,a\n",
        "two.csv": "y_true,set\na,a|b\nb,b\nb,NA\na,a\nb,b\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    expected = match_files([tmp_path / name for name in texts], na="drop")
    found = read(reader, texts, drop=True)["data"]
    assert found["facts"]["rows"] == expected.n_rows == 2
    assert found["facts"]["warnings"] == list(expected.warnings)
