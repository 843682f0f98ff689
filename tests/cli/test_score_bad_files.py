"""Errors in a file are one sentence: what is wrong, in which row or column, and what to do."""

import gzip
import json
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from wager.cli import app


def refusal(path, *arguments):
    """The error of `wager score` for a wrong file, for which nothing is printed or written."""
    before = sorted(path.parent.iterdir()) if path.parent.exists() else []
    result = CliRunner().invoke(app, ["score", str(path), *arguments])
    assert result.exit_code == 2, (result.stdout, result.exception)
    assert result.stdout == ""
    assert result.stderr.startswith("wager: ")
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr
    assert (sorted(path.parent.iterdir()) if path.parent.exists() else []) == before
    return result.stderr.removeprefix("wager: ").strip().replace(f"{path}", "FILE")


FILL_IN = "fill it in, or leave this row out with --na drop"

# The text of a CSV, further arguments, and the error.
CSV = {
    "unknown label": (
        "y_true,set\na,a\nz,b\n",
        ["--classes", "a,b"],
        "FILE: y_true contains 'z' in row 2, which is not among the classes 'a', 'b': correct it, "
        "or declare it with --classes",
    ),
    "unknown member": (
        "y_true,set\na,a\nb,b\nb,a|z\nb,z\n",
        ["--classes", "a,b"],
        "FILE: set contains 'z' in row 3, which is not among the classes 'a', 'b': correct it, or "
        "declare it with --classes",
    ),
    "short row": (
        "y_true,set\na,a\nb\n",
        [],
        "FILE: line 3 has 1 fields but the header has 2: give every row a value for each column",
    ),
    "long row": (
        "y_true,p:a,p:b\na,1,0\nb,0,1,0\n",
        [],
        "FILE: line 3 has 4 fields but the header has 3: give every row a value for each column",
    ),
    "a comma in a set": (
        "y_true,set\na,a,b\nb,b\n",
        [],
        "FILE: the header has 2 fields, but the rows before line 3 have 3 and that line has 2: "
        "give every row a value for each column",
    ),
    "NaN": (
        "y_true,p:a,p:b\na,1,0\nb,nan,1\n",
        [],
        "FILE: 1 of 2 rows has no p:a; the first is row 2, which is 'nan': " + FILL_IN,
    ),
    "a word for a number": (
        "y_true,m:a,m:b\na,1,0\nb,2,high\n",
        [],
        "FILE: m:b is 'high' in row 2: a membership value is a finite number",
    ),
    "missing number": (
        "y_true,p:a,p:b\na,1,0\nb,,1\n",
        [],
        f"FILE: 1 of 2 rows has no p:a; the first is row 2: {FILL_IN}",
    ),
    "negative probability": (
        "y_true,p:a,p:b\na,1,0\nb,1.25,-0.25\n",
        [],
        "FILE: p:a is 1.25 in row 2: a probability is a number from 0 to 1",
    ),
    "sum": (
        "y_true,p:a,p:b\na,1,0\nb,0.5,0.6\n",
        [],
        "FILE: the p: columns of row 2 sum to 1.1: probabilities must sum to 1; put other scores "
        "into m: columns",
    ),
    "negative weight": (
        "y_true,y_pred,weight\na,a,1\nb,b,-2\n",
        [],
        "FILE: weight is -2 in row 2: a weight must be a number from 0 to 1e+100",
    ),
    "no weight at all": (
        "y_true,y_pred,weight\na,a,0\nb,b,0\n",
        [],
        "FILE: weight is 0 in every row: at least one row needs a positive weight",
    ),
    "no weight at all, probabilities": (
        "y_true,p:a,p:b,weight\na,1,0,0\nb,1,0,0\n",
        [],
        "FILE: weight is 0 in every row: at least one row needs a positive weight",
    ),
    "semicolons": (
        "y_true,set\na,a\nb,a;b\n",
        [],
        "FILE: set is 'a;b' in row 2, where classes are joined by ';': join them by '|', or "
        "declare 'a;b' with --classes",
    ),
    "a set among labels": (
        "y_true,y_pred\na,a\nb,a|b\n",
        [],
        "FILE: y_pred is 'a|b' in row 2, a set of classes: name a column of sets with --set "
        "y_pred, or declare 'a|b' with --classes",
    ),
    "a set among labels, classes declared": (
        "y_true,y_pred\na,a\nb,a|b\n",
        ["--classes", "a,b"],
        "FILE: y_pred is 'a|b' in row 2, a set of classes: name a column of sets with --set "
        "y_pred, or declare 'a|b' with --classes",
    ),
    "commas in brackets": (
        "y_true,set\na,\"['a', 'b']\"\nb,b\n",
        ["--classes", "a,b"],
        "FILE: set is \"['a', 'b']\" in row 1, where classes are joined by ',': join them by '|', "
        "or declare \"['a', 'b']\" with --classes; for this set write a|b",
    ),
    "header alone": (
        "y_true,set\n",
        [],
        "FILE has a header but no rows: add predictions",
    ),
    "header alone, probabilities": (
        "y_true,p:a,p:b\n",
        [],
        "FILE has a header but no rows: add predictions",
    ),
    "empty": (
        "",
        [],
        "FILE is empty: it needs a column y_true, predictions, and at least one row",
    ),
    "no truth": (
        "label,set\na,a\n",
        [],
        "FILE: there is no column y_true among label, set: name the column of true classes with "
        "--truth label",
    ),
    "no predictions": (
        "y_true,answer\na,a\n",
        [],
        "FILE: none of the columns y_true, answer contains predictions: add one of y_pred, set, "
        "mask, in:<class>, p:<class>, class_1 with p_1, lower:<class> with upper:<class>, "
        "m:<class>; name a column with --pred or --set",
    ),
    "duplicate class column": (
        "y_true,in:a,in:b,in:a\na,1,0,1\n",
        [],
        "FILE: the column in:a occurs more than once: keep one",
    ),
    "missing truth": (
        "y_true,y_pred\na,a\n,b\n",
        [],
        f"FILE: 1 of 2 rows has no y_true; the first is row 2: {FILL_IN}",
    ),
    "missing label": (
        "y_true,y_pred\na,a\nb,\n",
        [],
        f"FILE: 1 of 2 rows has no y_pred; the first is row 2: {FILL_IN}",
    ),
    "mask without classes": (
        "y_true,mask\na,1\n",
        [],
        "FILE: a mask does not name its classes: list them in the order of the bits with classes= "
        "(--classes a,b,c)",
    ),
    "mask beyond the classes": (
        "y_true,mask\na,3\nb,4\n",
        ["--classes", "a,b"],
        "FILE: mask is 4 in row 2: a mask of 2 classes is a whole number from 0 to 3",
    ),
    "fraction for a mask": (
        "y_true,mask\na,3\nb,2.5\n",
        ["--classes", "a,b"],
        "FILE: mask is 2.5 in row 2: a mask of 2 classes is a whole number from 0 to 3",
    ),
    "70 classes in a mask": (
        "y_true,mask\n1,3\n",
        ["--classes", ",".join(map(str, range(70)))],
        "FILE: a mask has bits for 64 classes, but 70 are declared: state the predictions in a "
        "column set or in columns in:<class>",
    ),
    "2 for a flag": (
        "y_true,in:a,in:b\na,1,0\nb,0,2\n",
        [],
        "FILE: in:b is 2 in row 2: write 1 if the set contains the class and 0 if not",
    ),
    "a class without a column": (
        "y_true,in:a,in:b\na,1,0\nc,0,1\n",
        [],
        "FILE: y_true contains 'c' in row 2, which is not among the classes 'a', 'b': correct it, "
        "or declare it with --classes",
    ),
    "a column without a class": (
        "y_true,in:a,in:b\na,1,0\n",
        ["--classes", "a,c"],
        "FILE: the column in:b is for a class that is not declared: add b to "
        "--classes, or remove the column",
    ),
    "a class twice": (
        "y_true,set\na,a\n",
        ["--classes", "a,b,a"],
        "duplicate class 'a' in classes: name each class once",
    ),
    "lower without upper": (
        "y_true,lower:a,upper:a,lower:b\na,0,1,0\n",
        [],
        "FILE: there is a column lower:b but no upper:b: give both bounds of every class",
    ),
    "crossed bounds": (
        "y_true,lower:a,upper:a,lower:b,upper:b\na,0,1,0,1\na,0.6,0.5,0,1\n",
        [],
        "FILE: lower:a is 0.6 in row 2 but upper:a is 0.5: swap them",
    ),
    "sure loss": (
        "y_true,lower:a,upper:a,lower:b,upper:b\na,0,1,0,1\na,0.1,0.2,0.1,0.3\n",
        [],
        "FILE: no probabilities satisfy the bounds of row 2: the lower bounds sum to 0.2 and the "
        "upper bounds to 0.5, but 1 must lie between the two sums",
    ),
    "numbers against names": (
        "y_true,y_pred\n0,a\n1,b\n",
        [],
        "FILE: y_true and y_pred do not name the same classes: y_true contains '0' and y_pred "
        "contains 'a': use names in both or numbers in both",
    ),
    "no such group": (
        "y_true,set\na,a\n",
        ["--by", "site"],
        "FILE: there is no column site among y_true, set: choose one of these columns",
    ),
    "no such form": (
        "y_true,set\na,a\n",
        ["--form", "p"],
        "FILE: there is no column p: among y_true, set",
    ),
    "an unclosed quote": (
        'y_true,set\na,"a\nb,b\n',
        [],
        "FILE: the quote that opens in line 2 is never closed: write quotes inside text twice",
    ),
}


