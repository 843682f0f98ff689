"""Different classes of a file stay different, and every column keeps its name."""

from decimal import Decimal

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from wager.learners import NaiveBayes
from wager.prepare import Dataset, _chunks, load_dataset

LARGE = [1, 1234567890123456788, 1234567890123456789]
CSV = {
    "18 digits and more": (["1234567890123456789", "1234567890123456788", "1"], LARGE),
    "with a decimal point": (
        ["9007199254740993.0", "9007199254740992", "1"],
        [1, 2**53, 2**53 + 1],
    ),
    "unsigned": ([str(2**64 - 1), str(2**64 - 2), "1"], [1, 2**64 - 2, 2**64 - 1]),
    "beside a fraction": (
        ["9007199254740993", "9007199254740992", "1.5"],
        ["1.5", "9007199254740992", "9007199254740993"],
    ),
    "beyond 64 bits": (["1" * 30, "1" * 29 + "2", "1"], ["1", "1" * 30, "1" * 29 + "2"]),
    "beyond doubles": (["1e400", "2e400", "+1e400"], ["1e400", "2e400"]),
    "an endless exponent": (["1e" + "9" * 20, "2", "1"], [1.0, 2.0, float("inf")]),
    "equal numbers": (["01", "1", "1.0", "1.10", "1.1"], [1.0, 1.1]),
    "long but exact": (["1.000000000000000000e+00", "2.000000000000000000e+00"], [1.0, 2.0]),
}


@pytest.mark.parametrize("case", CSV)
def test_classes_of_a_csv_file_are_not_rounded_together(tmp_path, case):
    cells, wanted = CSV[case]
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "".join(f"{i % 2},{cell}\n" for i, cell in enumerate([*cells, ""])))
    data = load_dataset(path, target="y")
    assert data.classes.tolist() == wanted
    assert len(data) == len(cells)
    if all(isinstance(label, int) for label in wanted):
        assert data.y.tolist() == [int(Decimal(cell)) for cell in cells]


@pytest.mark.parametrize("case", [case for case in CSV if case != "an endless exponent"])
def test_counts_of_a_csv_file_have_the_same_classes(tmp_path, case):
    path = tmp_path / "t.csv"
    cells, wanted = CSV[case]
    path.write_text("x,y\n" + "".join(f"{'ab'[i % 2]},{cell}\n" for i, cell in enumerate(cells)))
    assert NaiveBayes().fit_file(path, "y").classes_.tolist() == wanted


def test_a_decimal_comma_is_read_as_one(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x;y\n1,5;9007199254740993\n2,5;9007199254740992\n3,5;1,5\n")
    classes = load_dataset(path, target="y").classes.tolist()
    assert classes == ["1,5", "9007199254740992", "9007199254740993"]


PARQUET = {
    "whole decimals": (pl.Decimal(18, 0), [2**53 + 1, 2**53, 1], [1, 2**53, 2**53 + 1]),
    "long decimals": (
        pl.Decimal(38, 0),
        [10**30 + 1, 10**30, 1],
        ["1", str(10**30), str(10**30 + 1)],
    ),
    "decimal fractions": (
        pl.Decimal(18, 2),
        [Decimal("90071992547409.93"), Decimal("90071992547409.92"), Decimal("2.00")],
        ["2.00", "90071992547409.92", "90071992547409.93"],
    ),
    "short decimals": (pl.Decimal(10, 2), [Decimal("1.10"), Decimal("2.00")], [1.1, 2.0]),
    "unsigned": (pl.UInt64, [2**64 - 1, 2**64 - 2, 1], [1, 2**64 - 2, 2**64 - 1]),
}


@pytest.mark.parametrize("case", PARQUET)
def test_classes_of_a_parquet_file_are_not_rounded_together(tmp_path, case):
    kind, values, wanted = PARQUET[case]
    values = [Decimal(value) for value in values] if kind != pl.UInt64 else values
    path = tmp_path / "t.parquet"
    names = ["ab"[i % 2] for i in range(len(values))]
    pl.DataFrame({"x": names, "y": pl.Series(values, dtype=kind)}).write_parquet(path)
    assert load_dataset(path, target="y").classes.tolist() == wanted
    if case in ("unsigned", "short decimals"):
        assert NaiveBayes().fit_file(path, "y").classes_.tolist() == wanted
    else:
        with pytest.raises(ValueError, match=r"column y has classes of type DECIMAL.* as text"):
            NaiveBayes().fit_file(path, "y")


def test_rounded_classes_of_a_file_in_chunks_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,1234567890123456789\n2,1234567890123456788\n")
    monkeypatch.setattr(_chunks, "LARGE_FILE", 0)
    with pytest.raises(ValueError, match="column y has classes that a double would round"):
        list(_chunks.dataset_chunks(path, "y", 1))


@pytest.mark.parametrize(
    "read", [load_dataset, lambda path, target: NaiveBayes().fit_file(path, target)]
)
def test_columns_of_the_same_name_are_refused(tmp_path, read):
    path = tmp_path / "t.parquet"
    columns = [pa.array(["p", "q"]), pa.array(["a", "b"]), pa.array(["c", "d"])]
    pq.write_table(pa.Table.from_arrays(columns, names=["x", "y", "y"]), path)
    with pytest.raises(ValueError, match="the column y occurs more than once: keep one"):
        read(path, target="y")


def test_names_that_differ_only_by_case_are_different_columns(tmp_path):
    path = tmp_path / "t.parquet"
    nested = pa.array([{"y": 1, "z": {"y": 2}}] * 2)
    columns = [pa.array([1, 2]), nested, pa.array(["a", "b"]), pa.array(["c", "d"])]
    pq.write_table(pa.Table.from_arrays(columns, names=["y_1", "n", "y", "Y"]), path)
    with pytest.raises(ValueError, match="column n has lists or tables"):
        load_dataset(path, target="Y")
    flat = [columns[0], *columns[2:]]
    pq.write_table(pa.Table.from_arrays(flat, names=["y_1", "y", "Y"]), path)
    for target, classes, others in (
        ("Y", ["c", "d"], ("y_1", "y")),
        ("y", ["a", "b"], ("y_1", "Y")),
    ):
        data = load_dataset(path, target=target)
        assert (data.classes.tolist(), data.columns) == (classes, others)
    assert NaiveBayes().fit_file(path, "Y", columns=["y"]).classes_.tolist() == ["c", "d"]


@pytest.mark.skipif(not hasattr(pl, "Int128"), reason="needs polars 1.18")
def test_columns_of_polars_keep_final_nuls_and_large_integers():
    with pytest.raises(ValueError, match="ends with a NUL"):
        Dataset.from_columns("t", {"x": [1, 2], "y": pl.Series(["a", "a\0"])}, "y")
    data = Dataset.from_columns(
        "t",
        {"x": pl.Series(["a", "a\0"]), "y": pl.Series([2**60 + 1, 2**60], dtype=pl.Int128)},
        "y",
    )
    assert data.levels == (("a", "a\0"),)
    assert data.classes.tolist() == [2**60, 2**60 + 1]
