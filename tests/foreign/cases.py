"""Files as other programs write them: their bytes, and what is read from them.

A good file is followed by its rows, ``truth>prediction``: a set as ``a|b``, the empty set as
``{}``, and probabilities in the order of the classes.  A bad file is followed by the sentence that
refuses it, in which FILE stands for its path.  R, SAS, Excel and Weka are not at hand, so their
files are imitated here, from what is known of how they write.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
from dataclasses import dataclass, field
from typing import Any

FILL = "fill it in, or leave this row out with --na drop"
NA_CLASS = "; if 'NA' is a class, list it in --classes"
LATIN = "save it as UTF-8, or convert it with iconv -f LATIN1 -t UTF-8"
PLAIN = "a>a b>a b>b"


@dataclass(frozen=True)
class Case:
    """A file, how it is read, and its rows or the sentence that refuses it."""

    file: str
    content: bytes
    rows: str = ""
    refused: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def good(file: str, content: str | bytes, rows: str, *warnings: str, **options: Any) -> Case:
    data = content.encode() if isinstance(content, str) else content
    return Case(file, data, rows=rows, options=options, warnings=warnings)


def bad(file: str, content: str | bytes, refused: str, **options: Any) -> Case:
    data = content.encode() if isinstance(content, str) else content
    return Case(file, data, refused=refused, options=options)


def lines(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def zstd(data: bytes) -> bytes:
    import pyarrow

    return pyarrow.compress(data, "zstd", asbytes=True)


def parquet(table: Any) -> bytes:
    import pyarrow.parquet

    out = io.BytesIO()
    pyarrow.parquet.write_table(table, out)
    return out.getvalue()


def feather(table: Any) -> bytes:
    import pyarrow.feather

    out = io.BytesIO()
    pyarrow.feather.write_feather(table, out)
    return out.getvalue()


def pandas_parquet(**columns: Any) -> bytes:
    import pandas as pd

    out = io.BytesIO()
    pd.DataFrame(columns).to_parquet(out)
    return out.getvalue()


def polars_frame(ipc: bool = False, **columns: Any) -> bytes:
    import polars as pl

    out = io.BytesIO()
    frame = pl.DataFrame(columns)
    if ipc:
        frame.write_ipc(out)
    else:
        frame.write_parquet(out)
    return out.getvalue()


def r_files() -> list[Case]:
    head = '"","y_true","y_pred"\n'
    return [
        good("write_csv.csv", head + '"1","a","a"\n"2","b","a"\n"3","b","b"\n', PLAIN),
        bad(
            "write_csv_na.csv",
            head + '"1","a","a"\n"2",NA,"a"\n"3","b","b"\n',
            f"FILE: 1 of 3 rows has no y_true; the first is row 2, which is 'NA': {FILL}{NA_CLASS}",
        ),
        good(
            "write_csv_na_drop.csv",
            head + '"1","a","a"\n"2",NA,"a"\n"3","b","b"\n',
            "a>a b>b",
            "1 of 3 rows is left out because it has no y_true",
            na="drop",
        ),
        good(
            "write_csv_na_is_namibia.csv",
            head + '"1","NA","NA"\n"2","ZA","NA"\n',
            "NA>NA ZA>NA",
            classes=["NA", "ZA"],
        ),
        good(
            "write_csv2.csv",
            '"";"y_true";"p:a";"p:b"\n"1";"a";0,75;0,25\n"2";"b";1e-04;0,9999\n',
            "a>0.75,0.25 b>0.0001,0.9999",
        ),
        good(
            "write_table.txt",
            '"y_true"\t"y_pred"\n"1"\t"a"\t"a"\n"2"\t"b"\t"a"\n"3"\t"b"\t"b"\n',
            PLAIN,
        ),
        good(
            "row_names.csv",
            '"row.names","y_true","set"\n"r1","a","a | b"\n"r2","b",""\n',
            "a>a|b b>{}",
        ),
        good(
            "logical.csv",
            '"y_true","in:a","in:b"\n"a",TRUE,FALSE\n"b",TRUE,TRUE\n',
            "a>a b>a|b",
        ),
        bad(
            "paste_na.csv",
            '"y_true","set"\n"a","a|NA"\n',
            "FILE: set is 'a|NA' in row 1, a set with a missing label: correct it; if 'NA' is a "
            "class, list it in --classes",
        ),
        bad(
            "caret.csv",
            '"","obs","pred","a","b"\n"1","a","a",0.9,0.1\n',
            "FILE: there is no column y_true among , obs, pred, a, b: name the column of true "
            "classes "
            "with --truth COLUMN, or rename it to y_true; name the predictions with --pred pred",
        ),
        good(
            "tidymodels.csv",
            "truth,.pred_a,.pred_b\na,0.75,0.25\nb,0.5,0.5\n",
            "a>0.75,0.25 b>0.5,0.5",
            columns={"y_true": "truth", "p:": ".pred_"},
        ),
        bad(
            "tidymodels_unnamed.csv",
            "y_true,.pred_a,.pred_b\na,0.75,0.25\n",
            "FILE: none of the columns y_true, .pred_a, .pred_b contains predictions: name them "
            "with --proba-prefix .pred_",
        ),
    ]


def spreadsheet_files() -> list[Case]:
    plain = "y_true;y_pred\r\na;a\r\nb;a\r\nb;b\r\n"
    return [
        good("excel_semicolon.csv", plain, PLAIN),
        good("excel_sep_line.csv", "sep=;\r\n" + plain, PLAIN),
        good("excel_utf8.csv", b"\xef\xbb\xbf" + plain.encode(), PLAIN),
        good("excel_unicode_text.txt", plain.replace(";", "\t").encode("utf-16"), PLAIN),
        good("excel_big_endian.csv", b"\xfe\xff" + plain.encode("utf-16-be"), PLAIN),
        good("excel_trailing.csv", "y_true,y_pred,,\na,a,,\nb,a,,\nb,b,,\n", PLAIN),
        good("trailing_in_rows.csv", "y_true,y_pred\na,a,\nb,a,\nb,b,\n", PLAIN),
        good("mac_line_ends.csv", plain.replace("\r\n", "\r").replace(";", ","), PLAIN),
        good("blank_lines.csv", "y_true,y_pred\na,a\n\nb,a\nb,b\n\n", PLAIN),
        good("nonbreaking_space.csv", "y_true,y_pred\na\u00a0,a\n b,a \nb,b\n", PLAIN),
        good(
            "blanks_in_header.csv",
            "y_true , p: a, p:b \na,0.5,0.5\n",
            "a>0.5,0.5",
            "y_true is 'a' in every row: the scores say nothing about other classes",
        ),
        bad(
            "latin_1.csv",
            "y_true,y_pred\na,a\nna\u00efve,a\n".encode("latin-1"),
            f"FILE is not UTF-8 (it looks like Latin-1, byte 0xEF at line 3): {LATIN}",
        ),
        bad(
            "windows_1252.csv",
            "y_true,y_pred\na,a\n\u201ca\u201d,a\n".encode("cp1252"),
            "FILE is not UTF-8 (it looks like Windows-1252, byte 0x93 at line 3): save it as "
            "UTF-8, "
            "or convert it with iconv -f CP1252 -t UTF-8",
        ),
        bad(
            "utf_16_unmarked.csv",
            plain.encode("utf-16-le"),
            "FILE is not UTF-8 text (it looks like UTF-16 without a byte order mark, or like a "
            "binary file): save it as UTF-8",
        ),
        bad(
            "workbook.csv",
            b"PK\x03\x04\x14\x00\x06\x00",
            "FILE is a ZIP archive or an Excel workbook: unpack it, or save the sheet as CSV",
        ),
        bad(
            "thousands.csv",
            'y_true,y_pred,weight\na,a,"1,234"\n',
            "FILE: weight is '1,234' in row 1: a weight must be a finite number that is not "
            "negative",
        ),
        bad(
            "thousands_and_decimals.csv",
            "y_true;y_pred;weight\na;a;1.234,5\n",
            "FILE: weight is '1.234,5' in row 1: a weight must be a finite number that is not "
            "negative",
        ),
        good(
            "sas_export.csv",
            "F_species,I_species,P_setosa,P_other\nsetosa,setosa,0.75,0.25\n",
            "setosa>0.25,0.75",
            "y_true is 'setosa' in every row: the scores say nothing about other classes",
            columns={"y_true": "F_species", "p:": "P_"},
        ),
        bad(
            "sas_missing.csv",
            "y_true,p:a,p:b\na,.,1\n",
            "FILE: p:a is . in row 1: a probability is a number from 0 to 1",
        ),
    ]


def weka_files() -> list[Case]:
    head = "inst#,actual,predicted,error,prediction\n"
    return [
        good(
            "weka.csv",
            head + "1,1:a,1:a,,0.9\n2,2:b,1:a,+,0.7\n3,2:b,2:b,,0.6\n\n",
            "1:a>1:a 2:b>1:a 2:b>2:b",
            columns={"y_true": "actual", "y_pred": "predicted"},
        ),
        bad(
            "weka_unnamed.csv",
            head + "1,1:a,1:a,,0.9\n",
            "FILE: there is no column y_true among inst#, actual, predicted, error, prediction: "
            "name "
            "the column of true classes with --truth actual; "
            "name the predictions with --pred predicted",
        ),
        bad(
            "weka.txt",
            "=== Predictions on test data ===\n\n inst#     actual  predicted error prediction\n"
            "     1        1:a        1:a       0.9\n",
            "FILE: there is no column y_true among === Predictions on test data ===: this is "
            "Weka's "
            "output as plain text; let Weka write CSV (-classifications "
            "weka.classifiers.evaluation.output.prediction.CSV) and score it with --truth actual "
            "--pred predicted",
        ),
    ]


def conformal_files() -> list[Case]:
    import pyarrow as pa

    mapie = "y_true,y_pred,in:0,in:1,in:2\n0,0,1,0,0\n2,1,0,1,1\n1,1,0,0,0\n"
    crepes = pa.table({"y": [0, 1], "prediction_set": pa.array([[0], [0, 1]])})
    return [
        good("mapie.csv", mapie, "0>0 2>1|2 1>{}", form="in"),
        good(
            "mapie_booleans.csv",
            mapie.replace("1,0,0\n", "True,False,False\n", 1),
            "0>0 2>1|2 1>{}",
            form="in",
        ),
        good(
            "crepes.parquet",
            parquet(crepes),
            "0>0 1>0|1",
            columns={"y_true": "y", "set": "prediction_set"},
        ),
        bad(
            "crepes_unnamed.parquet",
            parquet(crepes.rename_columns(["y_true", "prediction_set"])),
            "FILE: none of the columns y_true, prediction_set contains predictions: name them with "
            "--set prediction_set",
        ),
        good(
            "crepes.jsonl",
            lines(
                {"y_true": 0, "set": [0]}, {"y_true": 1, "set": [0, 1]}, {"y_true": 1, "set": []}
            ),
            "0>0 1>0|1 1>{}",
        ),
        good(
            "string_sets.csv",
            "y_true,set\na, a | b \nb,b|a\n",
            "a>a|b b>a|b",
            "every set names all 2 classes, so the predictions say nothing",
        ),
        bad(
            "python_lists.csv",
            "y_true,set\na,\"['a', 'b']\"\nb,b\na,a\n",
            "FILE: set is \"['a', 'b']\" in row 1, where classes are joined by ',': join them by "
            "'|', "
            "or declare \"['a', 'b']\" with --classes; for this set write a|b",
        ),
    ]


def frame_files() -> list[Case]:
    import numpy as np
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    truth, said = ["a", "b", "b"], ["a", "a", "b"]
    plain = pa.table({"y_true": truth, "y_pred": said})
    missing = "FILE: 1 of 3 rows has no y_true; the first is row 2: " + FILL
    return [
        good("pandas.parquet", pandas_parquet(y_true=truth, y_pred=said), PLAIN),
        good(
            "categorical.parquet", pandas_parquet(y_true=pd.Categorical(truth), y_pred=said), PLAIN
        ),
        good(
            "pandas_index.parquet",
            pandas_parquet(index=[3, 1, 2], y_true=truth, y_pred=said),
            PLAIN,
        ),
        good(
            "nullable.parquet",
            pandas_parquet(
                y_true=pd.array([0, 1, 1], "Int64"), y_pred=pd.array([0, 0, 1], "Int64")
            ),
            "0>0 1>0 1>1",
        ),
        good("floats.parquet", pandas_parquet(y_true=[0.0, 1.0], y_pred=[0, 1]), "0>0 1>1"),
        bad("nulls.parquet", pandas_parquet(y_true=["a", None, "b"], y_pred=said), missing),
        bad("nan.parquet", pandas_parquet(y_true=[0.0, np.nan, 1.0], y_pred=[0, 1, 1]), missing),
        good("polars.parquet", polars_frame(y_true=truth, y_pred=said), PLAIN),
        good(
            "polars_enum.parquet",
            polars_frame(y_true=pl.Series(truth, dtype=pl.Enum(["b", "a"])), y_pred=said),
            PLAIN,
        ),
        good(
            "polars.arrow",
            polars_frame(ipc=True, y_true=truth, set=[["a"], ["a", "b"], []]),
            "a>a b>a|b b>{}",
        ),
        good(
            "polars_categorical.arrow",
            polars_frame(ipc=True, y_true=pl.Series(truth, dtype=pl.Categorical), y_pred=said),
            PLAIN,
        ),
        good(
            "dictionary.feather",
            feather(plain.set_column(0, "y_true", plain["y_true"].dictionary_encode())),
            PLAIN,
        ),
        good(
            "large_string.feather",
            feather(
                plain.cast(
                    pa.schema([("y_true", pa.large_string()), ("y_pred", pa.large_string())])
                )
            ),
            PLAIN,
        ),
        good(
            "blanks.parquet",
            parquet(pa.table({"y_true": ["a ", "b"], "y_pred": ["a", " b"]})),
            "a>a b>b",
        ),
        good(
            "booleans.parquet",
            pandas_parquet(y_true=[True, False], y_pred=[True, True]),
            "True>True False>True",
        ),
        good(
            "mask_blanks.parquet",
            parquet(pa.table({"y_true": ["a ", "b"], "mask": [1, 3]})),
            "a>a b>a|b",
            classes=["a", "b"],
        ),
    ]


def json_files() -> list[Case]:
    a, b = {"y_true": "a", "y_pred": "a"}, {"y_true": "b", "y_pred": " b "}
    return [
        good("plain.jsonl", lines(a, b), "a>a b>b"),
        good("one_line_end_missing.jsonl", lines(a, b).rstrip(), "a>a b>b"),
        bad(
            "null.jsonl",
            lines(a, {"y_true": "b", "y_pred": None}),
            f"FILE: 1 of 2 rows has no y_pred; the first is row 2: {FILL}",
        ),
        good(
            "null_drop.jsonl",
            lines(a, b, {"y_true": "b", "y_pred": None}),
            "a>a b>b",
            "1 of 3 rows is left out because it has no y_pred",
            na="drop",
        ),
        bad(
            "word.jsonl",
            lines(a, {"y_true": "None", "y_pred": "a"}),
            "FILE: 1 of 2 rows has no y_true; the first is row 2, which is 'None': "
            + FILL
            + NA_CLASS.replace("NA", "None"),
        ),
        good("compressed.jsonl.xz", lzma.compress(lines(a, b).encode()), "a>a b>b"),
        good("utf_16.jsonl", lines(a, b).encode("utf-16"), "a>a b>b"),
        good(
            "probabilities.jsonl",
            lines({"y_true": "a", "p:a": 0.5, "p:b": "0.5"}, {"y_true": "b", "p:a": 1, "p:b": 0}),
            "a>0.5,0.5 b>1,0",
        ),
    ]


def compressed_files() -> list[Case]:
    data = b"y_true,y_pred\na,a\nb,a\nb,b\n"
    return [
        good("plain.csv.gz", gzip.compress(data), PLAIN),
        good("plain.csv.bz2", bz2.compress(data), PLAIN),
        good("plain.csv.xz", lzma.compress(data), PLAIN),
        good("plain.csv.zst", zstd(data), PLAIN),
        good("gzip_by_another_name.csv", gzip.compress(data), PLAIN),
        good("not_gzip_at_all.csv.gz", data, PLAIN),
        good("d[1].csv", data, PLAIN),
        good("a?.csv.gz", gzip.compress(data), PLAIN),
        bad(
            "truncated.csv.bz2",
            bz2.compress(data * 50)[:-9],
            "FILE cannot be read: the compressed file is truncated or damaged",
        ),
    ]


def odd_tables() -> list[Case]:
    long = "x" * 100_000
    return [
        bad(
            "empty.csv",
            "",
            "FILE is empty: it needs a column y_true, predictions, and at least one row",
        ),
        bad("header.csv", "y_true,y_pred\n", "FILE has a header but no rows: add predictions"),
        bad(
            "ragged.csv",
            "y_true,y_pred\na,a\nb\n",
            "FILE: line 3 has 1 fields but the header has 2: give every row a value for each "
            "column",
        ),
        bad(
            "twice.csv",
            "y_true,y_true,y_pred\na,a,a\n",
            "FILE: the column y_true occurs more than once: keep one",
        ),
        good("quoted_line_end.csv", 'y_true,y_pred\n"two\nlines",a\na,a\n', "two\nlines>a a>a"),
        good(
            "awkward_labels.csv",
            'y_true,set\n"x,y","x,y|say ""hi"""\n"say ""hi""","a\\|b"\na|b,a\\|b\n',
            'x,y>say "hi"|x,y say "hi">a\\|b a|b>a\\|b',
        ),
        good(
            "dates.csv",
            "y_true,y_pred\n2024-01-31,2024-01-31\n2024-02-01,2024-01-31\n",
            "2024-01-31>2024-01-31 2024-02-01>2024-01-31",
        ),
        good("numbers.csv", "y_true,y_pred\n10,10\n9,10\n", "10>10 9>10"),
        good("long_line.csv", f"y_true,y_pred,note\na,a,{long}\nb,b,\n", "a>a b>b"),
        good(
            "misspelt.csv",
            "y_true,y_pred\na,a\nb,B\n",
            "a>a b>B",
            "'B' is predicted but never occurs in y_true: check the spelling",
        ),
        bad(
            "no_such_column.csv",
            "truth,y_pred\na,a\n",
            "FILE: there is no column label among truth, y_pred: did you mean truth?",
            columns={"y_true": "label"},
        ),
        bad(
            "two_columns_lack_values.csv",
            "y_true,y_pred\na,\nNA,b\nb,b\n",
            "FILE: 2 of 3 rows have missing values (y_true: 1, y_pred: 1); the first is y_pred in "
            "row "
            "1: fill them in, or leave these rows out with --na drop",
        ),
        bad(
            "nothing_left.csv",
            "y_true,y_pred\nNA,a\n",
            "FILE: no row is left: 1 of 1 row is left out because it has no y_true",
            na="drop",
        ),
    ]


def every_case() -> list[Case]:
    """All files, in the order of the programs."""
    makers = (r_files, spreadsheet_files, weka_files, conformal_files, frame_files, json_files)
    return [case for make in (*makers, compressed_files, odd_tables) for case in make()]