@pytest.mark.parametrize("case", CSV)
def test_csv(case, tmp_path):
    text, arguments, expected = CSV[case]
    path = tmp_path / "bad.csv"
    path.write_text(text)
    assert refusal(path, *arguments) == expected


# Lines of JSON, and the error.
JSON = {
    "mixed labels": (
        [{"y_true": 1, "y_pred": 1}, {"y_true": "a", "y_pred": 1}],
        "FILE: y_true is 'a' in row 2: the first labels of this column are whole numbers, so all "
        "of them must be",
    ),
    "null set": (
        [{"y_true": "a", "set": ["a"]}, {"y_true": "a", "set": None}],
        f"FILE: 1 of 2 rows has no set; the first is row 2: {FILL_IN}",
    ),
    "null in a set": (
        [{"y_true": "a", "set": ["a"]}, {"y_true": "a", "set": ["a", None]}],
        "FILE: set is '[\"a\",null]' in row 2: join the labels by |, and write the empty set as "
        "empty text or an empty list",
    ),
    "key left out": (
        [{"y_true": "a", "p:a": 1, "p:b": 0}, {"y_true": "a", "p:a": 1}],
        f"FILE: 1 of 2 rows has no p:b; the first is row 2: {FILL_IN}",
    ),
    "fraction for a label": (
        [{"y_true": 1, "y_pred": 1}, {"y_true": 1.5, "y_pred": 1}],
        "FILE: y_true is 1.5 in row 2: the first labels of this column are whole numbers, so all "
        "of them must be",
    ),
}


@pytest.mark.parametrize("case", JSON)
def test_json_lines(case, tmp_path):
    lines, expected = JSON[case]
    path = tmp_path / "bad.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert refusal(path) == expected


def test_invalid_json(tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_text('{"y_true": "a", "set": "a"}\n{"y_true": "a"')
    assert refusal(path) == (
        "FILE is not JSON Lines (line 2 is not valid JSON): write one JSON object per line"
    )
    path.write_text("[1, 2]\n[3, 4]\n")
    assert "there is no column y_true" in refusal(path)


def test_nulls_and_wrong_types_in_parquet(tmp_path):
    import pandas as pd

    path = tmp_path / "bad.parquet"
    pd.DataFrame({"y_true": ["a", None], "mask": [1, 1]}).to_parquet(path)
    said = refusal(path, "--classes", "a,b")
    assert said.startswith("FILE: 1 of 2 rows has no y_true; the first is row 2")
    pd.DataFrame({"y_true": ["a", "b"], "set": [["a"], None]}).to_parquet(path)
    assert refusal(path).startswith("FILE: 1 of 2 rows has no set; the first is row 2")
    pd.DataFrame({"y_true": ["a", "b"], "set": ["a", None]}).to_parquet(path)
    assert refusal(path).startswith("FILE: 1 of 2 rows has no set; the first is row 2")
    pd.DataFrame({"y_true": [0, 1], "mask": [1, -1]}).to_parquet(path)
    assert refusal(path, "--classes", "0,1").startswith("FILE: mask is -1 in row 2")
    pd.DataFrame({"y_true": [0.5, 1], "y_pred": [0, 1]}).to_parquet(path)
    assert refusal(path).startswith("FILE: y_true is 0.5 in row 1")
    for n_classes in (2, 64, 70):
        flags = np.eye(n_classes, dtype=int)
        flags[1, -1] = 2
        frame = pd.DataFrame(flags, columns=[f"in:{i}" for i in range(n_classes)])
        frame.assign(y_true=range(n_classes)).to_parquet(path)
        assert refusal(path).startswith(f"FILE: in:{n_classes - 1} is 2 in row 2: write 1 if")
    pd.DataFrame({"y_true": [0, 1], "p:0": [1, np.nan], "p:1": [0, 1]}).to_parquet(path)
    assert refusal(path).startswith("FILE: 1 of 2 rows has no p:0; the first is row 2")
    pd.DataFrame({"y_true": [0, 1], "p:0": ["x", "y"], "p:1": [0, 1]}).to_parquet(path)
    assert refusal(path).startswith("FILE: p:0 is 'x' in row 1")


def test_duplicate_columns_in_parquet_and_arrow(tmp_path):
    import pyarrow
    import pyarrow.ipc
    import pyarrow.parquet

    table = pyarrow.table([["a"], [1], [0]], names=["y_true", "in:a", "in:a"])
    path = tmp_path / "bad.parquet"
    pyarrow.parquet.write_table(table, path)
    assert refusal(path) == "FILE: the column in:a occurs more than once: keep one"
    path = tmp_path / "bad.arrow"
    with pyarrow.ipc.new_file(str(path), table.schema) as file:
        file.write_table(table)
    assert refusal(path) == "FILE: the column in:a occurs more than once: keep one"


@pytest.mark.parametrize("keep", [0.3, 0.9, 0.999])
def test_a_truncated_parquet_file(keep, tmp_path):
    import pandas as pd

    path = tmp_path / "cut.parquet"
    pd.DataFrame({"y_true": ["a", "b"] * 500, "set": ["a", "a|b"] * 500}).to_parquet(path)
    content = path.read_bytes()
    path.write_bytes(content[: int(keep * len(content))])
    assert refusal(path).startswith("FILE is not a complete Parquet file")
    assert refusal(path).endswith("it may be truncated; write it again")


def test_damage_in_the_middle_of_a_parquet_file(tmp_path):
    import pandas as pd

    path = tmp_path / "damaged.parquet"
    labels = np.random.default_rng(0).choice(list("abcdefgh"), 5000)
    pd.DataFrame({"y_true": labels, "y_pred": labels}).to_parquet(path)
    content = bytearray(path.read_bytes())
    content[20:400] = bytes(380)
    path.write_bytes(content)
    assert "FILE" in refusal(path)


def test_other_broken_files(tmp_path):
    broken = tmp_path / "broken.csv.gz"
    broken.write_bytes(gzip.compress(b"y_true,set\n" + b"a,a\n" * 5000)[:-20])
    assert "FILE cannot be read" in refusal(broken)
    latin = tmp_path / "latin.csv"
    latin.write_bytes("y_true,set\né,é\n".encode("latin-1"))
    assert refusal(latin) == (
        "FILE is not UTF-8 (it looks like Latin-1, byte 0xE9 at line 2): save it as UTF-8, or "
        "convert it with iconv -f LATIN1 -t UTF-8"
    )
    arrow = tmp_path / "no.arrow"
    arrow.write_bytes(b"something else")
    assert refusal(arrow).startswith("FILE is not a valid Arrow (Feather) file")
    assert refusal(tmp_path / "absent.csv") == "FILE: no such file"
    folder = tmp_path / "folder.csv"
    folder.mkdir()
    assert refusal(folder) == (
        "FILE is a folder without Parquet files: name a prediction file in it, or a pattern such "
        "as folder/*.csv"
    )
    other = tmp_path / "notes.docx"
    other.write_text("y_true,set\n")
    assert "the name does not show the file format" in refusal(other)


def test_errors_of_the_console_script(tmp_path):
    code = "import sys; from wager.cli import main; main()"
    command = [sys.executable, "-c", code, "score", str(tmp_path / "absent.csv")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"wager: {tmp_path / 'absent.csv'}: no such file\n"


@pytest.mark.parametrize(
    "n_classes", [70, *(pytest.param(n, marks=pytest.mark.long) for n in (410, 1100))]
)
@pytest.mark.parametrize("form", ["in", "p"])
def test_a_wrong_cell_among_many_columns_is_found(form, n_classes, tmp_path):
    path = tmp_path / "wide.csv"
    header = ",".join(f"{form}:c{i}" for i in range(n_classes))
    right = ",".join(["1", *["0"] * (n_classes - 1)])
    wrong = ",".join(["1", *["0"] * (n_classes - 2), "x"])
    path.write_text(f"y_true,{header}\nc0,{right}\nc1,{wrong}\n")
    assert refusal(path).startswith(f"FILE: {form}:c{n_classes - 1} is 'x' in row 2")


@pytest.mark.parametrize("of", ["y_true", "set"])
def test_an_unknown_label_that_is_written_in_many_ways_is_named_in_its_first_row(tmp_path, of):
    n = 1500  # more ways than are kept of anything; the database counts them in any order
    if of == "y_true":
        rows = [f"{' ' * i}z,a" for i in range(1, n)]
    else:
        rows = [f"a,{'a|' * i}z" for i in range(1, n)]
    path = tmp_path / "bad.csv"
    path.write_text("\n".join(["y_true,set", "b,b", *rows]))
    said = refusal(path, "--classes", "a,b")
    assert said.startswith(f"FILE: {of} contains 'z' in row 2, which is not among the classes")
